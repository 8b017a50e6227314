//! Parameters that are declared once.
//!
//! The parameters of a method are a plain struct under the attribute `#[params]`. What the front
//! ends need beside the fields — ranges, letters, scikit-learn's names, which can be tuned — stands
//! in an attribute of each field, and is read through [`Parameters::table`]. The program's options,
//! the axes of grid searches, the signatures in Python, `inspect` and the reference page all come
//! from this table, so that no two of them can disagree.
//!
//! ```
//! use hedgerow::params::{Parameters, Value};
//! use hedgerow::svm::SvcParams;
//!
//! let mut params = SvcParams::default();
//! assert!(params.set("cost", &Value::Number(10.0))?);
//! assert_eq!(params.get("cost"), Some(Value::Number(10.0)));
//! let table = SvcParams::table();
//! let cost = table.iter().find(|one| one.name == "cost").expect("it is declared");
//! assert_eq!(cost.python.map(|python| python.name), Some("C"));
//! # Ok::<(), hedgerow::Error>(())
//! ```

mod range;
mod types;
mod value;

pub(crate) use hedgerow_macros::{Words, params};
pub use range::{Range, Ranged};
pub use types::{ClassWeights, ParameterType, read_as, spelled};
pub use value::Value;

use crate::{Error, Result};

/// One parameter, as the front ends see it.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Parameter {
    /// Name of the field, of the axis of a grid and of the entry in a model file.
    pub name: &'static str,
    /// What it means, in one sentence.
    pub about: &'static str,
    /// What values it takes.
    pub kind: Kind,
    /// The range in words, if there is one.
    pub requirement: Option<&'static str>,
    /// What no value means, for parameters that may have none.
    pub unless: Option<&'static str>,
    /// Letter of the program's option.
    pub short: Option<char>,
    /// Letter of a flag that takes 0 or 1.
    pub switch: Option<char>,
    /// Older spellings.
    pub aliases: &'static [&'static str],
    /// Name of the program's option with underscores for dashes; `None` if it has none.
    pub option: Option<&'static str>,
    /// The parameter in Python; `None` if it has none there.
    pub python: Option<Python>,
    /// Section of the help.
    pub heading: &'static str,
    /// Whether a grid search may vary it.
    pub tunable: bool,
    /// True if it does not change the answer, so that model files do not tell it, or if another
    /// parameter tells it.
    pub unsaid: bool,
}

/// A parameter in Python.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Python {
    /// Its name there: scikit-learn's where that has one.
    pub name: &'static str,
    /// The default there as Python text, if it is another one.
    pub default: Option<&'static str>,
    /// What stands for no value there as Python text, if not `None`.
    pub none: Option<&'static str>,
}

/// What values a parameter takes.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Kind {
    /// A number.
    Number,
    /// A whole number, not negative.
    Whole,
    /// Yes or no.
    Flag,
    /// One of some words.
    Words(&'static [Word]),
    /// The text form of a kernel.
    Kernel,
    /// A number, or a word that leaves it to the data: `auto`, `scale`, `mean`, `q50`.
    Width,
    /// Pairs of class and factor.
    ClassWeights,
    /// The name of a class.
    Class,
}

/// One of the words that a parameter takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Word {
    /// The word.
    pub name: &'static str,
    /// What it means.
    pub about: &'static str,
    /// Other spellings.
    pub others: &'static [&'static str],
}

impl Parameter {
    /// A parameter that needs nothing special, with the same name everywhere.
    pub const fn new(name: &'static str, about: &'static str, kind: Kind) -> Self {
        Self {
            name,
            about,
            kind,
            requirement: None,
            unless: None,
            short: None,
            switch: None,
            aliases: &[],
            option: Some(name),
            python: Some(Python {
                name,
                default: None,
                none: None,
            }),
            heading: "Model",
            tunable: false,
            unsaid: false,
        }
    }

    /// With another name in Python.
    pub const fn in_python(mut self, name: &'static str) -> Self {
        self.python = Some(Python {
            name,
            default: None,
            none: None,
        });
        self
    }

    /// True if the name or an older spelling is this.
    pub fn is_called(&self, name: &str) -> bool {
        self.name == name || self.aliases.contains(&name)
    }
}

/// An error for a parameter that means nothing with the present value of another.
pub(crate) fn not_here(name: &'static str, value: &Value, with: &str, word: &str) -> Error {
    Error::ParameterValue {
        name,
        value: value.to_string(),
        requirement: format!("left out with {with} = {word}"),
    }
}

impl Kind {
    /// Reads a value as the program's options and grid axes write it: a text that is no value of
    /// this kind stays a text, for [`Parameters::set`] to refuse.
    pub fn value(self, text: &str) -> Value {
        let text = text.trim();
        match self {
            Self::Flag => match text {
                "1" | "true" | "yes" => Value::Flag(true),
                "0" | "false" | "no" => Value::Flag(false),
                _ => Value::Text(text.to_owned()),
            },
            Self::Number | Self::Whole | Self::Width => Value::number(text),
            Self::Words(_) | Self::Kernel | Self::ClassWeights | Self::Class => {
                Value::Text(text.to_owned())
            }
        }
    }

    /// What a value must be, in words.
    pub fn requirement(self) -> String {
        match self {
            Self::Number => "a number".to_owned(),
            Self::Whole => "a whole number of at least 0".to_owned(),
            Self::Flag => "yes or no".to_owned(),
            Self::Words(words) => {
                let names: Vec<&str> = words.iter().map(|word| word.name).collect();
                match names.split_last() {
                    Some((last, [])) => (*last).to_owned(),
                    Some((last, others)) => format!("{} or {last}", others.join(", ")),
                    None => String::new(),
                }
            }
            Self::Kernel => "the text form of a kernel".to_owned(),
            Self::Width => "a number, auto, scale, mean or a percentile such as q50".to_owned(),
            Self::ClassWeights => "class=weight with a weight above 0".to_owned(),
            Self::Class => "the name of a class".to_owned(),
        }
    }
}

/// A struct of declared parameters. The attribute `#[params]` implements it.
pub trait Parameters: Default {
    /// All parameters, those of structs inside included.
    fn table() -> Vec<Parameter>;

    /// The value of a parameter; `None` if there is none of this name.
    fn get(&self, name: &str) -> Option<Value>;

    /// Sets a parameter by its name or an older spelling of it; false if there is none.
    ///
    /// # Errors
    /// [`crate::Error::ParameterValue`] if the value is of another kind. Ranges are tested by
    /// `check`.
    fn set(&mut self, name: &str, value: &Value) -> Result<bool>;
}
