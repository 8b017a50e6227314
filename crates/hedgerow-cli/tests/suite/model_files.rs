//! Model files from the command line: damaged, foreign, newer, and LIBSVM's.

use crate::common;

use common::{Folder, golden};

fn trained(name: &str) -> Folder {
    let folder = Folder::new(name);
    folder.write_clusters("d.svm", 40);
    folder.ok("train svm --defaults -c 2 -b 1 d.svm m");
    folder
}

#[test]
fn a_cut_off_model_is_refused_at_every_length() {
    let folder = trained("cut-off");
    let whole = folder.bytes("m");
    for length in [0, 1, 7, 8, 11, 20, whole.len() / 2, whole.len() - 1] {
        folder.write("cut", &whole[..length]);
        let run = folder.run("predict d.svm cut out");
        assert_eq!(run.code, 1, "{length}: {}", run.err);
        let expected = if length == 0 {
            "error: cut: not a Hedgerow model file"
        } else {
            "error: cut: the model file is cut off: "
        };
        assert!(run.err.starts_with(expected), "{length}: {}", run.err);
        assert!(!folder.has("out"));
        if length > 0 {
            let run = folder.run("inspect cut");
            assert_eq!(run.code, 1, "{length}: {}", run.err);
            assert!(run.err.starts_with(expected), "{length}: {}", run.err);
        }
    }
}

#[test]
fn a_changed_byte_is_found() {
    let folder = trained("changed-byte");
    let whole = folder.bytes("m");
    for at in (0..whole.len()).step_by(37) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x10;
        folder.write("bad", bytes);
        let run = folder.run("predict d.svm bad out");
        assert_eq!(run.code, 1, "byte {at}: {}", run.err);
        assert!(
            run.err.starts_with("error: bad: "),
            "byte {at}: {}",
            run.err
        );
        assert!(!run.err.contains("panicked"), "byte {at}: {}", run.err);
    }
}

/// The checksum by its definition, a bit at a time.
fn crc32(bytes: &[u8]) -> u32 {
    let mut rest = u32::MAX;
    for byte in bytes {
        rest ^= u32::from(*byte);
        for _ in 0..8 {
            rest = (rest >> 1) ^ (0xEDB8_8320 & (rest & 1).wrapping_neg());
        }
    }
    !rest
}

#[test]
fn newer_older_longer_and_foreign_files_are_told_apart() {
    let folder = trained("foreign");
    let mut newer = folder.bytes("m");
    newer[8] = 9;
    folder.write("newer", &newer);
    folder.ok("train falk-svm -K 10 d.svm local");
    let mut older = folder.bytes("local");
    older[8] = 2;
    let end = older.len() - 4;
    let checksum = crc32(&older[..end]).to_le_bytes();
    older[end..].copy_from_slice(&checksum);
    folder.write("older", &older);
    let mut longer = folder.bytes("m");
    longer.extend_from_slice(b"xy");
    folder.write("longer", &longer);
    folder.write("foreign", "PK\u{3}\u{4}zip");
    for (file, message) in [
        (
            "newer",
            "error: newer: model format 9 is newer than this program knows (up to 6); update Hedgerow",
        ),
        (
            "older",
            "error: older: model format 2 is older than this program reads of the method (3); train the model again",
        ),
        (
            "longer",
            "error: longer: the model file is damaged: 2 bytes after the end",
        ),
        ("foreign", "error: foreign: not a Hedgerow model file"),
        ("d.svm", "error: d.svm: not a Hedgerow model file"),
    ] {
        folder.fails(&format!("predict d.svm {file} out"), 1, message);
    }
}

#[test]
fn a_damaged_libsvm_model_is_refused_with_its_line() {
    let folder = trained("libsvm-damaged");
    folder.write("m.txt", "svm_type c_svc\nkernel_type rbf\ngamma x\n");
    folder.fails(
        "predict d.svm m.txt out",
        1,
        "error: m.txt, line 3: gamma: \"x\" is not a finite number",
    );
}

#[test]
fn a_libsvm_model_of_negative_degree_is_refused() {
    let folder = trained("libsvm-degree");
    folder.ok("train svm -t 1 -d 2 --libsvm-model d.svm poly.txt");
    let text = folder.read("poly.txt");
    assert!(text.contains("degree 2\n"));
    for degree in ["-2", "0", "-2147483648"] {
        folder.write(
            "bad.txt",
            text.replace("degree 2\n", &format!("degree {degree}\n")),
        );
        folder.fails(
            "predict d.svm bad.txt out",
            1,
            &format!(
                "error: bad.txt: the LIBSVM model is damaged: parameter degree = {degree}: must be at least 1 and below 2^31"
            ),
        );
    }
}

#[test]
fn scores_and_labels_agree_for_every_scheme() {
    let folder = Folder::new("scores-labels");
    folder.ok("generate blobs --rows 120 --set classes=4 --seed 5 d.svm");
    let columns = [("ovo", 6), ("dag", 6), ("ovr", 4)];
    for (scheme, width) in columns {
        folder.ok(&format!("train svm --multiclass {scheme} d.svm m"));
        let labels = folder.json("predict d.svm m out");
        let scores = folder.json("predict --scores d.svm m out");
        assert_eq!(labels["metrics"], scores["metrics"], "{scheme}");
        let text = folder.read("out");
        assert_eq!(text.lines().count(), 121, "{scheme}");
        assert!(text.lines().all(|line| line.split(' ').count() == width));
    }
}

#[test]
fn the_model_does_not_depend_on_the_number_of_threads() {
    let folder = Folder::new("threads");
    folder.ok("generate blobs --rows 600 --set classes=4 --seed 3 d.svm");
    for method in [
        "svm -b 1 --scale standard",
        "svm --multiclass ovr",
        "nu-svm -n 0.05",
    ] {
        let mut models = Vec::new();
        for threads in [1, 2, 8] {
            folder.ok(&format!("train {method} --threads {threads} d.svm m"));
            models.push(folder.bytes("m"));
        }
        assert_eq!(models[0], models[1], "{method}");
        assert_eq!(models[0], models[2], "{method}");
    }
}

#[test]
fn models_travel_compressed_and_through_pipes() {
    let folder = trained("travel");
    let expected = folder.bytes("m");
    let answers = {
        folder.ok("predict d.svm m out");
        folder.read("out")
    };
    for ending in ["gz", "zst"] {
        folder.ok(&format!(
            "train svm --defaults -c 2 -b 1 d.svm z.model.{ending}"
        ));
        folder.ok(&format!("predict d.svm z.model.{ending} out"));
        assert_eq!(folder.read("out"), answers, "{ending}");
        folder.ok(&format!(
            "generate banana --seed 1 --rows 200 b.svm.{ending}"
        ));
        folder.ok(&format!("train svm b.svm.{ending} b.model"));
        assert_eq!(folder.json(&format!("inspect b.svm.{ending}"))["rows"], 200);
    }
    let data = folder.bytes("d.svm");
    let run = folder.run_with("train svm --defaults -c 2 -b 1 - p.model", &data);
    assert_eq!(run.code, 0, "{}", run.err);
    assert_eq!(
        folder.bytes("p.model"),
        expected,
        "the same bytes from standard input"
    );
    let run = folder.run_with("predict - m -", &data);
    assert_eq!(run.out, answers, "only answers on standard output");
    assert!(run.err.contains("accuracy"), "{}", run.err);
    let run = folder.run_with("predict d.svm - out", &expected);
    assert_eq!(run.code, 0, "{}", run.err);
    assert_eq!(folder.read("out"), answers);
}

#[test]
fn inspect_tells_what_a_model_holds() {
    let folder = trained("inspect");
    let seen = folder.json("inspect m");
    assert_eq!(seen["kind"], "model");
    assert_eq!(seen["method"], "svm");
    assert_eq!(seen["features"], 2);
    assert_eq!(seen["classes"], "1, -1");
    assert_eq!(seen["kernel"], "rbf(gamma=0.5)");
    assert_eq!(seen["parameters"]["cost"], 2);
    assert_eq!(seen["probability"], true);
    assert_eq!(seen["report"]["status"], "converged");
    assert_eq!(
        seen["report"]["seconds"], 0.0,
        "time is not part of a model"
    );
}

/// LIBSVM's own model files must answer as LIBSVM did.
#[test]
fn libsvm_models_answer_as_libsvm_does() {
    let folder = Folder::new("golden-in");
    let golden_text = std::fs::read_to_string(golden("libsvm.json")).expect("golden answers");
    let all: serde_json::Value = serde_json::from_str(&golden_text).expect("JSON");
    let cases = all["cases"].as_array().expect("a list of cases");
    assert!(cases.len() > 10);
    for case in cases {
        let name = case["name"].as_str().expect("a name");
        let Some(model) = case["model"].as_str().map(golden) else {
            continue;
        };
        let test = golden(case["test"].as_str().expect("a test file"));
        folder.ok(&format!("predict {test} {model} out"));
        let answers: Vec<f64> = folder
            .read("out")
            .lines()
            .map(|line| line.parse().expect("a number"))
            .collect();
        let expected: Vec<f64> = case["loose"]["predicted"]
            .as_array()
            .expect("answers")
            .iter()
            .map(|value| value.as_f64().expect("a number"))
            .collect();
        assert_eq!(answers.len(), expected.len(), "{name}");
        for (row, (ours, theirs)) in answers.iter().zip(&expected).enumerate() {
            assert!(
                (ours - theirs).abs() <= 1e-6 * theirs.abs().max(1.0),
                "{name}, row {}: {ours} against {theirs}",
                row + 1
            );
        }
    }
}

#[test]
fn libsvm_probability_models_answer_as_libsvm_does() {
    let folder = Folder::new("golden-probability");
    let golden_text = std::fs::read_to_string(golden("libsvm.json")).expect("golden answers");
    let all: serde_json::Value = serde_json::from_str(&golden_text).expect("JSON");
    let mut tested = 0;
    for case in all["cases"].as_array().expect("a list of cases") {
        let Some(model) = case["probability"]["model"].as_str().map(golden) else {
            continue;
        };
        let test = golden(case["test"].as_str().expect("a test file"));
        folder.ok(&format!("predict -b 1 {test} {model} out"));
        let text = folder.read("out");
        let mut lines = text.lines();
        let numbers = |value: &serde_json::Value| -> Vec<f64> {
            let list = value.as_array().expect("a list").iter();
            list.map(|v| v.as_f64().expect("a number")).collect()
        };
        let labels: Vec<String> = numbers(&case["probability"]["labels"])
            .iter()
            .map(ToString::to_string)
            .collect();
        assert_eq!(
            lines.next(),
            Some(format!("labels {}", labels.join(" ")).as_str())
        );
        let rows = case["probability"]["rows"].as_array().expect("rows");
        let predicted = numbers(&case["probability"]["predicted"]);
        for ((line, row), label) in lines.zip(rows).zip(predicted) {
            let ours: Vec<f64> = line
                .split(' ')
                .map(|word| word.parse().expect("a number"))
                .collect();
            assert_eq!(ours[0], label);
            for (p, q) in ours[1..].iter().zip(numbers(row)) {
                assert!((p - q).abs() < 1e-6, "{model}: {p} {q}");
            }
        }
        tested += 1;
    }
    assert!(tested >= 3);
}

#[test]
fn models_written_for_libsvm_read_back_and_answer_alike() {
    let folder = Folder::new("golden-out");
    for (method, data) in [
        ("svm -t 2 -g 0.5 -c 4", "iris"),
        ("svm -t 0", "heart"),
        ("svm -t 2 -b 1", "iris"),
        ("nu-svm -n 0.2", "iris"),
        ("one-class -n 0.2", "svmguide1"),
        ("svr -t 1 -d 2 -r 1", "wave"),
        ("nu-svr", "wave"),
        ("svm -t 4", "precomputed"),
    ] {
        let (train, test) = (
            golden(&format!("{data}.train")),
            golden(&format!("{data}.test")),
        );
        folder.ok(&format!("train {method} {train} m"));
        folder.ok(&format!("train {method} --libsvm-model {train} m.txt"));
        let text = folder.read("m.txt");
        assert!(text.starts_with("svm_type "), "{method}");
        folder.ok(&format!("predict {test} m out"));
        folder.ok(&format!("predict {test} m.txt out.txt"));
        if method.contains("svr") {
            let read = |name: &str| -> Vec<f64> {
                let text = folder.read(name);
                text.lines().map(|l| l.parse().expect("a number")).collect()
            };
            for (a, b) in read("out").iter().zip(read("out.txt")) {
                assert!((a - b).abs() < 1e-9 * a.abs().max(1.0), "{method}: {a} {b}");
            }
        } else {
            assert_eq!(folder.read("out"), folder.read("out.txt"), "{method}");
        }
        assert_eq!(
            folder.json("inspect m.txt")["support_vectors"],
            folder.json("inspect m")["support_vectors"],
            "{method}"
        );
    }
}

#[test]
fn what_libsvm_cannot_say_is_not_written() {
    let folder = Folder::new("not-libsvm");
    folder.write("t.svm", "a 1:1\nb 1:2\n");
    folder.write_clusters("d.svm", 20);
    folder.ok("generate blobs --rows 60 --set classes=3 three.svm");
    for (line, problem) in [
        (
            "train svm --libsvm-model t.svm m",
            "its labels are whole numbers, and there is a class a",
        ),
        (
            "train svm --libsvm-model -k laplacian(lambda=1) d.svm m",
            "LIBSVM has no kernel laplacian(lambda=1); it knows linear, poly, rbf, sigmoid, precomputed",
        ),
        (
            "train svm --libsvm-model --scale minmax d.svm m",
            "it has no place for scaling; scale the files first (hedgerow scale)",
        ),
        (
            "train svm --libsvm-model --multiclass ovr three.svm m",
            "LIBSVM decides between several classes one against one; train with --multiclass ovo",
        ),
    ] {
        folder.fails(
            line,
            1,
            &format!("error: the model cannot be written as LIBSVM model text: {problem}"),
        );
    }
}

#[test]
fn models_of_format_3_answer_as_they_did() {
    let folder = Folder::new("format-3");
    folder.ok(&format!(
        "predict -b 1 {} {} out",
        golden("iris.test"),
        golden("models/iris-format-3.hedgerow")
    ));
    let expected = std::fs::read_to_string(golden("models/iris-format-3.predicted")).unwrap();
    assert_eq!(folder.read("out"), expected);
}
