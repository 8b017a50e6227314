//! Strictly convex quadratic programmes by the dual active-set method of Goldfarb and Idnani
//! (Mathematical Programming 27, 1983):
//! $$\min_x \tfrac12 x^\top D x - d^\top x \quad\text{subject to}\quad
//!   a_i^\top x = b_i \; (i < \text{equalities}),\quad a_i^\top x \ge b_i \text{ otherwise.}$$
//!
//! The method starts from the unconstrained minimum and adds one violated constraint after the
//! other, keeping all multipliers of inequalities non-negative on the way.
//!
//! | paper | here |
//! |---|---|
//! | $G$, $-a$ | `hessian`, `linear` |
//! | $J = L^{-\top}Q$ | `basis`, columns one after the other |
//! | $R$ | `triangle`, columns one after the other |
//! | $A$, $u$ | `active`, `multipliers` |
//! | $z$, $r$ | `primal_direction`, `dual_direction` |
//! | $n^+$ | `normal` |

use crate::linalg::dot;
use crate::parallel::concat;

/// The matrix $D$ of the quadratic term: symmetric and positive definite.
#[derive(Debug, Clone, Copy)]
pub enum Hessian<'a> {
    /// Only the diagonal is not zero.
    Diagonal(&'a [f64]),
    /// Row after row.
    Dense(&'a [f64]),
}

/// A quadratic programme.
#[derive(Debug, Clone, Copy)]
pub struct QuadraticProgram<'a> {
    /// $D$.
    pub hessian: Hessian<'a>,
    /// $d$.
    pub linear: &'a [f64],
    /// The $a_i$, one after the other; equalities first.
    pub normals: &'a [f64],
    /// The $b_i$.
    pub bounds: &'a [f64],
    /// Number of equalities.
    pub equalities: usize,
}

/// How a programme ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProgramStatus {
    /// The minimum was found.
    Solved,
    /// No point satisfies all constraints.
    Infeasible,
    /// The matrix is not positive definite.
    NotConvex,
    /// The limit of steps came first.
    IterationLimit,
}

/// The end of a programme.
#[derive(Debug, Clone)]
pub struct ProgramSolution {
    /// The variables.
    pub x: Vec<f64>,
    /// A multiplier for every constraint, 0 if it is not active.
    pub multipliers: Vec<f64>,
    /// Constraints that were added or dropped.
    pub steps: usize,
    /// How it ended.
    pub status: ProgramStatus,
}

/// Relative size of the part of a normal outside the active ones that counts as nothing.
const DEPENDENT: f64 = 1e-14;
/// Steps after which the point is computed afresh from the active set.
const REFRESH: usize = 200;
/// Products in the constraints that are worth several threads.
const PARALLEL: usize = 1 << 17;

/// Solves a programme.
pub fn goldfarb_idnani(program: &QuadraticProgram<'_>) -> ProgramSolution {
    let n = program.linear.len();
    let count = program.bounds.len();
    // The minimum does not move when the objective is scaled; tolerances get a meaning.
    let largest = match program.hessian {
        Hessian::Diagonal(values) | Hessian::Dense(values) => values,
    }
    .iter()
    .chain(program.linear)
    .fold(0.0f64, |largest, value| largest.max(value.abs()));
    let scale = if largest > 0.0 { 1.0 / largest } else { 1.0 };
    let Some(basis) = initial_basis(program.hessian, n, scale) else {
        return ProgramSolution {
            x: vec![0.0; n],
            multipliers: vec![0.0; count],
            steps: 0,
            status: ProgramStatus::NotConvex,
        };
    };
    let mut run = Run {
        program,
        n,
        linear: program.linear.iter().map(|value| value * scale).collect(),
        norms: program
            .normals
            .chunks_exact(n.max(1))
            .map(|normal| dot(normal, normal).sqrt())
            .collect(),
        basis,
        triangle: Vec::new(),
        active: Vec::new(),
        flipped: vec![false; count],
        is_active: vec![false; count],
        multipliers: Vec::new(),
        x: Vec::new(),
        steps: 0,
    };
    run.refresh();
    let status = run.solve();
    if status == ProgramStatus::Solved {
        run.refresh();
    }
    let mut multipliers = vec![0.0; count];
    for (&i, &u) in run.active.iter().zip(&run.multipliers) {
        multipliers[i] = if run.flipped[i] { -u } else { u } / scale;
    }
    ProgramSolution {
        x: run.x,
        multipliers,
        steps: run.steps,
        status,
    }
}

/// Columns of $L^{-\top}$ with $D = LL^\top$, scaled; `None` unless $D$ is positive definite.
fn initial_basis(hessian: Hessian<'_>, n: usize, scale: f64) -> Option<Vec<f64>> {
    let mut basis = vec![0.0; n * n];
    match hessian {
        Hessian::Diagonal(values) => {
            for (i, &value) in values.iter().enumerate() {
                if !(value > 0.0 && value.is_finite()) {
                    return None;
                }
                basis[i * n + i] = 1.0 / (value * scale).sqrt();
            }
        }
        Hessian::Dense(values) => {
            let mut lower: Vec<f64> = values.iter().map(|value| value * scale).collect();
            for i in 0..n {
                for j in 0..=i {
                    let (row_i, row_j) = (&lower[i * n..i * n + j], &lower[j * n..j * n + j]);
                    let rest = lower[i * n + j] - dot(row_i, row_j);
                    if i == j {
                        if !(rest > 0.0 && rest.is_finite()) {
                            return None;
                        }
                        lower[i * n + i] = rest.sqrt();
                    } else {
                        lower[i * n + j] = rest / lower[j * n + j];
                    }
                }
            }
            // Row c of L^{-1} is column c of L^{-T}.
            for c in 0..n {
                for i in c..n {
                    let known = if i == c { 1.0 } else { 0.0 };
                    let sum: f64 = (c..i).map(|k| lower[i * n + k] * basis[k * n + c]).sum();
                    basis[i * n + c] = (known - sum) / lower[i * n + i];
                }
            }
        }
    }
    Some(basis)
}

struct Run<'a> {
    program: &'a QuadraticProgram<'a>,
    n: usize,
    linear: Vec<f64>,
    norms: Vec<f64>,
    basis: Vec<f64>,
    /// Column `c` has `c + 1` entries.
    triangle: Vec<Vec<f64>>,
    active: Vec<usize>,
    flipped: Vec<bool>,
    is_active: Vec<bool>,
    multipliers: Vec<f64>,
    x: Vec<f64>,
    steps: usize,
}

impl Run<'_> {
    fn normal(&self, i: usize) -> &[f64] {
        &self.program.normals[i * self.n..(i + 1) * self.n]
    }

    fn column(&self, c: usize) -> &[f64] {
        &self.basis[c * self.n..(c + 1) * self.n]
    }

    fn slack(&self, i: usize) -> f64 {
        dot(self.normal(i), &self.x) - self.program.bounds[i]
    }

    /// Slacks of all constraints, relative to the length of their normals.
    fn slacks(&self) -> Vec<f64> {
        let slack = |i: usize| {
            if self.norms[i] > 0.0 {
                self.slack(i) / self.norms[i]
            } else {
                -self.program.bounds[i]
            }
        };
        let count = self.norms.len();
        if count * self.n >= PARALLEL {
            concat(count, 64, &|part| part.map(slack).collect())
        } else {
            (0..count).map(slack).collect()
        }
    }

    fn tolerance(&self) -> f64 {
        let largest = self.x.iter().fold(1.0f64, |m, value| m.max(value.abs()));
        1e-12 * largest
    }

    /// The violated constraint to add next.
    fn most_violated(&self) -> Option<usize> {
        let tolerance = self.tolerance();
        let slacks = self.slacks();
        let open = |i: &usize| !self.is_active[*i];
        let equality = (0..self.program.equalities)
            .filter(open)
            .find(|&i| slacks[i].abs() > tolerance);
        equality.or_else(|| {
            (self.program.equalities..slacks.len())
                .filter(open)
                .min_by(|&i, &j| slacks[i].total_cmp(&slacks[j]))
                .filter(|&i| slacks[i] < -tolerance)
        })
    }

    fn solve(&mut self) -> ProgramStatus {
        let limit = 10 * (self.norms.len() + self.n) + 100;
        let mut refreshed = 0;
        while let Some(p) = self.most_violated() {
            if self.steps > limit {
                return ProgramStatus::IterationLimit;
            }
            if self.norms[p] == 0.0 || !self.add(p, limit) {
                return ProgramStatus::Infeasible;
            }
            if self.steps > refreshed + REFRESH {
                self.refresh();
                refreshed = self.steps;
            }
        }
        ProgramStatus::Solved
    }

    /// Makes constraint `p` active, dropping others on the way; false if nothing satisfies it.
    fn add(&mut self, p: usize, limit: usize) -> bool {
        let mut slack = self.slack(p);
        let mut normal = self.normal(p).to_vec();
        self.flipped[p] = slack > 0.0;
        if slack > 0.0 {
            // An equality from the other side.
            for value in &mut normal {
                *value = -*value;
            }
            slack = -slack;
        }
        let mut multiplier = 0.0;
        loop {
            self.steps += 1;
            if self.steps > 2 * limit {
                return false;
            }
            let held = self.active.len();
            let products: Vec<f64> = (0..self.n).map(|c| dot(self.column(c), &normal)).collect();
            let free: f64 = products[held..].iter().map(|h| h * h).sum();
            let all: f64 = free + products[..held].iter().map(|h| h * h).sum::<f64>();
            let dual_direction = self.solve_triangle(&products[..held]);
            // How far until a multiplier vanishes.
            let mut blocking = None;
            let mut dual_step = f64::INFINITY;
            for (at, &r) in dual_direction.iter().enumerate() {
                if r > 0.0 && self.active[at] >= self.program.equalities {
                    let step = self.multipliers[at] / r;
                    if step < dual_step {
                        dual_step = step;
                        blocking = Some(at);
                    }
                }
            }
            let primal_step = if free > DEPENDENT * all {
                -slack / free
            } else {
                f64::INFINITY
            };
            let step = dual_step.min(primal_step);
            if !step.is_finite() {
                return false;
            }
            for (u, r) in self.multipliers.iter_mut().zip(&dual_direction) {
                *u -= step * r;
            }
            multiplier += step;
            if primal_step.is_finite() {
                for c in held..self.n {
                    let factor = step * products[c];
                    let column = &self.basis[c * self.n..(c + 1) * self.n];
                    for (x, value) in self.x.iter_mut().zip(column) {
                        *x += factor * value;
                    }
                }
                slack += step * free;
            }
            if primal_step <= dual_step {
                self.append(p, products, multiplier);
                return true;
            }
            if let Some(at) = blocking {
                self.drop_active(at);
            }
        }
    }

    /// $R^{-1} h$.
    fn solve_triangle(&self, h: &[f64]) -> Vec<f64> {
        let mut r = h.to_vec();
        for c in (0..r.len()).rev() {
            let column = &self.triangle[c];
            r[c] /= column[c];
            let value = r[c];
            for (rest, entry) in r[..c].iter_mut().zip(column) {
                *rest -= value * entry;
            }
        }
        r
    }

    /// Rotates the free columns so that the new normal meets only the first of them.
    fn append(&mut self, p: usize, mut products: Vec<f64>, multiplier: f64) {
        let held = self.active.len();
        for c in (held + 1..self.n).rev() {
            let (cosine, sine, length) = rotation(products[c - 1], products[c]);
            if sine != 0.0 {
                self.rotate_columns(c - 1, cosine, sine);
            }
            products[c - 1] = length;
        }
        products.truncate(held + 1);
        self.triangle.push(products);
        self.active.push(p);
        self.is_active[p] = true;
        self.multipliers.push(multiplier);
    }

    /// Turns columns `c` and `c + 1` of the basis.
    fn rotate_columns(&mut self, c: usize, cosine: f64, sine: f64) {
        let n = self.n;
        let (first, second) = self.basis[c * n..(c + 2) * n].split_at_mut(n);
        for (a, b) in first.iter_mut().zip(second) {
            let (x, y) = (*a, *b);
            *a = cosine * x + sine * y;
            *b = cosine * y - sine * x;
        }
    }

    fn drop_active(&mut self, at: usize) {
        let gone = self.active.remove(at);
        self.is_active[gone] = false;
        self.flipped[gone] = false;
        self.multipliers.remove(at);
        self.triangle.remove(at);
        for c in at..self.triangle.len() {
            let (cosine, sine, length) = rotation(self.triangle[c][c], self.triangle[c][c + 1]);
            if sine != 0.0 {
                self.rotate_columns(c, cosine, sine);
                for column in &mut self.triangle[c + 1..] {
                    let (x, y) = (column[c], column[c + 1]);
                    column[c] = cosine * x + sine * y;
                    column[c + 1] = cosine * y - sine * x;
                }
            }
            self.triangle[c][c] = length;
            self.triangle[c].truncate(c + 1);
        }
    }

    /// The point and the multipliers that the active set implies:
    /// $x = J_2J_2^\top d + J_1 R^{-\top} b$, $u = R^{-1}(R^{-\top} b - J_1^\top d)$.
    fn refresh(&mut self) {
        let held = self.active.len();
        let mut inner = vec![0.0; held];
        for c in 0..held {
            let i = self.active[c];
            let sign = if self.flipped[i] { -1.0 } else { 1.0 };
            let bound = sign * self.program.bounds[i];
            let known: f64 = dot(&self.triangle[c][..c], &inner[..c]);
            inner[c] = (bound - known) / self.triangle[c][c];
        }
        let mut x = vec![0.0; self.n];
        let mut differences = Vec::with_capacity(held);
        for c in 0..self.n {
            let product = dot(self.column(c), &self.linear);
            let factor = if c < held {
                differences.push(inner[c] - product);
                inner[c]
            } else {
                product
            };
            for (x, value) in x.iter_mut().zip(self.column(c)) {
                *x += factor * value;
            }
        }
        self.x = x;
        self.multipliers = self.solve_triangle(&differences);
        // A multiplier that rounding made negative is none.
        for (u, &i) in self.multipliers.iter_mut().zip(&self.active) {
            if i >= self.program.equalities {
                *u = u.max(0.0);
            }
        }
    }
}

/// Cosine and sine that turn `(a, b)` into `(length, 0)`.
fn rotation(a: f64, b: f64) -> (f64, f64, f64) {
    if b == 0.0 {
        return (1.0, 0.0, a);
    }
    let length = a.hypot(b);
    (a / length, b / length, length)
}
