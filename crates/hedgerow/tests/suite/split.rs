//! Splits: partitions, strata, determinism.

#![allow(clippy::unwrap_used)] // Helpers of tests may fail as loudly as the tests.

use hedgerow::Error;
use hedgerow::data::{
    ClassLabels, Split, folds, hold_out, repeated_hold_out, repeated_stratified_hold_out,
    stratified_folds, stratified_hold_out,
};
use proptest::prelude::*;

fn labels(codes: &[u8]) -> ClassLabels {
    ClassLabels::from_numbers(&codes.iter().map(|&c| f64::from(c)).collect::<Vec<_>>())
}

fn is_partition(split: &Split, n: usize) -> bool {
    let ascending = |rows: &[usize]| rows.windows(2).all(|pair| pair[0] < pair[1]);
    let mut all = [split.train.clone(), split.test.clone()].concat();
    all.sort_unstable();
    ascending(&split.train) && ascending(&split.test) && all == (0..n).collect::<Vec<_>>()
}

fn spread(counts: &[usize]) -> usize {
    counts.iter().max().unwrap() - counts.iter().min().unwrap()
}

proptest! {
    #[test]
    fn folds_are_partitions_with_even_strata(
        codes in prop::collection::vec(0u8..4, 5..80), k in 2usize..6, seed in 0u64..100,
    ) {
        let labels = labels(&codes);
        let n = codes.len();
        for (splits, stratified) in [
            (folds(n, k, seed).unwrap(), false),
            (stratified_folds(&labels, k, seed).unwrap(), true),
        ] {
            prop_assert_eq!(splits.len(), k);
            prop_assert!(splits.iter().all(|split| is_partition(split, n)));
            let mut tested: Vec<usize> = splits.iter().flat_map(|s| s.test.clone()).collect();
            tested.sort_unstable();
            prop_assert_eq!(tested, (0..n).collect::<Vec<_>>());
            let sizes: Vec<usize> = splits.iter().map(|s| s.test.len()).collect();
            prop_assert!(spread(&sizes) <= 1);
            if stratified {
                for c in 0..labels.n_classes() {
                    let counts: Vec<usize> =
                        splits.iter().map(|s| labels.select(&s.test).counts()[c]).collect();
                    prop_assert!(spread(&counts) <= 1, "class {c}: {counts:?}");
                }
            }
        }
    }

    #[test]
    fn hold_out_keeps_proportions(
        codes in prop::collection::vec(0u8..3, 10..90), fraction in 0.1f64..0.9, seed in 0u64..50,
    ) {
        let labels = labels(&codes);
        let split = stratified_hold_out(&labels, fraction, seed).unwrap();
        prop_assert!(is_partition(&split, codes.len()));
        let all = labels.counts();
        let tested = labels.select(&split.test).counts();
        for c in 0..all.len() {
            let asked = all[c] as f64 * fraction;
            prop_assert!((tested[c] as f64 - asked).abs() <= 1.0);
            prop_assert!(tested[c] < all[c]);
        }
        let split = hold_out(codes.len(), fraction, seed).unwrap();
        prop_assert!(is_partition(&split, codes.len()));
        prop_assert!((split.test.len() as f64 - codes.len() as f64 * fraction).abs() <= 0.5 + 1e-9);
    }
}

#[test]
fn a_seed_decides_everything_and_another_seed_differs() {
    let labels = labels(&[0, 1, 0, 1, 0, 1, 0, 0, 0, 1, 1, 0]);
    let first = stratified_folds(&labels, 3, 5).unwrap();
    assert_eq!(first, stratified_folds(&labels, 3, 5).unwrap());
    assert_ne!(first, stratified_folds(&labels, 3, 6).unwrap());
    let repeats = repeated_hold_out(30, 0.3, 4, 1).unwrap();
    assert_eq!(repeats, repeated_hold_out(30, 0.3, 4, 1).unwrap());
    assert!(repeats.windows(2).all(|pair| pair[0] != pair[1]));
    // A longer series begins with the shorter one.
    assert_eq!(repeats[..2], repeated_hold_out(30, 0.3, 2, 1).unwrap());
    let repeats = repeated_stratified_hold_out(&labels, 0.5, 3, 9).unwrap();
    assert!(repeats.iter().all(|split| split.test.len() == 6));
}

#[test]
fn classes_smaller_than_the_number_of_folds_are_allowed() {
    let labels = labels(&[0, 0, 0, 0, 0, 0, 0, 0, 1, 1]);
    let splits = stratified_folds(&labels, 5, 0).unwrap();
    let rare: Vec<usize> = splits
        .iter()
        .map(|s| labels.select(&s.test).counts()[1])
        .collect();
    assert_eq!(rare.iter().sum::<usize>(), 2);
    assert!(splits.iter().all(|s| s.test.len() == 2));
}

#[test]
fn impossible_requests_are_errors() {
    assert_eq!(folds(0, 2, 0), Err(Error::NoRows));
    assert!(matches!(folds(5, 1, 0), Err(Error::Parameter { .. })));
    assert!(matches!(folds(5, 6, 0), Err(Error::Parameter { .. })));
    assert!(matches!(hold_out(1, 0.5, 0), Err(Error::Shape { .. })));
    for fraction in [0.0, 1.0, f64::NAN] {
        let refused = hold_out(5, fraction, 0);
        assert!(matches!(refused, Err(Error::Parameter { .. })));
    }
    let refused = stratified_hold_out(&labels(&[0, 1, 2]), 0.5, 0);
    assert!(matches!(refused, Err(Error::TooFewRows { .. })));
    assert!(repeated_hold_out(5, 0.5, 0, 0).is_err());
}
