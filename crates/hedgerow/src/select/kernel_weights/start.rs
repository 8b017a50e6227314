//! Where the search begins.

use super::kernel::Points;
use super::params::WeightStart;
use crate::Result;
use crate::data::{ClassLabels, ClassName, Dataset, Samples, Target};
use crate::select::ReliefParams;

/// Weight of a feature that ReliefF thinks nothing of, as a share of the largest.
const LEAST_RELIEF: f64 = 0.05;

/// Weights at which a search begins; of one kind, not several.
pub(super) fn start(kind: WeightStart, points: &Points, signs: &[f64]) -> Result<Vec<f64>> {
    let d = points.d.max(1) as f64;
    let scaled = 1.0 / (2.0 * d).sqrt();
    Ok(match kind {
        WeightStart::Ones => vec![1.0; points.d],
        WeightStart::Scaled | WeightStart::Several => vec![scaled; points.d],
        WeightStart::Relief => {
            let mut weights = relief(points, signs)?;
            let squares: f64 = weights.iter().map(|z| z * z).sum();
            // As long as the scaled start.
            let factor = (0.5 / squares).sqrt();
            for weight in &mut weights {
                *weight *= factor;
            }
            weights
        }
    })
}

/// What ReliefF thinks of each feature beyond the median, never less than a small share.
fn relief(points: &Points, signs: &[f64]) -> Result<Vec<f64>> {
    let samples = Samples::dense(points.n, points.d, points.values.clone())?;
    let names = vec![ClassName::Number(-1.0), ClassName::Number(1.0)];
    let codes = signs.iter().map(|&y| u32::from(y > 0.0)).collect();
    let data = Dataset::new(samples, Target::Classes(ClassLabels::new(names, codes)?))?;
    let ranking = ReliefParams::default().with_neighbours(1).rank(&data)?;
    let mut scores = vec![0.0; points.d];
    for (&f, &score) in ranking.features.iter().zip(&ranking.scores) {
        scores[f] = if score.is_finite() { score } else { 0.0 };
    }
    let mut sorted = scores.clone();
    sorted.sort_by(f64::total_cmp);
    let (median, most) = (sorted[sorted.len() / 2], sorted[sorted.len() - 1]);
    let range = most - median;
    Ok(scores
        .iter()
        .map(|score| {
            if range > 0.0 {
                ((score - median) / range).max(LEAST_RELIEF)
            } else {
                1.0
            }
        })
        .collect())
}
