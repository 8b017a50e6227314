//! Every row for a few queries at once, with nothing packed.
//!
//! Slower a query than any structure, but there is nothing to prepare: for whoever asks a few
//! questions and no more.

use super::GONE;
use super::brute::pair_by_pair;
use super::candidates::Candidates;
use super::metric::{DistanceMetric, Embedding};
use crate::Result;
use crate::data::{Row, SamplesView};
use crate::linalg::{LaneProducts, QUERY_LANES, lane_products};

/// Rows whose inner products are computed before the first of them is looked at.
const CHUNK: usize = 64;

/// Queries of one pass over the rows.
pub(super) const QUERIES_A_SCAN: usize = QUERY_LANES;

/// Adds rows to the candidates of each query.
pub(super) fn scan(
    metric: &DistanceMetric,
    samples: SamplesView<'_>,
    rows: &[u32],
    queries: &[Row<'_>],
    n_features: usize,
    found: &mut [Candidates],
) -> Result<()> {
    let embedding = metric.embedding(samples.n_features());
    if !embedding.is_some_and(Embedding::is_identity) {
        for (&query, found) in queries.iter().zip(found) {
            pair_by_pair(metric, samples, rows, query, n_features, found)?;
        }
        return Ok(());
    }
    // In the order in which they are stored, which is how memory is read fastest.
    let mut is_wanted = vec![false; samples.n_rows()];
    for &row in rows.iter().filter(|&&row| row != GONE) {
        is_wanted[row as usize] = true;
    }
    let rows: Vec<u32> = (0..samples.n_rows() as u32)
        .filter(|&row| is_wanted[row as usize])
        .collect();
    let parts = queries
        .chunks(QUERIES_A_SCAN)
        .zip(found.chunks_mut(QUERIES_A_SCAN));
    for (queries, found) in parts {
        scan_together(samples, &rows, queries, n_features, found);
    }
    Ok(())
}

fn scan_together(
    samples: SamplesView<'_>,
    rows: &[u32],
    queries: &[Row<'_>],
    n_features: usize,
    found: &mut [Candidates],
) {
    let mut lanes = vec![[0.0; QUERY_LANES]; samples.n_features()];
    let mut sq_norms = [0.0; QUERY_LANES];
    for (lane, query) in queries.iter().enumerate() {
        query.for_each(|f, value| {
            sq_norms[lane] += value * value;
            if let Some(slot) = lanes.get_mut(f) {
                slot[lane] = value;
            }
        });
    }
    // Of sums of as many terms as there are features, and of the distances that rows are ranked by.
    let terms = n_features as f64 + 8.0;
    let (rounding, vanished) = (terms * f64::EPSILON, terms * f64::MIN_POSITIVE);
    let mut reaches = [f64::INFINITY; QUERY_LANES];
    let mut products = [LaneProducts {
        products: [0.0; QUERY_LANES],
        sq_norm: 0.0,
    }; CHUNK];
    for rows in rows.chunks(CHUNK) {
        lane_products(samples, rows, &lanes, &mut products);
        for (at, found) in found.iter_mut().enumerate() {
            for (&row, of_row) in rows.iter().zip(&products) {
                let sum = of_row.sq_norm + sq_norms[at];
                let squared = sum - 2.0 * of_row.products[at];
                let error = rounding * sum + vanished;
                // What is no number passes, and is ranked by its true distance.
                if squared - error > reaches[at] {
                    continue;
                }
                let limits = (squared - error, squared + error);
                if limits.1.is_finite() {
                    found.push(row, limits.0.max(0.0).sqrt(), limits.1.sqrt());
                } else {
                    found.push(row, 0.0, f64::INFINITY);
                }
            }
            let reach = found.reach();
            reaches[at] = reach * reach * (1.0 + 1e-12);
        }
    }
}
