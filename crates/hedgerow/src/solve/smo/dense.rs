//! SMO on a whole matrix in memory.
//!
//! Nothing is allocated while it runs, and the buffers serve any number of problems, one after
//! the other.
//!
//! Variables that have settled at a bound are left out once: the rows and columns of the others
//! move together into a smaller matrix, which a nearer cache holds. When that has converged, all
//! variables come back, with the gradient that the multipliers imply, and have the last word.

use super::pair::{PairState, Scans, default_cap, objective, worst};
use super::{Limits, Problem, Solution};
use crate::Status;
use std::time::Instant;

/// Iterations between two looks at the clock.
const CLOCK_INTERVAL: u64 = 4096;

/// Smallest problem that is worth a smaller matrix.
const MIN_SHRINKABLE: usize = 128;

/// Solver for problems whose matrix fits in memory, with reusable buffers.
#[derive(Debug, Default)]
pub struct DenseSolver {
    matrix: Vec<f32>,
    state: PairState,
    /// The matrix of the variables that are left, and which they are; empty if all are.
    compact: Vec<f32>,
    left: Vec<u32>,
    /// All variables, those that were left out at their bounds included.
    beta: Vec<f64>,
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

    /// The matrix written last.
    pub fn matrix(&self) -> &[f32] {
        &self.matrix
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
        self.state.beta.clone_from(&problem.start);
        self.left.clear();
        self.take_all(problem);
        let (iterations, status) = self.run(problem, limits);
        solution.iterations = iterations;
        solution.status = status;
        solution.beta.clone_from(&self.state.beta);
        solution.gradient.clone_from(&self.state.gradient);
        solution.objective = objective(&solution.beta, &solution.gradient, &problem.linear);
    }

    /// Makes all variables active, at the values in `state.beta`.
    fn take_all(&mut self, problem: &Problem) {
        let n = problem.linear.len();
        let state = &mut self.state;
        state.lower.clone_from(&problem.lower);
        state.upper.clone_from(&problem.upper);
        state.gradient.clone_from(&problem.linear);
        for (t, &value) in state.beta.iter().enumerate() {
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
    }

    /// Leaves out the variables that are at a bound and want to stay there, if they are many.
    fn leave_out(&mut self, scans: &Scans) {
        let n = self.state.beta.len();
        let stays: Vec<u32> = (0..n)
            .filter(|&t| !self.state.is_settled(t, scans))
            .map(|t| t as u32)
            .collect();
        let m = stays.len();
        if m == 0 || 4 * m > 3 * n {
            return;
        }
        self.beta.clone_from(&self.state.beta);
        self.compact.resize(m * m, 0.0);
        for (row, &t) in self.compact.chunks_mut(m).zip(&stays) {
            let source = &self.matrix[t as usize * n..(t as usize + 1) * n];
            for (value, &u) in row.iter_mut().zip(&stays) {
                *value = source[u as usize];
            }
        }
        let state = &mut self.state;
        for values in [
            &mut state.beta,
            &mut state.gradient,
            &mut state.lower,
            &mut state.upper,
        ] {
            keep(values, &stays);
        }
        keep(&mut state.diagonal, &stays);
        state.split = stays.partition_point(|&t| (t as usize) < state.split);
        state.active = m;
        state.refresh();
        self.left = stays;
    }

    /// Undoes [`DenseSolver::leave_out`]; false if nothing was left out.
    fn bring_back(&mut self, problem: &Problem) -> bool {
        if self.left.is_empty() {
            return false;
        }
        for (&t, &value) in self.left.iter().zip(&self.state.beta) {
            self.beta[t as usize] = value;
        }
        self.left.clear();
        self.state.beta.clone_from(&self.beta);
        self.take_all(problem);
        true
    }

    fn run(&mut self, problem: &Problem, limits: &Limits) -> (u64, Status) {
        let n = problem.linear.len();
        let start = Instant::now();
        let cap = limits.max_iterations.unwrap_or_else(|| default_cap(n));
        let mut scans = self.state.scan();
        let mut iterations = 0;
        let first_look = (n / 2) as u64;
        let mut may_leave_out = limits.shrinking && n >= MIN_SHRINKABLE;
        loop {
            let (group, violation) = worst(&scans);
            let mut stop = None;
            if violation < limits.tolerance || violation.is_nan() {
                stop = Some(Status::Converged);
            } else if iterations >= cap {
                stop = Some(Status::IterationLimit);
            } else if iterations % CLOCK_INTERVAL == CLOCK_INTERVAL - 1
                && limits
                    .max_seconds
                    .is_some_and(|limit| start.elapsed().as_secs_f64() > limit)
            {
                stop = Some(Status::TimeLimit);
            }
            let step = match stop {
                Some(status) => Err(status),
                None => self.step(group, &scans).ok_or(Status::Converged),
            };
            match step {
                Ok(next) => scans = next,
                Err(status) => {
                    if self.bring_back(problem) && status == Status::Converged {
                        scans = self.state.scan();
                        continue;
                    }
                    return (iterations, status);
                }
            }
            iterations += 1;
            if may_leave_out && iterations == first_look {
                may_leave_out = false;
                self.leave_out(&scans);
                scans = self.state.scan();
            }
        }
    }

    /// One pair update; `None` if no pair promises anything.
    fn step(&mut self, group: usize, scans: &Scans) -> Option<Scans> {
        let n = self.state.beta.len();
        let matrix = if self.left.is_empty() {
            &self.matrix
        } else {
            &self.compact
        };
        let i = scans[group].argmax_up;
        let row_i = &matrix[i * n..(i + 1) * n];
        let j = self.state.partner(i, group, &scans[group], row_i)?;
        let row_j = &matrix[j * n..(j + 1) * n];
        let step = self.state.take_step(i, j, row_i[j]);
        Some(self.state.update(row_i, row_j, step))
    }
}

/// The values at the given places, which ascend.
fn keep<T: Copy>(values: &mut Vec<T>, places: &[u32]) {
    for (at, &place) in places.iter().enumerate() {
        values[at] = values[place as usize];
    }
    values.truncate(places.len());
}
