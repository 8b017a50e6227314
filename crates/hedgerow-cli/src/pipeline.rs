//! Scaling, selection and training as one step, so that folds scale and select by their own
//! training part.

use crate::commands::latency::{self, Latency};
use crate::methods::{Model, Trained, Trainer};
pub(crate) use hedgerow::data::Preprocessing;
use hedgerow::data::{ClassName, Dataset, Samples, SamplesView, Scaling};
use hedgerow::select::Selector;
use hedgerow::tree::PathCosts;
use hedgerow::{Prediction, Predictor, Report, Result, ScoreMatrix};

/// Features to be chosen before training.
#[derive(Debug, Clone)]
pub(crate) struct Choice {
    /// How they are ranked.
    pub(crate) selector: Selector,
    /// How many are kept.
    pub(crate) top: usize,
    /// How the user called the method, with its options.
    pub(crate) text: String,
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

/// What is done to training data.
pub(crate) struct Pipeline {
    /// How features are scaled.
    pub(crate) scaling: Scaling,
    /// Which features are kept after that; all for `None`.
    pub(crate) choice: Option<Choice>,
    /// Parameters of the method.
    pub(crate) trainer: Box<dyn Trainer>,
}

/// A model that prepares its input.
pub(crate) struct Scaled<M: ?Sized> {
    /// What is done to the input.
    pub(crate) preprocessing: Preprocessing,
    /// The model of prepared features.
    pub(crate) model: Box<M>,
}

impl Pipeline {
    /// Fits the scaling, then the selection, then the model.
    pub(crate) fn fit(
        &self,
        data: &Dataset,
    ) -> Result<(Scaled<dyn crate::methods::StorableModel>, Report)> {
        let scaler = match self.scaling {
            Scaling::None => None,
            scaling => Some(scaling.fit(data.samples().view())?),
        };
        let scaled = match &scaler {
            None => None,
            Some(scaler) => Some(data.with_samples(scaler.apply(data.samples().view())?)?),
        };
        let prepared = scaled.as_ref().unwrap_or(data);
        let (preprocessing, Trained { model, report }) = if let Some(choice) = &self.choice {
            let features = choice.features(prepared)?;
            let kept: Vec<usize> = features.iter().map(|&f| f as usize).collect();
            let trained = self.trainer.fit(&prepared.select_features(&kept)?)?;
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
            let trained = self.trainer.fit(prepared)?;
            (
                scaler.map_or(Preprocessing::None, Preprocessing::Scaled),
                trained,
            )
        };
        Ok((
            Scaled {
                preprocessing,
                model,
            },
            report,
        ))
    }

    /// Names and values of all parameters, for people.
    pub(crate) fn describe(&self) -> Vec<(String, String)> {
        let mut all = self.trainer.describe();
        if let Some(choice) = &self.choice {
            all.push(("select".to_owned(), choice.text.clone()));
            all.push(("top".to_owned(), choice.top.to_string()));
        }
        all
    }

    /// A copy with other values for some parameters.
    pub(crate) fn with(
        &self,
        values: &[(String, f64)],
    ) -> std::result::Result<Self, crate::failure::Failure> {
        let mut trainer = self.trainer.duplicate();
        for (name, value) in values {
            trainer.set(name, *value)?;
        }
        Ok(Self {
            scaling: self.scaling,
            choice: self.choice.clone(),
            trainer,
        })
    }
}

impl<M: Model + ?Sized> Scaled<M> {
    fn scale(&self, samples: SamplesView<'_>) -> Result<Option<Samples>> {
        self.preprocessing.apply(samples)
    }

    /// Hyperplanes that a tree evaluates for the rows; `None` for other methods.
    pub(crate) fn path_costs(&self, samples: SamplesView<'_>) -> Result<Option<PathCosts>> {
        let Some(trees) = self.model.as_trees() else {
            return Ok(None);
        };
        let scaled = self.scale(samples)?;
        let view = scaled.as_ref().map_or(samples, Samples::view);
        trees.path_costs(view).map(Some)
    }

    /// See [`latency::measure`].
    pub(crate) fn latency(&self, samples: SamplesView<'_>) -> Result<Option<Latency>> {
        let scaled = self.scale(samples)?;
        let view = scaled.as_ref().map_or(samples, Samples::view);
        latency::measure(&*self.model, view)
    }

    /// See [`Model::explain`].
    pub(crate) fn explain(
        &self,
        samples: SamplesView<'_>,
        top: usize,
    ) -> Result<Option<Vec<serde_json::Value>>> {
        let scaled = self.scale(samples)?;
        let view = scaled.as_ref().map_or(samples, Samples::view);
        self.model.explain(view, top).transpose()
    }

    /// See [`Model::predict_with_scores`].
    pub(crate) fn predict_with_scores(
        &self,
        samples: SamplesView<'_>,
    ) -> Result<(Prediction, ScoreMatrix)> {
        let scaled = self.scale(samples)?;
        self.model
            .predict_with_scores(scaled.as_ref().map_or(samples, Samples::view))
    }
}

impl<M: Model + ?Sized> Predictor for Scaled<M> {
    fn n_features(&self) -> usize {
        let inputs = self.preprocessing.n_inputs();
        inputs.unwrap_or_else(|| self.model.n_features())
    }

    fn classes(&self) -> Option<&[ClassName]> {
        self.model.classes()
    }

    fn predict(&self, samples: SamplesView<'_>) -> Result<Prediction> {
        let scaled = self.scale(samples)?;
        self.model
            .predict(scaled.as_ref().map_or(samples, Samples::view))
    }

    fn scores(&self, samples: SamplesView<'_>) -> Result<ScoreMatrix> {
        let scaled = self.scale(samples)?;
        self.model
            .scores(scaled.as_ref().map_or(samples, Samples::view))
    }

    fn probabilities(&self, samples: SamplesView<'_>) -> Result<ScoreMatrix> {
        let scaled = self.scale(samples)?;
        self.model
            .probabilities(scaled.as_ref().map_or(samples, Samples::view))
    }
}
