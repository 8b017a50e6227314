//! Models that store an index are the same bytes whatever the machine is doing.

use hedgerow::data::{ClassLabels, Dataset, Generator, Samples, Target};
use hedgerow::local::{KnnParams, KnnSvmParams};
use hedgerow::neighbours::{DistanceMetric, Index, IndexParams, Structure};
use std::sync::atomic::{AtomicBool, Ordering};

fn cloud(n_rows: usize, n_features: usize, seed: u64) -> Samples {
    let mut generator = Generator::new(seed);
    let values = (0..n_rows * n_features).map(|_| generator.normal());
    Samples::dense(n_rows, n_features, values.collect()).expect("samples")
}

/// Rows in a few directions of many, where boxes help.
fn flat(n_rows: usize, n_features: usize, seed: u64) -> Samples {
    let mut generator = Generator::new(seed);
    let mut values = Vec::new();
    for _ in 0..n_rows {
        let (a, b) = (generator.normal(), generator.normal());
        values.extend((0..n_features).map(|f| a * (f as f64).sin() + b * (f as f64).cos()));
    }
    Samples::dense(n_rows, n_features, values).expect("samples")
}

/// The bytes of all three methods that keep an index of their own.
fn stored(samples: &Samples) -> Vec<Vec<u8>> {
    let n_rows = samples.n_rows();
    let labels: Vec<f64> = (0..n_rows).map(|i| f64::from(i % 3 == 0)).collect();
    let classes = Target::Classes(ClassLabels::from_numbers(&labels));
    let classes = Dataset::new(samples.clone(), classes).expect("data");
    let real = Dataset::new(samples.clone(), Target::Real(labels)).expect("data");
    let knn = KnnParams::default().with_neighbours(5);
    let knn_svm = KnnSvmParams::default().with_neighbours(40);
    vec![
        postcard::to_stdvec(&knn.fit(&classes).expect("fits").model).expect("bytes"),
        postcard::to_stdvec(&knn.fit(&real).expect("fits").model).expect("bytes"),
        postcard::to_stdvec(&knn_svm.fit(&classes).expect("fits").model).expect("bytes"),
    ]
}

fn in_pool<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.expect("a pool").install(work)
}

#[test]
fn models_with_an_index_do_not_depend_on_load_or_threads() {
    // From where a tree wins to where looking at all rows does: by the clock some of them would
    // be decided now this way and now that.
    for n_features in [4, 6, 8, 10, 12, 16, 24] {
        let samples = cloud(1500, n_features, n_features as u64);
        let expected = stored(&samples);
        for threads in [1, 2, 8] {
            let again = in_pool(threads, || stored(&samples));
            assert!(
                again == expected,
                "{n_features} features, {threads} threads"
            );
        }
        let done = AtomicBool::new(false);
        let loaded = std::thread::scope(|scope| {
            for _ in 0..6 {
                scope.spawn(|| {
                    while !done.load(Ordering::Relaxed) {
                        std::hint::spin_loop();
                    }
                });
            }
            let loaded = stored(&samples);
            done.store(true, Ordering::Relaxed);
            loaded
        });
        assert!(loaded == expected, "{n_features} features, under load");
    }
}

#[test]
fn clear_cases_get_the_structure_that_is_fastest() {
    let built = |samples: &Samples, k: usize| {
        let params = IndexParams {
            expected_k: Some(k),
            ..IndexParams::default()
        };
        let index = Index::build(&DistanceMetric::Euclidean, samples.view(), None, &params);
        index.expect("an index").structure()
    };
    for k in [1, 10] {
        assert_eq!(built(&cloud(8000, 2, 1), k), Structure::BucketTree);
        assert_eq!(built(&flat(8000, 60, 2), k), Structure::BucketTree);
        assert_eq!(built(&cloud(6000, 30, 3), k), Structure::Brute);
        assert_eq!(built(&cloud(2000, 600, 4), k), Structure::Brute);
    }
    assert_eq!(built(&cloud(300, 2, 5), 1), Structure::Brute);
    // Many copies of a few rows: who looks at all of them has to rank them all.
    let places: Vec<usize> = (0..20_000).map(|i| (i * 7919) % 150).collect();
    let copies = cloud(150, 40, 6).select(&places);
    assert_eq!(built(&copies, 10), Structure::BucketTree);
}
