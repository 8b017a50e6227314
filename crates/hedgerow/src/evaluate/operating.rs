//! Where to draw the line: precision–recall curves and operating points of scores.
//!
//! A threshold $t$ calls the rows with $f(x) \ge t$ positive. Of the thresholds that differ in what
//! they call, an [`Aim`] picks one:
//!
//! | aim | picks |
//! |---|---|
//! | [`Aim::Cost`] | the least $c_{FN}\,\mathrm{FN} + c_{FP}\,\mathrm{FP}$; of equals the fewest alerts |
//! | [`Aim::Recall`] | the highest threshold whose recall is at least the one asked for |
//! | [`Aim::Precision`] | the largest recall among thresholds of at least that precision |
//! | [`Aim::Alerts`] | the most alerts that are no more than so many |
//! | [`Aim::F1`] | the largest $F_1$; of equals the fewest alerts |
//!
//! Rows with equal scores are called alike: no threshold lies between them. The threshold is midway
//! to the next score below, so that rounding of scores does not change the calls.

use super::ranking::{ascending, check};
use super::{ensure_numbers, ensure_same_rows};
use crate::{Error, Result};

/// What a threshold is chosen for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Aim {
    /// The cheapest errors, given the price of a missed positive and of a false alarm.
    Cost {
        /// Price of a positive that is not called.
        missed: f64,
        /// Price of a negative that is called.
        alarm: f64,
    },
    /// At least this share of the positives is called.
    Recall(f64),
    /// At least this share of the calls is right.
    Precision(f64),
    /// At most so many rows are called.
    Alerts(usize),
    /// The best harmonic mean of precision and recall.
    F1,
}

/// What a threshold does to labelled rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OperatingPoint {
    /// Rows with at least this score are called; infinite if none is.
    pub threshold: f64,
    /// Positives that are called.
    pub hits: u64,
    /// Negatives that are called.
    pub alarms: u64,
    /// Positives in all.
    pub positives: u64,
    /// Negatives in all.
    pub negatives: u64,
}

impl OperatingPoint {
    /// Rows that are called.
    pub fn alerts(&self) -> u64 {
        self.hits + self.alarms
    }

    /// Share of the positives that are called.
    pub fn recall(&self) -> f64 {
        self.hits as f64 / self.positives as f64
    }

    /// Share of the calls that are right; 1 if none is made.
    pub fn precision(&self) -> f64 {
        if self.alerts() == 0 {
            return 1.0;
        }
        self.hits as f64 / self.alerts() as f64
    }

    /// Share of the negatives that are called.
    pub fn false_positive_rate(&self) -> f64 {
        self.alarms as f64 / self.negatives as f64
    }

    /// Harmonic mean of precision and recall.
    pub fn f1(&self) -> f64 {
        2.0 * self.hits as f64 / (self.positives + self.alerts()) as f64
    }

    /// What the errors cost.
    pub fn cost(&self, missed: f64, alarm: f64) -> f64 {
        missed * (self.positives - self.hits) as f64 + alarm * self.alarms as f64
    }
}

/// Every operating point of the scores, from no call to all rows.
pub fn operating_points(positive: &[bool], scores: &[f64]) -> Result<Vec<OperatingPoint>> {
    let (positives, negatives) = check(positive, scores)?;
    let mut point = OperatingPoint {
        threshold: f64::INFINITY,
        hits: 0,
        alarms: 0,
        positives,
        negatives,
    };
    let mut points = vec![point];
    let mut order = ascending(scores);
    order.reverse();
    let mut groups = order.chunk_by(|&i, &j| scores[i] == scores[j]).peekable();
    while let Some(group) = groups.next() {
        let hits = group.iter().filter(|&&i| positive[i]).count() as u64;
        point.hits += hits;
        point.alarms += group.len() as u64 - hits;
        let own = scores[group[0]];
        let below = groups.peek().map(|next| scores[next[0]]);
        point.threshold = below.map_or(own, |below| midway(below, own));
        points.push(point);
    }
    Ok(points)
}

/// A number above `low` and at most `high`, in the middle where it can be.
fn midway(low: f64, high: f64) -> f64 {
    let middle = low / 2.0 + high / 2.0;
    if middle > low && middle <= high {
        middle
    } else {
        high
    }
}

/// The operating point that serves an aim best.
pub fn operating_point(positive: &[bool], scores: &[f64], aim: Aim) -> Result<OperatingPoint> {
    aim.check()?;
    let points = operating_points(positive, scores)?;
    // Points come with falling thresholds: of equals the first has the fewest alerts.
    let first_best = |value: &dyn Fn(&OperatingPoint) -> f64| {
        let mut best = points[0];
        for point in &points[1..] {
            if value(point) > value(&best) {
                best = *point;
            }
        }
        best
    };
    let last = points[points.len() - 1];
    Ok(match aim {
        Aim::Cost { missed, alarm } => first_best(&|point| -point.cost(missed, alarm)),
        Aim::F1 => first_best(&OperatingPoint::f1),
        Aim::Recall(least) => {
            let enough = |point: &&OperatingPoint| point.recall() >= least;
            points.iter().find(enough).copied().unwrap_or(last)
        }
        Aim::Precision(least) => {
            let precise = |point: &&OperatingPoint| point.precision() >= least;
            let hits = |point: &&OperatingPoint| point.hits;
            let most = points.iter().filter(precise).map(|point| point.hits).max();
            let found = points.iter().filter(precise);
            found
                .clone()
                .find(|point| Some(hits(point)) == most)
                .copied()
                .unwrap_or(points[0])
        }
        Aim::Alerts(most) => {
            let few = |point: &&OperatingPoint| point.alerts() <= most as u64;
            points.iter().rev().find(few).copied().unwrap_or(points[0])
        }
    })
}

impl Aim {
    /// An error that names what is out of its range.
    pub fn check(self) -> Result<()> {
        let refuse = |name, value, requirement| {
            Err(Error::Parameter {
                name,
                value,
                requirement,
            })
        };
        match self {
            Self::Cost { missed, alarm } => {
                for (name, price) in [("missed", missed), ("alarm", alarm)] {
                    if !(price.is_finite() && price >= 0.0) {
                        return refuse(name, price, "a price of at least 0");
                    }
                }
                Ok(())
            }
            Self::Recall(share) if !(0.0..=1.0).contains(&share) => {
                refuse("recall", share, "from 0 to 1")
            }
            Self::Precision(share) if !(0.0..=1.0).contains(&share) => {
                refuse("precision", share, "from 0 to 1")
            }
            _ => Ok(()),
        }
    }
}

/// Share of positives among the `k` rows with the highest scores. Of rows with equal scores at the
/// end, each counts with the share of them that still fits: the mean over all orders of equals.
pub fn precision_at(positive: &[bool], scores: &[f64], k: usize) -> Result<f64> {
    ensure_same_rows("scores", positive.len(), scores.len())?;
    ensure_numbers("score", scores, false)?;
    let k = k.min(scores.len());
    if k == 0 {
        return Err(Error::Parameter {
            name: "k",
            value: 0.0,
            requirement: "at least 1",
        });
    }
    let mut order = ascending(scores);
    order.reverse();
    let (mut taken, mut hits) = (0, 0.0);
    for group in order.chunk_by(|&i, &j| scores[i] == scores[j]) {
        let own = group.iter().filter(|&&i| positive[i]).count() as f64;
        let fits = group.len().min(k - taken);
        hits += own * fits as f64 / group.len() as f64;
        taken += fits;
        if taken == k {
            break;
        }
    }
    Ok(hits / k as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    const POSITIVE: [bool; 6] = [true, false, true, false, false, true];
    const SCORES: [f64; 6] = [0.9, 0.8, 0.7, 0.7, 0.2, 0.1];

    fn at(aim: Aim) -> OperatingPoint {
        operating_point(&POSITIVE, &SCORES, aim).expect("a point")
    }

    #[test]
    fn points_go_from_no_call_to_all_rows() {
        let points = operating_points(&POSITIVE, &SCORES).expect("points");
        let calls: Vec<u64> = points.iter().map(OperatingPoint::alerts).collect();
        assert_eq!(calls, [0, 1, 2, 4, 5, 6]);
        for point in &points {
            let called = |&&s: &&f64| s >= point.threshold;
            let expected = SCORES.iter().filter(called).count() as u64;
            assert_eq!(point.alerts(), expected, "{point:?}");
        }
    }

    #[test]
    fn every_aim_has_its_point() {
        assert_eq!(at(Aim::Recall(0.5)).alerts(), 4);
        assert_eq!(at(Aim::Recall(1.0)).alerts(), 6);
        assert_eq!(at(Aim::Recall(0.0)).alerts(), 0);
        assert_eq!(at(Aim::Precision(0.5)).alerts(), 6);
        assert_eq!(at(Aim::Precision(0.6)).alerts(), 1);
        assert_eq!(at(Aim::Alerts(3)).alerts(), 2);
        assert_eq!(at(Aim::Alerts(100)).alerts(), 6);
        // Three misses cost as much as one miss with two alarms.
        let even = Aim::Cost {
            missed: 1.0,
            alarm: 1.0,
        };
        assert_eq!(at(even).alerts(), 1);
        let dear = Aim::Cost {
            missed: 10.0,
            alarm: 1.0,
        };
        assert_eq!(at(dear).alerts(), 6);
        assert_eq!(at(Aim::F1).alerts(), 6);
        assert!(operating_point(&POSITIVE, &SCORES, Aim::Recall(1.5)).is_err());
    }

    #[test]
    fn equal_scores_count_by_their_share() {
        let precision = |k| precision_at(&POSITIVE, &SCORES, k).expect("a share");
        assert_eq!(precision(1), 1.0);
        assert_eq!(precision(2), 0.5);
        assert_eq!(precision(3), 1.5 / 3.0);
        assert_eq!(precision(4), 0.5);
        assert_eq!(precision(60), 0.5);
        assert!(precision_at(&POSITIVE, &SCORES, 0).is_err());
    }

    #[test]
    fn neighbouring_numbers_have_a_threshold_between_them() {
        let (low, high) = (1.0, 1.0 + f64::EPSILON);
        assert_eq!(midway(low, high), high);
        assert_eq!(midway(0.0, 1.0), 0.5);
        assert!(midway(-f64::MAX, f64::MAX) > -f64::MAX);
    }
}
