//! Scaling, selection, cleaning and training as one step, so that folds scale, select and clean by
//! their own training part: what they are tested on is never edited.

use crate::{RowEditor, StoredModel, Trained, Trainer};
use hedgerow::data::{ClassName, Dataset, Preprocessing, Samples, SamplesView, Scaling};
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
    /// The features kept, ascending.
    fn features(&self, data: &Dataset) -> Result<Vec<u32>> {
        let selection = self.selector.rank(data, Some(self.top))?;
        let mut features: Vec<u32> = selection
            .ranking
            .top(self.top)
            .iter()
            .map(|&f| f as u32)
            .collect();
        features.sort_unstable();
        Ok(features)
    }
}

/// Rows to be edited before training.
#[derive(Debug, Clone)]
pub struct Cleaning {
    /// Which rows stay.
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
    pub cleaning: Option<Cleaning>,
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
}

impl Pipeline {
    /// Fits the scaling, then the selection, cleans the rows, then fits the model.
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
        let (preprocessing, Trained { model, report, .. }) = if let Some(choice) = &self.choice {
            let features = choice.features(prepared)?;
            let kept: Vec<usize> = features.iter().map(|&f| f as usize).collect();
            let trained = self.train(&prepared.select_features(&kept)?)?;
            let n_features = data.n_features();
            (
                Preprocessing::Chosen {
                    n_features,
                    features,
                    scaler,
                },
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
            },
            report,
        ))
    }

    /// Trains on the rows that cleaning leaves.
    fn train(&self, data: &Dataset) -> Result<Trained> {
        match &self.cleaning {
            Some(cleaning) => {
                let edited = cleaning.editor.edit(data)?.apply(data)?;
                self.trainer.fit(&edited)
            }
            None => self.trainer.fit(data),
        }
    }

    /// Names and values of all parameters, for people.
    pub fn describe(&self) -> Vec<(String, String)> {
        let mut all = self.trainer.describe();
        if let Some(choice) = &self.choice {
            all.push(("select".to_owned(), choice.text.clone()));
            all.push(("top".to_owned(), choice.top.to_string()));
        }
        if let Some(cleaning) = &self.cleaning {
            all.push(("clean".to_owned(), cleaning.text.clone()));
        }
        all
    }

    /// A copy with other values for some parameters.
    pub fn with(&self, values: &[(String, Value)]) -> Result<Self> {
        Ok(Self {
            scaling: self.scaling,
            choice: self.choice.clone(),
            cleaning: self.cleaning.clone(),
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
        self.on_prepared(samples, Predictor::probabilities)
    }
}
