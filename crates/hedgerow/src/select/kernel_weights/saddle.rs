//! Whether a point is a minimum or a saddle.
//!
//! Of the Hessian $H$ of $\Omega$ in $(\beta, b, z)$, of the weights only those that count, the least
//! eigenvalue says it: below a small share of the largest, the point is a saddle. Where
//! $H_{zz}$ is definite, the Schur complement $H_{11} - H_{1z} H_{zz}^{-1} H_{z1}$ with
//! $1 = (\beta, b)$ has a negative eigenvalue exactly if $H$ has.

use crate::linalg::{DefiniteFactor, symmetric_eigen};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// Share of the largest eigenvalue below 0 from which on a point is a saddle.
const NEGATIVE: f64 = 1e-6;

/// The least eigenvalue of the Hessian and what it means.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Saddle {
    /// Least eigenvalue of the Hessian in coefficients, bias and weights that count.
    pub least: f64,
    /// Least eigenvalue of the Schur complement of the weights, if their own Hessian is definite.
    pub schur: Option<f64>,
    /// No negative eigenvalue: a minimum to second order.
    pub is_minimum: bool,
}

impl Saddle {
    /// `M` for a minimum, `S` for a saddle.
    pub fn label(&self) -> char {
        if self.is_minimum { 'M' } else { 'S' }
    }
}

/// Of a Hessian whose first variables are coefficients and bias, the last `n_weights` weights.
pub(super) fn saddle(hessian: &[f64], n_first: usize, n_weights: usize) -> Result<Saddle> {
    let order = n_first + n_weights;
    let values = symmetric_eigen(hessian, order)
        .ok_or(Error::NoEigenvalues)?
        .values;
    let least = values.first().copied().unwrap_or(0.0);
    let most = values.iter().fold(0.0, |most: f64, v| most.max(v.abs()));
    let schur = schur(hessian, n_first, n_weights)
        .and_then(|matrix| symmetric_eigen(&matrix, n_first))
        .and_then(|eigen| eigen.values.first().copied());
    Ok(Saddle {
        least,
        schur,
        is_minimum: least >= -NEGATIVE * most,
    })
}

/// The Schur complement of the last variables; `None` if their block is not definite.
fn schur(hessian: &[f64], n_first: usize, n_last: usize) -> Option<Vec<f64>> {
    let order = n_first + n_last;
    let block = |rows: std::ops::Range<usize>, columns: std::ops::Range<usize>| -> Vec<f64> {
        rows.flat_map(|i| &hessian[i * order..][columns.clone()])
            .copied()
            .collect()
    };
    let mut out = block(0..n_first, 0..n_first);
    if n_last == 0 {
        return Some(out);
    }
    let factor = DefiniteFactor::new(n_last, block(n_first..order, n_first..order))?;
    let mut mixed = block(0..n_first, n_first..order);
    factor.solve_lower(&mut mixed);
    let products = crate::linalg::gram(&mixed, n_last);
    for (value, product) in out.iter_mut().zip(products) {
        *value -= product;
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// $(x_1 + x_2 - 2)^2 - 3(x_1 + x_2 - 2)(x_3 - 1) + (x_3 - 1)^2$ at $(1, 1, 1)$: each of the
    /// blocks $\{x_1, x_2\}$ and $\{x_3\}$ is at its best, and the point is a saddle.
    #[test]
    fn a_blockwise_optimum_that_is_a_saddle_is_told() {
        let hessian = [2.0, 2.0, -3.0, 2.0, 2.0, -3.0, -3.0, -3.0, 2.0];
        let found = saddle(&hessian, 2, 1).unwrap();
        assert!((found.least - (3.0 - 19f64.sqrt())).abs() < 1e-12);
        assert_eq!(found.label(), 'S');
        // 2 - 9/2 in all four entries.
        assert!((found.schur.unwrap() + 5.0).abs() < 1e-12);
        let shared = symmetric_eigen(&[2.0, 6.0, 6.0, 8.0], 2).unwrap().values;
        assert!((shared[0] - (5.0 - 45f64.sqrt())).abs() < 1e-12);
        assert!((shared[1] - (5.0 + 45f64.sqrt())).abs() < 1e-12);
    }

    #[test]
    fn a_minimum_is_one() {
        let found = saddle(&[2.0, 0.5, 0.5, 1.0], 1, 1).unwrap();
        assert_eq!(found.label(), 'M');
        assert!((found.schur.unwrap() - 1.75).abs() < 1e-12);
        assert!(saddle(&[1.0], 1, 0).unwrap().is_minimum);
    }
}
