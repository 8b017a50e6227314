//! What the names in the text form of kernels mean.

use super::text::{Argument, Call, Value, syntax_error};
use super::{Kernel, LocalOperator, Radial};
use crate::Result;

/// Names of functions of a distance.
pub(super) const RADIAL_NAMES: [&str; 13] = [
    "rbf",
    "exponential",
    "laplacian",
    "rational",
    "power",
    "uniform",
    "triangular",
    "multiquadric",
    "inverse-multiquadric",
    "thin-plate",
    "kmod",
    "wave",
    "student",
];

/// Names of all other kernels.
pub(super) const OTHER_NAMES: [&str; 25] = [
    "linear",
    "poly",
    "hpoly",
    "ipoly",
    "sigmoid",
    "cityblock",
    "sam",
    "angle",
    "histogram",
    "spline",
    "precomputed",
    "sum",
    "product",
    "scale",
    "mix",
    "series",
    "exp",
    "conformal",
    "weighted",
    "e",
    "p",
    "s",
    "ps",
    "radial-of",
    "angle-of",
];

/// A value that depends on the data.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Symbol {
    /// 1 / features.
    Auto,
    /// 1 / (features × variance of all entries); with the standard deviation for the city-block
    /// kernel.
    Scale,
    /// 1 / mean squared distance, or mean city-block distance.
    Mean,
    /// From a percentile of the distances.
    Percentile(f64),
}

/// Which parameter a [`Symbol`] stands for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Role {
    Gamma,
    /// Gamma of the city-block kernel: a rate, in the city-block distance.
    CityBlockGamma,
    Sigma,
    Eta,
}

impl Role {
    fn is_gamma(self) -> bool {
        matches!(self, Self::Gamma | Self::CityBlockGamma)
    }
}

/// A symbol in its place: enough to compute its value from data.
pub(super) struct Request<'a> {
    pub(super) symbol: Symbol,
    pub(super) role: Role,
    /// The kernel whose distance is measured; for the city-block kernel the linear kernel of the
    /// data.
    pub(super) space: &'a Kernel,
}

/// Gives the value of a symbol.
pub(super) type Resolver<'a> = &'a mut dyn FnMut(Request<'_>) -> Result<f64>;

/// Turns trees into kernels; without `symbols` all parameters must be numbers.
pub(super) struct Builder<'a> {
    pub(super) text: &'a str,
    pub(super) symbols: Option<Resolver<'a>>,
}

impl Builder<'_> {
    /// The kernel that `call` describes on data that were multiplied by weights, if any: `space`
    /// is the linear kernel of those data.
    pub(super) fn kernel(&mut self, call: &Call, space: &Kernel) -> Result<Kernel> {
        let mut given = Given::new(self.text, call);
        if let Some(radial) = self.radial_with(&mut given, Some(space))? {
            given.finish()?;
            return Ok(Kernel::Radial(radial));
        }
        let kernel = match call.name.as_str() {
            "linear" => Kernel::Linear,
            "poly" => Kernel::Polynomial {
                gamma: self.symbolic(&mut given, "gamma", Role::Gamma, Some(space))?,
                coef0: given.number_or("coef0", 0.0)?,
                degree: given.degree()?,
            },
            "hpoly" => Kernel::homogeneous(given.degree()?),
            "ipoly" => Kernel::inhomogeneous(given.degree()?),
            "sigmoid" => Kernel::Sigmoid {
                gamma: self.symbolic(&mut given, "gamma", Role::Gamma, Some(space))?,
                coef0: given.number_or("coef0", 0.0)?,
            },
            "cityblock" => self.city_block(&mut given, space)?,
            "sam" => Kernel::sam(given.number("gamma")?),
            "angle" => Kernel::Angle(self.radial(given.call("a function of a distance")?, None)?),
            "histogram" => Kernel::HistogramIntersection {
                alpha: given.number("alpha")?,
            },
            "spline" => Kernel::Spline,
            "precomputed" => Kernel::Precomputed,
            "sum" => Kernel::Sum(self.kernels(&mut given, space)?),
            "product" => Kernel::Product(self.kernels(&mut given, space)?),
            "scale" => {
                let factor = given.positional("a factor")?;
                self.inner(&mut given, space)?.scaled(factor)
            }
            "mix" => {
                let rho = given.positional("a share between 0 and 1")?;
                if !(0.0..=1.0).contains(&rho) {
                    let problem = format!("the share {rho} is not between 0 and 1");
                    return Err(syntax_error(self.text, call.position, problem));
                }
                let first = self.inner(&mut given, space)?;
                Kernel::mixture(rho, first, self.inner(&mut given, space)?)
            }
            "series" => {
                let coefficients = given.positionals("a coefficient")?;
                self.inner(&mut given, space)?.series(coefficients)
            }
            "exp" => self.inner(&mut given, space)?.exp(),
            "conformal" => {
                let kernel = self.inner(&mut given, space)?;
                kernel.conformal(given.number("rate")?)
            }
            "weighted" => {
                let weights = given.positionals("a weight")?;
                let inside = reweighted(space, &weights);
                self.inner(&mut given, &inside)?.weighted(weights)
            }
            "e" => self.local(&mut given, LocalOperator::E, space)?,
            "p" => self.local(&mut given, LocalOperator::P, space)?,
            "s" => self.local(&mut given, LocalOperator::S, space)?,
            "ps" => self.local(&mut given, LocalOperator::PS, space)?,
            "radial-of" => {
                let radial = given.call("a function of a distance")?;
                let kernel = self.inner(&mut given, space)?;
                let outside = rewrapped(space, kernel.clone());
                kernel.radial_of(self.radial(radial, Some(&outside))?)
            }
            "angle-of" => {
                let radial = self.radial(given.call("a function of a distance")?, None)?;
                self.inner(&mut given, space)?.angle_of(radial)
            }
            unknown => {
                let known = || OTHER_NAMES.into_iter().chain(RADIAL_NAMES);
                let problem = unknown_name("kernel", unknown, known);
                return Err(syntax_error(self.text, call.position, problem));
            }
        };
        given.finish()?;
        Ok(kernel)
    }

    fn city_block(&mut self, given: &mut Given<'_>, space: &Kernel) -> Result<Kernel> {
        let gamma = self.symbolic(given, "gamma", Role::CityBlockGamma, Some(space))?;
        Ok(Kernel::city_block(gamma))
    }

    fn inner(&mut self, given: &mut Given<'_>, space: &Kernel) -> Result<Kernel> {
        let call = given.call("a kernel")?;
        self.kernel(call, space)
    }

    fn kernels(&mut self, given: &mut Given<'_>, space: &Kernel) -> Result<Vec<Kernel>> {
        let mut kernels = vec![self.inner(given, space)?];
        while given.has_positional() {
            kernels.push(self.inner(given, space)?);
        }
        Ok(kernels)
    }

    fn local(
        &mut self,
        given: &mut Given<'_>,
        operator: LocalOperator,
        space: &Kernel,
    ) -> Result<Kernel> {
        let kernel = self.inner(given, space)?;
        let measured = rewrapped(space, kernel.clone());
        let sigma = self.symbolic(given, "sigma", Role::Sigma, Some(&measured))?;
        let eta = if operator.has_eta() && given.has("eta") {
            self.symbolic(given, "eta", Role::Eta, Some(&measured))?
        } else {
            if operator.has_eta() {
                given.asked.push("eta");
            }
            1.0
        };
        Ok(kernel.local(operator, sigma, eta))
    }

    /// A function of a distance; `space` is the kernel whose distance it takes, `None` for an angle.
    fn radial(&mut self, call: &Call, space: Option<&Kernel>) -> Result<Radial> {
        let mut given = Given::new(self.text, call);
        let Some(radial) = self.radial_with(&mut given, space)? else {
            let problem = unknown_name("function of a distance", &call.name, || {
                RADIAL_NAMES.into_iter()
            });
            return Err(syntax_error(self.text, call.position, problem));
        };
        given.finish()?;
        Ok(radial)
    }

    fn radial_with(
        &mut self,
        given: &mut Given<'_>,
        space: Option<&Kernel>,
    ) -> Result<Option<Radial>> {
        let radial = match given.call.name.as_str() {
            "rbf" => Radial::Gaussian {
                gamma: self.symbolic(given, "gamma", Role::Gamma, space)?,
            },
            "exponential" => Radial::Exponential {
                sigma: given.number("sigma")?,
            },
            "laplacian" => Radial::Laplacian {
                lambda: given.number("lambda")?,
            },
            "rational" => Radial::Rational {
                theta: given.number("theta")?,
            },
            "power" => Radial::Power {
                beta: given.number("beta")?,
            },
            "uniform" => Radial::Uniform {
                h: given.number("h")?,
            },
            "triangular" => Radial::Triangular {
                h: given.number("h")?,
            },
            "multiquadric" => Radial::Multiquadric {
                c: given.number("c")?,
            },
            "inverse-multiquadric" => Radial::InverseMultiquadric {
                c: given.number("c")?,
            },
            "thin-plate" => Radial::ThinPlate,
            "kmod" => Radial::Kmod {
                gamma: given.number("gamma")?,
                sigma: given.number("sigma")?,
            },
            "wave" => Radial::Wave {
                theta: given.number("theta")?,
            },
            "student" => Radial::Student {
                nu: given.number("nu")?,
                sigma: given.number("sigma")?,
            },
            _ => return Ok(None),
        };
        Ok(Some(radial))
    }

    /// A number or a symbol; a missing gamma is `auto` where symbols are allowed.
    fn symbolic(
        &mut self,
        given: &mut Given<'_>,
        key: &'static str,
        role: Role,
        space: Option<&Kernel>,
    ) -> Result<f64> {
        let on_features = space.is_some_and(reads_features);
        let (symbol, position) = match given.keyed(key) {
            Some(argument) => match &argument.value {
                Value::Number(value) => return Ok(*value),
                Value::Call(word) => {
                    let Some(symbol) = read_symbol(word, role, on_features) else {
                        let problem = format!("{key} must be {}", self.allowed(role, space));
                        return Err(syntax_error(self.text, argument.position, problem));
                    };
                    (symbol, argument.position)
                }
            },
            None if role.is_gamma() && on_features && self.symbols.is_some() => {
                (Symbol::Auto, given.call.position)
            }
            None => return Err(given.missing(key)),
        };
        let (Some(symbols), Some(space)) = (&mut self.symbols, space) else {
            let problem = format!("{key} must be a number here: there are no data to take it from");
            return Err(syntax_error(self.text, position, problem));
        };
        symbols(Request {
            symbol,
            role,
            space,
        })
    }

    fn allowed(&self, role: Role, space: Option<&Kernel>) -> &'static str {
        match (&self.symbols, space) {
            (None, _) | (_, None) => "a number",
            (Some(_), Some(space)) if role.is_gamma() && reads_features(space) => {
                "a number, auto, scale, mean or a percentile from q0 to q100"
            }
            _ => "a number or a percentile from q0 to q100",
        }
    }
}

/// The linear kernel, possibly weighted: the data themselves.
fn reads_features(space: &Kernel) -> bool {
    match space {
        Kernel::Linear => true,
        Kernel::Weighted { kernel, .. } => reads_features(kernel),
        _ => false,
    }
}

/// The linear kernel of data that are multiplied by the weights of `space`, then by `weights`.
fn reweighted(space: &Kernel, weights: &[f64]) -> Kernel {
    rewrapped(space, Kernel::Linear.weighted(weights))
}

/// `kernel` on the data that `space` is the linear kernel of.
fn rewrapped(space: &Kernel, kernel: Kernel) -> Kernel {
    match space {
        Kernel::Weighted {
            weights,
            kernel: inner,
        } => rewrapped(inner, kernel).weighted(weights.clone()),
        _ => kernel,
    }
}

fn read_symbol(word: &Call, role: Role, on_features: bool) -> Option<Symbol> {
    if !word.arguments.is_empty() {
        return None;
    }
    let moments = role.is_gamma() && on_features;
    match word.name.as_str() {
        "auto" if moments => Some(Symbol::Auto),
        "scale" if moments => Some(Symbol::Scale),
        "mean" if moments => Some(Symbol::Mean),
        name => {
            let digits = name.strip_prefix('q')?;
            let h: f64 = digits.parse().ok()?;
            (digits.starts_with(|c: char| c.is_ascii_digit()) && (0.0..=100.0).contains(&h))
                .then_some(Symbol::Percentile(h))
        }
    }
}

/// The arguments of a call, taken one by one so that what is left over can be reported.
struct Given<'a> {
    text: &'a str,
    call: &'a Call,
    taken: Vec<bool>,
    /// No unnamed argument before this one is left.
    cursor: usize,
    asked: Vec<&'static str>,
}

impl<'a> Given<'a> {
    fn new(text: &'a str, call: &'a Call) -> Self {
        Self {
            text,
            call,
            taken: vec![false; call.arguments.len()],
            cursor: 0,
            asked: Vec::new(),
        }
    }

    fn has(&self, key: &str) -> bool {
        let named = |argument: &Argument| argument.key.as_deref() == Some(key);
        self.call.arguments.iter().any(named)
    }

    /// Takes the argument named `key`.
    fn keyed(&mut self, key: &'static str) -> Option<&'a Argument> {
        self.asked.push(key);
        let named = |argument: &Argument| argument.key.as_deref() == Some(key);
        let at = self.call.arguments.iter().position(named)?;
        self.taken[at] = true;
        Some(&self.call.arguments[at])
    }

    fn missing(&self, key: &str) -> crate::Error {
        let problem = format!("{} needs {key}=…", self.call.name);
        syntax_error(self.text, self.call.position, problem)
    }

    fn number(&mut self, key: &'static str) -> Result<f64> {
        let argument = self.keyed(key).ok_or_else(|| self.missing(key))?;
        match &argument.value {
            Value::Number(value) => Ok(*value),
            Value::Call(_) => {
                let problem = format!("{key} must be a number");
                Err(syntax_error(self.text, argument.position, problem))
            }
        }
    }

    fn number_or(&mut self, key: &'static str, default: f64) -> Result<f64> {
        if self.has(key) {
            self.number(key)
        } else {
            self.asked.push(key);
            Ok(default)
        }
    }

    /// The parameter `degree`; 3 when it is not given.
    fn degree(&mut self) -> Result<u32> {
        let degree = self.number_or("degree", 3.0)?;
        if degree >= 1.0 && degree.fract() == 0.0 && degree <= f64::from(i32::MAX) {
            return Ok(degree as u32);
        }
        let named = |argument: &&Argument| argument.key.as_deref() == Some("degree");
        let place = self.call.arguments.iter().find(named);
        let position = place.map_or(self.call.position, |argument| argument.position);
        let problem = format!("degree must be a whole number from 1, not {degree}");
        Err(syntax_error(self.text, position, problem))
    }

    /// Index of the first argument without a name that is not taken.
    fn next_positional(&mut self) -> Option<usize> {
        while let Some(argument) = self.call.arguments.get(self.cursor) {
            if argument.key.is_none() && !self.taken[self.cursor] {
                return Some(self.cursor);
            }
            self.cursor += 1;
        }
        None
    }

    fn has_positional(&mut self) -> bool {
        self.next_positional().is_some()
    }

    fn wanted(&mut self, what: &str) -> crate::Error {
        let position = match self.next_positional() {
            Some(at) => self.call.arguments[at].position,
            None => self.call.position,
        };
        let problem = format!("{} needs {what}", self.call.name);
        syntax_error(self.text, position, problem)
    }

    /// Takes the next unnamed argument, a number.
    fn positional(&mut self, what: &str) -> Result<f64> {
        if let Some(at) = self.next_positional()
            && let Value::Number(value) = self.call.arguments[at].value
        {
            self.taken[at] = true;
            return Ok(value);
        }
        Err(self.wanted(what))
    }

    /// Takes all numbers up to the next unnamed kernel, at least one.
    fn positionals(&mut self, what: &str) -> Result<Vec<f64>> {
        let mut numbers = vec![self.positional(what)?];
        while let Some(at) = self.next_positional()
            && let Value::Number(value) = self.call.arguments[at].value
        {
            self.taken[at] = true;
            numbers.push(value);
        }
        Ok(numbers)
    }

    /// Takes the next unnamed argument, a name with or without arguments.
    fn call(&mut self, what: &str) -> Result<&'a Call> {
        if let Some(at) = self.next_positional()
            && let Value::Call(call) = &self.call.arguments[at].value
        {
            self.taken[at] = true;
            return Ok(call);
        }
        Err(self.wanted(what))
    }

    /// An error for the first argument that nothing asked for.
    fn finish(self) -> Result<()> {
        let Some(at) = self.taken.iter().position(|taken| !taken) else {
            return Ok(());
        };
        let argument = &self.call.arguments[at];
        let name = &self.call.name;
        let takes = if self.asked.is_empty() {
            "no named parameters".to_owned()
        } else {
            self.asked.join(", ")
        };
        let problem = match &argument.key {
            Some(key) if self.asked.contains(&key.as_str()) => format!("{key} is given twice"),
            Some(key) => format!("{name} has no parameter {key:?}: it takes {takes}"),
            None => format!("{name} has one argument too many: it takes {takes}"),
        };
        Err(syntax_error(self.text, argument.position, problem))
    }
}

fn unknown_name<I: Iterator<Item = &'static str>>(
    what: &str,
    name: &str,
    known: impl Fn() -> I,
) -> String {
    let slip = known()
        .min_by_key(|candidate| edits(name, candidate))
        .filter(|candidate| is_near(name, candidate));
    let near = slip.or_else(|| known().find(|known| known.len() > 2 && name.starts_with(known)));
    if let Some(near) = near {
        return format!("unknown {what} {name:?}, did you mean {near:?}?");
    }
    let all: Vec<&str> = known().collect();
    format!("unknown {what} {name:?}, known are {}", all.join(", "))
}

/// At most one slip in three letters, and never a one-letter name.
fn is_near(name: &str, candidate: &str) -> bool {
    candidate.len() > 1 && 3 * edits(name, candidate) <= name.len().max(candidate.len())
}

/// Levenshtein distance, a swap of neighbours counting one.
fn edits(a: &str, b: &str) -> usize {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    // A name of hostile length is near to nothing.
    if a.len() > 64 {
        return a.len();
    }
    let width = b.len() + 1;
    let mut table: Vec<usize> = vec![0; (a.len() + 1) * width];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            table[i * width + j] = if i == 0 || j == 0 {
                i + j
            } else {
                let change = usize::from(a[i - 1] != b[j - 1]);
                let mut best = (table[(i - 1) * width + j] + 1)
                    .min(table[i * width + j - 1] + 1)
                    .min(table[(i - 1) * width + j - 1] + change);
                if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                    best = best.min(table[(i - 2) * width + j - 2] + 1);
                }
                best
            };
        }
    }
    table[a.len() * width + b.len()]
}
