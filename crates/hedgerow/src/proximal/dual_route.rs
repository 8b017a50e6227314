//! The surface of one class of a large kernel problem, without its matrices.
//!
//! With the rows $m$ of the class, the rows $n$ of the others, $D$ and $E$ the diagonals that are
//! added, the least quotient of $A = m^\top m + D$ and $B = n^\top n + E$ is the largest eigenvalue of
//! $A^{-1}B$, which is symmetric in the product of $B$: Lanczos' method needs products with the rows
//! and $A^{-1} = D^{-1} - P^\top (I + P m^\top)^{-1} P$, $P = m D^{-1}$, only. That is a third of the work
//! of forming the matrices, and less memory.

use super::pencil::Surface;
use crate::data::Generator;
use crate::linalg::{
    DefiniteFactor, PencilEnd, add_four_rows, dot, gram, normalise, relative_gap, symmetric_eigen,
};
use crate::parallel::{Grain, for_each_chunk, map};

/// Most steps; a pair of eigenvalues that needs more is left to the dense solver.
const MAX_STEPS: usize = 100;
/// Steps between two looks at the small problem.
const LOOK: usize = 4;
/// Residual of the eigenpair, as a share of its value, at which the steps end.
const SETTLED: f64 = 1e-10;
/// Steps of inverse iteration, with refinement, at the end.
const POLISH: usize = 1;
/// Rows of one partial sum. Fixed, so that results do not depend on the number of threads.
const PART: usize = 256;

/// Rows of a class and what is added to the diagonal of their products.
pub(super) struct Side<'a> {
    /// Row-major.
    pub(super) rows: &'a [f64],
    pub(super) diagonal: &'a [f64],
}

impl Side<'_> {
    fn order(&self) -> usize {
        self.diagonal.len()
    }

    /// The products of all rows with a vector.
    fn values(&self, vector: &[f64]) -> Vec<f64> {
        let order = self.order();
        let mut out = vec![0.0; self.rows.len() / order];
        for_each_chunk(&mut out, PART, Grain::COARSE, &|part, out| {
            let rows = self.rows[part * PART * order..].chunks_exact(order);
            for (value, row) in out.iter_mut().zip(rows) {
                *value = dot(row, vector);
            }
        });
        out
    }

    /// $\sum_i w_i r_i$ with weights that a row and its number give.
    fn sum(&self, weight: &(dyn Fn(usize, &[f64]) -> f64 + Sync)) -> Vec<f64> {
        let order = self.order();
        let n_rows = self.rows.len() / order;
        let parts = map(n_rows.div_ceil(PART), Grain::COARSE, &|part| {
            let mut sum = vec![0.0; order];
            let end = n_rows.min((part + 1) * PART);
            for first in (part * PART..end).step_by(4) {
                // A row that is not there weighs nothing.
                let row = |t: usize| {
                    let i = (first + t).min(end - 1);
                    &self.rows[i * order..(i + 1) * order]
                };
                let rows = [row(0), row(1), row(2), row(3)];
                let weights = std::array::from_fn(|t| {
                    let i = first + t;
                    if i < end { weight(i, rows[t]) } else { 0.0 }
                });
                add_four_rows(rows, weights, &mut sum);
            }
            sum
        });
        let mut parts = parts.into_iter();
        let mut total = parts.next().unwrap_or_else(|| vec![0.0; order]);
        for part in parts {
            for (sum, x) in total.iter_mut().zip(part) {
                *sum += x;
            }
        }
        total
    }

    /// $(r^\top r + D) v$: every row is read once.
    fn product(&self, vector: &[f64]) -> Vec<f64> {
        let mut out = self.sum(&|_, row| dot(row, vector));
        for ((out, d), x) in out.iter_mut().zip(self.diagonal).zip(vector) {
            *out += d * x;
        }
        out
    }
}

/// The inverse of the matrix of a side.
struct Inverse<'a> {
    side: &'a Side<'a>,
    factor: DefiniteFactor,
}

impl<'a> Inverse<'a> {
    fn new(side: &'a Side<'a>) -> Option<Self> {
        let order = side.order();
        let roots: Vec<f64> = side.diagonal.iter().map(|d| d.sqrt().recip()).collect();
        if roots.iter().any(|root| !root.is_finite()) {
            return None;
        }
        let mut scaled = side.rows.to_vec();
        for row in scaled.chunks_exact_mut(order) {
            for (x, root) in row.iter_mut().zip(&roots) {
                *x *= root;
            }
        }
        let mut inner = gram(&scaled, order);
        let n = side.rows.len() / order;
        for i in 0..n {
            inner[i * n + i] += 1.0;
        }
        let factor = DefiniteFactor::new(n, inner)?;
        Some(Self { side, factor })
    }

    fn apply(&self, vector: &[f64]) -> Vec<f64> {
        let divided = |v: &[f64]| -> Vec<f64> {
            v.iter()
                .zip(self.side.diagonal)
                .map(|(v, d)| v / d)
                .collect()
        };
        let mut out = divided(vector);
        let mut inner = self.side.values(&out);
        self.factor.solve(&mut inner);
        let back = divided(&self.side.sum(&|i, _| inner[i]));
        for (out, back) in out.iter_mut().zip(back) {
            *out -= back;
        }
        out
    }

    /// With one step of refinement.
    fn apply_finely(&self, vector: &[f64]) -> Vec<f64> {
        let mut out = self.apply(vector);
        let known = self.side.product(&out);
        let rest: Vec<f64> = vector.iter().zip(known).map(|(v, k)| v - k).collect();
        for (out, more) in out.iter_mut().zip(self.apply(&rest)) {
            *out += more;
        }
        out
    }
}

/// The surface near the rows of `own` and far from those of `other`; `None` if it was not found in
/// the steps that are allowed. Both diagonals must be positive.
pub(super) fn surface(own: &Side<'_>, other: &Side<'_>) -> Option<Surface> {
    let inverse = Inverse::new(own)?;
    let order = own.order();
    let mut generator = Generator::new(order as u64);
    let mut vector: Vec<f64> = (0..order).map(|_| generator.normal()).collect();
    let mut image = other.product(&vector);
    let mut basis: Vec<[Vec<f64>; 2]> = Vec::new();
    let (mut diagonal, mut beside): (Vec<f64>, Vec<f64>) = (Vec::new(), Vec::new());
    for step in 1..=MAX_STEPS.min(order) {
        let size = dot(&vector, &image).sqrt();
        if size.is_nan() || size <= 0.0 {
            break;
        }
        for x in &mut vector {
            *x /= size;
        }
        for x in &mut image {
            *x /= size;
        }
        let mut next = inverse.apply(&image);
        diagonal.push(dot(&next, &image));
        basis.push([vector, image]);
        // Twice is enough.
        for _ in 0..2 {
            for [vector, image] in &basis {
                let shared = dot(&next, image);
                for (x, y) in next.iter_mut().zip(vector) {
                    *x -= shared * y;
                }
            }
        }
        let next_image = other.product(&next);
        let size = dot(&next, &next_image).max(0.0).sqrt();
        let done = step == MAX_STEPS.min(order) || size <= 1e-14 * diagonal[0].abs();
        if step % LOOK == 0 || done {
            let small = Tridiagonal::largest(&diagonal, &beside)?;
            if size * small.last().abs() <= SETTLED * small.value || (done && order <= MAX_STEPS) {
                return Some(finish(own, other, &inverse, &basis, &small));
            }
        }
        beside.push(size);
        (vector, image) = (next, next_image);
    }
    None
}

/// The largest eigenpair of the small problem.
struct Tridiagonal {
    value: f64,
    second: f64,
    vector: Vec<f64>,
}

impl Tridiagonal {
    fn largest(diagonal: &[f64], beside: &[f64]) -> Option<Self> {
        let n = diagonal.len();
        let mut small = vec![0.0; n * n];
        for i in 0..n {
            small[i * n + i] = diagonal[i];
            if i + 1 < n {
                small[i * n + i + 1] = beside[i];
                small[(i + 1) * n + i] = beside[i];
            }
        }
        let eigen = symmetric_eigen(&small, n)?;
        Some(Self {
            value: eigen.values[n - 1],
            second: n.checked_sub(2).map_or(0.0, |k| eigen.values[k]),
            vector: eigen.vectors[(n - 1) * n..].to_vec(),
        })
    }

    fn last(&self) -> f64 {
        self.vector.last().copied().unwrap_or(0.0)
    }
}

fn finish(
    own: &Side<'_>,
    other: &Side<'_>,
    inverse: &Inverse<'_>,
    basis: &[[Vec<f64>; 2]],
    small: &Tridiagonal,
) -> Surface {
    let mut vector = vec![0.0; own.order()];
    for ([base, _], weight) in basis.iter().zip(&small.vector) {
        for (x, y) in vector.iter_mut().zip(base) {
            *x += weight * y;
        }
    }
    for _ in 0..POLISH {
        vector = inverse.apply_finely(&other.product(&vector));
        normalise(&mut vector);
    }
    let quotient = dot(&vector, &own.product(&vector)) / dot(&vector, &other.product(&vector));
    let share = |inverse: f64| 1.0 / (1.0 + inverse.max(0.0));
    let end = PencilEnd {
        gap: relative_gap(quotient / (1.0 + quotient), share(small.second)),
        vector,
        quotient,
    };
    Surface::new(end, 0.0)
}
