//! The rows of each class.

use crate::data::ClassLabels;

/// Rows by class, ascending within each. A class that has a name but no rows is no class here.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Members {
    by_class: Vec<Vec<u32>>,
}

impl Members {
    pub(super) fn new(labels: &ClassLabels) -> Self {
        let mut by_class: Vec<Vec<u32>> = vec![Vec::new(); labels.n_classes()];
        for (i, &code) in labels.codes().iter().enumerate() {
            by_class[code as usize].push(i as u32);
        }
        Self { by_class }
    }

    /// Classes that have rows, each with its rows, in the order of the codes.
    pub(super) fn present(&self) -> impl Iterator<Item = (u32, &[u32])> {
        let all = (0..).zip(self.by_class.iter().map(Vec::as_slice));
        all.filter(|(_, rows)| !rows.is_empty())
    }

    /// The class with the fewest rows, the first of equals; `None` without rows.
    pub(super) fn rarest(&self) -> Option<(u32, &[u32])> {
        self.present().min_by_key(|(_, rows)| rows.len())
    }

    /// Rows of the largest class.
    pub(super) fn largest_size(&self) -> usize {
        self.by_class.iter().map(Vec::len).max().unwrap_or(0)
    }
}

/// A share of a number of rows, rounded; at least one row.
pub(super) fn scaled_size(n_rows: usize, ratio: f64) -> usize {
    ((n_rows as f64 * ratio).round() as usize).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_equally_rare_classes_is_the_rarest() {
        let labels = ClassLabels::from_numbers(&[7.0, 5.0, 5.0, 9.0, 9.0, 7.0, 5.0]);
        let members = Members::new(&labels);
        assert_eq!(members.rarest(), Some((0, [0u32, 5].as_slice())));
        assert_eq!(members.largest_size(), 3);
    }

    #[test]
    fn sizes_are_rounded_and_never_nothing() {
        assert_eq!(scaled_size(100, 0.29), 29);
        assert_eq!(scaled_size(3, 1e-9), 1);
        assert_eq!(scaled_size(3, f64::MAX), usize::MAX);
    }
}
