//! Machines that learn from neighbourhoods.
//!
//! A kernel SVM on all rows costs more than the square of their number; an SVM on the few hundred
//! rows around a query costs a millisecond, and draws as fine a boundary there. [`FalkParams`]
//! trains such machines beforehand, on neighbourhoods that together cover the data; [`KnnSvmParams`]
//! trains one for every query; [`KnnParams`] only lets the nearest rows vote.

mod as_model;
mod assign;
pub mod bounds;
mod covering;
mod falk;
mod falk_explain;
mod falk_predict;
mod falk_update;
mod far_centres;
mod judgement;
mod knn;
mod knn_svm;
mod lazy;
mod learner;
mod machine;
mod numbers;
mod own_search;
mod params;
mod places;
mod ready;
mod selection;
mod store;
mod twins;

pub use assign::Assign;
pub use falk::{Cover, FalkParams, FalkSvm, Radii};
pub use falk_explain::{Explanation, Influence};
pub use falk_update::{UpdateParams, UpdateReport};
pub use judgement::Judgement;
pub use knn::{Knn, KnnParams, Vote};
pub use knn_svm::{KnnSvm, KnnSvmParams};
pub use machine::{LocalMachine, LocalMachines, LocalModel};
pub use params::LocalSvmParams;
pub use selection::{
    Around, Candidate, FalkGrid, FalkSelection, Measure, SelectionProgress, Validate,
};
