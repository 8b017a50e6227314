//! Columns that are one nominal feature: neighbouring columns of two values of which every row has
//! exactly one on. Whatever wrote them so (this toolkit's reader of tables, another program, the
//! authors of the data), they deserve one weight: alone, the column of a rare value is learned from
//! the few rows that have it.

/// A group of each column of the rows. Columns that are no part of a nominal feature are groups of
/// their own. `numbers` are the columns' places in the data, ascending: a column between two of them
/// does not vary and breaks nothing.
pub(super) fn one_hot_groups(rows: &[f32], width: usize, numbers: &[usize]) -> Vec<u32> {
    let n_columns = numbers.len();
    let mut groups: Vec<u32> = (0..n_columns as u32).collect();
    if n_columns < 2 {
        return groups;
    }
    let on: Vec<Option<Vec<u64>>> = (0..n_columns).map(|f| marks(rows, width, f)).collect();
    let mut first = 0;
    while first < n_columns {
        let Some(end) = end_of_run(&on[first..], rows.len() / width) else {
            first += 1;
            continue;
        };
        groups[first..first + end].fill(first as u32);
        first += end;
    }
    groups
}

/// The rows in which a column of two values has the larger one; `None` for other columns.
fn marks(rows: &[f32], width: usize, f: usize) -> Option<Vec<u64>> {
    let n_rows = rows.len() / width;
    let value = |row: usize| rows[row * width + f];
    let (mut low, mut high) = (value(0), value(0));
    for row in 1..n_rows {
        let x = value(row);
        if x != low && x != high {
            if low != high {
                return None;
            }
            (low, high) = (low.min(x), high.max(x));
        }
    }
    let mut marks = vec![0u64; n_rows.div_ceil(64)];
    for row in 0..n_rows {
        marks[row / 64] |= u64::from(value(row) == high) << (row % 64);
    }
    (low != high).then_some(marks)
}

/// How many of the first columns have together exactly one mark in every row.
fn end_of_run(on: &[Option<Vec<u64>>], n_rows: usize) -> Option<usize> {
    let mut covered = on[0].clone()?;
    for (at, column) in on.iter().enumerate().skip(1) {
        let column = column.as_ref()?;
        if covered.iter().zip(column).any(|(a, b)| a & b != 0) {
            return None;
        }
        for (all, marks) in covered.iter_mut().zip(column) {
            *all |= marks;
        }
        let count: usize = covered.iter().map(|word| word.count_ones() as usize).sum();
        if count == n_rows {
            return Some(at + 1);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::one_hot_groups;

    #[test]
    fn columns_of_one_nominal_feature_share_a_group() {
        // A number, three values of one feature, a free flag, two values of another.
        let rows = [
            [0.3, 1.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0],
            [0.1, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0],
            [0.2, 0.0, 0.0, 1.0, 1.0, 1.0, 0.0, 0.0],
            [0.9, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0],
        ];
        let rows: Vec<f32> = rows.concat();
        let found = one_hot_groups(&rows, 8, &[0, 1, 2, 3, 4, 5, 6]);
        assert_eq!(found, [0, 1, 1, 1, 4, 5, 5]);
    }

    #[test]
    fn a_row_without_any_value_is_no_nominal_feature() {
        let rows = [1.0f32, 0.0, 0.0, 1.0, 0.0, 0.0];
        assert_eq!(one_hot_groups(&rows, 2, &[0, 1]), [0, 1]);
    }
}
