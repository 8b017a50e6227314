//! Noise reduction against brute force and other routes to the same answer.

#![allow(clippy::unwrap_used, reason = "what fails fails the test")]

use hedgerow::clean::{
    AknnParams, BbnrParams, Edit, Editor, EnnParams, FalkNrParams, KnnSvmNrParams, RennParams,
    Threshold, choose_threshold, evidence,
};
use hedgerow::data::{ClassLabels, Dataset, Generator, Samples, Target, generate};
use hedgerow::kernel::Kernel;
use hedgerow::local::{FalkGrid, KnnSvmParams};
use hedgerow::svm::SvcParams;
use hedgerow::{Error, Prediction, Predictor};

/// Rows on a coarse grid, so that copies and equal distances abound.
fn gridded(n: usize, classes: usize, seed: u64) -> Dataset {
    let mut generator = Generator::new(seed);
    let values: Vec<f64> = (0..2 * n).map(|_| generator.below(7) as f64).collect();
    let labels: Vec<f64> = (0..n).map(|_| generator.below(classes) as f64).collect();
    let samples = Samples::dense(n, 2, values).unwrap();
    Dataset::new(samples, Target::Classes(ClassLabels::from_numbers(&labels))).unwrap()
}

fn distance(data: &Dataset, i: usize, j: usize) -> f64 {
    let mut rows = [[0.0; 2]; 2];
    data.samples().view().row(i).write_dense(&mut rows[0]);
    data.samples().view().row(j).write_dense(&mut rows[1]);
    (rows[0][0] - rows[1][0]).hypot(rows[0][1] - rows[1][1])
}

/// The `k` nearest of the rows in `among` other than `i`, by (distance, row).
fn nearest(data: &Dataset, i: usize, k: usize, among: &[bool]) -> Vec<usize> {
    let others = (0..data.n_rows()).filter(|&j| j != i && among[j]);
    let mut list: Vec<(f64, usize)> = others.map(|j| (distance(data, i, j), j)).collect();
    list.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    list.into_iter().take(k).map(|(_, j)| j).collect()
}

fn stands(codes: &[u32], own: u32, list: &[usize], conservative: bool) -> bool {
    let count = |code: u32| list.iter().filter(|&&j| codes[j] == code).count();
    let rival = (0..4).filter(|&c| c != own).map(count).max().unwrap();
    list.is_empty() || count(own) > rival || (conservative && count(own) == rival)
}

fn brute_enn(data: &Dataset, k: usize, conservative: bool, among: &[bool]) -> Vec<bool> {
    let codes = data.classes().unwrap().codes();
    let keeps =
        |i: usize| among[i] && stands(codes, codes[i], &nearest(data, i, k, among), conservative);
    (0..data.n_rows()).map(keeps).collect()
}

#[test]
fn votes_are_those_of_the_definition() {
    for seed in 0..20 {
        let data = gridded(40, 2 + (seed as usize) % 3, seed);
        let codes = data.classes().unwrap().codes();
        let all = vec![true; 40];
        for k in [1, 2, 3, 4, 7, 39, 100] {
            for conservative in [false, true] {
                let enn = EnnParams::default()
                    .with_neighbours(k)
                    .with_conservative(conservative);
                let enn = enn.edit(&data).unwrap().keep;
                assert_eq!(enn, brute_enn(&data, k, conservative, &all));
                let aknn = AknnParams::default().with_neighbours(k);
                let aknn = aknn
                    .with_conservative(conservative)
                    .edit(&data)
                    .unwrap()
                    .keep;
                let expected: Vec<bool> = (0..40)
                    .map(|i| {
                        let list = nearest(&data, i, k, &all);
                        let sizes = 1..=list.len();
                        sizes
                            .into_iter()
                            .all(|j| stands(codes, codes[i], &list[..j], conservative))
                    })
                    .collect();
                assert_eq!(aknn, expected, "seed {seed}, k {k}");
                if k == 1 {
                    assert_eq!(enn, aknn);
                }
                let mut left = all.clone();
                loop {
                    let next = brute_enn(&data, k, conservative, &left);
                    if next == left {
                        break;
                    }
                    left = next;
                }
                let renn = RennParams::default().with_neighbours(k);
                let renn = renn
                    .with_conservative(conservative)
                    .edit(&data)
                    .unwrap()
                    .keep;
                assert_eq!(renn, left, "seed {seed}, k {k}");
            }
        }
    }
}

#[test]
fn repeated_editing_ends_at_a_fixed_point() {
    let data = generate::checkerboard(500, 4, 0.1, 3).unwrap();
    let left = RennParams::default()
        .edit(&data)
        .unwrap()
        .apply(&data)
        .unwrap();
    assert!(left.n_rows() < 500);
    assert!(
        EnnParams::default()
            .edit(&left)
            .unwrap()
            .removed()
            .is_empty()
    );
}

/// BBNR from its definition, each vote counted anew.
fn brute_bbnr(data: &Dataset, k: usize) -> Vec<bool> {
    let codes = data.classes().unwrap().codes();
    let n = data.n_rows();
    let vote = |t: usize, left: &[bool]| {
        let list = nearest(data, t, k, left);
        let count = |code: u32| list.iter().filter(|&&j| codes[j] == code).count();
        let most = list.iter().map(|&j| count(codes[j])).max()?;
        let first = list.iter().find(|&&j| count(codes[j]) == most)?;
        Some(codes[*first])
    };
    let mut left = vec![true; n];
    let (mut coverage, mut liability) = (vec![Vec::new(); n], vec![0; n]);
    for t in 0..n {
        let right = vote(t, &left) == Some(codes[t]);
        for c in nearest(data, t, k, &left) {
            match (right, codes[c] == codes[t]) {
                (true, true) => coverage[c].push(t),
                (false, false) => liability[c] += 1,
                _ => {}
            }
        }
    }
    let mut order: Vec<usize> = (0..n).filter(|&c| liability[c] > 0).collect();
    order.sort_by_key(|&c| (std::cmp::Reverse(liability[c]), c));
    for c in order {
        left[c] = false;
        if coverage[c]
            .iter()
            .any(|&t| vote(t, &left) != Some(codes[t]))
        {
            left[c] = true;
        }
    }
    left
}

#[test]
fn blame_is_that_of_the_definition() {
    for seed in 0..20 {
        let data = gridded(45, 2 + (seed as usize) % 3, 100 + seed);
        for k in [1, 3, 4, 44] {
            let found = BbnrParams::default()
                .with_neighbours(k)
                .edit(&data)
                .unwrap();
            assert_eq!(found.keep, brute_bbnr(&data, k), "seed {seed}, k {k}");
        }
    }
}

fn nr(k: usize) -> KnnSvmNrParams {
    let mut params = KnnSvmNrParams::default().with_neighbours(k);
    params.local.solver.kernel = Kernel::rbf(20.0).into();
    params
}

#[test]
fn a_row_is_judged_by_a_machine_that_never_saw_it() {
    let data = generate::checkerboard(60, 2, 0.1, 5).unwrap();
    let codes = data.classes().unwrap().codes();
    let soft = nr(15).edit(&data).unwrap().opinions.unwrap();
    let hard = nr(15).with_rule(Threshold::Hard).edit(&data).unwrap();
    for i in 0..60 {
        let others: Vec<usize> = (0..60).filter(|&j| j != i).collect();
        let machine = KnnSvmParams::default()
            .with_neighbours(15)
            .with_kernel(Kernel::rbf(20.0))
            .with_probability(true);
        let model = machine.fit(&data.select(&others)).unwrap().model;
        let row = data.samples().select(&[i]);
        let p = model.probabilities(row.view()).unwrap();
        let own = codes[i] as usize;
        assert!((p.values[own] - soft[i].trust).abs() < 1e-9, "row {i}");
        let Prediction::Classes(answer) = model.predict(row.view()).unwrap() else {
            panic!("a classifier");
        };
        assert_eq!(hard.keep[i], answer[0] == codes[i], "row {i}");
    }
}

#[test]
fn thresholds_mean_what_they_say() {
    let data = generate::checkerboard(120, 2, 0.1, 6).unwrap();
    let edit = |params: KnnSvmNrParams| params.edit(&data).unwrap();
    assert!(edit(nr(20).with_threshold(-1.0)).removed().is_empty());
    let usual = edit(nr(20).with_threshold(0.4));
    let trust = |edit: &Edit, i: usize| edit.opinions.as_ref().unwrap()[i].trust;
    for i in 0..120 {
        assert_eq!(usual.keep[i], trust(&usual, i) > 0.4);
    }
    let redundant = edit(nr(20).with_rule(Threshold::Redundancy).with_upper(0.9));
    let both = nr(20)
        .with_rule(Threshold::TwoSided)
        .with_threshold(0.4)
        .with_upper(0.9);
    let both = edit(both);
    for i in 0..120 {
        assert_eq!(redundant.keep[i], trust(&usual, i) < 0.9);
        assert_eq!(both.keep[i], usual.keep[i] && redundant.keep[i]);
    }
    let wrong = nr(20)
        .with_rule(Threshold::TwoSided)
        .with_threshold(0.9)
        .with_upper(0.5);
    assert!(matches!(
        wrong.edit(&data),
        Err(Error::Parameter { name: "upper", .. })
    ));
}

#[test]
fn the_threshold_is_chosen_by_rows_that_are_not_edited() {
    let data = generate::checkerboard(150, 2, 0.12, 8).unwrap();
    let choice = choose_threshold(&nr(20), &data, 5).unwrap();
    assert_eq!(choice.thresholds.len(), 19);
    let best = choice.accuracies[choice.best];
    assert!(choice.accuracies.iter().all(|&other| other <= best));
    assert!(
        choice.accuracies[..choice.best]
            .iter()
            .all(|&other| other < best)
    );
    let mut params = nr(20);
    params.threshold_folds = 5;
    let chosen = params.edit(&data).unwrap();
    let expected = nr(20).with_threshold(choice.thresholds[choice.best]);
    assert_eq!(chosen.keep, expected.edit(&data).unwrap().keep);
}

#[test]
fn one_neighbourhood_of_all_rows_judges_as_the_svm_of_all_rows() {
    let data = generate::checkerboard(200, 2, 0.08, 9).unwrap();
    let mut params = FalkNrParams::default().with_neighbours(200).with_core(1.0);
    params.local.solver.kernel = Kernel::rbf(20.0).into();
    params.local.cost = 10.0;
    let edit = params.edit(&data).unwrap();
    let svm = SvcParams::default()
        .with_cost(10.0)
        .with_kernel(Kernel::rbf(20.0));
    let model = svm.fit(&data).unwrap().model;
    let Prediction::Classes(answers) = model.predict(data.samples().view()).unwrap() else {
        panic!("a classifier");
    };
    let scores = model.scores(data.samples().view()).unwrap().values;
    // The model has its classes in the order of their names, the data in that of the rows.
    let labels = data.classes().unwrap();
    let names = model.classes().unwrap();
    let is_own =
        |i: usize| names[answers[i] as usize] == labels.names()[labels.codes()[i] as usize];
    for i in 0..200 {
        // Both solvers stop at 1e-3.
        if scores[i].abs() > 5e-3 {
            assert_eq!(edit.keep[i], is_own(i), "row {i}");
        }
    }
    assert!(edit.removed().len() > 5);
}

/// Mean precision at the places of the flipped rows when all rows are ranked by trust.
fn average_precision(trust: &[f64], flipped: &[bool]) -> f64 {
    let mut order: Vec<usize> = (0..trust.len()).collect();
    order.sort_by(|&a, &b| trust[a].total_cmp(&trust[b]).then(a.cmp(&b)));
    let (mut found, mut sum) = (0.0, 0.0);
    for (place, &row) in order.iter().enumerate() {
        if flipped[row] {
            found += 1.0;
            sum += found / (place + 1) as f64;
        }
    }
    sum / found
}

#[test]
fn flipped_labels_are_found() {
    let clean = generate::checkerboard(600, 2, 0.0, 11).unwrap();
    let labels = clean.classes().unwrap();
    let mut generator = Generator::new(1);
    let flipped: Vec<bool> = (0..600).map(|_| generator.uniform() < 0.1).collect();
    let flip = |(&code, &yes): (&u32, &bool)| if yes { 1 - code } else { code };
    let codes = labels.codes().iter().zip(&flipped).map(flip).collect();
    let labels = ClassLabels::new(labels.names().to_vec(), codes).unwrap();
    let data = Dataset::new(clean.samples().clone(), Target::Classes(labels)).unwrap();
    let mut falk = FalkNrParams::default().with_neighbours(100);
    falk.local.solver.kernel = Kernel::rbf(20.0).into();
    for edit in [nr(40).edit(&data).unwrap(), falk.edit(&data).unwrap()] {
        let opinions = edit.opinions.as_ref().unwrap();
        let trust: Vec<f64> = opinions.iter().map(|one| one.trust).collect();
        let precision = average_precision(&trust, &flipped);
        assert!(precision > 0.85, "{precision}");
        let relabelled = edit.relabelled(data.classes().unwrap()).unwrap();
        let truth = clean.classes().unwrap().codes();
        let right = relabelled.iter().zip(truth).filter(|(a, b)| a == b).count();
        assert!(right > 570, "{right}");
    }
}

#[test]
fn judgements_do_not_depend_on_the_number_of_threads() {
    let data = generate::checkerboard(300, 3, 0.05, 12).unwrap();
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build().unwrap().install(|| {
            [
                EnnParams::default().edit(&data).unwrap(),
                RennParams::default().edit(&data).unwrap(),
                BbnrParams::default().edit(&data).unwrap(),
                nr(30).edit(&data).unwrap(),
                FalkNrParams::default()
                    .with_neighbours(60)
                    .edit(&data)
                    .unwrap(),
            ]
        })
    };
    let one = run(1);
    assert_eq!(one, run(2));
    assert_eq!(one, run(8));
}

fn all_editors(data: &Dataset) -> Vec<hedgerow::Result<Edit>> {
    vec![
        EnnParams::default().edit(data),
        RennParams::default().edit(data),
        AknnParams::default().edit(data),
        BbnrParams::default().edit(data),
        KnnSvmNrParams::default().edit(data),
        FalkNrParams::default().edit(data),
    ]
}

#[test]
fn hostile_data_have_a_defined_outcome() {
    let of = |values: Vec<f64>, labels: &[f64]| {
        let samples = Samples::dense(labels.len(), values.len() / labels.len().max(1), values);
        let target = Target::Classes(ClassLabels::from_numbers(labels));
        Dataset::new(samples.unwrap(), target).unwrap()
    };
    // One row has nobody to speak against it.
    for edit in all_editors(&of(vec![1.0], &[1.0])) {
        assert_eq!(edit.unwrap().keep, [true]);
    }
    // One class.
    for edit in all_editors(&of((0..20).map(f64::from).collect(), &[3.0; 20])) {
        assert!(edit.unwrap().removed().is_empty());
    }
    // Two rows of two labels: each contradicts the other.
    for edit in all_editors(&of(vec![0.0, 1.0], &[1.0, 2.0]))
        .into_iter()
        .take(3)
    {
        let edit = edit.unwrap();
        assert_eq!(edit.keep, [false, false]);
        let labels = ClassLabels::from_numbers(&[1.0, 2.0]);
        assert_eq!(edit.vanished(&labels), [0, 1]);
    }
    // All rows equal.
    let labels: Vec<f64> = (0..30).map(|i| f64::from(i % 3 == 0)).collect();
    for edit in all_editors(&of(vec![5.0; 60], &labels)) {
        assert_eq!(edit.unwrap().keep.len(), 30);
    }
    // No rows.
    let none = Dataset::new(
        Samples::dense(0, 2, Vec::new()).unwrap(),
        Target::Classes(ClassLabels::from_numbers(&[])),
    );
    for edit in all_editors(&none.unwrap()) {
        assert!(matches!(edit, Err(Error::NoRows)));
    }
    let real = Samples::dense(2, 1, vec![0.0, 1.0]).unwrap();
    let real = Dataset::new(real, Target::Real(vec![0.0, 1.0])).unwrap();
    for edit in all_editors(&real) {
        assert!(matches!(edit, Err(Error::Target { .. })));
    }
}

#[test]
fn evidence_is_the_nearest_of_both_sides() {
    let data = gridded(50, 3, 77);
    let codes = data.classes().unwrap().codes();
    let rows: Vec<u32> = (0..50).collect();
    let found = evidence(data.samples().view(), codes, &rows, 4).unwrap();
    for i in 0..50 {
        for (list, same) in [(&found[i].same, true), (&found[i].other, false)] {
            let side: Vec<bool> = codes.iter().map(|&c| (c == codes[i]) == same).collect();
            let rows: Vec<usize> = list.iter().map(|near| near.row as usize).collect();
            assert_eq!(rows, nearest(&data, i, 4, &side));
        }
    }
}

fn fact(edit: &Edit, name: &str) -> f64 {
    let found = edit.facts.iter().find(|(fact, _)| *fact == name);
    found.expect("a fact of FaLKNR").1
}

#[test]
fn falknr_takes_a_tenth_of_the_rows_unless_told() {
    for (rows, expected) in [(300, 100.0), (2000, 200.0), (12_000, 1000.0)] {
        let data = generate::checkerboard(rows, 4, 0.0, 3).unwrap();
        let edit = FalkNrParams::default().edit(&data).unwrap();
        assert_eq!(fact(&edit, "neighbours"), expected, "{rows} rows");
        // Nothing is wrong here; a thousand of 2000 rows would remove two fifths of them.
        let removed = edit.removed().len() as f64 / rows as f64;
        assert!(rows == 300 || removed < 0.1, "{rows} rows: {removed}");
    }
}

/// The scores of the same search, and the rule applied to them by hand.
#[test]
fn falknr_selects_the_smallest_cost_within_one_standard_error_of_the_best() {
    let mut chosen = Vec::new();
    for (noise, flipped) in [(0.0, 0.0), (0.02, 0.1), (0.05, 0.3)] {
        let board = generate::checkerboard(1500, 4, noise, 5).unwrap();
        let data = generate::flip_labels(&board, flipped, 6).unwrap();
        let mut params = FalkNrParams::default().with_neighbours(300);
        params.select = true;
        let grid = FalkGrid::default()
            .with_neighbours(&[300])
            .with_costs(&[1.0, 10.0, 100.0])
            .with_kernels(vec![params.local.solver.kernel.clone()]);
        let (_, search) = params.machine(1500).select(&data, &grid).unwrap();
        let best = search
            .candidates
            .iter()
            .max_by(|a, b| a.score.total_cmp(&b.score))
            .unwrap();
        let error = best.deviation / (search.rows.len() as f64).sqrt();
        let expected = search
            .candidates
            .iter()
            .find(|one| one.score >= best.score - error)
            .unwrap();
        let edit = params.edit(&data).unwrap();
        assert_eq!(fact(&edit, "cost"), expected.cost, "{noise} {flipped}");
        chosen.push((expected.cost, best.cost));
    }
    // The rule is seen at work: larger costs are taken where they are needed, and only there.
    assert!(chosen.iter().any(|(cost, _)| *cost > 1.0), "{chosen:?}");
    assert!(chosen.iter().any(|(cost, best)| cost < best), "{chosen:?}");
}
