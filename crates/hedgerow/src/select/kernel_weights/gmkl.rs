//! GMKL: the weights minimise the optimum of the SVM with the hinge.
//!
//! $\min_{z \ge 0} F(z) + \mu\sum_l z_l$ with $F(z) = \max_\alpha \sum_i \alpha_i - \tfrac12 \beta^\top
//! K(z)\beta$, $\beta_i = y_i\alpha_i$; by Danskin's theorem $\partial F/\partial z_l = -\tfrac12
//! \beta^\top \tfrac{\partial K}{\partial z_l}\beta$ at the optimal $\beta$. Steps go down the gradient,
//! projected on $z \ge 0$, as far as Armijo's rule allows.

use super::alternate::{Found, Search};
use super::block::{FeatureBlock, Norm};
use super::machine::{Losses, Machine};
use crate::machines::small::{Costs, SmallSvc};
use crate::solve::smo::Limits;
use crate::solve::smooth::Smooth;
use crate::{Result, Status};

/// Share of the decrease that the gradient promises which a step must keep.
const ARMIJO: f64 = 1e-4;
/// Halvings of a step before the search ends.
const HALVINGS: usize = 30;
/// Decrease of the objective, relative to it, that ends the search.
const LEAST_DECREASE: f64 = 1e-3;
/// Steps of so small a decrease, one after the other, that do.
const PATIENCE: usize = 3;
/// Largest violation of optimality of the inner machine.
const INNER_TOLERANCE: f64 = 1e-5;

/// $F(z) + \mu\sum z$ and what it was computed from.
struct Outer {
    value: f64,
    machine: Machine,
}

impl Search<'_> {
    pub(super) fn gmkl(&self, start: Vec<f64>) -> Result<Found> {
        let mut variables = start;
        let mut svc = SmallSvc::new();
        let mut at = self.outer(&variables, &mut svc)?;
        let first = self.machine(&variables, None)?;
        let mut trace = vec![self.step(&variables, &first, self.omega(&first, &variables))?];
        let (mut step, mut calm) = (f64::NAN, 0);
        let mut status = Status::IterationLimit;
        for _ in 0..self.params.max_full_steps {
            let gradient = self.outer_gradient(&variables, &at.machine);
            if step.is_nan() {
                // As far as the weights are large.
                let size = |v: &[f64]| v.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
                step = size(&variables) / size(&gradient).max(f64::MIN_POSITIVE);
            }
            let mut accepted = None;
            for _ in 0..HALVINGS {
                let moved = variables.iter().zip(&gradient);
                let trial: Vec<f64> = moved.map(|(v, g)| (v - step * g).max(0.0)).collect();
                let terms = gradient.iter().zip(variables.iter().zip(&trial));
                let promised: f64 = terms.map(|(g, (v, t))| g * (v - t)).sum();
                let next = self.outer(&trial, &mut svc)?;
                if next.value <= at.value - ARMIJO * promised {
                    accepted = Some((trial, next));
                    break;
                }
                step *= 0.5;
            }
            let Some((trial, next)) = accepted else {
                status = Status::Converged;
                break;
            };
            let decrease = at.value - next.value;
            (variables, at) = (trial, next);
            step *= 2.0;
            calm = if decrease <= LEAST_DECREASE * at.value.abs() {
                calm + 1
            } else {
                0
            };
            if calm >= PATIENCE || variables.iter().all(|&v| v == 0.0) {
                status = Status::Converged;
                break;
            }
        }
        let machine = self.machine(&variables, None)?;
        let objective = self.omega(&machine, &variables);
        trace.push(self.step(&variables, &machine, objective)?);
        Ok(Found {
            variables,
            objective,
            machine,
            trace,
            status,
        })
    }

    fn outer(&self, variables: &[f64], svc: &mut SmallSvc) -> Result<Outer> {
        let points = self.problem.points;
        let Losses { signs, cost, .. } = self.problem.losses;
        let (n, width) = (points.n, points.d);
        let weights = self.weights(variables);
        let all: Vec<u32> = (0..width as u32).collect();
        let rows = points.gather(0..n, &all, Some(&weights));
        let matrix = self.problem.kernel.matrix(&rows, &rows, width);
        for (out, value) in svc.gram_mut(n).iter_mut().zip(&matrix) {
            *out = *value as f32;
        }
        let labels: Vec<i8> = signs
            .iter()
            .map(|&y| if y > 0.0 { 1 } else { -1 })
            .collect();
        let limits = Limits {
            tolerance: INNER_TOLERANCE,
            max_iterations: None,
            max_seconds: None,
            shrinking: false,
        };
        let solved = svc.solve(&labels, Costs::Uniform(cost), &limits)?;
        let basis: Vec<usize> = (0..n).filter(|&i| solved.coefficients[i] != 0.0).collect();
        let coefficients: Vec<f64> = basis.iter().map(|&i| solved.coefficients[i]).collect();
        let mut norm = 0.0;
        for (&i, a) in basis.iter().zip(&coefficients) {
            let terms = basis.iter().zip(&coefficients);
            norm += a * terms.map(|(&j, b)| b * matrix[i * n + j]).sum::<f64>();
        }
        let sum: f64 = coefficients.iter().map(|beta| beta.abs()).sum();
        let penalty = self.problem.mu * variables.iter().sum::<f64>();
        Ok(Outer {
            value: sum - 0.5 * norm + penalty,
            machine: Machine {
                basis,
                coefficients,
                bias: -solved.rho,
                norm,
                objective: sum - 0.5 * norm,
                status: solved.status,
            },
        })
    }

    /// With the losses at 0 what is left of the derivative of $\Omega$ is that of half the norm;
    /// $F$ has its negative.
    fn outer_gradient(&self, variables: &[f64], machine: &Machine) -> Vec<f64> {
        let mu = self.problem.mu;
        if machine.basis.is_empty() {
            return vec![mu; variables.len()];
        }
        let mut problem = self.problem;
        problem.losses.cost = 0.0;
        let mut block = FeatureBlock::new(problem, machine, Norm::Live, false);
        let mut gradient = vec![0.0; variables.len()];
        block.value_gradient(variables, &mut gradient);
        gradient.iter().map(|g| 2.0 * mu - g).collect()
    }
}
