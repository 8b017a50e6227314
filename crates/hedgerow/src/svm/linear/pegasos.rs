//! Linear SVMs by stochastic subgradients.

use super::class_tasks::{ClassTasks, Solved};
use super::{Bias, Hyperplane, LinearClassifier, Stop};
use crate::data::Dataset;
use crate::estimator::estimator;
use crate::machines::{Multiclass, class_builders};
use crate::method::{Card, PythonClass};
use crate::params::{ClassWeights, params};
use crate::solve::pegasos::{self, PegasosLimits, PegasosProblem};
use crate::solve::{LinearRows, Precision};
use crate::{Fitted, Result};
use serde::{Deserialize, Serialize};

/// Pegasos: $\min \tfrac\lambda2\|w\|^2 + \tfrac1n\sum_i \nu_i \max(0, 1 - y_i f(x_i))$ for every machine,
/// with $\nu_i$ = class weight × sample weight, or class-balanced weights.
#[params]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PegasosParams {
    /// Regulariser, λ = 1 / (C n).
    #[param(above = 0.0, unless = "1 / (cost × rows)", python = "lam", tunable)]
    pub lambda: Option<f64>,
    /// Penalty of a margin violation, C, if lambda is not given.
    #[param(default = 1.0, above = 0.0, short = 'c', python = "C", tunable)]
    pub cost: f64,
    /// Factors of the loss for some classes; 1 for all others.
    #[param(above = 0.0, option = "class_weight", python = "class_weight")]
    pub class_weights: ClassWeights,
    /// Weigh rows such that both classes of a machine weigh the same (Weighted-Pegasos).
    #[param(default = false)]
    pub balanced: bool,
    /// How more than two classes are told apart.
    #[param(default = Multiclass::OneVsRest, python = "multi_class")]
    pub multiclass: Multiclass,
    /// How the intercept is learned.
    #[param(default = Bias::Feature(1.0), flatten)]
    pub bias: Bias,
    /// Whether the intercept counts in the test of the margin; the printed algorithm leaves it out.
    #[param(default = true)]
    pub bias_in_margin: bool,
    /// Rows drawn in a step.
    #[param(
        default = 1,
        least = 1,
        short = 'k',
        python = "batch_size",
        heading = "Solver"
    )]
    pub batch: usize,
    /// Largest number of steps.
    #[param(default = 10_000_000, python = "max_iter", heading = "Solver")]
    pub max_iterations: u64,
    /// When to stop before that.
    #[param(default = Stop::Pass(1e-3), flatten)]
    pub stop: Stop,
    /// Seed of the draws.
    #[param(python = "random_state", no_option)]
    pub seed: u64,
}

class_builders!(PegasosParams);

impl PegasosParams {
    /// Trains on the rows with a positive weight. The objective of the report is the value above.
    pub fn fit(&self, data: &Dataset) -> Result<Fitted<LinearClassifier>> {
        self.check()?;
        let tasks = ClassTasks::new(data, &self.class_weights, self.multiclass)?;
        let rows = LinearRows::pack(tasks.data.samples().view(), Precision::Fitting)?;
        tasks.solve(false, |task| {
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

estimator!(PegasosParams => LinearClassifier, [Card {
    name: "pegasos",
    about: "Pegasos: linear SVM by stochastic subgradients",
    grid: &["cost=2^-9:2:7"],
    page: "linear",
    python: PythonClass {
        name: "PegasosClassifier",
        base: "LinearClassifier",
        about: "Linear SVM by projected stochastic subgradients.\n\nMinimises \
                ``λ ||w||² / 2 + mean(ν_i max(0, 1 - y_i f(x_i)))``.",
        ..PythonClass::PLAIN
    },
    ..Card::PLAIN
}]);
