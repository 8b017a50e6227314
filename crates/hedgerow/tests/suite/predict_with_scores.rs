//! Predictions and scores that are asked for together, and those of single rows, are those asked for
//! one by one.

use hedgerow::data::{ClassLabels, Dataset, Generator, Samples, Target};
use hedgerow::kernel::Kernel;
use hedgerow::local::{Assign, FalkParams, KnnParams, KnnSvmParams};
use hedgerow::svm::linear::{LinearSvmParams, LogisticParams};
use hedgerow::svm::{Multiclass, OneClassParams, SvcParams, SvrParams};
use hedgerow::tree::{HlsvmParams, SvmTreesParams, TreeMulticlass};
use hedgerow::{Estimator, Prediction, Predictor, Result};

const WIDTH: usize = 4;

fn samples(n_rows: usize, seed: u64) -> Result<Samples> {
    let mut generator = Generator::new(seed);
    let values = (0..n_rows * WIDTH).map(|_| generator.normal()).collect();
    Samples::dense(n_rows, WIDTH, values)
}

fn classes(n_classes: usize) -> Result<Dataset> {
    let samples = samples(240, 1)?;
    let label = |i: usize| {
        let row = samples.view().row(i).values().to_vec();
        let angle = row[1].atan2(row[0] + 0.3 * row[2]) / std::f64::consts::TAU + 0.5;
        (angle * n_classes as f64)
            .floor()
            .min(n_classes as f64 - 1.0)
    };
    let labels: Vec<f64> = (0..240).map(label).collect();
    Dataset::new(samples, Target::Classes(ClassLabels::from_numbers(&labels)))
}

fn ensure_same(method: &impl Estimator, data: &Dataset) -> Result<()> {
    let model = method.fit(data)?.model;
    let queries = samples(70, 2)?;
    for view in [queries.view(), queries.select(&[3]).view()] {
        let (prediction, scores) = model.predict_with_scores(view)?;
        assert_eq!(prediction, model.predict(view)?);
        assert_eq!(scores, model.scores(view)?);
        for i in 0..view.n_rows() {
            let wanted = match &prediction {
                Prediction::Classes(codes) => f64::from(codes[i]),
                Prediction::Real(values) => values[i],
            };
            assert_eq!(model.predict_row(view.row(i).values())?, wanted);
        }
    }
    Ok(())
}

#[test]
fn kernel_and_linear_machines_answer_as_one_by_one() -> Result<()> {
    for data in [classes(2)?, classes(4)?] {
        for kernel in [Kernel::Linear, Kernel::rbf(0.5)] {
            for multiclass in [Multiclass::OneVsOne, Multiclass::OneVsRest, Multiclass::Dag] {
                let params = SvcParams::default().with_kernel(kernel.clone());
                ensure_same(&params.with_multiclass(multiclass), &data)?;
            }
        }
        ensure_same(&LinearSvmParams::default(), &data)?;
        ensure_same(&LogisticParams::default(), &data)?;
        ensure_same(&OneClassParams::default(), &data)?;
    }
    let single = classes(1)?;
    ensure_same(&SvcParams::default(), &single)?;
    ensure_same(&LinearSvmParams::default(), &single)
}

#[test]
fn local_machines_answer_as_one_by_one() -> Result<()> {
    for data in [classes(2)?, classes(4)?] {
        for assign in [
            Assign::Nearest,
            Assign::Centre,
            Assign::Vote(3),
            Assign::Blend(3),
        ] {
            let params = FalkParams::default().with_neighbours(30).with_cost(5.0);
            ensure_same(&params.with_assign(assign), &data)?;
        }
        ensure_same(&KnnParams::default().with_neighbours(5), &data)?;
        ensure_same(&KnnSvmParams::default().with_neighbours(30), &data)?;
    }
    Ok(())
}

#[test]
fn trees_answer_as_one_by_one() -> Result<()> {
    for data in [classes(2)?, classes(4)?] {
        for multiclass in [TreeMulticlass::Direct, TreeMulticlass::OneVsOne] {
            let params = HlsvmParams::default().with_multiclass(multiclass);
            ensure_same(&params, &data)?;
            let mut forest = params;
            forest.forest.trees = 10;
            ensure_same(&forest, &data)?;
        }
        ensure_same(&SvmTreesParams::default(), &data)?;
    }
    Ok(())
}

#[test]
fn regressions_answer_as_one_by_one() -> Result<()> {
    let samples = samples(200, 3)?;
    let target = |i: usize| samples.view().row(i).values()[0].sin();
    let target = Target::Real((0..200).map(target).collect());
    let data = Dataset::new(samples, target)?;
    ensure_same(&SvrParams::default(), &data)?;
    ensure_same(&KnnParams::default().with_neighbours(5), &data)?;
    ensure_same(&KnnSvmParams::default().with_neighbours(30), &data)?;
    ensure_same(&FalkParams::default().with_neighbours(30), &data)
}
