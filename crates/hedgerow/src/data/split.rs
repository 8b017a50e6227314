//! Splits of rows into training and test parts.
//!
//! Every function is deterministic in its seed, and rows ascend within each part, so that a
//! method that breaks ties by row order sees the order of the file.

use super::{ClassLabels, Dataset, Generator, Target};
use crate::{Error, Result};

/// Rows to train on and rows to test on; the two have no row in common.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Split {
    /// Rows for training, ascending.
    pub train: Vec<usize>,
    /// Rows for testing, ascending.
    pub test: Vec<usize>,
}

impl Split {
    /// The split of `0..n_rows` with these test rows.
    fn from_test(n_rows: usize, mut test: Vec<usize>) -> Self {
        test.sort_unstable();
        let mut is_test = vec![false; n_rows];
        for &i in &test {
            is_test[i] = true;
        }
        let train = (0..n_rows).filter(|&i| !is_test[i]).collect();
        Self { train, test }
    }
}

/// Cross-validation folds without regard to the target: test parts are disjoint, cover all rows
/// and differ in size by at most one.
pub fn folds(n_rows: usize, folds: usize, seed: u64) -> Result<Vec<Split>> {
    check_folds(n_rows, folds)?;
    let mut order: Vec<usize> = (0..n_rows).collect();
    Generator::new(seed).shuffle(&mut order);
    Ok(deal(&order, folds))
}

/// Cross-validation folds that spread each class evenly: the counts of a class in two test parts
/// differ by at most one, and so do the sizes of the test parts.
///
/// A class may have fewer rows than there are folds: then some test parts have none of it, and
/// the training part of a class with a single row lacks it in the fold that tests that row.
pub fn stratified_folds(labels: &ClassLabels, folds: usize, seed: u64) -> Result<Vec<Split>> {
    check_folds(labels.len(), folds)?;
    let mut generator = Generator::new(seed);
    // Dealing all classes in one round keeps the fold sizes even too.
    let order: Vec<usize> = rows_of_classes(labels)
        .into_iter()
        .flat_map(|mut rows| {
            generator.shuffle(&mut rows);
            rows
        })
        .collect();
    Ok(deal(&order, folds))
}

/// Stratified folds when the data have classes, plain folds otherwise.
pub fn folds_for(data: &Dataset, n_folds: usize, seed: u64) -> Result<Vec<Split>> {
    match data.target() {
        Target::Classes(labels) | Target::Ordinal(labels) => {
            stratified_folds(labels, n_folds, seed)
        }
        Target::Real(_) | Target::None => folds(data.n_rows(), n_folds, seed),
    }
}

/// One random test part of about `test_fraction` of the rows; both parts have a row at least.
pub fn hold_out(n_rows: usize, test_fraction: f64, seed: u64) -> Result<Split> {
    repeated_hold_out(n_rows, test_fraction, 1, seed).map(|mut splits| splits.remove(0))
}

/// As [`hold_out`], with each class split in the same proportion.
///
/// One row of every class stays in training, so the test part can be smaller than asked when
/// there are many tiny classes.
pub fn stratified_hold_out(labels: &ClassLabels, test_fraction: f64, seed: u64) -> Result<Split> {
    repeated_stratified_hold_out(labels, test_fraction, 1, seed).map(|mut all| all.remove(0))
}

/// `repeats` independent calls of [`hold_out`], each with its own stream of the seed.
pub fn repeated_hold_out(
    n_rows: usize,
    test_fraction: f64,
    repeats: usize,
    seed: u64,
) -> Result<Vec<Split>> {
    check_hold_out(n_rows, test_fraction, repeats)?;
    let n_test = test_count(n_rows, test_fraction);
    Ok((0..repeats)
        .map(|repeat| {
            let test = Generator::for_task(seed, repeat as u64).sample(n_rows, n_test);
            Split::from_test(n_rows, test)
        })
        .collect())
}

/// `repeats` independent calls of [`stratified_hold_out`], each with its own stream of the seed.
pub fn repeated_stratified_hold_out(
    labels: &ClassLabels,
    test_fraction: f64,
    repeats: usize,
    seed: u64,
) -> Result<Vec<Split>> {
    check_hold_out(labels.len(), test_fraction, repeats)?;
    let classes = rows_of_classes(labels);
    let quotas = class_quotas(&classes, test_fraction, labels.len());
    if quotas.iter().sum::<usize>() == 0 {
        return Err(Error::TooFewRows {
            class: "of every name".to_owned(),
            needed: 2,
            found: 1,
        });
    }
    Ok((0..repeats)
        .map(|repeat| {
            let mut generator = Generator::for_task(seed, repeat as u64);
            let mut test = Vec::new();
            for (rows, &quota) in classes.iter().zip(&quotas) {
                let picked = generator.sample(rows.len(), quota);
                test.extend(picked.into_iter().map(|at| rows[at]));
            }
            Split::from_test(labels.len(), test)
        })
        .collect())
}

fn check_folds(n_rows: usize, folds: usize) -> Result<()> {
    if n_rows == 0 {
        return Err(Error::NoRows);
    }
    if folds < 2 || folds > n_rows {
        return Err(Error::Parameter {
            name: "folds",
            value: folds as f64,
            requirement: "at least 2 and at most the number of rows",
        });
    }
    Ok(())
}

fn check_hold_out(n_rows: usize, test_fraction: f64, repeats: usize) -> Result<()> {
    if n_rows < 2 {
        return Err(Error::Shape {
            what: "rows to be split in two",
            expected: 2,
            found: n_rows,
        });
    }
    if !(test_fraction > 0.0 && test_fraction < 1.0) {
        return Err(Error::Parameter {
            name: "test_fraction",
            value: test_fraction,
            requirement: "greater than 0 and less than 1",
        });
    }
    if repeats == 0 {
        return Err(Error::Parameter {
            name: "repeats",
            value: 0.0,
            requirement: "at least 1",
        });
    }
    Ok(())
}

fn test_count(n_rows: usize, fraction: f64) -> usize {
    ((n_rows as f64 * fraction).round() as usize).clamp(1, n_rows - 1)
}

/// Deals rows to the folds in turn.
fn deal(order: &[usize], folds: usize) -> Vec<Split> {
    (0..folds)
        .map(|fold| {
            let test = order.iter().copied().skip(fold).step_by(folds).collect();
            Split::from_test(order.len(), test)
        })
        .collect()
}

fn rows_of_classes(labels: &ClassLabels) -> Vec<Vec<usize>> {
    let mut rows = vec![Vec::new(); labels.n_classes()];
    for (i, &code) in labels.codes().iter().enumerate() {
        rows[code as usize].push(i);
    }
    rows
}

/// Test rows of each class: largest remainders make the sum right, ties go to the first class.
fn class_quotas(classes: &[Vec<usize>], fraction: f64, n_rows: usize) -> Vec<usize> {
    let limit = |c: usize| classes[c].len().saturating_sub(1);
    let share = |c: usize| classes[c].len() as f64 * fraction;
    let mut quotas: Vec<usize> = (0..classes.len())
        .map(|c| (share(c).floor() as usize).min(limit(c)))
        .collect();
    let mut missing = test_count(n_rows, fraction).saturating_sub(quotas.iter().sum());
    let mut by_remainder: Vec<usize> = (0..classes.len()).collect();
    by_remainder.sort_by(|&a, &b| share(b).fract().total_cmp(&share(a).fract()));
    for c in by_remainder {
        if missing > 0 && quotas[c] < limit(c) {
            quotas[c] += 1;
            missing -= 1;
        }
    }
    quotas
}
