//! The relative measures, recomputed from the errors, counts and times that are printed beside
//! them.

use hedgerow::evaluate::{operations, relative_complexity, relative_cost, relative_error};

/// True if a number rounds to what is printed with so many decimals of its mantissa.
fn agrees(value: f64, printed: f64, share: f64) -> bool {
    (value - printed).abs() <= share * printed.abs() + 0.0051
}

#[test]
fn relative_errors_and_complexities_of_seven_sets() {
    // Linear, nonlinear and tree error in %, support vectors, mean hyperplanes, RE, RC.
    let rows = [
        (7.82, 1.01, 2.36, 3154.0, 7.28, 0.80, 2.0e-3),
        (2.21, 0.062, 0.10, 66.0, 5.18, 0.98, 6.43e-2),
        (2.09, 0.33, 1.79, 2873.0, 3.15, 0.17, 7.49e-4),
        (3.90, 0.03, 1.43, 13471.0, 4.73, 0.64, 2.77e-4),
        (14.18, 11.88, 12.61, 23642.0, 2.84, 0.68, 7.78e-5),
        (8.81, 2.97, 6.39, 1260.3, 2.59, 0.41, 1.26e-3),
        (23.66, 18.57, 11.39, 245_687.2, 12.93, 2.41, 4.86e-5),
    ];
    for (linear, nonlinear, tree, vectors, planes, re, rc) in rows {
        let found = relative_error(tree, linear, nonlinear).expect("references differ");
        assert!(agrees(found, re, 0.0), "{found} {re}");
        let found = relative_complexity(planes, vectors).expect("references differ");
        assert!((found - rc).abs() <= 0.01 * rc, "{found} {rc}");
    }
}

#[test]
fn relative_errors_of_the_cascade() {
    let faces = relative_error(8.99, 8.81, 2.97).expect("references differ");
    assert!(agrees(faces, -0.03, 0.0), "{faces}");
    let usps = relative_error(6.24, 8.67, 4.53).expect("references differ");
    assert!(agrees(usps, 0.59, 0.0), "{usps}");
    let planes = relative_complexity(49.0, 1521.0).expect("references differ");
    assert!(agrees(planes, 0.03, 0.0), "{planes}");
    let tree = relative_error(5.38, 8.67, 4.53).expect("references differ");
    assert!(agrees(tree, 0.79, 0.0), "{tree}");
}

#[test]
fn relative_costs_with_fewer_features() {
    // Features, hyperplanes of the tree, its RCC; 784 features and 13,477 vectors are the reference.
    let linear = operations(784, 1.0);
    let nonlinear = operations(784, 13_477.0);
    for (features, planes, rcc) in [
        (50, 3.17, -5.90e-5),
        (400, 4.25, 8.7e-5),
        (500, 4.94, 1.6e-4),
        (784, 4.73, 2.8e-4),
    ] {
        let found =
            relative_cost(operations(features, planes), linear, nonlinear).expect("they differ");
        assert!((found - rcc).abs() <= 0.03 * f64::abs(rcc), "{found} {rcc}");
    }
    let all = relative_cost(operations(50, 63_490.0), linear, nonlinear).expect("they differ");
    assert!(agrees(all, 0.30, 0.0), "{all}");
}

#[test]
fn relative_times_with_fewer_features() {
    // Seconds of an answer: 3.00e-6 linear, 2.77e-2 nonlinear, on all features.
    let answer = |seconds| relative_cost(seconds, 3.00e-6, 2.77e-2).expect("they differ");
    for (seconds, printed) in [
        (2.54e-7, -9.91e-5),
        (1.07e-2, 3.86e-1),
        (1.35e-5, 3.79e-4),
        (2.88e-5, 9.32e-4),
    ] {
        let found = answer(seconds);
        assert!(
            (found - printed).abs() <= 0.01 * f64::abs(printed),
            "{found}"
        );
    }
    let training = |seconds| relative_cost(seconds, 3.38e2, 7.77e4).expect("they differ");
    for (seconds, printed) in [(1.97e1, -4.1e-3), (2.89e4, 3.69e-1), (7.19e4, 9.25e-1)] {
        let found = training(seconds);
        assert!(
            (found - printed).abs() <= 0.01 * f64::abs(printed),
            "{found}"
        );
    }
}

#[test]
fn references_that_coincide_have_no_measure() {
    assert_eq!(relative_error(1.0, 2.0, 2.0), None);
    assert_eq!(relative_complexity(3.0, 1.0), None);
}
