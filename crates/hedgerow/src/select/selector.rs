//! All methods that rank features from data alone, behind one name.

use super::{
    CfsParams, CorrelationParams, DependencySearch, Direction, KernelWeights, KernelWeightsParams,
    MaxDependency, MrmrParams, MutualInformationParams, QpfsParams, Ranking, ReliefParams,
    RfeParams, Similarity, StreamwiseParams, SubsetErrorParams, WrapperParams, max_relevance,
    random_ranking,
};
use crate::data::Dataset;
use crate::{Result, Status};
use serde::{Deserialize, Serialize};

/// Which similarity a filter uses.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum SimilarityKind {
    /// Mutual information of discretised features.
    MutualInformation(MutualInformationParams),
    /// Absolute correlation or covariance.
    Correlation(CorrelationParams),
}

impl Default for SimilarityKind {
    fn default() -> Self {
        Self::MutualInformation(MutualInformationParams::default())
    }
}

impl SimilarityKind {
    /// Computes what the filter will ask for.
    pub fn fit(&self, data: &Dataset) -> Result<Box<dyn Similarity + Send>> {
        Ok(match self {
            Self::MutualInformation(params) => Box::new(params.fit(data)?),
            Self::Correlation(params) => Box::new(params.fit(data)?),
        })
    }
}

/// A method with its parameters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Selector {
    /// Relevance alone.
    MaxRelevance(SimilarityKind),
    /// Relevance minus (or divided by) redundancy, greedily.
    Mrmr(SimilarityKind, MrmrParams),
    /// Relevance and redundancy by a quadratic programme.
    Qpfs(SimilarityKind, QpfsParams),
    /// The subset with the best merit.
    Cfs(SimilarityKind, CfsParams),
    /// Differences between near rows.
    Relief(ReliefParams),
    /// α-investing, feature after feature.
    Streamwise(StreamwiseParams),
    /// Elimination by the weights of a support vector machine.
    Rfe(RfeParams),
    /// The set of largest joint information with the class, of few features.
    MaxDependency(MutualInformationParams, DependencySearch),
    /// Greedy search by the cross-validated error of a support vector machine.
    Wrapper(WrapperParams, SubsetErrorParams),
    /// Weights of features inside a kernel.
    KernelWeights(KernelWeightsParams),
    /// Random order.
    Random {
        /// Seed of the order.
        seed: u64,
    },
}

/// A ranking and what else there is to say about it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Selection {
    /// The ranking.
    pub ranking: Ranking,
    /// Named numbers, such as the trade-off that QPFS found.
    pub facts: Vec<(&'static str, f64)>,
    /// What features are multiplied by, where the method says it; 0 drops a feature.
    pub factors: Option<Vec<f64>>,
    /// All that the weighting of features in a kernel found.
    pub kernel_weights: Option<KernelWeights>,
    /// Whether every solver converged.
    pub status: Status,
}

impl Selection {
    fn new(ranking: Ranking, facts: Vec<(&'static str, f64)>, status: Status) -> Self {
        Self {
            ranking,
            facts,
            factors: None,
            kernel_weights: None,
            status,
        }
    }
}

impl Selector {
    /// An error that names the first parameter out of its range.
    pub fn check(&self) -> Result<()> {
        let kind = match self {
            Self::MaxRelevance(kind)
            | Self::Mrmr(kind, _)
            | Self::Qpfs(kind, _)
            | Self::Cfs(kind, _) => Some(kind),
            _ => None,
        };
        if let Some(SimilarityKind::MutualInformation(params)) = kind {
            params.check()?;
        }
        match self {
            Self::MaxRelevance(_) | Self::Random { .. } => Ok(()),
            Self::Mrmr(_, params) => params.check(),
            Self::Qpfs(_, params) => params.check(),
            Self::Cfs(_, params) => params.check(),
            Self::Relief(params) => params.check(),
            Self::Streamwise(params) => params.check(),
            Self::Rfe(params) => params.check(),
            Self::MaxDependency(params, _) => params.check(),
            Self::Wrapper(_, params) => params.check(),
            Self::KernelWeights(params) => params.check(),
        }
    }

    /// The features from the best down: `wanted` of them or more, as far as the method can.
    pub fn best(&self, data: &Dataset, wanted: usize) -> Result<Vec<usize>> {
        Ok(self.rank(data, Some(wanted))?.ranking.features)
    }

    /// Ranks features; at least the best `wanted` if given, as far as the method can.
    pub fn rank(&self, data: &Dataset, wanted: Option<usize>) -> Result<Selection> {
        self.check()?;
        let plain = |ranking| Selection::new(ranking, Vec::new(), Status::Converged);
        Ok(match self {
            Self::MaxRelevance(kind) => plain(max_relevance(kind.fit(data)?.as_ref())),
            Self::Mrmr(kind, params) => {
                let mut params = *params;
                params.count = params.count.or(wanted);
                plain(params.rank(kind.fit(data)?.as_ref())?)
            }
            Self::Qpfs(kind, params) => {
                let qpfs = params.rank(kind.fit(data)?.as_ref())?;
                let facts = vec![
                    ("alpha", qpfs.alpha),
                    ("mean_similarity", qpfs.mean_similarity),
                    ("mean_relevance", qpfs.mean_relevance),
                    ("rank_kept", qpfs.rank_kept as f64),
                    ("sampled_rows", qpfs.sampled.len() as f64),
                    ("objective", qpfs.objective),
                    ("similarity_seconds", qpfs.seconds.similarity),
                    ("decomposition_seconds", qpfs.seconds.decomposition),
                    ("program_seconds", qpfs.seconds.program),
                ];
                Selection::new(qpfs.ranking, facts, qpfs.status)
            }
            Self::Cfs(kind, params) => plain(params.rank(kind.fit(data)?.as_ref())?),
            Self::Relief(params) => plain(params.rank(data)?),
            Self::Streamwise(params) => plain(params.rank(data)?),
            Self::Rfe(params) => {
                let rfe = params.rank(data)?;
                let facts = vec![("rounds", rfe.rounds as f64)];
                Selection::new(rfe.ranking, facts, rfe.status)
            }
            Self::MaxDependency(params, search) => {
                let sets = MaxDependency::new(&params.fit(data)?, data.classes()?)?;
                let count = wanted.unwrap_or(data.n_features());
                plain(sets.rank(*search, count)?)
            }
            Self::Wrapper(search, params) => {
                let mut search = *search;
                if search.direction == Direction::Forward {
                    // Backward, the order of the features left would be unknown.
                    search.count = search.count.or(wanted);
                }
                let judge = params.prepare(data)?;
                plain(search.search(data.n_features(), &|features| judge.of(features))?)
            }
            Self::KernelWeights(params) => of_weights(params.fit(data)?),
            Self::Random { seed } => plain(random_ranking(data.n_features(), *seed)),
        })
    }
}

/// The features that have a weight, with the facts of the search.
fn of_weights(found: KernelWeights) -> Selection {
    let mut ranking = found.ranking.clone();
    ranking.features.truncate(found.n_kept());
    ranking.scores.truncate(found.n_kept());
    let mut facts = vec![
        ("cost", found.cost),
        ("mu", found.mu),
        ("features_kept", found.n_kept() as f64),
    ];
    facts.extend(
        found
            .validation_error
            .map(|error| ("validation_error", error)),
    );
    if let [only] = &found.classes[..] {
        facts.push(("objective", only.objective));
        facts.push(("rounds", only.trace.len() as f64));
        if let Some(saddle) = only.saddle {
            facts.push(("least_eigenvalue", saddle.least));
            facts.extend(saddle.schur.map(|schur| ("least_eigenvalue_schur", schur)));
            facts.push(("is_minimum", f64::from(u8::from(saddle.is_minimum))));
        }
    }
    Selection {
        factors: Some(found.factors.clone()),
        status: found.status,
        kernel_weights: Some(found),
        ..Selection::new(ranking, facts, Status::Converged)
    }
}
