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
}

impl Status {
    /// The worse of two, for reports that sum up several solves.
    pub fn and(self, other: Self) -> Self {
        if self == Status::Converged {
            other
        } else {
            self
        }
    }
}
