//! All that is needed to predict, in one value.

use super::RawModel;
use crate::IoError;
use crate::csv::Encoding;
use hedgerow::Report;
use hedgerow::clean::Priors;
use hedgerow::machines::Calibration;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// The first format whose bundles tell of priors.
const PRIORS_SINCE: u16 = 4;

/// The first format whose bundles tell of the sizes of the classes and of a calibration.
const CALIBRATION_SINCE: u16 = 5;

/// What front ends store: a model with what was done to the data before it saw them.
///
/// `P` is the preprocessing (a scaler, a selection of features, `()`), `M` the model. The format is
/// positional: a field added later needs a new [`FORMAT_VERSION`](crate::FORMAT_VERSION).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Bundle<P, M> {
    /// How the columns of a table become features.
    pub encoding: Option<Encoding>,
    /// What is done to the features.
    pub preprocessing: P,
    /// Names of the features before preprocessing.
    pub feature_names: Option<Vec<String>>,
    /// Names and values of the method's parameters, for people.
    pub parameters: Vec<(String, String)>,
    /// How training went.
    pub report: Option<Report>,
    /// The model.
    pub model: M,
    /// How often classes occur, if training saw them in other shares.
    pub priors: Option<Priors>,
    /// How many rows of each class the data had that probabilities speak of; `None` where no class
    /// was learned, and in older files.
    pub class_sizes: Option<Vec<f64>>,
    /// What makes probabilities of the scores in place of the model's own.
    pub calibration: Option<Calibration>,
}

/// A bundle as formats before [`CALIBRATION_SINCE`] have it.
#[derive(Deserialize)]
struct WithPriors<P, M> {
    bundle: WithoutPriors<P, M>,
    priors: Option<Priors>,
}

/// A bundle as formats before [`PRIORS_SINCE`] have it.
#[derive(Deserialize)]
struct WithoutPriors<P, M> {
    encoding: Option<Encoding>,
    preprocessing: P,
    feature_names: Option<Vec<String>>,
    parameters: Vec<(String, String)>,
    report: Option<Report>,
    model: M,
}

impl<P, M> Bundle<P, M> {
    /// A bundle of preprocessing and model; the other fields are empty.
    pub fn new(preprocessing: P, model: M) -> Self {
        Self {
            encoding: None,
            preprocessing,
            feature_names: None,
            parameters: Vec::new(),
            report: None,
            model,
            priors: None,
            class_sizes: None,
            calibration: None,
        }
    }
}

impl<P: DeserializeOwned, M: DeserializeOwned> Bundle<P, M> {
    /// Decodes the payload of a model file, whichever of the known formats it has.
    pub fn decode(raw: &RawModel) -> Result<Self, IoError> {
        let version = raw.header().format_version;
        if version >= CALIBRATION_SINCE {
            return raw.decode();
        }
        // Without marks between fields, what is nested lies as if it were not.
        let (older, priors) = if version >= PRIORS_SINCE {
            let older: WithPriors<P, M> = raw.decode()?;
            (older.bundle, older.priors)
        } else {
            (raw.decode::<WithoutPriors<P, M>>()?, None)
        };
        Ok(Self {
            encoding: older.encoding,
            preprocessing: older.preprocessing,
            feature_names: older.feature_names,
            parameters: older.parameters,
            report: older.report,
            model: older.model,
            priors,
            class_sizes: None,
            calibration: None,
        })
    }
}
