//! Prices by cross-validation.
//!
//! $\mu$ is tried in shares of $Cn$, what the losses cost at most at the beginning; of the pairs the one
//! with the least error counts, of equal ones the one that keeps fewer features. Everything is chosen
//! on the rows given, and every fold finds its own weights.

use super::fit::Prepared;
use super::grid::{Grid, Rows};
use super::params::{KernelWeightsParams, WeightStart};
use crate::data::{ClassLabels, ClassName, Split, stratified_folds};
use crate::parallel::{Grain, try_map};
use crate::{Error, Result};

/// Prices $C$ that are tried.
const COSTS: [f64; 4] = [0.25, 1.0, 4.0, 16.0];
/// Prices $\mu$ that are tried, as shares of $Cn$: powers of 2.
const MU_POWERS: [i32; 6] = [-16, -14, -12, -10, -8, -6];
/// The starts that `Several` means.
const STARTS: [WeightStart; 3] = [WeightStart::Scaled, WeightStart::Ones, WeightStart::Relief];

/// What was chosen.
pub(super) struct Prices {
    /// All pairs that were looked at.
    pub(super) grid: Grid,
    /// The pair that counts.
    pub(super) chosen: usize,
    /// Its error in cross-validation, if there was a choice.
    pub(super) error: Option<f64>,
}

/// What a pair of prices gives on one fold.
struct Outcome {
    error: f64,
    kept: usize,
}

impl KernelWeightsParams {
    /// Where searches begin.
    pub(super) fn starts(&self) -> &[WeightStart] {
        match self.start {
            WeightStart::Scaled => &STARTS[..1],
            WeightStart::Ones => &STARTS[1..2],
            WeightStart::Relief => &STARTS[2..],
            WeightStart::Several => &STARTS,
        }
    }

    pub(super) fn prices(&self, prepared: &Prepared) -> Result<Prices> {
        if let (Some(cost), Some(mu)) = (self.cost, self.mu) {
            return Ok(Prices {
                grid: Grid::single(cost, mu),
                chosen: 0,
                error: None,
            });
        }
        let n = prepared.points.n as f64;
        let costs = self.cost.map_or(COSTS.to_vec(), |cost| vec![cost]);
        let mus_of = |cost: &f64| match self.mu {
            Some(mu) => vec![mu],
            None => MU_POWERS
                .map(|power| cost * n * f64::from(power).exp2())
                .to_vec(),
        };
        let grid = Grid {
            mus: costs.iter().map(mus_of).collect(),
            costs,
        };
        let splits = self.splits(prepared)?;
        let outcomes = try_map(splits.len(), Grain::ONE, &|at| {
            self.outcomes(prepared, &splits[at], &grid)
        })?;
        // Of pairs that leave weights in every fold; only without any such pair of all.
        let says = |at: &usize| outcomes.iter().all(|fold| fold[*at].kept > 0);
        let mut pairs: Vec<usize> = (0..grid.n_pairs()).filter(says).collect();
        if pairs.is_empty() {
            pairs = (0..grid.n_pairs()).collect();
        }
        let mut best: Option<(f64, usize, usize)> = None;
        for at in pairs {
            let error = outcomes.iter().map(|fold| fold[at].error).sum::<f64>();
            let error = error / splits.len() as f64;
            let kept = outcomes.iter().map(|fold| fold[at].kept).sum();
            let better = best.is_none_or(|(least, fewest, _)| {
                error < least || (error == least && kept < fewest)
            });
            if better {
                best = Some((error, kept, at));
            }
        }
        let (error, _, chosen) = best.ok_or(Error::NoRows)?;
        Ok(Prices {
            grid,
            chosen,
            error: Some(error),
        })
    }

    fn splits(&self, prepared: &Prepared) -> Result<Vec<Split>> {
        let n_classes = prepared.codes.iter().max().map_or(0, |&code| code + 1);
        let names = (0..n_classes)
            .map(|c| ClassName::Number(f64::from(c)))
            .collect();
        let labels = ClassLabels::new(names, prepared.codes.clone())?;
        stratified_folds(&labels, self.folds, self.seed)
    }

    /// What every pair of prices gives on one fold.
    fn outcomes(&self, prepared: &Prepared, split: &Split, grid: &Grid) -> Result<Vec<Outcome>> {
        let (train, test) = (
            prepared.points.select(&split.train),
            prepared.points.select(&split.test),
        );
        let mut votes = vec![Votes::new(test.n); grid.n_pairs()];
        let landmarks = self.landmarks_of(train.n);
        for &positive in &prepared.positives {
            let all = prepared.signs(positive);
            let signs: Vec<f64> = split.train.iter().map(|&i| all[i]).collect();
            let rows = Rows {
                points: &train,
                signs: &signs,
                landmarks: landmarks.as_deref(),
            };
            let found = self.on_grid(rows, grid)?;
            for (at, ((found, _), votes)) in found.iter().zip(&mut votes).enumerate() {
                let search = self.search(rows, grid.pair(at));
                let (weights, machine) = search.refit(found)?;
                votes.kept += weights.iter().filter(|&&weight| weight > 0.0).count();
                votes.add(positive, &search.decisions(&weights, &machine, &test));
            }
        }
        let codes: Vec<u32> = split.test.iter().map(|&i| prepared.codes[i]).collect();
        let judged = votes.iter().map(|votes| Outcome {
            error: votes.error(&codes, &prepared.positives),
            kept: votes.kept,
        });
        Ok(judged.collect())
    }
}

/// What the machines of all classes say of some rows.
#[derive(Debug, Clone)]
struct Votes {
    /// The largest decision value of each row, and whose it is.
    best: Vec<(f64, u32)>,
    /// Features that have a weight, over all classes.
    kept: usize,
}

impl Votes {
    fn new(n: usize) -> Self {
        Self {
            best: vec![(f64::NEG_INFINITY, u32::MAX); n],
            kept: 0,
        }
    }

    fn add(&mut self, class: u32, decisions: &[f64]) {
        for (best, &decision) in self.best.iter_mut().zip(decisions) {
            if decision > best.0 {
                *best = (decision, class);
            }
        }
    }

    fn error(&self, codes: &[u32], positives: &[u32]) -> f64 {
        let pairs = self.best.iter().zip(codes);
        let wrong = pairs.filter(|&(&(decision, class), &code)| {
            if let [only] = positives {
                (code == *only) != (decision > 0.0)
            } else {
                code != class
            }
        });
        wrong.count() as f64 / codes.len().max(1) as f64
    }
}
