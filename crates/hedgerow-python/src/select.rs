//! Feature selection.

use crate::arrays::{Meaning, Rows};
use crate::errors::from_library;
use crate::fit::ensure_length;
use crate::threads::in_pool;
use hedgerow::data::{ClassLabels, ClassName, Dataset, Samples, SamplesView, Target};
use hedgerow::select::Selector;
use numpy::PyReadonlyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Features best first, their scores, named numbers, whether the solver converged, and weights of
/// standardised features with the factors of features as they are, where the method has them.
type Ranked = (
    Vec<usize>,
    Vec<f64>,
    Vec<(&'static str, f64)>,
    bool,
    Option<(Vec<f64>, Vec<f64>)>,
);

/// Ranks features by a method that is given as JSON, at least the best `wanted` of them.
#[pyfunction]
pub(crate) fn rank_features(
    py: Python<'_>,
    rows: Rows<'_>,
    codes: PyReadonlyArray1<'_, u32>,
    selector: &str,
    wanted: Option<usize>,
    threads: usize,
) -> PyResult<Ranked> {
    let selector: Selector = serde_json::from_str(selector)
        .map_err(|error| PyValueError::new_err(format!("not a method of selection: {error}")))?;
    let held = rows.hold(Meaning::Features)?;
    let codes = codes.as_slice()?.to_vec();
    ensure_length("labels", held.view().n_rows(), codes.len())?;
    let ranked = py
        .detach(|| {
            in_pool(threads, || {
                let n_classes = codes.iter().max().map_or(0, |&code| code as usize + 1);
                let names = (0..n_classes)
                    .map(|c| ClassName::Number(c as f64))
                    .collect();
                let labels = ClassLabels::new(names, codes)?;
                let data = Dataset::new(owned(held.view())?, Target::Classes(labels))?;
                selector.rank(&data, wanted)
            })
        })?
        .map_err(from_library)?;
    let converged = ranked.status == hedgerow::Status::Converged;
    let weights = ranked
        .kernel_weights
        .map(|found| (found.weights, found.factors));
    Ok((
        ranked.ranking.features,
        ranked.ranking.scores,
        ranked.facts,
        converged,
        weights,
    ))
}

/// A copy of viewed rows.
fn owned(view: SamplesView<'_>) -> hedgerow::Result<Samples> {
    if let SamplesView::Dense {
        n_rows,
        n_features,
        values,
    } = view
    {
        return Samples::dense(n_rows, n_features, values.to_vec());
    }
    let all: Vec<usize> = (0..view.n_rows()).collect();
    Ok(view.select(&all))
}
