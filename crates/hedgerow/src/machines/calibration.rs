//! Probabilities of two classes by an isotonic map of their score.

use super::Isotonic;
use crate::data::ClassName;
use crate::{Error, Result, ScoreMatrix};
use serde::{Deserialize, Serialize};

/// From the score of a class to its probability: a map that never falls, fitted to rows that the
/// model did not learn from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Calibration {
    map: Isotonic,
    /// Its code in the model.
    class: u32,
}

impl Calibration {
    /// Fits the map of the class with this code to scores that rise with it and what is true.
    pub fn fit(
        class: u32,
        scores: &[f64],
        is_class: &[bool],
        weights: Option<&[f64]>,
    ) -> Result<Self> {
        let truth: Vec<f64> = is_class
            .iter()
            .map(|&yes| f64::from(u8::from(yes)))
            .collect();
        Ok(Self {
            map: Isotonic::fit_weighted(scores, &truth, weights)?,
            class,
        })
    }

    /// The map.
    pub fn map(&self) -> &Isotonic {
        &self.map
    }

    /// Probabilities from the scores of a model of these classes, one column a class.
    pub fn probabilities(
        &self,
        scores: &ScoreMatrix,
        classes: &[ClassName],
    ) -> Result<ScoreMatrix> {
        let [first, second] = classes else {
            return Err(Error::NoProbabilities);
        };
        let (class, rival) = if self.class == 0 {
            (first, second)
        } else {
            (second, first)
        };
        let scores = scores.rising_with(class, rival);
        let scores = scores.ok_or(Error::NoProbabilities)?;
        let both = |score: f64| {
            let p = self.map.value(score);
            let q = 1.0 - p;
            if self.class == 0 { [p, q] } else { [q, p] }
        };
        Ok(ScoreMatrix {
            columns: classes.iter().map(ToString::to_string).collect(),
            values: scores.into_iter().flat_map(both).collect(),
        })
    }

    /// True unless a damaged file made its parts contradict each other or the classes.
    pub fn is_consistent(&self, n_classes: usize) -> bool {
        let are_shares = |&value: &f64| (0.0..=1.0).contains(&value);
        n_classes == 2
            && self.class < 2
            && self.map.validate().is_ok()
            && self.map.values().iter().all(are_shares)
    }
}
