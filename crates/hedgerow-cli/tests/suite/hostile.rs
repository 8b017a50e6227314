//! Input that nobody wants, from the command line: each has one outcome and one message.

use crate::common;

use common::Folder;

#[test]
fn values_that_are_not_finite_are_refused_with_their_place() {
    let folder = Folder::new("not-finite");
    folder.write("nan.svm", "1 1:1\n-1 1:nan\n");
    folder.write("inf.svm", "1 1:-inf\n-1 1:2\n");
    folder.write("over.svm", "1 1:1 2:1e309\n-1 1:2\n");
    folder.write("inf.csv", "a,class\ninf,x\n2,y\n");
    folder.fails(
        "train svm nan.svm m",
        1,
        "error: nan.svm, line 2, column 6: value \"nan\" of feature 1 is not a finite double-precision number",
    );
    folder.fails(
        "train svm inf.svm m",
        1,
        "error: inf.svm, line 1, column 5: value \"-inf\" of feature 1 is not a finite double-precision number",
    );
    folder.fails(
        "train svm over.svm m",
        1,
        "error: over.svm, line 1, column 9: value \"1e309\" of feature 2 is not a finite double-precision number",
    );
    folder.fails(
        "train svm inf.csv m",
        1,
        "error: inf.csv, line 2, column \"a\": \"inf\" is not a finite double-precision number",
    );
}

#[test]
fn files_without_rows_are_refused() {
    let folder = Folder::new("no-rows");
    folder.write("empty.svm", "");
    folder.write("comment.svm", "# nothing\n\n");
    folder.write("header.csv", "a,b,class\n");
    for (file, message) in [
        ("empty.svm", "error: empty.svm: no data rows"),
        ("comment.svm", "error: comment.svm: no data rows"),
        ("header.csv", "error: header.csv: no data rows"),
    ] {
        for verb in ["train svm", "train svr", "train one-class"] {
            folder.fails(&format!("{verb} {file} m"), 1, message);
        }
        folder.fails(&format!("cv svm {file}"), 1, message);
        folder.fails(&format!("scale {file} out.svm"), 1, message);
        folder.fails(&format!("inspect {file}"), 1, message);
    }
}

#[test]
fn a_single_class_is_refused() {
    let folder = Folder::new("single-class");
    folder.write("one.svm", "3 1:1\n3 1:2\n3 1:4\n");
    folder.write("row.svm", "3 1:1\n");
    for file in ["one.svm", "row.svm"] {
        let run = folder.run(&format!("train svm {file} m"));
        assert_eq!(run.code, 1);
        assert!(
            run.err
                .contains("rows are of class 3: to tell classes apart"),
            "{}",
            run.err
        );
        assert!(!folder.has("m"));
    }
}

#[test]
fn one_row_is_enough_for_a_regression_and_a_region() {
    let folder = Folder::new("one-row");
    folder.write("row.svm", "2.5 1:1 2:3\n");
    folder.ok("train svr row.svm m");
    folder.ok("predict row.svm m out");
    assert_eq!(folder.read("out"), "2.5\n");
    folder.ok("train one-class row.svm m");
    folder.ok("predict --label none row.svm m out");
    assert_eq!(folder.read("out").lines().count(), 1);
}

#[test]
fn constant_columns_and_duplicate_rows_are_harmless() {
    let folder = Folder::new("constant");
    folder.write(
        "data.svm",
        "1 1:1 2:5\n1 1:1 2:5\n-1 1:-1 2:5\n-1 1:-1 2:5\n1 1:1 2:5\n-1 1:-1 2:5\n",
    );
    for scaling in ["none", "minmax", "standard"] {
        folder.ok(&format!("train svm --scale {scaling} -c 10 data.svm m"));
        let result = folder.json("predict data.svm m out");
        assert_eq!(result["metrics"]["accuracy"], 1.0, "{scaling}");
    }
    // Every row occurs in both classes: nothing can be learned, and nothing breaks.
    folder.write("both.svm", "1 1:1\n-1 1:1\n1 1:2\n-1 1:2\n");
    let result = folder.json("train svm both.svm m");
    assert_eq!(result["status"], "converged");
}

#[test]
fn more_features_than_rows_are_learned() {
    let folder = Folder::new("wide");
    let lines: Vec<String> = (0..6)
        .map(|i| {
            let label = if i % 2 == 0 { "+1" } else { "-1" };
            let entries: Vec<String> = (1..=500)
                .map(|f| format!("{f}:{}", common::noise(i * 500 + f)))
                .collect();
            format!("{label} {}", entries.join(" "))
        })
        .collect();
    folder.write("wide.svm", lines.join("\n"));
    folder.ok("train svm -t 0 -c 100 wide.svm m");
    let result = folder.json("predict wide.svm m out");
    assert_eq!(result["metrics"]["accuracy"], 1.0);
    assert_eq!(result["features"], 500);
}

#[test]
fn labels_keep_the_form_they_had() {
    let folder = Folder::new("labels");
    for (name, a, b) in [
        ("01", "0", "1"),
        ("12", "1", "2"),
        ("text", "setosa", "versicolor"),
        ("real", "0.5", "-1.5"),
    ] {
        let file = format!("{name}.svm");
        folder.write(&file, format!("{a} 1:-1\n{b} 1:1\n{a} 1:-2\n{b} 1:2\n"));
        folder.ok(&format!("train svm -c 10 {file} m"));
        folder.ok(&format!("predict {file} m out"));
        assert_eq!(folder.read("out"), format!("{a}\n{b}\n{a}\n{b}\n"));
    }
}

#[test]
fn labels_unknown_to_the_model_count_as_errors() {
    let folder = Folder::new("unknown-label");
    folder.write("train.svm", "1 1:-1\n2 1:1\n1 1:-2\n2 1:2\n");
    folder.write("test.svm", "1 1:-1\n2 1:1\n7 1:1\n9 1:-1\n");
    folder.ok("train svm -c 10 train.svm m");
    let run = folder.ok("predict test.svm m out");
    assert!(run.err.contains("does not know the class 7"), "{}", run.err);
    let result = folder.json("predict test.svm m out");
    assert_eq!(result["metrics"]["accuracy"], 0.5);
    assert_eq!(result["unknown_classes"], serde_json::json!(["7", "9"]));
}

#[test]
fn enormous_values_are_learned_or_refused() {
    let folder = Folder::new("enormous");
    folder.write(
        "huge.svm",
        "1 1:1e308 2:-1e308\n-1 1:-1e308 2:1e308\n1 1:1e307\n-1 1:-1e307\n",
    );
    // Far apart is far apart: a Gaussian of differences does not overflow.
    folder.ok("train svm -t 2 -g 1 huge.svm m");
    folder.ok("predict huge.svm m out");
    assert_eq!(folder.read("out"), "1\n-1\n1\n-1\n");
    // A sigmoid saturates.
    folder.ok("train svm -t 3 -g 1 huge.svm m");
    for options in ["-t 0", "-t 1 -g 1"] {
        let run = folder.run(&format!("train svm {options} huge.svm refused"));
        assert_eq!(run.code, 1, "{options}: {}", run.err);
        assert!(
            run.err
                .contains("its values are not finite on these data: scale the features"),
            "{options}: {}",
            run.err
        );
        assert!(!folder.has("refused"));
    }
    folder.fails(
        "train svm --scale minmax huge.svm m2",
        1,
        "error: huge.svm: row 1, feature 1: value 1e308 makes the range of the feature overflow; remove or transform it",
    );
}

#[test]
fn gaps_are_filled_with_a_warning_unless_they_are_to_be_an_error() {
    let folder = Folder::new("gaps");
    folder.write("gaps.csv", "a,b,class\n1,,x\n2,3,y\n4,?,x\n");
    folder.fails(
        "train svm --missing error gaps.csv m",
        1,
        "error: gaps.csv, line 2, column \"b\": the value is missing; fill gaps by mean and mode (missing = mean-mode) or remove the row",
    );
    let run = folder.run("train svm --missing error gaps.csv m");
    assert!(run.err.contains("hint: --missing mean-mode fills gaps"));
    let run = folder.ok("train svm gaps.csv m");
    assert!(
        run.err
            .contains("warning: gaps.csv: missing values are filled"),
        "{}",
        run.err
    );
    assert!(run.err.contains("in column b"), "{}", run.err);
    folder.ok("predict gaps.csv m out");
    assert_eq!(folder.read("out").lines().count(), 3);
    let result = folder.json("inspect gaps.csv");
    assert_eq!(result["first_missing"], "line 2, column \"b\"");
    folder.write("nolabel.csv", "a,class\n1,\n2,y\n");
    folder.fails(
        "train svm --missing mean-mode nolabel.csv m2",
        1,
        "error: nolabel.csv, line 2, column \"class\": the target is missing; remove the row, or read the file without a label column",
    );
}

#[test]
fn a_wrong_label_column_is_named() {
    let folder = Folder::new("label-column");
    folder.write("t.csv", "a,b,kind\n1,2,x\n2,3,y\n");
    folder.fails(
        "train svm --label species t.csv m",
        1,
        "error: t.csv: there is no column \"species\"; the header has a, b, kind",
    );
    folder.fails(
        "train svm --label 4 t.csv m",
        1,
        "error: t.csv: there is no column 4: positions go from 1 to 3",
    );
    folder.fails(
        "train svm --label none t.csv m",
        2,
        "error: --label none: this method learns from labels",
    );
    folder.fails(
        "train svr t.csv m",
        1,
        "error: t.csv, line 2, column \"kind\": target \"x\" is not a number; for text labels read the file as classes",
    );
}

#[test]
fn files_that_cannot_be_read_or_written_are_named() {
    let folder = Folder::new("files");
    folder.write_clusters("data.svm", 20);
    folder.fails(
        "train svm absent.svm m",
        1,
        "error: cannot read absent.svm: No such file or directory (os error 2)",
    );
    folder.fails(
        "train svm data.svm nowhere/m",
        1,
        "error: cannot write nowhere/m: No such file or directory (os error 2)",
    );
    std::fs::create_dir(folder.path().join("sub")).expect("a folder");
    folder.fails(
        "train svm data.svm sub",
        1,
        "error: cannot write sub: Is a directory (os error 21)",
    );
    folder.fails(
        "predict data.svm absent.model out",
        1,
        "error: cannot read absent.model: No such file or directory (os error 2)",
    );
}

#[test]
fn a_failed_command_keeps_the_old_output() {
    let folder = Folder::new("old-output");
    folder.write("m", "old");
    folder.write("bad.svm", "1 1:1\nx y\n");
    folder.fails(
        "train svm bad.svm m",
        1,
        "error: bad.svm, line 2, column 3: expected index:value, found \"y\"",
    );
    assert_eq!(folder.read("m"), "old");
}

#[test]
fn a_wrong_command_line_is_told_apart_from_wrong_data() {
    let folder = Folder::new("command-line");
    folder.write_clusters("d.svm", 20);
    for (line, start) in [
        (
            "train forest d.svm m",
            "error: there is no method \"forest\": the methods are svm, nu-svm, svr, ",
        ),
        (
            "learn svm d.svm m",
            "error: there is no command \"learn\": the commands are demo, train, predict, ",
        ),
    ] {
        let run = folder.run(line);
        assert_eq!(run.code, 2, "{line}");
        assert!(run.err.starts_with(start), "{line}: {}", run.err);
    }
    for (line, message) in [
        (
            "train svm -k rbf(gama=1) d.svm m",
            "error: kernel \"rbf(gama=1)\", position 5: rbf has no parameter \"gama\": it takes gamma",
        ),
        (
            "train svm -c -1 d.svm m",
            "error: parameter cost = -1: must be a finite number greater than 0",
        ),
        (
            "train svm -c ten d.svm m",
            "error: --cost ten: must be a number",
        ),
        (
            "train svm -m 0 d.svm m",
            "error: parameter cache_mb = 0: must be greater than 0 and at most 1e9",
        ),
        (
            "train svm -s 3 d.svm m",
            "error: -s 3 is the method svr, but the method is svm: leave -s out or name svr",
        ),
        (
            "train svm -w1 d.svm m",
            "error: invalid value '1=d.svm' for '--class-weight <CLASS=X>': expected class=weight with a weight above 0",
        ),
        (
            "train svm --json d.svm -",
            "error: MODEL is standard output, where --json prints its result: name a file",
        ),
        (
            "cv svm -v 1 d.svm",
            "error: invalid value '1' for '--folds <K>': expected a whole number of at least 2",
        ),
        (
            "tune svm --grid cost d.svm",
            "error: grid axis, line 1: \"cost\" has no '=': write name=values",
        ),
        (
            "tune svm --grid size=1,2 d.svm",
            "error: --grid size: the method has no such parameter; it has cost, degree, gamma, coef0, sigma, eta",
        ),
        (
            "tune svm --grid gamma=1,-5 d.svm",
            "error: parameter gamma = -5: must be positive, or from -1 to 0 for a percentile of the distances",
        ),
        (
            "tune svm --metric speed d.svm",
            "error: --metric speed: expected none, learned, ranked or a file of weights, and there is no such file; there is no metric \"speed\": the known ones are accuracy, balanced-accuracy, macro-f1, auc, average-precision, mauc, rmsle, log-loss, mean-squared-error, mean-absolute-error, r-squared, squared-correlation",
        ),
        (
            "generate moons x.svm",
            "error: there is no generator \"moons\": the known ones are two-spirals, noisy-spirals, decsin, cb, sin, checker-b, checkerboard, ndcc, ndcc-probes, den, rare-mixture, blobs, banana",
        ),
        (
            "scale -l 1 -u 0 d.svm x.svm",
            "error: parameter high = 0: must be greater than low",
        ),
    ] {
        folder.fails(line, 2, message);
    }
}
