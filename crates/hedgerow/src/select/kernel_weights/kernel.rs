//! Kernels of weighted features in one form.
//!
//! $k(x, x') = \varphi\big(\sum_l z_l^2\, c_l(x, x')\big)$ with
//!
//! | kernel | $c_l$ | $\varphi(s)$ |
//! |---|---|---|
//! | Gaussian | $-(x_l - x'_l)^2$ | $e^s$ |
//! | polynomial | $x_l x'_l$ | $(s + b)^p$ |
//! | linear | $x_l x'_l$ | $s$ |

use crate::Result;
use crate::error::ensure_finite;
use crate::linalg::{dot, gaussian_tile, product_transposed};
use crate::parallel::{Grain, for_each_chunk};
use crate::{Error, data};
use serde::{Deserialize, Serialize};

/// Rows that one task handles.
pub(super) const BLOCK_ROWS: usize = 128;

/// The kernel whose features are weighted.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub enum WeightedKernel {
    /// $e^{-\sum_l z_l^2 (x_l - x'_l)^2}$. The default.
    #[default]
    Gaussian,
    /// $(\sum_l z_l^2 x_l x'_l + b)^p$.
    Polynomial {
        /// $p$, 1 or more.
        degree: u32,
        /// $b \ge 0$.
        offset: f64,
    },
    /// $\sum_l z_l^2 x_l x'_l$.
    Linear,
}

impl WeightedKernel {
    pub(super) fn check(&self) -> Result<()> {
        if let Self::Polynomial { degree, offset } = *self {
            ensure_finite("offset", offset)?;
            crate::error::ensure_not_negative("offset", offset)?;
            if !(1..=20).contains(&degree) {
                return Err(Error::Parameter {
                    name: "degree",
                    value: f64::from(degree),
                    requirement: "from 1 to 20",
                });
            }
        }
        Ok(())
    }

    pub(super) fn is_gaussian(&self) -> bool {
        matches!(self, Self::Gaussian)
    }

    /// $\varphi$ of what is held of a pair of rows: the value of the Gaussian kernel, $s$ of others.
    #[inline]
    pub(super) fn value(&self, held: f64) -> f64 {
        match *self {
            Self::Gaussian | Self::Linear => held,
            Self::Polynomial { degree, offset } => (held + offset).powi(degree as i32),
        }
    }

    /// $\varphi'$.
    #[inline]
    pub(super) fn slope(&self, held: f64) -> f64 {
        match *self {
            Self::Gaussian => held,
            Self::Linear => 1.0,
            Self::Polynomial { degree, offset } => {
                f64::from(degree) * (held + offset).powi(degree as i32 - 1)
            }
        }
    }

    /// $\varphi''$.
    #[inline]
    pub(super) fn bend(&self, held: f64) -> f64 {
        match *self {
            Self::Gaussian => held,
            Self::Linear => 0.0,
            Self::Polynomial { degree, .. } if degree < 2 => 0.0,
            Self::Polynomial { degree, offset } => {
                f64::from(degree * (degree - 1)) * (held + offset).powi(degree as i32 - 2)
            }
        }
    }

    /// Writes what is held of some rows with others; both weighted, with `width` features. `norms`
    /// are the squared norms of the others.
    pub(super) fn hold(
        &self,
        rows: &[f64],
        others: &[f64],
        norms: &[f64],
        width: usize,
        out: &mut [f64],
    ) {
        product_transposed(rows, others, width, out);
        if self.is_gaussian() {
            for (i, tile) in out.chunks_exact_mut(norms.len()).enumerate() {
                let row = &rows[i * width..(i + 1) * width];
                gaussian_tile(tile, dot(row, row), norms);
            }
        }
    }

    /// The kernel matrix of weighted rows with weighted rows, all of it.
    pub(super) fn matrix(&self, rows: &[f64], others: &[f64], width: usize) -> Vec<f64> {
        let norms = squared_norms(others, width);
        let m = norms.len();
        let n = rows.len() / width.max(1);
        let mut out = vec![0.0; n * m];
        if m == 0 {
            return out;
        }
        for_each_chunk(&mut out, BLOCK_ROWS * m, Grain::COARSE, &|block, out| {
            let first = block * BLOCK_ROWS;
            let count = out.len() / m;
            let rows = &rows[first * width..(first + count) * width];
            self.hold(rows, others, &norms, width, out);
            if matches!(self, Self::Polynomial { .. }) {
                for value in out {
                    *value = self.value(*value);
                }
            }
        });
        out
    }
}

/// Squared norms of rows.
pub(super) fn squared_norms(rows: &[f64], width: usize) -> Vec<f64> {
    let rows = rows.chunks_exact(width.max(1));
    rows.map(|row| dot(row, row)).collect()
}

/// Dense rows, standardised: mean 0 and variance 1 in every column, zeros where it is constant.
#[derive(Debug, Clone)]
pub(super) struct Points {
    pub(super) n: usize,
    pub(super) d: usize,
    pub(super) values: Vec<f64>,
}

impl Points {
    /// The rows of samples, shifted and divided.
    pub(super) fn new(samples: data::SamplesView<'_>, means: &[f64], deviations: &[f64]) -> Self {
        let (n, d) = (samples.n_rows(), samples.n_features());
        let mut values = vec![0.0; n * d];
        for (i, row) in values.chunks_exact_mut(d.max(1)).enumerate() {
            samples.row(i).write_dense(row);
            for (value, (mean, deviation)) in row.iter_mut().zip(means.iter().zip(deviations)) {
                *value = if *deviation > 0.0 {
                    (*value - mean) / deviation
                } else {
                    0.0
                };
            }
        }
        Self { n, d, values }
    }

    pub(super) fn row(&self, i: usize) -> &[f64] {
        &self.values[i * self.d..(i + 1) * self.d]
    }

    /// Some rows.
    pub(super) fn select(&self, rows: &[usize]) -> Self {
        let mut values = Vec::with_capacity(rows.len() * self.d);
        for &i in rows {
            values.extend_from_slice(self.row(i));
        }
        Self {
            n: rows.len(),
            d: self.d,
            values,
        }
    }

    /// Some features of all rows.
    pub(super) fn columns(&self, features: &[u32]) -> Self {
        Self {
            n: self.n,
            d: features.len(),
            values: self.gather(0..self.n, features, None),
        }
    }

    /// Some features of some rows, each times its factor.
    pub(super) fn gather(
        &self,
        rows: impl Iterator<Item = usize>,
        features: &[u32],
        factors: Option<&[f64]>,
    ) -> Vec<f64> {
        let mut out = Vec::new();
        for i in rows {
            let row = self.row(i);
            match factors {
                None => out.extend(features.iter().map(|&f| row[f as usize])),
                Some(factors) => {
                    let terms = features.iter().zip(factors);
                    out.extend(terms.map(|(&f, factor)| row[f as usize] * factor));
                }
            }
        }
        out
    }
}
