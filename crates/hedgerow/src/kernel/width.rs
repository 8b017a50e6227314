//! Widths from the data: percentiles of pairwise distances, and moments.
//!
//! | document | here |
//! |---|---|
//! | $q_h[d]$ | [`percentile`]: element $\min(n-1, \lfloor nh/100\rfloor)$ of the sorted list |
//! | $\gamma_h = 1/(2 q_h^2)$ | [`gamma_from_distance`] |
//! | $\sigma_h = 2 q_h^2$ | [`sigma_from_distance`] |
//! | $\eta_h = q_h$ | [`eta_from_distance`] |
//! | $\sigma^2 = \frac1{m^2}\sum_{ij}\|x_i-x_j\|^2 = 2\sum_f \mathrm{Var}_f$ | [`mean_sq_dist`] |
//!
//! Widths of the city-block kernel are defined in `city_block`.
//!
//! Duplicate rows make small percentiles 0. Then $\gamma$ is capped at $2^{20}$, and $\sigma$ and
//! $\eta$ stop at $2^{-20}$.

use super::Kernel;
use super::city_block::{city_block_dist, city_block_gamma_from_distance};
use super::distance::clamp;
use super::scalar::{euclidean_sq_dist, evaluate};
use crate::data::{Generator, SamplesView};
use crate::parallel::concat;
use crate::{Error, Result};
use rayon::prelude::*;

/// Largest $\gamma$ that a percentile can give.
pub const GAMMA_CAP: f64 = 1_048_576.0;
/// Smallest $\sigma$ and $\eta$ that a percentile can give.
pub const WIDTH_FLOOR: f64 = 1.0 / GAMMA_CAP;
/// Distances below this count as zero.
const SMALL_DISTANCE: f64 = 0.000_695;
/// More rows than this are sampled.
const MAX_ROWS: usize = 2000;
/// Rows of a neighbourhood that the reference estimator aims at.
const NEIGHBOURHOOD_ROWS: usize = 70;
/// Distances that the reference estimator takes at most.
const NEIGHBOURHOOD_PAIRS: usize = NEIGHBOURHOOD_ROWS * NEIGHBOURHOOD_ROWS;

/// The `h`-th percentile of ascending values; `None` without values.
pub fn percentile(sorted: &[f64], h: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    let index = (sorted.len() as f64 * h / 100.0).floor() as usize;
    Some(sorted[index.min(last)])
}

/// $1/(2 d^2)$, at most [`GAMMA_CAP`].
pub fn gamma_from_distance(distance: f64) -> f64 {
    if distance < SMALL_DISTANCE {
        return GAMMA_CAP;
    }
    (2.0 * distance * distance).recip()
}

/// $2 d^2$, at least [`WIDTH_FLOOR`].
pub fn sigma_from_distance(distance: f64) -> f64 {
    if distance < SMALL_DISTANCE {
        return WIDTH_FLOOR;
    }
    2.0 * distance * distance
}

/// $d$, at least [`WIDTH_FLOOR`].
pub fn eta_from_distance(distance: f64) -> f64 {
    distance.max(WIDTH_FLOOR)
}

/// $\gamma$ of a neighbourhood by the published programs' rule: of `n` points in the order of their
/// distance from the centre take every $\lfloor n/\min(70,n)\rfloor$-th, of their pairwise distances
/// the first 4900, and of those the percentile $100\cdot$`quantile`.
pub fn neighbourhood_gamma(
    n: usize,
    quantile: f64,
    distance: impl FnMut(usize, usize) -> f64,
) -> f64 {
    let distances = neighbourhood_distances(n, distance);
    gamma_from_distance(percentile(&distances, 100.0 * quantile).unwrap_or(0.0))
}

/// The sorted distances of [`neighbourhood_gamma`].
fn neighbourhood_distances(n: usize, mut distance: impl FnMut(usize, usize) -> f64) -> Vec<f64> {
    let stride = n.checked_div(n.min(NEIGHBOURHOOD_ROWS)).unwrap_or(1);
    let points: Vec<usize> = (0..n).step_by(stride).collect();
    let pairs = points
        .iter()
        .enumerate()
        .flat_map(|(at, &i)| points[at + 1..].iter().map(move |&j| (i, j)));
    let mut distances: Vec<f64> = pairs
        .take(NEIGHBOURHOOD_PAIRS)
        .map(|(i, j)| distance(i, j))
        .collect();
    distances.sort_unstable_by(f64::total_cmp);
    distances
}

/// Sorted distances between pairs of rows.
#[derive(Debug, Clone, PartialEq)]
pub struct PairDistances {
    sorted: Vec<f64>,
}

impl PairDistances {
    /// Kernel distances of all pairs of up to 2000 rows; of a seeded sample of 2000 beyond that.
    /// [`Kernel::Linear`] gives Euclidean distances. A precomputed kernel reads the samples as
    /// the kernel matrix of the rows among themselves.
    pub fn of(kernel: &Kernel, samples: SamplesView<'_>, seed: u64) -> Result<Self> {
        Self::among(samples, seed, &|i, j| distance(kernel, samples, i, j))?
            .ok_or_else(|| not_a_distance(kernel))
    }

    /// City-block distances of the same pairs of rows.
    pub fn city_block(samples: SamplesView<'_>, seed: u64) -> Result<Self> {
        Self::among(samples, seed, &|i, j| absolute(samples, i, j))?
            .ok_or_else(|| not_a_distance(&Kernel::city_block(1.0)))
    }

    /// Of all pairs of up to [`MAX_ROWS`] rows; `None` if a distance is no number.
    fn among(
        samples: SamplesView<'_>,
        seed: u64,
        distance: &(dyn Fn(usize, usize) -> f64 + Sync),
    ) -> Result<Option<Self>> {
        let n_rows = samples.n_rows();
        if n_rows == 0 {
            return Err(Error::NoRows);
        }
        let rows: Vec<usize> = if n_rows <= MAX_ROWS {
            (0..n_rows).collect()
        } else {
            Generator::new(seed).sample(n_rows, MAX_ROWS)
        };
        let mut sorted = concat(rows.len(), 1, &|at| {
            let i = rows[at.start];
            let partners = rows[at.end..].iter();
            partners.map(|&j| distance(i, j)).collect()
        });
        if sorted.iter().any(|value| value.is_nan()) {
            return Ok(None);
        }
        sorted.par_sort_unstable_by(f64::total_cmp);
        Ok(Some(Self { sorted }))
    }

    /// Kernel distances inside a neighbourhood, whose rows ascend in distance from the centre, by
    /// the rule of [`neighbourhood_gamma`].
    pub fn of_neighbourhood(kernel: &Kernel, samples: SamplesView<'_>) -> Result<Self> {
        Self::around(samples, |i, j| distance(kernel, samples, i, j))?
            .ok_or_else(|| not_a_distance(kernel))
    }

    /// City-block distances of the same pairs.
    pub fn city_block_of_neighbourhood(samples: SamplesView<'_>) -> Result<Self> {
        Self::around(samples, |i, j| absolute(samples, i, j))?
            .ok_or_else(|| not_a_distance(&Kernel::city_block(1.0)))
    }

    /// By the rule of [`neighbourhood_gamma`]; `None` if a distance is no number.
    fn around(
        samples: SamplesView<'_>,
        distance: impl FnMut(usize, usize) -> f64,
    ) -> Result<Option<Self>> {
        if samples.n_rows() == 0 {
            return Err(Error::NoRows);
        }
        let sorted = neighbourhood_distances(samples.n_rows(), distance);
        let is_number = sorted.iter().all(|value| !value.is_nan());
        Ok(is_number.then_some(Self { sorted }))
    }

    /// The `h`-th percentile; 0 for a single row.
    pub fn percentile(&self, h: f64) -> f64 {
        percentile(&self.sorted, h).unwrap_or(0.0)
    }

    /// $\gamma_h = 1/(2 q_h^2)$, capped.
    pub fn gamma(&self, h: f64) -> f64 {
        gamma_from_distance(self.percentile(h))
    }

    /// $1/q_h$, capped: the rate of the city-block kernel, if these are city-block distances.
    pub fn city_block_gamma(&self, h: f64) -> f64 {
        city_block_gamma_from_distance(self.percentile(h))
    }

    /// $\sigma_h = 2 q_h^2$, not below the floor.
    pub fn sigma(&self, h: f64) -> f64 {
        sigma_from_distance(self.percentile(h))
    }

    /// $\eta_h = q_h$, not below the floor.
    pub fn eta(&self, h: f64) -> f64 {
        eta_from_distance(self.percentile(h))
    }
}

fn distance(kernel: &Kernel, samples: SamplesView<'_>, i: usize, j: usize) -> f64 {
    let (x, y, n) = (samples.row(i), samples.row(j), samples.n_features());
    let squared = match kernel {
        // Spares the inner products.
        Kernel::Linear => euclidean_sq_dist(x, y, n),
        _ => clamp(evaluate(kernel, x, y, n).squared),
    };
    squared.sqrt()
}

fn absolute(samples: SamplesView<'_>, i: usize, j: usize) -> f64 {
    city_block_dist(samples.row(i), samples.row(j), samples.n_features())
}

fn not_a_distance(kernel: &Kernel) -> Error {
    Error::KernelUse {
        kernel: kernel.to_string(),
        problem: "a distance between training rows is not a number (values not finite, or no \
                  square kernel matrix numbered from 1)",
    }
}

/// Population variance of every feature, by deviations from the mean so that a column far from 0
/// does not cancel.
pub fn feature_variances(samples: SamplesView<'_>) -> Vec<f64> {
    let n_rows = samples.n_rows();
    let n = n_rows as f64;
    let mut means = vec![0.0; samples.n_features()];
    let mut stored = vec![0usize; samples.n_features()];
    for i in 0..n_rows {
        samples.row(i).for_each(|f, value| {
            means[f] += value;
            stored[f] += 1;
        });
    }
    for mean in &mut means {
        *mean /= n;
    }
    let absent = |(mean, &count): (&f64, &usize)| (n_rows - count) as f64 * mean * mean;
    let mut squares: Vec<f64> = means.iter().zip(&stored).map(absent).collect();
    for i in 0..n_rows {
        samples
            .row(i)
            .for_each(|f, value| squares[f] += (value - means[f]) * (value - means[f]));
    }
    for square in &mut squares {
        *square /= n;
    }
    squares
}

/// Mean squared distance of all ordered pairs of rows, a row with itself included:
/// $2\sum_f \mathrm{Var}_f$, at a cost linear in the data. The Gaussian $e^{-r^2/\sigma^2}$ of the
/// ranking methods has this $\sigma^2$.
pub fn mean_sq_dist(samples: SamplesView<'_>) -> f64 {
    2.0 * feature_variances(samples).iter().sum::<f64>()
}

/// $1/n$ for $n$ features; 1 without features.
pub fn gamma_auto(n_features: usize) -> f64 {
    (n_features.max(1) as f64).recip()
}

/// 1 / [`mean_sq_dist`]; 1 when nothing varies.
pub fn gamma_mean(samples: SamplesView<'_>) -> f64 {
    reciprocal_or_one(mean_sq_dist(samples))
}

/// scikit-learn's `scale`: 1 / (features × variance of all entries); 1 when nothing varies.
pub fn gamma_scale(samples: SamplesView<'_>) -> f64 {
    reciprocal_or_one(samples.n_features() as f64 * variance_of_entries(samples))
}

/// Population variance of all entries, whatever their column.
pub(super) fn variance_of_entries(samples: SamplesView<'_>) -> f64 {
    let n_values = samples.n_features() as f64 * samples.n_rows() as f64;
    let for_each = |visit: &mut dyn FnMut(f64)| {
        for i in 0..samples.n_rows() {
            samples
                .row(i)
                .values()
                .iter()
                .for_each(|&value| visit(value));
        }
    };
    let mut sum = 0.0;
    for_each(&mut |value| sum += value);
    let mean = sum / n_values;
    let mut squares = (n_values - samples.n_entries() as f64) * mean * mean;
    for_each(&mut |value| squares += (value - mean) * (value - mean));
    squares / n_values
}

pub(super) fn reciprocal_or_one(value: f64) -> f64 {
    if value > 0.0 { value.recip() } else { 1.0 }
}
