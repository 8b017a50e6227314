//! One two-class machine.

use super::cached_gram::CachedGram;
use super::sigmoid::{CALIBRATION_FOLDS, Sigmoid, calibration_folds};
use super::{SolverParams, Task};
use crate::data::{Generator, Samples, SamplesView};
use crate::kernel::{Gram, Kernel, linear_value, linear_weights};
use crate::linalg::dot;
use crate::solve::smo::{self, DenseSolver, Limits, Problem, Solution};
use crate::{Error, Result, Status};
use std::time::Instant;

/// Share of its box by which a variable may miss a bound.
const SNAP_SHARE: f64 = 1e-12;
/// Scale below which a solution of ν-SVC is one that separates nothing.
const TINY_SCALE: f64 = 1e-12;

/// Largest number of kernel values that are computed once more to refine a solution.
const MAX_REFINED: usize = 1 << 20;
/// Rows of one batch of them.
const REFINED_ROWS: usize = 48;

/// Where and how machines of one fit are solved.
pub(crate) struct Workshop<'a> {
    pub(crate) kernel: &'a Kernel,
    pub(crate) view: SamplesView<'a>,
    pub(crate) solver: &'a SolverParams,
    /// Kernel cache of one machine.
    cache_bytes: usize,
    /// Whether a machine is solved by one thread, because many are solved at once.
    sequential: bool,
    pub(crate) start: Instant,
    /// Rows relative to their mean, for a linear kernel on dense rows whose coefficients sum to 0.
    centred: Option<Samples>,
}

impl<'a> Workshop<'a> {
    pub(crate) fn new(
        kernel: &'a Kernel,
        view: SamplesView<'a>,
        solver: &'a SolverParams,
        sums_to_zero: bool,
        start: Instant,
    ) -> Result<Self> {
        if kernel.any(&|part| needs_self_values(part)) && kernel.is_precomputed() {
            return Err(Error::KernelUse {
                kernel: kernel.to_string(),
                problem: "new rows of a kernel matrix do not hold their self-values: \
                          precompute the composed kernel instead",
            });
        }
        let centred = match view {
            SamplesView::Dense { .. } if *kernel == Kernel::Linear && sums_to_zero => {
                Some(centre(view)?)
            }
            _ => None,
        };
        Ok(Self {
            kernel,
            view,
            solver,
            cache_bytes: solver.cache_bytes,
            sequential: false,
            start,
            centred,
        })
    }

    /// Of so many that are at work at once, each with its share of the kernel cache; more than one
    /// leave the threads to each other.
    pub(crate) fn one_of(mut self, at_once: usize) -> Self {
        self.cache_bytes /= at_once.max(1);
        self.sequential = at_once > 1;
        self
    }

    /// Solves a problem whose variable `t` has the kernel row of `rows[t]`. The gradient of a
    /// linear kernel is that of plain inner products even though rows are centred for the solver.
    pub(crate) fn solve(
        &self,
        rows: &[u32],
        problem: &Problem,
        workspace: &mut DenseSolver,
    ) -> Result<Solution> {
        let view = self.centred.as_ref().map_or(self.view, Samples::view);
        let gram = Gram::new(self.kernel, view, rows.to_vec())?;
        let mut matrix = CachedGram::new(gram.sequential(self.sequential), self.cache_bytes)?;
        let limits: Limits = self.solver.limits(self.start);
        let mut solution = smo::solve(&mut matrix, problem, &limits, workspace);
        snap(problem, &mut solution);
        self.refine(rows, problem, &mut solution)?;
        if !solution.objective.is_finite() || solution.gradient.iter().any(|f| !f.is_finite()) {
            return Err(too_large(self.kernel));
        }
        Ok(solution)
    }

    /// Puts gradient and objective of a solution right, which the solver only knows to the
    /// precision of its kernel values: with a linear kernel always, because its weights are at
    /// hand; otherwise where that costs little beside the solution.
    fn refine(&self, rows: &[u32], problem: &Problem, solution: &mut Solution) -> Result<()> {
        let support: Vec<usize> = (0..rows.len())
            .filter(|&t| solution.beta[t] != 0.0)
            .collect();
        if *self.kernel == Kernel::Linear {
            let weights = |view| {
                let terms = support
                    .iter()
                    .map(|&t| (rows[t] as usize, solution.beta[t]));
                linear_weights(view, terms)
            };
            // Centred, no column far from 0 cancels in the norm.
            let centred = weights(self.centred.as_ref().map_or(self.view, Samples::view));
            let rest: f64 = support
                .iter()
                .map(|&t| solution.beta[t] * problem.linear[t])
                .sum();
            solution.objective = 0.5 * dot(&centred, &centred) + rest;
            let weights = weights(self.view);
            for (t, &i) in rows.iter().enumerate() {
                solution.gradient[t] =
                    linear_value(&weights, self.view, i as usize) + problem.linear[t];
            }
        } else if support.len() * rows.len() <= MAX_REFINED {
            let gram = Gram::in_double(self.kernel, self.view, rows.to_vec())?.sequential(true);
            solution.gradient.clone_from(&problem.linear);
            let mut values = vec![0.0f64; REFINED_ROWS * rows.len()];
            for batch in support.chunks(REFINED_ROWS) {
                let queries = gram.own_queries(batch)?;
                let mut out: Vec<&mut [f64]> =
                    values.chunks_mut(rows.len()).take(batch.len()).collect();
                gram.block_here(&queries, 0..rows.len(), &mut out);
                for (row, &t) in out.iter().zip(batch) {
                    let beta = solution.beta[t];
                    for (gradient, &value) in solution.gradient.iter_mut().zip(row.iter()) {
                        *gradient += beta * value;
                    }
                }
            }
            solution.objective =
                smo::objective(&solution.beta, &solution.gradient, &problem.linear);
        }
        Ok(())
    }
}

/// What is wrong where a solution is no number.
pub(crate) fn too_large(kernel: &Kernel) -> Error {
    Error::KernelUse {
        kernel: kernel.to_string(),
        problem: "its values on these data are too large: scale the features",
    }
}

/// Puts variables that missed a bound by rounding on it: as free ones they would pin a threshold
/// that has room to move.
pub(crate) fn snap(problem: &Problem, solution: &mut Solution) {
    for (t, beta) in solution.beta.iter_mut().enumerate() {
        let (lower, upper) = (problem.lower[t], problem.upper[t]);
        let near = SNAP_SHARE * (upper - lower);
        if *beta - lower <= near {
            *beta = lower;
        } else if upper - *beta <= near {
            *beta = upper;
        }
    }
}

/// Whether the operator needs $K(x, x)$ of its input kernel.
fn needs_self_values(kernel: &Kernel) -> bool {
    matches!(
        kernel,
        Kernel::Local { .. } | Kernel::RadialOf { .. } | Kernel::AngleOf { .. }
    )
}

/// The samples minus their mean, so that columns far from 0 do not drown what varies in them.
fn centre(view: SamplesView<'_>) -> Result<Samples> {
    let (n_rows, n_features) = (view.n_rows(), view.n_features());
    let mut means = vec![0.0; n_features];
    for i in 0..n_rows {
        view.row(i)
            .for_each(|f, value| means[f] += value / n_rows as f64);
    }
    let mut values = Vec::with_capacity(n_rows * n_features);
    for i in 0..n_rows {
        view.row(i)
            .for_each(|f, value| values.push(value - means[f]));
    }
    Samples::dense(n_rows, n_features, values)
}

/// What is minimised.
pub(crate) struct Objective {
    /// $C_i$ of every row of the data; with ν its weight.
    pub(crate) bounds: Vec<f64>,
    /// ν, for ν-SVC.
    pub(crate) nu: Option<f64>,
}

/// A solved problem.
pub(crate) struct Solved {
    /// Coefficient of each row of the task.
    pub(crate) coefficients: Vec<f64>,
    /// The solution itself, before ν-SVC's scaling.
    pub(crate) beta: Vec<f64>,
    pub(crate) rho: f64,
    pub(crate) objective: f64,
    pub(crate) iterations: u64,
    pub(crate) status: Status,
    /// Coefficients at their bound.
    pub(crate) bounded: usize,
    pub(crate) sigmoid: Option<Sigmoid>,
}

impl Objective {
    /// The largest ν that the class sizes of a task allow.
    pub(crate) fn nu_limit(&self, task: &Task) -> f64 {
        let weight = |rows: &[u32]| rows.iter().map(|&i| self.bounds[i as usize]).sum::<f64>();
        let (positive, negative) = task.rows.split_at(task.n_positive);
        let (positive, negative) = (weight(positive), weight(negative));
        2.0 * positive.min(negative) / (positive + negative)
    }

    /// The dual problem; rows marked in `held_out` are kept at 0, so that their decision values
    /// come with the gradient.
    fn problem(&self, task: &Task, held_out: Option<&[bool]>) -> Problem {
        let n = task.rows.len();
        let is_out = |t: usize| held_out.is_some_and(|out| out[t]);
        let bound = |t: usize| {
            if is_out(t) {
                0.0
            } else {
                self.bounds[task.rows[t] as usize]
            }
        };
        let mut problem = Problem {
            linear: vec![0.0; n],
            lower: vec![0.0; n],
            upper: vec![0.0; n],
            start: vec![0.0; n],
            groups: None,
        };
        for t in 0..n {
            if t < task.n_positive {
                problem.upper[t] = bound(t);
            } else {
                problem.lower[t] = -bound(t);
            }
        }
        let Some(nu) = self.nu else {
            for t in 0..n {
                problem.linear[t] = -task.sign(t);
            }
            return problem;
        };
        problem.groups = Some((0..n).map(|t| u8::from(t >= task.n_positive)).collect());
        let sum = |range: std::ops::Range<usize>| range.map(bound).sum::<f64>();
        let (positive, negative) = (sum(0..task.n_positive), sum(task.n_positive..n));
        // Folds of a feasible problem may be a little less balanced than the whole.
        let share = (nu * (positive + negative) / 2.0)
            .min(positive)
            .min(negative);
        for range in [0..task.n_positive, task.n_positive..n] {
            let mut rest = share;
            for t in range {
                let taken = rest.min(bound(t));
                problem.start[t] = task.sign(t) * taken;
                rest -= taken;
            }
        }
        problem
    }
}

/// Threshold and scale of a solution: decision values are $(F_t - p_t - \rho) / r$.
fn threshold(problem: &Problem, solution: &Solution) -> (f64, f64) {
    if problem.groups.is_none() {
        return (solution.multiplier(problem, 0), 1.0);
    }
    let (first, second) = (
        solution.multiplier(problem, 0),
        solution.multiplier(problem, 1),
    );
    let scale = (first - second) / 2.0;
    // Classes that cannot be told apart leave no margin to scale by.
    let scale = if scale > TINY_SCALE { scale } else { 1.0 };
    (f64::midpoint(first, second), scale)
}

/// Trains one machine, from a feasible `start` if there is one.
pub(crate) fn train(
    workshop: &Workshop<'_>,
    objective: &Objective,
    task: &Task,
    start: Option<Vec<f64>>,
    workspace: &mut DenseSolver,
) -> Result<Solved> {
    let mut problem = objective.problem(task, None);
    if let Some(start) = start {
        problem.start = start;
    }
    let solution = workshop.solve(&task.rows, &problem, workspace)?;
    let (rho, scale) = threshold(&problem, &solution);
    let bounded = (0..task.rows.len())
        .filter(|&t| solution.beta[t].abs() >= objective.bounds[task.rows[t] as usize])
        .count();
    Ok(Solved {
        coefficients: solution.beta.iter().map(|beta| beta / scale).collect(),
        beta: solution.beta,
        rho: rho / scale,
        objective: solution.objective / (scale * scale),
        iterations: solution.iterations,
        status: solution.status,
        bounded,
        sigmoid: None,
    })
}

/// Fits a sigmoid to the decision values that rows get from machines trained without them.
pub(crate) fn calibrate(
    workshop: &Workshop<'_>,
    objective: &Objective,
    task: &Task,
    seed: u64,
    task_number: u64,
    workspace: &mut DenseSolver,
) -> Result<(Sigmoid, Status)> {
    let n = task.rows.len();
    let n_negative = n - task.n_positive;
    if task.n_positive.min(n_negative) < 2 {
        // Some fold would have to learn from one class.
        return Ok((
            Sigmoid::prior(task.n_positive, n_negative),
            Status::Converged,
        ));
    }
    let mut generator = Generator::for_task(seed, task_number);
    let positive: Vec<bool> = (0..n).map(|t| t < task.n_positive).collect();
    let fold_of = calibration_folds(&positive, &mut generator);
    let mut decisions = vec![0.0; n];
    let mut status = Status::Converged;
    for fold in 0..CALIBRATION_FOLDS {
        let held_out: Vec<bool> = fold_of.iter().map(|&f| f == fold).collect();
        if !held_out.contains(&true) {
            continue;
        }
        let problem = objective.problem(task, Some(&held_out));
        let solution = workshop.solve(&task.rows, &problem, workspace)?;
        status = status.and(solution.status);
        let (rho, scale) = threshold(&problem, &solution);
        for t in (0..n).filter(|&t| held_out[t]) {
            decisions[t] = (solution.gradient[t] - problem.linear[t] - rho) / scale;
        }
    }
    Ok((Sigmoid::fit(&decisions, &positive), status))
}
