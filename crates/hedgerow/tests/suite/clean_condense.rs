//! Condensing against its definitions, by brute force.

#![allow(clippy::unwrap_used, reason = "what fails fails the test")]

use hedgerow::clean::{CnnParams, Editor, FcnnParams, GcnnParams, Ib2Params, RnnParams, SnnParams};
use hedgerow::data::{ClassLabels, Dataset, Generator, Samples, Target};

/// Rows on a coarse grid with labels by place, so that copies abound but never contradict.
fn gridded(n: usize, classes: u32, seed: u64) -> (Dataset, Vec<[f64; 2]>, Vec<u32>) {
    let mut generator = Generator::new(seed);
    let rows: Vec<[f64; 2]> = (0..n)
        .map(|_| [generator.below(9) as f64, generator.below(9) as f64])
        .collect();
    let codes: Vec<u32> = rows
        .iter()
        .map(|[a, b]| (a * 7.0 + b * 3.0 + (seed % 5) as f64) as u32 / 5 % classes)
        .collect();
    let labels: Vec<f64> = codes.iter().map(|&code| f64::from(code)).collect();
    let samples = Samples::dense(n, 2, rows.concat()).unwrap();
    let target = Target::Classes(ClassLabels::from_numbers(&labels));
    (Dataset::new(samples, target).unwrap(), rows, codes)
}

fn far(a: [f64; 2], b: [f64; 2]) -> f64 {
    ((a[0] - b[0]).powi(2) + (a[1] - b[1]).powi(2)).sqrt()
}

/// The first of `members` by (distance, row).
fn nearest(rows: &[[f64; 2]], members: &[usize], x: usize) -> usize {
    let by = |&&a: &&usize, &&b: &&usize| {
        let (da, db) = (far(rows[x], rows[a]), far(rows[x], rows[b]));
        da.total_cmp(&db).then(a.cmp(&b))
    };
    *members.iter().min_by(by).unwrap()
}

fn first_of_classes(codes: &[u32]) -> Vec<usize> {
    let is_first = |&i: &usize| !codes[..i].contains(&codes[i]);
    (0..codes.len()).filter(is_first).collect()
}

fn brute_cnn(rows: &[[f64; 2]], codes: &[u32], one_pass: bool) -> Vec<usize> {
    let mut members = first_of_classes(codes);
    loop {
        let before = members.len();
        for x in 0..codes.len() {
            let wrong = codes[nearest(rows, &members, x)] != codes[x];
            if wrong && !members.contains(&x) {
                members.push(x);
            }
        }
        if one_pass || members.len() == before {
            members.sort_unstable();
            return members;
        }
    }
}

/// Whether all rows are right by 1-NN among the members.
fn consistent(rows: &[[f64; 2]], codes: &[u32], members: &[usize]) -> bool {
    (0..codes.len()).all(|x| codes[nearest(rows, members, x)] == codes[x])
}

#[test]
fn cnn_and_ib2_are_their_definitions() {
    for seed in 0..30 {
        let (data, rows, codes) = gridded(60, 2 + (seed % 3) as u32, seed);
        let cnn = CnnParams::default().edit(&data).unwrap().kept();
        assert_eq!(cnn, brute_cnn(&rows, &codes, false), "seed {seed}");
        assert!(consistent(&rows, &codes, &cnn));
        let ib2 = Ib2Params::default().edit(&data).unwrap().kept();
        assert_eq!(ib2, brute_cnn(&rows, &codes, true), "seed {seed}");
    }
}

#[test]
fn gcnn_absorbs_by_a_margin() {
    for seed in 0..20 {
        let (data, rows, codes) = gridded(50, 2, seed);
        let pairs = (0..50).flat_map(|i| (0..50).map(move |j| (i, j)));
        let gap = pairs
            .filter(|&(i, j)| codes[i] != codes[j])
            .map(|(i, j)| far(rows[i], rows[j]))
            .fold(f64::INFINITY, f64::min);
        for margin in [0.0, 0.5, 0.9] {
            let mut members = first_of_classes(&codes);
            loop {
                let before = members.len();
                for x in 0..50 {
                    let side = |same: bool| {
                        let own = members.iter().filter(|&&m| (codes[m] == codes[x]) == same);
                        own.map(|&m| far(rows[x], rows[m]))
                            .fold(f64::INFINITY, f64::min)
                    };
                    let absorbed = side(false) - side(true) > margin * gap;
                    if !absorbed && !members.contains(&x) {
                        members.push(x);
                    }
                }
                if members.len() == before {
                    break;
                }
            }
            members.sort_unstable();
            let found = GcnnParams::default()
                .with_margin(margin)
                .edit(&data)
                .unwrap();
            assert_eq!(found.kept(), members, "seed {seed}, margin {margin}");
        }
    }
}

#[test]
fn rnn_drops_what_no_row_needs() {
    for seed in 0..30 {
        let (data, rows, codes) = gridded(60, 2 + (seed % 3) as u32, seed);
        let mut members = brute_cnn(&rows, &codes, false);
        for p in members.clone() {
            let rest: Vec<usize> = members.iter().copied().filter(|&q| q != p).collect();
            if !rest.is_empty() && consistent(&rows, &codes, &rest) {
                members = rest;
            }
        }
        let found = RnnParams::default().edit(&data).unwrap().kept();
        assert_eq!(found, members, "seed {seed}");
    }
}

#[test]
fn fcnn_grows_by_the_nearest_wrong_row_of_each_cell() {
    for seed in 0..30 {
        let (data, rows, codes) = gridded(60, 2 + (seed % 3) as u32, seed);
        let mut members: Vec<usize> = Vec::new();
        for &first in &first_of_classes(&codes) {
            let own: Vec<usize> = (0..60).filter(|&i| codes[i] == codes[first]).collect();
            let mean = |f: usize| own.iter().map(|&i| rows[i][f]).sum::<f64>() / own.len() as f64;
            let centre = [mean(0), mean(1)];
            let by = |&&a: &&usize, &&b: &&usize| {
                far(rows[a], centre)
                    .total_cmp(&far(rows[b], centre))
                    .then(a.cmp(&b))
            };
            members.push(*own.iter().min_by(by).unwrap());
        }
        loop {
            let mut fresh = Vec::new();
            for &p in &members {
                let wrong = (0..60).filter(|&x| {
                    !members.contains(&x)
                        && nearest(&rows, &members, x) == p
                        && codes[x] != codes[p]
                });
                let wrong: Vec<usize> = wrong.collect();
                if !wrong.is_empty() {
                    fresh.push(nearest(&rows, &wrong, p));
                }
            }
            if fresh.is_empty() {
                break;
            }
            members.extend(fresh);
        }
        members.sort_unstable();
        let found = FcnnParams::default().edit(&data).unwrap().kept();
        assert_eq!(found, members, "seed {seed}");
        assert!(consistent(&rows, &codes, &found));
    }
}

#[test]
fn every_row_is_nearer_to_a_selected_friend_than_to_any_enemy() {
    for seed in 0..20 {
        let (data, rows, codes) = gridded(60, 2 + (seed % 3) as u32, seed);
        let found = SnnParams::default().edit(&data).unwrap().kept();
        for x in 0..60 {
            let enemies = (0..60).filter(|&e| codes[e] != codes[x]);
            let radius = enemies
                .map(|e| far(rows[x], rows[e]))
                .fold(f64::INFINITY, f64::min);
            let friend = |&&m: &&usize| codes[m] == codes[x] && far(rows[x], rows[m]) < radius;
            assert!(found.iter().any(|m| friend(&m)), "seed {seed}, row {x}");
        }
        assert!(found.len() < 60);
    }
}

#[test]
fn hostile_data_have_a_defined_outcome() {
    let of = |values: Vec<f64>, labels: &[f64]| {
        let samples = Samples::dense(labels.len(), values.len() / labels.len(), values).unwrap();
        Dataset::new(samples, Target::Classes(ClassLabels::from_numbers(labels))).unwrap()
    };
    let alternating: Vec<f64> = (0..10).map(|i| f64::from(i % 2)).collect();
    let sets = [
        (of(vec![3.0], &[1.0]), 1),
        (of((0..10).map(f64::from).collect(), &[1.0; 10]), 1),
        (of(vec![5.0; 10], &alternating), 2),
    ];
    for (data, least) in &sets {
        for edit in [
            CnnParams::default().edit(data),
            Ib2Params::default().edit(data),
            GcnnParams::default().edit(data),
            FcnnParams::default().edit(data),
            SnnParams::default().edit(data),
        ] {
            assert!(edit.unwrap().kept().len() >= *least);
        }
        assert!(!RnnParams::default().edit(data).unwrap().kept().is_empty());
    }
}
