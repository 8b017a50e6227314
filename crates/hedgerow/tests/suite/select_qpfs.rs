//! QPFS, its solvers and its approximations.

use crate::select_support;

use hedgerow::data::Generator;
use hedgerow::select::qpfs::{NystromFactor, QpfsSeconds, bounds};
use hedgerow::select::{
    Alpha, CorrelationParams, Domain, GivenSimilarity, MutualInformationParams, Qpfs, QpfsParams,
    Sampling, Similarity, SimilarityMean, max_relevance,
};
use hedgerow::solve::goldfarb_idnani::{
    Hessian, ProgramSolution, ProgramStatus, QuadraticProgram, goldfarb_idnani,
};
use hedgerow::solve::simplex::{SimplexProgram, minimize_on_simplex};
use hedgerow::{Error, Status};
use proptest::prelude::*;
use select_support::{
    frobenius, golden, hessian, numbers, positive_similarity, random_data, sampled_rows,
};

/// Solves on the simplex by Goldfarb and Idnani's method.
fn on_simplex(matrix: &[f64], linear: &[f64]) -> ProgramSolution {
    let n = linear.len();
    let mut normals = vec![1.0; n];
    for i in 0..n {
        normals.extend((0..n).map(|j| f64::from(u8::from(i == j))));
    }
    let mut bounds = vec![0.0; n + 1];
    bounds[0] = 1.0;
    goldfarb_idnani(&QuadraticProgram {
        hessian: Hessian::Dense(matrix),
        linear,
        normals: &normals,
        bounds: &bounds,
        equalities: 1,
    })
}

/// The largest violation of the optimality conditions on the simplex.
fn kkt_residual(matrix: &[f64], linear: &[f64], w: &[f64]) -> f64 {
    let n = linear.len();
    let gradient: Vec<f64> = (0..n)
        .map(|i| (0..n).map(|j| matrix[i * n + j] * w[j]).sum::<f64>() - linear[i])
        .collect();
    let low = gradient.iter().copied().fold(f64::INFINITY, f64::min);
    let held = (0..n).filter(|&i| w[i] > 1e-12).map(|i| gradient[i] - low);
    let sum = (w.iter().sum::<f64>() - 1.0).abs();
    let negative = w.iter().map(|&w| -w).fold(0.0, f64::max);
    held.fold(sum.max(negative), f64::max)
}

/// Projection on the simplex.
fn project(v: &[f64]) -> Vec<f64> {
    let mut sorted = v.to_vec();
    sorted.sort_unstable_by(|a, b| b.total_cmp(a));
    let (mut sum, mut shift) = (0.0, 0.0);
    for (k, &value) in sorted.iter().enumerate() {
        sum += value;
        let candidate = (sum - 1.0) / (k as f64 + 1.0);
        if value > candidate {
            shift = candidate;
        }
    }
    v.iter().map(|&value| (value - shift).max(0.0)).collect()
}

/// A slow reference: projected gradient with momentum.
fn projected_gradient(matrix: &[f64], linear: &[f64]) -> Vec<f64> {
    let n = linear.len();
    let steepness: f64 = (0..n)
        .map(|i| {
            matrix[i * n..(i + 1) * n]
                .iter()
                .map(|q| q.abs())
                .sum::<f64>()
        })
        .fold(0.0, f64::max);
    let mut w = vec![1.0 / n as f64; n];
    let mut ahead = w.clone();
    let mut pace = 1.0f64;
    for step in 0..20_000 {
        let moved: Vec<f64> = (0..n)
            .map(|i| {
                let product: f64 = (0..n).map(|j| matrix[i * n + j] * ahead[j]).sum();
                ahead[i] - (product - linear[i]) / steepness
            })
            .collect();
        let next = project(&moved);
        let restart = step % 200 == 199;
        let faster = if restart {
            1.0
        } else {
            f64::midpoint(1.0, (1.0 + 4.0 * pace * pace).sqrt())
        };
        let momentum = if restart { 0.0 } else { (pace - 1.0) / faster };
        ahead = next
            .iter()
            .zip(&w)
            .map(|(a, b)| a + momentum * (a - b))
            .collect();
        let change = next
            .iter()
            .zip(&w)
            .map(|(a, b)| (a - b).abs())
            .fold(0.0, f64::max);
        w = next;
        pace = faster;
        if change < 1e-15 && step > 200 {
            break;
        }
    }
    w
}

#[test]
fn both_solvers_find_clarabels_optimum() {
    for programme in golden()["programmes"].as_array().expect("valid") {
        let factor = numbers(&programme["factor"]);
        let rank = programme["rank"].as_u64().expect("valid") as usize;
        let ridge = programme["ridge"].as_f64().expect("valid");
        let linear = numbers(&programme["linear"]);
        let expected = numbers(&programme["x"]);
        let matrix = hessian(&factor, rank, ridge);
        let dual = on_simplex(&matrix, &linear);
        assert_eq!(dual.status, ProgramStatus::Solved);
        let primal = minimize_on_simplex(
            &SimplexProgram {
                factor: &factor,
                rank,
                scale: 1.0,
                ridge,
                linear: &linear,
                tolerance: 1e-12,
            },
            None,
        );
        assert_eq!(primal.status, Status::Converged);
        let objective = programme["objective"].as_f64().expect("valid");
        assert!((primal.objective - objective).abs() < 1e-9 * objective.abs().max(1.0));
        for i in 0..expected.len() {
            assert!((dual.x[i] - expected[i]).abs() < 1e-6);
            assert!((primal.weights[i] - dual.x[i]).abs() < 1e-8);
        }
    }
}

#[test]
fn a_thousand_small_programmes_end_where_projected_gradient_does() {
    let mut random = Generator::new(1);
    for _ in 0..1000 {
        let n = 1 + random.below(7);
        let factor: Vec<f64> = (0..n * n).map(|_| random.normal()).collect();
        let ridge = random.range(0.1, 1.0);
        let matrix = hessian(&factor, n, ridge);
        let linear: Vec<f64> = (0..n).map(|_| random.normal()).collect();
        let dual = on_simplex(&matrix, &linear);
        assert_eq!(dual.status, ProgramStatus::Solved);
        assert!(kkt_residual(&matrix, &linear, &dual.x) < 1e-9);
        let reference = projected_gradient(&matrix, &linear);
        let primal = minimize_on_simplex(
            &SimplexProgram {
                factor: &factor,
                rank: n,
                scale: 1.0,
                ridge,
                linear: &linear,
                tolerance: 1e-12,
            },
            None,
        );
        assert!(kkt_residual(&matrix, &linear, &primal.weights) < 1e-9);
        for i in 0..n {
            assert!((dual.x[i] - reference[i]).abs() < 1e-8);
            assert!((dual.x[i] - primal.weights[i]).abs() < 1e-8);
        }
    }
}

#[test]
fn contradictions_and_saddles_are_told() {
    let program = QuadraticProgram {
        hessian: Hessian::Diagonal(&[1.0]),
        linear: &[0.0],
        normals: &[1.0, -1.0],
        bounds: &[1.0, 0.0],
        equalities: 0,
    };
    assert_eq!(goldfarb_idnani(&program).status, ProgramStatus::Infeasible);
    let saddle = QuadraticProgram {
        hessian: Hessian::Dense(&[1.0, 2.0, 2.0, 1.0]),
        linear: &[0.0, 0.0],
        normals: &[],
        bounds: &[],
        equalities: 0,
    };
    assert_eq!(goldfarb_idnani(&saddle).status, ProgramStatus::NotConvex);
}

#[test]
fn relevance_alone_is_max_relevance() {
    let data = random_data(80, 20, 3, 0.0, 2);
    let information = MutualInformationParams::default()
        .fit(&data)
        .expect("valid");
    let only = QpfsParams::default().with_alpha(Alpha::Fixed(1.0));
    let qpfs = only.rank(&information).expect("valid");
    assert_eq!(qpfs.ranking.features, max_relevance(&information).features);
    let sampled = only.with_rate(0.3).rank(&information).expect("valid");
    assert_eq!(sampled.ranking.features, qpfs.ranking.features);
}

#[test]
fn without_relevance_the_class_does_not_matter() {
    let data = random_data(80, 12, 3, 0.0, 2);
    let mut random = Generator::new(7);
    let labels: Vec<f64> = (0..80).map(|_| random.below(2) as f64).collect();
    let labels = hedgerow::data::ClassLabels::from_numbers(&labels);
    let other = hedgerow::data::Dataset::new(
        data.samples().clone(),
        hedgerow::data::Target::Classes(labels),
    );
    let weights = |data| {
        let information = MutualInformationParams::default().fit(data).expect("valid");
        let params = QpfsParams::default().with_alpha(Alpha::Fixed(0.0));
        params.rank(&information).expect("valid").weights
    };
    assert_eq!(weights(&data), weights(&other.expect("valid")));
}

#[test]
fn scaling_similarity_and_relevance_together_changes_nothing() {
    let similarity = positive_similarity(15, 6, 3);
    let matrix: Vec<f64> = similarity
        .matrix(u64::MAX)
        .expect("valid")
        .iter()
        .map(|q| 7.0 * q)
        .collect();
    let relevance = similarity.relevances().iter().map(|f| 7.0 * f).collect();
    let scaled = GivenSimilarity::new(matrix, relevance).expect("valid");
    for domain in [Domain::Simplex, Domain::Subspace] {
        let params = QpfsParams::default().with_domain(domain);
        let (a, b) = (
            params.rank(&similarity).expect("valid"),
            params.rank(&scaled).expect("valid"),
        );
        assert!((a.alpha - b.alpha).abs() < 1e-12);
        assert_eq!(a.ranking.features, b.ranking.features);
        for (x, y) in a.weights.iter().zip(&b.weights) {
            assert!((x - y).abs() < 1e-9);
        }
    }
}

#[test]
fn a_twin_shares_the_weight_of_its_original() {
    let similarity = positive_similarity(8, 8, 5);
    let n = 8;
    let params = QpfsParams::default().with_alpha(Alpha::Fixed(0.3));
    let alone = params.rank(&similarity).expect("valid");
    let twin = alone.ranking.features[0];
    // The last feature is a copy of the heaviest.
    let original = |f: usize| if f == n { twin } else { f };
    let mut matrix = Vec::new();
    for i in 0..=n {
        matrix.extend((0..=n).map(|j| similarity.pair(original(i), original(j))));
    }
    let relevance = (0..=n).map(|f| similarity.relevance(original(f))).collect();
    let doubled = GivenSimilarity::new(matrix, relevance).expect("valid");
    let both = params.rank(&doubled).expect("valid");
    assert!((both.weights[twin] + both.weights[n] - alone.weights[twin]).abs() < 1e-6);
    for f in (0..n).filter(|&f| f != twin) {
        assert!((both.weights[f] - alone.weights[f]).abs() < 1e-6);
    }
}

#[test]
fn a_matrix_of_full_rank_makes_both_domains_one() {
    let similarity = positive_similarity(30, 30, 8);
    for alpha in [0.0, 0.1, 0.3, 0.5, 0.7, 0.9] {
        let params = QpfsParams::default().with_alpha(Alpha::Fixed(alpha));
        let simplex = params.rank(&similarity).expect("valid");
        let subspace = params
            .with_domain(Domain::Subspace)
            .rank(&similarity)
            .expect("valid");
        assert_eq!(subspace.domain, Domain::Subspace);
        assert_eq!(subspace.rank_kept, 30);
        assert_eq!(simplex.ranking.features, subspace.ranking.features);
        for (a, b) in simplex.weights.iter().zip(&subspace.weights) {
            assert!((a - b).abs() < 1e-8);
        }
        assert!((simplex.objective - subspace.objective).abs() < 1e-8);
    }
}

#[test]
fn the_heuristic_has_all_its_forms() {
    let similarity = positive_similarity(10, 3, 4);
    let n = 10;
    let matrix = similarity.matrix(u64::MAX).expect("valid");
    let f = similarity.relevances().iter().sum::<f64>() / 10.0;
    let with = |mean| QpfsParams::default().with_alpha(Alpha::Heuristic(mean));
    let full = with(SimilarityMean::Computed)
        .rank(&similarity)
        .expect("valid");
    let q = matrix.iter().sum::<f64>() / 100.0;
    assert!((full.alpha - q / (q + f)).abs() < 1e-12);
    let triangle = with(SimilarityMean::UpperTriangle)
        .rank(&similarity)
        .expect("valid");
    let upper: f64 = (0..n)
        .flat_map(|i| (i..n).map(move |j| (i, j)))
        .map(|(i, j)| matrix[i * n + j])
        .sum();
    assert!((triangle.mean_similarity - upper / 100.0).abs() < 1e-12);
    let rows = with(SimilarityMean::Computed)
        .with_rate(0.4)
        .rank(&similarity)
        .expect("valid");
    assert_eq!(rows.sampled.len(), 4);
    let sum: f64 = rows
        .sampled
        .iter()
        .map(|&i| matrix[i * n..(i + 1) * n].iter().sum::<f64>())
        .sum();
    assert!((rows.mean_similarity - sum / 40.0).abs() < 1e-12);
    let implied = with(SimilarityMean::Approximated)
        .with_rate(0.4)
        .rank(&similarity)
        .expect("valid");
    let mut sampled = Vec::new();
    for &i in &implied.sampled {
        sampled.extend_from_slice(&matrix[i * n..(i + 1) * n]);
    }
    let factor = NystromFactor::new(&sampled, &implied.sampled, n).expect("valid");
    let entries: f64 = factor.matrix().iter().sum();
    assert!((implied.mean_similarity - entries / 100.0).abs() < 1e-10);
    // Nothing similar, nothing relevant.
    let nothing = GivenSimilarity::new(vec![0.0; 9], vec![0.0; 3]).expect("valid");
    let even = QpfsParams::default().rank(&nothing).expect("valid");
    assert_eq!(even.alpha, 0.5);
    assert_eq!(even.ranking.features, [0, 1, 2]);
}

#[test]
fn all_rows_sampled_is_the_exact_method() {
    let similarity = positive_similarity(20, 20, 6);
    let exact = QpfsParams::default().rank(&similarity).expect("valid");
    let all = QpfsParams::default()
        .with_rate(1.0)
        .rank(&similarity)
        .expect("valid");
    assert_eq!(exact.ranking, all.ranking);
    for sampling in [Sampling::Uniform, Sampling::ColumnNorm, Sampling::Diagonal] {
        for domain in [Domain::Simplex, Domain::Subspace] {
            let params = QpfsParams::default()
                .with_rate(0.5)
                .with_sampling(sampling)
                .with_domain(domain);
            let some = params.rank(&similarity).expect("valid");
            assert_eq!(some.sampled.len(), 10);
            assert!((some.weights.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            assert_eq!(some.ranking.len(), 20);
        }
    }
}

#[test]
fn constant_features_are_ranked_last_unless_kept() {
    let data = random_data(60, 6, 2, 0.0, 4);
    let view = data.samples().view();
    let values: Vec<f64> = (0..60)
        .flat_map(|i| {
            let row = view.row(i).values();
            [row[0], 1.0, row[1], row[2], 2.0, row[3]]
        })
        .collect();
    let samples = hedgerow::data::Samples::dense(60, 6, values).expect("valid");
    let data = hedgerow::data::Dataset::new(samples, data.target().clone()).expect("valid");
    let information = MutualInformationParams::default()
        .fit(&data)
        .expect("valid");
    let params = QpfsParams::default().with_alpha(Alpha::Fixed(0.05));
    let qpfs = params.rank(&information).expect("valid");
    assert_eq!(qpfs.ranking.features[4..], [1, 4]);
    assert_eq!(qpfs.weights[1], 0.0);
    let sampled = params
        .clone()
        .with_rate(0.6)
        .rank(&information)
        .expect("valid");
    assert_eq!(sampled.ranking.features[4..], [1, 4]);
    let kept = params
        .with_keep_constant(true)
        .rank(&information)
        .expect("valid");
    assert!(
        kept.weights[1] + kept.weights[4] > 0.5,
        "free places take the weight"
    );
}

#[test]
fn bounds_state_their_premises() {
    let bound = bounds::low_rank(&[0.1, 0.05], 5, 1.0);
    assert!(bound.holds && (bound.value - 0.375).abs() < 1e-12);
    assert!(!bounds::low_rank(&[-0.1], 5, 1.0).holds);
    assert!((bounds::low_rank_beforehand(10, 4, 0.01) - 0.33).abs() < 1e-12);
    let diagonal = [1.0; 100];
    let loose = bounds::sampled(&diagonal, 50, 10, 1.0, 0.2);
    // 100/50 · 50 · sqrt(100 · 100) = 10⁴, root 100.
    assert!((loose.value - 100.2).abs() < 1e-9 && !loose.holds);
    let epsilon = bounds::smallest_epsilon(50, 10);
    assert!(bounds::sampled(&diagonal, 50, 10, epsilon * 1.0001, 0.2).holds);
    assert!(bounds::total(&diagonal, 50, 10, 0.0, 2.0).value >= 0.5 * 2.0 * 101.0 * 100.0 - 1e-9);

    // The measured bound holds for a measured pair of optima.
    let similarity = positive_similarity(25, 10, 9);
    let params = QpfsParams::default().with_alpha(Alpha::Fixed(0.4));
    let exact = params.rank(&similarity).expect("valid");
    let some = params.with_rate(0.4).rank(&similarity).expect("valid");
    let matrix = similarity.matrix(u64::MAX).expect("valid");
    let rows = sampled_rows(&matrix, 25, &some.sampled);
    let nystrom = NystromFactor::new(&rows, &some.sampled, 25).expect("valid");
    let error: Vec<f64> = nystrom
        .matrix()
        .iter()
        .zip(&matrix)
        .map(|(a, b)| a - b)
        .collect();
    let bound = bounds::spectral(0.4, frobenius(&error));
    assert!((exact.objective - some.objective).abs() <= bound);
}

#[test]
fn parameters_and_memory_are_checked() {
    let similarity = positive_similarity(5, 5, 1);
    let refused = |params: QpfsParams| params.rank(&similarity).err();
    let name = |error: Option<Error>| match error {
        Some(Error::Parameter { name, .. }) => name,
        other => panic!("{other:?}"),
    };
    assert_eq!(
        name(refused(QpfsParams::default().with_alpha(Alpha::Fixed(1.5)))),
        "alpha"
    );
    assert_eq!(
        name(refused(
            QpfsParams::default().with_alpha(Alpha::Fixed(f64::NAN))
        )),
        "alpha"
    );
    assert_eq!(name(refused(QpfsParams::default().with_rate(0.0))), "rate");
    assert_eq!(
        name(refused(QpfsParams::default().with_eigen_threshold(-1.0))),
        "eigen_threshold"
    );
    let small = QpfsParams::default().with_max_bytes(100);
    assert!(matches!(refused(small), Some(Error::Memory { .. })));
    let empty = GivenSimilarity::new(vec![], vec![]).expect("valid");
    assert!(
        QpfsParams::default()
            .rank(&empty)
            .expect("valid")
            .ranking
            .is_empty()
    );
    let one = GivenSimilarity::new(vec![0.3], vec![0.0]).expect("valid");
    assert_eq!(
        QpfsParams::default().rank(&one).expect("valid").weights,
        [1.0]
    );
}

fn in_threads(count: usize, work: impl Fn() -> Qpfs + Send + Sync) -> Qpfs {
    rayon_pool(count, work)
}

/// Runs on a pool of its own.
fn rayon_pool<T: Send>(count: usize, work: impl Fn() -> T + Send + Sync) -> T {
    rayon::ThreadPoolBuilder::new()
        .num_threads(count)
        .build()
        .expect("valid")
        .install(work)
}

#[test]
fn threads_do_not_change_a_bit() {
    let data = random_data(100, 70, 3, 0.2, 17);
    let work = || {
        let information = MutualInformationParams::default()
            .fit(&data)
            .expect("valid");
        let mut qpfs = QpfsParams::default()
            .with_rate(0.5)
            .rank(&information)
            .expect("valid");
        qpfs.seconds = QpfsSeconds::default();
        qpfs
    };
    let exact = || {
        let correlation = CorrelationParams::default().fit(&data).expect("valid");
        let mut qpfs = QpfsParams::default().rank(&correlation).expect("valid");
        qpfs.seconds = QpfsSeconds::default();
        qpfs
    };
    assert_eq!(in_threads(1, work), in_threads(3, work));
    assert_eq!(in_threads(1, exact), in_threads(2, exact));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(30))]

    #[test]
    fn weights_lie_on_the_simplex_and_move_with_the_features(
        seed in 0u64..1000, n in 2usize..30, rank in 1usize..12, alpha in 0.0f64..0.95,
    ) {
        let similarity = positive_similarity(n, rank, seed);
        let params = QpfsParams::default().with_alpha(Alpha::Fixed(alpha));
        let qpfs = params.rank(&similarity).expect("valid");
        prop_assert!((qpfs.weights.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        prop_assert!(qpfs.weights.iter().all(|&w| w >= 0.0));
        prop_assert_eq!(qpfs.status, Status::Converged);
        let matrix: Vec<f64> = similarity.matrix(u64::MAX).expect("valid");
        let scaled: Vec<f64> = matrix.iter().map(|q| (1.0 - alpha) * q).collect();
        let linear: Vec<f64> = similarity.relevances().iter().map(|f| alpha * f).collect();
        prop_assert!(kkt_residual(&scaled, &linear, &qpfs.weights) < 1e-8);

        let mut order: Vec<usize> = (0..n).collect();
        Generator::new(seed).shuffle(&mut order);
        let moved = order.iter().flat_map(|&i| order.iter().map(move |&j| (i, j)));
        let moved = moved.map(|(i, j)| matrix[i * n + j]).collect();
        let relevance = order.iter().map(|&f| similarity.relevance(f)).collect();
        let shuffled = params.rank(&GivenSimilarity::new(moved, relevance).expect("valid")).expect("valid");
        for (at, &f) in order.iter().enumerate() {
            prop_assert!((shuffled.weights[at] - qpfs.weights[f]).abs() < 1e-7);
        }
    }
}
