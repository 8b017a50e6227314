//! Losses of pairs: printed numbers, and the sorted loss against pair by pair.

use hedgerow::data::Generator;
use hedgerow::solve::pairwise::brute::PairLoss;
use hedgerow::solve::pairwise::{PairSets, PairwiseHinge};
use proptest::prelude::*;

const SCORES: [f64; 5] = [0.2, -0.4, 1.1, 0.7, -1.0];
const VECTOR: [f64; 5] = [1.0, 2.0, -1.0, 0.5, 0.0];

struct Answer {
    pairs: f64,
    value: f64,
    slopes: Vec<f64>,
    product: Vec<f64>,
}

fn sorted(scores: &[f64], levels: &[u32], smoothing: f64, vector: &[f64]) -> Answer {
    let members: Vec<u32> = (0..levels.len() as u32).collect();
    let hinge = PairwiseHinge::new(levels, &members, smoothing).expect("pairs");
    let mut sets = PairSets::default();
    let (mut slopes, mut product) = (vec![0.0; scores.len()], vec![0.0; scores.len()]);
    let value = hinge.evaluate(scores, &mut sets, &mut slopes);
    hinge.curve(&sets, vector, &mut product);
    Answer {
        pairs: hinge.n_pairs(),
        value,
        slopes,
        product,
    }
}

#[track_caller]
fn assert_near(found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    for (f, e) in found.iter().zip(expected) {
        assert!(
            (f - e).abs() <= tolerance * (1.0 + e.abs()),
            "{found:?} {expected:?}"
        );
    }
}

#[track_caller]
fn assert_example(levels: &[u32], smoothing: f64, pairs: f64, value: f64, g: &[f64], h: &[f64]) {
    let answer = sorted(&SCORES, levels, smoothing, &VECTOR);
    assert_eq!(answer.pairs, pairs);
    assert_near(&[answer.value], &[value], 1e-14);
    assert_near(&answer.slopes, g, 1e-14);
    assert_near(&answer.product, h, 1e-14);
    let loss = PairLoss::SmoothedHinge(smoothing);
    let (value, slopes) = loss.evaluate(&SCORES, levels);
    assert_near(&[answer.value], &[value], 1e-14);
    assert_near(&answer.slopes, &slopes, 1e-14);
    assert_near(
        &answer.product,
        &loss.curve(&SCORES, levels, &VECTOR),
        1e-14,
    );
}

#[test]
fn the_worked_examples_come_out() {
    let two = [1, 0, 1, 0, 0];
    let (g, h) = ([-1.4, 0.4, -0.6, 1.6, 0.0], [-1.0, 1.0, -1.5, 1.5, 0.0]);
    assert_example(&two, 0.5, 6.0, 1.26, &g, &h);
    let (g, h) = ([-1.8, 0.8, -1.0, 2.0, 0.0], [-2.0, 2.0, 0.0, 0.0, 0.0]);
    assert_example(&two, 0.25, 6.0, 1.76, &g, &h);
    let (g, h) = ([0.2, 0.4, -0.7, 0.1, 0.0], [1.5, 1.0, -3.5, 1.0, 0.0]);
    assert_example(&[1, 0, 3, 2, 0], 0.5, 9.0, 0.39, &g, &h);
}

#[test]
fn without_two_levels_there_are_no_pairs() {
    assert!(PairwiseHinge::new(&[3, 3, 3], &[0, 1, 2], 0.5).is_none());
    assert!(PairwiseHinge::new(&[], &[], 0.5).is_none());
    assert!(PairwiseHinge::new(&[0, 1], &[1], 0.5).is_none());
}

#[test]
fn equal_scores_are_all_on_one_side_of_the_knot() {
    for score in [0.0, 0.1, 0.3, 1e6 + 0.1] {
        for levels in [&[1, 0, 0, 1, 0][..], &[2, 0, 1, 1, 0]] {
            let scores = vec![score; 5];
            let vector = [1.0, 0.25, -1.0, 0.5, 2.0];
            let answer = sorted(&scores, levels, 0.5, &vector);
            let loss = PairLoss::SmoothedHinge(0.5);
            assert_near(&[answer.value], &[answer.pairs * 0.5], 1e-9);
            let zeros = [0.0; 5];
            assert_near(&answer.product, &loss.curve(&zeros, levels, &vector), 1e-12);
        }
    }
}

#[test]
fn rows_that_are_no_members_count_nothing() {
    let mut generator = Generator::new(4);
    for n_levels in [2, 4] {
        let levels: Vec<u32> = (0..60).map(|_| generator.below(n_levels) as u32).collect();
        let scores: Vec<f64> = (0..60).map(|_| generator.normal()).collect();
        let members: Vec<u32> = (0..60).filter(|i| i % 3 != 1).collect();
        let take =
            |values: &[f64]| -> Vec<f64> { members.iter().map(|&i| values[i as usize]).collect() };
        let own_levels: Vec<u32> = members.iter().map(|&i| levels[i as usize]).collect();
        let alone = sorted(&take(&scores), &own_levels, 0.25, &take(&scores));
        let hinge = PairwiseHinge::new(&levels, &members, 0.25).expect("pairs");
        let mut sets = PairSets::default();
        let (mut slopes, mut product) = (vec![9.0; 60], vec![9.0; 60]);
        assert_eq!(hinge.evaluate(&scores, &mut sets, &mut slopes), alone.value);
        hinge.curve(&sets, &scores, &mut product);
        assert_eq!(take(&slopes), alone.slopes);
        assert_eq!(take(&product), alone.product);
        for i in (0..60).filter(|i| i % 3 == 1) {
            assert_eq!((slopes[i], product[i]), (0.0, 0.0));
        }
    }
}

#[test]
fn scores_that_are_not_finite_are_infinitely_bad() {
    for levels in [[0, 1, 0, 1], [0, 1, 2, 3]] {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let answer = sorted(&[0.0, 1.0, bad, 0.5], &levels, 0.5, &[1.0; 4]);
            assert_eq!(answer.value, f64::INFINITY);
            assert_near(&answer.slopes, &[0.0; 4], 0.0);
            assert_near(&answer.product, &[0.0; 4], 0.0);
        }
    }
    // Far apart, yet finite.
    let answer = sorted(&[0.0, 1e300, -1e300, 0.5], &[0, 1, 0, 1], 0.5, &[1.0; 4]);
    assert!(answer.slopes.iter().all(|slope| slope.is_finite()));
}

#[test]
fn many_rows_give_what_few_give_when_each_is_repeated() {
    let mut generator = Generator::new(9);
    let (n, times) = (300, 40);
    let few_levels: Vec<u32> = (0..n)
        .map(|_| u32::from(generator.uniform() < 0.2))
        .collect();
    let few: Vec<f64> = (0..n).map(|_| 2.0 * generator.normal()).collect();
    let repeat =
        |values: &[f64]| -> Vec<f64> { values.iter().copied().cycle().take(n * times).collect() };
    for turned in [false, true] {
        let levels: Vec<u32> = few_levels.iter().map(|l| l ^ u32::from(turned)).collect();
        let vector: Vec<f64> = (0..n).map(|i| (i as f64).sin()).collect();
        let small = sorted(&few, &levels, 0.5, &vector);
        let many_levels: Vec<u32> = levels.iter().copied().cycle().take(n * times).collect();
        let large = sorted(&repeat(&few), &many_levels, 0.5, &repeat(&vector));
        let times = times as f64;
        assert_near(&[large.value], &[small.value * times * times], 1e-12);
        for i in 0..n {
            assert_near(&[large.slopes[i]], &[small.slopes[i] * times], 1e-10);
            assert_near(&[large.product[i]], &[small.product[i] * times], 1e-10);
        }
    }
}

/// Scores of so many rows of both levels that both are sorted.
fn many_of_both(score: impl Fn(&mut Generator) -> f64, share: f64) -> (Vec<f64>, Vec<u32>) {
    let mut generator = Generator::new(11);
    let n = 150_000;
    let levels: Vec<u32> = (0..n)
        .map(|_| u32::from(generator.uniform() < share))
        .collect();
    ((0..n).map(|_| score(&mut generator)).collect(), levels)
}

#[test]
fn products_of_many_rows_of_both_levels_are_symmetric_to_rounding() {
    let (scores, levels) = many_of_both(|g| (g.normal() * 10.0).round() / 10.0, 0.5);
    let (u, _) = many_of_both(Generator::normal, 0.5);
    let v: Vec<f64> = u.iter().rev().copied().collect();
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
    for smoothing in [0.5, 0.25, 0.05] {
        let hu = sorted(&scores, &levels, smoothing, &u).product;
        let hv = sorted(&scores, &levels, smoothing, &v).product;
        let scale = dot(&hu, &hu).sqrt() * dot(&v, &v).sqrt();
        assert!((dot(&v, &hu) - dot(&u, &hv)).abs() <= 1e-12 * scale);
        // Constant vectors are in its kernel.
        let ones = vec![1.0; scores.len()];
        let h1 = sorted(&scores, &levels, smoothing, &ones).product;
        assert!(h1.iter().all(|value| value.abs() <= 1e-6));
    }
}

#[test]
fn rows_of_both_levels_may_be_many_and_in_any_order() {
    // 25 different scores: the pairs of each two values are counted.
    let (scores, levels) = many_of_both(|g| g.below(25) as f64 / 8.0 - 1.5, 0.55);
    let (n, smoothing) = (scores.len(), 0.25);
    let place = |score: f64| ((score + 1.5) * 8.0) as usize;
    let mut counts = [[0.0f64; 25]; 2];
    let vector: Vec<f64> = (0..n).map(|i| (i % 7) as f64 - 3.0).collect();
    let mut sums = [[0.0f64; 25]; 2];
    for i in 0..n {
        counts[levels[i] as usize][place(scores[i])] += 1.0;
        sums[levels[i] as usize][place(scores[i])] += vector[i];
    }
    let answer = sorted(&scores, &levels, smoothing, &vector);
    let loss = PairLoss::SmoothedHinge(smoothing);
    let value_of = |k: usize| k as f64 / 8.0 - 1.5;
    let mut expected = 0.0;
    for a in 0..25 {
        for b in 0..25 {
            expected += counts[1][a] * counts[0][b] * loss.value(value_of(a) - value_of(b));
        }
    }
    assert_near(&[answer.value], &[expected], 1e-12);
    for i in (0..n).step_by(997) {
        let (own, other) = (levels[i] as usize, 1 - levels[i] as usize);
        let sign = if own == 1 { 1.0 } else { -1.0 };
        let (mut slope, mut product) = (0.0, 0.0);
        for b in 0..25 {
            let t = sign * (scores[i] - value_of(b));
            slope += sign * counts[other][b] * loss.slope(t);
            product += loss.curvature(t) * (counts[other][b] * vector[i] - sums[other][b]);
        }
        assert_near(
            &[answer.slopes[i], answer.product[i]],
            &[slope, product],
            1e-11,
        );
    }
}

#[test]
fn so_many_rows_that_both_levels_are_sorted_give_what_few_give() {
    let mut generator = Generator::new(10);
    let n = 1000;
    // The smaller level has more than 2^16 rows when repeated.
    let times = 200;
    let few: Vec<f64> = (0..n).map(|_| generator.normal()).collect();
    let few_levels: Vec<u32> = (0..n).map(|i| u32::from(i % 5 < 2)).collect();
    let small = sorted(&few, &few_levels, 0.5, &few);
    let levels: Vec<u32> = few_levels.iter().copied().cycle().take(n * times).collect();
    let many: Vec<f64> = few.iter().copied().cycle().take(n * times).collect();
    let large = sorted(&many, &levels, 0.5, &many);
    let times = times as f64;
    assert_near(&[large.value], &[small.value * times * times], 1e-11);
    for i in 0..n {
        assert_near(&[large.slopes[i]], &[small.slopes[i] * times], 1e-9);
        assert_near(&[large.product[i]], &[small.product[i] * times], 1e-9);
    }
}

/// Average precision by its definition: each positive row's precision among the rows that are scored
/// at least as high.
fn precision_row_by_row(levels: &[u32], scores: &[f64]) -> f64 {
    let positives: Vec<usize> = (0..levels.len()).filter(|&i| levels[i] == 1).collect();
    let precision = |&i: &usize| {
        let above = (0..levels.len()).filter(|&j| scores[j] >= scores[i]);
        let (all, hits) = above.fold((0.0, 0.0), |(all, hits), j| {
            (all + 1.0, hits + f64::from(levels[j]))
        });
        hits / all
    };
    positives.iter().map(precision).sum::<f64>() / positives.len() as f64
}

#[test]
fn pairs_are_counted_as_one_by_one() {
    use hedgerow::solve::pairwise::{PairCounts, precision_of_the_top};
    let mut generator = Generator::new(12);
    for n_levels in [2, 5] {
        for decimals in [1.0, 1e6] {
            // So many that they are sorted digit by digit.
            let n = 600;
            let levels: Vec<u32> = (0..n).map(|_| generator.below(n_levels) as u32).collect();
            let draw = |_| (generator.normal() * decimals).round() / decimals;
            let mut scores: Vec<f64> = (0..n).map(draw).collect();
            let members: Vec<u32> = (0..n as u32).collect();
            for infinite in [false, true] {
                if infinite {
                    scores[..4].copy_from_slice(&[f64::INFINITY, f64::NEG_INFINITY, -0.0, 0.0]);
                }
                let (mut pairs, mut wins, mut ties) = (0, 0, 0);
                for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
                    if levels[i] > levels[j] {
                        pairs += 1;
                        wins += u64::from(scores[i] > scores[j]);
                        ties += u64::from(scores[i] == scores[j]);
                    }
                }
                let found = PairCounts::of(&levels, &members, &scores);
                assert_eq!(found, Some(PairCounts { pairs, wins, ties }));
                if n_levels == 2 {
                    let top = precision_of_the_top(&levels, &members, &scores).expect("pairs");
                    assert!((top - precision_row_by_row(&levels, &scores)).abs() < 1e-12);
                }
            }
            scores[7] = f64::NAN;
            assert_eq!(PairCounts::of(&levels, &members, &scores), None);
            assert_eq!(precision_of_the_top(&levels, &members, &scores), None);
        }
    }
    assert_eq!(PairCounts::of(&[1, 1], &[0, 1], &[0.0, 1.0]), None);
}

/// Scores, levels and two vectors of the same length.
fn problem(
    score: impl Strategy<Value = f64>,
) -> impl Strategy<Value = (Vec<f64>, Vec<u32>, Vec<f64>, Vec<f64>)> {
    let row = (score, 0u32..5, -2.0..2.0f64, -2.0..2.0f64);
    (prop::collection::vec(row, 2..40), 2u32..6).prop_filter_map(
        "rows of two levels",
        |(rows, n_levels)| {
            let levels: Vec<u32> = rows.iter().map(|row| row.1 % n_levels).collect();
            levels.iter().any(|&level| level != levels[0]).then(|| {
                (
                    rows.iter().map(|row| row.0).collect(),
                    levels,
                    rows.iter().map(|row| row.2).collect(),
                    rows.iter().map(|row| row.3).collect(),
                )
            })
        },
    )
}

proptest! {
    #[test]
    fn value_and_slopes_are_those_of_all_pairs(
        (scores, levels, vector, _) in problem(prop_oneof![
            -3.0..3.0f64,
            (-30i32..30).prop_map(|k| f64::from(k) / 10.0),
            -1e3..1e3f64,
        ]),
        smoothing in prop_oneof![Just(0.5), Just(0.25), Just(0.05), 1e-3..1.0f64],
    ) {
        let answer = sorted(&scores, &levels, smoothing, &vector);
        let (value, slopes) = PairLoss::SmoothedHinge(smoothing).evaluate(&scores, &levels);
        prop_assert!((answer.value - value).abs() <= 1e-8 * (1.0 + value.abs()));
        for (found, expected) in answer.slopes.iter().zip(&slopes) {
            prop_assert!((found - expected).abs() <= 1e-6 * (1.0 + expected.abs()));
        }
    }

    #[test]
    fn products_are_exact_on_dyadic_scores(
        (scores, levels, vector, _) in problem((-32i32..32).prop_map(|k| f64::from(k) / 8.0)),
        smoothing in prop_oneof![Just(0.5), Just(0.25), Just(0.125)],
    ) {
        let answer = sorted(&scores, &levels, smoothing, &vector);
        let expected = PairLoss::SmoothedHinge(smoothing).curve(&scores, &levels, &vector);
        for (found, expected) in answer.product.iter().zip(&expected) {
            prop_assert!((found - expected).abs() <= 1e-12 * (1.0 + expected.abs()));
        }
    }

    #[test]
    fn the_hessian_is_symmetric_to_rounding(
        (scores, levels, u, v) in problem((-30i32..30).prop_map(|k| f64::from(k) / 10.0)),
        smoothing in prop_oneof![Just(0.5), Just(0.25), Just(0.05)],
    ) {
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
        let vhu = dot(&v, &sorted(&scores, &levels, smoothing, &u).product);
        let uhv = dot(&u, &sorted(&scores, &levels, smoothing, &v).product);
        prop_assert!((vhu - uhv).abs() <= 1e-10 * (1.0 + vhu.abs()), "{} {}", vhu, uhv);
    }
}
