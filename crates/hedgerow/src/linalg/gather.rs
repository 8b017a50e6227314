//! Distances from one row to rows scattered over a store.

use super::Real;

/// Values after which a row is dropped if it is too far already: a cache line.
const FIRST_LOOK: usize = 16;

#[inline(always)]
fn sum_of(lanes: [f32; FIRST_LOOK]) -> f32 {
    let mut sums = lanes;
    let mut half = FIRST_LOOK / 2;
    while half > 0 {
        for lane in 0..half {
            sums[lane] += sums[lane + half];
        }
        half /= 2;
    }
    sums[0]
}

#[inline(always)]
fn near_body<const FMA: bool>(
    store: &[f32],
    rows: &[u32],
    query: &[f32],
    limit: f32,
    out: &mut [f32],
) {
    let width = query.len();
    let (query, _) = query.as_chunks::<FIRST_LOOK>();
    for (value, &row) in out.iter_mut().zip(rows) {
        let start = row as usize * width;
        let (stored, _) = store[start..start + width].as_chunks::<FIRST_LOOK>();
        let mut sums = [0.0f32; FIRST_LOOK];
        *value = 0.0;
        for (x, q) in stored.iter().zip(query) {
            for lane in 0..FIRST_LOOK {
                let difference = x[lane] - q[lane];
                sums[lane] = difference.fma::<FMA>(difference, sums[lane]);
            }
            *value = sum_of(sums);
            if *value > limit {
                break;
            }
        }
    }
}

multiversion! {
    /// $\|x_r - q\|^2$ for the given rows of a store whose rows are as long as the query (a multiple
    /// of 16). What is more than `limit` may be less than the distance, but not less than that.
    pub(crate) fn gather_near[](
        store: &[f32],
        rows: &[u32],
        query: &[f32],
        limit: f32,
        out: &mut [f32],
    ) = near_body;
}
