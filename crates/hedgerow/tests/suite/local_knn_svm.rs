//! kNN-SVM: its identities, and independence of threads, batches and files.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use hedgerow::data::{
    ClassLabels, ClassName, Dataset, Generator, Samples, SamplesView, Target, generate,
};
use hedgerow::kernel::{Kernel, KernelSpec};
use hedgerow::local::{KnnParams, KnnSvm, KnnSvmParams};
use hedgerow::svm::{SvcParams, SvrParams};
use hedgerow::{Error, Prediction, Predictor};

fn uniform(n: usize, n_features: usize, seed: u64) -> Samples {
    let mut generator = Generator::new(seed);
    let values = (0..n * n_features).map(|_| generator.uniform()).collect();
    Samples::dense(n, n_features, values).unwrap()
}

/// Classes by thirds of the first feature, some of them wrong.
fn striped(n: usize, n_classes: usize, seed: u64) -> Dataset {
    let samples = uniform(n, 3, seed);
    let mut generator = Generator::new(seed ^ 7);
    let labels: Vec<f64> = (0..n)
        .map(|i| {
            let x = samples.view().row(i).values()[0] + 0.1 * generator.normal();
            (x * n_classes as f64)
                .floor()
                .clamp(0.0, n_classes as f64 - 1.0)
        })
        .collect();
    Dataset::new(samples, Target::Classes(ClassLabels::from_numbers(&labels))).unwrap()
}

fn wave(n: usize, seed: u64) -> Dataset {
    let samples = uniform(n, 2, seed);
    let mut generator = Generator::new(seed ^ 5);
    let targets = (0..n)
        .map(|i| (6.0 * samples.view().row(i).values()[0]).sin() + 0.05 * generator.normal())
        .collect();
    Dataset::new(samples, Target::Real(targets)).unwrap()
}

fn kernels() -> [Kernel; 3] {
    [
        Kernel::Linear,
        Kernel::rbf(3.0),
        Kernel::polynomial(1.0, 1.0, 2),
    ]
}

fn codes(prediction: Prediction) -> Vec<u32> {
    match prediction {
        Prediction::Classes(codes) => codes,
        Prediction::Real(_) => panic!("classes"),
    }
}

fn values(prediction: Prediction) -> Vec<f64> {
    match prediction {
        Prediction::Real(values) => values,
        Prediction::Classes(_) => panic!("real values"),
    }
}

fn predict(model: &impl Predictor, samples: SamplesView<'_>) -> Vec<u32> {
    codes(model.predict(samples).unwrap())
}

#[test]
fn k_1_is_the_nearest_row() {
    for n_classes in [2, 3] {
        let data = striped(200, n_classes, 1);
        let queries = uniform(300, 3, 2);
        for kernel in kernels() {
            let nearest = KnnParams::default().with_kernel(kernel.clone());
            let local = KnnSvmParams::default()
                .with_neighbours(1)
                .with_kernel(kernel);
            assert_eq!(
                predict(&local.fit(&data).unwrap().model, queries.view()),
                predict(&nearest.fit(&data).unwrap().model, queries.view())
            );
        }
    }
}

#[test]
fn k_2_with_a_linear_or_gaussian_kernel_is_the_nearest_row() {
    let data = striped(200, 2, 3);
    let queries = uniform(300, 3, 4);
    let nearest = KnnParams::default().fit(&data).unwrap().model;
    let expected = predict(&nearest, queries.view());
    for kernel in [Kernel::Linear, Kernel::rbf(3.0)] {
        for cost in [1e-3, 1.0, 1e6] {
            let local = KnnSvmParams::default()
                .with_neighbours(2)
                .with_cost(cost)
                .with_kernel(kernel.clone());
            let model = local.fit(&data).unwrap().model;
            assert_eq!(predict(&model, queries.view()), expected, "{kernel} {cost}");
        }
    }
}

#[test]
fn k_n_is_the_svm_on_all_rows() {
    for n_classes in [2, 4] {
        let data = striped(150, n_classes, 5);
        let queries = uniform(400, 3, 6);
        for kernel in kernels() {
            let mut local = KnnSvmParams::default()
                .with_neighbours(150)
                .with_cost(3.0)
                .with_kernel(kernel.clone());
            local.local.solver.tolerance = 1e-6;
            let global = SvcParams::default()
                .with_cost(3.0)
                .with_kernel(kernel.clone())
                .with_tolerance(1e-6);
            let local = local.fit(&data).unwrap().model;
            let global = global.fit(&data).unwrap().model;
            let (found, expected) = (
                predict(&local, queries.view()),
                predict(&global, queries.view()),
            );
            if n_classes == 2 {
                let found = local.scores(queries.view()).unwrap();
                let expected = global.scores(queries.view()).unwrap();
                assert_eq!(found.columns, expected.columns);
                for (a, b) in found.values.iter().zip(&expected.values) {
                    assert!((a - b).abs() < 2e-3, "{kernel}: {a} {b}");
                }
            }
            let differing = found.iter().zip(&expected).filter(|(a, b)| a != b);
            assert!(differing.count() <= 1, "{kernel}");
        }
    }
}

#[test]
fn k_n_is_the_regression_on_all_rows() {
    let data = wave(120, 7);
    let queries = uniform(200, 2, 8);
    let mut local = KnnSvmParams::default()
        .with_neighbours(1000)
        .with_cost(5.0)
        .with_epsilon(0.02)
        .with_kernel(Kernel::rbf(2.0));
    local.local.solver.tolerance = 1e-6;
    let global = SvrParams::default()
        .with_cost(5.0)
        .with_epsilon(0.02)
        .with_kernel(Kernel::rbf(2.0))
        .with_tolerance(1e-6);
    let local = local.fit(&data).unwrap().model;
    let global = global.fit(&data).unwrap().model;
    assert!(local.classes().is_none());
    let found = values(local.predict(queries.view()).unwrap());
    let expected = values(global.predict(queries.view()).unwrap());
    for (a, b) in found.iter().zip(&expected) {
        assert!((a - b).abs() < 2e-3, "{a} {b}");
    }
    assert_eq!(local.scores(queries.view()).unwrap().values, found);
}

/// The machine of a query is the exact SVM on its neighbourhood.
#[test]
fn a_machine_is_the_svm_of_its_neighbourhood() {
    let data = striped(300, 2, 9);
    let queries = uniform(40, 3, 10);
    let (k, gamma) = (40, 4.0);
    let mut params = KnnSvmParams::default()
        .with_neighbours(k)
        .with_cost(2.0)
        .with_kernel(Kernel::rbf(gamma));
    params.local.solver.tolerance = 1e-6;
    params.local.class_weights = vec![(ClassName::Number(1.0), 3.0)];
    let model = params.fit(&data).unwrap().model;
    let found = model.scores(queries.view()).unwrap();
    let view = data.samples().view();
    let mut trained = 0;
    for q in 0..40 {
        let query = queries.view().row(q).values();
        let sq_dist = |i: usize| -> f64 {
            let row = view.row(i).values().iter().zip(query);
            row.map(|(a, b)| (a - b) * (a - b)).sum()
        };
        let mut order: Vec<usize> = (0..300).collect();
        order.sort_by(|&a, &b| sq_dist(a).total_cmp(&sq_dist(b)));
        order.truncate(k);
        let here = data.select(&order);
        let labels = here.classes().unwrap();
        let counts = labels.counts();
        if counts.contains(&0) {
            let code = f64::from(labels.codes()[0]);
            assert_eq!(found.values[q], 1.0 - 2.0 * code);
            continue;
        }
        trained += 1;
        let exact = SvcParams::default()
            .with_cost(2.0)
            .with_class_weight(ClassName::Number(1.0), 3.0)
            .with_kernel(Kernel::rbf(gamma))
            .with_tolerance(1e-6);
        let one = queries.select(&[q]);
        let expected = exact.fit(&here).unwrap().model.scores(one.view()).unwrap();
        // The exact machine calls the class positive that its rows show first.
        let sign = if expected.columns == found.columns {
            1.0
        } else {
            -1.0
        };
        let (a, b) = (found.values[q], sign * expected.values[0]);
        assert!((a - b).abs() < 2e-3, "{a} {b}");
    }
    assert!(trained > 10);
}

#[test]
fn local_widths_follow_the_data() {
    // Two spirals: one width cannot fit the centre and the rim; tenth percentiles of
    // neighbourhoods do.
    let data = generate::two_spirals(500).unwrap();
    let spec = KernelSpec::parse("rbf(gamma=q10)").unwrap();
    let params = KnnSvmParams::default()
        .with_neighbours(100)
        .with_kernel(spec);
    let model = params.fit(&data).unwrap().model;
    let found = predict(&model, data.samples().view());
    assert_eq!(found, data.classes().unwrap().codes());
    let fixed = params.with_kernel(Kernel::rbf(50.0)).fit(&data).unwrap();
    let found = predict(&fixed.model, data.samples().view());
    assert_ne!(found, data.classes().unwrap().codes());
}

#[test]
fn probabilities_agree_with_classes_and_are_certain_where_rows_agree() {
    let data = striped(400, 3, 11);
    let queries = uniform(150, 3, 12);
    let params = KnnSvmParams::default()
        .with_neighbours(12)
        .with_probability(true);
    let model = params.fit(&data).unwrap().model;
    let table = model.probabilities(queries.view()).unwrap();
    let votes = model.scores(queries.view()).unwrap();
    assert_eq!(table.columns.len(), 3);
    let mut certain = 0;
    for q in 0..150 {
        let p = table.row(q);
        assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        assert!(p.iter().all(|&p| (0.0..=1.0).contains(&p)));
        certain += usize::from(p.contains(&1.0));
    }
    assert!((1..150).contains(&certain), "{certain}");
    assert_eq!(votes.columns, table.columns);
    let plain = KnnSvmParams::default()
        .with_neighbours(12)
        .fit(&data)
        .unwrap()
        .model;
    let refused = plain.probabilities(queries.view());
    assert_eq!(refused, Err(Error::NoProbabilities));
}

#[test]
fn threads_batches_and_files_change_nothing() {
    let data = striped(300, 3, 13);
    let queries = uniform(120, 3, 14);
    for kernel in [
        "rbf(gamma=q50)",
        "rbf(gamma=2)",
        "poly(degree=2, coef0=1, gamma=1)",
    ] {
        let params = KnnSvmParams::default()
            .with_neighbours(50)
            .with_probability(true)
            .with_kernel(KernelSpec::parse(kernel).unwrap());
        let model = params.fit(&data).unwrap().model;
        let bytes = postcard::to_stdvec(&model).unwrap();
        let read: KnnSvm = postcard::from_bytes(&bytes).unwrap();
        let expected = model.predict_with_scores(queries.view()).unwrap();
        let shares = model.probabilities(queries.view()).unwrap();
        for threads in [1, 8] {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            pool.install(|| {
                assert_eq!(read.predict_with_scores(queries.view()).unwrap(), expected);
                assert_eq!(read.probabilities(queries.view()).unwrap(), shares);
            });
        }
        for q in [0, 60, 119] {
            let one = queries.select(&[q]);
            let (_, scores) = model.predict_with_scores(one.view()).unwrap();
            assert_eq!(scores.row(0), expected.1.row(q), "{kernel}");
            let p = model.probabilities(one.view()).unwrap();
            assert_eq!(p.row(0), shares.row(q), "{kernel}");
        }
    }
}

#[test]
fn extreme_data_have_answers() {
    // One row, one class, constant targets, equal rows with different labels.
    let one = striped(1, 2, 1);
    let model = KnnSvmParams::default().fit(&one).unwrap().model;
    let queries = uniform(5, 3, 2);
    assert_eq!(predict(&model, queries.view()), [0; 5]);
    let samples = Samples::dense(6, 1, vec![2.0; 6]).unwrap();
    let labels = ClassLabels::from_numbers(&[1.0, -1.0, 1.0, -1.0, 1.0, 1.0]);
    let equal = Dataset::new(samples.clone(), Target::Classes(labels)).unwrap();
    let model = KnnSvmParams::default().fit(&equal).unwrap().model;
    assert_eq!(predict(&model, samples.view()), [0; 6]);
    let constant = Dataset::new(samples.clone(), Target::Real(vec![4.0; 6])).unwrap();
    let model = KnnSvmParams::default().fit(&constant).unwrap().model;
    let found = values(model.predict(samples.view()).unwrap());
    assert_eq!(found, [4.0; 6]);
}

#[test]
fn wrong_parameters_are_refused_before_the_first_query() {
    let data = striped(50, 2, 1);
    let refused = |params: KnnSvmParams| params.fit(&data).unwrap_err().to_string();
    assert!(
        refused(KnnSvmParams::default().with_neighbours(0)).starts_with("parameter neighbours = 0")
    );
    assert!(refused(KnnSvmParams::default().with_cost(-1.0)).starts_with("parameter cost = -1"));
    let precomputed = KnnSvmParams::default().with_kernel(Kernel::Precomputed);
    assert!(refused(precomputed).contains("precomputed"));
    let mut unknown = KnnSvmParams::default();
    unknown.local.class_weights = vec![(ClassName::Number(9.0), 2.0)];
    assert_eq!(refused(unknown), "there is no class 9");
}

#[test]
fn damaged_models_are_refused() {
    let data = striped(12, 2, 1);
    let model = KnnSvmParams::default()
        .with_neighbours(5)
        .fit(&data)
        .unwrap()
        .model;
    let bytes = postcard::to_stdvec(&model).unwrap();
    let query = data.samples().select(&[0]);
    let mut refused = 0;
    for at in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x21;
        // Whatever is read must answer or refuse, never panic.
        match postcard::from_bytes::<KnnSvm>(&damaged) {
            Ok(model) => {
                if let Ok(Prediction::Classes(codes)) = model.predict(query.view()) {
                    let n_classes = model.classes().unwrap().len() as u32;
                    assert!(codes.iter().all(|&code| code < n_classes), "{at}");
                }
            }
            Err(_) => refused += 1,
        }
        assert!(
            postcard::from_bytes::<KnnSvm>(&bytes[..at]).is_err(),
            "{at}"
        );
    }
    // Most bytes are values of the rows, where any number will do.
    assert!(refused > bytes.len() / 8, "{refused} of {}", bytes.len());
}
