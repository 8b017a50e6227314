//! All λ of a path on all folds of one design.

use super::design::{Design, LinearDesign};
use super::params::{FormWord, RankingParams, SearchMetric};
use super::problem::{Form, Part, RankBatch};
use super::task::RankTask;
use super::whitening::{Sample, Whitening, sample_rows, submatrix};
use crate::data::SamplesView;
use crate::error::ensure_memory;
use crate::kernel::{Gram, Kernel, Rectangle};
use crate::linalg::{LinearRows, Precision};
use crate::solve::pairwise::{PairCounts, PairwiseHinge, precision_of_the_top};
use crate::solve::smooth::{Minimum, SmoothLimits};
use crate::solve::trust_region::minimise_batch;
use crate::{Error, Result};

/// Bytes of scores, slopes and pair sets of one row in one problem.
const ROW_BYTES: usize = 40;
/// Bytes that problems which advance together may take for these.
const STATE_BYTES: usize = 1 << 30;

/// Bytes that the factors take for each entry of the kernel matrix of the basis.
const FACTOR_BYTES: u64 = 5 * 8;
/// Most bytes of these.
const MAX_FACTOR_BYTES: u64 = 1 << 34;

/// A design with what makes parts of it.
pub(super) struct Ground<'a> {
    kind: Kind<'a>,
    levels: &'a [u32],
    smoothing: f64,
}

enum Kind<'a> {
    Kernel(Box<KernelGround<'a>>),
    Linear(LinearDesign<'a>),
}

/// Kernel functions at the rows of a basis.
struct KernelGround<'a> {
    rectangle: Rectangle<'a>,
    /// Rows that the columns belong to.
    basis: Vec<u32>,
    /// $K_{RR}$.
    matrix: Vec<f64>,
    sample: Sample,
    form: FormWord,
}

/// What was found for one λ on one part.
pub(super) struct Solved {
    /// Coefficients of all columns.
    pub(super) coefficients: Vec<f64>,
    pub(super) minimum: Minimum,
}

impl<'a> Ground<'a> {
    /// Kernel functions at the rows of a basis.
    pub(super) fn kernel(
        kernel: &Kernel,
        view: SamplesView<'a>,
        basis: Vec<u32>,
        task: &'a RankTask,
        params: &RankingParams,
        form: FormWord,
    ) -> Result<Self> {
        let squares = (basis.len() as u64).saturating_mul(basis.len() as u64);
        ensure_memory(
            "the factors of the kernel matrix of the basis",
            squares.saturating_mul(FACTOR_BYTES),
            MAX_FACTOR_BYTES,
        )?;
        let rectangle = Rectangle::new(kernel, view, basis.clone(), params.cache_bytes())?;
        let gram = Gram::in_double(kernel, view, basis.clone())?;
        let rows: Vec<usize> = basis.iter().map(|&row| row as usize).collect();
        let matrix = gram.values(view.select(&rows).view())?;
        if let Some(value) = matrix.iter().find(|value| !value.is_finite()) {
            return Err(Error::BadRowValue {
                row: basis[0] as usize + 1,
                what: "kernel value",
                value: *value,
            });
        }
        let rows = sample_rows(&task.levels, basis.len());
        let sample = Sample {
            values: rectangle.values_at(&rows)?,
            width: basis.len(),
            rows,
        };
        Ok(Self {
            kind: Kind::Kernel(Box::new(KernelGround {
                rectangle,
                basis,
                matrix,
                sample,
                form,
            })),
            levels: &task.levels,
            smoothing: params.smoothing,
        })
    }

    /// The features themselves.
    pub(super) fn linear(
        view: SamplesView<'a>,
        task: &'a RankTask,
        params: &RankingParams,
    ) -> Result<Self> {
        let rows = LinearRows::pack(view, Precision::Fitting)?;
        Ok(Self {
            kind: Kind::Linear(LinearDesign::new(rows)),
            levels: &task.levels,
            smoothing: params.smoothing,
        })
    }

    pub(super) fn design(&self) -> &dyn Design {
        match &self.kind {
            Kind::Kernel(ground) => &ground.rectangle,
            Kind::Linear(design) => design,
        }
    }

    /// The problem of some rows; `None` if they have no pairs, or no column is theirs.
    pub(super) fn part(&self, members: &[u32]) -> Result<Option<Part>> {
        let Some(loss) = PairwiseHinge::new(self.levels, members, self.smoothing) else {
            return Ok(None);
        };
        let (columns, form) = match &self.kind {
            Kind::Kernel(ground) => match ground.part(self, members)? {
                Some(both) => both,
                None => return Ok(None),
            },
            Kind::Linear(design) => {
                let weights = self.pair_weights(members, loss.n_pairs());
                let curvatures = design.weighted_squares(&weights);
                let columns = (0..design.n_columns() as u32).collect();
                (columns, Form::Plain(curvatures))
            }
        };
        Ok(Some(Part {
            loss,
            columns,
            form,
        }))
    }

    /// $d_i / 2\varepsilon N$ of the members, 0 of the others.
    fn pair_weights(&self, members: &[u32], n_pairs: f64) -> Vec<f64> {
        let most = self.levels.iter().copied().max().unwrap_or(0);
        let mut counts = vec![0.0f64; most as usize + 1];
        for &row in members {
            counts[self.levels[row as usize] as usize] += 1.0;
        }
        let all = members.len() as f64;
        let mut weights = vec![0.0; self.levels.len()];
        for &row in members {
            let degree = all - counts[self.levels[row as usize] as usize];
            weights[row as usize] = degree / (2.0 * self.smoothing * n_pairs);
        }
        weights
    }

    /// Solves every part for every λ: the λ of the first part, then those of the second, and so on.
    pub(super) fn solve(
        &self,
        parts: &[Part],
        lambdas: &[f64],
        limits: &SmoothLimits,
    ) -> Vec<Solved> {
        let bytes = ROW_BYTES * self.levels.len().max(1) * lambdas.len().max(1);
        let at_once = (STATE_BYTES / bytes).max(1);
        let n_columns = self.design().n_columns();
        let mut solved = Vec::new();
        for parts in parts.chunks(at_once) {
            let mut batch = RankBatch::new(self.design(), parts, lambdas);
            let start = |part: &Part| vec![0.0; part.n_variables()];
            let starts = parts
                .iter()
                .flat_map(|part| lambdas.iter().map(move |_| start(part)))
                .collect();
            let found = minimise_batch(&mut batch, starts, limits);
            solved.extend(found.into_iter().enumerate().map(|(at, minimum)| {
                let part = &parts[at / lambdas.len()];
                let mut all = part.coefficients(&[&minimum.point], n_columns);
                Solved {
                    coefficients: all.remove(0),
                    minimum,
                }
            }));
        }
        solved
    }
}

impl KernelGround<'_> {
    /// Columns and variables of some rows; `None` if no column is theirs.
    fn part(&self, ground: &Ground<'_>, members: &[u32]) -> Result<Option<(Vec<u32>, Form)>> {
        let mut is_member = vec![false; ground.levels.len()];
        for &row in members {
            is_member[row as usize] = true;
        }
        let columns: Vec<u32> = (0u32..)
            .zip(&self.basis)
            .filter(|&(_, &row)| is_member[row as usize])
            .map(|(column, _)| column)
            .collect();
        if columns.is_empty() {
            return Ok(None);
        }
        let own = submatrix(&self.matrix, self.basis.len(), &columns);
        let form = match self.form {
            FormWord::Direct => Form::Direct(own),
            FormWord::Linearised => Form::Whitened(Whitening::new(
                &own,
                &columns,
                ground.levels,
                members,
                &self.sample,
                ground.smoothing,
            )?),
        };
        Ok(Some((columns, form)))
    }
}

/// When the minimisers stop.
pub(super) fn limits(params: &RankingParams, tolerance: f64) -> SmoothLimits {
    SmoothLimits {
        gradient_tolerance: tolerance,
        value_tolerance: tolerance,
        step_tolerance: tolerance * 1e-3,
        max_steps: params.max_iterations,
        ..SmoothLimits::default()
    }
}

/// How good scores are for the members, by a metric; `None` if that cannot be told.
pub(super) fn measure(
    metric: SearchMetric,
    levels: &[u32],
    members: &[u32],
    scores: &[f64],
) -> Option<f64> {
    if members.iter().any(|&row| !scores[row as usize].is_finite()) {
        return None;
    }
    match metric {
        SearchMetric::Auc => PairCounts::of(levels, members, scores).map(PairCounts::ordered_share),
        SearchMetric::AveragePrecision => precision_of_the_top(levels, members, scores),
    }
}
