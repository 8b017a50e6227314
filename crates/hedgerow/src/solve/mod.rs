//! Optimisers that see matrices, not data.

pub mod goldfarb_idnani;
pub mod simplex;
pub mod smo;
