//! Arrays of NumPy as samples, and back.

use crate::errors::from_library;
use hedgerow::data::{CsrMatrix, Samples, SamplesView};
use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyArray2, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Rows as the estimators hand them over.
#[derive(FromPyObject)]
pub(crate) enum Rows<'py> {
    /// A C-contiguous matrix.
    Dense(PyReadonlyArray2<'py, f64>),
    /// Number of features, and `indptr`, `indices`, `data` of a CSR matrix in canonical form.
    Sparse(
        (
            usize,
            PyReadonlyArray1<'py, i64>,
            PyReadonlyArray1<'py, u32>,
            PyReadonlyArray1<'py, f64>,
        ),
    ),
}

/// What the numbers of a row are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// Features.
    Features,
    /// Kernel values of a training row with all training rows.
    TrainingKernel,
    /// Kernel values of a row to predict with all training rows.
    QueryKernel,
}

/// True if the kernel values come with the data.
pub(crate) fn is_precomputed(kernel: &str) -> bool {
    kernel.to_ascii_lowercase().contains("precomputed")
}

/// Rows that live long enough to be viewed without the interpreter lock.
pub(crate) enum Held<'a> {
    /// Values of an array, and its width.
    Borrowed(usize, usize, &'a [f64]),
    /// A copy, where the array's form is not the library's.
    Owned(Samples),
}

impl Held<'_> {
    /// The rows.
    pub(crate) fn view(&self) -> SamplesView<'_> {
        match self {
            Self::Borrowed(n_rows, n_features, values) => SamplesView::Dense {
                n_rows: *n_rows,
                n_features: *n_features,
                values,
            },
            Self::Owned(samples) => samples.view(),
        }
    }
}

impl Rows<'_> {
    /// The rows as the library reads them. Those of a precomputed kernel get the serial number
    /// that the library wants in column 0.
    pub(crate) fn hold(&self, meaning: Meaning) -> PyResult<Held<'_>> {
        match self {
            Self::Dense(array) => {
                if !array.is_c_contiguous() {
                    return Err(PyValueError::new_err("the array is not C-contiguous"));
                }
                let (n_rows, n_features) = (array.shape()[0], array.shape()[1]);
                let values = array.as_slice()?;
                match meaning {
                    Meaning::Features => Ok(Held::Borrowed(n_rows, n_features, values)),
                    Meaning::TrainingKernel => {
                        numbered(n_features, values, (0..n_rows).map(|i| (i + 1) as f64))
                    }
                    // No training row: it has no serial number.
                    Meaning::QueryKernel => {
                        numbered(n_features, values, std::iter::repeat_n(0.0, n_rows))
                    }
                }
            }
            Self::Sparse(_) if meaning != Meaning::Features => Err(PyValueError::new_err(
                "a precomputed kernel matrix must be dense",
            )),
            Self::Sparse((n_features, starts, indices, values)) => {
                let starts = starts.as_slice()?;
                let starts = starts
                    .iter()
                    .map(|&start| usize::try_from(start))
                    .collect::<Result<_, _>>()
                    .map_err(|_| PyValueError::new_err("indptr has a negative entry"))?;
                CsrMatrix::new(
                    *n_features,
                    starts,
                    indices.as_slice()?.to_vec(),
                    values.as_slice()?.to_vec(),
                )
                .map(|matrix| Held::Owned(Samples::Sparse(matrix)))
                .map_err(from_library)
            }
        }
    }
}

/// Rows of a kernel matrix with their serial numbers in front.
fn numbered(
    n_columns: usize,
    values: &[f64],
    serials: impl ExactSizeIterator<Item = f64>,
) -> PyResult<Held<'static>> {
    let n_rows = serials.len();
    let mut out = Vec::with_capacity(n_rows * (n_columns + 1));
    for (i, serial) in serials.enumerate() {
        out.push(serial);
        out.extend_from_slice(&values[i * n_columns..(i + 1) * n_columns]);
    }
    Samples::dense(n_rows, n_columns + 1, out)
        .map(Held::Owned)
        .map_err(from_library)
}

/// A matrix from its values, row after row.
pub(crate) fn matrix(
    py: Python<'_>,
    n_rows: usize,
    n_columns: usize,
    values: Vec<f64>,
) -> PyResult<Bound<'_, PyArray2<f64>>> {
    Array2::from_shape_vec((n_rows, n_columns), values)
        .map(|array| array.into_pyarray(py))
        .map_err(|error| PyValueError::new_err(error.to_string()))
}

/// A matrix, or `(n_features, indptr, indices, data)`.
pub(crate) fn samples(py: Python<'_>, view: SamplesView<'_>) -> PyResult<Py<PyAny>> {
    match view {
        SamplesView::Dense {
            n_rows,
            n_features,
            values,
        } => Ok(matrix(py, n_rows, n_features, values.to_vec())?
            .into_any()
            .unbind()),
        SamplesView::Sparse {
            n_features,
            row_starts,
            indices,
            values,
        } => {
            let starts: Vec<i64> = row_starts.iter().map(|&start| start as i64).collect();
            let indices: Vec<i64> = indices.iter().map(|&f| i64::from(f)).collect();
            let parts = (
                n_features,
                starts.into_pyarray(py),
                indices.into_pyarray(py),
                values.to_vec().into_pyarray(py),
            );
            Ok(parts.into_pyobject(py)?.into_any().unbind())
        }
    }
}
