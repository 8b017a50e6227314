//! How the columns of a table become features.

use crate::loaded::Missing;
use serde::{Deserialize, Serialize};

/// The columns of the training table, stored with the model so that any later table is read alike.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Encoding {
    /// Name of the label column, if there was one.
    pub label: Option<String>,
    /// The feature columns in their order in the training table.
    pub columns: Vec<ColumnEncoding>,
    /// What was asked for about missing values.
    pub missing: Missing,
}

/// One column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ColumnEncoding {
    /// Its name in the header.
    pub name: String,
    /// What it holds.
    pub kind: ColumnKind,
}

/// What a column holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum ColumnKind {
    /// Numbers: one feature.
    Numeric {
        /// Mean of the training data, which fills gaps.
        fill: f64,
    },
    /// Categories: one indicator feature for each.
    Nominal {
        /// Categories sorted by code points.
        categories: Vec<String>,
        /// The most frequent category of the training data, which fills gaps.
        fill: u32,
    },
}

impl ColumnKind {
    /// Features that the column makes.
    pub fn n_features(&self) -> usize {
        match self {
            Self::Numeric { .. } => 1,
            Self::Nominal { categories, .. } => categories.len(),
        }
    }
}

impl Encoding {
    /// Features that all columns make.
    pub fn n_features(&self) -> usize {
        self.columns
            .iter()
            .map(|column| column.kind.n_features())
            .sum()
    }

    /// `column` for a number, `column=category` for an indicator.
    pub fn feature_names(&self) -> Vec<String> {
        let mut names = Vec::with_capacity(self.n_features());
        for column in &self.columns {
            match &column.kind {
                ColumnKind::Numeric { .. } => names.push(column.name.clone()),
                ColumnKind::Nominal { categories, .. } => names.extend(
                    categories
                        .iter()
                        .map(|category| format!("{}={category}", column.name)),
                ),
            }
        }
        names
    }
}
