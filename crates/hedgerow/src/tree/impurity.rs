//! How mixed a node is, and what a split gains.

use crate::params::Words;
use serde::{Deserialize, Serialize};

/// Measure of how mixed the classes of a node are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, Words)]
pub enum Impurity {
    /// Information, in bits.
    ///
    /// $-\sum_c p_c \log_2 p_c$.
    #[default]
    Entropy,
    /// 1 - sum of squared shares.
    ///
    /// $1 - \sum_c p_c^2$.
    Gini,
    /// Share of the smaller classes.
    ///
    /// $1 - \max_c p_c$. Blind to splits whose two sides keep the same majority: for comparison.
    Misclassification,
}

impl Impurity {
    /// Impurity of a node with this mass of each class; 0 without mass.
    pub fn of(self, masses: &[f64]) -> f64 {
        let total: f64 = masses.iter().sum();
        if total <= 0.0 {
            return 0.0;
        }
        let shares = masses.iter().map(|mass| mass / total);
        match self {
            Self::Entropy => shares
                .filter(|&p| p > 0.0)
                .map(|p| -p * p.log2())
                .sum::<f64>()
                .max(0.0),
            Self::Gini => (1.0 - shares.map(|p| p * p).sum::<f64>()).max(0.0),
            Self::Misclassification => 1.0 - shares.fold(0.0, f64::max),
        }
    }

    /// Impurity of a node less that of its two sides, each weighed by its share of the mass.
    pub fn gain(self, below: &[f64], above: &[f64]) -> f64 {
        let mass_below: f64 = below.iter().sum();
        let mass_above: f64 = above.iter().sum();
        let total = mass_below + mass_above;
        if total <= 0.0 {
            return 0.0;
        }
        let both: Vec<f64> = below.iter().zip(above).map(|(a, b)| a + b).collect();
        self.of(&both) - (mass_below * self.of(below) + mass_above * self.of(above)) / total
    }
}

/// A cut of the ordered values that gains most, and what it gains. Values must be ascending;
/// `None` if they are all equal.
pub(super) fn best_cut(
    impurity: Impurity,
    values: &[(f64, u32, f64)],
    n_classes: usize,
) -> Option<(f64, f64)> {
    let mut above = vec![0.0; n_classes];
    for &(_, class, mass) in values {
        above[class as usize] += mass;
    }
    let total: f64 = above.iter().sum();
    let whole = impurity.of(&above);
    let mut below = vec![0.0; n_classes];
    let mut mass_below = 0.0;
    let mut best: Option<(f64, f64)> = None;
    for pair in values.windows(2) {
        let (value, class, mass) = pair[0];
        let next = pair[1].0;
        below[class as usize] += mass;
        above[class as usize] -= mass;
        mass_below += mass;
        if next <= value {
            continue;
        }
        let rest = (total - mass_below).max(0.0);
        let gain = whole - (mass_below * impurity.of(&below) + rest * impurity.of(&above)) / total;
        if best.is_none_or(|(_, most)| gain > most) {
            let middle = value + (next - value) / 2.0;
            // The middle of two neighbouring numbers may round to the upper one.
            let cut = if middle < next { middle } else { value };
            best = Some((cut, gain));
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impurities_of_known_nodes() {
        assert_eq!(Impurity::Entropy.of(&[4.0, 4.0]), 1.0);
        assert_eq!(Impurity::Entropy.of(&[4.0, 0.0]), 0.0);
        assert_eq!(Impurity::Gini.of(&[1.0, 1.0]), 0.5);
        assert_eq!(Impurity::Misclassification.of(&[1.0, 3.0]), 0.25);
        assert_eq!(Impurity::Entropy.of(&[]), 0.0);
    }

    #[test]
    fn error_is_blind_where_entropy_is_not() {
        // Two splits of 4000/4000 that both err on 2000 rows; the second has a pure side.
        let even = ([3000.0, 1000.0], [1000.0, 3000.0]);
        let pure = ([2000.0, 4000.0], [2000.0, 0.0]);
        let error = |s: &([f64; 2], [f64; 2])| Impurity::Misclassification.gain(&s.0, &s.1);
        assert!((error(&even) - error(&pure)).abs() < 1e-15);
        let bits = |s: &([f64; 2], [f64; 2])| Impurity::Entropy.gain(&s.0, &s.1);
        assert!(bits(&pure) > bits(&even));
    }

    #[test]
    fn the_best_cut_separates_what_can_be_separated() {
        let values = [
            (-1.0, 0, 1.0),
            (0.0, 0, 1.0),
            (0.0, 0, 1.0),
            (2.0, 1, 1.0),
            (3.0, 1, 1.0),
        ];
        let (cut, gain) = best_cut(Impurity::Entropy, &values, 2).expect("values differ");
        assert_eq!(cut, 1.0);
        assert!((gain - Impurity::Entropy.of(&[3.0, 2.0])).abs() < 1e-12);
        assert_eq!(best_cut(Impurity::Gini, &[(1.0, 0, 1.0); 3], 2), None);
    }
}
