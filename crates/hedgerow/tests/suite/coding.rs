//! Categories coded by targets, and rows that repeat others.

use hedgerow::data::{
    ClassLabels, Coding, Columns, Dataset, Samples, Scaling, Target, folds_for, generate,
};
use proptest::prelude::*;

fn coding(features: &[(u32, u32)], smoothing: f64) -> Coding {
    Coding {
        features: features.to_vec(),
        smoothing,
        seed: 3,
    }
}

fn dataset(width: usize, values: Vec<f64>, target: Target) -> Dataset {
    let samples = Samples::dense(values.len() / width, width, values).expect("a matrix");
    Dataset::new(samples, target).expect("rows")
}

fn classes(labels: &[f64]) -> Target {
    Target::Classes(ClassLabels::from_numbers(labels))
}

fn rows(data: &Samples) -> Vec<Vec<f64>> {
    (0..data.n_rows())
        .map(|i| {
            let mut row = vec![0.0; data.n_features()];
            data.view().row(i).write_dense(&mut row);
            row
        })
        .collect()
}

#[test]
fn a_category_becomes_the_share_of_the_rarer_class() {
    let data = dataset(
        2,
        vec![0.0, 7.0, 1.0, 8.0, 0.0, 9.0, 0.0, 1.0, 2.0, 2.0],
        classes(&[1.0, -1.0, 1.0, -1.0, -1.0]),
    );
    let fitted = coding(&[(0, 4)], 0.0).fit(&data).expect("fitted");
    assert_eq!(fitted.overall(), [0.4]);
    // The last category occurs in no row.
    assert_eq!(fitted.codes_of(0), Some(&[2.0 / 3.0, 0.0, 0.0, 0.4][..]));
    assert_eq!(fitted.codes_of(1), None);
    let smooth = coding(&[(0, 4)], 2.0).fit(&data).expect("fitted");
    let share = |ones: f64, all: f64| (ones + 2.0 * 0.4) / (all + 2.0);
    let expected = [share(2.0, 3.0), share(0.0, 1.0), share(0.0, 1.0), 0.4];
    for (found, expected) in smooth.codes_of(0).expect("coded").iter().zip(expected) {
        assert!((found - expected).abs() < 1e-15, "{found} {expected}");
    }
    // Unknown categories, and what is no category at all.
    let strange = dataset(
        2,
        vec![4.0, 1.0, -1.0, 1.0, 0.5, 1.0, 1e300, 1.0],
        Target::None,
    );
    let coded = fitted.apply(strange.samples().view()).expect("coded");
    assert!(rows(&coded).iter().all(|row| row == &[0.4, 1.0]));
}

#[test]
fn weights_levels_values_and_several_classes_have_their_means() {
    let values = vec![0.0, 0.0, 1.0, 1.0];
    let data = dataset(1, values.clone(), classes(&[5.0, 6.0, 5.0, 6.0]));
    let data = data
        .with_weights(vec![1.0, 3.0, 1.0, 0.0])
        .expect("weights");
    let fitted = coding(&[(0, 2)], 0.0).fit(&data).expect("fitted");
    // Of classes of one size the last is taken: 6.
    assert_eq!(fitted.codes_of(0), Some(&[0.75, 0.0][..]));
    let data = dataset(1, values.clone(), Target::Real(vec![1.0, 3.0, -5.0, -7.0]));
    let fitted = coding(&[(0, 2)], 0.0).fit(&data).expect("fitted");
    assert_eq!(fitted.codes_of(0), Some(&[2.0, -6.0][..]));
    let levels = Target::ordinal_from_numbers(&[10.0, 100.0, 1.0, 1.0]);
    let fitted = coding(&[(0, 2)], 0.0).fit(&dataset(1, values.clone(), levels));
    assert_eq!(fitted.expect("fitted").codes_of(0), Some(&[1.5, 0.0][..]));
    let data = dataset(1, values, classes(&[3.0, 1.0, 2.0, 2.0]));
    let data = data.with_feature_names(vec!["c".into()]).expect("a name");
    let (fitted, coded) = coding(&[(0, 2)], 0.0).fit_apply(&data).expect("fitted");
    assert_eq!(
        fitted.codes_of(0),
        Some(&[0.5, 0.0, 0.5, 0.0, 1.0, 0.0][..])
    );
    assert_eq!((fitted.n_inputs(), fitted.n_outputs()), (1, 3));
    assert_eq!(coded.feature_names().expect("names"), ["c:1", "c:2", "c:3"]);
}

#[test]
fn an_id_tells_nothing_of_its_own_row() {
    // Every row its own category: crosswise all get the overall share, so nothing is given away.
    let n = 40;
    let values = (0..n).map(f64::from).collect();
    let labels: Vec<f64> = (0..n).map(|i| f64::from(u8::from(i % 4 == 0))).collect();
    let data = dataset(1, values, classes(&labels));
    let (_, coded) = coding(&[(0, n as u32)], 10.0)
        .fit_apply(&data)
        .expect("fitted");
    assert!(
        rows(coded.samples())
            .iter()
            .all(|row| (row[0] - 0.25).abs() < 1e-15)
    );
}

#[test]
fn training_rows_are_coded_by_the_other_parts() {
    // The oracle: a coding of each part by brute force.
    let board = generate::checkerboard(60, 3, 0.2, 4).expect("rows");
    let values: Vec<f64> = (0..60).map(|i| f64::from(i * i % 7)).collect();
    let data = dataset(1, values.clone(), board.target().clone());
    let how = coding(&[(0, 7)], 1.5);
    let (_, coded) = how.fit_apply(&data).expect("fitted");
    let codes = data.classes().expect("classes").codes().to_vec();
    let ones = |rows: &mut dyn Iterator<Item = usize>| -> (f64, f64) {
        let mut sums = (0.0, 0.0);
        for i in rows {
            sums.0 += f64::from(codes[i]);
            sums.1 += 1.0;
        }
        sums
    };
    let (all_ones, all) = ones(&mut (0..60));
    let is_flipped = all_ones > all / 2.0;
    for split in folds_for(&data, 5, how.seed).expect("folds") {
        for &i in &split.test {
            let mut own = split
                .train
                .iter()
                .copied()
                .filter(|&j| values[j] == values[i]);
            let (sum, n) = ones(&mut own);
            let mut expected = (sum + 1.5 * all_ones / all) / (n + 1.5);
            if is_flipped {
                expected = 1.0 - expected;
            }
            let found = rows(coded.samples())[i][0];
            let same = (found - expected).abs() < 1e-12;
            // Of classes of one size either may be coded.
            assert!(same || (all_ones * 2.0 == all && (found + expected - 1.0).abs() < 1e-12));
        }
    }
}

#[test]
fn hostile_rows_are_coded_or_refused() {
    let one = dataset(1, vec![0.0], classes(&[1.0]));
    let (fitted, coded) = coding(&[(0, 1)], 10.0).fit_apply(&one).expect("a row");
    assert_eq!(
        (fitted.overall(), rows(coded.samples())),
        (&[1.0][..], vec![vec![1.0]])
    );
    let none = dataset(1, vec![0.0], Target::None);
    assert!(coding(&[(0, 1)], 10.0).fit(&none).is_err());
    for smoothing in [-1.0, f64::NAN, f64::INFINITY] {
        assert!(coding(&[(0, 1)], smoothing).fit(&one).is_err());
    }
    // No row with a weight, and no category.
    let light = dataset(1, vec![0.0, 0.0], classes(&[1.0, 2.0]));
    let light = light.with_weights(vec![0.0, 0.0]).expect("weights");
    let fitted = coding(&[(0, 0)], 0.0).fit(&light).expect("fitted");
    assert_eq!(fitted.overall(), [0.0]);
    // Wider rows than those of the training.
    let wide = dataset(2, vec![0.0, 1.0], Target::None);
    assert!(fitted.apply(wide.samples().view()).is_err());
}

#[test]
fn damaged_preprocessing_is_noticed() {
    let data = dataset(2, vec![0.0, 1.0, 1.0, 2.0], classes(&[1.0, 2.0]));
    let (fitted, coded) = coding(&[(0, 2)], 1.0).fit_apply(&data).expect("fitted");
    let scaler = Scaling::Standardize
        .fit(coded.samples().view())
        .expect("fitted");
    let step = |feature| {
        let columns = Columns::kept(vec![feature]);
        let step = columns.into_preprocessing(2, Some(scaler.clone()));
        step.after(fitted.clone())
    };
    let good = step(0);
    assert!(good.is_consistent());
    assert_eq!((good.n_inputs(), good.n_outputs()), (Some(2), Some(1)));
    assert!(!step(5).is_consistent());
    let weighted = Columns::weighted(&[0.0, 2.0]).expect("weights");
    let weighted = weighted.into_preprocessing(2, None).after(fitted);
    assert!(weighted.is_consistent());
    let seen = weighted
        .apply(data.samples().view())
        .expect("rows")
        .expect("a change");
    assert_eq!(rows(&seen), [[2.0], [4.0]]);
}

proptest! {
    #[test]
    fn sparse_and_dense_rows_are_coded_alike(
        cells in prop::collection::vec(0u32..4, 3 * 12),
        labels in prop::collection::vec(0u32..3, 12),
    ) {
        let values: Vec<f64> = cells.iter().map(|&c| f64::from(c)).collect();
        let labels: Vec<f64> = labels.iter().map(|&c| f64::from(c)).collect();
        let dense = dataset(3, values.clone(), classes(&labels));
        let (mut starts, mut indices, mut entries) = (vec![0], Vec::new(), Vec::new());
        for row in values.chunks(3) {
            for (f, &value) in row.iter().enumerate().filter(|(_, value)| **value != 0.0) {
                indices.push(f as u32);
                entries.push(value);
            }
            starts.push(indices.len());
        }
        let rows_of = hedgerow::data::CsrMatrix::new(3, starts, indices, entries).expect("rows");
        let sparse = dense.with_samples(Samples::Sparse(rows_of)).expect("rows");
        let how = coding(&[(0, 4), (2, 4)], 1.0);
        let (a, coded_a) = how.fit_apply(&dense).expect("fitted");
        let (b, coded_b) = how.fit_apply(&sparse).expect("fitted");
        prop_assert_eq!(&a, &b);
        prop_assert_eq!(rows(coded_a.samples()), rows(coded_b.samples()));
        let later = [a.apply(dense.samples().view()), b.apply(sparse.samples().view())];
        let [later_a, later_b] = later.map(|rows| rows.expect("coded"));
        prop_assert_eq!(rows(&later_a), rows(&later_b));
        // A code lies among the targets.
        prop_assert!(rows(&later_a).iter().flatten().all(|v| (0.0..=3.0).contains(v)));
    }

    #[test]
    fn repeats_are_those_that_brute_force_finds(
        cells in prop::collection::vec(-1i32..2, 2 * 15),
        labels in prop::collection::vec(0u32..2, 15),
    ) {
        // Zeros of either sign are one value.
        let values: Vec<f64> = cells.iter().map(|&c| -f64::from(c)).collect();
        let labels: Vec<f64> = labels.iter().map(|&c| f64::from(c)).collect();
        let data = dataset(2, values.clone(), classes(&labels));
        let equal = |i: usize, j: usize| values[2 * i..2 * i + 2] == values[2 * j..2 * j + 2];
        let kept: Vec<usize> = (0..15)
            .filter(|&i| !(0..i).any(|j| equal(i, j) && labels[i] == labels[j]))
            .collect();
        let against = |&&i: &&usize| (0..15).any(|j| equal(i, j) && labels[i] != labels[j]);
        let contradicting = kept.iter().filter(against).count();
        let found = data.repeats();
        prop_assert_eq!(found.removed, 15 - kept.len());
        prop_assert_eq!(&found.kept, &kept);
        prop_assert_eq!(found.contradicting_rows, contradicting);
        // Two labels, so two rows a group.
        prop_assert_eq!(found.contradictions * 2, contradicting);
        prop_assert_eq!(data.select(&found.kept).repeats().removed, 0);
    }
}
