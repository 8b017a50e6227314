//! RankRC with and without learned weights of columns, for the comparison in `benches`.
//!
//! `rank_weights_on_files TRAIN TEST`
//!
//! The files are CSV of numbers with a header, the label last, 1 for the rare class and 0. Columns must be
//! standardised. Prints one JSON object with the scores of the test rows.

#![allow(clippy::print_stdout, reason = "an example prints")]

use hedgerow::Predictor;
use hedgerow::data::{ClassLabels, ClassName, Columns, Dataset, Samples, Target};
use hedgerow::kernel::Kernel;
use hedgerow::rank::{RankRcParams, RankWeightsParams};
use std::error::Error;
use std::time::Instant;

fn read(path: &str) -> Result<Dataset, Box<dyn Error>> {
    let text = std::fs::read_to_string(path)?;
    let (mut values, mut codes, mut width) = (Vec::new(), Vec::new(), 0);
    for line in text.lines().skip(1).filter(|line| !line.is_empty()) {
        let mut row = line
            .split(',')
            .map(str::parse)
            .collect::<Result<Vec<f64>, _>>()?;
        codes.push(u32::from(row.pop().ok_or("an empty line")? > 0.0));
        width = row.len();
        values.extend(row);
    }
    let names = vec![ClassName::Number(0.0), ClassName::Number(1.0)];
    let samples = Samples::dense(codes.len(), width, values)?;
    Ok(Dataset::new(
        samples,
        Target::Classes(ClassLabels::new(names, codes)?),
    )?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [train, test] = &words[..] else {
        return Err("TRAIN TEST".into());
    };
    let (train, test) = (read(train)?, read(test)?);
    let positive = ClassName::Number(1.0);
    let params = RankRcParams::default().with_positive(positive.clone());
    let clock = Instant::now();
    let plain = params.fit(&train)?.model.scores(test.samples().view())?;
    let plain_seconds = clock.elapsed().as_secs_f64();
    let clock = Instant::now();
    let mut learning = RankWeightsParams::default();
    learning.positive = Some(positive);
    let found = learning.fit(&train)?;
    let columns = Columns::weighted(&found.factors)?;
    let model = params
        .with_kernel(Kernel::rbf(1.0))
        .fit(&columns.apply_to(&train)?)?
        .model;
    let weighted = model.scores(columns.apply(test.samples().view()).view())?;
    println!(
        "{{\"plain\": {:?}, \"weighted\": {:?}, \"on\": {}, \"kept\": {}, \"validation\": [{}, {}], \
         \"plain_seconds\": {plain_seconds}, \"weighted_seconds\": {}}}",
        plain.values,
        weighted.values,
        found.weights.is_some(),
        found.n_kept(),
        found.validation.0,
        found.validation.1,
        clock.elapsed().as_secs_f64(),
    );
    Ok(())
}
