//! FaLK-SVMl: parameters chosen on a few neighbourhoods in place of the whole data.
//!
//! Ordinary cross-validation of $p$ parameters with $c$ values each trains $\kappa c^p$ models of all
//! data. Here the error of a candidate is estimated where it counts, inside neighbourhoods:
//!
//! * *local $\kappa$-fold cross-validation* splits the $k$ rows of a neighbourhood
//!   ([`Validate::Whole`], for kNN-SVM);
//! * *$k'$-internal* cross-validation splits only the $k'$ innermost rows, because a machine answers
//!   for its core; every training part is the other internal rows and *all* $k - k'$ external ones
//!   ([`Validate::Core`]);
//! * the parameters with the best mean over $m$ neighbourhoods serve for all of them.
//!
//! ```text
//! draw m neighbourhoods of max(k) rows
//! for k ascending
//!     for every kernel and C: a(k, K, C) = mean over the neighbourhoods, cut to k rows
//!     stop if the best of this k is worse than the best of the k before
//! take the best; of equals the first
//! ```
//!
//! A width given as a percentile stays one: every neighbourhood, here and in training, takes its own.
//!
//! | document | here |
//! |---|---|
//! | $m$, $\kappa$ | [`FalkGrid::models`], [`FalkGrid::folds`] |
//! | $k$, $C$, $g$ | [`FalkGrid::k`], [`FalkGrid::costs`], [`FalkGrid::kernels`] |
//! | $P$, $k' = \lfloor P k\rfloor$ | [`FalkParams::core_share`] |

mod draw;
mod race;
mod seed;
mod validate;

use super::falk::FalkParams;
use super::learner::{Learner, most_kept_rows};
use super::params::LocalSvmParams;
use super::store::{Answers, Store};
use crate::data::{Dataset, Generator};
use crate::error::ensure_positive;
use crate::kernel::KernelSpec;
use crate::neighbours::{DistanceMetric, Index, IndexParams};
use crate::parallel::{Grain, try_map};
use crate::spares::Spares;
use crate::{Error, Result, Status};
use draw::Draw;
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;
use validate::{Problem, Workspace, deal};

/// Which rows of a neighbourhood are held out in turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Validate {
    /// Those of the core.
    #[default]
    Core,
    /// The inner half of the core, as the published program does.
    InnerHalf,
    /// All.
    Whole,
}

/// Around which rows the neighbourhoods lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Around {
    /// Random training rows.
    #[default]
    Rows,
    /// Random centres of the covering that the largest `k` makes.
    Centres,
}

/// What local model selection tries, and how.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FalkGrid {
    /// Sizes of neighbourhoods, tried in ascending order; 500, 1000, 2000, 4000 by default. Those
    /// above the number of rows count as all rows.
    pub neighbours: Vec<usize>,
    /// Values of C; 1, 4, 16, 64 by default.
    pub costs: Vec<f64>,
    /// Kernels; Gaussians with the percentiles 1, 10, 50, 90 of the distances by default.
    pub kernels: Vec<KernelSpec>,
    /// Number of neighbourhoods; 10 by default.
    pub models: usize,
    /// Parts that the validated rows are split into; 10 by default.
    pub folds: usize,
    /// Which rows are validated.
    pub validate: Validate,
    /// Where the neighbourhoods lie.
    pub around: Around,
    /// Whether neighbourhoods are drawn again when their core has too few or too many rows of a
    /// class: far from a boundary all parameters are equally good. Yes by default.
    ///
    /// The share of each class must lie in $[r, 1-r]$, where $r$ starts at 1 / (classes + 1) and
    /// falls by 0.002 with every core refused.
    pub balance: bool,
    /// Whether the row that a neighbourhood lies around is one of its rows. Yes by default; no where
    /// rows are judged by their neighbours alone, as in kNNSVM-nr.
    pub includes_centre: bool,
}

impl Default for FalkGrid {
    fn default() -> Self {
        Self {
            neighbours: vec![500, 1000, 2000, 4000],
            costs: vec![1.0, 4.0, 16.0, 64.0],
            kernels: Vec::new(),
            models: 10,
            folds: 10,
            validate: Validate::Core,
            around: Around::Rows,
            balance: true,
            includes_centre: true,
        }
        .with_gammas(&[-0.01, -0.1, -0.5, -0.9])
        .unwrap_or_else(|_| unreachable!("invariant: the widths above are valid"))
    }
}

impl FalkGrid {
    /// Sets the sizes of neighbourhoods.
    pub fn with_neighbours(mut self, neighbours: &[usize]) -> Self {
        self.neighbours = neighbours.to_vec();
        self
    }

    /// Sets the values of C.
    pub fn with_costs(mut self, costs: &[f64]) -> Self {
        self.costs = costs.to_vec();
        self
    }

    /// Sets the kernels.
    pub fn with_kernels(mut self, kernels: Vec<KernelSpec>) -> Self {
        self.kernels = kernels;
        self
    }

    /// Sets Gaussian kernels of these widths; from -1 to 0: percentiles of the local distances.
    pub fn with_gammas(mut self, gammas: &[f64]) -> Result<Self> {
        self.kernels = gammas
            .iter()
            .map(|&gamma| KernelSpec::from_libsvm(2, 0, Some(gamma), 0.0))
            .collect::<Result<_>>()?;
        Ok(self)
    }

    /// Sets the number of neighbourhoods.
    pub fn with_models(mut self, models: usize) -> Self {
        self.models = models;
        self
    }

    /// Sets the number of folds.
    pub fn with_folds(mut self, folds: usize) -> Self {
        self.folds = folds;
        self
    }

    /// An error that names the first setting out of its range.
    pub fn check(&self) -> Result<()> {
        for (name, count) in [
            ("number of values for neighbours", self.neighbours.len()),
            ("number of values for the cost", self.costs.len()),
            ("number of kernels", self.kernels.len()),
            ("models", self.models),
        ] {
            ensure_positive(name, count as f64)?;
        }
        for (name, least, value) in [
            (
                "neighbours",
                2,
                self.neighbours.iter().min().copied().unwrap_or(2),
            ),
            ("folds", 2, self.folds),
        ] {
            if value < least {
                return Err(Error::Parameter {
                    name,
                    value: value as f64,
                    requirement: "at least 2",
                });
            }
        }
        self.costs
            .iter()
            .try_for_each(|&cost| ensure_positive("cost", cost))
    }

    /// Whether neighbourhoods lack the row in their middle; a row alone has nobody else.
    fn leaves_centre_out(&self, n_rows: usize) -> bool {
        !self.includes_centre && n_rows > 1
    }

    /// Sizes that differ for a number of rows, ascending.
    fn sizes(&self, n_rows: usize) -> Vec<usize> {
        let most = n_rows - usize::from(self.leaves_centre_out(n_rows));
        let mut sizes: Vec<usize> = self.neighbours.iter().map(|&k| k.min(most)).collect();
        sizes.sort_unstable();
        sizes.dedup();
        sizes
    }
}

/// What candidates are compared by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Measure {
    /// Share of right classes; larger is better.
    Accuracy,
    /// Smaller is better.
    MeanSquaredError,
}

impl Measure {
    /// The name in words.
    pub fn name(self) -> &'static str {
        match self {
            Self::Accuracy => "accuracy",
            Self::MeanSquaredError => "mean squared error",
        }
    }

    fn is_better(self, score: f64, than: f64) -> bool {
        match self {
            Self::Accuracy => score > than,
            Self::MeanSquaredError => score < than,
        }
    }
}

/// One point of the grid.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// Rows of a neighbourhood.
    pub neighbours: usize,
    /// C.
    pub cost: f64,
    /// The kernel, with percentiles left to the neighbourhoods.
    pub kernel: KernelSpec,
    /// Mean over the neighbourhoods.
    pub score: f64,
    /// Standard deviation over the neighbourhoods.
    pub deviation: f64,
    /// Neighbourhoods that it was tried on; in a race, fewer for those that fell behind.
    pub neighbourhoods: usize,
}

/// What was tried and chosen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FalkSelection {
    /// Rows of a neighbourhood.
    pub neighbours: usize,
    /// C.
    pub cost: f64,
    /// The kernel, with percentiles left to the neighbourhoods.
    pub kernel: KernelSpec,
    /// Position of the choice among the candidates.
    pub best: usize,
    /// All candidates that were tried, in order.
    pub candidates: Vec<Candidate>,
    /// Sizes that the early stop left out.
    pub skipped_neighbours: Vec<usize>,
    /// What was measured.
    pub measure: Measure,
    /// Rows of the data around which the neighbourhoods lay.
    pub rows: Vec<u32>,
    /// The worst status of a solver run.
    pub status: Status,
    /// Wall-clock time.
    pub seconds: f64,
}

impl FalkSelection {
    /// The chosen candidate.
    pub fn chosen(&self) -> &Candidate {
        &self.candidates[self.best]
    }
}

/// How far a selection is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SelectionProgress {
    /// Size of neighbourhoods that is being tried.
    pub neighbours: usize,
    /// Pairs of neighbourhood and kernel that are done for this size.
    pub done: usize,
    /// All of them.
    pub total: usize,
}

impl FalkParams {
    /// Chooses size of neighbourhoods, C and kernel by local model selection; everything else stays.
    ///
    /// ```
    /// use hedgerow::data::generate::banana;
    /// use hedgerow::local::{FalkGrid, FalkParams};
    ///
    /// let data = banana(600, 0.3, 1)?;
    /// let grid = FalkGrid::default().with_neighbours(&[40, 80]).with_models(5).with_folds(5);
    /// let (params, selection) = FalkParams::default().select(&data, &grid)?;
    /// assert_eq!(params.neighbours, selection.neighbours);
    /// assert!(selection.chosen().score > 0.8);
    /// let model = params.fit(&data)?.model;
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    pub fn select(&self, data: &Dataset, grid: &FalkGrid) -> Result<(Self, FalkSelection)> {
        self.select_with(data, grid, &|_| Ok(()))
    }

    /// As [`FalkParams::select`]; `progress` is told how far it is and may stop it by an error.
    pub fn select_with(
        &self,
        data: &Dataset,
        grid: &FalkGrid,
        progress: &(dyn Fn(SelectionProgress) -> Result<()> + Sync),
    ) -> Result<(Self, FalkSelection)> {
        self.check()?;
        grid.check()?;
        let start = Instant::now();
        let (store, numbers) = Store::with_numbers(data)?;
        if store.len() < 2 {
            return Err(Error::Shape {
                what: "rows for local model selection (at least)",
                expected: 2,
                found: store.len(),
            });
        }
        let trials = Trials::new(self, grid, &store);
        let selection = trials.and_then(|trials| trials.run(progress));
        let mut selection = selection.map_err(|error| error.renumbered(|row| numbers.of(row)))?;
        for row in &mut selection.rows {
            *row = numbers.of(*row);
        }
        selection.seconds = start.elapsed().as_secs_f64();
        let mut chosen = self.clone();
        chosen.neighbours = selection.neighbours;
        chosen.local.cost = selection.cost;
        chosen.local.solver.kernel = selection.kernel.clone();
        Ok((chosen, selection))
    }
}

/// Everything that stands before the first candidate is tried.
struct Trials<'a> {
    params: &'a FalkParams,
    grid: &'a FalkGrid,
    store: &'a Store,
    sizes: Vec<usize>,
    /// Of every kernel, the local settings with C = 1.
    settings: Vec<LocalSvmParams>,
    /// Of every kernel, which neighbourhoods it sees.
    metric_of: Vec<usize>,
    /// Of every metric and drawn row, the largest neighbourhood.
    neighbourhoods: Vec<Vec<Vec<u32>>>,
    rows: Vec<u32>,
}

impl<'a> Trials<'a> {
    fn new(params: &'a FalkParams, grid: &'a FalkGrid, store: &'a Store) -> Result<Self> {
        let settings = race::settings_of(params, grid);
        let mut metrics: Vec<DistanceMetric> = Vec::new();
        let mut metric_of = Vec::new();
        for local in &settings {
            // Refuses what no neighbourhood can be trained with before anything is searched for.
            Learner::new(store, local)?;
            let mut with_kernel = params.clone();
            with_kernel.local.solver.kernel = local.solver.kernel.clone();
            let metric = with_kernel.metric(store)?;
            let known = metrics.iter().position(|other| *other == metric);
            metric_of.push(known.unwrap_or(metrics.len()));
            if known.is_none() {
                metrics.push(metric);
            }
        }
        let sizes = grid.sizes(store.len());
        let largest = sizes.last().copied().unwrap_or(2);
        if largest > most_kept_rows(&store.answers) {
            return Err(Error::Parameter {
                name: "neighbours",
                value: largest as f64,
                requirement: "at most 12000 in local model selection (6000 in regression)",
            });
        }
        let hints = IndexParams {
            expected_k: Some(largest),
            expected_queries: Some(grid.models),
            ..params.index.clone()
        };
        let mut rows = Vec::new();
        let mut neighbourhoods = Vec::new();
        for metric in &metrics {
            let index = Index::build(metric, store.view(), None, &hints)?;
            let draw = Draw {
                params,
                grid,
                store,
                metric,
                searcher: index.searcher(store.view())?,
                k: largest,
                core: core(params.core, largest),
            };
            if rows.is_empty() {
                rows = draw.rows()?;
            }
            neighbourhoods.push(draw.neighbourhoods(&rows)?);
        }
        Ok(Self {
            params,
            grid,
            store,
            sizes,
            settings,
            metric_of,
            neighbourhoods,
            rows,
        })
    }

    /// Number of validated rows of a neighbourhood.
    fn inner(&self, k: usize) -> usize {
        let core = core(self.params.core, k);
        match self.grid.validate {
            Validate::Core => core,
            Validate::InnerHalf => (core / 2).max(1),
            Validate::Whole => k,
        }
    }

    fn run(
        &self,
        progress: &(dyn Fn(SelectionProgress) -> Result<()> + Sync),
    ) -> Result<FalkSelection> {
        let measure = match self.store.answers {
            Answers::Classes(_) => Measure::Accuracy,
            Answers::Real(_) => Measure::MeanSquaredError,
        };
        let learners: Vec<Learner<'_>> = self
            .settings
            .iter()
            .map(|local| Learner::new(self.store, local))
            .collect::<Result<_>>()?;
        let mut candidates: Vec<Candidate> = Vec::new();
        let mut best = 0;
        let mut best_before: Option<usize> = None;
        let mut status = Status::Converged;
        let mut n_tried = 0;
        for &k in &self.sizes {
            let (scores, stage_status) = self.stage(k, &learners, progress)?;
            status = status.and(stage_status);
            n_tried += 1;
            let mut stage_best = candidates.len();
            for (number, local) in self.settings.iter().enumerate() {
                for (at, &cost) in self.grid.costs.iter().enumerate() {
                    let all: Vec<f64> = (0..self.rows.len())
                        .map(|row| scores[row * self.settings.len() + number][at])
                        .collect();
                    let (score, deviation) = mean_and_deviation(&all);
                    candidates.push(Candidate {
                        neighbours: k,
                        cost,
                        kernel: local.solver.kernel.clone(),
                        score,
                        deviation,
                        neighbourhoods: self.rows.len(),
                    });
                    let last = candidates.len() - 1;
                    if measure.is_better(score, candidates[stage_best].score) {
                        stage_best = last;
                    }
                    if measure.is_better(score, candidates[best].score) {
                        best = last;
                    }
                }
            }
            tracing::info!(k, score = candidates[stage_best].score, "tried");
            let got_worse = best_before.is_some_and(|before| {
                measure.is_better(candidates[before].score, candidates[stage_best].score)
            });
            if got_worse {
                break;
            }
            best_before = Some(stage_best);
        }
        let chosen = candidates[best].clone();
        Ok(FalkSelection {
            neighbours: chosen.neighbours,
            cost: chosen.cost,
            kernel: chosen.kernel,
            best,
            candidates,
            skipped_neighbours: self.sizes[n_tried..].to_vec(),
            measure,
            rows: self.rows.clone(),
            status,
            seconds: 0.0,
        })
    }

    /// Scores of every cost, for every neighbourhood and kernel in turn.
    fn stage(
        &self,
        k: usize,
        learners: &[Learner<'_>],
        progress: &(dyn Fn(SelectionProgress) -> Result<()> + Sync),
    ) -> Result<(Vec<Vec<f64>>, Status)> {
        let total = self.rows.len() * learners.len();
        let done = AtomicUsize::new(0);
        let workspaces = Spares::<Workspace>::new();
        let scored: Vec<(Vec<f64>, Status)> = try_map(total, Grain::ONE, &|task| {
            let (row, number) = (task / learners.len(), task % learners.len());
            let rows = &self.neighbourhoods[self.metric_of[number]][row][..k];
            let folds = self.folds_of(rows, row);
            let problem = Problem {
                learner: &learners[number],
                store: self.store,
                rows,
                folds: &folds,
                costs: &self.grid.costs,
                epsilon: self.params.local.epsilon,
            };
            let scored = workspaces.lend(|workspace| problem.scores(workspace))?;
            progress(SelectionProgress {
                neighbours: k,
                done: done.fetch_add(1, Ordering::Relaxed) + 1,
                total,
            })?;
            Ok(scored)
        })?;
        let status = scored
            .iter()
            .fold(Status::Converged, |all, (_, one)| all.and(*one));
        Ok((
            scored.into_iter().map(|(scores, _)| scores).collect(),
            status,
        ))
    }

    /// The fold of each validated row: the same for all candidates of one size.
    fn folds_of(&self, rows: &[u32], neighbourhood: usize) -> Vec<usize> {
        let seed = self.params.local.solver.seed;
        let task = ((rows.len() as u64) << 24) + 1 + neighbourhood as u64;
        let mut generator = Generator::for_task(seed, task);
        let inner = &rows[..self.inner(rows.len())];
        let groups: Vec<u32> = match &self.store.answers {
            Answers::Classes(labels) => {
                let codes = labels.codes();
                inner.iter().map(|&row| codes[row as usize]).collect()
            }
            Answers::Real(_) => vec![0; inner.len()],
        };
        deal(&groups, self.grid.folds.min(inner.len()), &mut generator)
    }
}

/// Mean and standard deviation; the latter is 0 for a single value.
fn mean_and_deviation(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (mean, (squares / (n - 1.0).max(1.0)).sqrt())
}

/// $k' = \lfloor P k \rfloor$, at least 1.
fn core(share: f64, k: usize) -> usize {
    ((share * k as f64).floor() as usize).clamp(1, k)
}
