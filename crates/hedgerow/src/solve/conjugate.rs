//! Preconditioned conjugate gradients.

use crate::linalg::dot;

/// When conjugate gradients stop.
pub(super) struct ConjugateLimits {
    /// Share of the residual that may be left.
    pub(super) tolerance: f64,
    /// Largest number of products with the matrix.
    pub(super) max_products: usize,
}

/// Conjugate gradients for $H s = -g$ between two products with $H$.
#[derive(Debug, Clone)]
pub(super) struct Conjugate {
    /// $s$.
    pub(super) step: Vec<f64>,
    /// $-g - H s$.
    pub(super) residual: Vec<f64>,
    /// The direction whose product is needed next.
    pub(super) search: Vec<f64>,
    /// Products so far.
    pub(super) products: usize,
    scaled: Vec<f64>,
    product: f64,
    goal: f64,
}

impl Conjugate {
    /// Begins at $s = 0$. `diagonal` is the preconditioner $M$, near to the diagonal of $H$.
    pub(super) fn new(gradient: &[f64], diagonal: &[f64], tolerance: f64) -> Self {
        let residual: Vec<f64> = gradient.iter().map(|g| -g).collect();
        let scaled: Vec<f64> = residual.iter().zip(diagonal).map(|(r, d)| r / d).collect();
        let product = dot(&scaled, &residual);
        Self {
            step: vec![0.0; gradient.len()],
            search: scaled.clone(),
            products: 0,
            goal: tolerance * tolerance * product,
            residual,
            scaled,
            product,
        }
    }

    /// Whether the residual is small enough.
    pub(super) fn is_done(&self) -> bool {
        self.product.is_nan() || self.product <= self.goal
    }

    /// Goes on with the product of `search`; false, and nothing is changed, if there is no positive
    /// curvature along it.
    pub(super) fn take(&mut self, curved: &[f64], diagonal: &[f64]) -> bool {
        self.products += 1;
        let along = dot(&self.search, curved);
        if along <= 0.0 || !along.is_finite() {
            return false;
        }
        let length = self.product / along;
        for t in 0..curved.len() {
            self.step[t] += length * self.search[t];
            self.residual[t] -= length * curved[t];
            self.scaled[t] = self.residual[t] / diagonal[t];
        }
        let next = dot(&self.scaled, &self.residual);
        let share = next / self.product;
        self.product = next;
        for t in 0..curved.len() {
            self.search[t] = self.scaled[t] + share * self.search[t];
        }
        true
    }
}

/// About $s = -H^{-1}g$ for a positive definite $H$ that `curve` multiplies with, and the number of
/// products that it took.
pub(super) fn conjugate_gradients(
    gradient: &[f64],
    diagonal: &[f64],
    limits: &ConjugateLimits,
    mut curve: impl FnMut(&[f64]) -> Vec<f64>,
) -> (Vec<f64>, usize) {
    let mut conjugate = Conjugate::new(gradient, diagonal, limits.tolerance);
    while conjugate.products < limits.max_products && !conjugate.is_done() {
        let curved = curve(&conjugate.search);
        if !conjugate.take(&curved, diagonal) {
            break;
        }
    }
    (conjugate.step, conjugate.products)
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
