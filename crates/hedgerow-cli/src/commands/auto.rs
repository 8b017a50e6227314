//! `train auto`: methods race, the winner becomes an ordinary model file.

use super::report_fields;
use super::train::Job;
use crate::args::{AutoArgs, TaskWord};
use crate::failure::Failure;
use crate::input::{self, Input};
use crate::session::Session;
use crate::table;
use hedgerow::data::{Dataset, Target};
use hedgerow::evaluate::Metric;
use hedgerow::method::Task;
use hedgerow_io::{Source, TargetKind};
use hedgerow_methods::race::{
    RaceOptions, RaceProgress, Raced, Standing, Start, race, usual_metric,
};
use serde_json::{Map, Value, json};
use std::collections::HashSet;

/// Different whole numbers that are still read as classes.
const MOST_CLASSES: usize = 20;
/// Rows of a class in LIBSVM text whose classes are more than that.
const ROWS_OF_A_CLASS: usize = 20;
/// Lines of the leaderboard.
const SHOWN: usize = 10;

pub(crate) fn run(session: &Session, args: &AutoArgs) -> Result<(), Failure> {
    args.check()?;
    session.claim_output("MODEL", &args.model)?;
    args.training.metric.refuse_measure()?;
    let task = match args.task {
        Some(TaskWord::Classes) => Task::Classes,
        Some(TaskWord::Real) => Task::Real,
        None => task_of_file(session, args)?,
    };
    let input = input::read_training(session, &args.train, &args.training, task)?;
    let data = &input.loaded.dataset;
    let metric = metric(session, args, data)?;
    // The method is only a place for the options that all methods share.
    let any = match task {
        Task::Real => "svr",
        _ => "svm",
    };
    let method = hedgerow_methods::by_name(any)
        .ok_or_else(|| Failure::usage(format!("there is no method {any:?}")))?;
    let trainer = method.trainer(&[], session.seed).map_err(Failure::Option)?;
    let mut base = args.training.pipeline(trainer, session.seed)?;
    args.training.settle(session, &input, &mut base, false)?;
    let options = RaceOptions {
        latency_us: args.latency,
        max_mb: args.max_mb,
        explainable: args.explainable,
        ..RaceOptions::new(args.budget, metric, session.seed, session.threads)
    };
    let start = Start {
        base: &base,
        only: None,
        fixed: &[],
        choose_scaling: args.training.scaling.asked().is_none(),
        task,
    };
    let raced = race(data, &start, &options, &|state| {
        progress(session, state, args.budget);
        Ok(())
    });
    session.progress_done();
    let raced = raced.map_err(Failure::data(&input.name))?;
    write(session, args, &input, metric, &raced)
}

/// Writes the winner and tells of the race.
fn write(
    session: &Session,
    args: &AutoArgs,
    input: &Input,
    metric: Metric,
    raced: &Raced,
) -> Result<(), Failure> {
    let winner = &raced.standings[raced.winner];
    let name = winner.candidate.method();
    let method = hedgerow_methods::by_name(name)
        .ok_or_else(|| Failure::usage(format!("there is no method {name:?}")))?;
    let job = Job {
        method,
        pipeline: &winner.candidate.pipeline,
        input,
    };
    job.write(&args.model, false, &raced.model, &raced.report)?;
    session.say(leaderboard(metric, raced))?;
    session.say(format_args!(
        "{} candidates in {}; the winner answers a single row in {}, its file has {}",
        raced.tried,
        table::seconds(raced.seconds),
        raced
            .latency_us
            .map_or("-".to_owned(), |us| format!("{} µs", table::number(us))),
        megabytes(raced.megabytes),
    ))?;
    if let Some((score, rows)) = raced.unseen {
        session.say(format_args!(
            "on {rows} rows that took no part in the race: {} {}",
            metric.name(),
            table::number(shown(metric, score))
        ))?;
    }
    session.say(format_args!(
        "the same again: {}",
        repeat(args, &winner.candidate)
    ))?;
    job.tell(session, &raced.report)?;
    let mut fields = report_fields(&raced.report);
    fields.extend(job.fields(&args.model, &raced.model));
    fields.insert("measure".to_owned(), json!(metric.name()));
    fields.insert("leaderboard".to_owned(), json!(rows_json(metric, raced)));
    fields.insert("candidates".to_owned(), json!(raced.tried));
    fields.insert("race_seconds".to_owned(), json!(raced.seconds));
    fields.insert("latency_us".to_owned(), json!(raced.latency_us));
    fields.insert("megabytes".to_owned(), json!(raced.megabytes));
    fields.insert(
        "unseen_score".to_owned(),
        json!(raced.unseen.map(|(score, _)| score)),
    );
    fields.insert(
        "unseen_rows".to_owned(),
        json!(raced.unseen.map(|(_, rows)| rows)),
    );
    fields.insert("repeat".to_owned(), json!(repeat(args, &winner.candidate)));
    session.result(&Value::Object(fields))
}

/// The command that trains the winner directly.
fn repeat(args: &AutoArgs, winner: &hedgerow_methods::race::Candidate) -> String {
    let options = winner.options();
    let space = if options.is_empty() { "" } else { " " };
    format!(
        "hedgerow train {}{space}{options} {} {}",
        winner.method(),
        args.train,
        args.model
    )
}

/// Classes or real targets, by what the label column holds.
fn task_of_file(session: &Session, args: &AutoArgs) -> Result<Task, Failure> {
    if args.train == "-" {
        return Ok(Task::Classes);
    }
    let options = input::options(&args.training.data)
        .with_target(TargetKind::Auto)
        .with_columns(args.training.columns.rules());
    let loaded = input::read(session, &Source::from_argument(&args.train), &options)?.loaded;
    let (task, why) = match loaded.dataset.target() {
        Target::Real(_) => (Task::Real, "it has numbers that are not whole".to_owned()),
        Target::Classes(labels) => {
            let numbers = labels
                .names()
                .iter()
                .all(|name| name.to_string().parse::<f64>().is_ok());
            let count = labels.names().len();
            // LIBSVM text has no name that could tell.
            let called = match &loaded.encoding {
                Some(encoding) => encoding.label.as_deref().is_some_and(|name| {
                    ["class", "label"].contains(&name.to_ascii_lowercase().as_str())
                }),
                None => loaded.dataset.n_rows() >= ROWS_OF_A_CLASS * count,
            };
            if numbers && count > MOST_CLASSES && !called {
                (Task::Real, format!("it has {count} different numbers"))
            } else {
                (Task::Classes, format!("it has {count} different values"))
            }
        }
        _ => (Task::Classes, "its rows have labels".to_owned()),
    };
    let (word, other) = match task {
        Task::Real => ("real targets", "classes"),
        _ => ("classes", "real"),
    };
    session.say(format_args!(
        "{}: the label is read as {word}, because {why} (--task {other} reads it otherwise)",
        args.train
    ))?;
    Ok(task)
}

/// What is compared; said aloud where it is not the usual.
fn metric(session: &Session, args: &AutoArgs, data: &Dataset) -> Result<Metric, Failure> {
    if let Some(name) = &args.measure {
        return Metric::by_name(name).map_err(Failure::Option);
    }
    let (metric, reason) = usual_metric(data);
    let Some(share) = reason else {
        return Ok(metric);
    };
    session.say(format_args!(
        "one class has {:.2} % of the rows: candidates are compared by {} in place of accuracy (--measure)",
        100.0 * share,
        metric.name()
    ))?;
    Ok(metric)
}

fn progress(session: &Session, state: &RaceProgress, budget: f64) {
    session.progress(format_args!(
        "{:.0} of at most {budget:.0} s: {} of {} candidates on {} rows; best {}",
        state.seconds,
        state.done,
        state.of,
        state.rows,
        state.best.as_deref().unwrap_or("none yet")
    ));
}

/// A score as people know it: losses are positive.
fn shown(metric: Metric, score: f64) -> f64 {
    if metric.larger_is_better() {
        score
    } else {
        score.abs()
    }
}

fn megabytes(size: f64) -> String {
    format!("{} MB", table::number(size))
}

/// The best of each method first, then what else was near.
fn ranked(raced: &Raced) -> Vec<&Standing> {
    let mut all = vec![&raced.standings[raced.winner]];
    let mut methods: HashSet<&str> = all.iter().map(|one| one.candidate.method()).collect();
    for standing in &raced.standings {
        if methods.insert(standing.candidate.method()) {
            all.push(standing);
        }
    }
    all.truncate(SHOWN);
    all
}

fn leaderboard(metric: Metric, raced: &Raced) -> String {
    let head = [
        "method",
        metric.name(),
        "rows",
        "fit",
        "µs a row",
        "options",
    ];
    let rows: Vec<Vec<String>> = ranked(raced)
        .into_iter()
        .map(|standing| {
            let trial = &standing.trial;
            vec![
                standing.candidate.method().to_owned(),
                table::number(shown(metric, trial.score)),
                trial.rows.to_string(),
                table::seconds(trial.fit_seconds),
                table::number(trial.answer_us),
                standing.candidate.options(),
            ]
        })
        .collect();
    table::render(&head.map(ToOwned::to_owned), &rows)
}

fn rows_json(metric: Metric, raced: &Raced) -> Vec<Value> {
    let row = |standing: &Standing| {
        let mut row = Map::new();
        let trial = &standing.trial;
        row.insert("method".to_owned(), json!(standing.candidate.method()));
        row.insert("options".to_owned(), json!(standing.candidate.options()));
        row.insert("score".to_owned(), json!(shown(metric, trial.score)));
        row.insert("rows".to_owned(), json!(trial.rows));
        row.insert("fit_seconds".to_owned(), json!(trial.fit_seconds));
        row.insert("answer_us".to_owned(), json!(trial.answer_us));
        Value::Object(row)
    };
    ranked(raced).into_iter().map(row).collect()
}
