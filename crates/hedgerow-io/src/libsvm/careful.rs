//! The reader of every form of row, which finds the exact place of every error.

use super::chunk::Chunk;
use crate::LineProblem;
use crate::error::excerpt;
use crate::loaded::TargetKind;
use crate::number;

/// Largest feature index.
const MAX_INDEX: u64 = 1 << 31;

/// An error with its 0-based column.
type Problem = (usize, LineProblem);

/// Reads a row; false if the line is blank or a comment.
pub(super) fn parse_row(
    chunk: &mut Chunk<'_>,
    line: &[u8],
    target: TargetKind,
) -> Result<bool, Problem> {
    let text = memchr::memchr(b'#', line).map_or(line, |end| &line[..end]);
    let mut tokens = Tokens { text, at: 0 };
    let Some((column, label)) = tokens.next() else {
        return Ok(false);
    };
    let has_label = memchr::memchr(b':', label).is_none();
    if !has_label {
        if target != TargetKind::None {
            return Err((column, LineProblem::LabelMissing));
        }
        tokens.at = column;
    }
    let label = read_label(label, target).map_err(|problem| (column, problem))?;
    let row = parse_entries(tokens)?;
    append(chunk, label, &row);
    Ok(true)
}

enum Label {
    Number(f64),
    Text(String),
}

fn read_label(token: &[u8], target: TargetKind) -> Result<Label, LineProblem> {
    if target == TargetKind::None {
        return Ok(Label::Number(0.0));
    }
    match number::parse_whole(token) {
        Some(value) if value.is_finite() => return Ok(Label::Number(value)),
        None if !number::is_not_finite_word(token) => {}
        _ => {
            return Err(LineProblem::TargetNotFinite {
                label: excerpt(token),
            });
        }
    }
    let text = std::str::from_utf8(token).map_err(|_| LineProblem::NotUtf8)?;
    // A byte order mark would vanish if the row came to stand first in a file.
    if text.starts_with('\u{feff}') || text.chars().any(char::is_control) {
        return Err(LineProblem::LabelNotText {
            label: excerpt(token),
        });
    }
    if text.contains(',') {
        return Err(LineProblem::SeveralLabels {
            label: excerpt(token),
        });
    }
    if target == TargetKind::Real {
        return Err(LineProblem::TargetNotNumber {
            label: excerpt(token),
        });
    }
    Ok(Label::Text(text.to_owned()))
}

struct Entry {
    index: u32,
    value: f64,
    column: usize,
}

#[derive(Default)]
struct EntryList {
    entries: Vec<Entry>,
    query_id: Option<u64>,
    zero_column: Option<usize>,
}

fn parse_entries(tokens: Tokens<'_>) -> Result<EntryList, Problem> {
    let mut row = EntryList::default();
    for (column, token) in tokens {
        let fail = |problem| Err((column, problem));
        let Some(colon) = memchr::memchr(b':', token) else {
            return fail(LineProblem::ColonMissing {
                token: excerpt(token),
            });
        };
        let (key, value) = (&token[..colon], &token[colon + 1..]);
        let value_column = column + colon + 1;
        if key == b"qid" {
            let id = std::str::from_utf8(value)
                .ok()
                .and_then(|text| text.parse().ok());
            let Some(id) = id else {
                let token = excerpt(value);
                return Err((value_column, LineProblem::QueryNotNumber { token }));
            };
            row.query_id = Some(id);
            continue;
        }
        let index = parse_index(key).map_err(|problem| (column, problem))?;
        if index == 0 {
            if !row.entries.is_empty() {
                return fail(LineProblem::IndexZero);
            }
            row.zero_column = Some(column);
        }
        let value = parse_value(index, value).map_err(|problem| (value_column, problem))?;
        row.entries.push(Entry {
            index,
            value,
            column,
        });
    }
    row.entries.sort_by_key(|entry| entry.index);
    if let Some(pair) = row
        .entries
        .windows(2)
        .filter(|pair| pair[0].index == pair[1].index)
        .min_by_key(|pair| pair[1].column)
    {
        let index = pair[1].index;
        return Err((pair[1].column, LineProblem::IndexTwice { index }));
    }
    Ok(row)
}

fn parse_index(key: &[u8]) -> Result<u32, LineProblem> {
    if key.is_empty() || !key.iter().all(u8::is_ascii_digit) {
        return Err(LineProblem::IndexNotNumber {
            token: excerpt(key),
        });
    }
    key.iter()
        .try_fold(0u64, |sum, byte| {
            let next = sum * 10 + u64::from(byte - b'0');
            (next <= MAX_INDEX).then_some(next)
        })
        .map(|index| index as u32)
        .ok_or_else(|| LineProblem::IndexTooLarge {
            token: excerpt(key),
        })
}

fn parse_value(index: u32, token: &[u8]) -> Result<f64, LineProblem> {
    match number::parse_whole(token) {
        Some(value) if value.is_finite() => Ok(value),
        None if !number::is_not_finite_word(token) => Err(LineProblem::ValueNotNumber {
            index,
            token: excerpt(token),
        }),
        _ => Err(LineProblem::ValueNotFinite {
            index,
            token: excerpt(token),
        }),
    }
}

/// Adds a row that is known to be good.
fn append(chunk: &mut Chunk<'_>, label: Label, row: &EntryList) {
    match label {
        Label::Number(value) => chunk.targets.push(value),
        Label::Text(text) => {
            chunk.texts.push((chunk.targets.len(), text));
            chunk.targets.push(f64::NAN);
        }
    }
    match row.query_id {
        Some(id) => chunk.set_query_id(id),
        None if !chunk.query_ids.is_empty() => chunk.query_ids.push(0),
        None => {}
    }
    if let Some(column) = row.zero_column {
        chunk.zero_rows += 1;
        chunk.first_zero.get_or_insert((chunk.n_lines, column));
    }
    if let Some(last) = row.entries.last() {
        chunk.max_index = chunk.max_index.max(last.index);
    }
    for entry in row.entries.iter().filter(|entry| entry.value != 0.0) {
        chunk.entries.push(entry.index.wrapping_sub(1), entry.value);
    }
}

/// Words between blanks, with their positions.
struct Tokens<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Iterator for Tokens<'a> {
    type Item = (usize, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r');
        let rest = &self.text[self.at..];
        let from = self.at + rest.iter().position(|byte| !is_blank(byte))?;
        let length = self.text[from..]
            .iter()
            .position(is_blank)
            .unwrap_or(self.text.len() - from);
        self.at = from + length;
        Some((from, &self.text[from..self.at]))
    }
}
