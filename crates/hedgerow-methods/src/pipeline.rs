//! Scaling, selection, editing of rows and training as one step, so that folds scale, select and
//! edit by their own training part: what they are tested on is never edited.

use crate::{RowEditor, StoredModel, Trained, Trainer};
use hedgerow::clean::Priors;
use hedgerow::data::{ClassName, Columns, Dataset, Preprocessing, Samples, SamplesView, Scaling};
use hedgerow::params::Value;
use hedgerow::select::Selector;
use hedgerow::{Prediction, Predictor, Report, Result, ScoreMatrix};

/// Features to be chosen before training.
#[derive(Debug, Clone)]
pub struct Choice {
    /// How they are ranked.
    pub selector: Selector,
    /// How many are kept; `None`: those that the method keeps.
    pub top: Option<usize>,
    /// How the user called the method, with its options.
    pub text: String,
}

impl Choice {
    /// The features that are kept, multiplied where the method has weights for them.
    fn columns(&self, data: &Dataset) -> Result<Columns> {
        let selection = self.selector.rank(data, self.top)?;
        let best = selection.ranking.top(self.top.unwrap_or(usize::MAX));
        let Some(all) = &selection.factors else {
            return Ok(Columns::kept(best.iter().map(|&f| f as u32).collect()));
        };
        let mut factors = vec![0.0; all.len()];
        for &f in best {
            factors[f] = all[f];
        }
        Columns::weighted(&factors)
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
}

impl Pipeline {
    /// Fits the scaling, then the selection, edits the rows, then fits the model.
    pub fn fit(&self, data: &Dataset) -> Result<(Prepared, Report)> {
        let scaler = match self.scaling {
            Scaling::None => None,
            scaling => Some(scaling.fit(data.samples().view())?),
        };
        let scaled = match &scaler {
            None => None,
            Some(scaler) => Some(data.with_samples(scaler.apply(data.samples().view())?)?),
        };
        let prepared = scaled.as_ref().unwrap_or(data);
        let (preprocessing, (Trained { model, report, .. }, priors)) =
            if let Some(choice) = &self.choice {
                let columns = choice.columns(prepared)?;
                let trained = self.train(&columns.apply_to(prepared)?)?;
                (
                    columns.into_preprocessing(data.n_features(), scaler),
                    trained,
                )
            } else {
                let trained = self.train(prepared)?;
                (
                    scaler.map_or(Preprocessing::None, Preprocessing::Scaled),
                    trained,
                )
            };
        Ok((
            Prepared {
                preprocessing,
                model,
                priors,
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
            if let Some(top) = choice.top {
                all.push(("top".to_owned(), top.to_string()));
            }
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
