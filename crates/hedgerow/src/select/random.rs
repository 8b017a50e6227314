//! Features in random order: what every method should beat.

use super::Ranking;
use crate::data::Generator;

/// A uniformly random order of the features; scores descend evenly from 1.
pub fn random_ranking(n_features: usize, seed: u64) -> Ranking {
    let mut features: Vec<usize> = (0..n_features).collect();
    Generator::new(seed).shuffle(&mut features);
    let scores = (0..n_features)
        .map(|place| 1.0 - place as f64 / n_features as f64)
        .collect();
    Ranking { features, scores }
}
