//! Rows that come and go after training.
//!
//! What a centre covers is kept as a ball: every row lies within the core radius of the centre that
//! it belongs to. A new row inside such a ball joins it; one outside all of them becomes a centre
//! with a machine of its own. A machine is trained anew, on the neighbourhood that its centre then
//! has, when enough has changed around it:
//!
//! * a new row inside its neighbourhood that it already answers with a full margin would get the
//!   multiplier 0 and change nothing, so only rows that violate the margin count. Margins are
//!   looked at when there are so many new rows that the count could matter;
//! * a removed row counts always if it was a support vector, never otherwise.
//!
//! With [`UpdateParams::refresh`] = 0 one such row is enough, and all machines are those of a fit on
//! the present rows. A larger share bounds how far a machine may lag behind its rows.

use super::covering::{NOBODY, put_first};
use super::falk::{Arrivals, FalkParts, FalkSvm, Radii, learn_all};
use super::far_centres::FarCentres;
use super::learner::{Effort, Learner};
use super::machine::{LocalMachines, LocalModel};
use super::ready::{DecisionScratch, Ready};
use super::store::Answers;
use crate::capability::ROW_TO_REMOVE;
use crate::data::{Dataset, Samples};
use crate::error::ensure_not_negative;
use crate::machines::pairs;
use crate::neighbours::{DistanceMetric, Neighbour};
use crate::parallel::{Grain, try_concat, try_map};
use crate::spares::Spares;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::time::Instant;

/// Rows whose rough distances to all centres are computed together.
const ROWS_AT_ONCE: usize = 12;

/// Rows without a centre whose neighbourhoods are looked for together.
const CENTRES_AT_ONCE: usize = 8;

/// How thorough an update is.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct UpdateParams {
    /// Share of a neighbourhood that may violate the margin of its machine since it was trained
    /// before it is trained anew; 0.02 by default, 0 trains whatever changes.
    pub refresh: f64,
}

impl Default for UpdateParams {
    fn default() -> Self {
        Self { refresh: 0.02 }
    }
}

/// What an update did.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct UpdateReport {
    /// Rows added.
    pub added: usize,
    /// Rows removed.
    pub removed: usize,
    /// Machines trained anew.
    pub retrained: usize,
    /// Centres added.
    pub new_centres: usize,
    /// Centres whose row was removed.
    pub lost_centres: usize,
    /// Wall-clock seconds.
    pub seconds: f64,
}

impl FalkSvm {
    /// Adds rows and removes others, by their number (in the order in which they were trained on
    /// or added, from 0; numbers of removed rows are not used again). Nothing is changed if there
    /// is an error; one that names a row means that of the data to add.
    pub fn update(
        &mut self,
        added: Option<&Dataset>,
        removed: &[u32],
        params: &UpdateParams,
    ) -> Result<UpdateReport> {
        let start = Instant::now();
        ensure_not_negative("refresh", params.refresh)?;
        let removed = &self.stored_rows(removed)?[..];
        if let Some(data) = added {
            data.samples().view().ensure_finite()?;
            self.parts.numbers.ensure_room(data.n_rows())?;
        }
        let before = Before::of(&mut self.parts)?;
        match self.change(added, removed, params.refresh) {
            Ok(report) => Ok(UpdateReport {
                seconds: start.elapsed().as_secs_f64(),
                ..report
            }),
            Err(error) => {
                let n_rows = before.n_rows as u32;
                let number = |stored: u32| match stored.checked_sub(n_rows) {
                    Some(added) => added,
                    None => before.parts.numbers.of(stored),
                };
                let error = error.renumbered(number);
                before.restore(&mut self.parts);
                Err(error)
            }
        }
    }

    /// What can fail halfway.
    fn change(
        &mut self,
        added: Option<&Dataset>,
        removed: &[u32],
        refresh: f64,
    ) -> Result<UpdateReport> {
        let mut n_added = 0;
        if let Some(data) = added {
            n_added = data.n_rows();
            self.parts.store.append(data)?;
            self.parts.numbers.append(n_added);
        }
        let mut change = Change::new(self, refresh)?;
        change.remove(removed)?;
        change.add(n_added)?;
        let report = change.settle()?;
        self.refresh_lookups()?;
        Ok(UpdateReport {
            added: n_added,
            removed: removed.len(),
            ..report
        })
    }

    /// Where the rows that are to be removed are stored.
    fn stored_rows(&self, removed: &[u32]) -> Result<Vec<u32>> {
        let refuse = |number: u32| Error::Parameter {
            name: ROW_TO_REMOVE,
            value: f64::from(number),
            requirement: "the number of a row that the model still has, named once",
        };
        let mut sorted = removed.to_vec();
        sorted.sort_unstable();
        if let Some(twice) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(refuse(twice[0]));
        }
        let owner_of = |row: &u32| self.parts.owner.get(*row as usize);
        let present = |row: &u32| owner_of(row).is_some_and(|&owner| owner != NOBODY);
        let stored = self.parts.numbers.find(removed).into_iter().zip(removed);
        let stored: Vec<u32> = stored
            .map(|(row, &number)| row.filter(present).ok_or_else(|| refuse(number)))
            .collect::<Result<_>>()?;
        let n_present = self.parts.owner.iter().filter(|&&owner| owner != NOBODY);
        if n_present.count() == stored.len() {
            return Err(Error::NoRows);
        }
        Ok(stored)
    }
}

/// A model as it was before an update: a copy of everything but the samples, by far the largest part,
/// which only grow.
struct Before {
    /// Without samples.
    parts: FalkParts,
    n_rows: usize,
}

impl Before {
    fn of(parts: &mut FalkParts) -> Result<Self> {
        let none = Samples::dense(0, 0, Vec::new())?;
        let samples = std::mem::replace(&mut parts.store.samples, none);
        let copy = Self {
            parts: parts.clone(),
            n_rows: samples.n_rows(),
        };
        parts.store.samples = samples;
        Ok(copy)
    }

    /// Takes back all that was changed.
    fn restore(self, parts: &mut FalkParts) {
        let changed = std::mem::replace(parts, self.parts);
        parts.store.samples = changed.store.samples;
        parts.store.samples.truncate(self.n_rows);
    }
}

/// Rows with the centres in whose neighbourhoods they lie.
struct Added {
    rows: Vec<u32>,
    around: Vec<Vec<(u32, f64)>>,
}

/// An update under way.
struct Change<'a> {
    parts: &'a mut FalkParts,
    /// Places of the centres as they are before anything changes; near ones follow one another.
    places: &'a [u32],
    metric: DistanceMetric,
    /// Violations that each machine may have.
    allowed: u32,
    /// Centres whose row was removed.
    lost: Vec<bool>,
    /// Machines that must be trained anew whatever they may have.
    due: Vec<bool>,
    /// Rows without a centre.
    uncovered: Vec<u32>,
    /// The surroundings of the added rows, while centres are what they were.
    added: Option<Added>,
    k: usize,
    core: usize,
}

impl<'a> Change<'a> {
    fn new(model: &'a mut FalkSvm, refresh: f64) -> Result<Self> {
        let (k, core) = model.parts.params.sizes(model.parts.store.len());
        let metric = model.parts.params.metric(&model.parts.store)?;
        let n_centres = model.parts.centres.len();
        Ok(Self {
            parts: &mut model.parts,
            places: &model.centre_places,
            metric,
            allowed: (refresh * k as f64).floor() as u32,
            lost: vec![false; n_centres],
            due: vec![false; n_centres],
            uncovered: Vec::new(),
            added: None,
            k,
            core,
        })
    }

    /// For each row the centres in whose neighbourhood it lies, with the distance.
    fn surroundings(&self, rows: &[u32]) -> Result<Vec<Vec<(u32, f64)>>> {
        let samples = self.parts.store.view();
        let width = samples.n_features();
        let far = match self.metric {
            DistanceMetric::Euclidean => Some(FarCentres::new(samples, self.parts)?),
            _ => None,
        };
        try_concat(rows.len(), ROWS_AT_ONCE, &|part| {
            let rows = &rows[part];
            let is_far = match &far {
                Some(far) => far.far_from(rows)?,
                None => Vec::new(),
            };
            let around = rows.iter().enumerate().map(|(at, &row)| {
                let x = samples.row(row as usize);
                let mut found = Vec::new();
                for (number, &centre) in self.parts.centres.iter().enumerate() {
                    let is_far = is_far.get(at * self.parts.centres.len() + number);
                    if self.lost[number] || is_far == Some(&true) {
                        continue;
                    }
                    let c = samples.row(centre as usize);
                    let distance = self.metric.distance(c, x, width)?;
                    if distance <= self.parts.radii[number].neighbourhood {
                        found.push((number as u32, distance));
                    }
                }
                Ok(found)
            });
            around.collect()
        })
    }

    fn remove(&mut self, removed: &[u32]) -> Result<()> {
        let around = self.surroundings(removed)?;
        for (&row, around) in removed.iter().zip(&around) {
            self.parts.index.remove(row);
            self.parts.owner[row as usize] = NOBODY;
            for &(number, _) in around {
                let arrivals = &mut self.parts.arrivals[number as usize];
                arrivals.unjudged.retain(|&other| other != row);
                if let LocalModel::Machines(machines) = &self.parts.models[number as usize]
                    && machines.support.binary_search(&row).is_ok()
                {
                    self.due[number as usize] = true;
                }
            }
        }
        for number in 0..self.parts.centres.len() {
            let row = self.parts.centres[number];
            self.lost[number] = self.parts.owner[row as usize] == NOBODY;
        }
        for row in 0..self.parts.owner.len() {
            let owner = self.parts.owner[row];
            if owner != NOBODY && self.lost[owner as usize] {
                self.uncovered.push(row as u32);
            }
        }
        Ok(())
    }

    fn add(&mut self, count: usize) -> Result<()> {
        let n_rows = self.parts.store.len();
        let new: Vec<u32> = (n_rows - count..n_rows).map(|row| row as u32).collect();
        self.parts.owner.resize(n_rows, NOBODY);
        self.parts.rank.resize(n_rows, u32::MAX);
        self.parts.index.insert_all(self.parts.store.view(), &new)?;
        let around = self.surroundings(&new)?;
        for (&row, around) in new.iter().zip(&around) {
            for &(number, _) in around {
                self.parts.arrivals[number as usize].unjudged.push(row);
            }
        }
        self.judge()?;
        self.uncovered.extend_from_slice(&new);
        self.added = Some(Added { rows: new, around });
        Ok(())
    }

    /// Counts the violations of the machines that may have too many.
    fn judge(&mut self) -> Result<()> {
        let arrivals = &self.parts.arrivals;
        let may_be_due = |&number: &u32| {
            let Arrivals {
                violations,
                unjudged,
            } = &arrivals[number as usize];
            unjudged.len() as u64 + u64::from(*violations) > u64::from(self.allowed)
        };
        let mut asked: Vec<u32> = (0..arrivals.len() as u32).filter(may_be_due).collect();
        asked.sort_unstable_by_key(|&number| self.places[number as usize]);
        let spares = Spares::<DecisionScratch>::new();
        let violated: Vec<u32> = try_map(asked.len(), Grain::COARSE, &|at| {
            let number = asked[at];
            let unjudged = &arrivals[number as usize].unjudged;
            spares.lend(|scratch| self.count_violated(number, unjudged, scratch))
        })?;
        for (number, count) in asked.into_iter().zip(violated) {
            let arrivals = &mut self.parts.arrivals[number as usize];
            arrivals.violations = arrivals.violations.saturating_add(count);
            arrivals.unjudged.clear();
        }
        Ok(())
    }

    /// How many rows would get a multiplier other than 0 in a machine.
    fn count_violated(
        &self,
        number: u32,
        rows: &[u32],
        scratch: &mut DecisionScratch,
    ) -> Result<u32> {
        let store = &self.parts.store;
        let mut count = 0;
        match &self.parts.models[number as usize] {
            LocalModel::Constant(value) => {
                let differs = |&&row: &&u32| store.answer(row) != *value;
                count = rows.iter().filter(differs).count() as u32;
            }
            LocalModel::Machines(machines) => {
                let samples = store.view();
                let ready = Ready::new(machines, samples)?;
                ready.decide(
                    machines,
                    samples,
                    samples,
                    rows,
                    scratch,
                    &mut |at, decisions| {
                        count += u32::from(self.violates(machines, rows[at], decisions));
                        Ok(())
                    },
                )?;
            }
        }
        Ok(count)
    }

    /// Whether a row with these decision values would get a multiplier other than 0.
    fn violates(&self, machines: &LocalMachines, row: u32, decisions: &[f64]) -> bool {
        match &self.parts.store.answers {
            Answers::Classes(labels) => {
                let code = labels.codes()[row as usize];
                match machines.classes.binary_search(&code) {
                    // A class that the neighbourhood did not have.
                    Err(_) => true,
                    Ok(own) => {
                        let mut all = pairs(machines.classes.len()).zip(decisions);
                        all.any(|((a, b), &value)| {
                            (a == own && value < 1.0) || (b == own && value > -1.0)
                        })
                    }
                }
            }
            Answers::Real(targets) => {
                let error = (targets[row as usize] - decisions[0]).abs();
                error > self.parts.params.local.epsilon
            }
        }
    }

    /// Trains what is due, covers what is not, and closes the gaps that lost centres left.
    fn settle(mut self) -> Result<UpdateReport> {
        self.drop_lost();
        let lost_centres = self.lost.iter().filter(|&&yes| yes).count();
        let due: Vec<u32> = (0..self.parts.centres.len())
            .filter(|&number| {
                self.due[number] || self.parts.arrivals[number].violations > self.allowed
            })
            .map(|number| number as u32)
            .collect();
        if lost_centres > 0 || !due.is_empty() {
            // Numbers or radii of centres will change.
            self.added = None;
        }
        self.retrain(&due)?;
        let before = self.parts.centres.len();
        self.cover()?;
        Ok(UpdateReport {
            added: 0,
            removed: 0,
            retrained: due.len(),
            new_centres: self.parts.centres.len() - before,
            lost_centres,
            seconds: 0.0,
        })
    }

    /// Takes lost centres out and numbers the others anew.
    fn drop_lost(&mut self) {
        let mut number_of = vec![NOBODY; self.lost.len()];
        let mut kept = 0;
        for (number, &lost) in self.lost.iter().enumerate() {
            if !lost {
                number_of[number] = kept;
                kept += 1;
            }
        }
        if kept as usize == self.lost.len() {
            return;
        }
        let parts = &mut *self.parts;
        for owner in &mut parts.owner {
            if *owner != NOBODY {
                *owner = number_of[*owner as usize];
            }
        }
        retain_where(&mut parts.centres, &self.lost);
        retain_where(&mut parts.radii, &self.lost);
        retain_where(&mut parts.models, &self.lost);
        retain_where(&mut parts.arrivals, &self.lost);
        let lost = self.lost.clone();
        retain_where(&mut self.due, &lost);
    }

    /// Gives centres the neighbourhoods that they have now, and machines trained on them.
    fn retrain(&mut self, due: &[u32]) -> Result<()> {
        if due.is_empty() {
            return Ok(());
        }
        let rows: Vec<u32> = due
            .iter()
            .map(|&number| self.parts.centres[number as usize])
            .collect();
        let found = self.neighbourhoods(&rows)?;
        let (models, _) = self.learn(&found, due[0])?;
        let mut is_due = vec![false; self.parts.centres.len()];
        for &number in due {
            is_due[number as usize] = true;
        }
        // Rows keep their centre unless its core no longer reaches them.
        let mut reached = vec![false; self.parts.owner.len()];
        for ((&number, neighbourhood), model) in due.iter().zip(&found).zip(models) {
            let parts = &mut *self.parts;
            parts.radii[number as usize] = Radii::of(neighbourhood, self.core);
            parts.models[number as usize] = model;
            parts.arrivals[number as usize] = Arrivals::default();
            for (rank, neighbour) in (1u32..).zip(neighbourhood.iter().take(self.core)) {
                let row = neighbour.row as usize;
                if parts.owner[row] == number {
                    parts.rank[row] = rank;
                    reached[row] = true;
                }
            }
        }
        for row in 0..self.parts.owner.len() {
            let owner = self.parts.owner[row];
            if owner != NOBODY && is_due[owner as usize] && !reached[row] {
                self.parts.owner[row] = NOBODY;
                self.uncovered.push(row as u32);
            }
        }
        Ok(())
    }

    fn neighbourhoods(&self, centres: &[u32]) -> Result<Vec<Vec<Neighbour>>> {
        let searcher = self.parts.index.searcher(self.parts.store.view())?;
        let mut found = searcher.k_nearest_of(centres, self.k, false)?;
        for (neighbourhood, &centre) in found.iter_mut().zip(centres) {
            put_first(neighbourhood, centre);
        }
        Ok(found)
    }

    fn learn(&self, found: &[Vec<Neighbour>], task: u32) -> Result<(Vec<LocalModel>, Effort)> {
        let learner = Learner::new(&self.parts.store, &self.parts.params.local)?
            .for_neighbourhoods(found.len());
        learn_all(&learner, found, u64::from(task))
    }

    /// Gives every uncovered row a centre: the one whose core it lies deepest in, or itself.
    fn cover(&mut self) -> Result<()> {
        let numbers = &self.parts.numbers;
        self.uncovered.sort_unstable_by_key(|&row| numbers.of(row));
        self.lost = vec![false; self.parts.centres.len()];
        let rows = std::mem::take(&mut self.uncovered);
        let around = match self.added.take() {
            Some(added) if added.rows == rows => added.around,
            _ => self.surroundings(&rows)?,
        };
        let mut alone = Vec::new();
        for (&row, around) in rows.iter().zip(&around) {
            let depth = |&(number, distance): &(u32, f64)| {
                let radius = self.parts.radii[number as usize].core;
                (distance <= radius).then(|| {
                    let share = if radius > 0.0 { distance / radius } else { 0.0 };
                    (share, number)
                })
            };
            let deepest = around
                .iter()
                .filter_map(depth)
                .min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            match deepest {
                Some((_, number)) => {
                    self.parts.owner[row as usize] = number;
                    self.parts.rank[row as usize] = self.core as u32;
                }
                None => alone.push(row),
            }
        }
        let first = self.parts.centres.len();
        let mut new = Vec::new();
        for part in alone.chunks(CENTRES_AT_ONCE) {
            let uncovered = |row: u32, parts: &FalkParts| parts.owner[row as usize] == NOBODY;
            let part: Vec<u32> = part
                .iter()
                .copied()
                .filter(|&row| uncovered(row, self.parts))
                .collect();
            for (&row, found) in part.iter().zip(self.neighbourhoods(&part)?) {
                // One of those just before may have covered it.
                if !uncovered(row, self.parts) {
                    continue;
                }
                let number = (first + new.len()) as u32;
                let parts = &mut *self.parts;
                for (rank, neighbour) in (1u32..).zip(found.iter().take(self.core)) {
                    let covered = neighbour.row as usize;
                    if rank < parts.rank[covered] || parts.owner[covered] == NOBODY {
                        parts.rank[covered] = rank;
                        parts.owner[covered] = number;
                    }
                }
                parts.centres.push(row);
                parts.radii.push(Radii::of(&found, self.core));
                parts.arrivals.push(Arrivals::default());
                new.push(found);
            }
        }
        let (models, _) = self.learn(&new, first as u32)?;
        self.parts.models.extend(models);
        Ok(())
    }
}

/// Keeps the items that are not marked.
fn retain_where<T>(items: &mut Vec<T>, marked: &[bool]) {
    let mut marks = marked.iter();
    items.retain(|_| marks.next() != Some(&true));
}
