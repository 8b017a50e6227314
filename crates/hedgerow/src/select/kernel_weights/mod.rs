//! Kernel feature weighting: which inputs matter to a non-linear model (A. Tayal, thesis, University
//! of Waterloo, 2014, chapter 7).
//!
//! Every feature has a weight $z_l \ge 0$ inside the kernel, and weights have a price:
//!
//! $$\min_{\beta, b, z \ge 0}\ \Omega = \tfrac12 \beta^\top K(z)\beta
//!   + C\sum_i \ell_\varepsilon(y_i f_i) + \mu\sum_l z_l, \qquad f = K(z)\beta + b.$$
//!
//! The price of the sum drives weights to 0. The problem is not convex; methods differ in how they
//! go down:
//!
//! | symbol | name here |
//! |---|---|
//! | $z$; $d = z^2$ | `weights`; [`Penalised::Squares`] |
//! | $\beta$, $b$ | `coefficients`, `bias` |
//! | $C$, $\mu$, $\varepsilon$ | `cost`, `mu`, `epsilon` |
//! | $\ell_\varepsilon$, sets $L$ and $Q$ | `smoothed_hinge`, parts 2 and 1 |
//! | $\Omega$ | `objective`, `omega` |
//! | $\lambda$, $\Psi$ | `margin`, `FeatureBlock` |
//! | $Q = \beta^\top K\beta$ | `norm` |
//! | $\nu_{\min}$, M/S, $H_{schur}$ | [`Saddle`] |
//!
//! | what | where |
//! |---|---|
//! | machine at fixed weights | `machine.rs` |
//! | weights at fixed coefficients: gradient and products; the Hessian | `block.rs`; `dense.rs` |
//! | all variables at once | `full.rs` |
//! | Simple AO, AO-I, AO-II, FULL-FS | `alternate.rs` |
//! | GMKL | `gmkl.rs` |
//! | starts; many prices at once; prices by cross-validation | `start.rs`; `grid.rs`; `choose.rs` |
//!
//! Features are standardised first; weights are those of standardised features, factors those of
//! features as they came. One against the rest for several classes; a feature then has the largest
//! of its weights.

mod alternate;
mod block;
mod choose;
mod dense;
mod fit;
mod full;
mod gmkl;
mod grid;
mod hinge;
mod kernel;
mod machine;
mod params;
mod saddle;
mod sample;
mod start;
mod sums;
#[cfg(test)]
mod tests;

pub use alternate::WeightStep;
pub use block::Penalised;
pub use fit::{ClassWeights, KernelWeights};
pub use kernel::WeightedKernel;
pub use params::{KernelWeightsParams, WeightStart, WeightSteps, WeightingMethod};
pub use saddle::Saddle;
