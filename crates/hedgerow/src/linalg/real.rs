//! The two floating-point widths of the engine.

use std::fmt::Debug;
use std::ops::{Add, AddAssign, Mul, Neg, Sub};

/// `f32` or `f64`.
pub(crate) trait Real:
    Copy
    + Debug
    + Default
    + Send
    + Sync
    + PartialOrd
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + 'static
{
    const ZERO: Self;

    fn from_f64(value: f64) -> Self;
    fn to_f64(self) -> f64;

    /// The larger of two, without regard to NaN.
    fn larger(self, other: Self) -> Self;

    /// Without its sign.
    fn abs(self) -> Self;

    /// The slices as they are if `O` is the same type.
    fn same<'a, 'b, O: Real>(slices: &'a mut [&'b mut [O]]) -> Option<&'a mut [&'b mut [Self]]>;
    /// As [`Real::same`], by name.
    fn if_single<'a, 'b>(slices: &'a mut [&'b mut [Self]]) -> Option<&'a mut [&'b mut [f32]]>;
    fn if_double<'a, 'b>(slices: &'a mut [&'b mut [Self]]) -> Option<&'a mut [&'b mut [f64]]>;

    /// `self * b + c`, fused where the compiled-for target can.
    fn fma<const FMA: bool>(self, b: Self, c: Self) -> Self;

    /// `exp` to a few units in the last place; 0 below the normal range and for NaN.
    fn exp_fast<const FMA: bool>(self) -> Self;
}

macro_rules! common {
    () => {
        const ZERO: Self = 0.0;

        #[inline(always)]
        fn larger(self, other: Self) -> Self {
            if self > other { self } else { other }
        }

        #[inline(always)]
        fn abs(self) -> Self {
            self.abs()
        }

        #[inline(always)]
        fn fma<const FMA: bool>(self, b: Self, c: Self) -> Self {
            if FMA {
                self.mul_add(b, c)
            } else {
                self * b + c
            }
        }
    };
}

impl Real for f32 {
    common!();

    fn same<'a, 'b, O: Real>(slices: &'a mut [&'b mut [O]]) -> Option<&'a mut [&'b mut [Self]]> {
        O::if_single(slices)
    }
    fn if_single<'a, 'b>(slices: &'a mut [&'b mut [Self]]) -> Option<&'a mut [&'b mut [f32]]> {
        Some(slices)
    }
    fn if_double<'a, 'b>(_: &'a mut [&'b mut [Self]]) -> Option<&'a mut [&'b mut [f64]]> {
        None
    }

    #[inline(always)]
    fn from_f64(value: f64) -> Self {
        value as f32
    }
    #[inline(always)]
    fn to_f64(self) -> f64 {
        f64::from(self)
    }

    /// Cody–Waite reduction to |r| ≤ ln2/2, then a polynomial of degree 6 in r.
    #[inline(always)]
    fn exp_fast<const FMA: bool>(self) -> Self {
        // Adding 1.5·2²³ rounds to an integer that then stands in the low mantissa bits.
        const ROUND: f32 = 12_582_912.0;
        const LN2_HIGH: f32 = 0.693_359_4;
        const LN2_LOW: f32 = -2.121_944_4e-4;
        let x = self.larger(-87.3).min(88.3);
        let shifted = x.fma::<FMA>(std::f32::consts::LOG2_E, ROUND);
        let n = shifted - ROUND;
        let r = (-n).fma::<FMA>(LN2_LOW, (-n).fma::<FMA>(LN2_HIGH, x));
        let mut p: f32 = 1.388_889e-3;
        p = p.fma::<FMA>(r, 8.333_377e-3);
        p = p.fma::<FMA>(r, 4.166_664e-2);
        p = p.fma::<FMA>(r, 0.166_666_65);
        p = p.fma::<FMA>(r, 0.5);
        p = p.fma::<FMA>(r, 1.0);
        p = p.fma::<FMA>(r, 1.0);
        let power = f32::from_bits((shifted.to_bits() << 23).wrapping_add(0x3f80_0000));
        let value = p * power;
        if self >= -87.3 { value } else { 0.0 }
    }
}

impl Real for f64 {
    common!();

    fn same<'a, 'b, O: Real>(slices: &'a mut [&'b mut [O]]) -> Option<&'a mut [&'b mut [Self]]> {
        O::if_double(slices)
    }
    fn if_double<'a, 'b>(slices: &'a mut [&'b mut [Self]]) -> Option<&'a mut [&'b mut [f64]]> {
        Some(slices)
    }
    fn if_single<'a, 'b>(_: &'a mut [&'b mut [Self]]) -> Option<&'a mut [&'b mut [f32]]> {
        None
    }

    #[inline(always)]
    fn from_f64(value: f64) -> Self {
        value
    }
    #[inline(always)]
    fn to_f64(self) -> f64 {
        self
    }

    /// Cody–Waite reduction to |r| ≤ ln2/2, then the Taylor polynomial of degree 13 in r.
    #[inline(always)]
    fn exp_fast<const FMA: bool>(self) -> Self {
        // Adding 1.5·2⁵² rounds to an integer that then stands in the low mantissa bits.
        const ROUND: f64 = 6_755_399_441_055_744.0;
        const LN2_HIGH: f64 = 6.931_471_803_691_238e-1;
        const LN2_LOW: f64 = 1.908_214_929_270_587_7e-10;
        const INVERSE_FACTORIALS: [f64; 12] = [
            1.605_904_383_682_161_3e-10, // 1/13!
            2.087_675_698_786_81e-9,
            2.505_210_838_544_172e-8,
            2.755_731_922_398_589_3e-7,
            2.755_731_922_398_589e-6,
            2.480_158_730_158_73e-5,
            1.984_126_984_126_984e-4,
            1.388_888_888_888_889e-3,
            8.333_333_333_333_333e-3,
            4.166_666_666_666_666_4e-2,
            1.666_666_666_666_666_6e-1,
            0.5,
        ];
        let x = self.larger(-708.3).min(709.4);
        let shifted = x.fma::<FMA>(std::f64::consts::LOG2_E, ROUND);
        let n = shifted - ROUND;
        let r = (-n).fma::<FMA>(LN2_LOW, (-n).fma::<FMA>(LN2_HIGH, x));
        let mut p = INVERSE_FACTORIALS[0];
        for &coefficient in &INVERSE_FACTORIALS[1..] {
            p = p.fma::<FMA>(r, coefficient);
        }
        p = p.fma::<FMA>(r, 1.0);
        p = p.fma::<FMA>(r, 1.0);
        let power = f64::from_bits((shifted.to_bits() << 52).wrapping_add(0x3ff0_0000_0000_0000));
        let value = p * power;
        if self >= -708.3 { value } else { 0.0 }
    }
}
