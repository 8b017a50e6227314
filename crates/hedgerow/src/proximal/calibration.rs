//! Probabilities: sigmoids on decision values of models that did not learn from the rows.

use super::model::ProximalModel;
use crate::data::{Dataset, Generator};
use crate::machines::{CALIBRATION_FOLDS, ClassRows, Multiclass, Sigmoid, pairs};
use crate::{Error, Predictor, Result};

/// Stream of the seed that folds come from.
const STREAM: u64 = 0x666f_6c64;

/// Gives a model the sigmoids of its columns; `fit` trains on some of the rows as the model was.
pub(super) fn calibrated(
    model: ProximalModel,
    data: &Dataset,
    seed: u64,
    fit: impl Fn(&Dataset) -> Result<ProximalModel>,
) -> Result<ProximalModel> {
    let rows = ClassRows::new(data.classes()?);
    let fold_of = folds(&rows, seed);
    let k = rows.members.len();
    let columns = model.multiclass().n_machines(k);
    // What each column said of the rows that it speaks of, and what is true.
    let mut told: Vec<(Vec<f64>, Vec<bool>)> = vec![(Vec::new(), Vec::new()); columns];
    for fold in 0..CALIBRATION_FOLDS {
        let part = |inside: bool| -> Vec<usize> {
            (0..data.n_rows())
                .filter(|&i| (fold_of[i] == fold) == inside)
                .collect()
        };
        let (test, train) = (part(true), part(false));
        let train = data.select(&train);
        let seen = ClassRows::new(train.classes()?).names.len();
        if test.is_empty() || seen < k {
            continue;
        }
        let judge = match fit(&train) {
            Ok(judge) => judge,
            // A fold may be singular where the whole is not.
            Err(Error::SingularPencil | Error::NoEigenvalues) => continue,
            Err(error) => return Err(error),
        };
        let scores = judge.scores(data.samples().select(&test).view())?;
        for (at, &i) in test.iter().enumerate() {
            let class = rows.class_of_row[i] as usize;
            for (column, &value) in scores.row(at).iter().enumerate() {
                if let Some(truth) = truth(model.multiclass(), k, column, class) {
                    told[column].0.push(value);
                    told[column].1.push(truth);
                }
            }
        }
    }
    let sigmoids = told
        .iter()
        .map(|(values, truth)| Sigmoid::fit(values, truth));
    Ok(model.with_sigmoids(sigmoids.collect()))
}

/// Whether a column should speak for a row of a class; `None` if it does not know the class.
fn truth(multiclass: Multiclass, k: usize, column: usize, class: usize) -> Option<bool> {
    if k > 2 && multiclass == Multiclass::OneVsRest {
        return Some(column == class);
    }
    let (a, b) = pairs(k).nth(column)?;
    (class == a || class == b).then_some(class == a)
}

/// Deals the rows of each class to the folds in turn, in random order.
fn folds(rows: &ClassRows, seed: u64) -> Vec<usize> {
    let mut generator = Generator::for_task(seed, STREAM);
    let mut fold_of = vec![0; rows.class_of_row.len()];
    let mut dealt = 0;
    for members in &rows.members {
        let mut members = members.clone();
        generator.shuffle(&mut members);
        for i in members {
            fold_of[i as usize] = dealt % CALIBRATION_FOLDS;
            dealt += 1;
        }
    }
    fold_of
}
