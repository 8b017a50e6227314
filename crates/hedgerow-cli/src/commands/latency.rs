//! `predict --latency`: how long single answers take.
//!
//! Rows are read, scaled and laid out densely beforehand, and kept in their order; each call of
//! the library's single-row function is timed by itself. What the clock itself takes, the median of
//! two readings next to each other, is subtracted.

use hedgerow::data::SamplesView;
use hedgerow::{Predictor, Result};
use serde_json::{Value, json};
use std::hint::black_box;
use std::time::Instant;

/// Calls that are made before measuring begins, and calls that are measured at least.
const WARM_UP: usize = 1000;
const LEAST_CALLS: usize = 20_000;
/// Most calls, unless there are more rows.
const MOST_SECONDS: f64 = 10.0;
/// Memory for rows that are laid out densely.
const MAX_VALUES: usize = 1 << 27;

/// Quantiles of single calls in nanoseconds.
pub(crate) struct Latency {
    pub(crate) calls: usize,
    pub(crate) p50: f64,
    pub(crate) p99: f64,
    pub(crate) p999: f64,
    pub(crate) mean: f64,
    pub(crate) clock: f64,
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

/// Times single-row calls; `None` without rows.
pub(crate) fn measure(
    model: &(impl Predictor + ?Sized),
    samples: SamplesView<'_>,
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
        if began.elapsed().as_secs_f64() > MOST_SECONDS {
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

impl Latency {
    /// A line for people.
    pub(crate) fn text(&self) -> String {
        let [p50, p99, p999, mean] =
            [self.p50, self.p99, self.p999, self.mean].map(|ns| format!("{:.3} µs", ns / 1e3));
        format!(
            "single rows: median {p50}, 99 % within {p99}, 99.9 % within {p999}, mean {mean} ({} calls)",
            self.calls
        )
    }

    /// For machines.
    pub(crate) fn json(&self) -> Value {
        json!({
            "calls": self.calls,
            "p50_ns": self.p50,
            "p99_ns": self.p99,
            "p999_ns": self.p999,
            "mean_ns": self.mean,
            "clock_ns": self.clock,
        })
    }
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
