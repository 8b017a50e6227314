//! Probabilities: isotonic maps, and data with another share of positives than the training.

use crate::common::{Folder, golden};

fn clusters(name: &str) -> Folder {
    let folder = Folder::new(name);
    folder.ok("generate rare-mixture --rows 600 --seed 1 --set overlap=0.6 a.svm");
    folder.ok("generate rare-mixture --rows 400 --seed 2 --set overlap=0.6 b.svm");
    folder
}

/// The header, and the probabilities of the first class of the header.
fn shares(folder: &Folder, file: &str) -> (String, Vec<f64>) {
    let text = folder.read(file);
    let mut lines = text.lines();
    let head = lines.next().expect("a header").to_owned();
    let share = |line: &str| {
        let cells: Vec<&str> = line.split(' ').collect();
        let [p, q] = [1, 2].map(|at| cells[at].parse::<f64>().expect("a number"));
        assert!(
            (p + q - 1.0).abs() < 1e-12 && (0.0..=1.0).contains(&p),
            "{line}"
        );
        p
    };
    (head, lines.map(share).collect())
}

#[test]
fn every_method_with_a_score_can_be_calibrated() {
    let folder = clusters("isotonic");
    let methods = [
        "svm",
        "rank-rc --lambda 0.01",
        "kfda",
        "linear-svm",
        "falk-svm -K 60",
        "knn",
    ];
    for method in methods {
        folder.ok(&format!("train {method} --calibration isotonic a.svm m"));
        let facts = folder.json("inspect m");
        let told = facts["calibration"].as_str().expect("told");
        assert!(told.starts_with("isotonic, "), "{method}: {told}");
        assert_eq!(facts["parameters"]["calibration"], "isotonic");
        let told = folder.json("predict -b 1 b.svm m out");
        // No plane parts the clusters of the two classes, and a single neighbour is mostly a frequent one.
        if !["linear-svm", "knn"].contains(&method) {
            let auc = told["metrics"]["auc"].as_f64();
            assert!(auc > Some(0.5), "{method}: {told}");
        }
        let (head, p) = shares(&folder, "out");
        assert!(head == "labels 1 -1" || head == "labels -1 1", "{head}");
        // A map that never falls: in the order of the scores.
        folder.ok("predict --scores b.svm m scores");
        let text = folder.read("scores");
        let scores: Vec<f64> = text
            .lines()
            .skip(1)
            .map(|line| line.split(' ').next().unwrap().parse().unwrap())
            .collect();
        let mut order: Vec<usize> = (0..p.len()).collect();
        order.sort_by(|&i, &j| scores[i].total_cmp(&scores[j]));
        let rises = order.windows(2).all(|w| p[w[0]] <= p[w[1]]);
        let falls = order.windows(2).all(|w| p[w[0]] >= p[w[1]]);
        assert!(rises || falls, "{method}");
        // The same however many threads there are.
        folder.ok(&format!(
            "train {method} --calibration isotonic --threads 1 a.svm m1"
        ));
        assert_eq!(folder.bytes("m"), folder.bytes("m1"), "{method}");
    }
}

#[test]
fn the_mean_probability_is_the_share_of_the_class() {
    let folder = clusters("isotonic-share");
    // Also of a model of resampled rows: the map is fitted to rows as they are.
    for line in [
        "svm",
        "svm --resample rus",
        "svm --scale standard --clean enn",
    ] {
        folder.ok(&format!("train {line} --calibration isotonic a.svm m"));
        folder.ok("predict -b 1 a.svm m out");
        let (head, p) = shares(&folder, "out");
        let mean = p.iter().sum::<f64>() / p.len() as f64;
        let rare = if head == "labels 1 -1" {
            mean
        } else {
            1.0 - mean
        };
        let truth = folder
            .read("a.svm")
            .lines()
            .filter(|line| !line.starts_with('-'))
            .count();
        let truth = truth as f64 / p.len() as f64;
        assert!((rare - truth).abs() < 0.1, "{line}: {rare} {truth}");
    }
    let told = folder.json("cv svm --calibration isotonic a.svm");
    assert!(
        told["metrics"]["log_loss"]["mean"].as_f64() > Some(0.0),
        "{told}"
    );
}

#[test]
fn the_sigmoid_is_what_probability_fits() {
    let folder = clusters("sigmoid");
    folder.ok("train svm --calibration sigmoid a.svm m1");
    folder.ok("train svm --probability a.svm m2");
    assert_eq!(folder.bytes("m1"), folder.bytes("m2"));
    folder.ok("generate blobs --rows 90 --set classes=3 c.svm");
    for (line, code, message) in [
        (
            "train knn --calibration sigmoid a.svm m",
            2,
            "error: --calibration sigmoid: knn fits none; --calibration isotonic works with any score",
        ),
        (
            "train svr --calibration isotonic a.svm m",
            2,
            "error: --calibration: svr does not answer with classes",
        ),
        (
            "train svm --calibration isotonic c.svm m",
            1,
            "error: c.svm: the method needs two classes for an isotonic map (the sigmoid takes more), the data have another number of classes",
        ),
        (
            "train svm --libsvm-model --calibration isotonic a.svm m",
            1,
            "error: the model cannot be written as LIBSVM model text: it has no place for an isotonic map; use --calibration sigmoid",
        ),
    ] {
        folder.fails(line, code, message);
    }
    folder.ok("train falk-svm -K 60 --calibration isotonic a.svm m");
    folder.fails(
        "update --add b.svm m m3",
        2,
        "error: the probabilities of the model are an isotonic map fitted to its training rows, and it cannot be updated: train it anew",
    );
    folder.write("pair.svm", "1 1:2\n-1 1:3\n");
    let run = folder.run("train svm --calibration isotonic pair.svm m");
    assert_eq!(run.code, 1, "{}", run.err);
}

#[test]
fn another_share_of_positives_changes_the_odds() {
    let folder = clusters("prior");
    for line in [
        "svm -b 1",
        "svm --calibration isotonic",
        "svm -b 1 --resample rus",
    ] {
        folder.ok(&format!("train {line} a.svm m"));
        folder.ok("predict -b 1 b.svm m out");
        folder.ok("predict -b 1 --prior 0.01 b.svm m changed");
        let sizes = folder.json("inspect m")["rows_of_the_classes"].clone();
        let classes = folder.json("inspect m")["classes"]
            .as_str()
            .map(str::to_owned);
        let first = classes.expect("classes").starts_with('1');
        let at = |i: usize| sizes[i].as_f64().expect("a size");
        assert_eq!(at(0) + at(1), 600.0);
        let trained = at(usize::from(!first)) / 600.0;
        let (head, before) = shares(&folder, "out");
        let (_, after) = shares(&folder, "changed");
        let factor = (0.01 / 0.99) / (trained / (1.0 - trained));
        for (p, q) in before.iter().zip(&after) {
            let (p, q) = if head == "labels 1 -1" {
                (*p, *q)
            } else {
                (1.0 - p, 1.0 - q)
            };
            // Bayes: odds times the ratio of the odds of the classes.
            let expected = p * factor / (p * factor + (1.0 - p));
            assert!((q - expected).abs() < 1e-9, "{line}: {p} {q} {expected}");
        }
        // The share of the training changes nothing but rounding.
        folder.ok(&format!("predict -b 1 --prior {trained} b.svm m same"));
        let (_, same) = shares(&folder, "same");
        assert!(before.iter().zip(&same).all(|(p, q)| (p - q).abs() < 1e-9));
        // The other class, with the other share, is the same statement.
        folder.ok("predict -b 1 --positive -1 --prior 0.99 b.svm m other");
        let (_, other) = shares(&folder, "other");
        assert!(after.iter().zip(&other).all(|(p, q)| (p - q).abs() < 1e-9));
    }
    for (line, message) in [
        (
            "predict --prior 0.1 b.svm m x",
            "error: --prior corrects probabilities: add --probability",
        ),
        (
            "predict -b 1 --prior 1 b.svm m x",
            "error: --prior 1: must be a share between 0 and 1",
        ),
        (
            "predict -b 1 --prior nan b.svm m x",
            "error: --prior NaN: must be a share between 0 and 1",
        ),
    ] {
        folder.fails(line, 2, message);
    }
    folder.ok("generate blobs --rows 90 --set classes=3 c.svm");
    folder.ok("train svm -b 1 c.svm m");
    folder.fails(
        "predict -b 1 --prior 0.1 c.svm m x",
        2,
        "error: --prior: the model does not part two classes",
    );
}

#[test]
fn models_of_format_4_answer_as_they_did() {
    let folder = Folder::new("format-4");
    let data = golden("models/table-format-4.csv");
    let model = golden("models/table-format-4.hedgerow");
    folder.ok(&format!("predict -b 1 {data} {model} out"));
    let expected = std::fs::read_to_string(golden("models/table-format-4.predicted")).unwrap();
    assert_eq!(folder.read("out"), expected);
    folder.fails(
        &format!("predict -b 1 --prior 0.1 {data} {model} x"),
        2,
        "error: --prior: the model file does not tell how often the classes occurred in training: train it anew",
    );
}
