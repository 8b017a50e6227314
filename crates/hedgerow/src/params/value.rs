//! Values of parameters and facts about models, without their types.

use std::fmt::{self, Display, Formatter};

/// A value that front ends can show and take, whatever method it belongs to.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// No value.
    Nothing,
    /// Yes or no.
    Flag(bool),
    /// A count.
    Whole(u64),
    /// A number.
    Number(f64),
    /// A word or a text.
    Text(String),
    /// Several values.
    List(Vec<Value>),
    /// Named values.
    Table(Vec<(String, Value)>),
}

impl Value {
    /// A number from its text, whole if it is written so; otherwise the text.
    pub fn number(text: &str) -> Self {
        if let Ok(whole) = text.parse() {
            return Self::Whole(whole);
        }
        // Rust would read "nan" and "inf" too, which the range tests then refuse.
        text.parse()
            .map_or_else(|_| Self::Text(text.to_owned()), Self::Number)
    }

    /// The number, if it is one.
    pub fn as_number(&self) -> Option<f64> {
        match *self {
            Self::Whole(whole) => Some(whole as f64),
            Self::Number(number) => Some(number),
            _ => None,
        }
    }

    /// The whole number, if it is one.
    pub fn as_whole(&self) -> Option<u64> {
        match *self {
            Self::Whole(whole) => Some(whole),
            Self::Number(number) if number >= 0.0 && number.fract() == 0.0 && number < 2e19 => {
                Some(number as u64)
            }
            _ => None,
        }
    }

    /// The text, if it is one.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The named values, if it has such.
    pub fn entry(&self, name: &str) -> Option<&Value> {
        match self {
            Self::Table(entries) => {
                let found = entries.iter().find(|(key, _)| key == name);
                found.map(|(_, value)| value)
            }
            _ => None,
        }
    }
}

impl Display for Value {
    /// The shortest text that reads back as the same value.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nothing => f.write_str("none"),
            Self::Flag(flag) => flag.fmt(f),
            Self::Whole(whole) => whole.fmt(f),
            Self::Number(number) => {
                let size = number.abs();
                if *number == 0.0 || (1e-4..1e15).contains(&size) || !number.is_finite() {
                    write!(f, "{number}")
                } else {
                    write!(f, "{number:e}")
                }
            }
            Self::Text(text) => f.write_str(text),
            Self::List(values) => {
                for (at, value) in values.iter().enumerate() {
                    let comma = if at == 0 { "" } else { ", " };
                    write!(f, "{comma}{value}")?;
                }
                Ok(())
            }
            Self::Table(entries) => {
                for (at, (name, value)) in entries.iter().enumerate() {
                    let comma = if at == 0 { "" } else { ", " };
                    write!(f, "{comma}{name}={value}")?;
                }
                Ok(())
            }
        }
    }
}

macro_rules! from {
    ($($from:ty => $variant:ident),* $(,)?) => {$(
        impl From<$from> for Value {
            fn from(value: $from) -> Self {
                Self::$variant(value.into())
            }
        }
    )*};
}

from! { bool => Flag, u64 => Whole, u32 => Whole, f64 => Number, String => Text, &str => Text }

impl From<usize> for Value {
    fn from(value: usize) -> Self {
        Self::Whole(value as u64)
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Nothing, Into::into)
    }
}

impl<T: Into<Value>> From<Vec<T>> for Value {
    fn from(values: Vec<T>) -> Self {
        Self::List(values.into_iter().map(Into::into).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::Value;

    #[test]
    fn numbers_read_back() {
        for number in [0.1, 1.0, 2f64.powi(-15), 1e300, -3.5] {
            let text = Value::Number(number).to_string();
            assert_eq!(Value::number(&text).as_number(), Some(number), "{text}");
        }
        assert_eq!(Value::number("q10"), Value::Text("q10".to_owned()));
    }

    #[test]
    fn only_whole_numbers_are_whole() {
        assert_eq!(Value::Number(3.0).as_whole(), Some(3));
        for number in [0.5, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(Value::Number(number).as_whole(), None);
        }
    }
}
