//! Dense rows packed for inner products of a few rows against many.
//!
//! Rows are grouped into panels of [`PANEL`]; within a panel the values stand feature by feature,
//! so that one vector load brings the same feature of neighbouring rows.

use super::{Real, Term};
use crate::parallel::{Grain, for_each_chunk};

/// Rows of a panel.
pub(crate) const PANEL: usize = 16;

/// Query rows of the widest `f32` tile: 6 × 16 accumulators leave four of AVX2's sixteen registers.
/// In `f64` the same registers hold 3 × 16. Where AVX-512 has twice as many registers, a tile has two
/// panels.
const QUERY_ROWS: usize = 6;
/// Features that are added between two looks at the bounds.
const STEP: usize = 4;
/// Panels and queries whose products are computed before they are mapped.
pub(super) const STRIP: usize = 4;
const STRIP_QUERIES: usize = 12;
/// Panels that one task packs.
const TASK_PANELS: usize = 16;

/// Dense rows in panels. The last panel is filled up, with zeros unless all rows began alike.
#[derive(Debug, Clone)]
pub(crate) struct Panels<T> {
    n_features: usize,
    values: Vec<T>,
}

impl<T: Real> Panels<T> {
    /// Packs `n_rows` rows; `fill(i, buffer)` writes row `i`.
    pub(crate) fn pack(
        n_rows: usize,
        n_features: usize,
        mut fill: impl FnMut(usize, &mut [T]),
    ) -> Self {
        let mut values = vec![T::ZERO; n_rows.div_ceil(PANEL) * PANEL * n_features];
        let mut row = vec![T::ZERO; n_features];
        for i in 0..n_rows {
            fill(i, &mut row);
            let start = (i / PANEL) * PANEL * n_features + i % PANEL;
            for (f, &value) in row.iter().enumerate() {
                values[start + f * PANEL] = value;
            }
        }
        Self { n_features, values }
    }

    /// Rows that are all alike, to be changed by [`Panels::panels_mut`].
    pub(crate) fn alike(n_rows: usize, row: &[T]) -> Self {
        let mut values = Vec::with_capacity(n_rows.div_ceil(PANEL) * PANEL * row.len());
        for _ in 0..n_rows.div_ceil(PANEL) {
            for &value in row {
                values.extend_from_slice(&[value; PANEL]);
            }
        }
        Self {
            n_features: row.len(),
            values,
        }
    }

    /// The panels, one after the other: feature `f` of the row in `lane` stands at
    /// `f * PANEL + lane`.
    pub(crate) fn panels_mut(&mut self) -> impl Iterator<Item = &mut [T]> {
        self.values
            .chunks_exact_mut((PANEL * self.n_features).max(1))
    }

    /// Drops the features that are zero in each of the first `n_rows` rows; those that stay, by
    /// their numbers before.
    pub(crate) fn drop_zeros(&mut self, n_rows: usize) -> Vec<u32> {
        let before = self.n_features;
        let mut is_used = vec![false; before];
        let panels = self.values.chunks_exact((PANEL * before).max(1));
        for (p, panel) in panels.enumerate() {
            let lanes = (n_rows - p * PANEL).min(PANEL);
            for (is_used, column) in is_used.iter_mut().zip(panel.as_chunks::<PANEL>().0) {
                // Counted rather than looked for: that needs no branches.
                let used = column[..lanes].iter().filter(|&&v| v != T::ZERO);
                *is_used |= used.count() > 0;
            }
        }
        let kept: Vec<u32> = (0..before as u32)
            .filter(|&f| is_used[f as usize])
            .collect();
        if kept.len() < before {
            let columns = self.values.as_chunks_mut::<PANEL>().0;
            let mut end = 0;
            for first in (0..columns.len()).step_by(before) {
                for &f in &kept {
                    columns[end] = columns[first + f as usize];
                    end += 1;
                }
            }
            self.values.truncate(end * PANEL);
            self.n_features = kept.len();
        }
        kept
    }

    /// Appends row `i` to a list.
    pub(crate) fn append_row(&self, i: usize, out: &mut Vec<T>) {
        let (columns, _) = self.panel(i / PANEL).as_chunks::<PANEL>();
        out.extend(columns.iter().map(|column| column[i % PANEL]));
    }

    /// Squared lengths of all rows, and of those that fill up the last panel, summed in double
    /// precision.
    pub(crate) fn sq_norms(&self) -> Vec<f64> {
        let mut norms = vec![0.0; self.values.len() / self.n_features.max(1)];
        let panels = self.values.chunks_exact((PANEL * self.n_features).max(1));
        for (norms, panel) in norms.as_chunks_mut::<PANEL>().0.iter_mut().zip(panels) {
            for column in panel.as_chunks::<PANEL>().0 {
                for lane in 0..PANEL {
                    let value = column[lane].to_f64();
                    norms[lane] += value * value;
                }
            }
        }
        norms
    }

    /// As [`Panels::pack`], in parallel; every call of `fill` gets a zeroed buffer.
    pub(crate) fn pack_in_parallel(
        n_rows: usize,
        n_features: usize,
        fill: impl Fn(usize, &mut [T]) + Sync,
    ) -> Self {
        let mut values = vec![T::ZERO; n_rows.div_ceil(PANEL) * PANEL * n_features];
        let size = (PANEL * n_features).max(1);
        for_each_chunk(
            &mut values,
            TASK_PANELS * size,
            Grain::COARSE,
            &|task, panels| {
                let mut rows = vec![T::ZERO; PANEL * n_features];
                for (p, panel) in panels.chunks_exact_mut(size).enumerate() {
                    rows.fill(T::ZERO);
                    let first = (task * TASK_PANELS + p) * PANEL;
                    for (lane, row) in rows.chunks_exact_mut(n_features).enumerate() {
                        if first + lane < n_rows {
                            fill(first + lane, row);
                        }
                    }
                    let (columns, _) = panel.as_chunks_mut::<PANEL>();
                    for (f, column) in columns.iter_mut().enumerate() {
                        for lane in 0..PANEL {
                            column[lane] = rows[lane * n_features + f];
                        }
                    }
                }
            },
        );
        Self { n_features, values }
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        self.values.len() * size_of::<T>()
    }

    /// The values of panel `p`.
    fn panel(&self, p: usize) -> &[T] {
        self.panels(p, 1)
    }

    /// The values of `count` panels from `p` on.
    fn panels(&self, p: usize, count: usize) -> &[T] {
        let size = PANEL * self.n_features;
        &self.values[p * size..(p + count) * size]
    }
}

/// What a tile does with its sums before they are stored.
pub(crate) trait TileMap<T: Real>: Copy {
    /// What tiles sum over the features.
    type Term: Term<T>;
    /// Whether tiles apply it themselves, which is faster and more code: for what is used most.
    const IN_TILES: bool = false;

    /// Maps the sums of query `q` against the 16 rows from `first_row` on.
    fn map<const FMA: bool>(self, q: usize, first_row: usize, values: [T; PANEL]) -> [T; PANEL];
}

/// Sums of `ROWS` queries with the rows of `PANELS` panels that follow each other.
#[inline(always)]
fn tile<const FMA: bool, T: Real, K: Term<T>, const ROWS: usize, const PANELS: usize>(
    queries: &[T],
    n_features: usize,
    panels: &[T],
) -> [[[T; PANEL]; ROWS]; PANELS] {
    let stride = n_features;
    let mut sums = [[[T::ZERO; PANEL]; ROWS]; PANELS];
    let (lanes, _) = panels.as_chunks::<PANEL>();
    let n_features = n_features.min(lanes.len() / PANELS);
    let rows: [&[T]; ROWS] = std::array::from_fn(|r| &queries[r * stride..][..n_features]);
    let lanes: [&[[T; PANEL]]; PANELS] =
        std::array::from_fn(|p| &lanes[p * n_features..][..n_features]);
    // In steps of a fixed length the compiler sees that no index is out of bounds.
    let steps: [&[[T; STEP]]; ROWS] = std::array::from_fn(|r| rows[r].as_chunks().0);
    let columns: [&[[[T; PANEL]; STEP]]; PANELS] = std::array::from_fn(|p| lanes[p].as_chunks().0);
    for at in 0..n_features / STEP {
        let values: [&[T; STEP]; ROWS] = std::array::from_fn(|r| &steps[r][at]);
        let columns: [&[[T; PANEL]; STEP]; PANELS] = std::array::from_fn(|p| &columns[p][at]);
        for step in 0..STEP {
            for r in 0..ROWS {
                for p in 0..PANELS {
                    let sums = &mut sums[p][r];
                    add::<FMA, T, K>(values[r][step], &columns[p][step], sums);
                }
            }
        }
    }
    for f in n_features / STEP * STEP..n_features {
        for r in 0..ROWS {
            for p in 0..PANELS {
                add::<FMA, T, K>(rows[r][f], &lanes[p][f], &mut sums[p][r]);
            }
        }
    }
    sums
}

/// Adds what one feature contributes.
#[inline(always)]
fn add<const FMA: bool, T: Real, K: Term<T>>(q: T, column: &[T; PANEL], sums: &mut [T; PANEL]) {
    for lane in 0..PANEL {
        sums[lane] = K::add::<FMA>(q, column[lane], sums[lane]);
    }
}

/// Computes and stores one tile, from query `q` and panel `p` on.
#[inline(always)]
fn run_tile<const FMA: bool, T: Real, M: TileMap<T>, const ROWS: usize, const PANELS: usize>(
    panels: &Panels<T>,
    queries: &[T],
    (q, p): (usize, usize),
    map: M,
    out: &mut [&mut [T]],
    columns: (usize, usize),
) {
    let d = panels.n_features;
    let block = &queries[q * d..(q + ROWS) * d];
    let packed = panels.panels(p, PANELS);
    let sums = tile::<FMA, T, M::Term, ROWS, PANELS>(block, d, packed);
    // By numbers: iterators over the sums would move them out of their registers.
    for p_of_tile in 0..PANELS {
        let first_row = (p + p_of_tile) * PANEL;
        for r in 0..ROWS {
            let mapped = map.map::<FMA>(q + r, first_row, sums[p_of_tile][r]);
            store_panel(mapped, first_row, columns, out[q + r]);
        }
    }
}

/// Stores the values of one panel that lie inside the asked-for columns.
#[inline(always)]
pub(super) fn store_panel<T: Real, O: Real>(
    values: [T; PANEL],
    first_row: usize,
    columns: (usize, usize),
    row: &mut [O],
) {
    let from = columns.0.max(first_row);
    let to = columns.1.min(first_row + PANEL);
    if to - from == PANEL {
        // Most panels lie wholly inside.
        let target = &mut row[first_row - columns.0..first_row - columns.0 + PANEL];
        for lane in 0..PANEL {
            target[lane] = O::from_f64(values[lane].to_f64());
        }
    } else {
        store_part(values, first_row, from..to, columns.0, row);
    }
}

/// As [`store_panel`] at an edge. Apart from it: choosing lanes by number would keep the values of
/// all panels in memory instead of registers.
#[cold]
#[inline(never)]
fn store_part<T: Real, O: Real>(
    values: [T; PANEL],
    first_row: usize,
    rows: std::ops::Range<usize>,
    first_column: usize,
    row: &mut [O],
) {
    for i in rows {
        row[i - first_column] = O::from_f64(values[i - first_row].to_f64());
    }
}

#[inline(always)]
fn tiles_body<const FMA: bool, const WIDE: bool, T: Real, M: TileMap<T>>(
    panels: &Panels<T>,
    queries: &[T],
    columns: (usize, usize),
    map: M,
    out: &mut [&mut [T]],
) {
    if columns.0 >= columns.1 {
        return;
    }
    let mut p = columns.0 / PANEL;
    let end = columns.1.div_ceil(PANEL);
    if WIDE {
        // Twice the accumulators: six alone would wait for their own additions.
        while p + 2 <= end {
            run_panels::<FMA, T, M, 2>(panels, queries, p, map, out, columns);
            p += 2;
        }
    }
    while p < end {
        run_panels::<FMA, T, M, 1>(panels, queries, p, map, out, columns);
        p += 1;
    }
}

/// All queries against `PANELS` panels.
#[inline(always)]
fn run_panels<const FMA: bool, T: Real, M: TileMap<T>, const PANELS: usize>(
    panels: &Panels<T>,
    queries: &[T],
    p: usize,
    map: M,
    out: &mut [&mut [T]],
    columns: (usize, usize),
) {
    let n_queries = out.len();
    let mut q = 0;
    macro_rules! run {
        ($rows:expr) => {
            run_tile::<FMA, T, M, { $rows }, PANELS>(panels, queries, (q, p), map, out, columns)
        };
    }
    // A tile of each size would be too much code: three and five queries take two tiles. The
    // constant keeps tiles of the other precision from being compiled.
    if const { size_of::<T>() == 4 } {
        while q + QUERY_ROWS <= n_queries {
            run!(QUERY_ROWS);
            q += QUERY_ROWS;
        }
        if q + 4 <= n_queries {
            run!(4);
            q += 4;
        }
    } else {
        while q + QUERY_ROWS / 2 <= n_queries {
            run!(QUERY_ROWS / 2);
            q += QUERY_ROWS / 2;
        }
    }
    if q + 2 <= n_queries {
        run!(2);
        q += 2;
    }
    if q < n_queries {
        run!(1);
    }
}

multiversion! {
    /// As [`panel_block`], with values as they are computed.
    fn panel_tiles[T: Real, M: TileMap<T>](
        panels: &Panels<T>,
        queries: &[T],
        columns: (usize, usize),
        map: M,
        out: &mut [&mut [T]],
    ) = tiles_body[WIDE];
}

#[inline(always)]
fn finish_body<const FMA: bool, T: Real, O: Real, M: TileMap<T>>(
    products: &[T],
    (first_query, first_row): (usize, usize),
    columns: (usize, usize),
    map: M,
    out: &mut [&mut [O]],
) {
    let (products, _) = products.as_chunks::<PANEL>();
    for (q, (row, products)) in out.iter_mut().zip(products.chunks(STRIP)).enumerate() {
        for (p, &values) in products.iter().enumerate() {
            let first_row = first_row + p * PANEL;
            if first_row < columns.1 {
                let mapped = map.map::<FMA>(first_query + q, first_row, values);
                store_panel(mapped, first_row, columns, row);
            }
        }
    }
}

multiversion! {
    /// Maps sums and writes them where they belong. Of each query there are [`STRIP`] panels
    /// of them, from that of `first_row` on.
    pub(super) fn finish_strip[T: Real, O: Real, M: TileMap<T>](
        products: &[T],
        first: (usize, usize),
        columns: (usize, usize),
        map: M,
        out: &mut [&mut [O]],
    ) = finish_body;
}

/// Writes, for every query row (`queries` holds them row after row) and every packed row in
/// `columns.0..columns.1`, the mapped sum to `out[query][row - columns.0]`.
///
/// Maps that are used most are applied inside the tiles. For the others, and where precisions
/// differ, sums are kept in a strip first: so that tiles are not compiled for all of them.
pub(crate) fn panel_block<T: Real, O: Real, M: TileMap<T>>(
    panels: &Panels<T>,
    queries: &[T],
    columns: (usize, usize),
    map: M,
    out: &mut [&mut [O]],
) {
    if const { M::IN_TILES && size_of::<T>() == size_of::<O>() } {
        if let Some(out) = T::same(out) {
            panel_tiles(panels, queries, columns, map, out);
        }
        return;
    }
    let d = panels.n_features;
    let mut strip = [T::ZERO; STRIP_QUERIES * STRIP * PANEL];
    let first_panel = columns.0 / PANEL;
    for first_row in (first_panel * PANEL..columns.1).step_by(STRIP * PANEL) {
        let last_row = columns.1.min(first_row + STRIP * PANEL);
        for (group, out) in out.chunks_mut(STRIP_QUERIES).enumerate() {
            let first_query = group * STRIP_QUERIES;
            let queries = &queries[first_query * d..(first_query + out.len()) * d];
            let mut rows = strip.chunks_exact_mut(STRIP * PANEL);
            let mut rows: [&mut [T]; STRIP_QUERIES] =
                std::array::from_fn(|_| rows.next().unwrap_or_default());
            let (rows, span) = (&mut rows[..out.len()], (first_row, last_row));
            panel_tiles(panels, queries, span, M::Term::default(), rows);
            finish_strip(&strip, (first_query, first_row), columns, map, out);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::DotMap;
    use super::*;
    use crate::data::Generator;

    /// Products of all queries with the packed rows in `columns`.
    fn block<T: Real>(
        panels: &Panels<T>,
        queries: &[T],
        n_queries: usize,
        columns: (usize, usize),
    ) -> Vec<Vec<T>> {
        let mut out = vec![vec![T::ZERO; columns.1 - columns.0]; n_queries];
        let mut slots: Vec<&mut [T]> = out.iter_mut().map(Vec::as_mut_slice).collect();
        panel_block(panels, queries, columns, DotMap, &mut slots);
        out
    }

    fn products_are_the_same_in_any_company<T: Real + PartialEq + std::fmt::Debug>() {
        let mut random = Generator::new(3);
        for (n_rows, n_features, n_queries) in
            [(1, 1, 1), (16, 4, 6), (33, 5, 7), (47, 22, 13), (80, 3, 48)]
        {
            let mut draw = |count: usize| -> Vec<T> {
                let next = |_| T::from_f64(random.uniform() - 0.5);
                (0..count).map(next).collect()
            };
            let (rows, queries) = (draw(n_rows * n_features), draw(n_queries * n_features));
            let panels = Panels::pack(n_rows, n_features, |i, out| {
                out.copy_from_slice(&rows[i * n_features..(i + 1) * n_features]);
            });
            let together = block(&panels, &queries, n_queries, (0, n_rows));
            for first in [5, 17].into_iter().filter(|&first| first < n_rows) {
                let later = block(&panels, &queries, n_queries, (first, n_rows));
                for (all, later) in together.iter().zip(&later) {
                    assert_eq!(all[first..], later[..], "from row {first}");
                }
            }
            for (q, products) in together.iter().enumerate() {
                let query = &queries[q * n_features..(q + 1) * n_features];
                for (i, product) in products.iter().enumerate() {
                    let alone = block(&panels, query, 1, (i, i + 1));
                    assert_eq!(alone[0][0], *product, "row {i}, query {q}");
                    let row = &rows[i * n_features..(i + 1) * n_features];
                    let terms = row.iter().zip(query);
                    let exact: f64 = terms.map(|(x, y)| x.to_f64() * y.to_f64()).sum();
                    assert!(
                        (product.to_f64() - exact).abs() < 1e-5,
                        "row {i}, query {q}"
                    );
                }
            }
        }
    }

    #[test]
    fn neither_tiles_nor_panels_change_a_product() {
        products_are_the_same_in_any_company::<f32>();
        products_are_the_same_in_any_company::<f64>();
    }
}
