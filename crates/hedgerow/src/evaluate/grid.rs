//! Grid search over any parameters.
//!
//! Points are taken in grid order (the last axis varies fastest) in batches of fixed size; the
//! points of a batch are tested fold by fold, all points of a batch in parallel on one fold.
//! Between folds, points that cannot win any more are given up. Decisions are made in fixed
//! order from complete results, so the table is the same for any number of threads.

use super::cross_validation::{Metric, measure};
use super::statistics::mean_and_deviation;
use crate::data::{Dataset, Split, Target};
use crate::parallel::{Grain, map};
use crate::params::Value;
use crate::{Error, Predictor, Result};
use std::cmp::Ordering;

/// Largest number of values on an axis and of points in a grid.
const LIMIT: usize = 1_000_000;

/// One parameter and the values to try.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// Name of the parameter.
    pub name: String,
    /// Values in the order in which they are tried: numbers or words.
    pub values: Vec<Value>,
}

impl Axis {
    /// Reads `name=values`. Values are a comma-separated list of
    ///
    /// * numbers: `gamma=0.1,1,10`, or powers: `2^-3`;
    /// * ranges `from:step:to`, both ends included: `k=10:10:100`;
    /// * ranges of exponents `base^from:step:to`: `cost=2^-5:2:15` is 2⁻⁵, 2⁻³, …, 2¹⁵;
    /// * words: `sigma=q1,q10`, `loss=hinge,squared-hinge`.
    ///
    /// ```
    /// use hedgerow::evaluate::Axis;
    /// assert_eq!(Axis::parse("cost=2^-1:1:1")?.values, [0.5.into(), 1.0.into(), 2.0.into()]);
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    pub fn parse(text: &str) -> Result<Self> {
        let fail = |problem: String| Error::Syntax {
            what: "grid axis",
            line: 1,
            problem,
        };
        let (name, list) = text
            .split_once('=')
            .ok_or_else(|| fail(format!("{text:?} has no '=': write name=values")))?;
        let name = name.trim();
        if name.is_empty() {
            return Err(fail(format!("{text:?} has no name before '='")));
        }
        let mut values = Vec::new();
        for item in list.split(',') {
            let item = item.trim();
            if is_word(item) {
                values.push(Value::Text(item.to_owned()));
                continue;
            }
            let numbers = item_values(item).map_err(fail)?;
            if let Some(bad) = numbers.iter().find(|value| !value.is_finite()) {
                return Err(fail(format!("value {bad} is not finite")));
            }
            values.extend(numbers.into_iter().map(Value::Number));
            if values.len() > LIMIT {
                return Err(fail(format!("more than {LIMIT} values")));
            }
        }
        Ok(Self {
            name: name.to_owned(),
            values,
        })
    }
}

/// True for what begins like a name and is no number.
fn is_word(item: &str) -> bool {
    item.starts_with(|c: char| c.is_ascii_alphabetic())
        && item
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
        && item.parse::<f64>().is_err()
}

fn item_values(item: &str) -> std::result::Result<Vec<f64>, String> {
    let read = |word: &str| {
        let value = word.trim().parse::<f64>().ok().filter(|v| v.is_finite());
        value.ok_or_else(|| format!("{word:?} in {item:?} is not a finite number"))
    };
    let (base, exponents) = match item.split_once('^') {
        Some((base, rest)) => {
            let base = read(base)?;
            if base <= 0.0 {
                return Err(format!("base {base} in {item:?} is not greater than 0"));
            }
            (Some(base), rest)
        }
        None => (None, item),
    };
    let parts: Vec<&str> = exponents.split(':').collect();
    let plain = match parts[..] {
        [one] => vec![read(one)?],
        [from, step, to] => range(read(from)?, read(step)?, read(to)?)
            .ok_or_else(|| format!("{item:?} never reaches its end, or has over {LIMIT} steps"))?,
        _ => return Err(format!("{item:?} is neither a number nor from:step:to")),
    };
    Ok(match base {
        // exp2 is exact for whole exponents.
        Some(2.0) => plain.into_iter().map(f64::exp2).collect(),
        Some(base) => plain.into_iter().map(|e| base.powf(e)).collect(),
        None => plain,
    })
}

fn range(from: f64, step: f64, to: f64) -> Option<Vec<f64>> {
    if from == to {
        return Some(vec![from]);
    }
    // The end counts as reached when rounding keeps the last step just short of it.
    let steps = (to - from) / step + 1e-9;
    if !(0.0..LIMIT as f64).contains(&steps) {
        return None;
    }
    Some(
        (0..=steps as usize)
            .map(|k| from + k as f64 * step)
            .collect(),
    )
}

/// The product of its axes.
#[derive(Debug, Clone, PartialEq)]
pub struct Grid {
    /// The axes; the last varies fastest.
    pub axes: Vec<Axis>,
}

impl Grid {
    /// Reads one axis a text, see [`Axis::parse`].
    pub fn parse<S: AsRef<str>>(axes: &[S]) -> Result<Self> {
        let axes = axes.iter().map(|text| Axis::parse(text.as_ref()));
        let grid = Self {
            axes: axes.collect::<Result<_>>()?,
        };
        grid.check()?;
        Ok(grid)
    }

    /// Number of points.
    pub fn n_points(&self) -> usize {
        let sizes = self.axes.iter().map(|axis| axis.values.len());
        sizes.fold(1, usize::saturating_mul)
    }

    /// The values at a point, one an axis.
    pub fn point(&self, index: usize) -> Vec<Value> {
        let mut rest = index;
        let mut values: Vec<Value> = self
            .axes
            .iter()
            .rev()
            .map(|axis| {
                let value = axis.values[rest % axis.values.len()].clone();
                rest /= axis.values.len();
                value
            })
            .collect();
        values.reverse();
        values
    }

    fn check(&self) -> Result<()> {
        let fail = |problem: String| {
            Err(Error::Syntax {
                what: "grid",
                line: 1,
                problem,
            })
        };
        for (at, axis) in self.axes.iter().enumerate() {
            if axis.values.is_empty() {
                return fail(format!("axis {} has no values", axis.name));
            }
            if self.axes[..at].iter().any(|other| other.name == axis.name) {
                return fail(format!("axis {} stands twice", axis.name));
            }
        }
        if self.axes.is_empty() {
            return fail("there are no axes".to_owned());
        }
        if self.n_points() > LIMIT {
            return fail(format!("more than {LIMIT} points"));
        }
        Ok(())
    }
}

/// When points are given up before their last fold, and what is compared.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SearchOptions {
    /// What is compared. Default: accuracy for classes, mean squared error for real targets.
    pub metric: Option<Metric>,
    /// Give up a point that could not become the best even with perfect remaining folds. This
    /// cannot change the winner. Default true.
    pub exact_abandon: bool,
    /// Give up a point whose folds so far are worse than the best point's same folds by more than
    /// this many standard errors of the paired difference. This can lose the winner. Default: off.
    pub margin: Option<f64>,
    /// Folds that the rule of `margin` needs at least. Default 3.
    pub margin_folds: usize,
    /// Points in a batch: more work in parallel, later abandoning. The result depends on it, not
    /// on the number of threads. Default 8.
    pub batch: usize,
}

impl Default for SearchOptions {
    fn default() -> Self {
        Self {
            metric: None,
            exact_abandon: true,
            margin: None,
            margin_folds: 3,
            batch: 8,
        }
    }
}

impl SearchOptions {
    /// Sets the metric.
    pub fn with_metric(mut self, metric: Metric) -> Self {
        self.metric = Some(metric);
        self
    }

    /// Switches the rule that cannot change the winner.
    pub fn with_exact_abandon(mut self, on: bool) -> Self {
        self.exact_abandon = on;
        self
    }

    /// Switches on the statistical rule.
    pub fn with_margin(mut self, standard_errors: f64) -> Self {
        self.margin = Some(standard_errors);
        self
    }

    /// Sets the number of points in a batch.
    pub fn with_batch(mut self, points: usize) -> Self {
        self.batch = points;
        self
    }

    /// Verifies the ranges.
    pub fn check(&self) -> Result<()> {
        let positive = [("margin_folds", self.margin_folds), ("batch", self.batch)];
        for (name, value) in positive {
            if value == 0 {
                return Err(Error::Parameter {
                    name,
                    value: 0.0,
                    requirement: "at least 1",
                });
            }
        }
        self.margin.map_or(Ok(()), |margin| {
            crate::error::ensure_not_negative("margin", margin)
        })
    }
}

/// What became of a point.
#[derive(Debug, Clone, PartialEq)]
pub enum PointStatus {
    /// All folds were tested.
    Complete,
    /// Given up: it could not reach the best point any more.
    Hopeless,
    /// Given up: it was worse than the best point by the statistical margin.
    Worse,
    /// Training or testing failed, for example because the parameters are infeasible.
    Failed(Error),
}

/// One line of the results.
#[derive(Debug, Clone, PartialEq)]
pub struct PointResult {
    /// Value on each axis.
    pub point: Vec<Value>,
    /// Metric on each fold tested.
    pub folds: Vec<f64>,
    /// Mean over the folds tested; NaN without any.
    pub mean: f64,
    /// Sample standard deviation over the folds tested.
    pub deviation: f64,
    /// What became of the point.
    pub status: PointStatus,
}

/// Results of a search.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchResult {
    /// The metric compared.
    pub metric: Metric,
    /// All points in grid order.
    pub points: Vec<PointResult>,
    /// Index of the best complete point; the first of equals.
    pub best: usize,
}

/// How far a search has come.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Progress {
    /// Points that are complete, given up or failed.
    pub points_done: usize,
    /// All points.
    pub points_total: usize,
    /// Models trained so far.
    pub fits: usize,
    /// Values and mean of the best complete point so far.
    pub best: Option<(Vec<Value>, f64)>,
}

/// Finds the grid point with the best mean metric over the splits.
///
/// `fit` trains with the values of a point, in the order of the axes. A point whose training
/// fails is noted as failed; the search fails if all points do, or at once on
/// [`Error::Interrupted`]. `progress` is called after every fold of a batch.
pub fn search<F>(
    data: &Dataset,
    splits: &[Split],
    grid: &Grid,
    fit: F,
    options: &SearchOptions,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<SearchResult>
where
    F: Fn(&[Value], &Dataset) -> Result<Box<dyn Predictor>> + Sync,
{
    options.check()?;
    grid.check()?;
    if splits.is_empty() {
        return Err(Error::Shape {
            what: "splits of a grid search",
            expected: 1,
            found: 0,
        });
    }
    let metric = match (options.metric, data.target()) {
        (Some(metric), _) => metric,
        (None, Target::Real(_)) => Metric::MeanSquaredError,
        (None, _) => Metric::Accuracy,
    };
    let race = Race {
        metric,
        n_folds: splits.len(),
        options,
    };
    let n_points = grid.n_points();
    let mut standings = Standings {
        results: Vec::with_capacity(n_points),
        best: None,
        fits: 0,
    };
    for start in (0..n_points).step_by(options.batch) {
        let end = n_points.min(start + options.batch);
        let mut batch: Vec<Runner> = (start..end).map(|at| Runner::new(grid.point(at))).collect();
        for split in splits {
            if batch.iter().all(|runner| runner.status.is_some()) {
                break;
            }
            let values = test_on_fold(&batch, data, split, &fit, metric);
            standings.note(&race, &mut batch, values)?;
            let running = batch
                .iter()
                .filter(|runner| runner.status.is_none())
                .count();
            progress(Progress {
                points_done: end - running,
                points_total: n_points,
                fits: standings.fits,
                best: standings
                    .leader()
                    .map(|leader| (leader.point.clone(), leader.mean)),
            });
        }
        standings.close(&race, batch);
    }
    match standings.best {
        Some(best) => Ok(SearchResult {
            metric,
            points: standings.results,
            best,
        }),
        None => Err(first_error(standings.results)),
    }
}

/// What the points of a batch that are still under way reach on one fold.
fn test_on_fold<F>(
    batch: &[Runner],
    data: &Dataset,
    split: &Split,
    fit: &F,
    metric: Metric,
) -> Vec<Option<Result<f64>>>
where
    F: Fn(&[Value], &Dataset) -> Result<Box<dyn Predictor>> + Sync,
{
    let train = data.select(&split.train);
    let test = data.select(&split.test);
    map(batch.len(), Grain::COARSE, &|at| {
        let runner = &batch[at];
        runner.status.is_none().then(|| {
            let model = fit(&runner.point, &train)?;
            measure(model.as_ref(), &test, metric)
        })
    })
}

/// Points that are done, and who leads.
struct Standings {
    results: Vec<PointResult>,
    best: Option<usize>,
    fits: usize,
}

impl Standings {
    fn leader(&self) -> Option<&PointResult> {
        self.best.map(|at| &self.results[at])
    }

    /// Writes down one fold of a batch, and gives up who cannot win.
    fn note(
        &mut self,
        race: &Race<'_>,
        batch: &mut [Runner],
        values: Vec<Option<Result<f64>>>,
    ) -> Result<()> {
        for (runner, value) in batch.iter_mut().zip(values) {
            match value {
                None => continue,
                Some(Err(Error::Interrupted)) => return Err(Error::Interrupted),
                Some(Err(error)) => runner.status = Some(PointStatus::Failed(error)),
                Some(Ok(value)) => runner.folds.push(value),
            }
            self.fits += 1;
            race.judge(runner, self.leader());
        }
        Ok(())
    }

    /// Takes in the points of a batch.
    fn close(&mut self, race: &Race<'_>, batch: Vec<Runner>) {
        for runner in batch {
            let result = runner.finish();
            let leads = result.status == PointStatus::Complete
                && self.leader().is_none_or(|leader| {
                    race.compare(result.mean, leader.mean) == Ordering::Greater
                });
            if leads {
                self.best = Some(self.results.len());
            }
            self.results.push(result);
        }
    }
}

/// Without a complete point every point failed: nothing was there to be worse than.
fn first_error(results: Vec<PointResult>) -> Error {
    results
        .into_iter()
        .find_map(|result| match result.status {
            PointStatus::Failed(error) => Some(error),
            _ => None,
        })
        .unwrap_or(Error::NoRows)
}

/// A point under way.
struct Runner {
    point: Vec<Value>,
    folds: Vec<f64>,
    status: Option<PointStatus>,
}

impl Runner {
    fn new(point: Vec<Value>) -> Self {
        Self {
            point,
            folds: Vec::new(),
            status: None,
        }
    }

    fn finish(self) -> PointResult {
        let (mean, deviation) = mean_and_deviation(&self.folds).unwrap_or((f64::NAN, f64::NAN));
        PointResult {
            point: self.point,
            mean,
            deviation,
            status: self.status.unwrap_or(PointStatus::Complete),
            folds: self.folds,
        }
    }
}

/// The rules by which points win or are given up.
struct Race<'a> {
    metric: Metric,
    n_folds: usize,
    options: &'a SearchOptions,
}

impl Race<'_> {
    /// Greater means that `a` is the better value.
    fn compare(&self, a: f64, b: f64) -> Ordering {
        if self.metric.larger_is_better() {
            a.total_cmp(&b)
        } else {
            b.total_cmp(&a)
        }
    }

    fn judge(&self, runner: &mut Runner, leader: Option<&PointResult>) {
        let Some(leader) = leader else { return };
        let tested = runner.folds.len();
        if runner.status.is_some() || tested == self.n_folds {
            return;
        }
        // Later points lose ties, so reaching the leader exactly is not enough. The bound is the
        // mean that perfect folds would give, computed as the mean itself is.
        let mut hoped = runner.folds.clone();
        hoped.resize(self.n_folds, self.metric.best_possible());
        let bound = mean_and_deviation(&hoped).map_or(f64::NAN, |(mean, _)| mean);
        if self.options.exact_abandon && self.compare(bound, leader.mean) != Ordering::Greater {
            runner.status = Some(PointStatus::Hopeless);
            return;
        }
        if let Some(margin) = self.options.margin
            && tested >= self.options.margin_folds
        {
            let sign = if self.metric.larger_is_better() {
                1.0
            } else {
                -1.0
            };
            let behind: Vec<f64> = leader
                .folds
                .iter()
                .zip(&runner.folds)
                .map(|(best, own)| sign * (best - own))
                .collect();
            if let Ok((mean, deviation)) = mean_and_deviation(&behind)
                && mean > margin * deviation / (tested as f64).sqrt()
            {
                runner.status = Some(PointStatus::Worse);
            }
        }
    }
}
