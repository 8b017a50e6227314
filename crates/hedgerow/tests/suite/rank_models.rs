//! Rankers: a worked example, identities between them, and hostile data.

use hedgerow::data::{
    ClassLabels, ClassName, CsrMatrix, Dataset, Generator, Samples, Target, generate,
};
use hedgerow::evaluate::ranking::{Ties, auc, mauc};
use hedgerow::evaluate::{Metric, evaluate};
use hedgerow::kernel::{Gram, Kernel};
use hedgerow::rank::{
    Answer, BasisWord, BoundSettings, FormWord, RankModel, RankRcParams, RankRndParams,
    RankSvmParams, SearchMetric,
};
use hedgerow::solve::pairwise::brute::PairLoss;
use hedgerow::{Error, Fitted, Prediction, Predictor, Status};
use proptest::prelude::*;

fn dataset(n_features: usize, values: Vec<f64>, labels: &[f64]) -> Dataset {
    let samples = Samples::dense(labels.len(), n_features, values).expect("finite");
    Dataset::new(samples, Target::Classes(ClassLabels::from_numbers(labels))).expect("sound")
}

fn toy() -> Dataset {
    let x = vec![-1.0, 0.0, 0.5, 1.5, 2.0, 3.0];
    dataset(1, x, &[-1.0, -1.0, 1.0, -1.0, 1.0, -1.0])
}

/// A rare class in clumps.
fn rare(n: usize, n_features: usize, share: f64, seed: u64) -> Dataset {
    let mut generator = Generator::new(seed);
    let (mut values, mut labels) = (Vec::new(), Vec::new());
    for i in 0..n {
        let positive = (i as f64) < share * n as f64;
        labels.push(if positive { 1.0 } else { -1.0 });
        for f in 0..n_features {
            let shift = if positive && f % 2 == i % 2 { 1.0 } else { 0.0 };
            values.push(generator.normal() + shift);
        }
    }
    dataset(n_features, values, &labels)
}

fn decisions(model: &RankModel, data: &Dataset) -> Vec<f64> {
    model.scores(data.samples().view()).expect("rows").values
}

/// Scores with the threshold put back.
fn raw(model: &RankModel, data: &Dataset) -> Vec<f64> {
    let values = decisions(model, data);
    values
        .iter()
        .map(|value| value + model.threshold())
        .collect()
}

/// Kernel functions at the rare rows alone.
fn tight(lambda: f64) -> RankRcParams {
    let params = RankRcParams {
        basis: BasisWord::Rare,
        ..RankRcParams::default()
    };
    params.with_lambda(lambda).with_tolerance(1e-10)
}

fn metric(model: &RankModel, data: &Dataset, wanted: Metric) -> f64 {
    let metrics = evaluate(model, data).expect("classes");
    metrics
        .iter()
        .find(|(metric, _)| *metric == wanted)
        .expect("two classes")
        .1
}

#[track_caller]
fn assert_near(found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    for (f, e) in found.iter().zip(expected) {
        assert!((f - e).abs() <= tolerance, "{found:?} {expected:?}");
    }
}

#[test]
fn the_worked_example_comes_out() {
    let data = toy();
    let params = tight(0.1).with_tolerance(1e-12);
    let fitted = params.fit(&data).expect("two classes");
    let machine = &fitted.model.expansion().machines[0];
    assert_near(&machine.coefficients, &[0.572_465, 0.723_866], 6e-7);
    assert_near(&[fitted.report.objective], &[0.363_553_7], 6e-8);
    let expected = [
        0.356_317, 0.763_846, 0.953_065, 1.104_159, 1.024_861, 0.639_958,
    ];
    assert_near(&raw(&fitted.model, &data), &expected, 6e-7);
    assert_near(&[metric(&fitted.model, &data, Metric::Auc)], &[0.75], 1e-12);
    assert_eq!(fitted.support, Some(vec![2, 4]));
    let full = RankSvmParams::default()
        .with_lambda(0.1)
        .with_tolerance(1e-10);
    let full = full.fit(&data).expect("two classes");
    assert_near(&[full.report.objective], &[0.306_326_1], 6e-8);
    let gap = raw(&fitted.model, &data)
        .iter()
        .zip(raw(&full.model, &data))
        .map(|(a, b)| (a - b).abs())
        .fold(0.0, f64::max);
    assert_near(&[gap], &[0.6755], 6e-5);
    let settings = BoundSettings {
        full_norm: Some(full.model.norm().expect("rows")),
        quadratic: true,
    };
    let bounds = fitted.model.bounds(&data, &settings).expect("rows");
    let projection = bounds.projection.expect("two classes");
    assert_near(
        &[projection.printed, projection.tight],
        &[20.0, 200f64.sqrt()],
        1e-9,
    );
    assert_near(
        &[bounds.residual.expect("two classes").printed],
        &[3.207],
        6e-4,
    );
    let perturbation = bounds.perturbation.expect("asked for");
    assert_near(&[perturbation.difference], &[0.794_301], 6e-7);
    assert_near(
        &[perturbation.quarter, perturbation.half],
        &[44.527, 42.035],
        6e-4,
    );
    let nystrom = bounds.nystrom;
    let root = (2.0f64 / 3.0).sqrt();
    assert_near(
        &[nystrom.printed, nystrom.tight],
        &[10.0 * 2f64.sqrt() * root, 10.0 * root],
        1e-9,
    );
    let exact = bounds.exact_certificate.expect("asked for");
    assert_near(
        &[exact.values, bounds.certificate.values],
        &[1.45, 2.81],
        6e-3,
    );
    assert!(exact.objective >= fitted.report.objective - full.report.objective);
}

#[test]
fn linearised_and_direct_problems_have_one_optimum() {
    let data = rare(300, 3, 0.1, 1);
    // Wide kernel functions are nearly dependent: small λ with them take the direct problem ages.
    let (wide, narrow) = (Kernel::rbf(0.15), Kernel::rbf(2.0));
    for (lambda, kernel) in [
        (0.25, &wide),
        (2f64.powi(-8), &wide),
        (0.25, &narrow),
        (2f64.powi(-8), &narrow),
        (2f64.powi(-14), &narrow),
    ] {
        let params = tight(lambda).with_kernel(kernel.clone());
        let linearised = params.fit(&data).expect("two classes");
        let mut direct = RankRcParams {
            solver: FormWord::Direct,
            ..params
        };
        direct.ranking.max_iterations = 5000;
        let direct = direct.fit(&data).expect("two classes");
        assert_eq!(linearised.report.status, Status::Converged);
        assert_eq!(direct.report.status, Status::Converged);
        let (a, b) = (linearised.report.objective, direct.report.objective);
        assert!((a - b).abs() <= 1e-6 * a, "{lambda} {kernel}: {a} {b}");
    }
}

#[test]
fn a_basis_of_all_rows_is_rank_svm() {
    let data = rare(120, 2, 0.2, 2);
    for kernel in [Kernel::rbf(0.3), Kernel::polynomial(1.0, 1.0, 2)] {
        let all = RankRcParams {
            basis: BasisWord::All,
            ..tight(0.01).with_kernel(kernel.clone())
        };
        let svm = RankSvmParams::default()
            .with_lambda(0.01)
            .with_tolerance(1e-10)
            .with_kernel(kernel);
        let (all, svm) = (all.fit(&data).expect("fit"), svm.fit(&data).expect("fit"));
        assert_eq!(all.report.objective, svm.report.objective);
        assert_eq!(decisions(&all.model, &data), decisions(&svm.model, &data));
    }
}

/// The dual on pairs with the smoothed hinge, by coordinate ascent: its optimum is that of the
/// primal.
fn dual_objective(data: &Dataset, kernel: &Kernel, lambda: f64, smoothing: f64) -> f64 {
    let view = data.samples().view();
    let n = data.n_rows();
    let gram = Gram::in_double(kernel, view, (0..n as u32).collect()).expect("rows");
    let k = gram.values(view).expect("finite");
    let labels = data.classes().expect("classes");
    let is_high = |i: usize| labels.names()[labels.codes()[i] as usize] == ClassName::Number(1.0);
    let pairs: Vec<(usize, usize)> = (0..n)
        .filter(|&i| is_high(i))
        .flat_map(|i| (0..n).filter(|&j| !is_high(j)).map(move |j| (i, j)))
        .collect();
    let at = |i: usize, j: usize| k[i * n + j];
    let count = pairs.len() as f64;
    // max Σ a_p/N − ε Σ a_p²/N − (1/2λ)‖Σ a_p/N (φ_i − φ_j)‖², 0 ≤ a ≤ 1.
    let mut a = vec![0.0f64; pairs.len()];
    // f(x_r) of w = Σ a_p (φ_i − φ_j) / (λ N).
    let mut f = vec![0.0; n];
    for _ in 0..5000 {
        for (p, &(i, j)) in pairs.iter().enumerate() {
            let curvature = (at(i, i) + at(j, j) - 2.0 * at(i, j)) / (lambda * count);
            let slope = 1.0 - 2.0 * smoothing * a[p] - (f[i] - f[j]);
            let next = (a[p] + slope / (2.0 * smoothing + curvature)).clamp(0.0, 1.0);
            let by = (next - a[p]) / (lambda * count);
            for (r, f) in f.iter_mut().enumerate() {
                *f += by * (at(i, r) - at(j, r));
            }
            a[p] = next;
        }
    }
    let norm: f64 = pairs
        .iter()
        .zip(&a)
        .map(|(&(i, j), a)| a * (f[i] - f[j]))
        .sum::<f64>()
        / count;
    let linear: f64 = a.iter().map(|a| a - smoothing * a * a).sum::<f64>() / count;
    linear - 0.5 * norm
}

#[test]
fn the_dual_on_pairs_has_the_same_optimum() {
    let data = rare(24, 2, 0.25, 3);
    for (lambda, smoothing) in [(0.1, 0.5), (0.02, 0.5), (0.1, 0.25)] {
        for kernel in [Kernel::rbf(0.5), Kernel::Linear] {
            let svm = RankSvmParams::default()
                .with_lambda(lambda)
                .with_smoothing(smoothing)
                .with_tolerance(1e-10)
                .with_kernel(kernel.clone());
            let primal = svm.fit(&data).expect("fit").report.objective;
            let dual = dual_objective(&data, &kernel, lambda, smoothing);
            assert!((primal - dual).abs() < 1e-6, "{kernel} {primal} {dual}");
        }
    }
}

#[test]
fn linear_rank_svm_is_the_same_for_dense_and_sparse_rows_and_by_kernel() {
    let data = rare(200, 5, 0.2, 4);
    let view = data.samples().view();
    let (mut starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for i in 0..data.n_rows() {
        view.row(i).for_each(|f, value| {
            indices.push(f as u32);
            values.push(value);
        });
        starts.push(indices.len());
    }
    let sparse = CsrMatrix::new(5, starts, indices, values).expect("sound");
    let sparse = data.with_samples(Samples::Sparse(sparse)).expect("sound");
    let params = RankSvmParams::default()
        .with_lambda(0.01)
        .with_tolerance(1e-10)
        .with_kernel(Kernel::Linear);
    let dense = params.fit(&data).expect("fit");
    let other = params.fit(&sparse).expect("fit");
    assert!((dense.report.objective - other.report.objective).abs() < 1e-9);
    assert_near(
        &decisions(&dense.model, &data),
        &decisions(&other.model, &sparse),
        1e-6,
    );
    // As kernel functions at all rows.
    let by_kernel = RankRcParams {
        basis: BasisWord::RareRandom,
        basis_size: Some(200),
        ..tight(0.01).with_kernel(Kernel::Linear)
    };
    let by_kernel = by_kernel.fit(&data).expect("fit");
    assert!((dense.report.objective - by_kernel.report.objective).abs() < 1e-6);
}

#[test]
fn the_objective_is_that_of_the_pairs() {
    let data = rare(90, 2, 0.2, 5);
    let fitted = tight(0.02).fit(&data).expect("fit");
    let labels = data.classes().expect("classes");
    let levels: Vec<u32> = labels
        .codes()
        .iter()
        .map(|&code| u32::from(labels.names()[code as usize] == ClassName::Number(1.0)))
        .collect();
    let (sum, _) = PairLoss::SmoothedHinge(0.5).evaluate(&raw(&fitted.model, &data), &levels);
    let norm = fitted.model.norm().expect("rows");
    let objective = sum / (18.0 * 72.0) + 0.01 * norm * norm;
    assert!((objective - fitted.report.objective).abs() < 1e-6);
}

#[test]
fn the_search_takes_a_lambda_of_the_grid_that_ranks_well() {
    let data = rare(600, 4, 0.08, 6);
    for metric_of_search in [SearchMetric::Auc, SearchMetric::AveragePrecision] {
        let mut params = RankRcParams::default().with_seed(3);
        params.ranking.criterion = metric_of_search;
        let fitted = params.fit(&data).expect("fit");
        let exponent = fitted.model.lambda().log2();
        assert!((-20.0..=10.0).contains(&exponent) && exponent % 2.0 == 0.0);
        // On fresh rows nearly as good as the best of the grid.
        let fresh = rare(4000, 4, 0.08, 7);
        let positive: Vec<bool> = (0..4000).map(|i| i < 320).collect();
        let area = |model: &RankModel| {
            auc(&positive, &decisions(model, &fresh), Ties::Half).expect("both")
        };
        let grid: Vec<f64> = (-10..=5).map(|k| 4f64.powi(k)).collect();
        let path = params.fit_path(&data, &grid).expect("fit");
        let best = path.iter().map(|one| area(&one.model)).fold(0.0, f64::max);
        let chosen = area(&fitted.model);
        assert!(chosen > best - 0.03, "{chosen} {best}");
    }
}

#[test]
fn a_path_gives_what_its_lambdas_give_alone() {
    let data = rare(300, 3, 0.1, 8);
    let lambdas = [1.0, 0.01, 1e-4];
    let path = tight(1.0).fit_path(&data, &lambdas).expect("fit");
    for (lambda, together) in lambdas.iter().zip(path) {
        let alone = tight(*lambda).fit(&data).expect("fit");
        assert_eq!(alone.report.objective, together.report.objective);
        assert_eq!(alone.model, together.model);
    }
}

#[test]
fn bases_have_the_rows_that_they_say() {
    let data = rare(200, 2, 0.1, 9);
    let support = |basis: BasisWord, size: Option<usize>| {
        let params = RankRcParams {
            basis,
            basis_size: size,
            ..tight(0.1)
        };
        params
            .fit(&data)
            .expect("fit")
            .support
            .expect("kernel functions")
    };
    let rare_rows: Vec<u32> = (0..20).collect();
    assert_eq!(support(BasisWord::Rare, None), rare_rows);
    assert_eq!(support(BasisWord::Random, None).len(), 20);
    assert!(
        support(BasisWord::Random, Some(50))
            .iter()
            .any(|&row| row >= 20)
    );
    let more = support(BasisWord::RareRandom, Some(50));
    assert_eq!(more.len(), 50);
    assert!(rare_rows.iter().all(|row| more.contains(row)));
    let landmarks = support(BasisWord::Landmarks, Some(7));
    assert_eq!(landmarks.len(), 7);
    assert!(landmarks.iter().all(|&row| row < 20));
    assert_eq!(support(BasisWord::All, None).len(), 200);
    let usual = RankRcParams::default().with_lambda(0.1);
    let usual = usual.fit(&data).expect("fit").support.expect("some");
    assert_eq!(usual, support(BasisWord::RareRandom, None));
    assert_eq!(usual.len(), 40);
    let random = RankRndParams::default()
        .with_lambda(0.1)
        .fit(&data)
        .expect("fit");
    assert_eq!(random.support.map(|rows| rows.len()), Some(20));
    let missing = RankRcParams {
        basis: BasisWord::Landmarks,
        ..RankRcParams::default()
    };
    assert!(matches!(
        missing.fit(&data),
        Err(Error::ParameterValue { .. })
    ));
}

#[test]
fn a_growing_basis_ends_within_its_tolerance() {
    let data = rare(250, 3, 0.08, 10);
    let all = RankSvmParams::default()
        .with_lambda(0.01)
        .with_tolerance(1e-9);
    let best = all.fit(&data).expect("fit").report.objective;
    let start = tight(0.01).fit(&data).expect("fit");
    let grown = RankRcParams {
        certified: Some(0.05),
        ..tight(0.01)
    };
    let grown = grown.fit(&data).expect("fit");
    assert!(grown.report.support_vectors > start.report.support_vectors);
    assert!(grown.report.support_vectors < 250);
    assert!(grown.report.objective - best <= 0.05 * grown.report.objective);
    let bounds = grown.model.bounds(
        &data,
        &BoundSettings {
            quadratic: true,
            ..Default::default()
        },
    );
    let certified = bounds
        .expect("rows")
        .exact_certificate
        .expect("asked for")
        .objective;
    assert!(certified <= 0.051 * grown.report.objective);
}

/// Levels 0 to 3, most rows at 0.
fn levels(n: usize, seed: u64) -> Dataset {
    let mut generator = Generator::new(seed);
    let (mut values, mut targets) = (Vec::new(), Vec::new());
    for _ in 0..n {
        let level = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 2.0, 3.0][generator.below(10)];
        targets.push(level);
        values.push(generator.normal() + level);
        values.push(generator.normal() - 0.5 * level);
    }
    let samples = Samples::dense(n, 2, values).expect("finite");
    Dataset::new(samples, Target::ordinal_from_numbers(&targets)).expect("sound")
}

#[test]
fn levels_are_ranked_and_told() {
    let (data, fresh) = (levels(400, 1), levels(400, 2));
    let codes = fresh.classes().expect("levels").codes().to_vec();
    for fitted in [
        RankRcParams::default().fit(&data).expect("fit"),
        RankSvmParams::default()
            .with_lambda(0.01)
            .fit(&data)
            .expect("fit"),
        RankSvmParams::default()
            .with_lambda(0.01)
            .with_kernel(Kernel::Linear)
            .fit(&data)
            .expect("fit"),
    ] {
        let model = &fitted.model;
        assert!(matches!(model.answer(), Answer::Levels { .. }));
        let share = mauc(&codes, &decisions(model, &fresh), Ties::Half).expect("levels");
        assert!(share > 0.75, "{share}");
        let rmsle = model.rmsle(&fresh).expect("levels");
        let constant = {
            let logs: Vec<f64> = codes.iter().map(|&c| f64::from(c).ln_1p()).collect();
            let mean = logs.iter().sum::<f64>() / 400.0;
            (logs.iter().map(|l| (l - mean).powi(2)).sum::<f64>() / 400.0).sqrt()
        };
        assert!(rmsle < constant, "{rmsle} {constant}");
        let values = model.level_values(fresh.samples().view()).expect("levels");
        assert!(values.iter().all(|value| (0.0..=3.0).contains(value)));
        let Prediction::Classes(told) = model.predict(fresh.samples().view()).expect("rows") else {
            panic!("levels are classes");
        };
        assert!(told.iter().any(|&code| code > 0) && told.iter().all(|&code| code < 4));
    }
    let counts = data.classes().expect("levels").counts();
    let basis = tight(0.1).fit(&data).expect("fit").support;
    assert_eq!(basis.map(|rows| rows.len()), Some(400 - counts[0]));
}

#[test]
fn the_positive_class_is_the_rarest_or_the_named() {
    let data = rare(100, 2, 0.1, 11);
    let classes = |fitted: Fitted<RankModel>| fitted.model.classes().expect("two").to_vec();
    let (one, other) = (ClassName::Number(1.0), ClassName::Number(-1.0));
    let usual = tight(0.1);
    assert_eq!(
        classes(usual.fit(&data).expect("fit")),
        [one.clone(), other.clone()]
    );
    let named = usual.clone().with_positive(other.clone());
    let turned = named.fit(&data).expect("fit");
    // The kernel functions stay at the rare rows.
    assert_eq!(turned.report.support_vectors, 10);
    assert_eq!(classes(turned), [other, one]);
    let unknown = usual.with_positive(ClassName::Text("none".to_owned()));
    assert!(matches!(
        unknown.fit(&data),
        Err(Error::UnknownClass { .. })
    ));
}

#[test]
fn probabilities_rise_with_the_scores() {
    let data = rare(300, 3, 0.15, 12);
    let mut params = RankRcParams::default().with_lambda(0.01);
    assert!(matches!(
        params
            .fit(&data)
            .expect("fit")
            .model
            .probabilities(data.samples().view()),
        Err(Error::NoProbabilities)
    ));
    params.ranking.probability = true;
    let model = params.fit(&data).expect("fit").model;
    let table = model
        .probabilities(data.samples().view())
        .expect("calibrated");
    let scores = decisions(&model, &data);
    for i in 1..300 {
        let (p, q) = (table.row(i), table.row(i - 1));
        assert!((p[0] + p[1] - 1.0).abs() < 1e-12);
        assert!((p[0] - q[0]) * (scores[i] - scores[i - 1]) >= 0.0);
    }
}

fn on_threads<R: Send>(threads: usize, work: impl FnOnce() -> R + Send) -> R {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
    pool.build().expect("threads").install(work)
}

#[test]
fn neither_threads_nor_memory_change_a_model() {
    let data = rare(3000, 4, 0.03, 13);
    let fit = |cache_mb: f64, threads: usize| {
        let mut params = RankRcParams::default().with_seed(5);
        params.ranking.cache_mb = cache_mb;
        params.ranking.inner_folds = 3;
        on_threads(threads, || params.fit(&data).expect("fit").model)
    };
    let expected = fit(4096.0, 1);
    for (cache_mb, threads) in [(4096.0, 2), (4096.0, 8), (0.2, 1), (1e-9, 2)] {
        assert_eq!(
            fit(cache_mb, threads),
            expected,
            "{cache_mb} MB, {threads} threads"
        );
    }
    let linear = |threads: usize| {
        let params = RankSvmParams::default().with_kernel(Kernel::Linear);
        on_threads(threads, || params.fit(&data).expect("fit").model)
    };
    assert_eq!(linear(1), linear(2));
    assert_eq!(linear(1), linear(8));
}

#[test]
fn a_model_survives_its_serialised_form() {
    for fitted in [
        RankRcParams::default()
            .with_lambda(0.1)
            .fit(&toy())
            .expect("fit"),
        RankRcParams::default()
            .with_lambda(0.1)
            .fit(&levels(100, 3))
            .expect("fit"),
    ] {
        let bytes = postcard::to_allocvec(&fitted.model).expect("serialised");
        let back: RankModel = postcard::from_bytes(&bytes).expect("deserialised");
        assert_eq!(back, fitted.model);
        let mut parts = back.parts();
        parts.classes.clear();
        assert!(RankModel::from_parts(parts).is_err());
    }
}

#[test]
fn hostile_data_are_errors_or_models_never_panics() {
    let params = RankRcParams::default();
    let one_class = dataset(1, vec![1.0, 2.0], &[1.0, 1.0]);
    assert!(matches!(
        params.fit(&one_class),
        Err(Error::TooFewClasses {
            needed: 2,
            found: 1
        })
    ));
    let none = dataset(1, vec![], &[]);
    assert!(params.fit(&none).is_err());
    let real = Dataset::new(
        Samples::dense(2, 1, vec![0.0, 1.0]).expect("finite"),
        Target::Real(vec![0.0, 1.0]),
    );
    assert!(matches!(
        params.fit(&real.expect("sound")),
        Err(Error::Target { .. })
    ));
    let weighted = toy()
        .with_weights(vec![1.0, 2.0, 1.0, 1.0, 1.0, 1.0])
        .expect("sound");
    assert!(matches!(params.fit(&weighted), Err(Error::Target { .. })));
    // Two rows, and λ to be searched: no fold has pairs.
    let two = dataset(1, vec![0.0, 1.0], &[0.0, 1.0]);
    assert!(matches!(params.fit(&two), Err(Error::TooFewRows { .. })));
    let fixed = params.clone().with_lambda(1.0);
    assert!(fixed.fit(&two).is_ok());
    // Constant rows: nothing can be ranked.
    let constant = dataset(
        2,
        vec![3.0; 20],
        &[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    );
    let model = fixed.fit(&constant).expect("fit").model;
    let values = decisions(&model, &constant);
    assert!(values.iter().all(|value| value.is_finite()));
    // Each row twice.
    let mut twice = toy();
    for _ in 0..1 {
        twice = twice.select(&[0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]);
    }
    let once = tight(0.1).fit(&toy()).expect("fit").report.objective;
    let doubled = tight(0.1).fit(&twice).expect("fit").report.objective;
    assert!((once - doubled).abs() < 1e-6);
    // More features than rows; huge and tiny values.
    let wide = dataset(
        50,
        (0..200).map(|i| f64::from(i % 13)).collect(),
        &[1.0, 0.0, 0.0, 0.0],
    );
    assert!(fixed.fit(&wide).is_ok());
    for scale in [1e150, 1e-150] {
        let values = [-1.0, 0.0, 0.5, 1.5, 2.0, 3.0].map(|x| x * scale).to_vec();
        let data = dataset(1, values, &[0.0, 0.0, 1.0, 0.0, 1.0, 0.0]);
        for linear in [false, true] {
            let mut params = RankSvmParams::default().with_lambda(0.1);
            if linear {
                params = params.with_kernel(Kernel::Linear);
            }
            if let Ok(fitted) = params.fit(&data) {
                let values = decisions(&fitted.model, &data);
                assert!(values.iter().all(|value| value.is_finite()));
            }
        }
    }
    for bad in [
        params.clone().with_lambda(0.0),
        params.clone().with_lambda(f64::NAN),
        params.clone().with_smoothing(1e-4),
        params.with_tolerance(0.0),
    ] {
        assert!(bad.fit(&toy()).is_err());
    }
}

#[test]
fn rows_without_any_kernel_value_are_ranked_alike() {
    let data = dataset(2, vec![0.0; 12], &[1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);
    for basis in [BasisWord::Rare, BasisWord::All] {
        let params = RankRcParams {
            basis,
            ..tight(0.1).with_kernel(Kernel::Linear)
        };
        let fitted = params.fit(&data).expect("fit");
        assert_eq!(fitted.report.objective, 0.5);
        assert_eq!(decisions(&fitted.model, &data), [0.0; 6]);
    }
}

#[test]
fn a_precomputed_kernel_gives_what_the_kernel_gives() {
    let data = rare(60, 2, 0.2, 14);
    let kernel = Kernel::rbf(0.4);
    let all: Vec<u32> = (0..60).collect();
    let gram = Gram::in_double(&kernel, data.samples().view(), all).expect("rows");
    let matrix = gram.values(data.samples().view()).expect("finite");
    let numbered: Vec<f64> = matrix
        .chunks(60)
        .enumerate()
        .flat_map(|(i, row)| std::iter::once(i as f64 + 1.0).chain(row.iter().copied()))
        .collect();
    let samples = Samples::dense(60, 61, numbered).expect("finite");
    let precomputed = Dataset::new(samples, data.target().clone()).expect("sound");
    let usual = tight(0.05).with_kernel(kernel).fit(&data).expect("fit");
    let other = tight(0.05)
        .with_kernel(Kernel::Precomputed)
        .fit(&precomputed)
        .expect("fit");
    assert!((usual.report.objective - other.report.objective).abs() < 1e-6);
    assert_near(
        &decisions(&usual.model, &data),
        &decisions(&other.model, &precomputed),
        1e-4,
    );
}

#[test]
fn rows_of_weight_0_do_not_count() {
    let data = toy();
    let weights = vec![1.0, 0.0, 1.0, 1.0, 1.0, 1.0];
    let weighted = data.clone().with_weights(weights).expect("sound");
    let without = data.select(&[0, 2, 3, 4, 5]);
    let kernel = Kernel::rbf(0.3);
    let params = tight(0.1).with_kernel(kernel);
    let (a, b) = (
        params.fit(&weighted).expect("fit"),
        params.fit(&without).expect("fit"),
    );
    assert_eq!(a.model, b.model);
    assert_eq!(a.support, Some(vec![2, 4]));
}

#[test]
fn more_than_two_classes_are_one_against_the_rest() {
    let data = generate::checkerboard(120, 3, 0.0, 1).expect("data");
    let texts: Vec<&str> = (0..120).map(|i| ["a", "b", "c", "b"][i % 4]).collect();
    let labels = ClassLabels::from_texts(&texts);
    let data = Dataset::new(data.samples().clone(), Target::Classes(labels)).expect("sound");
    let model = RankRcParams::default()
        .with_lambda(0.1)
        .fit(&data)
        .expect("fit")
        .model;
    let names: Vec<String> = model
        .classes()
        .expect("two")
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(names, ["c", "b"]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn certificates_are_never_below_the_true_gap(
        seed in 0u64..1000,
        n in 20usize..70,
        exponent in -9i32..1,
        share in 0.1..0.4f64,
    ) {
        let data = rare(n, 2, share, seed);
        let lambda = 2f64.powi(exponent);
        let part = tight(lambda).fit(&data).expect("fit");
        let full = RankSvmParams::default().with_lambda(lambda).with_tolerance(1e-10);
        let full = full.fit(&data).expect("fit");
        let gap = raw(&part.model, &data)
            .iter()
            .zip(raw(&full.model, &data))
            .map(|(a, b)| (a - b).abs())
            .fold(0.0, f64::max);
        let settings = BoundSettings {
            full_norm: Some(full.model.norm().expect("rows")),
            quadratic: true,
        };
        let bounds = part.model.bounds(&data, &settings).expect("rows");
        let exact = bounds.exact_certificate.expect("asked for");
        let rounding = 1e-5 * (1.0 + gap);
        prop_assert!(gap <= exact.values + rounding, "{} {}", gap, exact.values);
        prop_assert!(exact.values <= bounds.certificate.values + rounding);
        let lost = part.report.objective - full.report.objective;
        prop_assert!(lost <= exact.objective + 1e-6, "{} {}", lost, exact.objective);
        let residual = bounds.residual.expect("two classes");
        prop_assert!(gap <= residual.tight + rounding && residual.tight <= residual.printed);
        let projection = bounds.projection.expect("two classes");
        prop_assert!(residual.tight <= projection.printed + rounding);
        prop_assert!(gap <= projection.tight + rounding);
    }
}
