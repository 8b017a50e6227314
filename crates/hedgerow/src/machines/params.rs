//! What all kernel machines share: kernel, stopping, memory.

use crate::Result;
use crate::error::{ensure_not_negative, ensure_positive};
use crate::kernel::KernelSpec;
use crate::solve::smo::Limits;
use serde::{Deserialize, Serialize};
use std::time::Instant;

/// Kernel and solver settings of every kernel machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SolverParams {
    /// The kernel; Gaussian with gamma = 1 / features by default.
    pub kernel: KernelSpec,
    /// Largest violation of optimality that is accepted; 0.001 by default.
    pub tolerance: f64,
    /// Memory for kernel rows; 200 MiB by default. It changes the time, never the result.
    pub cache_bytes: usize,
    /// Whether settled variables are left out until the end; yes by default.
    pub shrinking: bool,
    /// Largest number of pair updates of one machine; the solver's own cap by default.
    pub max_iterations: Option<u64>,
    /// Largest wall-clock time of the whole fit; unlimited by default.
    pub max_seconds: Option<f64>,
    /// Seed of everything random: sampled percentiles, folds of the calibration; 0 by default.
    pub seed: u64,
}

impl Default for SolverParams {
    fn default() -> Self {
        Self {
            kernel: KernelSpec::default(),
            tolerance: 1e-3,
            cache_bytes: 200 << 20,
            shrinking: true,
            max_iterations: None,
            max_seconds: None,
            seed: 0,
        }
    }
}

impl SolverParams {
    /// An error that names the first setting out of its range.
    pub fn check(&self) -> Result<()> {
        ensure_positive("tolerance", self.tolerance)?;
        if let Some(seconds) = self.max_seconds {
            ensure_not_negative("max_seconds", seconds)?;
        }
        if let Some(kernel) = self.kernel.fixed() {
            kernel.check()?;
        }
        Ok(())
    }

    /// Limits of a solve that begins now, in a fit that began at `start`.
    pub(crate) fn limits(&self, start: Instant) -> Limits {
        Limits {
            tolerance: self.tolerance,
            max_iterations: self.max_iterations,
            max_seconds: self
                .max_seconds
                .map(|all| (all - start.elapsed().as_secs_f64()).max(0.0)),
            shrinking: self.shrinking,
        }
    }
}

/// Gives a params struct with a field `solver` the builders of [`SolverParams`].
macro_rules! forward_solver_builders {
    ($params:ty) => {
        impl $params {
            /// Sets the kernel.
            pub fn with_kernel(mut self, kernel: impl Into<crate::kernel::KernelSpec>) -> Self {
                self.solver.kernel = kernel.into();
                self
            }

            /// Sets the largest violation of optimality that is accepted.
            pub fn with_tolerance(mut self, tolerance: f64) -> Self {
                self.solver.tolerance = tolerance;
                self
            }

            /// Sets the memory for kernel rows.
            pub fn with_cache_bytes(mut self, cache_bytes: usize) -> Self {
                self.solver.cache_bytes = cache_bytes;
                self
            }

            /// Sets whether settled variables are left out until the end.
            pub fn with_shrinking(mut self, shrinking: bool) -> Self {
                self.solver.shrinking = shrinking;
                self
            }

            /// Sets the largest number of pair updates of one machine.
            pub fn with_max_iterations(mut self, max_iterations: u64) -> Self {
                self.solver.max_iterations = Some(max_iterations);
                self
            }

            /// Sets the largest wall-clock time of the whole fit.
            pub fn with_max_seconds(mut self, max_seconds: f64) -> Self {
                self.solver.max_seconds = Some(max_seconds);
                self
            }

            /// Sets the seed of everything random.
            pub fn with_seed(mut self, seed: u64) -> Self {
                self.solver.seed = seed;
                self
            }

            /// Sets all settings of the solver.
            pub fn with_solver(mut self, solver: crate::machines::SolverParams) -> Self {
                self.solver = solver;
                self
            }
        }
    };
}
pub(crate) use forward_solver_builders;

/// Gives a params struct with the fields `class_weights` and `multiclass` their builders.
macro_rules! class_builders {
    ($params:ty) => {
        impl $params {
            /// Sets the factor of the cost for one class.
            pub fn with_class_weight(mut self, class: crate::data::ClassName, weight: f64) -> Self {
                self.class_weights.retain(|(name, _)| *name != class);
                self.class_weights.push((class, weight));
                self
            }

            /// Sets how more than two classes are told apart.
            pub fn with_multiclass(mut self, multiclass: crate::machines::Multiclass) -> Self {
                self.multiclass = multiclass;
                self
            }
        }
    };
}
pub(crate) use class_builders;
