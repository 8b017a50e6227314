//! Columns mapped to the ranks of their values.
//!
//! A value $x$ of a column with the training values $x_1, \dots, x_n$ has the mid-rank share
//!
//! $$ p(x) = \frac{\#\{i : x_i < x\} + \tfrac12 \#\{i : x_i = x\}}{n} \in (0, 1) $$
//!
//! and the image $\sqrt{12}\,(p - \tfrac12)$ ([`Spread::Uniform`]) or $\Phi^{-1}(p)$
//! ([`Spread::Normal`]): for a column of many distinct values both have mean 0 and deviation 1, as
//! after standardising, but no value is far from the others however far it was in the data.
//!
//! | symbol | name in the code |
//! |---|---|
//! | value $x$ and its image, ascending | [`Knots`] |
//!
//! Between training values the image is interpolated, outside of them it stays at the ends.

use super::SamplesView;
use crate::special::normal_quantile;
use serde::{Deserialize, Serialize};

/// Values a column remembers at most; of more distinct ones those at evenly spaced ranks.
const MAX_KNOTS: usize = 512;

/// Rows that are looked at, at most: of more, every so many-th.
const MAX_ROWS: usize = 1 << 18;

/// How the images of ranks are spread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Spread {
    /// Evenly, with deviation 1: from $-\sqrt3$ to $\sqrt3$.
    Uniform,
    /// As a standard normal variable.
    Normal,
}

impl Spread {
    fn image(self, share: f64) -> f64 {
        match self {
            Self::Uniform => 12f64.sqrt() * (share - 0.5),
            Self::Normal => normal_quantile(share),
        }
    }
}

/// Values of one column with their images, both strictly ascending; none for a constant column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Knots {
    /// The constant of a column without knots.
    constant: f64,
    values: Vec<f64>,
    images: Vec<f64>,
}

impl Knots {
    /// From the values of a column, of which `zeros` more are 0.
    fn fit(mut stored: Vec<f64>, zeros: usize, spread: Spread) -> Self {
        stored.sort_unstable_by(f64::total_cmp);
        let n = (stored.len() + zeros) as f64;
        let runs = runs(&stored, zeros);
        let mut knots = Self {
            constant: runs.first().map_or(0.0, |run| run.0),
            values: Vec::new(),
            images: Vec::new(),
        };
        if runs.len() < 2 {
            return knots;
        }
        let mut below = 0usize;
        // The ends and the values that hold an evenly spaced rank are kept.
        let apart = (n / (MAX_KNOTS - 2) as f64).max(1.0);
        let mut next = 0.0;
        for (at, &(value, count)) in runs.iter().enumerate() {
            let up_to = (below + count) as f64;
            let is_end = at == 0 || at + 1 == runs.len();
            if runs.len() <= MAX_KNOTS || is_end || up_to > next {
                let image = spread.image((below as f64 + 0.5 * count as f64) / n);
                knots.values.push(value);
                knots.images.push(image);
                while next < up_to {
                    next += apart;
                }
            }
            below += count;
        }
        knots
    }

    pub(super) fn image(&self, value: f64) -> f64 {
        interpolated(&self.values, &self.images, value).unwrap_or(0.0)
    }

    pub(super) fn inverse(&self, image: f64) -> f64 {
        interpolated(&self.images, &self.values, image).unwrap_or(self.constant)
    }

    /// True unless a damaged file made it nonsense.
    pub(super) fn is_consistent(&self) -> bool {
        let ascending = |values: &[f64]| {
            values.iter().all(|v| v.is_finite()) && values.windows(2).all(|pair| pair[0] < pair[1])
        };
        self.constant.is_finite()
            && self.values.len() == self.images.len()
            && ascending(&self.values)
            && ascending(&self.images)
    }
}

/// The line through the points at `x`; `None` without points.
fn interpolated(from: &[f64], to: &[f64], x: f64) -> Option<f64> {
    let above = from.partition_point(|&knot| knot <= x);
    if above == 0 {
        return to.first().copied();
    }
    let low = above - 1;
    if above == from.len() || from[low] == x {
        return Some(to[low]);
    }
    // Halves, because the difference of two finite values may overflow.
    let part = (0.5 * x - 0.5 * from[low]) / (0.5 * from[above] - 0.5 * from[low]);
    Some(to[low] + (to[above] - to[low]) * part)
}

/// Distinct values with their counts, ascending; `zeros` values 0 are added.
fn runs(sorted: &[f64], zeros: usize) -> Vec<(f64, usize)> {
    let mut runs: Vec<(f64, usize)> = Vec::new();
    let mut add = |value: f64, count: usize| match runs.last_mut() {
        Some(last) if last.0 == value => last.1 += count,
        _ => runs.push((value, count)),
    };
    let mut zeros = zeros;
    for &value in sorted {
        if zeros > 0 && value >= 0.0 {
            add(0.0, std::mem::take(&mut zeros));
        }
        add(value, 1);
    }
    if zeros > 0 {
        add(0.0, zeros);
    }
    runs
}

/// The knots of every column. Rows must be finite.
pub(super) fn fit(samples: SamplesView<'_>, spread: Spread) -> Vec<Knots> {
    let step = samples.n_rows().div_ceil(MAX_ROWS).max(1);
    let looked_at = samples.n_rows().div_ceil(step);
    match samples {
        SamplesView::Dense {
            n_features, values, ..
        } => (0..n_features)
            .map(|f| {
                let column = values.iter().skip(f).step_by(step * n_features);
                Knots::fit(column.copied().collect(), 0, spread)
            })
            .collect(),
        SamplesView::Sparse { n_features, .. } => {
            let mut columns = vec![Vec::new(); n_features];
            for i in (0..samples.n_rows()).step_by(step) {
                samples.row(i).for_each(|f, value| columns[f].push(value));
            }
            let fitted = columns.into_iter().map(|stored| {
                let zeros = looked_at - stored.len();
                Knots::fit(stored, zeros, spread)
            });
            fitted.collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_mid_ranks() {
        let knots = Knots::fit(vec![3.0, 1.0, 1.0, 7.0], 0, Spread::Uniform);
        let root = 12f64.sqrt();
        for (value, share) in [(1.0, 0.25), (3.0, 0.625), (7.0, 0.875), (5.0, 0.75)] {
            assert!((knots.image(value) - root * (share - 0.5)).abs() < 1e-15);
        }
        assert_eq!(knots.image(-1e300), knots.image(1.0));
        assert_eq!(knots.image(1e300), knots.image(7.0));
        assert!((knots.inverse(knots.image(5.0)) - 5.0).abs() < 1e-12);
    }

    #[test]
    fn zeros_that_are_not_stored_count() {
        let sparse = Knots::fit(vec![2.0, -1.0], 2, Spread::Normal);
        let dense = Knots::fit(vec![0.0, 2.0, 0.0, -1.0], 0, Spread::Normal);
        assert_eq!(sparse, dense);
        assert_eq!(
            Knots::fit(vec![-1.0], 3, Spread::Normal).image(0.0),
            normal_quantile(0.625)
        );
    }

    #[test]
    fn many_values_keep_few_knots_close_to_the_ranks() {
        let n = 20_000;
        let values: Vec<f64> = (0..n).map(|i| f64::from(i).powi(3)).collect();
        let knots = Knots::fit(values.clone(), 0, Spread::Uniform);
        assert!(knots.values.len() <= MAX_KNOTS);
        for (i, &value) in values.iter().enumerate() {
            let share = (i as f64 + 0.5) / f64::from(n);
            let found = knots.image(value) / 12f64.sqrt() + 0.5;
            assert!((found - share).abs() < 1.5 / (MAX_KNOTS - 2) as f64);
        }
    }

    #[test]
    fn a_constant_column_is_zero_and_remembers_itself() {
        let knots = Knots::fit(vec![4.0; 3], 0, Spread::Uniform);
        assert_eq!(knots.image(9.0), 0.0);
        assert_eq!(knots.inverse(0.0), 4.0);
        let extreme = Knots::fit(vec![f64::MIN, f64::MAX], 0, Spread::Uniform);
        assert_eq!(extreme.image(0.0), 0.0);
        assert!(extreme.is_consistent());
    }
}
