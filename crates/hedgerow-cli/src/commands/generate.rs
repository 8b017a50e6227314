//! `generate`: artificial data.

use crate::args::GenerateArgs;
use crate::failure::Failure;
use crate::session::Session;
use crate::table;
use hedgerow::data::generate::{CATALOGUE, by_name};
use hedgerow_io::{DataFormat, write_dataset};
use serde_json::{Value, json};
use std::path::Path;

pub(crate) fn run(session: &Session, args: &GenerateArgs) -> Result<(), Failure> {
    if args.list {
        return list(session);
    }
    let (Some(name), Some(out)) = (&args.name, &args.out) else {
        return Err(Failure::usage("a generator and an output are needed"));
    };
    session.claim_output("OUT", out)?;
    // Whatever a generator refuses was said on the command line.
    let data = by_name(name, args.rows, session.seed, &args.set).map_err(Failure::Option)?;
    let path = Path::new(out);
    let format = args
        .format
        .map(DataFormat::from)
        .or_else(|| DataFormat::of_path(path))
        .unwrap_or(DataFormat::LibSvm);
    write_dataset(&data, path, format)?;
    session.say(format_args!(
        "{out}: {} rows, {} features of {name}",
        data.n_rows(),
        data.n_features()
    ))?;
    session.result(&json!({
        "name": name,
        "out": out,
        "rows": data.n_rows(),
        "features": data.n_features(),
        "seed": session.seed,
    }))
}

fn list(session: &Session) -> Result<(), Failure> {
    let mut lines = Vec::new();
    let mut objects = Vec::new();
    for entry in CATALOGUE {
        lines.push(format!(
            "{} ({} rows): {}",
            entry.name, entry.rows, entry.description
        ));
        let mut options = serde_json::Map::new();
        for option in entry.all_options() {
            lines.push(format!(
                "    --set {}={}  {}",
                option.name,
                table::exact(option.default),
                option.description
            ));
            options.insert(
                option.name.to_owned(),
                json!({"default": option.default, "description": option.description}),
            );
        }
        objects.push(json!({
            "name": entry.name,
            "description": entry.description,
            "rows": entry.rows,
            "options": Value::Object(options),
        }));
    }
    session.answer(lines.join("\n"))?;
    session.result(&json!({ "generators": objects }))
}
