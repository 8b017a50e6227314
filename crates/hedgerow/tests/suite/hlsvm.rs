//! Trees of linear SVMs: what the document promises of them, and what always holds.

use hedgerow::data::{ClassLabels, Dataset, Generator, Samples, SamplesView, Target, generate};
use hedgerow::solve::dual_coordinate::{
    DualLimits, DualProblem, HingeLoss, primal_objective, solve,
};
use hedgerow::solve::split_pegasos::{SplitPegasosParams, SplitPegasosStop, split_pegasos};
use hedgerow::solve::{LinearRows, Precision};
use hedgerow::tree::{
    Coefficients, ForestParams, Frame, HlsvmParams, LinearTrees, NodeSolver, SvmTreesParams,
    Threshold, TreeMulticlass, Weighting,
};
use hedgerow::{Prediction, Predictor, Status};
use proptest::prelude::*;

fn error_of(model: &LinearTrees, data: &Dataset) -> f64 {
    let Prediction::Classes(codes) = model.predict(data.samples().view()).expect("fits") else {
        panic!("a classifier answers classes");
    };
    let labels = data.classes().expect("labelled");
    let truth = labels.codes().iter().map(|&c| &labels.names()[c as usize]);
    let names = model.classes().expect("classes");
    let wrong = codes
        .iter()
        .zip(truth)
        .filter(|(code, name)| names[**code as usize] != **name)
        .count();
    wrong as f64 / codes.len() as f64
}

/// Two overlapping Gaussian clouds with many and few rows.
fn clouds(many: usize, few: usize, distance: f64, seed: u64) -> Dataset {
    let mut generator = Generator::new(seed);
    let mut values = Vec::new();
    let mut labels = Vec::new();
    for i in 0..many + few {
        let is_few = i >= many;
        let shift = if is_few { distance } else { 0.0 };
        values.extend([generator.normal() + shift, generator.normal()]);
        labels.push(if is_few { 1.0 } else { -1.0 });
    }
    let samples = Samples::dense(many + few, 2, values).expect("shape");
    Dataset::new(samples, Target::Classes(ClassLabels::from_numbers(&labels))).expect("data")
}

/// Three classes in four corners.
fn corners(n: usize, seed: u64) -> Dataset {
    let mut generator = Generator::new(seed);
    let mut values = Vec::new();
    let mut labels = Vec::new();
    for _ in 0..n {
        let (x, y) = (generator.range(-1.0, 1.0), generator.range(-1.0, 1.0));
        values.extend([x, y, generator.normal()]);
        labels.push(match (x > 0.0, y > 0.0) {
            (true, true) | (false, false) => "even",
            (true, false) => "right",
            (false, true) => "left",
        });
    }
    let samples = Samples::dense(n, 3, values).expect("shape");
    Dataset::new(samples, Target::Classes(ClassLabels::from_texts(&labels))).expect("data")
}

#[test]
fn pegasos_reaches_the_objective_of_coordinate_descent_and_stays_in_its_ball() {
    let data = clouds(300, 60, 2.0, 3);
    let n = data.n_rows();
    let codes = data.classes().expect("labels").codes();
    let signs: Vec<f64> = codes
        .iter()
        .map(|&c| if c == 1 { 1.0 } else { -1.0 })
        .collect();
    let nu: Vec<f64> = signs
        .iter()
        .map(|&s| if s > 0.0 { 0.5 / 60.0 } else { 0.5 / 300.0 })
        .collect();
    let rows = LinearRows::pack(data.samples().view(), Precision::Double).expect("finite");
    let lambda = 1e-4;
    let costs: Vec<f64> = nu.iter().map(|nu| nu / (lambda * n as f64)).collect();
    // Without bias on either side: the two treat it differently.
    let problem = DualProblem {
        rows: &rows,
        members: None,
        signs: &signs,
        costs: &costs,
        loss: HingeLoss::Hinge,
        bias: None,
        start: None,
    };
    let limits = DualLimits {
        tolerance: 1e-6,
        max_passes: 100_000,
        ..DualLimits::default()
    };
    let optimum = solve(&problem, &limits);
    let best = primal_objective(&problem, &optimum.weights, 0.0);
    let params = SplitPegasosParams {
        max_steps: 1_000_000,
        bias_rate: 0.0,
        stop: SplitPegasosStop::Limit,
        ..SplitPegasosParams::default()
    };
    for batch in [1, 5] {
        let params = SplitPegasosParams {
            batch,
            ..params.clone()
        };
        let found = split_pegasos(&rows, &signs, &nu, lambda, &params, &mut Generator::new(1));
        let value = primal_objective(&problem, &found.weights, 0.0);
        assert!(value >= best - 1e-9, "nothing is below the optimum");
        assert!(value <= 1.01 * best, "batch {batch}: {value} {best}");
        let norm = found.weights.iter().map(|w| w * w).sum::<f64>().sqrt();
        let radius = 1.0 / (n as f64 * lambda).sqrt();
        assert!(norm <= radius * (1.0 + 1e-9), "{norm} {radius}");
    }
    let norm = optimum.weights.iter().map(|w| w * w).sum::<f64>().sqrt();
    assert!(norm <= 1.0 / (n as f64 * lambda).sqrt());
}

#[test]
fn balanced_weights_split_what_uniform_weights_give_up() {
    let data = clouds(8000, 1000, 1.0, 5);
    let root = |weighting, lambda| {
        let params = HlsvmParams {
            weighting,
            max_depth: Some(1),
            ..HlsvmParams::document(lambda)
        };
        let model = params.fit(&data).expect("fit").model;
        model.n_hyperplanes()
    };
    // With costs large enough to matter, the uniform hinge answers the majority everywhere.
    let lambda = 1e-9;
    assert_eq!(root(Weighting::Uniform, lambda), 0);
    assert_eq!(root(Weighting::Balanced, lambda), 1);
}

#[test]
fn the_node_solver_decides_between_a_tree_and_a_stump() {
    // The table of checks on banana-shaped data: margins without bias fail, those with it work,
    // and coordinate descent works at a fraction of the steps.
    let train = generate::banana(1200, 0.25, 1).expect("data");
    let test = generate::banana(1000, 0.25, 2).expect("data");
    let fit = |solver: NodeSolver| {
        let params = HlsvmParams {
            solver,
            ..HlsvmParams::document(1e-5)
        };
        let fitted = params
            .with_min_share(1e-2)
            .with_holdout(0.1)
            .fit(&train)
            .expect("fit");
        (error_of(&fitted.model, &test), fitted.report.iterations)
    };
    let steps = |params: SplitPegasosParams| {
        NodeSolver::Pegasos(SplitPegasosParams {
            max_steps: 30_000,
            bias_rate: 0.1,
            ..params
        })
    };
    let (literal, _) = fit(steps(SplitPegasosParams::literal()));
    let (with_bias, spent) = fit(steps(SplitPegasosParams {
        stop: SplitPegasosStop::Limit,
        ..SplitPegasosParams::default()
    }));
    let (descent, passes) = fit(NodeSolver::Dcd {
        tolerance: 0.01,
        max_passes: 300,
    });
    assert!(literal > with_bias + 0.05, "{literal} {with_bias}");
    assert!(descent < 0.1 && with_bias < 0.15, "{descent} {with_bias}");
    assert!(passes < spent);
}

#[test]
fn a_tree_beats_one_hyperplane_and_pruning_shortens_it() {
    let train = generate::banana(2000, 0.3, 1).expect("data");
    let test = generate::banana(2000, 0.3, 2).expect("data");
    let stump = HlsvmParams {
        max_depth: Some(1),
        ..HlsvmParams::default()
    };
    let stump = stump.fit(&train).expect("fit").model;
    let full = HlsvmParams::default().fit(&train).expect("fit").model;
    let pruned = HlsvmParams::default()
        .with_holdout(0.2)
        .fit(&train)
        .expect("fit")
        .model;
    assert!(error_of(&full, &test) < error_of(&stump, &test));
    assert!(pruned.n_hyperplanes() < full.n_hyperplanes());
    assert!(error_of(&pruned, &test) < error_of(&stump, &test));
    let steps = pruned.pruning();
    assert!(steps.windows(2).all(|pair| {
        pair[1].leaves < pair[0].leaves
            && pair[1].training_error >= pair[0].training_error
            && pair[1].alpha >= pair[0].alpha - 1e-12
    }));
    let best = steps
        .iter()
        .map(|step| step.holdout_error)
        .fold(1.0, f64::min);
    let kept = steps
        .iter()
        .find(|step| step.leaves == pruned.trees()[0].n_leaves());
    assert!(kept.is_some_and(|step| step.holdout_error <= best + 1e-12));
}

#[test]
fn a_report_tells_of_nodes_that_used_up_their_passes() {
    let data = generate::checkerboard(2000, 4, 0.01, 1).expect("a board");
    // By default that is part of the method, and nobody is warned.
    let fitted = HlsvmParams::default().fit(&data).expect("fits");
    assert_eq!(fitted.report.status, Status::CappedByDesign);
    assert!(!fitted.report.status.is_premature());
    // On rows far apart every node converges, and the report says so.
    let apart = clouds(60, 60, 12.0, 1);
    let easy = HlsvmParams::default().fit(&apart).expect("fits");
    assert_eq!(easy.report.status, Status::Converged);
    // One pass a node: some hyperplane is far from its optimum, and the tree is still a tree.
    let hasty = HlsvmParams::default().with_solver(NodeSolver::Dcd {
        tolerance: 0.0,
        max_passes: 1,
    });
    let fitted = hasty.fit(&data).expect("fits");
    assert_eq!(fitted.report.status, Status::IterationLimit);
    assert!(fitted.report.status.is_premature());
    assert!(error_of(&fitted.model, &data) < 0.1);
}

#[test]
fn trees_are_nested_in_the_least_share() {
    let data = generate::banana(1500, 0.3, 4).expect("data");
    let tree = |share: f64| {
        let model = HlsvmParams::default()
            .with_min_share(share)
            .fit(&data)
            .expect("fit")
            .model;
        model.trees()[0].clone()
    };
    let (coarse, fine) = (tree(0.1), tree(0.002));
    assert!(coarse.n_hyperplanes() < fine.n_hyperplanes());
    let planes: Vec<(Vec<f64>, f64)> = (0..fine.n_hyperplanes())
        .map(|at| fine.hyperplane(at))
        .collect();
    for at in 0..coarse.n_hyperplanes() {
        assert!(planes.contains(&coarse.hyperplane(at)));
    }
    let (a, b) = (coarse.complexity(), fine.complexity());
    assert!(b.term > a.term && b.training_error < a.training_error);
    assert!(b.effective_accurate_leaves <= b.leaves as f64 + 1e-9);
}

#[test]
fn several_classes_in_one_tree_and_in_pairs() {
    let (train, test) = (corners(1500, 1), corners(1000, 2));
    for multiclass in [TreeMulticlass::Direct, TreeMulticlass::OneVsOne] {
        let params = HlsvmParams::default().with_multiclass(multiclass);
        let model = params.fit(&train).expect("fit").model;
        let error = error_of(&model, &test);
        assert!(error < 0.08, "{multiclass:?} {error}");
        let trees = if multiclass == TreeMulticlass::Direct {
            1
        } else {
            3
        };
        assert_eq!(model.trees().len(), trees);
        let forest = HlsvmParams {
            forest: ForestParams {
                trees: 4,
                ..ForestParams::default()
            },
            ..params
        };
        let forest = forest.fit(&train).expect("fit").model;
        assert_eq!(forest.trees().len(), 4 * trees);
        let pairs = [None, Some((0, 1)), Some((0, 2)), Some((1, 2))];
        for (tree, expected) in (0..4 * trees).map(|tree| {
            let pair = if trees == 1 { 0 } else { 1 + tree / 4 };
            (tree, pairs[pair])
        }) {
            assert_eq!(forest.pair_of(tree), expected);
        }
        assert!(error_of(&forest, &test) < 0.08, "{multiclass:?}");
        for model in [model, forest] {
            let p = model.probabilities(test.samples().view()).expect("p");
            for i in 0..p.n_rows() {
                let sum: f64 = p.row(i).iter().sum();
                assert!((sum - 1.0).abs() < 1e-9);
            }
        }
    }
    let cascade = SvmTreesParams::default().fit(&train).expect("fit").model;
    let counts = test.classes().expect("classes").counts();
    let majority = *counts.iter().max().expect("a class") as f64 / test.n_rows() as f64;
    // Far better than the most frequent class for all.
    assert!(majority < 0.6 && error_of(&cascade, &test) < 0.15);
}

#[test]
fn a_cascade_leaves_pure_sides_and_ends() {
    let data = generate::banana(800, 0.15, 3).expect("data");
    let params = SvmTreesParams {
        max_nodes: 6,
        ..SvmTreesParams::default()
    };
    let model = params.fit(&data).expect("fit").model;
    let tree = &model.trees()[0];
    assert!((1..=6).contains(&tree.n_hyperplanes()));
    assert_eq!(tree.n_leaves(), tree.n_hyperplanes() + 1);
    // All leaves but the two of the last hyperplane are pure.
    let impure = tree
        .leaf_masses()
        .filter(|(masses, _)| masses.iter().all(|&mass| mass > 0.0))
        .count();
    assert!(impure <= 2, "{impure}");
    let linear = SvmTreesParams {
        max_nodes: 1,
        ..SvmTreesParams::default()
    };
    let linear = linear.fit(&data).expect("fit").model;
    assert!(error_of(&model, &data) <= error_of(&linear, &data));
}

#[test]
fn forests_beat_their_trees_and_probabilities_help_log_loss() {
    let (train, test) = (
        generate::banana(1500, 0.35, 1).expect("data"),
        generate::banana(2000, 0.35, 2).expect("data"),
    );
    let single = HlsvmParams::default().fit(&train).expect("fit").model;
    let forest = HlsvmParams {
        forest: ForestParams {
            trees: 15,
            feature_share: 1.0,
            ..ForestParams::default()
        },
        ..HlsvmParams::default()
    };
    let forest = forest.fit(&train).expect("fit").model;
    assert!(error_of(&forest, &test) < error_of(&single, &test));
    let log_loss = |model: &LinearTrees| {
        let p = model.probabilities(test.samples().view()).expect("p");
        let codes = test.classes().expect("labels");
        let known = model.classes().expect("classes");
        let loss: f64 = (0..p.n_rows())
            .map(|i| {
                let name = &codes.names()[codes.codes()[i] as usize];
                let at = known.iter().position(|other| other == name).expect("known");
                -p.row(i)[at].max(1e-15).ln()
            })
            .sum();
        loss / p.n_rows() as f64
    };
    let calibrated = HlsvmParams {
        probability: true,
        ..HlsvmParams::default()
    };
    let calibrated = calibrated.fit(&train).expect("fit").model;
    assert!(calibrated.is_calibrated() && !single.is_calibrated());
    assert_eq!(error_of(&calibrated, &test), error_of(&single, &test));
    assert!(log_loss(&calibrated) < log_loss(&single));
}

#[test]
fn data_far_from_the_origin_give_the_same_tree_as_centred_data() {
    let data = clouds(300, 200, 2.0, 8);
    let SamplesView::Dense { values, .. } = data.samples().view() else {
        panic!("dense");
    };
    // Rounded so that the shift is exact in both.
    let near: Vec<f64> = values.iter().map(|v| (v * 256.0).round() / 256.0).collect();
    let far: Vec<f64> = near.iter().map(|v| v + 1_048_576.0).collect();
    let fit = |values: Vec<f64>| {
        let samples = Samples::dense(500, 2, values).expect("shape");
        let data = Dataset::new(samples, data.target().clone()).expect("data");
        let params = HlsvmParams {
            coefficients: Coefficients::Double,
            ..HlsvmParams::default()
        };
        let model = params.fit(&data).expect("fit").model;
        model.predict(data.samples().view()).expect("predict")
    };
    assert_eq!(fit(near), fit(far));
}

#[test]
fn weights_count_like_copies_in_masses_and_zero_like_absence() {
    let data = clouds(60, 40, 1.5, 2);
    let mut weights = vec![1.0; 100];
    weights[..20].fill(0.0);
    let weighted = data.clone().with_weights(weights).expect("weights");
    let kept: Vec<usize> = (20..100).collect();
    let params = HlsvmParams::default();
    let a = params.fit(&weighted).expect("fit").model;
    let b = params.fit(&data.select(&kept)).expect("fit").model;
    assert_eq!(
        a.predict(data.samples().view()),
        b.predict(data.samples().view())
    );
}

#[test]
fn hostile_data_have_defined_outcomes() {
    let params = HlsvmParams::default();
    let make = |rows: usize, width: usize, values: Vec<f64>, labels: &[f64]| {
        let samples = Samples::dense(rows, width, values).expect("shape");
        Dataset::new(samples, Target::Classes(ClassLabels::from_numbers(labels))).expect("data")
    };
    // One class, one row, equal rows of two classes, no features: trees without a hyperplane.
    for data in [
        make(3, 1, vec![1.0, 2.0, 3.0], &[7.0; 3]),
        make(1, 2, vec![1.0, 2.0], &[1.0]),
        make(4, 1, vec![5.0; 4], &[0.0, 1.0, 0.0, 1.0]),
        make(2, 0, Vec::new(), &[0.0, 1.0]),
    ] {
        for model in [
            params.fit(&data).expect("fit").model,
            SvmTreesParams::default().fit(&data).expect("fit").model,
        ] {
            assert_eq!(model.n_hyperplanes(), 0);
            let answer = model.predict(data.samples().view()).expect("predict");
            assert_eq!(answer.len(), data.n_rows());
        }
    }
    let none = make(0, 2, Vec::new(), &[]);
    assert!(matches!(params.fit(&none), Err(hedgerow::Error::NoRows)));
    let real = Dataset::new(
        Samples::dense(2, 1, vec![0.0, 1.0]).expect("shape"),
        Target::Real(vec![0.5, 1.5]),
    );
    assert!(matches!(
        params.fit(&real.expect("data")),
        Err(hedgerow::Error::Target { .. })
    ));
    // Squares that overflow are refused in the coordinates of the data.
    let wide = make(2, 1, vec![1e200, -1e200], &[0.0, 1.0]);
    let raw = HlsvmParams::document(1e-3).with_min_share(0.1);
    assert!(matches!(
        raw.fit(&wide),
        Err(hedgerow::Error::TooWide { .. })
    ));
    // More features than rows.
    let mut generator = Generator::new(1);
    let values: Vec<f64> = (0..6 * 50).map(|_| generator.normal()).collect();
    let few = make(6, 50, values, &[0.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
    let model = params
        .clone()
        .with_min_share(0.1)
        .fit(&few)
        .expect("fit")
        .model;
    assert_eq!(error_of(&model, &few), 0.0);
    // Rows that are too wide or not numbers.
    assert!(model.classify(&[0.0; 51]).is_err());
    assert!(model.classify(&[f64::NAN; 50]).is_ok());
    assert!(model.classify(&[]).is_ok());
}

#[test]
fn parameters_out_of_range_are_named() {
    let bad = |params: HlsvmParams| params.check().expect_err("out of range").to_string();
    assert!(bad(HlsvmParams::default().with_lambda(0.0)).contains("lambda"));
    assert!(bad(HlsvmParams::default().with_holdout(1.0)).contains("holdout"));
    assert!(bad(HlsvmParams::default().with_min_share(-0.1)).contains("min_share"));
    let forest = HlsvmParams {
        forest: ForestParams {
            trees: 0,
            ..ForestParams::default()
        },
        ..HlsvmParams::default()
    };
    assert!(bad(forest).contains("trees"));
    let solver = NodeSolver::Dcd {
        tolerance: f64::NAN,
        max_passes: 1,
    };
    assert!(bad(HlsvmParams::default().with_solver(solver)).contains("tolerance"));
}

fn in_pool<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .expect("pool")
        .install(work)
}

#[test]
fn threads_do_not_change_the_model() {
    // More rows than one task takes, so that subtrees are tasks.
    let data = generate::banana(6000, 0.35, 9).expect("data");
    for params in [
        HlsvmParams::default(),
        HlsvmParams {
            forest: ForestParams {
                trees: 3,
                ..ForestParams::default()
            },
            lambda_search: 2,
            ..HlsvmParams::default().with_holdout(0.1)
        },
    ] {
        let one = in_pool(1, || params.fit(&data).expect("fit").model);
        let four = in_pool(4, || params.fit(&data).expect("fit").model);
        assert!(one == four);
    }
}

fn some_params() -> impl Strategy<Value = HlsvmParams> {
    (
        prop_oneof![
            Just(Frame::Raw),
            Just(Frame::Centred),
            Just(Frame::Standardised)
        ],
        prop_oneof![Just(Threshold::Svm), Just(Threshold::BestGain)],
        prop_oneof![Just(Coefficients::Single), Just(Coefficients::Double)],
        prop_oneof![Just(TreeMulticlass::Direct), Just(TreeMulticlass::OneVsOne)],
        prop_oneof![Just(0.0), Just(0.25)],
        prop_oneof![Just(None), Just(Some(3usize))],
        -6..2i32,
        0..1000u64,
    )
        .prop_map(
            |(frame, threshold, coefficients, multiclass, holdout, trees, power, seed)| {
                HlsvmParams {
                    frame,
                    threshold,
                    coefficients,
                    multiclass,
                    holdout,
                    forest: ForestParams {
                        trees: trees.unwrap_or(1),
                        ..ForestParams::default()
                    },
                    lambda: Some(10f64.powi(power)),
                    seed,
                    ..HlsvmParams::default()
                }
            },
        )
}

/// Small data with ties, duplicates and zeros.
fn some_data() -> impl Strategy<Value = (Vec<f64>, Vec<f64>, usize)> {
    (2..40usize, 1..11usize).prop_flat_map(|(rows, width)| {
        (
            prop::collection::vec((-3..4i32).prop_map(f64::from), rows * width),
            prop::collection::vec((0..4i32).prop_map(f64::from), rows),
            Just(width),
        )
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn trees_keep_their_invariants(
        (values, labels, width) in some_data(),
        params in some_params(),
    ) {
        let rows = labels.len();
        let samples = Samples::dense(rows, width, values.clone()).expect("shape");
        let data = Dataset::new(samples, Target::Classes(ClassLabels::from_numbers(&labels)))
            .expect("data");
        let model = params.fit(&data).expect("fit").model;
        let view = data.samples().view();
        let Prediction::Classes(batch) = model.predict(view).expect("predict") else {
            panic!("classes");
        };
        // Single rows, narrow rows and sparse rows are answered like batches.
        let (mut starts, mut indices, mut stored) = (vec![0], Vec::new(), Vec::new());
        for (i, row) in values.chunks(width).enumerate() {
            prop_assert_eq!(model.classify(row).expect("row"), batch[i]);
            let end = row.iter().rposition(|&x| x != 0.0).map_or(0, |f| f + 1);
            prop_assert_eq!(model.classify(&row[..end]).expect("row"), batch[i]);
            for (f, &x) in row.iter().enumerate().filter(|(_, x)| **x != 0.0) {
                indices.push(f as u32);
                stored.push(x);
            }
            starts.push(indices.len());
        }
        let sparse = SamplesView::Sparse {
            n_features: width,
            row_starts: &starts,
            indices: &indices,
            values: &stored,
        };
        prop_assert_eq!(model.predict(sparse).expect("predict"), Prediction::Classes(batch));
        // Nodes: children share the rows of their parent, leaves answer their heaviest class.
        for tree in model.trees() {
            let nodes = tree.nodes();
            let mut below = vec![0.0; nodes.len()];
            for (at, node) in nodes.iter().enumerate() {
                if let Some(parent) = node.parent {
                    prop_assert!(parent < at);
                    below[parent] += node.mass();
                }
                if node.is_leaf {
                    let most = node.masses.iter().copied().fold(0.0, f64::max);
                    prop_assert_eq!(node.masses[node.label as usize], most);
                }
            }
            for (node, sum) in nodes.iter().zip(below) {
                prop_assert!(node.is_leaf || (node.mass() - sum).abs() < 1e-9);
            }
            prop_assert_eq!(tree.n_leaves(), tree.n_hyperplanes() + 1);
        }
        let costs = model.path_costs(view).expect("costs");
        prop_assert!(costs.mean <= costs.max as f64);
        // Files.
        let bytes = postcard::to_allocvec(&model).expect("write");
        let back: LinearTrees = postcard::from_bytes(&bytes).expect("read");
        prop_assert!(back == model);
    }

    #[test]
    fn damaged_models_are_refused_or_answer(flip in 0..2000usize, bit in 0..8u32) {
        let data = generate::banana(60, 0.3, 1).expect("data");
        let model = HlsvmParams::default().fit(&data).expect("fit").model;
        let mut bytes = postcard::to_allocvec(&model).expect("write");
        let at = flip % bytes.len();
        bytes[at] ^= 1 << bit;
        if let Ok(model) = postcard::from_bytes::<LinearTrees>(&bytes) {
            let narrow = [0.5];
            if model.n_features() >= 1 {
                prop_assert!(model.classify(&narrow).is_ok());
            }
        }
    }
}
