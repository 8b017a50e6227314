//! Greedy selection of rows: CReGEC's loop on two classes.
//!
//! Most candidates are no better than the chunk. To see that early, rows are scored in an order of
//! their own: first those that are wrong with the chunk, then those that are right by little. The
//! kernel values of a candidate are computed only as far as its score is.

use super::chunk::{Candidate, Chunk, Ends};
use super::order::{Table, arrange};
use super::pencil::Surface;
use super::words::{InitialAccuracy, Regularisation, SelectionScore, SubsetOrder};
use crate::data::SamplesView;
use crate::kernel::{Gram, GramQueries, Kernel};
use crate::linalg::add_pair_values;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::time::Instant;

/// Rows that are scored before a look at whether the rest could still help.
const SCORED_AT_ONCE: usize = 128;
/// Rows are put in order again when so many times their number were scored since, and the chunk
/// has changed.
const SCORED_PER_SORT: usize = 8;

/// What became of a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Offer {
    /// Row of the data, from 0.
    pub row: u32,
    /// Whether it is one of the first class.
    pub is_first: bool,
    /// Whether every row of the chunk stayed right.
    pub keeps_chunk: bool,
    /// Score with it, on all rows; `None` if it was clear before the end that it is no better, or
    /// if the chunk did not stay right.
    pub score: Option<u64>,
    /// Whether it was taken in.
    pub accepted: bool,
}

/// How rows are selected.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rules {
    pub(super) rule: Regularisation,
    pub(super) delta: f64,
    pub(super) order: SubsetOrder,
    pub(super) initial: InitialAccuracy,
    pub(super) score: SelectionScore,
    pub(super) figure_bounds: bool,
    pub(super) max_chunk: Option<usize>,
    pub(super) max_candidates: Option<u64>,
    pub(super) deadline: Option<Instant>,
    pub(super) seed: u64,
    /// Eigenvectors of the smaller problem are the start for the larger one.
    pub(super) warm: bool,
    /// Scoring ends when it is clear that a candidate is no better.
    pub(super) early_exit: bool,
}

/// A selection under way. Rows are numbered as in the view.
pub(super) struct Selection<'a> {
    rules: Rules,
    /// Rows in the order in which they are scored, and where each stands in it.
    sequence: Vec<u32>,
    position: Vec<u32>,
    /// Rows that were scored since they were put in order; whether the chunk has changed since.
    scored_since: usize,
    is_stale: bool,
    /// Of the rows in that order.
    gram: Gram<'a>,
    table: Table<'a>,
    diagonal: Vec<f64>,
    is_first: Vec<bool>,
    /// Score of a right row of the first and of the second class.
    worth: [u64; 2],
    total: u64,
    chunk: Chunk,
    rows: Vec<usize>,
    /// Kernel values of every row of the chunk with all rows, as they are scored.
    columns: Vec<Vec<f64>>,
    spare: Vec<f64>,
    best: u64,
    pub(super) tried: u64,
    pub(super) trace: Vec<Offer>,
}

impl<'a> Selection<'a> {
    /// Without a chunk. `values` are the rows of the view, dense.
    pub(super) fn new(
        kernel: &Kernel,
        view: SamplesView<'a>,
        values: &'a [f64],
        is_first: Vec<bool>,
        rules: Rules,
    ) -> Result<Self> {
        let n = is_first.len();
        let sequence: Vec<u32> = (0..n as u32).collect();
        let gram = Gram::in_double(kernel, view, sequence.clone())?.sequential(true);
        let n_first = is_first.iter().filter(|&&first| first).count() as u64;
        let n_second = n as u64 - n_first;
        let worth = match rules.score {
            SelectionScore::Accuracy => [1, 1],
            SelectionScore::Balanced => [n_second, n_first],
        };
        Ok(Self {
            position: sequence.clone(),
            sequence,
            scored_since: 0,
            is_stale: false,
            diagonal: gram.diagonal()?,
            gram,
            table: Table {
                width: values.len() / n.max(1),
                values,
            },
            is_first,
            total: n_first * worth[0] + n_second * worth[1],
            worth,
            chunk: Chunk::new(rules.rule, [rules.delta; 2], rules.warm),
            rules,
            rows: Vec::new(),
            columns: Vec::new(),
            spare: Vec::new(),
            best: 0,
            tried: 0,
            trace: Vec::new(),
        })
    }

    /// Rows of the chunk, in the order in which they came.
    pub(super) fn rows(&self) -> &[usize] {
        &self.rows
    }

    /// Score of the chunk, and the largest possible one.
    pub(super) fn score(&self) -> (u64, u64) {
        (self.best, self.total)
    }

    /// Eigenproblems that were solved as a whole.
    pub(super) fn whole_solves(&self) -> u64 {
        self.chunk.whole_solves
    }

    /// The surfaces of the chunk, from its whole matrices.
    pub(super) fn surfaces(&mut self) -> Result<[Surface; 2]> {
        self.chunk.settle()
    }

    /// Rows of one class among `rows`, as they are to be offered.
    fn arranged(&self, rows: &[usize], first: bool) -> Vec<usize> {
        let own = |&i: &usize| self.is_first[i] == first;
        let mut rows: Vec<usize> = rows.iter().copied().filter(own).collect();
        let Rules { order, seed, .. } = self.rules;
        arrange(order, &self.table, &mut rows, seed);
        rows
    }

    /// Begins with a row of each class and offers all others in turn.
    pub(super) fn run(&mut self) -> Result<()> {
        let all: Vec<usize> = (0..self.is_first.len()).collect();
        let [mut first, mut second] = [self.arranged(&all, true), self.arranged(&all, false)];
        let (a, b) = self.seeds(&first, &second)?;
        for row in [first.remove(a), second.remove(b)] {
            self.add(row)?;
        }
        self.chunk.settle()?;
        let seeds = self.full_score()?;
        self.best = match self.rules.initial {
            InitialAccuracy::Zero => 0,
            InitialAccuracy::SeedPair => seeds,
        };
        if self.rules.figure_bounds {
            first.pop();
            second.pop();
        }
        self.offer_all(&first, &second)?;
        if self.rows.len() == 2 {
            self.best = seeds;
        }
        Ok(())
    }

    /// Places of the first rows of both classes that differ.
    fn seeds(&self, first: &[usize], second: &[usize]) -> Result<(usize, usize)> {
        let (Some(&a), Some(&b)) = (first.first(), second.first()) else {
            return Err(Error::TooFewClasses {
                needed: 2,
                found: 1,
            });
        };
        let differs = |other: &usize, row: usize| self.table.row(*other) != self.table.row(row);
        if let Some(at) = second.iter().position(|other| differs(other, a)) {
            return Ok((0, at));
        }
        let other = first.iter().position(|other| differs(other, b));
        other.map(|at| (at, 0)).ok_or(Error::SingularPencil)
    }

    /// As [`Selection::run`], from a chunk that has lost all its rows of one class: what is left of it
    /// stays.
    pub(super) fn complete(&mut self, held: &[usize]) -> Result<()> {
        let is_missing = !held.iter().any(|&row| self.is_first[row]);
        let mut open: Vec<usize> = (0..self.is_first.len()).collect();
        open.retain(|row| !held.contains(row));
        let candidates = self.arranged(&open, is_missing);
        let table = &self.table;
        let is_new = |&&row: &&usize| held.iter().all(|&own| table.row(own) != table.row(row));
        let seed = candidates.iter().find(is_new).or(candidates.first());
        let &seed = seed.ok_or(Error::TooFewClasses {
            needed: 2,
            found: 1,
        })?;
        self.resume(&[held, &[seed]].concat())?;
        open.retain(|&row| row != seed);
        self.offer_new(&open)
    }

    /// Adopts a chunk and scores it on all rows.
    pub(super) fn resume(&mut self, rows: &[usize]) -> Result<()> {
        for &row in rows {
            self.add(row)?;
        }
        self.chunk.settle()?;
        self.best = self.full_score()?;
        Ok(())
    }

    /// Offers some rows that are new, those of both classes in turn.
    pub(super) fn offer_new(&mut self, rows: &[usize]) -> Result<()> {
        let (first, second) = (self.arranged(rows, true), self.arranged(rows, false));
        self.offer_all(&first, &second)
    }

    /// Offers rows one by one.
    pub(super) fn offer_again(&mut self, rows: &[usize]) -> Result<()> {
        for &row in rows {
            if self.is_done() {
                break;
            }
            self.offer(row)?;
        }
        Ok(())
    }

    fn offer_all(&mut self, first: &[usize], second: &[usize]) -> Result<()> {
        for k in 0..first.len().max(second.len()) {
            for rows in [first, second] {
                if let Some(&row) = rows.get(k) {
                    if self.is_done() {
                        return Ok(());
                    }
                    self.offer(row)?;
                }
            }
        }
        Ok(())
    }

    fn is_done(&self) -> bool {
        self.best == self.total
            || self
                .rules
                .max_chunk
                .is_some_and(|most| self.rows.len() >= most)
            || self
                .rules
                .max_candidates
                .is_some_and(|most| self.tried >= most)
            || self
                .rules
                .deadline
                .is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// The kernel values of a row with the rows of the chunk.
    fn with_chunk(&self, row: usize) -> Vec<f64> {
        let at = self.position[row] as usize;
        self.columns.iter().map(|column| column[at]).collect()
    }

    fn queries(&self, row: usize) -> Result<GramQueries> {
        self.gram.own_queries(&[self.position[row] as usize])
    }

    /// Takes a row in unseen.
    fn add(&mut self, row: usize) -> Result<()> {
        let n = self.is_first.len();
        let mut column = vec![0.0; n];
        let queries = self.queries(row)?;
        self.gram.block_here(&queries, 0..n, &mut [&mut column[..]]);
        let with_chunk = self.with_chunk(row);
        self.chunk.add(&Candidate {
            with_chunk: &with_chunk,
            with_itself: self.diagonal[row],
            is_first: self.is_first[row],
        });
        self.columns.push(column);
        self.rows.push(row);
        self.is_stale = true;
        Ok(())
    }

    /// Puts the rows in the order in which they are to be scored with the present chunk.
    fn sort(&mut self) -> Result<()> {
        let n = self.is_first.len();
        if !self.is_stale || self.scored_since < SCORED_PER_SORT * n {
            return Ok(());
        }
        (self.is_stale, self.scored_since) = (false, 0);
        let Some(ends) = self.chunk.ends() else {
            return Ok(());
        };
        let columns: Vec<&[f64]> = self.columns.iter().map(Vec::as_slice).collect();
        let [first, second] = &ends.vectors;
        let mut values = [vec![-first[0]; n], vec![-second[0]; n]];
        let [one, two] = &mut values;
        add_pair_values(&columns, [&first[1..], &second[1..]], 0, one, two);
        let mut keys: Vec<(f64, u32)> = self
            .sequence
            .iter()
            .enumerate()
            .map(|(at, &row)| {
                let values = [values[0][at], values[1][at]];
                let is_right = ends.takes_first(values) == self.is_first[row as usize];
                let away = [0, 1].map(|end| values[end].abs() / ends.norms[end]);
                let margin = (away[0] - away[1]).abs() / (away[0] + away[1]);
                (if is_right { margin } else { -1.0 }, row)
            })
            .collect();
        keys.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let sequence: Vec<u32> = keys.into_iter().map(|key| key.1).collect();
        for column in &mut self.columns {
            let place = |row: &u32| column[self.position[*row as usize] as usize];
            *column = sequence.iter().map(place).collect();
        }
        let places = sequence
            .iter()
            .map(|&row| self.position[row as usize] as usize);
        self.gram = self.gram.subset(places)?;
        for (at, &row) in sequence.iter().enumerate() {
            self.position[row as usize] = at as u32;
        }
        self.sequence = sequence;
        Ok(())
    }

    /// Takes a row in if the chunk stays right and the score rises.
    fn offer(&mut self, row: usize) -> Result<()> {
        self.tried += 1;
        self.sort()?;
        let with_chunk = self.with_chunk(row);
        let candidate = Candidate {
            with_chunk: &with_chunk,
            with_itself: self.diagonal[row],
            is_first: self.is_first[row],
        };
        let mut offer = Offer {
            row: row as u32,
            is_first: candidate.is_first,
            keeps_chunk: false,
            score: None,
            accepted: false,
        };
        let enlarged = match self.chunk.enlarged(&candidate) {
            Ok(enlarged) => enlarged,
            // A row that repeats others may leave no surface: it is not needed.
            Err(Error::SingularPencil) => {
                self.trace.push(offer);
                return Ok(());
            }
            Err(error) => return Err(error),
        };
        if self.chunk.keeps_all_right(&enlarged, &candidate) {
            offer.keeps_chunk = true;
            let floor = self.rules.early_exit.then_some(self.best);
            offer.score = self.scored(&enlarged, Some(row), floor)?;
            if let Some(score) = offer.score.filter(|&score| score > self.best) {
                self.take(row, score, enlarged, &candidate);
                offer.accepted = true;
            }
        }
        self.trace.push(offer);
        Ok(())
    }

    /// Takes in a row that was scored to the end.
    fn take(&mut self, row: usize, score: u64, enlarged: Ends, candidate: &Candidate<'_>) {
        self.best = score;
        self.chunk.accept(enlarged, candidate);
        self.columns.push(std::mem::take(&mut self.spare));
        self.rows.push(row);
        self.is_stale = true;
    }

    /// Score of the chunk on all rows.
    fn full_score(&mut self) -> Result<u64> {
        let Some(ends) = self.chunk.ends().cloned() else {
            return Ok(0);
        };
        Ok(self.scored(&ends, None, None)?.unwrap_or(0))
    }

    /// Score of surfaces on all rows; `None` as soon as it cannot rise above `floor`. The kernel values
    /// of a row that is not yet in the chunk are left in `spare`.
    fn scored(
        &mut self,
        ends: &Ends,
        last: Option<usize>,
        floor: Option<u64>,
    ) -> Result<Option<u64>> {
        let n = self.is_first.len();
        let [first, second] = &ends.vectors;
        let queries = last.map(|row| self.queries(row)).transpose()?;
        self.spare.resize(n, 0.0);
        let (mut score, mut left) = (0, self.total);
        let mut values = [[0.0; SCORED_AT_ONCE]; 2];
        for start in (0..n).step_by(SCORED_AT_ONCE) {
            let range = start..n.min(start + SCORED_AT_ONCE);
            if let Some(queries) = &queries {
                let part = &mut self.spare[range.clone()];
                self.gram.block_here(queries, range.clone(), &mut [part]);
            }
            self.scored_since += range.len();
            let [one, two] = &mut values;
            let (one, two) = (&mut one[..range.len()], &mut two[..range.len()]);
            one.fill(-first[0]);
            two.fill(-second[0]);
            let columns: Vec<&[f64]> = self
                .columns
                .iter()
                .chain(queries.as_ref().map(|_| &self.spare))
                .map(Vec::as_slice)
                .collect();
            add_pair_values(&columns, [&first[1..], &second[1..]], start, one, two);
            let values = one.iter().zip(two.iter());
            for (&row, (&one, &two)) in self.sequence[range].iter().zip(values) {
                let is_first = self.is_first[row as usize];
                let worth = self.worth[usize::from(!is_first)];
                left -= worth;
                if ends.takes_first([one, two]) == is_first {
                    score += worth;
                }
            }
            if floor.is_some_and(|floor| score + left <= floor) {
                return Ok(None);
            }
        }
        Ok(Some(score))
    }

    /// Squared distances of a row to the surfaces of both classes.
    pub(super) fn distances(&self, row: usize) -> Option<[f64; 2]> {
        let ends = self.chunk.ends()?;
        let value = |at: usize| {
            let vector = &ends.vectors[at];
            let columns = self.columns.iter().zip(&vector[1..]);
            let place = self.position[row] as usize;
            let value = columns.map(|(column, u)| u * column[place]).sum::<f64>() - vector[0];
            (value / ends.norms[at]).powi(2)
        };
        Some([value(0), value(1)])
    }

    /// Takes a row in if the score rises, whatever becomes of the chunk.
    pub(super) fn offer_freely(&mut self, row: usize) -> Result<bool> {
        self.tried += 1;
        self.sort()?;
        let with_chunk = self.with_chunk(row);
        let candidate = Candidate {
            with_chunk: &with_chunk,
            with_itself: self.diagonal[row],
            is_first: self.is_first[row],
        };
        let enlarged = match self.chunk.enlarged(&candidate) {
            Ok(enlarged) => enlarged,
            Err(Error::SingularPencil) => return Ok(false),
            Err(error) => return Err(error),
        };
        let score = self.scored(&enlarged, Some(row), Some(self.best))?;
        let Some(score) = score.filter(|&score| score > self.best) else {
            return Ok(false);
        };
        self.take(row, score, enlarged, &candidate);
        Ok(true)
    }

    /// True if no row is wrong or a limit is reached.
    pub(super) fn has_ended(&self) -> bool {
        self.is_done()
    }
}
