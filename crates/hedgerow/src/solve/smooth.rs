//! What minimisers of smooth functions ask for.
//!
//! A search asks for one of two things at a time: value and gradient at a point, or the product of
//! the Hessian with a direction. Several searches of the same kind advance together: their questions
//! are answered in one call, and what answers them can read its matrix once for all of them.

use crate::Status;

/// A smooth function.
pub trait Smooth {
    /// Number of variables.
    fn n_variables(&self) -> usize;

    /// Writes the gradient at a point, and returns the value. Not finite outside the domain.
    fn value_gradient(&mut self, point: &[f64], gradient: &mut [f64]) -> f64;

    /// Products are from now on those of the Hessian at the point that was evaluated last.
    fn accept(&mut self) {}

    /// Writes the product of the Hessian at the accepted point with a direction.
    fn hessian_product(&mut self, direction: &[f64], product: &mut [f64]);

    /// Writes a positive vector near to the diagonal of the Hessian at the accepted point, which
    /// conjugate gradients divide by; ones unless the function knows better.
    fn diagonal(&mut self, diagonal: &mut [f64]) {
        diagonal.fill(1.0);
    }
}

/// What a search wants to know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Question {
    /// Value and gradient at [`Ask::input`].
    Evaluate,
    /// Product of the Hessian with [`Ask::input`].
    Product,
}

/// A question of one of several searches, and the answer.
#[derive(Debug, Clone)]
pub struct Ask {
    /// The function that it is about.
    pub problem: usize,
    /// What is asked.
    pub question: Question,
    /// A point or a direction.
    pub input: Vec<f64>,
    /// Gradient or product: to be filled.
    pub answer: Vec<f64>,
    /// Value: to be filled where it is asked for.
    pub value: f64,
}

/// Several smooth functions whose questions are answered together.
pub trait SmoothBatch {
    /// Number of functions.
    fn n_problems(&self) -> usize;

    /// Number of variables of a function.
    fn n_variables(&self, problem: usize) -> usize;

    /// Answers questions, at most one about a function.
    fn answer(&mut self, asks: &mut [Ask]);

    /// As [`Smooth::accept`].
    fn accept(&mut self, problem: usize);

    /// As [`Smooth::diagonal`].
    fn diagonal(&mut self, problem: usize, diagonal: &mut [f64]);
}

/// A batch of one.
pub struct Alone<'a, S: ?Sized>(pub &'a mut S);

impl<S: Smooth + ?Sized> SmoothBatch for Alone<'_, S> {
    fn n_problems(&self) -> usize {
        1
    }

    fn n_variables(&self, _: usize) -> usize {
        self.0.n_variables()
    }

    fn answer(&mut self, asks: &mut [Ask]) {
        for ask in asks {
            match ask.question {
                Question::Evaluate => {
                    ask.value = self.0.value_gradient(&ask.input, &mut ask.answer);
                }
                Question::Product => self.0.hessian_product(&ask.input, &mut ask.answer),
            }
        }
    }

    fn accept(&mut self, _: usize) {
        self.0.accept();
    }

    fn diagonal(&mut self, _: usize, diagonal: &mut [f64]) {
        self.0.diagonal(diagonal);
    }
}

/// When to stop.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SmoothLimits {
    /// Largest absolute entry of the gradient.
    pub gradient_tolerance: f64,
    /// Decrease of the value in a step that the model foretold well, relative to the value.
    pub value_tolerance: f64,
    /// Length of a step, relative to 1 + the length of the point.
    pub step_tolerance: f64,
    /// Largest number of steps, those that were tried in vain included.
    pub max_steps: u32,
    /// Share of the residual that conjugate gradients leave.
    pub residual: f64,
    /// Most products with the Hessian in one step.
    pub max_products: usize,
}

impl Default for SmoothLimits {
    fn default() -> Self {
        Self {
            gradient_tolerance: 1e-6,
            value_tolerance: 1e-12,
            step_tolerance: 1e-12,
            max_steps: 400,
            residual: 0.1,
            max_products: 25,
        }
    }
}

/// What a search found.
#[derive(Debug, Clone, PartialEq)]
pub struct Minimum {
    /// The point.
    pub point: Vec<f64>,
    /// The value there.
    pub value: f64,
    /// Largest absolute entry of the gradient there.
    pub gradient_norm: f64,
    /// Steps, those that were tried in vain included.
    pub steps: u32,
    /// Products with the Hessian.
    pub products: u64,
    /// Why it stopped.
    pub status: Status,
}

/// Largest absolute entry.
pub(crate) fn largest_entry(vector: &[f64]) -> f64 {
    vector.iter().fold(0.0, |most, value| value.abs().max(most))
}

/// Euclidean length.
pub(super) fn length(vector: &[f64]) -> f64 {
    crate::linalg::dot(vector, vector).sqrt()
}
