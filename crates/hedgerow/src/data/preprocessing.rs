//! What is done to rows before a model sees them.

use super::{Samples, SamplesView, Scaler};
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
}

impl Preprocessing {
    /// Features of the input, if they are known here.
    pub fn n_inputs(&self) -> Option<usize> {
        match self {
            Self::None => None,
            Self::Scaled(scaler) => Some(scaler.n_features()),
            Self::Chosen { n_features, .. } => Some(*n_features),
        }
    }

    /// Features of the output, if they are known here.
    pub fn n_outputs(&self) -> Option<usize> {
        match self {
            Self::None => None,
            Self::Scaled(scaler) => Some(scaler.n_features()),
            Self::Chosen { features, .. } => Some(features.len()),
        }
    }

    /// True unless a damaged file made its parts contradict each other.
    pub fn is_consistent(&self) -> bool {
        match self {
            Self::None | Self::Scaled(_) => true,
            Self::Chosen {
                n_features,
                features,
                scaler,
            } => {
                features.windows(2).all(|pair| pair[0] < pair[1])
                    && features.last().is_none_or(|&f| (f as usize) < *n_features)
                    && scaler
                        .as_ref()
                        .is_none_or(|s| s.n_features() == *n_features)
            }
        }
    }

    /// The scaling.
    pub fn scaler(&self) -> Option<&Scaler> {
        match self {
            Self::None => None,
            Self::Scaled(scaler) => Some(scaler),
            Self::Chosen { scaler, .. } => scaler.as_ref(),
        }
    }

    /// The features that are kept, if not all are.
    pub fn chosen(&self) -> Option<&[u32]> {
        match self {
            Self::Chosen { features, .. } => Some(features),
            _ => None,
        }
    }

    /// The samples that the model sees; `None` if they are the ones given.
    pub fn apply(&self, samples: SamplesView<'_>) -> Result<Option<Samples>> {
        let scaled = self
            .scaler()
            .map(|scaler| scaler.apply(samples))
            .transpose()?;
        let Self::Chosen {
            n_features,
            features,
            ..
        } = self
        else {
            return Ok(scaled);
        };
        // Sparse rows may name features that training never saw: they are dropped.
        let dense = matches!(samples, SamplesView::Dense { .. });
        if dense && samples.n_features() > *n_features {
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
