//! The lines of a file as they were, so that rows can be written again untouched.

use crate::number;
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
    /// How the cells of a table lie; `None` for LIBSVM files.
    table: Option<TableShape>,
}

/// Where the cells of a table lie.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TableShape {
    pub(crate) delimiter: u8,
    /// Position of the label column, if there is one.
    pub(crate) label: Option<usize>,
    /// The feature that each column holds; none for the label and for columns that are not read.
    pub(crate) feature_of_column: Vec<Option<usize>>,
}

impl LineIndex {
    pub(crate) fn new(bytes: Vec<u8>, header: Range<usize>, rows: Vec<Range<usize>>) -> Self {
        Self {
            bytes,
            header,
            rows,
            table: None,
        }
    }

    pub(crate) fn with_table(mut self, table: TableShape) -> Self {
        self.table = Some(table);
        self
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

    /// Writes the file with other labels for some rows; all else stays byte for byte. `labels` has
    /// one entry a row; a row with `None` keeps its own. A text that needs quotes in a table must
    /// come with them.
    pub fn write_relabelled(
        &self,
        labels: &[Option<String>],
        out: &mut impl Write,
    ) -> std::io::Result<()> {
        let mut written = 0;
        for (range, label) in self.rows.iter().zip(labels) {
            let Some(label) = label else { continue };
            let Some(cell) = self.label_cell(&self.bytes[range.clone()]) else {
                continue;
            };
            out.write_all(&self.bytes[written..range.start + cell.start])?;
            out.write_all(label.as_bytes())?;
            written = range.start + cell.end;
        }
        out.write_all(&self.bytes[written..])
    }

    fn label_cell(&self, row: &[u8]) -> Option<Range<usize>> {
        match &self.table {
            Some(table) => Some(cell_range(row, table.delimiter, table.label?)),
            None => Some(first_word(row)),
        }
    }

    /// The label of a row as the file spells it, quotes included; `None` without a label column.
    pub fn label_text(&self, i: usize) -> Option<String> {
        let row = self.row(i);
        let cell = self.label_cell(row)?;
        Some(String::from_utf8_lossy(&row[cell]).into_owned())
    }

    /// Writes a row that the file does not have in the way of its rows: cells in the order of the
    /// columns, those of columns that are not read empty; LIBSVM text without the zeros.
    pub fn write_new_row(
        &self,
        values: &[f64],
        label: &str,
        out: &mut impl Write,
    ) -> std::io::Result<()> {
        let Some(table) = &self.table else {
            out.write_all(label.as_bytes())?;
            for (f, &value) in values
                .iter()
                .enumerate()
                .filter(|(_, value)| **value != 0.0)
            {
                write!(out, " {}:", f + 1)?;
                number::write_shortest(value, out)?;
            }
            return out.write_all(b"\n");
        };
        for (column, feature) in table.feature_of_column.iter().enumerate() {
            if column > 0 {
                out.write_all(&[table.delimiter])?;
            }
            if table.label == Some(column) {
                out.write_all(label.as_bytes())?;
            } else if let Some(&value) = feature.and_then(|f| values.get(f)) {
                number::write_shortest(value, out)?;
            }
        }
        out.write_all(b"\n")
    }

    /// True if the last row has its line end, so that rows can follow.
    pub fn ends_with_line_end(&self) -> bool {
        self.bytes.last().is_none_or(|&byte| byte == b'\n')
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

/// The label of a LIBSVM line: its first word.
fn first_word(row: &[u8]) -> Range<usize> {
    let blank = |byte: &u8| byte.is_ascii_whitespace();
    let start = row.iter().position(|byte| !blank(byte)).unwrap_or(0);
    let length = row[start..].iter().position(blank);
    start..length.map_or(row.len(), |length| start + length)
}

/// The bytes of a cell of a record, its quotes included, without blanks around it.
fn cell_range(row: &[u8], delimiter: u8, column: usize) -> Range<usize> {
    let line = row.len()
        - row
            .iter()
            .rev()
            .take_while(|b| matches!(b, b'\n' | b'\r'))
            .count();
    let (mut start, mut passed, mut quoted) = (0, 0, false);
    let mut end = line;
    for (at, &byte) in row[..line].iter().enumerate() {
        match byte {
            b'"' => quoted = !quoted,
            _ if byte == delimiter && !quoted => {
                if passed == column {
                    end = at;
                    break;
                }
                passed += 1;
                start = at + 1;
            }
            _ => {}
        }
    }
    while start < end && row[start] == b' ' {
        start += 1;
    }
    while start < end && row[end - 1] == b' ' {
        end -= 1;
    }
    start..end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_found_behind_quotes_and_blanks() {
        let row = b"\"a,b\", x ,\"say \"\"c\"\"\"\r\n";
        let text =
            |column| String::from_utf8_lossy(&row[cell_range(row, b',', column)]).into_owned();
        assert_eq!(text(0), "\"a,b\"");
        assert_eq!(text(1), "x");
        assert_eq!(text(2), "\"say \"\"c\"\"\"");
        assert_eq!(first_word(b"  +1\t1:2\n"), 2..4);
    }
}
