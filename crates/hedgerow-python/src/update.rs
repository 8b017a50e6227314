//! Learning from rows that come after training.

use crate::arrays::{Meaning, Rows};
use crate::errors::from_library;
use crate::fit::{Targets, dataset, target};
use crate::model::Model;
use crate::threads::interruptible;
use crate::values::to_python;
use hedgerow::Error;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// A copy of the model that has learnt from the rows, and what that did.
#[pyfunction]
pub(crate) fn update<'py>(
    py: Python<'py>,
    model: &Model,
    rows: Rows<'py>,
    targets: Targets<'py>,
    threads: usize,
) -> PyResult<(Model, Bound<'py, PyDict>)> {
    let held = rows.hold(Meaning::Features)?;
    let target = target(Some(targets), held.view().n_rows())?;
    let mut stored = model.duplicate();
    let data = py
        .detach(|| dataset(held.view(), target, None))
        .map_err(from_library)?;
    let (stored, facts) = interruptible(py, threads, move || {
        let learner = stored.model.as_update().ok_or(Error::Target {
            needed: "a model that can learn from new rows",
            found: "rows for one that cannot",
        })?;
        let facts = learner.update(Some(&data), &[], &[])?;
        Ok((stored, facts))
    })?
    .map_err(from_library)?;
    let told = PyDict::new(py);
    for (name, value) in &facts {
        told.set_item(name, to_python(py, value)?)?;
    }
    Ok((Model::new(stored), told))
}
