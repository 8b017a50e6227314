//! CFS, streamwise selection, ReliefF, RFE-SVM, wrappers and random order.

use crate::select_support;

use hedgerow::Error;
use hedgerow::data::{ClassLabels, Dataset, Generator, Samples, Target};
use hedgerow::select::{
    CfsParams, CorrelationParams, Direction, Elimination, GivenSimilarity, MrmrParams,
    MutualInformationParams, QpfsParams, ReliefParams, ReliefVariant, RfeKernel, RfeParams,
    Selector, Similarity, SimilarityKind, StreamwiseParams, WrapperParams, random_ranking,
};
use select_support::{as_sparse, random_data};

fn dataset(width: usize, values: Vec<f64>, labels: &[f64]) -> Dataset {
    let samples = Samples::dense(labels.len(), width, values).expect("valid");
    Dataset::new(samples, Target::Classes(ClassLabels::from_numbers(labels))).expect("valid")
}

fn column(data: &Dataset, f: usize) -> Vec<f64> {
    let view = data.samples().view();
    (0..view.n_rows())
        .map(|i| view.row(i).values()[f])
        .collect()
}

#[test]
fn cfs_finds_the_subset_of_largest_merit() {
    let data = random_data(70, 9, 2, 0.0, 12);
    let correlation = CorrelationParams::default().fit(&data).expect("valid");
    let merit = |subset: &[usize]| {
        let class: f64 = subset.iter().map(|&f| correlation.relevance(f)).sum();
        let mut pairs = 0.0;
        for (at, &a) in subset.iter().enumerate() {
            pairs += subset[..at]
                .iter()
                .map(|&b| correlation.pair(a, b))
                .sum::<f64>();
        }
        class / (subset.len() as f64 + 2.0 * pairs).sqrt()
    };
    let best = (1usize..1 << 9)
        .map(|mask| {
            (0..9)
                .filter(|f| mask >> f & 1 == 1)
                .collect::<Vec<usize>>()
        })
        .map(|subset| (merit(&subset), subset))
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .expect("valid");
    let ranking = CfsParams::default()
        .with_patience(40)
        .rank(&correlation)
        .expect("valid");
    let mut found = ranking.features.clone();
    found.sort_unstable();
    assert_eq!(found, best.1);
    assert!((ranking.scores.last().expect("valid") - best.0).abs() < 1e-12);
    let short = CfsParams::default()
        .with_count(1)
        .rank(&correlation)
        .expect("valid");
    assert_eq!(short.len(), 1);
    // Nothing is relevant: nothing is chosen.
    let none = GivenSimilarity::new(vec![1.0, 0.0, 0.0, 1.0], vec![0.0; 2]).expect("valid");
    assert!(CfsParams::default().rank(&none).expect("valid").is_empty());
}

#[test]
fn streamwise_selection_keeps_signal_and_drops_copies() {
    let mut random = Generator::new(2);
    let (mut values, mut labels) = (Vec::new(), Vec::new());
    for i in 0..200 {
        let class = if i % 2 == 0 { -1.0 } else { 1.0 };
        let signal = class + random.normal();
        let second = 0.7 * class + random.normal();
        values.extend([random.normal(), signal, 3.0, 2.0 * signal + 1.0, second]);
        values.extend((0..20).map(|_| random.normal()));
        labels.push(class);
    }
    let data = dataset(25, values, &labels);
    let ranking = StreamwiseParams::default().rank(&data).expect("valid");
    assert!(
        ranking.features.starts_with(&[1, 4]),
        "{:?}",
        ranking.features
    );
    assert!(!ranking.features.contains(&2) && !ranking.features.contains(&3));
    assert!(ranking.len() <= 4);
    assert_eq!(
        StreamwiseParams::default()
            .rank(&as_sparse(&data))
            .expect("valid"),
        ranking
    );
    let three = dataset(1, vec![1.0, 2.0, 3.0], &[1.0, 2.0, 3.0]);
    let refused = StreamwiseParams::default().rank(&three);
    assert!(matches!(
        refused,
        Err(Error::Shape {
            expected: 2,
            found: 3,
            ..
        })
    ));
    // As many features as rows: the tests end when nothing is left to test with.
    let wide = random_data(6, 30, 2, 0.0, 1);
    assert!(
        StreamwiseParams::default()
            .rank(&wide)
            .expect("valid")
            .len()
            <= 4
    );
    // A perfect feature leaves nothing to explain.
    let perfect = dataset(
        2,
        vec![0.0, 5.0, 0.0, 1.0, 1.0, 2.0, 1.0, 9.0],
        &[0.0, 0.0, 1.0, 1.0],
    );
    let params = StreamwiseParams::default();
    assert_eq!(params.rank(&perfect).expect("valid").features, [0]);
}

/// ReliefF by the definition.
fn naive_relief(data: &Dataset, k: usize, variant: ReliefVariant) -> Vec<f64> {
    let width = data.n_features();
    let n = data.n_rows();
    let scaled: Vec<Vec<f64>> = (0..width)
        .map(|f| {
            let values = column(data, f);
            let low = values.iter().copied().fold(f64::INFINITY, f64::min);
            let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let map = |x: &f64| {
                if high > low {
                    (x - low) / (high - low)
                } else {
                    0.0
                }
            };
            values.iter().map(map).collect()
        })
        .collect();
    let labels = data.classes().expect("valid");
    let codes = labels.codes();
    let counts = labels.counts();
    let sq_dist =
        |i: usize, j: usize| -> f64 { scaled.iter().map(|c| (c[i] - c[j]) * (c[i] - c[j])).sum() };
    let nearest = |i: usize, test: &dyn Fn(usize) -> bool| -> Vec<usize> {
        let mut rows: Vec<usize> = (0..n).filter(|&j| j != i && test(j)).collect();
        rows.sort_by(|&a, &b| sq_dist(i, a).total_cmp(&sq_dist(i, b)).then(a.cmp(&b)));
        rows.truncate(k);
        rows
    };
    let (mut hits, mut misses) = (vec![0.0; width], vec![0.0; width]);
    for i in 0..n {
        let own = codes[i];
        let add = |rows: &[usize], sums: &mut Vec<f64>, weight: f64| {
            for f in 0..width {
                for &j in rows {
                    sums[f] += weight * (scaled[f][i] - scaled[f][j]).abs();
                }
            }
        };
        let same = nearest(i, &|j| codes[j] == own);
        match variant {
            ReliefVariant::Ratio => {
                add(&same, &mut hits, 1.0);
                add(&nearest(i, &|j| codes[j] != own), &mut misses, 1.0);
            }
            ReliefVariant::Classic => {
                add(&same, &mut hits, 1.0 / same.len().max(1) as f64);
                for class in (0..counts.len() as u32).filter(|&c| c != own) {
                    let rows = nearest(i, &|j| codes[j] == class);
                    let prior = counts[class as usize] as f64 / (n - counts[own as usize]) as f64;
                    add(&rows, &mut misses, prior / rows.len().max(1) as f64);
                }
            }
        }
    }
    (0..width)
        .map(|f| match variant {
            ReliefVariant::Ratio if hits[f] > 0.0 => misses[f] / hits[f],
            ReliefVariant::Ratio if misses[f] > 0.0 => f64::INFINITY,
            ReliefVariant::Ratio => 0.0,
            ReliefVariant::Classic => (misses[f] - hits[f]) / n as f64,
        })
        .collect()
}

#[test]
fn relief_is_what_its_definition_says() {
    for (width, classes) in [(7, 2), (90, 3)] {
        let data = random_data(60, width, classes, 0.1, 31);
        for variant in [ReliefVariant::Ratio, ReliefVariant::Classic] {
            for k in [1, 3, 40] {
                let params = ReliefParams::default()
                    .with_neighbours(k)
                    .with_variant(variant);
                let expected = naive_relief(&data, k, variant);
                let ranking = params.rank(&data).expect("valid");
                assert_eq!(ranking.len(), width);
                for (&f, &score) in ranking.features.iter().zip(&ranking.scores) {
                    assert!((score - expected[f]).abs() < 1e-10 * expected[f].abs().max(1.0));
                }
                if width == 7 && k == 3 {
                    // Among few features the one that follows the class stands out.
                    assert_eq!(ranking.features[0], 0);
                }
                let sparse = params.rank(&as_sparse(&data)).expect("valid");
                assert_eq!(sparse.features, ranking.features);
            }
        }
    }
}

#[test]
fn relief_has_defined_ends() {
    let one_class = dataset(1, vec![1.0, 2.0], &[4.0, 4.0]);
    let refused = ReliefParams::default().rank(&one_class);
    assert!(matches!(
        refused,
        Err(Error::TooFewClasses {
            needed: 2,
            found: 1
        })
    ));
    // A feature that is the class never differs between hits; a constant one never at all.
    let data = dataset(
        3,
        vec![0.0, 7.0, 1.0, 0.0, 7.0, 2.0, 1.0, 7.0, 1.0, 1.0, 7.0, 2.0],
        &[0.0, 0.0, 1.0, 1.0],
    );
    let ranking = ReliefParams::default()
        .with_neighbours(1)
        .rank(&data)
        .expect("valid");
    assert_eq!((ranking.features[0], ranking.scores[0]), (0, f64::INFINITY));
    assert_eq!(
        ranking.scores[ranking
            .features
            .iter()
            .position(|&f| f == 1)
            .expect("valid")],
        0.0
    );
    let none = ReliefParams::default().with_neighbours(0).rank(&data);
    assert!(matches!(
        none,
        Err(Error::Parameter {
            name: "neighbours",
            ..
        })
    ));
}

#[test]
fn elimination_keeps_the_features_that_carry_the_margin() {
    let mut random = Generator::new(6);
    let (mut values, mut labels) = (Vec::new(), Vec::new());
    for i in 0..90 {
        let class = i % 3;
        let mut row: Vec<f64> = (0..40).map(|_| 0.3 * random.normal()).collect();
        row[11] += if class == 0 { 2.0 } else { -1.0 };
        row[29] += if class == 1 { 2.0 } else { -1.0 };
        values.extend(row);
        labels.push(f64::from(class));
    }
    let data = dataset(40, values, &labels);
    for elimination in [Elimination::OneByOne, Elimination::Halving] {
        for kernel in [RfeKernel::Linear, RfeKernel::Gaussian { gamma: 0.1 }] {
            let params = RfeParams::default()
                .with_elimination(elimination)
                .with_kernel(kernel);
            let rfe = params.rank(&data).expect("valid");
            let mut best = rfe.ranking.top(2).to_vec();
            best.sort_unstable();
            assert_eq!(best, [11, 29], "{elimination:?} {kernel:?}");
            assert_eq!(rfe.ranking.len(), 40);
            let mut all = rfe.ranking.features.clone();
            all.sort_unstable();
            assert_eq!(all, (0..40).collect::<Vec<_>>());
            let rounds = if elimination == Elimination::OneByOne {
                40
            } else {
                6
            };
            assert!(rfe.rounds.abs_diff(rounds) <= 1, "{}", rfe.rounds);
            assert_eq!(
                params
                    .rank(&as_sparse(&data))
                    .expect("valid")
                    .ranking
                    .features,
                rfe.ranking.features
            );
        }
    }
    let kept = RfeParams::default()
        .with_keep(8)
        .rank(&data)
        .expect("valid");
    assert_eq!(kept.ranking.len(), 40);
    let one = dataset(1, vec![1.0], &[1.0]);
    assert!(matches!(
        RfeParams::default().rank(&one),
        Err(Error::TooFewClasses { .. })
    ));
}

#[test]
fn the_linear_criterion_is_the_first_round_of_an_exact_machine() {
    use hedgerow::kernel::Kernel;
    use hedgerow::svm::SvcParams;
    let data = random_data(50, 6, 2, 0.0, 19);
    let rfe = RfeParams::default()
        .with_keep(6)
        .rank(&data)
        .expect("valid");
    let svc = SvcParams::default()
        .with_kernel(Kernel::Linear)
        .with_tolerance(1e-5);
    let parts = svc.fit(&data).expect("valid").model.parts();
    let machine = &parts.expansion.machines[0];
    let view = parts.expansion.support_vectors.view();
    for (&f, &score) in rfe.ranking.features.iter().zip(&rfe.ranking.scores) {
        let terms = machine.support.iter().zip(&machine.coefficients);
        let w: f64 = terms
            .map(|(&row, beta)| beta * view.row(row as usize).values()[f])
            .sum();
        assert!((score - w * w).abs() < 5e-3 * (1.0 + w * w));
    }
}

#[test]
fn wrappers_walk_greedily_in_both_directions() {
    // The error of a subset is known: feature 2 is worth 5, 0 is worth 3, 3 is worth 1.
    let worth = [3.0, 0.0, 5.0, 1.0];
    let error = |subset: &[usize]| Ok(10.0 - subset.iter().map(|&f| worth[f]).sum::<f64>());
    let forward = WrapperParams::default().search(4, &error).expect("valid");
    assert_eq!(forward.features, [2, 0, 3, 1]);
    assert_eq!(forward.scores, [5.0, 2.0, 1.0, 1.0]);
    let backward = WrapperParams::default().with_direction(Direction::Backward);
    assert_eq!(
        backward.search(4, &error).expect("valid").features,
        [2, 0, 3, 1]
    );
    let two = backward.with_count(2).search(4, &error).expect("valid");
    assert_eq!(two.features, [0, 2, 3, 1]);
    let fails = |_: &[usize]| Err(Error::NoRows);
    assert_eq!(
        WrapperParams::default().search(2, &fails),
        Err(Error::NoRows)
    );
    assert!(
        WrapperParams::default()
            .search(0, &error)
            .expect("valid")
            .is_empty()
    );
}

#[test]
fn random_orders_are_permutations_of_their_seed() {
    let order = random_ranking(50, 3);
    assert_eq!(order, random_ranking(50, 3));
    assert_ne!(order.features, random_ranking(50, 4).features);
    let mut sorted = order.features.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, (0..50).collect::<Vec<_>>());
}

#[test]
fn every_selector_ranks_and_does_not_see_threads() {
    let data = random_data(60, 30, 2, 0.1, 23);
    let kind = SimilarityKind::default();
    let selectors = [
        Selector::MaxRelevance(kind),
        Selector::Mrmr(
            SimilarityKind::Correlation(CorrelationParams::default()),
            MrmrParams::default(),
        ),
        Selector::Qpfs(kind, QpfsParams::default()),
        Selector::Cfs(kind, CfsParams::default()),
        Selector::Relief(ReliefParams::default()),
        Selector::Streamwise(StreamwiseParams::default()),
        Selector::Rfe(RfeParams::default()),
        Selector::Random { seed: 1 },
    ];
    for selector in &selectors {
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .expect("valid");
            pool.install(|| selector.rank(&data, Some(10)).expect("valid").ranking)
        };
        let one = run(1);
        assert_eq!(one, run(3), "{selector:?}");
        assert!(!one.is_empty() && one.len() <= 30);
        assert_eq!(one.features.len(), one.scores.len());
    }
    let bad = Selector::MaxRelevance(SimilarityKind::MutualInformation(
        MutualInformationParams::default()
            .with_binning(hedgerow::select::Binning::Quantiles { bins: 1 }),
    ));
    assert!(bad.check().is_err());
}
