//! Lower bounds on many variables, by products with the Hessian.
//!
//! $$\min F(x), \qquad x \ge l.$$
//!
//! Variables that stand at their bound and are pushed against it are held; among the others
//! conjugate gradients go from $x$ towards the minimum of the model, on a path that ends where the
//! curvature is not positive any more (and then goes on straight). The step is the point of the path
//! at the radius, projected on the bounds; the model at the projected point is what it promises.
//! Points may reach a bound, and what they cost may then fall: a function can leave such variables
//! out.

use super::{BAD, Radius};
use crate::Status;
use crate::linalg::dot;
use crate::solve::smooth::{Minimum, Smooth, SmoothLimits, length};

/// Radius at the start, as a share of the length of the starting point.
const FIRST_SHARE: f64 = 0.5;

/// Minimises a function above lower bounds, $-\infty$ where there is none, from a point not below
/// them. [`SmoothLimits::gradient_tolerance`] is for the projected gradient.
pub fn minimise_above(
    function: &mut dyn Smooth,
    lower: &[f64],
    start: Vec<f64>,
    limits: &SmoothLimits,
) -> Minimum {
    let mut search = Search::new(function, lower, start);
    let status = search.run(limits);
    Minimum {
        gradient_norm: search.optimality(),
        point: search.point,
        value: search.value,
        steps: search.steps,
        products: search.products,
        status,
    }
}

struct Search<'a> {
    function: &'a mut dyn Smooth,
    lower: &'a [f64],
    point: Vec<f64>,
    value: f64,
    gradient: Vec<f64>,
    radius: Radius,
    steps: u32,
    products: u64,
}

/// A piece of the path of conjugate gradients.
struct Piece {
    from: Vec<f64>,
    direction: Vec<f64>,
    /// How many times the direction the piece is long.
    length: f64,
    /// The model at its beginning, its slope there and its curvature.
    model: f64,
    slope: f64,
    bend: f64,
}

impl<'a> Search<'a> {
    fn new(function: &'a mut dyn Smooth, lower: &'a [f64], point: Vec<f64>) -> Self {
        let mut gradient = vec![0.0; point.len()];
        let value = function.value_gradient(&point, &mut gradient);
        function.accept();
        let size = length(&point);
        let first = if size > 0.0 { FIRST_SHARE * size } else { 1.0 };
        Self {
            function,
            lower,
            point,
            value,
            gradient,
            radius: Radius(first),
            steps: 0,
            products: 0,
        }
    }

    /// Largest entry of the step that the gradient projected on the bounds asks for.
    fn optimality(&self) -> f64 {
        let entries = self.point.iter().zip(&self.gradient).zip(self.lower);
        entries
            .map(|((x, g), bound)| (x - (x - g).max(*bound)).abs())
            .fold(0.0, f64::max)
    }

    fn run(&mut self, limits: &SmoothLimits) -> Status {
        let mut path = Vec::new();
        loop {
            if path.is_empty() {
                if self.optimality() <= limits.gradient_tolerance {
                    return Status::Converged;
                }
                path = self.path(limits);
            }
            if self.steps >= limits.max_steps {
                return Status::IterationLimit;
            }
            self.steps += 1;
            let (step, model) = along(&path, self.radius.0);
            let (trial, model) = self.projected(&step, model);
            let size = length(&step);
            let mut gradient = vec![0.0; trial.len()];
            let (kept, next) = if model < 0.0 {
                let next = self.function.value_gradient(&trial, &mut gradient);
                ((next - self.value) / model, next)
            } else {
                (-1.0, f64::INFINITY)
            };
            self.radius
                .update(if next.is_finite() { kept } else { -1.0 }, size);
            let short = size <= limits.step_tolerance * (1.0 + length(&self.point));
            let decrease = self.value - next;
            if decrease > 0.0 {
                self.function.accept();
                (self.point, self.value, self.gradient) = (trial, next, gradient);
                path.clear();
                if kept > BAD && decrease <= limits.value_tolerance * self.value.abs() {
                    return Status::Converged;
                }
            }
            if short {
                return Status::Converged;
            }
        }
    }

    /// The way of conjugate gradients among the variables that are not held.
    fn path(&mut self, limits: &SmoothLimits) -> Vec<Piece> {
        let n = self.point.len();
        let free: Vec<bool> = (0..n)
            .map(|i| self.point[i] > self.lower[i] || self.gradient[i] < 0.0)
            .collect();
        let masked = |i: usize, value: f64| if free[i] { value } else { 0.0 };
        let mut residual: Vec<f64> = (0..n).map(|i| masked(i, -self.gradient[i])).collect();
        let mut direction = residual.clone();
        let mut from = vec![0.0; n];
        let mut square = dot(&residual, &residual);
        let goal = limits.residual * limits.residual * square;
        let (mut model, mut path) = (0.0, Vec::new());
        let mut product = vec![0.0; n];
        while path.len() < limits.max_products.max(1) && square > goal {
            self.function.hessian_product(&direction, &mut product);
            self.products += 1;
            let bend = dot(&direction, &product);
            // Conjugate directions fall as steeply as the residual is long.
            let curved = bend > 0.0 && bend.is_finite();
            let length = if curved { square / bend } else { f64::INFINITY };
            path.push(Piece {
                from: from.clone(),
                direction: direction.clone(),
                length,
                model,
                slope: -square,
                bend: if bend.is_finite() { bend } else { 0.0 },
            });
            if !curved {
                break;
            }
            model -= 0.5 * length * square;
            for i in 0..n {
                from[i] += length * direction[i];
                residual[i] -= length * masked(i, product[i]);
            }
            let next = dot(&residual, &residual);
            let share = next / square;
            square = next;
            for i in 0..n {
                direction[i] = residual[i] + share * direction[i];
            }
            if self::length(&from) > self.radius.0 {
                break;
            }
        }
        path
    }

    /// The point that a step leads to, with the model there.
    fn projected(&mut self, step: &[f64], model: f64) -> (Vec<f64>, f64) {
        let mut clipped = false;
        let trial: Vec<f64> = (0..step.len())
            .map(|i| {
                let there = self.point[i] + step[i];
                clipped |= there < self.lower[i];
                there.max(self.lower[i])
            })
            .collect();
        if !clipped {
            return (trial, model);
        }
        let moved: Vec<f64> = trial.iter().zip(&self.point).map(|(t, x)| t - x).collect();
        let mut product = vec![0.0; moved.len()];
        self.function.hessian_product(&moved, &mut product);
        self.products += 1;
        let model = dot(&self.gradient, &moved) + 0.5 * dot(&moved, &product);
        (trial, model)
    }
}

/// The point of a path within a radius that is farthest along, with the model there.
fn along(path: &[Piece], radius: f64) -> (Vec<f64>, f64) {
    let mut best = (Vec::new(), 0.0);
    for piece in path {
        // Where the piece leaves the ball.
        let (a, b) = (
            dot(&piece.direction, &piece.direction),
            dot(&piece.from, &piece.direction),
        );
        let c = dot(&piece.from, &piece.from) - radius * radius;
        let leaves = (-b + (b * b - a * c).max(0.0).sqrt()) / a;
        let by = piece.length.min(leaves);
        let point = piece.from.iter().zip(&piece.direction);
        let step = point.map(|(x, d)| x + by * d).collect();
        best = (
            step,
            piece.model + by * (piece.slope + 0.5 * by * piece.bend),
        );
        if leaves <= piece.length {
            break;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Generator;

    /// $\tfrac12 x^\top A x + b^\top x + c \sum x^4$.
    struct Quartic {
        matrix: Vec<f64>,
        linear: Vec<f64>,
        fourth: f64,
        last: Vec<f64>,
        base: Vec<f64>,
    }

    impl Smooth for Quartic {
        fn n_variables(&self) -> usize {
            self.linear.len()
        }

        fn value_gradient(&mut self, point: &[f64], gradient: &mut [f64]) -> f64 {
            let n = point.len();
            let mut value = 0.0;
            for i in 0..n {
                let product = dot(&self.matrix[i * n..(i + 1) * n], point);
                gradient[i] = product + self.linear[i] + 4.0 * self.fourth * point[i].powi(3);
                value += point[i] * (0.5 * product + self.linear[i]);
                value += self.fourth * point[i].powi(4);
            }
            self.last = point.to_vec();
            value
        }

        fn accept(&mut self) {
            self.base = self.last.clone();
        }

        fn hessian_product(&mut self, direction: &[f64], product: &mut [f64]) {
            let n = direction.len();
            for i in 0..n {
                product[i] = dot(&self.matrix[i * n..(i + 1) * n], direction)
                    + 12.0 * self.fourth * self.base[i] * self.base[i] * direction[i];
            }
        }
    }

    fn quartic(n: usize, shift: f64, fourth: f64, generator: &mut Generator) -> Quartic {
        let mut matrix = vec![0.0; n * n];
        for i in 0..n {
            for j in 0..=i {
                let value = generator.normal();
                matrix[i * n + j] = value;
                matrix[j * n + i] = value;
            }
            matrix[i * n + i] += shift;
        }
        Quartic {
            matrix,
            linear: (0..n).map(|_| 3.0 * generator.normal()).collect(),
            fourth,
            last: Vec::new(),
            base: Vec::new(),
        }
    }

    /// At a minimum no coordinate can move either way to any gain.
    #[test]
    fn bounded_minima_are_found_with_and_without_negative_curvature() {
        let mut generator = Generator::new(3);
        for turn in 0..60 {
            let n = 1 + turn % 9;
            let (shift, power) = if turn % 2 == 0 {
                (8.0, 0.0)
            } else {
                (0.0, 0.5)
            };
            let mut function = quartic(n, shift, power, &mut generator);
            let mut lower = vec![0.0; n];
            if turn % 3 == 0 {
                lower[n - 1] = f64::NEG_INFINITY;
            }
            let limits = SmoothLimits {
                gradient_tolerance: 1e-7,
                value_tolerance: 0.0,
                residual: 1e-3,
                ..SmoothLimits::default()
            };
            let found = minimise_above(&mut function, &lower, vec![1.0; n], &limits);
            assert!(
                found.gradient_norm <= 1e-6,
                "{turn}: {}",
                found.gradient_norm
            );
            let mut spare = vec![0.0; n];
            for i in 0..n {
                for by in [1e-3, -1e-3] {
                    let mut other = found.point.clone();
                    other[i] = (other[i] + by).max(lower[i]);
                    let value = function.value_gradient(&other, &mut spare);
                    assert!(value >= found.value - 1e-9, "{turn}: {i} by {by}");
                }
            }
        }
    }

    #[test]
    fn steps_never_raise_the_value_and_few_are_needed() {
        let mut function = quartic(30, 12.0, 0.1, &mut Generator::new(4));
        let lower = vec![0.0; 30];
        let mut spare = vec![0.0; 30];
        let first = function.value_gradient(&vec![2.0; 30], &mut spare);
        let limits = SmoothLimits::default();
        let found = minimise_above(&mut function, &lower, vec![2.0; 30], &limits);
        assert!(found.value < first);
        assert_eq!(found.status, Status::Converged);
        assert!(found.steps < 40, "{} steps", found.steps);
    }
}
