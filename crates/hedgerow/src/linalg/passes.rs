//! The three passes of an SMO iteration, and sums of scaled rows.

use super::{Real, single_passes};

const PASS_LANES: usize = 8;

/// Which way a variable may move, as one number that the passes can add: $-\infty$ if it may only
/// shrink, 0 if it may do both, $\infty$ if it may only grow, NaN if neither.
pub(crate) fn side(may_grow: bool, may_shrink: bool) -> f64 {
    match (may_grow, may_shrink) {
        (true, true) => 0.0,
        (true, false) => f64::INFINITY,
        (false, true) => f64::NEG_INFINITY,
        (false, false) => f64::NAN,
    }
}

/// 0 where the variable may grow, otherwise something that loses every comparison.
#[inline(always)]
pub(crate) fn up_penalty(side: f64) -> f64 {
    if side >= 0.0 { 0.0 } else { side }
}

/// 0 where the variable may shrink, otherwise something that loses every comparison once
/// subtracted.
#[inline(always)]
pub(crate) fn low_penalty(side: f64) -> f64 {
    if side <= 0.0 { 0.0 } else { side }
}

/// What a pass over the gradient found.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scan {
    /// Largest $-F_t$ over the variables that may grow, or $-\infty$.
    pub(crate) max_up: f64,
    /// Where it stands.
    pub(crate) argmax_up: usize,
    /// Largest $F_t$ over the variables that may shrink, or $-\infty$.
    pub(crate) max_low: f64,
}

/// Elements of one block: the passes keep the best value of every block and look for its place
/// only in the best block, because a running index would keep the compiler from vectorising.
const BLOCK: usize = 64;

/// The largest of some lanes.
#[inline(always)]
fn largest<T: Real>(lanes: [T; PASS_LANES]) -> T {
    let mut best = lanes[0];
    for &lane in &lanes[1..] {
        best = if lane > best { lane } else { best };
    }
    best
}

#[inline(always)]
fn scan_body<const FMA: bool>(
    gradient: &mut [f64],
    row_i: &[f32],
    row_j: &[f32],
    step_i: f64,
    step_j: f64,
    sides: &[f64],
) -> Scan {
    let n = gradient.len();
    let (row_i, row_j, sides) = (&row_i[..n], &row_j[..n], &sides[..n]);
    let mut scan = Scan {
        max_up: f64::NEG_INFINITY,
        argmax_up: 0,
        max_low: f64::NEG_INFINITY,
    };
    let mut low = [f64::NEG_INFINITY; PASS_LANES];
    let mut best_block = 0;
    let mut start = 0;
    while start + BLOCK <= n {
        let g: &mut [f64] = &mut gradient[start..start + BLOCK];
        let ki = &row_i[start..start + BLOCK];
        let kj = &row_j[start..start + BLOCK];
        let side = &sides[start..start + BLOCK];
        for t in 0..BLOCK {
            let moved = f64::from(ki[t]).fma::<FMA>(step_i, g[t]);
            g[t] = f64::from(kj[t]).fma::<FMA>(step_j, moved);
        }
        let mut up = [f64::NEG_INFINITY; PASS_LANES];
        for t in (0..BLOCK).step_by(PASS_LANES) {
            for lane in 0..PASS_LANES {
                let candidate = up_penalty(side[t + lane]) - g[t + lane];
                up[lane] = if candidate > up[lane] {
                    candidate
                } else {
                    up[lane]
                };
                let candidate = g[t + lane] - low_penalty(side[t + lane]);
                low[lane] = if candidate > low[lane] {
                    candidate
                } else {
                    low[lane]
                };
            }
        }
        let block_up = largest(up);
        if block_up > scan.max_up {
            scan.max_up = block_up;
            best_block = start;
        }
        start += BLOCK;
    }
    scan.max_low = largest(low);
    scan.argmax_up = best_block;
    let end = n.min(best_block + BLOCK);
    for t in best_block..end {
        if up_penalty(sides[t]) - gradient[t] == scan.max_up {
            scan.argmax_up = t;
            break;
        }
    }
    for t in start..n {
        let moved = f64::from(row_i[t]).fma::<FMA>(step_i, gradient[t]);
        let value = f64::from(row_j[t]).fma::<FMA>(step_j, moved);
        gradient[t] = value;
        let candidate = up_penalty(sides[t]) - value;
        if candidate > scan.max_up {
            scan.max_up = candidate;
            scan.argmax_up = t;
        }
        let candidate = value - low_penalty(sides[t]);
        scan.max_low = if candidate > scan.max_low {
            candidate
        } else {
            scan.max_low
        };
    }
    scan
}

multiversion! {
    /// Adds `step_i · row_i + step_j · row_j` to the gradient and scans the result.
    fn update_and_scan[](
        gradient: &mut [f64],
        row_i: &[f32],
        row_j: &[f32],
        step_i: f64,
        step_j: f64,
        sides: &[f64],
    ) -> Scan = scan_body;
}

/// Decrease of the objective that a pair promises, up to a factor. Scores are only compared, so
/// single precision is enough and divides twice as many at once.
#[inline(always)]
fn pair_score(violation: f64, curvature: f32) -> f32 {
    const TINY: f32 = 1e-12;
    let violation = violation as f32;
    let violation = if violation > 0.0 { violation } else { 0.0 };
    let curvature = if curvature > TINY { curvature } else { TINY };
    violation * violation / curvature
}

#[inline(always)]
fn partner_body<const FMA: bool>(
    gradient: &[f64],
    sides: &[f64],
    row_i: &[f32],
    diagonal: &[f32],
    max_up: f64,
    diagonal_i: f32,
) -> Option<usize> {
    let n = gradient.len();
    let (sides, row_i, diagonal) = (&sides[..n], &row_i[..n], &diagonal[..n]);
    let score = |t: usize| {
        let violation = gradient[t] + max_up - low_penalty(sides[t]);
        pair_score(violation, diagonal_i + diagonal[t] - 2.0 * row_i[t])
    };
    let mut highest = 0.0f32;
    let mut best_block = 0;
    let mut start = 0;
    while start + BLOCK <= n {
        let g = &gradient[start..start + BLOCK];
        let side = &sides[start..start + BLOCK];
        let k = &row_i[start..start + BLOCK];
        let d = &diagonal[start..start + BLOCK];
        let mut best = [0.0f32; PASS_LANES];
        for t in (0..BLOCK).step_by(PASS_LANES) {
            for lane in 0..PASS_LANES {
                let violation = g[t + lane] + max_up - low_penalty(side[t + lane]);
                let curvature = diagonal_i + d[t + lane] - 2.0 * k[t + lane];
                let score = pair_score(violation, curvature);
                best[lane] = if score > best[lane] {
                    score
                } else {
                    best[lane]
                };
            }
        }
        let block_best = largest(best);
        if block_best > highest {
            highest = block_best;
            best_block = start;
        }
        start += BLOCK;
    }
    let mut chosen = None;
    if highest > 0.0 {
        chosen = (best_block..best_block + BLOCK).find(|&t| score(t) == highest);
    }
    for t in start..n {
        let candidate = score(t);
        if candidate > highest {
            highest = candidate;
            chosen = Some(t);
        }
    }
    chosen
}

multiversion! {
    /// The variable that may shrink and promises the largest decrease of the objective when paired
    /// with the one whose row is given (second-order selection); `None` if none violates.
    fn select_partner[](
        gradient: &[f64],
        sides: &[f64],
        row_i: &[f32],
        diagonal: &[f32],
        max_up: f64,
        diagonal_i: f32,
    ) -> Option<usize> = partner_body;
}

/// A precision in which SMO can keep its gradient.
pub(crate) trait GradientReal: Real {
    /// Adds `step · (row_i − row_j)` to the gradient and scans the result.
    fn update_and_scan(
        gradient: &mut [Self],
        row_i: &[f32],
        row_j: &[f32],
        step: f64,
        sides: &[Self],
    ) -> Scan;

    /// The variable that may shrink and promises the largest decrease of the objective when paired
    /// with the one whose row is given (second-order selection); `None` if none violates.
    fn select_partner(
        gradient: &[Self],
        sides: &[Self],
        row_i: &[f32],
        diagonal: &[f32],
        max_up: f64,
        diagonal_i: f32,
    ) -> Option<usize>;
}

impl GradientReal for f64 {
    fn update_and_scan(
        gradient: &mut [f64],
        row_i: &[f32],
        row_j: &[f32],
        step: f64,
        sides: &[f64],
    ) -> Scan {
        update_and_scan(gradient, row_i, row_j, step, -step, sides)
    }

    fn select_partner(
        gradient: &[f64],
        sides: &[f64],
        row_i: &[f32],
        diagonal: &[f32],
        max_up: f64,
        diagonal_i: f32,
    ) -> Option<usize> {
        select_partner(gradient, sides, row_i, diagonal, max_up, diagonal_i)
    }
}

impl GradientReal for f32 {
    fn update_and_scan(
        gradient: &mut [f32],
        row_i: &[f32],
        row_j: &[f32],
        step: f64,
        sides: &[f32],
    ) -> Scan {
        single_passes::update_and_scan(gradient, row_i, row_j, step as f32, sides)
    }

    fn select_partner(
        gradient: &[f32],
        sides: &[f32],
        row_i: &[f32],
        diagonal: &[f32],
        max_up: f64,
        diagonal_i: f32,
    ) -> Option<usize> {
        let max_up = max_up as f32;
        single_passes::select_partner(gradient, sides, row_i, diagonal, max_up, diagonal_i)
    }
}

#[inline(always)]
fn add_rows_body<const FMA: bool>(sum: &mut [f64], rows: &[&[f32]], factors: &[f64]) {
    const CHUNK: usize = 512;
    let n = sum.len();
    let mut start = 0;
    while start < n {
        let end = n.min(start + CHUNK);
        let part = &mut sum[start..end];
        let mut r = 0;
        while r + 4 <= rows.len() {
            let [a, b, c, d] = [0, 1, 2, 3].map(|k| &rows[r + k][start..end]);
            let [fa, fb, fc, fd] = [0, 1, 2, 3].map(|k| factors[r + k]);
            for t in 0..part.len() {
                let mut value = part[t];
                value = f64::from(a[t]).fma::<FMA>(fa, value);
                value = f64::from(b[t]).fma::<FMA>(fb, value);
                value = f64::from(c[t]).fma::<FMA>(fc, value);
                value = f64::from(d[t]).fma::<FMA>(fd, value);
                part[t] = value;
            }
            r += 4;
        }
        while r < rows.len() {
            let row = &rows[r][start..end];
            let factor = factors[r];
            for t in 0..part.len() {
                part[t] = f64::from(row[t]).fma::<FMA>(factor, part[t]);
            }
            r += 1;
        }
        start = end;
    }
}

multiversion! {
    /// `sum += Σ factors[r] · rows[r]`, element by element in the order of the rows.
    pub(crate) fn add_scaled_rows[](sum: &mut [f64], rows: &[&[f32]], factors: &[f64]) = add_rows_body;
}

#[inline(always)]
fn dot_body<const FMA: bool, A: Real>(a: &[A], b: &[f64]) -> f64 {
    let n = a.len().min(b.len());
    let (blocks_a, tail_a) = a[..n].as_chunks::<PASS_LANES>();
    let (blocks_b, tail_b) = b[..n].as_chunks::<PASS_LANES>();
    let mut sums = [0.0f64; PASS_LANES];
    for (x, y) in blocks_a.iter().zip(blocks_b) {
        for lane in 0..PASS_LANES {
            sums[lane] = x[lane].to_f64().fma::<FMA>(y[lane], sums[lane]);
        }
    }
    let mut total = sums.iter().sum::<f64>();
    for (x, y) in tail_a.iter().zip(tail_b) {
        total += x.to_f64() * y;
    }
    total
}

multiversion! {
    /// Inner product over the shorter length, summed in double precision.
    pub(crate) fn dot[A: Real](a: &[A], b: &[f64]) -> f64 = dot_body;
}
