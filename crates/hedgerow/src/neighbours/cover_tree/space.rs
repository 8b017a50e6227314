//! Distances as the tree computes them: in double precision, from rows spread out, with what a
//! kernel says of each row alone kept.

use crate::Result;
use crate::data::{Row, SamplesView};
use crate::kernel::Kernel;
use crate::linalg::{city_block_dist, dot, sq_dist};
use crate::neighbours::DistanceMetric;
use crate::neighbours::metric::Embedding;
use crate::parallel::{Grain, for_each_chunk, try_concat};

/// Values up to which sparse rows are spread out.
const SPREAD: usize = 1 << 28;
/// Rows of one parallel task.
const TASK: usize = 64;

/// What is prepared once for all distances between rows of some samples.
pub(in crate::neighbours) struct Prepared {
    /// Rows spread out and weighted, if they are not so already.
    spread: Option<Vec<f64>>,
    width: usize,
    form: Form,
    /// $K(x,x)$ of every row, if the metric is a kernel's.
    self_values: Vec<f64>,
    /// Rows that were prepared.
    n_rows: usize,
    largest: f64,
}

#[derive(Clone, Copy, PartialEq)]
enum Form {
    Euclidean,
    CityBlock,
    Polynomial {
        gamma: f64,
        coef0: f64,
        degree: i32,
    },
    /// By the metric itself.
    Any,
}

impl Prepared {
    /// Prepares all rows of `samples`.
    pub(in crate::neighbours) fn new(
        metric: &DistanceMetric,
        samples: SamplesView<'_>,
    ) -> Result<Self> {
        let d = samples.n_features();
        let embedding = coordinates(metric, d);
        let (form, width) = match (metric, embedding) {
            (DistanceMetric::CityBlock { .. }, Some(embedding)) => {
                (Form::CityBlock, embedding.width())
            }
            (_, Some(embedding)) => (Form::Euclidean, embedding.width()),
            (
                &DistanceMetric::Kernel(Kernel::Polynomial {
                    gamma,
                    coef0,
                    degree,
                }),
                _,
            ) => {
                let degree = degree as i32;
                (
                    Form::Polynomial {
                        gamma,
                        coef0,
                        degree,
                    },
                    d,
                )
            }
            _ => (Form::Any, d),
        };
        let in_place = matches!(samples, SamplesView::Dense { .. })
            && embedding.is_none_or(Embedding::is_identity);
        let fits = samples.n_rows().saturating_mul(width) <= SPREAD;
        let form = if in_place || fits { form } else { Form::Any };
        let mut prepared = Self {
            spread: (!in_place && fits && form != Form::Any).then(Vec::new),
            width,
            form,
            self_values: Vec::new(),
            n_rows: 0,
            largest: 0.0,
        };
        prepared.extend(metric, samples)?;
        Ok(prepared)
    }

    /// Prepares the rows that the samples have got more.
    pub(in crate::neighbours) fn extend(
        &mut self,
        metric: &DistanceMetric,
        samples: SamplesView<'_>,
    ) -> Result<()> {
        let d = samples.n_features();
        let (from, width) = (self.n_rows, self.width);
        if let Some(values) = &mut self.spread {
            let embedding = coordinates(metric, d);
            values.resize(samples.n_rows() * width, 0.0);
            let new = &mut values[from * width..];
            for_each_chunk(new, TASK * width.max(1), Grain::COARSE, &|task, part| {
                let first = from + task * TASK;
                for (i, out) in part.chunks_exact_mut(width.max(1)).enumerate() {
                    spread_row(embedding, samples.row(first + i), out);
                }
            });
        }
        if let DistanceMetric::Kernel(kernel) = metric
            && self.form != Form::Euclidean
        {
            let count = samples.n_rows().saturating_sub(from);
            let more: Vec<f64> = try_concat(count, TASK, &|part| {
                part.map(|i| kernel.self_value(samples.row(from + i), d))
                    .collect()
            })?;
            self.largest = more
                .iter()
                .fold(self.largest, |largest, value| largest.max(value.abs()));
            self.self_values.extend(more);
        }
        self.n_rows = self.n_rows.max(samples.n_rows());
        Ok(())
    }
}

/// The coordinates that distances are differences of, if they are.
fn coordinates(metric: &DistanceMetric, d: usize) -> Option<Embedding<'_>> {
    metric
        .embedding(d)
        .or_else(|| metric.city_block_coordinates(d))
}

fn spread_row(embedding: Option<Embedding<'_>>, row: Row<'_>, out: &mut [f64]) {
    match embedding {
        Some(embedding) => {
            out.fill(0.0);
            embedding.for_each(row, |f, value| out[f] = value);
        }
        None => row.write_dense(out),
    }
}

/// Rows with their distances.
#[derive(Clone, Copy)]
pub(in crate::neighbours) struct Space<'a> {
    metric: &'a DistanceMetric,
    samples: SamplesView<'a>,
    prepared: &'a Prepared,
}

/// A row that distances are taken from.
#[derive(Debug, Clone, Default)]
pub(in crate::neighbours) struct Point {
    values: Vec<f64>,
    self_value: f64,
}

impl<'a> Space<'a> {
    pub(in crate::neighbours) fn new(
        metric: &'a DistanceMetric,
        samples: SamplesView<'a>,
        prepared: &'a Prepared,
    ) -> Self {
        Self {
            metric,
            samples,
            prepared,
        }
    }

    /// Whether distances are squared differences of the rows that [`Space::values`] gives.
    pub(super) fn is_spread_out(&self) -> bool {
        self.prepared.form == Form::Euclidean
    }

    /// A row as distances see it; empty if they see the samples themselves.
    pub(super) fn values(&self, row: u32) -> &'a [f64] {
        let (at, width) = (row as usize, self.prepared.width);
        match (&self.prepared.spread, self.samples) {
            (Some(values), _) => &values[at * width..(at + 1) * width],
            (None, SamplesView::Dense { values, .. }) => &values[at * width..(at + 1) * width],
            _ => &[],
        }
    }

    fn self_value(&self, row: u32) -> f64 {
        let values = &self.prepared.self_values;
        values.get(row as usize).copied().unwrap_or(0.0)
    }

    /// The distance of two rows.
    #[inline]
    pub(super) fn distance(&self, x: u32, y: u32) -> f64 {
        let point = (self.values(x), self.self_value(x));
        self.measured(point, self.samples.row(x as usize), y)
    }

    #[inline]
    fn measured(&self, (values, self_value): (&[f64], f64), row: Row<'_>, y: u32) -> f64 {
        let squared = match self.prepared.form {
            Form::Euclidean => sq_dist(values, self.values(y)),
            Form::CityBlock => return city_block_dist(values, self.values(y)),
            Form::Polynomial {
                gamma,
                coef0,
                degree,
            } => {
                let product = dot(values, self.values(y));
                let value = (gamma * product + coef0).powi(degree);
                (self_value + self.self_value(y) - 2.0 * value).max(0.0)
            }
            Form::Any => return self.by_metric(row, y),
        };
        squared.sqrt()
    }

    fn by_metric(&self, row: Row<'_>, y: u32) -> f64 {
        let d = self.samples.n_features();
        let other = self.samples.row(y as usize);
        // The metric was checked when the tree was built: it has a value for any two rows.
        self.metric.distance(other, row, d).unwrap_or(f64::NAN)
    }

    /// Prepares a row of anywhere. False if it has a feature that the samples do not have.
    pub(super) fn point(&self, row: Row<'_>, point: &mut Point) -> bool {
        let d = self.samples.n_features();
        let mut complete = true;
        row.for_each(|f, value| complete &= f < d || value == 0.0);
        point.values.resize(self.prepared.width, 0.0);
        spread_row(coordinates(self.metric, d), row, &mut point.values);
        point.self_value = match self.metric {
            DistanceMetric::Kernel(kernel) if self.prepared.form != Form::Euclidean => {
                kernel.self_value(row, d).unwrap_or(f64::NAN)
            }
            _ => 0.0,
        };
        complete
    }

    /// The distance of a prepared row, given as it was too.
    #[inline]
    pub(super) fn distance_to(&self, point: &Point, row: Row<'_>, y: u32) -> f64 {
        self.measured((&point.values, point.self_value), row, y)
    }

    /// How far a distance here may be from the metric's: a share of it, and an amount.
    ///
    /// Differences of features lose a share of the distance only. With a kernel $d^2$ is a
    /// difference of large numbers.
    pub(super) fn errors(&self, point: &Point) -> (f64, f64) {
        let width = self.prepared.width as f64;
        let share = 4.0 * (width + 16.0) * f64::EPSILON;
        let largest = self.prepared.largest.max(point.self_value.abs());
        let amount = match self.prepared.form {
            // Squares of smaller numbers vanish.
            Form::Euclidean => 1e-160 * width.sqrt(),
            Form::Polynomial { degree, .. } => {
                let steps = f64::from(degree) * (width + 8.0) + 16.0;
                (8.0 * steps * f64::EPSILON * largest).sqrt()
            }
            // Sums of absolute differences lose nothing to small numbers.
            Form::CityBlock => 0.0,
            Form::Any if matches!(self.metric, DistanceMetric::CityBlock { .. }) => 0.0,
            Form::Any if self.metric.is_euclidean() => 1e-160 * width.sqrt(),
            Form::Any => (1e-12 * largest).sqrt(),
        };
        (share, amount)
    }
}
