//! Class labels: a small index for each row, and the names they had in the file.

use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fmt;

/// A class as the user wrote it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum ClassName {
    /// A numeric label such as `+1`, `3` or `0.5`.
    Number(f64),
    /// A text label such as `setosa`.
    Text(String),
}

impl ClassName {
    /// Numbers before texts, numbers by value, texts by code points.
    pub fn order(&self, other: &Self) -> std::cmp::Ordering {
        match (self, other) {
            (Self::Number(a), Self::Number(b)) => a.total_cmp(b),
            (Self::Number(_), Self::Text(_)) => std::cmp::Ordering::Less,
            (Self::Text(_), Self::Number(_)) => std::cmp::Ordering::Greater,
            (Self::Text(a), Self::Text(b)) => a.cmp(b),
        }
    }

    /// Reads a name as the front ends do: what parses as a finite number is one.
    pub fn parse(text: &str) -> Self {
        match text.parse::<f64>() {
            Ok(value) if value.is_finite() => Self::Number(value),
            _ => Self::Text(text.to_owned()),
        }
    }
}

impl fmt::Display for ClassName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(value) => write!(f, "{value}"),
            Self::Text(text) => f.write_str(text),
        }
    }
}

/// The class of every row.
///
/// Names stand in the order in which the classes are first met: it decides ties between classes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClassLabels {
    names: Vec<ClassName>,
    codes: Vec<u32>,
}

impl ClassLabels {
    /// Labels from codes and the names they index.
    pub fn new(names: Vec<ClassName>, codes: Vec<u32>) -> Result<Self> {
        if let Some(&bad) = codes.iter().find(|&&code| code as usize >= names.len()) {
            return Err(Error::Shape {
                what: "class code against the number of class names",
                expected: names.len(),
                found: bad as usize,
            });
        }
        Ok(Self { names, codes })
    }

    /// Labels from numbers, classes in order of first appearance.
    pub fn from_numbers(labels: &[f64]) -> Self {
        // -0.0 and 0.0 are one class.
        let mut index: HashMap<u64, u32> = HashMap::new();
        let mut names = Vec::new();
        let codes = labels
            .iter()
            .map(|&label| {
                *index.entry((label + 0.0).to_bits()).or_insert_with(|| {
                    names.push(ClassName::Number(label + 0.0));
                    names.len() as u32 - 1
                })
            })
            .collect();
        Self { names, codes }
    }

    /// Labels from texts, classes in order of first appearance.
    pub fn from_texts<S: AsRef<str>>(labels: &[S]) -> Self {
        let mut index: HashMap<&str, u32> = HashMap::new();
        let mut names = Vec::new();
        let codes = labels
            .iter()
            .map(|label| {
                *index.entry(label.as_ref()).or_insert_with(|| {
                    names.push(ClassName::Text(label.as_ref().to_owned()));
                    names.len() as u32 - 1
                })
            })
            .collect();
        Self { names, codes }
    }

    /// Class names; a code is an index into them.
    pub fn names(&self) -> &[ClassName] {
        &self.names
    }

    /// The class of every row.
    pub fn codes(&self) -> &[u32] {
        &self.codes
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.codes.len()
    }

    /// True without rows.
    pub fn is_empty(&self) -> bool {
        self.codes.is_empty()
    }

    /// Number of class names, including classes that no row has.
    pub fn n_classes(&self) -> usize {
        self.names.len()
    }

    /// Rows of each class.
    pub fn counts(&self) -> Vec<usize> {
        let mut counts = vec![0; self.names.len()];
        for &code in &self.codes {
            counts[code as usize] += 1;
        }
        counts
    }

    /// The code of a name.
    pub fn code_of(&self, name: &ClassName) -> Option<u32> {
        self.names
            .iter()
            .position(|candidate| candidate == name)
            .map(|c| c as u32)
    }

    /// The class that binary metrics call positive: the one whose name sorts last.
    pub fn positive(&self) -> u32 {
        (0..self.names.len())
            .max_by(|&a, &b| self.names[a].order(&self.names[b]))
            .map_or(0, |c| c as u32)
    }

    /// Adds the labels of more rows; names that are new come after the known ones.
    pub fn append(&mut self, labels: &Self) {
        let codes: Vec<u32> = labels
            .names
            .iter()
            .map(|name| {
                self.code_of(name).unwrap_or_else(|| {
                    self.names.push(name.clone());
                    self.names.len() as u32 - 1
                })
            })
            .collect();
        let added = labels.codes.iter().map(|&code| codes[code as usize]);
        self.codes.extend(added);
    }

    /// The labels of the given rows; names are kept even if no row has them any more.
    pub fn select(&self, rows: &[usize]) -> Self {
        Self {
            names: self.names.clone(),
            codes: rows.iter().map(|&i| self.codes[i]).collect(),
        }
    }
}
