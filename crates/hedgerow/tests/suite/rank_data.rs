//! Rows with a rare class, and what tests of rankers ask of a model.

use hedgerow::Predictor;
use hedgerow::data::{ClassLabels, Dataset, Generator, Samples, Target};
use hedgerow::evaluate::{Metric, evaluate};
use hedgerow::rank::{BasisWord, RankModel, RankRcParams};

pub(crate) fn dataset(n_features: usize, values: Vec<f64>, labels: &[f64]) -> Dataset {
    let samples = Samples::dense(labels.len(), n_features, values).expect("finite");
    Dataset::new(samples, Target::Classes(ClassLabels::from_numbers(labels))).expect("sound")
}

pub(crate) fn toy() -> Dataset {
    let x = vec![-1.0, 0.0, 0.5, 1.5, 2.0, 3.0];
    dataset(1, x, &[-1.0, -1.0, 1.0, -1.0, 1.0, -1.0])
}

/// A rare class in clumps.
pub(crate) fn rare(n: usize, n_features: usize, share: f64, seed: u64) -> Dataset {
    let mut generator = Generator::new(seed);
    let (mut values, mut labels) = (Vec::new(), Vec::new());
    for i in 0..n {
        let positive = (i as f64) < share * n as f64;
        labels.push(if positive { 1.0 } else { -1.0 });
        for f in 0..n_features {
            let shift = if positive && f % 2 == i % 2 { 1.0 } else { 0.0 };
            values.push(generator.normal() + shift);
        }
    }
    dataset(n_features, values, &labels)
}

pub(crate) fn decisions(model: &RankModel, data: &Dataset) -> Vec<f64> {
    model.scores(data.samples().view()).expect("rows").values
}

/// Scores with the threshold put back.
pub(crate) fn raw(model: &RankModel, data: &Dataset) -> Vec<f64> {
    let values = decisions(model, data);
    values
        .iter()
        .map(|value| value + model.threshold())
        .collect()
}

/// Kernel functions at the rare rows alone.
pub(crate) fn tight(lambda: f64) -> RankRcParams {
    let params = RankRcParams {
        basis: BasisWord::Rare,
        ..RankRcParams::default()
    };
    params.with_lambda(lambda).with_tolerance(1e-10)
}

pub(crate) fn metric(model: &RankModel, data: &Dataset, wanted: Metric) -> f64 {
    let metrics = evaluate(model, data).expect("classes");
    metrics
        .iter()
        .find(|(metric, _)| *metric == wanted)
        .expect("two classes")
        .1
}

#[track_caller]
pub(crate) fn assert_near(found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    for (f, e) in found.iter().zip(expected) {
        assert!((f - e).abs() <= tolerance, "{found:?} {expected:?}");
    }
}
