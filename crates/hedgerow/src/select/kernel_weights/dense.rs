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
use crate::linalg::{add_gram, mirror_upper, product};
use crate::parallel::{Grain, map};
use crate::solve::smooth::Smooth;
use crate::solve::trust_region::DenseSmooth;

/// Values of pairs of rows that are held at once.
const GRAM_VALUES: usize = 1 << 17;

impl FeatureBlock<'_> {
    /// $S$ at the accepted point, of active features: with rows $\sqrt{|w_{ij}|}\,c_{ij}$, $w_{ij} =
    /// a_i\beta_j\varphi''_{ij}$, the Gram matrix of those with $w_{ij} > 0$ less that of the others.
    pub(super) fn second_sums(&self) -> Vec<f64> {
        let place = &self.base;
        let (n, m) = (self.problem.points.n, self.machine.basis.len());
        let width = place.active.len();
        if width == 0 || m == 0 {
            return Vec::new();
        }
        let kernel = &self.problem.kernel;
        let chunk = (GRAM_VALUES / (m * width)).max(1);
        let parts = map(n.div_ceil(chunk), Grain::ONE, &|block| {
            let (mut plus, mut minus) = (Vec::new(), Vec::new());
            for i in block * chunk..n.min((block + 1) * chunk) {
                let a = self.row_terms(i, place.decisions[i], place.margin).4;
                if a == 0.0 {
                    continue;
                }
                let row = &place.rows[i * width..(i + 1) * width];
                let held = &place.held[i * m..(i + 1) * m];
                let others = place.basis.chunks_exact(width);
                for ((held, beta), other) in held.iter().zip(&self.machine.coefficients).zip(others)
                {
                    let weight = a * beta * kernel.bend(*held);
                    let root = weight.abs().sqrt();
                    let into = if weight > 0.0 { &mut plus } else { &mut minus };
                    if kernel.is_gaussian() {
                        let terms = row.iter().zip(other);
                        into.extend(terms.map(|(x, other)| root * (x - other) * (x - other)));
                    } else {
                        into.extend(row.iter().zip(other).map(|(x, other)| root * x * other));
                    }
                }
            }
            let mut sums = [vec![0.0; width * width], vec![0.0; width * width]];
            add_gram(&plus, width, &mut sums[0]);
            add_gram(&minus, width, &mut sums[1]);
            sums
        });
        let mut out = vec![0.0; width * width];
        for [plus, minus] in parts {
            for (out, (plus, minus)) in out.iter_mut().zip(plus.iter().zip(&minus)) {
                *out += plus - minus;
            }
        }
        mirror_upper(&mut out, width);
        out
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
