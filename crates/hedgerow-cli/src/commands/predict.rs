//! `predict`: answers for the rows of a file.

use super::answers::Answer;
use super::decisions::{self, Decisions};
use super::latency;
use crate::args::PredictArgs;
use crate::failure::Failure;
use crate::input::{self, Input};
use crate::json::json as as_json;
use crate::measures::Measures;
use crate::session::Session;
use crate::table;
use hedgerow::data::SamplesView;
use hedgerow::params::Value as Setting;
use hedgerow::{Prediction, Predictor};
use hedgerow_io::{DataFormat, Source, read_text_column};
use hedgerow_methods::latency::{Latency, measure};
use hedgerow_methods::{Prepared, Stored, name_columns};
use serde_json::{Value, json};
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
    if args.id.is_some() && args.test == "-" {
        return Err(Failure::usage(
            "--id: TEST is read twice, so it cannot be standard input: name a file",
        ));
    }
    if args.id.is_some()
        && !matches!(
            DataFormat::of_path(Path::new(&args.out)),
            Some(DataFormat::Csv | DataFormat::Tsv)
        )
    {
        return Err(Failure::usage(
            "--id: names of rows stand in a table: let OUT end in .csv or .tsv",
        ));
    }
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
        let names = names(args, view.n_rows())?;
        let names = args.id.as_deref().zip(names.as_deref());
        answer.write(&args.out, model.classes(), names)?;
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
        "latency": costs.latency.as_ref().map(latency::json),
        "metrics": measures.as_ref().map(Measures::json),
        "operating": operating,
        "unknown_classes": unknown,
    }))
}

/// The names of the rows, if a column has them.
fn names(args: &PredictArgs, n_rows: usize) -> Result<Option<Vec<String>>, Failure> {
    let Some(id) = &args.id else {
        return Ok(None);
    };
    let cells = read_text_column(
        &Source::from_argument(&args.test),
        &input::options(&args.data),
        id,
    )?;
    if cells.len() != n_rows {
        return Err(Failure::usage(format!(
            "--id {id}: {} names for {n_rows} rows",
            cells.len()
        )));
    }
    Ok(Some(cells))
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
                model.on_prepared(view, |model, view| {
                    measure(model, view, latency::MOST_SECONDS)
                })?
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
        if let Some(single) = &self.latency {
            session.say(latency::text(single))?;
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
