//! Regression with a tube in which errors are free.

use super::binary::{Solved, Workshop};
use crate::Result;
use crate::solve::smo::{DenseSolver, Problem};

/// What sets the width of the tube in which errors are free.
#[derive(Clone, Copy)]
pub(crate) enum Tube {
    Width(f64),
    Share(f64),
}

/// The dual problem: variables $0..n$ pull up, $n..2n$ pull down.
pub(crate) fn problem(targets: &[f64], costs: &[f64], tube: Tube) -> Problem {
    let n = targets.len();
    let half = match tube {
        Tube::Width(epsilon) => epsilon,
        Tube::Share(_) => 0.0,
    };
    let up = targets.iter().map(|target| half - target);
    let down = targets.iter().map(|target| -half - target);
    let mut problem = Problem {
        linear: up.chain(down).collect(),
        lower: costs
            .iter()
            .map(|_| 0.0)
            .chain(costs.iter().map(|cost| -cost))
            .collect(),
        upper: costs
            .iter()
            .copied()
            .chain(costs.iter().map(|_| 0.0))
            .collect(),
        start: vec![0.0; 2 * n],
        groups: None,
    };
    if let Tube::Share(nu) = tube {
        problem.groups = Some((0..2 * n).map(|t| u8::from(t >= n)).collect());
        let mut rest = nu * costs.iter().sum::<f64>() / 2.0;
        for (i, &cost) in costs.iter().enumerate() {
            let taken = rest.min(cost);
            problem.start[i] = taken;
            problem.start[n + i] = -taken;
            rest -= taken;
        }
    }
    problem
}

/// Estimates the targets of all rows of a workshop.
pub(crate) fn solve(
    workshop: &Workshop<'_>,
    targets: &[f64],
    costs: &[f64],
    tube: Tube,
) -> Result<Solved> {
    let n = targets.len();
    let problem = problem(targets, costs, tube);
    let rows: Vec<u32> = (0..n as u32).chain(0..n as u32).collect();
    let solution = workshop.solve(&rows, &problem, &mut DenseSolver::new())?;
    let rho = match tube {
        Tube::Width(_) => solution.multiplier(&problem, 0),
        Tube::Share(_) => f64::midpoint(
            solution.multiplier(&problem, 0),
            solution.multiplier(&problem, 1),
        ),
    };
    let coefficients: Vec<f64> = (0..n)
        .map(|i| solution.beta[i] + solution.beta[n + i])
        .collect();
    let bounded = (0..n)
        .filter(|&i| coefficients[i].abs() >= costs[i])
        .count();
    Ok(Solved {
        coefficients,
        beta: solution.beta,
        rho,
        objective: solution.objective,
        iterations: solution.iterations,
        status: solution.status,
        bounded,
        sigmoid: None,
    })
}
