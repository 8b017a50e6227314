//! What is done to rows before a model sees them.

use super::{Dataset, Samples, SamplesView, Scaler, TargetCoding};
use crate::error::{ensure_finite, ensure_shape};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// Which features a model sees, and by what their values are multiplied first. A factor is how
/// learned weights of features reach every method at its plain speed: a Gaussian kernel or a nearest
/// neighbour of multiplied columns is that of a weighted distance.
#[derive(Debug, Clone, PartialEq)]
pub struct Columns {
    features: Vec<u32>,
    factors: Option<Vec<f64>>,
}

impl Columns {
    /// Features that are kept as they are, in any order.
    pub fn kept(mut features: Vec<u32>) -> Self {
        features.sort_unstable();
        features.dedup();
        Self {
            features,
            factors: None,
        }
    }

    /// One factor a feature of the input; features with the factor 0 are dropped.
    ///
    /// # Errors
    /// [`Error::Parameter`] if a factor is negative or not finite.
    pub fn weighted(factors: &[f64]) -> Result<Self> {
        let mut columns = Self {
            features: Vec::new(),
            factors: None,
        };
        let mut kept = Vec::new();
        for (feature, &factor) in factors.iter().enumerate() {
            ensure_finite("factor of a feature", factor)?;
            if factor < 0.0 {
                return Err(Error::Parameter {
                    name: "factor of a feature",
                    value: factor,
                    requirement: "at least 0",
                });
            }
            if factor > 0.0 {
                columns.features.push(feature as u32);
                kept.push(factor);
            }
        }
        columns.factors = Some(kept);
        Ok(columns)
    }

    /// The features that are kept, ascending.
    pub fn features(&self) -> &[u32] {
        &self.features
    }

    /// The factor of each feature that is kept, if any is not 1.
    pub fn factors(&self) -> Option<&[f64]> {
        self.factors.as_deref()
    }

    fn places(&self) -> Vec<usize> {
        self.features.iter().map(|&f| f as usize).collect()
    }

    /// The rows with the kept features, multiplied.
    pub fn apply(&self, samples: SamplesView<'_>) -> Samples {
        let mut chosen = samples.select_features(&self.places());
        if let Some(factors) = &self.factors {
            chosen.multiply_columns(factors);
        }
        chosen
    }

    /// The data with the kept features, multiplied.
    pub fn apply_to(&self, data: &Dataset) -> Result<Dataset> {
        let mut chosen = data.select_features(&self.places())?;
        if let Some(factors) = &self.factors {
            let mut samples = chosen.samples().clone();
            samples.multiply_columns(factors);
            chosen = chosen.with_samples(samples)?;
        }
        Ok(chosen)
    }

    /// The step of a model with this choice after a scaling of `n_features` features.
    pub fn into_preprocessing(self, n_features: usize, scaler: Option<Scaler>) -> Preprocessing {
        let Self { features, factors } = self;
        match factors {
            None => Preprocessing::Chosen {
                n_features,
                features,
                scaler,
            },
            Some(factors) => Preprocessing::Weighted {
                n_features,
                features,
                factors,
                scaler,
            },
        }
    }
}

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
    /// Scaling, if any, then keeping some features and multiplying each by its factor.
    Weighted {
        /// Features of the input.
        n_features: usize,
        /// Those that are kept, ascending.
        features: Vec<u32>,
        /// What each kept feature is multiplied by.
        factors: Vec<f64>,
        /// Scaling of the input.
        scaler: Option<Scaler>,
    },
    /// Categories coded by targets, then any of the others.
    Coded {
        /// The codes.
        coding: TargetCoding,
        /// Scaling of the coded rows.
        scaler: Option<Scaler>,
        /// Coded features that are kept, ascending; all for `None`.
        features: Option<Vec<u32>>,
        /// What each kept feature is multiplied by, if not all are kept as they are.
        factors: Option<Vec<f64>>,
    },
}

impl Preprocessing {
    /// The same, after a coding.
    pub fn after(self, coding: TargetCoding) -> Self {
        let (scaler, features, factors) = match self {
            Self::None => (None, None, None),
            Self::Scaled(scaler) => (Some(scaler), None, None),
            Self::Chosen {
                features, scaler, ..
            } => (scaler, Some(features), None),
            Self::Weighted {
                features,
                factors,
                scaler,
                ..
            } => (scaler, Some(features), Some(factors)),
            Self::Coded {
                scaler,
                features,
                factors,
                ..
            } => (scaler, features, factors),
        };
        Self::Coded {
            coding,
            scaler,
            features,
            factors,
        }
    }

    /// The codes of categories.
    pub fn coding(&self) -> Option<&TargetCoding> {
        match self {
            Self::Coded { coding, .. } => Some(coding),
            _ => None,
        }
    }

    /// Features of the rows that are scaled, chosen and multiplied, if they are known here.
    fn n_coded(&self) -> Option<usize> {
        match self {
            Self::Coded { coding, .. } => Some(coding.n_outputs()),
            other => other.n_inputs(),
        }
    }

    /// Features of the input, if they are known here.
    pub fn n_inputs(&self) -> Option<usize> {
        match self {
            Self::None => None,
            Self::Scaled(scaler) => Some(scaler.n_features()),
            Self::Chosen { n_features, .. } | Self::Weighted { n_features, .. } => {
                Some(*n_features)
            }
            Self::Coded { coding, .. } => Some(coding.n_inputs()),
        }
    }

    /// Features of the output, if they are known here.
    pub fn n_outputs(&self) -> Option<usize> {
        match self {
            Self::None => None,
            Self::Scaled(scaler) => Some(scaler.n_features()),
            Self::Chosen { features, .. } | Self::Weighted { features, .. } => Some(features.len()),
            Self::Coded {
                coding, features, ..
            } => Some(features.as_ref().map_or(coding.n_outputs(), Vec::len)),
        }
    }

    /// True unless a damaged file made its parts contradict each other.
    pub fn is_consistent(&self) -> bool {
        let are_weights = |factors: &[f64]| factors.iter().all(|&x| x.is_finite() && x > 0.0);
        let agree = |n_features: usize, features: &[u32], scaler: &Option<Scaler>| {
            features.windows(2).all(|pair| pair[0] < pair[1])
                && features.last().is_none_or(|&f| (f as usize) < n_features)
                && scaler.as_ref().is_none_or(|s| s.n_features() == n_features)
        };
        if !self.scaler().is_none_or(Scaler::is_consistent) {
            return false;
        }
        match self {
            Self::None | Self::Scaled(_) => true,
            Self::Chosen {
                n_features,
                features,
                scaler,
            } => agree(*n_features, features, scaler),
            Self::Weighted {
                n_features,
                features,
                factors,
                scaler,
            } => {
                agree(*n_features, features, scaler)
                    && ensure_shape("factors", features.len(), factors.len()).is_ok()
                    && are_weights(factors)
            }
            Self::Coded {
                coding,
                scaler,
                features,
                factors,
            } => {
                let n_kept = features.as_ref().map(Vec::len);
                coding.validate().is_ok()
                    && agree(
                        coding.n_outputs(),
                        features.as_deref().unwrap_or_default(),
                        scaler,
                    )
                    && factors
                        .as_ref()
                        .is_none_or(|factors| n_kept == Some(factors.len()) && are_weights(factors))
            }
        }
    }

    /// The scaling.
    pub fn scaler(&self) -> Option<&Scaler> {
        match self {
            Self::None => None,
            Self::Scaled(scaler) => Some(scaler),
            Self::Chosen { scaler, .. }
            | Self::Weighted { scaler, .. }
            | Self::Coded { scaler, .. } => scaler.as_ref(),
        }
    }

    /// The features that are kept, if not all are; of coded rows, if there are codes.
    pub fn chosen(&self) -> Option<&[u32]> {
        match self {
            Self::Chosen { features, .. } | Self::Weighted { features, .. } => Some(features),
            Self::Coded { features, .. } => features.as_deref(),
            _ => None,
        }
    }

    /// What the features that are kept are multiplied by, if not by 1.
    pub fn factors(&self) -> Option<&[f64]> {
        match self {
            Self::Weighted { factors, .. } => Some(factors),
            Self::Coded { factors, .. } => factors.as_deref(),
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
        let (Some(features), Some(n_features)) = (self.chosen(), self.n_coded()) else {
            return Ok(scaled.or(coded));
        };
        // Sparse rows may name features that training never saw: they are dropped.
        let dense = matches!(samples, SamplesView::Dense { .. });
        if dense && samples.n_features() > n_features {
            return Err(Error::Shape {
                what: "features of the rows (at most)",
                expected: n_features,
                found: samples.n_features(),
            });
        }
        let view = scaled.as_ref().map_or(samples, Samples::view);
        let features: Vec<usize> = features.iter().map(|&f| f as usize).collect();
        let mut chosen = view.select_features(&features);
        if let Some(factors) = self.factors() {
            chosen.multiply_columns(factors);
        }
        Ok(Some(chosen))
    }
}

#[cfg(test)]
mod tests {
    use super::{Columns, Preprocessing};
    use crate::data::{CsrMatrix, Samples, Scaling};

    #[test]
    fn weighted_columns_are_multiplied_and_columns_without_weight_go() {
        let rows = Samples::dense(2, 3, vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).expect("a matrix");
        let scaler = Scaling::unit().fit(rows.view()).expect("a scaler");
        let columns = Columns::weighted(&[2.0, 0.0, 0.5]).expect("factors");
        assert_eq!(columns.features(), [0, 2]);
        let step = columns.into_preprocessing(3, Some(scaler));
        assert!(step.is_consistent());
        let seen = step.apply(rows.view()).expect("rows").expect("a change");
        let expected = Samples::dense(2, 2, vec![0.0, 0.0, 2.0, 0.5]).expect("a matrix");
        assert_eq!(seen, expected);
    }

    #[test]
    fn sparse_rows_are_multiplied_like_dense_ones() {
        let sparse = CsrMatrix::new(3, vec![0, 2, 3], vec![0, 2, 1], vec![1.0, 3.0, 5.0]);
        let rows = Samples::Sparse(sparse.expect("a matrix"));
        let columns = Columns::weighted(&[2.0, 3.0, 0.0]).expect("factors");
        let seen = columns.apply(rows.view());
        let mut dense = vec![0.0; 4];
        for i in 0..2 {
            seen.view().row(i).write_dense(&mut dense[2 * i..2 * i + 2]);
        }
        assert_eq!(dense, [2.0, 0.0, 0.0, 15.0]);
    }

    #[test]
    fn factors_that_are_no_weights_are_refused() {
        assert!(Columns::weighted(&[1.0, -1.0]).is_err());
        assert!(Columns::weighted(&[f64::NAN]).is_err());
        let damaged = Preprocessing::Weighted {
            n_features: 3,
            features: vec![0, 1],
            factors: vec![1.0],
            scaler: None,
        };
        assert!(!damaged.is_consistent());
    }
}
