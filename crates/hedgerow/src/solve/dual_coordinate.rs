//! Dual coordinate descent for linear SVMs.
//!
//! $$\min_w \tfrac12\|w\|^2 + \sum_i C_i\,\ell(1 - y_i \langle w, x_i\rangle), \qquad
//!   \ell(z) = \max(0, z) \text{ or } \max(0, z)^2,$$
//! through its dual
//! $$\min_\alpha \tfrac12 \alpha^\top (Q + D)\alpha - \mathbf 1^\top\alpha
//!   \quad\text{subject to}\quad 0 \le \alpha_i \le U_i, \qquad
//!   Q_{ij} = y_i y_j \langle x_i, x_j\rangle,$$
//! where $w = \sum_i \alpha_i y_i x_i$ is kept up to date, so that a step on one variable costs two
//! passes over one row. An intercept is the weight of a constant feature of value $B$, and is
//! regularised like the others.
//!
//! | paper (Hsieh, Chang, Lin, Keerthi, Sundararajan 2008) | here |
//! |---|---|
//! | $\alpha_i$ | `alpha` |
//! | $U$: $C_i$ for the hinge, $\infty$ for its square | `upper` |
//! | $D_{ii}$: $0$ for the hinge, $1/(2 C_i)$ for its square | `ridge` |
//! | $\bar Q_{ii}^{-1}$ | `inverse` |
//! | $G$, $PG$ | `gradient`, `projected` |
//! | $\bar M$, $\bar m$ of the last pass | `limits.largest`, `limits.smallest` |
//! | $\varepsilon$ | `tolerance` |
//!
//! Variables are visited in a new random order in every pass. One whose gradient holds it at a
//! bound more firmly than anything in the last pass pulled is left out (shrinking) until the others
//! have converged; the solution is accepted after a pass over all variables in which the range of
//! the projected gradients is at most $\varepsilon$. That is the measure and the meaning that
//! LIBLINEAR gives its tolerance.

use super::linear_rows::{LinearRows, with_store};
use crate::Status;
use crate::data::Generator;
use crate::linalg::{Coordinate, Primal, Violations, coordinate_pass};
use std::time::Instant;

/// What a row inside the margin, or on the wrong side, costs.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, Default, serde::Serialize, serde::Deserialize,
)]
pub enum HingeLoss {
    /// $\max(0, 1 - y f(x))$, called L1.
    Hinge,
    /// $\max(0, 1 - y f(x))^2$, called L2.
    #[default]
    SquaredHinge,
}

impl HingeLoss {
    /// The loss of a row with margin $y f(x)$.
    pub fn value(self, margin: f64) -> f64 {
        let short = (1.0 - margin).max(0.0);
        match self {
            Self::Hinge => short,
            Self::SquaredHinge => short * short,
        }
    }
}

/// A two-class problem on some rows.
#[derive(Debug, Clone, Copy)]
pub struct DualProblem<'a> {
    /// All rows.
    pub rows: &'a LinearRows<'a>,
    /// The rows that take part; `None` for all. A row may occur more than once.
    pub members: Option<&'a [u32]>,
    /// $y_i$, +1 or −1, of each member.
    pub signs: &'a [f64],
    /// $C_i \ge 0$ of each member. Members whose cost is 0 do not count.
    pub costs: &'a [f64],
    /// The loss.
    pub loss: HingeLoss,
    /// Value $B$ of the constant feature; `None` for a hyperplane through the origin.
    pub bias: Option<f64>,
    /// Dual variables to start from, one a member; they are moved into their box.
    pub start: Option<&'a [f64]>,
}

/// When to stop, and how.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DualLimits {
    /// Largest range of projected gradients that is accepted.
    pub tolerance: f64,
    /// Largest number of passes.
    pub max_passes: u32,
    /// Largest wall-clock time, looked at between passes.
    pub max_seconds: Option<f64>,
    /// Whether variables that seem settled are left out until the others are.
    pub shrinking: bool,
    /// Seed of the order of visits.
    pub seed: u64,
}

impl Default for DualLimits {
    fn default() -> Self {
        Self {
            tolerance: 0.1,
            max_passes: 1000,
            max_seconds: None,
            shrinking: true,
            seed: 0,
        }
    }
}

/// What a linear solver found.
#[derive(Debug, Clone, PartialEq)]
pub struct DualSolution {
    /// $w$, one weight a feature.
    pub weights: Vec<f64>,
    /// What to add to $\langle w, x\rangle$: the weight of the constant feature times its value.
    pub intercept: f64,
    /// Dual variable of each member.
    pub alpha: Vec<f64>,
    /// $\mathbf 1^\top\alpha - \tfrac12\alpha^\top(Q + D)\alpha$: a lower bound of the primal
    /// objective, equal to it at the optimum.
    pub objective: f64,
    /// Passes, those over a shrunken problem included.
    pub passes: u32,
    /// Why it stopped.
    pub status: Status,
}

/// Solves a problem. The answer depends on nothing but the problem and the limits.
pub fn solve(problem: &DualProblem<'_>, limits: &DualLimits) -> DualSolution {
    with_store!(problem.rows, store => {
        run(problem, limits, |coordinates, order, active, bounds, primal| {
            coordinate_pass(store, coordinates, order, active, bounds, primal)
        })
    })
}

/// Value of the primal objective for weights and an intercept: $\tfrac12(\|w\|^2 + b^2/B^2)$ and
/// the losses.
pub fn primal_objective(problem: &DualProblem<'_>, weights: &[f64], intercept: f64) -> f64 {
    let mut padded = weights.to_vec();
    padded.resize(problem.rows.width(), 0.0);
    let mut loss = 0.0;
    for (t, (&sign, &cost)) in problem.signs.iter().zip(problem.costs).enumerate() {
        let row = problem.members.map_or(t, |rows| rows[t] as usize);
        let margin = sign * (problem.rows.dot(row, &padded) + intercept);
        loss += cost * problem.loss.value(margin);
    }
    let offset = match problem.bias {
        Some(value) if value != 0.0 => intercept / value,
        _ => 0.0,
    };
    0.5 * (crate::linalg::dot(weights, weights) + offset * offset) + loss
}

fn run<P>(problem: &DualProblem<'_>, limits: &DualLimits, mut pass: P) -> DualSolution
where
    P: FnMut(&mut [Coordinate], &mut [u32], &mut usize, Violations, &mut Primal) -> Violations,
{
    let began = Instant::now();
    let (mut coordinates, places) = coordinates(problem);
    let mut primal = start_weights(problem, &coordinates);
    let n = coordinates.len();
    let mut order: Vec<u32> = (0..n as u32).collect();
    let mut generator = Generator::new(limits.seed);
    let open = Violations {
        largest: f64::INFINITY,
        smallest: f64::NEG_INFINITY,
    };
    let mut bounds = open;
    let mut active = n;
    let mut passes = 0;
    let mut status = Status::IterationLimit;
    while passes < limits.max_passes {
        shuffle(&mut generator, &mut order[..active]);
        let seen = pass(
            &mut coordinates,
            &mut order,
            &mut active,
            bounds,
            &mut primal,
        );
        passes += 1;
        // Without any variable left the range is minus infinity.
        if seen.largest - seen.smallest <= limits.tolerance {
            if active == n {
                status = Status::Converged;
                break;
            }
            active = n;
            bounds = open;
        } else if limits.shrinking {
            // A bound that nothing pulls at says nothing about what is settled there.
            bounds.largest = if seen.largest > 0.0 {
                seen.largest
            } else {
                f64::INFINITY
            };
            bounds.smallest = if seen.smallest < 0.0 {
                seen.smallest
            } else {
                f64::NEG_INFINITY
            };
        }
        if limits
            .max_seconds
            .is_some_and(|most| began.elapsed().as_secs_f64() > most)
        {
            status = Status::TimeLimit;
            break;
        }
    }
    finish(problem, &coordinates, &places, primal, passes, status)
}

/// The variables, and which member each belongs to.
fn coordinates(problem: &DualProblem<'_>) -> (Vec<Coordinate>, Vec<u32>) {
    let bias = problem.bias.unwrap_or(0.0);
    let n = problem.signs.len();
    let (mut coordinates, mut places) = (Vec::with_capacity(n), Vec::with_capacity(n));
    for t in 0..n {
        let cost = problem.costs[t];
        if cost <= 0.0 {
            continue;
        }
        let row = problem.members.map_or(t as u32, |rows| rows[t]);
        let (upper, ridge) = match problem.loss {
            HingeLoss::Hinge => (cost, 0.0),
            HingeLoss::SquaredHinge => (f64::INFINITY, 0.5 / cost),
        };
        let start = problem.start.map_or(0.0, |start| start[t]);
        coordinates.push(Coordinate {
            alpha: start.max(0.0).min(upper),
            upper,
            ridge,
            // A row of zeros without intercept has no curvature: one step takes it to its bound.
            inverse: 1.0 / (problem.rows.sq_norm(row as usize) + bias * bias + ridge),
            sign: problem.signs[t],
            row,
        });
        places.push(t as u32);
    }
    (coordinates, places)
}

fn start_weights(problem: &DualProblem<'_>, coordinates: &[Coordinate]) -> Primal {
    let mut primal = Primal {
        weights: vec![0.0; problem.rows.width()],
        offset: 0.0,
        bias: problem.bias.unwrap_or(0.0),
    };
    for variable in coordinates.iter().filter(|variable| variable.alpha != 0.0) {
        let factor = variable.alpha * variable.sign;
        let row = variable.row as usize;
        problem.rows.add(row, factor, &mut primal.weights);
        primal.offset += factor * primal.bias;
    }
    primal
}

/// Fisher–Yates with 32 random bits a step.
fn shuffle(generator: &mut Generator, items: &mut [u32]) {
    let mut spare = None;
    for i in (1..items.len()).rev() {
        let bits = spare.take().unwrap_or_else(|| {
            let both = generator.bits();
            spare = Some(both >> 32);
            both & 0xffff_ffff
        });
        let j = (bits * (i as u64 + 1)) >> 32;
        items.swap(i, j as usize);
    }
}

fn finish(
    problem: &DualProblem<'_>,
    coordinates: &[Coordinate],
    places: &[u32],
    primal: Primal,
    passes: u32,
    status: Status,
) -> DualSolution {
    let Primal {
        mut weights,
        offset,
        bias,
    } = primal;
    weights.truncate(problem.rows.n_features());
    let mut alpha = vec![0.0; problem.signs.len()];
    let (mut linear, mut quadratic) = (0.0, 0.0);
    for (variable, &place) in coordinates.iter().zip(places) {
        alpha[place as usize] = variable.alpha;
        linear += variable.alpha;
        quadratic += variable.ridge * variable.alpha * variable.alpha;
    }
    quadratic += crate::linalg::dot(&weights, &weights) + offset * offset;
    DualSolution {
        weights,
        intercept: offset * bias,
        alpha,
        objective: linear - 0.5 * quadratic,
        passes,
        status,
    }
}
