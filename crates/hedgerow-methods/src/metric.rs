//! The metric of a pipeline: weights that are given, or learned and kept only where rows that were
//! kept aside are answered better with them.

use crate::Trainer;
use hedgerow::data::{Columns, Dataset, Split, Target, folds_for, hold_out, stratified_hold_out};
use hedgerow::method::Task;
use hedgerow::neighbours::{LearnedMetric, LearnedMetricParams, MetricProgress};
use hedgerow::params::Value;
use hedgerow::rank::RankWeightsParams;
use hedgerow::{Error, OwnSearch, Prediction, Predictor, Result, Views};
use serde::Serialize;

/// Rows from which on a single part is kept aside to judge; below, all rows are judged in turn.
const MANY: usize = 6000;
/// Rows below which nothing is learned: the model is the one without a metric.
const FEWEST: usize = 12;
const FOLDS: usize = 3;
/// Of many rows, those that judge, at most, and their share.
const MOST_JUDGES: usize = 5000;
const SHARE_OF_JUDGES: usize = 5;
/// Rows among which the method's own comparison looks, at most.
const MOST_COMPARED: usize = 50_000;
/// Rows that the method is trained on to be judged, at most.
const MOST_TRAINED: usize = 10_000;
/// Powers of the weights that are tried; less than 1 is nearer to equal weights, more goes on where
/// learning had to stop early.
const POWERS: [f64; 3] = [1.0, 0.5, 2.0];

/// How far the learning of a metric is, and whether it is to be stopped by an error.
pub(crate) type Told<'a> = &'a (dyn Fn(MetricProgress) -> Result<()> + Sync);

/// Where the weights of columns come from.
#[derive(Debug, Clone)]
pub enum MetricSource {
    /// From the training rows.
    Learned(LearnedMetricParams),
    /// One weight a column, given.
    Given(Vec<f64>),
    /// Those that rank best; without any help from them, those of standardised columns.
    Ranked(RankWeightsParams),
}

/// The metric that a pipeline asks for.
#[derive(Debug, Clone)]
pub struct MetricChoice {
    /// Where the weights come from.
    pub source: MetricSource,
    /// The group of each column of the data, if it is known: columns of a group share a weight.
    pub groups: Option<Vec<u32>>,
    /// What a search over the method's parameters, which follows, varies; `None` if there is none.
    pub search: Option<Axes>,
    /// How the user called it.
    pub text: String,
}

/// Parameters with the values to try.
pub type Axes = Vec<(String, Vec<Value>)>;

/// What became of a metric.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MetricOutcome {
    /// What each column is multiplied by; `None` if it did not help.
    pub weights: Option<Vec<f64>>,
    /// The power of the learned weights that was taken; 0 for none.
    pub power: f64,
    /// Powers that were tried, 0 first, and the mean score of each: accuracy, or the negative mean
    /// squared error. Empty for given weights.
    pub tried: Vec<(f64, f64)>,
    /// Rows that judged.
    pub judged: usize,
    /// Rounds of learning, over all parts.
    pub rounds: usize,
    /// Wall-clock seconds of learning and judging.
    pub seconds: f64,
}

impl MetricChoice {
    /// Weights learned with the usual settings.
    pub fn learned(seed: u64, seconds: Option<f64>) -> Self {
        let params = LearnedMetricParams {
            seed,
            seconds,
            ..LearnedMetricParams::default()
        };
        Self {
            source: MetricSource::Learned(params),
            groups: None,
            search: None,
            text: "learned".to_owned(),
        }
    }

    /// An error if the metric says nothing to a method.
    pub fn check(&self, trainer: &dyn Trainer) -> Result<()> {
        let learned = !matches!(self.source, MetricSource::Given(_));
        let ranked = matches!(self.source, MetricSource::Ranked(_));
        let problem = if ranked && trainer.card().name != "rank-rc" {
            "left out: these weights are for rank-rc"
        } else if trainer.is_precomputed() {
            "left out where kernel values come in place of columns"
        } else if learned && trainer.card().task == Task::Unlabelled {
            "left out for a method that learns from rows alone"
        } else {
            return Ok(());
        };
        Err(Error::ParameterValue {
            name: "metric",
            value: self.text.clone(),
            requirement: problem.to_owned(),
        })
    }

    /// The choice for some of the columns.
    pub(crate) fn of_columns(&self, kept: Option<&Columns>) -> Self {
        let Some(kept) = kept else {
            return self.clone();
        };
        let places = || kept.features().iter().map(|&f| f as usize);
        let source = match &self.source {
            MetricSource::Given(weights) => {
                let kept = places().filter_map(|f| weights.get(f).copied());
                MetricSource::Given(kept.collect())
            }
            learned => learned.clone(),
        };
        let groups = self.groups.as_ref();
        let groups = groups.map(|all| places().filter_map(|f| all.get(f).copied()).collect());
        Self {
            source,
            groups,
            search: self.search.clone(),
            text: self.text.clone(),
        }
    }

    /// The weights for some training rows, judged by the method that follows.
    pub fn decide(
        &self,
        data: &Dataset,
        trainer: &dyn Trainer,
        told: Told<'_>,
    ) -> Result<MetricOutcome> {
        self.check(trainer)?;
        match &self.source {
            MetricSource::Given(weights) => given(weights, data),
            MetricSource::Ranked(params) => ranked(params, data),
            MetricSource::Learned(params) => {
                let start = std::time::Instant::now();
                let groups = self.groups.as_deref();
                let mut outcome = if let Some(own) = trainer.own_search() {
                    let how = Compares {
                        own,
                        axes: self.search.as_deref(),
                        data,
                    };
                    how.outcome(params, groups, told)?
                } else {
                    let splits = splits(data, params.seed)?;
                    let judged = Judged {
                        data,
                        trainer,
                        splits,
                    };
                    judged.outcome(params, groups, told)?
                };
                outcome.seconds = start.elapsed().as_secs_f64();
                Ok(outcome)
            }
        }
    }
}

/// Weights that rank best. They are judged by themselves.
fn ranked(params: &RankWeightsParams, data: &Dataset) -> Result<MetricOutcome> {
    let start = std::time::Instant::now();
    let found = params.fit(data)?;
    let power = f64::from(u8::from(found.weights.is_some()));
    let (without, with) = found.validation;
    Ok(MetricOutcome {
        weights: Some(found.factors),
        power,
        tried: vec![(0.0, without), (1.0, with)],
        judged: found.n_rows,
        rounds: 0,
        seconds: start.elapsed().as_secs_f64(),
    })
}

fn given(weights: &[f64], data: &Dataset) -> Result<MetricOutcome> {
    if weights.len() != data.n_features() {
        return Err(Error::Shape {
            what: "weights of the columns",
            expected: data.n_features(),
            found: weights.len(),
        });
    }
    if weights.iter().all(|&weight| weight == 0.0) {
        return Err(Error::ParameterValue {
            name: "metric",
            value: "only weights of 0".to_owned(),
            requirement: "above 0 for a column at least".to_owned(),
        });
    }
    Ok(MetricOutcome {
        weights: Some(weights.to_vec()),
        power: 1.0,
        tried: Vec::new(),
        judged: 0,
        rounds: 0,
        seconds: 0.0,
    })
}

/// Which rows judge, and which are learned from meanwhile.
fn splits(data: &Dataset, seed: u64) -> Result<Vec<Split>> {
    let n = data.n_rows();
    if n < FEWEST {
        return Ok(Vec::new());
    }
    if n < MANY {
        return folds_for(data, FOLDS, seed);
    }
    let share = MOST_JUDGES.min(n / SHARE_OF_JUDGES) as f64 / n as f64;
    let split = match data.target() {
        Target::Classes(labels) => stratified_hold_out(labels, share, seed)?,
        _ => hold_out(n, share, seed)?,
    };
    Ok(vec![split])
}

/// The rows with what they are judged by.
struct Judged<'a> {
    data: &'a Dataset,
    trainer: &'a dyn Trainer,
    splits: Vec<Split>,
}

impl Judged<'_> {
    fn outcome(
        &self,
        params: &LearnedMetricParams,
        groups: Option<&[u32]>,
        told: Told<'_>,
    ) -> Result<MetricOutcome> {
        let parts = self.splits.len();
        let mut params = params.clone();
        params.seconds = params.seconds.map(|all| all / parts as f64);
        let mut sum = vec![0.0; self.data.n_features()];
        let mut rounds = 0;
        // Of no weights and of each power, how badly every judging row is answered.
        let mut losses = vec![Vec::new(); 1 + POWERS.len()];
        for split in &self.splits {
            let train = self.data.select(&split.train);
            let Some(metric) = learned(&params, &train, groups, told)? else {
                return Ok(Self::nothing(&losses));
            };
            rounds += metric.rounds;
            for (all, weight) in sum.iter_mut().zip(&metric.weights) {
                *all += weight / parts as f64;
            }
            match self.judge(split, &train, &metric, &mut losses) {
                // Few rows of a rare class: the part that trains may lack it.
                Err(Error::TooFewClasses { .. } | Error::NoRows) => {
                    return Ok(Self::nothing(&losses));
                }
                judged => judged?,
            }
        }
        if losses[0].is_empty() {
            return Ok(Self::nothing(&losses));
        }
        let (power, tried) = verdict(&losses);
        let weights = (power > 0.0).then(|| sum.iter().map(|w| w.powf(power)).collect());
        Ok(MetricOutcome {
            weights,
            power,
            tried,
            judged: losses[0].len(),
            rounds,
            seconds: 0.0,
        })
    }

    fn nothing(losses: &[Vec<f64>]) -> MetricOutcome {
        MetricOutcome {
            weights: None,
            power: 0.0,
            tried: Vec::new(),
            judged: losses[0].len(),
            rounds: 0,
            seconds: 0.0,
        }
    }

    /// Trains with and without the weights, and adds the losses of the rows kept aside.
    fn judge(
        &self,
        split: &Split,
        train: &Dataset,
        metric: &LearnedMetric,
        losses: &mut [Vec<f64>],
    ) -> Result<()> {
        let test = self.data.select(&split.test);
        let few: Vec<usize> = evenly(train.n_rows(), MOST_TRAINED).collect();
        let train = train.select(&few);
        let plain = self.trainer.fit(&train)?.model;
        losses[0].extend(losses_of(&*plain, &test)?);
        for (&power, losses) in POWERS.iter().zip(&mut losses[1..]) {
            let weights: Vec<f64> = metric.weights.iter().map(|w| w.powf(power)).collect();
            let columns = Columns::weighted(&weights)?;
            let model = self.trainer.fit(&columns.apply_to(&train)?)?.model;
            losses.extend(losses_of(&*model, &columns.apply_to(&test)?)?);
        }
        Ok(())
    }
}

/// The metric of some rows; `None` where there is nothing to learn from.
fn learned(
    params: &LearnedMetricParams,
    train: &Dataset,
    groups: Option<&[u32]>,
    told: Told<'_>,
) -> Result<Option<LearnedMetric>> {
    match params.fit_with(train, groups, told) {
        Ok(metric) if metric.rounds > 0 => Ok(Some(metric)),
        Ok(_) | Err(Error::TooFewClasses { .. } | Error::NoRows) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The place of the best power, the powers with their scores, and how many rows judged.
type Verdict = (usize, Vec<(f64, f64)>, usize);

/// The rows with the method's own comparison of views.
struct Compares<'a> {
    own: &'a dyn OwnSearch,
    axes: Option<&'a [(String, Vec<Value>)]>,
    data: &'a Dataset,
}

impl Compares<'_> {
    /// Learns, and takes the power of the weights that the method answers best. Of few rows, each is
    /// judged with weights that were learned without it; of many, one row hardly moves a weight.
    fn outcome(
        &self,
        params: &LearnedMetricParams,
        groups: Option<&[u32]>,
        told: Told<'_>,
    ) -> Result<MetricOutcome> {
        let n = self.data.n_rows();
        if n < FEWEST {
            return Ok(Judged::nothing(&[Vec::new()]));
        }
        let mut part_of = vec![0; if n < MANY { n } else { 0 }];
        let mut metrics = Vec::new();
        if n < MANY {
            let mut params = params.clone();
            params.seconds = params.seconds.map(|all| all / FOLDS as f64);
            for (part, split) in (0u32..).zip(folds_for(self.data, FOLDS, params.seed)?) {
                for &row in &split.test {
                    part_of[row] = part;
                }
                let train = self.data.select(&split.train);
                metrics.push(learned(&params, &train, groups, told)?);
            }
        } else {
            metrics.push(learned(params, self.data, groups, told)?);
        }
        let metrics: Option<Vec<LearnedMetric>> = metrics.into_iter().collect();
        let Some(metrics) = metrics else {
            return Ok(Judged::nothing(&[Vec::new()]));
        };
        let (best, tried, judged) = self.compare(&metrics, &part_of)?;
        let mut weights = vec![0.0; self.data.n_features()];
        for metric in &metrics {
            for (all, weight) in weights.iter_mut().zip(&metric.weights) {
                *all += weight / metrics.len() as f64;
            }
        }
        let power = tried[best].0;
        let powered = weights.iter().map(|w| w.powf(power)).collect();
        Ok(MetricOutcome {
            weights: (power > 0.0).then_some(powered),
            power,
            tried,
            judged,
            rounds: metrics.iter().map(|metric| metric.rounds).sum(),
            seconds: 0.0,
        })
    }

    /// The place of the best among the powers tried, these with their scores, and how many rows judged.
    fn compare(&self, metrics: &[LearnedMetric], part_of: &[u32]) -> Result<Verdict> {
        let few: Vec<usize> = evenly(self.data.n_rows(), MOST_COMPARED).collect();
        let fewer = (few.len() < self.data.n_rows()).then(|| self.data.select(&few));
        let data = fewer.as_ref().unwrap_or(self.data);
        let mut weighted = Vec::new();
        for power in POWERS {
            let of_part = |metric: &LearnedMetric| {
                let weights: Vec<f64> = metric.weights.iter().map(|w| w.powf(power)).collect();
                Columns::weighted(&weights)?.apply_to(data)
            };
            let parts = metrics.iter().map(of_part);
            weighted.push(parts.collect::<Result<Vec<Dataset>>>()?);
        }
        let mut views = vec![vec![data; metrics.len()]];
        views.extend(weighted.iter().map(|parts| parts.iter().collect()));
        let views = Views {
            data: views,
            part_of,
        };
        let found = self.own.compare(&views, self.axes)?;
        let powers = [0.0].into_iter().chain(POWERS);
        Ok((found.best, powers.zip(found.scores).collect(), found.judged))
    }
}

/// Rows at equal distances, so many at most.
fn evenly(n: usize, most: usize) -> impl Iterator<Item = usize> {
    let kept = n.min(most);
    (0..kept).map(move |at| at * n / kept)
}

/// What each row of the test adds to the error.
fn losses_of(model: &dyn Predictor, test: &Dataset) -> Result<Vec<f64>> {
    let predicted = model.predict(test.samples().view())?;
    Ok(match (predicted, test.target()) {
        (Prediction::Real(values), Target::Real(truth)) => {
            let each = values.iter().zip(truth);
            each.map(|(found, y)| (found - y).powi(2)).collect()
        }
        (Prediction::Classes(codes), _) => {
            let labels = test.classes()?;
            let names = model.classes().unwrap_or_default();
            let known: Vec<Option<u32>> = names.iter().map(|name| labels.code_of(name)).collect();
            let wrong = |(&found, &code): (&u32, &u32)| {
                let right = known.get(found as usize) == Some(&Some(code));
                f64::from(u8::from(!right))
            };
            codes.iter().zip(labels.codes()).map(wrong).collect()
        }
        (Prediction::Real(_), _) => vec![0.0; test.n_rows()],
    })
}

/// The power to take, and the score of each. A power must be better than no weights by more than the
/// standard error of the difference, so that chance does not switch it on.
fn verdict(losses: &[Vec<f64>]) -> (f64, Vec<(f64, f64)>) {
    let n = losses[0].len().max(1) as f64;
    let mean = |losses: &[f64]| losses.iter().sum::<f64>() / n;
    let without = mean(&losses[0]);
    let is_share = losses[0].iter().all(|&loss| loss == 0.0 || loss == 1.0);
    let score = |loss: f64| if is_share { 1.0 - loss } else { -loss };
    let mut tried = vec![(0.0, score(without))];
    let (mut power, mut least) = (0.0, without);
    for (&candidate, losses_with) in POWERS.iter().zip(&losses[1..]) {
        let with = mean(losses_with);
        tried.push((candidate, score(with)));
        let differences = losses[0].iter().zip(losses_with).map(|(a, b)| a - b);
        let squares: f64 = differences.map(|x| (x - (without - with)).powi(2)).sum();
        let error = (squares / (n - 1.0).max(1.0) / n).sqrt();
        // A single row that is better is exactly its own standard error, but for rounding.
        if without - with > 1.001 * error && with < least {
            (power, least) = (candidate, with);
        }
    }
    (power, tried)
}

#[cfg(test)]
mod tests {
    use super::{evenly, verdict};

    #[test]
    fn chance_does_not_switch_a_metric_on() {
        let mut plain = vec![0.0; 1000];
        plain[..100].fill(1.0);
        let mut one_better = plain.clone();
        one_better[0] = 0.0;
        let mut clearly_better = plain.clone();
        clearly_better[..20].fill(0.0);
        let one = vec![plain.clone(), one_better, plain.clone(), plain.clone()];
        // A single row is within its own standard error.
        assert_eq!(verdict(&one).0, 0.0);
        let many = vec![plain.clone(), plain.clone(), clearly_better, plain];
        assert_eq!(verdict(&many).0, 0.5);
    }

    #[test]
    fn rows_are_taken_evenly() {
        assert_eq!(evenly(6, 3).collect::<Vec<_>>(), [0, 2, 4]);
        assert_eq!(evenly(2, 3).collect::<Vec<_>>(), [0, 1]);
        assert_eq!(evenly(0, 3).count(), 0);
    }
}
