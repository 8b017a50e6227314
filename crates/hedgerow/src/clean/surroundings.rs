//! The neighbours of rows among the other rows.

use super::Opinion;
use crate::Result;
use crate::data::SamplesView;
use crate::neighbours::{DistanceMetric, Index, IndexParams, Neighbour, Searcher};

/// Neighbours that are held at a time: 64 MiB.
const HELD_NEIGHBOURS: usize = 1 << 22;

/// An index of some rows for queries of `k` neighbours, by Euclidean distance.
pub(super) fn index_of(samples: SamplesView<'_>, rows: Option<&[u32]>, k: usize) -> Result<Index> {
    let n_rows = rows.map_or(samples.n_rows(), <[u32]>::len);
    let hints = IndexParams {
        expected_k: Some(k.min(n_rows)),
        expected_queries: Some(n_rows),
        ..IndexParams::default()
    };
    Index::build(&DistanceMetric::Euclidean, samples, rows, &hints)
}

/// Calls `visit` for each of `rows` with its `k` nearest among the rows of the index, without
/// itself: exactly `k` by (distance, row), copies included, or all there are.
pub(super) fn for_each_other(
    searcher: &Searcher<'_>,
    rows: &[u32],
    k: usize,
    visit: impl FnMut(u32, &[Neighbour]),
) -> Result<()> {
    for_each_list(searcher, rows, k, true, visit)
}

/// As [`for_each_other`]; unless it is left out a row of the index is its own neighbour too.
pub(super) fn for_each_list(
    searcher: &Searcher<'_>,
    rows: &[u32],
    k: usize,
    leave_out: bool,
    mut visit: impl FnMut(u32, &[Neighbour]),
) -> Result<()> {
    let size = (HELD_NEIGHBOURS / k.max(1)).max(256);
    for block in rows.chunks(size) {
        let lists = searcher.k_nearest_of(block, k, leave_out)?;
        for (&row, list) in block.iter().zip(&lists) {
            visit(row, list);
        }
    }
    Ok(())
}

/// Votes of some neighbours.
#[derive(Debug, Clone)]
pub(super) struct Poll {
    counts: Vec<u32>,
    total: u32,
}

impl Poll {
    pub(super) fn new(n_classes: usize) -> Self {
        Self {
            counts: vec![0; n_classes],
            total: 0,
        }
    }

    pub(super) fn clear(&mut self) {
        self.counts.fill(0);
        self.total = 0;
    }

    pub(super) fn add(&mut self, code: u32) {
        self.counts[code as usize] += 1;
        self.total += 1;
    }

    /// True if a row of this label stands: more neighbours have its label than any other; in the
    /// conservative form as many are enough. A row without neighbours stands.
    pub(super) fn stands(&self, own: u32, conservative: bool) -> bool {
        let mine = self.counts[own as usize];
        let others = self.counts.iter().enumerate();
        let rival = others
            .filter(|&(c, _)| c != own as usize)
            .map(|(_, &count)| count)
            .max()
            .unwrap_or(0);
        self.total == 0 || mine > rival || (conservative && mine == rival)
    }

    /// What the votes say; of equally frequent labels the one that `in_order` has first.
    pub(super) fn opinion(&self, own: u32, in_order: impl Iterator<Item = u32>) -> Opinion {
        if self.total == 0 {
            return Opinion {
                trust: 1.0,
                label: own,
            };
        }
        Opinion {
            trust: f64::from(self.counts[own as usize]) / f64::from(self.total),
            label: self.winner(in_order).unwrap_or(own),
        }
    }

    /// Counts these votes alone, nearest first, and returns the label that wins.
    pub(super) fn vote(&mut self, in_order: impl Iterator<Item = u32> + Clone) -> Option<u32> {
        self.clear();
        in_order.clone().for_each(|code| self.add(code));
        self.winner(in_order)
    }

    /// The most frequent label; of equals the one that `in_order` has first.
    pub(super) fn winner(&self, mut in_order: impl Iterator<Item = u32>) -> Option<u32> {
        let most = self.counts.iter().copied().max().unwrap_or(0);
        in_order.find(|&code| self.counts[code as usize] == most)
    }
}

/// The nearest rows that speak for and against the label of a row.
#[derive(Debug, Clone, PartialEq)]
pub struct Evidence {
    /// Nearest rows of the same label.
    pub same: Vec<Neighbour>,
    /// Nearest rows of other labels.
    pub other: Vec<Neighbour>,
}

/// Up to `count` nearest rows of the same label and of other labels, for each of the given rows.
pub fn evidence(
    samples: SamplesView<'_>,
    codes: &[u32],
    rows: &[u32],
    count: usize,
) -> Result<Vec<Evidence>> {
    let n_classes = codes.iter().max().map_or(0, |&code| code as usize + 1);
    let mut members: Vec<Vec<u32>> = vec![Vec::new(); n_classes];
    for (i, &code) in codes.iter().enumerate() {
        members[code as usize].push(i as u32);
    }
    let mut all = vec![
        Evidence {
            same: Vec::new(),
            other: Vec::new(),
        };
        rows.len()
    ];
    for (class, members) in members.iter().enumerate().filter(|(_, m)| !m.is_empty()) {
        let index = index_of(samples, Some(members), count)?;
        let lists = index.searcher(samples)?.k_nearest_of(rows, count, true)?;
        for ((found, list), &row) in all.iter_mut().zip(lists).zip(rows) {
            if codes[row as usize] as usize == class {
                found.same = list;
            } else {
                found.other.extend(list);
            }
        }
    }
    for found in &mut all {
        let key = |a: &Neighbour, b: &Neighbour| {
            (a.distance.total_cmp(&b.distance)).then(a.row.cmp(&b.row))
        };
        found.other.sort_unstable_by(key);
        found.other.truncate(count);
    }
    Ok(all)
}

/// The distance of each row to the nearest row of another class; infinite with one class.
pub(super) fn enemy_distances(samples: SamplesView<'_>, codes: &[u32]) -> Result<Vec<f64>> {
    let rows: Vec<u32> = (0..codes.len() as u32).collect();
    let found = evidence(samples, codes, &rows, 1)?;
    let nearest = |found: &Evidence| found.other.first().map_or(f64::INFINITY, |e| e.distance);
    Ok(found.iter().map(nearest).collect())
}
