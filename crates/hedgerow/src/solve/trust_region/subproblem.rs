//! The global minimum of a quadratic within a ball.
//!
//! With eigenpairs $(\nu_i, q_i)$ of $H$ and $c = Q^\top g$, the minimum is
//! $s = -\sum_i c_i/(\nu_i + \nu)\, q_i$ for the $\nu \ge \max(0, -\nu_{\min})$ with $\|s\| = \Delta$, or
//! for $\nu = 0$ if that is inside. In the hard case $c$ has no part in the eigenspace of
//! $\nu_{\min} < 0$, and even $\nu = -\nu_{\min}$ gives a step that is too short: what is missing is
//! then gone along $q_{\min}$, either way.

use crate::linalg::symmetric_eigen;
use crate::{Error, Result};

/// Part of the gradient in an eigenspace, relative to all of it, that counts as none.
const NEGLIGIBLE: f64 = 1e-14;
/// Most steps of the search for ν: each halves its interval at least.
const MAX_STEPS: usize = 200;
/// Relative error of the length at which the search ends.
const LENGTH_TOLERANCE: f64 = 1e-12;

/// A step within the ball.
#[derive(Debug, Clone, PartialEq)]
pub struct ExactStep {
    /// $s$.
    pub step: Vec<f64>,
    /// $\nu$.
    pub multiplier: f64,
    /// $\tfrac12 s^\top H s + g^\top s$.
    pub model: f64,
}

/// Minimises the model with a symmetric row-major `hessian` within a distance of `radius`.
///
/// # Errors
/// [`Error::NoEigenvalues`] if the matrix has none that are finite.
pub fn exact_step(hessian: &[f64], gradient: &[f64], radius: f64) -> Result<ExactStep> {
    let n = gradient.len();
    let eigen = symmetric_eigen(hessian, n).ok_or(Error::NoEigenvalues)?;
    if eigen.values.iter().any(|value| !value.is_finite()) {
        return Err(Error::NoEigenvalues);
    }
    let vectors = || eigen.vectors.chunks_exact(n.max(1));
    let parts: Vec<f64> = vectors()
        .map(|vector| vector.iter().zip(gradient).map(|(q, g)| q * g).sum())
        .collect();
    let (coordinates, multiplier) = in_eigenbasis(&eigen.values, &parts, radius);
    let mut step = vec![0.0; n];
    let mut model = 0.0;
    for ((vector, &length), (&value, &part)) in vectors()
        .zip(&coordinates)
        .zip(eigen.values.iter().zip(&parts))
    {
        for (s, q) in step.iter_mut().zip(vector) {
            *s += length * q;
        }
        model += length * (part + 0.5 * value * length);
    }
    Ok(ExactStep {
        step,
        multiplier,
        model,
    })
}

fn norm(values: impl Iterator<Item = f64>) -> f64 {
    values.map(|value| value * value).sum::<f64>().sqrt()
}

/// The step and ν, for a diagonal matrix with ascending entries.
fn in_eigenbasis(values: &[f64], parts: &[f64], radius: f64) -> (Vec<f64>, f64) {
    let Some(&smallest) = values.first() else {
        return (Vec::new(), 0.0);
    };
    let all = norm(parts.iter().copied());
    // ν = shift + μ, and ν + νᵢ = gaps[i] + μ without cancellation.
    let shift = (-smallest).max(0.0);
    let gap = |value: f64| {
        if smallest < 0.0 {
            value - smallest
        } else {
            value
        }
    };
    let gaps: Vec<f64> = values.iter().map(|&value| gap(value)).collect();
    let largest = gaps.last().copied().unwrap_or(0.0).max(shift);
    let flat = |at: usize| gaps[at] <= f64::EPSILON * largest;
    let step_at = |extra: f64| -> Vec<f64> {
        let coordinate = |at: usize| {
            if flat(at) && parts[at].abs() <= NEGLIGIBLE * all {
                0.0
            } else {
                -parts[at] / (gaps[at] + extra)
            }
        };
        (0..gaps.len()).map(coordinate).collect()
    };
    let shortest = step_at(0.0);
    let length = norm(shortest.iter().copied());
    if length <= radius {
        // Finite: nothing of the gradient lies where the matrix is flat.
        let mut step = shortest;
        if smallest < 0.0 {
            let missing = (radius * radius - length * length).max(0.0).sqrt();
            step[0] += if parts[0] > 0.0 { -missing } else { missing };
        }
        return (step, shift);
    }
    let extra = search(step_at, &gaps, all / radius, radius);
    (step_at(extra), shift + extra)
}

/// The μ > 0 at which the step has the length of the radius, by Newton's method on
/// $1/\Delta - 1/\|s(\mu)\|$, which is nearly linear; halved where that leaves what is known.
fn search(step_at: impl Fn(f64) -> Vec<f64>, gaps: &[f64], most: f64, radius: f64) -> f64 {
    let (mut low, mut high) = (0.0, most);
    let mut extra = high;
    for _ in 0..MAX_STEPS {
        let step = step_at(extra);
        let length = norm(step.iter().copied());
        if (length - radius).abs() <= LENGTH_TOLERANCE * radius {
            break;
        }
        if length > radius {
            low = extra;
        } else {
            high = extra;
        }
        let falls: f64 = step
            .iter()
            .zip(gaps)
            .map(|(s, gap)| s * s / (gap + extra))
            .sum();
        let newton = extra + (length - radius) / radius * (length * length / falls);
        // Roots may lie many powers of ten below the upper end.
        let middle = if low > 0.0 {
            (low * high).sqrt()
        } else {
            high * 1e-3
        };
        extra = if newton > low && newton < high {
            newton
        } else {
            middle
        };
        if high - low <= f64::EPSILON * high {
            break;
        }
    }
    extra
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Generator;

    fn model(hessian: &[f64], gradient: &[f64], step: &[f64]) -> f64 {
        let n = gradient.len();
        let mut value = 0.0;
        for i in 0..n {
            value += gradient[i] * step[i];
            for j in 0..n {
                value += 0.5 * step[i] * hessian[i * n + j] * step[j];
            }
        }
        value
    }

    /// The conditions that characterise the global minimum.
    fn assert_optimal(hessian: &[f64], gradient: &[f64], radius: f64) -> ExactStep {
        let n = gradient.len();
        let found = exact_step(hessian, gradient, radius).expect("eigenvalues");
        let length = norm(found.step.iter().copied());
        assert!(length <= radius * (1.0 + 1e-9), "{length} {radius}");
        let scale = 1.0 + norm(gradient.iter().copied());
        for i in 0..n {
            let curved: f64 = (0..n).map(|j| hessian[i * n + j] * found.step[j]).sum();
            let rest = curved + found.multiplier * found.step[i] + gradient[i];
            assert!(rest.abs() < 1e-7 * scale, "{rest} at {i}");
        }
        assert!(found.multiplier >= 0.0);
        assert!(found.multiplier * (radius - length).abs() < 1e-8 * scale);
        let smallest = symmetric_eigen(hessian, n).expect("eigenvalues").values[0];
        assert!(found.multiplier + smallest >= -1e-9);
        assert!((found.model - model(hessian, gradient, &found.step)).abs() < 1e-9 * scale);
        found
    }

    #[test]
    fn random_models_are_minimised_globally() {
        let mut generator = Generator::new(8);
        for n in 1..7 {
            for turn in 0..40 {
                let mut hessian = vec![0.0; n * n];
                for i in 0..n {
                    for j in 0..=i {
                        let value = generator.normal();
                        hessian[i * n + j] = value;
                        hessian[j * n + i] = value;
                    }
                }
                let gradient: Vec<f64> = (0..n).map(|_| generator.normal()).collect();
                let radius = [0.01, 1.0, 100.0][turn % 3];
                let found = assert_optimal(&hessian, &gradient, radius);
                for _ in 0..50 {
                    let point: Vec<f64> = (0..n).map(|_| generator.normal()).collect();
                    let scale = radius * generator.uniform() / norm(point.iter().copied());
                    let point: Vec<f64> = point.iter().map(|x| x * scale).collect();
                    assert!(found.model <= model(&hessian, &gradient, &point) + 1e-9);
                }
            }
        }
    }

    #[test]
    fn in_two_dimensions_no_point_of_the_circle_is_lower() {
        for hessian in [
            [-2.0, 0.5, 0.5, 1.0],
            [1.0, 2.0, 2.0, 1.0],
            [3.0, 0.0, 0.0, -1.0],
        ] {
            for gradient in [[1.0, 0.0], [0.3, -0.7], [1e-9, 1.0], [0.0, 0.0]] {
                let found = assert_optimal(&hessian, &gradient, 1.5);
                for k in 0..3600 {
                    let angle = f64::from(k) * std::f64::consts::PI / 1800.0;
                    let point = [1.5 * angle.cos(), 1.5 * angle.sin()];
                    assert!(found.model <= model(&hessian, &gradient, &point) + 1e-9);
                }
            }
        }
    }

    #[test]
    fn the_hard_case_goes_along_the_lowest_eigenvector() {
        // The gradient has no part along the second axis, where the model falls.
        let found = assert_optimal(&[2.0, 0.0, 0.0, -1.0], &[3.0, 0.0], 4.0);
        assert!((found.step[0] + 1.0).abs() < 1e-12);
        assert!((found.step[1].abs() - 15.0f64.sqrt()).abs() < 1e-12);
        assert_eq!(found.multiplier, 1.0);
        // Near to it.
        for part in [1e-3, 1e-8, 1e-12, 1e-15] {
            assert_optimal(&[2.0, 0.0, 0.0, -1.0], &[3.0, part], 4.0);
        }
        // Without any gradient.
        assert_optimal(&[-1.0, 0.0, 0.0, -1.0], &[0.0, 0.0], 2.0);
    }

    #[test]
    fn a_flat_direction_without_gradient_is_left_alone() {
        let found = assert_optimal(&[1.0, 0.0, 0.0, 0.0], &[1.0, 0.0], 5.0);
        assert_eq!(found.step, [-1.0, 0.0]);
        let found = assert_optimal(&[1.0, 0.0, 0.0, 0.0], &[1.0, 1.0], 5.0);
        assert!((norm(found.step.iter().copied()) - 5.0).abs() < 1e-9);
    }
}
