//! The growing samples on which candidates are compared.

use hedgerow::Result;
use hedgerow::data::{Dataset, Split, Target, folds_for, hold_out, stratified_hold_out};

/// Rows of the first sample.
const FIRST: usize = 1500;
/// Growth from one sample to the next.
const GROWTH: usize = 4;
/// Up to so many rows all are judged in turn; of more, one part is.
const CROSS_VALIDATED: usize = 12_000;
/// Rows from which on a quick choice has a single part.
const QUICK: usize = 2500;
/// Most rows that judge when one part does.
const MOST_JUDGES: usize = 6000;

/// Numbers of rows, ascending; the last is all of them.
pub(super) fn sizes(n_rows: usize) -> Vec<usize> {
    let mut sizes = Vec::new();
    let mut size = FIRST;
    while size * 2 < n_rows {
        sizes.push(size);
        size *= GROWTH;
    }
    sizes.push(n_rows);
    sizes
}

/// A random sample with every class in its share.
pub(super) fn sample(data: &Dataset, n_rows: usize, seed: u64) -> Result<Dataset> {
    if n_rows >= data.n_rows() {
        return Ok(data.clone());
    }
    let share = n_rows as f64 / data.n_rows() as f64;
    Ok(data.select(&aside(data, share, seed)?.test))
}

/// Keeps a share of the rows aside, with every class in its share.
pub(super) fn aside(data: &Dataset, share: f64, seed: u64) -> Result<Split> {
    match data.target() {
        Target::Classes(labels) | Target::Ordinal(labels) => {
            stratified_hold_out(labels, share, seed)
        }
        _ => hold_out(data.n_rows(), share, seed),
    }
}

/// How carefully a sample judges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Care {
    /// A single part judges where there are rows enough: nobody asked for a search.
    Quick,
    /// On the way to more rows.
    Usual,
    /// On all rows.
    Last,
}

/// How a sample judges.
pub(super) fn splits(data: &Dataset, care: Care, seed: u64) -> Result<Vec<Split>> {
    let n = data.n_rows();
    if care == Care::Quick && n > QUICK {
        return Ok(vec![aside(data, 1.0 / 3.0, seed)?]);
    }
    let last = care == Care::Last;
    if n <= CROSS_VALIDATED {
        let folds = if last && n <= CROSS_VALIDATED / 2 {
            5
        } else {
            3
        };
        return folds_for(data, folds.min(n), seed);
    }
    let judges = (n / 5).min(MOST_JUDGES);
    Ok(vec![aside(data, judges as f64 / n as f64, seed)?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_grow_to_all_rows() {
        assert_eq!(sizes(100), [100]);
        assert_eq!(sizes(3001), [1500, 3001]);
        assert_eq!(sizes(100_000), [1500, 6000, 24_000, 100_000]);
        for n in 1..20_000 {
            let sizes = sizes(n);
            assert!(sizes.windows(2).all(|pair| pair[0] < pair[1]));
            assert_eq!(sizes.last(), Some(&n));
        }
    }
}
