//! How long an exact SVM takes to answer a single row.
//!
//! `cargo run --release -p hedgerow --example single_row` prints the median time of `predict` on a
//! view of one row and of `predict_row`, for models of 1,000 dense support vectors.
#![allow(
    clippy::print_stdout,
    reason = "a program that prints its measurements"
)]

use hedgerow::Predictor;
use hedgerow::data::{ClassName, Generator, Samples, SamplesView};
use hedgerow::kernel::{Expansion, Kernel, Machine};
use hedgerow::svm::{Multiclass, SvmClassifier, SvmParts};
use std::hint::black_box;
use std::time::Instant;

const SUPPORT_VECTORS: usize = 1000;
const QUERIES: usize = 256;
const CALLS: usize = 4096;

fn normal_rows(n_rows: usize, n_features: usize, generator: &mut Generator) -> Vec<f64> {
    (0..n_rows * n_features)
        .map(|_| 2.0 * generator.uniform() - 1.0)
        .collect()
}

fn model(n_features: usize, generator: &mut Generator) -> hedgerow::Result<SvmClassifier> {
    let values = normal_rows(SUPPORT_VECTORS, n_features, generator);
    let sign = |s: usize| if s < SUPPORT_VECTORS / 2 { 1.0 } else { -1.0 };
    SvmClassifier::from_parts(SvmParts {
        expansion: Expansion {
            kernel: Kernel::rbf(1.0 / n_features as f64),
            n_features,
            support_vectors: Samples::dense(SUPPORT_VECTORS, n_features, values)?,
            machines: vec![Machine {
                support: (0..SUPPORT_VECTORS as u32).collect(),
                coefficients: (0..SUPPORT_VECTORS)
                    .map(|s| sign(s) * generator.uniform())
                    .collect(),
                rho: 0.1,
            }],
        },
        classes: vec![ClassName::Number(1.0), ClassName::Number(-1.0)],
        support_counts: vec![SUPPORT_VECTORS / 2; 2],
        multiclass: Multiclass::OneVsOne,
        sigmoids: None,
    })
}

/// Median nanoseconds of one call.
fn median(mut call: impl FnMut(usize)) -> u128 {
    (0..CALLS / 8).for_each(&mut call);
    let mut times: Vec<u128> = (0..CALLS)
        .map(|i| {
            let start = Instant::now();
            call(i);
            start.elapsed().as_nanos()
        })
        .collect();
    times.sort_unstable();
    times[CALLS / 2]
}

fn main() -> hedgerow::Result<()> {
    for n_features in [20, 100] {
        let mut generator = Generator::new(1);
        let model = model(n_features, &mut generator)?;
        let queries = normal_rows(QUERIES, n_features, &mut generator);
        let row = |i: usize| &queries[(i % QUERIES) * n_features..][..n_features];
        let views = median(|i| {
            let view = SamplesView::Dense {
                n_rows: 1,
                n_features,
                values: row(i),
            };
            black_box(model.predict(black_box(view))).expect("a row of the model's width");
        });
        let rows = median(|i| {
            black_box(model.predict_row(black_box(row(i)))).expect("a row of the model's width");
        });
        println!("{n_features} features: predict {views} ns, predict_row {rows} ns");
    }
    Ok(())
}
