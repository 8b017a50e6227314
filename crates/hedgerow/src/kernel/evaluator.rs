//! Values of kernel expansions for many rows.

use super::{Expansion, Gram, Kernel, Machine};
use crate::data::{CsrMatrix, Samples, SamplesView};
use crate::linalg::{Real, dot};
use crate::parallel::{Grain, for_each_chunk, try_for_each};
use crate::spares::Spares;
use crate::{Error, Result};

/// Rows of one parallel task: full tiles of six and of sixteen. Fixed, so that results do not
/// depend on the number of threads.
const TASK_ROWS: usize = 48;
/// Support vectors of one pass, so that a block of kernel values stays in the cache.
const PASS_COLUMNS: usize = 1024;
/// Support vectors that a machine does not use are counted in with coefficient 0 up to this many
/// in a row: a longer run of consecutive ones is faster than several short ones.
const BRIDGED_GAP: u32 = 6;
/// Largest number of weights that a linear expansion is collapsed into, if that is more than the
/// support vectors themselves hold.
const MAX_WEIGHTS: usize = 1 << 22;

/// Error that single precision may cause in decision values, which are of order 1 near a boundary.
const MAX_DECISION_ERROR: f64 = 3e-5;

/// What the values of an expansion are for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Use {
    /// They are compared with 0 and with each other.
    Decisions,
    /// They are the answer: every digit counts.
    Answers,
}

/// An expansion ready to be evaluated.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Evaluator {
    expansion: Expansion,
    /// $w = \sum_s \beta_s x_s$ of every machine, if the kernel is linear and they are small enough.
    weights: Option<Vec<Vec<f64>>>,
    used_as: Use,
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
        } else {
            let widened;
            let mut bound = support_vectors.view();
            if samples.n_features() > *n_features && !kernel.is_precomputed() {
                // A feature that no training row had still counts in the distance.
                widened = sparse_copy(bound, samples.n_features())?;
                bound = widened.view();
            }
            let gram = gram_for_sums(kernel, bound, machines, self.used_as)?;
            kernel_sums(&gram, samples, machines)?
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

/// The kernel bound to support vectors, fine enough for the sums of the machines: the errors of
/// the single values are independent, so that they add up like the coefficients' squares.
fn gram_for_sums<'a>(
    kernel: &Kernel,
    support_vectors: SamplesView<'a>,
    machines: &[Machine],
    used_as: Use,
) -> Result<Gram<'a>> {
    let rows = || (0..support_vectors.n_rows() as u32).collect();
    if used_as == Use::Answers {
        return Gram::in_double(kernel, support_vectors, rows());
    }
    let gram = Gram::new(kernel, support_vectors, rows())?;
    let norm = |machine: &Machine| {
        machine
            .coefficients
            .iter()
            .map(|b| b * b)
            .sum::<f64>()
            .sqrt()
    };
    let largest = machines.iter().map(norm).fold(0.0, f64::max);
    if gram.rounding() * largest <= MAX_DECISION_ERROR {
        Ok(gram)
    } else {
        Gram::in_double(kernel, support_vectors, rows())
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
    let size = TASK_ROWS * weights.len();
    for_each_chunk(&mut out, size, Grain::COARSE, &|task, part| {
        for (k, row) in part.chunks_mut(weights.len()).enumerate() {
            for (value, weights) in row.iter_mut().zip(weights) {
                *value = linear_value(weights, samples, task * TASK_ROWS + k);
            }
        }
    });
    out
}

/// Coefficients of one machine for consecutive support vectors within one pass.
struct Run {
    machine: usize,
    /// First support vector, relative to the pass.
    start: usize,
    coefficients: Vec<f64>,
}

/// The runs of all machines, pass by pass.
fn runs(machines: &[Machine], n_support: usize) -> Vec<Vec<Run>> {
    let mut passes: Vec<Vec<Run>> = Vec::new();
    passes.resize_with(n_support.div_ceil(PASS_COLUMNS), Vec::new);
    for (machine, terms) in machines.iter().enumerate() {
        let mut previous: Option<u32> = None;
        for (&s, &beta) in terms.support.iter().zip(&terms.coefficients) {
            let pass = &mut passes[s as usize / PASS_COLUMNS];
            let near = previous.is_some_and(|last| {
                s - last <= BRIDGED_GAP + 1
                    && last as usize / PASS_COLUMNS == s as usize / PASS_COLUMNS
            });
            match (near, pass.last_mut(), previous) {
                (true, Some(run), Some(last)) => {
                    run.coefficients.extend((last + 1..s).map(|_| 0.0));
                    run.coefficients.push(beta);
                }
                _ => pass.push(Run {
                    machine,
                    start: s as usize % PASS_COLUMNS,
                    coefficients: vec![beta],
                }),
            }
            previous = Some(s);
        }
    }
    passes
}

/// $\sum_s \beta_s K(x_s, x)$ of every machine (column) for every row of `samples`.
///
/// Kernel values are computed once for all machines; sums run over ascending support vectors.
fn kernel_sums(
    gram: &Gram<'_>,
    samples: SamplesView<'_>,
    machines: &[Machine],
) -> Result<Vec<f64>> {
    if gram.is_single() {
        kernel_sums_in::<f32>(gram, samples, machines)
    } else {
        kernel_sums_in::<f64>(gram, samples, machines)
    }
}

/// As [`kernel_sums`], with kernel values kept as `T` until they are summed.
fn kernel_sums_in<T: Real>(
    gram: &Gram<'_>,
    samples: SamplesView<'_>,
    machines: &[Machine],
) -> Result<Vec<f64>> {
    let width = machines.len();
    let mut out = vec![0.0; samples.n_rows() * width];
    if out.is_empty() || gram.is_empty() {
        return Ok(out);
    }
    let passes = runs(machines, gram.len());
    let buffers = Spares::<Vec<T>>::new();
    let parts = out.chunks_mut(TASK_ROWS * width);
    try_for_each(parts, Grain::COARSE, &|task, part| {
        buffers.lend(|values| {
            values.resize(TASK_ROWS * PASS_COLUMNS.min(gram.len()), T::ZERO);
            let first = task * TASK_ROWS;
            let n_rows = part.len() / width;
            let queries = gram.queries(samples, first..first + n_rows)?;
            for (pass, runs) in passes.iter().enumerate() {
                let start = pass * PASS_COLUMNS;
                let end = gram.len().min(start + PASS_COLUMNS);
                let block = &mut values[..n_rows * (end - start)];
                let mut rows: Vec<&mut [T]> = block.chunks_mut(end - start).collect();
                gram.block_here(&queries, start..end, &mut rows);
                for (sums, row) in part.chunks_mut(width).zip(&rows) {
                    for run in runs {
                        let span = run.start..run.start + run.coefficients.len();
                        sums[run.machine] += dot(&row[span], &run.coefficients);
                    }
                }
            }
            Ok(())
        })
    })?;
    Ok(out)
}
