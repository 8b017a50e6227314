//! Kernels as functions of an accumulated inner product or distance, a panel at a time.

use super::Radial;
use crate::linalg::{AbsolutesMap, DotMap, PANEL, Real, SquaresMap, TileMap};

/// The norm terms of queries and packed rows.
#[derive(Clone, Copy)]
pub(super) struct Norms<'a, T> {
    pub(super) queries: &'a [T],
    pub(super) rows: &'a [T],
}

#[derive(Clone, Copy)]
pub(crate) struct PolynomialMap<T> {
    pub(crate) gamma: T,
    pub(crate) coef0: T,
    pub(crate) degree: u32,
}

impl<T: Real> TileMap<T> for PolynomialMap<T> {
    type Term = DotMap;
    const IN_TILES: bool = true;

    #[inline(always)]
    fn map<const FMA: bool>(self, _: usize, _: usize, mut values: [T; PANEL]) -> [T; PANEL] {
        for value in &mut values {
            *value = value.fma::<FMA>(self.gamma, self.coef0);
        }
        // Powers by squaring: a large degree must not cost a large loop.
        let mut rest = self.degree;
        let mut power: Option<[T; PANEL]> = None;
        loop {
            if rest & 1 == 1 {
                power = Some(match power {
                    None => values,
                    Some(power) => std::array::from_fn(|lane| power[lane] * values[lane]),
                });
            }
            rest >>= 1;
            if rest == 0 {
                return power.unwrap_or(values);
            }
            for value in &mut values {
                *value = *value * *value;
            }
        }
    }
}

#[derive(Clone, Copy)]
pub(super) struct SigmoidMap {
    pub(super) gamma: f64,
    pub(super) coef0: f64,
}

impl<T: Real> TileMap<T> for SigmoidMap {
    type Term = DotMap;

    #[inline(always)]
    fn map<const FMA: bool>(self, _: usize, _: usize, mut values: [T; PANEL]) -> [T; PANEL] {
        for value in &mut values {
            *value = T::from_f64((self.gamma * value.to_f64() + self.coef0).tanh());
        }
        values
    }
}

#[derive(Clone, Copy)]
pub(super) struct GaussianMap<'a, T> {
    pub(super) two_gamma: T,
    pub(super) norms: Norms<'a, T>,
}

impl<T: Real> TileMap<T> for GaussianMap<'_, T> {
    type Term = DotMap;
    const IN_TILES: bool = true;

    #[inline(always)]
    fn map<const FMA: bool>(self, q: usize, first: usize, values: [T; PANEL]) -> [T; PANEL] {
        let query = self.norms.queries[q];
        let rows = &self.norms.rows[first..first + PANEL];
        let mut out = [T::ZERO; PANEL];
        for lane in 0..PANEL {
            let exponent = values[lane].fma::<FMA>(self.two_gamma, query + rows[lane]);
            // Rounding must not make a squared distance negative. What is no number comes from
            // values beyond single precision: far away, as `exp_fast` reads it.
            let exponent = if exponent >= T::ZERO {
                T::ZERO
            } else {
                exponent
            };
            out[lane] = exponent.exp_fast::<FMA>();
        }
        out
    }
}

#[derive(Clone, Copy)]
pub(super) struct GaussianOfDifference<T> {
    pub(super) minus_gamma: T,
}

impl<T: Real> TileMap<T> for GaussianOfDifference<T> {
    type Term = SquaresMap;

    #[inline(always)]
    fn map<const FMA: bool>(self, _: usize, _: usize, values: [T; PANEL]) -> [T; PANEL] {
        let mut out = [T::ZERO; PANEL];
        for lane in 0..PANEL {
            out[lane] = (values[lane] * self.minus_gamma).exp_fast::<FMA>();
        }
        out
    }
}

#[derive(Clone, Copy)]
pub(super) struct CityBlockMap<'a, T> {
    minus_gamma: T,
    /// The part of each query's exponent that is not in the sums.
    exponents: &'a [T],
}

impl<'a, T: Real> CityBlockMap<'a, T> {
    pub(super) fn new(gamma: f64, exponents: &'a [T]) -> Self {
        // Rows that are all alike allow any width: infinity times their distance were no number.
        let largest = f64::from(f32::MAX);
        Self {
            minus_gamma: T::from_f64(-if size_of::<T>() == 4 {
                gamma.min(largest)
            } else {
                gamma
            }),
            exponents,
        }
    }
}

impl<T: Real> TileMap<T> for CityBlockMap<'_, T> {
    type Term = AbsolutesMap;
    const IN_TILES: bool = true;

    #[inline(always)]
    fn map<const FMA: bool>(self, q: usize, _: usize, values: [T; PANEL]) -> [T; PANEL] {
        let query = self.exponents[q];
        let mut out = [T::ZERO; PANEL];
        for lane in 0..PANEL {
            let exponent = values[lane].fma::<FMA>(self.minus_gamma, query);
            // What is not stored may have been rounded otherwise. What is no number comes from
            // values beyond single precision: far away, as `exp_fast` reads it.
            let exponent = if exponent >= T::ZERO {
                T::ZERO
            } else {
                exponent
            };
            out[lane] = exponent.exp_fast::<FMA>();
        }
        out
    }
}

#[derive(Clone, Copy)]
pub(super) struct RadialMap<'a, T> {
    pub(super) radial: Radial,
    pub(super) n_features: usize,
    pub(super) norms: Norms<'a, T>,
}

impl<T: Real> TileMap<T> for RadialMap<'_, T> {
    type Term = DotMap;

    #[inline(always)]
    fn map<const FMA: bool>(self, q: usize, first: usize, mut values: [T; PANEL]) -> [T; PANEL] {
        let query = self.norms.queries[q].to_f64();
        for lane in 0..PANEL {
            let row = self.norms.rows[first + lane].to_f64();
            let squared = (query + row - 2.0 * values[lane].to_f64()).max(0.0);
            values[lane] = T::from_f64(self.radial.value(squared, self.n_features));
        }
        values
    }
}

#[derive(Clone, Copy)]
pub(super) struct RadialOfDifference {
    pub(super) radial: Radial,
    pub(super) n_features: usize,
}

impl<T: Real> TileMap<T> for RadialOfDifference {
    type Term = SquaresMap;

    #[inline(always)]
    fn map<const FMA: bool>(self, _: usize, _: usize, mut values: [T; PANEL]) -> [T; PANEL] {
        for value in &mut values {
            *value = T::from_f64(self.radial.value(value.to_f64(), self.n_features));
        }
        values
    }
}
