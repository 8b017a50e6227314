//! What the span of a basis leaves of other kernel functions, and a basis that grows by it.
//!
//! $r_i^2 = K(x_i, x_i) - \|\tilde x_i\|^2$ is the squared distance of $\phi(x_i)$ from the span of the
//! basis. At the optimum in the span the gradient in the whole space is
//! $\tfrac1N\sum_i G_i \phi^\perp(x_i)$, so the rows with the largest $|G_i| r_i$ are those that the basis
//! lacks most.

use super::fit::Solution;
use super::params::RankRcParams;
use super::path::Ground;
use super::task::RankTask;
use super::whitening::transposed;
use crate::data::SamplesView;
use crate::kernel::{Gram, Kernel};
use crate::linalg::{dot, product_in_parallel, whiten};
use crate::parallel::try_map;
use crate::solve::pairwise::{PairSets, PairwiseHinge};
use crate::{Error, Result};

/// Rows that are looked at together.
const BLOCK_ROWS: usize = 256;
/// Share of the basis that is added at once.
const GROWTH: usize = 2;
/// Fewest rows that are added at once.
const MIN_GROWTH: usize = 16;
/// Rows up to which the gradient is computed exactly when a basis grows.
const EXACT_ROWS: usize = 20_000;

/// The span of the kernel functions at some rows, in double precision.
pub(super) struct Span<'a> {
    gram: Gram<'a>,
    /// $K_{RR}$.
    pub(super) matrix: Vec<f64>,
    /// $T$: a row a kernel function.
    up: Vec<f64>,
    rank: usize,
}

impl<'a> Span<'a> {
    pub(super) fn new(kernel: &Kernel, view: SamplesView<'a>, rows: Vec<u32>) -> Result<Self> {
        let n = rows.len();
        let numbers: Vec<usize> = rows.iter().map(|&row| row as usize).collect();
        let gram = Gram::in_double(kernel, view, rows)?;
        let matrix = gram.values(view.select(&numbers).view())?;
        let (down, rank) = whiten(&matrix, n)?;
        Ok(Self {
            gram: gram.sequential(true),
            up: transposed(&down, n),
            matrix,
            rank,
        })
    }

    /// Kernel values of a block of rows.
    fn values(&self, view: SamplesView<'_>, rows: std::ops::Range<usize>) -> Result<Vec<f64>> {
        let n = self.gram.len();
        let mut out = vec![0.0; rows.len() * n];
        let queries = self.gram.queries(view, rows)?;
        let mut slices: Vec<&mut [f64]> = out.chunks_mut(n.max(1)).collect();
        self.gram.block_here(&queries, 0..n, &mut slices);
        Ok(out)
    }

    /// Blocks of the rows of a view.
    fn blocks<R: Send>(
        &self,
        view: SamplesView<'_>,
        work: &(dyn Fn(usize, &[f64]) -> R + Sync),
    ) -> Result<Vec<R>> {
        let n = view.n_rows();
        try_map(
            n.div_ceil(BLOCK_ROWS),
            crate::parallel::Grain::COARSE,
            &|block| {
                let rows = block * BLOCK_ROWS..n.min((block + 1) * BLOCK_ROWS);
                let start = rows.start;
                Ok(work(start, &self.values(view, rows)?))
            },
        )
    }

    /// $\sum_r \beta_r K(x_r, x_i)$ of every row.
    pub(super) fn scores(&self, view: SamplesView<'_>, beta: &[f64]) -> Result<Vec<f64>> {
        let parts = self.blocks(view, &|_, values| {
            let rows = values.chunks(beta.len().max(1));
            rows.map(|row| dot(row, beta)).collect::<Vec<f64>>()
        })?;
        Ok(parts.concat())
    }

    /// $\tilde x$ of rows whose kernel values are given.
    fn features(&self, values: &[f64]) -> Vec<f64> {
        let n = self.gram.len();
        let mut out = vec![0.0; values.len() / n.max(1) * self.rank];
        product_in_parallel(values, &self.up, n, self.rank, &mut out);
        out
    }

    /// $r_i$ of every row, and $\tilde X^\top G$.
    pub(super) fn residuals(
        &self,
        view: SamplesView<'_>,
        self_values: &[f64],
        slopes: &[f64],
    ) -> Result<(Vec<f64>, Vec<f64>)> {
        let parts = self.blocks(view, &|start, values| {
            let features = self.features(values);
            let mut lengths = Vec::new();
            let mut sum = vec![0.0; self.rank];
            for (at, row) in features.chunks(self.rank.max(1)).enumerate() {
                let left = self_values[start + at] - dot(row, row);
                lengths.push(left.max(0.0).sqrt());
                for (sum, x) in sum.iter_mut().zip(row) {
                    *sum += slopes[start + at] * x;
                }
            }
            (lengths, sum)
        })?;
        let (mut lengths, mut total) = (Vec::new(), vec![0.0; self.rank]);
        for (part, sum) in parts {
            lengths.extend(part);
            for (total, value) in total.iter_mut().zip(sum) {
                *total += value;
            }
        }
        Ok((lengths, total))
    }

    /// $w = T^\top K_{RR} \beta$.
    pub(super) fn coordinates(&self, beta: &[f64]) -> Vec<f64> {
        let n = beta.len().max(1);
        let product: Vec<f64> = self.matrix.chunks(n).map(|row| dot(row, beta)).collect();
        self.features(&product)
    }

    /// $\tilde X (\tilde X^\top v)$.
    pub(super) fn approximate(&self, view: SamplesView<'_>, vector: &[f64]) -> Result<Vec<f64>> {
        let none = vec![0.0; vector.len()];
        let (_, sum) = self.residuals(view, &none, vector)?;
        let parts = self.blocks(view, &|_, values| {
            let features = self.features(values);
            let rows = features.chunks(self.rank.max(1));
            rows.map(|row| dot(row, &sum)).collect::<Vec<f64>>()
        })?;
        Ok(parts.concat())
    }
}

/// $K v$ with the kernel matrix of all rows, in blocks and double precision.
pub(super) fn times_all(
    kernel: &Kernel,
    view: SamplesView<'_>,
    vector: &[f64],
) -> Result<Vec<f64>> {
    let all: Vec<u32> = (0..view.n_rows() as u32).collect();
    let gram = Gram::in_double(kernel, view, all)?.sequential(true);
    let n = view.n_rows();
    let parts = try_map(
        n.div_ceil(BLOCK_ROWS),
        crate::parallel::Grain::COARSE,
        &|block| {
            let rows = block * BLOCK_ROWS..n.min((block + 1) * BLOCK_ROWS);
            let mut values = vec![0.0f64; rows.len() * n];
            let queries = gram.queries(view, rows)?;
            let mut slices: Vec<&mut [f64]> = values.chunks_mut(n).collect();
            gram.block_here(&queries, 0..n, &mut slices);
            Ok(values
                .chunks(n)
                .map(|row| dot(row, vector))
                .collect::<Vec<f64>>())
        },
    )?;
    Ok(parts.concat())
}

/// Bounds of the norm of the gradient in the whole space at a function in the span.
pub(super) struct Certificate {
    /// By the lengths of the residuals.
    pub(super) norm: f64,
    /// Exactly, if asked for.
    pub(super) exact: Option<f64>,
    /// $|G_i| r_i / N$ of each row.
    pub(super) shares: Vec<f64>,
    pub(super) lengths: Vec<f64>,
}

/// The point at which a certificate is asked for.
pub(super) struct At<'a> {
    pub(super) kernel: &'a Kernel,
    pub(super) view: SamplesView<'a>,
    pub(super) levels: &'a [u32],
    pub(super) smoothing: f64,
    pub(super) lambda: f64,
    pub(super) scores: &'a [f64],
    pub(super) beta: &'a [f64],
}

impl Certificate {
    pub(super) fn new(at: &At<'_>, span: &Span<'_>, exact: bool) -> Result<Self> {
        let members: Vec<u32> = (0..at.levels.len() as u32).collect();
        let loss =
            PairwiseHinge::new(at.levels, &members, at.smoothing).ok_or(Error::TooFewClasses {
                needed: 2,
                found: 1,
            })?;
        let mut slopes = vec![0.0; at.levels.len()];
        loss.evaluate(at.scores, &mut PairSets::default(), &mut slopes);
        for slope in &mut slopes {
            *slope /= loss.n_pairs();
        }
        let self_values = Gram::self_values(at.kernel, at.view);
        let (lengths, sum) = span.residuals(at.view, &self_values, &slopes)?;
        // Inside the span the gradient is 0 at the optimum only.
        let own = span.coordinates(at.beta);
        let inside: f64 = sum
            .iter()
            .zip(&own)
            .map(|(s, w)| (s + at.lambda * w).powi(2))
            .sum();
        let shares: Vec<f64> = slopes
            .iter()
            .zip(&lengths)
            .map(|(slope, length)| slope.abs() * length)
            .collect();
        let outside: f64 = shares.iter().sum();
        let exact = if exact {
            let all = dot(&slopes, &times_all(at.kernel, at.view, &slopes)?);
            Some(((all - dot(&sum, &sum)).max(0.0) + inside).sqrt())
        } else {
            None
        };
        Ok(Self {
            norm: (outside * outside + inside).sqrt(),
            exact,
            shares,
            lengths,
        })
    }

    /// The better of the two.
    fn best(&self) -> f64 {
        self.exact.map_or(self.norm, |exact| exact.min(self.norm))
    }
}

/// Adds rows to the basis until the objective is certified to be within a share of the optimum.
pub(super) fn grow(
    params: &RankRcParams,
    task: &RankTask,
    kernel: &Kernel,
    view: SamplesView<'_>,
    (mut basis, mut solution): (Vec<u32>, Solution),
    lambda: f64,
    share: f64,
) -> Result<(Vec<u32>, Solution)> {
    let n = task.levels.len();
    while basis.len() < n {
        let span = Span::new(kernel, view, basis.clone())?;
        let at = At {
            kernel,
            view,
            levels: &task.levels,
            smoothing: params.ranking.smoothing,
            lambda,
            scores: &solution.scores,
            beta: &solution.solved.coefficients,
        };
        let certificate = Certificate::new(&at, &span, n <= EXACT_ROWS)?;
        let gap = certificate.best().powi(2) / (2.0 * lambda);
        if gap <= share * solution.solved.minimum.value {
            break;
        }
        let mut is_in = vec![false; n];
        for &row in &basis {
            is_in[row as usize] = true;
        }
        let mut others: Vec<u32> = (0..n as u32).filter(|&row| !is_in[row as usize]).collect();
        let shares = &certificate.shares;
        others.sort_by(|&a, &b| shares[b as usize].total_cmp(&shares[a as usize]));
        others.truncate((basis.len() / GROWTH).max(MIN_GROWTH));
        basis.extend(others);
        basis.sort_unstable();
        let ground = Ground::kernel(
            kernel,
            view,
            basis.clone(),
            task,
            &params.ranking,
            params.solver,
        )?;
        solution = Solution::of(&ground, task, lambda, &params.ranking)?;
    }
    Ok((basis, solution))
}
