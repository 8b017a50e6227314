//! Solutions are optimal: checked in double precision against the conditions themselves.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use crate::svm_support;

use hedgerow::data::{Dataset, Generator, Samples};
use hedgerow::kernel::{Expansion, Kernel};
use hedgerow::svm::{
    NuSvcParams, NuSvrParams, OneClassParams, SvcParams, SvmClassifier, SvrParams,
};
use hedgerow::{Error, Predictor, Status};
use proptest::prelude::*;
use svm_support::*;

const TOLERANCE: f64 = 1e-5;
/// Kernel values are rounded to single precision while training.
const ROUNDING: f64 = 1e-5;

fn kernel_matrix(kernel: &Kernel, samples: &Samples) -> Vec<Vec<f64>> {
    let view = samples.view();
    let n = view.n_rows();
    let value = |i: usize, j: usize| {
        kernel
            .value(view.row(i), view.row(j), view.n_features())
            .unwrap()
    };
    (0..n)
        .map(|i| (0..n).map(|j| value(i, j)).collect())
        .collect()
}

/// Coefficient of every training row, found by the features of the support vectors. Rows must be
/// distinct.
fn coefficients(expansion: &Expansion, samples: &Samples) -> Vec<f64> {
    let machine = &expansion.machines[0];
    let view = samples.view();
    let support = expansion.support_vectors.view();
    let mut out = vec![0.0; view.n_rows()];
    for (&s, &beta) in machine.support.iter().zip(&machine.coefficients) {
        let row = support.row(s as usize).values();
        let i = (0..view.n_rows())
            .find(|&i| view.row(i).values() == row)
            .unwrap();
        out[i] = beta;
    }
    out
}

fn product(matrix: &[Vec<f64>], x: &[f64]) -> Vec<f64> {
    matrix
        .iter()
        .map(|row| row.iter().zip(x).map(|(a, b)| a * b).sum())
        .collect()
}

/// Largest violation of optimality of variables in a box with a fixed sum: what one that may grow
/// and one that may shrink could still gain.
fn violation(variables: &[(f64, f64, f64, f64)]) -> f64 {
    let mut up = f64::NEG_INFINITY;
    let mut low = f64::INFINITY;
    for &(beta, lower, upper, gradient) in variables {
        assert!(
            beta >= lower && beta <= upper,
            "{lower} <= {beta} <= {upper}"
        );
        if beta < upper {
            up = up.max(-gradient);
        }
        if beta > lower {
            low = low.min(-gradient);
        }
    }
    (up - low).max(0.0)
}

fn kernels() -> impl Strategy<Value = Kernel> {
    prop_oneof![
        (0.05..4.0f64).prop_map(Kernel::rbf),
        Just(Kernel::Linear),
        (0.1..1.0f64, 0.0..1.0f64, 1..4u32)
            .prop_map(|(gamma, coef0, degree)| Kernel::polynomial(gamma, coef0, degree)),
        (0.1..2.0f64).prop_map(Kernel::laplacian),
    ]
}

/// Distinct rows in the unit cube and labels of which both occur.
fn two_classes() -> impl Strategy<Value = (Dataset, Vec<f64>)> {
    (4..40usize, 1..5usize, any::<u64>()).prop_map(|(n, d, seed)| {
        let mut generator = Generator::new(seed);
        let values = (0..n * d).map(|_| generator.range(-1.0, 1.0)).collect();
        let labels: Vec<f64> = (0..n)
            .map(|i| match i {
                0 => 1.0,
                1 => -1.0,
                _ if generator.uniform() < 0.5 => 1.0,
                _ => -1.0,
            })
            .collect();
        (class_data(d, values, &labels), labels)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn c_svc_meets_its_conditions(
        (data, labels) in two_classes(),
        kernel in kernels(),
        log_cost in -2.0..2.0f64,
        weights in prop::collection::vec(0.1..3.0f64, 40),
    ) {
        let cost = 10f64.powf(log_cost);
        let weights = weights[..labels.len()].to_vec();
        let data = data.with_weights(weights.clone()).unwrap();
        let params = SvcParams::default()
            .with_cost(cost).with_kernel(kernel.clone()).with_tolerance(TOLERANCE);
        let fitted = if matches!(kernel, Kernel::Radial(_)) {
            let fitted = params.fit(&data).unwrap();
            prop_assert_eq!(fitted.report.status, Status::Converged);
            fitted
        } else {
            // Of a linear kernel the rounded matrix is not quite definite: the last digits of the
            // tolerance may be out of reach.
            params.with_max_iterations(100_000).fit(&data).unwrap()
        };
        let expansion = fitted.model.parts().expansion;
        let beta = coefficients(&expansion, data.samples());
        let total: f64 = weights.iter().sum::<f64>() * cost;
        prop_assert!(beta.iter().sum::<f64>().abs() < 1e-12 * total.max(1.0));
        let matrix = kernel_matrix(&kernel, data.samples());
        let k_beta = product(&matrix, &beta);
        let variables: Vec<_> = (0..labels.len()).map(|i| {
            let bound = cost * weights[i];
            let (lower, upper) = if labels[i] > 0.0 { (0.0, bound) } else { (-bound, 0.0) };
            (beta[i], lower, upper, k_beta[i] - labels[i])
        }).collect();
        let largest = matrix.iter().flatten().fold(0.0f64, |m, k| m.max(k.abs()));
        let slack = ROUNDING * largest * beta.iter().map(|b| b.abs()).sum::<f64>();
        let found = violation(&variables);
        prop_assert!(found <= TOLERANCE + slack, "violation {} slack {}", found, slack);
        // The objective is the dual one of these coefficients.
        let objective: f64 = (0..labels.len())
            .map(|i| beta[i] * (0.5 * k_beta[i] - labels[i])).sum();
        prop_assert!(
            (objective - fitted.report.objective).abs()
                <= ROUNDING * (1.0 + objective.abs() + slack * total),
            "{} {}", objective, fitted.report.objective
        );
        // The threshold lies between what rows at their bounds allow.
        let rho = expansion.machines[0].rho;
        for &(beta, lower, upper, gradient) in &variables {
            let slack = 2.0 * (TOLERANCE + slack);
            prop_assert!(beta < upper || gradient <= rho + slack, "{gradient} {rho}");
            prop_assert!(beta > lower || gradient >= rho - slack, "{gradient} {rho}");
        }
    }

    #[test]
    fn nu_svc_meets_its_conditions_or_says_that_nu_is_too_large(
        (data, labels) in two_classes(),
        gamma in 0.5..8.0f64,
        nu in 0.05..1.0f64,
    ) {
        let kernel = Kernel::rbf(gamma);
        let positive = labels.iter().filter(|&&label| label > 0.0).count();
        let n = labels.len();
        let limit = 2.0 * positive.min(n - positive) as f64 / n as f64;
        let result = NuSvcParams::default()
            .with_nu(nu).with_kernel(kernel.clone()).with_tolerance(1e-6).fit(&data);
        if nu > limit {
            prop_assert_eq!(result.err(), Some(Error::InfeasibleNu { nu, limit }));
            return Ok(());
        }
        let fitted = result.unwrap();
        let expansion = fitted.model.parts().expansion;
        let scaled = coefficients(&expansion, data.samples());
        // Undo the scaling: the coefficients of a class sum to nu n / 2.
        let sum: f64 = scaled.iter().filter(|&&b| b > 0.0).sum();
        let scale = nu * n as f64 / 2.0 / sum;
        let beta: Vec<f64> = scaled.iter().map(|b| b * scale).collect();
        prop_assert!(beta.iter().sum::<f64>().abs() < 1e-9 * n as f64);
        let gradient = product(&kernel_matrix(&kernel, data.samples()), &beta);
        for sign in [1.0, -1.0] {
            let variables: Vec<_> = (0..n).filter(|&i| labels[i] == sign).map(|i| {
                // The scaling costs a last digit.
                let size = beta[i].abs();
                let size = if (size - 1.0).abs() < 1e-9 { 1.0 } else { size };
                let (lower, upper) = if sign > 0.0 { (0.0, 1.0) } else { (-1.0, 0.0) };
                (sign * size, lower, upper, gradient[i])
            }).collect();
            let found = violation(&variables);
            prop_assert!(found <= 1e-6 + ROUNDING * nu * n as f64, "violation {}", found);
        }
    }

    #[test]
    fn one_class_meets_its_conditions(
        (data, _) in two_classes(),
        gamma in 0.5..8.0f64,
        nu in 0.02..1.0f64,
    ) {
        let kernel = Kernel::rbf(gamma);
        let fitted = OneClassParams::default()
            .with_nu(nu).with_kernel(kernel.clone()).with_tolerance(1e-6).fit(&data).unwrap();
        let n = data.n_rows();
        let alpha = coefficients(fitted.model.parts(), data.samples());
        prop_assert!((alpha.iter().sum::<f64>() - nu * n as f64).abs() < 1e-9 * n as f64);
        let gradient = product(&kernel_matrix(&kernel, data.samples()), &alpha);
        let variables: Vec<_> = (0..n).map(|i| (alpha[i], 0.0, 1.0, gradient[i])).collect();
        let found = violation(&variables);
        prop_assert!(found <= 1e-6 + ROUNDING * nu * n as f64, "violation {}", found);
    }

    #[test]
    fn regression_meets_its_conditions(
        (data, noise) in two_classes(),
        kernel in kernels(),
        epsilon in 0.0..0.5f64,
        cost in 0.1..20.0f64,
    ) {
        let view = data.samples().view();
        let n = data.n_rows();
        let targets: Vec<f64> = (0..n)
            .map(|i| view.row(i).values().iter().sum::<f64>() + 0.3 * noise[i]).collect();
        let data = data.samples().clone();
        let data = Dataset::new(data, hedgerow::data::Target::Real(targets.clone())).unwrap();
        let fitted = SvrParams::default()
            .with_cost(cost).with_epsilon(epsilon).with_kernel(kernel.clone())
            .with_tolerance(TOLERANCE).with_max_iterations(20_000_000).fit(&data).unwrap();
        let expansion = fitted.model.parts();
        let beta = coefficients(expansion, data.samples());
        prop_assert!(beta.iter().sum::<f64>().abs() < 1e-11 * cost * n as f64);
        let matrix = kernel_matrix(&kernel, data.samples());
        let k_beta = product(&matrix, &beta);
        let variables: Vec<_> = (0..n).flat_map(|i| {
            [(beta[i].max(0.0), 0.0, cost, k_beta[i] + epsilon - targets[i]),
             (beta[i].min(0.0), -cost, 0.0, k_beta[i] - epsilon - targets[i])]
        }).collect();
        let largest = matrix.iter().flatten().fold(0.0f64, |m, k| m.max(k.abs()));
        let slack = ROUNDING * largest * beta.iter().map(|b| b.abs()).sum::<f64>();
        // With a tube of no width both variables of a row may be positive, which changes nothing.
        if epsilon > 1e-3 {
            let found = violation(&variables);
            prop_assert!(found <= TOLERANCE + slack, "violation {}", found);
        }
        let rho = expansion.machines[0].rho;
        for i in 0..n {
            let error = targets[i] - (k_beta[i] - rho);
            let slack = 2.0 * (TOLERANCE + slack);
            let inside = error.abs() <= epsilon + slack;
            prop_assert!(inside || beta[i].abs() >= cost * (1.0 - 1e-9), "{} {}", error, beta[i]);
        }
    }

    #[test]
    fn nu_regression_keeps_its_share_outside(
        (data, noise) in two_classes(),
        gamma in 0.5..4.0f64,
        nu in 0.1..0.9f64,
    ) {
        let view = data.samples().view();
        let n = data.n_rows();
        let targets: Vec<f64> = (0..n)
            .map(|i| view.row(i).values().iter().sum::<f64>() + 0.3 * noise[i]).collect();
        let data = Dataset::new(
            data.samples().clone(), hedgerow::data::Target::Real(targets.clone())).unwrap();
        let fitted = NuSvrParams::default()
            .with_nu(nu).with_kernel(Kernel::rbf(gamma)).with_tolerance(1e-6).fit(&data).unwrap();
        let beta = coefficients(fitted.model.parts(), data.samples());
        prop_assert!(beta.iter().sum::<f64>().abs() < 1e-9 * n as f64);
        // Errors lie outside the tube: at most nu n; support vectors: at least nu n.
        let bounded = beta.iter().filter(|b| b.abs() >= 1.0 - 1e-9).count();
        prop_assert!(bounded as f64 <= nu * n as f64 + 1e-9, "{} {}", bounded, nu * n as f64);
        let weight: f64 = beta.iter().map(|b| b.abs()).sum();
        prop_assert!(weight <= nu * n as f64 * (1.0 + 1e-9), "{} {}", weight, nu * n as f64);
    }
}

fn objective_of(params: &SvcParams, data: &Dataset) -> f64 {
    let fitted = params.fit(data).unwrap();
    assert_eq!(fitted.report.status, Status::Converged);
    fitted.report.objective
}

fn close(a: f64, b: f64, relative: f64) -> bool {
    (a - b).abs() <= relative * a.abs().max(b.abs())
}

fn hard_board() -> (SvcParams, Dataset) {
    let params = SvcParams::default()
        .with_cost(1000.0)
        .with_kernel(Kernel::rbf(20.0))
        .with_tolerance(1e-6);
    (params, checkerboard(3000, 0.02, 11))
}

#[test]
fn shrinking_does_not_change_the_optimum() {
    let (params, data) = hard_board();
    let plain = objective_of(&params.clone().with_shrinking(false), &data);
    let shrunk = objective_of(&params, &data);
    assert!(close(plain, shrunk, 1e-5), "{plain} {shrunk}");
}

#[test]
fn the_size_of_the_cache_does_not_change_anything() {
    let (params, data) = hard_board();
    let ample = params.fit(&data).unwrap();
    let tiny = params.with_cache_mb(1.0).fit(&data).unwrap();
    assert_eq!(ample.report.iterations, tiny.report.iterations);
    assert_eq!(ample.model, tiny.model);
}

#[test]
fn large_and_small_path_find_the_same_optimum() {
    // The same problem twice: with every row doubled at half the weight it is too large for the
    // whole-matrix path.
    let data = checkerboard(700, 0.05, 5);
    let rows: Vec<usize> = (0..700).chain(0..700).collect();
    let doubled = data.select(&rows).with_weights(vec![0.5; 1400]).unwrap();
    for cost in [1.0, 100.0] {
        let params = SvcParams::default()
            .with_cost(cost)
            .with_kernel(Kernel::rbf(20.0))
            .with_tolerance(1e-6);
        let small = objective_of(&params, &data);
        let large = objective_of(&params.clone().with_cache_mb(1.0), &doubled);
        assert!(close(small, large, 1e-5), "{small} {large}");
    }
    let view = data.samples().view();
    let targets: Vec<f64> = (0..700)
        .map(|i| (6.0 * view.row(i).values()[0]).sin() + view.row(i).values()[1])
        .collect();
    let values: Vec<f64> = (0..700)
        .flat_map(|i| view.row(i).values().to_vec())
        .collect();
    // 600 rows are 1200 variables, 601 are too many: weight almost nothing makes it the same.
    let small = real_data(2, values[..1200].to_vec(), &targets[..600]);
    let large = real_data(2, values[..1202].to_vec(), &targets[..601]);
    let mut weights = vec![1.0; 601];
    weights[600] = 1e-9;
    let large = large.with_weights(weights).unwrap();
    for nu in [false, true] {
        let objective = |data: &Dataset| {
            if nu {
                let params = NuSvrParams::default().with_kernel(Kernel::rbf(5.0));
                params
                    .with_tolerance(1e-6)
                    .fit(data)
                    .unwrap()
                    .report
                    .objective
            } else {
                let params = SvrParams::default()
                    .with_kernel(Kernel::rbf(5.0))
                    .with_epsilon(0.05);
                params
                    .with_tolerance(1e-6)
                    .fit(data)
                    .unwrap()
                    .report
                    .objective
            }
        };
        let (a, b) = (objective(&small), objective(&large));
        assert!(close(a, b, 1e-5), "{a} {b}");
    }
}

#[test]
fn a_warm_start_reaches_the_same_optimum_with_far_fewer_steps() {
    let data = checkerboard(800, 0.2, 3);
    let params = SvcParams::default().with_kernel(Kernel::rbf(5.0));
    let (mut warm_steps, mut cold_steps) = (0, 0);
    let (_, mut duals) = params.clone().with_cost(1.0).fit_with_duals(&data).unwrap();
    for cost in [1.1, 1.2, 1.3, 1.4] {
        let params = params.clone().with_cost(cost);
        let cold = params.fit(&data).unwrap().report;
        let (warm, next) = params.fit_from(&data, &duals).unwrap();
        assert!(
            close(cold.objective, warm.report.objective, 1e-4),
            "{cold:?} {:?}",
            warm.report
        );
        warm_steps += warm.report.iterations;
        cold_steps += cold.iterations;
        duals = next;
    }
    assert!(
        3 * warm_steps < cold_steps,
        "{warm_steps} steps instead of {cold_steps}"
    );
    // From the optimum itself there is nothing left to do.
    let (again, _) = params.with_cost(1.4).fit_from(&data, &duals).unwrap();
    assert!(again.report.iterations <= 2, "{:?}", again.report);
}

#[test]
fn a_warm_start_survives_other_weights_and_refuses_other_rows() {
    let data = clouds(150, 3, 4);
    let params = SvcParams::default()
        .with_kernel(Kernel::rbf(1.0))
        .with_tolerance(1e-5);
    let (_, duals) = params.fit_with_duals(&data).unwrap();
    let weights: Vec<f64> = (0..150).map(|i| 0.5 + f64::from(i % 7)).collect();
    let weighted = data.clone().with_weights(weights).unwrap();
    let cold = params.fit(&weighted).unwrap().report;
    let (warm, _) = params.fit_from(&weighted, &duals).unwrap();
    assert!(close(cold.objective, warm.report.objective, 1e-5));
    let fewer: Vec<usize> = (0..140).collect();
    assert!(matches!(
        params.fit_from(&data.select(&fewer), &duals),
        Err(Error::Shape { .. })
    ));
}

#[test]
fn caps_are_reported_as_status() {
    let data = checkerboard(400, 0.1, 8);
    let params = SvcParams::default()
        .with_kernel(Kernel::rbf(20.0))
        .with_cost(100.0);
    let capped = params.clone().with_max_iterations(5).fit(&data).unwrap();
    assert_eq!(capped.report.status, Status::IterationLimit);
    assert_eq!(capped.report.iterations, 5);
    let large = checkerboard(2500, 0.2, 8);
    let timed = params
        .with_cost(1e4)
        .with_tolerance(1e-9)
        .with_max_seconds(0.0)
        .fit(&large)
        .unwrap();
    assert_eq!(timed.report.status, Status::TimeLimit);
    assert!(timed.model.predict(large.samples().view()).is_ok());
}

#[test]
fn a_row_of_weight_two_is_the_row_twice() {
    let data = clouds(90, 3, 6);
    let mut weights = vec![1.0; 90];
    let mut rows: Vec<usize> = (0..90).collect();
    for i in [3, 17, 40, 77] {
        weights[i] = 2.0;
        rows.push(i);
    }
    let twice = data.select(&rows);
    let weighted = data.clone().with_weights(weights).unwrap();
    let view = data.samples().view();
    let params = SvcParams::default()
        .with_kernel(Kernel::rbf(1.0))
        .with_tolerance(1e-7);
    let compare = |a: &SvmClassifier, b: &SvmClassifier| {
        let (a, b) = (
            a.scores(view).unwrap().values,
            b.scores(view).unwrap().values,
        );
        for (a, b) in a.iter().zip(&b) {
            assert!((a - b).abs() < 1e-4, "{a} {b}");
        }
    };
    compare(
        &params.fit(&weighted).unwrap().model,
        &params.fit(&twice).unwrap().model,
    );
    let nu = NuSvcParams::default()
        .with_nu(0.3)
        .with_kernel(Kernel::rbf(1.0))
        .with_tolerance(1e-7);
    compare(
        &nu.fit(&weighted).unwrap().model,
        &nu.fit(&twice).unwrap().model,
    );
}
