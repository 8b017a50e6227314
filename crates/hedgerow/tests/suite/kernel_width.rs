//! Widths from the data: percentiles, estimators, floors and moments.

use hedgerow::Error;
use hedgerow::data::{CsrMatrix, Generator, Samples, SamplesView};
use hedgerow::kernel::{
    GAMMA_CAP, Kernel, KernelSpec, PairDistances, WIDTH_FLOOR, eta_from_distance,
    feature_variances, gamma_auto, gamma_from_distance, gamma_mean, gamma_scale, mean_sq_dist,
    neighbourhood_gamma, percentile, sigma_from_distance,
};

#[test]
fn percentile_takes_the_floor_of_the_index() {
    let sorted: Vec<f64> = (0..10).map(f64::from).collect();
    for (h, expected) in [
        (0.0, 0.0),
        (9.99, 0.0),
        (10.0, 1.0),
        (50.0, 5.0),
        (90.0, 9.0),
        (100.0, 9.0),
    ] {
        assert_eq!(percentile(&sorted, h), Some(expected), "{h}");
    }
    assert_eq!(percentile(&[4.0], 50.0), Some(4.0));
    assert_eq!(percentile(&[], 50.0), None);
}

#[test]
fn distances_become_widths_with_floors() {
    assert_eq!(gamma_from_distance(2.0), 0.125);
    assert_eq!(sigma_from_distance(2.0), 8.0);
    assert_eq!(eta_from_distance(2.0), 2.0);
    assert_eq!(gamma_from_distance(0.0), 1_048_576.0);
    assert_eq!(gamma_from_distance(0.000_694_9), GAMMA_CAP);
    assert!(gamma_from_distance(0.000_695_1) < GAMMA_CAP);
    assert_eq!(sigma_from_distance(0.0), WIDTH_FLOOR);
    assert_eq!(eta_from_distance(0.0), WIDTH_FLOOR);
}

#[test]
fn neighbourhood_estimator_strides_and_caps() {
    // Few points: all pairs. Distances of 0, 1, 3 are 1, 2, 3.
    let line: [f64; 3] = [0.0, 1.0, 3.0];
    let gamma = neighbourhood_gamma(3, 0.5, |i, j| (line[i] - line[j]).abs());
    assert_eq!(gamma, 0.125);
    assert_eq!(
        neighbourhood_gamma(3, 1.0, |i, j| (line[i] - line[j]).abs()),
        1.0 / 18.0
    );

    // 210 points: every third, so 70 points and 2415 pairs.
    let mut pairs = Vec::new();
    neighbourhood_gamma(210, 0.5, |i, j| {
        pairs.push((i, j));
        1.0
    });
    assert_eq!(pairs.len(), 2415);
    assert_eq!(
        (pairs[0], pairs[1], pairs[2414]),
        ((0, 3), (0, 6), (204, 207))
    );

    // 139 points: the stride rounds down to 1, and 9591 pairs are cut at 4900.
    let mut count = 0;
    neighbourhood_gamma(139, 0.5, |_, _| {
        count += 1;
        1.0
    });
    assert_eq!(count, 4900);

    assert_eq!(neighbourhood_gamma(1, 0.5, |_, _| 1.0), GAMMA_CAP);
    assert_eq!(neighbourhood_gamma(0, 0.5, |_, _| 1.0), GAMMA_CAP);
}

#[test]
fn neighbourhood_specs_use_the_reference_estimator() {
    let mut generator = Generator::new(5);
    let values: Vec<f64> = (0..300).map(|_| generator.normal()).collect();
    let samples = SamplesView::dense(2, &values).expect("150 rows");
    let at = |i: usize| (values[2 * i], values[2 * i + 1]);
    let expected = neighbourhood_gamma(150, 0.1, |i, j| {
        let ((a, b), (c, d)) = (at(i), at(j));
        ((a - c) * (a - c) + (b - d) * (b - d)).sqrt()
    });
    let spec = KernelSpec::from_libsvm(2, 3, Some(-0.1), 0.0).expect("percentile");
    assert_eq!(
        spec.resolve_neighbourhood(samples),
        Ok(Kernel::rbf(expected))
    );
    assert_ne!(spec.resolve(samples, 0), Ok(Kernel::rbf(expected)));
}

#[test]
fn pair_distances_are_those_of_the_kernel() {
    let values = [0.0, 1.0, 3.0];
    let samples = SamplesView::dense(1, &values).expect("three rows");
    let euclidean = PairDistances::of(&Kernel::Linear, samples, 0).expect("distances");
    assert_eq!(euclidean.percentile(0.0), 1.0);
    assert_eq!(euclidean.percentile(50.0), 2.0);
    assert_eq!(euclidean.gamma(50.0), 0.125);
    // (xy)^2: K = 0, 1, 81 on the diagonal, 0, 0, 9 beside it: D = 1, 8, 9.
    let squared = PairDistances::of(&Kernel::homogeneous(2), samples, 0).expect("distances");
    assert_eq!(squared.percentile(0.0), 1.0);
    assert_eq!(squared.sigma(50.0), 128.0);
    assert_eq!(squared.eta(90.0), 9.0);

    let one = SamplesView::dense(1, &values[..1]).expect("one row");
    let single = PairDistances::of(&Kernel::Linear, one, 0).expect("no pairs");
    assert_eq!(single.gamma(50.0), GAMMA_CAP);
    let none = SamplesView::dense(1, &[]).expect("no rows");
    assert_eq!(
        PairDistances::of(&Kernel::Linear, none, 0),
        Err(Error::NoRows)
    );
    let nan = [0.0, f64::NAN];
    let nan = SamplesView::dense(1, &nan).expect("two rows");
    let error = PairDistances::of(&Kernel::Linear, nan, 0);
    assert!(matches!(error, Err(Error::KernelUse { .. })));
}

#[test]
fn large_data_are_sampled_by_the_seed_alone() {
    let mut generator = Generator::new(1);
    let values: Vec<f64> = (0..2 * 2500).map(|_| generator.normal()).collect();
    let samples = SamplesView::dense(2, &values).expect("2500 rows");
    let of = |seed| PairDistances::of(&Kernel::Linear, samples, seed).expect("distances");
    let in_pool = |threads: usize| {
        rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .expect("pool")
            .install(|| of(3))
    };
    assert_eq!(in_pool(1), in_pool(4));
    assert_ne!(of(3), of(4));
    // The median distance of two standard normal points in the plane is sqrt(4 ln 2).
    assert!((of(3).percentile(50.0) - (4.0 * std::f64::consts::LN_2).sqrt()).abs() < 0.03);
}

#[test]
fn mean_squared_distance_is_twice_the_variance() {
    let mut generator = Generator::new(9);
    let n = 40;
    // Far from the origin: a sum of squares minus a squared sum would lose all digits.
    let values: Vec<f64> = (0..3 * n).map(|_| 1e8 + generator.normal()).collect();
    let samples = SamplesView::dense(3, &values).expect("40 rows");
    let mut sum = 0.0;
    for i in 0..n {
        for j in 0..n {
            sum += Kernel::Linear
                .sq_dist(samples.row(i), samples.row(j), 3)
                .expect("features");
        }
    }
    let expected = sum / (n * n) as f64;
    assert!((mean_sq_dist(samples) / expected - 1.0).abs() < 1e-7);
    assert!((gamma_mean(samples) * expected - 1.0).abs() < 1e-7);
}

#[test]
fn sparse_zeros_count_in_the_moments() {
    // Rows (0, 2), (4, 0), (0, 0), (0, 0).
    let dense = Samples::dense(4, 2, vec![0.0, 2.0, 4.0, 0.0, 0.0, 0.0, 0.0, 0.0]).expect("dense");
    let sparse = CsrMatrix::new(2, vec![0, 1, 2, 2, 2], vec![1, 0], vec![2.0, 4.0]).expect("csr");
    let sparse = Samples::Sparse(sparse);
    for samples in [dense.view(), sparse.view()] {
        assert_eq!(feature_variances(samples), vec![3.0, 0.75]);
        assert_eq!(mean_sq_dist(samples), 7.5);
        // Mean 6/8, mean square 20/8: variance 2.5 - 0.5625.
        assert!((gamma_scale(samples) - 1.0 / (2.0 * 1.9375)).abs() < 1e-16);
    }
    assert_eq!(gamma_auto(4), 0.25);
    assert_eq!(gamma_auto(0), 1.0);
    let constant = [7.0; 6];
    let constant = SamplesView::dense(2, &constant).expect("three rows");
    assert_eq!(gamma_scale(constant), 1.0);
    assert_eq!(gamma_mean(constant), 1.0);
}
