//! Rows in buckets of neighbours, buckets in boxes, sixteen boxes in a larger one.
//!
//! The rows are brought into an order in which each run of [`BucketTree::bucket`] rows lies close
//! together, each sixteen runs, and so on. The order is the whole tree: bucket `i` has the rows
//! from `i × bucket` on, and node `i` of a level the nodes `16 i` to `16 i + 15` of the one below.
//! Sixteen nodes are looked at in one pass, the rows of a bucket likewise; where all rows of a
//! bucket are alike in a column, that is looked at once for all of them.
//!
//! # Precision
//!
//! A bucket stores its rows in single precision relative to its own centre $c$, so that the error
//! of a coordinate is small against the bucket, however far away it lies. With $u$ the unit
//! roundoff and $\hat d$ the distance computed from stored values, the true one satisfies
//! $$|d - \hat d| \le u(\|x - c\| + \|q - c\|) + \tfrac{w+4}{2}u\,\hat d + a$$
//! for $w$ coordinates, where $a$ bounds the rounding in double precision. Boxes are rounded
//! outwards. Nothing is left out unless it is too far with all of this against it.

mod arrange;
mod pack;
mod search;

pub(super) use arrange::order_of_points;
pub(super) use search::BucketScratch;

use super::GONE;
use super::metric::Embedding;
use super::packing_frame::PackingFrame;
use crate::data::SamplesView;
use crate::linalg::PANEL;

/// Boxes of a node.
const FAN: usize = PANEL;

/// The tree, with packed rows.
#[derive(Debug, Clone)]
pub(super) struct BucketTree {
    frame: PackingFrame,
    width: usize,
    /// Rows of a bucket, a multiple of [`PANEL`].
    bucket: usize,
    /// Buckets one after the other, each in panels of the columns that vary in it; rows that are
    /// gone are infinitely far.
    values: Vec<f32>,
    /// The columns that vary in a bucket, at least one, for one bucket after the other.
    columns: Vec<u32>,
    /// Where those of each bucket begin, and where the last end.
    starts: Vec<u32>,
    /// By bucket and column what all rows are, relative to the centre; NaN where they vary.
    common: Vec<f32>,
    /// What the rows of each bucket are relative to.
    centres: Vec<f32>,
    /// Half the diagonal of each bucket's box: neither its rows nor its corners are farther from
    /// the centre.
    radii: Vec<f32>,
    /// Of a bucket whose rows all lie at one place: how many rows at the same place stand before
    /// it in the order, which then have lower numbers. 0 of other buckets.
    ahead: Vec<u32>,
    /// Boxes of the buckets, then of what holds sixteen buckets, and so on; each level is a list
    /// of panels with lower and upper ends.
    levels: Vec<Vec<f32>>,
}

/// Rows of a bucket for so many coordinates, as measured: larger ones waste fewer looks at boxes,
/// smaller ones fewer looks at rows.
fn bucket_size(width: usize) -> usize {
    if width <= 8 { 2 * PANEL } else { 4 * PANEL }
}

impl BucketTree {
    /// Packs rows as they are in order; `None` if their norms are out of range.
    ///
    /// A tree does not keep the order: whoever does lends it to each search.
    pub(super) fn pack(
        embedding: Embedding<'_>,
        samples: SamplesView<'_>,
        order: &[u32],
    ) -> Option<Self> {
        let frame = if order.contains(&GONE) {
            let present: Vec<u32> = order.iter().copied().filter(|&row| row != GONE).collect();
            PackingFrame::fit(embedding, samples, &present, true)?
        } else {
            PackingFrame::fit(embedding, samples, order, true)?
        };
        Some(Self::packed(frame, embedding, samples, order))
    }

    /// Brings rows into order and packs them; `None` if their norms are out of range.
    pub(super) fn build(
        embedding: Embedding<'_>,
        samples: SamplesView<'_>,
        rows: &[u32],
    ) -> Option<(Vec<u32>, Self)> {
        let frame = PackingFrame::fit(embedding, samples, rows, true)?;
        let bucket = bucket_size(embedding.width());
        let order = arrange::arranged(&frame, embedding, samples, rows, bucket);
        let tree = Self::packed(frame, embedding, samples, &order);
        Some((order, tree))
    }

    /// Where the columns of a bucket stand in `columns`; its values begin at `bucket` times that.
    fn columns_of(&self, bucket: usize) -> std::ops::Range<usize> {
        self.starts[bucket] as usize..self.starts[bucket + 1] as usize
    }

    /// Moves the row at a position of the order out of sight.
    pub(super) fn forget(&mut self, position: usize) {
        let (bucket, within) = (position / self.bucket, position % self.bucket);
        let columns = self.columns_of(bucket);
        let panel = columns.start * self.bucket + within / PANEL * PANEL * columns.len();
        if let Some(value) = self.values.get_mut(panel + within % PANEL) {
            *value = f32::INFINITY;
        }
        // Those behind may now be wanted.
        for ahead in self.ahead.iter_mut().skip(position / self.bucket + 1) {
            if std::mem::take(ahead) == 0 {
                break;
            }
        }
    }
}
