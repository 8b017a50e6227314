//! A fitted linear classifier.

use crate::data::{ClassName, SamplesView};
use crate::error::{ensure_finite, ensure_shape};
use crate::kernel::linear_value;
use crate::machines::{Multiclass, PROBABILITY_FLOOR, couple};
use crate::parallel::{Grain, for_each_chunk};
use crate::{Error, Prediction, Predictor, Result, ScoreMatrix};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Rows of one parallel task.
const TASK_ROWS: usize = 256;

/// One decision function $\langle w, x\rangle + b$.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Hyperplane {
    /// $w$, one weight a feature.
    pub weights: Vec<f64>,
    /// $b$.
    pub intercept: f64,
}

impl Hyperplane {
    /// The decision value of row `row`; features that the weights do not know count as 0.
    pub fn value(&self, samples: SamplesView<'_>, row: usize) -> f64 {
        linear_value(&self.weights, samples, row) + self.intercept
    }
}

/// All that a [`LinearClassifier`] consists of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LinearParts {
    /// Features of the training data.
    pub n_features: usize,
    /// Class names; machines refer to this order.
    pub classes: Vec<ClassName>,
    /// How machines are combined.
    pub multiclass: Multiclass,
    /// The decision functions: one a class with one-vs-rest, one a pair otherwise; two classes
    /// always have one, a single class none.
    pub machines: Vec<Hyperplane>,
    /// Whether decision values are log-odds, so that probabilities follow from them.
    pub log_odds: bool,
}

impl LinearParts {
    /// An error that says what does not fit together.
    pub fn validate(&self) -> Result<()> {
        let k = self.classes.len();
        if k == 0 {
            return Err(Error::TooFewClasses {
                needed: 1,
                found: 0,
            });
        }
        let machines = self.multiclass.n_machines(k);
        ensure_shape(
            "machines for the number of classes",
            machines,
            self.machines.len(),
        )?;
        for machine in &self.machines {
            ensure_shape(
                "weights of a machine",
                self.n_features,
                machine.weights.len(),
            )?;
            ensure_finite("intercept", machine.intercept)?;
            for &weight in &machine.weights {
                ensure_finite("weight of a feature", weight)?;
            }
        }
        Ok(())
    }
}

/// A classifier made of hyperplanes.
#[derive(Debug, Clone, PartialEq)]
pub struct LinearClassifier {
    parts: LinearParts,
}

impl LinearClassifier {
    /// A classifier from its parts, or an error that says what does not fit together.
    pub fn from_parts(parts: LinearParts) -> Result<Self> {
        parts.validate()?;
        Ok(Self { parts })
    }

    /// The parts.
    pub fn parts(&self) -> &LinearParts {
        &self.parts
    }

    /// The decision functions.
    pub fn machines(&self) -> &[Hyperplane] {
        &self.parts.machines
    }

    /// How machines are combined.
    pub fn multiclass(&self) -> Multiclass {
        self.parts.multiclass
    }

    /// True when the model can tell probabilities.
    pub fn has_probabilities(&self) -> bool {
        self.parts.log_odds
    }

    /// Decision values of every row into a caller's buffer, row-major: one column a machine.
    ///
    /// # Errors
    /// [`Error::Shape`] if the buffer is not rows × machines long or the rows are too wide.
    pub fn decision_values_into(&self, samples: SamplesView<'_>, out: &mut [f64]) -> Result<()> {
        let width = self.parts.machines.len();
        samples.ensure_finite()?;
        let sparse = matches!(samples, SamplesView::Sparse { .. });
        if samples.n_features() > self.parts.n_features && !sparse {
            return Err(Error::Shape {
                what: "features of the rows to predict",
                expected: self.parts.n_features,
                found: samples.n_features(),
            });
        }
        if out.len() != samples.n_rows() * width {
            return Err(Error::Shape {
                what: "buffer for decision values",
                expected: samples.n_rows() * width,
                found: out.len(),
            });
        }
        if out.is_empty() {
            return Ok(());
        }
        for_each_chunk(out, TASK_ROWS * width, Grain::COARSE, &|task, part| {
            for (k, row) in part.chunks_mut(width).enumerate() {
                for (value, machine) in row.iter_mut().zip(&self.parts.machines) {
                    *value = machine.value(samples, task * TASK_ROWS + k);
                }
            }
        });
        Ok(())
    }

    fn decisions(&self, samples: SamplesView<'_>) -> Result<Vec<f64>> {
        let mut out = vec![0.0; samples.n_rows() * self.parts.machines.len()];
        self.decision_values_into(samples, &mut out)?;
        Ok(out)
    }

    fn classes_of(&self, n_rows: usize, decisions: &[f64]) -> Prediction {
        let k = self.parts.classes.len();
        Prediction::Classes(self.parts.multiclass.decide_rows(k, n_rows, decisions))
    }

    fn score_matrix(&self, n_rows: usize, decisions: Vec<f64>) -> ScoreMatrix {
        let classes = &self.parts.classes;
        let columns = self.parts.multiclass.score_columns(classes);
        let values = if classes.len() == 1 {
            vec![1.0; n_rows]
        } else {
            decisions
        };
        ScoreMatrix { columns, values }
    }
}

/// $1 / (1 + e^{-z})$ in the form whose exponential cannot overflow.
fn logistic(z: f64) -> f64 {
    if z >= 0.0 {
        1.0 / (1.0 + (-z).exp())
    } else {
        z.exp() / (1.0 + z.exp())
    }
}

impl Predictor for LinearClassifier {
    fn n_features(&self) -> usize {
        self.parts.n_features
    }

    fn classes(&self) -> Option<&[ClassName]> {
        Some(&self.parts.classes)
    }

    fn predict(&self, samples: SamplesView<'_>) -> Result<Prediction> {
        let decisions = self.decisions(samples)?;
        Ok(self.classes_of(samples.n_rows(), &decisions))
    }

    /// One-vs-one and DAG: a column `a/b` a pair, positive for `a`. One-vs-rest: a column a class.
    /// Two classes: one column. A single class: a column of ones.
    fn scores(&self, samples: SamplesView<'_>) -> Result<ScoreMatrix> {
        let decisions = self.decisions(samples)?;
        Ok(self.score_matrix(samples.n_rows(), decisions))
    }

    fn predict_with_scores(&self, samples: SamplesView<'_>) -> Result<(Prediction, ScoreMatrix)> {
        let decisions = self.decisions(samples)?;
        let classes = self.classes_of(samples.n_rows(), &decisions);
        Ok((classes, self.score_matrix(samples.n_rows(), decisions)))
    }

    /// Of two classes the logistic function of the decision value; of more, one-vs-rest shares
    /// that are scaled to sum to 1, or the coupling of the pairs.
    fn probabilities(&self, samples: SamplesView<'_>) -> Result<ScoreMatrix> {
        if !self.parts.log_odds {
            return Err(Error::NoProbabilities);
        }
        let decisions = self.decisions(samples)?;
        let k = self.parts.classes.len();
        let width = self.parts.machines.len();
        let columns = self.parts.classes.iter().map(ToString::to_string).collect();
        let values = match (self.parts.multiclass, k) {
            (_, 1) => vec![1.0; samples.n_rows()],
            (_, 2) => decisions
                .iter()
                .flat_map(|&z| [logistic(z), logistic(-z)])
                .collect(),
            (Multiclass::OneVsRest, _) => decisions
                .chunks(width)
                .flat_map(|row| {
                    let single = |&z: &f64| logistic(z).max(PROBABILITY_FLOOR);
                    let total: f64 = row.iter().map(single).sum();
                    row.iter().map(move |z| single(z) / total)
                })
                .collect(),
            _ => decisions
                .chunks(width)
                .flat_map(|row| {
                    let single: Vec<f64> = row.iter().map(|&z| logistic(z)).collect();
                    couple(k, &single)
                })
                .collect(),
        };
        Ok(ScoreMatrix { columns, values })
    }
}

impl Serialize for LinearClassifier {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        self.parts.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for LinearClassifier {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let parts = LinearParts::deserialize(deserializer)?;
        Self::from_parts(parts).map_err(serde::de::Error::custom)
    }
}
