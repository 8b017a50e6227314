//! Steps against the slope whose length each coordinate finds for itself (Kingma and Ba, 2015), but
//! where the slope is small beside that of others: there chance is as likely as reason, and the
//! coordinate moves less. Most columns of wide data are of that kind.

const KEPT_SLOPE: f64 = 0.9;
const KEPT_SQUARE: f64 = 0.99;
const LEAST: f64 = 1e-8;
/// A slope is small below this part of the largest.
const SMALL: f64 = 0.3;

/// What is remembered from step to step.
#[derive(Debug, Clone)]
pub(super) struct Ascent {
    slopes: Vec<f64>,
    squares: Vec<f64>,
    steps: i32,
}

impl Ascent {
    pub(super) fn new(n: usize) -> Self {
        Self {
            slopes: vec![0.0; n],
            squares: vec![0.0; n],
            steps: 0,
        }
    }

    /// Moves every coordinate by about `length` against its slope.
    pub(super) fn step(&mut self, place: &mut [f64], gradient: &[f64], length: f64) {
        self.steps += 1;
        let slope_part = 1.0 - KEPT_SLOPE.powi(self.steps);
        let square_part = 1.0 - KEPT_SQUARE.powi(self.steps);
        for (i, &slope) in gradient.iter().enumerate() {
            self.slopes[i] = KEPT_SLOPE * self.slopes[i] + (1.0 - KEPT_SLOPE) * slope;
            self.squares[i] = KEPT_SQUARE * self.squares[i] + (1.0 - KEPT_SQUARE) * slope * slope;
        }
        let largest = self.squares.iter().copied().fold(0.0, f64::max);
        let small = SMALL * (largest / square_part).sqrt() + LEAST;
        for (i, u) in place.iter_mut().enumerate() {
            let size = (self.squares[i] / square_part).sqrt();
            *u -= length * (self.slopes[i] / slope_part) / (size + small);
        }
    }
}
