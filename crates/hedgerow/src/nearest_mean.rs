//! The class whose mean is nearest.
//!
//! $$\arg\min_c \|x - \mu_c\|^2, \qquad \mu_c = \frac{\sum_{i \in c} w_i x_i}{\sum_{i \in c} w_i},$$
//! is linear in $x$: class $c$ has the value $\langle\mu_c, x\rangle - \tfrac12\|\mu_c\|^2$. With
//! `shrink`, means are moved towards the mean of all rows.
//!
//! | book | here |
//! |---|---|
//! | $\mu_c$ | `means` |

use crate::capability::Facts;
use crate::data::{ClassName, Dataset, SamplesView, row_weights, without_weightless_rows};
use crate::estimator::estimator;
use crate::machines::largest;
use crate::method::{Card, PythonClass};
use crate::params::params;
use crate::{Error, Fitted, Model, Prediction, Predictor, Report, Result, ScoreMatrix};
use serde::{Deserialize, Serialize};

/// Parameters of the nearest class mean.
#[params]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NearestMeanParams {
    /// Share of the way that class means are moved towards the mean of all rows.
    #[param(default = 0.0, least = 0.0, below = 1.0, tunable)]
    pub shrink: f64,
}

impl NearestMeanParams {
    /// Takes the means of the rows with a positive weight.
    pub fn fit(&self, data: &Dataset) -> Result<Fitted<NearestMean>> {
        self.check()?;
        let data = without_weightless_rows(data)?;
        let labels = data.classes()?;
        let view = data.samples().view();
        view.ensure_finite()?;
        let (k, d) = (labels.n_classes(), data.n_features());
        let mut means = vec![vec![0.0; d]; k];
        let mut masses = vec![0.0; k];
        for (i, weight) in row_weights(&data).enumerate() {
            let class = labels.codes()[i] as usize;
            masses[class] += weight;
            let mean = &mut means[class];
            view.row(i).for_each(|f, value| mean[f] += weight * value);
        }
        let total: f64 = masses.iter().sum();
        let centre: Vec<f64> = (0..d)
            .map(|f| means.iter().map(|sum| sum[f]).sum::<f64>() / total)
            .collect();
        for (mean, &mass) in means.iter_mut().zip(&masses) {
            for (value, &common) in mean.iter_mut().zip(&centre) {
                *value = (1.0 - self.shrink) * *value / mass.max(f64::MIN_POSITIVE)
                    + self.shrink * common;
            }
        }
        let model = NearestMean {
            classes: labels.names().to_vec(),
            means,
            n_features: d,
        };
        Ok(Fitted::new(model, Report::trivial()))
    }
}

/// A fitted nearest class mean.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NearestMean {
    classes: Vec<ClassName>,
    means: Vec<Vec<f64>>,
    n_features: usize,
}

impl Predictor for NearestMean {
    fn n_features(&self) -> usize {
        self.n_features
    }

    fn classes(&self) -> Option<&[ClassName]> {
        Some(&self.classes)
    }

    fn predict(&self, samples: SamplesView<'_>) -> Result<Prediction> {
        Ok(self.predict_with_scores(samples)?.0)
    }

    fn scores(&self, samples: SamplesView<'_>) -> Result<ScoreMatrix> {
        if samples.n_features() > self.n_features {
            return Err(Error::Shape {
                what: "features of the rows to predict",
                expected: self.n_features,
                found: samples.n_features(),
            });
        }
        let mut values = Vec::with_capacity(samples.n_rows() * self.means.len());
        for i in 0..samples.n_rows() {
            for mean in &self.means {
                let mut value = -0.5 * mean.iter().map(|m| m * m).sum::<f64>();
                samples.row(i).for_each(|f, x| value += mean[f] * x);
                values.push(value);
            }
        }
        let columns = self.classes.iter().map(ToString::to_string).collect();
        Ok(ScoreMatrix { columns, values })
    }

    fn predict_with_scores(&self, samples: SamplesView<'_>) -> Result<(Prediction, ScoreMatrix)> {
        let scores = self.scores(samples)?;
        let codes = (0..scores.n_rows())
            .map(|i| largest(scores.row(i)))
            .collect();
        Ok((Prediction::Classes(codes), scores))
    }
}

impl Model for NearestMean {
    fn facts(&self) -> Facts {
        vec![("means", self.means.len().into())]
    }
}

estimator!(NearestMeanParams => NearestMean, [Card {
    name: "nearest-mean",
    about: "Nearest class mean: the class whose mean is nearest",
    grid: &["shrink=0:0.1:0.9"],
    page: "linear",
    python: PythonClass {
        name: "NearestMean",
        about: "The class whose mean is nearest.",
        ..PythonClass::PLAIN
    },
    ..Card::PLAIN
}]);
