//! The step that every Nyström approximation takes: whitening a small symmetric matrix.
//!
//! With the eigenpairs $A = U\Lambda U^\top$ that are large enough, $T = U\Lambda^{-1/2}$ has
//! $T^\top A T = I$, so that rows $b$ of a larger matrix become features $b^\top T$ whose inner
//! products approximate it.
//!
//! Eigenvalues count if they exceed $\max(10^{-10}\lambda_{\max}, -\lambda_{\min})$: where $A$
//! is indefinite, small positive ones are as wrong as the negative ones, and dividing by their
//! roots would blow the error up.

use super::symmetric_eigen;
use crate::{Error, Result};

/// Largest eigenvalue that is left out, relative to the largest of all.
const NEGLIGIBLE: f64 = 1e-10;

/// $T^\top$, a row for every eigenvalue that counts, in ascending order of these, and their number.
pub(crate) fn whiten(matrix: &[f64], order: usize) -> Result<(Vec<f64>, usize)> {
    let eigen = symmetric_eigen(matrix, order).ok_or(Error::NoEigenvalues)?;
    let largest = eigen.values.last().copied().unwrap_or(0.0);
    let smallest = eigen.values.first().copied().unwrap_or(0.0);
    let threshold = (NEGLIGIBLE * largest).max(-smallest).max(0.0);
    let first = eigen.values.partition_point(|&value| value <= threshold);
    let mut scaled = eigen.vectors[first * order..].to_vec();
    for (vector, value) in scaled
        .chunks_exact_mut(order.max(1))
        .zip(&eigen.values[first..])
    {
        let factor = 1.0 / value.sqrt();
        for entry in vector {
            *entry *= factor;
        }
    }
    Ok((scaled, order - first))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whitened_the_matrix_is_the_identity_on_what_counts() {
        // Eigenvalues 3, 1 and 0.
        let matrix = [2.0, 1.0, 0.0, 1.0, 2.0, 0.0, 0.0, 0.0, 0.0];
        let (rows, rank) = whiten(&matrix, 3).expect("eigenvalues");
        assert_eq!(rank, 2);
        let form = |a: &[f64], b: &[f64]| -> f64 {
            (0..3)
                .flat_map(|i| (0..3).map(move |j| (i, j)))
                .map(|(i, j)| a[i] * matrix[i * 3 + j] * b[j])
                .sum()
        };
        for i in 0..2 {
            for j in 0..2 {
                let value = form(&rows[i * 3..][..3], &rows[j * 3..][..3]);
                let wanted = f64::from(u8::from(i == j));
                assert!((value - wanted).abs() < 1e-12, "{i} {j} {value}");
            }
        }
    }
}
