//! Pairs that scores put in the right order.

use super::fenwick::Fenwick;
use super::order::Order;

/// How many pairs of members with different levels there are, and what scores make of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PairCounts {
    /// All pairs.
    pub pairs: u64,
    /// Those whose scores are in the order of the levels.
    pub wins: u64,
    /// Those with equal scores.
    pub ties: u64,
}

impl PairCounts {
    /// Counts the pairs of the members; `None` without pairs, or if a score is not a number.
    ///
    /// Rows are swept by rising score; a tree over the levels counts those already passed.
    pub fn of(levels: &[u32], members: &[u32], scores: &[f64]) -> Option<Self> {
        let mut scale: Vec<u32> = members.iter().map(|&i| levels[i as usize]).collect();
        scale.sort_unstable();
        scale.dedup();
        let values: Vec<f64> = members.iter().map(|&i| scores[i as usize]).collect();
        if values.iter().any(|value| value.is_nan()) {
            return None;
        }
        let mut places = Vec::new();
        Order::default().sort(&values, &mut places);
        let rank = |place: u32| {
            let level = levels[members[place as usize] as usize];
            scale.partition_point(|&other| other < level)
        };
        // Counts are whole numbers below 2^53 in any memory: sums of them are exact.
        let mut passed = Fenwick::<1>::new(scale.len());
        let mut sizes = vec![0u64; scale.len()];
        let (mut wins, mut ties) = (0u64, 0u64);
        let tie = |a: &u32, b: &u32| values[*a as usize] == values[*b as usize];
        let mut ranks: Vec<usize> = Vec::new();
        for group in places.chunk_by(tie) {
            ranks.clear();
            ranks.extend(group.iter().map(|&place| rank(place)));
            ranks.sort_unstable();
            let mut lower = 0;
            for same in ranks.chunk_by(|a, b| a == b) {
                let count = same.len() as u64;
                wins += count * passed.below(same[0])[0] as u64;
                ties += count * lower;
                lower += count;
            }
            for &rank in &ranks {
                passed.add(rank, [1.0]);
                sizes[rank] += 1;
            }
        }
        let (mut pairs, mut below) = (0, 0);
        for size in sizes {
            pairs += size * below;
            below += size;
        }
        (pairs > 0).then_some(Self { pairs, wins, ties })
    }

    /// Share of the pairs in the order of the levels, a tie counting one half: the AUC, and for more
    /// than two levels the MAUC.
    pub fn ordered_share(self) -> f64 {
        (self.wins as f64 + 0.5 * self.ties as f64) / self.pairs as f64
    }
}

/// Average precision of members of the higher of two levels: $\sum_t (R_t - R_{t-1}) P_t$ over the
/// distinct scores $t$, falling, with recall $R_t$ and precision $P_t$ of "score at least $t$".
/// `None` without two levels, or if a score is not a number.
pub fn precision_of_the_top(levels: &[u32], members: &[u32], scores: &[f64]) -> Option<f64> {
    let level = |&i: &u32| levels[i as usize];
    let (low, high) = (
        members.iter().map(level).min()?,
        members.iter().map(level).max()?,
    );
    let values: Vec<f64> = members.iter().map(|&i| -scores[i as usize]).collect();
    if low == high || values.iter().any(|value| value.is_nan()) {
        return None;
    }
    let mut places = Vec::new();
    Order::default().sort(&values, &mut places);
    let (mut hits, mut seen, mut sum) = (0.0, 0.0, 0.0);
    let tie = |a: &u32, b: &u32| values[*a as usize] == values[*b as usize];
    for group in places.chunk_by(tie) {
        let high_ones = group
            .iter()
            .filter(|&&place| levels[members[place as usize] as usize] == high);
        let found = high_ones.count() as f64;
        hits += found;
        seen += group.len() as f64;
        sum += found * (hits / seen);
    }
    Some(sum / hits)
}
