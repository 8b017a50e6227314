//! `tune`: grid search, then training with the best parameters.

use super::cv::{field, scored_by};
use super::report_fields;
use super::train::Job;
use crate::args::{TuneArgs, WithMethod};
use crate::failure::Failure;
use crate::input;
use crate::json::json as as_json;
use crate::session::Session;
use crate::table;
use hedgerow::Predictor;
use hedgerow::data::{Dataset, Split, folds_for};
use hedgerow::evaluate::grid::{PointStatus, SearchOptions, SearchResult, search};
use hedgerow::evaluate::{Grid, Metric};
use hedgerow::params::Value as Setting;
use hedgerow_io::OutputFile;
use hedgerow_methods::{Method, Pipeline, Preparation};
use hedgerow_report::{Best, HeatmapChart};
use serde_json::{Map, Value, json};
use std::io::Write;
use std::path::Path;
use std::time::Instant;

pub(crate) fn run(session: &Session, call: &WithMethod<TuneArgs>) -> Result<(), Failure> {
    let WithMethod {
        method,
        trainer,
        args,
        ..
    } = call;
    let method = *method;
    let has_own = trainer.own_search().is_some();
    if has_own && !args.local.ordinary {
        return super::tune_local::run(session, call);
    }
    refuse_local_options(args, method, has_own)?;
    let n_folds = args.folds.unwrap_or(5);
    let grid = grid(args, method.card.grid)?;
    let options = options(args)?;
    claim_outputs(session, args, &grid)?;
    let mut shared = trainer.duplicate();
    shared.share_memory(options.batch.min(session.threads))?;
    let pipeline_of = |trainer| args.training.pipeline(trainer, session.seed);
    let mut first = pipeline_of(shared)?;
    let mut pipelines = pipelines(&first, &grid)?;
    let task = scored_by(method.card.task);
    let input = input::read_training(session, &args.train, &args.training, task)?;
    let data = &input.loaded.dataset;
    args.training
        .settle(session, &input, &mut first, args.libsvm_model)?;
    for (_, pipeline) in &mut pipelines {
        pipeline.take_preparation(&first);
    }
    let splits = folds_for(data, n_folds, session.seed).map_err(Failure::data(&input.name))?;
    let start = Instant::now();
    let result = compare(session, &pipelines, data, &splits, &grid, &options)
        .map_err(Failure::data(&input.name))?;
    let seconds = start.elapsed().as_secs_f64();
    let (rows, points) = (data.n_rows(), grid.n_points());
    session.say(format_args!(
        "{}: {rows} rows, {} features; {}, {points} points by {n_folds}-fold cross-validation, {}",
        input.name,
        data.n_features(),
        method.card.name,
        table::seconds(seconds)
    ))?;
    let mut fields = tell(session, args, &grid, &result)?;
    fields.insert("method".to_owned(), json!(method.card.name));
    fields.insert("search_seconds".to_owned(), json!(seconds));
    fields.insert("repeats".to_owned(), input.repeats_json());
    if let Some(path) = &args.model {
        let best = named(&grid, &result.points[result.best].point);
        let pipeline = pipeline_of(trainer.duplicate())?;
        let mut pipeline = pipeline.with(&best).map_err(of_grid)?;
        pipeline.take_preparation(&first);
        let job = Job {
            method,
            pipeline: &pipeline,
            input: &input,
        };
        let prepared = super::metric::prepare(session, &pipeline, &input)?;
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

/// Options of local machines say nothing to other methods.
fn refuse_local_options(args: &TuneArgs, method: &Method, has_own: bool) -> Result<(), Failure> {
    match args.local.given().filter(|_| !has_own) {
        None => Ok(()),
        Some(option) => Err(Failure::usage(format!(
            "{option} is for methods of local machines, and {} is none: leave it out",
            method.card.name
        ))),
    }
}

/// Says and draws what was found; what the result object says of it.
fn tell(
    session: &Session,
    args: &TuneArgs,
    grid: &Grid,
    result: &SearchResult,
) -> Result<Map<String, Value>, Failure> {
    session.say(text(grid, result))?;
    let axes = grid
        .axes
        .iter()
        .map(|axis| (axis.name.as_str(), &axis.values[..]));
    warn_of_edges(session, axes, &result.points[result.best].point);
    if let Some(path) = &args.svg {
        write_text(path, &heatmap(grid, result))?;
    }
    Ok(search_fields(grid, result))
}

/// Says where the best value is the first or last that was tried: better ones may lie beyond.
pub(super) fn warn_of_edges<'a>(
    session: &Session,
    axes: impl Iterator<Item = (&'a str, &'a [Setting])>,
    best: &[Setting],
) {
    for ((name, values), value) in axes.zip(best) {
        let numbers: Option<Vec<f64>> = values.iter().map(Setting::as_number).collect();
        let (Some(numbers), Some(found)) = (numbers, value.as_number()) else {
            continue;
        };
        let least = numbers.iter().copied().fold(f64::INFINITY, f64::min);
        let most = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let end = match found {
            _ if least == most => continue,
            found if found == least => "smallest",
            found if found == most => "largest",
            _ => continue,
        };
        session.warn(format_args!(
            "the best {name}, {value}, is the {end} that was tried: a wider grid may find better (--grid {name}=...)"
        ));
    }
}

/// Takes the files to be written; an error if there is nothing to draw in one of them.
fn claim_outputs(session: &Session, args: &TuneArgs, grid: &Grid) -> Result<(), Failure> {
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
    Ok(())
}

/// Trains on all rows with what the search found, and writes the model; what is to be told of it.
pub(super) fn train_best(
    session: &Session,
    job: &Job<'_>,
    prepared: Preparation,
    path: &str,
    libsvm_model: bool,
) -> Result<Map<String, Value>, Failure> {
    session.progress("training with the best parameters");
    let (model, report) = job
        .pipeline
        .fit_prepared(prepared, &job.input.loaded.dataset)
        .map_err(Failure::data(&job.input.name))?;
    session.progress_done();
    job.write(path, libsvm_model, &model, &report)?;
    job.tell(session, &report, &model)?;
    let mut fields = report_fields(&report);
    fields.extend(job.fields(path, &model));
    Ok(fields)
}

/// Points and their pipelines.
type Pipelines = Vec<(Vec<Setting>, Pipeline)>;

/// Sets every point before any work, so that a wrong name and a value that the method refuses are
/// found at once.
fn pipelines(pipeline: &Pipeline, grid: &Grid) -> Result<Pipelines, Failure> {
    let mut all = Vec::with_capacity(grid.n_points());
    for at in 0..grid.n_points() {
        let point = grid.point(at);
        let set = pipeline.with(&named(grid, &point)).map_err(of_grid)?;
        all.push((point, set));
    }
    Ok(all)
}

/// A refusal by the method, as one of the grid.
pub(super) fn of_grid(error: hedgerow::Error) -> Failure {
    match error {
        hedgerow::Error::UnknownName { name, known, .. } => Failure::usage(format!(
            "--grid {name}: the method has no such parameter; it has {known}"
        )),
        hedgerow::Error::ParameterValue {
            name,
            value,
            requirement,
        } => Failure::usage(format!("--grid {name}={value}: must be {requirement}")),
        error => Failure::Option(error),
    }
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
    let fit = |point: &[Setting], train: &Dataset| {
        let found = pipelines.iter().find(|(known, _)| known == point);
        let (_, pipeline) = found.ok_or(hedgerow::Error::NoRows)?;
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
    if let Some(name) = args.measure() {
        options = options.with_metric(Metric::by_name(name).map_err(Failure::Option)?);
    }
    if let Some(margin) = args.margin {
        options = options.with_margin(margin);
    }
    options.check().map_err(Failure::Option)?;
    Ok(options)
}

fn named(grid: &Grid, point: &[Setting]) -> Vec<(String, Setting)> {
    let pairs = grid.axes.iter().zip(point);
    pairs
        .map(|(axis, value)| (axis.name.clone(), value.clone()))
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
            let mut row: Vec<String> = point.point.iter().map(ToString::to_string).collect();
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
    let object = |point: &[Setting]| {
        let pairs = named(grid, point).into_iter();
        Value::Object(pairs.map(|(name, value)| (name, as_json(&value))).collect())
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
        values.map(ToString::to_string).collect()
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
