//! Isotonic regression: the map from scores to values that never falls and is nearest to targets.
//!
//! $\min \sum_i (g(f_i) - t_i)^2$ over all $g$ that never fall. Neighbouring rows whose means are in
//! the wrong order are pooled until none are. Between the pools the map is linear, beyond the ends
//! constant.

use crate::error::ensure_shape;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// A map that never falls.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Isotonic {
    /// Ascending.
    scores: Vec<f64>,
    /// Never falling.
    values: Vec<f64>,
}

impl Isotonic {
    /// Fits scores, which are finite, to targets; an error without rows.
    pub fn fit(scores: &[f64], targets: &[f64]) -> Result<Self> {
        Self::fit_weighted(scores, targets, None)
    }

    /// As [`Isotonic::fit`], with a weight for each square; rows of weight 0 are passed over.
    pub fn fit_weighted(scores: &[f64], targets: &[f64], weights: Option<&[f64]>) -> Result<Self> {
        ensure_shape("targets of an isotonic fit", scores.len(), targets.len())?;
        if let Some(weights) = weights {
            ensure_shape("weights of an isotonic fit", scores.len(), weights.len())?;
        }
        let mut rows: Vec<(f64, f64, f64)> = (0..scores.len())
            .map(|i| (scores[i], targets[i], weights.map_or(1.0, |all| all[i])))
            .filter(|row| row.2 > 0.0)
            .collect();
        rows.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let mut pools: Vec<Pool> = Vec::new();
        for equal in rows.chunk_by(|a, b| a.0 == b.0) {
            pools.push(Pool {
                first: equal[0].0,
                last: equal[0].0,
                sum: equal.iter().map(|row| row.1 * row.2).sum(),
                count: equal.iter().map(|row| row.2).sum(),
            });
            while let [.., before, last] = &pools[..]
                && before.mean() >= last.mean()
            {
                let joined = before.join(last);
                pools.truncate(pools.len() - 2);
                pools.push(joined);
            }
        }
        if pools.is_empty() {
            return Err(Error::NoRows);
        }
        let (mut scores, mut values) = (Vec::new(), Vec::new());
        for pool in &pools {
            scores.push(pool.first);
            values.push(pool.mean());
            if pool.last > pool.first {
                scores.push(pool.last);
                values.push(pool.mean());
            }
        }
        Ok(Self { scores, values })
    }

    /// The value of a score.
    pub fn value(&self, score: f64) -> f64 {
        let at = self.scores.partition_point(|&knot| knot < score);
        if at == 0 {
            return self.values[0];
        }
        if at == self.scores.len() {
            return self.values[at - 1];
        }
        let (low, high) = (self.scores[at - 1], self.scores[at]);
        let share = (score - low) / (high - low);
        self.values[at - 1] + share * (self.values[at] - self.values[at - 1])
    }

    /// The lowest score with at least this value, of those between the knots; `None` if the map stays
    /// below it.
    pub fn first_reaching(&self, value: f64) -> Option<f64> {
        let at = self.values.partition_point(|&known| known < value);
        let high = *self.values.get(at)?;
        if at == 0 {
            return Some(self.scores[0]);
        }
        let (low, from, to) = (self.values[at - 1], self.scores[at - 1], self.scores[at]);
        Some(from + (value - low) / (high - low) * (to - from))
    }

    /// The values at the knots, ascending.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The scores of the knots, ascending.
    pub fn scores(&self) -> &[f64] {
        &self.scores
    }

    /// An error if the parts do not fit together, as they may not after deserialising.
    pub fn validate(&self) -> Result<()> {
        ensure_shape(
            "values of an isotonic map",
            self.scores.len(),
            self.values.len(),
        )?;
        if self.scores.is_empty() {
            return Err(Error::NoRows);
        }
        for &number in self.scores.iter().chain(&self.values) {
            crate::error::ensure_finite("isotonic map", number)?;
        }
        let falls = |pair: &[f64]| pair[0] > pair[1];
        if self.scores.windows(2).any(|pair| pair[0] >= pair[1])
            || self.values.windows(2).any(falls)
        {
            return Err(Error::Shape {
                what: "knots of an isotonic map (must ascend)",
                expected: self.scores.len(),
                found: self.values.len(),
            });
        }
        Ok(())
    }
}

/// Neighbouring rows with one value.
struct Pool {
    first: f64,
    last: f64,
    sum: f64,
    count: f64,
}

impl Pool {
    fn mean(&self) -> f64 {
        self.sum / self.count
    }

    fn join(&self, other: &Self) -> Self {
        Self {
            first: self.first,
            last: other.last,
            sum: self.sum + other.sum,
            count: self.count + other.count,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_in_the_wrong_order_are_pooled() {
        let map = Isotonic::fit(&[3.0, 1.0, 2.0, 4.0], &[2.0, 1.0, 3.0, 5.0]).expect("rows");
        assert_eq!(map.value(1.0), 1.0);
        assert_eq!((map.value(2.0), map.value(3.0)), (2.5, 2.5));
        assert_eq!(
            (map.value(4.0), map.value(9.0), map.value(-9.0)),
            (5.0, 5.0, 1.0)
        );
        assert_eq!(map.value(1.5), 1.75);
        assert_eq!(map.first_reaching(1.75), Some(1.5));
        assert_eq!(map.first_reaching(2.5), Some(2.0));
        assert_eq!(
            (map.first_reaching(0.0), map.first_reaching(5.1)),
            (Some(1.0), None)
        );
        assert!(map.validate().is_ok());
        assert_eq!(Isotonic::fit(&[], &[]), Err(Error::NoRows));
    }

    #[test]
    fn no_other_rising_map_is_nearer() {
        let scores: Vec<f64> = (0..12).map(f64::from).collect();
        let targets = [1.0, 0.0, 2.0, 1.0, 1.0, 4.0, 3.0, 3.5, 2.0, 6.0, 5.0, 7.0];
        let map = Isotonic::fit(&scores, &targets).expect("rows");
        let fitted: Vec<f64> = scores.iter().map(|&s| map.value(s)).collect();
        let error = |values: &[f64]| -> f64 {
            values
                .iter()
                .zip(targets)
                .map(|(v, t)| (v - t) * (v - t))
                .sum()
        };
        // Moving any tail up or head down keeps the order, and must not help.
        for at in 0..12 {
            for by in [1e-3, 0.1] {
                let tail: Vec<f64> = (0..12)
                    .map(|i| fitted[i] + if i >= at { by } else { 0.0 })
                    .collect();
                let head: Vec<f64> = (0..12)
                    .map(|i| fitted[i] - if i <= at { by } else { 0.0 })
                    .collect();
                assert!(error(&tail) >= error(&fitted) && error(&head) >= error(&fitted));
            }
        }
    }
}
