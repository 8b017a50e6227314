//! Pair by pair, for any loss: $O(m^2)$.

/// A loss of the difference $t = o_i - o_j$ of a pair.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PairLoss {
    /// $\max(0, 1 - t)$.
    Hinge,
    /// $\ell_\varepsilon$; see [the module](super).
    SmoothedHinge(f64),
    /// $\ln(1 + e^{-t})$.
    Logistic,
    /// $e^{-t}$.
    Exponential,
}

impl PairLoss {
    /// $\ell(t)$.
    pub fn value(self, t: f64) -> f64 {
        match self {
            Self::Hinge => (1.0 - t).max(0.0),
            Self::SmoothedHinge(smoothing) if t < 1.0 - 2.0 * smoothing => 1.0 - smoothing - t,
            Self::SmoothedHinge(smoothing) => {
                let short = (1.0 - t).max(0.0);
                short * short / (4.0 * smoothing)
            }
            // The form whose exponential cannot overflow.
            Self::Logistic if t >= 0.0 => (-t).exp().ln_1p(),
            Self::Logistic => t.exp().ln_1p() - t,
            Self::Exponential => (-t).exp(),
        }
    }

    /// $\ell'(t)$; that from the right where there are two.
    pub fn slope(self, t: f64) -> f64 {
        match self {
            Self::Hinge => -f64::from(u8::from(t < 1.0)),
            Self::SmoothedHinge(smoothing) if t < 1.0 - 2.0 * smoothing => -1.0,
            Self::SmoothedHinge(smoothing) => -(1.0 - t).max(0.0) / (2.0 * smoothing),
            Self::Logistic if t >= 0.0 => -(-t).exp() / (1.0 + (-t).exp()),
            Self::Logistic => -1.0 / (1.0 + t.exp()),
            Self::Exponential => -(-t).exp(),
        }
    }

    /// $\ell''(t)$; that from the right where there are two.
    pub fn curvature(self, t: f64) -> f64 {
        match self {
            Self::Hinge => 0.0,
            Self::SmoothedHinge(smoothing) => {
                let inside = (1.0 - 2.0 * smoothing..1.0).contains(&t);
                f64::from(u8::from(inside)) / (2.0 * smoothing)
            }
            Self::Logistic => {
                let wrong = -self.slope(t);
                wrong * (1.0 - wrong)
            }
            Self::Exponential => (-t).exp(),
        }
    }

    /// The sum over all pairs, and its gradient.
    pub fn evaluate(self, scores: &[f64], levels: &[u32]) -> (f64, Vec<f64>) {
        let (mut value, mut slopes) = (0.0, vec![0.0; scores.len()]);
        for (i, j) in pairs(levels) {
            let t = scores[i] - scores[j];
            value += self.value(t);
            slopes[i] += self.slope(t);
            slopes[j] -= self.slope(t);
        }
        (value, slopes)
    }

    /// Product of the Hessian with a vector.
    pub fn curve(self, scores: &[f64], levels: &[u32], vector: &[f64]) -> Vec<f64> {
        let mut product = vec![0.0; scores.len()];
        for (i, j) in pairs(levels) {
            let part = self.curvature(scores[i] - scores[j]) * (vector[i] - vector[j]);
            product[i] += part;
            product[j] -= part;
        }
        product
    }
}

/// Pairs of rows, that of the higher level first.
pub fn pairs(levels: &[u32]) -> impl Iterator<Item = (usize, usize)> {
    (0..levels.len()).flat_map(move |i| {
        let lower = move |&j: &usize| levels[i] > levels[j];
        (0..levels.len()).filter(lower).map(move |j| (i, j))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOSSES: [PairLoss; 5] = [
        PairLoss::Hinge,
        PairLoss::SmoothedHinge(0.5),
        PairLoss::SmoothedHinge(0.05),
        PairLoss::Logistic,
        PairLoss::Exponential,
    ];

    #[test]
    fn slopes_and_curvatures_are_those_of_the_value() {
        for loss in LOSSES {
            // Steps that end on no knot.
            for k in -30..30 {
                let (t, h) = (f64::from(k) * 0.0917 + 0.0123, 1e-5);
                let slope = (loss.value(t + h) - loss.value(t - h)) / (2.0 * h);
                assert!((slope - loss.slope(t)).abs() < 1e-8, "{loss:?} {t}");
                let bend = (loss.slope(t + h) - loss.slope(t - h)) / (2.0 * h);
                assert!((bend - loss.curvature(t)).abs() < 1e-7, "{loss:?} {t}");
            }
        }
    }

    #[test]
    fn the_smoothed_hinge_and_its_slope_are_continuous_at_both_knots() {
        for smoothing in [0.5, 0.25, 0.05] {
            let loss = PairLoss::SmoothedHinge(smoothing);
            for knot in [1.0 - 2.0 * smoothing, 1.0] {
                let (left, right) = (knot - 1e-9, knot + 1e-9);
                assert!((loss.value(left) - loss.value(right)).abs() < 1e-8);
                assert!((loss.slope(left) - loss.slope(right)).abs() < 1e-6);
            }
            for k in -40..40 {
                let t = f64::from(k) * 0.1;
                let above = PairLoss::Hinge.value(t) - loss.value(t);
                assert!((-1e-15..=smoothing + 1e-15).contains(&above), "{t} {above}");
            }
        }
    }

    #[test]
    fn far_differences_do_not_overflow() {
        assert_eq!(PairLoss::Logistic.value(-1e3), 1e3);
        assert_eq!(PairLoss::Logistic.slope(-1e3), -1.0);
        assert_eq!(PairLoss::Logistic.value(1e3), 0.0);
    }
}
