//! Cover trees: what holds of every tree, however it came about.

#![allow(clippy::unwrap_used)] // Helpers outside of test functions unwrap too.

use hedgerow::data::{Generator, Samples, SamplesView};
use hedgerow::kernel::Kernel;
use hedgerow::neighbours::{
    CoverTree, CoverTreeParams, DistanceMetric, Index, IndexParams, Structure,
};
use proptest::prelude::*;

fn samples(seed: u64, n: usize, d: usize, grid: f64, scale: f64) -> Samples {
    let mut random = Generator::new(seed);
    let mut values: Vec<f64> = (0..n * d)
        .map(|_| (random.range(-1.0, 1.0) * grid).round() / grid * scale)
        .collect();
    for i in (1..n).step_by(6) {
        let from = random.below(i);
        values.copy_within(from * d..(from + 1) * d, i * d);
    }
    Samples::dense(n, d, values).unwrap()
}

fn params(relaxation: u32) -> CoverTreeParams {
    CoverTreeParams {
        relaxation,
        relaxed: false,
    }
}

fn expected(
    metric: &DistanceMetric,
    view: SamplesView<'_>,
    rows: &[u32],
    q: usize,
) -> Vec<(u32, f64)> {
    let mut all: Vec<(u32, f64)> = rows
        .iter()
        .map(|&row| {
            let (x, y) = (view.row(row as usize), view.row(q));
            (row, metric.distance(x, y, view.n_features()).unwrap())
        })
        .collect();
    all.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
    all
}

fn ensure_same_answers(tree: &CoverTree, view: SamplesView<'_>, rows: &[u32], k: usize) {
    for q in (0..view.n_rows()).step_by(1 + view.n_rows() / 6) {
        let found: Vec<(u32, f64)> = tree
            .k_nearest(view, view.row(q), k, None)
            .unwrap()
            .iter()
            .map(|neighbour| (neighbour.row, neighbour.distance))
            .collect();
        let mut expected = expected(tree.metric(), view, rows, q);
        expected.truncate(k);
        assert_eq!(found, expected);
    }
}

fn metrics() -> impl Strategy<Value = DistanceMetric> {
    prop_oneof![
        2 => Just(DistanceMetric::Euclidean),
        1 => Just(DistanceMetric::of(&Kernel::city_block(2.0))),
        1 => Just(DistanceMetric::Kernel(Kernel::polynomial(1.0, 1.0, 2))),
        1 => Just(DistanceMetric::Kernel(Kernel::polynomial(0.5, 0.0, 3))),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn batch_trees_are_cover_trees(
        metric in metrics(),
        seed in any::<u64>(),
        n in 1usize..160,
        d in 1usize..=8,
        relaxation in prop_oneof![Just(0u32), Just(1), Just(3)],
        coarse in any::<bool>(),
        k in 1usize..20,
    ) {
        let samples = samples(seed, n, d, if coarse { 4.0 } else { 1e9 }, 1.0);
        let view = samples.view();
        let tree = CoverTree::build(&metric, view, None, params(relaxation)).unwrap();
        prop_assert_eq!(tree.len(), n);
        tree.check_invariants(view).map_err(TestCaseError::fail)?;
        ensure_same_answers(&tree, view, &(0..n as u32).collect::<Vec<_>>(), k);
        let order = tree.visit_order();
        prop_assert!(order.windows(2).all(|pair| pair[0].level >= pair[1].level));
        let mut rows: Vec<u32> = order
            .iter()
            .flat_map(|visit| std::iter::once(visit.row).chain(visit.copies.iter().copied()))
            .collect();
        rows.sort_unstable();
        prop_assert_eq!(rows, (0..n as u32).collect::<Vec<_>>());
        prop_assert!(order.iter().all(|visit| visit.copies.iter().all(|&copy| copy > visit.row)));
        let levels = tree.levels();
        prop_assert_eq!(levels.iter().map(|level| level.1.len()).sum::<usize>(), order.len());
        prop_assert!(levels.windows(2).all(|pair| pair[0].0 > pair[1].0));
    }

    #[test]
    fn edited_trees_are_cover_trees(
        metric in metrics(),
        seed in any::<u64>(),
        n in 2usize..100,
        d in 1usize..=5,
        relaxation in prop_oneof![Just(0u32), Just(1), Just(3)],
        coarse in any::<bool>(),
    ) {
        let samples = samples(seed, n, d, if coarse { 3.0 } else { 1e9 }, 1.0);
        let view = samples.view();
        let mut random = Generator::new(seed ^ 1);
        let mut present: Vec<u32> = (0..n as u32).filter(|_| random.uniform() < 0.3).collect();
        if present.is_empty() {
            present.push(0);
        }
        let mut tree = CoverTree::build(&metric, view, Some(&present), params(relaxation)).unwrap();
        let rest: Vec<u32> = (0..n as u32).filter(|row| !present.contains(row)).collect();
        for row in rest {
            tree.insert(view, row).unwrap();
            present.push(row);
            if random.uniform() < 0.4 {
                let gone = present.swap_remove(random.below(present.len()));
                prop_assert!(tree.remove(gone));
                prop_assert!(!tree.remove(gone));
            }
        }
        prop_assert_eq!(tree.len(), present.len());
        tree.check_invariants(view).map_err(TestCaseError::fail)?;
        present.sort_unstable();
        ensure_same_answers(&tree, view, &present, 7);
        let stored = postcard::to_stdvec(&tree).unwrap();
        let again: CoverTree = postcard::from_bytes(&stored).unwrap();
        prop_assert_eq!(again, tree);
    }
}

#[test]
fn spirals_with_points_a_millionth_apart() {
    let near = samples(5, 120, 2, 1e9, 1e-6);
    let far = samples(6, 120, 2, 1e9, 1.0);
    let values: Vec<f64> = (0..120)
        .flat_map(|i| [near.view().row(i).values(), far.view().row(i).values()].concat())
        .collect();
    let samples = Samples::dense(240, 2, values).unwrap();
    let tree =
        CoverTree::build(&DistanceMetric::Euclidean, samples.view(), None, params(1)).unwrap();
    tree.check_invariants(samples.view()).unwrap();
    ensure_same_answers(&tree, samples.view(), &(0..240).collect::<Vec<_>>(), 9);
}

#[test]
fn one_row_and_nothing_but_copies() {
    for n in [1u32, 50] {
        let samples = Samples::dense(n as usize, 2, [0.5, 2.0].repeat(n as usize)).unwrap();
        let view = samples.view();
        let mut tree = CoverTree::build(&DistanceMetric::Euclidean, view, None, params(0)).unwrap();
        tree.check_invariants(view).unwrap();
        assert_eq!(tree.n_nodes(), 1);
        assert_eq!(tree.visit_order()[0].copies, (1..n).collect::<Vec<_>>());
        for row in 0..n {
            assert!(tree.remove(row));
            ensure_same_answers(&tree, view, &(row + 1..n).collect::<Vec<_>>(), 3);
        }
        assert!(tree.is_empty());
        tree.insert(view, 0).unwrap();
        ensure_same_answers(&tree, view, &[0], 3);
    }
}

#[test]
fn the_published_slack_may_miss_neighbours_the_exact_one_does_not() {
    let samples = samples(9, 3000, 5, 1e9, 1.0);
    let view = samples.view();
    let rows: Vec<u32> = (0..3000).collect();
    let mut missed = 0;
    for relaxed in [false, true] {
        let params = CoverTreeParams {
            relaxation: 3,
            relaxed,
        };
        let tree = CoverTree::build(&DistanceMetric::Euclidean, view, None, params).unwrap();
        for q in (0..3000).step_by(60) {
            let mut expected = expected(tree.metric(), view, &rows, q);
            expected.truncate(5);
            let found = tree.k_nearest(view, view.row(q), 5, None).unwrap();
            let same = found
                .iter()
                .map(|found| found.row)
                .eq(expected.iter().map(|row| row.0));
            assert!(relaxed || same);
            assert_eq!(found.len(), 5);
            missed += usize::from(!same);
        }
    }
    assert!(missed < 50, "{missed} of 50 lists differ");
}

#[test]
fn threads_do_not_matter() {
    let samples = samples(11, 12_000, 3, 40.0, 1.0);
    let trees: Vec<CoverTree> = [1, 2]
        .iter()
        .map(|&threads| {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            pool.install(|| {
                CoverTree::build(&DistanceMetric::Euclidean, samples.view(), None, params(1))
                    .unwrap()
            })
        })
        .collect();
    assert_eq!(trees[0], trees[1]);
}

#[test]
fn a_damaged_tree_is_refused_or_harmless() {
    let samples = samples(12, 40, 2, 1e9, 1.0);
    let view = samples.view();
    let with = IndexParams {
        structure: Structure::CoverTree,
        ..IndexParams::default()
    };
    let index = Index::build(&DistanceMetric::Euclidean, view, None, &with).unwrap();
    let stored = postcard::to_stdvec(&index).unwrap();
    let mut refused = 0;
    for at in 0..stored.len() {
        for flip in [1u8, 0x80, 0xff] {
            let mut bytes = stored.clone();
            bytes[at] ^= flip;
            match postcard::from_bytes::<Index>(&bytes) {
                Ok(index) => {
                    if let Ok(searcher) = index.searcher(view) {
                        let found = searcher.k_nearest(view, 3).unwrap();
                        assert!(found.iter().all(|list| list.len() == 3.min(index.len())));
                    } else {
                        refused += 1;
                    }
                }
                Err(_) => refused += 1,
            }
        }
        assert!(
            postcard::from_bytes::<Index>(&stored[..at]).is_err(),
            "{at}"
        );
    }
    // A third of the bytes are numbers of rows, levels and links; the rest are distances.
    assert!(refused > stored.len(), "{refused} of {}", 3 * stored.len());
}
