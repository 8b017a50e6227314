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

/// Rows of one piece.
#[derive(Debug, Default)]
pub(super) struct Chunk {
    /// Lines of any kind.
    pub(super) n_lines: usize,
    /// Numeric label of each row; NaN where the label is text.
    pub(super) targets: Vec<f64>,
    /// Row and label, where the label is text.
    pub(super) texts: Vec<(usize, String)>,
    /// Empty, or an id for each row.
    pub(super) query_ids: Vec<u64>,
    /// End of each row in `indices`.
    pub(super) row_ends: Vec<usize>,
    /// File index minus one, wrapping: index 0 is `u32::MAX`.
    pub(super) indices: Vec<u32>,
    pub(super) values: Vec<f64>,
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

impl Chunk {
    /// Parses `bytes[range]`.
    pub(super) fn parse(bytes: &[u8], range: Range<usize>, options: RowOptions) -> Self {
        let mut chunk = Self::default();
        // Entries are seldom shorter than five bytes; growing once more does no harm.
        let guess = (range.end - range.start) / 6;
        chunk.indices.reserve(guess);
        chunk.values.reserve(guess);
        let mut from = range.start;
        while from < range.end {
            let rest = &bytes[from..range.end];
            let length = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
            let to = (from + length + 1).min(range.end);
            match chunk.parse_line(&rest[..length], options) {
                Ok(false) => {}
                Ok(true) => {
                    if options.keep_lines {
                        chunk.ranges.push(from..to);
                    }
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
            from = to;
        }
        chunk
    }

    /// Reads one line; false if it has no row.
    fn parse_line(
        &mut self,
        line: &[u8],
        options: RowOptions,
    ) -> Result<bool, (usize, LineProblem)> {
        let entries = self.indices.len();
        if fast::parse_row(self, line, options.target) {
            self.row_ends.push(self.indices.len());
            return Ok(true);
        }
        self.indices.truncate(entries);
        self.values.truncate(entries);
        if !careful::parse_row(self, line, options.target)? {
            return Ok(false);
        }
        self.row_ends.push(self.indices.len());
        Ok(true)
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
