//! Sums over levels below one, while rows come in.

/// Sums of `K` numbers at each of some positions.
#[derive(Debug, Clone)]
pub(super) struct Fenwick<const K: usize> {
    tree: Vec<[f64; K]>,
}

impl<const K: usize> Fenwick<K> {
    pub(super) fn new(len: usize) -> Self {
        Self {
            tree: vec![[0.0; K]; len + 1],
        }
    }

    #[inline]
    pub(super) fn add(&mut self, position: usize, values: [f64; K]) {
        let mut at = position + 1;
        while at < self.tree.len() {
            for (sum, value) in self.tree[at].iter_mut().zip(values) {
                *sum += value;
            }
            at += at & at.wrapping_neg();
        }
    }

    /// Sums over positions less than `position`.
    #[inline]
    pub(super) fn below(&self, position: usize) -> [f64; K] {
        let (mut at, mut sums) = (position, [0.0; K]);
        while at > 0 {
            for (sum, value) in sums.iter_mut().zip(self.tree[at]) {
                *sum += value;
            }
            at &= at - 1;
        }
        sums
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_over_positions_below() {
        let mut tree = Fenwick::<2>::new(9);
        for position in 0..9 {
            tree.add(position, [1.0, position as f64]);
        }
        for position in 0..=9usize {
            let sum = (0..position).sum::<usize>() as f64;
            assert_eq!(tree.below(position), [position as f64, sum]);
        }
    }
}
