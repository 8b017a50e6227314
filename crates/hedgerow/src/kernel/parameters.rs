//! Parameters of kernels by name: for options, grids and signatures.

use super::spec::{Form, KernelSpec};
use super::text::{Argument, Call, Value as Inner};
use crate::params::{Kind, Parameter, Parameters, Value, read_as};
use crate::{Error, Result};

/// Kernels that take a gamma when their text leaves it out.
const WITH_GAMMA: [&str; 4] = ["rbf", "cityblock", "poly", "sigmoid"];

impl Parameters for KernelSpec {
    /// The kernel as text, and the parameters inside it.
    fn table() -> Vec<Parameter> {
        let row = |name, about, kind, short| Parameter {
            heading: "Kernel",
            short,
            ..Parameter::new(name, about, kind)
        };
        let inside = |name, about, kind, short| Parameter {
            tunable: true,
            unsaid: true,
            ..row(name, about, kind, short)
        };
        let in_text = |name, about| Parameter {
            python: None,
            unless: Some("as the kernel says"),
            ..inside(name, about, Kind::Width, None)
        };
        vec![
            row(
                "kernel",
                "Kernel as text, for example rbf(gamma=0.5), rbf(gamma=q50) or poly(degree=2, coef0=1).",
                Kind::Kernel,
                Some('k'),
            ),
            Parameter {
                unless: Some("3"),
                ..inside(
                    "degree",
                    "Degree of the polynomial kernel.",
                    Kind::Whole,
                    Some('d'),
                )
            },
            Parameter {
                unless: Some("1 / features"),
                ..inside(
                    "gamma",
                    "Width of the kernel: a number, auto, scale, mean or a percentile of the distances such as q50.",
                    Kind::Width,
                    Some('g'),
                )
            },
            Parameter {
                unless: Some("0"),
                ..inside(
                    "coef0",
                    "Constant of the polynomial and sigmoid kernels.",
                    Kind::Number,
                    Some('r'),
                )
            },
            in_text(
                "sigma",
                "Width of a local operator: a number or a percentile such as q10.",
            ),
            in_text(
                "eta",
                "Weight of distances in a local operator: a number or a percentile.",
            ),
        ]
    }

    fn get(&self, name: &str) -> Option<Value> {
        if name == "kernel" {
            return Some(self.to_string().into());
        }
        let known = Self::table().iter().any(|row| row.name == name);
        let found = find(&self.call(), name);
        found.or(known.then_some(Value::Nothing))
    }

    fn set(&mut self, name: &str, value: &Value) -> Result<bool> {
        let Some(row) = Self::table().into_iter().find(|row| row.name == name) else {
            return Ok(false);
        };
        if name == "kernel" {
            let Some(text) = value.text() else {
                return Err(Error::ParameterValue {
                    name: "kernel",
                    value: value.to_string(),
                    requirement: row.kind.requirement(),
                });
            };
            *self = Self::parse(text)?;
        } else if *value != Value::Nothing {
            *self = self.with_parameter(row.name, row.kind, value)?;
        }
        Ok(true)
    }
}

impl KernelSpec {
    /// The Gaussian kernel with a percentile of the distances as its width.
    pub fn gaussian_by_percentile(percentile: f64) -> Self {
        Self(Form::Symbolic(Call::named(
            "rbf",
            vec![Argument::keyed(
                "gamma",
                Inner::Call(Call::named(&format!("q{percentile}"), Vec::new())),
            )],
        )))
    }

    /// An error that names the first parameter out of its range. Widths that are left to the data
    /// are right.
    pub fn check(&self) -> Result<()> {
        self.fixed().map_or(Ok(()), super::Kernel::check)
    }

    /// The tree of the text form.
    fn call(&self) -> Call {
        match &self.0 {
            Form::Symbolic(call) => call.clone(),
            // What a kernel writes, it reads.
            Form::Fixed(kernel) => super::text::read(&kernel.to_string())
                .unwrap_or_else(|_| Call::named("linear", Vec::new())),
        }
    }

    /// The kernel with another value for a named parameter, wherever it occurs.
    fn with_parameter(&self, name: &'static str, kind: Kind, value: &Value) -> Result<Self> {
        let word = match kind {
            Kind::Width => width(name, value)?,
            Kind::Whole => Inner::Number(f64::from(read_as::<u32>(name, value)?)),
            _ => Inner::Number(read_as(name, value)?),
        };
        let mut call = self.call();
        let mut found = replace(&mut call, name, &word);
        if !found && accepts(&call.name, name) {
            call.arguments.push(Argument::keyed(name, word));
            found = true;
        }
        if !found {
            return Err(Error::ParameterValue {
                name,
                value: value.to_string(),
                requirement: format!("left out: the kernel {self} has no {name}"),
            });
        }
        Self::parse(&call.to_string())
    }
}

/// True if a kernel of this name takes the parameter though its text leaves it out.
fn accepts(kernel: &str, name: &str) -> bool {
    match name {
        "gamma" => WITH_GAMMA.contains(&kernel),
        "degree" => kernel == "poly",
        "coef0" => ["poly", "sigmoid"].contains(&kernel),
        "sigma" => ["e", "p", "s", "ps"].contains(&kernel),
        "eta" => ["s", "ps"].contains(&kernel),
        _ => false,
    }
}

/// A number, or a word that leaves it to the data. A gamma from -1 to 0 is a percentile and 0 is
/// 1 / features, as LIBSVM and FaLKM-lib have it.
fn width(name: &'static str, value: &Value) -> Result<Inner> {
    let symbol = |word: &str| Inner::Call(Call::named(word, Vec::new()));
    match value.as_number() {
        Some(number) if name == "gamma" && number == 0.0 => Ok(symbol("auto")),
        Some(number) if name == "gamma" && (-1.0..0.0).contains(&number) => {
            // 100 · 0.29 is not quite 29.
            Ok(symbol(&format!(
                "q{}",
                (-100.0 * number * 1e9).round() / 1e9
            )))
        }
        Some(number) if name == "gamma" && (number < 0.0 || !number.is_finite()) => {
            Err(Error::Parameter {
                name: "gamma",
                value: number,
                requirement: "positive, or from -1 to 0 for a percentile of the distances",
            })
        }
        Some(number) => Ok(Inner::Number(number)),
        None => match value.text().map(str::trim) {
            Some(word) if is_symbol(word) => Ok(symbol(&word.to_ascii_lowercase())),
            _ => Err(Error::ParameterValue {
                name,
                value: value.to_string(),
                requirement: Kind::Width.requirement(),
            }),
        },
    }
}

fn is_symbol(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    ["auto", "scale", "mean"].contains(&word.as_str())
        || word
            .strip_prefix('q')
            .is_some_and(|h| h.parse::<f64>().is_ok())
}

/// The first value of a parameter.
fn find(call: &Call, name: &str) -> Option<Value> {
    call.arguments
        .iter()
        .find_map(|argument| match (&argument.key, &argument.value) {
            (Some(key), Inner::Number(number)) if key == name => Some(Value::Number(*number)),
            (Some(key), Inner::Call(word)) if key == name => Some(word.name.clone().into()),
            (None, Inner::Call(inner)) => find(inner, name),
            _ => None,
        })
}

/// Replaces every value of a parameter; false if there is none.
fn replace(call: &mut Call, name: &str, word: &Inner) -> bool {
    let mut found = false;
    for argument in &mut call.arguments {
        match (&argument.key, &mut argument.value) {
            (Some(key), value) if key == name => {
                *value = word.clone();
                found = true;
            }
            (None, Inner::Call(inner)) => found |= replace(inner, name, word),
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(text: &str, name: &str, value: impl Into<Value>) -> String {
        let mut kernel = KernelSpec::parse(text).expect("a kernel");
        match kernel.set(name, &value.into()) {
            Ok(_) => kernel.to_string(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn kernel_parameters_are_set_by_name() {
        assert_eq!(set("rbf(gamma=2)", "gamma", 0.5), "rbf(gamma=0.5)");
        assert_eq!(set("rbf(gamma=auto)", "gamma", -0.5), "rbf(gamma=q50)");
        assert_eq!(set("rbf(gamma=auto)", "gamma", "q10"), "rbf(gamma=q10)");
        assert_eq!(
            set("rbf(gamma=1)", "gamma", 2f64.powi(-15)),
            "rbf(gamma=3.0517578125e-5)"
        );
        assert_eq!(
            set("s(linear, sigma=q10, eta=2)", "sigma", "q1"),
            "s(linear, sigma=q1, eta=2)"
        );
        assert_eq!(set("rbf", "gamma", 4.0), "rbf(gamma=4)");
        assert!(set("poly(degree=2)", "gamma", 4.0).contains("gamma=4"));
        assert!(set("sum(rbf(gamma=1), poly(degree=2))", "degree", 3u32).contains("degree=3"));
    }

    #[test]
    fn a_parameter_that_the_kernel_lacks_is_refused() {
        assert_eq!(
            set("linear", "gamma", 1.0),
            "parameter gamma = 1: must be left out: the kernel linear has no gamma"
        );
        assert!(set("rbf", "gamma", -2.0).contains("positive"));
        assert!(set("rbf", "gamma", "wide").contains("percentile"));
    }

    #[test]
    fn values_are_found_inside() {
        let kernel = KernelSpec::parse("ps(rbf(gamma=q20), sigma=3, eta=q5)").expect("a kernel");
        assert_eq!(kernel.get("gamma"), Some("q20".into()));
        assert_eq!(kernel.get("sigma"), Some(Value::Number(3.0)));
        assert_eq!(kernel.get("degree"), Some(Value::Nothing));
        assert_eq!(kernel.get("cost"), None);
    }

    #[test]
    fn a_percentile_makes_the_kernel_that_its_text_makes() {
        let text = KernelSpec::parse("rbf(gamma=q50)").expect("a kernel");
        assert_eq!(KernelSpec::gaussian_by_percentile(50.0), text);
    }
}
