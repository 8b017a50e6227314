//! Rows of numbers, dense or sparse, behind one view.

use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// Row-major dense matrix.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DenseMatrix {
    n_rows: usize,
    n_features: usize,
    values: Vec<f64>,
}

impl DenseMatrix {
    /// A matrix from its values, row after row.
    pub fn new(n_rows: usize, n_features: usize, values: Vec<f64>) -> Result<Self> {
        if n_rows.checked_mul(n_features) != Some(values.len()) {
            return Err(Error::Shape {
                what: "values of a dense matrix",
                expected: n_rows.saturating_mul(n_features),
                found: values.len(),
            });
        }
        Ok(Self {
            n_rows,
            n_features,
            values,
        })
    }

    /// All values, row after row.
    pub fn values(&self) -> &[f64] {
        &self.values
    }
}

/// Compressed sparse rows with 0-based, strictly ascending indices.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CsrMatrix {
    n_features: usize,
    row_starts: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<f64>,
}

impl CsrMatrix {
    /// Checks and adopts the three arrays of a CSR matrix; row `i` owns the entries
    /// `row_starts[i]..row_starts[i + 1]`.
    pub fn new(
        n_features: usize,
        row_starts: Vec<usize>,
        indices: Vec<u32>,
        values: Vec<f64>,
    ) -> Result<Self> {
        Self::check(n_features, &row_starts, &indices, &values)?;
        Ok(Self {
            n_features,
            row_starts,
            indices,
            values,
        })
    }

    /// An error unless the three arrays are those of a matrix of this width.
    pub fn check(
        n_features: usize,
        row_starts: &[usize],
        indices: &[u32],
        values: &[f64],
    ) -> Result<()> {
        let entries = indices.len();
        if values.len() != entries {
            return Err(Error::Shape {
                what: "values of a sparse matrix",
                expected: entries,
                found: values.len(),
            });
        }
        if row_starts.first() != Some(&0)
            || row_starts.last() != Some(&entries)
            || row_starts.windows(2).any(|pair| pair[0] > pair[1])
        {
            return Err(Error::Shape {
                what: "row starts of a sparse matrix (must ascend from 0 to the entry count)",
                expected: entries,
                found: row_starts.last().copied().unwrap_or(0),
            });
        }
        for bounds in row_starts.windows(2) {
            let row = &indices[bounds[0]..bounds[1]];
            let ascending = row.windows(2).all(|pair| pair[0] < pair[1]);
            let last = row.last().map_or(0, |&f| f as usize + 1);
            if !ascending || last > n_features {
                return Err(Error::Shape {
                    what: "feature indices of a sparse row (must ascend and stay below the width)",
                    expected: n_features,
                    found: last,
                });
            }
        }
        Ok(())
    }

    /// Widens the matrix: columns beyond the present ones are zero.
    pub fn with_n_features(mut self, n_features: usize) -> Self {
        self.n_features = self.n_features.max(n_features);
        self
    }

    /// Number of stored entries.
    pub fn n_entries(&self) -> usize {
        self.indices.len()
    }
}

/// Owned samples, dense or sparse.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Samples {
    /// Every value is stored.
    Dense(DenseMatrix),
    /// Only non-zero values are stored.
    Sparse(CsrMatrix),
}

/// Borrowed samples: what every method reads.
#[derive(Debug, Clone, Copy)]
pub enum SamplesView<'a> {
    /// Row-major values.
    Dense {
        /// Number of rows.
        n_rows: usize,
        /// Number of features.
        n_features: usize,
        /// `n_rows × n_features` values.
        values: &'a [f64],
    },
    /// Compressed sparse rows.
    Sparse {
        /// Number of features.
        n_features: usize,
        /// `n_rows + 1` offsets.
        row_starts: &'a [usize],
        /// 0-based feature of each entry, ascending within a row.
        indices: &'a [u32],
        /// Value of each entry.
        values: &'a [f64],
    },
}

/// One row of samples.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Row<'a> {
    /// Every value.
    Dense(&'a [f64]),
    /// Stored entries only.
    Sparse {
        /// 0-based features, ascending.
        indices: &'a [u32],
        /// Their values.
        values: &'a [f64],
    },
}

impl<'a> Row<'a> {
    /// Calls `visit(feature, value)` for every stored entry, features ascending.
    pub fn for_each(self, mut visit: impl FnMut(usize, f64)) {
        match self {
            Row::Dense(values) => {
                for (f, &value) in values.iter().enumerate() {
                    visit(f, value);
                }
            }
            Row::Sparse { indices, values } => {
                for (&f, &value) in indices.iter().zip(values) {
                    visit(f as usize, value);
                }
            }
        }
    }

    /// Writes the row into `out`, zeros included. Features beyond `out` are dropped.
    pub fn write_dense(self, out: &mut [f64]) {
        match self {
            Row::Dense(values) => {
                let shared = values.len().min(out.len());
                out[..shared].copy_from_slice(&values[..shared]);
                out[shared..].fill(0.0);
            }
            Row::Sparse { indices, values } => {
                out.fill(0.0);
                for (&f, &value) in indices.iter().zip(values) {
                    if let Some(slot) = out.get_mut(f as usize) {
                        *slot = value;
                    }
                }
            }
        }
    }

    /// Stored values.
    pub fn values(self) -> &'a [f64] {
        match self {
            Row::Dense(values) | Row::Sparse { values, .. } => values,
        }
    }
}

impl<'a> SamplesView<'a> {
    /// Views a row-major slice.
    pub fn dense(n_features: usize, values: &'a [f64]) -> Result<Self> {
        let n_rows = values.len().checked_div(n_features).unwrap_or(0);
        if n_rows * n_features != values.len() {
            return Err(Error::Shape {
                what: "values of a dense view",
                expected: n_rows * n_features,
                found: values.len(),
            });
        }
        Ok(Self::Dense {
            n_rows,
            n_features,
            values,
        })
    }

    /// Number of rows.
    pub fn n_rows(self) -> usize {
        match self {
            Self::Dense { n_rows, .. } => n_rows,
            Self::Sparse { row_starts, .. } => row_starts.len() - 1,
        }
    }

    /// Number of features.
    pub fn n_features(self) -> usize {
        match self {
            Self::Dense { n_features, .. } | Self::Sparse { n_features, .. } => n_features,
        }
    }

    /// Row `i`.
    pub fn row(self, i: usize) -> Row<'a> {
        match self {
            Self::Dense {
                n_features, values, ..
            } => Row::Dense(&values[i * n_features..(i + 1) * n_features]),
            Self::Sparse {
                row_starts,
                indices,
                values,
                ..
            } => {
                let entries = row_starts[i]..row_starts[i + 1];
                Row::Sparse {
                    indices: &indices[entries.clone()],
                    values: &values[entries],
                }
            }
        }
    }

    /// Reads the ends of some rows, which is for rows that lie far apart in memory and will be needed
    /// one after the other: nothing here depends on what is read, so that the waits overlap.
    pub(crate) fn fetch(self, rows: impl Iterator<Item = u32> + Clone) {
        if let Self::Sparse { row_starts, .. } = self {
            // Where a row stands must be known before it can be read.
            let seen = rows
                .clone()
                .fold(0, |seen, i| seen ^ row_starts[i as usize]);
            std::hint::black_box(seen);
        }
        let ends = |values: &[f64]| match values {
            [first, .., last] => first.to_bits() ^ last.to_bits(),
            _ => 0,
        };
        let seen = rows.fold(0, |seen, i| match self.row(i as usize) {
            Row::Dense(values) => seen ^ ends(values),
            Row::Sparse { indices, values } => {
                let numbers = match indices {
                    [first, .., last] => u64::from(first ^ last),
                    _ => 0,
                };
                seen ^ ends(values) ^ numbers
            }
        });
        std::hint::black_box(seen);
    }

    /// Number of stored entries.
    pub fn n_entries(self) -> usize {
        match self {
            Self::Dense { values, .. } | Self::Sparse { values, .. } => values.len(),
        }
    }

    /// An error that names the first value that is NaN or infinite.
    pub fn ensure_finite(self) -> Result<()> {
        let all = match self {
            Self::Dense { values, .. } | Self::Sparse { values, .. } => values,
        };
        if all.iter().all(|value| value.is_finite()) {
            return Ok(());
        }
        for i in 0..self.n_rows() {
            let mut bad = None;
            self.row(i).for_each(|f, value| {
                if !value.is_finite() && bad.is_none() {
                    bad = Some((f, value));
                }
            });
            if let Some((f, value)) = bad {
                return Err(Error::NotFinite {
                    row: i + 1,
                    column: f + 1,
                    value,
                });
            }
        }
        Ok(())
    }

    /// The given rows, in the given order, as owned samples.
    pub fn select(self, rows: &[usize]) -> Samples {
        match self {
            Self::Dense { n_features, .. } => {
                let mut values = Vec::with_capacity(rows.len() * n_features);
                for &i in rows {
                    values.extend_from_slice(self.row(i).values());
                }
                Samples::Dense(DenseMatrix {
                    n_rows: rows.len(),
                    n_features,
                    values,
                })
            }
            Self::Sparse {
                n_features,
                row_starts,
                indices,
                values,
            } => {
                let mut out = CsrMatrix {
                    n_features,
                    row_starts: Vec::with_capacity(rows.len() + 1),
                    indices: Vec::new(),
                    values: Vec::new(),
                };
                out.row_starts.push(0);
                for &i in rows {
                    let entries = row_starts[i]..row_starts[i + 1];
                    out.indices.extend_from_slice(&indices[entries.clone()]);
                    out.values.extend_from_slice(&values[entries]);
                    out.row_starts.push(out.indices.len());
                }
                Samples::Sparse(out)
            }
        }
    }
}

impl SamplesView<'_> {
    /// The given features, in the given order, as owned samples; features beyond the width read as
    /// zeros. No feature may be asked for twice.
    pub fn select_features(self, features: &[usize]) -> Samples {
        let n_rows = self.n_rows();
        match self {
            Self::Dense {
                n_features, values, ..
            } => {
                let mut chosen = Vec::with_capacity(n_rows * features.len());
                for i in 0..n_rows {
                    let row = &values[i * n_features..(i + 1) * n_features];
                    chosen.extend(features.iter().map(|&f| row.get(f).copied().unwrap_or(0.0)));
                }
                Samples::Dense(DenseMatrix {
                    n_rows,
                    n_features: features.len(),
                    values: chosen,
                })
            }
            Self::Sparse { n_features, .. } => {
                let mut places = vec![u32::MAX; n_features];
                for (place, &f) in features.iter().enumerate() {
                    if let Some(slot) = places.get_mut(f) {
                        *slot = place as u32;
                    }
                }
                let mut out = CsrMatrix {
                    n_features: features.len(),
                    row_starts: vec![0],
                    indices: Vec::new(),
                    values: Vec::new(),
                };
                let mut entries: Vec<(u32, f64)> = Vec::new();
                for i in 0..n_rows {
                    entries.clear();
                    self.row(i).for_each(|f, value| {
                        if places[f] != u32::MAX {
                            entries.push((places[f], value));
                        }
                    });
                    entries.sort_unstable_by_key(|&(place, _)| place);
                    out.indices.extend(entries.iter().map(|&(place, _)| place));
                    out.values.extend(entries.iter().map(|&(_, value)| value));
                    out.row_starts.push(out.indices.len());
                }
                Samples::Sparse(out)
            }
        }
    }
}

impl Samples {
    /// Dense samples from row-major values.
    pub fn dense(n_rows: usize, n_features: usize, values: Vec<f64>) -> Result<Self> {
        DenseMatrix::new(n_rows, n_features, values).map(Self::Dense)
    }

    /// Borrows the samples.
    pub fn view(&self) -> SamplesView<'_> {
        match self {
            Self::Dense(matrix) => SamplesView::Dense {
                n_rows: matrix.n_rows,
                n_features: matrix.n_features,
                values: &matrix.values,
            },
            Self::Sparse(matrix) => SamplesView::Sparse {
                n_features: matrix.n_features,
                row_starts: &matrix.row_starts,
                indices: &matrix.indices,
                values: &matrix.values,
            },
        }
    }

    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        self.view().n_rows()
    }

    /// Number of features.
    pub fn n_features(&self) -> usize {
        self.view().n_features()
    }

    /// Adds the rows of other samples, which may be narrower: they read as zeros beyond their
    /// width.
    pub fn append(&mut self, rows: SamplesView<'_>) -> Result<()> {
        let width = self.n_features();
        if rows.n_features() > width {
            return Err(Error::Shape {
                what: "features of the rows to add",
                expected: width,
                found: rows.n_features(),
            });
        }
        match self {
            Self::Dense(matrix) => {
                let start = matrix.values.len();
                matrix.values.resize(start + rows.n_rows() * width, 0.0);
                if width > 0 {
                    let added = matrix.values[start..].chunks_mut(width);
                    for (i, out) in added.enumerate() {
                        rows.row(i).write_dense(out);
                    }
                }
                matrix.n_rows += rows.n_rows();
            }
            Self::Sparse(matrix) => {
                for i in 0..rows.n_rows() {
                    rows.row(i).for_each(|f, value| {
                        if value != 0.0 {
                            matrix.indices.push(f as u32);
                            matrix.values.push(value);
                        }
                    });
                    matrix.row_starts.push(matrix.indices.len());
                }
            }
        }
        Ok(())
    }

    /// Multiplies every column by its factor.
    pub(crate) fn multiply_columns(&mut self, factors: &[f64]) {
        match self {
            Self::Dense(matrix) => {
                for row in matrix.values.chunks_exact_mut(matrix.n_features.max(1)) {
                    for (value, factor) in row.iter_mut().zip(factors) {
                        *value *= factor;
                    }
                }
            }
            Self::Sparse(matrix) => {
                for (value, &f) in matrix.values.iter_mut().zip(&matrix.indices) {
                    *value *= factors[f as usize];
                }
            }
        }
    }

    /// Keeps the first rows only.
    pub fn truncate(&mut self, n_rows: usize) {
        if n_rows >= self.n_rows() {
            return;
        }
        match self {
            Self::Dense(matrix) => {
                matrix.values.truncate(n_rows * matrix.n_features);
                matrix.n_rows = n_rows;
            }
            Self::Sparse(matrix) => {
                let n_entries = matrix.row_starts[n_rows];
                matrix.row_starts.truncate(n_rows + 1);
                matrix.indices.truncate(n_entries);
                matrix.values.truncate(n_entries);
            }
        }
    }

    /// The given rows, in the given order.
    pub fn select(&self, rows: &[usize]) -> Self {
        self.view().select(rows)
    }
}
