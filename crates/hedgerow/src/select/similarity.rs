//! What filters know of the data: how alike two features are, and how relevant each is.

use crate::error::ensure_memory;
use crate::parallel::{Grain, for_each_chunk};
use crate::{Error, Result};

/// A symmetric similarity of features, and their relevance to the target.
///
/// Every filter of this module works on any similarity; [`super::MutualInformation`] and
/// [`super::Correlation`] are the usual ones, [`GivenSimilarity`] takes a matrix from elsewhere.
pub trait Similarity: Sync {
    /// Number of features.
    fn n_features(&self) -> usize;

    /// Similarity of two features; of one with itself, how much it says at all. Not negative for
    /// the methods to mean what they should.
    fn pair(&self, first: usize, second: usize) -> f64;

    /// Relevance of a feature to the target.
    fn relevance(&self, feature: usize) -> f64;

    /// True if the feature says nothing about any row.
    fn is_constant(&self, _feature: usize) -> bool {
        false
    }

    /// Similarities of one feature to all, itself included.
    fn row_into(&self, feature: usize, out: &mut [f64]) {
        for (other, value) in out.iter_mut().enumerate() {
            *value = self.pair(feature, other);
        }
    }

    /// How many rows cost little more than one when [`Similarity::rows`] computes them together.
    /// Methods that need some rows soon then ask for them at once.
    fn rows_together(&self) -> usize {
        1
    }

    /// The relevance of all features.
    fn relevances(&self) -> Vec<f64> {
        (0..self.n_features()).map(|f| self.relevance(f)).collect()
    }

    /// Similarities of some features to all, row after row; in parallel.
    fn rows(&self, features: &[usize]) -> Vec<f64> {
        single_rows(self, features)
    }

    /// The whole matrix, row after row, or an error if it would take more than `max_bytes`.
    fn matrix(&self, max_bytes: u64) -> Result<Vec<f64>> {
        let n = self.n_features();
        ensure_matrix_fits(n, n, max_bytes)?;
        let all: Vec<usize> = (0..n).collect();
        Ok(self.rows(&all))
    }
}

/// Rows computed each on its own, in parallel.
pub(super) fn single_rows(similarity: &(impl Similarity + ?Sized), features: &[usize]) -> Vec<f64> {
    let width = similarity.n_features();
    let mut out = vec![0.0; features.len() * width];
    if width > 0 {
        for_each_chunk(&mut out, width, Grain::COARSE, &|at, row| {
            similarity.row_into(features[at], row);
        });
    }
    out
}

/// An error if a matrix of doubles would take more than `max_bytes`.
pub(super) fn ensure_matrix_fits(n_rows: usize, n_columns: usize, max_bytes: u64) -> Result<()> {
    let needed = (n_rows as u64)
        .saturating_mul(n_columns as u64)
        .saturating_mul(8);
    let what = "the similarity matrix (sample some of its rows instead: QPFS with Nyström)";
    ensure_memory(what, needed, max_bytes)
}

/// A similarity that was computed elsewhere.
#[derive(Debug, Clone, PartialEq)]
pub struct GivenSimilarity {
    matrix: Vec<f64>,
    relevance: Vec<f64>,
}

impl GivenSimilarity {
    /// Adopts a symmetric matrix, row after row, and the relevance of every feature.
    pub fn new(matrix: Vec<f64>, relevance: Vec<f64>) -> Result<Self> {
        let n = relevance.len();
        if n.checked_mul(n) != Some(matrix.len()) {
            return Err(Error::Shape {
                what: "entries of a similarity matrix",
                expected: n.saturating_mul(n),
                found: matrix.len(),
            });
        }
        let bad = |values: &[f64]| values.iter().position(|value| !value.is_finite());
        if let Some(at) = bad(&matrix) {
            return Err(Error::NotFinite {
                row: at / n + 1,
                column: at % n + 1,
                value: matrix[at],
            });
        }
        if let Some(f) = bad(&relevance) {
            return Err(Error::BadRowValue {
                row: f + 1,
                what: "relevance",
                value: relevance[f],
            });
        }
        for i in 0..n {
            for j in 0..i {
                let (lower, upper) = (matrix[i * n + j], matrix[j * n + i]);
                if (lower - upper).abs() > 1e-9 * lower.abs().max(upper.abs()) {
                    return Err(Error::NotSymmetric {
                        row: i + 1,
                        column: j + 1,
                        value: lower,
                        mirrored: upper,
                    });
                }
            }
        }
        Ok(Self { matrix, relevance })
    }
}

impl Similarity for GivenSimilarity {
    fn n_features(&self) -> usize {
        self.relevance.len()
    }

    fn pair(&self, first: usize, second: usize) -> f64 {
        self.matrix[first * self.relevance.len() + second]
    }

    fn relevance(&self, feature: usize) -> f64 {
        self.relevance[feature]
    }

    fn row_into(&self, feature: usize, out: &mut [f64]) {
        let n = self.relevance.len();
        out.copy_from_slice(&self.matrix[feature * n..(feature + 1) * n]);
    }
}
