//! Samples read by columns, dense or sparse, without a dense copy of the whole.

use crate::data::SamplesView;
use crate::{Error, Result};

/// Columns of samples.
pub(super) struct Columns<'a> {
    n_rows: usize,
    n_features: usize,
    store: ColumnStore<'a>,
}

enum ColumnStore<'a> {
    /// Row-major values.
    Rows(&'a [f64]),
    /// Compressed sparse columns.
    Sparse {
        starts: Vec<usize>,
        rows: Vec<u32>,
        values: Vec<f64>,
    },
}

impl<'a> Columns<'a> {
    /// Arranges samples; those that are sparse are transposed once.
    pub(super) fn new(samples: SamplesView<'a>) -> Result<Self> {
        if samples.n_rows() == 0 {
            return Err(Error::NoRows);
        }
        samples.ensure_finite()?;
        let (n_rows, n_features) = (samples.n_rows(), samples.n_features());
        let store = match samples {
            SamplesView::Dense { values, .. } => ColumnStore::Rows(values),
            SamplesView::Sparse {
                row_starts,
                indices,
                values,
                ..
            } => transpose(n_features, row_starts, indices, values),
        };
        Ok(Self {
            n_rows,
            n_features,
            store,
        })
    }

    pub(super) fn n_rows(&self) -> usize {
        self.n_rows
    }

    pub(super) fn n_features(&self) -> usize {
        self.n_features
    }

    /// The stored entries of a column, if the samples are sparse.
    pub(super) fn entries(&self, f: usize) -> Option<(&[u32], &[f64])> {
        match &self.store {
            ColumnStore::Rows(_) => None,
            ColumnStore::Sparse {
                starts,
                rows,
                values,
            } => {
                let range = starts[f]..starts[f + 1];
                Some((&rows[range.clone()], &values[range]))
            }
        }
    }

    /// Writes columns `first..` one after the other, as many as `out` has room for.
    pub(super) fn write(&self, first: usize, out: &mut [f64]) {
        let n = self.n_rows;
        let count = out.len() / n;
        match &self.store {
            ColumnStore::Rows(values) => {
                for i in 0..n {
                    let start = i * self.n_features + first;
                    for (lane, &value) in values[start..start + count].iter().enumerate() {
                        out[lane * n + i] = value;
                    }
                }
            }
            ColumnStore::Sparse { .. } => {
                out.fill(0.0);
                for (lane, column) in out.chunks_exact_mut(n).enumerate() {
                    if let Some((rows, values)) = self.entries(first + lane) {
                        for (&i, &value) in rows.iter().zip(values) {
                            column[i as usize] = value;
                        }
                    }
                }
            }
        }
    }

    /// Mean and population deviation of a column, in two passes; `f` is its number, for errors.
    pub(super) fn moments(column: &[f64], f: usize) -> Result<(f64, f64)> {
        let n = column.len() as f64;
        let rough = sum_of(column, |x| x) / n;
        // What the rounding of the first mean left over: matters far from the origin.
        let left = sum_of(column, |x| x - rough) / n;
        let mean = rough + left;
        let squares = sum_of(column, |x| (x - mean) * (x - mean));
        let deviation = (squares / n).sqrt();
        if mean.is_finite() && deviation.is_finite() {
            return Ok((mean, deviation));
        }
        let largest = (0..column.len())
            .max_by(|&a, &b| column[a].abs().total_cmp(&column[b].abs()))
            .unwrap_or(0);
        Err(Error::TooWide {
            row: largest + 1,
            column: f + 1,
            value: column[largest],
        })
    }
}

/// Sums that run side by side: one after the other would wait for each addition.
const SUM_LANES: usize = 8;

/// The sum of a function of the values.
pub(super) fn sum_of(values: &[f64], term: impl Fn(f64) -> f64) -> f64 {
    let (blocks, rest) = values.as_chunks::<SUM_LANES>();
    let mut sums = [0.0; SUM_LANES];
    for block in blocks {
        for (sum, &x) in sums.iter_mut().zip(block) {
            *sum += term(x);
        }
    }
    sums.iter().sum::<f64>() + rest.iter().map(|&x| term(x)).sum::<f64>()
}

fn transpose<'a>(
    n_features: usize,
    row_starts: &[usize],
    indices: &[u32],
    values: &[f64],
) -> ColumnStore<'a> {
    let mut starts = vec![0usize; n_features + 1];
    for &f in indices {
        starts[f as usize + 1] += 1;
    }
    for f in 0..n_features {
        starts[f + 1] += starts[f];
    }
    let mut next = starts.clone();
    let mut rows = vec![0u32; indices.len()];
    let mut sorted = vec![0.0; indices.len()];
    for (i, bounds) in row_starts.windows(2).enumerate() {
        for entry in bounds[0]..bounds[1] {
            let slot = &mut next[indices[entry] as usize];
            rows[*slot] = i as u32;
            sorted[*slot] = values[entry];
            *slot += 1;
        }
    }
    ColumnStore::Sparse {
        starts,
        rows,
        values: sorted,
    }
}
