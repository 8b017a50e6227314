//! Cover trees (Beygelzimer, Kakade, Langford, ICML 2006), for any metric.
//!
//! For a base $b > 1$ the points on level $i$ form a set $C_i$ such that
//!
//! * $C_{i+1} \subset C_i$ (nesting),
//! * every $p \in C_{i-1}$ has one parent $q \in C_i$ with $d(p,q) \le b^i$ (covering),
//! * different $p, q \in C_i$ have $d(p,q) > b^i$ (separation).
//!
//! | symbol | here |
//! |---|---|
//! | $b$ | `base` |
//! | $b^i$ | `Powers::radius` |
//! | $\rho_i = b^i/(b-1)$, the farthest that a descendant of a point of $C_{i-1}$ can be | `Powers::reach` |
//! | node of $p$ on level $i$ | `Node`, if it has a child other than itself, or no node above |
//!
//! Points at distance 0 share a node. Levels are as small or large as the distances are: with
//! double precision no distance but 0 lies outside $b^{\pm 540/\log_2 b}$.

mod build;
mod check;
mod coded;
mod edit;
mod levels;
mod order;
mod rough;
mod search;
mod space;

pub(crate) use levels::UpperLevels;
pub use order::Visit;
pub(super) use search::CoverScratch;
pub(super) use space::{Prepared, Space};

use super::DistanceMetric;
use crate::data::SamplesView;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Beyond this the base is so near to 1 that a tree would be all levels.
const MAX_RELAXATION: u32 = 32;
/// No node.
const NONE: u32 = u32::MAX;

/// How a cover tree is built.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CoverTreeParams {
    /// The number $R$ behind FaLKM-lib's option `-R`: the base is 2 for 0, else
    /// $1.00001 \cdot 2^{1/(R+1)}$. Default 0: fewest levels, and the fastest to build.
    pub relaxation: u32,
    /// Search with the slack $b^{i+R}$ of the published programs, which is smaller than the exact
    /// one for $R \ge 1$: neighbours may be missed. Default false.
    pub relaxed: bool,
}

impl CoverTreeParams {
    /// An error if the relaxation is out of its range.
    pub fn check(self) -> Result<()> {
        if self.relaxation > MAX_RELAXATION {
            return Err(Error::Parameter {
                name: "relaxation",
                value: f64::from(self.relaxation),
                requirement: "an integer from 0 to 32",
            });
        }
        Ok(())
    }

    /// The base.
    pub fn base(self) -> f64 {
        if self.relaxation == 0 {
            2.0
        } else {
            1.00001 * (1.0 / (f64::from(self.relaxation) + 1.0)).exp2()
        }
    }
}

/// A point on the highest level where it has something below it, or on the level it came in at.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Node {
    row: u32,
    level: i32,
    parent: u32,
    /// Position of the children in the list of children, their number, and room for more.
    first: u32,
    count: u32,
    room: u32,
    /// Distance to the parent.
    parent_dist: f64,
    /// Largest distance to a descendant.
    max_desc_dist: f64,
    /// Whether other rows lie at the same place.
    has_copies: bool,
}

/// A cover tree over rows of some samples, which it does not own.
///
/// The tree knows nothing of the samples but the numbers of their rows: every call that needs
/// distances is given the samples that the tree was built on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Stored")]
pub struct CoverTree {
    metric: DistanceMetric,
    params: CoverTreeParams,
    n_features: usize,
    /// The first is the root. Children of a node stand together after a batch build.
    nodes: Vec<Node>,
    children: Vec<u32>,
    /// Rows at the same place as the row of a node, ascending.
    copies: BTreeMap<u32, Vec<u32>>,
    /// Rows that only show the way to others: they were removed.
    gone: BTreeSet<u32>,
    n_rows: usize,
}

/// What is stored of a tree.
#[derive(Deserialize)]
struct Stored {
    metric: DistanceMetric,
    params: CoverTreeParams,
    n_features: usize,
    nodes: Vec<Node>,
    children: Vec<u32>,
    copies: BTreeMap<u32, Vec<u32>>,
    gone: BTreeSet<u32>,
    n_rows: usize,
}

/// Powers of the base.
#[derive(Debug, Clone, Copy)]
struct Powers {
    log2_base: f64,
    inverse: f64,
}

impl Powers {
    fn new(base: f64) -> Self {
        Self {
            log2_base: base.log2(),
            inverse: 1.0 / (base - 1.0),
        }
    }

    /// $b^i$.
    fn radius(self, level: i32) -> f64 {
        (f64::from(level) * self.log2_base).exp2()
    }

    /// $\rho_i$.
    fn reach(self, level: i32) -> f64 {
        self.radius(level) * self.inverse
    }

    /// The smallest level whose radius is at least `distance > 0`.
    fn level_of(self, distance: f64) -> i32 {
        let mut level = (distance.log2() / self.log2_base).ceil() as i32;
        while self.radius(level) < distance {
            level += 1;
        }
        while self.radius(level - 1) >= distance {
            level -= 1;
        }
        level
    }
}

impl CoverTree {
    /// Builds a tree on the given rows of `samples` (all of them for `None`).
    ///
    /// The metric must be one: kernels that are not positive definite give distances that break
    /// the triangle inequality, and a tree that may miss neighbours.
    pub fn build(
        metric: &DistanceMetric,
        samples: SamplesView<'_>,
        rows: Option<&[u32]>,
        params: CoverTreeParams,
    ) -> Result<Self> {
        metric.check()?;
        let rows = rows.map_or_else(|| (0..samples.n_rows() as u32).collect(), <[u32]>::to_vec);
        if rows.is_empty() {
            return Err(Error::NoRows);
        }
        super::index::ensure_rows(&rows, samples)?;
        let prepared = Prepared::new(metric, samples)?;
        Self::on(&prepared, metric, samples, &rows, params)
    }

    /// As [`CoverTree::build`], for rows that were checked and prepared. An error if distances
    /// overflow.
    pub(super) fn on(
        prepared: &Prepared,
        metric: &DistanceMetric,
        samples: SamplesView<'_>,
        rows: &[u32],
        params: CoverTreeParams,
    ) -> Result<Self> {
        let mut tree = Self::without_nodes(metric, samples, rows.len(), params)?;
        let mut ascending = rows.to_vec();
        ascending.sort_unstable();
        let space = Space::new(metric, samples, prepared);
        tree.fill(space, &ascending, i32::MIN, None)?;
        Ok(tree)
    }

    fn without_nodes(
        metric: &DistanceMetric,
        samples: SamplesView<'_>,
        n_rows: usize,
        params: CoverTreeParams,
    ) -> Result<Self> {
        params.check()?;
        Ok(Self {
            metric: metric.clone(),
            params,
            n_features: samples.n_features(),
            nodes: Vec::new(),
            children: Vec::new(),
            copies: BTreeMap::new(),
            gone: BTreeSet::new(),
            n_rows,
        })
    }

    /// Number of rows in the tree.
    pub fn len(&self) -> usize {
        self.n_rows
    }

    /// True without rows.
    pub fn is_empty(&self) -> bool {
        self.n_rows == 0
    }

    /// The metric.
    pub fn metric(&self) -> &DistanceMetric {
        &self.metric
    }

    /// Number of features of the samples.
    pub(super) fn n_features(&self) -> usize {
        self.n_features
    }

    /// How the tree was built.
    pub fn params(&self) -> CoverTreeParams {
        self.params
    }

    /// Number of nodes.
    pub fn n_nodes(&self) -> usize {
        self.nodes.len()
    }

    fn powers(&self) -> Powers {
        Powers::new(self.params.base())
    }

    fn children(&self, node: &Node) -> &[u32] {
        &self.children[node.first as usize..(node.first + node.count) as usize]
    }

    /// All rows of the tree, in no particular order.
    pub(super) fn rows(&self) -> impl Iterator<Item = u32> {
        let placed = self.nodes.iter().enumerate();
        let first_of_row = placed.filter(|&(at, node)| {
            // The node above of the same row was counted already.
            at == 0 || self.nodes[node.parent as usize].row != node.row
        });
        first_of_row
            .map(|(_, node)| node.row)
            .chain(self.copies.values().flatten().copied())
            .filter(|row| !self.gone.contains(row))
    }
}

impl TryFrom<Stored> for CoverTree {
    type Error = Error;

    fn try_from(stored: Stored) -> Result<Self> {
        let tree = Self {
            metric: stored.metric,
            params: stored.params,
            n_features: stored.n_features,
            nodes: stored.nodes,
            children: stored.children,
            copies: stored.copies,
            gone: stored.gone,
            n_rows: stored.n_rows,
        };
        tree.metric.check()?;
        tree.check_links()?;
        Ok(tree)
    }
}
