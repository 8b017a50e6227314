//! The upper levels of trees, without the rest of them.

use super::rough::RoughRows;
use super::{CoverTree, CoverTreeParams, Prepared, Space, Visit};
use crate::Result;
use crate::data::SamplesView;
use crate::neighbours::Metric;
use crate::neighbours::index::ensure_rows;

/// Finds the upper levels of trees on some of the rows of samples.
pub(crate) struct UpperLevels<'a> {
    metric: &'a Metric,
    samples: SamplesView<'a>,
    params: CoverTreeParams,
    prepared: Prepared,
    rough: Option<RoughRows>,
}

impl<'a> UpperLevels<'a> {
    /// Prepares all rows.
    pub(crate) fn new(
        metric: &'a Metric,
        samples: SamplesView<'a>,
        params: CoverTreeParams,
    ) -> Result<Self> {
        metric.check()?;
        let prepared = Prepared::new(metric, samples)?;
        let space = Space::new(metric, samples, &prepared);
        let rough = RoughRows::new(&space, samples.n_rows());
        Ok(Self {
            metric,
            samples,
            params,
            prepared,
            rough,
        })
    }

    /// Rows from coarse to fine, as the levels of a tree on the given rows have them whose radius
    /// is at least `radius`. The others are not arranged, which saves most of the work.
    pub(crate) fn of(&self, rows: &[u32], radius: f64) -> Result<Vec<Visit>> {
        let tree = self.tree(rows, radius, self.rough.as_ref())?;
        Ok(tree.visit_order())
    }

    fn tree(&self, rows: &[u32], radius: f64, rough: Option<&RoughRows>) -> Result<CoverTree> {
        ensure_rows(rows, self.samples)?;
        let mut tree =
            CoverTree::without_nodes(self.metric, self.samples, rows.len(), self.params)?;
        let floor = if radius > 0.0 {
            tree.powers().level_of(radius)
        } else {
            i32::MIN
        };
        let space = Space::new(self.metric, self.samples, &self.prepared);
        tree.fill(space, rows, floor, rough)?;
        Ok(tree)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Generator, Samples};

    /// Rows on a grid, so that many distances are exactly powers of the base, and some copies.
    #[test]
    fn rough_distances_arrange_rows_as_precise_ones_do() {
        let mut generator = Generator::new(11);
        for n_features in [1, 3, 9, 20] {
            let n_rows = 700;
            let values: Vec<f64> = (0..n_rows * n_features)
                .map(|_| match generator.below(3) {
                    0 => 1e3 + generator.below(5) as f64 / 4.0,
                    1 => 1e3 + generator.uniform(),
                    _ => 1e3,
                })
                .collect();
            let samples = Samples::dense(n_rows, n_features, values).expect("samples");
            let rows: Vec<u32> = (0..n_rows as u32).collect();
            let metric = Metric::Euclidean;
            let levels = UpperLevels::new(&metric, samples.view(), CoverTreeParams::default())
                .expect("prepared");
            assert!(levels.rough.is_some());
            for radius in [0.0, 0.1, 0.25, 1.0] {
                let precise = levels.tree(&rows, radius, None).expect("a tree");
                let rough = levels.of(&rows, radius).expect("levels");
                assert_eq!(
                    rough,
                    precise.visit_order(),
                    "{n_features} features, radius {radius}"
                );
            }
        }
    }
}
