//! Thresholds, operating points and curves of `predict`.

use crate::common::Folder;

/// A rare class, a model of it, and its labels.
fn rare(name: &str) -> Folder {
    let folder = Folder::new(name);
    folder.ok("generate rare-mixture --rows 600 --seed 1 --set overlap=0.6 a.svm");
    folder.ok("generate rare-mixture --rows 600 --seed 2 --set overlap=0.6 b.svm");
    folder.ok("train svm --defaults -w1 9 a.svm m");
    folder
}

fn calls(folder: &Folder, file: &str) -> usize {
    let text = folder.read(file);
    text.lines().filter(|line| *line == "1").count()
}

#[test]
fn a_threshold_of_the_table_gives_the_calls_of_the_table() {
    let folder = rare("operating");
    let aims = "recall=0.8,precision=0.4,alerts=25,cost=9:1,f1";
    let told = folder.json(&format!("predict --operating {aims} b.svm m out"));
    let points = told["operating"].as_array().expect("points");
    assert_eq!(points.len(), 5);
    assert!(points[0]["recall"].as_f64() >= Some(0.8));
    assert!(points[1]["precision"].as_f64() >= Some(0.4));
    assert!(points[2]["alerts"].as_u64() <= Some(25));
    for point in points {
        let threshold = point["threshold"].as_f64().expect("a threshold");
        let again = folder.json(&format!("predict --threshold {threshold} b.svm m out"));
        assert_eq!(
            calls(&folder, "out") as u64,
            point["alerts"].as_u64().unwrap()
        );
        let close = |name: &str| {
            let (a, b) = (&point[name], &again["metrics"][name]);
            (a.as_f64().unwrap() - b.as_f64().unwrap()).abs() < 1e-12
        };
        assert!(
            close("recall") && close("precision") && close("f1"),
            "{point}"
        );
    }
}

#[test]
fn so_many_alerts_as_asked_for() {
    let folder = rare("alerts");
    for n in [0, 1, 17, 600, 5000] {
        folder.ok(&format!("predict --alerts {n} b.svm m out"));
        assert_eq!(calls(&folder, "out"), n.min(600));
    }
    // The other class, looked for, has the other end of the scores.
    folder.ok("predict --alerts 600 --positive -1 b.svm m out");
    assert_eq!(calls(&folder, "out"), 0);
}

#[test]
fn curves_and_intervals_are_there() {
    let folder = rare("curves");
    let told = folder.json("predict --roc roc.svg --precision-recall pr.svg b.svm m out");
    for file in ["roc.svg", "pr.svg"] {
        assert!(folder.read(file).starts_with("<svg"), "{file}");
    }
    let metrics = &told["metrics"];
    let number = |value: &serde_json::Value| value.as_f64().expect("a number");
    let (low, high) = (
        number(&metrics["auc_interval"][0]),
        number(&metrics["auc_interval"][1]),
    );
    assert!(low < number(&metrics["auc"]) && number(&metrics["auc"]) < high);
    assert!(number(&metrics["average_precision"]) > 0.1);
    let other = folder.json("predict --positive -1 b.svm m out");
    let (a, b) = (number(&metrics["auc"]), number(&other["metrics"]["auc"]));
    assert!((a - b).abs() < 1e-12);
    assert!(number(&other["metrics"]["average_precision"]) > 0.8);
    let cv = folder.json("cv svm a.svm");
    assert!(
        cv["metrics"]["average_precision"]["mean"]
            .as_f64()
            .is_some(),
        "{cv}"
    );
    let tuned = folder.json("tune svm --metric average-precision --grid cost=0.1,1 a.svm");
    assert_eq!(tuned["metric"], "average_precision");
}

#[test]
fn what_cannot_be_had_is_said() {
    let folder = rare("operating-errors");
    folder.ok("generate blobs --rows 90 c.svm");
    folder.ok("train svm c.svm three");
    folder.write("plain.svm", "1:0.5 2:0.1\n1:0.2\n");
    for (line, start) in [
        (
            "predict --operating recall=2 b.svm m o",
            "error: --operating recall=2",
        ),
        (
            "predict --operating nothing b.svm m o",
            "error: --operating nothing",
        ),
        (
            "predict --positive 7 b.svm m o",
            "error: --positive 7: the classes",
        ),
        (
            "predict --alerts 3 c.svm three o",
            "error: --alerts: the model does not part two",
        ),
        (
            "predict --roc x.svg --label none plain.svm m o",
            "error: --roc: the rows have no labels",
        ),
        ("predict --threshold 1 --alerts 3 b.svm m o", "error:"),
    ] {
        let before = folder.names();
        let run = folder.run(line);
        assert_eq!(folder.names(), before, "{line}");
        assert_eq!(run.code, 2, "{line}: {}", run.err);
        assert!(run.err.starts_with(start), "{line}: {}", run.err);
    }
}
