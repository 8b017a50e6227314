//! Scaling, selection, editing of rows and training as one step, so that folds scale, select and
//! edit by their own training part: what they are tested on is never edited.

use crate::{MetricChoice, MetricOutcome, RowEditor, StoredModel, Trained, Trainer};
use hedgerow::clean::Priors;
use hedgerow::data::{ClassName, Columns, Dataset, Preprocessing, Samples, SamplesView, Scaling};
use hedgerow::neighbours::MetricProgress;
use hedgerow::params::Value;
use hedgerow::select::Selector;
use hedgerow::{Prediction, Predictor, Report, Result, ScoreMatrix};

/// Features to be chosen before training.
#[derive(Debug, Clone)]
pub struct Choice {
    /// How they are ranked.
    pub selector: Selector,
    /// How many are kept.
    pub top: usize,
    /// How the user called the method, with its options.
    pub text: String,
}

impl Choice {
    /// The features that are kept.
    fn columns(&self, data: &Dataset) -> Result<Columns> {
        let selection = self.selector.rank(data, Some(self.top))?;
        let best = selection.ranking.top(self.top).iter();
        Ok(Columns::kept(best.map(|&f| f as u32).collect()))
    }
}

/// Rows to be edited before training.
#[derive(Debug, Clone)]
pub struct Editing {
    /// Which rows stay, and which are new.
    pub editor: Box<dyn RowEditor>,
    /// How the user called the method, with its options.
    pub text: String,
}

/// What is done to training data.
#[derive(Debug)]
pub struct Pipeline {
    /// How features are scaled.
    pub scaling: Scaling,
    /// Which features are kept after that; all for `None`.
    pub choice: Option<Choice>,
    /// What the kept features are multiplied by after that; nothing for `None`.
    pub metric: Option<MetricChoice>,
    /// Which rows are trained on after that; all for `None`.
    pub cleaning: Option<Editing>,
    /// How the sizes of the classes are changed after that. Probabilities are brought back to the
    /// sizes as they were.
    pub resampling: Option<Editing>,
    /// Parameters of the method.
    pub trainer: Box<dyn Trainer>,
}

/// A model that prepares its input.
#[derive(Debug)]
pub struct Prepared {
    /// What is done to the input.
    pub preprocessing: Preprocessing,
    /// The model of prepared features.
    pub model: Box<dyn StoredModel>,
    /// How often classes occur, if training saw them in other shares.
    pub priors: Option<Priors>,
    /// What became of the metric, if one was asked for.
    pub metric: Option<MetricOutcome>,
}

/// The kept features with their weights.
fn joined(chosen: Option<&Columns>, weights: &[f64], n_features: usize) -> Result<Columns> {
    let Some(chosen) = chosen else {
        return Columns::weighted(weights);
    };
    let mut factors = vec![0.0; n_features];
    for (&feature, &weight) in chosen.features().iter().zip(weights) {
        factors[feature as usize] = weight;
    }
    Columns::weighted(&factors)
}

/// What was decided of the columns of training data.
#[derive(Debug)]
pub struct Preparation {
    /// What is done to the input.
    pub preprocessing: Preprocessing,
    /// The data after it; `None` if they are as they were.
    changed: Option<Dataset>,
    /// What became of the metric.
    pub metric: Option<MetricOutcome>,
}

impl Preparation {
    /// The data after preprocessing.
    pub fn data<'a>(&'a self, given: &'a Dataset) -> &'a Dataset {
        self.changed.as_ref().unwrap_or(given)
    }
}

impl Pipeline {
    /// Fits the scaling, then the selection and the metric, edits the rows, then fits the model.
    pub fn fit(&self, data: &Dataset) -> Result<(Prepared, Report)> {
        self.fit_prepared(self.prepare(data, &|_| Ok(()))?, data)
    }

    /// What comes before the rows are edited; `told` hears how far the learning of a metric is.
    pub fn prepare(
        &self,
        data: &Dataset,
        told: &(dyn Fn(MetricProgress) -> Result<()> + Sync),
    ) -> Result<Preparation> {
        let scaler = match self.scaling {
            Scaling::None => None,
            scaling => Some(scaling.fit(data.samples().view())?),
        };
        let scaled = match &scaler {
            None => None,
            Some(scaler) => Some(data.with_samples(scaler.apply(data.samples().view())?)?),
        };
        let n_features = data.n_features();
        let prepared = scaled.as_ref().unwrap_or(data);
        let chosen = match &self.choice {
            None => None,
            Some(choice) => Some(choice.columns(prepared)?),
        };
        let (columns, metric) = match &self.metric {
            None => (chosen, None),
            Some(metric) => {
                let kept = chosen.as_ref().map(|chosen| chosen.apply_to(prepared));
                let kept = kept.transpose()?;
                let seen = kept.as_ref().unwrap_or(prepared);
                let choice = metric.of_columns(chosen.as_ref());
                let outcome = choice.decide(seen, &*self.trainer, told)?;
                let columns = match &outcome.weights {
                    None => chosen,
                    Some(weights) => Some(joined(chosen.as_ref(), weights, n_features)?),
                };
                (columns, Some(outcome))
            }
        };
        Ok(match columns {
            None => Preparation {
                preprocessing: scaler.map_or(Preprocessing::None, Preprocessing::Scaled),
                changed: scaled,
                metric,
            },
            Some(columns) => Preparation {
                changed: Some(columns.apply_to(prepared)?),
                preprocessing: columns.into_preprocessing(n_features, scaler),
                metric,
            },
        })
    }

    /// Edits the rows and fits the model, after [`Pipeline::prepare`] with the same data.
    pub fn fit_prepared(
        &self,
        preparation: Preparation,
        data: &Dataset,
    ) -> Result<(Prepared, Report)> {
        let (Trained { model, report, .. }, priors) = self.train(preparation.data(data))?;
        Ok((
            Prepared {
                preprocessing: preparation.preprocessing,
                model,
                priors,
                metric: preparation.metric,
            },
            report,
        ))
    }

    /// Trains on the rows that editing leaves; with the priors if it changed them on purpose.
    fn train(&self, data: &Dataset) -> Result<(Trained, Option<Priors>)> {
        let cleaned = match &self.cleaning {
            Some(cleaning) => Some(cleaning.editor.edit(data)?.apply(data)?),
            None => None,
        };
        let data = cleaned.as_ref().unwrap_or(data);
        let Some(resampling) = &self.resampling else {
            return Ok((self.trainer.fit(data)?, None));
        };
        let edit = resampling.editor.edit(data)?;
        let trained = self.trainer.fit(&edit.apply(data)?)?;
        let labels = data.classes()?;
        let sizes = Priors::of_edit(&edit, labels);
        // In the order in which the model knows the classes.
        let codes: Vec<usize> = trained
            .model
            .classes()
            .unwrap_or_default()
            .iter()
            .filter_map(|name| labels.code_of(name))
            .map(|code| code as usize)
            .collect();
        let of = |all: &[f64]| codes.iter().map(|&code| all[code]).collect();
        let priors = Priors {
            original: of(&sizes.original),
            resampled: of(&sizes.resampled),
        };
        Ok((trained, Some(priors)))
    }

    /// Names and values of all parameters, for people.
    pub fn describe(&self) -> Vec<(String, String)> {
        let mut all = self.trainer.describe();
        if let Some(choice) = &self.choice {
            all.push(("select".to_owned(), choice.text.clone()));
            all.push(("top".to_owned(), choice.top.to_string()));
        }
        if let Some(metric) = &self.metric {
            all.push(("metric".to_owned(), metric.text.clone()));
        }
        if let Some(cleaning) = &self.cleaning {
            all.push(("clean".to_owned(), cleaning.text.clone()));
        }
        if let Some(resampling) = &self.resampling {
            all.push(("resample".to_owned(), resampling.text.clone()));
        }
        all
    }

    /// A copy with other values for some parameters.
    pub fn with(&self, values: &[(String, Value)]) -> Result<Self> {
        Ok(Self {
            scaling: self.scaling,
            choice: self.choice.clone(),
            metric: self.metric.clone(),
            cleaning: self.cleaning.clone(),
            resampling: self.resampling.clone(),
            trainer: self.trainer.with(values)?,
        })
    }
}

impl Prepared {
    /// Runs `work` on the prepared rows.
    pub fn on_prepared<T>(
        &self,
        samples: SamplesView<'_>,
        work: impl FnOnce(&dyn StoredModel, SamplesView<'_>) -> Result<T>,
    ) -> Result<T> {
        let prepared = self.preprocessing.apply(samples)?;
        let view = prepared.as_ref().map_or(samples, Samples::view);
        work(&*self.model, view)
    }
}

impl Predictor for Prepared {
    fn n_features(&self) -> usize {
        let inputs = self.preprocessing.n_inputs();
        inputs.unwrap_or_else(|| self.model.n_features())
    }

    fn classes(&self) -> Option<&[ClassName]> {
        self.model.classes()
    }

    fn positive(&self) -> Option<&ClassName> {
        self.model.positive()
    }

    fn ranks_levels(&self) -> bool {
        self.model.ranks_levels()
    }

    fn predict(&self, samples: SamplesView<'_>) -> Result<Prediction> {
        self.on_prepared(samples, Predictor::predict)
    }

    fn scores(&self, samples: SamplesView<'_>) -> Result<ScoreMatrix> {
        self.on_prepared(samples, Predictor::scores)
    }

    fn predict_with_scores(&self, samples: SamplesView<'_>) -> Result<(Prediction, ScoreMatrix)> {
        self.on_prepared(samples, Predictor::predict_with_scores)
    }

    fn probabilities(&self, samples: SamplesView<'_>) -> Result<ScoreMatrix> {
        let mut probabilities = self.on_prepared(samples, Predictor::probabilities)?;
        if let Some(priors) = &self.priors {
            priors.correct(&mut probabilities.values)?;
        }
        Ok(probabilities)
    }
}
