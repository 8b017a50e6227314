//! Linear combinations: two of the same columns at once, and one of a few rows.

use super::Real;

/// Places of a column that are worked on together: two registers of the widest processors.
const WIDTH: usize = 16;

#[inline(always)]
fn pair_values_body<const FMA: bool>(
    columns: &[&[f64]],
    weights: [&[f64]; 2],
    start: usize,
    one: &mut [f64],
    two: &mut [f64],
) {
    let count = one.len();
    let (one, last_one) = one.as_chunks_mut::<WIDTH>();
    let (two, last_two) = two.as_chunks_mut::<WIDTH>();
    for (at, (one, two)) in one.iter_mut().zip(two).enumerate() {
        let (mut a, mut b) = (*one, *two);
        let from = start + at * WIDTH;
        for ((column, &u), &v) in columns.iter().zip(weights[0]).zip(weights[1]) {
            if let Some(values) = column[from..].first_chunk::<WIDTH>() {
                for lane in 0..WIDTH {
                    a[lane] = u.fma::<FMA>(values[lane], a[lane]);
                    b[lane] = v.fma::<FMA>(values[lane], b[lane]);
                }
            }
        }
        (*one, *two) = (a, b);
    }
    let from = start + count - last_one.len();
    for ((column, &u), &v) in columns.iter().zip(weights[0]).zip(weights[1]) {
        let values = &column[from..from + last_one.len()];
        for ((a, b), &value) in last_one.iter_mut().zip(last_two.iter_mut()).zip(values) {
            *a = u.fma::<FMA>(value, *a);
            *b = v.fma::<FMA>(value, *b);
        }
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
