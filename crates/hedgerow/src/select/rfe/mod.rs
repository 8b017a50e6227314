//! RFE-SVM: recursive feature elimination with a support vector machine (Guyon, Weston, Barnhill,
//! Vapnik, Machine Learning 46, 2002).
//!
//! Train, drop the features whose removal would change the margin least, repeat. With the
//! multipliers held fixed, removing feature $f$ changes $\beta^\top K\beta$ by
//!
//! | kernel | criterion |
//! |---|---|
//! | linear | $w_f^2$ with $w_f = \sum_i \beta_i x_{if}$ |
//! | Gaussian | $\big|\sum_{ij} \beta_i\beta_j K_{ij}\big(1 - e^{\gamma(x_{if}-x_{jf})^2}\big)\big|$ |
//!
//! summed over the machines of all pairs of classes. Inner products (or squared distances) of rows
//! are computed once; a dropped feature takes its part out of them, so a round costs $O(N^2)$ and a
//! small solve, not another pass over all features. Where the inner products of many rows do not
//! fit the memory given, linear machines are trained from the features that are left, round after
//! round, and nothing of the size $N^2$ is held.

mod machines;
mod products;

use super::Ranking;
use super::ranking::descending;
use crate::data::Dataset;
use crate::error::ensure_positive;
use crate::{Error, Result, Status};
use machines::Machines;
use products::Products;
use serde::{Deserialize, Serialize};

/// How many features a round drops.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Elimination {
    /// Half of those left. The default.
    #[default]
    Halving,
    /// One.
    OneByOne,
}

/// The kernel of the machines.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub enum RfeKernel {
    /// $x \cdot x'$. The default.
    #[default]
    Linear,
    /// $e^{-\gamma\|x - x'\|^2}$.
    Gaussian {
        /// $\gamma > 0$.
        gamma: f64,
    },
}

/// Parameters of RFE-SVM.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RfeParams {
    /// Price of a violated margin; 1 by default.
    pub cost: f64,
    /// How many features a round drops.
    pub elimination: Elimination,
    /// The kernel.
    pub kernel: RfeKernel,
    /// Features at which elimination ends; they are ranked by the criterion. 1 by default.
    pub keep: usize,
    /// Largest violation of optimality of a machine; 0.001 by default.
    pub tolerance: f64,
    /// Memory for inner products of rows and a copy of the features; 1 GiB by default. Linear
    /// machines do without them where they take more; a Gaussian kernel is then an error.
    pub max_bytes: u64,
}

impl Default for RfeParams {
    fn default() -> Self {
        Self {
            cost: 1.0,
            elimination: Elimination::default(),
            kernel: RfeKernel::default(),
            keep: 1,
            tolerance: 1e-3,
            max_bytes: 1 << 30,
        }
    }
}

/// A ranking by elimination.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Rfe {
    /// All features, those that stayed longest first; scores are the criterion in the last round
    /// that a feature took part in.
    pub ranking: Ranking,
    /// Rounds of training.
    pub rounds: usize,
    /// Whether all machines converged.
    pub status: Status,
}

impl RfeParams {
    /// Sets the price of a violated margin.
    pub fn with_cost(mut self, cost: f64) -> Self {
        self.cost = cost;
        self
    }

    /// Sets how many features a round drops.
    pub fn with_elimination(mut self, elimination: Elimination) -> Self {
        self.elimination = elimination;
        self
    }

    /// Sets the kernel.
    pub fn with_kernel(mut self, kernel: RfeKernel) -> Self {
        self.kernel = kernel;
        self
    }

    /// Sets at how many features elimination ends.
    pub fn with_keep(mut self, keep: usize) -> Self {
        self.keep = keep;
        self
    }

    /// Sets the memory for inner products of rows.
    pub fn with_max_bytes(mut self, max_bytes: u64) -> Self {
        self.max_bytes = max_bytes;
        self
    }

    /// An error that names the first parameter out of its range.
    pub fn check(&self) -> Result<()> {
        ensure_positive("cost", self.cost)?;
        ensure_positive("tolerance", self.tolerance)?;
        if let RfeKernel::Gaussian { gamma } = self.kernel {
            ensure_positive("gamma", gamma)?;
        }
        Ok(())
    }

    /// Ranks all features.
    pub fn rank(&self, data: &Dataset) -> Result<Rfe> {
        self.check()?;
        let labels = data.classes()?;
        if data.n_rows() == 0 {
            return Err(Error::NoRows);
        }
        data.samples().view().ensure_finite()?;
        let present = labels.counts().iter().filter(|&&count| count > 0).count();
        if present < 2 {
            return Err(Error::TooFewClasses {
                needed: 2,
                found: present,
            });
        }
        let needed = Products::bytes(data.n_rows(), data.n_features());
        if needed <= self.max_bytes {
            return self.eliminate(data.n_features(), &mut Products::new(self, data)?);
        }
        match self.kernel {
            RfeKernel::Linear => self.eliminate(data.n_features(), &mut Machines::new(self, data)),
            RfeKernel::Gaussian { .. } => Err(Error::Memory {
                what: "inner products of all rows (a linear kernel does without them)",
                needed_bytes: needed,
                allowed_bytes: self.max_bytes,
            }),
        }
    }

    fn eliminate(&self, n_features: usize, judge: &mut dyn Judge) -> Result<Rfe> {
        let keep = self.keep.max(1);
        let mut left: Vec<usize> = (0..n_features).collect();
        let mut status = Status::Converged;
        let mut dropped: Vec<(usize, f64)> = Vec::new();
        let mut rounds = 0;
        let survivors = loop {
            if left.is_empty() {
                break Vec::new();
            }
            let (criteria, solved) = judge.criteria(&left)?;
            status = status.and(solved);
            rounds += 1;
            let mut order: Vec<(usize, f64)> = left.iter().copied().zip(criteria).collect();
            // Best first; of equal ones the later is dropped first.
            order.sort_by(|a, b| descending(a.1, b.1).then(a.0.cmp(&b.0)));
            if order.len() <= keep {
                break order;
            }
            let drop = match self.elimination {
                Elimination::OneByOne => 1,
                Elimination::Halving => order.len() / 2,
            }
            .min(order.len() - keep);
            let gone = order.split_off(order.len() - drop);
            left = order.iter().map(|&(f, _)| f).collect();
            left.sort_unstable();
            let features: Vec<usize> = gone.iter().map(|&(f, _)| f).collect();
            judge.drop_features(&features, &left);
            dropped.extend(gone.into_iter().rev());
        };
        let mut ranking = Ranking::default();
        for (f, score) in survivors.into_iter().chain(dropped.into_iter().rev()) {
            ranking.push(f, score);
        }
        Ok(Rfe {
            ranking,
            rounds,
            status,
        })
    }
}

/// What a round asks: how much each of the features left matters to the machines.
trait Judge {
    /// The criterion of every feature of `left`, and whether all machines converged.
    fn criteria(&mut self, left: &[usize]) -> Result<(Vec<f64>, Status)>;

    /// Features are `gone`; the others are `left`.
    fn drop_features(&mut self, gone: &[usize], left: &[usize]);
}
