//! Tests of the vectorised exponential.

use super::Real;

/// With and without fused multiply-add, which must agree to rounding.
fn exp_all<T: Real>(values: &mut [T]) {
    for value in values {
        let (plain, fused) = (value.exp_fast::<false>(), value.exp_fast::<true>());
        let difference = (plain.to_f64() - fused.to_f64()).abs();
        assert!(
            difference <= 4e-7 * fused.to_f64().abs(),
            "{value:?}: {plain:?} {fused:?}"
        );
        *value = fused;
    }
}

#[test]
fn exp_is_accurate_over_the_whole_range() {
    let mut single: Vec<f32> = (0..200_000).map(|i| -88.0 + i as f32 * 8.8e-4).collect();
    let reference: Vec<f64> = single.iter().map(|&x| f64::from(x).exp()).collect();
    exp_all(&mut single);
    for (value, expected) in single.iter().zip(&reference) {
        let error = (f64::from(*value) - expected).abs();
        assert!(error <= 2.5e-7 * expected + 1.3e-38, "{value} {expected}");
    }
    let mut double: Vec<f64> = (0..200_000).map(|i| -710.0 + f64::from(i) * 7e-3).collect();
    let reference: Vec<f64> = double.iter().map(|x| x.exp()).collect();
    exp_all(&mut double);
    for (value, expected) in double.iter().zip(&reference) {
        if *expected < 1e300 {
            assert!(
                (value - expected).abs() <= 5e-16 * expected + 1e-307,
                "{value} {expected}"
            );
        }
    }
}

#[test]
fn exp_of_zero_is_one_and_far_below_is_zero() {
    let mut values = [0.0f32, -1e30, -104.0, 1.0];
    exp_all(&mut values);
    assert_eq!(values[..3], [1.0, 0.0, 0.0]);
    assert!((values[3] - std::f32::consts::E).abs() < 5e-7);
}
