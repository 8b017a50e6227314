//! From binary machines to several classes.

use crate::data::ClassName;
use serde::{Deserialize, Serialize};

/// How more than two classes are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Multiclass {
    /// A machine for every pair of classes; each has one vote, ties go to the earlier class.
    #[default]
    OneVsOne,
    /// A machine for every class against all others; the largest decision value wins.
    OneVsRest,
    /// The machines of one-vs-one, asked along a directed acyclic graph: each answer rules one
    /// class out.
    Dag,
}

impl Multiclass {
    /// Machines needed for a number of classes.
    pub fn n_machines(self, n_classes: usize) -> usize {
        match (self, n_classes) {
            (_, 0 | 1) => 0,
            (_, 2) => 1,
            (Self::OneVsRest, k) => k,
            (Self::OneVsOne | Self::Dag, k) => k.saturating_mul(k - 1) / 2,
        }
    }

    /// The class that the decision values of one row speak for, one value a machine.
    pub fn decide(self, n_classes: usize, decisions: &[f64]) -> u32 {
        match (self, n_classes) {
            (_, 0 | 1) => 0,
            (_, 2) => u32::from(decisions[0] <= 0.0),
            (Self::OneVsRest, _) => largest(decisions),
            (Self::OneVsOne, k) => {
                let mut votes = vec![0u32; k];
                for ((first, second), &value) in pairs(k).zip(decisions) {
                    votes[if value > 0.0 { first } else { second }] += 1;
                }
                largest(&votes)
            }
            (Self::Dag, k) => {
                let (mut first, mut last) = (0, k - 1);
                while first < last {
                    if decisions[pair_index(k, first, last)] > 0.0 {
                        last -= 1;
                    } else {
                        first += 1;
                    }
                }
                first as u32
            }
        }
    }

    /// The class of every row, given its decision values, one column a machine.
    pub(crate) fn decide_rows(
        self,
        n_classes: usize,
        n_rows: usize,
        decisions: &[f64],
    ) -> Vec<u32> {
        let width = self.n_machines(n_classes);
        if width == 0 {
            return vec![0; n_rows];
        }
        let decide = |row: &[f64]| self.decide(n_classes, row);
        decisions.chunks(width).map(decide).collect()
    }

    /// Names of the columns of decision values: `a/b` a pair, positive for `a`; with one-vs-rest a
    /// class; of a single class its name.
    pub(crate) fn score_columns(self, classes: &[ClassName]) -> Vec<String> {
        match (self, classes.len()) {
            (_, 1) => vec![classes[0].to_string()],
            (Self::OneVsRest, 3..) => classes.iter().map(ToString::to_string).collect(),
            (_, k) => pairs(k)
                .map(|(a, b)| format!("{}/{}", classes[a], classes[b]))
                .collect(),
        }
    }
}

/// Position of the largest value, the first one if it occurs more than once.
pub fn largest<T: PartialOrd>(values: &[T]) -> u32 {
    let mut best = 0;
    for (c, value) in values.iter().enumerate() {
        if *value > values[best] {
            best = c;
        }
    }
    best as u32
}

/// The pairs (0,1), (0,2), …, (1,2), … of `k` classes.
pub fn pairs(k: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..k).flat_map(move |a| (a + 1..k).map(move |b| (a, b)))
}

/// Position of the pair `a < b` in [`pairs`].
fn pair_index(k: usize, a: usize, b: usize) -> usize {
    a * (2 * k - a - 1) / 2 + b - a - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_found_at_their_index() {
        for k in 2..7 {
            for (position, (a, b)) in pairs(k).enumerate() {
                assert_eq!(pair_index(k, a, b), position);
            }
            assert_eq!(Multiclass::OneVsOne.n_machines(k), pairs(k).count());
        }
    }

    #[test]
    fn a_circle_of_votes_goes_to_the_first_class() {
        // 0 beats 1, 1 beats 2, 2 beats 0.
        assert_eq!(Multiclass::OneVsOne.decide(3, &[1.0, -1.0, 1.0]), 0);
        // The graph asks 0 against 2 first, which leaves 1 against 2.
        assert_eq!(Multiclass::Dag.decide(3, &[1.0, -1.0, 1.0]), 1);
    }

    #[test]
    fn zero_is_a_vote_for_the_second_class() {
        assert_eq!(Multiclass::OneVsOne.decide(2, &[0.0]), 1);
        assert_eq!(Multiclass::OneVsRest.decide(3, &[0.5, 0.5, -1.0]), 0);
    }
}
