//! `falkm PROGRAM …`: words of programs whose letters differ from those of all other commands.
//!
//! Letters are case sensitive, every one takes one value, and a value may start with `-`. The words
//! after the name of the program therefore do not go through clap; only long options do, which
//! these programs never had.

use std::ffi::OsString;
use std::path::Path;

/// Names under which the program may be called, for example through a link.
const NAMES: [&str; 7] = [
    "FkNN",
    "FkNNSVM",
    "FaLK-SVM-train",
    "FaLK-SVM-predict",
    "FaLK-SVM-test",
    "FkNNSVM-nr",
    "FaLKNR",
];

/// Options of every command that take a value.
const VALUED: [&str; 2] = ["--seed", "--threads"];

/// `falkm`.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct FalkmArgs {
    /// FkNN, FkNNSVM, FaLK-SVM-train, FaLK-SVM-predict, FaLK-SVM-test, FkNNSVM-nr or FaLKNR;
    /// PROGRAM --help lists its letters
    #[arg(value_name = "PROGRAM")]
    pub(crate) program: String,
    /// Options and files of the program.
    #[arg(skip)]
    pub(crate) words: Vec<String>,
}

/// What clap is to read, and what the program of `falkm` is to read.
pub(super) struct Divided {
    pub(super) outer: Vec<OsString>,
    pub(super) inner: Vec<String>,
}

/// Takes the words of a program out of the command line.
pub(super) fn divide(words: Vec<OsString>) -> Divided {
    let words = by_own_name(words);
    let verb = plain_word(&words, 1);
    let is_falkm = verb.is_some_and(|at| words[at] == "falkm");
    let Some(program) = verb
        .filter(|_| is_falkm)
        .and_then(|at| plain_word(&words, at + 1))
    else {
        return Divided {
            outer: words,
            inner: Vec::new(),
        };
    };
    let mut outer = words[..=program].to_vec();
    let mut inner = Vec::new();
    let mut rest = words[program + 1..].iter();
    while let Some(word) = rest.next() {
        let text = word.to_string_lossy();
        if text.starts_with("--") && text != "--help" {
            outer.push(word.clone());
            if VALUED.contains(&text.as_ref()) {
                outer.extend(rest.next().cloned());
            }
        } else {
            inner.push(text.into_owned());
        }
    }
    Divided { outer, inner }
}

/// Called through a link with the name of a program, it is that program.
fn by_own_name(words: Vec<OsString>) -> Vec<OsString> {
    let called = words.first().and_then(|word| {
        let name = Path::new(word).file_name()?.to_str()?;
        NAMES.iter().find(|known| **known == name)
    });
    let Some(name) = called else {
        return words;
    };
    let head = ["hedgerow", "falkm", name].into_iter().map(OsString::from);
    head.chain(words.into_iter().skip(1)).collect()
}

/// The place of the first word from `start` on that is neither an option nor its value.
fn plain_word(words: &[OsString], start: usize) -> Option<usize> {
    let mut at = start;
    while let Some(word) = words.get(at) {
        let text = word.to_string_lossy();
        if !text.starts_with('-') {
            return Some(at);
        }
        at += if VALUED.contains(&text.as_ref()) {
            2
        } else {
            1
        };
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn divided(line: &str) -> (String, String) {
        let Divided { outer, inner } = divide(line.split(' ').map(Into::into).collect());
        let outer: Vec<String> = outer
            .into_iter()
            .map(|word| word.into_string().expect("a text"))
            .collect();
        (outer.join(" "), inner.join(" "))
    }

    fn expect(line: &str, outer: &str, inner: &str) {
        assert_eq!(divided(line), (outer.to_owned(), inner.to_owned()));
    }

    #[test]
    fn letters_stay_with_the_program() {
        expect(
            "hedgerow falkm FkNN -K 3 -g -0.5 -q 1 a b c",
            "hedgerow falkm FkNN",
            "-K 3 -g -0.5 -q 1 a b c",
        );
        expect(
            "hedgerow --threads 2 falkm --json FkNN -K 3 --seed 5 a --quiet",
            "hedgerow --threads 2 falkm --json FkNN --seed 5 --quiet",
            "-K 3 a",
        );
        expect(
            "hedgerow falkm FkNN --help",
            "hedgerow falkm FkNN",
            "--help",
        );
    }

    #[test]
    fn other_commands_are_left_alone() {
        for line in [
            "hedgerow train svm -c 1 falkm FkNN",
            "hedgerow falkm",
            "hedgerow falkm --help",
            "hedgerow",
        ] {
            expect(line, line, "");
        }
    }

    #[test]
    fn a_link_is_the_program_it_is_named_after() {
        expect(
            "/usr/bin/FaLK-SVM-train -c 10 a m",
            "hedgerow falkm FaLK-SVM-train",
            "-c 10 a m",
        );
        expect("./FkNN", "hedgerow falkm FkNN", "");
    }
}
