//! Whether a tree is one.

use super::{CoverTree, DistanceMetric, NONE, Node, Powers};
use crate::data::SamplesView;
use crate::{Error, Result};

/// Levels beyond this are no powers of a base in double precision.
const MAX_LEVEL: i32 = 1 << 20;

impl CoverTree {
    /// Compares every pair of rows: nesting, covering, separation, and the distances kept in the
    /// nodes. For tests: the work grows with the square of the number of rows.
    ///
    /// # Errors
    /// Says what is broken.
    pub fn check_invariants(&self, samples: SamplesView<'_>) -> std::result::Result<(), String> {
        self.check_links().map_err(|error| error.to_string())?;
        self.ensure_samples(samples)
            .map_err(|error| error.to_string())?;
        let judge = Judge::new(self, samples);
        let mut entered: Vec<(u32, i32)> = Vec::new();
        for (at, node) in self.nodes.iter().enumerate() {
            let Some(parent) = self.nodes.get(node.parent as usize) else {
                entered.push((node.row, i32::MAX));
                continue;
            };
            if node.count > 0 && node.level >= parent.level {
                return Err(format!("node {at} is not below its parent"));
            }
            if node.row != parent.row {
                entered.push((node.row, parent.level - 1));
                judge.covers(node, parent)?;
            }
        }
        judge.separates(&entered)?;
        for (&row, copies) in &self.copies {
            if copies
                .iter()
                .any(|&copy| judge.distance(row, copy) > judge.blur)
            {
                return Err(format!("a copy of row {row} is none"));
            }
        }
        let found = self.rows().count();
        if found != self.n_rows {
            return Err(format!("{found} rows found, {} expected", self.n_rows));
        }
        Ok(())
    }

    /// An error unless the links form one tree.
    pub(super) fn check_links(&self) -> Result<()> {
        let broken = |what: &'static str, found: usize| Error::Shape {
            what,
            expected: self.nodes.len(),
            found,
        };
        let n = self.nodes.len();
        let mut reached = usize::from(n > 0);
        for (at, node) in self.nodes.iter().enumerate() {
            let sound = node.row != NONE
                && node.count <= node.room
                && u64::from(node.first) + u64::from(node.room) <= self.children.len() as u64
                && node.level.abs() <= MAX_LEVEL
                && node.parent_dist >= 0.0
                && node.max_desc_dist >= 0.0
                && (at == 0) == (node.parent == NONE)
                && (at == 0 || (node.parent as usize) < n);
            if !sound {
                return Err(broken("nodes of a cover tree (one is damaged)", at));
            }
            for &child in self.children(node) {
                if child as usize >= n || self.nodes[child as usize].parent as usize != at {
                    return Err(broken("children of a cover tree (one is no child)", at));
                }
                reached += 1;
            }
        }
        // Every node but the root is the child of its parent, once; from the root all are reached.
        let mut seen = vec![false; n];
        let mut stack = if n > 0 { vec![0u32] } else { Vec::new() };
        let mut visited = 0;
        while let Some(at) = stack.pop() {
            if std::mem::replace(&mut seen[at as usize], true) {
                return Err(broken(
                    "nodes of a cover tree (one is reached twice)",
                    at as usize,
                ));
            }
            visited += 1;
            stack.extend_from_slice(self.children(&self.nodes[at as usize]));
        }
        if reached != n || visited != n {
            return Err(broken("nodes of a cover tree that are reached", visited));
        }
        if self.copies.keys().any(|&row| row == NONE)
            || self.copies.values().flatten().any(|&row| row == NONE)
        {
            return Err(broken("rows of a cover tree (one has no number)", n));
        }
        Ok(())
    }
}

/// Compares distances with what the levels promise.
struct Judge<'a> {
    tree: &'a CoverTree,
    samples: SamplesView<'a>,
    powers: Powers,
    /// What distances may differ by.
    blur: f64,
}

impl<'a> Judge<'a> {
    fn new(tree: &'a CoverTree, samples: SamplesView<'a>) -> Self {
        let d = samples.n_features();
        // A kernel's distance is the root of a difference of large numbers.
        let largest = (0..samples.n_rows())
            .filter_map(|i| match &tree.metric {
                DistanceMetric::Kernel(kernel) => kernel.self_value(samples.row(i), d).ok(),
                DistanceMetric::Euclidean | DistanceMetric::CityBlock { .. } => None,
            })
            .fold(0.0, f64::max);
        Self {
            tree,
            samples,
            powers: tree.powers(),
            blur: 1e-7 * largest.sqrt(),
        }
    }

    fn distance(&self, x: u32, y: u32) -> f64 {
        let (x, y) = (self.samples.row(x as usize), self.samples.row(y as usize));
        let d = self.samples.n_features();
        self.tree.metric.distance(x, y, d).unwrap_or(f64::NAN)
    }

    /// At most, up to rounding.
    fn at_most(&self, a: f64, b: f64) -> bool {
        a <= b * (1.0 + 1e-9) + self.blur
    }

    /// An error unless a node is as near to its parent and to all that stands above as it must be.
    fn covers(&self, node: &Node, parent: &Node) -> std::result::Result<(), String> {
        let row = node.row;
        let apart = self.distance(row, parent.row);
        if !self.at_most(apart, self.powers.radius(parent.level)) {
            return Err(format!("row {row} is not covered by {}", parent.row));
        }
        if (apart - node.parent_dist).abs() > 1e-9 * apart + self.blur {
            return Err(format!("row {row} has a wrong distance to its parent"));
        }
        let mut above = node.parent;
        while above != NONE {
            let ancestor = &self.tree.nodes[above as usize];
            let apart = self.distance(row, ancestor.row);
            if !self.at_most(apart, ancestor.max_desc_dist) {
                return Err(format!("row {row} is beyond the descendants of {above}"));
            }
            if !self.at_most(apart, self.powers.reach(ancestor.level + 1)) {
                return Err(format!("row {row} is out of reach of {above}"));
            }
            above = ancestor.parent;
        }
        Ok(())
    }

    /// An error unless rows are apart on the levels on which they come in.
    fn separates(&self, entered: &[(u32, i32)]) -> std::result::Result<(), String> {
        for (i, &(x, x_level)) in entered.iter().enumerate() {
            for &(y, y_level) in &entered[..i] {
                let level = x_level.min(y_level);
                if x == y {
                    return Err(format!("row {x} comes in twice"));
                }
                let apart = self.distance(x, y) + 2.0 * self.blur;
                if self.at_most(apart, self.powers.radius(level) * (1.0 - 2e-9)) {
                    return Err(format!(
                        "rows {x} and {y} are not separated on level {level}"
                    ));
                }
            }
        }
        Ok(())
    }
}
