//! How rows are best packed for a kernel.
//!
//! # Precision
//!
//! A squared distance computed as $\|x\|^2 + \|x'\|^2 - 2\langle x, x'\rangle$ carries an absolute
//! error of about $\varepsilon \max\|x\|^2$. What matters is that error times the kernel's scale
//! (γ for the Gaussian). While the product of scale and largest squared norm stays below
//! [`SINGLE_LIMIT`], single precision keeps kernel values to about $10^{-5}$; beyond it rows are
//! packed in double precision, and beyond [`DOUBLE_LIMIT`] distances are summed from differences,
//! which never cancel. Whoever sums many values can ask for their typical error, and for double
//! precision if that is too much. Kernels that do not feel a shift see rows relative to the column means, so
//! that data far from the origin are treated like centred ones.
//!
//! City-block distances are summed from differences always. Only the rounding of the values
//! themselves counts then: independent errors of $\varepsilon|x_f|$, together $\varepsilon\|x\|$. Sparse
//! rows, whose sums begin with that of the query and a row of zeros, lose $\varepsilon\|x\|_1$.

use super::Radial;
use crate::data::SamplesView;

/// Largest scale × squared norm for single precision.
pub(super) const SINGLE_LIMIT: f64 = 256.0;
/// Largest squared norms for single precision: their products are then neither infinite nor so small
/// that digits are lost.
const SINGLE_RANGE: std::ops::RangeInclusive<f64> = 1e-24..=1e30;
/// Largest scale × squared norm for double precision by inner products.
const DOUBLE_LIMIT: f64 = 1e8;
/// Largest number of features whose means are looked at.
const MAX_CENTRED: usize = 1 << 22;
/// Number of values up to which sparse rows may be spread out.
const MAX_SPREAD: f64 = (1 << 24) as f64;

/// A kernel as a function of one accumulated number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Formula {
    /// $\langle x, x'\rangle$.
    Dot,
    /// $(\gamma\langle x, x'\rangle + r)^d$.
    Polynomial { gamma: f64, coef0: f64, degree: u32 },
    /// $\tanh(\gamma\langle x, x'\rangle + r)$.
    Sigmoid { gamma: f64, coef0: f64 },
    /// $e^{-\gamma\|x-x'\|^2}$.
    Gaussian { gamma: f64 },
    /// $e^{-\gamma\|x-x'\|_1}$.
    CityBlock { gamma: f64 },
    /// Any other function of $\|x-x'\|^2$.
    Radial(Radial),
}

impl Formula {
    /// Whether $K(x+c, x'+c) = K(x, x')$.
    fn ignores_shift(self) -> bool {
        matches!(
            self,
            Self::Gaussian { .. } | Self::CityBlock { .. } | Self::Radial(_)
        )
    }

    /// Whether differences are summed, whatever the rows are like.
    fn sums_differences(self) -> bool {
        matches!(self, Self::CityBlock { .. })
    }

    /// What the kernel is a function of, about, for rows up to a squared norm.
    pub(super) fn argument(self, sq_norm: f64) -> f64 {
        match self {
            Self::Dot => sq_norm,
            // A power multiplies relative errors.
            Self::Polynomial { gamma, degree, .. } => gamma.abs() * f64::from(degree) * sq_norm,
            Self::Sigmoid { gamma, .. } | Self::Gaussian { gamma } => gamma.abs() * sq_norm,
            Self::CityBlock { gamma } => gamma * sq_norm.sqrt(),
            // Powers of small distances feel relative errors: always by differences.
            Self::Radial(_) => f64::INFINITY,
        }
    }

    /// Typical error of a value in single precision, for rows up to the given squared norm.
    pub(super) fn single_error(self, sq_norm: f64) -> f64 {
        let unit = f64::from(f32::EPSILON) / 2.0;
        unit * match self {
            Self::Dot => sq_norm,
            Self::Polynomial {
                gamma,
                coef0,
                degree,
            } => {
                let largest = gamma.abs() * sq_norm + coef0.abs();
                f64::from(degree) * largest.powi(degree as i32)
            }
            Self::Sigmoid { .. }
            | Self::Gaussian { .. }
            | Self::CityBlock { .. }
            | Self::Radial(_) => 1.0 + self.argument(sq_norm),
        }
    }
}

/// How exact kernel values must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Precision {
    /// As a solver needs them: single precision where the data allow it.
    Working,
    /// Double precision throughout.
    Double,
}

/// How rows will be stored and combined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) single: bool,
    pub(super) sparse: bool,
    pub(super) difference: bool,
}

/// Statistics of the rows that decide the layout.
pub(super) struct Survey {
    n_features: usize,
    means: Vec<f64>,
    stored: usize,
    n_rows: usize,
    max_sq_norm: f64,
    max_centred_sq_norm: f64,
    max_abs_sum: f64,
}

impl Survey {
    /// Typical error of a kernel value for rows stored like this; 0 in double precision.
    pub(super) fn rounding(&self, formula: Formula, layout: Layout) -> f64 {
        match (layout.single, layout.sparse || !formula.ignores_shift()) {
            (false, _) => 0.0,
            (true, true) => formula.single_error(self.plain_sq_norm(formula)),
            (true, false) => formula.single_error(self.max_centred_sq_norm),
        }
    }

    /// The squared length that errors of rows left where they are depend on.
    fn plain_sq_norm(&self, formula: Formula) -> f64 {
        if formula.sums_differences() {
            self.max_abs_sum * self.max_abs_sum
        } else {
            self.max_sq_norm
        }
    }

    pub(super) fn new(view: SamplesView<'_>, rows: &[u32]) -> Self {
        let n_features = view.n_features();
        // Rows in so many features are sparse, and not to be centred.
        let mut means = vec![
            0.0;
            if n_features <= MAX_CENTRED {
                n_features
            } else {
                0
            }
        ];
        let mut stored = 0;
        let (mut max_sq_norm, mut max_abs_sum) = (0.0f64, 0.0f64);
        for &i in rows {
            let (mut sq_norm, mut abs_sum) = (0.0, 0.0);
            view.row(i as usize).for_each(|f, value| {
                if let Some(mean) = means.get_mut(f) {
                    *mean += value;
                }
                stored += usize::from(value != 0.0);
                sq_norm += value * value;
                abs_sum += value.abs();
            });
            max_sq_norm = max_sq_norm.max(sq_norm);
            max_abs_sum = max_abs_sum.max(abs_sum);
        }
        for mean in &mut means {
            *mean /= rows.len().max(1) as f64;
            if !mean.is_finite() {
                // The sum of a column of enormous values overflowed: leave it where it is.
                *mean = 0.0;
            }
        }
        let mean_sq_norm: f64 = means.iter().map(|mean| mean * mean).sum();
        let mut max_centred_sq_norm = 0.0f64;
        for &i in rows {
            // Σ(x−c)² over stored entries, plus Σc² over the others.
            let (mut stored, mut others) = (0.0, mean_sq_norm);
            view.row(i as usize).for_each(|f, value| {
                let mean = means.get(f).copied().unwrap_or(0.0);
                stored += (value - mean) * (value - mean);
                others -= mean * mean;
            });
            let sq_norm = stored + others.max(0.0);
            // Beyond the largest number: no limit will hold.
            let sq_norm = if sq_norm.is_nan() {
                f64::INFINITY
            } else {
                sq_norm
            };
            max_centred_sq_norm = max_centred_sq_norm.max(sq_norm);
        }
        Self {
            n_features,
            means,
            stored,
            n_rows: rows.len(),
            max_sq_norm,
            max_centred_sq_norm,
            max_abs_sum,
        }
    }

    /// The cheapest layout that is precise enough, with the offset to subtract from every row.
    pub(super) fn choose(&self, formula: Formula, precision: Precision) -> (Layout, Vec<f64>) {
        let plain_sq_norm = self.plain_sq_norm(formula);
        let plain = formula.argument(plain_sq_norm);
        let may_centre = formula.ignores_shift() && !self.means.is_empty();
        let centred_sq_norm = if may_centre {
            self.max_centred_sq_norm
        } else {
            self.max_sq_norm
        };
        let centred = formula.argument(centred_sq_norm);
        let per_row = self.stored as f64 / self.n_rows.max(1) as f64;
        let d = self.n_features as f64;
        // Rows that are sparse in a wide space must not be spread out.
        let may_spread = 16.0 * per_row >= d || d * self.n_rows as f64 <= MAX_SPREAD;
        // Cycles for one inner product, measured on AVX2: panels reach two vector multiply-adds a
        // cycle, sparse rows need two loads for each entry but serve sixteen queries.
        let single = |sq_norm: f64| {
            precision == Precision::Working
                && formula.argument(sq_norm) <= SINGLE_LIMIT
                && fits_single(sq_norm)
        };
        let is_precise = formula.sums_differences() || centred <= DOUBLE_LIMIT;
        let candidates = [
            (true, true, 0.14 * per_row + 1.0, single(plain_sq_norm)),
            (true, false, d / 14.0, may_spread && single(centred_sq_norm)),
            (false, true, 0.28 * per_row + 2.0, plain <= DOUBLE_LIMIT),
            (false, false, d / 7.0, may_spread && is_precise),
        ];
        let best = candidates
            .iter()
            .filter(|candidate| candidate.3)
            .min_by(|a, b| a.2.total_cmp(&b.2));
        let layout = match best {
            Some(&(single, sparse, _, _)) => Layout {
                single,
                sparse,
                difference: !sparse && formula.sums_differences(),
            },
            // Inner products have no difference form: double precision is the best there is.
            None if !formula.ignores_shift() || !may_spread => {
                let sparse = 4.0 * per_row < d;
                Layout {
                    single: false,
                    sparse,
                    difference: !sparse && formula.sums_differences(),
                }
            }
            None => Layout {
                single: false,
                sparse: false,
                difference: true,
            },
        };
        // Differences of values as they were given are exact.
        let as_given = layout.sparse || (formula.sums_differences() && !layout.single);
        let offset = if may_centre && !as_given {
            self.means.clone()
        } else {
            Vec::new()
        };
        (layout, offset)
    }
}

/// Whether rows up to a squared norm can be multiplied in single precision.
pub(super) fn fits_single(sq_norm: f64) -> bool {
    sq_norm == 0.0 || SINGLE_RANGE.contains(&sq_norm)
}
