//! The programs of FaLKM-lib: letters, defaults, files and what they print.

use crate::common;

use common::{Folder, golden};

/// Two curves with noise; rows of both classes mix where they meet.
fn write_bands(folder: &Folder) {
    folder.ok("generate checkerboard --rows 300 --seed 1 --set cells=2 --set noise=0.05 a.tr");
    folder.ok("generate checkerboard --rows 120 --seed 2 --set cells=2 --set noise=0.05 a.te");
}

/// Share of equal words in the first column of a file and in another file.
fn accuracy(folder: &Folder, data: &str, answers: &str) -> f64 {
    let (data, answers) = (folder.read(data), folder.read(answers));
    let label = |line: &str| -> f64 {
        let word = line.split_whitespace().next().expect("a label");
        word.parse().expect("a number")
    };
    assert_eq!(data.lines().count(), answers.lines().count());
    let pairs = data.lines().zip(answers.lines());
    let hits = pairs.filter(|(a, b)| label(a) == label(b)).count();
    hits as f64 / data.lines().count() as f64
}

#[test]
fn the_examples_of_the_manual_run() {
    let folder = Folder::new("falkm-examples");
    write_bands(&folder);
    folder.ok("falkm FkNN -t 1 -g 1 -d 3 -r 1 -K 5 -v 10 a.tr");
    folder.ok("falkm FkNN -K 1 a.tr a.te one.out");
    folder.ok("falkm FkNNSVM -t 2 -c 10 -g -0.5 -K 50 a.tr a.te two.out");
    folder.ok("falkm FaLK-SVM-train -t 2 -c 10 -g -0.1 -K 100 -P 0.5 a.tr model.m");
    folder.ok("falkm FaLK-SVM-predict a.te model.m three.out");
    folder.ok("falkm FaLK-SVM-train -t 2 -c 10 -g -0.1 -K 100 -P 0.5 -v 10 a.tr");
    folder.ok("falkm FaLK-SVM-predict -T 1 a.te model.m four.out");
    folder.ok("falkm FaLK-SVM-test -T 2 -K 5 a.te model.m five.out");
    for out in ["one.out", "two.out", "three.out", "four.out", "five.out"] {
        let share = accuracy(&folder, "a.te", out);
        assert!(share > 0.8, "{out}: {share}");
        let text = folder.read(out);
        assert!(
            text.lines()
                .all(|line| ["1.000000", "-1.000000"].contains(&line))
        );
    }
}

#[test]
fn programs_answer_as_the_methods_do() {
    let folder = Folder::new("falkm-methods");
    write_bands(&folder);
    let iris = (golden("iris.train"), golden("iris.test"));
    for (program, method) in [
        ("FkNN -K 5", "knn -K 5"),
        ("FkNN -K 5 -t 2", "knn -K 5"),
        ("FkNN -K 5 -t 1", "knn -K 5 -t 1 -d 3 -g 1 -r 1"),
        (
            "FkNN -K 3 -t 1 -d 2 -g 0.5 -r 0",
            "knn -K 3 -k poly(degree=2,gamma=0.5,coef0=0)",
        ),
        ("FkNNSVM -K 40", "knn-svm -K 40"),
        (
            "FkNNSVM -K 40 -t 0 -c 5 -w1 3",
            "knn-svm -K 40 -t 0 -c 5 --class-weight 1=3",
        ),
        ("FkNNSVM -K 40 -t 1", "knn-svm -K 40 -t 1 -d 3 -g 1 -r 0"),
    ] {
        for (train, test) in [("a.tr", "a.te"), (&iris.0, &iris.1)] {
            folder.ok(&format!("falkm {program} {train} {test} a.out"));
            folder.ok(&format!("train {method} {train} m"));
            folder.ok(&format!("predict {test} m b.out"));
            let number = |line: &str| -> f64 { line.parse().expect("a number") };
            let (a, b) = (folder.read("a.out"), folder.read("b.out"));
            let (a, b): (Vec<f64>, Vec<f64>) = (
                a.lines().map(number).collect(),
                b.lines().map(number).collect(),
            );
            assert_eq!(a, b, "{program}");
        }
    }
}

#[test]
fn a_model_is_the_one_of_falk_svm() {
    let folder = Folder::new("falkm-model");
    write_bands(&folder);
    for (letters, options) in [
        ("", "-K 1000 -P 0.5 -c 1 -g -0.5"),
        (
            "-K 60 -P 0.25 -c 7 -g -0.1 -w-1 2",
            "-K 60 -P 0.25 -c 7 -g -0.1 -w-1 2",
        ),
        ("-K 60 -t 0 -b 1", "-K 60 -t 0 --probability"),
        (
            "-K 60 -t 1 -d 2 -r 1",
            "-K 60 -k poly(gamma=1,coef0=1,degree=2)",
        ),
        ("-K 60 -R 0 -m 1 -S 1", "-K 60"),
        ("-L 1 -N 60 -C 3 -G -0.9", "-K 60 -c 3 -g -0.9"),
    ] {
        folder.ok(&format!("falkm FaLK-SVM-train {letters} a.tr a.m"));
        folder.ok(&format!(
            "train falk-svm --defaults -m 100 {options} a.tr b.m"
        ));
        folder.ok("falkm FaLK-SVM-predict -S 1 a.te a.m a.out");
        folder.ok("falkm FaLK-SVM-predict -S 1 a.te b.m b.out");
        assert_eq!(folder.read("a.out"), folder.read("b.out"), "{letters}");
        let facts = |model: &str| {
            let object = folder.json(&format!("inspect {model}"));
            (
                object["parameters"].clone(),
                object["support_vectors"].clone(),
            )
        };
        assert_eq!(facts("a.m"), facts("b.m"), "{letters}");
    }
}

#[test]
fn relaxation_moves_the_centres_and_no_neighbour() {
    let folder = Folder::new("falkm-relaxation");
    write_bands(&folder);
    let centres = |letters: &str| {
        folder.ok(&format!(
            "falkm FaLK-SVM-train -K 8 {letters} -S 1 a.tr a.m"
        ));
        folder.ok("inspect a.m --svg a.svg");
        folder.read("a.svg")
    };
    assert_eq!(centres(""), centres("-R 0"));
    assert_ne!(centres("-R 0"), centres("-R 3"));
    for program in ["FkNN -K 5", "FkNNSVM -K 30"] {
        folder.ok(&format!("falkm {program} a.tr a.te plain"));
        folder.ok(&format!("falkm {program} -R 3 a.tr a.te relaxed"));
        assert_eq!(folder.read("plain"), folder.read("relaxed"), "{program}");
    }
    for program in ["FkNN", "FkNNSVM -K 30", "FaLK-SVM-train"] {
        let run = folder.run(&format!("falkm {program} -R 33 a.tr a.te out"));
        assert_eq!(run.code, 2, "{program}");
        assert!(run.err.contains("an integer from 0 to 32"), "{}", run.err);
    }
}

#[test]
fn local_selection_takes_the_better_candidate() {
    let folder = Folder::new("falkm-selection");
    write_bands(&folder);
    // A width of 1e-9 makes all rows alike: no machine can tell the bands apart.
    folder.ok("falkm FaLK-SVM-train -L 1 -M 4 -N 40:80 -C 1:10 -G 1e-9:-0.5 a.tr a.m");
    let parameters = folder.json("inspect a.m")["parameters"].to_string();
    assert!(parameters.contains("rbf(gamma=q50)"), "{parameters}");
    folder.ok("falkm FaLK-SVM-predict a.te a.m a.out");
}

#[test]
fn measures_are_printed_in_the_order_asked_for() {
    let folder = Folder::new("falkm-measures");
    // Truth 1 1 1 0 0, answers by 1-NN: 1 1 0 0 1.
    folder.write("a.tr", "1 1:0\n0 1:10\n1 1:1\n0 1:11\n");
    folder.write("a.te", "1 1:0.1\n1 1:0.2\n1 1:10.1\n0 1:10.2\n0 1:0.3\n");
    let run = folder.ok("falkm FkNN a.tr a.te out");
    assert_eq!(
        run.out,
        "Accuracy = 60% (3/5)\nPrecision = 66.6667%\nRecall = 66.6667%\nF-measure = 66.6667%\n"
    );
    assert_eq!(
        folder.read("out"),
        "1.000000\n1.000000\n0.000000\n0.000000\n1.000000\n"
    );
    folder.ok("falkm FaLK-SVM-train -K 2 -S 1 a.tr m");
    for (number, name) in [
        "Accuracy",
        "Precision",
        "Recall",
        "F-measure",
        "Lift at 20%",
    ]
    .into_iter()
    .enumerate()
    {
        let run = folder.ok(&format!("falkm FaLK-SVM-predict -M {number} a.te m out"));
        let first = run.out.lines().next().expect("a line");
        assert!(first.starts_with(&format!("{name} = ")), "{}", run.out);
        assert_eq!(run.out.lines().count(), 4 + usize::from(number == 4));
    }
    let object = folder.json("falkm FaLK-SVM-predict -M 4 a.te m out");
    assert_eq!(object["metrics"]["accuracy"], 0.6);
    assert!(object["metrics"]["lift"].as_f64().expect("a lift") > 0.0);
    for line in ["falkm FkNN -S 1 a.tr a.te out", "falkm FkNN -S 1 -v 2 a.tr"] {
        assert_eq!(folder.ok(line).out, "");
    }
    let run = folder.ok("falkm FkNN -v 2 a.tr");
    assert!(
        run.out.starts_with("Cross Validation Accuracy = "),
        "{}",
        run.out
    );
    folder.fails(
        &format!(
            "falkm FaLK-SVM-predict -M 4 {} iris.m out",
            golden("iris.test")
        ),
        1,
        "error: cannot read iris.m: No such file or directory (os error 2)",
    );
}

#[test]
fn several_classes_have_mean_measures() {
    let folder = Folder::new("falkm-iris");
    let (train, test) = (golden("iris.train"), golden("iris.test"));
    let run = folder.ok(&format!("falkm FkNNSVM -K 30 -c 10 {train} {test} out"));
    assert!(run.out.starts_with("Accuracy = 9"), "{}", run.out);
    folder.ok(&format!("falkm FaLK-SVM-train -K 30 -b 1 {train} m"));
    folder.fails(
        &format!("falkm FaLK-SVM-predict -M 4 {test} m o"),
        2,
        "error: -M 4: the lift is defined for two classes only",
    );
    folder.fails(
        &format!("falkm FaLK-SVM-predict -b 1 {test} m o"),
        2,
        "error: FaLK-SVM-predict: the positive class is defined for two classes only, and there are 3",
    );
}

#[test]
fn regression_and_probabilities() {
    let folder = Folder::new("falkm-forms");
    let (train, test) = (golden("wave.train"), golden("wave.test"));
    for options in ["FkNN -T 1 -K 3", "FkNNSVM -Z 3 -K 20 -p 0.05 -c 10"] {
        let run = folder.ok(&format!("falkm {options} {train} {test} out"));
        assert!(
            run.out.starts_with("Mean squared error = 0."),
            "{}",
            run.out
        );
        assert!(run.out.contains("\nSquared correlation coefficient = "));
        let run = folder.ok(&format!("falkm {options} -v 3 {train}"));
        assert!(
            run.out
                .starts_with("Cross Validation Mean squared error = ")
        );
    }
    write_bands(&folder);
    folder.ok("falkm FkNN -s 1 -K 7 a.tr a.te votes");
    folder.ok("falkm FkNN -K 7 a.tr a.te labels");
    let (votes, labels) = (folder.read("votes"), folder.read("labels"));
    for (votes, label) in votes.lines().zip(labels.lines()) {
        let votes: f64 = votes.parse().expect("a number");
        assert!(votes.fract() == 0.0 && (0.0..=7.0).contains(&votes));
        assert_eq!(label == "1.000000", votes > 3.5);
    }
    folder.ok("falkm FkNNSVM -b 1 -K 50 a.tr a.te p");
    folder.ok("falkm FaLK-SVM-train -b 1 -K 50 a.tr m");
    folder.ok("falkm FaLK-SVM-predict -b 1 a.te m q");
    for file in ["p", "q"] {
        let text = folder.read(file);
        let shares: Vec<f64> = text.lines().map(|p| p.parse().expect("a number")).collect();
        assert!(shares.iter().all(|p| (0.0..=1.0).contains(p)));
        let truth = folder.read("a.te");
        let right = truth
            .lines()
            .zip(&shares)
            .filter(|(line, p)| line.starts_with('-') == (**p < 0.5));
        assert!(right.count() > 90, "{file}");
    }
    folder.ok("falkm FaLK-SVM-train -K 50 a.tr plain");
    folder.fails(
        "falkm FaLK-SVM-predict -b 1 a.te plain o",
        1,
        "error: a.te: the model has no probabilities: train it with calibration",
    );
}

#[test]
fn every_letter_has_an_effect() {
    let folder = Folder::new("falkm-letters");
    write_bands(&folder);
    let differs = |base: &str, other: &str, out: &str, run: &dyn Fn(&str)| {
        run(base);
        let before = folder.bytes(out);
        run(other);
        assert!(before != folder.bytes(out), "{base} against {other}");
    };
    let fknn = |options: &str| drop(folder.ok(&format!("falkm FkNN {options} a.tr a.te out")));
    for other in ["-K 9", "-K 4 -T 1", "-K 4 -s 1", "-K 4 -t 1 -d 5"] {
        differs("-K 4", other, "out", &fknn);
    }
    for other in ["-t 1 -d 2", "-t 1 -g 9", "-t 1 -r 0", "-t 3"] {
        differs(
            "-t 1 -s 1 -K 19",
            &format!("{other} -s 1 -K 19"),
            "out",
            &fknn,
        );
    }
    let svm = |options: &str| {
        drop(folder.ok(&format!("falkm FkNNSVM -b 1 {options} a.tr a.te out")));
    };
    for other in [
        "-K 60", "-t 0", "-t 1", "-c 9", "-w1 5", "-w-1 5", "-g 0.1", "-g -0.1",
    ] {
        differs("-K 50", &format!("-K 50 {other}"), "out", &svm);
    }
    for other in ["-d 2", "-r 1", "-g 3"] {
        differs("-K 50 -t 1", &format!("-K 50 -t 1 {other}"), "out", &svm);
    }
    let svr = |options: &str| {
        drop(folder.ok(&format!("falkm FkNNSVM -Z 3 -K 50 {options} a.tr a.te out")));
    };
    differs("", "-p 0.5", "out", &svr);
    let train = |options: &str| {
        drop(folder.ok(&format!("falkm FaLK-SVM-train -K 80 {options} a.tr m")));
    };
    for other in [
        "-K 60", "-P 0.2", "-t 0", "-c 9", "-g -0.9", "-w1 5", "-b 1",
    ] {
        differs("", other, "m", &train);
    }
    train("-b 1");
    let predict = |options: &str| {
        drop(folder.ok(&format!("falkm FaLK-SVM-predict {options} a.te m out")));
    };
    for other in ["-b 1 -T 1", "-b 1 -T 2", "-b 1 -T 2 -K 7"] {
        differs("-b 1 -T 0", other, "out", &predict);
    }
    differs("-T 0", "-b 1", "out", &predict);
}

#[test]
fn wrong_words_are_named() {
    let folder = Folder::new("falkm-wrong");
    write_bands(&folder);
    for (line, message) in [
        (
            "falkm FkNNSVM-nr a.tr b",
            "error: FkNNSVM-nr: -K, the size of neighbourhoods, must be given, for example -K 200",
        ),
        (
            "falkm FaLKNR -P 0 a.tr b",
            "error: FaLKNR: parameter core = 0: must be greater than 0 and at most 1",
        ),
        (
            "falkm fknn a.tr a.te o",
            "error: there is no program \"fknn\": the programs are FkNN, FkNNSVM, FaLK-SVM-train, FaLK-SVM-predict, FaLK-SVM-test, FkNNSVM-nr, FaLKNR",
        ),
        ("falkm FkNN", "error: FkNN: training_file is missing"),
        (
            "falkm FkNN a.tr a.te",
            "error: FkNN: output_label_file is missing",
        ),
        (
            "falkm FkNN -v 5 a.tr a.te",
            "error: FkNN: \"a.te\" is one word too many: options come before the training_file",
        ),
        ("falkm FkNN -K", "error: FkNN: -K needs a value"),
        (
            "falkm FkNN -K 0 a.tr a.te o",
            "error: FkNN: parameter neighbours = 0: must be at least 1",
        ),
        (
            "falkm FkNN -T 2 a.tr a.te o",
            "error: FkNN: -T 2: expected 0 or 1",
        ),
        (
            "falkm FkNN -v 1 a.tr",
            "error: FkNN: -v 1: at least 2 folds are needed",
        ),
        (
            "falkm FkNN -T 1 -s 1 a.tr a.te o",
            "error: FkNN: -s 1 counts positive neighbours, which -T 1 does not have",
        ),
        (
            "falkm FkNNSVM a.tr a.te o",
            "error: FkNNSVM: -K, the size of neighbourhoods, must be given, for example -K 200",
        ),
        (
            "falkm FkNNSVM -K 9 -Z 1 a.tr a.te o",
            "error: FkNNSVM: -Z 1: expected 0 or 3",
        ),
        (
            "falkm FkNNSVM -K 9 -c -1 a.tr a.te o",
            "error: FkNNSVM: parameter cost = -1: must be a finite number greater than 0",
        ),
        (
            "falkm FkNNSVM -K 9 -g -2 a.tr a.te o",
            "error: FkNNSVM: parameter gamma = -2: must be positive, or from -1 to 0 for a percentile of the distances",
        ),
        (
            "falkm FaLK-SVM-train -P 2 a.tr m",
            "error: FaLK-SVM-train: parameter core = 2: must be greater than 0 and at most 1",
        ),
        (
            "falkm FaLK-SVM-train -C 1:x a.tr m",
            "error: FaLK-SVM-train: -C x: expected numbers with colons between them, for example 1:10:100",
        ),
        (
            "falkm FaLK-SVM-train -L 1 -M 0 a.tr m",
            "error: FaLK-SVM-train: -M 0: at least one local model must be looked at",
        ),
        (
            "falkm FaLK-SVM-predict -T 3 a.te m o",
            "error: FaLK-SVM-predict: -T 3: expected 0 or 1 or 2",
        ),
    ] {
        folder.fails(line, 2, message);
    }
    folder.fails(
        "falkm FkNNSVM -K 9 -w7 2 a.tr a.te o",
        1,
        "error: a.tr: there is no class 7",
    );
    folder.ok("train svm a.tr svm.m");
    folder.fails(
        "falkm FaLK-SVM-predict a.te svm.m o",
        1,
        "error: svm.m: a model of svm, not of falk-svm: use hedgerow predict",
    );
    let run = folder.ok("falkm FaLK-SVM-train -C 1:2 -K 400 a.tr m");
    assert!(run.err.contains("warning: -C has no effect without -L 1"));
    assert!(
        run.err
            .contains("warning: -K 400: there are 300 rows to learn from")
    );
}

#[test]
fn help_lists_the_letters() {
    let folder = Folder::new("falkm-help");
    for (program, letters) in [
        ("FkNN", "-K -T -C -R -t -d -r -g -s -v -S"),
        ("FkNNSVM", "-Z -R -K -t -c -wi -p -d -g -m -r -S -v"),
        (
            "FaLK-SVM-train",
            "-t -L -R -K -P -d -r -c -g -C -G -N -M -m -v -b -wi -S",
        ),
        ("FaLK-SVM-predict", "-T -K -b -M -S"),
        ("FaLK-SVM-test", "-T -K -b -M -S"),
    ] {
        let run = folder.ok(&format!("falkm {program} --help"));
        assert!(run.out.starts_with(&format!("usage: {program} [options] ")));
        for letter in letters.split(' ') {
            assert!(
                run.out.contains(&format!("\n  {letter} ")),
                "{program} {letter}"
            );
        }
    }
}

#[cfg(unix)]
#[test]
fn a_link_is_the_program_it_is_named_after() {
    let folder = Folder::new("falkm-link");
    write_bands(&folder);
    let link = folder.path().join("FkNN");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_hedgerow"), &link).expect("a link");
    let output = std::process::Command::new(&link)
        .args(["-K", "3", "a.tr", "a.te", "linked"])
        .current_dir(folder.path())
        .output()
        .expect("the program starts");
    assert!(output.status.success());
    folder.ok("falkm FkNN -K 3 a.tr a.te plain");
    assert_eq!(folder.read("linked"), folder.read("plain"));
}

#[test]
fn threads_do_not_change_answers() {
    let folder = Folder::new("falkm-threads");
    write_bands(&folder);
    for threads in [1, 4] {
        let common = format!("--threads {threads} --seed 3");
        folder.ok(&format!(
            "falkm FkNNSVM {common} -b 1 -K 30 a.tr a.te s{threads}"
        ));
        folder.ok(&format!(
            "falkm FaLK-SVM-train -K 30 a.tr m{threads} {common}"
        ));
    }
    assert_eq!(folder.bytes("s1"), folder.bytes("s4"));
    assert_eq!(folder.bytes("m1"), folder.bytes("m4"));
}
