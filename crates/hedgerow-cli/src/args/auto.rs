//! The options of `train auto`, and of choosing parameters that were not told.

use super::training::TrainingArgs;
use crate::failure::Failure;
use clap::ValueEnum;

/// Limits and time of a race of all methods.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct AutoArgs {
    #[command(flatten)]
    pub(crate) training: TrainingArgs,
    /// How long it may take, the last fit included: seconds, or with a unit such as 90s, 10m, 1h
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = seconds, help_heading = "Limits")]
    pub(crate) budget: f64,
    /// How long one answer may take at the median: microseconds, or with a unit such as 5us, 1ms
    #[arg(long, value_name = "TIME", value_parser = microseconds, help_heading = "Limits")]
    pub(crate) latency: Option<f64>,
    /// Megabytes that the model file may have
    #[arg(long, value_name = "MB", value_parser = positive, help_heading = "Limits")]
    pub(crate) max_mb: Option<f64>,
    /// Only models whose answers a person can read off: linear ones
    #[arg(long, help_heading = "Limits")]
    pub(crate) explainable: bool,
    /// What is compared [default: accuracy; auc if one of two classes has fewer than 5 % of the rows,
    /// average-precision below 1 %; mean-squared-error for real targets]
    #[arg(long, value_name = "NAME", help_heading = "Search")]
    pub(crate) measure: Option<String>,
    /// What the label is [default: classes if it has texts, at most 20 different whole numbers, or whole
    /// numbers in a column named class or label; otherwise real targets]
    #[arg(long, value_name = "WORD", help_heading = "Search")]
    pub(crate) task: Option<TaskWord>,
    /// Training data; - for standard input
    #[arg(value_name = "TRAIN")]
    pub(crate) train: String,
    /// The model file; - for standard output
    #[arg(value_name = "MODEL")]
    pub(crate) model: String,
}

/// What is to be predicted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TaskWord {
    Classes,
    Real,
}

impl AutoArgs {
    /// Refuses what a race cannot respect.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        if self.training.levels.is_some() {
            return Err(Failure::usage(
                "--levels: the race does not know ordered levels; train rank-rc does",
            ));
        }
        Ok(())
    }
}

fn seconds(text: &str) -> Result<f64, String> {
    with_unit(
        text,
        &[
            ("ms", 1e-3),
            ("s", 1.0),
            ("min", 60.0),
            ("m", 60.0),
            ("h", 3600.0),
        ],
    )
}

fn microseconds(text: &str) -> Result<f64, String> {
    with_unit(text, &[("us", 1.0), ("µs", 1.0), ("ms", 1e3), ("s", 1e6)])
}

fn positive(text: &str) -> Result<f64, String> {
    with_unit(text, &[])
}

/// A number above 0, times the factor of its unit.
fn with_unit(text: &str, units: &[(&str, f64)]) -> Result<f64, String> {
    let units = units.iter().chain(&[("", 1.0)]);
    let parsed = units.filter_map(|(unit, factor)| {
        let number: f64 = text.trim().strip_suffix(unit)?.trim().parse().ok()?;
        (number > 0.0 && number.is_finite()).then_some(number * factor)
    });
    let mut parsed = parsed;
    parsed
        .next()
        .ok_or_else(|| "expected a number above 0, if you like with a unit".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        assert_eq!(seconds("90"), Ok(90.0));
        assert_eq!(seconds("1.5m"), Ok(90.0));
        assert_eq!(seconds("500ms"), Ok(0.5));
        assert_eq!(microseconds("5us"), Ok(5.0));
        assert_eq!(microseconds("0.1ms"), Ok(100.0));
        for wrong in ["", "0", "-1s", "inf", "nan", "s", "1y"] {
            assert!(seconds(wrong).is_err(), "{wrong}");
        }
    }
}
