//! The least eigenpair of a small definite pencil from a good start.
//!
//! Of $A z = \lambda B z$ with $A, B \succ 0$ a vector near the eigenvector of the least $\lambda$ and a guess of
//! $\lambda$ are known. A Cholesky factor of $A - \sigma B$ with $\sigma$ a little below the guess proves that no
//! eigenvalue lies below $\sigma$; Lanczos' method on $(A - \sigma B)^{-1}B$, in the product of $B$, then finds the
//! least one in a few steps, each of which costs as much as two products with a matrix.
//!
//! Rows are stored with a stride of whole registers and zeros behind them, so that loops have no
//! remainders.

use super::Real;
use super::normalise;

/// Values of a register of the widest processors: strides are multiples of it.
const LANES: usize = 8;
/// Most steps of Lanczos' method; who needs more is left to another solver.
const MAX_STEPS: usize = 24;
/// Steps before the first look at the small problem.
const FIRST_LOOK: usize = 4;
/// Residual of the eigenpair, as a share of its value, at which the steps end.
const SETTLED: f64 = 1e-10;
/// Shifts that are tried, as shares of the guess.
const SHIFTS: [f64; 3] = [0.85, 0.4, 0.0];
/// Smallest share of a diagonal entry that may be left of it by a factor.
const LEAST_PIVOT: f64 = 1e-14;
/// Size of what is added to the start, relative to it, so that it is orthogonal to nothing.
const BLUR: f64 = 1e-3;

/// A symmetric matrix whose rows are padded with zeros.
#[derive(Debug, Clone, Default)]
pub(crate) struct PaddedMatrix {
    order: usize,
    stride: usize,
    values: Vec<f64>,
}

impl PaddedMatrix {
    /// Makes it a matrix of zeros.
    pub(crate) fn clear(&mut self, order: usize) {
        self.order = order;
        self.stride = order.next_multiple_of(LANES);
        self.values.clear();
        self.values.resize(order * self.stride, 0.0);
    }

    /// A row without what pads it.
    pub(crate) fn row_mut(&mut self, i: usize) -> &mut [f64] {
        &mut self.values[i * self.stride..i * self.stride + self.order]
    }

    /// An entry of the diagonal.
    pub(crate) fn diagonal_mut(&mut self, i: usize) -> &mut f64 {
        &mut self.values[i * self.stride + i]
    }

    /// The rows one after the other.
    pub(crate) fn packed(&self) -> Vec<f64> {
        let rows = self.values.chunks_exact(self.stride.max(1));
        rows.flat_map(|row| row[..self.order].iter().copied())
            .collect()
    }
}

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
    /// The factor, row by row, and its transpose.
    lower: Vec<f64>,
    upper: Vec<f64>,
    /// Inverse entries of the diagonal of the factor.
    inverse: Vec<f64>,
    /// Columns of the factor that are being made.
    strip: Vec<f64>,
    /// Directions and their products with $B$.
    basis: Vec<f64>,
    images: Vec<f64>,
    next: Vec<f64>,
    image: Vec<f64>,
    diagonal: Vec<f64>,
    beside: Vec<f64>,
    /// Pivots of the small problem from above and from below.
    pivots: Vec<f64>,
    below: Vec<f64>,
    weights: Vec<f64>,
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
    room.strip.resize(4 * stride, 0.0);
    room.lower.resize(a.values.len(), 0.0);
    room.upper.resize(a.values.len(), 0.0);
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
        .find(|&shift| shifted_factor(a.order, &a.values, &b.values, shift, room))?;
    let inverse = steps(a.order, &b.values, room)?;
    let mut vector = vec![0.0; a.order];
    for (direction, weight) in room.basis.chunks_exact(stride).zip(&room.weights) {
        for (x, y) in vector.iter_mut().zip(direction) {
            *x += weight * y;
        }
    }
    normalise(&mut vector);
    let value = shift + 1.0 / inverse;
    (value > 0.0 && value.is_finite()).then_some(LeastPair { vector, value })
}

#[inline(always)]
fn shifted_factor_body<const FMA: bool>(
    order: usize,
    a: &[f64],
    b: &[f64],
    shift: f64,
    room: &mut PencilRoom,
) -> bool {
    let stride = order.next_multiple_of(LANES);
    let lower = &mut room.lower[..order * stride];
    for ((out, a), b) in lower.iter_mut().zip(a).zip(b) {
        *out = b.fma::<FMA>(-shift, *a);
    }
    for (i, inverse) in room.inverse[..order].iter_mut().enumerate() {
        *inverse = lower[i * stride + i];
    }
    for first in (0..order).step_by(4) {
        let width = 4.min(order - first);
        if !strip::<FMA>(
            order,
            first,
            width,
            lower,
            &mut room.strip,
            &mut room.inverse,
        ) {
            return false;
        }
        // What is left of the rows below: a step for the four columns together.
        let mut columns = room.strip.chunks_exact(stride);
        let columns: [&[f64]; 4] = std::array::from_fn(|_| columns.next().unwrap_or(&[]));
        for i in first + width..order {
            let row = &mut lower[i * stride..(i + 1) * stride];
            let factors: [f64; 4] = std::array::from_fn(|t| -columns[t][i]);
            let begin = (first + width) / LANES * LANES;
            let end = (i + 1).next_multiple_of(LANES);
            add_four::<FMA>(
                factors,
                columns.map(|c| &c[begin..end]),
                &mut row[begin..end],
            );
        }
    }
    let upper = &mut room.upper[..order * stride];
    upper.fill(0.0);
    for i in 0..order {
        for j in 0..i {
            upper[j * stride + i] = lower[i * stride + j];
        }
        lower[i * stride + i..(i + 1) * stride].fill(0.0);
    }
    true
}

/// Finishes some columns of the factor and writes what is below them to `strip`, one after the other;
/// false if a pivot is not positive. `inverse` holds diagonal entries of the matrix for columns to come, and
/// inverse ones of the factor for those before.
#[inline(always)]
fn strip<const FMA: bool>(
    order: usize,
    first: usize,
    width: usize,
    lower: &mut [f64],
    strip: &mut [f64],
    inverse: &mut [f64],
) -> bool {
    let stride = order.next_multiple_of(LANES);
    strip.fill(0.0);
    for t in 0..width {
        let column = first + t;
        // The entries of this row in the columns before it in the strip.
        let before: [f64; 4] = std::array::from_fn(|s| {
            if s < t {
                strip[s * stride + column]
            } else {
                0.0
            }
        });
        let mut left = lower[column * stride + column];
        for value in before {
            left = (-value).fma::<FMA>(value, left);
        }
        if left.is_nan() || left <= LEAST_PIVOT * inverse[column] {
            return false;
        }
        let root = left.sqrt();
        let over = 1.0 / root;
        inverse[column] = over;
        strip[t * stride + column] = root;
        for i in column + 1..order {
            let mut value = lower[i * stride + column];
            for s in 0..t {
                value = (-before[s]).fma::<FMA>(strip[s * stride + i], value);
            }
            let value = value * over;
            strip[t * stride + i] = value;
            lower[i * stride + column] = value;
        }
    }
    // Finished rows are not touched by what follows.
    for column in strip.chunks_exact_mut(stride) {
        column[first..first + width].fill(0.0);
    }
    true
}

multiversion! {
    /// The factor of $A - \sigma B$; false if that is not definite.
    fn shifted_factor[](
        order: usize,
        a: &[f64],
        b: &[f64],
        shift: f64,
        room: &mut PencilRoom,
    ) -> bool = shifted_factor_body;
}

/// `out += factor · x`.
#[inline(always)]
fn add_scaled<const FMA: bool>(factor: f64, x: &[f64], out: &mut [f64]) {
    for (out, x) in out.chunks_exact_mut(LANES).zip(x.chunks_exact(LANES)) {
        for lane in 0..LANES {
            out[lane] = factor.fma::<FMA>(x[lane], out[lane]);
        }
    }
}

/// As [`add_scaled`], of four.
#[inline(always)]
fn add_four<const FMA: bool>(factors: [f64; 4], rows: [&[f64]; 4], out: &mut [f64]) {
    let [a, b, c, d] = rows;
    let first = a.chunks_exact(LANES).zip(b.chunks_exact(LANES));
    let second = c.chunks_exact(LANES).zip(d.chunks_exact(LANES));
    for ((out, (a, b)), (c, d)) in out.chunks_exact_mut(LANES).zip(first).zip(second) {
        for lane in 0..LANES {
            let mut value = factors[0].fma::<FMA>(a[lane], out[lane]);
            value = factors[1].fma::<FMA>(b[lane], value);
            value = factors[2].fma::<FMA>(c[lane], value);
            out[lane] = factors[3].fma::<FMA>(d[lane], value);
        }
    }
}

#[inline(always)]
fn padded_dot<const FMA: bool>(x: &[f64], y: &[f64]) -> f64 {
    let mut sums = [0.0; LANES];
    for (x, y) in x.chunks_exact(LANES).zip(y.chunks_exact(LANES)) {
        for lane in 0..LANES {
            sums[lane] = x[lane].fma::<FMA>(y[lane], sums[lane]);
        }
    }
    let [a, b, c, d, e, f, g, h] = sums;
    ((a + e) + (c + g)) + ((b + f) + (d + h))
}

/// `out = m · x` of a symmetric matrix, four rows at a time.
#[inline(always)]
fn padded_product<const FMA: bool>(order: usize, m: &[f64], x: &[f64], out: &mut [f64]) {
    let stride = x.len();
    out.fill(0.0);
    let mut i = 0;
    while i + 4 <= order {
        let rows: [&[f64]; 4] = std::array::from_fn(|r| &m[(i + r) * stride..][..stride]);
        let factors: [f64; 4] = std::array::from_fn(|r| x[i + r]);
        add_four::<FMA>(factors, rows, out);
        i += 4;
    }
    for i in i..order {
        add_scaled::<FMA>(x[i], &m[i * stride..][..stride], out);
    }
}

/// Solves with the factor and its transpose, in place.
#[inline(always)]
fn solve<const FMA: bool>(order: usize, room: &PencilRoom, x: &mut [f64]) {
    let stride = x.len();
    for i in 0..order {
        let value = x[i] * room.inverse[i];
        x[i] = value;
        let begin = i / LANES * LANES;
        let row = &room.upper[i * stride + begin..(i + 1) * stride];
        add_scaled::<FMA>(-value, row, &mut x[begin..]);
    }
    for i in (0..order).rev() {
        let value = x[i] * room.inverse[i];
        x[i] = value;
        let end = i.next_multiple_of(LANES);
        let row = &room.lower[i * stride..i * stride + end];
        add_scaled::<FMA>(-value, row, &mut x[..end]);
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
        solve::<FMA>(order, room, &mut next);
        room.diagonal
            .push(padded_dot::<FMA>(&next, &room.images[at]));
        // Twice is enough.
        for _ in 0..2 {
            for k in 0..=step {
                let at = k * stride..(k + 1) * stride;
                let shared = padded_dot::<FMA>(&next, &room.images[at.clone()]);
                add_scaled::<FMA>(-shared, &room.basis[at], &mut next);
            }
        }
        padded_product::<FMA>(order, b, &next, &mut image);
        size = padded_dot::<FMA>(&next, &image).max(0.0).sqrt();
        let done = step + 1 == order || size <= 1e-14 * room.diagonal[0].abs();
        if step + 1 >= FIRST_LOOK || done {
            let value = largest_of_tridiagonal(room)?;
            let end = room.weights[step].abs();
            if done || size * end <= SETTLED * value {
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

/// The largest eigenvalue of the tridiagonal matrix, by Newton's method from above; its vector, of
/// length 1, goes to the weights.
fn largest_of_tridiagonal(room: &mut PencilRoom) -> Option<f64> {
    const MAX_ROUNDS: usize = 60;
    let n = room.diagonal.len();
    room.pivots.resize(n, 0.0);
    let beside = &room.beside[..n - 1];
    let around = |i: usize| {
        let left = i.checked_sub(1).map_or(0.0, |k| beside[k]);
        left + beside.get(i).copied().unwrap_or(0.0)
    };
    let bound = |i: usize| room.diagonal[i] + around(i);
    let mut value = (0..n).map(bound).fold(f64::NEG_INFINITY, f64::max);
    for _ in 0..MAX_ROUNDS {
        let (mut pivot, mut slope, mut sum) = (1.0, 0.0, 0.0);
        for i in 0..n {
            let square = if i > 0 { beside[i - 1].powi(2) } else { 0.0 };
            let over = 1.0 / pivot;
            slope = 1.0 + square * slope * over * over;
            pivot = value - room.diagonal[i] - square * over;
            sum += slope / pivot;
        }
        // From above all pivots are positive; rounding ends the way down.
        if pivot <= 0.0 || !sum.is_finite() {
            break;
        }
        let step = 1.0 / sum;
        value -= step;
        if step <= 1e-15 * value.abs() {
            break;
        }
    }
    if !value.is_finite() || value <= 0.0 {
        return None;
    }
    twisted(value, room);
    normalise(&mut room.weights);
    room.weights.iter().all(|w| w.is_finite()).then_some(value)
}

/// The vector of an eigenvalue: pivots from above meet those from below where it is largest. Pivots from
/// one side alone lose the small entries.
fn twisted(value: f64, room: &mut PencilRoom) {
    let n = room.diagonal.len();
    let PencilRoom {
        diagonal,
        beside,
        pivots,
        below,
        weights,
        ..
    } = room;
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
