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

/// The number at the beginning of `bytes` and its length; `None` if there is none.
///
/// `nan` and `inf` are no numbers here; a number too large for a double comes back infinite.
#[inline(always)]
#[allow(clippy::inline_always)] // A fifth of the reading time is the call and its result in memory.
pub(crate) fn parse_prefix(bytes: &[u8]) -> Option<(f64, usize)> {
    let negative = bytes.first() == Some(&b'-');
    let start = usize::from(negative);
    let (whole, whole_digits) = leading_digits(group_at(bytes, start));
    let mut end = start + whole_digits;
    let mut magnitude = whole as f64;
    let mut digits = whole_digits;
    let mut next = bytes.get(end).copied().unwrap_or(0);
    if next == b'.' {
        let (fraction, decimals) = leading_digits(group_at(bytes, end + 1));
        end += 1 + decimals;
        digits += decimals;
        next = bytes.get(end).copied().unwrap_or(0);
        // At most 16 digits, so the sum fits; whether it is exact is asked below.
        let mantissa = whole * GROUP_POWERS[decimals] + fraction;
        magnitude = mantissa as f64 / POWERS[decimals];
    }
    // Fifteen digits are below 2^53. More digits, exponents, a plus sign and what is no number at
    // all go the long way.
    if !(1..=15).contains(&digits) || next.is_ascii_digit() || matches!(next, b'.' | b'e' | b'E') {
        return parse_any_prefix(bytes);
    }
    // Setting the sign bit needs no branch, which random signs would mislead.
    let sign = u64::from(negative) << 63;
    Some((f64::from_bits(magnitude.to_bits() | sign), end))
}

/// A number with a comma before its decimals, as `3,14`; `None` for anything else.
pub(crate) fn with_decimal_comma(text: &[u8]) -> Option<f64> {
    let comma = text.iter().position(|&byte| byte == b',')?;
    if text[comma + 1..]
        .iter()
        .any(|&byte| byte == b',' || byte == b'.')
        || text[..comma].contains(&b'.')
    {
        return None;
    }
    let mut pointed = text.to_vec();
    pointed[comma] = b'.';
    parse_whole(&pointed)
}

/// [`parse_prefix`] for every form of number.
#[inline(never)]
fn parse_any_prefix(bytes: &[u8]) -> Option<(f64, usize)> {
    let negative = bytes.first() == Some(&b'-');
    let start = usize::from(negative || bytes.first() == Some(&b'+'));
    let count = |from: usize| {
        bytes[from..]
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count()
    };
    let mut digits = count(start);
    let mut end = start + digits;
    if bytes.get(end) == Some(&b'.') {
        let decimals = count(end + 1);
        digits += decimals;
        end += 1 + decimals;
    }
    if digits == 0 {
        return None;
    }
    end += exponent_length(&bytes[end..]);
    let magnitude: f64 = fast_float2::parse(&bytes[start..end]).ok()?;
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

/// Powers of ten by the number of digits in a group of eight.
const GROUP_POWERS: [u64; 9] = [
    1,
    10,
    100,
    1_000,
    10_000,
    100_000,
    1_000_000,
    10_000_000,
    100_000_000,
];

/// The eight bytes at `at`, the first being the lowest; zeros after the end.
#[inline]
pub(crate) fn group_at(bytes: &[u8], at: usize) -> u64 {
    let rest = bytes.get(at..).unwrap_or_default();
    if let Some(group) = rest.first_chunk() {
        return u64::from_le_bytes(*group);
    }
    let mut group = [0; 8];
    group[..rest.len()].copy_from_slice(rest);
    u64::from_le_bytes(group)
}

/// Value and number of the digits at the beginning of eight bytes, the first being the lowest.
///
/// The bytes are looked at together: a loop over single digits would be as long as the number has
/// digits, which no branch predictor foresees.
#[inline]
pub(crate) fn leading_digits(group: u64) -> (u64, usize) {
    const EACH: u64 = 0x0101_0101_0101_0101;
    // Digits become 0 to 9. Adding 0x76 sets the top bit of what is above 9; a carry into the next
    // byte comes only from a byte that is marked itself, so the first mark is right.
    let digits = group ^ (EACH * 0x30);
    let marks = (digits.wrapping_add(EACH * 0x76) | digits) & (EACH * 0x80);
    let length = (marks.trailing_zeros() / 8) as usize;
    if length == 0 {
        return (0, 0);
    }
    // The digits move to the high end; zeros come before them. Then neighbours are joined: to
    // pairs in 16 bits, fours in 32 bits, eight in 64 bits.
    let ones = digits << (64 - 8 * length);
    let pairs = (ones.wrapping_mul(10).wrapping_add(ones >> 8)) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs.wrapping_mul(100).wrapping_add(pairs >> 16)) & 0x0000_ffff_0000_ffff;
    let eight = (fours.wrapping_mul(10_000).wrapping_add(fours >> 32)) & 0xffff_ffff;
    (eight, length)
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
    fn groups_of_digits() {
        for digits in 0..=8 {
            for tail in [
                "", " ", ":", "/", "\u{7f}", "\u{ff}1", "x1234567", ".5", "        ",
            ] {
                let text = &"90817263"[..digits];
                let padded = format!("##{text}{tail}");
                let found = leading_digits(group_at(padded.as_bytes(), 2));
                assert_eq!(found, (text.parse().unwrap_or(0), digits), "{padded}");
            }
        }
    }

    #[test]
    fn every_number_of_digits_before_and_after_the_point() {
        let digits = "1234567890123456789012345";
        for whole in 0..20 {
            for decimals in 0..20 {
                for tail in ["", "e3", "E-7"] {
                    let text = format!("-{}.{}{tail}", &digits[..whole], &digits[..decimals]);
                    let expected = text.parse::<f64>().ok().map(f64::to_bits);
                    let found = parse_whole(text.as_bytes()).map(f64::to_bits);
                    assert_eq!(found, expected, "{text}");
                }
            }
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
