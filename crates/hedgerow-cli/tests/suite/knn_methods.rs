//! `knn`, `knn-regression`, `knn-svm` and `knn-svr` as methods of every command.

use crate::common;

use common::{Folder, golden};

#[test]
fn models_survive_the_file() {
    let folder = Folder::new("knn-files");
    let (iris, wave) = (
        (golden("iris.train"), golden("iris.test")),
        (golden("wave.train"), golden("wave.test")),
    );
    for (method, (train, test), metric, least) in [
        ("knn -K 5", &iris, "accuracy", 0.9),
        ("knn-svm -K 30 -c 10", &iris, "accuracy", 0.9),
        ("knn-regression -K 3", &wave, "squared_correlation", 0.6),
        (
            "knn-svr -K 30 -c 10 -p 0.05",
            &wave,
            "squared_correlation",
            0.6,
        ),
    ] {
        folder.ok(&format!("train {method} --scale minmax {train} m"));
        let result = folder.json(&format!("predict {test} m out"));
        let value = result["metrics"][metric].as_f64().expect("a metric");
        assert!(value > least, "{method}: {value}");
        let facts = folder.json("inspect m");
        assert_eq!(
            facts["method"].as_str(),
            method.split(' ').next(),
            "{method}"
        );
        assert!(facts["rows"].as_u64().expect("rows") > 10);
    }
}

#[test]
fn votes_and_shares_are_written() {
    let folder = Folder::new("knn-votes");
    folder.write("a", "1 1:0\n1 1:1\n2 1:2\n2 1:3\n2 1:4\n");
    folder.write("b", "1 1:0.6\n2 1:1.6\n");
    folder.ok("train knn -K 3 a m");
    folder.ok("predict --scores b m scores");
    assert_eq!(folder.read("scores"), "1 2\n2 1\n1 2\n");
    folder.ok("predict --probability b m shares");
    let shares = folder.read("shares");
    assert_eq!(shares.lines().next(), Some("labels 1 2"));
    assert!(
        shares
            .lines()
            .nth(1)
            .is_some_and(|line| line.starts_with("1 0.6666"))
    );
    folder.ok("train knn-svm -K 3 a m");
    folder.fails(
        "predict --probability b m shares",
        1,
        "error: b: the model has no probabilities: train it with calibration",
    );
}

#[test]
fn neighbours_are_tuned() {
    let folder = Folder::new("knn-tune");
    folder.write_clusters("train", 60);
    let result = folder.json("tune knn train m");
    let best = result["best"]["point"]["neighbours"].as_f64();
    assert!(
        best.is_some_and(|k| k > 1.0),
        "noisy clusters want several votes: {best:?}"
    );
    folder.ok("predict train m out");
    folder.ok("tune knn-svm --grid neighbours=5,20 --grid gamma=-0.5,-0.1 train m");
    folder.ok("cv knn-svm -K 10 -b 1 train");
    folder.ok("cv knn -K 10 -t 1 train");
}

#[test]
fn what_is_wrong_is_named() {
    let folder = Folder::new("knn-wrong");
    folder.write_clusters("train", 20);
    folder.fails(
        "train knn -K 0 train m",
        2,
        "error: parameter neighbours = 0: must be at least 1",
    );
    folder.fails(
        "train knn-svm -w3 2 train m",
        1,
        "error: train: there is no class 3",
    );
    let run = folder.run("train knn --libsvm-model train m");
    assert_eq!(run.code, 1);
    assert!(!folder.has("m"));
}
