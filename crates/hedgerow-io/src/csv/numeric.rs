//! First pass: numbers, gaps, and which columns hold text.

use super::header::{Expected, Layout, count_lines, line_error};
use super::record::{RecordError, Records};
use crate::error::excerpt;
use crate::loaded::{Missing, ReadOptions, TargetKind, Warning};
use crate::{CellProblem, IoError, LineProblem, number};
use std::ops::Range;

/// First cell of a kind: the byte of its record in the text, and the beginning of the cell.
type FirstCell = Option<(usize, String)>;

/// What one piece shows of one column.
#[derive(Debug, Clone, Default)]
pub(super) struct ColumnFacts {
    pub(super) first_text: FirstCell,
    pub(super) first_infinite: FirstCell,
    /// The first number that has a comma before its decimals.
    pub(super) first_comma: Option<String>,
    pub(super) first_missing: Option<usize>,
    pub(super) n_numbers: usize,
    pub(super) sum: f64,
}

impl ColumnFacts {
    /// The number of a cell of the record at `at`; notes what it is otherwise.
    fn number(&mut self, at: usize, text: &[u8], decimal_comma: bool) -> Option<f64> {
        let mut number = number::parse_whole(text);
        if number.is_none() && decimal_comma {
            number = number::with_decimal_comma(text);
            if number.is_some() {
                self.first_comma.get_or_insert_with(|| excerpt(text));
            }
        }
        match number {
            Some(value) if value.is_finite() => {
                self.n_numbers += 1;
                self.sum += value;
                return Some(value);
            }
            None if !number::is_not_finite_word(text) => {
                self.first_text = Some((at, excerpt(text)));
            }
            _ => {
                self.first_infinite
                    .get_or_insert_with(|| (at, excerpt(text)));
            }
        }
        None
    }
}

/// Rows of one piece.
#[derive(Debug, Default)]
pub(super) struct NumericPart {
    pub(super) n_rows: usize,
    /// `n_rows × slots` numbers; NaN for gaps and texts.
    pub(super) values: Vec<f64>,
    pub(super) facts: Vec<ColumnFacts>,
    /// Range of each row, if lines are kept.
    pub(super) ranges: Vec<Range<usize>>,
    error: Option<RecordError>,
}

/// Parses `bytes[range]`.
pub(super) fn parse(
    bytes: &[u8],
    range: Range<usize>,
    layout: &Layout,
    keep_lines: bool,
) -> NumericPart {
    let width = layout.slots.len();
    let mut part = NumericPart {
        facts: vec![ColumnFacts::default(); width],
        ..NumericPart::default()
    };
    let mut records = Records::new(&bytes[..range.end], range.start, layout.delimiter);
    let mut at = range.start;
    loop {
        let row = part.values.len();
        part.values.resize(row + width, f64::NAN);
        let mut n_cells = 0;
        let result = records.next_record(|column, cell| {
            n_cells += 1;
            let Some(slot) = layout.slot_of_column.get(column).copied().flatten() else {
                return;
            };
            let facts = &mut part.facts[slot];
            if cell.is_missing() {
                facts.first_missing.get_or_insert(at);
                return;
            }
            if facts.first_text.is_some() || layout.slots[slot].expected == Expected::Nominal {
                return;
            }
            if let Some(value) = facts.number(at, &cell.text, layout.decimal_comma) {
                part.values[row + slot] = value;
            }
        });
        let record = match result {
            Ok(Some(record)) if n_cells == 0 => {
                part.values.truncate(row);
                at = record.end;
                continue;
            }
            Ok(Some(record)) if n_cells == layout.n_columns => record,
            Ok(Some(record)) => {
                part.error = Some(RecordError {
                    at: record.start,
                    problem: LineProblem::CellCount {
                        expected: layout.n_columns,
                        found: n_cells,
                    },
                });
                return part;
            }
            Ok(None) => {
                part.values.truncate(row);
                return part;
            }
            Err(error) => {
                part.error = Some(error);
                return part;
            }
        };
        at = record.end;
        part.n_rows += 1;
        if keep_lines {
            part.ranges.push(record);
        }
    }
}

/// What the first pass shows of the whole table.
#[derive(Debug)]
pub(super) struct Summary {
    /// For each slot whether it holds categories.
    pub(super) nominal: Vec<bool>,
    /// For each slot the mean of its numbers.
    pub(super) means: Vec<f64>,
    pub(super) warnings: Vec<Warning>,
}

/// Reports the first error, or sums up the columns.
pub(super) fn check(
    name: &str,
    text: &[u8],
    layout: &Layout,
    parts: &mut [NumericPart],
    options: &ReadOptions,
) -> Result<Summary, IoError> {
    if let Some(error) = parts.iter_mut().find_map(|part| part.error.take()) {
        return Err(line_error(
            name,
            text,
            layout.body,
            layout.first_line,
            error,
        ));
    }
    let impute = options.missing == Missing::MeanMode
        || options
            .encoding
            .as_ref()
            .is_some_and(|encoding| encoding.missing == Missing::MeanMode);
    let mut summary = Summary {
        nominal: Vec::new(),
        means: Vec::new(),
        warnings: Vec::new(),
    };
    let mut gaps = Vec::new();
    let mut first_error: Option<(usize, usize, CellProblem)> = None;
    for (slot, column) in layout.slots.iter().enumerate() {
        let is_label = layout.has_label && slot + 1 == layout.slots.len();
        let firsts = Firsts::of(parts, slot);
        let gap = impute && !is_label && firsts.missing.is_some();
        let is_text = firsts.text.is_some();
        let nominal = match column.expected {
            Expected::Nominal => true,
            Expected::Numeric => false,
            Expected::Unknown => is_text,
        };
        let needs_number = column.expected == Expected::Numeric
            || (is_label && options.target == TargetKind::Real);
        let wrong = Firsts {
            missing: firsts.missing.filter(|_| is_label || !impute),
            text: firsts.text.filter(|_| needs_number),
            infinite: firsts.infinite.filter(|_| !nominal),
        };
        for (at, problem) in wrong.problems(is_label).into_iter().flatten() {
            if first_error.as_ref().is_none_or(|error| at < error.0) {
                first_error = Some((at, slot, problem));
            }
        }
        let n_numbers: usize = parts.iter().map(|part| part.facts[slot].n_numbers).sum();
        // A column without any value is told by itself.
        if gap && (n_numbers > 0 || is_text) {
            gaps.push(column.name.clone());
        }
        if n_numbers == 0 && !nominal && column.expected == Expected::Unknown && !is_label {
            summary.warnings.push(Warning::EmptyColumn {
                column: column.name.clone(),
            });
        }
        let comma = comma_warning(parts, slot, &column.name);
        summary.warnings.extend(comma.filter(|_| !nominal));
        summary.nominal.push(nominal);
        summary
            .means
            .push(mean(parts, slot, layout.slots.len(), n_numbers));
    }
    if !gaps.is_empty() {
        summary.warnings.push(Warning::Gaps { columns: gaps });
    }
    match first_error {
        Some((at, slot, problem)) => Err(IoError::Cell {
            name: name.to_owned(),
            line: layout.first_line + count_lines(&text[layout.body..at]),
            column: layout.slots[slot].name.clone(),
            problem,
        }),
        None => Ok(summary),
    }
}

/// What is said of numbers with a decimal comma.
fn comma_warning(parts: &[NumericPart], slot: usize, column: &str) -> Option<Warning> {
    let mut facts = parts.iter().map(|part| &part.facts[slot]);
    let text = facts.find_map(|facts| facts.first_comma.clone())?;
    Some(Warning::DecimalComma {
        column: column.to_owned(),
        text,
    })
}

/// The first cells of a column that may be wrong, of each kind.
struct Firsts {
    text: FirstCell,
    infinite: FirstCell,
    missing: Option<usize>,
}

impl Firsts {
    fn of(parts: &[NumericPart], slot: usize) -> Self {
        let facts = || parts.iter().map(|part| &part.facts[slot]);
        Self {
            text: facts().find_map(|fact| fact.first_text.clone()),
            infinite: facts().find_map(|fact| fact.first_infinite.clone()),
            missing: facts().find_map(|fact| fact.first_missing),
        }
    }

    /// What is wrong with them, and where.
    fn problems(self, is_label: bool) -> [Option<(usize, CellProblem)>; 3] {
        let missing = |at| {
            let problem = if is_label {
                CellProblem::TargetMissing
            } else {
                CellProblem::Missing
            };
            (at, problem)
        };
        let not_number = |(at, text)| {
            let problem = if is_label {
                CellProblem::TargetNotNumber { text }
            } else {
                CellProblem::NotNumber { text }
            };
            (at, problem)
        };
        let not_finite = |(at, text)| (at, CellProblem::NotFinite { text });
        [
            self.missing.map(missing),
            self.text.map(not_number),
            self.infinite.map(not_finite),
        ]
    }
}

/// Mean of the numbers of a slot, in the order of the pieces; 0 without numbers.
fn mean(parts: &[NumericPart], slot: usize, width: usize, n_numbers: usize) -> f64 {
    if n_numbers == 0 {
        return 0.0;
    }
    let count = n_numbers as f64;
    let sum: f64 = parts.iter().map(|part| part.facts[slot].sum).sum();
    if sum.is_finite() {
        return sum / count;
    }
    // The sum overflows, the mean does not.
    let column = parts
        .iter()
        .flat_map(|part| part.values.iter().skip(slot).step_by(width));
    column
        .filter(|value| !value.is_nan())
        .map(|value| value / count)
        .sum()
}
