//! Absolute correlation or covariance of features.
//!
//! $q_{ij} = |\hat\rho_{ij}|$, and for $C$ classes with indicators $Y_k$ and priors $\hat P(k)$ the
//! relevance is $f_i = \sum_k \hat P(k)\,|\hat\rho_{i,Y_k}|$ (for two classes: $|\hat\rho_{iY}|$).
//! A correlation with a constant is 0. Or the relevance is the F statistic of the classes (one-way
//! analysis of variance): with the class means $m_k$ of $n_k$ of the $n$ rows and the mean $m$,
//! $$f_i = \frac{\sum_k n_k (m_k - m)^2 / (C - 1)}{\sum_k \sum_{j \in k} (x_j - m_k)^2 / (n - C)}.$$
//! Where rows do not differ within classes, the denominator is taken as the rounding error of the
//! variance, so the statistic is large but finite.
//!
//! Dense columns are centred and brought to unit length once; the matrix is then one symmetric
//! product in blocks. Sparse columns stay sparse: sums of products over shared entries are
//! corrected by the means.

use super::Similarity;
use super::centred::{Centred, Store};
use super::columns::Columns;
use super::similarity::{ensure_matrix_fits, single_rows};
use crate::data::{ClassLabels, Dataset, SamplesView};
use crate::linalg::{column_products, dot, gram};
use crate::parallel::{Grain, for_each_chunk, map};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// Columns that one task compares.
const BLOCK: usize = 32;
/// Rows of the matrix whose products with a column cost little more than those of one: what was
/// read of the column is still in the cache.
const ROWS_TOGETHER: usize = 16;

/// What makes a feature relevant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum CorrelationRelevance {
    /// Correlation with the indicators of the classes, by their priors. The default.
    #[default]
    Priors,
    /// The F statistic of the classes.
    FStatistic,
}

/// How features are compared.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CorrelationParams {
    /// Whether covariances are divided by the deviations; yes by default. Without it, the
    /// similarity is $|\mathrm{cov}|$ and depends on the units of the features.
    pub normalized: bool,
    /// What makes a feature relevant.
    #[serde(default)]
    pub relevance: CorrelationRelevance,
    /// Memory for the centred copy of dense data; 8 GiB by default.
    pub max_bytes: u64,
}

impl Default for CorrelationParams {
    fn default() -> Self {
        Self {
            normalized: true,
            relevance: CorrelationRelevance::default(),
            max_bytes: 8 << 30,
        }
    }
}

/// Absolute correlation between all features, and with the classes.
#[derive(Debug)]
pub struct Correlation {
    n_rows: usize,
    normalized: bool,
    store: Store,
    /// Length of the centred column; 0 for a constant one.
    norms: Vec<f64>,
    relevance: Vec<f64>,
}

impl CorrelationParams {
    /// Sets whether covariances are divided by the deviations.
    pub fn with_normalized(mut self, normalized: bool) -> Self {
        self.normalized = normalized;
        self
    }

    /// Sets what makes a feature relevant.
    pub fn with_relevance(mut self, relevance: CorrelationRelevance) -> Self {
        self.relevance = relevance;
        self
    }

    /// Centres the features and computes their relevance. Weights of rows are not used.
    pub fn fit(&self, data: &Dataset) -> Result<Correlation> {
        self.fit_samples(data.samples().view(), data.classes()?)
    }

    /// As [`CorrelationParams::fit`], for samples and labels apart.
    pub fn fit_samples(
        &self,
        samples: SamplesView<'_>,
        labels: &ClassLabels,
    ) -> Result<Correlation> {
        let columns = Columns::new(samples)?;
        let n_rows = columns.n_rows();
        if labels.len() != n_rows {
            return Err(Error::Shape {
                what: "targets",
                expected: n_rows,
                found: labels.len(),
            });
        }
        let counts = labels.counts();
        let features = Centred::new(&columns, labels.codes(), &counts, self.max_bytes)?;
        let mut correlation = Correlation {
            n_rows,
            normalized: self.normalized,
            store: features.store,
            norms: features.norms,
            relevance: Vec::new(),
        };
        correlation.relevance =
            correlation.relevance_of(&features.class_sums, &counts, self.relevance);
        Ok(correlation)
    }
}

impl Correlation {
    /// Correlations of one feature with all from its product with their centred unit columns.
    fn finish(&self, i: usize, j: usize, cosine: f64) -> f64 {
        if self.norms[i] == 0.0 || self.norms[j] == 0.0 {
            return 0.0;
        }
        let cosine = if i == j { 1.0 } else { cosine.abs().min(1.0) };
        if self.normalized {
            return cosine;
        }
        cosine * (self.norms[i] * self.norms[j] / self.n_rows as f64)
    }

    /// The relevance of every feature, from its sums over the classes.
    fn relevance_of(
        &self,
        class_sums: &[f64],
        counts: &[usize],
        relevance: CorrelationRelevance,
    ) -> Vec<f64> {
        let of = |(f, &norm): (usize, &f64)| {
            if norm == 0.0 {
                return 0.0;
            }
            let sums = &class_sums[f * counts.len()..(f + 1) * counts.len()];
            match relevance {
                CorrelationRelevance::Priors => self.by_priors(f, sums, counts),
                CorrelationRelevance::FStatistic => f_statistic(sums, counts, self.n_rows),
            }
        };
        self.norms.iter().enumerate().map(of).collect()
    }

    /// $\sum_k \hat P(k)|\hat\rho_{i,Y_k}|$.
    fn by_priors(&self, f: usize, sums: &[f64], counts: &[usize]) -> f64 {
        let n = self.n_rows as f64;
        let terms = sums.iter().zip(counts).map(|(&sum, &count)| {
            let prior = count as f64 / n;
            let length = (count as f64 * (1.0 - prior)).sqrt();
            if length == 0.0 {
                return 0.0;
            }
            let cosine = (sum / length).abs().min(1.0);
            if self.normalized {
                prior * cosine
            } else {
                prior * cosine * self.norms[f] * length / n
            }
        });
        terms.sum()
    }
}

/// The F statistic of classes from the sums of a centred unit column over each of them; 0 without
/// two classes or without a row more than there are classes.
fn f_statistic(sums: &[f64], counts: &[usize], n_rows: usize) -> f64 {
    let present = counts.iter().filter(|&&count| count > 0).count();
    if present < 2 || n_rows <= present {
        return 0.0;
    }
    let squares = sums.iter().zip(counts).filter(|&(_, &count)| count > 0);
    let between: f64 = squares.map(|(sum, &count)| sum * sum / count as f64).sum();
    // The column has unit length: what does not lie between classes lies within.
    let within = (1.0 - between).max(f64::EPSILON);
    (between / (present - 1) as f64) / (within / (n_rows - present) as f64)
}

/// Writes the value of each feature, in parallel.
fn fill(out: &mut [f64], value_of: &(dyn Fn(usize) -> f64 + Sync)) {
    for_each_chunk(out, BLOCK, Grain::COARSE, &|block, out| {
        for (at, out) in out.iter_mut().enumerate() {
            *out = value_of(block * BLOCK + at);
        }
    });
}

impl Similarity for Correlation {
    fn n_features(&self) -> usize {
        self.norms.len()
    }

    fn pair(&self, first: usize, second: usize) -> f64 {
        let n = self.n_rows;
        let cosine = match &self.store {
            Store::Dense(values) => dot(
                &values[first * n..(first + 1) * n],
                &values[second * n..(second + 1) * n],
            ),
            Store::Sparse {
                starts,
                rows,
                values,
                means,
            } => {
                let (a, b) = (
                    starts[first]..starts[first + 1],
                    starts[second]..starts[second + 1],
                );
                let (rows_a, values_a) = (&rows[a.clone()], &values[a]);
                let (rows_b, values_b) = (&rows[b.clone()], &values[b]);
                let (mut at, mut sum) = (0, 0.0);
                for (&row, &x) in rows_a.iter().zip(values_a) {
                    while at < rows_b.len() && rows_b[at] < row {
                        at += 1;
                    }
                    if at < rows_b.len() && rows_b[at] == row {
                        sum += x * values_b[at];
                    }
                }
                (sum - n as f64 * means[first] * means[second])
                    / (self.norms[first] * self.norms[second])
            }
        };
        self.finish(first, second, cosine)
    }

    fn relevance(&self, feature: usize) -> f64 {
        self.relevance[feature]
    }

    fn is_constant(&self, feature: usize) -> bool {
        self.norms[feature] == 0.0
    }

    fn row_into(&self, feature: usize, out: &mut [f64]) {
        let n = self.n_rows;
        match &self.store {
            Store::Dense(values) => {
                let column = &values[feature * n..(feature + 1) * n];
                fill(out, &|other| {
                    let cosine = dot(column, &values[other * n..(other + 1) * n]);
                    self.finish(feature, other, cosine)
                });
            }
            Store::Sparse {
                starts,
                rows,
                values,
                means,
            } => {
                let range = starts[feature]..starts[feature + 1];
                let mut column = vec![0.0; n];
                for (&i, &x) in rows[range.clone()].iter().zip(&values[range]) {
                    column[i as usize] = x;
                }
                fill(out, &|other| {
                    let range = starts[other]..starts[other + 1];
                    let entries = rows[range.clone()].iter().zip(&values[range]);
                    let sum: f64 = entries.map(|(&i, &x)| x * column[i as usize]).sum();
                    let covariance = sum - n as f64 * means[feature] * means[other];
                    let cosine = covariance / (self.norms[feature] * self.norms[other]);
                    self.finish(feature, other, cosine)
                });
            }
        }
    }

    fn rows_together(&self) -> usize {
        match self.store {
            Store::Dense(_) => ROWS_TOGETHER,
            Store::Sparse { .. } => 1,
        }
    }

    fn rows(&self, features: &[usize]) -> Vec<f64> {
        let Store::Dense(values) = &self.store else {
            return single_rows(self, features);
        };
        let (n, width) = (self.n_rows, self.n_features());
        let few: Vec<&[f64]> = features
            .iter()
            .map(|&f| &values[f * n..(f + 1) * n])
            .collect();
        let size = (BLOCK * n).max(1);
        let blocks: Vec<Vec<f64>> = map(values.len().div_ceil(size), Grain::COARSE, &|block| {
            let columns = &values[block * size..values.len().min((block + 1) * size)];
            let count = columns.len() / n;
            let mut products = vec![0.0; few.len() * count];
            let groups = products.chunks_mut(ROWS_TOGETHER * count);
            for (few, out) in few.chunks(ROWS_TOGETHER).zip(groups) {
                column_products(few, columns, n, out);
            }
            products
        });
        let mut out = vec![0.0; features.len() * width];
        for (first, products) in (0..width).step_by(BLOCK).zip(&blocks) {
            let count = BLOCK.min(width - first);
            for (at, products) in products.chunks_exact(count).enumerate() {
                for (j, &cosine) in (first..).zip(products) {
                    out[at * width + j] = self.finish(features[at], j, cosine);
                }
            }
        }
        out
    }

    fn matrix(&self, max_bytes: u64) -> Result<Vec<f64>> {
        let n = self.n_features();
        ensure_matrix_fits(n, n, max_bytes)?;
        match &self.store {
            Store::Dense(values) => {
                let mut matrix = gram(values, self.n_rows);
                for_each_chunk(&mut matrix, n.max(1), Grain::at_least(4), &|i, row| {
                    for (j, value) in row.iter_mut().enumerate() {
                        *value = self.finish(i, j, *value);
                    }
                });
                Ok(matrix)
            }
            Store::Sparse { .. } => {
                let all: Vec<usize> = (0..n).collect();
                Ok(self.rows(&all))
            }
        }
    }
}
