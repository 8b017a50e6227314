//! A small kernel problem that grows by one row at a time.
//!
//! The unknowns are the offset and the coefficients of the rows so far, $r_i = [-1, K(x_i, C)]$. When
//! a row $x$ with kernel values $k$ joins the first class, $G = \sum_{i \in A} r_i r_i^\top$ gets the border
//! $\sum_{i\in A} r_i k_i$, $\sum_{i \in A} k_i^2$ and then $r r^\top$; $H$ gets its border alone. The eigenvectors of the
//! smaller problem, with 0 for the new coefficient, and its eigenvalues are the start for those of the
//! larger one ([`least_pair`]); where that ends in doubt the whole eigenproblem is solved.

use super::pencil::{Added, Surface, both, may_reverse, regularise, reversed};
use super::words::Regularisation;
use crate::Result;
use crate::linalg::{LeastPair, PaddedMatrix, PencilRoom, dot, least_pair};

/// Both surfaces of a chunk; the offset stands before the coefficients.
#[derive(Debug, Clone)]
pub(super) struct Ends {
    pub(super) vectors: [Vec<f64>; 2],
    /// Lengths of the coefficients.
    pub(super) norms: [f64; 2],
    /// The quotients that they make least.
    quotients: [f64; 2],
}

impl Ends {
    fn new(pairs: [LeastPair; 2]) -> Self {
        let quotients = [pairs[0].value, pairs[1].value];
        let vectors = pairs.map(|pair| pair.vector);
        let norm = |vector: &[f64]| dot(&vector[1..], &vector[1..]).sqrt();
        let norms = [norm(&vectors[0]), norm(&vectors[1])];
        Self {
            vectors,
            norms,
            quotients,
        }
    }

    fn of_surfaces(surfaces: &[Surface; 2]) -> Self {
        Self::new([0, 1].map(|at| {
            let surface: &Surface = &surfaces[at];
            let mut vector = vec![surface.offset];
            vector.extend_from_slice(&surface.coefficients);
            LeastPair {
                vector,
                value: surface.facts.quotient,
            }
        }))
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
    /// The matrices of an enlarged problem, regularised.
    pencil: [PaddedMatrix; 2],
    room: PencilRoom,
    /// Eigenproblems that were solved as a whole.
    pub(super) whole_solves: u64,
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
            pencil: [PaddedMatrix::default(), PaddedMatrix::default()],
            room: PencilRoom::default(),
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

    /// Writes the matrices with one row more.
    fn border(&mut self, candidate: &Candidate<'_>) {
        let old = self.len() + 1;
        let mut own = Vec::with_capacity(old + 1);
        own.push(-1.0);
        own.extend_from_slice(candidate.with_chunk);
        own.push(candidate.with_itself);
        for ((matrix, sums), first) in self.pencil.iter_mut().zip(&self.sums).zip([true, false]) {
            matrix.clear(old + 1);
            let mut border = vec![0.0; old + 1];
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
            for (i, from) in sums.chunks_exact(old).enumerate() {
                let row = matrix.row_mut(i);
                row[..old].copy_from_slice(from);
                row[old] = border[i];
            }
            matrix.row_mut(old).copy_from_slice(&border);
            if candidate.is_first == first {
                for (i, a) in own.iter().enumerate() {
                    for (sum, b) in matrix.row_mut(i).iter_mut().zip(&own) {
                        *sum += a * b;
                    }
                }
            }
        }
    }

    /// Regularises the matrices that [`Chunk::border`] wrote.
    fn regularise(&mut self) {
        let order = self.len() + 2;
        let [g, h] = &mut self.pencil;
        for i in 0..order {
            let (of_g, of_h) = (*g.diagonal_mut(i), *h.diagonal_mut(i));
            let [to_g, to_h] = match self.rule {
                Regularisation::Tikhonov => self.shares,
                _ => [self.shares[0] * of_h, self.shares[1] * of_g],
            };
            *g.diagonal_mut(i) += to_g;
            *h.diagonal_mut(i) += to_h;
        }
    }

    /// The surfaces with one row more.
    pub(super) fn enlarged(&mut self, candidate: &Candidate<'_>) -> Result<Ends> {
        self.border(candidate);
        if self.warm
            && !may_reverse(self.shares)
            && let Some(ends) = &self.ends
        {
            let ends = ends.clone();
            self.regularise();
            if let Some(ends) = self.warm_ends(&ends) {
                return Ok(ends);
            }
            self.border(candidate);
        }
        self.whole_solves += 1;
        let order = self.len() + 2;
        let [mut g, mut h] = [self.pencil[0].packed(), self.pencil[1].packed()];
        let added = regularise(self.rule, self.shares, order, &mut g, &mut h);
        Ok(Ends::of_surfaces(&self.whole(order, &g, &h, &added)?))
    }

    /// Both ends of the regularised matrices from those of the smaller problem; `None` in doubt.
    fn warm_ends(&mut self, ends: &Ends) -> Option<Ends> {
        let [g, h] = &self.pencil;
        let [one, two] = &ends.vectors;
        let first = least_pair(g, h, one, ends.quotients[0], &mut self.room)?;
        let second = least_pair(h, g, two, ends.quotients[1], &mut self.room)?;
        Some(Ends::new([first, second]))
    }

    /// Whether every row of the chunk so far is on its side of enlarged surfaces.
    pub(super) fn keeps_all_right(&self, enlarged: &Ends, candidate: &Candidate<'_>) -> bool {
        let rows = self.kernel.iter().zip(&self.is_first);
        let [first, second] = &enlarged.vectors;
        let old = self.len();
        rows.zip(candidate.with_chunk)
            .all(|((row, &is_first), &k)| {
                let value = |z: &[f64]| dot(&z[1..=old], row) + z[old + 1] * k - z[0];
                enlarged.takes_first([value(first), value(second)]) == is_first
            })
    }

    /// Takes in a row with the surfaces that it leads to.
    pub(super) fn accept(&mut self, enlarged: Ends, candidate: &Candidate<'_>) {
        self.add(candidate);
        self.ends = Some(enlarged);
    }

    /// Takes a row in without a look at the surfaces.
    pub(super) fn add(&mut self, candidate: &Candidate<'_>) {
        self.border(candidate);
        self.sums = [self.pencil[0].packed(), self.pencil[1].packed()];
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
        let added = regularise(self.rule, self.shares, order, &mut g, &mut h);
        let found = self.whole(order, &g, &h, &added)?;
        self.ends = Some(Ends::of_surfaces(&found));
        Ok(found)
    }

    /// Both surfaces from whole matrices, that of the first class first.
    fn whole(&self, order: usize, g: &[f64], h: &[f64], added: &Added) -> Result<[Surface; 2]> {
        // The surfaces want the offset last.
        let (g, h) = (rotated(order, g), rotated(order, h));
        let mut found = both(order, &g, &h)?;
        if may_reverse(self.shares) {
            let added = added.clone().map(|mut diagonal| {
                diagonal.rotate_left(1);
                diagonal
            });
            if reversed(self.rule, self.shares, order, [&g, &h], &added, &found) {
                found.swap(0, 1);
            }
        }
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
