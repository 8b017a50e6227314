//! Joint counts of discrete variables by AND and population count.
//!
//! A *plane* is a bit for every row: whether the variable has a certain value there. The planes
//! of [`BIT_LANES`] variables stand interleaved, word after word, so that one vector holds the
//! same 64 rows of neighbouring variables and counts add up lane by lane, without any sum across
//! lanes. The loop is compiled for every population count that processors have: in software, as
//! a scalar instruction, by table look-ups in AVX2 registers, and as the vector instruction of
//! AVX-512.

/// Variables whose planes stand interleaved.
pub(crate) const BIT_LANES: usize = 8;

/// The counts of [`BIT_LANES`] variables.
pub(crate) type LaneCounts = [u64; BIT_LANES];

/// Counts of `A` planes of the query against `B` planes of the lanes, from `first_a` and `first_b`.
#[inline(always)]
fn count_tile<const A: usize, const B: usize>(
    query: &[u64],
    n_query: usize,
    first_a: usize,
    lanes: &[[u64; BIT_LANES]],
    n_lanes: usize,
    first_b: usize,
) -> [[LaneCounts; B]; A] {
    let mut counts = [[[0u64; BIT_LANES]; B]; A];
    let words = query.chunks_exact(n_query).zip(lanes.chunks_exact(n_lanes));
    for (a_words, b_words) in words {
        let a_words = &a_words[first_a..first_a + A];
        let b_words = &b_words[first_b..first_b + B];
        for a in 0..A {
            for b in 0..B {
                for lane in 0..BIT_LANES {
                    let both = a_words[a] & b_words[b][lane];
                    counts[a][b][lane] += u64::from(both.count_ones());
                }
            }
        }
    }
    counts
}

#[inline(always)]
fn store<const A: usize, const B: usize>(
    tile: [[LaneCounts; B]; A],
    first_a: usize,
    first_b: usize,
    n_lanes: usize,
    counts: &mut [LaneCounts],
) {
    for a in 0..A {
        for b in 0..B {
            counts[(first_a + a) * n_lanes + first_b + b] = tile[a][b];
        }
    }
}

/// `counts[a · n_lanes + b][lane]` = rows in plane `a` of the query and plane `b` of the lane.
/// `query` holds `n_query` words for every 64 rows, `lanes` `n_lanes` vectors.
#[inline(always)]
fn joint_counts_body(
    query: &[u64],
    n_query: usize,
    lanes: &[[u64; BIT_LANES]],
    n_lanes: usize,
    counts: &mut [LaneCounts],
) {
    let mut a = 0;
    while a < n_query {
        let wide = a + 2 <= n_query;
        let mut b = 0;
        while b < n_lanes {
            let broad = b + 2 <= n_lanes;
            match (wide, broad) {
                (true, true) => {
                    let tile = count_tile::<2, 2>(query, n_query, a, lanes, n_lanes, b);
                    store(tile, a, b, n_lanes, counts);
                }
                (true, false) => {
                    let tile = count_tile::<2, 1>(query, n_query, a, lanes, n_lanes, b);
                    store(tile, a, b, n_lanes, counts);
                }
                (false, true) => {
                    let tile = count_tile::<1, 2>(query, n_query, a, lanes, n_lanes, b);
                    store(tile, a, b, n_lanes, counts);
                }
                (false, false) => {
                    let tile = count_tile::<1, 1>(query, n_query, a, lanes, n_lanes, b);
                    store(tile, a, b, n_lanes, counts);
                }
            }
            b += 2;
        }
        a += 2;
    }
}

/// The ways to count that processors have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PopulationCount {
    /// What the target's baseline offers.
    Baseline,
    /// One instruction a word.
    #[cfg(target_arch = "x86_64")]
    Scalar,
    /// Table look-ups in 256-bit registers.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// One instruction for 512 bits.
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl PopulationCount {
    /// All that run on this processor, the widest last.
    pub(crate) fn available() -> Vec<Self> {
        #[cfg_attr(not(target_arch = "x86_64"), allow(unused_mut))]
        let mut all = vec![Self::Baseline];
        #[cfg(target_arch = "x86_64")]
        {
            if std::arch::is_x86_feature_detected!("popcnt") {
                all.push(Self::Scalar);
                if std::arch::is_x86_feature_detected!("avx2") {
                    all.push(Self::Avx2);
                }
                if std::arch::is_x86_feature_detected!("avx512f")
                    && std::arch::is_x86_feature_detected!("avx512vpopcntdq")
                {
                    all.push(Self::Avx512);
                }
            }
        }
        all
    }

    /// The widest that runs on this processor.
    pub(crate) fn widest() -> Self {
        Self::available().pop().unwrap_or(Self::Baseline)
    }

    /// See [`joint_counts_body`].
    pub(crate) fn joint_counts(
        self,
        query: &[u64],
        n_query: usize,
        lanes: &[[u64; BIT_LANES]],
        n_lanes: usize,
        counts: &mut [LaneCounts],
    ) {
        match self {
            Self::Baseline => joint_counts_body(query, n_query, lanes, n_lanes, counts),
            #[cfg(target_arch = "x86_64")]
            Self::Scalar | Self::Avx2 | Self::Avx512 => {
                // SAFETY: these values come only from `available`, which found the features that
                // the functions are compiled for on this processor; the bodies are safe code.
                #[allow(unsafe_code)]
                unsafe {
                    match self {
                        Self::Avx512 => avx512(query, n_query, lanes, n_lanes, counts),
                        Self::Avx2 => avx2(query, n_query, lanes, n_lanes, counts),
                        _ => scalar(query, n_query, lanes, n_lanes, counts),
                    }
                }
            }
        }
    }
}

/// [`joint_counts_body`] compiled for some features of the processor.
#[cfg(target_arch = "x86_64")]
macro_rules! compiled_for {
    ($($name:ident: $features:literal,)+) => {$(
        #[target_feature(enable = $features)]
        fn $name(
            query: &[u64],
            n_query: usize,
            lanes: &[[u64; BIT_LANES]],
            n_lanes: usize,
            counts: &mut [LaneCounts],
        ) {
            joint_counts_body(query, n_query, lanes, n_lanes, counts);
        }
    )+};
}

#[cfg(target_arch = "x86_64")]
compiled_for! {
    scalar: "popcnt",
    avx2: "avx2,popcnt",
    avx512: "avx512f,avx512vpopcntdq,avx2,popcnt",
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Generator;

    #[test]
    fn every_population_count_agrees_with_counting_bits_one_by_one() {
        let mut random = Generator::new(3);
        for (n_query, n_lanes, n_words) in [(1, 1, 1), (2, 2, 5), (3, 2, 4), (2, 3, 9), (5, 3, 2)] {
            let query: Vec<u64> = (0..n_query * n_words).map(|_| random.bits()).collect();
            let lanes: Vec<[u64; BIT_LANES]> = (0..n_lanes * n_words)
                .map(|_| std::array::from_fn(|_| random.bits()))
                .collect();
            for counter in PopulationCount::available() {
                let mut counts = vec![[7; BIT_LANES]; n_query * n_lanes];
                counter.joint_counts(&query, n_query, &lanes, n_lanes, &mut counts);
                for a in 0..n_query {
                    for b in 0..n_lanes {
                        for lane in 0..BIT_LANES {
                            let expected: u64 = (0..n_words)
                                .map(|w| {
                                    let both =
                                        query[w * n_query + a] & lanes[w * n_lanes + b][lane];
                                    (0..64).map(|bit| both >> bit & 1).sum::<u64>()
                                })
                                .sum();
                            assert_eq!(counts[a * n_lanes + b][lane], expected, "{counter:?}");
                        }
                    }
                }
            }
        }
    }
}
