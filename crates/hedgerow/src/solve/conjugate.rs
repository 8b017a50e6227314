//! Preconditioned conjugate gradients.

use crate::linalg::dot;

/// When conjugate gradients stop.
pub(super) struct ConjugateLimits {
    /// Share of the residual that may be left.
    pub(super) tolerance: f64,
    /// Largest number of products with the matrix.
    pub(super) max_products: usize,
}

/// About $s = -H^{-1}g$ for a positive definite $H$ that `curve` multiplies with, and the number of
/// products that it took. `diagonal` is the preconditioner $M$, near to the diagonal of $H$.
pub(super) fn conjugate_gradients(
    gradient: &[f64],
    diagonal: &[f64],
    limits: &ConjugateLimits,
    mut curve: impl FnMut(&[f64]) -> Vec<f64>,
) -> (Vec<f64>, usize) {
    let n = gradient.len();
    let mut step = vec![0.0; n];
    let mut residual: Vec<f64> = gradient.iter().map(|g| -g).collect();
    let mut scaled: Vec<f64> = residual.iter().zip(diagonal).map(|(r, d)| r / d).collect();
    let mut search = scaled.clone();
    let mut product = dot(&scaled, &residual);
    let goal = limits.tolerance * limits.tolerance * product;
    let mut products = 0;
    while products < limits.max_products && product > goal {
        products += 1;
        let curved = curve(&search);
        let along = dot(&search, &curved);
        if along <= 0.0 || !along.is_finite() {
            break;
        }
        let length = product / along;
        for t in 0..n {
            step[t] += length * search[t];
            residual[t] -= length * curved[t];
            scaled[t] = residual[t] / diagonal[t];
        }
        let next = dot(&scaled, &residual);
        let share = next / product;
        product = next;
        for t in 0..n {
            search[t] = scaled[t] + share * search[t];
        }
    }
    (step, products)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_system_is_solved_in_as_many_products_as_it_has_unknowns() {
        let matrix = [[4.0, 1.0, 0.0], [1.0, 3.0, 0.5], [0.0, 0.5, 2.0]];
        let curve = |x: &[f64]| -> Vec<f64> { matrix.iter().map(|row| dot(row, x)).collect() };
        let limits = ConjugateLimits {
            tolerance: 1e-12,
            max_products: 3,
        };
        let gradient = [1.0, -2.0, 0.5];
        let (step, products) = conjugate_gradients(&gradient, &[4.0, 3.0, 2.0], &limits, curve);
        assert!(products <= 3);
        for (value, g) in curve(&step).iter().zip(gradient) {
            assert!((value + g).abs() < 1e-10, "{value} {g}");
        }
    }
}
