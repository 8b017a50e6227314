//! Distances between rows.

use crate::Result;
use crate::data::Row;
use crate::kernel::Kernel;
use serde::{Deserialize, Serialize};

/// What "near" means.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Metric {
    /// $\|x - x'\|$.
    Euclidean,
    /// $\sqrt{K(x,x) + K(x',x') - 2K(x,x')}$.
    Kernel(Kernel),
}

impl Metric {
    /// The metric whose neighbours are those of the kernel's feature space.
    ///
    /// The distance itself may differ: a Gaussian orders rows as the Euclidean distance does, and
    /// its own, which saturates, would ruin every tree.
    pub fn of(kernel: &Kernel) -> Self {
        match kernel.order_preserving_base() {
            Kernel::Linear => Self::Euclidean,
            base => Self::Kernel(base),
        }
    }

    /// The distance of two rows, in double precision.
    pub fn distance(&self, x: Row<'_>, y: Row<'_>, n_features: usize) -> Result<f64> {
        let kernel = match self {
            Self::Euclidean => &Kernel::Linear,
            Self::Kernel(kernel) => kernel,
        };
        Ok(kernel.sq_dist(x, y, n_features)?.sqrt())
    }

    /// True for the Euclidean distance.
    pub fn is_euclidean(&self) -> bool {
        matches!(self, Self::Euclidean)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaussians_order_rows_as_euclid_does() {
        assert_eq!(Metric::of(&Kernel::rbf(3.0)), Metric::Euclidean);
        assert_eq!(Metric::of(&Kernel::Linear), Metric::Euclidean);
        assert!(!Metric::of(&Kernel::polynomial(1.0, 1.0, 2)).is_euclidean());
    }
}
