//! Kernels as expressions.

use super::Radial;
use serde::{Deserialize, Serialize};

/// A kernel function $K(x, x')$, possibly built from others.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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

impl Kernel {
    /// The Gaussian kernel $e^{-\gamma\|x-x'\|^2}$.
    pub fn rbf(gamma: f64) -> Self {
        Self::Radial(Radial::Gaussian { gamma })
    }
}
