//! The structure that costs least, by counting.
//!
//! First on a sample of the rows, where building costs little. If looking at every row is clearly
//! cheaper there, it is chosen; else the tree is built on all rows and judged again. What a search
//! costs is counted, never timed: an index is stored with its model, and the same rows must give
//! the same bytes whatever else the machine is doing.

use super::brute::{is_multiplied, stays_sparse};
use super::index::{Body, Engine, brute, buckets, cover, ensure_finite};
use super::{DistanceMetric, Index, IndexParams, SearchScratch, Searcher, Structure};
use crate::Result;
use crate::data::SamplesView;

/// Rows up to which there is nothing to gain.
const FEW: usize = 512;
/// Rows of the sample, at most.
const SAMPLE: usize = 4096;
/// Values of the sample, about, unless that were too few rows.
const SAMPLE_VALUES: usize = 1 << 20;
/// Queries whose work is counted.
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

/// What looking at one thing costs, in nanoseconds on one core as measured once. Only ratios matter,
/// and only where structures are far apart.
mod cost {
    /// A row in a block of products, and each of its values: dense, sparse.
    pub(super) const ROW: f64 = 0.35;
    pub(super) const DENSE_VALUE: f64 = 0.01;
    pub(super) const SPARSE_ROW: f64 = 0.5;
    pub(super) const SPARSE_VALUE: f64 = 0.02;
    /// A single distance in double precision, each value of it, and finding the way to it in a tree.
    pub(super) const DISTANCE: f64 = 20.0;
    pub(super) const DISTANCE_VALUE: f64 = 0.5;
    pub(super) const STEP: f64 = 10.0;
    /// A value in a bucket or of a box.
    pub(super) const BUCKET_VALUE: f64 = 0.06;
    /// Beginning a search in a tree.
    pub(super) const START: f64 = 400.0;
    /// A row that is kept as one of the nearest until a nearer one comes. Trees meet near rows
    /// first; who looks at all rows in their order keeps `k ln(n/k)` on the way.
    pub(super) const KEPT_IN_TREE: f64 = 100.0;
    pub(super) const KEPT: f64 = 50.0;
    /// Ordering and packing a value.
    pub(super) const BUILD: f64 = 20.0;
}

/// What is searched, and for how many neighbours.
#[derive(Clone, Copy)]
struct Costs<'a> {
    metric: &'a DistanceMetric,
    samples: SamplesView<'a>,
    n_rows: usize,
    k: usize,
}

impl Costs<'_> {
    /// A distance by itself.
    fn distance(&self) -> f64 {
        cost::DISTANCE + cost::DISTANCE_VALUE * self.samples.n_features() as f64
    }

    /// A query that looks at every row.
    fn of_all_rows(&self) -> f64 {
        let n_features = self.samples.n_features() as f64;
        let row = if !is_multiplied(self.metric) {
            self.distance()
        } else if stays_sparse(self.samples, self.n_rows) {
            let entries = self.samples.n_entries() as f64;
            cost::SPARSE_ROW + cost::SPARSE_VALUE * entries / self.samples.n_rows().max(1) as f64
        } else {
            cost::ROW + cost::DENSE_VALUE * n_features
        };
        let (n, k) = (self.n_rows as f64, self.k.min(self.n_rows) as f64);
        n * row + cost::KEPT * k * (1.0 + (n / k.max(1.0)).ln())
    }

    /// A query in a tree, on average of some rows.
    fn in_tree(&self, searcher: &Searcher<'_>, queries: &[u32]) -> f64 {
        let (mut scratch, mut found) = (SearchScratch::default(), Vec::new());
        for &query in queries {
            let row = self.samples.row(query as usize);
            // One more, because the row itself is found. One without distances is for those to
            // complain about who ask for its neighbours.
            let _ = searcher.k_nearest_one(&mut scratch, row, self.k + 1, &mut found);
        }
        let (values, distances) = scratch.counted();
        let looks =
            cost::BUCKET_VALUE * values as f64 + (self.distance() + cost::STEP) * distances as f64;
        let kept = cost::KEPT_IN_TREE * self.k.min(self.n_rows) as f64;
        looks / queries.len().max(1) as f64 + cost::START + kept
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
    let costs = Costs {
        metric,
        samples,
        n_rows: rows.len(),
        k: params.expected_k.unwrap_or(USUAL_K).max(1),
    };
    let all_rows = costs.of_all_rows();
    if let Some(expected) = params.expected_queries {
        let build = cost::BUILD * (n_features as f64 + 16.0) * rows.len() as f64;
        if all_rows * (expected as f64) < build {
            return Ok(brute(metric, samples, rows));
        }
    }
    // Whatever rows there are may be asked about, not only those that can be found: members that
    // were chosen far apart are near to others, not to each other.
    let mut queries: Vec<u32> = spread(samples.n_rows(), QUERIES);
    queries.retain(|&row| ensure_finite(samples.row(row as usize), 0).is_ok());
    if queries.is_empty() {
        queries.push(rows[0]);
    }
    if is_hopeless(&costs, tree, &rows, &queries)? {
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
    let in_tree = costs.in_tree(&index.searcher(samples)?, &queries);
    match index.into_parts() {
        Some(parts) if in_tree <= all_rows => Ok(parts),
        _ => Ok(brute(metric, samples, rows)),
    }
}

/// Whether a tree of a sample of the rows is so much dearer than looking at all of the sample that
/// a tree of all rows need not be built.
fn is_hopeless(costs: &Costs<'_>, tree: Structure, rows: &[u32], queries: &[u32]) -> Result<bool> {
    let n_features = costs.samples.n_features();
    let sample_rows = (SAMPLE_VALUES / n_features.max(1)).clamp(FEW, SAMPLE);
    let stride = rows.len().div_ceil(sample_rows);
    if stride == 1 {
        return Ok(false);
    }
    let sample: Vec<u32> = rows.iter().copied().step_by(stride).collect();
    let params = IndexParams {
        structure: tree,
        ..IndexParams::default()
    };
    let index = Index::build(costs.metric, costs.samples, Some(&sample), &params)?;
    let sampled = Costs {
        n_rows: sample.len(),
        // As many neighbours as there will be in the neighbourhood of the same size.
        k: costs.k.div_ceil(stride).max(costs.k.min(4)),
        ..*costs
    };
    let in_tree = sampled.in_tree(&index.searcher(costs.samples)?, queries);
    // Trees gain on larger sets; but one that visits everything still will.
    let hopeless = if tree == Structure::BucketTree {
        3.0
    } else {
        0.5
    };
    Ok(in_tree > hopeless * sampled.of_all_rows())
}

/// About `count` of so many rows, evenly.
fn spread(n_rows: usize, count: usize) -> Vec<u32> {
    let stride = (n_rows / count).max(1);
    let places = (stride / 2..n_rows).step_by(stride).take(count);
    places.map(|row| row as u32).collect()
}
