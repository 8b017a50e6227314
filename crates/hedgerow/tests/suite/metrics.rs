//! Metrics against scikit-learn (numbers from tests/golden/make_metrics.py) and brute force.

#![allow(clippy::unwrap_used)] // Helpers of tests may fail as loudly as the tests.

use hedgerow::Error;
use hedgerow::data::{ClassName, Dataset, Samples, Target};
use hedgerow::evaluate::classification::{
    ConfusionMatrix, accuracy, binary_brier_score, brier_score, log_loss,
};
use hedgerow::evaluate::ranking::{
    Ties, auc, average_precision, mauc, ranking_hinge_loss, roc_curve,
};
use hedgerow::evaluate::regression::{
    mean_absolute_error, mean_squared_error, r_squared, root_mean_squared_log_error,
    squared_correlation,
};
use hedgerow::evaluate::{evaluate, log_error_of_levels};
use hedgerow::rank::RankRcParams;
use proptest::prelude::*;

const TRUTH: [u32; 12] = [0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 2, 2];
const PREDICTED: [u32; 12] = [0, 1, 0, 2, 1, 1, 0, 2, 2, 1, 2, 0];
#[rustfmt::skip]
const PROBABILITIES: [f64; 36] = [
    0.7, 0.2, 0.1,  0.3, 0.4, 0.3,  0.9, 0.05, 0.05,  0.25, 0.25, 0.5,
    0.1, 0.8, 0.1,  0.2, 0.6, 0.2,  0.5, 0.3, 0.2,  0.05, 0.05, 0.9,
    0.1, 0.2, 0.7,  0.2, 0.5, 0.3,  0.0, 0.1, 0.9,  1.0, 0.0, 0.0,
];
const POSITIVE: [bool; 10] = [
    false, false, true, true, false, true, false, true, true, false,
];
const SCORES: [f64; 10] = [0.1, 0.4, 0.35, 0.8, 0.4, 0.9, 0.2, 0.4, 0.35, 0.35];

fn close(found: f64, expected: f64) {
    assert!(
        (found - expected).abs() <= 1e-13 * (1.0 + expected.abs()),
        "found {found}, expected {expected}"
    );
}

fn names(count: usize) -> Vec<ClassName> {
    (0..count).map(|c| ClassName::Number(c as f64)).collect()
}

#[test]
fn classification_metrics_are_those_of_scikit_learn() {
    close(
        accuracy(&TRUTH, &PREDICTED).unwrap(),
        0.583_333_333_333_333_4,
    );
    let matrix = ConfusionMatrix::new(&names(3), &TRUTH, &PREDICTED).unwrap();
    close(matrix.accuracy(), 0.583_333_333_333_333_4);
    close(matrix.balanced_accuracy(), 0.588_888_888_888_888_9);
    let per_class = [
        (0.5, 0.5, 0.5),
        (0.5, 0.666_666_666_666_666_6, 0.571_428_571_428_571_4),
        (0.75, 0.6, 0.666_666_666_666_666_6),
    ];
    for (c, (precision, recall, f1)) in (0..).zip(per_class) {
        close(matrix.precision(c), precision);
        close(matrix.recall(c), recall);
        close(matrix.f_beta(c, 1.0), f1);
    }
    close(matrix.macro_f_beta(2.0), 0.583_333_333_333_333_4);
    close(matrix.macro_precision(), 0.583_333_333_333_333_4);
    close(matrix.macro_recall(), 0.588_888_888_888_888_9);
    close(
        log_loss(&TRUTH, &PROBABILITIES, 3, 1e-15).unwrap(),
        3.441_699_148_244_960_6,
    );
    close(
        log_loss(&TRUTH[..11], &PROBABILITIES[..33], 3, 1e-15).unwrap(),
        0.614_692_125_820_803_9,
    );
    close(brier_score(&TRUTH, &PROBABILITIES, 3).unwrap(), 0.483_75);
    close(binary_brier_score(&POSITIVE, &SCORES).unwrap(), 0.174_75);
}

#[test]
fn classes_that_do_not_occur_do_not_count() {
    let matrix = ConfusionMatrix::new(&names(3), &[0, 0, 1], &[0, 0, 0]).unwrap();
    close(matrix.balanced_accuracy(), 0.5);
    close(matrix.macro_recall(), 0.5);
    close(matrix.precision(1), 0.0);
    close(matrix.precision(2), 0.0);
    close(matrix.macro_f_beta(1.0), 0.4);
}

#[test]
fn a_confusion_matrix_prints_as_a_table() {
    let names = [ClassName::Text("cat".into()), ClassName::Number(-1.0)];
    let matrix = ConfusionMatrix::new(&names, &[0, 0, 1, 1], &[0, 1, 1, 1]).unwrap();
    let lines = [
        "actual \\ predicted  cat  -1",
        "cat                   1   1",
        "-1                    0   2",
    ];
    assert_eq!(matrix.to_string(), lines.join("\n"));
}

#[test]
fn ranking_metrics_are_those_of_scikit_learn() {
    close(auc(&POSITIVE, &SCORES, Ties::Half).unwrap(), 0.76);
    close(average_precision(&POSITIVE, &SCORES).unwrap(), 0.77);
    let curve = roc_curve(&POSITIVE, &SCORES).unwrap();
    assert_eq!(
        curve.thresholds,
        [f64::INFINITY, 0.9, 0.8, 0.4, 0.35, 0.2, 0.1]
    );
    assert_eq!(
        curve.false_positive_rates,
        [0.0, 0.0, 0.0, 0.4, 0.6, 0.8, 1.0]
    );
    assert_eq!(
        curve.true_positive_rates,
        [0.0, 0.2, 0.4, 0.6, 1.0, 1.0, 1.0]
    );
    close(curve.area(), 0.76);
}

#[test]
fn a_constant_scorer_gets_what_ties_count() {
    for (ties, expected) in [(Ties::Half, 0.5), (Ties::Count, 1.0), (Ties::Zero, 0.0)] {
        close(auc(&POSITIVE, &[0.0; 10], ties).unwrap(), expected);
        // Zero has two signs but is one score.
        close(auc(&[true, false], &[-0.0, 0.0], ties).unwrap(), expected);
    }
}

#[test]
fn regression_metrics_are_those_of_scikit_learn() {
    let truth = [3.0, -0.5, 2.0, 7.0, 4.2];
    let predicted = [2.5, 0.0, 2.0, 8.0, 3.9];
    close(mean_squared_error(&truth, &predicted).unwrap(), 1.59 / 5.0);
    close(mean_absolute_error(&truth, &predicted).unwrap(), 0.46);
    close(
        r_squared(&truth, &predicted).unwrap(),
        0.948_025_627_615_062_7,
    );
    close(
        squared_correlation(&truth, &predicted).unwrap(),
        0.961_112_782_081_896_1,
    );
    let far: Vec<f64> = truth.iter().map(|t| t + 1e8).collect();
    let found = squared_correlation(&far, &predicted).unwrap();
    assert!((found - 0.961_112_782_081_896_1).abs() < 1e-7);
    close(r_squared(&[2.0, 2.0], &[2.0, 2.0]).unwrap(), 1.0);
    close(r_squared(&[2.0, 2.0], &[2.0, 3.0]).unwrap(), 0.0);
    close(squared_correlation(&[2.0, 2.0], &[2.0, 3.0]).unwrap(), 0.0);
}

#[test]
fn input_that_has_no_answer_is_an_error() {
    assert_eq!(accuracy(&[], &[]), Err(Error::NoRows));
    assert!(matches!(accuracy(&[0], &[0, 1]), Err(Error::Shape { .. })));
    let one_class = auc(&[true, true], &[0.0, 1.0], Ties::Half);
    assert!(matches!(one_class, Err(Error::TooFewClasses { .. })));
    let nan = auc(&[true, false], &[0.0, f64::NAN], Ties::Half);
    assert!(matches!(nan, Err(Error::BadRowValue { row: 2, .. })));
    assert!(average_precision(&[false], &[0.0]).is_err());
    assert!(mauc(&[3, 3], &[0.0, 1.0], Ties::Half).is_err());
    assert!(ranking_hinge_loss(&[true, false], &[0.0, f64::INFINITY]).is_err());
    assert!(ConfusionMatrix::new(&names(2), &[0, 2], &[0, 1]).is_err());
    assert!(log_loss(&[0], &[1.5, -0.5], 2, 1e-15).is_err());
    assert!(log_loss(&[2], &[0.5, 0.5], 2, 1e-15).is_err());
    assert!(mean_squared_error(&[0.0], &[f64::NAN]).is_err());
}

fn tie_value(ties: Ties) -> f64 {
    match ties {
        Ties::Half => 0.5,
        Ties::Count => 1.0,
        Ties::Zero => 0.0,
    }
}

/// Share of the pairs with `better(i, j)` that the scores put right.
fn pair_share(n: usize, scores: &[f64], ties: Ties, better: impl Fn(usize, usize) -> bool) -> f64 {
    let (mut sum, mut pairs) = (0.0, 0.0);
    for i in 0..n {
        for j in 0..n {
            if better(i, j) {
                pairs += 1.0;
                if scores[i] > scores[j] {
                    sum += 1.0;
                } else if scores[i] == scores[j] {
                    sum += tie_value(ties);
                }
            }
        }
    }
    sum / pairs
}

fn rows() -> impl Strategy<Value = Vec<(u32, f64)>> {
    // Few distinct scores, so that ties are frequent.
    prop::collection::vec(
        (0u32..5, (-6i32..6).prop_map(|s| f64::from(s) * 0.37)),
        2..60,
    )
}

proptest! {
    #[test]
    fn auc_and_mauc_count_pairs(rows in rows()) {
        let levels: Vec<u32> = rows.iter().map(|r| r.0).collect();
        let scores: Vec<f64> = rows.iter().map(|r| r.1).collect();
        let positive: Vec<bool> = levels.iter().map(|&level| level > 2).collect();
        let n = rows.len();
        let two_classes = positive.contains(&true) && positive.contains(&false);
        for ties in [Ties::Half, Ties::Count, Ties::Zero] {
            if two_classes {
                let brute = pair_share(n, &scores, ties, |i, j| positive[i] && !positive[j]);
                prop_assert!((auc(&positive, &scores, ties).unwrap() - brute).abs() < 1e-12);
                let two_levels: Vec<u32> = positive.iter().map(|&p| 7 * u32::from(p)).collect();
                prop_assert_eq!(
                    mauc(&two_levels, &scores, ties), auc(&positive, &scores, ties)
                );
            }
            if levels.iter().any(|&level| level != levels[0]) {
                let brute = pair_share(n, &scores, ties, |i, j| levels[i] > levels[j]);
                prop_assert!((mauc(&levels, &scores, ties).unwrap() - brute).abs() < 1e-12);
            }
        }
        if two_classes {
            let area = roc_curve(&positive, &scores).unwrap().area();
            prop_assert!((area - auc(&positive, &scores, Ties::Half).unwrap()).abs() < 1e-12);
        }
    }

    #[test]
    fn ranking_hinge_loss_sums_pairs(rows in rows(), shift in -1e6f64..1e6) {
        let positive: Vec<bool> = rows.iter().map(|r| r.0 > 1).collect();
        prop_assume!(positive.contains(&true) && positive.contains(&false));
        let scores: Vec<f64> = rows.iter().map(|r| r.1).collect();
        let (mut sum, mut pairs) = (0.0, 0.0);
        for i in 0..rows.len() {
            for j in 0..rows.len() {
                if positive[i] && !positive[j] {
                    pairs += 1.0;
                    sum += f64::max(0.0, 1.0 - (scores[i] - scores[j]));
                }
            }
        }
        let found = ranking_hinge_loss(&positive, &scores).unwrap();
        prop_assert!((found - sum / pairs).abs() < 1e-12);
        let shifted: Vec<f64> = scores.iter().map(|s| s + shift).collect();
        let shifted = ranking_hinge_loss(&positive, &shifted).unwrap();
        prop_assert!((found - shifted).abs() < 1e-8);
    }

    #[test]
    fn ranks_do_not_change_under_monotone_maps(rows in rows()) {
        let positive: Vec<bool> = rows.iter().map(|r| r.0 > 2).collect();
        prop_assume!(positive.contains(&true) && positive.contains(&false));
        let scores: Vec<f64> = rows.iter().map(|r| r.1).collect();
        let mapped: Vec<f64> = scores.iter().map(|s| (0.5 * s).exp() + 3.0 * s).collect();
        prop_assert_eq!(
            auc(&positive, &scores, Ties::Half), auc(&positive, &mapped, Ties::Half)
        );
        prop_assert_eq!(average_precision(&positive, &scores), average_precision(&positive, &mapped));
        // Turning scores and classes round leaves the AUC.
        let negated: Vec<f64> = scores.iter().map(|s| -s).collect();
        let others: Vec<bool> = positive.iter().map(|p| !p).collect();
        prop_assert_eq!(
            auc(&positive, &scores, Ties::Half), auc(&others, &negated, Ties::Half)
        );
    }

    #[test]
    fn confusion_matrices_add_up(pairs in prop::collection::vec((0u32..4, 0u32..4), 1..50)) {
        let truth: Vec<u32> = pairs.iter().map(|p| p.0).collect();
        let predicted: Vec<u32> = pairs.iter().map(|p| p.1).collect();
        let matrix = ConfusionMatrix::new(&names(4), &truth, &predicted).unwrap();
        prop_assert_eq!(matrix.total() as usize, pairs.len());
        prop_assert_eq!((0..4).map(|c| matrix.actual(c)).sum::<u64>(), matrix.total());
        prop_assert_eq!((0..4).map(|c| matrix.predicted(c)).sum::<u64>(), matrix.total());
        prop_assert_eq!(matrix.accuracy(), accuracy(&truth, &predicted).unwrap());
        for c in 0..4 {
            let count = truth.iter().filter(|&&t| t == c).count();
            prop_assert_eq!(matrix.actual(c) as usize, count);
            // F1 is the harmonic mean.
            let (p, r) = (matrix.precision(c), matrix.recall(c));
            let harmonic = if p + r == 0.0 { 0.0 } else { 2.0 * p * r / (p + r) };
            prop_assert!((matrix.f_beta(c, 1.0) - harmonic).abs() < 1e-12);
        }
    }
}

#[test]
fn the_logarithmic_error_is_that_of_the_formula() {
    let (truth, told) = ([0.0, 3.0, 10.0], [1.0, 3.0, 4.0]);
    let squares: f64 = [(2.0f64).ln(), 0.0, (5.0f64 / 11.0).ln()]
        .iter()
        .map(|d| d * d)
        .sum();
    let found = root_mean_squared_log_error(&truth, &told).expect("values");
    assert!((found - (squares / 3.0).sqrt()).abs() < 1e-15);
    assert!(root_mean_squared_log_error(&[-1.0], &[0.0]).is_err());
    assert!(root_mean_squared_log_error(&[], &[]).is_err());
}

#[test]
fn rankers_of_levels_are_judged_by_their_expected_values() {
    let values: Vec<f64> = (0..60).map(|i| f64::from(i * 37 % 60) / 10.0).collect();
    let levels: Vec<f64> = values.iter().map(|v| (v / 2.0).floor()).collect();
    let samples = Samples::dense(60, 1, values).expect("a matrix");
    let data = Dataset::new(samples, Target::ordinal_from_numbers(&levels)).expect("rows");
    let model = RankRcParams::default()
        .with_lambda(0.01)
        .fit(&data)
        .expect("fitted")
        .model;
    let metrics = evaluate(&model, &data).expect("metrics");
    let found = metrics.iter().find(|(name, _)| name.name() == "rmsle");
    let expected = model.rmsle(&data).expect("levels");
    assert!((found.expect("levels").1 - expected).abs() < 1e-15);
    // A level that the model does not know has no value.
    let strange = Target::ordinal_from_numbers(&[7.0; 60]);
    let strange = Dataset::new(data.samples().clone(), strange).expect("rows");
    assert_eq!(log_error_of_levels(&model, &strange), Ok(None));
}
