//! Statistical comparison of methods.
//!
//! Two methods on the folds of one data set: [`paired_t_test`] ([`welch_t_test`] when the
//! measurements are not paired). Two methods over data sets: [`wilcoxon`]. Several methods over
//! data sets: [`friedman`], then the gap of mean ranks against [`nemenyi_distance`] (all pairs) or
//! [`bonferroni_dunn_distance`] (against one control). The forms are those of Demšar, *Statistical
//! comparisons of classifiers over multiple data sets*, JMLR 7 (2006).
//!
//! | symbol | here |
//! |---|---|
//! | $n$ data sets, $k$ methods | rows and columns of a [`RankTable`] |
//! | $R^+$, $R^-$ | [`Wilcoxon::plus`], [`Wilcoxon::minus`] |
//! | $T = \min(R^+, R^-)$ | [`Wilcoxon::statistic`] |
//! | $R_j$ | sums behind [`Friedman::mean_ranks`] |
//! | $\chi^2_F$, $F_F$ | [`Friedman::chi_square`], [`Friedman::f`] |

use super::special::{
    chi_square_upper, f_upper, normal_cdf, normal_quantile, normal_range_quantile, t_two_sided,
};
use super::{ensure_numbers, ensure_same_rows};
use crate::{Error, Result};

/// Above this number of differences [`wilcoxon`] gives no exact p-value: the normal one is then
/// accurate, and the exact one costs the cube of the number.
const EXACT_LIMIT: usize = 200;

/// Mean and sample standard deviation (divisor n − 1; 0 for one value).
pub fn mean_and_deviation(values: &[f64]) -> Result<(f64, f64)> {
    ensure_same_rows("values", values.len(), values.len())?;
    ensure_numbers("value", values, true)?;
    let n = values.len() as f64;
    // From the first value: equal values must give a deviation of exactly 0.
    let mean = values[0] + values.iter().map(|v| v - values[0]).sum::<f64>() / n;
    if values.len() == 1 {
        return Ok((mean, 0.0));
    }
    let squares: f64 = values.iter().map(|v| (v - mean) * (v - mean)).sum();
    Ok((mean, (squares / (n - 1.0)).sqrt()))
}

/// Result of a t-test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TTest {
    /// Mean of the first sample minus mean of the second.
    pub difference: f64,
    /// The statistic; infinite when the differences are all equal and not 0.
    pub t: f64,
    /// Degrees of freedom.
    pub degrees: f64,
    /// Two-sided p-value.
    pub p: f64,
}

/// Two-sided paired t-test: $t = \bar d / (s_d / \sqrt n)$ with $n - 1$ degrees of freedom.
///
/// Differences that are all 0 give t = 0 and p = 1.
pub fn paired_t_test(first: &[f64], second: &[f64]) -> Result<TTest> {
    let differences = differences(first, second)?;
    if differences.len() < 2 {
        return Err(Error::Shape {
            what: "pairs of a t-test",
            expected: 2,
            found: differences.len(),
        });
    }
    let (difference, deviation) = mean_and_deviation(&differences)?;
    let n = differences.len() as f64;
    Ok(t_test(difference, deviation / n.sqrt(), n - 1.0))
}

/// Two-sided t-test of two independent samples with unequal variances (Welch).
pub fn welch_t_test(first: &[f64], second: &[f64]) -> Result<TTest> {
    if first.len().min(second.len()) < 2 {
        return Err(Error::Shape {
            what: "values of each sample of a t-test",
            expected: 2,
            found: first.len().min(second.len()),
        });
    }
    let (mean_1, deviation_1) = mean_and_deviation(first)?;
    let (mean_2, deviation_2) = mean_and_deviation(second)?;
    let (n1, n2) = (first.len() as f64, second.len() as f64);
    let (v1, v2) = (deviation_1.powi(2) / n1, deviation_2.powi(2) / n2);
    let degrees = if v1 + v2 == 0.0 {
        n1 + n2 - 2.0
    } else {
        (v1 + v2).powi(2) / (v1 * v1 / (n1 - 1.0) + v2 * v2 / (n2 - 1.0))
    };
    Ok(t_test(mean_1 - mean_2, (v1 + v2).sqrt(), degrees))
}

fn t_test(difference: f64, error: f64, degrees: f64) -> TTest {
    let t = if difference == 0.0 {
        0.0
    } else {
        difference / error
    };
    TTest {
        difference,
        t,
        degrees,
        p: t_two_sided(t, degrees),
    }
}

/// Result of the Wilcoxon signed-rank test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wilcoxon {
    /// Number of pairs, zero differences included.
    pub pairs: usize,
    /// $R^+$: ranks of the pairs in which the first is larger, plus half the ranks of the zeros.
    pub plus: f64,
    /// $R^-$: ranks of the pairs in which the second is larger, plus half the ranks of the zeros.
    pub minus: f64,
    /// $z = (T - n(n+1)/4) / \sqrt{n(n+1)(2n+1)/24}$, never positive; below −1.96 the difference
    /// is significant at 0.05.
    pub z: f64,
    /// Two-sided p-value of z.
    pub p_normal: f64,
    /// Two-sided p-value by counting all assignments of signs to the ranks that occurred; for at
    /// most 200 pairs.
    pub p_exact: Option<f64>,
}

impl Wilcoxon {
    /// $T = \min(R^+, R^-)$.
    pub fn statistic(&self) -> f64 {
        self.plus.min(self.minus)
    }
}

/// Wilcoxon signed-rank test in Demšar's form: average ranks for ties, the ranks of zero
/// differences split evenly between $R^+$ and $R^-$.
///
/// Differences of table entries carry rounding errors (96.32 − 94.95 is not 1.37), so absolute
/// differences closer than 1e-10 of the largest value are ties, and below that are zeros.
pub fn wilcoxon(first: &[f64], second: &[f64]) -> Result<Wilcoxon> {
    let differences = differences(first, second)?;
    let largest = first.iter().chain(second).map(|v| v.abs());
    let slack = 1e-10 * largest.fold(0.0, f64::max);
    let sizes: Vec<f64> = differences
        .iter()
        .map(|d| if d.abs() <= slack { 0.0 } else { d.abs() })
        .collect();
    let ranks = average_ranks(&sizes, slack);

    let (mut plus, mut minus, mut zeros) = (0.0, 0.0, 0.0);
    for ((d, size), rank) in differences.iter().zip(&sizes).zip(&ranks) {
        if *size == 0.0 {
            zeros += rank;
        } else if *d > 0.0 {
            plus += rank;
        } else {
            minus += rank;
        }
    }
    plus += zeros / 2.0;
    minus += zeros / 2.0;
    let n = differences.len() as f64;
    let statistic = f64::min(plus, minus);
    let z = (statistic - n * (n + 1.0) / 4.0) / (n * (n + 1.0) * (2.0 * n + 1.0) / 24.0).sqrt();
    let p_exact = (differences.len() <= EXACT_LIMIT).then(|| {
        let moving: Vec<f64> = sizes
            .iter()
            .zip(&ranks)
            .filter(|(size, _)| **size > 0.0)
            .map(|(_, rank)| *rank)
            .collect();
        signed_rank_p(&moving, statistic - zeros / 2.0)
    });
    Ok(Wilcoxon {
        pairs: differences.len(),
        plus,
        minus,
        z,
        p_normal: (2.0 * normal_cdf(z)).min(1.0),
        p_exact,
    })
}

/// Twice the probability that fair signs give these ranks a positive sum of at most `statistic`.
fn signed_rank_p(ranks: &[f64], statistic: f64) -> f64 {
    // Average ranks are multiples of one half: doubled, they index a table of sums.
    let doubled: Vec<usize> = ranks.iter().map(|r| (2.0 * r).round() as usize).collect();
    let mut chance = vec![0.0; doubled.iter().sum::<usize>() + 1];
    chance[0] = 1.0;
    let mut reach = 0;
    for rank in doubled {
        reach += rank;
        for sum in (0..=reach).rev() {
            let with = if sum >= rank { chance[sum - rank] } else { 0.0 };
            chance[sum] = 0.5 * (chance[sum] + with);
        }
    }
    let last = (2.0 * statistic).round().max(0.0) as usize;
    (2.0 * chance.iter().take(last + 1).sum::<f64>()).min(1.0)
}

/// Ranks of values from small (1) to large, equal values sharing the average of their ranks.
/// Neighbours in sorted order within `slack` of the first of their group are equal.
fn average_ranks(values: &[f64], slack: f64) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&i, &j| values[i].total_cmp(&values[j]));
    let mut ranks = vec![0.0; values.len()];
    let mut start = 0;
    while start < order.len() {
        let mut end = start + 1;
        while end < order.len() && values[order[end]] - values[order[start]] <= slack {
            end += 1;
        }
        for &i in &order[start..end] {
            // Ranks start + 1 ..= end.
            ranks[i] = (start + end + 1) as f64 / 2.0;
        }
        start = end;
    }
    ranks
}

/// Ranks of several methods on several data sets; rank 1 is best, ties are averaged.
#[derive(Debug, Clone, PartialEq)]
pub struct RankTable {
    methods: usize,
    ranks: Vec<f64>,
    /// $\sum (t^3 - t)$ over the groups of t tied methods of all data sets.
    tie_term: f64,
}

impl RankTable {
    /// Ranks results, one row a data set and one column a method. `larger_is_better` is true for
    /// accuracies and false for errors or times.
    pub fn new<R: AsRef<[f64]>>(results: &[R], larger_is_better: bool) -> Result<Self> {
        let methods = results.first().ok_or(Error::NoRows)?.as_ref().len();
        if methods < 2 {
            return Err(Error::Shape {
                what: "methods to be ranked",
                expected: 2,
                found: methods,
            });
        }
        let mut ranks = Vec::with_capacity(results.len() * methods);
        let mut tie_term = 0.0;
        for row in results {
            let row = row.as_ref();
            ensure_same_rows("results on a data set", methods, row.len())?;
            ensure_numbers("result", row, false)?;
            let sign = if larger_is_better { -1.0 } else { 1.0 };
            let signed: Vec<f64> = row.iter().map(|v| sign * v + 0.0).collect();
            ranks.extend(average_ranks(&signed, 0.0));
            let mut sorted = signed;
            sorted.sort_by(f64::total_cmp);
            for group in sorted.chunk_by(|a, b| a == b) {
                let t = group.len() as f64;
                tie_term += t * t * t - t;
            }
        }
        Ok(Self {
            methods,
            ranks,
            tie_term,
        })
    }

    /// Number of methods.
    pub fn methods(&self) -> usize {
        self.methods
    }

    /// Number of data sets.
    pub fn data_sets(&self) -> usize {
        self.ranks.len() / self.methods
    }

    /// Ranks of the methods on one data set.
    pub fn row(&self, data_set: usize) -> &[f64] {
        &self.ranks[data_set * self.methods..(data_set + 1) * self.methods]
    }

    /// Mean rank of each method.
    pub fn mean_ranks(&self) -> Vec<f64> {
        let n = self.data_sets() as f64;
        (0..self.methods)
            .map(|j| self.ranks.iter().skip(j).step_by(self.methods).sum::<f64>() / n)
            .collect()
    }
}

/// Result of the Friedman test.
#[derive(Debug, Clone, PartialEq)]
pub struct Friedman {
    /// Mean rank of each method.
    pub mean_ranks: Vec<f64>,
    /// The statistic corrected for ties, with k − 1 degrees of freedom.
    pub chi_square: f64,
    /// Its p-value.
    pub p: f64,
    /// The statistic without the correction.
    pub chi_square_uncorrected: f64,
    /// Its p-value.
    pub p_uncorrected: f64,
    /// Iman and Davenport's $F = (n-1)\chi^2 / (n(k-1) - \chi^2)$ of the corrected statistic, with
    /// k − 1 and (k − 1)(n − 1) degrees of freedom; infinite when all data sets agree.
    pub f: f64,
    /// Its p-value.
    pub p_f: f64,
}

/// Friedman test of the hypothesis that all methods are equal:
/// $\chi^2 = \left[\frac{12}{n k (k+1)} \sum_j R_j^2 - 3n(k+1)\right] /
/// \left[1 - \frac{\sum (t^3 - t)}{n (k^3 - k)}\right]$.
///
/// When every data set ties all methods, the statistics are 0.
pub fn friedman(table: &RankTable) -> Friedman {
    let n = table.data_sets() as f64;
    let k = table.methods() as f64;
    let mean_ranks = table.mean_ranks();
    // 12n/(k(k+1)) Σ (mean − (k+1)/2)² is the bracket without its cancellation.
    let centre = f64::midpoint(1.0, k);
    let spread: f64 = mean_ranks.iter().map(|r| (r - centre).powi(2)).sum();
    let uncorrected = 12.0 * n / (k * (k + 1.0)) * spread;
    let correction = 1.0 - table.tie_term / (n * (k * k * k - k));
    let corrected = if correction <= 0.0 {
        0.0
    } else {
        uncorrected / correction
    };
    let rest = n * (k - 1.0) - corrected;
    let f = if corrected == 0.0 {
        0.0
    } else if rest <= 1e-12 * corrected {
        f64::INFINITY
    } else {
        (n - 1.0) * corrected / rest
    };
    Friedman {
        mean_ranks,
        chi_square: corrected,
        p: chi_square_upper(corrected, k - 1.0),
        chi_square_uncorrected: uncorrected,
        p_uncorrected: chi_square_upper(uncorrected, k - 1.0),
        f,
        p_f: if table.data_sets() > 1 {
            f_upper(f, k - 1.0, (k - 1.0) * (n - 1.0))
        } else {
            1.0
        },
    }
}

/// Critical value $q_\alpha$ of the Nemenyi test: studentised range over √2.
pub fn nemenyi_q(methods: usize, alpha: f64) -> Result<f64> {
    check_post_hoc(methods, alpha)?;
    Ok(normal_range_quantile(alpha, methods) / std::f64::consts::SQRT_2)
}

/// Nemenyi's critical distance $q_\alpha \sqrt{k(k+1)/(6n)}$: mean ranks of two methods that are
/// farther apart differ significantly.
pub fn nemenyi_distance(methods: usize, data_sets: usize, alpha: f64) -> Result<f64> {
    Ok(nemenyi_q(methods, alpha)? * rank_error(methods, data_sets)?)
}

/// Critical value $q_\alpha$ of the Bonferroni–Dunn test: normal quantile at $\alpha/(2(k-1))$.
pub fn bonferroni_dunn_q(methods: usize, alpha: f64) -> Result<f64> {
    check_post_hoc(methods, alpha)?;
    Ok(-normal_quantile(alpha / (2.0 * (methods as f64 - 1.0))))
}

/// Bonferroni–Dunn critical distance for comparisons with one control method.
pub fn bonferroni_dunn_distance(methods: usize, data_sets: usize, alpha: f64) -> Result<f64> {
    Ok(bonferroni_dunn_q(methods, alpha)? * rank_error(methods, data_sets)?)
}

fn rank_error(methods: usize, data_sets: usize) -> Result<f64> {
    if data_sets == 0 {
        return Err(Error::NoRows);
    }
    let k = methods as f64;
    Ok((k * (k + 1.0) / (6.0 * data_sets as f64)).sqrt())
}

fn check_post_hoc(methods: usize, alpha: f64) -> Result<()> {
    if methods < 2 {
        return Err(Error::Shape {
            what: "methods to be compared",
            expected: 2,
            found: methods,
        });
    }
    if !(alpha > 0.0 && alpha < 1.0) {
        return Err(Error::Parameter {
            name: "alpha",
            value: alpha,
            requirement: "greater than 0 and less than 1",
        });
    }
    Ok(())
}

fn differences(first: &[f64], second: &[f64]) -> Result<Vec<f64>> {
    ensure_same_rows("values of the second sample", first.len(), second.len())?;
    ensure_numbers("value", first, true)?;
    ensure_numbers("value", second, true)?;
    Ok(first.iter().zip(second).map(|(a, b)| a - b).collect())
}
