//! Kernel Fisher discriminant (KFDA) and kernel QPFS (KQPFS): one direction of a kernel space.
//!
//! With the kernel values $k_i \in \mathbb{R}^m$ of row $i$ and the centres, the means $b_c$ of the classes
//! and $\bar b$ of all rows,
//! $$W = \sum_c \sum_{i\in c} (k_i - b_c)(k_i - b_c)^\top, \qquad Q = \sum_i (k_i - \bar b)(k_i - \bar b)^\top,\qquad
//!   F = \sum_i y_i (k_i - \bar b),$$
//! the two directions are $\alpha = (W + \mu P)^{-1}(b_+ - b_-)$ and $\alpha = (Q + \mu P)^{-1} F$ with $P = I$ or
//! $P = K$. They are the same but for a factor: $Q = W + c\,(b_+ - b_-)(b_+ - b_-)^\top$ and
//! $F = 2c\,(b_+ - b_-)$ with $c = N_+N_-/N$, hence $\alpha^{\mathrm{KQPFS}} = \kappa\,\alpha^{\mathrm{KFDA}}$,
//! $\kappa = 2c/(1 + c\,(b_+ - b_-)^\top\alpha^{\mathrm{KFDA}})$.
//!
//! | document | here |
//! |---|---|
//! | $B_\pm$ | `means` |
//! | $W$, $Q_K$ | `scatter` |
//! | $\mu_W$, $\mu_Q$ | `ridge` |
//! | $\mu_K$ | `ridge` with `penalty` = rkhs |
//! | Eq. 4.18 | `rule` = bias |

use super::calibration::calibrated;
use super::centres;
use super::design::Design;
use super::fit::class_rows;
use super::model::{Figures, ProximalModel, ProximalParts};
use super::params::gaussian;
use super::words::{CentreWord, FisherPenalty, FisherRule, RidgeUnit};
use crate::data::{Dataset, SamplesView, numbers_of_weighty, without_weightless_rows};
use crate::error::ensure_memory;
use crate::estimator::estimator;
use crate::kernel::{Expansion, Kernel, KernelSpec, Machine, keep_rows};
use crate::linalg::{DefiniteFactor, dot, mirror_upper, raised_factor};
use crate::machines::{ClassRows, Multiclass};
use crate::method::{Card, KERNELS, PythonClass};
use crate::params::params;
use crate::{Error, Fitted, Report, Result, Status};
use serde::{Deserialize, Serialize};
use std::time::Instant;

/// δ of the selection of centres.
const CHUNK_DELTA: f64 = 1e-3;

/// What both methods share.
#[params(heading = "Direction")]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DirectionParams {
    /// Weight of the penalty, μ; raised where the matrix is singular.
    #[param(default = 1e-3, least = 0.0, tunable)]
    pub ridge: f64,
    /// Unit of the ridge.
    #[param(default = RidgeUnit::Absolute)]
    pub ridge_unit: RidgeUnit,
    /// What is penalised.
    #[param(default = FisherPenalty::Coefficient)]
    pub penalty: FisherPenalty,
    /// Where the direction of two classes is cut.
    #[param(default = FisherRule::NearestMean)]
    pub rule: FisherRule,
    /// The kernel.
    #[param(default = gaussian(), flatten)]
    pub kernel: KernelSpec,
    /// Which rows have a kernel function.
    #[param(default = CentreWord::All)]
    pub centres: CentreWord,
    /// Number of kernel functions, if not all rows have one.
    #[param(least = 1, unless = "1000, or those that a selection keeps")]
    pub centre_count: Option<usize>,
    /// Calibrate, so that the model can tell probabilities; costs a cross-validation.
    #[param(default = false, switch = 'b')]
    pub probability: bool,
    /// Memory for matrices in MB; a problem that needs more is refused before it starts.
    #[param(default = 2048.0, above = 0.0, most = 1e9, short = 'm', unsaid)]
    pub memory_mb: f64,
    /// Seed of everything random: centres, folds of the calibration.
    #[param(python = "random_state", no_option)]
    pub seed: u64,
}

/// KFDA: the direction with the largest distance of class means relative to the spread within
/// classes; see the source of the module for the formulas.
#[params]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KfdaParams {
    /// What both methods share.
    #[param(flatten)]
    pub direction: DirectionParams,
}

/// KQPFS: quadratic-programming feature selection with covariances, in kernel space; the same
/// direction as KFDA.
#[params]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KqpfsParams {
    /// What both methods share.
    #[param(flatten)]
    pub direction: DirectionParams,
}

/// How far the two directions of two classes agree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Equivalence {
    /// Cosine of the angle between the coefficients.
    pub cosine: f64,
    /// The same of the values at the training rows, less their means: what counts where coefficients
    /// are not unique.
    pub projected: f64,
    /// Length of KQPFS' coefficients over that of KFDA's.
    pub ratio: f64,
    /// What it should be.
    pub kappa: f64,
}

impl KfdaParams {
    /// Trains on the rows with a positive weight, which must be the same for all.
    ///
    /// # Errors
    /// [`Error::Memory`] if the matrices would not fit.
    pub fn fit(&self, data: &Dataset) -> Result<Fitted<ProximalModel>> {
        self.check()?;
        fit(&self.direction, false, data)
    }

    /// Solves both problems of two classes and compares the directions.
    pub fn equivalence(&self, data: &Dataset) -> Result<Equivalence> {
        self.check()?;
        let data = without_weightless_rows(data)?;
        let work = Work::new(&self.direction, &data)?;
        let means = work.means()?;
        if means.len() != 2 {
            return Err(Error::TooFewClasses {
                needed: 2,
                found: means.len(),
            });
        }
        let (first, _) = work.fisher(&means)?;
        let (second, _) = work.quadratic()?;
        let (a, b) = (&first[0], &second[0]);
        let sizes = [dot(a, a).sqrt(), dot(b, b).sqrt()];
        let (p, q) = (work.projected(a)?, work.projected(b)?);
        let counts: Vec<f64> = work.rows.members.iter().map(|m| m.len() as f64).collect();
        let c = counts[0] * counts[1] / (counts[0] + counts[1]);
        let gap: Vec<f64> = means[0].iter().zip(&means[1]).map(|(a, b)| a - b).collect();
        Ok(Equivalence {
            cosine: dot(a, b) / (sizes[0] * sizes[1]),
            projected: dot(&p, &q) / (dot(&p, &p) * dot(&q, &q)).sqrt(),
            ratio: sizes[1] / sizes[0],
            kappa: 2.0 * c / (1.0 + c * dot(&gap, a)),
        })
    }
}

impl KqpfsParams {
    /// As [`KfdaParams::fit`].
    pub fn fit(&self, data: &Dataset) -> Result<Fitted<ProximalModel>> {
        self.check()?;
        fit(&self.direction, true, data)
    }
}

fn fit(params: &DirectionParams, quadratic: bool, data: &Dataset) -> Result<Fitted<ProximalModel>> {
    let start = Instant::now();
    let given = data;
    let data = without_weightless_rows(data)?;
    let (mut model, kept) = Work::new(params, &data)?.model(quadratic)?;
    if params.probability {
        let again = |part: &Dataset| Ok(Work::new(params, part)?.model(quadratic)?.0);
        model = calibrated(model, &data, params.seed, again)?;
    }
    let kept: Vec<usize> = kept.iter().map(|&row| row as usize).collect();
    let report = Report {
        status: Status::Converged,
        iterations: 1,
        objective: 0.0,
        support_vectors: kept.len(),
        bounded: 0,
        seconds: start.elapsed().as_secs_f64(),
    };
    Ok(Fitted::new(model, report).with_support(numbers_of_weighty(given, &kept)))
}

/// A fit under way.
struct Work<'a> {
    params: &'a DirectionParams,
    view: SamplesView<'a>,
    rows: ClassRows,
    kernel: Kernel,
    centres: Vec<u32>,
    design: Design<'a>,
}

/// Directions with the ridge that was needed beside the one asked for.
type Directions = (Vec<Vec<f64>>, f64);

impl<'a> Work<'a> {
    fn new(params: &'a DirectionParams, data: &'a Dataset) -> Result<Self> {
        let rows = class_rows(data)?;
        let view = data.samples().view();
        let kernel = params.kernel.resolve(view, params.seed)?;
        let centres = match params.centres {
            CentreWord::Chunk => {
                centres::of_chunk(&params.kernel, CHUNK_DELTA, params.centre_count, data)?
            }
            word => centres::choose(word, params.centre_count, &kernel, view, params.seed)?,
        };
        // The matrix, its raised copy and the factor.
        let order = centres.len() as u64 + 1;
        let allowed = (params.memory_mb * f64::from(1 << 20)) as u64;
        ensure_memory(
            "the scatter matrix of the kernel values",
            24 * order * order,
            allowed,
        )?;
        Ok(Self {
            design: Design::of_kernel(&kernel, view, centres.clone())?,
            params,
            view,
            rows,
            kernel,
            centres,
        })
    }

    fn order(&self) -> usize {
        self.centres.len()
    }

    /// Means of the classes.
    fn means(&self) -> Result<Vec<Vec<f64>>> {
        let mean = |rows: &Vec<u32>| {
            let mut mean = self.design.mean(rows)?;
            mean.pop();
            Ok(mean)
        };
        self.rows.members.iter().map(mean).collect()
    }

    /// The factor of a scatter matrix with its ridge. The last row and column, of the −1, are cut.
    fn factor(&self, mut sums: Vec<f64>) -> Result<(DefiniteFactor, f64)> {
        let (m, wide) = (self.order(), self.order() + 1);
        mirror_upper(&mut sums, wide);
        for i in 0..m {
            sums.copy_within(i * wide..i * wide + m, i * m);
        }
        sums.truncate(m * m);
        let unit = match self.params.ridge_unit {
            RidgeUnit::Absolute => 1.0,
            RidgeUnit::Trace => (0..m).map(|i| sums[i * m + i]).sum::<f64>() / m.max(1) as f64,
        };
        let ridge = self.params.ridge * unit;
        match self.params.penalty {
            FisherPenalty::Coefficient => {
                for i in 0..m {
                    sums[i * m + i] += ridge;
                }
            }
            FisherPenalty::Rkhs => {
                let mut block = vec![0.0; m * wide];
                self.design.write(&self.centres, &mut block)?;
                for (row, values) in sums.chunks_mut(m).zip(block.chunks(wide)) {
                    for (sum, k) in row.iter_mut().zip(values) {
                        *sum += ridge * k;
                    }
                }
            }
        }
        let (factor, raised) = raised_factor(m, &sums).ok_or(Error::SingularPencil)?;
        if raised > 0.0 {
            tracing::info!(
                ridge = raised,
                "the scatter matrix is singular: ridge raised"
            );
        }
        Ok((factor, raised))
    }

    /// $W^{-1}(b_0 - b_1)$ of two classes, of more $W^{-1}(b_c - \bar b)$ for each.
    fn fisher(&self, means: &[Vec<f64>]) -> Result<Directions> {
        let wide = self.order() + 1;
        let mut sums = vec![0.0; wide * wide];
        for (rows, mean) in self.rows.members.iter().zip(means) {
            let mut mean = mean.clone();
            mean.push(-1.0);
            self.design.add_centred_gram(rows, Some(&mean), &mut sums)?;
        }
        let (factor, raised) = self.factor(sums)?;
        let centre = self.centre(means);
        let targets: Vec<Vec<f64>> = if means.len() == 2 {
            vec![means[0].iter().zip(&means[1]).map(|(a, b)| a - b).collect()]
        } else {
            let gap = |mean: &Vec<f64>| mean.iter().zip(&centre).map(|(a, b)| a - b).collect();
            means.iter().map(gap).collect()
        };
        Ok((solved(&factor, targets), raised))
    }

    /// The mean of all rows, from those of the classes.
    fn centre(&self, means: &[Vec<f64>]) -> Vec<f64> {
        let total = self.rows.class_of_row.len() as f64;
        let mut centre = vec![0.0; self.order()];
        for (mean, rows) in means.iter().zip(&self.rows.members) {
            let share = rows.len() as f64 / total;
            for (sum, x) in centre.iter_mut().zip(mean) {
                *sum += share * x;
            }
        }
        centre
    }

    /// $Q^{-1} F$ of two classes, of more that of each class against the rest.
    fn quadratic(&self) -> Result<Directions> {
        let all: Vec<u32> = (0..self.rows.class_of_row.len() as u32).collect();
        let mean = self.design.mean(&all)?;
        let wide = self.order() + 1;
        let mut sums = vec![0.0; wide * wide];
        self.design.add_centred_gram(&all, Some(&mean), &mut sums)?;
        let (factor, raised) = self.factor(sums)?;
        let k = self.rows.members.len();
        let n_targets = if k == 2 { 1 } else { k };
        let targets = (0..n_targets)
            .map(|c| {
                // y is 1 in the class and −1 elsewhere; its mean drops out.
                let own = &self.rows.members[c];
                let of_class = self.design.mean(own)?;
                let weight = 2.0 * own.len() as f64;
                let gap = of_class.iter().zip(&mean).take(self.order());
                Ok(gap.map(|(a, b)| weight * (a - b)).collect())
            })
            .collect::<Result<Vec<Vec<f64>>>>()?;
        Ok((solved(&factor, targets), raised))
    }

    /// Values of a direction at all rows, less their mean.
    fn projected(&self, direction: &[f64]) -> Result<Vec<f64>> {
        let wide = self.order() + 1;
        let mut row = vec![0.0; wide];
        let mut values = Vec::new();
        for i in 0..self.rows.class_of_row.len() as u32 {
            self.design.write(&[i], &mut row)?;
            values.push(dot(&row[..wide - 1], direction));
        }
        let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
        for value in &mut values {
            *value -= mean;
        }
        Ok(values)
    }

    /// The model and the rows that it keeps.
    fn model(&self, quadratic: bool) -> Result<(ProximalModel, Vec<u32>)> {
        let means = self.means()?;
        let (mut directions, raised) = if quadratic {
            self.quadratic()?
        } else {
            self.fisher(&means)?
        };
        let centre = self.centre(&means);
        let thresholds: Vec<f64> = if means.len() == 2 {
            vec![self.cut(&mut directions[0], &means, &centre)]
        } else if quadratic {
            let each = directions.iter_mut().enumerate();
            each.map(|(c, direction)| self.cut_rest(c, direction, &means, &centre))
                .collect()
        } else {
            let each = directions.iter().zip(&means);
            each.map(|(direction, mean)| 0.5 * (dot(direction, mean) + dot(direction, &centre)))
                .collect()
        };
        let machine = |(coefficients, rho): (Vec<f64>, f64)| Machine {
            support: (0..self.order() as u32).collect(),
            coefficients,
            rho,
        };
        let rows: Vec<usize> = self.centres.iter().map(|&row| row as usize).collect();
        let n = directions.len();
        let expansion = Expansion {
            kernel: self.kernel.clone(),
            n_features: self.view.n_features(),
            support_vectors: keep_rows(&self.kernel, self.view, &rows)?,
            machines: directions
                .into_iter()
                .zip(thresholds)
                .map(machine)
                .collect(),
        };
        let model = ProximalModel::from_parts(ProximalParts {
            expansion,
            classes: self.rows.names.clone(),
            tie: 0,
            multiclass: Multiclass::OneVsRest,
            figures: Figures::Directions {
                ridges: vec![raised; n],
            },
            sigmoids: None,
        })?;
        Ok((model, self.centres.clone()))
    }

    /// The threshold of the direction of two classes, which is scaled so that the projected means
    /// lie 2 apart.
    fn cut(&self, direction: &mut [f64], means: &[Vec<f64>], centre: &[f64]) -> f64 {
        scale(direction, &means[0], &means[1]);
        match self.params.rule {
            FisherRule::NearestMean => {
                0.5 * (dot(direction, &means[0]) + dot(direction, &means[1]))
            }
            FisherRule::Bias => {
                let counts = self.rows.members.iter().map(|m| m.len() as f64);
                let counts: Vec<f64> = counts.collect();
                let label = (counts[0] - counts[1]) / (counts[0] + counts[1]);
                dot(direction, centre) - label
            }
        }
    }

    /// As [`Work::cut`], of a class and the rest.
    fn cut_rest(
        &self,
        class: usize,
        direction: &mut [f64],
        means: &[Vec<f64>],
        centre: &[f64],
    ) -> f64 {
        let share = self.rows.members[class].len() as f64 / self.rows.class_of_row.len() as f64;
        let rest: Vec<f64> = centre
            .iter()
            .zip(&means[class])
            .map(|(all, own)| (all - share * own) / (1.0 - share))
            .collect();
        scale(direction, &means[class], &rest);
        0.5 * (dot(direction, &means[class]) + dot(direction, &rest))
    }
}

/// Scales a direction so that two projected means lie 2 apart; one that does not part them stays.
fn scale(direction: &mut [f64], first: &[f64], second: &[f64]) {
    let apart = dot(direction, first) - dot(direction, second);
    if apart > 0.0 && apart.is_finite() {
        for x in direction.iter_mut() {
            *x *= 2.0 / apart;
        }
    }
}

fn solved(factor: &DefiniteFactor, targets: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let solve = |mut target: Vec<f64>| {
        factor.solve(&mut target);
        target
    };
    targets.into_iter().map(solve).collect()
}

impl KfdaParams {
    /// Sets the kernel.
    pub fn with_kernel(mut self, kernel: impl Into<KernelSpec>) -> Self {
        self.direction.kernel = kernel.into();
        self
    }
}

const GRID: &[&str] = &["ridge=1e-5,1e-3,1e-1,10", "gamma=2^-9:2:5"];

estimator!(KfdaParams => ProximalModel, [Card {
    name: "kfda",
    about: "KFDA: kernel Fisher discriminant, the nearest projected class mean",
    grid: GRID,
    kernels: KERNELS,
    page: "proximal",
    python: PythonClass {
        name: "KernelFisherDiscriminant",
        base: "DirectionClassifier",
        about: "Kernel Fisher discriminant: the nearest projected class mean.",
        ..PythonClass::PLAIN
    },
    ..Card::PLAIN
}]);

estimator!(KqpfsParams => ProximalModel, [Card {
    name: "kqpfs",
    about: "KQPFS: quadratic-programming selection in kernel space; the direction of kfda",
    grid: GRID,
    kernels: KERNELS,
    page: "proximal",
    python: PythonClass {
        name: "KernelQPFS",
        base: "DirectionClassifier",
        about: "Quadratic-programming feature selection in kernel space.\n\nA direction, equal to \
                that of the kernel Fisher discriminant but for its length.",
        ..PythonClass::PLAIN
    },
    ..Card::PLAIN
}]);
