//! The tight loop for rows of the usual form: a numeric label, ascending indices of at most eight
//! digits, finite values.

use super::chunk::Chunk;
use crate::loaded::TargetKind;
use crate::number;

/// Reads the row that `text` begins with, if it has the usual form, and returns the length of its
/// line with the line end. On `None` entries may have been appended, which the caller takes back;
/// nothing else has changed.
///
/// The line is not looked for beforehand: numbers are read eight bytes at a time, and the bytes
/// after a line serve as well as any.
#[inline]
pub(super) fn parse_row(chunk: &mut Chunk<'_>, text: &[u8], target: TargetKind) -> Option<usize> {
    if target == TargetKind::None {
        // The label may be anything or absent: not for this loop.
        return None;
    }
    let mut i = skip_blanks(text, 0);
    let (label, length) = number::parse_prefix(&text[i..])?;
    i += length;
    if !ends_token(text, i) || !label.is_finite() {
        return None;
    }
    i = skip_blanks(text, i);
    let mut query_id = None;
    if text[i..].starts_with(b"qid:") {
        let (id, length) = number::leading_digits(number::group_at(text, i + 4));
        i += 4 + length;
        if length == 0 || !ends_token(text, i) {
            return None;
        }
        query_id = Some(id);
    }
    let mut previous = 0u32;
    let end = loop {
        let (index, length) = number::leading_digits(number::group_at(text, i));
        if length == 0 {
            match text.get(i) {
                None => break i,
                Some(b'\n') => break i + 1,
                Some(b' ' | b'\t' | b'\r') => {
                    i += 1;
                    continue;
                }
                Some(b'#') => {
                    break memchr::memchr(b'\n', &text[i..]).map_or(text.len(), |at| i + at + 1);
                }
                Some(_) => return None,
            }
        }
        i += length;
        // Index 0 and any index out of order fail the comparison; a ninth digit is no colon.
        if index <= u64::from(previous) || text.get(i) != Some(&b':') {
            return None;
        }
        previous = index as u32;
        i += 1;
        let (value, length) = number::parse_prefix(text.get(i..)?)?;
        i += length;
        if !value.is_finite() {
            return None;
        }
        match text.get(i) {
            Some(b' ') => i += 1,
            None | Some(b'\t' | b'\r' | b'\n' | b'#') => {}
            Some(_) => return None,
        }
        if value != 0.0 {
            chunk.entries.push(previous - 1, value);
        }
    };
    chunk.max_index = chunk.max_index.max(previous);
    chunk.targets.push(label);
    match query_id {
        Some(id) => chunk.set_query_id(id),
        None if !chunk.query_ids.is_empty() => chunk.query_ids.push(0),
        None => {}
    }
    Some(end)
}

/// First position from `i` that is no blank.
#[inline]
fn skip_blanks(text: &[u8], mut i: usize) -> usize {
    while matches!(text.get(i), Some(b' ' | b'\t' | b'\r')) {
        i += 1;
    }
    i
}

#[inline]
fn ends_token(text: &[u8], i: usize) -> bool {
    matches!(
        text.get(i),
        None | Some(b' ' | b'\t' | b'\r' | b'\n' | b'#')
    )
}
