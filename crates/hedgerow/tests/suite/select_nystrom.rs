//! A matrix rebuilt from some of its rows (Nyström).

use crate::select_support;

use hedgerow::data::Generator;
use hedgerow::select::qpfs::NystromFactor;
use hedgerow::select::{CorrelationParams, MutualInformationParams, Similarity};
use select_support::{frobenius, hessian, random_data, sampled_rows};

/// $A^{-1}V$ by elimination with pivots; `columns` right sides, row after row.
fn solve(matrix: &[f64], right: &[f64], n: usize, columns: usize) -> Vec<f64> {
    let (mut a, mut x) = (matrix.to_vec(), right.to_vec());
    for k in 0..n {
        let pivot = (k..n)
            .max_by(|&i, &j| a[i * n + k].abs().total_cmp(&a[j * n + k].abs()))
            .expect("valid");
        for c in 0..n {
            a.swap(k * n + c, pivot * n + c);
        }
        for c in 0..columns {
            x.swap(k * columns + c, pivot * columns + c);
        }
        for i in (0..n).filter(|&i| i != k) {
            let factor = a[i * n + k] / a[k * n + k];
            for c in k..n {
                a[i * n + c] -= factor * a[k * n + c];
            }
            for c in 0..columns {
                x[i * columns + c] -= factor * x[k * columns + c];
            }
        }
    }
    for k in 0..n {
        for c in 0..columns {
            x[k * columns + c] /= a[k * n + k];
        }
    }
    x
}

/// $[A\ B]^\top A^{-1}[A\ B]$ by the formula.
fn rebuilt(rows: &[f64], positions: &[usize], n: usize) -> Vec<f64> {
    let count = positions.len();
    let corner: Vec<f64> = (0..count * count)
        .map(|at| rows[at / count * n + positions[at % count]])
        .collect();
    let solved = solve(&corner, rows, count, n);
    let mut matrix = vec![0.0; n * n];
    for i in 0..n {
        for j in 0..n {
            matrix[i * n + j] = (0..count)
                .map(|k| rows[k * n + i] * solved[k * n + j])
                .sum();
        }
    }
    matrix
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    let difference: Vec<f64> = a.iter().zip(b).map(|(a, b)| a - b).collect();
    frobenius(&difference) / frobenius(b)
}

#[test]
fn sampled_rows_rebuild_a_matrix_of_their_rank() {
    let mut random = Generator::new(11);
    let (n, rank) = (40, 6);
    let factor: Vec<f64> = (0..n * rank).map(|_| random.normal()).collect();
    let matrix = hessian(&factor, rank, 0.0);
    let positions = random.sample(n, rank);
    let nystrom =
        NystromFactor::new(&sampled_rows(&matrix, n, &positions), &positions, n).expect("valid");
    assert!(distance(&nystrom.matrix(), &matrix) < 1e-8);
    let (values, vectors) = nystrom.orthonormal(1e-8).expect("valid");
    assert_eq!(values.len(), rank);
    for a in 0..rank {
        for b in 0..rank {
            let product: f64 = (0..n)
                .map(|i| vectors[i * rank + a] * vectors[i * rank + b])
                .sum();
            assert!((product - f64::from(u8::from(a == b))).abs() < 1e-8);
        }
    }
    let trace: f64 = values.iter().sum();
    let diagonal: f64 = (0..n).map(|i| matrix[i * n + i]).sum();
    assert!((trace - diagonal).abs() < 1e-8 * diagonal);
    assert!((nystrom.sum() - matrix.iter().sum::<f64>()).abs() < 1e-8 * frobenius(&matrix));
}

#[test]
fn the_error_falls_as_more_rows_are_sampled() {
    // Few rows, many features, as in gene expression: the matrix is indefinite.
    let data = random_data(60, 150, 4, 0.0, 21);
    for similarity in [
        Box::new(
            MutualInformationParams::default()
                .fit(&data)
                .expect("valid"),
        ) as Box<dyn Similarity>,
        Box::new(CorrelationParams::default().fit(&data).expect("valid")),
    ] {
        let matrix = similarity.matrix(u64::MAX).expect("valid");
        let mut last = f64::INFINITY;
        for count in [8, 30, 75, 140] {
            // Nested samples, so that one draw is compared with its own extension.
            let mut order: Vec<usize> = (0..150).collect();
            Generator::new(3).shuffle(&mut order);
            let mut positions = order[..count].to_vec();
            positions.sort_unstable();
            let rows = sampled_rows(&matrix, 150, &positions);
            let nystrom = NystromFactor::new(&rows, &positions, 150).expect("valid");
            let relative = distance(&nystrom.matrix(), &matrix);
            assert!(relative < last, "{count} rows: {relative} after {last}");
            last = relative;
        }
        assert!(last < 0.5);
    }
}

#[test]
fn the_factor_is_the_extension_by_its_formula() {
    let mut random = Generator::new(12);
    let n = 30;
    let factor: Vec<f64> = (0..n * n).map(|_| random.normal()).collect();
    let matrix = hessian(&factor, n, 0.5);
    for count in [1, 4, 15, 30] {
        let mut positions = random.sample(n, count);
        positions.sort_unstable();
        let rows = sampled_rows(&matrix, n, &positions);
        let nystrom = NystromFactor::new(&rows, &positions, n).expect("valid");
        let found = nystrom.matrix();
        let formula = rebuilt(&rows, &positions, n);
        // Not exact, but the same inexactness.
        assert!(distance(&found, &formula) < 1e-8);
        assert_eq!(distance(&found, &matrix) < 1e-8, count == n);
        // The sum of all entries without forming them.
        let sum: f64 = formula.iter().sum();
        assert!((nystrom.sum() - sum).abs() < 1e-8 * frobenius(&formula));
        // Orthonormal vectors and values have the same product.
        let (values, vectors) = nystrom.orthonormal(1e-10).expect("valid");
        let kept = values.len();
        assert_eq!(kept, count);
        for i in 0..n {
            for j in 0..n {
                let product: f64 = (0..kept)
                    .map(|k| values[k] * vectors[i * kept + k] * vectors[j * kept + k])
                    .sum();
                assert!((product - formula[i * n + j]).abs() < 1e-8 * frobenius(&formula));
            }
        }
    }
}

#[test]
fn indefinite_corners_do_not_blow_the_error_up() {
    let data = random_data(60, 150, 4, 0.0, 21);
    let correlation = CorrelationParams::default().fit(&data).expect("valid");
    let matrix = correlation.matrix(u64::MAX).expect("valid");
    let mut order: Vec<usize> = (0..150).collect();
    Generator::new(3).shuffle(&mut order);
    for count in [75, 110] {
        let mut positions = order[..count].to_vec();
        positions.sort_unstable();
        let rows = sampled_rows(&matrix, 150, &positions);
        let nystrom = NystromFactor::new(&rows, &positions, 150).expect("valid");
        let with_threshold = distance(&nystrom.matrix(), &matrix);
        let bare = distance(&rebuilt(&rows, &positions, 150), &matrix);
        assert!(
            with_threshold < 0.7 * bare,
            "{count} rows: {with_threshold}, without a threshold {bare}"
        );
    }
}
