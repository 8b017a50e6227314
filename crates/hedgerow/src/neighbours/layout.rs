//! An order in which rows that are near one another follow one another.
//!
//! Whoever stores rows in it finds those of a neighbourhood on a few pages of memory instead of
//! all over it. For whoever keeps their numbers nothing but time depends on the order.

use super::bucket_tree::order_of_points;
use crate::data::{Row, SamplesView};
use crate::parallel::{Grain, for_each};

/// Rows of the smallest groups that are kept together.
const GROUP: usize = 16;
/// Widest rows that are ordered by their own columns.
const MAX_WIDTH: usize = 64;
/// Coordinates in which wider rows are seen.
const PROJECTED: usize = 16;
/// Rows of one parallel task.
const TASK: usize = 256;

/// The given rows, near ones together.
pub(crate) fn nearby_order(samples: SamplesView<'_>, rows: &[usize]) -> Vec<usize> {
    let own_width = samples.n_features();
    let width = if own_width <= MAX_WIDTH {
        own_width
    } else {
        PROJECTED
    };
    let mut points = vec![0.0f32; rows.len() * width];
    let parts = points
        .chunks_mut(TASK * width.max(1))
        .zip(rows.chunks(TASK));
    for_each(parts, Grain::COARSE, &|_, (points, rows)| {
        for (point, &row) in points.chunks_exact_mut(width.max(1)).zip(rows) {
            let row = samples.row(row);
            if own_width <= MAX_WIDTH {
                row.for_each(|f, value| point[f] = value as f32);
            } else {
                project(row, point);
            }
        }
    });
    let order = order_of_points(rows.len(), &points, GROUP);
    order.into_iter().map(|at| rows[at as usize]).collect()
}

/// Sums of the values with signs that look random, others for every coordinate.
fn project(row: Row<'_>, point: &mut [f32]) {
    row.for_each(|f, value| {
        let value = value as f32;
        let mixed = (f as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut signs = mixed ^ (mixed >> 32);
        for sum in point.iter_mut() {
            *sum += if signs & 1 == 0 { value } else { -value };
            signs >>= 1;
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Generator, Samples};

    /// Rows in a few places, shuffled: in the order found each place is one run.
    #[test]
    fn rows_of_a_place_come_together() {
        for width in [0, 1, 3, 100] {
            let mut generator = Generator::new(5);
            let n_places = 8;
            let places: Vec<Vec<f64>> = (0..n_places)
                .map(|_| (0..width).map(|_| generator.normal()).collect())
                .collect();
            // Whole groups of every place, so that no group has to hold two.
            let mut place_of: Vec<usize> = (0..64 * n_places).map(|i| i % n_places).collect();
            generator.shuffle(&mut place_of);
            let values = place_of.iter().flat_map(|&at| places[at].clone()).collect();
            let samples = Samples::dense(place_of.len(), width, values).expect("rows");
            let all: Vec<usize> = (0..place_of.len()).collect();
            let order = nearby_order(samples.view(), &all);
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, all);
            let of_order: Vec<usize> = order.iter().map(|&row| place_of[row]).collect();
            let runs = of_order.chunk_by(|a, b| a == b).count();
            assert!(width == 0 || runs == n_places, "{runs} runs, width {width}");
        }
    }

    #[test]
    fn any_numbers_have_an_order() {
        let values = [f64::MAX, f64::MIN, 0.0, f64::MIN_POSITIVE, -0.0, 1e300];
        for repeats in [1, 40] {
            let samples = Samples::dense(6 * repeats, 1, values.repeat(repeats)).expect("rows");
            let all: Vec<usize> = (0..6 * repeats).collect();
            let mut order = nearby_order(samples.view(), &all);
            order.sort_unstable();
            assert_eq!(order, all);
        }
    }
}
