//! The Hessian itself, for few features.
//!
//! With $S_{lp} = \sum_{ij} a_i\beta_j\varphi''_{ij} c_{ijl} c_{ijp}$, $J_{il} = \partial f_i / \partial z_l$
//! and the rates $2 z_l$ (1 for squares):
//!
//! | | |
//! |---|---|
//! | $z_l, z_p$ | $4 z_l z_p S_{lp} + 2\delta_{lp} p_l + \tfrac{C}{\lambda^2} (J^\top \mathrm{diag}(\ell'') J)_{lp}$ |
//! | $\lambda, z_l$ | $-\tfrac{C}{\lambda^2}\sum_i (\ell'' t_i + \ell') y_i J_{il}$, and $-\lambda^{-3}\,\partial Q/\partial z_l$ if $Q$ is not frozen |
//! | $\lambda, \lambda$ | $3Q/\lambda^4 + \tfrac{C}{\lambda^2}\sum_i (\ell'' t_i^2 + 2\ell' t_i)$ |

use super::block::{FeatureBlock, Norm, Penalised};
use super::kernel::BLOCK_ROWS;
use super::sums::{add, subtract_squares};
use crate::linalg::{add_gram, mirror_upper, product};
use crate::parallel::{Grain, map};
use crate::solve::smooth::Smooth;
use crate::solve::trust_region::DenseSmooth;

impl FeatureBlock<'_> {
    /// $S$ at the accepted point, of active features.
    pub(super) fn second_sums(&self) -> Vec<f64> {
        let width = self.base.active.len();
        let rows = map(width, Grain::ONE, &|l| self.second_row(l));
        let mut all = rows.concat();
        // Rounding must not leave it asymmetric.
        for i in 0..width {
            for j in 0..i {
                let mean = 0.5 * (all[i * width + j] + all[j * width + i]);
                all[i * width + j] = mean;
                all[j * width + i] = mean;
            }
        }
        all
    }

    fn second_row(&self, l: usize) -> Vec<f64> {
        let place = &self.base;
        let (n, m) = (self.problem.points.n, self.machine.basis.len());
        let width = place.active.len();
        let kernel = &self.problem.kernel;
        let mut total = vec![0.0; width];
        let mut column_sums = vec![0.0; m];
        for first in (0..n).step_by(BLOCK_ROWS) {
            let last = n.min(first + BLOCK_ROWS);
            let raw = &place.rows[first * width..last * width];
            let (mut members, mut matrix, mut row_sums) = (Vec::new(), Vec::new(), Vec::new());
            for i in first..last {
                let a = self.row_terms(i, place.decisions[i], place.margin).4;
                if a == 0.0 {
                    continue;
                }
                let x = place.rows[i * width + l];
                let mut sum = 0.0;
                for (j, (held, beta)) in place.held[i * m..(i + 1) * m]
                    .iter()
                    .zip(&self.machine.coefficients)
                    .enumerate()
                {
                    let other = place.basis[j * width + l];
                    let c = if kernel.is_gaussian() {
                        -(x - other) * (x - other)
                    } else {
                        x * other
                    };
                    let value = a * beta * kernel.bend(*held) * c;
                    matrix.push(value);
                    column_sums[j] += value;
                    sum += value;
                }
                members.push(i - first);
                row_sums.push(sum);
            }
            let part = self.contract(&matrix, &row_sums, &members, raw, &place.basis, width);
            add(&mut total, &part);
        }
        if kernel.is_gaussian() {
            subtract_squares(&mut total, &place.basis, &column_sums);
        }
        total
    }

    /// $\sum_j u_j\, \partial k_{ij} / \partial z_l$ for every row and active feature.
    pub(super) fn jacobian(&self, coefficients: &[f64]) -> Vec<f64> {
        let place = &self.base;
        let (n, m) = (self.problem.points.n, self.machine.basis.len());
        let width = place.active.len();
        let kernel = &self.problem.kernel;
        let squares: Vec<f64> = place.basis.iter().map(|x| x * x).collect();
        let blocks = map(n.div_ceil(BLOCK_ROWS), Grain::COARSE, &|block| {
            let first = block * BLOCK_ROWS;
            let last = n.min(first + BLOCK_ROWS);
            let held = &place.held[first * m..last * m];
            let matrix: Vec<f64> = held
                .chunks_exact(m.max(1))
                .flat_map(|row| row.iter().zip(coefficients))
                .map(|(held, u)| u * kernel.slope(*held))
                .collect();
            let mut out = vec![0.0; (last - first) * width];
            product(&matrix, &place.basis, m, width, &mut out);
            let mut squared = vec![0.0; out.len()];
            if kernel.is_gaussian() {
                product(&matrix, &squares, m, width, &mut squared);
            }
            for k in 0..last - first {
                let sum: f64 = matrix[k * m..(k + 1) * m].iter().sum();
                for l in 0..width {
                    let x = place.rows[(first + k) * width + l];
                    let at = k * width + l;
                    let c = if kernel.is_gaussian() {
                        x * (2.0 * out[at] - sum * x) - squared[at]
                    } else {
                        x * out[at]
                    };
                    out[at] = place.rates[l] * c;
                }
            }
            out
        });
        blocks.concat()
    }

    /// The part of the Hessian of $\Psi$ in the weights, of active features; with $J$.
    pub(super) fn weights_hessian(&self) -> (Vec<f64>, Vec<f64>) {
        let place = &self.base;
        let (width, margin) = (place.active.len(), self.margin());
        let jacobian = self.jacobian(&self.machine.coefficients);
        let factor = self.problem.losses.cost / (margin * margin);
        let mut bent = Vec::new();
        for (i, row) in jacobian.chunks_exact(width.max(1)).enumerate() {
            let bend = self.row_terms(i, place.decisions[i], margin).3;
            if bend > 0.0 {
                let root = (factor * bend).sqrt();
                bent.extend(row.iter().map(|x| root * x));
            }
        }
        let mut out = vec![0.0; width * width];
        add_gram(&bent, width, &mut out);
        mirror_upper(&mut out, width);
        let second = self.second_sums();
        for l in 0..width {
            for p in 0..width {
                out[l * width + p] += place.rates[l] * place.rates[p] * second[l * width + p];
            }
            if self.problem.penalised == Penalised::Weights {
                out[l * width + l] += 2.0 * place.sums[l];
            }
        }
        (out, jacobian)
    }

    /// The whole Hessian of $\Psi$ at the accepted point; rows of inactive features are 0.
    pub(super) fn hessian(&self, out: &mut [f64]) {
        let n = self.n_variables();
        let place = &self.base;
        let width = place.active.len();
        let (weights, jacobian) = self.weights_hessian();
        out.fill(0.0);
        for (l, &f) in place.active.iter().enumerate() {
            for (p, &g) in place.active.iter().enumerate() {
                out[f as usize * n + g as usize] = weights[l * width + p];
            }
        }
        if !self.has_margin() {
            return;
        }
        let (margin, losses) = (self.margin(), &self.problem.losses);
        let factor = losses.cost / (margin * margin);
        let mut mixed = vec![0.0; width];
        let mut own = 3.0 * self.norm_of(place) / margin.powi(4);
        for (i, row) in jacobian.chunks_exact(width.max(1)).enumerate() {
            let (t, _, slope, bend, _) = self.row_terms(i, place.decisions[i], margin);
            let mut along = -factor * (bend * t + slope) * losses.signs[i];
            if self.norm_kind() == Norm::Live {
                along -= self.coefficient_of(i) / margin.powi(3);
            }
            for (sum, x) in mixed.iter_mut().zip(row) {
                *sum += along * x;
            }
        }
        for (i, &decision) in place.decisions.iter().enumerate() {
            let (t, _, slope, bend, _) = self.row_terms(i, decision, margin);
            own += factor * (bend * t * t + 2.0 * slope * t);
        }
        for (&f, value) in place.active.iter().zip(mixed) {
            out[f as usize * n + n - 1] = value;
            out[(n - 1) * n + f as usize] = value;
        }
        out[n * n - 1] = own;
    }
}

/// A block as a function with its Hessian.
pub(super) struct DenseBlock<'a> {
    pub(super) block: FeatureBlock<'a>,
    at: Vec<f64>,
    gradient: Vec<f64>,
    value: f64,
}

impl<'a> DenseBlock<'a> {
    pub(super) fn new(block: FeatureBlock<'a>) -> Self {
        Self {
            gradient: vec![0.0; block.n_variables()],
            block,
            at: Vec::new(),
            value: f64::INFINITY,
        }
    }
}

impl DenseSmooth for DenseBlock<'_> {
    fn value(&mut self, point: &[f64]) -> f64 {
        self.at = point.to_vec();
        self.value = self.block.value_gradient(point, &mut self.gradient);
        self.value
    }

    fn derivatives(&mut self, point: &[f64], gradient: &mut [f64], hessian: &mut [f64]) {
        if self.at != point {
            self.value(point);
        }
        self.at.clear();
        self.block.accept();
        gradient.copy_from_slice(&self.gradient);
        self.block.hessian(hessian);
    }
}
