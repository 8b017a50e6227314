//! Columns that are not read as their cells suggest.
#![allow(clippy::unwrap_used)] // Also in the helpers outside test functions.

use crate::common;

use common::{message, source, table};
use hedgerow_io::{
    ColumnKind, ColumnRule, ColumnRules, Encoding, LoadedData, Missing, ReadOptions, TargetKind,
    Unseen, Warning, read_dataset,
};

const TEXT: &str =
    "zip,size,level,id,y\n10,1.5,f 50-99,q1,1\n9,2,f 1-49,q2,0\n10,3,f 100-199,q3,1\n";

fn rules(lists: &[(ColumnRule, &str)]) -> ReadOptions {
    let add = |rules: ColumnRules, &(rule, columns): &(ColumnRule, &str)| rules.with(rule, columns);
    let rules = lists.iter().fold(ColumnRules::default(), add);
    ReadOptions::default()
        .with_columns(rules)
        .with_target(TargetKind::Classes)
}

fn read(text: &str, options: &ReadOptions) -> LoadedData {
    read_dataset(&source("t.csv", text), options).unwrap()
}

fn kinds(encoding: &Encoding) -> Vec<(&str, &str)> {
    let columns = encoding.columns.iter();
    columns.map(|c| (c.name.as_str(), c.kind.name())).collect()
}

#[test]
fn each_rule_reads_its_columns() {
    let options = rules(&[
        (ColumnRule::Nominal, "zip"),
        (ColumnRule::Coded, "3"),
        (ColumnRule::Dropped, "id"),
    ]);
    let loaded = read(TEXT, &options);
    assert_eq!(
        loaded.dataset.feature_names().unwrap(),
        ["zip=10", "zip=9", "size", "level"]
    );
    assert_eq!(
        table(loaded.dataset.samples()),
        vec![
            vec![1.0, 0.0, 1.5, 1.0],
            vec![0.0, 1.0, 2.0, 0.0],
            vec![1.0, 0.0, 3.0, 2.0]
        ]
    );
    let encoding = loaded.encoding.unwrap();
    assert_eq!(
        kinds(&encoding),
        [
            ("zip", "nominal"),
            ("size", "numeric"),
            ("level", "coded"),
            ("id", "dropped")
        ]
    );
    assert!(!encoding.is_plain() && encoding.target_coded().is_empty());
    // A later table is read alike: columns elsewhere, the dropped one there or not.
    let later = "level,y,size,zip,id\nf 100-199,1,7,9,new\nf 7,0,8,11,\n";
    for text in [later, "level,y,size,zip\nf 100-199,1,7,9\nf 7,0,8,11\n"] {
        let again = read(
            text,
            &ReadOptions::default().with_encoding(encoding.clone()),
        );
        assert_eq!(
            table(again.dataset.samples()),
            // Unknown: no indicator; the most frequent code, here the first of equals.
            vec![vec![0.0, 1.0, 7.0, 2.0], vec![0.0, 0.0, 8.0, 0.0]]
        );
        let unseen = |column: &str| Warning::UnseenCategories {
            column: column.into(),
            count: 1,
        };
        assert_eq!(again.warnings, [unseen("zip"), unseen("level")]);
    }
    let strict = ReadOptions::default()
        .with_encoding(encoding)
        .with_unseen(Unseen::Error);
    assert!(message("t.csv", later, &strict).contains("\"11\" does not occur"));
}

#[test]
fn targets_are_not_looked_at_by_the_reader() {
    let options = rules(&[(ColumnRule::TargetCoded, "zip,level")]);
    let loaded = read(TEXT, &options);
    let encoding = loaded.encoding.unwrap();
    // id makes three indicators after level.
    assert_eq!(encoding.target_coded(), [(0, 2), (2, 3)]);
    let rows = table(loaded.dataset.samples());
    assert_eq!([rows[0][0], rows[1][0], rows[2][0]], [0.0, 1.0, 0.0]);
    let again = read(
        "zip,size,level,id,y\n5,1,f 1-49,q1,1\n",
        &ReadOptions::default().with_encoding(encoding),
    );
    assert_eq!(table(again.dataset.samples())[0][0], 2.0);
}

#[test]
fn what_cannot_be_done_is_said() {
    for (lists, expected) in [
        (
            &[(ColumnRule::Nominal, "zap")][..],
            "t.csv: there is no column \"zap\" to be nominal; the header has zip, size, level, id, y",
        ),
        (
            &[(ColumnRule::Coded, "9")],
            "t.csv: there is no column \"9\" to be coded; the header has zip, size, level, id, y",
        ),
        (
            &[(ColumnRule::Dropped, "id..y")],
            "t.csv: column \"y\" is the label and cannot be dropped",
        ),
        (
            &[(ColumnRule::Coded, "zip"), (ColumnRule::TargetCoded, "1")],
            "t.csv: column \"zip\" cannot be coded and target-coded",
        ),
        (
            &[(ColumnRule::Dropped, "1..4")],
            "t.csv: no feature column is left: all are dropped",
        ),
    ] {
        assert_eq!(message("t.csv", TEXT, &rules(lists)), expected);
    }
    let libsvm = message("t.svm", "1 1:2\n", &rules(&[(ColumnRule::Dropped, "1")]));
    assert_eq!(
        libsvm,
        "t.svm: LIBSVM text has no columns: rules for columns need a table (CSV or TSV)"
    );
    let empty = message("t.csv", "", &rules(&[(ColumnRule::Dropped, "1")]));
    assert_eq!(empty, "t.csv: no data rows");
    let bare = message("t.csv", "a,b,y\n", &rules(&[(ColumnRule::Dropped, "1")]));
    assert_eq!(bare, "t.csv: no data rows");
}

#[test]
fn a_column_of_gaps_is_no_trouble() {
    let text = "a,b,y\n,1,0\n?,2,1\nNA,3,0\n";
    let gap = message("t.csv", text, &rules(&[(ColumnRule::Nominal, "a")]));
    assert!(
        gap.starts_with("t.csv, line 2, column \"a\": the value is missing"),
        "{gap}"
    );
    // Dropped, its gaps do not matter.
    let dropped = read(text, &rules(&[(ColumnRule::Dropped, "a")]));
    assert_eq!(dropped.dataset.n_features(), 1);
    for (rule, features) in [
        (ColumnRule::Nominal, 1),
        (ColumnRule::Coded, 2),
        (ColumnRule::TargetCoded, 2),
    ] {
        let options = rules(&[(rule, "a")]).with_missing(Missing::MeanMode);
        let loaded = read(text, &options);
        assert_eq!(loaded.dataset.n_features(), features);
        let empty = Warning::EmptyColumn { column: "a".into() };
        assert_eq!(loaded.warnings, [empty], "{rule:?}");
    }
}

#[test]
fn gaps_are_filled_by_the_most_frequent_category() {
    let text = "a,b,y\n7,1,0\n,1,1\n12,2,0\n12,3,1\n";
    for (rule, expected) in [(ColumnRule::Coded, 1.0), (ColumnRule::TargetCoded, 0.0)] {
        let options = rules(&[(rule, "a")]).with_missing(Missing::MeanMode);
        let loaded = read(text, &options);
        // By value 7 is before 12, by text behind it.
        assert_eq!(table(loaded.dataset.samples())[1][0], expected, "{rule:?}");
    }
}

#[test]
fn a_hundred_thousand_categories_are_read() {
    let rows = (0..100_000)
        .map(|i| format!("{},{},{}\n", 500_000 - i, i % 3, i % 2))
        .collect::<Vec<String>>()
        .concat();
    let text = format!("id,x,y\n{rows}");
    let loaded = read(&text, &rules(&[(ColumnRule::Nominal, "id")]));
    assert_eq!(loaded.dataset.n_features(), 100_001);
    assert!(matches!(
        loaded.dataset.samples(),
        hedgerow::data::Samples::Sparse(_)
    ));
    let loaded = read(&text, &rules(&[(ColumnRule::TargetCoded, "id")]));
    assert_eq!(loaded.encoding.unwrap().target_coded(), [(0, 100_000)]);
    let loaded = read(&text, &rules(&[(ColumnRule::Coded, "id")]));
    let encoding = loaded.encoding.unwrap();
    let ColumnKind::Coded { categories, .. } = &encoding.columns[0].kind else {
        panic!("{:?}", encoding.columns[0].kind.name());
    };
    assert_eq!(
        (categories[0].as_str(), categories.len()),
        ("400001", 100_000)
    );
}
