//! Kernel matrices of many small sets of rows that lie close together.
//!
//! Within a neighbourhood most columns of wide data do not vary at all: one-hot columns are all 0
//! or all 1, counts are all 0. Relative to one of the rows such a column is 0 everywhere and drops
//! out of every distance, and what is left is small enough for single precision even where the
//! whole data are not. So the matrix of a neighbourhood under the Gaussian or the city-block kernel
//! is computed from the columns that vary; for other kernels, and where that does not pay, the rows are bound as any others.

use super::gram::{Gram, symmetric_by_blocks};
use super::layout::{Formula, SINGLE_LIMIT, fits_single};
use super::maps::{CityBlockMap, GaussianMap, Norms};
use super::{Kernel, Radial};
use crate::Result;
use crate::data::{Row, SamplesView};
use crate::linalg::{PANEL, Panels, panel_block};
use std::ops::Range;

/// Widest rows that are spread out to look for columns that vary.
const MAX_WIDTH: usize = 2048;

/// The kernel matrix of the given rows of a view, row-major, on the calling thread.
pub(crate) fn matrix_of_neighbourhood(
    kernel: &Kernel,
    view: SamplesView<'_>,
    rows: &[u32],
    out: &mut [f32],
) -> Result<()> {
    if let Some(near_rows) = NearRows::of(kernel, view, rows)? {
        near_rows.matrix_into(out);
        return Ok(());
    }
    Gram::new(kernel, view, rows.to_vec())?
        .sequential(true)
        .symmetric_into(out)
}

/// The Gaussian or city-block matrix of a neighbourhood, some rows at a time.
#[derive(Debug)]
pub(crate) struct NearRows {
    n_rows: usize,
    /// The first row, which the others are relative to.
    reference: Vec<f64>,
    /// The columns in which some row is not as the first.
    columns: Vec<u32>,
    panels: Panels<f32>,
    shape: Shape,
    /// $-\gamma\|x\|^2$, padded by one panel; 0 for the city-block kernel.
    norms: Vec<f32>,
    largest_sq_norm: f64,
}

/// A kernel that is a product over the features, so that columns that do not vary are factors.
#[derive(Debug, Clone, Copy)]
enum Shape {
    Gaussian { gamma: f64 },
    CityBlock { gamma: f64 },
}

impl Shape {
    fn of(kernel: &Kernel) -> Option<Self> {
        match *kernel {
            Kernel::Radial(Radial::Gaussian { gamma }) => Some(Self::Gaussian { gamma }),
            Kernel::CityBlock { gamma } => Some(Self::CityBlock { gamma }),
            _ => None,
        }
    }

    fn formula(self) -> Formula {
        match self {
            Self::Gaussian { gamma } => Formula::Gaussian { gamma },
            Self::CityBlock { gamma } => Formula::CityBlock { gamma },
        }
    }

    /// $-\gamma\|x\|^2$ of a row in the panels, where that is needed.
    fn norm(self, squared: f64) -> f32 {
        match self {
            Self::Gaussian { gamma } => (-gamma * f64::from(squared as f32)) as f32,
            Self::CityBlock { .. } => 0.0,
        }
    }

    /// The part of a query's exponent that its values in the panels do not tell: all of
    /// $-\gamma\|q\|^2$, or what other columns add to the city-block distance.
    fn exponent(self, relative: &[f64], columns: &[u32]) -> f32 {
        match self {
            Self::Gaussian { gamma } => {
                let squared: f64 = relative.iter().map(|value| value * value).sum();
                (-gamma * squared) as f32
            }
            Self::CityBlock { gamma } => {
                let mut kept = columns.iter().peekable();
                let mut sum = 0.0;
                for (f, value) in relative.iter().enumerate() {
                    if kept.next_if(|&&column| column as usize == f).is_none() {
                        sum += value.abs();
                    }
                }
                (-gamma * sum) as f32
            }
        }
    }
}

/// Rows that ask for their kernel values, prepared; reusable.
#[derive(Debug, Default)]
pub(crate) struct NeighbourhoodQueries {
    dense: Vec<f64>,
    values: Vec<f32>,
    norms: Vec<f32>,
}

/// Queries that are best asked together.
pub(crate) const QUERIES_AT_ONCE: usize = 6;

impl NearRows {
    /// `None` unless the kernel is one of the two and this is the way to compute it.
    pub(crate) fn of(kernel: &Kernel, view: SamplesView<'_>, rows: &[u32]) -> Result<Option<Self>> {
        let Some(shape) = Shape::of(kernel) else {
            return Ok(None);
        };
        kernel.check()?;
        let width = view.n_features();
        let Some(&first) = rows.first() else {
            return Ok(None);
        };
        if width > MAX_WIDTH {
            return Ok(None);
        }
        view.fetch(rows.iter().copied());
        let mut reference = vec![0.0; width];
        view.row(first as usize).write_dense(&mut reference);
        let Some(mut columns) =
            few_columns(view, rows).or_else(|| varying_columns(view, rows, &reference))
        else {
            return Ok(None);
        };
        let mut panels = relative_rows(view, rows, &reference, &columns);
        let varying = panels.drop_zeros(rows.len());
        columns = varying.iter().map(|&slot| columns[slot as usize]).collect();
        let sq_norms = match columns.len() {
            0 => vec![0.0; rows.len()],
            _ => panels.sq_norms(),
        };
        let sq_norms = &sq_norms[..rows.len()];
        let largest_sq_norm = sq_norms.iter().copied().fold(0.0, f64::max);
        // Distances must be precise enough; what is no number, or infinite, is not.
        let is_finite = sq_norms.iter().sum::<f64>().is_finite();
        let argument = shape.formula().argument(largest_sq_norm);
        let is_precise = argument <= SINGLE_LIMIT && fits_single(largest_sq_norm);
        if !is_finite || !is_precise {
            return Ok(None);
        }
        let mut norms: Vec<f32> = sq_norms
            .iter()
            .map(|&squared| shape.norm(squared))
            .collect();
        norms.resize(rows.len() + PANEL, 0.0);
        Ok(Some(Self {
            n_rows: rows.len(),
            reference,
            columns,
            panels,
            shape,
            norms,
            largest_sq_norm,
        }))
    }

    /// Some rows of the matrix.
    pub(crate) fn rows_into(&self, block: Range<usize>, out: &mut [f32]) {
        let mut rows: Vec<&mut [f32]> = out.chunks_exact_mut(self.n_rows).collect();
        self.block_into(block, 0, &mut rows);
    }

    /// Typical error of a kernel value.
    pub(crate) fn rounding(&self) -> f64 {
        self.shape.formula().single_error(self.largest_sq_norm)
    }

    /// Prepares rows that have no other features than the neighbourhood.
    pub(crate) fn prepare<'r>(
        &self,
        rows: impl Iterator<Item = Row<'r>>,
        queries: &mut NeighbourhoodQueries,
    ) {
        let (reference, columns) = (&self.reference, &self.columns);
        queries.values.clear();
        queries.norms.clear();
        queries.dense.resize(reference.len(), 0.0);
        for row in rows {
            row.write_dense(&mut queries.dense);
            // A column in which the neighbourhood does not vary may be another here.
            for (value, reference) in queries.dense.iter_mut().zip(reference) {
                *value -= reference;
            }
            let dense = &queries.dense;
            let varying = columns.iter().map(|&f| dense[f as usize] as f32);
            queries.values.extend(varying);
            queries.norms.push(self.shape.exponent(dense, columns));
        }
    }

    /// Kernel values of every prepared row against the rows of the neighbourhood.
    pub(crate) fn values_into(&self, queries: &NeighbourhoodQueries, out: &mut [&mut [f32]]) {
        self.values_of(&queries.values, &queries.norms, (0, self.n_rows), out);
    }

    /// Kernel values of queries, given their values in the panels and the rest of their exponents.
    fn values_of(
        &self,
        queries: &[f32],
        exponents: &[f32],
        columns: (usize, usize),
        out: &mut [&mut [f32]],
    ) {
        match self.shape {
            Shape::Gaussian { gamma } => {
                let map = GaussianMap {
                    two_gamma: (2.0 * gamma) as f32,
                    norms: Norms {
                        queries: exponents,
                        rows: &self.norms,
                    },
                };
                panel_block(&self.panels, queries, columns, map, out);
            }
            Shape::CityBlock { gamma } => {
                let map = CityBlockMap::new(gamma, exponents);
                panel_block(&self.panels, queries, columns, map, out);
            }
        }
    }

    fn matrix_into(&self, out: &mut [f32]) {
        symmetric_by_blocks(self.n_rows, out, |block, start, rows| {
            self.block_into(block, start, rows);
        });
    }

    /// The columns from `start` on of some rows.
    fn block_into(&self, block: Range<usize>, start: usize, rows: &mut [&mut [f32]]) {
        let mut queries = Vec::with_capacity(block.len() * self.columns.len());
        for i in block.clone() {
            self.panels.append_row(i, &mut queries);
        }
        let span = (start, self.n_rows);
        self.values_of(&queries, &self.norms[block], span, rows);
    }
}

/// As `Survey::choose` weighs them, with the turning of sparse rows into queries: whether rows with
/// so many stored entries are better spread over so many columns.
fn is_worth_spreading(n_columns: usize, entries_per_row: f64) -> bool {
    n_columns as f64 / 14.0 <= 0.14 * entries_per_row + 2.0
}

/// The columns that sparse rows store, ascending, if they are so few that it does not matter how
/// many of them vary.
fn few_columns(view: SamplesView<'_>, rows: &[u32]) -> Option<Vec<u32>> {
    let SamplesView::Sparse { n_features, .. } = view else {
        return None;
    };
    let mut occurs = vec![false; n_features];
    let mut stored = 0;
    for &i in rows {
        if let Row::Sparse { indices, .. } = view.row(i as usize) {
            stored += indices.len();
            for &f in indices {
                occurs[f as usize] = true;
            }
        }
    }
    let numbers = 0..n_features as u32;
    let columns: Vec<u32> = numbers.filter(|&f| occurs[f as usize]).collect();
    is_worth_spreading(columns.len(), stored as f64 / rows.len() as f64).then_some(columns)
}

/// The columns in which some row differs from the reference, ascending; `None` where sparse rows
/// are better left as they are.
fn varying_columns(view: SamplesView<'_>, rows: &[u32], reference: &[f64]) -> Option<Vec<u32>> {
    let width = reference.len();
    let mut varies = vec![false; width];
    match view {
        SamplesView::Dense { .. } => {
            for &i in rows {
                let row = view.row(i as usize).values();
                for f in 0..width {
                    varies[f] |= row[f] != reference[f];
                }
            }
        }
        SamplesView::Sparse { .. } => {
            let mut stored = 0;
            // How many rows agree with the reference in a column by what they store there.
            let mut agree = vec![0; width];
            for &i in rows {
                if let Row::Sparse { indices, values } = view.row(i as usize) {
                    stored += indices.len();
                    for (&f, &value) in indices.iter().zip(values) {
                        let same = value == reference[f as usize];
                        agree[f as usize] += usize::from(same);
                        varies[f as usize] |= !same;
                    }
                }
            }
            for f in 0..width {
                varies[f] |= reference[f] != 0.0 && agree[f] < rows.len();
            }
            let per_row = stored as f64 / rows.len() as f64;
            let n_varying = varies.iter().filter(|&&yes| yes).count();
            if !is_worth_spreading(n_varying, per_row) {
                return None;
            }
        }
    }
    Some((0..width as u32).filter(|&f| varies[f as usize]).collect())
}

/// What a sparse row is to know about a column.
#[derive(Clone, Copy)]
struct Column {
    reference: f64,
    /// Where it begins in a panel; beyond any panel if it is not there.
    start: usize,
}

/// Rows relative to the reference, in these columns.
fn relative_rows(
    view: SamplesView<'_>,
    rows: &[u32],
    reference: &[f64],
    columns: &[u32],
) -> Panels<f32> {
    let absent = |&f: &u32| -reference[f as usize] as f32;
    let absent: Vec<f32> = columns.iter().map(absent).collect();
    let mut panels = Panels::alike(rows.len(), &absent);
    let nowhere = columns.len() * PANEL;
    let column = |&reference: &f64| Column {
        reference,
        start: nowhere,
    };
    let mut of_feature: Vec<Column> = reference.iter().map(column).collect();
    for (slot, &f) in columns.iter().enumerate() {
        of_feature[f as usize].start = slot * PANEL;
    }
    for (panel, rows) in panels.panels_mut().zip(rows.chunks(PANEL)) {
        for (lane, &row) in rows.iter().enumerate() {
            match view.row(row as usize) {
                Row::Dense(row) => {
                    let (slots, _) = panel.as_chunks_mut::<PANEL>();
                    for (slot, &f) in slots.iter_mut().zip(columns) {
                        slot[lane] = (row[f as usize] - reference[f as usize]) as f32;
                    }
                }
                Row::Sparse { indices, values } => {
                    for (&f, &value) in indices.iter().zip(values) {
                        let Column { reference, start } = of_feature[f as usize];
                        if let Some(to) = panel.get_mut(start + lane) {
                            *to = (value - reference) as f32;
                        }
                    }
                }
            }
        }
    }
    panels
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{CsrMatrix, Generator, Samples};

    /// Rows near one another, far from the origin, with columns that do not vary, dense and sparse.
    #[test]
    fn a_neighbourhood_has_the_matrix_of_any_rows() {
        let mut generator = Generator::new(3);
        let (n, d) = (75, 30);
        let mut values = vec![0.0; n * d];
        for row in values.chunks_exact_mut(d) {
            row[3] = 1.0;
            row[7] = 100.0 + generator.uniform();
            row[8] = generator.normal();
            row[generator.below(2) + 20] = 1.0;
        }
        let mut row_starts = vec![0];
        let (mut indices, mut stored) = (Vec::new(), Vec::new());
        for row in values.chunks_exact(d) {
            for (f, &value) in row.iter().enumerate().filter(|(_, value)| **value != 0.0) {
                indices.push(f as u32);
                stored.push(value);
            }
            row_starts.push(indices.len());
        }
        let sparse = CsrMatrix::new(d, row_starts, indices, stored).expect("sparse");
        let sparse = Samples::Sparse(sparse);
        let dense = Samples::dense(n, d, values).expect("dense");
        let rows: Vec<u32> = (0..n as u32).rev().collect();
        for kernel in [Kernel::rbf(0.7), Kernel::city_block(0.7)] {
            agrees(&kernel, &[&dense, &sparse], &rows);
        }
    }

    fn agrees(kernel: &Kernel, stored: &[&Samples], rows: &[u32]) {
        let (n, d) = (rows.len(), stored[0].n_features());
        let dense = stored[0];
        let mut expected = vec![0.0; n * n];
        for (i, &a) in rows.iter().enumerate() {
            for (j, &b) in rows.iter().enumerate() {
                let (a, b) = (dense.view().row(a as usize), dense.view().row(b as usize));
                expected[i * n + j] = kernel.value(a, b, d).expect("a value");
            }
        }
        for samples in stored {
            let near_rows = NearRows::of(kernel, samples.view(), rows).expect("a kernel");
            let near_rows = near_rows.expect("the quick way");
            assert_eq!(near_rows.columns.len(), 4);
            let mut whole = vec![0.0; n * n];
            matrix_of_neighbourhood(kernel, samples.view(), rows, &mut whole).expect("a matrix");
            let mut some = vec![0.0; 3 * n];
            near_rows.rows_into(8..11, &mut some);
            for (at, (&value, &expected)) in whole.iter().zip(&expected).enumerate() {
                let error = (f64::from(value) - expected).abs();
                assert!(error < 1e-6, "{value} for {expected} at {at}");
                assert_eq!(value, whole[(at % n) * n + at / n]);
            }
            assert_eq!(some, whole[8 * n..11 * n]);
        }
    }

    /// Columns that rows store but that do not vary are dropped, before or after rows are spread.
    #[test]
    fn only_columns_that_vary_are_kept() {
        // Rows, columns that never vary, columns of which each row has one of four.
        for (n, constant, varying) in [(40, 36, 100), (75, 5, 20), (16, 3, 8), (1, 4, 4)] {
            let width = constant + varying;
            let (mut row_starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
            for i in 0..n {
                let mut row: Vec<usize> = (0..constant).collect();
                row.extend((0..4).map(|block| constant + block * varying / 4 + i % (varying / 4)));
                values.extend(row.iter().map(|&f| 1.0 + f as f64));
                indices.extend(row.iter().map(|&f| f as u32));
                row_starts.push(indices.len());
            }
            let sparse = CsrMatrix::new(width, row_starts, indices, values).expect("sparse");
            let samples = Samples::Sparse(sparse);
            let rows: Vec<u32> = (0..n as u32).collect();
            let near_rows = NearRows::of(&Kernel::rbf(1e-5), samples.view(), &rows);
            let near_rows = near_rows.expect("a kernel").expect("the quick way");
            // Columns that no row has cannot vary either, nor do those of a single row.
            let seen = if n == 1 { 0 } else { 4 * n.min(varying / 4) };
            assert_eq!(near_rows.columns.len(), seen);
            assert!(near_rows.columns.iter().all(|&f| f as usize >= constant));
            let is_few = few_columns(samples.view(), &rows).is_some();
            assert_eq!(is_few, n != 40, "{n} rows");
            let mut matrix = vec![0.0; n * n];
            near_rows.matrix_into(&mut matrix);
            for (at, &value) in matrix.iter().enumerate() {
                let (a, b) = (samples.view().row(at / n), samples.view().row(at % n));
                let expected = Kernel::rbf(1e-5).value(a, b, width).expect("a value");
                let error = (f64::from(value) - expected).abs();
                assert!(error < 1e-6, "{value} for {expected} at {at}");
            }
        }
    }
}
