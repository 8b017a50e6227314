//! Quasi-local kernels: a kernel plus or times a part that is local in its own feature space.
//!
//! With $D^2 = K(x,x) + K(x',x') - 2K(x,x')$ and $E = e^{-D^2/\sigma}$ the operators are
//!
//! | operator | value | squared distance it induces |
//! |---|---|---|
//! | $E_\sigma K$ | $E$ | $d_E^2 = 2(1 - E) \le 2$ |
//! | $P_\sigma K$ | $K E$ | $D^2 + K d_E^2$ |
//! | $S_{\sigma,\eta} K$ | $K + \eta E$ | $D^2 + \eta d_E^2$ |
//! | $PS_{\sigma,\eta} K$ | $K (1 + \eta E)$ | $(1+\eta) D^2 + \eta K d_E^2$ |
//!
//! All keep positive definiteness; $E$ and $S$ also keep the order of distances. $\eta = 0$ gives
//! back $K$. Operators can be nested.
//!
//! | document | here |
//! |---|---|
//! | $\sigma_h = 2 q_h^2[D]$ | [`PairDistances::sigma`] |
//! | $\eta_h = q_h[D]$ | [`PairDistances::eta`] |
//! | $f(\sigma,\gamma,r)$ | [`effective_width`] |

use super::distance::clamp;
use super::width::PairDistances;
use super::{Kernel, LocalOperator};
use crate::Result;
use crate::data::SamplesView;

/// Percentiles of the kernel distance tried for $\sigma$.
pub const SIGMA_PERCENTILES: [f64; 4] = [1.0, 10.0, 50.0, 90.0];
/// Percentiles of the kernel distance tried for $\eta$.
pub const ETA_PERCENTILES: [f64; 3] = [10.0, 50.0, 90.0];

impl LocalOperator {
    /// True when the operator has the weight $\eta$.
    pub fn has_eta(self) -> bool {
        matches!(self, Self::S | Self::PS)
    }

    /// Value of the operator from the squared distance and the value of its input kernel.
    /// A negative `squared` counts as 0.
    pub fn value(self, squared: f64, k_xy: f64, sigma: f64, eta: f64) -> f64 {
        let local = (-clamp(squared) / sigma).exp();
        match self {
            Self::E => local,
            Self::P => k_xy * local,
            Self::S => k_xy + eta * local,
            Self::PS => k_xy * (1.0 + eta * local),
        }
    }

    /// Squared distance that the operator induces, from the squared distance and the value of its
    /// input kernel. It is 0 or more for a positive definite input.
    pub fn sq_dist(self, squared: f64, k_xy: f64, sigma: f64, eta: f64) -> f64 {
        let local = -2.0 * (-clamp(squared) / sigma).exp_m1();
        match self {
            Self::E => local,
            Self::P => squared + k_xy * local,
            Self::S => squared + eta * local,
            Self::PS => (1.0 + eta) * squared + eta * k_xy * local,
        }
    }
}

/// $f(\sigma,\gamma,r) = \tfrac\sigma2 r^2/(1-e^{-\gamma r^2})$: at distance $r$ the kernel $E_\sigma$
/// of a Gaussian with $\gamma$ equals $e^{-r^2/f}$. It grows with $r$ from $\sigma/(2\gamma)$.
pub fn effective_width(sigma: f64, gamma: f64, r: f64) -> f64 {
    let squared = r * r;
    let shrunk = -(-gamma * squared).exp_m1();
    if shrunk == 0.0 {
        return sigma / (2.0 * gamma);
    }
    0.5 * sigma * squared / shrunk
}

/// One kernel to try in the search for $(\sigma, \eta)$.
#[derive(Debug, Clone, PartialEq)]
pub struct LocalCandidate {
    /// Percentile behind $\sigma$; `None` for the input kernel itself.
    pub sigma_percentile: Option<f64>,
    /// Percentile behind $\eta$; `None` where $\eta$ is not searched.
    pub eta_percentile: Option<f64>,
    /// The kernel.
    pub kernel: Kernel,
}

/// The candidates for a quasi-local operator on `kernel`, whose own parameters (and the cost) are
/// already chosen and stay.
///
/// The first is the input kernel itself ($\eta = 0$), then come $\sigma$ by
/// [`SIGMA_PERCENTILES`] and, for `S` and `PS` with `search_eta`, $\eta$ by [`ETA_PERCENTILES`]:
/// 12 candidates, otherwise 4 with $\eta = 1$. Taking the first of the best breaks ties as it
/// should: for the input kernel, then for the smaller index.
pub fn local_candidates(
    operator: LocalOperator,
    search_eta: bool,
    kernel: &Kernel,
    samples: SamplesView<'_>,
    seed: u64,
) -> Result<Vec<LocalCandidate>> {
    kernel.check()?;
    let distances = PairDistances::of(kernel, samples, seed)?;
    let mut candidates = vec![LocalCandidate {
        sigma_percentile: None,
        eta_percentile: None,
        kernel: kernel.clone(),
    }];
    let etas: Vec<(Option<f64>, f64)> = if search_eta && operator.has_eta() {
        ETA_PERCENTILES
            .iter()
            .map(|&h| (Some(h), distances.eta(h)))
            .collect()
    } else {
        vec![(None, 1.0)]
    };
    for h in SIGMA_PERCENTILES {
        let sigma = distances.sigma(h);
        candidates.extend(etas.iter().map(|&(eta_percentile, eta)| LocalCandidate {
            sigma_percentile: Some(h),
            eta_percentile,
            kernel: kernel.clone().local(operator, sigma, eta),
        }));
    }
    Ok(candidates)
}
