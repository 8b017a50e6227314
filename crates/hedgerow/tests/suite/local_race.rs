//! Selection by candidates that race on many neighbourhoods.

#![allow(
    clippy::unwrap_used,
    reason = "a helper that fails should fail the test"
)]

use hedgerow::data::generate::{banana, blobs};
use hedgerow::data::{Columns, Dataset, Generator, Samples, Target};
use hedgerow::local::{FalkGrid, FalkParams, FalkSelection};
use hedgerow::{Error, Predictor, Status, Views};
use std::sync::atomic::{AtomicUsize, Ordering};

fn small_grid() -> FalkGrid {
    FalkGrid::for_race()
        .with_neighbours(&[20, 60, 200])
        .with_costs(&[0.01, 1.0, 10.0])
        .with_gammas(&[-0.1, -0.5, 1e-6])
        .unwrap()
        .with_models(64)
}

fn raced(data: &Dataset) -> FalkSelection {
    let told = |_, _| Ok(());
    FalkParams::default()
        .race(data, &small_grid(), &told)
        .unwrap()
}

/// Data with columns of pure noise beside the two that matter.
fn with_noise(n: usize, seed: u64) -> Dataset {
    let data = banana(n, 0.2, seed).unwrap();
    let mut generator = Generator::new(seed);
    let mut values = Vec::new();
    for row in 0..n {
        let mut two = [0.0; 2];
        data.samples().view().row(row).write_dense(&mut two);
        values.extend(two);
        values.extend((0..6).map(|_| generator.range(-3.0, 3.0)));
    }
    let samples = Samples::dense(n, 8, values).unwrap();
    Dataset::new(samples, data.target().clone()).unwrap()
}

#[test]
fn the_best_of_those_that_were_tried_throughout_is_taken() {
    let found = raced(&banana(800, 0.3, 1).unwrap());
    let best = found.chosen();
    assert_eq!(best.neighbourhoods, 64);
    assert_eq!(found.rows.len(), 64);
    assert_eq!(found.status, Status::Converged);
    let finished = found
        .candidates
        .iter()
        .filter(|one| one.neighbourhoods == 64);
    let top = finished.map(|one| one.score).fold(0.0, f64::max);
    assert_eq!(best.score, top);
    // A machine with a kernel that is constant lets its neighbourhood vote: it is never the best. (One
    // with C near 0 may be: with a narrow kernel it lets the nearest rows vote.)
    assert!(best.kernel.to_string().contains("gamma=q"), "{best:?}");
}

#[test]
fn what_is_chosen_answers_new_rows_about_as_well_as_was_foretold() {
    let data = banana(1500, 0.3, 2).unwrap();
    let told = |_, _| Ok(());
    let found = raced(&data);
    let mut params = FalkParams {
        neighbours: found.neighbours,
        ..FalkParams::default()
    };
    params.local.cost = found.cost;
    params.local.solver.kernel = found.kernel.clone();
    let test = banana(3000, 0.3, 3).unwrap();
    let model = params.fit(&data).unwrap().model;
    let hedgerow::Prediction::Classes(codes) = model.predict(test.samples().view()).unwrap() else {
        panic!("classes");
    };
    let names = model.classes().unwrap();
    let labels = test.classes().unwrap();
    let is_right =
        |(found, code): (&u32, &u32)| names[*found as usize] == labels.names()[*code as usize];
    let right = codes
        .iter()
        .zip(labels.codes())
        .filter(|&(a, b)| is_right((a, b)))
        .count();
    let accuracy = right as f64 / 3000.0;
    assert!(
        (accuracy - found.chosen().score).abs() < 0.03,
        "{accuracy} {found:?}"
    );
    // Fewer neighbourhoods, the same answer every time.
    let again = FalkParams::default()
        .race(&data, &small_grid(), &told)
        .unwrap();
    assert_eq!(again.candidates, found.candidates);
}

#[test]
fn threads_do_not_change_a_race() {
    let data = blobs(600, 3, 4, 1.5, 4).unwrap();
    let with_threads = |n: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n).build();
        pool.unwrap().install(|| raced(&data))
    };
    let (one, three) = (with_threads(1), with_threads(3));
    assert_eq!(one.candidates, three.candidates);
    assert_eq!(one.best, three.best);
}

#[test]
fn real_targets_race_by_their_squared_error() {
    let mut generator = Generator::new(5);
    let x: Vec<f64> = (0..500).map(|_| generator.range(-3.0, 3.0)).collect();
    let y = x
        .iter()
        .map(|x| (2.0 * x).sin() + 0.05 * generator.normal())
        .collect();
    let data = Dataset::new(Samples::dense(500, 1, x).unwrap(), Target::Real(y)).unwrap();
    let found = raced(&data);
    assert!(found.chosen().score < 0.02, "{:?}", found.chosen());
    let finished = found
        .candidates
        .iter()
        .filter(|one| one.neighbourhoods == 64);
    let least = finished.map(|one| one.score).fold(f64::INFINITY, f64::min);
    assert_eq!(found.chosen().score, least);
}

#[test]
fn a_view_without_noise_is_preferred_and_equal_views_are_not() {
    let data = with_noise(900, 6);
    let mut factors = vec![1.0; 2];
    factors.extend([0.0; 6]);
    let clean = Columns::weighted(&factors)
        .unwrap()
        .apply_to(&data)
        .unwrap();
    let params = FalkParams::default();
    let grid = small_grid().with_neighbours(&[100]);
    let compare = |views: Vec<Vec<&Dataset>>, part_of: &[u32]| {
        let views = Views {
            data: views,
            part_of,
        };
        params.compare_views(&views, &grid).unwrap()
    };
    let found = compare(vec![vec![&data], vec![&clean]], &[]);
    assert_eq!(found.best, 1);
    assert!(found.scores[1] > found.scores[0] + 0.02, "{found:?}");
    assert!(found.judged >= 64);
    assert_eq!(compare(vec![vec![&data], vec![&data]], &[]).best, 0);
    assert_eq!(compare(vec![vec![&clean], vec![&data]], &[]).best, 0);
    // Every part of the rows is judged in its own data: noise in one of two costs half as much.
    let part_of: Vec<u32> = (0..900).map(|row| row % 2).collect();
    let half = compare(vec![vec![&data, &clean], vec![&clean, &clean]], &part_of);
    assert!(half.scores[0] < half.scores[1]);
    let whole = compare(vec![vec![&data, &data], vec![&clean, &clean]], &part_of);
    assert!(whole.scores[0] < half.scores[0], "{whole:?} {half:?}");
}

#[test]
fn few_rows_and_one_class_have_defined_outcomes() {
    let one = Samples::dense(1, 1, vec![1.0]).unwrap();
    let one = Dataset::new(one, Target::Real(vec![1.0])).unwrap();
    let told = |_, _| Ok(());
    let error = FalkParams::default().race(&one, &small_grid(), &told);
    assert!(matches!(error, Err(Error::Shape { .. })));
    let few = banana(5, 0.1, 1).unwrap();
    let found = raced(&few);
    assert_eq!(found.rows.len(), 5);
    assert_eq!(found.neighbours, 5);
    let equal = Samples::dense(30, 1, vec![2.0; 30]).unwrap();
    let equal = Dataset::new(equal, Target::Real(vec![1.0; 30])).unwrap();
    assert_eq!(raced(&equal).chosen().score, 0.0);
    let none = Views {
        data: Vec::new(),
        part_of: &[],
    };
    let compared = FalkParams::default().compare_views(&none, &small_grid());
    assert!(matches!(compared, Err(Error::NoRows)));
}

#[test]
fn progress_can_stop_a_race() {
    let seen = AtomicUsize::new(0);
    let stop = |_, _| {
        seen.fetch_add(1, Ordering::Relaxed);
        Err(Error::NoRows)
    };
    let data = banana(300, 0.2, 1).unwrap();
    assert!(
        FalkParams::default()
            .race(&data, &small_grid(), &stop)
            .is_err()
    );
    assert!(seen.into_inner() >= 1);
}
