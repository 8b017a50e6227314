//! The trade-off between relevance and redundancy.
//!
//! $\hat\alpha = \bar q/(\bar q + \bar f)$ balances the two: $(1-\hat\alpha)\bar q = \hat\alpha\bar f$.
//! The mean $\bar f$ is over all features; for $\bar q$ see [`SimilarityMean`].

use super::{NystromFactor, mean};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// Which mean of the similarities the heuristic takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum SimilarityMean {
    /// Of all entries that are computed: the whole matrix, or the sampled rows. The default.
    #[default]
    Computed,
    /// Of all entries of the approximation that the sampled rows imply; the same as
    /// [`SimilarityMean::Computed`] if the whole matrix is computed.
    Approximated,
    /// The entries on and above the diagonal, divided by the number of all. Some published values
    /// come out only so. Sampled rows know no triangle: as [`SimilarityMean::Computed`].
    UpperTriangle,
}

/// The trade-off $\alpha$.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Alpha {
    /// Balanced, from the data.
    Heuristic(SimilarityMean),
    /// Given, from 0 (redundancy only) to 1 (relevance only).
    Fixed(f64),
}

impl Default for Alpha {
    fn default() -> Self {
        Self::Heuristic(SimilarityMean::default())
    }
}

impl Alpha {
    pub(super) fn check(&self) -> Result<()> {
        match *self {
            Self::Fixed(value) if !(0.0..=1.0).contains(&value) => Err(Error::Parameter {
                name: "alpha",
                value,
                requirement: "from 0 to 1",
            }),
            _ => Ok(()),
        }
    }

    /// $\alpha$ and $\bar q$ from a whole matrix.
    pub(super) fn of_matrix(&self, matrix: &[f64], relevance: &[f64]) -> (f64, f64) {
        let n = relevance.len();
        let similarity = match self {
            Self::Heuristic(SimilarityMean::UpperTriangle) => {
                let upper: f64 = (0..n)
                    .map(|i| matrix[i * n + i..(i + 1) * n].iter().sum::<f64>())
                    .sum();
                if n > 0 { upper / (n * n) as f64 } else { 0.0 }
            }
            _ => mean(matrix),
        };
        (self.balance(similarity, mean(relevance)), similarity)
    }

    /// $\alpha$ and $\bar q$ from sampled rows.
    pub(super) fn of_rows(
        &self,
        rows: &[f64],
        factor: &NystromFactor,
        relevance: &[f64],
    ) -> (f64, f64) {
        let similarity = match self {
            Self::Heuristic(SimilarityMean::Approximated) => {
                let n = relevance.len() as f64;
                factor.sum() / (n * n)
            }
            _ => mean(rows),
        };
        (self.balance(similarity, mean(relevance)), similarity)
    }

    fn balance(&self, similarity: f64, relevance: f64) -> f64 {
        match *self {
            Self::Fixed(value) => value,
            Self::Heuristic(_) => {
                let sum = similarity + relevance;
                if sum > 0.0 {
                    (similarity / sum).clamp(0.0, 1.0)
                } else {
                    0.5
                }
            }
        }
    }
}
