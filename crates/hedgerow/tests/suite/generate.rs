//! Generators: stated statistics, reproducibility, the catalogue.

#![allow(clippy::unwrap_used)] // Helpers of tests may fail as loudly as the tests.

use hedgerow::Error;
use hedgerow::data::generate::{
    self, CATALOGUE, NdccParams, NdccProbesParams, RareMixtureParams, by_name,
};
use hedgerow::data::{ClassName, Dataset};
use hedgerow::evaluate::ranking::{Ties, auc};
use hedgerow::evaluate::statistics::mean_and_deviation;

const NONE: [(&str, f64); 0] = [];

fn rows(data: &Dataset) -> Vec<Vec<f64>> {
    let mut row = vec![0.0; data.n_features()];
    (0..data.n_rows())
        .map(|i| {
            data.samples().view().row(i).write_dense(&mut row);
            row.clone()
        })
        .collect()
}

/// Label of each row as a number.
fn labels(data: &Dataset) -> Vec<f64> {
    let labels = data.classes().unwrap();
    let number = |&code: &u32| match labels.names()[code as usize] {
        ClassName::Number(value) => value,
        ClassName::Text(_) => panic!("labels are numbers"),
    };
    labels.codes().iter().map(number).collect()
}

fn positive_share(data: &Dataset) -> f64 {
    let labels = labels(data);
    labels.iter().filter(|&&y| y > 0.0).count() as f64 / labels.len() as f64
}

/// Accuracy of the k nearest neighbours by brute force.
fn knn_accuracy(train: &Dataset, test: &Dataset, k: usize) -> f64 {
    let (x, y) = (rows(train), labels(train));
    let (u, v) = (rows(test), labels(test));
    let mut hits = 0;
    for (point, truth) in u.iter().zip(&v) {
        let mut near: Vec<(f64, f64)> = x
            .iter()
            .zip(&y)
            .map(|(row, &label)| {
                let sq_dist = row.iter().zip(point).map(|(a, b)| (a - b).powi(2));
                (sq_dist.sum(), label)
            })
            .collect();
        near.select_nth_unstable_by(k - 1, |a, b| a.0.total_cmp(&b.0));
        let vote: f64 = near[..k].iter().map(|n| n.1).sum();
        hits += usize::from(vote * truth > 0.0);
    }
    hits as f64 / v.len() as f64
}

/// 1-NN accuracy averaged over pairs of seeds.
fn nearest_accuracy(make: impl Fn(u64) -> Dataset) -> f64 {
    let pairs = [(1, 2), (3, 4), (5, 6), (7, 8)];
    let values = pairs.map(|(a, b)| knn_accuracy(&make(a), &make(b), 1));
    values.iter().sum::<f64>() / 4.0
}

#[track_caller]
fn near(found: f64, expected: f64, slack: f64) {
    assert!(
        (found - expected).abs() <= slack,
        "found {found}, expected {expected} ± {slack}"
    );
}

#[test]
fn every_generator_is_reproducible_and_seeds_differ() {
    for entry in CATALOGUE {
        let rows = entry.rows.min(600);
        let first = by_name(entry.name, Some(rows), 3, &NONE).unwrap();
        let again = by_name(entry.name, Some(rows), 3, &NONE).unwrap();
        assert_eq!(first, again, "{}", entry.name);
        let found = first.n_rows() as f64;
        assert!((found / rows as f64 - 1.0).abs() < 0.05, "{}", entry.name);
        let names = first.feature_names().unwrap();
        assert_eq!((names[0].as_str(), names.len()), ("x1", first.n_features()));
        let mut classes = labels(&first);
        classes.sort_by(f64::total_cmp);
        classes.dedup();
        let expected: &[f64] = match entry.name {
            "blobs" => &[1.0, 2.0, 3.0],
            _ => &[-1.0, 1.0],
        };
        assert_eq!(classes, expected, "{}", entry.name);
        if entry.name != "two-spirals" {
            let other = by_name(entry.name, Some(rows), 4, &NONE).unwrap();
            assert_ne!(first.samples(), other.samples(), "{}", entry.name);
        }
        // Defaults given by hand change nothing; every option is understood.
        let defaults: Vec<(&str, f64)> = entry.all_options().map(|o| (o.name, o.default)).collect();
        let given = by_name(entry.name, Some(rows), 3, &defaults).unwrap();
        assert_eq!(first, given, "{}", entry.name);
        assert!(!entry.description.is_empty());
    }
}

#[test]
fn usual_sizes_are_as_described() {
    for (name, expected) in [
        ("two-spirals", 600),
        ("cb", 1600),
        ("sin", 1500),
        ("decsin", 1010),
        ("den", 489),
        ("banana", 185),
    ] {
        assert_eq!(by_name(name, None, 1, &NONE).unwrap().n_rows(), expected);
    }
}

#[test]
fn unknown_names_options_and_values_are_errors() {
    let unknown = by_name("spirals", None, 1, &NONE);
    assert!(matches!(unknown, Err(Error::UnknownName { .. })));
    let unknown = by_name("cb", None, 1, &[("cells", 3.0)]);
    assert!(matches!(unknown, Err(Error::UnknownName { .. })));
    for (name, option, value) in [
        ("cb", "noise", -1.0),
        ("cb", "noise", f64::NAN),
        ("cb", "flip", 1.5),
        ("ndcc", "dimension", 2.5),
        ("ndcc", "dimension", 40.0),
        ("blobs", "classes", 0.0),
        ("rare-mixture", "clusters", 1.0),
        ("decsin", "layers", 0.0),
        ("den", "dense", 0.0),
    ] {
        let found = by_name(name, Some(100), 1, &[(option, value)]);
        assert!(
            matches!(found, Err(Error::Parameter { .. })),
            "{name} {option}"
        );
    }
    assert!(by_name("banana", Some(0), 1, &NONE).is_err());
}

#[test]
fn spirals_are_mirror_images_that_reach_radius_two() {
    let data = generate::two_spirals(300).unwrap();
    let (x, y) = (rows(&data), labels(&data));
    for pair in 0..300 {
        assert_eq!((y[2 * pair], y[2 * pair + 1]), (1.0, -1.0));
        for f in 0..2 {
            assert_eq!(x[2 * pair][f], -x[2 * pair + 1][f]);
        }
    }
    let radius = |row: &Vec<f64>| row[0].hypot(row[1]);
    near(radius(&x[599]), 2.0, 1e-12);
    // The first point, at t = π/30: (1/300)^2.5 of the radius.
    near(radius(&x[0]), 2.0 * 300f64.powf(-2.5), 1e-15);
}

#[test]
fn noisy_spirals_have_the_stated_accuracies() {
    // At a tenth of the usual size the accuracies are already those of the full one.
    let train = generate::noisy_two_spirals(5000, 0.4, 1).unwrap();
    let test = generate::noisy_two_spirals(1500, 0.4, 2).unwrap();
    near(positive_share(&train), 0.5, 0.0);
    near(knn_accuracy(&train, &test, 1), 0.829, 0.02);
    near(knn_accuracy(&train, &test, 25), 0.886, 0.02);
}

#[test]
fn grid_checkerboard_has_the_stated_accuracies() {
    for (noise, expected) in [(0.01, 0.950), (0.03, 0.814), (0.05, 0.725)] {
        let found = nearest_accuracy(|seed| generate::grid_checkerboard(40, noise, seed).unwrap());
        near(found, expected, 0.02);
    }
    let clean = generate::grid_checkerboard(40, 0.0, 1).unwrap();
    near(positive_share(&clean), 0.5, 0.0);
}

#[test]
fn sinusoid_has_the_stated_accuracies() {
    for (noise, expected) in [(0.075, 0.973), (0.15, 0.808), (0.25, 0.671)] {
        let found = nearest_accuracy(|seed| generate::sinusoid(750, 0.2, noise, seed).unwrap());
        near(found, expected, 0.02);
    }
}

#[test]
fn flipped_labels_add_the_stated_error() {
    // Unedited 1-NN errs e0 + 2p(1-p) when training and test labels are flipped.
    let clean = nearest_accuracy(|seed| by_name("sin", None, seed, &NONE).unwrap());
    let flipped = nearest_accuracy(|seed| by_name("sin", None, seed, &[("flip", 0.1)]).unwrap());
    near(clean - flipped, 0.18, 0.025);
    let data = generate::blobs(20_000, 2, 3, 1.0, 1).unwrap();
    let noisy = generate::flip_labels(&data, 0.3, 2).unwrap();
    let pairs = labels(&data).into_iter().zip(labels(&noisy));
    let mut moved = [[0.0; 4]; 4];
    for (from, to) in pairs {
        moved[from as usize][to as usize] += 1.0 / 20_000.0;
    }
    for from in 1..4 {
        for to in 1..4 {
            let expected = if from == to { 0.7 } else { 0.15 } / 3.0;
            near(moved[from][to], expected, 0.006);
        }
    }
    assert_eq!(noisy.feature_names(), data.feature_names());
}

#[test]
fn thinning_removes_from_one_class_only() {
    let data = generate::RareMixtureParams::default()
        .with_rare_fraction(0.2)
        .build()
        .unwrap()
        .sample(1000, 1)
        .unwrap();
    let thin = generate::thin_class(&data, None, 0.75, 1).unwrap();
    assert_eq!(thin.n_rows(), 850);
    near(positive_share(&thin), 50.0 / 850.0, 1e-12);
    let name = ClassName::Number(-1.0);
    let thin = generate::thin_class(&data, Some(&name), 0.5, 1).unwrap();
    near(positive_share(&thin), 200.0 / 600.0, 1e-12);
    let missing = generate::thin_class(&data, Some(&ClassName::Number(7.0)), 0.5, 1);
    assert!(matches!(missing, Err(Error::UnknownClass { .. })));
}

#[test]
fn checker_b_puts_the_stated_share_across_an_edge() {
    let data = generate::checker_b(100_000, 5).unwrap();
    near(positive_share(&data), 0.5, 0.01);
    let colour = |x: f64| (4.0 * x).floor() as i64;
    let crossed = rows(&data)
        .iter()
        .zip(labels(&data))
        .filter(|(x, y)| {
            let even = (colour(x[0]) + colour(x[1])).rem_euclid(2) == 0;
            let outside = x.iter().any(|v| !(0.0..1.0).contains(v));
            !outside && even != (*y > 0.0)
        })
        .count();
    near(crossed as f64 / 100_000.0, 0.058, 0.004);
}

#[test]
fn decsin_is_separated_by_its_curve() {
    let data = by_name("decsin", None, 1, &[("noise", 0.0)]).unwrap();
    let c = 1.0 / (5.0 * std::f64::consts::PI);
    for (x, y) in rows(&data).iter().zip(labels(&data)) {
        assert!(x[0] >= 0.0 && x[0] <= 4.0 * std::f64::consts::PI + 1e-9);
        let scale = 1.0 - c * x[0];
        let height = (x[1] - (x[0] / scale).sin() * scale) * y;
        assert!(height >= scale * (1.0 - 1e-9), "{x:?}");
    }
    near(positive_share(&data), 0.5, 0.0);
    let noisy = nearest_accuracy(|seed| by_name("decsin", None, seed, &NONE).unwrap());
    assert!(noisy > 0.97);
}

#[test]
fn density_squares_do_not_overlap() {
    let data = by_name("den", None, 1, &NONE).unwrap();
    near(positive_share(&data), 225.0 / 489.0, 1e-12);
    for (x, y) in rows(&data).iter().zip(labels(&data)) {
        let inside = x.iter().all(|v| (0.325..=0.675).contains(v));
        // Noise of 0.005 does not carry a point over the edge's surroundings.
        if y > 0.0 {
            assert!(inside, "{x:?}");
        } else {
            assert!(x.iter().any(|v| !(0.36..=0.64).contains(v)), "{x:?}");
        }
    }
}

#[test]
fn ndcc_has_the_stated_balance_and_difficulty() {
    let make = |rows: usize, seed: u64| {
        let mut params = NdccParams::default();
        params.rows = rows;
        generate::ndcc(&params, seed).unwrap()
    };
    let train = make(20_000, 1);
    near(positive_share(&train), 0.61, 0.02);
    // 85% at 100,000 rows; a fifth of them costs k-NN a little.
    near(knn_accuracy(&train, &make(1000, 2), 11), 0.84, 0.035);
}

#[test]
fn ndcc_probes_come_last_and_say_nothing() {
    let mut params = NdccProbesParams::default();
    params.rows = 4000;
    let data = generate::ndcc_probes(&params, 1).unwrap();
    assert_eq!(data.n_features(), 120);
    near(positive_share(&data), 0.5, 0.1);
    let (x, y) = (rows(&data), labels(&data));
    for f in 0..120 {
        let column: Vec<f64> = x.iter().map(|row| row[f]).collect();
        let (mean, deviation) = mean_and_deviation(&column).unwrap();
        let products: Vec<f64> = column.iter().zip(&y).map(|(v, y)| v * y).collect();
        if f >= 20 {
            near(mean, 0.0, 0.08);
            near(deviation, 1.0, 0.06);
            near(mean_and_deviation(&products).unwrap().0, 0.0, 0.08);
        }
    }
    // Every informative row lies near a vertex: one large coordinate, the others small.
    for row in &x {
        let mut sizes: Vec<f64> = row[..20].iter().map(|v| v.abs()).collect();
        sizes.sort_by(f64::total_cmp);
        assert!(sizes[19] > 1.3 && sizes[18] < 0.7, "{sizes:?}");
    }
    // Training and test sets share the clusters: oracle features are learnable.
    let mut params = NdccProbesParams::default();
    params.probes = 0;
    params.rows = 2000;
    let train = generate::ndcc_probes(&params, 1).unwrap();
    params.rows = 300;
    let test = generate::ndcc_probes(&params, 2).unwrap();
    assert!(knn_accuracy(&train, &test, 1) > 0.95);
}

fn bayes_auc(params: &RareMixtureParams, n: usize, seed: u64) -> f64 {
    let mixture = params.clone().with_rare_fraction(0.5).build().unwrap();
    let data = mixture.sample(n, seed).unwrap();
    let scores = mixture.bayes_scores(data.samples().view()).unwrap();
    let positive: Vec<bool> = labels(&data).iter().map(|&y| y > 0.0).collect();
    auc(&positive, &scores, Ties::Half).unwrap()
}

#[test]
fn the_calibrated_mixture_has_the_reported_bayes_auc() {
    for (overlap, reported) in [(0.9, 0.668), (0.75, 0.695), (0.6, 0.744)] {
        let params = RareMixtureParams::default().with_overlap(overlap);
        // Within 0.01, plus three standard errors of the simulation.
        near(bayes_auc(&params, 200_000, 1), reported, 0.0135);
    }
}

#[test]
fn random_mixtures_have_the_stated_bayes_auc_on_average() {
    for (literal, overlap, expected) in [
        (false, 0.9, 0.656),
        (false, 0.75, 0.695),
        (false, 0.6, 0.720),
        (true, 0.9, 0.58),
        (true, 0.6, 0.58),
    ] {
        let values: Vec<f64> = (1..=40)
            .map(|structure| {
                let params = RareMixtureParams::default()
                    .with_overlap(overlap)
                    .with_literal(literal)
                    .with_structure(structure);
                bayes_auc(&params, 4000, 1)
            })
            .collect();
        let (mean, deviation) = mean_and_deviation(&values).unwrap();
        near(mean, expected, 0.015);
        assert!(deviation > 0.008 && deviation < 0.04, "{deviation}");
    }
}

#[test]
fn mixtures_have_the_stated_shape() {
    let params = RareMixtureParams::default().with_overlap(0.9);
    let mixture = params.build().unwrap();
    assert_eq!(mixture.rare_centres().len(), 6 * 5);
    assert_eq!(mixture.majority_centres().len(), 15 * 5);
    // The first majority centre is 0.9 of the second rare one and 0.1 of the first.
    let rare = mixture.rare_centres();
    near(
        mixture.majority_centres()[0],
        0.9 * rare[5] + 0.1 * rare[0],
        1e-15,
    );
    let data = mixture.sample(1000, 1).unwrap();
    near(positive_share(&data), 0.1, 0.0);
    // Centres do not depend on the overlap.
    let low = params.with_overlap(0.6).build().unwrap();
    assert_eq!(low.rare_centres(), rare);
}

#[test]
fn toys_have_the_stated_shape() {
    let data = generate::checkerboard(400, 4, 0.0, 7).unwrap();
    for (x, y) in rows(&data).iter().zip(labels(&data)) {
        let even = x.iter().map(|v| (4.0 * v) as u32).sum::<u32>() % 2 == 0;
        assert_eq!(even, y > 0.0);
    }
    let banana = |seed| generate::banana(185, 0.15, seed).unwrap();
    near(positive_share(&banana(1)), 93.0 / 185.0, 1e-12);
    assert!(nearest_accuracy(banana) > 0.93);
    let blobs = generate::blobs(90, 3, 3, 0.1, 2).unwrap();
    assert_eq!(blobs.classes().unwrap().counts(), [30, 30, 30]);
}
