//! All tests of the program, in one program: each would be linked with the whole library.

mod clean;
mod commands;
mod common;
mod decisions;
mod falk;
mod falkm;
mod files;
mod help;
mod hlsvm;
mod hostile;
mod knn_methods;
mod letters;
mod linear;
mod local;
mod metric;
mod model_files;
mod proximal;
mod rank;
mod select;
