//! Metrics that are learned: one weight a column, so that near rows are alike in their answers.
//!
//! With weights $w \ge 0$ the squared distance is $d_{ij} = \sum_f w_f^2 (x_{if} - x_{jf})^2$. A row $i$
//! asks its $K$ nearest rows $N_i$, itself left out, and each counts by its share
//! $$p_{ij} = \frac{e^{-d_{ij}}}{\sum_{l \in N_i} e^{-d_{il}}}.$$
//! What is minimised, over the logarithms $u$ of the weights, is a smoothed leave-one-out loss
//! $$L(u) = \frac1S \sum_i \ell_i + \frac{\lambda}{n}\sum_g (u_g - \bar u)^2,\qquad
//! \ell_i = -\ln \sum_{j : y_j = y_i} p_{ij}
//! \quad\text{or}\quad \Big(y_i - \sum_j p_{ij} y_j\Big)^2$$
//! for classes or real targets (these in units of their deviation). Its slope comes from
//! $\partial \ell_i / \partial d_{ij} = p_{ij}([y_j = y_i]/P_i - 1)$ with $P_i$ the share of the right
//! class, or $-2(\hat y_i - y_i)\, p_{ij}(y_j - \hat y_i)$, and $\partial d_{ij}/\partial u_g = 2 \sum_{f \in g} w_f^2
//! (x_{if} - x_{jf})^2$.
//!
//! ```text
//! keep a fifth of the rows aside; start from equal weights, of columns as they are or of columns in
//!     units of their deviation, whichever is better there; scale by the loss
//! in each round
//!     S random rows look for their K nearest in the present metric
//!     some steps, each on a part of these rows
//!     the loss of the rows kept aside: the best weights so far are remembered
//!     stop after two rounds without gain
//! ```
//!
//! The columns of one nominal feature share a weight ($g$ runs over such groups). It is the stochastic
//! neighbourhood component analysis of Goldberger, Roweis, Hinton and Salakhutdinov (2005) for diagonal
//! matrices, on lists of near rows that are looked for anew; the logarithm of the share of the right
//! class in place of the share itself does not give up rows that are wrong at first. The penalty is that
//! of a normal prior on the logarithms: it fades with the number of rows $n$.
//!
//! | symbol | here |
//! |---|---|
//! | $w$ | [`LearnedMetric::weights`] |
//! | $K$, $S$ | [`LearnedMetricParams::neighbours`], [`LearnedMetricParams::rows`] |
//! | $\lambda$ | [`LearnedMetricParams::penalty`] |
//! | $g$ | [`LearnedMetric::groups`] |
//! | $p_{ij}$, $\ell_i$, $L$ | `objective.rs` |

mod ascent;
mod groups;
mod objective;
mod pool;

use super::{DistanceMetric, Index, IndexParams, Neighbour};
use crate::data::{Dataset, Generator};
use crate::params::params;
use crate::{Error, Result};
use ascent::Ascent;
use objective::{Lists, evaluate, log_factors};
use pool::{Goal, Pool};
use serde::{Deserialize, Serialize};
use std::time::Instant;

/// Rows of one step.
const BATCH: usize = 1024;
/// Steps of the first round; those of each further one are twice as many, up to the parameter.
const FIRST_STEPS: usize = 10;
/// How far a logarithm may go from where it started.
const FARTHEST: f64 = 12.0;
/// Rounds without gain after which learning ends.
const PATIENCE: usize = 2;
/// A gain of the loss of rows kept aside that counts.
const GAIN: f64 = 1e-4;
/// A group whose share of the distances is smaller, between near rows and between any rows, is
/// dropped. A group of large weight can have no share between near rows, because they agree in it.
const NOTHING: f64 = 1e-4;

/// How a metric is learned from rows with answers.
#[params(heading = "Learned metric")]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LearnedMetricParams {
    /// Rows whose neighbours are looked for in a round.
    #[param(default = 4096, least = 1)]
    pub rows: usize,
    /// Rows that may be neighbours, at most; of more, so many are drawn.
    #[param(default = 100_000, least = 2)]
    pub sample: usize,
    /// Neighbours that are asked.
    #[param(default = 40, least = 1)]
    pub neighbours: usize,
    /// Times that neighbours are looked for, at most.
    #[param(default = 10, least = 1)]
    pub rounds: usize,
    /// Steps of a round; the first rounds have fewer.
    #[param(default = 40, least = 1)]
    pub steps: usize,
    /// Length of a step, in logarithms of the weights.
    #[param(default = 0.05, above = 0.0)]
    pub step: f64,
    /// Price of weights that differ, for one row; it fades with the number of rows.
    #[param(default = 1.0, least = 0.0)]
    pub penalty: f64,
    /// Seconds after which the best weights so far are taken. What comes out then depends on the
    /// machine.
    #[param(above = 0.0, unless = "no limit")]
    pub seconds: Option<f64>,
    /// Seed of what is drawn.
    #[param(python = "random_state", no_option)]
    pub seed: u64,
}

/// How far learning is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MetricProgress {
    /// Rounds that are done.
    pub round: usize,
    /// Rounds at most.
    pub rounds: usize,
    /// Loss of the rows kept aside, with the present weights.
    pub loss: f64,
}

/// Weights of columns, and how they were found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LearnedMetric {
    /// What each column is to be multiplied by. The sum of the variances of multiplied columns is
    /// that of the columns as they were; 0 for columns that do not matter and that do not vary.
    pub weights: Vec<f64>,
    /// Group of each column: columns of a group share a weight.
    pub groups: Vec<u32>,
    /// Rounds that were done.
    pub rounds: usize,
    /// Rows that were learned from, those kept aside included.
    pub rows: usize,
    /// Loss of the rows kept aside before learning.
    pub loss_before: f64,
    /// Their loss with the weights.
    pub loss: f64,
    /// Wall-clock time.
    pub seconds: f64,
}

impl LearnedMetricParams {
    /// Learns from the rows of positive weight. Columns of one nominal feature are found by looking:
    /// neighbouring columns of two values of which every row has exactly one on.
    ///
    /// # Errors
    /// [`Error::Target`] for data without answers, [`Error::TooFewClasses`] for one class.
    pub fn fit(&self, data: &Dataset) -> Result<LearnedMetric> {
        self.fit_with(data, None, &|_| Ok(()))
    }

    /// As [`LearnedMetricParams::fit`], with the group of each column if it is known; `progress` is
    /// told of every round and may stop it by an error.
    pub fn fit_with(
        &self,
        data: &Dataset,
        groups: Option<&[u32]>,
        progress: &(dyn Fn(MetricProgress) -> Result<()> + Sync),
    ) -> Result<LearnedMetric> {
        self.check()?;
        let start = Instant::now();
        let pool = Pool::draw(data, groups, self.sample, self.seed)?;
        if let Goal::Classes(codes) = &pool.goal
            && codes.iter().all(|code| code == &codes[0])
        {
            return Err(Error::TooFewClasses {
                needed: 2,
                found: 1,
            });
        }
        if pool.n_learning == pool.n_rows || pool.columns.is_empty() {
            return Ok(LearnedMetric::equal(&pool, start));
        }
        let mut learner = Learner::new(self, &pool, start)?;
        let rounds = learner.run(progress)?;
        Ok(learner.result(rounds))
    }
}

/// Weights with their loss on the rows kept aside.
#[derive(Debug, Clone)]
struct Found {
    log_weights: Vec<f64>,
    loss: f64,
    /// Lists of random rows in the metric of these weights.
    lists: Lists,
}

struct Learner<'a> {
    params: &'a LearnedMetricParams,
    pool: &'a Pool,
    start: Instant,
    generator: Generator,
    /// Where the logarithms started; the penalty pulls back there.
    origin: Vec<f64>,
    loss_before: f64,
    best: Found,
}

impl<'a> Learner<'a> {
    fn new(params: &'a LearnedMetricParams, pool: &'a Pool, start: Instant) -> Result<Self> {
        let generator = Generator::for_task(params.seed, 1);
        let largest = pool.log_deviations.iter().copied();
        let largest = largest.fold(f64::NEG_INFINITY, f64::max);
        let given = vec![-largest; pool.n_groups];
        let mut sums = vec![(0.0, 0.0); pool.n_groups];
        for (&group, deviation) in pool.group_of.iter().zip(&pool.log_deviations) {
            let (sum, count) = &mut sums[group as usize];
            *sum -= deviation;
            *count += 1.0;
        }
        let standard: Vec<f64> = sums.iter().map(|(sum, count)| sum / count).collect();
        let mut learner = Self {
            params,
            pool,
            start,
            generator,
            origin: Vec::new(),
            loss_before: 0.0,
            best: Found {
                log_weights: Vec::new(),
                loss: f64::INFINITY,
                lists: Lists::default(),
            },
        };
        let from_given = learner.scaled(&given)?;
        learner.loss_before = from_given.loss;
        let from_standard = learner.scaled(&standard)?;
        learner.best = if from_standard.loss < from_given.loss {
            from_standard
        } else {
            from_given
        };
        learner.origin.clone_from(&learner.best.log_weights);
        Ok(learner)
    }

    /// Weights in these proportions, so large that the loss is least.
    fn scaled(&mut self, log_weights: &[f64]) -> Result<Found> {
        let (index, samples) = self.index(log_weights)?;
        let (lists, mean_square) = self.drawn_lists(&index, &samples)?;
        let (aside, _) = self.aside_lists(&index, &samples, log_weights)?;
        let unit = if mean_square > 0.0 { mean_square } else { 1.0 };
        let part = 0..lists.queries.len().min(BATCH);
        let mut best = (f64::INFINITY, log_weights.to_vec());
        for exponent in -2..=6 {
            let shift = 0.5 * (f64::from(exponent) - unit.ln());
            let tried: Vec<f64> = log_weights.iter().map(|u| u + shift).collect();
            let loss = evaluate(self.pool, &lists, part.clone(), &tried, false).loss;
            if loss < best.0 {
                best = (loss, tried);
            }
        }
        let all = 0..aside.queries.len();
        let loss = evaluate(self.pool, &aside, all, &best.1, false).loss;
        Ok(Found {
            log_weights: best.1,
            loss,
            lists,
        })
    }

    /// Rounds until nothing is gained; how many.
    fn run(&mut self, progress: &(dyn Fn(MetricProgress) -> Result<()> + Sync)) -> Result<usize> {
        let mut present = self.best.clone();
        let mut ascent = Ascent::new(self.pool.n_groups);
        let mut without_gain = 0;
        for round in 0..self.params.rounds {
            if self.is_late() {
                return Ok(round);
            }
            // Short at first: neighbours in a bad metric do not deserve many steps.
            let steps = self.params.steps.min(FIRST_STEPS << round.min(16));
            self.steps(&mut present, &mut ascent, steps);
            let (index, samples) = self.index(&present.log_weights)?;
            let (aside, _) = self.aside_lists(&index, &samples, &present.log_weights)?;
            let all = 0..aside.queries.len();
            present.loss = evaluate(self.pool, &aside, all, &present.log_weights, false).loss;
            present.lists = self.drawn_lists(&index, &samples)?.0;
            let gained = present.loss < self.best.loss - GAIN;
            if present.loss < self.best.loss {
                self.best = present.clone();
            }
            let rounds = self.params.rounds;
            let (round, loss) = (round + 1, present.loss);
            progress(MetricProgress {
                round,
                rounds,
                loss,
            })?;
            tracing::debug!(round, loss, "metric");
            without_gain = if gained { 0 } else { without_gain + 1 };
            if without_gain == PATIENCE {
                return Ok(round);
            }
        }
        Ok(self.params.rounds)
    }

    fn is_late(&self) -> bool {
        let limit = self.params.seconds;
        limit.is_some_and(|limit| self.start.elapsed().as_secs_f64() > limit)
    }

    /// The steps of one round, on one part of the lists after the other.
    fn steps(&self, present: &mut Found, ascent: &mut Ascent, steps: usize) {
        let n = present.lists.queries.len();
        let parts = n.div_ceil(BATCH);
        for step in 0..steps {
            if self.is_late() {
                return;
            }
            let part = step % parts;
            let rows = part * n / parts..(part + 1) * n / parts;
            let mut gradient =
                evaluate(self.pool, &present.lists, rows, &present.log_weights, true).gradient;
            self.add_penalty(&present.log_weights, &mut gradient);
            ascent.step(&mut present.log_weights, &gradient, self.params.step);
            for (u, origin) in present.log_weights.iter_mut().zip(&self.origin) {
                *u = u.clamp(origin - FARTHEST, origin + FARTHEST);
            }
        }
    }

    /// The slope of the penalty: its own mean is no part of what differs.
    fn add_penalty(&self, log_weights: &[f64], gradient: &mut [f64]) {
        let moved = || log_weights.iter().zip(&self.origin).map(|(u, o)| u - o);
        let mean = moved().sum::<f64>() / log_weights.len() as f64;
        let price = 2.0 * self.params.penalty / self.pool.n_learning as f64;
        for (slope, moved) in gradient.iter_mut().zip(moved()) {
            *slope += price * (moved - mean);
        }
    }

    /// The rows that are learned from, in the metric of some weights.
    fn index(&self, log_weights: &[f64]) -> Result<(Index, crate::data::Samples)> {
        let factors: Vec<f64> = log_factors(self.pool, log_weights).map(f64::exp).collect();
        let samples = self.pool.multiplied(0..self.pool.n_learning, &factors)?;
        let hints = IndexParams {
            expected_k: Some(self.params.neighbours),
            expected_queries: Some(self.params.rows.min(self.pool.n_learning)),
            ..IndexParams::default()
        };
        let index = Index::build(&DistanceMetric::Euclidean, samples.view(), None, &hints)?;
        Ok((index, samples))
    }

    /// Neighbours of random rows, and the mean of their squared distances.
    fn drawn_lists(
        &mut self,
        index: &Index,
        samples: &crate::data::Samples,
    ) -> Result<(Lists, f64)> {
        let n = self.pool.n_learning;
        let drawn = self.generator.sample(n, self.params.rows.min(n));
        let mut queries: Vec<u32> = drawn.into_iter().map(|row| row as u32).collect();
        self.generator.shuffle(&mut queries);
        let length = self.params.neighbours.min(n - 1);
        let searcher = index.searcher(samples.view())?;
        let found = searcher.k_nearest_of(&queries, length, true)?;
        Ok(lists(queries, &found, length))
    }

    /// Neighbours of the rows kept aside.
    fn aside_lists(
        &self,
        index: &Index,
        samples: &crate::data::Samples,
        log_weights: &[f64],
    ) -> Result<(Lists, f64)> {
        let pool = self.pool;
        let factors: Vec<f64> = log_factors(pool, log_weights).map(f64::exp).collect();
        let rows = pool.n_learning..pool.n_rows;
        let queries = rows.clone().map(|row| row as u32).collect();
        let length = self.params.neighbours.min(pool.n_learning - 1);
        let asked = pool.multiplied(rows, &factors)?;
        let searcher = index.searcher(samples.view())?;
        let found = searcher.k_nearest(asked.view(), length)?;
        Ok(lists(queries, &found, length))
    }

    /// The best weights, for columns as they were given.
    fn result(&self, rounds: usize) -> LearnedMetric {
        let pool = self.pool;
        let near = in_parts(self.shares());
        let mut anywhere = vec![0.0; pool.n_groups];
        let squares = objective::squared_factors(pool, &self.best.log_weights);
        for (&group, &square) in pool.group_of.iter().zip(&squares) {
            anywhere[group as usize] += f64::from(square);
        }
        let anywhere = in_parts(anywhere);
        let largest = self
            .best
            .log_weights
            .iter()
            .copied()
            .fold(f64::MIN, f64::max);
        let mut weights = vec![0.0; pool.n_features];
        for (&column, &group) in pool.columns.iter().zip(&pool.group_of) {
            let share = near[group as usize].max(anywhere[group as usize]);
            if share >= NOTHING || share.is_nan() {
                weights[column as usize] = (self.best.log_weights[group as usize] - largest).exp();
            }
        }
        normalise(pool, &mut weights);
        LearnedMetric {
            weights,
            groups: all_groups(pool),
            rounds,
            rows: pool.n_rows,
            loss_before: self.loss_before,
            loss: self.best.loss,
            seconds: self.start.elapsed().as_secs_f64(),
        }
    }

    /// What each group adds to the squared distances between near rows.
    fn shares(&self) -> Vec<f64> {
        let (pool, lists) = (self.pool, &self.best.lists);
        let squares = objective::squared_factors(pool, &self.best.log_weights);
        let ones = vec![1.0; lists.length];
        let mut shares = vec![0.0; pool.n_groups];
        let mut sums = vec![0.0f32; pool.width];
        for (at, &query) in lists.queries.iter().take(BATCH).enumerate() {
            let members = &lists.members[at * lists.length..(at + 1) * lists.length];
            let row = pool.row(query as usize);
            sums.fill(0.0);
            crate::linalg::add_squared_differences(&pool.rows, members, &ones, row, &mut sums);
            for ((&group, &square), &sum) in pool.group_of.iter().zip(&squares).zip(&sums) {
                shares[group as usize] += f64::from(square) * f64::from(sum);
            }
        }
        shares
    }
}

/// Values in parts of their sum.
fn in_parts(mut values: Vec<f64>) -> Vec<f64> {
    let total: f64 = values.iter().sum();
    for value in &mut values {
        *value /= total;
    }
    values
}

/// Lists of equal length, and the mean of their squared distances.
fn lists(queries: Vec<u32>, found: &[Vec<Neighbour>], length: usize) -> (Lists, f64) {
    let all = || found.iter().flatten();
    let squares: f64 = all().map(|one| one.distance * one.distance).sum();
    let members: Vec<u32> = all().map(|one| one.row).collect();
    let mean = squares / members.len().max(1) as f64;
    (
        Lists {
            queries,
            members,
            length,
        },
        mean,
    )
}

/// Brings the sum of the variances of multiplied columns to what it was.
fn normalise(pool: &Pool, weights: &mut [f64]) {
    let largest = pool.log_deviations.iter().copied().fold(f64::MIN, f64::max);
    let (mut before, mut after) = (0.0, 0.0);
    for (&column, deviation) in pool.columns.iter().zip(&pool.log_deviations) {
        let variance = (2.0 * (deviation - largest)).exp();
        before += variance;
        after += variance * weights[column as usize].powi(2);
    }
    if after > 0.0 {
        let factor = (before / after).sqrt();
        for weight in weights.iter_mut() {
            *weight *= factor;
        }
    }
}

/// The group of every column, those that do not vary included.
fn all_groups(pool: &Pool) -> Vec<u32> {
    let mut groups: Vec<Option<u32>> = vec![None; pool.n_features];
    for (&column, &group) in pool.columns.iter().zip(&pool.group_of) {
        groups[column as usize] = Some(group);
    }
    let mut next = pool.n_groups as u32;
    let mut number = |group: Option<u32>| {
        group.unwrap_or_else(|| {
            next += 1;
            next - 1
        })
    };
    groups.into_iter().map(&mut number).collect()
}

impl LearnedMetric {
    /// Equal weights: there was nothing to learn from.
    fn equal(pool: &Pool, start: Instant) -> Self {
        Self {
            weights: vec![1.0; pool.n_features],
            groups: all_groups(pool),
            rounds: 0,
            rows: pool.n_rows,
            loss_before: 0.0,
            loss: 0.0,
            seconds: start.elapsed().as_secs_f64(),
        }
    }
}
