//! What is written reads back identically.
#![allow(clippy::unwrap_used)] // Also in the helpers outside test functions.

use crate::common;

use common::TempDir;
use hedgerow::data::{ClassLabels, ClassName, CsrMatrix, Dataset, Samples, Target};
use hedgerow_io::{
    DataFormat, IoError, LabelColumn, ReadOptions, Source, Storage, TargetKind, read_dataset,
    write_dataset,
};
use proptest::prelude::*;

fn finite() -> impl Strategy<Value = f64> {
    prop_oneof![
        any::<f64>().prop_filter("finite", |value| value.is_finite()),
        (-1000i32..1000).prop_map(f64::from),
        (-100_000i32..100_000).prop_map(|value| f64::from(value) / 1000.0),
    ]
}

/// No -0.0, which a sparse file cannot tell from an absent value.
fn value() -> impl Strategy<Value = f64> {
    prop_oneof![3 => finite().prop_map(|value| value + 0.0), 1 => Just(0.0)]
}

fn target(n_rows: usize, word: &'static str) -> impl Strategy<Value = Target> {
    let text = word.prop_filter("not a number", |text: &String| {
        matches!(ClassName::parse(text), ClassName::Text(_))
            && !["nan", "inf", "infinity"]
                .contains(&text.trim_start_matches(['+', '-']).to_lowercase().as_str())
            && text.parse::<f64>().is_err()
    });
    prop_oneof![
        proptest::collection::vec(finite(), n_rows).prop_map(Target::Real),
        proptest::collection::vec(-3i8..4, n_rows).prop_map(|labels| {
            let labels: Vec<f64> = labels.into_iter().map(f64::from).collect();
            Target::Classes(ClassLabels::from_numbers(&labels))
        }),
        proptest::collection::vec(text, n_rows)
            .prop_map(|labels| Target::Classes(ClassLabels::from_texts(&labels))),
    ]
}

fn dense(word: &'static str) -> impl Strategy<Value = Dataset> {
    (1usize..12, 1usize..6).prop_flat_map(move |(n_rows, n_features)| {
        let values = proptest::collection::vec(value(), n_rows * n_features);
        (values, target(n_rows, word)).prop_map(move |(values, target)| {
            let samples = Samples::dense(n_rows, n_features, values).unwrap();
            Dataset::new(samples, target).unwrap()
        })
    })
}

fn sparse(word: &'static str) -> impl Strategy<Value = Dataset> {
    (1usize..12).prop_flat_map(move |n_rows| {
        let row = proptest::collection::btree_map(0u32..3000, finite(), 0..6);
        let rows = proptest::collection::vec(row, n_rows);
        (rows, target(n_rows, word)).prop_map(|(rows, target)| {
            let (mut starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
            for row in rows {
                for (f, value) in row.into_iter().filter(|(_, value)| *value != 0.0) {
                    indices.push(f);
                    values.push(value);
                }
                starts.push(indices.len());
            }
            let matrix = CsrMatrix::new(3000, starts, indices, values).unwrap();
            Dataset::new(Samples::Sparse(matrix), target).unwrap()
        })
    })
}

fn options(data: &Dataset) -> ReadOptions {
    ReadOptions::default()
        .with_target(match data.target() {
            Target::Real(_) => TargetKind::Real,
            _ => TargetKind::Classes,
        })
        .with_storage(match data.samples() {
            Samples::Dense(_) => Storage::Dense,
            Samples::Sparse(_) => Storage::Sparse,
        })
        .with_min_features(data.n_features())
}

fn round_trip(data: &Dataset, file: &str, format: DataFormat) -> Dataset {
    let directory = TempDir::new();
    let path = directory.file(file);
    write_dataset(data, &path, format).unwrap();
    read_dataset(&Source::Path(path), &options(data))
        .unwrap()
        .dataset
}

proptest! {
    #[test]
    fn libsvm_dense(data in dense("[a-zA-Zäß_./+-]{1,8}")) {
        prop_assert_eq!(round_trip(&data, "a.svm", DataFormat::LibSvm), data);
    }

    #[test]
    fn libsvm_sparse(data in sparse("[a-zA-Z]{1,3}")) {
        prop_assert_eq!(round_trip(&data, "a.svm.gz", DataFormat::LibSvm), data);
    }

    #[test]
    fn csv(data in dense("\\PC{1,8}|[ ,;\t\"\n\r?NA]{1,5}")) {
        let names: Vec<String> = (1..=data.n_features()).map(|f| format!("x{f}")).collect();
        let data = data.with_feature_names(names).unwrap();
        prop_assert_eq!(&round_trip(&data, "a.csv", DataFormat::Csv), &data);
        prop_assert_eq!(&round_trip(&data, "a.tsv.zst", DataFormat::Tsv), &data);
    }

    #[test]
    fn csv_feature_names(
        names in proptest::collection::hash_set("[^ \t\u{0}-\u{1f}][\\PC\n\"]{0,6}z", 3),
        format in prop_oneof![Just(DataFormat::Csv), Just(DataFormat::Tsv)],
    ) {
        let samples = Samples::dense(1, 3, vec![1.0, 2.0, 3.0]).unwrap();
        let data = Dataset::new(samples, Target::None).unwrap();
        let data = data.with_feature_names(names.into_iter().collect()).unwrap();
        let directory = TempDir::new();
        let path = directory.file("names");
        write_dataset(&data, &path, format).unwrap();
        let options = ReadOptions::default().with_format(format).with_label(LabelColumn::None);
        let read = read_dataset(&Source::Path(path), &options).unwrap().dataset;
        prop_assert_eq!(read, data);
    }
}

#[test]
fn labels_that_would_change_are_refused() {
    let directory = TempDir::new();
    let data = |label: &str| {
        let samples = Samples::dense(2, 1, vec![1.0, 2.0]).unwrap();
        let labels = ClassLabels::from_texts(&["fine", label]);
        Dataset::new(samples, Target::Classes(labels)).unwrap()
    };
    let refused = |label: &str, format| {
        let error = write_dataset(&data(label), &directory.file("a"), format).unwrap_err();
        assert!(matches!(error, IoError::NotWritable { row: 2, .. }));
        error.to_string()
    };
    assert_eq!(
        refused("a b", DataFormat::LibSvm),
        "row 2: label \"a b\" cannot stand in a LIBSVM file (empty, or with white space, ',', ':' or '#'); write CSV"
    );
    assert_eq!(
        refused("1e3", DataFormat::LibSvm),
        "row 2: text label \"1e3\" would be read back as a number or as missing; rename the class"
    );
    assert_eq!(
        refused("", DataFormat::Csv),
        "row 2: text label \"\" would be read back as a number or as missing; rename the class"
    );
    refused("-12", DataFormat::Csv);
    assert!(directory.entries().is_empty());
}
