//! Dual solutions that a later fit starts from.

use super::Task;
use super::binary::Objective;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// The dual solution of every machine of a fit, to start another fit of the same rows from.
///
/// Variables are scaled by the change of their bound $C_i$, so that what was at the bound stays
/// there: along a path of costs this saves most of the work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Duals {
    pub(crate) machines: Vec<MachineDuals>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct MachineDuals {
    pub(crate) beta: Vec<f64>,
    pub(crate) bounds: Vec<f64>,
}

impl Duals {
    /// A feasible start for machine `m` under other bounds.
    pub(crate) fn start(&self, m: usize, objective: &Objective, task: &Task) -> Result<Vec<f64>> {
        let machine = self.machines.get(m).ok_or(Error::Shape {
            what: "machines of the earlier solution",
            expected: m + 1,
            found: self.machines.len(),
        })?;
        for found in [machine.beta.len(), machine.bounds.len()] {
            if found != task.rows.len() {
                return Err(Error::Shape {
                    what: "rows of the earlier solution",
                    expected: task.rows.len(),
                    found,
                });
            }
        }
        let mut start: Vec<f64> = (0..task.rows.len())
            .map(|t| {
                let bound = objective.bounds[task.rows[t] as usize];
                let old = machine.bounds[t];
                let value = machine.beta[t];
                // A variable at its bound must land exactly on the new one.
                let share = if value.abs() >= old {
                    1.0
                } else {
                    (value / old).abs()
                };
                let size = if share.is_finite() {
                    share * bound
                } else {
                    0.0
                };
                if t < task.n_positive { size } else { -size }
            })
            .collect();
        balance(&mut start);
        Ok(start)
    }
}

/// Moves variables towards zero until they sum to zero.
fn balance(start: &mut [f64]) {
    let mut excess: f64 = start.iter().sum();
    // Free variables first would be nicer, but any feasible point will do.
    for value in start.iter_mut().rev() {
        if excess == 0.0 {
            break;
        }
        if *value * excess > 0.0 {
            let taken = if value.abs() <= excess.abs() {
                *value
            } else {
                excess
            };
            *value -= taken;
            excess -= taken;
        }
    }
}
