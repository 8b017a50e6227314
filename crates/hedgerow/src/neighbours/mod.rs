//! Nearest neighbours, exact, in input space or in the feature space of a kernel.
//!
//! An [`Index`] is built once over rows of some samples and answers for any number of queries. It
//! does not own the samples: whoever does (a model) lends them to a [`Searcher`]. Neighbours come
//! in ascending order of distance; equal distances in ascending order of the row number, whatever
//! structure the index has and however many threads search.

mod brute;
mod metric;

pub use metric::Metric;

use crate::data::SamplesView;
use crate::{Error, Result};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// One row that was found.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Neighbour {
    /// Row of the samples that the index was built on.
    pub row: u32,
    /// Its distance (not squared).
    pub distance: f64,
}

/// How neighbours are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Structure {
    /// The cheapest for the data at hand.
    #[default]
    Auto,
    /// Every row is looked at.
    Brute,
}

/// How an index is built.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct IndexParams {
    /// The structure.
    pub structure: Structure,
    /// Neighbours that a typical query will ask for, if known; helps [`Structure::Auto`].
    pub expected_k: Option<usize>,
    /// Queries that are to be expected, if known; helps [`Structure::Auto`].
    pub expected_queries: Option<usize>,
}

/// Rows arranged for searching.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Index {
    metric: Metric,
    rows: Vec<u32>,
}

impl Index {
    /// Arranges the given rows of `samples` (all of them for `None`).
    pub fn build(
        metric: &Metric,
        samples: SamplesView<'_>,
        rows: Option<&[u32]>,
        _params: &IndexParams,
    ) -> Result<Self> {
        let rows = rows.map_or_else(|| (0..samples.n_rows() as u32).collect(), <[u32]>::to_vec);
        if rows.is_empty() {
            return Err(Error::NoRows);
        }
        Ok(Self {
            metric: metric.clone(),
            rows,
        })
    }

    /// Number of rows that can be found.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// True if nothing can be found.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Joins the index with the samples it was built on.
    pub fn searcher<'a>(&'a self, samples: SamplesView<'a>) -> Result<Searcher<'a>> {
        Ok(Searcher {
            index: self,
            samples,
        })
    }
}

/// An index together with its samples.
#[derive(Debug, Clone, Copy)]
pub struct Searcher<'a> {
    index: &'a Index,
    samples: SamplesView<'a>,
}

impl Searcher<'_> {
    /// The `k` nearest rows of each row of `queries`, in parallel; all rows if there are fewer.
    pub fn k_nearest(&self, queries: SamplesView<'_>, k: usize) -> Result<Vec<Vec<Neighbour>>> {
        (0..queries.n_rows())
            .into_par_iter()
            .map(|q| brute::k_nearest(self, queries, q, k, None))
            .collect()
    }

    /// The `k` nearest rows of each of the given rows of the samples themselves, in parallel. With
    /// `leave_out` a row is not its own neighbour (copies of it are).
    pub fn k_nearest_of(
        &self,
        members: &[u32],
        k: usize,
        leave_out: bool,
    ) -> Result<Vec<Vec<Neighbour>>> {
        members
            .par_iter()
            .map(|&row| {
                let left_out = leave_out.then_some(row);
                brute::k_nearest(self, self.samples, row as usize, k, left_out)
            })
            .collect()
    }

    /// The nearest row of each row of `queries`, in parallel.
    pub fn nearest(&self, queries: SamplesView<'_>) -> Result<Vec<Neighbour>> {
        let lists = self.k_nearest(queries, 1)?;
        Ok(lists
            .iter()
            .filter_map(|list| list.first().copied())
            .collect())
    }
}
