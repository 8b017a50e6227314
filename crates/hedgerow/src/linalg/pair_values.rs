//! Linear combinations: two of the same columns at once, and one of a few rows.

use super::Real;

/// Places of a column that are worked on together: two registers of the widest processors.
const WIDTH: usize = 16;

#[inline(always)]
fn tile<const FMA: bool>(
    columns: &[&[f64]],
    weights: [&[f64]; 2],
    start: usize,
    one: &mut [f64],
    two: &mut [f64],
) {
    let [mut a, mut b] = [[0.0; WIDTH]; 2];
    let n = one.len();
    a[..n].copy_from_slice(one);
    b[..n].copy_from_slice(two);
    for ((column, &u), &v) in columns.iter().zip(weights[0]).zip(weights[1]) {
        let mut values = [0.0; WIDTH];
        values[..n].copy_from_slice(&column[start..start + n]);
        for lane in 0..WIDTH {
            a[lane] = u.fma::<FMA>(values[lane], a[lane]);
            b[lane] = v.fma::<FMA>(values[lane], b[lane]);
        }
    }
    one.copy_from_slice(&a[..n]);
    two.copy_from_slice(&b[..n]);
}

#[inline(always)]
fn pair_values_body<const FMA: bool>(
    columns: &[&[f64]],
    weights: [&[f64]; 2],
    start: usize,
    one: &mut [f64],
    two: &mut [f64],
) {
    let whole = one.len() / WIDTH * WIDTH;
    let (one, last_one) = one.split_at_mut(whole);
    let (two, last_two) = two.split_at_mut(whole);
    let tiles = one.chunks_exact_mut(WIDTH).zip(two.chunks_exact_mut(WIDTH));
    for (at, (one, two)) in tiles.enumerate() {
        let (Ok(one), Ok(two)) = (
            <&mut [f64; WIDTH]>::try_from(one),
            <&mut [f64; WIDTH]>::try_from(two),
        ) else {
            continue;
        };
        tile::<FMA>(columns, weights, start + at * WIDTH, one, two);
    }
    if !last_one.is_empty() {
        tile::<FMA>(columns, weights, start + whole, last_one, last_two);
    }
}

multiversion! {
    /// Adds the places from `start` on of the columns to both results, each with its weights.
    pub(crate) fn add_pair_values[](
        columns: &[&[f64]],
        weights: [&[f64]; 2],
        start: usize,
        one: &mut [f64],
        two: &mut [f64],
    ) = pair_values_body;
}

/// Lanes of a register of the widest processors.
const LANES: usize = 8;

#[inline(always)]
fn add_four_rows_body<const FMA: bool>(rows: [&[f64]; 4], weights: [f64; 4], sum: &mut [f64]) {
    let whole = sum.len() / LANES;
    let lanes = rows.map(|row| row.as_chunks::<LANES>().0);
    let (sums, last) = sum.as_chunks_mut::<LANES>();
    for (k, out) in sums.iter_mut().enumerate() {
        let mut value = *out;
        for (row, weight) in lanes.iter().zip(weights) {
            for lane in 0..LANES {
                value[lane] = weight.fma::<FMA>(row[k][lane], value[lane]);
            }
        }
        *out = value;
    }
    for (at, out) in last.iter_mut().enumerate() {
        for (row, weight) in rows.iter().zip(weights) {
            *out = weight.fma::<FMA>(row[whole * LANES + at], *out);
        }
    }
}

multiversion! {
    /// Adds four rows, each with its weight, to a sum.
    pub(crate) fn add_four_rows[](rows: [&[f64]; 4], weights: [f64; 4], sum: &mut [f64]) = add_four_rows_body;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_rows_are_added_with_their_weights() {
        for n in [0, 3, 8, 21] {
            let rows: [Vec<f64>; 4] =
                std::array::from_fn(|r| (0..n).map(|i| (r * 7 + i) as f64).collect());
            let mut sum = vec![1.0; n];
            add_four_rows(
                rows.each_ref().map(Vec::as_slice),
                [1.0, -2.0, 0.0, 0.5],
                &mut sum,
            );
            for (i, sum) in sum.iter().enumerate() {
                assert_eq!(*sum, 1.0 + rows[0][i] - 2.0 * rows[1][i] + 0.5 * rows[3][i]);
            }
        }
    }

    #[test]
    fn both_are_sums_of_the_columns() {
        let columns: Vec<Vec<f64>> = (0..5)
            .map(|c| (0..50).map(|i| f64::from(c * 50 + i)).collect())
            .collect();
        let views: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
        let (u, v) = ([1.0, 2.0, 0.0, -1.0, 0.5], [0.0, 1.0, 1.0, 1.0, 2.0]);
        for (start, n) in [(0, 50), (3, 47), (10, 16), (7, 5), (0, 0)] {
            let (mut one, mut two) = (vec![1.0; n], vec![-1.0; n]);
            add_pair_values(&views, [&u, &v], start, &mut one, &mut two);
            for i in 0..n {
                let sum = |w: &[f64]| -> f64 {
                    let terms = columns.iter().zip(w);
                    terms.map(|(column, w)| w * column[start + i]).sum()
                };
                assert_eq!((one[i], two[i]), (1.0 + sum(&u), sum(&v) - 1.0));
            }
        }
    }
}
