//! The numbers a fitted machine is made of, open to file formats.

use super::{Multiclass, Sigmoid};
use crate::data::{ClassName, CsrMatrix, Samples, SamplesView};
use crate::kernel::Kernel;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// One decision function $f(x) = \sum_s \beta_s K(x_s, x) - \rho$ on shared support vectors.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    /// Support vectors that take part, ascending.
    pub support: Vec<u32>,
    /// Their coefficients $\beta_s$.
    pub coefficients: Vec<f64>,
    /// The threshold $\rho$.
    pub rho: f64,
}

/// Decision functions with one kernel on one set of support vectors.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Expansion {
    /// The kernel.
    pub kernel: Kernel,
    /// Features of the training data.
    pub n_features: usize,
    /// Rows that some machine needs, each once. For a precomputed kernel only column 0, the serial
    /// number, is stored.
    pub support_vectors: Samples,
    /// The decision functions.
    pub machines: Vec<Machine>,
}

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

fn ensure_shape(what: &'static str, expected: usize, found: usize) -> Result<()> {
    if expected == found {
        return Ok(());
    }
    Err(Error::Shape {
        what,
        expected,
        found,
    })
}

/// Most features of support vectors: the largest index of a data file is below it.
const MAX_FEATURES: usize = 1 << 31;
/// Most features of dense rows of which there are none, so that no entries vouch for the width.
const MAX_UNSEEN_FEATURES: usize = 1 << 24;

fn ensure_at_most(what: &'static str, limit: usize, found: usize) -> Result<()> {
    if found <= limit {
        return Ok(());
    }
    Err(Error::Shape {
        what,
        expected: limit,
        found,
    })
}

/// An error unless the arrays of `samples` fit together, as they may not after deserialising.
pub(crate) fn check_samples(samples: &Samples) -> Result<()> {
    let n_features = samples.n_features();
    ensure_at_most("features of the support vectors", MAX_FEATURES, n_features)?;
    let n_rows = match samples.view() {
        SamplesView::Dense {
            n_rows,
            n_features,
            values,
        } => {
            let expected = n_rows.saturating_mul(n_features);
            ensure_shape("values of the support vectors", expected, values.len())?;
            if n_rows == 0 {
                let what = "features of no support vectors";
                ensure_at_most(what, MAX_UNSEEN_FEATURES, n_features)?;
            }
            n_rows
        }
        SamplesView::Sparse {
            n_features,
            row_starts,
            indices,
            values,
        } => {
            CsrMatrix::check(n_features, row_starts, indices, values)?;
            row_starts.len() - 1
        }
    };
    if n_rows > 0 && n_features == 0 {
        return Err(Error::Shape {
            what: "features of the support vectors",
            expected: 1,
            found: 0,
        });
    }
    ensure_at_most("support vectors", u32::MAX as usize, n_rows)?;
    samples.view().ensure_finite()
}

impl Expansion {
    /// An error that says what does not fit together.
    pub fn validate(&self) -> Result<()> {
        self.kernel.check()?;
        check_samples(&self.support_vectors)?;
        ensure_shape(
            "features of the support vectors",
            self.n_features,
            self.support_vectors.n_features(),
        )?;
        let n = self.support_vectors.n_rows();
        for machine in &self.machines {
            ensure_shape(
                "coefficients of a machine",
                machine.support.len(),
                machine.coefficients.len(),
            )?;
            if machine.support.windows(2).any(|pair| pair[0] >= pair[1]) {
                return Err(Error::Shape {
                    what: "support indices of a machine (must ascend)",
                    expected: n,
                    found: machine.support.len(),
                });
            }
            if let Some(&last) = machine.support.last()
                && last as usize >= n
            {
                return Err(Error::Shape {
                    what: "support index against the number of support vectors",
                    expected: n,
                    found: last as usize,
                });
            }
            crate::error::ensure_finite("rho", machine.rho)?;
            for &value in &machine.coefficients {
                crate::error::ensure_finite("coefficient", value)?;
            }
        }
        Ok(())
    }
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
