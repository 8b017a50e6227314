//! `inspect`: what is in a file?

use super::{bounds, draw, kept, metric, report_fields, status_name};
use crate::args::InspectArgs;
use crate::failure::Failure;
use crate::input::{self, Input};
use crate::json::{json as as_json, of_text};
use crate::session::Session;
use crate::table;
use hedgerow::data::{Dataset, Preprocessing, SamplesView, Scaler, Target};
use hedgerow_io::{
    CellProblem, ColumnKind, DataFormat, Encoding, IoError, Missing, Source, Storage,
};
use hedgerow_methods::{Origin, Stored, Unbuilt, is_hedgerow_model, is_libsvm_model};
use serde_json::{Map, Value, json};
use std::io::Read;

/// Features whose ranges are shown to people; machines get up to `MOST_RANGES`.
const SHOWN_RANGES: usize = 10;
const MOST_RANGES: usize = 1000;

pub(crate) fn run(session: &Session, args: &InspectArgs) -> Result<(), Failure> {
    let source = Source::from_argument(&args.file);
    session.claim_input(&args.file)?;
    if let Some(path) = &args.svg {
        session.claim_output("--svg", path)?;
    }
    match peek(&source)? {
        Content::Data(source) => {
            draw::refuse_for_data(args)?;
            inspect_data(session, args, &source)
        }
        Content::Model(bytes) => {
            let stored = Unbuilt::from_bytes(&source.name(), bytes)?.build(0)?;
            draw::draw(args, &stored)?;
            inspect_model(session, &source.name(), &stored, args)
        }
    }
}

enum Content {
    Model(Vec<u8>),
    Data(Source),
}

/// Tells models from data by their first bytes. Plain files of data are not read twice: files can
/// be large.
fn peek(source: &Source) -> Result<Content, Failure> {
    const COMPRESSED: [&[u8]; 2] = [&[0x1f, 0x8b], &[0x28, 0xb5, 0x2f, 0xfd]];
    let is_model = |bytes: &[u8]| is_hedgerow_model(bytes) || is_libsvm_model(bytes);
    if let Source::Path(path) = source {
        let mut head = Vec::new();
        let failed = |error| IoError::Read {
            name: source.name(),
            source: error,
        };
        std::fs::File::open(path)
            .and_then(|file| file.take(64).read_to_end(&mut head))
            .map_err(failed)?;
        if !is_model(&head) && !COMPRESSED.iter().any(|magic| head.starts_with(magic)) {
            return Ok(Content::Data(source.clone()));
        }
    }
    let bytes = source.read()?;
    if is_model(&bytes) {
        return Ok(Content::Model(bytes));
    }
    // Decompressed already, and the name still tells the format.
    let name = source.name();
    let name = name
        .strip_suffix(".gz")
        .or_else(|| name.strip_suffix(".zst"))
        .unwrap_or(&name)
        .to_owned();
    Ok(Content::Data(Source::Bytes { name, bytes }))
}

fn inspect_data(session: &Session, args: &InspectArgs, source: &Source) -> Result<(), Failure> {
    // Sparse, so that entries are counted as they stand in the file.
    let options = input::options(&args.data)
        .with_columns(args.columns.rules())
        .with_storage(Storage::Sparse)
        .with_missing(Missing::Error);
    let (input, gap) = match input::read(session, source, &options) {
        Err(Failure::Io(error @ IoError::Cell { .. })) => match gap(&error) {
            Some(place) => {
                let filled = options.with_missing(Missing::MeanMode);
                (input::read(session, source, &filled)?, Some(place))
            }
            None => return Err(error.into()),
        },
        other => (other?, None),
    };
    let facts = DataFacts::of(&input);
    session.answer(facts.text(&input, gap.as_deref()))?;
    session.result(&facts.json(&input, gap.as_deref()))
}

/// Where the first missing value is, if that is what is wrong.
fn gap(error: &IoError) -> Option<String> {
    match error {
        IoError::Cell {
            line,
            column,
            problem: CellProblem::Missing,
            ..
        } => Some(format!("line {line}, column {column:?}")),
        _ => None,
    }
}

struct DataFacts {
    entries: usize,
    density: f64,
    /// Smallest and largest value of each feature.
    ranges: Vec<(f64, f64)>,
    constant: usize,
}

impl DataFacts {
    fn of(input: &Input) -> Self {
        let view = input.loaded.dataset.samples().view();
        let cells = view.n_rows() as f64 * view.n_features() as f64;
        let ranges = ranges(view);
        Self {
            entries: view.n_entries(),
            density: if cells > 0.0 {
                view.n_entries() as f64 / cells
            } else {
                0.0
            },
            constant: ranges.iter().filter(|(low, high)| low == high).count(),
            ranges,
        }
    }

    fn extremes(&self) -> (f64, f64) {
        let low = self
            .ranges
            .iter()
            .map(|r| r.0)
            .fold(f64::INFINITY, f64::min);
        let high = self
            .ranges
            .iter()
            .map(|r| r.1)
            .fold(f64::NEG_INFINITY, f64::max);
        (low, high)
    }

    fn text(&self, input: &Input, gap: Option<&str>) -> String {
        let data = &input.loaded.dataset;
        let mut pairs: Vec<(String, String)> = Vec::new();
        let mut add = |name: &str, value: String| pairs.push((name.to_owned(), value));
        add("data", input.name.clone());
        add("format", format_name(input).to_owned());
        add("rows", data.n_rows().to_string());
        add("features", data.n_features().to_string());
        add(
            "entries",
            format!(
                "{} ({:.2} % of the cells)",
                self.entries,
                100.0 * self.density
            ),
        );
        let (low, high) = self.extremes();
        if low <= high {
            let range = format!("{} to {}", table::exact(low), table::exact(high));
            add("values", range);
        }
        add("constant features", self.constant.to_string());
        add(
            "missing values",
            gap.map_or("none".to_owned(), |place| {
                format!("yes, the first at {place}; filled unless --missing error")
            }),
        );
        add("target", target_text(data));
        add("read in", table::seconds(input.read_seconds));
        let mut text = table::pairs(&pairs);
        let rows: Vec<Vec<String>> = self
            .ranges
            .iter()
            .enumerate()
            .take(SHOWN_RANGES)
            .map(|(f, (low, high))| {
                vec![
                    feature_name(data, f),
                    table::exact(*low),
                    table::exact(*high),
                ]
            })
            .collect();
        let head = ["feature", "smallest", "largest"].map(ToOwned::to_owned);
        text.push_str("\n\n");
        text.push_str(&table::render(&head, &rows));
        if self.ranges.len() > SHOWN_RANGES {
            let more = self.ranges.len() - SHOWN_RANGES;
            text = format!("{text}\n… {more} more");
        }
        text
    }

    fn json(&self, input: &Input, gap: Option<&str>) -> Value {
        let data = &input.loaded.dataset;
        let (low, high) = self.extremes();
        let ranges: Vec<Value> = self
            .ranges
            .iter()
            .enumerate()
            .take(MOST_RANGES)
            .map(|(f, (low, high))| json!([feature_name(data, f), low, high]))
            .collect();
        json!({
            "kind": "data",
            "data": input.name,
            "format": format_name(input),
            "rows": data.n_rows(),
            "features": data.n_features(),
            "entries": self.entries,
            "density": self.density,
            "minimum": low,
            "maximum": high,
            "constant_features": self.constant,
            "first_missing": gap,
            "precomputed": input.loaded.precomputed,
            "classes": class_counts(data),
            "ranges": ranges,
            "read_seconds": input.read_seconds,
        })
    }
}

fn format_name(input: &Input) -> &'static str {
    match input.loaded.format {
        DataFormat::LibSvm if input.loaded.precomputed => "LIBSVM text, precomputed kernel",
        DataFormat::LibSvm => "LIBSVM text",
        DataFormat::Csv => "CSV",
        DataFormat::Tsv => "TSV",
        _ => "unknown",
    }
}

fn feature_name(data: &Dataset, f: usize) -> String {
    data.feature_names()
        .map_or_else(|| (f + 1).to_string(), |names| names[f].clone())
}

fn class_counts(data: &Dataset) -> Option<Value> {
    let (Target::Classes(labels) | Target::Ordinal(labels)) = data.target() else {
        return None;
    };
    let counts: Map<String, Value> = labels
        .names()
        .iter()
        .zip(labels.counts())
        .map(|(name, count)| (name.to_string(), json!(count)))
        .collect();
    Some(Value::Object(counts))
}

fn target_text(data: &Dataset) -> String {
    match data.target() {
        Target::Classes(labels) | Target::Ordinal(labels) => {
            let counts: Vec<String> = labels
                .names()
                .iter()
                .zip(labels.counts())
                .take(20)
                .map(|(name, count)| format!("{name} ({count})"))
                .collect();
            let more = if labels.n_classes() > 20 { ", …" } else { "" };
            format!(
                "{} classes: {}{more}",
                labels.n_classes(),
                counts.join(", ")
            )
        }
        Target::Real(values) => {
            let low = values.iter().copied().fold(f64::INFINITY, f64::min);
            let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            format!("real, {} to {}", table::exact(low), table::exact(high))
        }
        _ => "none".to_owned(),
    }
}

/// Smallest and largest value of each feature, zeros of sparse rows included.
fn ranges(view: SamplesView<'_>) -> Vec<(f64, f64)> {
    let mut counts = vec![0usize; view.n_features()];
    let mut ranges = vec![(f64::INFINITY, f64::NEG_INFINITY); view.n_features()];
    for i in 0..view.n_rows() {
        view.row(i).for_each(|f, value| {
            counts[f] += 1;
            ranges[f].0 = ranges[f].0.min(value);
            ranges[f].1 = ranges[f].1.max(value);
        });
    }
    for (range, count) in ranges.iter_mut().zip(counts) {
        if count < view.n_rows() {
            *range = (range.0.min(0.0), range.1.max(0.0));
        }
    }
    ranges
}

/// What is known of a model, for people and for machines.
#[derive(Default)]
struct ModelFacts {
    shown: Vec<(String, String)>,
    object: Map<String, Value>,
}

impl ModelFacts {
    fn add(&mut self, key: &str, value: Value) {
        let shown = match &value {
            Value::String(text) => text.clone(),
            Value::Object(fields) => fields
                .iter()
                .map(|(key, value)| format!("{key}: {value}"))
                .collect::<Vec<_>>()
                .join(", "),
            other => other.to_string(),
        };
        self.shown.push((key.replace('_', " "), shown));
        self.object.insert(key.to_owned(), value);
    }

    /// Where the file comes from.
    fn add_origin(&mut self, origin: &Origin) {
        match origin {
            Origin::Hedgerow(header) => {
                let format = format!("Hedgerow {}", header.format_version);
                let writer = format!("hedgerow {}", header.writer_version);
                self.add("format", json!(format));
                self.add("written_by", json!(writer));
            }
            Origin::LibSvm(_) => self.add("format", json!("LIBSVM model text")),
            Origin::Fitted(_) => {}
        }
    }

    /// Which columns of the table are not read as numbers.
    fn add_columns(&mut self, encoding: &Encoding) {
        let mut columns = Vec::new();
        for column in &encoding.columns {
            let kind = &column.kind;
            if matches!(kind, ColumnKind::Numeric { .. }) {
                continue;
            }
            let text = match kind.categories() {
                Some(categories) => format!(
                    "{} ({}, {} categories)",
                    column.name,
                    kind.name(),
                    categories.len()
                ),
                None => format!("{} ({})", column.name, kind.name()),
            };
            columns.push(text);
        }
        if !columns.is_empty() {
            self.add("columns", json!(columns.join(", ")));
        }
    }

    /// What is done to rows before the model sees them.
    fn add_preprocessing(&mut self, preprocessing: &Preprocessing) {
        if let Some(chosen) = preprocessing.chosen() {
            self.add("input_features", json!(preprocessing.n_inputs()));
            let shown: Vec<String> = chosen
                .iter()
                .take(50)
                .map(|f| (f + 1).to_string())
                .collect();
            let more = if chosen.len() > 50 { ", …" } else { "" };
            let shown = format!("{}{more}", shown.join(", "));
            self.add("chosen_features", json!(shown));
        }
        let scaled = preprocessing.scaler().map_or("none", Scaler::name);
        if let Some(coding) = preprocessing.coding() {
            self.add("target_means", json!(coding.overall()));
            self.add("target_smoothing", json!(coding.smoothing()));
        }
        self.add("scaling", json!(scaled));
    }

    fn text(&self, stored: &Stored) -> String {
        let mut text = table::pairs(&self.shown);
        if let Some(kept) = kept::text(stored) {
            text = format!("{text}\n\n{kept}");
        }
        if !stored.frame.parameters.is_empty() {
            text.push_str("\n\nparameters\n");
            let parameters = stored.frame.parameters.iter();
            let shown: Vec<(String, String)> = parameters
                .map(|(name, value)| (format!("  {name}"), value.clone()))
                .collect();
            text.push_str(&table::pairs(&shown));
        }
        if let Some(weights) = metric::weights_of(stored) {
            text = format!("{text}\n\n{}", metric::weights_text(&weights));
        }
        if let Some(names) = &stored.frame.feature_names {
            let shown: Vec<&str> = names.iter().take(20).map(String::as_str).collect();
            let more = if names.len() > 20 { ", …" } else { "" };
            text = format!("{text}\n\nfeatures: {}{more}", shown.join(", "));
        }
        text
    }

    fn json(self, stored: &Stored) -> Value {
        let mut object = self.object;
        let frame = &stored.frame;
        let parameters = frame.parameters.iter();
        let parameters: Map<String, Value> = parameters
            .map(|(name, value)| (name.clone(), of_text(value)))
            .collect();
        let report = frame.report.as_ref().map(report_fields);
        object.insert("parameters".to_owned(), Value::Object(parameters));
        object.insert("feature_names".to_owned(), json!(frame.feature_names));
        object.insert("report".to_owned(), json!(report));
        if let Some(kept) = kept::json(stored) {
            object.insert("kept_rows".to_owned(), kept);
        }
        if let Some(weights) = metric::weights_of(stored) {
            let each = weights.into_iter();
            let each = each.map(|(name, weight)| json!({"name": name, "weight": weight}));
            object.insert("column_weights".to_owned(), each.collect());
        }
        Value::Object(object)
    }
}

fn inspect_model(
    session: &Session,
    name: &str,
    stored: &Stored,
    args: &InspectArgs,
) -> Result<(), Failure> {
    let mut facts = ModelFacts::default();
    facts.add("kind", json!("model"));
    facts.add("model", json!(name));
    facts.add_origin(&stored.origin);
    facts.add("method", json!(stored.method()));
    facts.add("features", json!(stored.model.n_features()));
    if let Some(classes) = stored.model.classes() {
        let names: Vec<String> = classes.iter().map(ToString::to_string).collect();
        facts.add("classes", json!(names.join(", ")));
    }
    for (key, value) in stored.model.facts() {
        facts.add(key, as_json(&value));
    }
    for (key, value) in bounds::facts(session, args, stored)? {
        facts.add(key, as_json(&value));
    }
    if let Some(encoding) = &stored.frame.encoding {
        facts.add_columns(encoding);
    }
    facts.add_preprocessing(&stored.frame.preprocessing);
    if let Some(calibration) = &stored.frame.calibration {
        let knots = calibration.map().values().len();
        facts.add("calibration", json!(format!("isotonic, {knots} knots")));
    }
    if let Some(sizes) = stored.frame.class_sizes.as_ref() {
        facts.add("rows_of_the_classes", json!(sizes));
    }
    if let Some(priors) = &stored.frame.priors {
        facts.add("class_sizes", json!(priors.original));
        facts.add("class_sizes_of_the_training", json!(priors.resampled));
    }
    if let Some(report) = &stored.frame.report {
        facts.add("status", json!(status_name(report.status)));
        facts.add("iterations", json!(report.iterations));
        facts.add("objective", json!(report.objective));
        facts.add("bounded", json!(report.bounded));
    }
    session.answer(facts.text(stored))?;
    session.result(&facts.json(stored))
}
