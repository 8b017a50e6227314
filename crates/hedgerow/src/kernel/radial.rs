//! Functions of a distance: the isotropic stationary kernels.

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
/// $n$ is the number of features.
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
