//! Cross-validation inside one neighbourhood.
//!
//! The kernel matrix of the neighbourhood is computed once; all values of C and all folds are
//! solved on it. A row is held out by cost 0.

use super::seed;
use crate::data::Generator;
use crate::kernel::{Kernel, matrix_of_neighbourhood};
use crate::local::learner::{Learner, PairOfClasses, copy_submatrix, occurring};
use crate::local::store::{Answers, Store};
use crate::machines::small::{Costs, SmallSvc, SmallSvr};
use crate::machines::too_large;
use crate::machines::{Multiclass, pairs};
use crate::{Result, Status};

/// The fold of a row that is never held out.
pub(super) const NEVER: usize = usize::MAX;

/// Buffers that one thread uses for one neighbourhood after the other.
#[derive(Debug, Default)]
pub(super) struct Workspace {
    svc: SmallSvc,
    svr: SmallSvr,
    matrix: Vec<f32>,
}

/// A neighbourhood, and what is to be tried on it.
pub(super) struct Problem<'a> {
    /// Knows the kernel, and the costs for C = 1.
    pub(super) learner: &'a Learner<'a>,
    pub(super) store: &'a Store,
    /// Rows in ascending distance from the centre.
    pub(super) rows: &'a [u32],
    /// Folds of the first rows, or [`NEVER`]; the others are never held out.
    pub(super) folds: &'a [usize],
    pub(super) costs: &'a [f64],
    pub(super) epsilon: f64,
}

impl Problem<'_> {
    /// Accuracy, or mean squared error, on the validated rows for every cost.
    pub(super) fn scores(&self, workspace: &mut Workspace) -> Result<(Vec<f64>, Status)> {
        match &self.store.answers {
            Answers::Classes(labels) => self.accuracies(labels.codes(), workspace),
            Answers::Real(targets) => self.errors(targets, workspace),
        }
    }

    fn n_folds(&self) -> usize {
        let folds = self.folds.iter().filter(|&&fold| fold != NEVER);
        folds.max().map_or(0, |&last| last + 1)
    }

    fn n_held_out(&self) -> usize {
        self.folds.iter().filter(|&&fold| fold != NEVER).count()
    }

    fn is_held_out(&self, position: usize, fold: usize) -> bool {
        self.folds.get(position) == Some(&fold)
    }

    fn matrix_into(&self, kernel: &Kernel, out: &mut [f32]) -> Result<()> {
        matrix_of_neighbourhood(kernel, self.store.view(), self.rows, out)
    }

    fn accuracies(
        &self,
        codes_of_all: &[u32],
        workspace: &mut Workspace,
    ) -> Result<(Vec<f64>, Status)> {
        let code = |&row: &u32| codes_of_all[row as usize];
        let codes: Vec<u32> = self.rows.iter().map(code).collect();
        let classes = occurring(codes.iter().copied());
        if classes.len() == 1 {
            // Whatever is held out, a constant answers and is right.
            return Ok((vec![1.0; self.costs.len()], Status::Converged));
        }
        let n = self.rows.len();
        let kernel = self.learner.kernel(self.rows)?;
        let is_binary = classes.len() == 2;
        if is_binary {
            self.matrix_into(&kernel, workspace.svc.gram_mut(n))?;
        } else {
            workspace.matrix.resize(n * n, 0.0);
            self.matrix_into(&kernel, &mut workspace.matrix[..n * n])?;
        }
        let mut status = Status::Converged;
        // Of every cost, validated row and machine.
        let n_pairs = Multiclass::OneVsOne.n_machines(classes.len());
        let n_validated = self.folds.len();
        let mut decisions = vec![0.0; self.costs.len() * n_validated * n_pairs];
        for (number, (first, second)) in pairs(classes.len()).enumerate() {
            let classes = (classes[first], classes[second]);
            let pair = self.learner.pair(self.rows, codes_of_all, classes);
            if !is_binary {
                copy_submatrix(&workspace.matrix, n, &pair.positions, &mut workspace.svc);
            }
            let Workspace { svc, matrix, .. } = &mut *workspace;
            // With two classes the machine has all rows, and decides on those held out too.
            let matrix = (!is_binary).then_some(matrix.as_slice());
            let decided = self.validate_pair(&pair, &kernel, svc, matrix, |at, p, decision| {
                decisions[(at * n_validated + p) * n_pairs + number] = decision;
            });
            status = status.and(decided?);
        }
        let scores = decisions
            .chunks(n_validated * n_pairs)
            .map(|of_cost| self.share_right(of_cost, n_pairs, &classes, &codes))
            .collect();
        Ok((scores, status))
    }

    /// Tells `put` the decision value of one machine for every cost and validated row, by their
    /// places. `matrix` is that of the whole neighbourhood, unless the machine has it.
    fn validate_pair(
        &self,
        pair: &PairOfClasses,
        kernel: &Kernel,
        svc: &mut SmallSvc,
        matrix: Option<&[f32]>,
        mut put: impl FnMut(usize, usize, f64),
    ) -> Result<Status> {
        let PairOfClasses {
            positions,
            labels,
            costs: unit_costs,
        } = pair;
        let n = self.rows.len();
        // A single fold starts from its own solution for the cost before.
        let several = self.n_folds() > 1;
        let held_out: Vec<Vec<bool>> = (0..self.n_folds())
            .map(|fold| {
                let out = |&p: &usize| self.is_held_out(p, fold);
                positions.iter().map(out).collect()
            })
            .collect();
        let mut status = Status::Converged;
        // Solutions for neighbouring costs are alike, and so are those of all rows and of all
        // rows but a few.
        let mut whole: Vec<f64> = Vec::new();
        let mut cost_before = 0.0;
        let mut start = Vec::new();
        for (at, &cost) in self.costs.iter().enumerate() {
            let costs: Vec<f64> = unit_costs.iter().map(|unit| cost * unit).collect();
            for beta in &mut whole {
                *beta *= cost / cost_before;
            }
            cost_before = cost;
            let limits = self.learner.limits();
            if several {
                let machine = svc.solve_from(&whole, labels, Costs::PerRow(&costs), &limits)?;
                if !machine.rho.is_finite() {
                    return Err(too_large(kernel));
                }
                whole.clear();
                whole.extend_from_slice(machine.coefficients);
            }
            for (fold, held_out) in held_out.iter().enumerate() {
                if several {
                    seed::without(&whole, held_out, labels, &costs, svc.gram(), &mut start);
                } else {
                    start.clone_from(&whole);
                }
                let kept: Vec<f64> = costs
                    .iter()
                    .zip(held_out)
                    .map(|(&cost, &out)| if out { 0.0 } else { cost })
                    .collect();
                let limits = self.learner.limits();
                let machine = svc.solve_from(&start, labels, Costs::PerRow(&kept), &limits)?;
                status = status.and(machine.status);
                if !several {
                    if !machine.rho.is_finite() {
                        return Err(too_large(kernel));
                    }
                    whole.clear();
                    whole.extend_from_slice(machine.coefficients);
                }
                for p in (0..self.folds.len()).filter(|&p| self.is_held_out(p, fold)) {
                    let decision = match matrix {
                        None => machine.decisions[p],
                        Some(matrix) => {
                            let values = &matrix[p * n..(p + 1) * n];
                            expand(machine.coefficients, positions, values) - machine.rho
                        }
                    };
                    put(at, p, decision);
                }
            }
        }
        Ok(status)
    }

    fn errors(&self, targets: &[f64], workspace: &mut Workspace) -> Result<(Vec<f64>, Status)> {
        let targets: Vec<f64> = self.rows.iter().map(|&row| targets[row as usize]).collect();
        if targets.iter().all(|&target| target == targets[0]) {
            return Ok((vec![0.0; self.costs.len()], Status::Converged));
        }
        let n = self.rows.len();
        let kernel = self.learner.kernel(self.rows)?;
        workspace.matrix.resize(n * n, 0.0);
        let matrix = &mut workspace.matrix[..n * n];
        self.matrix_into(&kernel, matrix)?;
        let everything: Vec<usize> = (0..n).collect();
        let mut status = Status::Converged;
        let mut scores = Vec::with_capacity(self.costs.len());
        for &cost in self.costs {
            let mut sum = 0.0;
            for fold in 0..self.n_folds() {
                let kept: Vec<f64> = self
                    .rows
                    .iter()
                    .enumerate()
                    .map(|(p, &row)| {
                        if self.is_held_out(p, fold) {
                            0.0
                        } else {
                            cost * self.store.weight(row)
                        }
                    })
                    .collect();
                let limits = self.learner.limits();
                let machine =
                    workspace
                        .svr
                        .solve(matrix, &targets, &kept, self.epsilon, &limits)?;
                if !machine.rho.is_finite() {
                    return Err(too_large(&kernel));
                }
                status = status.and(machine.status);
                for p in (0..self.folds.len()).filter(|&p| self.is_held_out(p, fold)) {
                    let values = &matrix[p * n..(p + 1) * n];
                    let answer = expand(&machine.coefficients, &everything, values) - machine.rho;
                    sum += (answer - targets[p]).powi(2);
                }
            }
            scores.push(sum / self.n_held_out() as f64);
        }
        Ok((scores, status))
    }

    /// Share of the rows held out whose machines vote for their class. `decisions` has those of the
    /// first row first.
    fn share_right(
        &self,
        decisions: &[f64],
        n_machines: usize,
        classes: &[u32],
        codes: &[u32],
    ) -> f64 {
        let rows = decisions.chunks(n_machines).zip(codes).zip(self.folds);
        let judged = rows.filter(|(_, fold)| **fold != NEVER);
        let right = judged.filter(|((values, code), _)| {
            let winner = Multiclass::OneVsOne.decide(classes.len(), values);
            classes[winner as usize] == **code
        });
        right.count() as f64 / self.n_held_out() as f64
    }
}

/// $\sum_i \beta_i K(x_i, x)$ over the rows at some positions.
fn expand(coefficients: &[f64], positions: &[usize], values: &[f32]) -> f64 {
    let terms = coefficients.iter().zip(positions);
    terms
        .filter(|&(&beta, _)| beta != 0.0)
        .map(|(&beta, &p)| beta * f64::from(values[p]))
        .sum()
}

/// Deals the rows of each group to folds in turn, in random order.
pub(super) fn deal(groups: &[u32], n_folds: usize, generator: &mut Generator) -> Vec<usize> {
    let mut fold_of = vec![0; groups.len()];
    let mut dealt = 0;
    for group in occurring(groups.iter().copied()) {
        let mut members: Vec<usize> = (0..groups.len()).filter(|&i| groups[i] == group).collect();
        generator.shuffle(&mut members);
        for i in members {
            fold_of[i] = dealt % n_folds;
            dealt += 1;
        }
    }
    fold_of
}
