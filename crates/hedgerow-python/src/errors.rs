//! Errors of the library as exceptions of Python.

use hedgerow::Error;
use hedgerow::params::Parameter;
use hedgerow_io::IoError;
use pyo3::PyErr;
use pyo3::exceptions::{PyMemoryError, PyValueError};

/// `MemoryError` for want of memory, `ValueError` for all that is wrong with data or parameters.
pub(crate) fn from_library(error: Error) -> PyErr {
    match error {
        Error::Memory { .. } => PyMemoryError::new_err(error.to_string()),
        // scikit-learn's words, which its users look for.
        Error::NotFinite { .. } => {
            PyValueError::new_err(format!("{error}: the input contains NaN or infinity"))
        }
        other => PyValueError::new_err(other.to_string()),
    }
}

/// As [`from_library`], with the names that parameters have in Python.
pub(crate) fn from_method(table: &[Parameter]) -> impl Fn(Error) -> PyErr + '_ {
    let renamed = |name: &'static str| {
        let row = table.iter().find(|row| row.name == name);
        row.and_then(|row| row.python)
            .map_or(name, |python| python.name)
    };
    move |error| {
        from_library(match error {
            Error::Parameter {
                name,
                value,
                requirement,
            } => Error::Parameter {
                name: renamed(name),
                value,
                requirement,
            },
            Error::ParameterValue {
                name,
                value,
                requirement,
            } => Error::ParameterValue {
                name: renamed(name),
                value,
                requirement,
            },
            other => other,
        })
    }
}

/// `OSError` and its kin for files, otherwise as [`from_library`].
pub(crate) fn from_file(error: IoError) -> PyErr {
    let text = error.to_string();
    match error {
        IoError::Read { source, .. } | IoError::Write { source, .. } => {
            std::io::Error::new(source.kind(), text).into()
        }
        IoError::TooLarge { .. } => PyMemoryError::new_err(text),
        _ => PyValueError::new_err(text),
    }
}

/// What is wrong with a stored model.
pub(crate) fn from_stored(error: hedgerow_methods::Error) -> PyErr {
    match error {
        hedgerow_methods::Error::Io(error) => from_file(error),
        other => PyValueError::new_err(other.to_string()),
    }
}
