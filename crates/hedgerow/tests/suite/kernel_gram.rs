//! The blocked engine against the kernel evaluated one pair at a time.

#![allow(clippy::unwrap_used)] // A failed helper fails the test.

use hedgerow::data::{CsrMatrix, Generator, Samples};
use hedgerow::kernel::{Gram, Kernel};
use hedgerow::machines::CachedGram;
use hedgerow::solve::smo::SymmetricMatrix;

/// Every kernel of the catalogue, plain and composed.
const KERNELS: &[&str] = &[
    "linear",
    "rbf(gamma=0.7)",
    "poly(gamma=0.5, coef0=1, degree=3)",
    "hpoly(degree=2)",
    "ipoly(degree=5)",
    "sigmoid(gamma=0.1, coef0=0.2)",
    "cityblock(gamma=0.7)",
    "laplacian(lambda=1.5)",
    "exponential(sigma=2)",
    "rational(theta=1)",
    "power(beta=1.5)",
    "uniform(h=1.7)",
    "triangular(h=2)",
    "multiquadric(c=1)",
    "inverse-multiquadric(c=1)",
    "thin-plate",
    "kmod(gamma=1, sigma=2)",
    "wave(theta=1)",
    "student(nu=2, sigma=1)",
    "sam(gamma=1)",
    "angle(wave(theta=1))",
    "histogram(alpha=1)",
    "spline",
    "sum(linear, rbf(gamma=1))",
    "product(ipoly(degree=2), rbf(gamma=0.2))",
    "scale(2, linear)",
    "mix(0.3, linear, rbf(gamma=1))",
    "series(1, 0, 2; linear)",
    "exp(scale(0.1, linear))",
    "conformal(linear, rate=0.05)",
    "weighted(1, 0.5, 2, 0; rbf(gamma=1))",
    "weighted(1, 0.5, 2, 0; laplacian(lambda=1))",
    "weighted(1, -0.5, 2, 0; cityblock(gamma=1))",
    "product(linear, cityblock(gamma=0.2))",
    "series(1, 0, 2; cityblock(gamma=0.5))",
    "s(cityblock(gamma=0.3), sigma=2, eta=0.5)",
    "e(linear, sigma=2)",
    "p(rbf(gamma=0.3), sigma=2)",
    "s(linear, sigma=2, eta=0.5)",
    "ps(ipoly(degree=2), sigma=9, eta=0.5)",
    "ps(s(linear, sigma=2, eta=1), sigma=3, eta=2)",
    "radial-of(rational(theta=1), ipoly(degree=2))",
    "angle-of(rbf(gamma=1), ipoly(degree=2))",
];

const FEATURES: usize = 7;

fn dense(n_rows: usize, seed: u64) -> Samples {
    let mut generator = Generator::new(seed);
    let values = (0..n_rows * FEATURES)
        .map(|_| generator.range(0.0, 1.5))
        .collect();
    Samples::dense(n_rows, FEATURES, values).unwrap()
}

fn sparse(n_rows: usize, seed: u64) -> Samples {
    let mut generator = Generator::new(seed);
    let (mut starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for i in 0..n_rows {
        // Empty rows among them.
        for f in generator.sample(FEATURES, i % 4) {
            indices.push(f as u32);
            values.push(generator.range(0.1, 1.5));
        }
        starts.push(indices.len());
    }
    Samples::Sparse(CsrMatrix::new(FEATURES, starts, indices, values).unwrap())
}

fn assert_block(kernel: &Kernel, bound: &Samples, queries: &Samples, tolerance: f64) {
    let rows = (0..bound.n_rows() as u32).collect();
    let gram = Gram::new(kernel, bound.view(), rows).unwrap();
    let values = gram.values(queries.view()).unwrap();
    for q in 0..queries.n_rows() {
        for t in 0..bound.n_rows() {
            let (x, y) = (queries.view().row(q), bound.view().row(t));
            let expected = kernel.value(x, y, FEATURES).unwrap();
            let found = values[q * bound.n_rows() + t];
            assert!(
                (found - expected).abs() <= tolerance * expected.abs().max(1.0),
                "{kernel}: query {q}, row {t}: {found} for {expected}"
            );
        }
    }
}

#[test]
fn blocks_agree_with_single_values_for_every_kernel_and_storage() {
    for text in KERNELS {
        let kernel = Kernel::parse(text).unwrap();
        // 37 rows and 23 queries leave incomplete panels and tiles.
        for (bound, queries) in [
            (dense(37, 1), dense(23, 2)),
            (sparse(37, 3), sparse(23, 4)),
            (dense(37, 5), sparse(23, 6)),
            (sparse(37, 7), dense(23, 8)),
        ] {
            // A jump at r = h may fall to either side by rounding: none does for these seeds.
            assert_block(&kernel, &bound, &queries, 3e-6);
        }
    }
}

#[test]
fn columns_far_from_the_origin_lose_nothing() {
    let mut generator = Generator::new(11);
    let near: Vec<f64> = (0..60 * FEATURES)
        .map(|_| generator.range(-1.0, 1.0))
        .collect();
    // Powers of two apart, so that the shift itself is exact.
    let far: Vec<f64> = near
        .iter()
        .map(|x| ((x * 1_048_576.0).round()) / 1_048_576.0 + 1_048_576.0)
        .collect();
    let back: Vec<f64> = far.iter().map(|x| x - 1_048_576.0).collect();
    let far = Samples::dense(60, FEATURES, far).unwrap();
    let back = Samples::dense(60, FEATURES, back).unwrap();
    for text in [
        "rbf(gamma=1)",
        "rbf(gamma=500)",
        "cityblock(gamma=1)",
        "cityblock(gamma=40)",
        "cityblock(gamma=500)",
        "exponential(sigma=0.5)",
        "rational(theta=1)",
    ] {
        let kernel = Kernel::parse(text).unwrap();
        let rows: Vec<u32> = (0..60).collect();
        let a = Gram::new(&kernel, far.view(), rows.clone())
            .unwrap()
            .values(far.view())
            .unwrap();
        let b = Gram::new(&kernel, back.view(), rows)
            .unwrap()
            .values(back.view())
            .unwrap();
        for (x, y) in a.iter().zip(&b) {
            assert!((x - y).abs() < 1e-6, "{text}: {x} {y}");
        }
    }
}

#[test]
fn clusters_far_apart_keep_their_inner_distances() {
    // Single precision would see every row of a cluster at one point.
    let mut generator = Generator::new(12);
    let values: Vec<f64> = (0..40 * 2)
        .map(|k| if k / 2 % 2 == 0 { 1e7 } else { -1e7 } + generator.range(-1.0, 1.0))
        .collect();
    let samples = Samples::dense(40, 2, values).unwrap();
    for kernel in [Kernel::rbf(1.0), Kernel::city_block(1.0)] {
        let gram = Gram::new(&kernel, samples.view(), (0..40).collect()).unwrap();
        let found = gram.values(samples.view()).unwrap();
        for i in 0..40 {
            for j in 0..40 {
                let expected = kernel
                    .value(samples.view().row(i), samples.view().row(j), 2)
                    .unwrap();
                let error = (found[i * 40 + j] - expected).abs();
                assert!(error < 1e-8, "{kernel}: {i} {j}");
            }
        }
    }
}

#[test]
fn a_precomputed_matrix_is_read_by_serial_number() {
    let n = 5;
    let mut values = Vec::new();
    for i in 0..n {
        values.push(f64::from(i) + 1.0);
        values.extend((0..n).map(|j| f64::from(10 * i.min(j) + i.max(j))));
    }
    let samples = Samples::dense(n as usize, n as usize + 1, values).unwrap();
    let gram = Gram::new(&Kernel::Precomputed, samples.view(), vec![4, 0, 2]).unwrap();
    let found = gram.values(samples.view()).unwrap();
    assert_eq!(found[..3], [4.0, 0.0, 2.0]);
    assert_eq!(found[12..], [44.0, 4.0, 24.0]);
    assert_eq!(gram.diagonal().unwrap(), [44.0, 0.0, 22.0]);
}

#[test]
fn the_cache_gives_the_same_rows_whatever_its_size_and_order() {
    let samples = dense(600, 21);
    let kernel = Kernel::rbf(0.4);
    let bind = || Gram::new(&kernel, samples.view(), (0..600).collect()).unwrap();
    let mut whole = vec![0.0f32; 600 * 600];
    let all: Vec<usize> = (0..600).collect();
    let large = CachedGram::new(bind(), 1 << 30).unwrap();
    large.submatrix_into(&all, &mut whole);
    let mut cached = CachedGram::new(bind(), 600 * 4 * 40).unwrap();
    let mut ids: Vec<usize> = (0..600).collect();
    let mut active = 600;
    let mut generator = Generator::new(5);
    for round in 0..400 {
        match round % 100 {
            60 | 80 => {
                // Leave out a third of the active positions, in order.
                let gone: Vec<bool> = (0..active).map(|_| generator.below(3) == 0).collect();
                let mut order: Vec<u32> =
                    (0..active as u32).filter(|&p| !gone[p as usize]).collect();
                let left = order.len();
                order.extend((0..active as u32).filter(|&p| gone[p as usize]));
                order.extend(active as u32..600);
                ids = order.iter().map(|&p| ids[p as usize]).collect();
                active = left;
                cached.permute(&order, active);
            }
            99 => active = 600,
            _ => {}
        }
        let wanted = generator.sample(active, 1 + generator.clone().below(12));
        cached.load_rows(&wanted, active);
        let row = cached.row(wanted[0], active);
        for t in 0..active {
            let expected = whole[ids[wanted[0]] * 600 + ids[t]];
            // The diagonal of a sub-matrix is exact, that of a row rounded.
            assert!((row[t] - expected).abs() < 1e-6, "round {round}, entry {t}");
        }
    }
}

#[test]
fn enormous_values_neither_overflow_nor_vanish() {
    for scale in [1e150, 1e200, 1e308] {
        let values = [1.0, -1.0, 0.1, 0.0, -1.0, 1.0, -0.1, 0.0].map(|x| x * scale);
        let samples = Samples::dense(4, 2, values.to_vec()).unwrap();
        let gram = Gram::new(&Kernel::rbf(1.0), samples.view(), vec![0, 1, 2, 3]).unwrap();
        let mut identity = vec![0.0; 16];
        (0..4).for_each(|i| identity[i * 5] = 1.0);
        assert_eq!(gram.values(samples.view()).unwrap(), identity, "{scale:e}");
    }
}

#[test]
fn the_number_of_features_costs_nothing_where_rows_are_sparse() {
    // Spread out, these three rows would take 48 GB.
    let width = 2_000_000_000;
    let indices = vec![0, 1_999_999_999, 0, 5, 1_999_999_999];
    let values = vec![1.0, 2.0, 1.5, 0.5, 1.0];
    let matrix = CsrMatrix::new(width, vec![0, 2, 4, 5], indices, values).unwrap();
    let samples = Samples::Sparse(matrix);
    for text in [
        "linear",
        "rbf(gamma=0.5)",
        "rbf(gamma=1e9)",
        "exponential(sigma=1)",
    ] {
        let kernel = Kernel::parse(text).unwrap();
        let gram = Gram::new(&kernel, samples.view(), vec![0, 1, 2]).unwrap();
        let found = gram.values(samples.view()).unwrap();
        for q in 0..3 {
            for t in 0..3 {
                let (x, y) = (samples.view().row(q), samples.view().row(t));
                let expected = kernel.value(x, y, width).unwrap();
                assert!(
                    (found[q * 3 + t] - expected).abs() < 1e-6,
                    "{text}: {q} {t}"
                );
            }
        }
    }
}

#[test]
fn the_unit_of_the_features_does_not_matter() {
    // In metres or in light years: with the width in the same unit, values stay what they are.
    let samples = dense(40, 32);
    let values = samples.view();
    for unit in [1e-100, 1e-27, 1e-18, 1e-9, 1.0, 1e9, 1e18, 1e30, 1e100] {
        let scaled: Vec<f64> = (0..40)
            .flat_map(|i| values.row(i).values().iter().map(|v| v * unit))
            .collect();
        let scaled = Samples::dense(40, FEATURES, scaled).unwrap();
        for (kernel, same) in [
            (Kernel::rbf(0.3), Kernel::rbf(0.3 / (unit * unit))),
            (
                Kernel::polynomial(0.3, 1.0, 2),
                Kernel::polynomial(0.3 / (unit * unit), 1.0, 2),
            ),
        ] {
            let gram = Gram::new(&same, scaled.view(), (0..40).collect()).unwrap();
            let found = gram.values(scaled.view()).unwrap();
            for (at, &value) in found.iter().enumerate() {
                let (x, y) = (values.row(at / 40), values.row(at % 40));
                let expected = kernel.value(x, y, FEATURES).unwrap();
                let error = (value - expected).abs() / expected.abs().max(1.0);
                assert!(error < 1e-5, "{kernel} in {unit:e}: {value}, {expected}");
            }
        }
    }
}

#[test]
fn a_query_beyond_single_precision_is_far_from_everything() {
    let samples = dense(20, 31);
    let gram = Gram::new(&Kernel::rbf(1.0), samples.view(), (0..20).collect()).unwrap();
    for value in [1e39, -1e39, 1e300] {
        let query = Samples::dense(1, FEATURES, vec![value; FEATURES]).unwrap();
        let found = gram.values(query.view()).unwrap();
        assert!(found.iter().all(|&k| k == 0.0), "{value:e}: {found:?}");
    }
}
