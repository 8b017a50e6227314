//! `clean`, `resample`, `train --clean` and the noise programs of `falkm`.

use crate::common::Folder;

/// Two tidy clusters with one wrong label in each, comments, a blank line, `qid` and odd spelling.
fn write_dirty(folder: &Folder, name: &str) -> Vec<String> {
    let mut lines = vec!["# a comment of its own\n".to_owned()];
    for i in 0..12 {
        let at = f64::from(i) / 100.0;
        let (left, right) = if i == 5 { ("-1", "+1") } else { ("+1", "-1") };
        lines.push(format!("{left} qid:{i} 1:{at}  2:0.5 # note {i}\n"));
        lines.push(format!("{right} 1:{} 2:{at}\r\n", 5.0 + at));
    }
    lines.push("\n".to_owned());
    folder.write(name, lines.concat());
    lines
}

#[test]
fn lines_that_stay_are_the_lines_of_the_file() {
    let folder = Folder::new("clean-lines");
    let lines = write_dirty(&folder, "a.svm");
    let expected: String = lines
        .iter()
        .filter(|line| !line.starts_with("-1 qid") && !line.starts_with("+1 1:5"))
        .map(String::as_str)
        .collect();
    for method in [
        "enn",
        "renn",
        "aknn --neighbours 1",
        "aknnc --neighbours 1",
        "knn-svm-nr -K 8 --kernel linear",
        "knn-svm-nr -K 8 --kernel linear --rule hard",
        "enn --scale minmax",
    ] {
        let told = folder.json(&format!("clean {method} a.svm out.svm"));
        assert_eq!(
            told["removed"].as_u64().map(|n| n >= 2),
            Some(true),
            "{method}"
        );
        if !method.starts_with("aknn") {
            assert_eq!(folder.read("out.svm"), expected, "{method}");
        }
    }
    folder.ok("clean enn a.svm out.svm.gz");
    folder.ok("clean enn out.svm.gz again.svm");
    assert_eq!(folder.read("again.svm"), expected);
    let piped = folder.run_with("clean enn - -", &folder.bytes("a.svm"));
    assert_eq!((piped.code, piped.out.as_str()), (0, expected.as_str()));
}

#[test]
fn labels_are_changed_in_place() {
    let folder = Folder::new("clean-relabel");
    let lines = write_dirty(&folder, "a.svm");
    folder.ok("clean enn --relabel a.svm out.svm");
    let expected: String = lines
        .iter()
        .map(|line| match line {
            line if line.starts_with("-1 qid") => line.replacen("-1", "+1", 1),
            line if line.starts_with("+1 1:5") => line.replacen("+1", "-1", 1),
            line => line.clone(),
        })
        .collect();
    assert_eq!(folder.read("out.svm"), expected);
    // A table: the label stands in the middle and has quotes.
    let mut table = String::from("x,kind,\"y, too\"\n");
    for i in 0..8 {
        let kind = if i == 3 { "\"b, c\"" } else { "a" };
        let rows = format!("0.{i}, {kind} ,1\n9.{i},\"b, c\",1\n");
        table.push_str(&rows);
    }
    folder.write("t.csv", &table);
    folder.ok("clean enn --label kind --relabel t.csv t.out.csv");
    let expected = table.replace("0.3, \"b, c\" ,1", "0.3, a ,1");
    assert_eq!(folder.read("t.out.csv"), expected);
}

#[test]
fn the_report_names_rows_scores_and_neighbours() {
    let folder = Folder::new("clean-report");
    write_dirty(&folder, "a.svm");
    folder.ok("clean enn --report r.csv --page r.html --evidence 2 a.svm out.svm");
    let report = folder.read("r.csv");
    let rows: Vec<&str> = report.lines().collect();
    assert_eq!(
        rows[0],
        "row,label,trust,suggested,nearest_same,nearest_other"
    );
    assert_eq!(rows.len(), 3);
    assert!(rows[1].starts_with("11,-1,0.000000,1,") && rows[2].starts_with("12,1,0.000000,-1,"));
    assert!(rows[1].contains("9:1:0.01"), "{}", rows[1]);
    let page = folder.read("r.html");
    assert!(page.contains("2 of 24 rows removed by enn") && page.contains("note 5"));
    folder.ok("clean enn --score-only a.svm scores.csv");
    let scores = folder.read("scores.csv");
    assert_eq!(scores.lines().count(), 25);
    assert!(scores.contains("\n11,-1,0.000000,1,0\n"));
    let run = folder.ok("clean enn --overlap renn;bbnr a.svm out.svm");
    assert!(run.out.contains("by no other") && run.out.contains("bbnr"));
}

#[test]
fn a_class_that_vanishes_is_told() {
    let folder = Folder::new("clean-vanish");
    folder.write("a.svm", "1 1:0\n1 1:1\n1 1:2\n2 1:0.5\n1 1:3\n");
    let run = folder.ok("clean enn a.svm out.svm");
    assert!(
        run.err.contains("warning: no row of class 2 is left"),
        "{}",
        run.err
    );
    folder.write("b.svm", "1 1:0\n2 1:1\n");
    let run = folder.ok("clean enn b.svm none.svm");
    assert!(run.err.contains("warning: no row is left"), "{}", run.err);
    assert_eq!(folder.read("none.svm"), "");
    folder.write("one.svm", "1 1:0\n");
    for method in ["enn", "renn", "aknn", "bbnr", "knn-svm-nr", "falknr"] {
        folder.ok(&format!("clean {method} one.svm same.svm"));
        assert_eq!(folder.read("same.svm"), "1 1:0\n");
        folder.ok(&format!("clean {method} a.svm many.svm"));
    }
}

#[test]
fn what_is_wrong_is_said() {
    let folder = Folder::new("clean-wrong");
    folder.write_clusters("a.svm", 20);
    folder.write("empty.svm", "");
    for (line, code, start) in [
        (
            "clean enn --neighbours 0 a.svm o",
            2,
            "error: parameter neighbours = 0",
        ),
        (
            "clean nothing a.svm o",
            2,
            "error: there is no method \"nothing\": the methods are falknr",
        ),
        (
            "resample nothing a.svm o",
            2,
            "error: there is no method \"nothing\": the methods are rus",
        ),
        ("clean enn missing.svm o", 1, "error:"),
        ("clean enn empty.svm o", 1, "error:"),
        (
            "train svm --clean nothing a.svm m",
            2,
            "error: there is no method \"nothing\" of cleaning",
        ),
        ("train svm --clean enn:k=x a.svm m", 2, "error:"),
        (
            "train svm --clean smote a.svm m",
            2,
            "error: there is no method \"smote\" of cleaning",
        ),
        (
            "train svm --resample enn a.svm m",
            2,
            "error: there is no method \"enn\" of resampling: the methods are rus",
        ),
        (
            "train svm --resample smote:neighbours=0 a.svm m",
            2,
            "error:",
        ),
        (
            "clean enn --overlap nothing a.svm o",
            2,
            "error: there is no method",
        ),
    ] {
        let before = folder.names();
        let run = folder.run(line);
        assert_eq!(run.code, code, "{line}: {}", run.err);
        assert!(run.err.starts_with(start), "{line}: {}", run.err);
        assert_eq!(folder.names(), before, "{line}");
    }
}

#[test]
fn new_rows_follow_those_of_the_file() {
    let folder = Folder::new("resample");
    let lines = |n: usize, line: &dyn Fn(usize) -> String| (0..n).map(line).collect::<Vec<_>>();
    let rare = lines(8, &|i| format!("2 1:0.{i} 2:1\n")).concat();
    let common = lines(20, &|i| format!("1 1:{i} 2:7 # kept\n")).concat();
    let text = format!("{rare}{}", common.trim_end());
    folder.write("a.svm", &text);
    let told = folder.json("resample smote a.svm out.svm");
    assert_eq!(told["added"], 12);
    let out = folder.read("out.svm");
    assert!(out.starts_with(&format!("{text}\n")));
    assert_eq!(out.lines().count(), 40);
    assert!(out.lines().skip(28).all(|line| line.starts_with("2 1:0.")));
    folder.ok("resample rus a.svm rus.svm");
    assert_eq!(folder.read("rus.svm").lines().count(), 16);
    assert_eq!(
        folder.read("rus.svm").lines().take(8).collect::<Vec<_>>(),
        rare.lines().collect::<Vec<_>>()
    );
    folder.ok("resample tomek a.svm tomek.svm");
    // A table gets its cells where they belong; categories cannot be mixed.
    let class = |i: usize| if i < 6 { "b" } else { "a" };
    let table = lines(20, &|i| format!("{i},{},{i}.5\n", class(i))).concat();
    folder.write("t.csv", format!("x,class,z\n{table}"));
    folder.ok("resample smote t.csv t.out.csv");
    let out = folder.read("t.out.csv");
    assert_eq!(out.lines().count(), 29);
    assert!(
        out.lines()
            .skip(21)
            .all(|line| line.split(',').nth(1) == Some("b"))
    );
    folder.write(
        "n.csv",
        "colour,x,class\nred,1,a\nblue,2,a\nred,3,a\nred,4,b\nblue,5,b\n",
    );
    let run = folder.run("resample smote n.csv n.out.csv");
    assert_eq!(run.code, 1, "{}", run.err);
    assert!(
        run.err.contains("nothing between two categories"),
        "{}",
        run.err
    );
    assert!(!folder.has("n.out.csv"));
}

#[test]
fn training_can_clean_first() {
    let folder = Folder::new("clean-train");
    folder.ok("generate checkerboard --rows 300 --seed 1 --set cells=2 --set noise=0.1 a.svm");
    let plain = folder.json("train svm -c 10 -g 20 a.svm plain.model");
    let clean = folder.json("train svm -c 10 -g 20 --clean enn:neighbours=5 a.svm clean.model");
    assert!(clean["bounded"].as_u64() < plain["bounded"].as_u64());
    assert_eq!(clean["parameters"]["clean"], "enn:neighbours=5");
    folder.ok("clean enn --neighbours 5 a.svm cleaned.svm");
    let edited = folder.json("train svm -c 10 -g 20 cleaned.svm same.model");
    assert_eq!(edited["support_vectors"], clean["support_vectors"]);
    // All rows are tested, those that training leaves out too.
    let cv = folder.ok("cv svm -c 10 -g 20 --clean falknr:neighbours=50 a.svm");
    let tested = cv
        .out
        .lines()
        .filter(|line| line.split_whitespace().nth(1) == Some("60"));
    assert_eq!(tested.count(), 5, "{}", cv.out);
}

#[test]
fn the_noise_programs_edit_files() {
    let folder = Folder::new("falkm-noise");
    folder.ok("generate checkerboard --rows 300 --seed 1 --set cells=2 --set noise=0.08 a.svm");
    let all = folder.read("a.svm");
    for line in [
        "FkNNSVM-nr -t 2 -K 40 -T 0.4 -c 10",
        "FkNNSVM-nr -t 0 -L 1 -C 0.01:1.0:100.0 -N 25:50 -T 0.4 -M 4 -R 1",
        "FaLKNR -t 2 -L 1 -R 3 -K 100 -P 0.25 -C 1.0:10.0:100.0 -g -0.5 -M 4",
        "FaLKNR -K 100 -S 1",
    ] {
        let run = folder.ok(&format!("falkm {line} a.svm out.svm"));
        assert_eq!(
            run.out.is_empty(),
            line.contains("-S 1"),
            "{line}: {}",
            run.out
        );
        let out = folder.read("out.svm");
        let kept: Vec<&str> = out.lines().collect();
        assert!(
            kept.len() < 300 && kept.len() > 150,
            "{line}: {}",
            kept.len()
        );
        let mut rest = all.lines();
        assert!(
            kept.iter().all(|line| rest.any(|other| other == *line)),
            "{line}: order"
        );
    }
    let same = folder.json("falkm FaLKNR -K 100 -P 0.25 -R 0 a.svm one.svm");
    folder.ok("clean falknr -K 100 -P 0.25 a.svm two.svm");
    assert_eq!(folder.read("one.svm"), folder.read("two.svm"));
    assert!(same["removed"].as_u64() > Some(0));
}

/// The mean probability of a class in a file of probabilities.
fn mean_probability(text: &str, class: &str) -> f64 {
    let mut lines = text.lines();
    let head = lines.next().expect("a line of labels");
    let column = head.split_whitespace().position(|word| word == class);
    let column = column.expect("the class");
    let value = |line: &str| -> f64 {
        let word = line.split_whitespace().nth(column).expect("a column");
        word.parse().expect("a probability")
    };
    let all: Vec<f64> = lines.map(value).collect();
    all.iter().sum::<f64>() / all.len() as f64
}

#[test]
fn probabilities_after_resampling_are_those_of_the_data() {
    let folder = Folder::new("train-resample");
    // Two overlapping classes, one row of the second to nine of the first.
    folder.ok("generate rare-mixture --rows 1500 --seed 3 a.svm");
    let told = folder.json("inspect a.svm");
    assert_eq!(told["rows"], 1500);
    let share = 0.1;
    for method in ["rus", "smote", "smote:neighbours=3"] {
        folder.ok(&format!(
            "train svm --defaults -b 1 --scale standard --resample {method} a.svm m"
        ));
        folder.ok("predict -b 1 a.svm m out");
        let mean = mean_probability(&folder.read("out"), "1");
        // Without the correction the mean is near one half.
        assert!(
            (mean - share).abs() < 0.3 * share,
            "{method}: {mean} {share}"
        );
        let facts = folder.json("inspect m");
        let sizes = facts["class_sizes"].as_array().expect("sizes");
        assert_eq!(sizes.len(), 2, "{method}");
        assert_eq!(facts["parameters"]["resample"], method);
    }
    // Rows that come later are not resampled: the sizes in the file would be wrong.
    folder.ok("train falk-svm --resample rus a.svm m");
    let run = folder.run("update --add a.svm m m2");
    assert_eq!(run.code, 2, "{}", run.err);
    assert!(run.err.contains("resampled rows"), "{}", run.err);
    // A fold resamples its own training part, and is tested on rows as they are.
    let told = folder.json("cv svm --resample rus a.svm");
    assert_eq!(told["rows"], 1500);
}
