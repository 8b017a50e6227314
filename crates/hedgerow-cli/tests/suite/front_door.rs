//! What a new user meets: good answers without parameters, and a word before the work starts.

#![allow(
    clippy::format_collect,
    clippy::format_push_string,
    reason = "tables of a test are short"
)]

use crate::common::{Folder, noise};

/// A table of two classes that a curve divides, in columns of very different size.
fn write_table(folder: &Folder, name: &str, rows: usize) {
    write_part(folder, name, 0, rows);
}

fn write_part(folder: &Folder, name: &str, from: usize, rows: usize) {
    let line = |i: usize| {
        let (x, y) = (noise(i), 1000.0 * noise(i + 7919));
        let class = if x * x + y * y / 1e6 < 0.6 {
            "in"
        } else {
            "out"
        };
        let colour = ["red", "green", "blue"][i % 3];
        format!("{x},{y},{colour},{class}\n")
    };
    let lines: String = (from..from + rows).map(line).collect();
    folder.write(name, format!("x,y,colour,class\n{lines}"));
}

fn accuracy(folder: &Folder, data: &str, model: &str) -> f64 {
    let told = folder.json(&format!("predict {data} {model} out"));
    told["metrics"]["accuracy"].as_f64().expect("an accuracy")
}

#[test]
fn tables_are_scaled_and_libsvm_text_is_warned_of() {
    let folder = Folder::new("front-scaling");
    write_table(&folder, "t.csv", 300);
    let told = folder.json("train svm --defaults t.csv m");
    assert_eq!(told["scaling"], "standard");
    assert_eq!(folder.json("inspect m")["scaling"], "standard");
    let plain = folder.json("train svm --defaults --scale none t.csv m2");
    assert_eq!(plain["scaling"], "none");
    write_part(&folder, "new.csv", 1000, 300);
    assert!(accuracy(&folder, "new.csv", "m") > accuracy(&folder, "new.csv", "m2") + 0.05);
    for scale in ["quantile", "quantile-normal", "minmax"] {
        let told = folder.json(&format!("train svm --scale {scale} t.csv m"));
        assert_eq!(told["scaling"], scale);
        assert!(accuracy(&folder, "t.csv", "m") > 0.9, "{scale}");
    }
    let rows: String = (0..60)
        .map(|i| format!("{} 1:{} 2:{}\n", i % 2, noise(i), 1e4 * noise(i + 99)))
        .collect();
    folder.write("t.svm", rows);
    let run = folder.ok("train svm t.svm m");
    assert!(
        run.err
            .contains("warning: t.svm: the spreads of the columns differ by a factor of"),
        "{}",
        run.err
    );
    assert!(run.err.contains("add --scale standard"), "{}", run.err);
    let run = folder.ok("train svm --scale none t.svm m");
    assert!(!run.err.contains("spreads"), "{}", run.err);
    folder.ok("scale --quantile t.csv scaled.csv");
    folder.fails_usage("scale --quantile -s ranges t.csv scaled.csv");
}

#[test]
fn what_is_not_told_is_chosen_and_can_be_repeated() {
    let folder = Folder::new("front-choice");
    write_table(&folder, "t.csv", 400);
    for method in ["svm", "knn", "falk-svm", "linear-svm", "logistic", "h-lsvm"] {
        let told = folder.json(&format!("train {method} t.csv m"));
        // A shell takes the quotes away.
        let chosen = told["chosen"].as_str().expect("a choice").replace('"', "");
        folder.ok(&format!("train {method} --defaults {chosen} t.csv again"));
        let answers = |model: &str| {
            folder.ok(&format!("predict --scores t.csv {model} out"));
            folder.read("out")
        };
        assert_eq!(answers("m"), answers("again"), "{method} {chosen}");
        let bytes = folder.bytes("m");
        folder.ok(&format!("train {method} --threads 1 t.csv m"));
        assert_eq!(
            bytes,
            folder.bytes("m"),
            "{method}: threads change the choice"
        );
    }
    // What is told stays.
    let told = folder.json("train svm -c 3 t.csv m");
    assert_eq!(told["parameters"]["cost"], 3);
    assert!(!told["chosen"].as_str().expect("a choice").contains("cost"));
    let told = folder.json("train svm --defaults t.csv m");
    assert!(told["chosen"].is_null());
    assert_eq!(told["parameters"]["cost"], 1);
    let cv = folder.json("cv svm t.csv");
    assert!(cv["metrics"]["accuracy"]["mean"].as_f64() > Some(0.95));
}

#[test]
fn auto_writes_an_ordinary_model_and_tells_how_to_repeat_it() {
    let folder = Folder::new("front-auto");
    write_table(&folder, "t.csv", 1200);
    let told = folder.json("train auto --budget 6s t.csv m");
    assert!(accuracy(&folder, "t.csv", "m") > 0.95);
    let board = told["leaderboard"].as_array().expect("a leaderboard");
    assert!(board.len() >= 4);
    assert!(told["unseen_score"].as_f64() > Some(0.9));
    assert!(told["latency_us"].as_f64() > Some(0.0));
    let repeat = told["repeat"].as_str().expect("a command");
    let words = repeat
        .strip_prefix("hedgerow ")
        .expect("a command")
        .replace('"', "");
    let words = words.strip_suffix(" m").expect("the model at the end");
    folder.ok(&format!("{words} again"));
    assert_eq!(
        accuracy(&folder, "t.csv", "m"),
        accuracy(&folder, "t.csv", "again"),
        "{repeat}"
    );
    let told = folder.json("train auto --budget 3s --explainable t.csv m");
    let method = told["method"].as_str().expect("a method");
    assert!(["logistic", "linear-svm"].contains(&method), "{method}");
    let told = folder.json("train auto --budget 6s --max-mb 0.01 t.csv m");
    assert!(folder.bytes("m").len() <= 10_000, "{told}");
    folder.fails(
        "train auto --budget 2s --max-mb 0.0000001 t.csv m3",
        1,
        "error: t.csv: the method needs a model within the limits of latency and size, the data have none among the candidates (loosen --latency or --max-mb, or give more --budget)",
    );
    assert!(!folder.has("m3"));
    folder.fails_usage("train auto --budget soon t.csv m");
}

#[test]
fn auto_knows_real_targets_and_rare_classes() {
    let folder = Folder::new("front-tasks");
    let rows: String = (0..300)
        .map(|i| {
            format!(
                "{},{},{}\n",
                noise(i),
                noise(i + 500),
                3.0 * noise(i) + 0.1 * noise(i + 900)
            )
        })
        .collect();
    folder.write("real.csv", format!("a,b,y\n{rows}"));
    let run = folder.ok("train auto --budget 3s real.csv m");
    assert!(
        run.out.contains("the label is read as real targets"),
        "{}",
        run.out
    );
    let told = folder.json("predict real.csv m out");
    assert!(told["metrics"]["squared_correlation"].as_f64() > Some(0.95));
    let rows: String = (0..600)
        .map(|i| {
            let rare = i % 40 == 0;
            format!(
                "{},{}\n",
                noise(i) + if rare { 1.5 } else { 0.0 },
                u8::from(rare)
            )
        })
        .collect();
    folder.write("rare.csv", format!("a,y\n{rows}"));
    let run = folder.ok("train auto --budget 3s rare.csv m");
    assert!(
        run.out
            .contains("one class has 2.50 % of the rows: candidates are compared by auc"),
        "{}",
        run.out
    );
    assert!(
        run.err
            .contains("class 1 has 15 of 600 rows: accuracy says little"),
        "{}",
        run.err
    );
}

#[test]
fn columns_that_can_only_mislead_are_left_out_or_told() {
    let folder = Folder::new("front-columns");
    let rows: String = (0..120)
        .map(|i| {
            let class = if noise(i) > 0.0 { "a" } else { "b" };
            let copy = u8::from(class == "a");
            let (month, day) = (1 + i / 28, 1 + i % 28);
            format!(
                "c{i}x,2024-{month:02}-{day:02},{i},7,{},{copy},{class}\n",
                noise(i + 5)
            )
        })
        .collect();
    folder.write(
        "t.csv",
        format!("customer,day,number,same,size,copy,class\n{rows}"),
    );
    let run = folder.ok("train svm --defaults t.csv m");
    for words in [
        "column \"customer\" is left out: 120 different texts in 120 rows, such as \"c0x\", look like names or free text; --nominal customer",
        "column \"day\" is left out: 120 different texts in 120 rows, such as \"2024-01-01\", look like dates or times",
        "columns with one value only say nothing: same",
        "column \"number\" numbers the rows from 0 to 119: if it is no measurement, add --ignore number",
        "the class of every row can be told from one column alone: copy",
    ] {
        assert!(run.err.contains(words), "{words}\nis not in\n{}", run.err);
    }
    assert_eq!(folder.json("inspect m")["features"], 4);
    let run =
        folder.ok("train svm --defaults --nominal customer --ignore day,number,same,copy t.csv m");
    assert!(!run.err.contains("left out"), "{}", run.err);
    let quiet = folder.ok("train svm --quiet t.csv m");
    assert!(quiet.err.is_empty(), "{}", quiet.err);
}

#[test]
fn decimal_commas_are_read_or_asked_about() {
    let folder = Folder::new("front-commas");
    let row = |i: usize, sign: char| {
        let class = if noise(i) > 0.0 { "a" } else { "b" };
        let value = format!("{:.3}", noise(i)).replace('.', &sign.to_string());
        (value, class)
    };
    let lines = |sign: char, between: char| -> String {
        (0..60)
            .map(|i| row(i, sign))
            .map(|(value, class)| format!("{value}{between}{class}\n"))
            .collect()
    };
    folder.write("point.csv", format!("x;class\n{}", lines('.', ';')));
    folder.write("comma.csv", format!("x;class\n{}", lines(',', ';')));
    folder.write("comma.tsv", format!("x\tclass\n{}", lines(',', '\t')));
    folder.ok("train svm point.csv a");
    let run = folder.ok("train svm comma.csv b");
    assert!(
        run.err.contains("are read as numbers with a decimal comma"),
        "{}",
        run.err
    );
    assert_eq!(folder.json("inspect b")["features"], 1);
    assert_eq!(
        accuracy(&folder, "point.csv", "a"),
        accuracy(&folder, "comma.csv", "b")
    );
    let run = folder.run("train svm comma.tsv c");
    assert_eq!(run.code, 1);
    assert!(
        run.err
            .contains("look like numbers with a decimal comma: add --decimal ,"),
        "{}",
        run.err
    );
    folder.ok("train svm --decimal , comma.tsv c");
    assert_eq!(folder.json("inspect c")["features"], 1);
}

#[test]
fn contradictions_and_tiny_classes_are_told() {
    let folder = Folder::new("front-classes");
    let rows: String = (0..40)
        .map(|i| format!("{},{}\n", i / 4, ["a", "b"][i % 2]))
        .chain(["99,c\n".to_owned()])
        .collect();
    folder.write("t.csv", format!("x,class\n{rows}"));
    let run = folder.ok("train svm --defaults t.csv m");
    assert!(
        run.err
            .contains("20 rows have the features of others but another class, in 10 groups"),
        "{}",
        run.err
    );
    assert!(
        run.err
            .contains("classes with hardly any rows can neither be learned nor tested: c (1)"),
        "{}",
        run.err
    );
}

#[test]
fn answers_are_tables_with_names() {
    let folder = Folder::new("front-answers");
    let rows: String = (0..60)
        .map(|i| {
            format!(
                "\"n,{i}\",{},{}\n",
                noise(i),
                if noise(i) > 0.0 { "yes" } else { "no" }
            )
        })
        .collect();
    folder.write("t.csv", format!("who,x,class\n{rows}"));
    folder.ok("train svm --defaults --id who --probability t.csv m");
    folder.ok("predict --id who --probability t.csv m out.csv");
    let text = folder.read("out.csv");
    let mut lines = text.lines();
    assert_eq!(
        lines.next(),
        Some("who,label,probability no,probability yes")
    );
    assert!(lines.next().expect("a row").starts_with("\"n,0\","));
    assert_eq!(lines.count(), 59);
    folder.ok("predict t.csv m out.tsv");
    assert!(folder.read("out.tsv").starts_with("label\tscore no/yes\n"));
    // Asking for probabilities does not change the labels, unless the most probable class is asked for.
    folder.ok("predict t.csv m labels");
    folder.ok("predict --probability t.csv m both");
    let labels: Vec<String> = folder
        .read("both")
        .lines()
        .skip(1)
        .map(|line| line.split(' ').next().unwrap_or_default().to_owned())
        .collect();
    assert_eq!(folder.read("labels").lines().collect::<Vec<_>>(), labels);
    folder.ok("predict --probability --most-probable t.csv m sure");
    folder.ok("predict -b 1 t.csv m libsvm");
    assert_eq!(folder.read("sure"), folder.read("libsvm"));
    folder.fails_usage("predict --id who t.csv m out.txt");
    folder.fails(
        "predict --id nobody t.csv m out.csv",
        1,
        "error: t.csv: there is no column \"nobody\" to be id; the header has who, x, class",
    );
}

#[test]
fn the_edge_of_a_grid_and_foreign_formats_are_told() {
    let folder = Folder::new("front-edge");
    write_table(&folder, "t.csv", 200);
    let run = folder.ok("tune svm --grid cost=0.0001,10 --grid gamma=0.1,0.5,100 t.csv");
    assert!(
        run.err
            .contains("warning: the best cost, 10, is the largest that was tried"),
        "{}",
        run.err
    );
    let run = folder.ok("tune svm --grid cost=1e-9,10 --grid gamma=1 t.csv");
    assert!(!run.err.contains("gamma"), "{}", run.err);
    folder.write("t.parquet", b"PAR1\x15\x04");
    folder.fails(
        "train svm t.parquet m",
        1,
        "error: t.parquet: Parquet is not read yet: write the table as CSV, for example with pandas: pd.read_parquet(...).to_csv(...)",
    );
}
