//! Kernel feature weights with prices chosen on rows held out, for the comparisons in `benches`.
//!
//! `weights_on_files METHOD TRAIN VALIDATION TEST COSTS MUS STARTS [OPTIONS]`
//!
//! The files are CSV of numbers with a header, the label last, +1 or -1. Every triple of a list is fitted on
//! TRAIN and judged on VALIDATION; the best (of equal errors the one that keeps fewer features) is
//! judged on TEST, with `--refit` after a fit on TRAIN and VALIDATION together. Prints one JSON object.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "an example prints"
)]

use hedgerow::data::{ClassLabels, ClassName, Dataset, Samples, Target};
use hedgerow::select::{
    KernelWeights, KernelWeightsParams, WeightStart, WeightSteps, WeightingMethod,
};
use std::error::Error;
use std::time::Instant;

type Rows = (Vec<f64>, Vec<f64>, usize);

fn read(path: &str) -> Result<Rows, Box<dyn Error>> {
    let text = std::fs::read_to_string(path)?;
    let (mut values, mut labels, mut width) = (Vec::new(), Vec::new(), 0);
    for line in text.lines().skip(1).filter(|line| !line.is_empty()) {
        let mut row = line
            .split(',')
            .map(str::parse)
            .collect::<Result<Vec<f64>, _>>()?;
        labels.push(row.pop().ok_or("an empty line")?);
        width = row.len();
        values.extend(row);
    }
    Ok((values, labels, width))
}

fn dataset((values, labels, width): &Rows) -> Result<Dataset, Box<dyn Error>> {
    let samples = Samples::dense(labels.len(), *width, values.clone())?;
    // The same codes in every file, whatever its first label is.
    let names = vec![ClassName::Number(-1.0), ClassName::Number(1.0)];
    let codes = labels.iter().map(|&label| u32::from(label > 0.0)).collect();
    let labels = ClassLabels::new(names, codes)?;
    Ok(Dataset::new(samples, Target::Classes(labels))?)
}

fn error_of(found: &KernelWeights, data: &Dataset) -> Result<f64, Box<dyn Error>> {
    let decisions = &found.decision_values(data.samples().view())?[0];
    let codes = data.classes()?.codes();
    let pairs = decisions.iter().zip(codes);
    let wrong = pairs
        .filter(|&(&f, &code)| (f > 0.0) != (code == 1))
        .count();
    Ok(wrong as f64 / codes.len() as f64)
}

fn numbers(text: &str) -> Result<Vec<f64>, Box<dyn Error>> {
    Ok(text.split(',').map(str::parse).collect::<Result<_, _>>()?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [
        method,
        train,
        validation,
        test,
        costs,
        mus,
        starts,
        options @ ..,
    ] = &words[..]
    else {
        return Err("METHOD TRAIN VALIDATION TEST COSTS MUS STARTS [--refit] [--verbose] [--keep-zeros] [--exact] [--subspace]".into());
    };
    let has = |name: &str| options.iter().any(|option| option == name);
    let method = match &method[..] {
        "full-fs" => WeightingMethod::Full,
        "ao" => WeightingMethod::Simple,
        "ao-i" => WeightingMethod::AoOne,
        "ao-ii" => WeightingMethod::AoTwo,
        "gmkl" => WeightingMethod::Gmkl,
        other => return Err(format!("no method {other}").into()),
    };
    let (rows, held_out) = (read(train)?, read(validation)?);
    let (data, judge, test) = (dataset(&rows)?, dataset(&held_out)?, dataset(&read(test)?)?);
    let params = KernelWeightsParams::default()
        .with_method(method)
        .with_reactivate(!has("--keep-zeros"))
        .with_steps(match (has("--exact"), has("--subspace")) {
            (true, _) => WeightSteps::Exact,
            (_, true) => WeightSteps::Subspace,
            _ => WeightSteps::Auto,
        });
    let (costs, mus) = (numbers(costs)?, numbers(mus)?);
    let mut best: Option<(f64, usize, KernelWeightsParams, KernelWeights)> = None;
    let (mut fits, mut seconds) = (0, 0.0);
    for start in starts.split(',') {
        let start = match start {
            "ones" => WeightStart::Ones,
            "scaled" => WeightStart::Scaled,
            "relief" => WeightStart::Relief,
            other => return Err(format!("no start {other}").into()),
        };
        let params = params.with_start(start);
        let clock = Instant::now();
        let grid = params.fit_grid(&data, &costs, &mus)?;
        seconds += clock.elapsed().as_secs_f64();
        fits += grid.len();
        for found in grid.into_iter().flatten() {
            let error = error_of(&found, &judge)?;
            if has("--verbose") {
                eprintln!(
                    "{start:?} C {} mu {}: error {error:.4}, {} features, objective {:.2}, {} rounds",
                    found.cost,
                    found.mu,
                    found.n_kept(),
                    found.classes[0].objective,
                    found.classes[0].trace.len(),
                );
            }
            let better = best.as_ref().is_none_or(|(least, kept, ..)| {
                error < *least || (error == *least && found.n_kept() < *kept)
            });
            if better {
                let params = params.with_cost(Some(found.cost)).with_mu(Some(found.mu));
                best = Some((error, found.n_kept(), params, found));
            }
        }
    }
    let (error, _, params, mut found) = best.ok_or("nothing was selected at any price")?;
    if has("--refit") {
        let mut all = rows;
        all.0.extend(&held_out.0);
        all.1.extend(&held_out.1);
        let chosen = (found.cost, found.mu);
        let grid = params.fit_grid(&dataset(&all)?, &costs, &mus)?;
        let mut again = grid.into_iter().flatten();
        found = again
            .rfind(|found| (found.cost, found.mu) == chosen)
            .ok_or("every weight became 0")?;
    }
    let saddle = found.classes[0].saddle;
    println!(
        "{{\"cost\": {}, \"mu\": {}, \"start\": \"{:?}\", \"validation_error\": {error}, \"test_error\": {}, \
         \"objective\": {}, \"label\": \"{}\", \"least_eigenvalue\": {}, \"fits\": {fits}, \
         \"seconds\": {seconds}, \"weights\": {:?}, \"factors\": {:?}}}",
        found.cost,
        found.mu,
        params.start,
        error_of(&found, &test)?,
        found.classes[0].objective,
        saddle.map_or('-', |saddle| saddle.label()),
        saddle.map_or("null".to_owned(), |saddle| saddle.least.to_string()),
        found.weights,
        found.factors,
    );
    Ok(())
}
