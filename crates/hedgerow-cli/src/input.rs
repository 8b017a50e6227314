//! Reading training and test data.

use crate::advice;
use crate::args::{DataArgs, TrainingArgs};
use crate::failure::Failure;
use crate::session::Session;
use hedgerow::data::{ClassName, Repeats};
use hedgerow::method::Task;
use hedgerow_io::{LoadedData, ReadOptions, Source, TargetKind, Unseen, read_dataset};
use serde_json::{Value, json};
use std::time::Instant;

/// A file in memory with the time it took.
pub(crate) struct Input {
    /// How messages call it.
    pub(crate) name: String,
    /// The data.
    pub(crate) loaded: LoadedData,
    /// Wall-clock seconds of reading.
    pub(crate) read_seconds: f64,
    /// Rows that repeated others, if they were left out.
    pub(crate) repeats: Option<Repeats>,
}

impl Input {
    /// Leaves out rows that repeat others, and says how many there were.
    fn leave_repeats_out(&mut self, session: &Session) -> Result<(), Failure> {
        if self.loaded.precomputed {
            return Err(Failure::usage(
                "--unique: rows of kernel values belong to columns and cannot be left out",
            ));
        }
        let data = &mut self.loaded.dataset;
        let repeats = data.repeats();
        session.say(format_args!(
            "{}: {} of {} rows repeat others and are left out",
            self.name,
            repeats.removed,
            data.n_rows()
        ))?;
        if repeats.contradictions > 0 {
            session.warn(format_args!(
                "{}: {} rows stay that have the features of others but another target, in {} groups",
                self.name, repeats.contradicting_rows, repeats.contradictions
            ));
        }
        if repeats.removed > 0 {
            *data = data.select(&repeats.kept);
        }
        self.repeats = Some(repeats);
        Ok(())
    }

    /// What is told of rows that repeat others.
    pub(crate) fn repeats_json(&self) -> Value {
        let told = |repeats: &Repeats| {
            json!({
                "removed": repeats.removed,
                "contradictions": repeats.contradictions,
                "contradicting_rows": repeats.contradicting_rows,
            })
        };
        self.repeats.as_ref().map_or(Value::Null, told)
    }
}

/// The options of the library for those of the command line.
pub(crate) fn options(args: &DataArgs) -> ReadOptions {
    let options = ReadOptions::default()
        .with_label(args.label_column())
        .with_missing(args.missing());
    let options = match args.decimal.as_deref() {
        Some(sign) => options.with_decimal_comma(sign == ","),
        None => options,
    };
    match args.format {
        Some(format) => options.with_format(format.into()),
        None => options,
    }
}

/// Reads a file.
pub(crate) fn read(
    session: &Session,
    source: &Source,
    options: &ReadOptions,
) -> Result<Input, Failure> {
    if let Source::Path(path) = source {
        session.claim_input(&path.to_string_lossy())?;
    }
    session.progress(format_args!("reading {}", source.name()));
    let start = Instant::now();
    let loaded = read_dataset(source, options)?;
    let read_seconds = start.elapsed().as_secs_f64();
    session.progress_done();
    for warning in &loaded.warnings {
        session.warn(format_args!("{}: {warning}", source.name()));
    }
    Ok(Input {
        name: source.name(),
        loaded,
        read_seconds,
        repeats: None,
    })
}

/// Reads training data with the targets that a task needs, and weights if there are any.
pub(crate) fn read_training(
    session: &Session,
    file: &str,
    args: &TrainingArgs,
    task: Task,
) -> Result<Input, Failure> {
    if task != Task::Unlabelled && args.data.unlabelled() {
        return Err(Failure::usage(
            "--label none: this method learns from labels",
        ));
    }
    let target = match task {
        Task::Classes => TargetKind::Classes,
        Task::Real => TargetKind::Real,
        Task::Unlabelled => TargetKind::None,
    };
    let source = Source::from_argument(file);
    let options = options(&args.data)
        .with_target(target)
        .with_columns(args.columns.rules());
    let mut input = read(session, &source, &options)?;
    if let Some(better) = advice::columns(session, &input, &args.columns)? {
        // Without the columns that can only mislead.
        input = read(session, &source, &options.with_columns(better))?;
    }
    advice::rows(session, &input, task)?;
    if args.unique {
        input.leave_repeats_out(session)?;
    }
    if let Some(order) = &args.levels {
        let names = order.split(',').map(|name| ClassName::parse(name.trim()));
        let names: Option<Vec<ClassName>> = (!order.is_empty()).then(|| names.collect());
        let failed = Failure::data(&input.name);
        let ordered = input.loaded.dataset.with_levels(names.as_deref());
        input.loaded.dataset = ordered.map_err(failed)?;
    }
    if let Some(file) = &args.weights {
        session.claim_input(file)?;
        let weights = read_weights(file)?;
        input.loaded.dataset = input
            .loaded
            .dataset
            .with_weights(weights)
            .map_err(|source| Failure::Data {
                name: file.clone(),
                source,
            })?;
    }
    Ok(input)
}

/// Reads data to be predicted by a model.
pub(crate) fn test_options(
    args: &DataArgs,
    has_classes: bool,
    encoding: Option<&hedgerow_io::Encoding>,
    refuse_unseen: bool,
) -> ReadOptions {
    let target = match (args.unlabelled(), has_classes) {
        (true, _) => TargetKind::None,
        (false, true) => TargetKind::Classes,
        (false, false) => TargetKind::Real,
    };
    let options = options(args)
        .with_target(target)
        .with_unseen(if refuse_unseen {
            Unseen::Error
        } else {
            Unseen::Zeros
        });
    match encoding {
        Some(encoding) => options.with_encoding(encoding.clone()),
        None => options,
    }
}

fn read_weights(file: &str) -> Result<Vec<f64>, Failure> {
    let source = Source::from_argument(file);
    let bytes = source.read()?;
    let text = String::from_utf8_lossy(&bytes);
    text.lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(at, line)| {
            line.trim().parse().map_err(|_| Failure::Weights {
                name: source.name(),
                line: at + 1,
                problem: format!("{:?} is not a number; write one weight a row", line.trim()),
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_read_line_by_line() {
        let folder = std::env::temp_dir().join(format!("hedgerow-weights-{}", std::process::id()));
        std::fs::write(&folder, "1\n 0.5\n\n2e0\n").expect("written");
        let path = folder.to_str().expect("a text").to_owned();
        assert_eq!(read_weights(&path).expect("weights"), [1.0, 0.5, 2.0]);
        std::fs::write(&folder, "1\nx\n").expect("written");
        let message = read_weights(&path).expect_err("refused").to_string();
        assert!(message.ends_with("line 2: \"x\" is not a number; write one weight a row"));
        std::fs::remove_file(folder).expect("removed");
    }
}
