//! Learned weights of columns by themselves.

use crate::arrays::{Meaning, Rows};
use crate::errors::from_library;
use crate::fit::{Targets, dataset, target};
use crate::threads::interruptible;
use crate::values::settings;
use hedgerow::neighbours::LearnedMetricParams;
use hedgerow::params::Parameters;
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Weights, groups, rounds, and the loss of rows kept aside before and after.
type Learned = (Vec<f64>, Vec<u32>, usize, f64, f64);

/// Learns weights of columns, with the group of each if it is known.
#[pyfunction]
pub(crate) fn learn_metric<'py>(
    py: Python<'py>,
    rows: Rows<'py>,
    targets: Targets<'py>,
    weights: Option<PyReadonlyArray1<'py, f64>>,
    groups: Option<Vec<u32>>,
    values: &Bound<'py, PyDict>,
    threads: usize,
) -> PyResult<Learned> {
    let mut params = LearnedMetricParams::default();
    for (name, value) in settings(values)? {
        params.set(&name, &value).map_err(from_library)?;
    }
    let held = rows.hold(Meaning::Features)?;
    let target = target(Some(targets), held.view().n_rows())?;
    let weights = weights.as_ref().map(|w| w.as_slice()).transpose()?;
    let data = py
        .detach(|| dataset(held.view(), target, weights))
        .map_err(from_library)?;
    let found = interruptible(py, threads, move || {
        params.fit_with(&data, groups.as_deref(), &|_| Ok(()))
    })?
    .map_err(from_library)?;
    Ok((
        found.weights,
        found.groups,
        found.rounds,
        found.loss_before,
        found.loss,
    ))
}
