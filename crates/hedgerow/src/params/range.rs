//! Ranges of numeric parameters.

use super::ClassWeights;
use crate::{Error, Result};

/// The numbers that a parameter accepts: finite, and within the bounds that are given.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Range {
    /// Greater than this.
    pub above: Option<f64>,
    /// At least this.
    pub least: Option<f64>,
    /// Less than this.
    pub below: Option<f64>,
    /// At most this.
    pub most: Option<f64>,
    /// The range in words.
    pub requirement: &'static str,
}

/// A value with a number in it.
pub trait Ranged {
    /// The number; `None` where there is no value.
    fn number(&self) -> Option<f64>;
}

macro_rules! ranged {
    ($($of:ty),*) => {$(
        impl Ranged for $of {
            #[allow(clippy::cast_lossless, reason = "not all of the types convert without loss")]
            fn number(&self) -> Option<f64> {
                Some(*self as f64)
            }
        }
    )*};
}

ranged!(f64, u32, u64, usize);

impl<T: Ranged> Ranged for Option<T> {
    fn number(&self) -> Option<f64> {
        self.as_ref().and_then(Ranged::number)
    }
}

impl Ranged for ClassWeights {
    /// The first weight that is not positive, so that a range above 0 accepts all or none.
    fn number(&self) -> Option<f64> {
        let wrong = |&weight: &f64| !(weight > 0.0 && weight.is_finite());
        self.iter().map(|&(_, weight)| weight).find(wrong)
    }
}

impl Range {
    /// An error that names the parameter if its value is outside.
    pub fn check(&self, name: &'static str, value: &impl Ranged) -> Result<()> {
        let Some(value) = value.number() else {
            return Ok(());
        };
        let inside = value.is_finite()
            && self.above.is_none_or(|bound| value > bound)
            && self.least.is_none_or(|bound| value >= bound)
            && self.below.is_none_or(|bound| value < bound)
            && self.most.is_none_or(|bound| value <= bound);
        if inside {
            return Ok(());
        }
        Err(Error::Parameter {
            name,
            value,
            requirement: self.requirement,
        })
    }
}
