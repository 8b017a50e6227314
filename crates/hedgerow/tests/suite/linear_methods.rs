//! The linear methods as users meet them: hostile data, several classes, files, threads.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use crate::svm_support;

use hedgerow::data::{ClassLabels, ClassName, CsrMatrix, Dataset, Generator, Samples, Target};
use hedgerow::svm::Multiclass;
use hedgerow::svm::linear::{
    Bias, FisherParams, HingeLoss, LinearClassifier, LinearSolver, LinearSvmParams, LogisticParams,
    PegasosParams, Stop,
};
use hedgerow::{Error, Fitted, Prediction, Predictor, Result, Status};
use svm_support::{class_data, clouds, codes, dense};

type Fit = Box<dyn Fn(&Dataset) -> Result<Fitted<LinearClassifier>> + Sync>;

/// Every method with settings that suit tests.
fn methods() -> Vec<(&'static str, Fit)> {
    let hinge = LinearSvmParams::default().with_loss(HingeLoss::Hinge);
    let primal = LinearSvmParams::default().with_solver(LinearSolver::Primal);
    let pairs = LinearSvmParams::default().with_multiclass(Multiclass::OneVsOne);
    let logistic_pairs = LogisticParams::default().with_multiclass(Multiclass::OneVsOne);
    let pegasos = PegasosParams::default().with_max_iterations(100_000);
    let rate = pegasos
        .clone()
        .with_bias(Bias::Rate(0.01))
        .with_balanced(true);
    vec![
        (
            "squared",
            Box::new(|data: &Dataset| LinearSvmParams::default().fit(data)) as Fit,
        ),
        ("hinge", Box::new(move |data| hinge.fit(data))),
        ("primal", Box::new(move |data| primal.fit(data))),
        ("pairs", Box::new(move |data| pairs.fit(data))),
        (
            "logistic",
            Box::new(|data| LogisticParams::default().fit(data)),
        ),
        (
            "logistic pairs",
            Box::new(move |data| logistic_pairs.fit(data)),
        ),
        ("pegasos", Box::new(move |data| pegasos.fit(data))),
        ("balanced pegasos", Box::new(move |data| rate.fit(data))),
        ("fisher", Box::new(|data| FisherParams::default().fit(data))),
    ]
}

fn errors(model: &LinearClassifier, data: &Dataset) -> usize {
    let predicted = codes(&model.predict(data.samples().view()).unwrap());
    let names = model.classes().unwrap();
    let labels = data.classes().unwrap();
    predicted
        .iter()
        .zip(labels.codes())
        .filter(|&(&p, &truth)| names[p as usize] != labels.names()[truth as usize])
        .count()
}

#[test]
fn separate_clouds_are_told_apart() {
    // Clouds on a circle overlap the more, the more there are.
    for (k, most) in [(2, 0.08), (3, 0.2), (5, 0.45)] {
        let data = clouds(40 * k, k, 3);
        for (name, fit) in methods() {
            let fitted = fit(&data).unwrap();
            let wrong = errors(&fitted.model, &data);
            let share = wrong as f64 / data.n_rows() as f64;
            assert!(share <= most, "{name}, {k} classes: {share}");
            let columns = fitted
                .model
                .scores(data.samples().view())
                .unwrap()
                .columns
                .len();
            assert_eq!(columns, fitted.model.machines().len().max(1), "{name}");
        }
    }
}

#[test]
fn one_class_needs_no_machine() {
    let data = class_data(2, vec![1.0, 2.0, 3.0, 4.0], &[7.0, 7.0]);
    for (name, fit) in methods() {
        let fitted = fit(&data).unwrap();
        assert!(fitted.model.machines().is_empty(), "{name}");
        let view = data.samples().view();
        assert_eq!(
            fitted.model.predict(view).unwrap(),
            Prediction::Classes(vec![0, 0])
        );
        assert_eq!(fitted.model.scores(view).unwrap().values, [1.0, 1.0]);
    }
}

#[test]
fn no_rows_are_an_error() {
    let data = class_data(2, vec![], &[]);
    let weightless = class_data(1, vec![1.0, 2.0], &[1.0, 2.0])
        .with_weights(vec![0.0, 0.0])
        .unwrap();
    for (name, fit) in methods() {
        assert_eq!(fit(&data).unwrap_err(), Error::NoRows, "{name}");
        assert_eq!(fit(&weightless).unwrap_err(), Error::NoRows, "{name}");
    }
}

#[test]
fn odd_data_give_finite_models() {
    let wide: Vec<f64> = (0..4 * 50)
        .map(|i| f64::from((i * 37) % 11) - 5.0)
        .collect();
    let cases = [
        (
            "constant columns",
            class_data(2, vec![3.0; 8], &[1.0, 1.0, 2.0, 2.0]),
        ),
        (
            "all zeros",
            class_data(3, vec![0.0; 12], &[0.0, 1.0, 0.0, 1.0]),
        ),
        (
            "duplicates with both labels",
            class_data(1, vec![1.0, 1.0, 1.0, 1.0], &[-1.0, 1.0, -1.0, 1.0]),
        ),
        ("two rows", class_data(1, vec![-1.0, 1.0], &[0.0, 1.0])),
        (
            "more features than rows",
            class_data(50, wide, &[1.0, 2.0, 1.0, 2.0]),
        ),
        (
            "far from the origin",
            class_data(
                1,
                vec![1e6 - 1.0, 1e6 - 0.5, 1e6 + 0.5, 1e6 + 1.0],
                &[1.0, 1.0, 2.0, 2.0],
            ),
        ),
        (
            "tiny values",
            class_data(1, vec![-1e-200, 1e-200], &[1.0, 2.0]),
        ),
    ];
    for (what, data) in cases {
        for (name, fit) in methods() {
            let fitted = fit(&data).unwrap();
            for machine in fitted.model.machines() {
                assert!(machine.intercept.is_finite(), "{name}, {what}");
                assert!(
                    machine.weights.iter().all(|w| w.is_finite()),
                    "{name}, {what}"
                );
            }
            assert!(fitted.report.objective.is_finite(), "{name}, {what}");
            let predicted = codes(&fitted.model.predict(data.samples().view()).unwrap());
            assert!(predicted.iter().all(|&code| code < 2), "{name}, {what}");
        }
    }
}

#[test]
fn values_whose_squares_overflow_are_named() {
    let data = class_data(2, vec![1.0, 2.0, 1e300, 3.0], &[1.0, 2.0]);
    for (name, fit) in methods() {
        match fit(&data).unwrap_err() {
            Error::TooWide {
                row: 2,
                column: 1,
                value,
            } => assert_eq!(value, 1e300),
            other => panic!("{name}: {other}"),
        }
    }
}

#[test]
fn texts_and_other_labels_keep_their_names() {
    let samples = Samples::dense(4, 1, vec![-2.0, -1.0, 1.0, 2.0]).unwrap();
    let labels = ClassLabels::from_texts(&["no", "no", "yes", "yes"]);
    let texts = Dataset::new(samples, Target::Classes(labels)).unwrap();
    for (name, fit) in methods() {
        let fitted = fit(&texts).unwrap();
        let expected = ["no", "yes"].map(|t| ClassName::Text(t.to_owned()));
        assert_eq!(fitted.model.classes().unwrap(), expected, "{name}");
        assert_eq!(errors(&fitted.model, &texts), 0, "{name}");
        for pair in [[0.0, 1.0], [1.0, 2.0], [-1.0, 1.0]] {
            let data = class_data(
                1,
                vec![-2.0, -1.0, 1.0, 2.0],
                &[pair[0], pair[0], pair[1], pair[1]],
            );
            assert_eq!(
                errors(&fit(&data).unwrap().model, &data),
                0,
                "{name} {pair:?}"
            );
        }
    }
    let real = Dataset::new(
        Samples::dense(1, 1, vec![1.0]).unwrap(),
        Target::Real(vec![0.5]),
    )
    .unwrap();
    for (name, fit) in methods() {
        assert!(matches!(fit(&real), Err(Error::Target { .. })), "{name}");
    }
}

#[test]
fn parameters_out_of_range_are_named() {
    let data = class_data(1, vec![-1.0, 1.0], &[0.0, 1.0]);
    let named = |result: Result<Fitted<LinearClassifier>>, expected: &str| match result {
        Err(Error::Parameter { name, .. }) => assert_eq!(name, expected),
        other => panic!("{expected}: {other:?}"),
    };
    let svm = LinearSvmParams::default;
    named(svm().with_cost(0.0).fit(&data), "cost");
    named(svm().with_cost(f64::NAN).fit(&data), "cost");
    named(svm().with_tolerance(-1.0).fit(&data), "tolerance");
    named(svm().with_bias(Some(0.0)).fit(&data), "bias");
    let class = ClassName::Number(0.0);
    named(
        svm().with_class_weight(class, 0.0).fit(&data),
        "class_weights",
    );
    named(LogisticParams::default().with_cost(-1.0).fit(&data), "cost");
    named(
        PegasosParams::default().with_lambda(0.0).fit(&data),
        "lambda",
    );
    named(PegasosParams::default().with_batch(0).fit(&data), "batch");
    let rate = PegasosParams::default().with_bias(Bias::Rate(0.0));
    named(rate.fit(&data), "bias_rate");
    named(FisherParams::default().with_ridge(-1.0).fit(&data), "ridge");
    let impossible = svm()
        .with_loss(HingeLoss::Hinge)
        .with_solver(LinearSolver::Primal);
    assert!(matches!(
        impossible.fit(&data),
        Err(Error::UnknownName { .. })
    ));
    let unknown = svm().with_class_weight(ClassName::Number(9.0), 2.0);
    assert!(matches!(
        unknown.fit(&data),
        Err(Error::UnknownClass { .. })
    ));
}

#[test]
fn dense_and_sparse_data_give_the_same_model() {
    let mut generator = Generator::new(5);
    let (mut starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    let mut labels = Vec::new();
    for i in 0..120 {
        for f in 0..30u32 {
            if generator.uniform() < 0.2 {
                indices.push(f);
                values.push(generator.normal() + if f % 3 == i as u32 % 3 { 1.0 } else { 0.0 });
            }
        }
        starts.push(indices.len());
        labels.push(f64::from(i % 3));
    }
    let sparse = Samples::Sparse(CsrMatrix::new(30, starts, indices, values).unwrap());
    let target = Target::Classes(ClassLabels::from_numbers(&labels));
    let full = Dataset::new(dense(&sparse), target.clone()).unwrap();
    let sparse = Dataset::new(sparse, target).unwrap();
    for (name, fit) in methods() {
        let (a, b) = (fit(&sparse).unwrap(), fit(&full).unwrap());
        assert_eq!(a.model, b.model, "{name}");
    }
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let data = clouds(3000, 4, 9);
    let pool = |threads| rayon_pool(threads);
    for (name, fit) in methods() {
        let one = pool(1).install(|| fit(&data)).unwrap();
        let three = pool(3).install(|| fit(&data)).unwrap();
        assert_eq!(one.model, three.model, "{name}");
        let view = data.samples().view();
        let scores = pool(1).install(|| one.model.scores(view)).unwrap();
        assert_eq!(scores, pool(3).install(|| one.model.scores(view)).unwrap());
    }
}

fn rayon_pool(threads: usize) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .unwrap()
}

#[test]
fn weights_are_repeated_rows() {
    let data = clouds(60, 2, 4);
    let counts: Vec<usize> = (0..60).map(|i| i % 3).collect();
    let weighted = data
        .clone()
        .with_weights(counts.iter().map(|&c| c as f64).collect())
        .unwrap();
    let rows: Vec<usize> = (0..60)
        .flat_map(|i| std::iter::repeat_n(i, counts[i]))
        .collect();
    let repeated = data.select(&rows);
    let svm = LinearSvmParams::default()
        .with_tolerance(1e-9)
        .with_max_iterations(1_000_000);
    let hinge = svm.clone().with_loss(HingeLoss::Hinge);
    let logistic = LogisticParams::default().with_tolerance(1e-10);
    let fits: [(&str, Fit); 4] = [
        ("squared", Box::new(move |data| svm.fit(data))),
        ("hinge", Box::new(move |data| hinge.fit(data))),
        ("logistic", Box::new(move |data| logistic.fit(data))),
        ("fisher", Box::new(|data| FisherParams::default().fit(data))),
    ];
    for (name, fit) in fits {
        let (a, b) = (fit(&weighted).unwrap(), fit(&repeated).unwrap());
        for (p, q) in a.model.machines().iter().zip(b.model.machines()) {
            assert!((p.intercept - q.intercept).abs() < 1e-4, "{name}");
            for (u, v) in p.weights.iter().zip(&q.weights) {
                assert!((u - v).abs() < 1e-4 * (1.0 + v.abs()), "{name}: {u} {v}");
            }
        }
    }
}

#[test]
fn models_survive_their_file_and_damaged_ones_are_refused() {
    let data = clouds(60, 3, 4);
    let model = LogisticParams::default().fit(&data).unwrap().model;
    let bytes = postcard::to_stdvec(&model).unwrap();
    let again: LinearClassifier = postcard::from_bytes(&bytes).unwrap();
    assert_eq!(again, model);
    let mut parts = model.parts().clone();
    parts.machines.pop();
    assert!(LinearClassifier::from_parts(parts).is_err());
    let mut parts = model.parts().clone();
    parts.machines[0].weights.push(1.0);
    assert!(LinearClassifier::from_parts(parts.clone()).is_err());
    let damaged = postcard::to_stdvec(&parts).unwrap();
    assert!(postcard::from_bytes::<LinearClassifier>(&damaged).is_err());
    let mut parts = model.parts().clone();
    parts.machines[0].intercept = f64::NAN;
    assert!(LinearClassifier::from_parts(parts).is_err());
}

#[test]
fn probabilities_sum_to_one_and_follow_the_decision() {
    for (k, multiclass) in [
        (2, Multiclass::OneVsRest),
        (4, Multiclass::OneVsRest),
        (4, Multiclass::OneVsOne),
    ] {
        let data = clouds(50 * k, k, 8);
        let params = LogisticParams::default().with_multiclass(multiclass);
        let model = params.fit(&data).unwrap().model;
        let view = data.samples().view();
        let shares = model.probabilities(view).unwrap();
        let predicted = codes(&model.predict(view).unwrap());
        let mut agreeing = 0;
        for (i, &code) in predicted.iter().enumerate() {
            let row = shares.row(i);
            assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            assert!(row.iter().all(|p| (0.0..=1.0).contains(p)));
            let best = row.iter().copied().fold(0.0, f64::max);
            agreeing += usize::from(row[code as usize] >= best);
        }
        assert!(
            agreeing * 20 >= predicted.len() * 19,
            "{agreeing} of {}",
            predicted.len()
        );
    }
    let svm = LinearSvmParams::default()
        .fit(&clouds(20, 2, 1))
        .unwrap()
        .model;
    let view = clouds(20, 2, 1);
    let refused = svm.probabilities(view.samples().view());
    assert_eq!(refused.unwrap_err(), Error::NoProbabilities);
}

#[test]
fn wide_rows_are_refused_and_narrow_ones_filled_up() {
    let data = class_data(2, vec![-1.0, 0.0, 1.0, 0.0], &[0.0, 1.0]);
    let model = LinearSvmParams::default().fit(&data).unwrap().model;
    let wide = Samples::dense(1, 3, vec![1.0, 2.0, 3.0]).unwrap();
    assert!(matches!(
        model.predict(wide.view()),
        Err(Error::Shape { .. })
    ));
    let narrow = Samples::dense(1, 1, vec![1.0]).unwrap();
    let full = Samples::dense(1, 2, vec![1.0, 0.0]).unwrap();
    assert_eq!(
        model.scores(narrow.view()).unwrap(),
        model.scores(full.view()).unwrap()
    );
    let broken = Samples::dense(1, 2, vec![f64::NAN, 0.0]).unwrap();
    assert!(matches!(
        model.predict(broken.view()),
        Err(Error::NotFinite { .. })
    ));
    assert!(
        model
            .decision_values_into(full.view(), &mut [0.0; 2])
            .is_err()
    );
}

/// $S_W^{-1}(\mu_+ - \mu_-)$ and the nearest projected mean, by hand.
#[test]
fn fishers_direction_is_the_closed_form() {
    let values = vec![0.0, 0.0, 2.0, 0.0, 1.0, 2.0, 5.0, 4.0, 7.0, 4.0, 6.0, 6.0];
    let data = class_data(2, values, &[1.0, 1.0, 1.0, 2.0, 2.0, 2.0]);
    let model = FisherParams::default().fit(&data).unwrap().model;
    // Each class has scatter diag(2, 8/3) about its mean; means (1, 2/3) and (6, 14/3).
    let expected = [-5.0 / 4.0, -4.0 / (16.0 / 3.0)];
    let plane = &model.machines()[0];
    let ratio = plane.weights[0] / expected[0];
    assert!(ratio > 0.0);
    assert!((plane.weights[1] / expected[1] - ratio).abs() < 1e-12 * ratio);
    let middle = plane.weights[0] * 3.5 + plane.weights[1] * (8.0 / 3.0) + plane.intercept;
    assert!(middle.abs() < 1e-9, "{middle}");
    // With a common metric, several classes are told apart by the nearest mean as well.
    let three = clouds(90, 3, 2);
    let model = FisherParams::default().fit(&three).unwrap().model;
    assert!(errors(&model, &three) * 5 <= 90);
}

#[test]
fn fisher_does_not_feel_a_shift() {
    let data = clouds(100, 2, 6);
    let view = data.samples().view();
    let far: Vec<f64> = (0..100)
        .flat_map(|i| {
            view.row(i)
                .values()
                .iter()
                .map(|x| x + 1e6)
                .collect::<Vec<_>>()
        })
        .collect();
    let far = data
        .with_samples(Samples::dense(100, view.n_features(), far).unwrap())
        .unwrap();
    let near_model = FisherParams::default().fit(&data).unwrap().model;
    let far_model = FisherParams::default().fit(&far).unwrap().model;
    let near_scores = near_model.scores(view).unwrap();
    let far_scores = far_model.scores(far.samples().view()).unwrap();
    for (a, b) in near_scores.values.iter().zip(&far_scores.values) {
        assert!((a - b).abs() < 1e-4 * (1.0 + a.abs()), "{a} {b}");
    }
}

/// Acceptance: with 8,000 rows of one class around 1,000 of another, balanced weights cut the
/// rare class off where uniform ones give it up.
#[test]
fn balanced_weights_split_unbalanced_classes() {
    let mut generator = Generator::new(12);
    let (mut values, mut labels) = (Vec::new(), Vec::new());
    for i in 0..9000 {
        let rare = i % 9 == 0;
        let shift = if rare { 0.8 } else { -0.2 };
        values.extend([generator.normal() + shift, generator.normal()]);
        labels.push(if rare { 1.0 } else { -1.0 });
    }
    let data = class_data(2, values, &labels);
    let rare_found = |balanced: bool, weights: f64| {
        let mut params = LinearSvmParams::default()
            .with_loss(HingeLoss::Hinge)
            .with_cost(1e-3);
        if balanced {
            params = params.with_class_weight(ClassName::Number(1.0), weights);
        }
        let model = params.fit(&data).unwrap().model;
        let predicted = codes(&model.predict(data.samples().view()).unwrap());
        predicted.iter().filter(|&&code| code == 0).count()
    };
    assert!(rare_found(false, 1.0) < 20);
    assert!(rare_found(true, 8.0) > 1000);
    let pegasos = |balanced: bool| {
        let params = PegasosParams::default()
            .with_lambda(if balanced { 1e-5 } else { 1e-1 })
            .with_balanced(balanced)
            .with_max_iterations(200_000)
            .with_stop(Stop::Pass(1e-3));
        let model = params.fit(&data).unwrap().model;
        let predicted = codes(&model.predict(data.samples().view()).unwrap());
        predicted.iter().filter(|&&code| code == 0).count()
    };
    assert!(pegasos(false) < 20);
    assert!(pegasos(true) > 1000);
}

#[test]
fn limits_are_statuses() {
    let data = clouds(400, 2, 13);
    let few = LinearSvmParams::default()
        .with_solver(LinearSolver::Dual)
        .with_tolerance(1e-12)
        .with_max_iterations(3);
    let fitted = few.fit(&data).unwrap();
    assert_eq!(fitted.report.status, Status::IterationLimit);
    assert_eq!(fitted.report.iterations, 3);
    let mut hasty = LinearSvmParams::default().with_tolerance(1e-12);
    hasty.max_seconds = Some(0.0);
    assert_eq!(hasty.fit(&data).unwrap().report.status, Status::TimeLimit);
}
