//! The registry: every method once, as the front ends see it.
//!
//! The library knows methods by their types; program, Python package and server know them by name.
//! Between them stands this crate: a [`Method`] makes a [`Trainer`] from named values, a trainer
//! fits a model, a [`Stored`] model is written and read whatever method it is of. Nothing here names
//! a single method but the list in [`registry`](all).
//!
//! ```
//! use hedgerow::data::generate;
//! use hedgerow::params::Value;
//! use hedgerow::Predictor;
//!
//! let method = hedgerow_methods::by_name("svm").expect("it is registered");
//! let trainer = method.trainer(&[("cost".to_owned(), Value::Number(10.0))], 0)?;
//! let board = generate::checkerboard(200, 2, 0.0, 1)?;
//! let model = trainer.fit(&board)?.model;
//! assert_eq!(model.predict(board.samples().view())?.len(), 200);
//! # Ok::<(), hedgerow::Error>(())
//! ```

mod editors;
mod error;
mod exchange;
pub mod generated;
pub mod latency;
mod metric;
mod pipeline;
mod preparation;
pub mod race;
mod reasons;
mod registry;
mod stored;
mod trainer;

pub use editors::{EditorMethod, RowEditor, editor_by_name, editors};
pub use error::Error;
pub use exchange::{from_libsvm, libsvm_has_classes, to_libsvm};
pub use metric::{Axes, MetricChoice, MetricOutcome, MetricSource};
pub use pipeline::{Calibrating, Choice, Editing, Pipeline, Prepared, class_sizes};
pub use preparation::Preparation;
pub use reasons::name_columns;
pub use registry::{Method, all, by_name};
pub use stored::{
    ModelFrame, Origin, Stored, StoredModel, Unbuilt, frame_of, is_hedgerow_model, is_libsvm_model,
};
pub use trainer::{Settings, Trained, Trainer};
