//! Rows packed in one precision for kernels that are functions of an inner product or a distance.
//!
//! # Precision
//!
//! A squared distance computed as $\|x\|^2 + \|x'\|^2 - 2\langle x, x'\rangle$ carries an absolute
//! error of about $\varepsilon \max\|x\|^2$. What matters is that error times the kernel's scale
//! (γ for the Gaussian). While the product of scale and largest squared norm stays below
//! [`SINGLE_LIMIT`], single precision keeps kernel values to about $10^{-5}$; beyond it rows are
//! packed in double precision, and beyond [`DOUBLE_LIMIT`] distances are summed from differences,
//! which never cancel. Whoever sums many values can ask for their typical error, and for double
//! precision if that is too much. Kernels that do not feel a shift see rows relative to the column means, so
//! that data far from the origin are treated like centred ones.

use super::Radial;
use super::maps::{
    GaussianMap, GaussianOfDifference, Norms, PolynomialMap, RadialMap, RadialOfDifference,
    SigmoidMap,
};
use crate::data::{Row, SamplesView};
use crate::linalg::{
    DotMap, PANEL, Panels, Real, SPARSE_QUERIES, SparseQueries, SparseRows, TileMap, panel_block,
    sparse_block,
};

/// Largest scale × squared norm for single precision.
pub(super) const SINGLE_LIMIT: f64 = 256.0;
/// Largest squared norms for single precision: their products are then neither infinite nor so small
/// that digits are lost.
const SINGLE_RANGE: std::ops::RangeInclusive<f64> = 1e-24..=1e30;
/// Largest scale × squared norm for double precision by inner products.
const DOUBLE_LIMIT: f64 = 1e8;
/// Largest number of features whose means are looked at.
const MAX_CENTRED: usize = 1 << 22;
/// Number of values up to which sparse rows may be spread out.
const MAX_SPREAD: f64 = (1 << 24) as f64;

/// A kernel as a function of one accumulated number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Formula {
    /// $\langle x, x'\rangle$.
    Dot,
    /// $(\gamma\langle x, x'\rangle + r)^d$.
    Polynomial { gamma: f64, coef0: f64, degree: u32 },
    /// $\tanh(\gamma\langle x, x'\rangle + r)$.
    Sigmoid { gamma: f64, coef0: f64 },
    /// $e^{-\gamma\|x-x'\|^2}$.
    Gaussian { gamma: f64 },
    /// Any other function of $\|x-x'\|^2$.
    Radial(Radial),
}

impl Formula {
    /// Whether $K(x+c, x'+c) = K(x, x')$.
    fn ignores_shift(self) -> bool {
        matches!(self, Self::Gaussian { .. } | Self::Radial(_))
    }

    /// Factor that makes a squared norm an argument of order one.
    fn scale(self) -> f64 {
        match self {
            Self::Dot => 1.0,
            // A power multiplies relative errors.
            Self::Polynomial { gamma, degree, .. } => gamma.abs() * f64::from(degree),
            Self::Sigmoid { gamma, .. } | Self::Gaussian { gamma } => gamma.abs(),
            // Powers of small distances feel relative errors: always by differences.
            Self::Radial(_) => f64::INFINITY,
        }
    }

    /// Typical error of a value in single precision, for rows up to the given squared norm.
    fn single_error(self, sq_norm: f64) -> f64 {
        let unit = f64::from(f32::EPSILON) / 2.0;
        unit * match self {
            Self::Dot => sq_norm,
            Self::Polynomial {
                gamma,
                coef0,
                degree,
            } => {
                let largest = gamma.abs() * sq_norm + coef0.abs();
                f64::from(degree) * largest.powi(degree as i32)
            }
            Self::Sigmoid { .. } | Self::Gaussian { .. } | Self::Radial(_) => {
                1.0 + self.scale() * sq_norm
            }
        }
    }
}

/// How exact kernel values must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Precision {
    /// As a solver needs them: single precision where the data allow it.
    Working,
    /// Double precision throughout.
    Double,
}

/// How rows will be stored and combined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) single: bool,
    sparse: bool,
    difference: bool,
}

/// Statistics of the rows that decide the layout.
pub(super) struct Survey {
    n_features: usize,
    means: Vec<f64>,
    stored: usize,
    n_rows: usize,
    max_sq_norm: f64,
    max_centred_sq_norm: f64,
}

impl Survey {
    /// Typical error of a kernel value for rows stored like this; 0 in double precision.
    pub(super) fn rounding(&self, formula: Formula, layout: Layout) -> f64 {
        match (layout.single, layout.sparse || !formula.ignores_shift()) {
            (false, _) => 0.0,
            (true, true) => formula.single_error(self.max_sq_norm),
            (true, false) => formula.single_error(self.max_centred_sq_norm),
        }
    }

    pub(super) fn new(view: SamplesView<'_>, rows: &[u32]) -> Self {
        let n_features = view.n_features();
        // Rows in so many features are sparse, and not to be centred.
        let mut means = vec![
            0.0;
            if n_features <= MAX_CENTRED {
                n_features
            } else {
                0
            }
        ];
        let mut stored = 0;
        let mut max_sq_norm = 0.0f64;
        for &i in rows {
            let mut sq_norm = 0.0;
            view.row(i as usize).for_each(|f, value| {
                if let Some(mean) = means.get_mut(f) {
                    *mean += value;
                }
                stored += usize::from(value != 0.0);
                sq_norm += value * value;
            });
            max_sq_norm = max_sq_norm.max(sq_norm);
        }
        for mean in &mut means {
            *mean /= rows.len().max(1) as f64;
            if !mean.is_finite() {
                // The sum of a column of enormous values overflowed: leave it where it is.
                *mean = 0.0;
            }
        }
        let mean_sq_norm: f64 = means.iter().map(|mean| mean * mean).sum();
        let mut max_centred_sq_norm = 0.0f64;
        for &i in rows {
            // Σ(x−c)² over stored entries, plus Σc² over the others.
            let (mut stored, mut others) = (0.0, mean_sq_norm);
            view.row(i as usize).for_each(|f, value| {
                let mean = means.get(f).copied().unwrap_or(0.0);
                stored += (value - mean) * (value - mean);
                others -= mean * mean;
            });
            let sq_norm = stored + others.max(0.0);
            // Beyond the largest number: no limit will hold.
            let sq_norm = if sq_norm.is_nan() {
                f64::INFINITY
            } else {
                sq_norm
            };
            max_centred_sq_norm = max_centred_sq_norm.max(sq_norm);
        }
        Self {
            n_features,
            means,
            stored,
            n_rows: rows.len(),
            max_sq_norm,
            max_centred_sq_norm,
        }
    }

    /// The cheapest layout that is precise enough, with the offset to subtract from every row.
    pub(super) fn choose(&self, formula: Formula, precision: Precision) -> (Layout, Vec<f64>) {
        let scale = formula.scale();
        let plain = scale * self.max_sq_norm;
        let may_centre = formula.ignores_shift() && !self.means.is_empty();
        let centred_sq_norm = if may_centre {
            self.max_centred_sq_norm
        } else {
            self.max_sq_norm
        };
        let centred = scale * centred_sq_norm;
        let per_row = self.stored as f64 / self.n_rows.max(1) as f64;
        let d = self.n_features as f64;
        // Rows that are sparse in a wide space must not be spread out.
        let may_spread = 16.0 * per_row >= d || d * self.n_rows as f64 <= MAX_SPREAD;
        // Cycles for one inner product, measured on AVX2: panels reach two vector multiply-adds a
        // cycle, sparse rows need two loads for each entry but serve sixteen queries.
        let single = |sq_norm: f64| {
            precision == Precision::Working
                && scale * sq_norm <= SINGLE_LIMIT
                && fits_single(sq_norm)
        };
        let candidates = [
            (true, true, 0.14 * per_row + 1.0, single(self.max_sq_norm)),
            (true, false, d / 14.0, may_spread && single(centred_sq_norm)),
            (false, true, 0.28 * per_row + 2.0, plain <= DOUBLE_LIMIT),
            (false, false, d / 7.0, may_spread && centred <= DOUBLE_LIMIT),
        ];
        let best = candidates
            .iter()
            .filter(|candidate| candidate.3)
            .min_by(|a, b| a.2.total_cmp(&b.2));
        let (layout, centring) = match best {
            Some(&(single, sparse, _, _)) => (
                Layout {
                    single,
                    sparse,
                    difference: false,
                },
                may_centre && !sparse,
            ),
            // Inner products have no difference form: double precision is the best there is.
            None if !formula.ignores_shift() || !may_spread => {
                let sparse = 4.0 * per_row < d;
                let layout = Layout {
                    single: false,
                    sparse,
                    difference: false,
                };
                (layout, may_centre && !sparse)
            }
            None => (
                Layout {
                    single: false,
                    sparse: false,
                    difference: true,
                },
                may_centre,
            ),
        };
        (
            layout,
            if centring {
                self.means.clone()
            } else {
                Vec::new()
            },
        )
    }
}

/// Whether rows up to a squared norm can be multiplied in single precision.
pub(super) fn fits_single(sq_norm: f64) -> bool {
    sq_norm == 0.0 || SINGLE_RANGE.contains(&sq_norm)
}

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
    /// $-\gamma\|x\|^2$ of every row for Gaussians, $\|x\|^2$ otherwise; padded by one panel.
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
        let mut sum = 0.0;
        if self.offset.is_empty() {
            row.for_each(|f, value| {
                if f < self.n_features {
                    let value = T::from_f64(value).to_f64();
                    sum += value * value;
                }
            });
        } else {
            self.shifted(row, buffer);
            for &value in buffer.iter() {
                let value = T::from_f64(value).to_f64();
                sum += value * value;
            }
        }
        match self.formula {
            Formula::Gaussian { gamma } => T::from_f64(-gamma * sum),
            _ => T::from_f64(sum),
        }
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
