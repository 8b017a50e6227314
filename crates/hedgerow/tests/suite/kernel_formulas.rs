//! Every kernel formula against values computed apart from the code.

use hedgerow::Error;
use hedgerow::data::Row;
use hedgerow::kernel::{Definiteness, Kernel, LocalOperator, Radial, spectral_angle, sq_dist};

/// $\langle x,y\rangle = 1$, $\|x\|^2 = 5$, $\|y\|^2 = 10$, $\|x-y\|^2 = 13$.
const X: [f64; 2] = [1.0, 2.0];
const Y: [f64; 2] = [3.0, -1.0];

fn value(kernel: &Kernel) -> f64 {
    kernel
        .value(Row::Dense(&X), Row::Dense(&Y), 2)
        .expect("features")
}

#[track_caller]
fn assert_near(found: f64, expected: f64) {
    let error = (found - expected).abs();
    assert!(
        error <= 1e-14 * expected.abs().max(1.0),
        "found {found}, expected {expected}"
    );
}

#[test]
fn radial_functions_have_their_values() {
    let table = [
        (Radial::Gaussian { gamma: 0.1 }, 0.272_531_793_034_012_6),
        (Radial::Exponential { sigma: 2.0 }, 0.164_840_714_546_605_76),
        (Radial::Laplacian { lambda: 0.5 }, 0.010_302_544_659_162_86),
        (Radial::Rational { theta: 3.0 }, 0.1875),
        (Radial::Power { beta: 1.5 }, -6.846_325_042_023_046),
        (Radial::Power { beta: 2.0 }, -13.0),
        (Radial::Uniform { h: 4.0 }, 0.5),
        (Radial::Uniform { h: 3.6 }, 0.0),
        (Radial::Triangular { h: 5.0 }, 0.278_889_744_907_202_2),
        (Radial::Triangular { h: 3.0 }, 0.0),
        (Radial::Multiquadric { c: 2.0 }, 4.123_105_625_617_661),
        (
            Radial::InverseMultiquadric { c: 2.0 },
            0.242_535_625_036_332_97,
        ),
        (Radial::ThinPlate, 609.338_165_553_414),
        (
            Radial::Kmod {
                gamma: 2.0,
                sigma: 1.5,
            },
            0.097_831_259_049_827_85,
        ),
        (Radial::Wave { theta: 2.0 }, 0.539_841_580_545_523_2),
        (
            Radial::Student {
                nu: 3.0,
                sigma: 2.0,
            },
            0.159_625_802_425_547_77,
        ),
    ];
    for (radial, expected) in table {
        assert_near(radial.value(13.0, 2), expected);
        assert_near(value(&Kernel::Radial(radial)), expected);
    }
}

#[test]
fn radial_functions_take_their_limits_at_zero_and_below() {
    let table = [
        (Radial::Gaussian { gamma: 0.1 }, 1.0),
        (Radial::Exponential { sigma: 2.0 }, 1.0),
        (Radial::Laplacian { lambda: 2.0 }, 1.0),
        (Radial::Rational { theta: 3.0 }, 1.0),
        (Radial::Power { beta: 1.5 }, 0.0),
        (Radial::Uniform { h: 4.0 }, 0.5),
        (Radial::Triangular { h: 5.0 }, 1.0),
        (Radial::Multiquadric { c: 2.0 }, 2.0),
        (Radial::InverseMultiquadric { c: 2.0 }, 0.5),
        (Radial::ThinPlate, 0.0),
        (
            Radial::Kmod {
                gamma: 2.0,
                sigma: 1.5,
            },
            1.0,
        ),
        (Radial::Wave { theta: 2.0 }, 1.0),
        (
            Radial::Student {
                nu: 3.0,
                sigma: 2.0,
            },
            1.0,
        ),
    ];
    for (radial, expected) in table {
        assert_eq!(radial.value(0.0, 3), expected, "{radial}");
        assert_eq!(radial.value(-1e-12, 3), expected, "{radial}");
        // An indicator has no value to pass NaN on with.
        let indicator = matches!(radial, Radial::Uniform { .. });
        assert_eq!(radial.value(f64::NAN, 3).is_nan(), !indicator, "{radial}");
    }
}

#[test]
fn steep_kmod_and_wide_laplacian_do_not_overflow() {
    let steep = Radial::Kmod {
        gamma: 1e6,
        sigma: 0.01,
    };
    assert_eq!(steep.value(0.0, 1), 1.0);
    assert_eq!(steep.value(1.0, 1), 0.0);
    let wide = Radial::Laplacian { lambda: 4.0 };
    // 2^2000 e^{-4 · 346} = e^{2000 ln 2 - 1384}, though 2^2000 alone is infinite.
    let expected = (2000.0 * std::f64::consts::LN_2 - 1384.0_f64).exp();
    let found = wide.value(346.0 * 346.0, 2000);
    assert!((found / expected - 1.0).abs() < 1e-11);
}

#[test]
fn kernels_have_their_values() {
    let ipoly = Kernel::inhomogeneous(2);
    let table = [
        (Kernel::Linear, 1.0),
        (Kernel::polynomial(0.5, 2.0, 3), 15.625),
        (Kernel::homogeneous(5), 1.0),
        (Kernel::inhomogeneous(2), 4.0),
        (Kernel::sigmoid(0.5, -0.2), 0.291_312_612_451_590_9),
        (Kernel::rbf(0.1), 0.272_531_793_034_012_6),
        (Kernel::rbf_sigma(10.0), 0.272_531_793_034_012_6),
        (
            Kernel::gaussian_two_sigma_squared(5.0_f64.sqrt()),
            0.272_531_793_034_012_6,
        ),
        (Kernel::laplacian(0.5), 0.010_302_544_659_162_86),
        (Kernel::exponential(2.0), 0.164_840_714_546_605_76),
        // Differences of 2 and 3, with weights of 1 and 6.
        (Kernel::city_block(0.1), 0.606_530_659_712_633_4),
        (
            Kernel::city_block(0.1).weighted([0.5, -2.0]),
            0.496_585_303_791_409_5,
        ),
        (Kernel::sam(0.7), 0.367_795_026_008_830_3),
        (
            Kernel::Angle(Radial::Wave { theta: 2.0 }),
            0.917_071_978_566_549_4,
        ),
        (Kernel::HistogramIntersection { alpha: 2.0 }, 2.0),
        (Kernel::Spline, 0.888_888_888_888_889),
        (Kernel::sum([Kernel::Linear, ipoly.clone()]), 5.0),
        (Kernel::product([ipoly.clone(), ipoly.clone()]), 16.0),
        (ipoly.clone().scaled(2.5), 10.0),
        (
            Kernel::mixture(0.25, Kernel::Linear, ipoly.clone()),
            0.25 + 3.0,
        ),
        (ipoly.clone().series([1.0, 0.5, 2.0]), 1.0 + 2.0 + 32.0),
        (Kernel::Linear.exp(), std::f64::consts::E),
        (Kernel::Linear.conformal(0.1), 0.223_130_160_148_429_85),
        (Kernel::Linear.weighted([0.5, 2.0]), -7.25),
        (
            Kernel::rbf(0.1).weighted([0.5, 2.0]),
            0.024_723_526_470_339_388,
        ),
        (Kernel::Linear.weighted([0.5]), 0.75),
        (
            ipoly.clone().local(LocalOperator::E, 100.0, 1.0),
            0.225_372_655_539_438_72,
        ),
        (
            ipoly.clone().local(LocalOperator::P, 100.0, 1.0),
            0.901_490_622_157_754_9,
        ),
        (
            ipoly.clone().local(LocalOperator::S, 100.0, 0.5),
            4.112_686_327_769_719,
        ),
        (
            ipoly.clone().local(LocalOperator::PS, 100.0, 0.5),
            4.450_745_311_078_878,
        ),
        (
            ipoly.clone().radial_of(Radial::Rational { theta: 10.0 }),
            0.062_893_081_761_006_29,
        ),
        (
            ipoly.clone().angle_of(Radial::Exponential { sigma: 2.0 }),
            0.469_974_636_145_694_07,
        ),
    ];
    for (kernel, expected) in table {
        kernel.check().expect("in range");
        assert_near(value(&kernel), expected);
    }
}

#[test]
fn dense_and_sparse_rows_mix() {
    // (0, 2, 0, 0, -1) and (3, 0, 0, 0.5): the second is narrower.
    let x_dense = [0.0, 2.0, 0.0, 0.0, -1.0];
    let x_sparse = Row::Sparse {
        indices: &[1, 4],
        values: &[2.0, -1.0],
    };
    let y_dense = [3.0, 0.0, 0.0, 0.5];
    let y_sparse = Row::Sparse {
        indices: &[0, 3],
        values: &[3.0, 0.5],
    };
    let weights = [1.0, 0.5, 3.0, 2.0];
    let kernels = [
        Kernel::Linear,
        Kernel::rbf(0.1),
        Kernel::inhomogeneous(3),
        Kernel::city_block(0.1),
        Kernel::Spline,
        Kernel::HistogramIntersection { alpha: 0.5 },
        Kernel::sam(1.0),
        Kernel::rbf(0.1).weighted(weights),
        Kernel::Linear.conformal(0.1),
        Kernel::Linear.local(LocalOperator::PS, 4.0, 2.0),
    ];
    for kernel in &kernels {
        let expected = kernel
            .value(Row::Dense(&x_dense), Row::Dense(&y_dense), 5)
            .expect("dense");
        for x in [Row::Dense(&x_dense), x_sparse] {
            for y in [Row::Dense(&y_dense), y_sparse] {
                assert_near(kernel.value(x, y, 5).expect("mixed"), expected);
                assert_near(kernel.value(y, x, 5).expect("swapped"), expected);
            }
        }
    }
    let squared = Kernel::Linear.sq_dist(x_sparse, y_sparse, 5);
    assert_eq!(squared, Ok(9.0 + 4.0 + 0.25 + 1.0));
    // Feature 4 lies beyond n_features.
    let squared = Kernel::Linear.sq_dist(x_sparse, Row::Dense(&y_dense), 4);
    assert_eq!(squared, Ok(9.0 + 4.0 + 0.25));
}

#[test]
fn spectral_angle_is_clamped_and_zero_for_rows_without_length() {
    assert_eq!(spectral_angle(1.0, 1.0, 1.0 + 1e-15), 0.0);
    assert_eq!(spectral_angle(1.0, 1.0, -1.0 - 1e-15), std::f64::consts::PI);
    assert_eq!(spectral_angle(0.0, 1.0, 0.0), 0.0);
    assert_eq!(spectral_angle(1.0, 0.0, 0.0), 0.0);
    assert_near(
        spectral_angle(1e-200, 1e-200, 5e-201),
        std::f64::consts::FRAC_PI_3,
    );
    assert_near(
        spectral_angle(1e200, 1e200, 5e199),
        std::f64::consts::FRAC_PI_3,
    );
    let zero = Row::Dense(&[0.0, 0.0]);
    let kernel = Kernel::sam(3.0);
    assert_eq!(kernel.value(zero, Row::Dense(&X), 2), Ok(1.0));
    assert_eq!(kernel.value(zero, zero, 2), Ok(1.0));
    // Scale invariant, and exactly 1 on the diagonal.
    let long = [1e3, 2e3];
    assert_eq!(kernel.self_value(Row::Dense(&X), 2), Ok(1.0));
    let angle_of_multiple = kernel.value(Row::Dense(&X), Row::Dense(&long), 2);
    assert!((angle_of_multiple.expect("features") - 1.0).abs() < 1e-7);
}

#[test]
fn gaussian_is_the_product_of_the_worked_identity() {
    // K_rbf = f(x) f(x') exp((2/sigma) <x, x'>) with f(x) = exp(-|x|^2 / sigma).
    let sigma = 7.0;
    let built = Kernel::Linear
        .scaled(2.0 / sigma)
        .exp()
        .conformal(sigma.recip());
    assert_near(value(&built), value(&Kernel::rbf_sigma(sigma)));
}

#[test]
fn near_duplicates_far_from_the_origin_keep_their_distance() {
    let x = [1e8, 1e8];
    let y = [1e8 + 1.0, 1e8];
    let (x, y) = (Row::Dense(&x), Row::Dense(&y));
    assert_eq!(Kernel::Linear.sq_dist(x, y, 2), Ok(1.0));
    assert_near(
        Kernel::rbf(0.5).value(x, y, 2).expect("features"),
        (-0.5_f64).exp(),
    );
    // 2(1 - e^-t) for a t below the rounding unit of 1.
    let squared = Kernel::rbf(1e-20).sq_dist(x, y, 2).expect("features");
    assert!((squared / 2e-20 - 1.0).abs() < 1e-12);
}

#[test]
fn kernel_distance_is_clamped() {
    assert_eq!(sq_dist(1.0, 1.0, 1.0 + 1e-16), 0.0);
    assert_eq!(sq_dist(1.0, 1.0, 2.0), 0.0);
    assert_eq!(sq_dist(36.0, 121.0, 4.0), 149.0);
    assert!(sq_dist(f64::NAN, 1.0, 1.0).is_nan());
    let squared = Kernel::inhomogeneous(2).sq_dist(Row::Dense(&X), Row::Dense(&Y), 2);
    assert_eq!(squared, Ok(149.0));
    // The sigmoid is not positive definite: tanh saturates on the diagonal.
    let kernel = Kernel::sigmoid(1.0, -6.0);
    let squared = kernel.sq_dist(Row::Dense(&[1.0]), Row::Dense(&[4.0]), 1);
    let raw = (1.0_f64 - 6.0).tanh() + (16.0_f64 - 6.0).tanh() - 2.0 * (4.0_f64 - 6.0).tanh();
    assert_near(squared.expect("features"), raw.max(0.0));
    let negative = Kernel::Radial(Radial::Multiquadric { c: 1.0 });
    assert_eq!(negative.sq_dist(Row::Dense(&X), Row::Dense(&Y), 2), Ok(0.0));
}

#[test]
fn precomputed_has_no_value_of_features() {
    let kernel = Kernel::Precomputed.local(LocalOperator::S, 1.0, 1.0);
    assert!(kernel.is_precomputed());
    let error = kernel.value(Row::Dense(&X), Row::Dense(&Y), 2).unwrap_err();
    assert_eq!(
        error.to_string(),
        "kernel s(precomputed, sigma=1, eta=1): a precomputed kernel has no value for two feature \
         vectors"
    );
    assert!(kernel.check().is_ok());
    let mixed = Kernel::sum([Kernel::Precomputed, Kernel::Linear]);
    assert_eq!(
        mixed.check().unwrap_err().to_string(),
        "kernel sum(precomputed, linear): a precomputed kernel cannot be combined with one that \
         reads features"
    );
}

#[test]
fn ranges_are_checked_down_to_the_innermost_kernel() {
    let bad = [
        (Kernel::rbf(-1.0), "gamma"),
        (Kernel::rbf(f64::NAN), "gamma"),
        (Kernel::rbf(f64::INFINITY), "gamma"),
        (Kernel::polynomial(1.0, f64::NAN, 2), "coef0"),
        (Kernel::polynomial(1.0, 0.0, 0), "degree"),
        (Kernel::polynomial(1.0, 0.0, u32::MAX), "degree"),
        (Kernel::sigmoid(f64::INFINITY, 0.0), "gamma"),
        (Kernel::laplacian(0.0), "lambda"),
        (Kernel::exponential(0.0), "sigma"),
        (Kernel::Radial(Radial::Power { beta: 2.5 }), "beta"),
        (Kernel::Radial(Radial::Power { beta: 0.0 }), "beta"),
        (Kernel::Angle(Radial::Wave { theta: 0.0 }), "theta"),
        (Kernel::city_block(-1.0), "gamma"),
        (Kernel::city_block(f64::NAN), "gamma"),
        (Kernel::HistogramIntersection { alpha: 0.0 }, "alpha"),
        (Kernel::Linear.scaled(-1.0), "factor"),
        (Kernel::Linear.series([1.0, -1.0]), "coefficient"),
        (Kernel::Linear.conformal(f64::NAN), "rate"),
        (Kernel::Linear.weighted([f64::NAN]), "weight"),
        (Kernel::Linear.local(LocalOperator::E, 0.0, 1.0), "sigma"),
        (Kernel::Linear.local(LocalOperator::S, 1.0, -1.0), "eta"),
        (
            Kernel::Local {
                operator: LocalOperator::P,
                sigma: 1.0,
                eta: 0.5,
                kernel: Box::new(Kernel::Linear),
            },
            "eta",
        ),
        (Kernel::rbf(-1.0).exp().scaled(2.0), "gamma"),
    ];
    for (kernel, parameter) in bad {
        match kernel.check() {
            Err(Error::Parameter { name, .. }) => assert_eq!(name, parameter, "{kernel}"),
            other => panic!("{kernel}: {other:?}"),
        }
    }
    for empty in [
        Kernel::sum([]),
        Kernel::product([]),
        Kernel::Linear.series([]),
        Kernel::Linear.weighted([]),
    ] {
        assert!(matches!(empty.check(), Err(Error::Shape { found: 0, .. })));
    }
    let mut deep = Kernel::Linear;
    for _ in 1..64 {
        deep = deep.exp();
    }
    assert_eq!(deep.check(), Ok(()));
    assert!(deep.exp().check().is_err());
}

#[test]
fn deep_expressions_cost_no_more_than_their_size() {
    // Exponential work would never end.
    let mut deep = Kernel::Linear;
    for level in 1..64 {
        deep = if level % 2 == 0 {
            Kernel::product([deep])
        } else {
            deep.local(LocalOperator::PS, 2.0, 1e-3)
        };
    }
    assert!(value(&deep).is_finite());
}

#[test]
fn definiteness_is_known_and_conservative() {
    let definite = [
        Kernel::Linear,
        Kernel::rbf(1.0),
        Kernel::city_block(1.0),
        Kernel::inhomogeneous(3),
        Kernel::HistogramIntersection { alpha: 1.0 },
        Kernel::mixture(0.5, Kernel::Linear, Kernel::laplacian(1.0)),
        Kernel::homogeneous(2).local(LocalOperator::PS, 1.0, 1.0),
        Kernel::Linear.radial_of(Radial::Student {
            nu: 1.0,
            sigma: 1.0,
        }),
        Kernel::Linear.exp().conformal(1.0).weighted([1.0]),
    ];
    for kernel in definite {
        assert!(kernel.is_positive_definite(), "{kernel}");
    }
    let open = [
        Kernel::sigmoid(1.0, 0.0),
        Kernel::polynomial(1.0, -1.0, 2),
        Kernel::Radial(Radial::Uniform { h: 1.0 }),
        Kernel::Radial(Radial::Wave { theta: 1.0 }),
        Kernel::Radial(Radial::Power { beta: 1.0 }),
        Kernel::sam(1.0),
        Kernel::Spline,
        Kernel::Precomputed,
        Kernel::sigmoid(1.0, 0.0).local(LocalOperator::E, 1.0, 1.0),
    ];
    for kernel in open {
        assert!(!kernel.is_positive_definite(), "{kernel}");
    }
    let wave = Radial::Wave { theta: 1.0 };
    assert_eq!(wave.definiteness(3), Definiteness::Positive);
    assert_eq!(wave.definiteness(4), Definiteness::Indefinite);
    assert_eq!(
        Radial::Power { beta: 1.0 }.definiteness(9),
        Definiteness::Conditional { order: 1 }
    );
    assert_eq!(
        Radial::ThinPlate.definiteness(2),
        Definiteness::NegatedConditional { order: 3 }
    );
    assert!(!Radial::ThinPlate.is_positive_definite());
}
