//! Rows and boxes in panels against one query, as nearest-neighbour search needs them: whatever
//! turns out to be too far on the way is dropped before all features were looked at.

use super::{PANEL, Real};

/// Features between two looks at the sums.
const STRIDE: usize = 16;

/// A packed row, or box, within reach.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Hit {
    /// Its number, counted from the first of the panels that were given.
    pub(crate) at: u32,
    /// Squared distance.
    pub(crate) squared: f32,
}

#[inline(always)]
fn any_within(sums: &[f32; PANEL], limit: f32) -> bool {
    let mut any = false;
    for &sum in sums {
        any |= sum <= limit;
    }
    any
}

#[inline(always)]
fn report(sums: &[f32; PANEL], limit: f32, first: usize, hits: &mut Vec<Hit>) {
    for (lane, &squared) in sums.iter().enumerate() {
        if squared <= limit {
            let at = (first + lane) as u32;
            hits.push(Hit { at, squared });
        }
    }
}

#[inline(always)]
fn rows_body<const FMA: bool>(
    panels: &[f32],
    query: &[f32],
    shared: f32,
    limit: f32,
    hits: &mut Vec<Hit>,
) {
    let size = query.len() * PANEL;
    for (p, panel) in panels.chunks_exact(size.max(1)).enumerate() {
        let (columns, _) = panel.as_chunks::<PANEL>();
        let mut sums = [shared; PANEL];
        let mut near = true;
        for (columns, query) in columns.chunks(STRIDE).zip(query.chunks(STRIDE)) {
            for (column, &q) in columns.iter().zip(query) {
                for lane in 0..PANEL {
                    let difference = q - column[lane];
                    sums[lane] = difference.fma::<FMA>(difference, sums[lane]);
                }
            }
            near = any_within(&sums, limit);
            if !near {
                break;
            }
        }
        if near {
            report(&sums, limit, p * PANEL, hits);
        }
    }
}

#[inline(always)]
fn boxes_body<const FMA: bool>(panel: &[f32], query: &[f32], limit: f32, hits: &mut Vec<Hit>) {
    let (columns, _) = panel.as_chunks::<{ 2 * PANEL }>();
    let mut sums = [0.0f32; PANEL];
    for (columns, query) in columns.chunks(STRIDE).zip(query.chunks(STRIDE)) {
        for (column, &q) in columns.iter().zip(query) {
            for lane in 0..PANEL {
                let below = column[lane] - q;
                let above = q - column[PANEL + lane];
                let outside = below.larger(above).larger(0.0);
                sums[lane] = outside.fma::<FMA>(outside, sums[lane]);
            }
        }
        if !any_within(&sums, limit) {
            return;
        }
    }
    report(&sums, limit, 0, hits);
}

#[inline(always)]
fn shared_body<const FMA: bool>(query: &[f32], common: &[f32]) -> f32 {
    const SHARED_LANES: usize = 16;
    // NaN marks what is not common.
    let square = |q: f32, c: f32| {
        let difference = if c.is_nan() { 0.0 } else { q - c };
        difference * difference
    };
    let (queries, query_rest) = query.as_chunks::<SHARED_LANES>();
    let (commons, common_rest) = common.as_chunks::<SHARED_LANES>();
    let mut sums = [0.0f32; SHARED_LANES];
    for (q, c) in queries.iter().zip(commons) {
        for lane in 0..SHARED_LANES {
            sums[lane] += square(q[lane], c[lane]);
        }
    }
    let rest = query_rest.iter().zip(common_rest);
    let rest = rest.fold(0.0, |sum, (&q, &c)| sum + square(q, c));
    sums.iter().fold(rest, |sum, lane| sum + lane)
}

#[inline(always)]
fn relative_body<const FMA: bool>(query: &[f64], centre: &[f32], out: &mut [f32]) {
    for ((slot, &q), &c) in out.iter_mut().zip(query).zip(centre) {
        *slot = (q - f64::from(c)) as f32;
    }
}

#[inline(always)]
fn within_body<const FMA: bool>(
    values: &[f32],
    rows: &[f32],
    own: f32,
    limit: f32,
    hits: &mut Vec<Hit>,
) {
    let (values, value_rest) = values.as_chunks::<PANEL>();
    let (rows, row_rest) = rows.as_chunks::<PANEL>();
    for (p, (values, rows)) in values.iter().zip(rows).enumerate() {
        let mut bounds = [0.0f32; PANEL];
        for lane in 0..PANEL {
            bounds[lane] = values[lane].fma::<FMA>(-2.0, own + rows[lane]);
        }
        if any_within(&bounds, limit) {
            report(&bounds, limit, p * PANEL, hits);
        }
    }
    for (lane, (&value, &row)) in value_rest.iter().zip(row_rest).enumerate() {
        let squared = value.fma::<FMA>(-2.0, own + row);
        if squared <= limit {
            let at = (values.len() * PANEL + lane) as u32;
            hits.push(Hit { at, squared });
        }
    }
}

#[inline(always)]
fn least_body<const FMA: bool>(values: &[f32], rows: &[f32], own: f32, slack: f32) -> [f32; PANEL] {
    let (values, _) = values.as_chunks::<PANEL>();
    let (rows, _) = rows.as_chunks::<PANEL>();
    let mut least = [f32::INFINITY; PANEL];
    for (values, rows) in values.iter().zip(rows) {
        for lane in 0..PANEL {
            let both = own + rows[lane];
            let bound = values[lane].fma::<FMA>(-2.0, both);
            let upper = both.fma::<FMA>(slack, bound);
            least[lane] = if upper < least[lane] {
                upper
            } else {
                least[lane]
            };
        }
    }
    least
}

multiversion! {
    /// Appends the rows of the panels whose squared distance to the query is at most `limit`,
    /// which must be finite. `shared` is the part of it from coordinates that are the same in all
    /// rows and not in the panels.
    pub(crate) fn rows_within[](
        panels: &[f32],
        query: &[f32],
        shared: f32,
        limit: f32,
        hits: &mut Vec<Hit>,
    ) = rows_body;
}

multiversion! {
    /// Appends the boxes of one panel whose squared distance to the query is at most `limit`,
    /// which must be finite. A panel has, for each feature, sixteen lower and sixteen upper ends.
    pub(crate) fn boxes_within[](
        panel: &[f32],
        query: &[f32],
        limit: f32,
        hits: &mut Vec<Hit>,
    ) = boxes_body;
}

multiversion! {
    /// $\sum (q - c)^2$ over the coordinates in which `common` is a number.
    pub(crate) fn shared_sq_dist[](query: &[f32], common: &[f32]) -> f32 = shared_body;
}

multiversion! {
    /// `out = query - centre`, rounded once.
    pub(crate) fn relative_to[](query: &[f64], centre: &[f32], out: &mut [f32]) = relative_body;
}

multiversion! {
    /// Appends the positions at which `own + rows[i] - 2 values[i]` is at most `limit`, which must
    /// be finite, with that number.
    pub(crate) fn combined_within[](
        values: &[f32],
        rows: &[f32],
        own: f32,
        limit: f32,
        hits: &mut Vec<Hit>,
    ) = within_body;
}

multiversion! {
    /// The least `(1 + slack)(own + rows[i]) - 2 values[i]` among the positions that share a lane;
    /// positions after the last full panel are not looked at. Infinite where a lane has none.
    pub(crate) fn least_combined[](
        values: &[f32],
        rows: &[f32],
        own: f32,
        slack: f32,
    ) -> [f32; PANEL] = least_body;
}

#[inline(always)]
fn sq_dist_body<const FMA: bool>(x: &[f64], y: &[f64]) -> f64 {
    const SQ_DIST_LANES: usize = 8;
    let (x_chunks, x_rest) = x.as_chunks::<SQ_DIST_LANES>();
    let (y_chunks, y_rest) = y.as_chunks::<SQ_DIST_LANES>();
    let mut sums = [0.0f64; SQ_DIST_LANES];
    for (x, y) in x_chunks.iter().zip(y_chunks) {
        for lane in 0..SQ_DIST_LANES {
            let difference = x[lane] - y[lane];
            sums[lane] = difference.fma::<FMA>(difference, sums[lane]);
        }
    }
    let mut sum = 0.0;
    for lane in 0..SQ_DIST_LANES / 2 {
        sum += sums[lane] + sums[lane + SQ_DIST_LANES / 2];
    }
    for (&x, &y) in x_rest.iter().zip(y_rest) {
        sum = (x - y).fma::<FMA>(x - y, sum);
    }
    sum
}

multiversion! {
    /// $\|x - y\|^2$, summed in an order of its own.
    fn long_sq_dist[](x: &[f64], y: &[f64]) -> f64 = sq_dist_body;
}

/// $\|x - y\|^2$ of two rows of equal length, summed in an order of its own.
#[inline]
pub(crate) fn sq_dist(x: &[f64], y: &[f64]) -> f64 {
    if x.len() >= 8 {
        return long_sq_dist(x, y);
    }
    x.iter().zip(y).map(|(x, y)| (x - y) * (x - y)).sum()
}

#[inline(always)]
fn city_block_body<const FMA: bool>(x: &[f64], y: &[f64]) -> f64 {
    const ABSOLUTE_LANES: usize = 16;
    let (x_chunks, x_rest) = x.as_chunks::<ABSOLUTE_LANES>();
    let (y_chunks, y_rest) = y.as_chunks::<ABSOLUTE_LANES>();
    let mut sums = [0.0f64; ABSOLUTE_LANES];
    for (x, y) in x_chunks.iter().zip(y_chunks) {
        for lane in 0..ABSOLUTE_LANES {
            sums[lane] += (x[lane] - y[lane]).abs();
        }
    }
    let mut half = ABSOLUTE_LANES / 2;
    while half > 0 {
        for lane in 0..half {
            sums[lane] += sums[lane + half];
        }
        half /= 2;
    }
    let rest = x_rest.iter().zip(y_rest);
    rest.fold(sums[0], |sum, (&x, &y)| sum + (x - y).abs())
}

multiversion! {
    /// $\sum |x - y|$ of two rows of equal length, summed in an order of its own.
    pub(crate) fn city_block_dist[](x: &[f64], y: &[f64]) -> f64 = city_block_body;
}
