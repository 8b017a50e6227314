//! `tune`: grid search, then training with the best parameters.

use super::cv::{field, scored_by};
use super::train::Job;
use super::{check_precomputed, report_fields};
use crate::args::{TuneArgs, WithMethod};
use crate::failure::Failure;
use crate::input;
use crate::pipeline::Pipeline;
use crate::session::Session;
use crate::table;
use hedgerow::Predictor;
use hedgerow::data::{Dataset, Split, folds_for};
use hedgerow::evaluate::grid::{PointStatus, SearchOptions, SearchResult, search};
use hedgerow::evaluate::{Grid, Metric};
use hedgerow_io::OutputFile;
use hedgerow_report::{Best, HeatmapChart};
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::io::Write;
use std::path::Path;
use std::time::Instant;

pub(crate) fn run(session: &Session, call: &WithMethod<TuneArgs>) -> Result<(), Failure> {
    let WithMethod {
        method,
        trainer,
        args,
    } = call;
    let method = *method;
    let is_local = trainer.duplicate().local().is_some();
    if is_local && !args.local.ordinary {
        return super::tune_local::run(session, call);
    }
    if let Some(option) = args.local.given().filter(|_| !is_local) {
        return Err(Failure::usage(format!(
            "{option} is for methods of local machines, and {} is none: leave it out",
            method.name()
        )));
    }
    let n_folds = args.folds.unwrap_or(5);
    let grid = grid(args, method.grid())?;
    let options = options(args)?;
    for (what, path) in [("MODEL", &args.model), ("--svg", &args.svg)] {
        if let Some(path) = path {
            session.claim_output(what, path)?;
        }
    }
    if args.svg.is_some() && grid.axes.len() != 2 {
        return Err(Failure::usage(format!(
            "--svg draws grids of two axes, and this one has {}",
            grid.axes.len()
        )));
    }
    let scaling = args.training.scaling.scaling();
    let mut shared = trainer.duplicate();
    shared.share_memory(options.batch.min(session.threads));
    let pipeline = Pipeline {
        scaling,
        choice: args.training.choice(session.seed)?,
        trainer: shared,
    };
    let pipelines = pipelines(&pipeline, &grid)?;
    let input = input::read_training(
        session,
        &args.train,
        &args.training,
        scored_by(method.task()),
    )?;
    let data = &input.loaded.dataset;
    check_precomputed(
        &input.name,
        input.loaded.precomputed,
        trainer.is_precomputed(),
        scaling,
    )?;
    let splits = folds_for(data, n_folds, session.seed).map_err(Failure::data(&input.name))?;
    let start = Instant::now();
    let result = compare(session, &pipelines, data, &splits, &grid, &options)
        .map_err(Failure::data(&input.name))?;
    let seconds = start.elapsed().as_secs_f64();
    session.say(format_args!(
        "{}: {} rows, {} features; {}, {} points by {}-fold cross-validation, {}",
        input.name,
        data.n_rows(),
        data.n_features(),
        method.name(),
        grid.n_points(),
        n_folds,
        table::seconds(seconds)
    ))?;
    session.say(text(&grid, &result))?;
    if let Some(path) = &args.svg {
        write_text(path, &heatmap(&grid, &result))?;
    }
    let best = named(&grid, &result.points[result.best].point);
    let mut fields = search_fields(&grid, &result);
    fields.insert("method".to_owned(), json!(method.name()));
    fields.insert("search_seconds".to_owned(), json!(seconds));
    if let Some(path) = &args.model {
        let pipeline = Pipeline {
            scaling,
            choice: args.training.choice(session.seed)?,
            trainer: trainer.duplicate(),
        }
        .with(&best)?;
        session.progress("training with the best parameters");
        let (model, report) = pipeline.fit(data).map_err(Failure::data(&input.name))?;
        session.progress_done();
        let job = Job {
            method,
            pipeline: &pipeline,
            input: &input,
        };
        job.write(path, args.libsvm_model, &model, &report)?;
        job.tell(session, &report)?;
        fields.extend(report_fields(&report));
        fields.extend(job.fields(path, &model));
    }
    session.result(&Value::Object(fields))
}

/// A pipeline for every point, by the bits of its values.
type Pipelines = HashMap<Vec<u64>, Pipeline>;

fn bits(point: &[f64]) -> Vec<u64> {
    point.iter().map(|value| value.to_bits()).collect()
}

/// Sets every point before any work, so that a wrong name and a value that the kernel refuses are
/// found at once.
fn pipelines(pipeline: &Pipeline, grid: &Grid) -> Result<Pipelines, Failure> {
    (0..grid.n_points())
        .map(|at| {
            let point = grid.point(at);
            Ok((bits(&point), pipeline.with(&named(grid, &point))?))
        })
        .collect()
}

/// Tests every point of the grid.
fn compare(
    session: &Session,
    pipelines: &Pipelines,
    data: &Dataset,
    splits: &[Split],
    grid: &Grid,
    options: &SearchOptions,
) -> hedgerow::Result<SearchResult> {
    let fit = |point: &[f64], train: &Dataset| {
        let pipeline = &pipelines[&bits(point)];
        Ok(Box::new(pipeline.fit(train)?.0) as Box<dyn Predictor>)
    };
    let result = search(data, splits, grid, fit, options, &|progress| {
        session.progress(format_args!(
            "{} of {} points, {} fits",
            progress.points_done, progress.points_total, progress.fits
        ));
    });
    session.progress_done();
    result
}

fn grid(args: &TuneArgs, usual: &[&str]) -> Result<Grid, Failure> {
    let grid = if args.grid.is_empty() {
        Grid::parse(usual)
    } else {
        Grid::parse(&args.grid)
    };
    grid.map_err(Failure::Option)
}

fn options(args: &TuneArgs) -> Result<SearchOptions, Failure> {
    let mut options = SearchOptions::default();
    if let Some(name) = &args.metric {
        options = options.with_metric(Metric::by_name(name).map_err(Failure::Option)?);
    }
    if let Some(margin) = args.margin {
        options = options.with_margin(margin);
    }
    options.check().map_err(Failure::Option)?;
    Ok(options)
}

fn named(grid: &Grid, point: &[f64]) -> Vec<(String, f64)> {
    grid.axes
        .iter()
        .zip(point)
        .map(|(axis, &value)| (axis.name.clone(), value))
        .collect()
}

fn status_text(status: &PointStatus) -> String {
    match status {
        PointStatus::Complete => String::new(),
        PointStatus::Hopeless => "given up: cannot win".to_owned(),
        PointStatus::Worse => "given up: worse by the margin".to_owned(),
        PointStatus::Failed(error) => format!("failed: {error}"),
    }
}

fn text(grid: &Grid, result: &SearchResult) -> String {
    let mut head: Vec<String> = grid.axes.iter().map(|axis| axis.name.clone()).collect();
    head.push(result.metric.name().to_owned());
    head.push("± sd".to_owned());
    head.push("folds".to_owned());
    let rows: Vec<Vec<String>> = result
        .points
        .iter()
        .enumerate()
        .map(|(at, point)| {
            let mut row: Vec<String> = point.point.iter().map(|&v| table::exact(v)).collect();
            if point.folds.is_empty() {
                row.extend(["-".to_owned(), "-".to_owned()]);
            } else {
                row.push(table::number(point.mean));
                row.push(table::number(point.deviation));
            }
            row.push(point.folds.len().to_string());
            row.push(if at == result.best {
                "<- best".to_owned()
            } else {
                status_text(&point.status)
            });
            row
        })
        .collect();
    table::render(&head, &rows)
}

fn search_fields(grid: &Grid, result: &SearchResult) -> Map<String, Value> {
    let object = |point: &[f64]| {
        let pairs = named(grid, point).into_iter();
        Value::Object(pairs.map(|(name, value)| (name, json!(value))).collect())
    };
    let points: Vec<Value> = result
        .points
        .iter()
        .map(|point| {
            json!({
                "point": object(&point.point),
                "mean": point.mean,
                "deviation": point.deviation,
                "folds": point.folds,
                "complete": point.status == PointStatus::Complete,
                "note": status_text(&point.status),
            })
        })
        .collect();
    let best = &result.points[result.best];
    let mut fields = Map::new();
    fields.insert("metric".to_owned(), json!(field(result.metric.name())));
    fields.insert(
        "best".to_owned(),
        json!({"point": object(&best.point), "mean": best.mean, "deviation": best.deviation}),
    );
    fields.insert("points".to_owned(), json!(points));
    fields
}

fn heatmap(grid: &Grid, result: &SearchResult) -> String {
    let labels = |at: usize| -> Vec<String> {
        let values = grid.axes[at].values.iter();
        values.map(|&value| table::exact(value)).collect()
    };
    // The last axis varies fastest, so it runs along the columns.
    // The mean of a point that was given up is not one over the same folds.
    let values = result
        .points
        .iter()
        .map(|point| match point.status {
            PointStatus::Complete => point.mean,
            _ => f64::NAN,
        })
        .collect();
    let best = if result.metric.larger_is_better() {
        Best::Highest
    } else {
        Best::Lowest
    };
    HeatmapChart::new(&format!("Grid search: {}", result.metric.name()))
        .with_x_label(&grid.axes[1].name)
        .with_y_label(&grid.axes[0].name)
        .with_cells(labels(1), labels(0), values)
        .with_best(best)
        .to_svg()
}

/// Writes a text file that appears complete or not at all.
pub(super) fn write_text(path: &str, text: &str) -> Result<(), Failure> {
    let path = Path::new(path);
    let mut out = OutputFile::create(path)?;
    out.write_all(text.as_bytes())
        .map_err(|source| hedgerow_io::IoError::Write {
            path: path.to_path_buf(),
            source,
        })?;
    Ok(out.finish()?)
}
