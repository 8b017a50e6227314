//! The points of a tree from its top level down.

use super::CoverTree;

/// A point of a tree at the highest level that it has a node on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Visit {
    /// The row; of several rows at the same place the lowest at the time of building.
    pub row: u32,
    /// The level.
    pub level: i32,
    /// Other rows at the same place, ascending.
    pub copies: Vec<u32>,
}

impl CoverTree {
    /// The node at which each row comes in, with its level, from the top level down and in tree
    /// order within a level.
    fn entrances(&self) -> Vec<(i32, u32)> {
        let mut entrances = Vec::with_capacity(self.n_rows);
        for (at, node) in self.nodes.iter().enumerate() {
            let level = match self.nodes.get(node.parent as usize) {
                Some(parent) if parent.row == node.row => continue,
                Some(parent) => parent.level - 1,
                None => node.level,
            };
            entrances.push((level, at as u32));
        }
        entrances.sort_by_key(|&(level, at)| (std::cmp::Reverse(level), at));
        entrances
    }

    /// Every point once, at the highest level where it has a node: from the top level down, in
    /// tree order within a level. Rows that were removed are left out.
    pub fn visit_order(&self) -> Vec<Visit> {
        let visit = |(level, at): (i32, u32)| {
            let row = self.nodes[at as usize].row;
            (!self.gone.contains(&row)).then(|| Visit {
                row,
                level,
                copies: self.copies.get(&row).cloned().unwrap_or_default(),
            })
        };
        self.entrances().into_iter().filter_map(visit).collect()
    }

    /// The rows that come in on each level, from the top level down; rows at the same place as
    /// another are not named.
    pub fn levels(&self) -> Vec<(i32, Vec<u32>)> {
        let mut levels: Vec<(i32, Vec<u32>)> = Vec::new();
        for visit in self.visit_order() {
            match levels.last_mut() {
                Some((level, rows)) if *level == visit.level => rows.push(visit.row),
                _ => levels.push((visit.level, vec![visit.row])),
            }
        }
        levels
    }
}
