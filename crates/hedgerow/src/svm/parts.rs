//! The numbers a fitted machine is made of, open to file formats.

use super::{Multiclass, Sigmoid};
use crate::data::ClassName;
use crate::error::ensure_shape;
use crate::kernel::Expansion;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// All that an [`super::SvmClassifier`] consists of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SvmParts {
    /// Kernel, support vectors and machines. With one-vs-one and DAG the machines are the pairs
    /// (0,1), (0,2), …, (1,2), … of the classes; with one-vs-rest one a class; two classes always
    /// have one machine, a single class none.
    pub expansion: Expansion,
    /// Class names; machines, votes and probabilities refer to this order.
    pub classes: Vec<ClassName>,
    /// Number of support vectors of each class: those of class 0 stand first, and so on.
    pub support_counts: Vec<usize>,
    /// How machines are combined.
    pub multiclass: Multiclass,
    /// One sigmoid a machine, if calibrated.
    pub sigmoids: Option<Vec<Sigmoid>>,
}

impl SvmParts {
    /// An error that says what does not fit together.
    pub fn validate(&self) -> Result<()> {
        self.expansion.validate()?;
        let around = Classification {
            classes: &self.classes,
            support_counts: &self.support_counts,
            multiclass: self.multiclass,
            sigmoids: self.sigmoids.as_deref(),
        };
        around.validate(&self.expansion)
    }
}

/// What an expansion is a classifier with, borrowed so that checking copies nothing.
pub(super) struct Classification<'a> {
    pub(super) classes: &'a [ClassName],
    pub(super) support_counts: &'a [usize],
    pub(super) multiclass: Multiclass,
    pub(super) sigmoids: Option<&'a [Sigmoid]>,
}

impl Classification<'_> {
    /// An error that says what does not fit the expansion, which must be valid itself.
    pub(super) fn validate(&self, expansion: &Expansion) -> Result<()> {
        let n_classes = self.classes.len();
        if n_classes == 0 {
            return Err(Error::TooFewClasses {
                needed: 1,
                found: 0,
            });
        }
        let machines = self.multiclass.n_machines(n_classes);
        ensure_shape(
            "machines for the number of classes",
            machines,
            expansion.machines.len(),
        )?;
        ensure_shape("support counts", n_classes, self.support_counts.len())?;
        let total = self
            .support_counts
            .iter()
            .try_fold(0usize, |sum, &n| sum.checked_add(n));
        ensure_shape(
            "sum of the support counts",
            expansion.support_vectors.n_rows(),
            total.unwrap_or(usize::MAX),
        )?;
        if let Some(sigmoids) = self.sigmoids {
            ensure_shape("sigmoids", machines, sigmoids.len())?;
            for sigmoid in sigmoids {
                crate::error::ensure_finite("slope of a sigmoid", sigmoid.slope)?;
                crate::error::ensure_finite("offset of a sigmoid", sigmoid.offset)?;
            }
        }
        Ok(())
    }
}
