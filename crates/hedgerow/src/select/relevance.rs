//! MaxRel: every feature by its own relevance, whatever the others say.

use super::{Ranking, Similarity};

/// Ranks all features by relevance; equal ones by index.
pub fn max_relevance(similarity: &dyn Similarity) -> Ranking {
    Ranking::by_score(&similarity.relevances(), &[])
}
