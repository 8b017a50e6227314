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

use super::centre;
use super::order::Order;

/// Cells of the grid for each knot, at least.
const CELLS_A_KNOT: usize = 4;
/// Knots of a cell up to which they are tried one by one.
const FEW_KNOTS: u32 = 8;

/// The rows of the two levels.
#[derive(Debug, Clone)]
pub(super) struct TwoLevels {
    /// Rows that are sorted, the higher ones after turning.
    sorted: Vec<u32>,
    /// Rows that are put into bins.
    binned: Vec<u32>,
    /// −1 if scores are turned round, otherwise 1.
    sign: f64,
    smoothing: f64,
}

/// What a product with the Hessian needs to know.
#[derive(Debug, Clone, Default)]
pub(super) struct TwoSets {
    order: Order,
    /// Positions among the sorted rows by ascending score.
    places: Vec<u32>,
    /// $p$, ascending.
    values: Vec<f64>,
    /// Where the lower and the upper knot of each sorted row stand among all knots.
    knot_places: Vec<[u32; 2]>,
    /// $B_k$ and $A_k$ of every bin.
    partners: Vec<[u32; 2]>,
    /// Bin of every other row.
    bins: Vec<u32>,
    /// Others in $Q$ with each sorted row, by ascending score.
    quadratic: Vec<f64>,
}

/// The knots with the grid that finds bins.
struct Knots {
    /// Ascending, with an infinite one at the end.
    ascending: Vec<f64>,
    /// Number of knots in cells before each.
    starts: Vec<u32>,
    low: f64,
    scale: f64,
}

impl Knots {
    fn new(mut knots: Vec<f64>) -> Self {
        let (low, high) = (knots[0], knots[knots.len() - 1]);
        let n_cells = (knots.len() * CELLS_A_KNOT).next_power_of_two();
        let scale = n_cells as f64 / (high - low);
        let mut found = Self {
            starts: vec![0; n_cells + 1],
            low,
            // Knots that are all the same, or too far apart: all in the first cell.
            scale: if scale.is_finite() { scale } else { 0.0 },
            ascending: Vec::new(),
        };
        for &knot in &knots {
            let cell = found.cell(knot);
            found.starts[cell + 1] += 1;
        }
        for cell in 0..n_cells {
            found.starts[cell + 1] += found.starts[cell];
        }
        knots.push(f64::INFINITY);
        found.ascending = knots;
        found
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
        let (start, end) = (self.starts[cell], self.starts[cell + 1]);
        // Most cells have one knot or none; then the knot at `start` decides, which is in a later
        // cell if this one has none.
        let mut bin = start + u32::from(self.ascending[start as usize] < value);
        if end - start > 1 {
            bin = self.search(value, bin, end);
        }
        bin
    }

    fn search(&self, value: f64, mut bin: u32, end: u32) -> u32 {
        if end - bin <= FEW_KNOTS {
            while bin < end && self.ascending[bin as usize] < value {
                bin += 1;
            }
            return bin;
        }
        let rest = &self.ascending[bin as usize..end as usize];
        bin + rest.partition_point(|&knot| knot < value) as u32
    }
}

/// $c$, $\alpha$, $\beta$ of a bin.
type Parabola = [f64; 3];

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
        }
    }

    pub(super) fn evaluate(&self, scores: &[f64], sets: &mut TwoSets, slopes: &mut [f64]) -> f64 {
        let Some(mean) = centre(scores, &[&self.sorted, &self.binned]) else {
            sets.forget(self);
            slopes.fill(0.0);
            return f64::INFINITY;
        };
        let value_of = |&row: &u32| self.sign * (scores[row as usize] - mean);
        let unsorted: Vec<f64> = self.sorted.iter().map(value_of).collect();
        sets.order.sort(&unsorted, &mut sets.places);
        sets.values.clear();
        let places = sets.places.iter();
        sets.values
            .extend(places.map(|&place| unsorted[place as usize]));
        let knots = sets.merge_knots(self.smoothing);
        let parabolas = self.parabolas(sets);
        // Number and sum of the rows of each bin.
        let mut sums = vec![[0.0f64; 2]; parabolas.len()];
        sets.bins.resize(self.binned.len(), 0);
        let mut loss = 0.0;
        for (row, place) in self.binned.iter().zip(&mut sets.bins) {
            let value = value_of(row);
            let bin = knots.bin(value);
            *place = bin;
            let [c, alpha, beta] = parabolas[bin as usize];
            slopes[*row as usize] = self.sign * (alpha + beta * value);
            loss += c + value * (alpha + 0.5 * beta * value);
            let sum = &mut sums[bin as usize];
            sum[0] += 1.0;
            sum[1] += value;
        }
        let all = accumulate(&mut sums)[0];
        sets.quadratic.clear();
        let half = 0.5 / self.smoothing;
        for ((&place, &value), &[lower, upper]) in
            sets.places.iter().zip(&sets.values).zip(&sets.knot_places)
        {
            let (outside, inside) = (sums[lower as usize], sums[upper as usize]);
            let (count, sum) = (inside[0] - outside[0], inside[1] - outside[1]);
            let slope = inside[0] - all - half * (count * (1.0 - value) + sum);
            slopes[self.sorted[place as usize] as usize] = self.sign * slope;
            sets.quadratic.push(count);
        }
        loss
    }

    /// What rows of each bin lose.
    fn parabolas(&self, sets: &TwoSets) -> Vec<Parabola> {
        let mut sums = Vec::with_capacity(sets.values.len() + 1);
        let (mut first, mut second) = (0.0, 0.0);
        sums.push([0.0, 0.0]);
        for &value in &sets.values {
            first += value;
            second += value * value;
            sums.push([first, second]);
        }
        let smoothing = self.smoothing;
        let half = 0.5 / smoothing;
        let parabola = |&[b, a]: &[u32; 2]| {
            let (below, up_to) = (sums[b as usize], sums[a as usize]);
            let linear = f64::from(b);
            let count = f64::from(a - b);
            let (sum, squares) = (up_to[0] - below[0], up_to[1] - below[1]);
            let c =
                linear * (1.0 - smoothing) - below[0] + 0.5 * half * (count - 2.0 * sum + squares);
            [c, linear + half * (count - sum), half * count]
        };
        sets.partners.iter().map(parabola).collect()
    }

    pub(super) fn curve(&self, sets: &TwoSets, vector: &[f64], product: &mut [f64]) {
        let half = 0.5 / self.smoothing;
        let mut prefix = Vec::with_capacity(sets.places.len() + 1);
        let mut sum = 0.0;
        prefix.push(0.0);
        for &place in &sets.places {
            sum += vector[self.sorted[place as usize] as usize];
            prefix.push(sum);
        }
        let of_bin = |&[b, a]: &[u32; 2]| {
            let inside = prefix[a as usize] - prefix[b as usize];
            [half * f64::from(a - b), half * inside]
        };
        let bins: Vec<[f64; 2]> = sets.partners.iter().map(of_bin).collect();
        let mut sums = vec![[0.0]; bins.len()];
        for (&row, &bin) in self.binned.iter().zip(&sets.bins) {
            let value = vector[row as usize];
            let [count, inside] = bins[bin as usize];
            product[row as usize] = count * value - inside;
            sums[bin as usize][0] += value;
        }
        accumulate(&mut sums);
        let sorted = sets.places.iter().zip(&sets.quadratic);
        for ((&place, &count), &[lower, upper]) in sorted.zip(&sets.knot_places) {
            let row = self.sorted[place as usize] as usize;
            let inside = sums[upper as usize][0] - sums[lower as usize][0];
            product[row] = half * (count * vector[row] - inside);
        }
    }
}

impl TwoSets {
    /// Others in $Q$ with each sorted row.
    pub(super) fn quadratic(&self) -> &[f64] {
        &self.quadratic
    }

    /// No pair has a curvature.
    fn forget(&mut self, levels: &TwoLevels) {
        self.places = (0..levels.sorted.len() as u32).collect();
        self.quadratic = vec![0.0; levels.sorted.len()];
        self.knot_places = vec![[0, 0]; levels.sorted.len()];
        self.partners = vec![[0, 0]];
        self.bins = vec![0; levels.binned.len()];
    }

    /// Merges lower and upper knots, both of which ascend.
    fn merge_knots(&mut self, smoothing: f64) -> Knots {
        let q = self.values.len();
        let upper_gap = 1.0 - 2.0 * smoothing;
        let mut knots = Vec::with_capacity(2 * q + 1);
        self.knot_places.clear();
        self.knot_places.resize(q, [0, 0]);
        self.partners.clear();
        self.partners.push([0, 0]);
        let (mut lower, mut upper) = (0, 0);
        while upper < q {
            let above = self.values[upper] - upper_gap;
            let is_lower = lower < q && self.values[lower] - 1.0 <= above;
            if is_lower {
                self.knot_places[lower][0] = knots.len() as u32;
                knots.push(self.values[lower] - 1.0);
                lower += 1;
            } else {
                self.knot_places[upper][1] = knots.len() as u32;
                knots.push(above);
                upper += 1;
            }
            self.partners.push([upper as u32, lower as u32]);
        }
        Knots::new(knots)
    }
}

/// Turns sums of bins into sums of all bins up to each; the last is that of all.
fn accumulate<const K: usize>(sums: &mut [[f64; K]]) -> [f64; K] {
    let mut total = [0.0; K];
    for sum in sums {
        for (total, value) in total.iter_mut().zip(sum) {
            *total += *value;
            *value = *total;
        }
    }
    total
}
