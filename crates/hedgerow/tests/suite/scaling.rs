//! Scaling: the statistics asked for, sparsity, text form.

#![allow(clippy::unwrap_used)] // Helpers of tests may fail as loudly as the tests.

use hedgerow::Error;
use hedgerow::data::{CsrMatrix, Samples, Scaler, Scaling, Spread};
use proptest::prelude::*;

fn dense(n_features: usize, values: &[f64]) -> Samples {
    Samples::dense(values.len() / n_features, n_features, values.to_vec()).unwrap()
}

fn column(samples: &Samples, f: usize) -> Vec<f64> {
    let mut row = vec![0.0; samples.n_features()];
    (0..samples.n_rows())
        .map(|i| {
            samples.view().row(i).write_dense(&mut row);
            row[f]
        })
        .collect()
}

#[test]
fn min_max_is_fitted_on_training_data_and_extends_beyond_it() {
    let train = dense(2, &[1.0, 7.0, 3.0, 7.0, 2.0, 7.0]);
    let scaler = Scaling::unit().fit(train.view()).unwrap();
    let scaled = scaler.apply(train.view()).unwrap();
    assert_eq!(column(&scaled, 0), [0.0, 1.0, 0.5]);
    assert_eq!(column(&scaled, 1), [0.0; 3]);
    let test = scaler.apply(dense(2, &[5.0, 9.0]).view()).unwrap();
    assert_eq!(column(&test, 0), [2.0]);
    assert_eq!(column(&test, 1), [0.0]);
}

#[test]
fn constant_features_map_to_zero_even_outside_the_range() {
    let train = dense(1, &[4.0, 4.0]);
    let scaling = Scaling::MinMax {
        low: 2.0,
        high: 3.0,
    };
    for scaling in [scaling, Scaling::Standardize] {
        let scaler = scaling.fit(train.view()).unwrap();
        assert_eq!(column(&scaler.apply(train.view()).unwrap(), 0), [0.0, 0.0]);
        assert_eq!(scaler.inverse(0, 0.0), 4.0);
    }
}

#[test]
fn a_constant_that_is_no_binary_fraction_standardises_to_exact_zeros() {
    let train = dense(1, &[0.1; 7]);
    let scaler = Scaling::Standardize.fit(train.view()).unwrap();
    assert_eq!(column(&scaler.apply(train.view()).unwrap(), 0), [0.0; 7]);
}

#[test]
fn columns_far_from_the_origin_standardise_accurately() {
    let near = [-1.0, -0.25, 0.5, 1.0, 0.125, -0.75];
    let far: Vec<f64> = near.iter().map(|v| v + 1e6).collect();
    let near = dense(1, &near);
    let far = dense(1, &far);
    let expected = Scaling::Standardize.fit(near.view()).unwrap();
    let expected = column(&expected.apply(near.view()).unwrap(), 0);
    let found = Scaling::Standardize.fit(far.view()).unwrap();
    let found = column(&found.apply(far.view()).unwrap(), 0);
    for (a, b) in expected.iter().zip(&found) {
        assert!((a - b).abs() < 1e-9, "{a} {b}");
    }
}

fn sparse() -> Samples {
    // Columns: 0 → (0, 2, 4), 1 → (-1, 0, 0), 2 → (0, 0, 0).
    let matrix = CsrMatrix::new(3, vec![0, 1, 2, 3], vec![1, 0, 0], vec![-1.0, 2.0, 4.0]);
    Samples::Sparse(matrix.unwrap())
}

#[test]
fn implicit_zeros_count_in_the_statistics() {
    let samples = sparse();
    let scaler = Scaling::Standardize.fit(samples.view()).unwrap();
    let scaled = scaler.apply(samples.view()).unwrap();
    assert!(matches!(scaled, Samples::Dense(_)));
    let root = 1.5f64.sqrt();
    for (found, expected) in column(&scaled, 0).iter().zip([-root, 0.0, root]) {
        assert!((found - expected).abs() < 1e-15);
    }
    let (low, high) = (-2f64.sqrt(), 0.5f64.sqrt());
    for (found, expected) in column(&scaled, 1).iter().zip([low, high, high]) {
        assert!((found - expected).abs() < 1e-15);
    }
    assert_eq!(column(&scaled, 2), [0.0; 3]);
}

#[test]
fn sparse_data_stay_sparse_when_zero_maps_to_zero() {
    let matrix = CsrMatrix::new(2, vec![0, 1, 2], vec![0, 0], vec![2.0, 8.0]).unwrap();
    let keeps = Samples::Sparse(CsrMatrix::new(1, vec![0, 0, 1], vec![0], vec![8.0]).unwrap());
    let scaler = Scaling::unit().fit(keeps.view()).unwrap();
    let scaled = scaler.apply(keeps.view()).unwrap();
    assert!(matches!(scaled, Samples::Sparse(_)));
    assert_eq!(column(&scaled, 0), [0.0, 1.0]);
    // A column without zeros moves its zero: the result is dense.
    let moves = Samples::Sparse(matrix);
    let scaler = Scaling::unit().fit(moves.view()).unwrap();
    let scaled = scaler.apply(moves.view()).unwrap();
    assert!(matches!(scaled, Samples::Dense(_)));
    let refused = scaler.apply_within(moves.view(), 31).unwrap_err();
    assert!(
        matches!(
            refused,
            Error::Memory {
                needed_bytes: 32,
                allowed_bytes: 31,
                ..
            }
        ),
        "{refused}"
    );
}

#[test]
fn narrower_samples_read_as_zeros_and_wider_dense_ones_are_refused() {
    let train = dense(2, &[0.0, 2.0, 4.0, 6.0]);
    let scaler = Scaling::unit().fit(train.view()).unwrap();
    let narrow = scaler.apply(dense(1, &[2.0]).view()).unwrap();
    assert_eq!(column(&narrow, 0), [0.5]);
    assert_eq!(column(&narrow, 1), [-0.5]);
    let refused = scaler.apply(dense(3, &[0.0; 3]).view());
    assert!(matches!(refused, Err(Error::Shape { .. })));
}

#[test]
fn bad_ranges_empty_data_and_overflow_are_errors() {
    let train = dense(1, &[0.0, 1.0]);
    let upside_down = Scaling::MinMax {
        low: 1.0,
        high: 1.0,
    };
    assert!(matches!(
        upside_down.fit(train.view()),
        Err(Error::Parameter { .. })
    ));
    let empty = Samples::dense(0, 1, Vec::new()).unwrap();
    assert_eq!(Scaling::unit().fit(empty.view()), Err(Error::NoRows));
    assert!(Scaling::None.fit(empty.view()).is_ok());
    let wide = dense(1, &[-f64::MAX, f64::MAX]);
    let error = Scaling::Standardize.fit(wide.view()).unwrap_err();
    assert!(matches!(
        error,
        Error::TooWide {
            row: 2,
            column: 1,
            ..
        }
    ));
}

#[test]
fn range_files_go_out_and_come_in_as_svm_scale_writes_them() {
    let train = dense(3, &[-0.1, 5.0, 1e-30, 0.3, 5.0, 3e20]);
    let scaling = Scaling::MinMax {
        low: -1.0,
        high: 1.0,
    };
    let scaler = scaling.fit(train.view()).unwrap();
    let text = scaler.to_range_file().unwrap();
    assert_eq!(text, "x\n-1 1\n1 -0.1 0.3\n3 1e-30 3e20\n");
    let back = Scaler::from_range_file(&text, 3).unwrap();
    assert_eq!(back.to_range_file().unwrap(), text);
    assert_eq!(back.apply(train.view()), scaler.apply(train.view()));
    // As svm-scale prints it, with %.17g.
    let foreign =
        "x\n-1.0000000000000000 1.0000000000000000\n1 -0.10000000000000001 0.29999999999999999\n";
    let foreign = Scaler::from_range_file(foreign, 0).unwrap();
    assert_eq!(foreign.n_features(), 1);
    assert_eq!(foreign.value(0, 0.3), 1.0);
    assert_eq!(foreign.value(0, -0.1), -1.0);
}

#[test]
fn standardising_survives_the_range_file() {
    let train = dense(2, &[1.0, 10.0, 2.0, 30.0, 4.0, 20.0]);
    let scaler = Scaling::Standardize.fit(train.view()).unwrap();
    let back = Scaler::from_range_file(&scaler.to_range_file().unwrap(), 0).unwrap();
    for f in 0..2 {
        for value in [-3.0, 0.0, 17.5] {
            assert!((scaler.value(f, value) - back.value(f, value)).abs() < 1e-12);
        }
    }
}

#[test]
fn damaged_range_files_name_the_line() {
    let line_of = |text: &str| match Scaler::from_range_file(text, 0) {
        Err(Error::Syntax { line, .. }) => line,
        other => panic!("{other:?}"),
    };
    assert_eq!(line_of(""), 1);
    assert_eq!(line_of("y\n0 1\n0 5\nx\n0 1\n"), 1);
    assert_eq!(line_of("x\n0\n"), 2);
    assert_eq!(line_of("x\n0 1\n1 0 1\n2 0\n"), 4);
    assert_eq!(line_of("x\n0 1\n99999999999 0 1\n"), 3);
    assert_eq!(line_of("x\n0 1\n1 2 1\n"), 3);
    assert_eq!(line_of("x\n0 1\n1 nan 1\n"), 3);
}

proptest! {
    #[test]
    fn scaled_columns_have_the_statistics_asked_for(
        values in prop::collection::vec(-1e3f64..1e3, 8..60),
        shift in -1e5f64..1e5,
    ) {
        let values: Vec<f64> = values.iter().map(|v| v + shift).collect();
        let n = values.len() / 2;
        let samples = dense(2, &values[..2 * n]);
        let standard = Scaling::Standardize.fit(samples.view()).unwrap();
        let standard = standard.apply(samples.view()).unwrap();
        let range = Scaling::MinMax { low: -2.0, high: 3.0 };
        let scaler = range.fit(samples.view()).unwrap();
        let ranged = scaler.apply(samples.view()).unwrap();
        for f in 0..2 {
            let column_f = column(&standard, f);
            let mean = column_f.iter().sum::<f64>() / n as f64;
            let variance = column_f.iter().map(|v| v * v).sum::<f64>() / n as f64;
            prop_assert!(mean.abs() < 1e-9);
            prop_assert!((variance - 1.0).abs() < 1e-9);
            let column_f = column(&ranged, f);
            prop_assert_eq!(column_f.iter().copied().fold(f64::INFINITY, f64::min), -2.0);
            prop_assert_eq!(column_f.iter().copied().fold(f64::NEG_INFINITY, f64::max), 3.0);
            for (i, v) in column_f.iter().enumerate() {
                let back = scaler.inverse(f, *v);
                prop_assert!((back - values[2 * i + f]).abs() < 1e-9 * (1.0 + back.abs()));
            }
        }
    }
}

proptest! {
    #[test]
    fn quantiles_keep_the_order_and_the_answer_of_sparse_rows(
        values in prop::collection::vec(-3i8..4, 2..60),
    ) {
        let values: Vec<f64> = values.into_iter().map(f64::from).collect();
        for spread in [Spread::Uniform, Spread::Normal] {
            let scaling = Scaling::Quantile(spread);
            let rows = dense(1, &values);
            let scaler = scaling.fit(rows.view()).unwrap();
            let scaled = column(&scaler.apply(rows.view()).unwrap(), 0);
            for i in 0..values.len() {
                for j in 0..values.len() {
                    if values[i] < values[j] {
                        prop_assert!(scaled[i] < scaled[j]);
                    }
                }
                prop_assert!((scaler.inverse(0, scaled[i]) - values[i]).abs() < 1e-12);
            }
            let stored: Vec<usize> = (0..values.len()).filter(|&i| values[i] != 0.0).collect();
            let starts: Vec<usize> = (0..=values.len())
                .map(|i| stored.partition_point(|&at| at < i))
                .collect();
            let entries: Vec<f64> = stored.iter().map(|&i| values[i]).collect();
            let sparse = CsrMatrix::new(1, starts, vec![0; entries.len()], entries).unwrap();
            let from_sparse = scaling.fit(Samples::Sparse(sparse).view()).unwrap();
            prop_assert_eq!(from_sparse, scaler);
        }
    }
}

#[test]
fn quantiles_make_a_far_value_an_ordinary_one() {
    let mut values: Vec<f64> = (0..999).map(f64::from).collect();
    values.push(1e12);
    let rows = dense(1, &values);
    let scaler = Scaling::Quantile(Spread::Uniform).fit(rows.view()).unwrap();
    let scaled = column(&scaler.apply(rows.view()).unwrap(), 0);
    let mean = scaled.iter().sum::<f64>() / 1000.0;
    let square = scaled.iter().map(|v| v * v).sum::<f64>() / 1000.0;
    assert!(
        mean.abs() < 1e-2 && (square - 1.0).abs() < 1e-2,
        "{mean} {square}"
    );
    assert!(scaled[999] < 3f64.sqrt());
    assert_eq!(scaler.to_range_file(), None);
    let beyond = scaler.apply(dense(1, &[1e300, -1e300]).view()).unwrap();
    assert_eq!(column(&beyond, 0), [scaled[999], scaled[0]]);
}
