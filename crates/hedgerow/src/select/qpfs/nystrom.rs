//! The Nyström approximation of a similarity matrix from some of its rows.
//!
//! With the sampled rows $[A\ B]$ of $Q$ and the eigenpairs $A = U\Lambda U^\top$ that are large
//! enough, $\hat Q = TT^\top$ with $T = [A\ B]^\top U \Lambda^{-1/2}$. The paper's orthogonal form
//! $\hat U = T R \Sigma^{-1/2}$ with $T^\top T = R\Sigma R^\top$ has the same product.
//!
//! Which eigenvalues of $A$ count, `linalg::whiten` decides.

use crate::data::Generator;
use crate::linalg::{gram, product_in_parallel, symmetric_eigen, whiten};
use crate::select::Similarity;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// How the rows of the matrix are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Sampling {
    /// Every row is equally likely. The default.
    #[default]
    Uniform,
    /// Likely in proportion to the squared length of the row; needs all rows once, though never
    /// at the same time.
    ColumnNorm,
    /// Likely in proportion to the diagonal.
    Diagonal,
}

impl Sampling {
    /// `count` positions in `kept`, ascending, without repetition.
    pub(super) fn draw(
        self,
        similarity: &dyn Similarity,
        kept: &[usize],
        count: usize,
        seed: u64,
    ) -> Vec<usize> {
        let mut random = Generator::new(seed);
        let weights: Vec<f64> = match self {
            Self::Uniform => return random.sample(kept.len(), count),
            Self::ColumnNorm => {
                let mut row = vec![0.0; similarity.n_features()];
                let length = |&f: &usize| {
                    similarity.row_into(f, &mut row);
                    row.iter().map(|q| q * q).sum()
                };
                kept.iter().map(length).collect()
            }
            Self::Diagonal => kept.iter().map(|&f| similarity.pair(f, f)).collect(),
        };
        // Exponential clocks: the first `count` to ring are a weighted sample.
        let mut clocks: Vec<(f64, usize)> = weights
            .iter()
            .enumerate()
            .map(|(at, &weight)| {
                let wait = -(1.0 - random.uniform()).ln();
                let rate = weight.max(f64::MIN_POSITIVE);
                (wait / rate, at)
            })
            .collect();
        clocks.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut chosen: Vec<usize> = clocks[..count].iter().map(|&(_, at)| at).collect();
        chosen.sort_unstable();
        chosen
    }
}

/// A matrix $TT^\top$ that agrees with some rows of another.
#[derive(Debug, Clone)]
pub struct NystromFactor {
    /// $T^\top$, row after row.
    transposed: Vec<f64>,
    n_features: usize,
    rank: usize,
}

impl NystromFactor {
    /// From the sampled rows (one after the other) and their positions, ascending.
    pub fn new(rows: &[f64], sampled: &[usize], n_features: usize) -> Result<Self> {
        let count = sampled.len();
        if rows.len() != count * n_features {
            return Err(Error::Shape {
                what: "entries of the sampled rows",
                expected: count * n_features,
                found: rows.len(),
            });
        }
        let mut inner = vec![0.0; count * count];
        for i in 0..count {
            for (j, &column) in sampled.iter().enumerate() {
                inner[i * count + j] = rows[i * n_features + column];
            }
        }
        let (scaled, rank) = whiten(&inner, count)?;
        let mut transposed = vec![0.0; rank * n_features];
        product_in_parallel(&scaled, rows, count, n_features, &mut transposed);
        Ok(Self {
            transposed,
            n_features,
            rank,
        })
    }

    /// Rank of the approximation.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// Sum of all entries of $\hat Q$.
    pub fn sum(&self) -> f64 {
        self.transposed
            .chunks_exact(self.n_features.max(1))
            .map(|row| {
                let sum: f64 = row.iter().sum();
                sum * sum
            })
            .sum()
    }

    /// $\hat Q$, row after row.
    pub fn matrix(&self) -> Vec<f64> {
        gram(&self.rows(), self.rank)
    }

    /// $T$, row after row.
    pub(super) fn rows(&self) -> Vec<f64> {
        transpose(&self.transposed, self.rank, self.n_features)
    }

    /// Eigenvalues of $\hat Q$ in descending order, those up to `threshold` times the largest left
    /// out, and the orthonormal eigenvectors $\hat U$, row after row (a row for each feature).
    pub fn orthonormal(&self, threshold: f64) -> Result<(Vec<f64>, Vec<f64>)> {
        let (values, rotation) = self.spectrum(threshold)?;
        let rank = values.len();
        let mut vectors = vec![0.0; self.n_features * rank];
        let mut scaled = rotation;
        for row in scaled.chunks_exact_mut(rank.max(1)) {
            for (entry, value) in row.iter_mut().zip(&values) {
                *entry /= value.sqrt();
            }
        }
        product_in_parallel(&self.rows(), &scaled, self.rank, rank, &mut vectors);
        Ok((values, vectors))
    }

    /// Eigenvalues of $T^\top T$ that count, descending, and $R$ (rank × kept, row after row).
    pub(super) fn spectrum(&self, threshold: f64) -> Result<(Vec<f64>, Vec<f64>)> {
        let inner = gram(&self.transposed, self.n_features);
        let eigen = symmetric_eigen(&inner, self.rank).ok_or(Error::NoEigenvalues)?;
        let largest = eigen.values.last().copied().unwrap_or(0.0);
        let first = eigen
            .values
            .partition_point(|&value| value <= threshold * largest.max(0.0));
        let kept = self.rank - first;
        let values: Vec<f64> = eigen.values[first..].iter().rev().copied().collect();
        let mut rotation = vec![0.0; self.rank * kept];
        for k in 0..kept {
            let vector = &eigen.vectors[(self.rank - 1 - k) * self.rank..][..self.rank];
            for (row, &entry) in vector.iter().enumerate() {
                rotation[row * kept + k] = entry;
            }
        }
        Ok((values, rotation))
    }
}

/// The transposed of a row-major matrix.
pub(super) fn transpose(matrix: &[f64], rows: usize, columns: usize) -> Vec<f64> {
    const TILE: usize = 32;
    let mut out = vec![0.0; matrix.len()];
    for first_row in (0..rows).step_by(TILE) {
        for first_column in (0..columns).step_by(TILE) {
            for i in first_row..rows.min(first_row + TILE) {
                for j in first_column..columns.min(first_column + TILE) {
                    out[j * rows + i] = matrix[i * columns + j];
                }
            }
        }
    }
    out
}
