//! IB3: members that have proved themselves (Aha, Kibler and Albert, 1991).
//!
//! Every member of $S$ has a record: how often it was asked, $g$, and how often its class was right.
//! From $g$ tries with a share $p$ of successes comes an interval with confidence $1 - \alpha$, with
//! $z$ the normal quantile of $1 - \alpha/2$:
//! $$I(p, g, z) = \frac{p + z^2/2g \pm z\sqrt{p(1-p)/g + z^2/4g^2}}{1 + z^2/g}$$
//!
//! ```text
//! acceptable(s): lower end of the interval of s's record > upper end of that of its class's share
//! poor(s):       upper end of the interval of s's record < lower end of that of its class's share
//! S = {}; for every row t in order:
//!     if S is empty: S = {t}; next t
//!     a = the acceptable member nearest to t; if none is, the i-th nearest member, i random
//!     every member that is at most as far from t as a: asked once more, right if of t's class;
//!         dropped if it is poor now
//!     if a is not of t's class: S = S ∪ {t}
//! S = the acceptable members
//! ```
//!
//! | document | here |
//! |---|---|
//! | confidence to accept, 90 % | [`Ib3Params::acceptance`], $z = 1.645$ |
//! | confidence to drop, 75 % | [`Ib3Params::rejection`], $z = 1.150$ |
//! | random i | [`Ib3Params::seed`] |
//! | observed frequency of a class | its share of the rows so far, with $g$ all of these |
//!
//! Later texts print $z = 0.9$ and $0.7$: that takes the confidence for the quantile. Row $t$ counts
//! in the shares from the moment its label is looked at: for records, but not for the choice of $a$.
//! A new member is not asked about itself. Members are ordered by (distance, row number).
//!
//! A class none of whose members is acceptable vanishes, as the rule says. If no member at all is
//! acceptable, nothing has been learnt of them, and **all members stay**: so it is with one class,
//! whose share of 1 no record can beat (its first row stays), and with very few rows.

use super::edit::{Edit, EditorCard, Purpose, editor};
use super::subset::{Nearest, distance};
use crate::Result;
use crate::data::{Dataset, Generator, SamplesView};
use crate::params::params;
use crate::special::normal_quantile;
use serde::{Deserialize, Serialize};

/// Members whose distances one task computes.
const TASK: usize = 2048;

/// Parameters of IB3.
#[params(heading = "Condensing")]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ib3Params {
    /// Confidence with which a row must be better than its class's share to be kept.
    #[param(default = 0.9, above = 0.0, below = 1.0, tunable)]
    pub acceptance: f64,
    /// Confidence with which a row must be worse than its class's share to be dropped.
    #[param(default = 0.75, above = 0.0, below = 1.0, tunable)]
    pub rejection: f64,
    /// Seed of the choice among members of which none is acceptable yet.
    #[param(python = "random_state", no_option)]
    pub seed: u64,
}

/// The ends of the interval of a share, everything if nothing was tried.
fn interval(successes: u32, tries: u32, z: f64) -> (f64, f64) {
    if tries == 0 {
        return (0.0, 1.0);
    }
    let g = f64::from(tries);
    let p = f64::from(successes) / g;
    let centre = p + z * z / (2.0 * g);
    let half = z * (p * (1.0 - p) / g + z * z / (4.0 * g * g)).sqrt();
    let scale = 1.0 + z * z / g;
    ((centre - half) / scale, (centre + half) / scale)
}

/// How often each class occurred so far.
struct Shares {
    counts: Vec<u32>,
    total: u32,
}

impl Shares {
    fn add(&mut self, code: u32) {
        self.counts[code as usize] += 1;
        self.total += 1;
    }

    fn interval(&self, code: u32, z: f64) -> (f64, f64) {
        interval(self.counts[code as usize], self.total, z)
    }
}

/// A row that is stored, with its record.
#[derive(Debug, Clone, Copy)]
struct Member {
    row: u32,
    code: u32,
    asked: u32,
    right: u32,
    /// Lower end of the interval of the record, for acceptance.
    lower: f64,
}

/// The quantiles that belong to the confidences.
#[derive(Debug, Clone, Copy)]
struct Quantiles {
    acceptance: f64,
    rejection: f64,
}

/// Distances of the members to a row, in their order.
fn distances(samples: SamplesView<'_>, members: &[Member], row: usize) -> Result<Vec<f64>> {
    let asked = samples.row(row);
    crate::parallel::try_concat(members.len(), TASK, &|part| {
        let far = |member: &Member| distance(samples, member.row as usize, asked);
        members[part].iter().map(far).collect()
    })
}

/// What the record of an acceptable member must exceed, for each class.
fn limits(shares: &Shares, z: f64) -> Vec<f64> {
    let classes = 0..shares.counts.len() as u32;
    classes.map(|code| shares.interval(code, z).1).collect()
}

/// Which member answers for a row: the nearest acceptable one, or a random one.
fn answering(
    members: &[Member],
    distances: &[f64],
    limits: &[f64],
    random: &mut Generator,
) -> usize {
    let place = |at: usize| Nearest {
        distance: distances[at],
        row: members[at].row,
    };
    let is_acceptable = |&at: &usize| members[at].lower > limits[members[at].code as usize];
    let acceptable = (0..members.len()).filter(is_acceptable);
    let nearest = acceptable.reduce(|a, b| if place(b).before(place(a)) { b } else { a });
    nearest.unwrap_or_else(|| {
        let mut order: Vec<usize> = (0..members.len()).collect();
        let i = random.below(order.len());
        let by_place = |&a: &usize, &b: &usize| {
            let (a, b) = (place(a), place(b));
            (a.distance.total_cmp(&b.distance)).then(a.row.cmp(&b.row))
        };
        *order.select_nth_unstable_by(i, by_place).1
    })
}

/// Updates the records of the members that are at most so far, and drops those that are poor now.
fn update(
    members: &mut Vec<Member>,
    distances: &[f64],
    reach: f64,
    code: u32,
    shares: &Shares,
    z: Quantiles,
) {
    let mut distances = distances.iter();
    members.retain_mut(|member| {
        if distances.next().is_none_or(|&far| far > reach) {
            return true;
        }
        member.asked += 1;
        member.right += u32::from(member.code == code);
        member.lower = interval(member.right, member.asked, z.acceptance).0;
        let upper = interval(member.right, member.asked, z.rejection).1;
        upper >= shares.interval(member.code, z.rejection).0
    });
}

impl Ib3Params {
    fn decide(&self, data: &Dataset) -> Result<Edit> {
        let labels = data.classes()?;
        let view = data.samples().view();
        let quantile = |confidence: f64| normal_quantile(0.5 + confidence / 2.0);
        let z = Quantiles {
            acceptance: quantile(self.acceptance),
            rejection: quantile(self.rejection),
        };
        let mut random = Generator::new(self.seed);
        let mut shares = Shares {
            counts: vec![0; labels.n_classes()],
            total: 0,
        };
        let mut members: Vec<Member> = Vec::new();
        for (row, &code) in labels.codes().iter().enumerate() {
            let mut stored = members.is_empty();
            if stored {
                shares.add(code);
            } else {
                let distances = distances(view, &members, row)?;
                let limits = limits(&shares, z.acceptance);
                let a = answering(&members, &distances, &limits, &mut random);
                stored = members[a].code != code;
                shares.add(code);
                update(&mut members, &distances, distances[a], code, &shares, z);
            }
            if stored {
                members.push(Member {
                    row: row as u32,
                    code,
                    asked: 0,
                    right: 0,
                    lower: 0.0,
                });
            }
        }
        let limits = limits(&shares, z.acceptance);
        let is_acceptable = |member: &&Member| member.lower > limits[member.code as usize];
        let acceptable = members.iter().filter(is_acceptable).count();
        let mut keep = vec![false; labels.len()];
        for member in &members {
            keep[member.row as usize] = acceptable == 0 || is_acceptable(&member);
        }
        Ok(Edit::keeping(keep)
            .with_fact("stored_rows", members.len() as f64)
            .with_fact("acceptable_rows", acceptable as f64))
    }
}

editor!(
    Ib3Params,
    [EditorCard {
        name: "ib3",
        about: "IB3: rows that the subset gets wrong, if they prove better than their class's share",
        purpose: Purpose::Clean,
        preset: &[],
        python: "IB3",
    }]
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_wilsons() {
        // Nine of ten with confidence 95 %, as tables of Wilson's score interval have it.
        let (low, high) = interval(9, 10, normal_quantile(0.975));
        assert!((low - 0.5958).abs() < 5e-5 && (high - 0.9821).abs() < 5e-5);
        assert_eq!(interval(0, 0, 1.0), (0.0, 1.0));
        let (low, high) = interval(5, 5, 1.645);
        assert!(low < 1.0 && (high - 1.0).abs() < 1e-15);
    }
}
