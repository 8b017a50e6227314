//! The order of the rows: halves along the coordinate that divides them best, again and again.

use super::FAN;
use crate::data::SamplesView;
use crate::neighbours::metric::Embedding;
use crate::neighbours::packing_frame::PackingFrame;
use crate::parallel::{Grain, for_each};

/// Rows from which variances are estimated.
const SURVEYED: usize = 256;
/// Coordinates along which a division is tried.
const TRIED: usize = 6;
/// Rows below which one thread goes on alone.
const PARALLEL: usize = 1 << 14;
/// Rows that one task writes.
const TASK: usize = 256;

/// The rows, such that every run of a bucket's size, of sixteen buckets' size and so on is one
/// part of a repeated division.
pub(super) fn arranged(
    frame: &PackingFrame,
    embedding: Embedding<'_>,
    samples: SamplesView<'_>,
    rows: &[u32],
    bucket: usize,
) -> Vec<u32> {
    let width = embedding.width();
    let mut table = vec![0.0f32; rows.len() * width];
    let parts = table.chunks_mut(TASK * width.max(1)).zip(rows.chunks(TASK));
    for_each(parts, Grain::COARSE, &|_, (table, rows)| {
        let mut buffer = vec![0.0; width];
        for (out, &row) in table.chunks_exact_mut(width.max(1)).zip(rows) {
            frame.write(embedding, samples.row(row as usize), &mut buffer);
            for (slot, &value) in out.iter_mut().zip(buffer.iter()) {
                *slot = value as f32;
            }
        }
    });
    let order = order_of_points(rows.len(), &table, bucket);
    order.into_iter().map(|at| rows[at as usize]).collect()
}

/// So many points, whose coordinates are given one after the other, in such an order.
pub(in crate::neighbours) fn order_of_points(
    n_points: usize,
    values: &[f32],
    bucket: usize,
) -> Vec<u32> {
    let width = values.len() / n_points.max(1);
    let mut items: Vec<(f32, u32)> = (0..n_points as u32).map(|at| (0.0, at)).collect();
    divide(&Table { width, values }, &mut items, bucket);
    items.into_iter().map(|(_, at)| at).collect()
}

struct Table<'a> {
    width: usize,
    values: &'a [f32],
}

impl Table<'_> {
    fn row(&self, at: u32) -> &[f32] {
        &self.values[at as usize * self.width..(at as usize + 1) * self.width]
    }

    /// The coordinate along which a division that leaves a share of the rows on the left takes
    /// most of their variance away. A column with few values may vary most and yet not divide well.
    fn best_division(&self, items: &[(f32, u32)], share: f64) -> usize {
        let stride = items.len().div_ceil(SURVEYED).max(1);
        let mut sums = vec![(0.0f64, 0.0f64); self.width];
        let surveyed = || items.iter().step_by(stride).map(|&(_, at)| self.row(at));
        let mut count = 0u32;
        for row in surveyed() {
            count += 1;
            for (sum, &value) in sums.iter_mut().zip(row) {
                let value = f64::from(value);
                sum.0 += value;
                sum.1 += value * value;
            }
        }
        let mut spreads: Vec<(f64, usize)> = sums
            .iter()
            .enumerate()
            .map(|(f, &(first, second))| (second - first * first / f64::from(count), f))
            .collect();
        let tried = TRIED.min(spreads.len());
        let descending =
            |a: &(f64, usize), b: &(f64, usize)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
        if tried < spreads.len() {
            spreads.select_nth_unstable_by(tried - 1, descending);
        }
        spreads.truncate(tried);
        spreads.sort_unstable_by(descending);
        let left = (((f64::from(count)) * share) as usize).clamp(1, count.max(2) as usize - 1);
        let mut best = (f64::NEG_INFINITY, 0);
        let mut column: Vec<f32> = Vec::with_capacity(count as usize);
        for &(spread, f) in &spreads {
            if spread <= best.0 {
                // No division takes away more than all.
                break;
            }
            column.clear();
            column.extend(surveyed().map(|row| row[f]));
            if left < column.len() {
                column.select_nth_unstable_by(left, f32::total_cmp);
            }
            let (low, high) = column.split_at(left.min(column.len()));
            let gain = spread - deviations(low) - deviations(high);
            if gain > best.0 {
                best = (gain, f);
            }
        }
        best.1
    }
}

/// Sum of squared deviations from the mean.
fn deviations(values: &[f32]) -> f64 {
    let (mut first, mut second) = (0.0, 0.0);
    for &value in values {
        let value = f64::from(value);
        first += value;
        second += value * value;
    }
    second - first * first / values.len().max(1) as f64
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
    let f = table.best_division(items, left as f64 / items.len() as f64);
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
