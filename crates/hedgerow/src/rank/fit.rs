//! Training: basis, search for λ, solution, threshold.

use super::basis::choose;
use super::model::{Answer, RankModel, RankParts};
use super::params::{BasisWord, RankRcParams, RankingParams, SearchMetric};
use super::path::{Ground, Solved, limits, measure};
use super::problem::Part;
use super::residuals::grow;
use super::task::RankTask;
use crate::data::{
    ClassLabels, ClassName, Dataset, Samples, SamplesView, ensure_equal_weights,
    numbers_of_weighty, stratified_folds, without_weightless_rows,
};
use crate::kernel::{Expansion, Kernel, Machine, keep_rows};
use crate::machines::{Isotonic, Sigmoid};
use crate::{Error, Fitted, Report, Result, Status};
use std::time::Instant;

/// Exponents of 2 of the λ that are searched, falling: of equally good ones the largest is taken.
const EXPONENTS: std::ops::RangeInclusive<i32> = -10..=5;

/// How well the problems of a search are solved, unless `tolerance` asks for less: the order of rows
/// that a model did not learn from settles long before the objective does.
const SEARCH_TOLERANCE: f64 = 1e-4;

/// What cross-validation found.
pub(super) struct Validation {
    pub(super) lambda: f64,
    /// Score of every row by a model that did not learn from it; `None` where no fold tested it.
    scores: Vec<Option<f64>>,
    status: Status,
    iterations: u64,
}

/// Trains with the λ of the parameters, or the best of the grid.
pub(super) fn fit(params: &RankRcParams, data: &Dataset) -> Result<Fitted<RankModel>> {
    train(params, data, None).map(|mut all| all.remove(0))
}

/// Trains with every λ of a path; all advance together.
pub(super) fn fit_path(
    params: &RankRcParams,
    data: &Dataset,
    lambdas: &[f64],
) -> Result<Vec<Fitted<RankModel>>> {
    for &lambda in lambdas {
        crate::error::ensure_positive("lambda", lambda)?;
    }
    train(params, data, Some(lambdas))
}

fn train(
    params: &RankRcParams,
    data: &Dataset,
    lambdas: Option<&[f64]>,
) -> Result<Vec<Fitted<RankModel>>> {
    let start = Instant::now();
    let all = data;
    let data = without_weightless_rows(all)?;
    ensure_equal_weights(&data)?;
    let ranking = &params.ranking;
    let task = RankTask::of(&data, ranking.positive.as_ref())?;
    ensure_metric(ranking.criterion, &task)?;
    let view = data.samples().view();
    let kernel = ranking.kernel.resolve(view, ranking.seed)?;
    let linear = kernel == Kernel::Linear && params.basis == BasisWord::All;
    let (basis, ground) = if linear {
        (Vec::new(), Ground::linear(view, &task, ranking)?)
    } else {
        let basis = choose(params, &task, &kernel, view)?;
        let ground = Ground::kernel(&kernel, view, basis.clone(), &task, ranking, params.solver)?;
        (basis, ground)
    };
    let validation = if lambdas.is_none() && (ranking.lambda.is_none() || ranking.probability) {
        Some(cross_validate(&ground, &task, ranking)?)
    } else {
        None
    };
    let chosen = validation.as_ref().map(|found| found.lambda);
    let single = [ranking.lambda.or(chosen).unwrap_or(1.0)];
    let lambdas = lambdas.unwrap_or(&single);
    let solutions = Solution::path(&ground, &task, lambdas, ranking)?;
    drop(ground);
    let mut fitted = Vec::with_capacity(lambdas.len());
    for (&lambda, solution) in lambdas.iter().zip(solutions) {
        let (basis, solution) = match params.certified {
            Some(share) if !linear => {
                let known = (basis.clone(), solution);
                grow(params, &task, &kernel, view, known, lambda, share)?
            }
            _ => (basis.clone(), solution),
        };
        let frame = Frame {
            task: &task,
            view,
            kernel: &kernel,
            basis: (!linear).then_some(&basis[..]),
            validation: validation.as_ref(),
            ranking,
        };
        let (model, mut report, kept) = frame.finish(lambda, &solution)?;
        report.seconds = start.elapsed().as_secs_f64();
        let one = Fitted::new(model, report);
        fitted.push(match kept {
            Some(kept) => one.with_support(numbers_of_weighty(all, &kept)),
            None => one,
        });
    }
    Ok(fitted)
}

fn ensure_metric(metric: SearchMetric, task: &RankTask) -> Result<()> {
    if metric == SearchMetric::AveragePrecision && task.classes.len() > 2 {
        return Err(Error::ParameterValue {
            name: "criterion",
            value: "average-precision".to_owned(),
            requirement: "auc for more than two levels".to_owned(),
        });
    }
    Ok(())
}

/// What a solution is made into a model with.
struct Frame<'a> {
    task: &'a RankTask,
    view: SamplesView<'a>,
    kernel: &'a Kernel,
    /// Rows with a kernel function; `None` for a linear function.
    basis: Option<&'a [u32]>,
    validation: Option<&'a Validation>,
    ranking: &'a RankingParams,
}

impl Frame<'_> {
    /// The model, its report without the time, and the rows that became support vectors.
    fn finish(
        &self,
        lambda: f64,
        solution: &Solution,
    ) -> Result<(RankModel, Report, Option<Vec<usize>>)> {
        let minimum = &solution.solved.minimum;
        let spent = self
            .validation
            .map_or((Status::Converged, 0), |v| (v.status, v.iterations));
        let coefficients = &solution.solved.coefficients;
        let (expansion, kept) = match self.basis {
            Some(basis) => expand(self.kernel.clone(), self.view, basis, coefficients)?,
            None => (linear_expansion(self.view, coefficients)?, None),
        };
        let report = Report {
            status: minimum.status.and(spent.0),
            iterations: minimum.products + u64::from(minimum.steps) + spent.1,
            objective: minimum.value,
            support_vectors: kept.as_ref().map_or(0, Vec::len),
            bounded: 0,
            seconds: 0.0,
        };
        let parts = RankParts {
            answer: answer(self.task, &solution.scores, self.validation, self.ranking)?,
            expansion: with_threshold(expansion, self.task, &solution.scores),
            classes: self.task.classes.clone(),
            lambda,
            smoothing: self.ranking.smoothing,
            level_counts: basis_counts(self.task, self.basis),
        };
        Ok((RankModel::from_parts(parts)?, report, kept))
    }
}

/// A solution on all rows.
pub(super) struct Solution {
    pub(super) solved: Solved,
    /// Scores of all rows.
    pub(super) scores: Vec<f64>,
}

impl Solution {
    pub(super) fn of(
        ground: &Ground<'_>,
        task: &RankTask,
        lambda: f64,
        params: &RankingParams,
    ) -> Result<Self> {
        Self::path(ground, task, &[lambda], params).map(|mut all| all.remove(0))
    }

    /// For every λ.
    fn path(
        ground: &Ground<'_>,
        task: &RankTask,
        lambdas: &[f64],
        params: &RankingParams,
    ) -> Result<Vec<Self>> {
        let members: Vec<u32> = (0..task.levels.len() as u32).collect();
        let part = ground.part(&members)?.ok_or(Error::TooFewClasses {
            needed: 2,
            found: 1,
        })?;
        let solved = ground.solve(&[part], lambdas, &limits(params, params.tolerance));
        let coefficients: Vec<&[f64]> = solved.iter().map(|s| &s.coefficients[..]).collect();
        let scores = ground.design().times(&coefficients);
        let both = solved.into_iter().zip(scores);
        Ok(both
            .map(|(solved, scores)| Self { solved, scores })
            .collect())
    }
}

/// Compares the λ of the grid, or has scores of rows that a model did not learn from for the one
/// that is given.
fn cross_validate(
    ground: &Ground<'_>,
    task: &RankTask,
    params: &RankingParams,
) -> Result<Validation> {
    let lambdas: Vec<f64> = match params.lambda {
        Some(lambda) => vec![lambda],
        None => EXPONENTS.rev().map(|k| 4f64.powi(k)).collect(),
    };
    let names = (0..task.counts().len()).map(|level| ClassName::Number(level as f64));
    let labels = ClassLabels::new(names.collect(), task.levels.clone())?;
    let folds = params.inner_folds.min(task.levels.len());
    let mut parts: Vec<Part> = Vec::new();
    let mut tests: Vec<Vec<u32>> = Vec::new();
    for split in stratified_folds(&labels, folds, params.seed)? {
        let numbers = |rows: &[usize]| rows.iter().map(|&row| row as u32).collect::<Vec<u32>>();
        if let Some(part) = ground.part(&numbers(&split.train))? {
            parts.push(part);
            tests.push(numbers(&split.test));
        }
    }
    let tolerance = match params.lambda {
        Some(_) => params.tolerance,
        None => params.tolerance.max(SEARCH_TOLERANCE),
    };
    let solved = ground.solve(&parts, &lambdas, &limits(params, tolerance));
    let n = lambdas.len();
    let mut sums = vec![(0.0, 0usize); n];
    let mut scores: Vec<Vec<Option<f64>>> = vec![vec![None; task.levels.len()]; n];
    for (fold, test) in tests.iter().enumerate() {
        let of_fold = &solved[fold * n..(fold + 1) * n];
        let coefficients: Vec<&[f64]> = of_fold.iter().map(|s| &s.coefficients[..]).collect();
        let all = ground.design().times(&coefficients);
        for (k, of_lambda) in all.iter().enumerate() {
            if let Some(value) = measure(params.criterion, &task.levels, test, of_lambda) {
                sums[k].0 += value;
                sums[k].1 += 1;
            }
            for &row in test {
                scores[k][row as usize] = Some(of_lambda[row as usize]);
            }
        }
    }
    // Folds that test rows of one level only say nothing; if none says anything, λ cannot be chosen.
    if params.lambda.is_none() && sums.iter().all(|sum| sum.1 == 0) {
        let rarest = task.counts().into_iter().filter(|&c| c > 0).min();
        return Err(Error::TooFewRows {
            class: task.classes[0].to_string(),
            needed: 2,
            found: rarest.unwrap_or(0) as usize,
        });
    }
    let mean = |k: usize| sums[k].0 / sums[k].1 as f64;
    let best = (1..n).fold(0, |best, k| if mean(k) > mean(best) { k } else { best });
    let statuses = solved.iter().map(|s| s.minimum.status);
    let iterations = solved
        .iter()
        .map(|s| s.minimum.products + u64::from(s.minimum.steps));
    Ok(Validation {
        lambda: lambdas[best],
        scores: scores.swap_remove(best),
        status: statuses.fold(Status::Converged, Status::and),
        iterations: iterations.sum(),
    })
}

fn machine(coefficients: Vec<f64>) -> Machine {
    Machine {
        support: (0..coefficients.len() as u32).collect(),
        coefficients,
        rho: 0.0,
    }
}

/// A linear function without a threshold: its one support vector is that of the weights.
fn linear_expansion(view: SamplesView<'_>, coefficients: &[f64]) -> Result<Expansion> {
    let weights = coefficients[..view.n_features()].to_vec();
    Ok(Expansion {
        support_vectors: Samples::dense(1, weights.len(), weights)?,
        n_features: view.n_features(),
        kernel: Kernel::Linear,
        machines: vec![machine(vec![1.0])],
    })
}

/// The function without a threshold, and the rows that became support vectors.
fn expand(
    kernel: Kernel,
    view: SamplesView<'_>,
    basis: &[u32],
    coefficients: &[f64],
) -> Result<(Expansion, Option<Vec<usize>>)> {
    let terms = basis
        .iter()
        .zip(coefficients)
        .filter(|&(_, &beta)| beta != 0.0);
    let (kept, kept_coefficients): (Vec<usize>, Vec<f64>) =
        terms.map(|(&row, &beta)| (row as usize, beta)).unzip();
    let expansion = Expansion {
        support_vectors: keep_rows(&kernel, view, &kept)?,
        n_features: view.n_features(),
        kernel,
        machines: vec![machine(kept_coefficients)],
    };
    Ok((expansion, Some(kept)))
}

/// Rows of each level, and how many of them are in the basis; for a linear function all.
fn basis_counts(task: &RankTask, basis: Option<&[u32]>) -> Vec<[u64; 2]> {
    let mut counts: Vec<[u64; 2]> = task.counts().into_iter().map(|all| [all, all]).collect();
    if let Some(basis) = basis {
        for count in &mut counts {
            count[1] = 0;
        }
        for &row in basis {
            counts[task.levels[row as usize] as usize][1] += 1;
        }
    }
    counts
}

/// Subtracts, for two classes, the threshold that has the largest balanced accuracy on the training
/// rows.
fn with_threshold(mut expansion: Expansion, task: &RankTask, scores: &[f64]) -> Expansion {
    if task.scale.is_none() {
        expansion.machines[0].rho = best_threshold(&task.levels, scores);
    }
    expansion
}

/// In the middle between two neighbouring scores.
fn best_threshold(levels: &[u32], scores: &[f64]) -> f64 {
    let mut rows: Vec<(f64, bool)> = scores
        .iter()
        .zip(levels)
        .map(|(&score, &level)| (score, level > 0))
        .collect();
    rows.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
    let positives = rows.iter().filter(|row| row.1).count() as f64;
    let negatives = rows.len() as f64 - positives;
    let (mut hits, mut alarms) = (0.0, 0.0);
    let mut best = (f64::NEG_INFINITY, 0.0);
    for (at, &(score, positive)) in rows.iter().enumerate() {
        if positive {
            hits += 1.0;
        } else {
            alarms += 1.0;
        }
        let Some(&(next, _)) = rows.get(at + 1) else {
            break;
        };
        let advantage = hits / positives - alarms / negatives;
        if next < score && advantage > best.0 {
            best = (advantage, 0.5 * (score + next));
        }
    }
    // Scores that are all the same: none is above.
    if best.0 == f64::NEG_INFINITY {
        scores.first().copied().unwrap_or(0.0)
    } else {
        best.1
    }
}

/// What scores are turned into.
fn answer(
    task: &RankTask,
    scores: &[f64],
    validation: Option<&Validation>,
    params: &RankingParams,
) -> Result<Answer> {
    let judged = |at: usize| validation.map_or(Some(scores[at]), |found| found.scores[at]);
    let rows: Vec<(usize, f64)> = (0..scores.len())
        .filter_map(|at| judged(at).map(|score| (at, score)))
        .collect();
    let (places, judged): (Vec<usize>, Vec<f64>) = rows.into_iter().unzip();
    if let Some(scale) = &task.scale {
        let target = |&at: &usize| scale[task.levels[at] as usize].ln_1p();
        let targets: Vec<f64> = places.iter().map(target).collect();
        return Ok(Answer::Levels {
            map: Isotonic::fit(&judged, &targets)?,
            values: scale.clone(),
        });
    }
    let threshold = best_threshold(&task.levels, scores);
    let sigmoid = (params.probability && validation.is_some()).then(|| {
        let positive: Vec<bool> = places.iter().map(|&at| task.levels[at] > 0).collect();
        // Decision values have the threshold taken off.
        let decisions: Vec<f64> = judged.iter().map(|score| score - threshold).collect();
        Sigmoid::fit(&decisions, &positive)
    });
    Ok(Answer::Classes { sigmoid })
}
