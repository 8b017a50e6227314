//! The lines of a file as they were, so that rows can be written again untouched.

use std::io::Write;
use std::ops::Range;

/// The bytes of a file and where each data row lies in them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineIndex {
    bytes: Vec<u8>,
    /// Header of a table; empty for LIBSVM files.
    header: Range<usize>,
    /// Range of each row with its line end.
    rows: Vec<Range<usize>>,
}

impl LineIndex {
    pub(crate) fn new(bytes: Vec<u8>, header: Range<usize>, rows: Vec<Range<usize>>) -> Self {
        Self {
            bytes,
            header,
            rows,
        }
    }

    /// Number of data rows.
    pub fn n_rows(&self) -> usize {
        self.rows.len()
    }

    /// Row `i` with its line end; the last line of a file may have none.
    pub fn row(&self, i: usize) -> &[u8] {
        &self.bytes[self.rows[i].clone()]
    }

    /// Writes the file without the rows for which `keep` is false. All else stays byte for byte:
    /// comments, blank lines, the header. `keep` has one entry a row; what it lacks is kept.
    pub fn write_kept(&self, keep: &[bool], out: &mut impl Write) -> std::io::Result<()> {
        let mut written = 0;
        for (range, &kept) in self.rows.iter().zip(keep) {
            if !kept {
                out.write_all(&self.bytes[written..range.start])?;
                written = range.end;
            }
        }
        out.write_all(&self.bytes[written..])
    }

    /// Writes the header, if there is one, and the given rows in the given order.
    pub fn write_rows(&self, rows: &[usize], out: &mut impl Write) -> std::io::Result<()> {
        out.write_all(&self.bytes[self.header.clone()])?;
        for &i in rows {
            let row = self.row(i);
            out.write_all(row)?;
            if row.last() != Some(&b'\n') {
                out.write_all(b"\n")?;
            }
        }
        Ok(())
    }
}
