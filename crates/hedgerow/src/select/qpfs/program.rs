//! The reduced programme and its solvers.

use super::nystrom::transpose;
use super::{Domain, NystromFactor};
use crate::linalg::{SymmetricEigen, product_in_parallel};
use crate::solve::goldfarb_idnani::{Hessian, ProgramStatus, QuadraticProgram, goldfarb_idnani};
use crate::solve::simplex::{SimplexProgram, minimize_on_simplex};
use crate::{Result, Status};

/// Part of the largest eigenvalue that is added to all of them, so that one point of the simplex
/// is best and not several.
const RIDGE: f64 = 1e-10;
/// Stopping tolerance of the simplex solver.
const TOLERANCE: f64 = 1e-11;

/// $\hat Q$ of low rank, and the trade-off.
pub(super) struct Reduced {
    pub(super) alpha: f64,
    pub(super) mean_similarity: f64,
    n_features: usize,
    /// Eigenvalues kept, descending.
    values: Vec<f64>,
    /// Orthonormal eigenvectors, row after row; empty if [`Reduced::factor`] is all that is needed.
    vectors: Vec<f64>,
    /// $G$ with $\hat Q = GG^\top$, row after row; empty if it follows from the eigenvectors.
    factor: Vec<f64>,
    factor_rank: usize,
}

/// Weights of the features that took part.
pub(super) struct Solved {
    pub(super) weights: Vec<f64>,
    pub(super) objective: f64,
    pub(super) domain: Domain,
    pub(super) status: Status,
}

impl Reduced {
    pub(super) fn empty(n_features: usize, alpha: f64, mean_similarity: f64) -> Self {
        Self {
            alpha,
            mean_similarity,
            n_features,
            values: Vec::new(),
            vectors: Vec::new(),
            factor: Vec::new(),
            factor_rank: 0,
        }
    }

    pub(super) fn rank(&self) -> usize {
        self.values.len()
    }

    /// Keeps the eigenpairs above the threshold.
    pub(super) fn keep(&mut self, eigen: &SymmetricEigen, threshold: f64) {
        let n = self.n_features;
        let largest = eigen.values.last().copied().unwrap_or(0.0);
        let first = eigen
            .values
            .partition_point(|&value| value <= threshold * largest.max(0.0));
        let kept = n - first;
        self.values = eigen.values[first..].iter().rev().copied().collect();
        let mut descending = Vec::with_capacity(kept * n);
        for k in (first..n).rev() {
            descending.extend_from_slice(&eigen.vectors[k * n..(k + 1) * n]);
        }
        self.vectors = transpose(&descending, kept, n);
    }

    /// Takes a factor from sampled rows, without what is below the threshold.
    pub(super) fn keep_factor(
        &mut self,
        factor: &NystromFactor,
        threshold: f64,
        domain: Domain,
    ) -> Result<()> {
        if domain == Domain::Subspace {
            (self.values, self.vectors) = factor.orthonormal(threshold)?;
            return Ok(());
        }
        let (values, rotation) = factor.spectrum(threshold)?;
        let kept = values.len();
        if kept == factor.rank() {
            // Turning the factor would not change its product.
            self.factor = factor.rows();
        } else {
            let mut turned = vec![0.0; self.n_features * kept];
            product_in_parallel(&factor.rows(), &rotation, factor.rank(), kept, &mut turned);
            self.factor = turned;
        }
        self.factor_rank = kept;
        self.values = values;
        Ok(())
    }

    pub(super) fn solve(&self, relevance: &[f64], domain: Domain) -> Solved {
        if self.n_features == 0 {
            return Solved {
                weights: Vec::new(),
                objective: 0.0,
                domain,
                status: Status::Converged,
            };
        }
        if self.alpha >= 1.0 || self.values.is_empty() {
            return self.most_relevant(relevance, domain);
        }
        if domain == Domain::Subspace
            && let Some(solved) = self.in_subspace(relevance)
        {
            return solved;
        }
        self.on_simplex(relevance)
    }

    /// Without redundancy all weight goes to the most relevant feature.
    fn most_relevant(&self, relevance: &[f64], domain: Domain) -> Solved {
        let mut best = 0;
        for (f, value) in relevance.iter().enumerate() {
            if *value > relevance[best] {
                best = f;
            }
        }
        let mut weights = vec![0.0; self.n_features];
        weights[best] = 1.0;
        Solved {
            weights,
            objective: -self.alpha * relevance[best],
            domain,
            status: Status::Converged,
        }
    }

    /// The literal programme in the coordinates of the eigenvectors; `None` if nothing satisfies it
    /// or if it could not be solved.
    fn in_subspace(&self, relevance: &[f64]) -> Option<Solved> {
        let (n, rank) = (self.n_features, self.values.len());
        let hessian: Vec<f64> = self.values.iter().map(|v| (1.0 - self.alpha) * v).collect();
        let mut linear = vec![0.0; rank];
        let mut ones = vec![0.0; rank];
        for (row, &f) in self.vectors.chunks_exact(rank).zip(relevance) {
            for (k, &entry) in row.iter().enumerate() {
                linear[k] += self.alpha * f * entry;
                ones[k] += entry;
            }
        }
        let mut normals = ones;
        normals.extend_from_slice(&self.vectors);
        let mut bounds = vec![0.0; n + 1];
        bounds[0] = 1.0;
        let solution = goldfarb_idnani(&QuadraticProgram {
            hessian: Hessian::Diagonal(&hessian),
            linear: &linear,
            normals: &normals,
            bounds: &bounds,
            equalities: 1,
        });
        if solution.status != ProgramStatus::Solved {
            return None;
        }
        let z = &solution.x;
        let weights: Vec<f64> = self
            .vectors
            .chunks_exact(rank)
            .map(|row| row.iter().zip(z).map(|(u, z)| u * z).sum::<f64>().max(0.0))
            .collect();
        let objective = z
            .iter()
            .zip(&hessian)
            .zip(&linear)
            .map(|((z, h), d)| 0.5 * h * z * z - d * z)
            .sum();
        Some(Solved {
            weights,
            objective,
            domain: Domain::Subspace,
            status: Status::Converged,
        })
    }

    fn on_simplex(&self, relevance: &[f64]) -> Solved {
        let rank = self.values.len();
        let built;
        let (factor, rank) = if self.factor.is_empty() {
            let roots: Vec<f64> = self.values.iter().map(|value| value.sqrt()).collect();
            let mut scaled = self.vectors.clone();
            for row in scaled.chunks_exact_mut(rank) {
                for (entry, root) in row.iter_mut().zip(&roots) {
                    *entry *= root;
                }
            }
            built = scaled;
            (&built, rank)
        } else {
            (&self.factor, self.factor_rank)
        };
        let linear: Vec<f64> = relevance.iter().map(|f| self.alpha * f).collect();
        let solution = minimize_on_simplex(
            &SimplexProgram {
                factor,
                rank,
                scale: 1.0 - self.alpha,
                ridge: RIDGE * self.values[0],
                linear: &linear,
                tolerance: TOLERANCE,
            },
            None,
        );
        Solved {
            weights: solution.weights,
            objective: solution.objective,
            domain: Domain::Simplex,
            status: solution.status,
        }
    }
}
