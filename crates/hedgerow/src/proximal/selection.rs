//! Greedy selection of rows: CReGEC's loop on two classes.

use super::chunk::{Candidate, Chunk, Ends};
use super::order::{Table, arrange};
use super::pencil::Surface;
use super::words::{InitialAccuracy, Regularisation, SelectionScore, SubsetOrder};
use crate::data::SamplesView;
use crate::kernel::{Gram, Kernel};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::time::Instant;

/// Rows that are scored before a look at whether the rest could still help.
const SCORED_AT_ONCE: usize = 256;

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
    gram: Gram<'a>,
    table: Table<'a>,
    diagonal: Vec<f64>,
    is_first: Vec<bool>,
    /// Score of a right row of the first and of the second class.
    worth: [u64; 2],
    total: u64,
    chunk: Chunk,
    rows: Vec<usize>,
    /// Kernel values of every row of the chunk with all rows.
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
        let gram = Gram::in_double(kernel, view, (0..n as u32).collect())?;
        let n_first = is_first.iter().filter(|&&first| first).count() as u64;
        let n_second = n as u64 - n_first;
        let worth = match rules.score {
            SelectionScore::Accuracy => [1, 1],
            SelectionScore::Balanced => [n_second, n_first],
        };
        Ok(Self {
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
        let seeds = self.full_score();
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

    /// Adopts a chunk and scores it on all rows.
    pub(super) fn resume(&mut self, rows: &[usize]) -> Result<()> {
        for &row in rows {
            self.add(row)?;
        }
        self.chunk.settle()?;
        self.best = self.full_score();
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

    fn column(&mut self, row: usize) -> Result<Vec<f64>> {
        let n = self.is_first.len();
        let mut column = std::mem::take(&mut self.spare);
        column.resize(n, 0.0);
        let queries = self.gram.own_queries(&[row])?;
        self.gram.block(&queries, 0..n, &mut [&mut column[..]]);
        Ok(column)
    }

    /// Takes a row in unseen.
    fn add(&mut self, row: usize) -> Result<()> {
        let column = self.column(row)?;
        let with_chunk: Vec<f64> = self.columns.iter().map(|column| column[row]).collect();
        self.chunk.add(&Candidate {
            with_chunk: &with_chunk,
            with_itself: self.diagonal[row],
            is_first: self.is_first[row],
        });
        self.columns.push(column);
        self.rows.push(row);
        Ok(())
    }

    /// Takes a row in if the chunk stays right and the score rises.
    fn offer(&mut self, row: usize) -> Result<()> {
        self.tried += 1;
        let with_chunk: Vec<f64> = self.columns.iter().map(|column| column[row]).collect();
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
            let column = self.column(row)?;
            let floor = self.rules.early_exit.then_some(self.best);
            offer.score = self.scored(&enlarged.ends, Some(&column), floor);
            match offer.score {
                Some(score) if score > self.best => {
                    self.best = score;
                    self.chunk.accept(enlarged, &candidate);
                    self.columns.push(column);
                    self.rows.push(row);
                    offer.accepted = true;
                }
                _ => self.spare = column,
            }
        }
        self.trace.push(offer);
        Ok(())
    }

    /// Score of the chunk on all rows.
    fn full_score(&self) -> u64 {
        let ends = self.chunk.ends();
        let score = ends.and_then(|ends| self.scored(ends, None, None));
        score.unwrap_or(0)
    }

    /// Score of surfaces on all rows; `None` as soon as it cannot rise above `floor`.
    fn scored(&self, ends: &Ends, last: Option<&Vec<f64>>, floor: Option<u64>) -> Option<u64> {
        let n = self.is_first.len();
        let [first, second] = &ends.vectors;
        let columns: Vec<&Vec<f64>> = self.columns.iter().chain(last).collect();
        let (mut score, mut left) = (0, self.total);
        let mut values = [[0.0; SCORED_AT_ONCE]; 2];
        for start in (0..n).step_by(SCORED_AT_ONCE) {
            let rows = start..n.min(start + SCORED_AT_ONCE);
            let [one, two] = &mut values;
            one.fill(-first[0]);
            two.fill(-second[0]);
            for ((column, &u), &v) in columns.iter().zip(&first[1..]).zip(&second[1..]) {
                let part = &column[rows.clone()];
                for ((one, two), &k) in one.iter_mut().zip(two.iter_mut()).zip(part) {
                    *one += u * k;
                    *two += v * k;
                }
            }
            for (at, &is_first) in self.is_first[rows].iter().enumerate() {
                let worth = self.worth[usize::from(!is_first)];
                left -= worth;
                if ends.takes_first([one[at], two[at]]) == is_first {
                    score += worth;
                }
            }
            if floor.is_some_and(|floor| score + left <= floor) {
                return None;
            }
        }
        Some(score)
    }

    /// Squared distances of a row to the surfaces of both classes.
    pub(super) fn distances(&self, row: usize) -> Option<[f64; 2]> {
        let ends = self.chunk.ends()?;
        let value = |at: usize| {
            let vector = &ends.vectors[at];
            let columns = self.columns.iter().zip(&vector[1..]);
            let value = columns.map(|(column, u)| u * column[row]).sum::<f64>() - vector[0];
            (value / ends.norms[at]).powi(2)
        };
        Some([value(0), value(1)])
    }

    /// Takes a row in if the score rises, whatever becomes of the chunk.
    pub(super) fn offer_freely(&mut self, row: usize) -> Result<bool> {
        self.tried += 1;
        let with_chunk: Vec<f64> = self.columns.iter().map(|column| column[row]).collect();
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
        let column = self.column(row)?;
        let score = self.scored(&enlarged.ends, Some(&column), Some(self.best));
        let Some(score) = score.filter(|&score| score > self.best) else {
            self.spare = column;
            return Ok(false);
        };
        self.best = score;
        self.chunk.accept(enlarged, &candidate);
        self.columns.push(column);
        self.rows.push(row);
        Ok(true)
    }

    /// True if no row is wrong or a limit is reached.
    pub(super) fn has_ended(&self) -> bool {
        self.is_done()
    }
}
