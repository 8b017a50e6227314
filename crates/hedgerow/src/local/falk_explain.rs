//! Why FaLK-SVM answers as it does.

use super::falk::FalkSvm;
use super::machine::LocalModel;
use super::ready::DecisionScratch;
use crate::data::{Row, SamplesView};
use crate::kernel::Gram;
use crate::machines::pairs;
use crate::{Result, kernel::Kernel};
use serde::Serialize;

/// A support vector and its share in an answer.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Influence {
    /// Number of the training row ([`FalkSvm::number_of`]).
    pub row: u32,
    /// $\beta_s K(x_s, x)$, summed over the machines that decided.
    pub weight: f64,
    /// Class code or target of the row.
    pub answer: f64,
}

/// The local model that answered for a row, and what weighed in it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Explanation {
    /// Number of the local model.
    pub model: u32,
    /// Number of the training row at its centre ([`FalkSvm::number_of`]).
    pub centre: u32,
    /// Distance of the row from the centre.
    pub distance: f64,
    /// What each feature of the model adds to the square of that distance: the feature and its part,
    /// the largest first; none in the feature space of a kernel that is not Euclidean.
    pub columns: Vec<(u32, f64)>,
    /// Rows that the model was trained on.
    pub size: u32,
    /// How far they reach.
    pub radius: f64,
    /// The kernel of the model; `None` if all rows of the neighbourhood agree.
    pub kernel: Option<Kernel>,
    /// Support vectors of the model.
    pub support_vectors: usize,
    /// Class code or estimate.
    pub answer: f64,
    /// How clearly: the smallest decision value for the winning class against another one (1 on
    /// the margin), or the estimate in regression; `None` if all rows agree.
    pub margin: Option<f64>,
    /// The support vectors that weigh most, heaviest first.
    pub influences: Vec<Influence>,
}

/// The features in which two rows differ most, with the squares of the differences.
fn largest_parts(a: Row<'_>, b: Row<'_>, n_features: usize, top: usize) -> Vec<(u32, f64)> {
    let (mut one, mut other) = (vec![0.0; n_features], vec![0.0; n_features]);
    a.write_dense(&mut one);
    b.write_dense(&mut other);
    let squares = one.iter().zip(&other).map(|(a, b)| (a - b).powi(2));
    let mut parts: Vec<(u32, f64)> = (0u32..).zip(squares).filter(|(_, x)| *x > 0.0).collect();
    parts.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    parts.truncate(top);
    parts
}

impl FalkSvm {
    /// Explains the answer for each row by its local model (the nearest, if several vote) and the
    /// `top` heaviest support vectors, and by the `top` features in which the row is farthest from
    /// the centre.
    pub fn explain(&self, samples: SamplesView<'_>, top: usize) -> Result<Vec<Explanation>> {
        let responsible = self.responsible(samples)?;
        let metric = self.parts.params.metric(&self.parts.store)?;
        let stored = self.samples();
        let mut scratch = DecisionScratch::default();
        responsible
            .iter()
            .step_by(self.n_voters())
            .enumerate()
            .map(|(row, &model)| {
                let centre = self.parts.centres[model as usize];
                let radii = self.parts.radii[model as usize];
                let (c, x) = (stored.row(centre as usize), samples.row(row));
                let mut explanation = Explanation {
                    model,
                    centre: self.number_of(centre),
                    distance: metric.distance(c, x, stored.n_features())?,
                    columns: if metric.is_euclidean() {
                        largest_parts(c, x, stored.n_features(), top)
                    } else {
                        Vec::new()
                    },
                    size: radii.size,
                    radius: radii.neighbourhood,
                    kernel: None,
                    support_vectors: 0,
                    answer: 0.0,
                    margin: None,
                    influences: Vec::new(),
                };
                match &self.parts.models[model as usize] {
                    LocalModel::Constant(value) => explanation.answer = *value,
                    LocalModel::Machines(_) => {
                        self.explain_machines(samples, row, top, &mut explanation, &mut scratch)?;
                    }
                }
                Ok(explanation)
            })
            .collect()
    }

    fn explain_machines(
        &self,
        samples: SamplesView<'_>,
        row: usize,
        top: usize,
        explanation: &mut Explanation,
        scratch: &mut DecisionScratch,
    ) -> Result<()> {
        let number = explanation.model as usize;
        let LocalModel::Machines(machines) = &self.parts.models[number] else {
            return Ok(());
        };
        let mut decisions = Vec::new();
        let mut keep = |_, values: &[f64]| {
            decisions.extend_from_slice(values);
            Ok(())
        };
        let own = self.samples();
        let ready = self.ready.get(number, machines, own)?;
        ready.decide(machines, own, samples, &[row as u32], scratch, &mut keep)?;
        let is_regression = machines.classes.is_empty();
        // Signs turn a machine's value towards the winning class; 0 leaves a machine out.
        let signs: Vec<f64> = if is_regression {
            explanation.answer = decisions[0];
            vec![1.0]
        } else {
            let winner = machines.class(&decisions);
            explanation.answer = f64::from(winner);
            pairs(machines.classes.len())
                .map(|(a, b)| match winner {
                    class if class == machines.classes[a] => 1.0,
                    class if class == machines.classes[b] => -1.0,
                    _ => 0.0,
                })
                .collect()
        };
        let towards = signs
            .iter()
            .zip(&decisions)
            .filter(|(sign, _)| **sign != 0.0);
        explanation.margin = towards
            .map(|(sign, value)| sign * value)
            .min_by(f64::total_cmp);
        let gram = Gram::in_double(&machines.kernel, self.samples(), machines.support.clone())?
            .sequential(true);
        let prepared = gram.queries(samples, row..row + 1)?;
        let mut values = vec![0.0f64; machines.support.len()];
        gram.block_here(&prepared, 0..values.len(), &mut [&mut values]);
        let mut weights = vec![0.0; values.len()];
        for (machine, &sign) in machines.machines.iter().zip(&signs) {
            for (at, &beta) in machine.coefficients.iter().enumerate() {
                let slot = machine
                    .slots
                    .as_ref()
                    .map_or(at, |slots| slots[at] as usize);
                weights[slot] += sign * beta * values[slot];
            }
        }
        let mut influences: Vec<Influence> = machines
            .support
            .iter()
            .zip(&weights)
            .map(|(&stored, &weight)| Influence {
                row: self.number_of(stored),
                weight,
                answer: self.parts.store.answer(stored),
            })
            .collect();
        influences.sort_by(|a, b| {
            b.weight
                .abs()
                .total_cmp(&a.weight.abs())
                .then(a.row.cmp(&b.row))
        });
        influences.truncate(top);
        explanation.kernel = Some(machines.kernel.clone());
        explanation.support_vectors = machines.support.len();
        explanation.influences = influences;
        Ok(())
    }
}
