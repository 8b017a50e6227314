//! The factor $T$ with $T^\top K_{RR} T = I$, turned until the loss is about diagonal.
//!
//! At the start all pairs have the same curvature $1/2\varepsilon$ (for $\varepsilon = \tfrac12$), and the
//! Hessian of the loss is a scatter matrix of pairs: with $d_i$ the number of pairs of row $i$ about
//! $\tfrac1{2\varepsilon N}\sum_i d_i (\tilde x_i - \mu)(\tilde x_i - \mu)^\top$. Of some rows of every
//! level it is estimated; its eigenvectors turn $T$.

use crate::linalg::{dot, gram, product_in_parallel, symmetric_eigen, whiten};
use crate::{Error, Result};

/// Largest rank for which $T$ is turned: beyond, the eigenproblem would cost more than it saves.
const MAX_TURNED: usize = 2000;
/// Rows of the sample for each column.
const ROWS_A_COLUMN: usize = 4;
/// Rows of the sample where $T$ is not turned, and only the diagonal of the scatter counts.
const DIAGONAL_ROWS: usize = 512;

/// $T$ both ways.
#[derive(Debug, Clone)]
pub(super) struct Whitening {
    /// $T^\top$: a row a variable.
    pub(super) down: Vec<f64>,
    /// $T$: a row a column of the basis.
    pub(super) up: Vec<f64>,
    pub(super) rank: usize,
    /// Curvature of the loss along each variable, at the start.
    pub(super) curvatures: Vec<f64>,
}

/// Kernel values of some rows against the whole basis.
pub(super) struct Sample {
    /// The rows.
    pub(super) rows: Vec<u32>,
    /// Row-major, a column for each of the basis.
    pub(super) values: Vec<f64>,
    pub(super) width: usize,
}

/// Rows of every level, at even distances, about so many that the scatter has full rank.
pub(super) fn sample_rows(levels: &[u32], width: usize) -> Vec<u32> {
    let n_levels = levels
        .iter()
        .copied()
        .max()
        .map_or(0, |most| most as usize + 1);
    let mut members = vec![Vec::new(); n_levels];
    for (row, &level) in (0u32..).zip(levels) {
        members[level as usize].push(row);
    }
    let all = if width <= MAX_TURNED {
        ROWS_A_COLUMN * width
    } else {
        DIAGONAL_ROWS
    };
    let quota = all.div_ceil(n_levels.max(1)).max(64);
    let mut rows: Vec<u32> = members
        .iter()
        .flat_map(|rows| {
            rows.iter()
                .copied()
                .step_by(rows.len().div_ceil(quota).max(1))
        })
        .collect();
    rows.sort_unstable();
    rows
}

impl Whitening {
    /// Of the kernel matrix of some columns; the sample's rows count as often as the members of
    /// their level that they stand for.
    pub(super) fn new(
        matrix: &[f64],
        columns: &[u32],
        levels: &[u32],
        members: &[u32],
        sample: &Sample,
        smoothing: f64,
    ) -> Result<Self> {
        let n = columns.len();
        let (down, rank) = whiten(matrix, n)?;
        let mut whitening = Self {
            up: transposed(&down, n),
            down,
            rank,
            curvatures: vec![0.0; rank],
        };
        let scatter = whitening.scatter(columns, levels, members, sample, smoothing);
        if rank > MAX_TURNED {
            for (k, curvature) in whitening.curvatures.iter_mut().enumerate() {
                *curvature = dot(&scatter[k], &scatter[k]);
            }
            return Ok(whitening);
        }
        let inner = scatter.first().map_or(0, Vec::len);
        let square = if inner == 0 {
            vec![0.0; rank * rank]
        } else {
            gram(&scatter.concat(), inner)
        };
        let eigen = symmetric_eigen(&square, rank).ok_or(Error::NoEigenvalues)?;
        let mut turned = vec![0.0; rank * n];
        product_in_parallel(&eigen.vectors, &whitening.down, rank, n, &mut turned);
        whitening.up = transposed(&turned, n);
        whitening.down = turned;
        whitening.curvatures = eigen.values.iter().map(|value| value.max(0.0)).collect();
        Ok(whitening)
    }

    /// The factor of the scatter: for each variable the values of the sample's rows, centred and
    /// weighted.
    fn scatter(
        &self,
        columns: &[u32],
        levels: &[u32],
        members: &[u32],
        sample: &Sample,
        smoothing: f64,
    ) -> Vec<Vec<f64>> {
        let weights = sample_weights(levels, members, sample, smoothing);
        let used: Vec<usize> = (0..sample.rows.len())
            .filter(|&s| weights[s] > 0.0)
            .collect();
        // Columns of the basis by rows of the sample.
        let mut values = vec![0.0; columns.len() * used.len()];
        for (at, &column) in columns.iter().enumerate() {
            for (k, &s) in used.iter().enumerate() {
                values[at * used.len() + k] = sample.values[s * sample.width + column as usize];
            }
        }
        let mut out = vec![0.0; self.rank * used.len()];
        if used.is_empty() {
            return vec![Vec::new(); self.rank];
        }
        product_in_parallel(&self.down, &values, columns.len(), used.len(), &mut out);
        let weights: Vec<f64> = used.iter().map(|&s| weights[s]).collect();
        let all: f64 = weights.iter().sum();
        let centred = |row: &[f64]| -> Vec<f64> {
            let mean = dot(row, &weights) / all;
            let terms = row.iter().zip(&weights);
            terms.map(|(x, w)| (x - mean) * w.sqrt()).collect()
        };
        out.chunks(used.len()).map(centred).collect()
    }
}

/// $d_i / 2\varepsilon N$, times the number of members that a row of the sample stands for.
fn sample_weights(levels: &[u32], members: &[u32], sample: &Sample, smoothing: f64) -> Vec<f64> {
    let n_levels = levels
        .iter()
        .copied()
        .max()
        .map_or(0, |most| most as usize + 1);
    let mut is_member = vec![false; levels.len()];
    let mut counts = vec![0.0f64; n_levels];
    for &row in members {
        is_member[row as usize] = true;
        counts[levels[row as usize] as usize] += 1.0;
    }
    let mut sampled = vec![0.0f64; n_levels];
    for &row in sample.rows.iter().filter(|&&row| is_member[row as usize]) {
        sampled[levels[row as usize] as usize] += 1.0;
    }
    let all = members.len() as f64;
    let pairs = 0.5
        * counts
            .iter()
            .map(|count| count * (all - count))
            .sum::<f64>();
    let weight = |&row: &u32| {
        if !is_member[row as usize] {
            return 0.0;
        }
        let level = levels[row as usize] as usize;
        let degree = all - counts[level];
        counts[level] / sampled[level] * degree / (2.0 * smoothing * pairs)
    };
    sample.rows.iter().map(weight).collect()
}

/// The transposed of a row-major matrix with rows of length `width`.
pub(super) fn transposed(matrix: &[f64], width: usize) -> Vec<f64> {
    let height = matrix.len() / width.max(1);
    let mut out = vec![0.0; matrix.len()];
    for (i, row) in matrix.chunks_exact(width.max(1)).enumerate() {
        for (j, &value) in row.iter().enumerate() {
            out[j * height + i] = value;
        }
    }
    out
}

/// The kernel matrix of some columns out of that of all.
pub(super) fn submatrix(matrix: &[f64], order: usize, columns: &[u32]) -> Vec<f64> {
    let mut out = Vec::with_capacity(columns.len() * columns.len());
    for &i in columns {
        let row = &matrix[i as usize * order..][..order];
        out.extend(columns.iter().map(|&j| row[j as usize]));
    }
    out
}
