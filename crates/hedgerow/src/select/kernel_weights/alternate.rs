//! Machine and weights in turn.
//!
//! | method | the weights minimise, at fixed $\beta, b$ | until |
//! |---|---|---|
//! | Simple AO | $\Omega(\beta, b, z)$ | the weights rest |
//! | Margin AO-I | $\Psi(z, \lambda)$ with $Q = \beta^\top K(z)\beta$ | the weights rest |
//! | Margin AO-II | $\Psi(z, \lambda)$ with $Q$ frozen at its value before the step | the same features count and $\Omega$ has all but come to rest |
//!
//! AO-I never raises $\Omega$: $\Psi$ at $(z, \lambda)$ is $\Omega(\beta/\lambda, b/\lambda, z)$. AO-II
//! may, so the weights with the least $\Omega$ on the way are what it answers. The printed form of
//! AO-II puts 1 for $Q$ and starts at $\lambda = Q^{-1/2}$ with coefficients as they are.

use super::block::{FeatureBlock, Norm, Penalised, Problem};
use super::dense::DenseBlock;
use super::full::{FullPoint, FullSpace};
use super::kernel::Points;
use super::machine::{Machine, train, train_on_basis};
use super::params::{KernelWeightsParams, WeightSteps, WeightingMethod};
use super::saddle::{Saddle, saddle};
use crate::solve::smooth::{Minimum, Smooth, SmoothLimits};
use crate::solve::trust_region::{minimise_above, minimise_bounded};
use crate::{Result, Status};

/// Weight below which a feature does not count, as a share of the largest.
pub(super) const THRESHOLD: f64 = 0.01;
/// Least margin.
const LEAST_MARGIN: f64 = 1e-4;
/// Norm of a machine that says nothing.
const NO_NORM: f64 = 1e-10;
/// Rows up to which second-order conditions are looked at.
const SADDLE_ROWS: usize = 1500;
/// Gain of a round in $\Omega$, as a share of it, with which AO-II goes on although the same features
/// count.
const ROUND_GAIN: f64 = 0.01;
/// Times that features at 0 are tried again.
const TRIES: usize = 10;
/// Least value of a variable of the interior method at its start, as a share of the largest.
const INTERIOR: f64 = 1e-4;

/// One round.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct WeightStep {
    /// $\Omega$ at the weights of the round, with the machine trained there.
    pub objective: f64,
    /// Features that count.
    pub support: usize,
    /// The margin $\lambda$ that the weights then chose; 1 where there is none.
    pub margin: f64,
    /// Least eigenvalue and label, if asked for and the rows are few enough.
    pub saddle: Option<Saddle>,
}

/// What a run found.
#[derive(Debug, Clone)]
pub(super) struct Found {
    /// Variables: weights, or their squares.
    pub(super) variables: Vec<f64>,
    pub(super) objective: f64,
    pub(super) machine: Machine,
    pub(super) trace: Vec<WeightStep>,
    pub(super) status: Status,
}

/// Features at or above the threshold.
pub(super) fn support(weights: &[f64]) -> Vec<bool> {
    let most = weights.iter().fold(0.0, |most: f64, z| most.max(*z));
    weights
        .iter()
        .map(|&z| z > 0.0 && z >= THRESHOLD * most)
        .collect()
}

/// A problem with the settings of the search.
pub(super) struct Search<'a> {
    pub(super) problem: Problem<'a>,
    pub(super) params: &'a KernelWeightsParams,
    /// Rows of the kernel functions, if not all.
    pub(super) landmarks: Option<&'a [usize]>,
}

impl Search<'_> {
    pub(super) fn weights(&self, variables: &[f64]) -> Vec<f64> {
        variables.iter().map(|&v| self.problem.weight(v)).collect()
    }

    /// The machine at some variables.
    pub(super) fn machine(
        &self,
        variables: &[f64],
        start: Option<(&[f64], f64)>,
    ) -> Result<Machine> {
        let points = self.problem.points;
        let weights = self.weights(variables);
        let active: Vec<u32> = (0..weights.len() as u32)
            .filter(|&f| weights[f as usize] > 0.0)
            .collect();
        let factors: Vec<f64> = active.iter().map(|&f| weights[f as usize]).collect();
        let (losses, kernel) = (self.problem.losses, &self.problem.kernel);
        // Without any feature all rows are one point.
        let width = active.len().max(1);
        let gather = |rows: &mut dyn Iterator<Item = usize>| -> Vec<f64> {
            if active.is_empty() {
                return vec![0.0; rows.count()];
            }
            points.gather(rows, &active, Some(&factors))
        };
        let rows = gather(&mut (0..points.n));
        if let Some(landmarks) = self.landmarks {
            let others = gather(&mut landmarks.iter().copied());
            let rectangle = kernel.matrix(&rows, &others, width);
            return train_on_basis(&rectangle, landmarks, losses, start);
        }
        Ok(train(&kernel.matrix(&rows, &rows, width), losses, start))
    }

    pub(super) fn omega(&self, machine: &Machine, variables: &[f64]) -> f64 {
        machine.objective + self.problem.mu * variables.iter().sum::<f64>()
    }

    /// Runs the method from some variables, and perhaps a machine near by.
    pub(super) fn run(&self, start: Vec<f64>, near: Option<&Machine>) -> Result<Found> {
        let mut found = self.once(start, near)?;
        if self.params.reactivate && self.problem.penalised == Penalised::Weights {
            for _ in 0..TRIES {
                let Some(again) = self.try_again(&found)? else {
                    break;
                };
                found = again;
            }
        }
        Ok(found)
    }

    /// Runs the method once.
    fn once(&self, start: Vec<f64>, near: Option<&Machine>) -> Result<Found> {
        match self.params.method {
            WeightingMethod::Full => self.full(&start, near),
            WeightingMethod::Gmkl => self.gmkl(start),
            _ => self.alternate(start, near),
        }
    }

    /// $\beta$ of what the next machine starts from.
    pub(super) fn warm(&self, machine: &Machine, margin: f64) -> (Vec<f64>, f64) {
        let mut beta = match self.landmarks {
            Some(_) => machine.coefficients.clone(),
            None => machine.by_row(self.problem.points.n),
        };
        for value in &mut beta {
            *value /= margin;
        }
        (beta, machine.bias / margin)
    }

    fn alternate(&self, start: Vec<f64>, near: Option<&Machine>) -> Result<Found> {
        let mut variables = start;
        let mut warm = near.map(|machine| self.warm(machine, 1.0));
        let mut before: Option<(f64, Vec<f64>)> = None;
        let mut best: Option<(f64, Vec<f64>, Machine)> = None;
        let mut trace: Vec<WeightStep> = Vec::new();
        let mut status = Status::IterationLimit;
        for round in 0..=self.params.max_rounds {
            let from = warm.as_ref().map(|(beta, bias)| (&beta[..], *bias));
            let machine = self.machine(&variables, from)?;
            let objective = self.omega(&machine, &variables);
            trace.push(self.step(&variables, &machine, objective)?);
            let settled = before.as_ref().is_some_and(|(last, before)| {
                self.has_settled(before, &variables, 1.0 - objective / last)
            });
            let says_nothing = machine.norm < NO_NORM || machine.basis.is_empty();
            let better = best.as_ref().is_none_or(|(least, ..)| objective < *least);
            if better {
                best = Some((objective, variables.clone(), machine.clone()));
            }
            if settled || says_nothing {
                status = Status::Converged;
                break;
            }
            if round == self.params.max_rounds {
                break;
            }
            let (next, margin) = self.features(&variables, &machine);
            if let Some(step) = trace.last_mut() {
                step.margin = margin;
            }
            warm = Some(self.warm(&machine, margin));
            before = Some((objective, std::mem::replace(&mut variables, next)));
        }
        let (objective, variables, machine) = if let Some(best) = best {
            best
        } else {
            // Never: the first round always sets it.
            let machine = self.machine(&variables, None)?;
            (self.omega(&machine, &variables), variables, machine)
        };
        Ok(Found {
            variables,
            objective,
            machine,
            trace,
            status,
        })
    }

    pub(super) fn step(
        &self,
        variables: &[f64],
        machine: &Machine,
        objective: f64,
    ) -> Result<WeightStep> {
        let weights = self.weights(variables);
        let saddle = if self.params.labels {
            self.saddle_at(variables, machine)?
        } else {
            None
        };
        Ok(WeightStep {
            objective,
            support: support(&weights).iter().filter(|&&counts| counts).count(),
            margin: 1.0,
            saddle,
        })
    }

    /// What second-order conditions say, for few rows.
    pub(super) fn saddle_at(&self, variables: &[f64], machine: &Machine) -> Result<Option<Saddle>> {
        if self.landmarks.is_some() || self.problem.points.n > SADDLE_ROWS {
            return Ok(None);
        }
        let counts = support(&self.weights(variables));
        let kept: Vec<u32> = (0..counts.len() as u32)
            .filter(|&f| counts[f as usize])
            .collect();
        let points = self.problem.points.columns(&kept);
        let problem = Problem {
            points: &points,
            ..self.problem
        };
        let mut all = machine.by_row(points.n);
        all.push(machine.bias);
        all.extend(kept.iter().map(|&f| variables[f as usize]));
        let FullPoint { hessian, .. } = FullSpace::new(problem).at(&all, true);
        saddle(&hessian, points.n + 1, kept.len()).map(Some)
    }

    /// Whether rounds may end, after one from some variables to others and with some gain in $\Omega$,
    /// as a share of it.
    fn has_settled(&self, before: &[f64], now: &[f64], gain: f64) -> bool {
        let (before, now) = (self.weights(before), self.weights(now));
        if self.params.method == WeightingMethod::AoTwo {
            return gain <= ROUND_GAIN && support(&before) == support(&now);
        }
        let moved = before.iter().zip(&now).map(|(a, b)| (a - b).abs());
        moved.fold(0.0, f64::max) < self.params.tolerance
    }

    pub(super) fn limits(&self, max_steps: u32) -> SmoothLimits {
        SmoothLimits {
            gradient_tolerance: 1e-6,
            value_tolerance: self.params.step_tolerance,
            max_steps,
            ..SmoothLimits::default()
        }
    }

    /// The best weights, with the margin, at the coefficients of a machine.
    fn features(&self, variables: &[f64], machine: &Machine) -> (Vec<f64>, f64) {
        let (mut machine, mut start) = (machine.clone(), 1.0);
        let (norm, with_margin) = match self.params.method {
            WeightingMethod::Simple => (Norm::Live, false),
            WeightingMethod::AoOne => (Norm::Live, true),
            _ if self.params.printed => {
                start = 1.0 / machine.norm.sqrt();
                (Norm::Frozen(1.0), true)
            }
            _ => (Norm::Frozen(machine.norm), true),
        };
        drop_idle(&mut machine);
        let kept = self.problem.active(variables);
        let formed = match self.params.steps {
            WeightSteps::Exact => true,
            WeightSteps::Auto | WeightSteps::Subspace => false,
        };
        let points: Points;
        let problem = if kept.len() < variables.len() {
            points = self.problem.points.columns(&kept);
            Problem {
                points: &points,
                ..self.problem
            }
        } else {
            self.problem
        };
        let mut point: Vec<f64> = kept.iter().map(|&f| variables[f as usize]).collect();
        let mut lower = vec![0.0; point.len()];
        if with_margin {
            point.push(start);
            lower.push(LEAST_MARGIN * start);
        }
        let block = FeatureBlock::new(problem, &machine, norm, with_margin);
        let found = self.minimise(block, &lower, point, formed);
        let mut next = vec![0.0; variables.len()];
        for (&f, value) in kept.iter().zip(&found.point) {
            next[f as usize] = *value;
        }
        let margin = if with_margin {
            found.point[kept.len()]
        } else {
            1.0
        };
        (next, margin)
    }

    fn minimise(
        &self,
        mut block: FeatureBlock<'_>,
        lower: &[f64],
        mut point: Vec<f64>,
        formed: bool,
    ) -> Minimum {
        let limits = self.limits(self.params.max_steps);
        if !formed {
            return minimise_above(&mut block, lower, point, &limits);
        }
        let d = block.problem.points.d;
        let most = point[..d].iter().fold(0.0, |most: f64, v| most.max(*v));
        for value in &mut point[..d] {
            *value = value.max(INTERIOR * most);
        }
        minimise_bounded(&mut DenseBlock::new(block), lower, point, &limits)
    }

    /// All variables at once.
    fn full(&self, start: &[f64], near: Option<&Machine>) -> Result<Found> {
        let n = self.problem.points.n;
        let near = near.map(|machine| self.warm(machine, 1.0));
        let from = near.as_ref().map(|(beta, bias)| (&beta[..], *bias));
        let first = self.machine(start, from)?;
        let mut trace = vec![self.step(start, &first, self.omega(&first, start))?];
        let kept = self.problem.active(start);
        let points = self.problem.points.columns(&kept);
        let problem = Problem {
            points: &points,
            ..self.problem
        };
        let mut point = first.by_row(n);
        point.push(first.bias);
        point.extend(kept.iter().map(|&f| start[f as usize]));
        let mut lower = vec![f64::NEG_INFINITY; n + 1];
        lower.resize(point.len(), 0.0);
        let limits = SmoothLimits {
            value_tolerance: 1e-9,
            ..self.limits(self.params.max_full_steps)
        };
        let found = minimise_bounded(&mut FullSpace::new(problem), &lower, point, &limits);
        let mut variables = vec![0.0; start.len()];
        for (&f, value) in kept.iter().zip(&found.point[n + 1..]) {
            variables[f as usize] = *value;
        }
        // At these weights the machine can only be better.
        let machine = self.machine(&variables, Some((&found.point[..n], found.point[n])))?;
        let objective = self.omega(&machine, &variables);
        trace.push(self.step(&variables, &machine, objective)?);
        Ok(Found {
            variables,
            objective,
            machine,
            trace,
            status: found.status,
        })
    }

    /// Features at 0 put back at the median weight, if $\Omega$ then falls.
    fn try_again(&self, found: &Found) -> Result<Option<Found>> {
        let weights = self.weights(&found.variables);
        let mut positive: Vec<f64> = weights.iter().copied().filter(|&z| z > 0.0).collect();
        if positive.is_empty() || positive.len() == weights.len() || found.machine.basis.is_empty()
        {
            return Ok(None);
        }
        positive.sort_by(f64::total_cmp);
        let size = positive[positive.len() / 2];
        // In squares the derivative at 0 is what a feature would gain.
        let squares: Vec<f64> = weights.iter().map(|z| z * z).collect();
        let problem = Problem {
            penalised: Penalised::Squares,
            ..self.problem
        };
        let mut machine = found.machine.clone();
        drop_idle(&mut machine);
        let mut block = FeatureBlock::new(problem, &machine, Norm::Live, false);
        let mut spare = vec![0.0; squares.len()];
        block.value_gradient(&squares, &mut spare);
        block.accept();
        let gains = &block.base.sums;
        let mut trial = found.variables.clone();
        let mut changed = false;
        for (f, &gain) in gains.iter().enumerate() {
            if weights[f] == 0.0 && gain * size * size + self.problem.mu * size < 0.0 {
                trial[f] = size;
                changed = true;
            }
        }
        if !changed {
            return Ok(None);
        }
        let again = self.once(trial, Some(&found.machine))?;
        Ok((again.objective < found.objective).then_some(again))
    }
}

/// Leaves kernel functions without coefficient out.
pub(super) fn drop_idle(machine: &mut Machine) {
    let kept: Vec<usize> = (0..machine.basis.len())
        .filter(|&at| machine.coefficients[at] != 0.0)
        .collect();
    machine.basis = kept.iter().map(|&at| machine.basis[at]).collect();
    machine.coefficients = kept.iter().map(|&at| machine.coefficients[at]).collect();
}
