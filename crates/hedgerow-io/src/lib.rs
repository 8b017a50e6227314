//! File formats and model files of Hedgerow.
//!
//! * [`read_dataset`] reads LIBSVM / SVM-light text, CSV and TSV, plain or compressed (`.gz`,
//!   `.zst`), from a file, standard input or memory, on all cores; [`write_dataset`] writes them.
//! * [`write_model`] and [`read_container`] store models with a checksum.
//! * [`LibSvmModel`] is the text format of LIBSVM's models.
//!
//! ```
//! use hedgerow_io::{ReadOptions, Source, read_dataset};
//!
//! let source = Source::Bytes {
//!     name: "memory.svm".to_owned(),
//!     bytes: b"+1 1:0.5 3:2\n-1 2:1\n".to_vec(),
//! };
//! let loaded = read_dataset(&source, &ReadOptions::default())?;
//! assert_eq!((loaded.dataset.n_rows(), loaded.dataset.n_features()), (2, 3));
//! # Ok::<(), hedgerow_io::IoError>(())
//! ```

mod csv;
mod error;
mod format;
mod input;
mod libsvm;
mod lines;
mod loaded;
mod model;
mod number;
mod output;
mod storage;

pub use csv::{ColumnEncoding, ColumnKind, ColumnRule, ColumnRules, Encoding, write_csv};
pub use error::{
    CellProblem, HeaderProblem, IoError, LibSvmModelProblem, LineProblem, ModelProblem,
    WriteProblem,
};
pub use format::{DataFormat, read_dataset, read_text_column, write_dataset};
pub use input::Source;
pub use libsvm::write_libsvm;
pub use lines::LineIndex;
pub use loaded::{
    LabelColumn, LoadedData, Missing, ReadOptions, Storage, TargetKind, Unseen, Warning,
};
pub use model::{
    Bundle, FORMAT_VERSION, LibSvmKernel, LibSvmModel, LibSvmSupportVector, LibSvmType,
    ModelHeader, RawModel, encode_model, read_container, write_model,
};
pub use output::{OutputFile, abandon_outputs};
