//! Lower bounds, by the interior method of Coleman and Li.
//!
//! $$\min F(x), \qquad x \ge l.$$
//!
//! A coordinate whose gradient pushes it to its bound is measured in units of the root of its
//! distance $v_i = x_i - l_i$: in $\hat x = D^{-1} x$, $D = \mathrm{diag}\sqrt{v}$, steps shorten as
//! the bound comes near, and first-order optimality is $v_i g_i = 0$ for all $i$. The model is
//! $\hat g^\top \hat s + \tfrac12 \hat s^\top \hat M \hat s$ with $\hat g = D g$ and
//! $\hat M = D H D + \mathrm{diag}(j_i |g_i|)$, $j_i = 1$ where $v_i$ is such a distance. Of its exact
//! minimum cut before the first bound, the same turned back at that bound, and the scaled gradient
//! the best is taken. Points never reach a bound; at the end those that are as good as there do.

use super::subproblem::exact_step;
use super::{BAD, Radius};
use crate::Status;
use crate::solve::smooth::{Minimum, SmoothLimits, length};

/// Share of the way to a bound that a step goes at least.
const MIN_SHARE: f64 = 0.95;
/// Distance from a bound that counts as none at the end.
const AT_BOUND: f64 = 1e-8;
/// Radius at the start, in scaled variables.
const FIRST_RADIUS: f64 = 1.0;

/// A function of few variables with its Hessian.
pub trait DenseSmooth {
    /// The value; not finite outside the domain.
    fn value(&mut self, point: &[f64]) -> f64;

    /// Writes gradient and Hessian, row-major.
    fn derivatives(&mut self, point: &[f64], gradient: &mut [f64], hessian: &mut [f64]);
}

/// Minimises a function above lower bounds, $-\infty$ where there is none, from a point above them.
///
/// [`SmoothLimits::gradient_tolerance`] is for $v_i g_i$. What the limits say of conjugate gradients
/// means nothing here.
pub fn minimise_bounded(
    function: &mut dyn DenseSmooth,
    lower: &[f64],
    start: Vec<f64>,
    limits: &SmoothLimits,
) -> Minimum {
    let n = start.len();
    let mut point = start;
    let mut value = function.value(&point);
    let (mut gradient, mut hessian) = (vec![0.0; n], vec![0.0; n * n]);
    function.derivatives(&point, &mut gradient, &mut hessian);
    let mut radius = Radius(FIRST_RADIUS);
    let mut steps = 0;
    let status = loop {
        let scaled = Scaled::new(&point, lower, &gradient, &hessian);
        if scaled.optimality <= limits.gradient_tolerance {
            break Status::Converged;
        }
        if steps >= limits.max_steps {
            break Status::IterationLimit;
        }
        steps += 1;
        let Some((step, model)) = scaled.best_step(&point, lower, radius.0) else {
            break Status::IterationLimit;
        };
        let trial = scaled.move_by(&point, lower, &step);
        let next = function.value(&trial);
        let kept = (next - value + scaled.bend(&step)) / model;
        let size = length(&step);
        radius.update(if next.is_finite() { kept } else { -1.0 }, size);
        let decrease = value - next;
        let short = size <= limits.step_tolerance * (1.0 + length(&point));
        if decrease > 0.0 {
            point = trial;
            value = next;
            function.derivatives(&point, &mut gradient, &mut hessian);
            if kept > BAD && decrease <= limits.value_tolerance * value.abs() {
                break Status::Converged;
            }
        }
        if short || radius.0 <= limits.step_tolerance {
            break Status::Converged;
        }
    };
    settle(function, lower, &mut point, &mut value);
    function.derivatives(&point, &mut gradient, &mut hessian);
    Minimum {
        gradient_norm: Scaled::new(&point, lower, &gradient, &hessian).optimality,
        point,
        value,
        steps,
        products: 0,
        status,
    }
}

/// Puts coordinates that are as good as at their bounds there.
fn settle(function: &mut dyn DenseSmooth, lower: &[f64], point: &mut Vec<f64>, value: &mut f64) {
    let mut settled = point.clone();
    for (x, &bound) in settled.iter_mut().zip(lower) {
        if *x - bound < AT_BOUND {
            *x = bound;
        }
    }
    let there = function.value(&settled);
    if there.is_finite() {
        *point = settled;
        *value = there;
    }
}

/// The model at a point in scaled variables.
struct Scaled {
    /// $\sqrt{v}$.
    roots: Vec<f64>,
    gradient: Vec<f64>,
    /// $\hat M$.
    hessian: Vec<f64>,
    /// $j \circ |g|$.
    bends: Vec<f64>,
    /// $\max |v_i g_i|$.
    optimality: f64,
}

impl Scaled {
    fn new(point: &[f64], lower: &[f64], gradient: &[f64], hessian: &[f64]) -> Self {
        let n = point.len();
        let (mut roots, mut bends) = (vec![1.0; n], vec![0.0; n]);
        let mut optimality: f64 = 0.0;
        for i in 0..n {
            let mut distance = 1.0;
            if lower[i].is_finite() && gradient[i] >= 0.0 {
                distance = point[i] - lower[i];
                roots[i] = distance.sqrt();
                bends[i] = gradient[i];
            }
            optimality = optimality.max((distance * gradient[i]).abs());
        }
        let mut scaled = vec![0.0; n * n];
        for i in 0..n {
            for j in 0..n {
                scaled[i * n + j] = roots[i] * hessian[i * n + j] * roots[j];
            }
            scaled[i * n + i] += bends[i];
        }
        Self {
            gradient: gradient.iter().zip(&roots).map(|(g, r)| g * r).collect(),
            roots,
            hessian: scaled,
            bends,
            optimality,
        }
    }

    /// The best of the three steps, with the value of the model.
    fn best_step(&self, point: &[f64], lower: &[f64], radius: f64) -> Option<(Vec<f64>, f64)> {
        let share = MIN_SHARE.max(1.0 - self.optimality);
        let exact = exact_step(&self.hessian, &self.gradient, radius).ok()?.step;
        let (reach, hit) = self.way(point, lower, &exact);
        let mut candidates = Vec::with_capacity(3);
        if reach > 1.0 {
            candidates.push(exact);
        } else {
            candidates.extend(self.turned(point, lower, &exact, (reach, hit), (radius, share)));
            candidates.push(times(&exact, share * reach));
        }
        let down = times(&self.gradient, -1.0);
        let (reach, _) = self.way(point, lower, &down);
        let most = (share * reach).min(radius / length(&down));
        candidates.push(self.along(&vec![0.0; down.len()], &down, 0.0, most));
        let valued = candidates.into_iter().map(|step| {
            let model = self.model(&step);
            (step, model)
        });
        valued
            .filter(|(_, model)| *model < 0.0)
            .min_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// The step to the first bound, and from there with that coordinate turned back.
    fn turned(
        &self,
        point: &[f64],
        lower: &[f64],
        step: &[f64],
        (reach, hit): (f64, usize),
        (radius, share): (f64, f64),
    ) -> Option<Vec<f64>> {
        let base = times(step, reach);
        let mut direction = step.to_vec();
        direction[hit] = -direction[hit];
        let at_bound: Vec<f64> = (0..point.len())
            .map(|i| point[i] + self.roots[i] * base[i])
            .collect();
        let (next, _) = self.way(&at_bound, lower, &direction);
        // Where the line leaves the ball.
        let (a, b, c) = (
            dot(&direction, &direction),
            dot(&base, &direction),
            dot(&base, &base) - radius * radius,
        );
        let leaves = (-b + (b * b - a * c).max(0.0).sqrt()) / a;
        let most = leaves.min(share * next);
        let least = (1.0 - share) * most;
        (most > 0.0).then(|| self.along(&base, &direction, least, most))
    }

    /// How much of a step is left to the first bound, and whose that is.
    fn way(&self, point: &[f64], lower: &[f64], step: &[f64]) -> (f64, usize) {
        let mut nearest = (f64::INFINITY, 0);
        for i in 0..point.len() {
            let by = self.roots[i] * step[i];
            if by < 0.0 && lower[i].is_finite() {
                let share = (lower[i] - point[i]) / by;
                if share < nearest.0 {
                    nearest = (share.max(0.0), i);
                }
            }
        }
        nearest
    }

    /// The lowest point of the model on a part of a line.
    fn along(&self, base: &[f64], direction: &[f64], least: f64, most: f64) -> Vec<f64> {
        let curved = self.curve(direction);
        let slope = dot(&self.gradient, direction) + dot(&curved, base);
        let bend = dot(&curved, direction);
        let lowest = if bend > 0.0 {
            -slope / bend
        } else if slope * (least + most) + bend * (least + most) * (least + most) / 2.0 < 0.0 {
            most
        } else {
            least
        };
        let by = lowest.clamp(least, most.max(least));
        base.iter()
            .zip(direction)
            .map(|(x, d)| x + by * d)
            .collect()
    }

    fn curve(&self, vector: &[f64]) -> Vec<f64> {
        let rows = self.hessian.chunks_exact(vector.len().max(1));
        rows.map(|row| dot(row, vector)).collect()
    }

    fn model(&self, step: &[f64]) -> f64 {
        dot(&self.gradient, step) + 0.5 * dot(&self.curve(step), step)
    }

    /// $\tfrac12\sum_i j_i |g_i| \hat s_i^2$, which the model has and the function has not.
    fn bend(&self, step: &[f64]) -> f64 {
        let terms = self.bends.iter().zip(step);
        0.5 * terms.map(|(bend, s)| bend * s * s).sum::<f64>()
    }

    /// The point after a step, kept off the bounds by rounding at least.
    fn move_by(&self, point: &[f64], lower: &[f64], step: &[f64]) -> Vec<f64> {
        (0..point.len())
            .map(|i| {
                let there = point[i] + self.roots[i] * step[i];
                if there > lower[i] {
                    there
                } else {
                    lower[i] + 0.5 * (1.0 - MIN_SHARE) * (point[i] - lower[i])
                }
            })
            .collect()
    }
}

fn times(vector: &[f64], factor: f64) -> Vec<f64> {
    vector.iter().map(|value| value * factor).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    crate::linalg::dot(a, b)
}
