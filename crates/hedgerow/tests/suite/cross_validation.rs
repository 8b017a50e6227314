//! Cross-validation and grid search with small models made for the tests.

#![allow(clippy::unwrap_used)] // Helpers of tests may fail as loudly as the tests.

use hedgerow::data::{
    ClassLabels, ClassName, Dataset, Samples, SamplesView, Split, Target, folds, generate,
    stratified_folds,
};
use hedgerow::evaluate::grid::{PointStatus, Progress, SearchOptions, SearchResult, search};
use hedgerow::evaluate::{Axis, Grid, Metric, cross_validate, evaluate};
use hedgerow::params::Value;
use hedgerow::{Error, Prediction, Predictor, Result, ScoreMatrix};
use std::sync::Mutex;

/// Nearest class mean with a bias towards the class that sorts last; its class order is the
/// reverse of the data's.
struct NearestMean {
    classes: Vec<ClassName>,
    means: Vec<Vec<f64>>,
    bias: f64,
}

impl NearestMean {
    fn fit(data: &Dataset, bias: f64) -> Result<Box<dyn Predictor>> {
        let labels = data.classes()?;
        let mut classes = labels.names().to_vec();
        classes.reverse();
        let mut means = vec![vec![0.0; data.n_features()]; classes.len()];
        let counts = labels.counts();
        for (i, &code) in labels.codes().iter().enumerate() {
            let c = classes.len() - 1 - code as usize;
            data.samples().view().row(i).for_each(|f, value| {
                means[c][f] += value / counts[code as usize] as f64;
            });
        }
        Ok(Box::new(Self {
            classes,
            means,
            bias,
        }))
    }

    fn sq_dists(&self, samples: SamplesView<'_>, i: usize) -> Vec<f64> {
        let last = (0..self.classes.len())
            .max_by(|&a, &b| self.classes[a].order(&self.classes[b]))
            .unwrap();
        let mut row = vec![0.0; self.n_features()];
        samples.row(i).write_dense(&mut row);
        let dist = |mean: &[f64]| mean.iter().zip(&row).map(|(m, v)| (m - v).powi(2)).sum();
        let mut all: Vec<f64> = self.means.iter().map(|mean| dist(mean)).collect();
        all[last] -= self.bias;
        all
    }
}

impl Predictor for NearestMean {
    fn n_features(&self) -> usize {
        self.means[0].len()
    }

    fn classes(&self) -> Option<&[ClassName]> {
        Some(&self.classes)
    }

    fn predict(&self, samples: SamplesView<'_>) -> Result<Prediction> {
        let codes = (0..samples.n_rows()).map(|i| {
            let all = self.sq_dists(samples, i);
            (0..all.len())
                .min_by(|&a, &b| all[a].total_cmp(&all[b]))
                .unwrap() as u32
        });
        Ok(Prediction::Classes(codes.collect()))
    }

    fn scores(&self, samples: SamplesView<'_>) -> Result<ScoreMatrix> {
        let values = (0..samples.n_rows()).flat_map(|i| self.sq_dists(samples, i));
        Ok(ScoreMatrix {
            columns: self.classes.iter().map(ToString::to_string).collect(),
            values: values.map(|d| -d).collect(),
        })
    }
}

/// Predicts a constant.
struct Constant(f64);

impl Predictor for Constant {
    fn n_features(&self) -> usize {
        1
    }

    fn classes(&self) -> Option<&[ClassName]> {
        None
    }

    fn predict(&self, samples: SamplesView<'_>) -> Result<Prediction> {
        Ok(Prediction::Real(vec![self.0; samples.n_rows()]))
    }

    fn scores(&self, samples: SamplesView<'_>) -> Result<ScoreMatrix> {
        Ok(ScoreMatrix {
            columns: vec!["value".to_owned()],
            values: vec![self.0; samples.n_rows()],
        })
    }
}

fn two_blobs() -> Dataset {
    generate::blobs(120, 2, 2, 3.0, 4).unwrap()
}

fn real_data() -> Dataset {
    let samples = Samples::dense(6, 1, vec![0.0; 6]).unwrap();
    let target = Target::Real(vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    Dataset::new(samples, target).unwrap()
}

fn in_pool<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.unwrap().install(work)
}

#[test]
fn out_of_fold_predictions_are_mapped_by_class_name() {
    let data = two_blobs();
    let labels = data.classes().unwrap();
    let splits = stratified_folds(labels, 5, 1).unwrap();
    let result = cross_validate(&data, &splits, |train| NearestMean::fit(train, 0.0)).unwrap();
    assert_eq!(result.classes.as_deref(), Some(labels.names()));
    // The same by hand, fold by fold.
    let mut expected = vec![0; data.n_rows()];
    for split in &splits {
        let model = NearestMean::fit(&data.select(&split.train), 0.0).unwrap();
        let test = data.select(&split.test);
        let Prediction::Classes(codes) = model.predict(test.samples().view()).unwrap() else {
            panic!("classes");
        };
        for (&i, code) in split.test.iter().zip(codes) {
            expected[i] = 1 - code;
        }
    }
    let found: Vec<u32> = result
        .predicted_codes(data.n_rows())
        .into_iter()
        .map(Option::unwrap)
        .collect();
    assert_eq!(found, expected);
    let hits = found.iter().zip(labels.codes()).filter(|(a, b)| a == b);
    let pooled = hits.count() as f64 / 120.0;
    let accuracy = result.summary(Metric::Accuracy).unwrap();
    assert_eq!(accuracy.folds, 5);
    assert!((accuracy.mean - pooled).abs() < 1e-12, "equal folds");
    assert!(accuracy.mean > 0.6 && accuracy.mean < 1.0);
    assert_eq!(result.confusion(&data).unwrap().accuracy(), pooled);
    // Scores named by class give an AUC, oriented towards +1.
    assert!(result.summary(Metric::Auc).unwrap().mean > 0.7);
}

#[test]
fn classes_that_only_models_know_are_appended() {
    let data = two_blobs();
    let splits = stratified_folds(data.classes().unwrap(), 3, 1).unwrap();
    let renamed = |train: &Dataset| {
        let names = vec![ClassName::Number(-1.0), ClassName::Text("other".into())];
        let codes = train.classes()?.codes().to_vec();
        let labels = ClassLabels::new(names, codes)?;
        let train = Dataset::new(train.samples().clone(), Target::Classes(labels))?;
        NearestMean::fit(&train, 0.0)
    };
    let result = cross_validate(&data, &splits, renamed).unwrap();
    let classes = result.classes.clone().unwrap();
    assert_eq!(classes.len(), 3);
    assert_eq!(classes[2], ClassName::Text("other".into()));
    let confusion = result.confusion(&data).unwrap();
    assert_eq!(confusion.actual(2), 0);
    assert!(confusion.predicted(2) > 0);
}

#[test]
fn regression_is_measured_too() {
    let data = real_data();
    let splits = folds(6, 3, 0).unwrap();
    let result = cross_validate(&data, &splits, |train| {
        let targets = train.real_targets()?;
        let mean = targets.iter().sum::<f64>() / targets.len() as f64;
        Ok(Box::new(Constant(mean)))
    })
    .unwrap();
    assert_eq!(result.classes, None);
    let values = result.predicted_values(6);
    for (fold, split) in result.folds.iter().zip(&splits) {
        let trained: f64 = split.train.iter().map(|&i| (i + 1) as f64).sum::<f64>() / 4.0;
        assert!(split.test.iter().all(|&i| values[i] == Some(trained)));
        let squares = split
            .test
            .iter()
            .map(|&i| ((i + 1) as f64 - trained).powi(2));
        let error = squares.sum::<f64>() / 2.0;
        assert!((fold.metric(Metric::MeanSquaredError).unwrap() - error).abs() < 1e-12);
    }
}

#[test]
fn the_first_failing_fold_and_unfit_models_are_errors() {
    let data = two_blobs();
    let splits = folds(120, 4, 0).unwrap();
    let failing = |train: &Dataset| -> Result<Box<dyn Predictor>> {
        Err(Error::TooFewClasses {
            needed: 9,
            found: train.n_rows(),
        })
    };
    let error = cross_validate(&data, &splits, failing).unwrap_err();
    let expected = Error::TooFewClasses {
        needed: 9,
        found: 90,
    };
    assert_eq!(error, expected);
    let wrong_kind = cross_validate(&data, &splits, |_| Ok(Box::new(Constant(1.0))));
    assert!(matches!(wrong_kind, Err(Error::Target { .. })));
    assert!(cross_validate(&data, &[], failing).is_err());
    let empty = Split {
        train: (0..120).collect(),
        test: Vec::new(),
    };
    let empty = cross_validate(&data, &[empty], |train| NearestMean::fit(train, 0.0));
    assert_eq!(empty, Err(Error::NoRows));
}

#[test]
fn metrics_have_names() {
    for metric in Metric::ALL {
        assert_eq!(Metric::by_name(metric.name()), Ok(metric));
    }
    assert!(matches!(
        Metric::by_name("speed"),
        Err(Error::UnknownName { .. })
    ));
}

/// Values that are all numbers.
fn numbers(values: &[Value]) -> Vec<f64> {
    let number = |value: &Value| value.as_number().expect("a number");
    values.iter().map(number).collect()
}

#[test]
fn axes_are_read_from_text() {
    let values = |text: &str| numbers(&Axis::parse(text).unwrap().values);
    assert_eq!(values("gamma=0.1, 1,10"), [0.1, 1.0, 10.0]);
    assert_eq!(values("k=10:10:40"), [10.0, 20.0, 30.0, 40.0]);
    assert_eq!(values("k=10:15:40"), [10.0, 25.0, 40.0]);
    assert_eq!(values("k=3:-1:1"), [3.0, 2.0, 1.0]);
    assert_eq!(values("x=0:0.1:0.3").len(), 4);
    let cost = values("cost=2^-5:2:15");
    assert_eq!(cost.len(), 11);
    assert_eq!((cost[0], cost[10]), (0.031_25, 32768.0));
    assert_eq!(values("c=10^0:1:2,2^-3,5"), [1.0, 10.0, 100.0, 0.125, 5.0]);
    assert_eq!(Axis::parse(" c = 1").unwrap().name, "c");
    let words = Axis::parse("sigma=q1, q10,3").unwrap().values;
    assert_eq!(words, ["q1".into(), "q10".into(), Value::Number(3.0)]);
    for bad in [
        "c",
        "=1",
        "c=",
        "c=1:2",
        "c=1:-1:2",
        "c=1:0:2",
        "c=-2^1",
        "c=1,,2",
        "c=inf",
        "c=2^5000",
        "c=0:1e-9:1",
        "c=1:2:3:4",
        "c=nan",
    ] {
        let found = Axis::parse(bad);
        assert!(
            matches!(found, Err(Error::Syntax { .. })),
            "{bad}: {found:?}"
        );
    }
    assert!(Grid::parse(&["a=1,2", "a=3"]).is_err());
    assert!(Grid::parse::<&str>(&[]).is_err());
    assert!(Grid::parse(&["a=1:1:2000", "b=1:1:2000"]).is_err());
    let grid = Grid::parse(&["a=1,2", "b=5,6,7"]).unwrap();
    let points: Vec<Vec<f64>> = (0..grid.n_points())
        .map(|at| numbers(&grid.point(at)))
        .collect();
    assert_eq!(points.len(), 6);
    assert_eq!(points[1], [1.0, 6.0]);
    assert_eq!(points[3], [2.0, 5.0]);
}

fn bias_search(options: &SearchOptions, threads: usize) -> SearchResult {
    let data = two_blobs();
    let splits = stratified_folds(data.classes().unwrap(), 6, 2).unwrap();
    let grid = Grid::parse(&["bias=-40:5:40", "ignored=1,2"]).unwrap();
    let fit = |point: &[Value], train: &Dataset| NearestMean::fit(train, numbers(point)[0]);
    in_pool(threads, || {
        search(&data, &splits, &grid, fit, options, &|_| ()).unwrap()
    })
}

#[test]
fn the_exact_rule_never_changes_the_winner() {
    let full = bias_search(&SearchOptions::default().with_exact_abandon(false), 1);
    assert!(
        full.points
            .iter()
            .all(|p| p.status == PointStatus::Complete)
    );
    let quick = bias_search(&SearchOptions::default(), 1);
    let hopeless = quick
        .points
        .iter()
        .filter(|p| p.status == PointStatus::Hopeless);
    assert!(hopeless.count() > 0, "the rule was never used");
    assert_eq!(quick.best, full.best);
    assert_eq!(quick.points[quick.best], full.points[full.best]);
    // The first of equals wins: the second axis changes nothing.
    assert_eq!(full.points[full.best].point[1], Value::Number(1.0));
    let best = full.points[full.best].mean;
    assert!(full.points[..full.best].iter().all(|p| p.mean < best));
    assert!(full.points.iter().all(|p| p.mean <= best));
    for point in &quick.points {
        if point.status == PointStatus::Hopeless {
            assert!(point.folds.len() < 6);
        }
    }
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    for options in [
        SearchOptions::default(),
        SearchOptions::default().with_margin(2.0).with_batch(3),
    ] {
        assert_eq!(bias_search(&options, 1), bias_search(&options, 4));
    }
    let data = two_blobs();
    let splits = folds(120, 7, 0).unwrap();
    let run = || cross_validate(&data, &splits, |train| NearestMean::fit(train, 0.0)).unwrap();
    assert_eq!(in_pool(1, run), in_pool(3, run));
}

#[test]
fn the_margin_gives_up_clearly_worse_points() {
    let options = SearchOptions::default()
        .with_exact_abandon(false)
        .with_margin(2.0);
    let result = bias_search(&options, 2);
    let worse: Vec<_> = result
        .points
        .iter()
        .filter(|p| p.status == PointStatus::Worse)
        .collect();
    assert!(!worse.is_empty());
    for point in worse {
        assert!(point.folds.len() >= 3 && point.folds.len() < 6);
        assert!(point.mean < result.points[result.best].mean);
    }
}

#[test]
fn losses_are_minimised_and_failures_noted() {
    let data = real_data();
    let splits = folds(6, 3, 0).unwrap();
    let grid = Grid::parse(&["value=0:0.5:6"]).unwrap();
    let seen: Mutex<Vec<Progress>> = Mutex::new(Vec::new());
    let fit = |point: &[Value], _: &Dataset| -> Result<Box<dyn Predictor>> {
        let point = numbers(point);
        if point[0] < 1.0 {
            return Err(Error::TooFewClasses {
                needed: 1,
                found: 0,
            });
        }
        Ok(Box::new(Constant(point[0])))
    };
    let options = SearchOptions::default().with_batch(4);
    let note = |progress: Progress| seen.lock().unwrap().push(progress);
    let result = search(&data, &splits, &grid, fit, &options, &note).unwrap();
    assert_eq!(result.metric, Metric::MeanSquaredError);
    assert_eq!(numbers(&result.points[result.best].point), [3.5]);
    for point in &result.points[..2] {
        assert!(matches!(point.status, PointStatus::Failed(_)));
        assert!(point.mean.is_nan() && point.folds.is_empty());
    }
    let seen = seen.into_inner().unwrap();
    let last = seen.last().unwrap();
    assert_eq!((last.points_done, last.points_total), (13, 13));
    assert!(
        seen.windows(2)
            .all(|pair| pair[0].points_done <= pair[1].points_done)
    );
    // All points fail: the first error comes back.
    let hopeless = Grid::parse(&["value=0,0.5"]).unwrap();
    let error = search(&data, &splits, &hopeless, fit, &options, &|_| ()).unwrap_err();
    assert!(matches!(error, Error::TooFewClasses { .. }));
    // A request to stop is not a failed point.
    let stop = |_: &[Value], _: &Dataset| -> Result<Box<dyn Predictor>> { Err(Error::Interrupted) };
    let error = search(&data, &splits, &grid, stop, &options, &|_| ()).unwrap_err();
    assert_eq!(error, Error::Interrupted);
    let no_batch = SearchOptions::default().with_batch(0);
    assert!(search(&data, &splits, &grid, fit, &no_batch, &|_| ()).is_err());
}

#[test]
fn a_model_can_be_evaluated_on_its_own() {
    let data = two_blobs();
    let model = NearestMean::fit(&data, 0.0).unwrap();
    let metrics = evaluate(model.as_ref(), &data).unwrap();
    let names: Vec<&str> = metrics.iter().map(|(metric, _)| metric.name()).collect();
    assert_eq!(
        names,
        [
            "accuracy",
            "balanced-accuracy",
            "macro-f1",
            "auc",
            "average-precision"
        ]
    );
}
