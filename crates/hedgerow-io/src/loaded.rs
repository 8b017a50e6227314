//! What readers are asked and what they answer.

use crate::csv::{ColumnRules, Encoding};
use crate::format::DataFormat;
use crate::lines::LineIndex;
use hedgerow::data::Dataset;
use serde::{Deserialize, Serialize};

/// How the label of each row is understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum TargetKind {
    /// Classes if every label is text or a whole number, otherwise real.
    #[default]
    Auto,
    /// Class labels, numeric or text.
    Classes,
    /// Real numbers.
    Real,
    /// Labels are not looked at; a LIBSVM line may lack its label.
    None,
}

/// How samples are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Storage {
    /// Dense if more than half of the values are not zero.
    #[default]
    Auto,
    /// Every value.
    Dense,
    /// Values other than zero.
    Sparse,
}

/// Which column of a table is the label.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum LabelColumn {
    /// The label column of the encoding in use, if the table has it; without an encoding the
    /// column named `class`, `label`, `target` or `y` in any case, otherwise the last one.
    #[default]
    Auto,
    /// The column of this name.
    Name(String),
    /// The column at this 1-based position.
    Position(usize),
    /// No column: the rows are to be predicted.
    None,
}

/// What is done about missing values of a table: an empty cell, `?`, `NA`, `nan`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Missing {
    /// They are an error.
    #[default]
    Error,
    /// The mean of a numeric column, the most frequent category of a nominal one, both of the
    /// training data.
    MeanMode,
}

/// What is done about a category that the training data did not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Unseen {
    /// All indicators of the column are zero.
    #[default]
    Zeros,
    /// It is an error.
    Error,
}

/// How a file is read.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct ReadOptions {
    /// Format. Default: by ending, otherwise by content.
    pub format: Option<DataFormat>,
    /// Meaning of the label. Default: [`TargetKind::Auto`].
    pub target: TargetKind,
    /// The samples get at least this many features; for LIBSVM files only. Default 0.
    pub min_features: usize,
    /// Keep the lines for writing them again. Default: no.
    pub keep_lines: bool,
    /// Storage. Default: [`Storage::Auto`].
    pub storage: Storage,
    /// LIBSVM rows with more features than this are stored sparse, whatever the storage: a model of
    /// so many features ignores what lies beyond them in sparse rows, but refuses a table that is
    /// too wide. Default: no limit.
    pub dense_up_to: Option<usize>,
    /// Label column of a table. Default: [`LabelColumn::Auto`].
    pub label: LabelColumn,
    /// Missing values of a table. Default: [`Missing::Error`], or what the encoding in use says.
    pub missing: Missing,
    /// Unseen categories of a table. Default: [`Unseen::Zeros`].
    pub unseen: Unseen,
    /// Encoding of the training data, when a table is read for prediction. Default: fit a new one.
    pub encoding: Option<Encoding>,
    /// Columns of a training table that are not read as their cells suggest. Default: none; not
    /// looked at where there is an encoding.
    pub columns: ColumnRules,
    /// Whether numbers of a table may have a comma before their decimals. Default: where semicolons
    /// separate the cells.
    pub decimal_comma: Option<bool>,
    /// Separator of a table. Default: tab for TSV, otherwise the most frequent of `,`, tab and `;`
    /// in the header.
    pub delimiter: Option<u8>,
}

impl ReadOptions {
    /// Sets the format.
    pub fn with_format(mut self, format: DataFormat) -> Self {
        self.format = Some(format);
        self
    }

    /// Sets the meaning of the label.
    pub fn with_target(mut self, target: TargetKind) -> Self {
        self.target = target;
        self
    }

    /// Sets the least number of features.
    pub fn with_min_features(mut self, min_features: usize) -> Self {
        self.min_features = min_features;
        self
    }

    /// Keeps the lines.
    pub fn with_lines(mut self) -> Self {
        self.keep_lines = true;
        self
    }

    /// Sets the storage.
    pub fn with_storage(mut self, storage: Storage) -> Self {
        self.storage = storage;
        self
    }

    /// Sets the largest number of features of dense LIBSVM rows.
    pub fn with_dense_up_to(mut self, n_features: Option<usize>) -> Self {
        self.dense_up_to = n_features;
        self
    }

    /// Sets the label column.
    pub fn with_label(mut self, label: LabelColumn) -> Self {
        self.label = label;
        self
    }

    /// Sets what is done about missing values.
    pub fn with_missing(mut self, missing: Missing) -> Self {
        self.missing = missing;
        self
    }

    /// Sets what is done about unseen categories.
    pub fn with_unseen(mut self, unseen: Unseen) -> Self {
        self.unseen = unseen;
        self
    }

    /// Sets the encoding.
    pub fn with_encoding(mut self, encoding: Encoding) -> Self {
        self.encoding = Some(encoding);
        self
    }

    /// Sets how single columns are read.
    pub fn with_columns(mut self, columns: ColumnRules) -> Self {
        self.columns = columns;
        self
    }

    /// Sets whether numbers may have a decimal comma.
    pub fn with_decimal_comma(mut self, decimal_comma: bool) -> Self {
        self.decimal_comma = Some(decimal_comma);
        self
    }

    /// Sets the separator.
    pub fn with_delimiter(mut self, delimiter: u8) -> Self {
        self.delimiter = Some(delimiter);
        self
    }
}

/// Something the user should know although the file could be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Warning {
    /// A column that the training data did not have.
    #[error("column {column:?} is not in the training data and is ignored")]
    ExtraColumn {
        /// Its name.
        column: String,
    },
    /// A column without a single value.
    #[error("column {column:?} has no value at all and is read as zero")]
    EmptyColumn {
        /// Its name.
        column: String,
    },
    /// Columns with gaps that were filled.
    #[error(
        "missing values are filled by the mean or the most frequent category in {} (--missing error refuses them)",
        listed(columns)
    )]
    Gaps {
        /// Their names.
        columns: Vec<String>,
    },
    /// Numbers with a comma before their decimals.
    #[error("column {column:?}: {text:?} and the like are read as numbers with a decimal comma")]
    DecimalComma {
        /// Its name.
        column: String,
        /// The first of them.
        text: String,
    },
    /// Categories that the training data did not have.
    #[error("column {column:?}: {count} cells with categories unknown to the training data")]
    UnseenCategories {
        /// Its name.
        column: String,
        /// Cells concerned.
        count: usize,
    },
}

/// The first of some columns, and how many there are.
fn listed(columns: &[String]) -> String {
    const LISTED: usize = 5;
    let first = columns[..columns.len().min(LISTED)].join(", ");
    match columns.len() {
        1 => format!("column {first}"),
        few if few <= LISTED => format!("columns {first}"),
        many => format!("{many} columns ({first}, …)"),
    }
}

/// A file in memory.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct LoadedData {
    /// Samples and targets.
    pub dataset: Dataset,
    /// The format it had.
    pub format: DataFormat,
    /// How the columns of a table became features; `None` for LIBSVM files.
    pub encoding: Option<Encoding>,
    /// The lines, if they were to be kept.
    pub lines: Option<LineIndex>,
    /// Query id of each row if any row has one; 0 for rows without.
    pub query_ids: Option<Vec<u64>>,
    /// True if every row starts with `0:serial`: then column `j` of the samples is the file's
    /// index `j`, and column 0 holds the serial number.
    pub precomputed: bool,
    /// What the user should know.
    pub warnings: Vec<Warning>,
}
