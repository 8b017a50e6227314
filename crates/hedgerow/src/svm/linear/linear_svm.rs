//! Linear SVMs.

use super::frame::{Frame, Solved, TwoClass};
use super::{HingeLoss, Hyperplane, LinearClassifier};
use crate::data::{ClassName, Dataset};
use crate::error::{ensure_not_negative, ensure_positive};
use crate::machines::{Multiclass, check_class_weights, class_builders};
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
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
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LinearSvmParams {
    /// Price of a violated margin, C; 1 by default.
    pub cost: f64,
    /// Hinge or its square; the square by default.
    pub loss: HingeLoss,
    /// Factors of the cost for some classes; 1 for all others.
    pub class_weights: Vec<(ClassName, f64)>,
    /// How more than two classes are told apart; one-vs-rest by default.
    pub multiclass: Multiclass,
    /// Value of the constant feature whose weight is the intercept; 1 by default, `None` for
    /// hyperplanes through the origin.
    pub bias: Option<f64>,
    /// Which problem is solved.
    pub solver: LinearSolver,
    /// When to stop: for the dual a thousand times the duality gap relative to the objective, 0.1
    /// by default, which is about as exact as LIBLINEAR's 0.1, or more; for the primal the norm of
    /// the gradient relative to its first, as in LIBLINEAR, 0.01 by default, and about a hundred
    /// times the distance from the optimal objective. [`LinearSolver::Auto`] has the default of the dual,
    /// and takes a hundredth of a tolerance that is given for the primal.
    pub tolerance: Option<f64>,
    /// Largest number of passes of the dual; 10 000 by default.
    pub max_iterations: u32,
    /// Largest wall-clock time of the whole fit; unlimited by default.
    pub max_seconds: Option<f64>,
    /// Whether settled variables are left out until the end; yes by default.
    pub shrinking: bool,
    /// Seed of the order in which rows are visited; 0 by default.
    pub seed: u64,
}

impl Default for LinearSvmParams {
    fn default() -> Self {
        Self {
            cost: 1.0,
            loss: HingeLoss::SquaredHinge,
            class_weights: Vec::new(),
            multiclass: Multiclass::OneVsRest,
            bias: Some(1.0),
            solver: LinearSolver::Auto,
            tolerance: None,
            max_iterations: 10_000,
            max_seconds: None,
            shrinking: true,
            seed: 0,
        }
    }
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

class_builders!(LinearSvmParams);

impl LinearSvmParams {
    /// Sets the price of a violated margin.
    pub fn with_cost(mut self, cost: f64) -> Self {
        self.cost = cost;
        self
    }

    /// Sets the loss.
    pub fn with_loss(mut self, loss: HingeLoss) -> Self {
        self.loss = loss;
        self
    }

    /// Sets the value of the constant feature.
    pub fn with_bias(mut self, bias: Option<f64>) -> Self {
        self.bias = bias;
        self
    }

    /// Sets which problem is solved.
    pub fn with_solver(mut self, solver: LinearSolver) -> Self {
        self.solver = solver;
        self
    }

    /// Sets when to stop.
    pub fn with_tolerance(mut self, tolerance: f64) -> Self {
        self.tolerance = Some(tolerance);
        self
    }

    /// Sets the largest number of passes.
    pub fn with_max_iterations(mut self, max_iterations: u32) -> Self {
        self.max_iterations = max_iterations;
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
        check_class_weights(&self.class_weights)?;
        check_bias(self.bias)?;
        if let Some(tolerance) = self.tolerance {
            ensure_positive("tolerance", tolerance)?;
        }
        if let Some(seconds) = self.max_seconds {
            ensure_not_negative("max_seconds", seconds)?;
        }
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
        let frame = Frame::new(data, &self.class_weights, self.multiclass)?;
        let rows = LinearRows::pack(frame.data.samples().view(), Precision::Fitting)?;
        frame.solve(false, |task| {
            let costs: Vec<f64> = task.weights.iter().map(|w| self.cost * w).collect();
            let falls_back =
                self.solver == LinearSolver::Auto && self.loss == HingeLoss::SquaredHinge;
            let tall = task.rows.len() >= TALL * rows.n_features();
            if self.solver == LinearSolver::Primal || falls_back && tall {
                return Ok(self.primal(&frame, &rows, task, &costs));
            }
            let most = if falls_back {
                self.max_iterations.min(PATIENCE)
            } else {
                self.max_iterations
            };
            let solved = self.dual(&frame, &rows, task, &costs, most);
            if falls_back && solved.status == Status::IterationLimit && most < self.max_iterations {
                return Ok(self.primal(&frame, &rows, task, &costs));
            }
            Ok(solved)
        })
    }

    fn dual(
        &self,
        frame: &Frame<'_>,
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
            max_seconds: frame.seconds_left(self.max_seconds),
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
        frame: &Frame<'_>,
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
            max_seconds: frame.seconds_left(self.max_seconds),
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
