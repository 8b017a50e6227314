//! Nearest neighbours, exact, in input space or in the feature space of a kernel.
//!
//! An [`Index`] is built once over rows of some samples and answers for any number of queries. It
//! does not own the samples: whoever does (a model) lends them to a [`Searcher`]. Neighbours come
//! in ascending order of distance; equal distances in ascending order of the row number, whatever
//! structure the index has and however many threads search.
//!
//! Distances are those of [`DistanceMetric::distance`], to the last bit. The search itself runs on packed
//! copies in single precision: it knows every distance within proven limits and keeps all rows
//! that these limits do not exclude; the few that remain are ranked in double precision.

mod brute;
mod bucket_tree;
mod candidates;
mod choice;
mod cover_tree;
mod deferred;
mod index;
mod layout;
mod learned;
mod metric;
mod packing_frame;
mod rank;
mod scan;
mod searcher;

pub(crate) use cover_tree::UpperLevels;
pub use cover_tree::{CoverTree, CoverTreeParams, Visit};
pub use index::Index;
pub(crate) use layout::nearby_order;
pub use learned::{LearnedMetric, LearnedMetricParams, MetricProgress};
pub use metric::DistanceMetric;
pub use searcher::{SearchScratch, Searcher};

use serde::{Deserialize, Serialize};

/// In the place of a row: there is none (any more).
const GONE: u32 = u32::MAX;

/// One row that was found.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Neighbour {
    /// Row of the samples that the index was built on.
    pub row: u32,
    /// Its distance (not squared).
    pub distance: f64,
}

/// How neighbours are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Structure {
    /// The cheapest for the data at hand, by counting what a few searches look at: the same rows
    /// always give the same structure.
    #[default]
    Auto,
    /// Every row is looked at.
    Brute,
    /// Boxes around small groups of rows, for metrics that are Euclidean in the features (other
    /// metrics: every row is looked at). The fastest unless dimension is truly high.
    BucketTree,
    /// A cover tree, for any metric (a kernel that is not known to give one: every row is looked
    /// at).
    CoverTree,
}

/// How an index is built.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct IndexParams {
    /// The structure.
    pub structure: Structure,
    /// Neighbours that a typical query will ask for, if known; helps [`Structure::Auto`].
    pub expected_k: Option<usize>,
    /// Queries that are to be expected, if known; helps [`Structure::Auto`].
    pub expected_queries: Option<usize>,
}
