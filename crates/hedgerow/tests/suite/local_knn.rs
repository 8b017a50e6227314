//! k-NN is what its definition says, and stays so through files and threads.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use hedgerow::data::{ClassLabels, CsrMatrix, Dataset, Generator, Samples, SamplesView, Target};
use hedgerow::kernel::{Kernel, KernelSpec};
use hedgerow::local::{Knn, KnnParams, Vote};
use hedgerow::neighbours::DistanceMetric;
use hedgerow::{Error, Prediction, Predictor};
use proptest::prelude::*;

/// Random rows on a grid, so that equal distances and equal rows are frequent.
fn rows(n: usize, n_features: usize, cells: usize, seed: u64) -> Samples {
    let mut generator = Generator::new(seed);
    let values = (0..n * n_features)
        .map(|_| generator.below(cells) as f64 / 4.0)
        .collect();
    Samples::dense(n, n_features, values).unwrap()
}

fn classes(samples: Samples, n_classes: usize, seed: u64) -> Dataset {
    let mut generator = Generator::new(seed);
    let labels: Vec<f64> = (0..samples.n_rows())
        .map(|_| generator.below(n_classes) as f64)
        .collect();
    Dataset::new(samples, Target::Classes(ClassLabels::from_numbers(&labels))).unwrap()
}

fn reals(samples: Samples, seed: u64) -> Dataset {
    let mut generator = Generator::new(seed);
    let targets = (0..samples.n_rows()).map(|_| generator.normal()).collect();
    Dataset::new(samples, Target::Real(targets)).unwrap()
}

/// Training rows in the order of distance, by definition.
fn ranked(
    metric: &DistanceMetric,
    data: SamplesView<'_>,
    queries: SamplesView<'_>,
    q: usize,
) -> Vec<usize> {
    let distance = |i: usize| {
        let width = data.n_features().max(queries.n_features());
        metric.distance(data.row(i), queries.row(q), width).unwrap()
    };
    let mut order: Vec<usize> = (0..data.n_rows()).collect();
    order.sort_by(|&a, &b| distance(a).total_cmp(&distance(b)).then(a.cmp(&b)));
    order
}

fn same_row(samples: SamplesView<'_>, a: usize, b: usize) -> bool {
    samples.row(a).values() == samples.row(b).values()
}

/// Votes and winner by definition.
fn elect(data: &Dataset, order: &[usize], k: usize) -> (Vec<f64>, u32) {
    let labels = data.classes().unwrap();
    let view = data.samples().view();
    let voters: Vec<usize> = if k == 1 {
        let twins = (0..view.n_rows()).filter(|&i| same_row(view, i, order[0]));
        twins.collect()
    } else {
        order[..k.min(order.len())].to_vec()
    };
    let mut votes = vec![0.0; labels.n_classes()];
    for &i in &voters {
        votes[labels.codes()[i] as usize] += 1.0;
    }
    let most = votes.iter().copied().fold(0.0, f64::max);
    let winner = voters
        .iter()
        .map(|&i| labels.codes()[i])
        .find(|&code| votes[code as usize] >= most)
        .unwrap();
    (votes, winner)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn answers_are_those_of_the_definition(
        n in 1usize..80,
        n_features in 1usize..5,
        k in 1usize..12,
        n_classes in 1usize..5,
        cells in 2usize..9,
        kernel in 0usize..6,
        seed in any::<u64>(),
    ) {
        let data = classes(rows(n, n_features, cells, seed), n_classes, seed ^ 1);
        let queries = rows(20, n_features, cells, seed ^ 2);
        let kernel = [
            Kernel::Linear,
            Kernel::rbf(0.7),
            Kernel::polynomial(1.0, 1.0, 2),
            Kernel::polynomial(0.5, 0.0, 3),
            Kernel::city_block(0.5),
            Kernel::city_block(9.0).weighted(vec![2.0; n_features]),
        ][kernel].clone();
        let model = KnnParams::default()
            .with_neighbours(k)
            .with_kernel(kernel.clone())
            .fit(&data)
            .unwrap()
            .model;
        let (prediction, scores) = model.predict_with_scores(queries.view()).unwrap();
        let shares = model.probabilities(queries.view()).unwrap();
        let Prediction::Classes(codes) = prediction else {
            panic!("classes");
        };
        let metric = DistanceMetric::of(&kernel);
        for (q, &code) in codes.iter().enumerate() {
            let order = ranked(&metric, data.samples().view(), queries.view(), q);
            let (votes, winner) = elect(&data, &order, k);
            prop_assert_eq!(code, winner);
            prop_assert_eq!(scores.row(q), &votes[..]);
            let sum: f64 = votes.iter().sum();
            for (share, vote) in shares.row(q).iter().zip(&votes) {
                prop_assert!((share - vote / sum).abs() < 1e-15);
            }
        }
    }

    #[test]
    fn regression_is_the_mean(
        n in 1usize..60,
        k in 2usize..9,
        seed in any::<u64>(),
    ) {
        let data = reals(rows(n, 2, 9, seed), seed ^ 1);
        let queries = rows(15, 2, 9, seed ^ 2);
        let model = KnnParams::default().with_neighbours(k).fit(&data).unwrap().model;
        prop_assert!(model.classes().is_none());
        let Prediction::Real(values) = model.predict(queries.view()).unwrap() else {
            panic!("real");
        };
        let targets = data.real_targets().unwrap();
        for (q, value) in values.iter().enumerate() {
            let order = ranked(&DistanceMetric::Euclidean, data.samples().view(), queries.view(), q);
            let k = k.min(n);
            let mean = order[..k].iter().map(|&i| targets[i]).sum::<f64>() / k as f64;
            prop_assert!((value - mean).abs() < 1e-12);
        }
        prop_assert_eq!(model.probabilities(queries.view()), Err(Error::NoProbabilities));
    }

    #[test]
    fn left_out_rows_do_not_vote_for_themselves(
        n in 2usize..50,
        k in 1usize..6,
        seed in any::<u64>(),
    ) {
        let data = classes(rows(n, 2, 5, seed), 2, seed ^ 1);
        let fit = |vote| KnnParams::default().with_neighbours(k).with_vote(vote).fit(&data).unwrap().model;
        let Prediction::Classes(plain) = fit(Vote::Majority).leave_one_out().unwrap() else {
            panic!("classes");
        };
        let Prediction::Classes(lenient) = fit(Vote::Conservative).leave_one_out().unwrap() else {
            panic!("classes");
        };
        let labels = data.classes().unwrap();
        for i in 0..n {
            let rest: Vec<usize> = (0..n).filter(|&j| j != i).collect();
            let others = data.select(&rest);
            let own = data.samples().select(&[i]);
            let order = ranked(&DistanceMetric::Euclidean, others.samples().view(), own.view(), 0);
            let (votes, winner) = elect(&others, &order, k);
            prop_assert_eq!(plain[i], winner);
            let tied = votes.iter().all(|&v| v == votes[0]) && votes.len() == 2;
            let expected = if tied { labels.codes()[i] } else { winner };
            prop_assert_eq!(lenient[i], expected, "row {}", i);
        }
    }
}

#[test]
fn duplicates_vote_together_at_k_1() {
    let samples = Samples::dense(5, 1, vec![0.0, 0.0, 0.0, 1.0, 1.0]).unwrap();
    let labels = ClassLabels::from_numbers(&[1.0, 2.0, 2.0, 1.0, 2.0]);
    let data = Dataset::new(samples, Target::Classes(labels)).unwrap();
    let model = KnnParams::default().fit(&data).unwrap().model;
    let queries = Samples::dense(2, 1, vec![0.1, 0.9]).unwrap();
    let (prediction, votes) = model.predict_with_scores(queries.view()).unwrap();
    // The second is a tie: the first in the order of distance wins.
    assert_eq!(prediction, Prediction::Classes(vec![1, 0]));
    assert_eq!(votes.values, [1.0, 2.0, 1.0, 1.0]);
    // k = 2 means two rows, whatever they look like.
    let model = KnnParams::default()
        .with_neighbours(2)
        .fit(&data)
        .unwrap()
        .model;
    let votes = model.scores(queries.view()).unwrap();
    assert_eq!(votes.values, [1.0, 1.0, 1.0, 1.0]);
    let real = Dataset::new(
        data.samples().clone(),
        Target::Real(vec![1.0, 2.0, 6.0, 4.0, 5.0]),
    );
    let model = KnnParams::default().fit(&real.unwrap()).unwrap().model;
    let means = model.predict(queries.view()).unwrap();
    assert_eq!(means, Prediction::Real(vec![3.0, 4.5]));
}

#[test]
fn weights_count_votes() {
    let samples = Samples::dense(4, 1, vec![0.0, 1.0, 2.0, 0.5]).unwrap();
    let labels = ClassLabels::from_numbers(&[1.0, 2.0, 2.0, 1.0]);
    let data = Dataset::new(samples, Target::Classes(labels)).unwrap();
    let heavy = data.with_weights(vec![5.0, 1.0, 1.0, 0.0]).unwrap();
    let model = KnnParams::default()
        .with_neighbours(3)
        .fit(&heavy)
        .unwrap()
        .model;
    assert_eq!(model.n_rows(), 3, "a row of weight 0 does not exist");
    let query = Samples::dense(1, 1, vec![1.5]).unwrap();
    let (prediction, votes) = model.predict_with_scores(query.view()).unwrap();
    assert_eq!(prediction, Prediction::Classes(vec![0]));
    assert_eq!(votes.values, [5.0, 2.0]);
}

#[test]
fn sparse_and_dense_rows_answer_alike() {
    let data = classes(rows(60, 6, 3, 4), 3, 5);
    let view = data.samples().view();
    let (mut starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for i in 0..view.n_rows() {
        view.row(i).for_each(|f, value| {
            if value != 0.0 {
                indices.push(f as u32);
                values.push(value);
            }
        });
        starts.push(indices.len());
    }
    let sparse = Samples::Sparse(CsrMatrix::new(6, starts, indices, values).unwrap());
    let sparse = data.with_samples(sparse).unwrap();
    for k in [1, 4] {
        let params = KnnParams::default().with_neighbours(k);
        let (a, b) = (params.fit(&data).unwrap(), params.fit(&sparse).unwrap());
        let queries = rows(30, 6, 3, 9);
        assert_eq!(
            a.model.predict_with_scores(queries.view()).unwrap(),
            b.model.predict_with_scores(queries.view()).unwrap()
        );
    }
}

#[test]
fn threads_files_and_blocks_change_nothing() {
    let data = classes(rows(700, 3, 40, 7), 3, 8);
    let queries = rows(900, 3, 40, 9);
    let params = KnnParams::default().with_neighbours(600);
    let model = params.fit(&data).unwrap().model;
    let bytes = postcard::to_stdvec(&model).unwrap();
    let read: Knn = postcard::from_bytes(&bytes).unwrap();
    assert_eq!(read.params(), model.params());
    let expected = model.predict_with_scores(queries.view()).unwrap();
    for threads in [1, 8] {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        let answers = pool.install(|| read.predict_with_scores(queries.view()).unwrap());
        assert_eq!(answers, expected);
    }
    for q in [0, 899] {
        let one = queries.select(&[q]);
        let scores = model.scores(one.view()).unwrap();
        assert_eq!(scores.row(0), expected.1.row(q));
    }
}

#[test]
fn damaged_models_are_refused() {
    let data = classes(rows(10, 2, 9, 1), 2, 2);
    let model = KnnParams::default()
        .with_neighbours(3)
        .fit(&data)
        .unwrap()
        .model;
    let bytes = postcard::to_stdvec(&model).unwrap();
    let mut refused = 0;
    for at in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x41;
        // Whatever is read must answer or refuse, never panic.
        match postcard::from_bytes::<Knn>(&damaged) {
            Ok(model) => {
                if let Ok(Prediction::Classes(codes)) = model.predict(data.samples().view()) {
                    let n_classes = model.classes().unwrap().len() as u32;
                    assert!(codes.iter().all(|&code| code < n_classes), "{at}");
                }
            }
            Err(_) => refused += 1,
        }
        assert!(postcard::from_bytes::<Knn>(&bytes[..at]).is_err());
    }
    // Most bytes are values of the rows, where any number will do.
    assert!(refused > bytes.len() / 6, "{refused} of {}", bytes.len());
}

#[test]
fn wrong_parameters_and_rows_are_named() {
    let data = classes(rows(10, 2, 9, 1), 2, 2);
    let refused = |params: KnnParams| params.fit(&data).unwrap_err().to_string();
    assert_eq!(
        refused(KnnParams::default().with_neighbours(0)),
        "parameter neighbours = 0: must be at least 1"
    );
    let precomputed = KnnParams::default().with_kernel(Kernel::Precomputed);
    assert!(refused(precomputed).contains("precomputed"));
    let unlabelled = Dataset::new(rows(3, 2, 9, 1), Target::None).unwrap();
    assert!(KnnParams::default().fit(&unlabelled).is_err());
    let model = KnnParams::default().fit(&data).unwrap().model;
    let wide = rows(1, 3, 9, 1);
    let error = model.predict(wide.view()).unwrap_err();
    assert!(matches!(
        error,
        Error::Shape {
            expected: 2,
            found: 3,
            ..
        }
    ));
    let single = data.select(&[0]);
    let model = KnnParams::default().fit(&single).unwrap().model;
    assert!(model.leave_one_out().is_err());
    let none = Samples::dense(0, 2, Vec::new()).unwrap();
    assert!(model.predict(none.view()).unwrap().is_empty());
    let spec = KernelSpec::parse("poly(gamma=q50, coef0=1, degree=2)").unwrap();
    assert!(KnnParams::default().with_kernel(spec).fit(&data).is_ok());
}
