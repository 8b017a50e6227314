//! A whole tree at once.
//!
//! A node gets the points near to it, all of which become its descendants, and points farther off
//! that may: one that lies within the radius of a node must stand below it or the levels would not
//! be separated. Every point carries its distance to the node at hand, so that going down a chain
//! of the same point costs no distance; and where two such distances differ by more than the
//! radius in question, none is computed.
//!
//! Where only the arrangement is of interest the distances may be rough ([`RoughRows`]): whatever
//! a rough distance does not decide, a precise one does, so that the arrangement is the same.

use super::rough::RoughRows;
use super::search::FARTHEST;
use super::{CoverTree, NONE, Node, Powers, Space};
use crate::parallel::concat;
use crate::{Error, Result};

/// Points from which distances are computed in parallel.
const PARALLEL: usize = 1024;

/// A point and its distance to the node at hand.
#[derive(Debug, Clone, Copy)]
struct Entry {
    row: u32,
    distance: f64,
}

/// A node before its children are numbered.
struct Draft {
    row: u32,
    level: i32,
    parent_dist: f64,
    max_desc_dist: f64,
    children: Vec<u32>,
}

struct Builder<'a> {
    space: Space<'a>,
    rough: Option<&'a RoughRows>,
    powers: Powers,
    /// By row: it has a node, or shares one.
    placed: Vec<bool>,
    drafts: Vec<Draft>,
    copies: Vec<(u32, u32)>,
    /// The lowest level of interest: what would stand below is not arranged.
    floor: i32,
}

impl CoverTree {
    /// Builds the tree on rows, of which there is at least one, down to the level `floor`. Of
    /// several rows at one place the first stands for them all. With rough rows the distances that
    /// nodes keep are rough too: good for their order only.
    pub(super) fn fill(
        &mut self,
        space: Space<'_>,
        rows: &[u32],
        floor: i32,
        rough: Option<&RoughRows>,
    ) -> Result<()> {
        let powers = self.powers();
        let n_placed = rows.iter().max().map_or(0, |&row| row as usize + 1);
        let mut builder = Builder {
            space,
            rough,
            powers,
            placed: vec![false; n_placed],
            drafts: Vec::with_capacity(rows.len() + rows.len() / 4),
            copies: Vec::new(),
            floor,
        };
        let root = rows[0];
        builder.placed[root as usize] = true;
        let near: Vec<Entry> = builder.distances(root, &rows[1..]);
        let farthest = builder.farthest(root, &near);
        if let Some(entry) = near
            .iter()
            .find(|entry| entry.distance.is_nan() || entry.distance >= FARTHEST)
        {
            return Err(Error::BadRowValue {
                row: entry.row as usize + 1,
                what: "distance to the first row of a cover tree,",
                value: entry.distance,
            });
        }
        let top = if farthest > 0.0 {
            powers.level_of(farthest)
        } else {
            0
        };
        let top_node = builder.construct(root, near, Vec::new(), top);
        self.lay_out(&builder.drafts, top_node);
        for (row, copy) in builder.copies {
            self.copies.entry(row).or_default().push(copy);
        }
        for list in self.copies.values_mut() {
            list.sort_unstable();
        }
        for node in &mut self.nodes {
            node.has_copies = self.copies.contains_key(&node.row);
        }
        Ok(())
    }

    /// Numbers the nodes level by level, children of a node one after the other.
    fn lay_out(&mut self, drafts: &[Draft], root: u32) {
        let mut order = vec![(root, NONE)];
        let mut at = 0;
        while at < order.len() {
            let (draft, parent) = order[at];
            let draft = &drafts[draft as usize];
            let first = self.children.len() as u32;
            for &child in &draft.children {
                self.children.push(order.len() as u32);
                order.push((child, at as u32));
            }
            self.nodes.push(Node {
                row: draft.row,
                level: draft.level,
                parent,
                first,
                count: draft.children.len() as u32,
                room: draft.children.len() as u32,
                parent_dist: draft.parent_dist,
                max_desc_dist: draft.max_desc_dist,
                has_copies: false,
            });
            at += 1;
        }
    }
}

impl Builder<'_> {
    fn distances(&self, from: u32, rows: &[u32]) -> Vec<Entry> {
        let measure = |rows: &[u32]| -> Vec<Entry> {
            let mut out = Vec::with_capacity(rows.len());
            let put = |row, distance| out.push(Entry { row, distance });
            self.measure(from, rows, f64::INFINITY, put);
            out
        };
        if rows.len() >= PARALLEL {
            concat(rows.len(), PARALLEL, &|part| measure(&rows[part]))
        } else {
            measure(rows)
        }
    }

    /// Calls `visit` with every row and its distance, rough or not; of a row farther than `limit`
    /// perhaps with less, but more than that.
    fn measure(&self, from: u32, rows: &[u32], limit: f64, mut visit: impl FnMut(u32, f64)) {
        match self.rough {
            Some(rough) => {
                let mut distances = Vec::new();
                rough.distances(from, rows, limit, &mut distances);
                for (&row, &distance) in rows.iter().zip(&distances) {
                    visit(row, f64::from(distance));
                }
            }
            None => {
                for &row in rows {
                    visit(row, self.space.distance(from, row));
                }
            }
        }
    }

    /// How far a distance that an entry carries may be from the true one.
    fn error(&self, distance: f64) -> f64 {
        self.rough.map_or(0.0, |rough| rough.error(distance))
    }

    /// Whether an entry, which carries its distance to `p`, lies within a radius.
    fn is_within(&self, p: u32, entry: &Entry, radius: f64) -> bool {
        let Entry { row, distance } = *entry;
        if self.rough.is_some() && (distance - radius).abs() <= self.error(distance) {
            return self.space.distance(p, row) <= radius;
        }
        distance <= radius
    }

    /// The largest distance to `p`.
    fn farthest(&self, p: u32, entries: &[Entry]) -> f64 {
        let most = entries
            .iter()
            .fold(0.0, |max: f64, entry| max.max(entry.distance));
        if self.rough.is_none() {
            return most;
        }
        let doubtful = most - 2.0 * self.error(most);
        entries
            .iter()
            .filter(|entry| entry.distance >= doubtful)
            .fold(0.0, |max, entry| max.max(self.space.distance(p, entry.row)))
    }

    /// The node of `p` with all of `near` and some of `far` below it.
    fn construct(&mut self, p: u32, mut near: Vec<Entry>, far: Vec<Entry>, top: i32) -> u32 {
        near.retain(|entry| {
            let copy = self.is_within(p, entry, 0.0);
            if copy {
                self.placed[entry.row as usize] = true;
                self.copies.push((p, entry.row));
            }
            !copy
        });
        let farthest = self.farthest(p, &near);
        if near.is_empty() {
            return self.draft(p, top, 0.0, Vec::new());
        }
        // Levels on which the point would have no child but itself are left out.
        let level = top.min(self.powers.level_of(farthest));
        if level <= self.floor {
            for entry in &near {
                self.placed[entry.row as usize] = true;
            }
            return self.draft(p, level, farthest, Vec::new());
        }
        let inner = self.powers.radius(level - 1);
        let reach = self.powers.reach(level);
        let mut far: Vec<Entry> = far
            .into_iter()
            .filter(|entry| self.is_within(p, entry, self.powers.reach(level + 1)))
            .collect();
        let descendants = near.clone();
        let candidates = far.clone();
        let (inside, mut ring): (Vec<Entry>, Vec<Entry>) = near
            .into_iter()
            .partition(|entry| self.is_within(p, entry, inner));
        let mut children = Vec::new();
        if !inside.is_empty() {
            let mut around = ring.clone();
            around.extend(far.iter().filter(|entry| self.is_within(p, entry, reach)));
            children.push(self.construct(p, inside, around, level - 1));
            self.drop_placed(&mut ring);
            self.drop_placed(&mut far);
        }
        while let Some(&Entry { row: q, distance }) = ring.first() {
            self.placed[q as usize] = true;
            let (mut near, mut around) = (Vec::new(), Vec::new());
            self.split(
                q,
                distance,
                [&ring[1..], &far],
                level,
                &mut near,
                &mut around,
            );
            let child = if near.is_empty() {
                self.draft(q, level - 1, 0.0, Vec::new())
            } else {
                self.construct(q, near, around, level - 1)
            };
            self.drafts[child as usize].parent_dist = distance;
            children.push(child);
            self.drop_placed(&mut ring);
            self.drop_placed(&mut far);
        }
        let mut farthest = farthest;
        for entry in descendants.iter().chain(&candidates) {
            if self.placed[entry.row as usize] {
                farthest = farthest.max(entry.distance);
            }
        }
        self.draft(p, level, farthest, children)
    }

    /// Of the points in `lists`, which carry their distances to a node `to_parent` away from `q`:
    /// those within the radius below `level`, and those within reach.
    fn split(
        &self,
        q: u32,
        to_parent: f64,
        lists: [&[Entry]; 2],
        level: i32,
        near: &mut Vec<Entry>,
        around: &mut Vec<Entry>,
    ) {
        let inner = self.powers.radius(level - 1);
        let reach = self.powers.reach(level);
        // A hair more, since distances are rounded.
        let mut hopeless = reach * (1.0 + 1e-9) + to_parent * 1e-9;
        hopeless += 2.0 * self.error(to_parent + reach);
        let measure = |list: &[Entry]| -> Vec<Entry> {
            let candidates: Vec<u32> = list
                .iter()
                .filter(|entry| (entry.distance - to_parent).abs() <= hopeless)
                .map(|entry| entry.row)
                .collect();
            let mut found = Vec::new();
            self.measure(q, &candidates, reach, |row, distance| {
                let entry = Entry { row, distance };
                if self.is_within(q, &entry, reach) {
                    found.push(entry);
                }
            });
            found
        };
        for list in lists {
            let found: Vec<Entry> = if list.len() >= PARALLEL {
                concat(list.len(), PARALLEL, &|part| measure(&list[part]))
            } else {
                measure(list)
            };
            for entry in found {
                if self.is_within(q, &entry, inner) {
                    near.push(entry);
                } else {
                    around.push(entry);
                }
            }
        }
    }

    fn drop_placed(&self, entries: &mut Vec<Entry>) {
        entries.retain(|entry| !self.placed[entry.row as usize]);
    }

    fn draft(&mut self, row: u32, level: i32, max_desc_dist: f64, children: Vec<u32>) -> u32 {
        self.drafts.push(Draft {
            row,
            level,
            parent_dist: 0.0,
            max_desc_dist,
            children,
        });
        self.drafts.len() as u32 - 1
    }
}
