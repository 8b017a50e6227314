//! The order in which rows are offered to a selection.

use super::words::SubsetOrder;
use crate::data::Generator;
use std::cmp::Ordering;

/// Stream of the seed that the random order comes from.
const STREAM: u64 = 0x006f_7264_6572;

/// Dense rows, row-major.
pub(super) struct Table<'a> {
    pub(super) width: usize,
    pub(super) values: &'a [f64],
}

impl Table<'_> {
    pub(super) fn row(&self, i: usize) -> &[f64] {
        &self.values[i * self.width..(i + 1) * self.width]
    }
}

/// Sorts rows of one class as they are to be offered.
pub(super) fn arrange(order: SubsetOrder, table: &Table<'_>, rows: &mut [usize], seed: u64) {
    let by = |keys: &[usize], a: usize, b: usize| {
        let (a, b) = (table.row(a), table.row(b));
        let compare = |&f: &usize| a[f].partial_cmp(&b[f]).unwrap_or(Ordering::Equal);
        let differs = keys.iter().map(compare).find(|order| order.is_ne());
        differs.unwrap_or(Ordering::Equal)
    };
    match order {
        SubsetOrder::ReverseColumns => {
            let keys: Vec<usize> = (0..table.width).rev().collect();
            rows.sort_by(|&a, &b| by(&keys, a, b));
        }
        SubsetOrder::CentroidDescending => {
            let mut means = vec![0.0; table.width];
            for &i in rows.iter() {
                for (mean, x) in means.iter_mut().zip(table.row(i)) {
                    *mean += x;
                }
            }
            let mut keys: Vec<usize> = (0..table.width).collect();
            keys.sort_by(|&a, &b| means[b].abs().total_cmp(&means[a].abs()));
            rows.sort_by(|&a, &b| by(&keys, a, b));
        }
        SubsetOrder::AsGiven => {}
        SubsetOrder::Shuffled => Generator::for_task(seed, STREAM).shuffle(rows),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROWS: [f64; 12] = [0.0, 1.0, 5.0, 2.0, 1.0, 4.0, 1.0, 1.0, 5.0, 0.0, 0.0, 4.0];

    #[test]
    fn reverse_columns_is_a_sort_of_reversed_rows() {
        let table = Table {
            width: 3,
            values: &ROWS,
        };
        let mut rows = [0, 1, 2, 3];
        arrange(SubsetOrder::ReverseColumns, &table, &mut rows, 0);
        assert_eq!(rows, [3, 1, 0, 2]);
        let mut rows = [0, 1, 2, 3];
        arrange(SubsetOrder::AsGiven, &table, &mut rows, 0);
        assert_eq!(rows, [0, 1, 2, 3]);
        arrange(SubsetOrder::Shuffled, &table, &mut rows, 3);
        rows.sort_unstable();
        assert_eq!(rows, [0, 1, 2, 3]);
    }
}
