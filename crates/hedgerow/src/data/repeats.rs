//! Rows that occur more than once.

use super::{Dataset, SamplesView, Target};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hasher};

/// Which rows repeat others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repeats {
    /// The first of all rows with the same features and the same target, ascending.
    pub kept: Vec<usize>,
    /// Rows that repeat one of them.
    pub removed: usize,
    /// Groups of rows with the same features and several targets.
    pub contradictions: usize,
    /// Kept rows in these groups.
    pub contradicting_rows: usize,
}

impl Dataset {
    /// Finds rows that repeat others in all features and in the target. Weights are not looked at.
    pub fn repeats(&self) -> Repeats {
        let view = self.samples().view();
        // Kept rows by their hash, those of equal features one after the other.
        let mut known: HashMap<u64, Vec<Vec<usize>>> = HashMap::new();
        let mut kept = Vec::new();
        for i in 0..self.n_rows() {
            let groups = known.entry(hash(view, i)).or_default();
            let equal = groups.iter_mut().find(|group| are_equal(view, group[0], i));
            match equal {
                Some(group) if group.iter().any(|&j| self.same_target(i, j)) => continue,
                Some(group) => group.push(i),
                None => groups.push(vec![i]),
            }
            kept.push(i);
        }
        let several = known.values().flatten().filter(|group| group.len() > 1);
        let (contradictions, contradicting_rows) =
            several.fold((0, 0), |(n, rows), group| (n + 1, rows + group.len()));
        Repeats {
            removed: self.n_rows() - kept.len(),
            kept,
            contradictions,
            contradicting_rows,
        }
    }

    fn same_target(&self, i: usize, j: usize) -> bool {
        match self.target() {
            Target::None => true,
            Target::Classes(labels) | Target::Ordinal(labels) => {
                labels.codes()[i] == labels.codes()[j]
            }
            Target::Real(values) => values[i] == values[j],
        }
    }
}

/// What rows that are equal have in common; zeros do not count, written or not.
fn hash(view: SamplesView<'_>, i: usize) -> u64 {
    let mut hasher = DefaultHasher::new();
    view.row(i).for_each(|f, value| {
        if value != 0.0 {
            hasher.write_usize(f);
            hasher.write_u64(value.to_bits());
        }
    });
    hasher.finish()
}

fn entries(view: SamplesView<'_>, i: usize) -> Vec<(usize, f64)> {
    let mut entries = Vec::new();
    view.row(i).for_each(|f, value| {
        if value != 0.0 {
            entries.push((f, value));
        }
    });
    entries
}

fn are_equal(view: SamplesView<'_>, i: usize, j: usize) -> bool {
    entries(view, i) == entries(view, j)
}
