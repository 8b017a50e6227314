//! Trust region in the plane that conjugate gradients span.
//!
//! Of the solution $s_2$ of $H s = -g$ that conjugate gradients come to, and their first direction,
//! the preconditioned gradient, the plane is made; the model is minimised in it exactly. Products
//! with both are known from the way: $H s_2 = -g - r$ with the residual $r$. A direction without
//! positive curvature takes the place of $s_2$ where one is met. After a step in vain the same plane
//! serves with a smaller radius.
//!
//! Each search is a machine that has one question open. [`minimise_batch`] has all open questions
//! answered at once and hands each search its answer; so none waits for another.

use super::subproblem::exact_step;
use super::{BAD, Radius};
use crate::Status;
use crate::linalg::dot;
use crate::solve::conjugate::Conjugate;
use crate::solve::smooth::{
    Alone, Ask, Minimum, Question, Smooth, SmoothBatch, SmoothLimits, largest_entry, length,
};

/// Sine of the angle below which two directions are one.
const PARALLEL: f64 = 1e-8;
/// Promised decrease, relative to the value, below which a value cannot tell a good step: the
/// gradient then does.
const ROUNDING: f64 = 1e-12;
/// Share of the gradient that such a step may leave.
const POLISHED: f64 = 0.9;

/// Minimises a function from a starting point.
pub fn minimise<S: Smooth + ?Sized>(
    function: &mut S,
    start: Vec<f64>,
    limits: &SmoothLimits,
) -> Minimum {
    let mut found = minimise_batch(&mut Alone(function), vec![start], limits);
    found.remove(0)
}

/// Minimises several functions together, each from its starting point.
pub fn minimise_batch(
    batch: &mut dyn SmoothBatch,
    starts: Vec<Vec<f64>>,
    limits: &SmoothLimits,
) -> Vec<Minimum> {
    let mut searches: Vec<Search> = starts
        .into_iter()
        .enumerate()
        .map(|(problem, start)| Search::new(problem, start))
        .collect();
    let mut asks: Vec<Ask> = searches.iter().map(Search::first).collect();
    while !asks.is_empty() {
        batch.answer(&mut asks);
        let answered = std::mem::take(&mut asks);
        for ask in answered {
            let search = &mut searches[ask.problem];
            asks.extend(search.take(ask, batch, limits));
        }
    }
    searches.into_iter().map(Search::minimum).collect()
}

/// One search.
struct Search {
    problem: usize,
    point: Vec<f64>,
    value: f64,
    gradient: Vec<f64>,
    diagonal: Vec<f64>,
    /// `None` until the first step is proposed.
    radius: Option<Radius>,
    phase: Phase,
    steps: u32,
    products: u64,
    status: Status,
}

enum Phase {
    /// The starting point is being evaluated.
    Begun,
    /// A product for conjugate gradients is being computed.
    Direction(Direction),
    /// A step in the plane is being tried.
    Trial(Plane, Proposal),
    Ended,
}

/// Conjugate gradients on their way, with their first direction and its product.
struct Direction {
    conjugate: Conjugate,
    first: Option<(Vec<f64>, Vec<f64>)>,
}

/// Orthonormal directions with the model along them.
struct Plane {
    directions: Vec<Vec<f64>>,
    gradient: Vec<f64>,
    hessian: Vec<f64>,
    /// Length of the step that conjugate gradients came to.
    reach: f64,
}

/// A step that is tried.
struct Proposal {
    length: f64,
    promised: f64,
}

impl Search {
    fn new(problem: usize, point: Vec<f64>) -> Self {
        let n = point.len();
        Self {
            problem,
            value: f64::INFINITY,
            gradient: vec![0.0; n],
            diagonal: vec![1.0; n],
            radius: None,
            phase: Phase::Begun,
            steps: 0,
            products: 0,
            status: Status::Converged,
            point,
        }
    }

    fn ask(&self, question: Question, input: Vec<f64>) -> Ask {
        Ask {
            problem: self.problem,
            question,
            answer: vec![0.0; input.len()],
            input,
            value: 0.0,
        }
    }

    fn first(&self) -> Ask {
        self.ask(Question::Evaluate, self.point.clone())
    }

    fn minimum(self) -> Minimum {
        Minimum {
            gradient_norm: largest_entry(&self.gradient),
            point: self.point,
            value: self.value,
            steps: self.steps,
            products: self.products,
            status: self.status,
        }
    }

    fn end(&mut self, status: Status) -> Option<Ask> {
        self.phase = Phase::Ended;
        self.status = status;
        None
    }

    /// Goes on with an answer: the next question, or `None` at the end.
    fn take(
        &mut self,
        ask: Ask,
        batch: &mut dyn SmoothBatch,
        limits: &SmoothLimits,
    ) -> Option<Ask> {
        match std::mem::replace(&mut self.phase, Phase::Ended) {
            Phase::Begun => {
                self.value = ask.value;
                self.gradient = ask.answer;
                self.begin_step(batch, limits)
            }
            Phase::Direction(direction) => self.go_on(direction, &ask, limits),
            Phase::Trial(plane, proposal) => self.judge(plane, &proposal, ask, batch, limits),
            Phase::Ended => None,
        }
    }

    /// At a point whose value and gradient are known.
    fn begin_step(&mut self, batch: &mut dyn SmoothBatch, limits: &SmoothLimits) -> Option<Ask> {
        if largest_entry(&self.gradient) <= limits.gradient_tolerance {
            return self.end(Status::Converged);
        }
        if self.steps >= limits.max_steps {
            return self.end(Status::IterationLimit);
        }
        batch.accept(self.problem);
        batch.diagonal(self.problem, &mut self.diagonal);
        let conjugate = Conjugate::new(&self.gradient, &self.diagonal, limits.residual);
        let next = self.ask(Question::Product, conjugate.search.clone());
        self.phase = Phase::Direction(Direction {
            conjugate,
            first: None,
        });
        Some(next)
    }

    /// With the product of the last direction.
    fn go_on(&mut self, mut direction: Direction, ask: &Ask, limits: &SmoothLimits) -> Option<Ask> {
        self.products += 1;
        if direction.first.is_none() {
            direction.first = Some((ask.input.clone(), ask.answer.clone()));
        }
        let conjugate = &mut direction.conjugate;
        let curved = conjugate.take(&ask.answer, &self.diagonal);
        if curved && !conjugate.is_done() && conjugate.products < limits.max_products {
            let next = self.ask(Question::Product, conjugate.search.clone());
            self.phase = Phase::Direction(direction);
            return Some(next);
        }
        let main = if curved {
            let product = conjugate
                .residual
                .iter()
                .zip(&self.gradient)
                .map(|(r, g)| -g - r)
                .collect();
            (std::mem::take(&mut conjugate.step), product)
        } else {
            (ask.input.clone(), ask.answer.clone())
        };
        let plane = Plane::new(main, direction.first, &self.gradient);
        self.propose(plane, limits)
    }

    /// A step in the plane within the radius.
    fn propose(&mut self, plane: Plane, limits: &SmoothLimits) -> Option<Ask> {
        // The first step may go as far as conjugate gradients came.
        let radius = *self.radius.get_or_insert(Radius(plane.reach));
        let Ok(exact) = exact_step(&plane.hessian, &plane.gradient, radius.0) else {
            // The function has no finite curvature here: no step can be judged.
            return self.end(Status::IterationLimit);
        };
        if exact.model.is_nan() || exact.model >= 0.0 {
            return self.end(Status::Converged);
        }
        if self.steps >= limits.max_steps {
            return self.end(Status::IterationLimit);
        }
        self.steps += 1;
        let mut trial = self.point.clone();
        for (direction, &by) in plane.directions.iter().zip(&exact.step) {
            for (x, d) in trial.iter_mut().zip(direction) {
                *x += by * d;
            }
        }
        let proposal = Proposal {
            length: length(&exact.step),
            promised: exact.model,
        };
        self.phase = Phase::Trial(plane, proposal);
        Some(self.ask(Question::Evaluate, trial))
    }

    /// With value and gradient at the end of a step.
    fn judge(
        &mut self,
        plane: Plane,
        proposal: &Proposal,
        ask: Ask,
        batch: &mut dyn SmoothBatch,
        limits: &SmoothLimits,
    ) -> Option<Ask> {
        if -proposal.promised <= ROUNDING * self.value.abs() {
            return self.polish(ask, batch, limits);
        }
        let decrease = self.value - ask.value;
        let kept = -decrease / proposal.promised;
        let short = proposal.length <= limits.step_tolerance * (1.0 + length(&self.point));
        if let Some(radius) = &mut self.radius {
            radius.update(kept, proposal.length);
        }
        if decrease.is_nan() || decrease <= 0.0 {
            return if short || -proposal.promised <= limits.value_tolerance * self.value.abs() {
                self.end(Status::Converged)
            } else {
                self.propose(plane, limits)
            };
        }
        self.point = ask.input;
        self.value = ask.value;
        self.gradient = ask.answer;
        let settled = kept > BAD && decrease <= limits.value_tolerance * self.value.abs();
        if settled || short {
            return self.end(Status::Converged);
        }
        self.begin_step(batch, limits)
    }
}

impl Search {
    /// After a step that is too small for its value to tell.
    fn polish(
        &mut self,
        ask: Ask,
        batch: &mut dyn SmoothBatch,
        limits: &SmoothLimits,
    ) -> Option<Ask> {
        let left = largest_entry(&ask.answer);
        if left.is_nan() || left > POLISHED * largest_entry(&self.gradient) {
            return self.end(Status::Converged);
        }
        self.point = ask.input;
        self.value = ask.value;
        self.gradient = ask.answer;
        if limits.value_tolerance >= ROUNDING {
            return self.end(Status::Converged);
        }
        self.begin_step(batch, limits)
    }
}

impl Plane {
    /// Of one or two directions, each with its product.
    fn new(
        main: (Vec<f64>, Vec<f64>),
        first: Option<(Vec<f64>, Vec<f64>)>,
        gradient: &[f64],
    ) -> Self {
        let reach = length(&main.0);
        let mut members: Vec<(Vec<f64>, Vec<f64>)> = Vec::new();
        for (mut direction, mut product) in [Some(main), first].into_iter().flatten() {
            let before = length(&direction);
            for (other, other_product) in &members {
                let shared = dot(other, &direction);
                subtract(&mut direction, shared, other);
                subtract(&mut product, shared, other_product);
            }
            let after = length(&direction);
            if after > PARALLEL * before && after.is_finite() {
                for value in direction.iter_mut().chain(&mut product) {
                    *value /= after;
                }
                members.push((direction, product));
            }
        }
        let n = members.len();
        let mut hessian = vec![0.0; n * n];
        for (i, (direction, _)) in members.iter().enumerate() {
            for (j, (_, product)) in members.iter().enumerate() {
                let half = 0.5 * dot(direction, product);
                hessian[i * n + j] += half;
                hessian[j * n + i] += half;
            }
        }
        Self {
            gradient: members.iter().map(|(d, _)| dot(d, gradient)).collect(),
            hessian,
            directions: members.into_iter().map(|(d, _)| d).collect(),
            reach,
        }
    }
}

fn subtract(from: &mut [f64], factor: f64, what: &[f64]) {
    for (value, other) in from.iter_mut().zip(what) {
        *value -= factor * other;
    }
}
