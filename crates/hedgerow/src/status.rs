//! How an iteration ended.

use serde::{Deserialize, Serialize};

/// Why a solver stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Status {
    /// The stopping tolerance was reached.
    Converged,
    /// The iteration cap came first.
    IterationLimit,
    /// The time cap came first.
    TimeLimit,
    /// Some of many small solves came to the cap that their method sets by default, and the method
    /// judges what they found by other means than their optimum: a node of a tree by the gain of
    /// its split. True to say, and no reason for a warning.
    CappedByDesign,
}

impl Status {
    /// The worse of two, for reports that sum up several solves; of two as bad the first.
    pub fn and(self, other: Self) -> Self {
        if self.badness() >= other.badness() {
            self
        } else {
            other
        }
    }

    /// Whether the result is less than was asked for, so that whoever asked should be warned.
    pub fn is_premature(self) -> bool {
        self.badness() > Self::CappedByDesign.badness()
    }

    fn badness(self) -> u8 {
        match self {
            Self::Converged => 0,
            Self::CappedByDesign => 1,
            Self::IterationLimit | Self::TimeLimit => 2,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Status::{CappedByDesign, Converged, IterationLimit, TimeLimit};

    #[test]
    fn the_worse_of_two_is_told() {
        assert_eq!(Converged.and(CappedByDesign), CappedByDesign);
        assert_eq!(CappedByDesign.and(Converged), CappedByDesign);
        assert_eq!(CappedByDesign.and(TimeLimit), TimeLimit);
        assert_eq!(IterationLimit.and(CappedByDesign), IterationLimit);
        assert_eq!(IterationLimit.and(TimeLimit), IterationLimit);
        assert!(!CappedByDesign.is_premature() && IterationLimit.is_premature());
    }
}
