//! What a user can set.

use super::block::Penalised;
use super::kernel::WeightedKernel;
use crate::error::{ensure_not_negative, ensure_positive};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// How weights are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum WeightingMethod {
    /// FULL-FS: machine and weights at once.
    Full,
    /// Simple AO: machine and weights in turn.
    Simple,
    /// Margin AO-I: in turn, with a margin that both share.
    AoOne,
    /// Explicit margin AO-II: as AO-I, with the norm of the machine frozen while weights move. The
    /// default.
    #[default]
    AoTwo,
    /// GMKL: projected gradient on the optimum of the SVM with the hinge.
    Gmkl,
}

/// Where the search begins; weights are those of standardised features.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum WeightStart {
    /// 1 for every feature. With many features all rows are far from each other there.
    Ones,
    /// $1/\sqrt{2d}$: rows are at a mean squared distance of 1. The default.
    #[default]
    Scaled,
    /// By ReliefF, as long as the scaled start.
    Relief,
    /// All three; the best is kept.
    Several,
}

/// How steps of the weights are computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum WeightSteps {
    /// What is faster, which is by products with the Hessian. The default.
    #[default]
    Auto,
    /// From the Hessian: interior trust region.
    Exact,
    /// By products with it: conjugate gradients in a projected trust region.
    Subspace,
}

/// Parameters of kernel feature weighting.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct KernelWeightsParams {
    /// How weights are found.
    pub method: WeightingMethod,
    /// The kernel whose features are weighted.
    pub kernel: WeightedKernel,
    /// Price $C$ of a violated margin; `None`: chosen by cross-validation.
    pub cost: Option<f64>,
    /// Price $\mu$ of a weight; `None`: chosen by cross-validation.
    pub mu: Option<f64>,
    /// Half the width of the parabola of the smoothed hinge; 0.5 by default.
    pub epsilon: f64,
    /// Where the search begins.
    pub start: WeightStart,
    /// How steps of the weights are computed.
    pub steps: WeightSteps,
    /// What $\mu$ is the price of.
    pub penalised: Penalised,
    /// AO-II as printed, with coefficients that are not brought to norm 1.
    pub printed: bool,
    /// Whether features that fell to 0 are tried again at the end; by default they are.
    pub reactivate: bool,
    /// Kernel functions at so many random rows instead of all; `None`: all.
    pub landmarks: Option<usize>,
    /// Folds of the choice of `cost` and `mu`; 3 by default.
    pub folds: usize,
    /// Whether every round is told apart as minimum or saddle; up to 1500 rows.
    pub labels: bool,
    /// Most rounds of machine and weights; 30 by default.
    pub max_rounds: u32,
    /// Most steps of the weights in a round; 40 by default.
    pub max_steps: u32,
    /// Most steps of FULL-FS and GMKL; 200 by default.
    pub max_full_steps: u32,
    /// Largest move of a weight at which Simple AO and AO-I end; 0.001 by default.
    pub tolerance: f64,
    /// Decrease of the objective in a step of the weights, relative to it, that ends a round;
    /// 0.00001 by default.
    pub step_tolerance: f64,
    /// Seed of folds and landmarks.
    pub seed: u64,
    /// Memory for kernel values; 8 GiB by default.
    pub max_bytes: u64,
}

impl Default for KernelWeightsParams {
    fn default() -> Self {
        Self {
            method: WeightingMethod::default(),
            kernel: WeightedKernel::default(),
            cost: None,
            mu: None,
            epsilon: 0.5,
            start: WeightStart::default(),
            steps: WeightSteps::default(),
            penalised: Penalised::default(),
            printed: false,
            reactivate: true,
            landmarks: None,
            folds: 3,
            labels: false,
            max_rounds: 30,
            max_steps: 40,
            max_full_steps: 200,
            tolerance: 1e-3,
            step_tolerance: 1e-5,
            seed: 0,
            max_bytes: 8 << 30,
        }
    }
}

macro_rules! setters {
    ($($(#[$doc:meta])* $setter:ident: $field:ident: $ty:ty;)+) => {
        impl KernelWeightsParams {
            $($(#[$doc])*
            pub fn $setter(mut self, $field: $ty) -> Self {
                self.$field = $field;
                self
            })+
        }
    };
}

setters! {
    /// Sets how weights are found.
    with_method: method: WeightingMethod;
    /// Sets the kernel.
    with_kernel: kernel: WeightedKernel;
    /// Sets the price of a violated margin; `None`: chosen.
    with_cost: cost: Option<f64>;
    /// Sets the price of a weight; `None`: chosen.
    with_mu: mu: Option<f64>;
    /// Sets half the width of the parabola of the smoothed hinge.
    with_epsilon: epsilon: f64;
    /// Sets where the search begins.
    with_start: start: WeightStart;
    /// Sets how steps of the weights are computed.
    with_steps: steps: WeightSteps;
    /// Sets what is penalised.
    with_penalised: penalised: Penalised;
    /// Sets whether AO-II is as printed.
    with_printed: printed: bool;
    /// Sets whether features at 0 are tried again.
    with_reactivate: reactivate: bool;
    /// Sets the number of landmarks; `None`: kernel functions at all rows.
    with_landmarks: landmarks: Option<usize>;
    /// Sets the folds of the choice of prices.
    with_folds: folds: usize;
    /// Sets whether rounds are told apart as minima and saddles.
    with_labels: labels: bool;
    /// Sets the most rounds.
    with_max_rounds: max_rounds: u32;
    /// Sets the most steps of a round.
    with_max_steps: max_steps: u32;
    /// Sets the most steps of FULL-FS and GMKL.
    with_max_full_steps: max_full_steps: u32;
    /// Sets the move of a weight that ends Simple AO and AO-I.
    with_tolerance: tolerance: f64;
    /// Sets the decrease that ends a round.
    with_step_tolerance: step_tolerance: f64;
    /// Sets the seed.
    with_seed: seed: u64;
    /// Sets the memory for kernel values.
    with_max_bytes: max_bytes: u64;
}

impl KernelWeightsParams {
    /// An error that names the first parameter out of its range.
    pub fn check(&self) -> Result<()> {
        self.kernel.check()?;
        if let Some(cost) = self.cost {
            ensure_positive("cost", cost)?;
        }
        if let Some(mu) = self.mu {
            ensure_not_negative("mu", mu)?;
        }
        ensure_positive("tolerance", self.tolerance)?;
        ensure_not_negative("step_tolerance", self.step_tolerance)?;
        let out = |name, value: f64, requirement| {
            Err(Error::Parameter {
                name,
                value,
                requirement,
            })
        };
        if !(1e-3..=0.5).contains(&self.epsilon) {
            return out("epsilon", self.epsilon, "from 0.001 to 0.5");
        }
        if self.folds < 2 {
            return out("folds", self.folds as f64, "at least 2");
        }
        if self.max_rounds == 0 {
            return out("max_rounds", 0.0, "at least 1");
        }
        if self.landmarks == Some(0) {
            return out("landmarks", 0.0, "at least 1");
        }
        let all_rows = matches!(self.method, WeightingMethod::Full | WeightingMethod::Gmkl);
        if let (Some(landmarks), true) = (self.landmarks, all_rows) {
            return out(
                "landmarks",
                landmarks as f64,
                "none: full-fs and gmkl have kernel functions at all rows",
            );
        }
        Ok(())
    }
}
