//! Values of kernel expansions for many rows.

use super::bound_machines::{BoundMachines, ROWS_OF_A_TASK, Use};
use super::{Expansion, Kernel, Machine};
use crate::data::{CsrMatrix, Samples, SamplesView};
use crate::linalg::dot;
use crate::parallel::{Grain, for_each_chunk};
use crate::{Error, Result};
use std::sync::{Arc, OnceLock};

/// Largest number of weights that a linear expansion is collapsed into, if that is more than the
/// support vectors themselves hold.
const MAX_WEIGHTS: usize = 1 << 22;

/// An expansion ready to be evaluated.
#[derive(Debug, Clone)]
pub(crate) struct Evaluator {
    expansion: Expansion,
    /// $w = \sum_s \beta_s x_s$ of every machine, if the kernel is linear and they are small enough.
    weights: Option<Vec<Vec<f64>>>,
    used_as: Use,
    /// The support vectors as the kernel reads them, packed when they are first needed and shared
    /// by copies of the model. In single precision, the usual case, that is half as much memory
    /// again as the support vectors themselves take; in double precision as much again.
    bound: OnceLock<Arc<BoundMachines>>,
}

impl PartialEq for Evaluator {
    /// The rest follows from these.
    fn eq(&self, other: &Self) -> bool {
        self.used_as == other.used_as && self.expansion == other.expansion
    }
}

impl Evaluator {
    /// Checks the parts and adopts them.
    pub(crate) fn new(expansion: Expansion, used_as: Use) -> Result<Self> {
        expansion.validate()?;
        let view = expansion.support_vectors.view();
        let size = expansion
            .n_features
            .saturating_mul(expansion.machines.len());
        let small = size <= MAX_WEIGHTS.max(view.n_entries());
        let weights = (expansion.kernel == Kernel::Linear && small).then(|| {
            let weight = |machine: &Machine| {
                let terms = machine
                    .support
                    .iter()
                    .map(|&s| s as usize)
                    .zip(&machine.coefficients);
                linear_weights(view, terms.map(|(s, &beta)| (s, beta)))
            };
            expansion.machines.iter().map(weight).collect()
        });
        Ok(Self {
            expansion,
            weights,
            used_as,
            bound: OnceLock::new(),
        })
    }

    pub(crate) fn expansion(&self) -> &Expansion {
        &self.expansion
    }

    /// Decision values, row-major: one column a machine.
    pub(crate) fn decisions(&self, samples: SamplesView<'_>) -> Result<Vec<f64>> {
        let Expansion {
            kernel,
            n_features,
            support_vectors,
            machines,
        } = &self.expansion;
        samples.ensure_finite()?;
        let sparse = matches!(samples, SamplesView::Sparse { .. });
        if samples.n_features() > *n_features && !sparse {
            return Err(Error::Shape {
                what: "features of the rows to predict",
                expected: *n_features,
                found: samples.n_features(),
            });
        }
        let mut values = if let Some(weights) = &self.weights {
            linear_sums(weights, samples)
        } else if samples.n_features() > *n_features && !kernel.is_precomputed() {
            // A feature that no training row had still counts in the distance.
            let widened = sparse_copy(support_vectors.view(), samples.n_features())?;
            let bound = BoundMachines::new(kernel, widened.view(), machines, self.used_as)?;
            bound.sums(samples)?
        } else {
            self.bound()?.sums(samples)?
        };
        if !machines.is_empty() {
            for row in values.chunks_mut(machines.len()) {
                for (value, machine) in row.iter_mut().zip(machines) {
                    *value -= machine.rho;
                }
            }
        }
        Ok(values)
    }

    /// The decision values of one row, which may be narrower than the support vectors.
    pub(crate) fn row_decisions(&self, row: &[f64]) -> Result<Vec<f64>> {
        self.decisions(SamplesView::Dense {
            n_rows: 1,
            n_features: row.len(),
            values: row,
        })
    }

    fn bound(&self) -> Result<&BoundMachines> {
        if let Some(bound) = self.bound.get() {
            return Ok(bound);
        }
        let Expansion {
            kernel,
            support_vectors,
            machines,
            ..
        } = &self.expansion;
        let bound = BoundMachines::new(kernel, support_vectors.view(), machines, self.used_as)?;
        Ok(self.bound.get_or_init(|| Arc::new(bound)))
    }
}

/// $\sum_s \beta_s x_s$.
pub(crate) fn linear_weights(
    view: SamplesView<'_>,
    terms: impl Iterator<Item = (usize, f64)>,
) -> Vec<f64> {
    let mut sum = vec![0.0; view.n_features()];
    for (row, beta) in terms {
        view.row(row).for_each(|f, value| sum[f] += beta * value);
    }
    sum
}

/// $\langle w, x\rangle$; features beyond the weights do not count.
pub(crate) fn linear_value(weights: &[f64], samples: SamplesView<'_>, row: usize) -> f64 {
    match samples {
        SamplesView::Dense { .. } => {
            let values = samples.row(row).values();
            let shared = values.len().min(weights.len());
            dot(&weights[..shared], &values[..shared])
        }
        SamplesView::Sparse { .. } => {
            let mut sum = 0.0;
            samples.row(row).for_each(|f, value| {
                sum += weights.get(f).map_or(0.0, |weight| weight * value);
            });
            sum
        }
    }
}

/// The samples as sparse rows of a larger width.
fn sparse_copy(samples: SamplesView<'_>, n_features: usize) -> Result<Samples> {
    let (mut starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for i in 0..samples.n_rows() {
        samples.row(i).for_each(|f, value| {
            if value != 0.0 {
                indices.push(f as u32);
                values.push(value);
            }
        });
        starts.push(indices.len());
    }
    CsrMatrix::new(n_features, starts, indices, values).map(Samples::Sparse)
}

fn linear_sums(weights: &[Vec<f64>], samples: SamplesView<'_>) -> Vec<f64> {
    let mut out = vec![0.0; samples.n_rows() * weights.len()];
    if out.is_empty() {
        return out;
    }
    let size = ROWS_OF_A_TASK * weights.len();
    for_each_chunk(&mut out, size, Grain::COARSE, &|task, part| {
        for (k, row) in part.chunks_mut(weights.len()).enumerate() {
            for (value, weights) in row.iter_mut().zip(weights) {
                *value = linear_value(weights, samples, task * ROWS_OF_A_TASK + k);
            }
        }
    });
    out
}
