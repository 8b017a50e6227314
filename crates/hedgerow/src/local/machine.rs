//! What is learnt from one neighbourhood.
//!
//! A machine names its support vectors by their row in the one store of samples that all machines
//! of a model share.

use crate::kernel::Kernel;
use crate::linalg::dot;
use crate::machines::{Multiclass, Sigmoid, couple};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// The answer of a neighbourhood.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum LocalModel {
    /// All rows agree: the class code, or the target.
    Constant(f64),
    /// Machines that tell the classes apart, or one that estimates the target.
    Machines(LocalMachines),
}

/// Machines that share kernel and support vectors.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LocalMachines {
    /// The kernel, with the width of this neighbourhood.
    pub kernel: Kernel,
    /// Stored rows of the support vectors, ascending.
    pub support: Vec<u32>,
    /// Codes of the classes that occur, ascending; empty for regression.
    pub classes: Vec<u32>,
    /// One machine a pair of classes in the order of [`crate::machines::pairs`], or one for regression.
    pub machines: Vec<LocalMachine>,
}

/// One expansion over some of the support vectors.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LocalMachine {
    /// Positions in the list of support vectors; `None` if all of them count.
    pub slots: Option<Vec<u32>>,
    /// Coefficient of each.
    pub coefficients: Vec<f64>,
    /// Threshold.
    pub rho: f64,
    /// Map to probabilities.
    pub sigmoid: Option<Sigmoid>,
}

impl LocalMachine {
    /// Decision value from the kernel values of all support vectors.
    fn decision<T: crate::linalg::Real>(&self, values: &[T]) -> f64 {
        let sum = match &self.slots {
            None => dot(values, &self.coefficients),
            Some(slots) => {
                let terms = slots.iter().zip(&self.coefficients);
                terms
                    .map(|(&slot, &beta)| beta * values[slot as usize].to_f64())
                    .sum()
            }
        };
        sum - self.rho
    }

    /// The coefficient of the support vector at a place in the list; 0 if it does not count here.
    pub(super) fn coefficient_at(&self, place: u32) -> f64 {
        match &self.slots {
            None => self.coefficients[place as usize],
            Some(slots) => {
                let at = slots.iter().position(|&slot| slot == place);
                at.map_or(0.0, |at| self.coefficients[at])
            }
        }
    }
}

impl LocalModel {
    /// Number of support vectors.
    pub fn n_support(&self) -> usize {
        match self {
            Self::Constant(_) => 0,
            Self::Machines(machines) => machines.support.len(),
        }
    }

    /// An error unless rows, classes and positions lie within bounds and lengths agree.
    pub fn validate(&self, n_rows: usize, n_classes: Option<usize>) -> Result<()> {
        let bad = |what, expected, found| {
            Err(Error::Shape {
                what,
                expected,
                found,
            })
        };
        match self {
            Self::Constant(value) => {
                let code = *value as usize;
                match n_classes {
                    Some(n) if *value < 0.0 || code >= n || value.fract() != 0.0 => {
                        bad("class of a constant local model (must be below)", n, code)
                    }
                    None if !value.is_finite() => bad("finite value of a local model", 1, 0),
                    _ => Ok(()),
                }
            }
            Self::Machines(all) => {
                all.kernel.check()?;
                let n_support = all.support.len();
                let ascending = all.support.windows(2).all(|pair| pair[0] < pair[1]);
                let last = all.support.last().map_or(0, |&row| row as usize + 1);
                if !ascending || last > n_rows {
                    return bad(
                        "rows of local support vectors (ascending, below)",
                        n_rows,
                        last,
                    );
                }
                let classes = &all.classes;
                let last = classes.last().map_or(0, |&code| code as usize + 1);
                let ascending = classes.windows(2).all(|pair| pair[0] < pair[1]);
                // None in regression, else at least the two that a machine tells apart.
                let too_few = n_classes.is_some() && classes.len() < 2;
                if !ascending || last > n_classes.unwrap_or(0) || too_few {
                    return bad("classes of a local model", n_classes.unwrap_or(0), last);
                }
                let needed = match n_classes {
                    Some(_) => Multiclass::OneVsOne.n_machines(classes.len()),
                    None => 1,
                };
                if all.machines.len() != needed {
                    return bad("machines of a local model", needed, all.machines.len());
                }
                for machine in &all.machines {
                    let terms = machine.slots.as_ref().map_or(n_support, Vec::len);
                    let mut slots = machine.slots.iter().flatten();
                    let outside = slots.any(|&slot| slot as usize >= n_support);
                    if outside || machine.coefficients.len() != terms {
                        return bad(
                            "coefficients of a local machine",
                            terms,
                            machine.coefficients.len(),
                        );
                    }
                    let finite = machine.rho.is_finite()
                        && machine.coefficients.iter().all(|beta| beta.is_finite());
                    if !finite {
                        return bad("finite numbers of a local machine", 1, 0);
                    }
                }
                Ok(())
            }
        }
    }
}

impl LocalMachines {
    /// The class code that decision values speak for.
    pub fn class(&self, decisions: &[f64]) -> u32 {
        let winner = Multiclass::OneVsOne.decide(self.classes.len(), decisions);
        self.classes[winner as usize]
    }

    /// Probabilities of all classes of the data; those that do not occur here have none.
    pub fn probabilities(&self, decisions: &[f64], out: &mut [f64]) -> Result<()> {
        let first: Vec<f64> = self
            .machines
            .iter()
            .zip(decisions)
            .map(|(machine, &value)| {
                let sigmoid = machine.sigmoid.ok_or(Error::NoProbabilities)?;
                Ok(sigmoid.probability(value))
            })
            .collect::<Result<_>>()?;
        out.fill(0.0);
        for (&class, p) in self.classes.iter().zip(couple(self.classes.len(), &first)) {
            out[class as usize] = p;
        }
        Ok(())
    }

    /// The largest norm of the coefficients of a machine.
    pub(super) fn largest_norm(&self) -> f64 {
        let norm =
            |machine: &LocalMachine| dot(&machine.coefficients, &machine.coefficients).sqrt();
        self.machines.iter().map(norm).fold(0.0, f64::max)
    }

    /// Decision values of all machines from the kernel values of all support vectors.
    pub(super) fn decisions_of<T: crate::linalg::Real>(&self, values: &[T], out: &mut Vec<f64>) {
        out.clear();
        out.extend(self.machines.iter().map(|machine| machine.decision(values)));
    }
}
