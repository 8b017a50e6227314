//! Which rows a model rests on, and the order of its classes.

use hedgerow::data::{ClassLabels, ClassName, Dataset, Generator, Samples, SamplesView, Target};
use hedgerow::kernel::{Expansion, Kernel};
use hedgerow::svm::linear::LinearSvmParams;
use hedgerow::svm::{Multiclass, NuSvcParams, NuSvrParams, OneClassParams, SvcParams, SvrParams};
use hedgerow::{Predictor, Result};

const ROWS: usize = 90;
const WIDTH: usize = 3;

fn samples(seed: u64) -> Result<Samples> {
    let mut generator = Generator::new(seed);
    let values = (0..ROWS * WIDTH).map(|_| generator.normal()).collect();
    Samples::dense(ROWS, WIDTH, values)
}

/// Every fifth row has weight 0.
fn weights() -> Vec<f64> {
    let weight = |i: usize| {
        if i % 5 == 2 {
            0.0
        } else {
            1.0 + i as f64 / 50.0
        }
    };
    (0..ROWS).map(weight).collect()
}

fn classes(n_classes: usize) -> Result<Dataset> {
    let samples = samples(4)?;
    let label = |i: usize| {
        let row = samples.view().row(i).values().to_vec();
        f64::from(u8::from(row[0] + row[1] > 0.3) + u8::from(row[2] > 0.0))
    };
    let labels: Vec<f64> = (0..ROWS)
        .map(|i| label(i).min(n_classes as f64 - 1.0))
        .collect();
    let target = Target::Classes(ClassLabels::from_numbers(&labels));
    Dataset::new(samples, target)?.with_weights(weights())
}

fn real() -> Result<Dataset> {
    let samples = samples(5)?;
    let target = |i: usize| samples.view().row(i).values()[0].sin();
    let target = Target::Real((0..ROWS).map(target).collect());
    Dataset::new(samples, target)?.with_weights(weights())
}

/// The rows named are the support vectors themselves, and none has weight 0.
fn ensure_rows(view: SamplesView<'_>, expansion: &Expansion, support: Option<Vec<u32>>) {
    let support = support.expect("a kernel machine names its rows");
    let vectors = expansion.support_vectors.view();
    assert!(!support.is_empty());
    assert_eq!(support.len(), vectors.n_rows());
    for (s, &row) in support.iter().enumerate() {
        assert_ne!(row % 5, 2);
        assert_eq!(vectors.row(s).values(), view.row(row as usize).values());
    }
}

#[test]
fn support_rows_are_numbered_as_in_the_data_given() -> Result<()> {
    let kernel = Kernel::rbf(0.5);
    for data in [classes(2)?, classes(3)?] {
        let view = data.samples().view();
        for multiclass in [Multiclass::OneVsOne, Multiclass::OneVsRest] {
            let params = SvcParams::default().with_kernel(kernel.clone());
            let fitted = params.with_multiclass(multiclass).fit(&data)?;
            ensure_rows(view, &fitted.model.parts().expansion, fitted.support);
        }
        let nu = NuSvcParams::default().with_nu(0.2);
        let fitted = nu.with_kernel(kernel.clone()).fit(&data)?;
        ensure_rows(view, &fitted.model.parts().expansion, fitted.support);
        assert_eq!(LinearSvmParams::default().fit(&data)?.support, None);
    }
    let data = real()?;
    let view = data.samples().view();
    let fitted = SvrParams::default()
        .with_kernel(kernel.clone())
        .fit(&data)?;
    ensure_rows(view, fitted.model.parts(), fitted.support);
    let fitted = NuSvrParams::default()
        .with_kernel(kernel.clone())
        .fit(&data)?;
    ensure_rows(view, fitted.model.parts(), fitted.support);
    let fitted = OneClassParams::default().with_kernel(kernel).fit(&data)?;
    ensure_rows(view, fitted.model.parts(), fitted.support);
    Ok(())
}

#[test]
fn a_constant_target_rests_on_no_row() -> Result<()> {
    let data = Dataset::new(samples(6)?, Target::Real(vec![2.5; ROWS]))?;
    assert_eq!(SvrParams::default().fit(&data)?.support, Some(Vec::new()));
    Ok(())
}

fn order_of(data: &Dataset) -> Result<[Vec<ClassName>; 2]> {
    let kernel = SvcParams::default().fit(data)?.model;
    let linear = LinearSvmParams::default().fit(data)?.model;
    Ok([&kernel as &dyn Predictor, &linear].map(|m| m.classes().unwrap_or(&[]).to_vec()))
}

#[test]
fn classes_stand_in_the_order_of_their_names_whatever_rows_there_are() -> Result<()> {
    let labels = ClassLabels::from_texts(&["b", "c", "a", "b", "c", "a"]);
    let samples = Samples::dense(6, 1, vec![0.0, 1.0, 2.0, 0.1, 1.1, 2.1])?;
    let data = Dataset::new(samples, Target::Classes(labels))?;
    let names = |texts: &[&str]| -> Vec<ClassName> {
        texts.iter().map(|text| ClassName::parse(text)).collect()
    };
    // A fold in which another class comes first, and one without a class.
    for (rows, wanted) in [
        (vec![0, 1, 2, 3, 4, 5], names(&["b", "c", "a"])),
        (vec![2, 5, 4, 1, 0], names(&["b", "c", "a"])),
        (vec![2, 5, 4, 1], names(&["c", "a"])),
    ] {
        for found in order_of(&data.select(&rows))? {
            assert_eq!(found, wanted, "{rows:?}");
        }
    }
    Ok(())
}

#[test]
fn of_minus_and_plus_one_the_latter_comes_first() -> Result<()> {
    let samples = || Samples::dense(4, 1, vec![0.0, 1.0, 0.1, 1.1]);
    let (plus, minus) = (ClassName::Number(1.0), ClassName::Number(-1.0));
    for labels in [[-1.0, 1.0, -1.0, 1.0], [1.0, -1.0, 1.0, -1.0]] {
        let target = Target::Classes(ClassLabels::from_numbers(&labels));
        for found in order_of(&Dataset::new(samples()?, target)?)? {
            assert_eq!(found, [plus.clone(), minus.clone()]);
        }
    }
    Ok(())
}
