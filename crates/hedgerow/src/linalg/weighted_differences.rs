//! Weighted squared differences between one row and some others, and their sums by column: value and
//! slope of everything that is smooth in the weights of a Euclidean distance.

use super::Real;

/// Values of a row are a multiple of so many, the last ones 0.
pub(crate) const WEIGHT_LANES: usize = 16;

#[inline(always)]
fn distances_body<const FMA: bool>(
    rows: &[f32],
    members: &[u32],
    query: &[f32],
    weights: &[f32],
    out: &mut [f32],
) {
    let width = query.len();
    let queries = query.as_chunks::<WEIGHT_LANES>().0;
    let weights = weights.as_chunks::<WEIGHT_LANES>().0;
    for (slot, &member) in out.iter_mut().zip(members) {
        let row = &rows[member as usize * width..][..width];
        let mut sums = [0.0f32; WEIGHT_LANES];
        let parts = row.as_chunks::<WEIGHT_LANES>().0.iter();
        for ((x, q), w) in parts.zip(queries).zip(weights) {
            for lane in 0..WEIGHT_LANES {
                let difference = q[lane] - x[lane];
                sums[lane] = (difference * difference).fma::<FMA>(w[lane], sums[lane]);
            }
        }
        let mut half = WEIGHT_LANES / 2;
        while half > 0 {
            for lane in 0..half {
                sums[lane] += sums[lane + half];
            }
            half /= 2;
        }
        *slot = sums[0];
    }
}

multiversion! {
    /// `out[j]`: the sum of `weights[f] · (query[f] - rows[members[j]][f])²`.
    pub(crate) fn weighted_squared_distances[](
        rows: &[f32],
        members: &[u32],
        query: &[f32],
        weights: &[f32],
        out: &mut [f32],
    ) = distances_body;
}

#[inline(always)]
fn sums_body<const FMA: bool>(
    rows: &[f32],
    members: &[u32],
    factors: &[f32],
    query: &[f32],
    sums: &mut [f32],
) {
    let width = query.len();
    let queries = query.as_chunks::<WEIGHT_LANES>().0;
    let sums = sums.as_chunks_mut::<WEIGHT_LANES>().0;
    for (&factor, &member) in factors.iter().zip(members) {
        if factor == 0.0 {
            continue;
        }
        let row = &rows[member as usize * width..][..width];
        let parts = row.as_chunks::<WEIGHT_LANES>().0.iter();
        for ((x, q), sum) in parts.zip(queries).zip(sums.iter_mut()) {
            for lane in 0..WEIGHT_LANES {
                let difference = q[lane] - x[lane];
                sum[lane] = (difference * difference).fma::<FMA>(factor, sum[lane]);
            }
        }
    }
}

multiversion! {
    /// `sums[f] += Σ factors[j] · (query[f] - rows[members[j]][f])²`, in the order of the members.
    pub(crate) fn add_squared_differences[](
        rows: &[f32],
        members: &[u32],
        factors: &[f32],
        query: &[f32],
        sums: &mut [f32],
    ) = sums_body;
}
