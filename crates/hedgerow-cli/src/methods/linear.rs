//! What the linear methods share.

use super::Model;
use super::svm::{Strategy, class_weight, strategy_name};
use crate::table::exact;
use hedgerow::data::ClassName;
use hedgerow::svm::Multiclass;
use hedgerow::svm::linear::LinearClassifier;
use serde_json::{Value, json};

/// Weights above this in number are not listed by `inspect`.
const MOST_WEIGHTS: usize = 1000;

/// Options of every linear method.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct ClassArgs {
    /// Weight of a class: multiplies the cost of its rows (LIBLINEAR: -w1 5); may be repeated
    #[arg(
        long,
        value_name = "CLASS=X",
        allow_hyphen_values = true,
        value_parser = class_weight,
        help_heading = "Model"
    )]
    pub(super) class_weight: Vec<(ClassName, f64)>,
    /// How more than two classes are told apart
    #[arg(long, default_value = "ovr", help_heading = "Model")]
    pub(super) multiclass: Strategy,
}

/// The constant feature whose weight is the intercept.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct BiasArgs {
    /// Value of the constant feature whose weight is the intercept; 0 or less: no intercept
    #[arg(
        short = 'B',
        long,
        value_name = "X",
        default_value_t = 1.0,
        allow_negative_numbers = true,
        help_heading = "Model"
    )]
    bias: f64,
}

impl BiasArgs {
    /// The value, if there is to be one.
    pub(super) fn value(&self) -> Option<f64> {
        // NaN goes on to the library, which refuses it.
        (self.bias > 0.0 || self.bias.is_nan()).then_some(self.bias)
    }
}

/// The time limit of an iterative method.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct TimeArgs {
    /// Largest wall-clock time of the fit
    #[arg(
        long,
        value_name = "SECONDS",
        allow_negative_numbers = true,
        help_heading = "Solver"
    )]
    pub(super) max_seconds: Option<f64>,
}

/// Names and values of class weights and scheme.
pub(super) fn describe_classes(
    class_weights: &[(ClassName, f64)],
    multiclass: Multiclass,
) -> Vec<(String, String)> {
    let mut pairs: Vec<(String, String)> = class_weights
        .iter()
        .map(|(class, weight)| (format!("class_weight {class}"), exact(*weight)))
        .collect();
    pairs.push((
        "multiclass".to_owned(),
        strategy_name(multiclass).to_owned(),
    ));
    pairs
}

/// The word for an intercept.
pub(super) fn describe_bias(bias: Option<f64>) -> (String, String) {
    ("bias".to_owned(), bias.map_or("none".to_owned(), exact))
}

impl Model for LinearClassifier {
    fn facts(&self) -> Vec<(&'static str, Value)> {
        let parts = self.parts();
        let mut facts = vec![
            ("hyperplanes", json!(parts.machines.len())),
            ("multiclass", json!(strategy_name(parts.multiclass))),
            ("probability", json!(parts.log_odds)),
        ];
        let intercepts: Vec<f64> = parts.machines.iter().map(|m| m.intercept).collect();
        facts.push(("intercepts", json!(intercepts)));
        let norms: Vec<f64> = parts
            .machines
            .iter()
            .map(|m| m.weights.iter().map(|w| w * w).sum::<f64>().sqrt())
            .collect();
        facts.push(("norms", json!(norms)));
        if parts.machines.len() * parts.n_features <= MOST_WEIGHTS {
            let weights: Vec<&[f64]> = parts.machines.iter().map(|m| &m.weights[..]).collect();
            facts.push(("weights", json!(weights)));
        }
        facts
    }
}
