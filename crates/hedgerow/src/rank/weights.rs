//! Weights of columns for ranking.
//!
//! $$\min_{z \ge 0}\ \min_\beta\ \frac1N \sum_{y_i > y_j} \ell_\varepsilon\bigl(f(x_i) - f(x_j)\bigr) +
//!   \tfrac\lambda2 \beta^\top K_{RR}\beta + \mu\sum_l z_l, \qquad
//!   k(x, x') = e^{-\sum_l z_l^2 (x_l - x'_l)^2},$$
//!
//! with kernel functions at the rare rows. At the best $\beta$ the inner problem does not change with
//! it, so the derivative by $z_l$ is that at fixed $\beta$: $\mu - 2 z_l \sum_{ij} W_{ij}(x_{il} -
//! x_{jl})^2$ with $W_{ij} = (G_i/N + [i \in R]\,\tfrac\lambda2\beta_i)\,\beta_j k_{ij}$.
//!
//! Prices $\lambda$ and $\mu$ are chosen by cross-validation, and with them whether there are weights
//! at all: only if the area under the curve of the folds is larger with them by more than the standard
//! error of the difference. Large data are thinned first: all rare rows up to a limit, and others at
//! random.

use super::params::{RankRcParams, RankingParams, SearchMetric};
use super::path::{Ground, limits, measure};
use super::task::RankTask;
use crate::data::{
    ClassLabels, ClassName, Dataset, Generator, Samples, ensure_equal_weights, stratified_folds,
    without_weightless_rows,
};
use crate::kernel::Kernel;
use crate::linalg::{dot, gaussian_tile, product, product_transposed};
use crate::parallel::{Grain, map, try_map};
use crate::solve::bounded_descent::descend_above;
use crate::solve::pairwise::{PairSets, PairwiseHinge};
use crate::solve::smooth::SmoothLimits;
use crate::{Error, Result};

/// Weights of the squared norm that are tried while weights of columns are sought.
const LAMBDAS: [f64; 3] = [0.0625, 0.007_812_5, 0.000_976_562_5];
/// Prices of a weight, ascending: each search begins where the one before it ended.
const MUS: [f64; 3] = [0.000_244_140_625, 0.001_953_125, 0.015_625];
/// Exponents of 4 of the λ that a function with given weights is judged with.
const EXPONENTS: std::ops::RangeInclusive<i32> = -10..=5;
/// Weight below which a column does not count, as a share of the largest.
const THRESHOLD: f64 = 0.01;
/// Rows of a block.
const BLOCK_ROWS: usize = 256;
/// Stream of the seed that thins the rows.
const STREAM: u64 = 0x77_6569_6768;

/// How weights of columns are learned for ranking.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct RankWeightsParams {
    /// Half the width of the bend of the hinge; 0.5 by default.
    pub smoothing: f64,
    /// The class to be ranked first; `None`: the rarest.
    pub positive: Option<ClassName>,
    /// Folds that prices are chosen by; 3 by default.
    pub folds: usize,
    /// Most rare rows that are learned from; 400 by default.
    pub max_rare: usize,
    /// Most rows that are learned from; 3000 by default.
    pub max_rows: usize,
    /// Most steps of one search; 40 by default.
    pub max_steps: u32,
    /// Seed of folds and of the rows that are kept.
    pub seed: u64,
}

impl Default for RankWeightsParams {
    fn default() -> Self {
        Self {
            smoothing: 0.5,
            positive: None,
            folds: 3,
            max_rare: 400,
            max_rows: 3000,
            max_steps: 40,
            seed: 0,
        }
    }
}

/// Weights of columns for ranking with the Gaussian kernel of $\gamma = 1$.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct RankWeights {
    /// What columns as they came are multiplied by. Without learned weights, what makes the kernel as
    /// wide as the mean squared distance of standardised rows.
    pub factors: Vec<f64>,
    /// Learned weights of standardised columns; `None` if they did not help.
    pub weights: Option<Vec<f64>>,
    /// λ and μ that they were found with.
    pub prices: Option<(f64, f64)>,
    /// Mean area under the curve of the folds without weights and with the best ones.
    pub validation: (f64, f64),
    /// Rows that were learned from.
    pub n_rows: usize,
}

impl RankWeights {
    /// Columns that are kept.
    pub fn n_kept(&self) -> usize {
        self.factors.iter().filter(|&&factor| factor > 0.0).count()
    }
}

/// Standardised rows with their levels.
struct Rows {
    values: Vec<f64>,
    width: usize,
    levels: Vec<u32>,
}

impl Rows {
    fn row(&self, i: usize) -> &[f64] {
        &self.values[i * self.width..(i + 1) * self.width]
    }

    fn select(&self, rows: &[usize]) -> Self {
        Self {
            values: rows.iter().flat_map(|&i| self.row(i)).copied().collect(),
            width: self.width,
            levels: rows.iter().map(|&i| self.levels[i]).collect(),
        }
    }

    /// Columns multiplied; those of weight 0 left out.
    fn weighted(&self, weights: &[f64]) -> Result<Samples> {
        let kept: Vec<usize> = (0..self.width).filter(|&f| weights[f] > 0.0).collect();
        let n = self.levels.len();
        if kept.is_empty() {
            return Samples::dense(n, 1, vec![0.0; n]);
        }
        let rows = self.values.chunks_exact(self.width);
        let values = rows.flat_map(|row| kept.iter().map(|&f| row[f] * weights[f]));
        Samples::dense(n, kept.len(), values.collect())
    }

    fn task(&self) -> RankTask {
        RankTask {
            levels: self.levels.clone(),
            classes: Vec::new(),
            scale: None,
        }
    }

    fn rare(&self) -> Vec<u32> {
        let rows = 0..self.levels.len() as u32;
        rows.filter(|&i| self.levels[i as usize] > 0).collect()
    }
}

impl RankWeightsParams {
    /// Learns weights of columns, or finds that there should be none.
    ///
    /// # Errors
    /// [`Error::TooFewClasses`] without two classes; [`Error::NoRows`].
    pub fn fit(&self, data: &Dataset) -> Result<RankWeights> {
        let data = without_weightless_rows(data)?;
        ensure_equal_weights(&data)?;
        let task = RankTask::of(&data, self.positive.as_ref())?;
        if task.scale.is_some() {
            return Err(Error::ParameterValue {
                name: "weights",
                value: "levels".to_owned(),
                requirement: "left out for an ordered scale".to_owned(),
            });
        }
        let view = data.samples().view();
        view.ensure_finite()?;
        let (n, width) = (view.n_rows(), view.n_features());
        let mut values = vec![0.0; n * width];
        for (i, row) in values.chunks_exact_mut(width.max(1)).enumerate() {
            view.row(i).write_dense(row);
        }
        let deviations = standardise(&mut values, width);
        let all = Rows {
            values,
            width,
            levels: task.levels,
        };
        let rows = self.thinned(&all);
        let plain = plain_weights(&deviations);
        let chosen = self.choose(&rows, &plain)?;
        let mut out = RankWeights {
            factors: Vec::new(),
            weights: None,
            prices: None,
            validation: (chosen.plain, chosen.best),
            n_rows: rows.levels.len(),
        };
        if let Some((lambda, mu)) = chosen.prices {
            let mut path = self.path(&rows, lambda, &plain)?;
            let at = MUS.iter().position(|&other| other == mu).unwrap_or(0);
            let weights = path.swap_remove(at);
            if weights.iter().any(|&weight| weight > 0.0) {
                out.weights = Some(weights);
                out.prices = Some((lambda, mu));
            }
        }
        let weights = out.weights.as_ref().unwrap_or(&plain);
        let both = weights.iter().zip(&deviations);
        out.factors = both
            .map(|(weight, deviation)| {
                if *deviation > 0.0 {
                    weight / deviation
                } else {
                    0.0
                }
            })
            .collect();
        Ok(out)
    }

    /// All rare rows up to the limit, and others at random.
    fn thinned(&self, rows: &Rows) -> Rows {
        let mut generator = Generator::for_task(self.seed, STREAM);
        let mut draw = |from: Vec<usize>, most: usize| -> Vec<usize> {
            if from.len() <= most {
                return from;
            }
            let drawn = generator.sample(from.len(), most);
            drawn.into_iter().map(|at| from[at]).collect()
        };
        let (rare, others): (Vec<usize>, Vec<usize>) =
            (0..rows.levels.len()).partition(|&i| rows.levels[i] > 0);
        let mut kept = draw(rare, self.max_rare);
        let room = self.max_rows.saturating_sub(kept.len()).max(1);
        kept.extend(draw(others, room));
        kept.sort_unstable();
        rows.select(&kept)
    }

    fn ranking(&self) -> RankingParams {
        let mut params = RankRcParams::default().ranking;
        params.smoothing = self.smoothing;
        params
    }

    /// Weights at one λ for every μ, ascending.
    fn path(&self, rows: &Rows, lambda: f64, start: &[f64]) -> Result<Vec<Vec<f64>>> {
        let mut at = start.to_vec();
        let mut out = Vec::with_capacity(MUS.len());
        for mu in MUS {
            at = self.learn(rows, lambda, mu, at)?;
            let most = at.iter().fold(0.0, |most: f64, z| most.max(*z));
            let counts = |&z: &f64| if z >= THRESHOLD * most { z } else { 0.0 };
            out.push(at.iter().map(counts).collect());
        }
        Ok(out)
    }

    /// Weights at one pair of prices.
    fn learn(&self, rows: &Rows, lambda: f64, mu: f64, start: Vec<f64>) -> Result<Vec<f64>> {
        let mut failure = None;
        let mut function = |weights: &[f64], gradient: &mut [f64]| match self
            .envelope(rows, lambda, weights, gradient)
        {
            Ok(value) => {
                for g in gradient.iter_mut() {
                    *g += mu;
                }
                value + mu * weights.iter().sum::<f64>()
            }
            Err(error) => {
                failure = Some(error);
                f64::INFINITY
            }
        };
        let limits = SmoothLimits {
            gradient_tolerance: 1e-5,
            value_tolerance: 1e-4,
            max_steps: self.max_steps,
            ..SmoothLimits::default()
        };
        let lower = vec![0.0; start.len()];
        let found = descend_above(&mut function, &lower, start, &limits);
        match failure {
            Some(error) => Err(error),
            None => Ok(found.point),
        }
    }

    /// The least $F$ at some weights, and its derivatives by them.
    fn envelope(
        &self,
        rows: &Rows,
        lambda: f64,
        weights: &[f64],
        gradient: &mut [f64],
    ) -> Result<f64> {
        let (ranking, task) = (self.ranking(), rows.task());
        let samples = rows.weighted(weights)?;
        let view = samples.view();
        let basis = rows.rare();
        let kernel = Kernel::rbf(1.0);
        let form = RankRcParams::default().solver;
        let ground = Ground::kernel(&kernel, view, basis.clone(), &task, &ranking, form)?;
        let members: Vec<u32> = (0..rows.levels.len() as u32).collect();
        let few = Error::TooFewClasses {
            needed: 2,
            found: 1,
        };
        let part = ground.part(&members)?.ok_or(few)?;
        let solved = ground
            .solve(&[part], &[lambda], &limits(&ranking, ranking.tolerance))
            .remove(0);
        let scores = ground.design().times(&[&solved.coefficients[..]]).remove(0);
        let Some(loss) = PairwiseHinge::new(&rows.levels, &members, self.smoothing) else {
            return Ok(solved.minimum.value);
        };
        let mut slopes = vec![0.0; scores.len()];
        loss.evaluate(&scores, &mut PairSets::default(), &mut slopes);
        for slope in &mut slopes {
            *slope /= loss.n_pairs();
        }
        for (&row, beta) in basis.iter().zip(&solved.coefficients) {
            slopes[row as usize] += 0.5 * lambda * beta;
        }
        let sums = squared_differences(rows, weights, &basis, &slopes, &solved.coefficients);
        for ((g, weight), sum) in gradient.iter_mut().zip(weights).zip(sums) {
            *g = -2.0 * weight * sum;
        }
        Ok(solved.minimum.value)
    }

    /// Compares weights with none in every fold.
    fn choose(&self, rows: &Rows, plain: &[f64]) -> Result<Verdict> {
        let names = vec![ClassName::Number(0.0), ClassName::Number(1.0)];
        let labels = ClassLabels::new(names, rows.levels.clone())?;
        let rare = rows.rare().len();
        let folds = self.folds.min(rare).min(rows.levels.len() - rare);
        if folds < 2 {
            return Ok(Verdict::default());
        }
        let splits = stratified_folds(&labels, folds, self.seed)?;
        // Of every fold and λ: the areas of all functions, without weights and with those of each μ.
        let areas = try_map(splits.len() * LAMBDAS.len(), Grain::ONE, &|at| {
            let (split, lambda) = (&splits[at / LAMBDAS.len()], LAMBDAS[at % LAMBDAS.len()]);
            let train = rows.select(&split.train);
            let mut all = Vec::new();
            if at % LAMBDAS.len() == 0 {
                all.push(self.areas(rows, &split.train, &split.test, plain)?);
            } else {
                all.push(Vec::new());
            }
            for weights in self.path(&train, lambda, plain)? {
                all.push(self.areas(rows, &split.train, &split.test, &weights)?);
            }
            Ok::<_, Error>(all)
        })?;
        Ok(verdict(&areas, splits.len()))
    }

    /// Areas under the curve of the test rows for every λ, with some weights; empty where they
    /// cannot be told.
    fn areas(
        &self,
        rows: &Rows,
        train: &[usize],
        test: &[usize],
        weights: &[f64],
    ) -> Result<Vec<f64>> {
        if weights.iter().all(|&weight| weight == 0.0) {
            return Ok(Vec::new());
        }
        let (ranking, task) = (self.ranking(), rows.task());
        let samples = rows.weighted(weights)?;
        let numbers = |rows: &[usize]| rows.iter().map(|&i| i as u32).collect::<Vec<u32>>();
        let (members, test) = (numbers(train), numbers(test));
        let basis: Vec<u32> = members
            .iter()
            .copied()
            .filter(|&i| rows.levels[i as usize] > 0)
            .collect();
        let form = RankRcParams::default().solver;
        let kernel = Kernel::rbf(1.0);
        let ground = Ground::kernel(&kernel, samples.view(), basis, &task, &ranking, form)?;
        let Some(part) = ground.part(&members)? else {
            return Ok(Vec::new());
        };
        let lambdas: Vec<f64> = EXPONENTS.rev().map(|k| 4f64.powi(k)).collect();
        let solved = ground.solve(&[part], &lambdas, &limits(&ranking, ranking.tolerance));
        let coefficients: Vec<&[f64]> = solved.iter().map(|s| &s.coefficients[..]).collect();
        let scores = ground.design().times(&coefficients);
        let area = |scores: &Vec<f64>| {
            measure(SearchMetric::Auc, &rows.levels, &test, scores).unwrap_or(0.5)
        };
        Ok(scores.iter().map(area).collect())
    }
}

/// What cross-validation says.
#[derive(Debug, Default)]
struct Verdict {
    plain: f64,
    best: f64,
    prices: Option<(f64, f64)>,
}

/// The best mean over the folds with weights, and whether it is above that without by more than the
/// standard error of the difference. `areas`: of every fold, of every λ, without weights and for
/// every μ, for each λ that judges.
fn verdict(areas: &[Vec<Vec<f64>>], folds: usize) -> Verdict {
    let best_of = |values: &[&[f64]]| -> Option<(f64, Vec<f64>)> {
        if values.iter().any(|of_fold| of_fold.is_empty()) {
            return None;
        }
        let means = (0..values[0].len()).map(|k| {
            let of_folds: Vec<f64> = values.iter().map(|of_fold| of_fold[k]).collect();
            (of_folds.iter().sum::<f64>() / folds as f64, of_folds)
        });
        means.max_by(|a, b| a.0.total_cmp(&b.0))
    };
    let n = LAMBDAS.len();
    let of = |lambda: usize, slot: usize| -> Vec<&[f64]> {
        let slots = (0..folds).map(|fold| &areas[fold * n + lambda][slot][..]);
        slots.collect()
    };
    let Some((plain, plain_folds)) = best_of(&of(0, 0)) else {
        return Verdict::default();
    };
    let mut out = Verdict {
        plain,
        best: plain,
        prices: None,
    };
    for (row, lambda) in LAMBDAS.into_iter().enumerate() {
        for (column, mu) in MUS.into_iter().enumerate() {
            let Some((mean, of_folds)) = best_of(&of(row, column + 1)) else {
                continue;
            };
            let gains = of_folds.iter().zip(&plain_folds).map(|(a, b)| a - b);
            let squares: f64 = gains.map(|gain| (gain - (mean - plain)).powi(2)).sum();
            let error = (squares / (folds as f64 - 1.0) / folds as f64).sqrt();
            if mean > out.best && mean - plain > error {
                out.best = mean;
                out.prices = Some((lambda, mu));
            }
        }
    }
    out
}

/// Mean 0 and variance 1 in every column, zeros where it is constant; returns the deviations.
fn standardise(values: &mut [f64], width: usize) -> Vec<f64> {
    /// Deviation, as a share of the largest entry, that is rounding.
    const ROUNDING: f64 = 1e-13;
    let n = (values.len() / width.max(1)) as f64;
    (0..width)
        .map(|f| {
            let column = || values.iter().skip(f).step_by(width);
            let most = column().fold(0.0f64, |most, x| most.max(x.abs()));
            let mean = column().map(|x| x / n).sum::<f64>();
            let share = |x: &f64| if most > 0.0 { (x - mean) / most } else { 0.0 };
            let spread = column().map(|x| share(x).powi(2) / n).sum::<f64>().sqrt();
            let deviation = if spread > ROUNDING {
                spread * most
            } else {
                0.0
            };
            for x in values.iter_mut().skip(f).step_by(width) {
                *x = if deviation > 0.0 {
                    (*x - mean) / deviation
                } else {
                    0.0
                };
            }
            deviation
        })
        .collect()
}

/// Weights with which the kernel is as wide as the mean squared distance.
fn plain_weights(deviations: &[f64]) -> Vec<f64> {
    let varying = deviations
        .iter()
        .filter(|&&deviation| deviation > 0.0)
        .count();
    let weight = 1.0 / (2.0 * varying.max(1) as f64).sqrt();
    let of = |&deviation: &f64| if deviation > 0.0 { weight } else { 0.0 };
    deviations.iter().map(of).collect()
}

/// $\sum_{ij} a_i\beta_j k_{ij}(x_{il} - x_{jl})^2$ for every column.
fn squared_differences(
    rows: &Rows,
    weights: &[f64],
    basis: &[u32],
    a: &[f64],
    beta: &[f64],
) -> Vec<f64> {
    let (width, m) = (rows.width, basis.len());
    let of_basis: Vec<usize> = basis.iter().map(|&i| i as usize).collect();
    let basis = rows.select(&of_basis).values;
    let multiplied = |rows: &[f64]| -> Vec<f64> {
        let terms = rows
            .chunks_exact(width.max(1))
            .flat_map(|row| row.iter().zip(weights));
        terms.map(|(x, z)| x * z).collect()
    };
    let others = multiplied(&basis);
    let norms: Vec<f64> = others
        .chunks_exact(width)
        .map(|row| dot(row, row))
        .collect();
    let n = rows.levels.len();
    let parts = map(n.div_ceil(BLOCK_ROWS), Grain::COARSE, &|block| {
        let first = block * BLOCK_ROWS;
        let last = n.min(first + BLOCK_ROWS);
        let raw = &rows.values[first * width..last * width];
        let own = multiplied(raw);
        let mut tile = vec![0.0; (last - first) * m];
        product_transposed(&own, &others, width, &mut tile);
        let mut column_sums = vec![0.0; m];
        let mut row_sums = Vec::with_capacity(last - first);
        for (k, tile) in tile.chunks_exact_mut(m).enumerate() {
            let row = &own[k * width..(k + 1) * width];
            gaussian_tile(tile, dot(row, row), &norms);
            let mut sum = 0.0;
            for ((value, beta), column) in tile.iter_mut().zip(beta).zip(&mut column_sums) {
                *value *= a[first + k] * beta;
                *column += *value;
                sum += *value;
            }
            row_sums.push(sum);
        }
        let mut products = vec![0.0; raw.len()];
        product(&tile, &basis, m, width, &mut products);
        let mut sums = vec![0.0; width];
        let each = raw.chunks_exact(width).zip(products.chunks_exact(width));
        for ((row, products), row_sum) in each.zip(row_sums) {
            for ((sum, x), product) in sums.iter_mut().zip(row).zip(products) {
                *sum += x * (row_sum * x - 2.0 * product);
            }
        }
        (sums, column_sums)
    });
    let mut sums = vec![0.0; width];
    for (part, column_sums) in parts {
        for (sum, part) in sums.iter_mut().zip(part) {
            *sum += part;
        }
        for (row, column) in basis.chunks_exact(width).zip(column_sums) {
            for (sum, x) in sums.iter_mut().zip(row) {
                *sum += column * x * x;
            }
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(n: usize, width: usize, seed: u64) -> Rows {
        let mut generator = Generator::new(seed);
        let values: Vec<f64> = (0..n * width).map(|_| generator.normal()).collect();
        let level = |row: &[f64]| u32::from(row[0] * row[1] > 0.8);
        Rows {
            levels: values.chunks_exact(width).map(level).collect(),
            values,
            width,
        }
    }

    #[test]
    fn derivatives_by_the_weights_are_those_of_differences() {
        let params = RankWeightsParams::default();
        let rows = rows(90, 4, 1);
        let weights = [0.5, 0.3, 0.2, 0.4];
        let mut gradient = [0.0; 4];
        let mut spare = [0.0; 4];
        let at = |weights: &[f64], out: &mut [f64]| {
            params.envelope(&rows, 0.01, weights, out).expect("a value")
        };
        at(&weights, &mut gradient);
        for f in 0..4 {
            let (mut up, mut down) = (weights, weights);
            up[f] += 1e-3;
            down[f] -= 1e-3;
            let slope = (at(&up, &mut spare) - at(&down, &mut spare)) / 2e-3;
            assert!(
                (slope - gradient[f]).abs() < 1e-4 * (1.0 + slope.abs()),
                "{f}: {slope}"
            );
        }
    }
}
