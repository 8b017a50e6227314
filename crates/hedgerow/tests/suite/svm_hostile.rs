//! Data and parameters that a method must survive, each with a defined outcome.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use crate::svm_support;

use hedgerow::data::{ClassLabels, ClassName, Dataset, Samples, Target};
use hedgerow::kernel::Kernel;
use hedgerow::solve::smo::Limits;
use hedgerow::svm::small::{Costs, SmallSvc};
use hedgerow::svm::{
    Multiclass, NuSvcParams, NuSvrParams, OneClassParams, SvcParams, SvmClassifier, SvrParams,
};
use hedgerow::{Error, Predictor, Status};
use svm_support::*;

fn predicted(model: &impl Predictor, n_features: usize, values: Vec<f64>) -> Vec<f64> {
    let samples = Samples::dense(values.len() / n_features, n_features, values).unwrap();
    predicted_numbers(model, samples.view())
}

#[test]
fn one_class_gives_a_constant_without_training() {
    let data = class_data(1, vec![1.0, 2.0, 3.0], &[7.0; 3]);
    for fitted in [
        SvcParams::default()
            .with_probability(true)
            .fit(&data)
            .unwrap(),
        NuSvcParams::default()
            .with_probability(true)
            .fit(&data)
            .unwrap(),
    ] {
        assert_eq!(fitted.report.iterations, 0);
        assert_eq!(fitted.report.status, Status::Converged);
        assert_eq!(predicted(&fitted.model, 1, vec![-5.0, 9.0]), [7.0, 7.0]);
        let view = data.samples().view();
        assert_eq!(fitted.model.probabilities(view).unwrap().values, [1.0; 3]);
        assert_eq!(fitted.model.scores(view).unwrap().columns, ["7"]);
        let bytes = postcard::to_stdvec(&fitted.model).unwrap();
        assert_eq!(
            postcard::from_bytes::<SvmClassifier>(&bytes).unwrap(),
            fitted.model
        );
    }
}

#[test]
fn a_single_row_is_enough() {
    let data = class_data(2, vec![1.0, 2.0], &[3.0]);
    let model = SvcParams::default().fit(&data).unwrap().model;
    assert_eq!(predicted(&model, 2, vec![0.0, 0.0]), [3.0]);
    let one = OneClassParams::default().fit(&data).unwrap().model;
    assert!(one.predict(data.samples().view()).is_ok());
    let data = real_data(2, vec![1.0, 2.0], &[3.5]);
    let model = SvrParams::default().fit(&data).unwrap().model;
    assert_eq!(reals(&model.predict(data.samples().view()).unwrap()), [3.5]);
}

#[test]
fn no_rows_are_an_error_and_none_to_predict_are_not() {
    let empty = class_data(2, vec![], &[]);
    assert_eq!(SvcParams::default().fit(&empty).err(), Some(Error::NoRows));
    assert_eq!(
        NuSvcParams::default().fit(&empty).err(),
        Some(Error::NoRows)
    );
    assert_eq!(
        OneClassParams::default().fit(&empty).err(),
        Some(Error::NoRows)
    );
    let empty_real = real_data(2, vec![], &[]);
    assert_eq!(
        SvrParams::default().fit(&empty_real).err(),
        Some(Error::NoRows)
    );
    assert_eq!(
        NuSvrParams::default().fit(&empty_real).err(),
        Some(Error::NoRows)
    );
    let weightless = class_data(1, vec![1.0, 2.0], &[1.0, 2.0])
        .with_weights(vec![0.0; 2])
        .unwrap();
    assert_eq!(
        SvcParams::default().fit(&weightless).err(),
        Some(Error::NoRows)
    );
    let model = SvcParams::default().fit(&clouds(30, 3, 1)).unwrap().model;
    assert!(model.predict(empty.samples().view()).unwrap().is_empty());
    assert!(
        model
            .scores(empty.samples().view())
            .unwrap()
            .values
            .is_empty()
    );
}

#[test]
fn identical_rows_with_opposite_labels_follow_the_majority() {
    let data = class_data(2, vec![1.0; 10], &[1.0, 2.0, 2.0, 2.0, 1.0]);
    for kernel in [Kernel::Linear, Kernel::rbf(1.0), Kernel::sigmoid(1.0, 0.0)] {
        let fitted = SvcParams::default().with_kernel(kernel).fit(&data).unwrap();
        assert_eq!(fitted.report.status, Status::Converged);
        assert_eq!(predicted(&fitted.model, 2, vec![1.0, 1.0]), [2.0]);
    }
    let nu = NuSvcParams::default().with_nu(0.5).fit(&data).unwrap();
    assert!(
        nu.model
            .scores(data.samples().view())
            .unwrap()
            .values
            .iter()
            .all(|v| v.is_finite())
    );
}

#[test]
fn a_constant_target_is_returned() {
    let data = real_data(1, vec![1.0, 2.0, 3.0], &[-4.25; 3]);
    for model in [
        SvrParams::default().fit(&data).unwrap().model,
        NuSvrParams::default().fit(&data).unwrap().model,
    ] {
        let far = Samples::dense(1, 1, vec![100.0]).unwrap();
        assert_eq!(reals(&model.predict(far.view()).unwrap()), [-4.25]);
    }
}

#[test]
fn more_features_than_rows_are_separated() {
    let n_features = 500;
    let mut values = vec![0.0; 4 * n_features];
    for i in 0..4 {
        values[i * n_features + i * 100] = 1.0;
    }
    let labels = [5.0, 6.0, 5.0, 6.0];
    let data = class_data(n_features, values.clone(), &labels);
    for kernel in [Kernel::Linear, Kernel::rbf(1.0)] {
        let model = SvcParams::default()
            .with_cost(100.0)
            .with_kernel(kernel)
            .fit(&data)
            .unwrap();
        assert_eq!(predicted(&model.model, n_features, values.clone()), labels);
    }
}

#[test]
fn columns_far_from_zero_do_not_matter_to_a_linear_kernel() {
    let near = clouds(120, 3, 5);
    let view = near.samples().view();
    let far: Vec<f64> = (0..120)
        .flat_map(|i| {
            view.row(i)
                .values()
                .iter()
                .map(|v| v + 1e6)
                .collect::<Vec<_>>()
        })
        .collect();
    let labels: Vec<f64> = near
        .classes()
        .unwrap()
        .codes()
        .iter()
        .map(|&c| f64::from(c))
        .collect();
    let far = class_data(2, far, &labels);
    let params = SvcParams::default()
        .with_kernel(Kernel::Linear)
        .with_tolerance(1e-5);
    let a = params.fit(&near).unwrap();
    let b = params.fit(&far).unwrap();
    assert!((a.report.objective - b.report.objective).abs() < 1e-4 * a.report.objective.abs());
    let a = a.model.scores(view).unwrap();
    let b = b.model.scores(far.samples().view()).unwrap();
    for (a, b) in a.values.iter().zip(&b.values) {
        assert!((a - b).abs() < 1e-3, "{a} {b}");
    }
}

#[test]
fn parameters_out_of_range_are_named() {
    let data = clouds(30, 3, 1);
    let name = |result: Option<Error>| match result {
        Some(Error::Parameter { name, .. }) => name,
        other => panic!("{other:?}"),
    };
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(
            name(SvcParams::default().with_cost(bad).fit(&data).err()),
            "cost"
        );
        assert_eq!(
            name(SvcParams::default().with_tolerance(bad).fit(&data).err()),
            "tolerance"
        );
        let weighted = SvcParams::default().with_class_weight(ClassName::Number(10.0), bad);
        assert_eq!(name(weighted.fit(&data).err()), "class_weights");
    }
    for bad in [0.0, 1.5, f64::NAN] {
        assert_eq!(
            name(NuSvcParams::default().with_nu(bad).fit(&data).err()),
            "nu"
        );
        assert_eq!(
            name(OneClassParams::default().with_nu(bad).fit(&data).err()),
            "nu"
        );
    }
    assert_eq!(
        name(SvrParams::default().with_epsilon(-0.1).check().err()),
        "epsilon"
    );
    assert_eq!(
        name(SvcParams::default().with_max_seconds(-1.0).check().err()),
        "max_seconds"
    );
    let unknown = SvcParams::default()
        .with_class_weight(ClassName::Number(99.0), 2.0)
        .fit(&data);
    assert_eq!(
        unknown.err(),
        Some(Error::UnknownClass {
            name: "99".to_owned()
        })
    );
    assert!(matches!(
        SvrParams::default().fit(&data),
        Err(Error::Target { .. })
    ));
    let real = real_data(1, vec![0.0, 1.0], &[0.0, 1.0]);
    assert!(matches!(
        SvcParams::default().fit(&real),
        Err(Error::Target { .. })
    ));
}

#[test]
fn nu_too_large_for_a_pair_is_an_error_with_the_limit() {
    let data = class_data(1, vec![0.0, 1.0, 2.0, 3.0, 4.0], &[1.0, 1.0, 1.0, 1.0, 2.0]);
    let result = NuSvcParams::default().with_nu(0.5).fit(&data);
    assert_eq!(
        result.err(),
        Some(Error::InfeasibleNu {
            nu: 0.5,
            limit: 0.4
        })
    );
    assert!(NuSvcParams::default().with_nu(0.4).fit(&data).is_ok());
}

#[test]
fn kernel_values_that_overflow_are_an_error() {
    let data = class_data(1, vec![1e200, -1e200, 3e200], &[1.0, 2.0, 1.0]);
    let result = SvcParams::default()
        .with_kernel(Kernel::polynomial(1.0, 0.0, 3))
        .fit(&data);
    assert!(
        matches!(result, Err(Error::KernelUse { .. })),
        "{:?}",
        result.err()
    );
}

#[test]
fn rows_of_weight_zero_are_as_if_absent() {
    let data = clouds(60, 3, 7);
    let mut weights = vec![1.0; 60];
    for i in (0..60).step_by(5) {
        weights[i] = 0.0;
    }
    let kept: Vec<usize> = (0..60).filter(|i| i % 5 != 0).collect();
    let with = SvcParams::default()
        .fit(&data.clone().with_weights(weights).unwrap())
        .unwrap();
    let without = SvcParams::default().fit(&data.select(&kept)).unwrap();
    assert_eq!(with.model, without.model);
}

#[test]
fn plus_one_stands_before_minus_one_and_others_as_they_come() {
    let names = |labels: &[f64]| {
        let n = labels.len();
        let data = class_data(1, (0..n).map(|i| i as f64).collect(), labels);
        let model = SvcParams::default().fit(&data).unwrap().model;
        let names: Vec<String> = model
            .classes()
            .unwrap()
            .iter()
            .map(ToString::to_string)
            .collect();
        let scores = model.scores(data.samples().view()).unwrap();
        assert_eq!(scores.columns[0], format!("{}/{}", names[0], names[1]));
        // The first row has the first label.
        let first = names
            .iter()
            .position(|name| *name == labels[0].to_string())
            .unwrap();
        assert_eq!(scores.values[0] > 0.0, first == 0);
        names
    };
    assert_eq!(names(&[-1.0, -1.0, 1.0, 1.0]), ["1", "-1"]);
    assert_eq!(names(&[1.0, 1.0, -1.0, -1.0]), ["1", "-1"]);
    assert_eq!(names(&[2.0, 2.0, 1.0, 1.0]), ["2", "1"]);
    assert_eq!(names(&[0.0, 0.0, 1.0, 1.0]), ["0", "1"]);
}

#[test]
fn every_scheme_tells_clouds_apart() {
    let data = clouds(300, 4, 3);
    let truth = data.classes().unwrap().codes();
    for multiclass in [Multiclass::OneVsOne, Multiclass::OneVsRest, Multiclass::Dag] {
        let params = SvcParams::default()
            .with_multiclass(multiclass)
            .with_probability(true);
        let model = params.fit(&data).unwrap().model;
        let view = data.samples().view();
        let right = |codes: &[u32]| codes.iter().zip(truth).filter(|(a, b)| a == b).count();
        let hits = right(&codes(&model.predict(view).unwrap()));
        assert!(hits > 230, "{multiclass:?}: {hits} of 300");
        let scores = model.scores(view).unwrap();
        let columns = if multiclass == Multiclass::OneVsRest {
            4
        } else {
            6
        };
        assert_eq!(scores.columns.len(), columns);
        let p = model.probabilities(view).unwrap();
        assert_eq!(p.columns, ["10", "11", "12", "13"]);
        let likeliest: Vec<u32> = (0..300)
            .map(|i| {
                let row = p.row(i);
                assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-9);
                assert!(row.iter().all(|&p| p > 0.0 && p < 1.0));
                (0..4).max_by(|&a, &b| row[a].total_cmp(&row[b])).unwrap() as u32
            })
            .collect();
        assert!(right(&likeliest) > 230);
    }
    let plain = SvcParams::default().fit(&data).unwrap().model;
    assert_eq!(
        plain.probabilities(data.samples().view()).err(),
        Some(Error::NoProbabilities)
    );
}

#[test]
fn a_class_of_one_row_gets_its_share_as_probability() {
    let data = class_data(1, vec![0.0, 0.1, 0.2, 5.0], &[1.0, 1.0, 1.0, 2.0]);
    let model = SvcParams::default()
        .with_probability(true)
        .fit(&data)
        .unwrap()
        .model;
    let p = model.probabilities(data.samples().view()).unwrap();
    for i in 0..4 {
        assert!((p.row(i)[0] - 4.0 / 6.0).abs() < 1e-12, "{:?}", p.row(i));
    }
}

#[test]
fn widths_of_queries_may_differ_where_zeros_are_meant() {
    let lines = parse_lines("1 1:1 2:2\n2 1:-1 2:0.5\n1 1:2\n2 2:-1");
    let labels = labels(&lines);
    let samples = sparse(&features(&lines), 2, false);
    for samples in [dense(&samples), samples] {
        let target = Target::Classes(ClassLabels::from_numbers(&labels));
        let data = Dataset::new(samples, target).unwrap();
        for kernel in [Kernel::Linear, Kernel::rbf(0.5)] {
            let gaussian = kernel != Kernel::Linear;
            let fit = |data: &Dataset| {
                SvcParams::default()
                    .with_kernel(kernel.clone())
                    .fit(data)
                    .unwrap()
                    .model
            };
            let model = fit(&data);
            let narrow = Samples::dense(1, 1, vec![2.0]).unwrap();
            let full = Samples::dense(1, 2, vec![2.0, 0.0]).unwrap();
            let scores = |samples: &Samples| model.scores(samples.view()).map(|s| s.values);
            assert_eq!(scores(&narrow), scores(&full));
            let wide_dense = Samples::dense(1, 3, vec![2.0, 0.0, 4.0]).unwrap();
            assert!(matches!(scores(&wide_dense), Err(Error::Shape { .. })));
            // As if the training rows had had the feature, too.
            let wide = sparse(&[vec![(1, 2.0), (3, 4.0)]], 3, false);
            let value = scores(&wide).unwrap()[0];
            let rho = model.parts().expansion.machines[0].rho;
            let plain = scores(&full).unwrap()[0] + rho;
            let factor = if gaussian {
                (-0.5f64 * 16.0).exp()
            } else {
                1.0
            };
            assert!(
                (value + rho - plain * factor).abs() < 1e-6,
                "{value} {plain}"
            );
        }
        let not_finite = Samples::dense(1, 2, vec![f64::NAN, 0.0]).unwrap();
        let model = SvcParams::default().fit(&data).unwrap().model;
        assert!(matches!(
            model.predict(not_finite.view()),
            Err(Error::NotFinite { .. })
        ));
    }
}

#[test]
fn small_problems_equal_the_full_method_and_reuse_their_buffers() {
    let limits = Limits {
        tolerance: 1e-3,
        max_iterations: None,
        max_seconds: None,
        shrinking: false,
    };
    let mut svc = SmallSvc::new();
    let mut seen = None;
    for seed in 0..5 {
        let data = checkerboard(90, 0.1, seed);
        let view = data.samples().view();
        let labels: Vec<i8> = data
            .classes()
            .unwrap()
            .codes()
            .iter()
            .map(|&code| {
                let name = &data.classes().unwrap().names()[code as usize];
                if *name == ClassName::Number(1.0) {
                    1
                } else {
                    -1
                }
            })
            .collect();
        let kernel = Kernel::rbf(20.0);
        let gram = svc.gram_mut(90);
        for i in 0..90 {
            for j in 0..90 {
                gram[i * 90 + j] = kernel.value(view.row(i), view.row(j), 2).unwrap() as f32;
            }
        }
        let full = SvcParams::default()
            .with_cost(5.0)
            .with_kernel(kernel)
            .fit(&data)
            .unwrap();
        let machine = svc.solve(&labels, Costs::Uniform(5.0), &limits).unwrap();
        let address = machine.coefficients.as_ptr();
        assert_eq!(
            *seen.get_or_insert(address),
            address,
            "buffers must be reused"
        );
        assert!((machine.objective - full.report.objective).abs() < 1e-3 * 90.0);
        let rho = full.model.parts().expansion.machines[0].rho;
        assert!((machine.rho - rho).abs() < 1e-2, "{} {rho}", machine.rho);
        let again = svc
            .solve(&labels, Costs::PerRow(&[5.0; 90]), &limits)
            .unwrap()
            .objective;
        let costs = Costs::PerClass {
            positive: 5.0,
            negative: 5.0,
        };
        assert_eq!(again, svc.solve(&labels, costs, &limits).unwrap().objective);
    }
    let constant = svc.solve(&[1; 90], Costs::Uniform(1.0), &limits).unwrap();
    assert_eq!((constant.iterations, constant.rho), (0, -1.0));
    assert!(matches!(
        svc.solve(&[1], Costs::Uniform(1.0), &limits),
        Err(Error::Shape { .. })
    ));
    let negative = svc.solve(&[1; 90], Costs::Uniform(-1.0), &limits);
    assert!(matches!(
        negative,
        Err(Error::Parameter { name: "cost", .. })
    ));
}
