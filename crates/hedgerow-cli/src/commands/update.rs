//! `update`: rows that come and go after training.

use crate::args::UpdateArgs;
use crate::failure::Failure;
use crate::input;
use crate::json::{fields, json as as_json};
use crate::session::Session;
use crate::table;
use hedgerow::Error;
use hedgerow::capability::ROW_TO_REMOVE;
use hedgerow::data::Dataset;

use hedgerow::params::Value;
use hedgerow_io::Source;
use hedgerow_methods::{Origin, Stored};
use std::path::Path;

pub(crate) fn run(session: &Session, args: &UpdateArgs) -> Result<(), Failure> {
    let out = args.out.as_deref().unwrap_or(&args.model);
    if args.out.is_some() {
        session.claim_output("OUT", out)?;
    }
    if args.add.is_none() && args.remove.is_none() {
        return Err(Failure::usage(
            "nothing to do: name a file of new rows (--add) or of row numbers (--remove)",
        ));
    }
    let removed = match &args.remove {
        Some(file) => {
            session.claim_input(file)?;
            read_row_numbers(file)?
        }
        None => Vec::new(),
    };
    let mut stored = Stored::read(&Source::from_argument(&args.model))?.build(0)?;
    let method = stored.method().to_owned();
    let Origin::Hedgerow(_) = &stored.origin else {
        return Err(cannot(&method));
    };
    // New rows come as they are: how often classes occur would no longer be what the file says.
    if stored.frame.priors.is_some() {
        return Err(Failure::usage(
            "the model was trained on resampled rows and cannot be updated: train it anew",
        ));
    }
    if stored.frame.calibration.is_some() {
        return Err(Failure::usage(
            "the probabilities of the model are an isotonic map fitted to its training rows, and it cannot be updated: train it anew",
        ));
    }
    let added = match &args.add {
        Some(file) => Some(read_new_rows(session, args, file, &stored)?),
        None => None,
    };
    let settings: Vec<(String, Value)> = args
        .refresh
        .map(|share| ("refresh".to_owned(), Value::Number(share)))
        .into_iter()
        .collect();
    session.progress("updating");
    let data = added.as_ref().map(|(_, data)| data);
    let Some(model) = stored.model.as_update() else {
        return Err(cannot(&method));
    };
    let facts = model
        .update(data, &removed, &settings)
        .map_err(|source| refusal(source, args, added.as_ref().map(|(name, _)| name.as_str())))?;
    session.progress_done();
    stored.write(Path::new(out))?;
    let fact = |name: &str| {
        let found = facts.iter().find(|(key, _)| *key == name);
        found.map_or(Value::Nothing, |(_, value)| value.clone())
    };
    let seconds = fact("seconds").as_number().unwrap_or(0.0);
    // What else a method tells, by its own names.
    let said = ["added", "removed", "seconds"];
    let more: Vec<String> = facts
        .iter()
        .filter(|(name, _)| !said.contains(name))
        .map(|(name, value)| format!("{} {value}", name.replace('_', " ")))
        .collect();
    session.say(format_args!(
        "{out}: {} rows added, {} removed; {}; {}",
        fact("added"),
        fact("removed"),
        more.join(", "),
        table::seconds(seconds)
    ))?;
    for caution in stored.model.cautions() {
        session.warn(caution);
    }
    let mut result = fields(&facts);
    result.insert("method".to_owned(), as_json(&method.into()));
    result.insert("model".to_owned(), as_json(&out.into()));
    session.result(&serde_json::Value::Object(result))
}

/// Rows to add, prepared as those of the training were, and the name of their file.
fn read_new_rows(
    session: &Session,
    args: &UpdateArgs,
    file: &str,
    stored: &Stored,
) -> Result<(String, Dataset), Failure> {
    let has_classes = stored.model.classes().is_some();
    let encoding = stored.frame.encoding.as_ref();
    let options = input::test_options(&args.data, has_classes, encoding, false);
    let input = input::read(session, &Source::from_argument(file), &options)?;
    let mut data = input.loaded.dataset;
    let prepared = stored.frame.preprocessing.apply(data.samples().view());
    if let Some(samples) = prepared.map_err(Failure::data(&input.name))? {
        data = data
            .with_samples(samples)
            .map_err(Failure::data(&input.name))?;
    }
    Ok((input.name, data))
}

/// What the model refused, in terms of the file that it came from.
fn refusal(source: Error, args: &UpdateArgs, added: Option<&str>) -> Failure {
    match (source, &args.remove, added) {
        // Files count rows from 1.
        (Error::Parameter { name, value, .. }, Some(file), _) if name == ROW_TO_REMOVE => {
            Failure::usage(format!(
                "{}: row {} is not one that the model still has, or is named twice",
                Source::from_argument(file).name(),
                value + 1.0
            ))
        }
        (source, _, Some(name)) => Failure::data(name)(source),
        (source, _, None) => Failure::Option(source),
    }
}

fn cannot(method: &str) -> Failure {
    Failure::usage(format!(
        "a model of {method} cannot be updated: train it anew (falk-svm, falk-svr and cregec can)"
    ))
}

/// Row numbers from 1, one a line, as numbers from 0.
fn read_row_numbers(file: &str) -> Result<Vec<u32>, Failure> {
    let source = Source::from_argument(file);
    let bytes = source.read()?;
    let text = String::from_utf8_lossy(&bytes);
    let lines = text.lines().enumerate();
    lines
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(at, line)| match line.trim().parse::<u32>() {
            Ok(number @ 1..) => Ok(number - 1),
            _ => Err(Failure::usage(format!(
                "{}, line {}: {:?} is not the number of a row (1 is the first)",
                source.name(),
                at + 1,
                line.trim()
            ))),
        })
        .collect()
}
