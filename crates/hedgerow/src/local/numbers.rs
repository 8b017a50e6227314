//! The numbers by which stored rows are known.
//!
//! A model stores its rows in an order that suits itself
//! ([`nearby_order`](crate::neighbours::nearby_order)); whoever gave them
//! knows them by their place in the data, and those that are added later by the numbers after.

use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// The number of every stored row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct RowNumbers {
    /// `None` if rows are stored in the order of their numbers, and all of them are.
    of_stored: Option<Vec<u32>>,
    /// The number that the next row gets.
    next: u32,
}

impl RowNumbers {
    /// Rows with these numbers, of so many that were given.
    pub(super) fn new(of_stored: Vec<u32>, given: usize) -> Self {
        let natural = of_stored.len() == given && of_stored.is_sorted();
        Self {
            of_stored: (!natural).then_some(of_stored),
            next: given as u32,
        }
    }

    /// Whether every row given is stored, in the place that is its number.
    pub(super) fn are_places(&self) -> bool {
        self.of_stored.is_none()
    }

    /// The number of a stored row.
    pub(super) fn of(&self, stored: u32) -> u32 {
        match &self.of_stored {
            Some(numbers) => numbers[stored as usize],
            None => stored,
        }
    }

    /// The stored rows, in the order of their numbers.
    pub(super) fn stored_rows(&self) -> Vec<u32> {
        match &self.of_stored {
            None => (0..self.next).collect(),
            Some(numbers) => {
                let mut rows: Vec<u32> = (0..numbers.len() as u32).collect();
                rows.sort_unstable_by_key(|&row| numbers[row as usize]);
                rows
            }
        }
    }

    /// The stored rows with these numbers, in their order; `None` for a number that none has.
    pub(super) fn find(&self, wanted: &[u32]) -> Vec<Option<u32>> {
        let Some(numbers) = &self.of_stored else {
            let known = |&number: &u32| (number < self.next).then_some(number);
            return wanted.iter().map(known).collect();
        };
        let mut stored: HashMap<u32, Option<u32>> = wanted.iter().map(|&n| (n, None)).collect();
        for (row, number) in (0u32..).zip(numbers) {
            if let Some(found) = stored.get_mut(number) {
                *found = Some(row);
            }
        }
        wanted.iter().map(|number| stored[number]).collect()
    }

    /// An error unless there are numbers for so many more rows.
    pub(super) fn ensure_room(&self, count: usize) -> Result<()> {
        let end = self.next as usize + count;
        if end < u32::MAX as usize {
            return Ok(());
        }
        Err(Error::Shape {
            what: "rows of a local model, removed ones counted (at most)",
            expected: u32::MAX as usize - 1,
            found: end,
        })
    }

    /// Gives the next numbers to rows that are stored behind all others. There must be room.
    pub(super) fn append(&mut self, count: usize) {
        let end = self.next + count as u32;
        if let Some(numbers) = &mut self.of_stored {
            numbers.extend(self.next..end);
        }
        self.next = end;
    }

    /// An error unless each of `n_rows` rows has a number of its own.
    pub(super) fn validate(&self, n_rows: usize) -> Result<()> {
        let found = self.of_stored.as_ref().map_or(self.next as usize, Vec::len);
        let bad = |what, expected, found| {
            Err(Error::Shape {
                what,
                expected,
                found,
            })
        };
        if found != n_rows {
            return bad("numbers of the stored rows", n_rows, found);
        }
        let Some(numbers) = &self.of_stored else {
            return Ok(());
        };
        let mut sorted = numbers.clone();
        sorted.sort_unstable();
        if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            return bad("rows with one number", 1, pair[0] as usize);
        }
        match sorted.last() {
            Some(&last) if last >= self.next => bad(
                "number of a stored row (below)",
                self.next as usize,
                last as usize,
            ),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_where_they_are_stored() {
        for (of_stored, given) in [(vec![0, 1, 2], 3), (vec![2, 0, 1], 3), (vec![3, 1], 5)] {
            let mut numbers = RowNumbers::new(of_stored.clone(), given);
            numbers.ensure_room(2).expect("room");
            numbers.append(2);
            let n_rows = of_stored.len() as u32 + 2;
            numbers.validate(n_rows as usize).expect("numbers");
            let all: Vec<u32> = (0..n_rows).map(|stored| numbers.of(stored)).collect();
            let added = [given as u32, given as u32 + 1];
            assert_eq!(all, [&of_stored[..], &added].concat());
            let ordered = numbers.stored_rows();
            assert!(ordered.is_sorted_by_key(|&row| all[row as usize]));
            assert_eq!(ordered.len(), all.len());
            let found: Vec<u32> = numbers.find(&all).into_iter().flatten().collect();
            assert!(found.into_iter().eq(0..n_rows));
            assert_eq!(numbers.find(&[given as u32 + 2, u32::MAX]), [None, None]);
        }
    }

    #[test]
    fn only_rows_in_their_natural_order_need_no_list() {
        assert_eq!(RowNumbers::new(vec![0, 1], 2).of_stored, None);
        assert!(RowNumbers::new(vec![1, 0], 2).of_stored.is_some());
        assert!(RowNumbers::new(vec![0, 1], 3).of_stored.is_some());
    }

    #[test]
    fn numbers_that_cannot_be_are_refused() {
        let numbers = |of_stored: Option<Vec<u32>>, next| RowNumbers { of_stored, next };
        assert!(numbers(None, 3).validate(2).is_err());
        assert!(numbers(Some(vec![0, 1]), 3).validate(3).is_err());
        assert!(numbers(Some(vec![1, 1]), 3).validate(2).is_err());
        assert!(numbers(Some(vec![0, 3]), 3).validate(2).is_err());
        let full = numbers(Some(vec![2, 0]), u32::MAX);
        assert!(full.validate(2).is_ok());
        assert!(full.ensure_room(1).is_err());
    }
}
