//! Class probabilities from those of pairs.
//!
//! Given $r_{ab} \approx p(a \mid a \text{ or } b)$, the class probabilities minimise
//! $\sum_a \sum_{b \ne a} (r_{ba} p_a - r_{ab} p_b)^2$ with $\sum_a p_a = 1$ (Wu, Lin and Weng 2004, second
//! method). With $Q_{aa} = \sum_{b\ne a} r_{ba}^2$, $Q_{ab} = -r_{ba} r_{ab}$ that is
//! $\min \tfrac12 p^\top Q p$, solved by the paper's fixed-point sweeps.

use super::multiclass::pairs;

/// Probabilities of pairs stay this far from 0 and 1.
pub const PROBABILITY_FLOOR: f64 = 1e-7;

/// Probabilities of `n_classes` classes from `first[q]`, the probability of the first class of pair
/// number `q` in the order (0,1), (0,2), …, (1,2), ….
pub fn couple(n_classes: usize, first: &[f64]) -> Vec<f64> {
    let k = n_classes;
    debug_assert_eq!(first.len(), k * k.saturating_sub(1) / 2);
    if k < 2 {
        return vec![1.0; k];
    }
    let mut r = vec![0.0; k * k];
    for ((a, b), &p) in pairs(k).zip(first) {
        let p = p.clamp(PROBABILITY_FLOOR, 1.0 - PROBABILITY_FLOOR);
        r[a * k + b] = p;
        r[b * k + a] = 1.0 - p;
    }
    if k == 2 {
        return vec![r[1], r[2]];
    }
    let mut q = vec![0.0; k * k];
    for a in 0..k {
        for b in (0..k).filter(|&b| b != a) {
            q[a * k + a] += r[b * k + a] * r[b * k + a];
            q[a * k + b] = -r[b * k + a] * r[a * k + b];
        }
    }
    let mut p = vec![1.0 / k as f64; k];
    let mut qp = vec![0.0; k];
    let tolerance = 0.005 / k as f64;
    for _ in 0..k.max(100) {
        // Computed afresh in every sweep, for accuracy.
        for a in 0..k {
            qp[a] = (0..k).map(|b| q[a * k + b] * p[b]).sum();
        }
        let mut pqp: f64 = p.iter().zip(&qp).map(|(p, qp)| p * qp).sum();
        let error = qp
            .iter()
            .map(|value| (value - pqp).abs())
            .fold(0.0, f64::max);
        if error < tolerance {
            break;
        }
        for a in 0..k {
            let change = (pqp - qp[a]) / q[a * k + a];
            p[a] += change;
            let scale = 1.0 + change;
            pqp = (pqp + change * (change * q[a * k + a] + 2.0 * qp[a])) / (scale * scale);
            for b in 0..k {
                qp[b] = (qp[b] + change * q[a * k + b]) / scale;
                p[b] /= scale;
            }
        }
    }
    p
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn consistent_pairs_give_back_their_classes() {
        let truth = [0.5, 0.3, 0.15, 0.05];
        let first: Vec<f64> = pairs(4)
            .map(|(a, b)| truth[a] / (truth[a] + truth[b]))
            .collect();
        let p = couple(4, &first);
        for (p, truth) in p.iter().zip(truth) {
            assert!((p - truth).abs() < 0.01, "{p} {truth}");
        }
    }

    #[test]
    fn certain_pairs_stay_finite_and_sum_to_one() {
        let p = couple(3, &[1.0, 0.0, 1.0]);
        assert!(p.iter().all(|p| p.is_finite() && *p >= 0.0));
        assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        assert_eq!(couple(1, &[]), [1.0]);
        let two = couple(2, &[1.0]);
        assert_eq!(two[0], 1.0 - PROBABILITY_FLOOR);
        assert!((two[1] - PROBABILITY_FLOOR).abs() < 1e-15, "{two:?}");
    }
}
