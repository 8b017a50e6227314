//! Nearest rows among those that are left while rows are removed one by one.
//!
//! Of each row a few more neighbours are held than are asked for, so memory grows with the rows and
//! not with the pairs. A list that has run short is looked up again; when half of the rows are gone
//! since the index was built, it is built anew and with it all lists, in parallel.

use super::surroundings::{for_each_other, index_of};
use crate::Result;
use crate::data::SamplesView;
use crate::neighbours::{Index, SearchScratch};

/// Neighbours that are looked up beyond those needed, so that removals seldom mean a new search.
const FEWEST_SPARE: usize = 8;
const MOST_SPARE: usize = 64;

/// Rows of which some are gone, with the neighbours of each.
pub(super) struct Survivors<'a> {
    samples: SamplesView<'a>,
    /// The rows that are left.
    index: Index,
    scratch: SearchScratch,
    /// The nearest other rows, nearest first, that were left when they were looked up. Rows do not
    /// come back: without those that are gone since, these are still the nearest.
    lists: Vec<Vec<u32>>,
    alive: Vec<bool>,
    n_left: usize,
    /// Rows that were left when the index was built.
    n_indexed: usize,
    k: usize,
}

impl<'a> Survivors<'a> {
    /// All rows are left, of which there must be some; each will be asked for `k` neighbours.
    pub(super) fn new(samples: SamplesView<'a>, k: usize) -> Result<Self> {
        let n = samples.n_rows();
        let mut survivors = Self {
            samples,
            index: index_of(samples, None, k)?,
            scratch: SearchScratch::default(),
            lists: vec![Vec::new(); n],
            alive: vec![true; n],
            n_left: n,
            n_indexed: n,
            k,
        };
        survivors.look_up_all()?;
        Ok(survivors)
    }

    /// Whether each row is left.
    pub(super) fn into_alive(self) -> Vec<bool> {
        self.alive
    }

    /// Whether a row is left.
    pub(super) fn has(&self, row: u32) -> bool {
        self.alive[row as usize]
    }

    /// Number of rows that are left.
    pub(super) fn len(&self) -> usize {
        self.n_left
    }

    /// Removes a row that is left, for ever.
    pub(super) fn remove(&mut self, row: u32) -> Result<()> {
        self.alive[row as usize] = false;
        self.n_left -= 1;
        self.index.remove(row);
        if self.n_left > self.k && self.n_left < self.n_indexed / 2 {
            let left: Vec<u32> = (0..self.alive.len() as u32)
                .filter(|&row| self.has(row))
                .collect();
            self.index = index_of(self.samples, Some(&left), self.k)?;
            self.n_indexed = self.n_left;
            self.look_up_all()?;
        }
        Ok(())
    }

    /// The `k` nearest other rows that are left, nearest first; fewer if fewer are left. The row
    /// itself may be gone.
    pub(super) fn nearest(&mut self, row: u32) -> Result<&[u32]> {
        let own = row as usize;
        let alive = &self.alive;
        self.lists[own].retain(|&other| alive[other as usize]);
        let others = self.n_left - usize::from(self.alive[own]);
        if self.lists[own].len() < self.k.min(others) {
            self.look_up(row)?;
        }
        let list = &self.lists[own];
        Ok(&list[..self.k.min(list.len())])
    }

    /// Length of a list that is looked up.
    fn wanted(&self) -> usize {
        let spare = self.k.clamp(FEWEST_SPARE, MOST_SPARE);
        self.k.saturating_add(spare).min(self.samples.n_rows())
    }

    fn look_up_all(&mut self) -> Result<()> {
        let rows: Vec<u32> = (0..self.samples.n_rows() as u32).collect();
        let wanted = self.wanted();
        let searcher = self.index.searcher(self.samples)?;
        let lists = &mut self.lists;
        for_each_other(&searcher, &rows, wanted, |row, list| {
            let list = list.iter().map(|found| found.row);
            lists[row as usize] = list.collect();
        })
    }

    fn look_up(&mut self, row: u32) -> Result<()> {
        let wanted = self.wanted();
        let searcher = self.index.searcher(self.samples)?;
        let asked = self.samples.row(row as usize);
        let mut found = Vec::new();
        // One more, because the row finds itself; among many copies it may not.
        searcher.k_nearest_one(&mut self.scratch, asked, wanted + 1, &mut found)?;
        let list = &mut self.lists[row as usize];
        list.clear();
        let others = found.iter().map(|found| found.row);
        list.extend(others.filter(|&other| other != row).take(wanted));
        Ok(())
    }
}
