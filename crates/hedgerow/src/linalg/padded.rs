//! Symmetric matrices and vectors whose rows are padded to whole registers: loops have no remainders.

use super::Real;

/// Values of a register of the widest processors: strides are multiples of it.
pub(super) const LANES: usize = 8;

/// A symmetric matrix whose rows are padded with zeros.
#[derive(Debug, Clone, Default)]
pub(crate) struct PaddedMatrix {
    pub(super) order: usize,
    pub(super) stride: usize,
    pub(super) values: Vec<f64>,
}

impl PaddedMatrix {
    /// Makes it a matrix of zeros.
    pub(crate) fn clear(&mut self, order: usize) {
        self.order = order;
        self.stride = order.next_multiple_of(LANES);
        self.values.clear();
        self.values.resize(order * self.stride, 0.0);
    }

    /// A row without what pads it.
    pub(crate) fn row_mut(&mut self, i: usize) -> &mut [f64] {
        &mut self.values[i * self.stride..i * self.stride + self.order]
    }

    /// An entry of the diagonal.
    pub(crate) fn diagonal_mut(&mut self, i: usize) -> &mut f64 {
        &mut self.values[i * self.stride + i]
    }

    /// The rows one after the other.
    pub(crate) fn packed(&self) -> Vec<f64> {
        let rows = self.values.chunks_exact(self.stride.max(1));
        rows.flat_map(|row| row[..self.order].iter().copied())
            .collect()
    }
}

/// Whole registers of a padded row.
#[inline(always)]
fn lanes(row: &[f64]) -> &[[f64; LANES]] {
    row.as_chunks().0
}

/// `out += factor · x`.
#[inline(always)]
pub(super) fn add_scaled<const FMA: bool>(factor: f64, x: &[f64], out: &mut [f64]) {
    for (out, x) in out.as_chunks_mut().0.iter_mut().zip(lanes(x)) {
        add::<FMA>(factor, x, out);
    }
}

#[inline(always)]
fn add<const FMA: bool>(factor: f64, x: &[f64; LANES], out: &mut [f64; LANES]) {
    for lane in 0..LANES {
        out[lane] = factor.fma::<FMA>(x[lane], out[lane]);
    }
}

/// As [`add_scaled`], of four.
#[inline(always)]
pub(super) fn add_four<const FMA: bool>(factors: [f64; 4], rows: [&[f64]; 4], out: &mut [f64]) {
    let rows = rows.map(lanes);
    let first = rows[0].iter().zip(rows[1]);
    let second = rows[2].iter().zip(rows[3]);
    let all = first.zip(second);
    for (out, ((a, b), (c, d))) in out.as_chunks_mut().0.iter_mut().zip(all) {
        let mut sum = *out;
        add::<FMA>(factors[0], a, &mut sum);
        add::<FMA>(factors[1], b, &mut sum);
        add::<FMA>(factors[2], c, &mut sum);
        add::<FMA>(factors[3], d, &mut sum);
        *out = sum;
    }
}

#[inline(always)]
pub(super) fn padded_dot<const FMA: bool>(x: &[f64], y: &[f64]) -> f64 {
    let mut sums = [0.0; LANES];
    for (x, y) in lanes(x).iter().zip(lanes(y)) {
        multiply::<FMA>(x, y, &mut sums);
    }
    total(sums)
}

#[inline(always)]
fn multiply<const FMA: bool>(x: &[f64; LANES], y: &[f64; LANES], sums: &mut [f64; LANES]) {
    for lane in 0..LANES {
        sums[lane] = x[lane].fma::<FMA>(y[lane], sums[lane]);
    }
}

#[inline(always)]
fn total([a, b, c, d, e, f, g, h]: [f64; LANES]) -> f64 {
    ((a + e) + (c + g)) + ((b + f) + (d + h))
}

/// `out = m · x` of a symmetric matrix, four rows at a time.
#[inline(always)]
pub(super) fn padded_product<const FMA: bool>(order: usize, m: &[f64], x: &[f64], out: &mut [f64]) {
    let stride = x.len();
    out.fill(0.0);
    let mut i = 0;
    while i + 4 <= order {
        let rows: [&[f64]; 4] = std::array::from_fn(|r| &m[(i + r) * stride..][..stride]);
        let factors: [f64; 4] = std::array::from_fn(|r| x[i + r]);
        add_four::<FMA>(factors, rows, out);
        i += 4;
    }
    for i in i..order {
        add_scaled::<FMA>(x[i], &m[i * stride..][..stride], out);
    }
}

/// Products of four rows with a vector.
#[inline(always)]
pub(super) fn four_dots<const FMA: bool>(rows: [&[f64]; 4], x: &[f64]) -> [f64; 4] {
    let [mut one, mut two, mut three, mut four] = [[0.0; LANES]; 4];
    let rows = rows.map(lanes);
    let first = rows[0].iter().zip(rows[1]);
    let second = rows[2].iter().zip(rows[3]);
    for (x, ((a, b), (c, d))) in lanes(x).iter().zip(first.zip(second)) {
        multiply::<FMA>(a, x, &mut one);
        multiply::<FMA>(b, x, &mut two);
        multiply::<FMA>(c, x, &mut three);
        multiply::<FMA>(d, x, &mut four);
    }
    [one, two, three, four].map(total)
}
