//! Single rows into a tree and out of it.

use super::search::FARTHEST;
use super::{CoverTree, NONE, Node};
use crate::data::SamplesView;
use crate::neighbours::index::ensure_rows;
use crate::{Error, Result};

/// A point on the level at hand.
#[derive(Clone, Copy)]
struct Standing {
    node: u32,
    distance: f64,
    /// The point has no node of its own on this level or any lower one; `node` stands above.
    below: bool,
}

impl CoverTree {
    /// Inserts a row of `samples` that is not in the tree.
    ///
    /// The rows that the tree has, removed ones too, must be what they were.
    pub fn insert(&mut self, samples: SamplesView<'_>, row: u32) -> Result<()> {
        self.ensure_samples(samples)?;
        ensure_rows(&[row], samples)?;
        let metric = self.metric.clone();
        let d = samples.n_features();
        let distance =
            |other: u32| metric.distance(samples.row(other as usize), samples.row(row as usize), d);
        let Some(root) = self.nodes.first() else {
            self.push_leaf(row, 0, NONE, 0.0);
            self.n_rows = 1;
            return Ok(());
        };
        let powers = self.powers();
        let to_root = distance(root.row)?;
        if to_root.is_nan() || to_root >= FARTHEST {
            return Err(Error::BadRowValue {
                row: row as usize + 1,
                what: "distance to the root of a cover tree,",
                value: to_root,
            });
        }
        if to_root == 0.0 {
            self.share(0, row);
            return Ok(());
        }
        let mut level = powers.level_of(to_root);
        if root.count > 0 {
            level = level.max(root.level);
        }
        let mut standing = vec![Standing {
            node: 0,
            distance: to_root,
            below: false,
        }];
        // The lowest level with a point that may be the parent, and the nearest such point.
        let mut parent = (standing[0], level);
        loop {
            let mut next = self.one_level_down(&standing, level, &distance)?;
            let reach = powers.reach(level);
            next.retain(|point| point.distance <= reach);
            level -= 1;
            let by_distance = |a: &&Standing, b: &&Standing| a.distance.total_cmp(&b.distance);
            let Some(&nearest) = next.iter().min_by(by_distance) else {
                break;
            };
            if nearest.distance == 0.0 {
                self.share(nearest.node, row);
                return Ok(());
            }
            if nearest.distance <= powers.radius(level) {
                parent = (nearest, level);
            }
            standing = next;
        }
        let (point, level) = parent;
        self.attach(point, level, row);
        // Whatever stands above must know how far the new point is.
        let mut above = self.nodes[self.nodes.len() - 1].parent;
        while above != NONE {
            let far = distance(self.nodes[above as usize].row)?;
            let node = &mut self.nodes[above as usize];
            node.max_desc_dist = node.max_desc_dist.max(far);
            above = node.parent;
        }
        self.n_rows += 1;
        Ok(())
    }

    /// The points that stand on a level, as they and their children stand below it.
    #[inline]
    fn one_level_down(
        &self,
        standing: &[Standing],
        level: i32,
        distance: &impl Fn(u32) -> Result<f64>,
    ) -> Result<Vec<Standing>> {
        let mut next = Vec::with_capacity(standing.len());
        for &point in standing {
            let node = &self.nodes[point.node as usize];
            if point.below || node.count == 0 || node.level < level {
                next.push(point);
                continue;
            }
            let mut goes_on = false;
            for &child in self.children(node) {
                let own = self.nodes[child as usize].row == node.row;
                goes_on |= own;
                next.push(Standing {
                    node: child,
                    distance: if own {
                        point.distance
                    } else {
                        distance(self.nodes[child as usize].row)?
                    },
                    below: false,
                });
            }
            if !goes_on {
                next.push(Standing {
                    below: true,
                    ..point
                });
            }
        }
        Ok(next)
    }

    /// Puts a new leaf below a point on a level. The leaf is the last node then.
    fn attach(&mut self, point: Standing, level: i32, row: u32) {
        let node = self.nodes[point.node as usize];
        let holder = if point.below {
            // The point gets a node on this level.
            let number = self.push_leaf(node.row, level, point.node, 0.0);
            self.nodes[number as usize].has_copies = node.has_copies;
            self.add_child(point.node, number);
            number
        } else if node.count == 0 {
            self.nodes[point.node as usize].level = level;
            point.node
        } else if node.level == level {
            point.node
        } else {
            // The node becomes the lower one of two of the same point.
            let number = self.nodes.len() as u32;
            self.nodes.push(Node {
                parent: point.node,
                parent_dist: 0.0,
                ..node
            });
            for child in self.children(&node).to_vec() {
                self.nodes[child as usize].parent = number;
            }
            let upper = &mut self.nodes[point.node as usize];
            upper.level = level;
            upper.first = 0;
            upper.count = 0;
            upper.room = 0;
            self.add_child(point.node, number);
            point.node
        };
        let leaf = self.push_leaf(row, level - 1, holder, point.distance);
        self.add_child(holder, leaf);
    }

    fn push_leaf(&mut self, row: u32, level: i32, parent: u32, parent_dist: f64) -> u32 {
        self.nodes.push(Node {
            row,
            level,
            parent,
            first: 0,
            count: 0,
            room: 0,
            parent_dist,
            max_desc_dist: 0.0,
            has_copies: false,
        });
        self.nodes.len() as u32 - 1
    }

    /// Lists that are full move to the end with room for twice as many.
    fn add_child(&mut self, parent: u32, child: u32) {
        let node = &mut self.nodes[parent as usize];
        if node.count == node.room {
            let old = node.first as usize..(node.first + node.count) as usize;
            node.first = self.children.len() as u32;
            node.room = (2 * node.count).max(2);
            self.children.extend_from_within(old);
            self.children
                .resize((node.first + node.room) as usize, NONE);
        }
        self.children[(node.first + node.count) as usize] = child;
        node.count += 1;
    }

    /// Adds a row at the place of a node.
    fn share(&mut self, node: u32, row: u32) {
        let holder = self.nodes[node as usize].row;
        self.n_rows += 1;
        if self.gone.remove(&holder) {
            self.rename(holder, row);
            return;
        }
        let list = self.copies.entry(holder).or_default();
        let at = list.partition_point(|&copy| copy < row);
        list.insert(at, row);
        for node in self.nodes_of(node) {
            self.nodes[node as usize].has_copies = true;
        }
    }

    /// All nodes of the point that a node belongs to.
    fn nodes_of(&self, node: u32) -> Vec<u32> {
        let row = self.nodes[node as usize].row;
        let mut top = node;
        while let Some(parent) = self.nodes.get(self.nodes[top as usize].parent as usize)
            && parent.row == row
        {
            top = self.nodes[top as usize].parent;
        }
        let mut chain = vec![top];
        while let Some(&last) = chain.last()
            && let Some(&next) = self
                .children(&self.nodes[last as usize])
                .iter()
                .find(|&&child| self.nodes[child as usize].row == row)
        {
            chain.push(next);
        }
        chain
    }

    /// Removes a row; false if it is not in the tree.
    ///
    /// A row with descendants goes on showing the way to them. When most rows are of that kind
    /// ([`CoverTree::is_worn`]), a new tree is better. Costs a look at every node.
    pub fn remove(&mut self, row: u32) -> bool {
        let holding = |copies: &&mut Vec<u32>| copies.contains(&row);
        if let Some(list) = self.copies.values_mut().find(holding) {
            list.retain(|&copy| copy != row);
            self.n_rows -= 1;
            return true;
        }
        if self.gone.contains(&row) || !self.nodes.iter().any(|node| node.row == row) {
            return false;
        }
        self.n_rows -= 1;
        let heir = self.copies.get_mut(&row).filter(|list| !list.is_empty());
        match heir.map(|list| list.remove(0)) {
            Some(heir) => self.rename(row, heir),
            None => {
                self.gone.insert(row);
            }
        }
        true
    }

    /// Lets another row at the same place stand for a point.
    fn rename(&mut self, row: u32, heir: u32) {
        let list = self.copies.remove(&row).unwrap_or_default();
        let has_copies = !list.is_empty();
        if has_copies {
            self.copies.insert(heir, list);
        }
        for node in self.nodes.iter_mut().filter(|node| node.row == row) {
            node.row = heir;
            node.has_copies = has_copies;
        }
    }

    /// True when more rows have been removed than are left.
    pub fn is_worn(&self) -> bool {
        self.gone.len() > self.n_rows
    }
}
