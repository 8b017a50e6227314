//! `cv`: cross-validation.

use super::choose::{self, Choosing};
use crate::args::{CvArgs, WithMethod};
use crate::failure::Failure;
use crate::input;
use crate::session::Session;
use crate::table;
use hedgerow::Predictor;
use hedgerow::data::folds_for;
use hedgerow::evaluate::{CrossValidation, cross_validate};
use hedgerow::method::Task;
use serde_json::{Map, Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

pub(crate) fn run(session: &Session, call: WithMethod<CvArgs>) -> Result<(), Failure> {
    let WithMethod {
        method,
        trainer,
        told,
        args,
    } = call;
    let mut pipeline = args.training.pipeline(trainer, session.seed)?;
    let input = input::read_training(
        session,
        &args.train,
        &args.training,
        scored_by(method.card.task),
    )?;
    let data = &input.loaded.dataset;
    let parts = args.folds.min(session.threads);
    pipeline.trainer.share_memory(parts)?;
    args.training.metric.refuse_measure()?;
    args.training
        .settle(session, &input, &mut pipeline, false)?;
    let choosing = if args.defaults {
        None
    } else {
        Choosing::of(session, &pipeline, told, &args.training, &input)
    };
    let start = Instant::now();
    let splits = folds_for(data, args.folds, session.seed).map_err(Failure::data(&input.name))?;
    let done = AtomicUsize::new(0);
    let result = cross_validate(data, &splits, |train| {
        // What is chosen is chosen anew from each training part.
        let chosen = match &choosing {
            Some(choosing) => choosing.choose(session, &pipeline, train).unwrap_or(None),
            None => None,
        };
        let (model, _) = match chosen {
            Some(chosen) => choose::complete(&pipeline, &chosen)?.fit(train)?,
            None => pipeline.fit(train)?,
        };
        let done = 1 + done.fetch_add(1, Ordering::Relaxed);
        session.progress(format_args!("fold {done} of {}", args.folds));
        Ok(Box::new(model) as Box<dyn Predictor>)
    })
    .map_err(Failure::data(&input.name))?;
    session.progress_done();
    let seconds = start.elapsed().as_secs_f64();
    session.say(format_args!(
        "{}: {} rows, {} features; {} by {}-fold cross-validation, {}",
        input.name,
        data.n_rows(),
        data.n_features(),
        method.card.name,
        args.folds,
        table::seconds(seconds)
    ))?;
    session.say(text(&result))?;
    session.result(&json!({
        "method": method.card.name,
        "data": input.name,
        "rows": data.n_rows(),
        "features": data.n_features(),
        "repeats": input.repeats_json(),
        "folds": folds(&result),
        "metrics": summary(&result),
        "read_seconds": input.read_seconds,
        "seconds": seconds,
    }))
}

/// A one-class model is judged by labels 1 and -1 although it does not learn from them.
pub(super) fn scored_by(task: Task) -> Task {
    match task {
        Task::Unlabelled => Task::Classes,
        other => other,
    }
}

fn text(result: &CrossValidation) -> String {
    let summaries = result.summaries();
    let mut head = vec!["fold".to_owned(), "rows".to_owned()];
    head.extend(summaries.iter().map(|s| s.metric.name().to_owned()));
    let mut rows: Vec<Vec<String>> = result
        .folds
        .iter()
        .enumerate()
        .map(|(at, fold)| {
            let mut row = vec![(at + 1).to_string(), fold.rows.len().to_string()];
            row.extend(
                summaries
                    .iter()
                    .map(|s| fold.metric(s.metric).map_or("-".to_owned(), table::number)),
            );
            row
        })
        .collect();
    for (name, value) in [
        (
            "mean",
            Box::new(|s: &hedgerow::evaluate::Summary| s.mean) as Box<dyn Fn(_) -> f64>,
        ),
        (
            "± sd",
            Box::new(|s: &hedgerow::evaluate::Summary| s.deviation),
        ),
    ] {
        let mut row = vec![name.to_owned(), String::new()];
        row.extend(summaries.iter().map(|s| table::number(value(s))));
        rows.push(row);
    }
    table::render(&head, &rows)
}

/// Metric names with underscores, as fields of objects are written here.
pub(super) fn field(name: &str) -> String {
    name.replace('-', "_")
}

fn folds(result: &CrossValidation) -> Vec<Value> {
    result
        .folds
        .iter()
        .map(|fold| {
            let mut object = Map::new();
            object.insert("rows".to_owned(), json!(fold.rows.len()));
            for (metric, value) in &fold.metrics {
                object.insert(field(metric.name()), json!(value));
            }
            Value::Object(object)
        })
        .collect()
}

fn summary(result: &CrossValidation) -> Value {
    let mut object = Map::new();
    for summary in result.summaries() {
        object.insert(
            field(summary.metric.name()),
            json!({"mean": summary.mean, "deviation": summary.deviation, "folds": summary.folds}),
        );
    }
    Value::Object(object)
}
