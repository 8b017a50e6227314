//! All that is needed to predict, in one value.

use crate::csv::Encoding;
use hedgerow::Report;
use serde::{Deserialize, Serialize};

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
        }
    }
}
