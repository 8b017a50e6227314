//! Cholesky factor of a matrix that grows and shrinks by one row and column at a time.
//!
//! $A = R^\top R$ with $R$ upper triangular, row-major: so every inner loop runs along a row.
//! * A new last column $(a, \alpha)$ of $A$ gives $R$ the column $(r, \sqrt{\alpha - r^\top r})$
//!   with $R^\top r = a$.
//! * Without row and column $p$ of $A$, the rows of $R$ above $p$ lose an entry, and what stands
//!   below and right of it, $S$, becomes $S'$ with $S'^\top S' = S^\top S + w w^\top$, where $w$ is
//!   the rest of row $p$: a rank-one update, which is stable.
//!
//! Both cost $O(m^2)$, as solving does.

use super::definite::DefiniteFactor;
use super::passes::dot;
use super::real::Real;

/// Rows that room is made for at once, at least.
const LEAST_ROOM: usize = 16;

/// The factor $R$.
#[derive(Debug, Default)]
pub(crate) struct GrowingCholesky {
    order: usize,
    /// Distance of two rows.
    stride: usize,
    values: Vec<f64>,
    /// A column on its way in, a row on its way out.
    scratch: Vec<f64>,
}

impl GrowingCholesky {
    /// Forgets the matrix, for one that will have about the given order.
    pub(crate) fn reset(&mut self, order: usize) {
        self.order = 0;
        self.stride = 0;
        self.make_room(order);
    }

    /// Takes a whole matrix, row-major with all of it filled in, factored in blocks: far faster than
    /// row after row. False, and the factor is empty, if a pivot is not positive.
    pub(crate) fn fill(&mut self, order: usize, matrix: Vec<f64>) -> bool {
        self.reset(0);
        let Some(factor) = DefiniteFactor::new(order, matrix) else {
            return false;
        };
        // The lower triangle by columns is the upper one by rows.
        self.values = factor.into_columns();
        self.order = order;
        self.stride = order;
        true
    }

    /// Makes the rows long enough for a matrix of the given order.
    fn make_room(&mut self, order: usize) {
        let (m, old, new) = (self.order, self.stride, order);
        // What stood there before may stay: nobody reads beyond the rows in use.
        if self.values.len() < new * new {
            self.values.resize(new * new, 0.0);
        }
        // From the last, which moves farthest.
        for k in (0..m).rev() {
            let row = k * old + k..k * old + m;
            self.values.copy_within(row, k * new + k);
        }
        self.stride = new;
    }

    /// Adds a last row and column: `column` holds what stands above the diagonal entry. What is
    /// missing to a pivot of `least` is added to the diagonal entry, and returned.
    pub(crate) fn push(
        &mut self,
        column: impl Iterator<Item = f64>,
        diagonal: f64,
        least: f64,
    ) -> f64 {
        let m = self.order;
        if m == self.stride {
            self.make_room(m + m / 2 + LEAST_ROOM);
        }
        let stride = self.stride;
        self.scratch.clear();
        self.scratch.extend(column);
        debug_assert_eq!(self.scratch.len(), m);
        for k in 0..m {
            let row = &self.values[k * stride + k..k * stride + m];
            let (entry, rest) = self.scratch[k..].split_at_mut(1);
            entry[0] /= row[0];
            add_scaled(rest, &row[1..], -entry[0]);
        }
        for (k, &entry) in self.scratch.iter().enumerate() {
            self.values[k * stride + m] = entry;
        }
        let left = diagonal - dot(&self.scratch, &self.scratch);
        let pivot = left.max(least);
        self.values[m * stride + m] = pivot.sqrt();
        self.order = m + 1;
        pivot - left
    }

    /// Removes a row and column.
    pub(crate) fn remove(&mut self, position: usize) {
        let (m, stride) = (self.order, self.stride);
        debug_assert!(position < m);
        let row_at = |k: usize| k * stride;
        self.scratch.clear();
        let gone = row_at(position);
        self.scratch
            .extend_from_slice(&self.values[gone + position + 1..gone + m]);
        for k in 0..position {
            let row = row_at(k);
            self.values
                .copy_within(row + position + 1..row + m, row + position);
        }
        for k in position + 1..m {
            let (from, to) = (row_at(k), row_at(k - 1));
            self.values.copy_within(from + k..from + m, to + k - 1);
        }
        self.order = m - 1;
        for k in position..m - 1 {
            let row = &mut self.values[row_at(k) + k..row_at(k) + m - 1];
            let (pivot, row) = row.split_at_mut(1);
            let (entry, rest) = self.scratch[k - position..].split_at_mut(1);
            let length = pivot[0].hypot(entry[0]);
            rotate(row, rest, length / pivot[0], entry[0] / pivot[0]);
            pivot[0] = length;
        }
    }

    /// Solves $A x = b$ in place.
    pub(crate) fn solve(&self, vector: &mut [f64]) {
        let (m, stride) = (self.order, self.stride);
        let row = |k: usize| &self.values[k * stride + k..k * stride + m];
        for k in 0..m {
            let row = row(k);
            let (value, rest) = vector[k..m].split_at_mut(1);
            value[0] /= row[0];
            add_scaled(rest, &row[1..], -value[0]);
        }
        for k in (0..m).rev() {
            let row = row(k);
            let (value, rest) = vector[k..m].split_at_mut(1);
            value[0] = (value[0] - dot(&row[1..], rest)) / row[0];
        }
    }
}

#[inline(always)]
fn add_scaled_body<const FMA: bool>(sum: &mut [f64], row: &[f64], factor: f64) {
    for (value, &term) in sum.iter_mut().zip(row) {
        *value = term.fma::<FMA>(factor, *value);
    }
}

multiversion! {
    /// `sum += factor · row`.
    fn add_scaled[](sum: &mut [f64], row: &[f64], factor: f64) = add_scaled_body;
}

#[inline(always)]
fn rotate_body<const FMA: bool>(row: &mut [f64], other: &mut [f64], cosine: f64, sine: f64) {
    let inverse = 1.0 / cosine;
    for (value, rest) in row.iter_mut().zip(other) {
        *value = rest.fma::<FMA>(sine, *value) * inverse;
        *rest = (-sine).fma::<FMA>(*value, cosine * *rest);
    }
}

multiversion! {
    /// Turns two rows against each other, so that what the second had goes into the first;
    /// `cosine` and `sine` are relative to the pivot of the first as it was.
    fn rotate[](row: &mut [f64], other: &mut [f64], cosine: f64, sine: f64) = rotate_body;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Generator;

    /// A definite matrix, row-major.
    fn matrix(order: usize, generator: &mut Generator) -> Vec<f64> {
        let points: Vec<f64> = (0..order).map(|_| generator.range(-1.0, 1.0)).collect();
        let mut out = vec![0.0; order * order];
        for i in 0..order {
            for j in 0..order {
                out[i * order + j] = (-(points[i] - points[j]).powi(2)).exp();
            }
            out[i * order + i] += 1e-3;
        }
        out
    }

    fn assert_solves(factor: &GrowingCholesky, matrix: &[f64], order: usize, members: &[usize]) {
        let b: Vec<f64> = members.iter().map(|&i| (i as f64).sin()).collect();
        let mut x = b.clone();
        factor.solve(&mut x);
        for (p, &i) in members.iter().enumerate() {
            let terms = members.iter().zip(&x);
            let left: f64 = terms.map(|(&j, x)| matrix[i * order + j] * x).sum();
            assert!((left - b[p]).abs() < 1e-8, "{left} instead of {}", b[p]);
        }
    }

    #[test]
    fn systems_are_solved_while_rows_come_and_go() {
        const N: usize = 40;
        let mut generator = Generator::new(1);
        let matrix = matrix(N, &mut generator);
        let mut factor = GrowingCholesky::default();
        // Room has to be made on the way.
        factor.reset(3);
        let mut members: Vec<usize> = Vec::new();
        for turn in 0..400 {
            let absent: Vec<usize> = (0..N).filter(|i| !members.contains(i)).collect();
            let grows = members.is_empty() || (!absent.is_empty() && generator.uniform() < 0.55);
            if grows {
                let i = absent[turn % absent.len()];
                let column = members.iter().map(|&j| matrix[i * N + j]);
                assert_eq!(factor.push(column, matrix[i * N + i], 0.0), 0.0);
                members.push(i);
            } else {
                let position = turn % members.len();
                factor.remove(position);
                members.remove(position);
            }
            assert_solves(&factor, &matrix, N, &members);
        }
    }

    #[test]
    fn a_pivot_that_is_too_small_is_raised_on_the_diagonal() {
        let mut factor = GrowingCholesky::default();
        factor.reset(2);
        assert_eq!(factor.push([].into_iter(), 1.0, 0.25), 0.0);
        // Singular, and short of 0.25 by all of it.
        assert_eq!(factor.push([1.0].into_iter(), 1.0, 0.25), 0.25);
        assert_solves(&factor, &[1.0, 1.0, 1.0, 1.25], 2, &[0, 1]);
        // Indefinite.
        factor.reset(2);
        factor.push([].into_iter(), 1.0, 0.25);
        assert_eq!(factor.push([1.0].into_iter(), 0.5, 0.25), 0.75);
    }
}
