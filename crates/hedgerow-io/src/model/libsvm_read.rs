//! Reader of LIBSVM models.
//!
//! Counts that the file states are only compared with what is there: nothing is reserved by them.

use super::libsvm_text::{LibSvmKernel, LibSvmModel, LibSvmSupportVector, LibSvmType};
use crate::error::excerpt;
use crate::input::Source;
use crate::{IoError, LibSvmModelProblem, number};

const FINITE: &str = "a finite number";
const WHOLE: &str = "a whole number from 0 to 2147483647";
const INTEGER: &str = "an integer";

impl LibSvmModel {
    /// Reads a model, compressed or not.
    pub fn read(source: &Source) -> Result<Self, IoError> {
        Self::from_bytes(&source.name(), &source.read()?)
    }

    /// Reads the text of a model; `name` stands in messages.
    pub fn from_bytes(name: &str, bytes: &[u8]) -> Result<Self, IoError> {
        let mut reader = Reader {
            rest: bytes,
            line: 0,
        };
        reader.model().map_err(|problem| IoError::LibSvmModel {
            name: name.to_owned(),
            line: reader.line.max(1),
            problem,
        })
    }
}

/// The keys before the support vectors.
#[derive(Default)]
struct Keys {
    svm_type: Option<LibSvmType>,
    kernel: Option<String>,
    degree: Option<i32>,
    gamma: Option<f64>,
    coef0: Option<f64>,
    n_classes: Option<u64>,
    total_sv: Option<u64>,
    rho: Option<Vec<f64>>,
    labels: Option<Vec<i32>>,
    prob_a: Option<Vec<f64>>,
    prob_b: Option<Vec<f64>>,
    prob_density_marks: Option<Vec<f64>>,
    class_sizes: Option<Vec<usize>>,
}

struct Reader<'a> {
    rest: &'a [u8],
    /// 1-based line of what was read last.
    line: usize,
}

impl<'a> Reader<'a> {
    /// The next line that is not blank.
    fn next_line(&mut self) -> Result<Option<&'a str>, LibSvmModelProblem> {
        while !self.rest.is_empty() {
            self.line += 1;
            let Some(end) = memchr::memchr(b'\n', self.rest) else {
                return Err(LibSvmModelProblem::CutOff);
            };
            let line = &self.rest[..end];
            self.rest = &self.rest[end + 1..];
            let text = std::str::from_utf8(line).map_err(|_| LibSvmModelProblem::NotUtf8)?;
            if !text.trim_ascii().is_empty() {
                return Ok(Some(text));
            }
        }
        Ok(None)
    }

    fn model(&mut self) -> Result<LibSvmModel, LibSvmModelProblem> {
        let mut keys = Keys::default();
        loop {
            let Some(line) = self.next_line()? else {
                return Err(LibSvmModelProblem::KeyMissing { key: "SV" });
            };
            let mut words = line.split_ascii_whitespace();
            let key = words.next().unwrap_or_default();
            if key == "SV" {
                break;
            }
            keys.read(key, words)?;
        }
        let model = keys.finish()?;
        self.support_vectors(model)
    }

    fn support_vectors(
        &mut self,
        (mut model, total): (LibSvmModel, u64),
    ) -> Result<LibSvmModel, LibSvmModelProblem> {
        let n_coefficients = if model.svm_type.is_classifier() {
            model.n_classes - 1
        } else {
            1
        };
        while let Some(line) = self.next_line()? {
            model
                .support_vectors
                .push(support_vector(line, n_coefficients)?);
        }
        let found = model.support_vectors.len() as u64;
        if found != total {
            let key = "SV";
            let expected = total;
            return Err(LibSvmModelProblem::Count {
                key,
                expected,
                found,
            });
        }
        if let Some(sizes) = &model.class_sizes {
            let sum = sizes
                .iter()
                .fold(0u64, |sum, &size| sum.saturating_add(size as u64));
            if sum != total {
                return Err(LibSvmModelProblem::Count {
                    key: "nr_sv (sum)",
                    expected: total,
                    found: sum,
                });
            }
        }
        Ok(model)
    }
}

impl Keys {
    fn read<'w>(
        &mut self,
        key: &str,
        mut words: impl Iterator<Item = &'w str>,
    ) -> Result<(), LibSvmModelProblem> {
        match key {
            "svm_type" => {
                let word = words.next().unwrap_or_default();
                let found = LibSvmType::ALL.iter().find(|(_, name)| *name == word);
                let Some(&(svm_type, _)) = found else {
                    return Err(LibSvmModelProblem::Word {
                        key: "svm_type",
                        word: excerpt(word.as_bytes()),
                        allowed: LibSvmType::WORDS,
                    });
                };
                set("svm_type", &mut self.svm_type, svm_type)
            }
            "kernel_type" => {
                let word = words.next().unwrap_or_default();
                set("kernel_type", &mut self.kernel, word.to_owned())
            }
            "degree" => {
                let value = single("degree", words, INTEGER, |word| word.parse().ok())?;
                set("degree", &mut self.degree, value)
            }
            "gamma" => set(
                "gamma",
                &mut self.gamma,
                single("gamma", words, FINITE, finite)?,
            ),
            "coef0" => set(
                "coef0",
                &mut self.coef0,
                single("coef0", words, FINITE, finite)?,
            ),
            "nr_class" => {
                let value = single("nr_class", words, WHOLE, whole)?;
                set("nr_class", &mut self.n_classes, value)
            }
            "total_sv" => {
                let value = single("total_sv", words, WHOLE, whole)?;
                set("total_sv", &mut self.total_sv, value)
            }
            "rho" => set("rho", &mut self.rho, list("rho", words, FINITE, finite)?),
            "label" => {
                let values = list("label", words, INTEGER, |word| word.parse().ok())?;
                set("label", &mut self.labels, values)
            }
            "probA" => set(
                "probA",
                &mut self.prob_a,
                list("probA", words, FINITE, finite)?,
            ),
            "probB" => set(
                "probB",
                &mut self.prob_b,
                list("probB", words, FINITE, finite)?,
            ),
            "prob_density_marks" => {
                let key = "prob_density_marks";
                set(
                    key,
                    &mut self.prob_density_marks,
                    list(key, words, FINITE, finite)?,
                )
            }
            "nr_sv" => {
                let values = list("nr_sv", words, WHOLE, |word| {
                    whole(word).map(|n| n as usize)
                })?;
                set("nr_sv", &mut self.class_sizes, values)
            }
            _ => Err(LibSvmModelProblem::UnknownKey {
                key: excerpt(key.as_bytes()),
            }),
        }
    }

    /// Checks that all needed keys are there and agree with each other.
    fn finish(self) -> Result<(LibSvmModel, u64), LibSvmModelProblem> {
        let svm_type = need("svm_type", self.svm_type)?;
        let kernel = self.finish_kernel()?;
        let n_classes = need("nr_class", self.n_classes)?;
        let total = need("total_sv", self.total_sv)?;
        let rho = need("rho", self.rho)?;
        // Regression and one-class models state two classes and have one rho.
        let classifier = svm_type.is_classifier();
        if n_classes == 0 || (!classifier && n_classes != 2) {
            return Err(LibSvmModelProblem::Number {
                key: "nr_class",
                token: n_classes.to_string(),
                needed: if classifier { "at least 1" } else { "2" },
            });
        }
        let pairs = LibSvmModel::pairs(n_classes);
        expect("rho", Some(rho.len()), pairs)?;
        expect("label", self.labels.as_ref().map(Vec::len), n_classes)?;
        expect("nr_sv", self.class_sizes.as_ref().map(Vec::len), n_classes)?;
        expect("probA", self.prob_a.as_ref().map(Vec::len), pairs)?;
        expect("probB", self.prob_b.as_ref().map(Vec::len), pairs)?;
        if classifier {
            need("label", self.labels.as_ref())?;
            need("nr_sv", self.class_sizes.as_ref())?;
        }
        let model = LibSvmModel {
            svm_type,
            kernel,
            n_classes: n_classes as usize,
            rho,
            labels: self.labels,
            prob_a: self.prob_a,
            prob_b: self.prob_b,
            prob_density_marks: self.prob_density_marks,
            class_sizes: self.class_sizes,
            support_vectors: Vec::new(),
        };
        Ok((model, total))
    }

    fn finish_kernel(&self) -> Result<LibSvmKernel, LibSvmModelProblem> {
        let word = need("kernel_type", self.kernel.as_deref())?;
        Ok(match word {
            "linear" => LibSvmKernel::Linear,
            "polynomial" => LibSvmKernel::Polynomial {
                degree: need("degree", self.degree)?,
                gamma: need("gamma", self.gamma)?,
                coef0: need("coef0", self.coef0)?,
            },
            "rbf" => LibSvmKernel::Rbf {
                gamma: need("gamma", self.gamma)?,
            },
            "sigmoid" => LibSvmKernel::Sigmoid {
                gamma: need("gamma", self.gamma)?,
                coef0: need("coef0", self.coef0)?,
            },
            "precomputed" => LibSvmKernel::Precomputed,
            _ => {
                return Err(LibSvmModelProblem::Word {
                    key: "kernel_type",
                    word: excerpt(word.as_bytes()),
                    allowed: LibSvmKernel::WORDS,
                });
            }
        })
    }
}

fn support_vector(
    line: &str,
    n_coefficients: usize,
) -> Result<LibSvmSupportVector, LibSvmModelProblem> {
    let mut words = line.split_ascii_whitespace().peekable();
    let mut coefficients = Vec::new();
    while let Some(word) = words.next_if(|word| !word.contains(':')) {
        coefficients.push(value("coefficient", word, FINITE, finite)?);
    }
    expect(
        "a support vector",
        Some(coefficients.len()),
        n_coefficients as u64,
    )?;
    let mut vector = LibSvmSupportVector {
        coefficients,
        indices: Vec::new(),
        values: Vec::new(),
    };
    for word in words {
        let Some((index, entry)) = word.split_once(':') else {
            return Err(LibSvmModelProblem::Number {
                key: "support vector",
                token: excerpt(word.as_bytes()),
                needed: "index:value",
            });
        };
        let index = value("index", index, WHOLE, whole)? as u32;
        if let Some(&previous) = vector.indices.last()
            && index <= previous
        {
            return Err(LibSvmModelProblem::IndexOrder { index, previous });
        }
        vector.indices.push(index);
        vector.values.push(value("value", entry, FINITE, finite)?);
    }
    Ok(vector)
}

fn finite(word: &str) -> Option<f64> {
    number::parse_whole(word.as_bytes()).filter(|value| value.is_finite())
}

fn whole(word: &str) -> Option<u64> {
    word.parse()
        .ok()
        .filter(|&value: &u64| i32::try_from(value).is_ok())
}

/// One word as a value.
fn value<T>(
    key: &'static str,
    word: &str,
    needed: &'static str,
    parse: impl Fn(&str) -> Option<T>,
) -> Result<T, LibSvmModelProblem> {
    parse(word).ok_or_else(|| LibSvmModelProblem::Number {
        key,
        token: excerpt(word.as_bytes()),
        needed,
    })
}

/// Exactly one value.
fn single<'w, T>(
    key: &'static str,
    words: impl Iterator<Item = &'w str>,
    needed: &'static str,
    parse: impl Fn(&str) -> Option<T>,
) -> Result<T, LibSvmModelProblem> {
    let mut values = list(key, words, needed, parse)?;
    expect(key, Some(values.len()), 1)?;
    values.pop().ok_or(LibSvmModelProblem::KeyMissing { key })
}

/// Any number of values.
fn list<'w, T>(
    key: &'static str,
    words: impl Iterator<Item = &'w str>,
    needed: &'static str,
    parse: impl Fn(&str) -> Option<T>,
) -> Result<Vec<T>, LibSvmModelProblem> {
    words.map(|word| value(key, word, needed, &parse)).collect()
}

fn set<T>(key: &'static str, slot: &mut Option<T>, value: T) -> Result<(), LibSvmModelProblem> {
    if slot.replace(value).is_some() {
        return Err(LibSvmModelProblem::KeyTwice { key });
    }
    Ok(())
}

fn need<T>(key: &'static str, value: Option<T>) -> Result<T, LibSvmModelProblem> {
    value.ok_or(LibSvmModelProblem::KeyMissing { key })
}

/// Compares a count, if there is one, with what it must be.
fn expect(
    key: &'static str,
    found: Option<usize>,
    expected: u64,
) -> Result<(), LibSvmModelProblem> {
    match found.map(|found| found as u64) {
        Some(found) if found != expected => Err(LibSvmModelProblem::Count {
            key,
            expected,
            found,
        }),
        _ => Ok(()),
    }
}
