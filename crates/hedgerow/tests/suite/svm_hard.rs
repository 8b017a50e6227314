//! Small problems on which pair updates alone take very long: noisy labels, copies of rows, also
//! with opposite labels, a large cost, and kernels whose matrix is nearly or exactly singular.

use hedgerow::Status;
use hedgerow::data::Generator;
use hedgerow::solve::smo::{DenseSolver, Limits, Problem, Solution};
use proptest::prelude::*;

const TOLERANCE: f64 = 1e-3;

#[derive(Debug, Clone, Copy)]
enum Shape {
    /// Gaussian, much wider than the data.
    Smooth,
    /// Gaussian, as wide as the data.
    Wide,
    /// Of rank 2.
    Linear,
    /// Homogeneous of degree 3: of rank 4.
    Cubic,
}

const SHAPES: [Shape; 4] = [Shape::Smooth, Shape::Wide, Shape::Linear, Shape::Cubic];

fn limits() -> Limits {
    Limits {
        tolerance: TOLERANCE,
        max_iterations: None,
        max_seconds: None,
        shrinking: true,
    }
}

/// A kernel matrix of `n` rows on a grid of so many steps a side, in single precision.
fn matrix(n: usize, steps: f64, shape: Shape, generator: &mut Generator) -> Vec<f32> {
    let points: Vec<[f64; 2]> = (0..n)
        .map(|_| [0, 1].map(|_| (generator.uniform() * steps).floor() / steps))
        .collect();
    let mut out = Vec::with_capacity(n * n);
    for a in &points {
        for b in &points {
            let dot = a[0] * b[0] + a[1] * b[1];
            let sq_dist = (a[0] - b[0]).powi(2) + (a[1] - b[1]).powi(2);
            out.push(match shape {
                Shape::Smooth => (-0.05 * sq_dist).exp() as f32,
                Shape::Wide => (-2.0 * sq_dist).exp() as f32,
                Shape::Linear => dot as f32,
                Shape::Cubic => dot.powi(3) as f32,
            });
        }
    }
    out
}

/// Both labels, at random: nothing separates them.
fn noise(n: usize, generator: &mut Generator) -> Vec<f64> {
    (0..n)
        .map(|i| match i {
            0 => 1.0,
            1 => -1.0,
            _ if generator.uniform() < 0.5 => 1.0,
            _ => -1.0,
        })
        .collect()
}

fn problem(labels: &[f64], costs: &[f64]) -> Problem {
    let rows = || labels.iter().zip(costs);
    Problem {
        linear: labels.iter().map(|label| -label).collect(),
        lower: rows()
            .map(|(y, c)| if *y > 0.0 { 0.0 } else { -c })
            .collect(),
        upper: rows()
            .map(|(y, c)| if *y > 0.0 { *c } else { 0.0 })
            .collect(),
        start: vec![0.0; labels.len()],
        groups: None,
    }
}

fn solve(matrix: &[f32], problem: &Problem, limits: &Limits) -> Solution {
    let mut solver = DenseSolver::new();
    let n = problem.linear.len();
    solver.matrix_mut(n).copy_from_slice(matrix);
    solver.solve(problem, limits)
}

/// $K\beta$, summed plainly.
fn product(matrix: &[f32], beta: &[f64]) -> Vec<f64> {
    let n = beta.len();
    let row = |i: usize| matrix[i * n..(i + 1) * n].iter().zip(beta);
    (0..n)
        .map(|i| row(i).map(|(&k, b)| f64::from(k) * b).sum())
        .collect()
}

fn assert_feasible(problem: &Problem, solution: &Solution) {
    let mut total = 0.0;
    for (t, &beta) in solution.beta.iter().enumerate() {
        let (lower, upper) = (problem.lower[t], problem.upper[t]);
        assert!(lower <= beta && beta <= upper, "{lower} {beta} {upper}");
        total += upper - lower;
    }
    let drift = solution.beta.iter().sum::<f64>() - problem.start.iter().sum::<f64>();
    assert!(drift.abs() <= 1e-12 * total, "{drift} of {total}");
}

/// The conditions of optimality, and that no other machine has a lower primal objective: the gap
/// between both objectives is a certificate that knows nothing of how the solution was found.
fn assert_optimal(matrix: &[f32], problem: &Problem, solution: &Solution) {
    assert_eq!(solution.status, Status::Converged);
    assert_feasible(problem, solution);
    let beta = &solution.beta;
    let k_beta = product(matrix, beta);
    let largest = matrix.iter().fold(0.0, |most: f32, k| most.max(k.abs()));
    let size: f64 = beta.iter().map(|b| b.abs()).sum();
    let rounding = 1e-13 * f64::from(largest) * size;
    let (mut up, mut low) = (f64::NEG_INFINITY, f64::INFINITY);
    for t in 0..beta.len() {
        let gradient = k_beta[t] + problem.linear[t];
        assert!((gradient - solution.gradient[t]).abs() <= rounding);
        if beta[t] < problem.upper[t] {
            up = up.max(-gradient);
        }
        if beta[t] > problem.lower[t] {
            low = low.min(-gradient);
        }
    }
    assert!(up - low <= TOLERANCE + 2.0 * rounding, "{up} {low}");
    // Labels are -linear; f(x) = Kβ − ρ.
    let rho = -f64::midpoint(up, low);
    let (mut square, mut linear, mut loss, mut room) = (0.0, 0.0, 0.0, 0.0);
    for t in 0..beta.len() {
        let cost = problem.upper[t] - problem.lower[t];
        let label = -problem.linear[t];
        square += beta[t] * k_beta[t];
        linear += beta[t] * label;
        loss += cost * (1.0 - label * (k_beta[t] - rho)).max(0.0);
        room += cost;
    }
    let gap = (0.5 * square + loss) - (linear - 0.5 * square);
    let rounding = rounding * size + 1e-12 * (square.abs() + loss);
    assert!(gap >= -rounding, "{gap}");
    assert!(gap <= TOLERANCE * room + rounding, "{gap} {room}");
    let objective = 0.5 * square - linear;
    assert!((objective - solution.objective).abs() <= rounding);
}

fn hard(n: usize, shape: Shape, cost: f64, seed: u64) -> (Vec<f32>, Problem) {
    let mut generator = Generator::new(seed);
    let matrix = matrix(n, 12.0, shape, &mut generator);
    let labels = noise(n, &mut generator);
    (matrix, problem(&labels, &vec![cost; n]))
}

#[test]
fn the_number_of_steps_does_not_explode() {
    for shape in SHAPES {
        for cost in [128.0, 1024.0] {
            let (matrix, problem) = hard(240, shape, cost, 5);
            let solution = solve(&matrix, &problem, &limits());
            assert_optimal(&matrix, &problem, &solution);
            // Pair updates alone take up to a million.
            assert!(solution.iterations < 240 * 24, "{}", solution.iterations);
        }
    }
}

#[test]
fn more_steps_never_give_a_worse_objective() {
    let n = 150;
    for shape in SHAPES {
        let (matrix, problem) = hard(n, shape, 512.0, 2);
        let mut before = f64::INFINITY;
        // The first steps of second order are among these.
        for cap in (8 * n as u64 - 2..).step_by(3) {
            let limits = Limits {
                max_iterations: Some(cap),
                ..limits()
            };
            let solution = solve(&matrix, &problem, &limits);
            assert_feasible(&problem, &solution);
            assert!(solution.iterations <= cap);
            let slack = 1e-12 * solution.objective.abs();
            assert!(solution.objective <= before + slack, "{before} at {cap}");
            before = solution.objective;
            if solution.status == Status::Converged {
                break;
            }
            assert_eq!(solution.status, Status::IterationLimit);
        }
    }
}

#[test]
fn the_same_problem_has_the_same_solution_whatever_was_solved_before() {
    let mut solver = DenseSolver::new();
    let mut solve = |(matrix, problem): &(Vec<f32>, Problem)| {
        let n = problem.linear.len();
        solver.matrix_mut(n)[..n * n].copy_from_slice(matrix);
        solver.solve(problem, &limits())
    };
    let (large, small) = (
        hard(200, Shape::Cubic, 1024.0, 3),
        hard(90, Shape::Smooth, 1024.0, 4),
    );
    let first = [solve(&small), solve(&large)];
    let again = [solve(&small), solve(&large)];
    for (a, b) in first.iter().zip(&again) {
        assert_eq!(a.beta, b.beta);
        assert_eq!(a.gradient, b.gradient);
        assert_eq!(a.iterations, b.iterations);
    }
}

#[test]
fn rows_that_are_written_when_asked_for_change_nothing() {
    for shape in SHAPES {
        let n = 140;
        let (matrix, problem) = hard(n, shape, 1024.0, 6);
        let whole = solve(&matrix, &problem, &limits());
        let diagonal: Vec<f32> = (0..n).map(|t| matrix[t * n + t]).collect();
        let mut by_rows = Solution {
            beta: Vec::new(),
            gradient: Vec::new(),
            objective: f64::NAN,
            iterations: u64::MAX,
            status: Status::TimeLimit,
        };
        DenseSolver::new().solve_by_rows(
            &diagonal,
            &mut |rows, out| out.copy_from_slice(&matrix[rows.start * n..rows.end * n]),
            &problem,
            &limits(),
            &mut by_rows,
        );
        assert_eq!(whole, by_rows);
    }
}

#[test]
fn a_solution_for_another_cost_is_a_start() {
    for shape in SHAPES {
        let (matrix, small) = hard(200, shape, 128.0, 7);
        let first = solve(&matrix, &small, &limits());
        let (_, mut problem) = hard(200, shape, 256.0, 7);
        problem.start = first.beta.iter().map(|beta| 2.0 * beta).collect();
        let warm = solve(&matrix, &problem, &limits());
        assert_optimal(&matrix, &problem, &warm);
        // The solution itself leaves nothing to do.
        problem.start.clone_from(&warm.beta);
        let again = solve(&matrix, &problem, &limits());
        assert_eq!(again.iterations, 0);
        assert_eq!(again.beta, warm.beta);
    }
}

#[test]
fn equal_rows_leave_only_their_labels() {
    let n = 150;
    let labels: Vec<f64> = (0..n)
        .map(|i| if i % 3 == 0 { 1.0 } else { -1.0 })
        .collect();
    for value in [0.0, 1.0, 1000.0] {
        let matrix = vec![value; n * n];
        for cost in [1.0, 1024.0, 1e10] {
            let problem = problem(&labels, &vec![cost; n]);
            let solution = solve(&matrix, &problem, &limits());
            assert_eq!(solution.status, Status::Converged);
            assert_feasible(&problem, &solution);
            // As many as there are of the rarer label, on both sides.
            let expected = -2.0 * cost * (n / 3) as f64;
            let error = (solution.objective - expected).abs();
            assert!(error <= 1e-9 * expected.abs(), "{}", solution.objective);
        }
    }
}

#[test]
fn rows_without_cost_stay_out() {
    let n = 160;
    for shape in SHAPES {
        let mut generator = Generator::new(8);
        let matrix = matrix(n, 12.0, shape, &mut generator);
        let labels = noise(n, &mut generator);
        let costs: Vec<f64> = (0..n)
            .map(|i| if i % 4 == 3 { 0.0 } else { 1024.0 })
            .collect();
        let whole = problem(&labels, &costs);
        let solution = solve(&matrix, &whole, &limits());
        assert_optimal(&matrix, &whole, &solution);
        assert!((0..n).all(|i| i % 4 != 3 || solution.beta[i] == 0.0));
    }
}

#[test]
fn enormous_costs_and_indefinite_matrices_end() {
    let n = 120;
    for seed in 0..4 {
        let mut generator = Generator::new(seed);
        let labels = noise(n, &mut generator);
        let mut indefinite = vec![0.0; n * n];
        for i in 0..n {
            for j in 0..=i {
                let value = generator.range(-1.0, 1.0) as f32;
                indefinite[i * n + j] = value;
                indefinite[j * n + i] = value;
            }
        }
        let mut matrices: Vec<Vec<f32>> = vec![indefinite];
        matrices.extend(SHAPES.map(|shape| matrix(n, 12.0, shape, &mut generator)));
        for matrix in &matrices {
            let problem = problem(&labels, &vec![1e10; n]);
            let limits = Limits {
                max_iterations: Some(50_000),
                ..limits()
            };
            let solution = solve(matrix, &problem, &limits);
            assert!(solution.iterations <= 50_000);
            assert!(solution.objective < 0.0 && solution.objective.is_finite());
            assert_feasible(&problem, &solution);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn hard_problems_are_solved_to_their_optimum(
        n in 20..260usize,
        steps in 2..40u32,
        shape in prop::sample::select(SHAPES.to_vec()),
        log_cost in 0.0..10.0f64,
        uneven in any::<bool>(),
        seed in any::<u64>(),
    ) {
        let mut generator = Generator::new(seed);
        let matrix = matrix(n, f64::from(steps), shape, &mut generator);
        let labels = noise(n, &mut generator);
        let costs: Vec<f64> = (0..n)
            .map(|_| log_cost.exp2() * if uneven { generator.range(0.1, 1.0) } else { 1.0 })
            .collect();
        let problem = problem(&labels, &costs);
        let solution = solve(&matrix, &problem, &limits());
        assert_optimal(&matrix, &problem, &solution);
    }
}
