//! Rankers from files.

#![allow(
    clippy::format_collect,
    clippy::format_push_string,
    reason = "tables of a test are short"
)]

use crate::common::Folder;

const METHODS: [&str; 4] = [
    "rank-rc",
    "rank-rnd",
    "rank-svm",
    "rank-svm --kernel linear",
];

fn rare(name: &str) -> Folder {
    let folder = Folder::new(name);
    folder.ok("generate rare-mixture --rows 400 --seed 1 --set overlap=0.6 a.svm");
    folder.ok("generate rare-mixture --rows 400 --seed 2 --set overlap=0.6 b.svm");
    folder
}

#[test]
fn rankers_are_trained_described_and_asked() {
    let folder = rare("rank");
    for method in METHODS {
        let told = folder.json(&format!("train {method} a.svm m"));
        assert_eq!(told["rows"], 400, "{method}");
        let facts = folder.json("inspect m");
        assert!(facts["lambda"].as_f64() > Some(0.0), "{method}: {facts}");
        let answer = folder.json("predict --operating recall=0.5,alerts=20 b.svm m out");
        let auc = answer["metrics"]["auc"].as_f64().expect("two classes");
        // The classes lie around each other: a plane hardly parts them.
        assert!(auc > 0.5, "{method}: {auc}");
        assert_eq!(answer["metrics"]["positive_class"], "1", "{method}");
        assert_eq!(answer["operating"].as_array().map(Vec::len), Some(2));
        // Scores order the rows as the AUC says.
        folder.ok("predict --scores b.svm m scores");
        assert_eq!(
            folder.read("scores").lines().next(),
            Some("1/-1"),
            "{method}"
        );
    }
    let facts = folder.json("inspect m");
    assert_eq!(facts["method"], "rank-svm");
    folder.ok("train rank-rc --lambda 0.01 a.svm m");
    let bounds = folder.json("inspect --bounds m");
    assert!(bounds["projected_map"].as_f64() > Some(0.0), "{bounds}");
}

#[test]
fn bounds_that_need_data_read_the_training_file() {
    let folder = rare("rank-bounds");
    folder.ok("train rank-rc --basis rare --lambda 0.1 --scale standard a.svm m");
    let some = folder.json("inspect --bounds --data a.svm m");
    let all = folder.json("inspect --bounds --data a.svm --all-pairs m");
    let number = |name: &str| all[name].as_f64().expect("a number");
    // All rare rows are in the basis: the bounds by counting.
    assert_eq!(number("projected_map_printed"), 20.0);
    assert!(number("exact_certificate") <= number("certificate"));
    assert!(number("residuals") <= number("projected_map"));
    assert!(number("kernel_difference") > 0.0 && number("perturbation") > 0.0);
    assert_eq!(some["certificate"], all["certificate"]);
    assert!(some["perturbation"].is_null() && some["exact_certificate"].is_null());
    // Shown to people too.
    let shown = folder.ok("inspect --bounds --data a.svm m");
    assert!(
        shown.out.contains("certificate of objective"),
        "{}",
        shown.out
    );
    // Rows that it was not trained on, and models whose bounds read no data.
    folder.ok("generate rare-mixture --rows 300 --seed 1 other.svm");
    folder.ok("generate blobs --rows 60 c.svm");
    folder.ok("train falk-svm c.svm f");
    for (words, code, part) in [
        (
            "--bounds --data other.svm m",
            1,
            "not the data of the training",
        ),
        ("--data a.svm m", 2, "--bounds"),
        ("--bounds --data c.svm f", 2, "reads its training data"),
        ("--bounds --data a.svm a.svm", 2, "holds data"),
    ] {
        let run = folder.run(&format!("inspect {words}"));
        assert!(
            run.code == code && run.err.contains(part),
            "{words}: {}",
            run.err
        );
    }
}

#[test]
fn bounds_of_levels_read_numbers_or_names() {
    let folder = Folder::new("rank-bounds-levels");
    write_levels(&folder, "days.csv", ["0", "1", "2", "5"]);
    folder.ok("train rank-rc --basis rare --lambda 0.01 --levels days.csv m");
    let told = folder.json("inspect --bounds --data days.csv --all-pairs m");
    assert!(told["exact_certificate"].as_f64() <= told["certificate"].as_f64());
    write_levels(&folder, "words.csv", ["none", "few", "some", "many"]);
    folder.ok("train rank-rc --basis rare --lambda 0.01 --levels=none,few,some,many words.csv m");
    let named = folder.json("inspect --bounds --data words.csv m");
    assert_eq!(named["certificate"], told["certificate"]);
}

#[test]
fn the_class_that_is_looked_for_is_the_rarest_or_the_one_named() {
    let folder = rare("rank-positive");
    folder.ok("train rank-rc --lambda 0.01 --positive -1 a.svm m");
    let told = folder.json("predict b.svm m out");
    assert_eq!(told["metrics"]["positive_class"], "-1");
    let told = folder.json("predict --positive 1 b.svm m out");
    assert_eq!(told["metrics"]["positive_class"], "1");
    let run = folder.run("train rank-rc --positive 7 a.svm m");
    assert!(
        run.code != 0 && run.err.starts_with("error: "),
        "{}",
        run.err
    );
    // Three classes: one against the rest.
    folder.ok("generate blobs --rows 90 c.svm");
    folder.ok("train rank-rc --lambda 0.01 --positive 2 c.svm m");
    assert_eq!(
        folder.json("inspect m")["classes"]
            .as_str()
            .map(|c| c.starts_with("2,")),
        Some(true)
    );
}

#[test]
fn probabilities_are_told_if_asked_for() {
    let folder = rare("rank-probability");
    folder.ok("train rank-rc --lambda 0.01 -b 1 a.svm m");
    folder.ok("predict -b 1 b.svm m out");
    let text = folder.read("out");
    assert!(text.starts_with("labels "), "{text}");
    for line in text.lines().skip(1) {
        let shares: Vec<f64> = line
            .split_whitespace()
            .skip(1)
            .map(|v| v.parse().unwrap())
            .collect();
        assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-9);
    }
}

#[test]
fn searches_and_folds_work_on_rankers() {
    let folder = rare("rank-tune");
    let told =
        folder.json("tune rank-rc --grid lambda=0.001,0.1 --metric average-precision a.svm m");
    assert_eq!(told["metric"], "average_precision");
    let told = folder.json("cv rank-rc --lambda 0.01 --resample rus a.svm");
    assert!(told["metrics"]["auc"]["mean"].as_f64() > Some(0.5));
    folder.ok("train rank-rc --criterion average-precision --inner-folds 3 a.svm m");
}

#[test]
fn the_same_bytes_for_any_number_of_threads_and_any_memory() {
    let folder = rare("rank-threads");
    folder.ok("generate rare-mixture --rows 3000 --seed 3 --set rare=0.05 large.svm");
    for (method, file) in [
        ("rank-rc", "a.svm"),
        ("rank-rc --solver direct --lambda 0.01", "a.svm"),
        ("rank-svm --kernel linear", "a.svm"),
        ("rank-rc --lambda 0.001", "large.svm"),
        ("rank-rc --lambda 0.1 --certified 0.5", "a.svm"),
    ] {
        folder.ok(&format!("train {method} --threads 1 {file} m1"));
        folder.ok(&format!("predict --scores --threads 1 {file} m1 out1"));
        for options in ["--threads 2", "--threads 8", "--threads 2 -m 0.01"] {
            folder.ok(&format!("train {method} {options} {file} m2"));
            assert_eq!(folder.bytes("m1"), folder.bytes("m2"), "{method} {options}");
            folder.ok(&format!("predict --scores --threads 8 {file} m2 out2"));
            assert_eq!(
                folder.bytes("out1"),
                folder.bytes("out2"),
                "{method} {options}"
            );
        }
    }
}

#[test]
fn hostile_rows_are_learned_or_refused() {
    let folder = rare("rank-hostile");
    folder.write("one.svm", "1 1:2\n1 1:3\n");
    folder.write("pair.svm", "1 1:2\n-1 1:3\n");
    folder.write("equal.svm", "1 1:2\n-1 1:2\n-1 1:2\n1 1:2\n-1 1:2\n");
    folder.write("huge.svm", "1 1:1e300\n-1 1:-1e300\n-1 1:0\n-1 1:1e-300\n");
    folder.write("empty.svm", "");
    for (file, codes) in [
        ("one.svm", &[1][..]),
        ("empty.svm", &[1]),
        ("pair.svm", &[0]),
        ("equal.svm", &[0]),
        ("huge.svm", &[0, 1]),
    ] {
        for method in METHODS {
            let run = folder.run(&format!("train {method} --lambda 0.1 {file} m"));
            assert!(
                codes.contains(&run.code),
                "{method} {file}: {} {}",
                run.code,
                run.err
            );
            assert!(
                run.code == 0 || run.err.starts_with("error: "),
                "{}",
                run.err
            );
        }
    }
}

/// Four levels that rise with the first feature, most rows at the lowest.
fn write_levels(folder: &Folder, name: &str, words: [&str; 4]) {
    let line = |i: u32| {
        let x = f64::from(i * 37 % 200) / 200.0;
        let noise = f64::from(i * 61 % 17) / 170.0;
        let level = match x + noise {
            v if v < 0.7 => 0,
            v if v < 0.85 => 1,
            v if v < 0.95 => 2,
            _ => 3,
        };
        format!("{},{x},{}\n", words[level], f64::from(i % 7))
    };
    let rows: String = (0..200).map(line).collect();
    folder.write(name, format!("class,x,z\n{rows}"));
}

#[test]
fn levels_are_ranked_and_told() {
    let folder = Folder::new("rank-levels");
    write_levels(&folder, "numbers.csv", ["0", "1", "3", "10"]);
    write_levels(&folder, "words.csv", ["none", "low", "middle", "high"]);
    let order = "--levels=none,low,middle,high";
    let mut found = Vec::new();
    for (file, levels) in [("numbers.csv", "--levels"), ("words.csv", order)] {
        for method in ["rank-rc", "rank-svm --kernel linear"] {
            folder.ok(&format!(
                "train {method} --scale standard {levels} {file} m"
            ));
            let told = folder.json(&format!("predict {file} m out"));
            let mauc = told["metrics"]["mauc"].as_f64().expect("levels");
            assert!(mauc > 0.93, "{method} {file}: {told}");
            assert!(told["metrics"]["accuracy"].as_f64() > Some(0.7), "{told}");
            let error = told["metrics"]["rmsle"].as_f64().expect("levels");
            assert!(error > 0.0 && error < 0.5, "{told}");
            // Where the levels begin: higher for each.
            let begin = folder.json("inspect m")["scores_where_levels_begin"].clone();
            let begin: Vec<f64> = serde_json::from_value(begin).expect("numbers");
            assert!(begin.len() == 3 && begin.is_sorted(), "{begin:?}");
            found.push(mauc);
        }
        let cv = folder.json(&format!(
            "cv rank-rc --lambda 0.001 --scale standard {levels} {file}"
        ));
        assert!(cv["metrics"]["mauc"]["mean"].as_f64() > Some(0.9), "{cv}");
        assert!(cv["metrics"]["rmsle"]["mean"].as_f64() < Some(0.6), "{cv}");
        let tuned = format!("tune rank-rc --grid lambda=0.001,1 --metric mauc {levels} {file}");
        assert_eq!(folder.json(&tuned)["metric"], "mauc");
    }
    // What the levels are called changes nothing but their map.
    assert_eq!(found[..2], found[2..]);
    for (line, start) in [
        (
            "train rank-rc --levels words.csv m2",
            "error: words.csv: class",
        ),
        (
            "train rank-rc --levels=none,low words.csv m2",
            "error: words.csv: class",
        ),
    ] {
        let run = folder.run(line);
        assert_eq!(run.code, 1, "{line}: {}", run.err);
        assert!(run.err.starts_with(start), "{line}: {}", run.err);
    }
}

#[test]
fn levels_come_from_libsvm_text_too() {
    let folder = Folder::new("rank-levels-libsvm");
    write_levels(&folder, "a.csv", ["0", "1", "3", "10"]);
    let table = folder.read("a.csv");
    let line = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        format!("{} 1:{} 2:{}\n", cells[0], cells[1], cells[2])
    };
    let text: String = table.lines().skip(1).map(line).collect();
    folder.write("a.svm", text);
    let mut found = Vec::new();
    for file in ["a.csv", "a.svm"] {
        folder.ok(&format!(
            "train rank-rc --scale none --lambda 0.01 --levels {file} m"
        ));
        found.push(folder.json(&format!("predict {file} m out"))["metrics"].clone());
        let line = "tune rank-rc --grid lambda=0.001,1 --levels --metric";
        for metric in ["mauc", "rmsle"] {
            let told = folder.json(&format!("{line} {metric} {file}"));
            assert_eq!(told["metric"], metric);
        }
    }
    assert_eq!(found[0], found[1]);
    // Two levels are ranked as well.
    folder.write("two.svm", "3 1:1\n7 1:2\n3 1:0\n7 1:4\n3 1:2\n");
    folder.ok("train rank-rc --lambda 0.1 --levels two.svm m");
    let told = folder.json("predict two.svm m out");
    assert!(told["metrics"]["mauc"].as_f64() > Some(0.8), "{told}");
}

#[test]
fn weights_of_columns_travel_with_the_model() {
    let folder = Folder::new("rank-weights");
    // Inside a circle of the first two columns; the other ten say nothing.
    let mut state = 7u64;
    let mut draw = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) as f64 / f64::from(1u32 << 31) * 4.0 - 2.0
    };
    for (name, rows) in [("a.csv", 400), ("b.csv", 400)] {
        let mut text = (1..=12).map(|f| format!("x{f},")).collect::<String>() + "class\n";
        for _ in 0..rows {
            let row: Vec<f64> = (0..12).map(|_| draw()).collect();
            let inside = row[0] * row[0] + row[1] * row[1] < 0.8;
            for x in &row {
                text += &format!("{x},");
            }
            text += if inside { "in\n" } else { "out\n" };
        }
        folder.write(name, &text);
    }
    let auc = |train: &str| {
        let told = folder.json(&format!("train rank-rc {train} a.csv m"));
        let answer = folder.json("predict b.csv m out");
        (
            told,
            answer["metrics"]["auc"].as_f64().expect("two classes"),
        )
    };
    let (_, plain) = auc("--scale standard");
    let (told, weighted) = auc("--metric ranked");
    assert!(weighted > plain + 0.02, "{weighted} {plain}");
    assert_eq!(told["learned_metric"]["power"], 1.0, "{told}");
    let facts = folder.json("inspect m");
    assert!(facts.to_string().contains("x2"), "{facts}");
    for wrong in [
        "train rank-svm --metric ranked a.csv m2",
        "train rank-rc --metric ranked -g 2 a.csv m2",
        "train rank-rc --metric ranked --metric learned a.csv m2",
    ] {
        let run = folder.run(wrong);
        assert_eq!(run.code, 2, "{wrong}: {}", run.err);
    }
}
