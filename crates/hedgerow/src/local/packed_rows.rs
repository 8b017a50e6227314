//! A single-precision copy of the rows that local machines refer to.

use crate::data::{Row, SamplesView};
use crate::linalg::GATHER_LANES;

/// Stored values per entry of sparse samples up to which a dense copy is worth its memory.
const MAX_SPREAD: usize = 16;

/// Rows relative to the column means, dense and padded.
///
/// Local machines of neighbouring queries share most of their support vectors, so one copy of the
/// rows serves all of them; a machine names its support vectors by row.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PackedRows {
    /// Values of a row, with padding.
    width: usize,
    means: Vec<f64>,
    values: Vec<f32>,
    /// Largest distance of a row from the means.
    radius: f64,
}

impl PackedRows {
    /// A copy, unless the samples are too sparse for a dense one.
    pub(super) fn new(samples: SamplesView<'_>) -> Option<Self> {
        let (n_rows, n_features) = (samples.n_rows(), samples.n_features());
        let width = n_features.next_multiple_of(GATHER_LANES);
        let size = n_rows.checked_mul(width)?;
        if n_features == 0 || size > samples.n_entries().saturating_mul(MAX_SPREAD) {
            return None;
        }
        let mut means = vec![0.0; n_features];
        for i in 0..n_rows {
            samples
                .row(i)
                .for_each(|f, value| means[f] += value / n_rows as f64);
        }
        let mut packed = Self {
            width,
            means,
            values: Vec::with_capacity(size),
            radius: 0.0,
        };
        for i in 0..n_rows {
            packed.push(samples.row(i));
        }
        Some(packed)
    }

    /// Adds a row.
    pub(super) fn push(&mut self, row: Row<'_>) {
        let start = self.values.len();
        self.values.resize(start + self.width, 0.0);
        let sq_norm = relative_to(&self.means, row, &mut self.values[start..]);
        self.radius = self.radius.max(sq_norm.sqrt());
    }

    /// Writes a row as a query; its features beyond the stored ones are not looked at.
    pub(super) fn query(&self, row: Row<'_>, out: &mut Vec<f32>) {
        out.clear();
        out.resize(self.width, 0.0);
        relative_to(&self.means, row, out);
    }

    /// All values, row after row.
    pub(super) fn values(&self) -> &[f32] {
        &self.values
    }

    /// Error that a Gaussian of width `gamma` suffers from the rounding of the rows:
    /// $|\partial e^{-\gamma d^2}/\partial d|$ is at most $\sqrt{2\gamma/e}$.
    pub(super) fn gaussian_error(&self, gamma: f64) -> f64 {
        let unit = f64::from(f32::EPSILON) / 2.0;
        unit * (1.0 + (2.0 * gamma / std::f64::consts::E).sqrt() * self.radius)
    }
}

/// Writes `row - means` in single precision and returns its squared norm.
fn relative_to(means: &[f64], row: Row<'_>, out: &mut [f32]) -> f64 {
    let mut sq_norm = 0.0;
    match row {
        Row::Dense(values) => {
            for (f, (slot, mean)) in out.iter_mut().zip(means).enumerate() {
                let value = values.get(f).copied().unwrap_or(0.0) - mean;
                sq_norm += value * value;
                *slot = value as f32;
            }
        }
        Row::Sparse { indices, values } => {
            for (slot, mean) in out.iter_mut().zip(means) {
                *slot = -mean as f32;
            }
            for (&f, &value) in indices.iter().zip(values) {
                if let Some(mean) = means.get(f as usize) {
                    out[f as usize] = (value - mean) as f32;
                }
            }
            sq_norm = out.iter().map(|&value| f64::from(value).powi(2)).sum();
        }
    }
    sq_norm
}
