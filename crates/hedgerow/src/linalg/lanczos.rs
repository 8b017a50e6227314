//! The largest eigenvalue of a symmetric matrix that is known by its products.

use super::{dot, symmetric_eigen};
use crate::data::Generator;
use crate::{Error, Result};

/// Relative change of the largest value at which the iteration ends.
const SETTLED: f64 = 1e-12;

/// By Lanczos' method from a random vector, all directions kept orthogonal; in at most `max_steps`
/// products it comes from below.
pub(crate) fn largest_eigenvalue(
    order: usize,
    max_steps: usize,
    seed: u64,
    mut product: impl FnMut(&[f64]) -> Result<Vec<f64>>,
) -> Result<f64> {
    let mut generator = Generator::new(seed);
    let mut direction: Vec<f64> = (0..order).map(|_| generator.normal()).collect();
    let mut basis: Vec<Vec<f64>> = Vec::new();
    let (mut diagonal, mut beside): (Vec<f64>, Vec<f64>) = (Vec::new(), Vec::new());
    let mut largest = 0.0;
    for _ in 0..max_steps.min(order) {
        let size = dot(&direction, &direction).sqrt();
        if size.is_nan()
            || size <= 0.0
            || diagonal
                .last()
                .is_some_and(|last| size <= 1e-14 * f64::abs(*last))
        {
            break;
        }
        if !basis.is_empty() {
            beside.push(size);
        }
        let unit: Vec<f64> = direction.iter().map(|x| x / size).collect();
        direction = product(&unit)?;
        diagonal.push(dot(&unit, &direction));
        basis.push(unit);
        // Twice is enough.
        for _ in 0..2 {
            for other in &basis {
                let shared = dot(other, &direction);
                for (x, y) in direction.iter_mut().zip(other) {
                    *x -= shared * y;
                }
            }
        }
        let n = diagonal.len();
        let mut small = vec![0.0; n * n];
        for i in 0..n {
            small[i * n + i] = diagonal[i];
            if i + 1 < n {
                small[i * n + i + 1] = beside[i];
                small[(i + 1) * n + i] = beside[i];
            }
        }
        let eigen = symmetric_eigen(&small, n).ok_or(Error::NoEigenvalues)?;
        let found = eigen.values.last().copied().unwrap_or(0.0);
        let change = found - largest;
        largest = found;
        if n > 2 && change.abs() <= SETTLED * found.abs() {
            break;
        }
    }
    Ok(largest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_eigenvalue_is_that_of_the_eigenproblem() {
        let n = 30;
        let mut generator = Generator::new(6);
        let a: Vec<f64> = (0..n * n).map(|_| generator.normal()).collect();
        let matrix: Vec<f64> = (0..n * n)
            .map(|at| a[at] + a[at % n * n + at / n])
            .collect();
        let expected = symmetric_eigen(&matrix, n).expect("eigenvalues").values[n - 1];
        let product = |x: &[f64]| Ok(matrix.chunks(n).map(|row| dot(row, x)).collect());
        let found = largest_eigenvalue(n, 30, 1, product).expect("eigenvalues");
        assert!(
            (found - expected).abs() < 1e-9 * expected,
            "{found} {expected}"
        );
        let zero = largest_eigenvalue(4, 10, 1, |x| Ok(vec![0.0; x.len()]));
        assert_eq!(zero, Ok(0.0));
    }
}
