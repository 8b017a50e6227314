//! From data to a file of answers.

use super::measure::{self, Measure, Verdict, positive_code};
use super::options::Words;
use crate::failure::Failure;
use crate::input::{self, Input};
use crate::session::Session;
use hedgerow::data::{ClassName, folds_for};
use hedgerow::evaluate::cross_validate;
use hedgerow::{Prediction, Predictor, ScoreMatrix};
use hedgerow_io::{Encoding, IoError, OutputFile, ReadOptions, Source, TargetKind};
use serde_json::{Value, json};
use std::io::{BufWriter, Write};
use std::path::Path;

/// What is written for each row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// The label or the value.
    Label,
    /// The probability of the positive class.
    Probability,
    /// The number of positive neighbours.
    PositiveVotes,
}

/// Reads a file with classes or real targets, for a model of `width` features if there is one.
pub(super) fn read(
    session: &Session,
    file: &str,
    real: bool,
    encoding: Option<&Encoding>,
    width: Option<usize>,
) -> Result<Input, Failure> {
    let target = if real {
        TargetKind::Real
    } else {
        TargetKind::Classes
    };
    let options = ReadOptions::default()
        .with_target(target)
        .with_dense_up_to(width);
    let options = match encoding {
        Some(encoding) => options.with_encoding(encoding.clone()),
        None => options,
    };
    let input = input::read(session, &Source::from_argument(file), &options)?;
    refuse_kernel_values(&input)?;
    Ok(input)
}

/// Fails for a file that holds kernel values.
pub(super) fn refuse_kernel_values(input: &Input) -> Result<(), Failure> {
    if !input.loaded.precomputed {
        return Ok(());
    }
    Err(Failure::Model {
        name: input.name.clone(),
        problem: "the file holds kernel values, but neighbours are found by features".to_owned(),
    })
}

/// Warns if neighbourhoods are larger than the data.
pub(super) fn check_size(session: &Session, k: usize, n_rows: usize) {
    if k > n_rows {
        session.warn(format_args!(
            "-K {k}: there are {n_rows} rows to learn from, so a neighbourhood is all of them"
        ));
    }
}

/// Answers a file, writes the answers and prints the measures.
pub(super) struct Test<'a> {
    pub(super) session: &'a Session,
    pub(super) words: &'a Words,
    pub(super) input: &'a Input,
    pub(super) out: &'a str,
    pub(super) form: Form,
    pub(super) first: Measure,
}

impl Test<'_> {
    pub(super) fn run(&self, model: &dyn Predictor) -> Result<(), Failure> {
        let data = &self.input.loaded.dataset;
        let view = data.samples().view();
        let failed = Failure::data(&self.input.name);
        let (prediction, scores) = model.predict_with_scores(view).map_err(&failed)?;
        let shares = match self.form {
            Form::Probability => Some(model.probabilities(view).map_err(&failed)?),
            Form::Label | Form::PositiveVotes => None,
        };
        let shown = shares.as_ref().unwrap_or(&scores);
        let values = self.values(model.classes(), &prediction, shown)?;
        let verdict = measure::of_test(data, model.classes(), &prediction, &scores, self.first)?;
        write(self.out, &values)?;
        for class in &verdict.unknown {
            self.session.warn(format_args!(
                "{}: the model does not know the class {class}; its rows count as errors",
                self.input.name
            ));
        }
        let more = json!({"out": self.out, "rows": view.n_rows()});
        tell(self.session, self.words, &self.input.name, &verdict, more)
    }

    /// The words of the output, one a row.
    fn values(
        &self,
        classes: Option<&[ClassName]>,
        prediction: &Prediction,
        scores: &ScoreMatrix,
    ) -> Result<Vec<String>, Failure> {
        let number = |value: f64| format!("{value:.6}");
        if self.form == Form::Label {
            let names: Vec<String> = classes.unwrap_or_default().iter().map(label).collect();
            return Ok(match prediction {
                Prediction::Classes(codes) => codes
                    .iter()
                    .map(|&code| names[code as usize].clone())
                    .collect(),
                Prediction::Real(values) => values.iter().copied().map(number).collect(),
            });
        }
        let names = classes.unwrap_or_default();
        let Some(code) = positive_code(names) else {
            return Err(self.words.program.refuse(format_args!(
                "the positive class is defined for two classes only, and there are {}",
                names.len()
            )));
        };
        let rows = 0..scores.n_rows();
        Ok(rows.map(|i| number(scores.row(i)[code as usize])).collect())
    }
}

/// Numbers with six decimals, texts as they are.
fn label(name: &ClassName) -> String {
    match name {
        ClassName::Number(value) => format!("{value:.6}"),
        ClassName::Text(text) => text.clone(),
    }
}

fn write(path: &str, lines: &[String]) -> Result<(), Failure> {
    let path = Path::new(path);
    let failed = |source| IoError::Write {
        path: path.to_path_buf(),
        source,
    };
    let mut out = BufWriter::new(OutputFile::create(path)?);
    for line in lines {
        writeln!(out, "{line}").map_err(failed)?;
    }
    let out = out
        .into_inner()
        .map_err(|error| failed(error.into_error()))?;
    Ok(out.finish()?)
}

/// Cross-validates and prints the measures.
pub(super) fn cross_validation(
    session: &Session,
    words: &Words,
    input: &Input,
    folds: usize,
    fit: impl Fn(&hedgerow::data::Dataset) -> hedgerow::Result<Box<dyn Predictor>> + Sync,
) -> Result<(), Failure> {
    let data = &input.loaded.dataset;
    let failed = Failure::data(&input.name);
    let splits = folds_for(data, folds, session.seed).map_err(&failed)?;
    let result = cross_validate(data, &splits, fit).map_err(&failed)?;
    let verdict = measure::of_cross_validation(data, &result)?;
    let more = json!({"folds": folds, "rows": data.n_rows()});
    tell(session, words, &input.name, &verdict, more)
}

/// Prints measures, unless `-S 1` forbids it.
fn tell(
    session: &Session,
    words: &Words,
    data: &str,
    verdict: &Verdict,
    more: Value,
) -> Result<(), Failure> {
    if !words.switch("-S")? {
        for line in &verdict.lines {
            session.say(line)?;
        }
    }
    let mut object = json!({
        "program": words.program.name,
        "data": data,
        "metrics": verdict.fields,
    });
    if let (Value::Object(object), Value::Object(more)) = (&mut object, more) {
        object.extend(more);
    }
    session.result(&object)
}
