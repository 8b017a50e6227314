//! Metrics, cross-validation, grid search and statistical tests.

pub mod auc_interval;
pub mod classification;
mod cross_validation;
pub mod grid;
pub mod operating;
pub mod ranking;
pub mod regression;
mod relative;
mod selection_curve;
pub mod statistics;

pub use classification::ConfusionMatrix;
pub use cross_validation::{
    CrossValidation, Fold, Metric, Summary, cross_validate, evaluate, log_error_of_levels, measure,
};
pub use grid::{Axis, Grid};
pub use ranking::Ties;
pub use relative::{operations, relative, relative_complexity, relative_cost, relative_error};
pub use selection_curve::{SelectionCurve, selection_curve};

pub use crate::special;

use crate::{Error, Result};

/// Two slices that describe the same rows must agree in length and not be empty.
fn ensure_same_rows(what: &'static str, expected: usize, found: usize) -> Result<()> {
    if expected == 0 {
        return Err(Error::NoRows);
    }
    if expected != found {
        return Err(Error::Shape {
            what,
            expected,
            found,
        });
    }
    Ok(())
}

/// Every value must be a number.
fn ensure_numbers(what: &'static str, values: &[f64], finite: bool) -> Result<()> {
    let bad = |value: &f64| value.is_nan() || (finite && value.is_infinite());
    match values.iter().position(bad) {
        None => Ok(()),
        Some(i) => Err(Error::BadRowValue {
            row: i + 1,
            what,
            value: values[i],
        }),
    }
}
