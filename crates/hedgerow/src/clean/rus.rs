//! RUS: random under-sampling.
//!
//! ```text
//! m = ratio × rows of the rarest class, rounded, at least 1
//! for every class c: keep all rows if it has no more than m, else m of them at random
//! ```
//!
//! | symbol | here |
//! |---|---|
//! | rows that are left of a class, m | [`RusParams::ratio`] × rows of the rarest class |
//!
//! Which rows of a class stay depends on the seed and on the number of its rows alone. One class
//! is its own rarest. Values of the rows are not looked at.

use super::edit::{Edit, EditorCard, Purpose, editor};
use super::members::{Members, scaled_size};
use crate::Result;
use crate::data::{Dataset, Generator};
use crate::params::params;
use serde::{Deserialize, Serialize};

/// Parameters of random under-sampling.
#[params(heading = "Resampling")]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RusParams {
    /// Largest size of a class, in sizes of the rarest.
    #[param(default = 1.0, above = 0.0, tunable)]
    pub ratio: f64,
    /// Seed of the choice.
    #[param(python = "random_state", no_option)]
    pub seed: u64,
}

impl RusParams {
    fn decide(&self, data: &Dataset) -> Result<Edit> {
        let labels = data.classes()?;
        let members = Members::new(labels);
        let size = members.rarest().map_or(0, |(_, rows)| rows.len());
        let size = scaled_size(size, self.ratio);
        let mut keep = vec![false; labels.len()];
        for (class, rows) in members.present() {
            let mut random = Generator::for_task(self.seed, u64::from(class));
            for i in random.sample(rows.len(), size) {
                keep[rows[i] as usize] = true;
            }
        }
        Ok(Edit::keeping(keep))
    }
}

editor!(
    RusParams,
    [EditorCard {
        name: "rus",
        about: "RUS: a random choice of rows, as many of every class as the rarest has",
        purpose: Purpose::Resample,
        preset: &[],
        python: "RUS",
    }]
);
