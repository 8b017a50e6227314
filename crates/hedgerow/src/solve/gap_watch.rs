//! The duality gap of a descent on the dual, between its passes.

use super::gap_looks::Looks;
use crate::linalg::Primal;

/// Range of projected gradients, in tolerances, from which on the gap is looked at.
const NEAR: f64 = 5.0;
/// Share by which objectives may differ that are equally good.
const EQUALLY_GOOD: f64 = 1e-9;

/// What is known of the duality gap between the passes.
pub(super) struct GapWatch {
    mean: Mean,
    looks: Looks,
    best: Best,
    /// Work after which the gap is accepted as it is.
    pub(super) most_work: Option<f64>,
}

impl GapWatch {
    pub(super) fn new(primal: &Primal) -> Self {
        Self {
            mean: Mean::new(primal),
            looks: Looks::default(),
            best: Best::default(),
            most_work: None,
        }
    }

    fn is_spent(&self, work: f64) -> bool {
        self.most_work.is_some_and(|most| work >= most)
    }

    /// Counts the weights after a pass in their mean, if they are near enough.
    pub(super) fn add(&mut self, work: f64, range: f64, tolerance: f64, primal: &Primal) {
        if range <= NEAR * tolerance {
            if self.looks.is_half_way(work) {
                self.mean = Mean::new(primal);
            }
            self.mean.add(primal);
        }
    }

    pub(super) fn is_due(&self, work: f64, range: f64) -> bool {
        self.mean.count > 0 && (self.is_spent(work) || self.looks.is_due(work, range))
    }

    /// Measures the gap of the mean; whether that ends the passes.
    pub(super) fn look(
        &mut self,
        work: f64,
        range: f64,
        gap: f64,
        lower: impl Fn() -> f64,
        losses: impl Fn(&Primal) -> f64,
    ) -> bool {
        let upper = self.best.offer(self.mean.take(), losses);
        let lower = lower();
        if self.is_spent(work) || upper - lower <= gap * upper {
            return true;
        }
        self.looks
            .note(work, range, (upper - lower) / (gap * upper));
        false
    }

    /// Stopped on the way: perhaps what came after the last look is better.
    pub(super) fn look_at_last(&mut self, primal: &Primal, losses: impl Fn(&Primal) -> f64) {
        let last = if self.mean.count > 0 {
            self.mean.take()
        } else {
            primal.clone()
        };
        self.best.offer(last, losses);
    }

    /// Whether the last gap was near the goal.
    pub(super) fn is_in_sight(&self) -> bool {
        self.looks.is_in_sight()
    }

    /// The best weights that were looked at.
    pub(super) fn answer(self) -> Option<Primal> {
        self.best.answer.map(|(_, weights)| weights)
    }
}

/// The best weights of all looks.
#[derive(Default)]
struct Best {
    /// With their objective.
    answer: Option<(f64, Primal)>,
}

impl Best {
    /// Keeps weights unless those before were better; their objective. Of equally good ones the
    /// later are nearer to the optimum, around which the objective is flat.
    fn offer(&mut self, trial: Primal, losses: impl Fn(&Primal) -> f64) -> f64 {
        let value = trial.half_square() + losses(&trial);
        let least = value * (1.0 - EQUALLY_GOOD);
        if !self.answer.as_ref().is_some_and(|(best, _)| *best < least) {
            self.answer = Some((value, trial));
        }
        value
    }
}

/// Mean of the weights after some passes.
struct Mean {
    sum: Primal,
    count: u32,
}

impl Mean {
    fn new(like: &Primal) -> Self {
        Self {
            sum: Primal {
                weights: vec![0.0; like.weights.len()],
                offset: 0.0,
                bias: like.bias,
            },
            count: 0,
        }
    }

    fn add(&mut self, primal: &Primal) {
        for (sum, weight) in self.sum.weights.iter_mut().zip(&primal.weights) {
            *sum += weight;
        }
        self.sum.offset += primal.offset;
        self.count += 1;
    }

    /// The mean, after which another one begins.
    fn take(&mut self) -> Primal {
        let share = 1.0 / f64::from(self.count.max(1));
        let empty = Self::new(&self.sum).sum;
        let mut mean = std::mem::replace(&mut self.sum, empty);
        for weight in &mut mean.weights {
            *weight *= share;
        }
        mean.offset *= share;
        self.count = 0;
        mean
    }
}

impl Primal {
    /// $\tfrac12 \|w\|^2$ with the weight of the constant feature.
    pub(super) fn half_square(&self) -> f64 {
        0.5 * (crate::linalg::dot(&self.weights, &self.weights) + self.offset * self.offset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_weights_are_kept() {
        let weights = |w: f64| Primal {
            weights: vec![w],
            offset: 0.0,
            bias: 0.0,
        };
        let mut best = Best::default();
        let mut values = Vec::new();
        for w in [2.0, 1.0, 3.0] {
            values.push(best.offer(weights(w), |_| 1.0));
        }
        assert_eq!(values, [3.0, 1.5, 5.5]);
        assert_eq!(best.offer(weights(1.0 + 1e-10), |_| 1.0), 1.5 + 1e-10);
        assert_eq!(best.answer.expect("weights").1.weights, [1.0 + 1e-10]);
    }
}
