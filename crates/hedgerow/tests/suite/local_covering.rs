//! Coverings of so many rows that they are made from several trees, against brute force.

use hedgerow::data::{ClassLabels, Dataset, Generator, Samples, Target};
use hedgerow::kernel::Kernel;
use hedgerow::local::{FalkParams, FalkSvm};
use hedgerow::neighbours::DistanceMetric;

/// Rows of very different density, some of them twice.
fn uneven(n_rows: usize, n_features: usize, seed: u64) -> Dataset {
    let mut generator = Generator::new(seed);
    let mut values: Vec<f64> = Vec::new();
    for i in 0..n_rows {
        if i > 0 && generator.uniform() < 0.05 {
            let copied = generator.below(i) * n_features;
            values.extend_from_within(copied..copied + n_features);
        } else {
            let spread = 10f64.powi(generator.below(3) as i32 - 2);
            values.extend((0..n_features).map(|_| spread * generator.normal()));
        }
    }
    let labels: Vec<f64> = (0..n_rows)
        .map(|i| f64::from(values[i * n_features] > 0.0))
        .collect();
    let samples = Samples::dense(n_rows, n_features, values).expect("samples");
    Dataset::new(samples, Target::Classes(ClassLabels::from_numbers(&labels))).expect("data")
}

/// Neighbour rank of every row seen from a centre, by looking at all of them: the centre itself
/// first, equally near rows in their order.
fn ranks(model: &FalkSvm, centre: u32) -> Vec<u32> {
    let view = model.samples();
    let from = view.row(centre as usize);
    let mut order: Vec<(bool, f64, u32)> = (0..view.n_rows() as u32)
        .map(|row| {
            let to = view.row(row as usize);
            let distance = DistanceMetric::Euclidean.distance(from, to, view.n_features());
            (row != centre, distance.expect("a distance"), row)
        })
        .collect();
    order.sort_by(|a, b| {
        (a.0.cmp(&b.0))
            .then(a.1.total_cmp(&b.1))
            .then(a.2.cmp(&b.2))
    });
    let mut ranks = vec![0; order.len()];
    for (rank, (_, _, row)) in (1..).zip(order) {
        ranks[row as usize] = rank;
    }
    ranks
}

#[test]
fn many_rows_lie_in_the_core_of_the_centre_that_ranks_them_first() {
    // Enough rows that the first trees have upper levels only, and enough of them left over for
    // further trees.
    for (n_rows, n_features, k) in [(5000, 2, 40), (4200, 5, 300)] {
        let data = uneven(n_rows, n_features, 7);
        let params = FalkParams::default()
            .with_neighbours(k)
            .with_kernel(Kernel::Linear);
        let (_, core) = params.sizes(n_rows);
        let model = params.fit(&data).expect("fits").model;
        let centres = model.centres();
        // Neither so few that cores could not hold all rows, nor as many as without overlap in
        // mind: a covering, not a list of rows.
        assert!(centres.len() >= n_rows / core, "{}", centres.len());
        assert!(centres.len() < 8 * n_rows / core, "{}", centres.len());
        let mut best = vec![(u32::MAX, usize::MAX); n_rows];
        for (number, &centre) in centres.iter().enumerate() {
            for (best, rank) in best.iter_mut().zip(ranks(&model, centre)) {
                // The earlier centre on ties.
                if rank < best.0 {
                    *best = (rank, number);
                }
            }
        }
        for (row, best) in best.into_iter().enumerate() {
            let (owner, rank) = model.owner_of(row);
            assert!(rank as usize <= core, "row {row}: rank {rank}");
            assert_eq!((rank, owner as usize), best, "row {row}");
        }
    }
}
