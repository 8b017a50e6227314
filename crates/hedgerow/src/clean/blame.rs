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
use super::surroundings::Poll;
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

impl BbnrParams {
    fn decide(&self, data: &Dataset) -> Result<Edit> {
        let labels = data.classes()?;
        let codes = labels.codes();
        let n = codes.len();
        let view = data.samples().view();
        // One more, because a row is tried without another one.
        let mut left = Survivors::new(view, self.neighbours.saturating_add(1))?;
        let mut poll = Poll::new(labels.n_classes());
        let mut coverage: Vec<Vec<u32>> = vec![Vec::new(); n];
        let mut liability = vec![0u32; n];
        let mut opinions = Vec::with_capacity(n);
        for t in 0..n as u32 {
            let list = left.nearest(t)?.take(self.neighbours);
            let own = codes[t as usize];
            let in_order = list.clone().map(|row| codes[row as usize]);
            let answer = poll.vote(in_order.clone());
            opinions.push(poll.opinion(own, in_order));
            for c in list {
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
            let mut needed = false;
            for &t in &coverage[c as usize] {
                let others = left.nearest(t)?.filter(|&other| other != c);
                let labels = others.map(|other| codes[other as usize]);
                needed = poll.vote(labels.take(self.neighbours)) != Some(codes[t as usize]);
                if needed {
                    break;
                }
            }
            if !needed {
                left.remove(c)?;
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
