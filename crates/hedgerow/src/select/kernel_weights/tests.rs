//! Printed numbers, and derivatives against differences.

#![allow(clippy::unreadable_literal, reason = "numbers as they are printed")]

use super::block::{FeatureBlock, Norm, Penalised, Problem};
use super::dense::DenseBlock;
use super::full::FullSpace;
use super::kernel::{Points, WeightedKernel};
use super::machine::{Losses, Machine, train, train_on_basis};
use crate::Status;
use crate::data::Generator;
use crate::solve::smooth::Smooth;
use crate::solve::trust_region::DenseSmooth;

const KERNELS: [WeightedKernel; 4] = [
    WeightedKernel::Gaussian,
    WeightedKernel::Polynomial {
        degree: 3,
        offset: 0.7,
    },
    WeightedKernel::Polynomial {
        degree: 1,
        offset: 0.0,
    },
    WeightedKernel::Linear,
];

fn points(n: usize, d: usize, values: Vec<f64>) -> Points {
    Points { n, d, values }
}

fn losses(signs: &[f64], cost: f64) -> Losses<'_> {
    Losses {
        signs,
        cost,
        epsilon: 0.5,
    }
}

/// A machine with a kernel function at every row.
fn machine(coefficients: Vec<f64>, bias: f64) -> Machine {
    Machine {
        basis: (0..coefficients.len()).collect(),
        coefficients,
        bias,
        norm: 0.0,
        objective: 0.0,
        status: Status::Converged,
    }
}

fn four() -> (Points, [f64; 4]) {
    let values = vec![0.0, 0.0, 1.0, 0.0, 0.0, 2.0, 1.0, 1.0];
    (points(4, 2, values), [1.0, -1.0, 1.0, -1.0])
}

fn assert_near(found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    for (at, (a, b)) in found.iter().zip(expected).enumerate() {
        assert!((a - b).abs() <= tolerance, "entry {at}: {a} instead of {b}");
    }
}

#[test]
fn the_machine_of_four_rows_is_the_known_one() {
    let (points, signs) = four();
    let rows: Vec<f64> = points.values.iter().map(|x| 0.5 * x).collect();
    let matrix = WeightedKernel::Gaussian.matrix(&rows, &rows, 2);
    let found = train(&matrix, losses(&signs, 2.0), None);
    let beta = [1.334813, -1.068813, 0.870046, -1.136047];
    assert_near(&found.by_row(4), &beta, 6e-7);
    assert_near(&[found.bias, found.objective], &[0.199147, 2.2048596], 6e-7);
    let on_basis = train_on_basis(&matrix, &[0, 1, 2, 3], losses(&signs, 2.0), None).unwrap();
    assert_near(&on_basis.coefficients, &beta, 6e-6);
    assert!((on_basis.objective - found.objective).abs() < 1e-9);
}

#[test]
fn derivatives_of_four_rows_are_the_known_ones() {
    let (points, signs) = four();
    let problem = Problem {
        points: &points,
        losses: losses(&signs, 2.0),
        kernel: WeightedKernel::Gaussian,
        mu: 0.5,
        penalised: Penalised::Weights,
    };
    let given = machine(vec![0.5, -0.25, 0.75, -1.0], 0.1);
    let at = [0.8, 0.3, 1.25];
    let first = (
        2.2651247,
        [-2.105256, 1.212179, 0.859056],
        [5.368267, 0.874230, -0.602515, 1.970302, 0.083994, 0.175660],
    );
    let second = (
        2.1433095,
        [-2.860226, 1.364513, 1.053961],
        [5.632506, 1.413855, 0.605437, 1.854038, -0.159740, -0.292110],
    );
    for (norm, known) in [(Norm::Live, first), (Norm::Frozen(1.0), second)] {
        let mut block = DenseBlock::new(FeatureBlock::new(problem, &given, norm, true));
        let (mut gradient, mut hessian) = ([0.0; 3], [0.0; 9]);
        let value = block.value(&at);
        block.derivatives(&at, &mut gradient, &mut hessian);
        assert!((value - known.0).abs() < 6e-8, "{value}");
        assert_near(&gradient, &known.1, 6e-7);
        let upper = [0, 1, 2, 4, 5, 8].map(|at| hessian[at]);
        assert_near(&upper, &known.2, 6e-7);
    }
    let all = [0.5, -0.25, 0.75, -1.0, 0.1, 0.8, 0.3];
    let found = FullSpace::new(problem).at(&all, false);
    assert!((found.value - 2.0723606).abs() < 6e-8);
    let gradient = [
        -0.136395, 0.399917, -0.102806, 0.356887, 0.168025, -1.707070, 1.134858,
    ];
    assert_near(&found.gradient, &gradient, 6e-7);
}

/// Random rows, more than one block of them.
fn random(n: usize, d: usize, seed: u64) -> (Points, Vec<f64>, Machine, Vec<f64>) {
    let mut generator = Generator::new(seed);
    let values = (0..n * d).map(|_| generator.normal()).collect();
    let signs: Vec<f64> = (0..n).map(|_| generator.normal().signum()).collect();
    // Some rows without kernel function.
    let mut given = machine((0..n).map(|_| 0.3 * generator.normal()).collect(), 0.2);
    given.basis.remove(2);
    given.coefficients.remove(2);
    let weights = (0..d).map(|_| 0.1 + generator.uniform()).collect();
    (points(n, d, values), signs, given, weights)
}

#[test]
fn derivatives_of_the_weights_are_those_of_differences() {
    for kernel in KERNELS {
        for penalised in [Penalised::Weights, Penalised::Squares] {
            for norm in [Norm::Live, Norm::Frozen(1.7)] {
                for with_margin in [true, false] {
                    check_block(kernel, penalised, norm, with_margin);
                }
            }
        }
    }
}

/// Length of a difference.
const STEP: f64 = 1e-6;

fn check_block(kernel: WeightedKernel, penalised: Penalised, norm: Norm, with_margin: bool) {
    let (points, signs, given, weights) = random(140, 4, 7);
    let problem = Problem {
        points: &points,
        losses: losses(&signs, 0.3),
        kernel,
        mu: 0.4,
        penalised,
    };
    let mut at = weights;
    if with_margin {
        // Large, so that rows lie on all parts of the loss.
        at.push(1.7);
    }
    let n = at.len();
    let mut block = FeatureBlock::new(problem, &given, norm, with_margin);
    let mut gradient = vec![0.0; n];
    let value = block.value_gradient(&at, &mut gradient);
    block.accept();
    let mut hessian = vec![0.0; n * n];
    block.hessian(&mut hessian);
    let mut products = vec![0.0; n * n];
    for i in 0..n {
        let mut unit = vec![0.0; n];
        unit[i] = 1.0;
        block.hessian_product(&unit, &mut products[i * n..(i + 1) * n]);
    }
    let size = hessian.iter().fold(1.0, |most: f64, h| most.max(h.abs()));
    assert_near(&products, &hessian, 1e-10 * size);
    for i in 0..n {
        let mut side = |by: f64| {
            let mut moved = at.clone();
            moved[i] += by;
            let mut gradient = vec![0.0; n];
            let value = block.value_gradient(&moved, &mut gradient);
            (value, gradient)
        };
        let (up, down) = (side(STEP), side(-STEP));
        let slope = (up.0 - down.0) / (2.0 * STEP);
        let allowed = 1e-7 * (value.abs() + size);
        assert!((slope - gradient[i]).abs() < allowed, "{kernel:?} {i}");
        for j in 0..n {
            let bend = (up.1[j] - down.1[j]) / (2.0 * STEP);
            // The second derivative jumps at knots: a row may lie on one.
            let gap = (bend - hessian[i * n + j]).abs();
            assert!(gap < 1e-5 * size, "{kernel:?} {penalised:?} {i} {j}: {gap}");
        }
    }
}

#[test]
fn derivatives_of_all_variables_are_those_of_differences() {
    for kernel in KERNELS {
        for penalised in [Penalised::Weights, Penalised::Squares] {
            let (points, signs, _, weights) = random(15, 3, 11);
            let problem = Problem {
                points: &points,
                losses: losses(&signs, 1.5),
                kernel,
                mu: 0.4,
                penalised,
            };
            let mut generator = Generator::new(5);
            let mut at: Vec<f64> = (0..15).map(|_| 0.2 * generator.normal()).collect();
            at.push(0.1);
            at.extend(weights);
            let n = at.len();
            let mut space = FullSpace::new(problem);
            let (mut gradient, mut hessian) = (vec![0.0; n], vec![0.0; n * n]);
            space.derivatives(&at, &mut gradient, &mut hessian);
            let size = hessian.iter().fold(1.0, |most: f64, h| most.max(h.abs()));
            for i in 0..n {
                let mut side = |by: f64| {
                    let mut moved = at.clone();
                    moved[i] += by;
                    (space.value(&moved), space.at(&moved, false).gradient)
                };
                let (up, down) = (side(1e-6), side(-1e-6));
                assert!(((up.0 - down.0) / 2e-6 - gradient[i]).abs() < 1e-7 * size);
                for j in 0..n {
                    let bend = (up.1[j] - down.1[j]) / 2e-6;
                    let gap = (bend - hessian[i * n + j]).abs();
                    assert!(gap < 1e-6 * size, "{kernel:?} {penalised:?} {i} {j}: {gap}");
                }
            }
        }
    }
}

/// At the optimum the subgradient of the losses is what the coefficients say.
#[test]
fn machines_are_optimal_from_any_start() {
    for (turn, cost) in [0.01, 1.0, 30.0, 1e4].into_iter().enumerate() {
        let (points, signs, _, _) = random(60, 3, 20 + turn as u64);
        let rows: Vec<f64> = points.values.iter().map(|x| 0.6 * x).collect();
        let matrix = WeightedKernel::Gaussian.matrix(&rows, &rows, 3);
        let losses = losses(&signs, cost);
        let found = train(&matrix, losses, None);
        assert_eq!(found.status, Status::Converged);
        let beta = found.by_row(60);
        let decisions = decisions(&matrix, &found);
        let mut sum = 0.0;
        for i in 0..60 {
            let slope = super::hinge::smoothed_hinge(signs[i] * decisions[i], 0.5).1;
            let wanted = -cost * signs[i] * slope;
            assert!(
                (beta[i] - wanted).abs() < 1e-6 * cost,
                "{} {wanted}",
                beta[i]
            );
            sum += beta[i];
        }
        assert!(sum.abs() < 1e-6 * cost);
        // From another machine: the factor has other members on the way.
        let start: Vec<f64> = beta.iter().map(|b| 0.5 * b + 0.01).collect();
        let again = train(&matrix, losses, Some((&start, 1.0)));
        assert!((again.objective - found.objective).abs() < 1e-9 * found.objective);
        let some: Vec<usize> = (0..60).collect();
        let reduced = train_on_basis(&matrix, &some, losses, None).unwrap();
        assert!((reduced.objective - found.objective).abs() < 1e-6 * found.objective);
    }
}

fn decisions(matrix: &[f64], machine: &Machine) -> Vec<f64> {
    let beta = machine.by_row(matrix.len().isqrt());
    let rows = matrix.chunks_exact(beta.len());
    rows.map(|row| crate::linalg::dot(row, &beta) + machine.bias)
        .collect()
}

#[test]
fn classes_of_one_sign_give_a_constant() {
    let (points, _, _, _) = random(20, 2, 1);
    let matrix = WeightedKernel::Gaussian.matrix(&points.values, &points.values, 2);
    let signs = vec![-1.0; 20];
    let found = train(&matrix, losses(&signs, 1.0), None);
    assert!(found.objective.abs() < 1e-9);
    assert!(decisions(&matrix, &found).iter().all(|f| *f <= -1.0 + 1e-6));
}
