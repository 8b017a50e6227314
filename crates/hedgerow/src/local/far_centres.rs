//! Centres that a row is certainly too far away from.

use super::falk::{FalkParts, Radii};
use crate::Result;
use crate::data::SamplesView;
use crate::kernel::{Gram, Kernel};
use crate::linalg::dot;

/// Tells centres that are certainly too far away from the others, by rough distances. What is left
/// must be measured as the radii were.
pub(super) struct FarCentres<'a> {
    gram: Gram<'a>,
    sq_norms: Vec<f64>,
    /// Squares of the radii of the neighbourhoods.
    limits: Vec<f64>,
    samples: SamplesView<'a>,
}

impl<'a> FarCentres<'a> {
    pub(super) fn new(samples: SamplesView<'a>, parts: &FalkParts) -> Result<Self> {
        let centres = &parts.centres;
        let limit = |radii: &Radii| radii.neighbourhood * radii.neighbourhood * (1.0 + 1e-9);
        Ok(Self {
            gram: Gram::new(&Kernel::Linear, samples, centres.clone())?.sequential(true),
            sq_norms: centres.iter().map(|&row| sq_norm(samples, row)).collect(),
            limits: parts.radii.iter().map(limit).collect(),
            samples,
        })
    }

    /// For each row after the other whether each centre is certainly too far away.
    pub(super) fn far_from(&self, rows: &[u32]) -> Result<Vec<bool>> {
        // Rounding of the factors and of as many sums as there are features, one product each.
        let rounding = f64::from(f32::EPSILON) * (self.samples.n_features() as f64 + 4.0);
        let n_centres = self.limits.len();
        let mut products = vec![0.0f32; rows.len() * n_centres];
        let queries = self.gram.queries_at(self.samples, rows)?;
        let mut parts: Vec<&mut [f32]> = products.chunks_exact_mut(n_centres.max(1)).collect();
        self.gram.block_here(&queries, 0..n_centres, &mut parts);
        let mut far = Vec::with_capacity(rows.len() * n_centres);
        for (products, &row) in parts.iter().zip(rows) {
            let own = sq_norm(self.samples, row);
            let centres = self.sq_norms.iter().zip(&self.limits);
            far.extend(
                products
                    .iter()
                    .zip(centres)
                    .map(|(&product, (&other, &limit))| {
                        let sum = own + other;
                        // Where this is no number, nothing is known.
                        sum - 2.0 * f64::from(product) - rounding * sum > limit
                    }),
            );
        }
        Ok(far)
    }
}

fn sq_norm(samples: SamplesView<'_>, row: u32) -> f64 {
    let values = samples.row(row as usize).values();
    dot(values, values)
}
