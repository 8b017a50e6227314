//! Which methods take part, with which values.

use super::Candidate;
use crate::{MetricChoice, Pipeline, Trainer, by_name};
use hedgerow::Result;
use hedgerow::data::{Dataset, Scaling, Spread, Target};
use hedgerow::method::Task;
use hedgerow::params::Value;

/// What is known of the data before anything is tried.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    /// Rows that will be trained on in the end.
    pub(super) n_rows: usize,
    /// Sum of the variances of the scaled columns: half of the mean squared distance of two rows.
    pub(super) variance: f64,
    /// Sum of their deviations: about the mean distance of two rows in the city-block metric.
    pub(super) spread: f64,
    /// Deviation of a real target.
    pub(super) deviation: f64,
    pub(super) task: Task,
}

/// A kind of machine with the values that are tried at first.
struct Family {
    method: &'static str,
    task: Task,
    /// Rows below which it does not take part, and above which it does not even try.
    rows: std::ops::Range<usize>,
    values: fn(&Shape) -> Vec<Values>,
    steps: &'static [(&'static str, f64)],
    /// Power of the rows that a fit takes.
    growth: f64,
    /// Whether a metric is worth learning for it.
    takes_metric: bool,
    /// Whether a person can read its answers off the model.
    explainable: bool,
}

type Values = Vec<(String, Value)>;

const FAMILIES: &[Family] = &[
    Family {
        method: "svm",
        task: Task::Classes,
        rows: 0..200_000,
        values: |shape| kernel_values(shape, &[0.25, 1.0, 4.0, 16.0, 64.0], &[1.0, 32.0]),
        steps: &[("gamma", 2.0), ("cost", 4.0)],
        growth: 1.6,
        takes_metric: true,
        explainable: false,
    },
    Family {
        method: "falk-svm",
        task: Task::Classes,
        rows: 4000..usize::MAX,
        values: |_| local_values(&[2.0, 16.0], &[]),
        steps: &[("cost", 4.0), ("neighbours", 1.6)],
        growth: 1.1,
        takes_metric: true,
        explainable: false,
    },
    Family {
        method: "knn",
        task: Task::Classes,
        rows: 0..usize::MAX,
        values: |_| neighbours(&[1, 5, 15]),
        steps: &[("neighbours", 1.5)],
        growth: 1.1,
        takes_metric: true,
        explainable: false,
    },
    Family {
        method: "linear-svm",
        task: Task::Classes,
        rows: 0..usize::MAX,
        values: |_| costs(&[0.01, 0.25, 4.0]),
        steps: &[("cost", 4.0)],
        growth: 1.1,
        takes_metric: false,
        explainable: true,
    },
    Family {
        method: "logistic",
        task: Task::Classes,
        rows: 0..usize::MAX,
        values: |_| costs(&[0.05, 1.0, 20.0]),
        steps: &[("cost", 4.0)],
        growth: 1.1,
        takes_metric: false,
        explainable: true,
    },
    Family {
        method: "h-lsvm",
        task: Task::Classes,
        rows: 500..usize::MAX,
        values: |_| {
            let lambda = |value| vec![("lambda".to_owned(), Value::Number(value))];
            vec![lambda(1e-4), lambda(1e-2)]
        },
        steps: &[("lambda", 4.0)],
        growth: 1.1,
        takes_metric: false,
        explainable: false,
    },
    Family {
        method: "svr",
        task: Task::Real,
        rows: 0..100_000,
        values: |shape| {
            let mut all = kernel_values(shape, &[0.25, 1.0, 4.0], &[1.0, 32.0]);
            for values in &mut all {
                for (name, value) in values.iter_mut() {
                    if let ("cost", Some(cost)) = (name.as_str(), value.as_number()) {
                        *value = Value::Number(cost * shape.deviation);
                    }
                }
                values.push(tube(shape));
            }
            all
        },
        steps: &[("gamma", 2.0), ("cost", 4.0), ("epsilon", 2.0)],
        growth: 1.6,
        takes_metric: true,
        explainable: false,
    },
    Family {
        method: "falk-svr",
        task: Task::Real,
        rows: 4000..usize::MAX,
        values: |shape| {
            let costs = [2.0 * shape.deviation, 16.0 * shape.deviation];
            local_values(&costs, &[tube(shape)])
        },
        steps: &[("cost", 4.0), ("neighbours", 1.6), ("epsilon", 2.0)],
        growth: 1.1,
        takes_metric: true,
        explainable: false,
    },
    Family {
        method: "knn-regression",
        task: Task::Real,
        rows: 0..usize::MAX,
        values: |_| neighbours(&[3, 8, 20]),
        steps: &[("neighbours", 1.5)],
        growth: 1.1,
        takes_metric: true,
        explainable: false,
    },
];

fn number(name: &str, value: f64) -> (String, Value) {
    (name.to_owned(), Value::Number(value))
}

/// Widths about that of the mean distance, and costs.
fn kernel_values(shape: &Shape, widths: &[f64], costs: &[f64]) -> Vec<Values> {
    let usual = 0.5 / shape.variance.max(1e-12);
    let mut all = Vec::new();
    for cost in costs {
        for width in widths {
            // Three digits are enough to be chosen, and can be typed again.
            let gamma = rounded(usual * width);
            all.push(vec![number("gamma", gamma), number("cost", *cost)]);
        }
    }
    all
}

/// Widths of local machines are percentiles of each neighbourhood's distances.
fn local_values(costs: &[f64], more: &[(String, Value)]) -> Vec<Values> {
    let mut all = Vec::new();
    for &cost in costs {
        for gamma in ["q1", "q10", "q50"] {
            let mut values = vec![
                ("neighbours".to_owned(), Value::Whole(400)),
                number("core", 0.25),
                ("gamma".to_owned(), Value::from(gamma)),
                number("cost", rounded(cost)),
            ];
            values.extend(more.iter().cloned());
            all.push(values);
        }
    }
    all
}

fn neighbours(counts: &[u64]) -> Vec<Values> {
    let one = |&count: &u64| vec![("neighbours".to_owned(), Value::Whole(count))];
    counts.iter().map(one).collect()
}

fn costs(costs: &[f64]) -> Vec<Values> {
    costs
        .iter()
        .map(|&cost| vec![number("cost", cost)])
        .collect()
}

/// A tube of a twentieth of the target's deviation.
fn tube(shape: &Shape) -> (String, Value) {
    number("epsilon", rounded(0.05 * shape.deviation))
}

/// To three digits.
fn rounded(value: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    format!("{value:.2e}").parse().unwrap_or(value)
}

fn of(method: &str) -> Option<&'static Family> {
    FAMILIES.iter().find(|family| family.method == method)
}

/// Power of the rows that a fit of this method takes.
pub(super) fn growth(method: &str) -> f64 {
    of(method).map_or(1.5, |family| family.growth)
}

/// Rows on which the parameters of this method are chosen where nobody asked for a search: fewer for
/// methods that grow with the square, and for wide rows.
pub(super) fn sample_rows(method: &str, n_features: usize) -> usize {
    let rows = of(method).map_or(2000, |family| if family.growth < 1.3 { 4000 } else { 2000 });
    rows.min((200 * rows / n_features.max(1)).max(600))
}

/// True if there is something to choose for a method.
pub(super) fn knows(method: &str) -> bool {
    of(method).is_some()
}

/// A kernel that sums differences in place of their squares: often the better one where columns are of
/// different kinds.
const CITY_BLOCK: &str = "cityblock(gamma=auto)";

/// The scalings that are tried.
const SCALINGS: [Scaling; 2] = [Scaling::Standardize, Scaling::Quantile(Spread::Uniform)];

/// What may take part.
pub(super) struct Field<'a> {
    pub(super) shape: Shape,
    /// What is done beside the choices.
    pub(super) base: &'a Pipeline,
    /// Only this method, with the values that it has in `base` but for those not in `fixed`.
    pub(super) only: Option<&'a dyn Trainer>,
    /// Parameters of that method that stay as they are.
    pub(super) fixed: &'a [String],
    /// Whether the scaling is to be chosen.
    pub(super) choose_scaling: bool,
    pub(super) explainable: bool,
    pub(super) seed: u64,
}

impl Field<'_> {
    fn families(&self) -> impl Iterator<Item = &'static Family> {
        let only = self.only.map(|trainer| trainer.card().name);
        let (task, explainable) = (self.shape.task, self.explainable);
        let rows = self.shape.n_rows;
        FAMILIES.iter().filter(move |family| match only {
            Some(name) => family.method == name,
            None => {
                family.task == task
                    && family.rows.contains(&rows)
                    && (!explainable || family.explainable)
            }
        })
    }

    fn base_of(&self, family: &Family) -> Result<Pipeline> {
        let mut pipeline = self.base.with(&[])?;
        if self.only.is_none()
            && let Some(method) = by_name(family.method)
        {
            pipeline.trainer = method.trainer(&[], self.seed)?;
        }
        Ok(pipeline)
    }

    /// Those that begin.
    pub(super) fn first(&self) -> Result<Vec<Candidate>> {
        let mut all: Vec<Candidate> = Vec::new();
        for family in self.families() {
            let base = self.base_of(family)?;
            let steps: Vec<(&'static str, f64)> = family
                .steps
                .iter()
                .copied()
                .filter(|(name, _)| !self.fixed.iter().any(|fixed| fixed == name))
                .collect();
            for mut values in (family.values)(&self.shape) {
                let is_fixed = |name: &str| self.fixed.iter().any(|fixed| fixed == name);
                // The share of a neighbourhood belongs to its size.
                values.retain(|(name, _)| {
                    !(is_fixed(name) || name == "core" && is_fixed("neighbours"))
                });
                // Other scalings are tried with what is best.
                let scaling = self.choose_scaling.then_some(SCALINGS[0]);
                let candidate = Candidate::of(&base, scaling, values, &steps)?;
                let key = candidate.key();
                if all.iter().all(|other| other.key() != key) {
                    all.push(candidate);
                }
            }
        }
        Ok(all)
    }

    /// Whether the city-block kernel is to be tried in place of the Gaussian.
    fn takes_other_kernels(&self, candidate: &Candidate) -> bool {
        let is_free = |name: &str| !self.fixed.iter().any(|fixed| fixed == name);
        let is_chosen = |name: &str| candidate.chosen.iter().any(|(other, _)| other == name);
        ["svm", "svr"].contains(&candidate.method())
            && is_free("kernel")
            && is_free("gamma")
            && is_chosen("gamma")
            && !is_chosen("kernel")
            && candidate.pipeline.metric.is_none()
    }

    /// What joins after candidates have been compared: their neighbours, and the best with a learned
    /// metric.
    pub(super) fn later(&self, best: &[&Candidate], with_metric: bool) -> Result<Vec<Candidate>> {
        let mut all = Vec::new();
        for (place, candidate) in best.iter().enumerate() {
            all.extend(candidate.neighbours());
            if place == 0 && self.takes_other_kernels(candidate) {
                for width in [0.3, 1.0, 3.0] {
                    let gamma = rounded(width / self.shape.spread.max(1e-12));
                    all.push(candidate.with_kernel(CITY_BLOCK, gamma)?);
                }
            }
            if candidate.chose_scaling && place == 0 {
                for scaling in SCALINGS {
                    all.push(candidate.scaled(scaling)?);
                }
            }
            let takes = of(candidate.method()).is_some_and(|family| family.takes_metric);
            if with_metric
                && takes
                && self.base.metric.is_none()
                && candidate.pipeline.metric.is_none()
            {
                let mut other = candidate.with(&[])?;
                other.pipeline.metric = Some(MetricChoice::learned(self.seed, None));
                if candidate.method() == "svm" || candidate.method() == "svr" {
                    // A width in numbers belongs to the columns as they were.
                    for word in ["q10", "q50"] {
                        let gamma = [("gamma".to_owned(), Value::from(word))];
                        let mut other = other.with(&gamma)?;
                        other.pipeline.metric = Some(MetricChoice::learned(self.seed, None));
                        all.push(other);
                    }
                } else {
                    all.push(other);
                }
            }
        }
        Ok(all)
    }
}

/// What the data are like after standardising.
pub(super) fn shape_of(data: &Dataset, task: Task, scaling: Option<Scaling>) -> Result<Shape> {
    let scaler = scaling
        .unwrap_or(Scaling::Standardize)
        .fit(data.samples().view())?;
    let scaled = scaler.apply(data.samples().view())?;
    let view = scaled.view();
    let (n, d) = (view.n_rows() as f64, view.n_features());
    let (mut sums, mut squares) = (vec![0.0; d], vec![0.0; d]);
    for i in 0..view.n_rows() {
        view.row(i).for_each(|f, value| {
            sums[f] += value / n;
            squares[f] += value * value / n;
        });
    }
    let variances = (0..d).map(|f| (squares[f] - sums[f] * sums[f]).max(0.0));
    let spread = variances.clone().map(f64::sqrt).sum();
    let variance = variances.sum();
    let deviation = match data.target() {
        Target::Real(values) => {
            let mean = values.iter().sum::<f64>() / n;
            (values.iter().map(|y| (y - mean) * (y - mean)).sum::<f64>() / n).sqrt()
        }
        _ => 1.0,
    };
    Ok(Shape {
        n_rows: data.n_rows(),
        variance,
        spread,
        deviation: if deviation > 0.0 { deviation } else { 1.0 },
        task,
    })
}
