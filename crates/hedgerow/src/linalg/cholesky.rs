//! Cholesky factor of a symmetric positive definite matrix.

use super::dot;

/// The lower triangle $L$ of $A = L L^\top$, in the storage of $A$ (row-major, of the given order;
/// only the lower triangle is read and written). `None` if a pivot is not positive to working
/// precision, relative to the diagonal it came from.
pub(crate) fn cholesky(order: usize, mut matrix: Vec<f64>) -> Option<Vec<f64>> {
    // Smallest share of a diagonal entry that may be left of it.
    const LEAST_PIVOT: f64 = 1e-14;
    for i in 0..order {
        let (above, rest) = matrix.split_at_mut(i * order);
        let row = &mut rest[..=i];
        for j in 0..i {
            let other = &above[j * order..=j * order + j];
            row[j] = (row[j] - dot(&row[..j], &other[..j])) / other[j];
        }
        let left = row[i] - dot(&row[..i], &row[..i]);
        if left.is_nan() || left <= LEAST_PIVOT * row[i] {
            return None;
        }
        row[i] = left.sqrt();
    }
    Some(matrix)
}

/// Solves $L L^\top x = b$ in place.
pub(crate) fn cholesky_solve(order: usize, factor: &[f64], vector: &mut [f64]) {
    for i in 0..order {
        let row = &factor[i * order..=i * order + i];
        vector[i] = (vector[i] - dot(&row[..i], &vector[..i])) / row[i];
    }
    for i in (0..order).rev() {
        let row = &factor[i * order..=i * order + i];
        vector[i] /= row[i];
        let value = vector[i];
        for (left, &l) in vector[..i].iter_mut().zip(row) {
            *left -= l * value;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_system_is_solved() {
        let matrix = vec![4.0, 0.0, 0.0, 2.0, 5.0, 0.0, 1.0, 3.0, 6.0];
        let factor = cholesky(3, matrix).expect("positive definite");
        let mut x = vec![4.0 + 2.0 * 2.0 + 3.0, 2.0 + 10.0 + 9.0, 1.0 + 6.0 + 18.0];
        cholesky_solve(3, &factor, &mut x);
        for (value, expected) in x.iter().zip([1.0, 2.0, 3.0]) {
            assert!((value - expected).abs() < 1e-12, "{x:?}");
        }
    }

    #[test]
    fn a_singular_matrix_has_no_factor() {
        assert!(cholesky(2, vec![1.0, 1.0, 1.0, 1.0]).is_none());
        assert!(cholesky(1, vec![0.0]).is_none());
        assert!(cholesky(1, vec![f64::NAN]).is_none());
    }
}
