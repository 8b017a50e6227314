//! The structure that costs least, as measured.
//!
//! First on a sample of the rows, where building costs little. If looking at every row is clearly
//! cheaper there, it is chosen; else the tree is built on all rows and measured again.

use super::index::{Body, Engine, brute, buckets, cover, ensure_finite};
use super::{DistanceMetric, Index, IndexParams, Structure};
use crate::Result;
use crate::data::SamplesView;
use std::time::Instant;

/// Rows up to which there is nothing to gain.
const FEW: usize = 512;
/// Rows of the sample, at most.
const SAMPLE: usize = 4096;
/// Values of the sample, about, unless that were too few rows.
const SAMPLE_VALUES: usize = 1 << 20;
/// Queries that are timed.
const QUERIES: usize = 32;
/// Coordinates beyond which a box around some rows is as good as none.
const MANY_COORDINATES: usize = 4096;
/// Neighbours that are asked for if it is not known better.
const USUAL_K: usize = 10;

/// Coordinates up to which boxes help to find a single nearest row, on all sets that were measured.
const FEW_COORDINATES: usize = 128;

impl Structure {
    /// What finds the nearest row fastest, by rule and not by measurement: the same data always
    /// give the same structure.
    pub(crate) fn for_single_rows(metric: &DistanceMetric, samples: SamplesView<'_>) -> Self {
        let n_features = samples.n_features();
        let width = metric
            .embedding(n_features)
            .map(super::metric::Embedding::width);
        match width {
            Some(1..=FEW_COORDINATES) => Self::BucketTree,
            None if metric.is_metric(n_features) => Self::CoverTree,
            _ => Self::Brute,
        }
    }
}

/// Builds the structure that is cheapest for the expected queries.
pub(super) fn cheapest(
    metric: &DistanceMetric,
    samples: SamplesView<'_>,
    rows: Vec<u32>,
    params: &IndexParams,
) -> Result<(Body, Engine)> {
    let n_features = samples.n_features();
    let width = metric
        .embedding(n_features)
        .map(super::metric::Embedding::width);
    let tree = match width {
        Some(width) if width > 0 && width <= MANY_COORDINATES => Structure::BucketTree,
        None if metric.is_metric(n_features) => Structure::CoverTree,
        _ => Structure::Brute,
    };
    if rows.len() <= FEW || tree == Structure::Brute {
        return Ok(brute(metric, samples, rows));
    }
    let k = params.expected_k.unwrap_or(USUAL_K).max(1);
    let sample_rows = (SAMPLE_VALUES / n_features.max(1)).clamp(FEW, SAMPLE);
    let stride = rows.len().div_ceil(sample_rows);
    let sample: Vec<u32> = rows.iter().copied().step_by(stride).collect();
    // Whatever rows there are may be asked about, not only those that can be found: members that
    // were chosen far apart are near to others, not to each other.
    let mut queries: Vec<u32> = spread(samples.n_rows(), QUERIES);
    queries.retain(|&row| ensure_finite(samples.row(row as usize), 0).is_ok());
    if queries.is_empty() {
        queries.push(rows[0]);
    }
    // As many neighbours as there will be in the neighbourhood of the same size.
    let sample_k = k.div_ceil(stride).max(k.min(4));
    let timed = |structure| -> Result<f64> {
        let params = IndexParams {
            structure,
            ..IndexParams::default()
        };
        let index = Index::build(metric, samples, Some(&sample), &params)?;
        let searcher = index.searcher(samples)?;
        seconds(|| searcher.k_nearest_of(&queries, sample_k, true).map(drop))
    };
    let share = rows.len() as f64 / sample.len() as f64;
    let all_brute = timed(Structure::Brute)? * share / queries.len() as f64;
    if let Some(expected) = params.expected_queries {
        // About what ordering and packing cost, for each value.
        let build = 2e-8 * (n_features as f64 + 16.0) * rows.len() as f64;
        if all_brute * (expected as f64) < build {
            return Ok(brute(metric, samples, rows));
        }
    }
    let sampled = timed(tree)? / queries.len() as f64;
    // Trees gain on larger sets; but one that visits everything still will.
    let hopeless = if tree == Structure::BucketTree {
        3.0
    } else {
        0.5
    };
    if sampled * share > hopeless * all_brute {
        return Ok(brute(metric, samples, rows));
    }
    let built = if tree == Structure::BucketTree {
        buckets(metric, samples, &rows)
    } else {
        cover(metric, samples, &rows)
    };
    let Some((body, engine)) = built else {
        return Ok(brute(metric, samples, rows));
    };
    let index = Index::packed(metric.clone(), n_features, body, engine);
    let searcher = index.searcher(samples)?;
    let by_tree = seconds(|| searcher.k_nearest_of(&queries, k, true).map(drop))?;
    let tree_wins = by_tree / queries.len() as f64 <= all_brute;
    match index.into_parts() {
        Some(parts) if tree_wins => Ok(parts),
        _ => Ok(brute(metric, samples, rows)),
    }
}

/// About `count` of so many rows, evenly.
fn spread(n_rows: usize, count: usize) -> Vec<u32> {
    let stride = (n_rows / count).max(1);
    let places = (stride / 2..n_rows).step_by(stride).take(count);
    places.map(|row| row as u32).collect()
}

/// The shorter of two runs: the first may have to wait for memory.
fn seconds(work: impl Fn() -> Result<()>) -> Result<f64> {
    let mut best = f64::INFINITY;
    for _ in 0..2 {
        let start = Instant::now();
        work()?;
        best = best.min(start.elapsed().as_secs_f64());
    }
    Ok(best)
}
