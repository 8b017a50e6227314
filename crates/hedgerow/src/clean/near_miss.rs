//! NearMiss: under-sampling by the distances to the rarest class (Mani and Zhang, 2003).
//!
//! With $R$ the rows of the rarest class, every other class keeps $|R|$ of its rows $i$:
//!
//! | version | keeps the rows with the | sum of the distances of $i$ to |
//! |---|---|---|
//! | 1 | smallest | its $k$ nearest of $R$ |
//! | 2 | smallest | its $k$ farthest of $R$ |
//! | 3 | largest, of the rows that are among the $p$ nearest of some row of $R$ | its $k$ nearest of $R$ |
//!
//! Of equal sums the lower row number goes first; of equally rare classes the first is the rarest;
//! $k$ and $p$ are at most all rows there are. Version 3 keeps fewer rows if fewer are among the
//! $p$ nearest. A class that is as small as the rarest keeps all of its rows in versions 1 and 2.

use super::edit::{Edit, EditorCard, Purpose, editor};
use super::members::Members;
use super::surroundings::{for_each_other, index_of};
use crate::Result;
use crate::data::{Dataset, SamplesView};
use crate::neighbours::{Neighbour, Searcher};
use crate::params::params;
use serde::{Deserialize, Serialize};

/// Parameters of NearMiss.
#[params(heading = "Resampling")]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NearMissParams {
    /// 1: near to the nearest rare rows; 2: near to the farthest; 3: around every rare row, far.
    #[param(default = 1, least = 1, most = 3)]
    pub version: usize,
    /// Rows of the rarest class that distances are summed over, k; at most all of them.
    #[param(default = 3, least = 1, short = 'K', alias = "k", tunable)]
    pub neighbours: usize,
    /// Rows around every row of the rarest class that version 3 chooses from, p.
    #[param(default = 3, least = 1, tunable)]
    pub candidates: usize,
}

impl NearMissParams {
    /// Rows of a class that are among the nearest of some rare row, ascending.
    fn around(&self, view: SamplesView<'_>, rare: &[u32], rows: &[u32]) -> Result<Vec<u32>> {
        let index = index_of(view, Some(rows), self.candidates)?;
        let mut found = Vec::new();
        for_each_other(&index.searcher(view)?, rare, self.candidates, |_, list| {
            found.extend(list.iter().map(|near| near.row));
        })?;
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }

    /// The best `size` of some rows by their distances to the rare ones.
    fn best(
        &self,
        to_rare: &Searcher<'_>,
        n_rare: usize,
        rows: &[u32],
        size: usize,
    ) -> Result<Vec<u32>> {
        let looked_at = match self.version {
            2 => n_rare,
            _ => self.neighbours.min(n_rare),
        };
        let summed = self.neighbours.min(n_rare);
        let mut ranked = Vec::with_capacity(rows.len());
        for_each_other(to_rare, rows, looked_at, |row, list: &[Neighbour]| {
            let last = &list[list.len().saturating_sub(summed)..];
            let sum: f64 = last.iter().map(|near| near.distance).sum();
            ranked.push((if self.version == 3 { -sum } else { sum }, row));
        })?;
        ranked.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        ranked.truncate(size);
        Ok(ranked.into_iter().map(|(_, row)| row).collect())
    }

    fn decide(&self, data: &Dataset) -> Result<Edit> {
        let labels = data.classes()?;
        let members = Members::new(labels);
        let mut keep = vec![false; labels.len()];
        let Some((rarest, rare)) = members.rarest() else {
            return Ok(Edit::keeping(keep));
        };
        let view = data.samples().view();
        let index = index_of(view, Some(rare), self.neighbours)?;
        let to_rare = index.searcher(view)?;
        for (class, rows) in members.present() {
            let chosen = if class == rarest {
                rows.to_vec()
            } else if self.version == 3 {
                let around = self.around(view, rare, rows)?;
                self.best(&to_rare, rare.len(), &around, rare.len())?
            } else {
                self.best(&to_rare, rare.len(), rows, rare.len())?
            };
            for row in chosen {
                keep[row as usize] = true;
            }
        }
        Ok(Edit::keeping(keep))
    }
}

editor!(
    NearMissParams,
    [EditorCard {
        name: "near-miss",
        about: "NearMiss: of every class the rows nearest to the rarest one, as many as it has",
        purpose: Purpose::Resample,
        preset: &[],
        python: "NearMiss",
    }]
);
