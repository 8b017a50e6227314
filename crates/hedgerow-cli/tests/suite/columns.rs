//! Columns that are not read as their cells suggest, and rows that repeat others.

use crate::common::{Folder, noise};
use serde_json::Value;

/// Rows whose class depends on a code of a shop and on a size.
fn write_shops(folder: &Folder, name: &str, from: usize, rows: usize) {
    let line = |i: usize| {
        let shop = (i * 7) % 12;
        let size = noise(i);
        let is_bad = noise(i + 5000) < if shop.is_multiple_of(3) { 0.6 } else { -0.9 };
        let grade = ["a 1", "a 2", "a 10"][i % 3];
        let class = if is_bad { "bad" } else { "good" };
        format!("{},{size},{grade},{i},{class}\n", 100 + shop)
    };
    let lines: String = (from..from + rows).map(line).collect();
    folder.write(name, format!("shop,size,grade,id,y\n{lines}"));
}

fn shops(name: &str) -> Folder {
    let folder = Folder::new(name);
    write_shops(&folder, "a.csv", 0, 300);
    write_shops(&folder, "b.csv", 300, 200);
    folder
}

fn auc(told: &Value) -> f64 {
    told["metrics"]["auc"].as_f64().expect("two classes")
}

#[test]
fn rules_are_kept_in_the_model() {
    let folder = shops("columns");
    for (rules, features, told) in [
        (
            "--nominal shop --coded grade --drop id",
            14,
            "shop (nominal, 12 categories), grade (coded, 3 categories), id (dropped)",
        ),
        (
            "--nominal 1 --coded 3 --drop 4",
            14,
            "shop (nominal, 12 categories), grade (coded, 3 categories), id (dropped)",
        ),
        (
            "--target-coded shop,grade --drop id",
            3,
            "shop (target-coded, 12 categories), grade (target-coded, 3 categories), id (dropped)",
        ),
        ("--drop shop..id --drop grade --nominal id", 0, ""),
    ] {
        let line = format!("train logistic --scale standard {rules} a.csv m");
        if features == 0 {
            folder.fails(
                &line,
                1,
                "error: a.csv: column \"id\" cannot be nominal and dropped",
            );
            continue;
        }
        folder.ok(&line);
        let facts = folder.json("inspect m");
        assert_eq!(facts["columns"], told);
        assert_eq!(facts["features"], features);
        let answer = folder.json("predict b.csv m out");
        // The size says nothing: all comes from the shops.
        assert!(auc(&answer) > 0.75, "{rules}: {answer}");
        // The dropped column need not be there.
        let without = folder
            .read("b.csv")
            .lines()
            .map(|line| {
                let cells: Vec<&str> = line.split(',').collect();
                format!("{},{},{},{}\n", cells[4], cells[2], cells[0], cells[1])
            })
            .collect::<Vec<String>>()
            .concat();
        folder.write("other.csv", without);
        let run = folder.ok("predict other.csv m out2");
        assert_eq!(
            (folder.read("out"), run.err.as_str()),
            (folder.read("out2"), "")
        );
    }
}

#[test]
fn codes_by_targets_are_fitted_inside_the_folds() {
    let folder = shops("target-coded");
    // An id that training may not learn by heart: fitted to all rows it would tell the class.
    let line = "--drop shop,grade,size --target-coded id --target-smoothing 0";
    let told = folder.json(&format!("cv logistic {line} a.csv"));
    let mean = told["metrics"]["auc"]["mean"]
        .as_f64()
        .expect("two classes");
    assert!((mean - 0.5).abs() < 1e-9, "{told}");
    let told = folder.json("cv logistic --target-coded shop --drop id,grade a.csv");
    assert!(
        told["metrics"]["auc"]["mean"].as_f64() > Some(0.75),
        "{told}"
    );
    let told = folder.json(
        "tune logistic --grid cost=0.1,1 --metric auc --target-coded shop --drop id,grade a.csv m",
    );
    assert!(told["best"]["mean"].as_f64() > Some(0.75), "{told}");
    assert_eq!(folder.json("inspect m")["target_smoothing"], 10.0);
    // The same bytes however many threads there are.
    folder.ok("train svm --target-coded shop --drop id --threads 1 a.csv m1");
    folder.ok("train svm --target-coded shop --drop id --threads 3 a.csv m2");
    assert_eq!(folder.bytes("m1"), folder.bytes("m2"));
}

#[test]
fn a_shop_that_training_did_not_have_gets_the_overall_share() {
    let folder = Folder::new("unseen-shop");
    folder.write(
        "a.csv",
        "shop,y\nu,1\nu,1\nv,0\nv,0\nv,0\nu,1\nw,0\nw,1\nw,0\nu,0\n",
    );
    folder.write("b.csv", "shop\nz\n");
    folder.ok("train logistic --target-coded shop a.csv m");
    let run = folder.ok("predict --label none -b 1 b.csv m out");
    assert!(
        run.err.contains("categories unknown to the training data"),
        "{}",
        run.err
    );
    folder.fails(
        "predict --label none --refuse-unseen b.csv m out3",
        1,
        "error: b.csv, line 2, column \"shop\": category \"z\" does not occur in the training data; accept it as all zeros (unseen = zeros) or remove the row",
    );
}

#[test]
fn several_classes_and_values_are_coded_too() {
    let folder = Folder::new("coded-classes");
    let rows = (0..90)
        .map(|i| {
            format!(
                "{},{},{},{}\n",
                i % 9,
                noise(i),
                i % 3,
                f64::from(i as u32 % 9) + noise(i)
            )
        })
        .collect::<Vec<String>>()
        .concat();
    folder.write("a.csv", format!("code,x,class,value\n{rows}"));
    folder.ok("train logistic --target-coded code --drop value a.csv m");
    let facts = folder.json("inspect m");
    assert_eq!(facts["features"], 4, "{facts}");
    let told = folder.json("predict a.csv m out");
    assert!(told["metrics"]["accuracy"].as_f64() > Some(0.9), "{told}");
    let told = folder.json("cv svr --target-coded code --drop class --label value a.csv");
    let error = told["metrics"]["mean_squared_error"]["mean"].as_f64();
    assert!(error < Some(2.0), "{told}");
}

#[test]
fn other_commands_take_the_rules_too() {
    let folder = shops("rules-elsewhere");
    let told = folder.json("select maxrel --target-coded shop --coded grade --drop id a.csv r.csv");
    // The grade goes with the shop; the size says nothing.
    assert_eq!(told["ranking"][2]["name"], "size", "{told}");
    let told = folder.json("select maxrel --nominal shop --drop id,grade a.csv r.csv");
    assert_eq!(told["features"], 13);
    let told = folder.json("clean enn --target-coded shop --drop id,grade a.csv kept.csv");
    assert!(told["removed"].as_u64() > Some(0), "{told}");
    assert_eq!(
        folder.read("kept.csv").lines().next(),
        Some("shop,size,grade,id,y")
    );
    assert_eq!(
        folder.json("inspect --nominal shop --drop id,grade a.csv")["features"],
        13
    );
    folder.ok("scale --drop id,grade --nominal shop a.csv scaled.csv");
    assert!(folder.read("scaled.csv").starts_with("shop=100,"));
    folder.ok("train falk-svm -K 50 --target-coded shop --drop id,grade a.csv m");
    let told = folder.json("update --add b.csv m m2");
    assert_eq!(told["added"], 200);
    for (line, message) in [
        (
            "select maxrel --curve --target-coded shop a.csv r2.csv",
            "error: --target-coded: the curve would be judged by rows whose targets the codes know; leave --curve out",
        ),
        (
            "scale --target-coded shop a.csv s2.csv",
            "error: --target-coded: the codes belong to a model: give the option to train",
        ),
        (
            "tune falk-svm --target-coded shop a.csv",
            "error: --target-coded: neighbourhoods are compared in rows whose codes know all targets; add --ordinary",
        ),
        (
            "train svm --target-coded shop --target-smoothing -1 a.csv m3",
            "error: --target-smoothing -1: must be a finite number not less than 0",
        ),
    ] {
        folder.fails(line, 2, message);
    }
    folder.fails(
        "resample smote --coded grade --drop id,shop a.csv more.csv",
        1,
        "error: a.csv: smote makes rows between others, and there is nothing between two categories: leave columns that are not numbers out of the file, or use rus",
    );
    folder.fails(
        "train svm --libsvm-model --drop id,grade a.csv m3",
        1,
        "error: the model cannot be written as LIBSVM model text: it has no place for the encoding of columns that are not numbers",
    );
}

#[test]
fn what_columns_cannot_be_is_said() {
    let folder = shops("column-errors");
    folder.write("empty.csv", "");
    folder.write("d.svm", "1 1:2\n-1 1:3\n");
    for (line, message) in [
        (
            "train svm --nominal store a.csv m",
            "error: a.csv: there is no column \"store\" to be nominal; the header has shop, size, grade, id, y",
        ),
        (
            "train svm --drop y a.csv m",
            "error: a.csv: column \"y\" is the label and cannot be dropped",
        ),
        (
            "train svm --label shop --target-coded shop a.csv m",
            "error: a.csv: column \"shop\" is the label and cannot be target-coded",
        ),
        (
            "train svm --drop 1..4 a.csv m",
            "error: a.csv: no feature column is left: all are dropped",
        ),
        (
            "train svm --drop 1 empty.csv m",
            "error: empty.csv: no data rows",
        ),
        (
            "train svm --drop 1 d.svm m",
            "error: d.svm: LIBSVM text has no columns: rules for columns need a table (CSV or TSV)",
        ),
    ] {
        folder.fails(line, 1, message);
    }
    // A single class has codes too, all alike, but there is nothing to tell apart.
    folder.write("one.csv", "c,x,y\na,1,5\nb,2,5\n");
    folder.fails(
        "train logistic --target-coded c one.csv m",
        1,
        "error: one.csv: all 2 rows are of class 5: to tell classes apart rows of at least two are needed (one-class learns from rows of one)",
    );
}

#[test]
fn rows_that_repeat_others_are_left_out() {
    let folder = Folder::new("unique");
    let rows = (0..40)
        .map(|i| format!("{},{},{}\n", i % 10, noise(i % 20), (i % 20) / 10))
        .collect::<Vec<String>>()
        .concat();
    folder.write("a.csv", format!("a,b,y\n{rows}0,{},1\n", noise(0)));
    let told = folder.json("train svm --unique a.csv m");
    assert_eq!(told["rows"], 21);
    assert_eq!(told["repeats"]["removed"], 20);
    assert_eq!(told["repeats"]["contradictions"], 1);
    assert_eq!(told["repeats"]["contradicting_rows"], 2);
    assert_eq!(folder.json("train svm a.csv m")["repeats"], Value::Null);
    let run = folder.ok("train svm --unique a.csv m");
    assert!(
        run.out
            .starts_with("a.csv: 20 of 41 rows repeat others and are left out\n")
    );
    assert!(run.err.contains("warning: a.csv: 2 rows stay that have the features of others but another target, in 1 groups"));
    for line in [
        "cv svm --unique -v 2 a.csv",
        "tune svm --grid cost=1,2 --unique -v 2 a.csv",
    ] {
        assert_eq!(folder.json(line)["repeats"]["removed"], 20, "{line}");
    }
    // What is dropped does not tell rows apart.
    let told = folder.json("train svm --unique --drop b a.csv m");
    assert_eq!(told["rows"], 20, "{told}");
    folder.write("d.svm", "1 1:2\n1 1:2 2:0\n-1 1:2\n-1 2:1\n");
    assert_eq!(folder.json("train svm --unique d.svm m")["rows"], 3);
    let run = folder.run("train svm --unique -W w d.svm m");
    assert_eq!(run.code, 2, "{}", run.err);
}
