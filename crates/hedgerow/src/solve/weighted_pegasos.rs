//! Weighted-Pegasos: stochastic subgradient steps for a linear SVM whose rows have weights.
//!
//! $$\min_w \tfrac\lambda2\|w\|^2 + \tfrac1n \sum_i \nu_i \max(0, 1 - y_i (w \cdot x_i + b)), \qquad \textstyle\sum_i \nu_i = 1.$$
//! Step $t$ draws $k$ rows with replacement, finds the set $V$ of those inside the margin, and with
//! $\eta = 1/(\lambda t)$ sets
//! $$w \leftarrow (1 - \eta\lambda) w + \tfrac{\eta}{k} \sum_V \nu_i y_i x_i, \qquad
//!   w \leftarrow w \min\{1, 1/(\sqrt{n\lambda}\,\|w\|)\}, \qquad
//!   b \leftarrow b + \tau \tfrac{\eta}{k} \sum_V \nu_i y_i .$$
//! The optimum lies in that ball: $\|w^*\|^2 \le 1/(n\lambda)$.
//!
//! As printed the method stops as soon as one step moves $w$ by at most a tolerance. Steps shrink as
//! $1/t$ and rows outside the margin hardly move $w$, so that this happens by chance at poor
//! iterates: [`PegasosStop::Epoch`] compares the averages of whole passes instead.
//!
//! | paper | here |
//! |---|---|
//! | $\lambda$, $n$ | `lambda`, `rows.n_rows()` |
//! | $T$, $k$, $\tau$, $\varepsilon$ | [`PegasosParams::max_steps`], `batch`, `bias_rate`, `tolerance` |
//! | $\nu_i$, $y_i$ | `weights[i]`, `signs[i]` |
//!
//! $w$ is kept as `scale · direction`, so that shrinking costs nothing, and $\|w\|^2$ is carried along:
//! a step costs one inner product, and one vector update if the row violates the margin.

use crate::data::Generator;
use crate::error::{ensure_not_negative, ensure_positive};
use crate::linalg::LinearRows;
use crate::{Result, Status};
use serde::{Deserialize, Serialize};

/// When steps end before their limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum PegasosStop {
    /// When one step moves $w$ by no more than the tolerance, as printed.
    Step,
    /// When the averages of two consecutive passes differ by no more than the tolerance, relative to
    /// their length; the answer is the average of the last pass.
    #[default]
    Epoch,
    /// Never.
    Limit,
}

/// Settings of Weighted-Pegasos.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PegasosParams {
    /// Most steps, $T$; $10^7$ by default.
    pub max_steps: u64,
    /// Rows drawn in a step, $k$; 1 by default.
    pub batch: usize,
    /// Rate of the bias against that of the weights, $\tau$; 0.01 by default.
    pub bias_rate: f64,
    /// Change that counts as none, $\varepsilon$; $10^{-4}$ by default.
    pub tolerance: f64,
    /// Whether the bias takes part in the test of the margin; yes by default. The printed algorithm
    /// leaves it out, and fails.
    pub bias_in_margin: bool,
    /// When to stop before the limit.
    pub stop: PegasosStop,
}

impl Default for PegasosParams {
    fn default() -> Self {
        Self {
            max_steps: 10_000_000,
            batch: 1,
            bias_rate: 0.01,
            tolerance: 1e-4,
            bias_in_margin: true,
            stop: PegasosStop::Epoch,
        }
    }
}

impl PegasosParams {
    /// The algorithm to the letter: no bias in the margin, and a stop at the first small step.
    pub fn literal() -> Self {
        Self {
            bias_in_margin: false,
            stop: PegasosStop::Step,
            ..Self::default()
        }
    }

    /// An error that names the first setting out of its range.
    pub fn check(&self) -> Result<()> {
        ensure_positive("max_steps", self.max_steps as f64)?;
        ensure_positive("batch", self.batch as f64)?;
        ensure_not_negative("bias_rate", self.bias_rate)?;
        ensure_not_negative("tolerance", self.tolerance)
    }
}

/// What the steps arrived at.
#[derive(Debug, Clone, PartialEq)]
pub struct PegasosSolution {
    /// $w$.
    pub weights: Vec<f64>,
    /// $b$.
    pub bias: f64,
    /// Steps made.
    pub steps: u64,
    /// Whether the stop rule or the limit ended them.
    pub status: Status,
}

/// Snapshots that make up the average of a pass: every iterate of a short one.
const SNAPSHOTS: u64 = 64;

/// $\|w\|^2$ is computed afresh after this many steps, so that rounding does not pile up.
const REFRESH: u64 = 4096;

/// The iterate, as `scale · direction`.
struct Iterate {
    direction: Vec<f64>,
    scale: f64,
    sq_norm: f64,
    bias: f64,
}

impl Iterate {
    fn materialise(&self) -> Vec<f64> {
        self.direction.iter().map(|v| self.scale * v).collect()
    }

    fn refresh(&mut self) {
        for v in &mut self.direction {
            *v *= self.scale;
        }
        self.scale = 1.0;
        self.sq_norm = self.direction.iter().map(|v| v * v).sum();
    }
}

/// Sum of snapshots of one pass.
struct Average {
    weights: Vec<f64>,
    bias: f64,
    count: f64,
}

impl Average {
    fn new(width: usize) -> Self {
        Self {
            weights: vec![0.0; width],
            bias: 0.0,
            count: 0.0,
        }
    }

    fn add(&mut self, iterate: &Iterate) {
        for (sum, v) in self.weights.iter_mut().zip(&iterate.direction) {
            *sum += iterate.scale * v;
        }
        self.bias += iterate.bias;
        self.count += 1.0;
    }

    fn finish(mut self) -> (Vec<f64>, f64) {
        if self.count > 0.0 {
            for sum in &mut self.weights {
                *sum /= self.count;
            }
            self.bias /= self.count;
        }
        (self.weights, self.bias)
    }
}

/// Averages of passes, and whether they have settled.
struct Passes {
    pass: u64,
    snapshot: u64,
    average: Average,
    previous: Option<Vec<f64>>,
}

impl Passes {
    fn new(pass: u64, width: usize) -> Self {
        Self {
            pass,
            snapshot: (pass / SNAPSHOTS).max(1),
            average: Average::new(width),
            previous: None,
        }
    }

    /// To be called after every step; the average of a pass that is the last, and whether it
    /// agrees with the one before.
    fn after(
        &mut self,
        step: u64,
        iterate: &Iterate,
        params: &PegasosParams,
    ) -> Option<(Vec<f64>, f64, bool)> {
        if step.is_multiple_of(self.snapshot) {
            self.average.add(iterate);
        }
        if !step.is_multiple_of(self.pass) {
            return None;
        }
        let next = Average::new(iterate.direction.len());
        let (mean, bias) = std::mem::replace(&mut self.average, next).finish();
        let settled = self
            .previous
            .as_ref()
            .is_some_and(|old| change(old, &mean) <= params.tolerance);
        if settled || step + self.pass > params.max_steps {
            return Some((mean, bias, settled));
        }
        self.previous = Some(mean);
        None
    }
}

/// Runs the steps. `signs` and `weights` have one entry a row; there must be a row.
pub fn weighted_pegasos(
    rows: &LinearRows<'_>,
    signs: &[f64],
    weights: &[f64],
    lambda: f64,
    params: &PegasosParams,
    generator: &mut Generator,
) -> PegasosSolution {
    let n = rows.n_rows();
    let width = rows.width();
    let radius = 1.0 / (n as f64 * lambda).sqrt();
    let batch = params.batch.max(1);
    let finish = |weights, bias, steps, converged| {
        solution(weights, rows.n_features(), bias, steps, converged)
    };
    let mut iterate = Iterate {
        direction: vec![0.0; width],
        scale: 1.0,
        sq_norm: 0.0,
        bias: 0.0,
    };
    let mut passes = Passes::new((n / batch).max(1) as u64, width);
    let mut sum = vec![0.0; if batch > 1 { width } else { 0 }];

    for step in 1..=params.max_steps {
        let rate = 1.0 / (lambda * step as f64);
        let mut bias_step = 0.0;
        // The change u = (eta/k) sum nu y x, through its inner product with w and its norm.
        let (mut w_dot_u, mut u_sq_norm) = (0.0, 0.0);
        let mut single = None;
        for _ in 0..batch {
            let i = generator.below(n);
            let w_dot_x = iterate.scale * rows.dot(i, &iterate.direction);
            let bias = if params.bias_in_margin {
                iterate.bias
            } else {
                0.0
            };
            if signs[i] * (w_dot_x + bias) < 1.0 {
                let factor = rate / batch as f64 * weights[i] * signs[i];
                bias_step += factor;
                w_dot_u += factor * w_dot_x;
                if batch == 1 {
                    u_sq_norm = factor * factor * rows.sq_norm(i);
                    single = Some((i, factor));
                } else {
                    rows.add(i, factor, &mut sum);
                }
            }
        }
        if batch > 1 {
            u_sq_norm = sum.iter().map(|u| u * u).sum();
        }
        let shrink = 1.0 - 1.0 / step as f64;
        let before = iterate.sq_norm;
        let after = (shrink * shrink * before + 2.0 * shrink * w_dot_u + u_sq_norm).max(0.0);
        let project = (radius / after.sqrt()).min(1.0);
        if step == 1 {
            iterate.direction.fill(0.0);
            iterate.scale = 1.0;
        } else {
            iterate.scale *= shrink;
        }
        if let Some((i, factor)) = single {
            rows.add(i, factor / iterate.scale, &mut iterate.direction);
        } else if batch > 1 && u_sq_norm > 0.0 {
            for (v, u) in iterate.direction.iter_mut().zip(&mut sum) {
                *v += *u / iterate.scale;
                *u = 0.0;
            }
        }
        iterate.scale *= project;
        iterate.sq_norm = project * project * after;
        iterate.bias += params.bias_rate * bias_step;
        if step % REFRESH == 0 || iterate.scale < 1e-60 {
            iterate.refresh();
        }
        match params.stop {
            PegasosStop::Step if step > 1 => {
                let kept = project * shrink - 1.0;
                let moved = kept * kept * before
                    + 2.0 * kept * project * w_dot_u
                    + project * project * u_sq_norm;
                if moved.max(0.0).sqrt() <= params.tolerance {
                    return finish(iterate.materialise(), iterate.bias, step, true);
                }
            }
            PegasosStop::Epoch => {
                if let Some((mean, bias, settled)) = passes.after(step, &iterate, params) {
                    return finish(mean, bias, step, settled);
                }
            }
            PegasosStop::Step | PegasosStop::Limit => {}
        }
    }
    let converged = params.stop == PegasosStop::Limit;
    finish(
        iterate.materialise(),
        iterate.bias,
        params.max_steps,
        converged,
    )
}

fn solution(
    mut weights: Vec<f64>,
    n_features: usize,
    bias: f64,
    steps: u64,
    converged: bool,
) -> PegasosSolution {
    weights.truncate(n_features);
    PegasosSolution {
        weights,
        bias,
        steps,
        status: if converged {
            Status::Converged
        } else {
            Status::IterationLimit
        },
    }
}

/// Distance of two vectors relative to the length of the second.
fn change(old: &[f64], new: &[f64]) -> f64 {
    let difference: f64 = old.iter().zip(new).map(|(a, b)| (a - b) * (a - b)).sum();
    let length: f64 = new.iter().map(|v| v * v).sum();
    if length > 0.0 {
        (difference / length).sqrt()
    } else {
        difference.sqrt()
    }
}

/// Most that the objective of a random iterate exceeds the optimum in expectation after $T$ steps:
/// $(\sqrt{\lambda/n} + R)^2 \ln T / (\lambda T)$ for rows of norm at most $R$, with the constant of
/// plain Pegasos for `n = 1`.
pub fn convergence_bound(lambda: f64, n: usize, radius: f64, steps: u64) -> f64 {
    let steps = steps.max(1) as f64;
    let c = ((lambda / n.max(1) as f64).sqrt() + radius).powi(2);
    c * steps.ln() / (lambda * steps)
}
