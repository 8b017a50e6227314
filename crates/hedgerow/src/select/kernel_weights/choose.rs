//! Prices by cross-validation.
//!
//! $\mu$ is tried in shares of $Cn$, what the losses cost at most at the beginning; of the pairs, and
//! of several starts, the one with the least error counts, of equal ones the one that keeps fewer
//! features. Everything is chosen on the rows given, and every fold finds its own weights.

use super::fit::Prepared;
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
    pub(super) cost: f64,
    pub(super) mu: f64,
    /// One start, or several that are all tried.
    starts: Vec<WeightStart>,
    pub(super) error: Option<f64>,
}

impl Prices {
    pub(super) fn starts(&self) -> &[WeightStart] {
        &self.starts
    }
}

/// What a pair of prices gives on one fold.
struct Outcome {
    error: f64,
    kept: usize,
}

impl KernelWeightsParams {
    pub(super) fn prices(&self, prepared: &Prepared) -> Result<Prices> {
        let starts = match self.start {
            WeightStart::Several => STARTS.to_vec(),
            one => vec![one],
        };
        if let (Some(cost), Some(mu)) = (self.cost, self.mu) {
            return Ok(Prices {
                cost,
                mu,
                starts,
                error: None,
            });
        }
        let n = prepared.points.n as f64;
        let costs = self.cost.map_or(COSTS.to_vec(), |cost| vec![cost]);
        let mut candidates = Vec::new();
        for &start in &starts {
            for &cost in &costs {
                let mus = self.mu.map_or_else(
                    || {
                        MU_POWERS
                            .map(|power| cost * n * f64::from(power).exp2())
                            .to_vec()
                    },
                    |mu| vec![mu],
                );
                candidates.extend(mus.into_iter().map(|mu| (start, cost, mu)));
            }
        }
        let splits = self.splits(prepared)?;
        let outcomes = try_map(candidates.len() * splits.len(), Grain::ONE, &|at| {
            let (start, cost, mu) = candidates[at / splits.len()];
            self.outcome(prepared, &splits[at % splits.len()], start, (cost, mu))
        })?;
        let mut best: Option<(f64, usize, usize)> = None;
        for (at, folds) in outcomes.chunks(splits.len()).enumerate() {
            let error = folds.iter().map(|fold| fold.error).sum::<f64>() / folds.len() as f64;
            let kept = folds.iter().map(|fold| fold.kept).sum();
            let better = best.is_none_or(|(least, fewest, _)| {
                error < least || (error == least && kept < fewest)
            });
            if better {
                best = Some((error, kept, at));
            }
        }
        let (error, _, at) = best.ok_or(Error::NoRows)?;
        let (start, cost, mu) = candidates[at];
        Ok(Prices {
            cost,
            mu,
            starts: vec![start],
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

    fn outcome(
        &self,
        prepared: &Prepared,
        split: &Split,
        start: WeightStart,
        prices: (f64, f64),
    ) -> Result<Outcome> {
        let (train, test) = (
            prepared.points.select(&split.train),
            prepared.points.select(&split.test),
        );
        let mut best: Vec<(f64, u32)> = vec![(f64::NEG_INFINITY, 0); test.n];
        let mut kept = 0;
        for &positive in &prepared.positives {
            let all = prepared.signs(positive);
            let signs: Vec<f64> = split.train.iter().map(|&i| all[i]).collect();
            let landmarks = self.landmarks_of(train.n);
            let search = self.search(&train, &signs, prices, landmarks.as_deref());
            let found = search.from(start)?;
            let (weights, machine) = search.refit(&found)?;
            kept += weights.iter().filter(|&&weight| weight > 0.0).count();
            let decisions = search.decisions(&weights, &machine, &test);
            for (best, decision) in best.iter_mut().zip(decisions) {
                if prepared.positives.len() == 1 {
                    *best = (0.0, if decision > 0.0 { positive } else { u32::MAX });
                } else if decision > best.0 {
                    *best = (decision, positive);
                }
            }
        }
        let only = prepared.positives.len() == 1;
        let wrong = split.test.iter().zip(&best).filter(|&(&i, &(_, said))| {
            let code = prepared.codes[i];
            if only {
                (code == prepared.positives[0]) != (code == said)
            } else {
                code != said
            }
        });
        Ok(Outcome {
            error: wrong.count() as f64 / test.n.max(1) as f64,
            kept,
        })
    }
}
