//! More than two levels, in one sweep over all rows by ascending score.
//!
//! With $a_i = \#\{v \le v_i - 1\}$ and $b_i = \#\{v \le v_i - (1 - 2\varepsilon)\}$ over all scores
//! $v$, ascending, the partners of row $i$ in $Q$ are the rows of lower levels in ranks $[a_i, b_i)$,
//! those in $L$ the ones from $b_i$ on. Both ascend with $i$, so the rows $i$ that have rank $r$ in
//! such a range form a range themselves, $[\mathit{lo}_r, \mathit{hi}_r)$: the pairs are the same seen
//! from either side. Trees of sums over levels take rows in as the ranges move.

use super::centre;
use super::fenwick::Fenwick;
use super::order::Order;

/// The rows with their levels as ranks.
#[derive(Debug, Clone)]
pub(super) struct SeveralLevels {
    members: Vec<u32>,
    /// Rank of the level of each member.
    ranks: Vec<u32>,
    n_levels: usize,
    smoothing: f64,
}

/// What a product with the Hessian needs to know.
#[derive(Debug, Clone, Default)]
pub(super) struct SeveralSets {
    order: Order,
    /// Positions among the members by ascending score.
    places: Vec<u32>,
    /// Level of each, by ascending score.
    levels: Vec<u32>,
    /// $[a_i, b_i)$ and $[\mathit{lo}_r, \mathit{hi}_r)$.
    below: Vec<[u32; 2]>,
    above: Vec<[u32; 2]>,
    /// Pairs in $Q$ of each, by ascending score.
    degrees: Vec<f64>,
}

impl SeveralLevels {
    pub(super) fn new(levels: &[u32], members: &[u32], scale: &[u32], smoothing: f64) -> Self {
        let rank = |&i: &u32| scale.partition_point(|&other| other < levels[i as usize]) as u32;
        Self {
            members: members.to_vec(),
            ranks: members.iter().map(rank).collect(),
            n_levels: scale.len(),
            smoothing,
        }
    }

    pub(super) fn evaluate(
        &self,
        scores: &[f64],
        sets: &mut SeveralSets,
        slopes: &mut [f64],
    ) -> f64 {
        let Some(mean) = centre(scores, &[&self.members]) else {
            sets.forget(self.members.len());
            slopes.fill(0.0);
            return f64::INFINITY;
        };
        let value_of = |&row: &u32| scores[row as usize] - mean;
        let unsorted: Vec<f64> = self.members.iter().map(value_of).collect();
        sets.order.sort(&unsorted, &mut sets.places);
        let places = || sets.places.iter().map(|&place| place as usize);
        let values: Vec<f64> = places().map(|place| unsorted[place]).collect();
        sets.levels = places().map(|place| self.ranks[place]).collect();
        sets.cut(&values, self.smoothing);
        let moments = |i: usize| [1.0, values[i], values[i] * values[i]];
        let (smoothing, half) = (self.smoothing, 0.5 / self.smoothing);
        let (mut loss, mut by_rank) = (0.0, vec![0.0; values.len()]);
        sets.degrees.clear();
        sets.degrees.resize(values.len(), 0.0);
        let degrees = &mut sets.degrees;
        let mut totals = Fenwick::<3>::new(self.n_levels);
        for (i, &level) in sets.levels.iter().enumerate() {
            totals.add(level as usize, moments(i));
        }
        let of_level: Vec<[f64; 3]> = (0..self.n_levels).map(|at| totals.below(at)).collect();
        let keep = |level: u32| level as usize;
        sweep(
            &sets.levels,
            &sets.below,
            self.n_levels,
            keep,
            moments,
            |i, outer, inner| {
                let all = of_level[sets.levels[i] as usize];
                let linear: [f64; 2] = [all[0] - inner[0], all[1] - inner[1]];
                let inside: [f64; 3] = std::array::from_fn(|k| inner[k] - outer[k]);
                let short = 1.0 - values[i];
                loss += linear[0] * (short - smoothing)
                    + linear[1]
                    + 0.5 * half * (short * (inside[0] * short + 2.0 * inside[1]) + inside[2]);
                by_rank[i] -= linear[0] + half * (inside[0] * short + inside[1]);
                degrees[i] += inside[0];
            },
        );
        let flip = |level: u32| self.n_levels - 1 - level as usize;
        let moments = |i: usize| [1.0, values[i]];
        sweep(
            &sets.levels,
            &sets.above,
            self.n_levels,
            flip,
            moments,
            |r, outer, inner| {
                let inside = [inner[0] - outer[0], inner[1] - outer[1]];
                by_rank[r] += outer[0] + half * (inside[0] * (1.0 + values[r]) - inside[1]);
                degrees[r] += inside[0];
            },
        );
        for (&place, slope) in sets.places.iter().zip(by_rank) {
            slopes[self.members[place as usize] as usize] = slope;
        }
        loss
    }

    pub(super) fn curve(&self, sets: &SeveralSets, vector: &[f64], product: &mut [f64]) {
        let row = |place: &u32| self.members[*place as usize] as usize;
        let values: Vec<f64> = sets.places.iter().map(|place| vector[row(place)]).collect();
        let mut by_rank: Vec<f64> = sets
            .degrees
            .iter()
            .zip(&values)
            .map(|(degree, value)| degree * value)
            .collect();
        let moment = |i: usize| [values[i]];
        let n_levels = self.n_levels;
        let keep = |level: u32| level as usize;
        let flip = |level: u32| n_levels - 1 - level as usize;
        let mut subtract = |i: usize, outer: [f64; 1], inner: [f64; 1]| {
            by_rank[i] -= inner[0] - outer[0];
        };
        sweep(
            &sets.levels,
            &sets.below,
            n_levels,
            keep,
            moment,
            &mut subtract,
        );
        sweep(
            &sets.levels,
            &sets.above,
            n_levels,
            flip,
            moment,
            &mut subtract,
        );
        let half = 0.5 / self.smoothing;
        for (place, value) in sets.places.iter().zip(by_rank) {
            product[row(place)] = half * value;
        }
    }
}

/// For each rank, the sums of `moments` over ranks below either end of its range, of levels that
/// `position` puts below its own. Both ends ascend.
fn sweep<const K: usize>(
    levels: &[u32],
    ranges: &[[u32; 2]],
    n_levels: usize,
    position: impl Fn(u32) -> usize,
    moments: impl Fn(usize) -> [f64; K],
    mut take: impl FnMut(usize, [f64; K], [f64; K]),
) {
    let mut trees = [Fenwick::<K>::new(n_levels), Fenwick::<K>::new(n_levels)];
    let mut taken = [0usize; 2];
    for (i, ends) in ranges.iter().enumerate() {
        for ((tree, taken), &end) in trees.iter_mut().zip(&mut taken).zip(ends) {
            while *taken < end as usize {
                tree.add(position(levels[*taken]), moments(*taken));
                *taken += 1;
            }
        }
        let own = position(levels[i]);
        take(i, trees[0].below(own), trees[1].below(own));
    }
}

impl SeveralSets {
    /// Pairs in $Q$ of each row.
    pub(super) fn degrees(&self) -> &[f64] {
        &self.degrees
    }

    /// No pair has a curvature.
    fn forget(&mut self, n: usize) {
        self.places = (0..n as u32).collect();
        self.levels = vec![0; n];
        self.below = vec![[0, 0]; n];
        self.above = vec![[0, 0]; n];
        self.degrees = vec![0.0; n];
    }

    /// The ranges of every rank.
    fn cut(&mut self, values: &[f64], smoothing: f64) {
        let gap = 1.0 - 2.0 * smoothing;
        let (mut a, mut b) = (0, 0);
        self.below.clear();
        for &value in values {
            while a < values.len() && values[a] <= value - 1.0 {
                a += 1;
            }
            while b < values.len() && values[b] <= value - gap {
                b += 1;
            }
            self.below.push([a as u32, b as u32]);
        }
        let (mut low, mut high) = (0, 0);
        self.above.clear();
        for rank in 0..values.len() as u32 {
            while low < values.len() && self.below[low][1] <= rank {
                low += 1;
            }
            while high < values.len() && self.below[high][0] <= rank {
                high += 1;
            }
            self.above.push([low as u32, high as u32]);
        }
    }
}
