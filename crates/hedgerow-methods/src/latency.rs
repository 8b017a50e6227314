//! How long single answers take.
//!
//! Rows are read, scaled and laid out densely beforehand, and kept in their order; each call of
//! the library's single-row function is timed by itself. What the clock itself takes, the median of
//! two readings next to each other, is subtracted.

use hedgerow::data::SamplesView;
use hedgerow::{Predictor, Result};
use std::hint::black_box;
use std::time::Instant;

/// Calls that are made before measuring begins, and calls that are measured at least.
const WARM_UP: usize = 1000;
const LEAST_CALLS: usize = 20_000;
/// Memory for rows that are laid out densely.
const MAX_VALUES: usize = 1 << 27;

/// Quantiles of single calls in nanoseconds.
#[derive(Debug, Clone, Copy)]
pub struct Latency {
    /// Calls that were timed.
    pub calls: usize,
    /// Median.
    pub p50: f64,
    /// What 99 % keep within.
    pub p99: f64,
    /// What 99.9 % keep within.
    pub p999: f64,
    /// Mean.
    pub mean: f64,
    /// What reading the clock takes, which is subtracted.
    pub clock: f64,
}

fn quantile(sorted: &[f64], share: f64) -> f64 {
    let at = ((sorted.len() as f64 * share).ceil() as usize).clamp(1, sorted.len());
    sorted[at - 1]
}

/// What two readings of the clock next to each other differ by, at the median.
fn clock_cost() -> f64 {
    let mut readings: Vec<f64> = (0..10_001)
        .map(|_| Instant::now().elapsed().as_nanos() as f64)
        .collect();
    readings.sort_unstable_by(f64::total_cmp);
    quantile(&readings, 0.5)
}

/// Times single-row calls for at most so many seconds; `None` without rows.
pub fn measure(
    model: &(impl Predictor + ?Sized),
    samples: SamplesView<'_>,
    most_seconds: f64,
) -> Result<Option<Latency>> {
    let width = model.n_features().max(1);
    let n_rows = samples.n_rows().min(MAX_VALUES / width);
    if n_rows == 0 {
        return Ok(None);
    }
    let mut rows = vec![0.0; n_rows * width];
    for (i, out) in rows.chunks_exact_mut(width).enumerate() {
        samples.row(i).write_dense(out);
    }
    let row = |call: usize| {
        let i = call % n_rows;
        &rows[i * width..i * width + model.n_features()]
    };
    let began = Instant::now();
    for call in 0..WARM_UP.min(n_rows) {
        black_box(model.predict_row(black_box(row(call)))?);
        if began.elapsed().as_secs_f64() > 0.5 * most_seconds {
            break;
        }
    }
    let wanted = n_rows.max(LEAST_CALLS);
    let clock = clock_cost();
    let mut times = Vec::with_capacity(wanted);
    for call in 0..wanted {
        let row = row(call);
        let start = Instant::now();
        black_box(model.predict_row(black_box(row))?);
        let spent = start.elapsed().as_nanos() as f64;
        times.push((spent - clock).max(0.0));
        if began.elapsed().as_secs_f64() > most_seconds {
            break;
        }
    }
    let mean = times.iter().sum::<f64>() / times.len() as f64;
    times.sort_unstable_by(f64::total_cmp);
    Ok(Some(Latency {
        calls: times.len(),
        p50: quantile(&times, 0.5),
        p99: quantile(&times, 0.99),
        p999: quantile(&times, 0.999),
        mean,
        clock,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_of_a_hundred_numbers() {
        let sorted: Vec<f64> = (1..=100).map(f64::from).collect();
        assert_eq!(quantile(&sorted, 0.5), 50.0);
        assert_eq!(quantile(&sorted, 0.99), 99.0);
        assert_eq!(quantile(&sorted, 0.999), 100.0);
        assert_eq!(quantile(&[7.0], 0.5), 7.0);
    }
}
