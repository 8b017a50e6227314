//! What holds of resamplers whatever the data.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use hedgerow::clean::{
    AdasynParams, BorderlineSmoteParams, Edit, Editor, EditorCard, LinkRows, NearMissParams,
    Purpose, RusParams, SmoteParams, TomekParams,
};
use hedgerow::data::{ClassLabels, CsrMatrix, Dataset, Generator, Samples, Target};
use hedgerow::{Error, Result};
use proptest::prelude::*;

fn labelled(samples: Samples, labels: &[f64]) -> Dataset {
    Dataset::new(samples, Target::Classes(ClassLabels::from_numbers(labels))).unwrap()
}

/// Overlapping clouds of these sizes, with many zeros.
fn clouds(sizes: &[usize], width: usize, seed: u64) -> Dataset {
    let mut random = Generator::new(seed);
    let mut labels: Vec<f64> = Vec::new();
    for (c, &size) in sizes.iter().enumerate() {
        labels.resize(labels.len() + size, c as f64);
    }
    random.shuffle(&mut labels);
    let mut values = Vec::new();
    for label in &labels {
        for _ in 0..width {
            let value = random.normal() + 0.8 * label;
            values.push(if random.uniform() < 0.3 { 0.0 } else { value });
        }
    }
    labelled(
        Samples::dense(labels.len(), width, values).unwrap(),
        &labels,
    )
}

fn sparse(data: &Dataset) -> Dataset {
    let view = data.samples().view();
    let (mut starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for i in 0..view.n_rows() {
        view.row(i).for_each(|f, value| {
            if value != 0.0 {
                indices.push(f as u32);
                values.push(value);
            }
        });
        starts.push(indices.len());
    }
    let matrix = CsrMatrix::new(view.n_features(), starts, indices, values).unwrap();
    data.with_samples(Samples::Sparse(matrix)).unwrap()
}

fn dense_rows(samples: &Samples) -> Vec<Vec<f64>> {
    let view = samples.view();
    let row = |i: usize| {
        let mut out = vec![0.0; view.n_features()];
        view.row(i).write_dense(&mut out);
        out
    };
    (0..view.n_rows()).map(row).collect()
}

fn add<E: Editor>(edits: &mut Vec<(String, Result<Edit>)>, params: &E, data: &Dataset) {
    let is_resampler = |card: &EditorCard| card.purpose == Purpose::Resample;
    assert!(E::CARDS.iter().all(is_resampler));
    edits.push((format!("{params:?}"), params.edit(data)));
}

/// Every resampler, in every form.
fn all(data: &Dataset, seed: u64) -> Vec<(String, Result<Edit>)> {
    let mut edits = Vec::new();
    add(&mut edits, &RusParams::default().with_seed(seed), data);
    add(&mut edits, &SmoteParams::default().with_seed(seed), data);
    add(&mut edits, &AdasynParams::default().with_seed(seed), data);
    for kind in [1, 2] {
        let params = BorderlineSmoteParams::default().with_kind(kind);
        add(&mut edits, &params.with_seed(seed), data);
    }
    for remove in [LinkRows::Majority, LinkRows::Both] {
        add(
            &mut edits,
            &TomekParams::default().with_remove(remove),
            data,
        );
    }
    for version in [1, 2, 3] {
        add(
            &mut edits,
            &NearMissParams::default().with_version(version),
            data,
        );
    }
    edits
}

fn counts_after(edit: &Edit, data: &Dataset) -> Vec<usize> {
    edit.apply(data).unwrap().classes().unwrap().counts()
}

/// True if all new rows are within the ranges of the old rows that `like` says.
fn inside_box(edit: &Edit, data: &Dataset, own_class: bool) -> bool {
    let Some(added) = &edit.added else {
        return true;
    };
    let rows = dense_rows(data.samples());
    let codes = data.classes().unwrap().codes();
    let new = dense_rows(&added.samples);
    new.iter().zip(&added.codes).all(|(row, &code)| {
        (0..row.len()).all(|f| {
            let like = rows.iter().zip(codes);
            let like = like.filter(|&(_, &c)| !own_class || c == code);
            let (low, high) = like.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), (x, _)| {
                (a.min(x[f]), b.max(x[f]))
            });
            (low..=high).contains(&row[f])
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn classes_get_the_sizes_that_were_asked_for(
        seed in any::<u64>(),
        sizes in prop::collection::vec(2usize..40, 2..4),
        width in 1usize..5,
        ratio in 0.05f64..=1.0,
        k in 1usize..60,
    ) {
        let data = clouds(&sizes, width, seed);
        let before = data.classes().unwrap().counts();
        let (rare, large) = (*sizes.iter().min().unwrap(), *sizes.iter().max().unwrap());
        let up = ((large as f64 * ratio).round() as usize).max(1);
        let raised: Vec<usize> = before.iter().map(|&n| n.max(up)).collect();
        let smote = SmoteParams::default().with_neighbours(k).with_ratio(ratio).with_seed(seed);
        let adasyn = AdasynParams::default().with_neighbours(k).with_ratio(ratio).with_seed(seed);
        for edit in [smote.edit(&data).unwrap(), adasyn.edit(&data).unwrap()] {
            prop_assert_eq!(counts_after(&edit, &data), raised.clone());
            prop_assert!(edit.keep.iter().all(|&kept| kept));
            prop_assert!(inside_box(&edit, &data, true));
        }
        for kind in [1, 2] {
            let params = BorderlineSmoteParams::default().with_kind(kind).with_neighbours(k);
            let edit = params.with_ratio(ratio).with_seed(seed).edit(&data).unwrap();
            let after = counts_after(&edit, &data);
            for c in 0..after.len() {
                prop_assert!(after[c] == before[c] || after[c] == raised[c]);
            }
            prop_assert!(edit.keep.iter().all(|&kept| kept));
            prop_assert!(inside_box(&edit, &data, kind == 1));
        }
        let down = 3.0 * ratio;
        let rus = RusParams::default().with_ratio(down).with_seed(seed);
        let left = ((rare as f64 * down).round() as usize).max(1);
        let lowered: Vec<usize> = before.iter().map(|&n| n.min(left)).collect();
        prop_assert_eq!(counts_after(&rus.edit(&data).unwrap(), &data), lowered);
        for version in [1, 2, 3] {
            let params = NearMissParams::default().with_version(version).with_neighbours(k);
            let after = counts_after(&params.edit(&data).unwrap(), &data);
            prop_assert!(after.iter().all(|&n| n <= rare && n > 0));
            prop_assert!(version == 3 || after.iter().all(|&n| n == rare));
        }
    }

    #[test]
    fn sparse_rows_are_treated_as_dense_ones(seed in any::<u64>(), width in 1usize..6) {
        let data = clouds(&[30, 18, 7], width, seed);
        let thin = sparse(&data);
        for ((name, one), (_, other)) in all(&data, seed).into_iter().zip(all(&thin, seed)) {
            let (one, other) = (one.unwrap(), other.unwrap());
            prop_assert_eq!(&one.keep, &other.keep, "{}", name);
            prop_assert_eq!(one.added.is_some(), other.added.is_some());
            if let (Some(one), Some(other)) = (one.added, other.added) {
                prop_assert!(matches!(other.samples, Samples::Sparse(_)));
                prop_assert_eq!(one.codes, other.codes);
                prop_assert_eq!(dense_rows(&one.samples), dense_rows(&other.samples));
            }
            prop_assert_eq!(one.facts, other.facts);
        }
    }
}

#[test]
fn originals_come_first_and_are_not_changed() {
    let data = clouds(&[40, 9], 3, 5);
    let edit = SmoteParams::default().edit(&data).unwrap();
    let after = edit.apply(&data).unwrap();
    let first: Vec<usize> = (0..data.n_rows()).collect();
    assert_eq!(after.select(&first).samples(), data.samples());
    assert_eq!(after.n_rows(), 80);
}

#[test]
fn neither_threads_nor_repetition_change_an_edit_but_the_seed_does() {
    let data = clouds(&[700, 150, 60], 3, 11);
    let with_threads = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build().unwrap().install(|| all(&data, 3))
    };
    let (one, four) = (with_threads(1), with_threads(4));
    assert_eq!(one, four);
    let other = all(&data, 4);
    for i in 0..5 {
        assert_ne!(one[i].1, other[i].1, "{}", one[i].0);
    }
    assert_eq!(one[5..], other[5..]);
}

#[test]
fn borderline_rows_start_in_danger() {
    // Rare rows at 0 to 5 (safe), one at 10 in danger beside the others, one at 30 that is noise.
    let mut values = vec![0.0, 0.1, 0.2, 0.3, 0.4, 10.0, 30.0];
    let mut labels = vec![1.0; 7];
    values.extend((0..4).map(|i| 10.5 + 0.1 * f64::from(i)));
    values.extend((0..20).map(|i| 29.0 + 0.1 * f64::from(i) + 0.05));
    labels.resize(values.len(), 0.0);
    let data = labelled(Samples::dense(values.len(), 1, values).unwrap(), &labels);
    let params = BorderlineSmoteParams::default().with_danger_neighbours(6);
    let edit = params.edit(&data).unwrap();
    assert_eq!(edit.facts, [("rows_in_danger", 1.0)]);
    let added = edit.added.unwrap();
    assert_eq!(added.codes.len(), 24 - 7);
    assert!(added.samples.view().row(0).values()[0] <= 10.0);
    let second = params.with_kind(2).edit(&data).unwrap().added.unwrap();
    // Half of the way to the farthest of the others around is the end.
    for row in dense_rows(&second.samples) {
        assert!(row[0] < 10.4 + 1e-12, "{row:?}");
    }
}

#[test]
fn a_class_of_one_row_cannot_grow() {
    let data = clouds(&[12, 1], 2, 8);
    let mut refused = 0;
    for (name, edit) in all(&data, 0) {
        match edit {
            Ok(edit) => {
                assert!(edit.vanished(data.classes().unwrap()).is_empty() || name.contains("Both"));
            }
            Err(Error::TooFewRows {
                needed,
                found,
                class,
            }) => {
                assert_eq!((needed, found, class.as_str()), (2, 1, "1"));
                refused += 1;
            }
            Err(other) => panic!("{name}: {other}"),
        }
    }
    assert_eq!(refused, 4);
    // It need not grow if it is large enough already.
    let params = SmoteParams::default().with_ratio(1.0 / 12.0);
    assert!(params.edit(&data).unwrap().added.is_none());
}

#[test]
fn one_class_stays_as_it_is() {
    for size in [1, 2, 9] {
        let data = clouds(&[size], 2, 1);
        for (name, edit) in all(&data, 0) {
            let edit = edit.unwrap();
            assert!(edit.keep.iter().all(|&kept| kept), "{name}");
            assert!(edit.added.is_none(), "{name}");
        }
    }
}

#[test]
fn equal_rows_are_no_obstacle() {
    let labels: Vec<f64> = (0..30).map(|i| f64::from(i % 5 == 0)).collect();
    for width in [0, 3] {
        let samples = Samples::dense(30, width, vec![2.5; 30 * width]).unwrap();
        let data = labelled(samples, &labels);
        for (name, edit) in all(&data, 0) {
            let edit = edit.unwrap();
            let after = edit.apply(&data).unwrap();
            assert!(!after.classes().unwrap().counts().contains(&0), "{name}");
            let rows = dense_rows(after.samples());
            assert!(rows.iter().flatten().all(|&value| value == 2.5), "{name}");
        }
    }
}

#[test]
fn bad_input_is_named() {
    let empty = labelled(Samples::dense(0, 2, Vec::new()).unwrap(), &[]);
    for (name, edit) in all(&empty, 0) {
        assert_eq!(edit, Err(Error::NoRows), "{name}");
    }
    let real = Samples::dense(2, 1, vec![1.0, 2.0]).unwrap();
    let real = Dataset::new(real, Target::Real(vec![0.5, 1.5])).unwrap();
    for (name, edit) in all(&real, 0) {
        assert!(matches!(edit, Err(Error::Target { .. })), "{name}");
    }
    let data = clouds(&[5, 3], 2, 1);
    for ratio in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(RusParams::default().with_ratio(ratio).edit(&data).is_err());
        assert!(
            SmoteParams::default()
                .with_ratio(ratio)
                .edit(&data)
                .is_err()
        );
    }
    assert!(SmoteParams::default().with_ratio(1.5).edit(&data).is_err());
    assert!(
        SmoteParams::default()
            .with_neighbours(0)
            .edit(&data)
            .is_err()
    );
    assert!(
        NearMissParams::default()
            .with_version(4)
            .edit(&data)
            .is_err()
    );
    assert!(
        BorderlineSmoteParams::default()
            .with_kind(3)
            .edit(&data)
            .is_err()
    );
}
