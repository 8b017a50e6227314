//! The Cholesky factor of a matrix that may be singular.

use super::cholesky;

/// Ridge that a singular matrix gets first, and the factor by which it grows.
const FIRST_RIDGE: f64 = 1e-10;
const RIDGE_GROWTH: f64 = 100.0;
/// A matrix that is not definite even with this ridge is none that a ridge could mend.
const LAST_RIDGE: f64 = 1e6;

/// The factor of a symmetric matrix plus a ridge, and the ridge, relative to the mean of the
/// diagonal: `ridge`, or the least of $10^{-10}, 10^{-8}, \dots$ above it with which the matrix is
/// positive definite. Only the lower triangle is read. `None` for a matrix that no ridge mends.
pub(crate) fn ridge_cholesky(order: usize, matrix: &[f64], ridge: f64) -> Option<(Vec<f64>, f64)> {
    let mean: f64 = (0..order).map(|f| matrix[f * order + f]).sum::<f64>() / order.max(1) as f64;
    // Of a matrix of zeros any multiple of the identity is as good as another.
    let unit = if mean > 0.0 { mean } else { 1.0 };
    let mut share = ridge;
    loop {
        let mut raised = matrix.to_vec();
        for f in 0..order {
            raised[f * order + f] += share * unit;
        }
        if let Some(factor) = cholesky(order, raised) {
            return Some((factor, share));
        }
        if share > LAST_RIDGE {
            return None;
        }
        share = (share * RIDGE_GROWTH).max(FIRST_RIDGE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_definite_matrix_keeps_the_ridge_it_was_given() {
        let (factor, ridge) = ridge_cholesky(2, &[4.0, 0.0, 0.0, 9.0], 0.0).expect("definite");
        assert_eq!((factor[0], factor[3], ridge), (2.0, 3.0, 0.0));
    }

    #[test]
    fn a_singular_matrix_gets_the_least_ridge_that_helps() {
        let (_, ridge) = ridge_cholesky(2, &[1.0, 1.0, 1.0, 1.0], 0.0).expect("mended");
        assert_eq!(ridge, FIRST_RIDGE);
        assert!(ridge_cholesky(1, &[f64::NAN], 0.0).is_none());
    }
}
