//! The distance that a kernel induces:
//! $d_K^2(x,x') = K(x,x) + K(x',x') - 2K(x,x')$, clamped at 0.
//!
//! The clamp matters twice: round-off can leave a tiny negative number for near-duplicates, and a
//! kernel that is not positive definite (the sigmoid) can leave any.

use super::scalar::{self, weighted_row};
use super::{Kernel, Radial};
use crate::Result;
use crate::data::Row;

/// $d_K^2$ from the two self-values and the value of the pair, not below 0.
pub fn sq_dist(k_xx: f64, k_yy: f64, k_xy: f64) -> f64 {
    clamp(k_xx + k_yy - 2.0 * k_xy)
}

impl Kernel {
    /// Squared kernel distance of two rows, not below 0.
    ///
    /// Where the formula would cancel (linear, Gaussian and what is built from them) the distance
    /// is computed from differences, so near-duplicates keep their distance.
    pub fn sq_dist(&self, x: Row<'_>, y: Row<'_>, n_features: usize) -> Result<f64> {
        scalar::ensure_features(self)?;
        Ok(clamp(unclamped(self, x, y, n_features)))
    }
}

/// A negative number becomes 0; NaN stays.
pub(super) fn clamp(squared: f64) -> f64 {
    if squared < 0.0 { 0.0 } else { squared }
}

/// $K(x,x) + K(x',x') - 2K(x,x')$ with its sign.
pub(super) fn unclamped(kernel: &Kernel, x: Row<'_>, y: Row<'_>, n_features: usize) -> f64 {
    match kernel {
        Kernel::Linear => scalar::euclidean_sq_dist(x, y, n_features),
        Kernel::Radial(radial) => radial_sq_dist(
            *radial,
            scalar::euclidean_sq_dist(x, y, n_features),
            n_features,
        ),
        Kernel::Sum(kernels) => kernels
            .iter()
            .map(|part| unclamped(part, x, y, n_features))
            .sum(),
        Kernel::Scaled { factor, kernel } => factor * unclamped(kernel, x, y, n_features),
        Kernel::Weighted { weights, kernel } => {
            let (x, y) = (weighted_row(x, weights), weighted_row(y, weights));
            unclamped(kernel, x.as_row(), y.as_row(), n_features)
        }
        Kernel::Local {
            operator,
            sigma,
            eta,
            kernel,
        } => {
            let inner = unclamped(kernel, x, y, n_features);
            let k_xy = scalar::evaluate(kernel, x, y, n_features);
            operator.sq_dist(inner, k_xy, *sigma, *eta)
        }
        Kernel::RadialOf { radial, kernel } => {
            let inner = clamp(unclamped(kernel, x, y, n_features));
            radial_sq_dist(*radial, inner, n_features)
        }
        _ => {
            scalar::evaluate(kernel, x, x, n_features) + scalar::evaluate(kernel, y, y, n_features)
                - 2.0 * scalar::evaluate(kernel, x, y, n_features)
        }
    }
}

/// $2(f(0) - f(r^2))$.
fn radial_sq_dist(radial: Radial, squared: f64, n_features: usize) -> f64 {
    match radial {
        Radial::Gaussian { gamma } => -2.0 * (-gamma * squared).exp_m1(),
        _ => 2.0 * (radial.value(0.0, n_features) - radial.value(squared, n_features)),
    }
}
