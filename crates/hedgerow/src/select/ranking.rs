//! Features in order of preference.

use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// Features from best to worst; some methods stop before they have ranked all.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Ranking {
    /// Features (0-based), best first.
    pub features: Vec<usize>,
    /// What the method thinks of each of [`Ranking::features`]; the meaning is the method's.
    pub scores: Vec<f64>,
}

impl Ranking {
    /// All features by descending score; equal scores by descending `tie`, then by index.
    pub fn by_score(scores: &[f64], tie: &[f64]) -> Self {
        let mut features: Vec<usize> = (0..scores.len()).collect();
        features.sort_by(|&a, &b| {
            descending(scores[a], scores[b])
                .then_with(|| match (tie.get(a), tie.get(b)) {
                    (Some(&first), Some(&second)) => descending(first, second),
                    _ => Ordering::Equal,
                })
                .then(a.cmp(&b))
        });
        let scores = features.iter().map(|&f| scores[f]).collect();
        Self { features, scores }
    }

    /// Number of ranked features.
    pub fn len(&self) -> usize {
        self.features.len()
    }

    /// True if nothing is ranked.
    pub fn is_empty(&self) -> bool {
        self.features.is_empty()
    }

    /// The best `count` features, best first; all that are ranked if there are fewer.
    pub fn top(&self, count: usize) -> &[usize] {
        &self.features[..count.min(self.features.len())]
    }

    /// Adds a feature behind the others.
    pub(super) fn push(&mut self, feature: usize, score: f64) {
        self.features.push(feature);
        self.scores.push(score);
    }
}

/// Descending, with -0.0 equal to 0.0.
pub(super) fn descending(a: f64, b: f64) -> Ordering {
    (b + 0.0).total_cmp(&(a + 0.0))
}
