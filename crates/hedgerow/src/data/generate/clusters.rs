//! Plain toy data.

use super::{Draft, ensure_count};
use crate::Result;
use crate::data::{Dataset, Generator};
use crate::error::ensure_not_negative;
use std::f64::consts::PI;

/// Round Gaussian clusters, one a class: centres uniform in the cube $[-5, 5]^d$, deviation
/// `spread`. Two classes are −1 and +1, more are 1, 2, …; class sizes differ by at most one.
pub fn blobs(
    n: usize,
    n_features: usize,
    n_classes: usize,
    spread: f64,
    seed: u64,
) -> Result<Dataset> {
    ensure_count("n", n, 1)?;
    ensure_count("n_features", n_features, 1)?;
    ensure_count("n_classes", n_classes, 1)?;
    ensure_not_negative("spread", spread)?;
    let mut generator = Generator::new(seed);
    let centres: Vec<f64> = (0..n_classes * n_features)
        .map(|_| generator.range(-5.0, 5.0))
        .collect();
    let mut draft = Draft::new(n_features);
    let mut row = vec![0.0; n_features];
    for i in 0..n {
        let c = i % n_classes;
        for (f, value) in row.iter_mut().enumerate() {
            *value = centres[c * n_features + f] + spread * generator.normal();
        }
        let label = match (n_classes, c) {
            (2, 0) => -1.0,
            (2, _) => 1.0,
            (_, c) => (c + 1) as f64,
        };
        draft.push(&row, label);
    }
    draft.finish_shuffled(&mut generator)
}

/// Two interleaved crescents: half circles of radius 1 about (0, 0) and (1, 0.5), one opening
/// down (+1) and one up (−1), with Gaussian noise. The usual size is 185 points, the usual noise
/// 0.15.
pub fn banana(n: usize, noise: f64, seed: u64) -> Result<Dataset> {
    ensure_count("n", n, 1)?;
    ensure_not_negative("noise", noise)?;
    let mut generator = Generator::new(seed);
    let mut draft = Draft::new(2);
    for i in 0..n {
        let angle = generator.range(0.0, PI);
        if i % 2 == 0 {
            draft.push(&[angle.cos(), angle.sin()], 1.0);
        } else {
            draft.push(&[1.0 - angle.cos(), 0.5 - angle.sin()], -1.0);
        }
    }
    draft.blur(noise, &mut generator);
    draft.finish_shuffled(&mut generator)
}
