//! What the LIBSVM reader accepts and what it makes of it.
#![allow(clippy::unwrap_used)] // Also in the helpers outside test functions.

use crate::common;

use common::{read, source, table};
use hedgerow::data::{ClassName, Samples, Target};
use hedgerow_io::{ReadOptions, Storage, TargetKind, read_dataset};

#[test]
fn plain_rows() {
    let loaded = read("a.svm", "+1 1:0.5 3:-2e1\n-1 2:.25\n").unwrap();
    assert_eq!(
        table(loaded.dataset.samples()),
        vec![vec![0.5, 0.0, -20.0], vec![0.0, 0.25, 0.0]]
    );
    let classes = loaded.dataset.classes().unwrap();
    assert_eq!(
        classes.names(),
        [ClassName::Number(1.0), ClassName::Number(-1.0)]
    );
    assert_eq!(classes.codes(), [0, 1]);
    assert!(!loaded.precomputed);
    assert!(loaded.query_ids.is_none() && loaded.lines.is_none() && loaded.encoding.is_none());
}

#[test]
fn comments_blank_lines_crlf_mark_and_missing_last_line_end() {
    let text = "\u{feff}# head\r\n\r\n 1 1:1 2:2 # tail 3:x\r\n   \n2\t1:3\t2:4#x\r\n3 1:5";
    let loaded = read("a.svm", text).unwrap();
    assert_eq!(
        table(loaded.dataset.samples()),
        vec![vec![1.0, 2.0], vec![3.0, 4.0], vec![5.0, 0.0]]
    );
}

#[test]
fn unsorted_indices_are_sorted_and_zeros_dropped() {
    let options = ReadOptions::default().with_storage(Storage::Sparse);
    let loaded = read_dataset(&source("a.svm", "1 9:1 3:0 2:5 7:0\n2 4:0\n"), &options).unwrap();
    let Samples::Sparse(matrix) = loaded.dataset.samples() else {
        panic!("asked for sparse storage");
    };
    assert_eq!(matrix.n_entries(), 2);
    assert_eq!(loaded.dataset.n_features(), 9);
    let rows = table(loaded.dataset.samples());
    assert_eq!((rows[0][1], rows[0][8]), (5.0, 1.0));
}

#[test]
fn an_explicit_zero_counts_as_a_feature() {
    assert_eq!(
        read("a.svm", "1 1:1 5:0\n").unwrap().dataset.n_features(),
        5
    );
    assert_eq!(
        read("a.svm", "1 5:0 1:1\n").unwrap().dataset.n_features(),
        5
    );
}

#[test]
fn rows_without_features() {
    let loaded = read("a.svm", "1\n2 1:1 # x\n3 # y\n").unwrap();
    assert_eq!(
        table(loaded.dataset.samples()),
        vec![vec![0.0], vec![1.0], vec![0.0]]
    );
}

#[test]
fn text_labels_and_mixed_labels() {
    let loaded = read(
        "a.svm",
        "setosa 1:1\n2 1:1\nübel 1:1\nsetosa 1:2\n2.0 1:1\n",
    )
    .unwrap();
    let classes = loaded.dataset.classes().unwrap();
    assert_eq!(
        classes.names(),
        [
            ClassName::Text("setosa".into()),
            ClassName::Number(2.0),
            ClassName::Text("übel".into())
        ]
    );
    assert_eq!(classes.codes(), [0, 1, 2, 0, 1]);
}

#[test]
fn target_kinds() {
    let text = "1 1:1\n2 1:1\n";
    let kind = |text: &str, kind| {
        let options = ReadOptions::default().with_target(kind);
        let loaded = read_dataset(&source("a.svm", text), &options).unwrap();
        loaded.dataset.target().clone()
    };
    assert!(matches!(kind(text, TargetKind::Auto), Target::Classes(_)));
    assert_eq!(kind(text, TargetKind::Real), Target::Real(vec![1.0, 2.0]));
    assert_eq!(kind("1.5 1:1\n", TargetKind::Auto), Target::Real(vec![1.5]));
    assert!(matches!(
        kind("1.5 1:1\n", TargetKind::Classes),
        Target::Classes(_)
    ));
    assert_eq!(
        kind("nonsense,1 1:1\n3:4\n", TargetKind::None),
        Target::None
    );
}

#[test]
fn query_ids_are_kept() {
    let loaded = read(
        "a.svm",
        "1 1:1\n2 qid:7 1:2\n3 1:1\n1 2:1 qid:18446744073709551615 1:3\n",
    )
    .unwrap();
    assert_eq!(loaded.query_ids, Some(vec![0, 7, 0, u64::MAX]));
    assert_eq!(table(loaded.dataset.samples())[3], vec![3.0, 1.0]);
}

#[test]
fn a_precomputed_kernel_is_recognised() {
    let loaded = read("k.svm", "1 0:1 1:4 2:6\n-1 0:2 1:6 2:9\n").unwrap();
    assert!(loaded.precomputed);
    assert_eq!(
        table(loaded.dataset.samples()),
        vec![vec![1.0, 4.0, 6.0], vec![2.0, 6.0, 9.0]]
    );
}

#[test]
fn the_largest_index_is_accepted() {
    let loaded = read("a.svm", "1 2147483648:1\n").unwrap();
    assert_eq!(loaded.dataset.n_features(), 1 << 31);
}

#[test]
fn a_least_number_of_features() {
    let options = ReadOptions::default().with_min_features(6);
    let loaded = read_dataset(&source("a.svm", "1 2:1\n"), &options).unwrap();
    assert_eq!(loaded.dataset.n_features(), 6);
}

#[test]
fn storage_follows_density() {
    let dense = read("a.svm", "1 1:1 2:1\n2 1:1\n").unwrap();
    assert!(matches!(dense.dataset.samples(), Samples::Dense(_)));
    let sparse = read("a.svm", "1 1:1 4:1\n2 2:1\n").unwrap();
    assert!(matches!(sparse.dataset.samples(), Samples::Sparse(_)));
}

#[test]
fn a_line_of_a_megabyte() {
    use std::fmt::Write;
    let mut text = "1".to_owned();
    for index in 1..120_000 {
        write!(text, " {index}:0.5").unwrap();
    }
    assert!(text.len() > 1_000_000);
    let loaded = read("a.svm", text).unwrap();
    assert_eq!(loaded.dataset.n_features(), 119_999);
    assert_eq!(loaded.dataset.samples().view().n_entries(), 119_999);
}

#[test]
fn rows_wider_than_wanted_stay_sparse_however_full_they_are() {
    let text = "1 1:1 2:2 3:3\n-1 1:4 2:5 3:6\n";
    let read = |options: &ReadOptions| {
        let loaded = read_dataset(&source("a.svm", text), options).unwrap();
        loaded.dataset.samples().clone()
    };
    for storage in [Storage::Auto, Storage::Dense] {
        let options = ReadOptions::default().with_storage(storage);
        assert!(matches!(read(&options), Samples::Dense(_)));
        let same = options.clone().with_dense_up_to(Some(3));
        assert!(matches!(read(&same), Samples::Dense(_)));
        let narrow = options.with_dense_up_to(Some(2));
        let samples = read(&narrow);
        assert!(matches!(samples, Samples::Sparse(_)));
        assert_eq!(
            table(&samples),
            vec![vec![1.0, 2.0, 3.0], vec![4.0, 5.0, 6.0]]
        );
    }
}
