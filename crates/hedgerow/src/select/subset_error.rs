//! How well a machine does with a subset of the features: the cross-validated error of an SVM, by
//! which wrappers judge.

use super::RfeKernel;
use crate::data::{Dataset, Target, folds_for};
use crate::error::ensure_positive;
use crate::kernel::Kernel;
use crate::machines::SoftMargin;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// A support vector machine and the folds that judge it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SubsetErrorParams {
    /// Price of a violated margin; 1 by default.
    pub cost: f64,
    /// The kernel.
    pub kernel: RfeKernel,
    /// Folds of the cross-validation, at least 2; 5 by default.
    pub folds: usize,
    /// Seed of the folds; 0 by default. All subsets are judged by the same folds.
    pub seed: u64,
}

impl Default for SubsetErrorParams {
    fn default() -> Self {
        Self {
            cost: 1.0,
            kernel: RfeKernel::default(),
            folds: 5,
            seed: 0,
        }
    }
}

/// Training and test parts by which subsets are judged.
#[derive(Debug)]
pub struct SubsetError {
    machine: SoftMargin,
    parts: Vec<(Dataset, Dataset)>,
    n_rows: usize,
}

impl SubsetErrorParams {
    /// Sets the price of a violated margin.
    pub fn with_cost(mut self, cost: f64) -> Self {
        self.cost = cost;
        self
    }

    /// Sets the kernel.
    pub fn with_kernel(mut self, kernel: RfeKernel) -> Self {
        self.kernel = kernel;
        self
    }

    /// Sets the number of folds.
    pub fn with_folds(mut self, folds: usize) -> Self {
        self.folds = folds;
        self
    }

    /// Sets the seed of the folds.
    pub fn with_seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// An error that names the first parameter out of its range.
    pub fn check(&self) -> Result<()> {
        ensure_positive("cost", self.cost)?;
        if let RfeKernel::Gaussian { gamma } = self.kernel {
            ensure_positive("gamma", gamma)?;
        }
        if self.folds < 2 {
            return Err(Error::Parameter {
                name: "folds",
                value: self.folds as f64,
                requirement: "at least 2",
            });
        }
        Ok(())
    }

    /// Splits the data once for all subsets. Weights of rows are not used.
    pub fn prepare(&self, data: &Dataset) -> Result<SubsetError> {
        self.check()?;
        if data.n_rows() == 0 {
            return Err(Error::NoRows);
        }
        data.samples().view().ensure_finite()?;
        let labels = data.classes()?;
        let present = labels.counts().iter().filter(|&&count| count > 0).count();
        if present < 2 {
            return Err(Error::TooFewClasses {
                needed: 2,
                found: present,
            });
        }
        let plain = Dataset::new(data.samples().clone(), Target::Classes(labels.clone()))?;
        let kernel = match self.kernel {
            RfeKernel::Linear => Kernel::Linear,
            RfeKernel::Gaussian { gamma } => Kernel::rbf(gamma),
        };
        let splits = folds_for(&plain, self.folds, self.seed)?;
        Ok(SubsetError {
            machine: SoftMargin::new(kernel, self.cost),
            parts: splits
                .iter()
                .map(|split| (plain.select(&split.train), plain.select(&split.test)))
                .collect(),
            n_rows: data.n_rows(),
        })
    }
}

impl SubsetError {
    /// Share of rows that are classified wrongly by the machines that did not see them. Without a
    /// feature: by their most frequent class.
    pub fn of(&self, features: &[usize]) -> Result<f64> {
        let mut wrong = 0;
        for (train, test) in &self.parts {
            let machines = self.machine.train(&train.select_features(features)?)?;
            let reduced = test.select_features(features)?;
            let predicted = machines.into_codes(reduced.samples().view())?;
            let known = reduced.classes()?.codes();
            wrong += predicted.iter().zip(known).filter(|(p, c)| p != c).count();
        }
        Ok(wrong as f64 / self.n_rows.max(1) as f64)
    }
}
