//! Rankers: levels, classes and probabilities, threads and files, and hostile data.

use super::rank_data::{assert_near, dataset, decisions, rare, tight, toy};
use hedgerow::data::{ClassLabels, ClassName, Dataset, Generator, Samples, Target, generate};
use hedgerow::evaluate::ranking::{Ties, mauc};
use hedgerow::kernel::{Gram, Kernel};
use hedgerow::rank::{Answer, BasisWord, RankModel, RankRcParams, RankSvmParams};
use hedgerow::{Error, Fitted, Prediction, Predictor};

/// Levels 0 to 3, most rows at 0.
fn levels(n: usize, seed: u64) -> Dataset {
    let mut generator = Generator::new(seed);
    let (mut values, mut targets) = (Vec::new(), Vec::new());
    for _ in 0..n {
        let level = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 2.0, 3.0][generator.below(10)];
        targets.push(level);
        values.push(generator.normal() + level);
        values.push(generator.normal() - 0.5 * level);
    }
    let samples = Samples::dense(n, 2, values).expect("finite");
    Dataset::new(samples, Target::ordinal_from_numbers(&targets)).expect("sound")
}

#[test]
fn levels_are_ranked_and_told() {
    let (data, fresh) = (levels(400, 1), levels(400, 2));
    let codes = fresh.classes().expect("levels").codes().to_vec();
    for fitted in [
        RankRcParams::default().fit(&data).expect("fit"),
        RankSvmParams::default()
            .with_lambda(0.01)
            .fit(&data)
            .expect("fit"),
        RankSvmParams::default()
            .with_lambda(0.01)
            .with_kernel(Kernel::Linear)
            .fit(&data)
            .expect("fit"),
    ] {
        let model = &fitted.model;
        assert!(matches!(model.answer(), Answer::Levels { .. }));
        let share = mauc(&codes, &decisions(model, &fresh), Ties::Half).expect("levels");
        assert!(share > 0.75, "{share}");
        let rmsle = model.rmsle(&fresh).expect("levels");
        let constant = {
            let logs: Vec<f64> = codes.iter().map(|&c| f64::from(c).ln_1p()).collect();
            let mean = logs.iter().sum::<f64>() / 400.0;
            (logs.iter().map(|l| (l - mean).powi(2)).sum::<f64>() / 400.0).sqrt()
        };
        assert!(rmsle < constant, "{rmsle} {constant}");
        let values = model.level_values(fresh.samples().view()).expect("levels");
        assert!(values.iter().all(|value| (0.0..=3.0).contains(value)));
        let Prediction::Classes(told) = model.predict(fresh.samples().view()).expect("rows") else {
            panic!("levels are classes");
        };
        assert!(told.iter().any(|&code| code > 0) && told.iter().all(|&code| code < 4));
    }
    let counts = data.classes().expect("levels").counts();
    let basis = tight(0.1).fit(&data).expect("fit").support;
    assert_eq!(basis.map(|rows| rows.len()), Some(400 - counts[0]));
}

#[test]
fn the_positive_class_is_the_rarest_or_the_named() {
    let data = rare(100, 2, 0.1, 11);
    let classes = |fitted: Fitted<RankModel>| fitted.model.classes().expect("two").to_vec();
    let (one, other) = (ClassName::Number(1.0), ClassName::Number(-1.0));
    let usual = tight(0.1);
    assert_eq!(
        classes(usual.fit(&data).expect("fit")),
        [one.clone(), other.clone()]
    );
    let named = usual.clone().with_positive(other.clone());
    let turned = named.fit(&data).expect("fit");
    // The kernel functions stay at the rare rows.
    assert_eq!(turned.report.support_vectors, 10);
    assert_eq!(classes(turned), [other, one]);
    let unknown = usual.with_positive(ClassName::Text("none".to_owned()));
    assert!(matches!(
        unknown.fit(&data),
        Err(Error::UnknownClass { .. })
    ));
}

#[test]
fn probabilities_rise_with_the_scores() {
    let data = rare(300, 3, 0.15, 12);
    let mut params = RankRcParams::default().with_lambda(0.01);
    assert!(matches!(
        params
            .fit(&data)
            .expect("fit")
            .model
            .probabilities(data.samples().view()),
        Err(Error::NoProbabilities)
    ));
    params.ranking.probability = true;
    let model = params.fit(&data).expect("fit").model;
    let table = model
        .probabilities(data.samples().view())
        .expect("calibrated");
    let scores = decisions(&model, &data);
    for i in 1..300 {
        let (p, q) = (table.row(i), table.row(i - 1));
        assert!((p[0] + p[1] - 1.0).abs() < 1e-12);
        assert!((p[0] - q[0]) * (scores[i] - scores[i - 1]) >= 0.0);
    }
}

fn on_threads<R: Send>(threads: usize, work: impl FnOnce() -> R + Send) -> R {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
    pool.build().expect("threads").install(work)
}

#[test]
fn neither_threads_nor_memory_change_a_model() {
    let data = rare(3000, 4, 0.03, 13);
    let fit = |cache_mb: f64, threads: usize| {
        let mut params = RankRcParams::default().with_seed(5);
        params.ranking.cache_mb = cache_mb;
        params.ranking.inner_folds = 3;
        on_threads(threads, || params.fit(&data).expect("fit").model)
    };
    let expected = fit(4096.0, 1);
    for (cache_mb, threads) in [(4096.0, 2), (4096.0, 8), (0.2, 1), (1e-9, 2)] {
        assert_eq!(
            fit(cache_mb, threads),
            expected,
            "{cache_mb} MB, {threads} threads"
        );
    }
    let linear = |threads: usize| {
        let params = RankSvmParams::default().with_kernel(Kernel::Linear);
        on_threads(threads, || params.fit(&data).expect("fit").model)
    };
    assert_eq!(linear(1), linear(2));
    assert_eq!(linear(1), linear(8));
}

#[test]
fn a_model_survives_its_serialised_form() {
    for fitted in [
        RankRcParams::default()
            .with_lambda(0.1)
            .fit(&toy())
            .expect("fit"),
        RankRcParams::default()
            .with_lambda(0.1)
            .fit(&levels(100, 3))
            .expect("fit"),
    ] {
        let bytes = postcard::to_allocvec(&fitted.model).expect("serialised");
        let back: RankModel = postcard::from_bytes(&bytes).expect("deserialised");
        assert_eq!(back, fitted.model);
        let mut parts = back.parts();
        parts.classes.clear();
        assert!(RankModel::from_parts(parts).is_err());
    }
}

#[test]
fn hostile_data_are_errors_or_models_never_panics() {
    let params = RankRcParams::default();
    let one_class = dataset(1, vec![1.0, 2.0], &[1.0, 1.0]);
    assert!(matches!(
        params.fit(&one_class),
        Err(Error::TooFewClasses {
            needed: 2,
            found: 1
        })
    ));
    let none = dataset(1, vec![], &[]);
    assert!(params.fit(&none).is_err());
    let real = Dataset::new(
        Samples::dense(2, 1, vec![0.0, 1.0]).expect("finite"),
        Target::Real(vec![0.0, 1.0]),
    );
    assert!(matches!(
        params.fit(&real.expect("sound")),
        Err(Error::Target { .. })
    ));
    let weighted = toy()
        .with_weights(vec![1.0, 2.0, 1.0, 1.0, 1.0, 1.0])
        .expect("sound");
    assert!(matches!(params.fit(&weighted), Err(Error::Target { .. })));
    // Two rows, and λ to be searched: no fold has pairs.
    let two = dataset(1, vec![0.0, 1.0], &[0.0, 1.0]);
    assert!(matches!(params.fit(&two), Err(Error::TooFewRows { .. })));
    let fixed = params.clone().with_lambda(1.0);
    assert!(fixed.fit(&two).is_ok());
    // Constant rows: nothing can be ranked.
    let constant = dataset(
        2,
        vec![3.0; 20],
        &[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    );
    let model = fixed.fit(&constant).expect("fit").model;
    let values = decisions(&model, &constant);
    assert!(values.iter().all(|value| value.is_finite()));
    // Each row twice.
    let mut twice = toy();
    for _ in 0..1 {
        twice = twice.select(&[0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]);
    }
    let once = tight(0.1).fit(&toy()).expect("fit").report.objective;
    let doubled = tight(0.1).fit(&twice).expect("fit").report.objective;
    assert!((once - doubled).abs() < 1e-6);
    // More features than rows; huge and tiny values.
    let wide = dataset(
        50,
        (0..200).map(|i| f64::from(i % 13)).collect(),
        &[1.0, 0.0, 0.0, 0.0],
    );
    assert!(fixed.fit(&wide).is_ok());
    for scale in [1e150, 1e-150] {
        let values = [-1.0, 0.0, 0.5, 1.5, 2.0, 3.0].map(|x| x * scale).to_vec();
        let data = dataset(1, values, &[0.0, 0.0, 1.0, 0.0, 1.0, 0.0]);
        for linear in [false, true] {
            let mut params = RankSvmParams::default().with_lambda(0.1);
            if linear {
                params = params.with_kernel(Kernel::Linear);
            }
            if let Ok(fitted) = params.fit(&data) {
                let values = decisions(&fitted.model, &data);
                assert!(values.iter().all(|value| value.is_finite()));
            }
        }
    }
    for bad in [
        params.clone().with_lambda(0.0),
        params.clone().with_lambda(f64::NAN),
        params.clone().with_smoothing(1e-4),
        params.with_tolerance(0.0),
    ] {
        assert!(bad.fit(&toy()).is_err());
    }
}

#[test]
fn rows_without_any_kernel_value_are_ranked_alike() {
    let data = dataset(2, vec![0.0; 12], &[1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);
    for basis in [BasisWord::Rare, BasisWord::All] {
        let params = RankRcParams {
            basis,
            ..tight(0.1).with_kernel(Kernel::Linear)
        };
        let fitted = params.fit(&data).expect("fit");
        assert_eq!(fitted.report.objective, 0.5);
        assert_eq!(decisions(&fitted.model, &data), [0.0; 6]);
    }
}

#[test]
fn a_precomputed_kernel_gives_what_the_kernel_gives() {
    let data = rare(60, 2, 0.2, 14);
    let kernel = Kernel::rbf(0.4);
    let all: Vec<u32> = (0..60).collect();
    let gram = Gram::in_double(&kernel, data.samples().view(), all).expect("rows");
    let matrix = gram.values(data.samples().view()).expect("finite");
    let numbered: Vec<f64> = matrix
        .chunks(60)
        .enumerate()
        .flat_map(|(i, row)| std::iter::once(i as f64 + 1.0).chain(row.iter().copied()))
        .collect();
    let samples = Samples::dense(60, 61, numbered).expect("finite");
    let precomputed = Dataset::new(samples, data.target().clone()).expect("sound");
    let usual = tight(0.05).with_kernel(kernel).fit(&data).expect("fit");
    let other = tight(0.05)
        .with_kernel(Kernel::Precomputed)
        .fit(&precomputed)
        .expect("fit");
    assert!((usual.report.objective - other.report.objective).abs() < 1e-6);
    assert_near(
        &decisions(&usual.model, &data),
        &decisions(&other.model, &precomputed),
        1e-4,
    );
}

#[test]
fn rows_of_weight_0_do_not_count() {
    let data = toy();
    let weights = vec![1.0, 0.0, 1.0, 1.0, 1.0, 1.0];
    let weighted = data.clone().with_weights(weights).expect("sound");
    let without = data.select(&[0, 2, 3, 4, 5]);
    let kernel = Kernel::rbf(0.3);
    let params = tight(0.1).with_kernel(kernel);
    let (a, b) = (
        params.fit(&weighted).expect("fit"),
        params.fit(&without).expect("fit"),
    );
    assert_eq!(a.model, b.model);
    assert_eq!(a.support, Some(vec![2, 4]));
}

#[test]
fn more_than_two_classes_are_one_against_the_rest() {
    let data = generate::checkerboard(120, 3, 0.0, 1).expect("data");
    let texts: Vec<&str> = (0..120).map(|i| ["a", "b", "c", "b"][i % 4]).collect();
    let labels = ClassLabels::from_texts(&texts);
    let data = Dataset::new(data.samples().clone(), Target::Classes(labels)).expect("sound");
    let model = RankRcParams::default()
        .with_lambda(0.1)
        .fit(&data)
        .expect("fit")
        .model;
    let names: Vec<String> = model
        .classes()
        .expect("two")
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(names, ["c", "b"]);
}
