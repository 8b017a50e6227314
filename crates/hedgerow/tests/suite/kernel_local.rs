//! Quasi-local kernels: identities, distances, order of neighbours, positive definiteness.

use hedgerow::data::{Row, SamplesView};
use hedgerow::kernel::{
    Kernel, LocalOperator, PairDistances, Radial, effective_width, local_candidates,
};
use proptest::prelude::*;

const OPERATORS: [LocalOperator; 4] = [
    LocalOperator::E,
    LocalOperator::P,
    LocalOperator::S,
    LocalOperator::PS,
];

fn gram(kernel: &Kernel, points: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let n_features = points[0].len();
    let value = |x: &Vec<f64>, y: &Vec<f64>| {
        kernel
            .value(Row::Dense(x), Row::Dense(y), n_features)
            .expect("features")
    };
    points
        .iter()
        .map(|x| points.iter().map(|y| value(x, y)).collect())
        .collect()
}

/// Eigenvalues of a symmetric matrix by cyclic Jacobi rotations.
fn eigenvalues(mut a: Vec<Vec<f64>>) -> Vec<f64> {
    let n = a.len();
    for _ in 0..60 {
        let off: f64 = (0..n)
            .flat_map(|i| (0..i).map(move |j| (i, j)))
            .map(|(i, j)| a[i][j] * a[i][j])
            .sum();
        if off == 0.0 {
            break;
        }
        for p in 0..n {
            for q in p + 1..n {
                if a[p][q] == 0.0 {
                    continue;
                }
                let tau = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
                let t = tau.signum() / (tau.abs() + tau.hypot(1.0));
                let c = t.hypot(1.0).recip();
                let s = t * c;
                for k in 0..n {
                    let (kp, kq) = (a[k][p], a[k][q]);
                    a[k][p] = c * kp - s * kq;
                    a[k][q] = s * kp + c * kq;
                }
                for k in 0..n {
                    let (pk, qk) = (a[p][k], a[q][k]);
                    a[p][k] = c * pk - s * qk;
                    a[q][k] = s * pk + c * qk;
                }
            }
        }
    }
    (0..n).map(|i| a[i][i]).collect()
}

fn smallest(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::INFINITY, f64::min)
}

fn trace(matrix: &[Vec<f64>]) -> f64 {
    (0..matrix.len()).map(|i| matrix[i][i]).sum()
}

#[test]
fn jacobi_finds_known_eigenvalues() {
    // The path with three nodes: 2 - sqrt 2, 2, 2 + sqrt 2.
    let mut found = eigenvalues(vec![
        vec![2.0, -1.0, 0.0],
        vec![-1.0, 2.0, -1.0],
        vec![0.0, -1.0, 2.0],
    ]);
    found.sort_by(f64::total_cmp);
    let root = 2.0_f64.sqrt();
    for (value, expected) in found.iter().zip([2.0 - root, 2.0, 2.0 + root]) {
        assert!((value - expected).abs() < 1e-14);
    }
    // Indefinite matrices are recognised as such.
    assert!(smallest(&eigenvalues(vec![vec![0.0, 1.0], vec![1.0, 0.0]])) < -0.999);
}

#[test]
fn wave_beyond_three_dimensions_is_not_positive_definite() {
    // The vertices of a regular simplex at a distance where sin(r)/r is most negative.
    let n = 8;
    let r = 4.493_409_457_909_064;
    let points: Vec<Vec<f64>> = (0..n)
        .map(|i| {
            let mut point = vec![0.0; n];
            point[i] = r / 2.0_f64.sqrt();
            point
        })
        .collect();
    let kernel = Kernel::Radial(Radial::Wave { theta: 1.0 });
    assert!(!kernel.is_positive_definite());
    assert!(smallest(&eigenvalues(gram(&kernel, &points))) < -0.1);
}

#[test]
fn zero_eta_gives_back_the_input_kernel() {
    let (x, y) = ([1.0, 2.0], [3.0, -1.0]);
    let (x, y) = (Row::Dense(&x), Row::Dense(&y));
    for kernel in [Kernel::Linear, Kernel::rbf(0.3), Kernel::inhomogeneous(2)] {
        for operator in [LocalOperator::S, LocalOperator::PS] {
            let local = kernel.clone().local(operator, 2.0, 0.0);
            assert_eq!(local.value(x, y, 2), kernel.value(x, y, 2));
            assert_eq!(local.sq_dist(x, y, 2), kernel.sq_dist(x, y, 2));
        }
    }
}

#[test]
fn e_of_a_gaussian_is_no_gaussian() {
    // A Gaussian would need one width for all pairs of three points.
    let local = Kernel::rbf(0.7).local(LocalOperator::E, 1.3, 1.0);
    let width = |r: f64| {
        let value = local
            .value(Row::Dense(&[0.0]), Row::Dense(&[r]), 1)
            .expect("features");
        -r * r / value.ln()
    };
    assert!(width(2.0) > 1.5 * width(1.0));
}

#[test]
fn effective_width_has_its_limit_and_grows() {
    assert_eq!(effective_width(3.0, 0.5, 0.0), 3.0);
    assert!((effective_width(3.0, 0.5, 1e-9) - 3.0).abs() < 1e-14);
    // (3/2) · 4 / (1 - e^-2)
    assert!((effective_width(3.0, 0.5, 2.0) - 6.939_105_856_497_994).abs() < 1e-12);
    let widths: Vec<f64> = (0..100)
        .map(|i| effective_width(3.0, 0.5, 0.1 * f64::from(i)))
        .collect();
    assert!(widths.windows(2).all(|pair| pair[0] < pair[1]));
}

#[test]
fn search_keeps_the_order_that_breaks_ties() {
    let values = [0.0, 1.0, 3.0, 7.0, 20.0];
    let samples = SamplesView::dense(1, &values).expect("five rows");
    let kernel = Kernel::rbf(0.01);
    let distances = PairDistances::of(&kernel, samples, 0).expect("distances");
    let both = local_candidates(LocalOperator::S, true, &kernel, samples, 0).expect("grid");
    assert_eq!(both.len(), 13);
    assert_eq!(both[0].kernel, kernel);
    assert_eq!(both[0].sigma_percentile, None);
    assert_eq!(
        (both[1].sigma_percentile, both[1].eta_percentile),
        (Some(1.0), Some(10.0))
    );
    assert_eq!(
        (both[12].sigma_percentile, both[12].eta_percentile),
        (Some(90.0), Some(90.0))
    );
    let expected =
        kernel
            .clone()
            .local(LocalOperator::S, distances.sigma(10.0), distances.eta(50.0));
    assert_eq!(both[5].kernel, expected);
    for (operator, search_eta) in [
        (LocalOperator::E, true),
        (LocalOperator::P, false),
        (LocalOperator::S, false),
        (LocalOperator::PS, false),
    ] {
        let one = local_candidates(operator, search_eta, &kernel, samples, 0).expect("grid");
        assert_eq!(one.len(), 5);
        assert!(
            one[1..]
                .iter()
                .all(|candidate| candidate.eta_percentile.is_none())
        );
    }
}

#[test]
fn search_bases_are_the_simplest_of_their_order() {
    let poly = Kernel::inhomogeneous(2);
    let table = [
        (Kernel::Linear, Kernel::Linear),
        (Kernel::rbf(2.0), Kernel::Linear),
        (Kernel::polynomial(0.5, 3.0, 1), Kernel::Linear),
        (Kernel::city_block(2.5), Kernel::city_block(1.0)),
        (Kernel::city_block(0.0), Kernel::city_block(0.0)),
        (
            Kernel::sum([Kernel::city_block(2.0), Kernel::city_block(3.0).scaled(2.0)]),
            Kernel::city_block(1.0),
        ),
        (poly.clone(), poly.clone()),
        (Kernel::sigmoid(1.0, 0.0), Kernel::sigmoid(1.0, 0.0)),
        (Kernel::rbf(0.0), Kernel::rbf(0.0)),
        (poly.clone().local(LocalOperator::E, 1.0, 1.0), poly.clone()),
        (poly.clone().local(LocalOperator::S, 1.0, 2.0), poly.clone()),
        (
            Kernel::rbf(1.0)
                .local(LocalOperator::S, 1.0, 2.0)
                .local(LocalOperator::E, 3.0, 1.0),
            Kernel::Linear,
        ),
        (
            Kernel::rbf(1.0).local(LocalOperator::P, 1.0, 1.0),
            Kernel::rbf(1.0).local(LocalOperator::P, 1.0, 1.0),
        ),
        (
            Kernel::mixture(0.5, Kernel::Linear, Kernel::rbf(1.0)),
            Kernel::Linear,
        ),
        (
            Kernel::rbf(1.0).weighted([1.0, 3.0]),
            Kernel::Linear.weighted([1.0, 3.0]),
        ),
        (
            poly.clone().radial_of(Radial::Rational { theta: 1.0 }),
            poly.clone(),
        ),
        (
            Kernel::sum([Kernel::Linear, poly.clone()]),
            Kernel::sum([Kernel::Linear, poly]),
        ),
    ];
    for (kernel, base) in table {
        assert_eq!(kernel.order_preserving_base(), base, "{kernel}");
    }
}

fn points(n_features: usize) -> impl Strategy<Value = Vec<Vec<f64>>> {
    proptest::collection::vec(proptest::collection::vec(-2.0..2.0_f64, n_features), 3..12)
}

fn input_kernel() -> impl Strategy<Value = Kernel> {
    prop_oneof![
        Just(Kernel::Linear),
        (0.01..10.0).prop_map(Kernel::rbf),
        (0.1..2.0, 0.0..2.0, 1u32..4).prop_map(|(g, r, d)| Kernel::polynomial(g, r, d)),
    ]
}

proptest! {
    #[test]
    fn operators_keep_gram_matrices_positive(
        points in points(3),
        kernel in input_kernel(),
        sigma in 0.05..20.0_f64,
        eta in 0.0..10.0_f64,
        recursions in 1usize..3,
    ) {
        // S and PS with eta = 1 are the operators without a weight: six in all.
        for (operator, eta) in OPERATORS
            .into_iter()
            .map(|operator| (operator, eta))
            .chain([(LocalOperator::S, 1.0), (LocalOperator::PS, 1.0)])
        {
            let mut local = kernel.clone();
            for _ in 0..recursions {
                local = local.local(operator, sigma, eta);
            }
            prop_assert!(local.is_positive_definite());
            let matrix = gram(&local, &points);
            let trace = trace(&matrix);
            let least = smallest(&eigenvalues(matrix));
            prop_assert!(least > -1e-9 * trace, "{}: {} of {}", local, least, trace);
        }
    }

    #[test]
    fn definite_kernels_have_positive_gram_matrices(
        points in points(5),
        width in 0.1..5.0_f64,
    ) {
        let radials = [
            Radial::Gaussian { gamma: width },
            Radial::Exponential { sigma: width },
            Radial::Laplacian { lambda: width },
            Radial::Rational { theta: width },
            Radial::InverseMultiquadric { c: width },
            Radial::Kmod { gamma: 2.0, sigma: width },
            Radial::Student { nu: 2.0, sigma: width },
        ];
        let others = [
            Kernel::HistogramIntersection { alpha: width },
            Kernel::city_block(width),
            Kernel::inhomogeneous(2).series([0.5, width, 0.1]),
            Kernel::Linear.scaled(0.1).exp().conformal(0.1),
            Kernel::product([Kernel::Linear, Kernel::rbf(width)]),
            Kernel::inhomogeneous(2).radial_of(Radial::Kmod { gamma: 1.0, sigma: width }),
        ];
        for kernel in radials.map(Kernel::Radial).into_iter().chain(others) {
            prop_assert!(kernel.is_positive_definite());
            let matrix = gram(&kernel, &points);
            let trace = trace(&matrix);
            let least = smallest(&eigenvalues(matrix));
            prop_assert!(least > -1e-9 * trace, "{}: {} of {}", kernel, least, trace);
        }
    }

    #[test]
    fn e_of_the_linear_kernel_is_a_gaussian(points in points(4), sigma in 0.01..100.0_f64) {
        let local = Kernel::Linear.local(LocalOperator::E, sigma, 1.0);
        let rows = gram(&local, &points).into_iter().zip(gram(&Kernel::rbf(1.0 / sigma), &points));
        for (found, expected) in rows.flat_map(|(a, b)| a.into_iter().zip(b)) {
            prop_assert!((found - expected).abs() <= 1e-14);
        }
    }

    #[test]
    fn e_of_a_gaussian_has_the_effective_width(
        r in 1e-3..5.0_f64, gamma in 0.01..5.0_f64, sigma in 0.1..10.0_f64,
    ) {
        let local = Kernel::rbf(gamma).local(LocalOperator::E, sigma, 1.0);
        let found = local.value(Row::Dense(&[0.0]), Row::Dense(&[r]), 1).expect("features");
        let expected = (-r * r / effective_width(sigma, gamma, r)).exp();
        prop_assert!((found - expected).abs() <= 1e-14);
    }

    #[test]
    fn distances_follow_from_the_input_distance(
        points in points(3), kernel in input_kernel(), sigma in 0.05..20.0_f64, eta in 0.0..5.0_f64,
    ) {
        let matrix = gram(&kernel, &points);
        for operator in OPERATORS {
            let local = kernel.clone().local(operator, sigma, eta);
            let values = gram(&local, &points);
            for i in 0..points.len() {
                for j in 0..points.len() {
                    let d2 = (matrix[i][i] + matrix[j][j] - 2.0 * matrix[i][j]).max(0.0);
                    let d2_e = 2.0 * (1.0 - (-d2 / sigma).exp());
                    let d2_p = d2 + matrix[i][j] * d2_e;
                    let expected = match operator {
                        LocalOperator::E => d2_e,
                        LocalOperator::P => d2_p,
                        LocalOperator::S => d2 + eta * d2_e,
                        LocalOperator::PS => d2 + eta * d2_p,
                    };
                    let by_values = values[i][i] + values[j][j] - 2.0 * values[i][j];
                    let by_kernel = local
                        .sq_dist(Row::Dense(&points[i]), Row::Dense(&points[j]), 3)
                        .expect("features");
                    let formula = operator.sq_dist(d2, matrix[i][j], sigma, eta);
                    // The input distance cancels in the test itself, and 1/sigma magnifies that.
                    let size = (1.0 + eta)
                        * (1.0 + matrix[i][i] + matrix[j][j] + matrix[i][j].abs())
                        * (1.0 + (1.0 + matrix[i][i] + matrix[j][j]) / sigma);
                    for found in [by_values, by_kernel, formula] {
                        prop_assert!((found - expected).abs() <= 1e-13 * size);
                    }
                }
            }
        }
    }

    #[test]
    fn e_and_s_keep_the_order_of_neighbours(
        points in points(3), kernel in input_kernel(), sigma in 0.5..20.0_f64, eta in 0.0..5.0_f64,
    ) {
        let distance = |kernel: &Kernel, j: usize| {
            kernel.sq_dist(Row::Dense(&points[0]), Row::Dense(&points[j]), 3).expect("features")
        };
        for operator in [LocalOperator::E, LocalOperator::S] {
            let local = kernel.clone().local(operator, sigma, eta);
            let base = local.order_preserving_base();
            for i in 1..points.len() {
                for j in 1..points.len() {
                    if distance(&base, i) <= distance(&base, j) {
                        let (near, far) = (distance(&local, i), distance(&local, j));
                        prop_assert!(near <= far + 1e-12 * (1.0 + far));
                    }
                }
            }
        }
    }
}
