//! Optimisers that see matrices, not data.

mod conjugate;
pub mod dual_coordinate;
mod gap_looks;
pub mod goldfarb_idnani;
mod hessian;
pub mod newton;
pub mod pegasos;
pub mod simplex;
pub mod smo;
pub mod weighted_pegasos;

pub use crate::linalg::{LinearRows, Precision};
