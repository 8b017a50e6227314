//! FaLK-SVM against scikit-learn's exact SVMs on the same neighbourhoods, and H-LSVM against trees
//! that were grown elsewhere.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use crate::svm_support;

use hedgerow::data::{ClassLabels, ClassName, Dataset, Samples, Target};
use hedgerow::kernel::Kernel;
use hedgerow::local::{Assign, FalkParams, FalkSvm};
use hedgerow::tree::{HlsvmParams, LinearTrees, NodeSolver, Tree};
use hedgerow::{Predictor, Status};
use serde_json::{Value, json};
use svm_support::{
    dense, features, golden, labels, max_index, numbers, parse_lines, predicted_numbers,
    read_golden, reals, sparse,
};

fn data(file: &str, real: bool) -> Dataset {
    let lines = parse_lines(&read_golden(file));
    let samples: Samples = dense(&sparse(&features(&lines), max_index(&lines), false));
    let target = if real {
        Target::Real(labels(&lines))
    } else {
        Target::Classes(ClassLabels::from_numbers(&labels(&lines)))
    };
    Dataset::new(samples, target).unwrap()
}

fn cases(file: &str) -> Vec<Value> {
    let golden: Value = serde_json::from_str(&read_golden(file)).unwrap();
    golden["cases"].as_array().unwrap().clone()
}

fn fit(case: &Value) -> FalkSvm {
    let number = |name: &str| case[name].as_f64().unwrap();
    let mut params = FalkParams::default()
        .with_neighbours(number("neighbours") as usize)
        .with_core(number("core"))
        .with_cost(number("cost"))
        .with_kernel(Kernel::rbf(number("gamma")));
    params.local.epsilon = number("epsilon");
    params.local.solver.tolerance = 1e-9;
    let train = data(case["train"].as_str().unwrap(), case["real"] == true);
    let fitted = params.fit(&train).unwrap();
    assert_eq!(fitted.report.status, Status::Converged);
    fitted.model
}

#[test]
fn local_machines_answer_like_the_exact_ones_of_scikit_learn() {
    for case in cases("falk.json") {
        let name = case["name"].as_str().unwrap();
        let mut model = fit(&case);
        let stored: Vec<u32> = model.centres().to_vec();
        let centres: Vec<f64> = stored
            .iter()
            .map(|&c| f64::from(model.number_of(c)))
            .collect();
        assert_eq!(
            centres,
            numbers(&case["centres"]),
            "{name}: write falk.json anew"
        );
        for row in 0..model.n_rows() {
            let (owner, rank) = model.owner_of(row);
            let number = model.number_of(row as u32) as usize;
            assert_eq!(case["owner"][number], owner, "{name}: row {number}");
            assert_eq!(case["rank"][number], rank, "{name}: row {number}");
        }
        let test = data(case["test"].as_str().unwrap(), case["real"] == true);
        let view = test.samples().view();
        for (assign, who) in [(Assign::Nearest, "nearest"), (Assign::Centre, "centre")] {
            model.set_assign(assign);
            let expected = case[who]["predicted"].as_array().unwrap();
            let answers = if case["real"] == true {
                reals(&model.predict(view).unwrap())
            } else {
                predicted_numbers(&model, view)
            };
            let mut compared = 0;
            for (i, (answer, expected)) in answers.iter().zip(expected).enumerate() {
                let Some(expected) = expected.as_f64() else {
                    continue;
                };
                assert!(
                    (answer - expected).abs() < 1e-5,
                    "{name}, {who}, row {i}: {answer}, {expected}"
                );
                compared += 1;
            }
            assert!(
                10 * compared >= 9 * answers.len(),
                "{name}, {who}: {compared}"
            );
            if let Some(decisions) = case[who]["decision"].as_array() {
                let scores = model.scores(view).unwrap();
                // Ours are positive for the first class, those of the file for the larger label.
                let classes = model.classes().unwrap();
                let sign = if classes[0].order(&classes[1]).is_gt() {
                    1.0
                } else {
                    -1.0
                };
                for (i, expected) in decisions.iter().enumerate() {
                    if let Some(expected) = expected.as_f64() {
                        let value = sign * scores.row(i)[0];
                        assert!(
                            (value - expected).abs() < 1e-5,
                            "{name}, {who}, row {i}: {value}, {expected}"
                        );
                    }
                }
            }
        }
    }
}

/// Writes the centres that make_falk.py begins with, for the parameters that it lists.
#[test]
#[ignore = "writes falk_centres.json"]
fn write_centres() {
    let listed = [
        ("two classes", "bands", false, 40, 0.5, 0.5),
        ("two classes, small cores", "bands", false, 60, 0.1, 2.0),
        ("three classes", "three", false, 50, 0.4, 0.3),
        ("regression", "wave", true, 30, 0.5, 0.4),
    ];
    let mut all = serde_json::Map::new();
    for (name, stem, real, neighbours, core, gamma) in listed {
        let case = json!({
            "train": format!("{stem}.train"), "real": real, "neighbours": neighbours,
            "core": core, "gamma": gamma, "cost": 1.0, "epsilon": 0.1,
        });
        let model = fit(&case);
        let centres = model.centres().iter();
        let centres: Vec<u32> = centres.map(|&row| model.number_of(row)).collect();
        all.insert(name.to_owned(), json!(centres));
    }
    let text = format!("{}\n", Value::Object(all));
    std::fs::write(golden("falk_centres.json"), text).unwrap();
}

/// The nodes of a tree, depth first and the side below first, with the numbers of their
/// hyperplanes; `turned`: as they would stand if the hyperplanes looked the other way.
fn in_order(tree: &Tree, turned: bool) -> Vec<(usize, Option<usize>)> {
    let nodes = tree.nodes();
    let mut planes = 0;
    let plane_of: Vec<Option<usize>> = nodes
        .iter()
        .map(|node| {
            planes += usize::from(!node.is_leaf);
            (!node.is_leaf).then(|| planes - 1)
        })
        .collect();
    let child = |at: usize, above: bool| {
        let is_it =
            |other: &usize| nodes[*other].parent == Some(at) && nodes[*other].is_above == above;
        (0..nodes.len()).find(is_it).unwrap()
    };
    let mut ordered = Vec::new();
    let mut stack = vec![0];
    while let Some(at) = stack.pop() {
        ordered.push((at, plane_of[at]));
        if plane_of[at].is_some() {
            stack.extend([child(at, !turned), child(at, turned)]);
        }
    }
    ordered
}

fn compare_trees(name: &str, model: &LinearTrees, tree: usize, expected: &Value) {
    let classes = model.classes().unwrap();
    let of_pair = model.pair_of(tree).unwrap_or((0, 1));
    let names = [&classes[of_pair.0], &classes[of_pair.1]];
    let pair = numbers(&expected["pair"]);
    // One pair of several looks towards its first class, a single pair towards the larger label.
    let towards = match model.pair_of(tree) {
        Some(_) => names[0].clone(),
        None => ClassName::Number(pair[1]),
    };
    let turned = towards != ClassName::Number(pair[1]);
    let sign = if turned { -1.0 } else { 1.0 };
    let tree = &model.trees()[tree];
    let summaries = tree.nodes();
    let nodes = expected["nodes"].as_array().unwrap();
    assert_eq!(summaries.len(), nodes.len(), "{name}: nodes");
    for ((at, plane), node) in in_order(tree, turned).into_iter().zip(nodes) {
        assert_eq!(
            summaries[at].mass(),
            node["rows"].as_f64().unwrap(),
            "{name}"
        );
        let Some(plane) = plane else {
            let label = names[summaries[at].label as usize];
            assert_eq!(
                *label,
                ClassName::Number(node["label"].as_f64().unwrap()),
                "{name}"
            );
            continue;
        };
        let (weights, bias) = tree.hyperplane(plane);
        let norm = weights.iter().map(|w| w * w).sum::<f64>().sqrt();
        let normal = numbers(&node["normal"]);
        for (ours, theirs) in weights.iter().zip(&normal) {
            assert!(
                (sign * ours / norm - theirs).abs() < 1e-5,
                "{name}: {weights:?} {normal:?}"
            );
        }
        let offset = node["offset"].as_f64().unwrap();
        assert!(
            (sign * bias / norm - offset).abs() < 1e-5,
            "{name}: {bias} {offset}"
        );
    }
}

#[test]
fn trees_are_those_of_exact_hyperplanes_grown_elsewhere() {
    for case in cases("hlsvm.json") {
        let name = case["name"].as_str().unwrap();
        let mut params = HlsvmParams::document(case["lambda"].as_f64().unwrap());
        params.min_share = case["min_share"].as_f64();
        params.solver = NodeSolver::Dcd {
            tolerance: 1e-9,
            max_passes: 10_000_000,
        };
        let train = data(case["train"].as_str().unwrap(), false);
        let fitted = params.fit(&train).unwrap();
        assert_eq!(fitted.report.status, Status::Converged);
        let model = fitted.model;
        let trees = case["trees"].as_array().unwrap();
        assert_eq!(model.trees().len(), trees.len());
        let classes = model.classes().unwrap();
        for tree in 0..trees.len() {
            let (a, b) = model.pair_of(tree).unwrap_or((0, 1));
            let is_it = |expected: &&Value| {
                let known = numbers(&expected["pair"]);
                let has = |class: &ClassName| known.iter().any(|&k| *class == ClassName::Number(k));
                has(&classes[a]) && has(&classes[b])
            };
            let expected = trees.iter().find(is_it).unwrap();
            compare_trees(name, &model, tree, expected);
        }
        let test = data(case["test"].as_str().unwrap(), false);
        let answers = predicted_numbers(&model, test.samples().view());
        let expected = case["predicted"].as_array().unwrap();
        let mut compared = 0;
        for (i, (answer, expected)) in answers.iter().zip(expected).enumerate() {
            if let Some(expected) = expected.as_f64() {
                assert_eq!(*answer, expected, "{name}: row {i}");
                compared += 1;
            }
        }
        assert!(10 * compared >= 9 * answers.len(), "{name}: {compared}");
    }
}
