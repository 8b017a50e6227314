//! A small kernel problem that grows by one row at a time.
//!
//! The unknowns are the offset and the coefficients of the rows so far, $r_i = [-1, K(x_i, C)]$. When
//! a row $x$ with kernel values $k$ joins the first class, $G = \sum_{i \in A} r_i r_i^\top$ gets the border
//! $\sum_{i\in A} r_i k_i$, $\sum_{i \in A} k_i^2$ and then $r r^\top$; $H$ gets its border alone. The eigenvectors of the
//! smaller problem, with 0 for the new coefficient, are the start of inverse iterations. Their answer
//! counts only if no eigenvalue lies below it, which a Cholesky factor of $A - \lambda(1-\epsilon)B$ proves;
//! otherwise the whole eigenproblem is solved.

use super::pencil::{Surface, both, regularise};
use super::words::Regularisation;
use crate::Result;
use crate::linalg::{
    cholesky, cholesky_solve, dot, normalise, quotient, symmetric_eigen, symmetric_product,
};

/// Steps of inverse iteration between two looks at the powers of the inverse.
const STEPS: usize = 4;
/// Powers that are looked at together.
const KRYLOV: usize = 8;
/// Most looks.
const MAX_CYCLES: usize = 5;
/// Change of the unit vector at which the steps end.
const SETTLED: f64 = 1e-10;
/// Share of the eigenvalue by which the proof lies below it.
const MARGIN: f64 = 1e-6;

/// Both surfaces of a chunk; the offset stands before the coefficients.
#[derive(Debug, Clone)]
pub(super) struct Ends {
    pub(super) vectors: [Vec<f64>; 2],
    /// Lengths of the coefficients.
    pub(super) norms: [f64; 2],
}

impl Ends {
    fn new(vectors: [Vec<f64>; 2]) -> Self {
        let norm = |vector: &[f64]| dot(&vector[1..], &vector[1..]).sqrt();
        let norms = [norm(&vectors[0]), norm(&vectors[1])];
        Self { vectors, norms }
    }

    /// Whether the first surface is at least as near, given the values of both.
    pub(super) fn takes_first(&self, values: [f64; 2]) -> bool {
        let away = |at: usize| {
            let away = values[at].abs() / self.norms[at];
            if away.is_nan() { f64::INFINITY } else { away }
        };
        away(0) <= away(1)
    }
}

/// A row that may join.
pub(super) struct Candidate<'a> {
    /// Kernel values of the rows of the chunk.
    pub(super) with_chunk: &'a [f64],
    pub(super) with_itself: f64,
    pub(super) is_first: bool,
}

/// The problem of some rows.
#[derive(Debug, Clone)]
pub(super) struct Chunk {
    rule: Regularisation,
    shares: [f64; 2],
    /// Whether eigenvectors are sought from those of the smaller problem.
    warm: bool,
    /// Kernel values among the rows, row by row.
    kernel: Vec<Vec<f64>>,
    is_first: Vec<bool>,
    /// The matrices of both classes, not regularised.
    sums: [Vec<f64>; 2],
    ends: Option<Ends>,
    /// Eigenproblems that were solved as a whole.
    pub(super) whole_solves: u64,
}

/// A chunk with one row more.
pub(super) struct Enlarged {
    sums: [Vec<f64>; 2],
    pub(super) ends: Ends,
}

impl Chunk {
    /// Without rows.
    pub(super) fn new(rule: Regularisation, shares: [f64; 2], warm: bool) -> Self {
        Self {
            rule,
            shares,
            warm,
            kernel: Vec::new(),
            is_first: Vec::new(),
            sums: [vec![0.0], vec![0.0]],
            ends: None,
            whole_solves: 0,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.is_first.len()
    }

    /// The surfaces; `None` without rows of both classes.
    pub(super) fn ends(&self) -> Option<&Ends> {
        self.ends.as_ref()
    }

    /// The matrices with one row more.
    fn bordered(&self, candidate: &Candidate<'_>) -> [Vec<f64>; 2] {
        let old = self.len() + 1;
        let new = old + 1;
        let grown = |sums: &[f64], first: bool| {
            let mut grown = vec![0.0; new * new];
            for (row, from) in grown.chunks_mut(new).zip(sums.chunks(old)) {
                row[..old].copy_from_slice(from);
            }
            let mut border = vec![0.0; new];
            let rows = self.kernel.iter().zip(&self.is_first);
            for ((row, &is_first), &k) in rows.zip(candidate.with_chunk) {
                if is_first == first {
                    border[0] -= k;
                    for (sum, value) in border[1..].iter_mut().zip(row) {
                        *sum += k * value;
                    }
                    border[old] += k * k;
                }
            }
            for (j, value) in border.into_iter().enumerate() {
                grown[old * new + j] = value;
                grown[j * new + old] = value;
            }
            if candidate.is_first == first {
                let mut own = vec![-1.0];
                own.extend_from_slice(candidate.with_chunk);
                own.push(candidate.with_itself);
                for (row, a) in grown.chunks_mut(new).zip(&own) {
                    for (sum, b) in row.iter_mut().zip(&own) {
                        *sum += a * b;
                    }
                }
            }
            grown
        };
        [grown(&self.sums[0], true), grown(&self.sums[1], false)]
    }

    /// The surfaces with one row more.
    pub(super) fn enlarged(&mut self, candidate: &Candidate<'_>) -> Result<Enlarged> {
        let sums = self.bordered(candidate);
        let order = self.len() + 2;
        let [mut g, mut h] = sums.clone();
        regularise(self.rule, self.shares, order, &mut g, &mut h);
        let warm = match &self.ends {
            Some(ends) if self.warm => warm_ends(order, &g, &h, ends),
            _ => None,
        };
        let ends = if let Some(ends) = warm {
            ends
        } else {
            self.whole_solves += 1;
            let found = both(order, &rotated(order, &g), &rotated(order, &h))?;
            Ends::new(found.map(|surface| {
                let mut vector = vec![surface.offset];
                vector.extend(surface.coefficients);
                vector
            }))
        };
        Ok(Enlarged { sums, ends })
    }

    /// Whether every row of the chunk so far is on its side of enlarged surfaces.
    pub(super) fn keeps_all_right(&self, enlarged: &Enlarged, candidate: &Candidate<'_>) -> bool {
        let rows = self.kernel.iter().zip(&self.is_first);
        let [first, second] = &enlarged.ends.vectors;
        let old = self.len();
        rows.zip(candidate.with_chunk)
            .all(|((row, &is_first), &k)| {
                let value = |z: &[f64]| dot(&z[1..=old], row) + z[old + 1] * k - z[0];
                enlarged.ends.takes_first([value(first), value(second)]) == is_first
            })
    }

    /// Takes the row in.
    pub(super) fn accept(&mut self, enlarged: Enlarged, candidate: &Candidate<'_>) {
        for (row, &k) in self.kernel.iter_mut().zip(candidate.with_chunk) {
            row.push(k);
        }
        let mut own = candidate.with_chunk.to_vec();
        own.push(candidate.with_itself);
        self.kernel.push(own);
        self.is_first.push(candidate.is_first);
        self.sums = enlarged.sums;
        self.ends = Some(enlarged.ends);
    }

    /// Takes a row in before there are rows of both classes, or without a look at the surfaces.
    pub(super) fn add(&mut self, candidate: &Candidate<'_>) {
        self.sums = self.bordered(candidate);
        for (row, &k) in self.kernel.iter_mut().zip(candidate.with_chunk) {
            row.push(k);
        }
        let mut own = candidate.with_chunk.to_vec();
        own.push(candidate.with_itself);
        self.kernel.push(own);
        self.is_first.push(candidate.is_first);
        self.ends = None;
    }

    /// Solves the problem of the rows as they are, by its whole matrices.
    pub(super) fn settle(&mut self) -> Result<[Surface; 2]> {
        let order = self.len() + 1;
        let [mut g, mut h] = self.sums.clone();
        regularise(self.rule, self.shares, order, &mut g, &mut h);
        // The surfaces want the offset last.
        for matrix in [&mut g, &mut h] {
            *matrix = rotated(order, matrix);
        }
        let found = both(order, &g, &h)?;
        let vector = |surface: &Surface| {
            let mut vector = vec![surface.offset];
            vector.extend_from_slice(&surface.coefficients);
            vector
        };
        self.ends = Some(Ends::new([vector(&found[0]), vector(&found[1])]));
        Ok(found)
    }
}

/// The first row and column put last.
fn rotated(order: usize, matrix: &[f64]) -> Vec<f64> {
    let from = |i: usize| (i + 1) % order;
    (0..order * order)
        .map(|at| matrix[from(at / order) * order + from(at % order)])
        .collect()
}

/// Both ends from those of the smaller problem; `None` in doubt.
fn warm_ends(order: usize, g: &[f64], h: &[f64], ends: &Ends) -> Option<Ends> {
    let padded = |vector: &[f64]| {
        let mut start = vector.to_vec();
        start.resize(order, 0.0);
        start
    };
    let first = least(order, g, h, padded(&ends.vectors[0]))?;
    let second = least(order, h, g, padded(&ends.vectors[1]))?;
    Some(Ends::new([first, second]))
}

/// The vector of the least quotient, by inverse iteration; `None` unless that is certain.
fn least(order: usize, a: &[f64], b: &[f64], mut vector: Vec<f64>) -> Option<Vec<f64>> {
    let factor = cholesky(order, a.to_vec())?;
    let step = |vector: &[f64]| {
        let mut next = symmetric_product(order, b, vector);
        cholesky_solve(order, &factor, &mut next);
        next
    };
    normalise(&mut vector);
    for cycle in 0..=MAX_CYCLES {
        if cycle > 0 {
            vector = krylov(order, b, &vector, &step)?;
        }
        for _ in 0..STEPS {
            let mut next = step(&vector);
            normalise(&mut next);
            let away = next.iter().zip(&vector);
            let away = away.fold(0.0f64, |most, (x, y)| most.max((x - y).abs()));
            vector = next;
            if away <= SETTLED {
                let value = quotient(order, a, b, &vector);
                return is_least(order, a, b, value).then_some(vector);
            }
        }
    }
    None
}

/// The best vector of the first few powers of the inverse, which are kept orthogonal in the product
/// of `b`: where two eigenvalues are near, steps alone come forward too slowly.
fn krylov(
    order: usize,
    b: &[f64],
    start: &[f64],
    step: &impl Fn(&[f64]) -> Vec<f64>,
) -> Option<Vec<f64>> {
    let width = KRYLOV.min(order);
    let mut basis: Vec<[Vec<f64>; 2]> = Vec::with_capacity(width);
    let mut small = vec![0.0; width * width];
    let mut vector = start.to_vec();
    for k in 0..width {
        for _ in 0..2 {
            for [other, image] in &basis {
                let shared = dot(&vector, image);
                for (x, y) in vector.iter_mut().zip(other) {
                    *x -= shared * y;
                }
            }
        }
        let mut image = symmetric_product(order, b, &vector);
        let size = dot(&vector, &image).sqrt();
        if size.is_nan() || size <= 0.0 {
            return None;
        }
        for x in &mut vector {
            *x /= size;
        }
        for x in &mut image {
            *x /= size;
        }
        let next = step(&vector);
        basis.push([vector, image]);
        for (j, [_, image]) in basis.iter().enumerate() {
            let shared = dot(&next, image);
            small[k * width + j] = shared;
            small[j * width + k] = shared;
        }
        vector = next;
    }
    let eigen = symmetric_eigen(&small, width)?;
    let weights = &eigen.vectors[(width - 1) * width..];
    let mut best = vec![0.0; order];
    for ([vector, _], weight) in basis.iter().zip(weights) {
        for (x, y) in best.iter_mut().zip(vector) {
            *x += weight * y;
        }
    }
    normalise(&mut best);
    Some(best)
}

/// Proves that no quotient lies below a share of `value`.
fn is_least(order: usize, a: &[f64], b: &[f64], value: f64) -> bool {
    let shift = value * (1.0 - MARGIN);
    let shifted = a.iter().zip(b).map(|(a, b)| a - shift * b).collect();
    cholesky(order, shifted).is_some()
}
