//! Distances with a bound on their error, for decisions that seldom need more.

use super::Space;
use super::coded::CodedRows;
use crate::linalg::{LINE, gather_near};

/// Rows for rough distances.
pub(super) enum RoughRows {
    Single(SingleRows),
    Coded(CodedRows),
}

impl RoughRows {
    /// The first `n_rows` rows of a space; `None` unless it is Euclidean and its distances are
    /// differences of features. Most distances that matter are not much smaller than `radius`.
    pub(super) fn new(space: &Space<'_>, n_rows: usize, radius: f64) -> Option<Self> {
        if !space.is_spread_out() || n_rows == 0 {
            return None;
        }
        let coded = CodedRows::new(space, n_rows, radius).map(Self::Coded);
        coded.or_else(|| SingleRows::new(space, n_rows).map(Self::Single))
    }

    /// Distances from one row to others; of those beyond `limit` only that they are.
    pub(super) fn distances(&self, from: u32, rows: &[u32], limit: f64, out: &mut Vec<f32>) {
        // Beyond the limit whatever the rounding.
        let limit = limit + 2.0 * self.error(limit);
        match self {
            Self::Single(all) => all.distances(from, rows, limit, out),
            Self::Coded(all) => all.distances(from, rows, limit, out),
        }
    }

    /// How far a distance may be from the true one.
    pub(super) fn error(&self, distance: f64) -> f64 {
        let (amount, share) = match self {
            Self::Single(all) => (all.amount, all.share),
            Self::Coded(all) => (all.amount, all.share),
        };
        amount + share * distance
    }
}

/// Rows relative to their means, in single precision, padded, columns that vary most first: a row
/// that is too far shows it soon.
pub(super) struct SingleRows {
    /// The first values of every row.
    heads: Vec<[f32; LINE]>,
    /// The others, the same number of lines for every row.
    tails: Vec<[f32; LINE]>,
    /// Rounding of the rows alone moves no distance by more than this.
    amount: f64,
    /// Rounding of the sum moves a distance by no more than this share of it.
    share: f64,
}

/// Rows that the variances of the columns are estimated from.
const SURVEYED: usize = 1024;

impl SingleRows {
    /// `None` if there are no columns, or squares of distances do not fit.
    fn new(space: &Space<'_>, n_rows: usize) -> Option<Self> {
        let n_features = space.values(0).len();
        let lines = n_features.div_ceil(LINE);
        let mut means = vec![0.0; n_features];
        for row in 0..n_rows as u32 {
            for (mean, value) in means.iter_mut().zip(space.values(row)) {
                *mean += value;
            }
        }
        for mean in &mut means {
            *mean /= n_rows as f64;
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
        if lines == 0 {
            return None;
        }
        let mut heads = vec![[0.0f32; LINE]; n_rows];
        let mut tails = vec![[0.0f32; LINE]; n_rows * (lines - 1)];
        let mut largest = 0.0f64;
        for (row, head) in heads.iter_mut().enumerate() {
            let mut sq_norm = 0.0;
            let tail = &mut tails[row * (lines - 1)..][..lines - 1];
            let out = head.iter_mut().chain(tail.as_flattened_mut());
            let row = space.values(row as u32);
            for (slot, &f) in out.zip(&columns) {
                let difference = row[f] - means[f];
                *slot = difference as f32;
                sq_norm += difference * difference;
            }
            largest = largest.max(sq_norm);
        }
        let unit = f64::from(f32::EPSILON);
        let radius = largest.sqrt();
        // Squares of what is larger or smaller do not fit.
        (radius < 1e15).then_some(Self {
            heads,
            tails,
            amount: 2.0 * unit * radius + 1e-18,
            share: unit * (n_features as f64 + 8.0),
        })
    }

    fn distances(&self, from: u32, rows: &[u32], limit: f64, out: &mut Vec<f32>) {
        out.clear();
        out.resize(rows.len(), 0.0);
        let store = (self.heads.as_slice(), self.tails.as_slice());
        gather_near(store, from, rows, (limit * limit) as f32, out);
        for value in out {
            *value = value.sqrt();
        }
    }
}
