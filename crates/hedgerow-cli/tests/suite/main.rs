//! All tests of the program, in one program: each would be linked with the whole library.

mod clean;
mod columns;
mod commands;
mod common;
mod decisions;
mod falk;
mod falkm;
mod files;
mod front_door;
mod help;
mod hlsvm;
mod hostile;
mod knn_methods;
mod letters;
mod linear;
mod local;
mod metric;
mod model_files;
mod probabilities;
mod proximal;
mod rank;
mod select;
