//! What `predict` says of models of two classes: thresholds, operating points, curves.

use crate::args::DecisionArgs;
use crate::failure::Failure;
use crate::measures::{Joined, positive_code};
use crate::session::Session;
use crate::table;
use hedgerow::data::{ClassName, Dataset};
use hedgerow::evaluate::operating::{OperatingPoint, operating_point, operating_points};
use hedgerow::evaluate::ranking;
use hedgerow::{Predictor, ScoreMatrix};
use hedgerow_methods::Prepared;
use hedgerow_report::RocChart;
use serde_json::{Value, json};

/// The scores of the class that is looked for.
pub(super) struct Decisions<'a> {
    args: &'a DecisionArgs,
    /// That class.
    pub(super) positive: ClassName,
    code: u32,
    scores: Vec<f64>,
}

/// The class that is looked for, if the model has two classes; an error if the options ask for what
/// the model cannot give.
pub(super) fn of<'a>(
    args: &'a DecisionArgs,
    model: &Prepared,
    data: &Dataset,
    scores: &ScoreMatrix,
) -> Result<Option<Decisions<'a>>, Failure> {
    if let Some(option) = args.needs_labels().filter(|_| data.classes().is_err()) {
        return Err(Failure::usage(format!("{option}: the rows have no labels")));
    }
    let names = model.classes().unwrap_or_default();
    if names.len() != 2 {
        return match args.given() {
            Some(option) => Err(Failure::usage(format!(
                "{option}: the model does not part two classes"
            ))),
            None => Ok(None),
        };
    }
    let named = args.positive.as_deref().map(ClassName::parse);
    if let Some(name) = named.as_ref().filter(|name| !names.contains(name)) {
        return Err(Failure::usage(format!(
            "--positive {name}: the classes of the model are {} and {}",
            names[0], names[1]
        )));
    }
    let code = positive_code(names, named.as_ref().or(model.positive()));
    let Some(scores) = scores.rising_with(&names[code as usize], &names[1 - code as usize]) else {
        return match args.given() {
            Some(option) => Err(Failure::usage(format!(
                "{option}: the model has no score of its classes"
            ))),
            None => Ok(None),
        };
    };
    Ok(Some(Decisions {
        args,
        positive: names[code as usize].clone(),
        code,
        scores,
    }))
}

/// The code and the share of the class that another share is expected of; an error if the model
/// cannot be corrected for it.
pub(super) fn prior(
    args: &DecisionArgs,
    model: &Prepared,
) -> Result<Option<(usize, f64)>, Failure> {
    let Some(share) = args.prior else {
        return Ok(None);
    };
    let names = model.classes().unwrap_or_default();
    if names.len() != 2 {
        return Err(Failure::usage(
            "--prior: the model does not part two classes",
        ));
    }
    if model.class_sizes.is_none() {
        return Err(Failure::usage(
            "--prior: the model file does not tell how often the classes occurred in training: train it anew",
        ));
    }
    let named = args.positive.as_deref().map(ClassName::parse);
    let code = positive_code(names, named.as_ref().or(model.positive()));
    Ok(Some((code as usize, share)))
}

impl Decisions<'_> {
    /// The codes of the rows by the threshold or the number of alerts asked for.
    pub(super) fn codes(&self) -> Option<Vec<u32>> {
        let other = 1 - self.code;
        if let Some(threshold) = self.args.threshold {
            let code = |&score: &f64| if score >= threshold { self.code } else { other };
            return Some(self.scores.iter().map(code).collect());
        }
        let most = self.args.alerts?;
        let mut order: Vec<usize> = (0..self.scores.len()).collect();
        // Of equal scores the first rows are called.
        order.sort_by(|&i, &j| self.scores[j].total_cmp(&self.scores[i]).then(i.cmp(&j)));
        let mut codes = vec![other; order.len()];
        for &i in order.iter().take(most) {
            codes[i] = self.code;
        }
        Some(codes)
    }

    /// Prints what was asked for of labelled rows and draws the curves.
    pub(super) fn tell(
        &self,
        session: &Session,
        data: &Dataset,
        model: &Prepared,
    ) -> Result<Value, Failure> {
        if self.args.needs_labels().is_none() {
            return Ok(Value::Null);
        }
        let truth = Joined::new(data, model.classes().unwrap_or_default())?.truth;
        let positive: Vec<bool> = truth.iter().map(|&code| code == self.code).collect();
        self.draw(&positive)?;
        let aims = self.args.aims()?;
        if aims.is_empty() {
            return Ok(Value::Null);
        }
        let mut rows = Vec::new();
        let mut told = Vec::new();
        for (text, aim) in aims {
            let point = operating_point(&positive, &self.scores, aim)?;
            rows.push(row(&text, &point));
            told.push(json!({
                "aim": text,
                "threshold": point.threshold.is_finite().then_some(point.threshold),
                "alerts": point.alerts(),
                "hits": point.hits,
                "precision": point.precision(),
                "recall": point.recall(),
                "false_positive_rate": point.false_positive_rate(),
                "f1": point.f1(),
            }));
        }
        let head = [
            "aim",
            "threshold",
            "alerts",
            "hits",
            "precision",
            "recall",
            "false alarms",
        ];
        session.say(format_args!("thresholds of class {}:", self.positive))?;
        session.say(table::render(&head.map(str::to_owned), &rows))?;
        Ok(json!(told))
    }

    fn draw(&self, positive: &[bool]) -> Result<(), Failure> {
        let points = operating_points(positive, &self.scores)?;
        let title = format!("class {}", self.positive);
        if let Some(path) = &self.args.roc {
            let curve = points.iter();
            let curve = curve
                .map(|p| (p.false_positive_rate(), p.recall()))
                .collect();
            let area = ranking::auc(positive, &self.scores, ranking::Ties::Half)?;
            let chart = RocChart::roc(&title).with_curve("model", curve, area);
            super::tune::write_text(path, &chart.to_svg())?;
        }
        if let Some(path) = &self.args.precision_recall {
            let curve = points.iter();
            let curve = curve.map(|p| (p.recall(), p.precision())).collect();
            let area = ranking::average_precision(positive, &self.scores)?;
            let share = points[0].positives as f64 / positive.len() as f64;
            let chart = RocChart::precision_recall(&title, share).with_curve("model", curve, area);
            super::tune::write_text(path, &chart.to_svg())?;
        }
        Ok(())
    }
}

fn row(text: &str, point: &OperatingPoint) -> Vec<String> {
    vec![
        text.to_owned(),
        if point.threshold.is_finite() {
            table::exact(point.threshold)
        } else {
            "none".to_owned()
        },
        point.alerts().to_string(),
        point.hits.to_string(),
        table::number(point.precision()),
        table::number(point.recall()),
        table::number(point.false_positive_rate()),
    ]
}
