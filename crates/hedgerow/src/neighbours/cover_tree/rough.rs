//! Distances in single precision with a bound on their error, for decisions that seldom need more.

use super::Space;
use crate::linalg::gather_near;

/// Rows are padded to a multiple of this many values.
const PADDING: usize = 16;

/// Rows relative to their means, rounded and padded, columns that vary most first: a row that is
/// too far shows it soon.
pub(super) struct RoughRows {
    width: usize,
    values: Vec<f32>,
    /// Rounding of the rows alone moves no distance by more than this.
    amount: f64,
    /// Rounding of the sum moves a distance by no more than this share of it.
    share: f64,
}

/// Rows that the variances of the columns are estimated from.
const SURVEYED: usize = 1024;

impl RoughRows {
    /// The first `n_rows` rows of a space; `None` unless it is Euclidean and its distances are
    /// differences of features.
    pub(super) fn new(space: &Space<'_>, n_rows: usize) -> Option<Self> {
        if !space.is_spread_out() || n_rows == 0 {
            return None;
        }
        let n_features = space.values(0).len();
        let width = n_features.next_multiple_of(PADDING);
        let mut means = vec![0.0; n_features];
        for row in 0..n_rows as u32 {
            for (mean, value) in means.iter_mut().zip(space.values(row)) {
                *mean += value / n_rows as f64;
            }
        }
        let mut variances = vec![0.0; n_features];
        for row in (0..n_rows as u32).step_by(n_rows.div_ceil(SURVEYED)) {
            let columns = variances.iter_mut().zip(space.values(row)).zip(&means);
            for ((variance, value), mean) in columns {
                *variance += (value - mean) * (value - mean);
            }
        }
        let mut columns: Vec<usize> = (0..n_features).collect();
        columns.sort_by(|&f, &g| f64::total_cmp(&variances[g], &variances[f]));
        let mut values = vec![0.0f32; n_rows * width];
        let mut largest = 0.0f64;
        for (row, out) in (0u32..).zip(values.chunks_exact_mut(width.max(1))) {
            let mut sq_norm = 0.0;
            let row = space.values(row);
            for (slot, &f) in out.iter_mut().zip(&columns) {
                let difference = row[f] - means[f];
                *slot = difference as f32;
                sq_norm += difference * difference;
            }
            largest = largest.max(sq_norm);
        }
        let unit = f64::from(f32::EPSILON);
        let radius = largest.sqrt();
        // Squares of what is larger or smaller do not fit.
        (radius < 1e15 && width > 0).then_some(Self {
            width,
            values,
            amount: 2.0 * unit * radius + 1e-18,
            share: unit * (width as f64 + 8.0),
        })
    }

    /// Distances from one row to others; of those beyond `limit` only that they are.
    pub(super) fn distances(&self, from: u32, rows: &[u32], limit: f64, out: &mut Vec<f32>) {
        let start = from as usize * self.width;
        let query = &self.values[start..start + self.width];
        out.clear();
        out.resize(rows.len(), 0.0);
        // Beyond the limit whatever the rounding.
        let limit = limit + 2.0 * self.error(limit);
        gather_near(&self.values, rows, query, (limit * limit) as f32, out);
        for value in out {
            *value = value.sqrt();
        }
    }

    /// How far a distance may be from the true one.
    pub(super) fn error(&self, distance: f64) -> f64 {
        self.amount + self.share * distance
    }
}
