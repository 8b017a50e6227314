//! Metrics of scores: how well they order the rows.
//!
//! For positives $P$, negatives $N$ and scores $f$,
//! $\mathrm{AUC} = \frac{1}{|P||N|} \sum_{i \in P} \sum_{j \in N} 1_{f_i > f_j}$
//! with a choice of what a tie counts. For ordered levels $y$, MAUC takes all pairs
//! $y_i > y_j$ in place of positive and negative; with two levels it is the AUC.
//! Everything here is $O(n \log n)$; pairs are counted in integers, so the counts are exact.

use super::{ensure_numbers, ensure_same_rows};
use crate::solve::pairwise::{PairCounts, precision_of_the_top};
use crate::{Error, Result};

/// What a pair with equal scores counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Ties {
    /// One half: the area under the ROC polygon. The default.
    #[default]
    Half,
    /// One: `I[f_i >= f_j]`; a constant scorer gets 1.
    Count,
    /// Nothing: `I[f_i > f_j]`; a constant scorer gets 0.
    Zero,
}

impl Ties {
    fn share(self, counts: PairCounts) -> f64 {
        let ties = counts.ties as f64;
        let counted = match self {
            Self::Half => ties / 2.0,
            Self::Count => ties,
            Self::Zero => 0.0,
        };
        (counts.wins as f64 + counted) / counts.pairs as f64
    }
}

/// Area under the ROC curve.
pub fn auc(positive: &[bool], scores: &[f64], ties: Ties) -> Result<f64> {
    check(positive, scores)?;
    mauc(&levels_of(positive), scores, ties)
}

fn levels_of(positive: &[bool]) -> Vec<u32> {
    positive.iter().map(|&p| u32::from(p)).collect()
}

fn all_rows(n: usize) -> Vec<u32> {
    (0..n as u32).collect()
}

/// The ROC curve: one point for each distinct score, from (0, 0) to (1, 1).
#[derive(Debug, Clone, PartialEq)]
pub struct RocCurve {
    /// Rows with at least this score are called positive; the first is infinite (no row).
    pub thresholds: Vec<f64>,
    /// Fraction of the negatives at or above the threshold.
    pub false_positive_rates: Vec<f64>,
    /// Fraction of the positives at or above the threshold.
    pub true_positive_rates: Vec<f64>,
}

impl RocCurve {
    /// Area under the curve by the trapezoid rule: the AUC with [`Ties::Half`].
    pub fn area(&self) -> f64 {
        let x = &self.false_positive_rates;
        let y = &self.true_positive_rates;
        (1..x.len())
            .map(|at| (x[at] - x[at - 1]) * (y[at] + y[at - 1]) / 2.0)
            .sum()
    }
}

/// Traces the ROC curve with falling threshold.
pub fn roc_curve(positive: &[bool], scores: &[f64]) -> Result<RocCurve> {
    let (n_positive, n_negative) = check(positive, scores)?;
    let mut curve = RocCurve {
        thresholds: vec![f64::INFINITY],
        false_positive_rates: vec![0.0],
        true_positive_rates: vec![0.0],
    };
    let (mut hits, mut alarms) = (0u64, 0u64);
    let mut order = ascending(scores);
    order.reverse();
    for group in order.chunk_by(|&i, &j| scores[i] == scores[j]) {
        let p = group.iter().filter(|&&i| positive[i]).count() as u64;
        hits += p;
        alarms += group.len() as u64 - p;
        curve.thresholds.push(scores[group[0]]);
        let rate = |count: u64, all: u64| count as f64 / all as f64;
        curve.true_positive_rates.push(rate(hits, n_positive));
        curve.false_positive_rates.push(rate(alarms, n_negative));
    }
    Ok(curve)
}

/// Average precision: $\sum_t (R_t - R_{t-1}) P_t$ over the distinct scores $t$, falling, with
/// recall $R_t$ and precision $P_t$ of "score at least $t$".
pub fn average_precision(positive: &[bool], scores: &[f64]) -> Result<f64> {
    ensure_same_rows("scores", positive.len(), scores.len())?;
    ensure_numbers("score", scores, false)?;
    let n_positive = positive.iter().filter(|&&p| p).count();
    if n_positive == 0 {
        return Err(Error::TooFewRows {
            class: "positive".to_owned(),
            needed: 1,
            found: 0,
        });
    }
    let found = precision_of_the_top(&levels_of(positive), &all_rows(positive.len()), scores);
    // Without a negative row every row is rightly called positive.
    Ok(found.unwrap_or(1.0))
}

/// Fraction of the pairs of rows with different levels that the scores put in the right order.
pub fn mauc(levels: &[u32], scores: &[f64], ties: Ties) -> Result<f64> {
    ensure_same_rows("scores", levels.len(), scores.len())?;
    ensure_numbers("score", scores, false)?;
    let counts = PairCounts::of(levels, &all_rows(levels.len()), scores);
    match counts {
        Some(counts) => Ok(ties.share(counts)),
        None => Err(Error::TooFewClasses {
            needed: 2,
            found: usize::from(!levels.is_empty()),
        }),
    }
}

/// Empirical ranking loss
/// $\frac{1}{|P||N|} \sum_{i \in P} \sum_{j \in N} \max(0, 1 - (f_i - f_j))$.
pub fn ranking_hinge_loss(positive: &[bool], scores: &[f64]) -> Result<f64> {
    let (n_positive, n_negative) = check(positive, scores)?;
    ensure_numbers("score", scores, true)?;
    // Scores are taken about their midpoint: sums of large equal parts would lose digits.
    let low = scores.iter().copied().fold(f64::INFINITY, f64::min);
    let high = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let middle = low / 2.0 + high / 2.0;
    let mut order = ascending(scores);
    order.reverse();
    let (positives, negatives): (Vec<usize>, Vec<usize>) =
        order.into_iter().partition(|&i| positive[i]);
    // With falling f_i, the negatives inside the margin (f_j > f_i - 1) only grow.
    let (mut inside, mut sum_inside, mut total) = (0usize, 0.0, 0.0);
    for i in positives {
        let edge = scores[i] - 1.0;
        while inside < negatives.len() && scores[negatives[inside]] > edge {
            sum_inside += scores[negatives[inside]] - middle;
            inside += 1;
        }
        total += inside as f64 * (1.0 - (scores[i] - middle)) + sum_inside;
    }
    Ok(total / n_positive as f64 / n_negative as f64)
}

/// Numbers of positives and negatives, both of which must occur.
pub(super) fn check(positive: &[bool], scores: &[f64]) -> Result<(u64, u64)> {
    ensure_same_rows("scores", positive.len(), scores.len())?;
    ensure_numbers("score", scores, false)?;
    let n_positive = positive.iter().filter(|&&p| p).count() as u64;
    let n_negative = positive.len() as u64 - n_positive;
    if n_positive == 0 || n_negative == 0 {
        return Err(Error::TooFewClasses {
            needed: 2,
            found: 1,
        });
    }
    Ok((n_positive, n_negative))
}

/// Rows by rising score. Scores are no NaN, so the order is total.
pub(super) fn ascending(scores: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..scores.len()).collect();
    // total_cmp puts -0.0 below 0.0, which chunk_by still sees as equal neighbours.
    order.sort_by(|&i, &j| scores[i].total_cmp(&scores[j]));
    order
}
