//! Machines with their support vectors packed for the kernel: made once, evaluated often.

use super::bound::BoundRows;
use super::layout::Precision;
use super::{Kernel, Machine};
use crate::Result;
use crate::data::SamplesView;
use crate::linalg::{Real, dot};
use crate::parallel::{Grain, try_for_each};
use crate::spares::Spares;
use std::fmt;

/// Rows of one parallel task: full tiles of six and of sixteen. Fixed, so that results do not
/// depend on the number of threads.
pub(crate) const ROWS_OF_A_TASK: usize = 48;
/// Support vectors of one pass, so that a block of kernel values stays in the cache.
const PASS_COLUMNS: usize = 1024;
/// Support vectors that a machine does not use are counted in with coefficient 0 up to this many
/// in a row: a longer run of consecutive ones is faster than several short ones.
const BRIDGED_GAP: u32 = 6;
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

/// Kernel, support vectors and coefficients in the form in which sums are fastest.
pub(super) struct BoundMachines {
    rows: BoundRows,
    passes: Vec<Vec<Run>>,
    n_machines: usize,
}

impl fmt::Debug for BoundMachines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BoundMachines")
            .field("rows", &self.rows.len())
            .field("bytes", &self.rows.bytes())
            .finish_non_exhaustive()
    }
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

impl BoundMachines {
    /// Binds the kernel to support vectors, fine enough for the sums of the machines: the errors
    /// of the single values are independent, so that they add up like the coefficients' squares.
    pub(super) fn new(
        kernel: &Kernel,
        support_vectors: SamplesView<'_>,
        machines: &[Machine],
        used_as: Use,
    ) -> Result<Self> {
        let all: Vec<u32> = (0..support_vectors.n_rows() as u32).collect();
        let bind = |precision| BoundRows::new(kernel, support_vectors, &all, precision);
        let rows = match used_as {
            Use::Answers => bind(Precision::Double)?,
            Use::Decisions => {
                let rows = bind(Precision::Working)?;
                if rows.rounding() * largest_norm(machines) <= MAX_DECISION_ERROR {
                    rows
                } else {
                    bind(Precision::Double)?
                }
            }
        };
        Ok(Self {
            passes: runs(machines, rows.len()),
            rows,
            n_machines: machines.len(),
        })
    }

    /// $\sum_s \beta_s K(x_s, x)$ of every machine (column) for every row of `samples`.
    ///
    /// Kernel values are computed once for all machines; sums run over ascending support vectors.
    pub(super) fn sums(&self, samples: SamplesView<'_>) -> Result<Vec<f64>> {
        let mut out = vec![0.0; samples.n_rows() * self.n_machines];
        if out.is_empty() || self.rows.len() == 0 {
            return Ok(out);
        }
        if self.rows.is_single() {
            self.sums_in::<f32>(samples, &mut out)?;
        } else {
            self.sums_in::<f64>(samples, &mut out)?;
        }
        Ok(out)
    }

    /// As [`BoundMachines::sums`], with kernel values kept as `T` until they are summed.
    fn sums_in<T: Real>(&self, samples: SamplesView<'_>, out: &mut [f64]) -> Result<()> {
        let size = samples.n_rows().min(ROWS_OF_A_TASK) * self.pass_width();
        let buffers = Spares::<Vec<T>>::new();
        let parts = out.chunks_mut(ROWS_OF_A_TASK * self.n_machines);
        try_for_each(parts, Grain::COARSE, &|task, part| {
            buffers.lend(|values| {
                values.resize(size, T::ZERO);
                self.sum_rows(samples, task * ROWS_OF_A_TASK, values, part)
            })
        })
    }

    /// Most columns of a pass.
    fn pass_width(&self) -> usize {
        PASS_COLUMNS.min(self.rows.len())
    }

    /// The sums of the rows from `first` on that `out` has room for.
    fn sum_rows<T: Real>(
        &self,
        samples: SamplesView<'_>,
        first: usize,
        values: &mut [T],
        out: &mut [f64],
    ) -> Result<()> {
        let width = self.n_machines;
        let n_rows = out.len() / width;
        let queries = self.rows.queries(samples, first..first + n_rows)?;
        for (pass, runs) in self.passes.iter().enumerate() {
            let start = pass * PASS_COLUMNS;
            let end = self.rows.len().min(start + PASS_COLUMNS);
            let block = &mut values[..n_rows * (end - start)];
            let mut rows: Vec<&mut [T]> = block.chunks_mut(end - start).collect();
            self.rows.block(&queries, start..end, &mut rows);
            for (sums, row) in out.chunks_mut(width).zip(&rows) {
                for run in runs {
                    let span = run.start..run.start + run.coefficients.len();
                    sums[run.machine] += dot(&row[span], &run.coefficients);
                }
            }
        }
        Ok(())
    }
}

/// The largest norm of the coefficients of a machine.
fn largest_norm(machines: &[Machine]) -> f64 {
    let norm = |machine: &Machine| {
        machine
            .coefficients
            .iter()
            .map(|b| b * b)
            .sum::<f64>()
            .sqrt()
    };
    machines.iter().map(norm).fold(0.0, f64::max)
}
