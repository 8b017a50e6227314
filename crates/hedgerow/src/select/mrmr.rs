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
//! Where several rows of $Q$ cost little more than one ([`Similarity::rows_together`]), those of the
//! runners-up are computed with that of the winner: most of them win soon. What is chosen does not
//! depend on it.
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
use std::collections::BTreeMap;

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
        let mut rows = Foresight::new(similarity);
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
            let missing = count - ranking.len();
            if missing > 0 {
                let row = rows.row(feature, missing, |count| leading(&open, criterion, count));
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

/// The best `count` of some features, best first; equal ones by index.
fn leading(open: &[usize], criterion: impl Fn(usize) -> f64, count: usize) -> Vec<usize> {
    let mut scored: Vec<(usize, f64)> = open.iter().map(|&f| (f, criterion(f))).collect();
    let order = |a: &(usize, f64), b: &(usize, f64)| descending(a.1, b.1).then(a.0.cmp(&b.0));
    if count < scored.len() {
        scored.select_nth_unstable_by(count, order);
        scored.truncate(count);
    }
    scored.sort_unstable_by(order);
    scored.into_iter().map(|(f, _)| f).collect()
}

/// Rows of the similarities, some of them computed before they are asked for.
struct Foresight<'a> {
    similarity: &'a dyn Similarity,
    /// Rows that may be wanted soon.
    ready: BTreeMap<usize, Vec<f64>>,
    /// Rows of the next pass.
    batch: usize,
    /// Rows asked for since the last pass.
    used: usize,
    /// The row asked for last.
    row: Vec<f64>,
}

impl<'a> Foresight<'a> {
    fn new(similarity: &'a dyn Similarity) -> Self {
        Self {
            similarity,
            ready: BTreeMap::new(),
            batch: similarity.rows_together(),
            used: 0,
            row: Vec::new(),
        }
    }

    /// The row of a feature, where at most `missing` rows will be asked for from now on and
    /// `leading` tells which features are likely to be next.
    fn row(
        &mut self,
        feature: usize,
        missing: usize,
        leading: impl FnOnce(usize) -> Vec<usize>,
    ) -> &[f64] {
        if let Some(row) = self.ready.remove(&feature) {
            self.row = row;
            self.used += 1;
            return &self.row;
        }
        let most = self.similarity.rows_together();
        if self.used > 0 {
            // As many as pay: a pass whose rows were of no use is followed by a smaller one.
            self.batch = (2 * self.used).clamp(1, most);
        }
        self.used = 1;
        let batch = self.batch.min(missing);
        if batch <= 1 {
            self.row.resize(self.similarity.n_features(), 0.0);
            self.similarity.row_into(feature, &mut self.row);
            return &self.row;
        }
        let leading = leading(2 * most);
        // What fell behind is forgotten: memory stays bounded.
        self.ready.retain(|f, _| leading.contains(f));
        let mut wanted = vec![feature];
        let unknown = leading.into_iter().filter(|f| !self.ready.contains_key(f));
        wanted.extend(unknown.take(batch - 1));
        let rows = self.similarity.rows(&wanted);
        let mut rows = rows.chunks_exact(self.similarity.n_features());
        self.row = rows.next().unwrap_or_default().to_vec();
        let others = wanted[1..].iter().zip(rows);
        self.ready.extend(others.map(|(&f, row)| (f, row.to_vec())));
        &self.row
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
