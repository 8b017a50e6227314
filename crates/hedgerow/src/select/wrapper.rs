//! Wrappers: greedy search over subsets, judged by whatever the caller measures (usually the
//! cross-validated error of a classifier).

use super::Ranking;
use crate::Result;
use crate::parallel::{Grain, try_map};
use serde::{Deserialize, Serialize};

/// Where the search begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Direction {
    /// With no feature; one is added at a time. The default.
    #[default]
    Forward,
    /// With all features; one is removed at a time.
    Backward,
}

/// Parameters of a wrapper.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct WrapperParams {
    /// Where the search begins.
    pub direction: Direction,
    /// Features at which it ends: all (forward) or 1 (backward) by default.
    pub count: Option<usize>,
}

impl WrapperParams {
    /// Sets where the search begins.
    pub fn with_direction(mut self, direction: Direction) -> Self {
        self.direction = direction;
        self
    }

    /// Sets at how many features it ends.
    pub fn with_count(mut self, count: usize) -> Self {
        self.count = Some(count);
        self
    }

    /// Searches; `error` judges a subset (ascending indices), smaller is better, equal ones by
    /// index. Candidates are judged in parallel.
    ///
    /// Forward, the ranking holds the features in the order in which they were added, with the
    /// error then reached. Backward, it holds all: those left at the end by index, then the
    /// removed, the last first, with the error that was reached without them.
    pub fn search(
        &self,
        n_features: usize,
        error: &(dyn Fn(&[usize]) -> Result<f64> + Sync),
    ) -> Result<Ranking> {
        match self.direction {
            Direction::Forward => self.forward(n_features, error),
            Direction::Backward => self.backward(n_features, error),
        }
    }

    fn forward(
        &self,
        n_features: usize,
        error: &(dyn Fn(&[usize]) -> Result<f64> + Sync),
    ) -> Result<Ranking> {
        let count = self.count.unwrap_or(n_features).min(n_features);
        let mut ranking = Ranking::default();
        while ranking.len() < count {
            let open: Vec<usize> = (0..n_features)
                .filter(|f| !ranking.features.contains(f))
                .collect();
            let subsets = open.iter().map(|&f| {
                let mut subset = ranking.features.clone();
                subset.push(f);
                subset.sort_unstable();
                subset
            });
            let (at, value) = best(&subsets.collect::<Vec<_>>(), error)?;
            ranking.push(open[at], value);
        }
        Ok(ranking)
    }

    fn backward(
        &self,
        n_features: usize,
        error: &(dyn Fn(&[usize]) -> Result<f64> + Sync),
    ) -> Result<Ranking> {
        let count = self.count.unwrap_or(1);
        let mut left: Vec<usize> = (0..n_features).collect();
        let mut removed = Vec::new();
        while left.len() > count.max(1) {
            // The last candidate first: of equal features the later one goes.
            let subsets = (0..left.len()).rev().map(|at| {
                let mut subset = left.clone();
                subset.remove(at);
                subset
            });
            let (at, value) = best(&subsets.collect::<Vec<_>>(), error)?;
            removed.push((left.remove(left.len() - 1 - at), value));
        }
        let mut ranking = Ranking::default();
        if !left.is_empty() {
            let value = error(&left)?;
            for f in left {
                ranking.push(f, value);
            }
        }
        for (f, value) in removed.into_iter().rev() {
            ranking.push(f, value);
        }
        Ok(ranking)
    }
}

/// The first subset with the smallest error.
fn best(
    subsets: &[Vec<usize>],
    error: &(dyn Fn(&[usize]) -> Result<f64> + Sync),
) -> Result<(usize, f64)> {
    let errors: Vec<f64> = try_map(subsets.len(), Grain::COARSE, &|at| error(&subsets[at]))?;
    let mut best = (0, f64::INFINITY);
    for (at, &value) in errors.iter().enumerate() {
        if value < best.1 {
            best = (at, value);
        }
    }
    Ok(best)
}
