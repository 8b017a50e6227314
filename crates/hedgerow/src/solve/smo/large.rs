//! SMO on a matrix of any size, with shrinking.
//!
//! Variables that sit at a bound with a gradient beyond the present violation are left out: the
//! matrix is reordered so that the active ones stand first. Before the end they are looked at
//! again: their gradient is brought up to date by the columns of the variables that have moved
//! since they were left out.

use super::dense::DenseSolver;
use super::pair::{PairState, Scans, default_cap, objective, worst};
use super::{Limits, Problem, Solution, SymmetricMatrix};
use crate::Status;
use crate::linalg::{Scan, up_penalty};
use std::time::Instant;

/// Problems up to this order are solved on their whole matrix.
const WHOLE_MATRIX: usize = 1200;
/// Rows asked for together when one is missing.
const LOOK_AHEAD: usize = 16;
/// Iterations between two attempts to shrink.
const SHRINK_INTERVAL: u64 = 1000;
/// Share of the active variables that must go for a reordering to be worth its cost.
const SHRINK_SHARE: f64 = 0.25;
/// Iterations between two looks at the clock.
const CLOCK_INTERVAL: u64 = 256;

struct LargeState {
    pair: PairState,
    linear: Vec<f64>,
    groups: Option<Vec<u8>>,
    /// Variable of the problem that stands at each position.
    ids: Vec<u32>,
    /// What was left out, oldest first; the positions of the oldest stand last.
    generations: Vec<Generation>,
}

/// Variables that were left out together.
struct Generation {
    positions: std::ops::Range<usize>,
    /// All variables (by number, not position) when they were left out: their gradient is of then.
    beta: Vec<f64>,
}

/// Solves a problem of any size; small ones on their whole matrix in `workspace`. The matrix may be
/// left in another order: bind it anew for another problem.
pub fn solve(
    matrix: &mut impl SymmetricMatrix,
    problem: &Problem,
    limits: &Limits,
    workspace: &mut DenseSolver,
) -> Solution {
    let n = problem.linear.len();
    debug_assert_eq!(matrix.len(), n);
    // Groups must be contiguous.
    let mut order: Vec<u32> = (0..n as u32).collect();
    if let Some(groups) = &problem.groups {
        order.sort_by_key(|&t| groups[t as usize]);
    }
    let pick = |values: &[f64]| {
        order
            .iter()
            .map(|&t| values[t as usize])
            .collect::<Vec<f64>>()
    };
    let sorted = Problem {
        linear: pick(&problem.linear),
        lower: pick(&problem.lower),
        upper: pick(&problem.upper),
        start: pick(&problem.start),
        groups: problem
            .groups
            .as_ref()
            .map(|groups| order.iter().map(|&t| groups[t as usize]).collect()),
    };
    let mut solution = if n <= WHOLE_MATRIX {
        let positions: Vec<usize> = order.iter().map(|&t| t as usize).collect();
        matrix.submatrix_into(&positions, workspace.matrix_mut(n));
        workspace.solve(&sorted, limits)
    } else {
        if !order.is_sorted() {
            matrix.permute(&order, n);
        }
        solve_sorted(matrix, sorted, limits)
    };
    if problem.groups.is_some() {
        let (mut beta, mut gradient) = (vec![0.0; n], vec![0.0; n]);
        for (position, &t) in order.iter().enumerate() {
            beta[t as usize] = solution.beta[position];
            gradient[t as usize] = solution.gradient[position];
        }
        solution.beta = beta;
        solution.gradient = gradient;
    }
    solution
}

fn solve_sorted(matrix: &mut impl SymmetricMatrix, problem: Problem, limits: &Limits) -> Solution {
    let n = problem.linear.len();
    let split = problem
        .groups
        .as_ref()
        .map_or(n, |groups| groups.partition_point(|&g| g == 0));
    let mut state = LargeState {
        pair: PairState {
            beta: problem.start,
            gradient: problem.linear.clone(),
            lower: problem.lower,
            upper: problem.upper,
            diagonal: matrix.diagonal().iter().map(|&k| k as f32).collect(),
            split,
            active: n,
            ..PairState::default()
        },
        linear: problem.linear,
        groups: problem.groups,
        ids: (0..n as u32).collect(),
        generations: Vec::new(),
    };
    state.pair.refresh();
    state.add_moves(matrix, 0..n, &vec![0.0; n]);
    let (iterations, status) = state.run(matrix, limits);
    if state.pair.active < n {
        // Stopped by a cap: the gradient of the inactive variables is stale.
        state.unshrink(matrix);
    }
    let mut solution = Solution {
        beta: vec![0.0; n],
        gradient: vec![0.0; n],
        objective: objective(&state.pair.beta, &state.pair.gradient, &state.linear),
        iterations,
        status,
    };
    for (position, &id) in state.ids.iter().enumerate() {
        solution.beta[id as usize] = state.pair.beta[position];
        solution.gradient[id as usize] = state.pair.gradient[position];
    }
    solution
}

impl LargeState {
    fn run(&mut self, matrix: &mut impl SymmetricMatrix, limits: &Limits) -> (u64, Status) {
        let n = self.pair.beta.len();
        let start = Instant::now();
        let cap = limits.max_iterations.unwrap_or_else(|| default_cap(n));
        let mut scans = self.pair.scan();
        let mut iterations = 0u64;
        let mut rechecked = false;
        let mut until_shrink = SHRINK_INTERVAL.min(n as u64);
        loop {
            let (group, violation) = worst(&scans);
            let mut done = violation < limits.tolerance || violation.is_nan();
            if !done {
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
                until_shrink = until_shrink.saturating_sub(1);
                if limits.shrinking && until_shrink == 0 {
                    until_shrink = SHRINK_INTERVAL.min(n as u64);
                    let near_the_end = violation < 10.0 * limits.tolerance;
                    if near_the_end && !rechecked {
                        // Variables shrunk by an early guess get a second chance.
                        rechecked = true;
                        if self.pair.active < n {
                            self.unshrink(matrix);
                            scans = self.pair.scan();
                        }
                    }
                    if self.shrink(matrix, &scans) {
                        scans = self.pair.scan();
                    }
                    continue;
                }
            }
            if !done {
                match self.iterate(matrix, group, &scans) {
                    Some(next) => {
                        scans = next;
                        iterations += 1;
                    }
                    // No partner: nothing can move in floating point.
                    None => done = true,
                }
            }
            if done {
                if self.pair.active == n {
                    return (iterations, Status::Converged);
                }
                self.unshrink(matrix);
                scans = self.pair.scan();
                until_shrink = SHRINK_INTERVAL.min(n as u64);
            }
        }
    }

    /// One pair update; `None` if there is no pair.
    fn iterate(
        &mut self,
        matrix: &mut impl SymmetricMatrix,
        group: usize,
        scans: &Scans,
    ) -> Option<Scans> {
        let active = self.pair.active;
        let i = scans[group].argmax_up;
        if matrix.has_row(i, active) {
            matrix.load_rows(&[i], active);
        } else {
            let mut wanted = vec![i];
            self.most_violating(
                group,
                LOOK_AHEAD - 1,
                |t| t != i && !matrix.has_row(t, active),
                &mut wanted,
            );
            matrix.load_rows(&wanted, active);
        }
        let j = self
            .pair
            .partner(i, group, &scans[group], matrix.row(i, active))?;
        if matrix.has_row(j, active) {
            matrix.load_rows(&[j], active);
        } else {
            let wanted = self.likely_partners(matrix, group, i, j);
            matrix.load_rows(&wanted, active);
        }
        let row_i = matrix.row(i, active);
        let row_j = matrix.row(j, active);
        let step = self.pair.take_step(i, j, row_i[j]);
        Some(self.pair.update(row_i, row_j, step))
    }

    /// Adds the `count` variables of a group that may grow and violate most among those accepted.
    fn most_violating(
        &self,
        group: usize,
        count: usize,
        accept: impl Fn(usize) -> bool,
        wanted: &mut Vec<usize>,
    ) {
        let pair = &self.pair;
        let mut candidates: Vec<(f64, u32)> = Vec::with_capacity(128);
        let mut threshold = f64::NEG_INFINITY;
        for t in pair.range(group) {
            let value = up_penalty(pair.sides[t]) - pair.gradient[t];
            if value > threshold && accept(t) {
                candidates.push((value, t as u32));
                if candidates.len() == 128 {
                    threshold = keep_largest(&mut candidates, count);
                }
            }
        }
        keep_largest(&mut candidates, count);
        candidates.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        wanted.extend(candidates.iter().map(|&(_, t)| t as usize));
    }

    /// `j`, then the partners that the next variables in line would choose, where missing.
    fn likely_partners(
        &self,
        matrix: &impl SymmetricMatrix,
        group: usize,
        i: usize,
        j: usize,
    ) -> Vec<usize> {
        let active = self.pair.active;
        let mut next = Vec::with_capacity(LOOK_AHEAD);
        self.most_violating(
            group,
            LOOK_AHEAD - 1,
            |t| t != i && matrix.has_row(t, active),
            &mut next,
        );
        let mut wanted = vec![j];
        for &t in &next {
            let scan = Scan {
                max_up: -self.pair.gradient[t],
                argmax_up: t,
                max_low: f64::NEG_INFINITY,
            };
            if let Some(partner) = self.pair.partner(t, group, &scan, matrix.row(t, active))
                && !wanted.contains(&partner)
                && !matrix.has_row(partner, active)
            {
                wanted.push(partner);
            }
        }
        wanted
    }

    /// Moves settled variables behind the active ones if there are enough of them.
    fn shrink(&mut self, matrix: &mut impl SymmetricMatrix, scans: &Scans) -> bool {
        let pair = &self.pair;
        let active = pair.active;
        let mut settled = vec![false; active];
        let mut leaving = 0;
        let mut leaving_first = 0;
        for group in 0..2 {
            for t in pair.range(group) {
                let gone = pair.is_settled(t, scans);
                settled[t] = gone;
                leaving += usize::from(gone);
                leaving_first += usize::from(gone && group == 0);
            }
        }
        if (leaving as f64) < SHRINK_SHARE * active as f64 {
            return false;
        }
        let mut order: Vec<u32> = Vec::with_capacity(self.ids.len());
        order.extend((0..active as u32).filter(|&t| !settled[t as usize]));
        order.extend((0..active as u32).filter(|&t| settled[t as usize]));
        order.extend(active as u32..self.ids.len() as u32);
        self.permute(
            matrix,
            &order,
            self.pair.split - leaving_first,
            active - leaving,
        );
        let mut beta = vec![0.0; self.ids.len()];
        for (position, &id) in self.ids.iter().enumerate() {
            beta[id as usize] = self.pair.beta[position];
        }
        self.generations.push(Generation {
            positions: active - leaving..active,
            beta,
        });
        tracing::debug!(active = active - leaving, "shrunk");
        true
    }

    /// Brings the gradient of the inactive variables up to date and activates them.
    fn unshrink(&mut self, matrix: &mut impl SymmetricMatrix) {
        let n = self.ids.len();
        tracing::debug!(active = self.pair.active, "unshrinking");
        for generation in std::mem::take(&mut self.generations) {
            self.add_moves(matrix, generation.positions, &generation.beta);
        }
        if let Some(groups) = &self.groups {
            let mut order: Vec<u32> = (0..n as u32).collect();
            order.sort_by_key(|&t| groups[t as usize]);
            let split = order.partition_point(|&t| groups[t as usize] == 0);
            self.permute(matrix, &order, split, n);
        } else {
            self.pair.split = n;
            self.pair.active = n;
        }
    }

    fn permute(
        &mut self,
        matrix: &mut impl SymmetricMatrix,
        order: &[u32],
        split: usize,
        active: usize,
    ) {
        let pair = &mut self.pair;
        for values in [
            &mut pair.beta,
            &mut pair.gradient,
            &mut pair.lower,
            &mut pair.upper,
            &mut self.linear,
        ] {
            *values = order.iter().map(|&p| values[p as usize]).collect();
        }
        pair.diagonal = order.iter().map(|&p| pair.diagonal[p as usize]).collect();
        if let Some(groups) = &mut self.groups {
            *groups = order.iter().map(|&p| groups[p as usize]).collect();
        }
        self.ids = order.iter().map(|&p| self.ids[p as usize]).collect();
        pair.split = split;
        pair.active = active;
        pair.refresh();
        matrix.permute(order, active);
    }

    /// Adds to the gradient at `positions` what the moves since `from` (by number) make there.
    fn add_moves(
        &mut self,
        matrix: &impl SymmetricMatrix,
        positions: std::ops::Range<usize>,
        from: &[f64],
    ) {
        let (mut moved, mut steps) = (Vec::new(), Vec::new());
        for (position, &id) in self.ids.iter().enumerate() {
            let step = self.pair.beta[position] - from[id as usize];
            if step != 0.0 {
                moved.push(position);
                steps.push(step);
            }
        }
        if !moved.is_empty() {
            let start = positions.start;
            matrix.add_columns(&moved, &steps, start, &mut self.pair.gradient[positions]);
        }
    }
}

/// Keeps the `count` largest candidates, ties by position; returns the smallest kept violation.
fn keep_largest(candidates: &mut Vec<(f64, u32)>, count: usize) -> f64 {
    if candidates.len() <= count {
        return f64::NEG_INFINITY;
    }
    candidates.select_nth_unstable_by(count - 1, |a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    candidates.truncate(count);
    candidates[count - 1].0
}
