//! Editing by the votes of neighbours: ENN, RENN, AkNN.
//!
//! With $n_c(i, j)$ the number of rows of class $c$ among the $j$ nearest other rows of row $i$, the
//! row stands at $j$ if $n_{y_i}(i, j) > n_c(i, j)$ for every other class $c$ (in the conservative
//! form: $\ge$). Neighbours are ordered by (distance, row number), copies of a row are neighbours.
//!
//! | document | here | keeps row $i$ if |
//! |---|---|---|
//! | ENN(k), Wilson | [`EnnParams`] | it stands at $k$ |
//! | RENN(k), Tomek | [`RennParams`] | it survives ENN on the survivors, until nothing changes |
//! | AkNN(k), Tomek | [`AknnParams`] | it stands at every $j \le k$ |
//! | AkNNc(k) | [`AknnParams::conservative`] | the same, ties do no harm |

use super::edit::{Edit, EditorCard, Opinion, Purpose, editor};
use super::surroundings::{Poll, for_each_other, index_of};
use crate::Result;
use crate::data::Dataset;
use crate::neighbours::Neighbour;
use crate::params::params;
use serde::{Deserialize, Serialize};

/// Parameters of ENN.
#[params(heading = "Neighbourhoods")]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EnnParams {
    /// Neighbours that vote, k; at most all other rows.
    #[param(default = 3, least = 1, short = 'K', alias = "k", tunable)]
    pub neighbours: usize,
    /// Keep rows whose label is as frequent as another.
    #[param(default = false)]
    pub conservative: bool,
}

/// Parameters of repeated ENN.
#[params(heading = "Neighbourhoods")]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RennParams {
    /// Neighbours that vote, k; at most all other rows.
    #[param(default = 3, least = 1, short = 'K', alias = "k", tunable)]
    pub neighbours: usize,
    /// Keep rows whose label is as frequent as another.
    #[param(default = false)]
    pub conservative: bool,
    /// Largest number of passes.
    #[param(least = 1, unless = "until nothing changes")]
    pub max_passes: Option<u64>,
}

/// Parameters of All-kNN.
#[params(heading = "Neighbourhoods")]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AknnParams {
    /// Largest number of neighbours that vote, k; at most all other rows.
    #[param(default = 3, least = 1, short = 'K', alias = "k", tunable)]
    pub neighbours: usize,
    /// Keep rows whose label is as frequent as another.
    #[param(default = false)]
    pub conservative: bool,
}

/// The rows of a data set, by number.
fn all_rows(data: &Dataset) -> Vec<u32> {
    (0..data.n_rows() as u32).collect()
}

/// What the neighbours in a list say of a row, and whether it stands.
fn judge(
    poll: &mut Poll,
    codes: &[u32],
    own: u32,
    list: impl Iterator<Item = u32> + Clone,
    conservative: bool,
) -> (bool, Opinion) {
    poll.clear();
    let labels = list.map(|row| codes[row as usize]);
    labels.clone().for_each(|code| poll.add(code));
    (poll.stands(own, conservative), poll.opinion(own, labels))
}

impl EnnParams {
    fn decide(&self, data: &Dataset) -> Result<Edit> {
        let labels = data.classes()?;
        let codes = labels.codes();
        let view = data.samples().view();
        let index = index_of(view, None, self.neighbours)?;
        let mut poll = Poll::new(labels.n_classes());
        let mut keep = Vec::with_capacity(codes.len());
        let mut opinions = Vec::with_capacity(codes.len());
        let rows = all_rows(data);
        for_each_other(
            &index.searcher(view)?,
            &rows,
            self.neighbours,
            |row, list| {
                let own = codes[row as usize];
                let voters = list.iter().map(|found| found.row);
                let (stands, opinion) = judge(&mut poll, codes, own, voters, self.conservative);
                keep.push(stands);
                opinions.push(opinion);
            },
        )?;
        Ok(Edit::keeping(keep).with_opinions(opinions))
    }
}

impl AknnParams {
    fn decide(&self, data: &Dataset) -> Result<Edit> {
        let labels = data.classes()?;
        let codes = labels.codes();
        let view = data.samples().view();
        let index = index_of(view, None, self.neighbours)?;
        let mut poll = Poll::new(labels.n_classes());
        let mut keep = Vec::with_capacity(codes.len());
        let mut opinions = Vec::with_capacity(codes.len());
        let rows = all_rows(data);
        for_each_other(
            &index.searcher(view)?,
            &rows,
            self.neighbours,
            |row, list| {
                let own = codes[row as usize];
                let in_order = list.iter().map(|found| codes[found.row as usize]);
                poll.clear();
                let mut stands = true;
                for code in in_order.clone() {
                    poll.add(code);
                    stands &= poll.stands(own, self.conservative);
                }
                keep.push(stands);
                opinions.push(poll.opinion(own, in_order));
            },
        )?;
        Ok(Edit::keeping(keep).with_opinions(opinions))
    }
}

impl RennParams {
    fn decide(&self, data: &Dataset) -> Result<Edit> {
        let labels = data.classes()?;
        let codes = labels.codes();
        let view = data.samples().view();
        let mut poll = Poll::new(labels.n_classes());
        let mut keep = vec![true; codes.len()];
        let own_label = |&label: &u32| Opinion { trust: 1.0, label };
        let mut opinions: Vec<Opinion> = codes.iter().map(own_label).collect();
        let mut lists: Vec<Vec<u32>> = vec![Vec::new(); codes.len()];
        // Rows whose neighbours are not known, or not any more.
        let mut unsettled = all_rows(data);
        let mut passes = 0;
        while self.max_passes.is_none_or(|most| passes < most) {
            let left: Vec<u32> = (0..codes.len() as u32)
                .filter(|&row| keep[row as usize])
                .collect();
            if left.is_empty() {
                break;
            }
            passes += 1;
            let index = index_of(view, Some(&left), self.neighbours)?;
            let searcher = index.searcher(view)?;
            for_each_other(
                &searcher,
                &unsettled,
                self.neighbours,
                |row, list: &[Neighbour]| {
                    lists[row as usize] = list.iter().map(|found| found.row).collect();
                },
            )?;
            let mut removed = Vec::new();
            for &row in &unsettled {
                let voters = lists[row as usize].iter().copied();
                let own = codes[row as usize];
                let (stands, opinion) = judge(&mut poll, codes, own, voters, self.conservative);
                opinions[row as usize] = opinion;
                if !stands {
                    removed.push(row);
                }
            }
            if removed.is_empty() {
                break;
            }
            for &row in &removed {
                keep[row as usize] = false;
            }
            // Whose neighbours are all still there has nothing new to say.
            unsettled = left
                .into_iter()
                .filter(|&row| {
                    let lost = |other: &u32| !keep[*other as usize];
                    keep[row as usize] && lists[row as usize].iter().any(lost)
                })
                .collect();
        }
        Ok(Edit::keeping(keep)
            .with_opinions(opinions)
            .with_fact("passes", passes as f64))
    }
}

editor!(
    EnnParams,
    [EditorCard {
        name: "enn",
        about: "ENN: keep rows whose label is the most frequent among their neighbours",
        purpose: Purpose::Clean,
        preset: &[],
        python: "ENN",
    }]
);

editor!(
    RennParams,
    [EditorCard {
        name: "renn",
        about: "RENN: ENN again and again until nothing changes",
        purpose: Purpose::Clean,
        preset: &[],
        python: "RENN",
    }]
);

editor!(
    AknnParams,
    [
        EditorCard {
            name: "aknn",
            about: "AkNN: keep rows that ENN keeps for every number of neighbours up to k",
            purpose: Purpose::Clean,
            preset: &[("conservative", "0")],
            python: "AkNN",
        },
        EditorCard {
            name: "aknnc",
            about: "AkNNc: AkNN in which a tie does no harm",
            purpose: Purpose::Clean,
            preset: &[("conservative", "1")],
            python: "AkNNc",
        },
    ]
);
