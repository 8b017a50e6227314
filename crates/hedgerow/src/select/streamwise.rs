//! Streamwise selection by α-investing (Zhou, Foster, Stine, Ungar, JMLR 7, 2006).
//!
//! Features come one after the other and are looked at once. The $i$-th may enter a linear model of
//! the ±1 labels if its partial F test is significant at the level $\alpha_i = W/(2i)$ that the
//! wealth $W$ can pay for; a test costs its level, a discovery earns the payout. The rate of false
//! discoveries stays bounded however many features come.
//!
//! | paper | here |
//! |---|---|
//! | $w_0$ | `wealth` |
//! | $\alpha_\Delta$ | `payout` |

use super::Ranking;
use super::columns::Columns;
use crate::data::Dataset;
use crate::error::ensure_positive;
use crate::linalg::dot;
use crate::special::f_upper;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// Part of a column that must be new for it to be tested.
const DEPENDENT: f64 = 1e-12;

/// Parameters of streamwise selection.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct StreamwiseParams {
    /// Wealth at the beginning; 0.5 by default.
    pub wealth: f64,
    /// What a discovery earns; 0.5 by default.
    pub payout: f64,
}

impl Default for StreamwiseParams {
    fn default() -> Self {
        Self {
            wealth: 0.5,
            payout: 0.5,
        }
    }
}

impl StreamwiseParams {
    /// Sets the wealth at the beginning.
    pub fn with_wealth(mut self, wealth: f64) -> Self {
        self.wealth = wealth;
        self
    }

    /// Sets what a discovery earns.
    pub fn with_payout(mut self, payout: f64) -> Self {
        self.payout = payout;
        self
    }

    /// An error that names the first parameter out of its range.
    pub fn check(&self) -> Result<()> {
        ensure_positive("wealth", self.wealth)?;
        ensure_positive("payout", self.payout)
    }

    /// The features that entered the model, in their order; the score of each is 1 minus its
    /// p value. Two classes only.
    pub fn rank(&self, data: &Dataset) -> Result<Ranking> {
        self.check()?;
        let labels = data.classes()?;
        let present: Vec<u32> = (0..labels.n_classes() as u32)
            .filter(|code| labels.codes().contains(code))
            .collect();
        if present.len() != 2 {
            return Err(Error::Shape {
                what: "classes (streamwise selection knows two)",
                expected: 2,
                found: present.len(),
            });
        }
        let columns = Columns::new(data.samples().view())?;
        let n = columns.n_rows();
        // An orthonormal basis of the model, beginning with the constant.
        let mut basis = vec![vec![1.0 / (n as f64).sqrt(); n]];
        let mut residual: Vec<f64> = labels
            .codes()
            .iter()
            .map(|&code| if code == present[1] { 1.0 } else { -1.0 })
            .collect();
        let original = dot(&residual, &residual);
        remove(&mut residual, &basis);
        let mut ranking = Ranking::default();
        let mut wealth = self.wealth;
        let mut column = vec![0.0; n];
        for f in 0..columns.n_features() {
            let freedom = n as f64 - ranking.len() as f64 - 2.0;
            if freedom < 1.0 || wealth <= 0.0 {
                break;
            }
            let level = wealth / (2.0 * (f as f64 + 1.0));
            columns.write(f, &mut column);
            let p_value = test(&mut column, &basis, &residual, original, freedom);
            if p_value <= level {
                wealth += self.payout - level;
                ranking.push(f, 1.0 - p_value);
                let length = dot(&column, &column).sqrt();
                for x in &mut column {
                    *x /= length;
                }
                basis.push(column.clone());
                remove(&mut residual, &basis[basis.len() - 1..]);
            } else {
                wealth -= level;
            }
        }
        Ok(ranking)
    }
}

/// Takes the directions of the basis out of a vector, twice: once is not enough in floating point.
fn remove(vector: &mut [f64], basis: &[Vec<f64>]) {
    for _ in 0..2 {
        for direction in basis {
            let part = dot(direction, vector);
            for (x, d) in vector.iter_mut().zip(direction) {
                *x -= part * d;
            }
        }
    }
}

/// p value of adding a column, which is left orthogonal to the basis.
fn test(
    column: &mut [f64],
    basis: &[Vec<f64>],
    residual: &[f64],
    original: f64,
    freedom: f64,
) -> f64 {
    // Brought to length 1 beforehand: squares of large values would overflow.
    let largest = column.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    if largest == 0.0 {
        return 1.0;
    }
    for x in column.iter_mut() {
        *x /= largest;
    }
    let before = dot(column, column);
    remove(column, basis);
    let length = dot(column, column);
    if length <= DEPENDENT * before {
        return 1.0;
    }
    let product = dot(column, residual);
    let explained = product * product / length;
    let rest = dot(residual, residual) - explained;
    if rest <= 1e-14 * original {
        return if explained > 1e-14 * original {
            0.0
        } else {
            1.0
        };
    }
    f_upper(explained * freedom / rest, 1.0, freedom)
}
