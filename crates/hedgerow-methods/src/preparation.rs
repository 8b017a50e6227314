//! What a pipeline does to the columns of its training data: codes, scaling, selection, metric.

use crate::metric::Told;
use crate::{MetricOutcome, Pipeline};
use hedgerow::Result;
use hedgerow::data::{Columns, Dataset, Preprocessing, Scaling};

/// What was decided of the columns of training data.
#[derive(Debug)]
pub struct Preparation {
    /// What is done to the input.
    pub preprocessing: Preprocessing,
    /// The data after it; `None` if they are as they were.
    changed: Option<Dataset>,
    /// What became of the metric.
    pub metric: Option<MetricOutcome>,
}

impl Preparation {
    /// The data after preprocessing.
    pub fn data<'a>(&'a self, given: &'a Dataset) -> &'a Dataset {
        self.changed.as_ref().unwrap_or(given)
    }
}

impl Pipeline {
    /// What comes before the rows are edited; `told` hears how far the learning of a metric is.
    pub fn prepare(&self, data: &Dataset, told: Told<'_>) -> Result<Preparation> {
        let coded = match &self.coding {
            None => None,
            Some(coding) => Some(coding.fit_apply(data)?),
        };
        let (coding, coded) = coded.unzip();
        let given = coded.as_ref().unwrap_or(data);
        let scaler = match self.scaling {
            Scaling::None => None,
            scaling => Some(scaling.fit(given.samples().view())?),
        };
        let scaled = match &scaler {
            None => None,
            Some(scaler) => Some(given.with_samples(scaler.apply(given.samples().view())?)?),
        };
        let n_features = given.n_features();
        let prepared = scaled.as_ref().unwrap_or(given);
        // A column that became several has no place among the groups of the file.
        let as_read = n_features == data.n_features();
        let (columns, metric) = self.columns(prepared, as_read, told)?;
        let (preprocessing, changed) = match columns {
            None => (
                scaler.map_or(Preprocessing::None, Preprocessing::Scaled),
                scaled.or(coded),
            ),
            Some(columns) => {
                let changed = columns.apply_to(prepared)?;
                (
                    columns.into_preprocessing(n_features, scaler),
                    Some(changed),
                )
            }
        };
        Ok(Preparation {
            preprocessing: match coding {
                Some(coding) => preprocessing.after(coding),
                None => preprocessing,
            },
            changed,
            metric,
        })
    }

    /// The features that are kept with their factors, and what became of the metric.
    fn columns(
        &self,
        prepared: &Dataset,
        as_read: bool,
        told: Told<'_>,
    ) -> Result<(Option<Columns>, Option<MetricOutcome>)> {
        let chosen = match &self.choice {
            None => None,
            Some(choice) => Some(choice.columns(prepared)?),
        };
        let Some(metric) = &self.metric else {
            return Ok((chosen, None));
        };
        let kept = chosen.as_ref().map(|chosen| chosen.apply_to(prepared));
        let kept = kept.transpose()?;
        let mut metric = metric.of_columns(chosen.as_ref());
        if !as_read {
            metric.groups = None;
        }
        let outcome = metric.decide(kept.as_ref().unwrap_or(prepared), &*self.trainer, told)?;
        let columns = match &outcome.weights {
            None => chosen,
            Some(weights) => Some(joined(chosen.as_ref(), weights, prepared.n_features())?),
        };
        Ok((columns, Some(outcome)))
    }
}

/// The kept features with their weights, which come on top of factors that they have already.
fn joined(chosen: Option<&Columns>, weights: &[f64], n_features: usize) -> Result<Columns> {
    let Some(chosen) = chosen else {
        return Columns::weighted(weights);
    };
    let mut factors = vec![0.0; n_features];
    for (at, (&feature, &weight)) in chosen.features().iter().zip(weights).enumerate() {
        let own = chosen.factors().map_or(1.0, |factors| factors[at]);
        factors[feature as usize] = own * weight;
    }
    Columns::weighted(&factors)
}
