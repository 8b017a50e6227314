//! The two-class problems that a problem of several classes is taken apart into.

use super::multiclass::{Multiclass, pairs};
use crate::Result;
use crate::parallel::{Grain, try_map};
use crate::spares::Spares;

/// Rows of a two-class problem, the positive ones first.
pub(crate) struct Task {
    pub(crate) rows: Vec<u32>,
    pub(crate) n_positive: usize,
}

impl Task {
    /// +1 or −1: the label of the row at position `t`.
    pub(crate) fn sign(&self, t: usize) -> f64 {
        if t < self.n_positive { 1.0 } else { -1.0 }
    }
}

/// The two-class problems of a scheme, given the rows of each class.
pub(super) fn tasks(members: &[Vec<u32>], multiclass: Multiclass) -> Vec<Task> {
    let k = members.len();
    let join = |a: usize, others: &mut dyn Iterator<Item = usize>| {
        let mut rows = members[a].clone();
        others.for_each(|b| rows.extend_from_slice(&members[b]));
        Task {
            n_positive: members[a].len(),
            rows,
        }
    };
    if multiclass == Multiclass::OneVsRest && k > 2 {
        return (0..k)
            .map(|a| join(a, &mut (0..k).filter(|&b| b != a)))
            .collect();
    }
    pairs(k)
        .map(|(a, b)| join(a, &mut std::iter::once(b)))
        .collect()
}

/// Solves all tasks, several at once, with a workspace for every thread.
pub(crate) fn solve_all<W: Default + Send, S: Send>(
    tasks: &[Task],
    solve: impl Fn(&mut W, usize, &Task) -> Result<S> + Sync,
) -> Result<Vec<S>> {
    let workspaces = Spares::<W>::new();
    try_map(tasks.len(), Grain::COARSE, &|number| {
        workspaces.lend(|workspace| solve(workspace, number, &tasks[number]))
    })
}
