//! Optimisers that see matrices, not data.

pub mod bounded_descent;
mod conjugate;
pub mod descent;
pub mod dual_coordinate;
mod gap_looks;
mod gap_watch;
pub mod goldfarb_idnani;
mod hessian;
pub mod newton;
pub mod pairwise;
pub mod pegasos;
pub mod simplex;
pub mod smo;
pub mod smooth;
pub mod split_pegasos;
pub mod trust_region;

pub use crate::linalg::{LinearRows, Precision};
