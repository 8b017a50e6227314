//! How far a function on a basis may be from that on all rows.
//!
//! With $f_R$ the solution on the basis, $f$ that on all rows, $\kappa \ge K(x, x)$ and $p_\pm$ the shares of
//! the two classes outside the basis:
//!
//! | what | bound of $\sup \lvert f_R - f\rvert$ | field |
//! |---|---|---|
//! | projected map, as printed | $\tfrac{2\kappa}\lambda\sqrt{p_+ + p_-}$ | `projection.printed` |
//! | the same: one of the two terms of its proof is 0 | $\tfrac{\sqrt2\kappa}\lambda\sqrt{p_+ + p_-}$ | `projection.tight` |
//! | by the residuals $r$ | $\sqrt{\kappa\,\tfrac{\lVert w\rVert + \lVert w_R\rVert}\lambda(\bar r_+ + \bar r_-)}$, tight without $\lVert w_R\rVert$ | `residual` |
//! | Nyström for the SVM | $\tfrac{\sqrt2\kappa}\lambda\sqrt{1 - \lvert R\rvert/m}$, tight without $\sqrt2$ | `nystrom` |
//! | perturbation of the kernel, on training rows | $\tfrac{2\sqrt2\kappa^{3/4}}\lambda d^{1/4}(1 + (d/4\kappa)^{1/4})$, $d = \lVert K' - K\rVert_2$; printed with $d^{1/2}$ | `perturbation` |
//! | certificate by residuals | $\tfrac{\sqrt\kappa}\lambda\lVert\nabla F\rVert$, $\lVert\nabla F\rVert \le \tfrac1N\sum_i\lvert G_i\rvert r_i$ | `certificate` |
//! | certificate, exact | the same with $\lVert\nabla F\rVert^2 = \tfrac1{N^2}G^\top(K - \tilde X\tilde X^\top)G$ | `exact_certificate` |
//!
//! The certificates need no solution on all rows, hold for any number of levels, and bound the
//! objective too: $F(f_R) - F(f) \le \lVert\nabla F\rVert^2/2\lambda$, since $F$ is strongly convex. Where the
//! solution in the span is not exact, the gradient inside the span is added.

use super::model::{Answer, RankModel};
use super::residuals::{At, Certificate, Span, times_all};
use super::task::RankTask;
use crate::data::{Dataset, without_weightless_rows};
use crate::error::ensure_shape;
use crate::kernel::Gram;
use crate::linalg::{dot, largest_eigenvalue};
use crate::solve::pairwise::brute::PairLoss;
use crate::{Error, Predictor, Result};

/// Most products of the search for the norm of the difference of two matrices.
const MAX_PRODUCTS: usize = 200;

/// What bounds are computed.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct BoundSettings {
    /// Norm of the solution on all rows, where it is known; a bound of it otherwise.
    pub full_norm: Option<f64>,
    /// Compute those that read all $m^2$ kernel values.
    pub quadratic: bool,
}

/// A bound as printed, and with the constant that its proof allows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bound {
    /// As printed.
    pub printed: f64,
    /// With the better constant.
    pub tight: f64,
}

/// Bounds of a function's values and of its objective, from the norm of the gradient.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Certified {
    /// Largest difference of the values anywhere.
    pub values: f64,
    /// Difference of the objectives.
    pub objective: f64,
}

/// The perturbation bound, which holds on training rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Perturbation {
    /// $\|K' - K\|_2$.
    pub difference: f64,
    /// With exponent ¼, as the proof gives it.
    pub quarter: f64,
    /// With exponent ½, as printed.
    pub half: f64,
}

/// All bounds of a model on its training data; see the source of the module for the formulas.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct RankBounds {
    /// $\kappa$.
    pub kappa: f64,
    /// Of the projected map; two levels only.
    pub projection: Option<Bound>,
    /// By the residuals; two levels only.
    pub residual: Option<Bound>,
    /// Nyström for the SVM.
    pub nystrom: Bound,
    /// Of the perturbed kernel; two levels only, and if asked for.
    pub perturbation: Option<Perturbation>,
    /// Certificate by residuals.
    pub certificate: Certified,
    /// Exact certificate, if asked for.
    pub exact_certificate: Option<Certified>,
}

/// D1, from the shares of both classes outside the basis.
pub(super) fn projection_bound(kappa: f64, lambda: f64, outside: [f64; 2]) -> Bound {
    let root = (outside[0] + outside[1]).max(0.0).sqrt();
    Bound {
        printed: 2.0 * kappa / lambda * root,
        tight: std::f64::consts::SQRT_2 * kappa / lambda * root,
    }
}

/// D3, from the share of all rows outside the basis.
pub(super) fn nystrom_bound(kappa: f64, lambda: f64, outside: f64) -> Bound {
    let root = outside.max(0.0).sqrt();
    Bound {
        printed: std::f64::consts::SQRT_2 * kappa / lambda * root,
        tight: kappa / lambda * root,
    }
}

/// D4, from the norm of the difference of the matrices.
fn perturbation_bound(kappa: f64, lambda: f64, difference: f64) -> Perturbation {
    let front = 2.0 * std::f64::consts::SQRT_2 * kappa.powf(0.75) / lambda;
    let last = 1.0 + (difference / (4.0 * kappa)).powf(0.25);
    Perturbation {
        difference,
        quarter: front * difference.powf(0.25) * last,
        half: front * difference.sqrt() * last,
    }
}

fn certified(kappa: f64, lambda: f64, norm: f64) -> Certified {
    Certified {
        values: kappa.sqrt() / lambda * norm,
        objective: norm * norm / (2.0 * lambda),
    }
}

impl RankModel {
    /// The norm of the function, $\sqrt{\beta^\top K_{RR}\beta}$.
    pub fn norm(&self) -> Result<f64> {
        let expansion = self.expansion();
        let rows: Vec<u32> = (0..expansion.support_vectors.n_rows() as u32).collect();
        let gram = Gram::in_double(&expansion.kernel, expansion.support_vectors.view(), rows)?;
        let scores = gram.values(expansion.support_vectors.view())?;
        let beta = &expansion.machines[0].coefficients;
        let rows = scores.chunks(beta.len().max(1));
        let square: f64 = rows.zip(beta).map(|(row, b)| b * dot(row, beta)).sum();
        Ok(square.max(0.0).sqrt())
    }

    /// How far the function may be from that of all rows, on the data that it was trained on.
    pub fn bounds(&self, data: &Dataset, settings: &BoundSettings) -> Result<RankBounds> {
        let data = without_weightless_rows(data)?;
        let task = self.task_of(&data)?;
        let expansion = self.expansion();
        if self.weights().is_some() {
            return Err(Error::KernelUse {
                kernel: expansion.kernel.to_string(),
                problem: "a linear function has no basis that could be too small",
            });
        }
        let view = data.samples().view();
        let beta = &expansion.machines[0].coefficients;
        let rows: Vec<u32> = (0..beta.len() as u32).collect();
        let span = Span::new(&expansion.kernel, expansion.support_vectors.view(), rows)?;
        let scores = span.scores(view, beta)?;
        let at = At {
            kernel: &expansion.kernel,
            view,
            levels: &task.levels,
            smoothing: self.smoothing(),
            lambda: self.lambda(),
            scores: &scores,
            beta,
        };
        let certificate = Certificate::new(&at, &span, settings.quadratic)?;
        let kappa = Gram::self_values(at.kernel, view)
            .into_iter()
            .fold(0.0, f64::max);
        let n = task.levels.len();
        let two = task.scale.is_none();
        let residual = two
            .then(|| self.residual_bound(&task, &certificate.lengths, kappa, settings))
            .transpose()?;
        let counted = self.level_counts().iter();
        let inside: u64 = counted.map(|count| count[1]).sum();
        let perturbation = if two && settings.quadratic {
            let difference = largest_eigenvalue(n, MAX_PRODUCTS, 0, |vector| {
                let mut product = times_all(at.kernel, view, vector)?;
                let near = span.approximate(view, vector)?;
                for (value, near) in product.iter_mut().zip(near) {
                    *value -= near;
                }
                Ok(product)
            })?;
            Some(perturbation_bound(kappa, at.lambda, difference.max(0.0)))
        } else {
            None
        };
        Ok(RankBounds {
            kappa,
            projection: self
                .outside()
                .map(|p| projection_bound(kappa, at.lambda, p)),
            residual,
            nystrom: nystrom_bound(kappa, at.lambda, 1.0 - inside as f64 / n as f64),
            perturbation,
            certificate: certified(kappa, at.lambda, certificate.norm),
            exact_certificate: certificate
                .exact
                .map(|norm| certified(kappa, at.lambda, norm)),
        })
    }

    /// The task that data state for this model. Bounds say nothing of other rows than those of the
    /// training, which are told by their numbers only.
    fn task_of(&self, data: &Dataset) -> Result<RankTask> {
        let classes = self.classes().unwrap_or_default();
        let task = match self.answer() {
            Answer::Classes { .. } => RankTask::of(data, classes.first())?,
            Answer::Levels { .. } => RankTask::of(&data.clone().with_levels(Some(classes))?, None)?,
        };
        let found = task.counts();
        for (level, &[expected, _]) in self.level_counts().iter().enumerate() {
            let found = found.get(level).copied().unwrap_or(0);
            let what = "rows of one level: these are not the data of the training";
            ensure_shape(what, expected as usize, found as usize)?;
        }
        Ok(task)
    }

    /// Shares of two levels that are outside the basis.
    pub(super) fn outside(&self) -> Option<[f64; 2]> {
        let [low, high] = *self.level_counts() else {
            return None;
        };
        Some([low, high].map(|[all, inside]| 1.0 - inside as f64 / all as f64))
    }

    /// D2.
    fn residual_bound(
        &self,
        task: &RankTask,
        lengths: &[f64],
        kappa: f64,
        settings: &BoundSettings,
    ) -> Result<Bound> {
        let lambda = self.lambda();
        let own = self.norm()?;
        let at_zero = PairLoss::SmoothedHinge(self.smoothing()).value(0.0);
        let full = settings.full_norm.unwrap_or_else(|| {
            let by_dual = 2.0 * kappa.sqrt() / lambda;
            by_dual.min((2.0 * at_zero / lambda).sqrt())
        });
        let mut means = 0.0;
        for level in [0, 1] {
            let members = task
                .levels
                .iter()
                .zip(lengths)
                .filter(|(l, _)| **l == level);
            let (sum, count) = members.fold((0.0, 0.0), |(s, c), (_, r)| (s + r, c + 1.0));
            means += sum / f64::max(count, 1.0);
        }
        let bound = |norms: f64| kappa.sqrt() * (norms / lambda * means).sqrt();
        Ok(Bound {
            printed: bound(full + own),
            tight: bound(full),
        })
    }
}
