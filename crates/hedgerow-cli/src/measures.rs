//! Metrics of one batch of predictions.

use crate::failure::Failure;
use crate::table;
use hedgerow::data::{ClassName, Dataset, Target};
use hedgerow::evaluate::auc_interval::auc_estimate;
use hedgerow::evaluate::{ConfusionMatrix, Ties, log_error_of_levels, ranking, regression};
use hedgerow::{Prediction, Predictor, ScoreMatrix};
use serde_json::{Map, Value, json};

/// Named numbers in the order in which they are shown.
pub(crate) struct Measures {
    /// Name and value.
    pub(crate) values: Vec<(&'static str, f64)>,
    /// Rows predicted right, for classes.
    pub(crate) correct: Option<usize>,
    /// The class that precision, recall and AUC refer to.
    pub(crate) positive: Option<ClassName>,
    /// Where the AUC lies with a confidence of 95 %.
    pub(crate) auc_interval: Option<(f64, f64)>,
    /// Labels in the data that the model does not know: their rows count as errors.
    pub(crate) unknown: Vec<ClassName>,
    /// Rows.
    pub(crate) rows: usize,
}

impl Measures {
    /// Compares predictions with the targets; `None` if the data have none.
    ///
    /// `scores` are decision values or probabilities; with two classes they give the AUC. `positive`
    /// is the class that two-class metrics refer to, by default the one whose name sorts last.
    pub(crate) fn of(
        data: &Dataset,
        model: &dyn Predictor,
        positive: Option<&ClassName>,
        prediction: &Prediction,
        scores: &ScoreMatrix,
    ) -> Result<Option<Self>, Failure> {
        match (data.target(), prediction) {
            (Target::Classes(_) | Target::Ordinal(_), Prediction::Classes(codes)) => {
                classification(data, model, positive, codes, scores).map(Some)
            }
            (Target::Real(truth), Prediction::Real(values)) => Ok(Some(Self {
                values: vec![
                    (
                        "mean_squared_error",
                        regression::mean_squared_error(truth, values)?,
                    ),
                    (
                        "mean_absolute_error",
                        regression::mean_absolute_error(truth, values)?,
                    ),
                    (
                        "squared_correlation",
                        regression::squared_correlation(truth, values)?,
                    ),
                ],
                correct: None,
                positive: None,
                auc_interval: None,
                unknown: Vec::new(),
                rows: truth.len(),
            })),
            _ => Ok(None),
        }
    }

    /// The numbers as a JSON object.
    pub(crate) fn json(&self) -> Value {
        let mut object = Map::new();
        for (name, value) in &self.values {
            object.insert((*name).to_owned(), json!(value));
        }
        if let Some(positive) = &self.positive {
            object.insert("positive_class".to_owned(), json!(positive.to_string()));
        }
        if let Some((low, high)) = self.auc_interval {
            object.insert("auc_interval".to_owned(), json!([low, high]));
        }
        Value::Object(object)
    }

    /// Lines for people.
    pub(crate) fn text(&self) -> String {
        let pairs: Vec<(String, String)> = self
            .values
            .iter()
            .map(|(name, value)| {
                let number = table::number(*value);
                let shown = match (self.correct, self.auc_interval) {
                    (Some(correct), _) if *name == "accuracy" => {
                        format!("{number} ({correct} of {})", self.rows)
                    }
                    (_, Some((low, high))) if *name == "auc" => {
                        let (low, high) = (table::number(low), table::number(high));
                        format!("{number} (95 %: {low} to {high})")
                    }
                    _ => number,
                };
                (name.replace('_', " "), shown)
            })
            .collect();
        table::pairs(&pairs)
    }
}

/// Classes of the data in the codes of a model.
pub(crate) struct Joined {
    /// Names of the model first, so that its codes stay; then what only the data have.
    pub(crate) names: Vec<ClassName>,
    /// What only the data have.
    pub(crate) unknown: Vec<ClassName>,
    /// The class of every row.
    pub(crate) truth: Vec<u32>,
}

impl Joined {
    /// Joins the classes of the data with those a model knows.
    pub(crate) fn new(data: &Dataset, known: &[ClassName]) -> Result<Self, Failure> {
        let labels = data.classes()?;
        let mut names = known.to_vec();
        let unknown: Vec<ClassName> = labels
            .names()
            .iter()
            .filter(|name| !known.contains(name))
            .cloned()
            .collect();
        names.extend_from_slice(&unknown);
        let code_of: Vec<u32> = labels
            .names()
            .iter()
            .map(|name| names.iter().position(|other| other == name).unwrap_or(0) as u32)
            .collect();
        let truth = labels
            .codes()
            .iter()
            .map(|&code| code_of[code as usize])
            .collect();
        Ok(Self {
            names,
            unknown,
            truth,
        })
    }
}

fn classification(
    data: &Dataset,
    model: &dyn Predictor,
    wanted: Option<&ClassName>,
    codes: &[u32],
    scores: &ScoreMatrix,
) -> Result<Measures, Failure> {
    let known = model.classes().unwrap_or_default();
    let Joined {
        names,
        unknown,
        truth,
    } = Joined::new(data, known)?;
    let confusion = ConfusionMatrix::new(&names, &truth, codes)?;
    let correct = truth.iter().zip(codes).filter(|(a, b)| a == b).count();
    let mut values = vec![("accuracy", confusion.accuracy())];
    let mut positive = None;
    let mut auc_interval = None;
    if model.ranks_levels() {
        if unknown.is_empty()
            && let Ok(share) = ranking::mauc(&truth, &scores.values, Ties::Half)
        {
            values.push(("mauc", share));
        }
        if let Some(error) = log_error_of_levels(model, data)? {
            values.push(("rmsle", error));
        }
        values.push(("balanced_accuracy", confusion.balanced_accuracy()));
        values.push(("macro_f1", confusion.macro_f_beta(1.0)));
    } else if names.len() == 2 {
        let code = positive_code(&names, wanted);
        values.push(("precision", confusion.precision(code)));
        values.push(("recall", confusion.recall(code)));
        values.push(("f1", confusion.f_beta(code, 1.0)));
        let is_positive: Vec<bool> = truth.iter().map(|&c| c == code).collect();
        // The scores of a model of a single class tell nothing.
        if known.len() == 2
            && let Some(column) =
                scores.rising_with(&names[code as usize], &names[1 - code as usize])
            && let Ok(estimate) = auc_estimate(&is_positive, &column)
        {
            values.push(("auc", estimate.auc));
            auc_interval = Some(estimate.interval(0.95));
            let precision = ranking::average_precision(&is_positive, &column)?;
            values.push(("average_precision", precision));
        }
        positive = Some(names[code as usize].clone());
    } else {
        values.push(("balanced_accuracy", confusion.balanced_accuracy()));
        values.push(("macro_f1", confusion.macro_f_beta(1.0)));
    }
    Ok(Measures {
        values,
        correct: Some(correct),
        positive,
        auc_interval,
        unknown,
        rows: truth.len(),
    })
}

/// The code of the class that is looked for: the one wanted, else the one whose name sorts last.
pub(crate) fn positive_code(names: &[ClassName], wanted: Option<&ClassName>) -> u32 {
    let own = wanted.and_then(|name| names.iter().position(|other| other == name));
    own.map_or_else(
        || u32::from(names[1].order(&names[0]).is_gt()),
        |code| code as u32,
    )
}
