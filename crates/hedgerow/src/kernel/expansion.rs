//! Decision functions on shared support vectors: the numbers that a kernel machine is made of, open
//! to file formats.

use super::Kernel;
use crate::data::{CsrMatrix, Samples, SamplesView};
use crate::error::ensure_shape;
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
    /// One machine on those rows of `view` whose coefficient is not 0, given for every row.
    pub(crate) fn of_one(
        kernel: Kernel,
        view: SamplesView<'_>,
        coefficients: &[f64],
        rho: f64,
    ) -> Result<Self> {
        let kept = rows_that_count(coefficients);
        let machine = Machine {
            support: (0..kept.len() as u32).collect(),
            coefficients: kept.iter().map(|&i| coefficients[i]).collect(),
            rho,
        };
        Ok(Self {
            support_vectors: keep_rows(&kernel, view, &kept)?,
            n_features: view.n_features(),
            kernel,
            machines: vec![machine],
        })
    }

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

/// Rows whose coefficient is not 0.
pub(crate) fn rows_that_count(coefficients: &[f64]) -> Vec<usize> {
    (0..coefficients.len())
        .filter(|&i| coefficients[i] != 0.0)
        .collect()
}

/// Support vectors as a model keeps them.
pub(crate) fn keep_rows(kernel: &Kernel, view: SamplesView<'_>, rows: &[usize]) -> Result<Samples> {
    if !kernel.is_precomputed() {
        return Ok(view.select(rows));
    }
    // Of a row of the kernel matrix only its serial number is needed.
    let serials: Vec<f64> = rows
        .iter()
        .map(|&i| {
            let mut serial = [0.0];
            view.row(i).write_dense(&mut serial);
            serial[0]
        })
        .collect();
    let starts = (0..=rows.len()).collect();
    CsrMatrix::new(view.n_features(), starts, vec![0; rows.len()], serials).map(Samples::Sparse)
}
