//! Values of kernel expansions for many rows.

use super::{Expansion, Machine};
use crate::data::{Samples, SamplesView};
use crate::kernel::{Gram, Kernel};
use crate::linalg::dot;
use crate::{Error, Result};
use rayon::prelude::*;

/// Rows of one parallel task. Fixed, so that results do not depend on the number of threads.
const TASK_ROWS: usize = 64;
/// Support vectors of one pass, so that a block of kernel values stays in the cache.
const PASS_COLUMNS: usize = 2048;
/// Largest number of weights that a linear expansion is collapsed into, if that is more than the
/// support vectors themselves hold.
const MAX_WEIGHTS: usize = 1 << 22;

/// An expansion ready to be evaluated.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Evaluator {
    expansion: Expansion,
    /// $w = \sum_s \beta_s x_s$ of every machine, if the kernel is linear and they are small enough.
    weights: Option<Vec<Vec<f64>>>,
}

impl Evaluator {
    /// Checks the parts and adopts them.
    pub(super) fn new(expansion: Expansion) -> Result<Self> {
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
        Ok(Self { expansion, weights })
    }

    pub(super) fn expansion(&self) -> &Expansion {
        &self.expansion
    }

    /// Decision values, row-major: one column a machine.
    pub(super) fn decisions(&self, samples: SamplesView<'_>) -> Result<Vec<f64>> {
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
        } else {
            let padded;
            let mut bound = support_vectors.view();
            if samples.n_features() > *n_features && !kernel.is_precomputed() {
                // A feature that no training row had still counts in the distance.
                match &mut bound {
                    SamplesView::Sparse { n_features, .. } => *n_features = samples.n_features(),
                    SamplesView::Dense { .. } => {
                        padded = pad(bound, samples.n_features())?;
                        bound = padded.view();
                    }
                }
            }
            let rows = (0..bound.n_rows() as u32).collect();
            kernel_sums(&Gram::new(kernel, bound, rows)?, samples, machines)?
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
}

/// $\sum_s \beta_s x_s$.
pub(super) fn linear_weights(
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
pub(super) fn linear_value(weights: &[f64], samples: SamplesView<'_>, row: usize) -> f64 {
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

/// The samples with columns of zeros added.
fn pad(samples: SamplesView<'_>, n_features: usize) -> Result<Samples> {
    let mut values = vec![0.0; samples.n_rows() * n_features];
    for (i, row) in values.chunks_mut(n_features.max(1)).enumerate() {
        samples.row(i).write_dense(row);
    }
    Samples::dense(samples.n_rows(), n_features, values)
}

fn linear_sums(weights: &[Vec<f64>], samples: SamplesView<'_>) -> Vec<f64> {
    let mut out = vec![0.0; samples.n_rows() * weights.len()];
    if out.is_empty() {
        return out;
    }
    out.par_chunks_mut(TASK_ROWS * weights.len())
        .enumerate()
        .for_each(|(task, part)| {
            for (k, row) in part.chunks_mut(weights.len()).enumerate() {
                for (value, weights) in row.iter_mut().zip(weights) {
                    *value = linear_value(weights, samples, task * TASK_ROWS + k);
                }
            }
        });
    out
}

/// $\sum_s \beta_s K(x_s, x)$ of every machine (column) for every row of `samples`.
///
/// Kernel values are computed once for all machines; sums run over ascending support vectors.
pub(super) fn kernel_sums(
    gram: &Gram<'_>,
    samples: SamplesView<'_>,
    machines: &[Machine],
) -> Result<Vec<f64>> {
    let width = machines.len();
    let mut out = vec![0.0; samples.n_rows() * width];
    if out.is_empty() || gram.is_empty() {
        return Ok(out);
    }
    out.par_chunks_mut(TASK_ROWS * width)
        .enumerate()
        .try_for_each(|(task, part)| {
            let first = task * TASK_ROWS;
            let n_rows = part.len() / width;
            let queries = gram.queries(samples, first..first + n_rows)?;
            let mut values = vec![0.0f64; n_rows * PASS_COLUMNS.min(gram.len())];
            let mut from = vec![0; width];
            let mut start = 0;
            while start < gram.len() {
                let end = gram.len().min(start + PASS_COLUMNS);
                let block = &mut values[..n_rows * (end - start)];
                let mut rows: Vec<&mut [f64]> = block.chunks_mut(end - start).collect();
                gram.block_here(&queries, start..end, &mut rows);
                for (m, machine) in machines.iter().enumerate() {
                    let to = machine.support.partition_point(|&s| (s as usize) < end);
                    let support = &machine.support[from[m]..to];
                    let coefficients = &machine.coefficients[from[m]..to];
                    for (sums, row) in part.chunks_mut(width).zip(&rows) {
                        sums[m] += partial_sum(row, start, support, coefficients);
                    }
                    from[m] = to;
                }
                start = end;
            }
            Ok(())
        })?;
    Ok(out)
}

/// The part of a machine's sum that falls on the columns from `start` on.
fn partial_sum(row: &[f64], start: usize, support: &[u32], coefficients: &[f64]) -> f64 {
    if let (Some(&first), Some(&last)) = (support.first(), support.last())
        && (last - first) as usize + 1 == support.len()
    {
        let first = first as usize - start;
        return dot(&row[first..first + support.len()], coefficients);
    }
    let mut sum = 0.0;
    for (&s, &beta) in support.iter().zip(coefficients) {
        sum += beta * row[s as usize - start];
    }
    sum
}
