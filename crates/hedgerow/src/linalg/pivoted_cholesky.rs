//! Rows of a positive semidefinite matrix that stand for the others.
//!
//! Cholesky's factorisation that takes the row with the largest rest next. What it leaves on the
//! diagonal is the squared distance of each row from the span of those taken.

use super::dot;
use crate::Result;

/// Rest, relative to the largest entry of the diagonal, that counts as none.
const NEGLIGIBLE: f64 = 1e-12;

/// Up to `count` rows in the order in which they are taken; fewer if these span all.
pub(crate) fn pivots(
    diagonal: &[f64],
    count: usize,
    mut column: impl FnMut(usize) -> Result<Vec<f64>>,
) -> Result<Vec<usize>> {
    let n = diagonal.len();
    let mut rest = diagonal.to_vec();
    let most = rest.iter().copied().fold(0.0, f64::max);
    // Row i of the factor, as far as it is known.
    let mut factor: Vec<Vec<f64>> = vec![Vec::with_capacity(count.min(n)); n];
    let mut taken = Vec::new();
    while taken.len() < count.min(n) {
        let best = (0..n).fold(0, |best, i| if rest[i] > rest[best] { i } else { best });
        if rest[best].is_nan() || rest[best] <= NEGLIGIBLE * most {
            break;
        }
        let pivot = rest[best].sqrt();
        let values = column(best)?;
        let own = factor[best].clone();
        for i in 0..n {
            let entry = (values[i] - dot(&factor[i], &own)) / pivot;
            factor[i].push(entry);
            rest[i] = (rest[i] - entry * entry).max(0.0);
        }
        rest[best] = 0.0;
        taken.push(best);
    }
    Ok(taken)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_row_of_each_kind_is_taken() {
        // Three kinds of rows, orthogonal, of different sizes.
        let sizes = [1.0, 3.0, 2.0];
        let n = 9;
        let entry = |i: usize, j: usize| if i % 3 == j % 3 { sizes[i % 3] } else { 0.0 };
        let diagonal: Vec<f64> = (0..n).map(|i| entry(i, i)).collect();
        let column = |j: usize| Ok((0..n).map(|i| entry(i, j)).collect());
        assert_eq!(pivots(&diagonal, 5, column).expect("rows"), [1, 2, 0]);
        assert_eq!(pivots(&diagonal, 2, column).expect("rows"), [1, 2]);
        assert!(pivots(&[], 2, |_| Ok(Vec::new())).expect("rows").is_empty());
    }
}
