//! Text without a font at hand: estimated widths, shortening, numbers as people write them.

/// Font size of tick labels, legends and cell values.
pub(crate) const SMALL: f64 = 11.0;
/// Font size of axis labels.
pub(crate) const MEDIUM: f64 = 12.0;
/// Font size of the title.
pub(crate) const LARGE: f64 = 15.0;

/// Estimated width of a text in a common sans-serif font, a little on the generous side.
pub(crate) fn width(text: &str, size: f64) -> f64 {
    text.chars().map(advance).sum::<f64>() * size
}

fn advance(character: char) -> f64 {
    match character {
        'i' | 'j' | 'l' | '\'' | '|' | '.' | ',' | ':' | ';' | '!' => 0.29,
        'f' | 't' | 'r' | ' ' | '(' | ')' | '[' | ']' | '/' | '-' => 0.37,
        'm' | 'w' | 'M' | 'W' | '%' | '@' => 0.88,
        'A'..='Z' => 0.68,
        '0'..='9' => 0.62,
        '⁰'..='₉' | '¹' | '²' | '³' => 0.38,
        // East Asian scripts and emoji fill a square.
        '\u{1100}'..='\u{11ff}' | '\u{2e80}'..='\u{ffef}' | '\u{1f000}'.. => 1.0,
        _ => 0.61,
    }
}

/// The text, shortened with an ellipsis if it is wider than `limit`.
pub(crate) fn fit(text: &str, size: f64, limit: f64) -> String {
    if width(text, size) <= limit {
        return text.to_owned();
    }
    let mut used = advance('…') * size;
    let mut out = String::new();
    for character in text.chars() {
        used += advance(character) * size;
        if used > limit {
            break;
        }
        out.push(character);
    }
    out.truncate(out.trim_end().len());
    out.push('…');
    out
}

/// A number with the given decimals and a true minus sign.
pub(crate) fn fixed(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    match text.strip_prefix('-') {
        Some(digits) if digits.chars().all(|c| c == '0' || c == '.') => digits.to_owned(),
        Some(digits) => format!("−{digits}"),
        None => text,
    }
}

/// `mantissa × 10^exponent`; a mantissa of one is left out.
pub(crate) fn power(mantissa: f64, exponent: i32, decimals: usize) -> String {
    let digits = fixed(mantissa, decimals);
    if digits == "1" {
        format!("10{}", superscript(exponent))
    } else {
        format!("{digits}×10{}", superscript(exponent))
    }
}

fn superscript(exponent: i32) -> String {
    exponent
        .to_string()
        .chars()
        .map(|c| match c {
            '-' => '⁻',
            '1' => '¹',
            '2' => '²',
            '3' => '³',
            '0' => '⁰',
            digit => char::from_u32(0x2070 + digit as u32 - '0' as u32).unwrap_or(digit),
        })
        .collect()
}

/// A value in about `digits` significant digits, as short as it can be said.
pub(crate) fn significant(value: f64, digits: usize) -> String {
    if value == 0.0 || !value.is_finite() {
        return if value == 0.0 {
            "0".into()
        } else {
            "–".into()
        };
    }
    let exponent = value.abs().log10().floor() as i32;
    if (-4..=5).contains(&exponent) {
        let decimals = (digits as i32 - 1 - exponent).max(0) as usize;
        let text = fixed(value, decimals);
        if text.contains('.') {
            return text.trim_end_matches('0').trim_end_matches('.').to_owned();
        }
        return text;
    }
    // Two steps, so that subnormal numbers do not divide by zero.
    let half = exponent / 2;
    let mantissa = value / 10f64.powi(half) / 10f64.powi(exponent - half);
    // As many decimals as the rounded mantissa needs.
    let most = digits.saturating_sub(1).min(2);
    let needed = (0..=most).find(|&d| {
        let scale = 10f64.powi((most - d) as i32);
        let units = (mantissa * 10f64.powi(most as i32)).round();
        (units / scale).fract() == 0.0
    });
    power(mantissa, exponent, needed.unwrap_or(most))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!(significant(0.0, 3), "0");
        assert_eq!(significant(12.345, 3), "12.3");
        assert_eq!(significant(-0.5, 3), "−0.5");
        assert_eq!(significant(1234.5, 3), "1234");
        assert_eq!(significant(1e9, 1), "10⁹");
        assert_eq!(significant(5e9, 3), "5×10⁹");
        assert_eq!(significant(-1.999_9e9, 3), "−2×10⁹");
        assert_eq!(significant(2.5e-7, 2), "2.5×10⁻⁷");
        assert_eq!(significant(5e-324, 2), "4.9×10⁻³²⁴");
        assert_eq!(fixed(-0.001, 2), "0.00");
    }

    #[test]
    fn long_texts_are_shortened() {
        let text = "a rather long label that cannot stay";
        let short = fit(text, 10.0, 80.0);
        assert!(short.ends_with('…') && width(&short, 10.0) <= 80.0);
        assert_eq!(fit("short", 10.0, 80.0), "short");
    }
}
