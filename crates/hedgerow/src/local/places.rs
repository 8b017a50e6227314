//! The places of rows, where many rows share theirs.

use super::falk::FalkParts;
use super::twins::Twins;
use crate::Result;
use crate::neighbours::{Index, IndexParams};
use std::sync::OnceLock;

/// One row of every place, where many rows share theirs; looked for when it is first needed.
#[derive(Debug, Default)]
pub(super) struct Places(OnceLock<Option<Index>>);

impl Places {
    pub(super) fn get_or_look(&self, parts: &FalkParts) -> Result<Option<&Index>> {
        if let Some(known) = self.0.get() {
            return Ok(known.as_ref());
        }
        let found = place_lookup(parts)?;
        Ok(self.0.get_or_init(|| found).as_ref())
    }
}

impl Clone for Places {
    /// The copy looks anew.
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl PartialEq for Places {
    /// Where the places are follows from the rows.
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// Rows for each place from which on the places have an index of their own.
const ROWS_A_PLACE: f64 = 1.25;

/// An index of the first row of every place, if many rows share a place with others: whoever asks
/// for the nearest row need not look at the others.
fn place_lookup(parts: &FalkParts) -> Result<Option<Index>> {
    let samples = parts.store.view();
    let Some(twins) = Twins::if_frequent(samples, ROWS_A_PLACE) else {
        return Ok(None);
    };
    let mut present = vec![false; samples.n_rows()];
    for row in parts.index.rows() {
        present[row as usize] = true;
    }
    let is_first = |&row: &u32| {
        let here = twins.of(row).iter();
        here.copied().find(|&twin| present[twin as usize]) == Some(row)
    };
    let places: Vec<u32> = (0..samples.n_rows() as u32).filter(is_first).collect();
    if places.is_empty() {
        return Ok(None);
    }
    let params = IndexParams {
        structure: parts.index.structure(),
        ..parts.params.index.clone()
    };
    Index::build(parts.index.metric(), samples, Some(&places), &params).map(Some)
}
