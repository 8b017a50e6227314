//! Which classes of a node go to which side.
//!
//! With two classes there is nothing to choose. With more, two groupings are tried, and the one whose
//! hyperplane gains more is kept: the two clusters of the class means (2-means, each class weighed
//! by its mass, started from the two means that are farthest apart), which keeps alike classes
//! together, and the heaviest class against all others, which takes it out of the way.

use crate::data::SamplesView;

/// Passes of 2-means: a handful of points settles at once.
const MAX_PASSES: usize = 20;

/// The groupings to try: −1 or +1 for each class. `codes` are those of the rows, `masses` those
/// of the classes. Of two classes `positive` goes above.
pub(super) fn groupings(
    rows: SamplesView<'_>,
    codes: &[u32],
    masses: &[f64],
    positive: u32,
) -> Vec<Vec<f64>> {
    let present: Vec<usize> = (0..masses.len()).filter(|&c| masses[c] > 0.0).collect();
    match present[..] {
        [] | [_] => Vec::new(),
        [first, second] => {
            let above = if first == positive as usize {
                first
            } else {
                second
            };
            vec![sides(masses.len(), |c| c == above)]
        }
        _ => {
            let heaviest = present.iter().copied().fold(present[0], |best, c| {
                if masses[c] > masses[best] { c } else { best }
            });
            let clusters = two_means(&class_means(rows, codes, masses.len()), masses, &present);
            let mut both = vec![clusters];
            let alone = sides(masses.len(), |c| c == heaviest);
            if !same_split(&both[0], &alone, &present) {
                both.push(alone);
            }
            both
        }
    }
}

fn sides(n_classes: usize, is_above: impl Fn(usize) -> bool) -> Vec<f64> {
    (0..n_classes)
        .map(|c| if is_above(c) { 1.0 } else { -1.0 })
        .collect()
}

/// True if two groupings part the present classes the same way.
fn same_split(a: &[f64], b: &[f64], present: &[usize]) -> bool {
    let equal = present.iter().filter(|&&c| a[c] == b[c]).count();
    equal == 0 || equal == present.len()
}

/// Mean of the rows of each class.
fn class_means(rows: SamplesView<'_>, codes: &[u32], n_classes: usize) -> Vec<Vec<f64>> {
    let mut means = vec![vec![0.0; rows.n_features()]; n_classes];
    let mut counts = vec![0.0; n_classes];
    for (i, &code) in codes.iter().enumerate() {
        let mean = &mut means[code as usize];
        rows.row(i).for_each(|f, x| mean[f] += x);
        counts[code as usize] += 1.0;
    }
    for (mean, count) in means.iter_mut().zip(counts) {
        if count > 0.0 {
            for x in mean {
                *x /= count;
            }
        }
    }
    means
}

fn sq_dist(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

fn two_means(means: &[Vec<f64>], masses: &[f64], present: &[usize]) -> Vec<f64> {
    let mut farthest = (present[0], present[1]);
    let mut most = f64::NEG_INFINITY;
    for (at, &a) in present.iter().enumerate() {
        for &b in &present[at + 1..] {
            let apart = sq_dist(&means[a], &means[b]);
            if apart > most {
                most = apart;
                farthest = (a, b);
            }
        }
    }
    let mut centres = [means[farthest.0].clone(), means[farthest.1].clone()];
    let assign = |centres: &[Vec<f64>; 2]| {
        let mut assigned = sides(masses.len(), |c| {
            sq_dist(&means[c], &centres[1]) < sq_dist(&means[c], &centres[0])
        });
        // Neither side may be empty, even if all means coincide.
        let above = present.iter().filter(|&&c| assigned[c] > 0.0).count();
        if above == 0 || above == present.len() {
            assigned = sides(masses.len(), |c| c == farthest.1);
        }
        assigned
    };
    let mut assigned = assign(&centres);
    for _ in 0..MAX_PASSES {
        for (side, centre) in [-1.0, 1.0].into_iter().zip(&mut centres) {
            centre.fill(0.0);
            let mut total = 0.0;
            for &c in present.iter().filter(|&&c| assigned[c] == side) {
                total += masses[c];
                for (sum, x) in centre.iter_mut().zip(&means[c]) {
                    *sum += masses[c] * x;
                }
            }
            for sum in centre {
                *sum /= total;
            }
        }
        let next = assign(&centres);
        if next == assigned {
            break;
        }
        assigned = next;
    }
    assigned
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Samples;

    #[test]
    fn alike_classes_stay_together() {
        let samples = Samples::dense(4, 1, vec![0.0, 1.0, 10.0, 11.0]).expect("shape");
        let found = groupings(samples.view(), &[0, 1, 2, 3], &[1.0; 4], 0);
        assert_eq!(found[0], [-1.0, -1.0, 1.0, 1.0]);
        assert_eq!(found[1], [1.0, -1.0, -1.0, -1.0]);
    }

    #[test]
    fn coinciding_means_still_give_two_sides() {
        let samples = Samples::dense(3, 1, vec![2.0; 3]).expect("shape");
        for found in groupings(samples.view(), &[0, 1, 2], &[1.0; 3], 0) {
            assert!(found.contains(&1.0) && found.contains(&-1.0), "{found:?}");
        }
    }

    #[test]
    fn absent_classes_are_left_out() {
        let samples = Samples::dense(2, 1, vec![0.0, 1.0]).expect("shape");
        let found = groupings(samples.view(), &[0, 2], &[1.0, 0.0, 1.0], 0);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0][0], found[0][2]), (1.0, -1.0));
        assert!(groupings(samples.view(), &[2, 2], &[0.0, 0.0, 2.0], 0).is_empty());
    }
}
