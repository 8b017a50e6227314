//! Every letter of svm-train has the meaning it has there.

use crate::common;

use common::{Folder, golden};

/// Trains with both spellings: the models must be the same to the byte.
fn same(folder: &Folder, method: &str, short: &str, long: &str, data: &str) {
    folder.ok(&format!("train {method} {short} {data} a"));
    folder.ok(&format!("train {method} {long} {data} b"));
    assert_eq!(folder.bytes("a"), folder.bytes("b"), "{method} {short}");
}

/// Trains with and without: the models must differ, else the letter does nothing.
fn differs(folder: &Folder, method: &str, options: &str, data: &str) {
    folder.ok(&format!("train {method} {data} a"));
    folder.ok(&format!("train {method} {options} {data} b"));
    assert_ne!(folder.bytes("a"), folder.bytes("b"), "{method} {options}");
}

#[test]
fn letters_and_long_names_agree() {
    let folder = Folder::new("letters");
    let iris = golden("iris.train");
    let wave = golden("wave.train");
    for (short, long) in [
        ("-t 0", "--kernel linear"),
        (
            "-t 1 -d 2 -g 0.5 -r 1",
            "--kernel poly(gamma=0.5,coef0=1,degree=2)",
        ),
        (
            "-t 1 -d 2 -g 0.5 -r 1",
            "-t 1 --degree 2 --gamma 0.5 --coef0 1",
        ),
        ("-t 2 -g 0.5", "--kernel rbf(gamma=0.5)"),
        ("-g -0.5", "--kernel rbf(gamma=q50)"),
        ("-g -0.29", "-k rbf(gamma=q29)"),
        (
            "-t 3 -g 0.01 -r -1",
            "--kernel sigmoid(gamma=0.01,coef0=-1)",
        ),
        ("-c 7", "--cost 7"),
        ("-c7", "--cost=7"),
        ("-e 0.1", "--tolerance 0.1"),
        ("-m 1", "--cache-mb 500"),
        ("-h 0", "--shrinking 0"),
        ("-b 1", "--probability"),
        ("-b 0", ""),
        ("-s 0", ""),
        ("-w2 5 -w3 0.5", "--class-weight 2=5 --class-weight 3=0.5"),
    ] {
        same(&folder, "svm", short, long, &iris);
    }
    same(&folder, "nu-svm", "-n 0.2 -s 1", "--nu 0.2", &iris);
    same(&folder, "one-class", "-n 0.2 -s 2", "--nu 0.2", &iris);
    same(&folder, "svr", "-p 0.3 -s 3", "--epsilon 0.3", &wave);
    same(
        &folder,
        "nu-svr",
        "-n 0.2 -c 3 -s 4",
        "--nu 0.2 --cost 3",
        &wave,
    );
}

#[test]
fn every_letter_has_an_effect() {
    let folder = Folder::new("effects");
    let (iris, wave) = (golden("iris.train"), golden("wave.train"));
    for options in [
        "-t 0",
        "-t 1",
        "-t 3",
        "-g 3",
        "-g -0.5",
        "-c 7",
        "-e 0.3",
        "-b 1",
        "-h 0",
        "-w2 5",
        "--multiclass ovr",
        "--multiclass dag",
        "--max-iterations 3",
        "--seed 5",
        "--scale minmax",
        "--scale standard",
    ] {
        differs(&folder, "svm", options, &iris);
    }
    for options in ["-d 2", "-r 1"] {
        differs(&folder, "svm -t 1", options, &iris);
    }
    differs(&folder, "svm --scale minmax", "--scale-range -1,1", &iris);
    differs(&folder, "nu-svm", "-n 0.2", &iris);
    differs(&folder, "one-class", "-n 0.2", &iris);
    differs(&folder, "svr", "-p 0.3", &wave);
    differs(&folder, "nu-svr", "-n 0.2", &wave);
}

#[test]
fn weights_of_negative_labels_are_understood() {
    let folder = Folder::new("negative-weights");
    folder.write_clusters("d.svm", 60);
    folder.ok("train svm -w1 5 -w-1 2 d.svm a");
    let parameters = folder.json("inspect a")["parameters"].clone();
    assert_eq!(parameters["class_weight 1"], 5);
    assert_eq!(parameters["class_weight -1"], 2);
    folder.fails(
        "train svm -w9 2 d.svm m",
        1,
        "error: d.svm: there is no class 9",
    );
}

#[test]
fn weights_of_rows_count() {
    let folder = Folder::new("row-weights");
    folder.write_clusters("d.svm", 30);
    let weights: Vec<&str> = (0..60)
        .map(|i| if i % 2 == 0 { "3" } else { "1" })
        .collect();
    folder.write("w.txt", weights.join("\n"));
    folder.ok("train svm -t 0 -W w.txt d.svm a");
    folder.ok("train svm -t 0 -w1 3 d.svm b");
    let objective = |model: &str| {
        folder.json(&format!("inspect {model}"))["report"]["objective"]
            .as_f64()
            .expect("a number")
    };
    let (a, b) = (objective("a"), objective("b"));
    assert!((a - b).abs() < 1e-3 * b.abs(), "{a} {b}");
    folder.write("short.txt", "1\n2\n");
    folder.fails(
        "train svm -W short.txt d.svm m",
        1,
        "error: short.txt: sample weights: expected 60, found 2",
    );
}

#[test]
fn v_cross_validates_and_writes_no_model() {
    let folder = Folder::new("v");
    folder.write_clusters("d.svm", 40);
    let run = folder.ok("train svm -v 4 d.svm");
    assert!(run.out.contains("4-fold cross-validation"), "{}", run.out);
    assert_eq!(folder.names(), ["d.svm"]);
}

#[test]
fn q_and_quiet_say_nothing() {
    let folder = Folder::new("q");
    folder.write_clusters("d.svm", 40);
    for line in [
        "train svm -q d.svm m",
        "predict --quiet d.svm m out",
        "cv svm -q d.svm",
    ] {
        let run = folder.ok(line);
        assert_eq!((run.out.as_str(), run.err.as_str()), ("", ""), "{line}");
    }
}

#[test]
fn precomputed_kernels_work_from_training_to_prediction() {
    let folder = Folder::new("precomputed");
    let (train, test) = (golden("precomputed.train"), golden("precomputed.test"));
    folder.ok(&format!("train svm -t 4 -c 2 {train} m"));
    folder.ok(&format!("predict {test} m out"));
    // LIBSVM's own answers.
    let text = std::fs::read_to_string(golden("libsvm.json")).expect("a file");
    let oracle: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let mut cases = oracle["cases"].as_array().expect("cases").iter();
    let case = cases
        .find(|case| case["name"] == "precomputed")
        .expect("it");
    let expected = case["loose"]["predicted"].as_array().expect("labels");
    let answers = folder.read("out");
    assert_eq!(answers.lines().count(), expected.len());
    for (answer, expected) in answers.lines().zip(expected) {
        assert_eq!(answer.parse::<f64>().ok(), expected.as_f64());
    }
    folder.ok(&format!("cv svm -t 4 -v 3 {train}"));
    let run = folder.run(&format!("train svm {train} m2"));
    assert_eq!(run.code, 1);
    assert!(run.err.contains("train with -t 4"), "{}", run.err);
    let run = folder.run(&format!("train svm -t 4 {} m2", golden("iris.train")));
    assert_eq!(run.code, 1);
    assert!(
        run.err.contains("every row starts with 0:serial"),
        "{}",
        run.err
    );
    let run = folder.run(&format!("train svm -t 4 --scale minmax {train} m2"));
    assert!(
        run.err.contains("kernel values cannot be scaled"),
        "{}",
        run.err
    );
    assert!(!folder.has("m2"));
}

#[test]
fn help_and_version_are_no_errors() {
    let folder = Folder::new("help");
    assert_eq!(
        folder.ok("--version").out,
        format!("hedgerow {}\n", env!("CARGO_PKG_VERSION"))
    );
    for line in [
        "--help",
        "train --help",
        "train svm --help",
        "predict --help",
    ] {
        assert!(folder.ok(line).out.contains("Usage:"), "{line}");
    }
    let run = folder.run("");
    assert_eq!(run.code, 2);
    assert!(run.err.contains("Usage: hedgerow"), "{}", run.err);
}
