//! One kernel value at a time, straight from the formulas.
//!
//! It is the reference that the blocked engine is tested against, and good enough for small jobs.
//! Features at or beyond `n_features` are ignored; features that a row does not store are 0.

use super::distance::{clamp, unclamped};
use super::{Kernel, Radial};
use crate::data::Row;
use crate::{Error, Result};

impl Kernel {
    /// $K(x, x')$ of two rows, dense or sparse in any mixture.
    ///
    /// # Errors
    /// [`Error::KernelUse`] for a precomputed kernel, whose rows are no feature vectors.
    pub fn value(&self, x: Row<'_>, y: Row<'_>, n_features: usize) -> Result<f64> {
        ensure_features(self)?;
        Ok(evaluate(self, x, y, n_features))
    }

    /// $K(x, x)$.
    pub fn self_value(&self, x: Row<'_>, n_features: usize) -> Result<f64> {
        self.value(x, x, n_features)
    }
}

pub(super) fn ensure_features(kernel: &Kernel) -> Result<()> {
    if kernel.is_precomputed() {
        return Err(Error::KernelUse {
            kernel: kernel.to_string(),
            problem: "a precomputed kernel has no value for two feature vectors",
        });
    }
    Ok(())
}

/// $K(x, x')$. For a precomputed kernel `x` and `y` are rows of the matrix, and the value is NaN
/// when `y` does not carry the number of a column of `x`.
pub(super) fn evaluate(kernel: &Kernel, x: Row<'_>, y: Row<'_>, n: usize) -> f64 {
    match kernel {
        Kernel::Linear => dot(x, y, n),
        Kernel::Polynomial {
            gamma,
            coef0,
            degree,
        } => (gamma * dot(x, y, n) + coef0).powi(*degree as i32),
        Kernel::Sigmoid { gamma, coef0 } => (gamma * dot(x, y, n) + coef0).tanh(),
        Kernel::Radial(radial) => radial.value(euclidean_sq_dist(x, y, n), n),
        Kernel::Angle(radial) => of_angle(*radial, dot(x, x, n), dot(y, y, n), dot(x, y, n), n),
        Kernel::HistogramIntersection { alpha } => {
            let mut sum = 0.0;
            merge(x, y, n, |u, v| sum += u.abs().min(v.abs()).powf(*alpha));
            sum
        }
        Kernel::Spline => {
            let mut product = 1.0;
            merge(x, y, n, |u, v| product *= spline_factor(u, v));
            product
        }
        Kernel::Precomputed => precomputed_entry(x, y),
        Kernel::Sum(kernels) => kernels.iter().map(|part| evaluate(part, x, y, n)).sum(),
        Kernel::Product(kernels) => kernels.iter().map(|part| evaluate(part, x, y, n)).product(),
        Kernel::Scaled { factor, kernel } => factor * evaluate(kernel, x, y, n),
        Kernel::Series {
            coefficients,
            kernel,
        } => {
            let base = evaluate(kernel, x, y, n);
            let horner = |sum, &coefficient| sum * base + coefficient;
            coefficients.iter().rev().fold(0.0, horner)
        }
        Kernel::Exp(kernel) => evaluate(kernel, x, y, n).exp(),
        Kernel::Conformal { rate, kernel } => {
            let damping = (-rate * (dot(x, x, n) + dot(y, y, n))).exp();
            damping * evaluate(kernel, x, y, n)
        }
        Kernel::Weighted { weights, kernel } => {
            let (x, y) = (weighted_row(x, weights), weighted_row(y, weights));
            evaluate(kernel, x.as_row(), y.as_row(), n)
        }
        Kernel::Local {
            operator,
            sigma,
            eta,
            kernel,
        } => {
            let squared = clamp(unclamped(kernel, x, y, n));
            operator.value(squared, evaluate(kernel, x, y, n), *sigma, *eta)
        }
        Kernel::RadialOf { radial, kernel } => radial.value(clamp(unclamped(kernel, x, y, n)), n),
        Kernel::AngleOf { radial, kernel } => {
            let value = |a, b| evaluate(kernel, a, b, n);
            of_angle(*radial, value(x, x), value(y, y), value(x, y), n)
        }
    }
}

/// `radial` at the angle $\arccos(k_{xy}/\sqrt{k_{xx}k_{yy}})$; a vector without length has angle 0
/// to all others.
fn of_angle(radial: Radial, k_xx: f64, k_yy: f64, k_xy: f64, n_features: usize) -> f64 {
    let theta = spectral_angle(k_xx, k_yy, k_xy);
    radial.value(theta * theta, n_features)
}

/// The angle between two vectors, from their inner products, in `[0, pi]`: the cosine is clamped,
/// and a vector without length has angle 0 to all others.
pub fn spectral_angle(xx: f64, yy: f64, xy: f64) -> f64 {
    if xx <= 0.0 || yy <= 0.0 {
        return 0.0;
    }
    // The root of the product is exact for equal rows; two roots survive where it over- or
    // underflows.
    let product = xx * yy;
    let lengths = if product.is_normal() {
        product.sqrt()
    } else {
        xx.sqrt() * yy.sqrt()
    };
    (xy / lengths).clamp(-1.0, 1.0).acos()
}

fn spline_factor(u: f64, v: f64) -> f64 {
    let m = u.min(v);
    1.0 + u * v + u * v * m - 0.5 * (u + v) * m * m + m * m * m / 3.0
}

/// LIBSVM's convention: column 0 of `y` is its 1-based number, and that column of `x` the value.
fn precomputed_entry(x: Row<'_>, y: Row<'_>) -> f64 {
    let number = column(y, 0).unwrap_or(f64::NAN);
    if number >= 1.0 && number.fract() == 0.0 && number < f64::from(u32::MAX) {
        column(x, number as usize).unwrap_or(f64::NAN)
    } else {
        f64::NAN
    }
}

/// Value of feature `f`; `None` beyond the end of a dense row.
fn column(row: Row<'_>, f: usize) -> Option<f64> {
    match row {
        Row::Dense(values) => values.get(f).copied(),
        Row::Sparse { indices, values } => match indices.binary_search(&(f as u32)) {
            Ok(at) => Some(values[at]),
            Err(_) => Some(0.0),
        },
    }
}

/// $\langle x, x'\rangle$.
pub(super) fn dot(x: Row<'_>, y: Row<'_>, n_features: usize) -> f64 {
    let mut sum = 0.0;
    merge(x, y, n_features, |u, v| sum += u * v);
    sum
}

/// $\|x - x'\|^2$ by differences.
pub(super) fn euclidean_sq_dist(x: Row<'_>, y: Row<'_>, n_features: usize) -> f64 {
    let mut sum = 0.0;
    merge(x, y, n_features, |u, v| sum += (u - v) * (u - v));
    sum
}

/// Calls `visit` with both values of every feature below `n_features` that either row stores.
fn merge(x: Row<'_>, y: Row<'_>, n_features: usize, mut visit: impl FnMut(f64, f64)) {
    if let (Row::Dense(x), Row::Dense(y)) = (x, y) {
        let (x, y) = (&x[..x.len().min(n_features)], &y[..y.len().min(n_features)]);
        let shared = x.len().min(y.len());
        x.iter().zip(y).for_each(|(&u, &v)| visit(u, v));
        x[shared..].iter().for_each(|&u| visit(u, 0.0));
        y[shared..].iter().for_each(|&v| visit(0.0, v));
        return;
    }
    let (mut i, mut j) = (0, 0);
    loop {
        let (left, right) = (entry(x, i), entry(y, j));
        let f = match (left, right) {
            (None, None) => return,
            (Some((f, _)), None) | (None, Some((f, _))) => f,
            (Some((f, _)), Some((g, _))) => f.min(g),
        };
        if f >= n_features {
            return;
        }
        let take = |side: Option<(usize, f64)>, at: &mut usize| match side {
            Some((feature, value)) if feature == f => {
                *at += 1;
                value
            }
            _ => 0.0,
        };
        visit(take(left, &mut i), take(right, &mut j));
    }
}

/// Entry `at` of a row with its feature.
fn entry(row: Row<'_>, at: usize) -> Option<(usize, f64)> {
    match row {
        Row::Dense(values) => values.get(at).map(|&value| (at, value)),
        Row::Sparse { indices, values } => indices
            .get(at)
            .map(|&feature| (feature as usize, values[at])),
    }
}

/// An owned sparse row.
pub(super) struct OwnedRow {
    indices: Vec<u32>,
    values: Vec<f64>,
}

impl OwnedRow {
    pub(super) fn as_row(&self) -> Row<'_> {
        Row::Sparse {
            indices: &self.indices,
            values: &self.values,
        }
    }
}

/// The row with feature `f` multiplied by `weights[f]`; features without a weight are dropped.
pub(super) fn weighted_row(row: Row<'_>, weights: &[f64]) -> OwnedRow {
    let mut out = OwnedRow {
        indices: Vec::new(),
        values: Vec::new(),
    };
    row.for_each(|f, value| {
        if let Some(weight) = weights.get(f) {
            out.indices.push(f as u32);
            out.values.push(weight * value);
        }
    });
    out
}
