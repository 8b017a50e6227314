//! CFS: the subset whose features agree with the class and not with each other (Hall, 2000).
//!
//! The merit of a subset of $m$ features is
//! $$\frac{m\,\bar r_{cf}}{\sqrt{m + m(m-1)\,\bar r_{ff}}},$$
//! with the mean relevance $\bar r_{cf}$ and the mean similarity $\bar r_{ff}$ of its pairs. The
//! subsets are searched best first: the best one not yet expanded is extended by every feature; the
//! search ends after some expansions in a row that brought no better subset.

use super::{Ranking, Similarity};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

/// Parameters of CFS.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CfsParams {
    /// Expansions without a better subset after which the search ends; 5 by default.
    pub patience: usize,
    /// Largest subset; any by default.
    pub count: Option<usize>,
}

impl Default for CfsParams {
    fn default() -> Self {
        Self {
            patience: 5,
            count: None,
        }
    }
}

/// A subset: an earlier one and one more feature.
#[derive(Debug, Clone, Copy)]
struct Node {
    parent: Option<usize>,
    feature: usize,
    merit: f64,
}

/// A subset that waits to be expanded.
#[derive(PartialEq)]
struct Open {
    merit: f64,
    node: usize,
}

impl Eq for Open {}

impl PartialOrd for Open {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Open {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_merit = self.merit.total_cmp(&other.merit);
        by_merit.then(other.node.cmp(&self.node))
    }
}

impl CfsParams {
    /// Sets after how many expansions without a better subset the search ends.
    pub fn with_patience(mut self, patience: usize) -> Self {
        self.patience = patience;
        self
    }

    /// Sets the largest subset.
    pub fn with_count(mut self, count: usize) -> Self {
        self.count = Some(count);
        self
    }

    /// An error that names the first parameter out of its range.
    pub fn check(&self) -> Result<()> {
        if self.patience > 0 {
            return Ok(());
        }
        Err(Error::Parameter {
            name: "patience",
            value: 0.0,
            requirement: "at least 1",
        })
    }

    /// The best subset found, in the order in which it grew; scores are the merits on the way.
    pub fn rank(&self, similarity: &dyn Similarity) -> Result<Ranking> {
        self.check()?;
        let n = similarity.n_features();
        let largest = self.count.unwrap_or(n);
        let relevance = similarity.relevances();
        let mut rows: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
        let mut nodes: Vec<Node> = Vec::new();
        let mut open = BinaryHeap::from([Open {
            merit: 0.0,
            node: usize::MAX,
        }]);
        let mut seen: BTreeSet<Vec<usize>> = BTreeSet::new();
        let mut best: Option<usize> = None;
        let mut stale = 0;
        while stale < self.patience
            && let Some(Open { node, .. }) = open.pop()
        {
            let path = path_of(&nodes, node);
            if path.len() >= largest {
                stale += 1;
                continue;
            }
            let mut class_sum = 0.0;
            let mut pair_sum = 0.0;
            let mut to_subset = vec![0.0; n];
            for (at, &f) in path.iter().enumerate() {
                class_sum += relevance[f];
                let row = rows.entry(f).or_insert_with(|| {
                    let mut row = vec![0.0; n];
                    similarity.row_into(f, &mut row);
                    row
                });
                pair_sum += path[..at].iter().map(|&other| row[other]).sum::<f64>();
                for (sum, value) in to_subset.iter_mut().zip(row.iter()) {
                    *sum += value;
                }
            }
            let before = best.map_or(0.0, |node| nodes[node].merit);
            let m = path.len() as f64 + 1.0;
            for f in (0..n).filter(|f| !path.contains(f) && !similarity.is_constant(*f)) {
                let mut subset = path.clone();
                subset.push(f);
                subset.sort_unstable();
                if !seen.insert(subset) {
                    continue;
                }
                let variance = m + 2.0 * (pair_sum + to_subset[f]);
                let merit = (class_sum + relevance[f]) / variance.sqrt();
                nodes.push(Node {
                    parent: (node != usize::MAX).then_some(node),
                    feature: f,
                    merit,
                });
                let new = nodes.len() - 1;
                // Differences in the last bits are no reason to prefer a larger subset.
                if best.is_none_or(|b| merit > nodes[b].merit * (1.0 + 1e-12)) && merit > 0.0 {
                    best = Some(new);
                }
                open.push(Open { merit, node: new });
            }
            let improved = best.is_some_and(|node| nodes[node].merit > before);
            stale = if improved { 0 } else { stale + 1 };
        }
        let mut ranking = Ranking::default();
        let mut chain = Vec::new();
        let mut at = best;
        while let Some(node) = at {
            chain.push(nodes[node]);
            at = nodes[node].parent;
        }
        for node in chain.into_iter().rev() {
            ranking.push(node.feature, node.merit);
        }
        Ok(ranking)
    }
}

/// Features of a subset in the order in which it grew.
fn path_of(nodes: &[Node], node: usize) -> Vec<usize> {
    let mut path = Vec::new();
    let mut at = (node != usize::MAX).then_some(node);
    while let Some(node) = at {
        path.push(nodes[node].feature);
        at = nodes[node].parent;
    }
    path.reverse();
    path
}
