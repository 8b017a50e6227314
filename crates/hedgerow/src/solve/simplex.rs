//! Convex quadratic programmes on the unit simplex with a factored matrix:
//! $$\min_w \tfrac12 w^\top H w - d^\top w \quad\text{subject to}\quad w \ge 0,\ \textstyle\sum_i w_i = 1,
//!   \qquad H = c\,(GG^\top + \rho I).$$
//!
//! A primal active-set method on the support of $w$: the minimum over the support has a closed
//! form, from a Cholesky factor of $H$ on the support that is updated when features come and go.
//! Few weights are positive at the optimum, so this needs a small part of $H$, which is never
//! formed. Candidates are taken from a working set of the rows that violate optimality most; all
//! rows are looked at only when the working set is exhausted.
//!
//! At the optimum $g = Hw - d$ equals $\mu$ where $w_i > 0$ and is at least $\mu$ elsewhere;
//! $\max_{w_j > 0} g_j - \min_i g_i$ bounds what the objective could still lose.

use crate::Status;
use crate::linalg::dot;
use crate::parallel::concat;

/// Rows that enter the working set at a time.
const WORKING: usize = 192;
/// Rows of one parallel task.
const CHUNK: usize = 256;

/// A programme on the simplex.
#[derive(Debug, Clone, Copy)]
pub struct SimplexProgram<'a> {
    /// $G$, row after row.
    pub factor: &'a [f64],
    /// Columns of $G$.
    pub rank: usize,
    /// $c > 0$.
    pub scale: f64,
    /// $\rho > 0$: makes the solution unique.
    pub ridge: f64,
    /// $d$.
    pub linear: &'a [f64],
    /// Largest violation of optimality that is accepted, relative to the largest entry of $d$ and
    /// of the diagonal of $H$.
    pub tolerance: f64,
}

/// A point of the simplex.
#[derive(Debug, Clone)]
pub struct SimplexSolution {
    /// The weights.
    pub weights: Vec<f64>,
    /// $\tfrac12 w^\top H w - d^\top w$.
    pub objective: f64,
    /// Bound on what the objective could still lose.
    pub gap: f64,
    /// Changes of the support.
    pub steps: usize,
    /// Whether the tolerance was reached.
    pub status: Status,
}

/// Solves a programme, beginning at the support of `start` if one is given.
pub fn minimize_on_simplex(program: &SimplexProgram<'_>, start: Option<&[f64]>) -> SimplexSolution {
    let n = program.linear.len();
    if n == 0 {
        return SimplexSolution {
            weights: Vec::new(),
            objective: 0.0,
            gap: 0.0,
            steps: 0,
            status: Status::Converged,
        };
    }
    let mut run = Run::new(program);
    if let Some(start) = start {
        for i in (0..n).filter(|&i| start[i] > 0.0) {
            run.enter(i, start[i]);
        }
    } else {
        let alone = |i: usize| 0.5 * run.diagonal[i] - program.linear[i];
        let first = (0..n)
            .min_by(|&i, &j| alone(i).total_cmp(&alone(j)))
            .unwrap_or(0);
        run.enter(first, 1.0);
    }
    run.solve()
}

struct Run<'a> {
    program: &'a SimplexProgram<'a>,
    diagonal: Vec<f64>,
    /// Absolute tolerance.
    tolerance: f64,
    support: Vec<usize>,
    in_support: Vec<bool>,
    weights: Vec<f64>,
    /// Rows of the Cholesky factor of $H$ on the support.
    lower: Vec<Vec<f64>>,
    steps: usize,
}

impl<'a> Run<'a> {
    fn new(program: &'a SimplexProgram<'a>) -> Self {
        let n = program.linear.len();
        let diagonal: Vec<f64> = concat(n, CHUNK, &|part| {
            let value = |i| {
                let row = row_of(program, i);
                program.scale * (dot(row, row) + program.ridge)
            };
            part.map(value).collect()
        });
        let largest = program
            .linear
            .iter()
            .chain(&diagonal)
            .fold(0.0f64, |m, value| m.max(value.abs()));
        Self {
            program,
            diagonal,
            tolerance: program.tolerance * largest,
            support: Vec::new(),
            in_support: vec![false; n],
            weights: Vec::new(),
            lower: Vec::new(),
            steps: 0,
        }
    }

    /// Puts a row into the support.
    fn enter(&mut self, i: usize, weight: f64) {
        let row = row_of(self.program, i);
        let mut new: Vec<f64> = Vec::with_capacity(self.support.len() + 1);
        for (at, &j) in self.support.iter().enumerate() {
            let entry = self.program.scale * dot(row, row_of(self.program, j));
            let known = dot(&self.lower[at][..at], &new[..at]);
            new.push((entry - known) / self.lower[at][at]);
        }
        // Rounding may eat the ridge of a row that depends on the others.
        let floor = 0.25 * self.program.scale * self.program.ridge;
        let rest = self.diagonal[i] - dot(&new, &new);
        new.push(rest.max(floor).max(f64::MIN_POSITIVE).sqrt());
        self.lower.push(new);
        self.support.push(i);
        self.in_support[i] = true;
        self.weights.push(weight);
    }

    /// Takes a row out of the support.
    fn leave(&mut self, at: usize) {
        let gone = self.support.remove(at);
        self.in_support[gone] = false;
        self.weights.remove(at);
        self.lower.remove(at);
        for k in at..self.lower.len() {
            // Row k now has k + 2 entries: turn the last two into one.
            let (a, b) = (self.lower[k][k], self.lower[k][k + 1]);
            let length = a.hypot(b);
            let (cosine, sine) = (a / length, b / length);
            for row in &mut self.lower[k..] {
                let (x, y) = (row[k], row[k + 1]);
                row[k] = cosine * x + sine * y;
                row[k + 1] = cosine * y - sine * x;
            }
            self.lower[k][k] = length;
            self.lower[k].truncate(k + 1);
        }
    }

    /// $H_{SS}^{-1} b$.
    fn solve_support(&self, b: &[f64]) -> Vec<f64> {
        let mut x = b.to_vec();
        for k in 0..x.len() {
            let known = dot(&self.lower[k][..k], &x[..k]);
            x[k] = (x[k] - known) / self.lower[k][k];
        }
        for k in (0..x.len()).rev() {
            x[k] /= self.lower[k][k];
            let value = x[k];
            for (rest, entry) in x[..k].iter_mut().zip(&self.lower[k]) {
                *rest -= value * entry;
            }
        }
        x
    }

    /// $G^\top w$.
    fn combination(&self, weights: &[f64]) -> Vec<f64> {
        let mut sum = vec![0.0; self.program.rank];
        for (&i, &weight) in self.support.iter().zip(weights) {
            for (sum, value) in sum.iter_mut().zip(row_of(self.program, i)) {
                *sum += weight * value;
            }
        }
        sum
    }

    /// $(Hw - d)_i$ with $v = G^\top w$ and the weight of $i$.
    fn gradient(&self, i: usize, v: &[f64], weight: f64) -> f64 {
        let product = dot(row_of(self.program, i), v);
        self.program.scale * (product + self.program.ridge * weight) - self.program.linear[i]
    }

    /// The minimum on the support without bounds, refined once; and $\mu$.
    fn minimum(&self) -> (Vec<f64>, f64) {
        let linear: Vec<f64> = self
            .support
            .iter()
            .map(|&i| self.program.linear[i])
            .collect();
        let ones = self.solve_support(&vec![1.0; linear.len()]);
        let total: f64 = ones.iter().sum();
        let particular = self.solve_support(&linear);
        let mut mu = (1.0 - particular.iter().sum::<f64>()) / total;
        let mut w: Vec<f64> = particular
            .iter()
            .zip(&ones)
            .map(|(p, o)| p + mu * o)
            .collect();
        // One step of refinement against what the factor lost.
        let v = self.combination(&w);
        let residual: Vec<f64> = self
            .support
            .iter()
            .zip(&w)
            .map(|(&i, &weight)| mu - self.gradient(i, &v, weight))
            .collect();
        let correction = self.solve_support(&residual);
        let missing = 1.0 - w.iter().sum::<f64>();
        let shift = (missing - correction.iter().sum::<f64>()) / total;
        for ((w, c), o) in w.iter_mut().zip(&correction).zip(&ones) {
            *w += c + shift * o;
        }
        mu += shift;
        (w, mu)
    }

    /// Moves to the minimum on the support, dropping rows whose weight would become negative.
    fn descend(&mut self) -> f64 {
        loop {
            let (target, mu) = self.minimum();
            let mut step = 1.0;
            let mut blocking = None;
            for (at, (&w, &t)) in self.weights.iter().zip(&target).enumerate() {
                if t <= 0.0 && self.support.len() > 1 {
                    let reach = if w > t { w / (w - t) } else { 0.0 };
                    if reach < step || blocking.is_none() {
                        step = reach.min(step);
                        blocking = Some(at);
                    }
                }
            }
            let Some(at) = blocking else {
                self.weights = target;
                return mu;
            };
            for (w, t) in self.weights.iter_mut().zip(&target) {
                *w = (*w + step * (t - *w)).max(0.0);
            }
            self.leave(at);
            self.steps += 1;
        }
    }

    /// Gradients of all rows.
    fn gradients(&self) -> Vec<f64> {
        let v = self.combination(&self.weights);
        let mut full = vec![0.0; self.in_support.len()];
        for (&i, &weight) in self.support.iter().zip(&self.weights) {
            full[i] = weight;
        }
        concat(full.len(), CHUNK, &|part| {
            part.map(|i| self.gradient(i, &v, full[i])).collect()
        })
    }

    fn solve(mut self) -> SimplexSolution {
        let n = self.in_support.len();
        let limit = 20 * n + 1000;
        let mut mu = self.descend();
        let mut status = Status::Converged;
        let gradients = loop {
            let gradients = self.gradients();
            let mut violating: Vec<usize> = (0..n)
                .filter(|&i| !self.in_support[i] && gradients[i] < mu - self.tolerance)
                .collect();
            if violating.is_empty() {
                break gradients;
            }
            if self.steps > limit {
                status = Status::IterationLimit;
                break gradients;
            }
            let order =
                |&i: &usize, &j: &usize| gradients[i].total_cmp(&gradients[j]).then(i.cmp(&j));
            if violating.len() > WORKING {
                violating.select_nth_unstable_by(WORKING, order);
                violating.truncate(WORKING);
            }
            violating.sort_unstable_by(order);
            let before = self.steps;
            self.exhaust(&violating, &mut mu, limit);
            if self.steps == before {
                // Nothing could be gained any more: rounding has the last word.
                break self.gradients();
            }
        };
        let mut weights = vec![0.0; n];
        for (&i, &weight) in self.support.iter().zip(&self.weights) {
            weights[i] = weight;
        }
        let linear: f64 = self
            .program
            .linear
            .iter()
            .zip(&weights)
            .map(|(d, w)| d * w)
            .sum();
        let product: f64 = gradients.iter().zip(&weights).map(|(g, w)| g * w).sum();
        let low = gradients.iter().copied().fold(f64::INFINITY, f64::min);
        let high = self
            .support
            .iter()
            .map(|&i| gradients[i])
            .fold(f64::NEG_INFINITY, f64::max);
        SimplexSolution {
            weights,
            objective: 0.5 * (product - linear),
            gap: (high - low).max(0.0),
            steps: self.steps,
            status,
        }
    }

    /// Optimises over the support and a few more rows.
    fn exhaust(&mut self, working: &[usize], mu: &mut f64, limit: usize) {
        let mut banned = vec![false; working.len()];
        loop {
            let v = self.combination(&self.weights);
            let mut best: Option<(usize, f64)> = None;
            for (at, &i) in working.iter().enumerate() {
                if self.in_support[i] || banned[at] {
                    continue;
                }
                let gradient = self.gradient(i, &v, 0.0);
                if gradient < *mu - self.tolerance && best.is_none_or(|(_, g)| gradient < g) {
                    best = Some((at, gradient));
                }
            }
            let Some((at, _)) = best else {
                return;
            };
            if self.steps > limit {
                return;
            }
            self.enter(working[at], 0.0);
            self.steps += 1;
            *mu = self.descend();
            if !self.in_support[working[at]] {
                // It went out again at once: rounding, not progress.
                banned[at] = true;
            }
        }
    }
}

fn row_of<'a>(program: &SimplexProgram<'a>, i: usize) -> &'a [f64] {
    &program.factor[i * program.rank..(i + 1) * program.rank]
}
