//! Mutual information of discretised features,
//! $$I(A;B) = \sum_{a,b} \hat P(a,b) \log \frac{\hat P(a,b)}{\hat P(a)\hat P(b)},$$
//! with relative frequencies for probabilities and natural logarithms.
//!
//! With counts $n_{ab}$ of $n$ rows and $\varphi(m) = m \ln m$ this is
//! $\big(\sum \varphi(n_{ab}) - \sum \varphi(n_a) - \sum \varphi(n_b) + \varphi(n)\big)/n$: a few
//! look-ups in a table. The table holds $\varphi$ in fixed point, so sums are exact whatever their
//! order: $I(A;B)$ and $I(B;A)$ agree to the last bit, equally informative features tie exactly,
//! and neither blocking nor the number of threads can be seen in a result. The fixed point is
//! chosen such that the table loses nothing against double precision.
//!
//! | paper | here |
//! |---|---|
//! | $q_{ij} = I(X_i;X_j)$ | [`Similarity::pair`] |
//! | $q_{ii} = I(X_i;X_i) = H(X_i)$ | the same with `i` twice |
//! | $f_i = I(X_i;Y)$ | [`Similarity::relevance`] |

use super::Similarity;
use super::binning::Binning;
use super::columns::Columns;
use super::planes::{BitPlanes, Group, LeftOut, Query};
use super::similarity::ensure_matrix_fits;
use crate::data::{ClassLabels, Dataset, SamplesView};
use crate::linalg::{BIT_LANES, LaneCounts, PopulationCount, mirror_upper};
use crate::parallel::{Grain, for_each, for_each_chunk};
use crate::spares::Spares;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// Rows of the matrix that one task computes: a group of planes is read once for all of them.
const TILE_ROWS: usize = 16;

/// How mutual information is estimated.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct MutualInformationParams {
    /// How features become discrete; 3 segments over one deviation by default.
    pub binning: Binning,
    /// Whether features with no more distinct values than there are bins keep them; no by default.
    pub keep_discrete: bool,
    /// Whether a pair is judged only by the rows where neither of the two is 0; no by default.
    pub nonzero_only: bool,
    /// Memory for the bit planes; 8 GiB by default.
    pub max_bytes: u64,
}

impl Default for MutualInformationParams {
    fn default() -> Self {
        Self {
            binning: Binning::default(),
            keep_discrete: false,
            nonzero_only: false,
            max_bytes: 8 << 30,
        }
    }
}

impl MutualInformationParams {
    /// Sets how features become discrete.
    pub fn with_binning(mut self, binning: Binning) -> Self {
        self.binning = binning;
        self
    }

    /// Sets whether features with few distinct values keep them.
    pub fn with_keep_discrete(mut self, keep_discrete: bool) -> Self {
        self.keep_discrete = keep_discrete;
        self
    }

    /// Sets whether a pair is judged only by the rows where neither of the two is 0.
    pub fn with_nonzero_only(mut self, nonzero_only: bool) -> Self {
        self.nonzero_only = nonzero_only;
        self
    }

    /// An error that names the first parameter out of its range.
    pub fn check(&self) -> Result<()> {
        self.binning.check()
    }

    /// Discretises the features and computes their relevance. Weights of rows are not used.
    pub fn fit(&self, data: &Dataset) -> Result<MutualInformation> {
        self.fit_samples(data.samples().view(), data.classes()?)
    }

    /// As [`MutualInformationParams::fit`], for samples and labels apart.
    pub fn fit_samples(
        &self,
        samples: SamplesView<'_>,
        labels: &ClassLabels,
    ) -> Result<MutualInformation> {
        self.check()?;
        let columns = Columns::new(samples)?;
        if labels.len() != columns.n_rows() {
            return Err(Error::Shape {
                what: "targets",
                expected: columns.n_rows(),
                found: labels.len(),
            });
        }
        let left_out = if self.nonzero_only {
            LeftOut::Zeros
        } else {
            LeftOut::MostFrequent
        };
        let planes = BitPlanes::build(
            &columns,
            self.binning,
            self.keep_discrete,
            left_out,
            self.max_bytes,
        )?;
        let mut information = MutualInformation {
            table: Table::new(planes.n_rows()),
            planes,
            nonzero_only: self.nonzero_only,
            relevance: Vec::new(),
            counter: PopulationCount::widest(),
        };
        let class_left_out = (!self.nonzero_only && labels.n_classes() > 0).then_some(0);
        let classes = Query::from_codes(labels.codes(), labels.n_classes(), class_left_out);
        let mut relevance = vec![0.0; information.n_features()];
        information.query_into(&classes, &mut relevance);
        information.relevance = relevance;
        Ok(information)
    }
}

/// $m \ln m$ in fixed point for all counts up to the number of rows.
#[derive(Debug)]
struct Table {
    values: Vec<i64>,
    unit: f64,
}

impl Table {
    fn new(n_rows: usize) -> Self {
        let product = |count: usize| {
            if count < 2 {
                0.0
            } else {
                count as f64 * (count as f64).ln()
            }
        };
        // The largest value stays below 2^61: sums over the cells of a table never exceed it.
        let largest = product(n_rows).max(1.0);
        let scale = (60.0 - largest.log2().ceil()).exp2();
        Self {
            values: (0..=n_rows)
                .map(|count| (product(count) * scale).round() as i64)
                .collect(),
            unit: 1.0 / scale,
        }
    }

    #[inline(always)]
    fn at(&self, count: u64) -> i64 {
        self.values[count as usize]
    }
}

/// Mutual information between all features, and with the class.
#[derive(Debug)]
pub struct MutualInformation {
    planes: BitPlanes,
    table: Table,
    nonzero_only: bool,
    relevance: Vec<f64>,
    counter: PopulationCount,
}

impl MutualInformation {
    /// Information between a variable and the features of one group.
    fn group_into(
        &self,
        query: &Query,
        group: &Group,
        counts: &mut Vec<LaneCounts>,
        out: &mut [f64],
    ) {
        group.joint(self.counter, query, counts);
        let lanes = if self.nonzero_only {
            self.finish_present(counts, query.n_planes, group.n_planes)
        } else {
            self.finish(counts, query, group)
        };
        out.copy_from_slice(&lanes[..out.len()]);
    }

    /// From the counts of all pairs of planes; those of the values without a plane follow.
    fn finish(&self, counts: &[LaneCounts], query: &Query, group: &Group) -> [f64; BIT_LANES] {
        let n = self.planes.n_rows() as u64;
        let (table, width) = (&self.table, group.n_planes);
        let query_rest = n - query.counts.iter().sum::<u64>();
        let query_own: i64 =
            query.counts.iter().map(|&c| table.at(c)).sum::<i64>() + table.at(query_rest);
        let constant = table.at(n) - query_own;
        let mut totals = [constant; BIT_LANES];
        // Rows where the lane has its value without a plane.
        let mut lane_rest = [n; BIT_LANES];
        let mut corner = [query_rest; BIT_LANES];
        for b in 0..width {
            let mut left = group.counts[b];
            for lane in 0..BIT_LANES {
                lane_rest[lane] -= left[lane];
                totals[lane] -= table.at(left[lane]);
            }
            for a in 0..query.n_planes {
                let cell = &counts[a * width + b];
                for lane in 0..BIT_LANES {
                    left[lane] -= cell[lane];
                    totals[lane] += table.at(cell[lane]);
                }
            }
            for lane in 0..BIT_LANES {
                totals[lane] += table.at(left[lane]);
                corner[lane] -= left[lane];
            }
        }
        for a in 0..query.n_planes {
            let mut left = [query.counts[a]; BIT_LANES];
            for cell in &counts[a * width..(a + 1) * width] {
                for lane in 0..BIT_LANES {
                    left[lane] -= cell[lane];
                }
            }
            for lane in 0..BIT_LANES {
                totals[lane] += table.at(left[lane]);
            }
        }
        let factor = table.unit / n as f64;
        std::array::from_fn(|lane| {
            let total = totals[lane] + table.at(corner[lane]) - table.at(lane_rest[lane]);
            total.max(0) as f64 * factor
        })
    }

    /// As [`MutualInformation::finish`] where rows in no plane do not count at all.
    fn finish_present(
        &self,
        counts: &[LaneCounts],
        n_query: usize,
        n_lanes: usize,
    ) -> [f64; BIT_LANES] {
        let cell = |a: usize, b: usize, lane: usize| counts[a * n_lanes + b][lane];
        std::array::from_fn(|lane| {
            let mut total = 0i64;
            let mut rows = 0u64;
            for a in 0..n_query {
                let sum: u64 = (0..n_lanes).map(|b| cell(a, b, lane)).sum();
                total -= self.table.at(sum);
                rows += sum;
                for b in 0..n_lanes {
                    total += self.table.at(cell(a, b, lane));
                }
            }
            for b in 0..n_lanes {
                let sum: u64 = (0..n_query).map(|a| cell(a, b, lane)).sum();
                total -= self.table.at(sum);
            }
            if rows == 0 {
                return 0.0;
            }
            (total + self.table.at(rows)).max(0) as f64 * self.table.unit / rows as f64
        })
    }

    /// Information between a variable and all features, in parallel.
    fn query_into(&self, query: &Query, out: &mut [f64]) {
        // A task should be worth some microseconds.
        let per_group = (self.planes.n_rows() / 64 + 16) * query.n_planes.max(1);
        let groups_a_task = (40_000 / per_group).max(1);
        let tasks = out.chunks_mut(groups_a_task * BIT_LANES);
        let tasks = tasks.zip(self.planes.groups().chunks(groups_a_task));
        let spares = Spares::new();
        for_each(tasks, Grain::COARSE, &|_, (out, groups)| {
            spares.lend(|counts| {
                for (out, group) in out.chunks_mut(BIT_LANES).zip(groups) {
                    self.group_into(query, group, counts, out);
                }
            });
        });
    }

    /// Joint information of several features with the class, $I(\{X_i\}; Y)$, is the business of
    /// [`super::MaxDependency`]; it asks for the codes of a feature.
    pub(super) fn codes(&self, f: usize) -> Vec<u32> {
        let query = self.planes.query(f);
        let n = self.planes.n_rows();
        let mut codes = vec![query.n_planes as u32; n];
        if query.n_planes > 0 {
            for (w, planes) in query.words.chunks_exact(query.n_planes).enumerate() {
                for (p, &word) in planes.iter().enumerate() {
                    let mut bits = word;
                    while bits != 0 {
                        codes[w * 64 + bits.trailing_zeros() as usize] = p as u32;
                        bits &= bits - 1;
                    }
                }
            }
        }
        codes
    }
}

impl Similarity for MutualInformation {
    fn n_features(&self) -> usize {
        self.planes.n_features()
    }

    fn pair(&self, first: usize, second: usize) -> f64 {
        let mut lanes = [0.0; BIT_LANES];
        let group = &self.planes.groups()[second / BIT_LANES];
        let query = self.planes.query(first);
        self.group_into(&query, group, &mut Vec::new(), &mut lanes);
        lanes[second % BIT_LANES]
    }

    fn relevance(&self, feature: usize) -> f64 {
        self.relevance[feature]
    }

    fn is_constant(&self, feature: usize) -> bool {
        self.planes.is_constant(feature)
    }

    fn row_into(&self, feature: usize, out: &mut [f64]) {
        self.query_into(&self.planes.query(feature), out);
    }

    fn rows(&self, features: &[usize]) -> Vec<f64> {
        let width = self.n_features();
        let mut out = vec![0.0; features.len() * width];
        if width == 0 {
            return out;
        }
        let tiles = out.chunks_mut(TILE_ROWS * width);
        let tiles = tiles.zip(features.chunks(TILE_ROWS));
        for_each(tiles, Grain::COARSE, &|_, (out, features)| {
            let mut counts = Vec::new();
            let queries: Vec<Query> = features.iter().map(|&f| self.planes.query(f)).collect();
            for (g, group) in self.planes.groups().iter().enumerate() {
                let (start, end) = (g * BIT_LANES, width.min((g + 1) * BIT_LANES));
                for (row, query) in out.chunks_exact_mut(width).zip(&queries) {
                    self.group_into(query, group, &mut counts, &mut row[start..end]);
                }
            }
        });
        out
    }

    fn matrix(&self, max_bytes: u64) -> Result<Vec<f64>> {
        let n = self.n_features();
        ensure_matrix_fits(n, n, max_bytes)?;
        let mut out = vec![0.0; n * n];
        if n == 0 {
            return Ok(out);
        }
        for_each_chunk(&mut out, TILE_ROWS * n, Grain::COARSE, &|tile, out| {
            let mut counts = Vec::new();
            let first = tile * TILE_ROWS;
            let queries: Vec<Query> = (0..out.len() / n)
                .map(|row| self.planes.query(first + row))
                .collect();
            let groups = self.planes.groups();
            for g in first / BIT_LANES..groups.len() {
                let (start, end) = (g * BIT_LANES, n.min((g + 1) * BIT_LANES));
                for (row, query) in queries.iter().enumerate() {
                    if end > first + row {
                        let out = &mut out[row * n + start..row * n + end];
                        self.group_into(query, &groups[g], &mut counts, out);
                    }
                }
            }
        });
        mirror_upper(&mut out, n);
        Ok(out)
    }
}
