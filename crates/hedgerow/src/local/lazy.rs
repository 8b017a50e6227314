//! What methods share that keep all rows and look at them only when they are asked.

use super::store::{Answers, Store};
use crate::data::{ClassName, Dataset, SamplesView};
use crate::kernel::KernelSpec;
use crate::neighbours::{DistanceMetric, Index, IndexParams, Neighbour};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Neighbours that are held at a time: 64 MiB.
const HELD_NEIGHBOURS: usize = 1 << 22;

/// The metric in which the rows near to a query are those near to it in the feature space of a
/// kernel. Where a width is left to the neighbourhoods any value gives the same order of rows.
pub(super) fn metric(
    spec: &KernelSpec,
    samples: SamplesView<'_>,
    seed: u64,
) -> Result<DistanceMetric> {
    if let Some(kernel) = spec.fixed() {
        return Ok(DistanceMetric::of(kernel));
    }
    // Percentiles over all pairs are dear, and the usual metric does not know of them.
    let few = section(samples, 0..samples.n_rows().min(FEW));
    let metric = DistanceMetric::of(&spec.resolve(few, seed)?);
    if metric.is_euclidean() {
        return Ok(metric);
    }
    Ok(DistanceMetric::of(&spec.resolve(samples, seed)?))
}

/// Rows that show what kind of metric a kernel has.
const FEW: usize = 64;

/// Rows that can be searched.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct SearchableRows {
    pub(super) store: Store,
    pub(super) index: Index,
}

impl SearchableRows {
    /// The rows with a positive weight, for queries that ask for `k` of them.
    pub(super) fn new(
        data: &Dataset,
        spec: &KernelSpec,
        seed: u64,
        params: &IndexParams,
        k: usize,
    ) -> Result<Self> {
        let store = Store::new(data)?;
        let hints = IndexParams {
            expected_k: Some(k.min(store.len())),
            ..params.clone()
        };
        let metric = metric(spec, store.view(), seed)?;
        let index = Index::build(&metric, store.view(), None, &hints)?;
        Ok(Self { store, index })
    }

    /// An error unless the rows are sound and all of them can be found.
    pub(super) fn validate(&self) -> Result<()> {
        self.store.validate()?;
        let (n_rows, n_indexed) = (self.store.len(), self.index.len());
        if n_rows == 0 {
            return Err(Error::NoRows);
        }
        if n_rows != n_indexed {
            return Err(Error::Shape {
                what: "rows of the index",
                expected: n_rows,
                found: n_indexed,
            });
        }
        self.index.searcher(self.store.view()).map(drop)
    }

    pub(super) fn n_features(&self) -> usize {
        self.store.view().n_features()
    }

    /// Names of the classes; `None` for real targets.
    pub(super) fn class_names(&self) -> Option<&[ClassName]> {
        match &self.store.answers {
            Answers::Classes(labels) => Some(labels.names()),
            Answers::Real(_) => None,
        }
    }

    /// An error unless rows can be compared with those stored.
    pub(super) fn check_queries(&self, samples: SamplesView<'_>) -> Result<()> {
        samples.ensure_finite()?;
        let is_dense = matches!(samples, SamplesView::Dense { .. });
        if is_dense && samples.n_features() > self.n_features() {
            return Err(Error::Shape {
                what: "features of the rows to predict",
                expected: self.n_features(),
                found: samples.n_features(),
            });
        }
        Ok(())
    }

    /// Calls `visit` for one block of queries after the other with the `k` nearest rows of each,
    /// so that the neighbours of all queries never stand in memory together.
    pub(super) fn for_each_block(
        &self,
        queries: SamplesView<'_>,
        k: usize,
        mut visit: impl FnMut(SamplesView<'_>, &[Vec<Neighbour>]) -> Result<()>,
    ) -> Result<()> {
        self.check_queries(queries)?;
        let searcher = self.index.searcher(self.store.view())?;
        for block in self.blocks(queries.n_rows(), k) {
            let queries = section(queries, block);
            visit(queries, &searcher.k_nearest(queries, k)?)?;
        }
        Ok(())
    }

    /// As [`SearchableRows::for_each_block`] for all stored rows, none of which is its own
    /// neighbour. `visit` gets the number of the first row of the block.
    pub(super) fn for_each_other_block(
        &self,
        k: usize,
        mut visit: impl FnMut(usize, &[Vec<Neighbour>]) -> Result<()>,
    ) -> Result<()> {
        let searcher = self.index.searcher(self.store.view())?;
        for block in self.blocks(self.store.len(), k) {
            let rows: Vec<u32> = (block.start as u32..block.end as u32).collect();
            visit(block.start, &searcher.k_nearest_of(&rows, k, true)?)?;
        }
        Ok(())
    }

    fn blocks(&self, n_queries: usize, k: usize) -> impl Iterator<Item = Range<usize>> + use<> {
        let size = (HELD_NEIGHBOURS / k.min(self.store.len()).max(1)).max(256);
        (0..n_queries)
            .step_by(size)
            .map(move |start| start..(start + size).min(n_queries))
    }
}

/// Some rows of a view.
fn section(samples: SamplesView<'_>, rows: Range<usize>) -> SamplesView<'_> {
    match samples {
        SamplesView::Dense {
            n_features, values, ..
        } => SamplesView::Dense {
            n_rows: rows.len(),
            n_features,
            values: &values[rows.start * n_features..rows.end * n_features],
        },
        SamplesView::Sparse {
            n_features,
            row_starts,
            indices,
            values,
        } => SamplesView::Sparse {
            n_features,
            row_starts: &row_starts[rows.start..=rows.end],
            indices,
            values,
        },
    }
}
