//! Errors of the library as exceptions of Python.

use hedgerow::Error;
use hedgerow_io::IoError;
use pyo3::PyErr;
use pyo3::exceptions::{PyMemoryError, PyValueError};

/// Parameters that Python knows by another name.
const NAMES: [(&str, &str); 3] = [
    ("cost", "C"),
    ("tolerance", "tol"),
    ("max_iterations", "max_iter"),
];

/// `MemoryError` for want of memory, `ValueError` for all that is wrong with data or parameters.
pub(crate) fn from_library(error: Error) -> PyErr {
    match error {
        Error::Memory { .. } => PyMemoryError::new_err(error.to_string()),
        Error::Parameter {
            name,
            value,
            requirement,
        } => {
            let name = NAMES
                .iter()
                .find(|(theirs, _)| *theirs == name)
                .map_or(name, |(_, ours)| ours);
            let renamed = Error::Parameter {
                name,
                value,
                requirement,
            };
            PyValueError::new_err(renamed.to_string())
        }
        other => PyValueError::new_err(other.to_string()),
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
