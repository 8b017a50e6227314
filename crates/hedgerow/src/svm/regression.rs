//! ε-SVR and ν-SVR.

use super::SolverParams;
use super::svc::ensure_nu;
use crate::data::{
    ClassName, Dataset, SamplesView, numbers_of_weighty, row_weights, without_weightless_rows,
};
use crate::error::{ensure_not_negative, ensure_positive};
use crate::kernel::{Evaluator, Expansion, Use, rows_that_count};
use crate::machines::{Tube, Workshop, forward_solver_builders, solve_tube};
use crate::{Error, Fitted, Prediction, Predictor, Report, Result, ScoreMatrix};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::time::Instant;

/// ε-SVR: $\min \tfrac12\|w\|^2 + \sum_i C_i \max(0, |t_i - f(x_i)| - \varepsilon)$ with $C_i$ = cost × sample
/// weight.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SvrParams {
    /// Price of leaving the tube, C; 1 by default.
    pub cost: f64,
    /// Half width of the tube; 0.1 by default.
    pub epsilon: f64,
    /// Kernel and solver.
    pub solver: SolverParams,
}

impl Default for SvrParams {
    fn default() -> Self {
        Self {
            cost: 1.0,
            epsilon: 0.1,
            solver: SolverParams::default(),
        }
    }
}

/// ν-SVR: ε-SVR whose tube is as wide as it must be for about a share ν of the rows outside.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NuSvrParams {
    /// Price of leaving the tube, C; 1 by default.
    pub cost: f64,
    /// ν in (0, 1]; 0.5 by default.
    pub nu: f64,
    /// Kernel and solver.
    pub solver: SolverParams,
}

impl Default for NuSvrParams {
    fn default() -> Self {
        Self {
            cost: 1.0,
            nu: 0.5,
            solver: SolverParams::default(),
        }
    }
}

forward_solver_builders!(SvrParams);
forward_solver_builders!(NuSvrParams);

impl SvrParams {
    /// Sets the price of leaving the tube.
    pub fn with_cost(mut self, cost: f64) -> Self {
        self.cost = cost;
        self
    }

    /// Sets the half width of the tube.
    pub fn with_epsilon(mut self, epsilon: f64) -> Self {
        self.epsilon = epsilon;
        self
    }

    /// An error that names the first parameter out of its range.
    pub fn check(&self) -> Result<()> {
        ensure_positive("cost", self.cost)?;
        ensure_not_negative("epsilon", self.epsilon)?;
        self.solver.check()
    }

    /// Trains on the rows with a positive weight.
    pub fn fit(&self, data: &Dataset) -> Result<Fitted<SvmRegressor>> {
        self.check()?;
        fit(data, self.cost, Tube::Width(self.epsilon), &self.solver)
    }
}

impl NuSvrParams {
    /// Sets the price of leaving the tube.
    pub fn with_cost(mut self, cost: f64) -> Self {
        self.cost = cost;
        self
    }

    /// Sets ν.
    pub fn with_nu(mut self, nu: f64) -> Self {
        self.nu = nu;
        self
    }

    /// An error that names the first parameter out of its range.
    pub fn check(&self) -> Result<()> {
        ensure_positive("cost", self.cost)?;
        ensure_nu(self.nu)?;
        self.solver.check()
    }

    /// Trains on the rows with a positive weight.
    pub fn fit(&self, data: &Dataset) -> Result<Fitted<SvmRegressor>> {
        self.check()?;
        fit(data, self.cost, Tube::Share(self.nu), &self.solver)
    }
}

fn fit(
    data: &Dataset,
    cost: f64,
    tube: Tube,
    solver: &SolverParams,
) -> Result<Fitted<SvmRegressor>> {
    let start = Instant::now();
    data.real_targets()?;
    let all = data;
    let data = without_weightless_rows(all)?;
    let targets = data.real_targets()?;
    let view = data.samples().view();
    let kernel = solver.kernel.resolve(view, solver.seed)?;
    let n = targets.len();
    if targets.iter().all(|&target| target == targets[0]) {
        let model =
            SvmRegressor::from_parts(Expansion::of_one(kernel, view, &vec![0.0; n], -targets[0])?)?;
        return Ok(Fitted::new(model, Report::trivial()).with_support(Vec::new()));
    }
    let costs: Vec<f64> = row_weights(&data).map(|weight| weight * cost).collect();
    let workshop = Workshop::new(&kernel, view, solver, true, start)?;
    let solved = solve_tube(&workshop, targets, &costs, tube)?;
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
    let support = numbers_of_weighty(all, &rows_that_count(&solved.coefficients));
    Ok(Fitted::new(model, report).with_support(support))
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

    fn predict_row(&self, row: &[f64]) -> Result<f64> {
        self.evaluator.row_decisions(row).map(|values| values[0])
    }

    /// One column: the predicted value.
    fn scores(&self, samples: SamplesView<'_>) -> Result<ScoreMatrix> {
        Ok(score_matrix(self.evaluator.decisions(samples)?))
    }

    fn predict_with_scores(&self, samples: SamplesView<'_>) -> Result<(Prediction, ScoreMatrix)> {
        let values = self.evaluator.decisions(samples)?;
        Ok((Prediction::Real(values.clone()), score_matrix(values)))
    }
}

fn score_matrix(values: Vec<f64>) -> ScoreMatrix {
    ScoreMatrix {
        columns: vec!["value".to_owned()],
        values,
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
