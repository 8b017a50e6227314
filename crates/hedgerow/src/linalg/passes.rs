//! The three passes of an SMO iteration, and sums of scaled rows.

use super::Real;

const LANES: usize = 8;

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

#[inline(always)]
fn scan_body<const FMA: bool>(
    gradient: &mut [f64],
    row_i: &[f32],
    row_j: &[f32],
    step_i: f64,
    step_j: f64,
    sides: &[f64],
) -> Scan {
    let mut best = [f64::NEG_INFINITY; LANES];
    let mut best_at = [0.0f64; LANES];
    let mut low = [f64::NEG_INFINITY; LANES];
    let n = gradient.len();
    let row_i = &row_i[..n];
    let row_j = &row_j[..n];
    let sides = &sides[..n];
    let (blocks, tail) = gradient.as_chunks_mut::<LANES>();
    let (rows_i, tail_i) = row_i.as_chunks::<LANES>();
    let (rows_j, tail_j) = row_j.as_chunks::<LANES>();
    let (sides, tail_side) = sides.as_chunks::<LANES>();
    let mut at = 0.0f64;
    for (((g, ki), kj), side) in blocks.iter_mut().zip(rows_i).zip(rows_j).zip(sides) {
        for lane in 0..LANES {
            let moved = f64::from(ki[lane]).fma::<FMA>(step_i, g[lane]);
            let value = f64::from(kj[lane]).fma::<FMA>(step_j, moved);
            g[lane] = value;
            let candidate = up_penalty(side[lane]) - value;
            let better = candidate > best[lane];
            best[lane] = if better { candidate } else { best[lane] };
            best_at[lane] = if better { at } else { best_at[lane] };
            let shrinkable = value - low_penalty(side[lane]);
            low[lane] = if shrinkable > low[lane] {
                shrinkable
            } else {
                low[lane]
            };
        }
        at += 1.0;
    }
    let mut scan = Scan {
        max_up: f64::NEG_INFINITY,
        argmax_up: 0,
        max_low: f64::NEG_INFINITY,
    };
    for lane in 0..LANES {
        let index = best_at[lane] as usize * LANES + lane;
        if best[lane] > scan.max_up || (best[lane] == scan.max_up && index < scan.argmax_up) {
            scan.max_up = best[lane];
            scan.argmax_up = index;
        }
        scan.max_low = scan.max_low.max(low[lane]);
    }
    let start = n - tail.len();
    for t in 0..tail.len() {
        let moved = f64::from(tail_i[t]).fma::<FMA>(step_i, tail[t]);
        let value = f64::from(tail_j[t]).fma::<FMA>(step_j, moved);
        tail[t] = value;
        let candidate = up_penalty(tail_side[t]) - value;
        if candidate > scan.max_up {
            scan.max_up = candidate;
            scan.argmax_up = start + t;
        }
        let shrinkable = value - low_penalty(tail_side[t]);
        scan.max_low = if shrinkable > scan.max_low {
            shrinkable
        } else {
            scan.max_low
        };
    }
    scan
}

multiversion! {
    /// Adds `step_i · row_i + step_j · row_j` to the gradient and scans the result.
    pub(crate) fn update_and_scan[](
        gradient: &mut [f64],
        row_i: &[f32],
        row_j: &[f32],
        step_i: f64,
        step_j: f64,
        sides: &[f64],
    ) -> Scan = scan_body;
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
    // Scores are only compared, so single precision is enough and divides twice as many at once.
    const TINY: f32 = 1e-12;
    let n = gradient.len();
    let mut best = [0.0f32; LANES];
    let mut best_at = [0.0f32; LANES];
    let (gradients, tail) = gradient.as_chunks::<LANES>();
    let (sides, tail_side) = sides[..n].as_chunks::<LANES>();
    let (rows, tail_row) = row_i[..n].as_chunks::<LANES>();
    let (diagonals, tail_diagonal) = diagonal[..n].as_chunks::<LANES>();
    let mut at = 0.0f32;
    for (((g, side), k), d) in gradients.iter().zip(sides).zip(rows).zip(diagonals) {
        for lane in 0..LANES {
            let violation = (g[lane] + max_up - low_penalty(side[lane])) as f32;
            let violation = if violation > 0.0 { violation } else { 0.0 };
            let curvature = diagonal_i + d[lane] - 2.0 * k[lane];
            let curvature = if curvature > TINY { curvature } else { TINY };
            let score = violation * violation / curvature;
            let better = score > best[lane];
            best[lane] = if better { score } else { best[lane] };
            best_at[lane] = if better { at } else { best_at[lane] };
        }
        at += 1.0;
    }
    let mut chosen: Option<usize> = None;
    let mut highest = 0.0f32;
    for lane in 0..LANES {
        let index = best_at[lane] as usize * LANES + lane;
        if best[lane] > highest || (best[lane] == highest && chosen.is_some_and(|c| index < c)) {
            highest = best[lane];
            chosen = Some(index);
        }
    }
    let start = n - tail.len();
    for t in 0..tail.len() {
        let violation = ((tail[t] + max_up - low_penalty(tail_side[t])) as f32).max(0.0);
        let curvature = (diagonal_i + tail_diagonal[t] - 2.0 * tail_row[t]).max(TINY);
        let score = violation * violation / curvature;
        if score > highest {
            highest = score;
            chosen = Some(start + t);
        }
    }
    chosen
}

multiversion! {
    /// The variable that may shrink and promises the largest decrease of the objective when paired
    /// with the one whose row is given (second-order selection); `None` if none violates.
    pub(crate) fn select_partner[](
        gradient: &[f64],
        sides: &[f64],
        row_i: &[f32],
        diagonal: &[f32],
        max_up: f64,
        diagonal_i: f32,
    ) -> Option<usize> = partner_body;
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
    let (blocks_a, tail_a) = a[..n].as_chunks::<LANES>();
    let (blocks_b, tail_b) = b[..n].as_chunks::<LANES>();
    let mut sums = [0.0f64; LANES];
    for (x, y) in blocks_a.iter().zip(blocks_b) {
        for lane in 0..LANES {
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
