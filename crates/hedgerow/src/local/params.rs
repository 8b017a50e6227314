//! Settings shared by the local machines.

use crate::kernel::KernelSpec;
use crate::machines::SolverParams;
use crate::method::{PythonClass, PythonParameter};
use crate::params::{ClassWeights, params};
use serde::{Deserialize, Serialize};

/// The kernels of LIBSVM's letter `t` for machines on neighbourhoods: widths are the median of the
/// distances there.
pub(super) const LOCAL_KERNELS: &[&str] = &[
    "linear",
    "poly(gamma=1, coef0=0, degree=3)",
    "rbf(gamma=q50)",
    "sigmoid(gamma=1, coef0=0)",
];

/// How the machine of one neighbourhood is trained: C-SVC for classes (one-vs-one for more than
/// two), ε-SVR for real targets.
#[params]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LocalSvmParams {
    /// Price of a violated margin, C.
    #[param(default = 1.0, above = 0.0, short = 'c', python = "C", tunable)]
    pub cost: f64,
    /// Factors of the cost for some classes; 1 for all others.
    #[param(above = 0.0, option = "class_weight", python = "class_weight")]
    pub class_weights: ClassWeights,
    /// Errors up to this size cost nothing in regression.
    #[param(default = 0.1, least = 0.0, short = 'p', tunable)]
    pub epsilon: f64,
    /// Calibrate every machine, so that the model can tell probabilities; costs five more solves.
    #[param(default = false, switch = 'b')]
    pub probability: bool,
    /// Kernel and solver. Percentiles in the kernel (the default is `rbf(gamma=q50)`) are taken
    /// anew in every neighbourhood; other symbolic values once from all data.
    #[param(default = local_solver(), flatten)]
    pub solver: SolverParams,
}

/// The solver's settings with the median distance of each neighbourhood as width.
fn local_solver() -> SolverParams {
    SolverParams::default().with_kernel(KernelSpec::gaussian_by_percentile(50.0))
}

/// Weights of columns in Python.
pub(super) const METRIC: PythonParameter = PythonParameter {
    name: "metric",
    form: "\"learned\" or array of shape (n_features,), optional",
    annotation: "Any",
    default: "None",
    about: "Weights that columns are multiplied by: given, or learned from the training rows and kept \
            only if rows that were kept aside are answered better with them.",
};

/// Patience for [`METRIC`] in Python.
pub(super) const METRIC_SECONDS: PythonParameter = PythonParameter {
    name: "metric_seconds",
    form: "float, optional",
    annotation: "float | None",
    default: "None",
    about: "Learn the metric for at most about so many seconds; the result then depends on the machine.",
};

/// What all estimators with [`METRIC`] have learnt.
pub(super) const FEATURE_WEIGHTS: (&str, &str) = (
    "feature_weights_ : ndarray of shape (n_features,)",
    "What columns are multiplied by; 0 for those that are left out, all 1 without a metric or where \
     it did not help.",
);

/// Estimators that only have these.
pub(super) const METRIC_CLASS: PythonClass = PythonClass {
    extra: &[METRIC, METRIC_SECONDS],
    attributes: &[FEATURE_WEIGHTS],
    ..PythonClass::PLAIN
};
