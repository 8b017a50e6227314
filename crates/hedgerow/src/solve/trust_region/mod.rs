//! Trust regions: steps that minimise a quadratic model within a distance that the model deserves.
//!
//! | what | where |
//! |---|---|
//! | $\min \tfrac12 s^\top H s + g^\top s$, $\|s\| \le \Delta$, exactly, $H$ indefinite or not | [`exact_step`] |
//! | large smooth functions, several at once, by products with the Hessian | [`minimise`], [`minimise_batch`] |
//! | small functions with lower bounds, by the Hessian itself | [`minimise_bounded`] |
//! | large ones with lower bounds, by products with the Hessian | [`minimise_above`] |
//!
//! The radius $\Delta$ doubles after a step to its end that kept three quarters of its promise, and
//! falls to a quarter of the step after one that kept less than one quarter.

mod bounded;
mod projected;
mod subproblem;
mod subspace;

pub use bounded::{DenseSmooth, minimise_bounded};
pub use projected::minimise_above;
pub use subproblem::{ExactStep, exact_step};
pub use subspace::{minimise, minimise_batch};

/// Share of the promised decrease that a good step keeps.
const GOOD: f64 = 0.75;
/// Share below which a step is a bad one.
const BAD: f64 = 0.25;
/// Share of the radius from which a step counts as going to its end.
const AT_END: f64 = 0.9;

/// How far the model is trusted.
#[derive(Debug, Clone, Copy)]
struct Radius(f64);

impl Radius {
    /// Learns from a step of some length that kept a share of its promise.
    fn update(&mut self, kept: f64, length: f64) {
        if kept >= GOOD && length >= AT_END * self.0 {
            self.0 *= 2.0;
        } else if kept.is_nan() || kept <= BAD {
            // A share that is not a number is none.
            self.0 = length.min(self.0) / 4.0;
        }
    }
}
