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

/// Kept rows are told as they stand in the file, whatever was done to them before the model saw them.
#[test]
fn kept_rows_are_told_in_the_columns_of_the_file() {
    let folder = Folder::new("proximal-kept");
    let mut lines = vec!["length,colour,still,kind".to_owned()];
    for i in 0..40 {
        let (kind, colour) = if i % 2 == 0 {
            ("a", "red")
        } else {
            ("b", "blue")
        };
        let colour = if i % 7 == 0 { "green" } else { colour };
        let length = 100.5 + f64::from(i % 2) * 30.0 + f64::from(i * 13 % 17);
        lines.push(format!("{length},{colour},5,{kind}"));
    }
    folder.write("t.csv", &(lines.join("\n") + "\n"));
    for options in ["", "--scale standard", "--scale minmax"] {
        folder.ok(&format!("train cregec {options} t.csv m"));
        let facts = folder.json("inspect m");
        let kept = facts["kept_rows"].as_array().expect("rows");
        assert!(kept.len() >= 2);
        let numbers: Vec<u64> = kept.iter().filter_map(|row| row["row"].as_u64()).collect();
        let listed: Vec<u64> = facts["chunk_rows"]
            .as_array()
            .expect("rows")
            .iter()
            .filter_map(serde_json::Value::as_u64)
            .collect();
        assert_eq!(numbers, listed);
        for row in kept {
            let line = &lines[row["row"].as_u64().expect("number") as usize];
            let cells: Vec<&str> = line.split(',').collect();
            let values = &row["values"];
            assert_eq!(values["length"], cells[0].parse::<f64>().expect("number"));
            assert_eq!(values["colour"], cells[1]);
            assert_eq!(values["still"], 5.0);
            assert_eq!(row["class"], cells[3]);
        }
        let text = folder.ok("inspect m").out;
        assert!(
            text.contains("rows that are kept") && text.contains("colour"),
            "{text}"
        );
        for fact in ["quotients", "gaps", "ridge"] {
            assert!(text.contains(fact) && !facts[fact].is_null(), "{fact}");
        }
    }
    // Without names, sparse: columns by number, zeros left out.
    folder.write("s.svm", "1 1:2 3:1\n-1 2:1\n1 1:3\n-1 2:2 3:1\n");
    folder.ok("train cregec s.svm m");
    let facts = folder.json("inspect m");
    let first = &facts["kept_rows"][0];
    assert!(
        first["values"]
            .as_object()
            .is_some_and(|values| values.len() < 3),
        "{first}"
    );
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
    // Every surface is as good as any other there: that is said.
    for line in ["train regec equal.svm m", "train i-regec equal.svm m"] {
        let run = folder.run(line);
        assert!(
            run.err.contains("warning: the next eigenvalue"),
            "{}",
            run.err
        );
    }
    let run = folder.run("train regec --quiet equal.svm m");
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    // Kernel values that vanish.
    for method in ["regec", "cregec", "kfda"] {
        folder.ok(&format!("train {method} --gamma 1e12 a.svm m"));
    }
    refused(&folder, "train regec --delta 0 a.svm m", "delta");
    refused(&folder, "train regec -m 0.001 a.svm m", "bytes");
}
