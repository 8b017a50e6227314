//! The upper levels of trees, without the rest of them.

use super::rough::RoughRows;
use super::{CoverTree, CoverTreeParams, Prepared, Space, Visit};
use crate::Result;
use crate::data::{Samples, SamplesView};
use crate::neighbours::DistanceMetric;
use crate::neighbours::index::ensure_rows;

/// Finds the upper levels of trees on some of the rows of samples.
pub(crate) struct UpperLevels<'a> {
    metric: &'a DistanceMetric,
    rows: Compact<'a>,
    params: CoverTreeParams,
    prepared: Prepared,
    rough: Option<RoughRows>,
}

impl<'a> UpperLevels<'a> {
    /// Prepares some of the rows, which are ascending: trees can be had on these. Most of the work
    /// will be for levels of about `radius`.
    pub(crate) fn new(
        metric: &'a DistanceMetric,
        samples: SamplesView<'a>,
        rows: &[u32],
        params: CoverTreeParams,
        radius: f64,
    ) -> Result<Self> {
        metric.check()?;
        ensure_rows(rows, samples)?;
        let rows = Compact::new(samples, rows);
        let prepared = Prepared::new(metric, rows.view())?;
        let space = Space::new(metric, rows.view(), &prepared);
        let rough = RoughRows::new(&space, rows.view().n_rows(), radius);
        Ok(Self {
            metric,
            rows,
            params,
            prepared,
            rough,
        })
    }

    /// Rows from coarse to fine, as the levels of a tree on the given rows have them whose radius
    /// is at least `radius`, and built in the order given. The others are not arranged, which saves
    /// most of the work.
    pub(crate) fn of(&self, rows: &[u32], radius: f64) -> Result<Vec<Visit>> {
        let tree = self.tree(rows, radius, self.rough.as_ref())?;
        let mut visits = tree.visit_order();
        for visit in &mut visits {
            visit.row = self.rows.number(visit.row);
            for copy in &mut visit.copies {
                *copy = self.rows.number(*copy);
            }
        }
        Ok(visits)
    }

    /// A tree that numbers the prepared rows from 0.
    fn tree(&self, rows: &[u32], radius: f64, rough: Option<&RoughRows>) -> Result<CoverTree> {
        let samples = self.rows.view();
        let places = self.rows.places(rows);
        ensure_rows(&places, samples)?;
        let mut tree = CoverTree::without_nodes(self.metric, samples, places.len(), self.params)?;
        let floor = if radius > 0.0 {
            tree.powers().level_of(radius)
        } else {
            i32::MIN
        };
        let space = Space::new(self.metric, samples, &self.prepared);
        tree.fill(space, &places, floor, rough)
            .map_err(|error| error.renumbered(|place| self.rows.number(place)))?;
        Ok(tree)
    }
}

/// Some rows of samples, close together in memory.
enum Compact<'a> {
    All(SamplesView<'a>),
    /// Copies of some rows, and their numbers, ascending.
    Some(Samples, Vec<u32>),
}

impl<'a> Compact<'a> {
    fn new(samples: SamplesView<'a>, rows: &[u32]) -> Self {
        if rows.len() == samples.n_rows() {
            return Self::All(samples);
        }
        let chosen: Vec<usize> = rows.iter().map(|&row| row as usize).collect();
        Self::Some(samples.select(&chosen), rows.to_vec())
    }

    fn view(&self) -> SamplesView<'_> {
        match self {
            Self::All(samples) => *samples,
            Self::Some(samples, _) => samples.view(),
        }
    }

    /// The number of the row at a place.
    fn number(&self, place: u32) -> u32 {
        match self {
            Self::All(_) => place,
            Self::Some(_, numbers) => numbers[place as usize],
        }
    }

    /// Where the rows with some of the numbers are.
    fn places(&self, rows: &[u32]) -> Vec<u32> {
        match self {
            Self::All(_) => rows.to_vec(),
            Self::Some(_, numbers) => {
                // A row that is not there gets a place that is not there.
                let place = |row| numbers.binary_search(row).unwrap_or(numbers.len()) as u32;
                rows.iter().map(place).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Generator;

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
            let metric = DistanceMetric::Euclidean;
            let params = CoverTreeParams::default();
            let levels =
                UpperLevels::new(&metric, samples.view(), &rows, params, 1.0).expect("prepared");
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

    /// Columns of zeros and ones, a few others, and one of a much smaller range.
    #[test]
    fn coded_rows_arrange_rows_as_precise_ones_do() {
        let mut generator = Generator::new(13);
        let (n_rows, n_features) = (600, 150);
        let values: Vec<f64> = (0..n_rows * n_features)
            .map(|at| match at % n_features {
                0..=2 => 5.0 + generator.uniform(),
                3 => 1e-3 * generator.uniform(),
                _ => f64::from(u8::from(generator.below(12) == 0)),
            })
            .collect();
        let samples = Samples::dense(n_rows, n_features, values).expect("samples");
        let rows: Vec<u32> = (0..n_rows as u32).collect();
        let (metric, params) = (DistanceMetric::Euclidean, CoverTreeParams::default());
        for (expected, is_coded) in [(2.0, true), (0.01, false)] {
            let levels = UpperLevels::new(&metric, samples.view(), &rows, params, expected);
            let levels = levels.expect("prepared");
            assert_eq!(matches!(levels.rough, Some(RoughRows::Coded(_))), is_coded);
            for radius in [0.0, 1.0, 4.0] {
                let precise = levels.tree(&rows, radius, None).expect("a tree");
                let rough = levels.of(&rows, radius).expect("levels");
                assert_eq!(rough, precise.visit_order(), "radius {radius}");
            }
        }
    }

    /// Distances that single precision cannot hold.
    #[test]
    fn huge_wide_rows_are_not_coded() {
        let mut generator = Generator::new(14);
        let (n_rows, n_features) = (50, 140);
        let values: Vec<f64> = (0..n_rows * n_features)
            .map(|_| 1e40 * generator.below(2) as f64)
            .collect();
        let samples = Samples::dense(n_rows, n_features, values).expect("samples");
        let rows: Vec<u32> = (0..n_rows as u32).collect();
        let (metric, params) = (DistanceMetric::Euclidean, CoverTreeParams::default());
        let levels = UpperLevels::new(&metric, samples.view(), &rows, params, 1e40);
        let levels = levels.expect("prepared");
        assert!(levels.rough.is_none());
        assert_eq!(levels.of(&rows, 0.0).expect("levels").len(), n_rows);
    }

    #[test]
    fn rows_that_are_left_out_change_nothing() {
        let mut generator = Generator::new(12);
        let values: Vec<f64> = (0..400 * 3).map(|_| generator.uniform()).collect();
        let samples = Samples::dense(400, 3, values).expect("samples");
        let (metric, params) = (DistanceMetric::Euclidean, CoverTreeParams::default());
        let all: Vec<u32> = (0..400).collect();
        let prepared: Vec<u32> = (0..400).filter(|row| row % 3 != 1).collect();
        let asked: Vec<u32> = (0..400).filter(|row| row % 3 == 2).collect();
        let among = |rows: &[u32]| {
            let levels = UpperLevels::new(&metric, samples.view(), rows, params, 0.1);
            levels.expect("prepared").of(&asked, 0.1)
        };
        let expected = among(&all).expect("levels");
        assert!(expected.iter().all(|visit| visit.row % 3 == 2));
        assert_eq!(among(&prepared).expect("levels"), expected);
        assert!(
            among(&prepared[1..200]).is_err(),
            "a row that is not prepared"
        );
    }
}
