//! Relevance by the F statistic, elimination without inner products, joint information and wrappers
//! by name.

use crate::select_support;

use hedgerow::Error;
use hedgerow::data::{ClassLabels, Dataset, Generator, Samples, Target, folds_for};
use hedgerow::kernel::Kernel;
use hedgerow::select::{
    CorrelationParams, CorrelationRelevance, DependencySearch, Direction, Elimination,
    MutualInformationParams, RfeKernel, RfeParams, Selector, Similarity, SubsetErrorParams,
    WrapperParams,
};
use hedgerow::svm::SvcParams;
use hedgerow::{Prediction, Predictor};
use select_support::{as_sparse, random_data};

fn dataset(width: usize, values: Vec<f64>, labels: &[f64]) -> Dataset {
    let samples = Samples::dense(labels.len(), width, values).expect("valid");
    Dataset::new(samples, Target::Classes(ClassLabels::from_numbers(labels))).expect("valid")
}

/// The statistic by its definition.
fn naive_f(column: &[f64], codes: &[u32]) -> f64 {
    let n = column.len() as f64;
    let mean = column.iter().sum::<f64>() / n;
    let classes = codes.iter().max().map_or(0, |&c| c + 1);
    let (mut between, mut within) = (0.0, 0.0);
    for class in 0..classes {
        let own: Vec<f64> = (0..column.len())
            .filter(|&i| codes[i] == class)
            .map(|i| column[i])
            .collect();
        let center = own.iter().sum::<f64>() / own.len() as f64;
        between += own.len() as f64 * (center - mean) * (center - mean);
        within += own.iter().map(|x| (x - center) * (x - center)).sum::<f64>();
    }
    (between / f64::from(classes - 1)) / (within / (n - f64::from(classes)))
}

#[test]
fn the_f_statistic_is_what_its_definition_says() {
    let params = CorrelationParams::default().with_relevance(CorrelationRelevance::FStatistic);
    for (classes, zeros, shift) in [(2, 0.0, 0.0), (4, 0.5, 0.0), (3, 0.0, 1e6)] {
        let mut data = random_data(70, 9, classes, zeros, 31);
        if shift != 0.0 {
            let view = data.samples().view();
            let values = (0..70).flat_map(|i| view.row(i).values().to_vec());
            let moved = values.map(|x| x + shift).collect();
            data = data
                .with_samples(Samples::dense(70, 9, moved).expect("valid"))
                .expect("valid");
        }
        let dense = params.fit(&data).expect("valid");
        let sparse = params.fit(&as_sparse(&data)).expect("valid");
        let plain = CorrelationParams::default().fit(&data).expect("valid");
        let mut row = vec![0.0; 9];
        for f in 0..9 {
            let mut column = Vec::new();
            for i in 0..70 {
                data.samples().view().row(i).write_dense(&mut row);
                column.push(row[f] - shift);
            }
            let expected = naive_f(&column, data.classes().expect("classes").codes());
            let near = |found: f64, tolerance: f64| {
                (found - expected).abs() <= tolerance * (1.0 + expected)
            };
            assert!(near(
                dense.relevance(f),
                if shift == 0.0 { 1e-12 } else { 1e-8 }
            ));
            assert!(shift != 0.0 || near(sparse.relevance(f), 1e-11));
            // What features have in common does not change.
            assert_eq!(dense.pair(f, 0), plain.pair(f, 0));
        }
    }
}

#[test]
fn the_f_statistic_has_defined_ends() {
    let params = CorrelationParams::default().with_relevance(CorrelationRelevance::FStatistic);
    // A constant, the class itself, and noise.
    let values = vec![7.0, 0.0, 1.0, 7.0, 0.0, 2.0, 7.0, 1.0, 1.0, 7.0, 1.0, 2.5];
    let data = dataset(3, values, &[0.0, 0.0, 1.0, 1.0]);
    let found = params.fit(&data).expect("valid");
    assert_eq!(found.relevance(0), 0.0);
    assert!(found.relevance(1).is_finite() && found.relevance(1) > 1e12);
    assert!(found.relevance(2) < 1.0);
    let one_class = dataset(1, vec![1.0, 2.0], &[3.0, 3.0]);
    assert_eq!(params.fit(&one_class).expect("valid").relevance(0), 0.0);
    let a_row_each = dataset(1, vec![1.0, 2.0], &[0.0, 1.0]);
    assert_eq!(params.fit(&a_row_each).expect("valid").relevance(0), 0.0);
}

#[test]
fn elimination_needs_no_inner_products_of_all_rows() {
    let data = random_data(90, 20, 3, 0.2, 37);
    for elimination in [Elimination::Halving, Elimination::OneByOne] {
        let mut params = tight(elimination);
        params.tolerance = 1e-6;
        let with = params.rank(&data).expect("valid");
        for data in [&data, &as_sparse(&data)] {
            let without = params.with_max_bytes(1).rank(data).expect("valid");
            assert_eq!(with.ranking.features, without.ranking.features);
            assert_eq!(with.rounds, without.rounds);
            for (a, b) in with.ranking.scores.iter().zip(&without.ranking.scores) {
                assert!((a - b).abs() < 1e-3 * (1.0 + a), "{a} beside {b}");
            }
        }
    }
    let gaussian = RfeParams::default()
        .with_kernel(RfeKernel::Gaussian { gamma: 0.1 })
        .with_max_bytes(1);
    assert!(matches!(gaussian.rank(&data), Err(Error::Memory { .. })));
}

fn tight(elimination: Elimination) -> RfeParams {
    RfeParams::default().with_elimination(elimination)
}

/// Classes are the exclusive or of features 2 and 4.
fn exclusive_or() -> Dataset {
    let mut random = Generator::new(41);
    let (mut values, mut labels) = (Vec::new(), Vec::new());
    for _ in 0..160 {
        let row: Vec<f64> = (0..6).map(|_| random.uniform().round()).collect();
        labels.push(f64::from(u8::from(row[2] != row[4])));
        values.extend(row);
    }
    dataset(6, values, &labels)
}

#[test]
fn joint_information_is_a_selector() {
    let data = exclusive_or();
    let information =
        MutualInformationParams::default().with_binning(hedgerow::select::Binning::Values);
    let exhaustive = Selector::MaxDependency(information, DependencySearch::Exhaustive);
    let pair = exhaustive.rank(&data, Some(2)).expect("valid").ranking;
    let mut features = pair.features.clone();
    features.sort_unstable();
    assert_eq!(features, [2, 4]);
    // Together they tell the class, whose entropy is the joint information.
    let ones = data
        .classes()
        .expect("classes")
        .codes()
        .iter()
        .filter(|&&c| c == 1);
    let p = ones.count() as f64 / 160.0;
    let entropy = -p * p.ln() - (1.0 - p) * (1.0 - p).ln();
    assert!((pair.scores[1] - entropy).abs() < 1e-12);
    let greedy = Selector::MaxDependency(information, DependencySearch::Greedy);
    let all = greedy.rank(&data, None).expect("valid").ranking;
    assert_eq!(all.len(), 6);
    assert!(all.scores.windows(2).all(|pair| pair[0] <= pair[1] + 1e-12));
    let many = random_data(20, 21, 2, 0.0, 1);
    assert!(matches!(
        exhaustive.rank(&many, Some(2)),
        Err(Error::Shape { found: 21, .. })
    ));
}

#[test]
fn a_wrapper_is_a_selector_judged_by_held_out_rows() {
    let data = exclusive_or();
    let judge = SubsetErrorParams::default()
        .with_kernel(RfeKernel::Gaussian { gamma: 1.0 })
        .with_cost(10.0)
        .with_folds(4);
    let backward = Selector::Wrapper(
        WrapperParams::default().with_direction(Direction::Backward),
        judge,
    );
    // Neither of the two says anything alone: only a search from above keeps both.
    let selection = backward.rank(&data, Some(2)).expect("valid");
    let mut best = selection.ranking.top(2).to_vec();
    best.sort_unstable();
    assert_eq!(best, [2, 4]);
    assert_eq!(selection.ranking.len(), 6);
    let forward = Selector::Wrapper(WrapperParams::default(), judge);
    let ranked = random_data(80, 6, 2, 0.0, 43);
    let first = forward.rank(&ranked, Some(3)).expect("valid").ranking;
    assert_eq!(first.len(), 3);
    assert_eq!(first.features[0], 0);
    // The error of a subset is that of machines trained by hand.
    let mut wrong = 0;
    for split in folds_for(&data, 4, 0).expect("valid") {
        let part = |rows: &[usize]| data.select(rows).select_features(&[2, 4]).expect("valid");
        let (train, test) = (part(&split.train), part(&split.test));
        let machine = SvcParams::default()
            .with_kernel(Kernel::rbf(1.0))
            .with_cost(10.0)
            .fit(&train)
            .expect("valid")
            .model;
        let Prediction::Classes(found) = machine.predict(test.samples().view()).expect("valid")
        else {
            panic!("a classifier predicts classes");
        };
        let names = machine.classes().expect("classes");
        let labels = test.classes().expect("classes");
        for (code, truth) in found.iter().zip(labels.codes()) {
            wrong += usize::from(names[*code as usize] != labels.names()[*truth as usize]);
        }
    }
    let error = judge
        .prepare(&data)
        .expect("valid")
        .of(&[2, 4])
        .expect("valid");
    assert_eq!(error, wrong as f64 / 160.0);
}

#[test]
fn searches_have_defined_ends() {
    let data = random_data(20, 3, 2, 0.0, 47);
    let judge = SubsetErrorParams::default();
    let wrapper = |judge| Selector::Wrapper(WrapperParams::default(), judge);
    for (judge, parameter) in [
        (judge.with_folds(1), "folds"),
        (judge.with_cost(0.0), "cost"),
        (
            judge.with_kernel(RfeKernel::Gaussian { gamma: -1.0 }),
            "gamma",
        ),
    ] {
        let failed = wrapper(judge).rank(&data, None);
        assert!(matches!(failed, Err(Error::Parameter { name, .. }) if name == parameter));
    }
    let one_class = dataset(1, vec![1.0, 2.0], &[3.0, 3.0]);
    let failed = wrapper(judge).rank(&one_class, None);
    assert!(matches!(failed, Err(Error::TooFewClasses { .. })));
    let constant = dataset(2, vec![1.0; 24], &[0.0, 1.0].repeat(6));
    let ranked = wrapper(judge).rank(&constant, None).expect("valid").ranking;
    assert_eq!(ranked.features, [0, 1]);
    // What is not a number is refused before any search sees it.
    let bad = Samples::dense(2, 1, vec![1.0, f64::NAN]).expect("valid");
    let labels = Target::Classes(ClassLabels::from_numbers(&[0.0, 1.0]));
    let refused = Dataset::new(bad, labels);
    assert!(matches!(refused, Err(Error::NotFinite { .. })));
}
