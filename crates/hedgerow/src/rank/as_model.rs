//! What rankers tell of themselves.

use super::bounds::{BoundSettings, Certified, RankBounds, nystrom_bound, projection_bound};
use super::model::{Answer, RankModel};
use crate::capability::{Bounds, Facts};
use crate::data::Dataset;
use crate::kernel::{Gram, ROWS_OF_A_TASK};
use crate::params::Value;
use crate::{Model, Result};

impl Model for RankModel {
    fn facts(&self) -> Facts {
        let expansion = self.expansion();
        let mut facts: Facts = vec![
            ("kernel", expansion.kernel.to_string().into()),
            ("lambda", self.lambda().into()),
            ("smoothing", self.smoothing().into()),
        ];
        if self.weights().is_none() {
            facts.push(("support_vectors", expansion.support_vectors.n_rows().into()));
        }
        match self.answer() {
            Answer::Classes { sigmoid } => {
                facts.push(("threshold", self.threshold().into()));
                facts.push(("probability", sigmoid.is_some().into()));
            }
            Answer::Levels { map, values } => {
                facts.push(("levels", values.len().into()));
                // Half way between neighbours on the scale of the map.
                let ends = values.windows(2).map(|pair| {
                    let middle = 0.5 * (pair[0].ln_1p() + pair[1].ln_1p());
                    map.first_reaching(middle)
                        .map_or(Value::Nothing, Value::Number)
                });
                facts.push(("scores_where_levels_begin", Value::List(ends.collect())));
            }
        }
        facts
    }

    fn has_probabilities(&self) -> bool {
        matches!(self.answer(), Answer::Classes { sigmoid: Some(_) })
    }

    fn answers_alone(&self, n_rows: usize) -> bool {
        n_rows <= ROWS_OF_A_TASK
    }

    fn as_bounds(&self) -> Option<&dyn Bounds> {
        Some(self)
    }

    fn as_hyperplanes(&self) -> Option<Vec<(&[f64], f64)>> {
        Some(vec![(self.weights()?, -self.threshold())])
    }
}

impl Bounds for RankModel {
    /// Those that need no data: by how much the function may differ anywhere from that of all rows,
    /// $\kappa$ taken from the support vectors.
    fn bounds(&self, _: &[(String, Value)]) -> Result<Facts> {
        let expansion = self.expansion();
        let values = Gram::self_values(&expansion.kernel, expansion.support_vectors.view());
        let kappa = values.into_iter().fold(0.0, f64::max);
        let mut facts: Facts = vec![("lambda", self.lambda().into()), ("kappa", kappa.into())];
        if let Some(outside) = self.outside() {
            let bound = projection_bound(kappa, self.lambda(), outside);
            facts.push(("projected_map_printed", bound.printed.into()));
            facts.push(("projected_map", bound.tight.into()));
        }
        let sums = self.level_counts().iter();
        let [all, inside] = sums.fold([0, 0], |sum, count| [sum[0] + count[0], sum[1] + count[1]]);
        let bound = nystrom_bound(
            kappa,
            self.lambda(),
            1.0 - inside as f64 / all.max(1) as f64,
        );
        facts.push(("nystrom_svm_printed", bound.printed.into()));
        facts.push(("nystrom_svm", bound.tight.into()));
        Ok(facts)
    }

    /// Those that need the data, whose $\kappa$ is that of all rows.
    fn bounds_on(&self, training: &Dataset, all_pairs: bool) -> Option<Result<Facts>> {
        let settings = BoundSettings {
            quadratic: all_pairs,
            ..BoundSettings::default()
        };
        Some(RankModel::bounds(self, training, &settings).map(|found| facts_of(&found)))
    }
}

/// Those that are not told without data.
fn facts_of(found: &RankBounds) -> Facts {
    let mut facts = Facts::new();
    if let Some(bound) = found.residual {
        facts.push(("residuals_printed", bound.printed.into()));
        facts.push(("residuals", bound.tight.into()));
    }
    if let Some(bound) = found.perturbation {
        facts.push(("kernel_difference", bound.difference.into()));
        facts.push(("perturbation_printed", bound.half.into()));
        facts.push(("perturbation", bound.quarter.into()));
    }
    let mut certify = |values, objective, found: Certified| {
        facts.push((values, found.values.into()));
        facts.push((objective, found.objective.into()));
    };
    certify("certificate", "certificate_of_objective", found.certificate);
    if let Some(exact) = found.exact_certificate {
        certify("exact_certificate", "exact_certificate_of_objective", exact);
    }
    facts
}
