//! Linear classifiers: $f(x) = \langle w, x\rangle + b$, a few nanoseconds a row.
//!
//! | method | $w$ minimises | by |
//! |---|---|---|
//! | [`LinearSvmParams`] | $\tfrac12\|w\|^2 + \sum_i C_i \max(0, 1 - y_i f(x_i))$, or with the square of the loss | [`dual_coordinate`](crate::solve::dual_coordinate), [`newton`](crate::solve::newton) |
//! | [`LogisticParams`] | $\tfrac12\|w\|^2 + \sum_i C_i \ln(1 + e^{-y_i f(x_i)})$ | [`newton`](crate::solve::newton) |
//! | [`PegasosParams`] | $\tfrac\lambda2\|w\|^2 + \tfrac1n\sum_i \nu_i \max(0, 1 - y_i f(x_i))$ | [`pegasos`](crate::solve::pegasos) |
//! | [`FisherParams`] | $-\,w^\top S_B w / w^\top S_W w$ | Cholesky |
//!
//! $C_i$ = cost × class weight × sample weight, as with the kernel machines. The first two
//! methods regularise the intercept as the weight of a constant feature, unless told otherwise.
//! All of them give a [`LinearClassifier`]. Classes stand in the order of [`crate::svm`]; a
//! positive value of a machine speaks for its first class.

mod as_model;
mod class_tasks;
mod fisher;
mod linear_svm;
mod logistic;
mod model;
mod pegasos;
mod pegasos_words;

pub use fisher::FisherParams;
pub use linear_svm::{LinearSolver, LinearSvmParams};
pub use logistic::LogisticParams;
pub use model::{Hyperplane, LinearClassifier, LinearParts};
pub use pegasos::PegasosParams;

pub use crate::solve::dual_coordinate::HingeLoss;
pub use crate::solve::pegasos::{Bias, Stop};
