//! Bounds of rankers beside the formulas, with every matrix written out.

use hedgerow::data::{ClassLabels, ClassName, Dataset, Generator, Samples, Target};
use hedgerow::kernel::Kernel;
use hedgerow::params::Value;
use hedgerow::rank::{BasisWord, BoundSettings, RankModel, RankRcParams};
use hedgerow::solve::pairwise::brute::PairLoss;
use hedgerow::{Error, Model, Predictor};
use proptest::prelude::*;

const N: usize = 40;
const GAMMA: f64 = 0.3;

fn rows(seed: u64, n_levels: u32) -> (Vec<[f64; 2]>, Vec<u32>) {
    let mut generator = Generator::new(seed);
    let level = |i: usize| (i as u32 / 3) % n_levels;
    // The lowest level has most rows.
    let levels: Vec<u32> = (0..N)
        .map(|i| if i % 3 == 0 { level(i) } else { 0 })
        .collect();
    let row = |&level: &u32| {
        let shift = f64::from(level) * 0.7;
        [generator.normal() + shift, generator.normal() - shift]
    };
    (levels.iter().map(row).collect(), levels)
}

fn samples(rows: &[[f64; 2]]) -> Samples {
    Samples::dense(rows.len(), 2, rows.concat()).expect("finite")
}

fn dataset(rows: &[[f64; 2]], levels: &[u32], ordinal: bool) -> Dataset {
    let numbers: Vec<f64> = levels.iter().map(|&level| f64::from(level)).collect();
    let target = if ordinal {
        Target::ordinal_from_numbers(&numbers)
    } else {
        Target::Classes(ClassLabels::from_numbers(&numbers))
    };
    Dataset::new(samples(rows), target).expect("sound")
}

fn params(lambda: f64) -> RankRcParams {
    let params = RankRcParams {
        basis: BasisWord::Rare,
        ..RankRcParams::default()
    };
    let params = params.with_lambda(lambda).with_tolerance(1e-11);
    params.with_kernel(Kernel::rbf(GAMMA))
}

fn kernel(a: &[f64; 2], b: &[f64; 2]) -> f64 {
    (-GAMMA * ((a[0] - b[0]).powi(2) + (a[1] - b[1]).powi(2))).exp()
}

fn matrix(rows: &[[f64; 2]], columns: &[[f64; 2]]) -> Vec<Vec<f64>> {
    let row = |a: &[f64; 2]| columns.iter().map(|b| kernel(a, b)).collect();
    rows.iter().map(row).collect()
}

/// Solves a definite system by elimination.
fn solve(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Vec<f64> {
    let n = b.len();
    for k in 0..n {
        for i in k + 1..n {
            let factor = a[i][k] / a[k][k];
            let pivot = a[k].clone();
            for (value, p) in a[i].iter_mut().zip(&pivot) {
                *value -= factor * p;
            }
            b[i] -= factor * b[k];
        }
    }
    for k in (0..n).rev() {
        let rest: f64 = (k + 1..n).map(|j| a[k][j] * b[j]).sum();
        b[k] = (b[k] - rest) / a[k][k];
    }
    b
}

/// $K - K_{\bullet R} K_{RR}^{-1} K_{R\bullet}$.
fn difference(rows: &[[f64; 2]], basis: &[[f64; 2]]) -> Vec<Vec<f64>> {
    let (all, part, own) = (
        matrix(rows, rows),
        matrix(rows, basis),
        matrix(basis, basis),
    );
    let column = |row: &Vec<f64>| solve(own.clone(), row.clone());
    let solved: Vec<Vec<f64>> = part.iter().map(column).collect();
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
    (0..rows.len())
        .map(|i| {
            (0..rows.len())
                .map(|j| all[i][j] - dot(&part[i], &solved[j]))
                .collect()
        })
        .collect()
}

fn largest_eigenvalue(a: &[Vec<f64>]) -> f64 {
    let mut vector: Vec<f64> = (0..a.len()).map(|i| 1.0 + (i as f64).sin()).collect();
    let mut value = 0.0;
    for _ in 0..5000 {
        let product: Vec<f64> = a
            .iter()
            .map(|row| row.iter().zip(&vector).map(|(x, y)| x * y).sum())
            .collect();
        value = product.iter().map(|v| v * v).sum::<f64>().sqrt();
        vector = product.iter().map(|v| v / value).collect();
    }
    value
}

fn raw(model: &RankModel, data: &Dataset) -> Vec<f64> {
    let scores = model.scores(data.samples().view()).expect("rows").values;
    scores
        .iter()
        .map(|score| score + model.threshold())
        .collect()
}

#[track_caller]
fn assert_near(found: f64, expected: f64, tolerance: f64) {
    assert!(
        (found - expected).abs() <= tolerance * expected.abs().max(1.0),
        "{found} {expected}"
    );
}

/// D7 and D8 with every pair and every matrix written out.
fn certificates(data: &Dataset, rows: &[[f64; 2]], levels: &[u32], model: &RankModel) -> [f64; 2] {
    let basis: Vec<[f64; 2]> = (0..N).filter(|&i| levels[i] > 0).map(|i| rows[i]).collect();
    let left = difference(rows, &basis);
    let (_, slopes) = PairLoss::SmoothedHinge(0.5).evaluate(&raw(model, data), levels);
    let pairs = |&i: &usize| levels.iter().filter(|&&level| level < levels[i]).count();
    let n_pairs: usize = (0..N).map(|i| pairs(&i)).sum();
    let slopes: Vec<f64> = slopes.iter().map(|slope| slope / n_pairs as f64).collect();
    let by_lengths: f64 = (0..N)
        .map(|i| slopes[i].abs() * left[i][i].max(0.0).sqrt())
        .sum();
    let square: f64 = (0..N)
        .flat_map(|i| (0..N).map(move |j| (i, j)))
        .map(|(i, j)| slopes[i] * left[i][j] * slopes[j])
        .sum();
    [by_lengths, square.max(0.0).sqrt()]
}

#[test]
fn bounds_are_those_of_the_formulas() {
    for (seed, lambda) in [(1, 0.1), (2, 0.01), (3, 0.5)] {
        let (rows, levels) = rows(seed, 2);
        let data = dataset(&rows, &levels, false);
        let model = params(lambda).fit(&data).expect("two classes").model;
        let settings = BoundSettings {
            full_norm: None,
            quadratic: true,
        };
        let found = model.bounds(&data, &settings).expect("rows");
        assert_near(found.kappa, 1.0, 1e-12);
        // D1 and D3: all rare rows are in the basis, none of the others.
        let share = levels.iter().filter(|&&level| level == 1).count() as f64 / N as f64;
        let projection = found.projection.expect("two classes");
        assert_near(projection.printed, 2.0 / lambda, 1e-12);
        assert_near(projection.tight, 2f64.sqrt() / lambda, 1e-12);
        assert_near(found.nystrom.tight, (1.0 - share).sqrt() / lambda, 1e-12);
        assert_near(
            found.nystrom.printed,
            2f64.sqrt() * found.nystrom.tight,
            1e-12,
        );
        let basis: Vec<[f64; 2]> = (0..N).filter(|&i| levels[i] > 0).map(|i| rows[i]).collect();
        let left = difference(&rows, &basis);
        // D2, with the bound of the norm of the full solution.
        let others = levels.iter().filter(|&&level| level == 0).count() as f64;
        let mean: f64 = (0..N)
            .filter(|&i| levels[i] == 0)
            .map(|i| left[i][i].max(0.0).sqrt() / others)
            .sum();
        let full = (2.0 / lambda).min((2.0 * 0.5 / lambda).sqrt());
        let own = model.norm().expect("rows");
        let residual = found.residual.expect("two classes");
        assert_near(
            residual.printed,
            ((full + own) / lambda * mean).sqrt(),
            1e-6,
        );
        assert_near(residual.tight, (full / lambda * mean).sqrt(), 1e-6);
        // D4.
        let norm = largest_eigenvalue(&left);
        let front = 2.0 * 2f64.sqrt() / lambda * (1.0 + (norm / 4.0).powf(0.25));
        let perturbation = found.perturbation.expect("asked for");
        assert_near(perturbation.difference, norm, 1e-6);
        assert_near(perturbation.quarter, front * norm.powf(0.25), 1e-6);
        assert_near(perturbation.half, front * norm.sqrt(), 1e-6);
        // D7 and D8.
        let [by_lengths, exact] = certificates(&data, &rows, &levels, &model);
        let found_exact = found.exact_certificate.expect("asked for");
        assert_near(found.certificate.values, by_lengths / lambda, 1e-6);
        assert_near(found_exact.values, exact / lambda, 1e-6);
        assert_near(found_exact.objective, exact * exact / (2.0 * lambda), 1e-6);
    }
}

#[test]
fn what_models_tell_of_their_training_is_what_the_library_says() {
    let (rows, levels) = rows(5, 2);
    let data = dataset(&rows, &levels, false);
    let model = params(0.1).fit(&data).expect("two classes").model;
    let bounds = model.as_bounds().expect("a ranker has bounds");
    let told = |all_pairs| {
        let facts = bounds
            .bounds_on(&data, all_pairs)
            .expect("a ranker reads data");
        facts.expect("the data of the training")
    };
    let value = |name: &str| {
        let all = told(true);
        let found = all.iter().find(|fact| fact.0 == name).expect("told");
        match found.1 {
            Value::Number(value) => value,
            ref other => panic!("{other:?}"),
        }
    };
    let settings = BoundSettings {
        full_norm: None,
        quadratic: true,
    };
    let found = model.bounds(&data, &settings).expect("rows");
    assert_eq!(value("residuals"), found.residual.expect("two").tight);
    assert_eq!(
        value("perturbation"),
        found.perturbation.expect("two").quarter
    );
    assert_eq!(value("certificate"), found.certificate.values);
    let exact = found.exact_certificate.expect("asked for");
    assert_eq!(value("exact_certificate_of_objective"), exact.objective);
    assert!(told(false).iter().all(|fact| fact.0 != "exact_certificate"));
    // Other rows than those of the training.
    let fewer = data.select(&(0..N - 1).collect::<Vec<usize>>());
    let refused = bounds
        .bounds_on(&fewer, false)
        .expect("a ranker reads data");
    assert!(matches!(refused, Err(Error::Shape { .. })), "{refused:?}");
}

#[test]
fn levels_that_were_read_as_classes_are_put_in_order() {
    let (rows, levels) = rows(7, 4);
    let model = params(0.1)
        .fit(&dataset(&rows, &levels, true))
        .expect("levels")
        .model;
    let as_classes = dataset(&rows, &levels, false);
    let settings = BoundSettings::default();
    let found = model.bounds(&as_classes, &settings).expect("rows");
    let again = model.bounds(&dataset(&rows, &levels, true), &settings);
    assert_eq!(found, again.expect("rows"));
    assert!(found.projection.is_none() && found.residual.is_none());
    let [by_lengths, _] = certificates(&as_classes, &rows, &levels, &model);
    assert_near(found.certificate.values, by_lengths / 0.1, 1e-6);
    assert_eq!(model.classes().map(<[ClassName]>::len), Some(4));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// Certificates of levels, and the perturbation bound on training rows, hold too.
    #[test]
    fn no_bound_is_below_the_gap(seed in 0u64..1000, exponent in -8i32..1, n_levels in 2u32..5) {
        let (rows, levels) = rows(seed, n_levels);
        let data = dataset(&rows, &levels, true);
        let lambda = 2f64.powi(exponent);
        let part = params(lambda).fit(&data).expect("levels");
        let all = RankRcParams { basis: BasisWord::All, ..params(lambda) };
        let all = all.fit(&data).expect("levels");
        let gap = raw(&part.model, &data)
            .iter()
            .zip(raw(&all.model, &data))
            .map(|(a, b)| (a - b).abs())
            .fold(0.0, f64::max);
        let settings = BoundSettings { full_norm: None, quadratic: true };
        let found = part.model.bounds(&data, &settings).expect("rows");
        let rounding = 1e-5 * (1.0 + gap);
        let exact = found.exact_certificate.expect("asked for");
        prop_assert!(gap <= exact.values + rounding);
        prop_assert!(exact.values <= found.certificate.values + rounding);
        let lost = part.report.objective - all.report.objective;
        prop_assert!(lost <= exact.objective + 1e-6);
        if let Some(perturbation) = found.perturbation {
            prop_assert!(gap <= perturbation.quarter + rounding);
        }
    }
}
