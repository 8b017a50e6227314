//! Rows that count: those whose weight is positive.

use super::Dataset;
use crate::{Error, Result};
use std::borrow::Cow;

/// The data without rows of weight 0; an error if none is left.
pub(crate) fn without_weightless_rows(data: &Dataset) -> Result<Cow<'_, Dataset>> {
    let data = match data.weights() {
        Some(weights) if weights.contains(&0.0) => Cow::Owned(data.select(&weighty_rows(data))),
        _ => Cow::Borrowed(data),
    };
    if data.n_rows() == 0 {
        return Err(Error::NoRows);
    }
    Ok(data)
}

/// The rows whose weight is positive.
pub(crate) fn weighty_rows(data: &Dataset) -> Vec<usize> {
    let counts = |&row: &usize| data.weights().is_none_or(|all| all[row] > 0.0);
    (0..data.n_rows()).filter(counts).collect()
}

/// The weight of every row.
pub(crate) fn row_weights(data: &Dataset) -> impl Iterator<Item = f64> {
    (0..data.n_rows()).map(|i| data.weights().map_or(1.0, |weights| weights[i]))
}

/// The numbers in `data` of some rows of what [`without_weightless_rows`] leaves of it.
pub(crate) fn numbers_of_weighty(data: &Dataset, rows: &[usize]) -> Vec<u32> {
    match data.weights() {
        Some(weights) if weights.contains(&0.0) => {
            let weighty = weighty_rows(data);
            rows.iter().map(|&row| weighty[row] as u32).collect()
        }
        _ => rows.iter().map(|&row| row as u32).collect(),
    }
}

/// An error unless all rows have the same weight.
pub(crate) fn ensure_equal_weights(data: &Dataset) -> Result<()> {
    match data.weights() {
        Some(weights) if weights.iter().any(|&weight| weight != weights[0]) => Err(Error::Target {
            needed: "rows of equal weight, or of weight 0",
            found: "rows of different weights",
        }),
        _ => Ok(()),
    }
}
