//! All variables at once: $\Omega(\beta, b, z)$ with gradient and Hessian.
//!
//! With $v_i = y_i\ell'(t_i)$, $D = \mathrm{diag}(\ell'')$, $J_{il} = (\partial K/\partial z_l\,\beta)_i$
//! and $V_{il} = (\partial K/\partial z_l\,v)_i$:
//!
//! | | |
//! |---|---|
//! | gradient | $K(\beta + Cv)$, $C\,1^\top v$, $2 z \circ p + \mu$ |
//! | $H_{\beta\beta}$, $H_{\beta b}$, $H_{bb}$ | $K + CKDK$, $CKD1$, $C\,1^\top D 1$ |
//! | $H_{\beta z}$, $H_{bz}$ | $J + CV + CKDJ$, $C\,1^\top D J$ |
//! | $H_{zz}$ | that of the weights at $\lambda = 1$ |

use super::block::{FeatureBlock, Norm, Problem};
use super::hinge::smoothed_hinge;
use super::machine::Machine;
use crate::Status;
use crate::linalg::{add_gram, dot, mirror_upper, product_in_parallel};
use crate::solve::smooth::Smooth;
use crate::solve::trust_region::DenseSmooth;

/// $\Omega$ of $(\beta, b, z)$, one after the other.
pub(super) struct FullSpace<'a> {
    problem: Problem<'a>,
}

/// Value, gradient and, if asked for, Hessian of the active variables.
pub(super) struct FullPoint {
    pub(super) value: f64,
    /// In all variables.
    pub(super) gradient: Vec<f64>,
    /// Row-major, of $\beta$, $b$ and active weights; empty if not asked for.
    pub(super) hessian: Vec<f64>,
    /// Active features.
    pub(super) active: Vec<u32>,
}

impl<'a> FullSpace<'a> {
    pub(super) fn new(problem: Problem<'a>) -> Self {
        Self { problem }
    }

    /// Bytes that the Hessian and what it is made of take.
    pub(super) fn bytes(n: usize, d: usize) -> u64 {
        let order = (n + d + 1) as u64;
        8 * (4 * order * order + 4 * (n as u64) * (n as u64))
    }

    pub(super) fn at(&self, variables: &[f64], with_hessian: bool) -> FullPoint {
        let n = self.problem.points.n;
        let machine = Machine {
            basis: (0..n).collect(),
            coefficients: variables[..n].to_vec(),
            bias: variables[n],
            norm: 0.0,
            objective: 0.0,
            status: Status::Converged,
        };
        let mut block = FeatureBlock::new(self.problem, &machine, Norm::Live, false);
        let mut gradient = vec![0.0; variables.len()];
        let value = block.value_gradient(&variables[n + 1..], &mut gradient[n + 1..]);
        block.accept();
        let (losses, kernel) = (&self.problem.losses, &self.problem.kernel);
        let matrix: Vec<f64> = block
            .base
            .held
            .iter()
            .map(|&held| kernel.value(held))
            .collect();
        let rows: Vec<(f64, f64)> = block
            .base
            .decisions
            .iter()
            .zip(losses.signs)
            .map(|(f, y)| {
                let (_, slope, bend) = smoothed_hinge(y * f, losses.epsilon);
                (y * slope, bend)
            })
            .collect();
        let pull: Vec<f64> = rows
            .iter()
            .zip(&machine.coefficients)
            .map(|((v, _), beta)| beta + losses.cost * v)
            .collect();
        for (i, out) in gradient[..n].iter_mut().enumerate() {
            *out = dot(&matrix[i * n..(i + 1) * n], &pull);
        }
        gradient[n] = losses.cost * rows.iter().map(|(v, _)| v).sum::<f64>();
        let hessian = if with_hessian {
            hessian(&block, &matrix, &rows)
        } else {
            Vec::new()
        };
        FullPoint {
            value,
            gradient,
            hessian,
            active: block.base.active.clone(),
        }
    }
}

fn hessian(block: &FeatureBlock<'_>, matrix: &[f64], rows: &[(f64, f64)]) -> Vec<f64> {
    let n = rows.len();
    let cost = block.problem.losses.cost;
    let (weights, jacobian) = block.weights_hessian();
    let width = block.base.active.len();
    let order = n + 1 + width;
    let slopes: Vec<f64> = rows.iter().map(|(v, _)| *v).collect();
    let pulled = block.jacobian(&slopes);
    // √(C ℓ'') (K, 1): its Gram matrix is what the losses give to coefficients and bias.
    let mut bent = Vec::new();
    for (i, (_, bend)) in rows.iter().enumerate() {
        if *bend > 0.0 {
            let root = (cost * bend).sqrt();
            bent.extend(matrix[i * n..(i + 1) * n].iter().map(|k| root * k));
            bent.push(root);
        }
    }
    let mut own = vec![0.0; (n + 1) * (n + 1)];
    add_gram(&bent, n + 1, &mut own);
    mirror_upper(&mut own, n + 1);
    let mut scaled = jacobian.clone();
    if width > 0 {
        for (row, (_, bend)) in scaled.chunks_exact_mut(width).zip(rows) {
            for value in row {
                *value *= cost * bend;
            }
        }
    }
    let mut mixed = vec![0.0; n * width];
    product_in_parallel(matrix, &scaled, n, width, &mut mixed);
    let mut out = vec![0.0; order * order];
    for i in 0..=n {
        for j in 0..=n {
            let kernel = if i < n && j < n {
                matrix[i * n + j]
            } else {
                0.0
            };
            out[i * order + j] = own[i * (n + 1) + j] + kernel;
        }
    }
    for l in 0..width {
        for i in 0..n {
            let at = i * width + l;
            let value = jacobian[at] + cost * pulled[at] + mixed[at];
            out[i * order + n + 1 + l] = value;
            out[(n + 1 + l) * order + i] = value;
        }
        let bias: f64 = (0..n).map(|i| scaled[i * width + l]).sum();
        out[n * order + n + 1 + l] = bias;
        out[(n + 1 + l) * order + n] = bias;
        for p in 0..width {
            out[(n + 1 + l) * order + n + 1 + p] = weights[l * width + p];
        }
    }
    out
}

impl DenseSmooth for FullSpace<'_> {
    fn value(&mut self, point: &[f64]) -> f64 {
        if point.iter().any(|value| !value.is_finite()) {
            return f64::INFINITY;
        }
        self.at(point, false).value
    }

    fn derivatives(&mut self, point: &[f64], gradient: &mut [f64], hessian: &mut [f64]) {
        let found = self.at(point, true);
        gradient.copy_from_slice(&found.gradient);
        hessian.fill(0.0);
        let n = self.problem.points.n + 1;
        let (order, all) = (n + found.active.len(), point.len());
        // Where each of the variables that count stands among all.
        let place = |at: usize| {
            if at < n {
                at
            } else {
                n + found.active[at - n] as usize
            }
        };
        for i in 0..order {
            for j in 0..order {
                hessian[place(i) * all + place(j)] = found.hessian[i * order + j];
            }
        }
    }
}
