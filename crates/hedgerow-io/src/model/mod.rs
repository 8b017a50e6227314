//! Model files: the container of every method, and LIBSVM's text format.

mod bundle;
mod checksum;
mod container;
mod libsvm_read;
mod libsvm_text;
mod libsvm_write;

pub use bundle::Bundle;
pub use container::{
    FORMAT_VERSION, ModelHeader, RawModel, encode_model, read_container, write_model,
};
pub use libsvm_text::{LibSvmKernel, LibSvmModel, LibSvmSupportVector, LibSvmType};
