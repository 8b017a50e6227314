//! Looking at every row, in blocks of inner products.
//!
//! # Precision
//!
//! $d^2 = s(x) + s(q) - 2p(x,q)$ with self-values $s$ and a product $p$: for the Euclidean distance
//! $s = \|\cdot\|^2$ and the inner product, for a polynomial kernel $K(x,x)$ and $K(x,q)$. Computed
//! in single precision from $w$ terms, the error is at most $\Gamma(s(x) + s(q))$, because
//! $|p| \le \sqrt{s(x)s(q)}$:
//!
//! * Euclidean: $\Gamma = u(w + 24)$,
//! * polynomial of degree $m$ with $\gamma > 0$, $r \ge 0$: $\Gamma = 1.1\,u(m(w + 12) + 24)$.
//!
//! So $(1-\Gamma)(s(x) + s(q)) - 2p$ is a lower limit of $d^2$ that costs nothing more than $d^2$.
//! Metrics for which no such bound is known are evaluated pair by pair in double precision.

use super::candidates::Candidates;
use super::packing_frame::{PackingFrame, ROUNDOFF, sq_norm};
use super::{DistanceMetric, GONE};
use crate::Result;
use crate::data::{Row, SamplesView};
use crate::kernel::{Formula, Kernel, Packed, PolynomialMap};
use crate::linalg::{
    DotMap, Hit, PANEL, Panels, city_block_dist, combined_within, least_combined, panel_block,
};

/// Packed rows of one block.
const COLUMNS: usize = 512;
/// Queries of one pass over the rows.
pub(super) const TOGETHER: usize = 48;
/// Largest self-value and squared norm in single precision: a product may be as large, a sum twice
/// that.
const LARGEST: f64 = 1e37;
/// Factors of inner products that single precision can hold.
const FACTORS: std::ops::RangeInclusive<f64> = 1e-37..=1e37;
/// How much larger than that of any row $\gamma\|q\|^2 + r$ of a query may be.
const OUTSIZE: f64 = 16.0;
/// Largest share of the self-values that the margin may be.
const WIDEST: f64 = 0.02;

/// Rows packed for looking at all of them.
pub(super) struct Brute {
    /// `None`: pair by pair.
    packed: Option<Products>,
    /// Rows that are packed; those behind them came later.
    count: usize,
}

struct Products {
    store: ProductRows,
    product: Product,
    /// $(1-\Gamma)s(x)$.
    terms: Vec<f32>,
    margin: f64,
    /// What products may lose because small numbers vanish.
    vanished: f64,
    /// Largest self-value of a query for which that holds.
    most: f64,
    /// Packed units a unit of distance.
    scale: f64,
}

enum ProductRows {
    Dense {
        frame: Option<PackingFrame>,
        panels: Panels<f32>,
        width: usize,
    },
    Sparse(Packed<f32>),
}

/// Packed rows, and what is known of them.
struct Packing {
    store: ProductRows,
    /// Most terms of an inner product.
    terms: usize,
    /// Packed units a unit of distance.
    scale: f64,
    /// Of each row as packed.
    sq_norms: Vec<f64>,
}

impl Packing {
    fn sparse(product: Product, samples: SamplesView<'_>, rows: &[u32]) -> Self {
        let formula = match product {
            Product::Dot => Formula::Dot,
            Product::Polynomial {
                gamma,
                coef0,
                degree,
            } => Formula::Polynomial {
                gamma,
                coef0,
                degree,
            },
        };
        let mut longest = 0;
        let mut sq_norms = vec![0.0; rows.len()];
        for (&row, norm) in rows.iter().zip(&mut sq_norms) {
            let values = samples.row(row as usize).values();
            longest = longest.max(values.len());
            *norm = sq_norm(values);
        }
        Self {
            store: ProductRows::Sparse(Packed::sparse(formula, samples, rows)),
            terms: longest,
            scale: 1.0,
            sq_norms,
        }
    }

    /// `None` if the rows fit no frame.
    fn dense(
        product: Product,
        metric: &DistanceMetric,
        samples: SamplesView<'_>,
        rows: &[u32],
    ) -> Option<Self> {
        let n_features = samples.n_features();
        let frame = match product {
            Product::Dot => Some(PackingFrame::fit(
                metric.embedding(n_features)?,
                samples,
                rows,
                false,
            )?),
            Product::Polynomial { .. } => None,
        };
        let width = metric
            .embedding(n_features)
            .map_or(n_features, super::metric::Embedding::width);
        let norms: Vec<std::sync::OnceLock<f64>> = vec![std::sync::OnceLock::new(); rows.len()];
        let panels = Panels::pack_in_parallel(rows.len(), width, |i, out| {
            let row = samples.row(rows[i] as usize);
            write_packed(frame.as_ref(), metric, row, out);
            let _ = norms[i].set(sq_norm(out));
        });
        let norms = norms.into_iter();
        Some(Self {
            terms: width,
            scale: frame.as_ref().map_or(1.0, PackingFrame::scale),
            sq_norms: norms.map(|norm| norm.into_inner().unwrap_or(0.0)).collect(),
            store: ProductRows::Dense {
                frame,
                panels,
                width,
            },
        })
    }
}

#[derive(Debug, Clone, Copy)]
enum Product {
    Dot,
    Polynomial { gamma: f64, coef0: f64, degree: u32 },
}

impl Product {
    fn of(metric: &DistanceMetric) -> Option<Self> {
        match *metric {
            DistanceMetric::Euclidean
            | DistanceMetric::Kernel(Kernel::Linear | Kernel::Weighted { .. }) => {
                metric.embedding(0).map(|_| Self::Dot)
            }
            DistanceMetric::Kernel(Kernel::Polynomial {
                gamma,
                coef0,
                degree,
            }) if FACTORS.contains(&gamma) && coef0 >= 0.0 && (1..=64).contains(&degree) => {
                Some(Self::Polynomial {
                    gamma,
                    coef0,
                    degree,
                })
            }
            DistanceMetric::Kernel(_) | DistanceMetric::CityBlock { .. } => None,
        }
    }

    fn self_value(self, sq_norm: f64) -> f64 {
        match self {
            Self::Dot => sq_norm,
            Self::Polynomial {
                gamma,
                coef0,
                degree,
            } => power(gamma * sq_norm + coef0, degree),
        }
    }

    /// What a product of rows up to a squared norm may lose because numbers below the smallest of
    /// single precision vanish, and the largest self-value of a query for which that holds.
    fn vanished(self, terms: usize, sq_norm: f64) -> (f64, f64) {
        let of_dot = 1e-36 * (terms as f64 + 4.0);
        match self {
            Self::Dot => (of_dot, LARGEST),
            Self::Polynomial {
                gamma,
                coef0,
                degree,
            } => {
                // The loss of the base times the slope of the power there.
                let base = OUTSIZE * (gamma * sq_norm + coef0);
                let of_base = gamma * of_dot + f64::from(f32::MIN_POSITIVE);
                let slope = f64::from(degree) * power(base, degree - 1);
                (of_dot + of_base * slope, LARGEST.min(power(base, degree)))
            }
        }
    }

    fn margin(self, terms: usize) -> f64 {
        let terms = terms as f64;
        match self {
            Self::Dot => ROUNDOFF * (terms + 24.0),
            Self::Polynomial { degree, .. } => {
                1.1 * ROUNDOFF * (f64::from(degree) * (terms + 12.0) + 24.0)
            }
        }
    }
}

/// Not inlined, or the compiler takes the inner product itself for a first power and calls for that.
#[inline(never)]
fn power(value: f64, degree: u32) -> f64 {
    value.powi(degree as i32)
}

/// Whether distances come from blocks of products, and not pair by pair.
pub(super) fn is_multiplied(metric: &DistanceMetric) -> bool {
    Product::of(metric).is_some()
}

/// Buffers of one search.
#[derive(Debug, Clone, Default)]
pub(super) struct BruteScratch {
    queries: Vec<f32>,
    own: Vec<f32>,
    ready: Vec<bool>,
    block: Vec<f32>,
    hits: Vec<Hit>,
}

impl Brute {
    /// Packs rows; another one stands in for any that is [`GONE`].
    pub(super) fn pack(metric: &DistanceMetric, samples: SamplesView<'_>, rows: &[u32]) -> Self {
        let some = rows.iter().copied().find(|&row| row != GONE);
        let packed = some.and_then(|some| {
            if !rows.contains(&GONE) {
                return Products::pack(metric, samples, rows);
            }
            let present = |&row: &u32| if row == GONE { some } else { row };
            let rows: Vec<u32> = rows.iter().map(present).collect();
            Products::pack(metric, samples, &rows)
        });
        Self {
            packed,
            count: rows.len(),
        }
    }

    /// Whether so many rows came later that packing them is worth it.
    pub(super) fn is_worn(&self, rows: &[u32]) -> bool {
        self.packed.is_some() && rows.len() - self.count.min(rows.len()) > 64 + self.count / 32
    }

    /// Adds the rows that may be among the nearest, for up to [`TOGETHER`] queries.
    pub(super) fn search(
        &self,
        metric: &DistanceMetric,
        samples: SamplesView<'_>,
        rows: &[u32],
        queries: &[Row<'_>],
        n_features: usize,
        scratch: &mut BruteScratch,
        found: &mut [Candidates],
    ) -> Result<()> {
        scratch.ready.clear();
        scratch.ready.resize(queries.len(), false);
        if let Some(packed) = &self.packed {
            packed.search(metric, &rows[..self.count], queries, scratch, found);
        }
        for ((query, found), &ready) in queries.iter().zip(found).zip(&scratch.ready) {
            let rows = if ready { &rows[self.count..] } else { rows };
            pair_by_pair(metric, samples, rows, *query, n_features, found)?;
        }
        Ok(())
    }
}

/// Adds rows by their true distances.
pub(super) fn pair_by_pair(
    metric: &DistanceMetric,
    samples: SamplesView<'_>,
    rows: &[u32],
    query: Row<'_>,
    n_features: usize,
    found: &mut Candidates,
) -> Result<()> {
    let rows = rows.iter().filter(|&&row| row != GONE);
    if let (DistanceMetric::CityBlock { weights: None }, Row::Dense(query)) = (metric, query)
        && let SamplesView::Dense { .. } = samples
        && query.len() == samples.n_features()
    {
        // Several sums side by side are not rounded as one is.
        let share = 4.0 * (query.len() as f64 + 16.0) * f64::EPSILON;
        for &row in rows {
            let distance = city_block_dist(samples.row(row as usize).values(), query);
            found.push(row, distance * (1.0 - share), distance * (1.0 + share));
        }
        return Ok(());
    }
    for &row in rows {
        let distance = metric.distance(samples.row(row as usize), query, n_features)?;
        found.push(row, distance, distance);
    }
    Ok(())
}

/// Rows of a block that are compared with the reach together.
const SHORTEST_PART: usize = 16;
const LONGEST_PART: usize = 256;

impl Products {
    fn pack(metric: &DistanceMetric, samples: SamplesView<'_>, rows: &[u32]) -> Option<Self> {
        let product = Product::of(metric)?;
        let weighted = matches!(metric, DistanceMetric::Kernel(Kernel::Weighted { .. }));
        let packing = if !weighted && stays_sparse(samples, rows.len()) {
            Packing::sparse(product, samples, rows)
        } else {
            Packing::dense(product, metric, samples, rows)?
        };
        let Packing {
            store,
            terms,
            scale,
            sq_norms,
        } = packing;
        let margin = product.margin(terms);
        let mut longest = 0.0f64;
        let mut kept = Vec::with_capacity(rows.len() + PANEL);
        for norm in sq_norms {
            let value = product.self_value(norm);
            if value.is_nan() || value.max(norm) > LARGEST {
                return None;
            }
            longest = longest.max(norm);
            kept.push(((1.0 - margin) * value) as f32);
        }
        let (vanished, most) = product.vanished(terms, longest);
        let largest = product.self_value(longest);
        let is_lost = vanished.is_nan() || largest > 0.0 && largest < 1e6 * vanished;
        if margin > WIDEST || is_lost {
            return None;
        }
        Some(Self {
            store,
            product,
            terms: kept,
            margin,
            vanished,
            most,
            scale,
        })
    }

    fn search(
        &self,
        metric: &DistanceMetric,
        rows: &[u32],
        queries: &[Row<'_>],
        scratch: &mut BruteScratch,
        found: &mut [Candidates],
    ) {
        let n = queries.len();
        scratch.own.clear();
        scratch.block.resize(n * COLUMNS, 0.0);
        let prepared = match &self.store {
            ProductRows::Dense { frame, width, .. } => {
                scratch.queries.clear();
                scratch.queries.resize(n * width, 0.0);
                // Nothing to be written where there are no features.
                let mut packed = scratch.queries.chunks_exact_mut((*width).max(1));
                for (query, ready) in queries.iter().zip(&mut scratch.ready) {
                    let out = packed.next().unwrap_or_default();
                    *ready = write_packed(frame.as_ref(), metric, *query, out);
                    scratch.own.push(self.own_term(sq_norm(out), ready));
                }
                None
            }
            ProductRows::Sparse(packed) => {
                for (query, ready) in queries.iter().zip(&mut scratch.ready) {
                    *ready = true;
                    let own = self.own_term(sq_norm(query.values()), ready);
                    scratch.own.push(own);
                }
                Some(packed.queries_of(queries.iter().copied()))
            }
        };
        // A packed row that is gone would promise a neighbour that there is not.
        let trusted = !rows[..rows.len().min(COLUMNS)].contains(&GONE);
        for from in (0..self.terms.len()).step_by(COLUMNS) {
            let to = self.terms.len().min(from + COLUMNS);
            let mut out: [&mut [f32]; TOGETHER] = std::array::from_fn(|_| Default::default());
            for (slot, row) in out.iter_mut().zip(scratch.block.chunks_exact_mut(COLUMNS)) {
                *slot = &mut row[..to - from];
            }
            match (&self.store, &prepared) {
                (ProductRows::Sparse(packed), Some(prepared)) => {
                    packed.block(prepared, (from, to), &mut out[..n]);
                }
                (ProductRows::Dense { panels, .. }, _) => {
                    self.dense_block(panels, &scratch.queries, (from, to), &mut out[..n]);
                }
                (ProductRows::Sparse(_), None) => {}
            }
            for (q, found) in found
                .iter_mut()
                .enumerate()
                .filter(|&(q, _)| scratch.ready[q])
            {
                let values = &scratch.block[q * COLUMNS..q * COLUMNS + to - from];
                let own = scratch.own[q];
                if from == 0 && trusted {
                    self.foresee(values, own, found);
                }
                self.collect(values, own, (from, to), rows, &mut scratch.hits, found);
            }
        }
    }

    /// $(1-\Gamma)s(q)$; not ready if that is out of range.
    fn own_term(&self, sq_norm: f64, ready: &mut bool) -> f32 {
        let value = self.product.self_value(sq_norm);
        *ready &= value <= self.most && sq_norm <= LARGEST;
        if *ready {
            ((1.0 - self.margin) * value) as f32
        } else {
            0.0
        }
    }

    fn dense_block(
        &self,
        panels: &Panels<f32>,
        queries: &[f32],
        columns: (usize, usize),
        out: &mut [&mut [f32]],
    ) {
        match self.product {
            Product::Dot => panel_block(panels, queries, columns, DotMap, out),
            Product::Polynomial {
                gamma,
                coef0,
                degree,
            } => {
                let map = PolynomialMap {
                    gamma: gamma as f32,
                    coef0: coef0 as f32,
                    degree,
                };
                panel_block(panels, queries, columns, map, out);
            }
        }
    }

    /// Learns the reach from the first block, so that hardly a row of it is added in vain. One lane
    /// knows one row, so this serves few neighbours only.
    fn foresee(&self, products: &[f32], own: f32, found: &mut Candidates) {
        let needed = found.needed();
        if !(1..=PANEL).contains(&needed) {
            return;
        }
        // More than the 2.1 of single rows, for the rounding of two more operations.
        let slack = (2.3 * self.margin) as f32;
        let mut least = least_combined(products, &self.terms, own, slack);
        let squared = if needed == 1 {
            let smaller = |a: f32, b: f32| if b < a { b } else { a };
            least.into_iter().fold(f32::INFINITY, smaller)
        } else {
            *least.select_nth_unstable_by(needed - 1, f32::total_cmp).1
        };
        let squared = (f64::from(squared) + self.vanished).max(0.0);
        found.foresee(squared.sqrt() * (1.0 + 1e-12) / self.scale);
    }

    /// Adds the rows of one block that are within reach.
    fn collect(
        &self,
        products: &[f32],
        own: f32,
        (from, to): (usize, usize),
        rows: &[u32],
        hits: &mut Vec<Hit>,
        found: &mut Candidates,
    ) {
        // In parts, so that what the first ones teach about the reach helps the others. As long as
        // nothing is known, every row is a hit: those parts are short.
        let mut part = if found.reach() < f64::INFINITY {
            LONGEST_PART
        } else {
            SHORTEST_PART
        };
        let mut first = from;
        while first < to {
            let end = to.min(first + part);
            let products = &products[first - from..end - from];
            let terms = &self.terms[first..end];
            let start = std::mem::replace(&mut first, end);
            part = LONGEST_PART.min(2 * part);
            let reach = found.reach() * self.scale;
            let squared = reach * reach * (1.0 + 1e-6) + self.vanished;
            let limit = if squared < f64::from(f32::MAX) && reach >= 0.0 {
                squared as f32
            } else if reach >= 0.0 {
                f32::MAX
            } else {
                continue;
            };
            hits.clear();
            combined_within(products, terms, own, limit, hits);
            for hit in hits.iter() {
                let at = hit.at as usize;
                let lower = f64::from(hit.squared);
                let both = f64::from(own) + f64::from(terms[at]);
                let upper = lower + 2.1 * self.margin * both + self.vanished;
                let lower = (lower - self.vanished).max(0.0);
                let unit = 1.0 / self.scale;
                let row = rows[start + at];
                if row != GONE {
                    found.push(
                        row,
                        lower.sqrt() * (1.0 - 1e-12) * unit,
                        upper.max(0.0).sqrt() * (1.0 + 1e-12) * unit,
                    );
                }
            }
        }
    }
}

/// Writes a row as it is packed, to coordinates that are 0. Returns false if it has a feature
/// beyond them.
#[inline]
fn write_packed(
    frame: Option<&PackingFrame>,
    metric: &DistanceMetric,
    row: Row<'_>,
    out: &mut [f32],
) -> bool {
    if let (Some(frame), Some(embedding)) = (frame, metric.embedding(out.len())) {
        return frame.write_single(embedding, row, out);
    }
    let mut complete = true;
    row.for_each(|f, value| match out.get_mut(f) {
        Some(slot) => *slot = value as f32,
        None => complete &= value == 0.0,
    });
    complete
}

/// Whether rows are better left sparse: spread out they would cost more time, or too much memory.
pub(super) fn stays_sparse(samples: SamplesView<'_>, n_rows: usize) -> bool {
    let SamplesView::Sparse { n_features, .. } = samples else {
        return false;
    };
    let per_row = samples.n_entries() as f64 / samples.n_rows().max(1) as f64;
    let d = n_features as f64;
    d / 14.0 > 0.14 * per_row + 1.0 || (d > 16.0 * per_row && d * n_rows as f64 > 1e8)
}
