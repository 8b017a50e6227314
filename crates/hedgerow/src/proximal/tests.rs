//! Published and recomputed values, and what must hold whatever the numbers are.

#![allow(clippy::unreadable_literal, reason = "digits as they are published")]

use super::cregec::CregecParams;
use super::design::Design;
use super::fit::{class_rows, leading_class};
use super::problem::{Problem, Recipe, Route};
use super::selection::Rules;
use super::*;
use crate::data::{ClassLabels, Dataset, Generator, Samples, Target, generate};
use crate::kernel::Kernel;
use crate::{Prediction, Predictor};
use std::time::Instant;

const A: [[f64; 2]; 5] = [[1., 2.], [2., 3.5], [3., 4.], [4., 6.], [2.5, 3.]];
const B: [[f64; 2]; 5] = [[1., 0.5], [2., -0.5], [3., 1.], [4., -1.5], [0.5, 1.5]];
const POINTS: [f64; 8] = [2., 1., 3., 2.2, 0., 0., 5., 3.];

fn dataset<const D: usize>(a: &[[f64; D]], b: &[[f64; D]]) -> Dataset {
    let values: Vec<f64> = a.iter().chain(b).flatten().copied().collect();
    let labels: Vec<f64> = a
        .iter()
        .map(|_| 1.0)
        .chain(b.iter().map(|_| -1.0))
        .collect();
    let samples = Samples::dense(labels.len(), D, values).expect("shape");
    Dataset::new(samples, Target::Classes(ClassLabels::from_numbers(&labels))).expect("data")
}

fn points() -> Samples {
    Samples::dense(4, 2, POINTS.to_vec()).expect("shape")
}

fn close(found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        let scale = expected.abs().max(1e-3);
        assert!(
            (found - expected).abs() <= tolerance * scale,
            "{found} {expected}"
        );
    }
}

fn linear(params: RegecParams) -> RegecParams {
    params.with_kernel(Kernel::Linear)
}

fn quotients(model: &ProximalModel) -> Vec<f64> {
    match model.figures() {
        Figures::Surfaces { facts, .. } => facts.iter().map(|one| one.quotient).collect(),
        Figures::Directions { .. } => Vec::new(),
    }
}

/// Normal vector and offset of each plane.
fn planes(model: &ProximalModel) -> Vec<Vec<f64>> {
    let expansion = model.expansion();
    let view = expansion.support_vectors.view();
    let plane = |(k, machine): (usize, &crate::kernel::Machine)| {
        let mut plane = view.row(k).values().to_vec();
        plane.push(machine.rho);
        plane
    };
    expansion.machines.iter().enumerate().map(plane).collect()
}

const Z1: [f64; 3] = [0.786578824535, -0.617489880721, -0.342400828042];
const Z2: [f64; 3] = [0.550467853189, 0.834856360463, 1.218625376873];

#[test]
fn planes_have_the_published_values_whatever_the_cross_regularisation() {
    let data = dataset(&A, &B);
    for (first, second, lambdas) in [
        (0.1, 0.2, [0.112611064211, 1.0 / 4.321671835044]),
        (0.0, 0.0, [0.01290163764007, 1.0 / 31.11821131088]),
    ] {
        let params = linear(RegecParams::default())
            .with_delta(first)
            .with_delta_second(second);
        let model = params.fit(&data).expect("fit").model;
        close(&quotients(&model), &lambdas, 1e-9);
        let found = planes(&model);
        close(&found[0], &Z1, 1e-9);
        close(&found[1], &Z2, 1e-9);
        let distances = model.distances(points().view()).expect("distances");
        let expected = [
            1.684982080934,
            0.514328061201,
            1.805421024088,
            5.150458566993,
            0.117238327044,
            1.485047809158,
            5.870082475758,
            16.307729349522,
        ];
        close(&distances, &expected, 1e-9);
        let classes = model.predict(points().view()).expect("classes");
        assert_eq!(classes, Prediction::Classes(vec![1, 0, 0, 0]));
    }
}

/// With a product of the shares above 1 the ends of the pencil change places.
#[test]
fn large_shares_reverse_the_order_of_the_eigenvalues() {
    let data = dataset(&A, &B);
    let params = linear(RegecParams::default())
        .with_delta(2.0)
        .with_delta_second(3.0);
    let model = params.fit(&data).expect("fit").model;
    let found = planes(&model);
    close(&found[0], &Z1, 1e-8);
    close(&found[1], &Z2, 1e-8);
    let params = linear(RegecParams::default())
        .with_delta(0.5)
        .with_delta_second(2.0);
    assert!(params.fit(&data).is_err());
}

#[test]
fn gepsvm_has_the_published_planes() {
    let data = dataset(&A, &B);
    let model = GepsvmParams::default()
        .with_delta(0.1)
        .fit(&data)
        .expect("fit")
        .model;
    close(&quotients(&model), &[0.016684654916, 0.035686002173], 1e-9);
    let found = planes(&model);
    close(
        &found[0],
        &[0.788524202424, -0.615003725348, -0.328689467575],
        1e-9,
    );
    close(
        &found[1],
        &[0.529567577367, 0.848267753131, 1.140384407032],
        1e-9,
    );
    let plain = GepsvmParams::default()
        .with_delta(0.0)
        .fit(&data)
        .expect("fit")
        .model;
    close(&planes(&plain)[0], &Z1, 1e-8);
}

#[test]
fn kernel_surfaces_have_the_recomputed_values() {
    let data = dataset(&A, &B);
    let params = RegecParams::default().with_kernel(Kernel::rbf_sigma(4.0));
    let model = params.fit(&data).expect("fit").model;
    close(
        &quotients(&model),
        &[4.963708000997e-4, 1.0 / 2.700393125542e3],
        1e-9,
    );
    let [first, second] = &model.expansion().machines[..] else {
        panic!("two surfaces");
    };
    let u1 = [
        -0.237888768538,
        0.259319068182,
        -0.055933718244,
        -0.173233107143,
        -0.373933163774,
        0.120208673900,
        0.451599267574,
        0.301845581414,
        0.610977959716,
        -0.142833495482,
    ];
    let u2 = [
        -0.083277560149,
        0.362539872021,
        0.495474150024,
        0.458660338988,
        0.346863119298,
        0.173290412444,
        -0.043590039208,
        -0.353216041301,
        -0.128208080423,
        -0.335146510437,
    ];
    close(&first.coefficients, &u1, 1e-8);
    close(&second.coefficients, &u2, 1e-8);
    close(
        &[first.rho, second.rho],
        &[-0.191732218315, -0.191862701109],
        1e-8,
    );
    let expected = [
        0.269212954182,
        2.495466812849e-4,
        0.035165980291,
        0.3225756630045,
        0.101367787625,
        0.007200677368,
        0.022929228548,
        0.1846330744521,
    ];
    close(
        &model.distances(points().view()).expect("distances"),
        &expected,
        1e-8,
    );
    let tikhonov = params.with_regularisation(Regularisation::Tikhonov);
    let model = tikhonov.fit(&data).expect("fit").model;
    close(
        &quotients(&model),
        &[3.538085684917e-4, 1.0 / 4.842911306200e3],
        1e-9,
    );
}

const CHUNK_A: [[f64; 3]; 7] = [
    [0., 1., -0.5],
    [1., 0.5, 0.5],
    [0.5, 2., 0.],
    [-0.5, 1.5, 1.],
    [1.5, 1., -1.],
    [0.2, -0.3, 0.8],
    [-1., 0.8, 0.3],
];
const CHUNK_B: [[f64; 3]; 8] = [
    [0., -1., 0.5],
    [1., -0.5, -0.5],
    [-0.5, -2., 0.2],
    [0.5, -1.5, 1.2],
    [-1.5, -1., -0.8],
    [0.3, 0.4, -0.2],
    [-0.8, -0.2, 1.5],
    [1.2, -0.9, 0.1],
];

/// Rows of the chunk and right rows of a selection, and what was accepted on the way.
fn selected(order: SubsetOrder, sigma: f64, initial: InitialAccuracy) -> (Vec<u32>, u64, Vec<u64>) {
    let data = dataset(&CHUNK_A, &CHUNK_B);
    let params = CregecParams::default()
        .with_kernel(Kernel::rbf_sigma(sigma))
        .with_order(order)
        .with_initial_accuracy(initial);
    let model = params.fit(&data).expect("fit").model;
    let chunk = &model.parts().chunks[0];
    let scores: Vec<u64> = chunk
        .accepted
        .iter()
        .filter_map(|offer| offer.score)
        .collect();
    (chunk.rows.clone(), chunk.score.0, scores)
}

#[test]
fn selections_follow_the_recomputed_traces() {
    use InitialAccuracy::{SeedPair, Zero};
    use SubsetOrder::{CentroidDescending, ReverseColumns};
    // Sorted A is 4,0,2,6,1,5,3 and sorted B 4,1,5,7,2,0,3,6; rows of B follow those of A.
    for initial in [Zero, SeedPair] {
        let found = selected(ReverseColumns, 1.0, initial);
        assert_eq!(found, (vec![4, 11, 0, 2], 13, vec![12, 13]));
        let found = selected(ReverseColumns, 2.0, initial);
        assert_eq!(found, (vec![4, 11, 0], 13, vec![13]));
        let found = selected(CentroidDescending, 2.0, initial);
        assert_eq!(found, (vec![5, 9, 1, 10, 14, 13], 14, vec![10, 11, 13, 14]));
    }
    let found = selected(CentroidDescending, 1.0, Zero);
    assert_eq!(found, (vec![5, 9, 1, 10, 14], 13, vec![6, 11, 13]));
    let found = selected(CentroidDescending, 1.0, SeedPair);
    assert_eq!(found, (vec![5, 9, 7, 14, 13], 14, vec![10, 12, 14]));
}

#[test]
fn a_candidate_that_makes_the_chunk_wrong_is_refused() {
    let params = CregecParams::default()
        .with_order(SubsetOrder::AsGiven)
        .with_kernel(Kernel::rbf(1.0));
    let trace = params.trace(&noisy(120, 3)).expect("trace");
    assert!(trace[0].iter().any(|offer| !offer.keeps_chunk));
    assert!(trace[0].iter().any(|offer| offer.accepted));
    let refused = trace[0].iter().filter(|offer| !offer.keeps_chunk);
    assert!(
        refused
            .clone()
            .all(|offer| !offer.accepted && offer.score.is_none())
    );
}

fn noisy(n: usize, seed: u64) -> Dataset {
    generate::checkerboard(n, 3, 0.08, seed).expect("data")
}

#[test]
fn warm_starts_choose_the_same_rows_as_whole_solves() {
    for (seed, delta) in (0..6)
        .map(|seed| (seed, 1e-3))
        .chain([(7, 1e-6), (8, 1e-6)])
    {
        let data = noisy(250, seed);
        let rows = class_rows(&data).expect("classes");
        let lead = leading_class(&data, &rows).expect("class");
        let params = CregecParams::default()
            .with_order(SubsetOrder::Shuffled)
            .with_delta(delta);
        let run = |warm: bool| {
            let rules = Rules {
                warm,
                ..params.rules(Instant::now())
            };
            let kernel = Kernel::rbf(8.0);
            let view = data.samples().view();
            let found = super::cregec::select_pairs(&kernel, view, &rows, lead, rules);
            found.expect("selection").remove(0)
        };
        let (warm, whole) = (run(true), run(false));
        assert_eq!(warm.places, whole.places);
        assert_eq!(warm.score, whole.score);
        assert!(
            delta < 1e-3 || warm.whole_solves * 4 < whole.whole_solves.max(4),
            "{}",
            warm.whole_solves
        );
    }
}

#[test]
fn rows_and_matrices_lead_to_the_same_surfaces() {
    let board = generate::checkerboard(120, 2, 0.0, 4).expect("data");
    for (rule, delta, data) in [
        (Regularisation::Diagonal, 1e-3, noisy(300, 1)),
        (Regularisation::Tikhonov, 1e-3, noisy(300, 2)),
        // Both surfaces are nearer to the second class here, and the first is still that of the first.
        (Regularisation::Diagonal, 0.9, board),
    ] {
        let rows = class_rows(&data).expect("classes");
        let view = data.samples().view();
        let centres = rows.members.concat();
        let design = Design::of_kernel(&Kernel::rbf(20.0), view, centres).expect("design");
        let solve = |route: Route| {
            let problem = Problem {
                design: &design,
                first: &rows.members[0],
                second: &rows.members[1],
                recipe: Recipe::Shared(rule, [delta; 2]),
                memory_bytes: 1 << 30,
                route,
            };
            problem.both().expect("surfaces")
        };
        let (dense, dual) = (solve(Route::Matrices), solve(Route::Rows));
        for (dense, dual) in dense.iter().zip(&dual) {
            assert!(dense.facts.gap > NARROW_GAP);
            let ratio = dual.facts.quotient / dense.facts.quotient;
            assert!((ratio - 1.0).abs() < 1e-6, "{ratio}");
            let cosine = crate::linalg::dot(&dense.coefficients, &dual.coefficients);
            assert!(1.0 - cosine < 1e-8, "{cosine}");
        }
    }
}

#[test]
fn swapped_classes_swap_the_answers() {
    let (data, swapped) = (dataset(&A, &B), dataset(&B, &A));
    let params = RegecParams::default().with_kernel(Kernel::rbf(0.3));
    let scores = |data: &Dataset| {
        let model = params.fit(data).expect("fit").model;
        model.scores(points().view()).expect("scores").values
    };
    for (one, other) in scores(&data).iter().zip(scores(&swapped)) {
        assert!((one + other).abs() < 1e-7, "{one} {other}");
    }
}

#[test]
fn a_shift_of_the_data_shifts_the_planes() {
    let shift = |rows: &[[f64; 2]; 5]| rows.map(|[x, y]| [x + 1e6, y - 1e6]);
    let data = dataset(&shift(&A), &shift(&B));
    let model = linear(RegecParams::default())
        .fit(&data)
        .expect("fit")
        .model;
    close(&planes(&model)[0][..2], &Z1[..2], 1e-7);
    let moved: Vec<f64> = POINTS
        .chunks(2)
        .flat_map(|p| [p[0] + 1e6, p[1] - 1e6])
        .collect();
    let moved = Samples::dense(4, 2, moved).expect("shape");
    let classes = model.predict(moved.view()).expect("classes");
    assert_eq!(classes, Prediction::Classes(vec![1, 0, 0, 0]));
}

fn three(n: usize, seed: u64) -> Dataset {
    let mut generator = Generator::new(seed);
    let labels: Vec<f64> = (0..n).map(|i| (i % 3) as f64).collect();
    let values: Vec<f64> = labels
        .iter()
        .flat_map(|&c| {
            let angle = 2.1 * c;
            [2.0 * angle.cos(), 2.0 * angle.sin()]
        })
        .map(|mean| mean + generator.normal() * 0.6)
        .collect();
    let samples = Samples::dense(n, 2, values).expect("shape");
    Dataset::new(samples, Target::Classes(ClassLabels::from_numbers(&labels))).expect("data")
}

fn accuracy(model: &impl Predictor, data: &Dataset) -> f64 {
    let Ok(Prediction::Classes(codes)) = model.predict(data.samples().view()) else {
        panic!("classes");
    };
    let labels = data.classes().expect("classes");
    let names = model.classes().expect("classes");
    let right = codes.iter().zip(labels.codes());
    let right =
        right.filter(|&(&found, &code)| names[found as usize] == labels.names()[code as usize]);
    right.count() as f64 / data.n_rows() as f64
}

#[test]
fn several_classes_are_told_apart_by_every_method() {
    let (train, test) = (three(150, 1), three(300, 2));
    let mut regec = RegecParams::default();
    regec.surface.probability = true;
    let mut pairs = RegecParams::default();
    pairs.surface.multiclass = PlaneScheme::OneVsOne;
    let mut kfda = KfdaParams::default();
    kfda.direction.probability = true;
    let models = [
        regec.fit(&train).expect("regec").model,
        pairs.fit(&train).expect("pairs").model,
        GepsvmParams::default().fit(&train).expect("gepsvm").model,
        kfda.fit(&train).expect("kfda").model,
        KqpfsParams::default().fit(&train).expect("kqpfs").model,
        IregecParams::default().fit(&train).expect("i-regec").model,
    ];
    for (at, model) in models.iter().enumerate() {
        let found = accuracy(model, &test);
        assert!(found > 0.85, "{at}: {found}");
        if let Ok(table) = model.probabilities(test.samples().view()) {
            for row in table.values.chunks(3) {
                assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            }
        }
    }
    let params = CregecParams::default()
        .with_order(SubsetOrder::Shuffled)
        .with_probability(true);
    let model = params.fit(&train).expect("cregec").model;
    assert!(accuracy(&model, &test) > 0.85);
    assert!(model.probabilities(test.samples().view()).is_ok());
}

#[test]
fn the_directions_of_kfda_and_kqpfs_are_one() {
    // With a wide kernel many coefficients belong to one function.
    for (penalty, gamma, unique) in [
        (FisherPenalty::Coefficient, 2.0, true),
        (FisherPenalty::Rkhs, 2000.0, true),
        (FisherPenalty::Rkhs, 20.0, false),
    ] {
        let mut params = KfdaParams::default().with_kernel(Kernel::rbf(gamma));
        params.direction.penalty = penalty;
        params.direction.ridge = 0.1;
        let same = params.equivalence(&noisy(200, 5)).expect("both");
        assert!(1.0 - same.projected < 1e-8, "{same:?}");
        if !unique {
            continue;
        }
        assert!(1.0 - same.cosine < 1e-8, "{same:?}");
        assert!((same.ratio / same.kappa - 1.0).abs() < 1e-7, "{same:?}");
    }
}

/// The quadratic programme of the same problem: min aᵀWa + μ‖a‖² with the means 2 apart, by its KKT
/// system, solved by elimination.
#[test]
fn the_quadratic_programme_has_the_direction_of_kfda() {
    let data = noisy(60, 9);
    let mut params = KfdaParams::default().with_kernel(Kernel::rbf(3.0));
    params.direction.ridge = 0.05;
    let model = params.fit(&data).expect("fit").model;
    let gram =
        crate::kernel::Gram::in_double(&Kernel::rbf(3.0), data.samples().view(), (0..60).collect());
    let k = gram
        .expect("gram")
        .values(data.samples().view())
        .expect("values");
    let rows = class_rows(&data).expect("classes");
    let n = 60;
    let mean = |class: usize, j: usize| -> f64 {
        let members = &rows.members[class];
        members.iter().map(|&i| k[i as usize * n + j]).sum::<f64>() / members.len() as f64
    };
    // [2(W + μI)  g; gᵀ 0] [a; t] = [0; 2]
    let m = n + 1;
    let mut system = vec![0.0; m * (m + 1)];
    for (class, members) in rows.members.iter().enumerate() {
        for &i in members {
            let away: Vec<f64> = (0..n)
                .map(|j| k[i as usize * n + j] - mean(class, j))
                .collect();
            for a in 0..n {
                for b in 0..n {
                    system[a * (m + 1) + b] += 2.0 * away[a] * away[b];
                }
            }
        }
    }
    for a in 0..n {
        let gap = mean(0, a) - mean(1, a);
        system[a * (m + 1) + a] += 2.0 * 0.05;
        system[a * (m + 1) + n] = gap;
        system[n * (m + 1) + a] = gap;
    }
    system[n * (m + 1) + m] = 2.0;
    for column in 0..m {
        let pivot = (column..m)
            .max_by(|&a, &b| {
                let size = |row: usize| system[row * (m + 1) + column].abs();
                size(a).total_cmp(&size(b))
            })
            .expect("rows");
        for j in 0..=m {
            system.swap(column * (m + 1) + j, pivot * (m + 1) + j);
        }
        for row in (0..m).filter(|&row| row != column) {
            let factor = system[row * (m + 1) + column] / system[column * (m + 1) + column];
            for j in column..=m {
                system[row * (m + 1) + j] -= factor * system[column * (m + 1) + j];
            }
        }
    }
    let direct: Vec<f64> = (0..n)
        .map(|a| system[a * (m + 1) + m] / system[a * (m + 1) + a])
        .collect();
    let found = &model.expansion().machines[0].coefficients;
    let size = crate::linalg::dot(&direct, &direct).sqrt();
    for (found, direct) in found.iter().zip(&direct) {
        assert!((found - direct).abs() < 1e-7 * size, "{found} {direct}");
    }
}

/// As many centres as rows are all rows, whichever way they were chosen: the answers are the same.
#[test]
fn reduced_centres_end_in_the_whole_problem() {
    let board = |seed| generate::checkerboard(300, 3, 0.0, seed).expect("data");
    let (train, test) = (board(1), board(2));
    let kfda = |word: CentreWord, count: usize| {
        let mut params = KfdaParams::default().with_kernel(Kernel::rbf(20.0));
        params.direction.centres = word;
        params.direction.centre_count = Some(count);
        params.fit(&train).expect("kfda").model
    };
    let regec = |word: CentreWord, count: usize| {
        let mut params = RegecParams::default().with_kernel(Kernel::rbf(20.0));
        params.surface.centres = word;
        params.surface.centre_count = Some(count);
        params.fit(&train).expect("regec").model
    };
    let fits: [&dyn Fn(CentreWord, usize) -> ProximalModel; 2] = [&kfda, &regec];
    let scores = |model: &ProximalModel| model.scores(test.samples().view()).expect("scores");
    for fit in fits {
        let all = fit(CentreWord::All, 300);
        assert!(accuracy(&all, &test) > 0.75);
        let same = scores(&fit(CentreWord::Random, 300)).values;
        close(&same, &scores(&all).values, 1e-3);
        for word in [CentreWord::Random, CentreWord::Landmarks] {
            let model = fit(word, 60);
            assert_eq!(model.n_centres(), 60);
            assert!(accuracy(&model, &test) > 0.6, "{word:?}");
        }
        assert!(fit(CentreWord::Chunk, 60).n_centres() <= 60);
    }
}
