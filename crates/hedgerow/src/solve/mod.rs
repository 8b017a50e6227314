//! Optimisers that see matrices, not data.

pub mod dual_coordinate;
pub mod goldfarb_idnani;
mod hessian;
mod linear_rows;
pub mod newton;
pub mod pegasos;
pub mod simplex;
pub mod smo;
pub mod weighted_pegasos;

pub(crate) use linear_rows::ensure_finite_norms;
pub use linear_rows::{LinearRows, Precision};
