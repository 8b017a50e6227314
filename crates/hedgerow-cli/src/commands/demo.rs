//! `demo`: what the toolkit does, without any file.
//!
//! A checkerboard that no straight line can separate, in two columns of very different size: it
//! shows what a curved boundary is worth, and what scaling is worth.

use super::tune::write_text;
use crate::args::{self, DemoArgs};
use crate::failure::Failure;
use crate::measures::Measures;
use crate::session::Session;
use crate::table;
use clap::Command;
use hedgerow::data::{Dataset, Samples, SamplesView, Scaling, generate};
use hedgerow::{Predictor, Report};
use hedgerow_methods::{Pipeline, Prepared};
use hedgerow_report::BoundaryChart;
use serde_json::{Value, json};

/// The second column is so much larger than the first, as if measured in another unit.
const UNIT: f64 = 100.0;
/// Share of labels that are wrong, so that no model can be perfect.
const FLIPPED: f64 = 0.03;
/// Nodes of the picture's grid along a side.
const NODES: usize = 161;

/// A model to be shown.
struct Candidate {
    title: &'static str,
    options: &'static [&'static str],
    scaling: Scaling,
}

const CANDIDATES: [Candidate; 3] = [
    Candidate {
        title: "a straight line",
        options: &["-t", "0", "-c", "10"],
        scaling: Scaling::MinMax {
            low: 0.0,
            high: 1.0,
        },
    },
    Candidate {
        title: "Gaussian kernel, columns as they are",
        options: &["-t", "2", "-g", "30", "-c", "10"],
        scaling: Scaling::None,
    },
    Candidate {
        title: "Gaussian kernel, scaled columns",
        options: &["-t", "2", "-g", "30", "-c", "10"],
        scaling: Scaling::MinMax {
            low: 0.0,
            high: 1.0,
        },
    },
];

struct Shown {
    title: &'static str,
    report: Report,
    accuracy: f64,
    model: Prepared,
}

pub(crate) fn run(session: &Session, args: &DemoArgs) -> Result<(), Failure> {
    session.claim_output("--svg", &args.svg)?;
    let train = board(args.rows, session.seed)?;
    let test = board(2000, session.seed.wrapping_add(1))?;
    session.say(format_args!(
        "A checkerboard of two classes: {} rows to learn from, {} to test, {:.0} % of the labels wrong.\n\
         The second column is {UNIT} times as large as the first, as if it were in another unit.\n",
        train.n_rows(),
        test.n_rows(),
        100.0 * FLIPPED
    ))?;
    let shown = CANDIDATES
        .iter()
        .map(|candidate| show(candidate, &train, &test, session.seed))
        .collect::<Result<Vec<_>, _>>()?;
    let head = ["exact SVM", "accuracy", "support vectors", "time"].map(ToOwned::to_owned);
    let rows: Vec<Vec<String>> = shown
        .iter()
        .map(|one| {
            vec![
                one.title.to_owned(),
                format!("{:.1} %", 100.0 * one.accuracy),
                one.report.support_vectors.to_string(),
                table::seconds(one.report.seconds),
            ]
        })
        .collect();
    session.say(table::render(&head, &rows))?;
    let Some(best) = shown.last() else {
        return Ok(());
    };
    write_text(&args.svg, &picture(&train, best)?)?;
    session.say(format_args!(
        "\nThe boundary of the last one is drawn in {}.\n\n\
         Try next, with files:\n  \
         hedgerow generate checkerboard --rows 2000 --seed 1 train.svm\n  \
         hedgerow generate checkerboard --rows 2000 --seed 2 test.svm\n  \
         hedgerow tune svm --grid \"cost=2^-1:2:9\" --grid \"gamma=2^-1:2:7\" train.svm board.model\n  \
         hedgerow predict test.svm board.model predicted.txt\n  \
         hedgerow inspect board.model",
        args.svg
    ))?;
    let models: Vec<Value> = shown
        .iter()
        .map(|one| {
            json!({
                "title": one.title,
                "accuracy": one.accuracy,
                "support_vectors": one.report.support_vectors,
                "seconds": one.report.seconds,
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

/// The checkerboard with its second column stretched.
fn board(rows: usize, seed: u64) -> Result<Dataset, Failure> {
    let data = generate::by_name(
        "checkerboard",
        Some(rows),
        seed,
        &[("cells", 4.0), ("flip", FLIPPED)],
    )
    .map_err(Failure::Option)?;
    let view = data.samples().view();
    let mut values = Vec::with_capacity(2 * view.n_rows());
    for i in 0..view.n_rows() {
        view.row(i)
            .for_each(|f, value| values.push(if f == 1 { UNIT * value } else { value }));
    }
    let samples = Samples::dense(view.n_rows(), view.n_features(), values)?;
    Ok(data.with_samples(samples)?)
}

fn show(
    candidate: &Candidate,
    train: &Dataset,
    test: &Dataset,
    seed: u64,
) -> Result<Shown, Failure> {
    // The options go through the same parser as a user's.
    let method = hedgerow_methods::by_name("svm")
        .ok_or_else(|| Failure::usage("the method svm is not known"))?;
    let words = ["svm"].iter().chain(candidate.options);
    let command = Command::new("svm").disable_help_flag(true);
    let matches = args::augment(command, method).try_get_matches_from(words)?;
    let pipeline = Pipeline {
        coding: None,
        calibrating: None,
        scaling: candidate.scaling,
        choice: None,
        metric: None,
        cleaning: None,
        resampling: None,
        trainer: args::trainer(method, &matches, seed)?,
    };
    let (model, report) = pipeline.fit(train)?;
    let (prediction, scores) = model.predict_with_scores(test.samples().view())?;
    let measures = Measures::of(test, &model, None, &prediction, &scores)?;
    let accuracy = measures
        .and_then(|measures| measures.values.first().map(|(_, value)| *value))
        .unwrap_or(0.0);
    Ok(Shown {
        title: candidate.title,
        report,
        accuracy,
        model,
    })
}

fn picture(train: &Dataset, shown: &Shown) -> Result<String, Failure> {
    let view = train.samples().view();
    let (mut low, mut high) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
    let mut points = Vec::with_capacity(view.n_rows());
    let codes = train.classes()?.codes();
    for i in 0..view.n_rows() {
        let mut row = [0.0; 2];
        view.row(i).write_dense(&mut row);
        for f in 0..2 {
            low[f] = low[f].min(row[f]);
            high[f] = high[f].max(row[f]);
        }
        points.push((row[0], row[1], codes[i]));
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
    let labels = train.classes()?;
    let first = shown.model.classes().and_then(|classes| classes.first());
    let positive = first.and_then(|name| labels.code_of(name)).unwrap_or(0);
    let title = format!(
        "Checkerboard, {} rows: {:.1} % right on new rows",
        train.n_rows(),
        100.0 * shown.accuracy
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
