//! `predict`: answers for the rows of a file.

use super::decisions::{self, Decisions};
use super::latency::{self, Latency};
use crate::args::PredictArgs;
use crate::failure::Failure;
use crate::input::{self, Input};
use crate::json::json as as_json;
use crate::measures::Measures;
use crate::session::Session;
use crate::table;
use hedgerow::data::{ClassName, SamplesView};
use hedgerow::machines::largest;
use hedgerow::params::Value as Setting;
use hedgerow::{Prediction, Predictor, ScoreMatrix};
use hedgerow_io::{IoError, OutputFile, Source};
use hedgerow_methods::{Prepared, Stored, name_columns};
use serde_json::{Value, json};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::Instant;

/// Refuses what cannot work before anything is read.
fn check(session: &Session, args: &PredictArgs) -> Result<(), Failure> {
    session.claim_output("OUT", &args.out)?;
    let curves = [
        ("--roc", &args.decisions.roc),
        ("--precision-recall", &args.decisions.precision_recall),
    ];
    for (what, path) in curves {
        if let Some(path) = path {
            session.claim_output(what, path)?;
        }
    }
    args.decisions.aims()?;
    args.decisions.check_prior(args.with_probabilities())?;
    if args.test == "-" && args.model == "-" {
        return Err(Failure::usage(
            "TEST and MODEL cannot both be standard input: name a file",
        ));
    }
    Ok(())
}

/// What answers, and what is told of it.
struct Answering {
    model: Prepared,
    method: String,
    feature_names: Option<Vec<String>>,
}

/// The rows to predict and the model.
fn read(session: &Session, args: &PredictArgs) -> Result<(Input, Answering), Failure> {
    session.claim_input(&args.model)?;
    let unbuilt = Stored::read(&Source::from_argument(&args.model))?;
    let options = input::test_options(
        &args.data,
        unbuilt.has_classes(),
        unbuilt.encoding(),
        args.refuse_unseen,
    )
    .with_dense_up_to(unbuilt.width());
    let input = input::read(session, &Source::from_argument(&args.test), &options)?;
    let mut stored = unbuilt.build(input.loaded.dataset.n_features())?;
    let method = stored.method().to_owned();
    adjust(&mut stored, args)?;
    let feature_names = stored.frame.feature_names.clone();
    let model = stored.into_prepared();
    Ok((
        input,
        Answering {
            model,
            method,
            feature_names,
        },
    ))
}

pub(crate) fn run(session: &Session, args: &PredictArgs) -> Result<(), Failure> {
    check(session, args)?;
    let (input, answering) = read(session, args)?;
    let (model, method) = (&answering.model, &answering.method);
    let data = &input.loaded.dataset;
    let view = data.samples().view();
    session.progress(format_args!("predicting {} rows", view.n_rows()));
    let start = Instant::now();
    let prior = decisions::prior(&args.decisions, model)?;
    let answer = Answer::of(model, view, args, prior);
    let mut answer = answer.map_err(Failure::data(&input.name))?;
    let seconds = start.elapsed().as_secs_f64();
    session.progress_done();
    let decisions = decisions::of(&args.decisions, model, data, &answer.scores)?;
    if let Some(codes) = decisions.as_ref().and_then(Decisions::codes) {
        answer.prediction = Prediction::Classes(codes);
    }
    if args.explain {
        let told = reasons(&answering, view, args.top).map_err(Failure::data(&input.name))?;
        let told = told.ok_or_else(|| {
            Failure::usage(format!(
                "--explain: {method} cannot name reasons (falk-svm and falk-svr can)"
            ))
        })?;
        write_lines(&args.out, &told)?;
    } else {
        answer.write(&args.out, model.classes())?;
    }
    let costs = Costs::of(model, view, args).map_err(Failure::data(&input.name))?;
    let measures = Measures::of(
        data,
        model,
        decisions.as_ref().map(|decisions| &decisions.positive),
        &answer.prediction,
        &answer.scores,
    )?;
    session.say(format_args!(
        "{}: {} rows predicted by {method} in {}",
        input.name,
        view.n_rows(),
        table::seconds(seconds)
    ))?;
    costs.say(session)?;
    if let Some(measures) = &measures {
        say_measures(session, &input.name, measures)?;
    }
    let operating = match &decisions {
        Some(decisions) => decisions.tell(session, data, model)?,
        None => Value::Null,
    };
    let unknown: Vec<String> = measures
        .as_ref()
        .map(|measures| measures.unknown.iter().map(ToString::to_string).collect())
        .unwrap_or_default();
    session.result(&json!({
        "method": method,
        "data": input.name,
        "model": args.model,
        "out": args.out,
        "rows": view.n_rows(),
        "features": view.n_features(),
        "read_seconds": input.read_seconds,
        "seconds": seconds,
        "hyperplanes": costs.hyperplanes_json(),
        "latency": costs.latency.as_ref().map(Latency::json),
        "metrics": measures.as_ref().map(Measures::json),
        "operating": operating,
        "unknown_classes": unknown,
    }))
}

/// Why every row is answered as it is; `None` if the model cannot tell.
fn reasons(
    answering: &Answering,
    view: SamplesView<'_>,
    top: usize,
) -> hedgerow::Result<Option<Vec<Setting>>> {
    let model = &answering.model;
    let mut told = model.on_prepared(view, |model, view| {
        let told = model.as_explain().map(|model| model.explain(view, top));
        told.transpose()
    })?;
    let names = answering.feature_names.as_deref();
    for reason in told.iter_mut().flatten() {
        name_columns(reason, &model.preprocessing, names);
    }
    Ok(told)
}

fn say_measures(session: &Session, data: &str, measures: &Measures) -> Result<(), Failure> {
    for class in &measures.unknown {
        session.warn(format_args!(
            "{data}: the model does not know the class {class}; its rows count as errors"
        ));
    }
    session.say(measures.text())
}

/// Changes what can be changed after training.
fn adjust(stored: &mut Stored, args: &PredictArgs) -> Result<(), Failure> {
    let assign = args.assign.clone().map(Setting::from);
    let voters = args.voters.map(Setting::from);
    for (name, value) in [("assign", assign), ("voters", voters)] {
        let Some(value) = value else { continue };
        let method = stored.method().to_owned();
        let adjusted = match stored.model.as_adjust() {
            Some(model) => model.adjust(name, &value).map_err(Failure::Option)?,
            None => false,
        };
        if !adjusted {
            return Err(Failure::usage(format!(
                "--{name}: a model of {method} has no local machines to choose from"
            )));
        }
    }
    Ok(())
}

/// What answers cost.
struct Costs {
    /// Name of a step, its mean number and the largest; `None` where all rows cost the same.
    steps: Option<(&'static str, f64, u64)>,
    /// Times of single rows, if they were asked for.
    latency: Option<Latency>,
}

impl Costs {
    fn of(model: &Prepared, view: SamplesView<'_>, args: &PredictArgs) -> hedgerow::Result<Self> {
        Ok(Self {
            steps: model.on_prepared(view, |model, view| {
                model
                    .as_count()
                    .map(|model| model.count_work(view))
                    .transpose()
            })?,
            latency: if args.latency {
                model.on_prepared(view, latency::measure)?
            } else {
                None
            },
        })
    }

    fn say(&self, session: &Session) -> Result<(), Failure> {
        if let Some((step, mean, most)) = self.steps {
            session.say(format_args!(
                "{step} evaluated a row: {} in the mean, {most} at most",
                table::number(mean),
            ))?;
        }
        if let Some(latency) = &self.latency {
            session.say(latency.text())?;
        }
        Ok(())
    }

    fn hyperplanes_json(&self) -> Option<Value> {
        self.steps
            .map(|(_, mean, most)| json!({"mean": mean, "max": most}))
    }
}

/// Writes one JSON object a line.
fn write_lines(path: &str, objects: &[Setting]) -> Result<(), Failure> {
    let mut text = String::new();
    for object in objects {
        text.push_str(&as_json(object).to_string());
        text.push('\n');
    }
    super::tune::write_text(path, &text)
}

/// What is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Labels,
    Scores,
    Probabilities,
}

struct Answer {
    prediction: Prediction,
    /// Decision values or probabilities.
    scores: ScoreMatrix,
    form: Form,
}

impl Answer {
    /// With the code of a class and its share, if the data have other shares than the training.
    fn of(
        model: &Prepared,
        view: SamplesView<'_>,
        args: &PredictArgs,
        prior: Option<(usize, f64)>,
    ) -> hedgerow::Result<Self> {
        if args.with_probabilities() {
            let scores = match prior {
                Some((code, share)) => model.probabilities_with_prior(view, code, share)?,
                None => model.probabilities(view)?,
            };
            // As svm-predict -b 1: the label is the most probable class.
            let codes = (0..scores.n_rows())
                .map(|i| largest(scores.row(i)))
                .collect();
            return Ok(Self {
                prediction: Prediction::Classes(codes),
                scores,
                form: Form::Probabilities,
            });
        }
        let (prediction, scores) = model.predict_with_scores(view)?;
        Ok(Self {
            prediction,
            scores,
            form: if args.scores {
                Form::Scores
            } else {
                Form::Labels
            },
        })
    }

    fn write(&self, path: &str, classes: Option<&[ClassName]>) -> Result<(), Failure> {
        let path = Path::new(path);
        let failed = |source| IoError::Write {
            path: path.to_path_buf(),
            source,
        };
        let mut out = BufWriter::new(OutputFile::create(path)?);
        self.write_lines(&mut out, classes.unwrap_or_default())
            .map_err(failed)?;
        let out = out
            .into_inner()
            .map_err(|error| failed(error.into_error()))?;
        Ok(out.finish()?)
    }

    fn write_lines(&self, out: &mut impl Write, classes: &[ClassName]) -> std::io::Result<()> {
        let names: Vec<String> = classes.iter().map(ToString::to_string).collect();
        let columns = self.scores.columns.join(" ");
        let head = match self.form {
            Form::Scores => Some(columns),
            Form::Probabilities => Some(format!("labels {columns}")),
            Form::Labels => None,
        };
        if let Some(head) = head {
            writeln!(out, "{head}")?;
        }
        for i in 0..self.prediction.len() {
            if self.form != Form::Scores {
                match &self.prediction {
                    Prediction::Classes(codes) => {
                        out.write_all(names[codes[i] as usize].as_bytes())?;
                    }
                    Prediction::Real(values) => out.write_all(exact(values[i]).as_bytes())?,
                }
            }
            if self.form != Form::Labels {
                for (at, &value) in self.scores.row(i).iter().enumerate() {
                    if at > 0 || self.form == Form::Probabilities {
                        out.write_all(b" ")?;
                    }
                    out.write_all(exact(value).as_bytes())?;
                }
            }
            out.write_all(b"\n")?;
        }
        Ok(())
    }
}

/// Shortest text that reads back as the same number.
fn exact(value: f64) -> String {
    table::exact(value)
}
