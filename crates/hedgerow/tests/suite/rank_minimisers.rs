//! Minimisers of smooth functions on functions whose minimum is known.

use hedgerow::Status;
use hedgerow::data::Generator;
use hedgerow::solve::descent::{Descent, descend};
use hedgerow::solve::smooth::{Ask, Question, Smooth, SmoothBatch, SmoothLimits};
use hedgerow::solve::trust_region::{DenseSmooth, minimise, minimise_batch, minimise_bounded};

/// ½ xᵀAx − bᵀx.
struct Quadratic {
    matrix: Vec<f64>,
    linear: Vec<f64>,
}

impl Quadratic {
    /// With eigenvalues from 1 to about `condition`.
    fn random(n: usize, condition: f64, seed: u64) -> Self {
        let mut generator = Generator::new(seed);
        let mut matrix = vec![0.0; n * n];
        for k in 0..n {
            let direction: Vec<f64> = (0..n).map(|_| generator.normal()).collect();
            let size = direction.iter().map(|x| x * x).sum::<f64>();
            let scale = condition.powf(k as f64 / n as f64) / size;
            for i in 0..n {
                for j in 0..n {
                    matrix[i * n + j] += scale * direction[i] * direction[j];
                }
            }
        }
        for i in 0..n {
            matrix[i * n + i] += 1.0;
        }
        let linear = (0..n).map(|_| generator.normal()).collect();
        Self { matrix, linear }
    }

    fn curve(&self, x: &[f64]) -> Vec<f64> {
        let rows = self.matrix.chunks(x.len());
        rows.map(|row| row.iter().zip(x).map(|(a, b)| a * b).sum())
            .collect()
    }
}

impl Smooth for Quadratic {
    fn n_variables(&self) -> usize {
        self.linear.len()
    }

    fn value_gradient(&mut self, x: &[f64], gradient: &mut [f64]) -> f64 {
        let curved = self.curve(x);
        let mut value = 0.0;
        for i in 0..x.len() {
            gradient[i] = curved[i] - self.linear[i];
            value += x[i] * (0.5 * curved[i] - self.linear[i]);
        }
        value
    }

    fn hessian_product(&mut self, direction: &[f64], product: &mut [f64]) {
        product.copy_from_slice(&self.curve(direction));
    }

    fn diagonal(&mut self, diagonal: &mut [f64]) {
        let n = diagonal.len();
        for (i, d) in diagonal.iter_mut().enumerate() {
            *d = self.matrix[i * n + i];
        }
    }
}

impl DenseSmooth for Quadratic {
    fn value(&mut self, point: &[f64]) -> f64 {
        let mut gradient = vec![0.0; point.len()];
        self.value_gradient(point, &mut gradient)
    }

    fn derivatives(&mut self, point: &[f64], gradient: &mut [f64], hessian: &mut [f64]) {
        self.value_gradient(point, gradient);
        hessian.copy_from_slice(&self.matrix);
    }
}

/// 100 (y − x²)² + (1 − x)²: not convex.
#[derive(Default)]
struct Rosenbrock {
    last: [f64; 2],
    at: [f64; 2],
}

impl Rosenbrock {
    fn hessian([x, y]: [f64; 2]) -> [f64; 4] {
        let cross = -400.0 * x;
        [1200.0 * x * x - 400.0 * y + 2.0, cross, cross, 200.0]
    }
}

impl Smooth for Rosenbrock {
    fn n_variables(&self) -> usize {
        2
    }

    fn value_gradient(&mut self, point: &[f64], gradient: &mut [f64]) -> f64 {
        let (x, y) = (point[0], point[1]);
        self.last = [x, y];
        let rest = y - x * x;
        gradient[0] = -400.0 * x * rest - 2.0 * (1.0 - x);
        gradient[1] = 200.0 * rest;
        100.0 * rest * rest + (1.0 - x) * (1.0 - x)
    }

    fn accept(&mut self) {
        self.at = self.last;
    }

    fn hessian_product(&mut self, d: &[f64], product: &mut [f64]) {
        let h = Self::hessian(self.at);
        product[0] = h[0] * d[0] + h[1] * d[1];
        product[1] = h[2] * d[0] + h[3] * d[1];
    }
}

impl DenseSmooth for Rosenbrock {
    fn value(&mut self, point: &[f64]) -> f64 {
        self.value_gradient(point, &mut [0.0; 2])
    }

    fn derivatives(&mut self, point: &[f64], gradient: &mut [f64], hessian: &mut [f64]) {
        self.value_gradient(point, gradient);
        hessian.copy_from_slice(&Self::hessian([point[0], point[1]]));
    }
}

fn tight() -> SmoothLimits {
    SmoothLimits {
        gradient_tolerance: 1e-9,
        value_tolerance: 0.0,
        step_tolerance: 0.0,
        max_products: 100,
        ..SmoothLimits::default()
    }
}

#[test]
fn quadratics_are_minimised() {
    for (n, condition) in [(1, 1.0), (5, 10.0), (40, 1e4)] {
        let mut function = Quadratic::random(n, condition, n as u64);
        let found = minimise(&mut function, vec![1.0; n], &tight());
        assert_eq!(found.status, Status::Converged);
        assert!(found.gradient_norm <= 1e-8, "{}", found.gradient_norm);
        for kind in [
            Descent::Steepest,
            Descent::NonlinearConjugate,
            Descent::TruncatedNewton,
        ] {
            let limits = SmoothLimits {
                max_steps: 200_000,
                gradient_tolerance: 1e-6,
                ..tight()
            };
            let other = descend(&mut function, vec![1.0; n], kind, &limits);
            let gap = other.value - found.value;
            assert!(gap.abs() < 1e-9, "{kind:?} {n} {gap}");
        }
    }
}

#[test]
fn a_curved_valley_is_followed_to_its_end() {
    let found = minimise(&mut Rosenbrock::default(), vec![-1.2, 1.0], &tight());
    assert!(found.value < 1e-16, "{found:?}");
    assert!(found.steps < 100, "{found:?}");
    let limits = SmoothLimits {
        max_steps: 2000,
        ..tight()
    };
    let newton = descend(
        &mut Rosenbrock::default(),
        vec![-1.2, 1.0],
        Descent::TruncatedNewton,
        &limits,
    );
    assert!(newton.value < 1e-12, "{newton:?}");
    let free = [f64::NEG_INFINITY; 2];
    let dense = minimise_bounded(&mut Rosenbrock::default(), &free, vec![-1.2, 1.0], &tight());
    assert!(dense.value < 1e-16, "{dense:?}");
}

#[test]
fn too_few_steps_are_a_status() {
    let limits = SmoothLimits {
        max_steps: 3,
        ..tight()
    };
    let found = minimise(&mut Rosenbrock::default(), vec![-1.2, 1.0], &limits);
    assert_eq!((found.status, found.steps), (Status::IterationLimit, 3));
}

/// Quadratics that count how often they are asked together.
struct Batch {
    functions: Vec<Quadratic>,
    calls: usize,
}

impl SmoothBatch for Batch {
    fn n_problems(&self) -> usize {
        self.functions.len()
    }

    fn n_variables(&self, problem: usize) -> usize {
        self.functions[problem].linear.len()
    }

    fn answer(&mut self, asks: &mut [Ask]) {
        self.calls += 1;
        for ask in asks {
            let function = &mut self.functions[ask.problem];
            match ask.question {
                Question::Evaluate => {
                    ask.value = function.value_gradient(&ask.input, &mut ask.answer);
                }
                Question::Product => function.hessian_product(&ask.input, &mut ask.answer),
            }
        }
    }

    fn accept(&mut self, _: usize) {}

    fn diagonal(&mut self, problem: usize, diagonal: &mut [f64]) {
        self.functions[problem].diagonal(diagonal);
    }
}

#[test]
fn functions_of_a_batch_go_the_ways_that_they_go_alone() {
    let sizes = [3, 7, 20];
    let functions = |seed: u64| sizes.map(|n| Quadratic::random(n, 1e3, seed + n as u64));
    let mut batch = Batch {
        functions: functions(5).into(),
        calls: 0,
    };
    let starts = sizes.map(|n| vec![0.5; n]).to_vec();
    let together = minimise_batch(&mut batch, starts.clone(), &tight());
    let mut most = 0;
    for ((mut function, start), found) in functions(5).into_iter().zip(starts).zip(together) {
        let alone = minimise(&mut function, start, &tight());
        most = most.max(alone.products as usize + alone.steps as usize + 1);
        assert_eq!(alone, found);
    }
    assert_eq!(batch.calls, most);
}

/// By projected gradients with small steps.
fn projected(function: &mut Quadratic, lower: &[f64]) -> Vec<f64> {
    let n = lower.len();
    let step = 1.0 / function.matrix.iter().map(|x| x * x).sum::<f64>().sqrt();
    let (mut x, mut gradient) = (vec![1.0; n], vec![0.0; n]);
    for _ in 0..200_000 {
        function.value_gradient(&x, &mut gradient);
        for i in 0..n {
            x[i] = (x[i] - step * gradient[i]).max(lower[i]);
        }
    }
    x
}

#[test]
fn bounded_quadratics_end_where_projected_gradients_end() {
    for seed in 0..8 {
        let n = 6;
        let mut function = Quadratic::random(n, 50.0, seed);
        let lower: Vec<f64> = (0..n)
            .map(|i| if i % 3 == 2 { f64::NEG_INFINITY } else { 0.0 })
            .collect();
        let expected = projected(&mut function, &lower);
        let limits = SmoothLimits {
            gradient_tolerance: 1e-10,
            ..tight()
        };
        let found = minimise_bounded(&mut function, &lower, vec![1.0; n], &limits);
        assert_eq!(found.status, Status::Converged);
        for (x, e) in found.point.iter().zip(&expected) {
            assert!(
                (x - e).abs() < 1e-5,
                "{seed} {:?} {expected:?}",
                found.point
            );
        }
        assert!(found.point.iter().zip(&lower).all(|(x, l)| x >= l));
        assert!(expected.contains(&0.0) == found.point.contains(&0.0));
    }
}

#[test]
fn a_bound_across_the_valley_stops_there() {
    // The minimum with x ≤ 0.5 would be at the bound; here y ≥ 1.5 cuts the valley above its end.
    let lower = [f64::NEG_INFINITY, 1.5];
    let found = minimise_bounded(&mut Rosenbrock::default(), &lower, vec![0.5, 2.0], &tight());
    assert!((found.point[1] - 1.5).abs() < 1e-7, "{found:?}");
    let mut function = Rosenbrock::default();
    let best = (0..40_000)
        .map(|k| function.value(&[f64::from(k) * 1e-4, 1.5]))
        .fold(f64::INFINITY, f64::min);
    assert!(found.value <= best + 1e-7, "{found:?} {best}");
}
