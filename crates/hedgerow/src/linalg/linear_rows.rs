//! Rows as the linear solvers read them.
//!
//! Packed once and then shared by all solves on them: the classes of one-vs-rest, the nodes of a
//! tree, the points of a grid. How rows are stored follows from the numbers alone and not from the
//! form in which they came, so that the same data give the same answer dense and sparse:
//!
//! * dense, sparse, or sparse in blocks of eight neighbouring features, whichever takes the fewest
//!   operations a row;
//! * single precision if that changes no value, or moves none by more than $2^{-20}$ of the range
//!   of its column, otherwise double;
//! * values that are all 1 are not stored at all.
//!
//! Sums are in double precision in every case.

use super::{
    BlockStore, DENSE_LANES, DenseStore, LinearStore, Real, SparseStore, UnitStore, add_row,
    dot_row,
};
use crate::data::{Row, SamplesView};
use crate::{Error, Result};
use std::borrow::Cow;

/// Largest ratio of a column's largest value to its range with which single precision will do:
/// $2^{-24}$ of the former is then $2^{-20}$ of the latter.
const MAX_OFFSET: f64 = 16.0;
/// Values whose squares single precision can sum: beyond, and below the inverse, it is not used.
const MAX_SINGLE: f64 = 1e15;

/// Cost of a value of a sparse row, of a value 1 and of a block, in operations on eight values of a
/// dense row: measured.
const SPARSE_COST: f64 = 0.6;
const UNIT_COST: f64 = 0.4;
const BLOCK_COST: f64 = 1.25;

/// Rows whose blocks are counted.
const CENSUS_ROWS: usize = 500;

/// The precision in which rows are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Precision {
    /// Single where that makes no difference that counts; see the module. The default.
    #[default]
    Fitting,
    /// Always double.
    Double,
}

/// Rows packed for inner products with weights.
#[derive(Debug, Clone)]
pub struct LinearRows<'a> {
    n_rows: usize,
    n_features: usize,
    store: RowStore<'a>,
    sq_norms: Vec<f64>,
}

#[derive(Debug, Clone)]
pub(crate) enum RowStore<'a> {
    DenseSingle(DenseStore<'a, f32>),
    DenseDouble(DenseStore<'a, f64>),
    SparseSingle(SparseStore<'a, f32>),
    SparseDouble(SparseStore<'a, f64>),
    BlocksSingle(BlockStore<f32>),
    Units(UnitStore<'a>),
}

/// A kind of storage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Dense,
    Sparse,
    Blocks,
}

/// Evaluates an expression with the store behind an enum.
macro_rules! with_store {
    ($rows:expr, $store:ident => $body:expr) => {
        match $rows.store() {
            $crate::linalg::RowStore::DenseSingle($store) => $body,
            $crate::linalg::RowStore::DenseDouble($store) => $body,
            $crate::linalg::RowStore::SparseSingle($store) => $body,
            $crate::linalg::RowStore::SparseDouble($store) => $body,
            $crate::linalg::RowStore::BlocksSingle($store) => $body,
            $crate::linalg::RowStore::Units($store) => $body,
        }
    };
}
pub(crate) use with_store;

impl<'a> LinearRows<'a> {
    /// Packs samples, which must be finite.
    ///
    /// # Errors
    /// [`Error::TooWide`] if the squared length of a row overflows.
    pub fn pack(view: SamplesView<'a>, precision: Precision) -> Result<Self> {
        let (n_rows, n_features) = (view.n_rows(), view.n_features());
        let census = Census::of(view);
        let single = precision == Precision::Fitting && census.fits_single(view);
        let store = match (census.form(view, single), single) {
            (Form::Dense, true) => RowStore::DenseSingle(dense_copy(view)),
            (Form::Dense, false) => RowStore::DenseDouble(match view {
                SamplesView::Dense { values, .. } if n_features % DENSE_LANES == 0 => DenseStore {
                    width: n_features,
                    values: Cow::Borrowed(values),
                },
                _ => dense_copy(view),
            }),
            (Form::Blocks, _) => RowStore::BlocksSingle(block_copy(view)),
            (Form::Sparse, _) => sparse_store(view, single, census.units),
        };
        let mut rows = Self {
            n_rows,
            n_features,
            store,
            sq_norms: Vec::new(),
        };
        rows.sq_norms = with_store!(rows, store => (0..n_rows).map(|i| store.sq_norm(i)).collect());
        if let Some(i) = rows.sq_norms.iter().position(|norm| !norm.is_finite()) {
            return Err(too_wide(view, i));
        }
        Ok(rows)
    }

    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// Number of features.
    pub fn n_features(&self) -> usize {
        self.n_features
    }

    /// Length that weights need in order to be multiplied with rows: the features, and perhaps
    /// some more that stay 0.
    pub fn width(&self) -> usize {
        match &self.store {
            RowStore::DenseSingle(store) => store.width,
            RowStore::DenseDouble(store) => store.width,
            RowStore::BlocksSingle(_) => self.n_features.next_multiple_of(DENSE_LANES),
            _ => self.n_features,
        }
    }

    /// Values that are stored, those of padding included.
    pub(crate) fn n_stored(&self) -> usize {
        match &self.store {
            RowStore::DenseSingle(store) => store.values.len(),
            RowStore::DenseDouble(store) => store.values.len(),
            RowStore::SparseSingle(store) => store.len(),
            RowStore::SparseDouble(store) => store.len(),
            RowStore::BlocksSingle(store) => store.values.len() * DENSE_LANES,
            RowStore::Units(store) => store.len(),
        }
    }

    /// $\|x_i\|^2$.
    pub fn sq_norm(&self, i: usize) -> f64 {
        self.sq_norms[i]
    }

    /// $\langle w, x_i\rangle$ with weights of [`LinearRows::width`] values.
    pub fn dot(&self, i: usize, weights: &[f64]) -> f64 {
        with_store!(self, store => dot_row(store, i, weights))
    }

    /// $w \leftarrow w + a x_i$ with weights of [`LinearRows::width`] values.
    pub fn add(&self, i: usize, factor: f64, weights: &mut [f64]) {
        with_store!(self, store => add_row(store, i, factor, weights));
    }

    pub(crate) fn store(&self) -> &RowStore<'a> {
        &self.store
    }
}

/// An error that names a row whose squared length overflows.
pub(crate) fn ensure_finite_norms(view: SamplesView<'_>) -> Result<()> {
    let overflows = |i: &usize| {
        let values = view.row(*i).values();
        !values.iter().map(|x| x * x).sum::<f64>().is_finite()
    };
    match (0..view.n_rows()).find(overflows) {
        Some(i) => Err(too_wide(view, i)),
        None => Ok(()),
    }
}

/// The error about a row that is too long, with its largest value.
fn too_wide(view: SamplesView<'_>, i: usize) -> Error {
    let (mut column, mut value) = (0, 0.0f64);
    view.row(i).for_each(|f, x| {
        if x.abs() > value.abs() {
            (column, value) = (f + 1, x);
        }
    });
    Error::TooWide {
        row: i + 1,
        column,
        value,
    }
}

/// What decides the storage.
struct Census {
    nonzero: usize,
    /// About how many blocks of eight neighbouring features have a value other than 0.
    blocks: f64,
    /// Single precision changes no value.
    exact: bool,
    /// All values other than 0 are 1.
    units: bool,
    /// Smallest and largest absolute value other than 0.
    smallest: f64,
    largest: f64,
}

impl Census {
    fn of(view: SamplesView<'_>) -> Self {
        let mut census = Self {
            nonzero: 0,
            blocks: estimate_blocks(view),
            exact: true,
            units: true,
            smallest: f64::INFINITY,
            largest: 0.0,
        };
        let (SamplesView::Dense { values, .. } | SamplesView::Sparse { values, .. }) = view;
        // Each lane has extremes of its own, so that one value need not wait for another.
        let (mut low, mut high) = ([f64::INFINITY; DENSE_LANES], [0.0f64; DENSE_LANES]);
        // Short pieces, so that each simple loop over one finds it in the cache.
        for values in values.chunks(2048) {
            census.nonzero += values.iter().filter(|&&x| x != 0.0).count();
            census.units &= values.iter().all(|&x| x == 0.0 || x == 1.0);
            census.exact &= census.units || values.iter().all(|&x| f64::from(x as f32) == x);
            for lanes in values.chunks(DENSE_LANES) {
                for ((low, high), x) in low.iter_mut().zip(&mut high).zip(lanes) {
                    let size = x.abs();
                    let counted = if size == 0.0 { f64::INFINITY } else { size };
                    *high = if size > *high { size } else { *high };
                    *low = if counted < *low { counted } else { *low };
                }
            }
        }
        census.smallest = low.into_iter().fold(f64::INFINITY, f64::min);
        census.largest = high.into_iter().fold(0.0, f64::max);
        census
    }

    /// The storage whose rows take the fewest operations.
    fn form(&self, view: SamplesView<'_>, single: bool) -> Form {
        let width = view.n_features().next_multiple_of(DENSE_LANES);
        let dense = (view.n_rows() * (width / DENSE_LANES)) as f64;
        let value_cost = if self.units { UNIT_COST } else { SPARSE_COST };
        let sparse = value_cost * self.nonzero as f64;
        let blocks = BLOCK_COST * self.blocks;
        if dense <= sparse.min(blocks) || dense <= sparse && !single {
            Form::Dense
        } else if single && blocks < sparse {
            Form::Blocks
        } else {
            Form::Sparse
        }
    }

    fn fits_single(&self, view: SamplesView<'_>) -> bool {
        if self.exact {
            return true;
        }
        if self.largest > MAX_SINGLE || self.smallest < 1.0 / MAX_SINGLE {
            return false;
        }
        let (n_rows, n_features) = (view.n_rows(), view.n_features());
        let mut lowest = vec![f64::INFINITY; n_features];
        let mut highest = vec![f64::NEG_INFINITY; n_features];
        if let Some(values) = complete_rows(view) {
            for row in values.chunks_exact(n_features.max(1)) {
                for ((low, high), &x) in lowest.iter_mut().zip(&mut highest).zip(row) {
                    *low = if x < *low { x } else { *low };
                    *high = if x > *high { x } else { *high };
                }
            }
        } else if let SamplesView::Sparse {
            indices, values, ..
        } = view
        {
            let mut entries = vec![0usize; n_features];
            for &f in indices {
                entries[f as usize] += 1;
            }
            // The range of a column that has a 0 is at least as large as any of its values.
            if entries.iter().all(|&count| count < n_rows) {
                return true;
            }
            for (&f, &x) in indices.iter().zip(values) {
                let f = f as usize;
                lowest[f] = lowest[f].min(x);
                highest[f] = highest[f].max(x);
            }
            for (f, &count) in entries.iter().enumerate() {
                if count < n_rows {
                    lowest[f] = lowest[f].min(0.0);
                    highest[f] = highest[f].max(0.0);
                }
            }
        }
        lowest.iter().zip(&highest).all(|(&low, &high)| {
            // A constant column is moved as a whole.
            let range = high - low;
            range == 0.0 || low.abs().max(high.abs()) <= MAX_OFFSET * range
        })
    }
}

/// Blocks of neighbouring features with a value other than 0, over all rows: from some that are
/// spread evenly.
fn estimate_blocks(view: SamplesView<'_>) -> f64 {
    let n_rows = view.n_rows();
    let step = n_rows.div_ceil(CENSUS_ROWS).max(1);
    let (mut counted, mut rows) = (0, 0);
    for i in (0..n_rows).step_by(step) {
        let mut last = usize::MAX;
        view.row(i).for_each(|f, x| {
            if x != 0.0 && f / DENSE_LANES != last {
                last = f / DENSE_LANES;
                counted += 1;
            }
        });
        rows += 1;
    }
    f64::from(counted) * n_rows as f64 / f64::from(rows.max(1))
}

/// The values of all rows one after the other, if every feature of every row has one.
fn complete_rows(view: SamplesView<'_>) -> Option<&[f64]> {
    match view {
        SamplesView::Dense { values, .. } => Some(values),
        // The features of a sparse row ascend, so that with all of them they are 0, 1, 2, ...
        SamplesView::Sparse { values, .. } => {
            (values.len() == view.n_rows() * view.n_features()).then_some(values)
        }
    }
}

/// Rows as blocks.
fn block_copy(view: SamplesView<'_>) -> BlockStore<f32> {
    let mut store = BlockStore {
        starts: Vec::with_capacity(view.n_rows() + 1),
        blocks: Vec::new(),
        values: Vec::new(),
    };
    store.starts.push(0);
    for i in 0..view.n_rows() {
        let mut last = u32::MAX;
        view.row(i).for_each(|f, x| {
            if x == 0.0 {
                return;
            }
            let block = (f / DENSE_LANES) as u32;
            if block != last {
                last = block;
                store.blocks.push(block);
                store.values.push([0.0; DENSE_LANES]);
            }
            if let Some(values) = store.values.last_mut() {
                values[f % DENSE_LANES] = x as f32;
            }
        });
        store.starts.push(store.blocks.len());
    }
    store
}

fn dense_copy<'a, T: Real>(view: SamplesView<'_>) -> DenseStore<'a, T> {
    let width = view.n_features().next_multiple_of(DENSE_LANES);
    let mut values = vec![T::ZERO; view.n_rows() * width];
    let rows = values.chunks_exact_mut(width.max(1));
    if let Some(given) = complete_rows(view) {
        for (out, row) in rows.zip(given.chunks_exact(view.n_features().max(1))) {
            for (out, &x) in out.iter_mut().zip(row) {
                *out = T::from_f64(x);
            }
        }
    } else {
        for (i, out) in rows.enumerate() {
            view.row(i).for_each(|f, x| out[f] = T::from_f64(x));
        }
    }
    DenseStore {
        width,
        values: Cow::Owned(values),
    }
}

fn sparse_store(view: SamplesView<'_>, single: bool, units: bool) -> RowStore<'_> {
    let n_features = view.n_features();
    let (starts, features, values) = match view {
        SamplesView::Sparse {
            row_starts,
            indices,
            values,
            ..
        } if !values.contains(&0.0) => (
            Cow::Borrowed(row_starts),
            Cow::Borrowed(indices),
            Cow::Borrowed(values),
        ),
        _ => {
            let (starts, features, values) = entries(view);
            (Cow::Owned(starts), Cow::Owned(features), Cow::Owned(values))
        }
    };
    if units {
        return RowStore::Units(UnitStore::new(starts, features, n_features));
    }
    if single {
        let values = values.iter().map(|&x| x as f32).collect::<Vec<f32>>();
        return RowStore::SparseSingle(SparseStore::new(
            starts,
            features,
            Cow::Owned(values),
            n_features,
        ));
    }
    RowStore::SparseDouble(SparseStore::new(starts, features, values, n_features))
}

/// The values other than 0, row after row.
fn entries(view: SamplesView<'_>) -> (Vec<usize>, Vec<u32>, Vec<f64>) {
    let (mut starts, mut features, mut values) = (vec![0], Vec::new(), Vec::new());
    for i in 0..view.n_rows() {
        let row: Row<'_> = view.row(i);
        row.for_each(|f, x| {
            if x != 0.0 {
                features.push(f as u32);
                values.push(x);
            }
        });
        starts.push(features.len());
    }
    (starts, features, values)
}
