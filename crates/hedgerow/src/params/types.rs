//! The types that parameters have.

use super::{Kind, Value};
use crate::data::ClassName;
use crate::{Error, Result};

/// A type of parameters. For enums `derive(Words)` implements it.
pub trait ParameterType: Sized {
    /// What values it takes.
    const KIND: Kind;

    /// The value; `None` if it is of another kind.
    fn read(value: &Value) -> Option<Self>;

    /// The value without its type.
    fn show(&self) -> Value;
}

/// Factors of the cost for some classes; 1 for all others.
pub type ClassWeights = Vec<(ClassName, f64)>;

/// The value of a parameter, or an error that names it.
pub fn read_as<T: ParameterType>(name: &'static str, value: &Value) -> Result<T> {
    T::read(value).ok_or_else(|| Error::ParameterValue {
        name,
        value: value.to_string(),
        requirement: T::KIND.requirement(),
    })
}

/// A word as it is compared: in lower case, underscores as dashes.
pub fn spelled(word: &str) -> String {
    word.trim().to_ascii_lowercase().replace('_', "-")
}

impl ParameterType for f64 {
    const KIND: Kind = Kind::Number;

    fn read(value: &Value) -> Option<Self> {
        value.as_number()
    }

    fn show(&self) -> Value {
        Value::Number(*self)
    }
}

impl ParameterType for bool {
    const KIND: Kind = Kind::Flag;

    fn read(value: &Value) -> Option<Self> {
        match value {
            Value::Flag(flag) => Some(*flag),
            _ => None,
        }
    }

    fn show(&self) -> Value {
        Value::Flag(*self)
    }
}

macro_rules! whole {
    ($($of:ty),*) => {$(
        impl ParameterType for $of {
            const KIND: Kind = Kind::Whole;

            fn read(value: &Value) -> Option<Self> {
                value.as_whole().and_then(|whole| whole.try_into().ok())
            }

            fn show(&self) -> Value {
                Value::from(*self)
            }
        }
    )*};
}

whole!(u32, u64, usize);

impl<T: ParameterType> ParameterType for Option<T> {
    const KIND: Kind = T::KIND;

    fn read(value: &Value) -> Option<Self> {
        match value {
            Value::Nothing => Some(None),
            value => T::read(value).map(Some),
        }
    }

    fn show(&self) -> Value {
        self.as_ref().map_or(Value::Nothing, T::show)
    }
}

impl ParameterType for ClassName {
    const KIND: Kind = Kind::Class;

    fn read(value: &Value) -> Option<Self> {
        match value {
            Value::Text(text) => Some(Self::parse(text)),
            value => value.as_number().map(Self::Number),
        }
    }

    fn show(&self) -> Value {
        match self {
            Self::Number(number) => Value::Number(*number),
            Self::Text(text) => Value::Text(text.clone()),
        }
    }
}

impl ParameterType for ClassWeights {
    const KIND: Kind = Kind::ClassWeights;

    fn read(value: &Value) -> Option<Self> {
        match value {
            Value::Nothing => Some(Vec::new()),
            Value::Text(text) => {
                let (class, weight) = text.rsplit_once('=')?;
                let weight = weight.trim().parse().ok()?;
                Some(vec![(ClassName::parse(class), weight)])
            }
            Value::List(values) => {
                let parts: Option<Vec<Self>> = values.iter().map(Self::read).collect();
                Some(parts?.concat())
            }
            Value::Table(entries) => entries
                .iter()
                .map(|(class, weight)| Some((ClassName::parse(class), weight.as_number()?)))
                .collect(),
            _ => None,
        }
    }

    fn show(&self) -> Value {
        let entries = self.iter();
        Value::Table(
            entries
                .map(|(class, weight)| (class.to_string(), Value::Number(*weight)))
                .collect(),
        )
    }
}
