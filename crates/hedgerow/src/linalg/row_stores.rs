//! Rows as linear learners read them: an inner product with the weights, then perhaps a multiple
//! of the row added to them.
//!
//! Weights are always in double precision; rows are stored as narrowly as their values allow. A
//! sparse store whose values are all 1 has no values.

use super::Real;
use std::borrow::Cow;

/// Values that a dense store handles at once; its rows are padded to a multiple of it.
pub(crate) const DENSE_LANES: usize = 8;
/// Independent sums of a sparse inner product.
const SPARSE_SUMS: usize = 4;

/// Rows that can be multiplied with weights.
pub(crate) trait LinearStore: Sync {
    /// $\langle w, x_i\rangle$. The weights are as long as the rows, padding included.
    fn dot<const FMA: bool>(&self, i: usize, weights: &[f64]) -> f64;

    /// $w \leftarrow w + a x_i$.
    fn add<const FMA: bool>(&self, i: usize, factor: f64, weights: &mut [f64]);

    /// $v_f \leftarrow v_f + a x_{if}^2$ for every feature.
    fn add_squares(&self, i: usize, factor: f64, sums: &mut [f64]);

    /// $\|x_i\|^2$.
    fn sq_norm(&self, i: usize) -> f64;

    /// Asks the memory for a row that will be needed soon.
    fn prefetch(&self, i: usize);

    /// Asks the memory for what tells where a row stands, some time before the row itself.
    fn prefetch_place(&self, i: usize);
}

/// Dense rows.
#[derive(Debug, Clone)]
pub(crate) struct DenseStore<'a, T: Clone> {
    /// Length of a row, padding included.
    pub(crate) width: usize,
    pub(crate) values: Cow<'a, [T]>,
}

/// Which features the sparse rows have: compressed rows without their values. Fields are private to
/// this file, because loops rely on every feature being less than the width.
#[derive(Debug, Clone)]
struct Pattern<'a> {
    starts: Cow<'a, [usize]>,
    features: Cow<'a, [u32]>,
    width: usize,
}

impl<'a> Pattern<'a> {
    /// Checks that every feature is less than the width, which is the least possible length of weights.
    fn new(starts: Cow<'a, [usize]>, features: Cow<'a, [u32]>, width: usize) -> Self {
        let largest = features.iter().copied().max();
        assert!(
            largest.is_none_or(|f| (f as usize) < width),
            "invariant: features of a sparse matrix are less than its width"
        );
        Self {
            starts,
            features,
            width,
        }
    }

    #[inline(always)]
    fn row(&self, i: usize) -> &[u32] {
        &self.features[self.starts[i]..self.starts[i + 1]]
    }

    /// Panics unless a vector has a value for every feature.
    #[inline(always)]
    fn check_length(&self, vector: &[f64]) {
        assert!(vector.len() >= self.width, "invariant: length of weights");
    }
}

/// The value of a feature of a pattern.
#[inline(always)]
fn feature_value(vector: &[f64], f: u32) -> f64 {
    // SAFETY: the callers have checked that the vector is at least as long as the width of the
    // pattern that the feature is from, and every feature of a pattern is less than its width.
    #[allow(unsafe_code)]
    unsafe {
        *vector.get_unchecked(f as usize)
    }
}

/// The place of a feature of a pattern.
#[inline(always)]
fn feature_place(vector: &mut [f64], f: u32) -> &mut f64 {
    // SAFETY: as in `feature_value`.
    #[allow(unsafe_code)]
    unsafe {
        vector.get_unchecked_mut(f as usize)
    }
}

/// Compressed sparse rows.
#[derive(Debug, Clone)]
pub(crate) struct SparseStore<'a, T: Clone> {
    pattern: Pattern<'a>,
    values: Cow<'a, [T]>,
}

impl<'a, T: Clone> SparseStore<'a, T> {
    /// Rows of `width` features.
    pub(crate) fn new(
        starts: Cow<'a, [usize]>,
        features: Cow<'a, [u32]>,
        values: Cow<'a, [T]>,
        width: usize,
    ) -> Self {
        Self {
            pattern: Pattern::new(starts, features, width),
            values,
        }
    }

    /// Stored values.
    pub(crate) fn len(&self) -> usize {
        self.values.len()
    }
}

/// Sparse rows whose values stand together: blocks of [`DENSE_LANES`] neighbouring features with at
/// least one value each. A block is one vector operation.
#[derive(Debug, Clone)]
pub(crate) struct BlockStore<T> {
    pub(crate) starts: Vec<usize>,
    /// Number of each block: its first feature over the lanes.
    pub(crate) blocks: Vec<u32>,
    pub(crate) values: Vec<[T; DENSE_LANES]>,
}

/// Sparse rows whose stored values are all 1.
#[derive(Debug, Clone)]
pub(crate) struct UnitStore<'a> {
    pattern: Pattern<'a>,
}

impl<'a> UnitStore<'a> {
    /// Rows of `width` features.
    pub(crate) fn new(starts: Cow<'a, [usize]>, features: Cow<'a, [u32]>, width: usize) -> Self {
        Self {
            pattern: Pattern::new(starts, features, width),
        }
    }

    /// Stored values.
    pub(crate) fn len(&self) -> usize {
        self.pattern.features.len()
    }
}

impl<T: Real> DenseStore<'_, T> {
    #[inline(always)]
    fn row(&self, i: usize) -> &[T] {
        &self.values[i * self.width..(i + 1) * self.width]
    }
}

/// `x * w + sums`, lane by lane. All is read before anything is written, so that the compiler need
/// not fear that rows and weights overlap, and makes one instruction of it.
#[inline(always)]
fn fma_lanes<const FMA: bool, T: Real>(
    x: &[T; DENSE_LANES],
    w: &[f64; DENSE_LANES],
    sums: [f64; DENSE_LANES],
) -> [f64; DENSE_LANES] {
    let mut out = [0.0; DENSE_LANES];
    for lane in 0..DENSE_LANES {
        out[lane] = x[lane].to_f64().fma::<FMA>(w[lane], sums[lane]);
    }
    out
}

/// Sum of the squares of whole lanes.
#[inline(always)]
fn sum_of_squares<T: Real>(values: &[[T; DENSE_LANES]]) -> f64 {
    let mut sums = [0.0; DENSE_LANES];
    for x in values {
        for lane in 0..DENSE_LANES {
            sums[lane] += x[lane].to_f64() * x[lane].to_f64();
        }
    }
    join_lanes(sums, [0.0; DENSE_LANES])
}

/// The sum of two sets of lanes.
#[inline(always)]
fn join_lanes(even: [f64; DENSE_LANES], odd: [f64; DENSE_LANES]) -> f64 {
    let mut sums = [0.0; DENSE_LANES];
    for lane in 0..DENSE_LANES {
        sums[lane] = even[lane] + odd[lane];
    }
    let quarters = [
        sums[0] + sums[4],
        sums[1] + sums[5],
        sums[2] + sums[6],
        sums[3] + sums[7],
    ];
    (quarters[0] + quarters[2]) + (quarters[1] + quarters[3])
}

impl<T: Real> LinearStore for DenseStore<'_, T> {
    #[inline(always)]
    fn dot<const FMA: bool>(&self, i: usize, weights: &[f64]) -> f64 {
        let (row, _) = self.row(i).as_chunks::<DENSE_LANES>();
        let (weights, _) = weights.as_chunks::<DENSE_LANES>();
        let n = row.len().min(weights.len());
        let (row_pairs, row_rest) = row[..n].as_chunks::<2>();
        let (weight_pairs, weight_rest) = weights[..n].as_chunks::<2>();
        let (mut even, mut odd) = ([0.0f64; DENSE_LANES], [0.0f64; DENSE_LANES]);
        if let ([x], [w]) = (row_rest, weight_rest) {
            even = fma_lanes::<FMA, T>(x, w, even);
        }
        for (x, w) in row_pairs.iter().zip(weight_pairs) {
            even = fma_lanes::<FMA, T>(&x[0], &w[0], even);
            odd = fma_lanes::<FMA, T>(&x[1], &w[1], odd);
        }
        join_lanes(even, odd)
    }

    #[inline(always)]
    fn add<const FMA: bool>(&self, i: usize, factor: f64, weights: &mut [f64]) {
        // No lanes by hand here: over those the compiler would gather and scatter.
        for (weight, x) in weights.iter_mut().zip(self.row(i)) {
            *weight = x.to_f64().fma::<FMA>(factor, *weight);
        }
    }

    #[inline(always)]
    fn add_squares(&self, i: usize, factor: f64, sums: &mut [f64]) {
        for (x, sum) in self.row(i).iter().zip(sums) {
            *sum += factor * (x.to_f64() * x.to_f64());
        }
    }

    fn sq_norm(&self, i: usize) -> f64 {
        sum_of_squares(self.row(i).as_chunks::<DENSE_LANES>().0)
    }

    #[inline(always)]
    fn prefetch(&self, i: usize) {
        prefetch(self.row(i));
    }

    #[inline(always)]
    fn prefetch_place(&self, _: usize) {}
}

impl<T: Clone> SparseStore<'_, T> {
    #[inline(always)]
    fn row(&self, i: usize) -> (&[u32], &[T]) {
        let entries = self.pattern.starts[i]..self.pattern.starts[i + 1];
        (
            &self.pattern.features[entries.clone()],
            &self.values[entries],
        )
    }
}

impl<T: Real> LinearStore for SparseStore<'_, T> {
    #[inline(always)]
    fn dot<const FMA: bool>(&self, i: usize, weights: &[f64]) -> f64 {
        self.pattern.check_length(weights);
        let (features, values) = self.row(i);
        let (features, feature_rest) = features.as_chunks::<SPARSE_SUMS>();
        let (values, value_rest) = values.as_chunks::<SPARSE_SUMS>();
        let mut sums = [0.0f64; SPARSE_SUMS];
        for (f, x) in features.iter().zip(values) {
            for lane in 0..SPARSE_SUMS {
                let weight = feature_value(weights, f[lane]);
                sums[lane] = x[lane].to_f64().fma::<FMA>(weight, sums[lane]);
            }
        }
        for (lane, (&f, x)) in feature_rest.iter().zip(value_rest).enumerate() {
            sums[lane] = x.to_f64().fma::<FMA>(feature_value(weights, f), sums[lane]);
        }
        (sums[0] + sums[1]) + (sums[2] + sums[3])
    }

    #[inline(always)]
    fn add<const FMA: bool>(&self, i: usize, factor: f64, weights: &mut [f64]) {
        self.pattern.check_length(weights);
        let (features, values) = self.row(i);
        for (&f, x) in features.iter().zip(values) {
            let weight = feature_place(weights, f);
            *weight = x.to_f64().fma::<FMA>(factor, *weight);
        }
    }

    #[inline(always)]
    fn add_squares(&self, i: usize, factor: f64, sums: &mut [f64]) {
        self.pattern.check_length(sums);
        let (features, values) = self.row(i);
        for (&f, x) in features.iter().zip(values) {
            *feature_place(sums, f) += factor * (x.to_f64() * x.to_f64());
        }
    }

    fn sq_norm(&self, i: usize) -> f64 {
        let square = |x: &T| x.to_f64() * x.to_f64();
        self.row(i).1.iter().map(square).sum()
    }

    #[inline(always)]
    fn prefetch(&self, i: usize) {
        let (features, values) = self.row(i);
        prefetch(features);
        prefetch(values);
    }

    #[inline(always)]
    fn prefetch_place(&self, i: usize) {
        prefetch(&self.pattern.starts[i..=i]);
    }
}

impl<T: Real> BlockStore<T> {
    #[inline(always)]
    fn row(&self, i: usize) -> (&[u32], &[[T; DENSE_LANES]]) {
        let entries = self.starts[i]..self.starts[i + 1];
        (&self.blocks[entries.clone()], &self.values[entries])
    }
}

impl<T: Real> LinearStore for BlockStore<T> {
    #[inline(always)]
    fn dot<const FMA: bool>(&self, i: usize, weights: &[f64]) -> f64 {
        let (blocks, values) = self.row(i);
        let (weights, _) = weights.as_chunks::<DENSE_LANES>();
        let (block_pairs, block_rest) = blocks.as_chunks::<2>();
        let (value_pairs, value_rest) = values.as_chunks::<2>();
        let (mut even, mut odd) = ([0.0f64; DENSE_LANES], [0.0f64; DENSE_LANES]);
        if let ([block], [x]) = (block_rest, value_rest) {
            even = fma_lanes::<FMA, T>(x, &weights[*block as usize], even);
        }
        for (block, x) in block_pairs.iter().zip(value_pairs) {
            even = fma_lanes::<FMA, T>(&x[0], &weights[block[0] as usize], even);
            odd = fma_lanes::<FMA, T>(&x[1], &weights[block[1] as usize], odd);
        }
        join_lanes(even, odd)
    }

    #[inline(always)]
    fn add<const FMA: bool>(&self, i: usize, factor: f64, weights: &mut [f64]) {
        let (blocks, values) = self.row(i);
        let (weights, _) = weights.as_chunks_mut::<DENSE_LANES>();
        for (&block, x) in blocks.iter().zip(values) {
            let w = &mut weights[block as usize];
            *w = fma_lanes::<FMA, T>(x, &[factor; DENSE_LANES], *w);
        }
    }

    #[inline(always)]
    fn add_squares(&self, i: usize, factor: f64, sums: &mut [f64]) {
        let (blocks, values) = self.row(i);
        let (sums, _) = sums.as_chunks_mut::<DENSE_LANES>();
        for (&block, x) in blocks.iter().zip(values) {
            let sum = &mut sums[block as usize];
            for lane in 0..DENSE_LANES {
                sum[lane] += factor * (x[lane].to_f64() * x[lane].to_f64());
            }
        }
    }

    fn sq_norm(&self, i: usize) -> f64 {
        sum_of_squares(self.row(i).1)
    }

    #[inline(always)]
    fn prefetch(&self, i: usize) {
        let (blocks, values) = self.row(i);
        prefetch(blocks);
        prefetch(values);
    }

    #[inline(always)]
    fn prefetch_place(&self, i: usize) {
        prefetch(&self.starts[i..=i]);
    }
}

impl LinearStore for UnitStore<'_> {
    #[inline(always)]
    fn dot<const FMA: bool>(&self, i: usize, weights: &[f64]) -> f64 {
        self.pattern.check_length(weights);
        let (features, rest) = self.pattern.row(i).as_chunks::<SPARSE_SUMS>();
        let mut sums = [0.0f64; SPARSE_SUMS];
        for f in features {
            for lane in 0..SPARSE_SUMS {
                sums[lane] += feature_value(weights, f[lane]);
            }
        }
        for (lane, &f) in rest.iter().enumerate() {
            sums[lane] += feature_value(weights, f);
        }
        (sums[0] + sums[1]) + (sums[2] + sums[3])
    }

    #[inline(always)]
    fn add<const FMA: bool>(&self, i: usize, factor: f64, weights: &mut [f64]) {
        self.pattern.check_length(weights);
        for &f in self.pattern.row(i) {
            *feature_place(weights, f) += factor;
        }
    }

    #[inline(always)]
    fn add_squares(&self, i: usize, factor: f64, sums: &mut [f64]) {
        self.add::<false>(i, factor, sums);
    }

    fn sq_norm(&self, i: usize) -> f64 {
        self.pattern.row(i).len() as f64
    }

    #[inline(always)]
    fn prefetch(&self, i: usize) {
        prefetch(self.pattern.row(i));
    }

    #[inline(always)]
    fn prefetch_place(&self, i: usize) {
        prefetch(&self.pattern.starts[i..=i]);
    }
}

/// Bytes of a row that are asked for ahead; the hardware follows from there.
const PREFETCH_BYTES: usize = 1536;
const CACHE_LINE: usize = 64;

/// Hints that the beginning of a slice will be read soon.
#[inline(always)]
pub(super) fn prefetch<T>(row: &[T]) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let step = (CACHE_LINE / size_of::<T>()).max(1);
        let most = PREFETCH_BYTES / size_of::<T>();
        for value in row[..row.len().min(most)].iter().step_by(step) {
            // SAFETY: a hint about an address within a borrowed slice; it reads and writes
            // nothing, and SSE belongs to every x86-64 processor.
            #[allow(unsafe_code)]
            unsafe {
                _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(value).cast());
            }
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = row;
}

#[inline(always)]
fn dot_row_body<const FMA: bool, S: LinearStore>(store: &S, i: usize, weights: &[f64]) -> f64 {
    store.dot::<FMA>(i, weights)
}

multiversion! {
    /// $\langle w, x_i\rangle$ of one row, for callers outside the passes.
    pub(crate) fn dot_row[S: LinearStore](store: &S, i: usize, weights: &[f64]) -> f64 =
        dot_row_body;
}

#[inline(always)]
fn add_row_body<const FMA: bool, S: LinearStore>(
    store: &S,
    i: usize,
    factor: f64,
    weights: &mut [f64],
) {
    store.add::<FMA>(i, factor, weights);
}

multiversion! {
    /// $w \leftarrow w + a x_i$ of one row, for callers outside the passes.
    pub(crate) fn add_row[S: LinearStore](
        store: &S,
        i: usize,
        factor: f64,
        weights: &mut [f64],
    ) = add_row_body;
}

#[inline(always)]
fn products_body<const FMA: bool, S: LinearStore>(
    store: &S,
    rows: &[u32],
    weights: &[f64],
    out: &mut [f64],
) {
    for (value, &row) in out.iter_mut().zip(rows) {
        *value = store.dot::<FMA>(row as usize, weights);
    }
}

multiversion! {
    /// `out[t]` = $\langle w, x_i\rangle$ of the row `rows[t]`.
    pub(crate) fn row_products[S: LinearStore](
        store: &S,
        rows: &[u32],
        weights: &[f64],
        out: &mut [f64],
    ) = products_body;
}

#[inline(always)]
fn derivatives_body<const FMA: bool, S: LinearStore>(
    store: &S,
    rows: &[u32],
    slopes: &[f64],
    curvatures: &[f64],
    gradient: &mut [f64],
    diagonal: &mut [f64],
) {
    for ((&slope, &curvature), &row) in slopes.iter().zip(curvatures).zip(rows) {
        if slope != 0.0 {
            store.add::<FMA>(row as usize, slope, gradient);
        }
        if curvature != 0.0 {
            store.add_squares(row as usize, curvature, diagonal);
        }
    }
}

multiversion! {
    /// Adds $\sum_t a_t x_{i(t)}$ to the gradient and $\sum_t d_t x_{i(t)f}^2$ to the diagonal.
    pub(crate) fn add_derivatives[S: LinearStore](
        store: &S,
        rows: &[u32],
        slopes: &[f64],
        curvatures: &[f64],
        gradient: &mut [f64],
        diagonal: &mut [f64],
    ) = derivatives_body;
}

/// A vector with a coordinate for the constant feature, whose value is `bias`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Extended<'a> {
    /// Weights of the features.
    pub(crate) weights: &'a [f64],
    /// Weight of the constant feature times its value.
    pub(crate) constant: f64,
}

#[inline(always)]
fn curvature_body<const FMA: bool, S: LinearStore>(
    store: &S,
    rows: &[u32],
    curvatures: &[f64],
    vector: Extended<'_>,
    sum: &mut [f64],
) -> f64 {
    let mut constant = 0.0;
    for (&curvature, &row) in curvatures.iter().zip(rows) {
        if curvature != 0.0 {
            let product = store.dot::<FMA>(row as usize, vector.weights) + vector.constant;
            let factor = curvature * product;
            store.add::<FMA>(row as usize, factor, sum);
            constant += factor;
        }
    }
    constant
}

multiversion! {
    /// Adds $\sum_t d_t x_{i(t)} (\langle v, x_{i(t)}\rangle + v_0)$ to a sum, and returns the sum of
    /// the factors of the rows.
    pub(crate) fn add_curvature[S: LinearStore](
        store: &S,
        rows: &[u32],
        curvatures: &[f64],
        vector: Extended<'_>,
        sum: &mut [f64],
    ) -> f64 = curvature_body;
}
