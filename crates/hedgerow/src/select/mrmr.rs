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
//! Similarities are not negative, so a sum that lacks some of its terms bounds the criterion from
//! above. Where single similarities cost no more than those of a whole row
//! ([`Similarity::has_cheap_pairs`]), terms are therefore added only to candidates whose bound
//! could still win; the choices are the same.
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
use rayon::prelude::*;
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
        let mut search = Search {
            params: self,
            similarity,
            relevance: &relevance,
            open: (0..n).filter(|&f| !similarity.is_constant(f)).collect(),
            redundancy: vec![0.0; n],
            known: vec![0; n],
            chosen: Vec::new(),
        };
        let mut row = vec![0.0; n];
        let mut ranking = Ranking::default();
        while ranking.len() < count && !search.open.is_empty() {
            if similarity.has_cheap_pairs() {
                search.complete_what_could_win();
            } else if let Some(&last) = search.chosen.last() {
                similarity.row_into(last, &mut row);
                search.add_row(&row);
            }
            let (at, score) = search.best();
            let feature = search.open.remove(at);
            search.chosen.push(feature);
            ranking.push(feature, score);
        }
        for f in (0..n).filter(|&f| similarity.is_constant(f)) {
            if ranking.len() < count {
                ranking.push(f, 0.0);
            }
        }
        Ok(ranking)
    }
}

/// Candidates whose sums are completed first, in parallel; twice as many each time that this did
/// not settle who wins.
const BATCH: usize = 16;

/// Candidates, and how much is known of their redundancy.
struct Search<'a> {
    params: &'a MrmrParams,
    similarity: &'a dyn Similarity,
    relevance: &'a [f64],
    /// In the order of the index.
    open: Vec<usize>,
    redundancy: Vec<f64>,
    /// How many of the chosen features each sum contains.
    known: Vec<usize>,
    chosen: Vec<usize>,
}

impl Search<'_> {
    /// The criterion, or a bound from above if terms are missing.
    fn criterion(&self, f: usize) -> f64 {
        if self.chosen.is_empty() {
            return self.relevance[f];
        }
        let mean = self.redundancy[f] / self.chosen.len() as f64;
        match self.params.scheme {
            MrmrScheme::Difference => self.relevance[f] - mean,
            MrmrScheme::Quotient => quotient(self.relevance[f], mean + self.params.quotient_offset),
        }
    }

    /// The place in `open` of the best candidate, the first of equals, and its criterion.
    fn best(&self) -> (usize, f64) {
        let mut best = (0, self.criterion(self.open[0]));
        for (at, &f) in self.open.iter().enumerate().skip(1) {
            let score = self.criterion(f);
            if descending(score, best.1).is_lt() {
                best = (at, score);
            }
        }
        best
    }

    /// Adds the similarities to the feature chosen last.
    fn add_row(&mut self, row: &[f64]) {
        for &f in &self.open {
            self.redundancy[f] += row[f];
            self.known[f] = self.chosen.len();
        }
    }

    /// Completes sums until the best candidate has all its terms.
    fn complete_what_could_win(&mut self) {
        let mut batch = BATCH;
        loop {
            let (at, _) = self.best();
            if self.known[self.open[at]] == self.chosen.len() {
                return;
            }
            // The best bounds among those that lack terms; the best of all is one of them.
            let mut stale: Vec<(usize, f64)> = self
                .open
                .iter()
                .filter(|&&f| self.known[f] < self.chosen.len())
                .map(|&f| (f, self.criterion(f)))
                .collect();
            let order =
                |a: &(usize, f64), b: &(usize, f64)| descending(a.1, b.1).then(a.0.cmp(&b.0));
            if stale.len() > batch {
                stale.select_nth_unstable_by(batch - 1, order);
                stale.truncate(batch);
            }
            batch *= 2;
            // Terms in the order of choice: the sum has the bits that whole rows would give.
            let sums: Vec<f64> = stale
                .par_iter()
                .map(|&(f, _)| {
                    let missing = &self.chosen[self.known[f]..];
                    let terms = missing.iter().map(|&i| self.similarity.pair(i, f));
                    terms.fold(self.redundancy[f], |sum, term| sum + term)
                })
                .collect();
            for (&(f, _), sum) in stale.iter().zip(sums) {
                self.redundancy[f] = sum;
                self.known[f] = self.chosen.len();
            }
        }
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
