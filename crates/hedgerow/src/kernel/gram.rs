//! Blocks of a kernel matrix.

use super::Kernel;
use super::bound::{BoundRows, GramQueries};
use super::layout::Precision;
use super::scalar::self_value;
use crate::data::SamplesView;
use crate::linalg::Real;
use crate::parallel::{self, Grain};
use crate::{Error, Result};
use std::ops::Range;

/// Columns of one parallel task. Fixed, so that results do not depend on the number of threads.
const TASK_COLUMNS: usize = 2048;
/// Below this many multiply-adds a block is computed by the calling thread alone.
const PARALLEL_WORK: usize = 1 << 18;

/// Rows of a symmetric matrix that are computed together.
const SYMMETRIC_ROWS: usize = 48;

/// A kernel bound to rows: hands out blocks of the kernel matrix between queries and those rows.
///
/// Rows are packed once; see the module `layout` for precision. Queries are rows of any samples.
pub struct Gram<'a> {
    kernel: Kernel,
    view: SamplesView<'a>,
    rows: Vec<u32>,
    bound: BoundRows,
    sequential: bool,
}

impl<'a> Gram<'a> {
    /// Binds a kernel to the given rows of a view (repetitions allowed).
    pub fn new(kernel: &Kernel, view: SamplesView<'a>, rows: Vec<u32>) -> Result<Self> {
        Self::with_precision(kernel, view, rows, Precision::Working)
    }

    /// As [`Gram::new`], with every value computed in double precision.
    pub fn in_double(kernel: &Kernel, view: SamplesView<'a>, rows: Vec<u32>) -> Result<Self> {
        Self::with_precision(kernel, view, rows, Precision::Double)
    }

    fn with_precision(
        kernel: &Kernel,
        view: SamplesView<'a>,
        rows: Vec<u32>,
        precision: Precision,
    ) -> Result<Self> {
        Ok(Self {
            kernel: kernel.clone(),
            bound: BoundRows::new(kernel, view, &rows, precision)?,
            view,
            rows,
            sequential: false,
        })
    }

    /// Works on the calling thread alone, for callers that are themselves one of many tasks: a
    /// thread that waits for inner tasks might begin another outer one, with memory of its own.
    pub(crate) fn sequential(mut self, sequential: bool) -> Self {
        self.sequential = sequential;
        self
    }

    /// Typical error of a value; 0 where they are computed in double precision.
    pub fn rounding(&self) -> f64 {
        self.bound.rounding()
    }

    /// Calls `work(index, chunk)` for every chunk of `size` items, in parallel if allowed.
    pub(crate) fn for_each_chunk<T: Send>(
        &self,
        items: &mut [T],
        size: usize,
        work: &(dyn Fn(usize, &mut [T]) + Sync),
    ) {
        if self.sequential {
            items
                .chunks_mut(size)
                .enumerate()
                .for_each(|(index, chunk)| work(index, chunk));
        } else {
            parallel::for_each_chunk(items, size, Grain::COARSE, work);
        }
    }

    /// The kernel.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// Number of bound rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// True without rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Bytes of the packed rows.
    pub fn bytes(&self) -> usize {
        self.bound.bytes()
    }

    /// $K(x, x)$ of every bound row.
    pub fn diagonal(&self) -> Result<Vec<f64>> {
        let d = self.view.n_features();
        self.rows
            .iter()
            .map(|&i| {
                let value = self_value(&self.kernel, self.view.row(i as usize), d);
                if value.is_nan() {
                    return Err(Error::BadRowValue {
                        row: i as usize + 1,
                        what: "self-value of a kernel row",
                        value,
                    });
                }
                Ok(value)
            })
            .collect()
    }

    /// $K(x, x)$ of every row of some samples.
    pub(crate) fn self_values(kernel: &Kernel, view: SamplesView<'_>) -> Vec<f64> {
        let d = view.n_features();
        let value = |i: usize| self_value(kernel, view.row(i), d);
        (0..view.n_rows()).map(value).collect()
    }

    /// Prepares bound rows, by position, as queries.
    pub fn own_queries(&self, positions: &[usize]) -> Result<GramQueries> {
        self.bound
            .queries(self.view, positions.iter().map(|&p| self.rows[p] as usize))
    }

    /// Prepares rows of other samples as queries.
    pub fn queries(&self, view: SamplesView<'_>, rows: Range<usize>) -> Result<GramQueries> {
        self.bound.queries(view, rows)
    }

    /// Prepares some rows of other samples as queries.
    pub(crate) fn queries_at(&self, view: SamplesView<'_>, rows: &[u32]) -> Result<GramQueries> {
        self.bound
            .queries(view, rows.iter().map(|&row| row as usize))
    }

    /// Writes the kernel values of every query against the rows at `columns` into `out`, one slice
    /// a query, each `columns.len()` long. Runs on the caller's rayon pool when it is worth it.
    pub(crate) fn block<O: Real>(
        &self,
        queries: &GramQueries,
        columns: Range<usize>,
        out: &mut [&mut [O]],
    ) {
        debug_assert_eq!(queries.len(), out.len());
        let work = queries.len() * columns.len() * self.view.n_features().max(8);
        if self.sequential
            || work < PARALLEL_WORK
            || columns.len() <= TASK_COLUMNS
            || rayon::current_num_threads() == 1
        {
            self.block_here(queries, columns, out);
            return;
        }
        let n_tasks = columns.len().div_ceil(TASK_COLUMNS);
        let mut tasks: Vec<Vec<&mut [O]>> = (0..n_tasks)
            .map(|_| Vec::with_capacity(queries.len()))
            .collect();
        for row in out.iter_mut() {
            for (task, part) in tasks.iter_mut().zip(row.chunks_mut(TASK_COLUMNS)) {
                task.push(part);
            }
        }
        parallel::for_each(tasks.into_iter(), Grain::COARSE, &|index, mut parts| {
            let start = columns.start + index * TASK_COLUMNS;
            let end = columns.end.min(start + TASK_COLUMNS);
            self.block_here(queries, start..end, &mut parts);
        });
    }

    /// As [`Gram::block`], on the calling thread.
    pub(crate) fn block_here<O: Real>(
        &self,
        queries: &GramQueries,
        columns: Range<usize>,
        out: &mut [&mut [O]],
    ) {
        self.bound.block(queries, columns, out);
    }

    /// Kernel values of every query against every bound row, row-major.
    pub fn values(&self, view: SamplesView<'_>) -> Result<Vec<f64>> {
        let mut out = vec![0.0; view.n_rows() * self.len()];
        if self.is_empty() {
            return Ok(out);
        }
        let queries = self.queries(view, 0..view.n_rows())?;
        let mut rows: Vec<&mut [f64]> = out.chunks_mut(self.len()).collect();
        self.block(&queries, 0..self.len(), &mut rows);
        Ok(out)
    }

    /// The kernel matrix of the bound rows among themselves, row-major, on the calling thread.
    pub(crate) fn symmetric_into(&self, out: &mut [f32]) -> Result<()> {
        let n = self.len();
        let mut prepared = Ok(());
        symmetric_by_blocks(n, out, |block, start, rows| {
            let positions: Vec<usize> = block.collect();
            match self.own_queries(&positions) {
                Ok(queries) => self.block_here(&queries, start..n, rows),
                Err(error) => prepared = Err(error),
            }
        });
        prepared
    }

    /// The same kernel and packing for some of the bound rows, in the given order.
    pub(crate) fn subset(&self, positions: impl Iterator<Item = usize>) -> Result<Self> {
        let positions: Vec<usize> = positions.collect();
        let rows: Vec<u32> = positions.iter().map(|&p| self.rows[p]).collect();
        Ok(Self {
            kernel: self.kernel.clone(),
            view: self.view,
            bound: self.bound.rebind(self.view, &rows)?,
            rows,
            sequential: self.sequential,
        })
    }
}

/// Side of the square tiles in which a block is turned: they fit into vector registers.
const TURNED: usize = 4;

/// A symmetric matrix of order `n` from its upper triangle: `fill(block, start, rows)` writes the
/// columns from `start` on of the rows in `block`, which begins at `start`. Every block is turned
/// while a near cache holds it.
pub(super) fn symmetric_by_blocks(
    n: usize,
    out: &mut [f32],
    mut fill: impl FnMut(Range<usize>, usize, &mut [&mut [f32]]),
) {
    debug_assert_eq!(out.len(), n * n);
    for start in (0..n).step_by(SYMMETRIC_ROWS) {
        let end = n.min(start + SYMMETRIC_ROWS);
        let (upper, lower) = out[start * n..].split_at_mut((end - start) * n);
        let mut rows: Vec<&mut [f32]> = upper
            .chunks_exact_mut(n)
            .map(|row| &mut row[start..])
            .collect();
        fill(start..end, start, &mut rows);
        for i in 1..rows.len() {
            for j in 0..i {
                rows[i][j] = rows[j][i];
            }
        }
        turn(&rows, end - start, n, start, lower);
    }
}

/// Writes the columns of `block` from `from` on into the rows below it, at column `start`.
fn turn(block: &[&mut [f32]], from: usize, n: usize, start: usize, below: &mut [f32]) {
    for (group, targets) in below.chunks_mut(TURNED * n).enumerate() {
        let column = from + group * TURNED;
        for (tile, sources) in block.chunks(TURNED).enumerate() {
            let at = start + tile * TURNED;
            if let Some(values) = square(sources, column)
                && targets.len() == TURNED * n
            {
                let turned = transposed(values);
                for (target, values) in targets.chunks_exact_mut(n).zip(turned) {
                    target[at..at + TURNED].copy_from_slice(&values);
                }
            } else {
                for (i, target) in targets.chunks_exact_mut(n).enumerate() {
                    for (value, source) in target[at..].iter_mut().zip(sources) {
                        *value = source[column + i];
                    }
                }
            }
        }
    }
}

type Square = [[f32; TURNED]; TURNED];

/// The values of four rows from `column` on; `None` if there are not as many.
fn square(rows: &[&mut [f32]], column: usize) -> Option<Square> {
    let [a, b, c, d] = rows else {
        return None;
    };
    let part = |row: &[f32]| row[column..].first_chunk().copied();
    Some([part(a)?, part(b)?, part(c)?, part(d)?])
}

fn transposed([a, b, c, d]: Square) -> Square {
    std::array::from_fn(|i| [a[i], b[i], c[i], d[i]])
}
