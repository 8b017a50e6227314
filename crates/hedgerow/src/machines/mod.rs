//! Two-class machines, and what makes classifiers of them: the learners that several methods share.
//!
//! A method takes its problem apart into two-class tasks (`tasks`, `classes`), has each solved, with
//! all kernel values at hand ([`small`]) or with a cache of kernel rows (`large`, [`CachedGram`]),
//! and joins the answers: by votes ([`Multiclass`]), and as probabilities ([`Sigmoid`], [`couple`]).

mod binary;
mod cached_gram;
mod calibration;
mod classes;
mod classification;
mod coupling;
mod duals;
mod isotonic;
mod large;
mod multiclass;
mod params;
mod sigmoid;
pub mod small;
mod small_regression;
mod soft_margin;
mod tasks;
mod tube;

pub(crate) use binary::{Objective, Solved, Workshop, too_large};
pub use cached_gram::CachedGram;
pub use calibration::Calibration;
pub(crate) use classes::{ClassRows, class_costs};
pub(crate) use classification::{ClassMachines, Scheme};
pub use coupling::{PROBABILITY_FLOOR, couple};
pub use duals::Duals;
pub use isotonic::Isotonic;
pub(crate) use large::LargeSvm;
pub use multiclass::{Multiclass, largest, pairs};
pub use params::SolverParams;
pub(crate) use params::{class_builders, forward_solver_builders};
pub use sigmoid::Sigmoid;
pub(crate) use sigmoid::{CALIBRATION_FOLDS, calibration_folds};
pub(crate) use soft_margin::SoftMargin;
pub(crate) use tasks::{Task, solve_all};
pub(crate) use tube::{Tube, solve as solve_tube};
