//! Local machines made ready to answer.
//!
//! What machines need for an answer, their support vectors as the kernel wants them, is packed when
//! they are asked. Neither that nor the other rows that are asked about change an answer.

use super::machine::LocalMachines;
use crate::data::SamplesView;
use crate::kernel::{Gram, NearRows, NeighbourhoodQueries, QUERIES_AT_ONCE};
use crate::{Error, Result};
use std::ops::Deref;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// Largest error of a decision value that single precision may cause; solvers stop at 1e-3.
const MAX_DECISION_ERROR: f64 = 2e-4;

/// Queries whose kernel values are computed together in double precision.
const DOUBLE_AT_ONCE: usize = 16;

/// Machines with their support vectors packed.
#[derive(Debug)]
pub(super) struct Ready {
    /// `None` where double precision is needed, or the kernel is another.
    near_rows: Option<NearRows>,
}

/// Buffers for one answer after the other.
#[derive(Debug, Default)]
pub(super) struct DecisionScratch {
    queries: NeighbourhoodQueries,
    values: Vec<f32>,
    pub(super) decisions: Vec<f64>,
}

impl Ready {
    /// Packs the support vectors, which are rows of `samples`.
    pub(super) fn new(machines: &LocalMachines, samples: SamplesView<'_>) -> Result<Self> {
        let near_rows = NearRows::of(&machines.kernel, samples, &machines.support)?
            .filter(|rows| rows.rounding() * machines.largest_norm() <= MAX_DECISION_ERROR);
        Ok(Self { near_rows })
    }

    /// Calls `visit(position in group, decision values)` for each query of a group that shares the
    /// machines. A decision value does not depend on the other queries of its group.
    pub(super) fn decide(
        &self,
        machines: &LocalMachines,
        samples: SamplesView<'_>,
        queries: SamplesView<'_>,
        group: &[u32],
        scratch: &mut DecisionScratch,
        visit: &mut dyn FnMut(usize, &[f64]) -> Result<()>,
    ) -> Result<()> {
        let n_support = machines.support.len();
        if let Some(near_rows) = &self.near_rows
            && queries.n_features() <= samples.n_features()
        {
            for (part, asked) in group.chunks(QUERIES_AT_ONCE).enumerate() {
                queries.fetch(asked.iter().copied());
                let rows = asked.iter().map(|&q| queries.row(q as usize));
                near_rows.prepare(rows, &mut scratch.queries);
                scratch.values.resize(QUERIES_AT_ONCE * n_support, 0.0);
                let values = scratch.values.chunks_exact_mut(n_support.max(1));
                let mut values: Vec<&mut [f32]> = values.take(asked.len()).collect();
                near_rows.values_into(&scratch.queries, &mut values);
                for (at, values) in values.iter().enumerate() {
                    machines.decisions_of(values, &mut scratch.decisions);
                    visit(part * QUERIES_AT_ONCE + at, &scratch.decisions)?;
                }
            }
            return Ok(());
        }
        let gram =
            Gram::in_double(&machines.kernel, samples, machines.support.clone())?.sequential(true);
        // A machine without support vectors has an answer too, its threshold.
        let width = n_support.max(1);
        let mut buffer = vec![0.0f64; DOUBLE_AT_ONCE.min(group.len()) * width];
        for (part, asked) in group.chunks(DOUBLE_AT_ONCE).enumerate() {
            let prepared = gram.queries_at(queries, asked)?;
            let values = buffer.chunks_exact_mut(width).take(asked.len());
            let mut values: Vec<&mut [f64]> = values.map(|row| &mut row[..n_support]).collect();
            gram.block_here(&prepared, 0..n_support, &mut values);
            for (at, values) in values.iter().enumerate() {
                machines.decisions_of(values, &mut scratch.decisions);
                visit(part * DOUBLE_AT_ONCE + at, &scratch.decisions)?;
            }
        }
        Ok(())
    }
}

/// The machines of a model. Who is asked once is made ready for that; who is asked again stays so:
/// one pass over many rows asks each machine once, and need not fill the memory with all of them.
#[derive(Debug, Default)]
pub(super) struct ReadyMachines(Vec<Slot>);

#[derive(Debug, Default)]
struct Slot {
    asked_before: AtomicBool,
    ready: OnceLock<Ready>,
}

/// A machine that is ready, for now or for good.
pub(super) enum Lent<'a> {
    Kept(&'a Ready),
    Passing(Ready),
}

impl Deref for Lent<'_> {
    type Target = Ready;

    fn deref(&self) -> &Ready {
        match self {
            Self::Kept(ready) => ready,
            Self::Passing(ready) => ready,
        }
    }
}

impl ReadyMachines {
    /// None of `count` machines is ready.
    pub(super) fn new(count: usize) -> Self {
        Self((0..count).map(|_| Slot::default()).collect())
    }

    /// Machine `number`, ready.
    pub(super) fn get(
        &self,
        number: usize,
        machines: &LocalMachines,
        samples: SamplesView<'_>,
    ) -> Result<Lent<'_>> {
        let slot = self.0.get(number).ok_or(Error::Shape {
            what: "machines that can be made ready",
            expected: number + 1,
            found: self.0.len(),
        })?;
        if let Some(ready) = slot.ready.get() {
            return Ok(Lent::Kept(ready));
        }
        let ready = Ready::new(machines, samples)?;
        Ok(if slot.asked_before.swap(true, Ordering::Relaxed) {
            Lent::Kept(slot.ready.get_or_init(|| ready))
        } else {
            Lent::Passing(ready)
        })
    }
}

impl Clone for ReadyMachines {
    /// The copy makes its machines ready anew.
    fn clone(&self) -> Self {
        Self::new(self.0.len())
    }
}

impl PartialEq for ReadyMachines {
    /// What is ready follows from the machines.
    fn eq(&self, other: &Self) -> bool {
        self.0.len() == other.0.len()
    }
}
