//! Every complaint of the LIBSVM reader, word for word.

use crate::common;

use common::message;
use hedgerow_io::{ReadOptions, TargetKind};

fn check(text: impl AsRef<[u8]>, expected: &str) {
    assert_eq!(message("x.svm", text, &ReadOptions::default()), expected);
}

#[test]
fn nothing_to_read() {
    check("", "x.svm: no data rows");
    check("# only\n\n  # comments", "x.svm: no data rows");
}

#[test]
fn labels() {
    check(
        "1 1:1\n1:2 2:3\n",
        "x.svm, line 2, column 1: the label is missing: the line starts with a feature",
    );
    check(
        "1,3 1:1\n",
        "x.svm, line 1, column 1: label \"1,3\": lines with several labels are not supported; give each row one label",
    );
    check(
        "nan 1:1\n",
        "x.svm, line 1, column 1: label \"nan\" is not finite",
    );
    check(
        " 1e999 1:1\n",
        "x.svm, line 1, column 2: label \"1e999\" is not finite",
    );
    check(
        b"1 1:1\n\xe9t\xe9 1:1\n",
        "x.svm, line 2, column 1: bytes that are not UTF-8: convert the file to UTF-8",
    );
    check(
        b"\x00\x01\x02 \x03",
        "x.svm, line 1, column 1: label \"\\0\\u{1}\\u{2}\" has control characters: is this a text file?",
    );
    assert_eq!(
        message(
            "x.svm",
            "1.5 1:1\nred 1:1\n",
            &ReadOptions::default().with_target(TargetKind::Real)
        ),
        "x.svm, line 2, column 1: target \"red\" is not a number; for text labels read the file as classes"
    );
}

#[test]
fn indices() {
    check(
        "1 1:1 22\n",
        "x.svm, line 1, column 7: expected index:value, found \"22\"",
    );
    check(
        "1 1:1\n# c\n\n1 a:1\n",
        "x.svm, line 4, column 3: \"a\" is not a feature index (a whole number from 1)",
    );
    check(
        "1 -3:1\n",
        "x.svm, line 1, column 3: \"-3\" is not a feature index (a whole number from 1)",
    );
    check(
        "1 :1\n",
        "x.svm, line 1, column 3: \"\" is not a feature index (a whole number from 1)",
    );
    let zero = "feature index 0: indices start at 1 (only in a precomputed-kernel file every row starts with 0:serial)";
    check(
        "1 1:1\n1 0:1 1:1\n",
        &format!("x.svm, line 2, column 3: {zero}"),
    );
    check(
        "1 0:1 1:1\n1 1:1\n",
        &format!("x.svm, line 1, column 3: {zero}"),
    );
    check(
        "1 0:1 1:1\n1\n",
        &format!("x.svm, line 1, column 3: {zero}"),
    );
    check("1 1:1 0:1\n", &format!("x.svm, line 1, column 7: {zero}"));
    check(
        "1 1:1\n1 0:1 1:1\n1 x\n",
        &format!("x.svm, line 2, column 3: {zero}"),
    );
    check(
        "1 2147483649:1\n",
        "x.svm, line 1, column 3: feature index 2147483649 is above the limit of 2147483648",
    );
    check(
        "1 99999999999999999999999999999999999999999999999999:1\n",
        "x.svm, line 1, column 3: feature index 9999999999999999999999999999999999999999… is above the limit of 2147483648",
    );
    check(
        "1 2:1 2:3\n",
        "x.svm, line 1, column 7: feature index 2 occurs twice in the row",
    );
    check(
        "1 5:0 2:1 5:3\n",
        "x.svm, line 1, column 11: feature index 5 occurs twice in the row",
    );
    check("1 0:1 0:3\n", &format!("x.svm, line 1, column 7: {zero}"));
}

#[test]
fn values() {
    check(
        "1 1:\n",
        "x.svm, line 1, column 5: value \"\" of feature 1 is not a number",
    );
    check(
        "1 1:2x\n",
        "x.svm, line 1, column 5: value \"2x\" of feature 1 is not a number",
    );
    check(
        "1 1:2:3\n",
        "x.svm, line 1, column 5: value \"2:3\" of feature 1 is not a number",
    );
    for word in ["nan", "NaN", "inf", "-Infinity", "1e999", "-1e400"] {
        check(
            format!("1 3:1\n1 7:{word}\n"),
            &format!(
                "x.svm, line 2, column 5: value {word:?} of feature 7 is not a finite double-precision number"
            ),
        );
    }
    check(
        b"1 1:\xe9\n",
        "x.svm, line 1, column 5: value \"\u{fffd}\" of feature 1 is not a number",
    );
}

#[test]
fn query_ids() {
    check(
        "1 qid:x 1:1\n",
        "x.svm, line 1, column 7: query id \"x\" is not a whole number from 0",
    );
    check(
        "1 qid:-1 1:1\n",
        "x.svm, line 1, column 7: query id \"-1\" is not a whole number from 0",
    );
}

#[test]
fn a_file_that_is_not_there() {
    let source = hedgerow_io::Source::from_argument("no/such/file.svm");
    let error = hedgerow_io::read_dataset(&source, &ReadOptions::default()).unwrap_err();
    let text = error.to_string();
    assert!(text.starts_with("cannot read no/such/file.svm: "), "{text}");
}
