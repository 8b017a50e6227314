//! ICF: iterative case filtering (Brighton and Mellish, 2002).
//!
//! With $e(c)$ the distance of $c$ to the nearest row of $S$ of another class:
//!
//! ```text
//! S = ENN(T)
//! repeat: reachable(c) = { c' of S, c' ≠ c : d(c, c') < e(c) }
//!         coverage(c)  = { c' of S : c in reachable(c') }
//!         R = { c of S : |reachable(c)| > |coverage(c)| };  S = S \ R
//! until R is empty
//! ```
//!
//! | document | here |
//! |---|---|
//! | noise filter, k | ENN once, [`IcfParams::neighbours`]; 0 leaves it out |
//! | reachable, coverage | `Reach::found`, `Reach::by`: their sizes, which are all that is asked for |
//!
//! The sums of both sizes over all rows are equal, so that no pass removes every row. With one class
//! $e$ is infinite and every set is all other rows: nothing is removed. Next to a copy of another
//! class nothing is reachable. ENN may remove all rows, and then none is left.

use super::edit::{Edit, EditorCard, Purpose, editor};
use super::subset::{distance, of_rows};
use super::surroundings::{enemy_distances, for_each_other, index_of};
use super::{Editor, EnnParams};
use crate::Result;
use crate::data::{ClassLabels, Dataset, SamplesView};
use crate::params::params;
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicU32, Ordering};

/// Parameters of ICF.
#[params(heading = "Neighbourhoods")]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct IcfParams {
    /// Neighbours that vote in the noise filter, k; 0: no noise filter.
    #[param(default = 3, short = 'K', alias = "k", tunable)]
    pub neighbours: usize,
}

/// Neighbours that are asked for, in the hope that they are all that are nearer than the enemy.
const HOPES: [usize; 3] = [32, 256, 2048];
/// A search for more than this share of the rows is dearer than a look at each of them.
const MUCH: usize = 8;

/// How many rows each row reaches, and how many reach it.
struct Reach {
    found: Vec<AtomicU32>,
    by: Vec<AtomicU32>,
}

impl Reach {
    fn none(n: usize) -> Self {
        let zeros = || (0..n).map(|_| AtomicU32::new(0)).collect();
        Self {
            found: zeros(),
            by: zeros(),
        }
    }

    /// Counts a row that another one reaches. Sums of whole numbers come in any order.
    fn count(&self, from: u32, to: u32) {
        self.found[from as usize].fetch_add(1, Ordering::Relaxed);
        self.by[to as usize].fetch_add(1, Ordering::Relaxed);
    }

    /// Counts what the rows of one class reach, all of which is of this class.
    fn add_class(&self, samples: SamplesView<'_>, class: &[u32], radius: &[f64]) -> Result<()> {
        let mut open: Vec<u32> = class.to_vec();
        let index = index_of(samples, Some(class), HOPES[0])?;
        let searcher = index.searcher(samples)?;
        for k in HOPES {
            if open.is_empty() || k > class.len() / MUCH {
                break;
            }
            let mut still_open = Vec::new();
            for_each_other(&searcher, &open, k, |row, list| {
                let near = |other: f64| other < radius[row as usize];
                if list.last().is_some_and(|last| near(last.distance)) {
                    still_open.push(row);
                    return;
                }
                for found in list.iter().take_while(|found| near(found.distance)) {
                    self.count(row, found.row);
                }
            })?;
            open = still_open;
        }
        of_rows(open.len(), &|at| {
            let row = open[at];
            for &other in class.iter().filter(|&&other| other != row) {
                let far = distance(samples, row as usize, samples.row(other as usize))?;
                if far < radius[row as usize] {
                    self.count(row, other);
                }
            }
            Ok(())
        })?;
        Ok(())
    }

    /// Whether a row is reached by as many as it reaches.
    fn is_balanced(&self, row: usize) -> bool {
        let of = |counts: &[AtomicU32]| counts[row].load(Ordering::Relaxed);
        of(&self.found) <= of(&self.by)
    }
}

/// Whether each row stays in one pass.
fn pass(samples: SamplesView<'_>, labels: &ClassLabels) -> Result<Vec<bool>> {
    let codes = labels.codes();
    let radius = enemy_distances(samples, codes)?;
    let mut classes: Vec<Vec<u32>> = vec![Vec::new(); labels.n_classes()];
    for (row, &code) in codes.iter().enumerate() {
        classes[code as usize].push(row as u32);
    }
    let present = || classes.iter().filter(|class| !class.is_empty());
    if present().count() < 2 {
        return Ok(vec![true; codes.len()]);
    }
    let reach = Reach::none(codes.len());
    for class in present() {
        reach.add_class(samples, class, &radius)?;
    }
    Ok((0..codes.len()).map(|row| reach.is_balanced(row)).collect())
}

impl IcfParams {
    fn decide(&self, data: &Dataset) -> Result<Edit> {
        let n = data.n_rows();
        let mut rows: Vec<usize> = (0..n).collect();
        if self.neighbours > 0 {
            let enn = EnnParams::default().with_neighbours(self.neighbours);
            rows = enn.edit(data)?.kept();
        }
        let noise = n - rows.len();
        let mut passes = 0u32;
        while !rows.is_empty() {
            passes += 1;
            let left = data.select(&rows);
            let stays = pass(left.samples().view(), left.classes()?)?;
            if stays.iter().all(|&stays| stays) {
                break;
            }
            let mut stays = stays.into_iter();
            rows.retain(|_| stays.next().unwrap_or(true));
        }
        let mut keep = vec![false; n];
        for row in rows {
            keep[row] = true;
        }
        Ok(Edit::keeping(keep)
            .with_fact("noise_rows", noise as f64)
            .with_fact("passes", f64::from(passes)))
    }
}

editor!(
    IcfParams,
    [EditorCard {
        name: "icf",
        about: "ICF: after ENN, remove rows that reach more rows than reach them",
        purpose: Purpose::Clean,
        preset: &[],
        python: "ICF",
    }]
);
