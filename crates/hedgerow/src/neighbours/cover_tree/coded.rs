//! Wide rows in one byte a column.
//!
//! With $s$ the largest range of a column over 255, a value $v$ of column $f$ is coded as the nearest
//! integer to $(v - \min_f) / s$. Where no range is larger than 1, columns of zeros and ones, of which
//! wide data mostly consist, lose nothing so; what a row loses is summed up, and bounds the error of
//! distances. A distance reads a quarter of the memory that it would in single precision.

use super::Space;
use crate::linalg::{CODES, gather_codes};

/// Fewest and most columns.
const COLUMNS: std::ops::Range<usize> = 128..1 << 15;
/// Largest error, relative to the distances that matter.
const MAX_ERROR: f64 = 0.02;
/// Largest distance.
const MAX_DISTANCE: f64 = 1e30;

/// Coded rows.
pub(super) struct CodedRows {
    codes: Vec<[u8; CODES]>,
    /// Lines of a row.
    lines: usize,
    step: f64,
    /// Coding moves no distance by more than this.
    pub(super) amount: f64,
    /// Rounding of the result moves a distance by no more than this share of it.
    pub(super) share: f64,
}

impl CodedRows {
    /// The first `n_rows` rows of a space; `None` if too much would be lost for distances of about
    /// `radius`, or there are too few columns for a gain.
    pub(super) fn new(space: &Space<'_>, n_rows: usize, radius: f64) -> Option<Self> {
        let n_features = space.values(0).len();
        if !COLUMNS.contains(&n_features) {
            return None;
        }
        let mut least = space.values(0).to_vec();
        let mut most = least.clone();
        for row in 1..n_rows as u32 {
            let bounds = least.iter_mut().zip(&mut most);
            for ((least, most), &value) in bounds.zip(space.values(row)) {
                *least = least.min(value);
                *most = most.max(value);
            }
        }
        let ranges = least.iter().zip(&most).map(|(least, most)| most - least);
        let step = ranges.fold(0.0, f64::max) / 255.0;
        let widest = 255.0 * step * (n_features as f64).sqrt();
        // Distances must fit into single precision.
        let fits = step > 0.0 && widest < MAX_DISTANCE;
        if !fits || radius.is_nan() {
            return None;
        }
        let lines = n_features.div_ceil(CODES);
        let mut codes = vec![[0u8; CODES]; n_rows * lines];
        let mut largest_loss = 0.0f64;
        for (row, codes) in (0..).zip(codes.chunks_exact_mut(lines)) {
            let values = space.values(row).iter().zip(&least);
            let mut loss = 0.0;
            for (code, (value, least)) in codes.as_flattened_mut().iter_mut().zip(values) {
                let above = value - least;
                let steps = (above / step).round();
                *code = steps as u8;
                loss += (above - steps * step).powi(2);
            }
            largest_loss = largest_loss.max(loss);
            // Most data that lose too much show it in the first row.
            if error_of(largest_loss) > MAX_ERROR * radius {
                return None;
            }
        }
        Some(Self {
            codes,
            lines,
            step,
            // What is rounded of the differences themselves is lost unseen.
            amount: error_of(largest_loss) + 4.0 * f64::EPSILON * widest,
            share: 4.0 * f64::from(f32::EPSILON),
        })
    }

    /// Distances from one row to others; of those beyond `limit` only that they are.
    pub(super) fn distances(&self, from: u32, rows: &[u32], limit: f64, out: &mut Vec<f32>) {
        out.clear();
        out.resize(rows.len(), 0.0);
        let in_steps = limit / self.step;
        // Larger numbers end at the largest.
        let limit = (in_steps * in_steps).ceil() as u32;
        gather_codes((&self.codes, self.lines), from, rows, limit, out);
        for value in out {
            *value = (f64::from(*value).sqrt() * self.step) as f32;
        }
    }
}

/// How much distances are off if no row has lost more than the root of this.
fn error_of(largest_loss: f64) -> f64 {
    // Each of two rows; and the squares of what is tiny vanish.
    2.0 * largest_loss.sqrt() * (1.0 + 1e-6) + 1e-18
}
