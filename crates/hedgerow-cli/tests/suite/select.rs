//! `select`, and training with a choice of features.

use crate::common;

use common::{Folder, noise};
use std::fmt::Write;

/// Columns: noise, a copy of the class with noise, its twin, noise, a weaker hint, noise; CSV with
/// names and classes in words.
fn table(folder: &Folder, rows: usize) {
    let mut text = String::from("a,signal,twin,b,\"hint, weak\",c,class\n");
    for i in 0..rows {
        let class = if i % 2 == 0 { "yes" } else { "no" };
        let sign = if i % 2 == 0 { 1.0 } else { -1.0 };
        let signal = 2.0 * sign + noise(5 * i);
        let hint = 0.8 * sign + noise(5 * i + 1);
        writeln!(
            text,
            "{},{signal},{},{},{hint},{},{class}",
            noise(5 * i + 2),
            2.0 * signal,
            noise(5 * i + 3),
            noise(5 * i + 4),
        )
        .expect("text");
    }
    folder.write("train.csv", text);
}

const METHODS: [&str; 10] = [
    "maxrel", "mrmr", "qpfs", "cfs", "relieff", "sfs", "rfe-svm", "wrapper", "maxdep", "random",
];

#[test]
fn every_method_writes_a_ranking() {
    let folder = Folder::new("select-methods");
    table(&folder, 60);
    for method in METHODS {
        folder.ok(&format!("select {method} train.csv out.csv"));
        let text = folder.read("out.csv");
        let mut lines = text.lines();
        assert_eq!(lines.next(), Some("rank,index,name,weight"));
        let first = lines.next().expect("a best feature");
        assert!(first.starts_with("1,"), "{method}: {first}");
        if method != "random" {
            let best = first.split(',').nth(2).expect("a name");
            // Twins share their weight in QPFS, so that the hint may come before each of them.
            let fine = ["signal", "twin"].contains(&best) || method == "qpfs" && best == "\"hint";
            assert!(fine, "{method}: {first}");
        }
    }
    assert!(folder.read("out.csv").contains(",\"hint, weak\","));
}

#[test]
fn options_reach_the_method() {
    let folder = Folder::new("select-options");
    table(&folder, 60);
    let fixed = folder.json("select qpfs --alpha 0.25 train.csv out.csv");
    assert_eq!(fixed["facts"]["alpha"], 0.25);
    let sampled = folder.json("select qpfs --rate 0.5 --sampling diagonal train.csv out.csv");
    assert_eq!(sampled["facts"]["sampled_rows"], 3.0);
    let ranking = sampled["ranking"].as_array().expect("a ranking");
    assert_eq!(ranking.len(), 6);
    let total: f64 = ranking
        .iter()
        .map(|row| row["weight"].as_f64().expect("a weight"))
        .sum();
    assert!((total - 1.0).abs() < 1e-9);
    let best_two = |relevance: &str| -> Vec<String> {
        let found = folder.json(&format!(
            "select mrmr --similarity correlation --relevance {relevance} --scheme quotient \
             --quotient-offset 0 --top 2 train.csv out.csv"
        ));
        let rows = found["ranking"].as_array().expect("a ranking");
        rows.iter()
            .map(|row| row["name"].as_str().expect("a name").to_owned())
            .collect()
    };
    // Correlations lie within 0 and 1: the twin, which says nothing new, is not worth a second
    // place. F statistics are far apart, and no correlation makes up for that.
    assert_ne!(best_two("priors")[1], "twin");
    assert_eq!(best_two("f-statistic"), ["signal", "twin"]);
    let all_sets = folder.json("select maxdep --search exhaustive --top 1 train.csv out.csv");
    assert_eq!(all_sets["ranking"].as_array().map(Vec::len), Some(1));
    let backward =
        folder.json("select wrapper --direction backward --inner-folds 3 train.csv out.csv");
    assert_eq!(backward["ranking"].as_array().map(Vec::len), Some(6));
    // Without relevance there is no reason to prefer the signal to its twin or to noise.
    let relevance = folder.json("select qpfs --alpha 1 train.csv out.csv");
    let maxrel = folder.json("select maxrel train.csv out.csv");
    let order = |value: &serde_json::Value| -> Vec<u64> {
        let rows = value["ranking"].as_array().expect("a ranking");
        rows.iter()
            .map(|row| row["index"].as_u64().expect("an index"))
            .collect()
    };
    assert_eq!(order(&relevance), order(&maxrel));
    for options in [
        "mrmr --scheme quotient --similarity correlation",
        "mrmr --binning quantiles --bins 4",
        "qpfs --domain subspace --mean upper-triangle",
        "relieff --neighbours 5 --variant classic",
        "rfe-svm --elimination one-by-one --gamma 0.1",
        "maxrel --similarity covariance",
    ] {
        folder.ok(&format!("select {options} train.csv out.csv"));
    }
}

#[test]
fn top_and_reduced_keep_the_best_columns() {
    let folder = Folder::new("select-reduced");
    table(&folder, 40);
    folder.ok("select mrmr --top 2 --reduced small.csv train.csv out.csv");
    assert_eq!(folder.read("out.csv").lines().count(), 3);
    let small = folder.read("small.csv");
    assert_eq!(small.lines().count(), 41);
    assert_eq!(folder.json("inspect small.csv")["features"], 2);
    folder.ok("train svm small.csv model");
    folder.ok("select maxrel --top 3 --reduced small.svm train.csv -");
    assert!(
        folder
            .read("small.svm")
            .lines()
            .all(|line| line.split(' ').count() <= 4)
    );
}

#[test]
fn the_curve_selects_inside_each_fold() {
    let folder = Folder::new("select-curve");
    // Noise only: whoever selects on all rows before the folds sees errors far below one half.
    let mut text = String::new();
    for i in 0..40 {
        text.push_str(if i % 2 == 0 { "+1" } else { "-1" });
        for f in 1..=300 {
            write!(text, " {f}:{}", noise(i * 300 + f)).expect("text");
        }
        text.push('\n');
    }
    folder.write("noise.svm", text);
    let line = "select maxrel --similarity correlation --curve --sizes 5,20 --repeats 3 --svg c.svg noise.svm out.csv";
    let result = folder.json(line);
    let curve = result["curve"].as_array().expect("a curve");
    assert_eq!(curve.len(), 2);
    for point in curve {
        assert_eq!(point["errors"].as_array().map(Vec::len), Some(15));
        let error = point["error"].as_f64().expect("an error");
        assert!(error > 0.33, "selection saw the test rows: {error}");
    }
    assert!(folder.read("c.svg").starts_with("<svg"));
    let run =
        folder.ok("select maxrel --curve --classifier knn~-K~3 --sizes 1,2 noise.svm out.csv");
    assert!(run.out.contains("features selected inside each fold"));
    let one = folder.json(&format!("{line} --threads 1"));
    assert_eq!(one["curve"], result["curve"]);
}

#[test]
fn a_model_keeps_its_choice_of_features() {
    let folder = Folder::new("select-pipeline");
    table(&folder, 60);
    let trained = folder.json(
        "train svm -t 0 --scale minmax --select mrmr:scheme=quotient,keep-discrete --top 2 train.csv model",
    );
    assert_eq!(trained["chosen_features"], 2);
    assert_eq!(
        trained["parameters"]["select"],
        "mrmr:scheme=quotient,keep-discrete"
    );
    // The test file has all columns; the model takes its own.
    let predicted = folder.json("predict train.csv model out");
    assert!(
        predicted["accuracy"]
            .as_f64()
            .or(predicted["metrics"]["accuracy"].as_f64())
            > Some(0.95)
    );
    let inspected = folder.json("inspect model");
    assert_eq!(inspected["features"], 2);
    let all = folder.ok("inspect model");
    assert!(all.out.contains("chosen features"), "{}", all.out);
    folder.ok("cv svm --select qpfs --top 1 train.csv");
    folder.ok("tune svm --grid cost=1,10 --select maxrel --top 2 train.csv tuned");
    folder.ok("predict train.csv tuned out");
    // The same as training on the reduced file.
    folder.ok("select mrmr --top 3 --reduced small.csv train.csv ranking.csv");
    folder.ok("train svm -g 0.5 small.csv direct");
    folder.ok("predict small.csv direct one");
    folder.ok("train svm -g 0.5 --select mrmr --top 3 train.csv carried");
    folder.ok("predict train.csv carried two");
    assert_eq!(folder.read("one"), folder.read("two"));
    // Falk models can be updated with rows of all columns.
    folder.ok("train falk-svm -K 20 --select maxrel --top 2 train.csv local");
    folder.ok("update local --add train.csv local2");
    folder.ok("predict train.csv local2 out");
}

#[test]
fn damaged_models_with_a_choice_are_refused() {
    let folder = Folder::new("select-damage");
    table(&folder, 40);
    folder.ok("train svm --select maxrel --top 2 train.csv model");
    let bytes = folder.bytes("model");
    for at in (0..bytes.len()).step_by(7) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x55;
        folder.write("damaged", damaged);
        let run = folder.run("predict train.csv damaged out");
        assert_ne!(run.code, 0, "byte {at}");
        assert!(!run.err.contains("panicked"), "byte {at}: {}", run.err);
    }
}

#[test]
fn wrong_words_are_told() {
    let folder = Folder::new("select-wrong");
    table(&folder, 20);
    for (line, part) in [
        ("select nothing train.csv out.csv", "nothing"),
        ("select qpfs --alpha 2 train.csv out.csv", "alpha"),
        ("select mrmr --bins 4 train.csv out.csv", "bins"),
        ("select mrmr --label none train.csv out.csv", "labels"),
        (
            "select mrmr --curve --classifier svr train.csv out.csv",
            "classifiers are",
        ),
        (
            "select mrmr --curve --sizes 0,3 train.csv out.csv",
            "at least 1",
        ),
        ("train svm --select qpfs train.csv model", "--top"),
        ("select mrmr --trace t.csv train.csv out.csv", "--trace"),
        ("select gmkl --landmarks 5 train.csv out.csv", "landmarks"),
        (
            "train svm --select qpfs:alpha=x --top 2 train.csv model",
            "alpha",
        ),
        (
            "train svm --select qpfs:beta=1 --top 2 train.csv model",
            "--beta",
        ),
        (
            "train svm --libsvm-model --select qpfs --top 2 train.csv model",
            "choice of features",
        ),
        (
            "tune falk-svm --select qpfs --top 2 train.csv model",
            "--ordinary",
        ),
    ] {
        let before = folder.names();
        let run = folder.run(line);
        assert_ne!(run.code, 0, "{line}");
        assert!(run.err.contains(part), "{line}: {}", run.err);
        assert_eq!(folder.names(), before, "{line}");
    }
    folder.write("one.csv", "x,class\n1,a\n2,a\n");
    let run = folder.run("select relieff one.csv out.csv");
    assert_eq!(run.code, 1);
    assert!(run.err.contains("2 classes are needed"), "{}", run.err);
    folder.write("three.csv", "x,class\n1,a\n2,b\n3,c\n");
    assert!(
        folder
            .run("select sfs three.csv out.csv")
            .err
            .contains("two")
    );
}

/// Two columns whose product of signs is the class, and four of noise.
fn product_table(folder: &Folder, name: &str, rows: usize, first: usize) {
    let mut text = String::from("a,b,c,d,e,f,class\n");
    for i in first..first + rows {
        let values: Vec<f64> = (0..6).map(|f| noise(7 * i + f)).collect();
        let class = if values[1] * values[4] > 0.0 {
            "same"
        } else {
            "other"
        };
        for value in values {
            write!(text, "{value},").expect("text");
        }
        writeln!(text, "{class}").expect("text");
    }
    folder.write(name, text);
}

#[test]
fn kernel_weights_rank_trace_and_travel_in_the_model() {
    let folder = Folder::new("select-weights");
    product_table(&folder, "train.csv", 120, 0);
    product_table(&folder, "test.csv", 200, 1000);
    for method in ["full-fs", "ao", "ao-i", "ao-ii", "gmkl"] {
        let found = folder.json(&format!(
            "select {method} --cost 4 --mu 1 --trace trace.csv --bars bars.svg train.csv out.csv"
        ));
        let ranking = found["ranking"].as_array().expect("a ranking");
        let mut best: Vec<&str> = ranking
            .iter()
            .take(2)
            .map(|row| row["name"].as_str().expect("a name"))
            .collect();
        best.sort_unstable();
        assert_eq!(best, ["b", "e"], "{method}");
        let trace = folder.read("trace.csv");
        let head = "class,round,objective,features,margin,least_eigenvalue,label";
        assert_eq!(trace.lines().next(), Some(head));
        assert!(trace.lines().count() > 2);
        let last = trace.lines().last().expect("a round");
        assert!(last.ends_with(",M") || last.ends_with(",S"), "{last}");
        assert!(folder.read("bars.svg").starts_with("<svg"));
    }
    // The weighted columns make nearest neighbours see the product.
    folder.ok("train knn --neighbours 5 --select ao-ii:cost=4,mu=1 train.csv model");
    let weighted = folder.json("predict test.csv model out");
    folder.ok("train knn --neighbours 5 train.csv plain");
    let plain = folder.json("predict test.csv plain out");
    let accuracy =
        |value: &serde_json::Value| value["metrics"]["accuracy"].as_f64().expect("an accuracy");
    assert!(
        accuracy(&weighted) > accuracy(&plain) + 0.1,
        "{weighted} {plain}"
    );
    // Fewer features than have a weight.
    folder.ok("train svm -g 1 --select ao-ii:cost=4,mu=1 --top 1 train.csv model");
    folder.ok("predict test.csv model out");
}

#[test]
fn weighting_says_what_it_cannot_do() {
    let folder = Folder::new("select-weights-errors");
    product_table(&folder, "train.csv", 60, 0);
    let run = folder.run("select ao-ii --cost 1 --mu 1e9 train.csv out.csv");
    assert_eq!(run.code, 1);
    assert!(
        run.err.contains("no feature has a weight left"),
        "{}",
        run.err
    );
    assert!(!folder.has("out.csv"));
}
