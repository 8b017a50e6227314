//! The tight loop for rows of the usual form: a numeric label, ascending indices of at most nine
//! digits, finite values.

use super::chunk::Chunk;
use crate::loaded::TargetKind;
use crate::number;

/// Reads a row if it has the usual form. On `false` entries may have been appended, which the
/// caller takes back; nothing else has changed.
#[inline]
pub(super) fn parse_row(chunk: &mut Chunk, line: &[u8], target: TargetKind) -> bool {
    if target == TargetKind::None {
        // The label may be anything or absent: not for this loop.
        return false;
    }
    let start = skip_blanks(line, 0);
    let Some((label, length)) = number::parse_prefix(&line[start..]) else {
        return false;
    };
    let mut i = start + length;
    if !ends_token(line, i) || !label.is_finite() {
        return false;
    }
    i = skip_blanks(line, i);
    let mut query_id = None;
    if line[i..].starts_with(b"qid:") {
        let Some((id, end)) = query_id_at(line, i + 4) else {
            return false;
        };
        query_id = Some(id);
        i = end;
    }
    let mut previous = 0u32;
    loop {
        i = skip_blanks(line, i);
        let Some(&first) = line.get(i) else { break };
        if first == b'#' {
            break;
        }
        let mut index = 0u32;
        let first_digit = i;
        while let Some(&byte) = line.get(i) {
            let digit = byte.wrapping_sub(b'0');
            if digit > 9 {
                break;
            }
            index = index.wrapping_mul(10).wrapping_add(u32::from(digit));
            i += 1;
        }
        // Nine digits cannot overflow. Index 0 and any index out of order fail `> previous`.
        if i - first_digit > 9 || index <= previous || line.get(i) != Some(&b':') {
            return false;
        }
        previous = index;
        i += 1;
        let Some((value, length)) = number::parse_prefix(&line[i..]) else {
            return false;
        };
        i += length;
        if !ends_token(line, i) || !value.is_finite() {
            return false;
        }
        if value != 0.0 {
            chunk.indices.push(index - 1);
            chunk.values.push(value);
        }
    }
    chunk.max_index = chunk.max_index.max(previous);
    chunk.targets.push(label);
    match query_id {
        Some(id) => chunk.set_query_id(id),
        None if !chunk.query_ids.is_empty() => chunk.query_ids.push(0),
        None => {}
    }
    true
}

/// The query id at `from` and the position after it, if it has at most 18 digits.
fn query_id_at(line: &[u8], from: usize) -> Option<(u64, usize)> {
    let digits = line[from..].iter().take_while(|byte| byte.is_ascii_digit());
    let length = digits.clone().count();
    let end = from + length;
    if !(1..=18).contains(&length) || !ends_token(line, end) {
        return None;
    }
    let id = digits.fold(0, |sum, byte| sum * 10 + u64::from(byte - b'0'));
    Some((id, end))
}

/// First position from `i` that is no blank.
#[inline]
fn skip_blanks(line: &[u8], mut i: usize) -> usize {
    while matches!(line.get(i), Some(b' ' | b'\t' | b'\r')) {
        i += 1;
    }
    i
}

#[inline]
fn ends_token(line: &[u8], i: usize) -> bool {
    matches!(line.get(i), None | Some(b' ' | b'\t' | b'\r' | b'#'))
}
