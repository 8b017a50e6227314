//! Optimality of the linear solvers on random problems, and what must not change their answer.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use hedgerow::Status;
use hedgerow::data::{CsrMatrix, Generator, Samples, SamplesView};
use hedgerow::solve::dual_coordinate::{self, DualLimits, DualProblem, HingeLoss};
use hedgerow::solve::newton::{self, NewtonLimits, PrimalProblem, SmoothLoss};
use hedgerow::solve::pegasos::{self, Bias, PegasosLimits, PegasosProblem, Stop};
use hedgerow::solve::{LinearRows, Precision};
use proptest::prelude::*;

struct Problem {
    samples: Samples,
    signs: Vec<f64>,
    costs: Vec<f64>,
}

fn problem(seed: u64, n: usize, d: usize, density: f64) -> Problem {
    let mut generator = Generator::new(seed);
    let mut values = Vec::new();
    let mut signs = Vec::new();
    for _ in 0..n {
        let sign = if generator.uniform() < 0.5 { 1.0 } else { -1.0 };
        for f in 0..d {
            let shift = if f == 0 { 0.7 * sign } else { 0.0 };
            let value = generator.normal() + shift;
            let kept = generator.uniform() < density;
            values.push(if kept { value } else { 0.0 });
        }
        signs.push(sign);
    }
    let costs = (0..n).map(|_| generator.range(0.1, 2.0)).collect();
    Problem {
        samples: Samples::dense(n, d, values).unwrap(),
        signs,
        costs,
    }
}

fn to_sparse(view: SamplesView<'_>) -> Samples {
    let (mut starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for i in 0..view.n_rows() {
        view.row(i).for_each(|f, x| {
            if x != 0.0 {
                indices.push(f as u32);
                values.push(x);
            }
        });
        starts.push(indices.len());
    }
    Samples::Sparse(CsrMatrix::new(view.n_features(), starts, indices, values).unwrap())
}

fn tight() -> DualLimits {
    DualLimits {
        tolerance: 1e-6,
        max_passes: 1_000_000,
        ..DualLimits::default()
    }
}

fn decision(samples: &Samples, i: usize, weights: &[f64], intercept: f64) -> f64 {
    let mut sum = intercept;
    samples.view().row(i).for_each(|f, x| sum += weights[f] * x);
    sum
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// The conditions of Karush, Kuhn and Tucker, from the samples themselves.
    #[test]
    fn the_dual_solution_satisfies_its_conditions(
        seed in any::<u64>(), n in 2usize..60, d in 1usize..20, density in 0.1f64..1.0,
        squared in any::<bool>(), bias in prop::option::of(0.5f64..3.0), shrinking in any::<bool>(),
    ) {
        let Problem { samples, signs, costs } = problem(seed, n, d, density);
        let rows = LinearRows::pack(samples.view(), Precision::Double).unwrap();
        let loss = if squared { HingeLoss::SquaredHinge } else { HingeLoss::Hinge };
        let dual = DualProblem {
            rows: &rows, members: None, signs: &signs, costs: &costs, loss, bias, start: None,
        };
        let limits = DualLimits { shrinking, ..tight() };
        let solution = dual_coordinate::solve(&dual, &limits);
        prop_assert_eq!(solution.status, Status::Converged);
        let mut sums = vec![0.0; d];
        let mut offset = 0.0;
        for i in 0..n {
            let factor = solution.alpha[i] * signs[i];
            samples.view().row(i).for_each(|f, x| sums[f] += factor * x);
            offset += factor * bias.unwrap_or(0.0);
        }
        for (w, s) in solution.weights.iter().zip(&sums) {
            prop_assert!((w - s).abs() < 1e-9);
        }
        prop_assert!((solution.intercept - offset * bias.unwrap_or(0.0)).abs() < 1e-9);
        for i in 0..n {
            let alpha = solution.alpha[i];
            let ridge = if squared { 0.5 / costs[i] } else { 0.0 };
            let upper = if squared { f64::INFINITY } else { costs[i] };
            let value = decision(&samples, i, &solution.weights, solution.intercept);
            let gradient = signs[i] * value - 1.0 + ridge * alpha;
            prop_assert!((0.0..=upper).contains(&alpha));
            if alpha > 0.0 {
                prop_assert!(gradient < 1e-5, "{} {}", alpha, gradient);
            }
            if alpha < upper {
                prop_assert!(gradient > -1e-5, "{} {}", alpha, gradient);
            }
        }
        let primal = dual_coordinate::primal_objective(&dual, &solution.weights, solution.intercept);
        prop_assert!((primal - solution.objective).abs() <= 1e-4 * primal.max(1.0));
    }

    /// The gradient of the primal, from the samples themselves.
    #[test]
    fn the_newton_solution_has_no_gradient_left(
        seed in any::<u64>(), n in 2usize..60, d in 1usize..20, density in 0.1f64..1.0,
        logistic in any::<bool>(), bias in prop::option::of(0.5f64..3.0),
    ) {
        let Problem { samples, mut signs, costs } = problem(seed, n, d, density);
        signs[0] = 1.0;
        signs[1] = -1.0;
        let rows = LinearRows::pack(samples.view(), Precision::Double).unwrap();
        let members: Vec<u32> = (0..n as u32).collect();
        let loss = if logistic { SmoothLoss::Logistic } else { SmoothLoss::SquaredHinge };
        let primal = PrimalProblem {
            rows: &rows, members: &members, signs: &signs, costs: &costs, loss, bias,
            regularised_bias: true,
        };
        let limits = NewtonLimits { tolerance: 1e-8, max_steps: 500, max_seconds: None };
        let solution = newton::solve(&primal, &limits);
        prop_assert_eq!(solution.status, Status::Converged);
        let constant = bias.map_or(0.0, |bias| solution.intercept / bias);
        let mut gradient = solution.weights.clone();
        gradient.push(constant);
        let mut scale = 1.0;
        for i in 0..n {
            let margin = signs[i] * decision(&samples, i, &solution.weights, solution.intercept);
            let slope = if logistic { -1.0 / (1.0 + margin.exp()) } else { -2.0 * (1.0 - margin).max(0.0) };
            let factor = costs[i] * signs[i] * slope;
            scale += factor.abs();
            samples.view().row(i).for_each(|f, x| gradient[f] += factor * x);
            gradient[d] += factor * bias.unwrap_or(0.0);
        }
        let norm = gradient.iter().map(|g| g * g).sum::<f64>().sqrt();
        prop_assert!(norm < 1e-6 * scale, "{} of {}", norm, scale);
    }

    #[test]
    fn dense_and_sparse_rows_give_the_same_bits(
        seed in any::<u64>(), n in 1usize..40, d in 1usize..30, density in 0.05f64..1.0,
        whole in any::<bool>(),
    ) {
        let Problem { samples, signs, costs } = problem(seed, n, d, density);
        let samples = if whole {
            let view = samples.view();
            let values = (0..n).flat_map(|i| view.row(i).values().to_vec()).map(f64::round).collect();
            Samples::dense(n, d, values).unwrap()
        } else {
            samples
        };
        let other = to_sparse(samples.view());
        for precision in [Precision::Fitting, Precision::Double] {
            let solve = |samples: &Samples| {
                let rows = LinearRows::pack(samples.view(), precision).unwrap();
                dual_coordinate::solve(&DualProblem {
                    rows: &rows, members: None, signs: &signs, costs: &costs,
                    loss: HingeLoss::SquaredHinge, bias: Some(1.0), start: None,
                }, &DualLimits::default())
            };
            prop_assert_eq!(solve(&samples), solve(&other));
        }
    }
}

#[test]
fn costs_are_repeated_rows() {
    let Problem { samples, signs, .. } = problem(3, 40, 5, 1.0);
    let rows = LinearRows::pack(samples.view(), Precision::Double).unwrap();
    let counts: Vec<usize> = (0..40).map(|i| i % 4).collect();
    let costs: Vec<f64> = counts.iter().map(|&c| 0.3 * c as f64).collect();
    let members: Vec<u32> = (0..40u32)
        .flat_map(|i| std::iter::repeat_n(i, counts[i as usize]))
        .collect();
    let repeated: Vec<f64> = members.iter().map(|&i| signs[i as usize]).collect();
    for loss in [HingeLoss::Hinge, HingeLoss::SquaredHinge] {
        let once = DualProblem {
            rows: &rows,
            members: None,
            signs: &signs,
            costs: &costs,
            loss,
            bias: Some(1.0),
            start: None,
        };
        let weighted = dual_coordinate::solve(&once, &tight());
        let often = dual_coordinate::solve(
            &DualProblem {
                members: Some(&members),
                signs: &repeated,
                costs: &vec![0.3; members.len()],
                ..once
            },
            &tight(),
        );
        assert!((weighted.objective - often.objective).abs() < 1e-6);
        for (a, b) in weighted.weights.iter().zip(&often.weights) {
            assert!((a - b).abs() < 1e-3, "{a} {b}");
        }
        // Rows without cost have no say.
        assert!((0..40).all(|i| counts[i] > 0 || weighted.alpha[i] == 0.0));
    }
}

#[test]
fn a_warm_start_arrives_at_the_same_place_sooner() {
    let Problem {
        samples,
        signs,
        costs,
    } = problem(4, 300, 10, 1.0);
    let rows = LinearRows::pack(samples.view(), Precision::Double).unwrap();
    let cold = DualProblem {
        rows: &rows,
        members: None,
        signs: &signs,
        costs: &costs,
        loss: HingeLoss::Hinge,
        bias: Some(1.0),
        start: None,
    };
    let first = dual_coordinate::solve(&cold, &tight());
    let start = first.alpha.clone();
    let warm = DualProblem {
        start: Some(&start),
        ..cold
    };
    let second = dual_coordinate::solve(&warm, &tight());
    assert!(second.passes < first.passes / 2 + 2);
    assert!((first.objective - second.objective).abs() < 1e-6 * first.objective);
}

#[test]
fn both_solvers_find_the_minimum_of_the_squared_hinge() {
    let Problem {
        samples,
        signs,
        costs,
    } = problem(5, 3000, 12, 0.6);
    let rows = LinearRows::pack(samples.view(), Precision::Fitting).unwrap();
    let members: Vec<u32> = (0..3000).collect();
    let dual = dual_coordinate::solve(
        &DualProblem {
            rows: &rows,
            members: None,
            signs: &signs,
            costs: &costs,
            loss: HingeLoss::SquaredHinge,
            bias: Some(1.0),
            start: None,
        },
        &tight(),
    );
    let primal = newton::solve(
        &PrimalProblem {
            rows: &rows,
            members: &members,
            signs: &signs,
            costs: &costs,
            loss: SmoothLoss::SquaredHinge,
            bias: Some(1.0),
            regularised_bias: true,
        },
        &NewtonLimits {
            tolerance: 1e-8,
            max_steps: 200,
            max_seconds: None,
        },
    );
    assert!((dual.objective - primal.objective).abs() < 1e-6 * primal.objective);
    for (a, b) in dual.weights.iter().zip(&primal.weights) {
        assert!((a - b).abs() < 1e-5, "{a} {b}");
    }
}

#[test]
fn a_row_of_zeros_and_a_useless_problem_are_solved() {
    let samples = Samples::dense(2, 2, vec![0.0; 4]).unwrap();
    let rows = LinearRows::pack(samples.view(), Precision::Fitting).unwrap();
    for loss in [HingeLoss::Hinge, HingeLoss::SquaredHinge] {
        let solution = dual_coordinate::solve(
            &DualProblem {
                rows: &rows,
                members: None,
                signs: &[1.0, -1.0],
                costs: &[1.0, 2.0],
                loss,
                bias: None,
                start: None,
            },
            &tight(),
        );
        assert_eq!(solution.status, Status::Converged);
        assert_eq!(solution.weights, [0.0, 0.0]);
        assert!(
            (solution.objective - 3.0).abs() < 1e-12,
            "{}",
            solution.objective
        );
    }
    let nothing = dual_coordinate::solve(
        &DualProblem {
            rows: &rows,
            members: Some(&[]),
            signs: &[],
            costs: &[],
            loss: HingeLoss::Hinge,
            bias: Some(1.0),
            start: None,
        },
        &tight(),
    );
    assert_eq!(nothing.status, Status::Converged);
    assert_eq!(nothing.objective, 0.0);
}

#[test]
fn limits_are_statuses() {
    let Problem {
        samples,
        signs,
        costs,
    } = problem(6, 200, 10, 1.0);
    let rows = LinearRows::pack(samples.view(), Precision::Double).unwrap();
    let problem = DualProblem {
        rows: &rows,
        members: None,
        signs: &signs,
        costs: &costs,
        loss: HingeLoss::Hinge,
        bias: Some(1.0),
        start: None,
    };
    let few = DualLimits {
        max_passes: 2,
        ..tight()
    };
    let solution = dual_coordinate::solve(&problem, &few);
    assert_eq!(
        (solution.status, solution.passes),
        (Status::IterationLimit, 2)
    );
    let hasty = DualLimits {
        max_seconds: Some(0.0),
        ..tight()
    };
    assert_eq!(
        dual_coordinate::solve(&problem, &hasty).status,
        Status::TimeLimit
    );
}

/// Acceptance: the weighted hinge, by coordinate descent and by Pegasos, within 1 %.
#[test]
fn pegasos_and_coordinate_descent_agree_on_the_weighted_hinge() {
    let Problem { samples, signs, .. } = problem(7, 200, 4, 1.0);
    let n = signs.len();
    let lambda = 1e-3;
    let n_positive = signs.iter().filter(|&&s| s > 0.0).count();
    let weights: Vec<f64> = signs
        .iter()
        .map(|&s| 0.5 / (if s > 0.0 { n_positive } else { n - n_positive }) as f64)
        .collect();
    let rows = LinearRows::pack(samples.view(), Precision::Double).unwrap();
    let members: Vec<u32> = (0..n as u32).collect();
    let costs: Vec<f64> = weights.iter().map(|nu| nu / (lambda * n as f64)).collect();
    let dual = DualProblem {
        rows: &rows,
        members: None,
        signs: &signs,
        costs: &costs,
        loss: HingeLoss::Hinge,
        bias: Some(1.0),
        start: None,
    };
    let exact = dual_coordinate::solve(&dual, &tight());
    let best = lambda * dual_coordinate::primal_objective(&dual, &exact.weights, exact.intercept);
    let problem = PegasosProblem {
        rows: &rows,
        members: &members,
        signs: &signs,
        row_weights: Some(&weights),
        lambda,
    };
    let limits = PegasosLimits {
        batch: 1,
        max_steps: 2_000_000,
        stop: Stop::Never,
        bias: Bias::Feature(1.0),
        bias_in_margin: true,
        seed: 1,
    };
    let found = pegasos::solve(&problem, &limits);
    assert_eq!(found.steps, 2_000_000);
    assert!(
        found.objective >= best * (1.0 - 1e-9),
        "{} {best}",
        found.objective
    );
    assert!(found.objective <= best * 1.01, "{} {best}", found.objective);
    // The ball: 1 over the root of n lambda.
    let radius = problem.radius();
    assert!((radius - 1.0 / (n as f64 * lambda).sqrt()).abs() < 1e-9 * radius);
    let square: f64 = found.weights.iter().map(|w| w * w).sum::<f64>() + found.intercept.powi(2);
    assert!(square.sqrt() <= radius * (1.0 + 1e-9));

    // The mean over a pass, stopped when it settles, is good as well.
    let settled = pegasos::solve(
        &problem,
        &PegasosLimits {
            stop: Stop::Pass(1e-3),
            ..limits
        },
    );
    assert_eq!(settled.status, Status::Converged);
    assert!(settled.steps < 2_000_000);
    assert!(
        settled.objective <= best * 1.02,
        "{} {best}",
        settled.objective
    );
}

#[test]
fn the_four_intercepts_of_pegasos_come_near_the_optimum() {
    let Problem { samples, signs, .. } = problem(8, 300, 3, 1.0);
    // Shifted, so that an intercept is needed.
    let view = samples.view();
    let moved: Vec<f64> = (0..300)
        .flat_map(|i| {
            view.row(i)
                .values()
                .iter()
                .map(|x| x + 1.0)
                .collect::<Vec<_>>()
        })
        .collect();
    let samples = Samples::dense(300, 3, moved).unwrap();
    let rows = LinearRows::pack(samples.view(), Precision::Double).unwrap();
    let members: Vec<u32> = (0..300).collect();
    let problem = PegasosProblem {
        rows: &rows,
        members: &members,
        signs: &signs,
        row_weights: None,
        lambda: 0.01,
    };
    assert!((problem.radius() - 10.0).abs() < 1e-9);
    // A large constant feature leaves the intercept nearly free.
    let costs = vec![1.0 / (0.01 * 300.0); 300];
    let dual = DualProblem {
        rows: &rows,
        members: None,
        signs: &signs,
        costs: &costs,
        loss: HingeLoss::Hinge,
        bias: Some(30.0),
        start: None,
    };
    let exact = dual_coordinate::solve(&dual, &tight());
    let best = problem.objective(&exact.weights, exact.intercept);
    for (bias, batch, slack) in [
        (Bias::Feature(1.0), 1, 1.05),
        (Bias::Subgradient, 1, 1.05),
        (Bias::Inner, 64, 1.05),
        (Bias::Rate(0.1), 1, 1.05),
    ] {
        let found = pegasos::solve(
            &problem,
            &PegasosLimits {
                batch,
                max_steps: 400_000 / batch as u64,
                stop: Stop::Never,
                bias,
                bias_in_margin: true,
                seed: 2,
            },
        );
        let value = problem.objective(&found.weights, found.intercept);
        assert!(value <= slack * best, "{bias:?}: {value} {best}");
        assert!(
            found.intercept.abs() > 0.05,
            "{bias:?}: {}",
            found.intercept
        );
    }
    let none = pegasos::solve(
        &problem,
        &PegasosLimits {
            batch: 1,
            max_steps: 1000,
            stop: Stop::Step(1e-4),
            bias: Bias::None,
            bias_in_margin: true,
            seed: 2,
        },
    );
    assert_eq!(none.intercept, 0.0);
}
