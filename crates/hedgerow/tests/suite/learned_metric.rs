//! Learned weights of columns: what was planted is found, whatever else the data are.

#![allow(clippy::unwrap_used)] // Helpers outside of test functions unwrap too.

use hedgerow::Error;
use hedgerow::data::{
    ClassLabels, CsrMatrix, Dataset, Generator, Samples, Target, generate::checkerboard,
};
use hedgerow::neighbours::{LearnedMetric, LearnedMetricParams};

const USEFUL: usize = 10;

/// Rows whose class is the sign of a bent function of the first ten columns; the others are noise of
/// the same size.
fn planted(n_rows: usize, width: usize, seed: u64) -> (Vec<f64>, Vec<f64>) {
    let mut generator = Generator::new(seed);
    let mut values = Vec::with_capacity(n_rows * width);
    let mut sums = Vec::with_capacity(n_rows);
    for _ in 0..n_rows {
        let row: Vec<f64> = (0..width).map(|_| generator.normal()).collect();
        let bent = |f: usize| {
            let part = (1.5 * row[f]).sin() + row[f];
            if f.is_multiple_of(2) { part } else { -part }
        };
        sums.push((0..USEFUL).map(bent).sum());
        values.extend(row);
    }
    (values, sums)
}

fn classes(n_rows: usize, width: usize, values: Vec<f64>, codes: &[f64]) -> Dataset {
    let samples = Samples::dense(n_rows, width, values).unwrap();
    Dataset::new(samples, Target::Classes(ClassLabels::from_numbers(codes))).unwrap()
}

fn signs(sums: &[f64]) -> Vec<f64> {
    sums.iter()
        .map(|&sum| if sum > 0.0 { 1.0 } else { -1.0 })
        .collect()
}

/// Least of the first weights and largest of the others.
fn margin(found: &LearnedMetric) -> (f64, f64) {
    let (useful, noise) = found.weights.split_at(USEFUL);
    let least = useful.iter().copied().fold(f64::INFINITY, f64::min);
    let most = noise.iter().copied().fold(0.0, f64::max);
    (least, most)
}

#[test]
fn ten_useful_columns_of_a_hundred_are_found() {
    let (values, sums) = planted(3000, 100, 1);
    let data = classes(3000, 100, values, &signs(&sums));
    let found = LearnedMetricParams::default().fit(&data).unwrap();
    let (least, most) = margin(&found);
    assert!(least > 1.5 * most, "{least} {most}");
    assert!(found.loss < found.loss_before);
    let total: f64 = found.weights.iter().map(|w| w * w).sum();
    // The columns have about equal variances.
    assert!((total - 100.0).abs() < 10.0, "{total}");
}

#[test]
fn real_targets_find_them_too() {
    let (values, sums) = planted(3000, 100, 2);
    let samples = Samples::dense(3000, 100, values).unwrap();
    let data = Dataset::new(samples, Target::Real(sums)).unwrap();
    let found = LearnedMetricParams::default().fit(&data).unwrap();
    let (least, most) = margin(&found);
    assert!(least > 1.5 * most, "{least} {most}");
}

#[test]
fn a_copy_of_a_column_shares_its_weight() {
    let (values, sums) = planted(3000, 30, 3);
    let once = classes(3000, 30, values.clone(), &signs(&sums));
    let twice: Vec<f64> = values
        .chunks_exact(30)
        .flat_map(|row| row.iter().copied().chain([row[0]]))
        .collect();
    let twice = classes(3000, 31, twice, &signs(&sums));
    let params = LearnedMetricParams::default();
    let once = params.fit(&once).unwrap().weights;
    let twice = params.fit(&twice).unwrap().weights;
    // Both copies have the same slope in every step.
    assert!((twice[0] - twice[30]).abs() < 1e-6 * twice[0]);
    // Relative to another useful column, what the two do together is what the one did.
    let together = (twice[0].powi(2) + twice[30].powi(2)).sqrt() / twice[1];
    let alone = once[0] / once[1];
    assert!((together / alone).ln().abs() < 0.35, "{together} {alone}");
}

#[test]
fn the_unit_of_a_column_does_not_matter_where_it_was_chosen_badly() {
    let (mut values, sums) = planted(2000, 20, 4);
    for row in values.chunks_exact_mut(20) {
        // Noise in a tiny unit of measure, and far from the origin.
        row[15] = 1e6 * row[15] + 1e9;
    }
    let data = classes(2000, 20, values, &signs(&sums));
    let found = LearnedMetricParams::default().fit(&data).unwrap();
    let relative = found.weights[15] * 1e6 / found.weights[0];
    assert!(relative < 1.0, "{relative}");
}

#[test]
fn threads_and_storage_do_not_change_a_bit() {
    let (values, sums) = planted(1500, 40, 5);
    let codes = signs(&sums);
    let dense = classes(1500, 40, values.clone(), &codes);
    let params = LearnedMetricParams {
        rounds: 3,
        ..LearnedMetricParams::default()
    };
    let with = |threads: usize, data: &Dataset| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let mut found = pool.build().unwrap().install(|| params.fit(data)).unwrap();
        found.seconds = 0.0;
        found
    };
    let one = with(1, &dense);
    assert_eq!(one, with(3, &dense));
    let starts: Vec<usize> = (0..=1500).map(|i| 40 * i).collect();
    let columns: Vec<u32> = (0..1500).flat_map(|_| 0..40).collect();
    let sparse = Samples::Sparse(CsrMatrix::new(40, starts, columns, values).unwrap());
    let sparse = Dataset::new(sparse, Target::Classes(ClassLabels::from_numbers(&codes))).unwrap();
    assert_eq!(one, with(2, &sparse));
}

#[test]
fn values_of_one_nominal_column_share_a_weight() {
    let mut generator = Generator::new(6);
    let (mut values, mut codes) = (Vec::new(), Vec::new());
    for _ in 0..1000 {
        let kind = generator.below(4);
        values.extend((0..4).map(|value| f64::from(u8::from(value == kind))));
        let number = generator.normal();
        values.extend([number, generator.normal()]);
        codes.push(f64::from(u8::from(number > 0.0)) + if kind == 0 { 2.0 } else { 0.0 });
    }
    let data = classes(1000, 6, values, &codes);
    let found = LearnedMetricParams::default().fit(&data).unwrap();
    assert_eq!(found.groups, [0, 0, 0, 0, 1, 2]);
    assert!(found.weights[..4].windows(2).all(|pair| pair[0] == pair[1]));
    let groups = [0, 1, 2, 3, 4, 5];
    let free = LearnedMetricParams::default()
        .fit_with(&data, Some(&groups), &|_| Ok(()))
        .unwrap();
    // Without the group each value has a weight of its own.
    assert!(free.weights[..4].windows(2).all(|pair| pair[0] != pair[1]));
}

#[test]
fn hostile_data_have_defined_outcomes() {
    let params = LearnedMetricParams::default();
    let labels = |n: usize| (0..n).map(|i| (i % 2) as f64).collect::<Vec<f64>>();
    // No rows, one class, NaN, no answers.
    assert_eq!(params.fit(&classes(0, 2, vec![], &[])), Err(Error::NoRows));
    let one_class = classes(20, 1, (0..20).map(f64::from).collect(), &[1.0; 20]);
    assert!(matches!(
        params.fit(&one_class),
        Err(Error::TooFewClasses { .. })
    ));
    // Data with NaN are refused before anybody can learn from them.
    let nan = Samples::dense(2, 1, vec![f64::NAN, 1.0]).unwrap();
    let nan = Dataset::new(nan, Target::Classes(ClassLabels::from_numbers(&labels(2))));
    assert!(matches!(nan, Err(Error::NotFinite { .. })));
    let rows = Samples::dense(9, 1, (0..9).map(f64::from).collect()).unwrap();
    let unlabelled = Dataset::new(rows, Target::None).unwrap();
    assert!(matches!(params.fit(&unlabelled), Err(Error::Target { .. })));
    // Two rows, constant columns, and rows that are all alike: equal weights.
    let two = classes(2, 2, vec![1.0, 2.0, 3.0, 4.0], &labels(2));
    assert_eq!(params.fit(&two).unwrap().weights, [1.0, 1.0]);
    let alike = classes(30, 2, [5.0, 1e6].repeat(30), &labels(30));
    assert_eq!(params.fit(&alike).unwrap().weights, [1.0, 1.0]);
    // A constant column beside others, more columns than rows, huge and tiny values.
    let mut generator = Generator::new(1);
    let mut wide: Vec<f64> = (0..20 * 60).map(|_| generator.normal()).collect();
    for row in wide.chunks_exact_mut(60) {
        row[1] = 7.0;
        row[2] *= 1e300;
        row[3] *= 1e-300;
    }
    let found = params.fit(&classes(20, 60, wide, &labels(20))).unwrap();
    assert_eq!(found.weights[1], 0.0);
    assert!(found.weights.iter().all(|w| w.is_finite() && *w >= 0.0));
    assert!(found.weights.iter().any(|w| *w > 0.0));
}

#[test]
fn rows_of_weight_zero_are_not_there() {
    let board = checkerboard(300, 3, 0.0, 2).unwrap();
    let mut noisy = board.clone();
    let labels = noisy.classes().unwrap().clone();
    let rows: Vec<usize> = (0..300).chain(0..300).collect();
    noisy = noisy.select(&rows);
    let mut codes: Vec<u32> = labels.codes().to_vec();
    codes.extend(labels.codes().iter().map(|code| 1 - code));
    let target = Target::Classes(ClassLabels::new(labels.names().to_vec(), codes).unwrap());
    let weights = (0..600).map(|i| if i < 300 { 2.0 } else { 0.0 }).collect();
    let weighted = Dataset::new(noisy.samples().clone(), target)
        .unwrap()
        .with_weights(weights)
        .unwrap();
    let params = LearnedMetricParams::default();
    let (a, b) = (params.fit(&board).unwrap(), params.fit(&weighted).unwrap());
    assert_eq!((a.weights, a.loss), (b.weights, b.loss));
}

#[test]
fn progress_can_stop_it() {
    let board = checkerboard(300, 3, 0.0, 2).unwrap();
    let stopped =
        LearnedMetricParams::default().fit_with(&board, None, &|_| Err(Error::Interrupted));
    assert_eq!(stopped, Err(Error::Interrupted));
}
