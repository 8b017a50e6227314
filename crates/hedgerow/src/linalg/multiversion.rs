//! Run-time choice of the instruction set.

/// True when the loops compiled for AVX2 and FMA may run here.
#[cfg(target_arch = "x86_64")]
#[inline]
pub(super) fn has_avx2_fma() -> bool {
    std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma")
}

/// True when the loops compiled for AVX-512 may run here.
#[cfg(target_arch = "x86_64")]
#[inline]
pub(super) fn has_avx512() -> bool {
    has_avx2_fma()
        && std::arch::is_x86_feature_detected!("avx512f")
        && std::arch::is_x86_feature_detected!("avx512vl")
        && std::arch::is_x86_feature_detected!("avx512dq")
        && std::arch::is_x86_feature_detected!("avx512bw")
}

/// Whether the baseline of the target has a fused multiply-add instruction. Without one,
/// `mul_add` would become a library call.
pub(super) const BASELINE_FMA: bool = cfg!(any(target_feature = "fma", target_arch = "aarch64"));

/// Defines `name` as `body`, compiled for the baseline, for AVX2 + FMA and for
/// AVX-512. The order of operations is that of `body` in all of them: so are the results.
///
/// `body` must be `#[inline(always)]` and take a `const FMA: bool` as first generic parameter. As
/// `body[WIDE]` it also takes a `const WIDE: bool`: whether there are the 32 registers of AVX-512.
macro_rules! multiversion {
    ($(#[$meta:meta])* $vis:vis fn $name:ident [$($generic:ident : $bound:path),*]
     ($($arg:ident : $ty:ty),* $(,)?) $(-> $ret:ty)? = $body:ident $([$wide:ident])?;) => {
        $(#[$meta])*
        #[allow(clippy::too_many_arguments)]
        $vis fn $name<$($generic: $bound),*>($($arg: $ty),*) $(-> $ret)? {
            $(const $wide: bool = false;)?
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2,fma")]
                #[allow(clippy::too_many_arguments)]
                fn avx2<$($generic: $bound),*>($($arg: $ty),*) $(-> $ret)? {
                    $(const $wide: bool = false;)?
                    $body::<true, $({ $wide },)? $($generic),*>($($arg),*)
                }
                #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma")]
                #[allow(clippy::too_many_arguments)]
                fn avx512<$($generic: $bound),*>($($arg: $ty),*) $(-> $ret)? {
                    $(const $wide: bool = true;)?
                    $body::<true, $({ $wide },)? $($generic),*>($($arg),*)
                }
                if super::multiversion::has_avx512() {
                    // SAFETY: the features that the function is compiled for were just found on
                    // this processor; the function itself is safe code.
                    #[allow(unsafe_code)]
                    return unsafe { avx512($($arg),*) };
                }
                if super::multiversion::has_avx2_fma() {
                    // SAFETY: the two features that the function is compiled for were just
                    // found on this processor; the function itself is safe code.
                    #[allow(unsafe_code)]
                    return unsafe { avx2($($arg),*) };
                }
            }
            $body::<{ super::multiversion::BASELINE_FMA }, $({ $wide },)? $($generic),*>($($arg),*)
        }
    };
}
