//! The text form of kernels: one for the program, the Python package and the model files.
//!
//! ```text
//! kernel    = name [ "(" [ argument { ("," | ";") argument } ] ")" ]
//! argument  = [ name "=" ] ( number | kernel )
//! ```
//!
//! Text is read into a tree of [`Call`]s; what the names mean is said in `vocabulary`. Case does
//! not matter and spaces may stand anywhere between the parts.

use super::expr::MAX_DEPTH;
use super::{Kernel, LocalOperator, Radial};
use crate::{Error, Result};
use std::fmt::{self, Display, Formatter};

/// A name with its arguments. Two are equal when they say the same, wherever it stood.
#[derive(Debug, Clone)]
pub(super) struct Call {
    pub(super) name: String,
    /// 1-based position of the name.
    pub(super) position: usize,
    pub(super) arguments: Vec<Argument>,
}

#[derive(Debug, Clone)]
pub(super) struct Argument {
    pub(super) key: Option<String>,
    /// 1-based position of the key, or of the value without one.
    pub(super) position: usize,
    pub(super) value: Value,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    Number(f64),
    Call(Call),
}

impl Call {
    /// A call that nobody wrote.
    pub(super) fn named(name: &str, arguments: Vec<Argument>) -> Self {
        Self {
            name: name.to_owned(),
            position: 1,
            arguments,
        }
    }
}

impl Argument {
    /// A named argument that nobody wrote.
    pub(super) fn keyed(key: &str, value: Value) -> Self {
        Self {
            key: Some(key.to_owned()),
            position: 1,
            value,
        }
    }
}

impl PartialEq for Call {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && self.arguments == other.arguments
    }
}

impl PartialEq for Argument {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key && self.value == other.value
    }
}

pub(super) fn syntax_error(text: &str, position: usize, problem: String) -> Error {
    Error::KernelSyntax {
        text: text.to_owned(),
        position,
        problem,
    }
}

/// Reads the whole text as one kernel.
pub(super) fn read(text: &str) -> Result<Call> {
    let mut reader = Reader {
        text,
        chars: text.chars().collect(),
        at: 0,
    };
    let call = reader.call("the name of a kernel", 1)?;
    if reader.peek().is_some() {
        return Err(reader.unexpected("the end"));
    }
    Ok(call)
}

struct Reader<'a> {
    text: &'a str,
    chars: Vec<char>,
    at: usize,
}

impl Reader<'_> {
    /// The next character that is no space.
    fn peek(&mut self) -> Option<char> {
        while self.chars.get(self.at).is_some_and(|c| c.is_whitespace()) {
            self.at += 1;
        }
        self.chars.get(self.at).copied()
    }

    fn unexpected(&mut self, expected: &str) -> Error {
        let found = match self.peek() {
            Some(c) => format!("{c:?}"),
            None => "the end".to_owned(),
        };
        let problem = format!("expected {expected}, found {found}");
        syntax_error(self.text, self.at + 1, problem)
    }

    /// The longest run of characters that `belongs` accepts.
    fn run(&mut self, belongs: impl Fn(char) -> bool) -> String {
        let start = self.at;
        while self.chars.get(self.at).is_some_and(|&c| belongs(c)) {
            self.at += 1;
        }
        self.chars[start..self.at].iter().collect()
    }

    fn name(&mut self, expected: &str) -> Result<String> {
        if !self.peek().is_some_and(|c| c.is_ascii_alphabetic()) {
            return Err(self.unexpected(expected));
        }
        let name = self.run(|c| c.is_ascii_alphanumeric() || "-_.".contains(c));
        Ok(name.to_ascii_lowercase())
    }

    fn call(&mut self, expected: &str, depth: usize) -> Result<Call> {
        let name = self.name(expected)?;
        let position = self.at - name.len() + 1;
        // A radial function inside an angle and its parameter's name are two more levels of text.
        if depth > MAX_DEPTH + 2 {
            let problem = format!("nested deeper than {MAX_DEPTH} levels");
            return Err(syntax_error(self.text, position, problem));
        }
        self.arguments_of(name, position, depth)
    }

    fn arguments_of(&mut self, name: String, position: usize, depth: usize) -> Result<Call> {
        let mut arguments = Vec::new();
        if self.peek() == Some('(') {
            self.at += 1;
            if self.peek() == Some(')') {
                self.at += 1;
            } else {
                loop {
                    arguments.push(self.argument(depth)?);
                    match self.peek() {
                        Some(',' | ';') => self.at += 1,
                        Some(')') => {
                            self.at += 1;
                            break;
                        }
                        _ => return Err(self.unexpected("\",\" or \")\"")),
                    }
                }
            }
        }
        Ok(Call {
            name,
            position,
            arguments,
        })
    }

    fn argument(&mut self, depth: usize) -> Result<Argument> {
        if self.peek().is_some_and(starts_number) {
            let position = self.at + 1;
            let value = Value::Number(self.number()?);
            return Ok(Argument {
                key: None,
                position,
                value,
            });
        }
        let call = self.call("a number or a name", depth + 1)?;
        let position = call.position;
        if self.peek() != Some('=') || !call.arguments.is_empty() {
            return Ok(Argument {
                key: None,
                position,
                value: Value::Call(call),
            });
        }
        self.at += 1;
        let value = if self.peek().is_some_and(starts_number) {
            Value::Number(self.number()?)
        } else {
            Value::Call(self.call("a number or a name", depth + 1)?)
        };
        Ok(Argument {
            key: Some(call.name),
            position,
            value,
        })
    }

    fn number(&mut self) -> Result<f64> {
        let position = self.at + 1;
        let digits = self.run(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
        let problem = match digits.parse::<f64>() {
            Ok(value) if value.is_finite() => return Ok(value),
            Ok(_) => format!("{digits} is not a finite number"),
            Err(_) => format!("{digits:?} is not a number"),
        };
        Err(syntax_error(self.text, position, problem))
    }
}

fn starts_number(c: char) -> bool {
    c.is_ascii_digit() || matches!(c, '+' | '-' | '.')
}

/// A number in the shortest form that reads back as the same.
struct Shortest(f64);

impl Display for Shortest {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let text = format!("{:?}", self.0);
        f.write_str(text.strip_suffix(".0").unwrap_or(&text))
    }
}

/// Items separated by `", "`.
fn write_list<T>(
    f: &mut Formatter<'_>,
    items: &[T],
    mut write: impl FnMut(&mut Formatter<'_>, &T) -> fmt::Result,
) -> fmt::Result {
    for (at, item) in items.iter().enumerate() {
        if at > 0 {
            f.write_str(", ")?;
        }
        write(f, item)?;
    }
    Ok(())
}

impl Display for Value {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(value) => Shortest(*value).fmt(f),
            Self::Call(call) => call.fmt(f),
        }
    }
}

impl Display for Call {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        if self.arguments.is_empty() {
            return Ok(());
        }
        f.write_str("(")?;
        write_list(f, &self.arguments, |f, argument| {
            if let Some(key) = &argument.key {
                write!(f, "{key}=")?;
            }
            argument.value.fmt(f)
        })?;
        f.write_str(")")
    }
}

impl Display for Radial {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let name = self.name();
        let one = |f: &mut Formatter<'_>, key: &str, value: f64| {
            write!(f, "{name}({key}={})", Shortest(value))
        };
        match *self {
            Self::Gaussian { gamma } => one(f, "gamma", gamma),
            Self::Exponential { sigma } => one(f, "sigma", sigma),
            Self::Laplacian { lambda } => one(f, "lambda", lambda),
            Self::Rational { theta } | Self::Wave { theta } => one(f, "theta", theta),
            Self::Power { beta } => one(f, "beta", beta),
            Self::Uniform { h } | Self::Triangular { h } => one(f, "h", h),
            Self::Multiquadric { c } | Self::InverseMultiquadric { c } => one(f, "c", c),
            Self::ThinPlate => f.write_str(name),
            Self::Kmod { gamma, sigma } => {
                let (gamma, sigma) = (Shortest(gamma), Shortest(sigma));
                write!(f, "{name}(gamma={gamma}, sigma={sigma})")
            }
            Self::Student { nu, sigma } => {
                let (nu, sigma) = (Shortest(nu), Shortest(sigma));
                write!(f, "{name}(nu={nu}, sigma={sigma})")
            }
        }
    }
}

impl LocalOperator {
    /// The name in the text form of kernels.
    pub fn name(self) -> &'static str {
        match self {
            Self::E => "e",
            Self::P => "p",
            Self::S => "s",
            Self::PS => "ps",
        }
    }
}

impl Display for Kernel {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let number = |f: &mut Formatter<'_>, value: &f64| Shortest(*value).fmt(f);
        match self {
            Self::Linear => f.write_str("linear"),
            Self::Polynomial {
                gamma,
                coef0,
                degree,
            } => {
                let (gamma, coef0) = (Shortest(*gamma), Shortest(*coef0));
                write!(f, "poly(gamma={gamma}, coef0={coef0}, degree={degree})")
            }
            Self::Sigmoid { gamma, coef0 } => {
                let (gamma, coef0) = (Shortest(*gamma), Shortest(*coef0));
                write!(f, "sigmoid(gamma={gamma}, coef0={coef0})")
            }
            Self::Radial(radial) => radial.fmt(f),
            Self::CityBlock { gamma } => write!(f, "cityblock(gamma={})", Shortest(*gamma)),
            Self::Angle(radial) => write!(f, "angle({radial})"),
            Self::HistogramIntersection { alpha } => {
                write!(f, "histogram(alpha={})", Shortest(*alpha))
            }
            Self::Spline => f.write_str("spline"),
            Self::Precomputed => f.write_str("precomputed"),
            Self::Sum(kernels) | Self::Product(kernels) => {
                let name = if matches!(self, Self::Sum(_)) {
                    "sum("
                } else {
                    "product("
                };
                f.write_str(name)?;
                write_list(f, kernels, |f, kernel| kernel.fmt(f))?;
                f.write_str(")")
            }
            Self::Scaled { factor, kernel } => write!(f, "scale({}, {kernel})", Shortest(*factor)),
            Self::Series {
                coefficients: numbers,
                kernel,
            }
            | Self::Weighted {
                weights: numbers,
                kernel,
            } => {
                let name = if matches!(self, Self::Series { .. }) {
                    "series("
                } else {
                    "weighted("
                };
                f.write_str(name)?;
                write_list(f, numbers, number)?;
                write!(f, "; {kernel})")
            }
            Self::Exp(kernel) => write!(f, "exp({kernel})"),
            Self::Conformal { rate, kernel } => {
                write!(f, "conformal({kernel}, rate={})", Shortest(*rate))
            }
            Self::Local {
                operator,
                sigma,
                eta,
                kernel,
            } => {
                write!(
                    f,
                    "{}({kernel}, sigma={}",
                    operator.name(),
                    Shortest(*sigma)
                )?;
                if operator.has_eta() {
                    write!(f, ", eta={}", Shortest(*eta))?;
                }
                f.write_str(")")
            }
            Self::RadialOf { radial, kernel } => write!(f, "radial-of({radial}, {kernel})"),
            Self::AngleOf { radial, kernel } => write!(f, "angle-of({radial}, {kernel})"),
        }
    }
}
