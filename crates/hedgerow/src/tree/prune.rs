//! Cost-complexity pruning with a held-out set.
//!
//! Let $R(t)$ be the share of the growing rows that node $t$ would get wrong as a leaf, $R(T_t)$ the
//! share that the leaves under it get wrong, and $|\tilde T_t|$ their number. $T_0$ is the tree with every node
//! collapsed for which $R(t) = R(T_t)$. Then, until the root is alone, all nodes that attain the
//! smallest
//! $$g(t) = \frac{R(t) - R(T_t)}{|\tilde T_t| - 1}$$
//! are collapsed together. Of the trees of this sequence the one that gets most of the held-out rows
//! right is kept; of equals, the one with fewest leaves.
//!
//! | paper | here |
//! |---|---|
//! | $R(t)$, $R(T_t)$ | `wrong`, `wrong_below` (masses, not shares: the order is the same) |
//! | $\lvert\tilde T_t\rvert$ | `leaves` |
//! | $\alpha_{k}$ | [`PruningStep::alpha`] |

use super::grow::{GrownNode, depth_first};
use serde::{Deserialize, Serialize};

/// Gains that differ by less are equal.
const TIE: f64 = 1e-12;

/// One tree of the sequence.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PruningStep {
    /// The cost of a leaf from which on this tree is the best.
    pub alpha: f64,
    /// Leaves of the tree.
    pub leaves: usize,
    /// Share of the growing rows that it gets wrong.
    pub training_error: f64,
    /// Share of the held-out rows that it gets wrong.
    pub holdout_error: f64,
}

/// A tree while it is pruned.
struct Pruning<'a> {
    nodes: &'a [GrownNode],
    parents: Vec<Option<usize>>,
    /// Mass that a node gets wrong as a leaf.
    wrong: Vec<f64>,
    /// Mass that the leaves under a node get wrong.
    wrong_below: Vec<f64>,
    leaves: Vec<usize>,
    /// Whether the node has a split at present.
    open: Vec<bool>,
    total: f64,
}

impl<'a> Pruning<'a> {
    fn new(nodes: &'a [GrownNode]) -> Self {
        let n = nodes.len();
        let mut parents = vec![None; n];
        for (t, node) in nodes.iter().enumerate() {
            if let Some(split) = &node.split {
                parents[split.below] = Some(t);
                parents[split.above] = Some(t);
            }
        }
        let wrong: Vec<f64> = nodes
            .iter()
            .map(|node| {
                let total: f64 = node.masses.iter().sum();
                (total - node.masses[node.label as usize]).max(0.0)
            })
            .collect();
        let mut pruning = Self {
            nodes,
            parents,
            wrong_below: wrong.clone(),
            wrong,
            leaves: vec![1; n],
            open: nodes.iter().map(|node| node.split.is_some()).collect(),
            total: nodes.first().map_or(1.0, |root| root.masses.iter().sum()),
        };
        // Children come after their parents, so this is bottom-up.
        for t in (0..n).rev() {
            if let Some(split) = &nodes[t].split {
                pruning.wrong_below[t] =
                    pruning.wrong_below[split.below] + pruning.wrong_below[split.above];
                pruning.leaves[t] = pruning.leaves[split.below] + pruning.leaves[split.above];
            }
        }
        pruning
    }

    /// Makes a node a leaf and tells its ancestors.
    fn collapse(&mut self, t: usize) {
        let fewer = self.leaves[t] - 1;
        let worse = self.wrong[t] - self.wrong_below[t];
        self.open[t] = false;
        let mut at = Some(t);
        while let Some(node) = at {
            self.leaves[node] -= fewer;
            self.wrong_below[node] += worse;
            at = self.parents[node];
        }
        self.wrong_below[t] = self.wrong[t];
    }

    /// True if no ancestor has been collapsed.
    fn is_reachable(&self, mut t: usize) -> bool {
        while let Some(parent) = self.parents[t] {
            if !self.open[parent] {
                return false;
            }
            t = parent;
        }
        true
    }

    /// Collapses what costs nothing, bottom-up.
    fn collapse_useless(&mut self) {
        for t in (0..self.nodes.len()).rev() {
            if self.open[t] && self.wrong[t] - self.wrong_below[t] <= TIE * self.total {
                self.collapse(t);
            }
        }
    }

    /// The smallest gain of a split and the nodes that attain it; `None` if the root is alone.
    fn weakest(&self) -> Option<(f64, Vec<usize>)> {
        let mut least = f64::INFINITY;
        let mut found: Vec<usize> = Vec::new();
        let mut stack = vec![0];
        while let Some(t) = stack.pop() {
            let Some(split) = self.nodes[t].split.as_ref().filter(|_| self.open[t]) else {
                continue;
            };
            let gain =
                (self.wrong[t] - self.wrong_below[t]) / self.total / (self.leaves[t] - 1) as f64;
            if gain < least - TIE {
                found.clear();
            }
            if gain <= least + TIE {
                least = least.min(gain);
                found.push(t);
            }
            stack.extend([split.above, split.below]);
        }
        (!found.is_empty()).then_some((least, found))
    }

    /// How many of the held-out rows the present tree gets wrong, by the nodes on their paths.
    fn holdout_wrong(&self, holdout_wrong: &[f64]) -> f64 {
        let mut sum = 0.0;
        let mut stack = vec![0];
        while let Some(t) = stack.pop() {
            match &self.nodes[t].split {
                Some(split) if self.open[t] => stack.extend([split.above, split.below]),
                _ => sum += holdout_wrong[t],
            }
        }
        sum
    }
}

/// The sequence of trees and the one to keep: `holdout_wrong` is the held-out mass that each node
/// would get wrong as a leaf, `holdout_total` all of it.
pub(super) fn prune(
    nodes: &[GrownNode],
    holdout_wrong: &[f64],
    holdout_total: f64,
) -> (Vec<GrownNode>, Vec<PruningStep>) {
    let mut pruning = Pruning::new(nodes);
    let mut steps = Vec::new();
    let mut best: Option<(f64, Vec<bool>)> = None;
    pruning.collapse_useless();
    let mut alpha = 0.0;
    loop {
        let error = pruning.holdout_wrong(holdout_wrong) / holdout_total.max(f64::MIN_POSITIVE);
        steps.push(PruningStep {
            alpha,
            leaves: pruning.leaves[0],
            training_error: pruning.wrong_below[0] / pruning.total,
            holdout_error: error,
        });
        // Later trees are smaller: they win ties.
        if best.as_ref().is_none_or(|(least, _)| error <= *least + TIE) {
            best = Some((error, pruning.open.clone()));
        }
        let Some((gain, weakest)) = pruning.weakest() else {
            break;
        };
        alpha = gain;
        for &t in weakest.iter().rev() {
            // One that stands under another of them is gone with it.
            if pruning.open[t] && pruning.is_reachable(t) {
                pruning.collapse(t);
            }
        }
    }
    let open = best.map_or_else(Vec::new, |(_, open)| open);
    (keep_open(nodes, &open), steps)
}

/// The tree with the splits that are not open removed.
fn keep_open(nodes: &[GrownNode], open: &[bool]) -> Vec<GrownNode> {
    let cut = nodes
        .iter()
        .zip(open)
        .map(|(node, &open)| {
            let mut node = node.clone();
            if !open {
                node.split = None;
            }
            Some(node)
        })
        .collect();
    depth_first(cut)
}

#[cfg(test)]
mod tests {
    use super::super::grow::GrownSplit;
    use super::super::split::Plane;
    use super::*;

    fn node(masses: [f64; 2], label: u32, children: Option<(usize, usize)>) -> GrownNode {
        GrownNode {
            masses: masses.to_vec(),
            n_rows: (masses[0] + masses[1]) as usize,
            label,
            split: children.map(|(below, above)| GrownSplit {
                plane: Plane {
                    weights: vec![0.0; 8],
                    bias: 0.0,
                    lambda: 1.0,
                    gain: 1.0,
                },
                below,
                above,
            }),
        }
    }

    /// Root 50/50; below 40/10 splits to 38/2 and 2/8; above 10/40 splits to 8/2 and 2/38.
    fn symmetric() -> Vec<GrownNode> {
        vec![
            node([50.0, 50.0], 1, Some((1, 4))),
            node([40.0, 10.0], 0, Some((2, 3))),
            node([38.0, 2.0], 0, None),
            node([2.0, 8.0], 1, None),
            node([10.0, 40.0], 1, Some((5, 6))),
            node([8.0, 2.0], 0, None),
            node([2.0, 38.0], 1, None),
        ]
    }

    #[test]
    fn equal_gains_are_collapsed_together() {
        // g of the two inner nodes: (10 - 4)/100/1 = 0.06 each; of the root (50 - 8)/100/3 = 0.14.
        let (_, steps) = prune(&symmetric(), &[0.0; 7], 1.0);
        let leaves: Vec<usize> = steps.iter().map(|step| step.leaves).collect();
        assert_eq!(leaves, [4, 2, 1]);
        assert!((steps[1].alpha - 0.06).abs() < 1e-12);
        assert!((steps[2].alpha - 0.30).abs() < 1e-12);
        assert!((steps[0].training_error - 0.08).abs() < 1e-12);
        assert!((steps[1].training_error - 0.20).abs() < 1e-12);
    }

    #[test]
    fn a_split_that_changes_no_answer_is_collapsed_first() {
        let mut nodes = symmetric();
        // Both children of the node below now say class 0: they err as much as their parent.
        nodes[2] = node([20.0, 2.0], 0, None);
        nodes[3] = node([20.0, 8.0], 0, None);
        let (_, steps) = prune(&nodes, &[0.0; 7], 1.0);
        assert_eq!(steps[0].leaves, 3);
        assert_eq!(steps[0].alpha, 0.0);
    }

    #[test]
    fn the_holdout_chooses_and_ties_go_to_the_smaller_tree() {
        // As leaves: the two inner nodes err on 1 row each, all four leaves together on 4.
        let worse_leaves = [9.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];
        let (kept, _) = prune(&symmetric(), &worse_leaves, 10.0);
        assert_eq!(kept.len(), 3);
        let (kept, _) = prune(&symmetric(), &[2.0, 1.0, 0.5, 0.5, 1.0, 0.5, 0.5], 10.0);
        assert_eq!(
            kept.len(),
            1,
            "2 = 1 + 1 = 4 · 0.5: the root alone is smallest"
        );
        let (kept, _) = prune(&symmetric(), &[9.0, 1.0, 0.4, 0.4, 1.0, 0.4, 0.4], 10.0);
        assert_eq!(kept.len(), 7);
    }
}
