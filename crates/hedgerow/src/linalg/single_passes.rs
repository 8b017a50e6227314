//! The passes of an SMO iteration on a gradient in single precision.
//!
//! All numbers have one width, the place of the best included, and the steps of a pass are loops
//! over lanes of their own: so everything stays in vector registers. What pairs promise is compared
//! by cross-multiplication, because a division costs more than everything else in its pass.

use super::Real;
use super::passes::Scan;

/// Two AVX-512 registers: two chains of comparisons overlap.
const SINGLE_LANES: usize = 32;

type Lanes = [f32; SINGLE_LANES];

/// 0 where the variable may grow, otherwise something that loses every comparison.
#[inline(always)]
fn up_penalty(side: f32) -> f32 {
    if side >= 0.0 { 0.0 } else { side }
}

/// 0 where the variable may shrink, otherwise something that loses every comparison once
/// subtracted.
#[inline(always)]
fn low_penalty(side: f32) -> f32 {
    if side <= 0.0 { 0.0 } else { side }
}

#[inline(always)]
fn combine(a: Lanes, b: Lanes, by: impl Fn(f32, f32) -> f32) -> Lanes {
    let mut out = [0.0; SINGLE_LANES];
    for lane in 0..SINGLE_LANES {
        out[lane] = by(a[lane], b[lane]);
    }
    out
}

/// `yes` in the lanes where `a` is larger than `b`, `no` in the others.
#[inline(always)]
fn where_larger(a: Lanes, b: Lanes, yes: Lanes, no: Lanes) -> Lanes {
    let mut out = [0.0; SINGLE_LANES];
    for lane in 0..SINGLE_LANES {
        out[lane] = if a[lane] > b[lane] {
            yes[lane]
        } else {
            no[lane]
        };
    }
    out
}

#[inline(always)]
fn smaller(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

/// All lanes combined, by halves.
#[inline(always)]
fn fold(mut lanes: Lanes, by: impl Fn(f32, f32) -> f32) -> f32 {
    let mut half = SINGLE_LANES / 2;
    while half > 0 {
        for lane in 0..half {
            lanes[lane] = by(lanes[lane], lanes[lane + half]);
        }
        half /= 2;
    }
    lanes[0]
}

/// The largest lane and the first place that has it, given the chunk that each lane is from.
/// Places up to 2²⁴ are exact; matrices that are solved whole are much smaller.
#[inline(always)]
fn first_largest(values: &Lanes, chunks: &Lanes) -> (f32, usize) {
    let best = fold(*values, f32::larger);
    let mut places = [f32::INFINITY; SINGLE_LANES];
    for lane in 0..SINGLE_LANES {
        places[lane] = if values[lane] == best {
            chunks[lane] * SINGLE_LANES as f32 + lane as f32
        } else {
            f32::INFINITY
        };
    }
    (best, fold(places, smaller) as usize)
}

/// What the lanes of a scan have found. Not inlined into the pass, whose lanes would otherwise be
/// taken apart.
#[inline(never)]
fn summary(up: &Lanes, at: &Lanes, low: &Lanes) -> (f32, usize, f32) {
    let (best, place) = first_largest(up, at);
    (best, place, fold(*low, f32::larger))
}

#[inline(always)]
fn scan_body<const FMA: bool>(
    gradient: &mut [f32],
    row_i: &[f32],
    row_j: &[f32],
    step: f32,
    sides: &[f32],
) -> Scan {
    let n = gradient.len();
    let (row_i, row_j, sides) = (&row_i[..n], &row_j[..n], &sides[..n]);
    let (mut up, mut low) = (
        [f32::NEG_INFINITY; SINGLE_LANES],
        [f32::NEG_INFINITY; SINGLE_LANES],
    );
    let mut at = [0.0; SINGLE_LANES];
    let whole = n - n % SINGLE_LANES;
    {
        let (gradient, _) = gradient.as_chunks_mut::<SINGLE_LANES>();
        let (row_i, _) = row_i.as_chunks::<SINGLE_LANES>();
        let (row_j, _) = row_j.as_chunks::<SINGLE_LANES>();
        let (sides, _) = sides.as_chunks::<SINGLE_LANES>();
        let parts = gradient.iter_mut().zip(row_i).zip(row_j).zip(sides);
        for (chunk, (((g, ki), kj), side)) in (0u32..).zip(parts) {
            let moved = combine(*ki, *g, |k, g| k.fma::<FMA>(step, g));
            let moved = combine(*kj, moved, |k, g| k.fma::<FMA>(-step, g));
            *g = moved;
            let grows = combine(*side, moved, |side, g| up_penalty(side) - g);
            at = where_larger(grows, up, [chunk as f32; SINGLE_LANES], at);
            up = combine(grows, up, f32::larger);
            let shrinks = combine(*side, moved, |side, g| g - low_penalty(side));
            low = combine(shrinks, low, f32::larger);
        }
    }
    let (mut best, mut place, mut max_low) = summary(&up, &at, &low);
    for t in whole..n {
        let moved = row_i[t].fma::<FMA>(step, gradient[t]);
        gradient[t] = row_j[t].fma::<FMA>(-step, moved);
        let candidate = up_penalty(sides[t]) - gradient[t];
        if candidate > best {
            best = candidate;
            place = t;
        }
        max_low = (gradient[t] - low_penalty(sides[t])).larger(max_low);
    }
    Scan {
        max_up: f64::from(best),
        argmax_up: place,
        max_low: f64::from(max_low),
    }
}

multiversion! {
    /// Adds `step · (row_i − row_j)` to the gradient and scans the result.
    pub(super) fn update_and_scan[](
        gradient: &mut [f32],
        row_i: &[f32],
        row_j: &[f32],
        step: f32,
        sides: &[f32],
    ) -> Scan = scan_body;
}

/// Curvature that stands in for one that is zero or negative.
const TINY: f32 = 1e-12;

/// The best of the lanes. Not inlined, as [`summary`].
#[inline(never)]
fn most_promising(squares: &Lanes, curvatures: &Lanes, at: &Lanes) -> (f32, usize) {
    first_largest(&combine(*squares, *curvatures, |s, c| s / c), at)
}

#[inline(always)]
fn partner_body<const FMA: bool>(
    gradient: &[f32],
    sides: &[f32],
    row_i: &[f32],
    diagonal: &[f32],
    max_up: f32,
    diagonal_i: f32,
) -> Option<usize> {
    let n = gradient.len();
    let (sides, row_i, diagonal) = (&sides[..n], &row_i[..n], &diagonal[..n]);
    let violation = |g: f32, side: f32| (g + max_up - low_penalty(side)).larger(0.0);
    let curvature = |d: f32, k: f32| (diagonal_i + d - 2.0 * k).larger(TINY);
    let (mut squares, mut curvatures) = ([0.0f32; SINGLE_LANES], [1.0f32; SINGLE_LANES]);
    let mut at = [0.0; SINGLE_LANES];
    let whole = n - n % SINGLE_LANES;
    {
        let (gradient, _) = gradient.as_chunks::<SINGLE_LANES>();
        let (sides, _) = sides.as_chunks::<SINGLE_LANES>();
        let (row_i, _) = row_i.as_chunks::<SINGLE_LANES>();
        let (diagonal, _) = diagonal.as_chunks::<SINGLE_LANES>();
        let parts = gradient.iter().zip(sides).zip(row_i).zip(diagonal);
        for (chunk, (((g, side), k), d)) in (0u32..).zip(parts) {
            let violated = combine(*g, *side, violation);
            let square = combine(violated, violated, |a, b| a * b);
            let curved = combine(*d, *k, curvature);
            // Whether square / curved exceeds squares / curvatures.
            let mine = combine(square, curvatures, |a, b| a * b);
            let best = combine(squares, curved, |a, b| a * b);
            squares = where_larger(mine, best, square, squares);
            curvatures = where_larger(mine, best, curved, curvatures);
            at = where_larger(mine, best, [chunk as f32; SINGLE_LANES], at);
        }
    }
    let (mut best, mut place) = most_promising(&squares, &curvatures, &at);
    for t in whole..n {
        let violated = violation(gradient[t], sides[t]);
        let promised = violated * violated / curvature(diagonal[t], row_i[t]);
        if promised > best {
            best = promised;
            place = t;
        }
    }
    (best > 0.0).then_some(place)
}

multiversion! {
    /// The variable that may shrink and promises the largest decrease of the objective when paired
    /// with the one whose row is given (second-order selection); `None` if none violates.
    pub(super) fn select_partner[](
        gradient: &[f32],
        sides: &[f32],
        row_i: &[f32],
        diagonal: &[f32],
        max_up: f32,
        diagonal_i: f32,
    ) -> Option<usize> = partner_body;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Generator;

    /// Every length, so that every tail occurs; ties go to the first place.
    #[test]
    fn passes_find_what_a_plain_loop_finds() {
        let mut generator = Generator::new(5);
        for n in 1..150 {
            let mut draw = || (generator.below(9) as f32 - 4.0) / 4.0;
            let start: Vec<f32> = (0..n).map(|_| draw()).collect();
            let row_i: Vec<f32> = (0..n).map(|_| draw() / 2.0).collect();
            let row_j: Vec<f32> = (0..n).map(|_| draw() / 2.0).collect();
            let sides: Vec<f32> = (0..n)
                .map(|_| match (draw() * 4.0) as i32 {
                    ..-1 => f32::NEG_INFINITY,
                    2.. => f32::INFINITY,
                    _ => 0.0,
                })
                .collect();
            let mut gradient = start.clone();
            let scan = update_and_scan(&mut gradient, &row_i, &row_j, 0.5, &sides);
            let mut up = (f32::NEG_INFINITY, 0);
            let mut low = f32::NEG_INFINITY;
            for t in 0..n {
                let expected = start[t] + 0.5 * row_i[t] - 0.5 * row_j[t];
                assert_eq!(gradient[t], expected, "{t} of {n}");
                if sides[t] >= 0.0 && -expected > up.0 {
                    up = (-expected, t);
                }
                if sides[t] <= 0.0 && expected > low {
                    low = expected;
                }
            }
            assert_eq!(scan.max_up, f64::from(up.0), "of {n}");
            if up.0 > f32::NEG_INFINITY {
                assert_eq!(scan.argmax_up, up.1, "of {n}");
            }
            assert_eq!(scan.max_low, f64::from(low), "of {n}");
            let diagonal = vec![1.0; n];
            let mut best = (0.0, None);
            for t in 0..n {
                let violation = gradient[t] + 0.75;
                if sides[t] <= 0.0 && violation > 0.0 {
                    let promised = violation * violation / (2.0 - 2.0 * row_i[t]);
                    if promised > best.0 {
                        best = (promised, Some(t));
                    }
                }
            }
            let found = select_partner(&gradient, &sides, &row_i, &diagonal, 0.75, 1.0);
            assert_eq!(found.is_some(), best.1.is_some(), "of {n}");
            if let Some(t) = found {
                let violation = gradient[t] + 0.75;
                let promised = violation * violation / (2.0 - 2.0 * row_i[t]);
                assert!(promised >= best.0 * (1.0 - 1e-6), "{promised} {best:?}");
            }
        }
    }
}
