//! Second pass: the categories of the columns that hold text.

use super::header::Layout;
use super::record::Records;
use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

/// Code of a missing cell.
pub(super) const MISSING: u32 = u32::MAX;

/// A text that occurs in a piece.
#[derive(Debug)]
pub(super) struct Text {
    pub(super) bytes: Vec<u8>,
    /// Beginning of the first record that has it.
    pub(super) first: usize,
    pub(super) count: usize,
}

/// One column of a piece.
#[derive(Debug, Default)]
pub(super) struct TextColumn {
    /// Different texts in order of appearance.
    pub(super) texts: Vec<Text>,
    /// For each row the index of its text, or [`MISSING`].
    pub(super) codes: Vec<u32>,
}

/// The text columns of one piece, one entry a slot; numeric slots stay empty.
#[derive(Debug, Default)]
pub(super) struct NominalPart {
    pub(super) columns: Vec<TextColumn>,
}

/// Collects the texts of `bytes[range]`, which the first pass has found well formed.
pub(super) fn parse(
    bytes: &[u8],
    range: Range<usize>,
    layout: &Layout,
    nominal: &[bool],
) -> NominalPart {
    let mut part = NominalPart::default();
    part.columns.resize_with(nominal.len(), TextColumn::default);
    if !nominal.contains(&true) {
        return part;
    }
    let mut known: Vec<HashMap<Cow<'_, [u8]>, u32>> = vec![HashMap::new(); nominal.len()];
    let mut records = Records::new(&bytes[..range.end], range.start, layout.delimiter);
    let mut at = range.start;
    while let Ok(Some(record)) = records.next_record(|column, cell| {
        let Some(slot) = layout.slot_of_column[column].filter(|&slot| nominal[slot]) else {
            return;
        };
        let TextColumn { texts, codes } = &mut part.columns[slot];
        if cell.is_missing() {
            codes.push(MISSING);
            return;
        }
        let code = if let Some(&code) = known[slot].get(cell.text.as_ref()) {
            code
        } else {
            let code = texts.len() as u32;
            texts.push(Text {
                bytes: cell.text.to_vec(),
                first: at,
                count: 0,
            });
            known[slot].insert(cell.text, code);
            code
        };
        texts[code as usize].count += 1;
        codes.push(code);
    }) {
        at = record.end;
    }
    part
}
