//! The rows that a metric is learned from: a bounded sample, in single precision, every column
//! around its mean and in units of its deviation, so that neither a far origin nor a wide range costs
//! digits.

use super::groups::one_hot_groups;
use crate::data::{Dataset, Generator, Samples, Target};
use crate::error::{ensure_memory, ensure_shape};
use crate::linalg::WEIGHT_LANES;
use crate::{Error, Result};

/// Values that are kept, at most.
const MOST_VALUES: usize = 1 << 25;
/// Rows kept aside, at most, and their share of few rows.
const MOST_ASIDE: usize = 2048;
const SHARE_ASIDE: usize = 5;
/// A column whose deviation is a smaller part of its largest value does not vary.
const CONSTANT: f64 = 1e-13;

/// What the neighbours of a row are to foretell.
#[derive(Debug, Clone)]
pub(super) enum Goal {
    /// Codes of classes.
    Classes(Vec<u32>),
    /// Targets around their mean, in units of their deviation.
    Real(Vec<f64>),
}

/// The sample.
#[derive(Debug)]
pub(super) struct Pool {
    /// Columns of the data.
    pub(super) n_features: usize,
    /// Those that vary, in their order.
    pub(super) columns: Vec<u32>,
    /// Of each of them, the group that it shares its weight with.
    pub(super) group_of: Vec<u32>,
    /// Number of groups.
    pub(super) n_groups: usize,
    /// Of each of them, the logarithm of the deviation.
    pub(super) log_deviations: Vec<f64>,
    /// Values of a row, with zeros at the end.
    pub(super) width: usize,
    /// The rows one after the other: first those that are learned from, then those kept aside.
    pub(super) rows: Vec<f32>,
    /// Rows that are learned from.
    pub(super) n_learning: usize,
    /// Rows of both kinds.
    pub(super) n_rows: usize,
    pub(super) goal: Goal,
    /// What a row counts; the mean is 1.
    pub(super) weights: Vec<f64>,
}

impl Pool {
    /// Draws at most `most` rows of positive weight.
    pub(super) fn draw(
        data: &Dataset,
        groups: Option<&[u32]>,
        most: usize,
        seed: u64,
    ) -> Result<Self> {
        if let Some(groups) = groups {
            ensure_shape("groups of columns", data.n_features(), groups.len())?;
        }
        let samples = data.samples().view();
        samples.ensure_finite()?;
        let drawn = drawn_rows(data, most, seed)?;
        let n_rows = drawn.len();
        let spread = Spread::of(data.samples(), &drawn);
        let varies = |f: &usize| spread.deviations[*f] > CONSTANT;
        let columns: Vec<usize> = (0..data.n_features()).filter(varies).collect();
        let width = columns.len().next_multiple_of(WEIGHT_LANES);
        ensure_memory(
            "the rows a metric is learned from",
            4 * (n_rows * width) as u64,
            1 << 31,
        )?;
        let mut rows = vec![0.0f32; n_rows * width];
        let mut dense = vec![0.0; data.n_features()];
        for (&row, out) in drawn.iter().zip(rows.chunks_exact_mut(width.max(1))) {
            samples.row(row).write_dense(&mut dense);
            for (slot, &f) in out.iter_mut().zip(&columns) {
                *slot = spread.standard(f, dense[f]) as f32;
            }
        }
        let n_aside = (n_rows / SHARE_ASIDE).min(MOST_ASIDE);
        let group_of = match groups {
            Some(groups) => columns.iter().map(|&f| groups[f]).collect(),
            None => one_hot_groups(&rows, width, &columns),
        };
        let (group_of, n_groups) = numbered(&group_of);
        let log = |&f: &usize| spread.largest[f].ln() + spread.deviations[f].ln();
        Ok(Self {
            n_features: data.n_features(),
            log_deviations: columns.iter().map(log).collect(),
            columns: columns.into_iter().map(|f| f as u32).collect(),
            group_of,
            n_groups,
            width,
            rows,
            n_learning: n_rows - n_aside,
            n_rows,
            goal: goal(data, &drawn)?,
            weights: weights(data, &drawn),
        })
    }

    /// A row.
    pub(super) fn row(&self, row: usize) -> &[f32] {
        &self.rows[row * self.width..(row + 1) * self.width]
    }

    /// Rows of a range, multiplied, without the zeros at their end.
    pub(super) fn multiplied(
        &self,
        rows: std::ops::Range<usize>,
        factors: &[f64],
    ) -> Result<Samples> {
        let n_rows = rows.len();
        let mut values = Vec::with_capacity(n_rows * factors.len());
        for row in rows {
            let row = self.row(row).iter().zip(factors);
            values.extend(row.map(|(&x, factor)| f64::from(x) * factor));
        }
        Samples::dense(n_rows, factors.len(), values)
    }
}

/// Rows in random order, as many as the limits allow.
fn drawn_rows(data: &Dataset, most: usize, seed: u64) -> Result<Vec<usize>> {
    let mut rows = crate::data::weighty_rows(data);
    if rows.is_empty() {
        return Err(Error::NoRows);
    }
    let mut generator = Generator::new(seed);
    generator.shuffle(&mut rows);
    let width = data.n_features().next_multiple_of(WEIGHT_LANES).max(1);
    rows.truncate(most.min(MOST_VALUES / width).max(2));
    Ok(rows)
}

/// Groups numbered in the order of their first columns, and how many there are.
fn numbered(groups: &[u32]) -> (Vec<u32>, usize) {
    let mut known = std::collections::BTreeMap::new();
    let number = |group: &u32| {
        let next = known.len() as u32;
        *known.entry(*group).or_insert(next)
    };
    let numbers: Vec<u32> = groups.iter().map(number).collect();
    (numbers, known.len())
}

fn goal(data: &Dataset, rows: &[usize]) -> Result<Goal> {
    if let Target::Real(values) = data.target() {
        let drawn: Vec<f64> = rows.iter().map(|&row| values[row]).collect();
        let largest = drawn.iter().fold(0.0f64, |most, y| most.max(y.abs()));
        if let Some(&row) = rows.iter().find(|&&row| !values[row].is_finite()) {
            let (row, value) = (row + 1, values[row]);
            return Err(Error::BadRowValue {
                what: "target",
                row,
                value,
            });
        }
        let n = drawn.len() as f64;
        let unit = if largest > 0.0 { largest } else { 1.0 };
        let mean = drawn.iter().map(|y| y / unit).sum::<f64>() / n;
        let square = drawn.iter().map(|y| (y / unit - mean).powi(2)).sum::<f64>() / n;
        let deviation = if square > 0.0 { square.sqrt() } else { 1.0 };
        let standard = |y: &f64| (y / unit - mean) / deviation;
        return Ok(Goal::Real(drawn.iter().map(standard).collect()));
    }
    let labels = data.classes()?;
    let codes: Vec<u32> = rows.iter().map(|&row| labels.codes()[row]).collect();
    Ok(Goal::Classes(codes))
}

fn weights(data: &Dataset, rows: &[usize]) -> Vec<f64> {
    let Some(all) = data.weights() else {
        return vec![1.0; rows.len()];
    };
    let drawn: Vec<f64> = rows.iter().map(|&row| all[row]).collect();
    let mean = drawn.iter().sum::<f64>() / drawn.len() as f64;
    drawn.iter().map(|weight| weight / mean).collect()
}

/// Mean and deviation of every column, in units of its largest absolute value: no square of a large
/// or tiny value is ever taken.
struct Spread {
    largest: Vec<f64>,
    means: Vec<f64>,
    deviations: Vec<f64>,
}

impl Spread {
    fn of(samples: &Samples, rows: &[usize]) -> Self {
        let (view, width, n) = (samples.view(), samples.n_features(), rows.len() as f64);
        let (mut largest, mut means) = (vec![0.0f64; width], vec![0.0; width]);
        for &row in rows {
            view.row(row)
                .for_each(|f, value| largest[f] = largest[f].max(value.abs()));
        }
        let unit = |f: usize| if largest[f] > 0.0 { largest[f] } else { 1.0 };
        let mut counts = vec![0usize; width];
        for &row in rows {
            view.row(row)
                .for_each(|f, value| means[f] += value / unit(f));
        }
        for mean in &mut means {
            *mean /= n;
        }
        let mut squares = vec![0.0; width];
        for &row in rows {
            view.row(row).for_each(|f, value| {
                squares[f] += (value / unit(f) - means[f]).powi(2);
                counts[f] += 1;
            });
        }
        let deviation = |f: usize| {
            let absent = rows.len() - counts[f];
            ((squares[f] + absent as f64 * means[f].powi(2)) / n).sqrt()
        };
        let deviations = (0..width).map(deviation).collect();
        Self {
            largest,
            means,
            deviations,
        }
    }

    fn standard(&self, f: usize, value: f64) -> f64 {
        (value / self.largest[f] - self.means[f]) / self.deviations[f]
    }
}
