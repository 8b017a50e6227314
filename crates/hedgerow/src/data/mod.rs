//! Samples, labels, weights, scaling, splits and generators.

mod dataset;
pub mod generate;
mod labels;
mod rng;
mod samples;
mod scaling;
mod split;

pub use dataset::{Dataset, Target};
pub use labels::{ClassLabels, ClassName};
pub use rng::Generator;
pub use samples::{CsrMatrix, DenseMatrix, Row, Samples, SamplesView};
