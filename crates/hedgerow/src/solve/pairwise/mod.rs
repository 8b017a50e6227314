//! Losses of pairs: how far scores put rows of a higher level above rows of a lower one.
//!
//! For scores $o$ and levels $y$,
//!
//! $$L(o) = \sum_{(i,j):\, y_i > y_j} \ell(o_i - o_j), \qquad
//!   \ell_\varepsilon(t) = \begin{cases} 1 - \varepsilon - t & t < 1 - 2\varepsilon \\\\
//!   (1 - t)^2 / 4\varepsilon & 1 - 2\varepsilon \le t < 1 \\\\ 0 & t \ge 1 \end{cases}$$
//!
//! with as many terms as there are pairs. By the order of the scores [`PairwiseHinge`] has value,
//! gradient and Hessian product of $\ell_\varepsilon$ in $O(m \log m)$ and $O(m)$; [`brute`] sums
//! the pairs one by one, for this and for other losses, and is what it is tested against.
//!
//! | symbol | here |
//! |---|---|
//! | $o$ | `scores` |
//! | $y$ | `levels` |
//! | $\varepsilon$ | `smoothing` |
//! | $G = \partial L / \partial o$ | `slopes` |
//! | pairs with $1 - 2\varepsilon \le t < 1$, $Q$; with $t < 1 - 2\varepsilon$, $L$ | [`PairSets`] |
//! | $h = \partial^2 L\, u$ | what [`PairwiseHinge::curve`] writes |
//!
//! The knot $t = 1 - 2\varepsilon$ is looked for as $o_i - (1 - 2\varepsilon)$: for $\varepsilon = \tfrac12$
//! that is $o_i$ itself, so that equal scores, among them all scores at the start, are on one side
//! of it whatever they are. Which pairs are in $Q$ is decided once a pair: the Hessian is symmetric
//! to rounding.

pub mod brute;
mod fenwick;
mod merged;
mod order;
mod ordered;
mod several;
mod two;

use merged::{MergedLevels, MergedSets};
pub use ordered::{PairCounts, precision_of_the_top};
use several::{SeveralLevels, SeveralSets};
use two::{TwoLevels, TwoSets};

/// Least $\varepsilon$: the curvature grows as its inverse.
pub const MIN_SMOOTHING: f64 = 1e-3;

/// Rows of the smaller of two levels from which on both are sorted: tables of so many bins are in no
/// near cache.
const MANY_ROWS: usize = 1 << 16;
/// Nor are both sorted where the other level has more than so many times as many rows: those are put
/// into bins faster.
const MANY_TIMES: usize = 4;

/// The smoothed hinge of all pairs of some rows with different levels.
#[derive(Debug)]
pub struct PairwiseHinge {
    form: Form,
    n_rows: usize,
    n_members: usize,
    n_pairs: f64,
}

#[derive(Debug)]
enum Form {
    Two(TwoLevels),
    Merged(MergedLevels),
    Several(SeveralLevels),
}

/// Which pairs are in $Q$ at the scores that were evaluated last, in a form that products read.
#[derive(Debug, Clone, Default)]
pub struct PairSets {
    two: TwoSets,
    merged: MergedSets,
    several: SeveralSets,
}

impl PairwiseHinge {
    /// The pairs among `members`, rows whose level `levels` tells; `None` if there are no pairs.
    ///
    /// Scores and slopes are vectors over all rows, those of rows that are no members are not read
    /// and set to 0. `smoothing` is in `[MIN_SMOOTHING, 1]`.
    pub fn new(levels: &[u32], members: &[u32], smoothing: f64) -> Option<Self> {
        let mut scale: Vec<u32> = members.iter().map(|&i| levels[i as usize]).collect();
        scale.sort_unstable();
        let mut counts: Vec<u64> = Vec::new();
        for group in scale.chunk_by(|a, b| a == b) {
            counts.push(group.len() as u64);
        }
        scale.dedup();
        let form = match scale[..] {
            [] | [_] => return None,
            [_, high] => {
                let mut rows = members.to_vec();
                rows.sort_unstable();
                let is_high = |&row: &u32| levels[row as usize] == high;
                let (upper, lower): (Vec<u32>, Vec<u32>) = rows.into_iter().partition(is_high);
                let few = upper.len().min(lower.len());
                if few >= MANY_ROWS && members.len() - few <= MANY_TIMES * few {
                    Form::Merged(MergedLevels::new(upper, lower, smoothing))
                } else {
                    Form::Two(TwoLevels::new(upper, lower, smoothing))
                }
            }
            _ => Form::Several(SeveralLevels::new(levels, members, &scale, smoothing)),
        };
        // Products of counts overflow 32 bits, and sums of them 53 only beyond any memory.
        let (mut below, mut n_pairs) = (0u64, 0.0);
        for count in counts {
            n_pairs += below as f64 * count as f64;
            below += count;
        }
        Some(Self {
            form,
            n_rows: levels.len(),
            n_members: members.len(),
            n_pairs,
        })
    }

    /// Number of pairs.
    pub fn n_pairs(&self) -> f64 {
        self.n_pairs
    }

    /// Number of rows, members or not.
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// The sum over all pairs and its gradient; `sets` then tells the pairs of these scores.
    /// Infinite, with a gradient of zeros, if a score is not finite.
    pub fn evaluate(&self, scores: &[f64], sets: &mut PairSets, slopes: &mut [f64]) -> f64 {
        debug_assert_eq!((scores.len(), slopes.len()), (self.n_rows, self.n_rows));
        self.clear(slopes);
        match &self.form {
            Form::Two(form) => form.evaluate(scores, &mut sets.two, slopes),
            Form::Merged(form) => form.evaluate(scores, &mut sets.merged, slopes),
            Form::Several(form) => form.evaluate(scores, &mut sets.several, slopes),
        }
    }

    /// Share of the pairs that are in $Q$ at the scores of `sets`.
    pub fn quadratic_share(&self, sets: &PairSets) -> f64 {
        let count: f64 = match &self.form {
            Form::Two(_) => sets.two.quadratic().iter().sum(),
            Form::Merged(_) => sets.merged.n_quadratic(),
            // Each pair is counted from either side.
            Form::Several(_) => 0.5 * sets.several.degrees().iter().sum::<f64>(),
        };
        count / self.n_pairs
    }

    /// Rows that are no members have a derivative of 0; the others are written in any case.
    fn clear(&self, derivatives: &mut [f64]) {
        if self.n_members < self.n_rows {
            derivatives.fill(0.0);
        }
    }

    /// Product of the Hessian at the scores of `sets` with a vector.
    pub fn curve(&self, sets: &PairSets, vector: &[f64], product: &mut [f64]) {
        debug_assert_eq!((vector.len(), product.len()), (self.n_rows, self.n_rows));
        self.clear(product);
        match &self.form {
            Form::Two(form) => form.curve(&sets.two, vector, product),
            Form::Merged(form) => form.curve(&sets.merged, vector, product),
            Form::Several(form) => form.curve(&sets.several, vector, product),
        }
    }
}

/// Sums that are carried side by side.
const LANES: usize = 8;

/// A sum by several sums: no addition waits for the one before it.
fn add_up<T>(items: &[T], number: impl Fn(&T) -> f64) -> f64 {
    let mut sums = [0.0; LANES];
    let (blocks, rest) = items.as_chunks::<LANES>();
    for block in blocks {
        for (sum, item) in sums.iter_mut().zip(block) {
            *sum += number(item);
        }
    }
    sums.iter().sum::<f64>() + rest.iter().map(number).sum::<f64>()
}

/// Bits of the mean that are dropped.
const DROPPED_BITS: u32 = 44;

/// About the mean of the members' scores, which is taken off them: sums of large equal parts would
/// lose digits. It has few digits itself, so that most differences from it are exact. `None` if a
/// score is not finite.
fn centre(scores: &[f64], members: &[&[u32]]) -> Option<f64> {
    let (mut sum, mut count) = (0.0, 0usize);
    for rows in members {
        sum += add_up(rows, |&row| scores[row as usize]);
        count += rows.len();
    }
    let mean = sum / count as f64;
    let short = f64::from_bits(mean.to_bits() >> DROPPED_BITS << DROPPED_BITS);
    mean.is_finite().then_some(short)
}
