//! Bounds on what the approximations of QPFS can cost, with their premises.
//!
//! $g(w^*)$ is the optimum of the programme with $Q$, $\tilde g$ that with the eigenvalues up to
//! $\delta$ dropped, $\hat g$ that with $\hat Q$ from $r$ sampled rows. All of these bounds are
//! loose; [`spectral`] is the tightest, and needs a measured error.

use serde::{Deserialize, Serialize};

/// A bound, and whether the conditions under which it was proven hold.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Bound {
    /// The bound.
    pub value: f64,
    /// Whether its premises hold.
    pub holds: bool,
}

/// Low rank (Fine and Scheinberg): $0 \le g(w^*) - \tilde g(\tilde w^*) \le d^2 l \varepsilon/2$ if
/// $Q - \tilde Q$ is positive semidefinite with trace at most $\varepsilon$, for $l$ active
/// constraints and weights up to $d$.
///
/// `dropped` are the eigenvalues that were dropped; $\varepsilon$ is their sum, and the premise is
/// that none is negative.
pub fn low_rank(dropped: &[f64], active_constraints: usize, largest_weight: f64) -> Bound {
    let trace: f64 = dropped.iter().map(|value| value.abs()).sum();
    let value = largest_weight * largest_weight * active_constraints as f64 * trace / 2.0;
    Bound {
        value,
        holds: dropped.iter().all(|&value| value >= 0.0),
    }
}

/// The same with what is known beforehand: $\gamma = (M+1)(M-\tilde k)\delta/2$ for $M$ features of
/// which $\tilde k$ eigenvalues exceed the absolute threshold $\delta$.
pub fn low_rank_beforehand(n_features: usize, rank_kept: usize, threshold: f64) -> f64 {
    (n_features as f64 + 1.0) * (n_features.saturating_sub(rank_kept)) as f64 * threshold / 2.0
}

/// The bracket $\big[\tfrac Mr \sum_{i \in D(r)} Q_{ii} \sqrt{M \sum_i Q_{ii}^2}\big]^{1/2}$, with
/// $D(r)$ the $r$ largest entries of the diagonal.
fn bracket(diagonal: &[f64], sampled: usize) -> f64 {
    let n = diagonal.len() as f64;
    let mut sorted = diagonal.to_vec();
    sorted.sort_unstable_by(|a, b| b.total_cmp(a));
    let largest: f64 = sorted.iter().take(sampled).sum();
    let squares: f64 = diagonal.iter().map(|q| q * q).sum();
    (n / sampled as f64 * largest * (n * squares).sqrt()).sqrt()
}

/// Sampled rows (Kumar, Mohri and Talwalkar): with `sampled` rows drawn uniformly,
/// $E\|Q - \hat Q\|_F \le \|Q - \tilde Q\|_F + \varepsilon\,[\dots]$ if $r \ge 64k/\varepsilon^4$, where
/// $\tilde Q$ is the best approximation of rank $k$.
pub fn sampled(
    diagonal: &[f64],
    sampled: usize,
    rank: usize,
    epsilon: f64,
    low_rank_error: f64,
) -> Bound {
    Bound {
        value: low_rank_error + epsilon * bracket(diagonal, sampled),
        holds: sampled as f64 >= 64.0 * rank as f64 / epsilon.powi(4),
    }
}

/// The smallest $\varepsilon$ for which the premise of [`sampled`] holds.
pub fn smallest_epsilon(sampled: usize, rank: usize) -> f64 {
    (64.0 * rank as f64 / sampled as f64).powf(0.25)
}

/// Both: $E|g(w^*) - \hat g(\hat w^*)| \le \gamma + \tfrac\varepsilon2 (M+1)\,[\dots]$.
pub fn total(
    diagonal: &[f64],
    sampled_rows: usize,
    rank_kept: usize,
    threshold: f64,
    epsilon: f64,
) -> Bound {
    let n = diagonal.len();
    let gamma = low_rank_beforehand(n, rank_kept, threshold);
    let spread = epsilon / 2.0 * (n as f64 + 1.0) * bracket(diagonal, sampled_rows);
    Bound {
        value: gamma + spread,
        holds: sampled_rows as f64 >= 64.0 * rank_kept as f64 / epsilon.powi(4),
    }
}

/// $\tfrac12(1-\alpha)\|Q - \hat Q\|_2$: on the simplex $\|w\|_2 \le 1$, so no point's objective moves
/// by more, and no optimum either. Any norm that is not below the spectral one will do.
pub fn spectral(alpha: f64, error_norm: f64) -> f64 {
    0.5 * (1.0 - alpha) * error_norm
}
