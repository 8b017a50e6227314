//! Kernel feature weighting from data to weights.

use hedgerow::data::{ClassLabels, ClassName, Dataset, Generator, Samples, Target, generate};
use hedgerow::select::{
    KernelWeightsParams, Penalised, Selector, WeightStart, WeightSteps, WeightedKernel,
    WeightingMethod,
};
use hedgerow::{Error, Result};

const METHODS: [WeightingMethod; 5] = [
    WeightingMethod::Full,
    WeightingMethod::Simple,
    WeightingMethod::AoOne,
    WeightingMethod::AoTwo,
    WeightingMethod::Gmkl,
];

fn dataset(rows: &[Vec<f64>], codes: Vec<u32>) -> Dataset {
    let width = rows.first().map_or(0, Vec::len);
    let samples = Samples::dense(rows.len(), width, rows.concat()).expect("samples");
    let n_classes = codes.iter().max().map_or(0, |most| most + 1);
    let names = (0..n_classes)
        .map(|c| ClassName::Number(f64::from(c)))
        .collect();
    let labels = ClassLabels::new(names, codes).expect("labels");
    Dataset::new(samples, Target::Classes(labels)).expect("data")
}

/// The product of the signs of features 1 and 4 is the class; the others say nothing. No single
/// feature says anything.
fn exclusive_or(n: usize, d: usize, seed: u64) -> Dataset {
    let mut generator = Generator::new(seed);
    let rows: Vec<Vec<f64>> = (0..n)
        .map(|_| (0..d).map(|_| 3.0 * generator.normal() + 5.0).collect())
        .collect();
    let side = |row: &[f64]| u32::from((row[1] - 5.0) * (row[4] - 5.0) > 0.0);
    let codes = rows.iter().map(|row| side(row)).collect();
    dataset(&rows, codes)
}

fn params(method: WeightingMethod) -> KernelWeightsParams {
    KernelWeightsParams::default()
        .with_method(method)
        .with_cost(Some(4.0))
        .with_mu(Some(1.0))
}

#[test]
fn every_method_finds_the_features_that_only_matter_together() -> Result<()> {
    let data = exclusive_or(120, 8, 1);
    let test = exclusive_or(400, 8, 2);
    for method in METHODS {
        for steps in [WeightSteps::Exact, WeightSteps::Subspace] {
            let found = params(method).with_steps(steps).fit(&data)?;
            let mut best = found.ranking.top(2).to_vec();
            best.sort_unstable();
            assert_eq!(best, [1, 4], "{method:?} {steps:?} {:?}", found.weights);
            let decisions = &found.decision_values(test.samples().view())?[0];
            let codes = test.classes()?.codes();
            let wrong = decisions.iter().zip(codes);
            let wrong = wrong
                .filter(|&(&f, &code)| (f > 0.0) != (code == 1))
                .count();
            assert!(wrong < 60, "{method:?} {steps:?}: {wrong} of 400 wrong");
        }
    }
    Ok(())
}

#[test]
fn other_kernels_find_what_they_can_see() -> Result<()> {
    let product = WeightedKernel::Polynomial {
        degree: 2,
        offset: 1.0,
    };
    // The problem has many minima, and a search may end in another one.
    for method in [WeightingMethod::Full, WeightingMethod::Gmkl] {
        let mut found_both = 0;
        for seed in 1..=5 {
            let data = exclusive_or(300, 8, seed);
            let found = params(method).with_kernel(product).fit(&data)?;
            let mut best = found.ranking.top(2).to_vec();
            best.sort_unstable();
            found_both += usize::from(best == [1, 4]);
        }
        assert!(found_both >= 4, "{method:?}: {found_both} of 5");
    }
    // What one feature says, a linear kernel sees.
    let mut generator = Generator::new(3);
    let rows: Vec<Vec<f64>> = (0..80)
        .map(|_| (0..5).map(|_| generator.normal()).collect())
        .collect();
    let codes = rows.iter().map(|row| u32::from(row[3] > 0.2)).collect();
    let data = dataset(&rows, codes);
    let found = params(WeightingMethod::AoTwo)
        .with_kernel(WeightedKernel::Linear)
        .fit(&data)?;
    assert_eq!(found.ranking.features[0], 3);
    Ok(())
}

#[test]
fn the_objective_never_rises_where_it_must_not() -> Result<()> {
    let data = generate::ndcc_probes(
        &{
            let mut params = generate::NdccProbesParams::default();
            params.rows = 90;
            params.informative = 5;
            params.probes = 6;
            params
        },
        4,
    )?;
    for method in [WeightingMethod::Simple, WeightingMethod::AoOne] {
        for start in [WeightStart::Ones, WeightStart::Scaled, WeightStart::Relief] {
            let found = params(method)
                .with_mu(Some(0.1))
                .with_start(start)
                .with_labels(true)
                .fit(&data)?;
            let class = &found.classes[0];
            assert!(class.trace.len() > 1);
            for pair in class.trace.windows(2) {
                let (before, after) = (pair[0].objective, pair[1].objective);
                assert!(
                    after <= before * (1.0 + 1e-9),
                    "{method:?}: {before} to {after}"
                );
            }
            assert!(class.trace.iter().all(|step| step.saddle.is_some()));
            let least = class.trace.iter().map(|step| step.objective);
            let least = least.fold(f64::INFINITY, f64::min);
            assert_eq!(class.objective, least);
        }
    }
    Ok(())
}

#[test]
fn squares_and_the_printed_form_work_and_features_come_back() -> Result<()> {
    let data = exclusive_or(120, 8, 1);
    for changed in [
        params(WeightingMethod::AoTwo).with_penalised(Penalised::Squares),
        params(WeightingMethod::Gmkl).with_penalised(Penalised::Squares),
        params(WeightingMethod::AoTwo).with_printed(true),
        params(WeightingMethod::AoTwo).with_reactivate(false),
        params(WeightingMethod::AoTwo).with_start(WeightStart::Several),
        params(WeightingMethod::AoTwo).with_landmarks(Some(60)),
    ] {
        let found = changed.fit(&data)?;
        let mut best = found.ranking.top(2).to_vec();
        best.sort_unstable();
        assert_eq!(best, [1, 4], "{changed:?}");
    }
    let again = params(WeightingMethod::AoOne).fit(&data)?;
    let plain = params(WeightingMethod::AoOne)
        .with_reactivate(false)
        .fit(&data)?;
    assert!(again.classes[0].objective <= plain.classes[0].objective);
    Ok(())
}

#[test]
fn prices_are_chosen_and_factors_undo_the_scale() -> Result<()> {
    let data = exclusive_or(90, 6, 1);
    let found = KernelWeightsParams::default().with_folds(2).fit(&data)?;
    assert!(found.validation_error.expect("an error") < 0.25);
    let mut best = found.ranking.top(2).to_vec();
    best.sort_unstable();
    assert_eq!(best, [1, 4]);
    // Feature 1 in another unit: the same weight, another factor.
    let view = data.samples().view();
    let rows: Vec<Vec<f64>> = (0..90)
        .map(|i| {
            let mut row = vec![0.0; 6];
            view.row(i).write_dense(&mut row);
            row[1] = 1000.0 * row[1] + 1e4;
            row
        })
        .collect();
    let moved = dataset(&rows, data.classes()?.codes().to_vec());
    let fixed = KernelWeightsParams::default()
        .with_cost(Some(found.cost))
        .with_mu(Some(found.mu));
    let (one, other) = (fixed.fit(&data)?, fixed.fit(&moved)?);
    assert!((one.weights[1] - other.weights[1]).abs() < 1e-4 * one.weights[1]);
    assert!((one.factors[1] - 1000.0 * other.factors[1]).abs() < 1e-4 * one.factors[1]);
    Ok(())
}

#[test]
fn chosen_prices_leave_a_feature_where_any_do() -> Result<()> {
    // Four rows of 60: without any feature nearly all are right.
    let mut generator = Generator::new(9);
    let rows: Vec<Vec<f64>> = (0..60)
        .map(|_| vec![generator.normal(), generator.normal()])
        .collect();
    let codes = (0..60).map(|i| u32::from(i < 4)).collect();
    let data = dataset(&rows, codes);
    let params = KernelWeightsParams::default().with_cost(Some(1.0));
    assert!(params.fit(&data)?.n_kept() > 0);
    Ok(())
}

#[test]
fn neighbouring_prices_help_each_other() -> Result<()> {
    let data = exclusive_or(120, 20, 4);
    let params = params(WeightingMethod::AoTwo);
    let (costs, mus) = ([0.5, 4.0], [2.0, 0.1, 0.5]);
    let grid = params.fit_grid(&data, &costs, &mus)?;
    assert_eq!(grid.len(), 6);
    for (at, found) in grid.iter().enumerate() {
        let (cost, mu) = (costs[at / 3], mus[at % 3]);
        let alone = params.with_cost(Some(cost)).with_mu(Some(mu)).fit(&data);
        let (Some(found), Ok(alone)) = (found, alone) else {
            continue;
        };
        // In the order that was asked for, and no worse than without neighbours.
        assert_eq!((found.cost, found.mu), (cost, mu));
        let (with, without) = (found.classes[0].objective, alone.classes[0].objective);
        assert!(with <= without * (1.0 + 1e-9), "{with} {without}");
    }
    assert!(grid.iter().flatten().count() >= 4);
    assert!(params.fit_grid(&data, &[0.0], &mus).is_err());
    assert!(params.fit_grid(&data, &costs, &[-1.0]).is_err());
    Ok(())
}

#[test]
fn many_rows_are_weighted_by_samples_of_the_hessian() -> Result<()> {
    let data = exclusive_or(1100, 10, 2);
    let found = params(WeightingMethod::AoTwo)
        .with_mu(Some(8.0))
        .fit(&data)?;
    let mut best = found.ranking.top(2).to_vec();
    best.sort_unstable();
    assert_eq!(best, [1, 4]);
    assert_eq!(found.n_kept(), 2);
    Ok(())
}

#[test]
fn several_classes_stand_against_the_rest() -> Result<()> {
    let mut generator = Generator::new(9);
    let rows: Vec<Vec<f64>> = (0..120)
        .map(|_| (0..6).map(|_| generator.normal()).collect())
        .collect();
    // The first class is told by feature 0, the others by feature 5.
    let codes = rows
        .iter()
        .map(|row| {
            if row[0] > 0.5 {
                0
            } else {
                1 + u32::from(row[5] > 0.0)
            }
        })
        .collect();
    let found = params(WeightingMethod::AoTwo).fit(&dataset(&rows, codes))?;
    assert_eq!(found.classes.len(), 3);
    let mut best = found.ranking.top(2).to_vec();
    best.sort_unstable();
    assert_eq!(best, [0, 5]);
    for f in 0..6 {
        let most = found.classes.iter().map(|class| class.weights[f]);
        assert_eq!(most.fold(0.0, f64::max), found.weights[f]);
    }
    assert_eq!(found.classes[0].weights[5], 0.0);
    Ok(())
}

#[test]
fn weights_do_not_depend_on_the_number_of_threads() -> Result<()> {
    let data = exclusive_or(300, 9, 5);
    for method in METHODS {
        for landmarks in [None, Some(50)] {
            if landmarks.is_some()
                && matches!(method, WeightingMethod::Full | WeightingMethod::Gmkl)
            {
                continue;
            }
            let run = |threads: usize| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
                let params = params(method)
                    .with_landmarks(landmarks)
                    .with_max_full_steps(5)
                    .with_max_rounds(3);
                pool.expect("a pool").install(|| params.fit(&data))
            };
            let one = run(1)?;
            for threads in [2, 8] {
                let other = run(threads)?;
                assert_eq!(one.weights, other.weights, "{method:?}");
                assert_eq!(one.classes[0].objective, other.classes[0].objective);
            }
        }
    }
    Ok(())
}

#[test]
fn constant_and_repeated_columns_are_borne() -> Result<()> {
    let plain = exclusive_or(100, 6, 1);
    let view = plain.samples().view();
    let rows: Vec<Vec<f64>> = (0..100)
        .map(|i| {
            let mut row = vec![0.0; 6];
            view.row(i).write_dense(&mut row);
            // A constant, and a twin.
            row[0] = 1e6;
            row[5] = row[1];
            row
        })
        .collect();
    let data = dataset(&rows, plain.classes()?.codes().to_vec());
    for method in METHODS {
        let found = params(method).fit(&data)?;
        assert_eq!(found.weights[0], 0.0);
        assert_eq!(found.factors[0], 0.0);
        assert!(found.weights.iter().all(|weight| weight.is_finite()));
        assert!(found.ranking.top(3).contains(&4), "{method:?}");
    }
    Ok(())
}

#[test]
fn hostile_data_give_errors_or_answers() -> Result<()> {
    let data = exclusive_or(60, 6, 1);
    for method in METHODS {
        // So high a price that nothing is worth it.
        let dear = params(method).with_mu(Some(1e6));
        match dear.fit(&data) {
            Err(Error::NoWeightLeft { mu }) => assert_eq!(mu, 1e6),
            Ok(found) => assert!(found.n_kept() > 0, "{method:?}"),
            Err(error) => panic!("{method:?}: {error}"),
        }
        // No price.
        let free = params(method).with_mu(Some(0.0)).with_max_full_steps(20);
        assert!(free.fit(&data)?.n_kept() > 0);
        // One feature, constant features only, duplicate rows, one row, one class.
        let one: Vec<Vec<f64>> = (0..20).map(|i| vec![f64::from(i)]).collect();
        let codes: Vec<u32> = (0..20).map(|i| u32::from(i > 9)).collect();
        assert_eq!(
            params(method).fit(&dataset(&one, codes.clone()))?.n_kept(),
            1
        );
        let flat = vec![vec![3.0, 0.0]; 20];
        assert!(matches!(
            params(method).fit(&dataset(&flat, codes.clone())),
            Err(Error::NoWeightLeft { .. })
        ));
        let twice: Vec<Vec<f64>> = (0..20).map(|i| vec![f64::from(i / 2), 1.0]).collect();
        assert_eq!(params(method).fit(&dataset(&twice, codes))?.n_kept(), 1);
        assert!(matches!(
            params(method).fit(&dataset(&[vec![1.0, 2.0]], vec![0])),
            Err(Error::TooFewClasses { .. })
        ));
        let wide: Vec<Vec<f64>> = (0..6)
            .map(|i| (0..40).map(|f| f64::from((i * f) % 7)).collect())
            .collect();
        let wide = dataset(&wide, vec![0, 1, 0, 1, 0, 1]);
        assert!(params(method).with_mu(Some(0.01)).fit(&wide).is_ok());
    }
    let mut odd = [vec![1.0, 2.0], vec![2.0, 1.0]];
    odd[0][1] = f64::NAN;
    let samples = Samples::dense(2, 2, odd.concat());
    if let Ok(samples) = samples {
        let labels = ClassLabels::new(
            vec![ClassName::Number(0.0), ClassName::Number(1.0)],
            vec![0, 1],
        )?;
        let data = Dataset::new(samples, Target::Classes(labels));
        assert!(data.is_err() || params(WeightingMethod::AoTwo).fit(&data?).is_err());
    }
    Ok(())
}

#[test]
fn memory_is_asked_for_before_it_is_taken() {
    let data = exclusive_or(60, 6, 1);
    let tight = params(WeightingMethod::AoTwo).with_max_bytes(1000);
    assert!(matches!(tight.fit(&data), Err(Error::Memory { .. })));
    for bad in [
        params(WeightingMethod::AoTwo).with_cost(Some(0.0)),
        params(WeightingMethod::AoTwo).with_mu(Some(-1.0)),
        params(WeightingMethod::AoTwo).with_epsilon(0.0),
        params(WeightingMethod::AoTwo).with_folds(1),
        params(WeightingMethod::AoTwo).with_landmarks(Some(0)),
        params(WeightingMethod::Gmkl).with_landmarks(Some(5)),
        params(WeightingMethod::AoTwo).with_kernel(WeightedKernel::Polynomial {
            degree: 0,
            offset: 0.0,
        }),
    ] {
        assert!(
            matches!(bad.fit(&data), Err(Error::Parameter { .. })),
            "{bad:?}"
        );
    }
}

#[test]
fn the_selector_says_factors_and_ranks_what_has_a_weight() -> Result<()> {
    let data = exclusive_or(100, 8, 1);
    let selector = Selector::KernelWeights(params(WeightingMethod::AoTwo));
    let found = selector.rank(&data, None)?;
    let factors = found.factors.expect("factors");
    let kept = factors.iter().filter(|&&factor| factor > 0.0).count();
    assert_eq!(found.ranking.len(), kept);
    assert!(kept < 8);
    assert!(found.facts.contains(&("features_kept", kept as f64)));
    Ok(())
}
