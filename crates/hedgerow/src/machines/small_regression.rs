//! ε-SVR for many small problems, one after the other.

use super::binary::snap;
use super::tube::{Tube, problem};
use crate::solve::smo::{DenseSolver, Limits};
use crate::{Error, Result, Status};

/// A solved small regression problem: $f(x) = \sum_i \beta_i K(x_i, x) - \rho$.
#[derive(Debug, Clone, PartialEq)]
pub struct SmallRegressor {
    /// $\beta_i = \alpha_i - \alpha_i^*$ of every row.
    pub coefficients: Vec<f64>,
    /// The threshold.
    pub rho: f64,
    /// Dual objective.
    pub objective: f64,
    /// Pair updates, and steps of second order.
    pub iterations: u64,
    /// Why the solver stopped.
    pub status: Status,
}

/// ε-SVR on a kernel matrix that is already computed, with a reusable matrix buffer.
#[derive(Debug, Default)]
pub struct SmallSvr {
    solver: DenseSolver,
}

impl SmallSvr {
    /// A workspace without buffers.
    pub fn new() -> Self {
        Self::default()
    }

    /// Solves for targets and a cost a row on the row-major kernel matrix of the rows. A row of
    /// cost 0 is held out.
    pub fn solve(
        &mut self,
        gram: &[f32],
        targets: &[f64],
        costs: &[f64],
        epsilon: f64,
        limits: &Limits,
    ) -> Result<SmallRegressor> {
        let n = targets.len();
        if n == 0 {
            return Err(Error::NoRows);
        }
        for (what, expected, found) in [
            ("values of the kernel matrix", n * n, gram.len()),
            ("costs", n, costs.len()),
        ] {
            if expected != found {
                return Err(Error::Shape {
                    what,
                    expected,
                    found,
                });
            }
        }
        // Every row stands for two variables, which pull up and down.
        let matrix = &mut self.solver.matrix_mut(2 * n)[..4 * n * n];
        for (i, row) in matrix.chunks_mut(2 * n).enumerate() {
            let source = &gram[(i % n) * n..(i % n + 1) * n];
            row[..n].copy_from_slice(source);
            row[n..].copy_from_slice(source);
        }
        let problem = problem(targets, costs, Tube::Width(epsilon));
        let mut solution = self.solver.solve(&problem, limits);
        snap(&problem, &mut solution);
        let (up, down) = solution.beta.split_at(n);
        Ok(SmallRegressor {
            coefficients: up.iter().zip(down).map(|(a, b)| a + b).collect(),
            rho: solution.multiplier(&problem, 0),
            objective: solution.objective,
            iterations: solution.iterations,
            status: solution.status,
        })
    }
}
