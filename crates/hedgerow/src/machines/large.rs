//! Machines on rows that are too many for a matrix of all their pairs.
//!
//! [`super::small`] keeps every kernel value of its problem. Where a neighbourhood is too large for
//! that, this is the solver of the exact SVM, with its cache of kernel rows.

use super::binary::{Objective, Solved, Workshop, calibrate, train};
use super::tube::{self, Tube};
use super::{SolverParams, Task};
use crate::Result;
use crate::data::SamplesView;
use crate::kernel::Kernel;
use crate::solve::smo::DenseSolver;
use std::time::Instant;

/// Where machines on the rows of some samples are solved.
pub(crate) struct LargeSvm<'a>(Workshop<'a>);

impl<'a> LargeSvm<'a> {
    /// `start` is when the clock of the solver's limits began to run, `at_once` how many share
    /// threads and kernel cache.
    pub(crate) fn new(
        kernel: &'a Kernel,
        samples: SamplesView<'a>,
        solver: &'a SolverParams,
        start: Instant,
        at_once: usize,
    ) -> Result<Self> {
        let workshop = Workshop::new(kernel, samples, solver, true, start)?;
        Ok(Self(workshop.one_of(at_once)))
    }

    /// Tells rows of two classes apart, `bounds` being $C_i$ of all rows of the samples.
    /// Coefficients are of the positive rows, then of the negative ones. With the number of a task,
    /// for everything random in it, a sigmoid is fitted.
    pub(crate) fn classify(
        &self,
        positive: &[u32],
        negative: &[u32],
        bounds: &[f64],
        calibration: Option<u64>,
    ) -> Result<Solved> {
        let workshop = &self.0;
        let objective = Objective {
            bounds: bounds.to_vec(),
            nu: None,
        };
        let task = Task {
            rows: [positive, negative].concat(),
            n_positive: positive.len(),
        };
        let mut workspace = DenseSolver::new();
        let mut solved = train(workshop, &objective, &task, None, &mut workspace)?;
        if let Some(number) = calibration {
            let seed = workshop.solver.seed;
            let (sigmoid, status) =
                calibrate(workshop, &objective, &task, seed, number, &mut workspace)?;
            solved.sigmoid = Some(sigmoid);
            solved.status = solved.status.and(status);
        }
        Ok(solved)
    }

    /// Estimates the targets of all rows within a tube of half width `epsilon`.
    pub(crate) fn regress(&self, targets: &[f64], costs: &[f64], epsilon: f64) -> Result<Solved> {
        tube::solve(&self.0, targets, costs, Tube::Width(epsilon))
    }
}
