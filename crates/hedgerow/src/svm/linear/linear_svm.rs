//! Linear SVMs.

use super::class_tasks::{ClassTasks, Solved, TwoClass};
use super::{HingeLoss, Hyperplane, LinearClassifier};
use crate::data::Dataset;
use crate::estimator::estimator;
use crate::machines::{Multiclass, class_builders};
use crate::method::{Card, PythonClass, PythonParameter};
use crate::params::{ClassWeights, Value, Words, params, read_as};
use crate::solve::dual_coordinate::{self, DualLimits, DualProblem};
use crate::solve::newton::{self, NewtonLimits, PrimalProblem, SmoothLoss};
use crate::solve::{LinearRows, Precision};
use crate::{Error, Fitted, Result, Status};
use serde::{Deserialize, Serialize};

/// Passes after which [`LinearSolver::Auto`] turns from the dual to the primal.
const PATIENCE: u32 = 1000;
/// Duality gap, relative to the objective, that goes with a tolerance of 1.
const GAP: f64 = 1e-3;
/// Rows a feature from which on [`LinearSolver::Auto`] solves the primal at once.
const TALL: usize = 2;
/// Newton steps of a solve.
const MAX_NEWTON_STEPS: u32 = 1000;

/// Which problem is solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, Words)]
pub enum LinearSolver {
    /// The dual; with squared hinge loss the primal if there are at least twice as many rows as
    /// features, or once the dual has used 1000 passes in vain.
    #[default]
    Auto,
    /// The dual, by coordinate descent.
    Dual,
    /// The primal, by Newton's method: squared hinge loss only.
    Primal,
}

/// Linear SVM: $\min \tfrac12\|w\|^2 + \sum_i C_i\,\ell(1 - y_i f(x_i))$ for every machine, with
/// $C_i$ = cost × class weight × sample weight.
///
/// ```
/// use hedgerow::data::{ClassLabels, Dataset, Samples, Target};
/// use hedgerow::svm::linear::LinearSvmParams;
/// use hedgerow::{Prediction, Predictor};
///
/// let samples = Samples::dense(4, 1, vec![-2.0, -1.0, 1.0, 2.0])?;
/// let labels = ClassLabels::from_texts(&["left", "left", "right", "right"]);
/// let data = Dataset::new(samples, Target::Classes(labels))?;
/// let fitted = LinearSvmParams::default().with_cost(10.0).fit(&data)?;
/// assert_eq!(fitted.model.predict(data.samples().view())?, Prediction::Classes(vec![0, 0, 1, 1]));
/// # Ok::<(), hedgerow::Error>(())
/// ```
#[params(check = check_solver)]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LinearSvmParams {
    /// Price of a violated margin, C.
    #[param(default = 1.0, above = 0.0, short = 'c', python = "C", tunable)]
    pub cost: f64,
    /// What a violated margin costs.
    #[param(default = HingeLoss::SquaredHinge)]
    pub loss: HingeLoss,
    /// Factors of the cost for some classes; 1 for all others.
    #[param(above = 0.0, option = "class_weight", python = "class_weight")]
    pub class_weights: ClassWeights,
    /// How more than two classes are told apart.
    #[param(default = Multiclass::OneVsRest, python = "multi_class")]
    pub multiclass: Multiclass,
    /// Value of the constant feature whose weight is the intercept; 0 or less: no intercept.
    #[param(default = Some(1.0), short = 'B', unless = "hyperplanes through the origin", python = "intercept_scaling", no_builder, set_with = set_bias)]
    pub bias: Option<f64>,
    /// Which problem is solved.
    #[param(default = LinearSolver::Auto, heading = "Solver")]
    pub solver: LinearSolver,
    /// Stop when the objective is known to be within a thousandth of this of the optimum (dual), or
    /// when the gradient has shrunk to this share and about a hundredth of it is left to gain
    /// (primal).
    ///
    /// For the dual this is a thousand times the duality gap relative to the objective, about as
    /// exact as LIBLINEAR's 0.1, or more; for the primal the norm of the gradient relative to its
    /// first, as in LIBLINEAR. [`LinearSolver::Auto`] has the default of the dual, and takes a
    /// hundredth of a tolerance that is given for the primal.
    #[param(
        above = 0.0,
        short = 'e',
        unless = "0.1 for the dual, 0.01 for the primal",
        python = "tol",
        python_default = "1e-4",
        heading = "Solver"
    )]
    pub tolerance: Option<f64>,
    /// Largest number of passes of the dual over the rows.
    #[param(default = 10_000, least = 1, python = "max_iter", heading = "Solver")]
    pub max_iterations: u32,
    /// Largest wall-clock time of the whole fit in seconds.
    #[param(least = 0.0, unless = "unlimited", no_python, heading = "Solver")]
    pub max_seconds: Option<f64>,
    /// Leave settled rows out of most passes.
    #[param(default = true, heading = "Solver", no_python)]
    pub shrinking: bool,
    /// Seed of the order in which rows are visited.
    #[param(python = "random_state", no_option)]
    pub seed: u64,
}

/// Accepts a constant feature other than 0.
pub(super) fn check_bias(bias: Option<f64>) -> Result<()> {
    match bias {
        Some(value) if value == 0.0 || !value.is_finite() => Err(Error::Parameter {
            name: "bias",
            value,
            requirement: "a finite number other than 0, or none",
        }),
        _ => Ok(()),
    }
}

/// The constant feature as LIBLINEAR's letter B has it: 0 or less for none.
pub(super) fn read_bias(value: &Value) -> Result<Option<f64>> {
    let bias: Option<f64> = read_as("bias", value)?;
    // NaN goes on, to be refused.
    Ok(bias.filter(|&value| value > 0.0 || value.is_nan()))
}

class_builders!(LinearSvmParams);

impl LinearSvmParams {
    /// Sets the value of the constant feature, if there is to be one.
    pub fn with_bias(mut self, bias: Option<f64>) -> Self {
        self.bias = bias;
        self
    }

    fn set_bias(&mut self, value: &Value) -> Result<()> {
        self.bias = read_bias(value)?;
        Ok(())
    }

    fn check_solver(&self) -> Result<()> {
        check_bias(self.bias)?;
        if self.solver == LinearSolver::Primal && self.loss == HingeLoss::Hinge {
            return Err(Error::UnknownName {
                what: "primal solver for the loss",
                name: "hinge".to_owned(),
                known: "the primal of squared-hinge, the dual of both".to_owned(),
            });
        }
        Ok(())
    }

    /// Trains on the rows with a positive weight. The objective of the report is that of the dual,
    /// or of the primal if that was solved; they agree at the optimum.
    pub fn fit(&self, data: &Dataset) -> Result<Fitted<LinearClassifier>> {
        self.check()?;
        let tasks = ClassTasks::new(data, &self.class_weights, self.multiclass)?;
        let rows = LinearRows::pack(tasks.data.samples().view(), Precision::Fitting)?;
        tasks.solve(false, |task| {
            let costs: Vec<f64> = task.weights.iter().map(|w| self.cost * w).collect();
            let falls_back =
                self.solver == LinearSolver::Auto && self.loss == HingeLoss::SquaredHinge;
            let tall = task.rows.len() >= TALL * rows.n_features();
            if self.solver == LinearSolver::Primal || falls_back && tall {
                return Ok(self.primal(&tasks, &rows, task, &costs));
            }
            let most = if falls_back {
                self.max_iterations.min(PATIENCE)
            } else {
                self.max_iterations
            };
            let solved = self.dual(&tasks, &rows, task, &costs, most);
            if falls_back && solved.status == Status::IterationLimit && most < self.max_iterations {
                return Ok(self.primal(&tasks, &rows, task, &costs));
            }
            Ok(solved)
        })
    }

    fn dual(
        &self,
        tasks: &ClassTasks<'_>,
        rows: &LinearRows<'_>,
        task: &TwoClass<'_>,
        costs: &[f64],
        max_passes: u32,
    ) -> Solved {
        let problem = DualProblem {
            rows,
            members: Some(task.rows),
            signs: &task.signs,
            costs,
            loss: self.loss,
            bias: self.bias,
            start: None,
        };
        let limits = DualLimits {
            tolerance: self.tolerance.unwrap_or(0.1),
            gap: Some(GAP * self.tolerance.unwrap_or(0.1)),
            max_passes,
            max_seconds: tasks.seconds_left(self.max_seconds),
            shrinking: self.shrinking,
            seed: self.seed.wrapping_add(task.number),
        };
        let solution = dual_coordinate::solve(&problem, &limits);
        let bounded = |(alpha, cost): &(&f64, &f64)| {
            self.loss == HingeLoss::Hinge && **alpha > 0.0 && **alpha >= **cost
        };
        Solved {
            support: solution.alpha.iter().filter(|&&alpha| alpha > 0.0).count(),
            bounded: solution.alpha.iter().zip(costs).filter(bounded).count(),
            plane: Hyperplane {
                weights: solution.weights,
                intercept: solution.intercept,
            },
            objective: solution.objective,
            iterations: u64::from(solution.passes),
            status: solution.status,
        }
    }

    fn primal(
        &self,
        tasks: &ClassTasks<'_>,
        rows: &LinearRows<'_>,
        task: &TwoClass<'_>,
        costs: &[f64],
    ) -> Solved {
        let problem = PrimalProblem {
            rows,
            members: task.rows,
            signs: &task.signs,
            costs,
            loss: SmoothLoss::SquaredHinge,
            bias: self.bias,
            regularised_bias: true,
        };
        let limits = NewtonLimits {
            // A tolerance meant for the dual is not met by the measure of the primal; a hundredth
            // of it is at least as exact.
            tolerance: match self.solver {
                LinearSolver::Primal => self.tolerance.unwrap_or(0.01),
                _ => 0.01 * self.tolerance.unwrap_or(0.1),
            },
            max_steps: MAX_NEWTON_STEPS,
            max_seconds: tasks.seconds_left(self.max_seconds),
        };
        let solution = newton::solve(&problem, &limits);
        solved_by_newton(solution)
    }
}

/// What the report says of a Newton solve: no row is left out of it.
pub(super) fn solved_by_newton(solution: newton::NewtonSolution) -> Solved {
    Solved {
        support: 0,
        bounded: 0,
        plane: Hyperplane {
            weights: solution.weights,
            intercept: solution.intercept,
        },
        objective: solution.objective,
        iterations: u64::from(solution.steps),
        status: solution.status,
    }
}

/// Whether there is an intercept, in Python.
pub(super) const FIT_INTERCEPT: PythonParameter = PythonParameter {
    name: "fit_intercept",
    form: "bool",
    annotation: "bool",
    default: "True",
    about: "Whether there is an intercept.",
};

estimator!(LinearSvmParams => LinearClassifier, [Card {
    name: "linear-svm",
    about: "Linear SVM: classification by hyperplanes",
    grid: &["cost=2^-9:2:7"],
    page: "linear",
    python: PythonClass {
        name: "LinearSVC",
        base: "LinearClassifier",
        about: "Linear support vector classification.\n\nMinimises ``||w||² / 2 + C Σ loss``; the \
                intercept is the weight of a constant feature and is regularised like the others.",
        extra: &[FIT_INTERCEPT],
        ..PythonClass::PLAIN
    },
    ..Card::PLAIN
}]);
