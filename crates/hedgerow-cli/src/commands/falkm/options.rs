//! Letters with one value each, then files.

use crate::failure::Failure;
use hedgerow::data::ClassName;
use hedgerow::kernel::KernelSpec;
use hedgerow::neighbours::CoverTreeParams;
use std::str::FromStr;

/// A letter that a program knows.
pub(super) struct Letter {
    /// As typed, for example `-K`; `-wi` stands for the weights of all classes.
    pub(super) name: &'static str,
    /// For people, with the default.
    pub(super) meaning: &'static str,
}

/// A program and its letters.
pub(super) struct Program {
    pub(super) name: &'static str,
    /// The files, as in the line of usage.
    pub(super) files: &'static str,
    pub(super) letters: &'static [Letter],
}

impl Program {
    /// The text of `--help`.
    pub(super) fn usage(&self) -> String {
        let width = self.letters.iter().map(|letter| letter.name.len()).max();
        let width = width.unwrap_or(0);
        let lines: String = self
            .letters
            .iter()
            .map(|letter| {
                [
                    "\n  ",
                    &format!("{:width$}", letter.name),
                    "  ",
                    letter.meaning,
                ]
                .concat()
            })
            .collect();
        format!("usage: {} [options] {}{lines}", self.name, self.files)
    }

    /// A failure that names the program.
    pub(super) fn refuse(&self, problem: impl std::fmt::Display) -> Failure {
        Failure::usage(format!("{}: {problem}", self.name))
    }

    fn knows(&self, name: &str) -> bool {
        let is_weight = name.len() > 2 && name.starts_with("-w");
        let wanted = if is_weight { "-wi" } else { name };
        self.letters.iter().any(|letter| letter.name == wanted)
    }
}

/// The words of one call.
pub(super) struct Words {
    pub(super) program: &'static Program,
    options: Vec<(String, String)>,
    /// What is left after the options.
    pub(super) files: Vec<String>,
}

impl Words {
    /// Divides words into options and files; options come first.
    pub(super) fn read(program: &'static Program, words: &[String]) -> Result<Self, Failure> {
        let mut options = Vec::new();
        let mut rest = words.iter().peekable();
        while let Some(name) = rest.next_if(|word| word.starts_with('-') && *word != "-") {
            if !program.knows(name) {
                let known: Vec<&str> = program.letters.iter().map(|letter| letter.name).collect();
                return Err(program.refuse(format_args!(
                    "there is no option {name}: the options are {}, each with a value of its own",
                    known.join(" ")
                )));
            }
            let value = rest
                .next()
                .ok_or_else(|| program.refuse(format_args!("{name} needs a value")))?;
            options.push((name.clone(), value.clone()));
        }
        Ok(Self {
            program,
            options,
            files: rest.cloned().collect(),
        })
    }

    /// The files, if there are as many as have names; otherwise a failure that says which.
    pub(super) fn files<const N: usize>(&self, names: [&str; N]) -> Result<[&str; N], Failure> {
        if let Some(missing) = names.get(self.files.len()) {
            return Err(self.program.refuse(format_args!(
                "{missing} is missing\n{}",
                self.program.usage()
            )));
        }
        if let Some(surplus) = self.files.get(N) {
            return Err(self.program.refuse(format_args!(
                "{surplus:?} is one word too many: options come before the {}",
                names.join(", ")
            )));
        }
        Ok(std::array::from_fn(|at| self.files[at].as_str()))
    }

    /// The value of a letter; the last one if it was given more than once.
    fn text(&self, name: &str) -> Option<&str> {
        let mut given = self.options.iter().rev();
        given
            .find(|(other, _)| other == name)
            .map(|(_, value)| value.as_str())
    }

    /// True if a letter was given.
    pub(super) fn has(&self, name: &str) -> bool {
        self.text(name).is_some()
    }

    fn parse<T: FromStr>(&self, name: &str, text: &str, expected: &str) -> Result<T, Failure> {
        text.trim().parse().map_err(|_| {
            let problem = format_args!("{name} {text}: expected {expected}").to_string();
            self.program.refuse(problem)
        })
    }

    /// A number.
    pub(super) fn number(&self, name: &str) -> Result<Option<f64>, Failure> {
        let read = |text| self.parse(name, text, "a number");
        self.text(name).map(read).transpose()
    }

    /// A whole number that is not negative.
    pub(super) fn whole(&self, name: &str) -> Result<Option<usize>, Failure> {
        let read = |text| self.parse(name, text, "a whole number");
        self.text(name).map(read).transpose()
    }

    /// One of a few numbers.
    pub(super) fn choice(&self, name: &str, known: &[u32]) -> Result<Option<u32>, Failure> {
        let Some(text) = self.text(name) else {
            return Ok(None);
        };
        let value = text.parse().ok().filter(|value| known.contains(value));
        let known: Vec<String> = known.iter().map(ToString::to_string).collect();
        let expected = known.join(" or ");
        let refused = || format!("{name} {text}: expected {expected}");
        value
            .map(Some)
            .ok_or_else(|| self.program.refuse(refused()))
    }

    /// 0 or 1; 0 if not given.
    pub(super) fn switch(&self, name: &str) -> Result<bool, Failure> {
        Ok(self.choice(name, &[0, 1])? == Some(1))
    }

    fn list<T: FromStr>(&self, name: &str, expected: &str) -> Result<Option<Vec<T>>, Failure> {
        let read = |text: &str| {
            let parts = text.split(':');
            parts.map(|part| self.parse(name, part, expected)).collect()
        };
        self.text(name).map(read).transpose()
    }

    /// Numbers with colons between them.
    pub(super) fn numbers(&self, name: &str) -> Result<Option<Vec<f64>>, Failure> {
        self.list(
            name,
            "numbers with colons between them, for example 1:10:100",
        )
    }

    /// Whole numbers with colons between them.
    pub(super) fn wholes(&self, name: &str) -> Result<Option<Vec<usize>>, Failure> {
        self.list(
            name,
            "whole numbers with colons between them, for example 250:500",
        )
    }

    /// The weights of classes, `-w1 5 -w-1 2`.
    pub(super) fn class_weights(&self) -> Result<Vec<(ClassName, f64)>, Failure> {
        let mut weights: Vec<(ClassName, f64)> = Vec::new();
        for (name, value) in &self.options {
            let Some(label) = name.strip_prefix("-w") else {
                continue;
            };
            let class = ClassName::parse(label);
            let weight = self.parse(name, value, "a number")?;
            match weights.iter_mut().find(|(other, _)| *other == class) {
                Some((_, earlier)) => *earlier = weight,
                None => weights.push((class, weight)),
            }
        }
        Ok(weights)
    }

    /// Number of folds of `-v`.
    pub(super) fn folds(&self) -> Result<Option<usize>, Failure> {
        match self.whole("-v")? {
            Some(folds) if folds < 2 => Err(self
                .program
                .refuse(format_args!("-v {folds}: at least 2 folds are needed"))),
            folds => Ok(folds),
        }
    }

    /// The relaxation of cover trees, which sets the base of the levels. Neighbours are exact
    /// whatever it is, so that it matters only where levels order something.
    pub(super) fn relaxation(&self) -> Result<CoverTreeParams, Failure> {
        let Some(relaxation) = self.whole("-R")? else {
            return Ok(CoverTreeParams::default());
        };
        let params = CoverTreeParams {
            relaxation: u32::try_from(relaxation).unwrap_or(u32::MAX),
            ..CoverTreeParams::default()
        };
        params.check().map_err(|error| self.program.refuse(error))?;
        Ok(params)
    }

    /// The kernel of `-t -d -g -r`, with `gamma` in place of `-g` if it is given.
    ///
    /// Without either gamma is the median of the distances in a neighbourhood for the Gaussian, 1 for
    /// the polynomial.
    pub(super) fn kernel(
        &self,
        gamma: Option<f64>,
        default_type: u32,
        default_coef0: f64,
    ) -> Result<KernelSpec, Failure> {
        let kernel_type = self.choice("-t", &[0, 1, 2, 3])?.unwrap_or(default_type);
        let degree = self.whole("-d")?.unwrap_or(3);
        let degree = u32::try_from(degree).unwrap_or(u32::MAX);
        let gamma = match gamma {
            Some(gamma) => Some(gamma),
            None => self.number("-g")?,
        };
        let gamma = gamma.unwrap_or(if kernel_type == 2 { -0.5 } else { 1.0 });
        let coef0 = self.number("-r")?.unwrap_or(default_coef0);
        KernelSpec::from_libsvm(kernel_type, degree, Some(gamma), coef0)
            .map_err(|error| self.program.refuse(error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static PROGRAM: Program = Program {
        name: "Sieve",
        files: "in",
        letters: &[
            Letter {
                name: "-K",
                meaning: "a size",
            },
            Letter {
                name: "-k",
                meaning: "another",
            },
            Letter {
                name: "-G",
                meaning: "a list",
            },
            Letter {
                name: "-wi",
                meaning: "weights",
            },
        ],
    };

    fn read(line: &str) -> Result<Words, Failure> {
        let words: Vec<String> = line.split_whitespace().map(ToOwned::to_owned).collect();
        Words::read(&PROGRAM, &words)
    }

    fn refused<T>(result: Result<T, Failure>) -> String {
        match result {
            Ok(_) => panic!("accepted"),
            Err(failure) => failure.to_string(),
        }
    }

    #[test]
    fn values_may_start_with_a_dash() {
        let words = read("-K -3 -G -0.1:-0.5 -w-1 2 -w1 -2 -w-1 4 in").expect("read");
        assert_eq!(words.number("-K").expect("a number"), Some(-3.0));
        assert_eq!(words.number("-k").expect("nothing"), None);
        assert_eq!(words.numbers("-G").expect("a list"), Some(vec![-0.1, -0.5]));
        assert_eq!(
            words.class_weights().expect("weights"),
            [
                (ClassName::Number(-1.0), 4.0),
                (ClassName::Number(1.0), -2.0)
            ]
        );
        assert_eq!(words.files, ["in"]);
        assert!(words.whole("-K").is_err());
    }

    #[test]
    fn a_dash_alone_is_a_file() {
        assert_eq!(read("-K 3 - -K").expect("read").files, ["-", "-K"]);
    }

    #[test]
    fn what_is_wrong_is_named() {
        assert_eq!(
            refused(read("-x 1 in")),
            "Sieve: there is no option -x: the options are -K -k -G -wi, each with a value of its own"
        );
        assert_eq!(refused(read("-K")), "Sieve: -K needs a value");
        let words = read("-K x -G 1::2 a b").expect("read");
        assert_eq!(
            refused(words.number("-K")),
            "Sieve: -K x: expected a number"
        );
        assert!(refused(words.numbers("-G")).starts_with("Sieve: -G : expected numbers"));
        assert!(refused(words.files(["in"])).starts_with("Sieve: \"b\" is one word too many"));
        assert!(refused(words.files(["a", "b", "c"])).starts_with("Sieve: c is missing\nusage:"));
    }
}
