//! `demo`: what the toolkit does, without any file.
//!
//! Two spirals with noise that grows outwards: a boundary that is fine in one place and coarse in
//! another, which one kernel width for all rows cannot follow, and rows enough to make an exact SVM
//! slow. Local SVMs, a tree of hyperplanes and the race of all methods stand beside it.

use super::tune::write_text;
use crate::args::DemoArgs;
use crate::failure::Failure;
use crate::session::Session;
use crate::table;
use hedgerow::data::{Dataset, SamplesView, Scaling, generate};
use hedgerow::evaluate::{Metric, measure};
use hedgerow::method::Task;
use hedgerow::params::Value as Setting;
use hedgerow::{Predictor, Report};
use hedgerow_methods::race::{RaceOptions, Start, race};
use hedgerow_methods::{Pipeline, Prepared};
use hedgerow_report::BoundaryChart;
use serde_json::{Value, json};
use std::time::Instant;

/// Nodes of the picture's grid along a side.
const NODES: usize = 201;
/// Rows that are tested on.
const TESTS: usize = 10_000;
/// Points of the picture.
const DRAWN: usize = 1500;
/// Seconds of the race.
const RACE: f64 = 8.0;

/// A model to be shown.
struct Candidate {
    title: &'static str,
    method: &'static str,
    options: &'static [(&'static str, &'static str)],
}

const CANDIDATES: [Candidate; 3] = [
    Candidate {
        title: "exact SVM, Gaussian kernel",
        method: "svm",
        // The best of a grid on held-out rows: wider kernels miss the middle, narrower ones the rim.
        options: &[("cost", "1"), ("gamma", "1000")],
    },
    Candidate {
        title: "FaLK-SVM: local SVMs",
        method: "falk-svm",
        options: &[
            ("neighbours", "200"),
            ("core", "0.25"),
            ("cost", "2"),
            ("gamma", "q10"),
        ],
    },
    Candidate {
        title: "H-LSVM: a tree of hyperplanes",
        method: "h-lsvm",
        options: &[],
    },
];

struct Shown {
    title: String,
    report: Report,
    seconds: f64,
    accuracy: f64,
    answer_us: f64,
    model: Prepared,
}

pub(crate) fn run(session: &Session, args: &DemoArgs) -> Result<(), Failure> {
    session.claim_output("--svg", &args.svg)?;
    let train = spirals(args.rows, session.seed)?;
    let test = spirals(TESTS, session.seed.wrapping_add(1))?;
    session.say(format_args!(
        "Two spirals with noise: {} rows to learn from, {} to test.\n",
        train.n_rows(),
        test.n_rows()
    ))?;
    let mut shown = Vec::new();
    for candidate in &CANDIDATES {
        session.progress(format_args!("training {}", candidate.method));
        shown.push(show(candidate, &train, &test, session.seed)?);
    }
    shown.push(winner(session, &train, &test)?);
    session.progress_done();
    let head = ["method", "accuracy", "training", "µs a row"].map(ToOwned::to_owned);
    let rows: Vec<Vec<String>> = shown
        .iter()
        .map(|one| {
            vec![
                one.title.clone(),
                format!("{:.1} %", 100.0 * one.accuracy),
                table::seconds(one.seconds),
                table::number(one.answer_us),
            ]
        })
        .collect();
    session.say(table::render(&head, &rows))?;
    let best = &shown[1];
    write_text(&args.svg, &picture(&train, best)?)?;
    session.say(format_args!(
        "\nThe boundary of FaLK-SVM is drawn in {}.\n\n\
         Try next, with a table of your own:\n  \
         hedgerow train auto --budget 60s table.csv model\n  \
         hedgerow predict new.csv model answers.csv\n  \
         hedgerow inspect model",
        args.svg
    ))?;
    let models: Vec<Value> = shown
        .iter()
        .map(|one| {
            json!({
                "title": one.title,
                "accuracy": one.accuracy,
                "support_vectors": one.report.support_vectors,
                "seconds": one.seconds,
                "answer_us": one.answer_us,
            })
        })
        .collect();
    session.result(&json!({
        "rows": train.n_rows(),
        "test_rows": test.n_rows(),
        "models": models,
        "svg": args.svg,
    }))
}

fn spirals(rows: usize, seed: u64) -> Result<Dataset, Failure> {
    // The generator wants an even number.
    let rows = rows.div_ceil(2) * 2;
    generate::by_name("noisy-spirals", Some(rows), seed, &[("noise", 0.4)]).map_err(Failure::Option)
}

fn pipeline(method: &str, options: &[(&str, &str)], seed: u64) -> Result<Pipeline, Failure> {
    let known = hedgerow_methods::by_name(method)
        .ok_or_else(|| Failure::usage(format!("there is no method {method:?}")))?;
    let settings: Vec<(String, Setting)> = options
        .iter()
        .map(|(name, value)| ((*name).to_owned(), Setting::number(value)))
        .collect();
    Ok(Pipeline {
        coding: None,
        calibrating: None,
        scaling: Scaling::None,
        choice: None,
        metric: None,
        cleaning: None,
        resampling: None,
        trainer: known.trainer(&settings, seed).map_err(Failure::Option)?,
    })
}

fn show(
    candidate: &Candidate,
    train: &Dataset,
    test: &Dataset,
    seed: u64,
) -> Result<Shown, Failure> {
    let start = Instant::now();
    let (model, report) = pipeline(candidate.method, candidate.options, seed)?.fit(train)?;
    let seconds = start.elapsed().as_secs_f64();
    judged(candidate.title.to_owned(), model, report, seconds, test)
}

/// The winner of a short race.
fn winner(session: &Session, train: &Dataset, test: &Dataset) -> Result<Shown, Failure> {
    let base = pipeline("svm", &[], session.seed)?;
    let options = RaceOptions::new(RACE, Metric::Accuracy, session.seed, session.threads);
    let start = Start {
        base: &base,
        only: None,
        fixed: &[],
        choose_scaling: false,
        task: Task::Classes,
    };
    let raced = race(train, &start, &options, &|state| {
        session.progress(format_args!(
            "auto: {:.0} of {RACE:.0} s, {} rows",
            state.seconds, state.rows
        ));
        Ok(())
    })?;
    let title = format!(
        "auto: {} won of {} candidates",
        raced.standings[raced.winner].candidate.method(),
        raced.tried
    );
    judged(title, raced.model, raced.report, raced.seconds, test)
}

fn judged(
    title: String,
    model: Prepared,
    report: Report,
    seconds: f64,
    test: &Dataset,
) -> Result<Shown, Failure> {
    // The first answers pack the machines.
    model.predict(test.samples().view())?;
    let start = Instant::now();
    let accuracy = measure(&model, test, Metric::Accuracy)?;
    let answering = start.elapsed().as_secs_f64();
    Ok(Shown {
        title,
        report,
        seconds,
        accuracy,
        answer_us: 1e6 * answering / test.n_rows() as f64,
        model,
    })
}

fn picture(train: &Dataset, shown: &Shown) -> Result<String, Failure> {
    let view = train.samples().view();
    let (mut low, mut high) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
    let mut points = Vec::with_capacity(DRAWN);
    let labels = train.classes()?;
    let step = view.n_rows().div_ceil(DRAWN);
    for i in (0..view.n_rows()).step_by(step.max(1)) {
        let mut row = [0.0; 2];
        view.row(i).write_dense(&mut row);
        for f in 0..2 {
            low[f] = low[f].min(row[f]);
            high[f] = high[f].max(row[f]);
        }
        points.push((row[0], row[1], labels.codes()[i]));
    }
    let at = |f: usize, k: usize| low[f] + (high[f] - low[f]) * k as f64 / (NODES - 1) as f64;
    let mut nodes = Vec::with_capacity(2 * NODES * NODES);
    for j in 0..NODES {
        for i in 0..NODES {
            nodes.push(at(0, i));
            nodes.push(at(1, j));
        }
    }
    let scores = shown.model.scores(SamplesView::dense(2, &nodes)?)?;
    // A positive value speaks for the model's first class; the chart knows classes by the codes of
    // the training data.
    let first = shown.model.classes().and_then(|classes| classes.first());
    let positive = first.and_then(|name| labels.code_of(name)).unwrap_or(0);
    let title = format!(
        "Local SVMs on {} rows: {:.1} % right, trained in {}",
        train.n_rows(),
        100.0 * shown.accuracy,
        table::seconds(shown.seconds)
    );
    Ok(
        BoundaryChart::new(&title, (low[0], high[0]), (low[1], high[1]))
            .with_x_label("first column")
            .with_y_label("second column")
            .with_scores(NODES, NODES, scores.values, positive)
            .with_points(points)
            .with_class_names(labels.names().iter().map(ToString::to_string))
            .to_svg(),
    )
}
