//! Pegasos: projected stochastic subgradients for the hinge loss, with a weight for every row.
//!
//! $$\min_w \tfrac\lambda2\|w\|^2 + \frac1n\sum_i \nu_i \max(0, 1 - y_i f(x_i)).$$
//!
//! Step $t$ draws $k$ rows with replacement, goes $\eta_t = 1/(\lambda t)$ along the subgradient and back
//! into the ball in which the solution must lie:
//! $$w \leftarrow \left(1 - \tfrac1t\right) w + \frac{\eta_t}k \sum_{i \in V} \nu_i y_i x_i, \qquad
//!   w \leftarrow w\,\min\{1, r/\|w\|\}, \qquad r^2 = \frac{1}{\lambda n} \sum_i \nu_i,$$
//! where $V$ are the drawn rows with $y_i f(x_i) < 1$. With $\nu = 1$ this is Pegasos
//! ($r = 1/\sqrt\lambda$), with class-balanced weights that sum to 1 it is Weighted-Pegasos
//! ($r = 1/\sqrt{n\lambda}$).
//!
//! | paper (Shalev-Shwartz et al. 2007; H-LSVM, algorithm 5) | here |
//! |---|---|
//! | $\lambda$ | `lambda` |
//! | $\nu_i$ | `row_weights` |
//! | $k$, $T$ | `batch`, `max_steps` |
//! | $\tau$ | `Bias::Rate` |
//! | $\varepsilon$ on $\|w_t - w_{t-1}\|$ | `Stop::Step` |
//!
//! The vector is kept as a scale times a vector, so that a step in which no margin is violated
//! costs one inner product for each drawn row and nothing else.

use crate::Status;
use crate::data::Generator;
use crate::linalg::{LinearRows, dot};

/// Scale below which it is multiplied into the vector.
const TINY_SCALE: f64 = 1e-9;

/// How the intercept is learned.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum Bias {
    /// No intercept.
    None,
    /// The weight of a constant feature of this value, regularised like the others.
    Feature(f64),
    /// Within the loss only, by its own subgradient with steps $1/\sqrt t$: the objective is no
    /// longer strongly convex, and convergence slower.
    Subgradient,
    /// The minimiser of the loss of the drawn rows given $w$, in every step. Needs batches of
    /// many rows; at the end it is found on all rows.
    Inner,
    /// The heuristic of the authors' program: $b \leftarrow b + \tau\,\frac{\eta_t}k \sum_V \nu_i y_i$
    /// with this $\tau$.
    Rate(f64),
}

/// When to stop before the last step.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum Stop {
    /// Never.
    Never,
    /// When a single step moved $w$ by no more than this: the test as printed. It can fire by
    /// chance at a bad point.
    Step(f64),
    /// When the mean of $w$ over a pass ($n/k$ steps) moved by no more than this, relative to its
    /// norm. The answer is then that mean.
    Pass(f64),
}

/// A two-class problem on some rows.
#[derive(Debug, Clone, Copy)]
pub struct PegasosProblem<'a> {
    /// All rows.
    pub rows: &'a LinearRows<'a>,
    /// The rows that take part.
    pub members: &'a [u32],
    /// $y_i$, +1 or −1, of each member.
    pub signs: &'a [f64],
    /// $\nu_i \ge 0$ of each member; `None` for 1.
    pub row_weights: Option<&'a [f64]>,
    /// $\lambda > 0$.
    pub lambda: f64,
}

/// How to go about it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PegasosLimits {
    /// Rows drawn in a step.
    pub batch: usize,
    /// Largest number of steps.
    pub max_steps: u64,
    /// When to stop earlier.
    pub stop: Stop,
    /// How the intercept is learned.
    pub bias: Bias,
    /// Whether the intercept counts in the test of the margin. The printed algorithm leaves it
    /// out, which is only of use in order to reproduce it.
    pub bias_in_margin: bool,
    /// Seed of the draws.
    pub seed: u64,
}

/// What was found.
#[derive(Debug, Clone, PartialEq)]
pub struct PegasosSolution {
    /// $w$, one weight a feature.
    pub weights: Vec<f64>,
    /// What to add to $\langle w, x\rangle$.
    pub intercept: f64,
    /// Value of the objective.
    pub objective: f64,
    /// Steps done.
    pub steps: u64,
    /// Why it stopped: [`Status::IterationLimit`] if a test was wanted and never passed.
    pub status: Status,
}

impl PegasosProblem<'_> {
    fn row_weight(&self, t: usize) -> f64 {
        self.row_weights.map_or(1.0, |weights| weights[t])
    }

    /// Radius of the ball in which the solution lies.
    pub fn radius(&self) -> f64 {
        let n = self.members.len() as f64;
        let total: f64 = (0..self.members.len()).map(|t| self.row_weight(t)).sum();
        (total / (self.lambda * n)).sqrt()
    }

    /// Value of the objective; the intercept is not regularised here.
    pub fn objective(&self, weights: &[f64], intercept: f64) -> f64 {
        let mut padded = weights.to_vec();
        padded.resize(self.rows.width(), 0.0);
        let mut loss = 0.0;
        for (t, &row) in self.members.iter().enumerate() {
            let margin = self.signs[t] * (self.rows.dot(row as usize, &padded) + intercept);
            loss += self.row_weight(t) * (1.0 - margin).max(0.0);
        }
        0.5 * self.lambda * dot(weights, weights) + loss / self.members.len() as f64
    }
}

/// $w$ as a scale times a vector, with its norm and its sum over a pass.
struct Iterate<'a> {
    rows: &'a LinearRows<'a>,
    scale: f64,
    vector: Vec<f64>,
    /// Weight of the constant feature over the scale.
    constant: f64,
    /// Value of the constant feature.
    feature: f64,
    sq_norm: f64,
    /// Sum of the scales of this pass: its sum of $w$ is `scales · vector − missed`.
    scales: f64,
    missed: Vec<f64>,
    missed_constant: f64,
    averaging: bool,
}

impl<'a> Iterate<'a> {
    fn new(rows: &'a LinearRows<'a>, feature: f64, averaging: bool) -> Self {
        let width = rows.width();
        Self {
            rows,
            scale: 1.0,
            vector: vec![0.0; width],
            constant: 0.0,
            feature,
            sq_norm: 0.0,
            scales: 0.0,
            missed: vec![0.0; if averaging { width } else { 0 }],
            missed_constant: 0.0,
            averaging,
        }
    }

    fn dot(&self, row: usize) -> f64 {
        self.scale * (self.rows.dot(row, &self.vector) + self.constant * self.feature)
    }

    /// Multiplies $w$. A factor of 0 empties it.
    fn shrink(&mut self, factor: f64) {
        self.sq_norm *= factor * factor;
        self.scale *= factor;
        if self.scale.abs() < TINY_SCALE {
            self.fold();
        }
    }

    /// Multiplies the scale into the vector.
    fn fold(&mut self) {
        if self.averaging && self.scales != 0.0 {
            // What the pass has summed so far must not change.
            for (missed, v) in self.missed.iter_mut().zip(&self.vector) {
                *missed -= self.scales * v * (1.0 - self.scale);
            }
            self.missed_constant -= self.scales * self.constant * (1.0 - self.scale);
        }
        for v in &mut self.vector {
            *v *= self.scale;
        }
        self.constant *= self.scale;
        self.scale = 1.0;
    }

    /// $w \leftarrow w + a x$; `product` is $\langle w, x\rangle$ before.
    fn add(&mut self, row: usize, factor: f64, product: f64) {
        let sq_row = self.rows.sq_norm(row) + self.feature * self.feature;
        self.sq_norm += 2.0 * factor * product + factor * factor * sq_row;
        let inner = factor / self.scale;
        self.rows.add(row, inner, &mut self.vector);
        self.constant += inner * self.feature;
        if self.averaging {
            self.rows.add(row, inner * self.scales, &mut self.missed);
            self.missed_constant += inner * self.scales * self.feature;
        }
    }

    /// Counts the present $w$ in the mean of the pass.
    fn count(&mut self) {
        self.scales += self.scale;
    }

    /// The mean of a pass of so many steps, the constant feature last, and a new pass.
    fn take_mean(&mut self, steps: f64) -> Vec<f64> {
        let mut mean: Vec<f64> = self
            .vector
            .iter()
            .zip(&self.missed)
            .map(|(v, m)| (self.scales * v - m) / steps)
            .collect();
        mean.push((self.scales * self.constant - self.missed_constant) / steps);
        self.scales = 0.0;
        self.missed.fill(0.0);
        self.missed_constant = 0.0;
        self.fold();
        // Rounding of the running norm does not build up over passes.
        self.sq_norm = dot(&self.vector, &self.vector) + self.constant * self.constant;
        mean
    }
}

/// Runs the steps.
pub fn solve(problem: &PegasosProblem<'_>, limits: &PegasosLimits) -> PegasosSolution {
    let n = problem.members.len();
    let batch = limits.batch.max(1);
    let feature = match limits.bias {
        Bias::Feature(value) => value,
        _ => 0.0,
    };
    let averaging = matches!(limits.stop, Stop::Pass(_));
    let mut iterate = Iterate::new(problem.rows, feature, averaging);
    let mut generator = Generator::new(limits.seed);
    let radius = problem.radius();
    let pass = n.div_ceil(batch).max(1) as u64;
    let mut bias = 0.0;
    let mut bias_sum = 0.0;
    let mut mean: Option<(Vec<f64>, f64)> = None;
    let mut drawn: Vec<(usize, f64)> = Vec::with_capacity(batch);
    let mut status = match limits.stop {
        Stop::Never => Status::Converged,
        _ => Status::IterationLimit,
    };
    let mut steps = 0;
    while n > 0 && steps < limits.max_steps {
        steps += 1;
        let time = steps as f64;
        let eta = 1.0 / (problem.lambda * time);
        drawn.clear();
        for _ in 0..batch {
            let t = generator.below(n);
            drawn.push((t, iterate.dot(problem.members[t] as usize)));
        }
        if limits.bias == Bias::Inner {
            bias = best_bias(problem, &drawn);
        }
        let counted = if limits.bias_in_margin { bias } else { 0.0 };
        drawn.retain(|&(t, product)| problem.signs[t] * (product + counted) < 1.0);

        let before = iterate.sq_norm;
        let kept = 1.0 - 1.0 / time;
        iterate.shrink(kept);
        let mut inner = kept * before;
        let mut pull = 0.0;
        for (place, &(t, product)) in drawn.iter().enumerate() {
            let row = problem.members[t] as usize;
            let force = problem.row_weight(t) * problem.signs[t] / batch as f64;
            pull += force;
            // The first addition knows its inner product; later ones follow other additions.
            let now = if place == 0 {
                kept * product
            } else {
                iterate.dot(row)
            };
            iterate.add(row, eta * force, now);
            inner += eta * force * product;
        }
        let mut shrunk = 1.0;
        if iterate.sq_norm > radius * radius {
            shrunk = radius / iterate.sq_norm.sqrt();
            iterate.shrink(shrunk);
        }
        match limits.bias {
            Bias::Rate(tau) => bias += tau * eta * pull,
            Bias::Subgradient => bias += pull / time.sqrt(),
            _ => {}
        }
        match limits.stop {
            Stop::Step(tolerance) => {
                let moved = iterate.sq_norm - 2.0 * shrunk * inner + before;
                if steps > 1 && moved.max(0.0).sqrt() <= tolerance {
                    status = Status::Converged;
                    break;
                }
            }
            Stop::Pass(tolerance) => {
                iterate.count();
                bias_sum += bias;
                if steps % pass == 0 {
                    let now = iterate.take_mean(pass as f64);
                    let near = mean
                        .as_ref()
                        .is_some_and(|(last, _)| is_near(last, &now, tolerance));
                    mean = Some((now, bias_sum / pass as f64));
                    bias_sum = 0.0;
                    if near {
                        status = Status::Converged;
                        break;
                    }
                }
            }
            Stop::Never => {}
        }
    }
    if mean.is_none() {
        iterate.fold();
    }
    let last = (iterate.vector, iterate.constant);
    let (found, bias) = match mean {
        Some((mut weights, mean_bias)) => {
            let constant = weights.pop().unwrap_or(0.0);
            ((weights, constant), mean_bias)
        }
        None => (last, bias),
    };
    finish(problem, limits, found, bias, steps, status)
}

/// Puts the answer together.
fn finish(
    problem: &PegasosProblem<'_>,
    limits: &PegasosLimits,
    (mut weights, constant): (Vec<f64>, f64),
    mut bias: f64,
    steps: u64,
    status: Status,
) -> PegasosSolution {
    let n = problem.members.len();
    if limits.bias == Bias::Inner {
        let all: Vec<(usize, f64)> = (0..n)
            .map(|t| (t, problem.rows.dot(problem.members[t] as usize, &weights)))
            .collect();
        bias = best_bias(problem, &all);
    }
    let feature = match limits.bias {
        Bias::Feature(value) => value,
        _ => 0.0,
    };
    weights.truncate(problem.rows.n_features());
    let intercept = bias + constant * feature;
    let objective = if n == 0 {
        0.0
    } else {
        problem.objective(&weights, intercept) + 0.5 * problem.lambda * constant * constant
    };
    PegasosSolution {
        weights,
        intercept,
        objective,
        steps,
        status,
    }
}

fn is_near(last: &[f64], now: &[f64], tolerance: f64) -> bool {
    let moved: f64 = last.iter().zip(now).map(|(a, b)| (a - b) * (a - b)).sum();
    moved.sqrt() <= tolerance * dot(now, now).sqrt().max(f64::MIN_POSITIVE)
}

/// The intercept that minimises the loss of some rows whose $\langle w, x\rangle$ are given; the
/// middle of the interval if there is one.
fn best_bias(problem: &PegasosProblem<'_>, rows: &[(usize, f64)]) -> f64 {
    // The loss of a row has its kink where its margin is 1; its slope falls off there.
    let mut kinks: Vec<(f64, f64)> = rows
        .iter()
        .map(|&(t, product)| (problem.signs[t] - product, problem.row_weight(t)))
        .collect();
    kinks.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    // Left of all kinks every positive row pulls up, and no negative one pulls down.
    let pull_up = |&(t, _): &(usize, f64)| {
        if problem.signs[t] > 0.0 {
            problem.row_weight(t)
        } else {
            0.0
        }
    };
    let mut slope = -rows.iter().map(pull_up).sum::<f64>();
    for (place, &(at, weight)) in kinks.iter().enumerate() {
        slope += weight;
        // A slope that rounding alone keeps from 0 is 0.
        if slope >= -1e-12 * weight {
            let flat = slope <= 1e-12 * weight;
            let next = kinks.get(place + 1).map_or(at, |kink| kink.0);
            return if flat { f64::midpoint(at, next) } else { at };
        }
    }
    kinks.last().map_or(0.0, |kink| kink.0)
}
