//! Two classes of some rows, ready for a selection.

use super::pencil::Surface;
use super::selection::{Rules, Selection};
use crate::Result;
use crate::data::{Samples, SamplesView};
use crate::error::ensure_memory;
use crate::kernel::Kernel;

/// Most bytes of rows that are spread out for sorting.
const MAX_BYTES: u64 = 1 << 31;

/// The rows of two classes.
pub(super) struct PairRows {
    /// Where they stand in the data, ascending.
    pub(super) places: Vec<u32>,
    samples: Samples,
    /// The same, dense.
    values: Vec<f64>,
    is_first: Vec<bool>,
}

/// What a selection found.
pub(super) struct Selected {
    /// Places of the chunk in the data.
    pub(super) places: Vec<u32>,
    pub(super) surfaces: [Surface; 2],
    /// Score, and the largest possible one.
    pub(super) score: (u64, u64),
    pub(super) tried: u64,
    pub(super) whole_solves: u64,
    pub(super) trace: Vec<super::selection::Offer>,
}

impl Selected {
    /// Class of every row of the chunk, of those of all rows.
    pub(super) fn classes(&self, class_of_row: &[u32]) -> Vec<u32> {
        let places = self.places.iter();
        places.map(|&place| class_of_row[place as usize]).collect()
    }
}

impl PairRows {
    pub(super) fn new(view: SamplesView<'_>, first: &[u32], second: &[u32]) -> Result<Self> {
        let mut places = [first, second].concat();
        places.sort_unstable();
        let mut is_first = vec![false; places.len()];
        for place in first {
            is_first[places.partition_point(|other| other < place)] = true;
        }
        let width = view.n_features();
        let needed = 8 * (places.len() as u64).saturating_mul(width as u64);
        ensure_memory("the rows of two classes, spread out", needed, MAX_BYTES)?;
        let rows: Vec<usize> = places.iter().map(|&place| place as usize).collect();
        let mut values = vec![0.0; rows.len() * width];
        for (out, &row) in values.chunks_mut(width.max(1)).zip(&rows) {
            view.row(row).write_dense(out);
        }
        Ok(Self {
            samples: view.select(&rows),
            places,
            values,
            is_first,
        })
    }

    /// Positions of places.
    pub(super) fn positions(&self, places: &[u32]) -> Vec<usize> {
        let position = |place: &u32| self.places.partition_point(|other| other < place);
        places.iter().map(position).collect()
    }

    /// Runs a selection; `work` says how.
    pub(super) fn select(
        &self,
        kernel: &Kernel,
        rules: Rules,
        work: impl FnOnce(&mut Selection<'_>) -> Result<()>,
    ) -> Result<Selected> {
        let is_first = self.is_first.clone();
        let view = self.samples.view();
        let mut selection = Selection::new(kernel, view, &self.values, is_first, rules)?;
        work(&mut selection)?;
        let place = |row: usize| self.places[row];
        let mut trace = std::mem::take(&mut selection.trace);
        for offer in &mut trace {
            offer.row = place(offer.row as usize);
        }
        Ok(Selected {
            surfaces: selection.surfaces()?,
            places: selection.rows().iter().map(|&row| place(row)).collect(),
            score: selection.score(),
            tried: selection.tried,
            whole_solves: selection.whole_solves(),
            trace,
        })
    }

    /// Rows, dense, of one of the classes by position.
    pub(super) fn class(&self, first: bool) -> Vec<(usize, &[f64])> {
        let width = self.values.len() / self.places.len().max(1);
        let rows = (0..self.places.len()).filter(|&i| self.is_first[i] == first);
        rows.map(|i| (i, &self.values[i * width..(i + 1) * width]))
            .collect()
    }

    /// Whether the row at a position is of the first class.
    pub(super) fn is_first(&self, position: usize) -> bool {
        self.is_first[position]
    }
}
