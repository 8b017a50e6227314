//! Probabilities from decision values.
//!
//! $p(y = 1 \mid f) = 1 / (1 + e^{a f + b})$ with $a, b$ that minimise the negative log-likelihood
//! $\sum_i t_i z_i + \ln(1 + e^{-z_i})$, $z_i = a f_i + b$, of the targets
//! $t = (n_+ + 1)/(n_+ + 2)$ for positive and $1/(n_- + 2)$ for negative rows (Platt 2000, in the form
//! that does not overflow of Lin, Lin and Weng 2007), by Newton steps with backtracking.
//!
//! | paper | here |
//! |---|---|
//! | $A$, $B$ | `slope`, `offset` |
//! | $f_i$ | `decisions` |
//! | $N_+$, $N_-$ | `n_positive`, `n_negative` |

use crate::data::Generator;
use serde::{Deserialize, Serialize};

/// Folds of the cross-validation that gives rows decision values of machines that did not learn from
/// them.
pub(crate) const CALIBRATION_FOLDS: usize = 5;

const MAX_STEPS: usize = 100;
const MIN_STEP: f64 = 1e-10;
const RIDGE: f64 = 1e-12;
const GRADIENT_TOLERANCE: f64 = 1e-5;

/// A map from decision values to probabilities.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Sigmoid {
    /// Factor of the decision value; negative where larger values mean the first class.
    pub slope: f64,
    /// Added constant.
    pub offset: f64,
}

impl Sigmoid {
    /// Fits decision values to what is true of their rows.
    pub fn fit(decisions: &[f64], positive: &[bool]) -> Self {
        debug_assert_eq!(decisions.len(), positive.len());
        let n_positive = positive.iter().filter(|&&yes| yes).count();
        let n_negative = positive.len() - n_positive;
        let high = (n_positive as f64 + 1.0) / (n_positive as f64 + 2.0);
        let low = 1.0 / (n_negative as f64 + 2.0);
        let rows = || {
            decisions
                .iter()
                .zip(positive)
                .map(|(&f, &yes)| (f, if yes { high } else { low }))
        };
        let loss_of = |sigmoid: &Self| {
            rows()
                .map(|(f, target)| sigmoid.loss(f, target))
                .sum::<f64>()
        };

        let mut sigmoid = Self::prior(n_positive, n_negative);
        let mut loss = loss_of(&sigmoid);
        for _ in 0..MAX_STEPS {
            let (mut h11, mut h22, mut h21) = (RIDGE, RIDGE, 0.0);
            let (mut g1, mut g2) = (0.0, 0.0);
            for (f, target) in rows() {
                let p = sigmoid.probability(f);
                let curvature = p * (1.0 - p);
                h11 += f * f * curvature;
                h22 += curvature;
                h21 += f * curvature;
                g1 += f * (target - p);
                g2 += target - p;
            }
            if g1.abs() < GRADIENT_TOLERANCE && g2.abs() < GRADIENT_TOLERANCE {
                break;
            }
            let determinant = h11 * h22 - h21 * h21;
            let d_slope = -(h22 * g1 - h21 * g2) / determinant;
            let d_offset = -(h11 * g2 - h21 * g1) / determinant;
            let descent = g1 * d_slope + g2 * d_offset;
            let mut step = 1.0;
            let accepted = loop {
                let next = Self {
                    slope: sigmoid.slope + step * d_slope,
                    offset: sigmoid.offset + step * d_offset,
                };
                let next_loss = loss_of(&next);
                if next_loss < loss + 1e-4 * step * descent {
                    break Some((next, next_loss));
                }
                step /= 2.0;
                if step < MIN_STEP {
                    break None;
                }
            };
            match accepted {
                Some((next, next_loss)) => (sigmoid, loss) = (next, next_loss),
                None => break,
            }
        }
        sigmoid
    }

    /// The sigmoid that knows the class sizes only: $p = (n_+ + 1)/(n_+ + n_- + 2)$.
    pub fn prior(n_positive: usize, n_negative: usize) -> Self {
        Self {
            slope: 0.0,
            offset: ((n_negative as f64 + 1.0) / (n_positive as f64 + 1.0)).ln(),
        }
    }

    /// Probability of the first class.
    pub fn probability(&self, decision: f64) -> f64 {
        let z = self.slope * decision + self.offset;
        // The form whose exponential cannot overflow.
        if z >= 0.0 {
            (-z).exp() / (1.0 + (-z).exp())
        } else {
            1.0 / (1.0 + z.exp())
        }
    }

    fn loss(&self, decision: f64, target: f64) -> f64 {
        let z = self.slope * decision + self.offset;
        if z >= 0.0 {
            target * z + (-z).exp().ln_1p()
        } else {
            (target - 1.0) * z + z.exp().ln_1p()
        }
    }
}

/// Deals the rows of each class to [`CALIBRATION_FOLDS`] in turn, in random order.
pub(crate) fn calibration_folds(positive: &[bool], generator: &mut Generator) -> Vec<usize> {
    let mut fold_of = vec![0; positive.len()];
    let mut dealt = 0;
    for class in [true, false] {
        let rows = 0..positive.len();
        let mut members: Vec<usize> = rows.filter(|&i| positive[i] == class).collect();
        generator.shuffle(&mut members);
        for i in members {
            fold_of[i] = dealt % CALIBRATION_FOLDS;
            dealt += 1;
        }
    }
    fold_of
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fit_has_no_gradient_left() {
        let decisions = [-2.0, -1.0, -0.3, 0.2, 0.4, 1.1, 1.9];
        let positive = [false, false, true, false, true, true, true];
        let sigmoid = Sigmoid::fit(&decisions, &positive);
        let (mut g1, mut g2) = (0.0, 0.0);
        for (&f, &yes) in decisions.iter().zip(&positive) {
            let target = if yes { 5.0 / 6.0 } else { 1.0 / 5.0 };
            g1 += f * (target - sigmoid.probability(f));
            g2 += target - sigmoid.probability(f);
        }
        assert!(g1.abs() < 1e-5 && g2.abs() < 1e-5, "{g1} {g2}");
        assert!(sigmoid.slope < 0.0);
    }

    #[test]
    fn far_decisions_do_not_overflow() {
        let sigmoid = Sigmoid::fit(&[-1e8, 1e8], &[false, true]);
        let p = sigmoid.probability(1e8);
        assert!(p > 0.5 && p <= 1.0, "{p}");
        let steep = Sigmoid {
            slope: -1e300,
            offset: 0.0,
        };
        assert_eq!(steep.probability(1.0), 1.0);
        assert_eq!(steep.probability(-1.0), 0.0);
    }

    #[test]
    fn class_sizes_alone_give_their_smoothed_share() {
        let p = Sigmoid::prior(3, 1).probability(123.0);
        assert!((p - 4.0 / 6.0).abs() < 1e-15, "{p}");
    }
}
