//! Vectorised exponential.

use super::Real;

/// `e^x` of a fixed number of lanes; to be called from inside a `multiversion!` body.
#[inline(always)]
pub(crate) fn exp_lanes<const FMA: bool, T: Real, const N: usize>(x: [T; N]) -> [T; N] {
    let mut out = [T::ZERO; N];
    for lane in 0..N {
        out[lane] = x[lane].exp_fast::<FMA>();
    }
    out
}

#[inline(always)]
fn exp_in_place_body<const FMA: bool, T: Real>(values: &mut [T]) {
    let mut chunks = values.chunks_exact_mut(16);
    for chunk in &mut chunks {
        let mut lanes = [T::ZERO; 16];
        lanes.copy_from_slice(chunk);
        chunk.copy_from_slice(&exp_lanes::<FMA, T, 16>(lanes));
    }
    for value in chunks.into_remainder() {
        *value = value.exp_fast::<FMA>();
    }
}

multiversion! {
    /// Replaces every value by its exponential.
    pub(crate) fn exp_in_place[T: Real](values: &mut [T]) = exp_in_place_body;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exp_is_accurate_over_the_whole_range() {
        let mut single: Vec<f32> = (0..200_000).map(|i| -88.0 + i as f32 * 8.8e-4).collect();
        let reference: Vec<f64> = single.iter().map(|&x| f64::from(x).exp()).collect();
        exp_in_place(&mut single);
        for (value, expected) in single.iter().zip(&reference) {
            let error = (f64::from(*value) - expected).abs();
            assert!(error <= 2.5e-7 * expected + 1.3e-38, "{value} {expected}");
        }
        let mut double: Vec<f64> = (0..200_000).map(|i| -710.0 + f64::from(i) * 7e-3).collect();
        let reference: Vec<f64> = double.iter().map(|x| x.exp()).collect();
        exp_in_place(&mut double);
        for (value, expected) in double.iter().zip(&reference) {
            if *expected < 1e300 {
                assert!((value - expected).abs() <= 5e-16 * expected + 1e-307, "{value} {expected}");
            }
        }
    }

    #[test]
    fn exp_of_zero_is_one_and_far_below_is_zero() {
        let mut values = [0.0f32, -1e30, -104.0, 1.0];
        exp_in_place(&mut values);
        assert_eq!(values[..3], [1.0, 0.0, 0.0]);
        assert!((values[3] - std::f32::consts::E).abs() < 5e-7);
    }
}
