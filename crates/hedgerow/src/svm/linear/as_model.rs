//! What linear classifiers tell of themselves.

use super::LinearClassifier;
use crate::Model;
use crate::capability::Facts;
use crate::machines::Multiclass;
use crate::params::Value;

/// Weights above this in number are not listed.
const MOST_WEIGHTS: usize = 1000;

impl Model for LinearClassifier {
    fn facts(&self) -> Facts {
        let parts = self.parts();
        let machines = &parts.machines;
        let intercepts: Vec<f64> = machines.iter().map(|m| m.intercept).collect();
        let norm = |weights: &[f64]| weights.iter().map(|w| w * w).sum::<f64>().sqrt();
        let norms: Vec<f64> = machines.iter().map(|m| norm(&m.weights)).collect();
        let mut facts = vec![
            ("hyperplanes", machines.len().into()),
            ("multiclass", parts.multiclass.word().into()),
            ("probability", parts.log_odds.into()),
            ("intercepts", intercepts.into()),
            ("norms", norms.into()),
        ];
        if machines.len() * parts.n_features <= MOST_WEIGHTS {
            let weights = machines.iter().map(|m| Value::from(m.weights.clone()));
            facts.push(("weights", Value::List(weights.collect())));
        }
        facts
    }

    fn score_scheme(&self) -> Multiclass {
        self.multiclass()
    }

    fn has_probabilities(&self) -> bool {
        self.parts().log_odds
    }

    fn as_hyperplanes(&self) -> Option<Vec<(&[f64], f64)>> {
        let machines = self.machines().iter();
        Some(
            machines
                .map(|one| (&one.weights[..], one.intercept))
                .collect(),
        )
    }
}
