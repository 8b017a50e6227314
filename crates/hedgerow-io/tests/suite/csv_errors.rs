//! Every complaint of the table reader, word for word.
#![allow(clippy::unwrap_used)] // Also in the helpers outside test functions.

use crate::common;

use common::{message, read};
use hedgerow_io::{LabelColumn, Missing, ReadOptions, TargetKind, Unseen};

fn check(text: impl AsRef<[u8]>, expected: &str) {
    assert_eq!(message("x.csv", text, &ReadOptions::default()), expected);
}

#[test]
fn nothing_to_read() {
    check("", "x.csv: no data rows");
    check("\n\r\n", "x.csv: no data rows");
    check(" ", "x.csv: no data rows");
    check(" \n\t\na,b,y\n \n", "x.csv: no data rows");
    check("a,b,y\n", "x.csv: no data rows");
}

#[test]
fn shape_of_rows() {
    check(
        "a,b,y\n1,2,3\n\n1,2\n",
        "x.csv, line 4, column 1: the row has 2 cells, the header has 3",
    );
    check(
        "a,y\n1,2,\n",
        "x.csv, line 2, column 1: the row has 3 cells, the header has 2",
    );
    check(
        "a,y\n1,\"2\n",
        "x.csv, line 2, column 3: a quoted cell is not closed",
    );
    check(
        "a,y\n\"1\n2\",3\n\"1\"x,2\n",
        "x.csv, line 4, column 4: text after the closing quote of a cell",
    );
    check(
        "\"a,y\n1,2\n",
        "x.csv, line 1, column 1: a quoted cell is not closed",
    );
}

#[test]
fn cells() {
    let missing =
        "the value is missing; fill gaps by mean and mode (missing = mean-mode) or remove the row";
    check(
        "a,b,y\n1,2,3\n1,?,3\n",
        &format!("x.csv, line 3, column \"b\": {missing}"),
    );
    check(
        "a,b,y\n1,u,3\n1,,3\n,u,3\n",
        &format!("x.csv, line 3, column \"b\": {missing}"),
    );
    check(
        "a,y\n1,0\n2,\n",
        "x.csv, line 3, column \"y\": the target is missing; remove the row, or read the file without a label column",
    );
    check(
        "a,y\n1,0\ninf,1\n",
        "x.csv, line 3, column \"a\": \"inf\" is not a finite double-precision number",
    );
    check(
        "a,y\n1e999,0\n",
        "x.csv, line 2, column \"a\": \"1e999\" is not a finite double-precision number",
    );
    check(
        b"a,y\n1,0\ncaf\xe9,1\n",
        "x.csv, line 3, column \"a\": bytes that are not UTF-8: convert the file to UTF-8",
    );
    check(
        b"caf\xe9,y\n1,0\n",
        "x.csv, line 1, column 1: bytes that are not UTF-8: convert the file to UTF-8",
    );
    assert_eq!(
        message(
            "x.csv",
            "a,y\n1,2\n1,red\n",
            &ReadOptions::default().with_target(TargetKind::Real)
        ),
        "x.csv, line 3, column \"y\": target \"red\" is not a number; for text labels read the file as classes"
    );
    assert_eq!(
        message(
            "x.csv",
            "a,y\n1,2\n1,NA\n",
            &ReadOptions::default().with_missing(Missing::MeanMode)
        ),
        "x.csv, line 3, column \"y\": the target is missing; remove the row, or read the file without a label column"
    );
}

#[test]
fn headers() {
    let label = |label| ReadOptions::default().with_label(label);
    assert_eq!(
        message("x.csv", "a,b\n1,2\n", &label(LabelColumn::Name("z".into()))),
        "x.csv: there is no column \"z\"; the header has a, b"
    );
    for position in [0, 3] {
        assert_eq!(
            message(
                "x.csv",
                "a,b\n1,2\n",
                &label(LabelColumn::Position(position))
            ),
            format!("x.csv: there is no column {position}: positions go from 1 to 2")
        );
    }
    check(
        "a,b,a\n1,2,3\n",
        "x.csv: columns 1 and 3 are both named \"a\"; rename one",
    );
    check(
        "a\n1\n",
        "x.csv: there is no feature column beside the label column \"a\"",
    );
}

#[test]
fn later_tables() {
    let train = read("t.csv", "a,color,class\n1,red,p\n2,blue,q\n").unwrap();
    let options = ReadOptions::default().with_encoding(train.encoding.unwrap());
    assert_eq!(
        message("x.csv", "a,b,c,d,e,f,g,h,i\n1,2,3,4,5,6,7,8,9\n", &options),
        "x.csv: column \"color\" of the training data is missing; the header has a, b, c, d, e, f, g, h, …"
    );
    assert_eq!(
        message("x.csv", "a,color\n1,red\nx,red\n", &options),
        "x.csv, line 3, column \"a\": \"x\" is not a number, and the column was numeric in the training data"
    );
    assert_eq!(
        message(
            "x.csv",
            "a,color\n1,red\n2,green\n",
            &options.with_unseen(Unseen::Error)
        ),
        "x.csv, line 3, column \"color\": category \"green\" does not occur in the training data; accept it as all zeros (unseen = zeros) or remove the row"
    );
}
