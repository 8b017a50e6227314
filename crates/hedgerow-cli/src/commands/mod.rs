//! One file a command.

mod answers;
mod auto;
mod bounds;
mod choose;
mod cv;
mod decisions;
mod demo;
mod draw;
mod edit;
mod edit_report;
mod falkm;
mod generate;
mod inspect;
mod kept;
mod latency;
mod metric;
mod predict;
mod scale;
mod select;
mod train;
mod tune;
mod tune_local;
mod update;

use crate::args::{Action, Invocation};
use crate::failure::Failure;
use crate::session::Session;
use hedgerow::data::Scaling;
use hedgerow::{Report, Status};
use serde_json::{Map, Value, json};

/// Does what the command line asks for.
pub(crate) fn run(invocation: Invocation) -> Result<(), Failure> {
    let session = Session::start(&invocation.common)?;
    match invocation.action {
        Action::Demo(args) => demo::run(&session, &args),
        Action::Auto(args) => auto::run(&session, &args),
        Action::Train(call) => train::run(&session, call),
        Action::Predict(args) => predict::run(&session, &args),
        Action::Cv(call) => cv::run(&session, call),
        Action::Tune(call) => tune::run(&session, &call),
        Action::Select(args) => select::run(&session, &args),
        Action::Clean(call) => edit::clean(&session, &call),
        Action::Resample(call) => edit::resample(&session, &call),
        Action::Scale(args) => scale::run(&session, &args),
        Action::Generate(args) => generate::run(&session, &args),
        Action::Inspect(args) => inspect::run(&session, &args),
        Action::Update(args) => update::run(&session, &args),
        Action::Falkm(args) => falkm::run(&session, &args),
    }
}

/// A status in words for machines.
fn status_name(status: Status) -> &'static str {
    match status {
        Status::Converged => "converged",
        Status::IterationLimit => "iteration-limit",
        Status::TimeLimit => "time-limit",
        Status::CappedByDesign => "capped-by-design",
        _ => "stopped",
    }
}

/// A report as JSON fields.
fn report_fields(report: &Report) -> Map<String, Value> {
    let value = json!({
        "status": status_name(report.status),
        "iterations": report.iterations,
        "objective": report.objective,
        "support_vectors": report.support_vectors,
        "bounded": report.bounded,
        "seconds": report.seconds,
    });
    match value {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}

/// Precomputed kernel values and the kernel asked for must belong together, and values of a kernel
/// cannot be scaled like features.
pub(crate) fn check_precomputed(
    name: &str,
    in_data: bool,
    in_kernel: bool,
    scaling: Scaling,
) -> Result<(), Failure> {
    let problem = match (in_data, in_kernel) {
        (true, false) => {
            "every row starts with 0:serial, so the file holds kernel values: train with -t 4"
        }
        (false, true) => {
            "a precomputed kernel needs LIBSVM text in which every row starts with 0:serial"
        }
        (true, true) if scaling != Scaling::None => {
            "kernel values cannot be scaled: leave --scale out"
        }
        _ => return Ok(()),
    };
    Err(Failure::Model {
        name: name.to_owned(),
        problem: problem.to_owned(),
    })
}
