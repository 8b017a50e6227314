//! Rows that are equal in every feature.

use crate::data::{Row, SamplesView};
use rayon::prelude::*;
use std::cmp::Ordering;

/// The groups of equal rows.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Twins {
    /// All rows, equal ones together, ascending within a group.
    order: Vec<u32>,
    /// Where the group of each row stands in `order`.
    group: Vec<(u32, u32)>,
}

impl Twins {
    /// The groups, or `None` if no two rows are equal.
    pub(super) fn new(samples: SamplesView<'_>) -> Option<Self> {
        let mut order: Vec<u32> = (0..samples.n_rows() as u32).collect();
        let row = |number: u32| samples.row(number as usize);
        order.par_sort_unstable_by(|&a, &b| compare(row(a), row(b)).then(a.cmp(&b)));
        let mut group = vec![(0, 0); order.len()];
        let mut start = 0;
        let mut found = false;
        for equal in order.chunk_by(|&a, &b| compare(row(a), row(b)).is_eq()) {
            let end = start + equal.len() as u32;
            for &member in equal {
                group[member as usize] = (start, end);
            }
            found |= equal.len() > 1;
            start = end;
        }
        found.then_some(Self { order, group })
    }

    /// The rows equal to a row, itself included, ascending.
    pub(super) fn of(&self, row: u32) -> &[u32] {
        let (start, end) = self.group[row as usize];
        &self.order[start as usize..end as usize]
    }
}

/// Some order in which only equal rows are equal. Zeros may be stored or left out.
fn compare(a: Row<'_>, b: Row<'_>) -> Ordering {
    if let (Row::Dense(a), Row::Dense(b)) = (a, b) {
        let pairs = a.iter().zip(b);
        return pairs
            // -0 equals 0.
            .map(|(x, y)| (x + 0.0).total_cmp(&(y + 0.0)))
            .find(|order| order.is_ne())
            .unwrap_or(Ordering::Equal);
    }
    let (mut a, mut b) = (entries(a), entries(b));
    loop {
        match (a.next(), b.next()) {
            (None, None) => return Ordering::Equal,
            (None, Some(_)) => return Ordering::Less,
            (Some(_), None) => return Ordering::Greater,
            (Some((f, x)), Some((g, y))) => {
                let order = f.cmp(&g).then(x.total_cmp(&y));
                if order.is_ne() {
                    return order;
                }
            }
        }
    }
}

/// Features and values that are not zero.
fn entries(row: Row<'_>) -> impl Iterator<Item = (usize, f64)> {
    let indices = match row {
        Row::Dense(_) => None,
        Row::Sparse { indices, .. } => Some(indices),
    };
    let feature = move |at: usize| indices.map_or(at, |all| all[at] as usize);
    let values = row.values().iter().enumerate();
    values
        .filter(|(_, value)| **value != 0.0)
        .map(move |(at, &value)| (feature(at), value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{CsrMatrix, Samples};

    #[test]
    fn equal_rows_find_each_other() {
        let dense = Samples::dense(4, 2, vec![1.0, 0.0, 2.0, 0.0, 1.0, -0.0, 2.0, 1.0]).unwrap();
        let twins = Twins::new(dense.view()).expect("rows 0 and 2");
        assert_eq!(twins.of(0), [0, 2]);
        assert_eq!(twins.of(2), [0, 2]);
        assert_eq!(twins.of(1), [1]);
        assert_eq!(twins.of(3), [3]);
    }

    #[test]
    fn stored_zeros_make_no_difference() {
        let starts = vec![0, 1, 3, 3, 4];
        let matrix = CsrMatrix::new(3, starts, vec![1, 0, 1, 2], vec![5.0, 0.0, 5.0, 5.0]).unwrap();
        let twins = Twins::new(Samples::Sparse(matrix).view()).expect("rows 0 and 1");
        assert_eq!(twins.of(1), [0, 1]);
        assert_eq!(twins.of(2), [2]);
        assert_eq!(twins.of(3), [3]);
    }

    #[test]
    fn without_equal_rows_there_is_nothing_to_keep() {
        let dense = Samples::dense(2, 1, vec![1.0, 2.0]).unwrap();
        assert_eq!(Twins::new(dense.view()), None);
    }
}
