//! The smoothed leave-one-out loss and its slope.

use super::pool::{Goal, Pool};
use crate::linalg::{add_squared_differences, weighted_squared_distances};
use crate::parallel::{Grain, map};
use std::ops::Range;

/// Rows of one task. Fixed, so that sums do not depend on the number of threads.
const TASK: usize = 64;
/// A share of the right class below which a row is given up: it may be mislabelled.
pub(super) const FLOOR: f64 = 1e-3;

/// Rows, and of each the rows near it.
#[derive(Debug, Clone, Default)]
pub(super) struct Lists {
    pub(super) queries: Vec<u32>,
    /// One list after the other, all of the same length.
    pub(super) members: Vec<u32>,
    pub(super) length: usize,
}

/// What the objective says of some weights.
#[derive(Debug, Clone)]
pub(super) struct Value {
    pub(super) loss: f64,
    /// By the logarithm of each group's weight; empty if it was not asked for.
    pub(super) gradient: Vec<f64>,
}

/// Logarithms of the weights of the groups, for columns as they were given.
pub(super) fn squared_factors(pool: &Pool, log_weights: &[f64]) -> Vec<f32> {
    let mut squares: Vec<f32> = log_factors(pool, log_weights)
        .map(|log| (2.0 * log).exp() as f32)
        .collect();
    squares.resize(pool.width, 0.0);
    squares
}

/// What a column of the pool is multiplied by, as logarithms.
pub(super) fn log_factors<'a>(
    pool: &'a Pool,
    log_weights: &'a [f64],
) -> impl Iterator<Item = f64> + 'a {
    let columns = pool.group_of.iter().zip(&pool.log_deviations);
    columns.map(|(&group, deviation)| log_weights[group as usize] + deviation)
}

/// Mean loss of the rows of a part of the lists, and its slope if it is wanted.
pub(super) fn evaluate(
    pool: &Pool,
    lists: &Lists,
    part: Range<usize>,
    log_weights: &[f64],
    slope: bool,
) -> Value {
    let squares = squared_factors(pool, log_weights);
    let parts = map(part.len().div_ceil(TASK), Grain::COARSE, &|task| {
        let from = part.start + task * TASK;
        let queries = from..part.end.min(from + TASK);
        of_rows(pool, lists, queries, &squares, slope)
    });
    let (mut loss, mut weight) = (0.0, 0.0);
    let mut sums = vec![0.0; if slope { pool.width } else { 0 }];
    for one in parts {
        loss += one.loss;
        weight += one.weight;
        for (sum, value) in sums.iter_mut().zip(one.slopes) {
            *sum += value;
        }
    }
    let mut gradient = vec![0.0; if slope { pool.n_groups } else { 0 }];
    let columns = pool.group_of.iter().zip(&squares);
    for ((&group, &square), sum) in columns.zip(sums) {
        gradient[group as usize] += 2.0 * f64::from(square) * sum / weight;
    }
    Value {
        loss: loss / weight,
        gradient,
    }
}

/// Sums over the rows of one task.
struct Sums {
    loss: f64,
    weight: f64,
    slopes: Vec<f64>,
}

fn of_rows(
    pool: &Pool,
    lists: &Lists,
    queries: Range<usize>,
    squares: &[f32],
    slope: bool,
) -> Sums {
    let k = lists.length;
    let mut distances = vec![0.0f32; k];
    let mut shares = vec![0.0f64; k];
    let mut factors = vec![0.0f32; k];
    let mut of_row = vec![0.0f32; if slope { pool.width } else { 0 }];
    let mut total = Sums {
        loss: 0.0,
        weight: 0.0,
        slopes: vec![0.0; of_row.len()],
    };
    for at in queries {
        let query = lists.queries[at] as usize;
        let members = &lists.members[at * k..(at + 1) * k];
        let row = pool.row(query);
        weighted_squared_distances(&pool.rows, members, row, squares, &mut distances);
        softmax(&distances, &mut shares);
        let loss = loss_of(&pool.goal, query, members, &shares, &mut factors);
        let weight = pool.weights[query];
        total.loss += weight * loss;
        total.weight += weight;
        if slope {
            of_row.fill(0.0);
            add_squared_differences(&pool.rows, members, &factors, row, &mut of_row);
            for (sum, &value) in total.slopes.iter_mut().zip(&of_row) {
                *sum += weight * f64::from(value);
            }
        }
    }
    total
}

/// Shares of the rows of a list.
fn softmax(distances: &[f32], shares: &mut [f64]) {
    let nearest = distances.iter().copied().fold(f32::INFINITY, f32::min);
    let mut sum = 0.0;
    for (share, &distance) in shares.iter_mut().zip(distances) {
        let behind = f64::from(distance) - f64::from(nearest);
        // Two infinite distances are equally far.
        *share = if behind.is_nan() {
            1.0
        } else {
            (-behind).exp()
        };
        sum += *share;
    }
    for share in shares.iter_mut() {
        *share /= sum;
    }
}

/// The loss of one row; its slope by each squared distance goes to `factors`.
fn loss_of(goal: &Goal, query: usize, members: &[u32], shares: &[f64], factors: &mut [f32]) -> f64 {
    let each = members.iter().zip(shares);
    match goal {
        Goal::Classes(codes) => {
            let same = |member: u32| f64::from(codes[member as usize] == codes[query]);
            let right: f64 = each.map(|(&member, share)| share * same(member)).sum();
            let each = members.iter().zip(shares).zip(factors);
            for ((&member, share), factor) in each {
                *factor = (share * (same(member) - right) / (right + FLOOR)) as f32;
            }
            -((right + FLOOR) / (1.0 + FLOOR)).ln()
        }
        Goal::Real(targets) => {
            let mean: f64 = each.map(|(&j, share)| share * targets[j as usize]).sum();
            let missed = mean - targets[query];
            let each = members.iter().zip(shares).zip(factors);
            for ((&member, share), factor) in each {
                let beyond = targets[member as usize] - mean;
                *factor = (-2.0 * missed * share * beyond) as f32;
            }
            missed * missed
        }
    }
}

#[cfg(test)]
#[path = "objective_tests.rs"]
mod tests;
