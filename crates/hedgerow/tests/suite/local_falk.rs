//! FaLK-SVM: the covering, identities with the global SVM, threads, files, updates, explanations.

use hedgerow::data::{ClassLabels, Dataset, Generator, Samples, Target, generate};
use hedgerow::kernel::{Kernel, KernelSpec};
use hedgerow::local::{Assign, Cover, FalkParams, FalkSvm, LocalModel, UpdateParams};
use hedgerow::neighbours::DistanceMetric;
use hedgerow::svm::SvcParams;
use hedgerow::{Prediction, Predictor};
use proptest::prelude::*;

/// All ways in which machines are asked.
const EVERY_WAY: [Assign; 4] = [
    Assign::Nearest,
    Assign::Centre,
    Assign::Vote(3),
    Assign::Blend(3),
];

/// Two noisy classes in a square, with some rows repeated.
fn noisy(n: usize, n_features: usize, n_classes: usize, seed: u64) -> Dataset {
    let mut generator = Generator::new(seed);
    let mut values = Vec::new();
    let mut labels = Vec::new();
    for i in 0..n {
        if i > 0 && generator.uniform() < 0.1 {
            let copied = generator.below(i);
            let row: Vec<f64> = values[copied * n_features..(copied + 1) * n_features].to_vec();
            values.extend(row);
        } else {
            values.extend((0..n_features).map(|_| generator.range(-1.0, 1.0)));
        }
        let x: &[f64] = &values[i * n_features..];
        let wave = (3.0 * x[0]).sin() + x[n_features - 1] + 0.2 * generator.normal();
        let class = ((wave + 2.0) / 4.0 * n_classes as f64).floor();
        labels.push(class.clamp(0.0, n_classes as f64 - 1.0));
    }
    let samples = Samples::dense(n, n_features, values).expect("samples");
    Dataset::new(samples, Target::Classes(ClassLabels::from_numbers(&labels))).expect("data")
}

fn params(k: usize) -> FalkParams {
    FalkParams::default()
        .with_neighbours(k)
        .with_cost(10.0)
        .with_kernel(Kernel::rbf(2.0))
}

fn classes(model: &impl Predictor, data: &Dataset) -> Vec<u32> {
    match model.predict(data.samples().view()).expect("answers") {
        Prediction::Classes(codes) => codes,
        Prediction::Real(_) => panic!("classes"),
    }
}

fn distance(model: &FalkSvm, a: u32, b: u32) -> f64 {
    let view = model.samples();
    let (x, y) = (view.row(a as usize), view.row(b as usize));
    DistanceMetric::Euclidean
        .distance(x, y, view.n_features())
        .expect("a distance")
}

/// Neighbour rank of every row seen from `centre`: the centre itself first, ties by row.
fn ranks(model: &FalkSvm, centre: u32) -> Vec<u32> {
    let mut order: Vec<u32> = (0..model.n_rows() as u32).collect();
    order.sort_by(|&a, &b| {
        let key = |row| (distance(model, centre, row), row);
        let (da, db) = (key(a), key(b));
        (b == centre)
            .cmp(&(a == centre))
            .then(da.0.total_cmp(&db.0))
            .then(da.1.cmp(&db.1))
    });
    let mut ranks = vec![0; order.len()];
    for (rank, &row) in (1u32..).zip(&order) {
        ranks[row as usize] = rank;
    }
    ranks
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn every_row_belongs_to_the_centre_that_ranks_it_first(
        n in 1..120usize,
        d in 1..4usize,
        k in 1..40usize,
        share in 0.05..1.0f64,
        seed in any::<u64>(),
    ) {
        let data = noisy(n, d, 2, seed);
        let params = params(k).with_core(share);
        let (_, core) = params.sizes(n);
        let model = params.fit(&data).unwrap().model;
        let tables: Vec<Vec<u32>> = model.centres().iter().map(|&c| ranks(&model, c)).collect();
        for row in 0..n {
            let (owner, rank) = model.owner_of(row);
            let best = tables.iter().map(|ranks| ranks[row]).min().unwrap();
            // Copies of a centre beyond its core are counted in at the last rank.
            if best as usize <= core {
                prop_assert_eq!(rank, best);
                let first = tables.iter().position(|ranks| ranks[row] == best).unwrap();
                prop_assert_eq!(owner as usize, first);
            } else {
                let centre = model.centres()[owner as usize];
                prop_assert_eq!(distance(&model, centre, row as u32), 0.0);
                prop_assert_eq!(rank as usize, core);
            }
        }
    }

    #[test]
    fn the_simple_cover_covers(n in 1..100usize, k in 1..30usize, seed in any::<u64>()) {
        let mut params = params(k);
        params.cover = Cover::Simple;
        params.local.solver.seed = seed;
        let (_, core) = params.sizes(n);
        let model = params.fit(&noisy(n, 2, 2, seed)).unwrap().model;
        for row in 0..n {
            let (owner, rank) = model.owner_of(row);
            let centre = model.centres()[owner as usize];
            prop_assert!(rank as usize <= core);
            prop_assert!(distance(&model, centre, row as u32) <= model.radii()[owner as usize].core);
        }
    }
}

#[test]
fn one_neighbourhood_of_all_rows_is_the_global_svm() {
    for n_classes in [2, 4] {
        let data = noisy(150, 3, n_classes, 5);
        let test = noisy(400, 3, n_classes, 6);
        let falk = params(150).with_core(1.0).fit(&data).unwrap().model;
        assert_eq!(falk.centres().len(), 1);
        let svm = SvcParams::default()
            .with_cost(10.0)
            .with_kernel(Kernel::rbf(2.0));
        let svm = svm.fit(&data).unwrap().model;
        let (ours, theirs) = (classes(&falk, &test), classes(&svm, &test));
        let equal = ours.iter().zip(&theirs).filter(|(a, b)| a == b).count();
        assert!(equal >= 399, "{equal} of 400 with {n_classes} classes");
    }
}

#[test]
fn a_core_of_one_row_makes_every_distinct_row_a_centre() {
    let mut generator = Generator::new(3);
    let values: Vec<f64> = (0..160).map(|_| generator.uniform()).collect();
    let labels: Vec<f64> = (0..80).map(|i| f64::from(i % 3 == 0)).collect();
    let samples = Samples::dense(80, 2, values).unwrap();
    let labels = ClassLabels::from_numbers(&labels);
    let data = Dataset::new(samples, Target::Classes(labels)).unwrap();
    let model = params(12).with_core(1e-9).fit(&data).unwrap().model;
    assert_eq!(model.centres().len(), 80);
    for row in 0..80 {
        let (owner, rank) = model.owner_of(row);
        assert_eq!((model.centres()[owner as usize] as usize, rank), (row, 1));
    }
}

#[test]
fn threads_do_not_change_the_model() {
    let data = noisy(700, 3, 3, 8);
    let mut params = params(60);
    params.local.probability = true;
    params.local.solver.kernel = KernelSpec::parse("rbf(gamma=q50)").unwrap();
    let models: Vec<Vec<u8>> = [1, 2, 8]
        .iter()
        .map(|&threads| {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            let model = pool.install(|| params.fit(&data)).unwrap().model;
            postcard::to_stdvec(&model).unwrap()
        })
        .collect();
    assert_eq!(models[0], models[1]);
    assert_eq!(models[0], models[2]);
}

#[test]
fn a_stored_model_answers_as_before() {
    let data = noisy(400, 3, 3, 9);
    let mut model = params(50).fit(&data).unwrap().model;
    let bytes = postcard::to_stdvec(&model).unwrap();
    let mut again: FalkSvm = postcard::from_bytes(&bytes).unwrap();
    let test = noisy(300, 3, 3, 10);
    for assign in EVERY_WAY {
        model.set_assign(assign);
        again.set_assign(assign);
        let view = test.samples().view();
        assert_eq!(model.predict(view).unwrap(), again.predict(view).unwrap());
        assert_eq!(model.scores(view).unwrap(), again.scores(view).unwrap());
    }
}

/// What every class gets from a model's decisions about a row, by definition: of each pair of its
/// classes one vote, divided by the decision value, of which only what lies within the margin counts
/// if there are more than two.
fn divided_votes(model: &FalkSvm, number: usize, x: &[f64], n_classes: usize) -> Vec<f64> {
    let mut votes = vec![0.0; n_classes];
    match &model.local_models()[number] {
        LocalModel::Constant(code) => votes[*code as usize] = n_classes as f64 - 1.0,
        LocalModel::Machines(all) => {
            let stored = model.samples();
            let near = |&row: &u32| {
                let mut y = vec![0.0; x.len()];
                stored.row(row as usize).write_dense(&mut y);
                let square: f64 = x.iter().zip(&y).map(|(a, b)| (a - b) * (a - b)).sum();
                (-2.0 * square).exp()
            };
            let values: Vec<f64> = all.support.iter().map(near).collect();
            let mut machines = all.machines.iter();
            for (a, &first) in all.classes.iter().enumerate() {
                for &second in &all.classes[a + 1..] {
                    let machine = machines.next().expect("a machine a pair");
                    let slots = machine.slots.clone();
                    let slots = slots.unwrap_or_else(|| (0..values.len() as u32).collect());
                    let terms = slots.iter().zip(&machine.coefficients);
                    let sum: f64 = terms.map(|(&at, beta)| beta * values[at as usize]).sum();
                    let decision = sum - machine.rho;
                    let share = match n_classes {
                        2 => 0.5 + 0.5 * decision,
                        _ => 0.5 + 0.5 * decision.clamp(-1.0, 1.0),
                    };
                    votes[first as usize] += share;
                    votes[second as usize] += 1.0 - share;
                }
            }
        }
    }
    votes
}

#[test]
fn blends_add_what_the_nearest_machines_say() {
    for n_classes in [2, 3] {
        let data = noisy(400, 2, n_classes, 21);
        let model = params(40)
            .with_assign(Assign::Blend(7))
            .fit(&data)
            .expect("a model")
            .model;
        let test = noisy(150, 2, n_classes, 22);
        let view = test.samples().view();
        let responsible = model.responsible(view).expect("centres");
        let scores = model.scores(view).expect("scores");
        let answers = classes(&model, &test);
        for (row, voters) in responsible.chunks_exact(7).enumerate() {
            let mut x = [0.0; 2];
            view.row(row).write_dense(&mut x);
            let mut sums = vec![0.0; n_classes];
            for &number in voters {
                let votes = divided_votes(&model, number as usize, &x, n_classes);
                sums.iter_mut()
                    .zip(votes)
                    .for_each(|(sum, v)| *sum += v / 7.0);
            }
            if n_classes == 2 {
                // One decision value in place of two shares.
                assert!((scores.values[row] - (sums[0] - sums[1])).abs() < 1e-3);
            } else {
                let told = &scores.values[row * n_classes..][..n_classes];
                let off = told.iter().zip(&sums).map(|(a, b)| (a - b).abs());
                assert!(off.fold(0.0, f64::max) < 1e-3, "{told:?}, {sums:?}");
            }
            let chosen = sums[answers[row] as usize];
            assert!(sums.iter().all(|&sum| sum <= chosen + 1e-3), "{sums:?}");
        }
    }
}

#[test]
fn a_blend_of_one_is_the_nearest_centre() {
    for n_classes in [2, 3] {
        let data = noisy(300, 3, n_classes, 23);
        let mut model = params(40).fit(&data).expect("a model").model;
        model.set_assign(Assign::Centre);
        let of_centre = classes(&model, &data);
        model.set_assign(Assign::Blend(1));
        assert_eq!(classes(&model, &data), of_centre);
        // Nobody is as good as the nearest, more than there are as all.
        model.set_assign(Assign::Blend(0));
        assert_eq!(classes(&model, &data), of_centre);
        model.set_assign(Assign::Blend(u32::MAX));
        assert_eq!(model.n_voters(), model.centres().len());
    }
    let none = params(40).with_assign(Assign::Blend(0));
    assert!(none.fit(&noisy(50, 2, 2, 24)).is_err());
}

#[test]
fn damaged_models_are_refused_or_answer() {
    let data = noisy(60, 2, 2, 11);
    let model = params(20).fit(&data).unwrap().model;
    let bytes = postcard::to_stdvec(&model).unwrap();
    let view = data.samples().view();
    let mut generator = Generator::new(1);
    let mut refused = 0;
    for _ in 0..600 {
        let mut damaged = bytes.clone();
        let at = generator.below(damaged.len());
        damaged[at] ^= 1 << generator.below(8);
        match postcard::from_bytes::<FalkSvm>(&damaged) {
            Ok(model) => {
                if let Ok(Prediction::Classes(codes)) = model.predict(view) {
                    let n_classes = model.classes().unwrap().len() as u32;
                    assert!(codes.iter().all(|&code| code < n_classes), "{at}");
                }
            }
            Err(_) => refused += 1,
        }
    }
    // Most bytes are values of the rows and of the machines, where any number will do.
    assert!(refused > 60, "{refused} of 600");
}

#[test]
fn answers_do_not_depend_on_the_batch() {
    let data = noisy(500, 3, 2, 12);
    let test = noisy(100, 3, 2, 13);
    let polynomial = Kernel::Polynomial {
        gamma: 1.0,
        coef0: 1.0,
        degree: 3,
    };
    // Machines that are asked about few rows and about many, in single and in double precision.
    for k in [40, 400] {
        for kernel in [Kernel::rbf(2.0), polynomial.clone()] {
            let model = params(k).with_kernel(kernel).fit(&data).unwrap().model;
            let together = model.scores(test.samples().view()).unwrap();
            for i in 0..100 {
                let alone = model.scores(test.samples().select(&[i]).view()).unwrap();
                assert_eq!(alone.row(0), together.row(i));
            }
        }
    }
}

#[test]
fn sparse_rows_are_treated_like_dense_ones() {
    let data = noisy(300, 3, 2, 14);
    let test = noisy(200, 3, 2, 15);
    let as_sparse = |data: &Dataset| {
        let view = data.samples().view();
        let (mut starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
        for i in 0..view.n_rows() {
            view.row(i).for_each(|f, value| {
                indices.push(f as u32);
                values.push(value);
            });
            starts.push(indices.len());
        }
        let matrix = hedgerow::data::CsrMatrix::new(3, starts, indices, values).unwrap();
        data.with_samples(Samples::Sparse(matrix)).unwrap()
    };
    let dense = params(50).fit(&data).unwrap().model;
    let sparse = params(50).fit(&as_sparse(&data)).unwrap().model;
    assert_eq!(dense.centres(), sparse.centres());
    assert_eq!(classes(&dense, &test), classes(&sparse, &as_sparse(&test)));
}

#[test]
fn probabilities_sum_to_one_and_favour_the_answer() {
    let data = noisy(600, 2, 3, 16);
    let mut params = params(80);
    params.local.probability = true;
    let model = params.fit(&data).unwrap().model;
    let view = data.samples().view();
    let table = model.probabilities(view).unwrap();
    let codes = classes(&model, &data);
    let mut agree = 0;
    for (i, &code) in codes.iter().enumerate() {
        let row = table.row(i);
        assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        assert!(row.iter().all(|p| (0.0..=1.0).contains(p)));
        agree += usize::from(hedgerow::svm::largest(row) == code);
    }
    assert!(agree > 540, "{agree} of 600");
}

#[test]
fn local_regression_follows_a_curve() {
    let mut generator = Generator::new(17);
    let x: Vec<f64> = (0..800).map(|_| generator.range(0.0, 10.0)).collect();
    let y: Vec<f64> = x.iter().map(|x| (3.0 * x).sin() * x).collect();
    let data = Dataset::new(Samples::dense(800, 1, x).unwrap(), Target::Real(y.clone())).unwrap();
    let mut params = FalkParams::default().with_neighbours(60).with_cost(100.0);
    params.local.epsilon = 0.01;
    let model = params.fit(&data).unwrap().model;
    let Prediction::Real(found) = model.predict(data.samples().view()).unwrap() else {
        panic!("regression");
    };
    let mse = found
        .iter()
        .zip(&y)
        .map(|(a, b)| (a - b).powi(2))
        .sum::<f64>()
        / 800.0;
    assert!(mse < 0.01, "{mse}");
}

#[test]
fn two_spirals_are_followed_with_a_width_of_their_own_everywhere() {
    let data = generate::two_spirals(600).unwrap();
    let mut params = FalkParams::default().with_neighbours(60).with_cost(1000.0);
    params.local.solver.kernel = KernelSpec::parse("rbf(gamma=q10)").unwrap();
    let model = params.fit(&data).unwrap().model;
    let codes = classes(&model, &data);
    assert_eq!(codes, data.classes().unwrap().codes());
}

/// Every live row lies in the core of the centre that it belongs to.
fn ensure_covered(model: &FalkSvm, removed: &[u32]) {
    for row in 0..model.n_rows() as u32 {
        if removed.contains(&row) {
            continue;
        }
        let (owner, _) = model.owner_of(row as usize);
        let centre = model.centres()[owner as usize];
        assert!(!removed.contains(&centre), "centre {centre} was removed");
        let radius = model.radii()[owner as usize].core;
        let found = distance(model, centre, row);
        assert!(
            found <= radius,
            "row {row}: {found} from a core of {radius}"
        );
    }
    for model in model.local_models() {
        if let LocalModel::Machines(machines) = model {
            assert!(machines.support.iter().all(|row| !removed.contains(row)));
        }
    }
}

/// Rows that came when they could not matter are judged when they can: the same machines are
/// trained anew as if they had been judged at once.
#[test]
fn rows_that_wait_are_judged_later_as_they_would_have_been_at_once() {
    let (first, more) = (noisy(600, 2, 2, 1), noisy(120, 2, 2, 2));
    let fitted = params(60).fit(&first).unwrap().model;
    let update = |model: &mut FalkSvm, rows: Option<&Dataset>, refresh: f64| {
        let params = UpdateParams { refresh };
        model.update(rows, &[], &params).unwrap().retrained
    };
    let mut at_once = fitted.clone();
    let expected = update(&mut at_once, Some(&more), 0.0);
    assert!(expected > 0 && expected < fitted.centres().len());
    let mut later = fitted;
    assert_eq!(update(&mut later, Some(&more), 1.0), 0);
    let bytes = postcard::to_allocvec(&later).unwrap();
    let mut later: FalkSvm = postcard::from_bytes(&bytes).unwrap();
    assert_eq!(update(&mut later, None, 0.0), expected);
    assert_eq!(update(&mut later, None, 0.0), 0);
}

#[test]
fn a_stream_keeps_the_covering_and_the_accuracy() {
    let test = noisy(1500, 2, 2, 99);
    let truth = test.classes().unwrap().codes().to_vec();
    let accuracy = |model: &FalkSvm| {
        let codes = classes(model, &test);
        codes.iter().zip(&truth).filter(|(a, b)| a == b).count() as f64 / 1500.0
    };
    for refresh in [0.0, 0.02] {
        let mut rows: Vec<Dataset> = (0..6).map(|part| noisy(200, 2, 2, part)).collect();
        let mut model = params(60).fit(&rows[0]).unwrap().model;
        let mut removed: Vec<u32> = Vec::new();
        let mut generator = Generator::new(4);
        for part in &rows[1..] {
            let mut gone = Vec::new();
            while gone.len() < 40 {
                let row = generator.below(model.n_rows()) as u32;
                if !removed.contains(&row) && !gone.contains(&row) {
                    gone.push(row);
                }
            }
            let report = model
                .update(Some(part), &gone, &UpdateParams { refresh })
                .unwrap();
            assert_eq!((report.added, report.removed), (200, 40));
            removed.extend(gone);
            ensure_covered(&model, &removed);
        }
        let mut all = rows.remove(0);
        for part in &rows {
            let mut samples = all.samples().clone();
            samples.append(part.samples().view()).unwrap();
            let mut labels = all.classes().unwrap().clone();
            labels.append(part.classes().unwrap());
            all = Dataset::new(samples, Target::Classes(labels)).unwrap();
        }
        let kept: Vec<usize> = (0..1200)
            .filter(|&row| !removed.contains(&(row as u32)))
            .collect();
        let fresh = params(60).fit(&all.select(&kept)).unwrap().model;
        let (updated, fresh) = (accuracy(&model), accuracy(&fresh));
        assert!(
            updated > fresh - 0.015,
            "{updated} after updates, {fresh} afresh"
        );
    }
}

#[test]
fn wrong_removals_leave_the_model_as_it_was() {
    let data = noisy(100, 2, 2, 20);
    let mut model = params(30).fit(&data).unwrap().model;
    let before = model.clone();
    let update = UpdateParams::default();
    assert!(model.update(None, &[100], &update).is_err());
    assert!(model.update(None, &[3, 3], &update).is_err());
    let all: Vec<u32> = (0..100).collect();
    assert!(model.update(None, &all, &update).is_err());
    let wide = Dataset::new(
        Samples::dense(1, 3, vec![0.0; 3]).unwrap(),
        Target::Classes(ClassLabels::from_numbers(&[1.0])),
    );
    assert!(model.update(Some(&wide.unwrap()), &[], &update).is_err());
    assert!(model == before);
    model.update(None, &[3], &update).unwrap();
    assert!(model.update(None, &[3], &update).is_err());
}

#[test]
fn an_update_that_fails_halfway_leaves_the_model_as_it_was() {
    let data = noisy(120, 2, 2, 25);
    let quadratic = params(30).with_kernel(Kernel::polynomial(1.0, 1.0, 2));
    let mut model = quadratic.fit(&data).unwrap().model;
    let before = model.clone();
    // The first row is fine and of a new class, the second too large for the kernel.
    let rows = Samples::dense(2, 2, vec![0.5, 0.5, 1e200, 0.0]).unwrap();
    let labels = ClassLabels::from_numbers(&[7.0, 0.0]);
    let added = Dataset::new(rows, Target::Classes(labels)).unwrap();
    let failed = model.update(Some(&added), &[3], &UpdateParams::default());
    let told = failed.unwrap_err().to_string();
    assert!(told.starts_with("row 2"), "{told}");
    assert!(model == before);
    let view = data.samples().view();
    assert_eq!(model.predict(view).unwrap(), before.predict(view).unwrap());
    model
        .update(Some(&data), &[3], &UpdateParams::default())
        .unwrap();
    assert_eq!(model.n_rows(), 240);
}

#[test]
fn a_row_without_distances_is_named() {
    let data = noisy(120, 2, 2, 26);
    let quadratic = params(30).with_kernel(Kernel::polynomial(1.0, 1.0, 2));
    let mut model = quadratic.fit(&data).unwrap().model;
    let rows = Samples::dense(3, 2, vec![0.1, 0.2, 1e160, 0.0, 0.3, 0.1]).unwrap();
    for assign in EVERY_WAY {
        model.set_assign(assign);
        let told = model.predict(rows.view()).unwrap_err().to_string();
        assert!(told.starts_with("row 2 "), "{told}");
    }
}

#[test]
fn a_new_class_is_learnt() {
    let data = noisy(200, 2, 2, 21);
    let mut model = params(40).fit(&data).unwrap().model;
    let mut generator = Generator::new(22);
    let values: Vec<f64> = (0..120).map(|_| generator.range(4.0, 5.0)).collect();
    let labels = ClassLabels::from_numbers(&[7.0; 60]);
    let far = Dataset::new(
        Samples::dense(60, 2, values).unwrap(),
        Target::Classes(labels),
    )
    .unwrap();
    model
        .update(Some(&far), &[], &UpdateParams::default())
        .unwrap();
    assert_eq!(model.classes().unwrap().len(), 3);
    let view = far.samples().view();
    assert_eq!(
        model.predict(view).unwrap(),
        Prediction::Classes(vec![2; 60])
    );
}

#[test]
fn explanations_add_up() {
    for n_classes in [2, 3] {
        let data = noisy(300, 2, n_classes, 23);
        let model = params(60).fit(&data).unwrap().model;
        let test = noisy(40, 2, n_classes, 24);
        let view = test.samples().view();
        let codes = classes(&model, &test);
        for (i, told) in model.explain(view, usize::MAX).unwrap().iter().enumerate() {
            assert_eq!(told.answer, f64::from(codes[i]));
            assert_eq!(model.centres()[told.model as usize], told.centre);
            assert!(told.size as usize <= 60);
            let LocalModel::Machines(machines) = &model.local_models()[told.model as usize] else {
                assert!(told.influences.is_empty() && told.margin.is_none());
                continue;
            };
            assert_eq!(told.influences.len(), machines.support.len());
            let heavier =
                |pair: &[hedgerow::local::Influence]| pair[0].weight.abs() >= pair[1].weight.abs();
            assert!(told.influences.windows(2).all(heavier));
            if machines.machines.len() == 1 {
                // Towards the winning class: sum of the influences minus the signed threshold.
                let sum: f64 = told.influences.iter().map(|one| one.weight).sum();
                let sign = if machines.classes[0] == codes[i] {
                    1.0
                } else {
                    -1.0
                };
                let value = sum - sign * machines.machines[0].rho;
                assert!(
                    (value - told.margin.unwrap()).abs() < 1e-3,
                    "{value} {told:?}"
                );
            }
        }
        // As many as were asked for, the heaviest of all.
        let (few, all) = (
            model.explain(view, 2).unwrap(),
            model.explain(view, 1000).unwrap(),
        );
        for (few, all) in few.iter().zip(&all) {
            let expected = &all.influences[..all.influences.len().min(2)];
            assert_eq!(few.influences, expected);
        }
        let longest = few.iter().map(|told| told.influences.len()).max();
        assert_eq!(longest, Some(2));
    }
}

/// More rows than a kernel matrix has room for: the exact SVM's solver takes over, and one
/// neighbourhood of all rows is the exact SVM.
#[test]
fn neighbourhoods_may_be_of_any_size() {
    let data = generate::two_spirals(6_250).unwrap();
    let n = data.n_rows();
    assert_eq!(n, 12_500);
    let kernel = Kernel::rbf(40.0);
    let params = FalkParams::default().with_neighbours(n).with_core(1.0);
    let falk = params.with_kernel(kernel.clone()).fit(&data).unwrap();
    assert_eq!(falk.model.centres().len(), 1);
    let exact = SvcParams::default().with_kernel(kernel).fit(&data).unwrap();
    let (a, b) = (falk.report.objective, exact.report.objective);
    assert!((a / b - 1.0).abs() < 1e-4, "{a} and {b}");
    let test = data.select(&(0..n).step_by(97).collect::<Vec<_>>());
    assert_eq!(names(&falk.model, &test), names(&exact.model, &test));
}

/// Names of the classes answered.
fn names(model: &impl Predictor, data: &Dataset) -> Vec<String> {
    let known = model.classes().expect("classes");
    let codes = classes(model, data).into_iter();
    codes.map(|code| known[code as usize].to_string()).collect()
}
