//! A fitted proximal classifier: surfaces or directions on shared rows.

use super::pencil::SurfaceFacts;
use crate::data::{ClassName, SamplesView};
use crate::error::{ensure_finite, ensure_not_negative, ensure_shape};
use crate::kernel::{Evaluator, Expansion, Kernel, Use};
use crate::machines::{Multiclass, PROBABILITY_FLOOR, Sigmoid, couple, largest, pairs};
use crate::{Error, Prediction, Predictor, Result, ScoreMatrix};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// What the machines of a model are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Figures {
    /// Surfaces: a row belongs to the nearest. One a class, or two a pair of classes.
    Surfaces {
        /// Squared norm that squared values are divided by; 0 for a surface that has no place.
        squared_norms: Vec<f64>,
        /// What is known of each.
        facts: Vec<SurfaceFacts>,
    },
    /// Directions: a row belongs to the side, or to the class with the largest value.
    Directions {
        /// Ridge of each that was used beside the one asked for, as a share of the mean diagonal.
        ridges: Vec<f64>,
    },
}

/// The numbers that a proximal classifier is made of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProximalParts {
    /// The functions. A plane is a linear machine on its own normal vector.
    pub expansion: Expansion,
    /// The classes.
    pub classes: Vec<ClassName>,
    /// The class that wins a tie of two.
    pub tie: u32,
    /// How several classes are told apart.
    pub multiclass: Multiclass,
    /// What the machines are.
    pub figures: Figures,
    /// Maps from decision values to probabilities, one a column, if calibrated.
    pub sigmoids: Option<Vec<Sigmoid>>,
}

/// A classifier by proximal surfaces (GEPSVM, ReGEC and its selections) or by kernel directions
/// (KFDA, KQPFS).
#[derive(Debug, Clone, PartialEq)]
pub struct ProximalModel {
    evaluator: Evaluator,
    classes: Vec<ClassName>,
    tie: u32,
    multiclass: Multiclass,
    figures: Figures,
    sigmoids: Option<Vec<Sigmoid>>,
}

impl ProximalParts {
    fn validate(&self) -> Result<()> {
        let k = self.classes.len();
        if k < 2 {
            return Err(Error::TooFewClasses {
                needed: 2,
                found: k,
            });
        }
        if self.multiclass == Multiclass::Dag || self.tie as usize >= k {
            return Err(Error::UnknownClass {
                name: self.tie.to_string(),
            });
        }
        let columns = self.multiclass.n_machines(k);
        let n = self.expansion.machines.len();
        match &self.figures {
            Figures::Surfaces {
                squared_norms,
                facts,
            } => {
                let expected = match self.multiclass {
                    Multiclass::OneVsRest => k,
                    _ => 2 * columns,
                };
                ensure_shape("surfaces", expected, n)?;
                ensure_shape("norms of surfaces", n, squared_norms.len())?;
                ensure_shape("facts of surfaces", n, facts.len())?;
                for &norm in squared_norms {
                    ensure_not_negative("squared norm of a surface", norm)?;
                }
            }
            Figures::Directions { ridges } => {
                ensure_shape("directions", columns, n)?;
                ensure_shape("ridges of directions", n, ridges.len())?;
            }
        }
        if let Some(sigmoids) = &self.sigmoids {
            ensure_shape("sigmoids", columns, sigmoids.len())?;
            for sigmoid in sigmoids {
                ensure_finite("slope", sigmoid.slope)?;
                ensure_finite("offset", sigmoid.offset)?;
            }
        }
        Ok(())
    }
}

impl ProximalModel {
    /// A model from its parts, or an error that says what does not fit together.
    pub fn from_parts(parts: ProximalParts) -> Result<Self> {
        parts.validate()?;
        let used_as = match &parts.figures {
            // Of two small distances every digit counts.
            Figures::Surfaces { .. } => Use::Answers,
            Figures::Directions { .. } => Use::Decisions,
        };
        Ok(Self {
            evaluator: Evaluator::new(parts.expansion, used_as)?,
            classes: parts.classes,
            tie: parts.tie,
            multiclass: parts.multiclass,
            figures: parts.figures,
            sigmoids: parts.sigmoids,
        })
    }

    /// A copy of the parts.
    pub fn parts(&self) -> ProximalParts {
        ProximalParts {
            expansion: self.expansion().clone(),
            classes: self.classes.clone(),
            tie: self.tie,
            multiclass: self.multiclass,
            figures: self.figures.clone(),
            sigmoids: self.sigmoids.clone(),
        }
    }

    /// The functions.
    pub fn expansion(&self) -> &Expansion {
        self.evaluator.expansion()
    }

    /// What the machines are.
    pub fn figures(&self) -> &Figures {
        &self.figures
    }

    /// How several classes are told apart.
    pub fn multiclass(&self) -> Multiclass {
        self.multiclass
    }

    /// True if probabilities can be told.
    pub fn is_calibrated(&self) -> bool {
        self.sigmoids.is_some()
    }

    pub(super) fn with_sigmoids(mut self, sigmoids: Vec<Sigmoid>) -> Self {
        self.sigmoids = Some(sigmoids);
        self
    }

    /// True if the surfaces are planes in the features.
    pub(super) fn is_linear(&self) -> bool {
        self.expansion().kernel == Kernel::Linear
    }

    /// Rows that are kept.
    pub fn n_centres(&self) -> usize {
        self.expansion().support_vectors.n_rows()
    }

    /// Values of all functions, row-major.
    pub fn values(&self, samples: SamplesView<'_>) -> Result<Vec<f64>> {
        self.evaluator.decisions(samples)
    }

    /// Squared distances to all surfaces, row-major; an error for a model of directions.
    pub fn distances(&self, samples: SamplesView<'_>) -> Result<Vec<f64>> {
        let Figures::Surfaces { squared_norms, .. } = &self.figures else {
            return Err(Error::Target {
                needed: "a model of surfaces",
                found: "a model of directions",
            });
        };
        let mut values = self.values(samples)?;
        for row in values.chunks_mut(squared_norms.len()) {
            for (value, norm) in row.iter_mut().zip(squared_norms) {
                *value = *value * *value / norm;
                if value.is_nan() {
                    *value = f64::INFINITY;
                }
            }
        }
        Ok(values)
    }

    /// One column for two classes and a pair; with one-vs-rest and more classes a column a class.
    fn decisions(&self, samples: SamplesView<'_>) -> Result<Vec<f64>> {
        let values = self.values(samples)?;
        let Figures::Surfaces { squared_norms, .. } = &self.figures else {
            return Ok(values);
        };
        let norms: Vec<f64> = squared_norms.iter().map(|norm| norm.sqrt()).collect();
        let k = self.classes.len();
        let one_each = k > 2 && self.multiclass == Multiclass::OneVsRest;
        let mut away = vec![0.0; norms.len()];
        let mut out = Vec::with_capacity(samples.n_rows() * self.multiclass.n_machines(k));
        for row in values.chunks(norms.len().max(1)) {
            for ((away, value), norm) in away.iter_mut().zip(row).zip(&norms) {
                *away = value.abs() / norm;
                if away.is_nan() {
                    *away = f64::INFINITY;
                }
            }
            if one_each {
                for c in 0..k {
                    let others = (0..k).filter(|&o| o != c).map(|o| away[o]);
                    out.push(nearness(away[c], others.fold(f64::INFINITY, f64::min)));
                }
            } else {
                out.extend(away.chunks(2).map(|pair| nearness(pair[0], pair[1])));
            }
        }
        Ok(out)
    }

    fn decide(&self, decisions: &[f64]) -> u32 {
        let k = self.classes.len();
        if k == 2 {
            return match decisions[0] {
                0.0 => self.tie,
                value => u32::from(value.is_nan() || value < 0.0),
            };
        }
        if self.multiclass == Multiclass::OneVsRest {
            return largest(decisions);
        }
        // Votes, then the sum of the values, then the earlier class.
        let mut votes = vec![(0u32, 0.0f64); k];
        for ((a, b), &value) in pairs(k).zip(decisions) {
            votes[if value >= 0.0 { a } else { b }].0 += 1;
            votes[a].1 += value;
            votes[b].1 -= value;
        }
        largest(&votes)
    }

    fn classes_of(&self, decisions: &[f64]) -> Prediction {
        let width = self.multiclass.n_machines(self.classes.len());
        let rows = decisions.chunks(width.max(1));
        Prediction::Classes(rows.map(|row| self.decide(row)).collect())
    }

    fn table(&self, decisions: Vec<f64>) -> ScoreMatrix {
        ScoreMatrix {
            columns: self.multiclass.score_columns(&self.classes),
            values: decisions,
        }
    }
}

/// $(d_o^2 - d^2)/(d_o^2 + d^2)$ of the distances to the own and to the other surface: 1 on the own,
/// −1 on the other, 0 halfway.
fn nearness(own: f64, other: f64) -> f64 {
    let largest = own.max(other);
    if largest == 0.0 || own == other {
        return 0.0;
    }
    if largest == f64::INFINITY {
        return if own > other { -1.0 } else { 1.0 };
    }
    let (own, other) = (own / largest, other / largest);
    (other - own) * (other + own) / (own * own + other * other)
}

impl Predictor for ProximalModel {
    fn n_features(&self) -> usize {
        self.expansion().n_features
    }

    fn classes(&self) -> Option<&[ClassName]> {
        Some(&self.classes)
    }

    fn predict(&self, samples: SamplesView<'_>) -> Result<Prediction> {
        Ok(self.classes_of(&self.decisions(samples)?))
    }

    /// Between −1 and 1 for surfaces, 1 on the surface of the class that a column names first.
    fn scores(&self, samples: SamplesView<'_>) -> Result<ScoreMatrix> {
        Ok(self.table(self.decisions(samples)?))
    }

    fn predict_with_scores(&self, samples: SamplesView<'_>) -> Result<(Prediction, ScoreMatrix)> {
        let decisions = self.decisions(samples)?;
        Ok((self.classes_of(&decisions), self.table(decisions)))
    }

    fn probabilities(&self, samples: SamplesView<'_>) -> Result<ScoreMatrix> {
        let sigmoids = self.sigmoids.as_ref().ok_or(Error::NoProbabilities)?;
        let decisions = self.decisions(samples)?;
        let k = self.classes.len();
        let of_row = |row: &[f64]| {
            let single: Vec<f64> = sigmoids
                .iter()
                .zip(row)
                .map(|(sigmoid, &value)| sigmoid.probability(value))
                .collect();
            if k == 2 || self.multiclass != Multiclass::OneVsRest {
                return couple(k, &single);
            }
            let floor = |p: f64| p.clamp(PROBABILITY_FLOOR, 1.0 - PROBABILITY_FLOOR);
            let total: f64 = single.iter().map(|&p| floor(p)).sum();
            single.iter().map(|&p| floor(p) / total).collect()
        };
        Ok(ScoreMatrix {
            columns: self.classes.iter().map(ToString::to_string).collect(),
            values: decisions
                .chunks(sigmoids.len().max(1))
                .flat_map(of_row)
                .collect(),
        })
    }
}

impl Serialize for ProximalModel {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        self.parts().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for ProximalModel {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let parts = ProximalParts::deserialize(deserializer)?;
        Self::from_parts(parts).map_err(serde::de::Error::custom)
    }
}
