//! Metrics of predicted classes and of class probabilities.
//!
//! Classes are codes into a list of names, the same for truth and prediction. A ratio without
//! cases (the precision of a class that is never predicted, say) counts as 0.

use super::{ensure_numbers, ensure_same_rows};
use crate::data::ClassName;
use crate::{Error, Result};
use std::fmt;

/// Fraction of rows whose predicted class is the true one.
pub fn accuracy(truth: &[u32], predicted: &[u32]) -> Result<f64> {
    ensure_same_rows("predicted classes", truth.len(), predicted.len())?;
    let hits = truth.iter().zip(predicted).filter(|(a, b)| a == b).count();
    Ok(hits as f64 / truth.len() as f64)
}

/// Rows counted by true class (down) and predicted class (across).
#[derive(Debug, Clone, PartialEq)]
pub struct ConfusionMatrix {
    names: Vec<ClassName>,
    counts: Vec<u64>,
}

impl ConfusionMatrix {
    /// Counts the rows; codes index `names`.
    pub fn new(names: &[ClassName], truth: &[u32], predicted: &[u32]) -> Result<Self> {
        ensure_same_rows("predicted classes", truth.len(), predicted.len())?;
        let k = names.len();
        let mut counts = vec![0; k * k];
        for (&actual, &found) in truth.iter().zip(predicted) {
            ensure_code(actual, k)?;
            ensure_code(found, k)?;
            counts[actual as usize * k + found as usize] += 1;
        }
        Ok(Self {
            names: names.to_vec(),
            counts,
        })
    }

    /// Class names in the order of the codes.
    pub fn names(&self) -> &[ClassName] {
        &self.names
    }

    /// Rows of class `actual` that were predicted as class `predicted`.
    pub fn count(&self, actual: u32, predicted: u32) -> u64 {
        self.counts[actual as usize * self.names.len() + predicted as usize]
    }

    /// All rows.
    pub fn total(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Rows of class `c`.
    pub fn actual(&self, c: u32) -> u64 {
        self.codes().map(|other| self.count(c, other)).sum()
    }

    /// Rows predicted as class `c`.
    pub fn predicted(&self, c: u32) -> u64 {
        self.codes().map(|other| self.count(other, c)).sum()
    }

    /// Fraction of rows on the diagonal.
    pub fn accuracy(&self) -> f64 {
        let hits: u64 = self.codes().map(|c| self.count(c, c)).sum();
        ratio(hits as f64, self.total() as f64)
    }

    /// Fraction of the rows of class `c` that were found.
    pub fn recall(&self, c: u32) -> f64 {
        ratio(self.count(c, c) as f64, self.actual(c) as f64)
    }

    /// Fraction of the rows predicted as class `c` that are of it.
    pub fn precision(&self, c: u32) -> f64 {
        ratio(self.count(c, c) as f64, self.predicted(c) as f64)
    }

    /// $F_\beta = (1+\beta^2)\,\mathrm{TP} / ((1+\beta^2)\,\mathrm{TP} + \beta^2\,\mathrm{FN} + \mathrm{FP})$
    /// of class `c`: recall counts `beta` times as much as precision.
    pub fn f_beta(&self, c: u32, beta: f64) -> f64 {
        let square = beta * beta;
        let hits = self.count(c, c) as f64;
        ratio(
            (1.0 + square) * hits,
            square * self.actual(c) as f64 + self.predicted(c) as f64,
        )
    }

    /// Mean recall of the classes that have rows.
    pub fn balanced_accuracy(&self) -> f64 {
        let present: Vec<u32> = self.codes().filter(|&c| self.actual(c) > 0).collect();
        mean(present.iter().map(|&c| self.recall(c)))
    }

    /// Mean precision of the classes that occur in truth or prediction.
    pub fn macro_precision(&self) -> f64 {
        mean(self.occurring().map(|c| self.precision(c)))
    }

    /// Mean recall of the classes that occur in truth or prediction.
    pub fn macro_recall(&self) -> f64 {
        mean(self.occurring().map(|c| self.recall(c)))
    }

    /// Mean $F_\beta$ of the classes that occur in truth or prediction.
    pub fn macro_f_beta(&self, beta: f64) -> f64 {
        mean(self.occurring().map(|c| self.f_beta(c, beta)))
    }

    fn codes(&self) -> std::ops::Range<u32> {
        0..self.names.len() as u32
    }

    fn occurring(&self) -> impl Iterator<Item = u32> {
        self.codes()
            .filter(|&c| self.actual(c) + self.predicted(c) > 0)
    }
}

/// A table with a heading: true classes down, predicted classes across.
impl fmt::Display for ConfusionMatrix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const CORNER: &str = "actual \\ predicted";
        let names: Vec<String> = self.names.iter().map(ToString::to_string).collect();
        let length = |text: &String| text.chars().count();
        let first = names.iter().map(length).max().unwrap_or(0);
        let first = first.max(CORNER.len());
        write!(f, "{CORNER:<first$}")?;
        let widths: Vec<usize> = self
            .codes()
            .map(|c| {
                let digits = self.codes().map(|a| self.count(a, c).to_string().len());
                length(&names[c as usize]).max(digits.max().unwrap_or(0))
            })
            .collect();
        for (name, width) in names.iter().zip(&widths) {
            write!(f, "  {name:>width$}")?;
        }
        for actual in self.codes() {
            write!(f, "\n{:<first$}", names[actual as usize])?;
            for (c, width) in self.codes().zip(&widths) {
                write!(f, "  {:>width$}", self.count(actual, c))?;
            }
        }
        Ok(())
    }
}

/// Mean of $-\ln p_{i,y_i}$ over the rows, probabilities clipped to `[clip, 1 - clip]` so that one
/// confident error does not make it infinite; 1e-15 is usual.
///
/// `probabilities` holds `n_classes` values a row, row after row.
pub fn log_loss(truth: &[u32], probabilities: &[f64], n_classes: usize, clip: f64) -> Result<f64> {
    if !(0.0..0.5).contains(&clip) {
        return Err(Error::Parameter {
            name: "clip",
            value: clip,
            requirement: "at least 0 and less than 0.5",
        });
    }
    check_probabilities(truth, probabilities, n_classes)?;
    let sum: f64 = truth
        .iter()
        .zip(probabilities.chunks_exact(n_classes))
        .map(|(&code, row)| -row[code as usize].clamp(clip, 1.0 - clip).ln())
        .sum();
    Ok(sum / truth.len() as f64)
}

/// Brier's score: mean over the rows of $\sum_c (p_{ic} - [y_i = c])^2$, between 0 and 2.
///
/// For two classes it is twice what [`binary_brier_score`] gives.
pub fn brier_score(truth: &[u32], probabilities: &[f64], n_classes: usize) -> Result<f64> {
    check_probabilities(truth, probabilities, n_classes)?;
    let mut sum = 0.0;
    for (&code, row) in truth.iter().zip(probabilities.chunks_exact(n_classes)) {
        for (c, p) in row.iter().enumerate() {
            let aim = if c == code as usize { 1.0 } else { 0.0 };
            sum += (p - aim) * (p - aim);
        }
    }
    Ok(sum / truth.len() as f64)
}

/// Mean of $(p_i - [y_i\ \text{positive}])^2$ with the probability of the positive class.
pub fn binary_brier_score(positive: &[bool], probabilities: &[f64]) -> Result<f64> {
    ensure_same_rows("probabilities", positive.len(), probabilities.len())?;
    ensure_numbers("probability", probabilities, true)?;
    let square = |(&positive, p): (&bool, &f64)| (p - f64::from(u8::from(positive))).powi(2);
    let sum: f64 = positive.iter().zip(probabilities).map(square).sum();
    Ok(sum / positive.len() as f64)
}

fn check_probabilities(truth: &[u32], probabilities: &[f64], n_classes: usize) -> Result<()> {
    ensure_same_rows(
        "probabilities",
        truth.len() * n_classes,
        probabilities.len(),
    )?;
    for &code in truth {
        ensure_code(code, n_classes)?;
    }
    match probabilities
        .iter()
        .position(|p| !(-1e-9..=1.0 + 1e-9).contains(p))
    {
        None => Ok(()),
        Some(at) => Err(Error::BadRowValue {
            row: at / n_classes + 1,
            what: "probability",
            value: probabilities[at],
        }),
    }
}

fn ensure_code(code: u32, n_classes: usize) -> Result<()> {
    if (code as usize) < n_classes {
        return Ok(());
    }
    Err(Error::Shape {
        what: "class code against the number of class names",
        expected: n_classes,
        found: code as usize,
    })
}

fn ratio(numerator: f64, denominator: f64) -> f64 {
    if denominator == 0.0 {
        0.0
    } else {
        numerator / denominator
    }
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, n) = values.fold((0.0, 0u32), |(sum, n), value| (sum + value, n + 1));
    ratio(sum, f64::from(n))
}
