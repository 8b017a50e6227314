//! All tests of files from outside, in one program: each would be linked with the whole library.

mod common;
mod compression;
mod csv_columns;
mod csv_errors;
mod csv_reading;
mod libsvm_errors;
mod libsvm_model;
mod libsvm_reading;
mod lines;
mod model_container;
mod round_trip;
mod threads;
