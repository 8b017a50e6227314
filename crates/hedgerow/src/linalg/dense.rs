//! Dense products and the symmetric eigenproblem: the only user of `faer`.
//!
//! Everything runs on the calling thread, so that results do not depend on how many there are;
//! callers that want several give each a block of its own.

use crate::parallel::{Grain, for_each, for_each_chunk};
use faer::diag::DiagMut;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch};
use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par, Spec};

/// `out = a · bᵀ` for row-major matrices with rows of length `inner`.
pub(crate) fn product_transposed(a: &[f64], b: &[f64], inner: usize, out: &mut [f64]) {
    if out.is_empty() {
        return;
    }
    if inner == 0 {
        out.fill(0.0);
        return;
    }
    let (m, n) = (a.len() / inner, b.len() / inner);
    matmul(
        MatMut::from_row_major_slice_mut(out, m, n),
        Accum::Replace,
        MatRef::from_row_major_slice(a, m, inner),
        MatRef::from_row_major_slice(b, n, inner).transpose(),
        1.0,
        Par::Seq,
    );
}

/// `out = a · b` for row-major matrices; `inner` columns of `a`, `width` columns of `b`.
pub(crate) fn product(a: &[f64], b: &[f64], inner: usize, width: usize, out: &mut [f64]) {
    if out.is_empty() {
        return;
    }
    if inner == 0 {
        out.fill(0.0);
        return;
    }
    let m = a.len() / inner;
    matmul(
        MatMut::from_row_major_slice_mut(out, m, width),
        Accum::Replace,
        MatRef::from_row_major_slice(a, m, inner),
        MatRef::from_row_major_slice(b, inner, width),
        1.0,
        Par::Seq,
    );
}

/// Rows of a block that one task multiplies.
const BLOCK_ROWS: usize = 128;

/// As [`product`], blocks of rows in parallel.
pub(crate) fn product_in_parallel(
    a: &[f64],
    b: &[f64],
    inner: usize,
    width: usize,
    out: &mut [f64],
) {
    if inner == 0 || width == 0 {
        out.fill(0.0);
        return;
    }
    let blocks = out.chunks_mut(BLOCK_ROWS * width);
    let blocks = blocks.zip(a.chunks(BLOCK_ROWS * inner));
    for_each(blocks, Grain::COARSE, &|_, (out, a)| {
        product(a, b, inner, width, out);
    });
}

/// `a · aᵀ`, row-major, of a row-major matrix with rows of length `inner`; blocks in parallel.
pub(crate) fn gram(a: &[f64], inner: usize) -> Vec<f64> {
    if inner == 0 || a.is_empty() {
        return Vec::new();
    }
    let n = a.len() / inner;
    let mut out = vec![0.0; n * n];
    for_each_chunk(&mut out, BLOCK_ROWS * n, Grain::COARSE, &|block, out| {
        let first = block * BLOCK_ROWS;
        let count = out.len() / n;
        let left = &a[first * inner..(first + count) * inner];
        let mut tile = vec![0.0; BLOCK_ROWS * BLOCK_ROWS];
        // Blocks left of the diagonal are mirrored afterwards.
        let mut column = first;
        while column < n {
            let width = BLOCK_ROWS.min(n - column);
            let right = &a[column * inner..(column + width) * inner];
            let tile = &mut tile[..count * width];
            product_transposed(left, right, inner, tile);
            for (row, values) in tile.chunks_exact(width).enumerate() {
                out[row * n + column..row * n + column + width].copy_from_slice(values);
            }
            column += width;
        }
    });
    mirror_upper(&mut out, n);
    out
}

/// Adds $a^\top a$ to the upper triangle of a row-major matrix; `a` is row-major with rows of length
/// `width`. Strips of the result in parallel, every entry in the same order.
pub(crate) fn add_gram(a: &[f64], width: usize, sums: &mut [f64]) {
    if width == 0 || a.is_empty() {
        return;
    }
    let a = MatRef::from_row_major_slice(a, a.len() / width, width);
    for_each_chunk(sums, BLOCK_ROWS * width, Grain::COARSE, &|block, strip| {
        let first = block * BLOCK_ROWS;
        let count = strip.len() / width;
        let strip = MatMut::from_row_major_slice_mut(strip, count, width);
        matmul(
            strip.subcols_mut(first, width - first),
            Accum::Add,
            a.subcols(first, count).transpose(),
            a.subcols(first, width - first),
            1.0,
            Par::Seq,
        );
    });
}

/// Copies the upper triangle of a row-major square matrix to the lower one.
pub(crate) fn mirror_upper(matrix: &mut [f64], n: usize) {
    const TILE: usize = 32;
    for row in (0..n).step_by(TILE) {
        for column in (0..=row).step_by(TILE) {
            for i in row..n.min(row + TILE) {
                for j in column..i.min(column + TILE) {
                    matrix[i * n + j] = matrix[j * n + i];
                }
            }
        }
    }
}

/// Eigenvalues in ascending order and the eigenvectors, one after the other.
#[derive(Debug, Clone)]
pub(crate) struct SymmetricEigen {
    pub(crate) values: Vec<f64>,
    /// `vectors[k · n ..][..n]` belongs to `values[k]`.
    pub(crate) vectors: Vec<f64>,
}

/// The eigenproblem of a symmetric row-major matrix; `None` if the iteration did not converge.
pub(crate) fn symmetric_eigen(matrix: &[f64], n: usize) -> Option<SymmetricEigen> {
    let mut values = vec![0.0; n];
    let mut vectors = vec![0.0; n * n];
    if n > 0 {
        let scratch =
            self_adjoint_evd_scratch::<f64>(n, ComputeEigenvectors::Yes, Par::Seq, Spec::default());
        let mut memory = MemBuffer::new(scratch);
        self_adjoint_evd(
            MatRef::from_column_major_slice(matrix, n, n),
            DiagMut::from_slice_mut(&mut values),
            Some(MatMut::from_column_major_slice_mut(&mut vectors, n, n)),
            Par::Seq,
            MemStack::new(&mut memory),
            Spec::default(),
        )
        .ok()?;
    }
    Some(SymmetricEigen { values, vectors })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Generator;

    fn random(count: usize, seed: u64) -> Vec<f64> {
        let mut generator = Generator::new(seed);
        (0..count).map(|_| generator.normal()).collect()
    }

    #[test]
    fn gram_and_products_agree_with_loops() {
        let (n, k) = (150, 7);
        let a = random(n * k, 1);
        let gram = gram(&a, k);
        let mut square = vec![0.0; n * n];
        let transposed: Vec<f64> = (0..k * n).map(|at| a[at % n * k + at / n]).collect();
        product_in_parallel(&a, &transposed, k, n, &mut square);
        for i in 0..n {
            for j in 0..n {
                let expected: f64 = (0..k).map(|f| a[i * k + f] * a[j * k + f]).sum();
                assert!((gram[i * n + j] - expected).abs() < 1e-12);
                assert!((square[i * n + j] - expected).abs() < 1e-12);
                assert_eq!(gram[i * n + j], gram[j * n + i]);
            }
        }
    }

    #[test]
    fn eigenvectors_rebuild_the_matrix() {
        let n = 40;
        let a = random(n * n, 2);
        let matrix: Vec<f64> = (0..n * n)
            .map(|at| a[at] + a[at % n * n + at / n])
            .collect();
        let eigen = symmetric_eigen(&matrix, n).unwrap();
        assert!(eigen.values.is_sorted());
        for i in 0..n {
            for j in 0..n {
                let rebuilt: f64 = (0..n)
                    .map(|k| eigen.values[k] * eigen.vectors[k * n + i] * eigen.vectors[k * n + j])
                    .sum();
                assert!((rebuilt - matrix[i * n + j]).abs() < 1e-10);
            }
        }
    }
}
