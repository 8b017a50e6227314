//! The city-block distance, and widths of the city-block kernel from it.
//!
//! $\|x - x'\|_1 = \sum_f |x_f - x'_f|$ grows with a step in one column as with the same step spread
//! over several, so that many small differences do not hide behind a large one. The kernel
//! $e^{-\gamma\|x - x'\|_1}$ takes it without a square, and so do its widths:
//!
//! | word | $\gamma$ |
//! |---|---|
//! | `auto` | 1 / features |
//! | `scale` | 1 / (features × standard deviation of all entries): [`city_block_gamma_scale`] |
//! | `mean` | 1 / mean distance: [`city_block_gamma_mean`] |
//! | `q50` | $1/q_h$ with $q_h$ the percentile of the distances: [`city_block_gamma_from_distance`] |

use super::scalar::merge;
use super::width::{GAMMA_CAP, reciprocal_or_one, variance_of_entries};
use crate::data::{Row, SamplesView};
use crate::parallel::{Grain, map};

/// Columns whose values are gathered at once.
const COLUMNS: usize = 16;

/// $\sum_f |x_f - x'_f|$ of two rows, dense or sparse in any mixture. Features at or beyond
/// `n_features` are ignored; features that a row does not store are 0.
pub fn city_block_dist(x: Row<'_>, y: Row<'_>, n_features: usize) -> f64 {
    let mut sum = 0.0;
    merge(x, y, n_features, |u, v| sum += (u - v).abs());
    sum
}

/// $1/d$, at most [`GAMMA_CAP`].
pub fn city_block_gamma_from_distance(distance: f64) -> f64 {
    distance.recip().min(GAMMA_CAP)
}

/// 1 / (features × standard deviation of all entries); 1 when nothing varies.
pub fn city_block_gamma_scale(samples: SamplesView<'_>) -> f64 {
    reciprocal_or_one(samples.n_features() as f64 * variance_of_entries(samples).sqrt())
}

/// 1 / [`mean_city_block_dist`]; 1 when nothing varies.
pub fn city_block_gamma_mean(samples: SamplesView<'_>) -> f64 {
    reciprocal_or_one(mean_city_block_dist(samples))
}

/// Mean city-block distance of all ordered pairs of rows, a row with itself included, from sorted
/// columns: of ascending values $v_k$, the differences of all pairs sum up to
/// $\sum_k (2k + 1 - n) v_k$.
pub fn mean_city_block_dist(samples: SamplesView<'_>) -> f64 {
    let n = samples.n_rows() as f64;
    let columns = stored_columns(samples);
    let sums = map(columns.len().div_ceil(COLUMNS), Grain::COARSE, &|task| {
        let columns = columns.iter().skip(task * COLUMNS).take(COLUMNS);
        columns
            .map(|column| sum_of_differences(column, samples.n_rows()))
            .sum()
    });
    2.0 * sums.iter().sum::<f64>() / (n * n).max(1.0)
}

/// The values of every column other than 0.
fn stored_columns(samples: SamplesView<'_>) -> Vec<Vec<f64>> {
    let mut columns = vec![Vec::new(); samples.n_features()];
    for i in 0..samples.n_rows() {
        samples.row(i).for_each(|f, value| {
            if value != 0.0 {
                columns[f].push(value);
            }
        });
    }
    columns
}

/// Differences of all pairs among values, of which those that are 0 are not given.
fn sum_of_differences(values: &[f64], n_rows: usize) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let zeros = n_rows - sorted.len();
    // Relative to the middle value, so that a column far from 0 does not cancel.
    let below = sorted.partition_point(|&value| value < 0.0);
    let rank_of = |at: usize| if at < below { at } else { at + zeros };
    let middle = match n_rows / 2 {
        rank if rank < below => sorted[rank],
        rank if rank < below + zeros => 0.0,
        rank => sorted.get(rank - zeros).copied().unwrap_or(0.0),
    };
    let factor = |rank: usize| 2.0 * rank as f64 + 1.0 - n_rows as f64;
    let stored = sorted.iter().enumerate();
    let stored: f64 = stored
        .map(|(at, &value)| factor(rank_of(at)) * (value - middle))
        .sum();
    // Ranks from `below` on, one for every 0: factors of an arithmetic progression.
    let of_zeros = zeros as f64 * (2.0 * below as f64 + zeros as f64 - n_rows as f64);
    stored - of_zeros * middle
}
