//! What the table reader accepts and what it makes of it.
#![allow(clippy::unwrap_used)] // Also in the helpers outside test functions.

use crate::common;

use common::{read, source, table};
use hedgerow::data::{ClassName, Samples, Target};
use hedgerow_io::{
    ColumnKind, DataFormat, LabelColumn, Missing, ReadOptions, TargetKind, Warning, read_dataset,
};

#[test]
fn numbers_with_a_text_label_in_the_last_column() {
    let loaded = read("a.csv", "a,b,kind\n1,2.5,x\n-3,4e1,y\n5,6,x\n").unwrap();
    assert_eq!(
        table(loaded.dataset.samples()),
        vec![vec![1.0, 2.5], vec![-3.0, 40.0], vec![5.0, 6.0]]
    );
    assert_eq!(loaded.dataset.feature_names().unwrap(), ["a", "b"]);
    let classes = loaded.dataset.classes().unwrap();
    assert_eq!(classes.codes(), [0, 1, 0]);
    assert_eq!(classes.names()[1], ClassName::Text("y".into()));
    assert_eq!(loaded.encoding.unwrap().label.as_deref(), Some("kind"));
}

#[test]
fn label_columns() {
    let text = "Class,b,c\n1,2,3\n4,5,6\n";
    let with = |label| {
        let options = ReadOptions::default()
            .with_label(label)
            .with_target(TargetKind::Real);
        let loaded = read_dataset(&source("a.csv", text), &options).unwrap();
        (loaded.dataset.target().clone(), loaded.dataset.n_features())
    };
    assert_eq!(with(LabelColumn::Auto), (Target::Real(vec![1.0, 4.0]), 2));
    assert_eq!(
        with(LabelColumn::Name("b".into())),
        (Target::Real(vec![2.0, 5.0]), 2)
    );
    assert_eq!(
        with(LabelColumn::Position(3)),
        (Target::Real(vec![3.0, 6.0]), 2)
    );
    assert_eq!(with(LabelColumn::None), (Target::None, 3));
}

#[test]
fn nominal_columns_become_indicators() {
    let loaded = read(
        "a.csv",
        "color,size,y\nred,1,0\nblue,2,1\n\"a,b\",3,0\nred,0,1\n",
    )
    .unwrap();
    assert_eq!(
        loaded.dataset.feature_names().unwrap(),
        ["color=a,b", "color=blue", "color=red", "size"]
    );
    assert_eq!(
        table(loaded.dataset.samples()),
        vec![
            vec![0.0, 0.0, 1.0, 1.0],
            vec![0.0, 1.0, 0.0, 2.0],
            vec![1.0, 0.0, 0.0, 3.0],
            vec![0.0, 0.0, 1.0, 0.0],
        ]
    );
}

#[test]
fn separators_quotes_line_ends_and_byte_order_mark() {
    let expected = vec![vec![1.0, 2.0], vec![3.0, 4.0]];
    for (name, text) in [
        ("a.csv", "a,b,y\n1,2,0\n3,4,1"),
        ("a.csv", "\u{feff}a;b;y\r\n1;2;0\r\n\r\n3;4;1\r\n"),
        ("a.csv", "a\tb\ty\n1\t2\t0\n3\t4\t1\n"),
        ("a.tsv", "a\tb\ty\n1\t 2\t0\n3\t4 \t1\n"),
        ("-", "a,b,y\n1,2,0\n3,4,1\n"),
        (
            "a.csv",
            "\"a\",\"b\",\"y\"\n\"1\",\"2\",\"0\"\n\"3\", \"4\" ,\"1\"\n",
        ),
        ("a.csv", "\n\na , b, y\n 1 , 2,0\n3,\t4,1\n"),
    ] {
        let loaded = read(name, text).unwrap();
        assert_eq!(table(loaded.dataset.samples()), expected, "{text:?}");
        assert_eq!(loaded.dataset.feature_names().unwrap(), ["a", "b"]);
        assert_eq!(loaded.encoding.unwrap().label.as_deref(), Some("y"));
    }
}

#[test]
fn any_separator_can_be_asked_for() {
    for (delimiter, text) in [(b'|', "a|b|y\n1|2|0\n"), (b' ', "a b y\n1 2 0\n")] {
        let options = ReadOptions::default().with_delimiter(delimiter);
        let loaded = read_dataset(&source("a.csv", text), &options).unwrap();
        assert_eq!(table(loaded.dataset.samples()), vec![vec![1.0, 2.0]]);
    }
    // A blank line before the header does not mislead the guess.
    let loaded = read("a.csv", "\t\t\t\t\na;b;y\n1;2;0\n").unwrap();
    assert_eq!(table(loaded.dataset.samples()), vec![vec![1.0, 2.0]]);
}

#[test]
fn a_quoted_cell_may_hold_line_ends() {
    let loaded = read("a.csv", "t,y\n\"one\ntwo\",0\n\"say \"\"x\"\"\",1\n").unwrap();
    assert_eq!(
        loaded.dataset.feature_names().unwrap(),
        ["t=one\ntwo", "t=say \"x\""]
    );
}

#[test]
fn gaps_are_filled_by_mean_and_mode() {
    let text = "a,b,y\n1,u,0\n?,v,1\n4,,0\n nan ,v,1\nNA,w,0\n";
    let options = ReadOptions::default().with_missing(Missing::MeanMode);
    let loaded = read_dataset(&source("a.csv", text), &options).unwrap();
    let encoding = loaded.encoding.clone().unwrap();
    assert_eq!(encoding.columns[0].kind, ColumnKind::Numeric { fill: 2.5 });
    assert_eq!(
        encoding.columns[1].kind,
        ColumnKind::Nominal {
            categories: vec!["u".into(), "v".into(), "w".into()],
            fill: 1
        }
    );
    let rows = table(loaded.dataset.samples());
    assert_eq!(rows[1], vec![2.5, 0.0, 1.0, 0.0]);
    assert_eq!(rows[2], vec![4.0, 0.0, 1.0, 0.0]);
    // The stored encoding fills the gaps of later tables without being asked again.
    let options = ReadOptions::default().with_encoding(encoding);
    let later = read_dataset(&source("b.csv", "a,b\n,?\n"), &options).unwrap();
    assert_eq!(
        table(later.dataset.samples()),
        vec![vec![2.5, 0.0, 1.0, 0.0]]
    );
}

#[test]
fn the_mean_of_huge_numbers_is_finite() {
    let options = ReadOptions::default().with_missing(Missing::MeanMode);
    let loaded = read_dataset(&source("a.csv", "a,y\n1e308,0\n1e308,1\n,1\n"), &options).unwrap();
    assert_eq!(table(loaded.dataset.samples())[2], vec![1e308]);
}

#[test]
fn a_quoted_word_is_no_gap() {
    let loaded = read("a.csv", "a,y\n\"NA\",0\n\"?\",1\n").unwrap();
    assert_eq!(loaded.dataset.feature_names().unwrap(), ["a=?", "a=NA"]);
}

#[test]
fn an_empty_column_is_zero_with_a_warning() {
    let options = ReadOptions::default().with_missing(Missing::MeanMode);
    let loaded = read_dataset(&source("a.csv", "a,b,y\n1,,0\n2,?,1\n"), &options).unwrap();
    assert_eq!(
        table(loaded.dataset.samples()),
        vec![vec![1.0, 0.0], vec![2.0, 0.0]]
    );
    assert_eq!(
        loaded.warnings,
        [Warning::EmptyColumn { column: "b".into() }]
    );
    assert_eq!(
        loaded.warnings[0].to_string(),
        "column \"b\" has no value at all and is read as zero"
    );
}

#[test]
fn a_later_table_is_matched_by_names() {
    let train = read("a.csv", "a,color,class\n1,red,p\n2,blue,q\n").unwrap();
    let options = ReadOptions::default().with_encoding(train.encoding.unwrap());
    let test = "class,extra,color,a\nq,9,green,5\np,9,red,6\n";
    let loaded = read_dataset(&source("b.csv", test), &options).unwrap();
    assert_eq!(
        table(loaded.dataset.samples()),
        vec![vec![5.0, 0.0, 0.0], vec![6.0, 0.0, 1.0]]
    );
    assert_eq!(
        loaded.dataset.classes().unwrap().names()[0],
        ClassName::Text("q".into())
    );
    let texts: Vec<String> = loaded.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(
        texts,
        [
            "column \"extra\" is not in the training data and is ignored",
            "column \"color\": 1 cells with categories unknown to the training data"
        ]
    );
    let unlabelled = read_dataset(&source("c.csv", "color,a\nblue,5\n"), &options).unwrap();
    assert_eq!(unlabelled.dataset.target(), &Target::None);
    assert_eq!(
        table(unlabelled.dataset.samples()),
        vec![vec![5.0, 1.0, 0.0]]
    );
    assert!(unlabelled.warnings.is_empty());
}

#[test]
fn numeric_and_mixed_labels() {
    let loaded = read("a.csv", "a,y\n1,+1\n2,-1.0\n3,1\n").unwrap();
    let classes = loaded.dataset.classes().unwrap();
    assert_eq!(
        classes.names(),
        [ClassName::Number(1.0), ClassName::Number(-1.0)]
    );
    assert_eq!(classes.codes(), [0, 1, 0]);
    let loaded = read("a.csv", "a,y\n1,1\n2,x\n3,1.0\n").unwrap();
    let classes = loaded.dataset.classes().unwrap();
    assert_eq!(
        classes.names(),
        [ClassName::Number(1.0), ClassName::Text("x".into())]
    );
    assert_eq!(classes.codes(), [0, 1, 0]);
}

#[test]
fn many_categories_stay_sparse() {
    use std::fmt::Write;
    let mut text = "id,y\n".to_owned();
    for i in 0..300 {
        writeln!(text, "n{i},0").unwrap();
    }
    let loaded = read("a.csv", text).unwrap();
    assert!(matches!(loaded.dataset.samples(), Samples::Sparse(_)));
    assert_eq!(loaded.dataset.samples().view().n_entries(), 300);
}

#[test]
fn formats_are_known_by_ending_and_content() {
    use std::path::Path;
    for (name, format) in [
        ("a.svm", Some(DataFormat::LibSvm)),
        ("d/a.LIBSVM.gz", Some(DataFormat::LibSvm)),
        ("a.csv.zst", Some(DataFormat::Csv)),
        ("a.tsv", Some(DataFormat::Tsv)),
        ("a.txt", None),
        ("a.dat.gz", None),
        ("a", None),
    ] {
        assert_eq!(DataFormat::of_path(Path::new(name)), format, "{name}");
    }
    for (text, format) in [
        ("1 1:2 3:4\n", DataFormat::LibSvm),
        ("# a,b\n\n1,2 1:2\n", DataFormat::LibSvm),
        ("1 qid:3 1:2\n", DataFormat::LibSvm),
        ("7\n", DataFormat::LibSvm),
        ("a,b\n", DataFormat::Csv),
        ("a;b\n", DataFormat::Csv),
        ("a\tb\n", DataFormat::Tsv),
        ("1\t1:2\n", DataFormat::LibSvm),
    ] {
        assert_eq!(DataFormat::of_content(text.as_bytes()), format, "{text:?}");
    }
}
