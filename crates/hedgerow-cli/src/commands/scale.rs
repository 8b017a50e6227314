//! `scale`: a file with scaled features.

use super::tune::write_text;
use crate::args::ScaleArgs;
use crate::failure::Failure;
use crate::input;
use crate::session::Session;
use hedgerow::data::{Scaler, Scaling, Spread};
use hedgerow_io::{DataFormat, Source, TargetKind, write_dataset};
use serde_json::json;
use std::path::Path;

pub(crate) fn run(session: &Session, args: &ScaleArgs) -> Result<(), Failure> {
    session.claim_output_in_place("OUT", &args.out)?;
    if let Some(path) = &args.save {
        session.claim_output("--save", path)?;
    }
    let scaling = if args.standard {
        Scaling::Standardize
    } else if args.quantile {
        Scaling::Quantile(Spread::Uniform)
    } else {
        Scaling::MinMax {
            low: args.lower,
            high: args.upper,
        }
    };
    scaling.check().map_err(Failure::Option)?;
    args.columns
        .refuse_target_coded("the codes belong to a model: give the option to train")?;
    let saved = match &args.restore {
        None => None,
        Some(file) => {
            session.claim_input(file)?;
            let bytes = Source::from_argument(file).read()?;
            let text = String::from_utf8_lossy(&bytes).into_owned();
            Some((file, text))
        }
    };
    let target = if args.data.unlabelled() {
        TargetKind::None
    } else {
        TargetKind::Auto
    };
    let input = input::read(
        session,
        &Source::from_argument(&args.input),
        &input::options(&args.data)
            .with_target(target)
            .with_columns(args.columns.rules()),
    )?;
    if input.loaded.precomputed {
        return Err(Failure::Model {
            name: input.name,
            problem: "every row starts with 0:serial: kernel values cannot be scaled".to_owned(),
        });
    }
    let data = &input.loaded.dataset;
    let view = data.samples().view();
    let scaler = match &saved {
        None => scaling.fit(view).map_err(Failure::data(&input.name))?,
        Some((file, text)) => {
            Scaler::from_range_file(text, data.n_features()).map_err(|source| Failure::Data {
                name: (*file).clone(),
                source,
            })?
        }
    };
    let scaled = scaler.apply(view).map_err(Failure::data(&input.name))?;
    let scaled = data
        .with_samples(scaled)
        .map_err(Failure::data(&input.name))?;
    let out = Path::new(&args.out);
    let format = DataFormat::of_path(out).unwrap_or(input.loaded.format);
    write_dataset(&scaled, out, format)?;
    if let (Some(path), Some(text)) = (&args.save, scaler.to_range_file()) {
        write_text(path, &text)?;
    }
    session.say(format_args!(
        "{}: {} rows, {} features scaled",
        input.name,
        data.n_rows(),
        data.n_features()
    ))?;
    session.result(&json!({
        "data": input.name,
        "out": args.out,
        "rows": data.n_rows(),
        "features": data.n_features(),
        "read_seconds": input.read_seconds,
    }))
}
