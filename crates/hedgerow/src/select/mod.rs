//! Feature selection: filters on a similarity of features, and methods around a classifier.
//!
//! A filter sees the data through a [`Similarity`]: how alike features are, $q_{ij}$, and how
//! relevant each is to the class, $f_i$. [`MutualInformation`] counts on bit planes,
//! [`Correlation`] multiplies in blocks; both give single rows of the matrix on demand, so wide
//! data never need all of it.
//!
//! | method | what it maximises | cost of a full ranking of M features, N rows |
//! |---|---|---|
//! | [`max_relevance`] | relevance | $NM$ |
//! | [`MrmrParams`] | relevance minus mean redundancy, greedily | $NM^2$ |
//! | [`QpfsParams`] | the same by a quadratic programme | $NM^2 + M^3$; with sampled rows $NpM^2 + p^2M^3$ |
//! | [`MaxDependency`] | joint information | exponential |
//! | [`CfsParams`] | merit of a subset | $NM^2$ |
//! | [`StreamwiseParams`] | significance, feature after feature | $NM|S|$ |
//! | [`ReliefParams`] | contrast of near rows | $N^2M$ |
//! | [`RfeParams`] | margin of an SVM | $N^2M$ and the solves |
//! | [`KernelWeightsParams`] | a kernel machine whose features have weights | $N^2M$ a step, some hundred steps |
//! | [`WrapperParams`] | anything measured | as many measurements as subsets |
//!
//! ```
//! use hedgerow::data::generate;
//! use hedgerow::select::{MrmrParams, MutualInformationParams};
//!
//! let data = generate::checkerboard(300, 2, 0.0, 1)?;
//! let information = MutualInformationParams::default().fit(&data)?;
//! let ranking = MrmrParams::default().with_count(1).rank(&information)?;
//! assert_eq!(ranking.len(), 1);
//! # Ok::<(), hedgerow::Error>(())
//! ```

mod binning;
mod centred;
mod cfs;
mod columns;
mod correlation;
mod dependency;
mod kernel_weights;
mod mrmr;
mod mutual_information;
mod planes;
pub mod qpfs;
mod random;
mod ranking;
mod relevance;
mod relief;
mod rfe;
mod selector;
mod similarity;
mod streamwise;
mod subset_error;
mod wrapper;

pub use binning::{Binning, MAX_CODES};
pub use cfs::CfsParams;
pub use correlation::{Correlation, CorrelationParams, CorrelationRelevance};
pub use dependency::{DependencySearch, EXHAUSTIVE_LIMIT, MaxDependency};
pub use kernel_weights::{
    ClassWeights, KernelWeights, KernelWeightsParams, Penalised, Saddle, WeightStart, WeightStep,
    WeightSteps, WeightedKernel, WeightingMethod,
};
pub use mrmr::{MrmrParams, MrmrScheme};
pub use mutual_information::{MutualInformation, MutualInformationParams};
pub use qpfs::{Alpha, Domain, Qpfs, QpfsParams, Sampling, SimilarityMean};
pub use random::random_ranking;
pub use ranking::Ranking;
pub use relevance::max_relevance;
pub use relief::{ReliefParams, ReliefVariant};
pub use rfe::{Elimination, Rfe, RfeKernel, RfeParams};
pub use selector::{Selection, Selector, SimilarityKind};
pub use similarity::{GivenSimilarity, Similarity};
pub use streamwise::StreamwiseParams;
pub use subset_error::{SubsetError, SubsetErrorParams};
pub use wrapper::{Direction, WrapperParams};
