//! Rankers: a worked example, identities between them, the search, and the bases.

use super::rank_data::{assert_near, decisions, metric, rare, raw, tight, toy};
use hedgerow::data::{ClassName, CsrMatrix, Dataset, Samples};
use hedgerow::evaluate::Metric;
use hedgerow::evaluate::ranking::{Ties, auc};
use hedgerow::kernel::{Gram, Kernel};
use hedgerow::rank::{
    BasisWord, BoundSettings, FormWord, RankModel, RankRcParams, RankRndParams, RankSvmParams,
    SearchMetric,
};
use hedgerow::solve::pairwise::brute::PairLoss;
use hedgerow::{Error, Status};
use proptest::prelude::*;

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

/// The exponent with which a count grows.
fn exponent(counts: &[(f64, f64)]) -> f64 {
    let logs: Vec<(f64, f64)> = counts.iter().map(|(m, c)| (m.ln(), c.ln())).collect();
    let n = logs.len() as f64;
    let mean = logs.iter().fold((0.0, 0.0), |sum, log| {
        (sum.0 + log.0 / n, sum.1 + log.1 / n)
    });
    let slope = logs.iter().fold((0.0, 0.0), |sum, log| {
        let (x, y) = (log.0 - mean.0, log.1 - mean.1);
        (sum.0 + x * y, sum.1 + x * x)
    });
    slope.0 / slope.1
}

#[test]
fn work_grows_as_the_rows_where_the_rare_ones_stay_as_many() {
    // Each iteration reads the rectangle, whose width is fixed, a fixed number of times. The same
    // problem is drawn several times: the number of iterations depends on the draw too.
    for power in [-4, -12, -20] {
        let params = tight(2f64.powi(power)).with_tolerance(1e-6);
        let counts: Vec<(f64, f64)> = [500usize, 1000, 2000, 4000, 8000]
            .into_iter()
            .map(|m| {
                let work = (0..3u64).map(|seed| {
                    let data = rare(m, 3, 20.0 / m as f64, 100 + seed);
                    let report = params.fit(&data).expect("fit").report;
                    assert_eq!(
                        (report.status, report.support_vectors),
                        (Status::Converged, 20)
                    );
                    report.iterations as f64 * m as f64
                });
                (m as f64, work.sum())
            })
            .collect();
        let found = exponent(&counts);
        assert!(found <= 1.1, "lambda 2^{power}: {found} {counts:?}");
    }
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
