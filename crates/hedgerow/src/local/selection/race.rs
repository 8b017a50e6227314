//! Candidates that race: selection by a few rows held out in each of many neighbourhoods.
//!
//! Ten neighbourhoods tell little of a large set, and what ten folds in each add is little more of the
//! same place. Here many neighbourhoods, of random rows, are asked, and in each a tenth of the core is
//! held out once: one machine a candidate and neighbourhood. Candidates that are clearly behind drop
//! out after a few neighbourhoods.
//!
//! ```text
//! in the middle size: every kernel and C, on 32 neighbourhoods
//!     drop what is behind the best by more than 1.5 standard errors of the difference
//!     again on 64, 128 and 256 neighbourhoods; on fewer where they have over 500 rows
//! with the best few: the next larger size, as long as it gains; then the next smaller
//! ```
//!
//! The costs of one kernel are solved in ascending order, each from the solution of the one before.

use super::validate::{NEVER, Problem, Workspace};
use super::{Candidate, FalkGrid, FalkSelection, Measure, core, mean_and_deviation};
use crate::data::{Dataset, Generator};
use crate::local::falk::FalkParams;
use crate::local::learner::{Learner, most_kept_rows};
use crate::local::params::LocalSvmParams;
use crate::local::store::{Answers, Store};
use crate::neighbours::{DistanceMetric, Index, IndexParams};
use crate::parallel::{Grain, try_map};
use crate::spares::Spares;
use crate::{Compared, Error, Result, Status, Views};
use std::collections::BTreeMap;
use std::time::Instant;

/// Neighbourhoods of the first heat; each further one has twice as many.
const FIRST_HEAT: usize = 32;
/// Of a core, the part that is held out, and how many rows at most.
const SHARE_HELD: usize = 10;
const MOST_HELD: usize = 20;
/// Standard errors that a candidate may be behind.
const BEHIND: f64 = 1.5;
/// Candidates that try another size.
const MOST_MOVED: usize = 6;
/// Rows of a neighbourhood up to which all centres are asked; of larger ones, fewer.
const FULL_SIZE: usize = 500;
/// No solver is asked for more digits: candidates only have to be told apart.
const TOLERANCE: f64 = 1e-2;
/// Stream of random numbers for the draw of neighbourhoods.
const TASK: u64 = u64::MAX / 3;

impl FalkGrid {
    /// What [`FalkParams::race`] tries: sizes from 125 to 4000, C from 1 to 256, Gaussians with the
    /// percentiles 1, 4, 16, 50 and 90 of the distances, on at most 256 neighbourhoods.
    pub fn for_race() -> Self {
        Self {
            neighbours: vec![125, 250, 500, 1000, 2000, 4000],
            costs: vec![1.0, 4.0, 16.0, 64.0, 256.0],
            models: 256,
            ..Self::default()
        }
        .with_gammas(&[-0.01, -0.04, -0.16, -0.5, -0.9])
        .unwrap_or_else(|_| unreachable!("invariant: the widths above are valid"))
    }
}

impl FalkParams {
    /// Chooses size of neighbourhoods, C and kernel as [`FalkParams::select`], by a few rows held out
    /// in each of many random neighbourhoods; candidates that fall behind drop out. Of the grid, folds
    /// and which rows are validated say nothing here.
    pub fn race(
        &self,
        data: &Dataset,
        grid: &FalkGrid,
        progress: &(dyn Fn(usize, usize) -> Result<()> + Sync),
    ) -> Result<FalkSelection> {
        self.check()?;
        grid.check()?;
        let start = Instant::now();
        let settings = rough(settings_of(self, grid));
        let views = Views {
            data: vec![vec![data]],
            part_of: &[],
        };
        let (_, numbers) = Store::with_numbers(data)?;
        let race = Race::new(self, grid, &settings, &views, progress);
        let selection = race.and_then(Race::selection);
        let mut selection = selection.map_err(|error| error.renumbered(|row| numbers.of(row)))?;
        for row in &mut selection.rows {
            *row = numbers.of(*row);
        }
        selection.seconds = start.elapsed().as_secs_f64();
        Ok(selection)
    }

    /// Which of several views of the same rows the machines answer best, with the best of a grid in
    /// its middle size.
    pub fn compare_views(&self, views: &Views<'_>, grid: &FalkGrid) -> Result<Compared> {
        self.check()?;
        grid.check()?;
        let settings = rough(settings_of(self, grid));
        Race::new(self, grid, &settings, views, &|_, _| Ok(()))?.compared()
    }
}

/// One candidate, by its places in the grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Point {
    pub(super) view: usize,
    pub(super) size: usize,
    pub(super) setting: usize,
    pub(super) cost: usize,
}

/// The rows in one view, for the neighbourhoods of one part of them.
struct Ground {
    store: Store,
    /// Of every kernel's metric and every centre of the part, the largest neighbourhood.
    neighbourhoods: Vec<BTreeMap<usize, Vec<u32>>>,
}

/// Everything that stands before the first heat.
pub(super) struct Race<'a> {
    params: &'a FalkParams,
    grid: &'a FalkGrid,
    measure: Measure,
    sizes: Vec<usize>,
    /// Of every kernel, the local settings with C = 1.
    settings: &'a [LocalSvmParams],
    metric_of: Vec<usize>,
    /// Of every view and part.
    grounds: Vec<Vec<Ground>>,
    /// The part of each stored row; empty if there is only one.
    part_of: Vec<u32>,
    centres: Vec<u32>,
    tried: BTreeMap<Point, Vec<f64>>,
    status: Status,
    /// Told of every neighbourhood that is done for a size: how many there are.
    progress: Told<'a>,
}

type Told<'a> = &'a (dyn Fn(usize, usize) -> Result<()> + Sync);

/// Settings for machines that are only compared.
fn rough(mut settings: Vec<LocalSvmParams>) -> Vec<LocalSvmParams> {
    for local in &mut settings {
        local.solver.tolerance = local.solver.tolerance.max(TOLERANCE);
    }
    settings
}

/// Settings of every kernel of a grid, with C = 1.
pub(super) fn settings_of(params: &FalkParams, grid: &FalkGrid) -> Vec<LocalSvmParams> {
    let of_kernel = |kernel: &crate::kernel::KernelSpec| {
        let mut local = params.local.clone();
        local.cost = 1.0;
        local.probability = false;
        local.solver.kernel = kernel.clone();
        local
    };
    grid.kernels.iter().map(of_kernel).collect()
}

impl<'a> Race<'a> {
    pub(super) fn new(
        params: &'a FalkParams,
        grid: &'a FalkGrid,
        settings: &'a [LocalSvmParams],
        views: &Views<'_>,
        progress: Told<'a>,
    ) -> Result<Self> {
        let Some(&first) = views.data.first().and_then(|parts| parts.first()) else {
            return Err(Error::NoRows);
        };
        let (store, numbers) = Store::with_numbers(first)?;
        if store.len() < 2 {
            return Err(Error::Shape {
                what: "rows for local model selection (at least)",
                expected: 2,
                found: store.len(),
            });
        }
        let part_of = match views.part_of {
            [] => Vec::new(),
            parts => (0..store.len() as u32)
                .map(|row| parts[numbers.of(row) as usize])
                .collect(),
        };
        let sizes = grid.sizes(store.len());
        let largest = sizes.last().copied().unwrap_or(2);
        if largest > most_kept_rows(&store.answers) {
            return Err(Error::Parameter {
                name: "neighbours",
                value: largest as f64,
                requirement: "at most 12000 in local model selection (6000 in regression)",
            });
        }
        let mut centres: Vec<u32> = (0..store.len() as u32).collect();
        Generator::for_task(params.local.solver.seed, TASK).shuffle(&mut centres);
        centres.truncate(grid.models);
        let measure = match store.answers {
            Answers::Classes(_) => Measure::Accuracy,
            Answers::Real(_) => Measure::MeanSquaredError,
        };
        let mut race = Self {
            params,
            grid,
            measure,
            sizes,
            settings,
            metric_of: Vec::new(),
            grounds: Vec::new(),
            part_of,
            centres,
            tried: BTreeMap::new(),
            status: Status::Converged,
            progress,
        };
        for parts in &views.data {
            let parts = parts.iter().enumerate();
            let grounds = parts.map(|(part, data)| race.ground(data, part));
            let grounds = grounds.collect::<Result<_>>()?;
            race.grounds.push(grounds);
        }
        Ok(race)
    }

    /// The neighbourhoods of the centres of a part.
    fn ground(&mut self, data: &Dataset, part: usize) -> Result<Ground> {
        let store = Store::new(data)?;
        let mut metrics: Vec<DistanceMetric> = Vec::new();
        self.metric_of.clear();
        for local in self.settings {
            // Refuses what no neighbourhood can be trained with before anything is searched for.
            Learner::new(&store, local)?;
            let mut with_kernel = self.params.clone();
            with_kernel.local.solver.kernel = local.solver.kernel.clone();
            let metric = with_kernel.metric(&store)?;
            let known = metrics.iter().position(|other| *other == metric);
            self.metric_of.push(known.unwrap_or(metrics.len()));
            if known.is_none() {
                metrics.push(metric);
            }
        }
        let largest = self.sizes.last().copied().unwrap_or(2);
        let places: Vec<usize> = (0..self.centres.len())
            .filter(|&at| self.part_of(self.centres[at]) == part)
            .collect();
        let rows: Vec<u32> = places.iter().map(|&at| self.centres[at]).collect();
        let hints = IndexParams {
            expected_k: Some(largest),
            expected_queries: Some(rows.len()),
            ..self.params.index.clone()
        };
        let mut neighbourhoods = Vec::new();
        for metric in &metrics {
            let index = Index::build(metric, store.view(), None, &hints)?;
            let searcher = index.searcher(store.view())?;
            let found = searcher.k_nearest_of(&rows, largest, false)?;
            let of_centre = |(mut near, &row): (Vec<crate::neighbours::Neighbour>, &u32)| {
                crate::local::covering::put_first(&mut near, row);
                near.iter().map(|found| found.row).collect::<Vec<u32>>()
            };
            let lists = found.into_iter().zip(&rows).map(of_centre);
            neighbourhoods.push(places.iter().copied().zip(lists).collect());
        }
        Ok(Ground {
            store,
            neighbourhoods,
        })
    }

    fn part_of(&self, row: u32) -> usize {
        self.part_of
            .get(row as usize)
            .map_or(0, |&part| part as usize)
    }

    /// The rows that are held out of the neighbourhood of a centre: some of its core, and of the
    /// centre's part. The same for all candidates of one size.
    fn folds(&self, centre: usize, rows: &[u32]) -> Vec<usize> {
        let part = self.part_of(self.centres[centre]);
        let inner = core(self.params.core, rows.len());
        let places = (0..inner).filter(|&p| self.part_of(rows[p]) == part);
        let mut places: Vec<usize> = places.collect();
        let task = ((rows.len() as u64) << 32) + 1 + centre as u64;
        Generator::for_task(self.params.local.solver.seed, task).shuffle(&mut places);
        let held = (inner / SHARE_HELD).clamp(1, MOST_HELD);
        let mut folds = vec![NEVER; inner];
        for &p in places.iter().take(held) {
            folds[p] = 0;
        }
        folds
    }

    /// Tries points on all centres up to a number.
    fn extend(&mut self, points: &[Point], upto: usize) -> Result<()> {
        // The costs of one kernel share a matrix.
        let mut groups: BTreeMap<(usize, usize, usize, usize), Vec<usize>> = BTreeMap::new();
        for point in points {
            let from = self.tried.get(point).map_or(0, Vec::len);
            for centre in from..upto {
                let key = (centre, point.view, point.size, point.setting);
                groups.entry(key).or_default().push(point.cost);
            }
        }
        let groups: Vec<_> = groups.into_iter().collect();
        let learners = self.learners()?;
        let workspaces = Spares::<Workspace>::new();
        let done = std::sync::atomic::AtomicUsize::new(0);
        let scored = try_map(groups.len(), Grain::ONE, &|task| {
            let ((centre, view, size, setting), costs) = &groups[task];
            let part = self.part_of(self.centres[*centre]);
            let ground = &self.grounds[*view][part];
            let all = &ground.neighbourhoods[self.metric_of[*setting]][centre];
            let rows = &all[..self.sizes[*size]];
            let mut costs = costs.clone();
            costs.sort_unstable();
            let values: Vec<f64> = costs.iter().map(|&at| self.grid.costs[at]).collect();
            let problem = Problem {
                learner: &learners[*view][part][*setting],
                store: &ground.store,
                rows,
                folds: &self.folds(*centre, rows),
                costs: &values,
                epsilon: self.params.local.epsilon,
            };
            let scored = workspaces.lend(|workspace| problem.scores(workspace))?;
            let done = done.fetch_add(1, std::sync::atomic::Ordering::Relaxed) + 1;
            (self.progress)(done, groups.len())?;
            Ok((costs, scored))
        })?;
        drop(learners);
        for (((_, view, size, setting), _), (costs, (scores, status))) in groups.iter().zip(scored)
        {
            self.status = self.status.and(status);
            let (view, size, setting) = (*view, *size, *setting);
            for (cost, score) in costs.into_iter().zip(scores) {
                let point = Point {
                    view,
                    size,
                    setting,
                    cost,
                };
                self.tried.entry(point).or_default().push(score);
            }
        }
        Ok(())
    }

    /// Of every view, part and kernel.
    fn learners(&self) -> Result<Vec<Vec<Vec<Learner<'_>>>>> {
        let mut all = Vec::with_capacity(self.grounds.len());
        for parts in &self.grounds {
            let mut of_view = Vec::with_capacity(parts.len());
            for ground in parts {
                let settings = self.settings.iter();
                let learners = settings.map(|local| Learner::new(&ground.store, local));
                of_view.push(learners.collect::<Result<Vec<_>>>()?);
            }
            all.push(of_view);
        }
        Ok(all)
    }

    /// How much worse a point is than another on the centres that both saw, and the standard error.
    fn behind(&self, point: Point, best: Point) -> (f64, f64) {
        let pairs = self.tried[&point].iter().zip(&self.tried[&best]);
        let sign = match self.measure {
            Measure::Accuracy => 1.0,
            Measure::MeanSquaredError => -1.0,
        };
        let differences: Vec<f64> = pairs.map(|(one, best)| sign * (best - one)).collect();
        let (mean, deviation) = mean_and_deviation(&differences);
        (mean, deviation / (differences.len() as f64).sqrt())
    }

    fn score(&self, point: Point) -> f64 {
        mean_and_deviation(&self.tried[&point]).0
    }

    /// The first of the best.
    pub(super) fn best_of(&self, points: &[Point]) -> Point {
        let mut best = points[0];
        for &point in points {
            if self.behind(best, point).0 > 0.0 {
                best = point;
            }
        }
        best
    }

    /// Centres that a size is tried on at most. A machine of twice the size costs four times as much,
    /// and large neighbourhoods overlap.
    fn most(&self, size: usize) -> usize {
        let fewer = self.grid.models * FULL_SIZE / size.max(FULL_SIZE);
        fewer.max(FIRST_HEAT).min(self.centres.len())
    }

    /// Lets points race; those that are left.
    fn heats(&mut self, points: &[Point]) -> Result<Vec<Point>> {
        let largest = points.iter().map(|point| self.sizes[point.size]).max();
        let most = self.most(largest.unwrap_or(0));
        let mut left = points.to_vec();
        let mut upto = FIRST_HEAT.min(most);
        loop {
            self.extend(&left, upto)?;
            let best = self.best_of(&left);
            left.retain(|&point| {
                let (behind, error) = self.behind(point, best);
                point == best || behind <= BEHIND * error
            });
            if upto == most {
                return Ok(left);
            }
            upto = (2 * upto).min(most);
        }
    }

    /// All kernels and costs in the middle size, then other sizes with the best few.
    fn run(&mut self) -> Result<Point> {
        let middle = (self.sizes.len() - 1) / 2;
        let all = self.points(0, middle);
        let left = self.heats(&all)?;
        let mut best = self.best_of(&left);
        let at_middle = self.ranked(&left);
        for step in [1, -1] {
            let mut size = middle as isize;
            let mut few = at_middle.clone();
            loop {
                size += step;
                let Some(place) = usize::try_from(size).ok().filter(|&s| s < self.sizes.len())
                else {
                    break;
                };
                let mut moved: Vec<Point> = few.clone();
                moved.extend(few.iter().take(1).flat_map(|&point| self.near(point)));
                for point in &mut moved {
                    point.size = place;
                }
                moved.sort_unstable();
                moved.dedup();
                let left = self.heats(&moved)?;
                let found = self.best_of(&left);
                if self.behind(best, found).0 <= 0.0 {
                    break;
                }
                best = found;
                few = self.ranked(&left);
            }
        }
        Ok(best)
    }

    /// The best few, the best first.
    fn ranked(&self, points: &[Point]) -> Vec<Point> {
        let mut ranked = points.to_vec();
        let best = self.best_of(points);
        ranked.sort_by(|&a, &b| self.behind(a, best).0.total_cmp(&self.behind(b, best).0));
        ranked.truncate(MOST_MOVED);
        ranked
    }

    /// The same with the next kernel and the next cost.
    fn near(&self, point: Point) -> Vec<Point> {
        let mut all = Vec::new();
        for (kernel, cost) in [(1, 0), (-1, 0), (0, 1), (0, -1)] {
            let setting = point.setting.checked_add_signed(kernel);
            let cost = point.cost.checked_add_signed(cost);
            if let (Some(setting), Some(cost)) = (setting, cost)
                && setting < self.settings.len()
                && cost < self.grid.costs.len()
            {
                let near = Point {
                    setting,
                    cost,
                    ..point
                };
                all.push(near);
            }
        }
        all
    }

    /// All points of a view and a size.
    fn points(&self, view: usize, size: usize) -> Vec<Point> {
        let n_costs = self.grid.costs.len();
        let at = |number: usize| Point {
            view,
            size,
            setting: number / n_costs,
            cost: number % n_costs,
        };
        (0..self.settings.len() * n_costs).map(at).collect()
    }

    /// What was tried and chosen.
    pub(super) fn selection(mut self) -> Result<FalkSelection> {
        let best = self.run()?;
        let candidate = |(point, scores): (&Point, &Vec<f64>)| {
            let (score, deviation) = mean_and_deviation(scores);
            Candidate {
                neighbours: self.sizes[point.size],
                cost: self.grid.costs[point.cost],
                kernel: self.settings[point.setting].solver.kernel.clone(),
                score,
                deviation,
                neighbourhoods: scores.len(),
            }
        };
        let candidates: Vec<Candidate> = self.tried.iter().map(candidate).collect();
        let place = self.tried.keys().position(|&point| point == best);
        let tried = |size: usize| self.tried.keys().any(|point| point.size == size);
        let skipped = (0..self.sizes.len()).filter(|&size| !tried(size));
        Ok(FalkSelection {
            neighbours: self.sizes[best.size],
            cost: self.grid.costs[best.cost],
            kernel: self.settings[best.setting].solver.kernel.clone(),
            best: place.unwrap_or(0),
            candidates,
            skipped_neighbours: skipped.map(|size| self.sizes[size]).collect(),
            measure: self.measure,
            rows: self.centres,
            status: self.status,
            seconds: 0.0,
        })
    }

    /// How many rows were held out, in all, to try a point.
    fn judges(&self, point: Point) -> usize {
        let held = |centre: usize| {
            let ground = &self.grounds[point.view][self.part_of(self.centres[centre])];
            let all = &ground.neighbourhoods[self.metric_of[point.setting]][&centre];
            let folds = self.folds(centre, &all[..self.sizes[point.size]]);
            folds.iter().filter(|&&fold| fold != NEVER).count()
        };
        (0..self.tried[&point].len()).map(held).sum()
    }

    /// Which view does best. The first is the choice until another is ahead of it by more than a
    /// standard error, and so on: views stand in the order in which they are preferred.
    pub(super) fn compared(mut self) -> Result<Compared> {
        let middle = (self.sizes.len() - 1) / 2;
        let n_views = self.grounds.len();
        let points: Vec<Point> = (0..n_views)
            .flat_map(|view| self.points(view, middle))
            .collect();
        let left = self.heats(&points)?;
        let winner = self.best_of(&left);
        let of_view = |view: usize| {
            let own: Vec<Point> = points.iter().copied().filter(|p| p.view == view).collect();
            // Those that saw most: the others dropped out before.
            let seen = own.iter().map(|p| self.tried[p].len()).max().unwrap_or(0);
            let own: Vec<Point> = own
                .into_iter()
                .filter(|p| self.tried[p].len() == seen)
                .collect();
            self.best_of(&own)
        };
        let mut best = 0;
        for view in 1..n_views {
            let (behind, error) = self.behind(of_view(best), of_view(view));
            // One neighbourhood that is better is exactly its own standard error.
            if behind > 1.001 * error {
                best = view;
            }
        }
        Ok(Compared {
            best,
            scores: (0..n_views).map(|view| self.score(of_view(view))).collect(),
            judged: self.judges(winner),
        })
    }
}
