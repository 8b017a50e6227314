//! Training of linear classifiers.

use crate::arrays::Rows;
use crate::errors::from_library;
use crate::fit::Name;
use crate::labelled::{labelled, unknown};
use crate::model::{Machine, Model};
use crate::threads::interruptible;
use hedgerow::data::Dataset;
use hedgerow::svm::Multiclass;
use hedgerow::svm::linear::{
    Bias, FisherParams, HingeLoss, LinearClassifier, LinearSolver, LinearSvmParams, LogisticParams,
    PegasosParams, Stop,
};
use hedgerow::{Fitted, Result};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;

/// What the estimators ask for. Every method reads its own part.
#[derive(Debug, Clone, FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct LinearSettings {
    /// Tag of the method.
    method: String,
    cost: f64,
    /// Value of the constant feature; `None` for no intercept.
    bias: Option<f64>,
    one_vs_one: bool,
    tolerance: f64,
    max_iterations: u64,
    seed: u64,
    /// `hinge` or `squared_hinge`.
    loss: String,
    /// `auto`, `dual` or `primal`.
    solver: String,
    regularised_bias: bool,
    /// Lambda, which is a word of Python's.
    regulariser: Option<f64>,
    balanced: bool,
    /// `none`, `feature`, `subgradient`, `inner` or `rate`.
    bias_treatment: String,
    bias_rate: f64,
    batch: usize,
    /// `never`, `step` or `pass`.
    stop: String,
    ridge: f64,
    /// Threads; 0 for the default.
    threads: usize,
}

impl LinearSettings {
    fn multiclass(&self) -> Multiclass {
        if self.one_vs_one {
            Multiclass::OneVsOne
        } else {
            Multiclass::OneVsRest
        }
    }

    fn passes(&self) -> u32 {
        u32::try_from(self.max_iterations).unwrap_or(u32::MAX)
    }

    fn svm(&self) -> Result<LinearSvmParams> {
        let loss = match self.loss.as_str() {
            "hinge" => HingeLoss::Hinge,
            "squared_hinge" => HingeLoss::SquaredHinge,
            other => return Err(unknown("loss", other, "hinge, squared_hinge")),
        };
        let solver = match self.solver.as_str() {
            "auto" => LinearSolver::Auto,
            "dual" => LinearSolver::Dual,
            "primal" => LinearSolver::Primal,
            other => return Err(unknown("solver", other, "auto, dual, primal")),
        };
        Ok(LinearSvmParams::default()
            .with_cost(self.cost)
            .with_loss(loss)
            .with_solver(solver)
            .with_bias(self.bias)
            .with_multiclass(self.multiclass())
            .with_tolerance(self.tolerance)
            .with_max_iterations(self.passes())
            .with_seed(self.seed))
    }

    fn logistic(&self) -> LogisticParams {
        let mut params = LogisticParams::default()
            .with_cost(self.cost)
            .with_bias(self.bias)
            .with_regularised_bias(self.regularised_bias)
            .with_multiclass(self.multiclass())
            .with_tolerance(self.tolerance);
        params.max_iterations = self.passes();
        params
    }

    fn pegasos(&self) -> Result<PegasosParams> {
        let bias = match self.bias_treatment.as_str() {
            "none" => Bias::None,
            "feature" => Bias::Feature(self.bias.unwrap_or(1.0)),
            "subgradient" => Bias::Subgradient,
            "inner" => Bias::Inner,
            "rate" => Bias::Rate(self.bias_rate),
            other => {
                let known = "none, feature, subgradient, inner, rate";
                return Err(unknown("treatment of the bias", other, known));
            }
        };
        let stop = match self.stop.as_str() {
            "never" => Stop::Never,
            "step" => Stop::Step(self.tolerance),
            "pass" => Stop::Pass(self.tolerance),
            other => return Err(unknown("stop rule", other, "never, step, pass")),
        };
        let mut params = PegasosParams::default()
            .with_cost(self.cost)
            .with_balanced(self.balanced)
            .with_multiclass(self.multiclass())
            .with_bias(bias)
            .with_batch(self.batch)
            .with_max_iterations(self.max_iterations)
            .with_stop(stop)
            .with_seed(self.seed);
        params.lambda = self.regulariser;
        Ok(params)
    }

    fn fit(&self, data: &Dataset) -> Result<Fitted<LinearClassifier>> {
        match self.method.as_str() {
            "linear-svm" => self.svm()?.fit(data),
            "logistic" => self.logistic().fit(data),
            "pegasos" => self.pegasos()?.fit(data),
            "fda" => FisherParams::default().with_ridge(self.ridge).fit(data),
            other => Err(unknown(
                "linear method",
                other,
                "linear-svm, logistic, pegasos, fda",
            )),
        }
    }

    /// Names and values for the model file.
    fn describe(&self) -> Vec<(String, String)> {
        let mut pairs = Vec::new();
        let mut push = |name: &str, value: String| pairs.push((name.to_owned(), value));
        if self.method == "fda" {
            push("ridge", self.ridge.to_string());
            return pairs;
        }
        match (self.method.as_str(), self.regulariser) {
            ("pegasos", Some(lambda)) => push("lambda", lambda.to_string()),
            _ => push("cost", self.cost.to_string()),
        }
        match self.method.as_str() {
            "linear-svm" => {
                push("loss", self.loss.replace('_', "-"));
                push("solver", self.solver.clone());
            }
            "pegasos" => {
                push("balanced", self.balanced.to_string());
                push("bias", self.bias_treatment.clone());
                push("batch", self.batch.to_string());
                push("stop", self.stop.clone());
            }
            _ => {}
        }
        let scheme = if self.one_vs_one { "ovo" } else { "ovr" };
        push("multiclass", scheme.to_owned());
        push("tolerance", self.tolerance.to_string());
        push("seed", self.seed.to_string());
        pairs
    }
}

/// Trains a linear classifier; `codes` are positions in the sorted `names`.
#[pyfunction]
pub(crate) fn fit_linear<'py>(
    py: Python<'py>,
    rows: Rows<'py>,
    codes: PyReadonlyArray1<'py, u32>,
    names: Vec<Name>,
    weights: Option<PyReadonlyArray1<'py, f64>>,
    settings: LinearSettings,
) -> PyResult<Model> {
    let data = labelled(py, rows, codes, names, weights)?;
    let (method, parameters, threads) = (
        settings.method.clone(),
        settings.describe(),
        settings.threads,
    );
    let fitted = interruptible(py, threads, move || settings.fit(&data))?.map_err(from_library)?;
    let machine = Machine::Linear(fitted.model);
    Ok(Model::fitted(&method, machine, fitted.report, parameters))
}
