//! Inner products of rows with a few queries, with nothing packed.
//!
//! The values that the queries have at one feature stand side by side, so that an entry of a row
//! serves all of them in one step.

use super::Real;
use crate::data::{Row, SamplesView};

/// Queries at once: a vector register of the widest processors.
pub(crate) const QUERY_LANES: usize = 8;

/// What a row has in common with the queries.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct LaneProducts {
    /// $x \cdot q$ of each query.
    pub(crate) products: [f64; QUERY_LANES],
    /// $\|x\|^2$.
    pub(crate) sq_norm: f64,
}

#[inline(always)]
fn lanes_body<const FMA: bool>(
    samples: SamplesView<'_>,
    rows: &[u32],
    queries: &[[f64; QUERY_LANES]],
    out: &mut [LaneProducts],
) {
    for (slot, &row) in out.iter_mut().zip(rows) {
        let (mut products, mut sq_norm) = ([0.0f64; QUERY_LANES], 0.0f64);
        let mut add = |value: f64, query: &[f64; QUERY_LANES]| {
            for lane in 0..QUERY_LANES {
                products[lane] = value.fma::<FMA>(query[lane], products[lane]);
            }
            sq_norm = value.fma::<FMA>(value, sq_norm);
        };
        match samples.row(row as usize) {
            Row::Dense(values) => {
                for (&value, query) in values.iter().zip(queries) {
                    add(value, query);
                }
            }
            Row::Sparse { indices, values } => {
                for (&f, &value) in indices.iter().zip(values) {
                    add(value, &queries[f as usize]);
                }
            }
        }
        *slot = LaneProducts { products, sq_norm };
    }
}

multiversion! {
    /// Inner products of some rows with the queries, which have a value for every feature of the
    /// samples.
    pub(crate) fn lane_products[](
        samples: SamplesView<'_>,
        rows: &[u32],
        queries: &[[f64; QUERY_LANES]],
        out: &mut [LaneProducts],
    ) = lanes_body;
}
