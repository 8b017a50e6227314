//! The rows that may be among the nearest, while a search goes on.
//!
//! A search knows distances within limits, `lower ≤ d ≤ upper`. The `k`-th smallest upper limit is
//! the *reach*: no row whose lower limit lies beyond it can be among the `k` nearest. What is left
//! at the end is ranked by true distances.

/// Largest `k` for which the reach is kept up to date with every row.
const SMALL: usize = 24;

/// A row with the limits of its distance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Candidate {
    pub(super) lower: f64,
    pub(super) upper: f64,
    pub(super) row: u32,
}

/// A collection of candidates; reusable.
#[derive(Debug, Clone, Default)]
pub(super) struct Candidates {
    k: usize,
    left_out: Option<u32>,
    entries: Vec<Candidate>,
    /// The `k` smallest upper limits, ascending, if `k` is small.
    best: Vec<f64>,
    reach: f64,
    /// Number of entries at which superfluous ones are thrown out.
    full: usize,
}

impl Candidates {
    /// Begins a search for the `k` nearest rows other than `left_out`.
    pub(super) fn begin(&mut self, k: usize, left_out: Option<u32>) {
        self.k = k;
        self.left_out = left_out;
        self.entries.clear();
        self.best.clear();
        self.reach = if k == 0 {
            f64::NEG_INFINITY
        } else {
            f64::INFINITY
        };
        self.full = k.saturating_add((k / 2).max(32));
    }

    /// Number of rows that are searched for.
    pub(super) fn k(&self) -> usize {
        self.k
    }

    /// Rows beyond this distance are not among the nearest.
    #[inline]
    pub(super) fn reach(&self) -> f64 {
        self.reach
    }

    /// How many rows must lie within a distance for that to be a limit of the reach: the row that
    /// is left out may be among them.
    pub(super) fn needed(&self) -> usize {
        let left_out = usize::from(self.left_out.is_some());
        self.k.saturating_add(left_out)
    }

    /// Takes note that [`Candidates::needed`] different rows, not yet added, lie within a distance.
    pub(super) fn foresee(&mut self, distance: f64) {
        self.reach = self.reach.min(distance);
    }

    /// Adds a row, unless it is out of reach.
    #[inline]
    pub(super) fn push(&mut self, row: u32, lower: f64, upper: f64) {
        if lower > self.reach || self.left_out == Some(row) {
            return;
        }
        self.entries.push(Candidate { lower, upper, row });
        if self.k <= SMALL && upper < self.reach {
            let at = self.best.partition_point(|&bound| bound <= upper);
            if self.best.len() == self.k {
                self.best.pop();
            }
            self.best.insert(at, upper);
            if self.best.len() == self.k {
                self.reach = self.best[self.k - 1];
            }
        }
        if self.entries.len() >= self.full {
            self.tidy();
            if self.entries.len() > self.full - self.full / 8 {
                self.full *= 2;
            }
        }
    }

    /// Brings the reach up to date and throws out what lies beyond it.
    pub(super) fn tidy(&mut self) {
        if self.k > SMALL && self.entries.len() > self.k {
            let by_upper = |a: &Candidate, b: &Candidate| a.upper.total_cmp(&b.upper);
            let (_, last, _) = self.entries.select_nth_unstable_by(self.k - 1, by_upper);
            self.reach = self.reach.min(last.upper);
        }
        let reach = self.reach;
        self.entries.retain(|entry| entry.lower <= reach);
    }

    /// The rows that are left.
    pub(super) fn finish(&mut self) -> &[Candidate] {
        self.tidy();
        &self.entries
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Generator;

    #[test]
    fn nothing_within_reach_is_lost() {
        let mut random = Generator::new(5);
        let mut candidates = Candidates::default();
        let searches = [1, 2, 24, 25, 100, 2000].map(|k| [(k, false), (k, true)]);
        for (k, foreseen) in searches.into_iter().flatten() {
            let rows: Vec<f64> = (0..1000).map(|_| random.uniform()).collect();
            candidates.begin(k, Some(7));
            if foreseen {
                let mut first = rows[..rows.len().min(k + 30)].to_vec();
                first.sort_by(f64::total_cmp);
                let needed = candidates.needed();
                if needed <= first.len() {
                    candidates.foresee(first[needed - 1] + 1e-3);
                }
            }
            for (row, &distance) in rows.iter().enumerate() {
                candidates.push(row as u32, distance - 1e-3, distance + 1e-3);
            }
            let mut sorted: Vec<usize> = (0..rows.len()).filter(|&row| row != 7).collect();
            sorted.sort_by(|&a, &b| rows[a].total_cmp(&rows[b]));
            let found = candidates.finish();
            for &row in &sorted[..k.min(sorted.len())] {
                assert!(found.iter().any(|entry| entry.row == row as u32));
            }
            assert!(found.iter().all(|entry| entry.row != 7));
            assert!(k > 24 || found.len() < k + 20);
        }
    }
}
