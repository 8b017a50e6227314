//! Measures of a fast classifier between a linear and a nonlinear one.
//!
//! All have the form (value − linear)/(nonlinear − linear): 0 is as the linear classifier, 1 as the
//! nonlinear one. Nothing is clamped: a fast classifier may be better than both.

/// `(value - linear) / (nonlinear - linear)`; `None` if the two references are the same.
pub fn relative(value: f64, linear: f64, nonlinear: f64) -> Option<f64> {
    let range = nonlinear - linear;
    (range != 0.0 && range.is_finite()).then(|| (value - linear) / range)
}

/// RE: how much of the nonlinear classifier's gain in error is kept.
pub fn relative_error(error: f64, linear: f64, nonlinear: f64) -> Option<f64> {
    relative(error, linear, nonlinear)
}

/// RC: hyperplanes against support vectors, each less the one of a linear classifier.
pub fn relative_complexity(hyperplanes: f64, support_vectors: f64) -> Option<f64> {
    relative(hyperplanes, 1.0, support_vectors)
}

/// RCC, RCT and RTT: numbers of operations, seconds of an answer, and seconds of training, each
/// against those of the linear and the nonlinear classifier on all features.
pub fn relative_cost(cost: f64, linear: f64, nonlinear: f64) -> Option<f64> {
    relative(cost, linear, nonlinear)
}

/// Multiplications of an answer: features times hyperplanes, or times support vectors.
pub fn operations(features: usize, evaluations: f64) -> f64 {
    features as f64 * evaluations
}
