//! Which side of a hyperplane, and the walk down a tree of them.
//!
//! A value $w \cdot x + b$ is summed in eight lanes, lane `f mod 8` over the features `f` in
//! ascending order. Dense and sparse rows, single rows and batches therefore give the same bits:
//! a zero adds nothing to its lane.

use super::Real;
use crate::data::Row;
use serde::{Deserialize, Serialize};

/// Lanes of a sum, and what the length of a stored hyperplane is rounded up to.
pub(crate) const HYPERPLANE_LANES: usize = 8;

/// A hyperplane's constant and where its two sides lead: to the hyperplane of that number, or,
/// if negative, to the leaf whose number is the bitwise complement.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Link {
    pub(crate) bias: f64,
    /// Where $w \cdot x + b \le 0$ leads.
    pub(crate) below: i32,
    /// Where $w \cdot x + b > 0$ leads.
    pub(crate) above: i32,
}

/// Where a row ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Landing {
    pub(crate) leaf: u32,
    /// Hyperplanes evaluated on the way.
    pub(crate) hyperplanes: u32,
}

/// Length of a hyperplane of `n_features` weights in memory.
pub(crate) fn stride_of(n_features: usize) -> usize {
    n_features.next_multiple_of(HYPERPLANE_LANES)
}

#[inline(always)]
fn sum_of_lanes(sums: [f64; HYPERPLANE_LANES], bias: f64) -> f64 {
    let [a, b, c, d, e, f, g, h] = sums;
    (((a + e) + (c + g)) + ((b + f) + (d + h))) + bias
}

/// Value of one hyperplane; `tail` holds what is left of the row after whole blocks, with zeros.
#[inline(always)]
fn dense_value<const FMA: bool, W: Real>(
    weights: &[W],
    blocks: &[[f64; HYPERPLANE_LANES]],
    tail: &[f64; HYPERPLANE_LANES],
    bias: f64,
) -> f64 {
    let (stored, _) = weights.as_chunks::<HYPERPLANE_LANES>();
    let mut sums = [0.0f64; HYPERPLANE_LANES];
    for (w, x) in stored.iter().zip(blocks) {
        for lane in 0..HYPERPLANE_LANES {
            sums[lane] = w[lane].to_f64().fma::<FMA>(x[lane], sums[lane]);
        }
    }
    if let Some(w) = stored.get(blocks.len()) {
        for lane in 0..HYPERPLANE_LANES {
            sums[lane] = w[lane].to_f64().fma::<FMA>(tail[lane], sums[lane]);
        }
    }
    sum_of_lanes(sums, bias)
}

#[inline(always)]
fn sparse_value<const FMA: bool, W: Real>(
    weights: &[W],
    indices: &[u32],
    values: &[f64],
    bias: f64,
) -> f64 {
    let mut sums = [0.0f64; HYPERPLANE_LANES];
    for (&f, &x) in indices.iter().zip(values) {
        // Features that the tree was not trained on count for nothing.
        if let Some(w) = weights.get(f as usize) {
            let lane = f as usize % HYPERPLANE_LANES;
            sums[lane] = w.to_f64().fma::<FMA>(x, sums[lane]);
        }
    }
    sum_of_lanes(sums, bias)
}

/// The row in whole blocks, and the rest filled up with zeros.
#[inline(always)]
fn blocks_of(row: &[f64], stride: usize) -> (&[[f64; HYPERPLANE_LANES]], [f64; HYPERPLANE_LANES]) {
    let (blocks, rest) = row[..row.len().min(stride)].as_chunks::<HYPERPLANE_LANES>();
    let mut tail = [0.0; HYPERPLANE_LANES];
    tail[..rest.len()].copy_from_slice(rest);
    (blocks, tail)
}

/// A row that asks hyperplanes for its value. A trait and not a closure, because a closure may be
/// compiled apart from the walk, without the processor's features.
trait Asking<W> {
    fn value<const FMA: bool>(&self, weights: &[W], bias: f64) -> f64;
}

/// A dense row in whole blocks, and the rest filled up with zeros.
struct DenseBlocks<'a> {
    blocks: &'a [[f64; HYPERPLANE_LANES]],
    tail: [f64; HYPERPLANE_LANES],
}

impl<W: Real> Asking<W> for DenseBlocks<'_> {
    #[inline(always)]
    fn value<const FMA: bool>(&self, weights: &[W], bias: f64) -> f64 {
        dense_value::<FMA, W>(weights, self.blocks, &self.tail, bias)
    }
}

/// The stored entries of a sparse row.
struct Entries<'a> {
    indices: &'a [u32],
    values: &'a [f64],
}

impl<W: Real> Asking<W> for Entries<'_> {
    #[inline(always)]
    fn value<const FMA: bool>(&self, weights: &[W], bias: f64) -> f64 {
        sparse_value::<FMA, W>(weights, self.indices, self.values, bias)
    }
}

/// Follows the links until a leaf.
#[inline(always)]
fn walk<const FMA: bool, W>(
    links: &[Link],
    weights: &[W],
    stride: usize,
    row: &impl Asking<W>,
) -> Landing {
    let mut landing = Landing {
        leaf: 0,
        hyperplanes: 0,
    };
    if links.is_empty() {
        return landing;
    }
    let mut at = 0i32;
    while at >= 0 {
        let link = links[at as usize];
        landing.hyperplanes += 1;
        let plane = &weights[at as usize * stride..][..stride];
        at = if row.value::<FMA>(plane, link.bias) > 0.0 {
            link.above
        } else {
            link.below
        };
    }
    landing.leaf = !at as u32;
    landing
}

#[inline(always)]
fn descend_body<const FMA: bool, W: Real>(
    links: &[Link],
    weights: &[W],
    stride: usize,
    row: Row<'_>,
) -> Landing {
    match row {
        Row::Dense(row) => {
            let (blocks, tail) = blocks_of(row, stride);
            walk::<FMA, W>(links, weights, stride, &DenseBlocks { blocks, tail })
        }
        Row::Sparse { indices, values } => {
            walk::<FMA, W>(links, weights, stride, &Entries { indices, values })
        }
    }
}

multiversion! {
    /// Walks from the first hyperplane to a leaf; leaf 0 if there is no hyperplane.
    pub(crate) fn descend[W: Real](
        links: &[Link],
        weights: &[W],
        stride: usize,
        row: Row<'_>,
    ) -> Landing = descend_body;
}

#[inline(always)]
fn value_body<const FMA: bool, W: Real>(weights: &[W], bias: f64, row: Row<'_>) -> f64 {
    match row {
        Row::Dense(row) => {
            let (blocks, tail) = blocks_of(row, weights.len());
            dense_value::<FMA, W>(weights, blocks, &tail, bias)
        }
        Row::Sparse { indices, values } => sparse_value::<FMA, W>(weights, indices, values, bias),
    }
}

multiversion! {
    /// $w \cdot x + b$ with the very bits that [`descend`] sees. The length of the weights must be a
    /// multiple of the lanes.
    pub(crate) fn hyperplane_value[W: Real](weights: &[W], bias: f64, row: Row<'_>) -> f64 = value_body;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dense_sparse_and_short_rows_give_the_same_bits() {
        let n = 21;
        let stride = stride_of(n);
        let mut weights = vec![0.0; stride];
        for (f, w) in weights[..n].iter_mut().enumerate() {
            *w = (f as f64 * 0.37).sin();
        }
        let mut row: Vec<f64> = (0..n).map(|f| (f as f64 * 1.3).cos()).collect();
        for f in [0, 3, 9, 18, 19, 20] {
            row[f] = 0.0;
        }
        let indices: Vec<u32> = (0..n as u32).filter(|&f| row[f as usize] != 0.0).collect();
        let values: Vec<f64> = indices.iter().map(|&f| row[f as usize]).collect();
        let dense = hyperplane_value(&weights, 0.25, Row::Dense(&row));
        let short = hyperplane_value(&weights, 0.25, Row::Dense(&row[..18]));
        let sparse = hyperplane_value(
            &weights,
            0.25,
            Row::Sparse {
                indices: &indices,
                values: &values,
            },
        );
        assert_eq!(dense.to_bits(), sparse.to_bits());
        assert_eq!(dense.to_bits(), short.to_bits());
        let plain: f64 = row.iter().zip(&weights).map(|(x, w)| x * w).sum();
        assert!((dense - plain - 0.25).abs() < 1e-12);
        let single: Vec<f32> = weights.iter().map(|&w| w as f32).collect();
        assert!((hyperplane_value(&single, 0.25, Row::Dense(&row)) - dense).abs() < 1e-6);
    }

    #[test]
    fn zero_goes_below() {
        let links = [
            Link {
                bias: 0.0,
                below: 1,
                above: !2,
            },
            Link {
                bias: 1.0,
                below: !0,
                above: !1,
            },
        ];
        let mut weights = vec![0.0; 16];
        weights[0] = 1.0;
        weights[8] = 1.0;
        let leaf = |x: f64| descend(&links, &weights, 8, Row::Dense(&[x])).leaf;
        assert_eq!([leaf(0.0), leaf(-1.0), leaf(0.5)], [1, 0, 2]);
        assert_eq!(descend::<f64>(&[], &[], 8, Row::Dense(&[1.0])).leaf, 0);
    }
}
