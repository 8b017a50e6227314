//! How far to trust an AUC: its standard error by DeLong's method.
//!
//! With $V_i = \frac{1}{n}\sum_j \psi(f_i, f_j)$ for positives and
//! $W_j = \frac{1}{m}\sum_i \psi(f_i, f_j)$ for negatives, $\psi$ being 1, ½ or 0 as the positive is
//! above, level or below,
//! $$\operatorname{var} = \frac{S^2(V)}{m} + \frac{S^2(W)}{n},$$
//! with sample variances $S^2$ (DeLong, DeLong and Clarke-Pearson 1988). The means over pairs come
//! from ranks (Sun and Xu 2014), so that it is $O(n \log n)$. Differences of two models on the same
//! rows use the covariances of their $V$ and $W$.

use super::ranking::{ascending, check};
use crate::Result;
use crate::special::normal_quantile;

/// An AUC with its standard error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AucEstimate {
    /// The area.
    pub auc: f64,
    /// Its standard error.
    pub standard_error: f64,
}

impl AucEstimate {
    /// The interval that covers the true area with this probability, on the scale of the logit, so
    /// that it stays within 0 and 1; the area alone where the scores make no error.
    pub fn interval(&self, confidence: f64) -> (f64, f64) {
        let Self {
            auc,
            standard_error,
        } = *self;
        if standard_error == 0.0 || auc <= 0.0 || auc >= 1.0 {
            return (auc, auc);
        }
        let z = normal_quantile(0.5 + confidence / 2.0);
        let logit = (auc / (1.0 - auc)).ln();
        let half = z * standard_error / (auc * (1.0 - auc));
        let back = |x: f64| 1.0 / (1.0 + (-x).exp());
        (back(logit - half), back(logit + half))
    }
}

/// The AUC of scores, with its standard error.
pub fn auc_estimate(positive: &[bool], scores: &[f64]) -> Result<AucEstimate> {
    let placements = Placements::new(positive, scores)?;
    Ok(AucEstimate {
        auc: placements.auc(),
        standard_error: placements.covariance(&placements).max(0.0).sqrt(),
    })
}

/// The difference of the AUCs of two scorers on the same rows, with its standard error.
pub fn auc_difference(positive: &[bool], first: &[f64], second: &[f64]) -> Result<AucEstimate> {
    let a = Placements::new(positive, first)?;
    let b = Placements::new(positive, second)?;
    let variance = a.covariance(&a) + b.covariance(&b) - 2.0 * a.covariance(&b);
    Ok(AucEstimate {
        auc: a.auc() - b.auc(),
        standard_error: variance.max(0.0).sqrt(),
    })
}

/// Of every row the share of the rows of the other class on its right side.
struct Placements {
    of_positives: Vec<f64>,
    of_negatives: Vec<f64>,
}

impl Placements {
    fn new(positive: &[bool], scores: &[f64]) -> Result<Self> {
        let (m, n) = check(positive, scores)?;
        let mut share = vec![0.0; scores.len()];
        let (mut positives_below, mut negatives_below) = (0u64, 0u64);
        for group in ascending(scores).chunk_by(|&i, &j| scores[i] == scores[j]) {
            let p = group.iter().filter(|&&i| positive[i]).count() as u64;
            let q = group.len() as u64 - p;
            for &i in group {
                share[i] = if positive[i] {
                    (negatives_below as f64 + q as f64 / 2.0) / n as f64
                } else {
                    ((m - positives_below - p) as f64 + p as f64 / 2.0) / m as f64
                };
            }
            positives_below += p;
            negatives_below += q;
        }
        let of = |wanted: bool| {
            let own = share.iter().zip(positive);
            own.filter(|&(_, &p)| p == wanted)
                .map(|(&s, _)| s)
                .collect()
        };
        Ok(Self {
            of_positives: of(true),
            of_negatives: of(false),
        })
    }

    fn auc(&self) -> f64 {
        mean(&self.of_positives)
    }

    fn covariance(&self, other: &Self) -> f64 {
        let of = |a: &[f64], b: &[f64]| {
            if a.len() < 2 {
                return 0.0;
            }
            let (mean_a, mean_b) = (mean(a), mean(b));
            let products = a.iter().zip(b).map(|(x, y)| (x - mean_a) * (y - mean_b));
            products.sum::<f64>() / (a.len() - 1) as f64 / a.len() as f64
        };
        of(&self.of_positives, &other.of_positives) + of(&self.of_negatives, &other.of_negatives)
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Generator;
    use crate::evaluate::ranking::{Ties, auc};

    fn rows(n: usize, seed: u64) -> (Vec<bool>, Vec<f64>, Vec<f64>) {
        let mut generator = Generator::new(seed);
        let positive: Vec<bool> = (0..n).map(|i| i % 5 == 0).collect();
        let mut scores = |shift: f64| -> Vec<f64> {
            let one =
                |&p: &bool| (4.0 * (generator.normal() + if p { shift } else { 0.0 })).round();
            positive.iter().map(one).collect()
        };
        let (first, second) = (scores(1.0), scores(0.5));
        (positive, first, second)
    }

    /// The definition, pair by pair.
    fn by_pairs(positive: &[bool], scores: &[f64]) -> f64 {
        let psi = |i: usize, j: usize| {
            let above = f64::from(u8::from(scores[i] > scores[j]));
            above + 0.5 * f64::from(u8::from(scores[i] == scores[j]))
        };
        let of = |wanted: bool| -> Vec<usize> {
            (0..scores.len())
                .filter(|&i| positive[i] == wanted)
                .collect()
        };
        let (p, n) = (of(true), of(false));
        let v: Vec<f64> = p
            .iter()
            .map(|&i| n.iter().map(|&j| psi(i, j)).sum::<f64>() / n.len() as f64)
            .collect();
        let w: Vec<f64> = n
            .iter()
            .map(|&j| p.iter().map(|&i| psi(i, j)).sum::<f64>() / p.len() as f64)
            .collect();
        let variance = |x: &[f64]| {
            let m = mean(x);
            x.iter().map(|v| (v - m).powi(2)).sum::<f64>() / (x.len() - 1) as f64
        };
        (variance(&v) / v.len() as f64 + variance(&w) / w.len() as f64).sqrt()
    }

    #[test]
    fn ranks_give_what_pairs_give() {
        let (positive, first, _) = rows(120, 3);
        let found = auc_estimate(&positive, &first).expect("both classes");
        let area = auc(&positive, &first, Ties::Half).expect("both classes");
        assert!((found.auc - area).abs() < 1e-12);
        assert!((found.standard_error - by_pairs(&positive, &first)).abs() < 1e-12);
    }

    #[test]
    fn a_scorer_does_not_differ_from_itself() {
        let (positive, first, second) = rows(200, 4);
        let same = auc_difference(&positive, &first, &first).expect("both classes");
        assert_eq!((same.auc, same.standard_error), (0.0, 0.0));
        let other = auc_difference(&positive, &first, &second).expect("both classes");
        assert!(other.auc > 0.0 && other.standard_error > 0.0);
    }

    #[test]
    fn intervals_cover_and_stay_within_bounds() {
        // The true area of a shift by one deviation is Φ(1/√2).
        let truth = 0.760_250_013_206_717_4;
        let mut covered = 0;
        for seed in 0..400 {
            let (positive, first, _) = rows(150, 100 + seed);
            let estimate = auc_estimate(&positive, &first).expect("both classes");
            let (low, high) = estimate.interval(0.95);
            assert!(0.0 <= low && low <= estimate.auc && estimate.auc <= high && high <= 1.0);
            covered += usize::from(low <= truth && truth <= high);
        }
        // 380 are expected; five deviations are 22.
        assert!((358..=400).contains(&covered), "{covered} of 400");
        let perfect = auc_estimate(&[true, false, true], &[2.0, 1.0, 3.0]).expect("both");
        assert_eq!(perfect.interval(0.95), (1.0, 1.0));
    }
}
