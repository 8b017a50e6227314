//! Methods and parameters race on growing samples of the training rows; the best becomes the model.
//!
//! Candidates are compared on a small sample first. The better third goes on to a sample four times
//! as large, joined by neighbours of the best (a cost four times as large, half the width, …) and by
//! the best with a learned metric, until all rows are used: successive halving. What a fit takes is
//! seen on the way, and what would not end within the budget does not go on. Every comparison uses
//! splits of its own, and a part of the rows takes no part in any: the winner is told by it how good
//! it really is.
//!
//! | term | name in the code |
//! |---|---|
//! | a method with values for its parameters | [`Candidate`] |
//! | what was seen of it on a sample | [`Trial`] |
//! | sample sizes | `rungs` |
//! | what takes part | `families` |
//!
//! The same race chooses the parameters of one method: then only what was not told is tried.

mod candidate;
mod families;
mod rungs;
mod trial;
mod usual;

pub use candidate::Candidate;
pub use trial::Trial;
pub use usual::usual_metric;

use crate::{Pipeline, Prepared, Trainer, latency};
use families::Field;
use hedgerow::data::Dataset;
use hedgerow::evaluate::{Metric, measure};
use hedgerow::method::Task;
use hedgerow::{Error, Predictor, Report, Result};
use rayon::prelude::*;
use rungs::Care;
use std::collections::HashSet;
use std::time::Instant;

/// How a race is run.
#[derive(Debug, Clone)]
pub struct RaceOptions {
    /// Wall-clock seconds of all of it, the last fit included.
    pub budget: f64,
    /// What is compared.
    pub metric: Metric,
    /// Seed of samples and splits.
    pub seed: u64,
    /// Candidates that are tried at the same time.
    pub threads: usize,
    /// Microseconds that an answer may take, at the median.
    pub latency_us: Option<f64>,
    /// Megabytes that the model file may have.
    pub max_mb: Option<f64>,
    /// Only models that a person can read.
    pub explainable: bool,
}

impl RaceOptions {
    /// No limits but that of time.
    pub fn new(budget: f64, metric: Metric, seed: u64, threads: usize) -> Self {
        Self {
            budget,
            metric,
            seed,
            threads: threads.max(1),
            latency_us: None,
            max_mb: None,
            explainable: false,
        }
    }
}

/// What a race is about.
#[derive(Debug)]
pub struct Start<'a> {
    /// What is done beside the choices: columns, cleaning, resampling, calibration.
    pub base: &'a Pipeline,
    /// Choose the parameters of this method only.
    pub only: Option<&'a dyn Trainer>,
    /// Parameters of it that stay as they are.
    pub fixed: &'a [String],
    /// Whether the scaling is to be chosen too.
    pub choose_scaling: bool,
    /// What is learned from.
    pub task: Task,
}

/// How far a race is.
#[derive(Debug, Clone)]
pub struct RaceProgress {
    /// Rows of the sample that is used.
    pub rows: usize,
    /// Candidates that have been tried on it, of so many.
    pub done: usize,
    /// Those that are to be tried.
    pub of: usize,
    /// Seconds since the start.
    pub seconds: f64,
    /// The best so far.
    pub best: Option<String>,
}

/// A candidate at the end of a race.
#[derive(Debug)]
pub struct Standing {
    /// Method and values.
    pub candidate: Candidate,
    /// What was seen of it on the largest sample that it was tried on.
    pub trial: Trial,
}

/// The result of a race.
#[derive(Debug)]
pub struct Raced {
    /// Candidates of the largest sample first, each sample's best first.
    pub standings: Vec<Standing>,
    /// Score of the winner on rows that took no part, and how many they were.
    pub unseen: Option<(f64, usize)>,
    /// Place of the winner among the standings.
    pub winner: usize,
    /// The winner, trained on all rows.
    pub model: Prepared,
    /// How its training went.
    pub report: Report,
    /// Microseconds of one answer by itself, at the median.
    pub latency_us: Option<f64>,
    /// Megabytes of the encoded model.
    pub megabytes: f64,
    /// Candidates that were tried.
    pub tried: usize,
    /// Wall-clock seconds.
    pub seconds: f64,
}

/// Share of the budget that comparing may take; the rest is for the last fit.
const COMPARING: f64 = 0.7;
/// Seconds that measuring the latency may take.
const LATENCY_SECONDS: f64 = 0.5;
/// Rows below which none are kept aside for the last word.
const FEW: usize = 1000;
/// Share and most of the rows that are kept aside.
const ASIDE: (f64, usize) = (0.1, 5000);
/// Candidates of a sample that go on to the next, at most, if there is time for them.
const MOST_KEPT: usize = 24;
/// Rows of a sample below which the best of every method goes on; of more, those whose score is near the
/// best.
const MANY: usize = 5000;
const NEAR: f64 = 0.03;
/// How many of a sample's best lend their neighbours to the next.
const PARENTS: usize = 3;

/// Runs a race; `told` hears how far it is and may stop it by an error.
pub fn race(
    data: &Dataset,
    start: &Start<'_>,
    options: &RaceOptions,
    told: &(dyn Fn(&RaceProgress) -> Result<()> + Sync),
) -> Result<Raced> {
    let (search, aside) = keep_aside(data, options.seed)?;
    let first = rungs::sample(&search, rungs::sizes(search.n_rows())[0], options.seed)?;
    let mut run = Run::new(&first, data.n_rows(), start, options, told)?;
    let standings = run.all_rungs(&search)?;
    run.finish(data, &search, aside.as_ref(), standings)
}

/// Chooses the parameters of one method on at most so many rows. No clock is asked: the answer
/// depends on the data and the seed alone. `None` if there is nothing to choose.
pub fn choose(
    data: &Dataset,
    start: &Start<'_>,
    metric: Metric,
    seed: u64,
    threads: usize,
    told: &(dyn Fn(&RaceProgress) -> Result<()> + Sync),
) -> Result<Option<Standing>> {
    let Some(trainer) = start.only else {
        return Err(Error::Target {
            needed: "a method whose parameters are chosen",
            found: "none",
        });
    };
    let rows = families::sample_rows(trainer.card().name, data.n_features());
    let rows = rows.min(data.n_rows());
    let sample = rungs::sample(data, rows, seed)?;
    let options = RaceOptions::new(f64::INFINITY, metric, seed, threads);
    let mut run = Run::new(&sample, data.n_rows(), start, &options, told)?;
    let first = run.field.first()?;
    let all_told = first.iter().all(|candidate| candidate.chosen.is_empty());
    if all_told && !start.choose_scaling {
        return Ok(None);
    }
    let waiting = first
        .into_iter()
        .map(|candidate| (candidate, 0.0))
        .collect();
    let mut standings = run.rung(waiting, &sample, Care::Quick, f64::INFINITY)?;
    run.climb(&mut standings, &sample, Care::Quick, f64::INFINITY)?;
    Ok((!standings.is_empty()).then(|| standings.swap_remove(0)))
}

/// The rows that are compared on, and those that are kept aside.
fn keep_aside(data: &Dataset, seed: u64) -> Result<(Dataset, Option<Dataset>)> {
    let n = data.n_rows();
    if n < FEW {
        return Ok((data.clone(), None));
    }
    let share = ASIDE.0.min(ASIDE.1 as f64 / n as f64);
    let split = rungs::aside(data, share, seed ^ 0x5eed)?;
    Ok((data.select(&split.train), Some(data.select(&split.test))))
}

struct Run<'a> {
    field: Field<'a>,
    options: &'a RaceOptions,
    began: Instant,
    told: &'a (dyn Fn(&RaceProgress) -> Result<()> + Sync),
    seen: HashSet<String>,
    tried: usize,
    all_rows: usize,
}

impl<'a> Run<'a> {
    fn new(
        sample: &Dataset,
        all_rows: usize,
        start: &Start<'a>,
        options: &'a RaceOptions,
        told: &'a (dyn Fn(&RaceProgress) -> Result<()> + Sync),
    ) -> Result<Self> {
        let began = Instant::now();
        let scaling = (!start.choose_scaling).then_some(start.base.scaling);
        let mut shape = families::shape_of(sample, start.task, scaling)?;
        shape.n_rows = all_rows;
        let field = Field {
            shape,
            base: start.base,
            only: start.only,
            fixed: start.fixed,
            choose_scaling: start.choose_scaling,
            explainable: options.explainable,
            seed: options.seed,
        };
        Ok(Self {
            field,
            options,
            began,
            told,
            seen: HashSet::new(),
            tried: 0,
            all_rows,
        })
    }

    fn seconds(&self) -> f64 {
        self.began.elapsed().as_secs_f64()
    }

    /// True if training the candidate on all rows is expected to end in time.
    fn can_end(&self, standing: &Standing, at: f64) -> bool {
        let growth = families::growth(standing.candidate.method());
        // Twice: once more without the rows that are kept aside.
        at + 2.0 * standing.trial.seconds_on(self.all_rows, growth) <= self.options.budget
    }

    /// All samples; the standings of the largest that was reached first.
    fn all_rungs(&mut self, search: &Dataset) -> Result<Vec<Standing>> {
        let sizes = rungs::sizes(search.n_rows());
        let mut waiting: Vec<(Candidate, f64)> = self
            .field
            .first()?
            .into_iter()
            .map(|candidate| (candidate, 0.0))
            .collect();
        if waiting.is_empty() {
            return Err(Error::Target {
                needed: "data that some method of the race can learn from",
                found: "a task without such a method",
            });
        }
        let mut out: Vec<Standing> = Vec::new();
        for (at, &rows) in sizes.iter().enumerate() {
            let last = at + 1 == sizes.len();
            // Each sample may use the time up to its share of what is left for comparing.
            let end = self.options.budget * COMPARING;
            let until = self.seconds() + (end - self.seconds()) / (sizes.len() - at) as f64 * 1.2;
            let sample = rungs::sample(search, rows, self.options.seed)?;
            let care = if last { Care::Last } else { Care::Usual };
            let mut standings = self.rung(waiting, &sample, care, until.min(end))?;
            if standings.is_empty() {
                break;
            }
            if last || at == 0 {
                self.climb(&mut standings, &sample, care, until.min(end))?;
            }
            if last {
                prepend(&mut out, standings);
                break;
            }
            waiting = self.promote(&standings, rows, sizes[at + 1])?;
            prepend(&mut out, standings);
        }
        if out.is_empty() {
            return Err(Error::Target {
                needed: "more time: no candidate could be tried within the budget",
                found: "none that ended",
            });
        }
        Ok(out)
    }

    /// Tries candidates on a sample, the most promising first, until the time is up.
    fn rung(
        &mut self,
        waiting: Vec<(Candidate, f64)>,
        sample: &Dataset,
        care: Care,
        until: f64,
    ) -> Result<Vec<Standing>> {
        let splits = rungs::splits(sample, care, self.options.seed)?;
        let of = waiting.len();
        let mut standings: Vec<Standing> = Vec::new();
        let mut waiting = waiting.into_iter();
        let mut failure = None;
        loop {
            // What is expected not to end in time is passed over; something is tried in any case.
            let at = self.seconds();
            let must = standings.is_empty() && failure.is_none();
            let batch: Vec<Candidate> = waiting
                .by_ref()
                .filter(|(_, expected)| must || at + expected * splits.len() as f64 <= until)
                .map(|(candidate, _)| candidate)
                .filter(|candidate| {
                    !self
                        .seen
                        .contains(&format!("{} {}", sample.n_rows(), candidate.key()))
                })
                .take(self.options.threads)
                .collect();
            if batch.is_empty() || (at > until && !must) {
                break;
            }
            let metric = self.options.metric;
            let trials: Vec<Result<Trial>> = batch
                .par_iter()
                .map(|candidate| trial::try_on(candidate, sample, &splits, metric))
                .collect();
            for (candidate, trial) in batch.into_iter().zip(trials) {
                self.seen
                    .insert(format!("{} {}", sample.n_rows(), candidate.key()));
                self.tried += 1;
                match trial {
                    Ok(trial) if trial.score.is_finite() => {
                        standings.push(Standing { candidate, trial });
                    }
                    Ok(_) => {}
                    // One that cannot learn from these data is out; if none can, the first says why.
                    Err(error) => {
                        failure.get_or_insert(error);
                    }
                }
            }
            sort(&mut standings);
            (self.told)(&RaceProgress {
                rows: sample.n_rows(),
                done: standings.len(),
                of,
                seconds: self.seconds(),
                best: standings.first().map(|one| one.candidate.key()),
            })?;
        }
        match failure {
            Some(error) if standings.is_empty() => Err(error),
            _ => Ok(standings),
        }
    }

    /// Tries the neighbours of the best until none is better.
    fn climb(
        &mut self,
        standings: &mut Vec<Standing>,
        sample: &Dataset,
        care: Care,
        until: f64,
    ) -> Result<()> {
        let rounds = match care {
            Care::Quick => 2,
            Care::Usual => 1,
            Care::Last => 6,
        };
        for round in 0..rounds {
            let best = standings[0].trial.score;
            let parents: Vec<&Candidate> = standings
                .iter()
                .take(PARENTS)
                .map(|standing| &standing.candidate)
                .collect();
            let with_metric = care == Care::Last && round == 0;
            let expected = standings[0].trial.fit_seconds;
            let mut more = self.field.later(&parents, with_metric)?;
            more.retain(|other| {
                standings
                    .iter()
                    .all(|one| one.candidate.key() != other.key())
            });
            let waiting: Vec<(Candidate, f64)> = more
                .into_iter()
                .map(|candidate| (candidate, expected))
                .collect();
            if waiting.is_empty() || self.seconds() > until {
                break;
            }
            standings.extend(self.rung(waiting, sample, care, until)?);
            sort(standings);
            if standings[0].trial.score <= best {
                break;
            }
        }
        Ok(())
    }

    /// The better third of a sample, and who joins them, with the seconds that each is expected to
    /// take on the next.
    fn promote(
        &self,
        standings: &[Standing],
        rows: usize,
        next: usize,
    ) -> Result<Vec<(Candidate, f64)>> {
        let now = self.seconds();
        let able: Vec<usize> = (0..standings.len())
            .filter(|&at| self.can_end(&standings[at], now))
            .collect();
        // If none is expected to end in time, the quickest goes on.
        let able = if able.is_empty() {
            let quickest = (0..standings.len()).min_by(|&a, &b| {
                let seconds = |at: usize| standings[at].trial.fit_seconds;
                seconds(a).total_cmp(&seconds(b))
            });
            quickest.into_iter().collect()
        } else {
            able
        };
        // At least the better third, and more while there is time for them.
        let keep = able.len().div_ceil(3).max(2.min(able.len()));
        let mut left = (self.options.budget * COMPARING - now) * 0.3 * self.options.threads as f64;
        let mut going: Vec<(Candidate, f64)> = Vec::new();
        for (place, &at) in able.iter().enumerate() {
            let standing = &standings[at];
            let growth = families::growth(standing.candidate.method());
            let expected = standing.trial.seconds_on(next, growth);
            left -= 3.0 * expected;
            if place >= keep && (left < 0.0 || place >= MOST_KEPT) {
                break;
            }
            going.push((standing.candidate.with(&[])?, expected));
        }
        // The best of every method that has not yet been beaten on a large sample goes on as well:
        // what is best on few rows need not be best on many.
        let mut methods: HashSet<&str> = going.iter().map(|(one, _)| one.method()).collect();
        for &at in &able {
            let standing = &standings[at];
            let best = standings[able[0]].trial.score;
            let near = rows < MANY || best - standing.trial.score < NEAR * best.abs();
            if near && methods.insert(standing.candidate.method()) {
                let growth = families::growth(standing.candidate.method());
                let expected = standing.trial.seconds_on(next, growth);
                going.push((standing.candidate.with(&[])?, expected));
            }
        }
        let parents: Vec<&Candidate> = able
            .iter()
            .take(PARENTS)
            .map(|&at| &standings[at].candidate)
            .collect();
        let expected = going.first().map_or(0.0, |(_, seconds)| *seconds);
        for joined in self.field.later(&parents, next >= MANY)? {
            // Learning a metric and judging it takes some fits.
            let fits = if joined.pipeline.metric.is_some() {
                6.0
            } else {
                1.0
            };
            going.push((joined, fits * expected));
        }
        Ok(going)
    }

    /// Trains the best that keeps the limits on all rows.
    fn finish(
        self,
        data: &Dataset,
        search: &Dataset,
        aside: Option<&Dataset>,
        standings: Vec<Standing>,
    ) -> Result<Raced> {
        let options = self.options;
        let now = self.seconds();
        let mut order: Vec<usize> = (0..standings.len()).collect();
        // Those that are expected to end come first; the sort keeps the order otherwise.
        order.sort_by_key(|&at| !self.can_end(&standings[at], now));
        let mut attempts = 0;
        while !order.is_empty() && (attempts == 0 || self.seconds() < options.budget) {
            attempts += 1;
            let winner = order.remove(0);
            let pipeline = &standings[winner].candidate.pipeline;
            let (model, report) = pipeline.fit(data)?;
            let megabytes = megabytes(&model, pipeline)?;
            let mut keeps = options.max_mb.is_none_or(|most| megabytes <= most);
            let mut latency_us = None;
            if keeps {
                let latency = latency::measure(&model, data.samples().view(), LATENCY_SECONDS)?;
                latency_us = latency.map(|latency| latency.p50 / 1000.0);
                let quick = |most| latency_us.is_none_or(|us| us <= most);
                keeps = options.latency_us.is_none_or(quick);
            }
            if !keeps {
                // Others of the same method will hardly keep the limits either: they come last.
                let method = standings[winner].candidate.method();
                order.sort_by_key(|&at| standings[at].candidate.method() == method);
                continue;
            }
            // The model of all rows knows the rows that were kept aside: its twin does not.
            let unseen = match aside {
                Some(aside)
                    if report.seconds < 0.1 * options.budget
                        || self.seconds() + report.seconds < options.budget =>
                {
                    let (twin, _) = pipeline.fit(search)?;
                    let score = measure(&twin as &dyn Predictor, aside, options.metric)?;
                    Some((score, aside.n_rows()))
                }
                _ => None,
            };
            return Ok(Raced {
                unseen,
                winner,
                model,
                report,
                latency_us,
                megabytes,
                tried: self.tried,
                seconds: self.seconds(),
                standings,
            });
        }
        Err(Error::Target {
            needed: "a model within the limits of latency and size",
            found: "none among the candidates (loosen --latency or --max-mb, or give more --budget)",
        })
    }
}

/// The size of the model with what it does to columns.
fn megabytes(model: &Prepared, pipeline: &Pipeline) -> Result<f64> {
    let frame = crate::frame_of(
        model.preprocessing.clone(),
        pipeline.describe(),
        &Report::trivial(),
    );
    let bytes = model.model.encode(pipeline.trainer.card().name, &frame);
    let bytes = bytes.map_err(|_| Error::Target {
        needed: "a model that can be written",
        found: "one that cannot",
    })?;
    Ok(bytes.len() as f64 / 1e6)
}

fn sort(standings: &mut [Standing]) {
    standings.sort_by(|a, b| b.trial.score.total_cmp(&a.trial.score));
}

fn prepend(out: &mut Vec<Standing>, mut front: Vec<Standing>) {
    front.append(out);
    *out = front;
}

/// Whether there is anything to choose for a method that was not told.
pub fn can_choose(trainer: &dyn Trainer) -> bool {
    families::knows(trainer.card().name)
}
