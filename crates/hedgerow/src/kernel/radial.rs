//! Functions of a distance: the isotropic stationary kernels.

use crate::error::ensure_positive;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// A function of a squared distance $r^2$ (or of a squared angle, or of a squared kernel distance).
///
/// | document | here | value |
/// |---|---|---|
/// | RBF, $\sigma = 1/\gamma$ | `Gaussian` | $e^{-\gamma r^2}$ |
/// | exponential | `Exponential` | $e^{-r/\sigma}$ |
/// | Laplacian | `Laplacian` | $(\lambda/2)^n e^{-\lambda r}$ |
/// | rational | `Rational` | $1 - r^2/(r^2+\theta)$ |
/// | Beta | `Power` | $-r^\beta$ |
/// | uniform | `Uniform` | $\tfrac12 [r \le h]$ |
/// | triangular | `Triangular` | $(1 - r/h)[r \le h]$ |
/// | multiquadratic | `Multiquadric` | $\sqrt{r^2+c^2}$ |
/// | inverse multiquadratic | `InverseMultiquadric` | $1/\sqrt{r^2+c^2}$ |
/// | thin-plate spline | `ThinPlate` | $r^{2n+1}$ |
/// | KMOD | `Kmod` | $(e^{\gamma/(r^2+\sigma^2)}-1)/(e^{\gamma/\sigma^2}-1)$ |
/// | wave | `Wave` | $(\theta/r)\sin(r/\theta)$ |
/// | multivariate Student | `Student` | $(1+r^2/(\nu\sigma^2))^{-(\nu+n)/2}$ |
///
/// $n$ is the number of features. The Laplacian's factor $(\lambda/2)^n$ vanishes for wide data
/// and small $\lambda$; `Exponential` is the same shape without it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[allow(missing_docs)] // the table above documents every field
pub enum Radial {
    Gaussian { gamma: f64 },
    Exponential { sigma: f64 },
    Laplacian { lambda: f64 },
    Rational { theta: f64 },
    Power { beta: f64 },
    Uniform { h: f64 },
    Triangular { h: f64 },
    Multiquadric { c: f64 },
    InverseMultiquadric { c: f64 },
    ThinPlate,
    Kmod { gamma: f64, sigma: f64 },
    Wave { theta: f64 },
    Student { nu: f64, sigma: f64 },
}

/// What is known of the Gram matrices of a function of the Euclidean distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Definiteness {
    /// Every Gram matrix is positive semi-definite.
    Positive,
    /// $c^\top G c \ge 0$ for every $c$ orthogonal to the polynomials of degree below `order`.
    Conditional {
        /// 1: $c$ sums to zero, which is all that an SVM with an offset needs.
        order: usize,
    },
    /// The negative of the function is conditionally positive definite.
    NegatedConditional {
        /// See `Conditional`.
        order: usize,
    },
    /// Nothing can be said.
    Indefinite,
}

impl Radial {
    /// The function at the squared distance `squared` for data with `n_features` features.
    /// A negative `squared` (round-off) counts as 0.
    pub fn value(self, squared: f64, n_features: usize) -> f64 {
        // Not `max`, which would turn NaN into 0.
        let r2 = if squared < 0.0 { 0.0 } else { squared };
        let n = n_features as f64;
        match self {
            Self::Gaussian { gamma } => (-gamma * r2).exp(),
            Self::Exponential { sigma } => (-r2.sqrt() / sigma).exp(),
            // One exponential: the factor alone may overflow where the product does not.
            Self::Laplacian { lambda } => (n * (0.5 * lambda).ln() - lambda * r2.sqrt()).exp(),
            Self::Rational { theta } => theta / (r2 + theta),
            Self::Power { beta } => -r2.powf(0.5 * beta),
            Self::Uniform { h } => {
                if r2.sqrt() <= h {
                    0.5
                } else {
                    0.0
                }
            }
            Self::Triangular { h } => {
                let height = 1.0 - r2.sqrt() / h;
                if height < 0.0 { 0.0 } else { height }
            }
            Self::Multiquadric { c } => (r2 + c * c).sqrt(),
            Self::InverseMultiquadric { c } => (r2 + c * c).sqrt().recip(),
            Self::ThinPlate => r2.powf(n + 0.5),
            Self::Kmod { gamma, sigma } => {
                // (e^a - 1)/(e^b - 1) = e^(a-b) (1 - e^-a)/(1 - e^-b), which cannot overflow.
                let a = gamma / (r2 + sigma * sigma);
                let b = gamma / (sigma * sigma);
                (a - b).exp() * ((-a).exp_m1() / (-b).exp_m1())
            }
            Self::Wave { theta } => {
                let angle = r2.sqrt() / theta;
                if angle == 0.0 {
                    1.0
                } else {
                    angle.sin() / angle
                }
            }
            Self::Student { nu, sigma } => {
                (-0.5 * (nu + n) * (r2 / (nu * sigma * sigma)).ln_1p()).exp()
            }
        }
    }

    /// Verifies the ranges of the parameters.
    pub fn check(self) -> Result<()> {
        match self {
            // 0 makes all rows equal: useless, but what LIBSVM accepts.
            Self::Gaussian { gamma } => crate::error::ensure_not_negative("gamma", gamma),
            Self::Exponential { sigma } => ensure_positive("sigma", sigma),
            Self::Laplacian { lambda } => ensure_positive("lambda", lambda),
            Self::Rational { theta } | Self::Wave { theta } => ensure_positive("theta", theta),
            Self::Power { beta } if beta > 0.0 && beta <= 2.0 => Ok(()),
            Self::Power { beta } => Err(Error::Parameter {
                name: "beta",
                value: beta,
                requirement: "greater than 0 and at most 2",
            }),
            Self::Uniform { h } | Self::Triangular { h } => ensure_positive("h", h),
            Self::Multiquadric { c } | Self::InverseMultiquadric { c } => ensure_positive("c", c),
            Self::ThinPlate => Ok(()),
            Self::Kmod { gamma, sigma } => {
                ensure_positive("gamma", gamma)?;
                ensure_positive("sigma", sigma)
            }
            Self::Student { nu, sigma } => {
                ensure_positive("nu", nu)?;
                ensure_positive("sigma", sigma)
            }
        }
    }

    /// What is known of the Gram matrices over points of a space with `n_features` dimensions.
    pub fn definiteness(self, n_features: usize) -> Definiteness {
        match self {
            Self::Power { .. } => Definiteness::Conditional { order: 1 },
            Self::Multiquadric { .. } => Definiteness::NegatedConditional { order: 1 },
            // $(-1)^{k} r^\beta$ is conditionally positive definite of order $k = \lceil\beta/2\rceil$.
            Self::ThinPlate if n_features % 2 == 1 => Definiteness::Conditional {
                order: n_features.saturating_add(1),
            },
            Self::ThinPlate => Definiteness::NegatedConditional {
                order: n_features.saturating_add(1),
            },
            Self::Triangular { .. } if n_features <= 1 => Definiteness::Positive,
            // $\sin(r)/r$ is the Fourier transform of the sphere in three dimensions.
            Self::Wave { .. } if n_features <= 3 => Definiteness::Positive,
            Self::Uniform { .. } | Self::Triangular { .. } | Self::Wave { .. } => {
                Definiteness::Indefinite
            }
            _ => Definiteness::Positive,
        }
    }

    /// True when the function is positive definite in every number of dimensions, so also as a
    /// function of a kernel's distance.
    pub fn is_positive_definite(self) -> bool {
        self.definiteness(usize::MAX) == Definiteness::Positive
    }

    /// True when $K(x,x)-K(x,x')$ grows strictly with the distance: then the kernel's own distance
    /// orders neighbours as the distance it is applied to.
    pub fn is_order_preserving(self) -> bool {
        match self {
            Self::Gaussian { gamma } => gamma > 0.0,
            Self::Uniform { .. }
            | Self::Triangular { .. }
            | Self::Wave { .. }
            | Self::Multiquadric { .. }
            | Self::ThinPlate => false,
            _ => true,
        }
    }

    /// The name in the text form of kernels.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gaussian { .. } => "rbf",
            Self::Exponential { .. } => "exponential",
            Self::Laplacian { .. } => "laplacian",
            Self::Rational { .. } => "rational",
            Self::Power { .. } => "power",
            Self::Uniform { .. } => "uniform",
            Self::Triangular { .. } => "triangular",
            Self::Multiquadric { .. } => "multiquadric",
            Self::InverseMultiquadric { .. } => "inverse-multiquadric",
            Self::ThinPlate => "thin-plate",
            Self::Kmod { .. } => "kmod",
            Self::Wave { .. } => "wave",
            Self::Student { .. } => "student",
        }
    }
}
