//! Plainer minimisers of smooth functions, to compare trust regions with: steepest descent,
//! nonlinear conjugate gradients, and Newton's method with conjugate gradients that stop early.
//!
//! Each goes along its direction as far as $F(x + \omega s) \le F(x) + \eta\,\omega\, g^\top s$ holds,
//! $\omega$ halved until it does, from 1 for a Newton step and otherwise from
//! $-g^\top s / s^\top H s$.

use super::conjugate::{ConjugateLimits, conjugate_gradients};
use super::smooth::{Minimum, Smooth, SmoothLimits, largest_entry, length};
use crate::Status;
use crate::linalg::dot;

/// Share of the promised decrease that a step must keep.
const SUFFICIENT: f64 = 1e-4;
/// Halvings after which a step is given up: the rest is rounding.
const MAX_HALVINGS: usize = 60;

/// Which direction is gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Descent {
    /// $-g$.
    Steepest,
    /// $-g + \beta s$ with the last direction $s$ and $\beta$ of Polak and Ribière, not below 0.
    NonlinearConjugate,
    /// About $-H^{-1}g$.
    TruncatedNewton,
}

/// Minimises a function from a starting point.
pub fn descend<S: Smooth + ?Sized>(
    function: &mut S,
    start: Vec<f64>,
    kind: Descent,
    limits: &SmoothLimits,
) -> Minimum {
    let n = start.len();
    let mut state = State {
        gradient: vec![0.0; n],
        value: 0.0,
        point: start,
        step: vec![0.0; n],
        omega: 1.0,
        products: 0,
    };
    state.value = function.value_gradient(&state.point, &mut state.gradient);
    let mut last = state.gradient.clone();
    let mut steps = 0;
    let status = loop {
        if largest_entry(&state.gradient) <= limits.gradient_tolerance {
            break Status::Converged;
        }
        if steps >= limits.max_steps {
            break Status::IterationLimit;
        }
        steps += 1;
        state.choose(function, kind, &last, steps == 1, limits);
        last.clone_from(&state.gradient);
        let before = state.value;
        if !state.search(function, kind) {
            // Rounding may have spoilt the direction; straight down there is only one.
            state.step = state.gradient.iter().map(|g| -g).collect();
            if !state.search(function, kind) {
                break Status::Converged;
            }
        }
        let moved = state.omega * length(&state.step);
        if before - state.value <= limits.value_tolerance * state.value.abs()
            || moved <= limits.step_tolerance * (1.0 + length(&state.point))
        {
            break Status::Converged;
        }
    };
    Minimum {
        gradient_norm: largest_entry(&state.gradient),
        point: state.point,
        value: state.value,
        steps,
        products: state.products,
        status,
    }
}

struct State {
    point: Vec<f64>,
    value: f64,
    gradient: Vec<f64>,
    step: Vec<f64>,
    /// Length of the last step in its direction.
    omega: f64,
    products: u64,
}

impl State {
    /// Chooses the next direction.
    fn choose<S: Smooth + ?Sized>(
        &mut self,
        function: &mut S,
        kind: Descent,
        last: &[f64],
        first: bool,
        limits: &SmoothLimits,
    ) {
        if kind == Descent::TruncatedNewton {
            function.accept();
            let n = self.point.len();
            let mut diagonal = vec![1.0; n];
            function.diagonal(&mut diagonal);
            let limits = ConjugateLimits {
                tolerance: limits.residual,
                max_products: limits.max_products,
            };
            let (step, products) =
                conjugate_gradients(&self.gradient, &diagonal, &limits, |direction| {
                    let mut product = vec![0.0; n];
                    function.hessian_product(direction, &mut product);
                    product
                });
            self.products += products as u64;
            self.step = step;
        } else {
            let turn = if kind == Descent::Steepest || first {
                0.0
            } else {
                let change = dot(&self.gradient, &self.gradient) - dot(&self.gradient, last);
                (change / dot(last, last)).max(0.0)
            };
            for (s, g) in self.step.iter_mut().zip(&self.gradient) {
                *s = turn * *s - g;
            }
        }
        let slope = dot(&self.step, &self.gradient);
        if slope.is_nan() || slope >= 0.0 {
            self.step = self.gradient.iter().map(|g| -g).collect();
        }
    }

    /// Goes along the direction; false if no length lowers the value.
    fn search<S: Smooth + ?Sized>(&mut self, function: &mut S, kind: Descent) -> bool {
        let slope = dot(&self.step, &self.gradient);
        // A Newton step has its own length; others begin with that of the lowest point of the model
        // along them.
        self.omega = 1.0;
        if kind != Descent::TruncatedNewton {
            let mut curved = vec![0.0; self.point.len()];
            function.accept();
            function.hessian_product(&self.step, &mut curved);
            self.products += 1;
            let bend = dot(&curved, &self.step);
            if bend > 0.0 {
                self.omega = -slope / bend;
            }
        }
        let mut gradient = vec![0.0; self.point.len()];
        for _ in 0..MAX_HALVINGS {
            let moved = self.point.iter().zip(&self.step);
            let point: Vec<f64> = moved.map(|(x, s)| x + self.omega * s).collect();
            let value = function.value_gradient(&point, &mut gradient);
            if value <= self.value + SUFFICIENT * self.omega * slope {
                self.point = point;
                self.value = value;
                self.gradient = gradient;
                return true;
            }
            self.omega *= 0.5;
        }
        false
    }
}
