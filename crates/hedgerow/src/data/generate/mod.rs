//! Artificial data.
//!
//! Each generator is one function; [`CATALOGUE`] lists them all with their options, and
//! [`by_name`] calls one by its name, so that front ends need no code of their own for each.
//! Labels are the numbers −1 and +1 unless there are more than two classes; features are named
//! `x1`, `x2`, …. A seed decides everything that is random, and rows come in random order where
//! there is a seed.
//!
//! Where a generator draws a structure first (cluster centres, say) and then rows from it, the
//! structure has a seed of its own: training and test sets of one problem share `structure` and
//! differ in `seed`.

mod catalogue;
mod clusters;
mod curves;
mod disturb;
mod grids;
mod ndcc;
mod rare_mixture;

pub use catalogue::{CATALOGUE, Entry, Opt, by_name, entry};
pub use clusters::{banana, blobs};
pub use curves::{DecsinParams, decsin, noisy_two_spirals, sinusoid, two_spirals};
pub use disturb::{flip_labels, thin_class};
pub use grids::{checker_b, checkerboard, density_squares, grid_checkerboard};
pub use ndcc::{NdccParams, NdccProbesParams, ndcc, ndcc_probes};
pub use rare_mixture::{RareMixture, RareMixtureParams};

use super::{ClassLabels, Dataset, Generator, Samples, Target};
use crate::{Error, Result};

/// Rows under construction.
struct Draft {
    n_features: usize,
    values: Vec<f64>,
    labels: Vec<f64>,
}

impl Draft {
    fn new(n_features: usize) -> Self {
        Self {
            n_features,
            values: Vec::new(),
            labels: Vec::new(),
        }
    }

    fn push(&mut self, row: &[f64], label: f64) {
        debug_assert_eq!(row.len(), self.n_features);
        self.values.extend_from_slice(row);
        self.labels.push(label);
    }

    /// Adds Gaussian noise of the same deviation to every value.
    fn blur(&mut self, deviation: f64, generator: &mut Generator) {
        if deviation > 0.0 {
            for value in &mut self.values {
                *value += deviation * generator.normal();
            }
        }
    }

    /// The data set in the order of the rows.
    fn finish(self) -> Result<Dataset> {
        let names = (1..=self.n_features).map(|f| format!("x{f}")).collect();
        let samples = Samples::dense(self.labels.len(), self.n_features, self.values)?;
        let labels = ClassLabels::from_numbers(&self.labels);
        Dataset::new(samples, Target::Classes(labels))?.with_feature_names(names)
    }

    /// The data set with its rows in random order.
    fn finish_shuffled(self, generator: &mut Generator) -> Result<Dataset> {
        let width = self.n_features;
        let mut order: Vec<usize> = (0..self.labels.len()).collect();
        generator.shuffle(&mut order);
        let mut shuffled = Draft::new(width);
        for i in order {
            shuffled.push(&self.values[i * width..(i + 1) * width], self.labels[i]);
        }
        shuffled.finish()
    }
}

/// Accepts a count of at least `least`; refuses counts no memory could hold.
fn ensure_count(name: &'static str, value: usize, least: usize) -> Result<()> {
    if value >= least && value <= 1 << 40 {
        return Ok(());
    }
    Err(Error::Parameter {
        name,
        value: value as f64,
        requirement: match least {
            0 | 1 => "at least 1",
            2 => "at least 2",
            _ => "larger",
        },
    })
}

/// Accepts `0 <= value <= 1`.
fn ensure_fraction(name: &'static str, value: f64) -> Result<()> {
    if (0.0..=1.0).contains(&value) {
        return Ok(());
    }
    Err(Error::Parameter {
        name,
        value,
        requirement: "between 0 and 1",
    })
}
