//! Editing of rows.

use crate::arrays::{Meaning, Rows, samples};
use crate::errors::{from_library, from_method};
use crate::fit::{dataset, ensure_length};
use crate::threads::interruptible;
use crate::values::settings;
use hedgerow::clean::Edit;
use hedgerow::data::{ClassLabels, ClassName, Target};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

type Opinions<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<u32>>);
type Added<'py> = (Py<PyAny>, Bound<'py, PyArray1<u32>>);
type Outcome<'py> = (
    Bound<'py, PyArray1<bool>>,
    Option<Opinions<'py>>,
    Option<Added<'py>>,
    Vec<(&'static str, f64)>,
    bool,
);

/// Edits rows by a method that is named. Returns whether each row stays, what is thought of each
/// (trust and suggested class), new rows with their classes, named numbers, and whether all
/// machines converged.
#[pyfunction]
pub(crate) fn edit_rows<'py>(
    py: Python<'py>,
    method: &str,
    rows: Rows<'py>,
    codes: PyReadonlyArray1<'py, u32>,
    values: &Bound<'py, PyDict>,
    seed: u64,
    threads: usize,
) -> PyResult<Outcome<'py>> {
    let method = hedgerow_methods::editor_by_name(method)
        .ok_or_else(|| PyValueError::new_err(format!("there is no method {method:?}")))?;
    let table = method.defaults().table();
    let refused = from_method(&table);
    let editor = method.editor(&settings(values)?, seed).map_err(&refused)?;
    let held = rows.hold(Meaning::Features)?;
    let codes = codes.as_slice()?.to_vec();
    ensure_length("labels", held.view().n_rows(), codes.len())?;
    let n_classes = codes.iter().max().map_or(0, |&code| code as usize + 1);
    let names = (0..n_classes)
        .map(|c| ClassName::Number(c as f64))
        .collect();
    let labels = ClassLabels::new(names, codes).map_err(from_library)?;
    let data = py
        .detach(|| dataset(held.view(), Target::Classes(labels), None))
        .map_err(from_library)?;
    let edit = interruptible(py, threads, move || editor.edit(&data))?.map_err(&refused)?;
    let Edit {
        keep,
        opinions,
        added,
        facts,
        status,
        ..
    } = edit;
    let opinions = opinions.map(|all| {
        let trust: Vec<f64> = all.iter().map(|one| one.trust).collect();
        let labels: Vec<u32> = all.iter().map(|one| one.label).collect();
        (trust.into_pyarray(py), labels.into_pyarray(py))
    });
    let added = added
        .map(|added| {
            let rows = samples(py, added.samples.view())?;
            Ok::<_, PyErr>((rows, added.codes.into_pyarray(py)))
        })
        .transpose()?;
    let converged = !status.is_premature();
    Ok((keep.into_pyarray(py), opinions, added, facts, converged))
}

/// Probabilities of a model of resampled rows, for classes as frequent as they were.
#[pyfunction]
pub(crate) fn correct_priors<'py>(
    py: Python<'py>,
    probabilities: PyReadonlyArray1<'py, f64>,
    original: Vec<f64>,
    resampled: Vec<f64>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let mut all = probabilities.as_slice()?.to_vec();
    hedgerow::clean::corrected_priors(&mut all, &original, &resampled).map_err(from_library)?;
    Ok(all.into_pyarray(py))
}
