//! Elimination on inner products of rows, which lose a part with every feature dropped.

use super::{Judge, RfeKernel, RfeParams};
use crate::data::{ClassLabels, Dataset};
use crate::machines::pairs;
use crate::machines::small::{Costs, SmallSvc};
use crate::parallel::{Grain, concat, for_each_chunk, try_map};
use crate::select::columns::Columns;
use crate::solve::smo::Limits;
use crate::spares::Spares;
use crate::{Result, Status};

/// Rounds after which inner products are computed afresh, against rounding.
const REFRESH: usize = 256;

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

/// Machines on inner products of rows.
pub(super) struct Products<'a> {
    params: &'a RfeParams,
    n: usize,
    /// Columns of the data, one after the other.
    features: Vec<f64>,
    machines: Vec<Rows>,
    /// Inner products of rows, or squared distances, over the features left.
    table: Vec<f64>,
    rounds: usize,
}

impl<'a> Products<'a> {
    /// Memory of the products and of the features.
    pub(super) fn bytes(n_rows: usize, n_features: usize) -> u64 {
        let (n, width) = (n_rows as u64, n_features as u64);
        n.saturating_mul(n.saturating_add(width)).saturating_mul(8)
    }

    pub(super) fn new(params: &'a RfeParams, data: &Dataset) -> Result<Self> {
        let columns = Columns::new(data.samples().view())?;
        let (n, width) = (columns.n_rows(), columns.n_features());
        let mut features = vec![0.0; n * width];
        columns.write(0, &mut features);
        let mut products = Self {
            params,
            n,
            features,
            machines: machines(data.classes()?),
            table: Vec::new(),
            rounds: 0,
        };
        products.refresh(&(0..width).collect::<Vec<_>>());
        Ok(products)
    }

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

    fn refresh(&mut self, left: &[usize]) {
        let mut products = vec![0.0; self.n * self.n];
        for_each_chunk(&mut products, self.n, Grain::COARSE, &|i, row| {
            for &f in left {
                let column = self.column(f);
                let own = column[i];
                for (value, &other) in row.iter_mut().zip(column) {
                    *value += self.part(own, other);
                }
            }
        });
        self.table = products;
    }

    /// Takes dropped features out of the products.
    fn take_out(&mut self, dropped: &[usize]) {
        let mut products = std::mem::take(&mut self.table);
        for_each_chunk(&mut products, self.n, Grain::COARSE, &|i, row| {
            for &f in dropped {
                let column = self.column(f);
                let own = column[i];
                for (value, &other) in row.iter_mut().zip(column) {
                    *value -= self.part(own, other);
                }
            }
        });
        self.table = products;
    }

    fn kernel(&self, product: f64) -> f64 {
        match self.params.kernel {
            RfeKernel::Linear => product,
            RfeKernel::Gaussian { gamma } => (-gamma * product.max(0.0)).exp(),
        }
    }

    /// Multipliers of every machine.
    fn train(&self) -> Result<(Vec<Vec<f64>>, Status)> {
        let limits = Limits {
            tolerance: self.params.tolerance,
            max_iterations: None,
            max_seconds: None,
            shrinking: true,
        };
        let solvers = Spares::<SmallSvc>::new();
        let n_machines = self.machines.len();
        let trained: Vec<(Vec<f64>, Status)> = try_map(n_machines, Grain::COARSE, &|number| {
            let machine = &self.machines[number];
            solvers.lend(|svc| {
                let size = machine.rows.len();
                let matrix = svc.gram_mut(size);
                for (row, &i) in matrix.chunks_exact_mut(size).zip(&machine.rows) {
                    for (value, &j) in row.iter_mut().zip(&machine.rows) {
                        *value = self.kernel(self.table[i * self.n + j]) as f32;
                    }
                }
                let costs = Costs::Uniform(self.params.cost);
                let solved = svc.solve(&machine.signs, costs, &limits)?;
                Ok((solved.coefficients.to_vec(), solved.status))
            })
        })?;
        let mut all = Vec::with_capacity(trained.len());
        let mut worst = Status::Converged;
        for (coefficients, status) in trained {
            worst = worst.and(status);
            all.push(coefficients);
        }
        Ok((all, worst))
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
                        let value = self.kernel(self.table[i * self.n + j]);
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
}

impl Judge for Products<'_> {
    fn criteria(&mut self, left: &[usize]) -> Result<(Vec<f64>, Status)> {
        let (multipliers, status) = self.train()?;
        let criterion = |&f: &usize| {
            let column = self.column(f);
            let of = |(machine, beta): (&Rows, &Vec<f64>)| self.criterion(column, machine, beta);
            self.machines.iter().zip(&multipliers).map(of).sum()
        };
        let criteria = concat(left.len(), 16, &|part| {
            left[part].iter().map(criterion).collect()
        });
        Ok((criteria, status))
    }

    fn drop_features(&mut self, gone: &[usize], left: &[usize]) {
        self.rounds += 1;
        if self.rounds.is_multiple_of(REFRESH) || gone.len() > left.len() / 2 {
            self.refresh(left);
        } else {
            self.take_out(gone);
        }
    }
}
