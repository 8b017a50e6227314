//! Tomek links: pairs of rows of different classes that are nearest to each other.
//!
//! With $\nu(i)$ the nearest other row of row $i$, of equally near ones that of the lowest number:
//!
//! ```text
//! i, j are a link   if ν(i) = j, ν(j) = i, y_i ≠ y_j
//! remove majority:  the rows of links that are not of the rarest class
//! remove both:      all rows of links
//! ```
//!
//! | document | here |
//! |---|---|
//! | under-sampling by links (Tomek, 1976) | [`LinkRows::Majority`] |
//! | cleaning by links (Batista et al., 2004) | [`LinkRows::Both`] |
//!
//! Of equally rare classes the first is the rarest. A link of two classes that both are not the
//! rarest loses both rows. With one class, or one row, there are no links.

use super::edit::{Edit, EditorCard, Purpose, editor};
use super::members::Members;
use super::surroundings::{for_each_other, index_of};
use crate::Result;
use crate::data::Dataset;
use crate::params::{Words, params};
use serde::{Deserialize, Serialize};

/// Which rows of a Tomek link are removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, Words)]
pub enum LinkRows {
    /// Those that are not of the rarest class.
    #[default]
    Majority,
    /// Both.
    Both,
}

/// Parameters of the removal of Tomek links.
#[params(heading = "Resampling")]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TomekParams {
    /// Which rows of a link are removed.
    #[param(default = LinkRows::Majority)]
    pub remove: LinkRows,
}

impl TomekParams {
    fn decide(&self, data: &Dataset) -> Result<Edit> {
        let labels = data.classes()?;
        let codes = labels.codes();
        let spared = match self.remove {
            LinkRows::Majority => Members::new(labels).rarest().map(|(class, _)| class),
            LinkRows::Both => None,
        };
        let view = data.samples().view();
        let rows: Vec<u32> = (0..codes.len() as u32).collect();
        let mut nearest: Vec<Option<u32>> = Vec::with_capacity(codes.len());
        let index = index_of(view, None, 1)?;
        for_each_other(&index.searcher(view)?, &rows, 1, |_, list| {
            nearest.push(list.first().map(|found| found.row));
        })?;
        let linked = |i: usize| {
            nearest[i].is_some_and(|j| {
                codes[j as usize] != codes[i] && nearest[j as usize] == Some(i as u32)
            })
        };
        let links: Vec<bool> = (0..codes.len()).map(linked).collect();
        let keep = |(&linked, &code): (&bool, &u32)| !linked || spared == Some(code);
        let keep = links.iter().zip(codes).map(keep).collect();
        let n_links = links.iter().filter(|&&linked| linked).count() / 2;
        Ok(Edit::keeping(keep).with_fact("links", n_links as f64))
    }
}

editor!(
    TomekParams,
    [EditorCard {
        name: "tomek",
        about: "Tomek links: remove rows whose nearest row is of another class, and they its nearest",
        purpose: Purpose::Resample,
        preset: &[],
        python: "TomekLinks",
    }]
);
