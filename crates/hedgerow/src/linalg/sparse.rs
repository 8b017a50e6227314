//! Sparse rows against a handful of sparse or dense query rows.
//!
//! The queries are spread into a dense buffer, interleaved: the values that sixteen queries have at
//! one feature stand side by side. Each stored entry of a packed row then costs two vector
//! multiply-adds that serve sixteen inner products, and nothing depends on how the patterns of
//! the two rows meet. Packed rows stand in groups of four, entry by entry, so that four
//! independent sums are under way; shorter rows of a group are filled up with zeros.

use super::Real;
use super::panel::{PANEL, Place, TileMap, finish_strip};

/// Query rows of one pass.
pub(crate) const SPARSE_QUERIES: usize = 16;
/// Packed rows of a group.
const GROUP: usize = 4;
/// Panels whose products are computed before they are mapped.
const STRIP_PANELS: usize = 4;

/// One entry of each row of a group.
#[derive(Debug, Clone, Copy)]
struct Step<T> {
    features: [u32; GROUP],
    values: [T; GROUP],
}

/// Sparse rows in groups.
#[derive(Debug, Clone)]
pub(crate) struct SparseRows<T> {
    group_starts: Vec<usize>,
    steps: Vec<Step<T>>,
}

impl<T: Real> SparseRows<T> {
    /// Packs rows; `entries_of(i, list)` appends the entries of row `i` to an empty list.
    pub(crate) fn pack(n_rows: usize, entries_of: impl Fn(usize, &mut Vec<(u32, T)>)) -> Self {
        let empty = Step {
            features: [0; GROUP],
            values: [T::ZERO; GROUP],
        };
        // Whole panels, so that a tile never has to ask whether a group exists.
        let n_groups = n_rows.div_ceil(PANEL) * (PANEL / GROUP);
        let mut out = Self {
            group_starts: Vec::with_capacity(n_groups + 1),
            steps: Vec::new(),
        };
        out.group_starts.push(0);
        let mut entries = Vec::new();
        for group in 0..n_groups {
            let start = out.steps.len();
            for member in 0..GROUP {
                let i = group * GROUP + member;
                if i >= n_rows {
                    break;
                }
                entries.clear();
                entries_of(i, &mut entries);
                let longest = out.steps.len().max(start + entries.len());
                out.steps.resize(longest, empty);
                for (step, &(feature, value)) in out.steps[start..].iter_mut().zip(&entries) {
                    step.features[member] = feature;
                    step.values[member] = value;
                }
            }
            out.group_starts.push(out.steps.len());
        }
        out
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        self.group_starts.len() * size_of::<usize>() + self.steps.len() * size_of::<Step<T>>()
    }

    fn group(&self, g: usize) -> &[Step<T>] {
        &self.steps[self.group_starts[g]..self.group_starts[g + 1]]
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
        Self {
            lanes: vec![[T::ZERO; SPARSE_QUERIES]; n_features],
        }
    }

    /// Puts one entry into a lane. Features beyond the width are dropped.
    #[inline]
    pub(crate) fn set(&mut self, lane: usize, f: usize, value: T) {
        if let Some(slot) = self.lanes.get_mut(f) {
            slot[lane] = value;
        }
    }
}

/// Inner products of one group with the queries in the first `N` lanes.
#[inline(always)]
fn group_sums<const FMA: bool, T: Real, const N: usize>(
    steps: &[Step<T>],
    lanes: &[[T; SPARSE_QUERIES]],
) -> [[T; N]; GROUP] {
    // Four arrays by name: the compiler keeps them in registers, an array of arrays it does not.
    let (mut a, mut b) = ([T::ZERO; N], [T::ZERO; N]);
    let (mut c, mut d) = ([T::ZERO; N], [T::ZERO; N]);
    for step in steps {
        let [fa, fb, fc, fd] = step.features;
        let [va, vb, vc, vd] = step.values;
        add_lanes::<FMA, T, N>(&mut a, va, &lanes[fa as usize]);
        add_lanes::<FMA, T, N>(&mut b, vb, &lanes[fb as usize]);
        add_lanes::<FMA, T, N>(&mut c, vc, &lanes[fc as usize]);
        add_lanes::<FMA, T, N>(&mut d, vd, &lanes[fd as usize]);
    }
    [a, b, c, d]
}

#[inline(always)]
fn add_lanes<const FMA: bool, T: Real, const N: usize>(
    sums: &mut [T; N],
    value: T,
    query: &[T; SPARSE_QUERIES],
) {
    for lane in 0..N {
        sums[lane] = value.fma::<FMA>(query[lane], sums[lane]);
    }
}

#[inline(always)]
fn run_panels<const FMA: bool, T: Real, const N: usize>(
    rows: &SparseRows<T>,
    queries: &SparseQueries<T>,
    first_panel: usize,
    n_panels: usize,
    products: &mut [[T; PANEL]],
) {
    let lanes: &[[T; SPARSE_QUERIES]] = &queries.lanes;
    for p in 0..n_panels {
        let mut sums = [[[T::ZERO; N]; GROUP]; PANEL / GROUP];
        for (g, sum) in sums.iter_mut().enumerate() {
            let group = (first_panel + p) * (PANEL / GROUP) + g;
            *sum = group_sums::<FMA, T, N>(rows.group(group), lanes);
        }
        // Without this barrier the compiler merges the turning below into the sums above and
        // vectorises them along the wrong axis.
        let sums = std::hint::black_box(&sums);
        for q in 0..N {
            let turned = &mut products[q * n_panels + p];
            for (g, sum) in sums.iter().enumerate() {
                for member in 0..GROUP {
                    turned[g * GROUP + member] = sum[member][q];
                }
            }
        }
    }
}

#[inline(always)]
fn strip_body<const FMA: bool, T: Real>(
    rows: &SparseRows<T>,
    queries: &SparseQueries<T>,
    n_queries: usize,
    first_panel: usize,
    n_panels: usize,
    products: &mut [[T; PANEL]],
) {
    const HALF: usize = SPARSE_QUERIES / 2;
    if n_queries <= HALF {
        run_panels::<FMA, T, HALF>(rows, queries, first_panel, n_panels, products);
    } else {
        run_panels::<FMA, T, SPARSE_QUERIES>(rows, queries, first_panel, n_panels, products);
    }
}

multiversion! {
    /// Products of the queries with some panels, those of one query after the other.
    fn fill_strip[T: Real](
        rows: &SparseRows<T>,
        queries: &SparseQueries<T>,
        n_queries: usize,
        first_panel: usize,
        n_panels: usize,
        products: &mut [[T; PANEL]],
    ) = strip_body;
}

/// Writes, for the queries loaded in lanes `0..out.len()` and every packed row in
/// `columns.0..columns.1`, the mapped inner product to `out[lane][row - columns.0]`.
/// Lane `l` is query `first_query + l` to the map.
pub(crate) fn sparse_block<T: Real, O: Real, M: TileMap<T>>(
    rows: &SparseRows<T>,
    queries: &SparseQueries<T>,
    columns: (usize, usize),
    first_query: usize,
    map: M,
    out: &mut [&mut [O]],
) {
    if columns.0 >= columns.1 {
        return;
    }
    let mut products = [[T::ZERO; PANEL]; STRIP_PANELS * SPARSE_QUERIES];
    let end = columns.1.div_ceil(PANEL);
    for first_panel in (columns.0 / PANEL..end).step_by(STRIP_PANELS) {
        let n_panels = STRIP_PANELS.min(end - first_panel);
        fill_strip(
            rows,
            queries,
            out.len(),
            first_panel,
            n_panels,
            &mut products,
        );
        let place = Place {
            first_query,
            first_panel,
            n_panels,
            columns,
        };
        finish_strip(&products, place, map, out);
    }
}
