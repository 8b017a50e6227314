//! Choice between dense and sparse storage.

use crate::IoError;
use crate::loaded::Storage;
use hedgerow::data::{CsrMatrix, Samples};
use rayon::prelude::*;

/// Bytes that a sparse entry and a sparse row take.
const ENTRY_BYTES: f64 = 12.0;
const ROW_BYTES: f64 = 8.0;

/// True if dense storage is the better one: more than half of the values are not zero, and it
/// takes at most twice the memory.
fn prefers_dense(n_rows: usize, n_features: usize, n_entries: usize) -> bool {
    let cells = n_rows as f64 * n_features as f64;
    let sparse_bytes = ENTRY_BYTES * n_entries as f64 + ROW_BYTES * n_rows as f64;
    n_entries as f64 > 0.5 * cells && 8.0 * cells <= 2.0 * sparse_bytes
}

/// True if samples of this size are stored dense.
pub(crate) fn is_dense(
    storage: Storage,
    n_rows: usize,
    n_features: usize,
    n_entries: usize,
) -> bool {
    match storage {
        Storage::Auto => prefers_dense(n_rows, n_features, n_entries),
        Storage::Dense => true,
        Storage::Sparse => false,
    }
}

/// Zeros for a dense matrix, if there is memory for them.
pub(crate) fn zeros(name: &str, n_rows: usize, n_features: usize) -> Result<Vec<f64>, IoError> {
    let too_large = || IoError::TooLarge {
        name: name.to_owned(),
        rows: n_rows,
        features: n_features,
    };
    let cells = n_rows.checked_mul(n_features).ok_or_else(too_large)?;
    let mut values = Vec::new();
    values.try_reserve_exact(cells).map_err(|_| too_large())?;
    values.resize(cells, 0.0);
    Ok(values)
}

/// Compressed rows that have been checked by their reader.
pub(crate) struct SparseRows {
    pub(crate) n_features: usize,
    pub(crate) row_starts: Vec<usize>,
    pub(crate) indices: Vec<u32>,
    pub(crate) values: Vec<f64>,
}

impl SparseRows {
    /// Samples in the storage asked for.
    pub(crate) fn store(self, name: &str, storage: Storage) -> Result<Samples, IoError> {
        let n_rows = self.row_starts.len() - 1;
        let refused = |source| IoError::Data {
            name: name.to_owned(),
            source,
        };
        if is_dense(storage, n_rows, self.n_features, self.indices.len()) {
            let values = self.densify(name)?;
            return Samples::dense(n_rows, self.n_features, values).map_err(refused);
        }
        CsrMatrix::new(self.n_features, self.row_starts, self.indices, self.values)
            .map(Samples::Sparse)
            .map_err(refused)
    }

    fn densify(&self, name: &str) -> Result<Vec<f64>, IoError> {
        let mut dense = zeros(name, self.row_starts.len() - 1, self.n_features)?;
        if self.n_features > 0 {
            dense
                .par_chunks_mut(self.n_features)
                .with_min_len(256)
                .zip(self.row_starts.par_windows(2))
                .for_each(|(row, bounds)| {
                    let entries = bounds[0]..bounds[1];
                    for (&f, &value) in self.indices[entries.clone()]
                        .iter()
                        .zip(&self.values[entries])
                    {
                        row[f as usize] = value;
                    }
                });
        }
        Ok(dense)
    }
}

/// Byte ranges of about `CHUNK_BYTES` that end at line ends. They do not depend on the number of
/// threads, so neither does any result.
pub(crate) fn line_chunks(bytes: &[u8], start: usize) -> Vec<std::ops::Range<usize>> {
    let mut chunks = Vec::new();
    let mut from = start;
    while from < bytes.len() {
        let middle = (from + CHUNK_BYTES).min(bytes.len());
        let to = memchr::memchr(b'\n', &bytes[middle..]).map_or(bytes.len(), |at| middle + at + 1);
        chunks.push(from..to);
        from = to;
    }
    chunks
}

/// Size of a piece of text that one task parses.
pub(crate) const CHUNK_BYTES: usize = 1 << 20;

/// Appends the parts one after the other; parts are copied in parallel.
pub(crate) fn concatenate<T: Copy + Default + Send + Sync>(parts: &[&[T]]) -> Vec<T> {
    let lengths: Vec<usize> = parts.iter().map(|part| part.len()).collect();
    let mut all = vec![T::default(); lengths.iter().sum()];
    split(&mut all, &lengths)
        .into_par_iter()
        .zip(parts)
        .for_each(|(to, from)| to.copy_from_slice(from));
    all
}

/// Cuts a slice into neighbouring parts of the given lengths.
pub(crate) fn split<'a, T>(mut rest: &'a mut [T], lengths: &[usize]) -> Vec<&'a mut [T]> {
    let mut parts = Vec::with_capacity(lengths.len());
    for &length in lengths {
        let (head, tail) = rest.split_at_mut(length);
        parts.push(head);
        rest = tail;
    }
    parts
}
