//! Parts of models as a file may claim them: refused or usable, never a panic.

use hedgerow::Predictor;
use hedgerow::data::{CsrMatrix, Samples};
use hedgerow::svm::{OneClassSvm, SvmClassifier, SvmRegressor};
use serde_json::{Value, json};

fn dense(n_rows: u64, n_features: u64, values: &[f64]) -> Value {
    json!({"Dense": {"n_rows": n_rows, "n_features": n_features, "values": values}})
}

fn sparse(n_features: u64, row_starts: &[usize], indices: &[u32], values: &[f64]) -> Value {
    json!({"Sparse": {
        "n_features": n_features, "row_starts": row_starts, "indices": indices, "values": values,
    }})
}

/// An expansion of one machine that uses the first `n_support` rows.
fn expansion(kernel: &str, n_features: u64, vectors: &Value, n_support: usize) -> Value {
    json!({
        "kernel": kernel,
        "n_features": n_features,
        "support_vectors": vectors,
        "machines": [{
            "support": (0..n_support).collect::<Vec<_>>(),
            "coefficients": vec![1.0; n_support],
            "rho": 0.5,
        }],
    })
}

/// True if the parts are accepted; then every kind of rows has been predicted.
fn usable(expansion: &Value, n_support: usize, rows: &[Samples]) -> bool {
    let classifier = json!({
        "expansion": expansion,
        "classes": [{"Number": 1.0}, {"Number": 2.0}],
        "support_counts": [n_support, 0],
        "multiclass": "OneVsOne",
        "sigmoids": null,
    });
    let models: [Result<Box<dyn Predictor>, _>; 3] = [
        serde_json::from_value::<SvmClassifier>(classifier).map(|m| Box::new(m) as _),
        serde_json::from_value::<SvmRegressor>(expansion.clone()).map(|m| Box::new(m) as _),
        serde_json::from_value::<OneClassSvm>(expansion.clone()).map(|m| Box::new(m) as _),
    ];
    let accepted: Vec<bool> = models.iter().map(Result::is_ok).collect();
    assert!(
        accepted.iter().all(|&one| one == accepted[0]),
        "{accepted:?}"
    );
    for model in models.into_iter().flatten() {
        for samples in rows {
            if let Ok(answer) = model.predict(samples.view()) {
                assert_eq!(answer.len(), samples.n_rows());
            }
        }
    }
    accepted[0]
}

#[test]
fn shapes_from_a_file_are_refused_or_usable() {
    let rows = [
        Samples::dense(2, 2, vec![1.0, 0.0, 2.0, -1.0]).unwrap(),
        Samples::dense(0, 2, vec![]).unwrap(),
        Samples::Sparse(CsrMatrix::new(5, vec![0, 0, 2], vec![1, 4], vec![1.0, 2.0]).unwrap()),
    ];
    let huge = u64::MAX;
    let beyond = (1 << 31) + 1;
    let cases: Vec<(u64, Value, usize, bool)> = vec![
        (2, dense(1, 2, &[1.0, 2.0]), 1, true),
        (2, dense(0, 2, &[]), 0, true),
        (0, dense(0, 0, &[]), 0, true),
        (2, sparse(2, &[0, 1], &[1], &[1.0]), 1, true),
        (2, sparse(2, &[0], &[], &[]), 0, true),
        (2, sparse(2, &[0, 0], &[], &[]), 1, true),
        // Rows without features.
        (0, dense(3, 0, &[]), 3, false),
        (0, dense(huge, 0, &[]), 1, false),
        (0, sparse(0, &[0, 0], &[], &[]), 1, false),
        // Widths that nothing vouches for.
        (huge, dense(0, huge, &[]), 0, false),
        (1 << 31, dense(0, 1 << 31, &[]), 0, false),
        (beyond, sparse(beyond, &[0, 1], &[0], &[1.0]), 1, false),
        (huge, sparse(huge, &[0], &[], &[]), 0, false),
        // Arrays that disagree.
        (2, dense(1 << 63, 2, &[]), 0, false),
        (2, dense(2, 2, &[1.0, 2.0]), 2, false),
        (2, sparse(2, &[], &[], &[]), 0, false),
        (2, sparse(2, &[1, 0], &[], &[]), 0, false),
        (2, sparse(2, &[0, 2], &[1, 1], &[1.0, 1.0]), 1, false),
        (2, sparse(2, &[0, 1], &[2], &[1.0]), 1, false),
        (2, sparse(2, &[0, 1], &[0], &[]), 1, false),
        (3, dense(1, 2, &[1.0, 2.0]), 1, false),
        (2, dense(1, 2, &[1.0, 2.0]), 2, false),
    ];
    for kernel in [
        "linear",
        "rbf(gamma=1)",
        "spline",
        "sum(linear, rbf(gamma=1))",
        "precomputed",
    ] {
        for (at, (width, vectors, n_support, expected)) in cases.iter().enumerate() {
            let parts = expansion(kernel, *width, vectors, *n_support);
            assert_eq!(
                usable(&parts, *n_support, &rows),
                *expected,
                "{kernel}, case {at}"
            );
        }
    }
}
