//! The distance that a kernel induces:
//! $d_K^2(x,x') = K(x,x) + K(x',x') - 2K(x,x')$, clamped at 0.
//!
//! The clamp matters twice: round-off can leave a tiny negative number for near-duplicates, and a
//! kernel that is not positive definite (the sigmoid) can leave any.

use super::Kernel;
use super::scalar::{ensure_features, evaluate};
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
        ensure_features(self)?;
        Ok(clamp(evaluate(self, x, y, n_features).squared))
    }
}

/// A negative number becomes 0; NaN stays.
pub(super) fn clamp(squared: f64) -> f64 {
    if squared < 0.0 { 0.0 } else { squared }
}
