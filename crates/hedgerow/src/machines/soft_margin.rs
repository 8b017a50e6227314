//! A plain classifier, for methods that need one as a tool.

use super::classification::{ClassMachines, Scheme};
use super::{Multiclass, Objective, SolverParams};
use crate::Result;
use crate::data::{Dataset, SamplesView, row_weights, without_weightless_rows};
use crate::kernel::{Evaluator, Kernel, Use};

/// C-SVC, one-vs-one, with one cost for all rows.
#[derive(Debug, Clone)]
pub(crate) struct SoftMargin {
    cost: f64,
    solver: SolverParams,
}

impl SoftMargin {
    pub(crate) fn new(kernel: Kernel, cost: f64) -> Self {
        let solver = SolverParams {
            kernel: kernel.into(),
            ..SolverParams::default()
        };
        Self { cost, solver }
    }

    pub(crate) fn with_tolerance(mut self, tolerance: f64) -> Self {
        self.solver.tolerance = tolerance;
        self
    }

    /// Trains on the rows with a positive weight.
    pub(crate) fn train(&self, data: &Dataset) -> Result<ClassMachines> {
        let data = without_weightless_rows(data)?;
        let objective = Objective {
            bounds: row_weights(&data)
                .map(|weight| weight * self.cost)
                .collect(),
            nu: None,
        };
        let scheme = Scheme {
            multiclass: Multiclass::OneVsOne,
            probability: false,
            solver: &self.solver,
            previous: None,
        };
        ClassMachines::train(&data, &objective, &scheme)
    }
}

impl ClassMachines {
    /// The codes, in the labels of the training data, of the classes that one-vs-one machines see
    /// in some rows.
    pub(crate) fn into_codes(self, samples: SamplesView<'_>) -> Result<Vec<u32>> {
        let decisions = Evaluator::new(self.expansion, Use::Decisions)?.decisions(samples)?;
        let k = self.classes.len();
        let classes = Multiclass::OneVsOne.decide_rows(k, samples.n_rows(), &decisions);
        Ok(classes.iter().map(|&c| self.codes[c as usize]).collect())
    }
}
