//! What can go wrong with a stored model.

use hedgerow_io::IoError;

/// Why a model could not be read, written or used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file could not be read or written.
    #[error(transparent)]
    Io(#[from] IoError),
    /// A model cannot be used as asked.
    #[error("{name}: {problem}")]
    Model {
        /// The file.
        name: String,
        /// Why.
        problem: String,
    },
    /// The model cannot be expressed in LIBSVM's format.
    #[error("the model cannot be written as LIBSVM model text: {problem}")]
    LibSvmExport {
        /// Why.
        problem: String,
    },
}
