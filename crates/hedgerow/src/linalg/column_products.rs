//! Inner products of a few columns with many, in one pass over the many.
//!
//! A product of one column with all others reads every value once for one multiplication: it waits
//! for memory. Here rows are cut into tiles that stay in the fastest cache, and what was read of a
//! column meets all the few before the next tile. The sums of a product are those of
//! [`super::dot`], in the same order, so both give the same bits.

use super::Real;

const DOT_LANES: usize = 8;
/// Columns of the few that are multiplied together.
const TOGETHER: usize = 4;
/// Rows of a tile.
const TILE: usize = 512;

type Sums = [[f64; DOT_LANES]; TOGETHER];

#[inline(always)]
fn add_tile_body<const FMA: bool>(few: [&[f64]; TOGETHER], column: &[f64], sums: &mut Sums) {
    let [a, b, c, d] = few.map(|values| values.as_chunks::<DOT_LANES>().0);
    let blocks = column.as_chunks::<DOT_LANES>().0;
    let mut local = *sums;
    for ((((x, a), b), c), d) in blocks.iter().zip(a).zip(b).zip(c).zip(d) {
        for (sums, few) in local.iter_mut().zip([a, b, c, d]) {
            for lane in 0..DOT_LANES {
                sums[lane] = x[lane].fma::<FMA>(few[lane], sums[lane]);
            }
        }
    }
    *sums = local;
}

multiversion! {
    /// Adds the products of one tile, whole blocks of lanes only.
    fn add_tile[](few: [&[f64]; TOGETHER], column: &[f64], sums: &mut Sums) = add_tile_body;
}

/// `out[i · m + j]`: the product of `few[i]` with the `j`-th of `m` columns, which stand one after
/// the other in `columns`. All columns have the length `n`, which is not 0.
pub(crate) fn column_products(few: &[&[f64]], columns: &[f64], n: usize, out: &mut [f64]) {
    let m = columns.len() / n;
    // Indices of the few; the last group is filled up with its last.
    let groups: Vec<[&[f64]; TOGETHER]> = few
        .chunks(TOGETHER)
        .map(|group| std::array::from_fn(|at| group[at.min(group.len() - 1)]))
        .collect();
    let mut sums: Vec<Sums> = vec![[[0.0; DOT_LANES]; TOGETHER]; groups.len() * m];
    let whole = n - n % DOT_LANES;
    for start in (0..whole).step_by(TILE) {
        let rows = start..whole.min(start + TILE);
        for (group, sums) in groups.iter().zip(sums.chunks_exact_mut(m)) {
            let few = group.map(|values| &values[rows.clone()]);
            for (column, sums) in columns.chunks_exact(n).zip(sums) {
                add_tile(few, &column[rows.clone()], sums);
            }
        }
    }
    for (i, values) in few.iter().enumerate() {
        for (j, column) in columns.chunks_exact(n).enumerate() {
            let lanes = &sums[i / TOGETHER * m + j][i % TOGETHER];
            let mut total = lanes.iter().sum::<f64>();
            for (x, y) in column[whole..].iter().zip(&values[whole..]) {
                total += x * y;
            }
            out[i * m + j] = total;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::dot;
    use super::*;
    use crate::data::Generator;

    #[test]
    fn products_have_the_bits_of_single_ones() {
        let mut generator = Generator::new(5);
        for n in [1, 7, 8, 9, 511, 512, 513, 1024, 1500] {
            let m = 11;
            let columns: Vec<f64> = (0..n * m).map(|_| generator.normal()).collect();
            for chosen in [vec![3], vec![0, 10, 4, 4, 7], (0..m).collect::<Vec<_>>()] {
                let few: Vec<&[f64]> = chosen
                    .iter()
                    .map(|&f| &columns[f * n..(f + 1) * n])
                    .collect();
                let mut out = vec![f64::NAN; few.len() * m];
                column_products(&few, &columns, n, &mut out);
                for (i, left) in few.iter().enumerate() {
                    for (j, right) in columns.chunks_exact(n).enumerate() {
                        assert_eq!(
                            out[i * m + j].to_bits(),
                            dot(left, right).to_bits(),
                            "{n} rows, {i} with {j}"
                        );
                    }
                }
            }
        }
    }
}
