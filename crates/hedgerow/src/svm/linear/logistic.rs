//! Logistic regression.

use super::LinearClassifier;
use super::frame::Frame;
use super::linear_svm::{check_bias, solved_by_newton};
use crate::data::{ClassName, Dataset};
use crate::error::{ensure_not_negative, ensure_positive};
use crate::machines::{Multiclass, check_class_weights, class_builders};
use crate::solve::newton::{self, NewtonLimits, PrimalProblem, SmoothLoss};
use crate::solve::{LinearRows, Precision};
use crate::{Fitted, Result};
use serde::{Deserialize, Serialize};

/// Logistic regression: $\min \tfrac12\|w\|^2 + \sum_i C_i \ln(1 + e^{-y_i f(x_i)})$ for every machine,
/// with $C_i$ = cost × class weight × sample weight. Decision values are log-odds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LogisticParams {
    /// Weight of the losses against the regulariser, C; 1 by default.
    pub cost: f64,
    /// Factors of the cost for some classes; 1 for all others.
    pub class_weights: Vec<(ClassName, f64)>,
    /// How more than two classes are told apart; one-vs-rest by default.
    pub multiclass: Multiclass,
    /// Value of the constant feature whose weight is the intercept; 1 by default, `None` for
    /// hyperplanes through the origin.
    pub bias: Option<f64>,
    /// Whether the intercept is regularised like the weights; yes by default, as in LIBLINEAR.
    pub regularised_bias: bool,
    /// Norm of the gradient, relative to its first, at which to stop; 0.01 by default.
    pub tolerance: f64,
    /// Largest number of Newton steps; 1000 by default.
    pub max_iterations: u32,
    /// Largest wall-clock time of the whole fit; unlimited by default.
    pub max_seconds: Option<f64>,
}

impl Default for LogisticParams {
    fn default() -> Self {
        Self {
            cost: 1.0,
            class_weights: Vec::new(),
            multiclass: Multiclass::OneVsRest,
            bias: Some(1.0),
            regularised_bias: true,
            tolerance: 0.01,
            max_iterations: 1000,
            max_seconds: None,
        }
    }
}

class_builders!(LogisticParams);

impl LogisticParams {
    /// Sets the weight of the losses.
    pub fn with_cost(mut self, cost: f64) -> Self {
        self.cost = cost;
        self
    }

    /// Sets the value of the constant feature.
    pub fn with_bias(mut self, bias: Option<f64>) -> Self {
        self.bias = bias;
        self
    }

    /// Sets whether the intercept is regularised.
    pub fn with_regularised_bias(mut self, regularised: bool) -> Self {
        self.regularised_bias = regularised;
        self
    }

    /// Sets when to stop.
    pub fn with_tolerance(mut self, tolerance: f64) -> Self {
        self.tolerance = tolerance;
        self
    }

    /// An error that names the first parameter out of its range.
    pub fn check(&self) -> Result<()> {
        ensure_positive("cost", self.cost)?;
        check_class_weights(&self.class_weights)?;
        check_bias(self.bias)?;
        ensure_positive("tolerance", self.tolerance)?;
        if let Some(seconds) = self.max_seconds {
            ensure_not_negative("max_seconds", seconds)?;
        }
        Ok(())
    }

    /// Trains on the rows with a positive weight. The objective of the report is that of the
    /// primal.
    pub fn fit(&self, data: &Dataset) -> Result<Fitted<LinearClassifier>> {
        self.check()?;
        let frame = Frame::new(data, &self.class_weights, self.multiclass)?;
        let rows = LinearRows::pack(frame.data.samples().view(), Precision::Fitting)?;
        frame.solve(true, |task| {
            let costs: Vec<f64> = task.weights.iter().map(|w| self.cost * w).collect();
            let problem = PrimalProblem {
                rows: &rows,
                members: task.rows,
                signs: &task.signs,
                costs: &costs,
                loss: SmoothLoss::Logistic,
                bias: self.bias,
                regularised_bias: self.regularised_bias,
            };
            let limits = NewtonLimits {
                tolerance: self.tolerance,
                max_steps: self.max_iterations,
                max_seconds: frame.seconds_left(self.max_seconds),
            };
            Ok(solved_by_newton(newton::solve(&problem, &limits)))
        })
    }
}
