//! Centres whose cores cover all rows.
//!
//! A set of centres $\mathcal C$ is a $k'$-*neighbourhood covering set* of the rows $X$ if every row is
//! among the $k'$ nearest of some centre. Finding a smallest one is NP-hard; following the rows from
//! coarse to fine spreads the centres well:
//! $$c_j = \mathrm{choose}\bigl(S_l \setminus \mathcal X_{j-1}\bigr),\quad
//!   l = \max\{m : S_m \setminus \mathcal X_{j-1} \ne \emptyset\},\quad
//!   \mathcal X_{j-1} = \bigcup_{t<j}\{x_{r_{c_t}(h)} : h \le k'\}$$
//! with $S_i$ the levels of a cover tree. Only the upper levels of a tree of all rows are made, down
//! to the size of a core: the rows that they leave uncovered are then arranged in a tree of their
//! own, again of upper levels only while they are many. Each row belongs to the centre for which its neighbour rank
//! is smallest, the earlier centre on ties.
//!
//! | document | here |
//! |---|---|
//! | $\mathcal C$ | `centres` |
//! | $k$, $k'$ | `k`, `core` |
//! | $r_c(h)$ | the `h`-th entry of a neighbourhood |
//! | $\mathrm{cnt}(x_i)$ | `owner[i]`, with `rank[i]` |

use super::twins::Twins;
use crate::Result;
use crate::data::{Generator, SamplesView};
use crate::neighbours::{CoverTreeParams, DistanceMetric, Neighbour, Searcher, UpperLevels, Visit};
use std::collections::BTreeMap;

/// Candidates whose neighbours are looked up at once. Some are covered by an earlier one of the
/// same batch and looked up in vain; the outcome is that of taking them one by one.
const FIRST_BATCH: usize = 8;
const MAX_BATCH: usize = 256;

/// In which order rows become centres.
#[derive(Debug, Clone, Default, PartialEq)]
struct Order {
    /// One row of every place.
    rows: Vec<u32>,
    /// The other rows at the place of some of them.
    copies: BTreeMap<u32, Vec<u32>>,
}

impl Order {
    /// Rows from coarse to fine, each the first of its twins, with the rows that the metric cannot
    /// tell from it.
    fn by_levels(visits: Vec<Visit>, twins: Option<&Twins>) -> Self {
        let mut order = Self::default();
        for visit in visits {
            let alike = std::iter::once(visit.row).chain(visit.copies);
            let mut others: Vec<u32> = match twins {
                Some(twins) => alike.flat_map(|row| twins.of(row)).copied().collect(),
                None => alike.collect(),
            };
            others.retain(|&row| row != visit.row);
            order.rows.push(visit.row);
            if !others.is_empty() {
                order.copies.insert(visit.row, others);
            }
        }
        order
    }

    /// Rows as they are given.
    fn listed(rows: Vec<u32>) -> Self {
        Self {
            rows,
            copies: BTreeMap::new(),
        }
    }

    /// The other rows at the place of a row.
    fn others(&self, row: u32) -> &[u32] {
        self.copies.get(&row).map_or(&[], Vec::as_slice)
    }

    /// All rows, at random.
    fn random(rows: &[u32], seed: u64) -> Self {
        let mut rows = rows.to_vec();
        Generator::new(seed).shuffle(&mut rows);
        Self::listed(rows)
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
enum Assignment {
    SmallestRank,
    FirstCome,
}

/// Trees of upper levels, each of radii half as large as before, and the number of rows from which
/// they are worth it.
const COARSE_ROUNDS: usize = 6;
const MIN_COARSE: usize = 2000;

/// Rows that the size of a core is taken from.
const SURVEYED: usize = 64;

/// What is covered, and by how much at once.
#[derive(Clone, Copy)]
pub(super) struct Ground<'a> {
    pub(super) searcher: &'a Searcher<'a>,
    pub(super) samples: SamplesView<'a>,
    /// All rows, in the order in which they are considered where nothing else decides.
    pub(super) rows: &'a [u32],
    pub(super) metric: &'a DistanceMetric,
    pub(super) k: usize,
    pub(super) core: usize,
}

impl Covering {
    /// Covers from coarse to fine.
    pub(super) fn by_levels(ground: Ground<'_>, tree: CoverTreeParams) -> Result<Self> {
        let Ground {
            samples, metric, ..
        } = ground;
        let mut covering = Self::nothing(samples.n_rows());
        let assignment = Assignment::SmallestRank;
        // Rows at one place follow the first of them.
        let twins = Twins::new(samples);
        let twins = twins.as_ref();
        let mut left = match twins {
            Some(twins) => twins.first_of_each(ground.rows),
            None => ground.rows.to_vec(),
        };
        let mut ascending = left.clone();
        ascending.sort_unstable();
        let mut radius = ground.core_radius()?;
        let levels = UpperLevels::new(metric, samples, &ascending, tree, radius)?;
        for _ in 0..COARSE_ROUNDS {
            if left.len() < MIN_COARSE {
                break;
            }
            let coarse = Order::by_levels(levels.of(&left, radius)?, twins);
            covering.extend(ground, &coarse, assignment)?;
            left.retain(|&row| covering.is_open(row, twins.map_or(&[], |twins| twins.of(row))));
            radius /= 2.0;
        }
        if !left.is_empty() {
            let fine = Order::by_levels(levels.of(&left, 0.0)?, twins);
            covering.extend(ground, &fine, assignment)?;
        }
        Ok(covering)
    }

    /// Covers at random.
    pub(super) fn simple(ground: Ground<'_>, seed: u64) -> Result<Self> {
        let mut covering = Self::nothing(ground.samples.n_rows());
        let order = Order::random(ground.rows, seed);
        covering.extend(ground, &order, Assignment::FirstCome)?;
        Ok(covering)
    }

    fn nothing(n_rows: usize) -> Self {
        Self {
            owner: vec![NOBODY; n_rows],
            rank: vec![u32::MAX; n_rows],
            ..Self::default()
        }
    }

    /// Covers further rows in `order`.
    fn extend(&mut self, ground: Ground<'_>, order: &Order, assignment: Assignment) -> Result<()> {
        let Ground {
            searcher, k, core, ..
        } = ground;
        let mut next = 0;
        let mut batch_size = FIRST_BATCH;
        let mut batch = Vec::new();
        while next < order.rows.len() {
            batch.clear();
            while next < order.rows.len() && batch.len() < batch_size {
                let row = order.rows[next];
                next += 1;
                if self.is_open(row, order.others(row)) {
                    batch.push(row);
                }
            }
            let found = searcher.k_nearest_of(&batch, k, false)?;
            let mut wasted = 0;
            for (&row, mut neighbourhood) in batch.iter().zip(found) {
                if self.is_open(row, order.others(row)) {
                    put_first(&mut neighbourhood, row);
                    self.adopt(row, neighbourhood, core, assignment);
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
                if self.owner[copy as usize] == NOBODY {
                    self.owner[copy as usize] = self.owner[row as usize];
                    self.rank[copy as usize] = core as u32;
                }
            }
        }
        Ok(())
    }

    /// Whether a row, or another at its place, is not covered.
    fn is_open(&self, row: u32, others: &[u32]) -> bool {
        let open = |row: &u32| self.owner[*row as usize] == NOBODY;
        open(&row) || others.iter().any(open)
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

impl Ground<'_> {
    /// How far the rows of a core are from its centre, at the median of some centres.
    fn core_radius(&self) -> Result<f64> {
        let stride = self.rows.len().div_ceil(SURVEYED).max(1);
        let some: Vec<u32> = self.rows.iter().copied().step_by(stride).collect();
        let found = self.searcher.k_nearest_of(&some, self.core, false)?;
        let mut radii: Vec<f64> = found
            .iter()
            .filter_map(|core| core.last().map(|last| last.distance))
            .collect();
        radii.sort_by(f64::total_cmp);
        Ok(radii.get(radii.len() / 2).copied().unwrap_or(0.0))
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
