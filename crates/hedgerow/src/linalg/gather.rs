//! Distances from one row to rows scattered over a store.

use super::Real;

/// Rows of a gathered store are padded to a multiple of this many values.
pub(crate) const GATHER_LANES: usize = 8;

/// Writes $f(\|x_r - q\|^2)$ for the given rows.
#[inline(always)]
fn gather<const FMA: bool>(
    store: &[f32],
    rows: &[u32],
    query: &[f32],
    out: &mut [f32],
    f: impl Fn(f32) -> f32,
) {
    let width = query.len();
    let (query, _) = query.as_chunks::<GATHER_LANES>();
    for (value, &row) in out.iter_mut().zip(rows) {
        let start = row as usize * width;
        let (stored, _) = store[start..start + width].as_chunks::<GATHER_LANES>();
        let mut sums = [0.0f32; GATHER_LANES];
        for (x, q) in stored.iter().zip(query) {
            for lane in 0..GATHER_LANES {
                let difference = x[lane] - q[lane];
                sums[lane] = difference.fma::<FMA>(difference, sums[lane]);
            }
        }
        let pairs = [
            sums[0] + sums[4],
            sums[1] + sums[5],
            sums[2] + sums[6],
            sums[3] + sums[7],
        ];
        *value = f((pairs[0] + pairs[2]) + (pairs[1] + pairs[3]));
    }
}

#[inline(always)]
fn sq_dists_body<const FMA: bool>(store: &[f32], rows: &[u32], query: &[f32], out: &mut [f32]) {
    gather::<FMA>(store, rows, query, out, |squared| squared);
}

multiversion! {
    /// $\|x_r - q\|^2$ for the given rows of a store whose rows are as long as the query (a multiple
    /// of [`GATHER_LANES`]).
    pub(crate) fn gather_sq_dists[](store: &[f32], rows: &[u32], query: &[f32], out: &mut [f32])
        = sq_dists_body;
}

#[inline(always)]
fn gaussian_body<const FMA: bool>(
    store: &[f32],
    rows: &[u32],
    query: &[f32],
    gamma: f32,
    out: &mut [f32],
) {
    gather::<FMA>(store, rows, query, out, |squared| -gamma * squared);
    for value in out.iter_mut() {
        *value = value.exp_fast::<FMA>();
    }
}

multiversion! {
    /// $e^{-\gamma\|x_r - q\|^2}$ for the given rows of a store whose rows are as long as the query
    /// (a multiple of [`GATHER_LANES`]).
    pub(crate) fn gather_gaussian[](
        store: &[f32],
        rows: &[u32],
        query: &[f32],
        gamma: f32,
        out: &mut [f32],
    ) = gaussian_body;
}
