//! A fitted ranker.

use crate::data::{ClassName, Dataset, SamplesView};
use crate::error::{ensure_positive, ensure_shape};
use crate::kernel::{Evaluator, Expansion, Kernel, Use};
use crate::machines::{Isotonic, Sigmoid};
use crate::{Error, LevelValues, Prediction, Predictor, Result, ScoreMatrix};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// What scores are turned into.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Answer {
    /// The first of two classes where the score is above the threshold.
    Classes {
        /// Map from decision values to probabilities, if calibrated.
        sigmoid: Option<Sigmoid>,
    },
    /// A level of an ordered scale.
    Levels {
        /// From scores to the logarithm of 1 + the value of a level.
        map: Isotonic,
        /// Value of each level.
        values: Vec<f64>,
    },
}

/// The numbers that a ranker is made of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RankParts {
    /// The function, one machine; its `rho` is the threshold between two classes. With the linear
    /// kernel the only support vector may be the vector of weights.
    pub expansion: Expansion,
    /// The positive class and the most frequent other one, or all levels.
    pub classes: Vec<ClassName>,
    /// What scores are turned into.
    pub answer: Answer,
    /// λ of the training.
    pub lambda: f64,
    /// ε of the training.
    pub smoothing: f64,
    /// Training rows of each level, and how many of them had a kernel function.
    pub level_counts: Vec<[u64; 2]>,
}

/// A function that ranks, with what turns its values into classes or levels.
#[derive(Debug, Clone, PartialEq)]
pub struct RankModel {
    evaluator: Evaluator,
    classes: Vec<ClassName>,
    answer: Answer,
    lambda: f64,
    smoothing: f64,
    level_counts: Vec<[u64; 2]>,
}

impl RankModel {
    /// A model from its parts, or an error that says what does not fit together.
    pub fn from_parts(parts: RankParts) -> Result<Self> {
        ensure_shape("machines of a ranker", 1, parts.expansion.machines.len())?;
        ensure_positive("lambda", parts.lambda)?;
        ensure_positive("smoothing", parts.smoothing)?;
        match &parts.answer {
            Answer::Classes { sigmoid } => {
                ensure_shape("classes of a ranker", 2, parts.classes.len())?;
                if let Some(sigmoid) = sigmoid {
                    crate::error::ensure_finite("slope", sigmoid.slope)?;
                    crate::error::ensure_finite("offset", sigmoid.offset)?;
                }
            }
            Answer::Levels { map, values } => {
                map.validate()?;
                ensure_shape("values of levels", parts.classes.len(), values.len())?;
                for &value in values {
                    crate::error::ensure_not_negative("value of a level", value)?;
                }
                if values.is_empty() {
                    return Err(Error::TooFewClasses {
                        needed: 2,
                        found: 0,
                    });
                }
            }
        }
        Ok(Self {
            evaluator: Evaluator::new(parts.expansion, Use::Decisions)?,
            classes: parts.classes,
            answer: parts.answer,
            lambda: parts.lambda,
            smoothing: parts.smoothing,
            level_counts: parts.level_counts,
        })
    }

    /// A copy of the parts.
    pub fn parts(&self) -> RankParts {
        RankParts {
            expansion: self.expansion().clone(),
            classes: self.classes.clone(),
            answer: self.answer.clone(),
            lambda: self.lambda,
            smoothing: self.smoothing,
            level_counts: self.level_counts.clone(),
        }
    }

    /// The function; its `rho` is the threshold.
    pub fn expansion(&self) -> &Expansion {
        self.evaluator.expansion()
    }

    /// What scores are turned into.
    pub fn answer(&self) -> &Answer {
        &self.answer
    }

    /// λ of the training: as given, or as cross-validation chose it.
    pub fn lambda(&self) -> f64 {
        self.lambda
    }

    /// ε of the training.
    pub fn smoothing(&self) -> f64 {
        self.smoothing
    }

    /// Training rows of each level, and how many of them had a kernel function.
    pub fn level_counts(&self) -> &[[u64; 2]] {
        &self.level_counts
    }

    /// The threshold that decision values have taken off; 0 for levels.
    pub fn threshold(&self) -> f64 {
        self.expansion().machines[0].rho
    }

    /// Weights of the features, if the function is linear and kept as such.
    pub(super) fn weights(&self) -> Option<&[f64]> {
        let expansion = self.expansion();
        let alone = expansion.kernel == Kernel::Linear
            && expansion.support_vectors.n_rows() == 1
            && expansion.machines[0].coefficients == [1.0];
        match expansion.support_vectors.view() {
            SamplesView::Dense { values, .. } if alone => Some(values),
            _ => None,
        }
    }

    /// The expected value of the level of each row: what the isotonic map gives, $e^g - 1$, within
    /// the values of the scale.
    pub fn level_values(&self, samples: SamplesView<'_>) -> Result<Vec<f64>> {
        let Answer::Levels { map, values } = &self.answer else {
            return Err(Error::Target {
                needed: "a model of levels",
                found: "a model of two classes",
            });
        };
        let low = values.iter().copied().fold(f64::INFINITY, f64::min);
        let high = values.iter().copied().fold(0.0, f64::max);
        let scores = self.evaluator.decisions(samples)?;
        let value = |score: f64| map.value(score).exp_m1().clamp(low, high);
        Ok(scores.into_iter().map(value).collect())
    }

    /// $\sqrt{\tfrac1n\sum_i (\ln(1 + p_i) - \ln(1 + y_i))^2}$ of the values $p$ that are expected and
    /// those that are known.
    pub fn rmsle(&self, data: &Dataset) -> Result<f64> {
        let labels = data.classes()?;
        let expected = self.level_values(data.samples().view())?;
        let Answer::Levels { values, .. } = &self.answer else {
            return Err(Error::NoRows);
        };
        let known: Vec<f64> = labels
            .names()
            .iter()
            .map(|name| {
                let place = self.classes.iter().position(|class| class == name);
                place.map_or(f64::NAN, |at| values[at])
            })
            .collect();
        let mut sum = 0.0;
        for (&code, value) in labels.codes().iter().zip(&expected) {
            let truth = known[code as usize];
            if truth.is_nan() {
                return Err(Error::UnknownClass {
                    name: labels.names()[code as usize].to_string(),
                });
            }
            sum += (value.ln_1p() - truth.ln_1p()).powi(2);
        }
        if expected.is_empty() {
            return Err(Error::NoRows);
        }
        Ok((sum / expected.len() as f64).sqrt())
    }

    /// The codes of decision values.
    fn codes(&self, decisions: &[f64]) -> Vec<u32> {
        match &self.answer {
            Answer::Classes { .. } => decisions
                .iter()
                .map(|&value| u32::from(value <= 0.0))
                .collect(),
            Answer::Levels { map, values } => {
                let nearest = |&score: &f64| {
                    let wanted = map.value(score);
                    let away = |at: usize| (values[at].ln_1p() - wanted).abs();
                    (1..values.len())
                        .fold(0, |best, at| if away(at) < away(best) { at } else { best })
                        as u32
                };
                decisions.iter().map(nearest).collect()
            }
        }
    }

    fn table(&self, decisions: Vec<f64>) -> ScoreMatrix {
        let column = match &self.answer {
            Answer::Classes { .. } => format!("{}/{}", self.classes[0], self.classes[1]),
            Answer::Levels { .. } => "score".to_owned(),
        };
        ScoreMatrix {
            columns: vec![column],
            values: decisions,
        }
    }
}

impl Predictor for RankModel {
    fn n_features(&self) -> usize {
        self.expansion().n_features
    }

    fn classes(&self) -> Option<&[ClassName]> {
        Some(&self.classes)
    }

    fn ranks_levels(&self) -> bool {
        matches!(self.answer, Answer::Levels { .. })
    }

    fn level_values(&self, samples: SamplesView<'_>) -> Result<Option<LevelValues>> {
        let Answer::Levels { values, .. } = &self.answer else {
            return Ok(None);
        };
        Ok(Some(LevelValues {
            of_levels: values.clone(),
            expected: Self::level_values(self, samples)?,
        }))
    }

    fn positive(&self) -> Option<&ClassName> {
        match self.answer {
            Answer::Classes { .. } => self.classes.first(),
            Answer::Levels { .. } => None,
        }
    }

    fn predict(&self, samples: SamplesView<'_>) -> Result<Prediction> {
        let decisions = self.evaluator.decisions(samples)?;
        Ok(Prediction::Classes(self.codes(&decisions)))
    }

    /// One column: for two classes `a/b`, positive for `a`, the positive class; for levels `score`.
    fn scores(&self, samples: SamplesView<'_>) -> Result<ScoreMatrix> {
        Ok(self.table(self.evaluator.decisions(samples)?))
    }

    fn predict_with_scores(&self, samples: SamplesView<'_>) -> Result<(Prediction, ScoreMatrix)> {
        let decisions = self.evaluator.decisions(samples)?;
        let codes = Prediction::Classes(self.codes(&decisions));
        Ok((codes, self.table(decisions)))
    }

    fn probabilities(&self, samples: SamplesView<'_>) -> Result<ScoreMatrix> {
        let Answer::Classes {
            sigmoid: Some(sigmoid),
        } = &self.answer
        else {
            return Err(Error::NoProbabilities);
        };
        let decisions = self.evaluator.decisions(samples)?;
        let both = |value: f64| {
            let p = sigmoid.probability(value);
            [p, 1.0 - p]
        };
        Ok(ScoreMatrix {
            columns: self.classes.iter().map(ToString::to_string).collect(),
            values: decisions.into_iter().flat_map(both).collect(),
        })
    }
}

impl Serialize for RankModel {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        self.parts().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for RankModel {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let parts = RankParts::deserialize(deserializer)?;
        Self::from_parts(parts).map_err(serde::de::Error::custom)
    }
}
