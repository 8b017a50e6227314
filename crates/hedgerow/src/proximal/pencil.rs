//! From the two matrices of a problem to its surfaces.

use super::words::Regularisation;
use crate::linalg::{PencilEnd, dot, pencil_ends, symmetric_product};
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

/// The diagonals that were added to the matrices of both classes.
pub(super) type Added = [Vec<f64>; 2];

/// Adds what the regularisation says to the matrices of the first and the second class; the diagonals
/// that it added.
pub(super) fn regularise(
    rule: Regularisation,
    [first, second]: [f64; 2],
    order: usize,
    g: &mut [f64],
    h: &mut [f64],
) -> Added {
    let diagonal = |m: &[f64], share: f64| -> Vec<f64> {
        (0..order).map(|i| share * m[i * order + i]).collect()
    };
    let added = match rule {
        Regularisation::Cross => {
            for (g, h) in g.iter_mut().zip(h.iter_mut()) {
                (*g, *h) = (*g + first * *h, *h + second * *g);
            }
            [Vec::new(), Vec::new()]
        }
        Regularisation::Diagonal => [diagonal(h, first), diagonal(g, second)],
        Regularisation::Tikhonov => [vec![first; order], vec![second; order]],
        // Added by the caller, who knows the kernel values.
        Regularisation::LiteralRectangular | Regularisation::LiteralOwnClass => {
            [Vec::new(), Vec::new()]
        }
    };
    for (matrix, added) in [g, h].into_iter().zip(&added) {
        for (i, x) in added.iter().enumerate() {
            matrix[i * order + i] += x;
        }
    }
    added
}

/// Whether the ends of a regularised pencil may change places: with shares as large as that what is added
/// may weigh more than what it is added to. With smaller ones the smallest eigenvalue is that of the
/// first class: certain for `Cross`; for the others quotients without what was added may say otherwise
/// where both surfaces are nearer to the same class, and are wrong then.
pub(super) fn may_reverse([first, second]: [f64; 2]) -> bool {
    first * second >= 1.0
}

/// Whether the ends of a regularised pencil have changed places, with shares that [`may_reverse`] it:
/// whether $z^\top G z / z^\top H z$, without what was added, is larger at the first. `surfaces` have the offset
/// last, as the matrices do.
pub(super) fn reversed(
    rule: Regularisation,
    shares: [f64; 2],
    order: usize,
    matrices: [&[f64]; 2],
    added: &Added,
    surfaces: &[Surface; 2],
) -> bool {
    if !may_reverse(shares) {
        return false;
    }
    match rule {
        // The map from the quotients of G and H to these falls instead of rising.
        Regularisation::Cross => true,
        Regularisation::Diagonal | Regularisation::Tikhonov => {
            let form = |at: usize, z: &[f64]| {
                let all = dot(z, &symmetric_product(order, matrices[at], z));
                let more: f64 = added[at].iter().zip(z).map(|(d, z)| d * z * z).sum();
                (all - more).max(0.0)
            };
            let [[a, b], [c, d]] = [0, 1].map(|which| {
                let surface: &Surface = &surfaces[which];
                let mut z = surface.coefficients.clone();
                z.push(surface.offset);
                [form(0, &z), form(1, &z)]
            });
            a * d > c * b
        }
        // Their quotients are 0 and infinite.
        Regularisation::LiteralRectangular | Regularisation::LiteralOwnClass => false,
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
