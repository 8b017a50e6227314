//! From the two matrices of a problem to its surfaces.

use super::words::Regularisation;
use crate::linalg::{PencilEnd, dot, pencil_ends};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// Below this share of the eigenvalue the next one is so near that the surface is one of many.
pub const NARROW_GAP: f64 = 1e-3;

/// One surface $\{x : \langle u, k(x)\rangle = \gamma\}$ with what is known of its eigenvalue.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Surface {
    /// Coefficients, of length 1, the largest one positive.
    pub(super) coefficients: Vec<f64>,
    pub(super) offset: f64,
    pub(super) facts: SurfaceFacts,
}

/// What is known of the eigenvalue of a surface.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SurfaceFacts {
    /// The quotient that it makes least: squared values at the rows of its class over those at the
    /// others, both regularised.
    pub quotient: f64,
    /// Distance of the next eigenvalue, as a share of this one; infinite for the only one.
    pub gap: f64,
    /// Ridge that the pencil needed, as a share of the mean of its diagonal.
    pub ridge: f64,
}

impl Surface {
    /// The offset is the last entry of an eigenvector. A vector without coefficients stays as it is.
    pub(super) fn new(end: PencilEnd, ridge: f64) -> Self {
        let PencilEnd {
            mut vector,
            quotient,
            gap,
        } = end;
        let mut offset = vector.pop().unwrap_or(0.0);
        let size = dot(&vector, &vector).sqrt();
        if size > 0.0 && size.is_finite() {
            let mut largest = 0.0f64;
            for &x in &vector {
                if x.abs() > largest.abs() {
                    largest = x;
                }
            }
            let factor = if largest < 0.0 { -size } else { size };
            for x in &mut vector {
                *x /= factor;
            }
            offset /= factor;
        }
        Self {
            coefficients: vector,
            offset,
            facts: SurfaceFacts {
                quotient,
                gap,
                ridge,
            },
        }
    }
}

/// Adds what the regularisation says to the matrices of the first and the second class.
/// `first_centres` says which centres are rows of the first class and `counterparts` has the entries
/// that the literal readings need.
pub(super) fn regularise(
    rule: Regularisation,
    [first, second]: [f64; 2],
    order: usize,
    g: &mut [f64],
    h: &mut [f64],
) {
    let diagonal = |m: &[f64]| -> Vec<f64> { (0..order).map(|i| m[i * order + i]).collect() };
    match rule {
        Regularisation::Cross => {
            for (g, h) in g.iter_mut().zip(h) {
                (*g, *h) = (*g + first * *h, *h + second * *g);
            }
        }
        Regularisation::Diagonal => {
            let (of_g, of_h) = (diagonal(g), diagonal(h));
            for i in 0..order {
                g[i * order + i] += first * of_h[i];
                h[i * order + i] += second * of_g[i];
            }
        }
        Regularisation::Tikhonov => {
            for i in 0..order {
                g[i * order + i] += first;
                h[i * order + i] += second;
            }
        }
        // Added by the caller, who knows the kernel values.
        Regularisation::LiteralRectangular | Regularisation::LiteralOwnClass => {}
    }
}

/// The surfaces of both classes: where $z^\top G z / z^\top H z$ is least, and where its inverse is.
pub(super) fn both(order: usize, g: &[f64], h: &[f64]) -> Result<[Surface; 2]> {
    if g.iter().chain(h).any(|x| !x.is_finite()) {
        return Err(Error::NoEigenvalues);
    }
    let ends = pencil_ends(order, g, h).ok_or(Error::SingularPencil)?;
    Ok([
        Surface::new(ends.first, ends.ridge),
        Surface::new(ends.last, ends.ridge),
    ])
}
