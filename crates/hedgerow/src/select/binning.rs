//! How a real feature becomes a discrete one.
//!
//! Every way ends in ascending *edges* $e_1 < e_2 < \dots$; the code of a value is
//! $\#\{j : x > e_j\}$, so segments are closed on the right.
//!
//! | binning | edges |
//! |---|---|
//! | [`Binning::Deviations`] | $\mu - s\sigma + j\,2s\sigma/(n-2)$ for $j = 0..n-2$: $n-2$ equal segments over $[\mu - s\sigma, \mu + s\sigma]$ and two unbounded ones |
//! | [`Binning::Quantiles`] | the $j/n$ quantiles |
//! | [`Binning::Values`] | every distinct value but the largest |
//!
//! $\sigma$ divides by the number of rows: with one less, a perfectly balanced 0/1 feature would
//! fall into the middle segment as a whole and lose all its information.

use super::columns::Columns;
use crate::error::ensure_positive;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// Most values that a discrete feature may have.
pub const MAX_CODES: usize = 256;

/// How real features become discrete.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Binning {
    /// Segments of equal width around the mean. The default, with 3 segments over 1 deviation.
    Deviations {
        /// Number of segments $n$: odd, at least 3.
        bins: usize,
        /// Half of the covered range in deviations, $s > 0$.
        deviations: f64,
    },
    /// Segments with equally many rows, as far as ties allow.
    Quantiles {
        /// Number of segments, at least 2.
        bins: usize,
    },
    /// The values are discrete as they are, at most [`MAX_CODES`] of them.
    Values,
}

impl Default for Binning {
    fn default() -> Self {
        Self::Deviations {
            bins: 3,
            deviations: 1.0,
        }
    }
}

impl Binning {
    /// An error that names the first setting out of its range.
    pub fn check(&self) -> Result<()> {
        let bins = |bins: usize, valid: bool, requirement| {
            if valid && bins <= MAX_CODES {
                return Ok(());
            }
            Err(Error::Parameter {
                name: "bins",
                value: bins as f64,
                requirement,
            })
        };
        match *self {
            Self::Deviations {
                bins: n,
                deviations,
            } => {
                bins(n, n >= 3 && n % 2 == 1, "odd, from 3 to 255")?;
                ensure_positive("deviations", deviations)
            }
            Self::Quantiles { bins: n } => bins(n, n >= 2, "from 2 to 256"),
            Self::Values => Ok(()),
        }
    }

    /// Number of segments, if it is fixed.
    fn bins(&self) -> Option<usize> {
        match *self {
            Self::Deviations { bins, .. } | Self::Quantiles { bins } => Some(bins),
            Self::Values => None,
        }
    }

    /// The ascending edges of a column; none if it is constant.
    pub(super) fn edges(&self, column: &[f64], keep_discrete: bool, f: usize) -> Result<Vec<f64>> {
        let Some(&first) = column.first() else {
            return Ok(Vec::new());
        };
        if column.iter().all(|&x| x == first) {
            return Ok(Vec::new());
        }
        if keep_discrete
            && let Some(bins) = self.bins()
            && let Some(mut values) = distinct(column, bins)
        {
            values.pop();
            return Ok(values);
        }
        let mut edges = match *self {
            Self::Deviations { bins, deviations } => {
                let (mean, deviation) = Columns::moments(column, f)?;
                let reach = deviations * deviation;
                let inner = (bins - 2) as f64;
                let edge = |j: usize| mean - reach + j as f64 * 2.0 * reach / inner;
                (0..bins - 1).map(edge).collect()
            }
            Self::Quantiles { bins } => {
                let mut sorted = column.to_vec();
                sorted.sort_unstable_by(f64::total_cmp);
                // The last value of each of the first n - 1 parts: values up to it belong to them.
                let edge = |j: usize| sorted[(j * sorted.len()).div_ceil(bins).max(1) - 1];
                (1..bins).map(edge).collect()
            }
            Self::Values => {
                let mut values = distinct(column, MAX_CODES).ok_or(Error::TooManyValues {
                    column: f + 1,
                    limit: MAX_CODES,
                })?;
                values.pop();
                values
            }
        };
        edges.dedup();
        Ok(edges)
    }
}

/// The distinct values, ascending, unless there are more than `limit`.
fn distinct(column: &[f64], limit: usize) -> Option<Vec<f64>> {
    /// Values up to which a pass over the column for each is faster than a search for each entry.
    const PASSES: usize = 6;
    let mut found: Vec<f64> = Vec::new();
    let mut last = f64::NEG_INFINITY;
    while found.len() <= PASSES.min(limit) {
        let next = smallest_above(column, last);
        if next == f64::INFINITY {
            return Some(found);
        }
        found.push(next);
        last = next;
    }
    if found.len() > limit {
        return None;
    }
    for &x in column {
        let at = found.partition_point(|&value| value < x);
        if found.get(at) != Some(&x) {
            if found.len() == limit {
                return None;
            }
            found.insert(at, x);
        }
    }
    Some(found)
}

/// The smallest value above a bound; infinity if there is none. In lanes, so that the loop is one
/// of vector instructions.
fn smallest_above(column: &[f64], bound: f64) -> f64 {
    let mut lanes = [f64::INFINITY; 8];
    let (chunks, rest) = column.as_chunks::<8>();
    let lower = |least: f64, x: f64| if x > bound && x < least { x } else { least };
    for chunk in chunks {
        for (least, &x) in lanes.iter_mut().zip(chunk) {
            *least = lower(*least, x);
        }
    }
    lanes
        .into_iter()
        .chain(rest.iter().copied())
        .fold(f64::INFINITY, lower)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(binning: Binning, column: &[f64], keep_discrete: bool) -> Vec<usize> {
        let edges = binning.edges(column, keep_discrete, 0).unwrap();
        column
            .iter()
            .map(|x| edges.iter().filter(|&e| x > e).count())
            .collect()
    }

    #[test]
    fn three_segments_are_closed_on_the_right() {
        // Mean 0, deviation 2: the edges themselves belong to the segments on their left.
        let column = [-2.0, 2.0, -2.0, 2.0];
        assert_eq!(codes(Binning::default(), &column, false), [0, 1, 0, 1]);
        let five = Binning::Deviations {
            bins: 5,
            deviations: 1.5,
        };
        // Edges -3, -1, 1, 3.
        assert_eq!(codes(five, &column, false), [1, 3, 1, 3]);
    }

    #[test]
    fn quantiles_split_evenly_and_keep_ties_together() {
        let thirds = Binning::Quantiles { bins: 3 };
        let column = [5.0, 1.0, 2.0, 6.0, 3.0, 4.0];
        assert_eq!(codes(thirds, &column, false), [2, 0, 0, 2, 1, 1]);
        let tied = [0.0, 0.0, 0.0, 0.0, 0.0, 1.0];
        assert_eq!(codes(thirds, &tied, false), [0, 0, 0, 0, 0, 1]);
    }

    #[test]
    fn few_values_keep_their_own_codes_on_request() {
        let column = [1.0, 1.0, 1.0, 1.0, 1.0, 1.1, 7.0];
        assert_eq!(codes(Binning::default(), &column, false)[5], 1);
        assert_eq!(
            codes(Binning::default(), &column, true),
            [0, 0, 0, 0, 0, 1, 2]
        );
        assert_eq!(
            codes(Binning::Values, &column, false),
            [0, 0, 0, 0, 0, 1, 2]
        );
    }

    #[test]
    fn distinct_values_are_found_however_many_there_are() {
        for n_values in [1, 2, 5, 6, 7, 8, 30] {
            let column: Vec<f64> = (0..97)
                .map(|i| f64::from(i * 31 % n_values) - 3.0)
                .collect();
            let expected: Vec<f64> = (0..n_values).map(|v| f64::from(v) - 3.0).collect();
            let count = n_values as usize;
            for limit in [count, count + 1, MAX_CODES] {
                assert_eq!(distinct(&column, limit).as_ref(), Some(&expected));
            }
            assert_eq!(distinct(&column, count - 1), None);
        }
        // Both zeros are one value.
        assert_eq!(distinct(&[0.0, -0.0, 1.0], 2).map(|v| v.len()), Some(2));
    }

    #[test]
    fn constant_columns_have_no_edges() {
        for binning in [
            Binning::default(),
            Binning::Quantiles { bins: 4 },
            Binning::Values,
        ] {
            assert!(binning.edges(&[0.1; 7], false, 0).unwrap().is_empty());
        }
    }
}
