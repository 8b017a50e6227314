//! What is to be ranked above what.

use crate::data::{ClassLabels, ClassName, Dataset, Target};
use crate::{Error, Result};

/// The levels of all rows.
#[derive(Debug, Clone)]
pub(super) struct RankTask {
    /// Level of each row.
    pub(super) levels: Vec<u32>,
    /// Names of the classes that a model answers with: the positive one and the most frequent
    /// other, or all levels.
    pub(super) classes: Vec<ClassName>,
    /// Values of the levels, for an ordered scale.
    pub(super) scale: Option<Vec<f64>>,
}

impl RankTask {
    pub(super) fn of(data: &Dataset, positive: Option<&ClassName>) -> Result<Self> {
        let labels = data.classes()?;
        let counts = labels.counts();
        let found = counts.iter().filter(|&&count| count > 0).count();
        if found < 2 {
            return Err(Error::TooFewClasses { needed: 2, found });
        }
        match data.target() {
            Target::Ordinal(labels) if positive.is_none() => Ok(Self::ordinal(labels)),
            _ => Self::two(labels, &counts, positive),
        }
    }

    fn ordinal(labels: &ClassLabels) -> Self {
        let numbers: Option<Vec<f64>> = labels
            .names()
            .iter()
            .map(|name| match name {
                // The logarithm of 1 + value is taken.
                ClassName::Number(value) if *value >= 0.0 => Some(*value),
                _ => None,
            })
            .collect();
        let ranks = || (0..labels.n_classes()).map(|code| code as f64).collect();
        Self {
            levels: labels.codes().to_vec(),
            classes: labels.names().to_vec(),
            scale: Some(numbers.unwrap_or_else(ranks)),
        }
    }

    fn two(labels: &ClassLabels, counts: &[usize], positive: Option<&ClassName>) -> Result<Self> {
        let present = || (0..counts.len()).filter(|&code| counts[code] > 0);
        let positive = match positive {
            Some(name) => labels
                .code_of(name)
                .filter(|&code| counts[code as usize] > 0)
                .ok_or_else(|| Error::UnknownClass {
                    name: name.to_string(),
                })? as usize,
            // Of equally rare ones that whose name sorts last, which binary metrics call positive.
            None => present()
                .max_by(|&a, &b| {
                    let names = labels.names();
                    counts[b].cmp(&counts[a]).then(names[a].order(&names[b]))
                })
                .unwrap_or(0),
        };
        let other = present()
            .filter(|&code| code != positive)
            .fold(None, |best: Option<usize>, code| match best {
                Some(best) if counts[best] >= counts[code] => Some(best),
                _ => Some(code),
            })
            .unwrap_or(0);
        let level = |&code: &u32| u32::from(code as usize == positive);
        Ok(Self {
            levels: labels.codes().iter().map(level).collect(),
            classes: vec![
                labels.names()[positive].clone(),
                labels.names()[other].clone(),
            ],
            scale: None,
        })
    }

    /// Number of rows of each level.
    pub(super) fn counts(&self) -> Vec<u64> {
        let most = self.levels.iter().copied().max().unwrap_or(0);
        let mut counts = vec![0; most as usize + 1];
        for &level in &self.levels {
            counts[level as usize] += 1;
        }
        counts
    }

    /// The rows that are not at the most frequent level, of equally frequent ones the lowest.
    pub(super) fn rare_rows(&self) -> Vec<u32> {
        let counts = self.counts();
        let frequent = (0..counts.len()).fold(0, |best, level| {
            if counts[level] > counts[best] {
                level
            } else {
                best
            }
        });
        (0u32..)
            .zip(&self.levels)
            .filter(|&(_, &level)| level as usize != frequent)
            .map(|(row, _)| row)
            .collect()
    }
}
