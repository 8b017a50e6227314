//! `predict --latency`: how long single answers take, in words.

use hedgerow_methods::latency::Latency;
use serde_json::{Value, json};

/// Seconds that measuring may take, unless there are more rows.
pub(crate) const MOST_SECONDS: f64 = 10.0;

/// A line for people.
pub(crate) fn text(of: &Latency) -> String {
    let [p50, p99, p999, mean] =
        [of.p50, of.p99, of.p999, of.mean].map(|ns| format!("{:.3} µs", ns / 1e3));
    format!(
        "single rows: median {p50}, 99 % within {p99}, 99.9 % within {p999}, mean {mean} ({} calls)",
        of.calls
    )
}

/// For machines.
pub(crate) fn json(of: &Latency) -> Value {
    json!({
        "calls": of.calls,
        "p50_ns": of.p50,
        "p99_ns": of.p99,
        "p999_ns": of.p999,
        "mean_ns": of.mean,
        "clock_ns": of.clock,
    })
}
