//! Noise in the labels and thinned classes.

use super::ensure_fraction;
use crate::data::{ClassLabels, ClassName, Dataset, Generator, Target};
use crate::{Error, Result};

/// Replaces each label with probability `probability` by another class of the data, all others
/// being equally likely. With two classes that flips it.
pub fn flip_labels(data: &Dataset, probability: f64, seed: u64) -> Result<Dataset> {
    ensure_fraction("probability", probability)?;
    let labels = data.classes()?;
    let k = labels.n_classes();
    if k < 2 {
        return Err(Error::TooFewClasses {
            needed: 2,
            found: k,
        });
    }
    let mut generator = Generator::new(seed);
    let codes = labels
        .codes()
        .iter()
        .map(|&code| {
            if generator.uniform() < probability {
                let other = generator.below(k - 1) as u32;
                if other < code { other } else { other + 1 }
            } else {
                code
            }
        })
        .collect();
    let flipped = ClassLabels::new(labels.names().to_vec(), codes)?;
    let target = match data.target() {
        Target::Ordinal(_) => Target::Ordinal(flipped),
        _ => Target::Classes(flipped),
    };
    let mut out = Dataset::new(data.samples().clone(), target)?;
    if let Some(weights) = data.weights() {
        out = out.with_weights(weights.to_vec())?;
    }
    match data.feature_names() {
        Some(names) => out.with_feature_names(names.to_vec()),
        None => Ok(out),
    }
}

/// Removes a random `fraction` of the rows of one class; the smallest class when none is named
/// (the first of equals). The other rows keep their order.
pub fn thin_class(
    data: &Dataset,
    class: Option<&ClassName>,
    fraction: f64,
    seed: u64,
) -> Result<Dataset> {
    ensure_fraction("fraction", fraction)?;
    let labels = data.classes()?;
    let code = if let Some(name) = class {
        labels.code_of(name).ok_or_else(|| Error::UnknownClass {
            name: name.to_string(),
        })?
    } else {
        let counts = labels.counts();
        let smallest = (0..counts.len())
            .filter(|&c| counts[c] > 0)
            .min_by_key(|&c| counts[c]);
        smallest.ok_or(Error::NoRows)? as u32
    };
    let rows: Vec<usize> = (0..labels.len())
        .filter(|&i| labels.codes()[i] == code)
        .collect();
    let removed = (rows.len() as f64 * fraction).round() as usize;
    let mut keep = vec![true; labels.len()];
    for at in Generator::new(seed).sample(rows.len(), removed) {
        keep[rows[at]] = false;
    }
    let kept: Vec<usize> = (0..labels.len()).filter(|&i| keep[i]).collect();
    Ok(data.select(&kept))
}
