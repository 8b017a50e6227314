//! Candidates in the order of their true distances.

use super::candidates::Candidate;
use super::{DistanceMetric, Neighbour};
use crate::Result;
use crate::data::{Row, SamplesView};
use std::cmp::Ordering;

/// Rows whose distances are summed side by side: one sum alone would wait for its own additions.
const TOGETHER: usize = 4;
/// Largest number of features for which sparse rows are spread out.
const SPREAD: usize = 512;

/// Buffers for rows that are spread out.
#[derive(Debug, Clone, Default)]
pub(super) struct Buffers {
    query: Vec<f64>,
    rows: [Vec<f64>; TOGETHER],
}

/// Ascending distances; equal ones by ascending row.
pub(super) fn by_distance(a: &Neighbour, b: &Neighbour) -> Ordering {
    a.distance
        .total_cmp(&b.distance)
        .then_with(|| a.row.cmp(&b.row))
}

/// A query with what its distances depend on.
#[derive(Clone, Copy)]
pub(super) struct Asked<'a> {
    pub(super) metric: &'a DistanceMetric,
    pub(super) samples: SamplesView<'a>,
    pub(super) query: Row<'a>,
    pub(super) n_features: usize,
}

/// Writes the `k` nearest of the candidates to `out`.
pub(super) fn nearest_of(
    asked: Asked<'_>,
    candidates: &[Candidate],
    k: usize,
    buffers: &mut Buffers,
    out: &mut Vec<Neighbour>,
) -> Result<()> {
    let Asked {
        metric,
        samples,
        query,
        n_features,
    } = asked;
    out.clear();
    out.reserve(candidates.len());
    if metric.is_euclidean()
        && (matches!(samples, SamplesView::Dense { .. }) || n_features <= SPREAD)
    {
        euclidean(samples, query, n_features, candidates, buffers, out);
    } else {
        for candidate in candidates {
            let row = candidate.row;
            let distance = metric.distance(samples.row(row as usize), query, n_features)?;
            out.push(Neighbour { row, distance });
        }
    }
    if out.len() > k {
        if k == 0 {
            out.clear();
        } else {
            out.select_nth_unstable_by(k - 1, by_distance);
            out.truncate(k);
        }
    }
    out.sort_unstable_by(by_distance);
    Ok(())
}

/// As [`DistanceMetric::distance`] to the last bit: features are added one by one in ascending order, and
/// one that neither row stores adds 0.
fn euclidean(
    samples: SamplesView<'_>,
    query: Row<'_>,
    n_features: usize,
    candidates: &[Candidate],
    buffers: &mut Buffers,
    out: &mut Vec<Neighbour>,
) {
    let Buffers {
        query: spread,
        rows,
    } = buffers;
    let query = match query {
        Row::Dense(values) if values.len() == n_features => values,
        _ => {
            spread.resize(n_features, 0.0);
            query.write_dense(spread);
            spread
        }
    };
    let in_place =
        matches!(samples, SamplesView::Dense { .. }) && samples.n_features() == n_features;
    samples.fetch(candidates.iter().map(|candidate| candidate.row));
    for group in candidates.chunks(TOGETHER) {
        let mut sums = [0.0f64; TOGETHER];
        // A short group repeats its last row.
        let member = |lane: usize| samples.row(group[lane.min(group.len() - 1)].row as usize);
        if in_place {
            let lanes: [&[f64]; TOGETHER] = std::array::from_fn(|lane| member(lane).values());
            add_squares(query, lanes, &mut sums);
        } else {
            for (lane, row) in rows.iter_mut().enumerate() {
                row.resize(n_features, 0.0);
                member(lane).write_dense(row);
            }
            let lanes: [&[f64]; TOGETHER] = std::array::from_fn(|lane| rows[lane].as_slice());
            add_squares(query, lanes, &mut sums);
        }
        for (candidate, sum) in group.iter().zip(sums) {
            out.push(Neighbour {
                row: candidate.row,
                distance: sum.sqrt(),
            });
        }
    }
}

fn add_squares(query: &[f64], rows: [&[f64]; TOGETHER], sums: &mut [f64; TOGETHER]) {
    let n = query.len();
    let rows = rows.map(|row| &row[..n]);
    for f in 0..n {
        for lane in 0..TOGETHER {
            let difference = rows[lane][f] - query[f];
            sums[lane] += difference * difference;
        }
    }
}
