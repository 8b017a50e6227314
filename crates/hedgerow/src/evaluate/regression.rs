//! Metrics of predicted real values.

use super::{ensure_numbers, ensure_same_rows};
use crate::Result;

/// Mean squared error.
pub fn mean_squared_error(truth: &[f64], predicted: &[f64]) -> Result<f64> {
    check(truth, predicted)?;
    let squares = truth.iter().zip(predicted).map(|(t, p)| (p - t) * (p - t));
    Ok(squares.sum::<f64>() / truth.len() as f64)
}

/// Mean absolute error.
pub fn mean_absolute_error(truth: &[f64], predicted: &[f64]) -> Result<f64> {
    check(truth, predicted)?;
    let errors = truth.iter().zip(predicted).map(|(t, p)| (p - t).abs());
    Ok(errors.sum::<f64>() / truth.len() as f64)
}

/// $\sqrt{\tfrac1n\sum_i (\ln(1 + p_i) - \ln(1 + t_i))^2}$ of values that are not negative.
pub fn root_mean_squared_log_error(truth: &[f64], predicted: &[f64]) -> Result<f64> {
    check(truth, predicted)?;
    for &value in truth.iter().chain(predicted) {
        crate::error::ensure_not_negative("value of a logarithmic error", value)?;
    }
    let pairs = truth.iter().zip(predicted);
    let squares = pairs.map(|(t, p)| (p.ln_1p() - t.ln_1p()).powi(2));
    Ok((squares.sum::<f64>() / truth.len() as f64).sqrt())
}

/// Coefficient of determination, $1 - \sum (p_i - t_i)^2 / \sum (t_i - \bar t)^2$.
///
/// When all targets are equal it is 1 for exact predictions and 0 otherwise.
pub fn r_squared(truth: &[f64], predicted: &[f64]) -> Result<f64> {
    let error = mean_squared_error(truth, predicted)?;
    let centre = mean(truth);
    let spread = truth.iter().map(|t| (t - centre) * (t - centre));
    let spread = spread.sum::<f64>() / truth.len() as f64;
    Ok(if error == 0.0 {
        1.0
    } else if is_constant(truth) {
        0.0
    } else {
        1.0 - error / spread
    })
}

/// Squared correlation of targets and predictions, as `svm-predict` prints it for regression.
///
/// It is 0 when the targets or the predictions are all equal (`svm-predict` prints NaN).
pub fn squared_correlation(truth: &[f64], predicted: &[f64]) -> Result<f64> {
    check(truth, predicted)?;
    if is_constant(truth) || is_constant(predicted) {
        return Ok(0.0);
    }
    let (mean_t, mean_p) = (mean(truth), mean(predicted));
    let (mut tt, mut pp, mut tp) = (0.0, 0.0, 0.0);
    for (t, p) in truth.iter().zip(predicted) {
        let (t, p) = (t - mean_t, p - mean_p);
        tt += t * t;
        pp += p * p;
        tp += t * p;
    }
    Ok((tp / tt) * (tp / pp))
}

fn check(truth: &[f64], predicted: &[f64]) -> Result<()> {
    ensure_same_rows("predicted values", truth.len(), predicted.len())?;
    ensure_numbers("target", truth, true)?;
    ensure_numbers("prediction", predicted, true)
}

fn mean(values: &[f64]) -> f64 {
    let first = values[0];
    first + values.iter().map(|v| v - first).sum::<f64>() / values.len() as f64
}

fn is_constant(values: &[f64]) -> bool {
    values.iter().all(|v| *v == values[0])
}
