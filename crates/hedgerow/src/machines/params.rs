//! What all kernel machines share: kernel, stopping, memory.

use crate::kernel::KernelSpec;
use crate::params::params;
use crate::solve::smo::Limits;
use serde::{Deserialize, Serialize};
use std::time::Instant;

/// Kernel and solver settings of every kernel machine.
#[params(heading = "Solver")]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SolverParams {
    /// The kernel; Gaussian with gamma = 1 / features by default.
    #[param(flatten)]
    pub kernel: KernelSpec,
    /// Stop when the largest violation of optimality is below this.
    #[param(default = 1e-3, above = 0.0, short = 'e', python = "tol")]
    pub tolerance: f64,
    /// Memory for kernel rows in MB; it changes the time, never the result.
    #[param(
        default = 200.0,
        above = 0.0,
        most = 1e9,
        short = 'm',
        python = "cache_size",
        unsaid
    )]
    pub cache_mb: f64,
    /// Leave settled rows out until the end.
    #[param(default = true, switch = 'h')]
    pub shrinking: bool,
    /// Largest number of pair updates of one machine.
    #[param(
        least = 1,
        unless = "the solver's own cap",
        python = "max_iter",
        python_none = "-1"
    )]
    pub max_iterations: Option<u64>,
    /// Largest wall-clock time of the whole fit in seconds.
    #[param(least = 0.0, unless = "unlimited", no_python)]
    pub max_seconds: Option<f64>,
    /// Seed of everything random: sampled percentiles, folds of the calibration.
    #[param(python = "random_state", no_option)]
    pub seed: u64,
}

impl SolverParams {
    /// Memory for kernel rows in bytes.
    pub fn cache_bytes(&self) -> usize {
        (self.cache_mb * f64::from(1 << 20)) as usize
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

            /// Sets the memory for kernel rows, in MB.
            pub fn with_cache_mb(mut self, cache_mb: f64) -> Self {
                self.solver.cache_mb = cache_mb;
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
        }
    };
}
pub(crate) use forward_solver_builders;

/// Gives a params struct with the field `class_weights` a builder for single classes.
macro_rules! class_builders {
    ($params:ty) => {
        impl $params {
            /// Sets the factor of the cost for one class.
            pub fn with_class_weight(mut self, class: crate::data::ClassName, weight: f64) -> Self {
                self.class_weights.retain(|(name, _)| *name != class);
                self.class_weights.push((class, weight));
                self
            }
        }
    };
}
pub(crate) use class_builders;
