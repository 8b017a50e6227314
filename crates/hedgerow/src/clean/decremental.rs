//! Subsets that shrink row by row: DROP1 to DROP5 (Wilson and Martinez, 2000).
//!
//! $S$ is what is left of the rows $T$. Every row has a list of its $k+1$ nearest other rows in $S$;
//! the *associates* of $P$ are the rows that have $P$ in their list. A row is right if most of the
//! first $k$ rows of its list have its label. The *enemy* of a row is the nearest row of $T$ of
//! another class.
//!
//! ```text
//! pass over P of S:  with    = associates of P that are right
//!                    without = associates of P that are right by their lists without P
//!                    if without ≥ with:  S = S \ {P}; every associate of P loses it from its list
//!                                        and gets the next nearest row of S in its place
//!
//! DROP1: a pass in the order of rows, with associates of S only
//! DROP2: a pass with associates of T, those far from their enemy first
//! DROP3: T = ENN(T), then DROP2
//! DROP4: T = T without each P, in the order of rows, that is wrong and has without ≥ with,
//!        then DROP2
//! DROP5: DROP2 with the rows near to their enemy first, then DROP2's pass until one removes nothing
//! ```
//!
//! | document | here |
//! |---|---|
//! | DROP1 to DROP5 | [`DropParams`] with [`DropRule`] |
//! | T, S | the rows after the noise pass, `Reduction::left` |
//! | P.N, k | `Survivors::nearest`, [`DropParams::neighbours`] |
//! | P.A | `Reduction::associates` |
//! | only rows of S are associates (DROP1) | `Witnesses::Left` |
//!
//! What the document leaves open: neighbours are ordered by (distance, row number), of equally
//! frequent labels the one that occurs first wins, and equally distant enemies are visited by row
//! number. A row without an enemy is infinitely far from it. What a noise pass removes leaves $T$ at
//! once and is nobody's associate. A row that has no neighbours is wrong. The last row of $S$ stays,
//! because nobody could answer without it: a single row stays, and of one class two rows stay, since
//! each is right by the other. Only the ENN of DROP3 can remove all rows.

use super::edit::{Edit, EditorCard, Purpose, editor};
use super::surroundings::{Poll, enemy_distances};
use super::survivors::Survivors;
use super::{Editor, EnnParams};
use crate::Result;
use crate::data::{ClassLabels, Dataset, SamplesView};
use crate::params::{Words, params};
use serde::{Deserialize, Serialize};

/// Which of the decremental procedures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, Words)]
pub enum DropRule {
    /// In the order of rows; rows that are gone have no say.
    Drop1,
    /// Rows far from other classes first; rows that are gone still have their say.
    Drop2,
    /// The same after ENN.
    #[default]
    Drop3,
    /// The same after a noise pass that spares rows which others need.
    Drop4,
    /// Rows near to other classes first, then the pass of DROP2 until nothing changes.
    Drop5,
}

/// Parameters of DROP1 to DROP5.
#[params(heading = "Neighbourhoods")]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DropParams {
    /// Neighbours that vote, k; at most all other rows.
    #[param(default = 3, least = 1, short = 'K', alias = "k", tunable)]
    pub neighbours: usize,
    /// Which of the five.
    #[param(default = DropRule::Drop3)]
    pub rule: DropRule,
}

/// Who is asked whether a row may go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Witnesses {
    /// Rows that are left.
    Left,
    /// All rows.
    All,
}

/// Whether a row is asked.
fn has_a_say(witnesses: Witnesses, left: &Survivors<'_>, row: u32) -> bool {
    witnesses == Witnesses::All || left.has(row)
}

/// A set that shrinks.
struct Reduction<'a> {
    codes: &'a [u32],
    k: usize,
    witnesses: Witnesses,
    left: Survivors<'a>,
    /// For each row those that have it among their `k + 1` neighbours.
    associates: Vec<Vec<u32>>,
    poll: Poll,
}

impl<'a> Reduction<'a> {
    fn new(
        samples: SamplesView<'a>,
        labels: &'a ClassLabels,
        k: usize,
        witnesses: Witnesses,
    ) -> Result<Self> {
        let codes = labels.codes();
        let mut left = Survivors::new(samples, k.saturating_add(1))?;
        let mut associates = vec![Vec::new(); codes.len()];
        for row in 0..codes.len() as u32 {
            for other in left.nearest(row)? {
                associates[other as usize].push(row);
            }
        }
        Ok(Self {
            codes,
            k,
            witnesses,
            left,
            associates,
            poll: Poll::new(labels.n_classes()),
        })
    }

    /// Whether the neighbours of a row give it its own label.
    fn is_right(&mut self, row: u32) -> Result<bool> {
        let codes = self.codes;
        let voters = self.left.nearest(row)?.take(self.k);
        let answer = self.poll.vote(voters.map(|other| codes[other as usize]));
        Ok(answer == Some(codes[row as usize]))
    }

    /// Whether at least as many associates are right without a row as with it.
    fn is_dispensable(&mut self, p: u32) -> Result<bool> {
        let codes = self.codes;
        let mut balance = 0i64;
        for &associate in &self.associates[p as usize] {
            if !has_a_say(self.witnesses, &self.left, associate) {
                continue;
            }
            let list = self.left.nearest(associate)?;
            // The last of the list does not vote yet.
            if list.clone().take(self.k).all(|other| other != p) {
                continue;
            }
            let label = |other: u32| codes[other as usize];
            let own = Some(label(associate));
            let with = self.poll.vote(list.clone().take(self.k).map(label)) == own;
            let others = list.filter(|&other| other != p).map(label);
            let without = self.poll.vote(others.take(self.k)) == own;
            balance += i64::from(without) - i64::from(with);
        }
        Ok(balance >= 0)
    }

    fn remove(&mut self, p: u32) -> Result<()> {
        self.left.remove(p)?;
        for associate in std::mem::take(&mut self.associates[p as usize]) {
            if !has_a_say(self.witnesses, &self.left, associate) {
                continue;
            }
            // What came in its place is the farthest; nothing did if no others are left.
            let newcomer = self.left.nearest(associate)?.nth(self.k);
            if let Some(newcomer) = newcomer {
                self.associates[newcomer as usize].push(associate);
            }
        }
        Ok(())
    }

    /// Removes the rows that are dispensable when they are visited; in a noise pass only those
    /// that are wrong. How many there were.
    fn pass(&mut self, order: &[u32], only_noise: bool) -> Result<usize> {
        let before = self.left.len();
        for &p in order {
            if self.left.len() == 1 {
                break;
            }
            let asked = self.left.has(p) && !(only_noise && self.is_right(p)?);
            if asked && self.is_dispensable(p)? {
                self.remove(p)?;
            }
        }
        Ok(before - self.left.len())
    }
}

/// Rows by their distance to the nearest row of another class; equal ones by number.
fn by_enemy(distances: &[f64], nearest_first: bool) -> Vec<u32> {
    let mut order: Vec<u32> = (0..distances.len() as u32).collect();
    order.sort_by(|&a, &b| {
        let ascending = distances[a as usize].total_cmp(&distances[b as usize]);
        let order = if nearest_first {
            ascending
        } else {
            ascending.reverse()
        };
        order.then(a.cmp(&b))
    });
    order
}

impl DropParams {
    /// Whether each row is no noise.
    fn free_of_noise(&self, data: &Dataset) -> Result<Vec<bool>> {
        match self.rule {
            DropRule::Drop3 => {
                let enn = EnnParams::default().with_neighbours(self.neighbours);
                Ok(enn.edit(data)?.keep)
            }
            DropRule::Drop4 => {
                let (view, labels) = (data.samples().view(), data.classes()?);
                let mut all = Reduction::new(view, labels, self.neighbours, Witnesses::Left)?;
                let order: Vec<u32> = (0..labels.len() as u32).collect();
                all.pass(&order, true)?;
                Ok(all.left.into_alive())
            }
            DropRule::Drop1 | DropRule::Drop2 | DropRule::Drop5 => Ok(vec![true; data.n_rows()]),
        }
    }

    /// Which rows are left of some that have no noise pass before them, and the passes it took.
    fn reduced(&self, data: &Dataset) -> Result<(Vec<bool>, u32)> {
        let (view, labels) = (data.samples().view(), data.classes()?);
        let witnesses = if self.rule == DropRule::Drop1 {
            Witnesses::Left
        } else {
            Witnesses::All
        };
        let mut set = Reduction::new(view, labels, self.neighbours, witnesses)?;
        if self.rule == DropRule::Drop1 {
            let order: Vec<u32> = (0..labels.len() as u32).collect();
            set.pass(&order, false)?;
            return Ok((set.left.into_alive(), 1));
        }
        let distances = enemy_distances(view, labels.codes())?;
        let outer_first = by_enemy(&distances, false);
        let mut passes = 1;
        if self.rule == DropRule::Drop5 {
            set.pass(&by_enemy(&distances, true), false)?;
            passes += 1;
            while set.pass(&outer_first, false)? > 0 {
                passes += 1;
            }
        } else {
            set.pass(&outer_first, false)?;
        }
        Ok((set.left.into_alive(), passes))
    }

    fn decide(&self, data: &Dataset) -> Result<Edit> {
        let mut keep = self.free_of_noise(data)?;
        let rows: Vec<usize> = (0..keep.len()).filter(|&i| keep[i]).collect();
        let noise = (keep.len() - rows.len()) as f64;
        let mut passes = 0;
        if rows.len() == keep.len() {
            (keep, passes) = self.reduced(data)?;
        } else if !rows.is_empty() {
            let left;
            (left, passes) = self.reduced(&data.select(&rows))?;
            for (row, left) in rows.into_iter().zip(left) {
                keep[row] = left;
            }
        }
        let edit = Edit::keeping(keep);
        Ok(match self.rule {
            DropRule::Drop1 | DropRule::Drop2 => edit,
            DropRule::Drop3 | DropRule::Drop4 => edit.with_fact("noise_rows", noise),
            DropRule::Drop5 => edit.with_fact("passes", f64::from(passes)),
        })
    }
}

editor!(
    DropParams,
    [
        EditorCard {
            name: "drop1",
            about: "DROP1: remove rows without which those left have as many right answers",
            purpose: Purpose::Clean,
            preset: &[("rule", "drop1")],
            python: "DROP1",
        },
        EditorCard {
            name: "drop2",
            about: "DROP2: DROP1 judged by all rows, those far from other classes first",
            purpose: Purpose::Clean,
            preset: &[("rule", "drop2")],
            python: "DROP2",
        },
        EditorCard {
            name: "drop3",
            about: "DROP3: DROP2 after ENN",
            purpose: Purpose::Clean,
            preset: &[("rule", "drop3")],
            python: "DROP3",
        },
        EditorCard {
            name: "drop4",
            about: "DROP4: DROP2 after a noise pass that spares rows which others need",
            purpose: Purpose::Clean,
            preset: &[("rule", "drop4")],
            python: "DROP4",
        },
        EditorCard {
            name: "drop5",
            about: "DROP5: rows near to other classes first, then DROP2 until nothing changes",
            purpose: Purpose::Clean,
            preset: &[("rule", "drop5")],
            python: "DROP5",
        },
    ]
);
