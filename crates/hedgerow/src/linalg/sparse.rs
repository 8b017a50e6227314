//! Sparse rows against a handful of sparse or dense query rows.
//!
//! The queries are spread into a dense buffer, interleaved: the values that sixteen queries have at
//! one feature stand side by side. Each stored entry of a packed row then costs two vector
//! multiply-adds that serve sixteen inner products, and nothing depends on how the patterns of
//! the two rows meet. Sums of other terms than products are told what a stored entry adds to the
//! sum of the query and a row of zeros. Packed rows stand in groups of four, entry by entry, so that four
//! independent sums are under way; shorter rows of a group are filled up with zeros.

use super::panel::{PANEL, STRIP, TileMap, finish_strip, store_panel};
use super::{Real, Term};

/// Query rows of one pass.
pub(crate) const SPARSE_QUERIES: usize = 16;
/// Packed rows of a group.
const GROUP: usize = 4;

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

/// Sums over the stored features of one group with the queries in the first `N` lanes.
#[inline(always)]
fn group_sums<const FMA: bool, T: Real, K: Term<T>, const N: usize>(
    steps: &[Step<T>],
    lanes: &[[T; SPARSE_QUERIES]],
) -> [[T; N]; GROUP] {
    // Four arrays by name: the compiler keeps them in registers, an array of arrays it does not.
    let (mut a, mut b) = ([T::ZERO; N], [T::ZERO; N]);
    let (mut c, mut d) = ([T::ZERO; N], [T::ZERO; N]);
    for step in steps {
        let [fa, fb, fc, fd] = step.features;
        let [va, vb, vc, vd] = step.values;
        add_lanes::<FMA, T, K, N>(&mut a, va, &lanes[fa as usize]);
        add_lanes::<FMA, T, K, N>(&mut b, vb, &lanes[fb as usize]);
        add_lanes::<FMA, T, K, N>(&mut c, vc, &lanes[fc as usize]);
        add_lanes::<FMA, T, K, N>(&mut d, vd, &lanes[fd as usize]);
    }
    [a, b, c, d]
}

#[inline(always)]
fn add_lanes<const FMA: bool, T: Real, K: Term<T>, const N: usize>(
    sums: &mut [T; N],
    value: T,
    query: &[T; SPARSE_QUERIES],
) {
    for lane in 0..N {
        sums[lane] = K::add_stored::<FMA>(query[lane], value, sums[lane]);
    }
}

#[inline(always)]
fn run_panels<const FMA: bool, T: Real, M: TileMap<T>, const N: usize>(
    rows: &SparseRows<T>,
    queries: &SparseQueries<T>,
    columns: (usize, usize),
    first_query: usize,
    map: M,
    out: &mut [&mut [T]],
) {
    let lanes: &[[T; SPARSE_QUERIES]] = &queries.lanes;
    for p in columns.0 / PANEL..columns.1.div_ceil(PANEL) {
        let mut sums = [[[T::ZERO; N]; GROUP]; PANEL / GROUP];
        for (g, sum) in sums.iter_mut().enumerate() {
            let group = rows.group(p * (PANEL / GROUP) + g);
            *sum = group_sums::<FMA, T, M::Term, N>(group, lanes);
        }
        // Without this barrier the compiler merges the turning below into the sums above and
        // vectorises them along the wrong axis.
        let sums = std::hint::black_box(&sums);
        let mut turned = [[T::ZERO; PANEL]; N];
        for (g, sum) in sums.iter().enumerate() {
            for q in 0..N {
                for member in 0..GROUP {
                    turned[q][g * GROUP + member] = sum[member][q];
                }
            }
        }
        let first_row = p * PANEL;
        for (q, row) in out.iter_mut().enumerate() {
            let mapped = map.map::<FMA>(first_query + q, first_row, turned[q]);
            store_panel(mapped, first_row, columns, row);
        }
    }
}

#[inline(always)]
fn tiles_body<const FMA: bool, T: Real, M: TileMap<T>>(
    rows: &SparseRows<T>,
    queries: &SparseQueries<T>,
    columns: (usize, usize),
    first_query: usize,
    map: M,
    out: &mut [&mut [T]],
) {
    const HALF: usize = SPARSE_QUERIES / 2;
    if columns.0 >= columns.1 {
        return;
    }
    if out.len() <= HALF {
        run_panels::<FMA, T, M, HALF>(rows, queries, columns, first_query, map, out);
    } else {
        run_panels::<FMA, T, M, SPARSE_QUERIES>(rows, queries, columns, first_query, map, out);
    }
}

multiversion! {
    /// As [`sparse_block`], with values as they are computed.
    fn sparse_tiles[T: Real, M: TileMap<T>](
        rows: &SparseRows<T>,
        queries: &SparseQueries<T>,
        columns: (usize, usize),
        first_query: usize,
        map: M,
        out: &mut [&mut [T]],
    ) = tiles_body;
}

/// Writes, for the queries loaded in lanes `0..out.len()` and every packed row in
/// `columns.0..columns.1`, the mapped sum over the stored features to `out[lane][row - columns.0]`.
/// Lane `l` is query `first_query + l` to the map. As for panels, tiles apply a few maps themselves.
pub(crate) fn sparse_block<T: Real, O: Real, M: TileMap<T>>(
    rows: &SparseRows<T>,
    queries: &SparseQueries<T>,
    columns: (usize, usize),
    first_query: usize,
    map: M,
    out: &mut [&mut [O]],
) {
    if const { M::IN_TILES && size_of::<T>() == size_of::<O>() } {
        if let Some(out) = T::same(out) {
            sparse_tiles(rows, queries, columns, first_query, map, out);
        }
        return;
    }
    let mut strip = [T::ZERO; SPARSE_QUERIES * STRIP * PANEL];
    let first_panel = columns.0 / PANEL;
    for first_row in (first_panel * PANEL..columns.1).step_by(STRIP * PANEL) {
        let last_row = columns.1.min(first_row + STRIP * PANEL);
        let mut lanes = strip.chunks_exact_mut(STRIP * PANEL);
        let mut lanes: [&mut [T]; SPARSE_QUERIES] =
            std::array::from_fn(|_| lanes.next().unwrap_or_default());
        let lanes = &mut lanes[..out.len()];
        let span = (first_row, last_row);
        sparse_tiles(rows, queries, span, 0, M::Term::default(), lanes);
        finish_strip(&strip, (first_query, first_row), columns, map, out);
    }
}
