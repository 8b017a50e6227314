//! Two levels.
//!
//! The rows of one level, those of the smaller, are sorted: $p_1 \le \dots \le p_q$. Each has two
//! knots, $p_i - 1$ and $p_i - (1 - 2\varepsilon)$; the $2q$ knots cut the line into $2q + 1$ bins. All rows
//! of the other level in one bin $k$ have the same partners: in $L$ the first $B_k$ of the sorted, in $Q$
//! those from $B_k$ up to $A_k$. With prefix sums over the sorted rows the loss of such a row at $n$ is
//! $c_k + \alpha_k n + \tfrac12\beta_k n^2$ and its slope $\alpha_k + \beta_k n$; in turn the sorted rows need
//! only number and sum of the others in each bin. So the others are never sorted: each is put into
//! its bin, and that by a grid that is finer than the bins.
//!
//! Where the smaller level has many rows too, `merged` sorts both.
//!
//! If the higher level is the larger one, all scores are turned round: $o_i - o_j = (-o_j) - (-o_i)$.

use super::order::Order;
use super::{add_up, centre};
use crate::spares::Spares;

/// Cells of the grid for each knot, at least.
const CELLS_A_KNOT: usize = 2;
/// Knots from the first of a cell on that are tried without asking how many the cell has.
const TRIED: usize = 4;
/// Rows whose bins are found before the next loop reads what belongs to these: no miss of a cache
/// there waits for a guess that was wrong here.
const ROWS_AT_ONCE: usize = 1024;

/// The rows of the two levels.
#[derive(Debug)]
pub(super) struct TwoLevels {
    /// Rows that are sorted, the higher ones after turning.
    sorted: Vec<u32>,
    /// Rows that are put into bins.
    binned: Vec<u32>,
    /// −1 if scores are turned round, otherwise 1.
    sign: f64,
    smoothing: f64,
    /// Memory for what is forgotten after a call: fresh pages take longer than the sums.
    spares: Spares<Scratch>,
}

/// What a product with the Hessian needs to know.
#[derive(Debug, Clone, Default)]
pub(super) struct TwoSets {
    /// The sorted rows by ascending score.
    rows: Vec<u32>,
    /// Where the lower and the upper knot of each sorted row stand among all knots.
    knot_places: Vec<[u32; 2]>,
    /// $B_k$ and $A_k$ of every bin.
    partners: Vec<[u32; 2]>,
    /// Bin of every other row.
    bins: Vec<u32>,
    /// Others in $Q$ with each sorted row, by ascending score.
    quadratic: Vec<f64>,
}

#[derive(Debug, Default)]
struct Scratch {
    order: Order,
    /// $p$, ascending.
    values: Vec<f64>,
    knots: Knots,
    /// Sums over sorted rows before each place: of $p$ and $p^2$, or of a vector.
    prefixes: Vec<[f64; 2]>,
    bins: Vec<Bin>,
}

/// The knots with the grid that finds bins.
#[derive(Debug, Default)]
struct Knots {
    /// Ascending, with infinite ones at the end.
    ascending: Vec<f64>,
    /// Number of knots in cells before each.
    starts: Vec<u32>,
    low: f64,
    scale: f64,
}

impl Knots {
    /// Lays the grid over ascending knots.
    fn divide(&mut self) {
        let n = self.ascending.len();
        let (low, high) = (self.ascending[0], self.ascending[n - 1]);
        let n_cells = n * CELLS_A_KNOT;
        let scale = n_cells as f64 / (high - low);
        self.low = low;
        // Knots that are all the same, or too far apart: all in the first cell.
        self.scale = if scale.is_finite() { scale } else { 0.0 };
        self.starts.clear();
        self.starts.resize(n_cells + 1, 0);
        for at in 0..n {
            let cell = self.cell(self.ascending[at]);
            self.starts[cell + 1] += 1;
        }
        let mut sum = 0;
        for start in &mut self.starts {
            sum += *start;
            *start = sum;
        }
        self.ascending.extend([f64::INFINITY; TRIED]);
    }

    /// Ascends with the value: a knot in an earlier cell is smaller.
    #[inline(always)]
    fn cell(&self, value: f64) -> usize {
        let cell = ((value - self.low) * self.scale) as u32;
        (cell as usize).min(self.starts.len() - 2)
    }

    /// Number of knots below a value.
    #[inline(always)]
    fn bin(&self, value: f64) -> u32 {
        let cell = self.cell(value);
        let start = self.starts[cell];
        // Knots of later cells are larger: whether these belong to this one need not be known.
        let tried = &self.ascending[start as usize..][..TRIED];
        let below: u32 = tried.iter().map(|&knot| u32::from(knot < value)).sum();
        if below as usize == TRIED {
            return self.search(value, start + below, self.starts[cell + 1]);
        }
        start + below
    }

    #[cold]
    fn search(&self, value: f64, bin: u32, end: u32) -> u32 {
        let rest = &self.ascending[bin as usize..end as usize];
        bin + rest.partition_point(|&knot| knot < value) as u32
    }
}

/// What is known of a bin, and what its rows add to it: within one line of the cache.
#[derive(Debug, Clone, Copy, Default)]
#[repr(align(32))]
struct Bin {
    /// Slope of the loss as a function of the score: a constant and a factor, $\alpha$ and $\beta$.
    slope: [f64; 2],
    /// Number and sum of the rows in it; then of those in all bins up to it.
    rows: [f64; 2],
}

impl TwoLevels {
    pub(super) fn new(upper: Vec<u32>, lower: Vec<u32>, smoothing: f64) -> Self {
        let turned = upper.len() > lower.len();
        let (sorted, binned) = if turned {
            (lower, upper)
        } else {
            (upper, lower)
        };
        Self {
            sorted,
            binned,
            sign: if turned { -1.0 } else { 1.0 },
            smoothing,
            spares: Spares::new(),
        }
    }

    pub(super) fn evaluate(&self, scores: &[f64], sets: &mut TwoSets, slopes: &mut [f64]) -> f64 {
        let Some(mean) = centre(scores, &[&self.sorted, &self.binned]) else {
            sets.forget(self);
            slopes.fill(0.0);
            return f64::INFINITY;
        };
        let value_of = |&row: &u32| self.sign * (scores[row as usize] - mean);
        self.spares.lend(|scratch| {
            scratch.sort(&self.sorted, value_of, &mut sets.rows);
            sets.merge_knots(&scratch.values, self.smoothing, &mut scratch.knots);
            scratch.prepare(&sets.partners, self.smoothing);
            let Scratch { knots, bins, .. } = scratch;
            let mut loss = self.fill(knots, bins, &mut sets.bins, value_of, slopes);
            loss += scratch.constants(&sets.partners, self.smoothing);
            self.slopes_of_sorted(scratch, sets, slopes);
            loss
        })
    }

    fn slopes_of_sorted(&self, scratch: &mut Scratch, sets: &mut TwoSets, slopes: &mut [f64]) {
        let bins = &mut scratch.bins;
        let all = accumulate(bins)[0];
        let half = 0.5 / self.smoothing;
        sets.quadratic.clear();
        for ((&row, &value), &[lower, upper]) in
            sets.rows.iter().zip(&scratch.values).zip(&sets.knot_places)
        {
            let (outside, inside) = (bins[lower as usize].rows, bins[upper as usize].rows);
            let (count, sum) = (inside[0] - outside[0], inside[1] - outside[1]);
            let slope = inside[0] - all - half * (count * (1.0 - value) + sum);
            slopes[row as usize] = self.sign * slope;
            sets.quadratic.push(count);
        }
    }

    /// Puts the rows into bins: their slopes, and their loss but for $c_k$.
    fn fill(
        &self,
        knots: &Knots,
        bins: &mut [Bin],
        places: &mut Vec<u32>,
        value_of: impl Fn(&u32) -> f64,
        slopes: &mut [f64],
    ) -> f64 {
        places.resize(self.binned.len(), 0);
        let mut values = [0.0; ROWS_AT_ONCE];
        let mut loss = 0.0;
        let chunks = self.binned.chunks(ROWS_AT_ONCE);
        for (rows, places) in chunks.zip(places.chunks_mut(ROWS_AT_ONCE)) {
            for ((row, place), value) in rows.iter().zip(&mut *places).zip(&mut values) {
                *value = value_of(row);
                *place = knots.bin(*value);
            }
            for ((&row, &place), value) in rows.iter().zip(&*places).zip(&mut values) {
                let bin = &mut bins[place as usize];
                let [alpha, beta] = bin.slope;
                slopes[row as usize] = self.sign * (alpha + beta * *value);
                bin.rows[0] += 1.0;
                bin.rows[1] += *value;
                *value *= alpha + 0.5 * beta * *value;
            }
            loss += add_up(&values[..rows.len()], |&value| value);
        }
        loss
    }

    pub(super) fn curve(&self, sets: &TwoSets, vector: &[f64], product: &mut [f64]) {
        let half = 0.5 / self.smoothing;
        self.spares.lend(|scratch| {
            let Scratch { prefixes, bins, .. } = scratch;
            prefixes.clear();
            let mut sum = 0.0;
            prefixes.extend(sets.rows.iter().map(|&row| {
                let before = sum;
                sum += vector[row as usize];
                [before, 0.0]
            }));
            prefixes.push([sum, 0.0]);
            let bin = |&[b, a]: &[u32; 2]| Bin {
                slope: [
                    half * f64::from(a - b),
                    half * (prefixes[a as usize][0] - prefixes[b as usize][0]),
                ],
                rows: [0.0; 2],
            };
            bins.clear();
            bins.extend(sets.partners.iter().map(bin));
            for (&row, &bin) in self.binned.iter().zip(&sets.bins) {
                let value = vector[row as usize];
                let bin = &mut bins[bin as usize];
                let [count, inside] = bin.slope;
                product[row as usize] = count * value - inside;
                bin.rows[1] += value;
            }
            accumulate(bins);
            let sorted = sets.rows.iter().zip(&sets.quadratic);
            for ((&row, &count), &[lower, upper]) in sorted.zip(&sets.knot_places) {
                let row = row as usize;
                let inside = bins[upper as usize].rows[1] - bins[lower as usize].rows[1];
                product[row] = half * (count * vector[row] - inside);
            }
        });
    }
}

impl Scratch {
    /// Sorts rows by their values.
    fn sort(&mut self, rows: &[u32], value_of: impl Fn(&u32) -> f64, sorted: &mut Vec<u32>) {
        self.order.sort_rows(rows, |row| value_of(&row), sorted);
        self.values.clear();
        self.values.extend(sorted.iter().map(value_of));
    }

    /// The bins without their rows.
    fn prepare(&mut self, partners: &[[u32; 2]], smoothing: f64) {
        let sums = &mut self.prefixes;
        let mut sum = [0.0; 2];
        sums.clear();
        sums.push(sum);
        sums.extend(self.values.iter().map(|&value| {
            sum = [sum[0] + value, sum[1] + value * value];
            sum
        }));
        let half = 0.5 / smoothing;
        let bin = |&[b, a]: &[u32; 2]| {
            let count = f64::from(a - b);
            let sum = sums[a as usize][0] - sums[b as usize][0];
            Bin {
                slope: [f64::from(b) + half * (count - sum), half * count],
                rows: [0.0; 2],
            }
        };
        self.bins.clear();
        self.bins.extend(partners.iter().map(bin));
    }

    /// $c_k$ of all rows in bins.
    fn constants(&self, partners: &[[u32; 2]], smoothing: f64) -> f64 {
        let sums = &self.prefixes;
        let half = 0.5 / smoothing;
        let constant = |(&[b, a], bin): (&[u32; 2], &Bin)| {
            let (below, up_to) = (sums[b as usize], sums[a as usize]);
            let (sum, squares) = (up_to[0] - below[0], up_to[1] - below[1]);
            let bent = f64::from(a - b) - 2.0 * sum + squares;
            bin.rows[0] * (f64::from(b) * (1.0 - smoothing) - below[0] + 0.5 * half * bent)
        };
        partners.iter().zip(&self.bins).map(constant).sum()
    }
}

impl TwoSets {
    /// Others in $Q$ with each sorted row.
    pub(super) fn quadratic(&self) -> &[f64] {
        &self.quadratic
    }

    /// No pair has a curvature.
    fn forget(&mut self, levels: &TwoLevels) {
        self.rows.clone_from(&levels.sorted);
        self.quadratic = vec![0.0; levels.sorted.len()];
        self.knot_places = vec![[0, 0]; levels.sorted.len()];
        self.partners = vec![[0, 0]];
        self.bins = vec![0; levels.binned.len()];
    }

    /// Merges lower and upper knots, both of which ascend as the values do.
    fn merge_knots(&mut self, values: &[f64], smoothing: f64, knots: &mut Knots) {
        let q = values.len();
        let upper_gap = 1.0 - 2.0 * smoothing;
        let merged = &mut knots.ascending;
        merged.clear();
        self.knot_places.clear();
        self.knot_places.resize(q, [0, 0]);
        self.partners.clear();
        self.partners.push([0, 0]);
        let (mut lower, mut upper) = (0, 0);
        while upper < q {
            let above = values[upper] - upper_gap;
            let is_lower = lower < q && values[lower] - 1.0 <= above;
            if is_lower {
                self.knot_places[lower][0] = merged.len() as u32;
                merged.push(values[lower] - 1.0);
                lower += 1;
            } else {
                self.knot_places[upper][1] = merged.len() as u32;
                merged.push(above);
                upper += 1;
            }
            self.partners.push([upper as u32, lower as u32]);
        }
        knots.divide();
    }
}

/// Turns number and sum of the rows of each bin into those of all bins up to it; the last of them.
fn accumulate(bins: &mut [Bin]) -> [f64; 2] {
    let mut total = [0.0; 2];
    for bin in bins {
        for (total, value) in total.iter_mut().zip(&mut bin.rows) {
            *total += *value;
            *value = *total;
        }
    }
    total
}
