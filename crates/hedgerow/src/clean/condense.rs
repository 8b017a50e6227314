//! Subsets that grow by the rows they get wrong: CNN, GCNN, IB2.
//!
//! With $d_=(x)$ and $d_{\ne}(x)$ the distances of row $x$ to the nearest member of $S$ of its own
//! and of another class, and $\delta$ the smallest distance of two rows of different classes:
//!
//! ```text
//! CNN:  S = { the first row of each class }
//!       repeat: for every x not in S, in the order of rows: if 1-NN by S gets x wrong, S = S ∪ {x}
//!       until a pass adds nothing
//! GCNN: the same, but x is added unless d≠(x) - d=(x) > ρ δ
//! IB2:  the first pass of CNN
//! ```
//!
//! | document | here |
//! |---|---|
//! | CNN (Hart) | [`CnnParams`] |
//! | GCNN (Chou, Kuo, Chang), ρ | [`GcnnParams`], [`GcnnParams::margin`]; the order is CNN's, there is no vote for seeds |
//! | IB2 (Aha) | [`Ib2Params`]; the first rows of all classes are known from the beginning |
//!
//! Hart starts with a single row, others with a random one: the first row of each class takes
//! chance out, and each such row would be wrong when it is met.

use super::edit::{Edit, EditorCard, Purpose, editor};
use super::subset::Subset;
use super::surroundings::enemy_distances;
use crate::Result;
use crate::data::{Dataset, SamplesView};
use crate::params::params;
use serde::{Deserialize, Serialize};

/// Parameters of CNN: it has none.
#[params]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CnnParams {}

/// Parameters of IB2: it has none.
#[params]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ib2Params {}

/// Parameters of generalised CNN.
#[params(heading = "Condensing")]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GcnnParams {
    /// Margin by which a row must be absorbed, in smallest distances between classes, rho.
    #[param(default = 0.5, least = 0.0, below = 1.0, alias = "rho", tunable)]
    pub margin: f64,
}

/// Adds the rows that are not absorbed, in one pass; how many there were.
fn pass(subset: &mut Subset<'_>, n: usize, margin: Option<f64>) -> Result<usize> {
    let mut added = 0;
    for x in 0..n {
        let sides = subset.sides(x);
        let absorbed = margin.map_or(sides.is_right(), |margin| {
            sides.enemy.distance - sides.friend.distance > margin
        });
        if !absorbed && !subset.has(x) {
            subset.add(x)?;
            added += 1;
        }
    }
    Ok(added)
}

/// Passes until nothing is added.
fn grown<'a>(
    samples: SamplesView<'a>,
    codes: &'a [u32],
    margin: Option<f64>,
) -> Result<(Subset<'a>, u32)> {
    let mut subset = Subset::of_first_rows(samples, codes)?;
    let mut passes = 1;
    while pass(&mut subset, codes.len(), margin)? > 0 {
        passes += 1;
    }
    Ok((subset, passes))
}

/// The subset of CNN and the passes that it took.
pub(super) fn cnn<'a>(samples: SamplesView<'a>, codes: &'a [u32]) -> Result<(Subset<'a>, u32)> {
    grown(samples, codes, None)
}

impl CnnParams {
    #[allow(
        clippy::unused_self,
        reason = "an editor without parameters is one too"
    )]
    fn decide(&self, data: &Dataset) -> Result<Edit> {
        let (subset, passes) = cnn(data.samples().view(), data.classes()?.codes())?;
        Ok(Edit::keeping(subset.into_members()).with_fact("passes", f64::from(passes)))
    }
}

impl GcnnParams {
    fn decide(&self, data: &Dataset) -> Result<Edit> {
        let codes = data.classes()?.codes();
        let view = data.samples().view();
        let gap = enemy_distances(view, codes)?
            .into_iter()
            .fold(f64::INFINITY, f64::min);
        // With a single class there is no gap, and no enemy either.
        let margin = if gap.is_finite() {
            self.margin * gap
        } else {
            0.0
        };
        let (subset, passes) = grown(view, codes, Some(margin))?;
        Ok(Edit::keeping(subset.into_members()).with_fact("passes", f64::from(passes)))
    }
}

impl Ib2Params {
    #[allow(
        clippy::unused_self,
        reason = "an editor without parameters is one too"
    )]
    fn decide(&self, data: &Dataset) -> Result<Edit> {
        let codes = data.classes()?.codes();
        let mut subset = Subset::of_first_rows(data.samples().view(), codes)?;
        pass(&mut subset, codes.len(), None)?;
        Ok(Edit::keeping(subset.into_members()))
    }
}

editor!(
    CnnParams,
    [EditorCard {
        name: "cnn",
        about: "CNN: add rows that the subset gets wrong until it gets all right",
        purpose: Purpose::Clean,
        preset: &[],
        python: "CNN",
    }]
);

editor!(
    GcnnParams,
    [EditorCard {
        name: "gcnn",
        about: "GCNN: CNN in which a row must be right by a margin",
        purpose: Purpose::Clean,
        preset: &[],
        python: "GCNN",
    }]
);

editor!(
    Ib2Params,
    [EditorCard {
        name: "ib2",
        about: "IB2: one pass of CNN",
        purpose: Purpose::Clean,
        preset: &[],
        python: "IB2",
    }]
);
