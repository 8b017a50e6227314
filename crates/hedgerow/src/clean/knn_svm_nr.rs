//! kNNSVM-nr: a row stays if the SVM of its neighbourhood finds its label probable.
//!
//! For every row $x_i$ an SVM is trained on its $k$ nearest other rows, with Platt's probabilities;
//! the row never takes part in its own judgement:
//! $$X' = \{x_i : \hat p(y = y_i \mid x_i) > \gamma\}.$$
//! Where the neighbours agree, $\hat p$ is 1 or 0. With fewer than two neighbours of a class it is the
//! share of the classes; a label that does not occur among the neighbours has probability 0.
//!
//! | document | here |
//! |---|---|
//! | $k$, $K$, $C$, $\sigma$ | [`KnnSvmNrParams::machine`] |
//! | $\gamma$ ($\gamma''$, $\gamma'$) | [`KnnSvmNrParams::threshold`], [`KnnSvmNrParams::upper`] |
//! | hard variant: sign of the decision value | [`Threshold::Hard`] |
//! | redundancy reduction: $\hat p < \gamma$ | [`Threshold::Redundancy`] |
//! | both: $\gamma' < \hat p < \gamma''$ | [`Threshold::TwoSided`] |
//! | threshold by 20-fold editing | [`choose_threshold`] |
//!
//! The redundancy form keeps the rows with $\hat p \approx 0$, which are the noise: use the two-sided
//! form to drop both.

use super::edit::{Edit, EditorCard, Opinion, Purpose, editor};
use super::surroundings::index_of;
use crate::data::{Dataset, folds_for};
use crate::local::{Judgement, KnnSvmParams, LocalSvmParams};
use crate::params::{Words, params};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// Which rows stay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, Words)]
pub enum Threshold {
    /// Those whose label is more probable than the threshold.
    #[default]
    Noise,
    /// Those whose label the machine gives too, by the sign of its decision value; machines need
    /// no calibration.
    Hard,
    /// Those whose label is less probable than the upper threshold; keeps the noise.
    Redundancy,
    /// Those between both thresholds.
    TwoSided,
}

/// Parameters of kNNSVM-nr.
#[params(heading = "Neighbourhoods", check = check_together)]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KnnSvmNrParams {
    /// Rows that a machine is trained on, k; at most all other rows.
    #[param(default = 100, least = 1, short = 'K', alias = "k", tunable)]
    pub neighbours: usize,
    /// Rows with a label of no larger probability are removed; below 0 nothing is.
    #[param(default = 0.5, most = 1.0, short = 'T', tunable)]
    pub threshold: f64,
    /// Rows with a label of no smaller probability are removed by redundancy and two-sided.
    #[param(default = 0.99, least = 0.0)]
    pub upper: f64,
    /// Which rows stay.
    #[param(default = Threshold::Noise)]
    pub rule: Threshold,
    /// Choose the threshold by cross-validation with this many folds.
    #[param(default = 0)]
    pub threshold_folds: usize,
    /// How the machine of a neighbourhood is trained.
    #[param(flatten)]
    pub local: LocalSvmParams,
}

/// What the choice of a threshold found.
#[derive(Debug, Clone, PartialEq)]
pub struct ThresholdChoice {
    /// The thresholds.
    pub thresholds: Vec<f64>,
    /// Right answers of 1-NN on held-out rows for each, as a share.
    pub accuracies: Vec<f64>,
    /// Place of the best; of equals the lowest threshold.
    pub best: usize,
}

impl KnnSvmNrParams {
    fn check_together(&self) -> Result<()> {
        if self.threshold_folds == 1 {
            return Err(Error::Parameter {
                name: "threshold_folds",
                value: 1.0,
                requirement: "at least 2, or 0 for a given threshold",
            });
        }
        if self.rule == Threshold::TwoSided && self.threshold >= self.upper {
            return Err(Error::Parameter {
                name: "upper",
                value: self.upper,
                requirement: "above the threshold",
            });
        }
        Ok(())
    }

    /// The machines that judge.
    pub fn machine(&self) -> KnnSvmParams {
        let mut params = KnnSvmParams {
            neighbours: self.neighbours,
            local: self.local.clone(),
            ..KnnSvmParams::default()
        };
        params.local.probability = self.rule != Threshold::Hard;
        params
    }

    fn keeps(&self, judgement: &Judgement, own: u32, threshold: f64) -> bool {
        match self.rule {
            Threshold::Noise => judgement.trust > threshold,
            Threshold::Hard => judgement.class == own,
            Threshold::Redundancy => judgement.trust < self.upper,
            Threshold::TwoSided => judgement.trust > threshold && judgement.trust < self.upper,
        }
    }

    fn decide(&self, data: &Dataset) -> Result<Edit> {
        let codes = data.classes()?.codes();
        let mut threshold = self.threshold;
        if self.threshold_folds > 0 && matches!(self.rule, Threshold::Noise | Threshold::TwoSided) {
            let choice = choose_threshold(self, data, self.threshold_folds)?;
            threshold = choice.thresholds[choice.best];
        }
        let (judged, status) = self.machine().judge(data)?;
        let pairs = || judged.iter().zip(codes);
        let keep = pairs()
            .map(|(judgement, &own)| self.keeps(judgement, own, threshold))
            .collect();
        let opinions = judged.iter().map(opinion).collect();
        let mut edit = Edit::keeping(keep)
            .with_opinions(opinions)
            .with_fact("threshold", threshold);
        edit.status = status;
        Ok(edit)
    }
}

/// A judgement as editors tell it.
pub(super) fn opinion(judgement: &Judgement) -> Opinion {
    Opinion {
        trust: judgement.trust,
        label: judgement.class,
    }
}

/// Tries the thresholds 0.05, 0.1, …, 0.95: each training part is edited with them, and 1-NN on what
/// is left answers for the held-out rows, which are not edited. One pass of probabilities a fold
/// serves all thresholds.
pub fn choose_threshold(
    params: &KnnSvmNrParams,
    data: &Dataset,
    folds: usize,
) -> Result<ThresholdChoice> {
    let thresholds: Vec<f64> = (1..20).map(|step| f64::from(step) / 20.0).collect();
    let codes = data.classes()?.codes();
    let view = data.samples().view();
    let mut right = vec![0usize; thresholds.len()];
    for split in folds_for(data, folds, params.local.solver.seed)? {
        let train = data.select(&split.train);
        let (judged, _) = params.machine().judge(&train)?;
        let held_out = view.select(&split.test);
        let mut before: Option<(Vec<u32>, usize)> = None;
        for (slot, &threshold) in right.iter_mut().zip(&thresholds) {
            let kept: Vec<u32> = split
                .train
                .iter()
                .zip(&judged)
                .filter(|(row, judgement)| params.keeps(judgement, codes[**row], threshold))
                .map(|(&row, _)| row as u32)
                .collect();
            // Neighbouring thresholds often remove the same rows.
            let known = before.take().filter(|(rows, _)| *rows == kept);
            let count = match known {
                Some((_, count)) => count,
                None if kept.is_empty() => 0,
                None => {
                    let index = index_of(view, Some(&kept), 1)?;
                    let nearest = index.searcher(view)?.nearest(held_out.view())?;
                    let pairs = nearest.iter().zip(&split.test);
                    pairs
                        .filter(|(found, test)| codes[found.row as usize] == codes[**test])
                        .count()
                }
            };
            *slot += count;
            before = Some((kept, count));
        }
    }
    let best = (0..right.len())
        .rev()
        .max_by_key(|&at| right[at])
        .unwrap_or(0);
    let total = codes.len() as f64;
    Ok(ThresholdChoice {
        accuracies: right.iter().map(|&count| count as f64 / total).collect(),
        thresholds,
        best,
    })
}

editor!(
    KnnSvmNrParams,
    [EditorCard {
        name: "knn-svm-nr",
        about: "kNNSVM-nr: keep rows whose label the SVM of their neighbourhood finds probable",
        purpose: Purpose::Clean,
        preset: &[("probability", "0"), ("epsilon", "0.1")],
        python: "KNNSVMNoiseReduction",
    }]
);
