//! Rows written again byte for byte.
#![allow(clippy::unwrap_used)] // Also in the helpers outside test functions.

use crate::common;

use common::source;
use hedgerow_io::{LineIndex, ReadOptions, read_dataset};

fn lines(name: &str, text: &str) -> LineIndex {
    let options = ReadOptions::default().with_lines();
    read_dataset(&source(name, text), &options)
        .unwrap()
        .lines
        .unwrap()
}

fn kept(index: &LineIndex, keep: &[bool]) -> String {
    let mut out = Vec::new();
    index.write_kept(keep, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn libsvm_lines_stay_untouched() {
    let text = "# head\n+1  1:0.50 # a\r\n\n-1 2:1e0\n# mid\n+1 3:1";
    let index = lines("a.svm", text);
    assert_eq!(index.n_rows(), 3);
    assert_eq!(index.row(0), b"+1  1:0.50 # a\r\n");
    assert_eq!(kept(&index, &[true; 3]), text);
    assert_eq!(
        kept(&index, &[true, false, true]),
        "# head\n+1  1:0.50 # a\r\n\n# mid\n+1 3:1"
    );
    assert_eq!(kept(&index, &[false; 3]), "# head\n\n# mid\n");
    let mut out = Vec::new();
    index.write_rows(&[2, 0, 2], &mut out).unwrap();
    assert_eq!(out, b"+1 3:1\n+1  1:0.50 # a\r\n+1 3:1\n");
}

#[test]
fn table_rows_stay_untouched() {
    let text = "a,y\n 1 ,p\n\n\"2\",\"q\nr\"\n3,p\n";
    let index = lines("a.csv", text);
    assert_eq!(index.n_rows(), 3);
    assert_eq!(kept(&index, &[true; 3]), text);
    assert_eq!(kept(&index, &[true, false, true]), "a,y\n 1 ,p\n\n3,p\n");
    let mut out = Vec::new();
    index.write_rows(&[1], &mut out).unwrap();
    assert_eq!(out, b"a,y\n\"2\",\"q\nr\"\n");
}
