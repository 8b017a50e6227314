//! Nearest neighbours in a cover tree: always the node that may hold the nearest point first.

use super::space::Point;
use super::{CoverTree, Node, Space};
use crate::data::{Row, SamplesView};
use crate::neighbours::brute::pair_by_pair;
use crate::neighbours::candidates::Candidates;
use crate::neighbours::rank::{Asked, Buffers, nearest_of};
use crate::neighbours::searcher::extent;
use crate::neighbours::{Neighbour, index::ensure_finite};
use crate::{Error, Result};
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Largest distance that is certain to have a square.
pub(super) const FARTHEST: f64 = 1e150;

/// Buffers of one search.
#[derive(Debug, Clone, Default)]
pub(in crate::neighbours) struct CoverScratch {
    point: Point,
    heap: BinaryHeap<Waiting>,
    level: Vec<(u32, f64)>,
    /// Distances that all searches so far have computed.
    pub(in crate::neighbours) distances: usize,
}

/// A node whose children were not looked at yet.
#[derive(Debug, Clone, Copy)]
struct Waiting {
    /// No descendant is nearer.
    bound: f64,
    node: u32,
    distance: f64,
}

impl PartialEq for Waiting {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for Waiting {}
impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Waiting {
    /// The heap gives the largest first: the smallest bound is meant.
    fn cmp(&self, other: &Self) -> Ordering {
        (other.bound.total_cmp(&self.bound)).then_with(|| other.node.cmp(&self.node))
    }
}

/// How far computed distances may be off.
#[derive(Clone, Copy)]
struct Slack {
    share: f64,
    amount: f64,
}

impl Slack {
    /// The least that a number computed from distances as large as `scale` can stand for.
    fn below(self, value: f64, scale: f64) -> f64 {
        value - self.share * scale - 3.0 * self.amount
    }
}

impl CoverTree {
    /// The `k` nearest rows of a query among those in the tree, `left_out` excepted.
    ///
    /// Prepares the samples for this one query: for many, use an [`Index`](super::super::Index).
    pub fn k_nearest(
        &self,
        samples: SamplesView<'_>,
        query: Row<'_>,
        k: usize,
        left_out: Option<u32>,
    ) -> Result<Vec<Neighbour>> {
        self.ensure_samples(samples)?;
        ensure_finite(query, 0)?;
        let prepared = super::Prepared::new(&self.metric, samples)?;
        let space = Space::new(&self.metric, samples, &prepared);
        let mut found = Candidates::default();
        found.begin(k, left_out);
        let n_features = samples.n_features().max(extent(query));
        if !self.search(space, query, &mut CoverScratch::default(), &mut found) {
            let rows: Vec<u32> = self.rows().collect();
            pair_by_pair(&self.metric, samples, &rows, query, n_features, &mut found)?;
        }
        let asked = Asked {
            metric: &self.metric,
            samples,
            query,
            n_features,
        };
        let mut list = Vec::new();
        nearest_of(asked, found.finish(), k, &mut Buffers::default(), &mut list)?;
        Ok(list)
    }

    /// An error unless `samples` can be those that the tree was built on.
    pub(in crate::neighbours) fn ensure_samples(&self, samples: SamplesView<'_>) -> Result<()> {
        let last = self.nodes.iter().map(|node| node.row).max();
        let copy = self.copies.values().flatten().copied().max();
        let needed = last.max(copy).map_or(0, |row| row as usize + 1);
        if samples.n_rows() < needed {
            return Err(Error::Shape {
                what: "rows of the samples of a cover tree (at least)",
                expected: needed,
                found: samples.n_rows(),
            });
        }
        if samples.n_features() != self.n_features {
            return Err(Error::Shape {
                what: "features of the samples of a cover tree",
                expected: self.n_features,
                found: samples.n_features(),
            });
        }
        Ok(())
    }

    /// Adds the rows that may be among the nearest. Returns false, having added nothing, if the
    /// query has features that the samples do not have, or is too far off.
    pub(in crate::neighbours) fn search(
        &self,
        space: Space<'_>,
        query: Row<'_>,
        scratch: &mut CoverScratch,
        found: &mut Candidates,
    ) -> bool {
        let Some(root) = self.nodes.first() else {
            return true;
        };
        if !space.point(query, &mut scratch.point) {
            return false;
        }
        let (share, amount) = space.errors(&scratch.point);
        let slack = Slack { share, amount };
        scratch.distances += 1;
        let distance = space.distance_to(&scratch.point, query, root.row);
        // Farther off, a square may overflow.
        let in_range = distance + root.max_desc_dist < FARTHEST;
        if !in_range {
            return false;
        }
        self.report(root, distance, slack, found);
        if self.params.relaxed {
            self.search_by_levels(space, query, slack, distance, scratch, found);
            return true;
        }
        scratch.heap.clear();
        scratch.heap.push(Waiting {
            bound: slack.below(distance - root.max_desc_dist, distance),
            node: 0,
            distance,
        });
        while let Some(waiting) = scratch.heap.pop() {
            if waiting.bound > found.reach() {
                break;
            }
            let node = &self.nodes[waiting.node as usize];
            for &child in self.children(node) {
                let below = &self.nodes[child as usize];
                let distance = if below.row == node.row {
                    waiting.distance
                } else {
                    let scale = waiting.distance + below.parent_dist;
                    let apart = (waiting.distance - below.parent_dist).abs();
                    if slack.below(apart - below.max_desc_dist, scale) > found.reach() {
                        continue;
                    }
                    scratch.distances += 1;
                    let distance = space.distance_to(&scratch.point, query, below.row);
                    self.report(below, distance, slack, found);
                    distance
                };
                let bound = slack.below(
                    distance - below.max_desc_dist,
                    distance + below.max_desc_dist,
                );
                if below.count > 0 && bound <= found.reach() {
                    scratch.heap.push(Waiting {
                        bound,
                        node: child,
                        distance,
                    });
                }
            }
        }
        true
    }

    /// Adds the row of a node, and those that share its place.
    fn report(&self, node: &Node, distance: f64, slack: Slack, found: &mut Candidates) {
        let lower = slack.below(distance, distance);
        let upper = distance + slack.share * distance + 3.0 * slack.amount;
        if self.gone.is_empty() || !self.gone.contains(&node.row) {
            found.push(node.row, lower, upper);
        }
        if node.has_copies && lower <= found.reach() {
            for &copy in self.copies.get(&node.row).into_iter().flatten() {
                found.push(copy, lower, upper);
            }
        }
    }

    /// Level by level with the published slack.
    fn search_by_levels(
        &self,
        space: Space<'_>,
        query: Row<'_>,
        slack: Slack,
        root_distance: f64,
        scratch: &mut CoverScratch,
        found: &mut Candidates,
    ) {
        let powers = self.powers();
        let mut set = std::mem::take(&mut scratch.level);
        set.clear();
        set.push((0, root_distance));
        loop {
            let open = |&&(node, _): &&(u32, f64)| self.nodes[node as usize].count > 0;
            let levels = set
                .iter()
                .filter(open)
                .map(|&(node, _)| self.nodes[node as usize].level);
            let Some(level) = levels.max() else {
                break;
            };
            for at in 0..set.len() {
                let (number, distance) = set[at];
                let node = &self.nodes[number as usize];
                if node.level < level || node.count == 0 {
                    continue;
                }
                // The point itself goes on as its own child, or as a leaf that stands for it.
                set[at] = (super::NONE, distance);
                for &child in self.children(node) {
                    let below = &self.nodes[child as usize];
                    let distance = if below.row == node.row {
                        distance
                    } else {
                        scratch.distances += 1;
                        let distance = space.distance_to(&scratch.point, query, below.row);
                        self.report(below, distance, slack, found);
                        distance
                    };
                    set.push((child, distance));
                }
            }
            found.tidy();
            let relaxation = self.params.relaxation as i32;
            let limit = found.reach() + powers.radius(level + relaxation);
            set.retain(|&(node, distance)| {
                node != super::NONE && distance <= limit && self.nodes[node as usize].count > 0
            });
        }
        scratch.level = set;
    }
}
