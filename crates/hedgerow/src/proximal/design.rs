//! The rows $[K(x, C), -1]$ of a kernel problem, or $[x, -1]$ of a linear one, a block at a time.

use crate::Result;
use crate::data::SamplesView;
use crate::kernel::{Gram, Kernel};
use crate::linalg::{add_gram, mirror_upper};
use crate::parallel::{Grain, try_for_each};

/// Rows whose products are summed together.
const BLOCK: usize = 512;
/// Rows of one parallel task.
const TASK: usize = 32;

/// What stands left of the −1.
enum Left<'a> {
    /// Kernel values of some centres.
    Kernel(Box<Gram<'a>>),
    /// The features, less a point.
    Features(Vec<f64>),
}

/// The rows of a proximal problem.
pub(super) struct Design<'a> {
    view: SamplesView<'a>,
    left: Left<'a>,
    /// Columns, the −1 included.
    order: usize,
}

impl<'a> Design<'a> {
    /// Kernel values of the rows at `centres`.
    pub(super) fn of_kernel(
        kernel: &Kernel,
        view: SamplesView<'a>,
        centres: Vec<u32>,
    ) -> Result<Self> {
        Ok(Self {
            order: centres.len() + 1,
            left: Left::Kernel(Box::new(
                Gram::in_double(kernel, view, centres)?.sequential(true),
            )),
            view,
        })
    }

    /// Features relative to a point.
    pub(super) fn of_features(view: SamplesView<'a>, origin: Vec<f64>) -> Self {
        Self {
            order: view.n_features() + 1,
            left: Left::Features(origin),
            view,
        }
    }

    /// Columns, the −1 included.
    pub(super) fn order(&self) -> usize {
        self.order
    }

    /// Writes some rows, row-major.
    pub(super) fn write(&self, rows: &[u32], out: &mut [f64]) -> Result<()> {
        let order = self.order;
        let parts = out.chunks_mut(TASK * order).zip(rows.chunks(TASK));
        try_for_each(parts, Grain::COARSE, &|_, (out, rows)| {
            match &self.left {
                Left::Kernel(gram) => {
                    let queries = gram.queries_at(self.view, rows)?;
                    let mut block: Vec<&mut [f64]> = out
                        .chunks_mut(order)
                        .map(|row| &mut row[..order - 1])
                        .collect();
                    gram.block_here(&queries, 0..order - 1, &mut block);
                }
                Left::Features(origin) => {
                    for (row, &i) in out.chunks_mut(order).zip(rows) {
                        self.view.row(i as usize).write_dense(&mut row[..order - 1]);
                        for (value, from) in row.iter_mut().zip(origin) {
                            *value -= from;
                        }
                    }
                }
            }
            for row in out.chunks_mut(order) {
                row[order - 1] = -1.0;
            }
            Ok(())
        })
    }

    /// $\sum_i r_i r_i^\top$ over the rows, all of it filled in.
    pub(super) fn gram(&self, rows: &[u32]) -> Result<Vec<f64>> {
        self.centred_gram(rows, None)
    }

    /// As [`Design::gram`], of the rows less a vector.
    pub(super) fn centred_gram(&self, rows: &[u32], mean: Option<&[f64]>) -> Result<Vec<f64>> {
        let mut sums = vec![0.0; self.order * self.order];
        self.add_centred_gram(rows, mean, &mut sums)?;
        mirror_upper(&mut sums, self.order);
        Ok(sums)
    }

    /// Adds $\sum_i (r_i - m)(r_i - m)^\top$ to the upper triangle of `sums`.
    pub(super) fn add_centred_gram(
        &self,
        rows: &[u32],
        mean: Option<&[f64]>,
        sums: &mut [f64],
    ) -> Result<()> {
        let mut block = vec![0.0; BLOCK.min(rows.len()) * self.order];
        for rows in rows.chunks(BLOCK) {
            let block = &mut block[..rows.len() * self.order];
            self.write(rows, block)?;
            if let Some(mean) = mean {
                for row in block.chunks_mut(self.order) {
                    for (value, mean) in row.iter_mut().zip(mean) {
                        *value -= mean;
                    }
                }
            }
            add_gram(block, self.order, sums);
        }
        Ok(())
    }

    /// The mean of the rows.
    pub(super) fn mean(&self, rows: &[u32]) -> Result<Vec<f64>> {
        let mut mean = vec![0.0; self.order];
        let mut block = vec![0.0; BLOCK.min(rows.len()) * self.order];
        for rows in rows.chunks(BLOCK) {
            let block = &mut block[..rows.len() * self.order];
            self.write(rows, block)?;
            for row in block.chunks(self.order) {
                for (sum, value) in mean.iter_mut().zip(row) {
                    *sum += value;
                }
            }
        }
        let count = rows.len().max(1) as f64;
        for sum in &mut mean {
            *sum /= count;
        }
        Ok(mean)
    }
}
