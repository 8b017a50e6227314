//! What `inspect` knows of models of local machines only: risk bounds and a picture.

use super::tune::write_text;
use crate::args::InspectArgs;
use crate::failure::Failure;
use crate::store::Stored;
use crate::table;
use hedgerow::Predictor;
use hedgerow::data::SamplesView;
use hedgerow::kernel::Gram;
use hedgerow::local::bounds::{BoundParams, RiskBound};
use hedgerow::local::{FalkSvm, LocalMachines, LocalModel};
use hedgerow_report::{CoveringChart, Disc};
use serde_json::{Value, json};

/// Nodes along a side of the square around a neighbourhood.
const NODES: usize = 61;

/// Data have no machines.
pub(super) fn refuse_for_data(args: &InspectArgs) -> Result<(), Failure> {
    match option(args) {
        None => Ok(()),
        Some(name) => Err(Failure::usage(format!(
            "{name} is for model files, and {} holds data",
            args.file
        ))),
    }
}

/// The first option that asks for local machines.
fn option(args: &InspectArgs) -> Option<&'static str> {
    if args.bounds {
        return Some("--bounds");
    }
    args.svg.is_some().then_some("--svg")
}

fn falk<'a>(args: &InspectArgs, stored: &'a Stored) -> Result<Option<&'a FalkSvm>, Failure> {
    let Some(name) = option(args) else {
        return Ok(None);
    };
    stored.model.as_falk().map(Some).ok_or_else(|| {
        Failure::usage(format!(
            "{name} is for models of local machines, and this is one of {}",
            stored.method()
        ))
    })
}

/// Facts about the bounds, if they were asked for.
pub(super) fn bounds(
    args: &InspectArgs,
    stored: &Stored,
) -> Result<Vec<(&'static str, Value)>, Failure> {
    let Some(model) = falk(args, stored)?.filter(|_| args.bounds) else {
        return Ok(Vec::new());
    };
    let params = BoundParams {
        eta: args.eta,
        vc_dimension: args.vc_dimension.unwrap_or(model.n_features() as f64 + 1.0),
        ..BoundParams::default()
    };
    params.check().map_err(Failure::Option)?;
    let found = model.bounds(&params).map_err(Failure::data(&args.file))?;
    let (bound, note) = match found.mean {
        RiskBound::AtMost(value) => (
            Some(value),
            format!(
                "at most {}, with probability {}",
                table::number(value),
                table::exact(1.0 - params.eta)
            ),
        ),
        RiskBound::TooLocal { share, needed } => (
            None,
            format!(
                "none: a neighbourhood is {} of the rows and would have to be more than {} ({} neighbours)",
                table::number(share),
                table::number(needed),
                found.least_neighbours
            ),
        ),
    };
    Ok(vec![
        ("local_training_error", json!(found.training_error)),
        ("risk", json!(note)),
        ("risk_bound", json!(bound)),
        ("bound_needs_neighbours", json!(found.least_neighbours)),
    ])
}

/// Draws the covering, if it was asked for.
pub(super) fn draw(args: &InspectArgs, stored: &Stored) -> Result<(), Failure> {
    let (Some(path), Some(model)) = (&args.svg, falk(args, stored)?) else {
        return Ok(());
    };
    if model.n_features() != 2 {
        return Err(Failure::usage(format!(
            "--svg draws models of 2 features, and this one has {}",
            model.n_features()
        )));
    }
    let svg = covering(model).map_err(Failure::data(&args.file))?;
    write_text(path, &svg)
}

fn covering(model: &FalkSvm) -> hedgerow::Result<String> {
    let view = model.samples();
    let at = |row: usize| {
        let mut values = [0.0; 2];
        view.row(row).write_dense(&mut values);
        (values[0], values[1])
    };
    let title = format!(
        "{} rows, {} centres, {} machines (k = {}, k' = {})",
        model.n_rows(),
        model.centres().len(),
        model.n_trained(),
        model.params().sizes(model.n_rows()).0,
        model.params().sizes(model.n_rows()).1,
    );
    let codes = model.training_codes().unwrap_or(&[]);
    let points = (0..model.n_rows()).map(|row| {
        let (x, y) = at(row);
        (x, y, codes.get(row).copied().unwrap_or(0))
    });
    let names = model.classes().unwrap_or_default().iter();
    let mut chart = CoveringChart::new(&title)
        .with_points(points)
        .with_class_names(names.map(|name| format!("class {name}")));
    let centres = model.centres().iter().zip(model.radii());
    for ((&row, radii), local) in centres.zip(model.local_models()) {
        let disc = Disc {
            at: at(row as usize),
            core: radii.core,
            neighbourhood: radii.neighbourhood,
        };
        chart = match local {
            LocalModel::Machines(machines) if machines.machines.len() == 1 => {
                chart.with_machine(disc, NODES, decisions(model, machines, &disc)?)
            }
            _ => chart.with_disc(disc),
        };
    }
    Ok(chart.to_svg())
}

/// Decision values of the only machine of a neighbourhood, on a grid around its centre.
fn decisions(model: &FalkSvm, machines: &LocalMachines, disc: &Disc) -> hedgerow::Result<Vec<f64>> {
    let offset = |i: usize| disc.neighbourhood * (2.0 * i as f64 / (NODES - 1) as f64 - 1.0);
    let nodes: Vec<f64> = (0..NODES * NODES)
        .flat_map(|at| {
            [
                disc.at.0 + offset(at % NODES),
                disc.at.1 + offset(at / NODES),
            ]
        })
        .collect();
    let gram = Gram::in_double(&machines.kernel, model.samples(), machines.support.clone())?;
    let values = gram.values(SamplesView::dense(2, &nodes)?)?;
    let machine = &machines.machines[0];
    // With one machine every support vector counts.
    Ok(values
        .chunks(machines.support.len().max(1))
        .map(|values| {
            let terms = values.iter().zip(&machine.coefficients);
            terms.map(|(value, beta)| value * beta).sum::<f64>() - machine.rho
        })
        .collect())
}
