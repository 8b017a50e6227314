//! Two levels with many rows each: both are sorted.
//!
//! With the rows of the higher level at $p_1 \le \dots \le p_q$ and those of the lower one at
//! $n_1 \le \dots \le n_r$, one merge of the $n$ with the knots $p_i - 1$ and one with the knots
//! $p_i - (1 - 2\varepsilon)$ give the partners of every row as ranges of ranks, from either side:
//!
//! | row | partners in $Q$ | in $L$ |
//! |---|---|---|
//! | $p_i$ | $[a_i, b_i)$ | from $b_i$ on |
//! | $n_j$ | $[B_j, A_j)$ | below $B_j$ |
//!
//! Both sides of a merge follow from the same comparisons: the pairs are the same. Sums over ranges
//! are differences of prefix sums, and as the ranges ascend everything is read in order but for the
//! rows themselves.

use super::centre;
use super::order::Order;
use crate::spares::Spares;

/// Rows whose numbers are read before they are added up: these stay in the near cache.
const ROWS_AT_ONCE: usize = 1024;

/// The rows of the two levels.
#[derive(Debug)]
pub(super) struct MergedLevels {
    high: Vec<u32>,
    low: Vec<u32>,
    smoothing: f64,
    /// Memory for what is forgotten after a call: fresh pages take longer than the sums.
    spares: Spares<Scratch>,
}

/// What a product with the Hessian needs to know.
#[derive(Debug, Clone, Default)]
pub(super) struct MergedSets {
    high: Side,
    low: Side,
}

/// One level by ascending score.
#[derive(Debug, Clone, Default)]
struct Side {
    rows: Vec<u32>,
    /// Ranks of the partners in $Q$: the first, and the one after the last.
    partners: Vec<[u32; 2]>,
}

#[derive(Debug, Default)]
struct Scratch {
    order: Order,
    high: Numbers,
    low: Numbers,
    /// Sums of the squares of the higher level's scores.
    squares: Vec<f64>,
}

/// A number of each row of a level, by ascending score, and sums of those before each rank.
#[derive(Debug, Default)]
struct Numbers {
    values: Vec<f64>,
    sums: Vec<f64>,
}

impl MergedLevels {
    pub(super) fn new(high: Vec<u32>, low: Vec<u32>, smoothing: f64) -> Self {
        Self {
            high,
            low,
            smoothing,
            spares: Spares::new(),
        }
    }

    pub(super) fn evaluate(
        &self,
        scores: &[f64],
        sets: &mut MergedSets,
        slopes: &mut [f64],
    ) -> f64 {
        let Some(mean) = centre(scores, &[&self.high, &self.low]) else {
            sets.high.forget(&self.high);
            sets.low.forget(&self.low);
            slopes.fill(0.0);
            return f64::INFINITY;
        };
        self.spares.lend(|scratch| {
            let Scratch {
                order,
                high,
                low,
                squares,
            } = scratch;
            let score = |row: u32| scores[row as usize];
            order.sort_rows(&self.high, score, &mut sets.high.rows);
            order.sort_rows(&self.low, score, &mut sets.low.rows);
            high.take(&sets.high.rows, |row| scores[row] - mean);
            low.take(&sets.low.rows, |row| scores[row] - mean);
            high.squares(squares);
            let gap = 1.0 - 2.0 * self.smoothing;
            merge(&high.values, &low.values, gap, sets);
            self.slopes_of_high(sets, high, low, slopes);
            self.losses_of_low(sets, low, high, squares, slopes)
        })
    }

    /// The loss, with the slopes of the rows of the lower level.
    fn losses_of_low(
        &self,
        sets: &MergedSets,
        own: &Numbers,
        high: &Numbers,
        squares: &[f64],
        slopes: &mut [f64],
    ) -> f64 {
        let half = 0.5 / self.smoothing;
        let mut loss = 0.0;
        let rows = sets.low.rows.iter().zip(&sets.low.partners);
        for ((&row, &[first, end]), &value) in rows.zip(&own.values) {
            let (first, end) = (first as usize, end as usize);
            let (linear, count) = (first as f64, (end - first) as f64);
            let sum = high.sums[end] - high.sums[first];
            let short = 1.0 + value;
            let bent = short * (short * count - 2.0 * sum) + (squares[end] - squares[first]);
            loss += linear * (short - self.smoothing) - high.sums[first] + 0.5 * half * bent;
            slopes[row as usize] = linear + half * (count * short - sum);
        }
        loss
    }

    fn slopes_of_high(&self, sets: &MergedSets, own: &Numbers, low: &Numbers, slopes: &mut [f64]) {
        let half = 0.5 / self.smoothing;
        let all = self.low.len();
        let rows = sets.high.rows.iter().zip(&sets.high.partners);
        for ((&row, &[first, end]), &value) in rows.zip(&own.values) {
            let (first, end) = (first as usize, end as usize);
            let (linear, count) = ((all - end) as f64, (end - first) as f64);
            let sum = low.sums[end] - low.sums[first];
            slopes[row as usize] = -linear - half * (count * (1.0 - value) + sum);
        }
    }

    pub(super) fn curve(&self, sets: &MergedSets, vector: &[f64], product: &mut [f64]) {
        self.spares.lend(|scratch| {
            let Scratch { high, low, .. } = scratch;
            high.take(&sets.high.rows, |row| vector[row]);
            low.take(&sets.low.rows, |row| vector[row]);
            self.products(&sets.high, high, low, product);
            self.products(&sets.low, low, high, product);
        });
    }

    fn products(&self, side: &Side, own: &Numbers, others: &Numbers, product: &mut [f64]) {
        let half = 0.5 / self.smoothing;
        let rows = side.rows.iter().zip(&side.partners);
        for ((&row, &[first, end]), &value) in rows.zip(&own.values) {
            let inside = others.sums[end as usize] - others.sums[first as usize];
            product[row as usize] = half * (f64::from(end - first) * value - inside);
        }
    }
}

impl MergedSets {
    /// Number of pairs in $Q$.
    pub(super) fn n_quadratic(&self) -> f64 {
        let count = |&[first, end]: &[u32; 2]| f64::from(end - first);
        self.high.partners.iter().map(count).sum()
    }
}

impl Side {
    /// No pair has a curvature.
    fn forget(&mut self, rows: &[u32]) {
        self.rows = rows.to_vec();
        self.partners = vec![[0, 0]; rows.len()];
    }
}

impl Numbers {
    fn take(&mut self, rows: &[u32], number: impl Fn(usize) -> f64) {
        self.values.resize(rows.len(), 0.0);
        self.sums.resize(rows.len() + 1, 0.0);
        let mut before = 0.0;
        let chunks = self.values.chunks_mut(ROWS_AT_ONCE);
        let sums = self.sums[1..].chunks_mut(ROWS_AT_ONCE);
        for ((values, sums), rows) in chunks.zip(sums).zip(rows.chunks(ROWS_AT_ONCE)) {
            for (value, &row) in values.iter_mut().zip(rows) {
                *value = number(row as usize);
            }
            before = add_up(before, values, sums);
        }
    }

    /// Sums of the squares of the values before each rank.
    fn squares(&self, sums: &mut Vec<f64>) {
        sums.resize(self.values.len() + 1, 0.0);
        let mut before = 0.0;
        let chunks = self.values.chunks(ROWS_AT_ONCE);
        for (values, sums) in chunks.zip(sums[1..].chunks_mut(ROWS_AT_ONCE)) {
            let mut squares = [0.0; ROWS_AT_ONCE];
            for (square, value) in squares.iter_mut().zip(values) {
                *square = value * value;
            }
            before = add_up(before, &squares[..values.len()], sums);
        }
    }
}

/// Sums of `before` and the numbers up to each place; the last of them. Four are added before they
/// meet the sum so far: no number waits for the one before it.
fn add_up(mut before: f64, values: &[f64], sums: &mut [f64]) -> f64 {
    let (fours, rest) = values.as_chunks::<4>();
    let (sums, last_sums) = sums.as_chunks_mut::<4>();
    for (&[a, b, c, d], sums) in fours.iter().zip(sums) {
        let (two, last) = (a + b, c + d);
        *sums = [
            before + a,
            before + two,
            before + (two + c),
            before + (two + last),
        ];
        before = sums[3];
    }
    for (sum, value) in last_sums.iter_mut().zip(rest) {
        before += value;
        *sum = before;
    }
    before
}

/// Finds the partners of all rows. Both merges advance together, so that one need not wait for the
/// memory of the other.
fn merge(high: &[f64], low: &[f64], gap: f64, sets: &mut MergedSets) {
    let (of_high, of_low) = (&mut sets.high.partners, &mut sets.low.partners);
    of_high.resize(high.len(), [0, 0]);
    of_low.resize(low.len(), [0, 0]);
    let (mut outer, mut inner) = ([0usize; 2], [0usize; 2]);
    for _ in 0..high.len() + low.len() {
        outer = step::<0>(outer, [high, low], 1.0, [of_high, of_low]);
        inner = step::<1>(inner, [high, low], gap, [of_high, of_low]);
    }
}

/// One step along either level. The partner of both ranks is written each time, for the one that
/// stays again: which of them advances is a number that is added and no branch to be guessed.
#[inline(always)]
fn step<const END: usize>(
    [i, j]: [usize; 2],
    [high, low]: [&[f64]; 2],
    gap: f64,
    [of_high, of_low]: [&mut [[u32; 2]]; 2],
) -> [usize; 2] {
    let knot = high.get(i).map_or(f64::INFINITY, |value| value - gap);
    let value = low.get(j).copied().unwrap_or(f64::INFINITY);
    if let Some(partners) = of_high.get_mut(i) {
        partners[END] = j as u32;
    }
    if let Some(partners) = of_low.get_mut(j) {
        partners[1 - END] = i as u32;
    }
    // Where no row of the lower level is left, even an infinite knot is passed.
    let passed = usize::from(knot < value).max(usize::from(j >= low.len()));
    [i + passed, j + 1 - passed]
}
