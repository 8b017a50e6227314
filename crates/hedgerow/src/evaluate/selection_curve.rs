//! The error of a classifier against the number of features it is given.

use super::statistics::mean_and_deviation;
use crate::data::{Dataset, Split};
use crate::parallel::{Grain, try_map};
use crate::{Error, Prediction, Predictor, Result};

/// Errors for every number of features and every split.
#[derive(Debug, Clone, PartialEq)]
pub struct SelectionCurve {
    /// Numbers of features, as asked for.
    pub sizes: Vec<usize>,
    /// `errors[s][split]`: share of test rows that are classified wrongly with `sizes[s]` features.
    pub errors: Vec<Vec<f64>>,
    /// `chosen[s][split]`: features there were; fewer than asked for if the method ranks fewer.
    pub chosen: Vec<Vec<usize>>,
}

impl SelectionCurve {
    /// Mean error and standard error of the mean, for every number of features.
    pub fn summaries(&self) -> Vec<(f64, f64)> {
        let summary = |errors: &Vec<f64>| {
            let (mean, deviation) = mean_and_deviation(errors).unwrap_or((f64::NAN, f64::NAN));
            (mean, deviation / (errors.len() as f64).sqrt())
        };
        self.errors.iter().map(summary).collect()
    }
}

/// Ranks the features by the training part of every split alone, trains with the best of them
/// and counts the errors in the test part. Splits run in parallel.
///
/// `rank(train, wanted)` names features, the best first: `wanted` of them if it can, and it may
/// name more.
pub fn selection_curve<R, F>(
    data: &Dataset,
    splits: &[Split],
    rank: R,
    sizes: &[usize],
    fit: F,
) -> Result<SelectionCurve>
where
    R: Fn(&Dataset, usize) -> Result<Vec<usize>> + Sync,
    F: Fn(&Dataset) -> Result<Box<dyn Predictor>> + Sync,
{
    if let Some(&size) = sizes.iter().find(|&&size| size == 0) {
        return Err(Error::Parameter {
            name: "sizes",
            value: size as f64,
            requirement: "at least 1",
        });
    }
    let largest = sizes.iter().copied().max().unwrap_or(0);
    let columns: Vec<Vec<(f64, usize)>> = try_map(splits.len(), Grain::COARSE, &|at| {
        let split = &splits[at];
        let (train, test) = (data.select(&split.train), data.select(&split.test));
        let ranking = rank(&train, largest)?;
        sizes
            .iter()
            .map(|&size| {
                let mut features = ranking[..size.min(ranking.len())].to_vec();
                features.sort_unstable();
                let model = fit(&train.select_features(&features)?)?;
                let reduced = test.select_features(&features)?;
                let wrong = count_wrong(model.as_ref(), &reduced)?;
                let error = wrong as f64 / reduced.n_rows().max(1) as f64;
                Ok((error, features.len()))
            })
            .collect()
    })?;
    let of = |s: usize| columns.iter().map(move |column| column[s]);
    Ok(SelectionCurve {
        sizes: sizes.to_vec(),
        errors: (0..sizes.len())
            .map(|s| of(s).map(|cell| cell.0).collect())
            .collect(),
        chosen: (0..sizes.len())
            .map(|s| of(s).map(|cell| cell.1).collect())
            .collect(),
    })
}

/// Rows whose class is not the predicted one.
fn count_wrong(model: &dyn Predictor, data: &Dataset) -> Result<usize> {
    let labels = data.classes()?;
    let Prediction::Classes(predicted) = model.predict(data.samples().view())? else {
        return Err(Error::Target {
            needed: "a classifier",
            found: "a regressor",
        });
    };
    let names = model.classes().unwrap_or(&[]);
    let pairs = predicted.iter().zip(labels.codes());
    Ok(pairs
        .filter(|&(&p, &code)| names.get(p as usize) != labels.names().get(code as usize))
        .count())
}
