//! Linear SVMs by stochastic subgradients.

use super::frame::{Frame, Solved};
use super::linear_svm::check_bias;
use super::{Bias, Hyperplane, LinearClassifier, Stop};
use crate::data::{ClassName, Dataset};
use crate::error::{ensure_not_negative, ensure_positive};
use crate::machines::{Multiclass, check_class_weights, class_builders};
use crate::solve::pegasos::{self, PegasosLimits, PegasosProblem};
use crate::solve::{LinearRows, Precision};
use crate::{Error, Fitted, Result};
use serde::{Deserialize, Serialize};

/// Pegasos: $\min \tfrac\lambda2\|w\|^2 + \tfrac1n\sum_i \nu_i \max(0, 1 - y_i f(x_i))$ for every machine,
/// with $\nu_i$ = class weight × sample weight, or class-balanced weights.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PegasosParams {
    /// Regulariser $\lambda = 1/(C n)$; `None`, the default, for that of `cost`.
    pub lambda: Option<f64>,
    /// C, of which $\lambda$ follows if it is not given; 1 by default.
    pub cost: f64,
    /// Factors of the loss for some classes; 1 for all others.
    pub class_weights: Vec<(ClassName, f64)>,
    /// Whether rows get the weights $\nu_i = 1/(2 n_\pm)$ with which each class of a machine weighs
    /// one half (Weighted-Pegasos), times sample and class weights; no by default.
    pub balanced: bool,
    /// How more than two classes are told apart; one-vs-rest by default.
    pub multiclass: Multiclass,
    /// How the intercept is learned; a constant feature of 1 by default.
    pub bias: Bias,
    /// Whether the intercept counts in the test of the margin; yes by default.
    pub bias_in_margin: bool,
    /// Rows drawn in a step; 1 by default.
    pub batch: usize,
    /// Largest number of steps; 10 million by default.
    pub max_iterations: u64,
    /// When to stop earlier; by default when the mean of $w$ over a pass moves by at most 0.001
    /// of its norm.
    pub stop: Stop,
    /// Seed of the draws; 0 by default.
    pub seed: u64,
}

impl Default for PegasosParams {
    fn default() -> Self {
        Self {
            lambda: None,
            cost: 1.0,
            class_weights: Vec::new(),
            balanced: false,
            multiclass: Multiclass::OneVsRest,
            bias: Bias::Feature(1.0),
            bias_in_margin: true,
            batch: 1,
            max_iterations: 10_000_000,
            stop: Stop::Pass(1e-3),
            seed: 0,
        }
    }
}

class_builders!(PegasosParams);

impl PegasosParams {
    /// Sets the regulariser.
    pub fn with_lambda(mut self, lambda: f64) -> Self {
        self.lambda = Some(lambda);
        self
    }

    /// Sets the cost of which the regulariser follows.
    pub fn with_cost(mut self, cost: f64) -> Self {
        self.cost = cost;
        self
    }

    /// Sets whether classes are balanced.
    pub fn with_balanced(mut self, balanced: bool) -> Self {
        self.balanced = balanced;
        self
    }

    /// Sets how the intercept is learned.
    pub fn with_bias(mut self, bias: Bias) -> Self {
        self.bias = bias;
        self
    }

    /// Sets the number of rows drawn in a step.
    pub fn with_batch(mut self, batch: usize) -> Self {
        self.batch = batch;
        self
    }

    /// Sets the largest number of steps.
    pub fn with_max_iterations(mut self, max_iterations: u64) -> Self {
        self.max_iterations = max_iterations;
        self
    }

    /// Sets when to stop earlier.
    pub fn with_stop(mut self, stop: Stop) -> Self {
        self.stop = stop;
        self
    }

    /// Sets the seed.
    pub fn with_seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// An error that names the first parameter out of its range.
    pub fn check(&self) -> Result<()> {
        ensure_positive("cost", self.cost)?;
        if let Some(lambda) = self.lambda {
            ensure_positive("lambda", lambda)?;
        }
        check_class_weights(&self.class_weights)?;
        match self.bias {
            Bias::Feature(value) => check_bias(Some(value))?,
            Bias::Rate(tau) => ensure_positive("bias rate", tau)?,
            Bias::None | Bias::Subgradient | Bias::Inner => {}
        }
        if let Stop::Step(tolerance) | Stop::Pass(tolerance) = self.stop {
            ensure_not_negative("tolerance", tolerance)?;
        }
        if self.batch == 0 {
            return Err(Error::Parameter {
                name: "batch",
                value: 0.0,
                requirement: "at least 1",
            });
        }
        Ok(())
    }

    /// Trains on the rows with a positive weight. The objective of the report is the value above.
    pub fn fit(&self, data: &Dataset) -> Result<Fitted<LinearClassifier>> {
        self.check()?;
        let frame = Frame::new(data, &self.class_weights, self.multiclass)?;
        let rows = LinearRows::pack(frame.data.samples().view(), Precision::Fitting)?;
        frame.solve(false, |task| {
            let n = task.rows.len();
            let mut row_weights = task.weights.clone();
            if self.balanced {
                for (t, weight) in row_weights.iter_mut().enumerate() {
                    let of_class = if t < task.n_positive {
                        task.n_positive
                    } else {
                        n - task.n_positive
                    };
                    *weight /= 2.0 * of_class as f64;
                }
            }
            let problem = PegasosProblem {
                rows: &rows,
                members: task.rows,
                signs: &task.signs,
                row_weights: Some(&row_weights),
                lambda: self.lambda.unwrap_or(1.0 / (self.cost * n as f64)),
            };
            let limits = PegasosLimits {
                batch: self.batch,
                max_steps: self.max_iterations,
                stop: self.stop,
                bias: self.bias,
                bias_in_margin: self.bias_in_margin,
                seed: self.seed.wrapping_add(task.number),
            };
            let solution = pegasos::solve(&problem, &limits);
            Ok(Solved {
                plane: Hyperplane {
                    weights: solution.weights,
                    intercept: solution.intercept,
                },
                objective: solution.objective,
                iterations: solution.steps,
                status: solution.status,
                support: 0,
                bounded: 0,
            })
        })
    }
}
