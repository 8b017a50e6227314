//! What the linear methods share around their solvers.

use super::{Hyperplane, LinearClassifier, LinearParts};
use crate::data::{ClassName, Dataset, row_weights, without_weightless_rows};
use crate::machines::{ClassRows, Multiclass, Task, class_costs, solve_all};
use crate::{Fitted, Report, Result, Status};
use std::borrow::Cow;
use std::time::Instant;

/// The data of a fit, cut into two-class tasks.
pub(super) struct Frame<'a> {
    pub(super) data: Cow<'a, Dataset>,
    classes: Vec<ClassName>,
    /// Class of each row, in the order of the model.
    pub(super) class_of_row: Vec<u32>,
    tasks: Vec<Task>,
    /// Class weight × sample weight of each row.
    pub(super) weights: Vec<f64>,
    multiclass: Multiclass,
    began: Instant,
}

/// One two-class problem: rows with their signs and weights.
pub(super) struct TwoClass<'a> {
    pub(super) number: u64,
    pub(super) rows: &'a [u32],
    pub(super) signs: Vec<f64>,
    pub(super) weights: Vec<f64>,
    pub(super) n_positive: usize,
}

/// A solved two-class problem.
pub(super) struct Solved {
    pub(super) plane: Hyperplane,
    pub(super) objective: f64,
    pub(super) iterations: u64,
    pub(super) status: Status,
    /// Rows that the solution rests on, and those of them at their bound.
    pub(super) support: usize,
    pub(super) bounded: usize,
}

impl<'a> Frame<'a> {
    pub(super) fn new(
        data: &'a Dataset,
        class_weights: &[(ClassName, f64)],
        multiclass: Multiclass,
    ) -> Result<Self> {
        let began = Instant::now();
        let factors = class_costs(data.classes()?, 1.0, class_weights)?;
        let data = without_weightless_rows(data)?;
        let labels = data.classes()?;
        let rows = ClassRows::new(labels);
        let weights = row_weights(&data)
            .zip(labels.codes())
            .map(|(weight, &code)| weight * factors[code as usize])
            .collect();
        Ok(Self {
            tasks: rows.tasks(multiclass),
            classes: rows.names,
            class_of_row: rows.class_of_row,
            weights,
            multiclass,
            began,
            data,
        })
    }

    pub(super) fn n_classes(&self) -> usize {
        self.classes.len()
    }

    /// Seconds that are left of a limit.
    pub(super) fn seconds_left(&self, limit: Option<f64>) -> Option<f64> {
        limit.map(|all| (all - self.began.elapsed().as_secs_f64()).max(0.0))
    }

    /// Solves all tasks and makes a model of the answers.
    pub(super) fn solve(
        &self,
        log_odds: bool,
        solve: impl Fn(&TwoClass<'_>) -> Result<Solved> + Sync,
    ) -> Result<Fitted<LinearClassifier>> {
        let two_class = |number: usize, task: &Task| {
            solve(&TwoClass {
                number: number as u64,
                rows: &task.rows,
                signs: (0..task.rows.len()).map(|t| task.sign(t)).collect(),
                weights: task
                    .rows
                    .iter()
                    .map(|&i| self.weights[i as usize])
                    .collect(),
                n_positive: task.n_positive,
            })
        };
        let solved = solve_all(&self.tasks, |(): &mut (), number, task| {
            two_class(number, task)
        })?;
        self.assemble(log_odds, solved)
    }

    /// A model of solved problems.
    pub(super) fn assemble(
        &self,
        log_odds: bool,
        solved: Vec<Solved>,
    ) -> Result<Fitted<LinearClassifier>> {
        let worst = |status: Status, s: &Solved| status.and(s.status);
        let report = Report {
            status: solved.iter().fold(Status::Converged, worst),
            iterations: solved.iter().map(|s| s.iterations).sum(),
            objective: solved.iter().map(|s| s.objective).sum(),
            support_vectors: solved.iter().map(|s| s.support).sum(),
            bounded: solved.iter().map(|s| s.bounded).sum(),
            seconds: self.began.elapsed().as_secs_f64(),
        };
        let model = LinearClassifier::from_parts(LinearParts {
            n_features: self.data.n_features(),
            classes: self.classes.clone(),
            multiclass: self.multiclass,
            machines: solved.into_iter().map(|s| s.plane).collect(),
            log_odds,
        })?;
        Ok(Fitted::new(model, report))
    }
}
