//! Symmetric definite matrices of any order, and the ends of symmetric-definite pencils.
//!
//! The pencil $A z = \lambda B z$ with $A, B \succeq 0$ is solved through $S = A + B$: $A z = \mu S z$ with
//! $\mu = \lambda/(1+\lambda) \in [0, 1]$, which treats $\lambda = 0$ and $\lambda = \infty$ alike. $S = LL^\top$ turns it into the
//! symmetric problem of $L^{-1} A L^{-\top}$. Both ends are then polished by inverse iteration with the
//! matrix whose quotient is small there, since a small $\mu$ is known to the rounding of 1 only.

use super::dense::symmetric_eigen;
use super::dot;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{
    LltRegularization, cholesky_in_place, cholesky_in_place_scratch,
};
use faer::linalg::triangular_solve::{
    solve_lower_triangular_in_place, solve_upper_triangular_in_place,
};
use faer::{MatMut, MatRef, Par, Spec};

/// The Cholesky factor of a symmetric positive definite matrix, computed in blocks.
#[derive(Debug)]
pub(crate) struct DefiniteFactor {
    order: usize,
    /// Column by column; the lower triangle.
    values: Vec<f64>,
}

impl DefiniteFactor {
    /// `None` if a pivot is not positive. All of the matrix must be filled in; one triangle is read.
    pub(crate) fn new(order: usize, mut matrix: Vec<f64>) -> Option<Self> {
        // Smallest share of a diagonal entry that may be left of it.
        const LEAST_PIVOT: f64 = 1e-15;
        let diagonal: Vec<f64> = (0..order).map(|i| matrix[i * order + i]).collect();
        if diagonal.iter().any(|x| !x.is_finite() || *x <= 0.0) {
            return None;
        }
        let scratch = cholesky_in_place_scratch::<f64>(order, Par::Seq, Spec::default());
        let mut memory = MemBuffer::new(scratch);
        cholesky_in_place(
            MatMut::from_column_major_slice_mut(&mut matrix, order, order),
            LltRegularization::default(),
            Par::Seq,
            MemStack::new(&mut memory),
            Spec::default(),
        )
        .ok()?;
        let enough = |i: usize| {
            let pivot = matrix[i * order + i];
            pivot.is_finite() && pivot * pivot > LEAST_PIVOT * diagonal[i]
        };
        (0..order).all(enough).then_some(Self {
            order,
            values: matrix,
        })
    }

    /// $L$, column by column; what stands above the diagonal means nothing.
    pub(super) fn into_columns(self) -> Vec<f64> {
        self.values
    }

    fn factor(&self) -> MatRef<'_, f64> {
        MatRef::from_column_major_slice(&self.values, self.order, self.order)
    }

    /// Solves $L x = b$ in place for vectors one after the other.
    pub(crate) fn solve_lower(&self, vectors: &mut [f64]) {
        let count = vectors.len() / self.order.max(1);
        let right = MatMut::from_column_major_slice_mut(vectors, self.order, count);
        solve_lower_triangular_in_place(self.factor(), right, Par::Seq);
    }

    /// Solves $L^\top x = b$ in place for vectors one after the other.
    pub(crate) fn solve_upper(&self, vectors: &mut [f64]) {
        let count = vectors.len() / self.order.max(1);
        let right = MatMut::from_column_major_slice_mut(vectors, self.order, count);
        solve_upper_triangular_in_place(self.factor().transpose(), right, Par::Seq);
    }

    /// Solves $L L^\top x = b$ in place for vectors one after the other.
    pub(crate) fn solve(&self, vectors: &mut [f64]) {
        self.solve_lower(vectors);
        self.solve_upper(vectors);
    }
}

/// Shares of the mean of the diagonal that a singular matrix is raised by, in turn.
const RIDGES: [f64; 8] = [0.0, 1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6];

/// The factor of a matrix plus the least of some small ridges with which it is definite, and that
/// ridge as a share of the mean of the diagonal; `None` if none of them is enough.
pub(crate) fn raised_factor(order: usize, matrix: &[f64]) -> Option<(DefiniteFactor, f64)> {
    let trace: f64 = (0..order).map(|i| matrix[i * order + i]).sum();
    let mean = trace / order.max(1) as f64;
    RIDGES.iter().find_map(|&share| {
        let mut raised = matrix.to_vec();
        for i in 0..order {
            raised[i * order + i] += share * mean;
        }
        DefiniteFactor::new(order, raised).map(|factor| (factor, share))
    })
}

/// One end of a pencil.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PencilEnd {
    /// The eigenvector.
    pub(crate) vector: Vec<f64>,
    /// The quotient that is least there, $z^\top A z / z^\top B z$.
    pub(crate) quotient: f64,
    /// How far the next $\mu$ is from that of this end, as a share of the latter.
    pub(crate) gap: f64,
}

/// Both ends of a pencil.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PencilEnds {
    /// Where $z^\top A z / z^\top B z$ is least.
    pub(crate) first: PencilEnd,
    /// Where $z^\top B z / z^\top A z$ is least.
    pub(crate) last: PencilEnd,
    /// Ridge that $A + B$ needed, as a share of the mean of its diagonal.
    pub(crate) ridge: f64,
}

/// The ends of the pencil of two symmetric matrices without negative eigenvalues; `None` if they
/// share a null vector that no small ridge removes.
pub(crate) fn pencil_ends(order: usize, a: &[f64], b: &[f64]) -> Option<PencilEnds> {
    let sum: Vec<f64> = a.iter().zip(b).map(|(a, b)| a + b).collect();
    let (factor, ridge) = raised_factor(order, &sum)?;
    let mut reduced = a.to_vec();
    factor.solve_lower(&mut reduced);
    transpose(order, &mut reduced);
    factor.solve_lower(&mut reduced);
    symmetrise(order, &mut reduced);
    let eigen = symmetric_eigen(&reduced, order)?;
    let vector = |k: usize| {
        let mut vector = eigen.vectors[k * order..(k + 1) * order].to_vec();
        factor.solve_upper(&mut vector);
        vector
    };
    let values = &eigen.values;
    let next = |k: usize| values.get(k).copied();
    let first = polished(order, a, b, vector(0), next(1));
    let second = order.checked_sub(2).and_then(next).map(|mu| 1.0 - mu);
    let last = polished(order, b, a, vector(order - 1), second);
    Some(PencilEnds { first, last, ridge })
}

/// Improves an approximate eigenvector of the least quotient by inverse iteration, if `a` is
/// definite. `second` is the next $\mu$.
fn polished(
    order: usize,
    a: &[f64],
    b: &[f64],
    mut vector: Vec<f64>,
    second: Option<f64>,
) -> PencilEnd {
    const STEPS: usize = 3;
    let mut best = quotient(order, a, b, &vector);
    if let Some(factor) = DefiniteFactor::new(order, a.to_vec()) {
        for _ in 0..STEPS {
            let mut next = symmetric_product(order, b, &vector);
            factor.solve(&mut next);
            normalise(&mut next);
            let found = quotient(order, a, b, &next);
            if !found.is_finite() || found > best {
                break;
            }
            (best, vector) = (found, next);
        }
    }
    let mu = best / (1.0 + best);
    PencilEnd {
        gap: second.map_or(f64::INFINITY, |second| relative_gap(mu, second)),
        quotient: best,
        vector,
    }
}

/// How far the second of two values is from the first, as a share of the latter.
pub(crate) fn relative_gap(first: f64, second: f64) -> f64 {
    if first > 0.0 {
        (second / first - 1.0).max(0.0)
    } else if second > 0.0 {
        f64::INFINITY
    } else {
        0.0
    }
}

/// $z^\top A z / z^\top B z$.
fn quotient(order: usize, a: &[f64], b: &[f64], z: &[f64]) -> f64 {
    let form = |m: &[f64]| dot(z, &symmetric_product(order, m, z)).max(0.0);
    form(a) / form(b)
}

/// The product of a symmetric matrix and a vector.
pub(crate) fn symmetric_product(order: usize, matrix: &[f64], vector: &[f64]) -> Vec<f64> {
    let rows = matrix.chunks_exact(order);
    rows.map(|row| dot(row, vector)).collect()
}

/// Scales a vector to length 1; zeros stay.
pub(crate) fn normalise(vector: &mut [f64]) {
    let largest = vector.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    if largest > 0.0 && largest.is_finite() {
        for x in vector.iter_mut() {
            *x /= largest;
        }
        let size = dot(vector, vector).sqrt();
        for x in vector.iter_mut() {
            *x /= size;
        }
    }
}

fn transpose(n: usize, matrix: &mut [f64]) {
    for i in 0..n {
        for j in 0..i {
            matrix.swap(i * n + j, j * n + i);
        }
    }
}

fn symmetrise(n: usize, matrix: &mut [f64]) {
    for i in 0..n {
        for j in 0..i {
            let mean = 0.5 * (matrix[i * n + j] + matrix[j * n + i]);
            matrix[i * n + j] = mean;
            matrix[j * n + i] = mean;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Generator;

    fn definite(n: usize, rows: usize, seed: u64) -> Vec<f64> {
        let mut generator = Generator::new(seed);
        let a: Vec<f64> = (0..n * rows).map(|_| generator.normal()).collect();
        super::super::gram(&a, rows)
    }

    #[test]
    fn a_large_system_is_solved() {
        let n = 150;
        let matrix = definite(n, 2 * n, 3);
        let factor = DefiniteFactor::new(n, matrix.clone()).expect("definite");
        let x: Vec<f64> = (0..n).map(|i| i as f64 - 20.0).collect();
        let mut found = symmetric_product(n, &matrix, &x);
        factor.solve(&mut found);
        for (found, x) in found.iter().zip(&x) {
            assert!((found - x).abs() < 1e-8, "{found} {x}");
        }
        assert!(DefiniteFactor::new(2, vec![1.0, 1.0, 1.0, 1.0]).is_none());
        assert!(DefiniteFactor::new(1, vec![f64::NAN]).is_none());
    }

    #[test]
    fn both_ends_are_eigenpairs() {
        let n = 40;
        let (a, b) = (definite(n, n + 3, 1), definite(n, n + 5, 2));
        let ends = pencil_ends(n, &a, &b).expect("regular");
        assert_eq!(ends.ridge, 0.0);
        for (end, a, b) in [(&ends.first, &a, &b), (&ends.last, &b, &a)] {
            let (left, right) = (
                symmetric_product(n, a, &end.vector),
                symmetric_product(n, b, &end.vector),
            );
            let size = dot(&left, &left).sqrt() + dot(&right, &right).sqrt();
            for (l, r) in left.iter().zip(&right) {
                assert!((l - end.quotient * r).abs() < 1e-9 * size);
            }
            assert!(end.gap > 0.0);
        }
    }

    /// The general solver, which nothing but this test uses, finds the same ends.
    #[test]
    fn the_ends_are_those_of_the_general_solver() {
        let n = 20;
        let (a, b) = (definite(n, n + 2, 5), definite(n, n + 2, 6));
        let view = |m| MatRef::from_column_major_slice(m, n, n);
        let general =
            faer::linalg::solvers::GeneralizedEigen::new_from_real(view(&a[..]), view(&b[..]));
        let general = general.expect("eigenvalues");
        let pairs = (0..n).map(|k| (general.S_a()[k] / general.S_b()[k], k));
        let mut pairs: Vec<(f64, usize)> = pairs.map(|(value, k)| (value.re, k)).collect();
        pairs.sort_by(|one, other| one.0.total_cmp(&other.0));
        let ends = pencil_ends(n, &a, &b).expect("regular");
        let (least, largest) = (pairs[0], pairs[n - 1]);
        for (end, (value, k)) in [
            (&ends.first, least),
            (&ends.last, (1.0 / largest.0, largest.1)),
        ] {
            assert!((end.quotient / value - 1.0).abs() < 1e-8);
            let vector: Vec<f64> = (0..n).map(|i| general.U()[(i, k)].re).collect();
            let size = (dot(&vector, &vector) * dot(&end.vector, &end.vector)).sqrt();
            assert!(1.0 - dot(&vector, &end.vector).abs() / size < 1e-10);
        }
    }

    #[test]
    fn a_shared_null_vector_needs_a_ridge() {
        let (a, b) = ([1.0, 0.0, 0.0, 0.0], [2.0, 0.0, 0.0, 0.0]);
        assert!(pencil_ends(2, &a, &b).is_none_or(|ends| ends.ridge > 0.0));
        let (a, b) = ([1.0, 1.0, 1.0, 1.0], [2.0, 2.0, 2.0, 2.0]);
        assert!(pencil_ends(2, &a, &b).is_some_and(|ends| ends.ridge > 0.0));
    }
}
