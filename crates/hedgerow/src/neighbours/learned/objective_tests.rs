use super::super::pool::Pool;
use super::{FLOOR, Lists, evaluate};
use crate::data::{ClassLabels, Dataset, Generator, Samples, Target};

const ROWS: usize = 40;
const COLUMNS: usize = 5;

fn pool(real: bool) -> (Pool, Vec<f64>) {
    let mut generator = Generator::new(3);
    let values: Vec<f64> = (0..ROWS * COLUMNS).map(|_| generator.normal()).collect();
    let samples = Samples::dense(ROWS, COLUMNS, values.clone()).expect("a matrix");
    let target = if real {
        Target::Real(
            (0..ROWS)
                .map(|i| values[i * COLUMNS] + 0.3 * generator.normal())
                .collect(),
        )
    } else {
        let codes: Vec<f64> = (0..ROWS)
            .map(|i| f64::from(u8::from(values[i * COLUMNS] > 0.3)) + 2.0 * (i % 2) as f64)
            .collect();
        Target::Classes(ClassLabels::from_numbers(&codes))
    };
    let data = Dataset::new(samples, target).expect("data");
    // The second and the third column share a weight.
    let pool = Pool::draw(&data, Some(&[0, 1, 1, 2, 3]), 1000, 1).expect("a pool");
    (pool, values)
}

fn lists(pool: &Pool) -> Lists {
    let length = 7;
    let near = |i: usize| (1..=length).map(move |step| ((i + step * 3) % ROWS) as u32);
    Lists {
        queries: (0..pool.n_rows as u32).collect(),
        members: (0..pool.n_rows).flat_map(near).collect(),
        length,
    }
}

/// The loss by its definition, in double precision.
fn by_definition(pool: &Pool, lists: &Lists, log_weights: &[f64]) -> f64 {
    use super::super::pool::Goal;
    let mut total = 0.0;
    for (at, &query) in lists.queries.iter().enumerate() {
        let members = &lists.members[at * lists.length..(at + 1) * lists.length];
        let shares: Vec<f64> = members
            .iter()
            .map(|&member| {
                let mut distance = 0.0;
                for f in 0..COLUMNS {
                    let factor = log_weights[pool.group_of[f] as usize] + pool.log_deviations[f];
                    let rows = (pool.row(query as usize), pool.row(member as usize));
                    let difference = f64::from(rows.0[f]) - f64::from(rows.1[f]);
                    distance += (2.0 * factor).exp() * difference * difference;
                }
                (-distance).exp()
            })
            .collect();
        let sum: f64 = shares.iter().sum();
        let each = members.iter().zip(&shares);
        total += match &pool.goal {
            Goal::Classes(codes) => {
                let own = codes[query as usize];
                let right: f64 = each
                    .filter(|(member, _)| codes[**member as usize] == own)
                    .map(|(_, share)| share / sum)
                    .sum();
                -((right + FLOOR) / (1.0 + FLOOR)).ln()
            }
            Goal::Real(targets) => {
                let mean: f64 = each
                    .map(|(&j, share)| share / sum * targets[j as usize])
                    .sum();
                (mean - targets[query as usize]).powi(2)
            }
        };
    }
    total / lists.queries.len() as f64
}

#[test]
fn loss_and_slope_are_those_of_the_definition() {
    for real in [false, true] {
        let (pool, _) = pool(real);
        let lists = lists(&pool);
        let log_weights = [-0.3, 0.2, -1.0, 0.1];
        let found = evaluate(&pool, &lists, 0..ROWS, &log_weights, true);
        let expected = by_definition(&pool, &lists, &log_weights);
        assert!((found.loss - expected).abs() < 1e-5 * expected);
        for g in 0..log_weights.len() {
            let at = |step: f64| {
                let mut moved = log_weights;
                moved[g] += step;
                by_definition(&pool, &lists, &moved)
            };
            let slope = (at(1e-5) - at(-1e-5)) / 2e-5;
            let error = (found.gradient[g] - slope).abs();
            assert!(error < 1e-4 * (slope.abs() + 0.01), "{real} {g}: {slope}");
        }
    }
}

#[test]
fn parts_of_the_lists_have_their_own_mean() {
    let (pool, _) = pool(false);
    let lists = lists(&pool);
    let log_weights = [0.0; 4];
    let all = evaluate(&pool, &lists, 0..ROWS, &log_weights, false).loss;
    let first = evaluate(&pool, &lists, 0..10, &log_weights, false).loss;
    let rest = evaluate(&pool, &lists, 10..ROWS, &log_weights, false).loss;
    assert!((all - (10.0 * first + 30.0 * rest) / 40.0).abs() < 1e-12);
}
