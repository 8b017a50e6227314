//! ReliefF: features that differ between near rows of different classes, and do not between near
//! rows of the same class.
//!
//! Every row has its $K$ nearest *hits* (rows of its class) and *misses*, by the Euclidean distance
//! of features scaled to $[0, 1]$.
//!
//! | variant | weight of feature $j$ |
//! |---|---|
//! | [`ReliefVariant::Ratio`] | $\sum_i\sum_k |x_{ij} - x_{\mathrm{miss}_k(i)j}| \big/ \sum_i\sum_k |x_{ij} - x_{\mathrm{hit}_k(i)j}|$ |
//! | [`ReliefVariant::Classic`] | $\tfrac1{NK}\sum_i\Big(\sum_{c \ne c_i} \tfrac{P(c)}{1 - P(c_i)} \sum_k |x_{ij} - x_{\mathrm{miss}_{ck}(i)j}| - \sum_k |x_{ij} - x_{\mathrm{hit}_k(i)j}|\Big)$ |
//!
//! The ratio looks for the nearest misses in all other classes together, the classic form
//! (Robnik-Šikonja and Kononenko, 2003) in each.

use super::Ranking;
use crate::data::{Dataset, Samples, SamplesView, Scaling};
use crate::error::ensure_memory;
use crate::neighbours::{DistanceMetric, Index, IndexParams, Neighbour, Structure};
use crate::parallel::{Grain, map};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// Features up to which a tree may find neighbours faster than looking at every row.
const TREE_FEATURES: usize = 64;
/// Largest dense copy of sparse samples.
const DENSE_LIMIT_BYTES: u64 = 8 << 30;

/// How hits and misses make a weight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum ReliefVariant {
    /// Differences to misses divided by differences to hits. The default.
    #[default]
    Ratio,
    /// Differences to misses of every class, by prior, minus differences to hits.
    Classic,
}

/// Parameters of ReliefF.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ReliefParams {
    /// Hits, and misses, of a row; 3 by default.
    pub neighbours: usize,
    /// How they make a weight.
    pub variant: ReliefVariant,
}

impl Default for ReliefParams {
    fn default() -> Self {
        Self {
            neighbours: 3,
            variant: ReliefVariant::default(),
        }
    }
}

/// A row's neighbours and what each counts.
type Weighted = Vec<(u32, f64)>;

impl ReliefParams {
    /// Sets how many hits and misses a row has.
    pub fn with_neighbours(mut self, neighbours: usize) -> Self {
        self.neighbours = neighbours;
        self
    }

    /// Sets how they make a weight.
    pub fn with_variant(mut self, variant: ReliefVariant) -> Self {
        self.variant = variant;
        self
    }

    /// An error that names the first parameter out of its range.
    pub fn check(&self) -> Result<()> {
        if self.neighbours > 0 {
            return Ok(());
        }
        Err(Error::Parameter {
            name: "neighbours",
            value: 0.0,
            requirement: "at least 1",
        })
    }

    /// Ranks all features; equal weights by index. A class with fewer rows than asked for gives
    /// the neighbours that it has.
    pub fn rank(&self, data: &Dataset) -> Result<Ranking> {
        self.check()?;
        if data.n_rows() == 0 {
            return Err(Error::NoRows);
        }
        let labels = data.classes()?;
        let counts = labels.counts();
        let present = counts.iter().filter(|&&count| count > 0).count();
        if present < 2 {
            return Err(Error::TooFewClasses {
                needed: 2,
                found: present,
            });
        }
        let scaled = scale(data.samples().view())?;
        let view = scaled.view();
        let near = self.nearest(view, labels.codes(), counts.len())?;
        let (hits, misses) = self.sides(&near, labels.codes(), &counts);
        let width = view.n_features();
        let against_hits = differences(view, &hits);
        let against_misses = differences(view, &misses);
        let total = data.n_rows() as f64;
        let weights: Vec<f64> = (0..width)
            .map(|f| match self.variant {
                ReliefVariant::Ratio => ratio(against_misses[f], against_hits[f]),
                ReliefVariant::Classic => (against_misses[f] - against_hits[f]) / total,
            })
            .collect();
        Ok(Ranking::by_score(&weights, &[]))
    }

    /// `near[c][i]`: nearest rows of class `c` to row `i`, itself left out.
    fn nearest(
        &self,
        view: SamplesView<'_>,
        codes: &[u32],
        n_classes: usize,
    ) -> Result<Vec<Vec<Vec<Neighbour>>>> {
        let all: Vec<u32> = (0..codes.len() as u32).collect();
        let structure = if view.n_features() > TREE_FEATURES {
            Structure::Brute
        } else {
            Structure::Auto
        };
        let params = IndexParams {
            structure,
            expected_k: Some(self.neighbours),
            expected_queries: Some(codes.len()),
        };
        (0..n_classes as u32)
            .map(|class| {
                let is_member = |&i: &u32| codes[i as usize] == class;
                let members: Vec<u32> = all.iter().copied().filter(is_member).collect();
                if members.is_empty() {
                    return Ok(vec![Vec::new(); codes.len()]);
                }
                let index =
                    Index::build(&DistanceMetric::Euclidean, view, Some(&members), &params)?;
                index
                    .searcher(view)?
                    .k_nearest_of(&all, self.neighbours, true)
            })
            .collect()
    }

    /// Hits and misses of every row with what they count.
    fn sides(
        &self,
        near: &[Vec<Vec<Neighbour>>],
        codes: &[u32],
        counts: &[usize],
    ) -> (Vec<Weighted>, Vec<Weighted>) {
        let n = codes.len();
        let share = |list: &[Neighbour], total: f64| -> Weighted {
            let each = match self.variant {
                ReliefVariant::Ratio => 1.0,
                ReliefVariant::Classic => total / list.len().max(1) as f64,
            };
            list.iter().map(|found| (found.row, each)).collect()
        };
        let mut hits = Vec::with_capacity(n);
        let mut misses = Vec::with_capacity(n);
        for (i, &own) in codes.iter().enumerate() {
            hits.push(share(&near[own as usize][i], 1.0));
            let others = (0..counts.len()).filter(|&c| c != own as usize);
            misses.push(match self.variant {
                ReliefVariant::Ratio => {
                    let mut all: Vec<Neighbour> =
                        others.flat_map(|c| near[c][i].iter().copied()).collect();
                    all.sort_by(|a, b| a.distance.total_cmp(&b.distance).then(a.row.cmp(&b.row)));
                    all.truncate(self.neighbours);
                    share(&all, 1.0)
                }
                ReliefVariant::Classic => {
                    let rest = (n - counts[own as usize]) as f64;
                    others
                        .flat_map(|c| share(&near[c][i], counts[c] as f64 / rest))
                        .collect()
                }
            });
        }
        (hits, misses)
    }
}

/// Dense features in $[0, 1]$.
fn scale(samples: SamplesView<'_>) -> Result<Samples> {
    let scaler = Scaling::unit().fit(samples)?;
    let scaled = scaler.apply_within(samples, DENSE_LIMIT_BYTES)?;
    let view = scaled.view();
    if let SamplesView::Dense { .. } = view {
        return Ok(scaled);
    }
    let (n, width) = (view.n_rows(), view.n_features());
    let needed = 8 * n as u64 * width as u64;
    ensure_memory("a dense copy of the samples", needed, DENSE_LIMIT_BYTES)?;
    let mut values = vec![0.0; n * width];
    for (i, out) in values.chunks_exact_mut(width.max(1)).enumerate() {
        view.row(i).write_dense(out);
    }
    Samples::dense(n, width, values)
}

/// Weighted sums of the differences of rows to their neighbours, feature by feature.
fn differences(view: SamplesView<'_>, neighbours: &[Weighted]) -> Vec<f64> {
    let width = view.n_features();
    // Parts of fixed size, added in their order.
    let part = neighbours.len().div_ceil(64).max(16);
    let parts: Vec<Vec<f64>> = map(neighbours.len().div_ceil(part), Grain::COARSE, &|at| {
        let mut sums = vec![0.0; width];
        let lists = neighbours.iter().skip(at * part).take(part);
        for (offset, list) in lists.enumerate() {
            let row = view.row(at * part + offset).values();
            for &(other, weight) in list {
                let other = view.row(other as usize).values();
                for ((sum, a), b) in sums.iter_mut().zip(row).zip(other) {
                    *sum += weight * (a - b).abs();
                }
            }
        }
        sums
    });
    let mut total = vec![0.0; width];
    for sums in parts {
        for (total, sum) in total.iter_mut().zip(sums) {
            *total += sum;
        }
    }
    total
}

fn ratio(misses: f64, hits: f64) -> f64 {
    if hits > 0.0 {
        misses / hits
    } else if misses > 0.0 {
        f64::INFINITY
    } else {
        0.0
    }
}
