//! SMOTE and its relatives: new rows between neighbours of a rare class.
//!
//! Every class $c$ that has fewer rows than $m = $ ratio × rows of the largest class gets
//! $G = m - n_c$ new ones. With $N_k(i)$ the $k$ nearest other rows of row $i$ in its class:
//!
//! ```text
//! spread G over the bases i of class c: g_i rows each, Σ g_i = G
//! for every base i, g_i times: j = a random one of N_k(i); u uniform in [0, 1)
//!     emit x_i + u (x_j − x_i)
//! ```
//!
//! | document | here | bases, and how the rows are spread |
//! |---|---|---|
//! | SMOTE (Chawla et al., 2002) | [`SmoteParams`] | all rows, by turns in a shuffled order |
//! | Borderline-SMOTE 1 (Han et al., 2005) | [`BorderlineSmoteParams`], kind 1 | rows in danger, by turns in a shuffled order |
//! | Borderline-SMOTE 2 | kind 2 | the same; $j$ is one of the $k$ nearest of all rows, $u < 1/2$ if it is of another class |
//! | ADASYN (He et al., 2008) | [`AdasynParams`] | all rows, $g_i$ in proportion to the rows of other classes among the $k$ nearest of all rows |
//!
//! A row is in danger if at least half of its nearest rows are of other classes, but not all of
//! them: then it is noise. A class without a row in danger gets no rows. ADASYN's shares are
//! rounded so that they sum to $G$ (largest remainders, then lower row numbers); a class without
//! any neighbour of another class is spread as by SMOTE. Copies of a row are neighbours of it, and
//! $k$ is at most all other rows. A class of one row that would have to grow is an error: there is
//! no segment to put rows on.

use super::edit::{Edit, EditorCard, Purpose, editor};
use super::members::{Members, scaled_size};
use super::surroundings::{for_each_other, index_of};
use super::synthetic::{Segment, draw_segments, rows_on};
use crate::data::{ClassLabels, Dataset, Generator, SamplesView};
use crate::params::params;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// Parameters of SMOTE.
#[params(heading = "Resampling")]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SmoteParams {
    /// Neighbours of the same class that new rows lie towards, k; at most all others.
    #[param(default = 5, least = 1, short = 'K', alias = "k", tunable)]
    pub neighbours: usize,
    /// Size that smaller classes are raised to, in sizes of the largest.
    #[param(default = 1.0, above = 0.0, most = 1.0, tunable)]
    pub ratio: f64,
    /// Seed of the draws.
    #[param(python = "random_state", no_option)]
    pub seed: u64,
}

/// Parameters of Borderline-SMOTE.
#[params(heading = "Resampling")]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BorderlineSmoteParams {
    /// 1: new rows between rows of the class; 2: also a little towards other classes.
    #[param(default = 1, least = 1, most = 2)]
    pub kind: usize,
    /// Neighbours that new rows lie towards, k; at most all others.
    #[param(default = 5, least = 1, short = 'K', alias = "k", tunable)]
    pub neighbours: usize,
    /// Neighbours that tell whether a row is in danger, m; at most all others.
    #[param(default = 10, least = 1, tunable)]
    pub danger_neighbours: usize,
    /// Size that smaller classes are raised to, in sizes of the largest.
    #[param(default = 1.0, above = 0.0, most = 1.0, tunable)]
    pub ratio: f64,
    /// Seed of the draws.
    #[param(python = "random_state", no_option)]
    pub seed: u64,
}

/// Parameters of ADASYN.
#[params(heading = "Resampling")]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AdasynParams {
    /// Neighbours that shares are counted over and that new rows lie towards, k; at most all
    /// others.
    #[param(default = 5, least = 1, short = 'K', alias = "k", tunable)]
    pub neighbours: usize,
    /// Size that smaller classes are raised to, in sizes of the largest.
    #[param(default = 1.0, above = 0.0, most = 1.0, tunable)]
    pub ratio: f64,
    /// Seed of the draws.
    #[param(python = "random_state", no_option)]
    pub seed: u64,
}

/// A class that is to grow.
struct Growth<'a> {
    class: u32,
    rows: &'a [u32],
    /// Rows that it lacks.
    lacking: usize,
    random: Generator,
}

/// Raises every class that is smaller than it should be by the segments that `draw` makes for it.
fn grown<'a>(
    data: &Dataset,
    members: &'a Members,
    ratio: f64,
    seed: u64,
    mut draw: impl FnMut(Growth<'a>) -> Result<Vec<Segment>>,
) -> Result<Edit> {
    let labels = data.classes()?;
    let size = scaled_size(members.largest_size(), ratio);
    let mut segments = Vec::new();
    let mut codes = Vec::new();
    for (class, rows) in members.present().filter(|(_, rows)| rows.len() < size) {
        ensure_pair(labels, class, rows.len())?;
        segments.extend(draw(Growth {
            class,
            rows,
            lacking: size - rows.len(),
            random: Generator::for_task(seed, u64::from(class)),
        })?);
        codes.resize(segments.len(), class);
    }
    let edit = Edit::keeping(vec![true; labels.len()]);
    if segments.is_empty() {
        return Ok(edit);
    }
    let samples = rows_on(data.samples().view(), &segments)?;
    Ok(edit.with_added(samples, codes))
}

/// Accepts a class that has two ends of a segment.
fn ensure_pair(labels: &ClassLabels, class: u32, found: usize) -> Result<()> {
    if found >= 2 {
        return Ok(());
    }
    Err(Error::TooFewRows {
        class: labels.names()[class as usize].to_string(),
        needed: 2,
        found,
    })
}

/// The rows in a shuffled order, with how often each is met when `count` are taken by turns.
fn by_turns(rows: &[u32], count: usize, random: &mut Generator) -> Vec<(u32, usize)> {
    let mut order = rows.to_vec();
    random.shuffle(&mut order);
    let (rounds, rest) = (count / rows.len().max(1), count % rows.len().max(1));
    let turns = |(i, row)| (row, rounds + usize::from(i < rest));
    order.into_iter().enumerate().map(turns).collect()
}

/// How many of the `k` nearest of all rows are of another class, for each of some rows, and how
/// many were looked at.
fn strangers(
    samples: SamplesView<'_>,
    codes: &[u32],
    rows: &[u32],
    k: usize,
) -> Result<Vec<(usize, usize)>> {
    let index = index_of(samples, None, k)?;
    let mut counts = Vec::with_capacity(rows.len());
    for_each_other(&index.searcher(samples)?, rows, k, |row, list| {
        let own = codes[row as usize];
        let other = list.iter().filter(|near| codes[near.row as usize] != own);
        counts.push((other.count(), list.len()));
    })?;
    Ok(counts)
}

/// Divides `count` in proportion to whole weights that are not all 0: rounded down, and one more
/// for the largest remainders, the first of equals.
fn apportioned(weights: &[usize], count: usize) -> Vec<usize> {
    let total = weights.iter().map(|&weight| weight as u128).sum::<u128>();
    let total = total.max(1);
    let exact = |&weight: &usize| weight as u128 * count as u128;
    let mut parts: Vec<usize> = weights
        .iter()
        .map(|w| (exact(w) / total) as usize)
        .collect();
    let missing = count - parts.iter().sum::<usize>();
    let mut order: Vec<usize> = (0..weights.len()).collect();
    order.sort_by_key(|&i| (std::cmp::Reverse(exact(&weights[i]) % total), i));
    for &i in order.iter().take(missing) {
        parts[i] += 1;
    }
    parts
}

impl SmoteParams {
    fn decide(&self, data: &Dataset) -> Result<Edit> {
        let members = Members::new(data.classes()?);
        let view = data.samples().view();
        grown(data, &members, self.ratio, self.seed, |mut class| {
            let bases = by_turns(class.rows, class.lacking, &mut class.random);
            let partners = Some(class.rows);
            draw_segments(
                view,
                &bases,
                partners,
                self.neighbours,
                |_| 1.0,
                &mut class.random,
            )
        })
    }
}

impl BorderlineSmoteParams {
    fn decide(&self, data: &Dataset) -> Result<Edit> {
        let labels = data.classes()?;
        let codes = labels.codes();
        let members = Members::new(labels);
        let view = data.samples().view();
        let mut n_in_danger = 0;
        let edit = grown(data, &members, self.ratio, self.seed, |mut class| {
            let counts = strangers(view, codes, class.rows, self.danger_neighbours)?;
            let endangered = |(other, all): (usize, usize)| 2 * other >= all && other < all;
            let pairs = class.rows.iter().zip(counts);
            let danger: Vec<u32> = pairs
                .filter(|&(_, counts)| endangered(counts))
                .map(|(&row, _)| row)
                .collect();
            n_in_danger += danger.len();
            let bases = by_turns(&danger, class.lacking, &mut class.random);
            let partners = (self.kind == 1).then_some(class.rows);
            let reach = |row: u32| {
                if codes[row as usize] == class.class {
                    1.0
                } else {
                    0.5
                }
            };
            draw_segments(
                view,
                &bases,
                partners,
                self.neighbours,
                reach,
                &mut class.random,
            )
        })?;
        Ok(edit.with_fact("rows_in_danger", n_in_danger as f64))
    }
}

impl AdasynParams {
    fn decide(&self, data: &Dataset) -> Result<Edit> {
        let labels = data.classes()?;
        let members = Members::new(labels);
        let view = data.samples().view();
        grown(data, &members, self.ratio, self.seed, |mut class| {
            let counts = strangers(view, labels.codes(), class.rows, self.neighbours)?;
            let weights: Vec<usize> = counts.into_iter().map(|(other, _)| other).collect();
            let bases = if weights.iter().all(|&weight| weight == 0) {
                by_turns(class.rows, class.lacking, &mut class.random)
            } else {
                let parts = apportioned(&weights, class.lacking);
                class.rows.iter().copied().zip(parts).collect()
            };
            let partners = Some(class.rows);
            draw_segments(
                view,
                &bases,
                partners,
                self.neighbours,
                |_| 1.0,
                &mut class.random,
            )
        })
    }
}

editor!(
    SmoteParams,
    [EditorCard {
        name: "smote",
        about: "SMOTE: new rows between neighbours of the same class, until classes are equal",
        purpose: Purpose::Resample,
        preset: &[],
        python: "SMOTE",
    }]
);

editor!(
    BorderlineSmoteParams,
    [EditorCard {
        name: "borderline-smote",
        about: "Borderline-SMOTE: SMOTE from rows that have many neighbours of other classes",
        purpose: Purpose::Resample,
        preset: &[],
        python: "BorderlineSMOTE",
    }]
);

editor!(
    AdasynParams,
    [EditorCard {
        name: "adasyn",
        about: "ADASYN: SMOTE with more rows where neighbours are of other classes",
        purpose: Purpose::Resample,
        preset: &[],
        python: "ADASYN",
    }]
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_sum_to_the_whole() {
        assert_eq!(apportioned(&[1, 1, 1], 4), [2, 1, 1]);
        assert_eq!(apportioned(&[0, 5, 2], 7), [0, 5, 2]);
        assert_eq!(apportioned(&[3, 1, 0, 2], 1), [1, 0, 0, 0]);
        assert_eq!(apportioned(&[1, 3, 3], 5), [1, 2, 2]);
    }

    #[test]
    fn turns_differ_by_at_most_one() {
        let turns = by_turns(&[4, 7, 9], 8, &mut Generator::new(3));
        let counts: Vec<usize> = turns.iter().map(|turn| turn.1).collect();
        assert_eq!(counts, [3, 3, 2]);
        assert!(by_turns(&[], 8, &mut Generator::new(3)).is_empty());
    }
}
