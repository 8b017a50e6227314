//! Kernels as a user writes them: parameters may depend on the data.

use super::Kernel;
use super::city_block::{city_block_gamma_mean, city_block_gamma_scale};
use super::text::{Argument, Call, Value, read};
use super::vocabulary::{Builder, Request, Role, Symbol};
use super::width::{PairDistances, gamma_auto, gamma_mean, gamma_scale};
use crate::data::{Samples, SamplesView};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

/// A kernel whose widths may be left to the data.
///
/// It reads as a [`Kernel`] does, and in place of a number it knows
///
/// | word | of | value |
/// |---|---|---|
/// | `auto` | gamma of `rbf`, `poly`, `sigmoid`, `cityblock` | 1 / features; also when gamma is not given |
/// | `scale` | gamma of `rbf`, `poly`, `sigmoid` | 1 / (features × variance of all entries), as in scikit-learn |
/// | `mean` | the same | 1 / mean squared distance |
/// | `q50` | the same | $1/(2 q_h^2)$ with $q_h$ the 50th percentile of the distances |
/// | `scale` | gamma of `cityblock` | 1 / (features × standard deviation of all entries) |
/// | `mean` | the same | 1 / mean city-block distance |
/// | `q50` | the same | $1/q_h$ with $q_h$ the 50th percentile of the city-block distances |
/// | `q50` | sigma of `e`, `p`, `s`, `ps` | $2 q_h^2$ in the distance of the kernel inside |
/// | `q50` | eta of `s`, `ps` | $q_h$ in the distance of the kernel inside |
///
/// ```
/// use hedgerow::data::SamplesView;
/// use hedgerow::kernel::{Kernel, KernelSpec};
///
/// let spec: KernelSpec = "rbf(gamma=q50)".parse()?;
/// let line = [0.0, 2.0];
/// let kernel = spec.resolve(SamplesView::dense(1, &line)?, 0)?;
/// assert_eq!(kernel, Kernel::rbf(0.125));
/// # Ok::<(), hedgerow::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct KernelSpec(pub(super) Form);

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Form {
    Fixed(Kernel),
    /// A tree that was built once with every symbol set to 1, so only values can go wrong.
    Symbolic(Call),
}

/// Where the distances for percentiles come from.
#[derive(Clone, Copy)]
enum Scope {
    Data { seed: u64 },
    Neighbourhood,
}

impl KernelSpec {
    /// Reads the text form.
    pub fn parse(text: &str) -> Result<Self> {
        let call = read(text)?;
        let mut symbolic = false;
        let kernel = Builder {
            text,
            symbols: Some(&mut |_| {
                symbolic = true;
                Ok(1.0)
            }),
        }
        .kernel(&call, &Kernel::Linear)?;
        kernel.check()?;
        Ok(Self(if symbolic {
            Form::Symbolic(call)
        } else {
            Form::Fixed(kernel)
        }))
    }

    /// The kernel that LIBSVM's letters `-t`, `-d`, `-g`, `-r` mean: types 0 linear, 1 polynomial,
    /// 2 Gaussian, 3 sigmoid, 4 precomputed. Without gamma, or with 0, it is 1 / features; a gamma
    /// in `[-1, 0)` means the percentile $100|\gamma|$.
    pub fn from_libsvm(
        kernel_type: u32,
        degree: u32,
        gamma: Option<f64>,
        coef0: f64,
    ) -> Result<Self> {
        let gamma = match gamma {
            None | Some(0.0) => "auto".to_owned(),
            Some(value) if (-1.0..0.0).contains(&value) => {
                // 100 · 0.29 is not quite 29.
                let h = (-100.0 * value * 1e9).round() / 1e9;
                format!("q{h}")
            }
            Some(value) if value > 0.0 && value.is_finite() => format!("{value:?}"),
            Some(value) => {
                return Err(Error::Parameter {
                    name: "gamma",
                    value,
                    requirement: "positive, or from -1 to 0 for a percentile of the distances",
                });
            }
        };
        crate::error::ensure_finite("coef0", coef0)?;
        match kernel_type {
            0 => Ok(Kernel::Linear.into()),
            1 => {
                if degree == 0 {
                    // The text form would name a place in a text that nobody wrote.
                    Kernel::polynomial(1.0, coef0, degree).check()?;
                }
                Self::parse(&format!(
                    "poly(gamma={gamma}, coef0={coef0:?}, degree={degree})"
                ))
            }
            2 => Self::parse(&format!("rbf(gamma={gamma})")),
            3 => Self::parse(&format!("sigmoid(gamma={gamma}, coef0={coef0:?})")),
            4 => Ok(Kernel::Precomputed.into()),
            unknown => Err(Error::Parameter {
                name: "kernel type",
                value: f64::from(unknown),
                requirement: "from 0 to 4",
            }),
        }
    }

    /// The kernel, when nothing is left to the data.
    pub fn fixed(&self) -> Option<&Kernel> {
        match &self.0 {
            Form::Fixed(kernel) => Some(kernel),
            Form::Symbolic(_) => None,
        }
    }

    /// True when a value is a percentile: a local method then takes it anew in every neighbourhood.
    pub fn has_percentiles(&self) -> bool {
        fn in_call(call: &Call) -> bool {
            call.arguments.iter().any(|argument| match &argument.value {
                Value::Number(_) => false,
                // A keyed word is a symbol, and only percentiles start so.
                Value::Call(word) if argument.key.is_some() => word.name.starts_with('q'),
                Value::Call(inner) => in_call(inner),
            })
        }
        matches!(&self.0, Form::Symbolic(call) if in_call(call))
    }

    /// The kernel for these data. Percentiles take all pairs of up to 2000 rows, or of a sample of
    /// 2000 drawn with `seed`.
    pub fn resolve(&self, samples: SamplesView<'_>, seed: u64) -> Result<Kernel> {
        self.resolve_in(samples, Scope::Data { seed })
    }

    /// The kernel for a neighbourhood whose rows ascend in distance from its centre. Percentiles
    /// follow the published programs: see [`super::neighbourhood_gamma`].
    pub fn resolve_neighbourhood(&self, samples: SamplesView<'_>) -> Result<Kernel> {
        self.resolve_in(samples, Scope::Neighbourhood)
    }

    fn resolve_in(&self, samples: SamplesView<'_>, scope: Scope) -> Result<Kernel> {
        let call = match &self.0 {
            Form::Fixed(kernel) => {
                kernel.check()?;
                return Ok(kernel.clone());
            }
            Form::Symbolic(call) => call,
        };
        if samples.n_rows() == 0 {
            return Err(Error::NoRows);
        }
        // Sigma and eta of one operator ask for the same distances.
        let mut last: Option<(Kernel, PairDistances)> = None;
        let mut value_of = |request: Request<'_>| match request.symbol {
            Symbol::Percentile(h) if request.role == Role::CityBlockGamma => {
                let weighted = weighted_samples(request.space, samples);
                let view = weighted.as_ref().map_or(samples, Samples::view);
                let distances = match scope {
                    Scope::Data { seed } => PairDistances::city_block(view, seed)?,
                    Scope::Neighbourhood => PairDistances::city_block_of_neighbourhood(view)?,
                };
                Ok(distances.city_block_gamma(h))
            }
            Symbol::Percentile(h) => {
                let distances = match last.take() {
                    Some((space, distances)) if space == *request.space => distances,
                    _ => match scope {
                        Scope::Data { seed } => PairDistances::of(request.space, samples, seed)?,
                        Scope::Neighbourhood => {
                            PairDistances::of_neighbourhood(request.space, samples)?
                        }
                    },
                };
                let value = match request.role {
                    Role::Gamma | Role::CityBlockGamma => distances.gamma(h),
                    Role::Sigma => distances.sigma(h),
                    Role::Eta => distances.eta(h),
                };
                last = Some((request.space.clone(), distances));
                Ok(value)
            }
            moment => {
                let weighted = weighted_samples(request.space, samples);
                let view = weighted.as_ref().map_or(samples, Samples::view);
                let is_city_block = request.role == Role::CityBlockGamma;
                Ok(match moment {
                    Symbol::Scale if is_city_block => city_block_gamma_scale(view),
                    Symbol::Mean if is_city_block => city_block_gamma_mean(view),
                    Symbol::Scale => gamma_scale(view),
                    Symbol::Mean => gamma_mean(view),
                    _ => gamma_auto(view.n_features()),
                })
            }
        };
        let kernel = Builder {
            text: &call.to_string(),
            symbols: Some(&mut value_of),
        }
        .kernel(call, &Kernel::Linear)?;
        kernel.check()?;
        Ok(kernel)
    }
}

/// The samples multiplied by the weights of `space`; `None` when it has none.
fn weighted_samples(space: &Kernel, samples: SamplesView<'_>) -> Option<Samples> {
    let mut weights: Option<Vec<f64>> = None;
    let mut space = space;
    while let Kernel::Weighted {
        weights: factors,
        kernel,
    } = space
    {
        weights = Some(match weights {
            None => factors.clone(),
            Some(outer) => outer.iter().zip(factors).map(|(a, b)| a * b).collect(),
        });
        space = kernel;
    }
    let weights = weights?;
    let n_features = weights.len().min(samples.n_features());
    let mut values = vec![0.0; samples.n_rows() * n_features];
    for i in 0..samples.n_rows() {
        samples.row(i).for_each(|f, value| {
            if f < n_features {
                values[i * n_features + f] = weights[f] * value;
            }
        });
    }
    Samples::dense(samples.n_rows(), n_features, values).ok()
}

impl Default for KernelSpec {
    /// The Gaussian kernel with gamma = 1 / features, as in LIBSVM.
    fn default() -> Self {
        let auto = Value::Call(Call::named("auto", Vec::new()));
        let gamma = Argument::keyed("gamma", auto);
        Self(Form::Symbolic(Call::named("rbf", vec![gamma])))
    }
}

impl From<Kernel> for KernelSpec {
    fn from(kernel: Kernel) -> Self {
        Self(Form::Fixed(kernel))
    }
}

impl Display for KernelSpec {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Form::Fixed(kernel) => kernel.fmt(f),
            Form::Symbolic(call) => call.fmt(f),
        }
    }
}

impl FromStr for KernelSpec {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Self::parse(text)
    }
}

impl TryFrom<String> for KernelSpec {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        Self::parse(&text)
    }
}

impl From<KernelSpec> for String {
    fn from(spec: KernelSpec) -> Self {
        spec.to_string()
    }
}

impl Kernel {
    /// Reads the text form: `linear`, `rbf(gamma=0.5)`, `poly(gamma=1, coef0=1, degree=3)`,
    /// `s(rbf(gamma=1), sigma=2, eta=1)`, `mix(0.3, linear, rbf(gamma=2))` and so on.
    ///
    /// # Errors
    /// [`Error::KernelSyntax`] with the position and what was expected; a parameter out of its
    /// range as [`Kernel::check`] reports it.
    pub fn parse(text: &str) -> Result<Self> {
        let mut builder = Builder {
            text,
            symbols: None,
        };
        let kernel = builder.kernel(&read(text)?, &Self::Linear)?;
        kernel.check()?;
        Ok(kernel)
    }
}

impl FromStr for Kernel {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Self::parse(text)
    }
}

impl From<Kernel> for String {
    fn from(kernel: Kernel) -> Self {
        kernel.to_string()
    }
}

impl TryFrom<String> for Kernel {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        Self::parse(&text)
    }
}
