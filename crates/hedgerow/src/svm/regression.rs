//! ε-SVR and ν-SVR.

use super::SolverParams;
use super::binary::{Solved, Workshop};
use super::params::forward_solver_builders;
use super::svc::{row_weights, without_weightless_rows};
use crate::estimator::estimator;
use crate::method::{Card, KERNELS, PythonClass, Task};
use crate::data::{ClassName, Dataset, SamplesView};
use crate::kernel::{Evaluator, Expansion, Use};
use crate::params::params;
use crate::solve::smo::{DenseSolver, Problem};
use crate::{Error, Fitted, Prediction, Predictor, Report, Result, ScoreMatrix};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::time::Instant;

/// ε-SVR: $\min \tfrac12\|w\|^2 + \sum_i C_i \max(0, |t_i - f(x_i)| - \varepsilon)$ with $C_i$ = cost × sample
/// weight.
#[params]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SvrParams {
    /// Price of leaving the tube, C.
    #[param(default = 1.0, above = 0.0, short = 'c', python = "C", tunable)]
    pub cost: f64,
    /// Half width of the tube: errors up to this cost nothing.
    #[param(default = 0.1, least = 0.0, short = 'p', tunable)]
    pub epsilon: f64,
    /// Kernel and solver.
    #[param(flatten)]
    pub solver: SolverParams,
}

/// ν-SVR: ε-SVR whose tube is as wide as it must be for about a share ν of the rows outside.
#[params]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NuSvrParams {
    /// Price of leaving the tube, C.
    #[param(default = 1.0, above = 0.0, short = 'c', python = "C", tunable)]
    pub cost: f64,
    /// Upper bound of the share of rows outside the tube, ν.
    #[param(default = 0.5, above = 0.0, most = 1.0, short = 'n', tunable)]
    pub nu: f64,
    /// Kernel and solver.
    #[param(flatten)]
    pub solver: SolverParams,
}

forward_solver_builders!(SvrParams);
forward_solver_builders!(NuSvrParams);

impl SvrParams {
    /// Trains on the rows with a positive weight.
    pub fn fit(&self, data: &Dataset) -> Result<Fitted<SvmRegressor>> {
        self.check()?;
        fit(data, self.cost, Tube::Width(self.epsilon), &self.solver)
    }
}

impl NuSvrParams {
    /// Trains on the rows with a positive weight.
    pub fn fit(&self, data: &Dataset) -> Result<Fitted<SvmRegressor>> {
        self.check()?;
        fit(data, self.cost, Tube::Share(self.nu), &self.solver)
    }
}

/// What sets the width of the tube in which errors are free.
#[derive(Clone, Copy)]
pub(super) enum Tube {
    Width(f64),
    Share(f64),
}

/// The dual problem: variables $0..n$ pull up, $n..2n$ pull down.
pub(super) fn problem(targets: &[f64], costs: &[f64], tube: Tube) -> Problem {
    let n = targets.len();
    let half = match tube {
        Tube::Width(epsilon) => epsilon,
        Tube::Share(_) => 0.0,
    };
    let up = targets.iter().map(|target| half - target);
    let down = targets.iter().map(|target| -half - target);
    let mut problem = Problem {
        linear: up.chain(down).collect(),
        lower: costs
            .iter()
            .map(|_| 0.0)
            .chain(costs.iter().map(|cost| -cost))
            .collect(),
        upper: costs
            .iter()
            .copied()
            .chain(costs.iter().map(|_| 0.0))
            .collect(),
        start: vec![0.0; 2 * n],
        groups: None,
    };
    if let Tube::Share(nu) = tube {
        problem.groups = Some((0..2 * n).map(|t| u8::from(t >= n)).collect());
        let mut rest = nu * costs.iter().sum::<f64>() / 2.0;
        for (i, &cost) in costs.iter().enumerate() {
            let taken = rest.min(cost);
            problem.start[i] = taken;
            problem.start[n + i] = -taken;
            rest -= taken;
        }
    }
    problem
}

fn fit(
    data: &Dataset,
    cost: f64,
    tube: Tube,
    solver: &SolverParams,
) -> Result<Fitted<SvmRegressor>> {
    let start = Instant::now();
    data.real_targets()?;
    let data = without_weightless_rows(data)?;
    let targets = data.real_targets()?;
    let view = data.samples().view();
    let kernel = solver.kernel.resolve(view, solver.seed)?;
    let n = targets.len();
    if targets.iter().all(|&target| target == targets[0]) {
        let model =
            SvmRegressor::from_parts(Expansion::of_one(kernel, view, &vec![0.0; n], -targets[0])?)?;
        return Ok(Fitted {
            model,
            report: Report::trivial(),
        });
    }
    let costs: Vec<f64> = row_weights(&data).map(|weight| weight * cost).collect();
    let workshop = Workshop::new(&kernel, view, solver, true, start)?;
    let solved = solve(&workshop, targets, &costs, tube)?;
    let parts = Expansion::of_one(kernel.clone(), view, &solved.coefficients, solved.rho)?;
    let model = SvmRegressor::from_parts(parts)?;
    let report = Report {
        status: solved.status,
        iterations: solved.iterations,
        objective: solved.objective,
        support_vectors: model.parts().support_vectors.n_rows(),
        bounded: solved.bounded,
        seconds: start.elapsed().as_secs_f64(),
    };
    Ok(Fitted { model, report })
}

/// Estimates the targets of all rows of a workshop.
pub(super) fn solve(
    workshop: &Workshop<'_>,
    targets: &[f64],
    costs: &[f64],
    tube: Tube,
) -> Result<Solved> {
    let n = targets.len();
    let problem = problem(targets, costs, tube);
    let rows: Vec<u32> = (0..n as u32).chain(0..n as u32).collect();
    let solution = workshop.solve(&rows, &problem, &mut DenseSolver::new())?;
    let rho = match tube {
        Tube::Width(_) => solution.multiplier(&problem, 0),
        Tube::Share(_) => f64::midpoint(
            solution.multiplier(&problem, 0),
            solution.multiplier(&problem, 1),
        ),
    };
    let coefficients: Vec<f64> = (0..n)
        .map(|i| solution.beta[i] + solution.beta[n + i])
        .collect();
    let bounded = (0..n)
        .filter(|&i| coefficients[i].abs() >= costs[i])
        .count();
    Ok(Solved {
        coefficients,
        beta: solution.beta,
        rho,
        objective: solution.objective,
        iterations: solution.iterations,
        status: solution.status,
        bounded,
        sigmoid: None,
    })
}

/// An error unless the expansion has exactly one machine.
pub(super) fn ensure_one_machine(parts: &Expansion) -> Result<()> {
    if parts.machines.len() == 1 {
        return Ok(());
    }
    Err(Error::Shape {
        what: "machines",
        expected: 1,
        found: parts.machines.len(),
    })
}

/// A fitted support vector regression.
#[derive(Debug, Clone, PartialEq)]
pub struct SvmRegressor {
    evaluator: Evaluator,
}

impl SvmRegressor {
    /// A model from its expansion, which must have one machine.
    pub fn from_parts(parts: Expansion) -> Result<Self> {
        ensure_one_machine(&parts)?;
        Ok(Self {
            evaluator: Evaluator::new(parts, Use::Answers)?,
        })
    }

    /// The expansion.
    pub fn parts(&self) -> &Expansion {
        self.evaluator.expansion()
    }

    /// An error that says what does not fit together.
    pub fn validate(&self) -> Result<()> {
        self.parts().validate()
    }
}

impl Predictor for SvmRegressor {
    fn n_features(&self) -> usize {
        self.parts().n_features
    }

    fn classes(&self) -> Option<&[ClassName]> {
        None
    }

    fn predict(&self, samples: SamplesView<'_>) -> Result<Prediction> {
        self.evaluator.decisions(samples).map(Prediction::Real)
    }

    /// One column: the predicted value.
    fn scores(&self, samples: SamplesView<'_>) -> Result<ScoreMatrix> {
        let values = self.evaluator.decisions(samples)?;
        Ok(ScoreMatrix {
            columns: vec!["value".to_owned()],
            values,
        })
    }
}

impl Serialize for SvmRegressor {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        self.parts().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for SvmRegressor {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let parts = Expansion::deserialize(deserializer)?;
        Self::from_parts(parts).map_err(serde::de::Error::custom)
    }
}

estimator!(SvrParams => SvmRegressor, [Card {
    name: "svr",
    about: "ε-SVR: regression",
    task: Task::Real,
    grid: &["cost=2^-1:2:9", "gamma=2^-7:2:3"],
    kernels: KERNELS,
    libsvm_type: Some(3),
    page: "exact-svm",
    python: PythonClass {
        name: "SVR",
        base: "ExpansionRegressor",
        about: "Epsilon-support vector regression.",
        ..PythonClass::PLAIN
    },
    ..Card::PLAIN
}]);

estimator!(NuSvrParams => SvmRegressor, [Card {
    name: "nu-svr",
    about: "ν-SVR: regression that finds its own tube",
    task: Task::Real,
    grid: &["cost=2^-1:2:9", "gamma=2^-7:2:3"],
    kernels: KERNELS,
    libsvm_type: Some(4),
    page: "exact-svm",
    python: PythonClass {
        name: "NuSVR",
        base: "ExpansionRegressor",
        about: "Nu-support vector regression: the tube is as wide as it must be for about a share \
                ``nu`` of the rows outside.",
        ..PythonClass::PLAIN
    },
    ..Card::PLAIN
}]);
