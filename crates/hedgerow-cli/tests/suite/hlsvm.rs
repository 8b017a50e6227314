//! Trees of linear SVMs from the command line.

use crate::common;

use common::{Folder, golden};

#[test]
fn trees_survive_the_file_and_tell_their_costs() {
    let folder = Folder::new("hlsvm-files");
    let (train, test) = (golden("iris.train"), golden("iris.test"));
    for method in [
        "h-lsvm",
        "h-lsvm --multiclass one-vs-one --holdout 0.1",
        "h-lsvm --trees 3 --feature-share 1 --probability",
        "h-lsvm --preset document --lambda 1e-4",
        "svm-trees -c 10",
    ] {
        folder.ok(&format!("train {method} --scale minmax {train} m"));
        let result = folder.json(&format!("predict --latency {test} m out"));
        let accuracy = result["metrics"]["accuracy"].as_f64().expect("accuracy");
        assert!(accuracy > 0.85, "{method}: {accuracy}");
        let costs = &result["hyperplanes"];
        assert!(costs["mean"].as_f64() <= costs["max"].as_f64(), "{method}");
        let latency = &result["latency"];
        assert!(latency["calls"].as_u64().expect("calls") >= 1);
        assert!(latency["p50_ns"].as_f64() <= latency["p99_ns"].as_f64());
        assert!(latency["p99_ns"].as_f64() <= latency["p999_ns"].as_f64());
        let facts = folder.json("inspect m");
        assert_eq!(facts["method"].as_str(), method.split(' ').next());
        assert!(facts["hyperplanes"].as_u64().expect("hyperplanes") >= 2);
    }
}

#[test]
fn passes_that_are_used_up_are_told_and_warned_of_only_if_they_were_asked_for() {
    let folder = Folder::new("hlsvm-passes");
    folder.ok("generate checkerboard --rows 2000 --seed 1 --set cells=4 --set noise=0.01 a");
    let quiet = folder.ok("train h-lsvm --defaults a m");
    assert!(!quiet.err.contains("stopped early"), "{}", quiet.err);
    let result = folder.json("train h-lsvm --defaults a m");
    assert_eq!(result["status"], "capped-by-design");
    let hasty = folder.ok("train h-lsvm --defaults --max-passes 1 --tolerance 0 a m");
    assert!(
        hasty.err.contains("stopped early (iteration-limit)"),
        "{}",
        hasty.err
    );
    let pegasos = folder.ok("train h-lsvm --defaults --solver pegasos --max-steps 10 a m");
    assert!(pegasos.err.contains("stopped early"), "{}", pegasos.err);
}

#[test]
fn latency_is_told_for_other_methods_too() {
    let folder = Folder::new("hlsvm-latency");
    folder.write_clusters("a", 20);
    folder.ok("train svm a m");
    let result = folder.json("predict --latency a m out");
    assert!(result["latency"]["p50_ns"].as_f64().expect("a time") > 0.0);
    assert!(result["hyperplanes"].is_null());
    assert!(folder.json("predict a m out")["latency"].is_null());
}

#[test]
fn a_tree_is_drawn() {
    let folder = Folder::new("hlsvm-svg");
    folder.write_clusters("a", 60);
    folder.ok("train h-lsvm a m");
    folder.ok("inspect m --svg tree.svg --levels 3");
    let svg = folder.read("tree.svg");
    assert!(svg.starts_with("<svg") && svg.contains("% pure"));
    folder.fails(
        "inspect m --svg other.svg --tree 2",
        2,
        "error: --tree 2: the model has the trees 1 to 1",
    );
}

#[test]
fn the_seed_decides_and_threads_do_not() {
    let folder = Folder::new("hlsvm-threads");
    folder.write_clusters("a", 200);
    for threads in [1, 3] {
        folder.ok(&format!(
            "train h-lsvm --trees 3 --threads {threads} a m{threads}"
        ));
        folder.ok(&format!("predict --scores a m{threads} out{threads}"));
    }
    assert_eq!(folder.read("out1"), folder.read("out3"));
}

#[test]
fn options_out_of_range_are_refused() {
    let folder = Folder::new("hlsvm-options");
    folder.write_clusters("a", 5);
    folder.fails(
        "train h-lsvm --lambda 0 a m",
        2,
        "error: parameter lambda = 0: must be a finite number greater than 0",
    );
    folder.fails(
        "train h-lsvm --holdout 1 a m",
        2,
        "error: parameter holdout = 1: must be at least 0 and less than 1",
    );
}
