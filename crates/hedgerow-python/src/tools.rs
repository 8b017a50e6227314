//! Kernel matrices, a fast reader and measures of ranking.

use crate::arrays::{self, Meaning, Rows};
use crate::errors::{from_file, from_library};
use crate::threads::in_pool;
use hedgerow::data::{ClassName, Target};
use hedgerow::evaluate::ranking::{self, Ties};
use hedgerow::kernel::{Gram, KernelSpec};
use hedgerow_io::{DataFormat, ReadOptions, Source, Storage, read_dataset};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArray1};
use pyo3::exceptions::{PyMemoryError, PyValueError};
use pyo3::prelude::*;
use std::path::PathBuf;

/// Kernel values of every row of `queries` against every row of `rows`; widths that are left to
/// the data are taken from `rows`.
#[pyfunction]
pub(crate) fn kernel_matrix<'py>(
    py: Python<'py>,
    queries: Rows<'py>,
    rows: Rows<'py>,
    kernel: &str,
    seed: u64,
    threads: usize,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let spec = KernelSpec::parse(kernel).map_err(from_library)?;
    if arrays::is_precomputed(kernel) {
        return Err(PyValueError::new_err(
            "a precomputed kernel has no values for rows of features",
        ));
    }
    let (queries, rows) = (
        queries.hold(Meaning::Features)?,
        rows.hold(Meaning::Features)?,
    );
    let (n_queries, n_rows) = (queries.view().n_rows(), rows.view().n_rows());
    // The library would end the process for want of memory.
    n_queries
        .checked_mul(n_rows)
        .and_then(|cells| Vec::<f64>::new().try_reserve_exact(cells).ok())
        .ok_or_else(|| {
            PyMemoryError::new_err(format!(
                "a kernel matrix of {n_queries} × {n_rows} numbers does not fit into memory"
            ))
        })?;
    let values = py
        .detach(|| {
            in_pool(threads, || {
                let kernel = spec.resolve(rows.view(), seed)?;
                let gram = Gram::new(&kernel, rows.view(), (0..n_rows as u32).collect())?;
                gram.values(queries.view())
            })
        })?
        .map_err(from_library)?;
    arrays::matrix(py, n_queries, n_rows, values)
}

type Loaded<'py> = (Py<PyAny>, Py<PyAny>, Option<Bound<'py, PyArray1<u64>>>);

/// Reads LIBSVM text: samples (a matrix or the parts of a CSR matrix), labels (numbers, or a list
/// of texts if some are no numbers) and query ids.
#[pyfunction]
pub(crate) fn read_svmlight<'py>(
    py: Python<'py>,
    path: PathBuf,
    min_features: usize,
    storage: &str,
    threads: usize,
) -> PyResult<Loaded<'py>> {
    let storage = match storage {
        "sparse" => Storage::Sparse,
        "dense" => Storage::Dense,
        "auto" => Storage::Auto,
        unknown => {
            return Err(PyValueError::new_err(format!(
                "storage must be \"sparse\", \"dense\" or \"auto\", not {unknown:?}"
            )));
        }
    };
    let options = ReadOptions::default()
        .with_format(DataFormat::LibSvm)
        .with_min_features(min_features)
        .with_storage(storage);
    let loaded = py
        .detach(|| in_pool(threads, || read_dataset(&Source::Path(path), &options)))?
        .map_err(from_file)?;
    let samples = arrays::samples(py, loaded.dataset.samples().view())?;
    let labels = match loaded.dataset.target() {
        Target::Real(values) => values.clone().into_pyarray(py).into_any().unbind(),
        Target::Classes(labels) | Target::Ordinal(labels) => {
            let names = labels.names();
            let numbers: Option<Vec<f64>> = names
                .iter()
                .map(|name| match name {
                    ClassName::Number(value) => Some(*value),
                    ClassName::Text(_) => None,
                })
                .collect();
            let codes = labels.codes().iter().map(|&code| code as usize);
            if let Some(numbers) = numbers {
                let values: Vec<f64> = codes.map(|code| numbers[code]).collect();
                values.into_pyarray(py).into_any().unbind()
            } else {
                let texts: Vec<String> = codes.map(|code| names[code].to_string()).collect();
                texts.into_pyobject(py)?.into_any().unbind()
            }
        }
        _ => return Err(PyValueError::new_err("the file has no labels")),
    };
    let query_ids = loaded.query_ids.map(|ids| ids.into_pyarray(py));
    Ok((samples, labels, query_ids))
}

/// Area under the ROC curve, ties counted half.
#[pyfunction]
pub(crate) fn auc(
    positive: PyReadonlyArray1<'_, bool>,
    scores: PyReadonlyArray1<'_, f64>,
) -> PyResult<f64> {
    ranking::auc(positive.as_slice()?, scores.as_slice()?, Ties::Half).map_err(from_library)
}

/// Share of the pairs of rows with different levels that the scores put in order, ties counted
/// half.
#[pyfunction]
pub(crate) fn mauc(
    levels: PyReadonlyArray1<'_, u32>,
    scores: PyReadonlyArray1<'_, f64>,
) -> PyResult<f64> {
    ranking::mauc(levels.as_slice()?, scores.as_slice()?, Ties::Half).map_err(from_library)
}
