//! From values to positions: linear and logarithmic domains, tick values, tick labels.

use crate::typeset;

/// Values beyond this are drawn at this: a span must not overflow.
const LARGEST: f64 = 1e300;
/// Spans below this cannot be divided into ticks.
const SMALLEST: f64 = 1e-290;

/// How values turn into positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Kind {
    /// Proportional to the value.
    #[default]
    Linear,
    /// Proportional to the logarithm; values not above 0 are left out.
    Log,
}

/// A range of values, never empty.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Domain {
    pub(crate) low: f64,
    pub(crate) high: f64,
    pub(crate) kind: Kind,
}

/// A tick of an axis.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Tick {
    pub(crate) value: f64,
    pub(crate) label: String,
}

impl Domain {
    /// The range of the usable values; `None` if there is none. Equal values get room around.
    pub(crate) fn of(values: impl IntoIterator<Item = f64>, kind: Kind) -> Option<Self> {
        let mut range: Option<(f64, f64)> = None;
        for value in values {
            if usable(value, kind) {
                let value = value.clamp(-LARGEST, LARGEST);
                let (low, high) = range.unwrap_or((value, value));
                range = Some((low.min(value), high.max(value)));
            }
        }
        range.map(|(low, high)| Self::between(low, high, kind))
    }

    /// A range given by its finite ends, widened if they are (nearly) equal.
    pub(crate) fn between(low: f64, high: f64, kind: Kind) -> Self {
        let (mut low, mut high) = (low.min(high), high.max(low));
        match kind {
            Kind::Linear => {
                let size = low.abs().max(high.abs());
                if high - low < SMALLEST.max(size * 1e-9) {
                    let room = if size < SMALLEST { 0.5 } else { size * 0.05 };
                    low -= room;
                    high += room;
                }
            }
            Kind::Log => {
                low = low.max(SMALLEST);
                high = high.max(low);
                if high / low < 1.000_001 {
                    low /= 2.0;
                    high *= 2.0;
                }
            }
        }
        Self { low, high, kind }
    }

    /// The range with a share of its span added on both sides.
    pub(crate) fn padded(self, share: f64) -> Self {
        match self.kind {
            Kind::Linear => {
                let room = (self.high - self.low) * share;
                Self {
                    low: self.low - room,
                    high: self.high + room,
                    ..self
                }
            }
            Kind::Log => {
                let room = (self.high / self.low).ln() * share;
                Self {
                    low: self.low * (-room).exp(),
                    high: self.high * room.exp(),
                    ..self
                }
            }
        }
    }

    /// The range widened to whole tick steps (linear) or left as it is (log).
    pub(crate) fn rounded(self, target: usize) -> Self {
        if self.kind == Kind::Log {
            return self.padded(0.03);
        }
        let step = nice_step((self.high - self.low) / target as f64);
        Self {
            low: (self.low / step + 1e-9).floor() * step,
            high: (self.high / step - 1e-9).ceil() * step,
            ..self
        }
    }

    /// The range with `value` inside.
    pub(crate) fn including(self, value: f64) -> Self {
        if !usable(value, self.kind) {
            return self;
        }
        Self {
            low: self.low.min(value),
            high: self.high.max(value),
            ..self
        }
    }

    /// Position of a value: 0 at the low end, 1 at the high end; `None` if it cannot be drawn.
    pub(crate) fn unit(&self, value: f64) -> Option<f64> {
        if !usable(value, self.kind) {
            return None;
        }
        let value = value.clamp(-LARGEST, LARGEST);
        let t = match self.kind {
            Kind::Linear => (value - self.low) / (self.high - self.low),
            Kind::Log => (value.ln() - self.low.ln()) / (self.high.ln() - self.low.ln()),
        };
        Some(t.clamp(-20.0, 20.0))
    }

    /// About `target` ticks at round values inside the range, ascending.
    pub(crate) fn ticks(&self, target: usize) -> Vec<Tick> {
        match self.kind {
            Kind::Linear => self.linear_ticks(target),
            Kind::Log => self.log_ticks(target),
        }
    }

    fn linear_ticks(&self, target: usize) -> Vec<Tick> {
        let step = nice_step((self.high - self.low) / target.max(1) as f64);
        let first = (self.low / step - 1e-9).ceil();
        let last = (self.high / step + 1e-9).floor();
        let count = (last - first + 1.0).clamp(0.0, 1000.0) as usize;
        let values: Vec<f64> = (0..count).map(|k| (first + k as f64) * step).collect();
        let labels = linear_labels(&values, step);
        let pairs = values.into_iter().zip(labels);
        pairs.map(|(value, label)| Tick { value, label }).collect()
    }

    fn log_ticks(&self, target: usize) -> Vec<Tick> {
        let (low, high) = (self.low.log10(), self.high.log10());
        let decades = high - low;
        let multiples: &[f64] = if decades < 0.7 {
            return Self {
                kind: Kind::Linear,
                ..*self
            }
            .linear_ticks(target);
        } else if decades <= 1.6 {
            &[1.0, 2.0, 5.0]
        } else if decades <= 2.6 {
            &[1.0, 3.0]
        } else {
            &[1.0]
        };
        let stride = ((decades / target.max(1) as f64).ceil() as i32).max(1);
        let mut ticks = Vec::new();
        let first = low.floor() as i32;
        for exponent in first..=high.ceil() as i32 {
            if exponent.rem_euclid(stride) != 0 {
                continue;
            }
            for &multiple in multiples {
                let position = f64::from(exponent) + multiple.log10();
                if position >= low - 1e-9 && position <= high + 1e-9 {
                    ticks.push(Tick {
                        value: multiple * 10f64.powi(exponent),
                        label: log_label(multiple, exponent),
                    });
                }
            }
        }
        ticks
    }
}

/// True for a value that can be drawn. Logarithms of subnormal numbers are not worth an axis.
fn usable(value: f64, kind: Kind) -> bool {
    value.is_finite() && (kind == Kind::Linear || value >= SMALLEST)
}

/// The smallest of 1, 2, 5 times a power of ten that is not below `raw`.
fn nice_step(raw: f64) -> f64 {
    let raw = raw.max(SMALLEST);
    let magnitude = 10f64.powi(raw.log10().floor() as i32);
    let factor = match raw / magnitude {
        ratio if ratio <= 1.000_001 => 1.0,
        ratio if ratio <= 2.000_001 => 2.0,
        ratio if ratio <= 5.000_001 => 5.0,
        _ => 10.0,
    };
    factor * magnitude
}

fn linear_labels(values: &[f64], step: f64) -> Vec<String> {
    let size = values.iter().fold(0.0_f64, |size, v| size.max(v.abs()));
    let step_exponent = (step.log10() + 1e-9).floor() as i32;
    let decimals = (-step_exponent).max(0);
    if size < 1e6 && decimals <= 4 {
        let label = |&value: &f64| typeset::fixed(value, decimals as usize);
        return values.iter().map(label).collect();
    }
    let exponent = if size > 0.0 {
        (size.log10() + 1e-9).floor() as i32
    } else {
        0
    };
    let digits = (exponent - step_exponent).clamp(0, 9) as usize;
    let label = |&value: &f64| {
        if value == 0.0 {
            "0".to_owned()
        } else {
            typeset::power(value / 10f64.powi(exponent), exponent, digits)
        }
    };
    values.iter().map(label).collect()
}

fn log_label(multiple: f64, exponent: i32) -> String {
    if (-3..=4).contains(&exponent) {
        typeset::fixed(multiple * 10f64.powi(exponent), (-exponent).max(0) as usize)
    } else {
        typeset::power(multiple, exponent, 0)
    }
}

/// A domain laid along an axis of the drawing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Scale {
    pub(crate) domain: Domain,
    /// Position of the low end.
    pub(crate) start: f64,
    /// Position of the high end.
    pub(crate) end: f64,
}

impl Scale {
    /// Position of a value; `None` if it cannot be drawn.
    pub(crate) fn at(&self, value: f64) -> Option<f64> {
        let t = self.domain.unit(value)?;
        Some(self.start + t * (self.end - self.start))
    }

    /// True if the value lies inside the domain.
    pub(crate) fn contains(&self, value: f64) -> bool {
        self.domain.low <= value && value <= self.domain.high
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(low: f64, high: f64, kind: Kind) -> Vec<String> {
        let ticks = Domain::between(low, high, kind).ticks(5);
        ticks.into_iter().map(|tick| tick.label).collect()
    }

    #[test]
    fn linear_ticks_are_round() {
        assert_eq!(
            labels(0.0, 1.0, Kind::Linear),
            ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]
        );
        assert_eq!(labels(-3.0, 7.0, Kind::Linear), ["−2", "0", "2", "4", "6"]);
        assert_eq!(
            labels(0.0, 4e9, Kind::Linear),
            ["0", "10⁹", "2×10⁹", "3×10⁹", "4×10⁹"]
        );
    }

    #[test]
    fn log_ticks_are_decades_or_finer() {
        assert_eq!(
            labels(1.0, 1e4, Kind::Log),
            ["1", "10", "100", "1000", "10000"]
        );
        assert_eq!(labels(1.0, 20.0, Kind::Log), ["1", "2", "5", "10", "20"]);
        assert_eq!(
            labels(1e-8, 1e-5, Kind::Log),
            ["10⁻⁸", "10⁻⁷", "10⁻⁶", "10⁻⁵"]
        );
    }

    #[test]
    fn extreme_ranges_have_a_handful_of_ticks() {
        let ranges = [
            (0.0, 0.0),
            (1e6, 1e6),
            (5e-324, 5e-324),
            (-1e308, 1e308),
            (1e6 - 1e-3, 1e6 + 1e-3),
            (1e-300, 1e-299),
            (-7.0, -7.0),
        ];
        for (low, high) in ranges {
            for kind in [Kind::Linear, Kind::Log] {
                let Some(domain) = Domain::of([low, high], kind) else {
                    assert!(kind == Kind::Log && low < SMALLEST);
                    continue;
                };
                let domain = domain.padded(0.05);
                let ticks = domain.rounded(5).ticks(5);
                assert!(
                    (1..=12).contains(&ticks.len()),
                    "{low} {high} {kind:?}: {ticks:?}"
                );
                assert!(ticks.windows(2).all(|pair| pair[0].value < pair[1].value));
                let t = domain.unit(high.max(low)).expect("usable");
                assert!((0.0..=1.0).contains(&t), "{low} {high} {kind:?}: {t}");
            }
        }
    }

    #[test]
    fn unusable_values_have_no_position() {
        let domain = Domain::of([1.0, f64::NAN, f64::INFINITY, 3.0], Kind::Linear).expect("values");
        assert_eq!((domain.low, domain.high), (1.0, 3.0));
        assert_eq!(domain.unit(f64::NAN), None);
        assert_eq!(Domain::of([-1.0, 0.0], Kind::Log), None);
        assert_eq!(Domain::of([f64::NAN], Kind::Linear), None);
    }
}
