//! SMO on a whole matrix in memory.
//!
//! The matrix and all other large buffers serve any number of problems, one after the other.
//!
//! The work goes in rounds. A round begins with the gradient that the variables imply, computed in
//! double precision for all of them, and stops if that is optimal: so the answer rests on nothing
//! that was rounded on the way. Otherwise pairs are moved until the gradient that is kept up to
//! date says so. Where the bounds allow it that gradient is in single precision, which costs a
//! third of the time an update; where it might drown in rounding it is in double precision.
//!
//! Where pair updates go on for long, second-order steps on the free variables take over (see
//! `free_set`), once as many updates have been made as their factor costs.
//!
//! In the first round variables that have settled at a bound are left out once: the rows and
//! columns of the others move together into a smaller matrix, which a nearer cache holds.
//!
//! Rows of the matrix may also be written when they are first asked for, with a few beside them
//! because several at once are cheaper. Those of variables that never move are hardly asked for.

use super::free_set::FreeSet;
use super::pair::{PairState, Scans, default_cap, objective, worst};
use super::{Limits, Problem, Solution};
use crate::Status;
use crate::linalg::{GradientReal, add_scaled_rows};
use std::ops::Range;
use std::time::Instant;

/// Iterations between two looks at the clock.
const CLOCK_INTERVAL: u64 = 4096;

/// Smallest problem that is worth a smaller matrix.
const MIN_SHRINKABLE: usize = 128;

/// Rounds in single precision before double precision takes over.
const SINGLE_ROUNDS: usize = 5;

/// A round in single precision aims a little beyond the tolerance, so that what was rounded
/// seldom calls for another.
const SINGLE_AIM: f64 = 0.9;

/// Pair updates of a round in single precision, for each variable.
const SINGLE_UPDATES: u64 = 200;

/// Pair updates for each variable after which second-order steps take over. Most problems need
/// fewer, and are solved before those would have begun.
const PATIENCE: u64 = 8;

/// What a pair update costs for each variable, in units of which a Cholesky factor of order `m`
/// costs `m³`. Estimated from timings at orders of 400 to 800.
const UPDATE_FLOPS: u64 = 12;

/// Most free variables of second-order steps: their factor takes 128 MB.
const MOST_FREE: usize = 4096;

/// By what patience grows when second-order steps gave up.
const MORE_PATIENCE: u64 = 8;

/// Rounding errors of one update in single precision that must fit into the tolerance.
const SINGLE_ERRORS: f64 = 32.0;

/// Solver for problems whose matrix fits in memory, with reusable buffers.
#[derive(Debug, Default)]
pub struct DenseSolver {
    whole: Rows,
    state: PairState,
    single: PairState<f32>,
    part: Part,
    free_set: FreeSet,
}

/// Rows of the matrix that are written together.
const ROWS_AT_ONCE: usize = 3;

/// A square matrix, of which only some rows may have been written.
#[derive(Debug, Default)]
struct Rows {
    order: usize,
    values: Vec<f32>,
    /// Rows that are written together, and whether they have been.
    at_once: usize,
    written: Vec<bool>,
    /// Given apart where rows come later.
    diagonal: Vec<f32>,
}

/// Writes consecutive rows of the matrix.
type WriteRows<'a> = dyn FnMut(Range<usize>, &mut [f32]) + 'a;

impl Rows {
    fn reset(&mut self, order: usize, at_once: usize, written: bool) {
        self.order = order;
        // What stood there before may stay: nobody reads a row that is not written.
        self.values.resize(order * order, 0.0);
        self.at_once = at_once;
        self.written.clear();
        self.written.resize(order.div_ceil(at_once), written);
        self.diagonal.clear();
    }

    fn row(&self, t: usize) -> &[f32] {
        &self.values[t * self.order..(t + 1) * self.order]
    }

    fn ensure(&mut self, t: usize, write: impl FnOnce(Range<usize>, &mut [f32])) {
        let group = t / self.at_once;
        if !self.written[group] {
            let first = group * self.at_once;
            let last = self.order.min(first + self.at_once);
            write(
                first..last,
                &mut self.values[first * self.order..last * self.order],
            );
            self.written[group] = true;
        }
    }
}

/// The variables that are left when others have settled.
#[derive(Debug, Default)]
struct Part {
    /// Their matrix, and which they are; empty if all are.
    compact: Rows,
    left: Vec<u32>,
    /// All variables, those that were left out at their bounds included.
    beta: Vec<f64>,
}

/// What ends a round.
pub(super) struct Aim {
    pub(super) tolerance: f64,
    pub(super) cap: u64,
    start: Instant,
    max_seconds: Option<f64>,
    may_leave_out: bool,
}

impl Aim {
    pub(super) fn is_out_of_time(&self) -> bool {
        let seconds = self.start.elapsed().as_secs_f64();
        self.max_seconds.is_some_and(|limit| seconds > limit)
    }
}

impl DenseSolver {
    /// A solver without buffers.
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes room for a matrix of order `n`, to be filled row by row by the caller.
    pub fn matrix_mut(&mut self, n: usize) -> &mut [f32] {
        self.whole.reset(n, 1, true);
        &mut self.whole.values
    }

    /// The matrix written last.
    pub fn matrix(&self) -> &[f32] {
        &self.whole.values
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
        let n = self.whole.order;
        self.whole.diagonal.clear();
        let entries = (0..n).map(|t| self.whole.values[t * n + t]);
        self.whole.diagonal.extend(entries);
        self.solve_all(problem, limits, solution, &mut |_, _| ());
    }

    /// As [`DenseSolver::solve_into`] with a matrix of which `write_rows` writes the rows that are
    /// asked for.
    pub fn solve_by_rows(
        &mut self,
        diagonal: &[f32],
        write_rows: &mut WriteRows<'_>,
        problem: &Problem,
        limits: &Limits,
        solution: &mut Solution,
    ) {
        self.whole.reset(diagonal.len(), ROWS_AT_ONCE, false);
        self.whole.diagonal.extend_from_slice(diagonal);
        self.solve_all(problem, limits, solution, write_rows);
    }

    fn solve_all(
        &mut self,
        problem: &Problem,
        limits: &Limits,
        solution: &mut Solution,
        write_rows: &mut WriteRows<'_>,
    ) {
        self.state.beta.clone_from(&problem.start);
        let (iterations, status) = self.run(problem, limits, write_rows);
        solution.iterations = iterations;
        solution.status = status;
        solution.beta.clone_from(&self.state.beta);
        solution.gradient.clone_from(&self.state.gradient);
        solution.objective = objective(&solution.beta, &solution.gradient, &problem.linear);
    }

    fn run(
        &mut self,
        problem: &Problem,
        limits: &Limits,
        write_rows: &mut WriteRows<'_>,
    ) -> (u64, Status) {
        let n = problem.linear.len();
        let cap = limits.max_iterations.unwrap_or_else(|| default_cap(n));
        let may_leave_out = limits.shrinking && n >= MIN_SHRINKABLE;
        let mut aim = Aim {
            tolerance: limits.tolerance,
            cap,
            start: Instant::now(),
            max_seconds: limits.max_seconds,
            may_leave_out,
        };
        // Pair updates until second-order steps take over; these know of one sum that stays.
        let mut patience = match problem.groups {
            Some(_) => u64::MAX,
            None => PATIENCE * n as u64,
        };
        let (mut pairs, mut steps) = (0, 0);
        let mut ended = None;
        let mut round = 0;
        loop {
            self.take_all(problem, write_rows);
            let (_, violation) = worst(&self.state.scan());
            if violation < limits.tolerance || violation.is_nan() {
                return (pairs + steps, Status::Converged);
            }
            if let Some(status) = ended {
                return (pairs + steps, status);
            }
            aim.cap = cap - pairs - steps;
            aim.tolerance = limits.tolerance;
            if pairs >= patience && self.state.n_free() > MOST_FREE {
                patience = u64::MAX;
            }
            if pairs >= patience && pairs < self.state.cost_of_factor() {
                // Should not cost more than all that came before.
                patience = self.state.cost_of_factor();
                aim.may_leave_out = may_leave_out;
            }
            let status = if pairs >= patience {
                let mut rows = Source {
                    whole: &mut self.whole,
                    part: &mut self.part,
                    write_rows,
                };
                let linear = &problem.linear;
                let (more, status) =
                    self.free_set
                        .descend(&mut self.state, linear, &mut rows, &aim);
                steps += more;
                patience = patience.saturating_mul(MORE_PATIENCE);
                status
            } else {
                aim.cap = aim.cap.min(patience - pairs);
                let may_be_single = round < SINGLE_ROUNDS;
                round += 1;
                let (more, status, is_final) =
                    self.pair_round(limits, write_rows, &mut aim, may_be_single);
                pairs += more;
                if is_final {
                    return (pairs + steps, status);
                }
                aim.may_leave_out = false;
                status
            };
            // Whether the last of them converged is for the next look to say.
            if status == Status::TimeLimit {
                ended = Some(status);
            } else if pairs + steps >= cap {
                ended = Some(Status::IterationLimit);
            }
        }
    }

    /// Moves pairs, in single precision where that may be and is enough. Returns their number, how
    /// it ended, and whether that is the answer because all variables have their gradient already.
    fn pair_round(
        &mut self,
        limits: &Limits,
        write_rows: &mut WriteRows<'_>,
        aim: &mut Aim,
        may_be_single: bool,
    ) -> (u64, Status, bool) {
        let mut rows = Source {
            whole: &mut self.whole,
            part: &mut self.part,
            write_rows,
        };
        if may_be_single && self.state.single_is_enough(limits) {
            aim.tolerance = SINGLE_AIM * limits.tolerance;
            aim.cap = aim.cap.min(SINGLE_UPDATES * self.state.beta.len() as u64);
            self.single.follow(&self.state);
            let (more, status) = update_pairs(&mut self.single, &mut rows, aim);
            self.part.merge(&self.single.beta, &mut self.state.beta);
            return (more, status, false);
        }
        let (more, status) = update_pairs(&mut self.state, &mut rows, aim);
        if self.part.left.is_empty() && status == Status::Converged {
            return (more, status, true);
        }
        let beta = std::mem::take(&mut self.state.beta);
        self.part.merge(&beta, &mut self.state.beta);
        (more, status, false)
    }

    /// Makes all variables active, at the values in `state.beta`.
    fn take_all(&mut self, problem: &Problem, write_rows: &mut WriteRows<'_>) {
        let n = problem.linear.len();
        let state = &mut self.state;
        self.part.left.clear();
        state.lower.clone_from(&problem.lower);
        state.upper.clone_from(&problem.upper);
        state.gradient.clone_from(&problem.linear);
        let moved: Vec<usize> = (0..n).filter(|&t| state.beta[t] != 0.0).collect();
        for &t in &moved {
            self.whole.ensure(t, |rows, out| write_rows(rows, out));
        }
        let factors: Vec<f64> = moved.iter().map(|&t| state.beta[t]).collect();
        let rows: Vec<&[f32]> = moved.iter().map(|&t| self.whole.row(t)).collect();
        add_scaled_rows(&mut state.gradient, &rows, &factors);
        state.diagonal.clone_from(&self.whole.diagonal);
        state.active = n;
        state.split = match &problem.groups {
            Some(groups) => groups.partition_point(|&group| group == 0),
            None => n,
        };
        state.refresh();
    }
}

impl<T: GradientReal> PairState<T> {
    /// Takes over a state in double precision.
    fn follow(&mut self, other: &PairState) {
        self.beta.clone_from(&other.beta);
        self.lower.clone_from(&other.lower);
        self.upper.clone_from(&other.upper);
        self.diagonal.clone_from(&other.diagonal);
        self.gradient.clear();
        let rounded = other.gradient.iter().map(|&value| T::from_f64(value));
        self.gradient.extend(rounded);
        self.split = other.split;
        self.active = other.active;
        self.refresh();
    }
}

impl PairState {
    /// Whether rounding to single precision stays far below the tolerance: an update adds at most
    /// the room of a variable times a diagonal entry.
    fn single_is_enough(&self, limits: &Limits) -> bool {
        let bounds = self.lower.iter().zip(&self.upper);
        let room = bounds.fold(0.0, |room: f64, (l, u)| room.max(u - l));
        let diagonal = &self.diagonal;
        let largest = diagonal.iter().fold(1.0, |most: f32, &d| most.max(d));
        let error = f64::from(f32::EPSILON) / 2.0 * room.max(1.0) * f64::from(largest);
        SINGLE_ERRORS * error <= limits.tolerance
    }

    /// Pair updates that cost as much as a factor of the matrix of the free variables.
    fn cost_of_factor(&self) -> u64 {
        (self.n_free() as u64).pow(3) / (UPDATE_FLOPS * self.beta.len() as u64).max(1)
    }

    /// Variables that no bound holds.
    fn n_free(&self) -> usize {
        (0..self.beta.len()).filter(|&t| self.is_free(t)).count()
    }
}

/// Where rows come from.
pub(super) struct Source<'a, 'w> {
    whole: &'a mut Rows,
    part: &'a mut Part,
    write_rows: &'a mut WriteRows<'w>,
}

impl Source<'_, '_> {
    /// Makes sure that the row of a variable is there, by its present position.
    pub(super) fn ensure(&mut self, t: usize) {
        let Self {
            whole,
            part,
            write_rows,
        } = self;
        if part.left.is_empty() {
            whole.ensure(t, |rows, out| write_rows(rows, out));
            return;
        }
        let left = &part.left;
        part.compact.ensure(t, |_, row| {
            let t = left[t] as usize;
            whole.ensure(t, |rows, out| write_rows(rows, out));
            let source = whole.row(t);
            for (value, &u) in row.iter_mut().zip(left) {
                *value = source[u as usize];
            }
        });
    }

    /// A row that is there.
    pub(super) fn row(&self, t: usize) -> &[f32] {
        if self.part.left.is_empty() {
            self.whole.row(t)
        } else {
            self.part.compact.row(t)
        }
    }
}

/// Pair updates from the present state on. Returns their number, and why they ended.
fn update_pairs<T: GradientReal>(
    state: &mut PairState<T>,
    rows: &mut Source<'_, '_>,
    aim: &Aim,
) -> (u64, Status) {
    let first_look = (state.beta.len() / 2) as u64;
    let mut may_leave_out = aim.may_leave_out;
    let mut scans = state.scan();
    let mut iterations = 0;
    loop {
        let (group, violation) = worst(&scans);
        if violation < aim.tolerance || violation.is_nan() {
            return (iterations, Status::Converged);
        }
        if iterations >= aim.cap {
            return (iterations, Status::IterationLimit);
        }
        if iterations % CLOCK_INTERVAL == CLOCK_INTERVAL - 1 && aim.is_out_of_time() {
            return (iterations, Status::TimeLimit);
        }
        match pair_update(state, rows, group, &scans) {
            Some(next) => scans = next,
            None => return (iterations, Status::Converged),
        }
        iterations += 1;
        if may_leave_out && iterations == first_look {
            may_leave_out = false;
            rows.part.leave_out(state, &scans);
            scans = state.scan();
        }
    }
}

/// One pair update; `None` if no pair promises anything.
fn pair_update<T: GradientReal>(
    state: &mut PairState<T>,
    rows: &mut Source<'_, '_>,
    group: usize,
    scans: &Scans,
) -> Option<Scans> {
    let i = scans[group].argmax_up;
    rows.ensure(i);
    let j = state.partner(i, group, &scans[group], rows.row(i))?;
    rows.ensure(j);
    let (row_i, row_j) = (rows.row(i), rows.row(j));
    let step = state.take_step(i, j, row_i[j]);
    Some(state.update(row_i, row_j, step))
}

impl Part {
    /// Leaves out the variables that are at a bound and want to stay there, if they are many.
    fn leave_out<T: GradientReal>(&mut self, state: &mut PairState<T>, scans: &Scans) {
        let n = state.beta.len();
        let stays: Vec<u32> = (0..n)
            .filter(|&t| !state.is_settled(t, scans))
            .map(|t| t as u32)
            .collect();
        let m = stays.len();
        if m == 0 || 4 * m > 3 * n {
            return;
        }
        self.beta.clone_from(&state.beta);
        self.compact.reset(m, 1, false);
        for values in [&mut state.beta, &mut state.lower, &mut state.upper] {
            keep(values, &stays);
        }
        keep(&mut state.gradient, &stays);
        keep(&mut state.diagonal, &stays);
        state.split = stays.partition_point(|&t| (t as usize) < state.split);
        state.active = m;
        state.refresh();
        self.left = stays;
    }

    /// All variables, of which `beta` holds those that were left.
    fn merge(&mut self, beta: &[f64], all: &mut Vec<f64>) {
        if self.left.is_empty() {
            all.clear();
            all.extend_from_slice(beta);
            return;
        }
        for (&t, &value) in self.left.iter().zip(beta) {
            self.beta[t as usize] = value;
        }
        self.left.clear();
        all.clone_from(&self.beta);
    }
}

/// The values at the given places, which ascend.
fn keep<T: Copy>(values: &mut Vec<T>, places: &[u32]) {
    for (at, &place) in places.iter().enumerate() {
        values[at] = values[place as usize];
    }
    values.truncate(places.len());
}
