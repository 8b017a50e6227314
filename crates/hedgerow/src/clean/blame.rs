//! BBNR: blame-based noise reduction (Delany and Cunningham, 2004).
//!
//! Every row is classified by its $k$ nearest other rows. A row $c$ covers those rows that are
//! classified rightly with its help, and is liable for those that are classified wrongly with it:
//!
//! ```text
//! coverage(c)  = { t right, c among the k neighbours of t, y_c = y_t }
//! liability(c) = { t wrong, c among the k neighbours of t, y_c ≠ y_t }
//! T = all rows; for every c with liability, the most liable first (ties: row number)
//!     T = T \ {c}; unless every t of coverage(c) is still right by T \ {t}, put c back
//! ```
//!
//! Both sets are computed once; the re-checks look at the rows that are left.

use super::edit::{Edit, EditorCard, Opinion, Purpose, editor};
use super::surroundings::{Poll, index_of};
use super::survivors::Survivors;
use crate::Result;
use crate::data::Dataset;
use crate::params::params;
use serde::{Deserialize, Serialize};

/// Parameters of BBNR.
#[params(heading = "Neighbourhoods")]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BbnrParams {
    /// Neighbours that classify a row, k; at most all other rows.
    #[param(default = 3, least = 1, short = 'K', alias = "k", tunable)]
    pub neighbours: usize,
}

/// The label that most neighbours have, of equals that of the nearest.
fn vote(poll: &mut Poll, codes: &[u32], list: &[u32]) -> Option<u32> {
    poll.clear();
    let labels = list.iter().map(|&row| codes[row as usize]);
    labels.clone().for_each(|code| poll.add(code));
    poll.winner(labels)
}

impl BbnrParams {
    fn decide(&self, data: &Dataset) -> Result<Edit> {
        let labels = data.classes()?;
        let codes = labels.codes();
        let n = codes.len();
        let view = data.samples().view();
        let index = index_of(view, None, self.neighbours)?;
        let mut left = Survivors::new(&index, view, self.neighbours)?;
        let mut poll = Poll::new(labels.n_classes());
        let mut coverage: Vec<Vec<u32>> = vec![Vec::new(); n];
        let mut liability = vec![0u32; n];
        let mut opinions = Vec::with_capacity(n);
        let mut list = Vec::new();
        for t in 0..n as u32 {
            left.nearest(t, &mut list)?;
            let own = codes[t as usize];
            let answer = vote(&mut poll, codes, &list);
            let in_order = list.iter().map(|&row| codes[row as usize]);
            opinions.push(poll.opinion(own, in_order));
            for &c in &list {
                let same = codes[c as usize] == own;
                if answer == Some(own) && same {
                    coverage[c as usize].push(t);
                } else if answer != Some(own) && !same {
                    liability[c as usize] += 1;
                }
            }
        }
        let mut order: Vec<u32> = (0..n as u32)
            .filter(|&c| liability[c as usize] > 0)
            .collect();
        order.sort_by_key(|&c| (std::cmp::Reverse(liability[c as usize]), c));
        for c in order {
            left.set(c, false);
            for &t in &coverage[c as usize] {
                left.nearest(t, &mut list)?;
                if vote(&mut poll, codes, &list) != Some(codes[t as usize]) {
                    left.set(c, true);
                    break;
                }
            }
        }
        let blamed = liability.iter().filter(|&&count| count > 0).count();
        let opinions: Vec<Opinion> = opinions;
        Ok(Edit::keeping(left.into_alive())
            .with_opinions(opinions)
            .with_fact("blamed_rows", blamed as f64))
    }
}

editor!(
    BbnrParams,
    [EditorCard {
        name: "bbnr",
        about: "BBNR: remove rows that mislead others and are not needed to get others right",
        purpose: Purpose::Clean,
        preset: &[],
        python: "BBNR",
    }]
);
