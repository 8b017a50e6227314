//! The least eigenpair of a small definite pencil from a good start.
//!
//! Of $A z = \lambda B z$ with $A, B \succ 0$ a vector near the eigenvector of the least $\lambda$ and a guess of
//! $\lambda$ are known. A Cholesky factor of $A - \sigma B$ with $\sigma$ a little below the guess proves that no
//! eigenvalue lies below $\sigma$; Lanczos' method on $(A - \sigma B)^{-1}B$, in the product of $B$, then finds the
//! least one in a few steps, each of which costs as much as two products with a matrix. It sees only what
//! the start has a share in. So a second factor, of $A - \lambda(1 + \eta) B$, has to have exactly one negative
//! pivot: then (Sylvester's law of inertia) no eigenvalue but the one that was found lies below.
//!
//! Rows are stored with a stride of whole registers and zeros behind them, and the factor is one of a
//! matrix of that order with ones at the end of its diagonal, so that loops have no remainders.

use super::Real;
use super::normalise;
use super::padded::{
    LANES, PaddedMatrix, add_four, add_scaled, four_dots, padded_dot, padded_product,
};
use super::tridiagonal::{Pivots, largest_of_tridiagonal};

/// Most steps of Lanczos' method; who needs more is left to another solver.
const MAX_STEPS: usize = 24;
/// Steps before the first look at the small problem, and between two looks.
const FIRST_LOOK: usize = 4;
const LOOK: usize = 2;
/// Rows of the factor that are made together.
const STRIP: usize = 4;
/// Residual of the eigenpair, as a share of its value, at which the steps end.
const SETTLED: f64 = 1e-10;
/// Shifts that are tried, as shares of the guess.
const SHIFTS: [f64; 3] = [0.85, 0.4, 0.0];
/// Smallest share of a diagonal entry that may be left of it by a factor.
const LEAST_PIVOT: f64 = 1e-14;
/// Size of what is added to the start, relative to it, so that it is orthogonal to hardly anything.
const BLUR: f64 = 1e-3;
/// Distance of the next eigenvalue, as a share of the least one, that is proved, η.
const PROVED_GAP: f64 = 1e-6;

/// The least eigenpair.
#[derive(Debug, Clone)]
pub(crate) struct LeastPair {
    /// Of length 1.
    pub(crate) vector: Vec<f64>,
    pub(crate) value: f64,
}

/// Room for the work, used again and again.
#[derive(Debug, Clone, Default)]
pub(crate) struct PencilRoom {
    /// The factor $U$ of $U^\top D U$, row by row; zeros below the diagonal.
    upper: Vec<f64>,
    /// Inverse entries of its diagonal.
    inverse: Vec<f64>,
    /// Directions and their products with $B$.
    basis: Vec<f64>,
    images: Vec<f64>,
    next: Vec<f64>,
    image: Vec<f64>,
    diagonal: Vec<f64>,
    beside: Vec<f64>,
    /// Eigenvector of the small problem.
    weights: Vec<f64>,
    pivots: Pivots,
}

/// The least eigenpair of the pencil of two definite matrices; `None` in doubt. The start may be
/// shorter than the order.
pub(crate) fn least_pair(
    a: &PaddedMatrix,
    b: &PaddedMatrix,
    start: &[f64],
    guess: f64,
    room: &mut PencilRoom,
) -> Option<LeastPair> {
    let stride = a.stride;
    for vector in [&mut room.next, &mut room.image, &mut room.inverse] {
        vector.clear();
        vector.resize(stride, 0.0);
    }
    room.upper.resize(stride * stride, 0.0);
    room.basis.resize(MAX_STEPS * stride, 0.0);
    room.images.resize(MAX_STEPS * stride, 0.0);
    let size = start.iter().fold(0.0f64, |most, x| most.max(x.abs()));
    for (i, next) in room.next[..a.order].iter_mut().enumerate() {
        // As good as random, and the same every time.
        let blur = (i as f64 * 0.618_033_988_749_895).fract() - 0.5;
        *next = start.get(i).copied().unwrap_or(0.0) + BLUR * size * blur;
    }
    let shift = SHIFTS
        .iter()
        .map(|share| share * guess)
        .find(|&shift| shifted_factor(a.order, &a.values, &b.values, shift, 0, room) == Some(0))?;
    let inverse = steps(a.order, &b.values, room)?;
    let mut vector = vec![0.0; a.order];
    for (direction, weight) in room.basis.chunks_exact(stride).zip(&room.weights) {
        for (x, y) in vector.iter_mut().zip(direction) {
            *x += weight * y;
        }
    }
    normalise(&mut vector);
    let value = shift + 1.0 / inverse;
    let beyond = value * (1.0 + PROVED_GAP);
    let is_least = shifted_factor(a.order, &a.values, &b.values, beyond, 1, room) == Some(1);
    (is_least && value > 0.0 && value.is_finite()).then_some(LeastPair { vector, value })
}

#[inline(always)]
fn shifted_factor_body<const FMA: bool>(
    order: usize,
    a: &[f64],
    b: &[f64],
    shift: f64,
    most_negative: usize,
    room: &mut PencilRoom,
) -> Option<usize> {
    let stride = order.next_multiple_of(LANES);
    let upper = &mut room.upper[..stride * stride];
    let (real, rest) = upper.split_at_mut(order * stride);
    for ((out, a), b) in real.iter_mut().zip(a).zip(b) {
        *out = b.fma::<FMA>(-shift, *a);
    }
    rest.fill(0.0);
    for i in order..stride {
        upper[i * stride + i] = 1.0;
    }
    for i in 0..stride {
        room.inverse[i] = upper[i * stride + i];
    }
    let mut negative = 0;
    for first in (0..stride).step_by(STRIP) {
        let (done, rest) = upper[first * stride..].split_at_mut(STRIP * stride);
        let signs = strip::<FMA>(stride, first, done, &mut room.inverse)?;
        negative += signs.iter().filter(|&&sign| sign < 0.0).count();
        if negative > most_negative {
            return None;
        }
        let rows: [&[f64]; STRIP] = std::array::from_fn(|t| &done[t * stride..][..stride]);
        for (below, row) in rest.chunks_exact_mut(stride).enumerate() {
            let i = first + STRIP + below;
            let begin = i / LANES * LANES;
            let factors: [f64; STRIP] = std::array::from_fn(|t| -signs[t] * rows[t][i]);
            add_four::<FMA>(factors, rows.map(|row| &row[begin..]), &mut row[begin..]);
        }
    }
    for (i, row) in upper.chunks_exact_mut(stride).enumerate() {
        row[..i].fill(0.0);
    }
    Some(negative)
}

/// Finishes some rows of the factor; signs of their pivots, `None` if one is 0 to rounding. `inverse`
/// holds diagonal entries of the matrix for rows to come, and inverse ones of the factor for those
/// before.
#[inline(always)]
fn strip<const FMA: bool>(
    stride: usize,
    first: usize,
    rows: &mut [f64],
    inverse: &mut [f64],
) -> Option<[f64; STRIP]> {
    let mut signs = [1.0; STRIP];
    let begin = first / LANES * LANES;
    for t in 0..STRIP {
        let at = first + t;
        let (row, rest) = rows[t * stride..].split_at_mut(stride);
        let left = row[at];
        if left.is_nan() || left.abs() <= LEAST_PIVOT * inverse[at].abs() {
            return None;
        }
        let over = 1.0 / left.abs().sqrt();
        signs[t] = left.signum();
        inverse[at] = over;
        for x in &mut row[begin..] {
            *x *= over;
        }
        for (step, below) in rest.chunks_exact_mut(stride).enumerate() {
            let factor = -signs[t] * row[at + 1 + step];
            add_scaled::<FMA>(factor, &row[begin..], &mut below[begin..]);
        }
    }
    Some(signs)
}

multiversion! {
    /// The factor $U$ of $A - \sigma B = U^\top D U$ with signs $D$, and how many of these are negative; `None`
    /// if more are than may be, or if a pivot is 0 to rounding.
    fn shifted_factor[](
        order: usize,
        a: &[f64],
        b: &[f64],
        shift: f64,
        most_negative: usize,
        room: &mut PencilRoom,
    ) -> Option<usize> = shifted_factor_body;
}

/// Solves $U^\top U x = b$ in place, some rows at a time.
#[inline(always)]
fn solve<const FMA: bool>(room: &PencilRoom, x: &mut [f64]) {
    let stride = x.len();
    let rows = |first: usize| -> [&[f64]; STRIP] {
        std::array::from_fn(|t| &room.upper[(first + t) * stride..][..stride])
    };
    for first in (0..stride).step_by(STRIP) {
        let rows = rows(first);
        let mut found = [0.0; STRIP];
        for t in 0..STRIP {
            let mut value = x[first + t];
            for s in 0..t {
                value = (-found[s]).fma::<FMA>(rows[s][first + t], value);
            }
            found[t] = value * room.inverse[first + t];
        }
        let begin = first / LANES * LANES;
        add_four::<FMA>(
            found.map(|x| -x),
            rows.map(|row| &row[begin..]),
            &mut x[begin..],
        );
        x[first..first + STRIP].copy_from_slice(&found);
    }
    for first in (0..stride).step_by(STRIP).rev() {
        let rows = rows(first);
        let mut found: [f64; STRIP] = std::array::from_fn(|t| x[first + t]);
        x[first..first + STRIP].fill(0.0);
        let begin = first / LANES * LANES;
        let sums = four_dots::<FMA>(rows.map(|row| &row[begin..]), &x[begin..]);
        for t in (0..STRIP).rev() {
            let mut value = found[t] - sums[t];
            for s in t + 1..STRIP {
                value = (-found[s]).fma::<FMA>(rows[t][first + s], value);
            }
            found[t] = value * room.inverse[first + t];
        }
        x[first..first + STRIP].copy_from_slice(&found);
    }
}

/// The largest eigenvalue of $(A - \sigma B)^{-1}B$, with the weights of its vector in the basis.
#[inline(always)]
fn steps_body<const FMA: bool>(order: usize, b: &[f64], room: &mut PencilRoom) -> Option<f64> {
    let stride = order.next_multiple_of(LANES);
    let mut next = std::mem::take(&mut room.next);
    let mut image = std::mem::take(&mut room.image);
    room.diagonal.clear();
    room.beside.clear();
    let mut found = None;
    padded_product::<FMA>(order, b, &next, &mut image);
    let mut size = padded_dot::<FMA>(&next, &image).sqrt();
    let last = MAX_STEPS.min(order);
    for step in 0..last {
        if size.is_nan() || size <= 0.0 {
            break;
        }
        let over = 1.0 / size;
        let at = step * stride..(step + 1) * stride;
        for (out, x) in room.basis[at.clone()].iter_mut().zip(&next) {
            *out = over * x;
        }
        for (out, x) in room.images[at.clone()].iter_mut().zip(&image) {
            *out = over * x;
        }
        next.copy_from_slice(&room.images[at.clone()]);
        solve::<FMA>(room, &mut next);
        room.diagonal
            .push(padded_dot::<FMA>(&next, &room.images[at]));
        for k in 0..=step {
            let at = k * stride..(k + 1) * stride;
            let shared = padded_dot::<FMA>(&next, &room.images[at.clone()]);
            add_scaled::<FMA>(-shared, &room.basis[at], &mut next);
        }
        padded_product::<FMA>(order, b, &next, &mut image);
        size = padded_dot::<FMA>(&next, &image).max(0.0).sqrt();
        let done = step + 1 == order || size <= 1e-14 * room.diagonal[0].abs();
        if step + 1 >= FIRST_LOOK && (step + 1 - FIRST_LOOK).is_multiple_of(LOOK) || done {
            let PencilRoom {
                diagonal,
                beside,
                pivots,
                weights,
                ..
            } = room;
            let value = largest_of_tridiagonal(diagonal, beside, pivots, weights)?;
            if done || size * weights[step].abs() <= SETTLED * value {
                found = Some(value);
                break;
            }
        }
        room.beside.push(size);
    }
    room.next = next;
    room.image = image;
    found
}

multiversion! {
    /// Lanczos' method from the start that the room holds; `None` if it did not settle.
    fn steps[](order: usize, b: &[f64], room: &mut PencilRoom) -> Option<f64> = steps_body;
}

#[cfg(test)]
mod tests {
    use super::super::{dot, pencil_ends};
    use super::*;
    use crate::data::Generator;

    fn definite(order: usize, seed: u64, ridge: f64) -> Vec<f64> {
        let mut generator = Generator::new(seed);
        let rows: Vec<f64> = (0..order * order).map(|_| generator.normal()).collect();
        let mut out = vec![0.0; order * order];
        for row in rows.chunks(order) {
            for i in 0..order {
                for j in 0..order {
                    out[i * order + j] += row[i] * row[j];
                }
            }
        }
        for i in 0..order {
            out[i * order + i] += ridge;
        }
        out
    }

    fn padded(order: usize, values: &[f64]) -> PaddedMatrix {
        let mut matrix = PaddedMatrix::default();
        matrix.clear(order);
        for (i, row) in values.chunks(order).enumerate() {
            matrix.row_mut(i).copy_from_slice(row);
        }
        assert_eq!(matrix.packed(), values);
        matrix
    }

    #[test]
    fn it_is_the_end_of_the_whole_problem() {
        let mut room = PencilRoom::default();
        let mut answered = 0;
        for order in [1, 2, 3, 7, 8, 9, 16, 30, 47] {
            for seed in 0..6 {
                let a = definite(order, 2 * seed, 0.5);
                let b = definite(order, 2 * seed + 1, 0.5);
                let whole = pencil_ends(order, &a, &b).expect("definite").first;
                let mut start = whole.vector.clone();
                let mut generator = Generator::new(seed);
                for x in &mut start {
                    *x += 0.1 * generator.normal();
                }
                let guess = whole.quotient * (0.8 + 0.3 * generator.normal().abs());
                let (a, b) = (padded(order, &a), padded(order, &b));
                let Some(found) = least_pair(&a, &b, &start[..order - order / 9], guess, &mut room)
                else {
                    continue;
                };
                answered += 1;
                assert!((found.value / whole.quotient - 1.0).abs() < 1e-8);
                let size = dot(&whole.vector, &whole.vector).sqrt();
                let cosine = dot(&found.vector, &whole.vector) / size;
                assert!(1.0 - cosine.abs() < 1e-9, "{order} {cosine}");
            }
        }
        assert!(answered > 40, "{answered}");
    }

    /// A start that is orthogonal to the answer is of no help, and does no harm.
    #[test]
    fn an_orthogonal_start_does_not_lead_to_the_next_pair() {
        let order = 6;
        let (mut a, mut b) = (PaddedMatrix::default(), PaddedMatrix::default());
        a.clear(order);
        b.clear(order);
        for i in 0..order {
            *a.diagonal_mut(i) = 1.0 + 0.05 * i as f64;
            *b.diagonal_mut(i) = 1.0;
        }
        let start = [0.0, 1.0, 0.0, 0.0, 0.0, 0.0];
        let found = least_pair(&a, &b, &start, 1.05, &mut PencilRoom::default());
        assert!(found.is_some_and(|found| (found.value - 1.0).abs() < 1e-9));
    }

    /// Nothing is added to a start that undoes what is added to it: the least eigenvector has no share in
    /// it, and Lanczos' method alone would end at the next one.
    #[test]
    fn a_start_without_a_share_of_the_answer_is_found_out() {
        let order = 6;
        let (mut a, mut b) = (PaddedMatrix::default(), PaddedMatrix::default());
        a.clear(order);
        b.clear(order);
        for i in 0..order {
            *a.diagonal_mut(i) = 1.0 + 0.05 * i as f64;
            *b.diagonal_mut(i) = 1.0;
        }
        let start = [0.5 * BLUR, 1.0, 0.0, 0.0, 0.0, 0.0];
        let found = least_pair(&a, &b, &start, 1.05, &mut PencilRoom::default());
        assert!(found.is_none_or(|found| (found.value - 1.0).abs() < 1e-9));
    }

    /// Of two eigenvalues that are equal to many digits neither vector is the right one.
    #[test]
    fn a_narrow_gap_is_left_to_others() {
        let order = 9;
        let answer = |gap: f64| {
            let (mut a, mut b) = (PaddedMatrix::default(), PaddedMatrix::default());
            a.clear(order);
            b.clear(order);
            for i in 0..order {
                *a.diagonal_mut(i) = 2.0 + i as f64;
                *b.diagonal_mut(i) = 1.0;
            }
            *a.diagonal_mut(8) = 2.0 * (1.0 + gap);
            let start = [1.0, 0.1, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0];
            least_pair(&a, &b, &start, 2.0, &mut PencilRoom::default())
        };
        assert!(answer(1e-9).is_none());
        assert!(answer(0.5).is_some_and(|found| (found.value - 2.0).abs() < 1e-9));
    }

    #[test]
    fn a_matrix_that_is_not_definite_is_left_to_others() {
        let (mut a, mut b) = (PaddedMatrix::default(), PaddedMatrix::default());
        a.clear(2);
        b.clear(2);
        for (i, value) in [1.0, -1.0].into_iter().enumerate() {
            *a.diagonal_mut(i) = value;
            *b.diagonal_mut(i) = 1.0;
        }
        assert!(least_pair(&a, &b, &[1.0, 0.0], 1.0, &mut PencilRoom::default()).is_none());
    }
}
