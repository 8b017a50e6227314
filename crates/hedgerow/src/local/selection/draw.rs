//! Neighbourhoods on which candidates are compared.

use super::{Around, FalkGrid};
use crate::Result;
use crate::data::Generator;
use crate::local::covering::{Ground, put_first};
use crate::local::falk::FalkParams;
use crate::local::store::{Answers, Store};
use crate::neighbours::{DistanceMetric, Searcher};
use std::collections::VecDeque;

/// Cores that are looked up at once.
const BATCH: usize = 32;

/// By how much the least share of a class falls with every core that is refused.
const STEP: f64 = 0.002;

/// Stream of random numbers for the draw.
const TASK: u64 = u64::MAX / 2;

pub(super) struct Draw<'a> {
    pub(super) params: &'a FalkParams,
    pub(super) grid: &'a FalkGrid,
    pub(super) store: &'a Store,
    pub(super) metric: &'a DistanceMetric,
    pub(super) searcher: Searcher<'a>,
    pub(super) k: usize,
    pub(super) core: usize,
}

impl Draw<'_> {
    /// Rows whose neighbourhoods are used: as many as asked for, or all there are.
    pub(super) fn rows(&self) -> Result<Vec<u32>> {
        let mut waiting: VecDeque<u32> = self.pool()?.into();
        let labels = match &self.store.answers {
            Answers::Classes(labels) if self.grid.balance => labels,
            _ => {
                waiting.truncate(self.grid.models);
                return Ok(waiting.into());
            }
        };
        let wanted = self.grid.models.min(waiting.len());
        let mut least = 1.0 / (labels.n_classes() as f64 + 1.0);
        let mut accepted = Vec::with_capacity(wanted);
        while accepted.len() < wanted {
            let batch: Vec<u32> = waiting.drain(..BATCH.min(waiting.len())).collect();
            let leave_out = self.grid.leaves_centre_out(self.store.len());
            let cores = self.searcher.k_nearest_of(&batch, self.core, leave_out)?;
            for (row, core) in batch.into_iter().zip(cores) {
                if accepted.len() == wanted {
                    break;
                }
                let mut counts = vec![0usize; labels.n_classes()];
                for found in &core {
                    counts[labels.codes()[found.row as usize] as usize] += 1;
                }
                let balanced = counts.iter().all(|&count| {
                    let share = count as f64 / core.len() as f64;
                    (least..=1.0 - least).contains(&share)
                });
                // With one class, or once the share has fallen to 0, any core will do.
                if balanced || least <= 0.0 || labels.n_classes() < 2 {
                    accepted.push(row);
                } else {
                    least -= STEP;
                    waiting.push_back(row);
                }
            }
        }
        Ok(accepted)
    }

    /// The rows to draw from, in random order.
    fn pool(&self) -> Result<Vec<u32>> {
        let seed = self.params.local.solver.seed;
        let n_rows = self.store.len();
        let mut pool: Vec<u32> = match self.grid.around {
            Around::Rows => (0..n_rows as u32).collect(),
            Around::Centres => {
                let rows: Vec<u32> = (0..n_rows as u32).collect();
                let ground = Ground {
                    searcher: &self.searcher,
                    samples: self.store.view(),
                    rows: &rows,
                    metric: self.metric,
                    k: self.k,
                    core: self.core,
                };
                self.params.covering(ground)?.centres
            }
        };
        Generator::for_task(seed, TASK).shuffle(&mut pool);
        Ok(pool)
    }

    /// The largest neighbourhoods of some rows, nearest first; each row first in its own, if it is
    /// one of its rows.
    pub(super) fn neighbourhoods(&self, rows: &[u32]) -> Result<Vec<Vec<u32>>> {
        let leave_out = self.grid.leaves_centre_out(self.store.len());
        let found = self.searcher.k_nearest_of(rows, self.k, leave_out)?;
        Ok(rows
            .iter()
            .zip(found)
            .map(|(&row, mut neighbours)| {
                if !leave_out {
                    put_first(&mut neighbours, row);
                }
                neighbours.iter().map(|found| found.row).collect()
            })
            .collect())
    }
}
