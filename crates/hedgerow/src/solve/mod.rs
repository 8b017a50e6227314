//! Optimisers that see matrices, not data.

pub mod smo;
