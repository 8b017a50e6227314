//! Pairs that scores put in the right order.

use super::fenwick::Fenwick;
use super::order::Order;

/// Share of the pairs of members with different levels whose scores are in the order of the levels,
/// a tie counting one half: the AUC, and for more than two levels the MAUC. `None` without pairs, or
/// if a score is not finite.
pub fn ordered_share(levels: &[u32], members: &[u32], scores: &[f64]) -> Option<f64> {
    let mut scale: Vec<u32> = members.iter().map(|&i| levels[i as usize]).collect();
    scale.sort_unstable();
    scale.dedup();
    let values: Vec<f64> = members.iter().map(|&i| scores[i as usize]).collect();
    if values.iter().any(|value| !value.is_finite()) {
        return None;
    }
    let mut places = Vec::new();
    Order::default().sort(&values, &mut places);
    let rank = |place: u32| {
        let level = levels[members[place as usize] as usize];
        scale.partition_point(|&other| other < level)
    };
    let mut passed = Fenwick::<1>::new(scale.len());
    let mut sizes = vec![0.0f64; scale.len()];
    let (mut wins, mut ties) = (0.0, 0.0);
    let tie = |a: &u32, b: &u32| values[*a as usize] == values[*b as usize];
    for group in places.chunk_by(tie) {
        let mut ranks: Vec<usize> = group.iter().map(|&place| rank(place)).collect();
        ranks.sort_unstable();
        let mut lower = 0.0;
        for same in ranks.chunk_by(|a, b| a == b) {
            let count = same.len() as f64;
            wins += count * passed.below(same[0])[0];
            ties += count * lower;
            lower += count;
        }
        for &rank in &ranks {
            passed.add(rank, [1.0]);
            sizes[rank] += 1.0;
        }
    }
    let (mut pairs, mut below) = (0.0, 0.0);
    for size in sizes {
        pairs += size * below;
        below += size;
    }
    (pairs > 0.0).then(|| (wins + 0.5 * ties) / pairs)
}

/// Average precision of members of the higher of two levels: $\sum_t (R_t - R_{t-1}) P_t$ over the
/// distinct scores $t$, falling, with recall $R_t$ and precision $P_t$ of "score at least $t$".
/// `None` without two levels, or if a score is not finite.
pub fn precision_of_the_top(levels: &[u32], members: &[u32], scores: &[f64]) -> Option<f64> {
    let level = |&i: &u32| levels[i as usize];
    let (low, high) = (
        members.iter().map(level).min()?,
        members.iter().map(level).max()?,
    );
    let values: Vec<f64> = members.iter().map(|&i| -scores[i as usize]).collect();
    if low == high || values.iter().any(|value| !value.is_finite()) {
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
