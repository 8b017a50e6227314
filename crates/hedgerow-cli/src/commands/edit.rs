//! `clean` and `resample`: the lines of a file without those that a method removes, then the rows
//! that it made.

use super::edit_report::{Overlap, Report};
use super::status_name;
use crate::args::{CleanArgs, EditArgs, ResampleArgs, WithEditor, editor_of_text};
use crate::failure::Failure;
use crate::input::{self, Input};
use crate::session::Session;
use crate::table;
use hedgerow::clean::{Edit, Purpose};
use hedgerow::data::{Dataset, Samples, Scaler, Scaling};
use hedgerow_io::{IoError, LineIndex, OutputFile, Source, TargetKind};
use hedgerow_methods::RowEditor;
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;
use std::time::Instant;

/// A file that has been edited.
pub(super) struct Edited<'a> {
    pub(super) editor: &'a dyn RowEditor,
    pub(super) input: Input,
    /// The data as distances see them.
    pub(super) scaled: Option<Dataset>,
    scaler: Option<Scaler>,
    pub(super) edit: Edit,
    seconds: f64,
}

pub(crate) fn clean(session: &Session, call: &WithEditor<CleanArgs>) -> Result<(), Failure> {
    let args = &call.args;
    session.claim_output("OUT", &args.out)?;
    for (what, path) in [("--report", &args.report), ("--page", &args.page)] {
        if let Some(path) = path {
            session.claim_output(what, path)?;
        }
    }
    let others = args
        .overlap
        .iter()
        .map(|text| {
            Ok((
                text.clone(),
                editor_of_text(text, Purpose::Clean, session.seed)?,
            ))
        })
        .collect::<Result<Vec<_>, Failure>>()?;
    let edited = Edited::read(session, &*call.editor, &args.edit, &args.input)?;
    let without_opinion = edited.edit.opinions.is_none();
    if without_opinion && (args.relabel || args.score_only) {
        return Err(Failure::usage(format!(
            "{} has no opinion of single rows: leave --relabel and --score-only out, or clean with enn, knn-svm-nr or falknr",
            call.editor.card().name
        )));
    }
    // Nearest rows are looked for only where somebody will read of them.
    let is_told = args.report.is_some() || args.page.is_some();
    let report = Report::new(&edited, if is_told { args.evidence } else { 0 })?;
    if args.score_only {
        super::tune::write_text(&args.out, &report.scores())?;
    } else if args.relabel {
        write(&args.out, |out| edited.write_relabelled(out))?;
    } else {
        write(&args.out, |out| edited.write_kept(out))?;
    }
    if let Some(path) = &args.report {
        super::tune::write_text(path, &report.csv())?;
    }
    if let Some(path) = &args.page {
        super::tune::write_text(path, &report.page())?;
    }
    let mut fields = edited.tell(session, &args.out)?;
    if !others.is_empty() {
        session.progress("comparing with other methods");
        let overlap = Overlap::new(&edited, &others)?;
        session.progress_done();
        session.say(overlap.table())?;
        fields["overlap"] = overlap.value();
    }
    session.result(&fields)
}

pub(crate) fn resample(session: &Session, call: &WithEditor<ResampleArgs>) -> Result<(), Failure> {
    let args = &call.args;
    session.claim_output("OUT", &args.out)?;
    let edited = Edited::read(session, &*call.editor, &args.edit, &args.input)?;
    edited.check_new_rows()?;
    write(&args.out, |out| edited.write_kept(out))?;
    let fields = edited.tell(session, &args.out)?;
    session.result(&fields)
}

/// Writes a file that appears complete or not at all.
fn write(
    path: &str,
    content: impl FnOnce(&mut OutputFile) -> std::io::Result<()>,
) -> Result<(), Failure> {
    let path = Path::new(path);
    let mut out = OutputFile::create(path)?;
    content(&mut out).map_err(|source| IoError::Write {
        path: path.to_path_buf(),
        source,
    })?;
    Ok(out.finish()?)
}

impl<'a> Edited<'a> {
    fn read(
        session: &Session,
        editor: &'a dyn RowEditor,
        args: &EditArgs,
        file: &str,
    ) -> Result<Self, Failure> {
        if args.data.unlabelled() {
            return Err(Failure::usage("--label none: rows are edited by labels"));
        }
        let options = input::options(&args.data)
            .with_target(TargetKind::Classes)
            .with_columns(args.columns.rules())
            .with_lines();
        let input = input::read(session, &Source::from_argument(file), &options)?;
        super::check_precomputed(&input.name, input.loaded.precomputed, false, Scaling::None)?;
        let failed = Failure::data(&input.name);
        let encoding = input.loaded.encoding.as_ref();
        let coding = args.columns.coding(encoding, session.seed)?;
        let coded = coding.map(|coding| coding.fit_apply(&input.loaded.dataset));
        let coded = coded.transpose().map_err(&failed)?.map(|(_, data)| data);
        let data = coded.as_ref().unwrap_or(&input.loaded.dataset);
        let scaler = match match editor.card().purpose {
            // New rows are written as they are made.
            Purpose::Resample => args.scaling.asked().unwrap_or_default(),
            Purpose::Clean => args.scaling.of(session, &input),
        } {
            Scaling::None => None,
            scaling => Some(scaling.fit(data.samples().view()).map_err(&failed)?),
        };
        let scaled = scaler
            .as_ref()
            .map(|scaler| data.with_samples(scaler.apply(data.samples().view())?))
            .transpose()
            .map_err(&failed)?;
        let scaled = scaled.or_else(|| coded.clone());
        session.progress(format_args!("{}", editor.card().name));
        let start = Instant::now();
        let edit = editor
            .edit(scaled.as_ref().unwrap_or(&input.loaded.dataset))
            .map_err(&failed)?;
        let seconds = start.elapsed().as_secs_f64();
        session.progress_done();
        drop(failed);
        Ok(Self {
            editor,
            input,
            scaled,
            scaler,
            edit,
            seconds,
        })
    }

    pub(super) fn data(&self) -> &Dataset {
        &self.input.loaded.dataset
    }

    /// The data as the editor saw them.
    pub(super) fn seen(&self) -> &Dataset {
        self.scaled.as_ref().unwrap_or(self.data())
    }

    pub(super) fn lines(&self) -> Option<&LineIndex> {
        self.input.loaded.lines.as_ref()
    }

    /// New rows can be written only where a feature is a cell.
    fn check_new_rows(&self) -> Result<(), Failure> {
        let encoding = self.input.loaded.encoding.as_ref();
        let nominal = encoding.is_some_and(|encoding| !encoding.is_plain());
        if self.edit.added.is_some() && nominal {
            return Err(Failure::Model {
                name: self.input.name.clone(),
                problem: format!(
                    "{} makes rows between others, and there is nothing between two categories: leave columns that are not numbers out of the file, or use rus",
                    self.editor.card().name
                ),
            });
        }
        if self.edit.added.is_some() && self.scaler.is_some() {
            return Err(Failure::usage(
                "--scale: new rows would be written scaled beside rows that are not; scale the file first (hedgerow scale)",
            ));
        }
        Ok(())
    }

    fn write_kept(&self, out: &mut OutputFile) -> std::io::Result<()> {
        let Some(lines) = self.lines() else {
            return Ok(());
        };
        lines.write_kept(&self.edit.keep, out)?;
        let Some(added) = &self.edit.added else {
            return Ok(());
        };
        if added.samples.n_rows() > 0 && !lines.ends_with_line_end() {
            out.write_all(b"\n")?;
        }
        let labels = self.label_texts();
        let mut values = vec![0.0; self.data().n_features()];
        for (i, &code) in added.codes.iter().enumerate() {
            Samples::view(&added.samples)
                .row(i)
                .write_dense(&mut values);
            lines.write_new_row(&values, &labels[code as usize], out)?;
        }
        Ok(())
    }

    fn write_relabelled(&self, out: &mut OutputFile) -> std::io::Result<()> {
        let Ok(labels) = self.data().classes() else {
            return Ok(());
        };
        let (Some(lines), Some(codes)) = (self.lines(), self.edit.relabelled(labels)) else {
            return Ok(());
        };
        let texts = self.label_texts();
        let changed: Vec<Option<String>> = codes
            .iter()
            .zip(labels.codes())
            .map(|(new, old)| (new != old).then(|| texts[*new as usize].clone()))
            .collect();
        lines.write_relabelled(&changed, out)
    }

    /// Each class as the file first spells it.
    fn label_texts(&self) -> Vec<String> {
        let Ok(labels) = self.data().classes() else {
            return Vec::new();
        };
        let spelled = |code: usize| {
            let row = labels.codes().iter().position(|&c| c as usize == code)?;
            self.lines()?.label_text(row)
        };
        (0..labels.n_classes())
            .map(|code| spelled(code).unwrap_or_else(|| labels.names()[code].to_string()))
            .collect()
    }

    /// The summary for people; returns that for machines.
    fn tell(&self, session: &Session, out: &str) -> Result<Value, Failure> {
        let data = self.data();
        let labels = data.classes()?;
        let removed = self.edit.keep.iter().filter(|&&kept| !kept).count();
        let added = self.edit.added.as_ref();
        let name = self.editor.card().name;
        let mut classes = Vec::new();
        let mut rows = Vec::new();
        let counts = labels.counts();
        let left = labels.select(&self.edit.kept()).counts();
        for code in 0..labels.n_classes() {
            let made = added.map_or(0, |added| {
                let own = |&&c: &&u32| c as usize == code;
                added.codes.iter().filter(own).count()
            });
            let class = labels.names()[code].to_string();
            classes.push(
                json!({"class": class, "before": counts[code], "kept": left[code], "added": made}),
            );
            rows.push(vec![
                class,
                counts[code].to_string(),
                (left[code] + made).to_string(),
            ]);
        }
        session.say(format_args!(
            "{}: {} rows; {name} removed {removed} ({:.1} %){} in {}",
            self.input.name,
            data.n_rows(),
            100.0 * removed as f64 / data.n_rows() as f64,
            added.map_or_else(String::new, |added| format!(
                " and added {}",
                added.codes.len()
            )),
            table::seconds(self.seconds)
        ))?;
        let head = ["class", "before", "after"].map(str::to_owned);
        session.say(table::render(&head, &rows))?;
        self.warn(session, removed)?;
        let facts: serde_json::Map<String, Value> = self
            .edit
            .facts
            .iter()
            .map(|(name, value)| ((*name).to_owned(), json!(value)))
            .collect();
        let parameters: serde_json::Map<String, Value> = self
            .editor
            .describe()
            .into_iter()
            .map(|(name, value)| (name, json!(value)))
            .collect();
        Ok(json!({
            "method": name,
            "data": self.input.name,
            "out": out,
            "rows": data.n_rows(),
            "features": data.n_features(),
            "removed": removed,
            "added": added.map_or(0, |added| added.codes.len()),
            "classes": classes,
            "parameters": parameters,
            "facts": facts,
            "status": status_name(self.edit.status),
            "read_seconds": self.input.read_seconds,
            "seconds": self.seconds,
        }))
    }

    fn warn(&self, session: &Session, removed: usize) -> Result<(), Failure> {
        let labels = self.data().classes()?;
        if removed == self.edit.keep.len() {
            session.warn("no row is left");
        } else {
            for code in self.edit.vanished(labels) {
                session.warn(format_args!(
                    "no row of class {} is left",
                    labels.names()[code as usize]
                ));
            }
        }
        if self.edit.status.is_premature() {
            session.warn(format_args!(
                "a machine stopped early ({}): its judgements are rough",
                status_name(self.edit.status)
            ));
        }
        Ok(())
    }
}
