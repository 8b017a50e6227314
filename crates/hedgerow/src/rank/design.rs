//! The matrix whose products are scores: kernel values, or the rows themselves.

use crate::kernel::Rectangle;
use crate::linalg::{LinearRows, add_derivatives, row_products, with_store};
use crate::parallel::{Grain, for_each, map};

/// A matrix with a row for every row of the data.
pub(super) trait Design: Sync {
    /// Number of columns.
    fn n_columns(&self) -> usize;

    /// Products with vectors over the columns.
    fn times(&self, vectors: &[&[f64]]) -> Vec<Vec<f64>>;

    /// Products of the transposed matrix with vectors over the rows.
    fn transposed_times(&self, vectors: &[&[f64]]) -> Vec<Vec<f64>>;
}

impl Design for Rectangle<'_> {
    fn n_columns(&self) -> usize {
        Rectangle::n_columns(self)
    }

    fn times(&self, vectors: &[&[f64]]) -> Vec<Vec<f64>> {
        Rectangle::times(self, vectors)
    }

    fn transposed_times(&self, vectors: &[&[f64]]) -> Vec<Vec<f64>> {
        Rectangle::transposed_times(self, vectors)
    }
}

/// Rows of one task.
const TASK_ROWS: usize = 8192;
/// Most partial sums over rows.
const MAX_PARTS: usize = 16;

/// Rows with a column a feature.
pub(super) struct LinearDesign<'a> {
    rows: LinearRows<'a>,
    numbers: Vec<u32>,
}

impl<'a> LinearDesign<'a> {
    pub(super) fn new(rows: LinearRows<'a>) -> Self {
        let numbers = (0..rows.n_rows() as u32).collect();
        Self { rows, numbers }
    }

    /// Sums over rows of `slopes` × row, and of `curvatures` × squares.
    fn sums(&self, slopes: &[f64], curvatures: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let n = self.numbers.len();
        let size = n.div_ceil(MAX_PARTS).max(TASK_ROWS);
        let width = self.rows.width();
        let parts = map(n.div_ceil(size), Grain::COARSE, &|part| {
            let range = part * size..n.min((part + 1) * size);
            let (mut gradient, mut diagonal) = (vec![0.0; width], vec![0.0; width]);
            with_store!(self.rows, store => add_derivatives(
                store,
                &self.numbers[range.clone()],
                &slopes[range.clone()],
                &curvatures[range],
                &mut gradient,
                &mut diagonal,
            ));
            (gradient, diagonal)
        });
        let mut total = (vec![0.0; width], vec![0.0; width]);
        for (gradient, diagonal) in parts {
            add(&mut total.0, &gradient);
            add(&mut total.1, &diagonal);
        }
        total
    }

    /// $\sum_i d_i x_{if}^2$ for every feature.
    pub(super) fn weighted_squares(&self, weights: &[f64]) -> Vec<f64> {
        self.sums(&vec![0.0; weights.len()], weights).1
    }
}

fn add(sum: &mut [f64], values: &[f64]) {
    for (sum, value) in sum.iter_mut().zip(values) {
        *sum += value;
    }
}

impl Design for LinearDesign<'_> {
    fn n_columns(&self) -> usize {
        self.rows.width()
    }

    fn times(&self, vectors: &[&[f64]]) -> Vec<Vec<f64>> {
        let n = self.numbers.len();
        let mut out = vec![vec![0.0; n]; vectors.len()];
        let tasks = out.iter_mut().zip(vectors).flat_map(|(out, vector)| {
            let parts = out
                .chunks_mut(TASK_ROWS)
                .zip(self.numbers.chunks(TASK_ROWS));
            parts.map(move |(out, rows)| (out, rows, *vector))
        });
        for_each(tasks, Grain::COARSE, &|_, (out, rows, vector)| {
            with_store!(self.rows, store => row_products(store, rows, vector, out));
        });
        out
    }

    fn transposed_times(&self, vectors: &[&[f64]]) -> Vec<Vec<f64>> {
        let none = vec![0.0; self.numbers.len()];
        let product = |at: usize| self.sums(vectors[at], &none).0;
        map(vectors.len(), Grain::COARSE, &product)
    }
}
