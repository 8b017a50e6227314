//! Risk bounds against numbers computed by hand.

#![allow(clippy::unwrap_used)] // Helpers of tests may fail as loudly as the tests.

use hedgerow::data::generate::banana;
use hedgerow::data::{Dataset, Target};
use hedgerow::local::FalkParams;
use hedgerow::local::bounds::{
    BoundParams, FalkBounds, RiskBound, confidence_term, knn_svm_bound, least_neighbours,
};
use hedgerow::{Error, Prediction, Predictor};

/// (0.5 · 0.1 + γ(1000, 3)) / (0.5 − γ(1000, 2)), computed apart.
const HALF_OF_1000: f64 = 0.550_238_552_484_111_7;

fn value(bound: RiskBound) -> f64 {
    match bound {
        RiskBound::AtMost(value) => value,
        RiskBound::TooLocal { .. } => panic!("no bound: {bound:?}"),
    }
}

fn close(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-9, "{found} for {expected}");
}

#[test]
fn the_confidence_term_is_that_of_the_formula() {
    // ln 1001 = 6.908754779315221, ln 0.025 = -3.6888794541139363
    let by_hand = ((2.0 * 6.908_754_779_315_221 + 3.688_879_454_113_936_3) / 1000.0_f64).sqrt();
    close(confidence_term(1000, 2.0, 0.05), by_hand);
    assert!(confidence_term(1000, 2.0, 0.01) > by_hand);
    assert!(confidence_term(1000, 3.0, 0.05) > by_hand);
    assert!(confidence_term(2000, 2.0, 0.05) < by_hand);
}

#[test]
fn neighbourhoods_of_133_of_1000_rows_are_the_smallest_with_a_bound() {
    assert_eq!(least_neighbours(1000, 0.05), 133);
    let params = BoundParams::default();
    let bound = |k| knn_svm_bound(1000, k, 0.1, &params).unwrap();
    assert!(matches!(bound(133), RiskBound::AtMost(_)));
    let RiskBound::TooLocal { share, needed } = bound(132) else {
        panic!("132 of 1000 rows are too few");
    };
    close(share, 0.132);
    close(needed, confidence_term(1000, 2.0, 0.05));
}

#[test]
fn the_bound_of_a_neighbourhood_is_that_of_the_formula() {
    let params = BoundParams::default();
    let found = value(knn_svm_bound(1000, 500, 0.1, &params).unwrap());
    close(found, HALF_OF_1000);
    // No training error, all rows: what is left is the confidence.
    let all = value(knn_svm_bound(1000, 1000, 0.0, &params).unwrap());
    let expected = confidence_term(1000, 3.0, 0.05) / (1.0 - confidence_term(1000, 2.0, 0.05));
    close(all, expected);
}

#[test]
fn values_out_of_range_are_refused() {
    let refused = |n, k, error, params: BoundParams| {
        let found = knn_svm_bound(n, k, error, &params).unwrap_err();
        assert!(matches!(found, Error::Parameter { .. }), "{found}");
    };
    let usual = BoundParams::default();
    refused(10, 11, 0.1, usual);
    refused(10, 0, 0.1, usual);
    refused(0, 1, 0.1, usual);
    refused(10, 5, 1.1, usual);
    refused(10, 5, -0.1, usual);
    refused(10, 5, 0.1, BoundParams { eta: 1.0, ..usual });
    refused(10, 5, 0.1, BoundParams { eta: 0.0, ..usual });
    let no_dimension = BoundParams {
        vc_dimension: 0.0,
        ..usual
    };
    refused(10, 5, 0.1, no_dimension);
}

fn bounds(data: &Dataset, k: usize, params: &BoundParams) -> FalkBounds {
    let model = FalkParams::default()
        .with_neighbours(k)
        .fit(data)
        .unwrap()
        .model;
    model.bounds(params).unwrap()
}

#[test]
fn one_machine_for_all_rows_has_the_bound_of_its_training_error() {
    let data = banana(400, 0.6, 3).unwrap();
    let params = BoundParams {
        eta: 0.1,
        vc_dimension: 5.0,
        lambda: 0.25,
    };
    let fit = FalkParams::default().with_neighbours(400).with_core(1.0);
    let model = fit.fit(&data).unwrap().model;
    let found = model.bounds(&params).unwrap();
    assert_eq!(found.centres.len(), 1);
    let Prediction::Classes(answers) = model.predict(data.samples().view()).unwrap() else {
        panic!("classes expected");
    };
    let pairs = answers.iter().zip(data.classes().unwrap().codes());
    let error = pairs.filter(|(a, b)| a != b).count() as f64 / 400.0;
    assert!(error > 0.0, "a set without errors tests nothing");
    close(found.training_error, error);
    close(found.centres[0].training_error, error);
    let (locality, capacity) = (
        confidence_term(400, 2.0, 0.1),
        confidence_term(400, 5.0, 0.1),
    );
    let expected = (error + capacity) / (1.0 - locality);
    close(value(found.centres[0].bound), expected);
    close(value(found.mean), expected + 0.25);
}

#[test]
fn the_mean_weighs_a_centre_by_the_rows_that_belong_to_it() {
    let data = banana(600, 0.6, 4).unwrap();
    let params = BoundParams::default();
    let found = bounds(&data, 300, &params);
    assert!(found.centres.len() > 1);
    let owned: usize = found.centres.iter().map(|centre| centre.owned).sum();
    assert_eq!((owned, found.n_rows), (600, 600));
    let by_hand: f64 = found
        .centres
        .iter()
        .map(|centre| {
            let alone = knn_svm_bound(600, centre.size, centre.training_error, &params).unwrap();
            assert_eq!(alone, centre.bound);
            value(alone) * centre.owned as f64 / 600.0
        })
        .sum();
    close(value(found.mean), by_hand);
}

#[test]
fn small_neighbourhoods_have_no_bound_and_say_why() {
    let data = banana(600, 0.4, 4).unwrap();
    let found = bounds(&data, 30, &BoundParams::default());
    let RiskBound::TooLocal { share, needed } = found.mean else {
        panic!("30 of 600 rows cannot have a bound");
    };
    close(share, 0.05);
    close(needed, confidence_term(600, 2.0, 0.05));
    assert!(found.least_neighbours > 30);
}

#[test]
fn regression_has_no_bounds() {
    let data = banana(60, 0.4, 4).unwrap();
    let targets = (0..60).map(f64::from).collect();
    let data = Dataset::new(data.samples().clone(), Target::Real(targets)).unwrap();
    let model = FalkParams::default()
        .with_neighbours(20)
        .fit(&data)
        .unwrap()
        .model;
    let refused = model.bounds(&BoundParams::default()).unwrap_err();
    assert!(matches!(refused, Error::Target { .. }));
}
