//! Distances between rows.

use crate::data::Row;
use crate::kernel::{Definiteness, Kernel, city_block_dist, euclidean_sq_dist};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// What "near" means.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum DistanceMetric {
    /// $\|x - x'\|$.
    Euclidean,
    /// $\sqrt{K(x,x) + K(x',x') - 2K(x,x')}$.
    Kernel(Kernel),
    /// $\sum_f |w_f||x_f - x'_f|$; without weights all are 1.
    CityBlock {
        /// One factor a feature; features beyond the list are dropped.
        weights: Option<Vec<f64>>,
    },
}

impl DistanceMetric {
    /// The metric whose neighbours are those of the kernel's feature space.
    ///
    /// The distance itself may differ: a Gaussian orders rows as the Euclidean distance does, and
    /// its own, which saturates, would ruin every tree. Likewise the city-block kernel.
    pub fn of(kernel: &Kernel) -> Self {
        match kernel.order_preserving_base() {
            Kernel::Linear => Self::Euclidean,
            base => match city_block_weights(&base) {
                Some(weights) => Self::CityBlock { weights },
                None => Self::Kernel(base),
            },
        }
    }

    /// The distance of two rows, in double precision.
    pub fn distance(&self, x: Row<'_>, y: Row<'_>, n_features: usize) -> Result<f64> {
        let squared = match self {
            Self::Euclidean | Self::Kernel(Kernel::Linear) => euclidean_sq_dist(x, y, n_features),
            Self::Kernel(kernel) => kernel.sq_dist(x, y, n_features)?,
            Self::CityBlock { weights: None } => return Ok(city_block_dist(x, y, n_features)),
            Self::CityBlock {
                weights: Some(weights),
            } => return Ok(weighted_city_block_dist(x, y, weights)),
        };
        Ok(squared.sqrt())
    }

    /// True for the Euclidean distance.
    pub fn is_euclidean(&self) -> bool {
        matches!(self, Self::Euclidean)
    }

    /// An error if rows have no distance under this metric.
    pub(super) fn check(&self) -> Result<()> {
        let kernel = match self {
            Self::Euclidean | Self::CityBlock { weights: None } => return Ok(()),
            Self::Kernel(kernel) => kernel,
            Self::CityBlock {
                weights: Some(weights),
            } => return Kernel::Linear.weighted(weights.clone()).check(),
        };
        kernel.check()?;
        if kernel.is_precomputed() {
            return Err(Error::KernelUse {
                kernel: kernel.to_string(),
                problem: "a precomputed kernel gives no distance between feature vectors",
            });
        }
        Ok(())
    }

    /// Whether the triangle inequality is known to hold.
    pub(super) fn is_metric(&self, n_features: usize) -> bool {
        match self {
            Self::Euclidean | Self::CityBlock { .. } => true,
            Self::Kernel(kernel) => is_definite(kernel, n_features),
        }
    }

    /// The coordinates in which this metric is Euclidean, if there are such.
    pub(super) fn embedding(&self, n_features: usize) -> Option<Embedding<'_>> {
        match self {
            Self::Euclidean | Self::Kernel(Kernel::Linear) => Some(Embedding {
                weights: None,
                width: n_features,
            }),
            Self::Kernel(Kernel::Weighted { weights, kernel }) if **kernel == Kernel::Linear => {
                Some(Embedding {
                    weights: Some(weights),
                    width: weights.len(),
                })
            }
            Self::Kernel(_) | Self::CityBlock { .. } => None,
        }
    }

    /// The coordinates whose absolute differences this metric sums, if it does that.
    pub(super) fn city_block_coordinates(&self, n_features: usize) -> Option<Embedding<'_>> {
        let Self::CityBlock { weights } = self else {
            return None;
        };
        let weights = weights.as_deref();
        Some(Embedding {
            weights,
            width: weights.map_or(n_features, <[f64]>::len),
        })
    }

    /// What it is called where it fails.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Euclidean => "Euclidean".to_owned(),
            Self::Kernel(kernel) => kernel.to_string(),
            Self::CityBlock { .. } => "city-block".to_owned(),
        }
    }
}

/// The weights of the features, should the kernel be the city-block kernel of weighted features.
#[allow(clippy::option_option)] // None of them, or another kernel.
fn city_block_weights(kernel: &Kernel) -> Option<Option<Vec<f64>>> {
    match kernel {
        Kernel::CityBlock { .. } => Some(None),
        Kernel::Weighted { weights, kernel } => Some(Some(match city_block_weights(kernel)? {
            None => weights.clone(),
            // Features beyond the outer list are 0, those beyond the inner one are dropped.
            Some(inner) => {
                let products = inner.iter().zip(weights).map(|(a, b)| a * b);
                products.collect()
            }
        })),
        _ => None,
    }
}

fn weighted_city_block_dist(x: Row<'_>, y: Row<'_>, weights: &[f64]) -> f64 {
    let mut differences = vec![0.0; weights.len()];
    let mut add = |row: Row<'_>, sign: f64| {
        row.for_each(|f, value| {
            if let Some(weight) = weights.get(f) {
                differences[f] += sign * (weight * value);
            }
        });
    };
    add(x, 1.0);
    add(y, -1.0);
    differences.iter().map(|difference| difference.abs()).sum()
}

/// Whether the kernel is known to be positive definite, or conditionally so, which is enough for
/// its distance to be one.
fn is_definite(kernel: &Kernel, n_features: usize) -> bool {
    match kernel {
        Kernel::Linear | Kernel::CityBlock { .. } | Kernel::HistogramIntersection { .. } => true,
        Kernel::Polynomial { gamma, coef0, .. } => *gamma >= 0.0 && *coef0 >= 0.0,
        Kernel::Radial(radial) => matches!(
            radial.definiteness(n_features),
            Definiteness::Positive | Definiteness::Conditional { order: 1 }
        ),
        Kernel::Sum(parts) => parts.iter().all(|part| is_definite(part, n_features)),
        Kernel::Scaled { factor, kernel } => *factor >= 0.0 && is_definite(kernel, n_features),
        Kernel::Weighted { weights, kernel } => is_definite(kernel, weights.len()),
        _ => false,
    }
}

/// Rows as vectors whose Euclidean (or city-block) distance is the metric's: the features, perhaps
/// weighted.
#[derive(Debug, Clone, Copy)]
pub(super) struct Embedding<'a> {
    weights: Option<&'a [f64]>,
    width: usize,
}

impl Embedding<'_> {
    /// True if the coordinates are the features as they are.
    pub(super) fn is_identity(self) -> bool {
        self.weights.is_none()
    }

    /// Number of coordinates.
    pub(super) fn width(self) -> usize {
        self.width
    }

    /// The largest coordinate, without sign.
    pub(super) fn largest(self, row: Row<'_>) -> f64 {
        if self.is_identity() {
            let larger = |max: f64, value: &f64| if value.abs() > max { value.abs() } else { max };
            return row.values().iter().fold(0.0, larger);
        }
        let mut largest = 0.0f64;
        self.for_each(row, |_, value| largest = largest.max(value.abs()));
        largest
    }

    /// Calls `visit(coordinate, value)` for all coordinates that may differ from 0. Returns false
    /// if the row has a feature that no coordinate stands for.
    #[inline]
    pub(super) fn for_each(self, row: Row<'_>, mut visit: impl FnMut(usize, f64)) -> bool {
        let mut complete = true;
        match (self.weights, row) {
            (Some(weights), _) => row.for_each(|f, value| {
                if let Some(weight) = weights.get(f) {
                    visit(f, weight * value);
                }
            }),
            (None, Row::Dense(values)) => {
                let (within, beyond) = values.split_at(values.len().min(self.width));
                within
                    .iter()
                    .enumerate()
                    .for_each(|(f, &value)| visit(f, value));
                complete = beyond.iter().all(|&value| value == 0.0);
            }
            (None, Row::Sparse { .. }) => row.for_each(|f, value| {
                if f < self.width {
                    visit(f, value);
                } else {
                    complete &= value == 0.0;
                }
            }),
        }
        complete
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaussians_order_rows_as_euclid_does() {
        assert_eq!(
            DistanceMetric::of(&Kernel::rbf(3.0)),
            DistanceMetric::Euclidean
        );
        assert_eq!(
            DistanceMetric::of(&Kernel::Linear),
            DistanceMetric::Euclidean
        );
        assert!(!DistanceMetric::of(&Kernel::polynomial(1.0, 1.0, 2)).is_euclidean());
    }

    #[test]
    fn the_city_block_kernel_is_searched_by_its_distance() {
        let (x, y) = ([1.0, -2.0, 9.0], [0.5, 4.0, 1.0]);
        let (x, y) = (Row::Dense(&x), Row::Dense(&y));
        let kernel = Kernel::city_block(70.0);
        let doubled = kernel
            .clone()
            .weighted([1.0, 0.25])
            .weighted([2.0, -2.0, 8.0]);
        for (kernel, expected) in [(kernel, 14.5), (doubled, 4.0)] {
            let metric = DistanceMetric::of(&kernel);
            assert!(metric.is_metric(3) && metric.embedding(3).is_none());
            assert_eq!(metric.check(), Ok(()));
            assert_eq!(metric.distance(x, y, 3), Ok(expected));
            let coordinates = metric.city_block_coordinates(3).expect("coordinates");
            let mut difference = vec![0.0; coordinates.width()];
            coordinates.for_each(x, |f, value| difference[f] += value);
            coordinates.for_each(y, |f, value| difference[f] -= value);
            assert_eq!(difference.iter().map(|v| v.abs()).sum::<f64>(), expected);
        }
        let empty = DistanceMetric::CityBlock {
            weights: Some(Vec::new()),
        };
        assert!(empty.check().is_err());
    }

    #[test]
    fn weights_are_coordinates() {
        let metric = DistanceMetric::of(&Kernel::rbf(3.0).weighted(vec![2.0, 0.5]));
        let (x, y) = ([1.0, -2.0, 9.0], [0.5, 4.0, 1.0]);
        let (x, y) = (Row::Dense(&x), Row::Dense(&y));
        let embedding = metric.embedding(3).expect("a weighted linear kernel");
        let mut difference = [0.0; 2];
        assert!(embedding.for_each(x, |f, value| difference[f] += value));
        assert!(embedding.for_each(y, |f, value| difference[f] -= value));
        let expected = difference.iter().map(|v| v * v).sum::<f64>().sqrt();
        assert!((metric.distance(x, y, 3).unwrap() - expected).abs() < 1e-15);
    }
}
