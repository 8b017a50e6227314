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
//! | $G$, $PG$ | `gradient`, `Violations` |
//! | $\varepsilon$ | `tolerance` |
//!
//! Variables are visited in a new random order in every pass. One that its gradient holds at a
//! bound is left out of the next 1, 2, 4, … 128 passes, each time that it is found there again
//! (shrinking): most variables are, and the others are visited a hundred times more often.
//!
//! Two measures say when to stop. The range of the projected gradients in a pass over all variables
//! is LIBLINEAR's: it bounds no distance from the optimum. The duality gap does: no weights have an
//! objective below the dual's, so those whose objective is within a share of it are as near to the
//! best ones. The gap of the mean of the weights over the last passes is a fraction of that of the
//! last weights, because single steps throw these about; so the mean is the answer.

use super::gap_looks::Looks;
use crate::Status;
use crate::data::Generator;
use crate::linalg::{
    Coordinate, Held, LinearRows, MOST_RESTS, Primal, Violations, coordinate_loss, coordinate_pass,
    with_store,
};
use std::time::Instant;

/// Most passes that a variable held at a bound is left out of.
const LONGEST_REST: usize = 1 << MOST_RESTS;
/// Work, in multiples of that until the gap was in sight, for which resting variables are then not
/// woken because the others are within the tolerance.
const SIGHT_HELPS: f64 = 1.4;
/// Range of projected gradients, in tolerances, from which on the gap is looked at.
const NEAR: f64 = 5.0;
/// Work for the gap, in multiples of that until the range of projected gradients was accepted.
const PATIENCE: f64 = 1.1;
/// Stored values that may be read for the gap in any case: a fraction of a millisecond.
const CHEAP: f64 = 2e5;

/// Share by which objectives may differ that are equally good.
const EQUALLY_GOOD: f64 = 1e-9;

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
    /// Duality gap, relative to the primal objective, at which to stop, whatever the range of
    /// projected gradients. If that range is accepted first, a tenth of the work is spent again on the
    /// gap. `None`, the default, leaves it to the range alone.
    pub gap: Option<f64>,
    /// Largest number of passes.
    pub max_passes: u32,
    /// Largest wall-clock time, looked at between passes.
    pub max_seconds: Option<f64>,
    /// Whether variables that are held at a bound are left out of some passes.
    pub shrinking: bool,
    /// Seed of the order of visits.
    pub seed: u64,
}

impl Default for DualLimits {
    fn default() -> Self {
        Self {
            tolerance: 0.1,
            gap: None,
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
    /// $w$, one weight a feature: $\sum_i \alpha_i y_i x_i$, or if a gap was asked for the mean of that
    /// over some last passes.
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
        let squared = problem.loss == HingeLoss::SquaredHinge;
        run(
            problem,
            limits,
            &mut |coordinates, visits, resting, primal| {
                coordinate_pass(store, coordinates, squared, visits, resting, primal)
            },
            &|coordinates, primal| coordinate_loss(store, coordinates, squared, primal),
        )
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

type Pass<'a> =
    dyn FnMut(&mut [Coordinate], &mut Vec<u32>, &mut Vec<Held>, &mut Primal) -> Violations + 'a;

fn run(
    problem: &DualProblem<'_>,
    limits: &DualLimits,
    pass: &mut Pass<'_>,
    losses: &dyn Fn(&[Coordinate], &Primal) -> f64,
) -> DualSolution {
    let began = Instant::now();
    let squared = problem.loss == HingeLoss::SquaredHinge;
    let (mut coordinates, places) = coordinates(problem);
    let mut primal = start_weights(problem, &coordinates);
    let n = coordinates.len();
    let mut turns = Turns::new(n, limits);
    let mut mean = Mean::new(&primal);
    let mut passes = 0;
    let mut looks = Looks::default();
    let mut first_accepted = None;
    let mut most_work = None;
    let mut status = Status::IterationLimit;
    let mut best = Best::default();
    while passes < limits.max_passes {
        let all = turns.take();
        let seen = pass(
            &mut coordinates,
            &mut turns.visits,
            &mut turns.resting,
            &mut primal,
        );
        turns.send_to_rest();
        passes += 1;
        // Without any variable the range is minus infinity.
        let range = seen.largest - seen.smallest;
        let accepted = range <= limits.tolerance;
        let work = turns.work as f64 / n.max(1) as f64;
        let spent = most_work.is_some_and(|most| work >= most);
        if let Some(gap) = limits.gap {
            if range <= NEAR * limits.tolerance {
                if looks.is_half_way(work) {
                    mean = Mean::new(&primal);
                }
                mean.add(&primal);
            }
            if mean.count > 0 && (spent || looks.is_due(work, range)) {
                let upper = best.offer(mean.take(), |trial| losses(&coordinates, trial));
                let lower = dual_objective(&coordinates, squared, &primal);
                if spent || upper - lower <= gap * upper {
                    status = Status::Converged;
                    break;
                }
                looks.note(work, range, (upper - lower) / (gap * upper));
            }
        }
        if accepted && most_work.is_none() {
            if all && limits.gap.is_none() {
                status = Status::Converged;
                break;
            }
            let first = *first_accepted.get_or_insert(work);
            if all {
                let values = problem.rows.n_stored() as f64 / problem.rows.n_rows().max(1) as f64;
                let cheap = CHEAP / (values * n as f64).max(1.0);
                most_work = Some(work + ((PATIENCE - 1.0) * work).max(cheap));
            } else if !looks.is_in_sight() || work > SIGHT_HELPS * first {
                turns.wake();
            }
        }
        if limits
            .max_seconds
            .is_some_and(|most| began.elapsed().as_secs_f64() > most)
        {
            status = Status::TimeLimit;
            break;
        }
    }
    let objective = dual_objective(&coordinates, squared, &primal);
    if limits.gap.is_some() && status != Status::Converged {
        // Stopped on the way: perhaps what came after the last look is better.
        let last = if mean.count > 0 {
            mean.take()
        } else {
            primal.clone()
        };
        best.offer(last, |trial| losses(&coordinates, trial));
    }
    let answer = best.answer.map_or(primal, |(_, weights)| weights);
    finish(
        problem,
        &coordinates,
        &places,
        answer,
        objective,
        passes,
        status,
    )
}

/// Whose turn it is.
struct Turns {
    /// Variables of the next pass, in the order of their visits.
    visits: Vec<u32>,
    /// Variables that the last pass found held at a bound.
    resting: Vec<Held>,
    /// Variables that return in a later pass, by that pass modulo the length.
    returns: Vec<Vec<u32>>,
    /// Variables that wait in `returns`.
    waiting: usize,
    pass: usize,
    /// Visits so far.
    work: usize,
    shrinking: bool,
    generator: Generator,
}

impl Turns {
    fn new(n: usize, limits: &DualLimits) -> Self {
        Self {
            visits: (0..n as u32).collect(),
            resting: Vec::with_capacity(n),
            returns: vec![Vec::new(); LONGEST_REST + 1],
            waiting: 0,
            pass: 0,
            work: 0,
            shrinking: limits.shrinking,
            generator: Generator::new(limits.seed),
        }
    }

    /// Prepares the visits of the next pass; whether they are all variables.
    fn take(&mut self) -> bool {
        let slots = self.returns.len();
        let due = &mut self.returns[self.pass % slots];
        self.waiting -= due.len();
        self.visits.append(due);
        self.pass += 1;
        shuffle(&mut self.generator, &mut self.visits);
        self.work += self.visits.len();
        self.waiting == 0
    }

    /// Puts those that the pass found held where they wait.
    fn send_to_rest(&mut self) {
        if !self.shrinking {
            self.visits
                .extend(self.resting.drain(..).map(|held| held.place));
            return;
        }
        let slots = self.returns.len();
        self.waiting += self.resting.len();
        for held in self.resting.drain(..) {
            // The pass that was just made has advanced the counter already.
            let rest = (1usize << held.rests) - 1;
            self.returns[(self.pass + rest) % slots].push(held.place);
        }
    }

    /// Lets all variables take part in the next pass.
    fn wake(&mut self) {
        for waiting in &mut self.returns {
            self.visits.append(waiting);
        }
        self.waiting = 0;
    }
}

/// The best weights of all looks.
#[derive(Default)]
struct Best {
    /// With their objective.
    answer: Option<(f64, Primal)>,
}

impl Best {
    /// Keeps weights unless those before were better; their objective. Of equally good ones the
    /// later are nearer to the optimum, around which the objective is flat.
    fn offer(&mut self, trial: Primal, losses: impl Fn(&Primal) -> f64) -> f64 {
        let value = trial.half_square() + losses(&trial);
        let least = value * (1.0 - EQUALLY_GOOD);
        if !self.answer.as_ref().is_some_and(|(best, _)| *best < least) {
            self.answer = Some((value, trial));
        }
        value
    }
}

/// Mean of the weights after some passes.
struct Mean {
    sum: Primal,
    count: u32,
}

impl Mean {
    fn new(like: &Primal) -> Self {
        Self {
            sum: Primal {
                weights: vec![0.0; like.weights.len()],
                offset: 0.0,
                bias: like.bias,
            },
            count: 0,
        }
    }

    fn add(&mut self, primal: &Primal) {
        for (sum, weight) in self.sum.weights.iter_mut().zip(&primal.weights) {
            *sum += weight;
        }
        self.sum.offset += primal.offset;
        self.count += 1;
    }

    /// The mean, after which another one begins.
    fn take(&mut self) -> Primal {
        let share = 1.0 / f64::from(self.count.max(1));
        let empty = Self::new(&self.sum).sum;
        let mut mean = std::mem::replace(&mut self.sum, empty);
        for weight in &mut mean.weights {
            *weight *= share;
        }
        mean.offset *= share;
        self.count = 0;
        mean
    }
}

impl Primal {
    /// $\tfrac12 \|w\|^2$ with the weight of the constant feature.
    fn half_square(&self) -> f64 {
        0.5 * (crate::linalg::dot(&self.weights, &self.weights) + self.offset * self.offset)
    }
}

/// $\mathbf 1^\top\alpha - \tfrac12\alpha^\top(Q + D)\alpha$ with the weights of the variables.
fn dual_objective(coordinates: &[Coordinate], squared: bool, primal: &Primal) -> f64 {
    let (mut linear, mut quadratic) = (0.0, 0.0);
    for variable in coordinates {
        linear += variable.alpha;
        quadratic += variable.ridge(squared) * variable.alpha * variable.alpha;
    }
    linear - 0.5 * quadratic - primal.half_square()
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
            bound: match problem.loss {
                HingeLoss::Hinge => upper,
                HingeLoss::SquaredHinge => ridge,
            },
            // A row of zeros without intercept has no curvature: one step takes it to its bound.
            inverse: 1.0 / (problem.rows.sq_norm(row as usize) + bias * bias + ridge),
            row,
            sign: if problem.signs[t] > 0.0 { 1 } else { -1 },
            rests: 0,
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
        let factor = variable.alpha * f64::from(variable.sign);
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
    objective: f64,
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
    for (variable, &place) in coordinates.iter().zip(places) {
        alpha[place as usize] = variable.alpha;
    }
    DualSolution {
        weights,
        intercept: offset * bias,
        alpha,
        objective,
        passes,
        status,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_weights_are_kept() {
        let weights = |w: f64| Primal {
            weights: vec![w],
            offset: 0.0,
            bias: 0.0,
        };
        let mut best = Best::default();
        let mut values = Vec::new();
        for w in [2.0, 1.0, 3.0] {
            values.push(best.offer(weights(w), |_| 1.0));
        }
        assert_eq!(values, [3.0, 1.5, 5.5]);
        assert_eq!(best.offer(weights(1.0 + 1e-10), |_| 1.0), 1.5 + 1e-10);
        assert_eq!(best.answer.expect("weights").1.weights, [1.0 + 1e-10]);
    }
}
