//! Whatever structure searches, the neighbours are those of the definition.

#![allow(clippy::unwrap_used)] // Helpers outside of test functions unwrap too.

use hedgerow::data::{CsrMatrix, Generator, Row, Samples, SamplesView};
use hedgerow::kernel::Kernel;
use hedgerow::neighbours::{
    DistanceMetric, Index, IndexParams, Neighbour, SearchScratch, Structure,
};
use proptest::prelude::*;

const STRUCTURES: [Structure; 4] = [
    Structure::Auto,
    Structure::Brute,
    Structure::BucketTree,
    Structure::CoverTree,
];

/// The definition.
fn by_definition(
    metric: &DistanceMetric,
    samples: SamplesView<'_>,
    rows: &[u32],
    query: Row<'_>,
    n_features: usize,
    left_out: Option<u32>,
) -> Vec<Neighbour> {
    let mut all: Vec<Neighbour> = rows
        .iter()
        .filter(|&&row| Some(row) != left_out)
        .map(|&row| Neighbour {
            row,
            distance: metric
                .distance(samples.row(row as usize), query, n_features)
                .unwrap(),
        })
        .collect();
    all.sort_by(|a, b| {
        a.distance
            .total_cmp(&b.distance)
            .then_with(|| a.row.cmp(&b.row))
    });
    all
}

fn params(structure: Structure) -> IndexParams {
    IndexParams {
        structure,
        ..IndexParams::default()
    }
}

/// Checks all kinds of calls of an index against the definition.
fn check(
    metric: &DistanceMetric,
    samples: SamplesView<'_>,
    rows: Option<&[u32]>,
    queries: SamplesView<'_>,
    ks: &[usize],
) {
    let all: Vec<u32> = (0..samples.n_rows() as u32).collect();
    let rows_in = rows.unwrap_or(&all);
    let width = samples.n_features().max(queries.n_features());
    let expected: Vec<Vec<Neighbour>> = (0..queries.n_rows())
        .map(|q| by_definition(metric, samples, rows_in, queries.row(q), width, None))
        .collect();
    let members: Vec<u32> = all.iter().copied().step_by(1 + all.len() / 12).collect();
    let own: Vec<Vec<Neighbour>> = members
        .iter()
        .map(|&member| {
            let (row, d) = (samples.row(member as usize), samples.n_features());
            by_definition(metric, samples, rows_in, row, d, Some(member))
        })
        .collect();
    for structure in STRUCTURES {
        let index = Index::build(metric, samples, rows, &params(structure)).unwrap();
        assert_eq!(index.len(), rows_in.len());
        let searcher = index.searcher(samples).unwrap();
        let mut scratch = SearchScratch::default();
        let mut list = Vec::new();
        for &k in ks {
            let found = searcher.k_nearest(queries, k).unwrap();
            assert_eq!(found.len(), queries.n_rows());
            for (q, (found, expected)) in found.iter().zip(&expected).enumerate() {
                assert_eq!(
                    found[..],
                    expected[..k.min(expected.len())],
                    "{structure:?}, query {q}, k = {k}"
                );
                searcher
                    .k_nearest_one(&mut scratch, queries.row(q), k, &mut list)
                    .unwrap();
                assert_eq!(list, *found);
            }
            let found = searcher.k_nearest_of(&members, k, true).unwrap();
            for (found, expected) in found.iter().zip(&own) {
                assert_eq!(
                    found[..],
                    expected[..k.min(expected.len())],
                    "{structure:?}"
                );
            }
        }
        // A copy has nothing packed: its first answers come from a scan of the rows.
        for &k in ks {
            let copy = index.clone();
            let searcher = copy.searcher(samples).unwrap();
            let few = &members[..members.len().min(5)];
            let found = searcher.k_nearest_of(few, k, true).unwrap();
            for (found, expected) in found.iter().zip(&own) {
                assert_eq!(found[..], expected[..k.min(expected.len())]);
            }
            for (q, expected) in expected.iter().enumerate() {
                searcher
                    .k_nearest_one(&mut scratch, queries.row(q), k, &mut list)
                    .unwrap();
                assert_eq!(list[..], expected[..k.min(expected.len())]);
            }
        }
        let nearest = searcher.nearest(queries).unwrap();
        for (q, (nearest, expected)) in nearest.iter().zip(&expected).enumerate() {
            assert_eq!(*nearest, expected[0]);
            let one = searcher.nearest_one(&mut scratch, queries.row(q)).unwrap();
            assert_eq!(one, Some(expected[0]));
        }
    }
}

fn metrics() -> impl Strategy<Value = DistanceMetric> {
    prop_oneof![
        3 => Just(DistanceMetric::Euclidean),
        1 => Just(DistanceMetric::of(&Kernel::rbf(0.7))),
        2 => Just(DistanceMetric::of(&Kernel::city_block(0.7))),
        1 => Just(DistanceMetric::of(&Kernel::polynomial(1.0, 1.0, 2))),
        1 => Just(DistanceMetric::of(&Kernel::polynomial(0.5, 0.0, 3))),
        1 => Just(DistanceMetric::Kernel(Kernel::Sigmoid { gamma: 0.1, coef0: 0.2 })),
    ]
}

/// Values on a coarse grid make ties, on a fine one they do not.
fn values(random: &mut Generator, count: usize, grid: f64, scale: f64, shift: f64) -> Vec<f64> {
    (0..count)
        .map(|_| ((random.range(-1.0, 1.0) * grid).round() / grid).mul_add(scale, shift))
        .collect()
}

fn to_sparse(samples: SamplesView<'_>) -> Samples {
    let (mut starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for i in 0..samples.n_rows() {
        samples.row(i).for_each(|f, value| {
            if value != 0.0 {
                indices.push(f as u32);
                values.push(value);
            }
        });
        starts.push(indices.len());
    }
    Samples::Sparse(CsrMatrix::new(samples.n_features(), starts, indices, values).unwrap())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn every_structure_finds_what_the_definition_says(
        metric in metrics(),
        seed in any::<u64>(),
        n in 1usize..200,
        d in 1usize..=20,
        coarse in any::<bool>(),
        scale in prop_oneof![Just(1.0), Just(1e-6), Just(1e6), Just(1e-30)],
        shift in prop_oneof![3 => Just(0.0), 1 => Just(1e6)],
        sparse in any::<bool>(),
    ) {
        let mut random = Generator::new(seed);
        let grid = if coarse { 2.0 } else { 1e9 };
        let mut table = values(&mut random, n * d, grid, scale, shift);
        // Copies of some rows.
        for i in (1..n).step_by(5) {
            let from = random.below(i);
            table.copy_within(from * d..(from + 1) * d, i * d);
        }
        let mut asked = values(&mut random, 5 * d, grid, scale, shift);
        asked[..d].copy_from_slice(&table[..d]);
        let samples = Samples::dense(n, d, table).unwrap();
        let queries = Samples::dense(5, d, asked).unwrap();
        let ks = [0, 1, 2, n / 2 + 1, n, n + 3];
        let some: Vec<u32> = (0..n as u32).filter(|row| row % 3 != 1).collect();
        if sparse {
            let (samples, queries) = (to_sparse(samples.view()), to_sparse(queries.view()));
            check(&metric, samples.view(), None, queries.view(), &ks);
        } else {
            check(&metric, samples.view(), None, queries.view(), &ks);
            check(&metric, samples.view(), Some(&some), queries.view(), &ks);
        }
    }
}

#[test]
fn many_rows_in_many_buckets() {
    let mut random = Generator::new(1);
    for (n, d, grid) in [
        (6000, 2, 1e9),
        (6000, 3, 8.0),
        (3000, 11, 3.0),
        (1500, 70, 1e9),
    ] {
        let table = values(&mut random, n * d, grid, 1.0, 0.0);
        let asked = values(&mut random, 20 * d, grid, 1.3, 0.1);
        let samples = Samples::dense(n, d, table).unwrap();
        let queries = Samples::dense(20, d, asked).unwrap();
        let view = samples.view();
        check(
            &DistanceMetric::Euclidean,
            view,
            None,
            queries.view(),
            &[1, 15, 40, 1000],
        );
    }
}

#[test]
fn clusters_that_are_far_apart_keep_their_small_distances() {
    let mut random = Generator::new(2);
    let d = 3;
    let mut table = values(&mut random, 900 * d, 1e9, 1.0, -1e6);
    table.extend(values(&mut random, 900 * d, 1e9, 1.0, 1e6));
    table.extend(values(&mut random, 300 * d, 1e9, 1e-6, 0.0));
    let samples = Samples::dense(2100, d, table.clone()).unwrap();
    let mut asked = table[..4 * d].to_vec();
    asked.extend(&table[2090 * d..2095 * d]);
    asked.extend(values(&mut random, 3 * d, 1e9, 1e12, 0.0));
    asked.extend(values(&mut random, 3 * d, 1e9, 1e200, 0.0));
    let queries = Samples::dense(asked.len() / d, d, asked).unwrap();
    let view = samples.view();
    check(
        &DistanceMetric::Euclidean,
        view,
        None,
        queries.view(),
        &[1, 15, 300],
    );
}

/// Most rows lie at three places; of equally near rows those of lower numbers come first.
#[test]
fn many_copies_among_other_rows() {
    let mut generator = Generator::new(11);
    let places = [[0.0, 1.0, 0.0], [0.5, 0.0, 0.25], [0.5, 0.0, 0.26]];
    let values: Vec<f64> = (0..3000)
        .flat_map(|_| {
            let place = generator.below(4);
            places.get(place).copied().unwrap_or_else(|| {
                [
                    generator.uniform(),
                    generator.uniform(),
                    generator.uniform(),
                ]
            })
        })
        .collect();
    let samples = Samples::dense(3000, 3, values).unwrap();
    let queries = [&places.concat()[..], &[0.5, 0.0, 0.255, 2.0, 2.0, 2.0]].concat();
    let queries = Samples::dense(5, 3, queries).unwrap();
    let backwards: Vec<u32> = (0..3000).rev().collect();
    for rows in [None, Some(&backwards[..])] {
        check(
            &DistanceMetric::Euclidean,
            samples.view(),
            rows,
            queries.view(),
            &[1, 5, 64, 65, 800],
        );
    }
}

#[test]
fn one_row_and_nothing_but_copies() {
    let one = Samples::dense(1, 3, vec![1.0, 2.0, 3.0]).unwrap();
    let copies = Samples::dense(700, 2, [0.25, -3.0].repeat(700)).unwrap();
    let queries = Samples::dense(2, 3, vec![1.0, 2.0, 3.0, 0.0, 0.0, 1.0]).unwrap();
    check(
        &DistanceMetric::Euclidean,
        one.view(),
        None,
        queries.view(),
        &[1, 2],
    );
    // Queries with a feature that no row has.
    check(
        &DistanceMetric::Euclidean,
        copies.view(),
        None,
        queries.view(),
        &[1, 2, 699, 700],
    );
    let empty = Samples::dense(600, 0, Vec::new()).unwrap();
    check(
        &DistanceMetric::Euclidean,
        empty.view(),
        None,
        empty.view(),
        &[3],
    );
}

#[test]
fn numbers_near_the_ends_of_the_range() {
    let mut random = Generator::new(3);
    for scale in [1e-170, 1e-145, 1e-40, 1e140, 1e160] {
        let samples = Samples::dense(600, 2, values(&mut random, 1200, 50.0, scale, 0.0)).unwrap();
        let queries = Samples::dense(6, 2, values(&mut random, 12, 1e9, scale, 0.0)).unwrap();
        check(
            &DistanceMetric::Euclidean,
            samples.view(),
            None,
            queries.view(),
            &[1, 9, 600],
        );
        let cubic = DistanceMetric::Kernel(Kernel::polynomial(1.0, 0.0, 2));
        if scale < 1e100 {
            check(&cubic, samples.view(), None, queries.view(), &[1, 9]);
        }
    }
}

#[test]
fn kernels_whose_factor_is_near_the_ends_of_the_range() {
    let mut random = Generator::new(6);
    for (scale, gamma) in [
        (1e30, 1e-60),
        (1e-20, 1e40),
        (1e-21, 1e38),
        (1e-18, 1e36),
        (1e15, 1e-30),
        (1.0, 1e-45),
    ] {
        let rows = values(&mut random, 1200, 50.0, scale, 0.0);
        let samples = Samples::dense(600, 2, rows).unwrap();
        let queries = Samples::dense(6, 2, values(&mut random, 12, 200.0, scale, 0.0)).unwrap();
        for coef0 in [0.0, 1.0] {
            let metric = DistanceMetric::Kernel(Kernel::polynomial(gamma, coef0, 2));
            check(&metric, samples.view(), None, queries.view(), &[1, 9]);
        }
    }
}

#[test]
fn wide_sparse_rows() {
    let mut random = Generator::new(4);
    let (mut starts, mut indices, mut entries) = (vec![0], Vec::new(), Vec::new());
    for _ in 0..700 {
        for f in random.sample(20_000, 12) {
            indices.push(f as u32 / 100 * 100);
            entries.push((random.range(-2.0, 2.0) * 2.0).round());
        }
        let from = *starts.last().unwrap();
        let mut row: Vec<(u32, f64)> = indices[from..]
            .iter()
            .copied()
            .zip(entries[from..].iter().copied())
            .collect();
        row.dedup_by_key(|entry| entry.0);
        indices.truncate(from);
        entries.truncate(from);
        for (f, value) in row {
            indices.push(f);
            entries.push(value);
        }
        starts.push(indices.len());
    }
    let samples = Samples::Sparse(CsrMatrix::new(20_000, starts, indices, entries).unwrap());
    let queries = samples.select(&[0, 5, 17, 400]);
    for metric in [
        DistanceMetric::Euclidean,
        DistanceMetric::Kernel(Kernel::polynomial(0.5, 1.0, 2)),
    ] {
        check(&metric, samples.view(), None, queries.view(), &[1, 4, 100]);
    }
}

#[test]
fn threads_do_not_matter() {
    let mut random = Generator::new(6);
    let samples = Samples::dense(5000, 4, values(&mut random, 20_000, 20.0, 1.0, 0.0)).unwrap();
    let members: Vec<u32> = (0..5000).step_by(7).collect();
    for structure in STRUCTURES {
        let answers: Vec<_> = [1, 2]
            .iter()
            .map(|&threads| {
                let pool = rayon::ThreadPoolBuilder::new()
                    .num_threads(threads)
                    .build()
                    .unwrap();
                pool.install(|| {
                    let view = samples.view();
                    let index =
                        Index::build(&DistanceMetric::Euclidean, view, None, &params(structure))
                            .unwrap();
                    let found = index
                        .searcher(view)
                        .unwrap()
                        .k_nearest_of(&members, 30, true)
                        .unwrap();
                    (index, found)
                })
            })
            .collect();
        assert_eq!(answers[0].1, answers[1].1);
        if structure != Structure::Auto {
            assert_eq!(answers[0].0, answers[1].0);
        }
    }
}

#[test]
fn what_cannot_be_searched_is_refused() {
    let samples = Samples::dense(3, 1, vec![0.0, f64::NAN, 1.0]).unwrap();
    let good = Samples::dense(3, 1, vec![0.0, 2.0, 1.0]).unwrap();
    let build = |samples: &Samples, rows: Option<&[u32]>, metric: &DistanceMetric| {
        Index::build(metric, samples.view(), rows, &IndexParams::default())
    };
    let euclid = DistanceMetric::Euclidean;
    assert!(build(&samples, None, &euclid).is_err());
    assert!(build(&samples, Some(&[0, 2]), &euclid).is_ok());
    assert!(build(&good, Some(&[]), &euclid).is_err());
    assert!(build(&good, Some(&[3]), &euclid).is_err());
    assert!(build(&good, Some(&[1, 1]), &euclid).is_err());
    assert!(build(&good, None, &DistanceMetric::Kernel(Kernel::Precomputed)).is_err());
    let index = build(&good, None, &euclid).unwrap();
    assert!(
        index
            .searcher(Samples::dense(2, 1, vec![0.0; 2]).unwrap().view())
            .is_err()
    );
    assert!(
        index
            .searcher(Samples::dense(3, 2, vec![0.0; 6]).unwrap().view())
            .is_err()
    );
    let searcher = index.searcher(good.view()).unwrap();
    assert!(searcher.k_nearest(samples.view(), 1).is_err());
    assert!(searcher.k_nearest_of(&[3], 1, false).is_err());
}
