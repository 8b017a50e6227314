//! `select`: a ranking of features, the reduced data, the error against the number of features.

use super::tune::write_text;
use super::{check_precomputed, status_name};
use crate::args::{SelectArgs, augment, rewrite, trainer as trainer_from};
use crate::failure::Failure;
use crate::input::{self, Input};
use crate::session::Session;
use crate::table;
use clap::{Command, ValueEnum};
use hedgerow::data::{Dataset, Scaling, Split, folds_for};
use hedgerow::evaluate::{SelectionCurve, selection_curve};
use hedgerow::method::Task;
use hedgerow::select::{KernelWeights, Selection, Selector};
use hedgerow::{Predictor, Status};
use hedgerow_io::{DataFormat, Source, TargetKind, write_dataset};
use hedgerow_methods::{Method, Trained, Trainer};
use hedgerow_report::{BarChart, LineChart, Series};
use serde_json::{Map, Value, json};
use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::Path;
use std::time::Instant;

/// Rows of the ranking that are shown to people.
const SHOWN: usize = 10;
/// Features that are drawn.
const MOST_BARS: usize = 40;

/// Takes the files to be written.
fn claim_outputs(session: &Session, args: &SelectArgs) -> Result<(), Failure> {
    session.claim_output("OUT", &args.out)?;
    for (what, path) in [
        ("--reduced", &args.reduced),
        ("--svg", &args.curve.svg),
        ("--trace", &args.trace),
        ("--bars", &args.bars),
    ] {
        if let Some(path) = path {
            session.claim_output(what, path)?;
        }
    }
    Ok(())
}

/// The data, with codes by targets where they were asked for.
fn read(session: &Session, args: &SelectArgs) -> Result<Input, Failure> {
    if args.data.unlabelled() {
        return Err(Failure::usage(
            "--label none: features are selected by labels",
        ));
    }
    if args.curve.wanted {
        args.columns.refuse_target_coded(
            "the curve would be judged by rows whose targets the codes know; leave --curve out",
        )?;
    }
    let options = input::options(&args.data)
        .with_target(TargetKind::Classes)
        .with_columns(args.columns.rules());
    let mut input = input::read(session, &Source::from_argument(&args.train), &options)?;
    check_precomputed(&input.name, input.loaded.precomputed, false, Scaling::None)?;
    let encoding = input.loaded.encoding.as_ref();
    if let Some(coding) = args.columns.coding(encoding, session.seed)? {
        let coded = coding.fit_apply(&input.loaded.dataset);
        input.loaded.dataset = coded.map_err(Failure::data(&input.name))?.1;
    }
    Ok(input)
}

/// Writes the ranking and what else was asked for.
fn write(args: &SelectArgs, input: &Input, selection: &Selection) -> Result<(), Failure> {
    let data = &input.loaded.dataset;
    write_text(&args.out, &ranking_text(data, selection))?;
    if let (Some(path), Some(weights)) = (&args.trace, &selection.kernel_weights) {
        write_text(path, &trace_text(data, weights)?)?;
    }
    if let Some(path) = &args.bars {
        write_text(path, &bars(args, input, selection))?;
    }
    if let Some(path) = &args.reduced {
        let mut kept = selection.ranking.features.clone();
        kept.sort_unstable();
        let reduced = data
            .select_features(&kept)
            .map_err(Failure::data(&input.name))?;
        let path = Path::new(path);
        let format = DataFormat::of_path(path).unwrap_or(input.loaded.format);
        write_dataset(&reduced, path, format)?;
    }
    Ok(())
}

pub(crate) fn run(session: &Session, args: &SelectArgs) -> Result<(), Failure> {
    claim_outputs(session, args)?;
    let selector = args
        .selection
        .labelled_selector(session.seed, args.trace.is_some())?;
    if args.trace.is_some() && !matches!(selector, Selector::KernelWeights(_)) {
        return Err(Failure::usage(format!(
            "--trace: {} has no rounds of a weighting; full-fs, ao, ao-i, ao-ii and gmkl have",
            method_name(args)
        )));
    }
    let classifier = args
        .curve
        .wanted
        .then(|| classifier(args, session.seed))
        .transpose()?;
    let input = read(session, args)?;
    let data = &input.loaded.dataset;
    let top = args.top.map(|top| top as usize);
    session.progress("ranking the features");
    let start = Instant::now();
    let mut selection = selector
        .rank(data, top)
        .map_err(Failure::data(&input.name))?;
    let seconds = start.elapsed().as_secs_f64();
    session.progress_done();
    if let Some(top) = top {
        selection.ranking.features.truncate(top);
        selection.ranking.scores.truncate(top);
    }
    write(args, &input, &selection)?;
    tell(session, args, &input, &selection, seconds)?;
    let mut fields = fields(args, &input, &selection, seconds);
    if let Some((method, trainer)) = classifier {
        let curve = curve(session, args, &input, &selector, trainer.as_ref())?;
        session.say(curve_text(args, method, &curve))?;
        if let Some(path) = &args.curve.svg {
            write_text(path, &chart(args, method, &input.name, &curve))?;
        }
        fields.insert("curve".to_owned(), curve_value(&curve));
    }
    session.result(&Value::Object(fields))
}

fn method_name(args: &SelectArgs) -> String {
    args.selection
        .method
        .to_possible_value()
        .map_or_else(String::new, |value| value.get_name().to_owned())
}

fn feature_name(data: &Dataset, f: usize) -> String {
    match data.feature_names() {
        Some(names) => names[f].clone(),
        None => (f + 1).to_string(),
    }
}

/// A cell of a CSV file.
fn cell(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

fn ranking_text(data: &Dataset, selection: &Selection) -> String {
    let mut text = String::from("rank,index,name,weight\n");
    let ranked = selection
        .ranking
        .features
        .iter()
        .zip(&selection.ranking.scores);
    for (at, (&f, score)) in ranked.enumerate() {
        let name = cell(&feature_name(data, f));
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{},{},{name},{score}", at + 1, f + 1);
    }
    text
}

fn tell(
    session: &Session,
    args: &SelectArgs,
    input: &Input,
    selection: &Selection,
    seconds: f64,
) -> Result<(), Failure> {
    let data = &input.loaded.dataset;
    session.say(format_args!(
        "{}: {} rows, {} features; {} ranked {} of them in {}",
        input.name,
        data.n_rows(),
        data.n_features(),
        method_name(args),
        selection.ranking.len(),
        table::seconds(seconds)
    ))?;
    for (name, value) in &selection.facts {
        session.say(format_args!(
            "  {} {}",
            name.replace('_', " "),
            table::number(*value)
        ))?;
    }
    let head = ["rank", "index", "name", "weight"].map(str::to_owned);
    let rows: Vec<Vec<String>> = selection
        .ranking
        .features
        .iter()
        .zip(&selection.ranking.scores)
        .take(SHOWN)
        .enumerate()
        .map(|(at, (&f, &score))| {
            vec![
                (at + 1).to_string(),
                (f + 1).to_string(),
                feature_name(data, f),
                table::number(score),
            ]
        })
        .collect();
    session.say(table::render(&head, &rows))?;
    if selection.status != Status::Converged {
        session.warn(format_args!(
            "the solver stopped early ({}): the ranking is rough",
            status_name(selection.status)
        ));
    }
    Ok(())
}

fn fields(
    args: &SelectArgs,
    input: &Input,
    selection: &Selection,
    seconds: f64,
) -> Map<String, Value> {
    let data = &input.loaded.dataset;
    let ranked = selection
        .ranking
        .features
        .iter()
        .zip(&selection.ranking.scores);
    let ranking: Vec<Value> = ranked
        .map(|(&f, score)| json!({"index": f + 1, "name": feature_name(data, f), "weight": score}))
        .collect();
    let facts: Map<String, Value> = selection
        .facts
        .iter()
        .map(|(name, value)| ((*name).to_owned(), json!(value)))
        .collect();
    let value = json!({
        "method": method_name(args),
        "data": input.name,
        "out": args.out,
        "reduced": args.reduced,
        "rows": data.n_rows(),
        "features": data.n_features(),
        "status": status_name(selection.status),
        "facts": facts,
        "ranking": ranking,
        "read_seconds": input.read_seconds,
        "seconds": seconds,
    });
    match value {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}

/// Round after round of a weighting.
fn trace_text(data: &Dataset, weights: &KernelWeights) -> Result<String, Failure> {
    let names = data.classes().map_err(Failure::Option)?.names().to_vec();
    let mut text = String::from("class,round,objective,features,margin,least_eigenvalue,label\n");
    for class in &weights.classes {
        let name = cell(&names[class.class as usize].to_string());
        for (round, step) in class.trace.iter().enumerate() {
            let (least, label) = step.saddle.map_or_else(Default::default, |saddle| {
                (saddle.least.to_string(), saddle.label().to_string())
            });
            // Writing to a string cannot fail.
            let _ = writeln!(
                text,
                "{name},{},{},{},{},{least},{label}",
                round + 1,
                step.objective,
                step.support,
                step.margin
            );
        }
    }
    Ok(text)
}

/// The best features as bars.
fn bars(args: &SelectArgs, input: &Input, selection: &Selection) -> String {
    let data = &input.loaded.dataset;
    let ranking = &selection.ranking;
    let best = ranking.features.iter().zip(&ranking.scores).take(MOST_BARS);
    let (names, values): (Vec<String>, Vec<f64>) = best
        .map(|(&f, &score)| (feature_name(data, f), score))
        .unzip();
    BarChart::new(&format!("{}: weights by {}", input.name, method_name(args)))
        .with_x_label("weight")
        .with_categories(names)
        .with_series(&method_name(args), values)
        .to_svg()
}

/// The method of `--classifier` with its options.
fn classifier(
    args: &SelectArgs,
    seed: u64,
) -> Result<(&'static Method, Box<dyn Trainer>), Failure> {
    if args.curve.folds < 2 || args.curve.repeats < 1 {
        return Err(Failure::usage(
            "the curve needs at least 2 folds and 1 repetition",
        ));
    }
    if args.curve.sizes.contains(&0) {
        return Err(Failure::usage(
            "--sizes: a number of features is at least 1",
        ));
    }
    let words: Vec<&str> = args.curve.classifier.split_whitespace().collect();
    let name = words.first().copied().unwrap_or_default();
    let method = hedgerow_methods::by_name(name)
        .filter(|method| method.card.task == Task::Classes)
        .ok_or_else(|| {
            let known: Vec<&str> = hedgerow_methods::all()
                .iter()
                .filter(|method| method.card.task == Task::Classes)
                .map(|method| method.card.name)
                .collect();
            Failure::usage(format!(
                "--classifier {name:?}: the classifiers are {}",
                known.join(", ")
            ))
        })?;
    // `rewrite` expects the words of a whole command line.
    let line: Vec<OsString> = ["hedgerow", "train"]
        .iter()
        .chain(&words)
        .map(OsString::from)
        .collect();
    let line = rewrite(line).into_iter().skip(2);
    let command = Command::new(method.card.name).disable_help_flag(true);
    let matches = augment(command, method).try_get_matches_from(line)?;
    Ok((method, trainer_from(method, &matches, seed)?))
}

/// 1, 2, 5, 10, … up to the limit, which is always among them.
fn default_sizes(limit: usize) -> Vec<usize> {
    let mut sizes = Vec::new();
    let mut power = 1;
    while power < limit {
        sizes.extend(
            [power, 2 * power, 5 * power]
                .into_iter()
                .filter(|&size| size < limit),
        );
        power *= 10;
    }
    sizes.push(limit);
    sizes
}

fn curve(
    session: &Session,
    args: &SelectArgs,
    input: &Input,
    selector: &Selector,
    trainer: &dyn Trainer,
) -> Result<SelectionCurve, Failure> {
    let data = &input.loaded.dataset;
    let limit = args
        .top
        .map_or(data.n_features(), |top| data.n_features().min(top as usize));
    let sizes = if args.curve.sizes.is_empty() {
        default_sizes(limit)
    } else {
        args.curve.sizes.clone()
    };
    let mut splits: Vec<Split> = Vec::new();
    for repeat in 0..args.curve.repeats {
        let seed = session.seed.wrapping_add(repeat as u64);
        splits.extend(folds_for(data, args.curve.folds, seed).map_err(Failure::data(&input.name))?);
    }
    let mut trainer = trainer.duplicate();
    trainer.share_memory(splits.len().min(session.threads))?;
    session.progress("cross-validating");
    let best = |train: &_, wanted| selector.best(train, wanted);
    let result = selection_curve(data, &splits, best, &sizes, |train| {
        Ok(Box::new(Fit(trainer.fit(train)?)) as Box<dyn Predictor>)
    })
    .map_err(Failure::data(&input.name));
    session.progress_done();
    result
}

/// A trained model as a plain predictor.
struct Fit(Trained);

impl Predictor for Fit {
    fn n_features(&self) -> usize {
        self.0.model.n_features()
    }

    fn classes(&self) -> Option<&[hedgerow::data::ClassName]> {
        self.0.model.classes()
    }

    fn predict(
        &self,
        samples: hedgerow::data::SamplesView<'_>,
    ) -> hedgerow::Result<hedgerow::Prediction> {
        self.0.model.predict(samples)
    }

    fn scores(
        &self,
        samples: hedgerow::data::SamplesView<'_>,
    ) -> hedgerow::Result<hedgerow::ScoreMatrix> {
        self.0.model.scores(samples)
    }
}

fn curve_text(args: &SelectArgs, method: &Method, curve: &SelectionCurve) -> String {
    let head = ["features", "error %", "± s.e."].map(str::to_owned);
    let rows: Vec<Vec<String>> = curve
        .sizes
        .iter()
        .zip(curve.summaries())
        .map(|(size, (mean, error))| {
            vec![
                size.to_string(),
                format!("{:.2}", 100.0 * mean),
                format!("{:.2}", 100.0 * error),
            ]
        })
        .collect();
    format!(
        "\n{} by {} folds, {} repetition(s), features selected inside each fold\n{}",
        method.card.name,
        args.curve.folds,
        args.curve.repeats,
        table::render(&head, &rows)
    )
}

fn chart(args: &SelectArgs, method: &Method, name: &str, curve: &SelectionCurve) -> String {
    let summaries = curve.summaries();
    let sizes = || curve.sizes.iter().map(|&size| size as f64);
    let points = sizes()
        .zip(&summaries)
        .map(|(size, (mean, _))| (size, 100.0 * mean))
        .collect();
    let band = summaries
        .iter()
        .map(|(mean, error)| (100.0 * (mean - error), 100.0 * (mean + error)))
        .collect();
    let title = format!(
        "{name}: error of {} with features by {}",
        method.card.name,
        method_name(args)
    );
    LineChart::new(&title)
        .with_x_label("features")
        .with_y_label("error, %")
        .with_log_x()
        .with_series(Series::new(&method_name(args), points).with_band(band))
        .to_svg()
}

fn curve_value(curve: &SelectionCurve) -> Value {
    let summaries = curve.summaries();
    let points: Vec<Value> = (0..curve.sizes.len())
        .map(|s| {
            let (mean, error) = summaries[s];
            json!({
                "features": curve.sizes[s],
                "error": mean,
                "standard_error": error,
                "errors": curve.errors[s],
                "chosen": curve.chosen[s],
            })
        })
        .collect();
    Value::Array(points)
}
