//! One way to train that takes part in a race.

use crate::Pipeline;
use hedgerow::Result;
use hedgerow::data::{Scaling, Spread};
use hedgerow::params::Value;

/// A method with values for some of its parameters, and what is done to the columns first.
#[derive(Debug)]
pub struct Candidate {
    /// All that is done to training data.
    pub pipeline: Pipeline,
    /// The parameters that were chosen for the data, in the order of choosing.
    pub chosen: Vec<(String, Value)>,
    /// Whether the scaling was chosen too.
    pub chose_scaling: bool,
    /// Numbers among them whose neighbours are worth a try, with the factor of a step.
    pub(super) steps: Vec<(&'static str, f64)>,
}

impl Candidate {
    /// What a pipeline does with other values.
    pub(super) fn of(
        base: &Pipeline,
        scaling: Option<Scaling>,
        values: Vec<(String, Value)>,
        steps: &[(&'static str, f64)],
    ) -> Result<Self> {
        let mut pipeline = base.with(&values)?;
        pipeline.scaling = scaling.unwrap_or(base.scaling);
        Ok(Self {
            pipeline,
            chosen: values,
            chose_scaling: scaling.is_some(),
            steps: steps.to_vec(),
        })
    }

    /// Name of the method.
    pub fn method(&self) -> &'static str {
        self.pipeline.trainer.card().name
    }

    /// The same with other values.
    pub(super) fn with(&self, values: &[(String, Value)]) -> Result<Self> {
        let mut chosen = self.chosen.clone();
        for (name, value) in values {
            match chosen.iter_mut().find(|(other, _)| other == name) {
                Some((_, slot)) => *slot = value.clone(),
                None => chosen.push((name.clone(), value.clone())),
            }
        }
        Ok(Self {
            pipeline: self.pipeline.with(&chosen)?,
            chosen,
            chose_scaling: self.chose_scaling,
            steps: self.steps.clone(),
        })
    }

    /// The same after another scaling.
    pub(super) fn scaled(&self, scaling: Scaling) -> Result<Self> {
        let mut other = self.with(&[])?;
        other.pipeline.scaling = scaling;
        Ok(other)
    }

    /// Those that are one step away in one parameter.
    pub(super) fn neighbours(&self) -> Vec<Self> {
        let mut all = Vec::new();
        for &(name, factor) in &self.steps {
            let value = self.chosen.iter().find(|(chosen, _)| chosen == name);
            let Some(number) = value.and_then(|(_, value)| value.as_number()) else {
                continue;
            };
            for moved in [number / factor, number * factor] {
                let whole = matches!(value, Some((_, Value::Whole(_))));
                let moved = if whole {
                    Value::Whole(moved.round() as u64)
                } else {
                    Value::Number(moved)
                };
                // What a parameter cannot be is no neighbour.
                if let Ok(other) = self.with(&[(name.to_owned(), moved)])
                    && other.pipeline.trainer.check().is_ok()
                {
                    all.push(other);
                }
            }
        }
        all
    }

    /// The options of the program that say the same: only what was chosen.
    pub fn options(&self) -> String {
        let mut words = Vec::new();
        if self.chose_scaling {
            words.push(format!("--scale {}", scaling_word(self.pipeline.scaling)));
        }
        if let Some(metric) = &self.pipeline.metric {
            words.push(format!("--metric {}", metric.text));
        }
        let table = self.pipeline.trainer.table();
        for (name, value) in &self.chosen {
            let row = table.iter().find(|row| row.is_called(name));
            let option = row.and_then(|row| row.option).unwrap_or(name);
            let option = option.replace('_', "-");
            words.push(match value {
                Value::Flag(true) => format!("--{option}"),
                value => format!("--{option} {value}"),
            });
        }
        words.join(" ")
    }

    /// What tells it from others.
    pub(super) fn key(&self) -> String {
        format!("{} {}", self.method(), self.options())
    }
}

/// The word of the option.
fn scaling_word(scaling: Scaling) -> &'static str {
    match scaling {
        Scaling::None => "none",
        Scaling::MinMax { .. } => "minmax",
        Scaling::Standardize => "standard",
        Scaling::Quantile(Spread::Uniform) => "quantile",
        Scaling::Quantile(Spread::Normal) => "quantile-normal",
    }
}
