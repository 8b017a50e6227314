//! Models depend on the data and the parameters only, and survive being written and read.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use crate::svm_support;

use hedgerow::data::{Dataset, Samples};
use hedgerow::kernel::Kernel;
use hedgerow::svm::{
    Multiclass, NuSvcParams, OneClassParams, OneClassSvm, SvcParams, SvmClassifier, SvmRegressor,
    SvrParams,
};
use hedgerow::{Predictor, Result};
use serde::Serialize;
use svm_support::*;

fn with_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .unwrap()
        .install(work)
}

fn bytes<M: Serialize + Send>(threads: usize, fit: impl Fn() -> Result<M> + Sync) -> Vec<u8> {
    with_threads(threads, || postcard::to_stdvec(&fit().unwrap()).unwrap())
}

fn same_for_all_threads<M: Serialize + Send>(fit: impl Fn() -> Result<M> + Sync) {
    let one = bytes(1, &fit);
    for threads in [2, 8] {
        assert_eq!(one, bytes(threads, &fit), "{threads} threads");
    }
}

#[test]
fn the_number_of_threads_does_not_change_a_model() {
    let small = clouds(200, 5, 1);
    let large = checkerboard(2600, 0.1, 2);
    let kernel = Kernel::rbf(2.0);
    for multiclass in [Multiclass::OneVsOne, Multiclass::OneVsRest, Multiclass::Dag] {
        let params = SvcParams::default()
            .with_kernel(kernel.clone())
            .with_probability(true);
        let params = params.with_multiclass(multiclass);
        same_for_all_threads(|| Ok(params.fit(&small)?.model));
    }
    let params = SvcParams::default()
        .with_kernel(kernel.clone())
        .with_cost(50.0);
    let params = params.with_cache_mb(4.0);
    same_for_all_threads(|| Ok(params.fit(&large)?.model));
    let nu = NuSvcParams::default().with_nu(0.2).with_kernel(kernel);
    same_for_all_threads(|| Ok(nu.fit(&small)?.model));
}

#[test]
fn the_number_of_threads_does_not_change_a_prediction() {
    let data = clouds(500, 4, 9);
    let model = SvcParams::default()
        .with_probability(true)
        .fit(&data)
        .unwrap()
        .model;
    let view = data.samples().view();
    let all = |threads: usize| {
        with_threads(threads, || {
            (
                model.predict(view),
                model.scores(view),
                model.probabilities(view),
            )
        })
    };
    let one = all(1);
    assert_eq!(one, all(2));
    assert_eq!(one, all(8));
    // Nor does it matter which rows stand beside a row.
    let scores = one.1.unwrap();
    for i in [0, 63, 64, 499] {
        let single = data.samples().select(&[i]);
        assert_eq!(model.scores(single.view()).unwrap().values, scores.row(i));
    }
}

fn read_back<M: Serialize + serde::de::DeserializeOwned + PartialEq + std::fmt::Debug>(model: &M) {
    let bytes = postcard::to_stdvec(model).unwrap();
    assert_eq!(&postcard::from_bytes::<M>(&bytes).unwrap(), model);
}

fn regression_data() -> Dataset {
    let x: Vec<f64> = (0..80).map(|i| f64::from(i) / 10.0).collect();
    let t: Vec<f64> = x.iter().map(|x| x.sin()).collect();
    real_data(1, x, &t)
}

#[test]
fn models_read_back_equal_those_written() {
    let data = clouds(120, 4, 2);
    for kernel in [Kernel::Linear, Kernel::rbf(1.0)] {
        let params = SvcParams::default()
            .with_kernel(kernel.clone())
            .with_probability(true);
        read_back::<SvmClassifier>(&params.fit(&data).unwrap().model);
        let svr = SvrParams::default().with_kernel(kernel.clone());
        read_back::<SvmRegressor>(&svr.fit(&regression_data()).unwrap().model);
        let one = OneClassParams::default().with_kernel(kernel);
        read_back::<OneClassSvm>(&one.fit(&data).unwrap().model);
    }
}

#[test]
fn parts_that_do_not_fit_together_are_refused() {
    let data = clouds(60, 3, 2);
    let model = SvcParams::default()
        .with_probability(true)
        .fit(&data)
        .unwrap()
        .model;
    let good = model.parts();
    assert!(good.validate().is_ok() && model.validate().is_ok());
    let mut broken = Vec::new();
    let mut change = |edit: &dyn Fn(&mut hedgerow::svm::SvmParts)| {
        let mut parts = good.clone();
        edit(&mut parts);
        broken.push(parts);
    };
    change(&|parts| {
        parts.classes.pop();
    });
    change(&|parts| parts.classes.clear());
    change(&|parts| {
        parts.expansion.machines.pop();
    });
    change(&|parts| {
        parts.expansion.machines[0].coefficients.pop();
    });
    change(&|parts| parts.expansion.machines[1].support[0] = 1_000_000);
    change(&|parts| *parts.expansion.machines[1].support.last_mut().unwrap() = 1_000_000);
    change(&|parts| parts.expansion.machines[0].rho = f64::NAN);
    change(&|parts| parts.expansion.machines[0].coefficients[0] = f64::INFINITY);
    change(&|parts| parts.expansion.n_features = 7);
    change(&|parts| parts.expansion.kernel = Kernel::rbf(-1.0));
    change(&|parts| parts.support_counts[0] += 1);
    change(&|parts| parts.support_counts[0] = usize::MAX);
    change(&|parts| {
        parts.support_counts.pop();
    });
    change(&|parts| {
        parts.sigmoids.as_mut().unwrap().pop();
    });
    change(&|parts| parts.sigmoids.as_mut().unwrap()[0].slope = f64::NAN);
    change(&|parts| parts.multiclass = Multiclass::OneVsRest);
    change(&|parts| parts.expansion.support_vectors = Samples::dense(1, 2, vec![0.0; 2]).unwrap());
    let n_broken = broken.len();
    let refused = broken
        .into_iter()
        .enumerate()
        .filter(|(number, parts)| {
            let bytes = postcard::to_stdvec(parts).unwrap();
            let read = postcard::from_bytes::<SvmClassifier>(&bytes);
            assert_eq!(read.is_err(), parts.validate().is_err(), "{number}");
            read.is_err() && SvmClassifier::from_parts(parts.clone()).is_err()
        })
        .count();
    // Three classes have three machines either way: that change alone is harmless.
    assert_eq!(refused, n_broken - 1);
    // Samples whose arrays disagree can only come from a file.
    let text = serde_json::to_string(&model).unwrap();
    assert!(text.contains("\"n_rows\":"));
    let start = text.find("\"n_rows\":").unwrap() + 9;
    let end = start + text[start..].find(',').unwrap();
    for lie in ["0", "1000000", "18446744073709551615"] {
        let lied = format!("{}{lie}{}", &text[..start], &text[end..]);
        assert!(
            serde_json::from_str::<SvmClassifier>(&lied).is_err(),
            "{lie}"
        );
    }
}

#[test]
fn damaged_bytes_never_panic() {
    let model = SvcParams::default().fit(&clouds(30, 3, 2)).unwrap().model;
    let bytes = postcard::to_stdvec(&model).unwrap();
    let view_data = clouds(5, 3, 3);
    for i in 0..bytes.len() {
        for value in [0, 1, 127, 128, 255] {
            let mut damaged = bytes.clone();
            damaged[i] = value;
            if let Ok(model) = postcard::from_bytes::<SvmClassifier>(&damaged) {
                // Whatever was read is consistent enough to be used.
                let _ = model.predict(view_data.samples().view());
                let _ = model.scores(view_data.samples().view());
            }
        }
        assert!(postcard::from_bytes::<SvmClassifier>(&bytes[..i]).is_err());
    }
}

#[test]
fn the_order_of_the_rows_does_not_change_predictions() {
    let data = clouds(150, 3, 12);
    // Each class keeps its first row in place, so that the order of classes stays.
    let mut order: Vec<usize> = (0..150).collect();
    order[3..].reverse();
    let shuffled = data.select(&order);
    for kernel in [Kernel::Linear, Kernel::rbf(1.0)] {
        let params = SvcParams::default()
            .with_kernel(kernel)
            .with_tolerance(1e-6);
        let a = params.fit(&data).unwrap().model;
        let b = params.fit(&shuffled).unwrap().model;
        let view = data.samples().view();
        let predicted = [&a, &b].map(|model| codes(&model.predict(view).unwrap()));
        let (a, b) = (a.scores(view).unwrap(), b.scores(view).unwrap());
        for i in 0..150 {
            let clear = a.row(i).iter().all(|value| value.abs() > 1e-3);
            assert!(!clear || predicted[0][i] == predicted[1][i], "row {i}");
        }
        for (a, b) in a.values.iter().zip(&b.values) {
            assert!((a - b).abs() < 1e-3, "{a} {b}");
        }
    }
}
