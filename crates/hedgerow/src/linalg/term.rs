//! What one feature of two rows adds to the number that a kernel is a function of.

use super::Real;
use super::panel::{PANEL, TileMap};

/// A sum over features. Each is also the map that leaves such sums as they are.
pub(crate) trait Term<T: Real>: TileMap<T> + Default {
    /// Adds what a feature contributes.
    fn add<const FMA: bool>(query: T, value: T, sum: T) -> T;

    /// Adds what a feature that the row stores contributes more than one that it does not. Summed
    /// over the stored features, it is the whole but for the sum of the query and a row of zeros.
    fn add_stored<const FMA: bool>(query: T, value: T, sum: T) -> T;
}

/// $\sum q t$.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct DotMap;

/// $\sum (q - t)^2$.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct SquaresMap;

/// $\sum |q - t|$.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct AbsolutesMap;

impl<T: Real> Term<T> for DotMap {
    #[inline(always)]
    fn add<const FMA: bool>(query: T, value: T, sum: T) -> T {
        query.fma::<FMA>(value, sum)
    }

    #[inline(always)]
    fn add_stored<const FMA: bool>(query: T, value: T, sum: T) -> T {
        value.fma::<FMA>(query, sum)
    }
}

impl<T: Real> Term<T> for SquaresMap {
    #[inline(always)]
    fn add<const FMA: bool>(query: T, value: T, sum: T) -> T {
        let difference = query - value;
        difference.fma::<FMA>(difference, sum)
    }

    #[inline(always)]
    fn add_stored<const FMA: bool>(query: T, value: T, sum: T) -> T {
        value.fma::<FMA>(value - (query + query), sum)
    }
}

impl<T: Real> Term<T> for AbsolutesMap {
    #[inline(always)]
    fn add<const FMA: bool>(query: T, value: T, sum: T) -> T {
        sum + (query - value).abs()
    }

    #[inline(always)]
    fn add_stored<const FMA: bool>(query: T, value: T, sum: T) -> T {
        sum + ((query - value).abs() - query.abs())
    }
}

macro_rules! as_it_is {
    ($($term:ident)*) => {$(
        impl<T: Real> TileMap<T> for $term {
            type Term = Self;
            const IN_TILES: bool = true;

            #[inline(always)]
            fn map<const FMA: bool>(self, _: usize, _: usize, values: [T; PANEL]) -> [T; PANEL] {
                values
            }
        }
    )*};
}

as_it_is!(DotMap SquaresMap AbsolutesMap);
