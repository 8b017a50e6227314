//! Weights of columns for ranking: on where columns matter unequally, off where they do not.

use hedgerow::data::{ClassLabels, ClassName, Dataset, Generator, Samples, Target};
use hedgerow::rank::RankWeightsParams;
use hedgerow::{Error, Result};

/// A rare class inside a ball of the first two columns, or by chance.
fn data(n: usize, d: usize, planted: bool, seed: u64) -> Dataset {
    let mut generator = Generator::new(seed);
    let values: Vec<f64> = (0..n * d)
        .map(|_| 5.0 + 10.0 * generator.normal())
        .collect();
    let codes = values
        .chunks_exact(d)
        .map(|row| {
            let (a, b) = ((row[0] - 5.0) / 10.0, (row[d.min(2) - 1] - 5.0) / 10.0);
            let chance = generator.uniform() < 0.1;
            u32::from(if planted { a * a + b * b < 0.3 } else { chance })
        })
        .collect();
    let names = vec![ClassName::Number(0.0), ClassName::Number(1.0)];
    let labels = ClassLabels::new(names, codes).expect("labels");
    let samples = Samples::dense(n, d, values).expect("rows");
    Dataset::new(samples, Target::Classes(labels)).expect("data")
}

#[test]
fn columns_that_say_nothing_are_dropped() -> Result<()> {
    let found = RankWeightsParams::default().fit(&data(400, 12, true, 1))?;
    let weights = found.weights.as_ref().expect("weights help here");
    for f in 2..12 {
        assert!(weights[f] < 0.5 * weights[0].min(weights[1]), "{weights:?}");
    }
    assert!(found.validation.1 > found.validation.0);
    assert!(found.prices.is_some());
    // Standard deviations are about 10.
    assert!((found.factors[0] * 10.0 / weights[0] - 1.0).abs() < 0.2);
    Ok(())
}

#[test]
fn chance_switches_no_weights_on_and_hostile_data_are_borne() -> Result<()> {
    let mut on = 0;
    for seed in 1..=5 {
        let found = RankWeightsParams::default().fit(&data(150, 6, false, seed))?;
        on += usize::from(found.weights.is_some());
        if found.weights.is_none() {
            // The kernel is as wide as the mean squared distance.
            assert!(found.factors.iter().all(|&factor| factor > 0.0));
        }
    }
    assert!(on <= 2, "{on} of 5");
    let one = data(40, 1, true, 3);
    assert_eq!(RankWeightsParams::default().fit(&one)?.n_kept(), 1);
    let none = data(40, 3, true, 3).select(&[0]);
    let failed = RankWeightsParams::default().fit(&none);
    assert!(matches!(failed, Err(Error::TooFewClasses { .. })));
    let flat = Samples::dense(30, 2, vec![1.0; 60])?;
    let names = vec![ClassName::Number(0.0), ClassName::Number(1.0)];
    let codes = (0..30).map(|i| u32::from(i % 5 == 0)).collect();
    let flat = Dataset::new(flat, Target::Classes(ClassLabels::new(names, codes)?))?;
    assert!(RankWeightsParams::default().fit(&flat)?.weights.is_none());
    Ok(())
}

#[test]
fn weights_do_not_depend_on_the_number_of_threads() -> Result<()> {
    let data = data(200, 5, true, 7);
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.expect("a pool")
            .install(|| RankWeightsParams::default().fit(&data))
    };
    let one = run(1)?;
    assert_eq!(one, run(2)?);
    assert_eq!(one, run(8)?);
    Ok(())
}
