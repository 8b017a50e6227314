//! Probabilities of models that were trained on resampled rows.
//!
//! Such a model has seen class $c$ with the share $q_c$ where it has the share $p_c$ in truth. By Bayes'
//! rule the probability of the class is proportional to $\hat q(c \mid x)\,p_c / q_c$.

use super::Edit;
use crate::Result;
use crate::data::ClassLabels;
use crate::error::ensure_shape;
use serde::{Deserialize, Serialize};

/// How often each class occurs, and how often training saw it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Priors {
    /// Sizes of the classes in the data.
    pub original: Vec<f64>,
    /// Sizes of the classes in the rows of the training.
    pub resampled: Vec<f64>,
}

impl Priors {
    /// The sizes of the classes before and after an edit.
    pub fn of_edit(edit: &Edit, labels: &ClassLabels) -> Self {
        let counts = labels.counts();
        let mut resampled = labels.select(&edit.kept()).counts();
        if let Some(added) = &edit.added {
            for &code in &added.codes {
                resampled[code as usize] += 1;
            }
        }
        let sizes = |counts: Vec<usize>| counts.into_iter().map(|count| count as f64).collect();
        Self {
            original: sizes(counts),
            resampled: sizes(resampled),
        }
    }

    /// True unless a damaged file made its parts contradict each other.
    pub fn is_consistent(&self, n_classes: usize) -> bool {
        let sizes = |all: &[f64]| all.iter().all(|size| size.is_finite() && *size >= 0.0);
        self.original.len() == n_classes
            && self.resampled.len() == n_classes
            && sizes(&self.original)
            && sizes(&self.resampled)
    }

    /// Brings the probabilities of a model of the resampled rows back to the classes as they are.
    /// `probabilities` holds one row after the other, with a column a class.
    pub fn correct(&self, probabilities: &mut [f64]) -> Result<()> {
        corrected_priors(probabilities, &self.original, &self.resampled)
    }
}

/// Brings probabilities of a model that was trained on resampled rows back to the classes as they
/// were: each is multiplied by the ratio of the class's share before to that after, and the rows
/// are made to sum to 1 again. A class that training did not see keeps probability 0.
///
/// `probabilities` holds one row after the other, with a column a class.
pub fn corrected_priors(
    probabilities: &mut [f64],
    original: &[f64],
    resampled: &[f64],
) -> Result<()> {
    ensure_shape("class sizes", original.len(), resampled.len())?;
    let width = original.len().max(1);
    ensure_shape("columns of probabilities", 0, probabilities.len() % width)?;
    let total = |counts: &[f64]| counts.iter().sum::<f64>().max(f64::MIN_POSITIVE);
    let (before, after) = (total(original), total(resampled));
    let factor = |c: usize| {
        if resampled[c] > 0.0 {
            (original[c] / before) / (resampled[c] / after)
        } else {
            0.0
        }
    };
    let factors: Vec<f64> = (0..original.len()).map(factor).collect();
    for row in probabilities.chunks_mut(width) {
        for (p, factor) in row.iter_mut().zip(&factors) {
            *p *= factor;
        }
        let sum: f64 = row.iter().sum();
        if sum > 0.0 {
            for p in row {
                *p /= sum;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn priors_come_back_as_bayes_says() {
        // Likelihood ratio 4 for the first class; priors 1:9 before, 1:1 after.
        let mut p = vec![0.8, 0.2];
        corrected_priors(&mut p, &[1.0, 9.0], &[5.0, 5.0]).expect("corrected");
        let expected = 4.0 * 0.1 / (4.0 * 0.1 + 0.9);
        assert!((p[0] - expected).abs() < 1e-15 && (p[0] + p[1] - 1.0).abs() < 1e-15);
    }

    #[test]
    fn a_class_that_was_not_sampled_has_no_probability() {
        let mut p = vec![0.5, 0.5];
        corrected_priors(&mut p, &[1.0, 1.0], &[2.0, 0.0]).expect("corrected");
        assert_eq!(p, [1.0, 0.0]);
        assert!(corrected_priors(&mut p, &[1.0], &[1.0, 1.0]).is_err());
    }

    #[test]
    fn sizes_that_do_not_fit_the_classes_are_noticed() {
        let priors = Priors {
            original: vec![1.0, 2.0],
            resampled: vec![1.0, f64::NAN],
        };
        assert!(!priors.is_consistent(2));
        let priors = Priors {
            resampled: vec![1.0, 1.0],
            ..priors
        };
        assert!(priors.is_consistent(2) && !priors.is_consistent(3));
    }
}
