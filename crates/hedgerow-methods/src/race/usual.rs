//! What is compared where nothing else is asked for.

use hedgerow::data::{Dataset, Target};
use hedgerow::evaluate::Metric;

/// Shares of the rarer of two classes below which accuracy says little, and the AUC too.
const RARE: f64 = 0.05;
const VERY_RARE: f64 = 0.01;

/// What is compared unless something else is asked for, and the share of the rarer class if that is
/// the reason.
pub fn usual_metric(data: &Dataset) -> (Metric, Option<f64>) {
    let Target::Classes(labels) = data.target() else {
        return (Metric::MeanSquaredError, None);
    };
    let counts = labels.counts();
    let counts: Vec<usize> = counts.into_iter().filter(|&count| count > 0).collect();
    let [a, b] = counts[..] else {
        return (Metric::Accuracy, None);
    };
    match a.min(b) as f64 / (a + b) as f64 {
        share if share < VERY_RARE => (Metric::AveragePrecision, Some(share)),
        share if share < RARE => (Metric::Auc, Some(share)),
        _ => (Metric::Accuracy, None),
    }
}
