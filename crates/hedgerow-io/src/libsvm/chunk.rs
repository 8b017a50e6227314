//! One piece of the text: its rows, or its first error.

use super::{careful, fast};
use crate::LineProblem;
use crate::loaded::TargetKind;
use std::ops::Range;

/// A place in a piece and what is wrong there.
#[derive(Debug)]
pub(super) struct ChunkError {
    /// 0-based line within the piece.
    pub(super) line: usize,
    /// 0-based byte within the line.
    pub(super) column: usize,
    pub(super) problem: LineProblem,
}

/// What a reader of rows is asked.
#[derive(Debug, Clone, Copy)]
pub(super) struct RowOptions {
    pub(super) target: TargetKind,
    pub(super) keep_lines: bool,
}

/// Room for the entries of one piece, in the arrays of the whole text.
#[derive(Debug, Default)]
pub(super) struct Entries<'a> {
    indices: &'a mut [u32],
    values: &'a mut [f64],
    len: usize,
}

impl<'a> Entries<'a> {
    /// There must be room for as many entries as the piece has colons.
    pub(super) fn new(indices: &'a mut [u32], values: &'a mut [f64]) -> Self {
        Self {
            indices,
            values,
            len: 0,
        }
    }

    /// Appends an entry: the index of the file minus one, wrapping.
    #[inline]
    pub(super) fn push(&mut self, index: u32, value: f64) {
        self.indices[self.len] = index;
        self.values[self.len] = value;
        self.len += 1;
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }
}

/// Rows of one piece.
#[derive(Debug, Default)]
pub(super) struct Chunk<'a> {
    /// Lines of any kind.
    pub(super) n_lines: usize,
    /// Numeric label of each row; NaN where the label is text.
    pub(super) targets: Vec<f64>,
    /// Row and label, where the label is text.
    pub(super) texts: Vec<(usize, String)>,
    /// Empty, or an id for each row.
    pub(super) query_ids: Vec<u64>,
    /// End of each row in `entries`.
    pub(super) row_ends: Vec<usize>,
    pub(super) entries: Entries<'a>,
    /// Byte range of each row in the whole text, if lines are kept.
    pub(super) ranges: Vec<Range<usize>>,
    /// Largest index of the file, counted from 1.
    pub(super) max_index: u32,
    /// Rows that start with index 0, and the place (0-based line and column) of the first.
    pub(super) zero_rows: usize,
    pub(super) first_zero: Option<(usize, usize)>,
    /// The first line that cannot be read; rows before it are present.
    pub(super) error: Option<ChunkError>,
}

impl<'a> Chunk<'a> {
    /// Parses `bytes[range]`.
    pub(super) fn parse(
        bytes: &[u8],
        range: Range<usize>,
        options: RowOptions,
        entries: Entries<'a>,
    ) -> Self {
        let mut chunk = Self {
            entries,
            ..Self::default()
        };
        let mut from = range.start;
        while from < range.end {
            let rest = &bytes[from..range.end];
            match chunk.parse_line(rest, options) {
                Ok((length, is_row)) => {
                    if is_row && options.keep_lines {
                        chunk.ranges.push(from..from + length);
                    }
                    from += length;
                }
                Err((column, problem)) => {
                    chunk.error = Some(ChunkError {
                        line: chunk.n_lines,
                        column,
                        problem,
                    });
                    return chunk;
                }
            }
            chunk.n_lines += 1;
        }
        chunk
    }

    /// Reads the first line of `text`. Returns its length with its line end, and whether it has a
    /// row.
    #[inline]
    fn parse_line(
        &mut self,
        text: &[u8],
        options: RowOptions,
    ) -> Result<(usize, bool), (usize, LineProblem)> {
        let before = self.entries.len;
        if let Some(length) = fast::parse_row(self, text, options.target) {
            self.row_ends.push(self.entries.len);
            return Ok((length, true));
        }
        self.entries.len = before;
        let length = memchr::memchr(b'\n', text).unwrap_or(text.len());
        let is_row = careful::parse_row(self, &text[..length], options.target)?;
        if is_row {
            self.row_ends.push(self.entries.len);
        }
        Ok(((length + 1).min(text.len()), is_row))
    }

    /// Number of complete rows.
    pub(super) fn n_rows(&self) -> usize {
        self.row_ends.len()
    }

    /// Notes the query id of the row that is being read.
    pub(super) fn set_query_id(&mut self, id: u64) {
        self.query_ids.resize(self.row_ends.len(), 0);
        self.query_ids.push(id);
    }
}
