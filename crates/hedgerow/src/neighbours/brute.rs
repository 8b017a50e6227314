//! Looking at every row.

use super::{Neighbour, Searcher};
use crate::Result;
use crate::data::SamplesView;

/// The `k` nearest rows of one query.
pub(super) fn k_nearest(
    searcher: &Searcher<'_>,
    queries: SamplesView<'_>,
    query: usize,
    k: usize,
    left_out: Option<u32>,
) -> Result<Vec<Neighbour>> {
    let samples = searcher.samples;
    let n_features = samples.n_features().max(queries.n_features());
    let mut found = Vec::with_capacity(searcher.index.rows.len());
    for &row in &searcher.index.rows {
        if left_out != Some(row) {
            let (x, y) = (samples.row(row as usize), queries.row(query));
            let distance = searcher.index.metric.distance(x, y, n_features)?;
            found.push(Neighbour { row, distance });
        }
    }
    found.sort_by(|a, b| a.distance.total_cmp(&b.distance).then(a.row.cmp(&b.row)));
    found.truncate(k);
    Ok(found)
}
