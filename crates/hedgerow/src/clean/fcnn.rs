//! FCNN: the fast condensed nearest neighbour rule (Angiulli, 2005).
//!
//! With $V(p, S)$ the rows whose nearest member of $S$ is $p$:
//!
//! ```text
//! S = { the row of class c that is nearest to the centroid of class c : every c }
//! repeat
//!     ΔS = { the nearest row to p of { x in V(p, S) : y_x ≠ y_p } : every p of S that has one }
//!     S = S ∪ ΔS
//! until ΔS is empty
//! ```
//!
//! | document | here |
//! |---|---|
//! | seeds, class centroids' NN | [`seeds`] |
//! | ΔS, nearest misclassified row of each Voronoi cell | [`representatives`] |
//!
//! The order of the rows decides between equal distances only: the first row is taken. A member
//! with a copy of another class in the subset stays where it is and is nobody's representative.

use super::edit::{Edit, EditorCard, Purpose, editor};
use super::subset::{Nearest, Subset, distance};
use crate::Result;
use crate::data::{Dataset, Row};
use crate::params::params;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Parameters of FCNN: it has none.
#[params]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FcnnParams {}

/// For each class the row that is nearest to the mean of its rows.
fn seeds(data: &Dataset) -> Result<Vec<usize>> {
    let labels = data.classes()?;
    let view = data.samples().view();
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); labels.n_classes()];
    for (i, &code) in labels.codes().iter().enumerate() {
        members[code as usize].push(i);
    }
    let mut seeds = Vec::new();
    for rows in members.iter().filter(|rows| !rows.is_empty()) {
        let mut centroid = vec![0.0; data.n_features()];
        for &i in rows {
            view.row(i).for_each(|f, value| centroid[f] += value);
        }
        for mean in &mut centroid {
            *mean /= rows.len() as f64;
        }
        let mut best = Nearest::NONE;
        for &i in rows {
            best = best.first(Nearest {
                distance: distance(view, i, Row::Dense(&centroid))?,
                row: i as u32,
            });
        }
        seeds.push(best.row as usize);
    }
    Ok(seeds)
}

/// The nearest misclassified row of each cell that has one, in the order of the members.
fn representatives(subset: &Subset<'_>, n: usize) -> Vec<usize> {
    let mut found: BTreeMap<u32, Nearest> = BTreeMap::new();
    for i in (0..n).filter(|&i| !subset.has(i)) {
        let sides = subset.sides(i);
        if !sides.is_right() {
            let at = Nearest {
                distance: sides.enemy.distance,
                row: i as u32,
            };
            let best = found.entry(sides.enemy.row).or_insert(at);
            *best = best.first(at);
        }
    }
    found.values().map(|best| best.row as usize).collect()
}

impl FcnnParams {
    #[allow(
        clippy::unused_self,
        reason = "an editor without parameters is one too"
    )]
    fn decide(&self, data: &Dataset) -> Result<Edit> {
        let codes = data.classes()?.codes();
        let mut subset = Subset::new(data.samples().view(), codes);
        let mut fresh = seeds(data)?;
        let mut rounds = 0u32;
        while !fresh.is_empty() {
            for row in fresh {
                subset.add(row)?;
            }
            rounds += 1;
            fresh = representatives(&subset, codes.len());
        }
        Ok(Edit::keeping(subset.into_members()).with_fact("rounds", f64::from(rounds)))
    }
}

editor!(
    FcnnParams,
    [EditorCard {
        name: "fcnn",
        about: "FCNN: a subset that gets all rows right, grown from the centres of the classes",
        purpose: Purpose::Clean,
        preset: &[],
        python: "FCNN",
    }]
);
