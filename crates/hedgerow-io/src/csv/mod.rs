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

use crate::IoError;
use crate::format::DataFormat;
use crate::lines::{LineIndex, TableShape};
use crate::loaded::{LoadedData, ReadOptions};
use header::Layout;
use rayon::prelude::*;

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
