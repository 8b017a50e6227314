//! Two-class machines for many small problems, one after the other.
//!
//! A local method solves thousands of problems of a few hundred rows. [`SmallSvc`] keeps all
//! buffers from one to the next: after the first problem of a size nothing is allocated.

pub use super::small_regression::SmallSvr;

use super::binary::snap;
use crate::solve::smo::{DenseSolver, Limits, Problem, Solution};
use crate::{Error, Result, Status};
use std::ops::Range;

/// Costs of the rows of a small problem.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Costs<'a> {
    /// One cost for all.
    Uniform(f64),
    /// One cost for positive, one for negative rows.
    PerClass {
        /// Cost of rows with label +1.
        positive: f64,
        /// Cost of rows with label −1.
        negative: f64,
    },
    /// A cost for every row.
    PerRow(&'a [f64]),
}

impl Costs<'_> {
    fn of(&self, row: usize, positive_label: bool) -> f64 {
        match *self {
            Self::Uniform(cost) => cost,
            Self::PerClass { positive, negative } => {
                if positive_label {
                    positive
                } else {
                    negative
                }
            }
            Self::PerRow(costs) => costs[row],
        }
    }
}

/// A solved small problem: $f(x) = \sum_i \beta_i K(x_i, x) - \rho$.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SmallMachine<'a> {
    /// $\beta_i = y_i \alpha_i$ of every row.
    pub coefficients: &'a [f64],
    /// The threshold.
    pub rho: f64,
    /// $f(x_i)$ of every row, those of cost 0 included: a row that was held out so is judged by a
    /// machine that does not know it.
    pub decisions: &'a [f64],
    /// Dual objective.
    pub objective: f64,
    /// Pair updates, and steps of second order.
    pub iterations: u64,
    /// Why the solver stopped.
    pub status: Status,
}

/// C-SVC on a kernel matrix that is already computed, with reusable buffers.
///
/// ```
/// use hedgerow::solve::smo::Limits;
/// use hedgerow::machines::small::{Costs, SmallSvc};
///
/// let mut svc = SmallSvc::new();
/// svc.gram_mut(2).copy_from_slice(&[1.0, -1.0, -1.0, 1.0]);
/// let limits = Limits { tolerance: 1e-6, max_iterations: None, max_seconds: None, shrinking: false };
/// let machine = svc.solve(&[1, -1], Costs::Uniform(10.0), &limits)?;
/// assert_eq!(machine.coefficients, [0.5, -0.5]);
/// assert_eq!(machine.rho, 0.0);
/// # Ok::<(), hedgerow::Error>(())
/// ```
#[derive(Debug)]
pub struct SmallSvc {
    solver: DenseSolver,
    order: usize,
    problem: Problem,
    solution: Solution,
    decisions: Vec<f64>,
}

impl Default for SmallSvc {
    fn default() -> Self {
        Self::new()
    }
}

impl SmallSvc {
    /// A workspace without buffers.
    pub fn new() -> Self {
        Self {
            solver: DenseSolver::new(),
            order: 0,
            problem: Problem {
                linear: Vec::new(),
                lower: Vec::new(),
                upper: Vec::new(),
                start: Vec::new(),
                groups: None,
            },
            solution: Solution {
                beta: Vec::new(),
                gradient: Vec::new(),
                objective: 0.0,
                iterations: 0,
                status: Status::Converged,
            },
            decisions: Vec::new(),
        }
    }

    /// The kernel matrix of `n` rows, row-major, to be written by the caller before
    /// [`SmallSvc::solve`]. What stood there before is undefined.
    pub fn gram_mut(&mut self, n: usize) -> &mut [f32] {
        self.order = n;
        &mut self.solver.matrix_mut(n)[..n * n]
    }

    /// The kernel matrix written last.
    pub fn gram(&self) -> &[f32] {
        self.solver.matrix()
    }

    /// Solves for labels that are positive or not (+1 / −1), on the matrix written last. The same
    /// matrix may be solved again with other labels or costs. Labels of one sign only give the
    /// constant ±1 without any pair update.
    pub fn solve(
        &mut self,
        labels: &[i8],
        costs: Costs<'_>,
        limits: &Limits,
    ) -> Result<SmallMachine<'_>> {
        self.solve_from(&[], labels, costs, limits)
    }

    /// As [`SmallSvc::solve`], from coefficients that are not far from the solution. They must sum
    /// to 0; what lies outside its bounds by rounding is put on them. No coefficients: from 0.
    pub fn solve_from(
        &mut self,
        start: &[f64],
        labels: &[i8],
        costs: Costs<'_>,
        limits: &Limits,
    ) -> Result<SmallMachine<'_>> {
        if labels.len() != self.order {
            return Err(Error::Shape {
                what: "labels for the kernel matrix",
                expected: self.order,
                found: labels.len(),
            });
        }
        self.pose(start, labels, costs)?;
        self.solver
            .solve_into(&self.problem, limits, &mut self.solution);
        Ok(self.finish())
    }

    /// As [`SmallSvc::solve`] on a kernel matrix with the given diagonal, whose other entries
    /// `write_rows(rows, out)` writes, some rows at a time, as they are asked for. The matrix cannot
    /// be used again.
    pub fn solve_by_rows(
        &mut self,
        diagonal: &[f32],
        write_rows: &mut dyn FnMut(Range<usize>, &mut [f32]),
        labels: &[i8],
        costs: Costs<'_>,
        limits: &Limits,
    ) -> Result<SmallMachine<'_>> {
        if labels.len() != diagonal.len() {
            return Err(Error::Shape {
                what: "labels for the kernel matrix",
                expected: diagonal.len(),
                found: labels.len(),
            });
        }
        // Nothing that solve() could work on.
        self.order = 0;
        self.pose(&[], labels, costs)?;
        let (problem, solution) = (&self.problem, &mut self.solution);
        self.solver
            .solve_by_rows(diagonal, write_rows, problem, limits, solution);
        Ok(self.finish())
    }

    /// Writes the problem down.
    fn pose(&mut self, start: &[f64], labels: &[i8], costs: Costs<'_>) -> Result<()> {
        let n = labels.len();
        if n == 0 {
            return Err(Error::NoRows);
        }
        let n_costs = match costs {
            Costs::PerRow(costs) => costs.len(),
            _ => n,
        };
        let n_start = if start.is_empty() { n } else { start.len() };
        for (what, found) in [("costs", n_costs), ("coefficients to start from", n_start)] {
            if found != n {
                return Err(Error::Shape {
                    what,
                    expected: n,
                    found,
                });
            }
        }
        let problem = &mut self.problem;
        for values in [
            &mut problem.linear,
            &mut problem.lower,
            &mut problem.upper,
            &mut problem.start,
        ] {
            values.clear();
            values.resize(n, 0.0);
        }
        for (i, &label) in labels.iter().enumerate() {
            let cost = costs.of(i, label > 0);
            crate::error::ensure_not_negative("cost", cost)?;
            if label > 0 {
                problem.linear[i] = -1.0;
                problem.upper[i] = cost;
            } else {
                problem.linear[i] = 1.0;
                problem.lower[i] = -cost;
            }
            if let Some(&beta) = start.get(i) {
                problem.start[i] = beta.clamp(problem.lower[i], problem.upper[i]);
            }
        }
        Ok(())
    }

    /// The machine that the solution says.
    fn finish(&mut self) -> SmallMachine<'_> {
        snap(&self.problem, &mut self.solution);
        let rho = self.solution.multiplier(&self.problem, 0);
        self.decisions.clear();
        let terms = self.solution.gradient.iter().zip(&self.problem.linear);
        self.decisions
            .extend(terms.map(|(gradient, linear)| gradient - linear - rho));
        SmallMachine {
            coefficients: &self.solution.beta,
            rho,
            decisions: &self.decisions,
            objective: self.solution.objective,
            iterations: self.solution.iterations,
            status: self.solution.status,
        }
    }
}
