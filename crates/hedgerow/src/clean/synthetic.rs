//! New rows on the segments between old ones.
//!
//! A base $x_i$, a partner $x_j$ and a step $u \in [0, 1)$ make the row $x_i + u (x_j - x_i)$.

use super::surroundings::{for_each_other, index_of};
use crate::Result;
use crate::data::{CsrMatrix, Generator, Row, Samples, SamplesView};

/// How a new row is made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Segment {
    /// The row where it starts.
    base: u32,
    /// The row where it ends.
    partner: u32,
    /// How far from the start, as a share of the length.
    step: f64,
}

/// Draws, for each base as many segments as it is to have, each to one of its `k` nearest among
/// `partners`. The step to partner `j` is uniform below `reach(j)`.
///
/// The draws are made in the order of the bases, on one thread: they depend on the generator only.
pub(super) fn draw_segments(
    samples: SamplesView<'_>,
    bases: &[(u32, usize)],
    partners: Option<&[u32]>,
    k: usize,
    reach: impl Fn(u32) -> f64,
    random: &mut Generator,
) -> Result<Vec<Segment>> {
    let bases: Vec<(u32, usize)> = bases.iter().copied().filter(|base| base.1 > 0).collect();
    let rows: Vec<u32> = bases.iter().map(|base| base.0).collect();
    let mut counts = bases.iter().map(|base| base.1);
    let mut segments = Vec::with_capacity(counts.clone().sum());
    if rows.is_empty() {
        return Ok(segments);
    }
    let index = index_of(samples, partners, k)?;
    for_each_other(&index.searcher(samples)?, &rows, k, |base, list| {
        let count = counts.next().unwrap_or(0);
        if list.is_empty() {
            return;
        }
        for _ in 0..count {
            let partner = list[random.below(list.len())].row;
            segments.push(Segment {
                base,
                partner,
                step: random.uniform() * reach(partner),
            });
        }
    })?;
    Ok(segments)
}

/// The value between two; never outside of them, whatever rounding does.
fn between(from: f64, to: f64, step: f64) -> f64 {
    let difference = to - from;
    let value = if difference.is_finite() {
        from + step * difference
    } else {
        (1.0 - step) * from + step * to
    };
    value.clamp(from.min(to), from.max(to))
}

/// The rows that segments stand for, dense or sparse as the samples are.
pub(super) fn rows_on(samples: SamplesView<'_>, segments: &[Segment]) -> Result<Samples> {
    let width = samples.n_features();
    let ends = segments.iter().map(|segment| {
        let base = samples.row(segment.base as usize);
        (base, samples.row(segment.partner as usize), segment.step)
    });
    if matches!(samples, SamplesView::Sparse { .. }) {
        return sparse_rows(width, ends);
    }
    let mut values = Vec::with_capacity(width * segments.len());
    for (from, to, step) in ends {
        let pairs = from.values().iter().zip(to.values());
        values.extend(pairs.map(|(&a, &b)| between(a, b, step)));
    }
    Samples::dense(segments.len(), width, values)
}

/// Sparse rows with an entry wherever one of the two ends has one.
fn sparse_rows<'a>(
    width: usize,
    ends: impl Iterator<Item = (Row<'a>, Row<'a>, f64)>,
) -> Result<Samples> {
    let (mut starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    let (mut first, mut second) = (Vec::new(), Vec::new());
    for (from, to, step) in ends {
        first.clear();
        from.for_each(|f, value| first.push((f as u32, value)));
        second.clear();
        to.for_each(|f, value| second.push((f as u32, value)));
        let (mut i, mut j) = (0, 0);
        while i < first.len() || j < second.len() {
            let left = first.get(i).map_or(u32::MAX, |entry| entry.0);
            let right = second.get(j).map_or(u32::MAX, |entry| entry.0);
            let f = left.min(right);
            let (mut a, mut b) = (0.0, 0.0);
            if left == f && i < first.len() {
                a = first[i].1;
                i += 1;
            }
            if right == f && j < second.len() {
                b = second[j].1;
                j += 1;
            }
            let value = between(a, b, step);
            if value != 0.0 {
                indices.push(f);
                values.push(value);
            }
        }
        starts.push(indices.len());
    }
    Ok(Samples::Sparse(CsrMatrix::new(
        width, starts, indices, values,
    )?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_stays_between_its_ends() {
        assert_eq!(between(1.0, 3.0, 0.5), 2.0);
        assert_eq!(between(0.1, 0.1, 0.7), 0.1);
        let far = between(-f64::MAX, f64::MAX, 0.5);
        assert!(far.abs() < 1e300);
    }

    #[test]
    fn sparse_and_dense_rows_are_the_same() {
        let dense = [0.0, 2.0, 0.0, 4.0, 1.0, 0.0, 0.0, 8.0];
        let view = SamplesView::dense(4, &dense).expect("a view");
        let sparse = CsrMatrix::new(4, vec![0, 2, 4], vec![1, 3, 0, 3], vec![2.0, 4.0, 1.0, 8.0]);
        let sparse = Samples::Sparse(sparse.expect("a matrix"));
        let segments =
            [(0, 1, 0.25), (1, 0, 0.5), (0, 0, 0.3)].map(|(base, partner, step)| Segment {
                base,
                partner,
                step,
            });
        let one = rows_on(view, &segments).expect("rows");
        let other = rows_on(sparse.view(), &segments).expect("rows");
        assert!(matches!(other, Samples::Sparse(_)));
        let mut out = [0.0; 4];
        for i in 0..3 {
            other.view().row(i).write_dense(&mut out);
            assert_eq!(one.view().row(i).values(), out);
        }
        assert_eq!(one.view().row(0).values(), [0.25, 1.5, 0.0, 5.0]);
    }
}
