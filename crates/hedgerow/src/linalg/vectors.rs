//! Products of a block of dense rows with several vectors at once.
//!
//! The vectors stand in groups of [`VECTOR_LANES`]: their values at one column, or one row, side by
//! side, so that a value of the block serves all vectors of a group in one step. Sums of a small
//! tile of rows, or columns, stay in registers. Every sum runs over columns, or rows, in ascending
//! order, whatever tile it falls into.
//!
//! While a block is worked on, the memory is asked for the values that come after it: otherwise it
//! would be idle while sums are formed, and sums would wait while it is read.

use super::Real;
use super::row_stores::prefetch;

/// Vectors of a group: a register of the widest processors.
pub(crate) const VECTOR_LANES: usize = 8;

/// The values of a group of vectors at one place.
pub(crate) type VectorLanes = [f64; VECTOR_LANES];

/// Values of one line of memory.
const LINE_VALUES: usize = 16;

/// Rows of a tile, and groups of it where there are the registers of AVX-512.
const TILE: usize = 8;
const WIDE_GROUPS: usize = 2;

#[inline(always)]
fn widen_body<const FMA: bool>(values: &[f32], out: &mut [f64]) {
    for (out, &value) in out.iter_mut().zip(values) {
        *out = f64::from(value);
    }
}

multiversion! {
    /// The values in double precision.
    pub(crate) fn widen[](values: &[f32], out: &mut [f64]) = widen_body;
}

#[inline(always)]
fn add<const FMA: bool>(value: f64, lanes: &VectorLanes, sums: &mut VectorLanes) {
    for lane in 0..VECTOR_LANES {
        sums[lane] = value.fma::<FMA>(lanes[lane], sums[lane]);
    }
}

/// `ROWS` rows times `GROUPS` groups.
#[inline(always)]
fn product_tile<const FMA: bool, const ROWS: usize, const GROUPS: usize>(
    rows: &[f64],
    width: usize,
    vectors: [&[VectorLanes]; GROUPS],
    next: &[f32],
) -> [[VectorLanes; ROWS]; GROUPS] {
    let rows: [&[f64]; ROWS] = std::array::from_fn(|r| &rows[r * width..][..width]);
    let vectors: [&[VectorLanes]; GROUPS] = std::array::from_fn(|g| &vectors[g][..width]);
    let mut sums = [[[0.0; VECTOR_LANES]; ROWS]; GROUPS];
    for start in (0..width).step_by(LINE_VALUES) {
        // As many values as are worked on meanwhile.
        let from = start * ROWS;
        if let Some(soon) = next.get(from..from + LINE_VALUES * ROWS) {
            for line in soon.chunks_exact(LINE_VALUES) {
                prefetch(line);
            }
        }
        for c in start..width.min(start + LINE_VALUES) {
            for r in 0..ROWS {
                for g in 0..GROUPS {
                    add::<FMA>(rows[r][c], &vectors[g][c], &mut sums[g][r]);
                }
            }
        }
    }
    sums
}

/// All rows times `GROUPS` groups, from group `first` on.
#[inline(always)]
fn product_groups<const FMA: bool, const GROUPS: usize>(
    block: &[f64],
    width: usize,
    vectors: &[VectorLanes],
    first: usize,
    out: &mut [VectorLanes],
    next: &[f32],
) {
    let n_rows = block.len() / width;
    let panels: [&[VectorLanes]; GROUPS] =
        std::array::from_fn(|g| &vectors[(first + g) * width..][..width]);
    let mut row = 0;
    while row + TILE <= n_rows {
        let soon = next.get(row * width..).unwrap_or_default();
        let rows = &block[row * width..];
        let sums = product_tile::<FMA, TILE, GROUPS>(rows, width, panels, soon);
        for g in 0..GROUPS {
            let out = &mut out[(first + g) * n_rows + row..][..TILE];
            out.copy_from_slice(&sums[g]);
        }
        row += TILE;
    }
    while row < n_rows {
        let sums = product_tile::<FMA, 1, GROUPS>(&block[row * width..], width, panels, &[]);
        for g in 0..GROUPS {
            out[(first + g) * n_rows + row] = sums[g][0];
        }
        row += 1;
    }
}

#[inline(always)]
fn products_body<const FMA: bool, const WIDE: bool>(
    block: &[f64],
    width: usize,
    vectors: &[VectorLanes],
    out: &mut [VectorLanes],
    next: &[f32],
) {
    let groups = vectors.len() / width;
    let mut first = 0;
    let once = |first: usize| if first == 0 { next } else { &[] };
    while WIDE && first + WIDE_GROUPS <= groups {
        product_groups::<FMA, WIDE_GROUPS>(block, width, vectors, first, out, once(first));
        first += WIDE_GROUPS;
    }
    while first < groups {
        product_groups::<FMA, 1>(block, width, vectors, first, out, once(first));
        first += 1;
    }
}

multiversion! {
    /// Products of the rows of a row-major block with vectors, group after group, each with lanes
    /// for every column; `out` has for every group lanes for every row. `next` is what will be read
    /// next.
    pub(crate) fn vector_products[](
        block: &[f64],
        width: usize,
        vectors: &[VectorLanes],
        out: &mut [VectorLanes],
        next: &[f32],
    ) = products_body[WIDE];
}

/// `COLUMNS` columns from `column` on, times `GROUPS` groups, added to `sums`.
#[inline(always)]
fn transposed_tile<const FMA: bool, const COLUMNS: usize, const GROUPS: usize>(
    block: &[f64],
    width: usize,
    column: usize,
    vectors: [&[VectorLanes]; GROUPS],
    mut sums: [[VectorLanes; COLUMNS]; GROUPS],
    next: &[f32],
) -> [[VectorLanes; COLUMNS]; GROUPS] {
    for (r, row) in block.chunks_exact(width).enumerate() {
        let from = r * COLUMNS;
        if from.is_multiple_of(LINE_VALUES)
            && let Some(soon) = next.get(from..from + LINE_VALUES)
        {
            prefetch(soon);
        }
        let values = &row[column..column + COLUMNS];
        for k in 0..COLUMNS {
            for g in 0..GROUPS {
                add::<FMA>(values[k], &vectors[g][r], &mut sums[g][k]);
            }
        }
    }
    sums
}

#[inline(always)]
fn transposed_groups<const FMA: bool, const GROUPS: usize>(
    block: &[f64],
    width: usize,
    vectors: &[VectorLanes],
    first: usize,
    out: &mut [VectorLanes],
    next: &[f32],
) {
    let n_rows = block.len() / width;
    let panels: [&[VectorLanes]; GROUPS] =
        std::array::from_fn(|g| &vectors[(first + g) * n_rows..][..n_rows]);
    let mut column = 0;
    while column + TILE <= width {
        let soon = next.get(column * n_rows..).unwrap_or_default();
        let mut sums = [[[0.0; VECTOR_LANES]; TILE]; GROUPS];
        for g in 0..GROUPS {
            for k in 0..TILE {
                sums[g][k] = out[(first + g) * width + column + k];
            }
        }
        let sums = transposed_tile::<FMA, TILE, GROUPS>(block, width, column, panels, sums, soon);
        for g in 0..GROUPS {
            for k in 0..TILE {
                out[(first + g) * width + column + k] = sums[g][k];
            }
        }
        column += TILE;
    }
    while column < width {
        let mut sums = [[[0.0; VECTOR_LANES]; 1]; GROUPS];
        for g in 0..GROUPS {
            sums[g][0] = out[(first + g) * width + column];
        }
        let sums = transposed_tile::<FMA, 1, GROUPS>(block, width, column, panels, sums, &[]);
        for g in 0..GROUPS {
            out[(first + g) * width + column] = sums[g][0];
        }
        column += 1;
    }
}

#[inline(always)]
fn transposed_body<const FMA: bool, const WIDE: bool>(
    block: &[f64],
    width: usize,
    vectors: &[VectorLanes],
    out: &mut [VectorLanes],
    next: &[f32],
) {
    let groups = out.len() / width;
    let mut first = 0;
    let once = |first: usize| if first == 0 { next } else { &[] };
    while WIDE && first + WIDE_GROUPS <= groups {
        transposed_groups::<FMA, WIDE_GROUPS>(block, width, vectors, first, out, once(first));
        first += WIDE_GROUPS;
    }
    while first < groups {
        transposed_groups::<FMA, 1>(block, width, vectors, first, out, once(first));
        first += 1;
    }
}

multiversion! {
    /// Adds the products of the columns of a row-major block with vectors, group after group, each
    /// with lanes for every row; `out` has for every group lanes for every column. `next` is what
    /// will be read next.
    pub(crate) fn add_transposed_products[](
        block: &[f64],
        width: usize,
        vectors: &[VectorLanes],
        out: &mut [VectorLanes],
        next: &[f32],
    ) = transposed_body[WIDE];
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Generator;

    #[test]
    fn products_of_every_shape_are_those_of_loops() {
        let mut generator = Generator::new(2);
        for (n_rows, width, groups) in [(1, 1, 1), (7, 9, 1), (17, 8, 2), (20, 13, 3), (8, 30, 5)] {
            let single: Vec<f32> = (0..n_rows * width)
                .map(|_| generator.normal() as f32)
                .collect();
            let mut block = vec![0.0; single.len()];
            widen(&single, &mut block);
            let mut lanes = |count: usize| -> Vec<VectorLanes> {
                (0..count)
                    .map(|_| std::array::from_fn(|_| generator.normal()))
                    .collect()
            };
            let (over_columns, over_rows) = (lanes(groups * width), lanes(groups * n_rows));
            let mut products = lanes(groups * n_rows);
            vector_products(&block, width, &over_columns, &mut products, &single);
            let before = lanes(groups * width);
            let mut transposed = before.clone();
            add_transposed_products(&block, width, &over_rows, &mut transposed, &single);
            for g in 0..groups {
                for lane in 0..VECTOR_LANES {
                    for r in 0..n_rows {
                        let expected: f64 = (0..width)
                            .map(|c| block[r * width + c] * over_columns[g * width + c][lane])
                            .sum();
                        assert!((products[g * n_rows + r][lane] - expected).abs() < 1e-12);
                    }
                    for c in 0..width {
                        let expected: f64 = (0..n_rows)
                            .map(|r| block[r * width + c] * over_rows[g * n_rows + r][lane])
                            .sum();
                        let found = transposed[g * width + c][lane] - before[g * width + c][lane];
                        assert!((found - expected).abs() < 1e-12);
                    }
                }
            }
        }
    }
}
