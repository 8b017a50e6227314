//! What the training of linear classifiers and of their trees shares.

use crate::arrays::{Meaning, Rows};
use crate::errors::from_library;
use crate::fit::{Name, ensure_length};
use hedgerow::Error;
use hedgerow::data::{ClassLabels, ClassName, Dataset, Target};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;

/// A copy of rows with their classes, `codes` being positions in the sorted `names`, and weights.
pub(crate) fn labelled<'py>(
    py: Python<'py>,
    rows: Rows<'py>,
    codes: PyReadonlyArray1<'py, u32>,
    names: Vec<Name>,
    weights: Option<PyReadonlyArray1<'py, f64>>,
) -> PyResult<Dataset> {
    let weights = weights.as_ref().map(|w| w.as_slice()).transpose()?;
    let codes = codes.as_slice()?.to_vec();
    let held = rows.hold(Meaning::Features)?;
    ensure_length("targets", held.view().n_rows(), codes.len())?;
    let names: Vec<ClassName> = names.into_iter().map(ClassName::from).collect();
    let labels = ClassLabels::new(names, codes).map_err(from_library)?;
    py.detach(|| {
        let view = held.view();
        view.ensure_finite()?;
        let all: Vec<usize> = (0..view.n_rows()).collect();
        let data = Dataset::new(view.select(&all), Target::Classes(labels))?;
        match weights {
            None => Ok(data),
            Some(weights) => data.with_weights(weights.to_vec()),
        }
    })
    .map_err(from_library)
}

/// An error about a word that no setting knows.
pub(crate) fn unknown(what: &'static str, name: &str, known: &str) -> Error {
    Error::UnknownName {
        what,
        name: name.to_owned(),
        known: known.to_owned(),
    }
}
