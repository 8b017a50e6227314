//! Newton's method with conjugate gradients for linear learners with a smooth loss.
//!
//! $$f(w) = \tfrac12\|w\|^2 + \sum_i C_i\,\ell(y_i \langle w, x_i\rangle), \qquad
//!   \ell(m) = \max(0, 1 - m)^2 \text{ or } \ln(1 + e^{-m}).$$
//!
//! Every step solves $H s = -g$, $H = I + X^\top D X$, roughly by preconditioned conjugate gradients
//! without forming $H$, or exactly where forming it is cheaper ([`super::hessian`]), and then looks for a length $\omega \in \{1, \tfrac12, \tfrac14, \dots\}$
//! with $f(w + \omega s) \le f(w) + \eta\,\omega\, g^\top s$. Margins along $s$ are linear in $\omega$, so a
//! trial costs one number a row and no pass over the data.
//!
//! | paper (Galli and Lin 2022; Hsia, Chiang and Lin 2018) | here |
//! |---|---|
//! | $z_i = \langle w, x_i\rangle$ | `decisions` |
//! | $D_{ii}$ | `curvatures` |
//! | $M = (1 - \alpha) I + \alpha\,\mathrm{diag}(H)$ | `preconditioner` |
//! | $\xi$ | `CG_TOLERANCE` |
//! | $\eta$ | `SUFFICIENT` |
//! | $\varepsilon$: stop at $\|g\| \le \varepsilon' \|g(0)\|$, $\varepsilon' = \varepsilon\,\min(n_+, n_-)/n$ | `tolerance` |
//!
//! A small gradient relative to the first may still be far from the optimum. So the rest of the way,
//! which the last two decreases foretell as if they were a geometric series, must be a small share of
//! the objective too, unless $\tfrac12 \|g\|^2$, the duality gap, is.
//!
//! Sums over rows are taken in a fixed number of blocks that are joined in order, so that the
//! answer does not depend on the number of threads.

use super::conjugate::{ConjugateLimits, conjugate_gradients};
use super::hessian::{Hessian, HessianRows};
use crate::Status;
use crate::linalg::{
    Extended, LinearRows, LossRows, add_curvature, add_derivatives, dot, logistic_slopes,
    logistic_sum, row_products, squared_hinge_slopes, squared_hinge_sum, with_store,
};
use crate::parallel::{Grain, for_each, map};
use std::ops::Range;
use std::time::Instant;

/// Blocks that sums over rows are cut into.
const BLOCKS: usize = 8;
/// Fewest rows of a block.
const MIN_BLOCK: usize = 1024;
/// Fewest values of a block, in lengths of the vector that it sums them into.
const MIN_DENSITY: usize = 16;
/// Share of the residual that conjugate gradients leave. Directions that are much rougher make
/// decreases irregular, and what they foretell wrong.
const CG_TOLERANCE: f64 = 0.1;
/// Products with the Hessian that conjugate gradients are expected to need in the first step.
const FIRST_PRODUCTS: usize = 3;
/// Share of the objective, in tolerances, that the rest of the way to the optimum may be.
const REMAINDER: f64 = 0.005;
/// Share of the promised decrease that a step must keep.
const SUFFICIENT: f64 = 0.01;
/// Weight of the Hessian's diagonal in the preconditioner.
const DIAGONAL_SHARE: f64 = 0.01;
/// Halvings after which a step is given up: the rest is rounding.
const MAX_HALVINGS: usize = 20;
/// Relative decrease below which nothing but rounding is left.
const STALLED: f64 = 1e-15;

/// A smooth loss of the margin $m = y f(x)$.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SmoothLoss {
    /// $\max(0, 1 - m)^2$.
    SquaredHinge,
    /// $\ln(1 + e^{-m})$.
    Logistic,
}

impl SmoothLoss {
    /// The loss.
    pub fn value(self, margin: f64) -> f64 {
        match self {
            Self::SquaredHinge => {
                let short = (1.0 - margin).max(0.0);
                short * short
            }
            // The form whose exponential cannot overflow.
            Self::Logistic if margin >= 0.0 => (-margin).exp().ln_1p(),
            Self::Logistic => margin.exp().ln_1p() - margin,
        }
    }
}

/// A two-class problem on some rows.
#[derive(Debug, Clone, Copy)]
pub struct PrimalProblem<'a> {
    /// All rows.
    pub rows: &'a LinearRows<'a>,
    /// The rows that take part.
    pub members: &'a [u32],
    /// $y_i$, +1 or −1, of each member.
    pub signs: &'a [f64],
    /// $C_i \ge 0$ of each member.
    pub costs: &'a [f64],
    /// The loss.
    pub loss: SmoothLoss,
    /// Value of the constant feature; `None` for a hyperplane through the origin.
    pub bias: Option<f64>,
    /// Whether the weight of the constant feature is regularised like the others.
    pub regularised_bias: bool,
}

/// When to stop.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NewtonLimits {
    /// Largest norm of the gradient, relative to that at 0 and to the share of the smaller class.
    pub tolerance: f64,
    /// Largest number of Newton steps.
    pub max_steps: u32,
    /// Largest wall-clock time, looked at between steps.
    pub max_seconds: Option<f64>,
}

/// What the solver found.
#[derive(Debug, Clone, PartialEq)]
pub struct NewtonSolution {
    /// $w$, one weight a feature.
    pub weights: Vec<f64>,
    /// What to add to $\langle w, x\rangle$.
    pub intercept: f64,
    /// Value of the objective.
    pub objective: f64,
    /// Norm of the gradient.
    pub gradient_norm: f64,
    /// Newton steps.
    pub steps: u32,
    /// Why it stopped.
    pub status: Status,
}

/// Solves a problem from $w = 0$.
pub fn solve(problem: &PrimalProblem<'_>, limits: &NewtonLimits) -> NewtonSolution {
    let began = Instant::now();
    let mut state = State::new(problem);
    let mut value = state.value(&state.decisions, &state.weights);
    state.derive();
    let first_norm = norm(&state.gradient);
    let counted = |sign: f64| {
        let of_sign = |(s, c): &(&f64, &f64)| **s == sign && **c > 0.0;
        problem
            .signs
            .iter()
            .zip(problem.costs)
            .filter(of_sign)
            .count()
    };
    let (positive, negative) = (counted(1.0), counted(-1.0));
    let share = positive.min(negative).max(1) as f64 / (positive + negative).max(1) as f64;
    let goal = limits.tolerance * share * first_norm;
    let mut gradient_norm = first_norm;
    let mut steps = 0;
    let mut last_decreases = [f64::INFINITY; 2];
    let status = loop {
        // A point without any gradient is optimal whatever the goal.
        let certain = 0.5 * gradient_norm * gradient_norm;
        let rest = remainder(last_decreases).min(certain);
        if gradient_norm <= goal && rest <= REMAINDER * limits.tolerance * value
            || gradient_norm == 0.0
        {
            break Status::Converged;
        }
        if steps >= limits.max_steps {
            break Status::IterationLimit;
        }
        let late = |most: f64| began.elapsed().as_secs_f64() > most;
        if limits.max_seconds.is_some_and(late) {
            break Status::TimeLimit;
        }
        let step = state.direction();
        let Some(next) = state.search(&step, value) else {
            // No length lowers the objective any more: as good as this arithmetic gets.
            break Status::Converged;
        };
        steps += 1;
        let decrease = value - next;
        last_decreases = [last_decreases[1], decrease];
        value = next;
        state.derive();
        gradient_norm = norm(&state.gradient);
        if decrease <= STALLED * value.abs() {
            break Status::Converged;
        }
    };
    let constant = state.weights[state.width];
    let intercept = constant * state.bias;
    let mut weights = state.weights;
    weights.truncate(problem.rows.n_features());
    NewtonSolution {
        weights,
        intercept,
        objective: value,
        gradient_norm,
        steps,
        status,
    }
}

/// The problem with what is known at the present point. Vectors have a last coordinate for the
/// constant feature.
struct State<'a> {
    problem: &'a PrimalProblem<'a>,
    block: usize,
    width: usize,
    bias: f64,
    /// Factor of the square of the constant feature's weight.
    bias_ridge: f64,
    weights: Vec<f64>,
    /// $\langle w, x_i\rangle$ with the constant feature.
    decisions: Vec<f64>,
    curvatures: Vec<f64>,
    gradient: Vec<f64>,
    preconditioner: Vec<f64>,
    /// `None` if there are too many features, or rounding has spoilt it.
    hessian: Option<Hessian>,
    /// Products with the Hessian that conjugate gradients needed last.
    products: usize,
}

/// What decreases that go on as a geometric series will still bring.
fn remainder([before, last]: [f64; 2]) -> f64 {
    if before.is_finite() && last < before {
        last * last / (before - last)
    } else {
        f64::INFINITY
    }
}

fn norm(vector: &[f64]) -> f64 {
    dot(vector, vector).sqrt()
}

impl<'a> State<'a> {
    fn new(problem: &'a PrimalProblem<'a>) -> Self {
        let n = problem.members.len();
        let width = problem.rows.width();
        let has_bias = problem.bias.is_some();
        let share = n as f64 / problem.rows.n_rows().max(1) as f64;
        let stored = (problem.rows.n_stored() as f64 * share) as usize;
        // Few rows cross the margin in a step, but the curvature of logistic loss changes everywhere.
        let first_share = match problem.loss {
            SmoothLoss::SquaredHinge => 0.25,
            SmoothLoss::Logistic => 1.0,
        };
        let blocks = (stored / (MIN_DENSITY * width.max(1))).clamp(1, BLOCKS);
        Self {
            problem,
            block: n.div_ceil(blocks).max(MIN_BLOCK),
            width,
            bias: problem.bias.unwrap_or(0.0),
            bias_ridge: if problem.regularised_bias || !has_bias {
                1.0
            } else {
                0.0
            },
            weights: vec![0.0; width + 1],
            decisions: vec![0.0; n],
            curvatures: vec![0.0; n],
            gradient: vec![0.0; width + 1],
            preconditioner: vec![1.0; width + 1],
            hessian: Hessian::new(width + 1, n, first_share),
            products: FIRST_PRODUCTS,
        }
    }

    /// The objective at a point whose decision values are given.
    fn value(&self, decisions: &[f64], weights: &[f64]) -> f64 {
        let constant = weights[self.width];
        let features = &weights[..self.width];
        let loss = self.problem.loss;
        let losses = self.map_blocks(&|block| {
            let decisions = &decisions[block.clone()];
            let signs = &self.problem.signs[block.clone()];
            let costs = &self.problem.costs[block];
            match loss {
                SmoothLoss::SquaredHinge => squared_hinge_sum(decisions, signs, costs),
                SmoothLoss::Logistic => logistic_sum(decisions, signs, costs),
            }
        });
        0.5 * (dot(features, features) + self.bias_ridge * constant * constant)
            + losses.iter().sum::<f64>()
    }

    /// What the blocks of rows give, in their order.
    fn map_blocks<R: Send>(&self, of_block: &(dyn Fn(Range<usize>) -> R + Sync)) -> Vec<R> {
        let n = self.problem.members.len();
        map(n.div_ceil(self.block), Grain::COARSE, &|b| {
            of_block(b * self.block..n.min((b + 1) * self.block))
        })
    }

    /// Sums what the blocks of rows give, in their order.
    fn gather(
        &self,
        length: usize,
        of_block: impl Fn(usize, &[u32], &mut [f64]) + Sync,
    ) -> Vec<f64> {
        let parts = self.map_blocks(&|block| {
            let mut part = vec![0.0; length];
            of_block(block.start, &self.problem.members[block], &mut part);
            part
        });
        let mut parts = parts.into_iter();
        let mut sum = parts.next().unwrap_or_else(|| vec![0.0; length]);
        for part in parts {
            for (sum, value) in sum.iter_mut().zip(&part) {
                *sum += value;
            }
        }
        sum
    }

    /// Gradient, curvatures and the diagonal that conjugate gradients divide by at the present point.
    fn derive(&mut self) {
        let PrimalProblem {
            signs, costs, loss, ..
        } = *self.problem;
        let mut slopes = vec![0.0; self.decisions.len()];
        let blocks = slopes
            .chunks_mut(self.block)
            .zip(self.curvatures.chunks_mut(self.block))
            .zip(self.decisions.chunks(self.block))
            .zip(signs.chunks(self.block))
            .zip(costs.chunks(self.block));
        for_each(blocks, Grain::COARSE, &|_,
                                          (
            (((slopes, curvatures), decisions), signs),
            costs,
        )| {
            let rows = LossRows {
                decisions,
                signs,
                costs,
            };
            match loss {
                SmoothLoss::SquaredHinge => squared_hinge_slopes(rows, slopes, curvatures),
                SmoothLoss::Logistic => logistic_slopes(rows, slopes, curvatures),
            }
        });
        let n = self.width + 1;
        let mut both = self.gather(2 * n, |start, rows, part| {
            let slopes = &slopes[start..start + rows.len()];
            let curvatures = &self.curvatures[start..start + rows.len()];
            let (gradient, diagonal) = part.split_at_mut(n);
            with_store!(self.problem.rows, store => add_derivatives(
                store,
                rows,
                slopes,
                curvatures,
                &mut gradient[..self.width],
                &mut diagonal[..self.width],
            ));
            gradient[self.width] = self.bias * slopes.iter().sum::<f64>();
            diagonal[self.width] = self.bias * self.bias * curvatures.iter().sum::<f64>();
        });
        for (g, w) in both.iter_mut().zip(&self.weights).take(self.width) {
            *g += w;
        }
        both[self.width] += self.bias_ridge * self.weights[self.width];
        self.preconditioner = both.split_off(n);
        for d in &mut self.preconditioner {
            *d = (1.0 - DIAGONAL_SHARE) + DIAGONAL_SHARE * (1.0 + *d);
        }
        self.gradient = both;
    }

    /// $H v$.
    fn curve(&self, vector: &[f64]) -> Vec<f64> {
        let extended = Extended {
            weights: &vector[..self.width],
            constant: vector[self.width] * self.bias,
        };
        let mut product = self.gather(self.width + 1, |start, rows, part| {
            let curvatures = &self.curvatures[start..start + rows.len()];
            let (features, constant) = part.split_at_mut(self.width);
            let sum = with_store!(self.problem.rows, store => {
                add_curvature(store, rows, curvatures, extended, features)
            });
            constant[0] = self.bias * sum;
        });
        for (p, v) in product.iter_mut().zip(vector).take(self.width) {
            *p += v;
        }
        product[self.width] += self.bias_ridge * vector[self.width];
        product
    }

    /// A solution of $H s = -g$.
    fn direction(&mut self) -> Vec<f64> {
        if let Some(step) = self.exact_direction() {
            return step;
        }
        let (step, products) = self.rough_direction();
        self.products = products;
        step
    }

    /// By the factors of the Hessian, where that is less work.
    fn exact_direction(&mut self) -> Option<Vec<f64>> {
        let hessian = self.hessian.as_mut()?;
        let active = self.curvatures.iter().filter(|&&d| d != 0.0).count();
        let rows = self.problem.rows;
        let values = rows.n_stored() as f64 / rows.n_rows().max(1) as f64;
        let visits = self.products as f64 * active as f64 * values;
        let add_row = |i: usize, factor: f64, sum: &mut [f64]| rows.add(i, factor, sum);
        let rows = HessianRows {
            add_row: &add_row,
            members: self.problem.members,
            curvatures: &self.curvatures,
            bias: self.bias,
            order: self.width + 1,
        };
        if !hessian.update(&rows, visits) {
            return None;
        }
        let step = hessian.newton_step(&self.gradient, self.bias_ridge);
        if step.is_none() {
            self.hessian = None;
        }
        step
    }

    /// Roughly, by conjugate gradients; with the number of products that it took.
    fn rough_direction(&self) -> (Vec<f64>, usize) {
        let limits = ConjugateLimits {
            tolerance: CG_TOLERANCE,
            max_products: (self.width + 1).max(8),
        };
        conjugate_gradients(&self.gradient, &self.preconditioner, &limits, |search| {
            self.curve(search)
        })
    }

    /// Goes along a direction as far as the objective falls enough; its new value, or `None`.
    fn search(&mut self, step: &[f64], value: f64) -> Option<f64> {
        let mut along = vec![0.0; self.decisions.len()];
        let constant = step[self.width] * self.bias;
        let blocks = along.chunks_mut(self.block);
        let blocks = blocks.zip(self.problem.members.chunks(self.block));
        for_each(blocks, Grain::COARSE, &|_, (along, rows)| {
            let features = &step[..self.width];
            with_store!(self.problem.rows, store => row_products(store, rows, features, along));
            for value in along {
                *value += constant;
            }
        });
        let slope = dot(step, &self.gradient);
        if slope.is_nan() || slope >= 0.0 {
            return None;
        }
        let mut length = 1.0;
        for _ in 0..MAX_HALVINGS {
            let move_along = |(from, by): (&f64, &f64)| from + length * by;
            let decisions: Vec<f64> = self.decisions.iter().zip(&along).map(move_along).collect();
            let weights: Vec<f64> = self.weights.iter().zip(step).map(move_along).collect();
            let next = self.value(&decisions, &weights);
            if next <= value + SUFFICIENT * length * slope {
                self.decisions = decisions;
                self.weights = weights;
                return Some(next);
            }
            length *= 0.5;
        }
        None
    }
}
