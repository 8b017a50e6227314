//! Blocks of a kernel matrix.

use super::composite::{Composite, CompositeQueries};
use super::packed::{Formula, Packed, Precision, Queries, Survey};
use super::scalar::self_value;
use super::{Kernel, Radial};
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
/// Rows are packed once; see the module `packed` for precision. Queries are rows of any samples.
pub struct Gram<'a> {
    kernel: Kernel,
    view: SamplesView<'a>,
    rows: Vec<u32>,
    engine: Engine,
    rounding: f64,
    sequential: bool,
}

enum Engine {
    Single(Packed<f32>),
    Double(Packed<f64>),
    Composite(Composite),
}

/// Query rows prepared for one [`Gram`].
pub struct GramQueries {
    count: usize,
    form: QueryForm,
}

enum QueryForm {
    Single(Queries<f32>),
    Double(Queries<f64>),
    Composite(CompositeQueries),
}

/// The formula of a kernel that needs one accumulated number only.
pub(super) fn simple_formula(kernel: &Kernel) -> Option<Formula> {
    match *kernel {
        Kernel::Linear => Some(Formula::Dot),
        Kernel::Polynomial {
            gamma,
            coef0,
            degree,
        } => Some(Formula::Polynomial {
            gamma,
            coef0,
            degree,
        }),
        Kernel::Sigmoid { gamma, coef0 } => Some(Formula::Sigmoid { gamma, coef0 }),
        Kernel::Radial(Radial::Gaussian { gamma }) => Some(Formula::Gaussian { gamma }),
        Kernel::Radial(radial) => Some(Formula::Radial(radial)),
        _ => None,
    }
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
        kernel.check()?;
        let mut rounding = 0.0;
        let engine = if let Some(formula) = simple_formula(kernel) {
            let survey = Survey::new(view, &rows);
            let (layout, offset) = survey.choose(formula, precision);
            rounding = survey.rounding(formula, layout);
            if layout.single {
                Engine::Single(Packed::new(formula, view, &rows, layout, offset))
            } else {
                Engine::Double(Packed::new(formula, view, &rows, layout, offset))
            }
        } else {
            Engine::Composite(Composite::new(kernel, view, &rows)?)
        };
        Ok(Self {
            kernel: kernel.clone(),
            view,
            rows,
            engine,
            rounding,
            sequential: false,
        })
    }

    /// Works on the calling thread alone, for callers that are themselves one of many tasks: a
    /// thread that waits for inner tasks might begin another outer one, with memory of its own.
    pub(crate) fn sequential(mut self, sequential: bool) -> Self {
        self.sequential = sequential;
        self
    }

    /// Whether values are rounded to single precision when they are computed.
    pub(crate) fn is_single(&self) -> bool {
        matches!(self.engine, Engine::Single(_))
    }

    /// Typical error of a value; 0 where they are computed in double precision.
    pub fn rounding(&self) -> f64 {
        self.rounding
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
        match &self.engine {
            Engine::Single(packed) => packed.bytes(),
            Engine::Double(packed) => packed.bytes(),
            Engine::Composite(composite) => composite.bytes(),
        }
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

    /// Prepares bound rows, by position, as queries.
    pub fn own_queries(&self, positions: &[usize]) -> Result<GramQueries> {
        self.prepare(self.view, positions.iter().map(|&p| self.rows[p] as usize))
    }

    /// Prepares rows of other samples as queries.
    pub fn queries(&self, view: SamplesView<'_>, rows: Range<usize>) -> Result<GramQueries> {
        self.prepare(view, rows)
    }

    /// Prepares some rows of other samples as queries.
    pub(crate) fn queries_at(&self, view: SamplesView<'_>, rows: &[u32]) -> Result<GramQueries> {
        self.prepare(view, rows.iter().map(|&row| row as usize))
    }

    fn prepare(
        &self,
        view: SamplesView<'_>,
        rows: impl ExactSizeIterator<Item = usize> + Clone,
    ) -> Result<GramQueries> {
        let count = rows.len();
        let form = match &self.engine {
            Engine::Single(packed) => QueryForm::Single(packed.queries(view, rows)),
            Engine::Double(packed) => QueryForm::Double(packed.queries(view, rows)),
            Engine::Composite(composite) => {
                QueryForm::Composite(composite.queries(view, &rows.collect::<Vec<_>>())?)
            }
        };
        Ok(GramQueries { count, form })
    }

    /// Writes the kernel values of every query against the rows at `columns` into `out`, one slice
    /// a query, each `columns.len()` long. Runs on the caller's rayon pool when it is worth it.
    pub(crate) fn block<O: Real>(
        &self,
        queries: &GramQueries,
        columns: Range<usize>,
        out: &mut [&mut [O]],
    ) {
        debug_assert_eq!(queries.count, out.len());
        let work = queries.count * columns.len() * self.view.n_features().max(8);
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
            .map(|_| Vec::with_capacity(queries.count))
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
        let span = (columns.start, columns.end);
        match (&self.engine, &queries.form) {
            (Engine::Single(packed), QueryForm::Single(queries)) => {
                packed.block(queries, span, out);
            }
            (Engine::Double(packed), QueryForm::Double(queries)) => {
                packed.block(queries, span, out);
            }
            (Engine::Composite(composite), QueryForm::Composite(queries)) => {
                composite.block(queries, span, out);
            }
            _ => unreachable!("invariant: queries are prepared by the engine that reads them"),
        }
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
        let engine = match &self.engine {
            Engine::Single(packed) => Engine::Single(packed.rebind(self.view, &rows)),
            Engine::Double(packed) => Engine::Double(packed.rebind(self.view, &rows)),
            Engine::Composite(composite) => Engine::Composite(composite.rebind(self.view, &rows)?),
        };
        Ok(Self {
            kernel: self.kernel.clone(),
            view: self.view,
            rows,
            engine,
            rounding: self.rounding,
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
