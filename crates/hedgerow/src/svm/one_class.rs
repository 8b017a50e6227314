//! The support of a distribution.

use super::SolverParams;
use super::svc::ensure_nu;
use crate::data::{
    ClassName, Dataset, SamplesView, numbers_of_weighty, row_weights, without_weightless_rows,
};
use crate::kernel::{Evaluator, Expansion, Use, rows_that_count};
use crate::machines::{Workshop, forward_solver_builders};
use crate::solve::smo::{DenseSolver, Problem};
use crate::{Fitted, Prediction, Predictor, Report, Result, ScoreMatrix};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::time::Instant;

/// One-class SVM: a region that holds most rows, with ν the share that may lie outside.
///
/// $\min \tfrac12\alpha^\top K\alpha$ with $0 \le \alpha_i \le$ weight, $\sum\alpha = \nu \sum$ weights. Targets
/// are not read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OneClassParams {
    /// ν in (0, 1]; 0.5 by default.
    pub nu: f64,
    /// Kernel and solver.
    pub solver: SolverParams,
}

impl Default for OneClassParams {
    fn default() -> Self {
        Self {
            nu: 0.5,
            solver: SolverParams::default(),
        }
    }
}

forward_solver_builders!(OneClassParams);

impl OneClassParams {
    /// Sets ν.
    pub fn with_nu(mut self, nu: f64) -> Self {
        self.nu = nu;
        self
    }

    /// An error that names the first parameter out of its range.
    pub fn check(&self) -> Result<()> {
        ensure_nu(self.nu)?;
        self.solver.check()
    }

    /// Trains on the rows with a positive weight.
    pub fn fit(&self, data: &Dataset) -> Result<Fitted<OneClassSvm>> {
        self.check()?;
        let start = Instant::now();
        let all = data;
        let data = without_weightless_rows(all)?;
        let view = data.samples().view();
        let kernel = self.solver.kernel.resolve(view, self.solver.seed)?;
        let upper: Vec<f64> = row_weights(&data).collect();
        let n = upper.len();
        // Filled from the front, as LIBSVM does.
        let mut rest = self.nu * upper.iter().sum::<f64>();
        let mut first = vec![0.0; n];
        for (value, &bound) in first.iter_mut().zip(&upper) {
            *value = rest.min(bound);
            rest -= *value;
        }
        let problem = Problem {
            linear: vec![0.0; n],
            lower: vec![0.0; n],
            upper,
            start: first,
            groups: None,
        };
        let workshop = Workshop::new(&kernel, view, &self.solver, false, start)?;
        let rows: Vec<u32> = (0..n as u32).collect();
        let solution = workshop.solve(&rows, &problem, &mut DenseSolver::new())?;
        let rho = solution.multiplier(&problem, 0);
        let bounded = (0..n)
            .filter(|&t| solution.beta[t] >= problem.upper[t])
            .count();
        let model = OneClassSvm::from_parts(Expansion::of_one(kernel, view, &solution.beta, rho)?)?;
        let report = Report {
            status: solution.status,
            iterations: solution.iterations,
            objective: solution.objective,
            support_vectors: model.parts().support_vectors.n_rows(),
            bounded,
            seconds: start.elapsed().as_secs_f64(),
        };
        let support = numbers_of_weighty(all, &rows_that_count(&solution.beta));
        Ok(Fitted::new(model, report).with_support(support))
    }
}

/// A fitted one-class SVM: class `1` inside the region, class `-1` outside.
#[derive(Debug, Clone, PartialEq)]
pub struct OneClassSvm {
    evaluator: Evaluator,
    classes: [ClassName; 2],
}

impl OneClassSvm {
    /// A model from its expansion, which must have one machine.
    pub fn from_parts(parts: Expansion) -> Result<Self> {
        super::regression::ensure_one_machine(&parts)?;
        let classes = [ClassName::Number(1.0), ClassName::Number(-1.0)];
        Ok(Self {
            evaluator: Evaluator::new(parts, Use::Decisions)?,
            classes,
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

impl Predictor for OneClassSvm {
    fn n_features(&self) -> usize {
        self.parts().n_features
    }

    fn classes(&self) -> Option<&[ClassName]> {
        Some(&self.classes)
    }

    fn predict(&self, samples: SamplesView<'_>) -> Result<Prediction> {
        Ok(sides(&self.evaluator.decisions(samples)?))
    }

    fn predict_row(&self, row: &[f64]) -> Result<f64> {
        let decisions = self.evaluator.row_decisions(row)?;
        Ok(f64::from(u8::from(decisions[0] <= 0.0)))
    }

    /// One column, positive inside.
    fn scores(&self, samples: SamplesView<'_>) -> Result<ScoreMatrix> {
        Ok(score_matrix(self.evaluator.decisions(samples)?))
    }

    fn predict_with_scores(&self, samples: SamplesView<'_>) -> Result<(Prediction, ScoreMatrix)> {
        let decisions = self.evaluator.decisions(samples)?;
        Ok((sides(&decisions), score_matrix(decisions)))
    }
}

/// Class 0 for a positive value, which lies inside, class 1 for all else.
fn sides(decisions: &[f64]) -> Prediction {
    let outside = decisions.iter().map(|&value| u32::from(value <= 0.0));
    Prediction::Classes(outside.collect())
}

fn score_matrix(values: Vec<f64>) -> ScoreMatrix {
    ScoreMatrix {
        columns: vec!["1/-1".to_owned()],
        values,
    }
}

impl Serialize for OneClassSvm {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        self.parts().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for OneClassSvm {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let parts = Expansion::deserialize(deserializer)?;
        Self::from_parts(parts).map_err(serde::de::Error::custom)
    }
}
