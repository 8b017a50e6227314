//! The structure that costs least, as measured.

use super::index::{Body, Engine, brute, buckets};
use super::{IndexParams, Metric};
use crate::Result;
use crate::data::SamplesView;

/// Rows up to which there is nothing to gain.
const FEW: usize = 512;

/// Builds the structure that is cheapest for the expected queries.
pub(super) fn cheapest(
    metric: &Metric,
    samples: SamplesView<'_>,
    rows: Vec<u32>,
    _params: &IndexParams,
) -> Result<(Body, Engine)> {
    if rows.len() <= FEW {
        return Ok(brute(metric, samples, rows));
    }
    Ok(buckets(metric, samples, &rows).unwrap_or_else(|| brute(metric, samples, rows)))
}
