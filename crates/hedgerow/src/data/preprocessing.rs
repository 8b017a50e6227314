//! What is done to rows before a model sees them.

use super::{Samples, SamplesView, Scaler, TargetCoding};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// What a model does to its input. In a model file, the first two are what an optional scaling was
/// before features could be chosen.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub enum Preprocessing {
    /// Nothing.
    #[default]
    None,
    /// Scaling.
    Scaled(Scaler),
    /// Scaling, if any, then keeping some features.
    Chosen {
        /// Features of the input.
        n_features: usize,
        /// Those that are kept, ascending.
        features: Vec<u32>,
        /// Scaling of the input.
        scaler: Option<Scaler>,
    },
    /// Categories coded by targets, then scaling, if any, then keeping some features, if not all.
    Coded {
        /// The codes.
        coding: TargetCoding,
        /// Scaling of the coded features.
        scaler: Option<Scaler>,
        /// Coded features that are kept, ascending.
        features: Option<Vec<u32>>,
    },
}

impl Preprocessing {
    /// What was fitted, in the simplest form that says it; `n_features` is the width of the input of
    /// the scaling.
    pub fn new(
        coding: Option<TargetCoding>,
        scaler: Option<Scaler>,
        features: Option<Vec<u32>>,
        n_features: usize,
    ) -> Self {
        match (coding, scaler, features) {
            (Some(coding), scaler, features) => Self::Coded {
                coding,
                scaler,
                features,
            },
            (None, scaler, Some(features)) => Self::Chosen {
                n_features,
                features,
                scaler,
            },
            (None, Some(scaler), None) => Self::Scaled(scaler),
            (None, None, None) => Self::None,
        }
    }

    /// Features of the input, if they are known here.
    pub fn n_inputs(&self) -> Option<usize> {
        match self {
            Self::None => None,
            Self::Scaled(scaler) => Some(scaler.n_features()),
            Self::Chosen { n_features, .. } => Some(*n_features),
            Self::Coded { coding, .. } => Some(coding.n_inputs()),
        }
    }

    /// Features of the output, if they are known here.
    pub fn n_outputs(&self) -> Option<usize> {
        match self {
            Self::None => None,
            Self::Scaled(scaler) => Some(scaler.n_features()),
            Self::Chosen { features, .. } => Some(features.len()),
            Self::Coded {
                coding, features, ..
            } => Some(features.as_ref().map_or(coding.n_outputs(), Vec::len)),
        }
    }

    /// True unless a damaged file made its parts contradict each other.
    pub fn is_consistent(&self) -> bool {
        let fits = |n_features: usize, features: Option<&Vec<u32>>, scaler: Option<&Scaler>| {
            features.is_none_or(|features| {
                features.windows(2).all(|pair| pair[0] < pair[1])
                    && features.last().is_none_or(|&f| (f as usize) < n_features)
            }) && scaler.is_none_or(|scaler| scaler.n_features() == n_features)
        };
        match self {
            Self::None | Self::Scaled(_) => true,
            Self::Chosen {
                n_features,
                features,
                scaler,
            } => fits(*n_features, Some(features), scaler.as_ref()),
            Self::Coded {
                coding,
                scaler,
                features,
            } => {
                coding.validate().is_ok()
                    && fits(coding.n_outputs(), features.as_ref(), scaler.as_ref())
            }
        }
    }

    /// The codes of categories.
    pub fn coding(&self) -> Option<&TargetCoding> {
        match self {
            Self::Coded { coding, .. } => Some(coding),
            _ => None,
        }
    }

    /// The scaling.
    pub fn scaler(&self) -> Option<&Scaler> {
        match self {
            Self::None => None,
            Self::Scaled(scaler) => Some(scaler),
            Self::Chosen { scaler, .. } | Self::Coded { scaler, .. } => scaler.as_ref(),
        }
    }

    /// The features that are kept, if not all are; of coded rows, if there are codes.
    pub fn chosen(&self) -> Option<&[u32]> {
        match self {
            Self::Chosen { features, .. } => Some(features),
            Self::Coded { features, .. } => features.as_deref(),
            _ => None,
        }
    }

    /// The samples that the model sees; `None` if they are the ones given.
    pub fn apply(&self, samples: SamplesView<'_>) -> Result<Option<Samples>> {
        let coded = self.coding().map(|coding| coding.apply(samples));
        let coded = coded.transpose()?;
        let samples = coded.as_ref().map_or(samples, Samples::view);
        let scaled = self
            .scaler()
            .map(|scaler| scaler.apply(samples))
            .transpose()?;
        let Some(features) = self.chosen() else {
            return Ok(scaled.or(coded));
        };
        // Sparse rows may name features that training never saw: they are dropped.
        let dense = matches!(samples, SamplesView::Dense { .. });
        if let Self::Chosen { n_features, .. } = self
            && dense
            && samples.n_features() > *n_features
        {
            return Err(Error::Shape {
                what: "features of the rows (at most)",
                expected: *n_features,
                found: samples.n_features(),
            });
        }
        let view = scaled.as_ref().map_or(samples, Samples::view);
        let features: Vec<usize> = features.iter().map(|&f| f as usize).collect();
        Ok(Some(view.select_features(&features)))
    }
}
