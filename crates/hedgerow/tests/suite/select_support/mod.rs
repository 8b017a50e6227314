//! Data for the tests of feature selection.
#![allow(dead_code)]

use hedgerow::data::{ClassLabels, CsrMatrix, Dataset, Generator, Samples, Target};
use hedgerow::select::GivenSimilarity;

/// The golden file of feature selection.
pub(crate) fn golden() -> serde_json::Value {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../tests/golden/selection.json"
    );
    let text = std::fs::read_to_string(path).expect("valid");
    serde_json::from_str(&text).expect("valid")
}

/// A JSON array of numbers.
pub(crate) fn numbers(value: &serde_json::Value) -> Vec<f64> {
    let entries = value.as_array().expect("valid");
    entries
        .iter()
        .map(|entry| entry.as_f64().expect("valid"))
        .collect()
}

/// Normal noise; feature 0 follows the class, every third the one before it. A share of the
/// values is 0.
pub(crate) fn random_data(
    rows: usize,
    width: usize,
    classes: u32,
    zeros: f64,
    seed: u64,
) -> Dataset {
    let mut random = Generator::new(seed);
    let mut labels = Vec::new();
    let mut values = Vec::new();
    for i in 0..rows {
        let class = (i as u32) % classes;
        labels.push(f64::from(class));
        let start = values.len();
        for f in 0..width {
            let mut value = random.normal();
            if f == 0 {
                value += f64::from(class);
            } else if f % 3 == 0 {
                value = 0.4 * value + values[start + f - 1];
            }
            values.push(if random.uniform() < zeros { 0.0 } else { value });
        }
    }
    let labels = ClassLabels::from_numbers(&labels);
    let samples = Samples::dense(rows, width, values).expect("valid");
    Dataset::new(samples, Target::Classes(labels)).expect("valid")
}

/// The same data as compressed sparse rows.
pub(crate) fn as_sparse(data: &Dataset) -> Dataset {
    let view = data.samples().view();
    let (mut starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for i in 0..view.n_rows() {
        view.row(i).for_each(|f, value| {
            if value != 0.0 {
                indices.push(f as u32);
                values.push(value);
            }
        });
        starts.push(indices.len());
    }
    let matrix = CsrMatrix::new(view.n_features(), starts, indices, values).expect("valid");
    data.with_samples(Samples::Sparse(matrix)).expect("valid")
}

/// $GG^\top + \rho I$.
pub(crate) fn hessian(factor: &[f64], rank: usize, ridge: f64) -> Vec<f64> {
    let n = factor.len() / rank;
    let mut matrix = vec![0.0; n * n];
    for i in 0..n {
        for j in 0..n {
            matrix[i * n + j] = (0..rank)
                .map(|k| factor[i * rank + k] * factor[j * rank + k])
                .sum::<f64>();
        }
        matrix[i * n + i] += ridge;
    }
    matrix
}

/// A similarity with a positive definite matrix and random relevance.
pub(crate) fn positive_similarity(n: usize, rank: usize, seed: u64) -> GivenSimilarity {
    let mut random = Generator::new(seed);
    let factor: Vec<f64> = (0..n * rank).map(|_| random.uniform()).collect();
    let relevance = (0..n).map(|_| random.uniform()).collect();
    GivenSimilarity::new(hessian(&factor, rank, 0.05), relevance).expect("valid")
}

/// The root of the sum of squares.
pub(crate) fn frobenius(matrix: &[f64]) -> f64 {
    matrix.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// Some rows of a square matrix.
pub(crate) fn sampled_rows(matrix: &[f64], n: usize, positions: &[usize]) -> Vec<f64> {
    positions
        .iter()
        .flat_map(|&i| matrix[i * n..(i + 1) * n].to_vec())
        .collect()
}
