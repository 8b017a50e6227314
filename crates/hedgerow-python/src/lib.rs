//! The extension module `hedgerow._hedgerow`.
//!
//! Estimators live in Python (`python/hedgerow`): they check their arguments and hand over
//! contiguous arrays. This crate turns those into the library's types, does all work with the
//! interpreter lock released, and turns the answers back.
//!
//! | Python (scikit-learn's name) | library |
//! |---|---|
//! | `C` | `cost` |
//! | `tol` | `tolerance` |
//! | `cache_size` in MB | `cache_bytes` |
//! | `max_iter`, -1 for none | `max_iterations`, `None` |
//! | `random_state` | `seed` |
//! | `n_jobs` | size of the thread pool of one call |
//! | `intercept_` | `-rho` |

#![allow(
    clippy::needless_pass_by_value,
    reason = "arguments of Python functions are extracted by value"
)]

mod arrangement;
mod arrays;
mod errors;
mod fit;
mod labelled;
mod linear;
mod local;
mod model;
mod select;
mod threads;
mod tools;
mod tree;

/// Native part of Hedgerow.
#[pyo3::pymodule]
mod _hedgerow {
    #[pymodule_export]
    use super::fit::{fit_classifier, fit_one_class, fit_regressor};
    #[pymodule_export]
    use super::linear::fit_linear;
    #[pymodule_export]
    use super::local::fit_local;
    #[pymodule_export]
    use super::model::Model;
    #[pymodule_export]
    use super::select::rank_features;
    #[pymodule_export]
    use super::tools::{auc, kernel_matrix, mauc, read_svmlight};
    #[pymodule_export]
    use super::tree::fit_tree;

    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
