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
//! small solve, not another pass over all features.

use super::Ranking;
use super::columns::Columns;
use super::ranking::descending;
use crate::data::{ClassLabels, Dataset};
use crate::error::ensure_positive;
use crate::solve::smo::Limits;
use crate::svm::pairs;
use crate::svm::small::{Costs, SmallSvc};
use crate::{Error, Result, Status};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Rounds after which inner products are computed afresh, against rounding.
const REFRESH: usize = 256;

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
    /// Memory for inner products of rows and a copy of the features; 4 GiB by default.
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
            max_bytes: 4 << 30,
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
        let columns = Columns::new(data.samples().view())?;
        let present = labels.counts().iter().filter(|&&count| count > 0).count();
        if present < 2 {
            return Err(Error::TooFewClasses {
                needed: 2,
                found: present,
            });
        }
        let (n, width) = (columns.n_rows() as u64, columns.n_features() as u64);
        let needed = 8 * (n * n + n * width);
        if needed > self.max_bytes {
            return Err(Error::Memory {
                what: "inner products of all rows",
                needed_bytes: needed,
                allowed_bytes: self.max_bytes,
            });
        }
        let mut features = vec![0.0; (n * width) as usize];
        columns.write(0, &mut features);
        Run {
            params: self,
            n: n as usize,
            features,
            machines: machines(labels),
            products: Vec::new(),
            left: (0..width as usize).collect(),
            status: Status::Converged,
        }
        .eliminate()
    }
}

/// Rows and signs of the machine of a pair of classes.
struct Rows {
    rows: Vec<usize>,
    signs: Vec<i8>,
}

fn machines(labels: &ClassLabels) -> Vec<Rows> {
    let of = |a: u32, b: u32| {
        let mut machine = Rows {
            rows: Vec::new(),
            signs: Vec::new(),
        };
        for (i, &code) in labels.codes().iter().enumerate() {
            if code == a || code == b {
                machine.rows.push(i);
                machine.signs.push(if code == a { 1 } else { -1 });
            }
        }
        machine
    };
    pairs(labels.n_classes())
        .map(|(a, b)| of(a as u32, b as u32))
        .filter(|machine| machine.signs.contains(&1) && machine.signs.contains(&-1))
        .collect()
}

struct Run<'a> {
    params: &'a RfeParams,
    n: usize,
    /// Columns of the data, one after the other.
    features: Vec<f64>,
    machines: Vec<Rows>,
    /// Inner products of rows, or squared distances, over the features left.
    products: Vec<f64>,
    left: Vec<usize>,
    status: Status,
}

impl Run<'_> {
    fn column(&self, f: usize) -> &[f64] {
        &self.features[f * self.n..(f + 1) * self.n]
    }

    /// What a feature contributes to the product of two rows.
    fn part(&self, a: f64, b: f64) -> f64 {
        match self.params.kernel {
            RfeKernel::Linear => a * b,
            RfeKernel::Gaussian { .. } => (a - b) * (a - b),
        }
    }

    fn refresh(&mut self) {
        let mut products = vec![0.0; self.n * self.n];
        products
            .par_chunks_mut(self.n)
            .enumerate()
            .for_each(|(i, row)| {
                for &f in &self.left {
                    let column = self.column(f);
                    let own = column[i];
                    for (value, &other) in row.iter_mut().zip(column) {
                        *value += self.part(own, other);
                    }
                }
            });
        self.products = products;
    }

    /// Takes dropped features out of the products.
    fn take_out(&mut self, dropped: &[usize]) {
        let mut products = std::mem::take(&mut self.products);
        products
            .par_chunks_mut(self.n)
            .enumerate()
            .for_each(|(i, row)| {
                for &f in dropped {
                    let column = self.column(f);
                    let own = column[i];
                    for (value, &other) in row.iter_mut().zip(column) {
                        *value -= self.part(own, other);
                    }
                }
            });
        self.products = products;
    }

    fn kernel(&self, product: f64) -> f64 {
        match self.params.kernel {
            RfeKernel::Linear => product,
            RfeKernel::Gaussian { gamma } => (-gamma * product.max(0.0)).exp(),
        }
    }

    /// Multipliers of every machine.
    fn train(&mut self) -> Result<Vec<Vec<f64>>> {
        let limits = Limits {
            tolerance: self.params.tolerance,
            max_iterations: None,
            max_seconds: None,
            shrinking: true,
        };
        let trained: Vec<(Vec<f64>, Status)> = self
            .machines
            .par_iter()
            .map_init(SmallSvc::new, |svc, machine| {
                let size = machine.rows.len();
                let matrix = svc.gram_mut(size);
                for (row, &i) in matrix.chunks_exact_mut(size).zip(&machine.rows) {
                    for (value, &j) in row.iter_mut().zip(&machine.rows) {
                        *value = self.kernel(self.products[i * self.n + j]) as f32;
                    }
                }
                let costs = Costs::Uniform(self.params.cost);
                let solved = svc.solve(&machine.signs, costs, &limits)?;
                Ok((solved.coefficients.to_vec(), solved.status))
            })
            .collect::<Result<_>>()?;
        let mut all = Vec::with_capacity(trained.len());
        for (coefficients, status) in trained {
            self.status = self.status.and(status);
            all.push(coefficients);
        }
        Ok(all)
    }

    /// The criterion of every feature left.
    fn criteria(&self, multipliers: &[Vec<f64>]) -> Vec<f64> {
        self.left
            .par_iter()
            .with_min_len(16)
            .map(|&f| {
                let column = self.column(f);
                let of =
                    |(machine, beta): (&Rows, &Vec<f64>)| self.criterion(column, machine, beta);
                self.machines.iter().zip(multipliers).map(of).sum()
            })
            .collect()
    }

    fn criterion(&self, column: &[f64], machine: &Rows, beta: &[f64]) -> f64 {
        let support = || machine.rows.iter().zip(beta).filter(|(_, b)| **b != 0.0);
        match self.params.kernel {
            RfeKernel::Linear => {
                let w: f64 = support().map(|(&i, b)| b * column[i]).sum();
                w * w
            }
            RfeKernel::Gaussian { gamma } => {
                let mut change = 0.0;
                for (&i, a) in support() {
                    for (&j, b) in support() {
                        let difference = column[i] - column[j];
                        let value = self.kernel(self.products[i * self.n + j]);
                        // exp_m1 of a large argument times a kernel value that vanished is nothing.
                        let grown = (gamma * difference * difference).exp_m1();
                        if value > 0.0 {
                            change += a * b * value * grown;
                        }
                    }
                }
                change.abs()
            }
        }
    }

    fn eliminate(mut self) -> Result<Rfe> {
        let mut dropped_last_first: Vec<(usize, f64)> = Vec::new();
        let mut rounds = 0;
        self.refresh();
        let survivors = loop {
            if self.left.is_empty() {
                break Vec::new();
            }
            let multipliers = self.train()?;
            let criteria = self.criteria(&multipliers);
            rounds += 1;
            let mut order: Vec<(usize, f64)> = self.left.iter().copied().zip(criteria).collect();
            // Best first; of equal ones the later is dropped first.
            order.sort_by(|a, b| descending(a.1, b.1).then(a.0.cmp(&b.0)));
            if order.len() <= self.params.keep.max(1) {
                break order;
            }
            let drop = match self.params.elimination {
                Elimination::OneByOne => 1,
                Elimination::Halving => order.len() / 2,
            }
            .min(order.len() - self.params.keep.max(1));
            let gone = order.split_off(order.len() - drop);
            self.left = order.iter().map(|&(f, _)| f).collect();
            self.left.sort_unstable();
            if rounds % REFRESH == 0 || gone.len() > self.left.len() / 2 {
                self.refresh();
            } else {
                let features: Vec<usize> = gone.iter().map(|&(f, _)| f).collect();
                self.take_out(&features);
            }
            dropped_last_first.extend(gone.into_iter().rev());
        };
        let mut ranking = Ranking::default();
        for (f, score) in survivors
            .into_iter()
            .chain(dropped_last_first.into_iter().rev())
        {
            ranking.push(f, score);
        }
        Ok(Rfe {
            ranking,
            rounds,
            status: self.status,
        })
    }
}
