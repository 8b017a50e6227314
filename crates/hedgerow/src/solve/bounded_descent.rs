//! Lower bounds on many variables, by gradients alone.
//!
//! $$\min F(x), \qquad x \ge l.$$
//!
//! Variables that stand at their bound and are pushed against it are held. Among the others the
//! direction is that of the quasi-Newton method with limited memory: the last changes $s$ of the
//! point and $y$ of the gradient stand for the Hessian. A step is projected on the bounds, and
//! halved until it keeps a share of the decrease that the gradient promises.

use super::smooth::{Minimum, SmoothLimits, length};
use crate::Status;
use crate::linalg::dot;

/// Changes that are remembered.
const MEMORY: usize = 10;
/// Share of the promised decrease that a step must keep.
const SUFFICIENT: f64 = 1e-4;
/// Halvings after which a step is given up.
const MAX_HALVINGS: u32 = 25;
/// Share of the length of the point that the first step goes.
const FIRST_SHARE: f64 = 0.25;
/// Curvature below which a change is not remembered.
const LEAST_CURVATURE: f64 = 1e-10;

/// Writes the gradient at a point and returns the value; not finite outside the domain.
pub type Gradient<'a> = dyn FnMut(&[f64], &mut [f64]) -> f64 + 'a;

/// Minimises a function above lower bounds, $-\infty$ where there is none, from a point not below
/// them. [`SmoothLimits::gradient_tolerance`] is for the projected gradient.
pub fn descend_above(
    function: &mut Gradient<'_>,
    lower: &[f64],
    start: Vec<f64>,
    limits: &SmoothLimits,
) -> Minimum {
    let n = start.len();
    let mut point = start;
    let mut gradient = vec![0.0; n];
    let mut value = function(&point, &mut gradient);
    let mut memory: Vec<(Vec<f64>, Vec<f64>)> = Vec::new();
    let mut steps = 0;
    let status = loop {
        let free: Vec<bool> = (0..n)
            .map(|i| point[i] > lower[i] || gradient[i] < 0.0)
            .collect();
        if optimality(&gradient, &free) <= limits.gradient_tolerance {
            break Status::Converged;
        }
        if steps >= limits.max_steps {
            break Status::IterationLimit;
        }
        steps += 1;
        let mut direction = direction(&gradient, &free, &memory);
        if dot(&direction, &gradient) >= 0.0 {
            memory.clear();
            direction = self::direction(&gradient, &free, &memory);
        }
        let mut by = 1.0;
        if memory.is_empty() {
            let size = length(&point);
            let wanted = if size > 0.0 { FIRST_SHARE * size } else { 1.0 };
            by = wanted / length(&direction);
        }
        let Some((next, next_value, next_gradient)) =
            search(function, lower, (&point, value, &gradient), &direction, by)
        else {
            if memory.is_empty() {
                break Status::Converged;
            }
            memory.clear();
            continue;
        };
        let change =
            |a: &[f64], b: &[f64]| -> Vec<f64> { a.iter().zip(b).map(|(a, b)| a - b).collect() };
        let (s, y) = (change(&next, &point), change(&next_gradient, &gradient));
        if dot(&s, &y) > LEAST_CURVATURE * length(&s) * length(&y) {
            memory.push((s, y));
            if memory.len() > MEMORY {
                memory.remove(0);
            }
        }
        let decrease = value - next_value;
        (point, value, gradient) = (next, next_value, next_gradient);
        if decrease <= limits.value_tolerance * value.abs() {
            break Status::Converged;
        }
    };
    let free: Vec<bool> = (0..n)
        .map(|i| point[i] > lower[i] || gradient[i] < 0.0)
        .collect();
    Minimum {
        gradient_norm: optimality(&gradient, &free),
        point,
        value,
        steps,
        products: 0,
        status,
    }
}

fn optimality(gradient: &[f64], free: &[bool]) -> f64 {
    let entries = gradient.iter().zip(free).filter(|(_, free)| **free);
    entries.fold(0.0, |most: f64, (g, _)| most.max(g.abs()))
}

/// Down, as the remembered changes bend it, among the free variables.
fn direction(gradient: &[f64], free: &[bool], memory: &[(Vec<f64>, Vec<f64>)]) -> Vec<f64> {
    let mask = |vector: &mut [f64]| {
        for (value, free) in vector.iter_mut().zip(free) {
            if !free {
                *value = 0.0;
            }
        }
    };
    let mut out: Vec<f64> = gradient.iter().map(|g| -g).collect();
    mask(&mut out);
    let mut shares = vec![0.0; memory.len()];
    for (share, (s, y)) in shares.iter_mut().zip(memory).rev() {
        *share = dot(s, &out) / dot(s, y);
        for (value, y) in out.iter_mut().zip(y) {
            *value -= *share * y;
        }
    }
    if let Some((s, y)) = memory.last() {
        let scale = dot(s, y) / dot(y, y);
        for value in &mut out {
            *value *= scale;
        }
    }
    for (share, (s, y)) in shares.iter().zip(memory) {
        let back = dot(y, &out) / dot(s, y);
        for (value, s) in out.iter_mut().zip(s) {
            *value += (share - back) * s;
        }
    }
    mask(&mut out);
    out
}

/// A point on the way that is good enough, with value and gradient.
fn search(
    function: &mut Gradient<'_>,
    lower: &[f64],
    (point, value, gradient): (&[f64], f64, &[f64]),
    direction: &[f64],
    by: f64,
) -> Option<(Vec<f64>, f64, Vec<f64>)> {
    let mut next_gradient = vec![0.0; point.len()];
    let mut by = by;
    for _ in 0..MAX_HALVINGS {
        let ways = point.iter().zip(direction).zip(lower);
        let next: Vec<f64> = ways.map(|((x, d), l)| (x + by * d).max(*l)).collect();
        let moves = gradient.iter().zip(next.iter().zip(point));
        let promised: f64 = moves.map(|(g, (next, x))| g * (next - x)).sum();
        let next_value = function(&next, &mut next_gradient);
        if promised < 0.0 && next_value <= value + SUFFICIENT * promised {
            return Some((next, next_value, next_gradient));
        }
        by *= 0.5;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Generator;

    /// $\tfrac12 x^\top A x - b^\top x$ with a definite $A$: the minimum above 0 is known by its
    /// conditions.
    #[test]
    fn conditions_of_the_minimum_hold() {
        let mut generator = Generator::new(5);
        for n in [1, 3, 12, 40] {
            let root: Vec<f64> = (0..n * n).map(|_| generator.normal()).collect();
            let linear: Vec<f64> = (0..n).map(|_| generator.normal()).collect();
            let entry = |i: usize, j: usize| -> f64 {
                let products = (0..n).map(|k| root[i * n + k] * root[j * n + k]);
                products.sum::<f64>() + f64::from(u8::from(i == j))
            };
            let matrix: Vec<f64> = (0..n * n).map(|at| entry(at / n, at % n)).collect();
            let mut function = |x: &[f64], gradient: &mut [f64]| {
                let mut value = 0.0;
                for i in 0..n {
                    let product = dot(&matrix[i * n..(i + 1) * n], x);
                    gradient[i] = product - linear[i];
                    value += x[i] * (0.5 * product - linear[i]);
                }
                value
            };
            let limits = SmoothLimits {
                gradient_tolerance: 1e-8,
                value_tolerance: 0.0,
                max_steps: 2000,
                ..SmoothLimits::default()
            };
            let found = descend_above(&mut function, &vec![0.0; n], vec![0.3; n], &limits);
            let mut gradient = vec![0.0; n];
            function(&found.point, &mut gradient);
            for (x, g) in found.point.iter().zip(&gradient) {
                assert!(*x >= 0.0);
                assert!(*g >= -1e-6 && (x * g).abs() < 1e-6, "{n}: {x} {g}");
            }
        }
    }
}
