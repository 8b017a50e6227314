//! Samples, labels, weights, scaling, splits and generators.

mod coding;
mod dataset;
pub mod generate;
mod labels;
mod preprocessing;
mod quantiles;
mod repeats;
mod rng;
mod samples;
mod scaling;
mod split;
mod weights;

pub use coding::{Coding, TargetCoding};
pub use dataset::{Dataset, Target};
pub use labels::{ClassLabels, ClassName};
pub use preprocessing::{Columns, Preprocessing};
pub use quantiles::Spread;
pub use repeats::Repeats;
pub use rng::Generator;
pub use samples::{CsrMatrix, DenseMatrix, Row, Samples, SamplesView};
pub use scaling::{Scaler, Scaling};
pub use split::{
    Split, folds, folds_for, hold_out, repeated_hold_out, repeated_stratified_hold_out,
    stratified_folds, stratified_hold_out,
};
pub(crate) use weights::{
    ensure_equal_weights, numbers_of_weighty, row_weights, weighty_rows, without_weightless_rows,
};
