//! Decimal numbers from bytes and back.
//!
//! A decimal `m · 10^e` with `m ≤ 2^53` and `|e| ≤ 22` is one correctly rounded multiplication or
//! division of two exact doubles, so short numbers need no further care. All others go to a
//! general correctly rounding parser.

use std::io::Write;

/// Powers of ten that a double holds exactly.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];

/// Digits that always fit a `u64`.
const SAFE_DIGITS: usize = 19;

/// The number at the beginning of `bytes` and its length; `None` if there is none.
///
/// `nan` and `inf` are no numbers here; a number too large for a double comes back infinite.
#[inline]
pub(crate) fn parse_prefix(bytes: &[u8]) -> Option<(f64, usize)> {
    let negative = bytes.first() == Some(&b'-');
    let mut i = usize::from(negative || bytes.first() == Some(&b'+'));
    let first_digit = i;
    let mut mantissa = 0u64;
    while let Some(digit) = digit_at(bytes, i) {
        mantissa = mantissa.wrapping_mul(10).wrapping_add(digit);
        i += 1;
    }
    let mut digits = i - first_digit;
    let mut decimals = 0;
    if bytes.get(i) == Some(&b'.') {
        i += 1;
        let first_decimal = i;
        while let Some(digit) = digit_at(bytes, i) {
            mantissa = mantissa.wrapping_mul(10).wrapping_add(digit);
            i += 1;
        }
        decimals = i - first_decimal;
        digits += decimals;
    }
    if digits == 0 {
        return None;
    }
    let exponent_length = exponent_length(&bytes[i..]);
    if exponent_length == 0 && digits <= SAFE_DIGITS && mantissa <= 1 << 53 {
        // At most 19 decimals: the table reaches that far.
        let magnitude = mantissa as f64 / POWERS[decimals];
        return Some((if negative { -magnitude } else { magnitude }, i));
    }
    let end = i + exponent_length;
    let magnitude: f64 = fast_float2::parse(&bytes[first_digit..end]).ok()?;
    Some((if negative { -magnitude } else { magnitude }, end))
}

/// The number that `bytes` are as a whole.
pub(crate) fn parse_whole(bytes: &[u8]) -> Option<f64> {
    parse_prefix(bytes)
        .filter(|&(_, length)| length == bytes.len())
        .map(|(value, _)| value)
}

/// True for the words that other readers take for NaN or infinity, with or without a sign.
pub(crate) fn is_not_finite_word(bytes: &[u8]) -> bool {
    let word = match bytes {
        [b'+' | b'-', rest @ ..] => rest,
        all => all,
    };
    [&b"nan"[..], b"inf", b"infinity"]
        .iter()
        .any(|name| word.eq_ignore_ascii_case(name))
}

#[inline]
fn digit_at(bytes: &[u8], i: usize) -> Option<u64> {
    let digit = bytes.get(i)?.wrapping_sub(b'0');
    (digit < 10).then_some(u64::from(digit))
}

/// Length of `e±digits` at the beginning of `bytes`, 0 if there is none.
#[inline]
fn exponent_length(bytes: &[u8]) -> usize {
    if !matches!(bytes.first(), Some(b'e' | b'E')) {
        return 0;
    }
    let sign = usize::from(matches!(bytes.get(1), Some(b'+' | b'-')));
    let digits = bytes[1 + sign..]
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    if digits == 0 { 0 } else { 1 + sign + digits }
}

/// Writes the shortest text that reads back as the same double.
pub(crate) fn write_shortest(value: f64, out: &mut impl Write) -> std::io::Result<()> {
    if value == value.trunc() && value.abs() < 1e15 {
        write!(out, "{}", value as i64)
    } else {
        write!(out, "{value:?}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_standard_library_to_the_last_bit() {
        for text in [
            "0",
            "-0",
            "+1",
            "1.",
            ".5",
            "-.25",
            "0.1",
            "123456789012345678",
            "9007199254740993",
            "0.30000000000000004",
            "1e5",
            "1E-5",
            "2.5e+3",
            "1e308",
            "4.9e-324",
            "1e22",
            "1e23",
            "00000000000000000000001.5",
            "179769313486231570000000000000000000000",
            "1e999",
            "0.0000000000000000000000000000000000000000000000000000001",
            "18446744073709551616",
            "99999999999999999999999",
        ] {
            let expected: f64 = text.parse().unwrap();
            let found = parse_whole(text.as_bytes()).unwrap();
            assert_eq!(found.to_bits(), expected.to_bits(), "{text}");
        }
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for text in [
            "", "-", "+", ".", "e5", "1e", "1e+", "nan", "inf", "1x", "--1", "0x10", " 1",
        ] {
            assert_eq!(parse_whole(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn shortest_text_reads_back() {
        for value in [
            0.1,
            1.0,
            -3.0,
            1e15,
            1e16,
            1.5e300,
            5e-324,
            -2.5e-7,
            123_456.789,
        ] {
            let mut text = Vec::new();
            write_shortest(value, &mut text).unwrap();
            assert_eq!(parse_whole(&text), Some(value));
        }
    }
}
