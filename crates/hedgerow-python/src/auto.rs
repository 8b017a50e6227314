//! A race of all methods.

use crate::arrays::{Meaning, Rows};
use crate::errors::from_library;
use crate::fit::{Targets, dataset, target};
use crate::model::Model;
use crate::threads::interruptible;
use hedgerow::data::{Dataset, Scaling, Target};
use hedgerow::evaluate::Metric;
use hedgerow::method::Task;
use hedgerow::{Error, Result};
use hedgerow_methods::race::{RaceOptions, Raced, Start, race, usual_metric};
use hedgerow_methods::{Pipeline, Stored, by_name, frame_of};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// How a race is run, as Python says it.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Wishes {
    budget: f64,
    measure: Option<String>,
    latency_us: Option<f64>,
    max_mb: Option<f64>,
    explainable: bool,
    seed: u64,
    verbose: bool,
}

/// Runs a race. Returns the winner, what was compared, and the standings.
#[pyfunction]
pub(crate) fn race_methods<'py>(
    py: Python<'py>,
    rows: Rows<'py>,
    targets: Targets<'py>,
    wishes: Wishes,
    threads: usize,
) -> PyResult<(Model, Bound<'py, PyDict>)> {
    let held = rows.hold(Meaning::Features)?;
    let target = target(Some(targets), held.view().n_rows())?;
    let data = py
        .detach(|| dataset(held.view(), target, None))
        .map_err(from_library)?;
    let metric = match &wishes.measure {
        Some(name) => Metric::by_name(name).map_err(from_library)?,
        None => usual_metric(&data).0,
    };
    let verbose = wishes.verbose;
    let raced = interruptible(py, threads, move || run(&data, metric, &wishes, verbose))?;
    let (raced, stored) = raced.map_err(from_library)?;
    let told = PyDict::new(py);
    let winner = &raced.standings[raced.winner].candidate;
    told.set_item("method", winner.method())?;
    told.set_item("options", winner.options())?;
    told.set_item("measure", metric.name())?;
    told.set_item("unseen_score", raced.unseen.map(|(score, _)| score))?;
    told.set_item("latency_us", raced.latency_us)?;
    told.set_item("megabytes", raced.megabytes)?;
    told.set_item("candidates", raced.tried)?;
    told.set_item("seconds", raced.seconds)?;
    told.set_item("leaderboard", leaderboard(py, &raced)?)?;
    Ok((Model::new(stored), told))
}

fn run(data: &Dataset, metric: Metric, wishes: &Wishes, verbose: bool) -> Result<(Raced, Stored)> {
    let task = match data.target() {
        Target::Real(_) => Task::Real,
        _ => Task::Classes,
    };
    let any = by_name(if task == Task::Real { "svr" } else { "svm" });
    let any = any.ok_or(Error::NoRows)?;
    let base = Pipeline {
        coding: None,
        scaling: Scaling::Standardize,
        choice: None,
        metric: None,
        cleaning: None,
        resampling: None,
        trainer: any.trainer(&[], wishes.seed)?,
        calibrating: None,
    };
    let threads = rayon::current_num_threads();
    let options = RaceOptions {
        latency_us: wishes.latency_us,
        max_mb: wishes.max_mb,
        explainable: wishes.explainable,
        ..RaceOptions::new(wishes.budget, metric, wishes.seed, threads)
    };
    let start = Start {
        base: &base,
        only: None,
        fixed: &[],
        choose_scaling: true,
        task,
    };
    let raced = race(data, &start, &options, &|state| {
        if verbose {
            say(&format!(
                "[{:.0} s of {:.0}] {} of {} candidates on {} rows; best: {}",
                state.seconds,
                wishes.budget,
                state.done,
                state.of,
                state.rows,
                state.best.as_deref().unwrap_or("none yet")
            ));
        }
        Ok(())
    })?;
    let winner = &raced.standings[raced.winner].candidate;
    let method = winner.method();
    let model = raced.model.model.duplicate();
    let mut frame = frame_of(
        raced.model.preprocessing.clone(),
        winner.pipeline.describe(),
        &raced.report,
    );
    frame.class_sizes.clone_from(&raced.model.class_sizes);
    Ok((raced, Stored::fitted(method, frame, model)))
}

/// Prints to Python's standard output, which notebooks show.
fn say(line: &str) {
    Python::attach(|py| {
        if let Ok(builtins) = py.import("builtins") {
            // A closed output stops no training.
            let _ = builtins.call_method1("print", (line,));
        }
    });
}

fn leaderboard<'py>(py: Python<'py>, raced: &Raced) -> PyResult<Vec<Bound<'py, PyDict>>> {
    let mut rows = Vec::new();
    for standing in &raced.standings {
        let row = PyDict::new(py);
        row.set_item("method", standing.candidate.method())?;
        row.set_item("options", standing.candidate.options())?;
        row.set_item("score", standing.trial.score)?;
        row.set_item("rows", standing.trial.rows)?;
        row.set_item("fit_seconds", standing.trial.fit_seconds)?;
        row.set_item("answer_us", standing.trial.answer_us)?;
        rows.push(row);
    }
    Ok(rows)
}
