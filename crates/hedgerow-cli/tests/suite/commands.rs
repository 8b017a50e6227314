//! What each command writes and says.

use crate::common;

use common::Folder;

fn board(folder: &Folder) {
    folder.ok("generate checkerboard --rows 400 --seed 1 train.svm");
    folder.ok("generate checkerboard --rows 300 --seed 2 test.svm");
    folder.ok("train svm -g 30 -c 10 --probability train.svm m");
}

#[test]
fn the_result_object_has_what_benchmarks_need() {
    let folder = Folder::new("fields");
    board(&folder);
    let result = folder.json("train svm -g 30 -c 10 train.svm m2");
    for field in [
        "status",
        "objective",
        "iterations",
        "support_vectors",
        "bounded",
        "seconds",
        "read_seconds",
        "rows",
        "features",
        "method",
        "parameters",
    ] {
        assert!(!result[field].is_null(), "{field}");
    }
    assert_eq!(result["status"], "converged");
    let result = folder.json("predict test.svm m out");
    assert!(result["seconds"].as_f64().is_some());
    let result = folder.json("inspect train.svm");
    assert_eq!(
        (&result["rows"], &result["entries"]),
        (&400.into(), &800.into())
    );
    assert!(result["read_seconds"].as_f64().is_some());
    let result = folder.json("train svm --max-iterations 2 train.svm m2");
    assert_eq!(result["status"], "iteration-limit");
}

#[test]
fn entries_of_dense_files_are_counted_without_zeros() {
    let folder = Folder::new("entries");
    folder.write("d.svm", "1 1:0 2:1 3:4\n-1 1:2 2:3 3:5\n");
    let result = folder.json("inspect d.svm");
    assert_eq!(result["entries"], 5);
    assert_eq!(result["ranges"][0], serde_json::json!(["1", 0.0, 2.0]));
}

#[test]
fn predict_writes_labels_scores_or_probabilities() {
    let folder = Folder::new("forms");
    board(&folder);
    let run = folder.ok("predict test.svm m labels");
    for word in ["accuracy", "precision", "recall", "f1", "auc"] {
        assert!(run.out.contains(word), "{word}");
    }
    folder.ok("predict --scores test.svm m scores");
    folder.ok("predict --probability test.svm m probabilities");
    let labels = folder.read("labels");
    assert_eq!(labels.lines().count(), 300);
    let scores = folder.read("scores");
    let mut scores = scores.lines();
    let (first, second) = scores
        .next()
        .and_then(|head| head.split_once('/'))
        .expect("a column a/b");
    for (label, score) in labels.lines().zip(scores) {
        let score: f64 = score.parse().expect("a number");
        assert_eq!(label, if score > 0.0 { first } else { second });
    }
    let text = folder.read("probabilities");
    let mut lines = text.lines();
    assert_eq!(
        lines.next(),
        Some(format!("labels {first} {second}").as_str())
    );
    for line in lines {
        let words: Vec<&str> = line.split(' ').collect();
        let p: Vec<f64> = words[1..]
            .iter()
            .map(|w| w.parse().expect("a number"))
            .collect();
        assert!((p[0] + p[1] - 1.0).abs() < 1e-9);
        assert_eq!(words[0], if p[0] >= p[1] { first } else { second });
    }
    folder.ok("train svm train.svm plain");
    folder.fails(
        "predict -b 1 test.svm plain out",
        1,
        "error: test.svm: the model has no probabilities: train it with calibration",
    );
}

#[test]
fn tables_are_predicted_with_the_encoding_of_the_model() {
    let folder = Folder::new("tables");
    folder.write(
        "train.csv",
        "size,colour,kind\n1,red,a\n2,blue,b\n1.5,red,a\n2.5,blue,b\n",
    );
    // Another order, no label, an unknown colour.
    folder.write("test.csv", "colour,size\nred,1\nblue,2\ngreen,2.2\n");
    folder.ok("train svm --scale minmax -c 10 train.csv m");
    let run = folder.ok("predict test.csv m out");
    assert_eq!(folder.read("out"), "a\nb\nb\n");
    assert!(
        run.err
            .contains("warning: test.csv: column \"colour\": 1 cells with categories unknown")
    );
    assert!(!run.out.contains("accuracy"));
    assert!(folder.json("predict test.csv m out")["metrics"].is_null());
    let run = folder.run("predict --refuse-unseen test.csv m out2");
    assert_eq!(run.code, 1);
    assert!(!folder.has("out2"));
    folder.write("narrow.csv", "size\n1\n");
    folder.fails(
        "predict narrow.csv m out2",
        1,
        "error: narrow.csv: column \"colour\" of the training data is missing; the header has size",
    );
}

#[test]
fn rows_without_labels_can_be_predicted_from_libsvm_text() {
    let folder = Folder::new("unlabelled");
    board(&folder);
    folder.write("bare.svm", "1:0.1 2:0.1\n1:0.4 2:0.1\n");
    let run = folder.run("predict bare.svm m out");
    assert_eq!(run.code, 1);
    assert!(
        run.err
            .contains("hint: if the rows have no labels, predict them with --label none")
    );
    folder.ok("predict --label none bare.svm m out");
    assert_eq!(folder.read("out").lines().count(), 2);
}

#[test]
fn features_that_training_did_not_have_count_in_the_distance() {
    let folder = Folder::new("wider");
    folder.write("train.svm", "1 1:1\n-1 1:-1\n");
    folder.write("test.svm", "1 1:1 2:3 3:1\n-1 1:-1 2:3 3:1\n");
    folder.write("table.csv", "a,b,class\n1,2,1\n");
    folder.ok("train svm -g 1 train.svm m");
    folder.ok("predict --scores test.svm m out");
    let text = folder.read("out");
    let scores: Vec<f64> = text
        .lines()
        .skip(1)
        .map(|l| l.parse().expect("a number"))
        .collect();
    // Both kernel values carry the factor exp(-10).
    assert!(scores[0] > 0.0 && scores[0] < 1e-4, "{scores:?}");
    folder.fails(
        "predict table.csv m out2",
        1,
        "error: table.csv: features of the rows to predict: expected 1, found 2",
    );
}

#[test]
fn regressions_are_measured_as_such() {
    let folder = Folder::new("regression");
    let lines: Vec<String> = (0..80)
        .map(|i| f64::from(i) / 10.0)
        .map(|x| format!("{} 1:{x}", x.sin()))
        .collect();
    folder.write("d.svm", lines.join("\n"));
    for method in ["svr -p 0.01 -c 10 -g 1", "nu-svr -c 10 -g 1"] {
        folder.ok(&format!("train {method} d.svm m"));
        let metrics = folder.json("predict d.svm m out")["metrics"].clone();
        assert!(
            metrics["mean_squared_error"].as_f64().expect("a number") < 1e-2,
            "{method}"
        );
        assert!(
            metrics["squared_correlation"].as_f64().expect("a number") > 0.99,
            "{method}"
        );
        let result = folder.json(&format!("cv {method} d.svm"));
        assert!(
            result["metrics"]["mean_squared_error"]["mean"]
                .as_f64()
                .is_some()
        );
    }
}

#[test]
fn cv_prints_every_fold_and_does_not_depend_on_threads() {
    let folder = Folder::new("cv");
    board(&folder);
    let run = folder.ok("cv svm -g 30 -c 10 -v 4 --scale minmax train.svm");
    for word in ["fold", "accuracy", "mean", "± sd"] {
        assert!(run.out.contains(word), "{word}");
    }
    let one = folder.json("cv svm -g 30 -v 4 --scale standard --threads 1 train.svm");
    let many = folder.json("cv svm -g 30 -v 4 --scale standard --threads 8 train.svm");
    assert_eq!(one["folds"], many["folds"]);
    assert_eq!(one["folds"].as_array().map(Vec::len), Some(4));
    let other = folder.json("cv svm -g 30 -v 4 --seed 9 train.svm");
    assert_ne!(one["folds"], other["folds"]);
}

#[test]
fn tune_finds_trains_and_draws() {
    let folder = Folder::new("tune");
    board(&folder);
    let line = "tune svm --grid cost=1,10 --grid gamma=0.01,30 --svg heat.svg train.svm best";
    let run = folder.ok(line);
    assert!(run.out.contains("<- best"), "{}", run.out);
    let result = folder.json(line);
    assert_eq!(result["best"]["point"]["gamma"], 30.0);
    assert_eq!(result["points"].as_array().map(Vec::len), Some(4));
    assert_eq!(result["status"], "converged");
    assert_eq!(folder.json("inspect best")["kernel"], "rbf(gamma=30)");
    assert!(folder.read("heat.svg").starts_with("<svg"));
    assert!(folder.json("predict test.svm best out")["metrics"]["accuracy"].as_f64() > Some(0.85));
    let result = folder.json("tune nu-svm --grid nu=0.1,0.2 --metric auc --margin 1 train.svm");
    assert_eq!(result["metric"], "auc");
    folder.fails(
        "tune svm --grid cost=1,2 --svg h.svg train.svm",
        2,
        "error: --svg draws grids of two axes, and this one has 1",
    );
}

#[test]
fn scale_saves_and_restores() {
    let folder = Folder::new("scale");
    folder.write("a.svm", "1 1:0 2:10\n-1 1:4 2:30\n1 1:2 2:20\n");
    folder.write("b.svm", "1 1:6 2:15\n");
    folder.ok("scale -s range a.svm a.out");
    assert_eq!(folder.read("a.out"), "1 1:-1 2:-1\n-1 1:1 2:1\n1\n");
    assert_eq!(folder.read("range"), "x\n-1 1\n1 0 4\n2 10 30\n");
    folder.ok("scale -r range b.svm b.out");
    assert_eq!(folder.read("b.out"), "1 1:2 2:-0.5\n");
    folder.ok("scale -l 0 -u 1 a.svm a.csv");
    assert!(folder.read("a.csv").starts_with("x1,x2,class\n0,0,1\n"));
    let run = folder.run("scale --standard a.svm -");
    assert_eq!(run.out.lines().count(), 3);
    folder.write("bad", "x\n-1 1\n1 0\n");
    let run = folder.run("scale -r bad b.svm c.out");
    assert_eq!(run.code, 1);
    assert!(
        run.err.starts_with("error: bad: range file, line 3"),
        "{}",
        run.err
    );
}

#[test]
fn generate_lists_and_repeats_itself() {
    let folder = Folder::new("generate");
    let list = folder.ok("generate --list").out;
    let result = folder.json("generate --list");
    let generators = result["generators"].as_array().expect("a list");
    for generator in generators {
        let name = generator["name"].as_str().expect("a name");
        assert!(list.contains(name));
        folder.ok(&format!("generate {name} --rows 60 --seed 4 a.svm"));
        folder.ok(&format!(
            "generate {name} --rows 60 --seed 4 --threads 1 b.svm"
        ));
        assert_eq!(folder.bytes("a.svm"), folder.bytes("b.svm"), "{name}");
        assert!(
            folder.json("inspect a.svm")["rows"].as_u64() > Some(20),
            "{name}"
        );
    }
    folder.ok("generate banana --rows 50 --set noise=0.2 --set flip=0.1 b.csv");
    assert!(folder.read("b.csv").starts_with("x1,x2,class\n"));
    folder.fails(
        "generate banana --set colour=1 c.svm",
        2,
        "error: there is no option of the generator \"colour\": the known ones are noise, flip",
    );
}

#[test]
fn the_demo_needs_no_files_and_draws_its_boundary() {
    let folder = Folder::new("demo");
    let run = folder.ok("demo --rows 500");
    assert!(run.out.contains("FaLK-SVM: local SVMs"), "{}", run.out);
    assert!(run.out.contains("Try next"), "{}", run.out);
    assert_eq!(folder.names(), ["hedgerow-demo.svg"]);
    assert!(folder.read("hedgerow-demo.svg").starts_with("<svg"));
    let result = folder.json("demo --rows 4000 --svg other.svg");
    let models = result["models"].as_array().expect("models");
    assert_eq!(models.len(), 4);
    for model in models {
        assert!(model["accuracy"].as_f64() > Some(0.75), "{model}");
        assert!(model["answer_us"].as_f64() > Some(0.0), "{model}");
    }
}

#[test]
fn a_reader_that_leaves_early_is_no_failure() {
    let folder = Folder::new("pipe");
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_hedgerow"))
        .args(["generate", "checkerboard", "--rows", "100000", "-"])
        .current_dir(folder.path())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("the program starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("the program ends");
    assert_eq!(output.status.code(), Some(0));
    assert!(!String::from_utf8_lossy(&output.stderr).contains("error"));
}

#[test]
fn rows_wider_than_the_model_are_answered_as_without_the_rest() {
    let folder = Folder::new("wide");
    folder.write_clusters("a", 40);
    let narrow = folder.read("a");
    // Dense as text, with a feature that no training row had; once as a zero that is written out.
    let lines = narrow.lines().enumerate();
    let wide: Vec<String> = lines
        .map(|(i, line)| format!("{line} 3:{}\n", i % 2))
        .collect();
    folder.write("wide", wide.concat());
    for method in ["linear-svm", "h-lsvm", "knn", "svm --kernel linear"] {
        folder.ok(&format!("train {method} a m"));
        folder.ok("predict --scores a m narrow");
        folder.ok("predict --scores wide m wide.out");
        // What no training row has is as far from one of them as from another.
        assert_eq!(folder.read("narrow"), folder.read("wide.out"), "{method}");
    }
    folder.ok("falkm FkNN -K 3 a wide out");
    // A table that is too wide is more likely the wrong table.
    folder.write("wide.csv", "label,a,b,c\n1,1,2,3\n-1,4,5,6\n");
    folder.ok("train linear-svm a m");
    assert_ne!(folder.run("predict wide.csv m out").code, 0);
}
