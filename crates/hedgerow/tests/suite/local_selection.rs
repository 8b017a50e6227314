//! Local model selection against its definition.

#![allow(
    clippy::unwrap_used,
    reason = "a helper that fails should fail the test"
)]

use hedgerow::data::generate::{banana, blobs, noisy_two_spirals};
use hedgerow::data::{ClassLabels, ClassName, Dataset, Generator, Samples, Target};
use hedgerow::kernel::{Kernel, KernelSpec};
use hedgerow::local::{Around, FalkGrid, FalkParams, Measure, Validate};
use hedgerow::{Error, Prediction, Predictor, Status};
use std::sync::atomic::{AtomicUsize, Ordering};

fn small_grid() -> FalkGrid {
    FalkGrid::default()
        .with_neighbours(&[30, 60])
        .with_costs(&[1.0, 10.0])
        .with_gammas(&[-0.5, 2.0])
        .unwrap()
        .with_models(4)
        .with_folds(5)
}

fn two_names() -> Vec<ClassName> {
    vec![ClassName::Number(0.0), ClassName::Number(1.0)]
}

/// Two classes on a line, `pure` rows far away and `mixed` rows of alternating class near 0.
fn mostly_pure(pure: usize, mixed: usize) -> Dataset {
    let mut values = Vec::new();
    let mut codes = Vec::new();
    for i in 0..pure {
        values.push(1000.0 + i as f64);
        codes.push(0);
    }
    for i in 0..mixed {
        values.push(i as f64 / mixed as f64);
        codes.push(u32::from(i % 2 == 0));
    }
    let samples = Samples::dense(values.len(), 1, values).unwrap();
    let names = two_names();
    let labels = ClassLabels::new(names, codes).unwrap();
    Dataset::new(samples, Target::Classes(labels)).unwrap()
}

fn regression_data(n: usize, seed: u64) -> Dataset {
    let mut generator = Generator::new(seed);
    let x: Vec<f64> = (0..n).map(|_| generator.range(-3.0, 3.0)).collect();
    let y = x
        .iter()
        .map(|x| (2.0 * x).sin() + 0.05 * generator.normal())
        .collect();
    Dataset::new(Samples::dense(n, 1, x).unwrap(), Target::Real(y)).unwrap()
}

#[test]
fn the_choice_is_the_first_of_the_best() {
    let data = noisy_two_spirals(300, 0.02, 3).unwrap();
    let (params, selection) = FalkParams::default().select(&data, &small_grid()).unwrap();
    let best = selection
        .candidates
        .iter()
        .map(|candidate| candidate.score)
        .fold(0.0, f64::max);
    let first = selection
        .candidates
        .iter()
        .position(|candidate| candidate.score == best);
    assert_eq!(first, Some(selection.best));
    assert_eq!(params.neighbours, selection.chosen().neighbours);
    assert_eq!(params.local.cost, selection.chosen().cost);
    assert_eq!(params.local.solver.kernel, selection.chosen().kernel);
    assert_eq!(selection.measure, Measure::Accuracy);
    assert_eq!(selection.status, Status::Converged);
    let tried = selection.candidates.len() / 4;
    assert_eq!(tried + selection.skipped_neighbours.len(), 2);
}

#[test]
fn candidates_stand_in_the_order_of_the_grid_and_percentiles_stay_symbolic() {
    let data = banana(400, 0.3, 1).unwrap();
    let grid = small_grid().with_neighbours(&[40]);
    let (_, selection) = FalkParams::default().select(&data, &grid).unwrap();
    let seen: Vec<(String, f64)> = selection
        .candidates
        .iter()
        .map(|candidate| (candidate.kernel.to_string(), candidate.cost))
        .collect();
    let expected = [
        ("rbf(gamma=q50)", 1.0),
        ("rbf(gamma=q50)", 10.0),
        ("rbf(gamma=2)", 1.0),
        ("rbf(gamma=2)", 10.0),
    ];
    let expected: Vec<(String, f64)> = expected.map(|(k, c)| (k.to_owned(), c)).to_vec();
    assert_eq!(seen, expected);
}

#[test]
fn equal_candidates_leave_the_first() {
    let data = banana(300, 0.2, 1).unwrap();
    let kernel: KernelSpec = "rbf(gamma=q50)".parse().unwrap();
    let grid = small_grid()
        .with_kernels(vec![kernel.clone(), kernel])
        .with_costs(&[3.0, 3.0])
        .with_neighbours(&[40]);
    let (_, selection) = FalkParams::default().select(&data, &grid).unwrap();
    let first = selection.candidates[0].score;
    assert!(selection.candidates.iter().all(|c| c.score == first));
    assert_eq!(selection.best, 0);
}

/// With k = N, one neighbourhood and fixed parameters the score is that of training SVMs by hand
/// on "other internal rows and all external rows".
#[test]
fn a_score_is_that_of_machines_trained_by_hand() {
    let data = banana(90, 0.6, 5).unwrap();
    let n = data.n_rows();
    for (validate, share, includes_centre) in [
        (Validate::Core, 0.5, true),
        (Validate::InnerHalf, 0.5, true),
        (Validate::Whole, 0.5, true),
        (Validate::Core, 0.11, true),
        (Validate::Core, 0.5, false),
        (Validate::Whole, 0.5, false),
    ] {
        // As many folds as validated rows: each is left out alone, however they are dealt.
        let k = n - usize::from(!includes_centre);
        let core = (share * k as f64).floor() as usize;
        let inner = match validate {
            Validate::Core => core,
            Validate::InnerHalf => core / 2,
            Validate::Whole => k,
        };
        let mut grid = small_grid()
            .with_neighbours(&[n])
            .with_costs(&[0.5, 8.0])
            .with_gammas(&[1.5])
            .unwrap()
            .with_models(1)
            .with_folds(1000);
        grid.validate = validate;
        grid.includes_centre = includes_centre;
        let mut params = FalkParams::default().with_core(share);
        params.local.solver.tolerance = 1e-6;
        let (_, selection) = params.select(&data, &grid).unwrap();
        let centre = selection.rows[0] as usize;
        let view = data.samples().view();
        let takes_part = |&i: &usize| includes_centre || i != centre;
        let mut order: Vec<usize> = (0..n).filter(takes_part).collect();
        let distance = |i: usize| {
            let d = view.n_features();
            hedgerow::neighbours::DistanceMetric::Euclidean
                .distance(view.row(centre), view.row(i), d)
                .unwrap()
        };
        order.sort_by(|&a, &b| distance(a).total_cmp(&distance(b)).then(a.cmp(&b)));
        for candidate in &selection.candidates {
            let svm = hedgerow::svm::SvcParams::default()
                .with_cost(candidate.cost)
                .with_kernel(Kernel::rbf(1.5))
                .with_tolerance(1e-6);
            let codes = data.classes().unwrap().codes();
            let right = order[..inner]
                .iter()
                .filter(|&&row| {
                    let others: Vec<usize> =
                        (0..n).filter(takes_part).filter(|&i| i != row).collect();
                    let model = svm.fit(&data.select(&others)).unwrap().model;
                    let one = view.select(&[row]);
                    let Prediction::Classes(found) = model.predict(one.view()).unwrap() else {
                        panic!("classes expected");
                    };
                    found[0] == codes[row]
                })
                .count();
            let by_hand = right as f64 / inner as f64;
            assert!(
                (candidate.score - by_hand).abs() < 1e-12,
                "{validate:?}, share {share}, cost {}: {} against {by_hand}",
                candidate.cost,
                candidate.score
            );
        }
    }
}

#[test]
fn answers_do_not_depend_on_threads() {
    let data = blobs(240, 3, 4, 2.5, 7).unwrap();
    let pool = |threads| {
        rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap()
    };
    let run = || {
        let mut selection = FalkParams::default()
            .select(&data, &small_grid())
            .unwrap()
            .1;
        selection.seconds = 0.0;
        selection
    };
    assert_eq!(pool(1).install(run), pool(5).install(run));
}

#[test]
fn several_classes_are_told_apart() {
    let data = blobs(600, 5, 3, 1.0, 2).unwrap();
    let (_, selection) = FalkParams::default().select(&data, &small_grid()).unwrap();
    assert!(selection.chosen().score > 0.6, "{:?}", selection.chosen());
}

#[test]
fn regression_takes_the_smallest_error() {
    let data = regression_data(400, 1);
    let grid = small_grid()
        .with_gammas(&[1e-6, 1.0])
        .unwrap()
        .with_neighbours(&[60]);
    let mut params = FalkParams::default();
    params.local.epsilon = 0.02;
    let (chosen, selection) = params.select(&data, &grid).unwrap();
    assert_eq!(selection.measure, Measure::MeanSquaredError);
    assert_eq!(chosen.local.solver.kernel.to_string(), "rbf(gamma=1)");
    let least = selection.candidates.iter().map(|c| c.score);
    let least = least.fold(f64::INFINITY, f64::min);
    assert_eq!(selection.chosen().score, least);
    // The noise has variance 0.0025.
    assert!((0.001..0.006).contains(&least), "{least}");
}

#[test]
fn balanced_neighbourhoods_are_looked_for() {
    let data = mostly_pure(400, 60);
    let mut grid = small_grid().with_neighbours(&[20]);
    let is_mixed = |row: &u32| *row >= 400;
    let (_, balanced) = FalkParams::default().select(&data, &grid).unwrap();
    assert!(balanced.rows.iter().all(is_mixed), "{:?}", balanced.rows);
    grid.balance = false;
    let (_, any) = FalkParams::default().select(&data, &grid).unwrap();
    assert!(!any.rows.iter().all(is_mixed), "{:?}", any.rows);
    let mut distinct = balanced.rows.clone();
    distinct.sort_unstable();
    distinct.dedup();
    assert_eq!(distinct.len(), 4);
}

#[test]
fn without_any_balanced_core_the_filter_gives_way() {
    // All rows of a class lie together: every core of two rows is pure.
    let values = (0..40).map(|i| {
        if i < 20 {
            f64::from(i)
        } else {
            1e6 + f64::from(i)
        }
    });
    let samples = Samples::dense(40, 1, values.collect()).unwrap();
    let codes = (0..40).map(|i| u32::from(i >= 20)).collect();
    let labels = ClassLabels::new(two_names(), codes).unwrap();
    let data = Dataset::new(samples, Target::Classes(labels)).unwrap();
    let grid = small_grid().with_neighbours(&[4]);
    let (_, selection) = FalkParams::default().select(&data, &grid).unwrap();
    assert_eq!(selection.rows.len(), 4);
    assert!(selection.candidates.iter().all(|c| c.score == 1.0));
    assert_eq!(selection.best, 0);
}

#[test]
fn larger_neighbourhoods_are_skipped_once_they_do_worse() {
    // A fixed narrow width on well separated stripes is best for small k: the class of a row is
    // that of its own stripe. A linear kernel sees one stripe only in a small neighbourhood.
    let mut values = Vec::new();
    let mut codes = Vec::new();
    for i in 0..800u32 {
        values.push(f64::from(i) / 100.0);
        codes.push((i / 100) % 2);
    }
    let samples = Samples::dense(800, 1, values).unwrap();
    let labels = ClassLabels::new(two_names(), codes).unwrap();
    let data = Dataset::new(samples, Target::Classes(labels)).unwrap();
    let grid = FalkGrid::default()
        .with_neighbours(&[800, 60, 400])
        .with_costs(&[1.0])
        .with_kernels(vec![Kernel::Linear.into()])
        .with_models(6)
        .with_folds(5);
    let (params, selection) = FalkParams::default().select(&data, &grid).unwrap();
    assert_eq!(params.neighbours, 60);
    let tried: Vec<usize> = selection.candidates.iter().map(|c| c.neighbours).collect();
    assert_eq!(tried, [60, 400]);
    assert_eq!(selection.skipped_neighbours, [800]);
    assert!(selection.candidates[0].score > selection.candidates[1].score);
}

#[test]
fn centres_are_centres_of_the_covering() {
    let data = banana(400, 0.4, 2).unwrap();
    let mut grid = small_grid().with_neighbours(&[40]);
    grid.around = Around::Centres;
    let params = FalkParams::default();
    let (_, selection) = params.select(&data, &grid).unwrap();
    let model = params.with_neighbours(40).fit(&data).unwrap().model;
    assert_eq!(selection.rows.len(), 4);
    for row in &selection.rows {
        assert!(model.centres().contains(row), "{row}");
    }
}

#[test]
fn sizes_above_the_number_of_rows_count_as_all() {
    let data = banana(50, 0.4, 2).unwrap();
    let grid = small_grid().with_neighbours(&[20, 1000, 4000]);
    let (_, selection) = FalkParams::default().select(&data, &grid).unwrap();
    let mut sizes: Vec<usize> = selection.candidates.iter().map(|c| c.neighbours).collect();
    sizes.extend(&selection.skipped_neighbours);
    sizes.dedup();
    assert_eq!(sizes, [20, 50]);
}

#[test]
fn class_weights_and_kernel_space_neighbours_are_honoured() {
    let data = banana(300, 0.5, 4).unwrap();
    let name = data.classes().unwrap().names()[0].clone();
    let grid = small_grid().with_neighbours(&[40]).with_kernels(vec![
        "poly(gamma=1, coef0=1, degree=2)".parse().unwrap(),
        "rbf(gamma=q50)".parse().unwrap(),
    ]);
    let mut params = FalkParams::default();
    let (_, plain) = params.select(&data, &grid).unwrap();
    params.local.class_weights = vec![(name, 1000.0)];
    let (_, weighted) = params.select(&data, &grid).unwrap();
    assert_eq!(plain.rows, weighted.rows);
    let scores = |s: &hedgerow::local::FalkSelection| -> Vec<f64> {
        s.candidates.iter().map(|c| c.score).collect()
    };
    assert_ne!(scores(&plain), scores(&weighted));
    params.local.class_weights = vec![(ClassName::Text("nobody".to_owned()), 2.0)];
    assert_eq!(
        params.select(&data, &grid).unwrap_err(),
        Error::UnknownClass {
            name: "nobody".to_owned()
        }
    );
}

#[test]
fn progress_counts_to_the_end_and_can_stop() {
    let data = banana(300, 0.4, 2).unwrap();
    let grid = small_grid().with_neighbours(&[40]);
    let calls = AtomicUsize::new(0);
    let last = AtomicUsize::new(0);
    FalkParams::default()
        .select_with(&data, &grid, &|progress| {
            calls.fetch_add(1, Ordering::Relaxed);
            last.fetch_max(progress.done, Ordering::Relaxed);
            assert_eq!((progress.neighbours, progress.total), (40, 8));
            Ok(())
        })
        .unwrap();
    assert_eq!(calls.into_inner(), 8);
    assert_eq!(last.into_inner(), 8);
    let stopped = FalkParams::default().select_with(&data, &grid, &|_| Err(Error::Interrupted));
    assert_eq!(stopped.unwrap_err(), Error::Interrupted);
}

#[test]
fn senseless_grids_are_refused() {
    let data = banana(60, 0.4, 2).unwrap();
    let refused = |grid: FalkGrid| {
        let error = FalkParams::default().select(&data, &grid).unwrap_err();
        error.to_string()
    };
    assert!(refused(small_grid().with_neighbours(&[])).contains("values for neighbours"));
    assert!(refused(small_grid().with_neighbours(&[1, 20])).contains("neighbours = 1"));
    assert!(refused(small_grid().with_costs(&[1.0, 0.0])).contains("cost = 0"));
    assert!(refused(small_grid().with_kernels(Vec::new())).contains("kernels"));
    assert!(refused(small_grid().with_models(0)).contains("models"));
    assert!(refused(small_grid().with_folds(1)).contains("folds"));
    let one = data.select(&[0]);
    assert!(matches!(
        FalkParams::default().select(&one, &small_grid()),
        Err(Error::Shape { found: 1, .. })
    ));
    let both = data.select(&[0, 1]);
    let (params, _) = FalkParams::default().select(&both, &small_grid()).unwrap();
    assert_eq!(params.neighbours, 2);
}

#[test]
fn neighbourhoods_that_need_too_much_memory_are_refused() {
    let data = banana(13_000, 0.4, 2).unwrap();
    let grid = small_grid().with_neighbours(&[50, 12_500]);
    let refused = FalkParams::default().select(&data, &grid);
    let is_k = |error: &Error| matches!(error, Error::Parameter { name: "neighbours", value, .. } if *value == 12_500.0);
    assert!(refused.as_ref().is_err_and(is_k), "{:?}", refused.err());
}
