//! What the programs print about their answers.

use crate::failure::Failure;
use crate::measures::Joined;
use hedgerow::data::{ClassName, Dataset, Target};
use hedgerow::evaluate::{ConfusionMatrix, regression};
use hedgerow::{Prediction, ScoreMatrix};
use serde_json::{Map, Value, json};

/// Share of the rows whose lift is measured.
const LIFT_SHARE: f64 = 0.2;

/// A measure of `-M`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Measure {
    Accuracy,
    Precision,
    Recall,
    FOne,
    Lift,
}

impl Measure {
    /// The measure of a number.
    pub(super) fn by_number(number: u32) -> Self {
        match number {
            1 => Self::Precision,
            2 => Self::Recall,
            3 => Self::FOne,
            4 => Self::Lift,
            _ => Self::Accuracy,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Accuracy => "Accuracy",
            Self::Precision => "Precision",
            Self::Recall => "Recall",
            Self::FOne => "F-measure",
            Self::Lift => "Lift at 20%",
        }
    }

    fn field(self) -> &'static str {
        match self {
            Self::Accuracy => "accuracy",
            Self::Precision => "precision",
            Self::Recall => "recall",
            Self::FOne => "f_measure",
            Self::Lift => "lift",
        }
    }
}

/// Lines for people and fields for machines.
#[derive(Debug, Default)]
pub(super) struct Verdict {
    pub(super) lines: Vec<String>,
    pub(super) fields: Map<String, Value>,
    /// Labels of the data that the model does not know.
    pub(super) unknown: Vec<ClassName>,
}

impl Verdict {
    fn add(&mut self, name: &str, field: &str, value: f64, shown: &str) {
        self.lines.push(format!("{name} = {shown}"));
        self.fields.insert(field.to_owned(), json!(value));
    }
}

/// Compares answers with the labels, `first` first; empty if the data have no labels.
///
/// With two classes precision, recall, F-measure and lift are those of the class whose name sorts
/// last; with more they are means over the classes.
pub(super) fn of_test(
    data: &Dataset,
    classes: Option<&[ClassName]>,
    prediction: &Prediction,
    scores: &ScoreMatrix,
    first: Measure,
) -> Result<Verdict, Failure> {
    match (data.target(), prediction) {
        (Target::Classes(_), Prediction::Classes(codes)) => {
            let joined = Joined::new(data, classes.unwrap_or_default())?;
            let confusion = ConfusionMatrix::new(&joined.names, &joined.truth, codes)?;
            let mut verdict = Verdict::default();
            if first == Measure::Lift {
                let value = lift_of(&joined, scores)?;
                verdict.add(first.name(), first.field(), value, &significant(value));
            }
            add_classification(&mut verdict, &confusion, first, "");
            verdict.unknown = joined.unknown;
            Ok(verdict)
        }
        (Target::Real(truth), Prediction::Real(values)) => {
            let mut verdict = Verdict::default();
            add_regression(&mut verdict, truth, values, "")?;
            Ok(verdict)
        }
        _ => Ok(Verdict::default()),
    }
}

/// Measures of all rows of a cross-validation together.
pub(super) fn of_cross_validation(
    data: &Dataset,
    result: &hedgerow::evaluate::CrossValidation,
) -> Result<Verdict, Failure> {
    const PREFIX: &str = "Cross Validation ";
    let mut verdict = Verdict::default();
    if let Target::Real(truth) = data.target() {
        let values = result.predicted_values(data.n_rows());
        let values: Vec<f64> = values.into_iter().flatten().collect();
        add_regression(&mut verdict, truth, &values, PREFIX)?;
    } else {
        let confusion = result.confusion(data)?;
        add_classification(&mut verdict, &confusion, Measure::Accuracy, PREFIX);
    }
    Ok(verdict)
}

fn add_classification(
    verdict: &mut Verdict,
    confusion: &ConfusionMatrix,
    first: Measure,
    prefix: &str,
) {
    let positive = positive_code(confusion.names());
    let value_of = |measure| match (measure, positive) {
        (Measure::Precision, Some(code)) => confusion.precision(code),
        (Measure::Precision, None) => confusion.macro_precision(),
        (Measure::Recall, Some(code)) => confusion.recall(code),
        (Measure::Recall, None) => confusion.macro_recall(),
        (Measure::FOne, Some(code)) => confusion.f_beta(code, 1.0),
        (Measure::FOne, None) => confusion.macro_f_beta(1.0),
        (Measure::Accuracy | Measure::Lift, _) => confusion.accuracy(),
    };
    let mut order = vec![
        Measure::Accuracy,
        Measure::Precision,
        Measure::Recall,
        Measure::FOne,
    ];
    order.sort_by_key(|&measure| measure != first);
    for measure in order {
        let value = value_of(measure);
        let mut shown = percent(value);
        if measure == Measure::Accuracy {
            let codes = 0..confusion.names().len() as u32;
            let correct: u64 = codes.map(|c| confusion.count(c, c)).sum();
            shown = format!("{shown} ({correct}/{})", confusion.total());
        }
        let name = format!("{prefix}{}", measure.name());
        verdict.add(&name, measure.field(), value, &shown);
    }
}

fn add_regression(
    verdict: &mut Verdict,
    truth: &[f64],
    values: &[f64],
    prefix: &str,
) -> Result<(), Failure> {
    for (name, field, value) in [
        (
            "Mean squared error",
            "mean_squared_error",
            regression::mean_squared_error(truth, values)?,
        ),
        (
            "Squared correlation coefficient",
            "squared_correlation",
            regression::squared_correlation(truth, values)?,
        ),
    ] {
        let name = format!("{prefix}{name}");
        verdict.add(&name, field, value, &significant(value));
    }
    Ok(())
}

/// The class that measures speak of, if there are two: the one whose name sorts last.
pub(super) fn positive_code(names: &[ClassName]) -> Option<u32> {
    match names {
        [first, second] => Some(u32::from(second.order(first).is_gt())),
        _ => None,
    }
}

fn lift_of(joined: &Joined, scores: &ScoreMatrix) -> Result<f64, Failure> {
    let needs = || Failure::usage("-M 4: the lift is defined for two classes only");
    let code = positive_code(&joined.names).ok_or_else(needs)?;
    let (own, other) = (
        &joined.names[code as usize],
        &joined.names[1 - code as usize],
    );
    let column = scores.rising_with(own, other).ok_or_else(needs)?;
    let positive: Vec<bool> = joined.truth.iter().map(|&class| class == code).collect();
    Ok(lift(&positive, &column, LIFT_SHARE))
}

/// How much more frequent positive rows are among the given share of highest scores than among
/// all rows. Rows of equal score are in that share to equal parts.
fn lift(positive: &[bool], scores: &[f64], share: f64) -> f64 {
    let wanted = share * positive.len() as f64;
    let mut order: Vec<usize> = (0..positive.len()).collect();
    order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]));
    let (mut taken, mut hits) = (0.0, 0.0);
    for equal in order.chunk_by(|&a, &b| scores[a].total_cmp(&scores[b]).is_eq()) {
        let size = equal.len() as f64;
        let part = ((wanted - taken) / size).clamp(0.0, 1.0);
        taken += part * size;
        hits += part * equal.iter().filter(|&&i| positive[i]).count() as f64;
    }
    let all = positive.iter().filter(|&&yes| yes).count() as f64;
    (hits / wanted) / (all / positive.len() as f64)
}

/// A share in per cent, to four decimals.
fn percent(share: f64) -> String {
    let text = format!("{:.4}", 100.0 * share);
    let text = text.trim_end_matches('0').trim_end_matches('.');
    format!("{text}%")
}

/// Six significant digits.
fn significant(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return format!("{value}");
    }
    let text = format!("{value:.5e}");
    match text.parse::<f64>() {
        Ok(rounded) if (1e-4..1e6).contains(&rounded.abs()) => format!("{rounded}"),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lift_is_a_ratio_of_frequencies() {
        let positive = [
            true, false, false, false, true, false, false, false, false, false,
        ];
        let scores = [9.0, 8.0, 7.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0, 0.0];
        // One of the two best rows, two of ten.
        assert!((lift(&positive, &scores, 0.2) - 2.5).abs() < 1e-12);
        // Scores that tell nothing lift nothing, in whatever order the rows are.
        assert!((lift(&positive, &[1.0; 10], 0.2) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn numbers_have_no_idle_digits() {
        assert_eq!(percent(1.0), "100%");
        assert_eq!(percent(0.29 / 0.3), "96.6667%");
        assert_eq!(significant(0.012_345_678), "0.0123457");
        assert_eq!(significant(1.5e-9), "1.50000e-9");
    }
}
