//! Where the solver starts when some rows are held out.
//!
//! A fold differs from the whole neighbourhood in a few rows, and so does its solution. What the
//! held-out rows carried in the solution for all rows goes to the rows of the same label that are
//! most similar: the decision function hardly changes, and fewer pair updates are left to do. How many
//! fewer depends on the data: a fourth where nearly every row is a support vector, more where few are.

/// Writes coefficients that are 0 on held-out rows, within `bounds` in size, and sum to 0, near
/// those of a solution for all rows.
pub(super) fn without(
    solution: &[f64],
    held_out: &[bool],
    labels: &[i8],
    bounds: &[f64],
    matrix: &[f32],
    out: &mut Vec<f64>,
) {
    let n = solution.len();
    out.clear();
    out.extend_from_slice(solution);
    for p in (0..n).filter(|&p| held_out[p]) {
        out[p] = 0.0;
    }
    for p in (0..n).filter(|&p| held_out[p]) {
        let mut left = solution[p].abs();
        let similarity = &matrix[p * n..(p + 1) * n];
        while left > 0.0 {
            let can_take =
                |&q: &usize| !held_out[q] && labels[q] == labels[p] && out[q].abs() < bounds[q];
            let most_similar = (0..n)
                .filter(can_take)
                .max_by(|&a, &b| similarity[a].total_cmp(&similarity[b]));
            let Some(q) = most_similar else {
                break;
            };
            let moved = left.min(bounds[q] - out[q].abs());
            out[q] += moved * f64::from(labels[q]);
            left -= moved;
        }
    }
    // Where nobody had room, the other side gives back.
    let mut excess: f64 = out.iter().sum();
    for beta in out.iter_mut() {
        if *beta * excess > 0.0 {
            let given = beta.abs().min(excess.abs()) * excess.signum();
            *beta -= given;
            excess -= given;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{Gram, Kernel};
    use crate::machines::small::{Costs, SmallSvc};
    use crate::solve::smo::Limits;

    /// Similarity falls with the difference of positions.
    fn chain(n: usize) -> Vec<f32> {
        (0..n * n)
            .map(|at| -((at / n) as f32 - (at % n) as f32).abs())
            .collect()
    }

    fn seeded(solution: &[f64], held: &[usize], labels: &[i8], bounds: &[f64]) -> Vec<f64> {
        let held_out: Vec<bool> = (0..solution.len()).map(|p| held.contains(&p)).collect();
        let matrix = chain(solution.len());
        let mut out = Vec::new();
        without(solution, &held_out, labels, bounds, &matrix, &mut out);
        out
    }

    #[test]
    fn the_most_similar_row_of_the_label_takes_over() {
        let labels = [1, 1, -1, -1, 1];
        let solution = [0.0, 0.5, -0.25, -0.25, 0.0];
        let found = seeded(&solution, &[1], &labels, &[1.0; 5]);
        assert_eq!(found, [0.5, 0.0, -0.25, -0.25, 0.0]);
    }

    #[test]
    fn what_does_not_fit_goes_to_the_next() {
        let labels = [1, 1, -1, 1, 1];
        let solution = [0.75, 0.75, -1.5, 0.0, 0.0];
        let found = seeded(&solution, &[1], &labels, &[1.0, 1.0, 2.0, 1.0, 1.0]);
        assert_eq!(found, [1.0, 0.0, -1.5, 0.5, 0.0]);
    }

    #[test]
    fn without_room_the_other_side_gives_back() {
        let labels = [1, 1, -1, -1];
        let solution = [1.0, 1.0, -1.0, -1.0];
        let found = seeded(&solution, &[0], &labels, &[1.0; 4]);
        assert_eq!(found, [0.0, 1.0, 0.0, -1.0]);
    }

    #[test]
    fn folds_take_fewer_iterations_than_from_nothing() {
        let n = 300;
        let data = crate::data::generate::banana(n, 0.5, 3).expect("data");
        let labels: Vec<i8> = data
            .classes()
            .expect("classes")
            .codes()
            .iter()
            .map(|&code| if code == 0 { 1 } else { -1 })
            .collect();
        let limits = Limits {
            tolerance: 1e-3,
            max_iterations: None,
            max_seconds: None,
            shrinking: false,
        };
        let mut svc = SmallSvc::new();
        let rows = (0..n as u32).collect();
        Gram::new(&Kernel::rbf(2.0), data.samples().view(), rows)
            .and_then(|gram| gram.symmetric_into(svc.gram_mut(n)))
            .expect("a kernel matrix");
        let bounds = vec![10.0; n];
        let whole = svc
            .solve(&labels, Costs::Uniform(10.0), &limits)
            .expect("solved")
            .coefficients
            .to_vec();
        let (mut cold, mut seeded) = (0, 0);
        let mut start = Vec::new();
        for fold in 0..10 {
            let held_out: Vec<bool> = (0..n).map(|p| p < n / 2 && p % 10 == fold).collect();
            let kept: Vec<f64> = held_out
                .iter()
                .map(|&out| if out { 0.0 } else { 10.0 })
                .collect();
            without(&whole, &held_out, &labels, &bounds, svc.gram(), &mut start);
            let costs = Costs::PerRow(&kept);
            let from_seed = svc
                .solve_from(&start, &labels, costs, &limits)
                .expect("solved");
            let objective = from_seed.objective;
            seeded += from_seed.iterations;
            let from_zero = svc.solve(&labels, costs, &limits).expect("solved");
            cold += from_zero.iterations;
            let difference = (objective - from_zero.objective).abs();
            assert!(difference < 1e-3 * objective.abs(), "another optimum");
        }
        assert!(seeded < cold, "{seeded} against {cold}");
    }
}
