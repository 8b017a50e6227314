//! `--metric`: weights of columns, learned or given.

use crate::common;

use common::{Folder, noise};
use std::fmt::Write;

/// Two columns that matter (a ring), six of noise with a larger range, a nominal one.
fn table(folder: &Folder, name: &str, from: usize, rows: usize) {
    let mut text = String::from("x,y,a,b,c,d,e,f,\"kind, of\",class\n");
    for i in from..from + rows {
        let at = |k: usize| noise(9 * i + k);
        let (x, y) = (at(0), at(1));
        let class = if x * x + y * y > 0.5 { "out" } else { "in" };
        let kind = ["red", "green", "blue"][i % 3];
        write!(text, "{x},{y}").expect("text");
        for k in 2..8 {
            write!(text, ",{}", 3.0 * at(k)).expect("text");
        }
        writeln!(text, ",{kind},{class}").expect("text");
    }
    folder.write(name, text);
}

/// A command line that ends with this code, says this somewhere and leaves no file behind.
fn refused(folder: &Folder, line: &str, code: i32, part: &str) {
    let before = folder.names();
    let run = folder.run(line);
    assert_eq!(run.code, code, "{line}: {}", run.err);
    assert!(run.err.contains(part), "{line}: {}", run.err);
    assert_eq!(folder.names(), before, "{line}: no file may be left behind");
}

#[test]
fn a_learned_metric_is_stored_and_shown() {
    let folder = Folder::new("metric-learned");
    table(&folder, "train.csv", 0, 900);
    table(&folder, "test.csv", 900, 400);
    let plain = folder.json("train knn -K 5 train.csv plain");
    assert!(plain.get("learned_metric").is_none());
    let result = folder.json("train knn -K 5 --metric learned train.csv model");
    let metric = &result["learned_metric"];
    assert_eq!(metric["used"], true);
    assert_eq!(metric["judged_rows"], 900);
    assert_eq!(result["parameters"]["metric"], "learned");
    let accuracy = |model: &str| {
        let found = folder.json(&format!("predict test.csv {model} out"));
        found["metrics"]["accuracy"].as_f64().expect("an accuracy")
    };
    let (with, without) = (accuracy("model"), accuracy("plain"));
    assert!(with > without + 0.05, "{with} {without}");
    let shown = folder.json("inspect model --svg w.svg");
    let weights = shown["column_weights"].as_array().expect("weights");
    // By original column: the nominal one once, largest weights first.
    assert_eq!(weights.len(), 9);
    let best: Vec<&str> = weights[..2]
        .iter()
        .filter_map(|w| w["name"].as_str())
        .collect();
    assert!(best.contains(&"x") && best.contains(&"y"), "{best:?}");
    assert!(weights.iter().any(|w| w["name"] == "kind, of"));
    assert!(folder.read("w.svg").contains("Weights of columns"));
    let told = folder.ok("inspect model").out;
    assert!(told.contains("weights of columns"), "{told}");
}

#[test]
fn threads_do_not_change_a_learned_metric() {
    let folder = Folder::new("metric-threads");
    table(&folder, "train.csv", 0, 500);
    let weights = |threads: usize| {
        let line = format!("train falk-svm -K 60 --metric learned --threads {threads} train.csv m");
        folder.json(&line)["learned_metric"]["weights"].clone()
    };
    assert_eq!(weights(1), weights(3));
}

#[test]
fn a_metric_that_does_not_help_is_not_kept() {
    let folder = Folder::new("metric-off");
    // All columns matter equally, and in the same way.
    let mut text = String::from("a,b,c,d,class\n");
    for i in 0..900 {
        let row: Vec<f64> = (0..4).map(|k| noise(4 * i + k)).collect();
        let class = row.iter().sum::<f64>() > 0.0;
        writeln!(text, "{},{},{},{},{class}", row[0], row[1], row[2], row[3]).expect("text");
    }
    folder.write("train.csv", text);
    let result = folder.json("train knn -K 5 --metric learned train.csv model");
    assert_eq!(result["learned_metric"]["used"], false);
    let plain = folder.json("train knn -K 5 train.csv plain");
    assert!(plain["chosen_features"].is_null() && result["chosen_features"].is_null());
    folder.ok("predict train.csv model a");
    folder.ok("predict train.csv plain b");
    assert_eq!(folder.read("a"), folder.read("b"));
}

#[test]
fn weights_come_from_a_file() {
    let folder = Folder::new("metric-file");
    table(&folder, "train.csv", 0, 300);
    folder.write("w.csv", "name,weight\nx,1\ny,1\n\"kind, of\",0.5\n");
    let result = folder.json("train knn -K 5 --metric w.csv train.csv model");
    assert_eq!(result["chosen_features"], 5);
    let shown = folder.json("inspect model");
    assert_eq!(shown["column_weights"][0]["weight"], 1.0);
    folder.ok("cv knn --metric w.csv train.csv");
    folder.ok("train falk-svm -K 40 --metric w.csv train.csv falk");
    folder.ok("update --add train.csv falk falk2");
    let updated = folder.json("inspect falk2");
    assert_eq!(updated["rows"], 600);
    assert_eq!(
        updated["column_weights"],
        folder.json("inspect falk")["column_weights"]
    );
    for (text, problem) in [
        ("name,weight\nz,1\n", "no column \"z\""),
        ("name,weight\nx,-1\n", "no weight"),
        ("name,weight\nx,1\nx,2\n", "already"),
        ("x,1\n", "header"),
        ("", "empty"),
    ] {
        folder.write("bad.csv", text);
        refused(
            &folder,
            "train knn --metric bad.csv train.csv m",
            1,
            problem,
        );
    }
    refused(
        &folder,
        "train knn --metric auc train.csv m",
        2,
        "none, learned, ranked or a file",
    );
    refused(
        &folder,
        "train knn --metric-seconds 1 train.csv m",
        2,
        "--metric learned",
    );
    refused(
        &folder,
        "train one-class --metric learned train.csv m",
        2,
        "rows alone",
    );
}

#[test]
fn neighbourhoods_are_chosen_in_the_learned_metric() {
    let folder = Folder::new("metric-tune");
    table(&folder, "train.csv", 0, 400);
    let result = folder.json(
        "tune falk-svm --metric learned --grid neighbours=40,80 --grid cost=1,4 --models 4 \
         train.csv model",
    );
    assert!(result["learned_metric"].is_object());
    assert!(result["best"].is_object());
    folder.ok("predict train.csv model out");
    // By a race, and the distances are told by columns of the file.
    let result = folder.json(
        "tune falk-svm --metric learned --grid neighbours=40,80 --grid cost=1,4 train.csv model",
    );
    assert_eq!(result["learned_metric"]["used"], true, "{result}");
    let judged = result["learned_metric"]["judged_rows"].as_u64();
    assert!(judged.is_some_and(|rows| rows > 100), "{judged:?}");
    folder.ok("predict train.csv model why --explain --top 2");
    let text = folder.read("why");
    let mut from_useful = 0;
    for line in text.lines() {
        let reason: serde_json::Value = serde_json::from_str(line).expect("JSON");
        let parts = reason["distance_by_column"].as_array().expect("a list");
        assert!(parts.len() <= 2);
        let sum: f64 = parts
            .iter()
            .filter_map(|one| one["squared_distance"].as_f64())
            .sum();
        let distance = reason["distance_to_centre"].as_f64().expect("a distance");
        assert!(sum <= distance * distance * (1.0 + 1e-9), "{line}");
        let is_useful = |one: &serde_json::Value| one["column"] == "x" || one["column"] == "y";
        from_useful += usize::from(parts.first().is_some_and(is_useful));
    }
    assert!(from_useful > 200, "{from_useful}");
    // Names of what points are compared by are still taken.
    folder.ok("tune knn --grid neighbours=1,5 --metric accuracy -v 2 train.csv");
    folder.ok("tune knn --grid neighbours=1,5 --measure accuracy --metric learned -v 2 train.csv");
}
