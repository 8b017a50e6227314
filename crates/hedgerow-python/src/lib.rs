//! The extension module `hedgerow._hedgerow`.
//!
//! Estimators live in Python (`python/hedgerow`): they check their arguments and hand over
//! contiguous arrays. This crate turns those into the library's types, does all work with the
//! interpreter lock released, and turns the answers back.
//!
//! Methods are known through the registry only: one function trains any of them, one class holds
//! any model. What a parameter is called in Python stands in the table of its method.

#![allow(
    clippy::needless_pass_by_value,
    reason = "arguments of Python functions are extracted by value"
)]

mod arrangement;
mod arrays;
mod auto;
mod clean;
mod errors;
mod fit;
mod metric;
mod model;
mod select;
mod threads;
mod tools;
mod update;
mod values;

/// Native part of Hedgerow.
#[pyo3::pymodule]
mod _hedgerow {
    #[pymodule_export]
    use super::auto::race_methods;
    #[pymodule_export]
    use super::clean::{correct_priors, edit_rows};
    #[pymodule_export]
    use super::fit::fit;
    #[pymodule_export]
    use super::metric::learn_metric;
    #[pymodule_export]
    use super::model::Model;
    #[pymodule_export]
    use super::select::rank_features;
    #[pymodule_export]
    use super::tools::{auc, kernel_matrix, mauc, read_svmlight};
    #[pymodule_export]
    use super::update::update;

    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
