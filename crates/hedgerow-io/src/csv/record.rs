//! Records and cells of separated text (RFC 4180, plus blanks around cells).

use crate::LineProblem;
use crate::storage::{self, CHUNK_BYTES};
use std::borrow::Cow;
use std::ops::Range;

/// One cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Cell<'a> {
    /// The content without quotes and, if it was not quoted, without blanks around it.
    pub(super) text: Cow<'a, [u8]>,
    pub(super) quoted: bool,
}

impl Cell<'_> {
    /// An empty cell is missing; so is `?`, `NA` or `nan`, unless it is quoted.
    pub(super) fn is_missing(&self) -> bool {
        self.text.is_empty() || (!self.quoted && is_missing_word(&self.text))
    }
}

/// True for the words that stand for a missing value.
pub(super) fn is_missing_word(text: &[u8]) -> bool {
    text == b"?" || text == b"NA" || text.eq_ignore_ascii_case(b"nan")
}

/// An error at a byte of the text.
#[derive(Debug)]
pub(super) struct RecordError {
    pub(super) at: usize,
    pub(super) problem: LineProblem,
}

enum CellEnd {
    Delimiter,
    Record,
}

/// Walks over the records of a part of the text.
pub(super) struct Records<'a> {
    bytes: &'a [u8],
    delimiter: u8,
    at: usize,
}

impl<'a> Records<'a> {
    /// `bytes` end where the part ends; positions are those of the whole text.
    pub(super) fn new(bytes: &'a [u8], start: usize, delimiter: u8) -> Self {
        Self {
            bytes,
            delimiter,
            at: start,
        }
    }

    /// Visits the cells of the next record. Returns the record's range with its line end, `None`
    /// at the end of the text. A blank line is a record with no visit.
    pub(super) fn next_record(
        &mut self,
        mut visit: impl FnMut(usize, Cell<'a>),
    ) -> Result<Option<Range<usize>>, RecordError> {
        if self.at >= self.bytes.len() {
            return Ok(None);
        }
        let start = self.at;
        let mut column = 0;
        loop {
            let (cell, end) = self.next_cell()?;
            let blank = column == 0 && cell.text.is_empty() && !cell.quoted;
            match end {
                CellEnd::Delimiter => visit(column, cell),
                CellEnd::Record => {
                    if !blank {
                        visit(column, cell);
                    }
                    return Ok(Some(start..self.at));
                }
            }
            column += 1;
        }
    }

    #[inline]
    fn next_cell(&mut self) -> Result<(Cell<'a>, CellEnd), RecordError> {
        let bytes = self.bytes;
        let mut from = self.at;
        while bytes.get(from).is_some_and(|&byte| self.is_blank(byte)) {
            from += 1;
        }
        if bytes.get(from) == Some(&b'"') {
            return self.quoted_cell(from);
        }
        let mut i = from;
        while i < bytes.len() && bytes[i] != self.delimiter && bytes[i] != b'\n' {
            i += 1;
        }
        let mut to = i;
        while to > from && (self.is_blank(bytes[to - 1]) || bytes[to - 1] == b'\r') {
            to -= 1;
        }
        let cell = Cell {
            text: Cow::Borrowed(&bytes[from..to]),
            quoted: false,
        };
        Ok((cell, self.end_cell(i)))
    }

    /// Reads a cell whose opening quote is at `open`.
    fn quoted_cell(&mut self, open: usize) -> Result<(Cell<'a>, CellEnd), RecordError> {
        let bytes = self.bytes;
        let mut text: Cow<'a, [u8]> = Cow::Borrowed(&[]);
        let mut from = open + 1;
        let close = loop {
            let Some(length) = memchr::memchr(b'"', &bytes[from..]) else {
                return Err(RecordError {
                    at: open,
                    problem: LineProblem::QuoteOpen,
                });
            };
            let quote = from + length;
            let doubled = bytes.get(quote + 1) == Some(&b'"');
            // The first of two quotes belongs to the text.
            let piece = &bytes[from..quote + usize::from(doubled)];
            if text.is_empty() {
                text = Cow::Borrowed(piece);
            } else {
                text.to_mut().extend_from_slice(piece);
            }
            if !doubled {
                break quote;
            }
            from = quote + 2;
        };
        let mut i = close + 1;
        while bytes
            .get(i)
            .is_some_and(|&byte| self.is_blank(byte) || byte == b'\r')
        {
            i += 1;
        }
        if i < bytes.len() && bytes[i] != self.delimiter && bytes[i] != b'\n' {
            return Err(RecordError {
                at: i,
                problem: LineProblem::QuoteTail,
            });
        }
        let cell = Cell { text, quoted: true };
        Ok((cell, self.end_cell(i)))
    }

    /// Moves behind the separator at `i`.
    fn end_cell(&mut self, i: usize) -> CellEnd {
        self.at = (i + 1).min(self.bytes.len());
        match self.bytes.get(i) {
            Some(&byte) if byte == self.delimiter => CellEnd::Delimiter,
            _ => CellEnd::Record,
        }
    }

    #[inline]
    fn is_blank(&self, byte: u8) -> bool {
        byte != self.delimiter && matches!(byte, b' ' | b'\t')
    }
}

/// Ranges of about a fixed size that end at record ends.
pub(super) fn chunks(bytes: &[u8], start: usize, delimiter: u8) -> Vec<Range<usize>> {
    if memchr::memchr(b'"', &bytes[start..]).is_none() {
        return storage::line_chunks(bytes, start);
    }
    // A line end may be inside a quoted cell: only walking from the beginning can tell.
    let mut chunks = Vec::new();
    let mut records = Records::new(bytes, start, delimiter);
    let mut from = start;
    // After an error the rest is one piece; parsing it meets the same error and reports it.
    while let Ok(Some(record)) = records.next_record(|_, _| {}) {
        if record.end - from >= CHUNK_BYTES {
            chunks.push(from..record.end);
            from = record.end;
        }
    }
    if from < bytes.len() {
        chunks.push(from..bytes.len());
    }
    chunks
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(text: &str) -> Vec<Vec<String>> {
        let mut records = Records::new(text.as_bytes(), 0, b',');
        let mut all = Vec::new();
        loop {
            let mut row = Vec::new();
            let more = records
                .next_record(|_, cell| row.push(String::from_utf8_lossy(&cell.text).into_owned()))
                .unwrap();
            if more.is_none() {
                return all;
            }
            all.push(row);
        }
    }

    #[test]
    fn quotes_blanks_and_line_ends() {
        assert_eq!(
            cells("a, b ,\"c, d\"\r\n\n\"say \"\"hi\"\"\",\"two\nlines\", 5\" pipe\n,,"),
            vec![
                vec!["a", "b", "c, d"],
                vec![],
                vec!["say \"hi\"", "two\nlines", "5\" pipe"],
                vec!["", "", ""],
            ]
        );
        assert_eq!(cells("\"\"\"\",\"\"\n"), vec![vec!["\"", ""]]);
    }
}
