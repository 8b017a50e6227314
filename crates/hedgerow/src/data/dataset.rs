//! Samples with what is known about them.

use super::{ClassLabels, ClassName, Samples};
use crate::{Error, Result};

/// What is to be learned about each row.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Target {
    /// Nothing: the rows are unlabelled.
    None,
    /// A class.
    Classes(ClassLabels),
    /// A real number.
    Real(Vec<f64>),
    /// A level of an ordered scale: codes ascend with the scale.
    Ordinal(ClassLabels),
}

impl Target {
    fn kind(&self) -> &'static str {
        match self {
            Self::None => "no target",
            Self::Classes(_) => "class labels",
            Self::Real(_) => "real targets",
            Self::Ordinal(_) => "ordinal levels",
        }
    }

    fn len(&self) -> Option<usize> {
        match self {
            Self::None => None,
            Self::Classes(labels) | Self::Ordinal(labels) => Some(labels.len()),
            Self::Real(values) => Some(values.len()),
        }
    }

    /// Ordinal levels from numeric values: the distinct values, ascending, are the scale.
    pub fn ordinal_from_numbers(values: &[f64]) -> Self {
        let mut scale: Vec<f64> = values.to_vec();
        scale.sort_unstable_by(f64::total_cmp);
        scale.dedup();
        let codes = values
            .iter()
            .map(|value| scale.partition_point(|level| level.total_cmp(value).is_lt()) as u32)
            .collect();
        let names = scale.into_iter().map(ClassName::Number).collect();
        match ClassLabels::new(names, codes) {
            Ok(labels) => Self::Ordinal(labels),
            Err(_) => unreachable!("invariant: codes index the scale they were searched in"),
        }
    }
}

/// Samples, their targets, and optional weights and feature names.
#[derive(Debug, Clone, PartialEq)]
pub struct Dataset {
    samples: Samples,
    target: Target,
    weights: Option<Vec<f64>>,
    feature_names: Option<Vec<String>>,
}

impl Dataset {
    /// Joins samples and target, which must agree in length. Every number must be finite.
    pub fn new(samples: Samples, target: Target) -> Result<Self> {
        samples.view().ensure_finite()?;
        if let Some(found) = target.len()
            && found != samples.n_rows()
        {
            return Err(Error::Shape {
                what: "targets",
                expected: samples.n_rows(),
                found,
            });
        }
        if let Target::Real(values) = &target
            && let Some(i) = values.iter().position(|value| !value.is_finite())
        {
            return Err(Error::BadRowValue {
                row: i + 1,
                what: "target",
                value: values[i],
            });
        }
        Ok(Self {
            samples,
            target,
            weights: None,
            feature_names: None,
        })
    }

    /// Makes the classes levels of an ordered scale: in the order given, lowest first, which must name
    /// every class that occurs; in that of their values if none is given, which must be numbers.
    pub fn with_levels(mut self, order: Option<&[ClassName]>) -> Result<Self> {
        let labels = self.classes()?;
        let mut scale: Vec<ClassName> = match order {
            Some(order) => order.to_vec(),
            None => labels.names().to_vec(),
        };
        if order.is_none() {
            if let Some(text) = scale.iter().find(|name| matches!(name, ClassName::Text(_))) {
                return Err(Error::NoOrder {
                    name: text.to_string(),
                });
            }
            scale.sort_by(ClassName::order);
        }
        let counts = labels.counts();
        let place = |(code, name): (usize, &ClassName)| {
            let found = scale.iter().position(|level| level == name);
            match found {
                Some(place) => Ok(place as u32),
                None if counts[code] == 0 => Ok(0),
                None => Err(Error::NoOrder {
                    name: name.to_string(),
                }),
            }
        };
        let places = labels.names().iter().enumerate().map(place);
        let places: Vec<u32> = places.collect::<Result<_>>()?;
        let codes = labels.codes().iter().map(|&code| places[code as usize]);
        let levels = ClassLabels::new(scale, codes.collect())?;
        self.target = Target::Ordinal(levels);
        Ok(self)
    }

    /// Sets a weight for each row: finite and not negative.
    pub fn with_weights(mut self, weights: Vec<f64>) -> Result<Self> {
        if weights.len() != self.n_rows() {
            return Err(Error::Shape {
                what: "sample weights",
                expected: self.n_rows(),
                found: weights.len(),
            });
        }
        if let Some(i) = weights
            .iter()
            .position(|weight| !weight.is_finite() || *weight < 0.0)
        {
            return Err(Error::BadRowValue {
                row: i + 1,
                what: "weight",
                value: weights[i],
            });
        }
        self.weights = Some(weights);
        Ok(self)
    }

    /// Names the features.
    pub fn with_feature_names(mut self, names: Vec<String>) -> Result<Self> {
        if names.len() != self.samples.n_features() {
            return Err(Error::Shape {
                what: "feature names",
                expected: self.samples.n_features(),
                found: names.len(),
            });
        }
        self.feature_names = Some(names);
        Ok(self)
    }

    /// The samples.
    pub fn samples(&self) -> &Samples {
        &self.samples
    }

    /// The target.
    pub fn target(&self) -> &Target {
        &self.target
    }

    /// Weight of each row, if given.
    pub fn weights(&self) -> Option<&[f64]> {
        self.weights.as_deref()
    }

    /// Feature names, if given.
    pub fn feature_names(&self) -> Option<&[String]> {
        self.feature_names.as_deref()
    }

    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        self.samples.n_rows()
    }

    /// Number of features.
    pub fn n_features(&self) -> usize {
        self.samples.n_features()
    }

    /// The class labels, or an error that says what the data have instead.
    pub fn classes(&self) -> Result<&ClassLabels> {
        match &self.target {
            Target::Classes(labels) | Target::Ordinal(labels) => Ok(labels),
            other => Err(Error::Target {
                needed: "class labels",
                found: other.kind(),
            }),
        }
    }

    /// The real targets, or an error that says what the data have instead.
    pub fn real_targets(&self) -> Result<&[f64]> {
        match &self.target {
            Target::Real(values) => Ok(values),
            other => Err(Error::Target {
                needed: "real targets",
                found: other.kind(),
            }),
        }
    }

    /// The same rows with other samples, for example scaled ones.
    pub fn with_samples(&self, samples: Samples) -> Result<Self> {
        let mut data = Self::new(samples, self.target.clone())?;
        data.weights.clone_from(&self.weights);
        if data.n_features() == self.n_features() {
            data.feature_names.clone_from(&self.feature_names);
        }
        Ok(data)
    }

    /// The same rows with the given features only, in the given order.
    pub fn select_features(&self, features: &[usize]) -> Result<Self> {
        let width = self.n_features();
        if let Some(&f) = features.iter().find(|&&f| f >= width) {
            return Err(Error::Shape {
                what: "feature (counted from 0) against the number of features",
                expected: width,
                found: f,
            });
        }
        let mut data = Self::new(
            self.samples.view().select_features(features),
            self.target.clone(),
        )?;
        data.weights.clone_from(&self.weights);
        data.feature_names = self
            .feature_names
            .as_ref()
            .map(|names| features.iter().map(|&f| names[f].clone()).collect());
        Ok(data)
    }

    /// The given rows, in the given order.
    pub fn select(&self, rows: &[usize]) -> Self {
        let target = match &self.target {
            Target::None => Target::None,
            Target::Classes(labels) => Target::Classes(labels.select(rows)),
            Target::Ordinal(labels) => Target::Ordinal(labels.select(rows)),
            Target::Real(values) => Target::Real(rows.iter().map(|&i| values[i]).collect()),
        };
        Self {
            samples: self.samples.select(rows),
            target,
            weights: self
                .weights
                .as_ref()
                .map(|w| rows.iter().map(|&i| w[i]).collect()),
            feature_names: self.feature_names.clone(),
        }
    }
}
