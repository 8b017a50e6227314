//! Times of the parts that ranking spends its time in, on generated numbers.
//!
//! `cargo run --release -p hedgerow --example rank_speed [rows] [basis]`, with `RAYON_NUM_THREADS=1`
//! for one thread.

#![allow(clippy::print_stdout, reason = "an example prints")]

use hedgerow::data::{ClassLabels, Dataset, Generator, Samples, Target};
use hedgerow::rank::{BasisWord, RankRcParams};
use hedgerow::solve::pairwise::{PairSets, PairwiseHinge};
use std::time::Instant;

/// Repetitions, of which the fastest counts.
const REPEATS: usize = 5;

fn fastest(mut work: impl FnMut()) -> f64 {
    (0..REPEATS)
        .map(|_| {
            let start = Instant::now();
            work();
            start.elapsed().as_secs_f64()
        })
        .fold(f64::INFINITY, f64::min)
}

fn losses(n: usize, share: f64, n_levels: usize) {
    let mut generator = Generator::new(1);
    let levels: Vec<u32> = (0..n)
        .map(|_| {
            if generator.uniform() < share {
                1 + generator.below(n_levels - 1) as u32
            } else {
                0
            }
        })
        .collect();
    let scores: Vec<f64> = levels
        .iter()
        .map(|&level| f64::from(level.min(1)) + generator.normal())
        .collect();
    let members: Vec<u32> = (0..n as u32).collect();
    let Some(hinge) = PairwiseHinge::new(&levels, &members, 0.5) else {
        return;
    };
    let (mut sets, mut slopes) = (PairSets::default(), vec![0.0; n]);
    let evaluate = fastest(|| {
        hinge.evaluate(&scores, &mut sets, &mut slopes);
    });
    let mut product = vec![0.0; n];
    let curve = fastest(|| hinge.curve(&sets, &scores, &mut product));
    println!(
        "{n} scores, {n_levels} levels, {share} above the lowest: value and gradient {:.2} ms, Hessian product {:.2} ms",
        1e3 * evaluate,
        1e3 * curve
    );
}

fn path(n: usize, n_positive: usize) -> hedgerow::Result<()> {
    let n_features = 40;
    let mut generator = Generator::new(2);
    let mut values = Vec::with_capacity(n * n_features);
    let mut labels = Vec::with_capacity(n);
    for i in 0..n {
        let positive = i < n_positive;
        labels.push(f64::from(u8::from(positive)));
        // Rare rows lie in a few clumps among the others.
        let clump = i % 7;
        for f in 0..n_features {
            let shift = if positive && f % 7 == clump { 1.5 } else { 0.0 };
            values.push(generator.normal() + shift);
        }
    }
    let target = Target::Classes(ClassLabels::from_numbers(&labels));
    let data = Dataset::new(Samples::dense(n, n_features, values)?, target)?;
    let lambdas: Vec<f64> = (-10..=5).rev().map(|k| 4f64.powi(k)).collect();
    let start = Instant::now();
    let params = RankRcParams {
        basis: BasisWord::Rare,
        ..RankRcParams::default()
    };
    let fitted = params.fit_path(&data, &lambdas)?;
    println!(
        "{n} × {n_positive}, {} values of λ together: {:.2} s",
        lambdas.len(),
        start.elapsed().as_secs_f64()
    );
    for (lambda, one) in lambdas.iter().zip(&fitted) {
        println!(
            "  λ = 2^{}: objective {:.9}, {} products and steps, {:?}",
            lambda.log2(),
            one.report.objective,
            one.report.iterations,
            one.report.status
        );
    }
    Ok(())
}

fn main() -> hedgerow::Result<()> {
    let numbers: Vec<usize> = std::env::args()
        .skip(1)
        .filter_map(|argument| argument.parse().ok())
        .collect();
    for (share, n_levels) in [
        (0.001, 2),
        (0.01, 2),
        (0.1, 2),
        (0.5, 2),
        (0.15, 4),
        (0.15, 16),
    ] {
        losses(1_000_000, share, n_levels);
    }
    let n = numbers.first().copied().unwrap_or(100_000);
    path(n, numbers.get(1).copied().unwrap_or(800))
}
