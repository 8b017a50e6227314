//! Proximal classifiers from files.

use crate::common::Folder;

const METHODS: [&str; 6] = ["gepsvm", "regec", "cregec", "i-regec", "kfda", "kqpfs"];

fn refused(folder: &Folder, line: &str, word: &str) {
    let run = folder.run(line);
    assert!(run.code == 1 || run.code == 2, "{line}: {}", run.code);
    assert!(
        run.err.contains("error: ") && run.err.contains(word),
        "{line}: {}",
        run.err
    );
}

fn board(name: &str) -> Folder {
    let folder = Folder::new(name);
    for (file, seed) in [("a.svm", 1), ("b.svm", 2), ("c.svm", 3)] {
        folder.ok(&format!(
            "generate checkerboard --rows 150 --seed {seed} --set cells=2 {file}"
        ));
    }
    folder
}

#[test]
fn proximal_methods_are_trained_described_and_asked() {
    let folder = board("proximal");
    for method in METHODS {
        folder.ok(&format!("train {method} -b 1 a.svm m"));
        let facts = folder.json("inspect m");
        assert_eq!(facts["method"], method);
        let told = folder.json("predict --probability b.svm m out");
        let accuracy = told["metrics"]["accuracy"].as_f64().expect("classes");
        // A plane a class does not part a checkerboard.
        assert!(
            accuracy > if method == "gepsvm" { 0.3 } else { 0.7 },
            "{method}: {accuracy}"
        );
        folder.ok(&format!("train {method} --threads 1 a.svm one"));
        folder.ok(&format!("train {method} --threads 8 a.svm eight"));
        assert_eq!(folder.bytes("one"), folder.bytes("eight"), "{method}");
    }
}

#[test]
fn a_chunk_learns_from_new_rows() {
    let folder = board("proximal-update");
    folder.ok("train cregec --gamma 8 a.svm m");
    let before = folder.json("inspect m");
    let told = folder.json("update --add b.svm m m2");
    assert_eq!(told["added"], 150);
    assert_eq!(told["remembered"], 300);
    // Rows of the chunk stay.
    let after = folder.json("inspect m2");
    let rows = after["chunk_rows"].as_array().expect("rows");
    for row in before["chunk_rows"].as_array().expect("rows") {
        assert!(rows.contains(row), "{row} {rows:?}");
    }
    // The same batches from nothing give the same bytes.
    folder.ok("train cregec --gamma 8 a.svm again");
    folder.ok("update --add b.svm again");
    assert_eq!(folder.bytes("m2"), folder.bytes("again"));
    folder.ok("train cregec --gamma 8 --reservoir 60 a.svm small");
    let told = folder.json("update --add b.svm small");
    assert!(told["remembered"].as_u64() < Some(100), "{told}");
    folder.write("gone", "1\n2\n3\n");
    let told = folder.json("update --remove gone m2");
    assert_eq!(told["remembered"], 297);
    folder.write("gone", "900\n");
    refused(&folder, "update --remove gone m2", "900");
    refused(&folder, "update --add b.svm --refresh 0.1 m2", "refresh");
    folder.ok("train cregec --updatable 0 a.svm fixed");
    assert!(folder.bytes("fixed").len() < folder.bytes("m").len());
    refused(&folder, "update --add b.svm fixed", "updatable");
}

#[test]
fn hostile_rows_are_learned_or_refused() {
    let folder = board("proximal-hostile");
    folder.write("one.svm", "1 1:2\n1 1:3\n");
    folder.write("pair.svm", "1 1:2\n-1 1:3\n");
    folder.write("equal.svm", "1 1:2\n-1 1:2\n-1 1:2\n1 1:2\n");
    folder.write("huge.svm", "1 1:1e300\n-1 1:-1e300\n-1 1:0\n1 1:1e-300\n");
    folder.write("wide.svm", "1 1:1 9:2\n-1 3:1 8:1\n1 1:2 9:1\n-1 3:2 4:1\n");
    folder.write(
        "constant.svm",
        "1 1:5 2:1\n-1 1:5 2:2\n1 1:5 2:1.5\n-1 1:5 2:3\n",
    );
    folder.write("empty.svm", "");
    let files = ["one", "pair", "equal", "huge", "wide", "constant", "empty"];
    for file in files {
        for method in METHODS {
            let run = folder.run(&format!("train {method} {file}.svm m"));
            let refused = run.code == 1 && run.err.contains("error: ");
            let must = matches!(file, "one" | "empty");
            assert!(
                refused || (run.code == 0 && !must),
                "{method} {file}: {} {}",
                run.code,
                run.err
            );
        }
    }
    // Kernel values that vanish.
    for method in ["regec", "cregec", "kfda"] {
        folder.ok(&format!("train {method} --gamma 1e12 a.svm m"));
    }
    refused(&folder, "train regec --delta 0 a.svm m", "delta");
    refused(&folder, "train regec -m 0.001 a.svm m", "bytes");
}
