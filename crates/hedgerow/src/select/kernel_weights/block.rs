//! The weights at fixed coefficients, with the margin: value, gradient and products with the Hessian.
//!
//! $$\Psi(z, \lambda) = \frac{Q}{2\lambda^2} + C\sum_i \ell_\varepsilon(t_i) + \mu\sum_l z_l, \qquad
//!   t_i = y_i f_i / \lambda,$$
//!
//! with $Q = \beta^\top K(z)\beta$ (AO-I) or frozen (AO-II). With $\varphi$ and $c$ of the kernel and
//! $a_i = \tfrac{C}{\lambda}\ell'(t_i) y_i$ (and $+ \beta_i/2\lambda^2$ where $Q$ is not frozen),
//! $p_l = \sum_{ij} a_i\beta_j\varphi'_{ij} c_{ijl}$ gives $\partial\Psi/\partial z_l = 2 z_l p_l + \mu$.
//! Along $v$, with $D_{ij} = \sum_l 2 z_l v_l c_{ijl}$, the matrix $a_i\beta_j\varphi'_{ij}$ changes by
//! $\beta_j(a_i\varphi''_{ij}D_{ij} + \dot a_i\varphi'_{ij})$: two matrix products give a product with
//! the Hessian, in $O(n^2 d)$. Sums over $c$ need no differences of rows:
//! $\sum_{ij} W_{ij}(x_{il} - x_{jl})^2 = \sum_i r_i x_{il}^2 + \sum_j s_j x_{jl}^2
//! - 2 x_l^\top W x_l$ with the sums $r$, $s$ of rows and columns of $W$.
//!
//! Features of weight 0, rows of the basis with $\beta_j = 0$ and rows with $a_i = 0$ are left out.
//! In $d = z^2$ the derivative is $p_l + \mu$, and features of weight 0 count too.

use super::hinge::smoothed_hinge;
use super::kernel::{BLOCK_ROWS, Points, WeightedKernel, squared_norms};
use super::machine::{Losses, Machine};
use super::sample::sample;
use super::sums::{add, subtract_squares};
use crate::linalg::{dot, product, product_transposed};
use crate::parallel::{Grain, for_each, map};
use crate::solve::smooth::Smooth;

/// What stands for the norm of the machine.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Norm {
    /// $\beta^\top K(z) \beta$.
    Live,
    /// This value.
    Frozen(f64),
}

/// What is penalised, and so the variables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub enum Penalised {
    /// The weights $z$. The default: a weight that fell to 0 stays there.
    #[default]
    Weights,
    /// Their squares: features come back by themselves.
    Squares,
}

/// What does not change while weights are sought.
#[derive(Debug, Clone, Copy)]
pub(super) struct Problem<'a> {
    pub(super) points: &'a Points,
    pub(super) losses: Losses<'a>,
    pub(super) kernel: WeightedKernel,
    pub(super) mu: f64,
    pub(super) penalised: Penalised,
}

impl Problem<'_> {
    /// $z$ of variables.
    pub(super) fn weight(&self, variable: f64) -> f64 {
        match self.penalised {
            Penalised::Weights => variable,
            Penalised::Squares => variable.max(0.0).sqrt(),
        }
    }

    /// $\partial z_l^2$ by the variable.
    fn rate(&self, variable: f64) -> f64 {
        match self.penalised {
            Penalised::Weights => 2.0 * variable,
            Penalised::Squares => 1.0,
        }
    }

    /// Features on whose weight the kernel depends to first order.
    pub(super) fn active(&self, variables: &[f64]) -> Vec<u32> {
        let counts = |&f: &u32| match self.penalised {
            Penalised::Weights => variables[f as usize] > 0.0,
            Penalised::Squares => true,
        };
        (0..variables.len() as u32).filter(counts).collect()
    }
}

/// The function of weights and margin at fixed coefficients.
pub(super) struct FeatureBlock<'a> {
    pub(super) problem: Problem<'a>,
    pub(super) machine: &'a Machine,
    /// $\beta$ of every row.
    by_row: Vec<f64>,
    norm: Norm,
    /// Whether the margin is a variable, the last.
    with_margin: bool,
    /// Of many rows those that products with the Hessian are made of, and how many times more there
    /// are.
    sample: Option<(Vec<bool>, f64)>,
    trial: Place,
    pub(super) base: Place,
}

/// All that is known at one point.
#[derive(Debug, Clone, Default)]
pub(super) struct Place {
    pub(super) value: f64,
    pub(super) margin: f64,
    pub(super) active: Vec<u32>,
    /// Weight, and the derivative of its square, of active features.
    pub(super) weights: Vec<f64>,
    pub(super) rates: Vec<f64>,
    /// Active features of all rows and of the basis.
    pub(super) rows: Vec<f64>,
    pub(super) basis: Vec<f64>,
    /// What is held of all rows with the basis.
    pub(super) held: Vec<f64>,
    /// $f_i$.
    pub(super) decisions: Vec<f64>,
    /// $p_l$.
    pub(super) sums: Vec<f64>,
    /// $\beta^\top K\beta$.
    pub(super) norm: f64,
    /// $\sum \ell'(t_i) t_i$.
    slope_sum: f64,
}

/// What a block of rows adds.
#[derive(Default)]
struct Part {
    loss: f64,
    slope_sum: f64,
    norm: f64,
    decisions: Vec<f64>,
    sums: Vec<f64>,
    column_sums: Vec<f64>,
}

/// What a block of rows adds to a product with the Hessian.
struct ProductPart {
    sums: Vec<f64>,
    column_sums: Vec<f64>,
    /// $\sum (\ell'' t + \ell')\dot t$.
    bent: f64,
    /// Change of $Q$.
    norm: f64,
}

impl<'a> FeatureBlock<'a> {
    pub(super) fn new(
        problem: Problem<'a>,
        machine: &'a Machine,
        norm: Norm,
        with_margin: bool,
    ) -> Self {
        Self {
            by_row: machine.by_row(problem.points.n),
            problem,
            machine,
            norm,
            with_margin,
            sample: sample(problem.points.n),
            trial: Place::default(),
            base: Place::default(),
        }
    }

    pub(super) fn margin(&self) -> f64 {
        self.base.margin
    }

    pub(super) fn has_margin(&self) -> bool {
        self.with_margin
    }

    pub(super) fn norm_kind(&self) -> Norm {
        self.norm
    }

    /// $\beta_i$ of a row, 0 outside the basis.
    pub(super) fn coefficient_of(&self, row: usize) -> f64 {
        self.by_row[row]
    }

    fn split<'b>(&self, variables: &'b [f64]) -> (&'b [f64], f64) {
        if self.with_margin {
            let (weights, margin) = variables.split_at(variables.len() - 1);
            (weights, margin[0])
        } else {
            (variables, 1.0)
        }
    }

    /// $t$, $\ell$, $\ell'$, $\ell''$ and $a$ of a row.
    pub(super) fn row_terms(
        &self,
        i: usize,
        decision: f64,
        margin: f64,
    ) -> (f64, f64, f64, f64, f64) {
        let losses = &self.problem.losses;
        let t = losses.signs[i] * decision / margin;
        let (loss, slope, bend) = smoothed_hinge(t, losses.epsilon);
        let mut a = losses.cost / margin * slope * losses.signs[i];
        if self.norm == Norm::Live {
            a += self.by_row[i] / (2.0 * margin * margin);
        }
        (t, loss, slope, bend, a)
    }

    /// Computes everything at a point.
    fn visit(&self, variables: &[f64], place: &mut Place) {
        let (weights, margin) = self.split(variables);
        let points = self.problem.points;
        let variables = weights;
        place.margin = margin;
        place.active = self.problem.active(weights);
        let pick = |of: &dyn Fn(f64) -> f64| -> Vec<f64> {
            place
                .active
                .iter()
                .map(|&f| of(weights[f as usize]))
                .collect()
        };
        let rates = pick(&|v| self.problem.rate(v));
        let weights = pick(&|v| self.problem.weight(v));
        place.rows = points.gather(0..points.n, &place.active, None);
        let basis = || self.machine.basis.iter().copied();
        place.basis = points.gather(basis(), &place.active, None);
        let weighted = points.gather(basis(), &place.active, Some(&weights));
        let (width, m) = (place.active.len(), self.machine.basis.len());
        let norms = if width == 0 {
            vec![0.0; m]
        } else {
            squared_norms(&weighted, width)
        };
        place.weights = weights;
        place.rates = rates;
        place.held.resize(points.n * m, 0.0);
        let mut parts: Vec<Part> = Vec::new();
        parts.resize_with(points.n.div_ceil(BLOCK_ROWS), Part::default);
        let mut held = std::mem::take(&mut place.held);
        let seen = &*place;
        let tasks = held.chunks_mut(BLOCK_ROWS * m).zip(&mut parts);
        for_each(tasks, Grain::COARSE, &|block, (held, part)| {
            *part = self.visit_rows(seen, block * BLOCK_ROWS, (&weighted, &norms), held);
        });
        place.held = held;
        self.sum_up(variables, place, parts);
    }

    fn sum_up(&self, variables: &[f64], place: &mut Place, parts: Vec<Part>) {
        let width = place.active.len();
        let mut loss = 0.0;
        (place.norm, place.slope_sum) = (0.0, 0.0);
        place.decisions.clear();
        place.sums = vec![0.0; width];
        let mut column_sums = vec![0.0; self.machine.basis.len()];
        for part in parts {
            loss += part.loss;
            place.norm += part.norm;
            place.slope_sum += part.slope_sum;
            place.decisions.extend(part.decisions);
            add(&mut place.sums, &part.sums);
            add(&mut column_sums, &part.column_sums);
        }
        if self.problem.kernel.is_gaussian() {
            subtract_squares(&mut place.sums, &place.basis, &column_sums);
        }
        let norm = match self.norm {
            Norm::Live => place.norm,
            Norm::Frozen(norm) => norm,
        };
        place.value = norm / (2.0 * place.margin * place.margin)
            + self.problem.losses.cost * loss
            + self.problem.mu * variables.iter().sum::<f64>();
    }

    fn visit_rows(
        &self,
        place: &Place,
        first: usize,
        (weighted, norms): (&[f64], &[f64]),
        held: &mut [f64],
    ) -> Part {
        let (width, m) = (place.active.len(), norms.len());
        let count = held.len() / m;
        let kernel = &self.problem.kernel;
        let raw = &place.rows[first * width..(first + count) * width];
        let mut rows = raw.to_vec();
        for row in rows.chunks_exact_mut(width.max(1)) {
            for (value, weight) in row.iter_mut().zip(&place.weights) {
                *value *= weight;
            }
        }
        kernel.hold(&rows, weighted, norms, width, held);
        let mut part = Part {
            column_sums: vec![0.0; m],
            ..Part::default()
        };
        let (mut members, mut matrix, mut row_sums) = (Vec::new(), Vec::new(), Vec::new());
        let beta = &self.machine.coefficients;
        let mut values = vec![0.0; m];
        for (k, held) in held.chunks_exact(m).enumerate() {
            let i = first + k;
            let output = if matches!(kernel, WeightedKernel::Polynomial { .. }) {
                for (value, &held) in values.iter_mut().zip(held) {
                    *value = kernel.value(held);
                }
                dot(&values, beta)
            } else {
                dot(held, beta)
            };
            let decision = output + self.machine.bias;
            part.decisions.push(decision);
            let (t, loss, slope, _, a) = self.row_terms(i, decision, place.margin);
            part.loss += loss;
            part.slope_sum += slope * t;
            part.norm += self.by_row[i] * output;
            if a != 0.0 {
                members.push(k);
                row_sums.push(self.push_row(held, a, &mut matrix, &mut part.column_sums));
            }
        }
        part.sums = self.contract(&matrix, &row_sums, &members, raw, &place.basis, width);
        part
    }

    /// Appends a row $a\beta_j\varphi'_j$ and adds it to sums of columns; returns its sum.
    fn push_row(&self, held: &[f64], a: f64, matrix: &mut Vec<f64>, sums: &mut [f64]) -> f64 {
        let from = matrix.len();
        let terms = held.iter().zip(&self.machine.coefficients);
        let kernel = &self.problem.kernel;
        if kernel.is_gaussian() {
            matrix.extend(terms.map(|(held, beta)| a * beta * held));
        } else {
            matrix.extend(terms.map(|(held, beta)| a * beta * kernel.slope(*held)));
        }
        let mut sum = 0.0;
        for (total, value) in sums.iter_mut().zip(&matrix[from..]) {
            *total += value;
            sum += value;
        }
        sum
    }

    /// What rows of a matrix $W$ add to $\sum_{ij} W_{ij} c_{ijl}$, but for the squares of the basis.
    pub(super) fn contract(
        &self,
        matrix: &[f64],
        row_sums: &[f64],
        members: &[usize],
        raw: &[f64],
        basis: &[f64],
        width: usize,
    ) -> Vec<f64> {
        let m = self.machine.basis.len();
        let mut sums = vec![0.0; width];
        if width == 0 || members.is_empty() {
            return sums;
        }
        let mut products = vec![0.0; members.len() * width];
        product(matrix, basis, m, width, &mut products);
        let gaussian = self.problem.kernel.is_gaussian();
        for ((&k, products), row_sum) in members
            .iter()
            .zip(products.chunks_exact(width))
            .zip(row_sums)
        {
            let row = &raw[k * width..(k + 1) * width];
            for ((sum, x), product) in sums.iter_mut().zip(row).zip(products) {
                *sum += if gaussian {
                    x * (2.0 * product - row_sum * x)
                } else {
                    x * product
                };
            }
        }
        sums
    }

    fn write_gradient(&self, place: &Place, gradient: &mut [f64]) {
        let margin = place.margin;
        gradient.fill(self.problem.mu);
        for ((&f, rate), sum) in place.active.iter().zip(&place.rates).zip(&place.sums) {
            gradient[f as usize] += rate * sum;
        }
        if self.with_margin {
            let norm = self.norm_of(place);
            let last = gradient.len() - 1;
            gradient[last] =
                -norm / margin.powi(3) - self.problem.losses.cost / margin * place.slope_sum;
        }
    }

    pub(super) fn norm_of(&self, place: &Place) -> f64 {
        match self.norm {
            Norm::Live => place.norm,
            Norm::Frozen(norm) => norm,
        }
    }

    /// What some rows add to the product of the Hessian with changes of $z_l^2$ (`turns`) and of the
    /// margin.
    fn product_rows(
        &self,
        first: usize,
        turns: &[f64],
        basis_turn: &[f64],
        by: f64,
    ) -> ProductPart {
        let place = &self.base;
        let (width, m) = (place.active.len(), self.machine.basis.len());
        let last = self.problem.points.n.min(first + BLOCK_ROWS);
        let (margin, losses) = (place.margin, &self.problem.losses);
        let mut part = ProductPart {
            sums: Vec::new(),
            column_sums: vec![0.0; m],
            bent: 0.0,
            norm: 0.0,
        };
        let terms: Vec<_> = (first..last)
            .map(|i| self.row_terms(i, place.decisions[i], margin))
            .collect();
        let members: Vec<usize> = (0..last - first)
            .filter(|&k| {
                let sampled = self.sample.as_ref().is_none_or(|(rows, _)| rows[first + k]);
                let in_norm = self.norm == Norm::Live && self.by_row[first + k] != 0.0;
                sampled && (terms[k].4 != 0.0 || terms[k].3 != 0.0 || in_norm)
            })
            .collect();
        if members.is_empty() {
            part.sums = vec![0.0; width];
            return part;
        }
        let raw = &place.rows[first * width..last * width];
        let (tile, row_turn) = self.turned_tile(&members, raw, turns);
        let kernel = &self.problem.kernel;
        let gaussian = kernel.is_gaussian();
        let beta = &self.machine.coefficients;
        let mut matrix = vec![0.0; members.len() * m];
        let mut row_sums = Vec::with_capacity(members.len());
        let mut moved = vec![0.0; m];
        for (at, &k) in members.iter().enumerate() {
            let i = first + k;
            let held = &place.held[i * m..(i + 1) * m];
            let tile = &tile[at * m..(at + 1) * m];
            let change = self.turned_row(held, tile, row_turn[at], basis_turn, &mut moved);
            let (t, _, slope, bend, a) = terms[k];
            let y = losses.signs[i];
            let dt = y * change / margin - t * by / margin;
            part.bent += (bend * t + slope) * dt;
            part.norm += self.by_row[i] * change;
            let mut da = losses.cost / margin * y * (bend * dt - slope * by / margin);
            if self.norm == Norm::Live {
                da -= by * self.by_row[i] / margin.powi(3);
            }
            let row = &mut matrix[at * m..(at + 1) * m];
            let mut sum = 0.0;
            for j in 0..m {
                let value = if gaussian {
                    beta[j] * (a * moved[j] + da * held[j])
                } else {
                    beta[j] * (a * kernel.bend(held[j]) * moved[j] + da * kernel.slope(held[j]))
                };
                row[j] = value;
                part.column_sums[j] += value;
                sum += value;
            }
            row_sums.push(sum);
        }
        part.sums = self.contract(&matrix, &row_sums, &members, raw, &place.basis, width);
        part
    }

    /// Writes $\varphi' D$ of a row (for other kernels than the Gaussian $D$ alone) and returns the
    /// change of $f$.
    fn turned_row(
        &self,
        held: &[f64],
        tile: &[f64],
        row_turn: f64,
        basis_turn: &[f64],
        moved: &mut [f64],
    ) -> f64 {
        let (kernel, beta) = (&self.problem.kernel, &self.machine.coefficients);
        if !kernel.is_gaussian() {
            moved.copy_from_slice(tile);
            let terms = beta.iter().zip(held).zip(tile);
            return terms
                .map(|((beta, held), d)| beta * kernel.slope(*held) * d)
                .sum();
        }
        for (((out, held), product), turn) in moved.iter_mut().zip(held).zip(tile).zip(basis_turn) {
            *out = held * (2.0 * product - row_turn - turn);
        }
        dot(moved, beta)
    }

    /// Products of some rows with the basis, every feature times its turn, and the same of the rows
    /// with themselves.
    fn turned_tile(&self, members: &[usize], raw: &[f64], turns: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let (width, m) = (turns.len(), self.machine.basis.len());
        let mut rows = Vec::with_capacity(members.len() * width);
        let mut row_turn = Vec::with_capacity(members.len());
        for &k in members {
            let row = &raw[k * width..(k + 1) * width];
            let from = rows.len();
            rows.extend(row.iter().zip(turns).map(|(x, turn)| x * turn));
            row_turn.push(dot(&rows[from..], row));
        }
        let mut tile = vec![0.0; members.len() * m];
        product_transposed(&rows, &self.base.basis, width, &mut tile);
        (tile, row_turn)
    }
}

impl Smooth for FeatureBlock<'_> {
    fn n_variables(&self) -> usize {
        self.problem.points.d + usize::from(self.with_margin)
    }

    fn value_gradient(&mut self, point: &[f64], gradient: &mut [f64]) -> f64 {
        let (_, margin) = self.split(point);
        let finite = point.iter().all(|value| value.is_finite());
        if margin <= 0.0 || !finite {
            gradient.fill(0.0);
            return f64::INFINITY;
        }
        let mut place = std::mem::take(&mut self.trial);
        self.visit(point, &mut place);
        self.write_gradient(&place, gradient);
        self.trial = place;
        self.trial.value
    }

    fn accept(&mut self) {
        std::mem::swap(&mut self.trial, &mut self.base);
    }

    fn hessian_product(&mut self, direction: &[f64], out: &mut [f64]) {
        let (features, by) = if self.with_margin {
            let (features, by) = direction.split_at(direction.len() - 1);
            (features, by[0])
        } else {
            (direction, 0.0)
        };
        let place = &self.base;
        let (width, n) = (place.active.len(), self.problem.points.n);
        let along = || place.active.iter().map(|&f| features[f as usize]);
        let turns: Vec<f64> = along()
            .zip(&place.rates)
            .map(|(v, rate)| v * rate)
            .collect();
        let basis_turn: Vec<f64> = if width == 0 {
            vec![0.0; self.machine.basis.len()]
        } else {
            let rows = place.basis.chunks_exact(width);
            rows.map(|row| {
                let terms = row.iter().zip(&turns);
                terms.map(|(x, turn)| x * x * turn).sum()
            })
            .collect()
        };
        let this = &*self;
        let parts = map(n.div_ceil(BLOCK_ROWS), Grain::COARSE, &|block| {
            this.product_rows(block * BLOCK_ROWS, &turns, &basis_turn, by)
        });
        let (mut sums, mut bent, mut norm) = (vec![0.0; width], 0.0, 0.0);
        let mut column_sums = vec![0.0; self.machine.basis.len()];
        for part in parts {
            add(&mut sums, &part.sums);
            add(&mut column_sums, &part.column_sums);
            bent += part.bent;
            norm += part.norm;
        }
        if self.problem.kernel.is_gaussian() {
            subtract_squares(&mut sums, &place.basis, &column_sums);
        }
        if let Some((_, times)) = self.sample {
            for value in sums.iter_mut().chain([&mut bent, &mut norm]) {
                *value *= times;
            }
        }
        out.fill(0.0);
        let terms = place.active.iter().zip(&place.rates).zip(along());
        for (((&f, rate), v), (sum, own)) in terms.zip(sums.iter().zip(&place.sums)) {
            out[f as usize] = rate * sum;
            if self.problem.penalised == Penalised::Weights {
                out[f as usize] += 2.0 * v * own;
            }
        }
        if self.with_margin {
            let (margin, cost) = (place.margin, self.problem.losses.cost);
            let live = if self.norm == Norm::Live { norm } else { 0.0 };
            let last = out.len() - 1;
            out[last] = -live / margin.powi(3)
                + 3.0 * self.norm_of(place) * by / margin.powi(4)
                + cost / (margin * margin) * by * place.slope_sum
                - cost / margin * bent;
        }
    }
}
