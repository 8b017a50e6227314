//! Compares the directions of KFDA and KQPFS on every split of the sets of the IDA benchmark.
//!
//! ```text
//! cargo run --release -p hedgerow-cli --example kernel_directions -- FOLDER [SPLITS]
//! ```
//!
//! The folder holds `ida_splits.csv.gz` and the sets that it names; a set that is missing is left out
//! and said so. Prints, for either penalty, how far the cosine of the coefficients, the correlation of
//! the values at the training rows and the ratio of lengths are from what they should be, at most.

use hedgerow::data::{ClassLabels, ClassName, Dataset, Scaling, Target};
use hedgerow::proximal::{FisherPenalty, KfdaParams};
use hedgerow_io::{ReadOptions, Source, TargetKind, read_dataset};
use std::error::Error;
use std::io::Write;

/// Sets whose columns are as they were measured.
const RAW: [&str; 3] = ["heart", "new_thyroid", "waveform"];

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let folder = words
        .next()
        .ok_or("usage: kernel_directions FOLDER [SPLITS]")?;
    let most: usize = words.next().map_or(Ok(100), |word| word.parse())?;
    let bytes = Source::from_argument(&format!("{folder}/ida_splits.csv.gz")).read()?;
    let text = String::from_utf8(bytes)?;
    let mut splits: Vec<(String, Vec<Vec<usize>>)> = Vec::new();
    for line in text.lines().skip(1) {
        let mut cells = line.split(',');
        let name = cells.next().unwrap_or_default();
        let rows: Result<Vec<usize>, _> = cells
            .nth(1)
            .unwrap_or_default()
            .split_whitespace()
            .map(str::parse)
            .collect();
        match splits.last_mut() {
            Some((last, found)) if last == name => found.push(rows?),
            _ => splits.push((name.to_owned(), vec![rows?])),
        }
    }
    let mut out = std::io::stdout();
    writeln!(
        out,
        "set | penalty | splits | 1 - cosine | 1 - correlation | ratio / kappa - 1"
    )?;
    for (name, splits) in &splits {
        let Some(data) = read(&folder, name)? else {
            writeln!(out, "{name} | no such file")?;
            continue;
        };
        for (word, penalty) in [
            ("coefficient", FisherPenalty::Coefficient),
            ("rkhs", FisherPenalty::Rkhs),
        ] {
            let mut params = KfdaParams::default();
            params.direction.penalty = penalty;
            let mut worst = [0.0f64; 3];
            for rows in splits.iter().take(most) {
                let mut part = data.select(rows);
                if RAW.contains(&name.as_str()) {
                    let scaler = Scaling::Standardize.fit(part.samples().view())?;
                    let samples = scaler.apply(part.samples().view())?;
                    part = part.with_samples(samples)?;
                }
                let same = params.equivalence(&part)?;
                let found = [
                    1.0 - same.cosine,
                    1.0 - same.projected,
                    (same.ratio / same.kappa - 1.0).abs(),
                ];
                for (worst, found) in worst.iter_mut().zip(found) {
                    *worst = worst.max(found);
                }
            }
            let [cosine, projected, ratio] = worst;
            let count = splits.len().min(most);
            writeln!(
                out,
                "{name} | {word} | {count} | {cosine:.1e} | {projected:.1e} | {ratio:.1e}"
            )?;
        }
    }
    Ok(())
}

/// A set with two classes: of more the first against the rest. Training rows come before test rows.
fn read(folder: &str, name: &str) -> Result<Option<Dataset>, Box<dyn Error>> {
    let options = ReadOptions::default().with_target(TargetKind::Classes);
    let whole = format!("{folder}/{name}.csv.gz");
    let parts = [
        format!("{folder}/{name}.train.csv.gz"),
        format!("{folder}/{name}.test.csv.gz"),
    ];
    let exists = |path: &String| std::path::Path::new(path).exists();
    let files: Vec<String> = if exists(&whole) {
        vec![whole]
    } else if parts.iter().all(exists) {
        parts.to_vec()
    } else {
        return Ok(None);
    };
    let mut samples = None;
    let mut is_first = Vec::new();
    for file in files {
        let data = read_dataset(&Source::from_argument(&file), &options)?.dataset;
        let labels = data.classes()?;
        let names = labels.names();
        let codes = labels.codes().iter();
        is_first.extend(codes.map(|&code| u32::from(names[code as usize].to_string() == "1")));
        match &mut samples {
            None => samples = Some(data.samples().clone()),
            Some(all) => all.append(data.samples().view())?,
        }
    }
    if is_first.iter().all(|&code| code == 0) {
        // Names are words: the first row's class against the rest.
        let data = read_dataset(
            &Source::from_argument(&format!("{folder}/{name}.csv.gz")),
            &options,
        )?;
        let codes = data.dataset.classes()?.codes().to_vec();
        is_first = codes
            .iter()
            .map(|&code| u32::from(code == codes[0]))
            .collect();
    }
    let names: Vec<ClassName> = ClassLabels::from_numbers(&[-1.0, 1.0]).names().to_vec();
    let labels = ClassLabels::new(names, is_first)?;
    let samples = samples.ok_or("no rows")?;
    Ok(Some(Dataset::new(samples, Target::Classes(labels))?))
}
