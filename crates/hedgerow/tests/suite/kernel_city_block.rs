//! The city-block kernel: its values, widths and machines.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use crate::svm_support::*;
use hedgerow::data::{ClassName, CsrMatrix, Dataset, Generator, Row, Samples, SamplesView, Target};
use hedgerow::kernel::{
    GAMMA_CAP, Gram, Kernel, KernelSpec, Machine, PairDistances, city_block_dist,
    city_block_gamma_mean, city_block_gamma_scale, mean_city_block_dist, neighbourhood_gamma,
};
use hedgerow::local::{FalkParams, KnnSvmParams};
use hedgerow::svm::{SvcParams, SvrParams};
use hedgerow::{Predictor, Result};
use proptest::prelude::*;
use serde::Serialize;

/// Rows of few entries in many columns.
fn wide(n_rows: usize, width: usize, entries: usize, seed: u64) -> Samples {
    let mut generator = Generator::new(seed);
    let (mut starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for i in 0..n_rows {
        // Some columns are frequent, so that rows meet.
        let mut row: Vec<u32> = (0..entries + i % 3)
            .map(|k| generator.below(if k % 2 == 0 { 40 } else { width }) as u32)
            .collect();
        row.sort_unstable();
        row.dedup();
        values.extend(row.iter().map(|_| generator.range(-1.0, 1.0)));
        indices.extend(row);
        starts.push(indices.len());
    }
    Samples::Sparse(CsrMatrix::new(width, starts, indices, values).unwrap())
}

/// The largest difference between blocks and the definition.
fn error(gram: &Gram<'_>, bound: SamplesView<'_>, queries: SamplesView<'_>) -> f64 {
    let found = gram.values(queries).unwrap();
    let n = bound.n_rows();
    let of = |at: usize| {
        let (x, y) = (queries.row(at / n), bound.row(at % n));
        let expected = gram.kernel().value(x, y, bound.n_features()).unwrap();
        (found[at] - expected).abs()
    };
    (0..found.len()).map(of).fold(0.0, f64::max)
}

#[test]
fn a_value_is_that_of_the_definition() {
    let (x, y) = ([1.0, -2.0, 0.0, 5.0], [0.5, 1.0, 0.25, 5.0]);
    let (x, y) = (Row::Dense(&x), Row::Dense(&y));
    assert_eq!(city_block_dist(x, y, 4), 3.75);
    let kernel = Kernel::city_block(0.8);
    assert!((kernel.value(x, y, 4).unwrap() - (-3.0f64).exp()).abs() < 1e-16);
    assert_eq!(kernel.self_value(x, 4), Ok(1.0));
    // Near-duplicates keep their distance: 2 (1 - e^-t) for a tiny t.
    let (a, b) = ([1.0], [1.0 + 1e-12]);
    let squared = kernel.sq_dist(Row::Dense(&a), Row::Dense(&b), 1).unwrap();
    assert!((squared / (1.6 * (b[0] - a[0])) - 1.0).abs() < 1e-9);
}

#[test]
fn wide_sparse_rows_have_the_values_of_the_definition() {
    // Spread out, left sparse with all columns numbered, and with those that occur.
    for (n_rows, width) in [(70, 300), (1100, 16_000), (300, 3_000_000)] {
        let (bound, queries) = (wide(n_rows, width, 9, 1), wide(37, width, 7, 2));
        let (bound, queries) = (bound.view(), queries.view());
        let rows: Vec<u32> = (0..n_rows as u32).collect();
        for gamma in [0.3, 300.0] {
            let kernel = Kernel::city_block(gamma);
            let gram = Gram::new(&kernel, bound, rows.clone()).unwrap();
            let error_here = error(&gram, bound, queries);
            assert!(
                error_here < 1e-6,
                "{width} columns, gamma {gamma}: {error_here}"
            );
            let gram = Gram::in_double(&kernel, bound, rows.clone()).unwrap();
            assert_eq!(gram.rounding(), 0.0);
            let error_here = error(&gram, bound, queries);
            assert!(
                error_here < 1e-12,
                "{width} columns, gamma {gamma}: {error_here}"
            );
        }
    }
}

#[test]
fn the_stated_rounding_is_that_of_single_precision() {
    let mut generator = Generator::new(8);
    for scale in [1e-3, 1.0, 50.0] {
        let values = (0..200 * 30).map(|_| scale * generator.normal()).collect();
        let samples = Samples::dense(200, 30, values).unwrap();
        // So wide that no value vanishes.
        let kernel = Kernel::city_block(0.02 / scale);
        let gram = Gram::new(&kernel, samples.view(), (0..200).collect()).unwrap();
        assert!(gram.rounding() > 0.0, "single precision");
        let worst = error(&gram, samples.view(), samples.view());
        assert!(
            worst > 0.0 && worst < 12.0 * gram.rounding(),
            "{scale}: {worst}"
        );
    }
    // A width that single precision cannot resolve so far from one another.
    let values = (0..40)
        .map(|i| f64::from(i % 2) * 1e6 + f64::from(i) * 1e-3)
        .collect();
    let samples = Samples::dense(40, 1, values).unwrap();
    let gram = Gram::new(
        &Kernel::city_block(100.0),
        samples.view(),
        (0..40).collect(),
    )
    .unwrap();
    assert_eq!(gram.rounding(), 0.0);
    assert!(error(&gram, samples.view(), samples.view()) < 1e-12);
}

#[test]
fn rows_that_are_all_alike_have_values_of_one() {
    let samples = Samples::dense(20, 2, [3.0, 4.0].repeat(20)).unwrap();
    for gamma in [0.0, 1.0, 1e300] {
        let kernel = Kernel::city_block(gamma);
        let gram = Gram::new(&kernel, samples.view(), (0..20).collect()).unwrap();
        let values = gram.values(samples.view()).unwrap();
        assert!(values.iter().all(|&value| value == 1.0), "{gamma}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// $c^\top K c \ge 0$ by the eigenvalues of matrices that the engine computes.
    #[test]
    fn matrices_are_positive_semidefinite(
        n in 2usize..40, d in 1usize..60, gamma in 1e-3..10.0f64, cells in 2usize..50, seed: u64,
    ) {
        let mut generator = Generator::new(seed);
        // A grid makes equal rows, whose matrices are singular.
        let values = (0..n * d).map(|_| generator.below(cells) as f64 / 7.0).collect();
        let samples = Samples::dense(n, d, values).unwrap();
        let kernel = Kernel::city_block(gamma);
        let gram = Gram::in_double(&kernel, samples.view(), (0..n as u32).collect()).unwrap();
        let values = gram.values(samples.view()).unwrap();
        let mut matrix: Vec<Vec<f64>> = values.chunks(n).map(<[f64]>::to_vec).collect();
        // By Cholesky: K + t I has a factor just if no eigenvalue is below -t.
        let shift = 1e-12 * n as f64;
        for j in 0..n {
            matrix[j][j] += shift;
            for k in 0..j {
                matrix[j][j] -= matrix[j][k] * matrix[j][k];
            }
            prop_assert!(matrix[j][j] > 0.0, "an eigenvalue below {}", -shift);
            let pivot = matrix[j][j].sqrt();
            matrix[j][j] = pivot;
            for i in j + 1..n {
                let product: f64 = (0..j).map(|k| matrix[i][k] * matrix[j][k]).sum();
                matrix[i][j] = (matrix[i][j] - product) / pivot;
            }
        }
    }

    #[test]
    fn the_mean_distance_is_that_of_all_pairs(
        n in 1usize..30, d in 1usize..6, cells in 1usize..9, shift in 0.0..1e6f64, seed: u64,
    ) {
        let mut generator = Generator::new(seed);
        let shift = if seed % 2 == 0 { shift } else { 0.0 };
        let mut value = || {
            let cell = generator.below(2 * cells + 1) as f64 - cells as f64;
            if cell == 0.0 { 0.0 } else { cell + shift }
        };
        let samples = Samples::dense(n, d, (0..n * d).map(|_| value()).collect()).unwrap();
        let view = samples.view();
        let pairs = (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
        let sum: f64 = pairs.map(|(i, j)| city_block_dist(view.row(i), view.row(j), d)).sum();
        let expected = sum / (n * n) as f64;
        let found = mean_city_block_dist(view);
        let size = 1.0 + expected;
        prop_assert!((found - expected).abs() < 1e-11 * size * n as f64, "{found} for {expected}");
    }
}

#[test]
fn widths_are_those_of_the_city_block_distance() {
    // Distances 3, 5 and 8.
    let samples = SamplesView::dense(2, &[0.0, 0.0, 1.0, 2.0, 4.0, 4.0]).unwrap();
    let gamma = |text: &str| match KernelSpec::parse(text).unwrap().resolve(samples, 0) {
        Ok(Kernel::CityBlock { gamma }) => gamma,
        Ok(Kernel::Weighted { kernel, .. }) => match *kernel {
            Kernel::CityBlock { gamma } => gamma,
            other => panic!("{other}"),
        },
        other => panic!("{other:?}"),
    };
    assert_eq!(gamma("cityblock"), 0.5);
    assert_eq!(gamma("cityblock(gamma=auto)"), 0.5);
    assert_eq!(gamma("cityblock(gamma=q0)"), 1.0 / 3.0);
    assert_eq!(gamma("cityblock(gamma=q50)"), 0.2);
    assert_eq!(gamma("cityblock(gamma=q100)"), 0.125);
    assert_eq!(gamma("weighted(2, 0; cityblock(gamma=q100))"), 0.125);
    assert!((gamma("cityblock(gamma=mean)") - 9.0 / 32.0).abs() < 1e-15);
    assert_eq!(
        gamma("cityblock(gamma=mean)"),
        city_block_gamma_mean(samples)
    );
    // Entries 0 0 1 2 4 4 about 11/6.
    let deviation = (37.0 / 6.0 - (11.0f64 / 6.0).powi(2)).sqrt();
    assert!((gamma("cityblock(gamma=scale)") * 2.0 * deviation - 1.0).abs() < 1e-15);
    assert_eq!(
        gamma("cityblock(gamma=scale)"),
        city_block_gamma_scale(samples)
    );
    // The operator sees the kernel's own distance.
    let local = KernelSpec::parse("e(cityblock(gamma=q50), sigma=q100)").unwrap();
    let Ok(Kernel::Local { sigma, kernel, .. }) = local.resolve(samples, 0) else {
        panic!("an operator");
    };
    assert_eq!(*kernel, Kernel::city_block(0.2));
    assert!((sigma - 4.0 * (1.0 - (-8.0f64 / 5.0).exp())).abs() < 1e-14);
    // Rows that are all alike.
    let alike = SamplesView::dense(2, &[1.0; 8]).unwrap();
    for (word, expected) in [("q50", GAMMA_CAP), ("mean", 1.0), ("scale", 1.0)] {
        let spec = KernelSpec::parse(&format!("cityblock(gamma={word})")).unwrap();
        assert_eq!(spec.resolve(alike, 0), Ok(Kernel::city_block(expected)));
    }
    assert!(Kernel::parse("cityblock").is_err());
}

#[test]
fn neighbourhoods_have_widths_of_their_own() {
    let mut generator = Generator::new(5);
    let values: Vec<f64> = (0..300).map(|_| generator.normal()).collect();
    let samples = SamplesView::dense(2, &values).unwrap();
    // The same pairs; from there to the distance and from that to the rate.
    let squared = neighbourhood_gamma(150, 0.1, |i, j| {
        city_block_dist(samples.row(i), samples.row(j), 2)
    });
    let expected = (2.0 * squared).sqrt();
    let spec = KernelSpec::parse("cityblock(gamma=q10)").unwrap();
    assert!(spec.has_percentiles());
    let Ok(Kernel::CityBlock { gamma }) = spec.resolve_neighbourhood(samples) else {
        panic!("a kernel");
    };
    assert!((gamma / expected - 1.0).abs() < 1e-12);
    let all = PairDistances::city_block(samples, 0).unwrap();
    assert_ne!(gamma, all.city_block_gamma(10.0));
}

#[test]
fn parameters_are_set_by_name() {
    use hedgerow::params::Parameters;
    let mut kernel = KernelSpec::parse("cityblock").unwrap();
    assert!(kernel.set("gamma", &"q50".into()).unwrap());
    assert_eq!(kernel.to_string(), "cityblock(gamma=q50)");
    assert!(kernel.set("gamma", &0.25.into()).unwrap());
    assert_eq!(kernel.fixed(), Some(&Kernel::city_block(0.25)));
    assert!(kernel.set("degree", &3u32.into()).is_err());
}

fn number(name: &ClassName) -> f64 {
    match name {
        ClassName::Number(value) => *value,
        ClassName::Text(text) => panic!("{text} is no number"),
    }
}

#[test]
fn machines_are_those_of_scikit_learn() {
    let golden: serde_json::Value = serde_json::from_str(&read_golden("cityblock.json")).unwrap();
    let cases = golden["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 5);
    for case in cases {
        let parts =
            ["train", "test"].map(|part| parse_lines(&read_golden(case[part].as_str().unwrap())));
        let highest = parts.iter().map(max_index).max().unwrap();
        let is_svr = case["method"] == "svr";
        let (gamma, cost) = (
            case["gamma"].as_f64().unwrap(),
            case["cost"].as_f64().unwrap(),
        );
        let kernel = Kernel::city_block(gamma);
        let (decisions, values) = (numbers(&case["decisions"]), numbers(&case["values"]));
        for is_dense in [true, false] {
            let [train, test] = parts.each_ref().map(|lines| {
                let samples = sparse(&features(lines), highest, false);
                if is_dense { dense(&samples) } else { samples }
            });
            for (at, &expected) in values.iter().enumerate() {
                let (x, y) = (test.view().row(at / 5), train.view().row(at % 5));
                let found = kernel.value(x, y, highest).unwrap();
                assert!((found - expected).abs() < 1e-14, "{found} for {expected}");
            }
            let answers = labels(&parts[0]);
            let (found, machine): (Vec<f64>, Machine) = if is_svr {
                let params = SvrParams::default()
                    .with_cost(cost)
                    .with_kernel(kernel.clone());
                let params = params.with_epsilon(0.1).with_tolerance(1e-8);
                let data = Dataset::new(train, Target::Real(answers)).unwrap();
                let fitted = params.fit(&data).unwrap();
                (
                    fitted.model.scores(test.view()).unwrap().values,
                    fitted.model.parts().machines[0].clone(),
                )
            } else {
                let params = SvcParams::default()
                    .with_cost(cost)
                    .with_kernel(kernel.clone());
                let labels = hedgerow::data::ClassLabels::from_numbers(&answers);
                let data = Dataset::new(train, Target::Classes(labels)).unwrap();
                let fitted = params.with_tolerance(1e-8).fit(&data).unwrap();
                // Positive for the class that comes first here, for the larger one there.
                let names = fitted.model.classes().unwrap().to_vec();
                let is_larger = number(&names[0]) > number(&names[1]);
                let sign = if is_larger { 1.0 } else { -1.0 };
                let values = fitted.model.scores(test.view()).unwrap().values;
                (
                    values.iter().map(|v| sign * v).collect(),
                    fitted.model.parts().expansion.machines[0].clone(),
                )
            };
            let name = &case["train"];
            assert_eq!(found.len(), decisions.len());
            for (found, expected) in found.iter().zip(&decisions) {
                let size = expected.abs().max(1.0);
                assert!(
                    (found - expected).abs() < 2e-5 * size,
                    "{name}: {found} {expected}"
                );
            }
            let count = case["support_vectors"].as_f64().unwrap();
            assert!(
                (machine.support.len() as f64 - count).abs() <= 2.0,
                "{name}"
            );
            assert!((machine.rho.abs() - case["rho"].as_f64().unwrap().abs()).abs() < 2e-5 * cost);
        }
    }
}

fn bytes<M: Serialize + Send>(threads: usize, fit: impl Fn() -> Result<M> + Sync) -> Vec<u8> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .unwrap();
    pool.install(|| postcard::to_stdvec(&fit().unwrap()).unwrap())
}

/// Trains and tells the bytes of the answers.
type Fit<'a> = &'a (dyn Fn() -> Result<Vec<u8>> + Sync);

#[test]
fn the_number_of_threads_does_not_change_anything() {
    let (small, large) = (clouds(300, 5, 1), checkerboard(2600, 0.1, 2));
    let spec = KernelSpec::parse("cityblock(gamma=q50)").unwrap();
    let fits: [(&str, Fit<'_>); 4] = [
        ("svm", &|| {
            let params = SvcParams::default()
                .with_kernel(spec.clone())
                .with_cost(20.0);
            let model = params.with_cache_mb(4.0).fit(&large)?.model;
            let scores = model.scores(small.samples().select(&[0, 5]).view());
            Ok(postcard::to_stdvec(&(model, scores.map(|s| s.values).ok())).unwrap())
        }),
        ("mean", &|| {
            let kernel = KernelSpec::parse("cityblock(gamma=mean)").unwrap();
            Ok(kernel
                .resolve(large.samples().view(), 0)?
                .to_string()
                .into_bytes())
        }),
        ("falk-svm", &|| {
            let mut params = FalkParams::default().with_neighbours(60);
            params.local.solver.kernel = spec.clone();
            let model = params.fit(&small)?.model;
            let scores = model.scores(small.samples().view())?.values;
            Ok(postcard::to_stdvec(&(model, scores)).unwrap())
        }),
        ("knn-svm", &|| {
            let mut params = KnnSvmParams::default().with_neighbours(40);
            params.local.solver.kernel = spec.clone();
            let model = params.fit(&small)?.model;
            let scores = model.scores(small.samples().view())?.values;
            Ok(postcard::to_stdvec(&(model, scores)).unwrap())
        }),
    ];
    for (name, fit) in fits {
        let one = bytes(1, fit);
        for threads in [2, 8] {
            assert!(one == bytes(threads, fit), "{name}, {threads} threads");
        }
    }
}

/// One machine on all rows is the global machine, whatever its neighbours are found by.
#[test]
fn a_neighbourhood_of_all_rows_has_the_global_machine() {
    let data = clouds(120, 4, 3);
    let others = clouds(50, 4, 4);
    for text in [
        "cityblock(gamma=0.3)",
        "s(cityblock(gamma=0.3), sigma=1, eta=0.5)",
    ] {
        let spec = KernelSpec::parse(text).unwrap();
        let mut params = KnnSvmParams::default().with_neighbours(120);
        params.local.solver.kernel = spec.clone();
        params.local.solver.tolerance = 1e-6;
        let local = params.fit(&data).unwrap().model;
        let global = SvcParams::default().with_kernel(spec).with_tolerance(1e-6);
        let global = global.fit(&data).unwrap().model;
        let view = others.samples().view();
        assert_eq!(
            local.predict(view).unwrap(),
            global.predict(view).unwrap(),
            "{text}"
        );
    }
}
