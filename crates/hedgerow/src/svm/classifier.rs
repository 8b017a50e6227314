//! A fitted SVM classifier.

use super::parts::Classification;
use super::{Multiclass, Sigmoid, SvmParts};
use crate::data::{ClassName, SamplesView};
use crate::kernel::{Evaluator, Kernel, Use};
use crate::machines::{PROBABILITY_FLOOR, couple};
use crate::{Error, Prediction, Predictor, Result, ScoreMatrix};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A classifier made of two-class machines that share their support vectors.
#[derive(Debug, Clone, PartialEq)]
pub struct SvmClassifier {
    parts: ClassifierParts,
    evaluator: Evaluator,
}

/// [`SvmParts`] without the expansion, which the evaluator owns.
#[derive(Debug, Clone, PartialEq)]
struct ClassifierParts {
    classes: Vec<ClassName>,
    support_counts: Vec<usize>,
    multiclass: Multiclass,
    sigmoids: Option<Vec<Sigmoid>>,
}

impl ClassifierParts {
    fn classification(&self) -> Classification<'_> {
        Classification {
            classes: &self.classes,
            support_counts: &self.support_counts,
            multiclass: self.multiclass,
            sigmoids: self.sigmoids.as_deref(),
        }
    }
}

impl SvmClassifier {
    /// A classifier from its parts, or an error that says what does not fit together.
    pub fn from_parts(parts: SvmParts) -> Result<Self> {
        let SvmParts {
            expansion,
            classes,
            support_counts,
            multiclass,
            sigmoids,
        } = parts;
        // The evaluator checks the expansion.
        let evaluator = Evaluator::new(expansion, Use::Decisions)?;
        let parts = ClassifierParts {
            classes,
            support_counts,
            multiclass,
            sigmoids,
        };
        parts.classification().validate(evaluator.expansion())?;
        Ok(Self { parts, evaluator })
    }

    /// A copy of the parts.
    pub fn parts(&self) -> SvmParts {
        SvmParts {
            expansion: self.evaluator.expansion().clone(),
            classes: self.parts.classes.clone(),
            support_counts: self.parts.support_counts.clone(),
            multiclass: self.parts.multiclass,
            sigmoids: self.parts.sigmoids.clone(),
        }
    }

    /// An error that says what does not fit together. Models that were fitted, built from parts
    /// or deserialised have passed it already.
    pub fn validate(&self) -> Result<()> {
        let expansion = self.evaluator.expansion();
        expansion.validate()?;
        self.parts.classification().validate(expansion)
    }

    /// The kernel.
    pub fn kernel(&self) -> &Kernel {
        &self.evaluator.expansion().kernel
    }

    /// Number of support vectors.
    pub fn n_support(&self) -> usize {
        self.evaluator.expansion().support_vectors.n_rows()
    }

    /// How machines are combined.
    pub fn multiclass(&self) -> Multiclass {
        self.parts.multiclass
    }

    /// True when the model can tell probabilities.
    pub fn has_probabilities(&self) -> bool {
        self.parts.sigmoids.is_some()
    }

    fn classes_of(&self, n_rows: usize, decisions: &[f64]) -> Prediction {
        let k = self.parts.classes.len();
        Prediction::Classes(self.parts.multiclass.decide_rows(k, n_rows, decisions))
    }

    fn score_matrix(&self, n_rows: usize, decisions: Vec<f64>) -> ScoreMatrix {
        let classes = &self.parts.classes;
        ScoreMatrix {
            columns: self.parts.multiclass.score_columns(classes),
            values: if classes.len() == 1 {
                vec![1.0; n_rows]
            } else {
                decisions
            },
        }
    }

    fn row_probabilities(&self, sigmoids: &[Sigmoid], decisions: &[f64]) -> Vec<f64> {
        let k = self.parts.classes.len();
        let single: Vec<f64> = sigmoids
            .iter()
            .zip(decisions)
            .map(|(sigmoid, &value)| sigmoid.probability(value))
            .collect();
        if k > 2 && self.parts.multiclass == Multiclass::OneVsRest {
            let clipped: Vec<f64> = single
                .iter()
                .map(|p| p.clamp(PROBABILITY_FLOOR, 1.0 - PROBABILITY_FLOOR))
                .collect();
            let total: f64 = clipped.iter().sum();
            return clipped.iter().map(|p| p / total).collect();
        }
        couple(k, &single)
    }
}

impl Predictor for SvmClassifier {
    fn n_features(&self) -> usize {
        self.evaluator.expansion().n_features
    }

    fn classes(&self) -> Option<&[ClassName]> {
        Some(&self.parts.classes)
    }

    fn predict(&self, samples: SamplesView<'_>) -> Result<Prediction> {
        let decisions = self.evaluator.decisions(samples)?;
        Ok(self.classes_of(samples.n_rows(), &decisions))
    }

    fn predict_row(&self, row: &[f64]) -> Result<f64> {
        let decisions = self.evaluator.row_decisions(row)?;
        let k = self.parts.classes.len();
        Ok(f64::from(self.parts.multiclass.decide(k, &decisions)))
    }

    /// One-vs-one and DAG: a column `a/b` a pair, positive for `a`. One-vs-rest: a column a class.
    /// Two classes: one column. A single class: a column of ones.
    fn scores(&self, samples: SamplesView<'_>) -> Result<ScoreMatrix> {
        let decisions = self.evaluator.decisions(samples)?;
        Ok(self.score_matrix(samples.n_rows(), decisions))
    }

    fn predict_with_scores(&self, samples: SamplesView<'_>) -> Result<(Prediction, ScoreMatrix)> {
        let decisions = self.evaluator.decisions(samples)?;
        let classes = self.classes_of(samples.n_rows(), &decisions);
        Ok((classes, self.score_matrix(samples.n_rows(), decisions)))
    }

    fn probabilities(&self, samples: SamplesView<'_>) -> Result<ScoreMatrix> {
        let sigmoids = self.parts.sigmoids.as_ref().ok_or(Error::NoProbabilities)?;
        let decisions = self.evaluator.decisions(samples)?;
        let columns = self.parts.classes.iter().map(ToString::to_string).collect();
        let width = sigmoids.len();
        let values = if width == 0 {
            vec![1.0; samples.n_rows()]
        } else {
            decisions
                .chunks(width)
                .flat_map(|row| self.row_probabilities(sigmoids, row))
                .collect()
        };
        Ok(ScoreMatrix { columns, values })
    }
}

impl Serialize for SvmClassifier {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        self.parts().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for SvmClassifier {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let parts = SvmParts::deserialize(deserializer)?;
        Self::from_parts(parts).map_err(serde::de::Error::custom)
    }
}
