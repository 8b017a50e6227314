//! How one candidate does on one sample.

use super::Candidate;
use hedgerow::data::{Dataset, Split};
use hedgerow::evaluate::{Metric, measure};
use hedgerow::{Predictor, Result};
use std::time::Instant;

/// What was seen of a candidate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Trial {
    /// Mean score over the judged rows; more is better.
    pub score: f64,
    /// Rows that the models learned from.
    pub rows: usize,
    /// Mean wall-clock seconds of one fit.
    pub fit_seconds: f64,
    /// Microseconds of an answer in a batch.
    pub answer_us: f64,
}

impl Trial {
    /// Seconds that a fit on so many rows is expected to take.
    pub(super) fn seconds_on(&self, rows: usize, growth: f64) -> f64 {
        let larger = rows as f64 / self.rows.max(1) as f64;
        self.fit_seconds * larger.powf(growth)
    }
}

/// Trains on each training part and judges by the other.
pub(super) fn try_on(
    candidate: &Candidate,
    data: &Dataset,
    splits: &[Split],
    metric: Metric,
) -> Result<Trial> {
    let (mut score, mut judged, mut learned) = (0.0, 0usize, 0usize);
    let (mut fitting, mut answering) = (0.0, 0.0);
    for split in splits {
        let start = Instant::now();
        let (model, _) = candidate.pipeline.fit(&data.select(&split.train))?;
        fitting += start.elapsed().as_secs_f64();
        let test = data.select(&split.test);
        let start = Instant::now();
        let value = measure(&model as &dyn Predictor, &test, metric)?;
        answering += start.elapsed().as_secs_f64();
        let rows = test.n_rows();
        score += rows as f64
            * if metric.larger_is_better() {
                value
            } else {
                -value
            };
        judged += rows;
        learned += split.train.len();
    }
    Ok(Trial {
        score: score / judged.max(1) as f64,
        rows: learned / splits.len().max(1),
        fit_seconds: fitting / splits.len().max(1) as f64,
        answer_us: 1e6 * answering / judged.max(1) as f64,
    })
}
