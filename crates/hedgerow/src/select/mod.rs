//! Feature selection: filters on a similarity of features, and methods around a classifier.
//!
//! A filter sees the data through a [`Similarity`]: how alike features are, $q_{ij}$, and how
//! relevant each is to the class, $f_i$. [`MutualInformation`] counts on bit planes,
//! [`Correlation`] multiplies in blocks; both give single rows of the matrix on demand, so wide
//! data never need all of it.

mod binning;
mod columns;
mod correlation;
mod dependency;
mod mrmr;
mod mutual_information;
mod planes;
mod ranking;
mod relevance;
mod similarity;

pub use binning::{Binning, MAX_CODES};
pub use correlation::{Correlation, CorrelationParams};
pub use dependency::{EXHAUSTIVE_LIMIT, MaxDependency};
pub use mrmr::{MrmrParams, MrmrScheme};
pub use mutual_information::{MutualInformation, MutualInformationParams};
pub use ranking::Ranking;
pub use relevance::max_relevance;
pub use similarity::{GivenSimilarity, Similarity};
