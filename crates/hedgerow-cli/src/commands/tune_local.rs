//! `tune` for methods of local machines: candidates are compared on a few neighbourhoods.

use super::cv::scored_by;
use super::train::Job;
use super::{check_precomputed, report_fields, status_name};
use crate::args::{LocalSearchArgs, TuneArgs, WithMethod};
use crate::failure::Failure;
use crate::input;
use crate::methods::Trainer;
use crate::pipeline::Pipeline;
use crate::session::Session;
use crate::table;
use hedgerow::Status;
use hedgerow::data::{Dataset, Scaling};
use hedgerow::evaluate::Axis;
use hedgerow::kernel::KernelSpec;
use hedgerow::local::{Around, FalkGrid, FalkParams, FalkSelection, Validate};
use serde_json::{Map, Value, json};
use std::borrow::Cow;

pub(super) fn run(session: &Session, call: &WithMethod<TuneArgs>) -> Result<(), Failure> {
    let WithMethod {
        method,
        trainer,
        args,
    } = call;
    let method = *method;
    refuse_ordinary_options(args)?;
    if args.training.select.is_some() {
        return Err(Failure::usage(
            "--select: neighbourhoods are compared with all features; add --ordinary, or reduce the file first (hedgerow select --reduced)",
        ));
    }
    let mut trainer = trainer.duplicate();
    let params = local(&mut *trainer)?.clone();
    let grid = with_options(grid(&params, &*trainer, &args.grid)?, args);
    grid.check().map_err(Failure::Option)?;
    if let Some(path) = &args.model {
        session.claim_output("MODEL", path)?;
    }
    let scaling = args.training.scaling.scaling();
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
    let selected = scaled(data, scaling).and_then(|data| {
        params.select_with(&data, &grid, &|progress| {
            session.progress(format_args!(
                "neighbourhoods of {}: {} of {}",
                progress.k, progress.done, progress.total
            ));
            Ok(())
        })
    });
    session.progress_done();
    let (best, selection) = selected.map_err(Failure::data(&input.name))?;
    session.say(format_args!(
        "{}: {} rows, {} features; {}, {} candidates on {} neighbourhoods, {}",
        input.name,
        data.n_rows(),
        data.n_features(),
        method.name(),
        selection.candidates.len(),
        selection.rows.len(),
        table::seconds(selection.seconds)
    ))?;
    session.say(text(&selection))?;
    if selection.status != Status::Converged {
        session.warn(format_args!(
            "some machines stopped early ({}): their scores are rough",
            status_name(selection.status)
        ));
    }
    let mut fields = fields(&selection);
    fields.insert("method".to_owned(), json!(method.name()));
    if let Some(path) = &args.model {
        *local(&mut *trainer)? = best;
        let pipeline = Pipeline {
            scaling,
            choice: None,
            trainer,
        };
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

/// The parameters of the local machines.
fn local(trainer: &mut dyn Trainer) -> Result<&mut FalkParams, Failure> {
    trainer
        .local()
        .ok_or_else(|| Failure::usage("the method has no local machines to tune"))
}

/// Options of the search over whole models say nothing here.
fn refuse_ordinary_options(args: &TuneArgs) -> Result<(), Failure> {
    let given = [
        (args.metric.is_some(), "--metric"),
        (args.margin.is_some(), "--margin"),
        (args.svg.is_some(), "--svg"),
    ];
    match given.iter().find(|(given, _)| *given) {
        None => Ok(()),
        Some((_, name)) => Err(Failure::usage(format!(
            "{name} needs whole models to be compared: add --ordinary"
        ))),
    }
}

fn scaled(data: &Dataset, scaling: Scaling) -> hedgerow::Result<Cow<'_, Dataset>> {
    if scaling == Scaling::None {
        return Ok(Cow::Borrowed(data));
    }
    let view = data.samples().view();
    let samples = scaling.fit(view)?.apply(view)?;
    Ok(Cow::Owned(data.with_samples(samples)?))
}

/// What is tried: the usual values, or the axes that were named, with what the options say of all
/// other parameters.
fn grid(params: &FalkParams, trainer: &dyn Trainer, axes: &[String]) -> Result<FalkGrid, Failure> {
    if axes.is_empty() {
        return Ok(FalkGrid::default());
    }
    let mut grid = FalkGrid::default()
        .with_k(&[params.k])
        .with_costs(&[params.local.cost]);
    let mut trainers = vec![trainer.duplicate()];
    for text in axes {
        let axis = Axis::parse(text).map_err(Failure::Option)?;
        match axis.name.as_str() {
            "neighbours" => grid.k = sizes(&axis)?,
            "cost" => grid.costs = axis.values,
            name @ ("core" | "epsilon") => {
                return Err(Failure::usage(format!(
                    "--grid {name}: a few neighbourhoods cannot tell; add --ordinary to compare whole models"
                )));
            }
            name => {
                let mut varied = Vec::new();
                for trainer in &trainers {
                    for &value in &axis.values {
                        let mut other = trainer.duplicate();
                        other.set(name, value)?;
                        varied.push(other);
                    }
                }
                trainers = varied;
            }
        }
    }
    let kernels: Result<Vec<KernelSpec>, Failure> = trainers
        .iter_mut()
        .map(|trainer| Ok(local(&mut **trainer)?.local.solver.kernel.clone()))
        .collect();
    Ok(grid.with_kernels(kernels?))
}

fn sizes(axis: &Axis) -> Result<Vec<usize>, Failure> {
    axis.values
        .iter()
        .map(|&value| {
            if value >= 2.0 && value.fract() == 0.0 && value <= f64::from(u32::MAX) {
                return Ok(value as usize);
            }
            Err(Failure::usage(format!(
                "--grid neighbours: {value} is not a whole number of at least 2"
            )))
        })
        .collect()
}

fn with_options(mut grid: FalkGrid, args: &TuneArgs) -> FalkGrid {
    let LocalSearchArgs {
        models,
        inner_half,
        centres,
        unbalanced,
        ordinary: _,
    } = args.local;
    grid.models = models.unwrap_or(grid.models);
    grid.folds = args.folds.unwrap_or(grid.folds);
    if inner_half {
        grid.validate = Validate::InnerHalf;
    }
    if centres {
        grid.around = Around::Centres;
    }
    grid.balance = !unbalanced;
    grid
}

fn text(selection: &FalkSelection) -> String {
    let head = [
        "neighbours",
        "kernel",
        "cost",
        selection.measure.name(),
        "± sd",
    ];
    let rows: Vec<Vec<String>> = selection
        .candidates
        .iter()
        .enumerate()
        .map(|(at, candidate)| {
            let mut row = vec![
                candidate.k.to_string(),
                candidate.kernel.to_string(),
                table::exact(candidate.cost),
                table::number(candidate.score),
                table::number(candidate.deviation),
            ];
            if at == selection.best {
                row.push("<- best".to_owned());
            }
            row
        })
        .collect();
    let mut text = table::render(&head.map(ToOwned::to_owned), &rows);
    if !selection.skipped_k.is_empty() {
        let skipped: Vec<String> = selection
            .skipped_k
            .iter()
            .map(ToString::to_string)
            .collect();
        text = format!(
            "{text}\nnot tried, because more neighbours did worse: {}",
            skipped.join(", ")
        );
    }
    text
}

fn fields(selection: &FalkSelection) -> Map<String, Value> {
    let candidate = |at: usize| {
        let candidate = &selection.candidates[at];
        json!({
            "neighbours": candidate.k,
            "kernel": candidate.kernel.to_string(),
            "cost": candidate.cost,
            "mean": candidate.score,
            "deviation": candidate.deviation,
        })
    };
    let points: Vec<Value> = (0..selection.candidates.len()).map(candidate).collect();
    let mut fields = Map::new();
    let metric = selection.measure.name().replace(' ', "_");
    fields.insert("search".to_owned(), json!("local"));
    fields.insert("metric".to_owned(), json!(metric));
    fields.insert("best".to_owned(), candidate(selection.best));
    fields.insert("points".to_owned(), json!(points));
    fields.insert("skipped_neighbours".to_owned(), json!(selection.skipped_k));
    fields.insert("neighbourhoods".to_owned(), json!(selection.rows.len()));
    fields.insert("search_seconds".to_owned(), json!(selection.seconds));
    fields
}
