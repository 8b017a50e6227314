//! What finds the hyperplane of a node.

use crate::error::{ensure_not_negative, ensure_positive};
use crate::params::{Kind, Parameter, Parameters, Value, Words, not_here, read_as};
use crate::solve::split_pegasos::{SplitPegasosParams, SplitPegasosStop};
use crate::{Result, Status};
use serde::{Deserialize, Serialize};

/// Tolerance of dual coordinate descent and its most passes, if they are not given.
const TOLERANCE: f64 = 0.1;
const MAX_PASSES: u32 = 100;

/// What finds the hyperplane of a node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum NodeSolver {
    /// Dual coordinate descent until the projected gradients of a pass differ by no more than the
    /// tolerance, or the passes are used up.
    Dcd {
        /// Largest range of projected gradients that is accepted.
        tolerance: f64,
        /// Most passes over the rows of a node. Then the hyperplane is taken as it is: a split
        /// is judged by its gain, and costly small nodes would take most of the time.
        ///
        /// With the default of 100 nodes that use up their passes are part of the method, and the
        /// report of the fit says [`Status::CappedByDesign`], of which front ends do not warn.
        /// Whoever sets another number wants a tolerance reached within it: then the report says
        /// [`Status::IterationLimit`].
        max_passes: u32,
    },
    /// Weighted-Pegasos.
    Pegasos(SplitPegasosParams),
}

impl Default for NodeSolver {
    fn default() -> Self {
        Self::Dcd {
            tolerance: TOLERANCE,
            max_passes: MAX_PASSES,
        }
    }
}

/// The words for node solvers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Words)]
enum SolverWord {
    /// Dual coordinate descent.
    Dcd,
    /// Weighted-Pegasos that compares averages of passes.
    Pegasos,
    /// Weighted-Pegasos as printed.
    PegasosLiteral,
}

impl NodeSolver {
    fn word(&self) -> SolverWord {
        match self {
            Self::Dcd { .. } => SolverWord::Dcd,
            Self::Pegasos(params) if params.stop == SplitPegasosStop::Step => {
                SolverWord::PegasosLiteral
            }
            Self::Pegasos(_) => SolverWord::Pegasos,
        }
    }

    /// What the end of a solve in one node means for the tree.
    pub(super) fn judged(&self, status: Status) -> Status {
        match (self, status) {
            (Self::Dcd { max_passes, .. }, Status::IterationLimit) if *max_passes == MAX_PASSES => {
                Status::CappedByDesign
            }
            _ => status,
        }
    }

    /// An error that names the first setting out of its range.
    pub fn check(&self) -> Result<()> {
        match self {
            Self::Dcd {
                tolerance,
                max_passes,
            } => {
                ensure_not_negative("tolerance", *tolerance)?;
                ensure_positive("max_passes", f64::from(*max_passes))
            }
            Self::Pegasos(pegasos) => pegasos.check(),
        }
    }
}

impl Parameters for NodeSolver {
    fn table() -> Vec<Parameter> {
        let row = |name, about, kind| Parameter {
            heading: "Nodes",
            ..Parameter::new(name, about, kind)
        };
        vec![
            row(
                "solver",
                "What finds hyperplanes.",
                Kind::Words(SolverWord::WORDS),
            ),
            Parameter {
                unless: Some("0.1, Pegasos 1e-4"),
                ..row("tolerance", "Stop tolerance of the solver.", Kind::Number).in_python("tol")
            },
            Parameter {
                unless: Some("100"),
                ..row(
                    "max_passes",
                    "Most passes of dual coordinate descent over the rows of a node.",
                    Kind::Whole,
                )
                .in_python("max_iter")
            },
            Parameter {
                unless: Some("10000000"),
                ..row("max_steps", "Most steps of Pegasos in a node.", Kind::Whole)
            },
            Parameter {
                unless: Some("1"),
                ..row("batch", "Rows of a step of Pegasos.", Kind::Whole).in_python("batch_size")
            },
            Parameter {
                unless: Some("0.01"),
                ..row(
                    "bias_rate",
                    "Rate of the bias against that of the weights in Pegasos.",
                    Kind::Number,
                )
            },
        ]
    }

    fn get(&self, name: &str) -> Option<Value> {
        if name == "solver" {
            return Some(self.word().word().into());
        }
        let value = match self {
            Self::Dcd {
                tolerance,
                max_passes,
            } => match name {
                "tolerance" => Some((*tolerance).into()),
                "max_passes" => Some((*max_passes).into()),
                _ => None,
            },
            Self::Pegasos(params) => match name {
                "tolerance" => Some(params.tolerance.into()),
                "max_steps" => Some(params.max_steps.into()),
                "batch" => Some(params.batch.into()),
                "bias_rate" => Some(params.bias_rate.into()),
                _ => None,
            },
        };
        let known = Self::table().iter().any(|row| row.name == name);
        value.or(known.then_some(Value::Nothing))
    }

    fn set(&mut self, name: &str, value: &Value) -> Result<bool> {
        if name == "solver" {
            *self = match read_as("solver", value)? {
                SolverWord::Dcd => Self::default(),
                SolverWord::Pegasos => Self::Pegasos(SplitPegasosParams::default()),
                SolverWord::PegasosLiteral => Self::Pegasos(SplitPegasosParams::literal()),
            };
            return Ok(true);
        }
        let Some(row) = Self::table().into_iter().find(|row| row.name == name) else {
            return Ok(false);
        };
        // No value: the default of the solver, which it has.
        if *value == Value::Nothing {
            return Ok(true);
        }
        let solver = self.word().word();
        match (name, self) {
            ("tolerance", Self::Dcd { tolerance, .. }) => *tolerance = read_as(row.name, value)?,
            ("max_passes", Self::Dcd { max_passes, .. }) => *max_passes = read_as(row.name, value)?,
            ("tolerance", Self::Pegasos(params)) => params.tolerance = read_as(row.name, value)?,
            ("max_steps", Self::Pegasos(params)) => params.max_steps = read_as(row.name, value)?,
            ("batch", Self::Pegasos(params)) => params.batch = read_as(row.name, value)?,
            ("bias_rate", Self::Pegasos(params)) => params.bias_rate = read_as(row.name, value)?,
            _ => return Err(not_here(row.name, value, "solver", solver)),
        }
        Ok(true)
    }
}
