//! Rows that are equal in every feature.

use crate::data::{Row, SamplesView};
use crate::parallel::concat;
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
        let row = |number: u32| samples.row(number as usize);
        let mut keyed: Vec<(u64, u32)> = concat(samples.n_rows(), 1024, &|part| {
            let numbers = part.start as u32..part.end as u32;
            numbers
                .map(|number| (fingerprint(row(number)), number))
                .collect()
        });
        keyed.par_sort_unstable();
        let mut order: Vec<u32> = keyed.iter().map(|&(_, number)| number).collect();
        let mut group = vec![(0, 0); order.len()];
        let mut found = false;
        let mut start = 0;
        for alike in keyed.chunk_by(|a, b| a.0 == b.0) {
            let end = start + alike.len();
            let members = &mut order[start..end];
            let first = row(members[0]);
            if members[1..].iter().any(|&m| compare(row(m), first).is_ne()) {
                // Different rows with one fingerprint.
                members.sort_unstable_by(|&a, &b| compare(row(a), row(b)).then(a.cmp(&b)));
            }
            let mut from = start as u32;
            for equal in members.chunk_by(|&a, &b| compare(row(a), row(b)).is_eq()) {
                let to = from + equal.len() as u32;
                for &member in equal {
                    group[member as usize] = (from, to);
                }
                found |= equal.len() > 1;
                from = to;
            }
            start = end;
        }
        found.then_some(Self { order, group })
    }

    /// As [`Twins::new`], and `None` too unless there are about `rows_a_place` rows for every
    /// different one: that is found out without sorting.
    pub(super) fn if_frequent(samples: SamplesView<'_>, rows_a_place: f64) -> Option<Self> {
        // As many bits as eight rows each would need: few fingerprints meet by chance.
        let n_rows = samples.n_rows();
        let n_words = (n_rows / 8).next_power_of_two();
        let mut seen = vec![0u64; n_words];
        for number in 0..n_rows {
            let hash = fingerprint(samples.row(number));
            seen[(hash >> 6) as usize % n_words] |= 1 << (hash % 64);
        }
        let n_bits = (64 * n_words) as f64;
        let n_set: u32 = seen.iter().map(|word| word.count_ones()).sum();
        let n_places = -n_bits * (-f64::from(n_set) / n_bits).ln_1p();
        if rows_a_place * n_places <= n_rows as f64 {
            Self::new(samples)
        } else {
            None
        }
    }

    /// Of every group the row that comes first among `rows`, in their order.
    pub(super) fn first_of_each(&self, rows: &[u32]) -> Vec<u32> {
        let mut seen = vec![false; self.order.len()];
        let is_first = |row: &u32| {
            let (start, _) = self.group[*row as usize];
            !std::mem::replace(&mut seen[start as usize], true)
        };
        rows.iter().copied().filter(is_first).collect()
    }

    /// The rows equal to a row, itself included, ascending.
    pub(super) fn of(&self, row: u32) -> &[u32] {
        let (start, end) = self.group[row as usize];
        &self.order[start as usize..end as usize]
    }
}

/// A number that equal rows share, and hardly any others.
fn fingerprint(row: Row<'_>) -> u64 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let hash = entries(row).fold(0, |hash: u64, (f, value)| {
        let mixed = (hash ^ value.to_bits().rotate_left(f as u32 % 63)).wrapping_add(f as u64);
        (mixed ^ (mixed >> 29)).wrapping_mul(FACTOR)
    });
    // The upper bits of a product know of all bits below them, the lower ones do not.
    hash ^ (hash >> 32)
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
        assert_eq!(twins.first_of_each(&[3, 2, 1, 0]), [3, 2, 1]);
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

    #[test]
    fn frequent_twins_are_noticed() {
        let some = |n_places: usize| {
            let values = (0..10_000).map(|i| ((i % n_places) * 37) as f64).collect();
            Samples::dense(10_000, 1, values).unwrap()
        };
        let (many, few) = (some(5000), some(9000));
        assert!(Twins::if_frequent(many.view(), 1.25).is_some());
        assert!(Twins::if_frequent(few.view(), 1.25).is_none());
        assert!(Twins::new(few.view()).is_some());
    }
}
