//! Local SVMs from the command line: training, answers, reasons, updates, wrong input.

use crate::common;

use common::Folder;

fn trained(name: &str) -> Folder {
    let folder = Folder::new(name);
    folder.ok("generate checker-b --rows 600 --seed 3 d.svm");
    folder.ok("train falk-svm -K 60 -c 10 d.svm m");
    folder
}

/// Number behind `"name":` in a line of JSON.
fn number(line: &str, name: &str) -> f64 {
    let object: serde_json::Value = serde_json::from_str(line).expect("JSON");
    object[name].as_f64().expect("a number")
}

#[test]
fn a_local_model_is_trained_described_and_asked() {
    let folder = trained("falk-basics");
    let run = folder.run("predict d.svm m out --json");
    assert_eq!(run.code, 0, "{}", run.err);
    let result: serde_json::Value = serde_json::from_str(&run.out).expect("JSON");
    assert!(result["metrics"]["accuracy"].as_f64().expect("accuracy") > 0.85);
    let told = folder.run("inspect m --json");
    assert!(number(&told.out, "centres") >= 20.0, "{}", told.out);
    assert_eq!(number(&told.out, "rows"), 600.0);
    for assign in ["nearest", "centre", "vote --voters 5", "blend --voters 5"] {
        folder.ok(&format!("predict d.svm m out --assign {assign}"));
        assert_eq!(folder.read("out").lines().count(), 600);
    }
}

#[test]
fn threads_do_not_change_the_file() {
    let folder = Folder::new("falk-threads");
    folder.ok("generate checker-b --rows 500 --seed 4 d.svm");
    let models = ["1", "2", "8"].map(|threads| {
        folder.ok(&format!(
            "train falk-svm -K 50 -b 1 d.svm m --threads {threads}"
        ));
        folder.bytes("m")
    });
    assert!(models[0] == models[1] && models[0] == models[2]);
}

#[test]
fn reasons_name_rows_of_the_training_file() {
    let folder = trained("falk-explain");
    folder.ok("predict d.svm m why --explain --top 3");
    let text = folder.read("why");
    assert_eq!(text.lines().count(), 600);
    let mut with_reasons = 0;
    for line in text.lines() {
        let object: serde_json::Value = serde_json::from_str(line).expect("JSON");
        let centre = object["centre_row"].as_u64().expect("a row");
        assert!((1..=600).contains(&centre));
        let reasons = object["influences"].as_array().expect("a list");
        assert!(reasons.len() <= 3);
        with_reasons += usize::from(!reasons.is_empty());
        for reason in reasons {
            assert!((1..=600).contains(&reason["row"].as_u64().expect("a row")));
        }
    }
    assert!(with_reasons > 100, "{with_reasons}");
}

#[test]
fn rows_come_and_go() {
    let folder = trained("falk-update");
    folder.ok("generate checker-b --rows 100 --seed 9 more.svm");
    folder.write("gone", b"1\n600\n17\n");
    let run = folder.run("update --add more.svm --remove gone m m2 --json");
    assert_eq!(run.code, 0, "{}", run.err);
    assert_eq!(number(&run.out, "added"), 100.0);
    assert_eq!(number(&run.out, "removed"), 3.0);
    let told = folder.run("inspect m2 --json");
    assert_eq!(number(&told.out, "rows"), 700.0);
    folder.ok("predict more.svm m2 out");
    // In place, and once more: the rows are gone now.
    let before = folder.bytes("m2");
    let run = folder.run("update --remove gone m2");
    assert_eq!(run.code, 2, "{}", run.err);
    let told = "gone: row 1 is not one that the model still has, or is named twice";
    assert!(run.err.contains(told), "{}", run.err);
    assert!(folder.bytes("m2") == before);
    folder.ok("update --add more.svm --refresh 0 m2");
    assert!(folder.bytes("m2") != before);
}

#[test]
fn local_regression_works_from_files() {
    let folder = Folder::new("falk-svr");
    let lines: Vec<String> = (0..300)
        .map(|i| f64::from(i) / 30.0)
        .map(|x| format!("{} 1:{x}\n", (2.0 * x).sin()))
        .collect();
    folder.write("d.svm", lines.concat().as_bytes());
    folder.ok("train falk-svr -K 40 -c 100 -p 0.01 d.svm m");
    let run = folder.run("predict d.svm m out --json");
    let result: serde_json::Value = serde_json::from_str(&run.out).expect("JSON");
    assert!(
        result["metrics"]["mean_squared_error"]
            .as_f64()
            .expect("an error")
            < 1e-3,
        "{}",
        run.out
    );
}

#[test]
fn wrong_words_and_files_are_refused_with_a_reason() {
    let folder = trained("falk-wrong");
    folder.write_clusters("c.svm", 40);
    folder.ok("train svm c.svm s");
    folder.write("words", b"3\nfour\n");
    folder.write("zero", b"0\n");
    folder.write("empty", b"");
    for (command, code, reason) in [
        ("train falk-svm -K 0 d.svm x", 2, "neighbours = 0"),
        ("train falk-svm -P 1.5 d.svm x", 2, "core = 1.5"),
        ("train falk-svm -k precomputed d.svm x", 1, "precomputed"),
        ("train falk-svm empty x", 1, "empty"),
        ("train falk-svm --libsvm-model d.svm x", 1, "LIBSVM"),
        (
            "predict c.svm s out --assign centre",
            2,
            "no local machines",
        ),
        ("predict c.svm s out --explain", 2, "cannot name reasons"),
        (
            "predict d.svm m out --assign vote --voters 0",
            2,
            "--voters",
        ),
        ("update m", 2, "nothing to do"),
        ("update --add c.svm s", 2, "cannot be updated"),
        ("update --remove words m", 2, "line 2"),
        ("update --remove zero m", 2, "line 1"),
        ("update --add missing m", 1, "missing"),
        ("update --add more --refresh -1 m", 1, "more"),
        ("update --remove gone m", 1, "gone"),
    ] {
        let run = folder.run(command);
        assert_eq!(run.code, code, "{command}: {}", run.err);
        assert!(run.err.contains(reason), "{command}: {}", run.err);
        assert!(!folder.has("x"), "{command}");
    }
}

#[test]
fn hostile_values_do_not_break_neighbourhoods() {
    let folder = Folder::new("falk-hostile");
    let mut copies = String::new();
    for i in 0..200 {
        copies.push_str(if i % 2 == 0 {
            "1 1:0.5 2:0.5\n"
        } else {
            "-1 1:0.5 2:0.5\n"
        });
    }
    folder.write("copies.svm", copies.as_bytes());
    folder.ok("train falk-svm -K 20 copies.svm m");
    folder.ok("predict copies.svm m out");
    folder.write("one.svm", b"1 1:3\n");
    folder.fails(
        "train falk-svm one.svm m",
        1,
        "error: one.svm: all 1 rows are of class 1: to tell classes apart rows of at least two are needed (one-class learns from rows of one)",
    );
    folder.write("huge.svm", b"1 1:1e308\n-1 1:-1e308\n1 1:1e307\n-1 1:0\n");
    let run = folder.run("train falk-svm -K 3 huge.svm m");
    assert!(
        run.code == 0 || run.err.starts_with("error: "),
        "{}",
        run.err
    );
    let far: Vec<String> = (0..120)
        .map(|i| {
            let x = 1e6 + f64::from(i % 12) / 12.0;
            let y = 1e6 + f64::from(i / 12) / 10.0;
            let class = if (i / 6) % 2 == 0 { 1 } else { -1 };
            format!("{class} 1:{x} 2:{y}\n")
        })
        .collect();
    folder.write("far.svm", far.concat().as_bytes());
    folder.ok("train falk-svm -K 30 -c 100 -g 50 far.svm m");
    let run = folder.run("predict far.svm m out --json");
    let result: serde_json::Value = serde_json::from_str(&run.out).expect("JSON");
    assert!(
        result["metrics"]["accuracy"].as_f64().expect("accuracy") > 0.95,
        "{}",
        run.out
    );
}
