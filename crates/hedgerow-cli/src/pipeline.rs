//! Scaling and training as one step, so that folds scale by their own training part.

use crate::commands::latency::{self, Latency};
use crate::methods::{Model, Trained, Trainer};
use hedgerow::data::{ClassName, Dataset, Samples, SamplesView, Scaler, Scaling};
use hedgerow::tree::PathCosts;
use hedgerow::{Prediction, Predictor, Report, Result, ScoreMatrix};

/// What is done to training data.
pub(crate) struct Pipeline {
    /// How features are scaled.
    pub(crate) scaling: Scaling,
    /// Parameters of the method.
    pub(crate) trainer: Box<dyn Trainer>,
}

/// A model that scales its input.
pub(crate) struct Scaled<M: ?Sized> {
    /// `None` if features are taken as they are.
    pub(crate) scaler: Option<Scaler>,
    /// The model of scaled features.
    pub(crate) model: Box<M>,
}

impl Pipeline {
    /// Fits the scaling, then the model.
    pub(crate) fn fit(
        &self,
        data: &Dataset,
    ) -> Result<(Scaled<dyn crate::methods::StorableModel>, Report)> {
        let (scaler, Trained { model, report }) = match self.scaling {
            Scaling::None => (None, self.trainer.fit(data)?),
            scaling => {
                let scaler = scaling.fit(data.samples().view())?;
                let scaled = data.with_samples(scaler.apply(data.samples().view())?)?;
                (Some(scaler), self.trainer.fit(&scaled)?)
            }
        };
        Ok((Scaled { scaler, model }, report))
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
            trainer,
        })
    }
}

impl<M: Model + ?Sized> Scaled<M> {
    fn scale(&self, samples: SamplesView<'_>) -> Result<Option<Samples>> {
        self.scaler
            .as_ref()
            .map(|scaler| scaler.apply(samples))
            .transpose()
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
        self.model.n_features()
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
