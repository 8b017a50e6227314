//! Kernels as expressions.

use super::Radial;
use crate::error::{ensure_finite, ensure_not_negative, ensure_positive};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// A kernel function $K(x, x')$, possibly built from others.
///
/// It is stored as its text, because reading the text bounds the nesting: a file cannot make the
/// reader recurse deeper than [`MAX_DEPTH`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
#[non_exhaustive]
pub enum Kernel {
    /// $\langle x, x'\rangle$.
    Linear,
    /// $(\gamma\langle x, x'\rangle + r)^d$; homogeneous with $\gamma=1, r=0$.
    Polynomial {
        /// Factor of the inner product.
        gamma: f64,
        /// Added constant $r$.
        coef0: f64,
        /// Power $d \ge 1$.
        degree: u32,
    },
    /// $\tanh(\gamma\langle x, x'\rangle + r)$; not positive definite in general.
    Sigmoid {
        /// Factor of the inner product.
        gamma: f64,
        /// Added constant $r$.
        coef0: f64,
    },
    /// A function of $\|x - x'\|^2$.
    Radial(Radial),
    /// $e^{-\gamma\|x - x'\|_1} = \prod_f e^{-\gamma|x_f - x'_f|}$, a function of the sum of absolute
    /// differences (the city-block distance). Positive definite, being a product of kernels that
    /// are. scikit-learn's `laplacian_kernel`; [`Radial::Laplacian`] and [`Radial::Exponential`] are
    /// functions of the Euclidean distance instead.
    CityBlock {
        /// Rate $\gamma \ge 0$.
        gamma: f64,
    },
    /// A function of the spectral angle $\arccos(\langle x,x'\rangle/(\|x\|\|x'\|))$ in place of the distance.
    Angle(Radial),
    /// $\sum_f \min(|x_f|^\alpha, |x'_f|^\alpha)$.
    HistogramIntersection {
        /// Power of the absolute values.
        alpha: f64,
    },
    /// $\prod_f (1 + x_f x'_f + x_f x'_f m - \tfrac{x_f + x'_f}2 m^2 + \tfrac13 m^3)$, $m = \min(x_f, x'_f)$.
    Spline,
    /// Rows are rows of a kernel matrix: column 0 holds the 1-based number of the row, column `j`
    /// the value against training row `j` (LIBSVM's convention).
    Precomputed,
    /// $\sum_i K_i$.
    Sum(Vec<Kernel>),
    /// $\prod_i K_i$.
    Product(Vec<Kernel>),
    /// $c K$, $c \ge 0$.
    Scaled {
        /// The factor.
        factor: f64,
        /// The kernel.
        kernel: Box<Kernel>,
    },
    /// $\sum_p c_p K^p$ with $c_p \ge 0$.
    Series {
        /// $c_0, c_1, \dots$.
        coefficients: Vec<f64>,
        /// The kernel.
        kernel: Box<Kernel>,
    },
    /// $e^K$.
    Exp(Box<Kernel>),
    /// $f(x) f(x') K(x, x')$ with $f(x) = e^{-a\|x\|^2}$.
    Conformal {
        /// $a$.
        rate: f64,
        /// The kernel.
        kernel: Box<Kernel>,
    },
    /// $K(\psi(x), \psi(x'))$ where $\psi$ multiplies feature $f$ by `weights[f]`
    /// (features beyond the list are dropped).
    Weighted {
        /// One factor a feature.
        weights: Vec<f64>,
        /// The kernel.
        kernel: Box<Kernel>,
    },
    /// A quasi-local operator on a kernel.
    Local {
        /// Which operator.
        operator: LocalOperator,
        /// Range of the local part.
        sigma: f64,
        /// Weight of the local part.
        eta: f64,
        /// The input kernel.
        kernel: Box<Kernel>,
    },
    /// A radial function of the kernel's own distance.
    RadialOf {
        /// The function.
        radial: Radial,
        /// The kernel whose distance it takes.
        kernel: Box<Kernel>,
    },
    /// A radial function of the kernel's own angle $\arccos(K(x,x')/\sqrt{K(x,x)K(x',x')})$.
    AngleOf {
        /// The function.
        radial: Radial,
        /// The kernel whose angle it takes.
        kernel: Box<Kernel>,
    },
}

/// The quasi-local operators, with $E = e^{-D^2/\sigma}$ and $D$ the input kernel's distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum LocalOperator {
    /// $E_\sigma K = E$.
    E,
    /// $P_\sigma K = K \cdot E$.
    P,
    /// $S_{\sigma,\eta} K = K + \eta E$.
    S,
    /// $PS_{\sigma,\eta} K = K (1 + \eta E)$.
    PS,
}

/// Deepest nesting that [`Kernel::check`] and the text form accept; it bounds every recursion.
pub const MAX_DEPTH: usize = 64;

impl Kernel {
    /// The Gaussian kernel $e^{-\gamma\|x-x'\|^2}$.
    pub fn rbf(gamma: f64) -> Self {
        Self::Radial(Radial::Gaussian { gamma })
    }

    /// The Gaussian kernel $e^{-\|x-x'\|^2/\sigma}$: $\sigma$ is neither squared nor doubled.
    pub fn rbf_sigma(sigma: f64) -> Self {
        Self::rbf(sigma.recip())
    }

    /// The Gaussian kernel $e^{-\|x-x'\|^2/(2\sigma^2)}$.
    pub fn gaussian_two_sigma_squared(sigma: f64) -> Self {
        Self::rbf((2.0 * sigma * sigma).recip())
    }

    /// $(\gamma\langle x, x'\rangle + r)^d$.
    pub fn polynomial(gamma: f64, coef0: f64, degree: u32) -> Self {
        Self::Polynomial {
            gamma,
            coef0,
            degree,
        }
    }

    /// $\langle x, x'\rangle^d$.
    pub fn homogeneous(degree: u32) -> Self {
        Self::polynomial(1.0, 0.0, degree)
    }

    /// $(\langle x, x'\rangle + 1)^d$.
    pub fn inhomogeneous(degree: u32) -> Self {
        Self::polynomial(1.0, 1.0, degree)
    }

    /// $\tanh(\gamma\langle x, x'\rangle + r)$.
    pub fn sigmoid(gamma: f64, coef0: f64) -> Self {
        Self::Sigmoid { gamma, coef0 }
    }

    /// $(\lambda/2)^n e^{-\lambda\|x-x'\|}$.
    pub fn laplacian(lambda: f64) -> Self {
        Self::Radial(Radial::Laplacian { lambda })
    }

    /// $e^{-\|x-x'\|/\sigma}$.
    pub fn exponential(sigma: f64) -> Self {
        Self::Radial(Radial::Exponential { sigma })
    }

    /// $e^{-\gamma\|x-x'\|_1}$.
    pub fn city_block(gamma: f64) -> Self {
        Self::CityBlock { gamma }
    }

    /// The spectral angle mapper $e^{-\gamma\theta(x,x')}$.
    pub fn sam(gamma: f64) -> Self {
        Self::Angle(Radial::Exponential {
            sigma: gamma.recip(),
        })
    }

    /// $\sum_i K_i$.
    pub fn sum(kernels: impl IntoIterator<Item = Self>) -> Self {
        Self::Sum(kernels.into_iter().collect())
    }

    /// $\prod_i K_i$.
    pub fn product(kernels: impl IntoIterator<Item = Self>) -> Self {
        Self::Product(kernels.into_iter().collect())
    }

    /// $c K$.
    pub fn scaled(self, factor: f64) -> Self {
        Self::Scaled {
            factor,
            kernel: Box::new(self),
        }
    }

    /// $\rho K_1 + (1-\rho) K_2$, $0 \le \rho \le 1$.
    pub fn mixture(rho: f64, first: Self, second: Self) -> Self {
        Self::sum([first.scaled(rho), second.scaled(1.0 - rho)])
    }

    /// $\sum_p c_p K^p$.
    pub fn series(self, coefficients: impl Into<Vec<f64>>) -> Self {
        Self::Series {
            coefficients: coefficients.into(),
            kernel: Box::new(self),
        }
    }

    /// $e^K$.
    pub fn exp(self) -> Self {
        Self::Exp(Box::new(self))
    }

    /// $e^{-a\|x\|^2} e^{-a\|x'\|^2} K(x, x')$.
    pub fn conformal(self, rate: f64) -> Self {
        Self::Conformal {
            rate,
            kernel: Box::new(self),
        }
    }

    /// $K$ on features multiplied by `weights`.
    pub fn weighted(self, weights: impl Into<Vec<f64>>) -> Self {
        Self::Weighted {
            weights: weights.into(),
            kernel: Box::new(self),
        }
    }

    /// A quasi-local operator on this kernel. `E` and `P` have no weight: `eta` is read as 1.
    pub fn local(self, operator: LocalOperator, sigma: f64, eta: f64) -> Self {
        Self::Local {
            operator,
            sigma,
            eta: if operator.has_eta() { eta } else { 1.0 },
            kernel: Box::new(self),
        }
    }

    /// `radial` of this kernel's distance.
    pub fn radial_of(self, radial: Radial) -> Self {
        Self::RadialOf {
            radial,
            kernel: Box::new(self),
        }
    }

    /// `radial` of this kernel's angle.
    pub fn angle_of(self, radial: Radial) -> Self {
        Self::AngleOf {
            radial,
            kernel: Box::new(self),
        }
    }

    /// The kernels that this one is directly built from.
    pub fn children(&self) -> &[Self] {
        match self {
            Self::Sum(kernels) | Self::Product(kernels) => kernels,
            Self::Scaled { kernel, .. }
            | Self::Series { kernel, .. }
            | Self::Exp(kernel)
            | Self::Conformal { kernel, .. }
            | Self::Weighted { kernel, .. }
            | Self::Local { kernel, .. }
            | Self::RadialOf { kernel, .. }
            | Self::AngleOf { kernel, .. } => std::slice::from_ref(&**kernel),
            Self::Linear
            | Self::Polynomial { .. }
            | Self::Sigmoid { .. }
            | Self::Radial(_)
            | Self::CityBlock { .. }
            | Self::Angle(_)
            | Self::HistogramIntersection { .. }
            | Self::Spline
            | Self::Precomputed => &[],
        }
    }

    /// True when `test` holds for this kernel or any that it is built from.
    pub fn any(&self, test: &impl Fn(&Self) -> bool) -> bool {
        test(self) || self.children().iter().any(|child| child.any(test))
    }

    /// Nesting depth: 1 without children.
    pub fn depth(&self) -> usize {
        1 + self.children().iter().map(Self::depth).max().unwrap_or(0)
    }

    /// True when the rows are rows of a kernel matrix.
    pub fn is_precomputed(&self) -> bool {
        self.any(&|kernel| matches!(kernel, Self::Precomputed))
    }

    /// Verifies every range, down to the innermost kernel.
    pub fn check(&self) -> Result<()> {
        let depth = self.depth();
        if depth > MAX_DEPTH {
            return Err(Error::Parameter {
                name: "nesting of the kernel",
                value: depth as f64,
                requirement: "at most 64 levels",
            });
        }
        self.check_nested()?;
        // Rows of a kernel matrix are no feature vectors.
        let reads_features = |kernel: &Self| {
            let leaf = kernel.children().is_empty() && *kernel != Self::Precomputed;
            leaf || matches!(kernel, Self::Conformal { .. } | Self::Weighted { .. })
        };
        if self.is_precomputed() && self.any(&reads_features) {
            return Err(Error::KernelUse {
                kernel: self.to_string(),
                problem: "a precomputed kernel cannot be combined with one that reads features",
            });
        }
        Ok(())
    }

    fn check_nested(&self) -> Result<()> {
        match self {
            Self::Linear | Self::Spline | Self::Precomputed | Self::Exp(_) => {}
            Self::Polynomial {
                gamma,
                coef0,
                degree,
            } => {
                ensure_not_negative("gamma", *gamma)?;
                ensure_finite("coef0", *coef0)?;
                if !(1..=i32::MAX as u32).contains(degree) {
                    return Err(Error::Parameter {
                        name: "degree",
                        value: f64::from(*degree),
                        requirement: "at least 1 and below 2^31",
                    });
                }
            }
            Self::Sigmoid { gamma, coef0 } => {
                ensure_finite("gamma", *gamma)?;
                ensure_finite("coef0", *coef0)?;
            }
            Self::Radial(radial)
            | Self::Angle(radial)
            | Self::RadialOf { radial, .. }
            | Self::AngleOf { radial, .. } => radial.check()?,
            // As for the Gaussian, 0 makes all rows equal.
            Self::CityBlock { gamma } => ensure_not_negative("gamma", *gamma)?,
            Self::HistogramIntersection { alpha } => ensure_positive("alpha", *alpha)?,
            Self::Sum(kernels) | Self::Product(kernels) => {
                ensure_some("kernels of a sum or product", kernels)?;
            }
            Self::Scaled { factor, .. } => ensure_not_negative("factor", *factor)?,
            Self::Series { coefficients, .. } => {
                ensure_some("coefficients of a series", coefficients)?;
                for &coefficient in coefficients {
                    ensure_not_negative("coefficient", coefficient)?;
                }
            }
            Self::Conformal { rate, .. } => ensure_finite("rate", *rate)?,
            Self::Weighted { weights, .. } => {
                ensure_some("weights of a kernel", weights)?;
                for &weight in weights {
                    ensure_finite("weight", weight)?;
                }
            }
            Self::Local {
                operator,
                sigma,
                eta,
                ..
            } => {
                ensure_positive("sigma", *sigma)?;
                ensure_not_negative("eta", *eta)?;
                if !operator.has_eta() && *eta != 1.0 {
                    return Err(Error::Parameter {
                        name: "eta",
                        value: *eta,
                        requirement: "1 for the operators e and p, which have no weight",
                    });
                }
            }
        }
        self.children().iter().try_for_each(Self::check_nested)
    }

    /// True when every Gram matrix is known to be positive semi-definite, whatever the data.
    ///
    /// It is conservative: kernels of an angle fail on rows that are all zero, the spline on
    /// negative values, the wave beyond three features, and of a precomputed matrix nothing is
    /// known; for all of them the answer is `false`.
    pub fn is_positive_definite(&self) -> bool {
        let this = match self {
            Self::Polynomial { gamma, coef0, .. } => *gamma >= 0.0 && *coef0 >= 0.0,
            Self::Sigmoid { .. }
            | Self::Angle(_)
            | Self::AngleOf { .. }
            | Self::Spline
            | Self::Precomputed => false,
            Self::Radial(radial) | Self::RadialOf { radial, .. } => radial.is_positive_definite(),
            Self::Scaled { factor, .. } => *factor >= 0.0,
            Self::Series { coefficients, .. } => coefficients.iter().all(|&c| c >= 0.0),
            Self::Local { eta, .. } => *eta >= 0.0,
            Self::Linear
            | Self::CityBlock { .. }
            | Self::HistogramIntersection { .. }
            | Self::Sum(_)
            | Self::Product(_)
            | Self::Exp(_)
            | Self::Conformal { .. }
            | Self::Weighted { .. } => true,
        };
        this && self.children().iter().all(Self::is_positive_definite)
    }

    /// The simplest kernel whose distance orders neighbours exactly as this one's does: search
    /// with that one. Euclidean is [`Kernel::Linear`], the city-block distance
    /// [`Kernel::CityBlock`] with $\gamma = 1$.
    ///
    /// Strictly decreasing radial functions, positive multiples, first-degree polynomials and the
    /// operators `E` and `S` keep the order of their input (and a sum keeps the order that all its
    /// parts share); for the others the answer is the kernel itself.
    pub fn order_preserving_base(&self) -> Self {
        match self {
            Self::Polynomial {
                gamma, degree: 1, ..
            } if *gamma > 0.0 => Self::Linear,
            Self::Radial(radial) if radial.is_order_preserving() => Self::Linear,
            Self::CityBlock { gamma } if *gamma > 0.0 => Self::city_block(1.0),
            Self::Sum(kernels) => {
                let mut bases = kernels.iter().map(Self::order_preserving_base);
                match bases.next() {
                    Some(first) if bases.all(|base| base == first) => first,
                    _ => self.clone(),
                }
            }
            Self::Product(kernels) if kernels.len() == 1 => kernels[0].order_preserving_base(),
            Self::Scaled { factor, kernel } if *factor > 0.0 => kernel.order_preserving_base(),
            Self::Weighted { weights, kernel } => {
                kernel.order_preserving_base().weighted(weights.clone())
            }
            Self::Local {
                operator,
                eta,
                kernel,
                ..
            } => match operator {
                LocalOperator::E | LocalOperator::S => kernel.order_preserving_base(),
                LocalOperator::PS if *eta == 0.0 => kernel.order_preserving_base(),
                LocalOperator::P | LocalOperator::PS => self.clone(),
            },
            Self::RadialOf { radial, kernel } if radial.is_order_preserving() => {
                kernel.order_preserving_base()
            }
            _ => self.clone(),
        }
    }
}

fn ensure_some<T>(what: &'static str, items: &[T]) -> Result<()> {
    if items.is_empty() {
        return Err(Error::Shape {
            what,
            expected: 1,
            found: 0,
        });
    }
    Ok(())
}
