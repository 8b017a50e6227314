//! Tables: comma, tab or semicolon separated text with a header line.
//!
//! A table is read in two parallel passes. The first parses every cell that may be a number and
//! finds out which columns have other texts; the second collects the categories of those. Pieces
//! end at record ends and have a fixed size, so nothing depends on the number of threads.

mod build;
mod encoding;
mod header;
mod nominal;
mod numeric;
mod record;
mod rules;
mod write;

pub use encoding::{ColumnEncoding, ColumnKind, Encoding};
pub use rules::{ColumnRule, ColumnRules};
pub use write::write_csv;

use crate::format::DataFormat;
use crate::lines::{LineIndex, TableShape};
use crate::loaded::{LabelColumn, LoadedData, ReadOptions};
use crate::{HeaderProblem, IoError};
use header::Layout;
use rayon::prelude::*;

/// The cells of one column as they stand in the file; `column` is a name or a position from 1.
pub(crate) fn text_column(
    name: &str,
    bytes: &[u8],
    format: DataFormat,
    options: &ReadOptions,
    column: &str,
) -> Result<Vec<String>, IoError> {
    let mut plain = ReadOptions::default().with_label(LabelColumn::None);
    plain.delimiter = options.delimiter;
    let layout = Layout::read(name, bytes, format, &plain)?;
    let by_name = layout.slots.iter().position(|slot| slot.name == column);
    let by_place = || column.parse().ok().and_then(|at: usize| at.checked_sub(1));
    let at = by_name
        .or_else(by_place)
        .filter(|&at| at < layout.n_columns);
    let at = at.ok_or_else(|| IoError::Header {
        name: name.to_owned(),
        problem: HeaderProblem::NoColumn {
            column: column.to_owned(),
            rule: "id",
            header: layout
                .slots
                .iter()
                .take(8)
                .map(|slot| slot.name.as_str())
                .collect::<Vec<_>>()
                .join(", "),
        },
    })?;
    let mut cells = Vec::new();
    let mut records = record::Records::new(bytes, layout.body, layout.delimiter);
    loop {
        let mut text = None;
        let result = records.next_record(|place, cell| {
            if place == at {
                text = Some(String::from_utf8_lossy(&cell.text).into_owned());
            }
        });
        match result {
            Ok(Some(_)) => cells.extend(text),
            Ok(None) => return Ok(cells),
            Err(error) => {
                return Err(header::line_error(
                    name,
                    bytes,
                    layout.body,
                    layout.first_line,
                    error,
                ));
            }
        }
    }
}

/// Reads a table.
pub(crate) fn read(
    name: &str,
    bytes: Vec<u8>,
    format: DataFormat,
    options: &ReadOptions,
) -> Result<LoadedData, IoError> {
    let layout = Layout::read(name, &bytes, format, options)?;
    let chunks = record::chunks(&bytes, layout.body, layout.delimiter);
    let mut parts: Vec<numeric::NumericPart> = chunks
        .par_iter()
        .map(|range| numeric::parse(&bytes, range.clone(), &layout, options.keep_lines))
        .collect();
    let summary = numeric::check(name, &bytes, &layout, &mut parts, options)?;
    let n_rows: usize = parts.iter().map(|part| part.n_rows).sum();
    if n_rows == 0 {
        return Err(IoError::NoRows {
            name: name.to_owned(),
        });
    }
    let texts: Vec<nominal::NominalPart> = chunks
        .par_iter()
        .map(|range| nominal::parse(&bytes, range.clone(), &layout, &summary.nominal))
        .collect();
    let table = build::Table {
        name,
        text: &bytes,
        layout: &layout,
        summary: &summary,
        parts,
        texts,
        options,
    };
    let mut loaded = table.build(format)?;
    if options.keep_lines {
        let rows = std::mem::take(&mut loaded.rows);
        let label_slot = layout.has_label.then(|| layout.n_feature_slots());
        let slots = &layout.slot_of_column;
        let shape = TableShape {
            delimiter: layout.delimiter,
            label: slots
                .iter()
                .position(|&slot| slot.is_some() && slot == label_slot),
            feature_of_column: slots
                .iter()
                .map(|&slot| slot.filter(|_| slot != label_slot))
                .collect(),
        };
        let lines = LineIndex::new(bytes, layout.header_bytes.clone(), rows);
        loaded.data.lines = Some(lines.with_table(shape));
    }
    Ok(loaded.data)
}
