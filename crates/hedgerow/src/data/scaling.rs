//! Feature scaling fitted on training data.
//!
//! For the values $x_{1f},\dots,x_{nf}$ of feature $f$, implicit zeros of sparse rows included:
//!
//! | scaling | map of $x$ |
//! |---|---|
//! | [`Scaling::None`] | $x$ |
//! | [`Scaling::MinMax`] | $l + (h - l)\,(x - \min_f) / (\max_f - \min_f)$ |
//! | [`Scaling::Standardize`] | $(x - \mu_f) / \sigma_f$ with the population variance $\sigma_f^2$ |
//! | [`Scaling::Quantile`] | $\sqrt{12}\,(p - \tfrac12)$ or $\Phi^{-1}(p)$ with the share $p$ of values below $x$ |
//!
//! A constant feature says nothing about the rows and maps to 0, whatever the range: that is also
//! what LIBSVM's `svm-scale` does, and it keeps such a column out of sparse data. Values outside
//! the range seen in training are mapped by the same line and leave `[low, high]`; quantiles stay at
//! the ends.

use super::quantiles::{self, Knots};
use super::{CsrMatrix, Row, Samples, SamplesView, Spread};
use crate::error::ensure_finite;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;

/// Largest dense copy [`Scaler::apply`] makes of sparse samples.
const DENSE_LIMIT_BYTES: u64 = 1 << 30;

/// How features are scaled.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub enum Scaling {
    /// Features are left as they are. The default.
    #[default]
    None,
    /// Each feature is mapped to the range `[low, high]`.
    MinMax {
        /// Image of the smallest training value.
        low: f64,
        /// Image of the largest training value, `high > low`.
        high: f64,
    },
    /// Each feature gets mean 0 and population variance 1.
    Standardize,
    /// Values are mapped to their ranks among the training values, spread like this.
    Quantile(Spread),
}

impl Scaling {
    /// Min–max scaling to `[0, 1]`.
    pub fn unit() -> Self {
        Self::MinMax {
            low: 0.0,
            high: 1.0,
        }
    }

    /// Verifies the range; `fit` calls it first.
    pub fn check(&self) -> Result<()> {
        if let Self::MinMax { low, high } = *self {
            ensure_finite("low", low)?;
            ensure_finite("high", high)?;
            if !(high > low && (high - low).is_finite()) {
                return Err(Error::Parameter {
                    name: "high",
                    value: high,
                    requirement: "greater than low",
                });
            }
        }
        Ok(())
    }

    /// Learns the map of every feature from training samples, in two passes over the data.
    pub fn fit(&self, samples: SamplesView<'_>) -> Result<Scaler> {
        self.check()?;
        samples.ensure_finite()?;
        let map = match *self {
            Self::None => Map::Identity {
                n_features: samples.n_features(),
            },
            Self::MinMax { low, high } => {
                let (minima, maxima) = extremes(samples)?;
                let ranges = minima.into_iter().zip(maxima).collect();
                Map::MinMax { low, high, ranges }
            }
            Self::Standardize => {
                let (means, deviations) = moments(samples)?;
                let moments = means.into_iter().zip(deviations).collect();
                Map::Standardize { moments }
            }
            Self::Quantile(spread) => {
                // Also refuses no rows and ranges that overflow, as the others do.
                extremes(samples)?;
                let columns = quantiles::fit(samples, spread);
                Map::Quantile { spread, columns }
            }
        };
        Ok(Scaler { map })
    }
}

/// The scaling learned from one training set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Scaler {
    map: Map,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum Map {
    Identity {
        n_features: usize,
    },
    MinMax {
        low: f64,
        high: f64,
        /// Smallest and largest value of each feature.
        ranges: Vec<(f64, f64)>,
    },
    Standardize {
        /// Mean and deviation of each feature; a deviation of 0 marks a constant one.
        moments: Vec<(f64, f64)>,
    },
    Quantile {
        spread: Spread,
        /// Values of each feature with their images.
        columns: Vec<Knots>,
    },
}

impl Scaler {
    /// Number of features the scaler was fitted on.
    pub fn n_features(&self) -> usize {
        match &self.map {
            Map::Identity { n_features } => *n_features,
            Map::MinMax { ranges, .. } => ranges.len(),
            Map::Standardize { moments } => moments.len(),
            Map::Quantile { columns, .. } => columns.len(),
        }
    }

    /// The word of the scaling, as options have it.
    pub fn name(&self) -> &'static str {
        match &self.map {
            Map::Identity { .. } => "none",
            Map::MinMax { .. } => "minmax",
            Map::Standardize { .. } => "standard",
            Map::Quantile {
                spread: Spread::Uniform,
                ..
            } => "quantile",
            Map::Quantile {
                spread: Spread::Normal,
                ..
            } => "quantile-normal",
        }
    }

    /// True unless a damaged file made it nonsense.
    pub fn is_consistent(&self) -> bool {
        let are_ranges = |ranges: &[(f64, f64)]| {
            ranges
                .iter()
                .all(|&(min, max)| min <= max && (max - min).is_finite())
        };
        match &self.map {
            Map::Identity { .. } => true,
            Map::MinMax { low, high, ranges } => {
                let scaling = Scaling::MinMax {
                    low: *low,
                    high: *high,
                };
                scaling.check().is_ok() && are_ranges(ranges)
            }
            Map::Standardize { moments } => moments.iter().all(|&(mean, deviation)| {
                mean.is_finite() && deviation.is_finite() && deviation >= 0.0
            }),
            Map::Quantile { columns, .. } => columns.iter().all(Knots::is_consistent),
        }
    }

    /// The image of `value` in feature `f`.
    pub fn value(&self, f: usize, value: f64) -> f64 {
        match &self.map {
            Map::Identity { .. } => value,
            Map::MinMax { low, high, ranges } => {
                let (min, max) = ranges[f];
                if min == max {
                    0.0
                } else if value == max {
                    // low + (high - low) may differ from high in the last bit.
                    *high
                } else {
                    low + (high - low) * ((value - min) / (max - min))
                }
            }
            Map::Standardize { moments } => {
                let (mean, deviation) = moments[f];
                if deviation == 0.0 {
                    0.0
                } else {
                    (value - mean) / deviation
                }
            }
            Map::Quantile { columns, .. } => columns[f].image(value),
        }
    }

    /// The value whose image is `scaled`; a constant feature gives back its constant.
    pub fn inverse(&self, f: usize, scaled: f64) -> f64 {
        match &self.map {
            Map::Identity { .. } => scaled,
            Map::MinMax { low, high, ranges } => {
                let (min, max) = ranges[f];
                if min == max {
                    min
                } else {
                    min + (max - min) * ((scaled - low) / (high - low))
                }
            }
            Map::Standardize { moments } => moments[f].0 + moments[f].1 * scaled,
            Map::Quantile { columns, .. } => columns[f].inverse(scaled),
        }
    }

    /// Scales samples. The result has the scaler's number of features.
    ///
    /// Narrower samples read as zeros beyond their width; dense samples that are wider are an
    /// error; entries of sparse samples beyond the width are dropped, since no training row had
    /// them. Sparse samples stay sparse if the map takes 0 to 0 in every feature; otherwise they
    /// become dense, unless that needs more than 1 GiB: see [`Scaler::apply_within`].
    pub fn apply(&self, samples: SamplesView<'_>) -> Result<Samples> {
        self.apply_within(samples, DENSE_LIMIT_BYTES)
    }

    /// As [`Scaler::apply`] with a limit in bytes for turning sparse samples into dense ones.
    pub fn apply_within(&self, samples: SamplesView<'_>, dense_bytes: u64) -> Result<Samples> {
        let width = self.n_features();
        let sparse = matches!(samples, SamplesView::Sparse { .. });
        if !sparse && samples.n_features() > width {
            return Err(Error::Shape {
                what: "features of samples to be scaled",
                expected: width,
                found: samples.n_features(),
            });
        }
        if sparse && (0..width).all(|f| self.value(f, 0.0) == 0.0) {
            return self.apply_sparse(samples);
        }
        let n_rows = samples.n_rows();
        let needed = (n_rows as u64)
            .saturating_mul(width as u64)
            .saturating_mul(8);
        if sparse && needed > dense_bytes {
            return Err(Error::Memory {
                what: "scaling that turns sparse samples into dense ones (scale to a range that \
                       keeps zero, or do not scale)",
                needed_bytes: needed,
                allowed_bytes: dense_bytes,
            });
        }
        let mut values = vec![0.0; n_rows * width];
        for (i, out) in values.chunks_exact_mut(width.max(1)).enumerate() {
            samples.row(i).write_dense(out);
            for (f, value) in out.iter_mut().enumerate() {
                *value = self.value(f, *value);
            }
        }
        Samples::dense(n_rows, width, values)
    }

    fn apply_sparse(&self, samples: SamplesView<'_>) -> Result<Samples> {
        let width = self.n_features();
        let mut row_starts = Vec::with_capacity(samples.n_rows() + 1);
        let mut indices = Vec::with_capacity(samples.n_entries());
        let mut values = Vec::with_capacity(samples.n_entries());
        row_starts.push(0);
        for i in 0..samples.n_rows() {
            samples.row(i).for_each(|f, value| {
                if f < width {
                    let scaled = self.value(f, value);
                    if scaled != 0.0 {
                        indices.push(f as u32);
                        values.push(scaled);
                    }
                }
            });
            row_starts.push(indices.len());
        }
        CsrMatrix::new(width, row_starts, indices, values).map(Samples::Sparse)
    }

    /// The scaler as the range file of `svm-scale -s`: `x`, `lower upper`, then
    /// `index min max` for each feature that is not constant, 1-based. `None` for quantiles, which
    /// are no straight lines.
    ///
    /// Min–max scalers come back from [`Scaler::from_range_file`] with the same numbers.
    /// Standardising is written as its equal: $\mu_f \mp \sigma_f$ mapped to $\mp 1$; no scaling
    /// as 0 and 1 mapped to themselves.
    pub fn to_range_file(&self) -> Option<String> {
        let (low, high, ranges): (_, _, Vec<(f64, f64)>) = match &self.map {
            Map::Identity { n_features } => (0.0, 1.0, vec![(0.0, 1.0); *n_features]),
            Map::MinMax { low, high, ranges } => (*low, *high, ranges.clone()),
            Map::Standardize { moments } => {
                let around = |&(mean, deviation)| (mean - deviation, mean + deviation);
                (-1.0, 1.0, moments.iter().map(around).collect())
            }
            Map::Quantile { .. } => return None,
        };
        let mut text = format!("x\n{} {}\n", number(low), number(high));
        for (f, (min, max)) in ranges.into_iter().enumerate() {
            if min != max {
                // Writing to a String cannot fail.
                let _ = writeln!(text, "{} {} {}", f + 1, number(min), number(max));
            }
        }
        Some(text)
    }

    /// Reads the range file of `svm-scale -s`. Features that it does not list are constant.
    ///
    /// `n_features` widens the scaler beyond the largest index in the file; 0 leaves it there.
    /// A section `y` (scaling of the target) is refused: targets are not scaled here.
    pub fn from_range_file(text: &str, n_features: usize) -> Result<Self> {
        let fail = |line: usize, problem: String| Error::Syntax {
            what: "range file",
            line,
            problem,
        };
        let mut lines = text
            .lines()
            .enumerate()
            .map(|(at, line)| (at + 1, line.trim()))
            .filter(|(_, line)| !line.is_empty());
        match lines.next() {
            Some((_, "x")) => {}
            Some((line, "y")) => {
                let problem = "scaling of targets (section y) is not supported: remove the section";
                return Err(fail(line, problem.to_owned()));
            }
            Some((line, other)) => return Err(fail(line, format!("expected x, found {other:?}"))),
            None => return Err(fail(1, "the file is empty, expected x".to_owned())),
        }
        let Some((line, range)) = lines.next() else {
            return Err(fail(2, "expected the line \"lower upper\"".to_owned()));
        };
        let [low, high] = numbers::<2>(range)
            .ok_or_else(|| fail(line, format!("expected \"lower upper\", found {range:?}")))?;
        Scaling::MinMax { low, high }.check()?;
        let mut ranges = vec![(0.0, 0.0); n_features];
        for (line, entry) in lines {
            let [index, min, max] = numbers::<3>(entry).ok_or_else(|| {
                fail(line, format!("expected \"index min max\", found {entry:?}"))
            })?;
            // Indices are bounded so that a damaged file cannot ask for all the memory.
            if !(index.fract() == 0.0 && (1.0..=2f64.powi(27)).contains(&index)) {
                let problem = format!("index {index} is not a whole number from 1 to 2^27");
                return Err(fail(line, problem));
            }
            if !(max >= min && (max - min).is_finite()) {
                return Err(fail(line, format!("range {min} to {max} is not ascending")));
            }
            let f = index as usize - 1;
            if f >= ranges.len() {
                ranges.resize(f + 1, (0.0, 0.0));
            }
            ranges[f] = (min, max);
        }
        Ok(Self {
            map: Map::MinMax { low, high, ranges },
        })
    }
}

/// Shortest text that reads back as the same number.
fn number(value: f64) -> String {
    if value == 0.0 || (1e-5..1e17).contains(&value.abs()) {
        format!("{value}")
    } else {
        format!("{value:e}")
    }
}

fn numbers<const N: usize>(line: &str) -> Option<[f64; N]> {
    let mut out = [0.0; N];
    let mut words = line.split_ascii_whitespace();
    for slot in &mut out {
        *slot = words.next()?.parse().ok().filter(|v: &f64| v.is_finite())?;
    }
    words.next().is_none().then_some(out)
}

/// Entries stored in each column: what is missing to the number of rows are zeros.
fn stored_counts(samples: SamplesView<'_>) -> Vec<usize> {
    match samples {
        SamplesView::Dense {
            n_rows, n_features, ..
        } => vec![n_rows; n_features],
        SamplesView::Sparse {
            n_features,
            indices,
            ..
        } => {
            let mut counts = vec![0; n_features];
            for &f in indices {
                counts[f as usize] += 1;
            }
            counts
        }
    }
}

fn rows(samples: SamplesView<'_>) -> impl Iterator<Item = Row<'_>> {
    (0..samples.n_rows()).map(move |i| samples.row(i))
}

/// Smallest and largest value of each feature.
fn extremes(samples: SamplesView<'_>) -> Result<(Vec<f64>, Vec<f64>)> {
    if samples.n_rows() == 0 {
        return Err(Error::NoRows);
    }
    let counts = stored_counts(samples);
    let start = |f: usize, none: f64| {
        if counts[f] < samples.n_rows() {
            0.0
        } else {
            none
        }
    };
    let mut minima: Vec<f64> = (0..counts.len()).map(|f| start(f, f64::INFINITY)).collect();
    let mut maxima: Vec<f64> = (0..counts.len())
        .map(|f| start(f, f64::NEG_INFINITY))
        .collect();
    for row in rows(samples) {
        row.for_each(|f, value| {
            minima[f] = minima[f].min(value);
            maxima[f] = maxima[f].max(value);
        });
    }
    if let Some(f) = (0..counts.len()).find(|&f| !(maxima[f] - minima[f]).is_finite()) {
        return Err(too_wide(samples, f, maxima[f]));
    }
    Ok((minima, maxima))
}

/// Mean and population deviation of each feature; the deviation of a constant feature is 0.
fn moments(samples: SamplesView<'_>) -> Result<(Vec<f64>, Vec<f64>)> {
    let (minima, maxima) = extremes(samples)?;
    let counts = stored_counts(samples);
    let n = samples.n_rows() as f64;
    let width = counts.len();
    // First pass: means. Sums start from the column's minimum, so that a column at 10⁶ ± 1 is
    // summed as if it were centred, and no finite column overflows that did not in its range.
    let zeros = |f: usize| (samples.n_rows() - counts[f]) as f64;
    let mut means = vec![0.0; width];
    for row in rows(samples) {
        row.for_each(|f, value| means[f] += (value - minima[f]) / n);
    }
    for f in 0..width {
        means[f] += minima[f] - zeros(f) * minima[f] / n;
    }
    // Second pass: squares about the mean, corrected by the mean's own rounding error.
    let mut squares = vec![0.0; width];
    let mut errors = vec![0.0; width];
    for row in rows(samples) {
        row.for_each(|f, value| {
            let apart = value - means[f];
            squares[f] += apart * apart;
            errors[f] += apart;
        });
    }
    let mut deviations = vec![0.0; width];
    for f in 0..width {
        if minima[f] == maxima[f] {
            means[f] = minima[f];
            continue;
        }
        let error = (errors[f] - zeros(f) * means[f]) / n;
        let square = (squares[f] + zeros(f) * means[f] * means[f]) / n;
        deviations[f] = (square - error * error).max(0.0).sqrt();
        means[f] += error;
        if !deviations[f].is_finite() {
            return Err(too_wide(samples, f, maxima[f]));
        }
        if deviations[f] == 0.0 {
            // The spread is below what squares can represent; half the range is its bound.
            deviations[f] = (maxima[f] - minima[f]) / 2.0;
        }
    }
    Ok((means, deviations))
}

/// The error for a feature whose range or variance overflows, at the row that holds `extreme`.
fn too_wide(samples: SamplesView<'_>, f: usize, extreme: f64) -> Error {
    let mut at = 0;
    for (i, row) in rows(samples).enumerate() {
        row.for_each(|column, value| {
            if column == f && value == extreme {
                at = i;
            }
        });
    }
    Error::TooWide {
        row: at + 1,
        column: f + 1,
        value: extreme,
    }
}
