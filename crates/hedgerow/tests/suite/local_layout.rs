//! Rows of a large FaLK-SVM are stored in an order of its own: outside they keep their numbers.

use hedgerow::data::{ClassLabels, Dataset, Generator, Samples, Target};
use hedgerow::kernel::Kernel;
use hedgerow::local::{FalkParams, FalkSvm, UpdateParams};
use hedgerow::neighbours::DistanceMetric;
use hedgerow::{Error, Predictor};

/// Enough to be ordered, without every ninth too.
const ROWS: usize = 20_000;

/// Rows all over a square, in two classes.
fn square(n: usize, seed: u64) -> Dataset {
    let mut generator = Generator::new(seed);
    let values: Vec<f64> = (0..2 * n).map(|_| generator.uniform()).collect();
    let class = |x: &[f64]| f64::from((9.0 * x[0]).sin() > (7.0 * x[1]).sin());
    let labels: Vec<f64> = values.chunks_exact(2).map(class).collect();
    let samples = Samples::dense(n, 2, values).expect("samples");
    Dataset::new(samples, Target::Classes(ClassLabels::from_numbers(&labels))).expect("data")
}

fn fitted(data: &Dataset) -> FalkSvm {
    let params = FalkParams::default()
        .with_neighbours(100)
        .with_cost(10.0)
        .with_kernel(Kernel::rbf(50.0));
    params.fit(data).expect("a model").model
}

/// The stored rows in the order of their numbers, each with its values and class.
fn by_number(model: &FalkSvm) -> Vec<(u32, Vec<f64>, String)> {
    let codes = model.training_codes().expect("classes");
    let names = model.classes().expect("classes");
    let mut rows: Vec<(u32, Vec<f64>, String)> = (0..model.n_rows() as u32)
        .map(|stored| {
            let values = model.samples().row(stored as usize).values().to_vec();
            let class = names[codes[stored as usize] as usize].to_string();
            (model.number_of(stored), values, class)
        })
        .collect();
    rows.sort_by_key(|row| row.0);
    rows
}

/// The rows of `data` that `keep` wants, in the same form.
fn given(data: &Dataset, keep: impl Fn(usize) -> bool) -> Vec<(u32, Vec<f64>, String)> {
    let classes = data.classes().expect("classes");
    (0..data.n_rows())
        .filter(|&row| keep(row))
        .map(|row| {
            let values = data.samples().view().row(row).values().to_vec();
            let class = classes.names()[classes.codes()[row] as usize].to_string();
            (row as u32, values, class)
        })
        .collect()
}

#[test]
fn every_row_keeps_number_and_class() {
    let data = square(ROWS, 1);
    let model = fitted(&data);
    assert!((0..ROWS as u32).any(|stored| model.number_of(stored) != stored));
    assert_eq!(by_number(&model), given(&data, |_| true));
    // The tree that orders the centres begins with the first row given.
    assert_eq!(model.number_of(model.centres()[0]), 0);
    let bytes = postcard::to_allocvec(&model).expect("bytes");
    let back: FalkSvm = postcard::from_bytes(&bytes).expect("a model");
    assert!(back == model);
}

/// What the order is for: most rows have a near one beside them.
#[test]
fn neighbours_are_stored_together() {
    let model = fitted(&square(ROWS, 2));
    let view = model.samples();
    let is_near = |stored: &usize| {
        let (a, b) = (view.row(*stored), view.row(*stored + 1));
        DistanceMetric::Euclidean
            .distance(a, b, 2)
            .expect("a distance")
            < 0.05
    };
    let near = (0..ROWS - 1).filter(is_near).count();
    assert!(near > ROWS * 9 / 10, "{near} of {ROWS}");
}

#[test]
fn explanations_name_rows_by_their_numbers() {
    let data = square(ROWS, 3);
    let model = fitted(&data);
    let queries = square(50, 4);
    let (own, asked) = (data.samples().view(), queries.samples().view());
    let codes = data.classes().expect("classes").codes();
    let told = model.explain(asked, 5).expect("explanations");
    let mut mentioned = 0;
    for (query, told) in told.iter().enumerate() {
        let centre = own.row(told.centre as usize);
        let distance = DistanceMetric::Euclidean.distance(centre, asked.row(query), 2);
        assert_eq!(distance.expect("a distance"), told.distance);
        for influence in &told.influences {
            assert_eq!(f64::from(codes[influence.row as usize]), influence.answer);
            let support = own.row(influence.row as usize);
            let reach = DistanceMetric::Euclidean.distance(centre, support, 2);
            assert!(reach.expect("a distance") <= told.radius);
            mentioned += 1;
        }
    }
    assert!(mentioned > 50, "{mentioned} influences");
}

#[test]
fn rows_without_weight_have_numbers_that_nobody_gets() {
    let weightless = |row: usize| row % 9 == 4 || row == ROWS - 1;
    let weights = (0..ROWS).map(|row| if weightless(row) { 0.0 } else { 1.0 });
    let data = square(ROWS, 5)
        .with_weights(weights.collect())
        .expect("weights");
    let mut model = fitted(&data);
    let mut expected = given(&data, |row| !weightless(row));
    assert_eq!(by_number(&model), expected);
    let refused = model.update(None, &[4], &UpdateParams::default());
    assert!(matches!(refused, Err(Error::Parameter { value, .. }) if value == 4.0));
    // Rows that come later have the numbers after all that were given.
    let more = square(30, 6);
    let update = model.update(Some(&more), &[], &UpdateParams::default());
    assert_eq!(update.expect("an update").added, 30);
    let later = given(&more, |_| true).into_iter();
    expected.extend(later.map(|(row, values, class)| (row + ROWS as u32, values, class)));
    assert_eq!(by_number(&model), expected);
}

#[test]
fn rows_are_removed_by_their_numbers() {
    let data = square(ROWS, 7);
    let mut model = fitted(&data);
    let queries = square(20, 8);
    let mentioned = |model: &FalkSvm| -> Vec<u32> {
        let told = model.explain(queries.samples().view(), usize::MAX);
        let told = told.expect("explanations").into_iter();
        told.flat_map(|told| told.influences)
            .map(|influence| influence.row)
            .collect()
    };
    let stored_at = |number: u32| (0..ROWS).find(|&at| model.number_of(at as u32) == number);
    let gone = mentioned(&model)[0];
    let stored = stored_at(gone).expect("the row");
    assert_ne!(stored, gone as usize);
    let params = UpdateParams { refresh: 0.0 };
    let update = model.update(None, &[gone], &params).expect("an update");
    assert_eq!(update.removed, 1);
    assert_eq!(model.owner_of(stored).0, u32::MAX);
    let present = (0..ROWS).filter(|&row| model.owner_of(row).0 != u32::MAX);
    assert_eq!(present.count(), ROWS - 1);
    assert!(!mentioned(&model).contains(&gone));
    let again = model.update(None, &[gone], &params);
    assert!(matches!(again, Err(Error::Parameter { value, .. }) if value == f64::from(gone)));
}

#[test]
fn threads_do_not_change_the_order() {
    let data = square(ROWS, 9);
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.expect("threads").install(|| fitted(&data))
    };
    assert!(with(1) == with(3));
}

/// Distances that overflow are told with the row that the data have.
#[test]
fn errors_name_rows_by_their_numbers() {
    let far = ROWS - 1;
    let mut values: Vec<f64> = (0..2 * ROWS).map(|i| (i % 977) as f64).collect();
    values[2 * far] = 1e200;
    let labels: Vec<f64> = (0..ROWS).map(|i| f64::from(i % 3 == 0)).collect();
    let samples = Samples::dense(ROWS, 2, values).expect("samples");
    let labels = ClassLabels::from_numbers(&labels);
    let data = Dataset::new(samples, Target::Classes(labels)).expect("data");
    let params = FalkParams::default()
        .with_neighbours(50)
        .with_kernel(Kernel::rbf(1.0));
    match params.fit(&data) {
        Err(Error::BadRowValue { row, .. }) => assert_eq!(row, far + 1),
        other => panic!("{:?}", other.map(|fitted| fitted.report)),
    }
}
