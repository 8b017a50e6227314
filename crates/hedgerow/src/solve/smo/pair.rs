//! The state of SMO and one pair update.

use crate::linalg::{GradientReal, Scan, low_penalty, side, up_penalty};
use std::ops::Range;

/// Curvature that stands in for one that is zero or negative.
const TINY_CURVATURE: f64 = 1e-12;

/// Variables, gradient and what the passes need of them, by position.
///
/// Positions before `split` are group 0, those from `split` to `active` group 1, the rest is
/// inactive. The gradient is kept in the precision `T`; variables always move in double precision,
/// so that the sums over the groups stay what they are.
#[derive(Debug, Default)]
pub(super) struct PairState<T = f64> {
    pub(super) beta: Vec<f64>,
    pub(super) gradient: Vec<T>,
    pub(super) lower: Vec<f64>,
    pub(super) upper: Vec<f64>,
    pub(super) diagonal: Vec<f32>,
    /// Which way each variable may move.
    pub(super) sides: Vec<T>,
    pub(super) split: usize,
    pub(super) active: usize,
}

/// What the last pass found in each group.
pub(super) type Scans = [Scan; 2];

/// Violation of optimality of a group.
pub(super) fn gap(scan: &Scan) -> f64 {
    scan.max_up + scan.max_low
}

impl<T: GradientReal> PairState<T> {
    /// To be called after `beta`, `lower`, `upper` or the order of the positions were changed.
    pub(super) fn refresh(&mut self) {
        let n = self.beta.len();
        self.sides.resize(n, T::ZERO);
        for t in 0..n {
            self.refresh_at(t);
        }
    }

    pub(super) fn refresh_at(&mut self, t: usize) {
        let (may_grow, may_shrink) = (self.beta[t] < self.upper[t], self.beta[t] > self.lower[t]);
        self.sides[t] = T::from_f64(side(may_grow, may_shrink));
    }

    pub(super) fn may_grow(&self, t: usize) -> bool {
        self.sides[t] >= T::ZERO
    }

    pub(super) fn may_shrink(&self, t: usize) -> bool {
        self.sides[t] <= T::ZERO
    }

    /// Whether no bound holds a variable.
    pub(super) fn is_free(&self, t: usize) -> bool {
        self.sides[t] == T::ZERO
    }

    /// Whether a variable is at a bound and pulls away from the others, so that it will hardly
    /// move again.
    pub(super) fn is_settled(&self, t: usize, scans: &Scans) -> bool {
        let scan = &scans[usize::from(t >= self.split)];
        let value = -self.gradient[t].to_f64();
        (!self.may_grow(t) && value > scan.max_up) || (!self.may_shrink(t) && value < -scan.max_low)
    }

    /// The positions of a group.
    pub(super) fn range(&self, group: usize) -> Range<usize> {
        if group == 0 {
            0..self.split
        } else {
            self.split..self.active
        }
    }

    /// The partner of `i` with the largest promised decrease, given the row of `i`.
    pub(super) fn partner(
        &self,
        i: usize,
        group: usize,
        scan: &Scan,
        row: &[f32],
    ) -> Option<usize> {
        let range = self.range(group);
        T::select_partner(
            &self.gradient[range.clone()],
            &self.sides[range.clone()],
            &row[range.clone()],
            &self.diagonal[range.clone()],
            scan.max_up,
            self.diagonal[i],
        )
        .map(|offset| range.start + offset)
    }

    /// Moves `i` up and `j` down by the best feasible amount, which it returns.
    pub(super) fn take_step(&mut self, i: usize, j: usize, k_ij: f32) -> f64 {
        let curvature =
            f64::from(self.diagonal[i]) + f64::from(self.diagonal[j]) - 2.0 * f64::from(k_ij);
        let curvature = if curvature > 0.0 {
            curvature
        } else {
            TINY_CURVATURE
        };
        let room_i = self.upper[i] - self.beta[i];
        let room_j = self.beta[j] - self.lower[j];
        let mut step = (self.gradient[j].to_f64() - self.gradient[i].to_f64()) / curvature;
        if step < room_i.min(room_j) {
            self.beta[i] += step;
            self.beta[j] -= step;
        } else {
            // Land exactly on the bound, so that it is recognised later.
            step = room_i.min(room_j);
            self.beta[i] = if room_i <= room_j {
                self.upper[i]
            } else {
                self.beta[i] + step
            };
            self.beta[j] = if room_j <= room_i {
                self.lower[j]
            } else {
                self.beta[j] - step
            };
        }
        self.refresh_at(i);
        self.refresh_at(j);
        step
    }

    /// Adds `step · (row_i − row_j)` to the gradient and looks for the next candidates.
    pub(super) fn update(&mut self, row_i: &[f32], row_j: &[f32], step: f64) -> Scans {
        [0, 1].map(|group| {
            let range = self.range(group);
            if range.is_empty() {
                return Scan {
                    max_up: f64::NEG_INFINITY,
                    argmax_up: 0,
                    max_low: f64::NEG_INFINITY,
                };
            }
            let mut scan = T::update_and_scan(
                &mut self.gradient[range.clone()],
                &row_i[range.clone()],
                &row_j[range.clone()],
                step,
                &self.sides[range.clone()],
            );
            scan.argmax_up += range.start;
            scan
        })
    }

    /// Looks for candidates without a change.
    pub(super) fn scan(&mut self) -> Scans {
        [0, 1].map(|group| {
            let range = self.range(group);
            let mut scan = Scan {
                max_up: f64::NEG_INFINITY,
                argmax_up: 0,
                max_low: f64::NEG_INFINITY,
            };
            for t in range {
                let (value, side) = (self.gradient[t].to_f64(), self.sides[t].to_f64());
                let up = up_penalty(side) - value;
                if up > scan.max_up {
                    scan.max_up = up;
                    scan.argmax_up = t;
                }
                scan.max_low = scan.max_low.max(value - low_penalty(side));
            }
            scan
        })
    }
}

/// The group with the larger violation, and that violation.
pub(super) fn worst(scans: &Scans) -> (usize, f64) {
    let gaps = [gap(&scans[0]), gap(&scans[1])];
    if gaps[1] > gaps[0] {
        (1, gaps[1])
    } else {
        (0, gaps[0])
    }
}

/// LIBSVM's cap on pair updates.
pub(super) fn default_cap(n: usize) -> u64 {
    (100 * n as u64).max(10_000_000)
}

/// $\tfrac12\beta^\top K\beta + p^\top\beta = \tfrac12 \beta^\top (F + p)$.
pub(crate) fn objective(beta: &[f64], gradient: &[f64], linear: &[f64]) -> f64 {
    let mut sum = 0.0;
    for t in 0..beta.len() {
        sum += beta[t] * (gradient[t] + linear[t]);
    }
    0.5 * sum
}
