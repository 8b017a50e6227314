//! C-SVC and ν-SVC for any number of classes, solved down to machines on shared support vectors.

use super::binary::{Objective, Solved, Workshop, calibrate, train};
use super::classes::ClassRows;
use super::duals::{Duals, MachineDuals};
use super::tasks::solve_all;
use super::{Multiclass, Sigmoid, SolverParams, Task};
use crate::data::{ClassName, Dataset, SamplesView};
use crate::kernel::{Expansion, Kernel, Machine, keep_rows};
use crate::solve::smo::DenseSolver;
use crate::{Error, Report, Result, Status};
use std::time::Instant;

/// What is trained beside the objective.
pub(crate) struct Scheme<'a> {
    pub(crate) multiclass: Multiclass,
    /// Whether a sigmoid is fitted to every machine.
    pub(crate) probability: bool,
    pub(crate) solver: &'a SolverParams,
    /// The solution of an earlier fit of the same rows and classes.
    pub(crate) previous: Option<&'a Duals>,
}

/// Machines that tell classes apart.
pub(crate) struct ClassMachines {
    pub(crate) expansion: Expansion,
    /// Names of the classes in the order of the machines.
    pub(crate) classes: Vec<ClassName>,
    /// Codes of the classes in the labels of the data.
    pub(crate) codes: Vec<u32>,
    /// Rows of the data that became support vectors, in the order of these.
    pub(crate) support: Vec<usize>,
    /// Support vectors of each class.
    pub(crate) support_counts: Vec<usize>,
    pub(crate) sigmoids: Option<Vec<Sigmoid>>,
    pub(crate) duals: Duals,
    pub(crate) report: Report,
}

impl ClassMachines {
    /// Trains on all rows of the data, none of which may have weight 0.
    pub(crate) fn train(
        data: &Dataset,
        objective: &Objective,
        scheme: &Scheme<'_>,
    ) -> Result<Self> {
        let start = Instant::now();
        let solver = scheme.solver;
        let view = data.samples().view();
        let kernel = solver.kernel.resolve(view, solver.seed)?;
        let rows = ClassRows::new(data.classes()?);
        let tasks = rows.tasks(scheme.multiclass);
        ensure_feasible(objective, &tasks)?;
        let at_once = rayon::current_num_threads().min(tasks.len()).max(1);
        let workshop = Workshop::new(&kernel, view, solver, true, start)?.one_of(at_once);
        let solved: Vec<Solved> = solve_all(&tasks, |workspace: &mut DenseSolver, m, task| {
            let warm = scheme
                .previous
                .map(|duals| duals.start(m, objective, task))
                .transpose()?;
            let mut solved = train(&workshop, objective, task, warm, workspace)?;
            if scheme.probability {
                let (sigmoid, status) =
                    calibrate(&workshop, objective, task, solver.seed, m as u64, workspace)?;
                solved.sigmoid = Some(sigmoid);
                solved.status = solved.status.and(status);
            }
            Ok(solved)
        })?;
        let shared = SharedRows::of(&rows.members, &tasks, &solved, view.n_rows());
        let report = Report {
            status: solved
                .iter()
                .fold(Status::Converged, |status, s| status.and(s.status)),
            iterations: solved.iter().map(|s| s.iterations).sum(),
            objective: solved.iter().map(|s| s.objective).sum(),
            support_vectors: shared.kept.len(),
            bounded: solved.iter().map(|s| s.bounded).sum(),
            seconds: start.elapsed().as_secs_f64(),
        };
        let sigmoids = solved.iter().filter_map(|s| s.sigmoid);
        Ok(Self {
            sigmoids: scheme.probability.then(|| sigmoids.collect()),
            expansion: shared.expansion(kernel, view, &tasks, &solved)?,
            classes: rows.names,
            codes: rows.codes,
            support: shared.kept,
            support_counts: shared.counts,
            duals: duals(objective, &tasks, solved),
            report,
        })
    }
}

/// An error if some pair of classes is too unequal in size for ν.
fn ensure_feasible(objective: &Objective, tasks: &[Task]) -> Result<()> {
    let Some(nu) = objective.nu else {
        return Ok(());
    };
    let limits = tasks.iter().map(|task| objective.nu_limit(task));
    let limit = limits.fold(1.0, f64::min);
    if nu > limit {
        return Err(Error::InfeasibleNu { nu, limit });
    }
    Ok(())
}

fn duals(objective: &Objective, tasks: &[Task], solved: Vec<Solved>) -> Duals {
    let machine = |(task, solved): (&Task, Solved)| MachineDuals {
        bounds: task
            .rows
            .iter()
            .map(|&i| objective.bounds[i as usize])
            .collect(),
        beta: solved.beta,
    };
    Duals {
        machines: tasks.iter().zip(solved).map(machine).collect(),
    }
}

const UNUSED: u32 = u32::MAX;

/// Support vectors, each once, grouped by class.
struct SharedRows {
    /// Rows of the data, in the order of the support vectors.
    kept: Vec<usize>,
    /// Support vectors of each class.
    counts: Vec<usize>,
    /// Support vector of each row of the data, or `UNUSED`.
    position: Vec<u32>,
}

impl SharedRows {
    fn of(members: &[Vec<u32>], tasks: &[Task], solved: &[Solved], n_rows: usize) -> Self {
        let mut position = vec![UNUSED; n_rows];
        for (task, solved) in tasks.iter().zip(solved) {
            for (&i, &beta) in task.rows.iter().zip(&solved.coefficients) {
                if beta != 0.0 {
                    position[i as usize] = 0;
                }
            }
        }
        let mut kept = Vec::new();
        let mut counts = Vec::new();
        for rows in members {
            let before = kept.len();
            for &i in rows {
                if position[i as usize] != UNUSED {
                    position[i as usize] = kept.len() as u32;
                    kept.push(i as usize);
                }
            }
            counts.push(kept.len() - before);
        }
        Self {
            kept,
            counts,
            position,
        }
    }

    /// The machines on them.
    fn expansion(
        &self,
        kernel: Kernel,
        view: SamplesView<'_>,
        tasks: &[Task],
        solved: &[Solved],
    ) -> Result<Expansion> {
        let machine = |(task, solved): (&Task, &Solved)| {
            let mut terms: Vec<(u32, f64)> = task
                .rows
                .iter()
                .zip(&solved.coefficients)
                .filter(|&(_, &beta)| beta != 0.0)
                .map(|(&i, &beta)| (self.position[i as usize], beta))
                .collect();
            // The rest of one-vs-rest stands before its class.
            terms.sort_unstable_by_key(|&(s, _)| s);
            Machine {
                support: terms.iter().map(|term| term.0).collect(),
                coefficients: terms.iter().map(|term| term.1).collect(),
                rho: solved.rho,
            }
        };
        Ok(Expansion {
            support_vectors: keep_rows(&kernel, view, &self.kept)?,
            n_features: view.n_features(),
            machines: tasks.iter().zip(solved).map(machine).collect(),
            kernel,
        })
    }
}
