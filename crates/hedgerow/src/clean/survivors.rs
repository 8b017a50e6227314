//! Nearest rows among those that are left while rows are removed one by one.
//!
//! Of each place a few more neighbours are held than are asked for, so memory grows with the rows
//! and not with the pairs. A list that has run short is looked up again; when half of the rows are
//! gone since the index was built, it is built anew and with it all lists, in parallel. Rows at the
//! same place share a list, because each of many copies would run short with every removal of one.

use super::surroundings::{for_each_list, index_of};
use crate::Result;
use crate::data::SamplesView;
use crate::neighbours::{Index, Neighbour, SearchScratch};

/// Neighbours that are looked up beyond those needed, so that removals seldom mean a new search.
const FEWEST_SPARE: usize = 8;
const MOST_SPARE: usize = 64;

/// Rows of which some are gone, with the neighbours of each.
pub(super) struct Survivors<'a> {
    samples: SamplesView<'a>,
    /// The rows that are left.
    index: Index,
    scratch: SearchScratch,
    found: Vec<Neighbour>,
    /// For each row the first one at its place.
    places: Vec<u32>,
    /// For the first row of a place the rows nearest to it, nearest first, that were left when they
    /// were looked up; those at the place itself are among them. Rows do not come back: without
    /// those that are gone since, these are still the nearest.
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
            found: Vec::new(),
            places: (0..n as u32).collect(),
            lists: vec![Vec::new(); n],
            alive: vec![true; n],
            n_left: n,
            n_indexed: n,
            k,
        };
        survivors.look_up_all()?;
        survivors.share_lists();
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
    pub(super) fn nearest(&mut self, row: u32) -> Result<impl Iterator<Item = u32> + Clone> {
        let place = self.places[row as usize];
        let list = &mut self.lists[place as usize];
        let alive = &self.alive;
        list.retain(|&other| alive[other as usize]);
        // One more, because the row may be in the list.
        if list.len() < self.k.saturating_add(1).min(self.n_left) {
            self.look_up(place)?;
        }
        let list = self.lists[place as usize].iter().copied();
        Ok(list.filter(move |&other| other != row).take(self.k))
    }

    /// Length of a list that is looked up, with the row itself.
    fn wanted(&self) -> usize {
        let spare = self.k.clamp(FEWEST_SPARE, MOST_SPARE);
        self.k.saturating_add(spare).min(self.samples.n_rows())
    }

    /// Leaves one list a place, after all were looked up: each begins with the rows at its place,
    /// in the order of their numbers.
    fn share_lists(&mut self) {
        for row in 0..self.lists.len() {
            let first = self.lists[row].first().map_or(row, |&first| first as usize);
            // The numbers themselves, because very small differences have a distance of 0 too.
            if first < row && self.samples.row(first) == self.samples.row(row) {
                self.places[row] = first as u32;
                self.lists[row] = Vec::new();
            }
        }
    }

    fn look_up_all(&mut self) -> Result<()> {
        let is_first = |&row: &u32| self.places[row as usize] == row;
        let rows: Vec<u32> = (0..self.places.len() as u32).filter(is_first).collect();
        let wanted = self.wanted();
        let searcher = self.index.searcher(self.samples)?;
        let lists = &mut self.lists;
        for_each_list(&searcher, &rows, wanted, false, |row, list| {
            let list = list.iter().map(|found| found.row);
            lists[row as usize] = list.collect();
        })
    }

    fn look_up(&mut self, place: u32) -> Result<()> {
        let wanted = self.wanted();
        let searcher = self.index.searcher(self.samples)?;
        let asked = self.samples.row(place as usize);
        let mut found = std::mem::take(&mut self.found);
        searcher.k_nearest_one(&mut self.scratch, asked, wanted, &mut found)?;
        let list = &mut self.lists[place as usize];
        list.clear();
        list.extend(found.iter().map(|found| found.row));
        self.found = found;
        Ok(())
    }
}
