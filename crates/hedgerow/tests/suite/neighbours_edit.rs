//! An index after insertions and removals, and after a journey through bytes.

#![allow(clippy::unwrap_used)] // Helpers outside of test functions unwrap too.

use hedgerow::data::{Generator, Samples, SamplesView};
use hedgerow::kernel::Kernel;
use hedgerow::neighbours::{DistanceMetric, Index, IndexParams, Neighbour, Structure};
use proptest::prelude::*;

const STRUCTURES: [Structure; 3] = [
    Structure::Brute,
    Structure::BucketTree,
    Structure::CoverTree,
];

fn table(seed: u64, n: usize, d: usize, grid: f64) -> Samples {
    let mut random = Generator::new(seed);
    let values = (0..n * d)
        .map(|_| (random.range(-1.0, 1.0) * grid).round() / grid)
        .collect();
    Samples::dense(n, d, values).unwrap()
}

fn ensure_exact(index: &Index, view: SamplesView<'_>, rows: &[u32], k: usize) {
    let members: Vec<u32> = (0..view.n_rows() as u32)
        .step_by(1 + view.n_rows() / 8)
        .collect();
    let found = index
        .searcher(view)
        .unwrap()
        .k_nearest_of(&members, k, false)
        .unwrap();
    for (&member, found) in members.iter().zip(found) {
        let mut expected: Vec<Neighbour> = rows
            .iter()
            .map(|&row| {
                let (x, y) = (view.row(row as usize), view.row(member as usize));
                let distance = index.metric().distance(x, y, view.n_features()).unwrap();
                Neighbour { row, distance }
            })
            .collect();
        expected.sort_by(|a, b| a.distance.total_cmp(&b.distance).then(a.row.cmp(&b.row)));
        expected.truncate(k);
        assert_eq!(found, expected, "{:?}, row {member}", index.structure());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn an_edited_index_answers_like_a_new_one(
        seed in any::<u64>(),
        polynomial in any::<bool>(),
        n in 20usize..700,
        d in 1usize..=6,
        coarse in any::<bool>(),
    ) {
        let samples = table(seed, n, d, if coarse { 3.0 } else { 1e9 });
        let view = samples.view();
        let metric = if polynomial {
            DistanceMetric::Kernel(Kernel::polynomial(1.0, 0.5, 2))
        } else {
            DistanceMetric::Euclidean
        };
        let first: Vec<u32> = (0..=((n / 10) as u32)).collect();
        for structure in STRUCTURES {
            let params = IndexParams { structure, ..IndexParams::default() };
            let mut index = Index::build(&metric, view, Some(&first), &params).unwrap();
            let mut present = first.clone();
            let mut random = Generator::new(seed);
            for row in first.len() as u32..n as u32 {
                index.insert(view, row).unwrap();
                present.push(row);
                if random.uniform() < 0.3 {
                    let gone = present.swap_remove(random.below(present.len()));
                    prop_assert!(index.remove(gone));
                    prop_assert!(!index.remove(gone));
                }
            }
            prop_assert!(index.insert(view, present[0]).is_err());
            prop_assert_eq!(index.len(), present.len());
            present.sort_unstable();
            ensure_exact(&index, view, &present, 9);
            ensure_exact(&index.clone(), view, &present, 40);
            let stored = postcard::to_stdvec(&index).unwrap();
            let again: Index = postcard::from_bytes(&stored).unwrap();
            prop_assert_eq!(&again, &index);
            ensure_exact(&again, view, &present, 9);
        }
    }
}

#[test]
fn everything_can_be_removed() {
    let samples = table(3, 700, 2, 1e9);
    let view = samples.view();
    for structure in STRUCTURES {
        let params = IndexParams {
            structure,
            ..IndexParams::default()
        };
        let mut index = Index::build(&DistanceMetric::Euclidean, view, None, &params).unwrap();
        for row in 0..700 {
            assert!(index.remove(row));
        }
        assert!(index.is_empty());
        ensure_exact(&index, view, &[], 4);
        ensure_exact(&index.clone(), view, &[], 4);
        index.insert(view, 5).unwrap();
        ensure_exact(&index, view, &[5], 4);
    }
}

#[test]
fn damaged_bytes_do_no_harm() {
    let samples = table(4, 600, 2, 1e9);
    let view = samples.view();
    for structure in [Structure::Brute, Structure::BucketTree] {
        let params = IndexParams {
            structure,
            ..IndexParams::default()
        };
        let index = Index::build(&DistanceMetric::Euclidean, view, None, &params).unwrap();
        let stored = postcard::to_stdvec(&index).unwrap();
        let mut refused = 0;
        for at in 0..stored.len() {
            let mut bytes = stored.clone();
            bytes[at] ^= 0x41;
            let read = postcard::from_bytes::<Index>(&bytes);
            match read.ok().filter(|index| index.searcher(view).is_ok()) {
                Some(index) => {
                    index
                        .searcher(view)
                        .unwrap()
                        .k_nearest_of(&[1], 3, false)
                        .unwrap();
                }
                None => refused += 1,
            }
        }
        assert!(refused > stored.len() / 2);
    }
}
