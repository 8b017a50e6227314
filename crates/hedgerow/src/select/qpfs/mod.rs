//! QPFS: quadratic programming feature selection (Rodriguez-Lujan, Huerta, Elkan, Santa Cruz,
//! JMLR 11, 2010),
//! $$\min_w \tfrac12 (1-\alpha)\, w^\top Q w - \alpha F^\top w \quad\text{subject to}\quad
//!   w \ge 0,\ \textstyle\sum_i w_i = 1.$$
//!
//! The weights rank the features: those that are relevant and unlike the others get weight.
//! $\alpha = 1$ asks for relevance alone (MaxRel), $\alpha = 0$ for unlike features whatever the
//! class.
//!
//! | paper | here |
//! |---|---|
//! | $Q$, $F$ | [`Similarity`] |
//! | $w$ (thesis), $x$ (article) | [`Qpfs::weights`] |
//! | $\alpha$, $\hat\alpha = \bar q / (\bar q + \bar f)$ | [`Alpha`], [`Qpfs::alpha`] |
//! | $\bar q$, $\bar f$ | [`Qpfs::mean_similarity`], [`Qpfs::mean_relevance`] |
//! | $\delta$ | [`QpfsParams::eigen_threshold`] |
//! | $\tilde k$ | [`Qpfs::rank_kept`] |
//! | $p$, $r = pM$ | [`QpfsParams::rate`], [`Qpfs::sampled`] |
//! | $[A\ B]$ | `rows` of a [`NystromFactor`] |
//!
//! $Q$ is not positive semidefinite in general; eigenvalues up to the threshold are dropped, which
//! makes the programme convex. The published reduction also forces $w$ into the span of the
//! eigenvectors kept ([`Domain::Subspace`]); that is a restriction, and [`Domain::Simplex`] does
//! without it.

mod alpha;
pub mod bounds;
mod nystrom;
mod program;

pub use alpha::{Alpha, SimilarityMean};
pub use nystrom::{NystromFactor, Sampling};

use super::similarity::ensure_matrix_fits;
use super::{Ranking, Similarity};
use crate::error::ensure_positive;
use crate::linalg::symmetric_eigen;
use crate::{Error, Result, Status};
use program::{Reduced, Solved};
use serde::{Deserialize, Serialize};
use std::time::Instant;

/// Weights below this part of the largest are none.
const SNAP: f64 = 1e-9;

/// Where the weights may lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Domain {
    /// Anywhere on the simplex. The default.
    #[default]
    Simplex,
    /// On the simplex and in the span of the eigenvectors kept, as published.
    Subspace,
}

/// Parameters of QPFS.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct QpfsParams {
    /// How relevance and redundancy are weighed; by the heuristic by default.
    pub alpha: Alpha,
    /// Part of the rows of $Q$ that is computed, $0 < p \le 1$; all rows, exactly, by default.
    pub rate: Option<f64>,
    /// How the rows are chosen; uniformly by default.
    pub sampling: Sampling,
    /// Eigenvalues up to this part of the largest are dropped; $10^{-8}$ by default.
    pub eigen_threshold: f64,
    /// Where the weights may lie.
    pub domain: Domain,
    /// Whether constant features take part; no by default: they are ranked last. In the programme
    /// a constant feature is a free place to park weight.
    pub keep_constant: bool,
    /// Seed of the sampling; 0 by default.
    pub seed: u64,
    /// Memory for one similarity matrix; 4 GiB by default. The decomposition takes three.
    pub max_bytes: u64,
}

impl Default for QpfsParams {
    fn default() -> Self {
        Self {
            alpha: Alpha::default(),
            rate: None,
            sampling: Sampling::Uniform,
            eigen_threshold: 1e-8,
            domain: Domain::default(),
            keep_constant: false,
            seed: 0,
            max_bytes: 4 << 30,
        }
    }
}

/// Wall-clock seconds of the parts of a selection.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct QpfsSeconds {
    /// Computing the rows of $Q$.
    pub similarity: f64,
    /// Eigenvalues and eigenvectors.
    pub decomposition: f64,
    /// The quadratic programme.
    pub program: f64,
}

/// A selection.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Qpfs {
    /// All features, by weight, equal weights by relevance, then by index.
    pub ranking: Ranking,
    /// Weight of every feature; they sum to 1.
    pub weights: Vec<f64>,
    /// The trade-off used.
    pub alpha: f64,
    /// $\bar q$, as the heuristic saw it.
    pub mean_similarity: f64,
    /// $\bar f$.
    pub mean_relevance: f64,
    /// Eigenvalues kept.
    pub rank_kept: usize,
    /// Features whose rows of $Q$ were computed; empty if all were.
    pub sampled: Vec<usize>,
    /// Where the weights lie: the simplex if the subspace had no feasible point.
    pub domain: Domain,
    /// Value of the objective.
    pub objective: f64,
    /// Whether the programme was solved.
    pub status: Status,
    /// Time of the parts.
    pub seconds: QpfsSeconds,
}

impl QpfsParams {
    /// Sets how relevance and redundancy are weighed.
    pub fn with_alpha(mut self, alpha: Alpha) -> Self {
        self.alpha = alpha;
        self
    }

    /// Sets the part of the rows of $Q$ that is computed.
    pub fn with_rate(mut self, rate: f64) -> Self {
        self.rate = Some(rate);
        self
    }

    /// Sets how the rows are chosen.
    pub fn with_sampling(mut self, sampling: Sampling) -> Self {
        self.sampling = sampling;
        self
    }

    /// Sets which eigenvalues are dropped.
    pub fn with_eigen_threshold(mut self, eigen_threshold: f64) -> Self {
        self.eigen_threshold = eigen_threshold;
        self
    }

    /// Sets where the weights may lie.
    pub fn with_domain(mut self, domain: Domain) -> Self {
        self.domain = domain;
        self
    }

    /// Sets whether constant features take part.
    pub fn with_keep_constant(mut self, keep_constant: bool) -> Self {
        self.keep_constant = keep_constant;
        self
    }

    /// Sets the seed of the sampling.
    pub fn with_seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Sets the memory for one similarity matrix.
    pub fn with_max_bytes(mut self, max_bytes: u64) -> Self {
        self.max_bytes = max_bytes;
        self
    }

    /// An error that names the first parameter out of its range.
    pub fn check(&self) -> Result<()> {
        self.alpha.check()?;
        ensure_positive("eigen_threshold", self.eigen_threshold)?;
        match self.rate {
            Some(rate) if !(rate > 0.0 && rate <= 1.0) => Err(Error::Parameter {
                name: "rate",
                value: rate,
                requirement: "greater than 0 and at most 1",
            }),
            _ => Ok(()),
        }
    }

    /// Weighs and ranks all features.
    pub fn rank(&self, similarity: &dyn Similarity) -> Result<Qpfs> {
        self.check()?;
        let n = similarity.n_features();
        let kept: Vec<usize> = (0..n)
            .filter(|&f| self.keep_constant || !similarity.is_constant(f))
            .collect();
        let relevance: Vec<f64> = kept.iter().map(|&f| similarity.relevance(f)).collect();
        let mut seconds = QpfsSeconds::default();
        let sampled_count = self
            .rate
            .map(|rate| ((rate * kept.len() as f64).round() as usize).clamp(1, kept.len().max(1)))
            .filter(|&count| count < kept.len());
        let (reduced, sampled) = match sampled_count {
            None => (
                self.exact(similarity, &kept, &relevance, &mut seconds)?,
                Vec::new(),
            ),
            Some(count) => self.sampled(similarity, &kept, &relevance, count, &mut seconds)?,
        };
        let start = Instant::now();
        let solved = reduced.solve(&relevance, self.domain);
        seconds.program = start.elapsed().as_secs_f64();
        Ok(finish(
            n, &kept, &relevance, &reduced, &solved, sampled, seconds,
        ))
    }

    /// The whole matrix and its spectrum.
    fn exact(
        &self,
        similarity: &dyn Similarity,
        kept: &[usize],
        relevance: &[f64],
        seconds: &mut QpfsSeconds,
    ) -> Result<Reduced> {
        let start = Instant::now();
        let n = similarity.n_features();
        let mut matrix = similarity.matrix(self.max_bytes)?;
        let m = kept.len();
        for (i, &row) in kept.iter().enumerate() {
            for (j, &column) in kept.iter().enumerate() {
                matrix[i * m + j] = matrix[row * n + column];
            }
        }
        matrix.truncate(m * m);
        seconds.similarity = start.elapsed().as_secs_f64();
        let (alpha, mean_similarity) = self.alpha.of_matrix(&matrix, relevance);
        let start = Instant::now();
        let mut reduced = Reduced::empty(m, alpha, mean_similarity);
        if alpha < 1.0 {
            let eigen = symmetric_eigen(&matrix, m).ok_or(Error::NoEigenvalues)?;
            drop(matrix);
            reduced.keep(&eigen, self.eigen_threshold);
        }
        seconds.decomposition = start.elapsed().as_secs_f64();
        Ok(reduced)
    }

    /// Some rows of the matrix, and what they tell about the others.
    fn sampled(
        &self,
        similarity: &dyn Similarity,
        kept: &[usize],
        relevance: &[f64],
        count: usize,
        seconds: &mut QpfsSeconds,
    ) -> Result<(Reduced, Vec<usize>)> {
        ensure_matrix_fits(count, similarity.n_features(), self.max_bytes)?;
        let start = Instant::now();
        let positions = self.sampling.draw(similarity, kept, count, self.seed);
        let sampled: Vec<usize> = positions.iter().map(|&at| kept[at]).collect();
        let mut rows = similarity.rows(&sampled);
        if kept.len() < similarity.n_features() {
            let n = similarity.n_features();
            let m = kept.len();
            for i in 0..count {
                for (j, &column) in kept.iter().enumerate() {
                    rows[i * m + j] = rows[i * n + column];
                }
            }
            rows.truncate(count * m);
        }
        seconds.similarity = start.elapsed().as_secs_f64();
        let start = Instant::now();
        let factor = NystromFactor::new(&rows, &positions, kept.len())?;
        let (alpha, mean_similarity) = self.alpha.of_rows(&rows, &factor, relevance);
        let mut reduced = Reduced::empty(kept.len(), alpha, mean_similarity);
        if alpha < 1.0 {
            reduced.keep_factor(&factor, self.eigen_threshold, self.domain)?;
        }
        seconds.decomposition = start.elapsed().as_secs_f64();
        Ok((reduced, sampled))
    }
}

/// Weights and ranking of all features from those of the features that took part.
fn finish(
    n: usize,
    kept: &[usize],
    relevance: &[f64],
    reduced: &Reduced,
    solved: &Solved,
    sampled: Vec<usize>,
    seconds: QpfsSeconds,
) -> Qpfs {
    let largest = solved.weights.iter().copied().fold(0.0, f64::max);
    let snapped: Vec<f64> = solved
        .weights
        .iter()
        .map(|&w| if w < SNAP * largest { 0.0 } else { w })
        .collect();
    let order = Ranking::by_score(&snapped, relevance);
    let mut ranking = Ranking::default();
    let mut weights = vec![0.0; n];
    let mut took_part = vec![false; n];
    for (&at, &weight) in order.features.iter().zip(&order.scores) {
        ranking.push(kept[at], weight);
        weights[kept[at]] = weight;
        took_part[kept[at]] = true;
    }
    for f in (0..n).filter(|&f| !took_part[f]) {
        ranking.push(f, 0.0);
    }
    Qpfs {
        ranking,
        weights,
        alpha: reduced.alpha,
        mean_similarity: reduced.mean_similarity,
        mean_relevance: mean(relevance),
        rank_kept: reduced.rank(),
        sampled,
        domain: solved.domain,
        objective: solved.objective,
        status: solved.status,
        seconds,
    }
}

/// Mean; 0 of nothing.
fn mean(values: &[f64]) -> f64 {
    if values.is_empty() {
        return 0.0;
    }
    values.iter().sum::<f64>() / values.len() as f64
}
