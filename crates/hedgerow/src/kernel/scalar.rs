//! One kernel value at a time, straight from the formulas.
//!
//! It is the reference that the blocked engine is tested against, and good enough for small jobs.
//! Features at or beyond `n_features` are ignored; features that a row does not store are 0.

use super::city_block::city_block_dist;
use super::distance::clamp;
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
        Ok(evaluate(self, x, y, n_features).xy)
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

/// $K(x, x)$; for a precomputed kernel the row's own entry of the matrix, or NaN.
pub(super) fn self_value(kernel: &Kernel, x: Row<'_>, n_features: usize) -> f64 {
    evaluate(kernel, x, x, n_features).xx
}

/// All that an operator may ask of its input kernel for one pair. Passing them up together keeps
/// the work linear in the size of the expression.
#[derive(Debug, Clone, Copy)]
pub(super) struct PairValues {
    /// $K(x,x)$.
    xx: f64,
    /// $K(x',x')$.
    yy: f64,
    /// $K(x,x')$.
    xy: f64,
    /// $K(x,x) + K(x',x') - 2K(x,x')$ with its sign, without cancellation where that is possible.
    pub(super) squared: f64,
}

impl PairValues {
    fn new(xx: f64, yy: f64, xy: f64) -> Self {
        Self {
            xx,
            yy,
            xy,
            squared: xx + yy - 2.0 * xy,
        }
    }

    /// The values of `of(x, x')` for the three pairs.
    fn of_pairs<'a>(x: Row<'a>, y: Row<'a>, of: impl Fn(Row<'a>, Row<'a>) -> f64) -> Self {
        Self::new(of(x, x), of(y, y), of(x, y))
    }

    /// Another function of the kernel's value.
    fn map(self, of: impl Fn(f64) -> f64) -> Self {
        Self::new(of(self.xx), of(self.yy), of(self.xy))
    }

    /// A function of a squared distance.
    fn radial(radial: Radial, squared: f64, n_features: usize) -> Self {
        let at_zero = radial.value(0.0, n_features);
        let xy = radial.value(squared, n_features);
        Self {
            xx: at_zero,
            yy: at_zero,
            xy,
            squared: match radial {
                Radial::Gaussian { gamma } => -2.0 * (-gamma * clamp(squared)).exp_m1(),
                _ => 2.0 * (at_zero - xy),
            },
        }
    }

    /// A function of the angle in the feature space.
    fn angle(self, radial: Radial, n_features: usize) -> Self {
        let theta = spectral_angle(self.xx, self.yy, self.xy);
        Self::radial(radial, theta * theta, n_features)
    }
}

/// The kernel for one pair. For a precomputed kernel `x` and `y` are rows of the matrix, and a
/// value is NaN when the second row does not carry the number of a column of the first.
#[allow(clippy::too_many_lines, reason = "one arm a kernel")]
pub(super) fn evaluate(kernel: &Kernel, x: Row<'_>, y: Row<'_>, n: usize) -> PairValues {
    match kernel {
        Kernel::Linear => PairValues {
            squared: euclidean_sq_dist(x, y, n),
            ..inner_products(x, y, n)
        },
        Kernel::Polynomial {
            gamma,
            coef0,
            degree,
        } => inner_products(x, y, n).map(|dot| (gamma * dot + coef0).powi(*degree as i32)),
        Kernel::Sigmoid { gamma, coef0 } => {
            inner_products(x, y, n).map(|dot| (gamma * dot + coef0).tanh())
        }
        Kernel::Radial(radial) => PairValues::radial(*radial, euclidean_sq_dist(x, y, n), n),
        Kernel::CityBlock { gamma } => {
            let exponent = -gamma * city_block_dist(x, y, n);
            PairValues {
                xx: 1.0,
                yy: 1.0,
                xy: exponent.exp(),
                squared: -2.0 * exponent.exp_m1(),
            }
        }
        Kernel::Angle(radial) => inner_products(x, y, n).angle(*radial, n),
        Kernel::HistogramIntersection { alpha } => PairValues::of_pairs(x, y, |x, y| {
            let mut sum = 0.0;
            merge(x, y, n, |u, v| sum += u.abs().min(v.abs()).powf(*alpha));
            sum
        }),
        Kernel::Spline => PairValues::of_pairs(x, y, |x, y| {
            let mut product = 1.0;
            merge(x, y, n, |u, v| product *= spline_factor(u, v));
            product
        }),
        Kernel::Precomputed => PairValues::of_pairs(x, y, precomputed_entry),
        Kernel::Sum(kernels) => {
            let mut sum = PairValues::new(0.0, 0.0, 0.0);
            for part in kernels {
                let part = evaluate(part, x, y, n);
                sum = PairValues {
                    xx: sum.xx + part.xx,
                    yy: sum.yy + part.yy,
                    xy: sum.xy + part.xy,
                    squared: sum.squared + part.squared,
                };
            }
            sum
        }
        Kernel::Product(kernels) => {
            let mut product = PairValues::new(1.0, 1.0, 1.0);
            for part in kernels {
                let part = evaluate(part, x, y, n);
                product = PairValues::new(
                    product.xx * part.xx,
                    product.yy * part.yy,
                    product.xy * part.xy,
                );
            }
            product
        }
        Kernel::Scaled { factor, kernel } => {
            let inner = evaluate(kernel, x, y, n);
            PairValues {
                squared: factor * inner.squared,
                ..inner.map(|value| factor * value)
            }
        }
        Kernel::Series {
            coefficients,
            kernel,
        } => evaluate(kernel, x, y, n).map(|value| {
            let horner = |sum, &coefficient| sum * value + coefficient;
            coefficients.iter().rev().fold(0.0, horner)
        }),
        Kernel::Exp(kernel) => evaluate(kernel, x, y, n).map(f64::exp),
        Kernel::Conformal { rate, kernel } => {
            let (norms, inner) = (inner_products(x, y, n), evaluate(kernel, x, y, n));
            let damping = |norms: f64| (-rate * norms).exp();
            PairValues::new(
                damping(2.0 * norms.xx) * inner.xx,
                damping(2.0 * norms.yy) * inner.yy,
                damping(norms.xx + norms.yy) * inner.xy,
            )
        }
        Kernel::Weighted { weights, kernel } => {
            // The kernel sees as many features as there are weights.
            let (x, y) = (weighted_row(x, weights), weighted_row(y, weights));
            evaluate(kernel, x.as_row(), y.as_row(), weights.len())
        }
        Kernel::Local {
            operator,
            sigma,
            eta,
            kernel,
        } => {
            let inner = evaluate(kernel, x, y, n);
            let value = |squared, k_xy| operator.value(squared, k_xy, *sigma, *eta);
            PairValues {
                xx: value(0.0, inner.xx),
                yy: value(0.0, inner.yy),
                xy: value(inner.squared, inner.xy),
                squared: operator.sq_dist(inner.squared, inner.xy, *sigma, *eta),
            }
        }
        Kernel::RadialOf { radial, kernel } => {
            PairValues::radial(*radial, evaluate(kernel, x, y, n).squared, n)
        }
        Kernel::AngleOf { radial, kernel } => evaluate(kernel, x, y, n).angle(*radial, n),
    }
}

fn inner_products(x: Row<'_>, y: Row<'_>, n_features: usize) -> PairValues {
    PairValues::of_pairs(x, y, |x, y| dot(x, y, n_features))
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

pub(super) fn spline_factor(u: f64, v: f64) -> f64 {
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
pub(super) fn column(row: Row<'_>, f: usize) -> Option<f64> {
    match row {
        Row::Dense(values) => values.get(f).copied(),
        Row::Sparse { indices, values } => match indices.binary_search(&(f as u32)) {
            Ok(at) => Some(values[at]),
            Err(_) => Some(0.0),
        },
    }
}

/// $\langle x, x'\rangle$.
fn dot(x: Row<'_>, y: Row<'_>, n_features: usize) -> f64 {
    let mut sum = 0.0;
    merge(x, y, n_features, |u, v| sum += u * v);
    sum
}

/// $\|x - x'\|^2$ by differences.
pub(crate) fn euclidean_sq_dist(x: Row<'_>, y: Row<'_>, n_features: usize) -> f64 {
    let mut sum = 0.0;
    merge(x, y, n_features, |u, v| sum += (u - v) * (u - v));
    sum
}

/// Calls `visit` with both values of every feature below `n_features` that either row stores.
pub(super) fn merge(x: Row<'_>, y: Row<'_>, n_features: usize, mut visit: impl FnMut(f64, f64)) {
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
struct OwnedRow {
    indices: Vec<u32>,
    values: Vec<f64>,
}

impl OwnedRow {
    fn as_row(&self) -> Row<'_> {
        Row::Sparse {
            indices: &self.indices,
            values: &self.values,
        }
    }
}

/// The row with feature `f` multiplied by `weights[f]`; features without a weight are dropped.
fn weighted_row(row: Row<'_>, weights: &[f64]) -> OwnedRow {
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
