//! Linear SVMs and logistic regression against LIBLINEAR's answers.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use crate::svm_support;

use hedgerow::data::{ClassLabels, ClassName, Dataset, Samples, Target};
use hedgerow::solve::dual_coordinate::{HingeLoss, primal_objective};
use hedgerow::solve::newton::SmoothLoss;
use hedgerow::solve::{LinearRows, Precision};
use hedgerow::svm::linear::{
    Hyperplane, LinearClassifier, LinearSolver, LinearSvmParams, LogisticParams,
};
use hedgerow::{Fitted, Predictor, Status};
use serde_json::Value;
use svm_support::{features, labels, max_index, parse_lines, read_golden, sparse};

struct Case {
    name: String,
    data: Dataset,
    solver: u64,
    cost: f64,
    bias: Option<f64>,
    free_bias: bool,
    class_weights: Vec<(ClassName, f64)>,
    labels: Vec<f64>,
    value: Value,
}

fn cases() -> Vec<Case> {
    let golden: Value = serde_json::from_str(&read_golden("liblinear.json")).unwrap();
    let cases = golden["cases"].as_array().unwrap();
    cases
        .iter()
        .map(|case| {
            let lines = parse_lines(&read_golden(case["train"].as_str().unwrap()));
            let samples = sparse(&features(&lines), max_index(&lines), false);
            let target = Target::Classes(ClassLabels::from_numbers(&labels(&lines)));
            let bias = case["bias"].as_f64().unwrap();
            let weights = case["class_weights"].as_object().unwrap();
            Case {
                name: case["name"].as_str().unwrap().to_owned(),
                data: Dataset::new(samples, target).unwrap(),
                solver: case["solver"].as_u64().unwrap(),
                cost: case["cost"].as_f64().unwrap(),
                bias: (bias > 0.0).then_some(bias),
                free_bias: case["free_bias"].as_bool().unwrap(),
                class_weights: weights
                    .iter()
                    .map(|(name, w)| (ClassName::parse(name), w.as_f64().unwrap()))
                    .collect(),
                labels: numbers(&case["labels"]),
                value: case.clone(),
            }
        })
        .collect()
}

fn numbers(value: &Value) -> Vec<f64> {
    let values = value.as_array().unwrap();
    values.iter().map(|v| v.as_f64().unwrap()).collect()
}

impl Case {
    fn fit(&self, tolerance: f64) -> Fitted<LinearClassifier> {
        if self.solver == 0 {
            let mut params = LogisticParams::default()
                .with_cost(self.cost)
                .with_bias(self.bias)
                .with_free_bias(self.free_bias)
                .with_tolerance(tolerance);
            params.class_weights.clone_from(&self.class_weights);
            return params.fit(&self.data).unwrap();
        }
        let (loss, solver) = match self.solver {
            1 => (HingeLoss::SquaredHinge, LinearSolver::Dual),
            2 => (HingeLoss::SquaredHinge, LinearSolver::Primal),
            _ => (HingeLoss::Hinge, LinearSolver::Dual),
        };
        let mut params = LinearSvmParams::default()
            .with_cost(self.cost)
            .with_loss(loss)
            .with_solver(solver)
            .with_bias(self.bias)
            .with_max_iterations(2_000_000)
            .with_tolerance(tolerance);
        params.class_weights.clone_from(&self.class_weights);
        params.fit(&self.data).unwrap()
    }

    /// The primal objective of a machine, row by row.
    fn objective(&self, machine: &Hyperplane, class: usize) -> f64 {
        let view = self.data.samples().view();
        let codes = self.data.classes().unwrap();
        let mut total = 0.0;
        for i in 0..view.n_rows() {
            let name = &codes.names()[codes.codes()[i] as usize];
            let sign = if *name == ClassName::Number(self.labels[class]) {
                1.0
            } else {
                -1.0
            };
            let weight = self
                .class_weights
                .iter()
                .find(|(n, _)| n == name)
                .map_or(1.0, |p| p.1);
            let margin = sign * machine.value(view, i);
            let loss = match self.solver {
                0 => SmoothLoss::Logistic.value(margin),
                3 => HingeLoss::Hinge.value(margin),
                _ => HingeLoss::SquaredHinge.value(margin),
            };
            total += self.cost * weight * loss;
        }
        let mut square: f64 = machine.weights.iter().map(|w| w * w).sum();
        if let (Some(bias), false) = (self.bias, self.free_bias) {
            square += (machine.intercept / bias).powi(2);
        }
        total + 0.5 * square
    }
}

#[test]
fn tight_solutions_are_liblinears() {
    for case in cases() {
        let fitted = case.fit(1e-7);
        assert_eq!(fitted.report.status, Status::Converged, "{}", case.name);
        let names = fitted.model.classes().unwrap();
        let expected: Vec<ClassName> = case.labels.iter().map(|&v| ClassName::Number(v)).collect();
        assert_eq!(names, expected, "{}", case.name);
        let objectives = numbers(&case.value["tight"]["objective"]);
        assert_eq!(
            objectives.len(),
            fitted.model.machines().len(),
            "{}",
            case.name
        );
        for (m, machine) in fitted.model.machines().iter().enumerate() {
            let ours = case.objective(machine, m);
            let theirs = objectives[m];
            assert!(
                (ours / theirs - 1.0).abs() <= 1e-7,
                "{}, machine {m}: {ours} {theirs}",
                case.name
            );
            let weights = numbers(&case.value["tight"]["weights"][m]);
            for (f, (ours, theirs)) in machine.weights.iter().zip(&weights).enumerate() {
                assert!(
                    (ours - theirs).abs() < 1e-3,
                    "{} {f}: {ours} {theirs}",
                    case.name
                );
            }
            if let Some(bias) = case.bias {
                let theirs = weights.last().unwrap() * bias;
                assert!((machine.intercept - theirs).abs() < 2e-3, "{}", case.name);
            }
        }
    }
}

/// At its default tolerance LIBLINEAR stops somewhere above the optimum, depending on the order in
/// which it meets the rows: from 1e-8 to 2e-2 of the objective. Ours must be no worse in any case.
#[test]
fn loose_solutions_are_as_good_as_liblinears() {
    for case in cases() {
        let fitted = case.fit(if matches!(case.solver, 1 | 3) {
            0.1
        } else {
            0.01
        });
        assert_eq!(fitted.report.status, Status::Converged, "{}", case.name);
        let optima = numbers(&case.value["tight"]["objective"]);
        let loose = numbers(&case.value["loose"]["objective"]);
        for (m, machine) in fitted.model.machines().iter().enumerate() {
            let ours = case.objective(machine, m);
            let name = &case.name;
            assert!(ours >= optima[m] * (1.0 - 1e-7), "{name} {m}: {ours}");
            let excess = ours / loose[m] - 1.0;
            assert!(excess <= 1e-4, "{name} {m}: {excess:e} above LIBLINEAR's");
        }
    }
}

#[test]
fn the_reported_dual_bounds_the_primal() {
    for case in cases().iter().filter(|case| matches!(case.solver, 1 | 3)) {
        let fitted = case.fit(1e-7);
        let primal: f64 = fitted
            .model
            .machines()
            .iter()
            .enumerate()
            .map(|(m, machine)| case.objective(machine, m))
            .sum();
        let gap = primal - fitted.report.objective;
        // Single precision of the rows moves either by some 1e-8.
        assert!(
            gap >= -1e-7 * primal && gap <= 1e-6 * primal,
            "{}: {gap:e}",
            case.name
        );
    }
}

#[test]
fn the_solvers_objective_is_that_of_the_formula() {
    let samples = Samples::dense(3, 2, vec![1.0, 0.0, 0.0, 2.0, -1.0, 1.0]).unwrap();
    let rows = LinearRows::pack(samples.view(), Precision::Double).unwrap();
    let problem = hedgerow::solve::dual_coordinate::DualProblem {
        rows: &rows,
        members: None,
        signs: &[1.0, -1.0, -1.0],
        costs: &[1.0, 2.0, 0.5],
        loss: HingeLoss::Hinge,
        bias: Some(2.0),
        start: None,
    };
    // Values 1.5, 1.5 and 0.5 with an intercept of 0.5: losses 0, 2.5 and 1.5.
    let value = primal_objective(&problem, &[1.0, 0.5], 0.5);
    let expected = 0.5 * (1.0 + 0.25 + 0.0625) + 2.0 * 2.5 + 0.5 * 1.0;
    assert!((value - expected).abs() < 1e-12, "{value} {expected}");
}
