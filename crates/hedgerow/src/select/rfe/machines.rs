//! Elimination by linear machines that are trained from the features, for many rows.

use super::{Judge, RfeParams};
use crate::data::{Dataset, Target};
use crate::kernel::Kernel;
use crate::machines::SoftMargin;
use crate::{Result, Status};

/// Linear machines on the features left; memory beyond a copy of those is the cache of the solver.
pub(super) struct Machines<'a> {
    params: SoftMargin,
    data: &'a Dataset,
}

impl<'a> Machines<'a> {
    pub(super) fn new(params: &RfeParams, data: &'a Dataset) -> Self {
        let params = SoftMargin::new(Kernel::Linear, params.cost).with_tolerance(params.tolerance);
        Self { params, data }
    }
}

impl Judge for Machines<'_> {
    fn criteria(&mut self, left: &[usize]) -> Result<(Vec<f64>, Status)> {
        // Without the weights of rows, which selection does not use.
        let reduced = Dataset::new(
            self.data.samples().view().select_features(left),
            Target::Classes(self.data.classes()?.clone()),
        )?;
        let trained = self.params.train(&reduced)?;
        let expansion = &trained.expansion;
        let rows = expansion.support_vectors.view();
        let mut criteria = vec![0.0; left.len()];
        let mut row = vec![0.0; left.len()];
        for machine in &expansion.machines {
            let mut weights = vec![0.0; left.len()];
            for (&i, beta) in machine.support.iter().zip(&machine.coefficients) {
                rows.row(i as usize).write_dense(&mut row);
                for (w, x) in weights.iter_mut().zip(&row) {
                    *w += beta * x;
                }
            }
            for (criterion, w) in criteria.iter_mut().zip(weights) {
                *criterion += w * w;
            }
        }
        Ok((criteria, trained.report.status))
    }

    fn drop_features(&mut self, _gone: &[usize], _left: &[usize]) {}
}
