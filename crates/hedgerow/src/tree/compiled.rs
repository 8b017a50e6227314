//! A tree ready to answer: hyperplanes side by side in depth-first order.

use super::Coefficients;
use super::grow::GrownNode;
use crate::data::Row;
use crate::linalg::{Landing, Link, descend, stride_of};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// Weights of all hyperplanes, one after the other.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) enum PlaneWeights {
    Single(Vec<f32>),
    Double(Vec<f64>),
}

impl PlaneWeights {
    fn len(&self) -> usize {
        match self {
            Self::Single(weights) => weights.len(),
            Self::Double(weights) => weights.len(),
        }
    }

    fn are_finite(&self) -> bool {
        match self {
            Self::Single(weights) => weights.iter().all(|w| w.is_finite()),
            Self::Double(weights) => weights.iter().all(|w| w.is_finite()),
        }
    }
}

/// A binary tree of hyperplanes over some classes.
///
/// Hyperplanes stand in depth-first order, the side $w \cdot x + b \le 0$ first, so that a walk
/// mostly moves forward in memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tree {
    pub(super) n_features: usize,
    pub(super) n_classes: usize,
    pub(super) links: Vec<Link>,
    pub(super) weights: PlaneWeights,
    /// Class of each leaf.
    pub(super) labels: Vec<u32>,
    /// Training mass of each class in each leaf.
    pub(super) leaf_masses: Vec<f64>,
    /// Training mass of each class in each node with a hyperplane.
    pub(super) split_masses: Vec<f64>,
    /// Probability of each class in each leaf.
    pub(super) probabilities: Vec<f64>,
}

/// A node as `inspect` and charts see it.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeSummary {
    /// Hyperplanes on the way to it.
    pub depth: usize,
    /// Position of its parent among the summaries; `None` for the root.
    pub parent: Option<usize>,
    /// True for the side $w \cdot x + b > 0$ of the parent.
    pub is_above: bool,
    /// True without a hyperplane.
    pub is_leaf: bool,
    /// The class of most training mass; the answer of a leaf.
    pub label: u32,
    /// Training mass of each class.
    pub masses: Vec<f64>,
}

impl NodeSummary {
    /// Training mass of the node.
    pub fn mass(&self) -> f64 {
        self.masses.iter().sum()
    }

    /// Share of the label's class.
    pub fn purity(&self) -> f64 {
        let mass = self.mass();
        if mass > 0.0 {
            self.masses[self.label as usize] / mass
        } else {
            1.0
        }
    }
}

impl Tree {
    /// Packs grown nodes. `smoothing` is the mass of the parent's shares in a node's
    /// probabilities.
    pub(super) fn compile(
        nodes: &[GrownNode],
        n_features: usize,
        n_classes: usize,
        coefficients: Coefficients,
        smoothing: f64,
    ) -> Result<Self> {
        let n_splits = nodes.iter().filter(|node| node.split.is_some()).count();
        if nodes.len() > i32::MAX as usize {
            return Err(Error::Shape {
                what: "nodes of a tree",
                expected: i32::MAX as usize,
                found: nodes.len(),
            });
        }
        // Position of each node among the hyperplanes or, complemented, among the leaves.
        let mut places = Vec::with_capacity(nodes.len());
        let (mut split, mut leaf) = (0i32, 0i32);
        for node in nodes {
            if node.split.is_some() {
                places.push(split);
                split += 1;
            } else {
                places.push(!leaf);
                leaf += 1;
            }
        }
        let stride = stride_of(n_features);
        let mut single = Vec::new();
        let mut double = Vec::new();
        match coefficients {
            Coefficients::Single => single.reserve_exact(n_splits * stride),
            Coefficients::Double => double.reserve_exact(n_splits * stride),
        }
        let mut tree = Self {
            n_features,
            n_classes,
            links: Vec::with_capacity(n_splits),
            weights: PlaneWeights::Double(Vec::new()),
            labels: Vec::new(),
            leaf_masses: Vec::new(),
            split_masses: Vec::new(),
            probabilities: Vec::new(),
        };
        for node in nodes {
            let Some(split) = &node.split else {
                tree.labels.push(node.label);
                tree.leaf_masses.extend_from_slice(&node.masses);
                continue;
            };
            let weights = &split.plane.weights[..stride];
            match coefficients {
                Coefficients::Single => single.extend(weights.iter().map(|&w| w as f32)),
                Coefficients::Double => double.extend_from_slice(weights),
            }
            tree.links.push(Link {
                bias: split.plane.bias,
                below: places[split.below],
                above: places[split.above],
            });
            tree.split_masses.extend_from_slice(&node.masses);
        }
        tree.weights = match coefficients {
            Coefficients::Single => PlaneWeights::Single(single),
            Coefficients::Double => PlaneWeights::Double(double),
        };
        tree.set_smoothing(smoothing);
        Ok(tree)
    }

    /// Sets the probabilities of leaves to
    /// $p_c(t) = (N_c(t) + m\,p_c(\text{parent}))/(N(t) + m)$, from equal shares above the root down.
    pub(super) fn set_smoothing(&mut self, smoothing: f64) {
        let k = self.n_classes;
        let smooth = |masses: &[f64], above: &[f64]| -> Vec<f64> {
            let total = masses.iter().sum::<f64>() + smoothing;
            if total <= 0.0 {
                return above.to_vec();
            }
            masses
                .iter()
                .zip(above)
                .map(|(mass, p)| (mass + smoothing * p) / total)
                .collect()
        };
        self.probabilities = vec![0.0; self.labels.len() * k];
        let root = if self.links.is_empty() { !0 } else { 0 };
        let mut stack = vec![(root, vec![1.0 / k as f64; k])];
        while let Some((at, parent)) = stack.pop() {
            if at < 0 {
                let leaf = !at as usize;
                let p = smooth(&self.leaf_masses[leaf * k..(leaf + 1) * k], &parent);
                self.probabilities[leaf * k..(leaf + 1) * k].copy_from_slice(&p);
            } else {
                let at = at as usize;
                let p = smooth(&self.split_masses[at * k..(at + 1) * k], &parent);
                stack.push((self.links[at].below, p.clone()));
                stack.push((self.links[at].above, p));
            }
        }
    }

    /// Where a row ends. No memory is allocated.
    pub(super) fn land(&self, row: Row<'_>) -> Landing {
        let stride = stride_of(self.n_features);
        match &self.weights {
            PlaneWeights::Single(weights) => descend(&self.links, weights, stride, row),
            PlaneWeights::Double(weights) => descend(&self.links, weights, stride, row),
        }
    }

    /// Class that a row is given.
    pub(super) fn classify(&self, row: Row<'_>) -> u32 {
        self.leaf_class(self.land(row).leaf)
    }

    /// Class of the rows in a leaf.
    pub(super) fn leaf_class(&self, leaf: u32) -> u32 {
        self.labels[leaf as usize]
    }

    /// Probability of each class in a leaf.
    pub(super) fn leaf_probabilities(&self, leaf: u32) -> &[f64] {
        let k = self.n_classes;
        &self.probabilities[leaf as usize * k..(leaf as usize + 1) * k]
    }

    /// Number of hyperplanes.
    pub fn n_hyperplanes(&self) -> usize {
        self.links.len()
    }

    /// Number of leaves.
    pub fn n_leaves(&self) -> usize {
        self.labels.len()
    }

    /// Most hyperplanes on a path.
    pub fn depth(&self) -> usize {
        self.nodes()
            .iter()
            .map(|node| node.depth)
            .max()
            .unwrap_or(0)
    }

    /// Bytes of the hyperplanes.
    pub fn bytes(&self) -> usize {
        let weight = match &self.weights {
            PlaneWeights::Single(_) => size_of::<f32>(),
            PlaneWeights::Double(_) => size_of::<f64>(),
        };
        self.weights.len() * weight + self.links.len() * size_of::<Link>()
    }

    /// Weights and constant of hyperplane `at`.
    pub fn hyperplane(&self, at: usize) -> (Vec<f64>, f64) {
        let stride = stride_of(self.n_features);
        let range = at * stride..at * stride + self.n_features;
        let weights = match &self.weights {
            PlaneWeights::Single(weights) => weights[range].iter().map(|&w| f64::from(w)).collect(),
            PlaneWeights::Double(weights) => weights[range].to_vec(),
        };
        (weights, self.links[at].bias)
    }

    /// Training mass of each class in each leaf, one slice a leaf.
    pub fn leaf_masses(&self) -> impl Iterator<Item = (&[f64], u32)> {
        self.leaf_masses
            .chunks(self.n_classes.max(1))
            .zip(self.labels.iter().copied())
    }

    /// All nodes in depth-first order.
    pub fn nodes(&self) -> Vec<NodeSummary> {
        let k = self.n_classes;
        let mut nodes: Vec<NodeSummary> = Vec::new();
        let root = if self.links.is_empty() { !0 } else { 0 };
        let mut stack = vec![(root, 0, None, false)];
        while let Some((at, depth, parent, is_above)) = stack.pop() {
            let now = nodes.len();
            let (masses, label) = if at < 0 {
                let leaf = !at as usize;
                let masses = &self.leaf_masses[leaf * k..(leaf + 1) * k];
                (masses, self.labels[leaf])
            } else {
                let split = at as usize;
                let masses = &self.split_masses[split * k..(split + 1) * k];
                stack.push((self.links[split].above, depth + 1, Some(now), true));
                stack.push((self.links[split].below, depth + 1, Some(now), false));
                (masses, super::grow::heaviest(masses, 0))
            };
            nodes.push(NodeSummary {
                depth,
                parent,
                is_above,
                is_leaf: at < 0,
                label,
                masses: masses.to_vec(),
            });
        }
        nodes
    }

    /// An error unless the parts fit together and every walk ends.
    pub(super) fn validate(&self) -> Result<()> {
        let k = self.n_classes;
        let (splits, leaves) = (self.links.len(), self.labels.len());
        let planes = splits.saturating_mul(stride_of(self.n_features));
        for (what, expected, found) in [
            ("leaves of a tree", splits + 1, leaves),
            ("weights of a tree", planes, self.weights.len()),
            (
                "class masses of leaves",
                leaves.saturating_mul(k),
                self.leaf_masses.len(),
            ),
            (
                "class masses of nodes",
                splits.saturating_mul(k),
                self.split_masses.len(),
            ),
            (
                "probabilities of leaves",
                leaves.saturating_mul(k),
                self.probabilities.len(),
            ),
        ] {
            if expected != found {
                return Err(Error::Shape {
                    what,
                    expected,
                    found,
                });
            }
        }
        if let Some(&label) = self.labels.iter().find(|&&label| label as usize >= k) {
            return Err(Error::Shape {
                what: "class of a leaf against the number of classes",
                expected: k,
                found: label as usize,
            });
        }
        let damaged = |what| Error::Shape {
            what,
            expected: splits,
            found: 0,
        };
        if !self.weights.are_finite() || self.links.iter().any(|link| !link.bias.is_finite()) {
            return Err(damaged("finite hyperplanes"));
        }
        let (mut seen_splits, mut seen_leaves) = (vec![false; splits], vec![false; leaves]);
        for (at, link) in self.links.iter().enumerate() {
            for child in [link.below, link.above] {
                // Links lead forward, so that no walk can turn in a circle.
                let seen = if child < 0 {
                    seen_leaves.get_mut(!child as usize)
                } else {
                    seen_splits
                        .get_mut(child as usize)
                        .filter(|_| child as usize > at)
                };
                match seen {
                    Some(seen) if !*seen => *seen = true,
                    _ => return Err(damaged("links of a tree that lead to each node once")),
                }
            }
        }
        Ok(())
    }
}
