//! Features prepared for correlation: centred, with their lengths and their sums over the classes.
//!
//! Dense columns are copied once, block by block, and each is centred, brought to unit length and
//! summed over the classes while it is still in the cache. Sparse ones stay as they are.

use super::columns::{Columns, sum_of};
use crate::error::ensure_memory;
use crate::parallel::{Grain, try_for_each};
use crate::{Error, Result};

/// Columns that one task prepares.
const BLOCK: usize = 32;

/// Columns, and what of them is needed again and again.
#[derive(Debug)]
pub(super) struct Centred {
    pub(super) store: Store,
    /// Length of the centred column; 0 for a constant one.
    pub(super) norms: Vec<f64>,
    /// Products of the centred unit columns with the indicators of the classes, feature after
    /// feature.
    pub(super) class_sums: Vec<f64>,
}

#[derive(Debug)]
pub(super) enum Store {
    /// Centred columns of unit length, one after the other.
    Dense(Vec<f64>),
    /// The columns as they are, and their means.
    Sparse {
        starts: Vec<usize>,
        rows: Vec<u32>,
        values: Vec<f64>,
        means: Vec<f64>,
    },
}

impl Centred {
    /// Prepares the columns; `counts` are the rows of each class, `max_bytes` the memory for a copy.
    pub(super) fn new(
        columns: &Columns<'_>,
        codes: &[u32],
        counts: &[usize],
        max_bytes: u64,
    ) -> Result<Self> {
        if columns.n_features() > 0 && columns.entries(0).is_some() {
            sparse(columns, codes, counts)
        } else {
            dense(columns, codes, counts.len(), max_bytes)
        }
    }
}

fn dense(
    columns: &Columns<'_>,
    codes: &[u32],
    n_classes: usize,
    max_bytes: u64,
) -> Result<Centred> {
    let (n_rows, n_features) = (columns.n_rows(), columns.n_features());
    let needed = 8 * n_rows as u64 * n_features as u64;
    ensure_memory("the centred copy of the features", needed, max_bytes)?;
    let mut values = vec![0.0; n_rows * n_features];
    let mut blocks = vec![(Vec::new(), Vec::new()); n_features.div_ceil(BLOCK)];
    let parts = values.chunks_mut(BLOCK * n_rows).zip(&mut blocks);
    try_for_each(parts, Grain::COARSE, &|block, (out, found)| {
        columns.write(block * BLOCK, out);
        let (mut norms, mut sums) = (Vec::new(), Vec::new());
        for (at, column) in out.chunks_exact_mut(n_rows).enumerate() {
            norms.push(center(column, block * BLOCK + at)?);
            add_class_sums(column, codes, n_classes, &mut sums);
        }
        *found = (norms, sums);
        Ok(())
    })?;
    let (norms, class_sums): (Vec<_>, Vec<_>) = blocks.into_iter().unzip();
    Ok(Centred {
        store: Store::Dense(values),
        norms: norms.concat(),
        class_sums: class_sums.concat(),
    })
}

/// Centres a column, brings it to unit length and returns the length it had.
fn center(column: &mut [f64], f: usize) -> Result<f64> {
    let first = column[0];
    if column.iter().all(|&x| x == first) {
        column.fill(0.0);
        return Ok(0.0);
    }
    let (mean, deviation) = Columns::moments(column, f)?;
    let norm = deviation * (column.len() as f64).sqrt();
    if norm == 0.0 {
        // The spread is below what can be squared.
        column.fill(0.0);
        return Ok(0.0);
    }
    for x in column.iter_mut() {
        *x = (*x - mean) / norm;
    }
    // Far from the origin the mean itself is rounded; what that left over goes now.
    let left = sum_of(column, |x| x) / column.len() as f64;
    for x in column.iter_mut() {
        *x -= left;
    }
    Ok(norm)
}

/// Sums of a class that run side by side: one after the other would wait for each addition.
const LANES: usize = 4;

/// Appends the sum of a column over every class.
fn add_class_sums(column: &[f64], codes: &[u32], n_classes: usize, sums: &mut Vec<f64>) {
    let mut lanes = vec![0.0; LANES * n_classes];
    let (blocks, rest) = column.as_chunks::<LANES>();
    let (code_blocks, rest_codes) = codes.as_chunks::<LANES>();
    for (block, codes) in blocks.iter().zip(code_blocks) {
        for lane in 0..LANES {
            lanes[lane * n_classes + codes[lane] as usize] += block[lane];
        }
    }
    for (&x, &code) in rest.iter().zip(rest_codes) {
        lanes[code as usize] += x;
    }
    sums.extend((0..n_classes).map(|class| {
        let lanes = lanes.iter().skip(class).step_by(n_classes);
        lanes.sum::<f64>()
    }));
}

fn sparse(columns: &Columns<'_>, codes: &[u32], counts: &[usize]) -> Result<Centred> {
    let n = columns.n_rows() as f64;
    let (mut starts, mut rows, mut values) = (vec![0], Vec::new(), Vec::new());
    let (mut means, mut norms, mut class_sums) = (Vec::new(), Vec::new(), Vec::new());
    for f in 0..columns.n_features() {
        let Some((column_rows, column)) = columns.entries(f) else {
            continue;
        };
        let mean = column.iter().sum::<f64>() / n;
        let zeros = n - column.len() as f64;
        let squares: f64 = column.iter().map(|x| (x - mean) * (x - mean)).sum();
        let norm = (squares + zeros * mean * mean).sqrt();
        if !mean.is_finite() || !norm.is_finite() {
            let largest = (0..column.len())
                .max_by(|&a, &b| column[a].abs().total_cmp(&column[b].abs()))
                .unwrap_or(0);
            return Err(Error::TooWide {
                row: column_rows[largest] as usize + 1,
                column: f + 1,
                value: column[largest],
            });
        }
        let constant = zeros == 0.0 && column.iter().all(|&x| x == column[0]);
        let mut sums = vec![0.0; counts.len()];
        for (&i, &x) in column_rows.iter().zip(column) {
            sums[codes[i as usize] as usize] += x;
        }
        let centred = sums.iter().zip(counts);
        class_sums.extend(centred.map(|(&sum, &count)| (sum - count as f64 * mean) / norm));
        means.push(mean);
        norms.push(if constant { 0.0 } else { norm });
        rows.extend_from_slice(column_rows);
        values.extend_from_slice(column);
        starts.push(rows.len());
    }
    let store = Store::Sparse {
        starts,
        rows,
        values,
        means,
    };
    Ok(Centred {
        store,
        norms,
        class_sums,
    })
}
