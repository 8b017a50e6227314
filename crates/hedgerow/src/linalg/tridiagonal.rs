//! The largest eigenpair of a small tridiagonal matrix.

use super::normalise;

/// Room for pivots, used again and again.
#[derive(Debug, Clone, Default)]
pub(super) struct Pivots {
    /// From above and from below.
    above: Vec<f64>,
    below: Vec<f64>,
}

/// The largest eigenvalue, by Laguerre's method from above; its vector, of length 1, goes to `weights`.
/// `None` if it is not positive. `beside` is shorter than `diagonal` by one.
pub(super) fn largest_of_tridiagonal(
    diagonal: &[f64],
    beside: &[f64],
    room: &mut Pivots,
    weights: &mut Vec<f64>,
) -> Option<f64> {
    const MAX_ROUNDS: usize = 40;
    /// The step that ends the rounds, as a share of the value: the error is less than its cube.
    const LAST_STEP: f64 = 1e-6;
    let n = diagonal.len();
    let around = |i: usize| {
        let left = i.checked_sub(1).map_or(0.0, |k| beside[k]);
        left + beside.get(i).copied().unwrap_or(0.0)
    };
    let bound = |i: usize| diagonal[i] + around(i);
    let mut value = (0..n).map(bound).fold(f64::NEG_INFINITY, f64::max);
    for _ in 0..MAX_ROUNDS {
        let Some(step) = laguerre(value, diagonal, beside) else {
            break;
        };
        value -= step;
        if step <= LAST_STEP * value.abs() {
            break;
        }
    }
    if !value.is_finite() || value <= 0.0 {
        return None;
    }
    twisted(value, diagonal, beside, room, weights);
    normalise(weights);
    weights.iter().all(|w| w.is_finite()).then_some(value)
}

/// How far below `value`, which is no less than the largest eigenvalue, the next iterate lies; `None`
/// where rounding ends the way down. The characteristic polynomial is the product of the pivots.
fn laguerre(value: f64, diagonal: &[f64], beside: &[f64]) -> Option<f64> {
    // A pivot with its first and second derivative; sums over the roots of 1/(x − root) and its square.
    let (mut pivot, mut first, mut second) = (1.0, 0.0, 0.0);
    let (mut sum, mut squares) = (0.0, 0.0);
    for (i, &entry) in diagonal.iter().enumerate() {
        let square = if i > 0 { beside[i - 1].powi(2) } else { 0.0 };
        let over = 1.0 / pivot;
        let share = square * over * over;
        second = share * (second - 2.0 * first * first * over);
        first = 1.0 + share * first;
        pivot = value - entry - square * over;
        // From above all pivots are positive.
        if pivot.is_nan() || pivot <= 0.0 {
            return None;
        }
        let over = 1.0 / pivot;
        let slope = first * over;
        sum += slope;
        squares += slope * slope - second * over;
    }
    let n = diagonal.len() as f64;
    let root = ((n - 1.0) * (n * squares - sum * sum)).max(0.0).sqrt();
    let step = n / (sum + root);
    step.is_finite().then_some(step)
}

/// The vector of an eigenvalue: pivots from above meet those from below where it is largest. Pivots from
/// one side alone lose the small entries.
fn twisted(
    value: f64,
    diagonal: &[f64],
    beside: &[f64],
    room: &mut Pivots,
    weights: &mut Vec<f64>,
) {
    let n = diagonal.len();
    let (pivots, below) = (&mut room.above, &mut room.below);
    pivots.resize(n, 0.0);
    below.resize(n, 0.0);
    let (mut before, mut after) = (f64::INFINITY, f64::INFINITY);
    for i in 0..n {
        let square = if i > 0 { beside[i - 1].powi(2) } else { 0.0 };
        before = value - diagonal[i] - square / before;
        pivots[i] = before;
        let i = n - 1 - i;
        let square = if i + 1 < n { beside[i].powi(2) } else { 0.0 };
        after = value - diagonal[i] - square / after;
        below[i] = after;
    }
    let meeting = |i: usize| (pivots[i] + below[i] - (value - diagonal[i])).abs();
    let twist = (0..n).fold(
        0,
        |best, i| if meeting(i) < meeting(best) { i } else { best },
    );
    weights.clear();
    weights.resize(n, 0.0);
    weights[twist] = 1.0;
    for i in (0..twist).rev() {
        weights[i] = weights[i + 1] * beside[i] / pivots[i];
    }
    for i in twist + 1..n {
        weights[i] = weights[i - 1] * beside[i - 1] / below[i];
    }
}

#[cfg(test)]
mod tests {
    use super::super::symmetric_eigen;
    use super::*;
    use crate::data::Generator;

    #[test]
    fn it_is_the_end_of_all_eigenvalues() {
        let (mut room, mut weights) = (Pivots::default(), Vec::new());
        for seed in 0..200 {
            let mut generator = Generator::new(seed);
            let n = 1 + generator.below(12);
            let spread = 10.0f64.powi(generator.below(8) as i32);
            let diagonal: Vec<f64> = (0..n)
                .map(|_| 1.0 + spread * generator.normal().abs())
                .collect();
            let beside: Vec<f64> = (1..n).map(|_| generator.normal().abs()).collect();
            let mut matrix = vec![0.0; n * n];
            for i in 0..n {
                matrix[i * n + i] = diagonal[i];
                if i + 1 < n {
                    matrix[i * n + i + 1] = beside[i];
                    matrix[(i + 1) * n + i] = beside[i];
                }
            }
            let all = symmetric_eigen(&matrix, n).expect("eigenvalues");
            let value = largest_of_tridiagonal(&diagonal, &beside, &mut room, &mut weights);
            let value = value.expect("positive");
            assert!((value / all.values[n - 1] - 1.0).abs() < 1e-13, "{seed}");
            let vector = &all.vectors[(n - 1) * n..];
            let cosine: f64 = vector.iter().zip(&weights).map(|(a, b)| a * b).sum();
            assert!(1.0 - cosine.abs() < 1e-9, "{seed} {cosine}");
        }
    }
}
