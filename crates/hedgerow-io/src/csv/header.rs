//! The header of a table and which column plays which part.

use super::encoding::{ColumnKind, Encoding};
use super::record::{RecordError, Records};
use super::rules::ColumnRule;
use crate::format::DataFormat;
use crate::loaded::{LabelColumn, ReadOptions, TargetKind, Warning};
use crate::{HeaderProblem, IoError, LineProblem};
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// What is known of a column before its cells are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Expected {
    /// Numbers or categories.
    Unknown,
    /// Numbers, as in the training data.
    Numeric,
    /// Categories, as in the training data.
    Nominal,
}

/// A column that is read: features first, in the order of the encoding, then the label.
#[derive(Debug, Clone)]
pub(super) struct Slot {
    pub(super) name: String,
    pub(super) expected: Expected,
    /// What was asked for, when the encoding is learned.
    pub(super) rule: Option<ColumnRule>,
}

/// Parts played by the columns of a table.
#[derive(Debug)]
pub(super) struct Layout {
    pub(super) delimiter: u8,
    /// Whether numbers may have a comma before their decimals.
    pub(super) decimal_comma: bool,
    /// Range of the header with its line end.
    pub(super) header_bytes: Range<usize>,
    /// 1-based line of the first byte of the body.
    pub(super) first_line: usize,
    /// Where the body starts.
    pub(super) body: usize,
    pub(super) n_columns: usize,
    /// For each column of the file its slot, if it is read.
    pub(super) slot_of_column: Vec<Option<usize>>,
    pub(super) slots: Vec<Slot>,
    /// Columns that the rules drop.
    pub(super) dropped: Vec<String>,
    pub(super) label_name: Option<String>,
    /// True if the last slot is the label.
    pub(super) has_label: bool,
    pub(super) warnings: Vec<Warning>,
}

impl Layout {
    /// Number of slots that are features.
    pub(super) fn n_feature_slots(&self) -> usize {
        self.slots.len() - usize::from(self.has_label)
    }

    pub(super) fn read(
        name: &str,
        bytes: &[u8],
        format: DataFormat,
        options: &ReadOptions,
    ) -> Result<Self, IoError> {
        let header = Header::read(name, bytes, format, options)?;
        let refused = |problem| IoError::Header {
            name: name.to_owned(),
            problem,
        };
        let label = header.label_column(options).map_err(refused)?;
        let mut layout = Self {
            delimiter: header.delimiter,
            decimal_comma: header.delimiter != b','
                && options.decimal_comma.unwrap_or(header.delimiter == b';'),
            header_bytes: header.range.clone(),
            first_line: 1 + count_lines(&bytes[..header.range.end]),
            body: header.range.end,
            n_columns: header.names.len(),
            slot_of_column: vec![None; header.names.len()],
            slots: Vec::new(),
            dropped: Vec::new(),
            label_name: label.map(|column| header.names[column].clone()),
            has_label: false,
            warnings: Vec::new(),
        };
        match &options.encoding {
            None => layout
                .all_features(&header, label, options)
                .map_err(refused)?,
            Some(encoding) => layout
                .features_of(&header, label, encoding)
                .map_err(refused)?,
        }
        if let Some(column) = label
            && options.target != TargetKind::None
        {
            layout.has_label = true;
            layout.add(column, &header.names[column], Expected::Unknown, None);
        }
        Ok(layout)
    }

    fn add(&mut self, column: usize, name: &str, expected: Expected, rule: Option<ColumnRule>) {
        self.slot_of_column[column] = Some(self.slots.len());
        self.slots.push(Slot {
            name: name.to_owned(),
            expected,
            rule,
        });
    }

    /// Every column but the label is a feature, unless it is dropped.
    fn all_features(
        &mut self,
        header: &Header,
        label: Option<usize>,
        options: &ReadOptions,
    ) -> Result<(), HeaderProblem> {
        let summary = header.summary();
        let rules = &options.columns;
        let rules = rules.of_columns(&header.names, &header.positions, label, &summary)?;
        for (column, name) in header.names.iter().enumerate() {
            if Some(column) == label {
                continue;
            }
            let rule = rules[column];
            match rule {
                Some(ColumnRule::Dropped) => self.dropped.push(name.clone()),
                Some(_) => self.add(column, name, Expected::Nominal, rule),
                None => self.add(column, name, Expected::Unknown, None),
            }
        }
        if self.slots.is_empty() && !self.dropped.is_empty() {
            return Err(HeaderProblem::AllDropped);
        }
        if self.slots.is_empty() {
            return Err(HeaderProblem::NoFeatures {
                column: self.label_name.clone().unwrap_or_default(),
            });
        }
        Ok(())
    }

    /// The columns of the training data are features, wherever they stand.
    fn features_of(
        &mut self,
        header: &Header,
        label: Option<usize>,
        encoding: &Encoding,
    ) -> Result<(), HeaderProblem> {
        for wanted in encoding.read_columns() {
            let column = header
                .position(&wanted.name)
                .filter(|&column| self.slot_of_column[column].is_none() && Some(column) != label)
                .ok_or_else(|| HeaderProblem::ColumnMissing {
                    column: wanted.name.clone(),
                    header: header.summary(),
                })?;
            let expected = match wanted.kind {
                ColumnKind::Numeric { .. } => Expected::Numeric,
                _ => Expected::Nominal,
            };
            self.add(column, &wanted.name, expected, None);
        }
        let dropped: HashSet<&str> = encoding
            .columns
            .iter()
            .filter(|known| known.kind == ColumnKind::Dropped)
            .map(|known| known.name.as_str())
            .collect();
        for (column, name) in header.names.iter().enumerate() {
            let is_training_label = encoding.label.as_ref() == Some(name);
            let is_known = is_training_label || dropped.contains(name.as_str());
            if self.slot_of_column[column].is_none() && Some(column) != label && !is_known {
                self.warnings.push(Warning::ExtraColumn {
                    column: name.clone(),
                });
            }
        }
        Ok(())
    }
}

struct Header {
    names: Vec<String>,
    delimiter: u8,
    range: Range<usize>,
    positions: HashMap<String, usize>,
}

impl Header {
    fn read(
        name: &str,
        bytes: &[u8],
        format: DataFormat,
        options: &ReadOptions,
    ) -> Result<Self, IoError> {
        let start = first_line_with_text(bytes);
        let delimiter = options.delimiter.unwrap_or_else(|| match format {
            DataFormat::Tsv => b'\t',
            _ => detect_delimiter(&bytes[start..]),
        });
        let mut cells = Vec::new();
        let mut records = Records::new(bytes, start, delimiter);
        let range = records
            .next_record(|_, cell| cells.push(cell.text))
            .map_err(|error| line_error(name, bytes, 0, 1, error))?
            .filter(|_| !cells.is_empty());
        let Some(range) = range else {
            return Err(IoError::NoRows {
                name: name.to_owned(),
            });
        };
        let mut names = Vec::with_capacity(cells.len());
        for (column, cell) in cells.into_iter().enumerate() {
            let text = String::from_utf8(cell.into_owned()).map_err(|_| {
                let at = range.start;
                let problem = LineProblem::NotUtf8;
                line_error(name, bytes, 0, 1, RecordError { at, problem })
            })?;
            names.push(if text.is_empty() {
                format!("column {}", column + 1)
            } else {
                text
            });
        }
        let mut positions = HashMap::with_capacity(names.len());
        for (second, column) in names.iter().enumerate() {
            if let Some(first) = positions.insert(column.clone(), second) {
                return Err(IoError::Header {
                    name: name.to_owned(),
                    problem: HeaderProblem::ColumnTwice {
                        column: column.clone(),
                        first: first + 1,
                        second: second + 1,
                    },
                });
            }
        }
        Ok(Self {
            names,
            delimiter,
            range,
            positions,
        })
    }

    fn position(&self, name: &str) -> Option<usize> {
        self.positions.get(name).copied()
    }

    /// The first names, for messages.
    fn summary(&self) -> String {
        const SHOWN: usize = 8;
        let mut text = self
            .names
            .iter()
            .take(SHOWN)
            .map(|name| crate::error::excerpt(name.as_bytes()))
            .collect::<Vec<_>>()
            .join(", ");
        if self.names.len() > SHOWN {
            text.push_str(", …");
        }
        text
    }

    fn label_column(&self, options: &ReadOptions) -> Result<Option<usize>, HeaderProblem> {
        match &options.label {
            LabelColumn::None => Ok(None),
            LabelColumn::Name(name) => {
                self.position(name)
                    .map(Some)
                    .ok_or_else(|| HeaderProblem::NoLabelColumn {
                        column: name.clone(),
                        header: self.summary(),
                    })
            }
            &LabelColumn::Position(position) => {
                if (1..=self.names.len()).contains(&position) {
                    Ok(Some(position - 1))
                } else {
                    Err(HeaderProblem::NoLabelPosition {
                        position,
                        columns: self.names.len(),
                    })
                }
            }
            LabelColumn::Auto => Ok(match &options.encoding {
                Some(encoding) => encoding
                    .label
                    .as_ref()
                    .and_then(|label| self.position(label)),
                None => Some(self.usual_label()),
            }),
        }
    }

    fn usual_label(&self) -> usize {
        ["class", "label", "target", "y"]
            .iter()
            .find_map(|usual| {
                self.names
                    .iter()
                    .position(|name| name.eq_ignore_ascii_case(usual))
            })
            .unwrap_or(self.names.len().saturating_sub(1))
    }
}

/// Where the first line begins that is not blank, after a byte order mark.
fn first_line_with_text(bytes: &[u8]) -> usize {
    let mut start = if bytes.starts_with(b"\xef\xbb\xbf") {
        3
    } else {
        0
    };
    while let Some(length) = memchr::memchr(b'\n', &bytes[start..]) {
        if !bytes[start..start + length].trim_ascii().is_empty() {
            break;
        }
        start += length + 1;
    }
    start
}

/// The most frequent separator outside quotes on the first line; `,` if there is none.
fn detect_delimiter(bytes: &[u8]) -> u8 {
    const CANDIDATES: [u8; 3] = [b',', b'\t', b';'];
    let mut counts = [0usize; 3];
    let mut quoted = false;
    for &byte in bytes {
        match byte {
            b'"' => quoted = !quoted,
            b'\n' if !quoted => break,
            _ if !quoted => {
                if let Some(k) = CANDIDATES.iter().position(|&candidate| candidate == byte) {
                    counts[k] += 1;
                }
            }
            _ => {}
        }
    }
    let mut best = 0;
    for k in 1..CANDIDATES.len() {
        if counts[k] > counts[best] {
            best = k;
        }
    }
    CANDIDATES[best]
}

/// Number of line ends.
pub(super) fn count_lines(bytes: &[u8]) -> usize {
    memchr::memchr_iter(b'\n', bytes).count()
}

/// An error at a byte of the text, where `bytes[from]` is the beginning of line `line`.
pub(super) fn line_error(
    name: &str,
    bytes: &[u8],
    from: usize,
    line: usize,
    error: RecordError,
) -> IoError {
    let before = &bytes[from..error.at];
    let column = error.at - memchr::memrchr(b'\n', before).map_or(from, |end| from + end + 1);
    IoError::Line {
        name: name.to_owned(),
        line: line + count_lines(before),
        column: column + 1,
        problem: error.problem,
    }
}
