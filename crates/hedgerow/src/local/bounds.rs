//! Risk bounds of local machines, as diagnostics.
//!
//! For a locality function $T$ that is 1 on the $k$ nearest of $N$ rows and 0 elsewhere (its VC
//! dimension is 2), Vapnik's bound on the local risk holds with probability $1 - \eta$:
//! $$R_{\mathrm{kNNSVM}}(x') \le
//!   \frac{\frac kN \nu_{x'} + \gamma(N, h)}{\frac kN - \gamma(N, 2)},\qquad
//!   \gamma(N, h) = \sqrt{\frac{h \ln(2N/h + 1) - \ln(\eta/2)}{N}},$$
//! and for FaLK-SVM the mean over the training rows, each with the machine it belongs to,
//! $$E[R_{\mathrm{FaLK}}] \le \frac1N \sum_{i=1}^N
//!   \frac{\frac kN \nu_{x_i} + \gamma(N, h)}{\frac kN - \gamma(N, 2)} + \bar\lambda.$$
//!
//! The document writes the denominator as an absolute value, which hides a pole: the bound says
//! something only if $k/N > \gamma(N, 2)$. Otherwise [`RiskBound::TooLocal`] tells what is missing.
//! For usual $k/N$ that is the rule: the bounds explain why locality can generalise, not how well a
//! model does.
//!
//! | document | here |
//! |---|---|
//! | $\gamma(N, h)$ | [`confidence_term`] |
//! | $h^\Sigma$, $\eta$, $\bar\lambda$ | [`BoundParams`] |
//! | $\nu_{x'}$ | `training_error` |
//! | eq. (4.1) = (6.10), (6.20) | [`knn_svm_bound`], [`FalkSvm::bounds`] |

use super::covering::{NOBODY, put_first};
use super::falk::FalkSvm;
use super::machine::LocalModel;
use super::ready::{DecisionScratch, Ready};
use super::store::Answers;
use crate::error::{ensure_not_negative, ensure_positive};
use crate::parallel::{Grain, try_map};
use crate::spares::Spares;
use crate::{Error, Result};

/// VC dimension of "is among the nearest", in any number of features.
const LOCALITY: f64 = 2.0;

/// What the bounds assume.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BoundParams {
    /// The bound fails with at most this probability, in (0, 1); 0.05 by default.
    pub eta: f64,
    /// VC dimension of the local decision functions: features + 1 for hyperplanes; a Gaussian
    /// kernel without restriction has none. 3 by default: lines in the plane.
    pub vc_dimension: f64,
    /// Mean difference of risk between a row and the training row nearest to it; 0 by default.
    pub lambda: f64,
}

impl Default for BoundParams {
    fn default() -> Self {
        Self {
            eta: 0.05,
            vc_dimension: 3.0,
            lambda: 0.0,
        }
    }
}

impl BoundParams {
    /// An error that names the first parameter out of its range.
    pub fn check(&self) -> Result<()> {
        ensure_positive("VC dimension", self.vc_dimension)?;
        ensure_not_negative("lambda", self.lambda)?;
        ensure_positive("eta", self.eta)?;
        if self.eta >= 1.0 {
            return Err(Error::Parameter {
                name: "eta",
                value: self.eta,
                requirement: "less than 1",
            });
        }
        Ok(())
    }
}

/// A bound, if there is one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RiskBound {
    /// The risk is at most this. Above 1 it says nothing.
    AtMost(f64),
    /// $k/N \le \gamma(N, 2)$: the neighbourhood is too small a share of the rows.
    TooLocal {
        /// $k/N$.
        share: f64,
        /// $\gamma(N, 2)$, which it must exceed.
        needed: f64,
    },
}

/// $\gamma(N, h)$: how far the observed and the true value may be apart.
///
/// ```
/// use hedgerow::local::bounds::confidence_term;
/// // The root of (2 ln 1001 - ln 0.025) / 1000.
/// assert!((confidence_term(1000, 2.0, 0.05) - 0.132312).abs() < 1e-6);
/// ```
pub fn confidence_term(n_rows: usize, vc_dimension: f64, eta: f64) -> f64 {
    let n = n_rows as f64;
    ((vc_dimension * (2.0 * n / vc_dimension + 1.0).ln() - (eta / 2.0).ln()) / n).sqrt()
}

/// The smallest $k$ for which the bounds say something; above `n_rows` if none does.
pub fn least_neighbours(n_rows: usize, eta: f64) -> usize {
    (confidence_term(n_rows, LOCALITY, eta) * n_rows as f64).floor() as usize + 1
}

/// Bound on the risk of kNN-SVM at a row whose neighbourhood has the given training error.
pub fn knn_svm_bound(
    n_rows: usize,
    k: usize,
    training_error: f64,
    params: &BoundParams,
) -> Result<RiskBound> {
    params.check()?;
    ensure_positive("number of rows", n_rows as f64)?;
    ensure_positive("k", k as f64)?;
    ensure_not_negative("training error", training_error)?;
    if training_error > 1.0 || k > n_rows {
        let (name, value) = if k > n_rows {
            ("k / number of rows", k as f64 / n_rows as f64)
        } else {
            ("training error", training_error)
        };
        return Err(Error::Parameter {
            name,
            value,
            requirement: "at most 1",
        });
    }
    let share = k as f64 / n_rows as f64;
    let needed = confidence_term(n_rows, LOCALITY, params.eta);
    if share <= needed {
        return Ok(RiskBound::TooLocal { share, needed });
    }
    let confidence = confidence_term(n_rows, params.vc_dimension, params.eta);
    Ok(RiskBound::AtMost(
        (share * training_error + confidence) / (share - needed),
    ))
}

/// The bound of one centre.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CentreBound {
    /// Rows of its neighbourhood.
    pub size: usize,
    /// Training rows that belong to it.
    pub owned: usize,
    /// Share of the neighbourhood that its machine gets wrong.
    pub training_error: f64,
    /// Bound on the risk of its machine at the centre.
    pub bound: RiskBound,
}

/// Bounds of a model.
#[derive(Debug, Clone, PartialEq)]
pub struct FalkBounds {
    /// Training rows.
    pub n_rows: usize,
    /// The smallest neighbourhood for which there is a bound.
    pub least_neighbours: usize,
    /// One a centre.
    pub centres: Vec<CentreBound>,
    /// Mean training error over the rows, each with the machine it belongs to.
    pub training_error: f64,
    /// Bound on the expected risk; of the smallest neighbourhood if that is too local.
    pub mean: RiskBound,
}

impl FalkSvm {
    /// Class codes of the stored rows, as in [`FalkSvm::samples`]; `None` for real targets.
    pub fn training_codes(&self) -> Option<&[u32]> {
        match &self.parts.store.answers {
            Answers::Classes(labels) => Some(labels.codes()),
            Answers::Real(_) => None,
        }
    }

    /// Bounds for every centre and their mean. Costs about as much as predicting every training
    /// row twice. For classes only.
    pub fn bounds(&self, params: &BoundParams) -> Result<FalkBounds> {
        params.check()?;
        let Answers::Classes(labels) = &self.parts.store.answers else {
            return Err(Error::Target {
                needed: "classes",
                found: "real targets",
            });
        };
        let codes = labels.codes();
        let mut owned = vec![0usize; self.centres().len()];
        for &owner in self.parts.owner.iter().filter(|&&owner| owner != NOBODY) {
            owned[owner as usize] += 1;
        }
        let n_rows = owned.iter().sum();
        let searcher = self.parts.index.searcher(self.samples())?;
        let spares = Spares::<DecisionScratch>::new();
        let centres: Vec<CentreBound> = try_map(self.centres().len(), Grain::COARSE, &|number| {
            spares.lend(|scratch| {
                let centre = self.centres()[number];
                let size = self.radii()[number].size as usize;
                let mut found = searcher.k_nearest_of(&[centre], size, false)?;
                let mut found = found.swap_remove(0);
                put_first(&mut found, centre);
                let rows: Vec<u32> = found.iter().map(|neighbour| neighbour.row).collect();
                let mut wrong = 0usize;
                match &self.local_models()[number] {
                    LocalModel::Constant(code) => {
                        let differs = |&&row: &&u32| codes[row as usize] != *code as u32;
                        wrong = rows.iter().filter(differs).count();
                    }
                    LocalModel::Machines(machines) => Ready::new(machines, self.samples())?
                        .decide(
                            machines,
                            self.samples(),
                            self.samples(),
                            &rows,
                            scratch,
                            &mut |at, values| {
                                let code = codes[rows[at] as usize];
                                wrong += usize::from(machines.class(values) != code);
                                Ok(())
                            },
                        )?,
                }
                let training_error = wrong as f64 / rows.len() as f64;
                Ok(CentreBound {
                    size: rows.len(),
                    owned: owned[number],
                    training_error,
                    bound: knn_svm_bound(n_rows, rows.len(), training_error, params)?,
                })
            })
        })?;
        let weight = |centre: &CentreBound| centre.owned as f64 / n_rows as f64;
        let training_error = centres
            .iter()
            .map(|centre| weight(centre) * centre.training_error)
            .sum();
        let mut sum = params.lambda;
        let mut too_local: Option<(f64, f64)> = None;
        for centre in &centres {
            match centre.bound {
                RiskBound::AtMost(bound) => sum += weight(centre) * bound,
                RiskBound::TooLocal { share, needed } => {
                    let smallest = too_local.map_or(share, |(other, _)| other.min(share));
                    too_local = Some((smallest, needed));
                }
            }
        }
        Ok(FalkBounds {
            n_rows,
            least_neighbours: least_neighbours(n_rows, params.eta),
            centres,
            training_error,
            mean: match too_local {
                None => RiskBound::AtMost(sum),
                Some((share, needed)) => RiskBound::TooLocal { share, needed },
            },
        })
    }
}
