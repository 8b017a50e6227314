//! Kernels and the engine that evaluates them in blocks.

mod cache;
mod composite;
mod expr;
mod gram;
mod packed;
mod radial;

pub use cache::CachedGram;
pub use expr::{Kernel, LocalOperator};
pub use gram::{Gram, GramQueries};
pub use radial::Radial;
