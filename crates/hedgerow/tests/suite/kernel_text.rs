//! The text form of kernels: read, write, and what it says about hostile text.

#![allow(clippy::too_many_lines)] // tables of cases are long, not complex

use hedgerow::Error;
use hedgerow::data::SamplesView;
use hedgerow::kernel::{Kernel, KernelSpec, LocalOperator, Radial};
use proptest::prelude::*;

#[test]
fn every_form_reads_as_written() {
    let table: Vec<(&str, Kernel)> = vec![
        ("linear", Kernel::Linear),
        ("rbf(gamma=0.5)", Kernel::rbf(0.5)),
        (
            "poly(gamma=1, coef0=1, degree=3)",
            Kernel::polynomial(1.0, 1.0, 3),
        ),
        ("sigmoid(gamma=0.1, coef0=0)", Kernel::sigmoid(0.1, 0.0)),
        ("laplacian(lambda=1)", Kernel::laplacian(1.0)),
        ("exponential(sigma=1)", Kernel::exponential(1.0)),
        (
            "rational(theta=1)",
            Kernel::Radial(Radial::Rational { theta: 1.0 }),
        ),
        ("power(beta=1)", Kernel::Radial(Radial::Power { beta: 1.0 })),
        ("uniform(h=1)", Kernel::Radial(Radial::Uniform { h: 1.0 })),
        (
            "triangular(h=1)",
            Kernel::Radial(Radial::Triangular { h: 1.0 }),
        ),
        (
            "multiquadric(c=1)",
            Kernel::Radial(Radial::Multiquadric { c: 1.0 }),
        ),
        (
            "inverse-multiquadric(c=1)",
            Kernel::Radial(Radial::InverseMultiquadric { c: 1.0 }),
        ),
        ("thin-plate", Kernel::Radial(Radial::ThinPlate)),
        (
            "kmod(gamma=1, sigma=2)",
            Kernel::Radial(Radial::Kmod {
                gamma: 1.0,
                sigma: 2.0,
            }),
        ),
        ("cityblock(gamma=0.5)", Kernel::city_block(0.5)),
        ("wave(theta=1)", Kernel::Radial(Radial::Wave { theta: 1.0 })),
        (
            "student(nu=1, sigma=2)",
            Kernel::Radial(Radial::Student {
                nu: 1.0,
                sigma: 2.0,
            }),
        ),
        (
            "angle(wave(theta=1))",
            Kernel::Angle(Radial::Wave { theta: 1.0 }),
        ),
        (
            "histogram(alpha=1)",
            Kernel::HistogramIntersection { alpha: 1.0 },
        ),
        ("spline", Kernel::Spline),
        ("precomputed", Kernel::Precomputed),
        (
            "sum(linear, spline, rbf(gamma=2))",
            Kernel::sum([Kernel::Linear, Kernel::Spline, Kernel::rbf(2.0)]),
        ),
        (
            "product(linear, spline)",
            Kernel::product([Kernel::Linear, Kernel::Spline]),
        ),
        ("scale(2, linear)", Kernel::Linear.scaled(2.0)),
        (
            "series(1, 0, 2; linear)",
            Kernel::Linear.series([1.0, 0.0, 2.0]),
        ),
        ("exp(linear)", Kernel::Linear.exp()),
        ("conformal(linear, rate=0.5)", Kernel::Linear.conformal(0.5)),
        (
            "weighted(1, 0.5, -2; linear)",
            Kernel::Linear.weighted([1.0, 0.5, -2.0]),
        ),
        (
            "e(linear, sigma=2)",
            Kernel::Linear.local(LocalOperator::E, 2.0, 1.0),
        ),
        (
            "p(linear, sigma=2)",
            Kernel::Linear.local(LocalOperator::P, 2.0, 1.0),
        ),
        (
            "s(linear, sigma=2, eta=3)",
            Kernel::Linear.local(LocalOperator::S, 2.0, 3.0),
        ),
        (
            "ps(linear, sigma=2, eta=3)",
            Kernel::Linear.local(LocalOperator::PS, 2.0, 3.0),
        ),
        (
            "radial-of(rational(theta=1), linear)",
            Kernel::Linear.radial_of(Radial::Rational { theta: 1.0 }),
        ),
        (
            "angle-of(rbf(gamma=1), linear)",
            Kernel::Linear.angle_of(Radial::Gaussian { gamma: 1.0 }),
        ),
    ];
    for (text, kernel) in table {
        assert_eq!(Kernel::parse(text).as_ref(), Ok(&kernel), "{text}");
        assert_eq!(kernel.to_string(), text);
        assert_eq!(KernelSpec::parse(text), Ok(kernel.into()), "{text}");
    }
}

#[test]
fn shorthands_defaults_case_and_spaces() {
    let same = [
        ("hpoly(degree=2)", Kernel::homogeneous(2)),
        ("ipoly(degree=2)", Kernel::inhomogeneous(2)),
        ("poly(gamma=2)", Kernel::polynomial(2.0, 0.0, 3)),
        ("sigmoid(gamma=2)", Kernel::sigmoid(2.0, 0.0)),
        ("sam(gamma=0.25)", Kernel::sam(0.25)),
        (
            "s(linear, sigma=2)",
            Kernel::Linear.local(LocalOperator::S, 2.0, 1.0),
        ),
        (
            "mix(0.25, linear, spline)",
            Kernel::sum([Kernel::Linear.scaled(0.25), Kernel::Spline.scaled(0.75)]),
        ),
        ("  RBF ( Gamma = 5e-1 )\n", Kernel::rbf(0.5)),
        ("linear()", Kernel::Linear),
        (
            "poly(degree=2, gamma=+1., coef0=.5)",
            Kernel::polynomial(1.0, 0.5, 2),
        ),
        ("series(1, 2, linear)", Kernel::Linear.series([1.0, 2.0])),
    ];
    for (text, kernel) in same {
        assert_eq!(text.parse(), Ok(kernel), "{text}");
    }
}

#[test]
fn errors_name_the_place_and_the_remedy() {
    let table = [
        ("", 1, "expected the name of a kernel, found the end"),
        ("  ", 3, "expected the name of a kernel, found the end"),
        ("3", 1, "expected the name of a kernel, found '3'"),
        (
            "rfb(gamma=1)",
            1,
            "unknown kernel \"rfb\", did you mean \"rbf\"?",
        ),
        (
            "polynomial",
            1,
            "unknown kernel \"polynomial\", did you mean \"poly\"?",
        ),
        (
            "sum(linear, sigmod)",
            13,
            "unknown kernel \"sigmod\", did you mean \"sigmoid\"?",
        ),
        ("rbf", 1, "rbf needs gamma=…"),
        ("laplacian()", 1, "laplacian needs lambda=…"),
        ("rbf(0.5)", 1, "rbf needs gamma=…"),
        (
            "linear(0.5)",
            8,
            "linear has one argument too many: it takes no named parameters",
        ),
        (
            "rbf(gama=1, gamma=1)",
            5,
            "rbf has no parameter \"gama\": it takes gamma",
        ),
        (
            "e(linear, sigma=1, eta=2)",
            20,
            "e has no parameter \"eta\": it takes sigma",
        ),
        ("rbf(gamma=1, gamma=2)", 14, "gamma is given twice"),
        ("rbf(gamma=1", 12, "expected \",\" or \")\", found the end"),
        (
            "rbf(gamma=1,)",
            13,
            "expected a number or a name, found ')'",
        ),
        ("rbf(gamma=)", 11, "expected a number or a name, found ')'"),
        ("rbf(gamma=1) x", 14, "expected the end, found 'x'"),
        ("rbf(gamma=1e)", 11, "\"1e\" is not a number"),
        ("rbf(gamma=0x10)", 11, "\"0x10\" is not a number"),
        ("rbf(gamma=1e999)", 11, "1e999 is not a finite number"),
        ("rbf(gamma=-inf)", 11, "-inf is not a finite number"),
        ("rbf(gamma=nan)", 5, "gamma must be a number"),
        ("rbf(gamma=linear)", 5, "gamma must be a number"),
        (
            "rbf(gamma=auto)",
            5,
            "gamma must be a number here: there are no data to take it from",
        ),
        ("laplacian(lambda=q50)", 11, "lambda must be a number"),
        (
            "poly(gamma=1, degree=2.5)",
            15,
            "degree must be a whole number from 1, not 2.5",
        ),
        (
            "hpoly(degree=0)",
            7,
            "degree must be a whole number from 1, not 0",
        ),
        ("sum()", 1, "sum needs a kernel"),
        ("sum(2)", 5, "sum needs a kernel"),
        ("scale(linear)", 7, "scale needs a factor"),
        ("scale(2)", 1, "scale needs a kernel"),
        (
            "mix(1.5, linear, spline)",
            1,
            "the share 1.5 is not between 0 and 1",
        ),
        (
            "exp(linear, linear)",
            13,
            "exp has one argument too many: it takes no named parameters",
        ),
        (
            "angle(linear)",
            7,
            "unknown function of a distance \"linear\", known are rbf, exponential, laplacian, \
             rational, power, uniform, triangular, multiquadric, inverse-multiquadric, thin-plate, \
             kmod, wave, student",
        ),
        ("rbf(γ=1)", 5, "expected a number or a name, found 'γ'"),
        ("é", 1, "expected the name of a kernel, found 'é'"),
    ];
    for (text, position, problem) in table {
        let expected = Error::KernelSyntax {
            text: text.to_owned(),
            position,
            problem: problem.to_owned(),
        };
        assert_eq!(Kernel::parse(text), Err(expected));
    }
    assert_eq!(
        Kernel::parse("rfb(gamma=1)").unwrap_err().to_string(),
        "kernel \"rfb(gamma=1)\", position 1: unknown kernel \"rfb\", did you mean \"rbf\"?"
    );
    assert_eq!(
        Kernel::parse("rbf(gamma=-1)").unwrap_err().to_string(),
        "parameter gamma = -1: must be a finite number not less than 0"
    );
}

#[test]
fn symbolic_errors_say_what_is_allowed() {
    let table = [
        (
            "rbf(gamma=median)",
            5,
            "gamma must be a number, auto, scale, mean or a percentile from q0 to q100",
        ),
        (
            "rbf(gamma=q101)",
            5,
            "gamma must be a number, auto, scale, mean or a percentile from q0 to q100",
        ),
        (
            "s(linear, sigma=auto)",
            11,
            "sigma must be a number or a percentile from q0 to q100",
        ),
        (
            "radial-of(rbf(gamma=auto), hpoly(degree=2))",
            15,
            "gamma must be a number or a percentile from q0 to q100",
        ),
        ("angle(rbf(gamma=auto))", 11, "gamma must be a number"),
        ("s(linear, eta=q50)", 1, "s needs sigma=…"),
    ];
    for (text, position, problem) in table {
        let expected = Error::KernelSyntax {
            text: text.to_owned(),
            position,
            problem: problem.to_owned(),
        };
        assert_eq!(KernelSpec::parse(text), Err(expected));
    }
}

#[test]
fn hostile_text_is_refused_quickly() {
    let deep = "exp(".repeat(100_000);
    match Kernel::parse(&deep) {
        Err(Error::KernelSyntax { problem, .. }) => {
            assert_eq!(problem, "nested deeper than 64 levels");
        }
        other => panic!("{other:?}"),
    }
    let wide = format!("sum({}linear)", "linear,".repeat(100_000));
    assert!(matches!(Kernel::parse(&wide), Ok(Kernel::Sum(parts)) if parts.len() == 100_001));
    let name = "a".repeat(100_000);
    assert!(Kernel::parse(&name).is_err());
    let at_limit = format!("{}rbf(gamma=1){}", "exp(".repeat(63), ")".repeat(63));
    let kernel = Kernel::parse(&at_limit).expect("64 levels");
    assert_eq!(kernel.to_string(), at_limit);
    let above = format!("{}linear{}", "exp(".repeat(64), ")".repeat(64));
    assert!(Kernel::parse(&above).is_err());
}

#[test]
fn libsvm_letters_become_specs() {
    let spec = |kind, gamma| KernelSpec::from_libsvm(kind, 3, gamma, 0.0).map(|s| s.to_string());
    assert_eq!(spec(0, None).as_deref(), Ok("linear"));
    assert_eq!(
        spec(1, None).as_deref(),
        Ok("poly(gamma=auto, coef0=0, degree=3)")
    );
    assert_eq!(spec(2, None).as_deref(), Ok("rbf(gamma=auto)"));
    assert_eq!(spec(2, Some(0.0)).as_deref(), Ok("rbf(gamma=auto)"));
    assert_eq!(spec(2, Some(0.25)).as_deref(), Ok("rbf(gamma=0.25)"));
    assert_eq!(spec(2, Some(-0.5)).as_deref(), Ok("rbf(gamma=q50)"));
    assert_eq!(spec(2, Some(-0.29)).as_deref(), Ok("rbf(gamma=q29)"));
    assert_eq!(spec(2, Some(-1.0)).as_deref(), Ok("rbf(gamma=q100)"));
    assert_eq!(
        spec(3, Some(2.0)).as_deref(),
        Ok("sigmoid(gamma=2, coef0=0)")
    );
    assert_eq!(spec(4, None).as_deref(), Ok("precomputed"));
    assert_eq!(
        spec(2, Some(-1.5)).unwrap_err().to_string(),
        "parameter gamma = -1.5: must be positive, or from -1 to 0 for a percentile of the distances"
    );
    assert_eq!(
        spec(7, None).unwrap_err().to_string(),
        "parameter kernel type = 7: must be from 0 to 4"
    );
    assert!(KernelSpec::from_libsvm(1, 0, None, 0.0).is_err());
    assert!(KernelSpec::from_libsvm(1, 2, None, f64::NAN).is_err());
}

#[test]
fn symbols_resolve_from_the_data() {
    // Points 0, 1, 3 on a line, in two columns of which the second is constant.
    let values = [0.0, 5.0, 1.0, 5.0, 3.0, 5.0];
    let samples = SamplesView::dense(2, &values).expect("three rows");
    let resolve = |text: &str| {
        KernelSpec::parse(text)
            .and_then(|spec| spec.resolve(samples, 0))
            .map(|kernel| kernel.to_string())
    };
    assert_eq!(resolve("rbf").as_deref(), Ok("rbf(gamma=0.5)"));
    assert_eq!(resolve("rbf(gamma=auto)").as_deref(), Ok("rbf(gamma=0.5)"));
    // Distances 1, 2, 3: index floor(3 · 0.5) = 1, so 1 / (2 · 4).
    assert_eq!(resolve("rbf(gamma=q50)").as_deref(), Ok("rbf(gamma=0.125)"));
    assert_eq!(resolve("rbf(gamma=q0)").as_deref(), Ok("rbf(gamma=0.5)"));
    assert_eq!(
        resolve("s(linear, sigma=q50, eta=q90)").as_deref(),
        Ok("s(linear, sigma=8, eta=3)")
    );
    // Weights act before distances are taken: 10, 20, 30.
    assert_eq!(
        resolve("weighted(10, 0; e(linear, sigma=q50))").as_deref(),
        Ok("weighted(10, 0; e(linear, sigma=800))")
    );
    assert_eq!(
        resolve("weighted(0.5; rbf(gamma=auto))").as_deref(),
        Ok("weighted(0.5; rbf(gamma=1))")
    );
    assert_eq!(
        resolve("radial-of(rbf(gamma=q50), scale(4, linear))").as_deref(),
        Ok("radial-of(rbf(gamma=0.03125), scale(4, linear))")
    );
    // Variance of 0, 5, 1, 5, 3, 5 is 85/6 - (19/6)^2 = 149/36.
    let Ok(Kernel::Radial(Radial::Gaussian { gamma })) =
        KernelSpec::parse("rbf(gamma=scale)").and_then(|spec| spec.resolve(samples, 0))
    else {
        panic!("a Gaussian");
    };
    assert!((gamma - 18.0 / 149.0).abs() < 1e-15);
    // Mean squared distance of 0, 1, 3 is 2 Var = 2 · 14/9.
    let Ok(Kernel::Radial(Radial::Gaussian { gamma })) =
        KernelSpec::parse("rbf(gamma=mean)").and_then(|spec| spec.resolve(samples, 0))
    else {
        panic!("a Gaussian");
    };
    assert!((gamma - 9.0 / 28.0).abs() < 1e-15);
    let none = SamplesView::dense(2, &[]).expect("no rows");
    assert_eq!(KernelSpec::default().resolve(none, 0), Err(Error::NoRows));
    assert_eq!(
        KernelSpec::parse("linear").and_then(|spec| spec.resolve(none, 0)),
        Ok(Kernel::Linear)
    );
}

#[test]
fn inner_percentiles_use_the_resolved_inner_kernel() {
    let values = [0.0, 1.0, 3.0];
    let samples = SamplesView::dense(1, &values).expect("three rows");
    let spec = KernelSpec::parse("s(rbf(gamma=q50), sigma=q90, eta=q10)").expect("valid");
    assert!(spec.fixed().is_none());
    assert!(spec.has_percentiles());
    let Ok(Kernel::Local {
        sigma, eta, kernel, ..
    }) = spec.resolve(samples, 0)
    else {
        panic!("an operator");
    };
    assert_eq!(*kernel, Kernel::rbf(0.125));
    // D^2 = 2(1 - e^{-r^2/8}) for r = 3 and r = 1.
    assert!((sigma - 4.0 * (1.0 - (-9.0_f64 / 8.0).exp())).abs() < 1e-14);
    assert!((eta - (2.0 * (1.0 - (-1.0_f64 / 8.0).exp())).sqrt()).abs() < 1e-14);
    assert!(!KernelSpec::default().has_percentiles());
}

#[test]
fn precomputed_matrices_give_percentiles_too() {
    // Gram matrix of the points 1, 2, 4 with row numbers in front.
    let values = [
        1.0, 1.0, 2.0, 4.0, //
        2.0, 2.0, 4.0, 8.0, //
        3.0, 4.0, 8.0, 16.0,
    ];
    let samples = SamplesView::dense(4, &values).expect("three rows");
    let spec = KernelSpec::parse("s(precomputed, sigma=q50, eta=q90)").expect("valid");
    let kernel = spec.resolve(samples, 0).map(|kernel| kernel.to_string());
    assert_eq!(kernel.as_deref(), Ok("s(precomputed, sigma=8, eta=3)"));
    let wrong = [9.0, 1.0, 2.0, 7.0, 1.0, 2.0];
    let samples = SamplesView::dense(3, &wrong).expect("two rows");
    assert!(matches!(
        spec.resolve(samples, 0),
        Err(Error::KernelUse { .. })
    ));
}

fn positive() -> impl Strategy<Value = f64> {
    prop_oneof![1e-300..1e300, 1e-3..1e3, Just(1.0)]
}

fn any_radial() -> impl Strategy<Value = Radial> {
    prop_oneof![
        positive().prop_map(|gamma| Radial::Gaussian { gamma }),
        positive().prop_map(|sigma| Radial::Exponential { sigma }),
        positive().prop_map(|lambda| Radial::Laplacian { lambda }),
        positive().prop_map(|theta| Radial::Rational { theta }),
        (1e-9..2.0).prop_map(|beta| Radial::Power { beta }),
        positive().prop_map(|h| Radial::Uniform { h }),
        positive().prop_map(|h| Radial::Triangular { h }),
        positive().prop_map(|c| Radial::Multiquadric { c }),
        positive().prop_map(|c| Radial::InverseMultiquadric { c }),
        Just(Radial::ThinPlate),
        (positive(), positive()).prop_map(|(gamma, sigma)| Radial::Kmod { gamma, sigma }),
        positive().prop_map(|theta| Radial::Wave { theta }),
        (positive(), positive()).prop_map(|(nu, sigma)| Radial::Student { nu, sigma }),
    ]
}

fn any_kernel() -> impl Strategy<Value = Kernel> {
    let leaf = prop_oneof![
        Just(Kernel::Linear),
        Just(Kernel::Spline),
        (positive(), -1e9..1e9, 1u32..100).prop_map(|(g, r, d)| Kernel::polynomial(g, r, d)),
        (-1e9..1e9, -1e9..1e9).prop_map(|(g, r)| Kernel::sigmoid(g, r)),
        positive().prop_map(Kernel::city_block),
        any_radial().prop_map(Kernel::Radial),
        any_radial().prop_map(Kernel::Angle),
        positive().prop_map(|alpha| Kernel::HistogramIntersection { alpha }),
    ];
    leaf.prop_recursive(5, 24, 3, |inner| {
        let numbers = || proptest::collection::vec(0.0..1e6, 1..5);
        prop_oneof![
            proptest::collection::vec(inner.clone(), 1..4).prop_map(Kernel::Sum),
            proptest::collection::vec(inner.clone(), 1..4).prop_map(Kernel::Product),
            (0.0..1e6, inner.clone()).prop_map(|(c, k)| k.scaled(c)),
            (numbers(), inner.clone()).prop_map(|(c, k)| k.series(c)),
            inner.clone().prop_map(Kernel::exp),
            (-1e3..1e3, inner.clone()).prop_map(|(rate, k)| k.conformal(rate)),
            (numbers(), inner.clone()).prop_map(|(w, k)| k.weighted(w)),
            (0usize..4, positive(), 0.0..1e6, inner.clone()).prop_map(|(op, sigma, eta, k)| {
                let operators = [
                    LocalOperator::E,
                    LocalOperator::P,
                    LocalOperator::S,
                    LocalOperator::PS,
                ];
                k.local(operators[op], sigma, eta)
            }),
            (any_radial(), inner.clone()).prop_map(|(radial, k)| k.radial_of(radial)),
            (any_radial(), inner).prop_map(|(radial, k)| k.angle_of(radial)),
        ]
    })
}

proptest! {
    #[test]
    fn parsing_undoes_display(kernel in any_kernel()) {
        prop_assert_eq!(kernel.check(), Ok(()));
        let text = kernel.to_string();
        prop_assert_eq!(Kernel::parse(&text), Ok(kernel.clone()));
        prop_assert_eq!(KernelSpec::parse(&text), Ok(KernelSpec::from(kernel)));
    }

    #[test]
    fn symbolic_specs_survive_their_text(h in 0.0..=100.0_f64, kernel in any_kernel()) {
        let text = format!("sum(rbf(gamma=scale), ps({kernel}, eta=q{h}, sigma=q50), sigmoid)");
        let spec = KernelSpec::parse(&text).expect("valid");
        prop_assert_eq!(KernelSpec::parse(&spec.to_string()), Ok(spec));
    }

    #[test]
    fn no_text_panics(text in "[a-z0-9(),;=. -]{0,40}") {
        let _ = Kernel::parse(&text);
        let _ = KernelSpec::parse(&text);
    }

    #[test]
    fn no_unicode_panics(text in "\\PC{0,20}") {
        let _ = KernelSpec::parse(&text);
    }
}

#[test]
fn a_stored_kernel_is_its_text() {
    let kernel = Kernel::sum([
        Kernel::rbf(0.1 + 0.2).local(LocalOperator::PS, 1.0 / 3.0, 5e-324),
        Kernel::polynomial(f64::MAX, -0.0, 2_147_483_647).weighted([-1e-300, f64::EPSILON]),
    ]);
    let bytes = postcard::to_stdvec(&kernel).unwrap();
    assert_eq!(bytes, postcard::to_stdvec(&kernel.to_string()).unwrap());
    let read: Kernel = postcard::from_bytes(&bytes).unwrap();
    assert_eq!(format!("{read:?}"), format!("{kernel:?}"));
}

#[test]
fn a_stored_kernel_cannot_be_nested_without_bound() {
    let nested = |depth: usize| format!("{}linear{}", "exp(".repeat(depth), ")".repeat(depth));
    let read = |text: &String| {
        let bytes = postcard::to_stdvec(text).unwrap();
        postcard::from_bytes::<Kernel>(&bytes)
    };
    assert!(read(&nested(63)).is_ok());
    assert!(read(&nested(64)).is_err());
    assert!(read(&nested(1_000_000)).is_err());
    assert!(read(&"exp(".repeat(1_000_000)).is_err());
    // The bytes of a million nested variants, as a derived reader would follow them.
    assert!(postcard::from_bytes::<Kernel>(&vec![12; 1_000_000]).is_err());
}
