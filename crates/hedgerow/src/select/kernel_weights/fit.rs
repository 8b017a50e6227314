//! From data to weights.

use super::alternate::{Found, Search, WeightStep, support};
use super::block::{Penalised, Problem};
use super::full::FullSpace;
use super::grid::{AtPair, Grid, Rows};
use super::kernel::{BLOCK_ROWS, Points, WeightedKernel, squared_norms};
use super::machine::{Losses, Machine};
use super::params::{KernelWeightsParams, WeightStart, WeightingMethod};
use super::saddle::Saddle;
use super::start::start;
use crate::data::{Dataset, Generator, SamplesView};
use crate::error::ensure_memory;
use crate::linalg::dot;
use crate::parallel::concat;
use crate::select::Ranking;
use crate::{Error, Result, Status};

/// Rows up to which second-order conditions are always looked at.
const QUICK_ROWS: usize = 500;

/// What was found for one class against the others.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ClassWeights {
    /// Code of the class that is positive.
    pub class: u32,
    /// Weight of every standardised feature; 0 below a hundredth of the largest.
    pub weights: Vec<f64>,
    /// $\Omega$ before small weights became 0.
    pub objective: f64,
    /// Round after round.
    pub trace: Vec<WeightStep>,
    /// Second-order conditions at the end, for up to 500 rows, 1500 where labels were asked for.
    pub saddle: Option<Saddle>,
    /// Where the search began that was best.
    pub start: WeightStart,
    /// The machine trained with the weights.
    machine: WeightedMachine,
}

/// $f(x) = \sum_j \beta_j k(x_j, x) + b$ of standardised features.
#[derive(Debug, Clone)]
struct WeightedMachine {
    features: Vec<u32>,
    weights: Vec<f64>,
    /// Weighted features of the rows of the kernel functions.
    rows: Vec<f64>,
    coefficients: Vec<f64>,
    bias: f64,
}

/// Weights of features, and machines trained with them.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct KernelWeights {
    /// Weight of every standardised feature, of several classes the largest.
    pub weights: Vec<f64>,
    /// What features as they came are multiplied by: the weight divided by the standard deviation.
    pub factors: Vec<f64>,
    /// All features by descending weight.
    pub ranking: Ranking,
    /// One class against the other, or each against the rest.
    pub classes: Vec<ClassWeights>,
    /// Price of a violated margin.
    pub cost: f64,
    /// Price of a weight.
    pub mu: f64,
    /// Error in cross-validation, if prices were chosen so.
    pub validation_error: Option<f64>,
    /// Whether every search converged.
    pub status: Status,
    kernel: WeightedKernel,
    means: Vec<f64>,
    deviations: Vec<f64>,
}

/// Rows and classes as the search wants them.
pub(super) struct Prepared {
    pub(super) points: Points,
    pub(super) codes: Vec<u32>,
    /// Codes of the classes that stand against the rest; one for two classes.
    pub(super) positives: Vec<u32>,
    means: Vec<f64>,
    deviations: Vec<f64>,
}

impl Prepared {
    fn new(data: &Dataset) -> Result<Self> {
        let labels = data.classes()?;
        let view = data.samples().view();
        if view.n_rows() == 0 {
            return Err(Error::NoRows);
        }
        view.ensure_finite()?;
        let counts = labels.counts();
        let present: Vec<u32> = (0..counts.len() as u32)
            .filter(|&code| counts[code as usize] > 0)
            .collect();
        if present.len() < 2 {
            return Err(Error::TooFewClasses {
                needed: 2,
                found: present.len(),
            });
        }
        let (means, deviations) = moments(view);
        Ok(Self {
            points: Points::new(view, &means, &deviations),
            codes: labels.codes().to_vec(),
            positives: if present.len() == 2 {
                vec![present[1]]
            } else {
                present
            },
            means,
            deviations,
        })
    }

    pub(super) fn signs(&self, positive: u32) -> Vec<f64> {
        let sign = |&code: &u32| if code == positive { 1.0 } else { -1.0 };
        self.codes.iter().map(sign).collect()
    }
}

/// Means and standard deviations of columns; a deviation that is rounding is 0.
fn moments(view: SamplesView<'_>) -> (Vec<f64>, Vec<f64>) {
    /// Deviation, as a share of the largest entry, that is rounding.
    const ROUNDING: f64 = 1e-13;
    let (n, d) = (view.n_rows(), view.n_features());
    let mut row = vec![0.0; d];
    let (mut means, mut squares, mut most) = (vec![0.0; d], vec![0.0; d], vec![0.0f64; d]);
    for i in 0..n {
        view.row(i).write_dense(&mut row);
        for (f, value) in row.iter().enumerate() {
            // Scaled as it is summed: no overflow for large entries.
            means[f] += value / n as f64;
            most[f] = most[f].max(value.abs());
        }
    }
    for i in 0..n {
        view.row(i).write_dense(&mut row);
        for (f, value) in row.iter().enumerate() {
            let off = if most[f] > 0.0 {
                (value - means[f]) / most[f]
            } else {
                0.0
            };
            squares[f] += off * off / n as f64;
        }
    }
    let deviations = (0..d)
        .map(|f| {
            let share = squares[f].sqrt();
            if share > ROUNDING {
                share * most[f]
            } else {
                0.0
            }
        })
        .collect();
    (means, deviations)
}

impl KernelWeightsParams {
    /// Finds weights.
    ///
    /// # Errors
    /// If the data have fewer than two classes or no rows, if kernel values need more memory than
    /// given, or if every weight became 0.
    pub fn fit(&self, data: &Dataset) -> Result<KernelWeights> {
        self.check()?;
        let prepared = Prepared::new(data)?;
        self.ensure_fits(prepared.points.n, prepared.points.d)?;
        let prices = self.prices(&prepared)?;
        let (_, mu) = prices.grid.pair(prices.chosen);
        let mut all = self.at_pairs(&prepared, &prices.grid, &[prices.chosen], prices.error)?;
        all.pop().flatten().ok_or(Error::NoWeightLeft { mu })
    }

    /// Finds weights for every price $C$ with every price $\mu$, $C$ by $C$: searches at
    /// neighbouring prices help each other. `None` where every weight became 0.
    ///
    /// # Errors
    /// As [`Self::fit`].
    pub fn fit_grid(
        &self,
        data: &Dataset,
        costs: &[f64],
        mus: &[f64],
    ) -> Result<Vec<Option<KernelWeights>>> {
        self.check()?;
        for &cost in costs {
            crate::error::ensure_positive("cost", cost)?;
        }
        for &mu in mus {
            crate::error::ensure_not_negative("mu", mu)?;
        }
        let prepared = Prepared::new(data)?;
        self.ensure_fits(prepared.points.n, prepared.points.d)?;
        let mut ascending = mus.to_vec();
        ascending.sort_by(f64::total_cmp);
        let grid = Grid {
            costs: costs.to_vec(),
            mus: vec![ascending.clone(); costs.len()],
        };
        let place = |mu: &f64| ascending.iter().position(|other| other == mu);
        let columns: Vec<usize> = mus.iter().filter_map(place).collect();
        let all = (0..costs.len()).flat_map(|row| columns.iter().map(move |c| row * mus.len() + c));
        self.at_pairs(&prepared, &grid, &all.collect::<Vec<usize>>(), None)
    }

    /// What is found at some pairs of a grid, all of which is searched.
    fn at_pairs(
        &self,
        prepared: &Prepared,
        grid: &Grid,
        wanted: &[usize],
        error: Option<f64>,
    ) -> Result<Vec<Option<KernelWeights>>> {
        let landmarks = self.landmarks_of(prepared.points.n);
        let mut of_pairs = vec![Vec::new(); wanted.len()];
        for &positive in &prepared.positives {
            let signs = prepared.signs(positive);
            let rows = Rows {
                points: &prepared.points,
                signs: &signs,
                landmarks: landmarks.as_deref(),
            };
            let found = self.on_grid(rows, grid)?;
            for (&at, classes) in wanted.iter().zip(&mut of_pairs) {
                classes.push(self.class(rows, grid.pair(at), positive, &found[at])?);
            }
        }
        let joined = wanted.iter().zip(of_pairs);
        let joined = joined.map(|(&at, found)| self.join(prepared, found, grid.pair(at), error));
        Ok(joined.collect())
    }

    /// The classes together; `None` if no feature has a weight.
    fn join(
        &self,
        prepared: &Prepared,
        found: Vec<(ClassWeights, Status)>,
        (cost, mu): (f64, f64),
        validation_error: Option<f64>,
    ) -> Option<KernelWeights> {
        let statuses = found.iter().map(|(_, status)| *status);
        let status = statuses.fold(Status::Converged, Status::and);
        let classes: Vec<ClassWeights> = found.into_iter().map(|(class, _)| class).collect();
        let mut weights = vec![0.0; prepared.points.d];
        for class in &classes {
            for (weight, own) in weights.iter_mut().zip(&class.weights) {
                *weight = f64::max(*weight, *own);
            }
        }
        if weights.iter().all(|&weight| weight == 0.0) {
            return None;
        }
        let factors = weights
            .iter()
            .zip(&prepared.deviations)
            .map(|(weight, deviation)| {
                if *deviation > 0.0 {
                    weight / deviation
                } else {
                    0.0
                }
            })
            .collect();
        Some(KernelWeights {
            ranking: Ranking::by_score(&weights, &[]),
            weights,
            factors,
            classes,
            cost,
            mu,
            validation_error,
            status,
            kernel: self.kernel,
            means: prepared.means.clone(),
            deviations: prepared.deviations.clone(),
        })
    }

    /// Refuses problems whose matrices do not fit, before anything is computed.
    fn ensure_fits(&self, n: usize, d: usize) -> Result<()> {
        let columns = self.landmarks.map_or(n, |count| count.min(n));
        // The matrix of the machine, its factor, and two of the weights.
        let kernel = 8 * 4 * n as u64 * columns as u64;
        let full = match self.method {
            WeightingMethod::Full => FullSpace::bytes(n, d),
            _ => 0,
        };
        let rows = 8 * 4 * n as u64 * d as u64;
        ensure_memory(
            "kernel values of all rows (landmarks take less)",
            kernel + full + rows,
            self.max_bytes,
        )
    }

    /// What was found for one class against the rest, with the machine at the weights that count.
    fn class(
        &self,
        rows: Rows<'_>,
        prices: (f64, f64),
        class: u32,
        (found, start): &AtPair,
    ) -> Result<(ClassWeights, Status)> {
        let search = self.search(rows, prices);
        let saddle = if self.labels || rows.points.n <= QUICK_ROWS {
            search.saddle_at(&found.variables, &found.machine)?
        } else {
            None
        };
        let (weights, machine) = search.refit(found)?;
        let status = found.status.and(machine.status);
        let class = ClassWeights {
            class,
            objective: found.objective,
            trace: found.trace.clone(),
            saddle,
            start: *start,
            machine: WeightedMachine::new(rows.points, &weights, &machine),
            weights,
        };
        Ok((class, status))
    }

    pub(super) fn search<'a>(&'a self, rows: Rows<'a>, (cost, mu): (f64, f64)) -> Search<'a> {
        Search {
            problem: Problem {
                points: rows.points,
                losses: Losses {
                    signs: rows.signs,
                    cost,
                    epsilon: self.epsilon,
                },
                kernel: self.kernel,
                mu,
                penalised: self.penalised,
            },
            params: self,
            landmarks: rows.landmarks,
        }
    }

    /// Random rows of the kernel functions, if not all.
    pub(super) fn landmarks_of(&self, n: usize) -> Option<Vec<usize>> {
        let count = self.landmarks.filter(|&count| count < n)?;
        let mut rows = Generator::new(self.seed).sample(n, count);
        rows.sort_unstable();
        Some(rows)
    }
}

impl Search<'_> {
    /// Runs the method from a start of some kind. Constant features have no weight.
    pub(super) fn from(&self, kind: WeightStart) -> Result<Found> {
        let points = self.problem.points;
        let mut weights = start(kind, points, self.problem.losses.signs)?;
        for (f, weight) in weights.iter_mut().enumerate() {
            let is_constant = (0..points.n).all(|i| points.row(i)[f] == 0.0);
            if is_constant {
                *weight = 0.0;
            } else if self.problem.penalised == Penalised::Squares {
                *weight *= *weight;
            }
        }
        self.run(weights, None)
    }

    /// Weights without the small ones, and the machine trained with them.
    pub(super) fn refit(&self, found: &Found) -> Result<(Vec<f64>, Machine)> {
        let mut weights = self.weights(&found.variables);
        let counts = support(&weights);
        let mut variables = found.variables.clone();
        for ((weight, variable), counts) in weights.iter_mut().zip(&mut variables).zip(counts) {
            if !counts {
                (*weight, *variable) = (0.0, 0.0);
            }
        }
        let machine = self.machine(&variables, None)?;
        Ok((weights, machine))
    }

    /// Signs that a machine gives rows with these weights.
    pub(super) fn decisions(
        &self,
        weights: &[f64],
        machine: &Machine,
        others: &Points,
    ) -> Vec<f64> {
        let machine = WeightedMachine::new(self.problem.points, weights, machine);
        machine.decisions(&self.problem.kernel, others)
    }
}

impl WeightedMachine {
    fn new(points: &Points, weights: &[f64], machine: &Machine) -> Self {
        let features: Vec<u32> = (0..weights.len() as u32)
            .filter(|&f| weights[f as usize] > 0.0)
            .collect();
        let weights: Vec<f64> = features.iter().map(|&f| weights[f as usize]).collect();
        let basis = machine.basis.iter().copied();
        Self {
            rows: points.gather(basis, &features, Some(&weights)),
            features,
            weights,
            coefficients: machine.coefficients.clone(),
            bias: machine.bias,
        }
    }

    fn decisions(&self, kernel: &WeightedKernel, points: &Points) -> Vec<f64> {
        let (width, m) = (self.features.len(), self.coefficients.len());
        if width == 0 || m == 0 {
            return vec![self.bias; points.n];
        }
        let norms = squared_norms(&self.rows, width);
        concat(points.n, BLOCK_ROWS, &|rows| {
            let count = rows.len();
            let rows = points.gather(rows, &self.features, Some(&self.weights));
            let mut held = vec![0.0; count * m];
            kernel.hold(&rows, &self.rows, &norms, width, &mut held);
            for value in &mut held {
                *value = kernel.value(*value);
            }
            let rows = held.chunks_exact(m);
            rows.map(|row| dot(row, &self.coefficients) + self.bias)
                .collect()
        })
    }
}

impl KernelWeights {
    /// Features that have a weight.
    pub fn n_kept(&self) -> usize {
        self.weights.iter().filter(|&&weight| weight > 0.0).count()
    }

    /// Decision values of every machine for rows as they came, a machine after the other: of two
    /// classes positive for the second.
    pub fn decision_values(&self, samples: SamplesView<'_>) -> Result<Vec<Vec<f64>>> {
        crate::error::ensure_shape("features", self.means.len(), samples.n_features())?;
        samples.ensure_finite()?;
        let points = Points::new(samples, &self.means, &self.deviations);
        let machines = self.classes.iter().map(|class| &class.machine);
        Ok(machines
            .map(|machine| machine.decisions(&self.kernel, &points))
            .collect())
    }
}
