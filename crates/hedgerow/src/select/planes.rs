//! Discrete features as bit planes.
//!
//! A feature with $v$ occupied values has $v - 1$ planes: a bit for every row that tells whether
//! the feature has the value there. The most frequent value needs none, because its counts follow
//! from those of the others and the total. Features stand in groups of eight whose planes are
//! interleaved, see [`crate::linalg::BIT_LANES`].

use super::binning::Binning;
use super::columns::Columns;
use crate::Result;
use crate::error::ensure_memory;
use crate::linalg::{BIT_LANES, LaneCounts, PopulationCount};
use crate::parallel::{Grain, try_map};
use crate::spares::Spares;

/// Bytes of columns that a task copies before it discretises them.
const BUFFER_BYTES: usize = 16 << 20;
/// Most groups of a task: more would not make reading faster, only tasks fewer.
const MAX_TOGETHER: usize = 8;

/// A discrete variable as planes, alone: `words[w · n_planes + p]`.
#[derive(Debug, Clone)]
pub(super) struct Query {
    pub(super) n_planes: usize,
    pub(super) words: Vec<u64>,
    /// Rows in each plane.
    pub(super) counts: Vec<u64>,
}

impl Query {
    /// A variable given by codes below `n_codes`; code `left_out` gets no plane.
    pub(super) fn from_codes(codes: &[u32], n_codes: usize, left_out: Option<usize>) -> Self {
        let mut plane_of: Vec<Option<usize>> = Vec::with_capacity(n_codes);
        let mut n_planes = 0;
        for code in 0..n_codes {
            let skipped = left_out == Some(code);
            plane_of.push((!skipped).then_some(n_planes));
            n_planes += usize::from(!skipped);
        }
        let mut words = vec![0u64; codes.len().div_ceil(64) * n_planes];
        let mut counts = vec![0u64; n_planes];
        for (i, &code) in codes.iter().enumerate() {
            if let Some(p) = plane_of[code as usize] {
                words[i / 64 * n_planes + p] |= 1 << (i % 64);
                counts[p] += 1;
            }
        }
        Self {
            n_planes,
            words,
            counts,
        }
    }
}

/// Up to eight features with interleaved planes.
#[derive(Debug)]
pub(super) struct Group {
    pub(super) n_planes: usize,
    /// `words[w · n_planes + p][lane]`.
    words: Vec<[u64; BIT_LANES]>,
    /// Rows in each plane.
    pub(super) counts: Vec<LaneCounts>,
    /// Occupied values of each feature.
    n_values: [usize; BIT_LANES],
}

impl Group {
    /// `counts[a · n_planes + b][lane]` = rows in plane `a` of the query and `b` of the lane.
    pub(super) fn joint(
        &self,
        counter: PopulationCount,
        query: &Query,
        counts: &mut Vec<LaneCounts>,
    ) {
        counts.clear();
        counts.resize(query.n_planes * self.n_planes, [0; BIT_LANES]);
        counter.joint_counts(
            &query.words,
            query.n_planes,
            &self.words,
            self.n_planes,
            counts,
        );
    }
}

/// All features of a data set as bit planes.
#[derive(Debug)]
pub(super) struct BitPlanes {
    n_rows: usize,
    n_features: usize,
    groups: Vec<Group>,
}

/// Which value of a feature gets no plane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LeftOut {
    /// The most frequent one.
    MostFrequent,
    /// Rows where the feature is 0 belong to no value at all; every value has a plane.
    Zeros,
}

impl BitPlanes {
    /// Discretises every column.
    pub(super) fn build(
        columns: &Columns<'_>,
        binning: Binning,
        keep_discrete: bool,
        left_out: LeftOut,
        max_bytes: u64,
    ) -> Result<Self> {
        let (n_rows, n_features) = (columns.n_rows(), columns.n_features());
        let n_groups = n_features.div_ceil(BIT_LANES);
        // Two planes a feature are the rule; what more bins take is bounded by their number.
        let needed = n_rows.div_ceil(64) as u64 * 8 * 2 * n_features as u64;
        ensure_memory("the bit planes of all features", needed, max_bytes)?;
        // Several groups at once: rows of the samples are read in longer stretches.
        let together = (BUFFER_BYTES / (8 * BIT_LANES * n_rows)).clamp(1, MAX_TOGETHER);
        let buffers = Spares::<Vec<f64>>::new();
        let n_tasks = n_groups.div_ceil(together);
        let groups: Vec<Vec<Group>> = try_map(n_tasks, Grain::COARSE, &|task| {
            buffers.lend(|buffer| {
                let first = task * together * BIT_LANES;
                let count = (together * BIT_LANES).min(n_features - first);
                buffer.resize(count * n_rows, 0.0);
                columns.write(first, buffer);
                buffer
                    .chunks(BIT_LANES * n_rows)
                    .enumerate()
                    .map(|(g, columns)| {
                        let first = first + g * BIT_LANES;
                        group(columns, n_rows, first, binning, keep_discrete, left_out)
                    })
                    .collect::<Result<_>>()
            })
        })?;
        Ok(Self {
            n_rows,
            n_features,
            groups: groups.into_iter().flatten().collect(),
        })
    }

    pub(super) fn n_rows(&self) -> usize {
        self.n_rows
    }

    pub(super) fn n_features(&self) -> usize {
        self.n_features
    }

    pub(super) fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// True if the discrete feature has one value only.
    pub(super) fn is_constant(&self, f: usize) -> bool {
        self.groups[f / BIT_LANES].n_values[f % BIT_LANES] < 2
    }

    /// The planes of one feature, alone.
    pub(super) fn query(&self, f: usize) -> Query {
        let group = &self.groups[f / BIT_LANES];
        let lane = f % BIT_LANES;
        let used = (0..group.n_planes)
            .rposition(|p| group.counts[p][lane] > 0)
            .map_or(0, |p| p + 1);
        let words = group
            .words
            .chunks_exact(group.n_planes.max(1))
            .flat_map(|planes| planes[..used].iter().map(|word| word[lane]))
            .collect();
        Query {
            n_planes: used,
            words,
            counts: (0..used).map(|p| group.counts[p][lane]).collect(),
        }
    }
}

/// Discretises up to eight columns that stand one after the other.
fn group(
    buffer: &[f64],
    n_rows: usize,
    first: usize,
    binning: Binning,
    keep_discrete: bool,
    left_out: LeftOut,
) -> Result<Group> {
    let n_words = n_rows.div_ceil(64);
    let mut features: Vec<Vec<Vec<u64>>> = Vec::with_capacity(BIT_LANES);
    let mut n_values = [0; BIT_LANES];
    for (lane, column) in buffer.chunks_exact(n_rows).enumerate() {
        let edges = binning.edges(column, keep_discrete, first + lane)?;
        let mut values = value_planes(column, &edges, left_out == LeftOut::Zeros);
        values.retain(|plane| plane.iter().any(|&word| word != 0));
        n_values[lane] = values.len();
        if left_out == LeftOut::MostFrequent {
            // The first of equally frequent ones: the choice cannot change any count.
            let sizes = values.iter().map(|plane| ones(plane));
            if let Some((most, _)) = sizes.enumerate().max_by_key(|&(p, n)| (n, usize::MAX - p)) {
                values.remove(most);
            }
        }
        features.push(values);
    }
    let n_planes = features.iter().map(Vec::len).max().unwrap_or(0);
    let mut words = vec![[0u64; BIT_LANES]; n_words * n_planes];
    let mut counts = vec![[0u64; BIT_LANES]; n_planes];
    for (lane, planes) in features.iter().enumerate() {
        for (p, plane) in planes.iter().enumerate() {
            counts[p][lane] = ones(plane);
            for (w, &word) in plane.iter().enumerate() {
                words[w * n_planes + p][lane] = word;
            }
        }
    }
    Ok(Group {
        n_planes,
        words,
        counts,
        n_values,
    })
}

fn ones(plane: &[u64]) -> u64 {
    plane.iter().map(|word| u64::from(word.count_ones())).sum()
}

/// One plane for every segment that the edges cut. With `zeros_apart`, rows at 0 are in none.
fn value_planes(column: &[f64], edges: &[f64], zeros_apart: bool) -> Vec<Vec<u64>> {
    // Above the first 0, 1, 2, … edges; values[k] = above[k] without above[k + 1].
    let mut above: Vec<Vec<u64>> = Vec::with_capacity(edges.len() + 1);
    if zeros_apart {
        above.push(bits(column, |x| x != 0.0));
        above.extend(edges.iter().map(|&e| bits(column, |x| x > e && x != 0.0)));
    } else {
        above.push(all_rows(column.len()));
        above.extend(edges.iter().map(|&e| bits(column, |x| x > e)));
    }
    for k in 0..edges.len() {
        let (lower, upper) = above.split_at_mut(k + 1);
        for (word, &higher) in lower[k].iter_mut().zip(&upper[0]) {
            *word &= !higher;
        }
    }
    above
}

/// A plane with a bit for every row.
fn all_rows(n_rows: usize) -> Vec<u64> {
    let mut plane = vec![u64::MAX; n_rows.div_ceil(64)];
    if let Some(last) = plane.last_mut().filter(|_| !n_rows.is_multiple_of(64)) {
        *last = (1 << (n_rows % 64)) - 1;
    }
    plane
}

/// A bit for every value: whether the test holds.
fn bits(column: &[f64], test: impl Fn(f64) -> bool) -> Vec<u64> {
    /// Times this, eight bytes of 0 or 1 have their bits side by side in the highest byte.
    const GATHER: u64 = 0x0102_0408_1020_4080;
    column
        .chunks(64)
        .map(|chunk| {
            // Bytes first: comparing is then a loop of vector instructions.
            let mut flags = [0u8; 64];
            for (flag, &x) in flags.iter_mut().zip(chunk) {
                *flag = u8::from(test(x));
            }
            let (eights, _) = flags.as_chunks::<8>();
            let mut word = 0;
            for (at, &eight) in eights.iter().enumerate() {
                word |= (u64::from_le_bytes(eight).wrapping_mul(GATHER) >> 56) << (8 * at);
            }
            word
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_stand_where_their_rows_do() {
        for n in [1, 7, 8, 63, 64, 65, 200] {
            let column: Vec<f64> = (0..n).map(|i| f64::from(i * i % 11)).collect();
            let packed = bits(&column, |x| x > 4.0);
            assert_eq!(packed.len(), column.len().div_ceil(64));
            for (i, &x) in column.iter().enumerate() {
                assert_eq!(
                    packed[i / 64] >> (i % 64) & 1,
                    u64::from(x > 4.0),
                    "row {i}"
                );
            }
            let set: u32 = packed.iter().map(|word| word.count_ones()).sum();
            assert_eq!(set as usize, column.iter().filter(|&&x| x > 4.0).count());
            assert_eq!(all_rows(column.len()), bits(&column, |_| true));
        }
    }
}
