//! Centres whose cores cover all rows.
//!
//! A set of centres $\mathcal C$ is a $k'$-*neighbourhood covering set* of the rows $X$ if every row is
//! among the $k'$ nearest of some centre. Finding a smallest one is NP-hard; following the rows from
//! coarse to fine spreads the centres well:
//! $$c_j = \mathrm{choose}\bigl(S_l \setminus \mathcal X_{j-1}\bigr),\quad
//!   l = \max\{m : S_m \setminus \mathcal X_{j-1} \ne \emptyset\},\quad
//!   \mathcal X_{j-1} = \bigcup_{t<j}\{x_{r_{c_t}(h)} : h \le k'\}$$
//! with $S_i$ the levels of a cover tree. Each row belongs to the centre for which its neighbour rank
//! is smallest, the earlier centre on ties.
//!
//! | document | here |
//! |---|---|
//! | $\mathcal C$ | `centres` |
//! | $k$, $k'$ | `k`, `core` |
//! | $r_c(h)$ | the `h`-th entry of a neighbourhood |
//! | $\mathrm{cnt}(x_i)$ | `owner[i]`, with `rank[i]` |

use crate::Result;
use crate::data::Generator;
use crate::neighbours::{Neighbour, Searcher, Visit};
use std::collections::BTreeMap;

/// Candidates whose neighbours are looked up at once. Some are covered by an earlier one of the
/// same batch and looked up in vain; the outcome is that of taking them one by one.
const FIRST_BATCH: usize = 8;
const MAX_BATCH: usize = 256;

/// In which order rows become centres.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Order {
    /// One row of every place.
    rows: Vec<u32>,
    /// The other rows at the place of some of them.
    copies: BTreeMap<u32, Vec<u32>>,
}

impl Order {
    /// From coarse to fine.
    pub(super) fn by_levels(visits: Vec<Visit>) -> Self {
        let mut order = Self::default();
        for visit in visits {
            order.rows.push(visit.row);
            if !visit.copies.is_empty() {
                order.copies.insert(visit.row, visit.copies);
            }
        }
        order
    }

    /// All rows, at random.
    pub(super) fn random(n_rows: usize, seed: u64) -> Self {
        let mut rows: Vec<u32> = (0..n_rows as u32).collect();
        Generator::new(seed).shuffle(&mut rows);
        Self {
            rows,
            copies: BTreeMap::new(),
        }
    }
}

/// Owner of a row that is not covered yet.
pub(super) const NOBODY: u32 = u32::MAX;

/// Centres and who belongs to whom.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Covering {
    /// Rows of the centres in the order they were chosen.
    pub(super) centres: Vec<u32>,
    /// The `k` nearest rows of each centre, nearest first.
    pub(super) neighbourhoods: Vec<Vec<Neighbour>>,
    /// Number of the centre that each row belongs to.
    pub(super) owner: Vec<u32>,
    /// Neighbour rank of each row there, from 1.
    pub(super) rank: Vec<u32>,
}

/// Whether a row looks for the centre nearest in rank, or stays with the first that covers it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Assignment {
    SmallestRank,
    FirstCome,
}

impl Covering {
    /// Covers the rows in `order`.
    pub(super) fn new(
        searcher: &Searcher<'_>,
        n_rows: usize,
        order: &Order,
        k: usize,
        core: usize,
        assignment: Assignment,
    ) -> Result<Self> {
        let mut covering = Self {
            owner: vec![NOBODY; n_rows],
            rank: vec![u32::MAX; n_rows],
            ..Self::default()
        };
        let mut next = 0;
        let mut batch_size = FIRST_BATCH;
        let mut batch = Vec::new();
        while next < order.rows.len() {
            batch.clear();
            while next < order.rows.len() && batch.len() < batch_size {
                let row = order.rows[next];
                next += 1;
                if covering.is_open(order, row) {
                    batch.push(row);
                }
            }
            let found = searcher.k_nearest_of(&batch, k, false)?;
            let mut wasted = 0;
            for (&row, mut neighbourhood) in batch.iter().zip(found) {
                if covering.is_open(order, row) {
                    put_first(&mut neighbourhood, row);
                    covering.adopt(row, neighbourhood, core, assignment);
                } else {
                    wasted += 1;
                }
            }
            batch_size = if 4 * wasted > batch.len() {
                (batch_size / 2).max(FIRST_BATCH)
            } else {
                (batch_size * 2).min(MAX_BATCH)
            };
        }
        // More copies than a core holds stay together.
        for (&row, copies) in &order.copies {
            for &copy in copies {
                if covering.owner[copy as usize] == NOBODY {
                    covering.owner[copy as usize] = covering.owner[row as usize];
                    covering.rank[copy as usize] = core as u32;
                }
            }
        }
        Ok(covering)
    }

    /// Whether a place has rows that are not covered.
    fn is_open(&self, order: &Order, row: u32) -> bool {
        let open = |row: &u32| self.owner[*row as usize] == NOBODY;
        open(&row)
            || order
                .copies
                .get(&row)
                .is_some_and(|copies| copies.iter().any(open))
    }

    /// Makes a row a centre.
    fn adopt(
        &mut self,
        centre: u32,
        neighbourhood: Vec<Neighbour>,
        core: usize,
        assignment: Assignment,
    ) {
        let number = self.centres.len() as u32;
        for (rank, neighbour) in (1u32..).zip(neighbourhood.iter().take(core)) {
            let row = neighbour.row as usize;
            let takes = match assignment {
                Assignment::SmallestRank => rank < self.rank[row],
                Assignment::FirstCome => self.owner[row] == NOBODY,
            };
            if takes {
                self.rank[row] = rank;
                self.owner[row] = number;
            }
        }
        self.centres.push(centre);
        self.neighbourhoods.push(neighbourhood);
    }
}

/// Puts the centre itself before copies of it that have a smaller number. Where more copies than
/// neighbours exist it may not have been found at all: it then replaces the last copy.
pub(super) fn put_first(neighbourhood: &mut Vec<Neighbour>, centre: u32) {
    if let Some(place) = neighbourhood.iter().position(|found| found.row == centre) {
        neighbourhood[..=place].rotate_right(1);
    } else {
        neighbourhood.pop();
        let itself = Neighbour {
            row: centre,
            distance: 0.0,
        };
        neighbourhood.insert(0, itself);
    }
}
