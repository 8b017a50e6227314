//! How the intercept of Pegasos is learned and when it stops, by name.

use super::linear_svm::check_bias;
use crate::Result;
use crate::error::{ensure_not_negative, ensure_positive};
use crate::params::{Kind, Parameter, Parameters, Value, Words, not_here, read_as};
use crate::solve::pegasos::{Bias, Stop};

/// Rate of the intercept's steps if none is given.
const BIAS_RATE: f64 = 0.01;
/// Tolerances of the stop rules if none is given.
const STEP_TOLERANCE: f64 = 1e-4;
const PASS_TOLERANCE: f64 = 1e-3;

/// The words for ways to learn the intercept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Words)]
enum BiasWord {
    /// No intercept.
    None,
    /// The weight of a constant feature.
    Feature,
    /// By its own subgradient, within the loss only.
    Subgradient,
    /// Minimised over in every step; for large batches.
    Inner,
    /// The heuristic with its own rate.
    Rate,
}

/// The words for stop rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Words)]
enum StopWord {
    /// Do all steps.
    Never,
    /// When one step moves the weights by no more than the tolerance.
    Step,
    /// When their mean over a pass moves by no more than the tolerance, relative to its norm.
    Pass,
}

fn bias_word(bias: Bias) -> &'static str {
    match bias {
        Bias::None => BiasWord::None,
        Bias::Feature(_) => BiasWord::Feature,
        Bias::Subgradient => BiasWord::Subgradient,
        Bias::Inner => BiasWord::Inner,
        Bias::Rate(_) => BiasWord::Rate,
    }
    .word()
}

fn stop_word(stop: Stop) -> &'static str {
    match stop {
        Stop::Never => StopWord::Never,
        Stop::Step(_) => StopWord::Step,
        Stop::Pass(_) => StopWord::Pass,
    }
    .word()
}

impl Default for Bias {
    fn default() -> Self {
        Self::Feature(1.0)
    }
}

impl Default for Stop {
    fn default() -> Self {
        Self::Pass(PASS_TOLERANCE)
    }
}

impl Bias {
    /// An error that names the first setting out of its range.
    pub fn check(&self) -> Result<()> {
        match *self {
            Self::Feature(value) => check_bias(Some(value)),
            Self::Rate(rate) => ensure_positive("bias_rate", rate),
            Self::None | Self::Subgradient | Self::Inner => Ok(()),
        }
    }
}

impl Stop {
    /// An error if the tolerance is out of its range.
    pub fn check(&self) -> Result<()> {
        match *self {
            Self::Step(tolerance) | Self::Pass(tolerance) => {
                ensure_not_negative("tolerance", tolerance)
            }
            Self::Never => Ok(()),
        }
    }
}

impl Parameters for Bias {
    fn table() -> Vec<Parameter> {
        let words = Kind::Words(BiasWord::WORDS);
        vec![
            Parameter::new("bias", "How the intercept is learned.", words),
            Parameter {
                short: Some('B'),
                unless: Some("1"),
                ..Parameter::new(
                    "bias_feature",
                    "Value of the constant feature.",
                    Kind::Number,
                )
            },
            Parameter {
                unless: Some("0.01"),
                ..Parameter::new(
                    "bias_rate",
                    "Factor of the intercept's steps with bias = rate.",
                    Kind::Number,
                )
            },
        ]
    }

    fn get(&self, name: &str) -> Option<Value> {
        match (name, self) {
            ("bias", _) => Some(bias_word(*self).into()),
            ("bias_feature", Self::Feature(value)) => Some((*value).into()),
            ("bias_rate", Self::Rate(rate)) => Some((*rate).into()),
            ("bias_feature" | "bias_rate", _) => Some(Value::Nothing),
            _ => None,
        }
    }

    fn set(&mut self, name: &str, value: &Value) -> Result<bool> {
        match (name, &mut *self) {
            ("bias", _) => {
                *self = match read_as("bias", value)? {
                    BiasWord::None => Self::None,
                    BiasWord::Feature => Self::default(),
                    BiasWord::Subgradient => Self::Subgradient,
                    BiasWord::Inner => Self::Inner,
                    BiasWord::Rate => Self::Rate(BIAS_RATE),
                };
            }
            ("bias_feature" | "bias_rate", _) if *value == Value::Nothing => {}
            ("bias_feature", Self::Feature(feature)) => *feature = read_as("bias_feature", value)?,
            ("bias_rate", Self::Rate(rate)) => *rate = read_as("bias_rate", value)?,
            ("bias_feature", _) => {
                return Err(not_here("bias_feature", value, "bias", bias_word(*self)));
            }
            ("bias_rate", _) => {
                return Err(not_here("bias_rate", value, "bias", bias_word(*self)));
            }
            _ => return Ok(false),
        }
        Ok(true)
    }
}

impl Parameters for Stop {
    fn table() -> Vec<Parameter> {
        let words = Kind::Words(StopWord::WORDS);
        vec![
            Parameter {
                heading: "Solver",
                ..Parameter::new("stop", "When to stop before that.", words)
            },
            Parameter {
                heading: "Solver",
                short: Some('e'),
                unless: Some("0.001 for pass, 0.0001 for step"),
                ..Parameter::new("tolerance", "Tolerance of the stop rule.", Kind::Number)
                    .in_python("tol")
            },
        ]
    }

    fn get(&self, name: &str) -> Option<Value> {
        match (name, self) {
            ("stop", _) => Some(stop_word(*self).into()),
            ("tolerance", Self::Step(tolerance) | Self::Pass(tolerance)) => {
                Some((*tolerance).into())
            }
            ("tolerance", Self::Never) => Some(Value::Nothing),
            _ => None,
        }
    }

    fn set(&mut self, name: &str, value: &Value) -> Result<bool> {
        match (name, &mut *self) {
            ("stop", _) => {
                *self = match read_as("stop", value)? {
                    StopWord::Never => Self::Never,
                    StopWord::Step => Self::Step(STEP_TOLERANCE),
                    StopWord::Pass => Self::Pass(PASS_TOLERANCE),
                };
            }
            ("tolerance", _) if *value == Value::Nothing => {}
            ("tolerance", Self::Step(tolerance) | Self::Pass(tolerance)) => {
                *tolerance = read_as("tolerance", value)?;
            }
            ("tolerance", Self::Never) => {
                return Err(not_here("tolerance", value, "stop", "never"));
            }
            _ => return Ok(false),
        }
        Ok(true)
    }
}
