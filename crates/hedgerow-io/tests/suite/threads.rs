//! Nothing depends on the number of threads: neither data nor errors.
#![allow(clippy::unwrap_used)] // Also in the helpers outside test functions.

use crate::common;

use common::source;
use hedgerow::data::Generator;
use hedgerow_io::{LoadedData, Missing, ReadOptions, Source, read_dataset};
use std::fmt::Write;

fn in_pool(threads: usize, source: &Source, options: &ReadOptions) -> Result<LoadedData, String> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .unwrap()
        .install(|| read_dataset(source, options).map_err(|error| error.to_string()))
}

/// Several pieces of LIBSVM text.
fn libsvm_text() -> String {
    let mut generator = Generator::new(3);
    let mut text = String::new();
    while text.len() < 5 << 20 {
        write!(text, "{}", generator.below(5)).unwrap();
        for f in 1..20 {
            if generator.below(3) == 0 {
                write!(text, " {f}:{}", generator.normal()).unwrap();
            }
        }
        text.push('\n');
    }
    text
}

/// Several pieces of a table with gaps, categories and, if asked for, quoted line ends.
fn csv_text(quoted: bool) -> String {
    let mut generator = Generator::new(4);
    let mut text = "a,b,c,class\n".to_owned();
    let words = ["u", "v", if quoted { "\"x\ny\"" } else { "w" }, ""];
    while text.len() < 5 << 20 {
        let (b, label) = (words[generator.below(4)], words[generator.below(3)]);
        writeln!(
            text,
            "{},{b},{},{label}",
            generator.normal(),
            generator.below(9)
        )
        .unwrap();
    }
    text
}

#[test]
fn data_are_the_same() {
    let impute = ReadOptions::default()
        .with_missing(Missing::MeanMode)
        .with_lines();
    for (source, options) in [
        (
            source("a.svm", libsvm_text()),
            ReadOptions::default().with_lines(),
        ),
        (source("a.csv", csv_text(false)), impute.clone()),
        (source("a.csv", csv_text(true)), impute),
    ] {
        let one = in_pool(1, &source, &options).unwrap();
        assert!(one.dataset.n_rows() > 10_000);
        for threads in [2, 3, 8] {
            assert!(in_pool(threads, &source, &options).unwrap() == one);
        }
    }
}

#[test]
fn the_first_error_wins() {
    let text = libsvm_text();
    let lines: Vec<&str> = text.lines().collect();
    let n_lines = lines.len();
    let mut damaged: Vec<String> = lines.iter().map(ToString::to_string).collect();
    for at in [n_lines - 2, n_lines / 2, n_lines / 3] {
        damaged[at] = "1 1:x".to_owned();
        let source = source("a.svm", damaged.join("\n"));
        let expected = format!(
            "a.svm, line {}, column 5: value \"x\" of feature 1 is not a number",
            at + 1
        );
        for threads in [1, 2, 8] {
            let error = in_pool(threads, &source, &ReadOptions::default()).unwrap_err();
            assert_eq!(error, expected);
        }
    }
}
