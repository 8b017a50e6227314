//! The kernel rectangle: products against loops, budgets and threads.

use hedgerow::data::{CsrMatrix, Generator, Samples};
use hedgerow::kernel::{Gram, Kernel, Rectangle};

fn samples(n_rows: usize, n_features: usize, seed: u64) -> Samples {
    let mut generator = Generator::new(seed);
    let values = (0..n_rows * n_features)
        .map(|_| generator.normal())
        .collect();
    Samples::dense(n_rows, n_features, values).expect("finite")
}

fn vectors(count: usize, length: usize) -> Vec<Vec<f64>> {
    let mut generator = Generator::new(77);
    (0..count)
        .map(|_| (0..length).map(|_| generator.normal()).collect())
        .collect()
}

fn slices(vectors: &[Vec<f64>]) -> Vec<&[f64]> {
    vectors.iter().map(Vec::as_slice).collect()
}

fn on_threads<R: Send>(threads: usize, work: impl FnOnce() -> R + Send) -> R {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
    pool.build().expect("threads").install(work)
}

#[test]
fn products_are_those_of_the_kernel_matrix() {
    let samples = samples(700, 4, 1);
    let basis: Vec<u32> = (0..700).step_by(37).collect();
    for kernel in [
        Kernel::rbf(0.3),
        Kernel::Linear,
        Kernel::polynomial(0.5, 1.0, 2),
    ] {
        let rectangle =
            Rectangle::new(&kernel, samples.view(), basis.clone(), usize::MAX).expect("rows");
        assert_eq!(
            (rectangle.n_rows(), rectangle.n_columns()),
            (700, basis.len())
        );
        let gram = Gram::in_double(&kernel, samples.view(), basis.clone()).expect("rows");
        let values = gram.values(samples.view()).expect("finite");
        for count in [1, 3, 8, 17] {
            let (v, h) = (vectors(count, basis.len()), vectors(count, 700));
            let products = rectangle.times(&slices(&v));
            let transposed = rectangle.transposed_times(&slices(&h));
            for k in 0..count {
                for (i, row) in values.chunks(basis.len()).enumerate() {
                    let expected: f64 = row.iter().zip(&v[k]).map(|(a, b)| a * b).sum();
                    let size: f64 = row.iter().zip(&v[k]).map(|(a, b)| (a * b).abs()).sum();
                    assert!((products[k][i] - expected).abs() <= 1e-7 * (1.0 + size));
                }
                for c in 0..basis.len() {
                    let terms = || (0..700).map(|i| values[i * basis.len() + c] * h[k][i]);
                    let size: f64 = terms().map(f64::abs).sum();
                    let expected: f64 = terms().sum();
                    assert!((transposed[k][c] - expected).abs() <= 1e-7 * (1.0 + size));
                }
            }
        }
        assert!(rectangle.times(&[]).is_empty());
    }
}

#[track_caller]
fn assert_budget_and_threads_change_no_bit(n_rows: usize, value_bytes: usize) {
    let samples = samples(n_rows, 6, 2);
    let basis: Vec<u32> = (0..n_rows as u32).step_by(n_rows / 80).collect();
    let kernel = Kernel::rbf(0.1);
    let (v, h) = (vectors(5, basis.len()), vectors(5, n_rows));
    let answer = |budget: usize, threads: usize| {
        on_threads(threads, || {
            let rectangle =
                Rectangle::new(&kernel, samples.view(), basis.clone(), budget).expect("rows");
            let products = (
                rectangle.times(&slices(&v)),
                rectangle.transposed_times(&slices(&h)),
            );
            (rectangle.held_rows(), products)
        })
    };
    let (all, expected) = answer(usize::MAX, 1);
    assert_eq!(all, n_rows);
    let some = basis.len() * value_bytes * 1100;
    for (budget, held) in [(0, 0), (some, 1024), (usize::MAX, n_rows)] {
        for threads in [1, 2, 8] {
            let (rows, products) = answer(budget, threads);
            assert_eq!(rows, held);
            assert_eq!(products, expected, "{budget} bytes, {threads} threads");
        }
    }
}

#[test]
fn neither_budget_nor_threads_change_a_bit() {
    // Double precision, then single.
    assert_budget_and_threads_change_no_bit(5000, 8);
    assert_budget_and_threads_change_no_bit(20_000, 4);
}

#[test]
fn sparse_rows_give_what_dense_ones_give() {
    let dense = samples(300, 5, 3);
    let view = dense.view();
    let (mut starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for i in 0..300 {
        view.row(i).for_each(|f, value| {
            indices.push(f as u32);
            values.push(value);
        });
        starts.push(indices.len());
    }
    let sparse = Samples::Sparse(CsrMatrix::new(5, starts, indices, values).expect("sound"));
    let basis: Vec<u32> = (0..300).step_by(11).collect();
    let v = vectors(2, basis.len());
    let products = [&dense, &sparse].map(|samples| {
        Rectangle::new(&Kernel::rbf(0.2), samples.view(), basis.clone(), usize::MAX)
            .expect("rows")
            .times(&slices(&v))
    });
    for (a, b) in products[0]
        .iter()
        .flatten()
        .zip(products[1].iter().flatten())
    {
        assert!((a - b).abs() < 1e-5, "{a} {b}");
    }
}
