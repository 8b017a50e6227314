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
    /// Categories in their order: one feature, the place of the category from 0.
    Coded {
        /// Categories in their order: numbers by value, texts with runs of digits by value.
        categories: Vec<String>,
        /// The most frequent category of the training data, which stands for gaps and for categories
        /// that are not known.
        fill: u32,
    },
    /// Categories that training codes by targets: one feature, the place of the category from 0, the
    /// number of categories for one that is not known.
    TargetCoded {
        /// Categories sorted by code points.
        categories: Vec<String>,
        /// The most frequent category of the training data, which fills gaps.
        fill: u32,
    },
    /// A column that is not read: no feature.
    Dropped,
}

impl ColumnKind {
    /// Features that the column makes.
    pub fn n_features(&self) -> usize {
        match self {
            Self::Numeric { .. } | Self::Coded { .. } | Self::TargetCoded { .. } => 1,
            Self::Nominal { categories, .. } => categories.len(),
            Self::Dropped => 0,
        }
    }

    /// The word for people.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Numeric { .. } => "numeric",
            Self::Nominal { .. } => "nominal",
            Self::Coded { .. } => "coded",
            Self::TargetCoded { .. } => "target-coded",
            Self::Dropped => "dropped",
        }
    }

    /// Its categories, if it has any.
    pub fn categories(&self) -> Option<&[String]> {
        match self {
            Self::Nominal { categories, .. }
            | Self::Coded { categories, .. }
            | Self::TargetCoded { categories, .. } => Some(categories),
            Self::Numeric { .. } | Self::Dropped => None,
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

    /// True if every column is a number that is read as it is.
    pub fn is_plain(&self) -> bool {
        let mut columns = self.columns.iter();
        columns.all(|column| matches!(column.kind, ColumnKind::Numeric { .. }))
    }

    /// Features that hold categories to be coded by targets, with the number of their categories.
    pub fn target_coded(&self) -> Vec<(u32, u32)> {
        let mut feature = 0;
        let mut found = Vec::new();
        for column in &self.columns {
            if let ColumnKind::TargetCoded { categories, .. } = &column.kind {
                found.push((feature, categories.len() as u32));
            }
            feature += column.kind.n_features() as u32;
        }
        found
    }

    /// The columns that are read.
    pub(super) fn read_columns(&self) -> impl Iterator<Item = &ColumnEncoding> {
        let columns = self.columns.iter();
        columns.filter(|column| column.kind != ColumnKind::Dropped)
    }

    /// `column` for a number or a code, `column=category` for an indicator.
    pub fn feature_names(&self) -> Vec<String> {
        let mut names = Vec::with_capacity(self.n_features());
        for column in &self.columns {
            match &column.kind {
                ColumnKind::Numeric { .. }
                | ColumnKind::Coded { .. }
                | ColumnKind::TargetCoded { .. } => names.push(column.name.clone()),
                ColumnKind::Dropped => {}
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
