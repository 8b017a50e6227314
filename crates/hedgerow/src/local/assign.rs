//! Which local machine answers.

use crate::params::{Kind, Parameter, Parameters, Value, Words, not_here, read_as};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// Centres that vote or blend, if no number is given.
const VOTERS: u32 = 3;

/// Which local machine answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Assign {
    /// That of the nearest training row (FaLK-SVM).
    #[default]
    Nearest,
    /// That of the nearest centre (FaLK-SVMc): faster, slightly less accurate.
    Centre,
    /// The majority of those of this many nearest centres; the mean in regression.
    Vote(u32),
    /// The mean of what those of this many nearest centres say, each by how clearly: of the decision
    /// values, or with more than two classes of the votes, each divided by how clear it is.
    /// Machines that follow their own rows closely (large cost) make up for each other.
    Blend(u32),
}

/// The words for them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Words)]
enum AssignWord {
    /// That of the nearest training row.
    Nearest,
    /// That of the nearest centre: faster, slightly less accurate.
    Centre,
    /// The majority of several nearest centres.
    Vote,
    /// Several nearest centres, each by how clearly it speaks.
    Blend,
}

impl Assign {
    /// How many machines answer for a row, if there are as many.
    pub fn voters(self) -> u32 {
        match self {
            Self::Nearest | Self::Centre => 1,
            Self::Vote(count) | Self::Blend(count) => count,
        }
    }

    fn word(self) -> &'static str {
        match self {
            Self::Nearest => AssignWord::Nearest,
            Self::Centre => AssignWord::Centre,
            Self::Vote(_) => AssignWord::Vote,
            Self::Blend(_) => AssignWord::Blend,
        }
        .word()
    }

    /// An error if nobody would answer.
    pub fn check(&self) -> Result<()> {
        if self.voters() > 0 {
            return Ok(());
        }
        Err(Error::Parameter {
            name: "voters",
            value: 0.0,
            requirement: "at least 1",
        })
    }
}

impl Parameters for Assign {
    fn table() -> Vec<Parameter> {
        let row = |name, about, kind| Parameter {
            heading: "Neighbourhoods",
            ..Parameter::new(name, about, kind)
        };
        let words = Kind::Words(AssignWord::WORDS);
        vec![
            row(
                "assign",
                "Which machine answers, unless predict is told otherwise.",
                words,
            ),
            Parameter {
                unless: Some("3"),
                ..row(
                    "voters",
                    "Centres that speak with vote or blend.",
                    Kind::Whole,
                )
            },
        ]
    }

    fn get(&self, name: &str) -> Option<Value> {
        match (name, self) {
            ("assign", _) => Some(self.word().into()),
            ("voters", Self::Vote(count) | Self::Blend(count)) => Some((*count).into()),
            ("voters", _) => Some(Value::Nothing),
            _ => None,
        }
    }

    fn set(&mut self, name: &str, value: &Value) -> Result<bool> {
        match name {
            "assign" => {
                let voters = match *self {
                    Self::Vote(count) | Self::Blend(count) => count,
                    Self::Nearest | Self::Centre => VOTERS,
                };
                *self = match read_as("assign", value)? {
                    AssignWord::Nearest => Self::Nearest,
                    AssignWord::Centre => Self::Centre,
                    AssignWord::Vote => Self::Vote(voters),
                    AssignWord::Blend => Self::Blend(voters),
                };
            }
            "voters" => match (read_as("voters", value)?, &mut *self) {
                (None, _) => {}
                (Some(given), Self::Vote(count) | Self::Blend(count)) => *count = given,
                (Some(_), Self::Nearest | Self::Centre) => {
                    return Err(not_here("voters", value, "assign", self.word()));
                }
            },
            _ => return Ok(false),
        }
        Ok(true)
    }
}
