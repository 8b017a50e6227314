//! SMO on a whole matrix in memory.
//!
//! Nothing is allocated while it runs, and the buffers serve any number of problems, one after
//! the other.

use super::pair::{PairState, default_cap, objective, worst};
use super::{Limits, Problem, Solution};
use crate::Status;
use std::time::Instant;

/// Iterations between two looks at the clock.
const CLOCK_INTERVAL: u64 = 4096;

/// Solver for problems whose matrix fits in memory, with reusable buffers.
#[derive(Debug, Default)]
pub struct DenseSolver {
    matrix: Vec<f32>,
    state: PairState,
}

impl DenseSolver {
    /// A solver without buffers.
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes room for a matrix of order `n`, to be filled row by row by the caller.
    pub fn matrix_mut(&mut self, n: usize) -> &mut [f32] {
        self.matrix.resize(n * n, 0.0);
        &mut self.matrix
    }

    /// Solves a problem whose matrix was written with [`DenseSolver::matrix_mut`]. Variables of
    /// group 0 must stand before those of group 1.
    pub fn solve(&mut self, problem: &Problem, limits: &Limits) -> Solution {
        let mut solution = Solution {
            beta: Vec::new(),
            gradient: Vec::new(),
            objective: 0.0,
            iterations: 0,
            status: Status::Converged,
        };
        self.solve_into(problem, limits, &mut solution);
        solution
    }

    /// As [`DenseSolver::solve`], into the buffers of an earlier solution.
    pub fn solve_into(&mut self, problem: &Problem, limits: &Limits, solution: &mut Solution) {
        let n = problem.linear.len();
        let state = &mut self.state;
        state.beta.clone_from(&problem.start);
        state.lower.clone_from(&problem.lower);
        state.upper.clone_from(&problem.upper);
        state.gradient.clone_from(&problem.linear);
        for (t, &value) in problem.start.iter().enumerate() {
            if value != 0.0 {
                let row = &self.matrix[t * n..(t + 1) * n];
                for (f, &k) in state.gradient.iter_mut().zip(row) {
                    *f += value * f64::from(k);
                }
            }
        }
        state.diagonal.clear();
        state
            .diagonal
            .extend((0..n).map(|t| self.matrix[t * n + t]));
        state.active = n;
        state.split = match &problem.groups {
            Some(groups) => groups.partition_point(|&group| group == 0),
            None => n,
        };
        state.refresh();
        let (iterations, status) = self.run(limits);
        solution.iterations = iterations;
        solution.status = status;
        solution.beta.clone_from(&self.state.beta);
        solution.gradient.clone_from(&self.state.gradient);
        solution.objective = objective(&solution.beta, &solution.gradient, &problem.linear);
    }

    fn run(&mut self, limits: &Limits) -> (u64, Status) {
        let n = self.state.beta.len();
        let start = Instant::now();
        let cap = limits.max_iterations.unwrap_or_else(|| default_cap(n));
        let mut scans = self.state.scan();
        let mut iterations = 0;
        loop {
            let (group, violation) = worst(&scans);
            if violation < limits.tolerance || violation.is_nan() {
                return (iterations, Status::Converged);
            }
            if iterations >= cap {
                return (iterations, Status::IterationLimit);
            }
            if iterations % CLOCK_INTERVAL == CLOCK_INTERVAL - 1
                && limits
                    .max_seconds
                    .is_some_and(|limit| start.elapsed().as_secs_f64() > limit)
            {
                return (iterations, Status::TimeLimit);
            }
            let i = scans[group].argmax_up;
            let row_i = &self.matrix[i * n..(i + 1) * n];
            let Some(j) = self.state.partner(i, group, &scans[group], row_i) else {
                return (iterations, Status::Converged);
            };
            let row_j = &self.matrix[j * n..(j + 1) * n];
            let step = self.state.take_step(i, j, row_i[j]);
            scans = self.state.update(row_i, row_j, step);
            iterations += 1;
        }
    }
}
