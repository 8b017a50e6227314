//! Hedgerow: classification at a scale where ordinary kernel SVMs give up.
//!
//! One training contract serves every method:
//!
//! ```
//! use hedgerow::data::{Dataset, generate};
//! use hedgerow::kernel::Kernel;
//! use hedgerow::svm::SvcParams;
//! use hedgerow::Predictor;
//!
//! let data: Dataset = generate::checkerboard(400, 4, 0.01, 7)?;
//! let fitted = SvcParams::default().with_cost(10.0).with_kernel(Kernel::rbf(30.0)).fit(&data)?;
//! let predicted = fitted.model.predict(data.samples().view())?;
//! assert_eq!(predicted.len(), 400);
//! # Ok::<(), hedgerow::Error>(())
//! ```
//!
//! Arrows of dependency point one way: [`data`] and `linalg` at the bottom, then [`kernel`],
//! [`solve`] and [`neighbours`], then [`machines`], which methods share, then the methods ([`svm`],
//! [`local`], [`proximal`], [`rank`], [`tree`], [`select`]), then [`evaluate`]. A test holds every `use` line to it.

pub mod capability;
pub mod clean;
pub mod data;
mod error;
mod estimator;
pub mod evaluate;
pub mod kernel;
pub mod linalg;
pub mod local;
pub mod machines;
pub mod method;
mod model;
pub mod neighbours;
mod parallel;
pub mod params;
pub mod proximal;
pub mod rank;
pub mod select;
pub mod solve;
mod spares;
pub mod special;
mod status;
pub mod svm;
pub mod tree;

pub use capability::Model;
pub use error::{Error, Result};
pub use estimator::{Compared, Estimator, OwnSearch, Searched, Views};
pub use model::{Fitted, LevelValues, Prediction, Predictor, Report, ScoreMatrix};
pub use status::Status;
