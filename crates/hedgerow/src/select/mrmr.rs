//! mRMR: minimal redundancy, maximal relevance, one feature after the other.
//!
//! The first feature is the most relevant one. With $S$ chosen, the next maximises
//! $$\text{MID: } f_j - \frac1{|S|}\sum_{i \in S} q_{ij}, \qquad
//!   \text{MIQ: } f_j \Big/ \Big(\frac1{|S|}\sum_{i \in S} q_{ij} + \epsilon\Big).$$
//!
//! The sum is kept for every candidate and grows by one row of $Q$ a step, so choosing $m$ of $M$
//! features from $N$ rows costs $O(NMm)$ time and $O(M)$ memory. Features that are constant come
//! last, in the order of their index.
//!
//! | paper | here |
//! |---|---|
//! | $I(X_j;Y)$ | `relevance` |
//! | $\sum_{i \in S} I(X_i;X_j)$ | `redundancy` |
//! | $m$ | `count` |

use super::ranking::descending;
use super::{Ranking, Similarity};
use crate::Result;
use crate::error::ensure_not_negative;
use serde::{Deserialize, Serialize};

/// How relevance and redundancy are weighed against each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum MrmrScheme {
    /// Their difference (MID). The default.
    #[default]
    Difference,
    /// Their quotient (MIQ).
    Quotient,
}

/// Parameters of mRMR.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct MrmrParams {
    /// Difference or quotient.
    pub scheme: MrmrScheme,
    /// Added to the denominator of the quotient; 0.01 by default.
    pub quotient_offset: f64,
    /// Features to choose; all by default.
    pub count: Option<usize>,
}

impl Default for MrmrParams {
    fn default() -> Self {
        Self {
            scheme: MrmrScheme::default(),
            quotient_offset: 0.01,
            count: None,
        }
    }
}

impl MrmrParams {
    /// Sets difference or quotient.
    pub fn with_scheme(mut self, scheme: MrmrScheme) -> Self {
        self.scheme = scheme;
        self
    }

    /// Sets what is added to the denominator of the quotient.
    pub fn with_quotient_offset(mut self, quotient_offset: f64) -> Self {
        self.quotient_offset = quotient_offset;
        self
    }

    /// Sets how many features to choose.
    pub fn with_count(mut self, count: usize) -> Self {
        self.count = Some(count);
        self
    }

    /// An error that names the first parameter out of its range.
    pub fn check(&self) -> Result<()> {
        ensure_not_negative("quotient_offset", self.quotient_offset)
    }

    /// Chooses features. The score of each is the value of the criterion when it was chosen.
    pub fn rank(&self, similarity: &dyn Similarity) -> Result<Ranking> {
        self.check()?;
        let n = similarity.n_features();
        let count = self.count.map_or(n, |count| count.min(n));
        let relevance = similarity.relevances();
        let mut open: Vec<usize> = (0..n).filter(|&f| !similarity.is_constant(f)).collect();
        let mut redundancy = vec![0.0; n];
        let mut row = vec![0.0; n];
        let mut ranking = Ranking::default();
        while ranking.len() < count && !open.is_empty() {
            let chosen = ranking.len() as f64;
            let criterion = |f: usize| {
                if chosen == 0.0 {
                    return relevance[f];
                }
                let mean = redundancy[f] / chosen;
                match self.scheme {
                    MrmrScheme::Difference => relevance[f] - mean,
                    MrmrScheme::Quotient => quotient(relevance[f], mean + self.quotient_offset),
                }
            };
            let mut best = (0, criterion(open[0]));
            for (at, &f) in open.iter().enumerate().skip(1) {
                let score = criterion(f);
                // Strictly better only: `open` stays in the order of the index.
                if descending(score, best.1).is_lt() {
                    best = (at, score);
                }
            }
            let feature = open.remove(best.0);
            ranking.push(feature, best.1);
            if ranking.len() < count {
                similarity.row_into(feature, &mut row);
                for &f in &open {
                    redundancy[f] += row[f];
                }
            }
        }
        for f in (0..n).filter(|&f| similarity.is_constant(f)) {
            if ranking.len() < count {
                ranking.push(f, 0.0);
            }
        }
        Ok(ranking)
    }
}

/// A relevance without redundancy wins against all others, unless it is none.
fn quotient(relevance: f64, redundancy: f64) -> f64 {
    if redundancy > 0.0 {
        relevance / redundancy
    } else if relevance > 0.0 {
        f64::INFINITY
    } else {
        0.0
    }
}
