//! Where packed coordinates are measured from, and in which unit.
//!
//! Packed rows are in single precision. To lose as little as possible, they are relative to the
//! column means and scaled by a power of two that brings the outermost row near the unit sphere.
//! Coordinates may be sorted by falling variance, so that partial sums of a distance grow early.

use super::metric::Embedding;
use crate::data::{Row, SamplesView};
use crate::parallel::{Grain, map};

/// Rows of one parallel task.
const CHUNK: usize = 4096;
/// Rows that means and variances are taken from.
const SURVEYED: usize = 1 << 16;
/// Norms outside this range would overflow or vanish when squared, even in double precision.
const NORMS: std::ops::Range<f64> = 1e-140..1e150;

/// An affine map into packed coordinates.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PackingFrame {
    /// Position of each coordinate after sorting, and the other way round.
    places: Vec<u32>,
    order: Vec<u32>,
    /// What is subtracted, by position.
    means: Vec<f64>,
    scale: f64,
}

/// The unit roundoff of single precision, with room for second-order terms.
pub(super) const ROUNDOFF: f64 = 5.97e-8;

impl PackingFrame {
    /// A frame for the given rows; `None` if their norms are out of range.
    pub(super) fn fit(
        embedding: Embedding<'_>,
        samples: SamplesView<'_>,
        rows: &[u32],
        sorted: bool,
    ) -> Option<Self> {
        let width = embedding.width();
        let stride = rows.len().div_ceil(SURVEYED).max(1);
        let surveyed: Vec<u32> = rows.iter().copied().step_by(stride).collect();
        let mut means = sums(&surveyed, width, |row, sums| {
            embedding.for_each(samples.row(row as usize), |f, value| sums[f] += value);
        });
        for mean in &mut means {
            *mean /= surveyed.len().max(1) as f64;
            if !mean.is_finite() {
                *mean = 0.0;
            }
        }
        let mut frame = Self {
            places: (0..width as u32).collect(),
            order: (0..width as u32).collect(),
            means,
            scale: 1.0,
        };
        if sorted {
            let variances = sums(&surveyed, width, |row, sums| {
                // A coordinate that is not stored is 0, and so is its deviation here: sparse
                // columns have means near 0, and the order is a matter of speed alone.
                embedding.for_each(samples.row(row as usize), |f, value| {
                    sums[f] += (value - frame.means[f]).powi(2);
                });
            });
            frame.sort_by(&variances);
        }
        // No row can be farther out than a corner of the box around all of them.
        let largest = map_chunks(rows, &|chunk| {
            let largest = |row: &u32| embedding.largest(samples.row(*row as usize));
            chunk.iter().map(largest).fold(0.0, f64::max)
        });
        let largest = largest.into_iter().fold(0.0, f64::max);
        let mean = frame
            .means
            .iter()
            .fold(0.0, |max: f64, mean| max.max(mean.abs()));
        let outermost = (largest + mean) * (width as f64).sqrt();
        if outermost > 0.0 {
            if !NORMS.contains(&outermost) {
                return None;
            }
            frame.scale = (-outermost.log2().ceil()).exp2();
        }
        Some(frame)
    }

    fn sort_by(&mut self, variances: &[f64]) {
        let mut order: Vec<usize> = (0..variances.len()).collect();
        order.sort_by(|&a, &b| variances[b].total_cmp(&variances[a]).then(a.cmp(&b)));
        self.means = order.iter().map(|&f| self.means[f]).collect();
        for (place, &f) in order.iter().enumerate() {
            self.places[f] = place as u32;
            self.order[place] = f as u32;
        }
    }

    /// Packed units a unit of distance.
    pub(super) fn scale(&self) -> f64 {
        self.scale
    }

    /// Writes the coordinates of a row. Returns false if the row has a feature beyond them.
    #[inline]
    pub(super) fn write(&self, embedding: Embedding<'_>, row: Row<'_>, out: &mut [f64]) -> bool {
        if let Row::Dense(values) = row
            && embedding.is_identity()
            && values.len() == self.means.len()
        {
            let coordinates = self.order.iter().zip(&self.means);
            for (slot, (&f, &mean)) in out.iter_mut().zip(coordinates) {
                *slot = (values[f as usize] - mean) * self.scale;
            }
            return true;
        }
        out.fill(0.0);
        let complete = embedding.for_each(row, |f, value| out[self.places[f] as usize] = value);
        for (slot, &mean) in out.iter_mut().zip(&self.means) {
            *slot = (*slot - mean) * self.scale;
        }
        complete
    }

    /// As [`PackingFrame::write`], rounded once; coordinates must not have been sorted.
    #[inline]
    pub(super) fn write_single(
        &self,
        embedding: Embedding<'_>,
        row: Row<'_>,
        out: &mut [f32],
    ) -> bool {
        if let Row::Dense(values) = row
            && embedding.is_identity()
            && values.len() == self.means.len()
        {
            for ((slot, &value), &mean) in out.iter_mut().zip(values).zip(&self.means) {
                *slot = ((value - mean) * self.scale) as f32;
            }
            return true;
        }
        for (slot, &mean) in out.iter_mut().zip(&self.means) {
            *slot = (-mean * self.scale) as f32;
        }
        embedding.for_each(row, |f, value| {
            out[f] = ((value - self.means[f]) * self.scale) as f32;
        })
    }
}

/// $\|x\|^2$, in double precision.
pub(super) fn sq_norm<T: Copy + Into<f64>>(x: &[T]) -> f64 {
    let square = |value: T| {
        let value: f64 = value.into();
        value * value
    };
    let mut sums = [0.0f64; 4];
    let (chunks, rest) = x.as_chunks::<4>();
    for chunk in chunks {
        for lane in 0..4 {
            sums[lane] += square(chunk[lane]);
        }
    }
    sums.iter().sum::<f64>() + rest.iter().map(|&value| square(value)).sum::<f64>()
}

/// What each chunk of rows gives, in their order.
fn map_chunks<R: Send>(rows: &[u32], task: &(dyn Fn(&[u32]) -> R + Sync)) -> Vec<R> {
    map(rows.len().div_ceil(CHUNK), Grain::COARSE, &|chunk| {
        let end = rows.len().min((chunk + 1) * CHUNK);
        task(&rows[chunk * CHUNK..end])
    })
}

/// Sums over rows in chunks whose partial sums are added in order.
fn sums(rows: &[u32], width: usize, add: impl Fn(u32, &mut [f64]) + Sync) -> Vec<f64> {
    let parts: Vec<Vec<f64>> = map_chunks(rows, &|chunk| {
        let mut part = vec![0.0; width];
        for &row in chunk {
            add(row, &mut part);
        }
        part
    });
    let mut total = vec![0.0; width];
    for part in parts {
        for (sum, value) in total.iter_mut().zip(part) {
            *sum += value;
        }
    }
    total
}
