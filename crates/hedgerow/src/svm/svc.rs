//! C-SVC and ν-SVC for any number of classes.

use super::binary::{Objective, Solved, Task, Workshop, calibrate, train};
use super::duals::MachineDuals;
use super::multiclass::pairs;
use super::params::{class_builders, forward_solver_builders};
use super::{Duals, Multiclass, SolverParams, SvmClassifier, SvmParts};
use crate::estimator::estimator;
use crate::method::{Card, KERNELS, PythonClass, PythonParameter};
use crate::data::{ClassName, Dataset, SamplesView};
use crate::kernel::{Expansion, Kernel, Machine, keep_rows};
use crate::params::{ClassWeights, params};
use crate::solve::smo::DenseSolver;
use crate::{Error, Fitted, Report, Result, Status};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::time::Instant;

/// C-SVC: $\min \tfrac12\|w\|^2 + \sum_i C_i \max(0, 1 - y_i f(x_i))$ for every machine, with
/// $C_i$ = cost × class weight × sample weight.
///
/// ```
/// use hedgerow::data::{ClassLabels, Dataset, Samples, Target};
/// use hedgerow::kernel::Kernel;
/// use hedgerow::svm::SvcParams;
/// use hedgerow::{Prediction, Predictor};
///
/// let samples = Samples::dense(4, 1, vec![-2.0, -1.0, 1.0, 2.0])?;
/// let labels = ClassLabels::from_texts(&["left", "left", "right", "right"]);
/// let data = Dataset::new(samples, Target::Classes(labels))?;
/// let fitted = SvcParams::default().with_cost(10.0).with_kernel(Kernel::Linear).fit(&data)?;
/// assert_eq!(fitted.model.predict(data.samples().view())?, Prediction::Classes(vec![0, 0, 1, 1]));
/// assert_eq!(fitted.report.support_vectors, 2);
/// # Ok::<(), hedgerow::Error>(())
/// ```
#[params]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SvcParams {
    /// Price of a violated margin, C.
    #[param(default = 1.0, above = 0.0, short = 'c', python = "C", tunable)]
    pub cost: f64,
    /// Factors of the cost for some classes; 1 for all others.
    #[param(above = 0.0, option = "class_weight", no_python)]
    pub class_weights: ClassWeights,
    /// How more than two classes are told apart.
    #[param(default = Multiclass::OneVsOne, no_python)]
    pub multiclass: Multiclass,
    /// Calibrate, so that the model can tell probabilities; costs five more fits.
    #[param(default = false, switch = 'b', no_python)]
    pub probability: bool,
    /// Kernel and solver.
    #[param(flatten)]
    pub solver: SolverParams,
}

forward_solver_builders!(SvcParams);
forward_solver_builders!(NuSvcParams);

class_builders!(SvcParams);

impl SvcParams {
    /// Trains on the rows with a positive weight.
    pub fn fit(&self, data: &Dataset) -> Result<Fitted<SvmClassifier>> {
        self.fit_machines(data, None).map(|(fitted, _)| fitted)
    }

    /// As [`SvcParams::fit`], with the dual solution for a later [`SvcParams::fit_from`].
    pub fn fit_with_duals(&self, data: &Dataset) -> Result<(Fitted<SvmClassifier>, Duals)> {
        self.fit_machines(data, None)
    }

    /// Trains from the solution of an earlier fit of the same rows and classes, for example with
    /// another cost. The optimum is the same, the way there shorter.
    pub fn fit_from(
        &self,
        data: &Dataset,
        previous: &Duals,
    ) -> Result<(Fitted<SvmClassifier>, Duals)> {
        self.fit_machines(data, Some(previous))
    }

    fn fit_machines(
        &self,
        data: &Dataset,
        previous: Option<&Duals>,
    ) -> Result<(Fitted<SvmClassifier>, Duals)> {
        self.check()?;
        let labels = data.classes()?;
        let mut factors = vec![self.cost; labels.n_classes()];
        for (name, weight) in &self.class_weights {
            let code = labels.code_of(name).ok_or_else(|| Error::UnknownClass {
                name: name.to_string(),
            })?;
            factors[code as usize] = self.cost * weight;
        }
        let data = without_weightless_rows(data)?;
        let bounds = row_weights(&data)
            .zip(data.classes()?.codes())
            .map(|(weight, &code)| weight * factors[code as usize])
            .collect();
        let objective = Objective { bounds, nu: None };
        train_all(
            &data,
            &objective,
            self.multiclass,
            self.probability,
            &self.solver,
            previous,
        )
    }
}

/// ν-SVC: C-SVC whose cost is chosen such that ν bounds the share of margin errors from above and
/// that of support vectors from below.
#[params]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NuSvcParams {
    /// Upper bound of the share of margin errors, lower bound of that of support vectors, ν.
    #[param(default = 0.5, above = 0.0, most = 1.0, short = 'n', tunable)]
    pub nu: f64,
    /// How more than two classes are told apart.
    #[param(default = Multiclass::OneVsOne, no_python)]
    pub multiclass: Multiclass,
    /// Calibrate, so that the model can tell probabilities; costs five more fits.
    #[param(default = false, switch = 'b', no_python)]
    pub probability: bool,
    /// Kernel and solver.
    #[param(flatten)]
    pub solver: SolverParams,
}

impl NuSvcParams {
    /// Trains on the rows with a positive weight.
    ///
    /// # Errors
    /// [`Error::InfeasibleNu`] when two classes are too unequal in size for ν.
    pub fn fit(&self, data: &Dataset) -> Result<Fitted<SvmClassifier>> {
        self.check()?;
        data.classes()?;
        let data = without_weightless_rows(data)?;
        let objective = Objective {
            bounds: row_weights(&data).collect(),
            nu: Some(self.nu),
        };
        train_all(
            &data,
            &objective,
            self.multiclass,
            self.probability,
            &self.solver,
            None,
        )
        .map(|(fitted, _)| fitted)
    }
}

/// The data without rows of weight 0; an error if none is left.
pub(crate) fn without_weightless_rows(data: &Dataset) -> Result<Cow<'_, Dataset>> {
    let data = match data.weights() {
        Some(weights) if weights.contains(&0.0) => Cow::Owned(data.select(&weighty_rows(data))),
        _ => Cow::Borrowed(data),
    };
    if data.n_rows() == 0 {
        return Err(Error::NoRows);
    }
    Ok(data)
}

/// The rows whose weight is positive.
pub(crate) fn weighty_rows(data: &Dataset) -> Vec<usize> {
    let counts = |&row: &usize| data.weights().is_none_or(|all| all[row] > 0.0);
    (0..data.n_rows()).filter(counts).collect()
}

/// The weight of every row.
pub(super) fn row_weights(data: &Dataset) -> impl Iterator<Item = f64> {
    (0..data.n_rows()).map(|i| data.weights().map_or(1.0, |weights| weights[i]))
}

/// Codes of the classes that rows have, in the order of a model.
pub(super) fn class_order(data: &Dataset) -> Result<Vec<u32>> {
    let labels = data.classes()?;
    let mut seen = vec![false; labels.n_classes()];
    let mut order = Vec::new();
    for &code in labels.codes() {
        if !std::mem::replace(&mut seen[code as usize], true) {
            order.push(code);
        }
    }
    if let [first, second] = order[..]
        && labels.names()[first as usize] == ClassName::Number(-1.0)
        && labels.names()[second as usize] == ClassName::Number(1.0)
    {
        order.swap(0, 1);
    }
    Ok(order)
}

/// The two-class problems of a scheme, given the rows of each class.
pub(super) fn tasks(members: &[Vec<u32>], multiclass: Multiclass) -> Vec<Task> {
    let k = members.len();
    let join = |a: usize, others: &mut dyn Iterator<Item = usize>| {
        let mut rows = members[a].clone();
        others.for_each(|b| rows.extend_from_slice(&members[b]));
        Task {
            n_positive: members[a].len(),
            rows,
        }
    };
    if multiclass == Multiclass::OneVsRest && k > 2 {
        return (0..k)
            .map(|a| join(a, &mut (0..k).filter(|&b| b != a)))
            .collect();
    }
    pairs(k)
        .map(|(a, b)| join(a, &mut std::iter::once(b)))
        .collect()
}

fn train_all(
    data: &Dataset,
    objective: &Objective,
    multiclass: Multiclass,
    probability: bool,
    solver: &SolverParams,
    previous: Option<&Duals>,
) -> Result<(Fitted<SvmClassifier>, Duals)> {
    let start = Instant::now();
    let labels = data.classes()?;
    let view = data.samples().view();
    let kernel = solver.kernel.resolve(view, solver.seed)?;
    let order = class_order(data)?;
    let mut class_of_code = vec![0; labels.n_classes()];
    for (class, &code) in order.iter().enumerate() {
        class_of_code[code as usize] = class;
    }
    let mut members = vec![Vec::new(); order.len()];
    for (i, &code) in labels.codes().iter().enumerate() {
        members[class_of_code[code as usize]].push(i as u32);
    }
    let tasks = tasks(&members, multiclass);
    if let Some(nu) = objective.nu {
        let limits = tasks.iter().map(|task| objective.nu_limit(task));
        let limit = limits.fold(1.0, f64::min);
        if nu > limit {
            return Err(Error::InfeasibleNu { nu, limit });
        }
    }
    let at_once = rayon::current_num_threads().min(tasks.len()).max(1);
    let workshop = Workshop::new(&kernel, view, solver, true, start)?.one_of(at_once);
    let solved: Vec<Solved> = tasks
        .par_iter()
        .enumerate()
        .map_init(DenseSolver::new, |workspace, (m, task)| {
            let warm = previous
                .map(|duals| duals.start(m, objective, task))
                .transpose()?;
            let mut solved = train(&workshop, objective, task, warm, workspace)?;
            if probability {
                let (sigmoid, status) =
                    calibrate(&workshop, objective, task, solver.seed, m as u64, workspace)?;
                solved.sigmoid = Some(sigmoid);
                solved.status = solved.status.and(status);
            }
            Ok(solved)
        })
        .collect::<Result<_>>()?;

    let model = SvmClassifier::from_parts(SvmParts {
        classes: order
            .iter()
            .map(|&code| labels.names()[code as usize].clone())
            .collect(),
        multiclass,
        sigmoids: probability.then(|| solved.iter().filter_map(|s| s.sigmoid).collect()),
        ..assemble(kernel, view, &members, &tasks, &solved)?
    })?;
    let report = Report {
        status: solved
            .iter()
            .fold(Status::Converged, |status, s| status.and(s.status)),
        iterations: solved.iter().map(|s| s.iterations).sum(),
        objective: solved.iter().map(|s| s.objective).sum(),
        support_vectors: model.n_support(),
        bounded: solved.iter().map(|s| s.bounded).sum(),
        seconds: start.elapsed().as_secs_f64(),
    };
    let machines = tasks
        .iter()
        .zip(solved)
        .map(|(task, solved)| MachineDuals {
            bounds: task
                .rows
                .iter()
                .map(|&i| objective.bounds[i as usize])
                .collect(),
            beta: solved.beta,
        })
        .collect();
    Ok((Fitted { model, report }, Duals { machines }))
}

/// Support vectors, each once, grouped by class, and the machines on them.
fn assemble(
    kernel: Kernel,
    view: SamplesView<'_>,
    members: &[Vec<u32>],
    tasks: &[Task],
    solved: &[Solved],
) -> Result<SvmParts> {
    const UNUSED: u32 = u32::MAX;
    let mut position = vec![UNUSED; view.n_rows()];
    for (task, solved) in tasks.iter().zip(solved) {
        for (&i, &beta) in task.rows.iter().zip(&solved.coefficients) {
            if beta != 0.0 {
                position[i as usize] = 0;
            }
        }
    }
    let mut kept = Vec::new();
    let mut support_counts = Vec::new();
    for rows in members {
        let before = kept.len();
        for &i in rows {
            if position[i as usize] != UNUSED {
                position[i as usize] = kept.len() as u32;
                kept.push(i as usize);
            }
        }
        support_counts.push(kept.len() - before);
    }
    let machines = tasks
        .iter()
        .zip(solved)
        .map(|(task, solved)| {
            let mut terms: Vec<(u32, f64)> = task
                .rows
                .iter()
                .zip(&solved.coefficients)
                .filter(|&(_, &beta)| beta != 0.0)
                .map(|(&i, &beta)| (position[i as usize], beta))
                .collect();
            // The rest of one-vs-rest stands before its class.
            terms.sort_unstable_by_key(|&(s, _)| s);
            Machine {
                support: terms.iter().map(|term| term.0).collect(),
                coefficients: terms.iter().map(|term| term.1).collect(),
                rho: solved.rho,
            }
        })
        .collect();
    Ok(SvmParts {
        expansion: Expansion {
            support_vectors: keep_rows(&kernel, view, &kept)?,
            n_features: view.n_features(),
            kernel,
            machines,
        },
        classes: Vec::new(),
        support_counts,
        multiclass: Multiclass::OneVsOne,
        sigmoids: None,
    })
}

/// Form of the decision values in Python.
const DECISION_SHAPE: PythonParameter = PythonParameter {
    name: "decision_function_shape",
    form: "\"ovr\" or \"ovo\"",
    annotation: "str",
    default: "\"ovr\"",
    about: "Form of the decision values of more than two classes: a column a class, or a pair.",
};

estimator!(SvcParams => SvmClassifier, [Card {
    name: "svm",
    about: "C-SVC: classification",
    grid: &["cost=2^-1:2:9", "gamma=2^-7:2:3"],
    kernels: KERNELS,
    libsvm_type: Some(0),
    page: "exact-svm",
    python: PythonClass {
        name: "SVC",
        base: "ExpansionClassifier",
        about: "C-support vector classification.",
        extra: &[DECISION_SHAPE],
        ..PythonClass::PLAIN
    },
    ..Card::PLAIN
}]);

estimator!(NuSvcParams => SvmClassifier, [Card {
    name: "nu-svm",
    about: "ν-SVC: classification with a share of errors in place of a cost",
    grid: &["nu=0.1:0.1:0.5", "gamma=2^-7:2:3"],
    kernels: KERNELS,
    libsvm_type: Some(1),
    page: "exact-svm",
    python: PythonClass {
        name: "NuSVC",
        base: "ExpansionClassifier",
        about: "Nu-support vector classification: ``nu`` bounds the share of margin errors from \
                above and that of support vectors from below.\n\nThere is no ``class_weight``: the \
                problem has no cost that it could scale.",
        extra: &[DECISION_SHAPE],
        ..PythonClass::PLAIN
    },
    ..Card::PLAIN
}]);
