//! `tune` for methods with a search of their own: candidates are compared on a few neighbourhoods.

use super::cv::scored_by;
use super::status_name;
use super::train::Job;
use super::tune::{of_grid, train_best, warn_of_edges};
use crate::args::{LocalSearchArgs, TuneArgs, WithMethod};
use crate::failure::Failure;
use crate::input;
use crate::json::{fields as fact_fields, json as as_json};
use crate::session::Session;
use crate::table;
use hedgerow::evaluate::Axis;
use hedgerow::params::Value as Setting;
use hedgerow::{Searched, Status};
use hedgerow_methods::Trainer;
use serde_json::{Map, Value, json};

pub(super) fn run(session: &Session, call: &WithMethod<TuneArgs>) -> Result<(), Failure> {
    let WithMethod {
        method,
        trainer,
        args,
        ..
    } = call;
    let method = *method;
    refuse_ordinary_options(args)?;
    let axes = axes(&args.grid)?;
    try_axes(&**trainer, &axes)?;
    let settings = settings(args);
    if let Some(path) = &args.model {
        session.claim_output("MODEL", path)?;
    }
    let task = scored_by(method.card.task);
    let input = input::read_training(session, &args.train, &args.training, task)?;
    let data = &input.loaded.dataset;
    let Some(own) = trainer.own_search() else {
        return Err(Failure::usage("the method has no search of its own"));
    };
    let mut pipeline = args.training.pipeline(trainer.duplicate(), session.seed)?;
    args.training
        .settle(session, &input, &mut pipeline, args.libsvm_model)?;
    if let Some(metric) = &mut pipeline.metric {
        metric.search = Some(axes.clone());
    }
    // The metric first: neighbourhoods are those of the metric that answers.
    let prepared = super::metric::prepare(session, &pipeline, &input)?;
    let searched = own.search(prepared.data(data), &axes, &settings, &|state| {
        session.progress(state);
        Ok(())
    });
    session.progress_done();
    let searched = searched.map_err(Failure::data(&input.name))?;
    session.say(format_args!(
        "{}: {} rows, {} features; {}, {} candidates on {} neighbourhoods, {}",
        input.name,
        data.n_rows(),
        data.n_features(),
        method.card.name,
        searched.candidates.len(),
        fact(&searched, "neighbourhoods"),
        table::seconds(searched.seconds)
    ))?;
    let mut fields = tell(session, &searched)?;
    fields.insert("method".to_owned(), json!(method.card.name));
    fields.insert("repeats".to_owned(), input.repeats_json());
    if let Some(path) = &args.model {
        let (values, ..) = &searched.candidates[searched.best];
        let names = searched.names.iter().map(|&name| name.to_owned());
        let best: Vec<(String, Setting)> = names.zip(values.iter().cloned()).collect();
        pipeline.trainer = pipeline.trainer.with(&best).map_err(Failure::Option)?;
        let job = Job {
            method,
            pipeline: &pipeline,
            input: &input,
        };
        fields.extend(train_best(
            session,
            &job,
            prepared,
            path,
            args.libsvm_model,
        )?);
    }
    session.result(&Value::Object(fields))
}

/// Says what was found; what the result object says of it.
fn tell(session: &Session, searched: &Searched) -> Result<Map<String, Value>, Failure> {
    session.say(text(searched))?;
    let tried: Vec<Vec<Setting>> = (0..searched.names.len())
        .map(|at| {
            searched
                .candidates
                .iter()
                .map(|(values, ..)| values[at].clone())
                .collect()
        })
        .collect();
    let axes = searched
        .names
        .iter()
        .copied()
        .zip(tried.iter().map(Vec::as_slice));
    warn_of_edges(session, axes, &searched.candidates[searched.best].0);
    if searched.status != Status::Converged {
        session.warn(format_args!(
            "some machines stopped early ({}): their scores are rough",
            status_name(searched.status)
        ));
    }
    Ok(fields(searched))
}

/// Options of the search over whole models say nothing here.
fn refuse_ordinary_options(args: &TuneArgs) -> Result<(), Failure> {
    let given = [
        (args.measure().is_some(), "--measure"),
        (args.margin.is_some(), "--margin"),
        (args.svg.is_some(), "--svg"),
    ];
    if let Some((_, name)) = given.iter().find(|(given, _)| *given) {
        return Err(Failure::usage(format!(
            "{name} needs whole models to be compared: add --ordinary"
        )));
    }
    args.training.columns.refuse_target_coded(
        "neighbourhoods are compared in rows whose codes know all targets; add --ordinary",
    )?;
    if args.training.select.is_some() {
        return Err(Failure::usage(
            "--select: neighbourhoods are compared with all features; add --ordinary, or reduce the file first (hedgerow select --reduced)",
        ));
    }
    Ok(())
}

/// The axes that were named.
fn axes(texts: &[String]) -> Result<Vec<(String, Vec<Setting>)>, Failure> {
    let mut axes = Vec::with_capacity(texts.len());
    for text in texts {
        let axis = Axis::parse(text).map_err(Failure::Option)?;
        if ["core", "core_share", "epsilon"].contains(&axis.name.as_str()) {
            return Err(Failure::usage(format!(
                "--grid {}: a few neighbourhoods cannot tell; add --ordinary to compare whole models",
                axis.name
            )));
        }
        axes.push((axis.name, axis.values));
    }
    Ok(axes)
}

/// Sets every value once, so that a wrong name and a value that the method refuses are found before
/// any work.
fn try_axes(trainer: &dyn Trainer, axes: &[(String, Vec<Setting>)]) -> Result<(), Failure> {
    for (name, values) in axes {
        for value in values {
            let setting = [(name.clone(), value.clone())];
            trainer.with(&setting).map_err(of_grid)?;
        }
    }
    Ok(())
}

/// How candidates are compared, as far as it was said.
fn settings(args: &TuneArgs) -> Vec<(String, Setting)> {
    let LocalSearchArgs {
        models,
        inner_half,
        at_centres,
        unbalanced,
        ordinary: _,
    } = args.local;
    let given = [
        ("models", models.map(Setting::from)),
        ("folds", args.folds.map(Setting::from)),
        ("inner_half", inner_half.then_some(true.into())),
        ("centres", at_centres.then_some(true.into())),
        ("balance", unbalanced.then_some(false.into())),
    ];
    let given = given.into_iter();
    given
        .filter_map(|(name, value)| value.map(|value| (name.to_owned(), value)))
        .collect()
}

fn fact(searched: &Searched, name: &str) -> Setting {
    let found = searched.facts.iter().find(|(key, _)| *key == name);
    found.map_or(Setting::Nothing, |(_, value)| value.clone())
}

fn text(searched: &Searched) -> String {
    let mut head: Vec<String> = searched.names.iter().map(ToString::to_string).collect();
    head.extend([searched.measure.to_owned(), "± sd".to_owned()]);
    let candidates = searched.candidates.iter().enumerate();
    let rows: Vec<Vec<String>> = candidates
        .map(|(at, (values, score, deviation))| {
            let mut row: Vec<String> = values.iter().map(ToString::to_string).collect();
            row.extend([table::number(*score), table::number(*deviation)]);
            if at == searched.best {
                row.push("<- best".to_owned());
            }
            row
        })
        .collect();
    let mut text = table::render(&head, &rows);
    if let Setting::List(skipped) = fact(searched, "skipped_neighbours")
        && !skipped.is_empty()
    {
        let skipped = Setting::List(skipped);
        text = format!("{text}\nnot tried, because more neighbours did worse: {skipped}");
    }
    text
}

fn fields(searched: &Searched) -> Map<String, Value> {
    let candidate = |(values, score, deviation): &(Vec<Setting>, f64, f64)| {
        let pairs = searched.names.iter().zip(values);
        let pairs = pairs.map(|(name, value)| ((*name).to_owned(), as_json(value)));
        let mut object: Map<String, Value> = pairs.collect();
        object.insert("mean".to_owned(), json!(score));
        object.insert("deviation".to_owned(), json!(deviation));
        Value::Object(object)
    };
    let points: Vec<Value> = searched.candidates.iter().map(candidate).collect();
    let mut fields = fact_fields(&searched.facts);
    fields.insert("search".to_owned(), json!("local"));
    let metric = searched.measure.replace(' ', "_");
    fields.insert("metric".to_owned(), json!(metric));
    fields.insert("best".to_owned(), points[searched.best].clone());
    fields.insert("points".to_owned(), json!(points));
    fields.insert("search_seconds".to_owned(), json!(searched.seconds));
    fields
}
