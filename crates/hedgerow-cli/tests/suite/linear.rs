//! `linear-svm`, `logistic`, `pegasos` and `fda` from the command line.

use crate::common;

use common::{Folder, golden};

const METHODS: [&str; 6] = [
    "linear-svm",
    "linear-svm --loss hinge -e 0.01",
    "linear-svm --solver primal --multiclass ovo",
    "logistic",
    "pegasos --max-iterations 100000",
    "fda",
];

#[test]
fn models_survive_the_file() {
    let folder = Folder::new("linear-files");
    let (train, test) = (golden("iris.train"), golden("iris.test"));
    for method in METHODS {
        folder.ok(&format!("train {method} --scale minmax {train} m"));
        let result = folder.json(&format!("predict {test} m out"));
        let accuracy = result["metrics"]["accuracy"].as_f64().expect("a number");
        assert!(accuracy > 0.75, "{method}: {accuracy}");
        let facts = folder.json("inspect m");
        assert_eq!(facts["method"].as_str(), method.split(' ').next());
        assert_eq!(facts["hyperplanes"].as_u64(), Some(3), "{method}");
    }
}

#[test]
fn liblinears_letters_mean_what_they_mean_there() {
    let folder = Folder::new("linear-letters");
    let train = golden("heart.train");
    // -s 3 -c 0.5 -B 1: LIBLINEAR without its limit of 300 passes, and L-BFGS-B on the dual.
    let result = folder.json(&format!(
        "train linear-svm --loss hinge -c 0.5 -B 1 -e 1e-7 --max-iterations 1000000 {train} m"
    ));
    let objective = result["objective"].as_f64().expect("a number");
    assert!((objective - 32.854_507_975).abs() < 1e-5, "{objective}");
    // -s 1 -c 0.1 -w1 3 -w-1 0.5
    let result = folder.json(&format!(
        "train linear-svm -c 0.1 -w1 3 -w-1 0.5 -e 1e-7 --max-iterations 1000000 {train} m"
    ));
    let objective = result["objective"].as_f64().expect("a number");
    assert!((objective - 10.061_737_57).abs() < 1e-4, "{objective}");
    assert_eq!(result["parameters"]["class_weight 1"].as_u64(), Some(3));
    // -s 0 -c 2 -R
    let result = folder.json(&format!("train logistic -c 2 -R -e 1e-8 {train} m"));
    let objective = result["objective"].as_f64().expect("a number");
    assert!((objective - 132.465_594_6).abs() < 1e-4, "{objective}");
    // -B -1: no intercept.
    folder.ok(&format!("train linear-svm -B -1 {train} m"));
    let facts = folder.json("inspect m");
    assert_eq!(facts["intercepts"][0].as_f64(), Some(0.0));
}

#[test]
fn logistic_regression_tells_probabilities() {
    let folder = Folder::new("linear-probability");
    folder.write("a", "yes 1:2\nyes 1:1\nno 1:-1\nno 1:-2\n");
    folder.ok("train logistic -c 10 a m");
    folder.ok("predict --probability a m out");
    let text = folder.read("out");
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("labels yes no"));
    for (line, label) in lines.zip(["yes", "yes", "no", "no"]) {
        let cells: Vec<&str> = line.split(' ').collect();
        assert_eq!(cells[0], label);
        let shares: Vec<f64> = cells[1..]
            .iter()
            .map(|c| c.parse().expect("a share"))
            .collect();
        assert!((shares[0] + shares[1] - 1.0).abs() < 1e-6);
        assert_eq!(shares[0] > 0.5, label == "yes");
    }
    folder.ok("train linear-svm a m");
    folder.fails(
        "predict --probability a m out",
        1,
        "error: a: the model has no probabilities: train it with calibration",
    );
}

#[test]
fn costs_are_tuned_and_folds_run() {
    let folder = Folder::new("linear-tune");
    let train = golden("svmguide1.train");
    for method in METHODS {
        let result = folder.json(&format!("cv {method} -v 3 {train}"));
        assert!(result.is_object(), "{method}");
    }
    let result = folder.json(&format!(
        "tune linear-svm --grid cost=0.01,1,100 -v 3 {train} m"
    ));
    assert!(result.is_object());
    assert!(folder.has("m"));
    folder.fails(
        &format!("tune linear-svm --grid gamma=1,2 -v 3 {train} m2"),
        2,
        "error: --grid gamma: the method has no such parameter; it has cost",
    );
}

#[test]
fn wrong_options_are_named() {
    let folder = Folder::new("linear-wrong");
    folder.write("a", "1 1:1\n2 1:2\n");
    for (line, message) in [
        ("train linear-svm -c 0 a m", "cost"),
        ("train logistic -e -1 a m", "tolerance"),
        ("train pegasos --lambda 0 a m", "lambda"),
        ("train pegasos -k 0 a m", "batch"),
        ("train fda --ridge -1 a m", "ridge"),
        (
            "train linear-svm --loss hinge --solver primal a m",
            "primal",
        ),
    ] {
        let run = folder.run(line);
        assert_eq!(run.code, 2, "{line}: {}", run.err);
        assert!(run.err.contains(message), "{line}: {}", run.err);
        assert!(!folder.has("m"), "{line}");
    }
}

#[test]
fn the_same_training_gives_the_same_bytes() {
    let folder = Folder::new("linear-bytes");
    let train = golden("iris.train");
    for method in METHODS {
        folder.ok(&format!("train {method} --threads 1 {train} a"));
        folder.ok(&format!("train {method} --threads 3 {train} b"));
        assert_eq!(folder.bytes("a"), folder.bytes("b"), "{method}");
    }
}
