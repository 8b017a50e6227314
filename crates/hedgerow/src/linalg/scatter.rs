//! Sums of the products of all pairs of columns, some rows at a time.

use super::{DotMap, Panels, panel_block};
use crate::parallel::{Grain, for_each_chunk};

/// Most rows whose products are summed at once. A sum over so many is written for every pair.
pub(crate) const CHUNK: usize = 256;
/// Features of one task.
const TASK_FEATURES: usize = 24;
/// Rows that are turned into columns together: a cache line of each column.
const LINE: usize = 8;

/// Up to [`CHUNK`] rows, feature by feature.
#[derive(Debug)]
pub(crate) struct Columns {
    n_features: usize,
    /// Values a feature: the rows, filled up to whole lines with zeros.
    length: usize,
    values: Vec<f64>,
    /// Some rows before they are turned.
    rows: Vec<f64>,
}

impl Columns {
    /// No rows.
    pub(crate) fn new(n_features: usize) -> Self {
        Self {
            n_features,
            length: 0,
            values: Vec::with_capacity(n_features * CHUNK),
            rows: vec![0.0; n_features * LINE],
        }
    }

    /// Replaces the rows by `count` others; `write(i, row)` gets row `i` as zeros.
    pub(crate) fn fill(&mut self, count: usize, mut write: impl FnMut(usize, &mut [f64])) {
        self.length = count.next_multiple_of(LINE);
        self.values.resize(self.n_features * self.length, 0.0);
        if self.values.is_empty() {
            return;
        }
        for first in (0..self.length).step_by(LINE) {
            self.rows.fill(0.0);
            for (i, row) in (first..count).zip(self.rows.chunks_exact_mut(self.n_features)) {
                write(i, row);
            }
            let mut rows = self.rows.chunks_exact(self.n_features);
            let rows: [&[f64]; LINE] = std::array::from_fn(|_| rows.next().unwrap_or(&[]));
            for (f, column) in self.values.chunks_exact_mut(self.length).enumerate() {
                let line = &mut column[first..first + LINE];
                for (value, row) in line.iter_mut().zip(rows) {
                    *value = row[f];
                }
            }
        }
    }

    /// Adds `factor` times the inner products of all pairs of columns to the lower triangle of a
    /// row-major matrix.
    pub(crate) fn add_products(&self, factor: f64, sums: &mut [f64]) {
        let (d, length, columns) = (self.n_features, self.length, &self.values);
        let panels: Panels<f64> = Panels::pack(d, length, |f, out| {
            out.copy_from_slice(&columns[f * length..(f + 1) * length]);
        });
        let size = TASK_FEATURES * d.max(1);
        for_each_chunk(sums, size, Grain::COARSE, &|task, part| {
            let mut block = vec![0.0; TASK_FEATURES * d];
            let first = task * TASK_FEATURES;
            let count = part.len() / d;
            let queries = &columns[first * length..(first + count) * length];
            let width = first + count;
            let mut out: Vec<&mut [f64]> = block.chunks_mut(width).take(count).collect();
            panel_block(&panels, queries, (0, width), DotMap, &mut out);
            for (row, products) in part.chunks_mut(d).zip(&out) {
                for (sum, product) in row.iter_mut().zip(products.iter()) {
                    *sum += factor * product;
                }
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Generator;

    /// Chunks that are full and not, more features than a task has and fewer than a panel.
    #[test]
    fn products_are_those_of_single_columns() {
        let mut generator = Generator::new(2);
        for (n, d) in [(1, 1), (7, 3), (CHUNK, 20), (CHUNK - 3, 50)] {
            let rows: Vec<f64> = (0..n * d).map(|_| generator.normal()).collect();
            let mut columns = Columns::new(d);
            // What an earlier fill left must be gone.
            columns.fill(CHUNK, |_, row| row.fill(7.0));
            columns.fill(n, |i, row| row.copy_from_slice(&rows[i * d..(i + 1) * d]));
            let mut sums = vec![1.0; d * d];
            columns.add_products(-2.0, &mut sums);
            for f in 0..d {
                for g in 0..=f {
                    let product: f64 = (0..n).map(|i| rows[i * d + f] * rows[i * d + g]).sum();
                    let error = (sums[f * d + g] - (1.0 - 2.0 * product)).abs();
                    assert!(error < 1e-10, "{n} rows, {f} with {g}: off by {error}");
                }
            }
        }
    }
}
