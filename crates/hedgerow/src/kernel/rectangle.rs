//! Kernel values of all rows against a few of them, the basis, and products with several vectors.
//!
//! The rectangle $K_{\bullet R}$ is held in single precision, a small one in double, as far as a
//! budget of bytes goes, by rows; the rest is computed anew whenever it is read. Both ways the values are the same bits, and
//! so are the products: rows are read in fixed blocks, sums are in double precision, and sums over
//! rows are joined in the order of the blocks. Neither the budget nor the number of threads changes
//! an answer.
//!
//! A product with many vectors reads every value once. Whoever has several problems on parts of one
//! rectangle, folds of a cross-validation, asks for all of them together: a vector that is 0 at some
//! columns, or rows, leaves them out.

use super::{Gram, GramQueries, Kernel};
use crate::data::SamplesView;
use crate::linalg::{
    Real, VECTOR_LANES, VectorLanes, add_transposed_products, vector_products, widen,
};
use crate::parallel::{Grain, for_each, map, try_for_each};
use crate::{Error, Result};
use std::ops::Range;

/// Rows of one task.
const TASK_ROWS: usize = 512;
/// Most partial sums of a product over rows.
const MAX_PARTS: usize = 64;
/// Values of a block that are widened at once: they stay in a near cache.
const WIDENED: usize = 1 << 15;
/// Rectangles of up to so many values are in double precision.
const DOUBLE_VALUES: usize = 1 << 20;
/// Rectangles of up to so many values are computed in double precision before they are rounded.
const EXACT_VALUES: usize = 1 << 24;

/// Kernel values of rows against a basis.
pub struct Rectangle<'a> {
    gram: Gram<'a>,
    view: SamplesView<'a>,
    n_rows: usize,
    n_columns: usize,
    held: Held,
}

/// The values of the first rows, row-major.
enum Held {
    Single(Vec<f32>),
    Double(Vec<f64>),
}

/// What is done with a piece: the number of its first row, its values, and what will be read next.
type PieceWork<'a> = dyn FnMut(usize, &[f64], &[f32]) + 'a;

impl<'a> Rectangle<'a> {
    /// The values of all rows of `view` against those of `basis`, held in at most so many bytes.
    ///
    /// Up to 2²⁰ values are in double precision; of up to 2²⁴ each is the nearest number of single
    /// precision; of more, each is as exact as [`Gram`] makes it.
    ///
    /// # Errors
    /// [`Error::NoRows`] without a basis.
    pub fn new(
        kernel: &Kernel,
        view: SamplesView<'a>,
        basis: Vec<u32>,
        budget_bytes: usize,
    ) -> Result<Self> {
        if basis.is_empty() {
            return Err(Error::NoRows);
        }
        let (n_rows, n_columns) = (view.n_rows(), basis.len());
        let n_values = n_rows.saturating_mul(n_columns);
        let gram = if n_values <= EXACT_VALUES {
            Gram::in_double(kernel, view, basis)?
        } else {
            Gram::new(kernel, view, basis)?
        };
        let mut rectangle = Self {
            gram: gram.sequential(true),
            view,
            n_rows,
            n_columns,
            held: Held::Single(Vec::new()),
        };
        rectangle.held = if n_values <= DOUBLE_VALUES {
            Held::Double(rectangle.hold(budget_bytes)?)
        } else {
            Held::Single(rectangle.hold(budget_bytes)?)
        };
        // What is computed later cannot fail differently: queries of every row are prepared once.
        rectangle.try_rest()?;
        Ok(rectangle)
    }

    /// The values of as many rows as the budget allows.
    fn hold<T: Real>(&self, budget_bytes: usize) -> Result<Vec<T>> {
        let allowed = budget_bytes / (self.n_columns * size_of::<T>());
        // Whole tasks, so that none is half held.
        let kept = if allowed >= self.n_rows {
            self.n_rows
        } else {
            allowed / TASK_ROWS * TASK_ROWS
        };
        let mut held = vec![T::ZERO; kept * self.n_columns];
        let chunks = held.chunks_mut(TASK_ROWS * self.n_columns);
        try_for_each(chunks, Grain::COARSE, &|task, chunk| {
            self.compute(task * TASK_ROWS, chunk)
        })?;
        Ok(held)
    }

    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// Number of rows of the basis.
    pub fn n_columns(&self) -> usize {
        self.n_columns
    }

    /// Rows whose values are held.
    pub fn held_rows(&self) -> usize {
        let n_values = match &self.held {
            Held::Single(values) => values.len(),
            Held::Double(values) => values.len(),
        };
        n_values / self.n_columns
    }

    /// The values of some rows, row-major, in double precision.
    pub fn values_at(&self, rows: &[u32]) -> Result<Vec<f64>> {
        let mut out = vec![0.0; rows.len() * self.n_columns];
        let chunks = out.chunks_mut(TASK_ROWS * self.n_columns);
        let chunks = chunks.zip(rows.chunks(TASK_ROWS));
        try_for_each(chunks, Grain::COARSE, &|_, (out, rows)| {
            let queries = self.gram.queries_at(self.view, rows)?;
            if matches!(self.held, Held::Double(_)) {
                self.block(&queries, out);
            } else {
                let mut values = vec![0.0f32; out.len()];
                self.block(&queries, &mut values);
                widen(&values, out);
            }
            Ok(())
        })?;
        Ok(out)
    }

    fn block<T: Real>(&self, queries: &GramQueries, out: &mut [T]) {
        let mut rows: Vec<&mut [T]> = out.chunks_mut(self.n_columns).collect();
        self.gram.block_here(queries, 0..self.n_columns, &mut rows);
    }

    /// Writes the values of the rows from `first` on.
    fn compute<T: Real>(&self, first: usize, out: &mut [T]) -> Result<()> {
        let count = out.len() / self.n_columns;
        let queries = self.gram.queries(self.view, first..first + count)?;
        self.block(&queries, out);
        Ok(())
    }

    /// Finds rows that cannot be prepared as queries among those that are not held.
    fn try_rest(&self) -> Result<()> {
        if self.held_rows() == self.n_rows {
            return Ok(());
        }
        let first = self.held_rows() / TASK_ROWS;
        let last = self.n_rows.div_ceil(TASK_ROWS);
        try_for_each(first..last, Grain::COARSE, &|_, task| {
            let rows = task * TASK_ROWS..self.n_rows.min((task + 1) * TASK_ROWS);
            self.gram.queries(self.view, rows).map(|_| ())
        })
    }

    /// Hands the values of a task's rows, in double precision, to `work` in pieces, with the number
    /// of the first row of each, and with what will be read after it.
    fn read(&self, task: usize, work: &mut PieceWork<'_>) {
        let start = task * TASK_ROWS;
        let end = self.n_rows.min(start + TASK_ROWS);
        let width = self.n_columns;
        let piece = (WIDENED / width / VECTOR_LANES * VECTOR_LANES).clamp(VECTOR_LANES, TASK_ROWS);
        match &self.held {
            Held::Double(held) => {
                let mut room = Vec::new();
                let values = self.rows(held, start..end, &mut room);
                for (at, values) in values.chunks(piece * width).enumerate() {
                    work(start + at * piece, values, &[]);
                }
            }
            Held::Single(held) => {
                let mut room = Vec::new();
                let values = self.rows(held, start..end, &mut room);
                let mut wide = vec![0.0; piece.min(end - start) * width];
                for (at, values) in values.chunks(piece * width).enumerate() {
                    let wide = &mut wide[..values.len()];
                    widen(values, wide);
                    let first = start + at * piece;
                    let next = held.get((first + piece) * width..).unwrap_or_default();
                    work(first, wide, &next[..next.len().min(piece * width)]);
                }
            }
        }
    }

    /// The values of some rows: those that are held, or computed into `room`.
    fn rows<'b, T: Real>(
        &self,
        held: &'b [T],
        rows: Range<usize>,
        room: &'b mut Vec<T>,
    ) -> &'b [T] {
        let values = rows.start * self.n_columns..rows.end * self.n_columns;
        if values.end <= held.len() {
            return &held[values];
        }
        room.resize(values.len(), T::ZERO);
        if self.compute(rows.start, room).is_err() {
            unreachable!("invariant: the rows were prepared before");
        }
        room
    }

    /// $K v$ of every vector $v$ over the basis.
    pub fn times(&self, vectors: &[&[f64]]) -> Vec<Vec<f64>> {
        let mut out = vec![vec![0.0; self.n_rows]; vectors.len()];
        if vectors.is_empty() {
            return out;
        }
        let packed = pack(vectors, 0..self.n_columns);
        let groups = vectors.len().div_ceil(VECTOR_LANES);
        let mut tasks: Vec<Vec<&mut [f64]>> = Vec::new();
        tasks.resize_with(self.n_rows.div_ceil(TASK_ROWS), Vec::new);
        for vector in &mut out {
            for (task, part) in tasks.iter_mut().zip(vector.chunks_mut(TASK_ROWS)) {
                task.push(part);
            }
        }
        for_each(tasks.into_iter(), Grain::COARSE, &|task, mut parts| {
            let mut lanes: Vec<VectorLanes> = Vec::new();
            self.read(task, &mut |first, block, next| {
                let count = block.len() / self.n_columns;
                lanes.clear();
                lanes.resize(groups * count, [0.0; VECTOR_LANES]);
                vector_products(block, self.n_columns, &packed, &mut lanes, next);
                let at = first - task * TASK_ROWS;
                for (v, part) in parts.iter_mut().enumerate() {
                    let group = &lanes[v / VECTOR_LANES * count..][..count];
                    for (value, lanes) in part[at..at + count].iter_mut().zip(group) {
                        *value = lanes[v % VECTOR_LANES];
                    }
                }
            });
        });
        out
    }

    /// $K^\top h$ of every vector $h$ over the rows.
    pub fn transposed_times(&self, vectors: &[&[f64]]) -> Vec<Vec<f64>> {
        let groups = vectors.len().div_ceil(VECTOR_LANES);
        let size = groups * self.n_columns;
        let n_tasks = self.n_rows.div_ceil(TASK_ROWS);
        let tasks_a_part = n_tasks.div_ceil(MAX_PARTS).max(1);
        let n_parts = n_tasks.div_ceil(tasks_a_part);
        let parts = map(
            if size == 0 { 0 } else { n_parts },
            Grain::COARSE,
            &|part| {
                let mut sums: Vec<VectorLanes> = vec![[0.0; VECTOR_LANES]; size];
                for task in part * tasks_a_part..n_tasks.min((part + 1) * tasks_a_part) {
                    self.read(task, &mut |first, block, next| {
                        let count = block.len() / self.n_columns;
                        let packed = pack(vectors, first..first + count);
                        add_transposed_products(block, self.n_columns, &packed, &mut sums, next);
                    });
                }
                sums
            },
        );
        let mut total: Vec<VectorLanes> = vec![[0.0; VECTOR_LANES]; size];
        for part in parts {
            for (total, lanes) in total.iter_mut().zip(part) {
                for (sum, value) in total.iter_mut().zip(lanes) {
                    *sum += value;
                }
            }
        }
        let unpack = |v: usize| -> Vec<f64> {
            let group = &total[v / VECTOR_LANES * self.n_columns..][..self.n_columns];
            group.iter().map(|lanes| lanes[v % VECTOR_LANES]).collect()
        };
        (0..vectors.len()).map(unpack).collect()
    }
}

/// A part of every vector, in groups.
fn pack(vectors: &[&[f64]], part: Range<usize>) -> Vec<VectorLanes> {
    let mut packed = Vec::with_capacity(vectors.len().div_ceil(VECTOR_LANES) * part.len());
    for group in vectors.chunks(VECTOR_LANES) {
        let start = packed.len();
        packed.resize(start + part.len(), [0.0; VECTOR_LANES]);
        for (lane, vector) in group.iter().enumerate() {
            let lanes = packed[start..].iter_mut();
            for (lanes, &value) in lanes.zip(&vector[part.clone()]) {
                lanes[lane] = value;
            }
        }
    }
    packed
}
