//! A subset that grows, with the member that is nearest to each row.

use crate::Result;
use crate::data::{Row, SamplesView};
use crate::neighbours::DistanceMetric;
use crate::parallel::{Grain, try_for_each};

/// Rows of a task: enough distances to be worth a thread.
const CHUNK: usize = 512;

/// The Euclidean distance of a row of the samples and another row.
pub(super) fn distance(samples: SamplesView<'_>, i: usize, other: Row<'_>) -> Result<f64> {
    DistanceMetric::Euclidean.distance(samples.row(i), other, samples.n_features())
}

/// For each row the answer of `task`, computed in chunks.
pub(super) fn of_rows<R: Send>(
    n: usize,
    task: &(dyn Fn(usize) -> Result<R> + Sync),
) -> Result<Vec<R>> {
    crate::parallel::try_concat(n, CHUNK.min(n.div_ceil(16)).max(1), &|range| {
        range.map(task).collect()
    })
}

/// A member and how far it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Nearest {
    pub(super) distance: f64,
    pub(super) row: u32,
}

impl Nearest {
    /// Nobody yet.
    pub(super) const NONE: Self = Self {
        distance: f64::INFINITY,
        row: u32::MAX,
    };

    /// True if this one comes first by (distance, row number).
    pub(super) fn before(self, other: Self) -> bool {
        (self.distance.total_cmp(&other.distance))
            .then(self.row.cmp(&other.row))
            .is_lt()
    }

    /// The one of two that comes first.
    pub(super) fn first(self, other: Self) -> Self {
        if other.before(self) { other } else { self }
    }
}

/// The nearest member of the own class and of the others.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sides {
    pub(super) friend: Nearest,
    pub(super) enemy: Nearest,
}

impl Sides {
    /// The nearest member of any class.
    pub(super) fn nearest(&self) -> Nearest {
        self.friend.first(self.enemy)
    }

    /// True if the nearest member is of the own class.
    pub(super) fn is_right(&self) -> bool {
        self.friend.before(self.enemy)
    }
}

/// A subset of labelled rows to which rows are added one by one, each in one pass over all rows.
pub(super) struct Subset<'a> {
    samples: SamplesView<'a>,
    codes: &'a [u32],
    members: Vec<bool>,
    sides: Vec<Sides>,
}

impl<'a> Subset<'a> {
    /// No members.
    pub(super) fn new(samples: SamplesView<'a>, codes: &'a [u32]) -> Self {
        let nobody = Sides {
            friend: Nearest::NONE,
            enemy: Nearest::NONE,
        };
        Self {
            samples,
            codes,
            members: vec![false; codes.len()],
            sides: vec![nobody; codes.len()],
        }
    }

    /// The first row of each class.
    pub(super) fn of_first_rows(samples: SamplesView<'a>, codes: &'a [u32]) -> Result<Self> {
        let mut subset = Self::new(samples, codes);
        let mut seen = std::collections::BTreeSet::new();
        for (row, &code) in codes.iter().enumerate() {
            if seen.insert(code) {
                subset.add(row)?;
            }
        }
        Ok(subset)
    }

    /// Adds a row.
    pub(super) fn add(&mut self, row: usize) -> Result<()> {
        self.members[row] = true;
        let (samples, codes) = (self.samples, self.codes);
        let added = samples.row(row);
        try_for_each(
            self.sides.chunks_mut(CHUNK),
            Grain::COARSE,
            &|part, sides| {
                for (i, sides) in (part * CHUNK..).zip(sides) {
                    let found = Nearest {
                        distance: distance(samples, i, added)?,
                        row: row as u32,
                    };
                    if codes[i] == codes[row] {
                        sides.friend = sides.friend.first(found);
                    } else {
                        sides.enemy = sides.enemy.first(found);
                    }
                }
                Ok(())
            },
        )
    }

    /// Whether a row is a member.
    pub(super) fn has(&self, row: usize) -> bool {
        self.members[row]
    }

    /// The members that are nearest to a row; a member is nearest to itself but for copies.
    pub(super) fn sides(&self, row: usize) -> &Sides {
        &self.sides[row]
    }

    /// Whether each row is a member.
    pub(super) fn into_members(self) -> Vec<bool> {
        self.members
    }
}
