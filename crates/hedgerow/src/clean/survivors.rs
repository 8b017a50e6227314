//! Nearest rows among those that are left while rows are removed one by one.

use crate::Result;
use crate::data::SamplesView;
use crate::neighbours::{Index, SearchScratch, Searcher};

/// Neighbours that are looked up beyond those needed, so that removals seldom mean a new search.
const SPARE: usize = 3;

/// Rows of which some are gone, with the neighbours of each.
pub(super) struct Survivors<'a> {
    samples: SamplesView<'a>,
    searcher: Searcher<'a>,
    scratch: SearchScratch,
    /// Neighbours of every row, nearest first, gone ones too.
    lists: Vec<Vec<u32>>,
    alive: Vec<bool>,
    k: usize,
}

impl<'a> Survivors<'a> {
    /// All rows of an index of all rows are left; each will be asked for `k` neighbours.
    pub(super) fn new(index: &'a Index, samples: SamplesView<'a>, k: usize) -> Result<Self> {
        let searcher = index.searcher(samples)?;
        let rows: Vec<u32> = (0..samples.n_rows() as u32).collect();
        let lists = searcher.k_nearest_of(&rows, k.saturating_mul(SPARE), true)?;
        let numbers = |list: Vec<crate::neighbours::Neighbour>| {
            list.into_iter().map(|found| found.row).collect()
        };
        Ok(Self {
            samples,
            searcher,
            scratch: SearchScratch::default(),
            lists: lists.into_iter().map(numbers).collect(),
            alive: vec![true; rows.len()],
            k,
        })
    }

    /// Whether each row is left.
    pub(super) fn into_alive(self) -> Vec<bool> {
        self.alive
    }

    /// Removes a row, or puts it back.
    pub(super) fn set(&mut self, row: u32, alive: bool) {
        self.alive[row as usize] = alive;
    }

    /// The `k` nearest other rows that are left, into `out`; fewer if fewer are left.
    pub(super) fn nearest(&mut self, row: u32, out: &mut Vec<u32>) -> Result<()> {
        loop {
            out.clear();
            let list = &self.lists[row as usize];
            out.extend(
                list.iter()
                    .filter(|&&other| self.alive[other as usize])
                    .take(self.k),
            );
            let others = self.samples.n_rows() - 1;
            if out.len() == self.k || list.len() >= others {
                return Ok(());
            }
            let wanted = (2 * list.len()).clamp(self.k, others);
            let mut found = Vec::new();
            let asked = self.samples.row(row as usize);
            // One more, because the row finds itself; among many copies it may not.
            self.searcher
                .k_nearest_one(&mut self.scratch, asked, wanted + 1, &mut found)?;
            let mut longer: Vec<u32> = found.iter().map(|found| found.row).collect();
            match longer.iter().position(|&other| other == row) {
                Some(own) => drop(longer.remove(own)),
                None => longer.truncate(wanted),
            }
            self.lists[row as usize] = longer;
        }
    }
}
