//! Kernels and the engine that evaluates them in blocks.

mod expr;
mod radial;

pub use expr::{Kernel, LocalOperator};
pub use radial::Radial;
