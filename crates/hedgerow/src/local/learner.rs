//! Training on one neighbourhood.

mod many;

use super::machine::{LocalMachine, LocalMachines, LocalModel};
use super::params::LocalSvmParams;
use super::store::{Answers, Store};
use crate::data::{Generator, Samples};
use crate::kernel::{Kernel, NearRows, matrix_of_neighbourhood};
use crate::machines::small::{Costs, SmallSvc, SmallSvr};
use crate::machines::{
    CALIBRATION_FOLDS, Sigmoid, Solved, calibration_folds, class_costs, pairs, too_large,
};
use crate::solve::smo::Limits;
use crate::{Error, Result, Status};
use std::time::Instant;

/// Variables of the largest problem whose matrix is kept, which then takes half a gigabyte a
/// thread, and twice that if several machines share it.
const MAX_KEPT_MATRIX: usize = 12_000;

/// What training cost.
#[derive(Debug, Clone, Copy)]
pub(super) struct Effort {
    pub(super) status: Status,
    pub(super) iterations: u64,
    pub(super) objective: f64,
    pub(super) bounded: usize,
}

impl Effort {
    pub(super) const NONE: Self = Self {
        status: Status::Converged,
        iterations: 0,
        objective: 0.0,
        bounded: 0,
    };

    fn of(solved: &Solved) -> Self {
        Self {
            status: solved.status,
            iterations: solved.iterations,
            objective: solved.objective,
            bounded: solved.bounded,
        }
    }

    pub(super) fn and(self, other: Self) -> Self {
        Self {
            status: self.status.and(other.status),
            iterations: self.iterations + other.iterations,
            objective: self.objective + other.objective,
            bounded: self.bounded + other.bounded,
        }
    }
}

/// Buffers that one thread uses for one neighbourhood after the other.
#[derive(Debug, Default)]
pub(super) struct Workspace {
    svc: SmallSvc,
    svr: SmallSvr,
    matrix: Vec<f32>,
}

/// The rows of a neighbourhood that are of two classes, as the problem of one machine.
pub(super) struct PairOfClasses {
    /// Where they stand in the neighbourhood.
    pub(super) positions: Vec<usize>,
    /// 1 for the first class, −1 for the second.
    pub(super) labels: Vec<i8>,
    pub(super) costs: Vec<f64>,
}

/// Trains machines on neighbourhoods of the rows of a store.
#[derive(Debug)]
pub(super) struct Learner<'a> {
    store: &'a Store,
    params: &'a LocalSvmParams,
    /// The kernel, unless every neighbourhood has its own.
    fixed: Option<Kernel>,
    /// Cost of a row of each class.
    pub(super) class_costs: Vec<f64>,
    start: Instant,
    /// How many neighbourhoods are learnt at once.
    at_once: usize,
}

impl<'a> Learner<'a> {
    pub(super) fn new(store: &'a Store, params: &'a LocalSvmParams) -> Result<Self> {
        params.check()?;
        let spec = &params.solver.kernel;
        let fixed = if spec.has_percentiles() {
            None
        } else {
            Some(spec.resolve(store.view(), params.solver.seed)?)
        };
        if fixed
            .as_ref()
            .is_some_and(|kernel| kernel.any(&Kernel::is_precomputed))
        {
            return Err(Error::KernelUse {
                kernel: "precomputed".to_owned(),
                problem: "neighbourhoods are found by features: give the features and a kernel",
            });
        }
        let class_costs = match &store.answers {
            Answers::Classes(labels) => class_costs(labels, params.cost, &params.class_weights)?,
            Answers::Real(_) => vec![params.cost],
        };
        Ok(Self {
            store,
            params,
            fixed,
            class_costs,
            start: Instant::now(),
            at_once: rayon::current_num_threads(),
        })
    }

    /// For so many neighbourhoods, of which as many as there are threads are learnt at once.
    pub(super) fn for_neighbourhoods(mut self, count: usize) -> Self {
        self.expect(count);
        self
    }

    /// Takes note of how many neighbourhoods come next.
    pub(super) fn expect(&mut self, count: usize) {
        self.at_once = rayon::current_num_threads().min(count).max(1);
    }

    pub(super) fn limits(&self) -> Limits {
        self.params.solver.limits(self.start)
    }

    /// The kernel for rows that ascend in distance from their centre.
    pub(super) fn kernel(&self, rows: &[u32]) -> Result<Kernel> {
        if let Some(kernel) = &self.fixed {
            return Ok(kernel.clone());
        }
        let spec = &self.params.solver.kernel;
        spec.resolve_neighbourhood(self.selected(rows).view())
    }

    /// Trains on rows that ascend in distance from their centre; `task` numbers the neighbourhood
    /// for everything random in it.
    pub(super) fn learn(
        &self,
        rows: &[u32],
        task: u64,
        workspace: &mut Workspace,
    ) -> Result<(LocalModel, Effort)> {
        match &self.store.answers {
            Answers::Classes(labels) => self.classify(rows, labels.codes(), task, workspace),
            Answers::Real(targets) => self.regress(rows, targets, workspace),
        }
    }

    fn classify(
        &self,
        rows: &[u32],
        codes: &[u32],
        task: u64,
        workspace: &mut Workspace,
    ) -> Result<(LocalModel, Effort)> {
        let classes = occurring(rows.iter().map(|&row| codes[row as usize]));
        if let [only] = classes[..] {
            return Ok((LocalModel::Constant(f64::from(only)), Effort::NONE));
        }
        let kernel = self.kernel(rows)?;
        let n = rows.len();
        if n > most_kept_rows(&self.store.answers) {
            return self.classify_many(rows, codes, classes, kernel, task);
        }
        let is_binary = classes.len() == 2;
        let view = self.store.view();
        // A single machine asks for the rows that it needs; several share a whole matrix.
        let by_rows = if is_binary && !self.params.probability {
            NearRows::of(&kernel, view, rows)?
        } else {
            None
        };
        if by_rows.is_none() {
            let matrix = if is_binary {
                workspace.svc.gram_mut(n)
            } else {
                workspace.matrix.resize(n * n, 0.0);
                &mut workspace.matrix[..n * n]
            };
            matrix_of_neighbourhood(&kernel, view, rows, matrix)?;
        }
        let mut effort = Effort::NONE;
        // Coefficients by position in `rows`, a machine after the other.
        let mut expansions = Vec::new();
        for (number, (first, second)) in pairs(classes.len()).enumerate() {
            let pair = self.pair(rows, codes, (classes[first], classes[second]));
            if !is_binary {
                copy_submatrix(&workspace.matrix, n, &pair.positions, &mut workspace.svc);
            }
            let task = (task << 16) + number as u64;
            let svc = &mut workspace.svc;
            let (terms, own) = self.learn_pair(rows, &pair, by_rows.as_ref(), task, svc)?;
            if !terms.1.is_finite() {
                return Err(too_large(&kernel));
            }
            effort = effort.and(own);
            expansions.push(terms);
        }
        Ok((
            LocalModel::Machines(assemble(kernel, classes, expansions)),
            effort,
        ))
    }

    /// The rows of two classes, given the codes of all rows of the store.
    pub(super) fn pair(
        &self,
        rows: &[u32],
        codes: &[u32],
        (first, second): (u32, u32),
    ) -> PairOfClasses {
        let code_at = |p: usize| codes[rows[p] as usize];
        let positions: Vec<usize> = (0..rows.len())
            .filter(|&p| code_at(p) == first || code_at(p) == second)
            .collect();
        let label = |&p: &usize| if code_at(p) == first { 1 } else { -1 };
        let cost = |&p: &usize| self.class_costs[code_at(p) as usize] * self.store.weight(rows[p]);
        PairOfClasses {
            labels: positions.iter().map(label).collect(),
            costs: positions.iter().map(cost).collect(),
            positions,
        }
    }

    /// Trains one machine. Its matrix stands in the solver already, unless its rows are written
    /// when they are asked for.
    fn learn_pair(
        &self,
        rows: &[u32],
        pair: &PairOfClasses,
        by_rows: Option<&NearRows>,
        task: u64,
        svc: &mut SmallSvc,
    ) -> Result<(Terms, Effort)> {
        let PairOfClasses {
            positions,
            labels,
            costs,
        } = pair;
        let mut calibrated = Status::Converged;
        let mut sigmoid = None;
        if self.params.probability {
            let mut generator = Generator::for_task(self.params.solver.seed, task);
            let (curve, status) = self.calibrate(labels, costs, &mut generator, svc)?;
            sigmoid = Some(curve);
            calibrated = status;
        }
        let limits = self.limits();
        let costs_of_rows = Costs::PerRow(costs);
        let machine = match by_rows {
            Some(near_rows) => {
                let mut write_rows = |rows, out: &mut [f32]| near_rows.rows_into(rows, out);
                let diagonal = vec![1.0; rows.len()];
                svc.solve_by_rows(&diagonal, &mut write_rows, labels, costs_of_rows, &limits)?
            }
            None => svc.solve(labels, costs_of_rows, &limits)?,
        };
        let bounded = machine.coefficients.iter().zip(costs);
        let effort = Effort {
            status: calibrated.and(machine.status),
            iterations: machine.iterations,
            objective: machine.objective,
            bounded: bounded.filter(|&(beta, cost)| beta.abs() >= *cost).count(),
        };
        let terms = positions.iter().zip(machine.coefficients);
        let terms = terms
            .filter(|&(_, &beta)| beta != 0.0)
            .map(|(&p, &beta)| (rows[p], beta))
            .collect();
        Ok(((terms, machine.rho, sigmoid), effort))
    }

    fn selected(&self, rows: &[u32]) -> Samples {
        let rows: Vec<usize> = rows.iter().map(|&row| row as usize).collect();
        self.store.view().select(&rows)
    }

    /// A sigmoid from decision values of rows that the machine did not learn from. The matrix of
    /// the problem stands in the solver already.
    fn calibrate(
        &self,
        labels: &[i8],
        costs: &[f64],
        generator: &mut Generator,
        svc: &mut SmallSvc,
    ) -> Result<(Sigmoid, Status)> {
        let positive: Vec<bool> = labels.iter().map(|&label| label > 0).collect();
        let n_positive = positive.iter().filter(|&&yes| yes).count();
        let n_negative = labels.len() - n_positive;
        if n_positive.min(n_negative) < 2 {
            // Some fold would have to learn from one class.
            return Ok((Sigmoid::prior(n_positive, n_negative), Status::Converged));
        }
        let fold_of = calibration_folds(&positive, generator);
        let mut decisions = vec![0.0; labels.len()];
        let mut status = Status::Converged;
        for fold in 0..CALIBRATION_FOLDS {
            let kept: Vec<f64> = costs
                .iter()
                .zip(&fold_of)
                .map(|(&cost, &f)| if f == fold { 0.0 } else { cost })
                .collect();
            let machine = svc.solve(labels, Costs::PerRow(&kept), &self.limits())?;
            status = status.and(machine.status);
            for (i, decision) in decisions.iter_mut().enumerate() {
                if fold_of[i] == fold {
                    *decision = machine.decisions[i];
                }
            }
        }
        Ok((Sigmoid::fit(&decisions, &positive), status))
    }

    fn regress(
        &self,
        rows: &[u32],
        targets: &[f64],
        workspace: &mut Workspace,
    ) -> Result<(LocalModel, Effort)> {
        let local: Vec<f64> = rows.iter().map(|&row| targets[row as usize]).collect();
        if local.iter().all(|&target| target == local[0]) {
            return Ok((LocalModel::Constant(local[0]), Effort::NONE));
        }
        let kernel = self.kernel(rows)?;
        let n = rows.len();
        let costs: Vec<f64> = rows
            .iter()
            .map(|&row| self.params.cost * self.store.weight(row))
            .collect();
        if n > most_kept_rows(&self.store.answers) {
            return self.regress_many(rows, &local, &costs, kernel);
        }
        workspace.matrix.resize(n * n, 0.0);
        let matrix = &mut workspace.matrix[..n * n];
        matrix_of_neighbourhood(&kernel, self.store.view(), rows, matrix)?;
        let solved =
            workspace
                .svr
                .solve(matrix, &local, &costs, self.params.epsilon, &self.limits())?;
        if !solved.rho.is_finite() {
            return Err(too_large(&kernel));
        }
        let bounded = solved.coefficients.iter().zip(&costs);
        let effort = Effort {
            status: solved.status,
            iterations: solved.iterations,
            objective: solved.objective,
            bounded: bounded.filter(|&(beta, cost)| beta.abs() >= *cost).count(),
        };
        let terms = rows.iter().zip(&solved.coefficients);
        let terms = terms
            .filter(|&(_, &beta)| beta != 0.0)
            .map(|(&row, &beta)| (row, beta))
            .collect();
        let machines = assemble(kernel, Vec::new(), vec![(terms, solved.rho, None)]);
        Ok((LocalModel::Machines(machines), effort))
    }
}

/// Rows of the largest neighbourhood of which every kernel value is kept. A regression has two
/// variables a row.
pub(super) fn most_kept_rows(answers: &Answers) -> usize {
    match answers {
        Answers::Classes(_) => MAX_KEPT_MATRIX,
        Answers::Real(_) => MAX_KEPT_MATRIX / 2,
    }
}

/// Distinct codes, ascending.
pub(super) fn occurring(codes: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut classes: Vec<u32> = Vec::new();
    for code in codes {
        if let Err(place) = classes.binary_search(&code) {
            classes.insert(place, code);
        }
    }
    classes
}

pub(super) fn copy_submatrix(matrix: &[f32], n: usize, positions: &[usize], svc: &mut SmallSvc) {
    let m = positions.len();
    let out = svc.gram_mut(m);
    for (row, &i) in out.chunks_mut(m).zip(positions) {
        let source = &matrix[i * n..(i + 1) * n];
        for (slot, &j) in row.iter_mut().zip(positions) {
            *slot = source[j];
        }
    }
}

type Terms = (Vec<(u32, f64)>, f64, Option<Sigmoid>);

/// Machines over the union of their support vectors.
fn assemble(kernel: Kernel, classes: Vec<u32>, expansions: Vec<Terms>) -> LocalMachines {
    let mut support: Vec<u32> = expansions
        .iter()
        .flat_map(|(terms, _, _)| terms.iter().map(|&(row, _)| row))
        .collect();
    support.sort_unstable();
    support.dedup();
    let machines = expansions
        .into_iter()
        .map(|(mut terms, rho, sigmoid)| {
            terms.sort_unstable_by_key(|&(row, _)| row);
            let slots = (terms.len() < support.len()).then(|| {
                let slot = |&(row, _): &(u32, f64)| support.partition_point(|&s| s < row) as u32;
                terms.iter().map(slot).collect()
            });
            LocalMachine {
                slots,
                coefficients: terms.iter().map(|&(_, beta)| beta).collect(),
                rho,
                sigmoid,
            }
        })
        .collect();
    LocalMachines {
        kernel,
        support,
        classes,
        machines,
    }
}
