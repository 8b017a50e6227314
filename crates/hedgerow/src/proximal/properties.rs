//! What must hold whatever the data are.

use super::design::Design;
use super::fit::{class_rows, leading_class};
use super::pencil::regularise;
use super::*;
use crate::data::{ClassLabels, Dataset, Generator, Samples, Target, generate};
use crate::evaluate::{Metric, evaluate};
use crate::kernel::Kernel;
use crate::linalg::{dot, symmetric_product};
use crate::{Error, Predictor};
use proptest::prelude::*;

/// Two noisy clouds in a few dimensions.
fn clouds(n: usize, width: usize, seed: u64) -> (Vec<f64>, Vec<f64>) {
    let mut generator = Generator::new(seed);
    let labels: Vec<f64> = (0..n).map(|i| f64::from(u8::from(i % 3 != 0))).collect();
    let values = labels
        .iter()
        .flat_map(|&label| vec![label; width])
        .map(|mean| 1.2 * mean + generator.normal())
        .collect();
    (values, labels)
}

fn dataset(values: Vec<f64>, labels: &[f64]) -> Dataset {
    let width = values.len() / labels.len();
    let samples = Samples::dense(labels.len(), width, values).expect("shape");
    Dataset::new(samples, Target::Classes(ClassLabels::from_numbers(labels))).expect("data")
}

fn regec(gamma: f64) -> RegecParams {
    RegecParams::default().with_kernel(Kernel::rbf(gamma))
}

fn scores(params: &RegecParams, train: &Dataset, test: &Dataset) -> Vec<f64> {
    let model = params.fit(train).expect("fit").model;
    model.scores(test.samples().view()).expect("scores").values
}

fn agree(one: &[f64], other: &[f64]) {
    for (one, other) in one.iter().zip(other) {
        assert!((one - other).abs() < 1e-5, "{one} {other}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn a_turn_and_a_shift_change_no_answer(
        seed in 0u64..1000,
        angle in 0.1f64..3.0,
        shift in -50.0f64..50.0,
    ) {
        let moved = |values: &[f64]| -> Vec<f64> {
            let (sin, cos) = angle.sin_cos();
            let turn = |p: &[f64]| {
                [cos * p[0] - sin * p[1] + shift, sin * p[0] + cos * p[1] - shift]
            };
            values.chunks(2).flat_map(turn).collect()
        };
        let (values, labels) = clouds(60, 2, seed);
        let (other, truth) = clouds(40, 2, seed + 1);
        let before = scores(&regec(0.7), &dataset(values.clone(), &labels), &dataset(other.clone(), &truth));
        let after = scores(&regec(0.7), &dataset(moved(&values), &labels), &dataset(moved(&other), &truth));
        agree(&before, &after);
    }

    #[test]
    fn a_common_scale_goes_into_the_width(seed in 0u64..1000, scale in 0.01f64..100.0) {
        let scaled = |values: &[f64]| -> Vec<f64> { values.iter().map(|x| scale * x).collect() };
        let (values, labels) = clouds(60, 3, seed);
        let (other, truth) = clouds(40, 3, seed + 1);
        let before = scores(&regec(0.4), &dataset(values.clone(), &labels), &dataset(other.clone(), &truth));
        let params = regec(0.4 / (scale * scale));
        let after = scores(&params, &dataset(scaled(&values), &labels), &dataset(scaled(&other), &truth));
        agree(&before, &after);
    }

    #[test]
    fn the_order_of_rows_does_not_matter(seed in 0u64..1000) {
        let data = generate::checkerboard(80, 2, 0.05, seed).expect("data");
        let test = generate::checkerboard(50, 2, 0.0, seed + 1).expect("data");
        let mut order: Vec<usize> = (0..80).collect();
        Generator::new(seed).shuffle(&mut order);
        let params = regec(6.0);
        agree(&scores(&params, &data, &test), &scores(&params, &data.select(&order), &test));
    }

    #[test]
    fn planes_do_not_depend_on_the_cross_regularisation(
        seed in 0u64..1000,
        first in 0.0f64..0.9,
        second in 0.0f64..3.0,
    ) {
        prop_assume!((first * second - 1.0).abs() > 0.2);
        let (values, labels) = clouds(90, 3, seed);
        let data = dataset(values, &labels);
        let plain = RegecParams::default().with_kernel(Kernel::Linear).with_delta(0.0);
        let cross = plain.clone().with_delta(first).with_delta_second(second);
        agree(&scores(&plain, &data, &data), &scores(&cross, &data, &data));
    }

    /// Quotients and residuals of the surfaces in their own pencil.
    #[test]
    fn surfaces_are_eigenvectors(seed in 0u64..1000, delta in 1e-5f64..1e-1, diagonal: bool) {
        let data = generate::checkerboard(70, 2, 0.1, seed).expect("data");
        let rule = if diagonal { Regularisation::Diagonal } else { Regularisation::Tikhonov };
        let model = regec(8.0).with_delta(delta).with_regularisation(rule).fit(&data).expect("fit").model;
        let rows = class_rows(&data).expect("classes");
        let lead = leading_class(&data, &rows).expect("class");
        let [own, other] = [&rows.members[lead], &rows.members[1 - lead]];
        // Machines list their centres in the order of the data.
        let centres: Vec<u32> = (0..70).collect();
        let design = Design::of_kernel(&Kernel::rbf(8.0), data.samples().view(), centres).expect("design");
        let (mut g, mut h) = (design.gram(own).expect("g"), design.gram(other).expect("h"));
        regularise(rule, [delta; 2], 71, &mut g, &mut h);
        let Figures::Surfaces { facts, .. } = model.figures() else { panic!("surfaces") };
        for (class, (machine, fact)) in model.expansion().machines.iter().zip(facts).enumerate() {
            let (top, bottom) = if class == lead { (&g, &h) } else { (&h, &g) };
            let mut z = machine.coefficients.clone();
            z.push(machine.rho);
            let (left, right) = (symmetric_product(71, top, &z), symmetric_product(71, bottom, &z));
            let found = dot(&z, &left) / dot(&z, &right);
            prop_assert!((found / fact.quotient - 1.0).abs() < 1e-8, "{} {}", found, fact.quotient);
            let size = |m: &[f64]| dot(m, m).sqrt() * dot(&z, &z).sqrt();
            let allowed = 1e-8 * (size(top) + found * size(bottom));
            for (left, right) in left.iter().zip(&right) {
                prop_assert!((left - found * right).abs() < allowed);
            }
        }
    }

    #[test]
    fn selections_only_rise(seed in 0u64..1000, balanced: bool, tikhonov: bool) {
        let data = generate::checkerboard(120, 3, 0.1, seed).expect("data");
        let params = CregecParams::default()
            .with_kernel(Kernel::rbf(9.0))
            .with_order(SubsetOrder::Shuffled)
            .with_initial_accuracy(InitialAccuracy::SeedPair)
            .with_score(if balanced { SelectionScore::Balanced } else { SelectionScore::Accuracy })
            .with_regularisation(if tikhonov { Regularisation::Tikhonov } else { Regularisation::Diagonal })
            .with_seed(seed);
        let model = params.fit(&data).expect("fit").model;
        let chunk = &model.parts().chunks[0];
        let scores: Vec<u64> = chunk.accepted.iter().filter_map(|offer| offer.score).collect();
        prop_assert!(scores.windows(2).all(|pair| pair[0] < pair[1]));
        prop_assert!(chunk.accepted.iter().all(|offer| offer.keeps_chunk && offer.accepted));
        prop_assert_eq!(chunk.rows.len(), 2 + chunk.accepted.len());
        if let Some(last) = scores.last() {
            prop_assert_eq!(*last, chunk.score.0);
        }
        // Every row but the first two is offered once, unless all are right before.
        let trace = params.trace(&data).expect("trace").remove(0);
        let mut rows: Vec<u32> = trace.iter().map(|offer| offer.row).collect();
        rows.sort_unstable();
        rows.dedup();
        prop_assert_eq!(rows.len(), trace.len());
        prop_assert!(rows.len() == 118 || chunk.score.0 == chunk.score.1);
        let taken: Vec<u32> = trace.iter().filter(|offer| offer.accepted).map(|offer| offer.row).collect();
        prop_assert_eq!(&chunk.rows[2..], &taken[..]);
    }
}

#[test]
fn serialised_models_answer_as_before() {
    let data = generate::checkerboard(120, 2, 0.05, 3).expect("data");
    let view = data.samples().view();
    let plain = regec(8.0).fit(&data).expect("regec").model;
    let bytes = postcard::to_allocvec(&plain).expect("serialised");
    let back: ProximalModel = postcard::from_bytes(&bytes).expect("deserialised");
    assert_eq!(back.scores(view), plain.scores(view));
    let chunk = CregecParams::default().fit(&data).expect("cregec").model;
    let bytes = postcard::to_allocvec(&chunk).expect("serialised");
    let back: ChunkModel = postcard::from_bytes(&bytes).expect("deserialised");
    assert_eq!(back, chunk);
    assert_eq!(back.scores(view), chunk.scores(view));
    // Parts that do not fit together are refused.
    let mut parts = chunk.parts().clone();
    parts.chunks[0].classes.pop();
    assert!(ChunkModel::from_parts(parts).is_err());
    let mut parts = chunk.parts().clone();
    parts.chunks[0].rows[0] = 5000;
    assert!(ChunkModel::from_parts(parts).is_err());
}

/// With a δ of 1 or more what is added may outweigh the matrices: then the smallest eigenvalue may be
/// that of the second class.
#[test]
fn a_large_regularisation_does_not_exchange_the_classes() {
    let data = generate::checkerboard(120, 2, 0.0, 4).expect("data");
    let truth = data.classes().expect("classes");
    // Of each surface: squares at the rows of the class that is named first over those at the others.
    let quotients = |model: &ProximalModel| {
        let names = model.classes().expect("classes");
        let values = model.values(data.samples().view()).expect("values");
        let mut sums = [[0.0; 2]; 2];
        for (row, &code) in values.chunks(2).zip(truth.codes()) {
            let side = usize::from(truth.names()[code as usize] != names[0]);
            for (sums, value) in sums.iter_mut().zip(row) {
                sums[side] += value * value;
            }
        }
        sums.map(|[own, others]| own / others)
    };
    for delta in [1e-3, 1.1, 20.0] {
        let model = regec(20.0).with_delta(delta).fit(&data).expect("fit").model;
        let [first, second] = quotients(&model);
        assert!(first < second, "{delta}: {first} {second}");
    }
}

/// Below a δ of 1 the smallest eigenvalue is that of the first class, even where both surfaces are nearer
/// to one class: the answers of a dense solver that looks at nothing else.
#[test]
fn a_regularisation_below_one_keeps_the_order_of_eigenvalues() {
    let data = generate::checkerboard(120, 2, 0.0, 4).expect("data");
    for (delta, expected) in [(1e-3, 106), (0.1, 98), (0.5, 77), (0.9, 75)] {
        let model = regec(20.0).with_delta(delta).fit(&data).expect("fit").model;
        let metrics = evaluate(&model, &data).expect("metrics");
        let accuracy = metrics.iter().find(|one| one.0 == Metric::Accuracy);
        let right = 120.0 * accuracy.expect("classes").1;
        assert!(
            (right - f64::from(expected)).abs() < 1.5,
            "{delta}: {right}"
        );
    }
}

/// One row a class, equal rows of both classes, constant columns, more columns than rows, and kernel
/// values that vanish.
#[test]
fn hostile_rows_have_a_surface_or_a_reason() {
    let wide: Vec<f64> = (0..4 * 30).map(|i| f64::from(i * i % 17)).collect();
    let sets = [
        dataset(vec![1.0, 2.0, 3.0, 5.0], &[0.0, 1.0]),
        dataset(vec![1.0; 8], &[0.0, 1.0, 0.0, 1.0]),
        dataset(
            vec![1.0, 1.0, 2.0, 2.0, 3.0, 4.0],
            &[0.0, 1.0, 0.0, 1.0, 0.0, 1.0],
        ),
        dataset(
            vec![5.0, 1.0, 5.0, 2.0, 5.0, 1.5, 5.0, 3.0],
            &[0.0, 1.0, 0.0, 1.0],
        ),
        dataset(wide, &[0.0, 1.0, 0.0, 1.0]),
    ];
    for (at, data) in sets.iter().enumerate() {
        for gamma in [0.5, 1e12, 1e-12] {
            let kernel = Kernel::rbf(gamma);
            let mut gepsvm = GepsvmParams::default();
            gepsvm.surface.kernel = kernel.clone().into();
            let results = [
                RegecParams::default()
                    .with_kernel(kernel.clone())
                    .fit(data)
                    .map(|f| f.model),
                RegecParams::default()
                    .with_kernel(Kernel::Linear)
                    .fit(data)
                    .map(|f| f.model),
                gepsvm.fit(data).map(|f| f.model),
                GepsvmParams::default().fit(data).map(|f| f.model),
                CregecParams::default()
                    .with_kernel(kernel.clone())
                    .fit(data)
                    .map(|f| f.model.proximal().clone()),
                IregecParams::default().fit(data).map(|f| f.model),
                KfdaParams::default()
                    .with_kernel(kernel)
                    .fit(data)
                    .map(|f| f.model),
            ];
            for (method, result) in results.into_iter().enumerate() {
                match result {
                    Ok(model) => {
                        let table = model.scores(data.samples().view()).expect("scores");
                        assert!(
                            table.values.iter().all(|x| x.is_finite()),
                            "{at} {gamma} {method}"
                        );
                    }
                    Err(error) => assert!(
                        matches!(error, Error::SingularPencil | Error::NoEigenvalues),
                        "{at} {gamma} {method}: {error}"
                    ),
                }
            }
        }
    }
    let one = dataset(vec![1.0, 2.0, 3.0], &[1.0; 3]);
    assert!(matches!(
        regec(1.0).fit(&one),
        Err(Error::TooFewClasses { .. })
    ));
    assert!(CregecParams::default().fit(&one).is_err());
    assert!(matches!(
        CregecParams::default().fit(&sets[1]),
        Err(Error::SingularPencil)
    ));
    // The first rows of both classes are equal: another one begins.
    let model = CregecParams::default()
        .with_kernel(Kernel::rbf(1.0))
        .fit(&sets[2]);
    assert!(model.is_ok());
    // Values that are no numbers do not get as far as a method.
    let broken = Samples::dense(2, 2, vec![1.0, f64::NAN, 2.0, 3.0]).expect("shape");
    let labels = ClassLabels::from_numbers(&[0.0, 1.0]);
    let broken = Dataset::new(broken, Target::Classes(labels));
    assert!(broken.is_err_and(|error| matches!(error, Error::NotFinite { .. })));
}

#[test]
fn selections_end_where_they_are_told_to() {
    let data = generate::checkerboard(200, 3, 0.1, 7).expect("data");
    let params = CregecParams::default().with_kernel(Kernel::rbf(9.0));
    let whole = params.fit(&data).expect("fit").model;
    let rows =
        |params: &CregecParams| params.fit(&data).expect("fit").model.parts().chunks[0].clone();
    let chunk = rows(&params.clone().with_max_chunk(4));
    assert_eq!(chunk.rows[..], whole.parts().chunks[0].rows[..4]);
    assert_eq!(rows(&params.clone().with_max_candidates(10)).tried, 10);
    // The last row of each class is not tried.
    let bounded = params.clone().with_figure_bounds(true);
    assert_eq!(rows(&bounded).tried + 2, rows(&params).tried);
    // Nothing accepted: the score is that of the first two rows.
    let short = params
        .with_max_candidates(1)
        .with_initial_accuracy(InitialAccuracy::SeedPair);
    let chunk = rows(&short);
    if chunk.accepted.is_empty() {
        assert!(chunk.score.0 > 0);
    }
}
