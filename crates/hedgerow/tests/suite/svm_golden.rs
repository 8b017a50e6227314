//! Kernel machines against the answers of LIBSVM.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use crate::svm_support;

use hedgerow::data::{ClassLabels, ClassName, Dataset, Target};
use hedgerow::svm::{
    NuSvcParams, NuSvrParams, OneClassParams, SvcParams, SvmClassifier, SvrParams,
};
use hedgerow::{Predictor, Report};
use serde_json::Value;
use svm_support::*;

struct Answers {
    report: Report,
    /// Class names as numbers; empty for regression.
    classes: Vec<f64>,
    predicted: Vec<f64>,
    decisions: Vec<f64>,
}

fn answers(model: &impl Predictor, report: Report, test: &Dataset) -> Answers {
    let view = test.samples().view();
    let decisions = model.scores(view).unwrap().values;
    let (classes, predicted) = match model.classes() {
        None => (Vec::new(), reals(&model.predict(view).unwrap())),
        Some(names) => {
            let number = |name: &ClassName| match name {
                ClassName::Number(value) => *value,
                ClassName::Text(text) => panic!("{text} is no number"),
            };
            (
                names.iter().map(number).collect(),
                predicted_numbers(model, view),
            )
        }
    };
    Answers {
        report,
        classes,
        predicted,
        decisions,
    }
}

/// Training and test part with one width, so that a feature of one part only counts in both.
fn data_of(case: &Value, is_dense: bool) -> (Dataset, Dataset) {
    let method = case["method"].as_str().unwrap();
    let parts =
        ["train", "test"].map(|part| parse_lines(&read_golden(case[part].as_str().unwrap())));
    let highest = parts.iter().map(max_index).max().unwrap();
    let precomputed = case["train"] == "precomputed.train";
    let [train, test] = parts.map(|lines| {
        let samples = sparse(&features(&lines), highest, precomputed);
        let samples = if is_dense { dense(&samples) } else { samples };
        let target = match method {
            "svr" | "nu-svr" => Target::Real(labels(&lines)),
            "one-class" => Target::None,
            _ => Target::Classes(ClassLabels::from_numbers(&labels(&lines))),
        };
        Dataset::new(samples, target).unwrap()
    });
    (train, test)
}

fn run(case: &Value, tolerance: f64, is_dense: bool) -> Answers {
    let (train, test) = data_of(case, is_dense);
    let letters = letters(&case["options"]);
    let get = |name: &str, default: f64| letters.get(name).copied().unwrap_or(default);
    let kernel = kernel_of(&letters);
    let shrinking = get("h", 1.0) != 0.0;
    let (cost, nu) = (get("c", 1.0), get("n", 0.5));
    match case["method"].as_str().unwrap() {
        "svm" => {
            let mut params = SvcParams::default()
                .with_cost(cost)
                .with_kernel(kernel)
                .with_tolerance(tolerance)
                .with_shrinking(shrinking);
            for (name, &weight) in &letters {
                if let Some(class) = name.strip_prefix('w') {
                    params = params.with_class_weight(ClassName::parse(class), weight);
                }
            }
            let fitted = params.fit(&train).unwrap();
            answers(&fitted.model, fitted.report, &test)
        }
        "nu-svm" => {
            let params = NuSvcParams::default().with_nu(nu).with_kernel(kernel);
            let fitted = params.with_tolerance(tolerance).fit(&train).unwrap();
            answers(&fitted.model, fitted.report, &test)
        }
        "one-class" => {
            let params = OneClassParams::default().with_nu(nu).with_kernel(kernel);
            let fitted = params.with_tolerance(tolerance).fit(&train).unwrap();
            answers(&fitted.model, fitted.report, &test)
        }
        "svr" => {
            let params = SvrParams::default()
                .with_cost(cost)
                .with_epsilon(get("p", 0.1));
            let fitted = params
                .with_kernel(kernel)
                .with_tolerance(tolerance)
                .fit(&train)
                .unwrap();
            answers(&fitted.model, fitted.report, &test)
        }
        "nu-svr" => {
            let params = NuSvrParams::default().with_cost(cost).with_nu(nu);
            let fitted = params
                .with_kernel(kernel)
                .with_tolerance(tolerance)
                .fit(&train)
                .unwrap();
            answers(&fitted.model, fitted.report, &test)
        }
        other => panic!("unknown method {other}"),
    }
}

fn largest(values: &[f64]) -> f64 {
    values
        .iter()
        .fold(0.0, |largest, value| value.abs().max(largest))
}

fn compare(case: &Value, expected: &Value, found: &Answers, objective: f64, decision: f64) {
    let name = case["name"].as_str().unwrap();
    if let Some(labels) = case.get("labels") {
        assert_eq!(found.classes, numbers(labels), "{name}: classes");
    }
    // Where known, the objective without LIBSVM's rounding of kernel values.
    let wanted = expected
        .get("objective_exact")
        .unwrap_or(&expected["objective"]);
    let wanted = wanted.as_f64().unwrap();
    let gap = (found.report.objective - wanted).abs();
    assert!(
        gap <= objective * wanted.abs() + 2e-6,
        "{name}: objective {} instead of {wanted}",
        found.report.objective
    );
    let wanted: Vec<f64> = expected["decisions"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(numbers)
        .collect();
    assert_eq!(
        found.decisions.len(),
        wanted.len(),
        "{name}: number of decision values"
    );
    let scale = largest(&wanted).max(1.0);
    for (i, (found, wanted)) in found.decisions.iter().zip(&wanted).enumerate() {
        assert!(
            (found - wanted).abs() <= decision * scale,
            "{name}: decision {i} is {found} instead of {wanted}"
        );
    }
    // A label may differ only where some decision is too close to call.
    let width = wanted.len() / found.predicted.len();
    let predicted = numbers(&expected["predicted"]);
    for (i, (found, wanted_label)) in found.predicted.iter().zip(&predicted).enumerate() {
        let close = wanted[i * width..(i + 1) * width]
            .iter()
            .any(|value| value.abs() <= decision * scale);
        let same = if case.get("labels").is_some() || case["method"] == "one-class" {
            found == wanted_label
        } else {
            (found - wanted_label).abs() <= decision * scale
        };
        assert!(
            same || close,
            "{name}: row {i} is {found} instead of {wanted_label}"
        );
    }
}

fn document() -> Value {
    serde_json::from_str(&read_golden("libsvm.json")).unwrap()
}

#[test]
fn answers_equal_those_of_libsvm_at_its_default_tolerance() {
    for case in document()["cases"].as_array().unwrap() {
        for is_dense in [false, true] {
            let found = run(case, 1e-3, is_dense);
            compare(case, &case["loose"], &found, 1e-3, 1e-2);
        }
    }
}

#[test]
fn answers_equal_those_of_libsvm_at_a_tight_tolerance() {
    for case in document()["cases"].as_array().unwrap() {
        for is_dense in [false, true] {
            let found = run(case, 1e-8, is_dense);
            compare(case, &case["tight"], &found, 1e-5, 1e-4);
        }
    }
}

#[test]
fn support_vectors_are_those_of_libsvm_up_to_a_few() {
    for case in document()["cases"].as_array().unwrap() {
        let found = run(case, 1e-8, true).report;
        let near = |found: usize, wanted: &Value| {
            let wanted = wanted.as_u64().unwrap() as usize;
            found.abs_diff(wanted) <= 2 + wanted / 50
        };
        let tight = &case["tight"];
        assert!(
            near(found.support_vectors, &tight["support_vectors"])
                && near(found.bounded, &tight["bounded"]),
            "{}: {found:?} instead of {} and {}",
            case["name"],
            tight["support_vectors"],
            tight["bounded"]
        );
    }
}

#[test]
fn sample_weights_scale_the_cost_of_their_row() {
    let document = document();
    let case = &document["weighted"];
    let (train, test) = data_of(case, true);
    let train = train.with_weights(numbers(&case["weights"])).unwrap();
    let kernel = kernel_of(&letters(&case["options"]));
    let fitted = SvcParams::default()
        .with_kernel(kernel)
        .with_tolerance(1e-8)
        .fit(&train)
        .unwrap();
    let objective = case["tight"]["objective_exact"].as_f64().unwrap();
    assert!(
        (fitted.report.objective - objective).abs() < 1e-5 * objective.abs(),
        "{} instead of {objective}",
        fitted.report.objective
    );
    let rho = fitted.model.parts().expansion.machines[0].rho;
    assert!(
        (rho - numbers(&case["tight"]["rho"])[0]).abs() < 1e-4,
        "{rho}"
    );
    let support = case["tight"]["support_vectors"].as_u64().unwrap() as usize;
    assert!(fitted.report.support_vectors.abs_diff(support) <= 1);
    let wanted: Vec<f64> = case["tight"]["decisions"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(numbers)
        .collect();
    let found = fitted.model.scores(test.samples().view()).unwrap();
    for (found, wanted) in found.values.iter().zip(&wanted) {
        assert!((found - wanted).abs() < 1e-4, "{found} instead of {wanted}");
    }
}

#[test]
fn probabilities_of_a_libsvm_model_are_reproduced() {
    let mut seen = 0;
    for case in document()["cases"].as_array().unwrap() {
        let Some(expected) = case.get("probability") else {
            continue;
        };
        let (_, test) = data_of(case, false);
        let text = read_golden(expected["model"].as_str().unwrap());
        let parts = parse_model(&text, test.n_features());
        let model = SvmClassifier::from_parts(parts.clone()).unwrap();
        assert_eq!(model.parts(), parts);
        let found = model.probabilities(test.samples().view()).unwrap();
        let rows = expected["rows"].as_array().unwrap();
        assert_eq!(found.n_rows(), rows.len());
        for (i, row) in rows.iter().enumerate() {
            for (found, wanted) in found.row(i).iter().zip(numbers(row)) {
                assert!((found - wanted).abs() < 1e-5, "{found} instead of {wanted}");
            }
        }
        seen += 1;
    }
    assert!(seen >= 3);
}

#[test]
fn own_probabilities_are_close_to_those_of_libsvm() {
    for case in document()["cases"].as_array().unwrap() {
        let Some(expected) = case.get("probability") else {
            continue;
        };
        let (train, test) = data_of(case, true);
        let letters = letters(&case["options"]);
        let fitted = SvcParams::default()
            .with_cost(letters["c"])
            .with_kernel(kernel_of(&letters))
            .with_probability(true)
            .fit(&train)
            .unwrap();
        let found = fitted.model.probabilities(test.samples().view()).unwrap();
        let wanted: Vec<f64> = expected["rows"]
            .as_array()
            .unwrap()
            .iter()
            .flat_map(numbers)
            .collect();
        assert_eq!(found.values.len(), wanted.len());
        // Folds are drawn differently, so only the picture as a whole can agree.
        let gaps: Vec<f64> = found
            .values
            .iter()
            .zip(&wanted)
            .map(|(a, b)| (a - b).abs())
            .collect();
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        assert!(
            mean < 0.05,
            "{}: probabilities differ by {mean} on average",
            case["name"]
        );
        for i in 0..found.n_rows() {
            assert!((found.row(i).iter().sum::<f64>() - 1.0).abs() < 1e-9);
        }
    }
}
