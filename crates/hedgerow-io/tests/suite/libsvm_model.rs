//! LIBSVM's model text.
#![allow(clippy::unwrap_used)] // Also in the helpers outside test functions.

use crate::common;

use common::TempDir;
use hedgerow_io::{LibSvmKernel, LibSvmModel, LibSvmSupportVector, LibSvmType, Source};

const TEXT: &str = "svm_type c_svc
kernel_type rbf
gamma 0.25
nr_class 3
total_sv 3
rho 0.10000000000000001 -2 3.0000000000000001e-05
label 1 -1 5
probA -1 -2 -3
probB 0 0.5 1
nr_sv 1 1 1
SV
1 -0.5 1:0.25 3:-1 
-1 0.33333333333333331 
0.5 1 2:7 
";

fn message(text: &str) -> String {
    LibSvmModel::from_bytes("m.model", text.as_bytes())
        .unwrap_err()
        .to_string()
}

#[test]
fn every_field_is_read() {
    let model = LibSvmModel::from_bytes("m", TEXT.as_bytes()).unwrap();
    assert_eq!(
        model,
        LibSvmModel {
            svm_type: LibSvmType::CSvc,
            kernel: LibSvmKernel::Rbf { gamma: 0.25 },
            n_classes: 3,
            rho: vec![0.1, -2.0, 3e-5],
            labels: Some(vec![1, -1, 5]),
            prob_a: Some(vec![-1.0, -2.0, -3.0]),
            prob_b: Some(vec![0.0, 0.5, 1.0]),
            prob_density_marks: None,
            class_sizes: Some(vec![1, 1, 1]),
            support_vectors: vec![
                LibSvmSupportVector {
                    coefficients: vec![1.0, -0.5],
                    indices: vec![1, 3],
                    values: vec![0.25, -1.0],
                },
                LibSvmSupportVector {
                    coefficients: vec![-1.0, 1.0 / 3.0],
                    indices: vec![],
                    values: vec![],
                },
                LibSvmSupportVector {
                    coefficients: vec![0.5, 1.0],
                    indices: vec![2],
                    values: vec![7.0],
                },
            ],
        }
    );
    let mut out = Vec::new();
    model.write_to(&mut out).unwrap();
    assert_eq!(String::from_utf8(out).unwrap(), TEXT);
}

#[test]
fn every_kind_of_model_reads_back() {
    let directory = TempDir::new();
    let kernels = [
        LibSvmKernel::Linear,
        LibSvmKernel::Polynomial {
            degree: 3,
            gamma: 0.1,
            coef0: -1.0 / 3.0,
        },
        LibSvmKernel::Rbf { gamma: 1e-9 },
        LibSvmKernel::Sigmoid {
            gamma: 2.0,
            coef0: 0.0,
        },
        LibSvmKernel::Precomputed,
    ];
    for svm_type in [
        LibSvmType::CSvc,
        LibSvmType::NuSvc,
        LibSvmType::OneClass,
        LibSvmType::EpsilonSvr,
        LibSvmType::NuSvr,
    ] {
        for kernel in kernels {
            let classifier = svm_type.is_classifier();
            let one_class = svm_type == LibSvmType::OneClass;
            let model = LibSvmModel {
                svm_type,
                kernel,
                n_classes: 2,
                rho: vec![0.7],
                labels: classifier.then(|| vec![-1, 1]),
                prob_a: Some(vec![0.1]),
                prob_b: classifier.then(|| vec![0.2]),
                prob_density_marks: one_class.then(|| vec![0.1, 0.2]),
                class_sizes: classifier.then(|| vec![1, 0]),
                support_vectors: vec![LibSvmSupportVector {
                    coefficients: vec![f64::MIN_POSITIVE],
                    indices: vec![0, 4],
                    values: vec![1.0, 0.1 + 0.2],
                }],
            };
            let path = directory.file("m.model.gz");
            model.write(&path).unwrap();
            assert_eq!(LibSvmModel::read(&Source::Path(path)).unwrap(), model);
        }
    }
}

#[test]
fn messages() {
    let with = |from: &str, to: &str| {
        assert!(TEXT.contains(from));
        message(&TEXT.replacen(from, to, 1))
    };
    assert_eq!(message(""), "m.model, line 1: key SV is missing");
    assert_eq!(
        with("gamma 0.25\n", ""),
        "m.model, line 10: key gamma is missing"
    );
    assert_eq!(
        with("svm_type c_svc\n", ""),
        "m.model, line 10: key svm_type is missing"
    );
    assert_eq!(
        with("label 1 -1 5\n", ""),
        "m.model, line 10: key label is missing"
    );
    assert_eq!(
        with("c_svc", "d_svc"),
        "m.model, line 1: svm_type \"d_svc\": expected one of c_svc, nu_svc, one_class, epsilon_svr, nu_svr"
    );
    assert_eq!(
        with("type rbf", "type gauss"),
        "m.model, line 11: kernel_type \"gauss\": expected one of linear, polynomial, rbf, sigmoid, precomputed"
    );
    assert_eq!(
        with("gamma 0.25", "gamma x"),
        "m.model, line 3: gamma: \"x\" is not a finite number"
    );
    assert_eq!(
        with("gamma 0.25", "gamma"),
        "m.model, line 3: gamma has 0 values, 1 are needed"
    );
    assert_eq!(
        with("nr_sv", "nr_xx"),
        "m.model, line 10: unknown key \"nr_xx\""
    );
    assert_eq!(
        with("gamma 0.25", "nr_class 3"),
        "m.model, line 4: key nr_class occurs twice"
    );
    assert_eq!(
        with("rho 0.10000000000000001", "rho"),
        "m.model, line 11: rho has 2 values, 3 are needed"
    );
    assert_eq!(
        with("nr_class 3", "nr_class 2000000000"),
        "m.model, line 11: rho has 3 values, 1999999999000000000 are needed"
    );
    assert_eq!(
        with("nr_class 3", "nr_class 99999999999999999999"),
        "m.model, line 4: nr_class: \"99999999999999999999\" is not a whole number from 0 to 2147483647"
    );
    assert_eq!(
        with("total_sv 3", "total_sv 2000000000"),
        "m.model, line 14: SV has 3 values, 2000000000 are needed"
    );
    assert_eq!(
        with("nr_sv 1 1 1", "nr_sv 1 1 2"),
        "m.model, line 14: nr_sv (sum) has 4 values, 3 are needed"
    );
    assert_eq!(
        with("1 -0.5 1:", "1 1:"),
        "m.model, line 12: a support vector has 1 values, 2 are needed"
    );
    assert_eq!(
        with("3:-1", "1:-1"),
        "m.model, line 12: support vector index 1 does not ascend (after 1)"
    );
    assert_eq!(
        with("2:7", "2:nan"),
        "m.model, line 14: value: \"nan\" is not a finite number"
    );
    assert_eq!(
        with("2:7", "2:7 8"),
        "m.model, line 14: support vector: \"8\" is not index:value"
    );
    assert_eq!(
        with("2:7", "-2:7"),
        "m.model, line 14: index: \"-2\" is not a whole number from 0 to 2147483647"
    );
    assert_eq!(
        with("c_svc", "nu_svr"),
        "m.model, line 11: nr_class: \"3\" is not 2"
    );
    let error = LibSvmModel::from_bytes("m.model", b"svm_type \xff\n").unwrap_err();
    assert_eq!(
        error.to_string(),
        "m.model, line 1: bytes that are not UTF-8: not a LIBSVM model"
    );
}

#[test]
fn any_cut_is_an_error() {
    for length in 0..TEXT.len() {
        let result = LibSvmModel::from_bytes("m", &TEXT.as_bytes()[..length]);
        assert!(result.is_err(), "{length}");
    }
    assert_eq!(
        message(&TEXT[..TEXT.len() - 5]),
        "m.model, line 14: the model is cut off: its last line has no line end"
    );
}
