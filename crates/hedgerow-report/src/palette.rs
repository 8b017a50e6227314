//! Colours.
//!
//! The series colours follow the Okabe–Ito set, which stays distinguishable under the common kinds
//! of colour blindness; its yellow is left out because it vanishes on white paper. Sequential
//! scales run in one hue from light to dark, so that they survive a black-and-white print.

/// Colour of titles and values.
pub(crate) const INK: &str = "#1f2328";
/// Colour of tick labels and axis labels.
pub(crate) const SOFT_INK: &str = "#57606a";
/// Colour of axis lines and reference lines.
pub(crate) const RULE: &str = "#8c959f";
/// Colour of grid lines.
pub(crate) const GRID: &str = "#e7e9ec";
/// Colour of cells without value.
pub(crate) const MISSING: &str = "#f0f1f3";

/// Red, green and blue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Colour(pub(crate) u8, pub(crate) u8, pub(crate) u8);

const SERIES: [Colour; 8] = [
    Colour(0x00, 0x72, 0xb2),
    Colour(0xd5, 0x5e, 0x00),
    Colour(0x00, 0x9e, 0x73),
    Colour(0xcc, 0x79, 0xa7),
    Colour(0x56, 0xb4, 0xe9),
    Colour(0xe6, 0x9f, 0x00),
    Colour(0x5b, 0x4a, 0x9c),
    Colour(0x4d, 0x4d, 0x4d),
];

const SEQUENCE: [Colour; 6] = [
    Colour(0xf3, 0xf7, 0xfb),
    Colour(0xcf, 0xe1, 0xf0),
    Colour(0x98, 0xc3, 0xe0),
    Colour(0x4f, 0x99, 0xc8),
    Colour(0x15, 0x6a, 0xa8),
    Colour(0x08, 0x3a, 0x6b),
];

/// Dash patterns that repeat what colour says, for series beyond the first.
const DASHES: [&str; 4] = ["", "7 3", "2 2.5", "8 3 2 3"];

/// Colour of series or class `index`; repeats after eight.
pub(crate) fn series(index: usize) -> Colour {
    SERIES[index % SERIES.len()]
}

/// Dash pattern of series `index`; empty means solid.
pub(crate) fn dash(index: usize) -> &'static str {
    DASHES[index % DASHES.len()]
}

/// Colour of the sequential scale at `t` in 0..=1.
pub(crate) fn sequential(t: f64) -> Colour {
    let t = if t.is_nan() { 0.0 } else { t.clamp(0.0, 1.0) };
    let position = t * (SEQUENCE.len() - 1) as f64;
    let k = (position.floor() as usize).min(SEQUENCE.len() - 2);
    SEQUENCE[k].mix(SEQUENCE[k + 1], position - k as f64)
}

impl Colour {
    /// The colour as `#rrggbb`.
    pub(crate) fn hex(self) -> String {
        format!("#{:02x}{:02x}{:02x}", self.0, self.1, self.2)
    }

    /// A blend: `t = 0` gives `self`, `t = 1` gives `other`.
    pub(crate) fn mix(self, other: Self, t: f64) -> Self {
        let blend = |a: u8, b: u8| (f64::from(a) + (f64::from(b) - f64::from(a)) * t).round() as u8;
        Self(
            blend(self.0, other.0),
            blend(self.1, other.1),
            blend(self.2, other.2),
        )
    }

    /// The colour thinned with white; `strength = 1` leaves it as it is.
    pub(crate) fn tint(self, strength: f64) -> Self {
        Self(255, 255, 255).mix(self, strength)
    }

    /// Text colour that is readable on this colour.
    pub(crate) fn ink(self) -> &'static str {
        if self.luminance() > 0.215 {
            INK
        } else {
            "#ffffff"
        }
    }

    /// Relative luminance as WCAG defines it.
    fn luminance(self) -> f64 {
        let linear = |channel: u8| {
            let value = f64::from(channel) / 255.0;
            if value <= 0.040_45 {
                value / 12.92
            } else {
                ((value + 0.055) / 1.055).powf(2.4)
            }
        };
        0.2126 * linear(self.0) + 0.7152 * linear(self.1) + 0.0722 * linear(self.2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequential_scale_darkens_monotonically() {
        let steps: Vec<f64> = (0..=50)
            .map(|k| sequential(f64::from(k) / 50.0).luminance())
            .collect();
        assert!(steps.windows(2).all(|pair| pair[0] >= pair[1]));
    }

    #[test]
    fn cell_text_keeps_a_contrast_of_four() {
        for k in 0..=100 {
            let ground = sequential(f64::from(k) / 100.0);
            let text = if ground.ink() == INK {
                Colour(0x1f, 0x23, 0x28)
            } else {
                Colour(255, 255, 255)
            };
            let (a, b) = (ground.luminance() + 0.05, text.luminance() + 0.05);
            assert!(
                a.max(b) / a.min(b) >= 3.9,
                "step {k}: {}",
                a.max(b) / a.min(b)
            );
        }
    }

    #[test]
    fn colours_are_written_in_hex() {
        assert_eq!(series(0).hex(), "#0072b2");
        assert_eq!(series(0).tint(0.0).hex(), "#ffffff");
        assert_eq!(sequential(f64::NAN), sequential(0.0));
    }
}
