//! Settings shared by the local machines.

use crate::Result;
use crate::data::ClassName;
use crate::error::{ensure_not_negative, ensure_positive};
use crate::kernel::KernelSpec;
use crate::machines::SolverParams;
use serde::{Deserialize, Serialize};

/// How the machine of one neighbourhood is trained: C-SVC for classes (one-vs-one for more than
/// two), ε-SVR for real targets.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LocalSvmParams {
    /// Price of a violated margin, C; 1 by default.
    pub cost: f64,
    /// Factors of the cost for some classes; 1 for all others.
    pub class_weights: Vec<(ClassName, f64)>,
    /// Errors up to this size are free in regression; 0.1 by default.
    pub epsilon: f64,
    /// Whether every machine is calibrated for probabilities, which costs five more solves; no by
    /// default.
    pub probability: bool,
    /// Kernel and solver. Percentiles in the kernel (the default is `rbf(gamma=q50)`) are taken
    /// anew in every neighbourhood; other symbolic values once from all data.
    pub solver: SolverParams,
}

impl Default for LocalSvmParams {
    fn default() -> Self {
        let kernel = KernelSpec::parse("rbf(gamma=q50)").unwrap_or_default();
        Self {
            cost: 1.0,
            class_weights: Vec::new(),
            epsilon: 0.1,
            probability: false,
            solver: SolverParams {
                kernel,
                ..SolverParams::default()
            },
        }
    }
}

impl LocalSvmParams {
    /// An error that names the first parameter out of its range.
    pub fn check(&self) -> Result<()> {
        ensure_positive("cost", self.cost)?;
        ensure_not_negative("epsilon", self.epsilon)?;
        for &(_, weight) in &self.class_weights {
            ensure_positive("class weight", weight)?;
        }
        self.solver.check()
    }
}
