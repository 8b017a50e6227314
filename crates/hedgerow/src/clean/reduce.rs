//! Smaller subsets that get all rows right: RNN and SNN.
//!
//! ```text
//! RNN (Gates):  S = CNN(T); for every p of S in the order of rows
//!                   drop p from S if no row of T that S gets right is wrong by S \ {p}
//! SNN (Ritter): the smallest S such that for every i there is j in S with y_j = y_i and
//!                   d(i, j) < min { d(i, e) : y_e ≠ y_i }
//! ```
//!
//! | document | here |
//! |---|---|
//! | RNN | [`RnnParams`]; without contradictory copies "right by S" is every row |
//! | SNN | [`SnnParams`]; **greedy**: the smallest cover is NP-hard in general |
//!
//! The greedy cover takes the row that covers most rows which are not yet covered, of equals the
//! first. A row with a copy of another class can be covered by nobody; there a copy of its own class
//! (itself too) is taken to cover it, so that such a place keeps one row a class.

use super::condense::cnn;
use super::edit::{Edit, EditorCard, Purpose, editor};
use super::subset::{Nearest, distance, of_rows};
use super::surroundings::enemy_distances;
use crate::Result;
use crate::data::{Dataset, SamplesView};
use crate::params::params;
use serde::{Deserialize, Serialize};

/// Parameters of RNN: it has none.
#[params]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RnnParams {}

/// Parameters of SNN: it has none.
#[params]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SnnParams {}

/// The member that is nearest to a row.
fn nearest_member(samples: SamplesView<'_>, members: &[usize], i: usize) -> Result<Nearest> {
    let mut best = Nearest::NONE;
    for &p in members {
        best = best.first(Nearest {
            distance: distance(samples, i, samples.row(p))?,
            row: p as u32,
        });
    }
    Ok(best)
}

impl RnnParams {
    #[allow(
        clippy::unused_self,
        reason = "an editor without parameters is one too"
    )]
    fn decide(&self, data: &Dataset) -> Result<Edit> {
        let codes = data.classes()?.codes();
        let view = data.samples().view();
        let (subset, _) = cnn(view, codes)?;
        let n = codes.len();
        let mut owner: Vec<u32> = (0..n).map(|i| subset.sides(i).nearest().row).collect();
        let mut members: Vec<usize> = (0..n).filter(|&i| subset.has(i)).collect();
        let condensed = members.len();
        for p in members.clone() {
            let rest: Vec<usize> = members.iter().copied().filter(|&q| q != p).collect();
            if rest.is_empty() {
                break;
            }
            let cell: Vec<usize> = (0..n).filter(|&i| owner[i] as usize == p).collect();
            let next = of_rows(cell.len(), &|at| {
                Ok(nearest_member(view, &rest, cell[at])?.row)
            })?;
            let harmless = cell
                .iter()
                .zip(&next)
                .all(|(&i, &q)| codes[i] != codes[p] || codes[i] == codes[q as usize]);
            if harmless {
                for (&i, &q) in cell.iter().zip(&next) {
                    owner[i] = q;
                }
                members = rest;
            }
        }
        let mut keep = vec![false; n];
        for p in members {
            keep[p] = true;
        }
        Ok(Edit::keeping(keep).with_fact("condensed_rows", condensed as f64))
    }
}

impl SnnParams {
    #[allow(
        clippy::unused_self,
        reason = "an editor without parameters is one too"
    )]
    fn decide(&self, data: &Dataset) -> Result<Edit> {
        let codes = data.classes()?.codes();
        let view = data.samples().view();
        let n = codes.len();
        let radius = enemy_distances(view, codes)?;
        let covers = |j: usize, i: usize| -> Result<bool> {
            if codes[i] != codes[j] {
                return Ok(false);
            }
            let d = distance(view, i, view.row(j))?;
            Ok(d < radius[i] || d == 0.0)
        };
        let mut counts = of_rows(n, &|j| {
            let mut count = 0u32;
            for i in 0..n {
                count += u32::from(covers(j, i)?);
            }
            Ok(count)
        })?;
        let mut covered = vec![false; n];
        let mut keep = vec![false; n];
        let most = |counts: &[u32]| (0..n).max_by_key(|&j| (counts[j], std::cmp::Reverse(j)));
        while let Some(j) = most(&counts).filter(|&j| counts[j] > 0) {
            keep[j] = true;
            let reached = of_rows(n, &|i| Ok(!covered[i] && covers(j, i)?))?;
            let fresh: Vec<usize> = (0..n).filter(|&i| reached[i]).collect();
            let lost = of_rows(n, &|p| {
                let mut lost = 0u32;
                for &i in &fresh {
                    lost += u32::from(covers(p, i)?);
                }
                Ok(lost)
            })?;
            for (count, lost) in counts.iter_mut().zip(lost) {
                *count -= lost;
            }
            for i in fresh {
                covered[i] = true;
            }
        }
        Ok(Edit::keeping(keep))
    }
}

editor!(
    RnnParams,
    [EditorCard {
        name: "rnn",
        about: "RNN: CNN without the rows that no row needs",
        purpose: Purpose::Clean,
        preset: &[],
        python: "ReducedNN",
    }]
);

editor!(
    SnnParams,
    [EditorCard {
        name: "snn",
        about: "SNN: few rows such that each row is nearer to one of its class than to other classes",
        purpose: Purpose::Clean,
        preset: &[],
        python: "SelectiveNN",
    }]
);
