//! Logistic regression.

use super::LinearClassifier;
use super::class_tasks::ClassTasks;
use super::linear_svm::{FIT_INTERCEPT, check_bias, read_bias, solved_by_newton};
use crate::data::Dataset;
use crate::estimator::estimator;
use crate::machines::{Multiclass, class_builders};
use crate::method::{Card, PythonClass};
use crate::params::{ClassWeights, Value, params};
use crate::solve::newton::{self, NewtonLimits, PrimalProblem, SmoothLoss};
use crate::solve::{LinearRows, Precision};
use crate::{Fitted, Result};
use serde::{Deserialize, Serialize};

/// Logistic regression: $\min \tfrac12\|w\|^2 + \sum_i C_i \ln(1 + e^{-y_i f(x_i)})$ for every machine,
/// with $C_i$ = cost × class weight × sample weight. Decision values are log-odds.
#[params(check = check_constant)]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LogisticParams {
    /// Weight of the losses against the regulariser, C.
    #[param(default = 1.0, above = 0.0, short = 'c', python = "C", tunable)]
    pub cost: f64,
    /// Factors of the cost for some classes; 1 for all others.
    #[param(above = 0.0, option = "class_weight", python = "class_weight")]
    pub class_weights: ClassWeights,
    /// How more than two classes are told apart.
    #[param(default = Multiclass::OneVsRest, python = "multi_class")]
    pub multiclass: Multiclass,
    /// Value of the constant feature whose weight is the intercept; 0 or less: no intercept.
    #[param(default = Some(1.0), short = 'B', unless = "hyperplanes through the origin", no_python, no_builder, set_with = set_bias)]
    pub bias: Option<f64>,
    /// Do not regularise the intercept.
    #[param(default = false, short = 'R', python_default = "True")]
    pub free_bias: bool,
    /// Stop when the norm of the gradient, relative to its first, is below this (LIBLINEAR's -e).
    #[param(
        default = 0.01,
        above = 0.0,
        short = 'e',
        python = "tol",
        python_default = "1e-4",
        heading = "Solver"
    )]
    pub tolerance: f64,
    /// Largest number of Newton steps.
    #[param(default = 1000, least = 1, python = "max_iter", heading = "Solver")]
    pub max_iterations: u32,
    /// Largest wall-clock time of the whole fit in seconds.
    #[param(least = 0.0, unless = "unlimited", no_python, heading = "Solver")]
    pub max_seconds: Option<f64>,
}

class_builders!(LogisticParams);

impl LogisticParams {
    /// Sets the value of the constant feature, if there is to be one.
    pub fn with_bias(mut self, bias: Option<f64>) -> Self {
        self.bias = bias;
        self
    }

    fn set_bias(&mut self, value: &Value) -> Result<()> {
        self.bias = read_bias(value)?;
        Ok(())
    }

    fn check_constant(&self) -> Result<()> {
        check_bias(self.bias)
    }

    /// Trains on the rows with a positive weight. The objective of the report is that of the
    /// primal.
    pub fn fit(&self, data: &Dataset) -> Result<Fitted<LinearClassifier>> {
        self.check()?;
        let tasks = ClassTasks::new(data, &self.class_weights, self.multiclass)?;
        let rows = LinearRows::pack(tasks.data.samples().view(), Precision::Fitting)?;
        tasks.solve(true, |task| {
            let costs: Vec<f64> = task.weights.iter().map(|w| self.cost * w).collect();
            let problem = PrimalProblem {
                rows: &rows,
                members: task.rows,
                signs: &task.signs,
                costs: &costs,
                loss: SmoothLoss::Logistic,
                bias: self.bias,
                regularised_bias: !self.free_bias,
            };
            let limits = NewtonLimits {
                tolerance: self.tolerance,
                max_steps: self.max_iterations,
                max_seconds: tasks.seconds_left(self.max_seconds),
            };
            Ok(solved_by_newton(newton::solve(&problem, &limits)))
        })
    }
}

estimator!(LogisticParams => LinearClassifier, [Card {
    name: "logistic",
    about: "Logistic regression: classification with probabilities",
    grid: &["cost=2^-9:2:7"],
    page: "linear",
    python: PythonClass {
        name: "LogisticRegression",
        base: "LinearProbabilities",
        about: "Logistic regression by Newton's method.\n\nMinimises \
                ``||w||² / 2 + C Σ ln(1 + exp(-y f(x)))``.",
        extra: &[FIT_INTERCEPT],
        ..PythonClass::PLAIN
    },
    ..Card::PLAIN
}]);
