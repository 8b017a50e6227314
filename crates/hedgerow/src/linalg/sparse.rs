//! Sparse rows against a handful of sparse or dense query rows.
//!
//! The queries are spread into a dense buffer, interleaved: the values that sixteen queries have at
//! one feature stand side by side. Each stored entry of a packed row then costs two vector
//! multiply-adds that serve sixteen inner products, and nothing depends on how the patterns of
//! the two rows meet.

use super::Real;
use super::panel::{PANEL, TileMap};
use crate::data::Row;

/// Query rows of one pass.
pub(crate) const SPARSE_QUERIES: usize = 16;

/// Compressed rows of one width.
#[derive(Debug, Clone)]
pub(crate) struct SparseRows<T> {
    row_starts: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<T>,
}

impl<T: Real> SparseRows<T> {
    /// Packs the rows that `row` returns, dropping features beyond `n_features`.
    pub(crate) fn pack<'a>(n_rows: usize, n_features: usize, row: impl Fn(usize) -> Row<'a>) -> Self {
        let mut out = Self {
            row_starts: Vec::with_capacity(n_rows + 1),
            indices: Vec::new(),
            values: Vec::new(),
        };
        out.row_starts.push(0);
        for i in 0..n_rows {
            row(i).for_each(|f, value| {
                if value != 0.0 && f < n_features {
                    out.indices.push(f as u32);
                    out.values.push(T::from_f64(value));
                }
            });
            out.row_starts.push(out.indices.len());
        }
        out
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        self.row_starts.len() * size_of::<usize>() + self.indices.len() * (4 + size_of::<T>())
    }

    /// Entries of row `i`.
    fn row(&self, i: usize) -> (&[u32], &[T]) {
        let entries = self.row_starts[i]..self.row_starts[i + 1];
        (&self.indices[entries.clone()], &self.values[entries])
    }
}

/// Up to sixteen query rows, interleaved.
#[derive(Debug, Clone)]
pub(crate) struct SparseQueries<T> {
    lanes: Vec<[T; SPARSE_QUERIES]>,
}

impl<T: Real> SparseQueries<T> {
    /// A buffer for rows of `n_features` features.
    pub(crate) fn new(n_features: usize) -> Self {
        Self { lanes: vec![[T::ZERO; SPARSE_QUERIES]; n_features] }
    }

    /// Puts one entry into a lane. Features beyond the width are dropped.
    #[inline]
    pub(crate) fn set(&mut self, lane: usize, f: usize, value: T) {
        if let Some(slot) = self.lanes.get_mut(f) {
            slot[lane] = value;
        }
    }
}

#[inline(always)]
fn sparse_body<const FMA: bool, T: Real, O: Real, M: TileMap<T>>(
    rows: &SparseRows<T>,
    queries: &SparseQueries<T>,
    columns: (usize, usize),
    first_query: usize,
    map: M,
    out: &mut [&mut [O]],
) {
    let lanes: &[[T; SPARSE_QUERIES]] = &queries.lanes;
    let mut first = columns.0;
    while first < columns.1 {
        let count = PANEL.min(columns.1 - first);
        let mut sums = [[T::ZERO; SPARSE_QUERIES]; PANEL];
        for (offset, sum) in sums.iter_mut().enumerate().take(count) {
            let (indices, values) = rows.row(first + offset);
            let mut partial = [T::ZERO; SPARSE_QUERIES];
            for (&f, &value) in indices.iter().zip(values) {
                let query = &lanes[f as usize];
                for lane in 0..SPARSE_QUERIES {
                    partial[lane] = value.fma::<FMA>(query[lane], partial[lane]);
                }
            }
            *sum = partial;
        }
        let mut turned = [[T::ZERO; PANEL]; SPARSE_QUERIES];
        for t in 0..PANEL {
            for q in 0..SPARSE_QUERIES {
                turned[q][t] = sums[t][q];
            }
        }
        for (q, row) in out.iter_mut().enumerate() {
            let mapped = map.map::<FMA>(first_query + q, first, turned[q]);
            let target = &mut row[first - columns.0..first - columns.0 + count];
            if let Ok(whole) = <&mut [O; PANEL]>::try_from(&mut *target) {
                for lane in 0..PANEL {
                    whole[lane] = O::from_f64(mapped[lane].to_f64());
                }
            } else {
                for (slot, value) in target.iter_mut().zip(mapped) {
                    *slot = O::from_f64(value.to_f64());
                }
            }
        }
        first += PANEL;
    }
}

multiversion! {
    /// Writes, for the queries loaded in lanes `0..out.len()` and every packed row in
    /// `columns.0..columns.1`, the mapped inner product to `out[lane][row - columns.0]`.
    /// Lane `l` is query `first_query + l` to the map.
    pub(crate) fn sparse_block[T: Real, O: Real, M: TileMap<T>](
        rows: &SparseRows<T>,
        queries: &SparseQueries<T>,
        columns: (usize, usize),
        first_query: usize,
        map: M,
        out: &mut [&mut [O]],
    ) = sparse_body;
}
