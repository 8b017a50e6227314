//! What theory says of the error of a tree, and how good it is.
//!
//! With probability $1 - \delta'$ a hypothesis from a class of VC dimension $h$ (hyperplanes in $R^M$: $M + 1$)
//! errs at most $R_{emp} + \sqrt{(h(\ln(2N/h) + 1) - \ln(\delta'/4))/N}$.
//!
//! For a tree of depth $D$ with $L$ leaves, the share $p_i$ of the growing rows in leaf $i$, the accuracy
//! $a_i$ there and $a$ over all, let $p'_i = p_i a_i / a$. The leaves that count are
//! $$L'_{eff} = L\Bigl(1 - \sum_i (p'_i - 1/L)^2\Bigr) = L + 1 - L \sum_i p_i'^2,$$
//! between 1 (one leaf has all that is right) and $L$ (all leaves alike). The error is at most the
//! training error and a constant times
//! $$T_{comp} = \Bigl(\frac{L'_{eff} (M+1) \ln^2 N \ln D}{N}\Bigr)^{1/3}.$$
//! The constant is not known: $T_{comp}$ serves to compare trees.
//!
//! | paper | here |
//! |---|---|
//! | $L_{eff}$, $L'_{eff}$ | [`TreeComplexity::effective_leaves`], [`TreeComplexity::effective_accurate_leaves`] |
//! | $T_{comp}$ | [`TreeComplexity::term`] |

use super::compiled::Tree;

/// Bound of the error by the empirical error and the VC dimension, with probability
/// `1 - confidence_gap`; `None` unless there are more rows than dimensions.
pub fn vc_bound(
    empirical_error: f64,
    dimension: usize,
    n_rows: usize,
    confidence_gap: f64,
) -> Option<f64> {
    let (h, n) = (dimension as f64, n_rows as f64);
    if dimension == 0 || n_rows <= dimension || !(confidence_gap > 0.0 && confidence_gap < 1.0) {
        return None;
    }
    let capacity = h * ((2.0 * n / h).ln() + 1.0) - (confidence_gap / 4.0).ln();
    Some(empirical_error + (capacity / n).sqrt())
}

/// Leaves that count, by the share of each.
pub fn effective_leaves(shares: &[f64]) -> f64 {
    let n = shares.len() as f64;
    if shares.is_empty() {
        return 0.0;
    }
    n + 1.0 - n * shares.iter().map(|p| p * p).sum::<f64>()
}

/// $T_{comp}$; 0 for trees of at most one hyperplane on a path.
pub fn complexity_term(
    effective_leaves: f64,
    n_features: usize,
    n_rows: usize,
    depth: usize,
) -> f64 {
    if depth < 2 || n_rows == 0 {
        return 0.0;
    }
    let n = n_rows as f64;
    let log_n = n.ln();
    let inside = effective_leaves * (n_features as f64 + 1.0) * log_n * log_n * (depth as f64).ln();
    (inside / n).cbrt()
}

/// How complex a tree is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TreeComplexity {
    /// Leaves.
    pub leaves: usize,
    /// Most hyperplanes on a path.
    pub depth: usize,
    /// Share of the growing rows that the tree gets wrong.
    pub training_error: f64,
    /// Leaves that count, by their rows.
    pub effective_leaves: f64,
    /// Leaves that count, by the rows that they get right.
    pub effective_accurate_leaves: f64,
    /// $T_{comp}$.
    pub term: f64,
}

impl Tree {
    /// Complexity by the rows that the tree was grown on, each counted with its weight.
    pub fn complexity(&self) -> TreeComplexity {
        let (mut total, mut right) = (0.0, 0.0);
        let mut leaves = Vec::new();
        for (masses, label) in self.leaf_masses() {
            let mass: f64 = masses.iter().sum();
            let good = masses[label as usize];
            total += mass;
            right += good;
            leaves.push((mass, good));
        }
        let share = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 0.0 };
        let by_rows: Vec<f64> = leaves.iter().map(|leaf| share(leaf.0, total)).collect();
        let by_right: Vec<f64> = leaves.iter().map(|leaf| share(leaf.1, right)).collect();
        let depth = self.depth();
        let accurate = effective_leaves(&by_right);
        TreeComplexity {
            leaves: leaves.len(),
            depth,
            training_error: share(total - right, total),
            effective_leaves: effective_leaves(&by_rows),
            effective_accurate_leaves: accurate,
            term: complexity_term(accurate, self.n_features, total.round() as usize, depth),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaves_that_count_between_one_and_all() {
        assert!((effective_leaves(&[0.25; 4]) - 4.0).abs() < 1e-12);
        assert!((effective_leaves(&[1.0, 0.0, 0.0, 0.0]) - 1.0).abs() < 1e-12);
        assert_eq!(effective_leaves(&[]), 0.0);
    }

    #[test]
    fn the_term_grows_with_leaves_and_depth() {
        let term = |leaves, depth| complexity_term(leaves, 22, 50_000, depth);
        assert!(term(20.0, 5) > term(10.0, 5));
        assert!(term(10.0, 6) > term(10.0, 5));
        assert_eq!((term(10.0, 0), term(10.0, 1)), (0.0, 0.0));
    }

    #[test]
    fn the_vc_bound_shrinks_with_rows_and_needs_more_than_its_dimension() {
        let at = |n| vc_bound(0.1, 23, n, 0.05);
        assert!(at(100_000) < at(10_000));
        assert!(at(10_000) > Some(0.1));
        assert_eq!(at(23), None);
        assert_eq!(vc_bound(0.1, 5, 100, 0.0), None);
    }
}
