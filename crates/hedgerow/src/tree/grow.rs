//! Growing a tree.
//!
//! A node becomes a leaf if it is pure, if it has no more than a share $\delta$ of the rows, if its path
//! is as long as allowed, or if its hyperplane gains nothing. Otherwise its rows go to two
//! children, $w \cdot x + b \le 0$ below and $> 0$ above.
//!
//! Large nodes are tasks of the thread pool; the subtree under a small node is grown by one task with
//! a stack of its own, so that depth costs no recursion. A node is decided by its rows, in their
//! order, and by a seed that follows from the path to it. So the tree depends neither on threads nor
//! on the order of tasks, and trees that differ in $\delta$ only are nested.

use super::split::{Effort, Ground, NodeProblem, Plane};
use crate::Result;
use rayon::Scope;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Rows from which on a child becomes a task of its own.
const TASK_ROWS: usize = 2000;

/// Gain that counts as none.
const NO_GAIN: f64 = 1e-12;

/// A node of a grown tree. Nodes stand in depth-first order: the child below follows its parent.
#[derive(Debug, Clone)]
pub(super) struct GrownNode {
    /// Training mass of each class.
    pub(super) masses: Vec<f64>,
    pub(super) n_rows: usize,
    /// The heaviest class.
    pub(super) label: u32,
    /// `None` for a leaf.
    pub(super) split: Option<GrownSplit>,
}

/// What makes a node more than a leaf.
#[derive(Debug, Clone)]
pub(super) struct GrownSplit {
    pub(super) plane: Plane,
    pub(super) below: usize,
    pub(super) above: usize,
}

/// A node to be grown.
struct Job {
    place: usize,
    rows: Vec<u32>,
    seed: u64,
    depth: u32,
    lambda: f64,
    parent_label: u32,
}

/// Nodes in the order in which tasks made them, and the first failure.
struct Arena {
    nodes: Vec<Option<GrownNode>>,
    effort: Effort,
    failure: Option<crate::Error>,
}

struct Growth<'a> {
    ground: &'a Ground<'a>,
    arena: Mutex<Arena>,
}

/// Grows a tree on some rows of the ground.
pub(super) fn grow(
    ground: &Ground<'_>,
    rows: Vec<u32>,
    seed: u64,
) -> Result<(Vec<GrownNode>, Effort)> {
    let growth = Growth {
        ground,
        arena: Mutex::new(Arena {
            nodes: vec![None],
            effort: Effort::NONE,
            failure: None,
        }),
    };
    let root = Job {
        place: 0,
        rows,
        seed: path_seed(seed, 0),
        depth: 0,
        lambda: ground.lambda,
        parent_label: ground.positive,
    };
    rayon::scope(|scope| growth.run(root, scope));
    let arena = growth
        .arena
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    match arena.failure {
        Some(failure) => Err(failure),
        None => Ok((depth_first(arena.nodes), arena.effort)),
    }
}

impl Growth<'_> {
    fn arena(&self) -> MutexGuard<'_, Arena> {
        self.arena.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run<'s>(&'s self, job: Job, scope: &Scope<'s>) {
        let mut stack = vec![job];
        while let Some(job) = stack.pop() {
            match self.decide(&job) {
                Ok(children) => {
                    for child in children.into_iter().flatten() {
                        if child.rows.len() >= TASK_ROWS {
                            scope.spawn(|scope| self.run(child, scope));
                        } else {
                            stack.push(child);
                        }
                    }
                }
                Err(failure) => {
                    self.arena().failure.get_or_insert(failure);
                    return;
                }
            }
        }
    }

    /// Makes a leaf, or a split and the jobs of its children.
    fn decide(&self, job: &Job) -> Result<Option<[Job; 2]>> {
        let ground = self.ground;
        let masses = ground.masses_of(&job.rows);
        let label = heaviest(&masses, job.parent_label);
        let mut node = GrownNode {
            masses,
            n_rows: job.rows.len(),
            label,
            split: None,
        };
        let plane = if self.may_split(&node, job.depth) {
            let problem = NodeProblem::new(ground, &job.rows, job.seed)?;
            let (plane, effort) = problem.best_plane(job.lambda)?;
            let mut arena = self.arena();
            arena.effort = arena.effort.and(effort);
            plane.filter(|plane| plane.gain > NO_GAIN)
        } else {
            None
        };
        let Some(plane) = plane else {
            self.arena().nodes[job.place] = Some(node);
            return Ok(None);
        };
        let (above, below): (Vec<u32>, Vec<u32>) = job
            .rows
            .iter()
            .partition(|&&row| plane.is_above(ground.view, row));
        let lambda = plane.lambda;
        let mut arena = self.arena();
        let place = arena.nodes.len();
        arena.nodes.extend([None, None]);
        node.split = Some(GrownSplit {
            plane,
            below: place,
            above: place + 1,
        });
        arena.nodes[job.place] = Some(node);
        let child = |side: usize, rows: Vec<u32>| Job {
            place: place + side,
            rows,
            seed: path_seed(job.seed, 1 + side as u64),
            depth: job.depth + 1,
            lambda,
            parent_label: label,
        };
        Ok(Some([child(0, below), child(1, above)]))
    }

    fn may_split(&self, node: &GrownNode, depth: u32) -> bool {
        let ground = self.ground;
        let present = node.masses.iter().filter(|&&mass| mass > 0.0).count();
        let share = node.n_rows as f64 / ground.n_rows as f64;
        present > 1
            && share > ground.min_share
            && ground.params.max_depth.is_none_or(|most| depth < most)
    }
}

/// The class of largest mass; a tie goes to `favourite` if it takes part, else to the first.
pub(super) fn heaviest(masses: &[f64], favourite: u32) -> u32 {
    let most = masses.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if masses.get(favourite as usize) == Some(&most) {
        return favourite;
    }
    masses.iter().position(|&mass| mass == most).unwrap_or(0) as u32
}

/// Seed of a child from that of its parent (the finaliser of SplitMix64).
fn path_seed(seed: u64, side: u64) -> u64 {
    let mut z = seed.wrapping_add((side + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Puts nodes into depth-first order from node 0, the child below first. Nodes that cannot be
/// reached are left out.
pub(super) fn depth_first(mut nodes: Vec<Option<GrownNode>>) -> Vec<GrownNode> {
    let mut ordered: Vec<GrownNode> = Vec::with_capacity(nodes.len());
    // Where to write the new place of a node once it is known: (parent, is it above?).
    let mut stack: Vec<(usize, Option<(usize, bool)>)> = vec![(0, None)];
    while let Some((place, parent)) = stack.pop() {
        let Some(node) = nodes.get_mut(place).and_then(Option::take) else {
            continue;
        };
        let now = ordered.len();
        if let Some((parent, is_above)) = parent
            && let Some(split) = &mut ordered[parent].split
        {
            *(if is_above {
                &mut split.above
            } else {
                &mut split.below
            }) = now;
        }
        if let Some(split) = &node.split {
            stack.push((split.above, Some((now, true))));
            stack.push((split.below, Some((now, false))));
        }
        ordered.push(node);
    }
    ordered
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_go_to_the_favourite_and_then_to_the_first() {
        assert_eq!(heaviest(&[2.0, 2.0], 1), 1);
        assert_eq!(heaviest(&[2.0, 2.0, 1.0], 2), 0);
        assert_eq!(heaviest(&[1.0, 3.0], 0), 1);
    }

    #[test]
    fn seeds_of_paths_differ() {
        let mut seeds = vec![path_seed(0, 0)];
        for at in 0..127 {
            for side in [1, 2] {
                seeds.push(path_seed(seeds[at], side));
            }
        }
        seeds.sort_unstable();
        seeds.dedup();
        assert_eq!(seeds.len(), 255);
    }
}
