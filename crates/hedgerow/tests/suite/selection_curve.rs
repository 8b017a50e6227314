//! Keeping some features of a data set, and the error of a classifier against their number.

use crate::select_support;

use hedgerow::Error;
use hedgerow::data::{ClassLabels, Dataset, Generator, Samples, Split, Target, folds_for};
use hedgerow::evaluate::selection_curve;
use hedgerow::kernel::Kernel;
use hedgerow::select::{MrmrParams, Selector, SimilarityKind};
use hedgerow::svm::SvcParams;
use hedgerow::{Predictor, Result};
use select_support::{as_sparse, random_data};

fn linear(train: &Dataset) -> Result<Box<dyn Predictor>> {
    let params = SvcParams::default().with_kernel(Kernel::Linear);
    Ok(Box::new(params.fit(train)?.model))
}

fn mrmr() -> Selector {
    Selector::Mrmr(SimilarityKind::default(), MrmrParams::default())
}

fn best_by(selector: Selector) -> impl Fn(&Dataset, usize) -> Result<Vec<usize>> {
    move |train, wanted| selector.best(train, wanted)
}

#[test]
fn chosen_features_keep_their_values_names_weights_and_order() {
    let weights: Vec<f64> = (0..20).map(|i| 1.0 + f64::from(i)).collect();
    let names: Vec<String> = (0..6).map(|f| format!("column {f}")).collect();
    let data = random_data(20, 6, 3, 0.4, 1)
        .with_weights(weights)
        .expect("valid")
        .with_feature_names(names)
        .expect("valid");
    for data in [
        as_sparse(&data)
            .with_feature_names(data.feature_names().expect("named").to_vec())
            .expect("valid"),
        data,
    ] {
        let chosen = data.select_features(&[4, 0, 5]).expect("valid");
        assert_eq!((chosen.n_rows(), chosen.n_features()), (20, 3));
        assert_eq!(chosen.target(), data.target());
        assert_eq!(chosen.weights(), data.weights());
        let names = chosen.feature_names().expect("named");
        assert_eq!(names, ["column 4", "column 0", "column 5"]);
        let (mut all, mut some) = (vec![0.0; 6], vec![0.0; 3]);
        for i in 0..20 {
            data.samples().view().row(i).write_dense(&mut all);
            chosen.samples().view().row(i).write_dense(&mut some);
            assert_eq!(some, [all[4], all[0], all[5]]);
        }
        let none = data.select_features(&[]).expect("valid");
        assert_eq!((none.n_rows(), none.n_features()), (20, 0));
        let beyond = data.select_features(&[0, 6]);
        assert!(matches!(beyond, Err(Error::Shape { found: 6, .. })));
    }
}

#[test]
fn the_curve_is_what_selecting_training_and_counting_by_hand_gives() {
    let data = random_data(90, 12, 3, 0.0, 2);
    let splits = folds_for(&data, 5, 7).expect("valid");
    let sizes = [1, 3, 12, 40];
    let curve = selection_curve(&data, &splits, best_by(mrmr()), &sizes, linear).expect("valid");
    assert_eq!(curve.sizes, sizes);
    for (s, &size) in sizes.iter().enumerate() {
        for (at, split) in splits.iter().enumerate() {
            let (train, test) = (data.select(&split.train), data.select(&split.test));
            let ranking = mrmr().rank(&train, None).expect("valid").ranking;
            let mut features = ranking.top(size).to_vec();
            features.sort_unstable();
            let model = linear(&train.select_features(&features).expect("valid")).expect("valid");
            let reduced = test.select_features(&features).expect("valid");
            let predicted = model.predict(reduced.samples().view()).expect("valid");
            let hedgerow::Prediction::Classes(codes) = predicted else {
                panic!("a classifier predicts classes");
            };
            let names = model.classes().expect("classes");
            let labels = reduced.classes().expect("classes");
            let wrong = (0..test.n_rows())
                .filter(|&i| names[codes[i] as usize] != labels.names()[labels.codes()[i] as usize])
                .count();
            assert_eq!(curve.errors[s][at], wrong as f64 / test.n_rows() as f64);
            assert_eq!(curve.chosen[s][at], size.min(12));
        }
    }
    let (mean, error) = curve.summaries()[0];
    let errors = &curve.errors[0];
    assert!((mean - errors.iter().sum::<f64>() / 5.0).abs() < 1e-15);
    let squares: f64 = errors.iter().map(|e| (e - mean) * (e - mean)).sum();
    assert!((error - (squares / 4.0 / 5.0).sqrt()).abs() < 1e-15);
}

#[test]
fn features_are_selected_without_the_test_rows() {
    // Noise, many features, few rows: a selection that saw the test rows would find features that
    // predict them. The features chosen in each fold do not, so the error is that of guessing.
    let mut random = Generator::new(3);
    let values: Vec<f64> = (0..60 * 2000).map(|_| random.normal()).collect();
    let labels: Vec<f64> = (0..60).map(|i| f64::from(i % 2)).collect();
    let samples = Samples::dense(60, 2000, values).expect("valid");
    let labels = Target::Classes(ClassLabels::from_numbers(&labels));
    let data = Dataset::new(samples, labels).expect("valid");
    let splits = folds_for(&data, 10, 0).expect("valid");
    let relevance = Selector::MaxRelevance(SimilarityKind::default());
    let inside =
        selection_curve(&data, &splits, best_by(relevance.clone()), &[20], linear).expect("valid");
    let best = relevance.rank(&data, None).expect("valid").ranking;
    let leaked = data.select_features(best.top(20)).expect("valid");
    let outside =
        selection_curve(&leaked, &splits, best_by(relevance), &[20], linear).expect("valid");
    let (honest, flattered) = (inside.summaries()[0].0, outside.summaries()[0].0);
    assert!(honest > 0.35, "{honest}");
    assert!(flattered < honest - 0.2, "{flattered} beside {honest}");
}

#[test]
fn a_curve_has_defined_ends() {
    let data = random_data(30, 4, 2, 0.0, 4);
    let splits = folds_for(&data, 3, 0).expect("valid");
    let zero = selection_curve(&data, &splits, best_by(mrmr()), &[0], linear);
    assert!(matches!(zero, Err(Error::Parameter { name: "sizes", .. })));
    let nothing = selection_curve(&data, &splits, best_by(mrmr()), &[], linear).expect("valid");
    assert!(nothing.sizes.is_empty() && nothing.errors.is_empty());
    let none = selection_curve(&data, &[], best_by(mrmr()), &[2], linear).expect("valid");
    assert!(none.errors[0].is_empty() && none.summaries()[0].0.is_nan());
    // One class to train on is the business of the classifier, whose error comes through.
    let single = Split {
        train: (0..30).step_by(2).collect(),
        test: vec![1],
    };
    let failed = selection_curve(&data, &[single], best_by(mrmr()), &[1], |_| {
        Err(Error::NoRows)
    });
    assert_eq!(failed, Err(Error::NoRows));
}

#[test]
fn a_curve_does_not_see_threads() {
    let data = random_data(60, 15, 2, 0.2, 5);
    let splits = folds_for(&data, 4, 1).expect("valid");
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .expect("valid");
        pool.install(|| {
            selection_curve(&data, &splits, best_by(mrmr()), &[2, 5], linear).expect("valid")
        })
    };
    assert_eq!(run(1), run(4));
}
