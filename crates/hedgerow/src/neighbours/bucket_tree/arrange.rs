//! The order of the rows: halves along the coordinate of largest variance, again and again.

use super::FAN;
use crate::data::SamplesView;
use crate::neighbours::frame::Frame;
use crate::neighbours::metric::Embedding;
use rayon::prelude::*;

/// Rows from which variances are estimated.
const SURVEYED: usize = 256;
/// Rows below which one thread goes on alone.
const PARALLEL: usize = 1 << 14;

/// The rows, such that every run of a bucket's size, of sixteen buckets' size and so on is one
/// part of a repeated division.
pub(super) fn arranged(
    frame: &Frame,
    embedding: Embedding<'_>,
    samples: SamplesView<'_>,
    rows: &[u32],
    bucket: usize,
) -> Vec<u32> {
    let width = embedding.width();
    let mut table = vec![0.0f32; rows.len() * width];
    table
        .par_chunks_mut(width.max(1))
        .zip(rows)
        .with_min_len(256)
        .for_each_init(
            || vec![0.0; width],
            |buffer, (out, &row)| {
                frame.write(embedding, samples.row(row as usize), buffer);
                for (slot, &value) in out.iter_mut().zip(buffer.iter()) {
                    *slot = value as f32;
                }
            },
        );
    let mut items: Vec<(f32, u32)> = (0..rows.len() as u32).map(|at| (0.0, at)).collect();
    divide(
        &Table {
            width,
            values: &table,
        },
        &mut items,
        bucket,
    );
    items.iter().map(|&(_, at)| rows[at as usize]).collect()
}

struct Table<'a> {
    width: usize,
    values: &'a [f32],
}

impl Table<'_> {
    fn row(&self, at: u32) -> &[f32] {
        &self.values[at as usize * self.width..(at as usize + 1) * self.width]
    }

    /// The coordinate in which the rows differ most.
    fn widest(&self, items: &[(f32, u32)]) -> usize {
        let stride = items.len().div_ceil(SURVEYED).max(1);
        let mut sums = vec![(0.0f64, 0.0f64); self.width];
        let mut count = 0.0;
        for &(_, at) in items.iter().step_by(stride) {
            count += 1.0;
            for (sum, &value) in sums.iter_mut().zip(self.row(at)) {
                let value = f64::from(value);
                sum.0 += value;
                sum.1 += value * value;
            }
        }
        let spread = |&(first, second): &(f64, f64)| second - first * first / count;
        let best = |best: (usize, f64), (f, sum): (usize, &(f64, f64))| {
            let spread = spread(sum);
            if spread > best.1 { (f, spread) } else { best }
        };
        sums.iter().enumerate().fold((0, f64::NEG_INFINITY), best).0
    }
}

/// Orders `items` (the first part of an item is a key of the moment).
fn divide(table: &Table<'_>, items: &mut [(f32, u32)], bucket: usize) {
    let buckets = items.len().div_ceil(bucket);
    if buckets <= 1 || table.width == 0 {
        return;
    }
    // Whole subtrees on either side: sizes are multiples of the largest that is smaller than all.
    let mut unit = 1;
    while unit * FAN < buckets {
        unit *= FAN;
    }
    let left = buckets.div_ceil(unit) / 2 * unit * bucket;
    let f = table.widest(items);
    for (key, at) in items.iter_mut() {
        *key = table.values[*at as usize * table.width + f];
    }
    items.select_nth_unstable_by(left, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let parallel = items.len() >= PARALLEL;
    let (low, high) = items.split_at_mut(left);
    if parallel {
        rayon::join(
            || divide(table, low, bucket),
            || divide(table, high, bucket),
        );
    } else {
        divide(table, low, bucket);
        divide(table, high, bucket);
    }
}
