//! Rows packed in one precision for kernels that are functions of an inner product or a distance.

use super::layout::{Formula, Layout};
use super::maps::{
    CityBlockMap, GaussianMap, GaussianOfDifference, Norms, PolynomialMap, RadialMap,
    RadialOfDifference, SigmoidMap,
};
use crate::data::{Row, SamplesView};
use crate::linalg::{
    DotMap, PANEL, Panels, Real, SPARSE_QUERIES, SparseQueries, SparseRows, TileMap, panel_block,
    sparse_block,
};

/// Largest number of features that are numbered as they are.
const MAX_NUMBERED: usize = 1 << 14;

/// The features that any of the rows has, ascending.
fn occurring_features(view: SamplesView<'_>, rows: &[u32]) -> Vec<u32> {
    let mut features = Vec::new();
    for &i in rows {
        view.row(i as usize).for_each(|f, value| {
            if value != 0.0 {
                features.push(f as u32);
            }
        });
        if features.len() > 1 << 20 {
            features.sort_unstable();
            features.dedup();
        }
    }
    features.sort_unstable();
    features.dedup();
    features
}

enum PackedRows<T> {
    Dense(Panels<T>),
    Sparse(SparseRows<T>),
}

/// Rows in one precision, ready to meet queries under one formula.
pub(crate) struct Packed<T> {
    formula: Formula,
    layout: Layout,
    offset: Vec<f64>,
    store: PackedRows<T>,
    /// $-\gamma\|x\|^2$ of every row for Gaussians, $-\gamma\|x\|_1$ of sparse ones for the city-block
    /// kernel (of others 0), $\|x\|^2$ otherwise; padded by one panel.
    norms: Vec<T>,
    n_features: usize,
    /// The features that sparse rows have, ascending, if there are too many to number them all:
    /// the store then counts these only.
    occurring: Option<Vec<u32>>,
}

/// Query rows in the form that the store wants.
pub(crate) struct Queries<T> {
    count: usize,
    dense: Vec<T>,
    sparse: Vec<SparseQueries<T>>,
    norms: Vec<T>,
}

impl<T: Real> Packed<T> {
    /// Sparse rows for a function of inner products, whatever the precision of `T` makes of it.
    pub(crate) fn sparse(formula: Formula, view: SamplesView<'_>, rows: &[u32]) -> Self {
        let layout = Layout {
            single: size_of::<T>() == 4,
            sparse: true,
            difference: false,
        };
        Self::new(formula, view, rows, layout, Vec::new())
    }

    pub(super) fn new(
        formula: Formula,
        view: SamplesView<'_>,
        rows: &[u32],
        layout: Layout,
        offset: Vec<f64>,
    ) -> Self {
        let n_features = view.n_features();
        let occurring =
            (layout.sparse && n_features > MAX_NUMBERED).then(|| occurring_features(view, rows));
        let mut packed = Self {
            formula,
            layout,
            offset,
            store: PackedRows::Sparse(SparseRows::pack(0, |_, _| ())),
            norms: Vec::with_capacity(rows.len() + PANEL),
            n_features,
            occurring,
        };
        let mut buffer = packed.dense_buffer();
        packed.store = if layout.sparse {
            PackedRows::Sparse(SparseRows::pack(rows.len(), |i, entries| {
                view.row(rows[i] as usize).for_each(|f, value| {
                    if let Some(number) = packed.number_of(f).filter(|_| value != 0.0) {
                        entries.push((number, T::from_f64(value)));
                    }
                });
            }))
        } else {
            PackedRows::Dense(Panels::pack(rows.len(), n_features, |i, out| {
                packed.shifted(view.row(rows[i] as usize), &mut buffer);
                for (slot, &value) in out.iter_mut().zip(&buffer) {
                    *slot = T::from_f64(value);
                }
            }))
        };
        for &i in rows {
            let norm = packed.norm(view.row(i as usize), &mut buffer);
            packed.norms.push(norm);
        }
        packed.norms.resize(rows.len() + PANEL, T::ZERO);
        packed
    }

    /// A buffer for one row, where rows are handled whole.
    fn dense_buffer(&self) -> Vec<f64> {
        if self.layout.sparse {
            Vec::new()
        } else {
            vec![0.0; self.n_features]
        }
    }

    /// The number of feature `f` in the store, if it has one.
    fn number_of(&self, f: usize) -> Option<u32> {
        match &self.occurring {
            Some(features) => features.binary_search(&(f as u32)).ok().map(|at| at as u32),
            None => (f < self.n_features).then_some(f as u32),
        }
    }

    /// A row relative to the offset.
    fn shifted(&self, row: Row<'_>, out: &mut [f64]) {
        row.write_dense(out);
        for (value, offset) in out.iter_mut().zip(&self.offset) {
            *value -= offset;
        }
    }

    /// The norm term of a row, from the values as they are stored (rounded to `T`).
    fn norm(&self, row: Row<'_>, buffer: &mut [f64]) -> T {
        T::from_f64(match self.formula {
            Formula::CityBlock { .. } if !self.layout.sparse => 0.0,
            Formula::CityBlock { gamma } => -gamma * self.sum_of(row, buffer, f64::abs),
            Formula::Gaussian { gamma } => -gamma * self.sum_of(row, buffer, |v| v * v),
            _ => self.sum_of(row, buffer, |v| v * v),
        })
    }

    /// Sum over the values of a row as they are stored.
    fn sum_of(&self, row: Row<'_>, buffer: &mut [f64], of: impl Fn(f64) -> f64) -> f64 {
        let stored = |value: f64| of(T::from_f64(value).to_f64());
        let mut sum = 0.0;
        if self.offset.is_empty() {
            row.for_each(|f, value| {
                if f < self.n_features {
                    sum += stored(value);
                }
            });
        } else {
            self.shifted(row, buffer);
            for &value in buffer.iter() {
                sum += stored(value);
            }
        }
        sum
    }

    pub(crate) fn bytes(&self) -> usize {
        let store = match &self.store {
            PackedRows::Dense(panels) => panels.bytes(),
            PackedRows::Sparse(rows) => rows.bytes(),
        };
        store + self.norms.len() * size_of::<T>()
    }

    /// Other rows of the same view, packed in the same way.
    pub(super) fn rebind(&self, view: SamplesView<'_>, rows: &[u32]) -> Self {
        Self::new(self.formula, view, rows, self.layout, self.offset.clone())
    }

    /// Prepares the given rows of a view as queries.
    pub(super) fn queries(
        &self,
        view: SamplesView<'_>,
        rows: impl ExactSizeIterator<Item = usize>,
    ) -> Queries<T> {
        self.queries_of(rows.map(|i| view.row(i)))
    }

    /// Prepares rows as queries.
    pub(crate) fn queries_of<'r>(
        &self,
        rows: impl ExactSizeIterator<Item = Row<'r>>,
    ) -> Queries<T> {
        let count = rows.len();
        let mut buffer = self.dense_buffer();
        let mut queries = Queries {
            count,
            dense: Vec::new(),
            sparse: Vec::new(),
            norms: Vec::with_capacity(count),
        };
        match &self.store {
            PackedRows::Dense(_) => {
                queries.dense.reserve(count * self.n_features);
                for row in rows {
                    self.shifted(row, &mut buffer);
                    queries
                        .dense
                        .extend(buffer.iter().map(|&value| T::from_f64(value)));
                    queries.norms.push(self.norm(row, &mut buffer));
                }
            }
            PackedRows::Sparse(_) => {
                for (q, row) in rows.enumerate() {
                    let lane = q % SPARSE_QUERIES;
                    if lane == 0 {
                        let width = self.occurring.as_ref().map_or(self.n_features, Vec::len);
                        queries.sparse.push(SparseQueries::new(width));
                    }
                    if let Some(group) = queries.sparse.last_mut() {
                        row.for_each(|f, value| {
                            if let Some(number) = self.number_of(f).filter(|_| value != 0.0) {
                                group.set(lane, number as usize, T::from_f64(value));
                            }
                        });
                    }
                    queries.norms.push(self.norm(row, &mut buffer));
                }
            }
        }
        queries
    }

    /// Kernel values of all queries against the packed rows `columns`.
    pub(crate) fn block<O: Real>(
        &self,
        queries: &Queries<T>,
        columns: (usize, usize),
        out: &mut [&mut [O]],
    ) {
        debug_assert_eq!(queries.count, out.len());
        let norms = Norms {
            queries: &queries.norms,
            rows: &self.norms,
        };
        match self.formula {
            Formula::Dot => self.run(queries, columns, DotMap, out),
            Formula::Polynomial {
                gamma,
                coef0,
                degree,
            } => {
                let map = PolynomialMap {
                    gamma: T::from_f64(gamma),
                    coef0: T::from_f64(coef0),
                    degree,
                };
                self.run(queries, columns, map, out);
            }
            Formula::Sigmoid { gamma, coef0 } => {
                self.run(queries, columns, SigmoidMap { gamma, coef0 }, out);
            }
            Formula::Gaussian { gamma } if !self.layout.difference => {
                let map = GaussianMap {
                    two_gamma: T::from_f64(2.0 * gamma),
                    norms,
                };
                self.run(queries, columns, map, out);
            }
            Formula::CityBlock { gamma } => {
                let map = CityBlockMap::new(gamma, &queries.norms);
                self.run(queries, columns, map, out);
            }
            // The constant keeps the rest from being compiled for single precision.
            _ if const { size_of::<T>() == 4 } => {
                unreachable!("invariant: what needs differences is packed in double precision")
            }
            Formula::Gaussian { gamma } => {
                let map = GaussianOfDifference {
                    minus_gamma: T::from_f64(-gamma),
                };
                self.run(queries, columns, map, out);
            }
            Formula::Radial(radial) if self.layout.difference => {
                let map = RadialOfDifference {
                    radial,
                    n_features: self.n_features,
                };
                self.run(queries, columns, map, out);
            }
            Formula::Radial(radial) => {
                let map = RadialMap {
                    radial,
                    n_features: self.n_features,
                    norms,
                };
                self.run(queries, columns, map, out);
            }
        }
    }

    fn run<O: Real, M: TileMap<T>>(
        &self,
        queries: &Queries<T>,
        columns: (usize, usize),
        map: M,
        out: &mut [&mut [O]],
    ) {
        match &self.store {
            PackedRows::Dense(panels) => panel_block(panels, &queries.dense, columns, map, out),
            PackedRows::Sparse(rows) => {
                for (group, part) in out.chunks_mut(SPARSE_QUERIES).enumerate() {
                    let first = group * SPARSE_QUERIES;
                    sparse_block(rows, &queries.sparse[group], columns, first, map, part);
                }
            }
        }
    }
}
