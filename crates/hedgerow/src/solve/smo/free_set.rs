//! Second-order steps on the variables that no bound holds.
//!
//! Pair updates are cheap and soon tell most of the variables that end at a bound from those that
//! do not. What is left for them then is a linear system in the free variables, one pair at a
//! time, and where the matrix is nearly singular on them (smooth kernels, copies of rows) that
//! takes a thousand times as long as everything before.
//!
//! Here an active-set method takes over. With $M$ the free variables, the step on their face is
//! $$d = \arg\min_{1^\top d = 0} F_M^\top d + \tfrac12 d^\top H d, \qquad H = K_{MM} + E,$$
//! that is $d = \nu H^{-1} 1 - H^{-1} F_M$ with the $\nu$ that makes it sum to 0. The diagonal
//! matrix $E$ is tiny and makes $H$ definite where $K_{MM}$ is singular, or indefinite by the
//! rounding of its entries. The length of the step is the best one for $K$ itself,
//! $-F_M^\top d / d^\top K_{MM} d \ge 1$, or the one at which the first variable meets its bound: a
//! direction without curvature is followed to a bound at once. No step increases the objective.
//!
//! A variable that meets its bound leaves $M$. When the gradient is flat on $M$, the gradient of
//! all variables is brought up to date, and bounded ones that want to leave their bounds enter $M$.
//! The factor of $H$ is kept up to date in $O(|M|^2)$ for each of them, and since
//! $K_{MM} d = \nu 1 - F_M - E d$, so is the gradient on $M$, in $O(|M|)$ for each step.
//!
//! | symbol | here |
//! |---|---|
//! | $M$ | `members` |
//! | $E$ | `excess` |
//! | $F_M$ | `gradient` |
//! | $d$ | `direction` |

use super::dense::{Aim, Source};
use super::pair::{PairState, gap, objective};
use crate::Status;
use crate::linalg::{GrowingCholesky, add_scaled_rows};

/// What $H$ has more on its diagonal than $K$, relative to the largest diagonal entry of $K$:
/// entries of $K$ are rounded to single precision, which moves its eigenvalues by about that.
const RIDGE: f64 = 1e-6;

/// By what the ridge grows when no step is possible, and from where on it does not.
const ROUGHER: f64 = 16.0;
const ROUGHEST: f64 = 100.0;

/// Steps between two looks at the clock.
const CLOCK_INTERVAL: u64 = 16;

/// Smallest pivot of $H$, relative to the ridge.
const LEAST_PIVOT: f64 = 0.5;

/// The gradient on the free variables is flat if it varies by less than this share of the
/// tolerance: the rest is for the others.
const FLAT: f64 = 0.1;

/// Steps in a row that end on the face itself and not at a bound.
const STEPS_ON_FACE: usize = 8;

/// Variables that meet their bounds after so nearly the same length do so together.
const TOGETHER: f64 = 1e-12;

/// Share of the terms of an objective by which rounding may make it seem to grow.
const OBJECTIVE_ROUNDING: f64 = 1e-13;

/// Variables that enter together. Those that should not have are the first to meet their bounds
/// again, after a step of no length.
const ENTER_AT_ONCE: usize = 16;

/// Steps for each variable, before pair updates have to go on.
const MOST_STEPS: u64 = 20;

/// The method with its buffers.
#[derive(Debug, Default)]
pub(super) struct FreeSet {
    members: Vec<u32>,
    is_member: Vec<bool>,
    factor: GrowingCholesky,
    ridge: f64,
    excess: Vec<f64>,
    gradient: Vec<f64>,
    direction: Vec<f64>,
    /// $H^{-1} 1$.
    ones: Vec<f64>,
    /// All variables, and their gradient, when that was up to date last.
    beta_before: Vec<f64>,
    gradient_before: Vec<f64>,
    /// Bounded variables, and how much they want to leave their bounds.
    wants: Vec<(f64, u32)>,
}

impl FreeSet {
    /// Goes on from a state of one group whose gradient is up to date, as it is afterwards.
    /// Returns the number of steps, and why they ended.
    pub(super) fn descend(
        &mut self,
        state: &mut PairState,
        linear: &[f64],
        rows: &mut Source<'_, '_>,
        aim: &Aim,
    ) -> (u64, Status) {
        let n = state.beta.len();
        let largest = state.diagonal.iter().fold(0.0, |most: f32, &d| most.max(d));
        self.ridge = RIDGE * f64::from(largest);
        self.gather(state, rows);
        self.beta_before.clone_from(&state.beta);
        self.gradient_before.clone_from(&state.gradient);
        let mut value = objective(&state.beta, &state.gradient, linear);
        let cap = aim.cap.min(MOST_STEPS * n as u64);
        let mut steps = 0;
        let mut at_once = ENTER_AT_ONCE;
        loop {
            steps += self.minimise_on_face(state, aim, cap - steps);
            self.bring_up_to_date(state, rows);
            let (next, rounding) = objective_and_rounding(state, linear);
            if next > value + rounding || next.is_nan() {
                state.beta.clone_from(&self.beta_before);
                state.gradient.clone_from(&self.gradient_before);
                state.refresh();
                return (steps, Status::IterationLimit);
            }
            let is_stuck = next >= value && at_once == 1;
            // Whoever is first in line can move from where the gradient is flat, if alone.
            at_once = if next < value { ENTER_AT_ONCE } else { 1 };
            value = next;
            if gap(&state.scan()[0]) < aim.tolerance {
                return (steps, Status::Converged);
            }
            if aim.is_out_of_time() {
                return (steps, Status::TimeLimit);
            }
            let is_rough = self.ridge > ROUGHEST * RIDGE * f64::from(largest);
            if steps >= cap || (is_stuck && is_rough) {
                return (steps, Status::IterationLimit);
            }
            if is_stuck {
                // The matrix is less definite than rounding should leave it.
                self.ridge *= ROUGHER;
                self.gather(state, rows);
                at_once = ENTER_AT_ONCE;
            } else {
                self.let_enter(at_once, state, rows);
            }
            self.beta_before.clone_from(&state.beta);
            self.gradient_before.clone_from(&state.gradient);
        }
    }

    /// Makes members of all free variables.
    fn gather(&mut self, state: &PairState, rows: &mut Source<'_, '_>) {
        let n = state.beta.len();
        let n_free = (0..n).filter(|&t| state.is_free(t)).count();
        self.factor.reset(n_free + ENTER_AT_ONCE);
        self.members.clear();
        self.is_member.clear();
        self.is_member.resize(n, false);
        self.excess.clear();
        self.gradient.clear();
        for t in (0..n).filter(|&t| state.is_free(t)) {
            self.enter(t, state, rows);
        }
    }

    fn enter(&mut self, t: usize, state: &PairState, rows: &mut Source<'_, '_>) {
        rows.ensure(t);
        let row = rows.row(t);
        let column = self.members.iter().map(|&u| f64::from(row[u as usize]));
        let diagonal = f64::from(state.diagonal[t]) + self.ridge;
        let missing = self.factor.push(column, diagonal, LEAST_PIVOT * self.ridge);
        self.members.push(t as u32);
        self.is_member[t] = true;
        self.excess.push(self.ridge + missing);
        self.gradient.push(state.gradient[t]);
    }

    /// Steps until the gradient is flat on the members that are left. Returns their number.
    fn minimise_on_face(&mut self, state: &mut PairState, aim: &Aim, cap: u64) -> u64 {
        let mut steps = 0;
        let mut on_face = 0;
        while steps < cap && on_face < STEPS_ON_FACE && self.spread() > FLAT * aim.tolerance {
            if steps % CLOCK_INTERVAL == 0 && aim.is_out_of_time() {
                break;
            }
            match self.step(state) {
                Some(true) => on_face = 0,
                Some(false) => on_face += 1,
                None => break,
            }
            steps += 1;
        }
        steps
    }

    /// By how much the gradient varies on the members.
    fn spread(&self) -> f64 {
        let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
        for &value in &self.gradient {
            least = least.min(value);
            most = most.max(value);
        }
        most - least
    }

    /// One step; whether it ended at a bound. `None` if it promises nothing.
    fn step(&mut self, state: &mut PairState) -> Option<bool> {
        let m = self.members.len();
        let nu = self.find_direction();
        // Steps sum to 0 but for rounding, which a large multiplier would bring back.
        let terms = self.gradient.iter().zip(&self.direction);
        let slope: f64 = terms.map(|(g, d)| (g - nu) * d).sum();
        let squares = self.direction.iter().zip(&self.excess);
        let curvature = -slope - squares.map(|(d, e)| e * d * d).sum::<f64>();
        if slope >= 0.0 || !slope.is_finite() {
            return None;
        }
        let best = if curvature > 0.0 {
            -slope / curvature
        } else {
            f64::INFINITY
        };
        let room = |at: usize| {
            let t = self.members[at] as usize;
            let d = self.direction[at];
            let bound = if d > 0.0 {
                state.upper[t]
            } else {
                state.lower[t]
            };
            if d == 0.0 {
                (f64::INFINITY, bound)
            } else {
                ((bound - state.beta[t]) / d, bound)
            }
        };
        let longest = (0..m).fold(f64::INFINITY, |least, at| least.min(room(at).0));
        let length = best.min(longest);
        if !length.is_finite() {
            return None;
        }
        let landing = length * (1.0 + TOGETHER);
        let landings: Vec<(usize, f64)> = (0..m)
            .map(|at| (at, room(at)))
            .filter(|(_, (room, _))| *room <= landing)
            .map(|(at, (_, bound))| (at, bound))
            .collect();
        for at in 0..m {
            let (t, d) = (self.members[at] as usize, self.direction[at]);
            state.beta[t] += length * d;
            state.refresh_at(t);
            self.gradient[at] += length * (nu - self.gradient[at] - self.excess[at] * d);
        }
        // From the last, so that the places of the others stay what they are.
        for &(at, bound) in landings.iter().rev() {
            let t = self.members.remove(at) as usize;
            self.is_member[t] = false;
            self.factor.remove(at);
            self.excess.remove(at);
            self.gradient.remove(at);
            // Exactly, so that it is recognised later.
            state.beta[t] = bound;
            state.refresh_at(t);
        }
        Some(!landings.is_empty())
    }

    /// The minimum of the model on the face, and the multiplier there.
    fn find_direction(&mut self) -> f64 {
        let m = self.members.len();
        // Relative to their mean the entries are small, and so is what is rounded of them.
        let mean = self.gradient.iter().sum::<f64>() / m as f64;
        self.direction.clear();
        self.direction
            .extend(self.gradient.iter().map(|g| mean - g));
        self.factor.solve(&mut self.direction);
        self.ones.clear();
        self.ones.resize(m, 1.0);
        self.factor.solve(&mut self.ones);
        let shift = -self.direction.iter().sum::<f64>() / self.ones.iter().sum::<f64>();
        for (d, one) in self.direction.iter_mut().zip(&self.ones) {
            *d += shift * one;
        }
        mean + shift
    }

    /// Adds to the gradient what the variables have moved, and hands it to the members.
    fn bring_up_to_date(&mut self, state: &mut PairState, rows: &Source<'_, '_>) {
        let moved: Vec<usize> = (0..state.beta.len())
            .filter(|&t| state.beta[t] != self.beta_before[t])
            .collect();
        let moves: Vec<f64> = moved
            .iter()
            .map(|&t| state.beta[t] - self.beta_before[t])
            .collect();
        // Whoever moved was a member, whose row is there.
        let rows: Vec<&[f32]> = moved.iter().map(|&t| rows.row(t)).collect();
        add_scaled_rows(&mut state.gradient, &rows, &moves);
        for (value, &t) in self.gradient.iter_mut().zip(&self.members) {
            *value = state.gradient[t as usize];
        }
    }

    /// Makes members of variables that want to leave their bounds.
    fn let_enter(&mut self, at_once: usize, state: &mut PairState, rows: &mut Source<'_, '_>) {
        let multiplier = if self.members.is_empty() {
            let scan = state.scan()[0];
            f64::midpoint(scan.max_low, -scan.max_up)
        } else {
            self.gradient.iter().sum::<f64>() / self.members.len() as f64
        };
        self.wants.clear();
        // A member may still be at the bound where it entered.
        for t in (0..state.beta.len()).filter(|&t| !self.is_member[t]) {
            let pull = multiplier - state.gradient[t];
            let wants = match (state.may_grow(t), state.may_shrink(t)) {
                (true, false) => pull,
                (false, true) => -pull,
                _ => 0.0,
            };
            if wants > 0.0 {
                self.wants.push((wants, t as u32));
            }
        }
        self.wants
            .sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        if self.members.is_empty() {
            // One that grows needs one that shrinks; equal rows could all want the same.
            let grows = |&&(_, t): &&(f64, u32)| state.may_grow(t as usize);
            let up = self.wants.iter().find(grows).copied();
            let low = self.wants.iter().find(|want| !grows(want)).copied();
            self.wants.clear();
            self.wants.extend(up.into_iter().chain(low));
        } else {
            self.wants.truncate(at_once);
        }
        for at in 0..self.wants.len() {
            self.enter(self.wants[at].1 as usize, state, rows);
        }
    }
}

/// The objective, and how far it is from exact at most.
fn objective_and_rounding(state: &PairState, linear: &[f64]) -> (f64, f64) {
    let terms = state.beta.iter().zip(state.gradient.iter().zip(linear));
    let size: f64 = terms.map(|(b, (g, p))| (b * g).abs() + (b * p).abs()).sum();
    let value = objective(&state.beta, &state.gradient, linear);
    (value, OBJECTIVE_ROUNDING * size)
}
